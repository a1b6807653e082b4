#include "planner/order/schedule.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/planner/cases/plan_case.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Graph BuildOrDie(CaseGraph g) {
  absl::StatusOr<Graph> graph = std::move(g).Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *std::move(graph);
}

Fusion Group(absl::string_view name, std::vector<OpId> ops) {
  Fusion fusion;
  fusion.name = std::string(name);
  fusion.ops = std::move(ops);
  return fusion;
}

TEST(Schedule, EveryOpIsAUnitWithoutGroups) {
  CaseGraph g;
  for (int i = 0; i < 3; ++i) g.Barrier("");
  const Graph graph = BuildOrDie(std::move(g));
  const absl::StatusOr<Schedule> s = Schedule::Create(graph, {});
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(s->End(), 3);
  EXPECT_TRUE(s->one_stream());
  for (int32_t t = 0; t < 3; ++t) {
    EXPECT_EQ(s->TimeOf(OpId(t)), t);
    EXPECT_THAT(s->UnitAt(t), ElementsAre(OpId(t)));
    EXPECT_EQ(s->FusionAt(t), std::nullopt);
    EXPECT_EQ(s->LatestConcurrent(t), t);
  }
  EXPECT_TRUE(s->Before(0, 2));
  EXPECT_FALSE(s->Before(2, 0));
  EXPECT_FALSE(s->Before(1, 1));
}

TEST(Schedule, TheStartIsBeforeAllAndTheEndAfterAll) {
  CaseGraph g;
  const StreamId a = g.AddStream("a"), b = g.AddStream("b");
  g.Barrier("", {.stream = a});
  g.Barrier("", {.stream = b});
  const Graph graph = BuildOrDie(std::move(g));
  const absl::StatusOr<Schedule> s = Schedule::Create(graph, {});
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_FALSE(s->one_stream());
  for (int32_t t : {0, 1}) {
    EXPECT_TRUE(s->Before(Schedule::kStart, t));
    EXPECT_FALSE(s->Before(t, Schedule::kStart));
    EXPECT_TRUE(s->Before(t, s->End()));
    EXPECT_FALSE(s->Before(s->End(), t));
  }
  EXPECT_TRUE(s->Before(Schedule::kStart, s->End()));
  EXPECT_FALSE(s->Before(Schedule::kStart, Schedule::kStart));
  EXPECT_FALSE(s->Before(s->End(), s->End()));
  EXPECT_FALSE(s->Before(0, 1) || s->Before(1, 0));
  EXPECT_EQ(s->LatestConcurrent(0), 1);
  EXPECT_EQ(s->LatestConcurrent(s->End()), s->End());
  EXPECT_EQ(s->LatestConcurrent(Schedule::kStart), Schedule::kStart);
}

TEST(Schedule, AGroupRunsAtItsLastMembersPlace) {
  CaseGraph g;
  const ValueId x = g.Op("x", {}, 8);
  const ValueId a = g.Op("a", {x}, 8);
  g.Op("foreign", {x}, 8);
  const ValueId b = g.Op("b", {a}, 8);
  g.AddFusion(Group("f", {OpId(1), OpId(3)}));
  g.Output(b);
  const Graph graph = BuildOrDie(std::move(g));
  const absl::StatusOr<Schedule> s = Schedule::Create(graph, {FusionId(0)});
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(s->TimeOf(OpId(1)), 3);
  EXPECT_EQ(s->TimeOf(OpId(3)), 3);
  EXPECT_EQ(s->TimeOf(OpId(2)), 2);
  EXPECT_THAT(s->UnitAt(1), IsEmpty());
  EXPECT_THAT(s->UnitAt(3), ElementsAre(OpId(1), OpId(3)));
  EXPECT_EQ(s->FusionAt(3), FusionId(0));
  EXPECT_EQ(s->FusionAt(1), std::nullopt);
  EXPECT_TRUE(s->Fused(FusionId(0)));
  EXPECT_TRUE(s->Swallowed(a));
  EXPECT_FALSE(s->Swallowed(b));
  EXPECT_FALSE(s->Swallowed(x));
}

