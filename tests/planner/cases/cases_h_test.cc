// Section H of docs/cases.md: sizes and limits.
#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/checker.h"
#include "ir/problem.h"
#include "ir/where.h"
#include "planner/make_plan.h"
#include "planner/plan_problem.h"
#include "tests/planner/cases/plan_case.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;

TEST(CasesH, H1AValueOf16GiB) {
  CaseGraph g;
  const ValueId a = g.Op("f", {}, int64_t{1} << 34);
  g.Output(a);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_EQ(ArenaBytes(plan), int64_t{1} << 34);
    EXPECT_EQ(OffsetOf(graph, plan, a), 0);
  });
}

TEST(CasesH, H2SumsBeyond64BitsAreRefused) {
  CaseGraph g;
  const ValueId a = g.Op("fa", {}, int64_t{1} << 62), b = g.Op("fb", {}, int64_t{1} << 62);
  g.R("r", {a, b});
  const absl::Status refusal = g.BuildRefusal();
  EXPECT_EQ(refusal.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("value \"fb.out\""));
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("add up to more than 2^62"));
  EXPECT_EQ(FaultPlace(refusal), "/values/1/bytes");
}

TEST(CasesH, H2ASizeThatAlignsBeyond64BitsIsRefused) {
  CaseGraph g;
  g.AddSpace("device", {.alignment_bytes = 64});
  g.Input("big", INT64_MAX - 7);
  const absl::Status refusal = g.BuildRefusal();
  EXPECT_EQ(refusal.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("value \"big\""));
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("alignment 64"));
}

TEST(CasesH, H2AProductBeyond64BitsIsRefused) {
  CaseGraph g;
  g.Input("big", Expr(int64_t{1} << 32) * Expr(int64_t{1} << 32));
  const absl::Status refusal = g.BuildRefusal();
  EXPECT_EQ(refusal.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("value \"big\": bytes: "));
  EXPECT_EQ(FaultPlace(refusal), "/values/0/bytes");
}

TEST(CasesH, H2AProductOfSymbolsBeyond64BitsIsRefused) {
  CaseGraph g;
  const Expr s = g.AddSymbol("s", 0, int64_t{1} << 40);
  g.Input("big", s * s);
  const absl::Status refusal = g.BuildRefusal();
  EXPECT_EQ(refusal.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("value \"big\": bytes=s*s exceeds 64 bits"));
}

TEST(CasesH, H3ZeroBytesMeetNothing) {
  CaseGraph g;
  g.AddSpace("device", {.alignment_bytes = 16});
  const ValueId x = g.Input("x", 64), empty = g.Input("empty", 0);
  const ValueId view = g.View("v", x, 16, 0);
  const ValueId same = g.Op("f", {empty}, 0, {empty});
  const ValueId y = g.Op("h", {x, empty}, 0, {x});
  const ValueId clone = g.Clone("c", empty);
  const ValueId updated = g.Update("u", x, empty, 64);
  const ValueId joined = g.Concat("j", {empty, view});
  for (ValueId v : {empty, view, same, y, clone, updated, joined}) g.Output(v);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_EQ(ArenaBytes(plan), 64);
    EXPECT_EQ(plan.stats.copies_kept, 0);
    EXPECT_TRUE(SameBytes(graph, plan, x, updated));
    for (ValueId v : {empty, same, y, clone, joined}) EXPECT_EQ(OffsetOf(graph, plan, v) % 16, 0) << graph.name(v);
  });
}

TEST(CasesH, H3AllValuesAreEmpty) {
  CaseGraph g;
  const ValueId x = g.Input("x", 0);
  const ValueId y = g.Op("f", {x}, 0, {x});
  const ValueId z = g.W("w", y, 0, 0);
  g.Output(g.Concat("j", {x, y, z}));
  g.Output(z);
  g.Plan([&](const Graph&, const Plan& plan) {
    EXPECT_EQ(ArenaBytes(plan), 0);
    EXPECT_TRUE(plan.optimal);
    EXPECT_EQ(plan.stats.copies_kept, 0);
    EXPECT_FALSE(plan.stats.peak_op.has_value());
  });
}

