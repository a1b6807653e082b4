#include "examples/decoder/decoder_graph.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gpu_runtime/registry/bind_kernels.h"
#include "gtest/gtest.h"
#include "ir/checker.h"
#include "planner/make_plan.h"
#include "tests/examples/decoder_model.h"
#include "tests/examples/decoder_reference.h"
#include "tests/gpu_runtime/registry/emulated_device.h"
#include "tests/gpu_runtime/registry/graph_run.h"
#include "tests/oracle/random.h"

namespace bufplan::decoder {
namespace {

using runtime::ElementType;
using runtime::GraphRun;
using runtime::KernelTable;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

constexpr DecoderShape kDense = {.layers = 2,
                                 .max_positions = 12,
                                 .vocabulary = 37,
                                 .hidden = 24,
                                 .heads = 6,
                                 .kv_heads = 2,
                                 .head_dim = 8,
                                 .inner = 33};

DecoderShape With(void (*change)(DecoderShape&)) {
  DecoderShape shape = kDense;
  change(shape);
  return shape;
}
const auto kFloats = [](DecoderShape& d) { d.weight_type = d.cache_type = ElementType::kF32; };

std::vector<std::pair<std::string, DecoderShape>> Shapes() {
  return {{"dense", kDense},
          {"floats", With(kFloats)},
          {"experts", With([](DecoderShape& d) { kFloats(d), d.experts = 5, d.experts_used = 2; })},
          {"experts_f16", With([](DecoderShape& d) { d.experts = 4, d.experts_used = 3; })},
          {"four_rows", With([](DecoderShape& d) { kFloats(d), d.rows = 4; })},
          {"experts_rows", With([](DecoderShape& d) { kFloats(d), d.rows = 3, d.experts = 5; })},
          {"positions_first", With([](DecoderShape& d) { kFloats(d), d.heads_first = false; })},
          {"one_stream", With([](DecoderShape& d) { kFloats(d), d.streams = false; })},
          {"bf16", With([](DecoderShape& d) { d.weight_type = d.cache_type = ElementType::kBF16; })}};
}

class Decoder : public ::testing::TestWithParam<std::pair<std::string, DecoderShape>> {
 protected:
  static DecoderGraph Make(bool fusions) {
    absl::StatusOr<DecoderGraph> d = MakeDecoderGraph(GetParam().second, fusions);
    EXPECT_TRUE(d.ok()) << d.status();
    return *std::move(d);
  }
};

TEST_P(Decoder, PlansKeepNoCopy) {
  for (bool fusions : {false, true}) {
    const DecoderGraph d = Make(fusions);
    ASSERT_EQ(d.specs.size(), d.graph.ops().size());
    for (Effort effort : {Effort::kFast, Effort::kDefault}) {
      PlanOptions options;
      options.effort = effort;
      const absl::StatusOr<Plan> plan = MakePlan(d.graph, options);
      ASSERT_TRUE(plan.ok()) << plan.status();
      EXPECT_EQ(plan->stats.copies_kept, 0);
      EXPECT_EQ(plan->stats.bytes_copied, 0);
      if (GetParam().second.heads_first) {
        // Attention reads the cache itself, head by head.
        const Location& keys = plan->location(*d.graph.FindValue("l0.k.by_head.y"));
        ASSERT_EQ(keys.kind, Location::Kind::kCaller);
        EXPECT_EQ(keys.owner(), d.key_caches[0]);
        EXPECT_NE(keys.strides, nullptr);
      }
      const int64_t last = GetParam().second.max_positions - GetParam().second.rows;
      for (int64_t s : {int64_t{0}, int64_t{1}, last}) {
        const absl::StatusOr<CheckReport> report =
            CheckPlan(d.graph, *plan, {.symbol_values = std::vector<int64_t>{s}});
        ASSERT_TRUE(report.ok()) << report.status();
        ASSERT_TRUE(report->ok()) << "at s=" << s << ": " << report->violations[0].message;
      }
      if (!fusions) continue;
      EXPECT_GT(std::count_if(plan->fused.begin(), plan->fused.end(), [](const auto& f) { return f.fused; }), 4);
    }
  }
}

TEST_P(Decoder, EveryComputeOpAndEveryFusionHasAKernel) {
  const DecoderGraph d = Make(true);
  const absl::StatusOr<KernelTable> table = BindKernels(d.graph, d.specs);
  ASSERT_TRUE(table.ok()) << table.status();
  for (size_t i = 0; i < d.graph.ops().size(); ++i) {
    EXPECT_EQ(table->of_op[i] != nullptr, d.graph.ops()[i].kind == OpKind::kCompute);
  }
  std::set<std::string> kernels;
  for (size_t i = 0; i < d.graph.fusions().size(); ++i) {
    EXPECT_TRUE(table->of_fusion[i]) << d.graph.fusions()[i].name;
    const std::string& name = d.graph.fusions()[i].name;
    kernels.insert(name.substr(0, name.find(':')));
  }
  EXPECT_THAT(kernels, IsSupersetOf({"rms_norm_mul", "add_rms_norm", "add_rms_norm_mul", "silu_mul", "rope_convert"}));
  const bool dense = GetParam().second.experts == 0;
  EXPECT_EQ(kernels.contains("top_k_moe"), !dense);
  EXPECT_EQ(kernels.contains("scale_sum"), !dense);
  EXPECT_TRUE(kernels.contains("matmul_add"));
}

// Logits of all steps; with a plan its groups are fused.
Matrix Decode(const DecoderGraph& d, const DecoderShape& shape, const Model& model, const std::vector<int32_t>& tokens,
              const Plan* plan) {
  const std::unique_ptr<runtime::Device> device = runtime::MakeEmulatedDevice({.team_size = 1});
  const absl::StatusOr<KernelTable> table = BindKernels(d.graph, d.specs);
  EXPECT_TRUE(table.ok()) << table.status();
  std::vector<bool> fused;
  for (size_t i = 0; plan != nullptr && i < plan->fused.size(); ++i) fused.push_back(plan->fused[i].fused);
  Matrix logits(tokens.size(), shape.vocabulary);
  std::map<ValueId, std::vector<std::byte>> caches;
  for (int64_t s = 0; s < static_cast<int64_t>(tokens.size()); s += shape.rows) {
    GraphRun run(d.graph, {s});
    for (const Weight& w : d.weights)
      std::memcpy(run.data(w.value), model.bytes.at(w.name).data(), model.bytes.at(w.name).size());
    for (int64_t r = 0; r < shape.rows; ++r) {
      const int32_t position = static_cast<int32_t>(s + r);
      std::memcpy(run.data(d.tokens) + 4 * r, &tokens[static_cast<size_t>(position)], 4);
      std::memcpy(run.data(d.positions) + 4 * r, &position, 4);
    }
    for (const auto& [v, bytes] : caches) std::memcpy(run.data(v), bytes.data(), bytes.size());
    run.RunAll(*device, *table, fused);
    for (ValueId v : d.key_caches) caches[v] = run.bytes(v);
    for (ValueId v : d.value_caches) caches[v] = run.bytes(v);
    const std::vector<float> found = run.floats(d.logits);
    for (size_t i = 0; i < found.size(); ++i) {
      logits(s + static_cast<int64_t>(i) / shape.vocabulary, static_cast<int64_t>(i) % shape.vocabulary) = found[i];
    }
  }
  return logits;
}

TEST_P(Decoder, StepByStepIsTheModel) {
  const DecoderShape& shape = GetParam().second;
  const DecoderGraph plain = Make(false), fused = Make(true);
  const Model model = RandomModel(plain, 71);
  Rng rng(73);
  std::vector<int32_t> tokens;
  for (int64_t i = 0; i < 8 / shape.rows * shape.rows; ++i) {
    tokens.push_back(static_cast<int32_t>(rng.Between(0, shape.vocabulary - 1)));
  }
  const Matrix expected = ReferenceLogits(shape, model.matrices, tokens);
  ASSERT_GT(expected.cwiseAbs().maxCoeff(), 0.5);
  // Activations and caches are rounded to 11 bits in f16, to 8 in bf16.
  const double tolerance = shape.weight_type == ElementType::kF32   ? 1e-4
                           : shape.weight_type == ElementType::kF16 ? 2e-2
                                                                    : 0.15;
  const Matrix found = Decode(plain, shape, model, tokens, nullptr);
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), tolerance);
  const absl::StatusOr<Plan> plan = MakePlan(fused.graph);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const Matrix as_groups = Decode(fused, shape, model, tokens, &*plan);
  EXPECT_LT((as_groups - expected).cwiseAbs().maxCoeff(), tolerance);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Decoder, ::testing::ValuesIn(Shapes()),
                         [](const auto& info) { return info.param.first; });

TEST(DecoderShapes, Faults) {
  const auto found = [](void (*change)(DecoderShape&)) {
    return std::string(MakeDecoderGraph(With(change), false).status().message());
  };
  EXPECT_THAT(found([](DecoderShape& d) { d.kv_heads = 4; }), HasSubstr("6 heads, no multiple of 4 kv_heads"));
  EXPECT_THAT(found([](DecoderShape& d) { d.rows = 13; }), HasSubstr("13 rows, only 12 positions"));
  EXPECT_THAT(found([](DecoderShape& d) { d.experts = 1; }), HasSubstr("2 of 1 experts used"));
  EXPECT_THAT(found([](DecoderShape& d) { d.layers = 0; }), HasSubstr("layers is 0"));
  const DecoderShape odd = With([](DecoderShape& d) { d.head_dim = 7; });
  EXPECT_THAT(std::string(MakeDecoderGraph(odd, true).status().message()), HasSubstr("head_dim"));
}

}  // namespace
}  // namespace bufplan::decoder
