#include "gpu_runtime/steps/sizes.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace bufplan::runtime {
namespace {

absl::Status CheckSymbols(const Graph& graph, absl::Span<const int64_t> values) {
  const absl::Span<const Symbol> symbols = graph.symbols();
  if (values.size() != symbols.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the graph has ", symbols.size(), " symbols, values are given for ", values.size()));
  }
  for (size_t i = 0; i < symbols.size(); ++i) {
    const Symbol& s = symbols[i];
    if (values[i] >= s.min && values[i] <= s.max && values[i] % s.multiple_of == 0) continue;
    return absl::InvalidArgumentError(absl::StrCat("symbol \"", s.name, "\"=", values[i], ", must be in [", s.min, ", ",
                                                   s.max, "] and a multiple of ", s.multiple_of));
  }
  return absl::OkStatus();
}

void Normalise(Shape& shape) {
  std::vector<Shape::Dim> dims;
  for (const Shape::Dim& d : shape.dims) {
    if (d.count == 0) shape.run_bytes = 0;
    if (d.count != 1) dims.push_back(d);
  }
  if (shape.run_bytes == 0) dims.clear();
  shape.dims.clear();
  while (!dims.empty()) {
    const Shape::Dim d = dims.back();
    dims.pop_back();
    if (shape.dims.empty() && d.stride == shape.run_bytes) {
      shape.run_bytes *= d.count;
    } else if (!shape.dims.empty() && d.stride == shape.dims.back().count * shape.dims.back().stride) {
      shape.dims.back().count *= d.count;
    } else {
      shape.dims.push_back(d);
    }
  }
  std::reverse(shape.dims.begin(), shape.dims.end());
}

// Whether its bytes and its end are numbers.
bool Fits(const Shape& shape) {
  int64_t bytes = shape.run_bytes, end = 0;
  bool fits = !__builtin_add_overflow(shape.at, shape.run_bytes, &end);
  for (const Shape::Dim& d : shape.dims) {
    int64_t reach = 0;
    if (d.count == 0) return true;
    fits = fits && !__builtin_mul_overflow(bytes, d.count, &bytes) &&
           !__builtin_mul_overflow(d.count - 1, d.stride, &reach) && !__builtin_add_overflow(end, reach, &end);
  }
  return fits;
}

}  // namespace

int64_t Shape::bytes() const {
  int64_t bytes = run_bytes;
  for (const Dim& d : dims) bytes *= d.count;
  return bytes;
}

int64_t Shape::end() const {
  int64_t end = at + run_bytes;
  for (const Dim& d : dims) end += (d.count - 1) * d.stride;
  return end;
}

int64_t Shape::ByteAt(int64_t index) const {
  int64_t byte = at + index % run_bytes, run = index / run_bytes;
  for (size_t d = dims.size(); d-- > 0;) {
    byte += run % dims[d].count * dims[d].stride;
    run /= dims[d].count;
  }
  return byte;
}

std::optional<Shape> ShapeAt(const Expr& at, const Expr& run_bytes, absl::Span<const bufplan::Dim> dims,
                             absl::Span<const int64_t> symbol_values) {
  const std::optional<int64_t> first = at.Evaluate(symbol_values), run = run_bytes.Evaluate(symbol_values);
  if (!first.has_value() || !run.has_value() || *run < 0) return std::nullopt;
  Shape shape = {*first, *run, {}};
  for (const bufplan::Dim& d : dims) {
    const std::optional<int64_t> count = d.count.Evaluate(symbol_values),
                                 stride = d.stride_bytes.Evaluate(symbol_values);
    if (!count.has_value() || !stride.has_value() || *count < 0 || *stride < 0) return std::nullopt;
    shape.dims.push_back({*count, *stride});
  }
  if (!Fits(shape)) return std::nullopt;
  Normalise(shape);
  return shape;
}

absl::StatusOr<Sizes> SizesOf(const Graph& graph, absl::Span<const int64_t> symbol_values) {
  if (absl::Status s = CheckSymbols(graph, symbol_values); !s.ok()) return s;
  Sizes sizes;
  sizes.symbol_values.assign(symbol_values.begin(), symbol_values.end());
  // Build() has proven that all of these have values.
  for (const Value& v : graph.values()) sizes.value_bytes.push_back(v.bytes.Evaluate(symbol_values).value_or(0));
  for (const Op& op : graph.ops()) sizes.scratch_bytes.push_back(op.scratch_bytes.Evaluate(symbol_values).value_or(0));
  bool regions_fit = true;
  const auto add_region = [&](const std::optional<RegionId>& id) {
    if (!id.has_value()) return;
    if (sizes.regions.size() <= id->index()) sizes.regions.resize(id->index() + 1);
    const Region& region = graph.region(*id);
    const std::optional<Shape> shape = ShapeAt(region.at, region.run_bytes, region.dims, symbol_values);
    regions_fit = regions_fit && shape.has_value();
    sizes.regions[id->index()] = shape.value_or(Shape());
  };
  for (const Op& op : graph.ops()) {
    for (const Read& r : graph.reads(op)) {
      add_region(r.region);
      add_region(r.to_region);
    }
    for (const Write& w : graph.writes(op)) add_region(w.region);
  }
  if (!regions_fit) return absl::InvalidArgumentError("a region has no place of 64 bits at these symbol values");
  return sizes;
}

}  // namespace bufplan::runtime
