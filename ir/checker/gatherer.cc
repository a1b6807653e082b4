#include "ir/checker/gatherer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace bufplan::checker {
namespace {

// More strided runs than this are moved at once.
constexpr int64_t kManyRuns = 32;

// Runs of strided values are looked at time and again: so many times the limit of runs that are spelled out.
constexpr int64_t kStridedVisits = 4;

// Calls f(from, to, bytes) for the pieces of a move from the one sequence of runs to the other, until f returns false.
// Returns whether f never did.
template <typename F>
bool ZipRuns(absl::Span<const ByteRange> from, absl::Span<const ByteRange> to, F&& f) {
  int64_t from_done = 0, to_done = 0;  // of the runs in hand
  for (size_t i = 0, j = 0; i < from.size() && j < to.size();) {
    const int64_t piece = std::min(from[i].size() - from_done, to[j].size() - to_done);
    if (!f(from[i].begin + from_done, to[j].begin + to_done, piece)) return false;
    from_done += piece;
    to_done += piece;
    if (from_done == from[i].size()) {
      from_done = 0;
      ++i;
    }
    if (to_done == to[j].size()) {
      to_done = 0;
      ++j;
    }
  }
  return true;
}

}  // namespace

Gatherer::Gatherer(const Graph& graph, const Plan& plan, const Schedule& schedule, const Layout& layout,
                   absl::Span<const int64_t> symbol_values, const Limits& limits)
    : graph_(graph),
      plan_(plan),
      schedule_(schedule),
      layout_(layout),
      limits_(limits),
      runs_(symbol_values, limits.max_runs),
      content_(graph.values().size()),
      strided_runs_left_(limits.max_runs * kStridedVisits) {
  for (size_t i = 0; i < content_.size(); ++i) {
    content_[i] = ContentPool::Piece(static_cast<Origin>(i), 0);  // right for those that are there at the start
  }
  if (plan.scratch.empty()) return;
  scratch_of_op_.assign(graph.ops().size(), -1);
  for (size_t i = 0; i < plan.scratch.size(); ++i) {
    scratch_of_op_[plan.scratch[i].op.index()] = static_cast<int32_t>(i);
  }
}

absl::Status Gatherer::Gather(int32_t node) {
  reads_.clear();
  writes_.clear();
  runs_.Clear();
  activity_ = {};
  node_ = node;
  fused_ = schedule_.fusion(node).has_value();
  exact_ = fused_ || MustBeExact(schedule_.members(node).front());
  if (fused_) return GatherFused(node);
  return GatherOp(schedule_.members(node).front());
}

bool Gatherer::MustBeExact(OpId o) const {
  const Op& op = graph_.op(o);
  if (!IsMovement(op.kind)) return false;
  if (schedule_.elided(o)) return true;
  if (layout_.nests.empty()) return false;
  const absl::Span<const Read> reads = graph_.reads(op);
  return IsStrided(Target(op)) ||
         std::any_of(reads.begin(), reads.end(), [&](const Read& r) { return IsStrided(r.value); });
}

absl::Status Gatherer::SpendRuns(OpId o, ValueId v) {
  const Nest* nest = layout_.nest(layout_.of(v));
  if (nest == nullptr) return absl::OkStatus();
  if (nest->runs() > strided_runs_left_) {
    return absl::ResourceExhaustedError(absl::StrCat("op \"", graph_.name(o),
                                                     "\": the strided runs up to those of value \"", graph_.name(v),
                                                     "\" are too many to look at"));
  }
  strided_runs_left_ -= nest->runs();
  return absl::OkStatus();
}

