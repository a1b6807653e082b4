// The search for order edges that make room; see reuse_edges.h for the idea.
//
// Works on one candidate: its sharing stays, its edges, lives and placements change. COST: counted in evaluations, each
// a schedule with its lives and heaviest antichains, or a placement; their number is limited by the number of ops.
// THREADS: one at a time. LIFETIME: refers to all it is given.
#ifndef BUFPLAN_PLANNER_REUSE_EDGE_SEARCH_H_
#define BUFPLAN_PLANNER_REUSE_EDGE_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "planner/candidate.h"
#include "planner/liveness/live_ranges.h"
#include "planner/options.h"
#include "planner/order/frontier.h"
#include "planner/order/schedule.h"
#include "planner/placement/antichain.h"

namespace bufplan {

class EdgeSearch {
 public:
  // What is done is taken from `work`, in steps of some hundred nanoseconds; without any left, or once options.deadline
  // has passed, the search ends with what it has.
  EdgeSearch(const Graph& graph, const Schedule& schedule, const PlanOptions& options, Candidate& candidate,
             int64_t& work);

  // By space, bytes that are needed in every run: no edges make do with less. Before anything else is called.
  std::vector<int64_t> BytesInEveryRun() const;
  // Whether the candidate could be placed so that each space needs at most its target bytes; then it is, and with no
  // edge that is not needed.
  bool Reach(const std::vector<int64_t>& targets);
  // Makes the candidate, which is placed, need as few bytes as is found.
  void Lower();
  // Takes away edges that are not needed for the targets, which the placement meets, and says why the others are.
  void Trim(const std::vector<int64_t>& targets);
  // The same for the bytes that it needs now.
  void Trim();

 private:
  // What a placement makes of a candidate.
  struct Placed {
    std::vector<AddedEdge> bought;
    std::shared_ptr<const Schedule> ordered;
    LiveRanges live;
    std::vector<SpaceProblem> problems;
    std::vector<Placement> placements;
    int64_t bytes = 0;
    bool optimal = true;
  };
  // When the pieces of a space's problem begin, and the last units that need them.
  struct PieceUnits {
    std::vector<int32_t> born;
    std::vector<Frontier> until;
  };

  Placed Save() const;
  void Restore(Placed placed);
  bool OutOfTime() const { return options_.deadline.Passed(); }
  bool WorkLeft() const { return work_ > reserve_ && !OutOfTime(); }
  const Schedule& run() const { return c_.OrderedBy(schedule_); }
  bool Find();
  bool Place();
  Antichain Heaviest(const SpaceProblem& space);
  bool Meets(const std::vector<int64_t>& targets) const;
  int64_t BytesInEveryRun(const SpaceProblem& space) const;
  PieceUnits UnitsOf(const SpaceProblem& space) const;
  // Adds edges, the best ones first, until the targets are met; begins with the `first`-th best.
  bool Climb(const std::vector<int64_t>& targets, size_t first);
  bool AddBestEdges(size_t space, const Antichain& heaviest, int64_t excess, size_t rank = 0);
  // The edges that put all users `until` before the unit `born`; nullopt: that would be a cycle, or never.
  std::optional<std::vector<OrderEdge>> EdgesBetween(const Frontier& until, int32_t born) const;
  // Reaches the targets with fewer edges than there are, if trying out all that helps finds it in time.
  void ReachWithFewer(const std::vector<int64_t>& targets);
  // With up to `most` edges more; true if all is placed so.
  bool ReachWithin(const std::vector<int64_t>& targets, size_t most);
  std::vector<OrderEdge> EdgesThatThin(size_t space, const Antichain& heaviest);
  bool PlaceSerially(const std::vector<int64_t>& targets);
  std::optional<std::string> Need(size_t edge);
  std::string NameIn(const SpaceProblem& space, int32_t piece, int32_t born) const;

  const Graph& g_;
  const Schedule& schedule_;
  PlanOptions options_;  // at least the default effort: what is fast has missed the capacity
  Candidate& c_;
  const int64_t size_;  // of the graph, in ops
  int64_t& work_;
  int64_t reserve_ = 0;  // steps that are not for what runs now
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_REUSE_EDGE_SEARCH_H_
