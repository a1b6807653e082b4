// Tokens generated with plans and without: the same, from the same logits.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "examples/decoder/generator.h"
#include "gpu_runtime/host/host_device.h"
#include "gtest/gtest.h"
#include "planner/make_plan.h"

namespace bufplan::decoder {
namespace {

constexpr int64_t kTokens = 10;
constexpr double kTolerance = 1e-3;  // of fused kernels, relative to the largest logit

struct Generated {
  std::vector<int32_t> tokens;
  std::vector<std::vector<float>> logits;
};

DecoderShape Shape(int64_t experts) {
  DecoderShape shape;
  shape.max_positions = kTokens;
  shape.experts = experts;
  return shape;
}

class DecoderGenerate : public testing::TestWithParam<int64_t> {
 protected:
  Generated Generate(runtime::Device& device, const DecoderGraph& graph, const Plan* plan) {
    Generated out;
    runtime::DevicePool pool(device);
    const absl::StatusOr<DeviceWeights> weights = DeviceWeights::Make(graph, 7, pool);
    EXPECT_TRUE(weights.ok()) << weights.status();
    const auto g = Generator::Make(graph, plan, *weights, pool, false);
    EXPECT_TRUE(g.ok()) << g.status();
    int32_t token = 3;
    for (int64_t i = 0; i < kTokens && g.ok(); ++i) {
      const absl::StatusOr<std::vector<float>> logits = (*g)->Step(token);
      EXPECT_TRUE(logits.ok()) << logits.status();
      if (!logits.ok()) break;
      token = static_cast<int32_t>(std::max_element(logits->begin(), logits->end()) - logits->begin());
      out.tokens.push_back(token);
      out.logits.push_back(*logits);
    }
    if (g.ok()) {
      EXPECT_EQ((*g)->Step(token).status().code(), absl::StatusCode::kFailedPrecondition);
    }
    return out;
  }
};

TEST_P(DecoderGenerate, TheSameTokensPlannedAndFused) {
  const absl::StatusOr<DecoderGraph> plain = MakeDecoderGraph(Shape(GetParam()), false);
  const absl::StatusOr<DecoderGraph> fusable = MakeDecoderGraph(Shape(GetParam()), true);
  ASSERT_TRUE(plain.ok() && fusable.ok());
  const absl::StatusOr<Plan> plan = MakePlan(plain->graph), fused = MakePlan(fusable->graph);
  ASSERT_TRUE(plan.ok() && fused.ok());
  EXPECT_EQ(plan->stats.copies_kept, 0);
  EXPECT_EQ(fused->stats.copies_kept, 0);
  EXPECT_TRUE(std::any_of(fused->fused.begin(), fused->fused.end(), [](const auto& f) { return f.fused; }));
  const std::unique_ptr<runtime::Device> threads = runtime::MakeHostDevice();
  const Generated reference = Generate(*threads, *plain, nullptr);
  ASSERT_EQ(reference.tokens.size(), static_cast<size_t>(kTokens));
  for (const float x : reference.logits.back()) ASSERT_TRUE(std::isfinite(x));
  // The step matters: not all logits are those of the first one.
  EXPECT_NE(reference.logits.front(), reference.logits.back());
  EXPECT_EQ(Generate(*threads, *plain, &*plan).logits, reference.logits);
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const std::unique_ptr<runtime::Device> interleaved = runtime::MakeHostDevice({.interleaving_seed = seed});
    EXPECT_EQ(Generate(*interleaved, *plain, &*plan).logits, reference.logits) << seed;
    const Generated some = Generate(*interleaved, *fusable, &*fused);
    EXPECT_EQ(some.tokens, reference.tokens) << seed;
    for (size_t p = 0; p < some.logits.size(); ++p) {
      const std::vector<float>&x = some.logits[p], &y = reference.logits[p];
      double largest = 0;
      for (float l : y) largest = std::max(largest, std::abs(double{l}));
      for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], kTolerance * largest) << p << " " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Blocks, DecoderGenerate, testing::Values(0, 6),
                         [](const auto& info) { return info.param == 0 ? "SwiGlu" : "Experts"; });

}  // namespace
}  // namespace bufplan::decoder
