#include <algorithm>

#include "absl/strings/str_cat.h"
#include "ir/expr_proof.h"
#include "ir/graph_validator.h"
#include "ir/missing_fact.h"
#include "ir/region.h"
#include "ir/where.h"

namespace bufplan {
namespace {

// Copies whose constant parts have at most this many runs together are compared run by run.
constexpr int64_t kMaxComparedRuns = int64_t{1} << 20;
// Symbolic parts of a copy are compared pair by pair up to this many pairs.
constexpr int64_t kMaxComparedPairs = int64_t{1} << 16;

std::string At(OpId o) { return absl::StrCat("/ops/", o.index()); }

}  // namespace

absl::Status GraphValidator::CheckOps() {
  g_.producer_.assign(g_.values_.size(), -1);
  g_.commit_to_.assign(g_.values_.size(), -1);
  for (size_t i = 0; i < g_.ops_.size(); ++i) {
    if (absl::Status s = CheckOp(OpId(static_cast<int32_t>(i))); !s.ok()) return s;
  }
  for (size_t i = 0; i < g_.values_.size(); ++i) {
    if (g_.values_[i].role == Role::kTransient && g_.producer_[i] < 0) {
      return FaultAt(absl::StrCat("/values/", i), absl::StrCat(Text(ValueId(static_cast<int32_t>(i))),
                                                               ": no op writes it; a value that is there at the start "
                                                               "needs a role (input, constant, external, variable)"));
    }
  }
  return absl::OkStatus();
}

absl::Status GraphValidator::CheckOp(OpId o) {
  Op& op = g_.ops_[o.index()];
  if (op.stream.index() >= g_.stream_names_.size()) {
    return FaultAt(At(o) + "/stream", absl::StrCat(Text(o), ": unknown stream"));
  }
  if (absl::Status s = CheckReads(o); !s.ok()) return s;
  if (absl::Status s = CheckWrites(o); !s.ok()) return s;
  if (absl::Status s = CheckShape(o); !s.ok()) return s;
  if (absl::Status s = CheckCommit(o); !s.ok()) return s;

  const absl::Span<const Read> reads = g_.reads(op);
  const absl::Span<const Write> writes = g_.writes(op);
  op.scratch_space = !writes.empty()  ? g_.value(writes[0].value).space
                     : !reads.empty() ? g_.value(reads[0].value).space
                                      : SpaceId(0);
  const std::optional<SymbolId> symbol = op.scratch_bytes.MaxSymbol();
  std::optional<Bounds> scratch;
  if (!symbol.has_value() || symbol->index() < g_.symbols_.size()) scratch = BoundsOf(op.scratch_bytes, g_.symbols_);
  if (!scratch.has_value() || scratch->min < 0) {
    return FaultAt(At(o) + "/scratch", absl::StrCat(Text(o), ": scratch=", Text(op.scratch_bytes),
                                                    ", must be >= 0 and fit 64 bits for all symbol values"));
  }
  op.max_scratch_bytes = scratch->max;
  return absl::OkStatus();
}

absl::Status GraphValidator::CheckAvailable(absl::string_view where, OpId o, ValueId v) {
  if (!Known(v)) return FaultAt(where, absl::StrCat(Text(o), ": uses an unknown value"));
  if (g_.values_[v.index()].role == Role::kTransient && g_.producer_[v.index()] < 0) {
    return FaultAt(where, absl::StrCat(Text(o), ": uses ", Text(v), ", which no op before it writes"));
  }
  return absl::OkStatus();
}

absl::Status GraphValidator::CheckRegion(absl::string_view where, absl::string_view who, ValueId v, RegionId id,
                                         ByteRange& span) {
  const Region& r = g_.region(id);
  const Value& value = g_.value(v);
  std::optional<SymbolId> symbol = std::max(r.at.MaxSymbol(), r.run_bytes.MaxSymbol());
  bool valid = r.at.valid() && r.run_bytes.valid();
  for (const Dim& d : r.dims) {
    symbol = std::max({symbol, d.count.MaxSymbol(), d.stride_bytes.MaxSymbol()});
    valid = valid && d.count.valid() && d.stride_bytes.valid();
  }
  if (!valid) return FaultAt(where, absl::StrCat(who, ": an expression of the region is invalid or exceeds 64 bits"));
  if (symbol.has_value() && symbol->index() >= g_.symbols_.size()) {
    return FaultAt(where, absl::StrCat(who, ": the region uses an unknown symbol"));
  }
  const auto negative = [&](absl::string_view what, const Expr& e) {
    return FaultAt(where, absl::StrCat(who, ": ", what, "=", Text(e), " of the region, must be >= 0",
                                       e.is_constant() ? "" : " for all symbol values"));
  };
  if (!ProveNonNegative(r.at, g_.symbols_)) return negative("at", r.at);
  if (!ProveNonNegative(r.run_bytes, g_.symbols_)) return negative("bytes", r.run_bytes);
  for (const Dim& d : r.dims) {
    if (!ProveNonNegative(d.count, g_.symbols_)) return negative("count", d.count);
    if (!ProveNonNegative(d.stride_bytes, g_.symbols_)) return negative("stride", d.stride_bytes);
  }
  const Expr total = RegionBytes(r), end = RegionEnd(r);
  if (!total.valid() || !BoundsOf(total, g_.symbols_).has_value()) {
    return FaultAt(where, absl::StrCat(who, ": the bytes of the region exceed 64 bits"));
  }
  span = {0, 0};
  if (total.is_constant() && total.constant() == 0) return absl::OkStatus();
  if (!end.valid()) {
    return FaultAt(where, absl::StrCat(who, ": the region of ", Text(v), " which has ", Text(value.bytes),
                                       " bytes begins at ", Text(r.at), " and ends beyond 64 bits"));
  }
  if (!ProveLessEqual(end, value.bytes, g_.symbols_)) {
    const std::string fact = MissingLessEqual(end, value.bytes, g_.symbols_);
    const std::string reason = fact.empty() ? absl::StrCat(Text(end), " <= ", Text(value.bytes), " does not hold")
                                            : absl::StrCat("not proven: needs ", fact);
    return FaultAt(where, absl::StrCat(who, ": region ", RegionText(r, g_.symbols_), " of ", Text(v), " which has ",
                                       Text(value.bytes), " bytes: ", reason));
  }
  const std::optional<ByteRange> bounds = RegionSpan(r, g_.symbols_);
  if (!bounds.has_value()) return FaultAt(where, absl::StrCat(who, ": the region exceeds 64 bits"));
  span = {bounds->begin, std::min(bounds->end, value.max_bytes)};
  return absl::OkStatus();
}

absl::Status GraphValidator::CheckReads(OpId o) {
  const Op& op = g_.op(o);
  for (uint32_t i = 0; i < op.num_reads; ++i) {
    Read& r = g_.reads_[op.first_read + i];
    const bool fast = Known(r.value) && !r.region.has_value() && r.offset_multiple == 1 &&
                      (g_.values_[r.value.index()].role != Role::kTransient || g_.producer_[r.value.index()] >= 0);
    if (fast) {
      r.span = {0, g_.value(r.value).max_bytes};
      continue;
    }
    const std::string where = op.kind == OpKind::kCompute ? absl::StrCat(At(o), "/reads/", i) : At(o);
    if (absl::Status s = CheckAvailable(where, o, r.value); !s.ok()) return s;
    if (r.offset_multiple < 1 || (r.offset_multiple & (r.offset_multiple - 1)) != 0) {
      return FaultAt(where + "/offset_multiple",
                     absl::StrCat(Text(o), ": offset_multiple=", r.offset_multiple, " of its read of ", Text(r.value),
                                  ", must be a power of two"));
    }
    r.span = {0, g_.value(r.value).max_bytes};
    if (!r.region.has_value()) continue;
    if (absl::Status s = CheckRegion(where, Text(o), r.value, *r.region, r.span); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status GraphValidator::CheckWrites(OpId o) {
  const Op& op = g_.op(o);
  const StreamId stream = op.stream;
  for (uint32_t i = 0; i < op.num_reads; ++i) {
    const int32_t from = g_.producer_[g_.reads_[op.first_read + i].value.index()];
    if (from >= 0 && g_.ops_[static_cast<size_t>(from)].stream != stream)
      g_.cross_stream_edges_.emplace_back(from, o.index());
  }
  for (uint32_t i = 0; i < op.num_writes; ++i) {
    Write& w = g_.writes_[op.first_write + i];
    const auto where = [&] { return op.kind == OpKind::kCompute ? absl::StrCat(At(o), "/writes/", i) : At(o); };
    if (!Known(w.value)) return FaultAt(where(), absl::StrCat(Text(o), ": writes an unknown value"));
    Value& v = g_.values_[w.value.index()];
    if (v.role != Role::kTransient) {
      return FaultAt(where(), absl::StrCat(Text(o), ": writes ", Text(w.value), ", which is there at the start (",
                                           ToString(v.role), ")"));
    }
    if (g_.producer_[w.value.index()] >= 0) {
      return FaultAt(where(), absl::StrCat(Text(o), ": writes ", Text(w.value), ", which ",
                                           Text(OpId(g_.producer_[w.value.index()])), " writes already"));
    }
    if (w.base.has_value()) {
      if (absl::Status s = CheckAvailable(where(), o, *w.base); !s.ok()) return s;
      const Value& base = g_.value(*w.base);
      if (!ProveEqual(base.bytes, v.bytes, g_.symbols_)) {
        return FaultAt(where(), absl::StrCat(Text(o), ": ", Text(w.value), " has ", Text(v.bytes), " bytes, its base ",
                                             Text(*w.base), " ", Text(base.bytes), ", must be equal"));
      }
      if (base.space != v.space) {
        return FaultAt(where(), absl::StrCat(Text(o), ": ", Text(w.value), " and its base ", Text(*w.base),
                                             " must be in one space"));
      }
      const int32_t from = g_.producer_[w.base->index()];
      if (from >= 0 && g_.ops_[static_cast<size_t>(from)].stream != stream) {
        g_.cross_stream_edges_.emplace_back(from, o.index());
      }
    } else if (op.kind == OpKind::kCompute && (w.region.has_value() || w.cover == Cover::kPart)) {
      return FaultAt(where(), absl::StrCat(Text(o), ": region and cover of ", Text(w.value), " need a base"));
    }
    w.span = {0, v.max_bytes};
    if (w.region.has_value()) {
      if (absl::Status s = CheckRegion(where(), Text(o), w.value, *w.region, w.span); !s.ok()) return s;
      if (!ProveNoSelfOverlap(g_.region(*w.region), g_.symbols_)) {
        return FaultAt(where(),
                       absl::StrCat(Text(o), ": the runs of region ", RegionText(g_.region(*w.region), g_.symbols_),
                                    " of ", Text(w.value), " are not proven to be apart"));
      }
    }
    if (absl::Status s = CheckInPlace(o, w); !s.ok()) return s;
  }
  // Only now: an op cannot read what it writes.
  for (uint32_t i = 0; i < op.num_writes; ++i) {
    const ValueId v = g_.writes_[op.first_write + i].value;
    if (g_.producer_[v.index()] >= 0) {
      return FaultAt(absl::StrCat(At(o), "/writes/", i), absl::StrCat(Text(o), ": writes ", Text(v), " twice"));
    }
    g_.producer_[v.index()] = static_cast<int32_t>(o.index());
  }
  return absl::OkStatus();
}

absl::Status GraphValidator::CheckInPlace(OpId o, const Write& w) {
  constexpr uint32_t kManyReads = 32;
  const absl::Span<const Read> reads = g_.reads(g_.op(o));
  if (reads.size() > kManyReads && w.num_in_place > 0) {
    if (many_reads_of_ != o) {
      many_reads_.clear();
      for (const Read& r : reads) many_reads_.insert(r.value.value);
      many_reads_of_ = o;
    }
  }
  for (const InPlace& p : g_.in_place(w)) {
    const bool is_read = reads.size() > kManyReads ? many_reads_.contains(p.value.value)
                                                   : std::any_of(reads.begin(), reads.end(),
                                                                 [&](const Read& r) { return r.value == p.value; });
    if (!is_read) {
      return FaultAt(At(o), Known(p.value) ? absl::StrCat(Text(o), ": in_place of ", Text(w.value), " names ",
                                                          Text(p.value), ", which the op does not read")
                                           : absl::StrCat(Text(o), ": in_place names an unknown value"));
    }
  }
  return absl::OkStatus();
}

absl::Status GraphValidator::CheckShape(OpId o) {
  const Op& op = g_.op(o);
  const absl::Span<const Write> writes = g_.writes(op);
  if (op.kind == OpKind::kCompute || op.kind == OpKind::kBarrier) return absl::OkStatus();
  if (op.kind == OpKind::kView) {
    const Value& of = g_.value(g_.reads(op)[0].value);
    if (!g_.SameMemory(of.space, g_.value(writes[0].value).space)) {
      return FaultAt(At(o), absl::StrCat(Text(o), ": ", Text(writes[0].value), " and its source ",
                                         Text(g_.reads(op)[0].value), " must be in one memory"));
    }
  }
  if (op.kind == OpKind::kFill) return absl::OkStatus();
  return CheckParts(o);
}

// Every part moves as many bytes as there is room for, inside the result; parts of one op do not write the same byte.
absl::Status GraphValidator::CheckParts(OpId o) {
  const Op& op = g_.op(o);
  if (op.kind == OpKind::kCommit && !Known(*op.commit_target)) {
    return FaultAt(At(o) + "/to", absl::StrCat(Text(o), ": commits to an unknown value"));
  }
  const ValueId result = op.kind == OpKind::kCommit ? *op.commit_target : g_.writes(op)[0].value;
  Expr concatenated = 0;
  for (const Read& r : g_.reads(op)) {
    const Expr from = r.region.has_value() ? RegionBytes(g_.region(*r.region)) : g_.value(r.value).bytes;
    const Expr to = r.to_region.has_value() ? RegionBytes(g_.region(*r.to_region)) : g_.value(result).bytes;
    if (!ProveEqual(from, to, g_.symbols_)) {
      return FaultAt(At(o), absl::StrCat(Text(o), ": moves ", Text(from), " bytes of ", Text(r.value), " to ", Text(to),
                                         " bytes of ", Text(result), ", must be equal"));
    }
    concatenated += from;
    if (op.kind == OpKind::kConcat || !r.to_region.has_value()) continue;
    ByteRange span;
    if (absl::Status s = CheckRegion(At(o), Text(o), result, *r.to_region, span); !s.ok()) return s;
    if (!ProveNoSelfOverlap(g_.region(*r.to_region), g_.symbols_)) {
      return FaultAt(At(o),
                     absl::StrCat(Text(o), ": the runs of to_region ", RegionText(g_.region(*r.to_region), g_.symbols_),
                                  " of ", Text(result), " are not proven to be apart"));
    }
  }
  if (op.kind == OpKind::kConcat && !ProveEqual(concatenated, g_.value(result).bytes, g_.symbols_)) {
    return FaultAt(At(o), absl::StrCat(Text(o), ": its parts have ", Text(concatenated), " bytes together, ",
                                       Text(result), " has ", Text(g_.value(result).bytes), ", must be equal"));
  }
  return op.kind == OpKind::kCopy && op.num_reads > 1 ? CheckPartsDisjoint(o, result) : absl::OkStatus();
}

absl::Status GraphValidator::CheckPartsDisjoint(OpId o, ValueId result) {
  const Region whole{0, g_.value(result).bytes, {}};
  std::vector<const Region*> parts;
  std::vector<ByteRange> runs;
  bool counted = g_.symbols_.empty();
  for (const Read& r : g_.reads(g_.op(o))) {
    parts.push_back(r.to_region.has_value() ? &g_.region(*r.to_region) : &whole);
    counted = counted && AppendRuns(*parts.back(), {}, kMaxComparedRuns, runs);
  }
  const auto overlap = [&](const std::string& what) {
    return FaultAt(At(o), absl::StrCat(Text(o), ": two parts ", what, " of ", Text(result)));
  };
  if (counted) {
    std::sort(runs.begin(), runs.end(), [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
    for (size_t i = 1; i < runs.size(); ++i) {
      if (runs[i].begin < runs[i - 1].end) return overlap(absl::StrCat("write byte ", runs[i].begin));
    }
    return absl::OkStatus();
  }
  bool in_sequence = true;
  for (size_t i = 1; i < parts.size() && in_sequence; ++i) {
    in_sequence = ProveLessEqual(RegionEnd(*parts[i - 1]), parts[i]->at, g_.symbols_);
  }
  if (in_sequence) return absl::OkStatus();
  int64_t pairs = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    for (size_t j = i + 1; j < parts.size(); ++j) {
      if (++pairs > kMaxComparedPairs || !ProveRegionsDisjoint(*parts[i], *parts[j], g_.symbols_)) {
        return overlap(absl::StrCat("are not proven to write different bytes (", RegionText(*parts[i], g_.symbols_),
                                    " and ", RegionText(*parts[j], g_.symbols_), ")"));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status GraphValidator::CheckCommit(OpId o) {
  const Op& op = g_.op(o);
  if (op.kind != OpKind::kCommit) return absl::OkStatus();
  const ValueId to = *op.commit_target;
  const Value& target = g_.value(to);
  if (target.role != Role::kVariable && !(target.role == Role::kExternal && target.writable)) {
    return FaultAt(At(o) + "/to", absl::StrCat(Text(o), ": commits to ", Text(to),
                                               ", which is neither a variable nor a "
                                               "writable external"));
  }
  int32_t& commit = g_.commit_to_[to.index()];
  if (commit >= 0) {
    return FaultAt(At(o) + "/to", absl::StrCat(Text(o), ": commits to ", Text(to), ", to which ", Text(OpId(commit)),
                                               " commits already"));
  }
  commit = static_cast<int32_t>(o.index());
  return absl::OkStatus();
}

}  // namespace bufplan
