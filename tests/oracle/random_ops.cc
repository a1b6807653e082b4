#include "tests/oracle/random_ops.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "ir/expr_proof.h"

namespace bufplan {
namespace {

std::vector<Symbol> RandomSymbols(const RandomGraphOptions& options, Rng& rng, GraphBuilder& builder) {
  std::vector<Symbol> symbols;
  const int64_t n = options.max_symbols == 0 ? 0 : rng.Between(1, options.max_symbols);
  for (int64_t i = 0; i < n; ++i) {
    Symbol s{absl::StrCat("s", i), rng.Between(0, 3), 0, rng.Pick<int64_t>({1, 1, 1, 2, 4})};
    s.max = s.multiple_of * ((s.min + s.multiple_of - 1) / s.multiple_of) + rng.Between(0, 6);
    builder.AddSymbol(s.name, s.min, s.max, s.multiple_of);
    symbols.push_back(std::move(s));
  }
  return symbols;
}

}  // namespace

RandomOps::RandomOps(const RandomGraphOptions& options, Rng& rng, GraphBuilder& builder)
    : options_(options),
      rng_(rng),
      builder_(builder),
      shapes_(rng, RandomSymbols(options, rng, builder), options.zero_bytes) {}

void RandomOps::Run() {
  AddSpaces();
  num_streams_ = static_cast<int>(rng_.Between(std::min(2, options_.max_streams), options_.max_streams));
  for (int i = 0; i < num_streams_; ++i) builder_.AddStream(absl::StrCat("stream", i));
  AddStartValues();
  const int64_t n = rng_.Between(2, options_.max_ops);
  for (int tries = 0; static_cast<int64_t>(ops_.size()) < n && tries < 4 * n; ++tries) MakeOp();
  for (size_t i = 0; i < values_.size(); ++i) {
    if (values_[i].committable && rng_.Percent(50)) MakeCommit();
  }
}

void RandomOps::AddSpaces() {
  const int64_t n = rng_.Between(1, options_.max_spaces);
  for (int64_t i = 0; i < n; ++i) {
    Space space;
    if (options_.alignments) space.alignment_bytes = rng_.Pick<int64_t>({1, 1, 4, 8, 16, 64});
    if (options_.limits && rng_.Percent(30)) space.max_allocation_bytes = rng_.Between(128, 512);
    if (options_.limits && rng_.Percent(30)) space.capacity_bytes = rng_.Between(1 << 14, 1 << 15);
    if (i > 0 && rng_.Percent(40)) space.unified_with = {SpaceId(static_cast<int32_t>(rng_.Below(spaces_.size())))};
    builder_.AddSpace(absl::StrCat("space", i), space);
    spaces_.push_back(std::move(space));
  }
  next_pin_.assign(spaces_.size(), 0);
}

void RandomOps::AddStartValues() {
  const int64_t n = rng_.Between(1, 5);
  for (int64_t i = 0; i < n; ++i) {
    const bool owned = options_.caller_owned && rng_.Percent(60);
    AddStartValue(owned ? rng_.Pick<Role>({Role::kConstant, Role::kExternal, Role::kVariable, Role::kVariable})
                        : Role::kInput);
  }
}

void RandomOps::AddStartValue(Role role) {
  const SpaceId space(static_cast<int32_t>(rng_.Below(spaces_.size())));
  const Expr bytes = shapes_.Size();
  ValueOptions options = NewOptions(space, bytes, role == Role::kInput);
  options.preserve = role == Role::kInput && rng_.Percent(25);
  options.writable = role == Role::kExternal && rng_.Percent(60);
  Record(builder_.AddValue("", bytes, role, options), bytes, options, role);
}

ValueOptions RandomOps::NewOptions(SpaceId space, const Expr& bytes, bool in_arena) {
  ValueOptions options;
  options.space = space;
  if (options_.alignments && rng_.Percent(15)) options.alignment_bytes = rng_.Pick<int64_t>({1, 2, 4, 8, 16, 32});
  const Space& s = spaces_[space.index()];
  if (options_.pins && in_arena && !s.max_allocation_bytes.has_value() && rng_.Percent(6)) {
    const int64_t alignment = options.alignment_bytes.value_or(s.alignment_bytes);
    int64_t& next = next_pin_[space.index()];
    options.pinned_offset_bytes = (next + alignment - 1) / alignment * alignment + alignment * rng_.Between(0, 2);
    next = *options.pinned_offset_bytes + shapes_.MaxOf(bytes);
  }
  return options;
}

OpOptions RandomOps::NewOp(OpKind kind) {
  if (rng_.Percent(40)) stream_ = StreamId(static_cast<int32_t>(rng_.Below(static_cast<size_t>(num_streams_))));
  OpOptions options;
  options.stream = stream_;
  const bool opaque = kind == OpKind::kCompute || kind == OpKind::kFill;
  if (opaque && options_.scratch && rng_.Percent(20)) {
    options.scratch_bytes = shapes_.Size();
  }
  const bool moves = !opaque && kind != OpKind::kView && kind != OpKind::kBarrier;
  if (moves && options_.elide_never && rng_.Percent(8)) options.elide = Elide::kNever;
  return options;
}

void RandomOps::Record(ValueId v, const Expr& bytes, const ValueOptions& options, Role role) {
  ValueRecord& r = values_.emplace_back();
  r.bytes = bytes;
  r.space = options.space;
  r.role = role;
  r.alignment_bytes = options.alignment_bytes.value_or(spaces_[options.space.index()].alignment_bytes);
  r.committable = role == Role::kVariable || options.writable;
  r.root = r.lineage = v;
}

void RandomOps::RecordOp(OpKind kind, const OpOptions& options, std::vector<ValueId> uses,
                         std::vector<ValueId> writes) {
  for (ValueId w : writes) values_[w.index()].producer = static_cast<int32_t>(ops_.size());
  ops_.push_back({kind, options.stream, options.elide == Elide::kNever, std::move(uses), std::move(writes)});
}

std::optional<ValueId> RandomOps::Pick(const Accepts& accepts) {
  std::vector<ValueId> candidates;
  for (size_t i = 0; i < values_.size(); ++i) {
    const ValueId v(static_cast<int32_t>(i));
    if (GoneAfter(v) < 0 && accepts(v)) candidates.push_back(v);
  }
  if (candidates.empty()) return std::nullopt;
  const size_t n = candidates.size();
  return candidates[rng_.Percent(50) ? rng_.Below(n) : n - 1 - rng_.Below(std::min<size_t>(n, 3))];
}

std::optional<ValueId> RandomOps::PickBase() {
  if (rng_.Percent(50)) {
    const auto of_variable = [&](ValueId v) { return Of(Of(v).lineage).committable; };
    if (const std::optional<ValueId> v = Pick(of_variable); v.has_value()) return v;
  }
  return PickAny();
}

Target RandomOps::NewTarget(SpaceId space, const Expr& bytes) {
  ValueOptions options = NewOptions(space, bytes, true);
  Target target("", options);
  target.value = builder_.AddValue("", bytes, Role::kTransient, options);
  Record(*target.value, bytes, options, Role::kTransient);
  return target;
}

void RandomOps::MakeOp() {
  if (!options_.movements) return rng_.Percent(80) ? MakeCompute() : MakeView();
  switch (rng_.Below(20)) {
    case 0:
    case 1: return MakeView();
    case 2: return MakeSlice();
    case 3: return MakeClone();
    case 4:
    case 5: return MakeUpdate();
    case 6: return MakeConcat();
    case 7: return MakeCopy();
    case 8: return MakeInterleave();
    case 9: return MakeFill();
    case 10: return MakeTransfer();
    case 11: return MakeCommit();
    case 12: return rng_.Percent(30) ? MakeBarrier() : MakeCompute();
    default: return MakeCompute();
  }
}

void RandomOps::MakeCompute() {
  std::vector<Operand> reads;
  std::vector<ValueId> uses, writes;
  const int64_t num_reads = rng_.Between(0, 3);
  for (int64_t i = 0; i < num_reads; ++i) {
    const std::optional<ValueId> v = PickAny();
    if (!v.has_value()) break;
    Operand operand(*v);
    if (rng_.Percent(40)) operand.region = shapes_.RegionIn(Of(*v).bytes, options_.strided, false);
    if (!operand.region.has_value() && Of(*v).root == *v && rng_.Percent(10)) {
      operand.offset_multiple = Of(*v).alignment_bytes;
    }
    operand.strides_ok = rng_.Percent(30);
    reads.push_back(std::move(operand));
    uses.push_back(*v);
  }
  const int64_t num_writes = reads.empty() ? 1 : rng_.Pick<int64_t>({0, 1, 1, 1, 1, 1, 1, 2, 2, 3});
  ComputeSpec spec;
  spec.reads = std::move(reads);
  spec.options = NewOp(OpKind::kCompute);
  for (int64_t i = 0; i < num_writes; ++i) {
    Result r = MakeResult(spec.reads, uses);
    writes.push_back(*r.value);
    spec.writes.push_back(std::move(r));
  }
  const OpOptions options = spec.options;
  builder_.Compute("", std::move(spec));
  RecordOp(OpKind::kCompute, options, std::move(uses), std::move(writes));
}

Result RandomOps::MakeResult(const std::vector<Operand>& reads, std::vector<ValueId>& uses) {
  Result r;
  Expr bytes = shapes_.Size();
  SpaceId space(static_cast<int32_t>(rng_.Below(spaces_.size())));
  std::optional<ValueId> base;
  if (rng_.Percent(35)) {
    base = PickBase();
  } else if (!reads.empty() && rng_.Percent(80)) {
    const ValueRecord& like = Of(rng_.Pick(reads).value);
    space = like.space;
    if (rng_.Percent(70)) bytes = like.bytes;
  }
  // A result of this very op has no producer yet.
  if (base.has_value() && Of(*base).role == Role::kTransient && Of(*base).producer < 0) base.reset();
  if (base.has_value()) {
    bytes = Of(*base).bytes;
    space = Of(*base).space;
    if (rng_.Percent(80)) r.region = shapes_.RegionIn(bytes, options_.strided, true);
    if (options_.cover_part && rng_.Percent(30)) r.cover = Cover::kPart;
    uses.push_back(*base);
  }
  r.base = base;
  r.value = NewTarget(space, bytes).value;
  if (base.has_value()) values_[r.value->index()].lineage = Of(*base).lineage;
  for (const Operand& o : reads) {
    if (!options_.in_place || Of(o.value).space != space || !rng_.Percent(45)) continue;
    r.in_place.push_back({o.value, rng_.Percent(25) ? InPlaceMode::kAny : InPlaceMode::kSameIndex});
  }
  r.movable = rng_.Percent(80);
  return r;
}

void RandomOps::MakeView() {
  const std::optional<ValueId> of = PickAny();
  if (!of.has_value()) return;
  const RandomShapes::Range range = shapes_.RangeIn(Of(*of).bytes);
  SpaceId space = Of(*of).space;
  for (size_t i = 0; i < spaces_.size() && rng_.Percent(10); ++i) {
    const SpaceId other(static_cast<int32_t>(i));
    const auto names = [&](SpaceId a, SpaceId b) { return absl::c_linear_search(spaces_[a.index()].unified_with, b); };
    if (names(space, other) || names(other, space)) space = other;
  }
  ValueOptions options;
  options.space = space;
  Target to("", options);
  to.value = builder_.AddValue("", range.bytes, Role::kTransient, options);
  Record(*to.value, range.bytes, options, Role::kTransient);
  values_.back().root = Of(*of).root;
  values_.back().lineage = Of(*of).lineage;
  const OpOptions op = NewOp(OpKind::kView);
  builder_.View("", *of, range.at, range.bytes, to, op);
  RecordOp(OpKind::kView, op, {*of}, {*to.value});
}

void RandomOps::MakeSlice() {
  const std::optional<ValueId> of = PickAny();
  if (!of.has_value()) return;
  const RandomShapes::Range range = shapes_.RangeIn(Of(*of).bytes);
  const Target to = NewTarget(Of(*of).space, range.bytes);
  const OpOptions op = NewOp(OpKind::kSlice);
  builder_.Slice("", *of, range.at, range.bytes, to, op);
  RecordOp(OpKind::kSlice, op, {*of}, {*to.value});
}

void RandomOps::MakeClone() {
  const std::optional<ValueId> of = PickAny();
  if (!of.has_value()) return;
  const Target to = NewTarget(Of(*of).space, Of(*of).bytes);
  const OpOptions op = NewOp(OpKind::kClone);
  builder_.Clone("", *of, to, op);
  RecordOp(OpKind::kClone, op, {*of}, {*to.value});
}

void RandomOps::MakeUpdate() {
  const std::optional<ValueId> base = PickBase();
  if (!base.has_value()) return;
  const Expr size = Of(*base).bytes;
  std::optional<Expr> at;
  const auto fits = [&](ValueId v) {
    return Of(v).space == Of(*base).space && ProveLessEqual(Of(v).bytes, size, shapes_.symbols());
  };
  const std::optional<ValueId> from = Pick(fits);
  if (!from.has_value()) return;
  for (int tries = 0; tries < 4 && !at.has_value(); ++tries) {
    const Expr candidate = rng_.Percent(30) ? size - Of(*from).bytes : shapes_.RangeIn(size).at;
    if (shapes_.ProvenInside({candidate, Of(*from).bytes, {}}, size)) at = candidate;
  }
  const Target to = NewTarget(Of(*base).space, size);
  values_.back().lineage = Of(*base).lineage;
  const OpOptions op = NewOp(OpKind::kUpdate);
  builder_.Update("", *base, *from, at.value_or(0), to, op);
  RecordOp(OpKind::kUpdate, op, {*base, *from}, {*to.value});
}

}  // namespace bufplan
