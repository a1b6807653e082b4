// What the rounds of sharing have learned: wishes that were struck out in favour of better ones, ops that execute after
// all, results that need no bytes.
//
// Changes of mind go one way only, but for wishes that were struck out in vain (see contest.h). After kMaxRounds
// nothing is struck out any more, every op uses all that it names and every result has bytes: then one more round is
// enough, but for variables that have to be locked.
//
// COST: O(1) per call. THREADS: one at a time.
#ifndef BUFPLAN_PLANNER_SHARING_DECISIONS_H_
#define BUFPLAN_PLANNER_SHARING_DECISIONS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/graph.h"
#include "planner/sharing/granter.h"
#include "planner/sharing/policy.h"
#include "planner/sharing/storage.h"

namespace bufplan {

class Decisions {
 public:
  static constexpr int kMaxRounds = 12;

  Decisions(const Graph& graph, const SharingPolicy& policy);

  // By op; see Uses. Null: all are.
  const std::vector<char>* in_full() const { return settled_ ? nullptr : &in_full_; }

  bool Wanted(ValueId v, WishKind kind) const {
    return unwanted_.empty() || (unwanted_[v.index()] & static_cast<uint8_t>(kind)) == 0;
  }
  // Why a wish of v was struck out; null: none was, or the caller did not want it.
  const Refusal* StruckOut(ValueId v) const {
    const auto it = struck_out_.find(v.value);
    return it == struck_out_.end() ? nullptr : &it->second;
  }
  // Where v must not lie by its wish kSource, which was struck out: in the storage of this caller-owned value. nullopt:
  // anywhere.
  std::optional<ValueId> BarredFrom(ValueId v) const {
    const auto it = barred_.find(v.value);
    return it == barred_.end() ? std::nullopt : std::optional<ValueId>(it->second);
  }
  // v lies in the storage of a caller-owned value by its wish kSource: if that is struck out, other places may do.
  void LiesIn(ValueId v, ValueId owner) { lies_in_.insert_or_assign(v.value, owner); }
  // Whether wishes may be struck out in favour of better ones.
  bool contest() const { return contest_ && !settled_; }
  // From the next round on. False: it is too late.
  bool StrikeOut(ValueId v, WishKind kind, Refusal reason);
  // Takes that back.
  void Readmit(ValueId v, WishKind kind);
  // The op executes, or carries a base.
  void UseInFull(OpId op);
  bool UsesInFull(OpId op) const { return settled_ || in_full_[op.index()] != 0; }
  // The result of a movement is read by nobody, as all who want its bytes find them elsewhere.
  void NeedsNoBytes(ValueId v);
  void NeedsBytes(ValueId v);
  bool HasNoBytes(ValueId v) const { return !no_bytes_.empty() && no_bytes_[v.index()] == kNoBytes; }
  bool MayHaveNoBytes(ValueId v) const { return !settled_ && (no_bytes_.empty() || no_bytes_[v.index()] != kBytes); }
  // No storage is reserved for v: it came to lie elsewhere.
  void DoNotReserve(ValueId v);
  bool MayReserve(ValueId v) const { return !settled_ && !not_reserved_.contains(v.value); }
  // v does not come to lie in storage of the caller that it goes on into.
  void LieApart(ValueId v);
  bool LiesApart(ValueId v) const { return apart_.contains(v.value); }
  // Nothing joins the storage of this caller-owned value.
  void Lock(ValueId owner);
  bool Locked(ValueId owner) const { return locked_.contains(owner.value); }

  // In this round.
  bool changed() const { return changed_; }
  // Too many rounds have changed something: nothing is struck out any more.
  bool settled() const { return settled_; }

  // True if the round that ends here was the last one. In a hurry nothing is struck out any more after it.
  bool EndRound(bool hurry = false);

 private:
  enum : char { kUnknown, kNoBytes, kBytes };

  size_t num_values_;
  std::vector<uint8_t> unwanted_;
  std::vector<char> in_full_;
  std::vector<char> no_bytes_;  // by value; empty: all unknown
  absl::flat_hash_map<int32_t, Refusal> struck_out_;
  absl::flat_hash_map<int32_t, ValueId> lies_in_, barred_;
  absl::flat_hash_set<int32_t> locked_, not_reserved_, apart_;
  int round_ = 0;
  bool contest_;
  bool settled_ = false;
  bool changed_ = false;
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_SHARING_DECISIONS_H_
