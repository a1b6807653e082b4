// The kernels that run several ops as one.
//
// A fused kernel stands for a chain of ops: the first result of each is read by the next one, once.
//
//   add ──sum──► rms_norm ──norm──► mul ──► y          "add_rms_norm_mul": reads a, b and the weight, writes y, and sum
//                                                       too where others use it
//
// As with single kernels (kernel_definition.h), the in-place rules are a contract of the code. They speak of the
// group's results, wherever in it they are made, and of what it reads from outside.
//
// LIFETIME: definitions live for ever.
#ifndef BUFPLAN_GPU_RUNTIME_REGISTRY_FUSED_DEFINITION_H_
#define BUFPLAN_GPU_RUNTIME_REGISTRY_FUSED_DEFINITION_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gpu_runtime/device/device.h"
#include "gpu_runtime/registry/kernel_definition.h"
#include "gpu_runtime/registry/launch.h"
#include "ir/graph.h"

namespace bufplan::runtime {

struct ChainMember {
  const BoundOp* op = nullptr;
  size_t link = 0;    // the operand that is the previous member's first result; of the first member: 0, without meaning
  bool kept = false;  // the first result is used outside too; of the last member: true
};
using Chain = absl::Span<const ChainMember>;

struct FusedInPlaceRule {
  size_t write_member = 0, write = 0;
  size_t read_member = 0, read = 0;
  InPlaceMode mode = InPlaceMode::kSameIndex;
};

struct FusedDefinition {
  absl::string_view name;
  std::vector<absl::string_view> members;  // names of kernels
  size_t max_repeats = 1;                  // the whole of `members`, which is then one name, at least twice
  // Whether the kernel computes what these members do. Their names are right, links are whole values at offset 0, and
  // results other than first ones are used outside.
  bool (*matches)(Chain chain) = nullptr;
  // For data that begins at one offset.
  std::vector<FusedInPlaceRule> (*in_place)(Chain chain) = nullptr;
  // Whether the results are bit for bit those of the members one by one. Where not: `matmul_add` adds the terms of a
  // sum in another order, so element [i, j] differs by at most 2^-23 * inner * (|addend[i, j]| + sum over k of
  // |a[i, k] * b[j, k]|).
  bool same_bits = true;
  // `launches`: of the members.
  void (*launch)(Device& device, StreamHandle stream, Chain chain, absl::Span<const Launch> launches) = nullptr;
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_REGISTRY_FUSED_DEFINITION_H_
