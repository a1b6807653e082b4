// The planner on all small graphs: its plans are valid for checker and oracle, and move the fewest bytes that are
// possible, or the graph is reported.
//
// All graphs of up to two ops, and a fixed sample of the larger ones:
//   bazel test --test_env=BUFPLAN_EXHAUSTIVE_STRIDE=1 //tests/planner/exhaustive:exhaustive_test      all of them
//   bazel test --test_env=BUFPLAN_EXHAUSTIVE_STRIDE=100 ...                                     one of about a hundred
//
// Graphs on which fewer bytes are possible are written, smallest first, to gaps.json among the test's undeclared
// outputs or to the file BUFPLAN_EXHAUSTIVE_GAPS: [{"planned", "fewest", "text", "graph": a graph for the tool}, ...].
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "io/json_graph.h"
#include "planner/make_plan.h"
#include "planner/options.h"
#include "tests/oracle/dump.h"
#include "tests/oracle/random.h"
#include "tests/planner/exhaustive/fewest_copies.h"
#include "tests/planner/exhaustive/judge.h"
#include "tests/planner/exhaustive/small_graphs.h"

namespace bufplan {
namespace {

constexpr size_t kSmall = 2;            // ops of graphs that are never left out
constexpr uint64_t kStride = 60;        // one of so many larger ones
constexpr uint64_t kCompareStride = 8;  // one of so many plans is held against the search though it moves nothing
constexpr size_t kMaxWritten = 2000;    // graphs per file
constexpr size_t kMaxShown = 5;

uint64_t Stride() {
  const char* text = std::getenv("BUFPLAN_EXHAUSTIVE_STRIDE");
  uint64_t n = 0;
  return text != nullptr && absl::SimpleAtoi(text, &n) && n > 0 ? n : kStride;
}

// The fewest bytes moved, if the planner can be asked for that.
template <class Options>
Options WantFewestCopies(Options options) {
  if constexpr (requires { options.objective; }) options.objective = decltype(options.objective)::kCopies;
  return options;
}

// A graph, and what is to be said of it.
struct Finding {
  SmallGraph graph;
  std::string text, what;
  auto Key() const { return std::tuple(graph.ops.size() + (graph.commit.has_value() ? 1 : 0), text.size(), text); }
};

class Stopwatch {
 public:
  void Start() { start_ = std::chrono::steady_clock::now(); }
  void Stop() { spent_ += std::chrono::steady_clock::now() - start_; }
  double seconds() const { return std::chrono::duration<double>(spent_).count(); }

