// Plans of random graphs, and a decoder's steps, executed on each device: equal to the reference on the same device,
// enqueued and replayed, plain and under stress.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "examples/decoder/decoder_graph.h"
#include "examples/decoder/generator.h"
#include "gpu_runtime/execute/compare.h"
#include "gtest/gtest.h"
#include "planner/make_plan.h"
#include "tests/gpu_runtime/device/device_under_test.h"
#include "tests/oracle/concrete.h"
#include "tests/oracle/dump.h"
#include "tests/oracle/random_graph.h"

namespace bufplan::runtime {
namespace {

constexpr uint64_t kGraphs = 12;  // of each profile

class DevicePlans : public DeviceTest {};

TEST_P(DevicePlans, RandomGraphsEqualTheirReference) {
  for (const RandomGraphOptions& profile : RandomGraphOptions::Profiles()) {
    for (uint64_t seed = 1; seed <= kGraphs; ++seed) {
      const absl::StatusOr<Graph> graph = RandomGraph(profile, seed);
      ASSERT_TRUE(graph.ok()) << graph.status();
      const absl::StatusOr<Plan> plan = MakePlan(*graph);
      ASSERT_TRUE(plan.ok()) << plan.status();
      const CompareOptions options = {.symbol_values = SymbolTuples(*graph, 1, seed)[0],
                                      .stress = graph->num_streams() > 1 ? 3 : 1,
                                      .seed = seed,
                                      .capture = seed % 2 == 0};
      const absl::StatusOr<Comparison> c = CompareWithReference(device(), *graph, *plan, options);
      ASSERT_TRUE(c.ok()) << c.status() << " " << graph->name();
      ASSERT_FALSE(c->difference.has_value()) << c->difference->text << "\n"
                                              << graph->name() << "\n"
                                              << DumpGraph(*graph) << DumpPlan(*graph, *plan);
    }
  }
}

TEST_P(DevicePlans, DecoderStepsEqualTheirReference) {
  for (const int64_t experts : {0, 4}) {
    decoder::DecoderShape shape;
    shape.max_positions = 6;
    shape.experts = experts;
    const absl::StatusOr<decoder::DecoderGraph> graph = decoder::MakeDecoderGraph(shape, false);
    ASSERT_TRUE(graph.ok()) << graph.status();
    const absl::StatusOr<Plan> plan = MakePlan(graph->graph);
    ASSERT_TRUE(plan.ok()) << plan.status();
    DevicePool pool(device());
    const absl::StatusOr<decoder::DeviceWeights> weights = decoder::DeviceWeights::Make(*graph, 1, pool);
    ASSERT_TRUE(weights.ok()) << weights.status();
    std::vector<std::vector<float>> logits[2];
    for (const bool planned : {false, true}) {
      const auto g = decoder::Generator::Make(*graph, planned ? &*plan : nullptr, *weights, pool, planned);
      ASSERT_TRUE(g.ok()) << g.status();
      for (int32_t token = 0; token < shape.max_positions; ++token) {
        const absl::StatusOr<std::vector<float>> step = (*g)->Step(7 * token);
        if (step.status().code() == absl::StatusCode::kUnimplemented) GTEST_SKIP() << step.status().message();
        ASSERT_TRUE(step.ok()) << step.status();
        logits[planned ? 1 : 0].push_back(*step);
      }
    }
    EXPECT_EQ(logits[1], logits[0]);
  }
}

INSTANTIATE_TEST_SUITE_P(On, DevicePlans, testing::ValuesIn(DevicesUnderTest()), NameOf);

}  // namespace
}  // namespace bufplan::runtime
