#include "ir/checker/gatherer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace bufplan::checker {
namespace {

// More strided runs than this are written at once.
constexpr int64_t kManyRuns = 32;

}  // namespace

Gatherer::Gatherer(const Graph& graph, const Plan& plan, const Schedule& schedule, const Layout& layout,
                   absl::Span<const int64_t> symbol_values, const Limits& limits, RunBudget* budget)
    : graph_(graph),
      plan_(plan),
      schedule_(schedule),
      layout_(layout),
      limits_(limits),
      runs_(symbol_values, limits.max_runs),
      content_(graph.values().size()),
      budget_(budget) {
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
  if (fused_) return GatherFused(node);
  return GatherOp(schedule_.members(node).front());
}

absl::Status Gatherer::Expand(OpId o, std::optional<RegionId> region, ValueId v, RunList& runs) {
  if (!region.has_value()) {
    runs = Whole(v);
    return absl::OkStatus();
  }
  const std::optional<RunList> expanded = runs_.Expand(graph_.region(*region), fused_ ? INT64_MAX : limits_.max_exact);
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