TEST(CasesH, H3NoValuesAtAll) {
  CaseGraph g;
  g.Plan([&](const Graph&, const Plan& plan) {
    EXPECT_EQ(ArenaBytes(plan), 0);
    EXPECT_TRUE(plan.optimal);
  });
}

TEST(CasesH, H4ChunksOfLimitedSize) {
  CaseGraph g;
  g.AddSpace("device", {.max_allocation_bytes = 1024});
  const ValueId a = g.Op("fa", {}, 900), b = g.Op("fb", {}, 900), c = g.Op("fc", {}, 900);
  g.R("r", {a, b, c});
  g.Plan([&](const Graph&, const Plan& plan) {
    EXPECT_THAT(plan.arenas[0].chunks, testing::ElementsAre(900, 900, 900));
    std::set<int32_t> chunks;
    for (ValueId v : {a, b, c}) chunks.insert(plan.location(v).chunk);
    EXPECT_EQ(chunks.size(), 3u);
  });
}

TEST(CasesH, H5AValueAboveTheChunkLimitIsRefused) {
  CaseGraph g;
  g.AddSpace("device", {.max_allocation_bytes = 1024});
  g.Op("fd", {}, 1500);
  const absl::Status refusal = g.BuildRefusal();
  EXPECT_EQ(refusal.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("value \"fd.out\": bytes=1500, above max_allocation=1024"));
}

CaseGraph ThreeAtOnce(int64_t third) {
  CaseGraph g;
  g.AddSpace("device", {.capacity_bytes = 196608});
  const ValueId a = g.Op("fa", {}, 65536), b = g.Op("fb", {}, 65536), c = g.Op("fc", {a}, third);
  g.R("r", {b, c});
  return g;
}

TEST(CasesH, H6WhatFitsTheCapacityIsPlanned) {
  CaseGraph g = ThreeAtOnce(32768);
  g.Plan([&](const Graph&, const Plan& plan) { EXPECT_EQ(ArenaBytes(plan), 163840); });
}

TEST(CasesH, H6WhatDoesNotFitTheCapacityIsRefused) {
  for (const Effort effort : {Effort::kFast, Effort::kDefault}) {
    CaseGraph g = ThreeAtOnce(124928);
    const absl::Status refusal = g.PlanRefusal({.effort = effort});
    EXPECT_EQ(refusal.code(), absl::StatusCode::kResourceExhausted);
    const std::string text(refusal.message());
    EXPECT_THAT(text, HasSubstr("\"device\""));
    EXPECT_THAT(text, HasSubstr("196608"));
    EXPECT_THAT(text, HasSubstr("256000"));
    EXPECT_THAT(text, HasSubstr("op \"fc\""));
    for (const char* name : {"\"fa.out\" 65536", "\"fb.out\" 65536", "\"fc.out\" 124928"})
      EXPECT_THAT(text, HasSubstr(name));
  }
}

TEST(CasesH, H6TheOptionLowersTheCapacityOfTheGraph) {
  for (const int64_t capacity : {163840, 163839}) {
    CaseGraph g = ThreeAtOnce(32768);
    absl::StatusOr<Graph> graph = std::move(g).Build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    const absl::StatusOr<Plan> plan = MakePlan(*graph, {.capacity_bytes = capacity});
    EXPECT_EQ(plan.status().code(), capacity == 163840 ? absl::StatusCode::kOk : absl::StatusCode::kResourceExhausted);
  }
}

TEST(CasesH, H7APinnedValueKeepsItsPlace) {
  CaseGraph g;
  const ValueId p = g.Input("p", 512, {.pinned_offset_bytes = 0});
  const ValueId q = g.Op("fq", {}, 512);
  g.R("r", {q});
  g.Output(p);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_EQ(RangeOf(graph, plan, p), (ByteRange{0, 512}));
    EXPECT_GE(OffsetOf(graph, plan, q), 512);
    EXPECT_EQ(ArenaBytes(plan), 1024);
  });
}

