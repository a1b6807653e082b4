// The op makers of RandomOps that put several parts together.
#include <algorithm>
#include <utility>

#include "ir/expr_proof.h"
#include "tests/oracle/random_ops.h"

namespace bufplan {
namespace {

Expr BytesOf(const Region& region) {
  Expr bytes = region.run_bytes;
  for (const Dim& d : region.dims) bytes *= d.count;
  return bytes;
}

}  // namespace

void RandomOps::MakeConcat() {
  const std::optional<ValueId> first = PickAny();
  if (!first.has_value()) return;
  std::vector<ValueId> parts = {*first};
  Expr total = Of(*first).bytes;
  const int64_t n = rng_.Between(1, 4);
  for (int64_t i = 1; i < n; ++i) {
    const std::optional<ValueId> next = Pick([&](ValueId v) { return Of(v).space == Of(*first).space; });
    if (!Small(total + Of(*next).bytes)) break;
    parts.push_back(*next);
    total += Of(*next).bytes;
  }
  const Target to = NewTarget(Of(*first).space, total);
  const OpOptions op = NewOp(OpKind::kConcat);
  builder_.Concat("", parts, to, op);
  RecordOp(OpKind::kConcat, op, std::move(parts), {*to.value});
}

// Parts that follow each other in the result; `end` becomes one past the last.
std::vector<CopyPart> RandomOps::MakeParts(SpaceId space, Expr& end, std::vector<ValueId>& uses) {
  std::vector<CopyPart> parts;
  const int64_t n = rng_.Between(1, 3);
  for (int64_t i = 0; i < n; ++i) {
    const std::optional<ValueId> from = Pick([&](ValueId v) { return Of(v).space == space; });
    if (!from.has_value()) break;
    CopyPart part;
    part.from = *from;
    Expr bytes = Of(*from).bytes;
    if (rng_.Percent(60)) {
      part.from_region = shapes_.RegionIn(bytes, options_.strided, false);
      bytes = BytesOf(*part.from_region);
    }
    part.to_region = shapes_.Spread(end + (rng_.Percent(30) ? 4 : 0), bytes, options_.strided);
    Expr part_end = part.to_region->at + part.to_region->run_bytes;
    for (const Dim& d : part.to_region->dims) part_end += (d.count - 1) * d.stride_bytes;
    if (!Small(part_end)) break;
    end = part_end;
    uses.push_back(*from);
    parts.push_back(std::move(part));
  }
  return parts;
}

void RandomOps::MakeCopy() {
  std::optional<ValueId> base;
  if (rng_.Percent(40)) base = PickBase();
  const SpaceId space = base.has_value() ? Of(*base).space : SpaceId(static_cast<int32_t>(rng_.Below(spaces_.size())));
  Expr end = rng_.Pick<int64_t>({0, 0, 4});
  std::vector<ValueId> uses;
  std::vector<CopyPart> parts = MakeParts(space, end, uses);
  if (base.has_value() && !ProveLessEqual(end, Of(*base).bytes, shapes_.symbols())) base.reset();
  const Expr bytes = base.has_value() ? Of(*base).bytes : end + (rng_.Percent(20) ? 4 : 0);
  const Target to = NewTarget(space, bytes);
  if (base.has_value()) {
    uses.push_back(*base);
    values_.back().lineage = Of(*base).lineage;
  }
  const OpOptions op = NewOp(OpKind::kCopy);
  builder_.Copy("", std::move(parts), base, bytes, to, op);
  RecordOp(OpKind::kCopy, op, std::move(uses), {*to.value});
}

// The rows of two values by turns, or both halves of one value's rows apart.
void RandomOps::MakeInterleave() {
  if (!options_.strided) return MakeCopy();
  const auto even = [&](ValueId v) {
    return Of(v).bytes.is_constant() && Of(v).bytes.constant() >= 8 && Of(v).bytes.constant() <= 48 &&
           Of(v).bytes.constant() % 8 == 0;
  };
  const std::optional<ValueId> a = Pick(even);
  if (!a.has_value()) return MakeCopy();
  const std::optional<ValueId> b =
      Pick([&](ValueId v) { return Of(v).space == Of(*a).space && Of(v).bytes == Of(*a).bytes; });
  const int64_t n = Of(*a).bytes.constant(), run = rng_.Pick<int64_t>({4, 8});
  const auto rows = [&](int64_t at) { return Region{at, run, {{n / run, 2 * run}}}; };
  std::vector<CopyPart> parts;
  parts.push_back({*a, std::nullopt, rows(0)});
  parts.push_back({*b, std::nullopt, rows(run)});
  rng_.Shuffle(parts);
  const Target to = NewTarget(Of(*a).space, 2 * n);
  const OpOptions op = NewOp(OpKind::kCopy);
  builder_.Copy("", std::move(parts), std::nullopt, 2 * n, to, op);
  RecordOp(OpKind::kCopy, op, {*a, *b}, {*to.value});
}

void RandomOps::MakeFill() {
  std::optional<ValueId> base;
  if (rng_.Percent(50)) base = PickBase();
  const SpaceId space = base.has_value() ? Of(*base).space : SpaceId(static_cast<int32_t>(rng_.Below(spaces_.size())));
  const Expr bytes = base.has_value() ? Of(*base).bytes : shapes_.Size();
  std::optional<Region> region;
  if (rng_.Percent(60)) region = shapes_.RegionIn(bytes, options_.strided, true);
  const Target to = NewTarget(space, bytes);
  std::vector<ValueId> uses;
  if (base.has_value()) {
    uses.push_back(*base);
    values_.back().lineage = Of(*base).lineage;
  }
  const OpOptions op = NewOp(OpKind::kFill);
  builder_.Fill("", base, std::move(region), bytes, to, op);
  RecordOp(OpKind::kFill, op, std::move(uses), {*to.value});
}

void RandomOps::MakeTransfer() {
  const std::optional<ValueId> from = PickAny();
  if (!from.has_value() || spaces_.size() < 2) return;
  SpaceId space(static_cast<int32_t>(rng_.Below(spaces_.size())));
  if (space == Of(*from).space) space = SpaceId(static_cast<int32_t>((space.index() + 1) % spaces_.size()));
  const Target to = NewTarget(space, Of(*from).bytes);
  const OpOptions op = NewOp(OpKind::kTransfer);
  builder_.Transfer("", *from, to, op);
  RecordOp(OpKind::kTransfer, op, {*from}, {*to.value});
}

void RandomOps::MakeCommit() {
  const std::optional<ValueId> to = Pick([&](ValueId v) { return Of(v).committable; });
  if (!to.has_value()) return;
  const auto fits = [&](ValueId v) { return v != *to && Of(v).space == Of(*to).space && Of(v).bytes == Of(*to).bytes; };
  std::optional<ValueId> from;
  if (rng_.Percent(75)) from = Pick([&](ValueId v) { return fits(v) && Of(v).lineage == *to; });
  if (!from.has_value()) from = Pick(fits);
  if (!from.has_value()) return;
  OpOptions op = NewOp(OpKind::kCommit);
  if (Of(*from).root == *to) op.elide = Elide::kAuto;
  builder_.Commit("", *from, *to, op);
  values_[to->index()].committed_by = static_cast<int32_t>(ops_.size());
  RecordOp(OpKind::kCommit, op, {*from}, {});
}

void RandomOps::MakeBarrier() {
  const OpOptions op = NewOp(OpKind::kBarrier);
  builder_.Barrier("", op);
  RecordOp(OpKind::kBarrier, op, {}, {});
}

}  // namespace bufplan
