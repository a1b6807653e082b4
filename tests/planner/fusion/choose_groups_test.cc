// The choice of groups against all sets of them.
#include "planner/fusion/choose_groups.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "planner/make_plan.h"
#include "tests/oracle/random.h"
#include "tests/oracle/random_graph.h"
#include "tests/oracle/rebuild.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

int64_t TotalBytes(const Plan& plan) {
  int64_t sum = 0;
  for (const Arena& a : plan.arenas) sum += a.bytes;
  return sum;
}

// Sets of groups as bits, each planned as a graph in which just these groups are there, and required.
class AllSets {
 public:
  AllSets(const Graph& graph, const PlanOptions& options) : g_(graph), options_(options) {}

  // Of the plan with these groups; nullopt: there is none.
  std::optional<int64_t> Bytes(uint32_t set) {
    const auto [it, inserted] = bytes_.try_emplace(set);
    if (!inserted) return it->second;
    Recipe recipe = WholeRecipe(g_);
    std::vector<Fusion> fusions;
    for (size_t i = 0; i < recipe.fusions.size(); ++i) {
      if ((set >> i & 1) == 0) continue;
      fusions.push_back(recipe.fusions[i]);
      fusions.back().required = true;
    }
    recipe.fusions = std::move(fusions);
    const absl::StatusOr<Graph> graph = Rebuild(g_, recipe);
    if (!graph.ok()) return std::nullopt;  // two of them overlap
    const absl::StatusOr<Plan> plan = MakePlan(*graph, options_);
    if (plan.ok()) it->second = TotalBytes(*plan);
    return it->second;
  }
  double Benefit(uint32_t set) const {
    double sum = 0;
    for (size_t i = 0; i < g_.fusions().size(); ++i) {
      if ((set >> i & 1) != 0 && !g_.fusions()[i].required) sum += g_.fusions()[i].benefit;
    }
    return sum;
  }
  uint32_t Required() const {
    uint32_t set = 0;
    for (size_t i = 0; i < g_.fusions().size(); ++i) set |= uint32_t{g_.fusions()[i].required} << i;
    return set;
  }
  // Bits of the groups that share an op with this one.
  uint32_t Over(size_t group) const {
    uint32_t set = 0;
    for (size_t i = 0; i < g_.fusions().size(); ++i) {
      const std::vector<OpId>&a = g_.fusions()[i].ops, &b = g_.fusions()[group].ops;
      const bool overlaps = std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
      if (overlaps && i != group) set |= uint32_t{1} << i;
    }
    return set;
  }
  // The largest benefit, and the fewest bytes for it.
  std::optional<std::pair<double, int64_t>> Best() {
    std::optional<std::pair<double, int64_t>> best;
    for (uint32_t set = 0; set < uint32_t{1} << g_.fusions().size(); ++set) {
      if ((set & Required()) != Required()) continue;
      const std::optional<int64_t> bytes = Bytes(set);
      if (!bytes.has_value()) continue;
      const std::pair<double, int64_t> key(-Benefit(set), *bytes);
      if (!best.has_value() || key < *best) best = key;
    }
    return best;
  }

 private:
  const Graph& g_;
  const PlanOptions options_;
  std::map<uint32_t, std::optional<int64_t>> bytes_;
};

uint32_t SetOf(const Plan& plan) {
  uint32_t set = 0;
  for (size_t i = 0; i < plan.fused.size(); ++i) set |= uint32_t{plan.fused[i].fused} << i;
  return set;
}

struct Counts {
  int graphs = 0, exact = 0, refused = 0, costs = 0, estimates = 0;
};

// The plan's costs are the differences between plans, where it does not say otherwise.
void ExpectCosts(const Graph& graph, const Plan& plan, AllSets& all, AllSets& unlimited, Counts& counts) {
  const uint32_t set = SetOf(plan);
  for (size_t i = 0; i < plan.fused.size(); ++i) {
    const FusionDecision& d = plan.fused[i];
    const uint32_t bit = uint32_t{1} << i, over = all.Over(i);
    ASSERT_FALSE(d.why.empty());
    if (graph.fusions()[i].required || (over & all.Required()) != 0) {
      EXPECT_EQ(d.cost_bytes, 0);
      continue;
    }
    const std::optional<int64_t> with = all.Bytes((set & ~over) | bit), without = all.Bytes(d.fused ? set & ~bit : set);
    const bool says = absl::StrContains(d.why, "cost by bytes live at once");
    EXPECT_FALSE(absl::StrContains(d.why, "estimated"));
    if (with.has_value() && without.has_value()) {
      if (says) continue;  // too much work for plans
      EXPECT_EQ(d.cost_bytes, *with - *without) << d.why;
      ++counts.costs;
    } else if (unlimited.Bytes(d.fused ? set & ~bit : (set & ~over) | bit).has_value()) {
      EXPECT_TRUE(says) << d.why;
      ++counts.estimates;
    } else {
      EXPECT_EQ(d.cost_bytes, 0);
    }
  }
}

