// Depth-first search for a placement within one capacity, or for the proof that there is none.
//
// Bars (see section_problem.h) are stacked from below. The skyline is how high each section is filled; a valley is a
// flat stretch of it between higher ones. Whatever lies at the floor of a valley lies inside of it:
//
//    #####         wall                   ##
//    #####|a a a .|b b b.......|c c|######## wall      a starts at the left edge, c ends at the right edge
//    ##########################################        the floor
//
// BRANCHING. Take the first section of a valley. Either a bar that starts there and ends inside of the valley lies at
// the floor, or nothing does: then the section wastes bytes up to the next height at which a bar may come to lie, the
// lower wall, or the floor and the smallest bar of the valley that leaves the section out. So for its last section. Of
// all edges of valleys that is taken which leaves the fewest choices; a tie goes to the lowest floor, then to the left.
// Or, weighed, the one with the fewest choices for each failure that its section has seen, in all runs so far
// (Boussemart, Hemery, Lecoutre, Sais 2004); one with a single choice goes first all the same.
//
// PRUNING. (1) Slack: the capacity less the floor and the bars still to come is what a section may yet waste. Where the
// load is the capacity, that is nothing. (2) Fill: what lies below the walls of a stretch is made of bars that end
// inside of it, so these must fill each section up to the lower wall, but for its slack. (3) A bar is no choice if it
// leaves an edge behind, without slack, at which no bar is left; nor if it could sink, and an edge is not wasted if a
// bar to come would fit into what is wasted: a placement in which nothing can be moved down is found without them. (4)
// Where no bar still to come crosses from one section to the next, the two sides are searched on their own. (5) Of bars
// that are alike, the first comes first. (6) A hash table of what was refuted: bars still to come, floors, and what is
// wasted below them, of one such side. Keys have 64 bits, so that the proof that there is none is wrong with a chance
// of some 2^-64 times the number of looks. (7) Units: bars that start at multiples of a unit hold the first granule of
// so many units each, all different; so what is to come in a section must fit in what units there are above its floor,
// but for the rest of the topmost.
//
// Runs are cut off and started anew with other preferences; the table stays. The idea that a placement is a stack
// without gaps below, floors of sections and splits in time follow MiniMalloc (Moffitt, ASPLOS 2023); choosing the
// tightest place and then what fits there is the usual heuristic of rectangle packing (the skyline, and fewest
// choices first).
//
// COST: a step is a section looked at, some ten nanoseconds. THREADS: one run at a time per object.
#ifndef BUFPLAN_PLANNER_PLACEMENT_SKYLINE_SEARCH_H_
#define BUFPLAN_PLANNER_PLACEMENT_SKYLINE_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "planner/placement/section_problem.h"

namespace bufplan {

enum class SearchEnd : uint8_t { kFound, kNone, kGaveUp };

class SkylineSearch {
 public:
  // `problem` must outlive the object. `max_refuted`: entries of the table of refuted states, 8 bytes each.
  SkylineSearch(const SectionProblem& problem, size_t max_refuted);

  // Looks for offsets with which every bar ends at or below `capacity_bytes`. Bars that may lie at one edge are tried
  // in the order of `by_rank`, which names each once; `weighed`: see above. Gives up when work() reaches `work_limit`,
  // or when `stop`, asked every 65,536 steps or so, says yes.
  SearchEnd Run(int64_t capacity_bytes, absl::Span<const int32_t> by_rank, bool weighed, int64_t work_limit,
                absl::FunctionRef<bool()> stop);
  // As if the last run had not counted failures.
  void TakeBackRun() { failures_ = failures_before_; }
  // The next run starts with an empty table.
  void ForgetRefuted() { ++generation_; }

  // After kFound: granules, by bar.
  const std::vector<int64_t>& offset() const { return offset_; }
  // Steps of the last run.
  int64_t work() const { return work_; }

 private:
  static constexpr int64_t kNoWall = INT64_MAX;

  // Bars by the section they start in (or end behind), the preferred first.
  struct EdgeLists {
    std::vector<int32_t> first;  // by section, and one past the end
    std::vector<int32_t> bar;
    absl::Span<const int32_t> At(int32_t section) const {
      const size_t begin = static_cast<size_t>(first[static_cast<size_t>(section)]);
      return {bar.data() + begin, static_cast<size_t>(first[static_cast<size_t>(section) + 1]) - begin};
    }
  };

  struct Valley {
    int32_t begin = 0, end = 0;
    int64_t floor = 0;
    int64_t left_wall = kNoWall, right_wall = kNoWall;  // how high; kNoWall at an end of the stretch
  };

  // A choice of an edge of a valley.
  struct Branch {
    Valley valley;
    bool left = true;
    int32_t count = INT32_MAX;
    int64_t raise = 0;  // where the floor goes if nothing lies at it; kNoWall: it may not
  };

  // Offsets of some bars are multiples of `unit` granules, or of several. By section, for these:
  struct Units {
    int64_t unit = 0;
    std::vector<int64_t> to_come;       // units that those not placed begin
    std::vector<int64_t> largest_rest;  // of a last unit, placed or not
  };

  // A node of the search: a stretch that falls apart, or one with a branch.
  struct Node {
    int32_t begin = 0, end = 0;
    bool splits = false;
    size_t undo_to = 0;  // of trail_
    // splits: the parts in parts_.
    size_t first_part = 0, num_parts = 0, next_part = 0;
    // else
    Branch branch;
    size_t next_choice = 0;
    bool raised = false;
    uint64_t key = 0;
  };