TEST(Schedule, WhatIsUsedOutsideIsNotSwallowed) {
  CaseGraph g;
  const ValueId read = g.Op("a", {}, 8), base = g.Op("b", {}, 8), output = g.Op("c", {}, 8), kept = g.Op("d", {}, 8);
  const ValueId committed = g.Op("e", {}, 8), viewed = g.Op("f", {}, 8), inside = g.Op("g", {}, 8);
  const ValueId last = g.Op("h", {read, base, output, kept, committed, viewed, inside}, 8);
  std::vector<OpId> ops;
  for (int32_t i = 0; i < 8; ++i) ops.push_back(OpId(i));
  g.AddFusion(Group("f", ops));
  g.R("r", {read});
  g.W("w", base, 0, 4);
  g.Output(output);
  const OpId until = g.Barrier("until");
  g.KeepAliveUntil(kept, until);
  const ValueId variable = g.Variable("v", 8);
  g.Commit("commit", committed, variable);
  g.View("view", viewed, 0, 4);
  const Graph graph = BuildOrDie(std::move(g));
  const absl::StatusOr<Schedule> s = Schedule::Create(graph, {FusionId(0)});
  ASSERT_TRUE(s.ok()) << s.status();
  for (ValueId v : {read, base, output, kept, committed, viewed}) EXPECT_FALSE(s->Swallowed(v)) << graph.name(v);
  for (ValueId v : {inside, last}) EXPECT_TRUE(s->Swallowed(v)) << graph.name(v);
}

// A group takes over what happens before and after any of its members.
TEST(Schedule, AGroupIsOrderedLikeAllOfItsMembers) {
  CaseGraph g;
  const StreamId main = g.AddStream("main"), side = g.AddStream("side");
  const ValueId x = g.Op("x", {}, 8, {}, {.stream = side});
  g.Op("a", {x}, 8, {}, {.stream = main});
  g.Op("b", {}, 8, {}, {.stream = main});
  g.Op("y", {}, 8, {}, {.stream = side});
  g.AddFusion(Group("f", {OpId(1), OpId(2)}));
  const Graph graph = BuildOrDie(std::move(g));
  const absl::StatusOr<Schedule> s = Schedule::Create(graph, {FusionId(0)});
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_TRUE(s->Before(0, 2));
  EXPECT_FALSE(s->Before(2, 3) || s->Before(3, 2));
}

// Two ways from a's producer to `until`, by b and by d on its stream; each group moves one behind.
TEST(Schedule, GroupsThatTogetherBreakAKeepAliveAreRefused) {
  CaseGraph g;
  const StreamId s0 = g.AddStream("s0"), s1 = g.AddStream("s1"), s2 = g.AddStream("s2"), s3 = g.AddStream("s3");
  const ValueId v = g.Op("v", {}, 8, {}, {.stream = s0});
  const ValueId a = g.Op("a", {v}, 8, {}, {.stream = s1}), b = g.Op("b", {}, 8, {}, {.stream = s1});
  const ValueId c = g.Op("c", {v}, 8, {}, {.stream = s2}), d = g.Op("d", {}, 8, {}, {.stream = s2});
  const OpId until = g.R("until", {b, d}, {.stream = s3});
  g.Op("e", {a}, 8, {}, {.stream = s1});
  g.Op("f", {c}, 8, {}, {.stream = s2});
  g.AddFusion(Group("ae", {OpId(1), OpId(6)}));
  g.AddFusion(Group("cf", {OpId(3), OpId(7)}));
  g.KeepAliveUntil(v, until);
  const Graph graph = BuildOrDie(std::move(g));
  for (const FusionId f : {FusionId(0), FusionId(1)}) {
    const absl::StatusOr<Schedule> alone = Schedule::Create(graph, {f});
    ASSERT_TRUE(alone.ok()) << alone.status();
    EXPECT_TRUE(alone->Fused(f));
    EXPECT_FALSE(alone->Fused(FusionId(1 - f.value)));
  }
  const absl::Status both = Schedule::Create(graph, {FusionId(0), FusionId(1)}).status();
  EXPECT_EQ(both.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(both.message()),
              HasSubstr("keep_alive of value \"v.out\" until op \"until\": its producer \"v\" is not ordered before "
                        "that any more, as fusion \"ae\" runs \"a\" at the place of \"e\""));
}

TEST(Schedule, GroupsMayInterleave) {
  CaseGraph g;
  const StreamId s0 = g.AddStream("s0"), s1 = g.AddStream("s1");
  const ValueId a = g.Op("a", {}, 8, {}, {.stream = s0});
  const ValueId b = g.Op("b", {}, 8, {}, {.stream = s1});
  g.Op("c", {a}, 8, {}, {.stream = s0});
  g.Op("d", {a, b}, 8, {}, {.stream = s1});
  g.AddFusion(Group("f", {OpId(0), OpId(2)}));
  g.AddFusion(Group("h", {OpId(1), OpId(3)}));
  const Graph graph = BuildOrDie(std::move(g));
  const absl::StatusOr<Schedule> s = Schedule::Create(graph, {FusionId(0), FusionId(1)});
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(s->TimeOf(OpId(0)), 2);
  EXPECT_EQ(s->TimeOf(OpId(1)), 3);
  EXPECT_TRUE(s->Before(2, 3));
  EXPECT_FALSE(s->Before(3, 2));
}

}  // namespace
}  // namespace bufplan
