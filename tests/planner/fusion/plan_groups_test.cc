#include "planner/fusion/plan_groups.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;

// x -> a -> b; a's result is the large one.
Graph Pair(int64_t capacity) {
  GraphBuilder b;
  b.AddSpace("device", {.capacity_bytes = capacity});
  const ValueId x = b.Input("x", 64);
  const ValueId a = b.Compute("a", {.reads = {x}, .writes = {{.bytes = 256}}});
  b.Output(b.Compute("b", {.reads = {a}, .writes = {{.bytes = 64}}}));
  Fusion f;
  f.name = "f";
  f.ops = {OpId(0), OpId(1)};
  b.AddFusion(f);
  return *std::move(b).Build();
}

TEST(PlanGroups, PlansTheGroupsAsTold) {
  const Graph graph = Pair(1000);
  int64_t work = 0;
  const absl::StatusOr<GroupPlan> separate = PlanGroups(graph, {}, {}, work);
  const absl::StatusOr<GroupPlan> fused = PlanGroups(graph, {FusionId(0)}, {}, work);
  ASSERT_TRUE(separate.ok() && fused.ok());
  EXPECT_EQ(separate->bytes, 320);
  EXPECT_FALSE(separate->plan.fused[0].fused);
  EXPECT_EQ(fused->bytes, 128);
  EXPECT_TRUE(fused->plan.fused[0].fused);
  EXPECT_EQ(fused->problems.size(), 1u);
  EXPECT_EQ(fused->moved_bytes, 0);
}

TEST(PlanGroups, ALoadMindsNoCapacity) {
  const Graph graph = Pair(100);
  int64_t work = 0;
  EXPECT_EQ(PlanGroups(graph, {}, {}, work).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(*LoadOfGroups(graph, {}, {}), ElementsAre(320));
  EXPECT_THAT(*LoadOfGroups(graph, {FusionId(0)}, {}), ElementsAre(128));
}

TEST(PlanGroups, ALoadKnowsWhatIsImpossible) {
  GraphBuilder b;
  const ValueId a = b.Compute("a", {.reads = {}, .writes = {{.bytes = 64}}});
  b.Compute("until", {});
  b.Compute("c", {.reads = {a}, .writes = {{.bytes = 64}}});
  b.KeepAliveUntil(a, OpId(1));
  Fusion f;
  f.name = "f";
  f.ops = {OpId(0), OpId(2)};
  b.AddFusion(f);
  const Graph graph = *std::move(b).Build();
  EXPECT_TRUE(LoadOfGroups(graph, {}, {}).ok());
  EXPECT_EQ(LoadOfGroups(graph, {FusionId(0)}, {}).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace bufplan
