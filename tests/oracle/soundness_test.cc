// Checker and oracle against each other, without a planner.
//
// From the naive plan of a random graph a random walk leads through plans that the checker accepts; each of them must
// run without a difference. What the checker refuses for the bytes that are read, the oracle should mostly see.
//
// More graphs: bazel test --test_env=BUFPLAN_RANDOM_GRAPHS=5000 //tests/oracle:soundness_test
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/checker.h"
#include "ir/graph_builder.h"
#include "tests/oracle/about_read_bytes.h"
#include "tests/oracle/concrete.h"
#include "tests/oracle/from_environment.h"
#include "tests/oracle/naive_plan.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/random_graph.h"
#include "tests/oracle/walk_plans.h"

namespace bufplan {
namespace {

constexpr int kSteps = 30;
constexpr int kInterleavings = 8;

uint64_t NumGraphs() { return FromEnvironment("BUFPLAN_RANDOM_GRAPHS", 150); }

std::optional<Difference> FirstDifference(const Graph& graph, const Plan& plan,
                                          const std::vector<std::vector<int64_t>>& tuples, uint64_t seed) {
  for (const std::vector<int64_t>& tuple : tuples) {
    const absl::StatusOr<std::optional<Difference>> d = RunPlannedOften(graph, plan, tuple, seed, kInterleavings);
    EXPECT_TRUE(d.ok()) << d.status();
    if (d.ok() && d->has_value()) return *d;
  }
  return std::nullopt;
}

struct Tally {
  int accepted = 0, refused = 0, seen = 0;  // refused and seen: of what is about read bytes
};

void Walk(const RandomGraphOptions& options, uint64_t seed, Tally& tally) {
  const absl::StatusOr<Graph> graph = RandomGraph(options, seed);
  ASSERT_TRUE(graph.ok()) << graph.status();
  const std::vector<std::vector<int64_t>> tuples = SymbolTuples(*graph, 4, seed);
  WalkPlans(*graph, seed, kSteps, [&](const VisitedPlan& visited) {
    const Plan& plan = visited.mutant.plan;
    if (visited.report.ok()) {
      const std::optional<Difference> d = FirstDifference(*graph, plan, tuples, seed);
      ASSERT_FALSE(d.has_value()) << "the checker accepts, but " << d->text << "\n" << visited.Text();
      ++tally.accepted;
      return;
    }
    const Violation& violation = visited.report.violations[0];
    if (!IsAboutReadBytes(violation.kind)) return;
    ++tally.refused;
    tally.seen += FirstDifference(*graph, plan, {violation.symbols}, seed).has_value() ? 1 : 0;
  });
}

class Soundness : public testing::TestWithParam<RandomGraphOptions> {};

TEST_P(Soundness, WhatTheCheckerAcceptsRuns) {
  Tally tally;
  for (uint64_t seed = 1; seed <= NumGraphs() && !HasFatalFailure(); ++seed) Walk(GetParam(), seed, tally);
  RecordProperty("accepted", tally.accepted);
  RecordProperty("refused", tally.refused);
  RecordProperty("seen", tally.seen);
  EXPECT_GT(tally.accepted, static_cast<int>(NumGraphs()));
  EXPECT_GT(tally.refused, static_cast<int>(NumGraphs()));
  EXPECT_GE(tally.seen * 10, tally.refused * 9) << tally.seen << " of " << tally.refused;
}

INSTANTIATE_TEST_SUITE_P(Profiles, Soundness, testing::ValuesIn(RandomGraphOptions::Profiles()),
                         [](const auto& info) { return info.param.name; });

// What the walks found, by hand.

absl::StatusOr<CheckReport> Check(const Graph& graph, const Plan& plan) { return CheckPlan(graph, plan); }

Result NewResult(Expr bytes) {
  Result r;
  r.bytes = std::move(bytes);
  return r;
}

TEST(Found, PreservedInputIsComparedAtTheEndAfterItsLastUse) {
  GraphBuilder b;
  ValueOptions preserve;
  preserve.preserve = true;
  const ValueId x = b.Input("x", 4, preserve), y = b.Input("y", 4);
  const ValueId c = b.Concat("cat", {x, y}, "c");
  ComputeSpec spec;
  spec.reads = {c};
  spec.writes = {NewResult(4)};
  const ValueId z = b.Compute("f", spec);
  const Graph g = *std::move(b).Build();
  Plan plan = NaivePlan(g);
  plan.locations[z.index()] = plan.locations[x.index()];
  CompletePlan(g, plan);
  const absl::StatusOr<CheckReport> report = Check(g, plan);
  ASSERT_TRUE(report.ok());
  ASSERT_FALSE(report->ok());
  EXPECT_EQ(report->violations[0].kind, ViolationKind::kOutputLost);
}

// A value without bytes lies where its author wants it; the arena need not reach there.
TEST(Found, PinOfNoBytesBeyondTheArena) {
  GraphBuilder b;
  ValueOptions pinned;
  pinned.pinned_offset_bytes = 320;
  const ValueId x = b.Input("x", 0, pinned), y = b.Input("y", 4);
  b.Output(y);
  const Graph g = *std::move(b).Build();
  Plan plan = NaivePlan(g);
  plan.locations[y.index()] = Location::InArena(SpaceId(0), 0, 0);
  plan.arenas[0].chunks = {4};
  plan.arenas[0].bytes = 4;
  EXPECT_EQ(plan.location(x).offset_bytes, Expr(320));
  const absl::StatusOr<CheckReport> report = Check(g, plan);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->ok()) << report->violations[0].message;
}

// A group reads old bytes of `x` for a result that it swallows; another result may not lie there.
TEST(Found, OldBytesOfASwallowedResultsBase) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 4);
  ComputeSpec spec;
  spec.writes = {NewResult(4)};
  spec.writes[0].base = x;
  spec.writes[0].cover = Cover::kPart;
  const ValueId t = b.Compute("f", spec);
  const ValueId c = b.Concat("cat", {t}, "c");
  Fusion fusion;
  fusion.name = "group";
  fusion.ops = {OpId(0), OpId(1)};
  fusion.required = true;
  b.AddFusion(fusion);
  b.Output(c);
  const Graph g = *std::move(b).Build();
  Plan plan = NaivePlan(g);
  ASSERT_TRUE(Check(g, plan)->ok());
  plan.locations[c.index()] = plan.locations[x.index()];
  CompletePlan(g, plan);
  const absl::StatusOr<CheckReport> report = Check(g, plan);
  ASSERT_TRUE(report.ok());
  ASSERT_FALSE(report->ok());
  EXPECT_EQ(report->violations[0].kind, ViolationKind::kOwnOperand);
}

// The holes of a fill in a group are written with the rest.
TEST(Found, HolesOfAFillInAGroup) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8);
  const ValueId f = b.Fill("fill", std::nullopt, Region{0, 4, {}}, 8, "f");
  ComputeSpec spec;
  spec.reads = {Operand(x, Region{4, 4, {}}), f};
  spec.writes = {NewResult(4)};
  b.Output(b.Compute("g", spec));
  b.Output(f);
  Fusion fusion;
  fusion.name = "group";
  fusion.ops = {OpId(0), OpId(1)};
  fusion.required = true;
  b.AddFusion(fusion);
  const Graph g = *std::move(b).Build();
  Plan plan = NaivePlan(g);
  ASSERT_TRUE(Check(g, plan)->ok());
  plan.locations[f.index()] = plan.locations[x.index()];
  CompletePlan(g, plan);
  const absl::StatusOr<CheckReport> report = Check(g, plan);
  ASSERT_TRUE(report.ok());
  ASSERT_FALSE(report->ok());
  EXPECT_EQ(report->violations[0].kind, ViolationKind::kOwnOperand);
}

}  // namespace
}  // namespace bufplan
