#include "planner/order/schedule.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/planner/cases/plan_case.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

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

// c needs a and is listed before d: the group of a and d runs at a's place.
TEST(Schedule, AGroupRunsBeforeWhatNeedsIt) {
  CaseGraph g;
  const ValueId x = g.Op("x", {}, 8);
  const ValueId a = g.Op("a", {x}, 8), c = g.Op("c", {a}, 8), d = g.Op("d", {a}, 8);
  g.R("r", {c, d});
  g.AddFusion(Group("f", {OpId(1), OpId(3)}));
  const Graph graph = BuildOrDie(std::move(g));
  EXPECT_EQ(graph.fusions()[0].at, OpId(1));
  const absl::StatusOr<Schedule> s = Schedule::Create(graph, {FusionId(0)});
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(s->End(), 4);
  EXPECT_THAT(s->UnitAt(1), ElementsAre(OpId(1), OpId(3)));
  EXPECT_THAT(s->UnitAt(2), ElementsAre(OpId(2)));
  EXPECT_EQ(s->OpAt(1), OpId(3));
  EXPECT_EQ(s->OpAt(2), OpId(2));
  EXPECT_EQ(s->FusionAt(1), FusionId(0));
  EXPECT_TRUE(s->Fused(FusionId(0)));
  EXPECT_EQ(s->TimeOf(OpId(4)), 3);
}

// The last member reads b, and c reads the first: the group runs between b and c, where no member is listed.
TEST(Schedule, AGroupRunsBetweenWhatItNeedsAndWhatNeedsIt) {
  CaseGraph g;
  const ValueId a = g.Op("a", {}, 8), b = g.Op("b", {}, 8), c = g.Op("c", {a}, 8);
  g.R("r", {c, g.Op("d", {a, b}, 8)});
  g.AddFusion(Group("f", {OpId(0), OpId(3)}));
  const Graph graph = BuildOrDie(std::move(g));
  EXPECT_EQ(graph.fusions()[0].at, OpId(1));
  const absl::StatusOr<Schedule> s = Schedule::Create(graph, {FusionId(0)});
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_THAT(s->UnitAt(0), ElementsAre(OpId(1)));
  EXPECT_THAT(s->UnitAt(1), ElementsAre(OpId(0), OpId(3)));
  EXPECT_THAT(s->UnitAt(2), ElementsAre(OpId(2)));
}

// On another stream c reads a before the list comes to d: the group stays at d's place, and c waits for it.
TEST(Schedule, WhatNeedsAGroupOnAnotherStreamWaitsForIt) {
  CaseGraph g;
  const StreamId s0 = g.AddStream("s0"), s1 = g.AddStream("s1");
  const ValueId a = g.Op("a", {}, 8, {}, {.stream = s0}), b = g.Op("b", {}, 8, {}, {.stream = s0});
  const ValueId c = g.Op("c", {a}, 8, {}, {.stream = s1});
  g.R("r", {b, c, g.Op("d", {a}, 8, {}, {.stream = s0})}, {.stream = s0});
  g.AddFusion(Group("f", {OpId(0), OpId(3)}));
  const Graph graph = BuildOrDie(std::move(g));
  EXPECT_EQ(graph.fusions()[0].at, OpId(3));
  const absl::StatusOr<Schedule> s = Schedule::Create(graph, {FusionId(0)});
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_TRUE(s->Before(s->TimeOf(OpId(0)), s->TimeOf(OpId(2))));
  EXPECT_LT(s->TimeOf(OpId(0)), s->TimeOf(OpId(2)));
  EXPECT_TRUE(s->Before(s->TimeOf(OpId(1)), s->TimeOf(OpId(2))));
  EXPECT_EQ(s->StreamOf(s->TimeOf(OpId(2))), s1.value);
}

// Each of them could run alone.
TEST(Schedule, GroupsThatNeedEachOtherAreRefused) {
  for (const int streams : {1, 2}) {
    SCOPED_TRACE(streams);
    CaseGraph g;
    const StreamId s0 = g.AddStream("s0"), s1 = streams == 1 ? s0 : g.AddStream("s1");
    const ValueId a = g.Op("a", {}, 8, {}, {.stream = s0}), b = g.Op("b", {}, 8, {}, {.stream = s1});
    g.Op("c", {b}, 8, {}, {.stream = s0});
    g.Op("d", {a}, 8, {}, {.stream = s1});
    g.AddFusion(Group("f", {OpId(0), OpId(2)}));
    g.AddFusion(Group("h", {OpId(1), OpId(3)}));
    const Graph graph = BuildOrDie(std::move(g));
    for (const FusionId alone : {FusionId(0), FusionId(1)}) {
      EXPECT_TRUE(Schedule::Create(graph, {alone}).ok()) << Schedule::Create(graph, {alone}).status();
    }
    const absl::Status both = Schedule::Create(graph, {FusionId(0), FusionId(1)}).status();
    EXPECT_EQ(both.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(both.message()), HasSubstr("the fused groups make a cycle: fusion \""));
    EXPECT_THAT(std::string(both.message()), HasSubstr("fusion \"f\""));
    EXPECT_THAT(std::string(both.message()), HasSubstr("fusion \"h\""));
  }
}

