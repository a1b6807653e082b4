// Which bytes of each value mean something.
//
// Bytes of a `copy` or `fill` result that nothing covers and no base carries are undefined, and so is what is moved
// from there (docs/design.md, rule 9). Nobody depends on them: they are neither read nor moved nor compared.
//
// With a sample, only the first and the last `sample_bytes` of what an op writes, and of what is there at the start,
// count as defined: a graph of many gigabytes then runs in little time and memory, and each storage is watched at both
// ends.
//
// COST: O(values + regions' runs where they do not cover a value). ERRORS: ResourceExhausted naming the op: too many
// strided runs.
#ifndef BUFPLAN_GPU_RUNTIME_STEPS_DEFINED_H_
#define BUFPLAN_GPU_RUNTIME_STEPS_DEFINED_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "gpu_runtime/steps/byte_set.h"
#include "gpu_runtime/steps/sizes.h"
#include "ir/graph.h"

namespace bufplan::runtime {

struct Defined {
  std::vector<ByteSet> values;  // by ValueId
  std::optional<int64_t> sample_bytes;

  const ByteSet& of(ValueId v) const { return values[v.index()]; }
  // The indices that an op writes of a region of so many bytes.
  ByteSet Written(int64_t bytes) const;
};

absl::StatusOr<Defined> FindDefined(const Graph& graph, const Sizes& sizes, std::optional<int64_t> sample_bytes);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_STEPS_DEFINED_H_
