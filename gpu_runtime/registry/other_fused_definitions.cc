#include "gpu_runtime/registry/other_fused_definitions.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gpu_runtime/kernels/elementwise.h"
#include "gpu_runtime/kernels/experts.h"
#include "gpu_runtime/kernels/rope.h"
#include "gpu_runtime/kernels/sort.h"
#include "gpu_runtime/registry/fused_words.h"
#include "gpu_runtime/registry/product_definitions.h"
#include "gpu_runtime/registry/row_definitions.h"

namespace bufplan::runtime {
namespace {

bool KeepsNothing(Chain chain) {
  for (const ChainMember& m : chain.first(chain.size() - 1)) {
    if (m.kept) return false;
  }
  return true;
}

FusedDefinition SiluMulDefinition() {
  return {
      .name = "silu_mul",
      .members = {"silu", "mul"},
      .matches =
          [](Chain chain) { return KeepsNothing(chain) && CountOf(chain[0]) == BinaryPeriod(chain[1], chain[1].link); },
      .in_place =
          [](Chain chain) {
            const size_t up = 1 - chain[1].link;
            std::vector<FusedInPlaceRule> rules;
            if (IsFull(chain[1], chain[1].link)) rules.push_back({1, 0, 0, 0});
            if (IsFull(chain[1], up)) rules.push_back({1, 0, 1, up});
            return rules;
          },
      .launch =
          [](Device& device, StreamHandle stream, Chain chain, absl::Span<const Launch> l) {
            const size_t gate = chain[1].link, up = 1 - gate;
            const int64_t count = BinaryPeriod(l[1], 0);
            device.Launch<SiluMul>(stream, ItemsOf(count),
                                   {l[0].read<float>(0), l[1].read<float>(up), l[1].write<float>(0), count,
                                    BinaryPeriod(l[1], gate), BinaryPeriod(l[1], up)});
          }};
}

// A full addend is first copied to the result, unless it lies there, and the product added by the library; so the bits
// do not depend on the place. A repeated one is added afterwards.
void LaunchMatmulAdd(Device& device, StreamHandle stream, Chain chain, absl::Span<const Launch> l) {
  const size_t product = chain[1].link, addend = 1 - product;
  float* y = l[1].write<float>(0);
  const float* x = l[1].read<float>(addend);
  const int64_t count = BinaryPeriod(l[1], 0), period = BinaryPeriod(l[1], addend);
  MatmulArgs args = MatmulArgsOf(l[0], y);
  if (period == count) {
    if (x != y) {
      device.Copy(stream, reinterpret_cast<std::byte*>(y), reinterpret_cast<const std::byte*>(x), 4 * count);
    }
    args.beta = 1.0f;
    device.Matmul(stream, args);
  } else {
    device.Matmul(stream, args);
    device.Launch<AddRows>(stream, ItemsOf(count), {y, x, y, count, period});
  }
}

FusedDefinition MatmulAddDefinition() {
  return {.name = "matmul_add",
          .members = {"matmul", "add"},
          .matches =
              [](Chain chain) {
                return KeepsNothing(chain) && IsFull(chain[1], chain[1].link) &&
                       CountOf(chain[0]) * IntegerOf(chain[0], "batches") == CountOf(chain[1]);
              },
          .in_place =
              [](Chain chain) {
                const size_t addend = 1 - chain[1].link;
                std::vector<FusedInPlaceRule> rules;
                if (IsFull(chain[1], addend)) rules.push_back({1, 0, 1, addend});
                return rules;
              },
          .same_bits = false,
          .launch = LaunchMatmulAdd};
}

bool AddChainMatches(Chain chain) {
  if (!KeepsNothing(chain)) return false;
  for (size_t i = 1; i < chain.size(); ++i) {
    if (CountOf(chain[i]) != CountOf(chain[0]) || !IsFull(chain[i], chain[i].link)) return false;
  }
  return true;
}

FusedDefinition AddChainDefinition() {
  return {.name = "add_chain",
          .members = {"add"},
          .max_repeats = AddChain::kMaxTerms - 1,
          .matches = AddChainMatches,
          .in_place =
              [](Chain chain) {
                std::vector<FusedInPlaceRule> rules;
                for (size_t i = 0; i < chain.size(); ++i) {
                  for (size_t slot : {0, 1}) {
                    const bool outside = i == 0 || slot != chain[i].link;
                    if (outside && IsFull(chain[i], slot)) rules.push_back({chain.size() - 1, 0, i, slot});
                  }
                }
                return rules;
              },
          .launch =
              [](Device& device, StreamHandle stream, Chain chain, absl::Span<const Launch> l) {
                AddChain::Args args{.y = l.back().write<float>(0), .count = BinaryPeriod(l[0], 0)};
                for (size_t i = 0; i < l.size(); ++i) {
                  for (size_t slot : {0, 1}) {
                    if (i > 0 && slot == chain[i].link) continue;
                    args.terms[args.num_terms] = l[i].read<float>(slot);
                    args.periods[args.num_terms++] = BinaryPeriod(l[i], slot);
                  }
                }
                device.Launch<AddChain>(stream, ItemsOf(args.count), args);
              }};
}

FusedDefinition TopKMoeDefinition() {
  return {.name = "top_k_moe",
          .members = {"softmax", "top_k", "normalize"},
          .matches =
              [](Chain chain) {
                return KeepsNothing(chain) && chain[0].op->num_reads == 1 && IntegerOf(chain[0], "causal") == Expr(0) &&
                       IntegerOf(chain[0], "rows") == IntegerOf(chain[1], "rows") &&
                       IntegerOf(chain[0], "columns") == IntegerOf(chain[1], "columns") &&
                       IntegerOf(chain[1], "rows") == IntegerOf(chain[2], "rows") &&
                       IntegerOf(chain[1], "k") == IntegerOf(chain[2], "columns");
              },
          .in_place = [](Chain) { return std::vector<FusedInPlaceRule>{}; },
          .launch =
              [](Device& device, StreamHandle stream, Chain, absl::Span<const Launch> l) {
                device.Launch<TopKMoe>(stream, l[0].integer("rows"),
                                       {l[0].read<float>(0), l[2].write<float>(0), l[1].write<int32_t>(1),
                                        l[0].integer("columns"), l[1].integer("k"), l[0].real("scale")});
              }};
}

// What the experts say, weighted and added up.
FusedDefinition ScaleSumDefinition() {
  return {.name = "scale_sum",
          .members = {"scale_rows", "sum_groups"},
          .matches =
              [](Chain chain) {
                return KeepsNothing(chain) && IntegerOf(chain[0], "columns") == IntegerOf(chain[1], "columns") &&
                       IntegerOf(chain[0], "rows") == IntegerOf(chain[1], "groups") * IntegerOf(chain[1], "members");
              },
          .in_place =
              [](Chain chain) {
                const bool in_order =
                    IntegerOf(chain[1], "groups") == Expr(1) || IntegerOf(chain[1], "members") == Expr(1);
                return in_order ? std::vector<FusedInPlaceRule>{{1, 0, 0, 0}} : std::vector<FusedInPlaceRule>{};
              },
          .launch =
              [](Device& device, StreamHandle stream, Chain, absl::Span<const Launch> l) {
                const int64_t groups = l[1].integer("groups"), columns = l[1].integer("columns");
                device.Launch<SumGroups>(stream, ItemsOf(groups * columns),
                                         {l[0].read<float>(0), l[0].read<float>(1), l[1].write<float>(0), groups,
                                          l[1].integer("members"), columns});
              }};
}

// Keys straight into their row of the cache. The cache lies on its base, not on what is turned.
FusedDefinition RopeConvertDefinition() {
  return {.name = "rope_convert",
          .members = {"rope", "convert"},
          .matches =
              [](Chain chain) {
                const ChainMember &rope = chain[0], &convert = chain[1];
                const Expr columns = IntegerOf(convert, "columns");
                return KeepsNothing(chain) && TypeOf(convert.op->spec, "x_type") == ElementType::kF32 &&
                       IntegerOr(convert.op->spec, "x_stride", 4 * columns) == 4 * columns &&
                       IntegerOf(rope, "rows") * IntegerOf(rope, "heads") * IntegerOf(rope, "head_dim") ==
                           CountOf(convert);
              },
          .in_place = [](Chain) { return std::vector<FusedInPlaceRule>{}; },
          .launch =
              [](Device& device, StreamHandle stream, Chain, absl::Span<const Launch> l) {
                const int64_t columns = l[1].integer("columns"), stride = l[1].integer("y_stride");
                const ElementType type = l[1].type("y_type");
                device.Launch<RopeConvert>(
                    stream, l[0].integer("rows"),
                    {l[0].read<float>(0), l[0].read<int32_t>(1), l[1].write<std::byte>(0), l[0].integer("heads"),
                     RopeShapeOf(l[0]), columns, stride != 0 ? stride : columns * SizeOf(type), type});
              }};
}

}  // namespace

std::vector<FusedDefinition> OtherFusedKernels() {
  return {SiluMulDefinition(), MatmulAddDefinition(), AddChainDefinition(),
          TopKMoeDefinition(), ScaleSumDefinition(),  RopeConvertDefinition()};
}

}  // namespace bufplan::runtime
