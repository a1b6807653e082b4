// Broken plans, executed: what the checker refuses for bytes that somebody reads shows when it runs.
//
// From the naive plan of a random graph a random walk leads through plans that the checker accepts, each of which must
// run like its reference; beside each lie many that are broken (tests/oracle/mutate.h). Of those that the checker
// refuses for the bytes that are read, at least 95 % must differ, trip a guard, or not even start, being impossible;
// and at least 97 % of those at which the byte-level interpreter (tests/oracle/oracle.h) finds a difference.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gpu_runtime/execute/compare.h"
#include "gpu_runtime/host/host_device.h"
#include "gtest/gtest.h"
#include "ir/checker.h"
#include "tests/oracle/about_read_bytes.h"
#include "tests/oracle/concrete.h"
#include "tests/oracle/from_environment.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/random_graph.h"
#include "tests/oracle/walk_plans.h"

namespace bufplan::runtime {
namespace {

constexpr int kSteps = 30;
constexpr int kInterleavings = 20;

uint64_t NumGraphs() { return FromEnvironment("BUFPLAN_RANDOM_GRAPHS", 60); }

enum class Outcome { kEqual, kDiffers, kImpossible };

struct Run {
  Outcome outcome = Outcome::kEqual;
  std::string text;
};

Run Execute(const Graph& graph, const Plan& plan, const std::vector<int64_t>& symbols, uint64_t seed) {
  const std::unique_ptr<Device> device = MakeHostDevice({.interleaving_seed = seed});
  const CompareOptions options = {
      .symbol_values = symbols, .stress = graph.num_streams() > 1 ? kInterleavings : 1, .seed = seed};
  const absl::StatusOr<Comparison> c = CompareWithReference(*device, graph, plan, options);
  if (!c.ok()) return {Outcome::kImpossible, c.status().ToString()};
  if (c->difference.has_value()) return {Outcome::kDiffers, c->difference->text};
  return {};
}

struct Tally {
  int accepted = 0, refused = 0, seen = 0;  // refused and seen: of what is about read bytes
  int of_oracle = 0, of_both = 0;           // seen by the interpreter; of these by the executor too
  std::map<std::string, int> missed;        // by kind of violation
};

void Walk(const RandomGraphOptions& options, uint64_t seed, Tally& tally) {
  const absl::StatusOr<Graph> graph = RandomGraph(options, seed);
  ASSERT_TRUE(graph.ok()) << graph.status();
  const std::vector<std::vector<int64_t>> tuples = SymbolTuples(*graph, 2, seed);
  WalkPlans(*graph, seed, kSteps, [&](const VisitedPlan& visited) {
    const Plan& plan = visited.mutant.plan;
    if (visited.report.ok()) {
      for (const std::vector<int64_t>& tuple : tuples) {
        const Run run = Execute(*graph, plan, tuple, seed);
        ASSERT_EQ(run.outcome, Outcome::kEqual) << "the checker accepts, but " << run.text << "\n" << visited.Text();
      }
      ++tally.accepted;
      return;
    }
    const Violation& violation = visited.report.violations[0];
    if (!IsAboutReadBytes(violation.kind)) return;
    ++tally.refused;
    const bool seen = Execute(*graph, plan, violation.symbols, seed).outcome != Outcome::kEqual;
    const absl::StatusOr<std::optional<bufplan::Difference>> oracle =
        RunPlannedOften(*graph, plan, violation.symbols, seed, kInterleavings);
    ASSERT_TRUE(oracle.ok()) << oracle.status();
    tally.of_oracle += oracle->has_value() ? 1 : 0;
    tally.of_both += oracle->has_value() && seen ? 1 : 0;
    if (seen) {
      ++tally.seen;
      return;
    }
    ++tally.missed[std::string(ToString(violation.kind))];
    if (std::getenv("BUFPLAN_SHOW_MISSED") != nullptr) {
      std::printf("%s\n%s\n", violation.message.c_str(), visited.Text().c_str());
    }
  });
}

class MutatedPlans : public testing::TestWithParam<RandomGraphOptions> {};

TEST_P(MutatedPlans, DifferOrTripAGuard) {
  Tally tally;
  for (uint64_t seed = 1; seed <= NumGraphs() && !HasFatalFailure(); ++seed) Walk(GetParam(), seed, tally);
  RecordProperty("accepted", tally.accepted);
  RecordProperty("refused", tally.refused);
  RecordProperty("seen", tally.seen);
  std::string missed;
  for (const auto& [kind, count] : tally.missed) absl::StrAppend(&missed, " ", kind, " ", count);
  std::printf("%d accepted; %d of %d broken ones seen, %d of %d that the interpreter sees; missed:%s\n", tally.accepted,
              tally.seen, tally.refused, tally.of_both, tally.of_oracle, missed.c_str());
  EXPECT_GT(tally.accepted, static_cast<int>(NumGraphs()));
  EXPECT_GT(tally.refused, static_cast<int>(NumGraphs()));
  EXPECT_GE(tally.of_both * 100, tally.of_oracle * 97) << tally.of_both << " of " << tally.of_oracle;
  EXPECT_GE(tally.seen * 100, tally.refused * 95) << tally.seen << " of " << tally.refused << ", missed:" << missed;
}

INSTANTIATE_TEST_SUITE_P(Profiles, MutatedPlans, testing::ValuesIn(RandomGraphOptions::Profiles()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bufplan::runtime
