#include "planner/liveness/live_ranges.h"

#include <algorithm>
#include <optional>

#include "ir/region.h"
#include "planner/liveness/byte_steps.h"
#include "planner/liveness/overwritten.h"

namespace bufplan {
namespace {

// The life of each byte of one storage while its values are visited in the order they are written.
//
// Step functions over the bytes, apart as they change at different places: since when the content is alive, and until
// when it is needed. The latter is the later of two: uses that meet many steps are kept by themselves, so that many
// uses of much of a storage do not visit all of its parts each time.
class LiveBytes {
 public:
  // Bytes that are needed until `end`.
  struct Need {
    ByteRange bytes;
    int64_t end = 0;
  };

  // Dead until something is written. `scratch` is anybody's.
  LiveBytes(int64_t size, int64_t time, std::vector<Need>& scratch)
      : size_(size), born_({0, size}, time), needed_({0, size}, time), needs_(scratch) {}

  // The bytes are needed until `end`.
  void Use(ByteRange bytes, int64_t end) {
    if (!needed_.MeetsMoreThan(kFewSteps, bytes)) {
      Raise(needed_, bytes, end);
      return;
    }
    if (!needed_by_many_.has_value()) needed_by_many_.emplace(ByteRange{0, size_}, INT64_MIN);
    Raise(*needed_by_many_, bytes, end);
  }

  // New content in all of `bytes`. A life that lasts until now goes on, another one is over and becomes a piece.
  void Write(ByteRange bytes, int64_t time, std::vector<Piece>& pieces) {
    FindNeeds(bytes);
    for (const Need& need : needs_) {
      if (need.end >= time) continue;
      born_.ForEach(need.bytes, [&](ByteRange part, int64_t born) {
        if (born < need.end) pieces.push_back({born, need.end, part.begin, part.end});
      });
      born_.Change(need.bytes, [&](int64_t& born) { born = time; });
    }
    NeedAll(bytes, time + 1);
  }

  // New content somewhere in `bytes`: the old, if there is any, lives on beside it.
  void WriteSome(ByteRange bytes, int64_t time) {
    FindNeeds(bytes);
    for (const Need& need : needs_) {
      born_.Change(need.bytes, [&](int64_t& born) { born = born >= need.end ? time : born; });
    }
    NeedAll(bytes, time + 1);
  }

  void Finish(std::vector<Piece>& pieces) {
    const size_t first = pieces.size();
    FindNeeds({0, size_});
    for (const Need& need : needs_) {
      born_.ForEach(need.bytes, [&](ByteRange part, int64_t born) {
        const bool joins = pieces.size() > first && pieces.back().high == part.begin && pieces.back().begin == born &&
                           pieces.back().end == need.end;
        if (joins) {
          pieces.back().high = part.end;
        } else if (born < need.end) {
          pieces.push_back({born, need.end, part.begin, part.end});
        }
      });
    }
  }

 private:
  // Uses that meet more steps than this are kept by themselves.
  static constexpr size_t kFewSteps = 16;

  static void Raise(ByteSteps<int64_t>& steps, ByteRange bytes, int64_t end) {
    steps.Change(bytes, [end](int64_t& until) { until = std::max(until, end); });
  }

  // Visits every step, unlike Use(): these are visited anyhow, and there are fewer of them afterwards.
  void NeedAll(ByteRange bytes, int64_t end) {
    Raise(needed_, bytes, end);
    if (needed_by_many_.has_value()) Raise(*needed_by_many_, bytes, end);
  }

  // Until when the parts of `bytes` are needed, into needs_.
  void FindNeeds(ByteRange bytes) {
    needs_.clear();
    needed_.ForEach(bytes, [&](ByteRange part, int64_t end) {
      if (!needed_by_many_.has_value()) {
        needs_.push_back({part, end});
        return;
      }
      needed_by_many_->ForEach(part, [&](ByteRange run, int64_t many_end) {
        const int64_t until = std::max(end, many_end);
        const bool joins = !needs_.empty() && needs_.back().end == until;
        if (joins) {
          needs_.back().bytes.end = run.end;
        } else {
          needs_.push_back({run, until});
        }
      });
    });
  }

  int64_t size_;
  ByteSteps<int64_t> born_, needed_;
  std::optional<ByteSteps<int64_t>> needed_by_many_;
  std::vector<Need>& needs_;
};

class Liveness {
 public:
  Liveness(const Graph& graph, const Schedule& schedule, const Uses& uses, const Sharing& sharing,
           Concurrency concurrency)
      : g_(graph), schedule_(schedule), uses_(uses), sharing_(sharing), concurrency_(concurrency) {}

  LiveRanges Run();

