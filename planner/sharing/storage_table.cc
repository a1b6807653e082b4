#include "planner/sharing/storage_table.h"

namespace bufplan {
StorageTable::StorageTable(const Graph& graph, const Schedule& schedule, const Uses& uses)
    : graph_(graph), schedule_(schedule), uses_(uses) {
  const size_t n = graph.values().size();
  sharing_.storage_of.assign(n, Sharing::kNoStorage);
  sharing_.offset_of.resize(n);
  sharing_.on_base.assign(n, 0);
  sharing_.elided.assign(graph.ops().size(), 0);
  sharing_.joined_by.assign(n, WishKind::kNone);
  sharing_.storages.reserve(n);
  timelines_.reserve(n / 4);
  next_.resize(n);
  range_.resize(n);
  for (const Op& op : graph.ops()) {
    for (const Read& r : graph.reads(op)) {
      if (r.offset_multiple <= 1) continue;
      alignment_.resize(n, 1);
      int64_t& a = alignment_[uses.root(r.value).index()];
      a = std::max(a, r.offset_multiple);
    }
  }
  for (const DisjointPair& d : graph.disjoint()) {
    disjoint_.emplace_back(uses.root(d.a), d.b);
    disjoint_.emplace_back(uses.root(d.b), d.a);
  }
  std::sort(disjoint_.begin(), disjoint_.end());
  for (size_t i = 0; i < n; ++i) {
    const ValueId v(static_cast<int32_t>(i));
    const Value& value = graph.values()[i];
    if (const std::optional<int64_t>& pin = value.pinned_offset_bytes) {
      pinned_.emplace_back(ByteRange{*pin, *pin + value.max_bytes}, v);
    }
  }
  for (size_t i = 0; i < n; ++i) {
    const Role role = graph.values()[i].role;
    const ValueId v(static_cast<int32_t>(i));
    if (role != Role::kTransient && role != Role::kInput) Create(v, v);
  }
}

void StorageTable::Create(ValueId v, std::optional<ValueId> owner) {
  const Value& value = graph_.value(v);
  sharing_.storage_of[v.index()] = static_cast<int32_t>(sharing_.storages.size());
  Storage& s = sharing_.storages.emplace_back();
  s.owner = owner;
  s.space = value.space;
  s.size_bytes = value.max_bytes;
  s.alignment_bytes = AlignmentOf(v);
  s.pinned_offset_bytes = value.pinned_offset_bytes;
  timeline_.push_back(-1);
  first_.push_back(v);
  last_.push_back(v);
  next_[v.index()] = v;
  sealed_.push_back(0);
  begin_.push_back(0);
  range_[v.index()] = {0, value.max_bytes};
}

int32_t StorageTable::Reserve(ValueId v) {
  const int32_t id = static_cast<int32_t>(sharing_.storages.size());
  Storage& s = sharing_.storages.emplace_back();
  s.space = graph_.value(v).space;
  s.alignment_bytes = AlignmentOf(v);
  timeline_.push_back(static_cast<int32_t>(timelines_.size()));
  timelines_.emplace_back(graph_.value(v).max_bytes);
  first_.push_back(ValueId(-1));
  last_.push_back(ValueId(-1));
  sealed_.push_back(0);
  begin_.push_back(0);
  if (reserved_.empty()) reserved_.assign(graph_.values().size(), -1);
  reserved_[v.index()] = id;
  reservations_.emplace_back(id, v);
  return id;
}

void StorageTable::Join(ValueId v, int32_t storage, const Region& place, ByteRange bytes, WishKind by) {
  const size_t s = static_cast<size_t>(storage);
  sharing_.storage_of[v.index()] = storage;
  sharing_.offset_of[v.index()] = place.at;
  sharing_.joined_by[v.index()] = by;
  range_[v.index()] = bytes;
  if (!place.contiguous()) {
    sharing_.strides.resize(graph_.values().size());
    sharing_.strides[v.index()] = std::make_shared<const Strides>(Strides{place.run_bytes, place.dims});
  }
  Storage& st = sharing_.storages[s];
  st.size_bytes = std::max(st.size_bytes, bytes.end);
  begin_[s] = std::min(begin_[s], bytes.begin);
  st.alignment_bytes = std::max(st.alignment_bytes, AlignmentOf(v));
  if (!st.pinned_offset_bytes.has_value() && graph_.value(v).pinned_offset_bytes.has_value()) {
    st.pinned_offset_bytes = *graph_.value(v).pinned_offset_bytes - bytes.begin;
  }
  next_[v.index()] = v;
  if (first_[s].value < 0) {
    first_[s] = v;
  } else {
    next_[last_[s].index()] = v;
  }
  last_[s] = v;
}

ByteTimeline& StorageTable::TimelineOf(int32_t storage) {
  int32_t& id = timeline_[static_cast<size_t>(storage)];
  if (id < 0) {
    id = static_cast<int32_t>(timelines_.size());
    const ValueId v = first_[static_cast<size_t>(storage)];
    const std::optional<OpId> producer = graph_.producer(v);
    const int32_t time = producer.has_value() ? schedule_.TimeOf(*producer) : Schedule::kStart;
    ByteTimeline& timeline = timelines_.emplace_back(graph_.value(v).max_bytes, v, time);
    for (const Use& use : uses_.of(v)) timeline.Use(use.range, use.time, schedule_);
  }
  return timelines_[static_cast<size_t>(id)];
}

bool StorageTable::PinsAgree(ValueId result, int32_t storage, const Expr& offset, ByteRange bytes) const {
  const Storage& s = this->storage(storage);
  const std::optional<int64_t>& pin = graph_.value(result).pinned_offset_bytes;
  if (!pin.has_value() && !s.pinned_offset_bytes.has_value()) return true;
  if (s.owner.has_value() || !offset.is_constant() || BeginWith(storage, bytes) < 0) return false;
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

std::optional<ValueId> StorageTable::DisjointFrom(ValueId result, int32_t storage, ByteRange bytes) const {
  auto pair = std::lower_bound(disjoint_.begin(), disjoint_.end(), std::make_pair(result, ValueId(0)));
  for (; pair != disjoint_.end() && pair->first == result; ++pair) {
    const ValueId other = pair->second;
    if (StorageOf(other) == storage && InStorage(uses_.root(other), uses_.range(other)).Meets(bytes)) return other;
  }
  return std::nullopt;
}

// What reaches down below the value that the storage began with moves all offsets up.
void StorageTable::CountFromFirstByte() {
  std::vector<int64_t> up(sharing_.storages.size(), 0);
  bool any = false;
  for (size_t i = 0; i < up.size(); ++i) {
    if (begin_[i] == 0) continue;
    Storage& s = sharing_.storages[i];
    up[i] = (-begin_[i] + s.alignment_bytes - 1) / s.alignment_bytes * s.alignment_bytes;
    s.size_bytes += up[i];
    any = true;
  }
  if (!any) return;
  for (size_t i = 0; i < sharing_.storage_of.size(); ++i) {
    if (sharing_.storage_of[i] == Sharing::kNoStorage) continue;
    const int64_t bytes = up[static_cast<size_t>(sharing_.storage_of[i])];
    if (bytes != 0) sharing_.offset_of[i] += bytes;
  }
}

Sharing StorageTable::Finish() && {
  CountFromFirstByte();
  for (size_t i = 0; i < graph_.values().size(); ++i) {
    const ValueId v(static_cast<int32_t>(i));
    if (uses_.is_root(v) || schedule_.Swallowed(v)) continue;
    sharing_.storage_of[i] = StorageOf(v);
    sharing_.offset_of[i] = OffsetOf(v);
  }
  std::vector<OrderEdge>& edges = sharing_.added_order;
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  // They come by time, which is not the order of the list where units are counted.
  for (std::vector<Note>* notes : {&sharing_.movements, &sharing_.refusals}) {
    const auto by_op = [](const Note& a, const Note& b) { return a.op < b.op; };
    if (!std::is_sorted(notes->begin(), notes->end(), by_op)) std::stable_sort(notes->begin(), notes->end(), by_op);
  }
  return std::move(sharing_);
}

}  // namespace bufplan