// Buffer i lives from op i until the op that reads it, a fixed while later.
std::vector<std::string> PlacesOfEqualBuffers(const std::vector<int>& declared, bool inputs, Effort effort) {
  constexpr int kBuffers = 200;
  GraphBuilder b;
  std::vector<ValueId> values(kBuffers);
  for (int i : declared) {
    values[static_cast<size_t>(i)] = b.AddValue(absl::StrCat("b", i), 64, inputs ? Role::kInput : Role::kTransient);
  }
  const auto read = [&](int i) {
    b.Compute(absl::StrCat("r", i), {.reads = {values[static_cast<size_t>(i)]}, .writes = {}});
  };
  for (int i = 0; i < kBuffers; ++i) {
    if (!inputs) b.Compute(absl::StrCat("w", i), {.reads = {}, .writes = {{.value = values[static_cast<size_t>(i)]}}});
    if (i % 8 == 7) {
      for (int j = i - 7; j <= i; ++j) read(j);
    }
  }
  absl::StatusOr<Graph> graph = std::move(b).Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  std::vector<std::string> places;
  const absl::StatusOr<Plan> plan = MakePlan(*graph, {.effort = effort});
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (!plan.ok()) return places;
  for (ValueId v : values) places.push_back(plan->location(v).offset_bytes.ToString({}));
  return places;
}

TEST(CasesH, H8TheOrderOfDeclarationChangesNothing) {
  for (const bool inputs : {false, true}) {
    for (const Effort effort : {Effort::kFast, Effort::kDefault}) {
      SCOPED_TRACE(absl::StrCat(inputs ? "inputs" : "transients", ", effort ", static_cast<int>(effort)));
      std::vector<int> order(200);
      std::iota(order.begin(), order.end(), 0);
      const std::vector<std::string> places = PlacesOfEqualBuffers(order, inputs, effort);
      EXPECT_EQ(std::set<std::string>(places.begin(), places.end()).size(), inputs ? 200u : 8u);
      std::mt19937 random(1);
      for (int i = 0; i < 20; ++i) {
        for (size_t k = order.size() - 1; k > 0; --k) std::swap(order[k], order[random() % (k + 1)]);
        ASSERT_EQ(PlacesOfEqualBuffers(order, inputs, effort), places) << "shuffle " << i;
      }
    }
  }
}

int64_t BytesOfProblem(std::vector<Buffer> buffers, PlacementEffort effort) {
  Problem problem;
  problem.buffers = std::move(buffers);
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    if (problem.buffers[i].name.empty()) problem.buffers[i].name = absl::StrCat("b", i);
  }
  PlanProblemOptions options;
  options.placement.effort = effort;
  options.check = false;
  const absl::StatusOr<ProblemPlan> plan = PlanProblem(problem, options);
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (!plan.ok()) return -1;
  const absl::StatusOr<CheckReport> report = CheckProblemPlan(problem, *plan);
  EXPECT_TRUE(report.ok()) << report.status();
  if (report.ok()) {
    for (const Violation& v : report->violations) ADD_FAILURE() << v.message;
  }
  EXPECT_EQ(plan->optimal, plan->bytes == plan->lower_bound);
  return plan->bytes;
}

Buffer MakeBuffer(int64_t begin, int64_t end, int64_t bytes) {
  Buffer buffer;
  buffer.bytes = bytes;
  buffer.begin = begin;
  buffer.end = end;
  return buffer;
}

TEST(CasesH, H9IntervalsOfEqualSize) {
  const std::vector<Buffer> buffers = {MakeBuffer(0, 3, 4), MakeBuffer(3, 9, 4), MakeBuffer(0, 9, 4),
                                       MakeBuffer(9, 21, 4), MakeBuffer(0, 21, 4)};
  for (const PlacementEffort effort : {PlacementEffort::kFast, PlacementEffort::kDefault}) {
    EXPECT_EQ(BytesOfProblem(buffers, effort), 12);
  }
}

TEST(CasesH, H10IntervalsWhereTheLoadIsReached) {
  EXPECT_EQ(
      BytesOfProblem({MakeBuffer(1, 3, 256), MakeBuffer(2, 4, 64), MakeBuffer(3, 5, 320)}, PlacementEffort::kDefault),
      384);
}

TEST(CasesH, H11IntervalsWhereTheLoadIsReached) {
  EXPECT_EQ(BytesOfProblem({MakeBuffer(1, 4, 192), MakeBuffer(2, 4, 64), MakeBuffer(2, 4, 192), MakeBuffer(3, 5, 64),
                            MakeBuffer(4, 6, 512)},
                           PlacementEffort::kDefault),
            576);
}

}  // namespace
}  // namespace bufplan