void ExpectBest(const Graph& graph, const PlanOptions& options, AllSets& unlimited, Counts& counts) {
  AllSets all(graph, options);
  const std::optional<std::pair<double, int64_t>> best = all.Best();
  const absl::StatusOr<GroupChoice> choice = ChooseGroups(graph, options);
  ++counts.graphs;
  if (!choice.ok()) {
    EXPECT_FALSE(best.has_value()) << choice.status();
    ++counts.refused;
    return;
  }
  ASSERT_TRUE(best.has_value());
  const uint32_t set = SetOf(choice->plan);
  EXPECT_EQ(all.Bytes(set), TotalBytes(choice->plan));
  counts.exact += choice->exact;
  if (choice->exact) {
    EXPECT_EQ(all.Benefit(set), -best->first);
    EXPECT_EQ(TotalBytes(choice->plan), best->second);
  } else {
    EXPECT_LE(all.Benefit(set), -best->first);
  }
  ExpectCosts(graph, choice->plan, all, unlimited, counts);
}

RandomGraphOptions ManyGroups() {
  RandomGraphOptions options = RandomGraphOptions::Fusions();
  options.max_ops = 10;
  options.max_fusions = 8;
  return options;
}

// More graphs, or fewer: bazel test --test_env=BUFPLAN_RANDOM_GROUP_GRAPHS=1000 //tests/planner/fusion:...
TEST(ChooseGroups, IsTheBestOfAllSets) {
  const char* text = std::getenv("BUFPLAN_RANDOM_GROUP_GRAPHS");
  const uint64_t num_graphs = text != nullptr ? std::strtoull(text, nullptr, 10) : 160;
  Counts counts;
  for (uint64_t seed = 1; seed <= num_graphs; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    RandomGraphOptions profile = ManyGroups();
    profile.required_fusions = seed % 3 == 0;
    profile.movements = seed % 2 == 0;
    const absl::StatusOr<Graph> graph = RandomGraph(profile, seed);
    ASSERT_TRUE(graph.ok()) << graph.status();
    PlanOptions options;
    options.check = false;
    AllSets unlimited(*graph, options);
    ExpectBest(*graph, options, unlimited, counts);
    // A capacity that the best plan misses and some other set meets, if there is one; else one that none meets.
    const absl::StatusOr<GroupChoice> choice = ChooseGroups(*graph, options);
    ASSERT_TRUE(choice.ok());
    const int64_t most = TotalBytes(choice->plan);
    int64_t least = most;
    for (uint32_t set = 0; set < uint32_t{1} << graph->fusions().size(); ++set) {
      const std::optional<int64_t> bytes = unlimited.Bytes(set | unlimited.Required());
      if (bytes.has_value()) least = std::min(least, *bytes);
    }
    if (least == 0 || (least == most && seed % 8 != 0)) continue;
    options.capacity_bytes = least == most ? least - 1 : Rng(seed).Between(least, most - 1);
    ExpectBest(*graph, options, unlimited, counts);
    if (HasFailure()) return;
  }
  RecordProperty("exact", counts.exact);
  const int n = static_cast<int>(num_graphs);
  EXPECT_GE(counts.graphs, n * 9 / 10);
  EXPECT_GT(counts.exact * 10, (counts.graphs - counts.refused) * 9) << counts.exact << " of " << counts.graphs;
  EXPECT_GT(counts.costs, n);
  EXPECT_GT(counts.estimates, n / 16);
}

// At effort fast the number of plans is small, and the plan is still one of a set that can be.
TEST(ChooseGroups, FastMakesFewPlans) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const absl::StatusOr<Graph> graph = RandomGraph(ManyGroups(), seed);
    ASSERT_TRUE(graph.ok()) << graph.status();
    const absl::StatusOr<GroupChoice> choice = ChooseGroups(*graph, {.effort = Effort::kFast});
    ASSERT_TRUE(choice.ok()) << choice.status();
    EXPECT_LE(choice->plans, 6);
    for (const FusionDecision& d : choice->plan.fused) EXPECT_FALSE(d.why.empty());
  }
}

Fusion Group(absl::string_view name, std::vector<int32_t> ops, double benefit = 1) {
  Fusion f;
  f.name = std::string(name);
  for (int32_t o : ops) f.ops.emplace_back(o);
  f.benefit = benefit;
  return f;
}

