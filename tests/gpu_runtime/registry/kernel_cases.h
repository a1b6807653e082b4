// One op of each kernel and one group of each fused kernel, in several shapes, as graphs.
#ifndef BUFPLAN_TESTS_GPU_RUNTIME_REGISTRY_KERNEL_CASES_H_
#define BUFPLAN_TESTS_GPU_RUNTIME_REGISTRY_KERNEL_CASES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "gpu_runtime/device/matmul.h"
#include "gpu_runtime/registry/kernel_spec.h"
#include "ir/graph.h"
#include "tests/gpu_runtime/registry/graph_run.h"

namespace bufplan::runtime {

// What an operand holds: floats of a type, or ids below `ids`.
struct Content {
  ElementType type = ElementType::kF32;
  int64_t ids = 0;
};

struct MemberCase {
  KernelSpec spec;
  std::vector<Content> reads;
  size_t link = 0;  // the operand that is the first result of the member before
};

struct GroupCase {
  std::string name;
  std::vector<MemberCase> members;  // one: a lone op
  bool keep_first = false;          // the first member's result is an output too
};

// For messages of tests.
inline void PrintTo(const GroupCase& c, std::ostream* out) { *out << c.name; }

std::vector<GroupCase> LoneCases();
std::vector<GroupCase> FusedCases();

// Operands are inputs "m0.x", "m0.weights", ..., ops "m0", "m1", ..., results "m0.y", ... A lone op declares all
// in-place permissions of its kernel. A group has one required fusion with those that ProposeFusions gives.
struct CaseGraph {
  Graph graph;
  std::vector<std::optional<KernelSpec>> specs;
};
CaseGraph GraphOf(const GroupCase& c);

// The same for the same seed: fills the inputs.
void FillInputs(const GroupCase& c, GraphRun& run, uint64_t seed);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_TESTS_GPU_RUNTIME_REGISTRY_KERNEL_CASES_H_
