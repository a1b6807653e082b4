#include "planner/liveness/live_ranges.h"

#include <algorithm>
#include <optional>

#include "ir/region.h"
#include "planner/liveness/live_bytes.h"
#include "planner/liveness/overwritten.h"

namespace bufplan {
namespace {

template <class Clock>
class Liveness {
 public:
  Liveness(const Graph& graph, const Schedule& schedule, const Uses& uses, const Sharing& sharing)
      : g_(graph), schedule_(schedule), uses_(uses), sharing_(sharing), clock_(schedule) {}

  LiveRanges Run();

 private:
  void OrderMembers();
  bool OnePiece(ValueId v);
  void Live(int64_t size, absl::Span<const ValueId> members);
  void Visit(ValueId v, LiveBytes<Clock>& bytes);
  void Append(ByteRange bytes, int32_t born, const typename Clock::Until& until);
  // Bytes of the root v, in its storage, in which range `r` of v lies; and whether its place is the same for all symbol
  // values.
  ByteRange InStorage(ValueId v, ByteRange r) const;
  // Whether the use reads anything, now that it is known what lies on its base.
  bool Needs(const Use& use) const;
  bool MayLeaveBytes(ValueId v) const;
  bool Strided(ValueId v) const { return !sharing_.strides.empty() && sharing_.strides[v.index()] != nullptr; }
  int32_t BornAt(ValueId v) const {
    const std::optional<OpId> producer = g_.producer(v);
    return producer.has_value() ? schedule_.TimeOf(*producer) : Schedule::kStart;
  }

