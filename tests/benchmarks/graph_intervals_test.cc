#include "benchmarks/suite/graph_intervals.h"

#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/json_graph.h"
#include "planner/make_plan.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;

using Line = std::tuple<std::string, int64_t, int64_t, int64_t>;

std::vector<Line> Intervals(absl::string_view json) {
  const absl::StatusOr<Graph> graph = ReadGraphJson(json);
  EXPECT_TRUE(graph.ok()) << graph.status();
  const absl::StatusOr<Plan> plan = MakePlan(*graph);
  EXPECT_TRUE(plan.ok()) << plan.status();
  const Problem problem = IntervalsOf(*graph, *plan);
  EXPECT_TRUE(ValidateProblem(problem).ok());
  std::vector<Line> lines;
  for (const Buffer& b : problem.buffers) lines.emplace_back(b.name, b.bytes, b.begin, b.end);
  return lines;
}

TEST(GraphIntervalsTest, AStorageEach) {
  EXPECT_THAT(
      Intervals(R"json({"format": "bufplan.graph", "version": 1,
    "values": [{"name": "x", "bytes": 100, "role": "input"}, {"name": "a", "bytes": 50}, {"name": "y", "bytes": 70}],
    "ops": [{"name": "f", "reads": ["x"], "writes": ["a"]},
            {"name": "g", "reads": ["a"], "writes": ["y"], "scratch": 30}],
    "outputs": ["y"]})json"),
      ElementsAre(Line{"x", 100, 0, 2}, Line{"a", 50, 1, 3}, Line{"y", 70, 2, 4}, Line{"scratch of g", 30, 2, 3}));
}

// b takes a's place, v is a part of b: one storage, alive as long as any of them.
TEST(GraphIntervalsTest, ValuesThatShareAreOne) {
  EXPECT_THAT(Intervals(R"json({"format": "bufplan.graph", "version": 1,
    "values": [{"name": "c", "bytes": 100, "role": "constant"}, {"name": "a", "bytes": 100}, {"name": "b", "bytes": 100},
               {"name": "v", "bytes": 40}, {"name": "y", "bytes": 8}],
    "ops": [{"name": "f", "reads": ["c"], "writes": ["a"]},
            {"name": "g", "reads": ["a"], "writes": [{"value": "b", "in_place": [{"value": "a", "mode": "same_index"}]}]},
            {"name": "w", "kind": "view", "of": "b", "at": 60, "to": "v"},
            {"name": "h", "reads": ["v"], "writes": ["y"]}],
    "outputs": ["y"]})json"),
              ElementsAre(Line{"a", 100, 1, 5}, Line{"y", 8, 4, 6}));
}

}  // namespace
}  // namespace bufplan