absl::Status Gatherer::Expand(OpId o, std::optional<RegionId> region, ValueId v, RunList& runs) {
  if (!region.has_value()) {
    runs = Whole(v);
    return absl::OkStatus();
  }
  const std::optional<RunList> expanded = runs_.Expand(graph_.region(*region), exact_ ? INT64_MAX : limits_.max_exact);
  if (!expanded.has_value()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("op \"", graph_.name(o), "\": the strided runs up to its region of value \"", graph_.name(v),
                     "\" are more than ", limits_.max_runs, ", or the region exceeds 64 bits"));
  }
  runs = *expanded;
  coarse_ = coarse_ || runs.coarse;
  // Build() proved this for all symbol values; an empty region may begin anywhere.
  if (!runs.empty() && (runs.span.begin < 0 || runs.span.end > layout_.of(v).bytes)) {
    return absl::InvalidArgumentError(absl::StrCat("op \"", graph_.name(o), "\": region [", runs.span.begin, ",",
                                                   runs.span.end, ") of value \"", graph_.name(v), "\", which has ",
                                                   layout_.of(v).bytes, " bytes"));
  }
  return absl::OkStatus();
}

absl::Status Gatherer::CheckPieces(OpId o, const Content& content) const {
  if (pool_.Pieces(content) <= limits_.max_runs) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("op \"", graph_.name(o), "\": its result is made of more than ", limits_.max_runs, " pieces"));
}

Access Gatherer::Make(Use use, OpId o, ValueId v, const RunList& sorted_runs) const {
  const Place& place = layout_.of(v);
  Access a;
  a.value = v;
  a.op = o;
  a.use = use;
  a.memory = place.memory;
  a.base = place.offset;
  a.nest = layout_.nest(place);
  a.runs = sorted_runs;
  a.content = content(v);
  return a;
}

Access Gatherer::WholeValue(ValueId value, OpId op) const { return Make(Use::kKeepAlive, op, value, Whole(value)); }

Access Gatherer::FinalStorage(ValueId owner) const {
  Access a = Make(Use::kKeepAlive, OpId(), owner, Whole(owner));
  const auto it = final_.find(owner.value);
  if (it != final_.end()) a.content = it->second;
  return a;
}

absl::Status Gatherer::GatherOp(OpId o) {
  switch (graph_.op(o).kind) {
    case OpKind::kBarrier: return absl::OkStatus();
    case OpKind::kView: return GatherView(o);
    case OpKind::kCompute:
    case OpKind::kFill: {
      if (absl::Status s = GatherReads(o); !s.ok()) return s;
      if (absl::Status s = GatherWrites(o); !s.ok()) return s;
      AddScratch(o);
      return absl::OkStatus();
    }
    default: break;
  }
  if (absl::Status s = GatherMovement(o); !s.ok()) return s;
  if (activity_.executes()) AddScratch(o);
  return absl::OkStatus();
}

void Gatherer::AddScratch(OpId o) {
  if (scratch_of_op_.empty() || scratch_of_op_[o.index()] < 0) return;
  const Place& place = layout_.scratch[static_cast<size_t>(scratch_of_op_[o.index()])];
  if (place.bytes == 0) return;
  Access a;
  a.op = o;
  a.use = Use::kScratch;
  a.memory = place.memory;
  a.base = place.offset;
  a.runs.span = {0, place.bytes};
  a.content = ContentPool::Piece(static_cast<Origin>(graph_.values().size() + o.index()), 0);
  writes_.push_back(a);
}

absl::Status Gatherer::GatherReads(OpId o) {
  for (const Read& read : graph_.reads(graph_.op(o))) {
    RunList runs = Whole(read.value);
    if (read.region.has_value()) {
      if (absl::Status s = Expand(o, read.region, read.value, runs); !s.ok()) return s;
      runs = runs_.Sorted(runs);
    }
    if (runs.empty()) continue;
    if (absl::Status s = SpendRuns(o, read.value); !s.ok()) return s;
    reads_.push_back(Make(Use::kOperand, o, read.value, runs));
    reads_.back().read = &read;
  }
  return absl::OkStatus();
}

