// Depth-first search for offsets within one capacity, or for the proof that there are none, on forbidden differences
// (see difference_problem.h).
//
// Each item has a domain [lowest, highest] of offsets, each arc a least difference. Tightened until nothing moves:
//
//   x_i - x_j >= d, and the domains leave no difference in [d, e)      ->  d = e
//   x_i >= lowest_j + d,  x_j <= highest_i - d                              (rounded to multiples)
//
// and it is checked that each clique has room: what lies at or above a height of one of its tasks must fit below the
// capacity, and what ends at or below one above the floor.
//
// BRANCHING by items, lowest first. If there is a placement, there is one in which no item can move down alone: push
// things down until nothing moves. So an item with the lowest domain either lies at its low end, or another one, not
// yet placed, is in the way there. Then it waits until that is placed; if no other can get in the way, there is nothing
// to wait for. Items that wait for each other, as their parts interlock, end that: from there on a branch is a gap of a
// pair that overlaps if all lie as low as they may. If none overlaps, that is a placement.
//
// BRANCHING by pairs, tightest first: on which side of a forbidden interval, where that leaves the least room on both
// sides, weighed by how often the two were stuck. The first is the better one at stacking, the second at parts that
// interlock, and at proofs.
//
// PRUNING besides: of items that are alike the first lies lowest; and, by items, a hash table of refuted states: the
// domains of what is not placed, what it waits for, and those placed that still cut into a domain. Keys have 64 bits,
// so that a proof is wrong with a chance of some 2^-64 times the number of looks.
//
// Domains and least differences are those of disjunctive scheduling (Carlier, Pinson 1989), as is the choice of a pair
// by the room that it leaves (Smith, Cheng 1993) or of one that overlaps in the earliest schedule (Cesta, Oddi, Smith
// 2002). Weights are those of Boussemart, Hemery, Lecoutre, Sais 2004; waiting is a rule of Le Pape et al. 1994 for
// schedules from left to right. Here an item is in several places at once, and may interlock with others.
//
// COST: a step is an arc or a task looked at, some ten nanoseconds. THREADS: one run at a time per object.
#ifndef BUFPLAN_PLANNER_PLACEMENT_DIFFERENCE_SEARCH_H_
#define BUFPLAN_PLANNER_PLACEMENT_DIFFERENCE_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "planner/placement/deadline.h"
#include "planner/placement/difference_problem.h"
#include "planner/placement/skyline_search.h"

namespace bufplan {

// What a search branches on.
enum class Branching : uint8_t { kLowestItem, kTightestPair };

class DifferenceSearch {
 public:
  // `problem` must outlive the object. `max_refuted`: entries of the table of refuted states, 8 bytes each.
  DifferenceSearch(const DifferenceProblem& problem, size_t max_refuted);

  // Looks for offsets with which every item ends at or below `capacity_bytes`. Of items equally low, that is tried
  // first which `by_rank` names first; it names each once. Gives up when work() reaches `work_end`, or at the deadline.
  // What is refuted, and weights, stay for further runs.
  SearchEnd Run(int64_t capacity_bytes, Branching branching, absl::Span<const int32_t> by_rank, int64_t work_end,
                Deadline deadline = {});

  // After kFound: units, by item.
  const std::vector<int64_t>& offset() const { return offset_; }
  int64_t work() const { return work_; }

 private:
  static constexpr int64_t kNowhere = -1;

  struct Node {
    bool places = true;  // an item, or chooses a gap
    bool last = false;   // the second of two choices is made
    int32_t item = 0;    // or the arc
    int64_t at = 0;      // the offset; or the upper end of what the pair overlaps in
    int64_t below = 0;   // and its lower end
    bool above_first = true;
    size_t undo_to = 0;  // of trail_
    uint64_t key = 0;
  };

  void Start(int64_t capacity_bytes);
  // The variables of the state: by item, the domain, and the offset at which something will get in its way, or kNowhere
  // if it waits for nothing; by arc, the least difference; and how often a gap was chosen.
  size_t Lowest(size_t item) const { return item; }
  size_t Highest(size_t item) const { return num_items_ + item; }
  size_t Waits(size_t item) const { return 2 * num_items_ + item; }
  size_t Least(size_t arc) const { return 3 * num_items_ + arc; }
  size_t GapsChosen() const { return state_.size() - 1; }
  int64_t lowest(size_t item) const { return state_[Lowest(item)]; }
  int64_t highest(size_t item) const { return state_[Highest(item)]; }
  int64_t waits(size_t item) const { return state_[Waits(item)]; }
  int64_t least(size_t arc) const { return state_[Least(arc)]; }
  bool IsPlaced(size_t item) const { return lowest(item) == highest(item); }
  void Set(size_t variable, int64_t value) {
    trail_.emplace_back(variable, state_[variable]);
    state_[variable] = value;
  }
  void Undo(size_t to);
  void MarkDirty(int32_t item);
  // False if a domain is left empty.
  bool Raise(size_t item, int64_t to);
  bool Lower(size_t item, int64_t to);
  bool Tighten(size_t item, int32_t arc);
  // Until nothing moves, if `ok`; else only forgets what was to be done.
  bool Propagate(bool ok);
  bool PropagateArcs();
  bool CliqueHasRoom(size_t clique);
  // Makes the choices of a node; false if that is refuted at once.
  bool Choose(const Node& node);
  // That the item does not lie at its lowest offset.
  bool Wait(size_t item);
  // The next node, or kFound, or kNone if this branch is refuted.
  SearchEnd Branch(Node& node);
  bool PickItem(Node& node) const;
  bool AnyInterlock() const;
  // False if nothing overlaps where all lie as low as they may.
  bool PickOverlap(Node& node);
  bool PickTightPair(Node& node);
  uint64_t Key();

  const DifferenceProblem& problem_;
  const size_t num_items_;
  std::vector<int32_t> first_clique_;  // by item, and one past the end
  std::vector<int32_t> cliques_;
  std::vector<uint64_t> item_key_;
  std::vector<uint64_t> refuted_;
  std::vector<int32_t> rank_;   // by item
  std::vector<double> weight_;  // by item

  // State.
  int64_t capacity_ = 0;  // units, the last one perhaps in part
  uint64_t run_key_ = 0;
  Branching branching_ = Branching::kLowestItem;
  std::vector<int64_t> state_;
  std::vector<std::pair<size_t, int64_t>> trail_;  // variables with their values before
  std::vector<Node> nodes_;
  std::vector<int64_t> offset_;
  std::vector<int32_t> dirty_;  // items
  std::vector<char> is_dirty_;
  std::vector<int32_t> touched_;  // items whose cliques are to be looked at
  std::vector<char> is_touched_;
  std::vector<char> clique_seen_;
  std::vector<int32_t> seen_cliques_;
  struct Extent {
    int64_t at = 0, size = 0;
  };
  std::vector<Extent> extents_;
  int64_t work_ = 0;
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_DIFFERENCE_SEARCH_H_
