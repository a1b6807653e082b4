// The storages under construction: who lives where, what each byte holds, and the constraints that do not depend on
// time.
//
// COST: O(1) per call but for what byte_timeline.h says. THREADS: one at a time. LIFETIME: refers to graph, schedule
// and uses.
#ifndef BUFPLAN_PLANNER_SHARING_STORAGE_TABLE_H_
#define BUFPLAN_PLANNER_SHARING_STORAGE_TABLE_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ir/expr.h"
#include "ir/graph.h"
#include "planner/liveness/uses.h"
#include "planner/order/schedule.h"
#include "planner/sharing/byte_timeline.h"
#include "planner/sharing/storage.h"

namespace bufplan {

class StorageTable {
 public:
  // What the caller owns has storages of its own; nothing else is placed.
  StorageTable(const Graph& graph, const Schedule& schedule, const Uses& uses);

  // A storage with the root v alone in it.
  void Create(ValueId v, std::optional<ValueId> owner);
  // A storage in which v will lie at 0, perhaps, and until then what is copied into v.
  int32_t Reserve(ValueId v);
  std::optional<int32_t> ReservedFor(ValueId v) const {
    if (reserved_.empty() || reserved_[v.index()] < 0) return std::nullopt;
    return reserved_[v.index()];
  }
  // The value that a storage is reserved for; nullopt: it is not.
  std::optional<ValueId> ReservedIn(int32_t storage) const {
    const auto at = std::lower_bound(reservations_.begin(), reservations_.end(), std::make_pair(storage, ValueId(0)));
    if (at == reservations_.end() || at->first != storage) return std::nullopt;
    return at->second;
  }
  // All of them, by storage, and the values they are for.
  const std::vector<std::pair<int32_t, ValueId>>& reservations() const { return reservations_; }
  // The root v joins a storage at `place`; no byte of it lies outside of `bytes` there, for any symbol values.
  void Join(ValueId v, int32_t storage, const Region& place, ByteRange bytes, WishKind by);
  // The result as far as it goes: all views resolved.
  Sharing Finish() &&;

  bool Placed(ValueId root) const { return sharing_.storage_of[root.index()] != Sharing::kNoStorage; }
  // Of a root or a view of one; Sharing::kNoStorage if the root is not placed.
  int32_t StorageOf(ValueId v) const { return sharing_.storage_of[uses_.root(v).index()]; }
  // Its first byte within the storage.
  Expr OffsetOf(ValueId v) const {
    const ValueId root = uses_.root(v);
    const Expr& at = sharing_.offset_of[root.index()];
    return root == v ? at : at + uses_.offset(v);
  }
  bool Strided(ValueId root) const { return !sharing_.strides.empty() && sharing_.strides[root.index()] != nullptr; }
  // Where its bytes lie within the storage. The root is placed.
  Region PlaceOf(ValueId root) const { return sharing_.PlaceOf(graph_, root); }
  // The bytes of the storage in which the range r of a root may lie.
  ByteRange InStorage(ValueId root, ByteRange r) const {
    const ByteRange at = range_[root.index()];
    if (Strided(root)) return r.empty() ? ByteRange{} : at;
    return sharing_.offset_of[root.index()].is_constant() ? ByteRange{at.begin + r.begin, at.begin + r.end}
                                                          : ByteRange{at.begin + r.begin, at.end};
  }
  const Storage& storage(int32_t id) const { return sharing_.storages[static_cast<size_t>(id)]; }
  // What the storage holds, and who needs it.
  ByteTimeline& TimelineOf(int32_t storage);

  // Calls f(root) for all roots of a storage, in the order they joined, until f returns false. Whether it never did.
  template <class F>
  bool ForEachRoot(int32_t storage, F f) const {
    ValueId v = first_[static_cast<size_t>(storage)];
    if (v.value < 0) return true;
    for (;; v = next_[v.index()]) {
      if (!f(v)) return false;
      if (next_[v.index()] == v) return true;
    }
  }
  // The same for those that joined after the root `last`; absent: for all.
  template <class F>
  bool ForEachRootAfter(std::optional<ValueId> last, int32_t storage, F f) const {
    if (!last.has_value()) return ForEachRoot(storage, f);
    for (ValueId v = *last; next_[v.index()] != v;) {
      v = next_[v.index()];
      if (!f(v)) return false;
    }
    return true;
  }
  // The root that joined last. Somebody has.
  ValueId Tip(int32_t storage) const { return last_[static_cast<size_t>(storage)]; }

  // Where it begins, counted from the value it began with: 0, or below where others reach further down; and if somebody
  // with these bytes joined it.
  int64_t BeginWith(int32_t storage, ByteRange bytes) const {
    return std::min(begin_[static_cast<size_t>(storage)], bytes.begin);
  }
  // Nobody writes into it any more: its final content has been committed.
  void Seal(int32_t storage) { sealed_[static_cast<size_t>(storage)] = 1; }
  bool Sealed(int32_t storage) const { return sealed_[static_cast<size_t>(storage)] != 0; }

  WishKind JoinedBy(ValueId root) const { return sharing_.joined_by[root.index()]; }
  void ElideMovement(OpId op) { sharing_.elided[op.index()] = 1; }
  bool Elided(OpId op) const { return sharing_.elided[op.index()] != 0; }
  void AddMovement(Note note) { sharing_.movements.push_back(std::move(note)); }
  void LieOnBase(ValueId v) { sharing_.on_base[v.index()] = 1; }
  bool OnBase(ValueId v) const { return sharing_.on_base[v.index()] != 0; }
  void AddOrder(OrderEdge edge) { sharing_.added_order.push_back(edge); }
  void AddRefusal(Note note) { sharing_.refusals.push_back(std::move(note)); }

  // The alignment that a root and its readers demand.
  int64_t AlignmentOf(ValueId root) const {
    return std::max(graph_.value(root).alignment_bytes, alignment_.empty() ? 1 : alignment_[root.index()]);
  }
  // Whether `result` in a storage contradicts no pin, its own, the storage's or anybody else's.
  bool PinsAgree(ValueId result, int32_t storage, const Expr& offset, ByteRange bytes) const;
  // A value that lies in these bytes and is declared disjoint from `result`.
  std::optional<ValueId> DisjointFrom(ValueId result, int32_t storage, ByteRange bytes) const;

 private:
  void CountFromFirstByte();

  const Graph& graph_;
  const Schedule& schedule_;
  const Uses& uses_;
  Sharing sharing_;
  std::vector<ByteTimeline> timelines_;  // of the storages that somebody asked about
  std::vector<int32_t> timeline_;        // by storage, into timelines_; -1: nobody did
  std::vector<ValueId> first_, last_;    // by storage: the roots that joined first and last; -1: nobody
  std::vector<ValueId> next_;            // by root: who joined next; itself for the last one
  std::vector<char> sealed_;             // by storage
  std::vector<int64_t> begin_;           // by storage, see BeginWith()
  std::vector<int32_t> reserved_;        // by value: the storage reserved for it; -1: none
  std::vector<std::pair<int32_t, ValueId>> reservations_;
  std::vector<ByteRange> range_;                       // by root: bytes of its storage it may occupy
  std::vector<int64_t> alignment_;                     // by root: what its readers demand; empty: nothing
  std::vector<std::pair<ValueId, ValueId>> disjoint_;  // (root, value whose bytes it must not meet), sorted
  std::vector<std::pair<ByteRange, ValueId>> pinned_;  // pinned roots and their place in the arena
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_SHARING_STORAGE_TABLE_H_
