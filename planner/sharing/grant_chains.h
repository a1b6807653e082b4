// By which wishes values came to lie where they do, what each of them saves, and on which others it depends.
//
//   row --in K's place by a wish--> K1 on its base --> K2 on its base          K2 goes if any of these is struck out
//
// COST: O(1) per call. THREADS: one at a time. LIFETIME: refers to the graph and the storages.
#ifndef BUFPLAN_PLANNER_SHARING_GRANT_CHAINS_H_
#define BUFPLAN_PLANNER_SHARING_GRANT_CHAINS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph.h"
#include "planner/sharing/contest.h"
#include "planner/sharing/granter.h"
#include "planner/sharing/storage.h"
#include "planner/sharing/storage_table.h"

namespace bufplan {

class GrantChains {
 public:
  GrantChains(const Graph& graph, const StorageTable& storages) : g_(graph), s_(storages) {}

  // v has joined a storage by a wish that saves moving `gain` bytes, because of what `on` is or does there; v itself:
  // because of nobody.
  void Add(ValueId v, ValueId on, int64_t gain);
  // Because of which other value; v has joined.
  ValueId On(ValueId v) const { return on_[v.index()]; }
  // Of v's own wish and those that it depends on, the one that saves least; nullopt: v came first.
  std::optional<ValueId> Cheapest(ValueId v) const;
  // The wish by which v lies where it does.
  Contest::Rival GrantedTo(ValueId v) const;
  Contest::Rival RivalOf(ValueId v, WishKind kind, int64_t gain) const;
  // What would have to go so that the value is no longer in the way; none of any_of: nothing could.
  Contest::Obstacle ObstacleOf(const Blocker& blocker) const;

 private:
  std::optional<ValueId> DependsOn(ValueId v) const;

  const Graph& g_;
  const StorageTable& s_;
  std::vector<ValueId> on_;        // by value; these three are empty until somebody joins
  std::vector<int64_t> gain_;      // by value
  std::vector<ValueId> cheapest_;  // by value: see Cheapest()
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_SHARING_GRANT_CHAINS_H_