// The group writes a where its last member stands, and that is too late.
TEST(Schedule, AKeepAliveThatEndsBeforeTheGroupRunsIsRefused) {
  for (const bool other_stream : {false, true}) {
    CaseGraph g;
    const StreamId s0 = g.AddStream("s0"), s1 = g.AddStream("s1");
    const ValueId a = g.Op("a", {}, 8, {}, {.stream = s0});
    const ValueId b = g.Op("b", {}, 8, {}, {.stream = s0});
    g.Op("c", {a}, 8, {}, {.stream = s0});
    const OpId d = g.R("d", {b}, {.stream = s1});
    g.AddFusion(Group("f", {OpId(0), OpId(2)}));
    g.KeepAliveUntil(a, other_stream ? d : OpId(1));
    const Graph graph = BuildOrDie(std::move(g));
    EXPECT_TRUE(Schedule::Create(graph, {}).ok());
    const absl::StatusOr<Schedule> s = Schedule::Create(graph, {FusionId(0)});
    ASSERT_TRUE(absl::IsInvalidArgument(s.status())) << s.status();
    for (const char* name : {"value \"a.out\"", other_stream ? "op \"d\"" : "op \"b\"", "fusion \"f\"", "\"c\""}) {
      EXPECT_THAT(s.status().message(), HasSubstr(name));
    }
    EXPECT_EQ(Schedule::Create(graph, {FusionId(0)}, {{OpId(2), d}}).ok(), other_stream) << "with an edge it is there";
  }
}

Graph TwoStreams() {
  CaseGraph g;
  const StreamId s0 = g.AddStream("s0"), s1 = g.AddStream("s1");
  g.Barrier("a", {.stream = s0});
  g.Barrier("b", {.stream = s1});
  g.Barrier("c", {.stream = s0});
  g.Barrier("d", {.stream = s1});
  return BuildOrDie(std::move(g));
}

void ExpectPlaces(const Schedule& s, const std::vector<int32_t>& times_by_place) {
  for (int32_t place = 0; place < s.End(); ++place) {
    EXPECT_EQ(s.TimeAtPlace(place), times_by_place[static_cast<size_t>(place)]);
    EXPECT_EQ(s.PlaceOf(s.TimeAtPlace(place)), place);
  }
  EXPECT_EQ(s.PlaceOf(Schedule::kStart), Schedule::kStart);
  EXPECT_EQ(s.TimeAtPlace(Schedule::kStart), Schedule::kStart);
  EXPECT_EQ(s.PlaceOf(s.End()), s.End());
  EXPECT_EQ(s.TimeAtPlace(s.End()), s.End());
}

TEST(Schedule, AnAddedEdgeForwardInTheList) {
  const Graph graph = TwoStreams();
  const absl::StatusOr<Schedule> s = Schedule::Create(graph, {}, {{OpId(0), OpId(3)}});
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_TRUE(s->Before(0, 3));
  EXPECT_FALSE(s->Before(0, 1) || s->Before(2, 3) || s->Before(3, 2));
  ExpectPlaces(*s, {0, 1, 2, 3});
  EXPECT_EQ(s->LastBeforeBoth(2, 3), 0);
  EXPECT_EQ(s->LastBeforeBoth(1, 2), Schedule::kStart);
}

// b waits for c, so the list is no run: a, c, b, d.
TEST(Schedule, AnAddedEdgeBackwardInTheList) {
  const Graph graph = TwoStreams();
  const absl::StatusOr<Schedule> s = Schedule::Create(graph, {}, {{OpId(2), OpId(1)}});
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_TRUE(s->Before(2, 1) && s->Before(0, 1) && s->Before(2, 3));
  EXPECT_FALSE(s->Before(1, 2));
  ExpectPlaces(*s, {0, 2, 1, 3});
  EXPECT_EQ(s->LastBeforeBoth(1, 3), 2) << "later in the run than a";
  EXPECT_EQ(s->chain_times().OverFor(2)[1], 0) << "all of b's stream comes after c";
  EXPECT_EQ(s->chain_times().OverFor(1)[0], 2) << "c is at place 1";
}

TEST(Schedule, EdgesThatMakeACycleAreRefusedByName) {
  const Graph graph = TwoStreams();
  const absl::StatusOr<Schedule> s = Schedule::Create(graph, {}, {{OpId(2), OpId(1)}, {OpId(3), OpId(0)}});
  ASSERT_TRUE(absl::IsInvalidArgument(s.status())) << s.status();
  for (const char* name : {"\"a\"", "\"b\"", "\"c\"", "\"d\""}) {
    EXPECT_THAT(s.status().message(), HasSubstr(name));
  }
  EXPECT_THAT(s.status().message(), Not(HasSubstr("fusion"))) << "there is none";
}

TEST(Schedule, OtherEdgesTakeThePlaceOfTheAddedOnes) {
  CaseGraph g;
  const StreamId s0 = g.AddStream("s0"), s1 = g.AddStream("s1");
  const ValueId a = g.Op("a", {}, 8, {}, {.stream = s0});
  g.Op("b", {a}, 8, {}, {.stream = s0});
  g.Op("c", {}, 8, {}, {.stream = s1});
  g.Op("d", {}, 8, {}, {.stream = s1});
  g.AddFusion(Group("f", {OpId(0), OpId(1)}));
  const Graph graph = BuildOrDie(std::move(g));
  const absl::StatusOr<Schedule> first = Schedule::Create(graph, {FusionId(0)}, {{OpId(0), OpId(2)}});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(first->Before(1, 2)) << "an edge from a member is one from the group";
  const absl::StatusOr<Schedule> second = first->WithEdges({{OpId(3), OpId(1)}});
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_TRUE(second->Before(3, 1) && second->Before(2, 1));
  EXPECT_FALSE(second->Before(1, 2));
  EXPECT_EQ(second->FusionAt(1), FusionId(0)) << "groups stay";
  EXPECT_TRUE(second->Swallowed(a));
  EXPECT_LT(second->PlaceOf(3), second->PlaceOf(1));
  EXPECT_FALSE(first->WithEdges({{OpId(3), OpId(0)}, {OpId(1), OpId(2)}}).ok());
}

}  // namespace
}  // namespace bufplan
