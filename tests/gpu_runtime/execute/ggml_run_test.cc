// The real graphs of tests/data/ggml, planned with their regions and executed: they equal their reference. Of each
// write both ends are looked at, so that gigabytes take seconds.
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "gpu_runtime/execute/compare.h"
#include "gpu_runtime/host/host_device.h"
#include "gtest/gtest.h"
#include "io/ggml.h"
#include "planner/make_plan.h"
#include "tests/planner/ggml_dumps.h"

namespace bufplan::runtime {
namespace {

constexpr GgmlRegions kRegions[] = {GgmlRegions::kKeep, GgmlRegions::kFuse, GgmlRegions::kStreams};

class GgmlRun : public testing::TestWithParam<std::tuple<const char*, GgmlRegions>> {};

void ExpectEqual(Device& device, const Graph& graph, const Plan& plan) {
  const CompareOptions options = {.stress = 1, .sample_bytes = 4096};
  const absl::StatusOr<Comparison> c = CompareWithReference(device, graph, plan, options);
  ASSERT_TRUE(c.ok()) << c.status();
  EXPECT_FALSE(c->difference.has_value()) << c->difference->text << ", run " << c->difference->run;
  EXPECT_EQ(c->runs, 2);
  // The plain run compares what ops read, the one under stress all of that at least.
  EXPECT_GE(c->reads_compared, 2 * static_cast<int64_t>(graph.ops().size()) / 2);
  EXPECT_LE(c->planned_bytes, c->reference_bytes);
}

TEST_P(GgmlRun, EqualsItsReference) {
  const auto [name, regions] = GetParam();
  const absl::StatusOr<Graph> graph = GraphOfGgmlDump(GgmlDumpOf(name), {.regions = regions});
  ASSERT_TRUE(graph.ok()) << graph.status();
  const absl::StatusOr<Plan> plan = MakePlan(*graph, {});
  ASSERT_TRUE(plan.ok()) << plan.status();
  ExpectEqual(*MakeHostDevice(), *graph, *plan);
  if (graph->num_streams() > 1) {
    EXPECT_EQ(regions, GgmlRegions::kStreams);
    ExpectEqual(*MakeHostDevice({.interleaving_seed = 1}), *graph, *plan);
  }
}

std::string NameOf(const testing::TestParamInfo<std::tuple<const char*, GgmlRegions>>& info) {
  const GgmlRegions regions = std::get<1>(info.param);
  const char* const text = regions == GgmlRegions::kKeep ? "keep" : regions == GgmlRegions::kFuse ? "fuse" : "streams";
  return absl::StrCat(std::get<0>(info.param), "_", text);
}

INSTANTIATE_TEST_SUITE_P(All, GgmlRun, testing::Combine(testing::ValuesIn(kGgmlGraphs), testing::ValuesIn(kRegions)),
                         NameOf);

}  // namespace
}  // namespace bufplan::runtime