// A chain of ops; each group of three has a large middle.
Graph LongChain(int num_groups, std::optional<int64_t> capacity = {}) {
  GraphBuilder b;
  b.AddSpace("device", {.capacity_bytes = capacity});
  ValueId v = b.Input("x", 64);
  for (int i = 0; i < num_groups; ++i) {
    const ValueId a = b.Compute("", {.reads = {v}, .writes = {{.bytes = 64}}});
    const ValueId m = b.Compute("", {.reads = {a}, .writes = {{.bytes = 256}}});
    v = b.Compute("", {.reads = {m}, .writes = {{.bytes = 64}}});
    b.AddFusion(Group(absl::StrCat("g", i), {3 * i, 3 * i + 1, 3 * i + 2}));
  }
  b.Output(v);
  return *std::move(b).Build();
}

TEST(ChooseGroups, SaysHowACostWasFound) {
  const struct {
    int groups;
    Effort effort;
    const char* why;
  } cases[] = {{4, Effort::kDefault, "taken: benefit 1"},
               {80, Effort::kDefault, "taken: benefit 1; cost by bytes live at once"},
               {300, Effort::kDefault, "taken: benefit 1; cost estimated"},
               {4, Effort::kFast, "taken: benefit 1; cost estimated"}};
  for (const auto& c : cases) {
    const absl::StatusOr<GroupChoice> choice = ChooseGroups(LongChain(c.groups), {.effort = c.effort});
    ASSERT_TRUE(choice.ok()) << choice.status();
    for (const FusionDecision& d : choice->plan.fused) {
      EXPECT_EQ(d.why, c.why);
      EXPECT_EQ(d.cost_bytes, 128 - 320);
    }
  }
}

TEST(ChooseGroups, TheCapacityOfASpaceCountsAsWell) {
  GraphBuilder b;
  b.AddSpace("fast", {.capacity_bytes = 100});
  b.AddSpace("slow", {});
  const ValueId x = b.Compute("x", {.reads = {}, .writes = {{.bytes = 64}}});
  const ValueId a = b.Compute("a", {.reads = {x}, .writes = {{.bytes = 8}}});
  const ValueId y = b.Compute("y", {.reads = {}, .writes = {{.bytes = 64}}});
  b.Output(b.Compute("z", {.reads = {a, y}, .writes = {{.bytes = 8}}}));
  b.AddFusion(Group("f", {1, 3}));
  const Graph graph = *std::move(b).Build();
  for (const Effort effort : {Effort::kFast, Effort::kDefault, Effort::kMax}) {
    const absl::StatusOr<GroupChoice> choice = ChooseGroups(graph, {.effort = effort});
    ASSERT_TRUE(choice.ok()) << choice.status();
    const FusionDecision& d = choice->plan.fused[0];
    EXPECT_FALSE(d.fused);
    EXPECT_EQ(d.cost_bytes, 136 - 80);
    EXPECT_THAT(d.why,
                StartsWith("left separate: needs 36 bytes more than the capacity of 100 of space \"fast\" leaves"));
  }
}

// Fused, `attn` runs after the commit that overwrites what it reads: the slice would have to copy.
TEST(ChooseGroups, AnElideMustThatAGroupWouldBreakIsTheReason) {
  GraphBuilder b;
  const ValueId k = b.Variable("K", 64), row = b.Input("row", 8);
  const ValueId past = b.Slice("past", k, 0, 32, {}, {.elide = Elide::kMust});
  const ValueId r = b.Compute("attn", {.reads = {past}, .writes = {{.bytes = 64}}});
  b.Commit("st", b.Update("upd", k, row, 0), k);
  b.Output(b.Compute("z", {.reads = {r}, .writes = {{.bytes = 64}}}));
  b.AddFusion(Group("f", {1, 4}));
  const Graph graph = *std::move(b).Build();
  const absl::StatusOr<Plan> plan = MakePlan(graph);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_FALSE(plan->fused[0].fused);
  EXPECT_EQ(plan->fused[0].cost_bytes, 0);
  EXPECT_THAT(plan->fused[0].why, StartsWith("left separate: op \"past\": elide is \"must\", but 32 bytes are moved"));
}

TEST(ChooseGroups, AGraphThatNeverFitsIsRefusedAsWithoutGroups) {
  const Graph graph = LongChain(3, /*capacity=*/100);
  const absl::Status with = MakePlan(graph).status();
  EXPECT_EQ(with.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(with.message()), HasSubstr("the least capacity known to work is 320"));
}

}  // namespace
}  // namespace bufplan
