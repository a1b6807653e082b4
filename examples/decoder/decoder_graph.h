// One step of a transformer decoder as a graph whose ops run real kernels: RMS norms, grouped-query attention over
// key/value caches, rotary positions, and a SwiGLU or mixture-of-experts block.
//
//   tokens ─► rows of the embedding ─► layers ─► norm ─► logits
//
//   layer:  x ─► norm ─┬─► q ─► rope ─────────────────────────────► attention ─► o ─► + x ─► norm ─► block ─► +
//                      ├─► k ─► rope ─► its row of the key cache ────┘│         (stream "keys")
//                      └─► v ─► its row of the value cache ───────────┘         (stream "values")
//
// A step takes `rows` tokens at positions s .. s + rows - 1, s a symbol. The caches are variables that hold positions
// one after the other; the new rows are written into them in place and committed. Attention reads a slice of the cache
// that ends with the new rows; as compilers emit it, through a copy that puts heads first, which a plan need not make.
//
// The graph is that of an engine without any planning: everything has a value of its own, nothing is fused. What may
// lie on what follows from the kernels' own contracts.
#ifndef BUFPLAN_EXAMPLES_DECODER_DECODER_GRAPH_H_
#define BUFPLAN_EXAMPLES_DECODER_DECODER_GRAPH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gpu_runtime/device/matmul.h"
#include "gpu_runtime/registry/kernel_spec.h"
#include "ir/graph.h"
#include "ir/id.h"

namespace bufplan::decoder {

struct DecoderShape {
  int layers = 2;
  int64_t rows = 1;  // tokens of a step
  int64_t max_positions = 128;
  int64_t vocabulary = 256;
  int64_t hidden = 64;
  int64_t heads = 4, kv_heads = 2, head_dim = 16;
  int64_t inner = 128;       // of the block, of each expert
  int64_t experts = 0;       // 0: SwiGLU
  int64_t experts_used = 2;  // by a token; <= experts
  float epsilon = 1e-5f;
  float rope_base = 10000.0f;
  runtime::ElementType weight_type = runtime::ElementType::kF16;
  runtime::ElementType cache_type = runtime::ElementType::kF16;
  bool heads_first = true;  // the copy that puts heads first
  bool streams = true;      // else all ops are on one
};

// rows x columns, of experts one after the other. Norm weights are one row of f32.
struct Weight {
  ValueId value;
  std::string name;
  int64_t rows = 0, columns = 0;
  runtime::ElementType type = runtime::ElementType::kF32;
};

struct DecoderGraph {
  Graph graph;
  std::vector<std::optional<runtime::KernelSpec>> specs;  // by OpId; none for data movements
  ValueId tokens, positions;                              // inputs: i32, one for each row
  ValueId logits;                                         // output: f32, rows x vocabulary
  // Constants: "embedding", "l0.attention.norm", "l0.q", "l0.k", "l0.v", "l0.o", "l0.block.norm", "l0.gate", "l0.up",
  // "l0.down", with experts "l0.router" too; "norm", "head".
  std::vector<Weight> weights;
  std::vector<ValueId> key_caches, value_caches;  // by layer: max_positions x kv_heads x head_dim
};

// `fusions`: the graph has the groups that ProposeFusions finds. ERRORS: InvalidArgument: heads no multiple of
// kv_heads, an odd head_dim, more experts used than there are, sizes below 1, more rows than positions.
absl::StatusOr<DecoderGraph> MakeDecoderGraph(const DecoderShape& shape, bool fusions);

}  // namespace bufplan::decoder

#endif  // BUFPLAN_EXAMPLES_DECODER_DECODER_GRAPH_H_