 private:
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::duration spent_{};
};

struct Tally {
  int64_t graphs = 0, planned = 0, refused = 0, searched = 0, steps = 0;
  int64_t planned_bytes = 0, excess_bytes = 0;
  std::vector<Finding> gaps, faults;
  Stopwatch building, planning, judging, searching;
};

// A valid plan of fewer bytes, if there is one; held against the planner's. Returns what is wrong with either.
std::string Compare(const SmallGraph& small, const Graph& graph, const Plan& plan, bool complete, Tally& tally) {
  const int64_t planned = plan.stats.bytes_copied;
  std::string fault;
  const auto judge = [&](const Plan& p) {
    const Verdict verdict = Judge(graph, p);
    const bool good = verdict.accepted && verdict.runs;
    if (!good) fault = absl::StrCat("checker, oracle and search differ: ", verdict.text, "\n", DumpPlan(graph, p));
    return good;
  };
  FewestCopiesOptions options;
  options.below_bytes = complete ? planned + 1 : planned;
  const absl::StatusOr<FewestCopies> found = FindFewestCopies(graph, judge, options);
  if (!found.ok()) return found.status().ToString();
  if (!fault.empty()) return fault;
  ++tally.searched;
  tally.steps += found->steps;
  if (complete && !found->bytes.has_value()) {
    return absl::StrCat("the search misses a plan of ", planned, " bytes:\n", DumpPlan(graph, plan));
  }
  if (!found->bytes.has_value() || *found->bytes == planned) return "";
  const int64_t fewest = *found->bytes;
  tally.gaps.push_back({small, ToText(small), absl::StrCat(planned, " bytes instead of ", fewest)});
  tally.excess_bytes += planned - fewest;
  return "";
}

// What is wrong with the planner's answer; empty: nothing.
std::string Fault(const SmallGraph& small, const Graph& graph, Tally& tally) {
  PlanOptions options;
  options.check = false;  // it is checked here
  tally.planning.Start();
  const absl::StatusOr<Plan> plan = MakePlan(graph, WantFewestCopies(options));
  tally.planning.Stop();
  if (!plan.ok()) {
    // What was there before a commit is gone after it.
    if (!small.ReadsOldContent() || !absl::IsInvalidArgument(plan.status())) return plan.status().ToString();
    ++tally.refused;
    return "";
  }
  tally.judging.Start();
  const Verdict verdict = Judge(graph, *plan);
  tally.judging.Stop();
  if (!verdict.accepted || !verdict.runs) return absl::StrCat(verdict.text, "\n", DumpPlan(graph, *plan));
  ++tally.planned;
  tally.planned_bytes += plan->stats.bytes_copied;
  const bool complete = MixBits(static_cast<uint64_t>(tally.graphs)) % kCompareStride == 0;
  if (plan->stats.bytes_copied == 0 && !complete) return "";
  tally.searching.Start();
  std::string fault = Compare(small, graph, *plan, complete, tally);
  tally.searching.Stop();
  return fault;
}

void Visit(const SmallGraph& small, Tally& tally) {
  tally.building.Start();
  const absl::StatusOr<Graph> graph = Build(small);
  tally.building.Stop();
  ASSERT_TRUE(graph.ok()) << ToText(small) << ": " << graph.status();
  ++tally.graphs;
  std::string fault = Fault(small, *graph, tally);
  if (!fault.empty()) tally.faults.push_back({small, ToText(small), std::move(fault)});
}

void Write(const std::vector<Finding>& findings, const std::string& name) {
  const char* folder = std::getenv("BUFPLAN_EXHAUSTIVE_OUT");
  if (folder == nullptr) folder = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR");
  if (folder == nullptr) return;
  const std::string file = absl::StrCat(folder, "/", name);
  std::ofstream out(file);
  out << "[";
  for (size_t i = 0; i < std::min(findings.size(), kMaxWritten); ++i) {
    const Finding& f = findings[i];
    std::string what = absl::StrReplaceAll(f.what, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}});
    out << (i == 0 ? "" : ",") << "\n{\"text\": \"" << f.text << "\", \"what\": \"" << what << "\", \"graph\":\n"
        << WriteGraphJson(*Build(f.graph)) << "}";
  }
  out << "\n]\n";
  EXPECT_TRUE(out.good()) << file;
}

std::string FirstOf(const std::vector<Finding>& findings) {
  std::string text;
  for (size_t i = 0; i < std::min(findings.size(), kMaxShown); ++i) {
    absl::StrAppend(&text, findings[i].text, ": ", findings[i].what, "\n");
  }
  return text;
}

void Report(Tally& tally) {
  const auto smaller = [](const Finding& a, const Finding& b) { return a.Key() < b.Key(); };
  std::sort(tally.gaps.begin(), tally.gaps.end(), smaller);
  std::sort(tally.faults.begin(), tally.faults.end(), smaller);
  Write(tally.gaps, "gaps.json");
  Write(tally.faults, "faults.json");
  std::cout << tally.graphs << " graphs: " << tally.planned << " planned, " << tally.refused << " refused, "
            << tally.faults.size() << " wrong; " << tally.searched << " held against the search, " << tally.gaps.size()
            << " move too much: " << tally.planned_bytes << " bytes where " << tally.planned_bytes - tally.excess_bytes
            << " are enough\n"
            << "seconds: " << tally.building.seconds() << " building, " << tally.planning.seconds() << " planning, "
            << tally.judging.seconds() << " judging, " << tally.searching.seconds() << " searching (" << tally.steps
            << " steps)\n"
            << FirstOf(tally.gaps);
}

TEST(Exhaustive, PlansAreValidAndMoveFewBytes) {
  const uint64_t stride = Stride();
  Tally tally;
  uint64_t i = 0;
  ForEachSmallGraph({}, [&](const SmallGraph& small) {
    if (small.ops.size() <= kSmall || MixBits(++i) % stride == 0) Visit(small, tally);
    return !testing::Test::HasFailure();
  });
  Report(tally);
  RecordProperty("graphs", static_cast<int>(tally.graphs));
  RecordProperty("gaps", static_cast<int>(tally.gaps.size()));
  EXPECT_TRUE(tally.faults.empty()) << tally.faults.size() << " plans are wrong:\n" << FirstOf(tally.faults);
  EXPECT_GT(tally.planned, 10000);
  EXPECT_LT(tally.refused * 10, tally.planned);
}

}  // namespace
}  // namespace bufplan
