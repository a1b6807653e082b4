// What an op does to a storage if one of its results lies at a given place there: the bytes it writes, and whether it
// does anything at all.
//
//   compute              writes its region if it lies on its base, else all of the result
//   data movement        a part of which every byte lies where it should already is not executed. If that holds for all
//                        parts, because source and result coincide, or the place holds a copy of the same bytes, or
//                        nobody reads them, the movement is elided.
//
// COST: O(parts) compositions of regions. THREADS: reads only.
#ifndef BUFPLAN_PLANNER_SHARING_EFFECT_H_
#define BUFPLAN_PLANNER_SHARING_EFFECT_H_

#include <cstdint>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "planner/liveness/uses.h"
#include "planner/order/schedule.h"
#include "planner/sharing/destinations.h"
#include "planner/sharing/storage_table.h"

namespace bufplan {

// A result (or the target of a commit) at a place of a storage.
struct Spot {
  int32_t storage = 0;
  Region place;
};

struct Effect {
  absl::InlinedVector<Region, 2> written;  // of the storage
  bool on_base = false;
  bool moves = false;              // the op is a data movement outside of fused groups, and
  bool elided = false;             // executes nothing
  Why why = Why::kCoincides;       // of an elided one
  std::optional<ValueId> same_as;  // kSameBytes: the value that holds them
};

class EffectFinder {
 public:
  EffectFinder(const Graph& graph, const Schedule& schedule, const Uses& uses, const Destinations& destinations,
               StorageTable& storages)
      : g_(graph), schedule_(schedule), uses_(uses), destinations_(destinations), s_(storages) {}

  // Of the unit at `time`; w is a write of `op`, absent for a commit.
  void Find(int32_t time, OpId op, const Write* w, const Spot& spot, Effect& effect);

  // Where the source of a part lies now; nullopt: nowhere.
  std::optional<Spot> SpotOf(const Source& source) const;
  // The places at which a result without base, of `bytes` bytes, would find the part already: where its source lies,
  // then where the source's own source does, and so on; then where others of their copies do.
  absl::InlinedVector<Spot, 2> PlacesForPart(OpId op, uint32_t read, ValueId result);

  // A data movement that takes over bytes from a base which somebody needs. Without it is as good as one without base.
  bool KeepsBase(OpId op, const Write& w) const;

 private:
  bool FindAroundPart(const Op& op, const Write& w, const Spot& spot, Effect& effect) const;
  bool Untouched(const Spot& spot, int32_t since);
  bool IsThere(int32_t time, OpId op, uint32_t read, const Spot& spot, Effect& effect);
  bool HoldsCopy(int32_t time, OpId op, const Source& source, const Spot& spot, Effect& effect);
  std::optional<int32_t> WrittenSince(Source content, const Spot& spot) const;
  template <class F>
  void ForEachCopy(OpId op, const Source& source, F f) const;

  const Graph& g_;
  const Schedule& schedule_;
  const Uses& uses_;
  const Destinations& destinations_;
  StorageTable& s_;
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_SHARING_EFFECT_H_
