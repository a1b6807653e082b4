// Plans of random graphs on 2 to 8 streams, with keep-alives, groups and commits, in as much memory as they like, in
// the least that order edges can reach, and in between.
//
// Every plan is accepted by the checker and runs without a difference in many random interleavings; every order edge
// that it adds is needed: without it the checker refuses the plan (with symbols, where it tries samples only, that is
// not asked); edges for room are there only where there would be too little without; a smaller capacity never gives
// more bytes.
//
// More graphs: bazel test --test_env=BUFPLAN_RANDOM_STREAM_GRAPHS=5000 //tests/planner/reuse:random_streams_test
// Other seeds: --test_env=BUFPLAN_RANDOM_SEED=1000000 (the first one)
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "io/json_graph.h"
#include "ir/checker.h"
#include "planner/make_plan.h"
#include "tests/oracle/concrete.h"
#include "tests/oracle/dump.h"
#include "tests/oracle/from_environment.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/random_graph.h"

namespace bufplan {
namespace {

constexpr int kSymbolTuples = 2;
constexpr int kInterleavings = 12;

RandomGraphOptions Profile(uint64_t seed) {
  RandomGraphOptions o;
  o.name = "streams";
  o.max_streams = 2 + static_cast<int>(seed % 7);
  o.max_ops = 12 + static_cast<int>(seed % 5) * 6;
  o.max_symbols = seed % 11 == 0 ? 1 : 0;
  o.max_fusions = static_cast<int>(seed % 4);
  o.movements = seed % 3 != 0;
  o.caller_owned = seed % 2 == 0;
  o.zero_bytes = false;
  return o;
}

struct Tally {
  int plans = 0, with_edges = 0, edges = 0;
};

// What is wrong with a plan; empty: nothing.
std::string Fault(const Graph& graph, const Plan& plan, uint64_t seed, Tally& tally) {
  const absl::StatusOr<CheckReport> report = CheckPlan(graph, plan);
  if (!report.ok()) return report.status().ToString();
  if (!report->ok()) return absl::StrCat(ToString(report->violations[0].kind), ": ", report->violations[0].message);
  for (const std::vector<int64_t>& tuple : SymbolTuples(graph, kSymbolTuples, seed)) {
    const absl::StatusOr<std::optional<Difference>> d = RunPlannedOften(graph, plan, tuple, seed, kInterleavings);
    if (!d.ok()) return d.status().ToString();
    if (d->has_value()) return absl::StrCat("the oracle differs: ", (*d)->text);
  }
  ++tally.plans;
  tally.with_edges += !plan.added_order.empty();
  for (size_t i = 0; i < plan.added_order.size() && graph.symbols().empty(); ++i) {
    ++tally.edges;
    Plan without = plan;
    without.added_order.erase(without.added_order.begin() + static_cast<std::ptrdiff_t>(i));
    const absl::StatusOr<CheckReport> refused = CheckPlan(graph, without);
    if (!refused.ok()) return refused.status().ToString();
    if (refused->ok()) {
      const AddedEdge& e = plan.added_order[i];
      return absl::StrCat("the edge from ", graph.name(e.before), " to ", graph.name(e.after), " is not needed (",
                          e.why, ")");
    }
  }
  return "";
}

class Pressed {
 public:
  Pressed(const Graph& graph, uint64_t seed, Effort effort, Tally& tally)
      : graph_(graph), seed_(seed), effort_(effort), tally_(tally) {}

  // What is wrong; empty: nothing.
  std::string Run() {
    const absl::StatusOr<Plan> free = MakePlan(graph_, Options({}, ReuseEdges::kNever));
    if (!free.ok()) return absl::StrCat("refused: ", free.status().ToString());
    if (std::string fault = Fault(graph_, *free, seed_, tally_); !fault.empty()) return absl::StrCat("free: ", fault);
    const absl::StatusOr<Plan> least = MakePlan(graph_, Options({}, ReuseEdges::kAllow));
    if (!least.ok()) return absl::StrCat("with edges: ", least.status().ToString());
    if (std::string fault = Fault(graph_, *least, seed_, tally_); !fault.empty()) return absl::StrCat("least: ", fault);
    const int64_t most = free->arenas[0].bytes, fewest = least->arenas[0].bytes;
    if (fewest > most) return absl::StrCat("edges cost: ", fewest, " bytes instead of ", most);
    if (fewest == most) return "";
    for (const int64_t capacity : {fewest, (fewest + most) / 2, most - 1, most}) {
      const absl::StatusOr<Plan> plan = MakePlan(graph_, Options(capacity, ReuseEdges::kIfShort));
      if (!plan.ok()) return absl::StrCat("capacity ", capacity, ": ", plan.status().ToString());
      if (std::string fault = Fault(graph_, *plan, seed_, tally_); !fault.empty()) {
        return absl::StrCat("capacity ", capacity, ": ", fault);
      }
      if (plan->arenas[0].bytes > capacity) return absl::StrCat(plan->arenas[0].bytes, " bytes, capacity ", capacity);
      if (capacity == most && plan->added_order.size() > free->added_order.size()) return "an edge where there is room";
    }
    return "";
  }

 private:
  PlanOptions Options(std::optional<int64_t> capacity, ReuseEdges reuse) const {
    PlanOptions options;
    options.effort = effort_;
    options.capacity_bytes = capacity;
    options.reuse_edges = reuse;
    options.check = false;
    return options;
  }

  const Graph& graph_;
  uint64_t seed_;
  Effort effort_;
  Tally& tally_;
};

TEST(RandomStreams, PlansInAnyMemory) {
  const uint64_t first = FromEnvironment("BUFPLAN_RANDOM_SEED", 1);
  const uint64_t count = FromEnvironment("BUFPLAN_RANDOM_STREAM_GRAPHS", 200);
  Tally tally;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const absl::StatusOr<Graph> graph = RandomGraph(Profile(seed), seed);
    ASSERT_TRUE(graph.ok()) << "seed " << seed << ": " << graph.status();
    const Effort effort = seed % 4 == 0 ? Effort::kFast : Effort::kDefault;
    ASSERT_EQ(Pressed(*graph, seed, effort, tally).Run(), "") << "seed " << seed << "\n"
                                                              << DumpGraph(*graph) << WriteGraphJson(*graph);
  }
  RecordProperty("plans", tally.plans);
  RecordProperty("edges", tally.edges);
  EXPECT_GT(tally.with_edges, static_cast<int>(count / 4));
  std::printf("%d plans, %d of them with added edges, %d of these needed\n", tally.plans, tally.with_edges,
              tally.edges);
}

}  // namespace
}  // namespace bufplan
