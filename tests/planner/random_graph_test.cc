// Planner, checker and oracle against each other on random graphs of every profile.
//
// Every graph can be planned: every effort must give a plan that the checker accepts, that runs without a difference at
// several symbol values and interleavings, that needs no more than the naive plan, and that comes out the same when
// asked again or when the graph's constraints are said in another order.
//
// More graphs: bazel test --test_env=BUFPLAN_RANDOM_GRAPHS=20000 //tests/planner:random_graph_test
// Other seeds: --test_env=BUFPLAN_RANDOM_SEED=1000000 (the first one)
#include "tests/oracle/random_graph.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "io/json_graph.h"
#include "ir/checker.h"
#include "ir/graph_builder.h"
#include "planner/make_plan.h"
#include "tests/oracle/concrete.h"
#include "tests/oracle/dump.h"
#include "tests/oracle/from_environment.h"
#include "tests/oracle/naive_plan.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/reduce.h"
#include "tests/oracle/shuffle.h"

namespace bufplan {
namespace {

constexpr int kSymbolTuples = 4;
constexpr int kInterleavings = 6;

// Of all spaces.
int64_t TotalBytes(const Plan& plan) {
  int64_t sum = 0;
  for (const Arena& a : plan.arenas) sum += a.bytes;
  return sum;
}

// What a plan may need at most: every value and scratch by itself, each padded to the largest alignment of all; pins
// first.
int64_t NaiveBound(const Graph& graph) {
  int64_t alignment = 1, sum = 0;
  for (const Space& s : graph.spaces()) alignment = std::max(alignment, s.alignment_bytes);
  for (const Value& v : graph.values()) alignment = std::max(alignment, v.alignment_bytes);
  const auto add = [&](int64_t bytes) { sum += (bytes + alignment - 1) / alignment * alignment; };
  for (const Value& v : graph.values()) {
    if (v.role == Role::kTransient || v.role == Role::kInput) add(v.max_bytes);
    if (v.pinned_offset_bytes.has_value()) add(*v.pinned_offset_bytes);
  }
  for (const Op& op : graph.ops()) add(op.max_scratch_bytes);
  return std::max(sum, TotalBytes(NaivePlan(graph)));
}

bool SamePlan(const Plan& a, const Plan& b) {
  const auto same_edges = [](const AddedEdge& x, const AddedEdge& y) {
    return x.before == y.before && x.after == y.after && x.why == y.why;
  };
  const auto same_scratch = [](const ScratchPlace& x, const ScratchPlace& y) {
    return x.op == y.op && x.location == y.location;
  };
  const auto same_fused = [](const FusionDecision& x, const FusionDecision& y) {
    return x.fusion == y.fusion && x.fused == y.fused && x.cost_bytes == y.cost_bytes;
  };
  const auto same_arena = [](const Arena& x, const Arena& y) {
    return x.bytes == y.bytes && x.lower_bound == y.lower_bound && x.optimal == y.optimal && x.chunks == y.chunks;
  };
  return a.locations == b.locations && a.live == b.live && std::ranges::equal(a.arenas, b.arenas, same_arena) &&
         std::ranges::equal(a.added_order, b.added_order, same_edges) &&
         std::ranges::equal(a.scratch, b.scratch, same_scratch) && std::ranges::equal(a.fused, b.fused, same_fused);
}

// What is wrong with the planner's answer; empty: nothing.
std::string Fault(const Graph& graph, uint64_t seed, const PlanOptions& options, int64_t* bytes = nullptr) {
  const absl::StatusOr<Plan> plan = MakePlan(graph, options);
  if (!plan.ok()) return absl::StrCat("refused: ", plan.status().ToString());
  const absl::StatusOr<CheckReport> report = CheckPlan(graph, *plan);
  if (!report.ok()) return report.status().ToString();
  if (!report->ok()) {
    return absl::StrCat(ToString(report->violations[0].kind), ": ", report->violations[0].message);
  }
  for (const std::vector<int64_t>& tuple : SymbolTuples(graph, kSymbolTuples, seed)) {
    const absl::StatusOr<std::optional<Difference>> d = RunPlannedOften(graph, *plan, tuple, seed, kInterleavings);
    if (!d.ok()) return d.status().ToString();
    if (d->has_value()) return absl::StrCat("the checker accepts, the oracle differs: ", (*d)->text);
  }
  if (TotalBytes(*plan) > NaiveBound(graph)) {
    return absl::StrCat(TotalBytes(*plan), " bytes, without any thought ", NaiveBound(graph));
  }
  if (bytes != nullptr) *bytes += TotalBytes(*plan);
  if (seed % 2 == 0) {
    const absl::StatusOr<Plan> again = MakePlan(graph, options);
    return again.ok() && SamePlan(*plan, *again) ? "" : "another plan when asked again";
  }
  const absl::StatusOr<Graph> shuffled = Shuffle(graph, {.constraints = true}, seed);
  if (!shuffled.ok()) return absl::StrCat("shuffled: ", shuffled.status().ToString());
  const absl::StatusOr<Plan> other = MakePlan(*shuffled, options);
  return other.ok() && SamePlan(*plan, *other) ? "" : "another plan when constraints are in another order";
}

// A smaller graph with such a fault, its plan, and its JSON for the tool.
std::string Reduced(const RandomGraphOptions& profile, uint64_t seed, const PlanOptions& options,
                    const std::string& fault) {
  const auto kind = [](const std::string& text) { return text.substr(0, text.find_first_of(" :")); };
  const Graph graph = Reduce(*RandomGraph(profile, seed), [&](const Graph& g) {
    const std::string found = Fault(g, seed, options);
    return !found.empty() && kind(found) == kind(fault);
  });
  std::string text = absl::StrCat("reduced: ", Fault(graph, seed, options), "\n", DumpGraph(graph));
  const absl::StatusOr<Plan> plan = MakePlan(graph, options);
  if (plan.ok()) absl::StrAppend(&text, DumpPlan(graph, *plan));
  return absl::StrCat(text, WriteGraphJson(graph));
}

class RandomGraphs : public testing::TestWithParam<RandomGraphOptions> {};

TEST_P(RandomGraphs, PlannerCheckerAndOracleAgree) {
  const uint64_t first = FromEnvironment("BUFPLAN_RANDOM_SEED", 1);
  const uint64_t count = FromEnvironment("BUFPLAN_RANDOM_GRAPHS", 480) / RandomGraphOptions::Profiles().size();
  int64_t bytes = 0, naive_bytes = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const absl::StatusOr<Graph> graph = RandomGraph(GetParam(), seed);
    ASSERT_TRUE(graph.ok()) << "seed " << seed << ": " << graph.status();
    for (Effort effort : {Effort::kFast, Effort::kDefault}) {
      PlanOptions options;
      options.effort = effort;
      options.check = false;  // it is checked here
      const std::string fault = Fault(*graph, seed, options, effort == Effort::kDefault ? &bytes : nullptr);
      ASSERT_EQ(fault, "") << "profile " << GetParam().name << " seed " << seed << " effort "
                           << (effort == Effort::kFast ? "fast" : "default") << "\n"
                           << Reduced(GetParam(), seed, options, fault);
    }
    naive_bytes += TotalBytes(NaivePlan(*graph));
  }
  // Sharing must pay: in sum well below the naive plans.
  EXPECT_LT(bytes * 10, naive_bytes * 8) << bytes << " of " << naive_bytes;
}

// Other ids for the values may give another plan, but a valid one of the same quality.
TEST_P(RandomGraphs, PlansOfShuffledValuesAreValid) {
  const uint64_t count = std::clamp<uint64_t>(FromEnvironment("BUFPLAN_RANDOM_GRAPHS", 480) / 4, 30, 100);
  int64_t bytes = 0, shuffled_bytes = 0;
  for (uint64_t seed = 1; seed <= count; ++seed) {
    const absl::StatusOr<Graph> graph = RandomGraph(GetParam(), seed);
    ASSERT_TRUE(graph.ok());
    const absl::StatusOr<Graph> shuffled = Shuffle(*graph, {.constraints = true, .values = true}, seed);
    ASSERT_TRUE(shuffled.ok()) << shuffled.status();
    const absl::StatusOr<Plan> plan = MakePlan(*graph), other = MakePlan(*shuffled);
    ASSERT_TRUE(plan.ok()) << GetParam().name << " seed " << seed << ": " << plan.status();
    ASSERT_TRUE(other.ok()) << GetParam().name << " seed " << seed << ", shuffled: " << other.status();
    bytes += TotalBytes(*plan);
    shuffled_bytes += TotalBytes(*other);
  }
  EXPECT_LE(std::abs(bytes - shuffled_bytes) * 20, bytes) << bytes << " and, with other ids, " << shuffled_bytes;
}

INSTANTIATE_TEST_SUITE_P(Profiles, RandomGraphs, testing::ValuesIn(RandomGraphOptions::Profiles()),
                         [](const auto& info) { return info.param.name; });

// What random graphs found, by hand.

Fusion Group(std::vector<OpId> ops) {
  Fusion fusion;
  fusion.name = "group";
  fusion.ops = std::move(ops);
  fusion.required = true;
  return fusion;
}

void ExpectNoFault(const Graph& graph) {
  for (Effort effort : {Effort::kFast, Effort::kDefault}) {
    PlanOptions options;
    options.effort = effort;
    options.check = false;
    EXPECT_EQ(Fault(graph, 1, options), "");
  }
}

Result NewResult(Expr bytes) {
  Result r;
  r.bytes = std::move(bytes);
  return r;
}

ComputeSpec Spec(std::vector<Operand> reads, std::vector<Result> writes) {
  ComputeSpec spec;
  spec.reads = std::move(reads);
  spec.writes = std::move(writes);
  return spec;
}

// The group {u, s} reads [8, 24) of x by way of u, which lies on x: y may not take those bytes before.
TEST(Found, GroupReadsItsBaseThroughItsOwnResult) {
  GraphBuilder b;
  const ValueId x = b.Compute("x", Spec({}, {NewResult(24)}));
  const ValueId row = b.Compute("row", Spec({}, {NewResult(1)}));
  const ValueId y = b.Compute("y", Spec({row}, {NewResult(16)}));
  b.Compute("z", Spec({y}, {NewResult(1)}));
  const ValueId u = b.Update("u", x, row, 0);
  b.Slice("s", u, 8, 16);
  b.Output(b.View("v", u, 0, 4));
  b.AddFusion(Group({OpId(4), OpId(5)}));
  ExpectNoFault(*std::move(b).Build());
}

// A view that the group makes of x is kept until the group is done: the group's own result may not lie there.
TEST(Found, GroupKeepsWhatItsOwnViewShows) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8);
  const ValueId v = b.View("v", x, 7, 1);
  const ValueId y = b.Compute("y", Spec({}, {NewResult(16)}));
  b.KeepAliveUntil(v, OpId(0));
  b.Output(y);
  Fusion fusion = Group({OpId(0), OpId(1)});
  fusion.in_place = {{y, x, InPlaceMode::kAny}};
  b.AddFusion(std::move(fusion));
  ExpectNoFault(*std::move(b).Build());
}

}  // namespace
}  // namespace bufplan
