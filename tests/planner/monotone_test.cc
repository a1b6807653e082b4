// More constraints never give a smaller requirement: what the planner finds at the default effort with one more
// keep-alive, with some ops of a stream moved to one of their own (which is less order), or with one more disjoint
// pair, takes no less than what it finds without. Every plan of the more constrained graph is one of the other, so
// where it takes less, the planner missed that plan. On real graphs that never happens, on random ones hardly ever.
//
// More graphs: bazel test --test_env=BUFPLAN_MONOTONE_GRAPHS=5000 //tests/planner:monotone_test
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "io/ggml.h"
#include "ir/checker.h"
#include "planner/make_plan.h"
#include "tests/oracle/random_graph.h"
#include "tests/oracle/rebuild.h"
#include "tests/planner/ggml_dumps.h"

namespace bufplan {
namespace {

int64_t BytesOf(const Plan& plan) {
  int64_t bytes = 0;
  for (const Arena& a : plan.arenas) bytes += a.bytes;
  return bytes;
}

int64_t PlannedBytes(const GgmlDump& dump, GgmlRegions regions) {
  const absl::StatusOr<Graph> graph = GraphOfGgmlDump(dump, {.regions = regions});
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return -1;
  const absl::StatusOr<Plan> plan = MakePlan(*graph, {.check = false});
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.ok() ? BytesOf(*plan) : -1;
}

class GgmlMonotone : public testing::TestWithParam<const char*> {};

// The regions' streams come with order edges that one stream has anyhow.
TEST_P(GgmlMonotone, RegionsNeverLowerTheRequirement) {
  const GgmlDump dump = GgmlDumpOf(GetParam());
  const int64_t ignored = PlannedBytes(dump, GgmlRegions::kIgnore);
  const int64_t kept = PlannedBytes(dump, GgmlRegions::kKeep), streams = PlannedBytes(dump, GgmlRegions::kStreams);
  std::printf("%s: %lld bytes, kept %lld, on streams %lld\n", GetParam(), static_cast<long long>(ignored),
              static_cast<long long>(kept), static_cast<long long>(streams));
  EXPECT_GE(kept, ignored);
  EXPECT_GE(streams, ignored);
}

INSTANTIATE_TEST_SUITE_P(All, GgmlMonotone, testing::ValuesIn(kGgmlGraphs),
                         [](const auto& info) { return std::string(info.param); });

enum class More { kKeepAlive, kStream, kDisjoint };
constexpr More kAllMore[] = {More::kKeepAlive, More::kStream, More::kDisjoint};
constexpr const char* kMoreText[] = {"a keep-alive", "ops on another stream", "a disjoint pair"};

// The graph with one constraint more; fails where Build() refuses it.
absl::StatusOr<Graph> With(const Graph& graph, More more, std::mt19937_64& random) {
  Recipe recipe = WholeRecipe(graph);
  const auto below = [&random](size_t n) { return static_cast<int32_t>(random() % n); };
  const size_t values = graph.values().size(), ops = graph.ops().size();
  switch (more) {
    case More::kKeepAlive: recipe.keep_alive.push_back({ValueId(below(values)), OpId(below(ops))}); break;
    case More::kDisjoint: recipe.disjoint.push_back({ValueId(below(values)), ValueId(below(values))}); break;
    case More::kStream: {
      const StreamId other(recipe.num_streams++);
      const StreamId split = ops == 0 ? StreamId(0) : recipe.stream_of_op[static_cast<size_t>(below(ops))];
      recipe.fusions.clear();
      for (StreamId& s : recipe.stream_of_op) {
        if (s == split && random() % 3 == 0) s = other;
      }
    }
  }
  return Rebuild(graph, recipe);
}

absl::StatusOr<Graph> WithoutOptionalGroups(const Graph& graph) {
  Recipe recipe = WholeRecipe(graph);
  std::erase_if(recipe.fusions, [](const Fusion& f) { return !f.required; });
  return Rebuild(graph, recipe);
}

absl::StatusOr<Graph> WithoutGroups(const Graph& graph) {
  Recipe recipe = WholeRecipe(graph);
  recipe.fusions.clear();
  return Rebuild(graph, recipe);
}

struct Tally {
  int pairs = 0, refused = 0, raised = 0, lowered = 0, missed = 0;
  int64_t bytes = 0, of_bytes = 0, most = 0;
};

TEST(Monotone, RandomGraphs) {
  const char* text = std::getenv("BUFPLAN_MONOTONE_GRAPHS");
  const uint64_t count = text != nullptr ? std::strtoull(text, nullptr, 10) : 300;
  std::map<More, Tally> tallies;
  const std::vector<RandomGraphOptions> profiles = RandomGraphOptions::Profiles();
  for (uint64_t seed = 1; seed <= count; ++seed) {
    RandomGraphOptions options = profiles[seed % profiles.size()];
    options.limits = false;
    const absl::StatusOr<Graph> whole = RandomGraph(options, seed);
    ASSERT_TRUE(whole.ok()) << whole.status();
    // A constraint may forbid an optional group, which is worth more than bytes.
    const absl::StatusOr<Graph> graph = WithoutOptionalGroups(*whole);
    ASSERT_TRUE(graph.ok()) << graph.status();
    const absl::StatusOr<Graph> bare = WithoutGroups(*graph);
    ASSERT_TRUE(bare.ok()) << bare.status();
    std::mt19937_64 random(seed);
    for (const More more : kAllMore) {
      Tally& t = tallies[more];
      absl::StatusOr<Graph> harder = With(*graph, more, random);
      for (int i = 0; i < 8 && !harder.ok(); ++i) harder = With(*graph, more, random);
      const absl::StatusOr<Plan> plan = MakePlan(more == More::kStream ? *bare : *graph);
      ASSERT_TRUE(plan.ok()) << "seed " << seed << ": " << plan.status();
      const absl::StatusOr<Plan> constrained = harder.ok() ? MakePlan(*harder) : harder.status();
      if (!constrained.ok()) {  // as it should be if the old content is gone, for one
        ++t.refused;
        continue;
      }
      ++t.pairs;
      const int64_t before = BytesOf(*plan), after = BytesOf(*constrained);
      t.raised += after > before;
      if (after >= before) continue;
      ++t.lowered;
      t.bytes += before - after;
      t.of_bytes += before;
      t.most = std::max(t.most, before - after);
      Plan same = *constrained;
      const Graph& base = more == More::kStream ? *bare : *graph;
      same.fingerprint = plan->fingerprint;
      const absl::StatusOr<CheckReport> report = CheckPlan(base, same);
      const bool fits = report.ok() && report->ok();
      t.missed += fits;
      std::printf("seed %llu (%s): %lld bytes, with %s %lld, %zu added edges, %s\n",
                  static_cast<unsigned long long>(seed), options.name.c_str(), static_cast<long long>(before),
                  kMoreText[static_cast<size_t>(more)], static_cast<long long>(after), constrained->added_order.size(),
                  fits ? "a plan without it too" : "in another order");
    }
  }
  for (const auto& [more, t] : tallies) {
    std::printf("%s: %d pairs (%d refused), %d higher, %d lower by %lld of %lld bytes, at most %lld; %d missed\n",
                kMoreText[static_cast<size_t>(more)], t.pairs, t.refused, t.raised, t.lowered,
                static_cast<long long>(t.bytes), static_cast<long long>(t.of_bytes), static_cast<long long>(t.most),
                t.missed);
    EXPECT_GT(t.raised, 0);
    EXPECT_EQ(t.missed, t.lowered) << "what is a plan with more constraints is one with fewer";
    // Measured: none of 300.
    EXPECT_LE(t.lowered * 100, more == More::kStream ? t.pairs : 0);
  }
}

}  // namespace
}  // namespace bufplan
