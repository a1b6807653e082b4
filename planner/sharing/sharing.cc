#include "planner/sharing/sharing.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "ir/expr_proof.h"
#include "ir/region.h"
#include "planner/liveness/overwritten.h"
#include "planner/sharing/byte_timeline.h"
#include "planner/sharing/ownership.h"

namespace bufplan {
namespace {

// A place that a result might take: bytes of a storage, seen from the storage's first byte.
struct Wish {
  ValueId result;
  ValueId target;  // the base or the operand
  bool base = false;
  InPlaceMode mode = InPlaceMode::kSameIndex;
  const Write* write = nullptr;
};

// Why a wish was refused.
struct Refusal {
  Why why;
  std::optional<ValueId> other;
  std::optional<int32_t> blocker;  // time
};

// The bytes of a storage that a wish's op overwrites.
struct Written {
  ByteRange span;          // none outside
  bool all_of_it = false;  // and every one inside, for all symbol values
};

class Sharer {
 public:
  Sharer(const Graph& graph, const Schedule& schedule, const Uses& uses, Ownership& ownership)
      : g_(graph), schedule_(schedule), uses_(uses), ownership_(ownership) {}

  // True: done. False: a variable was locked, start again.
  absl::StatusOr<bool> Run();
  Sharing&& Take() { return std::move(out_); }

 private:
  void PlaceStartValues();
  void ShareUnit(int32_t time);
  void ShareResult(int32_t time, const Write& w);
  void ShareInPlace(int32_t time);
  absl::StatusOr<bool> Commit(int32_t time, const Op& op);

  std::optional<Refusal> TryGrant(int32_t time, const Wish& wish);
  Written WrittenBytes(const Wish& wish, const Expr& offset, ByteRange bytes) const;
  std::optional<Refusal> Place(const Wish& wish, int32_t storage, const Expr& offset, ByteRange bytes);
  std::optional<Refusal> Blocked(int32_t time, int32_t storage, ByteRange bytes);
  std::optional<Refusal> OwnUse(int32_t time, const Wish& wish, int32_t storage, const Expr& offset, ByteRange bytes);
  bool StaysInPlace(const Op& op, const Read& r, const Wish& wish, int32_t storage, const Expr& offset) const;
  bool ProvenApart(int32_t time, int32_t storage, const Expr& offset, const Wish& wish);
  std::optional<Refusal> OverwrittenMeanwhile(const Wish& wish, int32_t storage, ByteRange bytes,
                                              const Written& written);
  bool PinsAgree(ValueId result, int32_t storage, const Expr& offset, ByteRange bytes);
  bool Permitted(int32_t time, const Wish& wish, const Expr& offset, ValueId operand);

  int32_t NewStorage(ValueId v, std::optional<ValueId> owner);
  void Join(ValueId v, int32_t storage, const Expr& offset, ByteRange bytes);
  ByteTimeline& TimelineOf(int32_t storage);
  // Where the root or view v lies in its storage.
  Expr OffsetOf(ValueId v) const {
    const ValueId root = uses_.root(v);
    const Expr& at = out_.offset_of[root.index()];
    return root == v ? at : at + uses_.offset(v);
  }
  int32_t StorageOf(ValueId v) const { return out_.storage_of[uses_.root(v).index()]; }
  // Bytes of the root `v`, in its storage, that the range `r` of the root may lie in.
  ByteRange InStorage(ValueId root, ByteRange r) const {
    const ByteRange at = range_in_storage_[root.index()];
    return out_.offset_of[root.index()].is_constant() ? ByteRange{at.begin + r.begin, at.begin + r.end}
                                                      : ByteRange{at.begin + r.begin, at.end};
  }
  bool Own(ValueId v, int32_t time) const {
    const std::optional<OpId> producer = g_.producer(v);
    return producer.has_value() && schedule_.TimeOf(*producer) == time;
  }
  void Refuse(int32_t time, const Wish& wish, Refusal refusal);
  bool IsAncestor(ValueId ancestor, ValueId v) const;
  int64_t AlignmentOf(ValueId root) const {
    return std::max(g_.value(root).alignment_bytes, alignment_.empty() ? 1 : alignment_[root.index()]);
  }
  void FindOperandAlignments();