  void BuildEdgeLists(absl::Span<const int32_t> by_rank);
  void StartRun(int64_t capacity_bytes);
  SearchEnd Search(int64_t work_limit, absl::FunctionRef<bool()> stop);
  // What becomes of the stretch at once, or kGaveUp after pushing a node for it.
  SearchEnd Open(int32_t begin, int32_t end);
  // Makes the next choice of the node on top; false if there is none left.
  bool Advance(Node& node);
  uint64_t Key(int32_t begin, int32_t end) const;

  int64_t Slack(int32_t section) const {
    const size_t k = static_cast<size_t>(section);
    return capacity_ - floor_[k] - to_come_[k];
  }
  bool IsNext(size_t bar) const {
    return !placed_[bar] && (twin_[bar] < 0 || placed_[static_cast<size_t>(twin_[bar])]);
  }
  // Whether a bar inside of the valley may lie at its floor, with what is on both sides of it looked at.
  bool MayLie(size_t bar, const Valley& valley) const;
  bool AnyBesides(absl::Span<const int32_t> bars, size_t without) const;
  bool EdgesMayFill(int32_t begin, int32_t end, size_t without) const;
  // Bars that may lie at an edge.
  int32_t CountBars(const Valley& valley, bool left) const;
  int64_t RaisedFloor(const Valley& valley, bool left) const;
  // Whether what is placed below keeps the bar from lying lower than `floor`.
  bool IsSupported(size_t bar, int64_t floor) const;
  // Whether a bar to come, at that edge, fits between what is placed and the floor, once that is raised.
  bool LeavesRoom(int32_t section, bool left, int64_t raised) const;
  void MakeUnits();
  void AddUnits(size_t bar, int64_t sign);
  // Whether what is to come in the section fits above the floor, as far as units tell.
  bool UnitsFit(int32_t section, int64_t floor) const;
  // The same for the sections of a bar, as their floors are.
  bool UnitsFitAbove(size_t bar);

  // The flat stretch from the section on, in [begin, end). A valley if no wall is lower than its floor.
  Valley ValleyFrom(int32_t section, int32_t begin, int32_t end) const;
  // Wastes what nothing can lie on and chooses an edge. False if that is too much waste.
  bool Settle(int32_t begin, int32_t end, Branch& best);
  static int32_t SectionOf(const Branch& branch) { return branch.left ? branch.valley.begin : branch.valley.end - 1; }
  // Whether another branch is to be preferred, or as good.
  bool IsBetter(const Branch& best, const Branch& branch) const;

  void SetFloor(size_t section, int64_t floor) {
    state_key_[section] += static_cast<uint64_t>(floor - floor_[section]) * section_key_[section];
    floor_[section] = floor;
  }
  void SetSupport(size_t section, int64_t support) {
    state_key_[section] += static_cast<uint64_t>(support - support_[section]) * support_key_[section];
    support_[section] = support;
  }
  void Raise(int32_t section, int64_t floor);
  void Place(size_t bar);
  void Unplace(size_t bar);
  void Undo(size_t to);
  // Whether what is around a bar placed last can still be filled, in [begin, end).
  bool CanFillAround(size_t bar, int32_t begin, int32_t end);
  bool CanFill(int32_t begin, int32_t end, int64_t level);
  void UpdateCeiling(size_t pinned_bar);

  const SectionProblem& problem_;
  std::vector<int32_t> twin_;                        // by bar: the one before it that is alike, or -1
  std::vector<uint64_t> bar_key_;                    // by bar
  std::vector<uint64_t> section_key_, support_key_;  // by section
  std::vector<int32_t> pinned_;                      // bars
  std::vector<uint64_t> refuted_;                    // keys
  uint64_t generation_ = 0;                          // of what is in there
  std::vector<int64_t> failures_;                    // by section, and one
  std::vector<int64_t> failures_before_;             // the last run
  bool any_multiple_ = false;
  std::vector<size_t> first_under_;  // by bar
  EdgeLists starts_, ends_;          // ends_: by the last section

  // State.
  bool weighed_ = false;
  int64_t capacity_bytes_ = 0;
  int64_t capacity_ = 0;              // granules, the last one perhaps in part
  std::vector<int64_t> highest_end_;  // by bar, granules
  std::vector<int64_t> floor_;        // by section
  std::vector<int64_t> support_;      // by section: the end of the last bar; from there to the floor is wasted
  std::vector<int64_t> under_;       // the supports that a placed bar lies above: by bar, from first_under_, by section
  std::vector<Units> units_;         // ascending
  std::vector<int64_t> to_come_;     // by section: sizes of the bars not placed
  std::vector<int64_t> ceiling_;     // by section: the lowest pin not placed; only with pins
  std::vector<int32_t> crossing_;    // by section: bars not placed that are in it and in the one before
  std::vector<uint64_t> state_key_;  // by section: of its floor, its support, and the bars not placed that start in it
  std::vector<char> placed_;         // by bar
  std::vector<int64_t> offset_;      // by bar
  std::vector<Node> nodes_;
  std::vector<std::pair<int32_t, int32_t>> parts_;
  std::vector<std::pair<int32_t, int64_t>> trail_;  // a bar; or -1 - a section, with its floor before
  std::vector<int64_t> fill_;                       // by section
  int64_t work_ = 0;
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_SKYLINE_SEARCH_H_
