// Grants or refuses one wish: "this result lies where that value lies". One mechanism for bases and in-place operands.
//
// COST: O(log) per segment that is overwritten, plus a proof for each pair of symbolic or strided regions that meet;
// the proofs of one planning run are limited in number, beyond it wishes are refused. THREADS: one at a time.
#ifndef BUFPLAN_PLANNER_SHARING_GRANTER_H_
#define BUFPLAN_PLANNER_SHARING_GRANTER_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "ir/plan.h"
#include "planner/liveness/uses.h"
#include "planner/order/schedule.h"
#include "planner/sharing/ownership.h"
#include "planner/sharing/storage_table.h"

namespace bufplan {

struct Wish {
  ValueId result;
  ValueId target;  // the base or the operand
  bool base = false;
  InPlaceMode mode = InPlaceMode::kSameIndex;
  const Write* write = nullptr;  // of the result
};

struct Refusal {
  Why why;
  std::optional<ValueId> other = {};
  std::optional<int32_t> blocker = {};  // a time
};

class Granter {
 public:
  Granter(const Graph& graph, const Schedule& schedule, const Uses& uses, Ownership& ownership, StorageTable& storages);

  // Makes the result lie on the target, or says why not; then nothing has changed. `time` is the unit's that writes the
  // result; units are visited in order.
  std::optional<Refusal> TryGrant(int32_t time, const Wish& wish);

  // A value in the storage that is kept alive until the unit at `time` is done.
  std::optional<ValueId> KeptAliveBy(int32_t time, int32_t storage);

  // The unit at `time` writes v itself.
  bool WrittenAt(ValueId v, int32_t time) const {
    const std::optional<OpId> producer = g_.producer(v);
    return producer.has_value() && schedule_.TimeOf(*producer) == time;
  }

 private:
  // Where the result would lie, as bytes of the target's storage.
  struct Place {
    int32_t storage = 0;
    Expr offset;
    ByteRange bytes;           // no byte of the result outside, for any symbol values
    ByteRange written;         // no overwritten byte outside
    bool all_written = false;  // every byte of `written` is overwritten, for all symbol values
  };
  Place PlaceOf(const Wish& wish) const;

  // What the unit itself needs of a storage while it runs: its operands, bases, and what is kept alive until it is
  // done.
  struct OwnUse {
    int32_t storage = 0;
    ValueId value;
    ByteRange bytes;                     // of the storage
    const Op* op = nullptr;              // operands
    const Read* read = nullptr;          // operands
    std::optional<ValueId> result = {};  // bases: of which result
  };
  void CollectOwnUses(int32_t time);

  std::optional<Refusal> Forbidden(const Wish& wish, const Place& place);
  std::optional<Refusal> NeededByUnit(int32_t time, const Wish& wish, const Place& place);
  std::optional<Refusal> StillNeeded(int32_t time, const Place& place);
  bool ProvenApart(int32_t time, const Wish& wish, const Place& place);
  std::optional<Refusal> OverwrittenMeanwhile(const Wish& wish, const Place& place);
  bool Permitted(int32_t time, const Wish& wish, const Place& place, ValueId operand) const;
  bool StaysInPlace(const Op& op, const Read& r, const Wish& wish, const Place& place) const;
  bool IsAncestor(ValueId ancestor, ValueId v) const;

  const Graph& g_;
  const Schedule& schedule_;
  const Uses& uses_;
  Ownership& ownership_;
  StorageTable& s_;
  std::vector<std::pair<int32_t, ValueId>> kept_until_;  // keep-alives by time
  std::vector<OwnUse> own_uses_;                         // of the unit at own_uses_time_, by storage and first byte
  int32_t own_uses_time_ = Schedule::kStart;
  int64_t longest_own_use_ = 0;
  int64_t proof_budget_;  // uses that may still be looked at one by one
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_SHARING_GRANTER_H_
