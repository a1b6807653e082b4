// Grants or refuses one wish: "this result lies there". One mechanism for bases, in-place operands, the sources of data
// movements and the places where values are going to be copied to.
//
// A result that finds its bytes there already writes nothing, so nothing can be in its way: what it is a copy of is
// protected by the uses of both. Otherwise every byte that its op writes must be needed by nobody any more: all uses of
// what lies there happen before the op, or are its own and declared, or are proven to touch other bytes.
//
// COST: O(log) per segment that is overwritten, plus a proof for each pair of symbolic or strided regions that meet,
// one of them written and the other in use then; the proofs of one planning run are limited in number, beyond it wishes
// are refused. THREADS: one at a time.
#ifndef BUFPLAN_PLANNER_SHARING_GRANTER_H_
#define BUFPLAN_PLANNER_SHARING_GRANTER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "ir/plan.h"
#include "planner/liveness/uses.h"
#include "planner/order/schedule.h"
#include "planner/sharing/effect.h"
#include "planner/sharing/ownership.h"
#include "planner/sharing/storage_table.h"

namespace bufplan {

struct Wish {
  ValueId result;
  OpId op;
  const Write* write = nullptr;  // of the result
  WishKind kind = WishKind::kBase;
  ValueId target;  // the base, the operand, the source, or what the result is going to be copied to
  InPlaceMode mode = InPlaceMode::kAny;
  Spot spot;
  bool only_elided = false;  // a data movement that would still execute had better lie elsewhere
};

struct Refusal {
  Why why;
  std::optional<ValueId> other = {};
  std::optional<int32_t> blocker = {};  // a time
  std::string missing = {};             // the fact that would have sufficed, in the author's symbols
  std::optional<ValueId> in = {};       // the place that was asked for: so many bytes after the first one of `in`
  std::optional<Expr> in_offset = {};
};

// A value that is in the way of a wish.
struct Blocker {
  ValueId value;
  int32_t time = 0;
  std::string missing = {};
};

class Granter {
 public:
  Granter(const Graph& graph, const Schedule& schedule, const Uses& uses, Ownership& ownership, EffectFinder& effects,
          StorageTable& storages);

  // Makes the result lie there, or says why not; then nothing has changed. `time` is the unit's that writes the result;
  // units are visited in order.
  std::optional<Refusal> TryGrant(int32_t time, const Wish& wish);
  // Makes an input lie in a storage that nothing else has been written to at those bytes. False: it may not.
  bool TryInput(ValueId v, const Spot& spot);
  // The values that were in the way of the last wish that was refused, if that was because of what lies there, and all
  // of them were found.
  const std::vector<Blocker>& blockers() const { return blockers_; }
  // What the op does there: of the last wish.
  const Effect& effect() const { return effect_; }

  // All values in a storage whose uses are not over when all of it is overwritten at `time`.
  std::vector<Blocker> NotOver(int32_t time, int32_t storage);

  // The unit at `time` writes v itself.
  bool WrittenAt(ValueId v, int32_t time) const {
    const std::optional<OpId> producer = g_.producer(v);
    return producer.has_value() && schedule_.TimeOf(*producer) == time;
  }

 private:
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

  std::optional<Refusal> GrantOrRefuse(int32_t time, const Wish& wish);
  void NamePlace(const Wish& wish, Refusal& refusal) const;
  bool MayReachDown(int32_t storage, const Region& place, ByteRange bytes) const;
  bool OutgrowsChunk(int32_t storage, ByteRange bytes) const;
  void AddUses(const Wish& wish, ByteTimeline& timeline);
  std::optional<Refusal> Forbidden(const Wish& wish, const Effect& effect, ByteRange bytes);
  std::optional<Refusal> ForbiddenWrite(const Wish& wish, ByteRange bytes);
  std::optional<Refusal> NeededByUnit(int32_t time, const Wish& wish, const Effect& effect);
  std::optional<Refusal> StillNeeded(int32_t time, int32_t storage, const Region& written);
  bool FindBlockers(int32_t time, const Wish& wish, const Effect& effect);
  // Calls f(root) for the roots of a storage that may be in the way at `time`, in the order they joined, until f
  // returns false.
  template <class F>
  void ForEachRootInUse(int32_t time, int32_t storage, F f);
  int32_t OverAt(ValueId root) const;
  bool Exact(const Effect& effect) const;
  void CheckRoot(int32_t time, ValueId v, const Effect& effect, bool& done);
  Refusal RefusalFor(const Blocker& blocker, int32_t time) const;
  bool IsCopy(int32_t time) const;  // the unit there
  bool IsPhysical(const Use& use, int32_t time) const;
  bool Permitted(int32_t time, const Wish& wish, ValueId operand) const;
  bool StaysInPlace(const Op& op, const Read& r, const Wish& wish) const;
  std::string MissingFact(const Region& used, const Region& written) const;

  const Graph& g_;
  const Schedule& schedule_;
  const Uses& uses_;
  Ownership& ownership_;
  EffectFinder& effects_;
  StorageTable& s_;
  std::vector<std::pair<int32_t, ValueId>> kept_until_;  // keep-alives by time
  std::vector<OwnUse> own_uses_;                         // of the unit at own_uses_time_, by storage and first byte
  std::vector<Blocker> blockers_;
  Effect effect_;
  int32_t own_uses_time_ = Schedule::kStart;
  int64_t longest_own_use_ = 0;
  // The roots of a storage that were not over at the latest time asked about, each with the time from which on it is,
  // and the last root known.
  struct RootsInUse {
    std::vector<std::pair<ValueId, int32_t>> roots;
    std::optional<ValueId> last;
    int32_t time = Schedule::kStart;
  };
  std::vector<RootsInUse> in_use_;  // by storage
  const int64_t max_proofs_;
  int64_t proof_budget_;  // uses that may still be looked at one by one
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_SHARING_GRANTER_H_
