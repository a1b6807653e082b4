#include "planner/make_plan.h"

#include <cstdint>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "tests/ir/built.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string RefusalOf(const Graph& graph, const PlanOptions& options = {}) {
  const absl::StatusOr<Plan> plan = MakePlan(graph, options);
  EXPECT_FALSE(plan.ok());
  return std::string(plan.status().message());
}

TEST(MakePlan, TheExampleOfTheHeader) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 4096);
  const ValueId y = b.Compute("relu", {.reads = {x}, .writes = {{.bytes = 4096, .in_place = {x}}}});
  b.Output(y);
  const absl::StatusOr<Plan> plan = MakePlan(Built(std::move(b)), {.effort = Effort::kFast});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->location(y), plan->location(x));
  EXPECT_EQ(plan->arenas[0].bytes, 4096);
  EXPECT_TRUE(plan->optimal);
}

TEST(MakePlan, PinsThatMeetAreNamed) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 64, {.pinned_offset_bytes = 0});
  const ValueId y = b.Input("y", 64, {.pinned_offset_bytes = 32});
  b.Compute("o", {.reads = {x, y}});
  EXPECT_THAT(RefusalOf(Built(std::move(b))),
              HasSubstr("values \"x\" and \"y\": pinned to offsets 0 and 32 of space \"device\""));
}

TEST(MakePlan, APinOfNoBytesMayLieBeyondTheArena) {
  GraphBuilder b;
  b.AddSpace("d", {.max_allocation_bytes = 128});
  const ValueId none = b.Input("none", 0, {.pinned_offset_bytes = 128});
  const ValueId some = b.Input("some", 64, {.pinned_offset_bytes = 64});
  const absl::StatusOr<Plan> plan = MakePlan(Built(std::move(b)));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->location(none).offset_bytes, Expr(128));
  EXPECT_EQ(plan->location(some).offset_bytes, Expr(64));
}

TEST(MakePlan, AnOperandsMultipleIsOfItsValueNotOfTheRegion) {
  GraphBuilder b;
  b.Input("first", 4);
  const ValueId x = b.Input("x", 64);
  b.Compute("o", {.reads = {Operand(x, Region{4, 8, {}}, false, 16)}});
  const absl::StatusOr<Plan> plan = MakePlan(Built(std::move(b)));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->location(x).offset_bytes.constant() % 16, 0);
}

TEST(MakePlan, AMissedCapacityNamesThePeakWhoIsLiveAndWhatWorks) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 100);
  const ValueId y = b.Compute("f", {.reads = {x}, .writes = {{.name = "y", .bytes = 200}}});
  b.Compute("g", {.reads = {x, y}, .writes = {{.name = "z", .bytes = 50}}});
  const Graph graph = Built(std::move(b));
  const std::string refusal = RefusalOf(graph, {.capacity_bytes = 349});
  for (const char* part : {"capacity=349", "op \"g\": 350 bytes", "\"y\" 200", "\"x\" 100", "\"z\" 50",
                           "the least capacity known to work is 350"}) {
    EXPECT_THAT(refusal, HasSubstr(part));
  }
  EXPECT_TRUE(MakePlan(graph, {.capacity_bytes = 350}).ok());
  // All three are needed to miss 349 bytes, and one or two to miss less.
  EXPECT_THAT(refusal, Not(HasSubstr("alone")));
  EXPECT_THAT(RefusalOf(graph, {.capacity_bytes = 299}),
              HasSubstr("; these 2 storages alone do not fit: \"y\" 200, \"x\" 100;"));
  EXPECT_THAT(RefusalOf(graph, {.capacity_bytes = 150}), HasSubstr("; this storage alone does not fit: \"y\" 200;"));
}

TEST(MakePlan, OptionsAreChecked) {
  const Graph graph = Built(GraphBuilder());
  EXPECT_THAT(RefusalOf(graph, {.capacity_bytes = -1}), HasSubstr("capacity=-1, must be >= 0"));
  EXPECT_THAT(RefusalOf(graph, {.work_limit = -1}), HasSubstr("work limit=-1, must be >= 0"));
}

TEST(MakePlan, ElideMustIsRefusedWithTheReason) {
  GraphBuilder b;
  b.AddSpace("device", {});
  const SpaceId host = b.AddSpace("host", {});  // another memory
  const ValueId x = b.Input("x", 64);
  b.Output(b.Transfer("c", x, Target("y", {.space = host}), {.elide = Elide::kMust}));
  const absl::StatusOr<Plan> plan = MakePlan(Built(std::move(b)));
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(plan.status().message()), HasSubstr("op \"c\": elide is \"must\", but 64 bytes are moved"));
}

TEST(MakePlan, ElideMustIsMet) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 64);
  b.Output(b.Clone("c", x, {}, {.elide = Elide::kMust}));
  const absl::StatusOr<Plan> plan = MakePlan(Built(std::move(b)));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->stats.bytes_copied, 0);
}

}  // namespace
}  // namespace bufplan
