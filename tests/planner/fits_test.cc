// Plan::Fits on random graphs of every profile: a plan that is said to fit a changed graph is valid for it and runs
// there without a difference; a graph of another structure never fits, one of other names always does.
//
// More graphs: bazel test --test_env=BUFPLAN_RANDOM_GRAPHS=5000 //tests/planner:fits_test
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/checker.h"
#include "ir/graph_builder.h"
#include "ir/plan.h"
#include "planner/make_plan.h"
#include "tests/io/graph_equal.h"
#include "tests/oracle/concrete.h"
#include "tests/oracle/dump.h"
#include "tests/oracle/from_environment.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/random.h"
#include "tests/oracle/random_graph.h"
#include "tests/oracle/rebuild.h"

namespace bufplan {
namespace {

constexpr int kChanges = 30;

uint64_t NumGraphs() { return FromEnvironment("BUFPLAN_RANDOM_GRAPHS", 100); }

OpId RandomOp(const Graph& g, Rng& rng) { return OpId(static_cast<int32_t>(rng.Below(g.ops().size()))); }
ValueId RandomValue(const Graph& g, Rng& rng) { return ValueId(static_cast<int32_t>(rng.Below(g.values().size()))); }

// Some constant sizes smaller, each with this chance; rarely one larger.
void ChangeSizes(std::vector<Expr>& sizes, int chance, Rng& rng) {
  for (Expr& bytes : sizes) {
    if (!bytes.is_constant() || !rng.Percent(chance)) continue;
    bytes = rng.Percent(5) ? bytes.constant() + 1 : rng.Between(0, bytes.constant());
  }
}

template <class T>
void DropOne(std::vector<T>& list, Rng& rng) {
  if (!list.empty()) list.erase(list.begin() + static_cast<std::ptrdiff_t>(rng.Below(list.size())));
}

// One constraint more or less.
void ChangeConstraints(const Graph& g, Rng& rng, Recipe& r) {
  switch (rng.Below(10)) {
    case 0: return DropOne(r.order, rng);
    case 1: return DropOne(r.keep_alive, rng);
    case 2: return DropOne(r.disjoint, rng);
    case 3: return DropOne(r.outputs, rng);
    case 4: return DropOne(r.fusions, rng);
    case 5: return r.order.push_back({RandomOp(g, rng), RandomOp(g, rng)});
    case 6: return r.keep_alive.push_back({RandomValue(g, rng), RandomOp(g, rng)});
    case 7: return r.disjoint.push_back({RandomValue(g, rng), RandomValue(g, rng)});
    case 8: return r.outputs.push_back(RandomValue(g, rng));
    default:
      if (!r.fusions.empty()) r.fusions[0].required = !r.fusions[0].required;
  }
}

bool SameConstraints(const Graph& a, const Graph& b) {
  const auto outputs = [](const Graph& g) {
    std::vector<ValueId> list(g.outputs().begin(), g.outputs().end());
    std::sort(list.begin(), list.end());
    return list;
  };
  const auto fusion = [](const Fusion& x, const Fusion& y) { return x.ops == y.ops && x.required == y.required; };
  return a.order() == b.order() && a.keep_alive() == b.keep_alive() && a.disjoint() == b.disjoint() &&
         outputs(a) == outputs(b) &&
         std::equal(a.fusions().begin(), a.fusions().end(), b.fusions().begin(), b.fusions().end(), fusion);
}

struct Tally {
  int smaller = 0;  // fits at smaller sizes
  int refused = 0;  // of smaller sizes
  int other = 0;    // of another structure
};

void ExpectServes(const Graph& other, const Plan& plan, uint64_t seed) {
  const absl::StatusOr<CheckReport> report = CheckPlan(other, plan);
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_TRUE(report->ok()) << report->violations[0].message << "\n" << DumpGraph(other) << DumpPlan(other, plan);
  for (const std::vector<int64_t>& tuple : SymbolTuples(other, 2, seed)) {
    const absl::StatusOr<std::optional<Difference>> d = RunPlannedOften(other, plan, tuple, seed, 2);
    ASSERT_TRUE(d.ok()) << d.status();
    ASSERT_FALSE(d->has_value()) << (*d)->text << "\n" << DumpGraph(other) << DumpPlan(other, plan);
  }
}

void Try(const RandomGraphOptions& options, uint64_t seed, Tally& tally) {
  const absl::StatusOr<Graph> graph = RandomGraph(options, seed);
  ASSERT_TRUE(graph.ok()) << graph.status();
  const Effort effort = seed % 4 == 0 ? Effort::kDefault : Effort::kFast;
  const absl::StatusOr<Plan> plan = MakePlan(*graph, {.effort = effort});
  ASSERT_TRUE(plan.ok()) << plan.status();
  Recipe unnamed = WholeRecipe(*graph);
  unnamed.keeps_names = false;
  const absl::StatusOr<Graph> again = Rebuild(*graph, unnamed);
  ASSERT_TRUE(again.ok()) << again.status();
  ASSERT_TRUE(plan->Fits(*again));
  Rng rng(seed);
  for (int i = 0; i < kChanges; ++i) {
    Recipe recipe = unnamed;
    const bool constraints = !graph->ops().empty() && rng.Percent(30);
    if (constraints) ChangeConstraints(*graph, rng, recipe);
    if (!constraints || rng.Percent(20)) {
      const int chance = static_cast<int>(rng.Between(1, 60));
      ChangeSizes(recipe.bytes, chance, rng);
      ChangeSizes(recipe.scratch, chance, rng);
    }
    const absl::StatusOr<Graph> other = Rebuild(*graph, recipe);
    if (!other.ok()) continue;
    const bool fits = plan->Fits(*other);
    const bool same = SameConstraints(*graph, *other);
    if (fits) {
      ASSERT_NO_FATAL_FAILURE(ExpectServes(*other, *plan, seed));
    }
    ASSERT_TRUE(fits || !GraphDifference(*again, *other).empty()) << DumpGraph(*other);
    ASSERT_FALSE(fits && !same) << DumpGraph(*graph) << DumpGraph(*other);
    tally.other += same ? 0 : 1;
    if (same && recipe.bytes != unnamed.bytes) ++(fits ? tally.smaller : tally.refused);
  }
}

class Fits : public testing::TestWithParam<RandomGraphOptions> {};

TEST_P(Fits, OnlyWhatThePlanServes) {
  Tally tally;
  for (uint64_t seed = 1; seed <= NumGraphs() && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Try(GetParam(), seed, tally);
  }
  RecordProperty("smaller", tally.smaller);
  RecordProperty("refused", tally.refused);
  RecordProperty("other", tally.other);
  const int n = static_cast<int>(NumGraphs());
  EXPECT_GT(tally.smaller, n / 4);
  EXPECT_GT(tally.refused, n / 2);
  EXPECT_GT(tally.other, n / 2);
}

// The last byte of the arena belongs to the second result.
Graph TwoResults(int64_t second_bytes) {
  GraphBuilder b;
  const Results r = b.Compute("f", {.writes = {{.bytes = 64, .options = {.pinned_offset_bytes = 0}},
                                               {.bytes = second_bytes, .options = {.pinned_offset_bytes = 64}}}});
  b.Output(r[0]);
  b.Output(r[1]);
  return *std::move(b).Build();
}

TEST(FitsSmaller, ArenaBytesAreThoseOfThePlannedSizes) {
  const Graph smaller = TwoResults(32);
  Plan plan = *MakePlan(TwoResults(64));
  ASSERT_EQ(plan.arenas[0].bytes, 128);
  ASSERT_TRUE(plan.Fits(smaller));
  ASSERT_NO_FATAL_FAILURE(ExpectServes(smaller, plan, 1));
  plan.arenas[0].bytes = plan.arenas[0].chunks[0] = 129;
  const absl::StatusOr<CheckReport> report = CheckPlan(smaller, plan);
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_FALSE(report->ok());
  EXPECT_EQ(report->violations[0].kind, ViolationKind::kStats);
}

INSTANTIATE_TEST_SUITE_P(Profiles, Fits, testing::ValuesIn(RandomGraphOptions::Profiles()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bufplan
