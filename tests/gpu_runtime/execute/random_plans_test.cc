// Plans of random graphs of every profile, executed: they equal their reference, plain and under stress, on threads and
// in interleavings.
//
// More graphs: bazel test --test_env=BUFPLAN_RANDOM_GRAPHS=2000 //tests/gpu_runtime/execute:random_plans_test
// Other seeds: --test_env=BUFPLAN_RANDOM_SEED=1000000 (the first one)
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gpu_runtime/execute/compare.h"
#include "gpu_runtime/host/host_device.h"
#include "gtest/gtest.h"
#include "planner/make_plan.h"
#include "tests/oracle/concrete.h"
#include "tests/oracle/dump.h"
#include "tests/oracle/from_environment.h"
#include "tests/oracle/naive_plan.h"
#include "tests/oracle/random_graph.h"

namespace bufplan::runtime {
namespace {

class RandomPlans : public testing::TestWithParam<RandomGraphOptions> {
 protected:
  void ExpectEqual(Device& device, const Graph& graph, const Plan& plan, const CompareOptions& options,
                   const std::string& where) {
    const absl::StatusOr<Comparison> c = CompareWithReference(device, graph, plan, options);
    ASSERT_TRUE(c.ok()) << c.status() << " " << where;
    ASSERT_FALSE(c->difference.has_value()) << c->difference->text << ", run " << c->difference->run << "\n"
                                            << where << DumpGraph(graph) << DumpPlan(graph, plan);
    reads_ += c->reads_compared;
  }

  int64_t reads_ = 0;
};

TEST_P(RandomPlans, EqualTheirReference) {
  const uint64_t first = FromEnvironment("BUFPLAN_RANDOM_SEED", 1);
  const uint64_t count = FromEnvironment("BUFPLAN_RANDOM_GRAPHS", 60);
  const std::unique_ptr<Device> threads = MakeHostDevice();
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const absl::StatusOr<Graph> graph = RandomGraph(GetParam(), seed);
    ASSERT_TRUE(graph.ok()) << graph.status();
    const std::vector<std::vector<int64_t>> tuples = SymbolTuples(*graph, 3, seed);
    for (const Effort effort : {Effort::kFast, Effort::kDefault}) {
      absl::StatusOr<Plan> plan = MakePlan(*graph, {.effort = effort});
      ASSERT_TRUE(plan.ok()) << plan.status();
      for (const std::vector<int64_t>& tuple : tuples) {
        const std::string where = absl::StrCat(graph->name(), " seed ", seed, "\n");
        const std::unique_ptr<Device> interleaved = MakeHostDevice({.interleaving_seed = seed});
        CompareOptions options = {.symbol_values = tuple, .stress = graph->num_streams() > 1 ? 6 : 1, .seed = seed};
        ExpectEqual(*interleaved, *graph, *plan, options, where);
        if (HasFatalFailure()) return;
        options.stress = 1;
        options.capture = seed % 2 == 0;
        ExpectEqual(*threads, *graph, *plan, options, where);
        if (HasFatalFailure()) return;
      }
    }
    ExpectEqual(*threads, *graph, NaivePlan(*graph), {.symbol_values = tuples[0], .stress = 1, .seed = seed}, "naive");
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(reads_, static_cast<int64_t>(count));
}

INSTANTIATE_TEST_SUITE_P(Profiles, RandomPlans, testing::ValuesIn(RandomGraphOptions::Profiles()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bufplan::runtime
