#include "ir/region.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "ir/expr_proof.h"

namespace bufplan {

Expr RegionBytes(const Region& region) {
  Expr bytes = region.run_bytes;
  for (const Dim& d : region.dims) bytes *= d.count;
  return bytes;
}

Expr RegionEnd(const Region& region) {
  Expr end = region.at + region.run_bytes;
  for (const Dim& d : region.dims) end += (d.count - 1) * d.stride_bytes;
  return end;
}

std::optional<ByteRange> RegionSpan(const Region& region, absl::Span<const Symbol> symbols) {
  const std::optional<Bounds> at = BoundsOf(region.at, symbols);
  const std::optional<Bounds> end = BoundsOf(RegionEnd(region), symbols);
  if (!at.has_value() || !end.has_value()) return std::nullopt;
  return ByteRange{at->min, std::max(at->min, end->max)};
}

bool ProveNoSelfOverlap(const Region& region, absl::Span<const Symbol> symbols) {
  std::vector<const Dim*> dims;
  for (const Dim& d : region.dims) {
    if (!ProveLessEqual(d.count, 1, symbols)) dims.push_back(&d);
  }
  const bool constant =
      std::all_of(dims.begin(), dims.end(), [](const Dim* d) { return d->stride_bytes.is_constant(); });
  if (constant) {
    std::stable_sort(dims.begin(), dims.end(), [](const Dim* a, const Dim* b) {
      return a->stride_bytes.constant() > b->stride_bytes.constant();
    });
  }
  Expr extent = region.run_bytes;
  for (auto d = dims.rbegin(); d != dims.rend(); ++d) {
    if (!ProveLessEqual(extent, (*d)->stride_bytes, symbols)) return false;
    extent += ((*d)->count - 1) * (*d)->stride_bytes;
  }
  return true;
}

namespace {

// The extent of a region inside its outermost stride: [at, at + extent) repeated.
struct Repeated {
  Expr begin, end, pitch;
};

std::optional<Repeated> RepeatedBy(const Region& region) {
  if (region.dims.empty()) return std::nullopt;
  Region inner = region;
  const Expr pitch = region.dims[0].stride_bytes;
  inner.dims.erase(inner.dims.begin());
  return Repeated{inner.at, RegionEnd(inner), pitch};
}

}  // namespace

bool ProveRegionsDisjoint(const Region& a, const Region& b, absl::Span<const Symbol> symbols) {
  if (ProveDisjoint(a.at, RegionEnd(a), b.at, RegionEnd(b), symbols)) return true;
  const std::optional<Repeated> ra = RepeatedBy(a), rb = RepeatedBy(b);
  if (!ra.has_value() || !rb.has_value() || !(ra->pitch == rb->pitch)) return false;
  // a's rows lie at a.begin + i*pitch. If b's row fits between the end of a row of a and the next row of a, all rows
  // do.
  const auto between = [&](const Repeated& x, const Repeated& y) {
    return ProveLessEqual(x.end, y.begin, symbols) && ProveLessEqual(y.end, x.begin + x.pitch, symbols);
  };
  return between(*ra, *rb) || between(*rb, *ra);
}

bool AppendRuns(const Region& region, absl::Span<const int64_t> symbol_values, int64_t max_runs,
                std::vector<ByteRange>& runs) {
  const std::optional<int64_t> at = region.at.Evaluate(symbol_values);
  const std::optional<int64_t> run = region.run_bytes.Evaluate(symbol_values);
  if (!at.has_value() || !run.has_value()) return false;
  std::vector<int64_t> count, stride, index(region.dims.size(), 0);
  bool empty = *run <= 0;
  for (const Dim& d : region.dims) {
    const std::optional<int64_t> c = d.count.Evaluate(symbol_values), s = d.stride_bytes.Evaluate(symbol_values);
    if (!c.has_value() || !s.has_value()) return false;
    count.push_back(*c);
    stride.push_back(*s);
    if (*c <= 0) empty = true;
  }
  if (empty) return true;
  const size_t first = runs.size();
  int64_t begin = *at;
  for (bool more = true; more;) {
    if (runs.size() > first && runs.back().end == begin) {
      runs.back().end += *run;
    } else {
      if (static_cast<int64_t>(runs.size()) >= max_runs) return false;
      runs.push_back({begin, begin + *run});
    }
    more = false;
    for (size_t d = count.size(); d-- > 0;) {
      begin += stride[d];
      if (++index[d] < count[d]) {
        more = true;
        break;
      }
      begin -= stride[d] * count[d];
      index[d] = 0;
    }
  }
  return true;
}

std::string RegionText(const Region& region, absl::Span<const Symbol> symbols) {
  std::string text =
      absl::StrCat("[", region.at.ToString(symbols), ", ", (region.at + region.run_bytes).ToString(symbols), ")");
  for (const Dim& d : region.dims) {
    absl::StrAppend(&text, " x ", d.count.ToString(symbols), " every ", d.stride_bytes.ToString(symbols));
  }
  return text;
}

}  // namespace bufplan
