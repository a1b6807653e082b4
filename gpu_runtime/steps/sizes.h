// A graph at given symbol values: sizes and regions as numbers.
//
// ERRORS: InvalidArgument: symbol values that are too few or too many or leave their range, by name; a region beyond 64
// bits.
// COST: O(values + ops + regions). LIFETIME: refers to nothing. THREADS: value type.
#ifndef BUFPLAN_GPU_RUNTIME_STEPS_SIZES_H_
#define BUFPLAN_GPU_RUNTIME_STEPS_SIZES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan::runtime {

// Runs of `run_bytes` bytes, in row-major order of dims; outermost first. Dims of one run are left out, what lies
// together is one run.
struct Shape {
  struct Dim {
    int64_t count = 0, stride = 0;
  };
  int64_t at = 0;
  int64_t run_bytes = 0;
  std::vector<Dim> dims = {};

  int64_t bytes() const;
  // One past the last byte; `at` for an empty one.
  int64_t end() const;
  // The byte that has that index. Requires 0 <= index < bytes().
  int64_t ByteAt(int64_t index) const;
};

struct Sizes {
  std::vector<int64_t> symbol_values;
  std::vector<int64_t> value_bytes;    // by ValueId
  std::vector<int64_t> scratch_bytes;  // by OpId
  std::vector<Shape> regions;          // by RegionId

  // All of the value if there is no region.
  Shape ShapeOf(ValueId value, const std::optional<RegionId>& region) const {
    if (region.has_value()) return regions[region->index()];
    return {0, value_bytes[value.index()], {}};
  }
};

absl::StatusOr<Sizes> SizesOf(const Graph& graph, absl::Span<const int64_t> symbol_values);

// nullopt: an expression has no value there, a size is negative, or the end is no int64.
std::optional<Shape> ShapeAt(const Expr& at, const Expr& run_bytes, absl::Span<const Dim> dims,
                             absl::Span<const int64_t> symbol_values);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_STEPS_SIZES_H_