absl::Status Gatherer::SetWrittenContent(OpId o, const Write& w, const RunList& runs) {
  const Origin origin = w.value.value;
  const int64_t bytes = layout_.of(w.value).bytes;
  Content result = ContentPool::Piece(origin, 0);
  if (runs.span.begin != 0 || runs.span.end != bytes || runs.count != 0) {
    result = w.base.has_value() ? pool_.Share(content(*w.base)) : Content();
    if (static_cast<int64_t>(runs.count) > kManyRuns) {
      placed_.clear();
      for (const ByteRange& r : runs_.runs(runs)) placed_.push_back({r.begin, r.size(), origin, r.begin});
      pool_.OverwriteAll(result, bytes, placed_);
    } else {
      for (const ByteRange& r : runs_.runs(runs)) {
        pool_.Overwrite(result, bytes, r.begin, ContentPool::Piece(origin, r.begin), r.size());
      }
    }
  }
  SetContent(w.value, result);
  return CheckPieces(o, result);
}

absl::Status Gatherer::GatherWrites(OpId o) {
  const Op& op = graph_.op(o);
  for (const Write& w : graph_.writes(op)) {
    RunList runs = Whole(w.value);
    if (w.region.has_value()) {
      if (absl::Status s = Expand(o, w.region, w.value, runs); !s.ok()) return s;
      runs = runs_.Sorted(runs);
    }
    if (absl::Status s = SetWrittenContent(o, w, runs); !s.ok()) return s;
    if (w.base.has_value() && w.cover == Cover::kAll) {
      CarryAround(o, w.value, *w.base, absl::MakeConstSpan(&runs, 1));
    } else if (w.base.has_value() && !layout_.of(w.value).SameStart(layout_.of(*w.base))) {
      Carry(o, w.value, *w.base, Whole(w.value), layout_.of(w.value).bytes);
    } else if (w.base.has_value() && !runs.empty()) {
      reads_.push_back(Make(Use::kPart, o, *w.base, runs));
    }
    if (runs.empty()) continue;
    writes_.push_back(Make(Use::kResult, o, w.value, runs));
    writes_.back().write = &w;
  }
  return absl::OkStatus();
}

void Gatherer::Carry(OpId o, ValueId result, ValueId base, const RunList& carried, int64_t bytes) {
  if (carried.empty() || bytes == 0) return;
  activity_.carries = true;
  activity_.bytes += bytes;
  reads_.push_back(Make(Use::kCarried, o, base, carried));
  reads_.back().result = result;
  writes_.push_back(Make(Use::kCarry, o, result, carried));
  writes_.back().content = content(base);
}

void Gatherer::CarryAround(OpId o, ValueId result, ValueId base, absl::Span<const RunList> overwritten) {
  const bool coarse = std::any_of(overwritten.begin(), overwritten.end(), [](const RunList& r) { return r.coarse; });
  if (layout_.of(result).SameStart(layout_.of(base))) {
    // Coarsely, what lies between the runs is read and written back.
    for (const RunList& r : overwritten) {
      if (r.has_gaps()) reads_.push_back(Make(Use::kPart, o, base, r));
    }
    return;
  }
  const int64_t bytes = layout_.of(result).bytes;
  if (!coarse) {
    const RunList carried = runs_.Complement(bytes, overwritten);
    return Carry(o, result, base, carried, runs_.Bytes(carried));
  }
  int64_t left = bytes;
  for (const RunList& r : overwritten) left -= runs_.Bytes(r);
  Carry(o, result, base, Whole(result), left);
}

absl::Status Gatherer::GatherView(OpId o) {
  const Op& op = graph_.op(o);
  const Read& read = graph_.reads(op)[0];
  RunList runs;
  if (absl::Status s = Expand(o, read.region, read.value, runs); !s.ok()) return s;
  SetContent(graph_.writes(op)[0].value, pool_.Slice(content(read.value), layout_.of(read.value).bytes, runs.span));
  return absl::OkStatus();
}

absl::Status Gatherer::ExpandParts(OpId o) {
  const Op& op = graph_.op(o);
  const ValueId target = Target(op);
  parts_.clear();
  for (const Read& read : graph_.reads(op)) {
    Part part{&read, {}, {}};
    if (absl::Status s = Expand(o, read.region, read.value, part.from); !s.ok()) return s;
    if (part.from.empty()) continue;
    if (absl::Status s = Expand(o, read.to_region, target, part.to); !s.ok()) return s;
    if (!part.to.empty()) parts_.push_back(part);
  }
  return absl::OkStatus();
}