  const Graph& g_;
  const Schedule& schedule_;
  const Uses& uses_;
  Ownership& ownership_;
  Sharing out_;
  std::vector<ByteTimeline> timeline_;                   // by storage; made at the first wish
  std::vector<ValueId> first_, last_, next_;             // roots of a storage: first and last by storage, next by value
  std::vector<ValueId> tip_;                             // by storage: the version written last
  std::vector<char> linear_;                             // by storage: every version builds on the one before
  std::vector<ByteRange> range_in_storage_;              // by root: bytes of its storage it may occupy
  std::vector<int64_t> alignment_;                       // by root: what its readers demand; empty: nothing
  std::vector<std::pair<int32_t, ValueId>> kept_until_;  // keep-alives by time
  std::vector<std::pair<ValueId, ValueId>> disjoint_;    // (root, value its bytes must not meet)
  std::vector<std::pair<ByteRange, ValueId>> pinned_;    // pinned roots, at their place in the arena
  int64_t proof_budget_ = 0;                             // uses that may still be looked at one by one
};

absl::StatusOr<bool> Sharer::Run() {
  const size_t n = g_.values().size();
  out_.storage_of.assign(n, Sharing::kNoStorage);
  out_.offset_of.resize(n);
  out_.on_base.assign(n, 0);
  next_.resize(n);
  range_in_storage_.resize(n);
  out_.storages.reserve(n);
  proof_budget_ = 1000000 + 64 * static_cast<int64_t>(g_.ops().size());
  FindOperandAlignments();
  for (const KeepAlive& k : g_.keep_alive()) kept_until_.emplace_back(schedule_.TimeOf(k.until), k.value);
  std::sort(kept_until_.begin(), kept_until_.end());
  for (const DisjointPair& d : g_.disjoint()) {
    disjoint_.emplace_back(uses_.root(d.a), d.b);
    disjoint_.emplace_back(uses_.root(d.b), d.a);
  }
  std::sort(disjoint_.begin(), disjoint_.end());
  PlaceStartValues();
  for (int32_t t = 0; t < schedule_.End(); ++t) {
    ShareUnit(t);
    const Op& op = g_.op(OpId(t));
    if (op.kind != OpKind::kCommit) continue;
    const absl::StatusOr<bool> done = Commit(t, op);
    if (!done.ok() || !*done) return done;
  }
  for (size_t i = 0; i < n; ++i) {
    const ValueId v(static_cast<int32_t>(i));
    if (uses_.is_root(v)) continue;
    out_.storage_of[i] = StorageOf(v);
    out_.offset_of[i] = OffsetOf(v);
  }
  std::sort(out_.added_order.begin(), out_.added_order.end());
  out_.added_order.erase(std::unique(out_.added_order.begin(), out_.added_order.end()), out_.added_order.end());
  return true;
}

// An operand that must lie at a multiple of something makes its root do so.
void Sharer::FindOperandAlignments() {
  for (const Op& op : g_.ops()) {
    for (const Read& r : g_.reads(op)) {
      if (r.offset_multiple <= 1) continue;
      alignment_.resize(g_.values().size(), 1);
      int64_t& a = alignment_[uses_.root(r.value).index()];
      a = std::max(a, r.offset_multiple);
    }
  }
}

void Sharer::PlaceStartValues() {
  for (size_t i = 0; i < g_.values().size(); ++i) {
    const ValueId v(static_cast<int32_t>(i));
    const Value& value = g_.values()[i];
    if (value.pinned_offset_bytes.has_value()) {
      pinned_.emplace_back(ByteRange{*value.pinned_offset_bytes, *value.pinned_offset_bytes + value.max_bytes}, v);
    }
    if (value.role == Role::kTransient) continue;
    NewStorage(v, value.role == Role::kInput ? std::nullopt : std::optional<ValueId>(v));
  }
}

int32_t Sharer::NewStorage(ValueId v, std::optional<ValueId> owner) {
  const Value& value = g_.value(v);
  const int32_t id = static_cast<int32_t>(out_.storages.size());
  Storage& s = out_.storages.emplace_back();
  s.owner = owner;
  s.space = value.space;
  s.size_bytes = value.max_bytes;
  s.alignment_bytes = AlignmentOf(v);
  s.pinned_offset_bytes = value.pinned_offset_bytes;
  timeline_.emplace_back();
  first_.push_back(v);
  last_.push_back(v);
  tip_.push_back(v);
  linear_.push_back(1);
  out_.storage_of[v.index()] = id;
  range_in_storage_[v.index()] = {0, value.max_bytes};
  next_[v.index()] = v;
  return id;
}

ByteTimeline& Sharer::TimelineOf(int32_t storage) {
  ByteTimeline& timeline = timeline_[static_cast<size_t>(storage)];
  if (timeline.size() == 0) {
    const ValueId v = first_[static_cast<size_t>(storage)];
    const std::optional<OpId> producer = g_.producer(v);
    const int32_t time = producer.has_value() ? schedule_.TimeOf(*producer) : Schedule::kStart;
    timeline = ByteTimeline(g_.value(v).max_bytes, v, time);
    for (const Use& use : uses_.of(v)) timeline.Use(use.range, use.time, schedule_);
  }
  return timeline;
}

// Results with a base first, then in-place wishes, then storages of their own.
void Sharer::ShareUnit(int32_t time) {
  const absl::Span<const OpId> unit = schedule_.UnitAt(time);
  bool wishes = schedule_.FusionAt(time).has_value();
  for (OpId o : unit) {
    for (const Write& w : g_.writes(g_.op(o))) {
      if (!uses_.is_root(w.value) || schedule_.Swallowed(w.value)) continue;
      wishes = wishes || w.num_in_place > 0;
      if (w.base.has_value()) ShareResult(time, w);
    }
  }
  if (wishes) ShareInPlace(time);
  for (OpId o : unit) {
    for (const Write& w : g_.writes(g_.op(o))) {
      if (!uses_.is_root(w.value) || schedule_.Swallowed(w.value)) continue;
      if (out_.storage_of[w.value.index()] == Sharing::kNoStorage) NewStorage(w.value, std::nullopt);
    }
  }
}

void Sharer::ShareResult(int32_t time, const Write& w) {
  if (schedule_.FusionAt(time).has_value() && Own(*w.base, time)) return;  // written whole by the group
  if (g_.value(w.value).max_bytes == 0) return;                            // nothing to carry
  const Wish wish{w.value, *w.base, true, InPlaceMode::kAny, &w};
  if (std::optional<Refusal> refusal = TryGrant(time, wish)) {
    Refuse(time, wish, *refusal);
    NewStorage(w.value, std::nullopt);
    return;
  }
  out_.on_base[w.value.index()] = 1;
}

void Sharer::ShareInPlace(int32_t time) {
  absl::InlinedVector<Wish, 8> wishes;
  const auto add = [&](const Write& w, ValueId operand, InPlaceMode mode) {
    const bool placed = out_.storage_of[w.value.index()] != Sharing::kNoStorage;
    const bool bytes = g_.value(w.value).max_bytes > 0 && g_.value(operand).max_bytes > 0;
    if (!placed && bytes && !schedule_.Swallowed(operand)) wishes.push_back({w.value, operand, false, mode, &w});
  };
  const std::optional<FusionId> fusion = schedule_.FusionAt(time);
  for (OpId o : schedule_.UnitAt(time)) {
    for (const Write& w : g_.writes(g_.op(o))) {
      if (!uses_.is_root(w.value) || schedule_.Swallowed(w.value)) continue;
      if (!fusion.has_value()) {
        for (const InPlace& p : g_.in_place(w)) add(w, p.value, p.mode);
      } else {
        for (const FusionInPlace& p : g_.fusions()[fusion->index()].in_place) {
          if (p.result == w.value && !Own(p.value, time)) add(w, p.value, p.mode);
        }
      }
    }
  }
  const auto saved = [&](const Wish& w) {
    return std::min(g_.value(w.result).max_bytes, g_.value(w.target).max_bytes);
  };
  std::stable_sort(wishes.begin(), wishes.end(), [&](const Wish& a, const Wish& b) {
    return std::make_tuple(-saved(a), g_.value(a.target).max_bytes) <
           std::make_tuple(-saved(b), g_.value(b.target).max_bytes);
  });
  for (const Wish& wish : wishes) {
    const int32_t taken = out_.storage_of[wish.result.index()];
    if (taken != Sharing::kNoStorage) {
      if (StorageOf(wish.target) != taken) Refuse(time, wish, {Why::kBetterOperand, std::nullopt, std::nullopt});
    } else if (std::optional<Refusal> refusal = TryGrant(time, wish)) {
      Refuse(time, wish, *refusal);
    }
  }
}

void Sharer::Refuse(int32_t time, const Wish& wish, Refusal refusal) {
  Note& note = out_.refusals.emplace_back();
  note.op = OpId(time);
  note.why = refusal.why;
  note.result = wish.result;
  note.value = wish.target;
  note.other = refusal.other;
  if (refusal.blocker.has_value() && *refusal.blocker != schedule_.End()) note.blocker = OpId(*refusal.blocker);
}

// Grants the wish, or says why not; then nothing has changed.
std::optional<Refusal> Sharer::TryGrant(int32_t time, const Wish& wish) {
  const Value& result = g_.value(wish.result);
  const int32_t storage = StorageOf(wish.target);
  const Expr offset = OffsetOf(wish.target);
  ByteRange bytes;
  if (offset.is_constant()) {
    bytes = {offset.constant(), offset.constant() + result.max_bytes};
  } else {
    const ValueId root = uses_.root(wish.target);
    bytes = {InStorage(root, uses_.range(wish.target)).begin, out_.storages[static_cast<size_t>(storage)].size_bytes};
  }
  if (std::optional<Refusal> refusal = Place(wish, storage, offset, bytes)) return refusal;
  const Written written = WrittenBytes(wish, offset, bytes);
  if (std::optional<Refusal> refusal = OwnUse(time, wish, storage, offset, written.span)) return refusal;
  std::optional<Refusal> blocked = Blocked(time, storage, written.span);
  const bool proven = blocked.has_value() && linear_[static_cast<size_t>(storage)] &&
                      tip_[static_cast<size_t>(storage)] == uses_.root(wish.target) &&
                      ProvenApart(time, storage, offset, wish);
  if (blocked.has_value() && !proven) return blocked;
  if (wish.base) {
    if (std::optional<Refusal> refusal = OverwrittenMeanwhile(wish, storage, bytes, written)) return refusal;
  }
  ByteTimeline& timeline = TimelineOf(storage);
  if (proven) {
    timeline.WriteSome(written.span, wish.result, time, schedule_);
  } else {
    timeline.Write(written.span, wish.result, time);
  }
  Join(wish.result, storage, offset, bytes);
  for (const Use& use : uses_.of(wish.result)) {
    timeline.Use(InStorage(wish.result, use.range), use.time, schedule_);
  }
  return std::nullopt;
}

Written Sharer::WrittenBytes(const Wish& wish, const Expr& offset, ByteRange bytes) const {
  if (!offset.is_constant()) return {bytes, false};
  if (!wish.base) return {bytes, g_.value(wish.result).bytes.is_constant()};
  const OverwrittenBytes o = Overwritten(g_, *g_.producer(wish.result), *wish.write);
  return {{bytes.begin + o.span.begin, bytes.begin + o.span.end}, o.exact};
}

void Sharer::Join(ValueId v, int32_t storage, const Expr& offset, ByteRange bytes) {
  const size_t s = static_cast<size_t>(storage);
  out_.storage_of[v.index()] = storage;
  out_.offset_of[v.index()] = offset;
  range_in_storage_[v.index()] = bytes;
  Storage& st = out_.storages[s];
  st.size_bytes = std::max(st.size_bytes, bytes.end);
  st.alignment_bytes = std::max(st.alignment_bytes, AlignmentOf(v));
  if (!st.pinned_offset_bytes.has_value() && g_.value(v).pinned_offset_bytes.has_value()) {
    st.pinned_offset_bytes = *g_.value(v).pinned_offset_bytes - bytes.begin;
  }
  next_[last_[s].index()] = v;
  next_[v.index()] = v;
  last_[s] = v;
  tip_[s] = v;
}

// What does not depend on time: ownership, memory, size, alignment, pins, disjointness.
std::optional<Refusal> Sharer::Place(const Wish& wish, int32_t storage, const Expr& offset, ByteRange bytes) {
  const Storage& s = out_.storages[static_cast<size_t>(storage)];
  const Value& result = g_.value(wish.result);
  if (s.owner.has_value()) {
    if (std::optional<Why> why = ownership_.Refuses(*s.owner, wish.result)) return Refusal{*why, *s.owner, {}};
  }
  if (!wish.base) {
    const Value& operand = g_.value(wish.target);
    if (!g_.SameMemory(operand.space, result.space) || s.space != result.space)
      return Refusal{Why::kOtherSpace, {}, {}};
    if (wish.mode == InPlaceMode::kSameIndex && !ProveLessEqual(result.bytes, operand.bytes, g_.symbols())) {
      return Refusal{Why::kOutgrows, {}, {}};
    }
    if (s.owner.has_value() && bytes.end > s.size_bytes) return Refusal{Why::kOutgrows, {}, {}};
    const std::optional<int64_t> limit = g_.space(s.space).max_allocation_bytes;
    if (!offset.is_constant() && !ProveLessEqual(result.bytes, operand.bytes, g_.symbols())) {
      return Refusal{Why::kOutgrows, {}, {}};
    }
    if (limit.has_value() && !s.owner.has_value() && bytes.end > *limit) return Refusal{Why::kOutgrows, {}, {}};
  }
  const Op& op = g_.op(*g_.producer(wish.result));
  if (op.elide == Elide::kNever && op.kind != OpKind::kCompute) {
    for (const Read& r : g_.reads(op)) {
      if (StorageOf(r.value) == storage) return Refusal{Why::kNeverElide, {}, {}};
    }
  }
  if (!ProveMultipleOf(offset, AlignmentOf(wish.result), g_.symbols())) return Refusal{Why::kMisaligned, {}, {}};
  if (!PinsAgree(wish.result, storage, offset, bytes)) return Refusal{Why::kPinned, {}, {}};
  auto pair = std::lower_bound(disjoint_.begin(), disjoint_.end(), std::make_pair(wish.result, ValueId(0)));
  for (; pair != disjoint_.end() && pair->first == wish.result; ++pair) {
    if (StorageOf(pair->second) != storage) continue;
    const ByteRange other = InStorage(uses_.root(pair->second), uses_.range(pair->second));
    if (other.Meets(bytes)) return Refusal{Why::kDisjoint, pair->second, {}};
  }
  return std::nullopt;
}

bool Sharer::PinsAgree(ValueId result, int32_t storage, const Expr& offset, ByteRange bytes) {
  const Storage& s = out_.storages[static_cast<size_t>(storage)];
  const std::optional<int64_t>& pin = g_.value(result).pinned_offset_bytes;
  if (!pin.has_value() && !s.pinned_offset_bytes.has_value()) return true;
  if (s.owner.has_value() || !offset.is_constant()) return false;
  if (pin.has_value() && s.pinned_offset_bytes.has_value()) return *pin == *s.pinned_offset_bytes + bytes.begin;
  // One of the two becomes pinned; that must not take bytes away from anything else that is pinned.
  constexpr size_t kMaxCompared = 64;
  if (pinned_.size() > kMaxCompared) return false;
  const int64_t base = pin.has_value() ? *pin - bytes.begin : *s.pinned_offset_bytes;
  const ByteRange place = {base, base + std::max(s.size_bytes, bytes.end)};
  if (base < 0 || base % std::max(s.alignment_bytes, AlignmentOf(result)) != 0) return false;
  return std::none_of(pinned_.begin(), pinned_.end(), [&](const auto& p) {
    return p.first.Meets(place) && p.second != result && StorageOf(p.second) != storage;
  });
}

// The first use of what lies in `bytes` that is not over when the unit at `time` writes there.
std::optional<Refusal> Sharer::Blocked(int32_t time, int32_t storage, ByteRange bytes) {
  if (bytes.empty()) return std::nullopt;
  ByteTimeline& timeline = TimelineOf(storage);
  std::optional<Refusal> found;
  const auto look = [&](const Frontier& uses, ValueId writer) {
    if (found.has_value()) return;
    const std::optional<int32_t> t = uses.NotBefore(time, schedule_);
    if (!t.has_value() || *t == time) return;
    const Why why = *t == schedule_.End()        ? Why::kOldContentKept
                    : schedule_.Before(time, *t) ? Why::kOldContentRead
                                                 : Why::kUnordered;
    found = Refusal{why, writer, *t};
  };
  timeline.ForEach(bytes, [&](ByteRange, const Segment& s) {
    look(s.uses, s.writer);
    // What this very unit wrote already is another result of it.
    if (!found.has_value() && Own(s.writer, time)) found = Refusal{Why::kOwnOperand, s.writer, time};
  });
  look(timeline.whole(), tip_[static_cast<size_t>(storage)]);
  return found;
}

bool Sharer::Permitted(int32_t time, const Wish& wish, const Expr& offset, ValueId operand) {
  const auto allows = [&](ValueId value, InPlaceMode mode) {
    if (value != operand) return false;
    if (mode == InPlaceMode::kAny) return true;
    return OffsetOf(operand) == offset &&
           ProveLessEqual(g_.value(wish.result).bytes, g_.value(operand).bytes, g_.symbols());
  };
  if (const std::optional<FusionId> fusion = schedule_.FusionAt(time)) {
    const std::vector<FusionInPlace>& in_place = g_.fusions()[fusion->index()].in_place;
    return std::any_of(in_place.begin(), in_place.end(),
                       [&](const FusionInPlace& p) { return p.result == wish.result && allows(p.value, p.mode); });
  }
  const absl::Span<const InPlace> in_place = g_.in_place(*wish.write);
  return std::any_of(in_place.begin(), in_place.end(), [&](const InPlace& p) { return allows(p.value, p.mode); });
}

// The bytes that a wish's op writes at `offset`, as regions of the storage.
absl::InlinedVector<Region, 1> WrittenRegions(const Graph& g, const Wish& wish, const Expr& offset) {
  const Region whole{offset, g.value(wish.result).bytes, {}};
  if (!wish.base) return {whole};
  const auto placed = [&](RegionId id) {
    Region r = g.region(id);
    r.at += offset;
    return r;
  };
  const Op& op = g.op(*g.producer(wish.result));
  if (op.kind == OpKind::kCompute || op.kind == OpKind::kFill) {
    return {wish.write->region.has_value() ? placed(*wish.write->region) : whole};
  }
  absl::InlinedVector<Region, 1> regions;
  for (const Read& r : g.reads(op)) regions.push_back(r.to_region.has_value() ? placed(*r.to_region) : whole);
  return regions;
}

// A part of a data movement whose source is its destination: it is not executed.
bool Sharer::StaysInPlace(const Op& op, const Read& r, const Wish& wish, int32_t storage, const Expr& offset) const {
  if (!wish.base || op.kind == OpKind::kCompute || StorageOf(r.value) != storage) return false;
  Region from = r.region.has_value() ? g_.region(*r.region) : Region{0, g_.value(r.value).bytes, {}};
  Region to = r.to_region.has_value() ? g_.region(*r.to_region) : Region{0, g_.value(wish.result).bytes, {}};
  from.at += OffsetOf(r.value);
  to.at += offset;
  return from == to;
}

// A use by the unit itself of what it would overwrite, that it does not declare.
std::optional<Refusal> Sharer::OwnUse(int32_t time, const Wish& wish, int32_t storage, const Expr& offset,
                                      ByteRange bytes) {
  absl::InlinedVector<Region, 1> written;
  const auto clashes = [&](ValueId v, ByteRange range, std::optional<RegionId> region) {
    if (StorageOf(v) != storage || !InStorage(uses_.root(v), range).Meets(bytes)) return false;
    if (written.empty()) written = WrittenRegions(g_, wish, offset);
    Region read{OffsetOf(v), g_.value(v).bytes, {}};
    if (region.has_value()) {
      read = g_.region(*region);
      read.at += OffsetOf(v);
    }
    return !std::all_of(written.begin(), written.end(),
                        [&](const Region& w) { return ProveRegionsDisjoint(w, read, g_.symbols()); });
  };
  for (OpId o : schedule_.UnitAt(time)) {
    const Op& op = g_.op(o);
    if (op.kind == OpKind::kView) continue;
    for (const Read& r : g_.reads(op)) {
      if (StorageOf(r.value) != storage || Own(r.value, time) || StaysInPlace(op, r, wish, storage, offset)) continue;
      const ByteRange at = uses_.range(r.value);
      const ByteRange range =
          uses_.offset(r.value).is_constant() ? ByteRange{at.begin + r.span.begin, at.begin + r.span.end} : at;
      if (!Permitted(time, wish, offset, r.value) && clashes(r.value, range, r.region)) {
        return Refusal{Why::kOwnOperand, r.value, time};
      }
    }
    for (const Write& w : g_.writes(op)) {
      if (!w.base.has_value() || w.value == wish.result || Own(*w.base, time)) continue;
      if (clashes(*w.base, uses_.range(*w.base), std::nullopt)) return Refusal{Why::kOwnOperand, *w.base, time};
    }
  }
  auto kept = std::lower_bound(kept_until_.begin(), kept_until_.end(), std::make_pair(time, ValueId(0)));
  for (; kept != kept_until_.end() && kept->first == time; ++kept) {
    if (kept->second == wish.result || StorageOf(kept->second) == Sharing::kNoStorage) continue;
    if (clashes(kept->second, uses_.range(kept->second), std::nullopt)) {
      return Refusal{Why::kOldContentRead, kept->second, time};
    }
  }
  return std::nullopt;
}

// Every use and write in the storage that is not over at `time` is proven to touch other bytes than the wish's op
// writes, for all symbol values.
bool Sharer::ProvenApart(int32_t time, int32_t storage, const Expr& offset, const Wish& wish) {
  const absl::InlinedVector<Region, 1> written = WrittenRegions(g_, wish, offset);
  const bool plain = g_.symbols().empty() &&
                     std::all_of(written.begin(), written.end(), [](const Region& r) { return r.contiguous(); });
  if (plain && written.size() == 1) return false;  // the timeline was exact
  const auto apart = [&](const Region& region) {
    return std::all_of(written.begin(), written.end(),
                       [&](const Region& w) { return ProveRegionsDisjoint(w, region, g_.symbols()); });
  };
  for (ValueId v = first_[static_cast<size_t>(storage)];; v = next_[v.index()]) {
    const std::optional<OpId> producer = g_.producer(v);
    const int32_t born = producer.has_value() ? schedule_.TimeOf(*producer) : Schedule::kStart;
    if (born == time || !schedule_.Before(born, time)) return false;
    for (const Use& use : uses_.of(v)) {
      if (--proof_budget_ < 0) return false;
      if (use.time == time || schedule_.Before(use.time, time)) continue;
      Region region = uses_.RegionOf(use);
      region.at += out_.offset_of[v.index()];
      if (!apart(region)) return false;
    }
    if (next_[v.index()] == v) return true;
  }
}

bool Sharer::IsAncestor(ValueId ancestor, ValueId v) const {
  constexpr int kMaxSteps = 4096;
  for (int steps = 0; steps < kMaxSteps; ++steps) {
    v = uses_.root(v);
    if (v == ancestor) return true;
    const std::optional<OpId> producer = g_.producer(v);
    if (!producer.has_value()) return false;
    std::optional<ValueId> base;
    for (const Write& w : g_.writes(g_.op(*producer))) {
      if (w.value == v) base = w.base;
    }
    if (!base.has_value() || !out_.on_base[v.index()]) return false;
    v = *base;
  }
  return false;
}

// The bytes that the result takes over from its base must still be the base's: no other version has overwritten them.
std::optional<Refusal> Sharer::OverwrittenMeanwhile(const Wish& wish, int32_t storage, ByteRange bytes,
                                                    const Written& written) {
  const size_t s = static_cast<size_t>(storage);
  const ValueId base = uses_.root(wish.target);
  if (linear_[s] && tip_[s] == base) return std::nullopt;
  std::optional<Refusal> found;
  TimelineOf(storage).ForEach(bytes, [&](ByteRange at, const Segment& segment) {
    if (found.has_value() || (written.all_of_it && written.span.Contains(at))) return;
    if (IsAncestor(segment.writer, base)) return;
    const std::optional<OpId> op = g_.producer(segment.writer);
    found = Refusal{Why::kOverwrittenMeanwhile, segment.writer,
                    op.has_value() ? std::optional<int32_t>(op->value) : std::nullopt};
  });
  if (!found.has_value()) linear_[s] = 0;
  return found;
}

// A commit whose source lies elsewhere overwrites the target's storage when it runs.
absl::StatusOr<bool> Sharer::Commit(int32_t time, const Op& op) {
  const ValueId target = *op.commit_target, source = g_.reads(op)[0].value;
  const int32_t storage = out_.storage_of[target.index()];
  if (StorageOf(source) == storage && OffsetOf(source) == Expr(0)) {
    ByteTimeline& timeline = TimelineOf(storage);
    timeline.Use({0, timeline.size()}, schedule_.End(), schedule_);  // what is committed stays
    return true;
  }
  std::optional<int32_t> late;
  const auto look = [&](const Frontier& uses) {
    uses.ForEach([&](int32_t t) {
      if (t == time || schedule_.Before(t, time)) return;
      if (t < time) {
        out_.added_order.push_back({OpId(t), OpId(time)});
      } else if (!late.has_value()) {
        late = t;
      }
    });
  };
  ByteTimeline& timeline = TimelineOf(storage);
  timeline.ForEach({0, timeline.size()}, [&](ByteRange, const Segment& s) { look(s.uses); });
  look(timeline.whole());
  if (!late.has_value()) return true;
  if (first_[static_cast<size_t>(storage)] != last_[static_cast<size_t>(storage)]) {
    ownership_.Lock(target);
    return false;
  }
  const std::string reader = *late == schedule_.End() ? std::string("the end of the graph, where it is an output,")
                                                      : absl::StrCat("op \"", g_.name(OpId(*late)), "\"");
  return absl::InvalidArgumentError(
      absl::StrCat(ToString(g_.value(target).role), " \"", g_.name(target), "\": ", reader,
                   " needs its old content after op \"", g_.name(OpId(time)), "\" has committed \"", g_.name(source),
                   "\" to it; list the reader before the commit, or clone \"", g_.name(target), "\" first"));
}

}  // namespace

absl::StatusOr<Sharing> ShareStorages(const Graph& graph, const Schedule& schedule, const Uses& uses) {
  Ownership ownership(graph);
  while (true) {  // each round but the last locks a variable
    Sharer sharer(graph, schedule, uses, ownership);
    const absl::StatusOr<bool> done = sharer.Run();
    if (!done.ok()) return done.status();
    if (*done) return sharer.Take();
  }
}

}  // namespace bufplan