 private:
  void OrderMembers();
  bool OnePiece(ValueId v, Piece& piece) const;
  void Live(int64_t size, absl::Span<const ValueId> members);
  void Visit(ValueId v, LiveBytes& bytes);
  // Bytes of the root v, in its storage, in which range `r` of v lies; and whether its place is the same for all symbol
  // values.
  ByteRange InStorage(ValueId v, ByteRange r) const;
  // Whether the use reads anything, now that it is known what lies on its base.
  bool Needs(const Use& use) const;
  int64_t EndOf(int32_t time) const {
    return concurrency_ == Concurrency::kCount ? AxisEnd(time, schedule_) : int64_t{time} + 2;
  }
  bool Strided(ValueId v) const { return !sharing_.strides.empty() && sharing_.strides[v.index()] != nullptr; }
  int32_t BornAt(ValueId v) const {
    const std::optional<OpId> producer = g_.producer(v);
    return producer.has_value() ? schedule_.TimeOf(*producer) : Schedule::kStart;
  }

  const Graph& g_;
  const Schedule& schedule_;
  const Uses& uses_;
  const Sharing& sharing_;
  const Concurrency concurrency_;
  LiveRanges out_;
  std::vector<uint32_t> member_begin_;  // by storage, into members_
  std::vector<ValueId> members_;        // roots, in the order they are written
  std::vector<LiveBytes::Need> needs_;
};

// Counting sort of the roots by storage; start values first, then by list order.
void Liveness::OrderMembers() {
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

ByteRange Liveness::InStorage(ValueId v, ByteRange r) const {
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
bool Liveness::Needs(const Use& use) const {
  if (use.kind == UseKind::kRead && sharing_.elided[static_cast<size_t>(use.op)] != 0) return false;
  if (use.kind != UseKind::kBase) return true;
  const Write& write = g_.writes(g_.op(OpId(use.op)))[use.read];
  if (sharing_.on_base[write.value.index()]) return false;
  const OverwrittenBytes gone = Overwritten(g_, OpId(use.op), write);
  return !gone.exact || gone.span.begin > 0 || gone.span.end < g_.value(write.value).max_bytes;
}

// The usual storage: one value, all of it used.
bool Liveness::OnePiece(ValueId v, Piece& piece) const {
  const int64_t size = g_.value(v).max_bytes;
  const int32_t born = BornAt(v);
  int64_t end = EndOf(born);
  for (const Use& use : uses_.of(v)) {
    if (use.kind == UseKind::kBase || use.range.begin > 0 || use.range.end < size) return false;
    if (!Needs(use)) continue;
    end = std::max(end, EndOf(use.time));
  }
  piece = {AxisBegin(born), end, 0, size};
  return true;
}

void Liveness::Visit(ValueId v, LiveBytes& bytes) {
  const int64_t time = AxisBegin(BornAt(v));
  const int64_t over = EndOf(BornAt(v));
  const ByteRange all = InStorage(v, {0, g_.value(v).max_bytes});
  const bool fixed = sharing_.offset_of[v.index()].is_constant() && !Strided(v);
  const std::optional<OpId> producer = g_.producer(v);
  if (producer.has_value() && sharing_.elided[producer->index()] != 0) {
    // Its bytes are there.
  } else if (sharing_.on_base[v.index()]) {
    const OpId op = *producer;
    for (const Write& w : g_.writes(g_.op(op))) {
      if (w.value != v) continue;
      const OverwrittenBytes gone = Overwritten(g_, op, w);
      const ByteRange written = InStorage(v, gone.span);
      if (gone.exact && fixed) {
        bytes.Write(written, time, out_.pieces);
      } else {
        bytes.WriteSome(written, time);
      }
      bytes.Use(written, over);
    }
  } else {
    if (fixed && g_.value(v).bytes.is_constant()) {
      bytes.Write(all, time, out_.pieces);
    } else {
      bytes.WriteSome(all, time);
    }
    bytes.Use(all, over);
  }
  for (const Use& use : uses_.of(v)) {
    if (!Needs(use)) continue;
    // A base that is carried is needed whole until it is, so that it and its result never lie partly on one another.
    const ByteRange range = use.kind == UseKind::kBase ? uses_.range(use.through) : use.range;
    bytes.Use(InStorage(v, range), EndOf(use.time));
  }
}

void Liveness::Live(int64_t size, absl::Span<const ValueId> members) {
  if (members.empty() || size == 0) return;
  const ValueId first = members[0];
  Piece piece;
  if (members.size() == 1 && g_.value(first).max_bytes == size && OnePiece(first, piece)) {
    out_.pieces.push_back(piece);
    return;
  }
  LiveBytes bytes(size, AxisBegin(BornAt(first)), needs_);
  for (ValueId v : members) Visit(v, bytes);
  bytes.Finish(out_.pieces);
}

LiveRanges Liveness::Run() {
  OrderMembers();
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

LiveRanges ComputeLiveRanges(const Graph& graph, const Schedule& schedule, const Uses& uses, const Sharing& sharing,
                             Concurrency concurrency) {
  return Liveness(graph, schedule, uses, sharing, concurrency).Run();
}

}  // namespace bufplan