void Gatherer::MovePiecewise(const Part& part, int64_t bytes, Content& result) {
  ZipRuns(runs_.runs(part.from), runs_.runs(part.to), [&](int64_t from, int64_t to, int64_t size) {
    const Content moved =
        pool_.Slice(content(part.read->value), layout_.of(part.read->value).bytes, {from, from + size});
    pool_.Overwrite(result, bytes, to, moved, size);
    pool_.Release(moved);
    return true;
  });
}

void Gatherer::MoveAtOnce(const Part& part, int64_t bytes, Content& result) {
  placed_.clear();
  ZipRuns(runs_.runs(part.from), runs_.runs(part.to), [&](int64_t from, int64_t to, int64_t size) {
    pool_.ForEach(content(part.read->value), {from, from + size},
                  [&](int64_t at, int64_t piece, Origin origin, int64_t offset) {
                    placed_.push_back({to + (at - from), piece, origin, offset});
                    return true;
                  });
    return true;
  });
  const auto by_place = [](const ContentPool::Placed& a, const ContentPool::Placed& b) { return a.at < b.at; };
  if (!std::is_sorted(placed_.begin(), placed_.end(), by_place)) std::sort(placed_.begin(), placed_.end(), by_place);
  pool_.OverwriteAll(result, bytes, placed_);
}

// What the target holds after the move: what its base held, with the parts' bytes in their order.
absl::Status Gatherer::SetMovedContent(OpId o) {
  const Op& op = graph_.op(o);
  const ValueId target = Target(op);
  const int64_t bytes = layout_.of(target).bytes;
  Content result;
  if (op.commit_target.has_value()) {
    result = ContentPool::Piece(target.value, 0);
  } else if (const std::optional<ValueId> base = graph_.writes(op)[0].base; base.has_value()) {
    result = pool_.Share(content(*base));
  }
  for (const Part& part : parts_) {
    const int64_t runs = static_cast<int64_t>(std::max(part.from.count, part.to.count));
    if (part.from.coarse || part.to.coarse) {
      const ByteRange to = part.to.span;
      pool_.Overwrite(result, bytes, to.begin, ContentPool::Piece(target.value, to.begin), to.size());
    } else if (runs > kManyRuns && runs > pool_.Pieces(result) / 16) {
      MoveAtOnce(part, bytes, result);
    } else {
      MovePiecewise(part, bytes, result);
    }
    if (absl::Status s = CheckPieces(o, result); !s.ok()) return s;
  }
  if (op.commit_target.has_value()) {
    final_[target.value] = result;
  } else {
    SetContent(target, result);
  }
  return absl::OkStatus();
}

bool Gatherer::Coincides(const Part& part, const Place& to) {
  const Place& from = layout_.of(part.read->value);
  const int64_t shift = to.offset - from.offset;
  if (!from.placed() || from.memory != to.memory) return false;
  if (from.nest >= 0 || to.nest >= 0) return StridedCoincides(part, from, to);
  if (part.from.coarse || part.to.coarse) {
    // The same runs have the same ends; more cannot be said without them.
    const ByteRange &a = part.from.span, &b = part.to.span;
    too_coarse_ = too_coarse_ || (a.begin == b.begin + shift && a.end == b.end + shift);
    return false;
  }
  if (part.from.count != part.to.count) return false;
  if (part.from.count == 0) return part.from.span.begin == part.to.span.begin + shift;
  const absl::Span<const ByteRange> a = runs_.runs(part.from), b = runs_.runs(part.to);
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].begin != b[i].begin + shift || a[i].size() != b[i].size()) return false;
  }
  return true;
}