  const Graph& g_;
  const Schedule& schedule_;
  const Uses& uses_;
  const Sharing& sharing_;
  const Clock clock_;
  LiveRanges out_;
  std::vector<uint32_t> member_begin_;  // by storage, into members_
  std::vector<ValueId> members_;        // roots, in the order they are written
  std::vector<typename LiveBytes<Clock>::Need> needs_;
};

// The op that makes v need not write every byte of it: a fill, or a copy whose parts, which share no byte, add up to
// less.
template <class Clock>
bool Liveness<Clock>::MayLeaveBytes(ValueId v) const {
  const std::optional<OpId> producer = g_.producer(v);
  if (!producer.has_value()) return false;
  const Op& op = g_.op(*producer);
  if (op.kind == OpKind::kFill) return g_.writes(op)[0].region.has_value();
  if (op.kind != OpKind::kCopy) return false;
  Expr written = 0;
  for (const Read& r : g_.reads(op)) {
    if (!r.to_region.has_value()) return false;
    written += RegionBytes(g_.region(*r.to_region));
  }
  return written != g_.value(v).bytes;
}

// Counting sort of the roots by storage; start values first, then by list order.
template <class Clock>
void Liveness<Clock>::OrderMembers() {
  member_begin_.assign(sharing_.storages.size() + 2, 0);
  const auto for_each_root = [&](auto f) {
    for (size_t i = 0; i < g_.values().size(); ++i) {
      if (g_.values()[i].role != Role::kTransient) f(ValueId(static_cast<int32_t>(i)));
    }
    for (int32_t t = 0; t < schedule_.End(); ++t) {
      for (OpId o : schedule_.UnitAt(t)) {
        for (const Write& w : g_.writes(g_.op(o))) {
          if (uses_.is_root(w.value) && sharing_.storage_of[w.value.index()] != Sharing::kNoStorage) f(w.value);
        }
      }
    }
  };
  for_each_root([&](ValueId v) { ++member_begin_[static_cast<size_t>(sharing_.storage_of[v.index()]) + 2]; });
  for (size_t i = 2; i < member_begin_.size(); ++i) member_begin_[i] += member_begin_[i - 1];
  members_.resize(member_begin_.back());
  for_each_root(
      [&](ValueId v) { members_[member_begin_[static_cast<size_t>(sharing_.storage_of[v.index()]) + 1]++] = v; });
}

template <class Clock>
ByteRange Liveness<Clock>::InStorage(ValueId v, ByteRange r) const {
  const size_t storage = static_cast<size_t>(sharing_.storage_of[v.index()]);
  const Expr& offset = sharing_.offset_of[v.index()];
  const int64_t size = sharing_.storages[storage].size_bytes;
  if (Strided(v)) {
    if (r.empty()) return {};
    const std::optional<ByteRange> span = RegionSpan(sharing_.PlaceOf(g_, v), g_.symbols());
    return span.has_value() ? ByteRange{std::max<int64_t>(span->begin, 0), std::min(span->end, size)}
                            : ByteRange{0, size};
  }
  if (!offset.is_constant()) return r.empty() ? ByteRange{} : ByteRange{0, size};
  return {offset.constant() + r.begin, offset.constant() + r.end};
}

// What is elided reads nothing, and neither does a result that lies on its base, or leaves nothing of it.
template <class Clock>
bool Liveness<Clock>::Needs(const Use& use) const {
  if (use.kind == UseKind::kRead && sharing_.elided[static_cast<size_t>(use.op)] != 0) return false;
  if (use.kind != UseKind::kBase) return true;
  const Write& write = g_.writes(g_.op(OpId(use.op)))[use.read];
  if (sharing_.on_base[write.value.index()]) return false;
  const OverwrittenBytes gone = Overwritten(g_, OpId(use.op), write);
  return !gone.exact || gone.span.begin > 0 || gone.span.end < g_.value(write.value).max_bytes;
}

// The usual storage: one value, all of it used.
template <class Clock>
bool Liveness<Clock>::OnePiece(ValueId v) {
  const int64_t size = g_.value(v).max_bytes;
  const int32_t born = BornAt(v);
  typename Clock::Until until = clock_.Never();
  clock_.Add(until, born);
  for (const Use& use : uses_.of(v)) {
    if (use.kind == UseKind::kBase || use.range.begin > 0 || use.range.end < size) return false;
    if (Needs(use)) clock_.Add(until, use.time);
  }
  Append({0, size}, born, until);
  return true;
}

template <>
void Liveness<ListClock>::Append(ByteRange bytes, int32_t born, const int32_t& until) {
  out_.pieces.push_back({AxisBegin(born), AxisEnd(until), bytes.begin, bytes.end});
}

template <>
void Liveness<StreamClock>::Append(ByteRange bytes, int32_t born, const std::optional<Frontier>& until) {
  int32_t last = schedule_.PlaceOf(born);
  const size_t row = out_.order->AddPiece(born == Schedule::kStart ? 0 : schedule_.chain_times().ChainOf(born));
  until->ForEach([&](int32_t time) {
    last = std::max(last, schedule_.PlaceOf(time));
    RaiseOver(schedule_, time, row, *out_.order);
  });
  out_.pieces.push_back({AxisBegin(schedule_.PlaceOf(born)), AxisEnd(last), bytes.begin, bytes.end});
  out_.born.push_back(born);
  out_.until.push_back(*until);
}

template <class Clock>
void Liveness<Clock>::Visit(ValueId v, LiveBytes<Clock>& bytes) {
  const int32_t time = BornAt(v);
  const ByteRange all = InStorage(v, {0, g_.value(v).max_bytes});
  const bool fixed = sharing_.offset_of[v.index()].is_constant() && !Strided(v);
  const auto write = [&](ByteRange written) {
    bytes.Write(written, time,
                [this](ByteRange range, int32_t born, const auto& until) { Append(range, born, until); });
  };
  const std::optional<OpId> producer = g_.producer(v);
  if (producer.has_value() && sharing_.elided[producer->index()] != 0) {
    // Its bytes are there.
  } else if (sharing_.on_base[v.index()] || MayLeaveBytes(v)) {
    const OpId op = *producer;
    for (const Write& w : g_.writes(g_.op(op))) {
      if (w.value != v) continue;
      const OverwrittenBytes gone = Overwritten(g_, op, w);
      const ByteRange written = InStorage(v, gone.span);
      if (gone.exact && fixed) {
        write(written);
      } else {
        bytes.WriteSome(written, time);
      }
    }
    // What is undefined may be what another value that lies there had in these bytes.
    if (!sharing_.on_base[v.index()]) bytes.WriteSome(all, time);
  } else if (fixed && g_.value(v).bytes.is_constant()) {
    write(all);
  } else {
    bytes.WriteSome(all, time);
  }
  for (const Use& use : uses_.of(v)) {
    if (!Needs(use)) continue;
    // A base that is carried is needed whole until it is, so that it and its result never lie partly on one another.
    const ByteRange range = use.kind == UseKind::kBase ? uses_.range(use.through) : use.range;
    bytes.Use(InStorage(v, range), use.time);
  }
}

template <class Clock>
void Liveness<Clock>::Live(int64_t size, absl::Span<const ValueId> members) {
  if (members.empty() || size == 0) return;
  const ValueId first = members[0];
  if (members.size() == 1 && g_.value(first).max_bytes == size && OnePiece(first)) return;
  LiveBytes<Clock> bytes(size, BornAt(first), clock_, needs_);
  for (ValueId v : members) Visit(v, bytes);
  bytes.Finish([this](ByteRange range, int32_t born, const auto& until) { Append(range, born, until); });
}

template <class Clock>
LiveRanges Liveness<Clock>::Run() {
  OrderMembers();
  if (Clock::kPartial) out_.order.emplace().num_chains = schedule_.chain_times().num_chains();
  const size_t n = sharing_.storages.size();
  out_.begin.reserve(n + 1);
  out_.pieces.reserve(n);
  for (size_t s = 0; s < n; ++s) {
    out_.begin.push_back(static_cast<uint32_t>(out_.pieces.size()));
    if (sharing_.storages[s].owner.has_value()) continue;
    Live(sharing_.storages[s].size_bytes,
         absl::MakeConstSpan(members_).subspan(member_begin_[s], member_begin_[s + 1] - member_begin_[s]));
  }
  out_.begin.push_back(static_cast<uint32_t>(out_.pieces.size()));

  out_.last_use.assign(g_.values().size(), Schedule::kStart);
  for (size_t i = 0; i < g_.values().size(); ++i) {
    const ValueId v(static_cast<int32_t>(i));
    if (!uses_.is_root(v)) continue;
    for (const Use& use : uses_.of(v)) {
      out_.last_use[i] = std::max(out_.last_use[i], use.time);
      int32_t& through = out_.last_use[use.through.index()];
      through = std::max(through, use.time);
    }
  }
  return std::move(out_);
}

}  // namespace

void RaiseOver(const Schedule& schedule, int32_t time, size_t piece, ChainOrder& order) {
  const size_t k = static_cast<size_t>(order.num_chains);
  for (size_t c = 0; c < k; ++c) {
    int32_t over = static_cast<int32_t>(AxisBegin(Schedule::kStart)) + 1;
    if (time == schedule.End()) {
      over = ChainOrder::kNever;
    } else if (time != Schedule::kStart) {
      over = static_cast<int32_t>(AxisBegin(schedule.chain_times().OverFor(time)[c]));
    }
    int32_t& entry = order.over[piece * k + c];
    entry = std::max(entry, over);
  }
}

LiveRanges ComputeLiveRanges(const Graph& graph, const Schedule& schedule, const Uses& uses, const Sharing& sharing) {
  if (schedule.one_stream()) return Liveness<ListClock>(graph, schedule, uses, sharing).Run();
  return Liveness<StreamClock>(graph, schedule, uses, sharing).Run();
}

}  // namespace bufplan
