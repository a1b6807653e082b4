// What an op runs: a kernel by name, and its parameters.
//
//   KernelSpec norm{.kernel = "rms_norm", .integers = {{"rows", 1}, {"columns", 64}}, .reals = {{"epsilon", 1e-5}}};
//   KernelSpec attention{.kernel = "attention", .integers = {{"rows", 1}, ..., {"length", s + 1}}};
//
// Integers may depend on the graph's symbols; they are evaluated at each call. Which parameters a kernel has, which of
// them must be given, and what they mean says its KernelDefinition (kernel_definition.h). Besides, each operand and
// result NAME has an integer "NAME_offset": the byte of the value at which the kernel's data begins.
#ifndef BUFPLAN_GPU_RUNTIME_REGISTRY_KERNEL_SPEC_H_
#define BUFPLAN_GPU_RUNTIME_REGISTRY_KERNEL_SPEC_H_

#include <functional>
#include <map>
#include <string>

#include "gpu_runtime/device/matmul.h"
#include "ir/expr.h"

namespace bufplan::runtime {

struct KernelSpec {
  std::string kernel = {};
  std::map<std::string, Expr, std::less<>> integers = {};
  std::map<std::string, double, std::less<>> reals = {};
  std::map<std::string, ElementType, std::less<>> types = {};
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_REGISTRY_KERNEL_SPEC_H_