// Byte by byte, as the runs of the part and those of the places need not end together.
bool Gatherer::StridedCoincides(const Part& part, const Place& from, const Place& to) const {
  Nest::Cursor source(layout_.nest(from)), destination(layout_.nest(to));
  const int64_t shift = to.offset - from.offset;
  return ZipRuns(runs_.runs(part.from), runs_.runs(part.to), [&](int64_t from_at, int64_t to_at, int64_t bytes) {
    source.Seek(from_at);
    destination.Seek(to_at);
    while (bytes > 0) {
      if (source.position() != destination.position() + shift) return false;
      const int64_t piece = std::min({bytes, source.left_in_run(), destination.left_in_run()});
      source.Advance(piece);
      destination.Advance(piece);
      bytes -= piece;
    }
    return true;
  });
}

absl::Status Gatherer::GatherMovement(OpId o) {
  const Op& op = graph_.op(o);
  const ValueId target = Target(op);
  if (absl::Status s = ExpandParts(o); !s.ok()) return s;
  if (absl::Status s = SetMovedContent(o); !s.ok()) return s;
  const bool commit = op.commit_target.has_value();
  const Content result = commit ? final_[target.value] : content(target);
  activity_.parts = static_cast<int32_t>(parts_.size());
  if (schedule_.elided(o)) return absl::OkStatus();
  lists_.clear();
  for (const Part& part : parts_) {
    lists_.push_back(part.to);
    if (!layout_.nests.empty()) {
      if (absl::Status s = SpendRuns(o, part.read->value); !s.ok()) return s;
      if (absl::Status s = SpendRuns(o, target); !s.ok()) return s;
    }
    if (Coincides(part, layout_.of(target))) continue;
    ++activity_.executed_parts;
    activity_.bytes += runs_.Bytes(part.from);
    reads_.push_back(Make(Use::kMoved, o, part.read->value, runs_.Sorted(part.from)));
    writes_.push_back(Make(Use::kResult, o, target, runs_.Sorted(part.to)));
    writes_.back().content = result;
  }
  if (commit) return absl::OkStatus();
  const std::optional<ValueId> base = graph_.writes(op)[0].base;
  if (base.has_value()) CarryAround(o, target, *base, lists_);
  return absl::OkStatus();
}

// What outlives the visit of its last user, and which that is.
void Gatherer::FindLastUses() {
  last_use_.assign(graph_.values().size(), -1);
  const absl::Span<const int32_t> visit = schedule_.visit_order();
  position_.resize(visit.size());
  for (size_t i = 0; i < visit.size(); ++i) {
    const int32_t at = position_[static_cast<size_t>(visit[i])] = static_cast<int32_t>(i);
    for (OpId o : schedule_.members(visit[i])) {
      for (const Read& r : graph_.reads(graph_.op(o))) last_use_[r.value.index()] = at;
      for (const Write& w : graph_.writes(graph_.op(o))) {
        last_use_[w.value.index()] = std::max(last_use_[w.value.index()], at);
        if (w.base.has_value()) last_use_[w.base->index()] = at;
      }
    }
  }
  for (ValueId v : graph_.outputs()) last_use_[v.index()] = kEnd;
  for (const KeepAlive& k : graph_.keep_alive()) last_use_[k.value.index()] = kEnd;
  // Preserved inputs and variables are compared at the end; the content of a start value is one piece and costs
  // nothing.
  for (size_t i = 0; i < last_use_.size(); ++i) {
    if (graph_.values()[i].role != Role::kTransient) last_use_[i] = kEnd;
  }
}

void Gatherer::ReleaseUnused(int32_t node) {
  if (pool_.nodes_in_use() == 0) return;
  if (last_use_.empty()) FindLastUses();
  const int32_t now = position_[static_cast<size_t>(node)];
  const auto release = [&](ValueId v) {
    if (last_use_[v.index()] != now) return;
    pool_.Release(content(v));
    SetContent(v, {});
  };
  for (OpId o : schedule_.members(node)) {
    for (const Read& r : graph_.reads(graph_.op(o))) release(r.value);
    for (const Write& w : graph_.writes(graph_.op(o))) {
      release(w.value);
      if (w.base.has_value()) release(*w.base);
    }
  }
}

}  // namespace bufplan::checker
