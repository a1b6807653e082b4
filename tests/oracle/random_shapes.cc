#include "tests/oracle/random_shapes.h"

#include <utility>

#include "ir/expr_proof.h"

namespace bufplan {
namespace {

Expr BytesOf(const Region& region) {
  Expr bytes = region.run_bytes;
  for (const Dim& d : region.dims) bytes *= d.count;
  return bytes;
}

Expr EndOf(const Region& region) {
  Expr end = region.at + region.run_bytes;
  for (const Dim& d : region.dims) end += (d.count - 1) * d.stride_bytes;
  return end;
}

}  // namespace

RandomShapes::RandomShapes(Rng& rng, std::vector<Symbol> symbols, bool zero_bytes)
    : rng_(rng), symbols_(std::move(symbols)), zero_bytes_(zero_bytes) {
  const int64_t n = rng_.Between(1, 4);
  for (int64_t i = 0; i < n; ++i) common_.push_back(FreshSize());
}

int64_t RandomShapes::MaxOf(const Expr& size) const {
  const std::optional<Bounds> bounds = BoundsOf(size, symbols_);
  return bounds.has_value() && bounds->min >= 0 ? bounds->max : INT64_MAX;
}

Expr RandomShapes::SmallMultiple() {
  const SymbolId s(static_cast<int32_t>(rng_.Below(symbols_.size())));
  return rng_.Pick<int64_t>({1, 2, 4, 4, 8}) * Expr::FromSymbol(s);
}

Expr RandomShapes::SymbolicSize() {
  const Expr e = SmallMultiple();
  switch (rng_.Below(8)) {
    case 0: return Align(e, 16);
    case 1: return 4 * CeilDiv(e, 8);
    case 2: return Min(e, 16) + rng_.Between(0, 4);
    case 3: return Max(e, 12);
    case 4: return e + SmallMultiple();
    case 5: return e;
    default: return e + rng_.Pick<int64_t>({1, 4, 8, 16});
  }
}

Expr RandomShapes::FreshSize() {
  for (int tries = 0; tries < 4 && !symbols_.empty() && rng_.Percent(60); ++tries) {
    const Expr e = SymbolicSize();
    if (MaxOf(e) <= kMaxBytes) return e;
  }
  return zero_bytes_ && rng_.Percent(5) ? 0 : rng_.Pick<int64_t>({1, 2, 3, 4, 7, 8, 12, 16, 16, 20, 24, 32, 32, 48});
}

Expr RandomShapes::Size() { return rng_.Percent(75) ? rng_.Pick(common_) : FreshSize(); }

bool RandomShapes::ProvenInside(const Region& region, const Expr& size) const {
  bool proven = ProveNonNegative(region.at, symbols_) && ProveNonNegative(region.run_bytes, symbols_) &&
                ProveLessEqual(EndOf(region), size, symbols_);
  for (const Dim& d : region.dims) {
    proven = proven && ProveNonNegative(d.count, symbols_) && ProveNonNegative(d.stride_bytes, symbols_);
  }
  return proven;
}

RandomShapes::Range RandomShapes::RangeIn(const Expr& size) {
  if (rng_.Percent(25)) return {0, size};
  if (size.is_constant()) {
    const int64_t unit = size.constant() % 4 == 0 && rng_.Percent(70) ? 4 : 1, n = size.constant() / unit;
    const int64_t at = rng_.Percent(35) ? 0 : rng_.Between(0, n);
    const int64_t bytes = rng_.Percent(30) ? n - at : rng_.Between(zero_bytes_ && rng_.Percent(10) ? 0 : 1, n - at);
    return {unit * at, unit * std::min(bytes, n - at)};
  }
  for (int tries = 0; tries < 6; ++tries) {
    const Expr piece = rng_.Percent(50) ? SmallMultiple() : Expr(rng_.Pick<int64_t>({1, 4, 8, 16}));
    const Expr at = rng_.Percent(50) ? SmallMultiple() : Expr(rng_.Pick<int64_t>({0, 4, 8}));
    Range range{at, piece};
    if (rng_.Percent(30)) range = {0, piece};
    if (rng_.Percent(30)) range = {size - piece, piece};
    if (rng_.Percent(20)) range = {piece, size - piece};
    if (ProvenInside({range.at, range.bytes, {}}, size)) return range;
  }
  return {0, size};
}

Region RandomShapes::RegionIn(const Expr& size, bool strided, bool apart) {
  for (int tries = 0; tries < 4 && strided && rng_.Percent(60); ++tries) {
    Region region{rng_.Between(0, 8), rng_.Pick<int64_t>({1, 2, 4, 8}), {}};
    Expr extent = region.run_bytes;
    const int64_t dims = rng_.Between(1, 2);
    for (int64_t d = 0; d < dims; ++d) {
      const Expr gap = !symbols_.empty() && rng_.Percent(25) ? SmallMultiple() : Expr(rng_.Pick<int64_t>({0, 1, 4, 8}));
      Expr count = rng_.Between(1, 3);
      if (!symbols_.empty() && rng_.Percent(25)) count = SmallMultiple() + (apart ? 1 : 0);
      Expr stride = extent + gap;
      if (!apart && rng_.Percent(10)) stride = rng_.Pick<int64_t>({0, 1});
      extent += (count - 1) * stride;
      region.dims.insert(region.dims.begin(), {count, stride});
    }
    if (MaxOf(BytesOf(region)) <= kMaxBytes && ProvenInside(region, size)) return region;
  }
  const Range range = RangeIn(size);
  return {range.at, range.bytes, {}};
}

Region RandomShapes::Spread(const Expr& at, const Expr& bytes, bool strided) {
  if (strided && bytes.is_constant() && bytes.constant() > 0 && rng_.Percent(50)) {
    const int64_t run = rng_.Pick<int64_t>({1, 2, 4, 8});
    if (bytes.constant() % run == 0) {
      return {at, run, {{bytes.constant() / run, run + rng_.Pick<int64_t>({0, 1, 4})}}};
    }
  }
  return {at, bytes, {}};
}

}  // namespace bufplan
