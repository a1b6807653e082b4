// What mixing ops make of a graph, byte by byte: written anew from the description in gpu_runtime/kernels/mix.h,
// without boxes, layouts or devices. Slow, for small graphs.
#ifndef BUFPLAN_TESTS_GPU_RUNTIME_EXECUTE_PLAIN_MIX_H_
#define BUFPLAN_TESTS_GPU_RUNTIME_EXECUTE_PLAIN_MIX_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph.h"
#include "tests/oracle/concrete.h"

namespace bufplan::runtime {

// By ValueId and byte; absent: undefined.
using PlainContents = std::vector<std::vector<std::optional<uint8_t>>>;

// All values after an execution in list order. `sample_bytes`: see gpu_runtime/steps/defined.h.
PlainContents MixPlainly(const Graph& graph, const ConcreteGraph& concrete, uint64_t seed,
                         std::optional<int64_t> sample_bytes);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_TESTS_GPU_RUNTIME_EXECUTE_PLAIN_MIX_H_
