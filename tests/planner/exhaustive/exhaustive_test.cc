// The planner on all small graphs: its plans are valid for checker and oracle, and move the fewest bytes that are
// possible, or the graph is reported.
//
// All graphs of up to two ops, and a fixed sample of the larger ones:
//   bazel test --test_env=BUFPLAN_EXHAUSTIVE_STRIDE=1 //tests/planner/exhaustive:exhaustive_test      all two million
//   bazel test --test_env=BUFPLAN_EXHAUSTIVE_STRIDE=100 ...                                     one of about a hundred
//
// What is found goes, smallest graphs first, among the test's undeclared outputs, or into the folder
// BUFPLAN_EXHAUSTIVE_OUT:
//   gaps.json     graphs whose plan moves more bytes than necessary, with a plan that moves fewer
//   faults.json   graphs whose plan is wrong
//   refused.json  graphs that are refused although a valid plan exists: old content is read behind a commit that moves
//                 nothing
//   memory.json   graphs whose plan for the least memory needs more of it than the one for the fewest copies
//   [{"text": "A=input B=constant/4; ...", "what": "8 bytes instead of 4", "plan": ..., "graph": for the tool}, ...]
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "io/json_graph.h"
#include "ir/plan.h"
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
constexpr uint64_t kStride = 300;       // one of so many larger ones
constexpr uint64_t kCompareStride = 8;  // one of so many plans is held against the search though it moves nothing
constexpr size_t kMaxWritten = 2000;    // graphs per file
constexpr size_t kMaxShown = 5;
// Of the bytes that plans move, at most so many in a thousand need not be moved. To be lowered with every gap that
// closes.
constexpr int64_t kMaxExcessPerMille = 25;

uint64_t Stride() {
  const char* text = std::getenv("BUFPLAN_EXHAUSTIVE_STRIDE");
  uint64_t n = 0;
  return text != nullptr && absl::SimpleAtoi(text, &n) && n > 0 ? n : kStride;
}

PlanOptions Asked(Effort effort, Objective objective) {
  PlanOptions options;
  options.effort = effort;
  options.objective = objective;
  options.check = false;  // it is checked here
  return options;
}

// Of all spaces.
int64_t ArenaBytes(const Plan& plan) {
  int64_t sum = 0;
  for (const Arena& a : plan.arenas) sum += a.bytes;
  return sum;
}

// A graph, and what is to be said of it.
struct Finding {
  SmallGraph graph;
  std::string text, what, plan;
  auto Key() const { return std::tuple(graph.ops.size() + (graph.commit.has_value() ? 1 : 0), text.size(), text); }
};

// How many there are, and the smallest of them.
class Findings {
 public:
  void Add(Finding finding) {
    ++count_;
    smallest_.push_back(std::move(finding));
    if (smallest_.size() >= 4 * kMaxWritten) Trim();
  }
  // Sorted, kMaxWritten at most.
  const std::vector<Finding>& Smallest() {
    Trim();
    return smallest_;
  }
  int64_t count() const { return count_; }
  std::string First() {
    std::string text;
    for (size_t i = 0; i < std::min(Smallest().size(), kMaxShown); ++i) {
      absl::StrAppend(&text, smallest_[i].text, ": ", smallest_[i].what, "\n");
    }
    return text;
  }

 private:
  void Trim() {
    std::sort(smallest_.begin(), smallest_.end(), [](const Finding& a, const Finding& b) { return a.Key() < b.Key(); });
    if (smallest_.size() > kMaxWritten) smallest_.resize(kMaxWritten);
  }

  std::vector<Finding> smallest_;
  int64_t count_ = 0;
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
  int64_t graphs = 0, planned = 0, searched = 0, steps = 0;
  int64_t planned_bytes = 0, excess_bytes = 0;
  Findings gaps, faults, refused, memory;
  int64_t refused_rightly = 0;
  Stopwatch building, planning, judging, searching;
};

// Nothing, or what is wrong with a plan.
struct Fault {
  std::string what;
  std::string plan = {};
};
using MaybeFault = std::optional<Fault>;

// The valid plan of the fewest bytes, if they are fewer than `below`.
MaybeFault Search(const Graph& graph, int64_t below, Tally& tally, FewestCopies& result) {
  MaybeFault fault;
  const auto judge = [&](const Plan& p) {
    const Verdict verdict = Judge(graph, p);
    const bool good = verdict.accepted && verdict.runs;
    if (!good) fault = {"checker, oracle and search differ: " + verdict.text, DumpPlan(graph, p)};
    return good;
  };
  FewestCopiesOptions options;
  options.below_bytes = below;
  tally.searching.Start();
  absl::StatusOr<FewestCopies> found = FindFewestCopies(graph, judge, options);
  tally.searching.Stop();
  if (!found.ok()) return Fault{found.status().ToString()};
  ++tally.searched;
  tally.steps += found->steps;
  result = *std::move(found);
  return fault;
}

// Holds the planner's plan against the search. Returns what is wrong with either.
MaybeFault Compare(const SmallGraph& small, const Graph& graph, const Plan& plan, bool complete, Tally& tally) {
  const int64_t planned = plan.stats.bytes_copied;
  FewestCopies found;
  if (MaybeFault fault = Search(graph, complete ? planned + 1 : planned, tally, found); fault.has_value()) return fault;
  if (complete && !found.bytes.has_value()) {
    return Fault{absl::StrCat("the search misses a plan of ", planned, " bytes"), DumpPlan(graph, plan)};
  }
  if (!found.bytes.has_value() || *found.bytes == planned) return std::nullopt;
  tally.gaps.Add(
      {small, ToText(small), absl::StrCat(planned, " bytes instead of ", *found.bytes), DumpPlan(graph, found.plan)});
  tally.excess_bytes += planned - *found.bytes;
  return std::nullopt;
}

// What was there before a commit is gone after it, unless the commit moves nothing.
MaybeFault CheckRefusal(const SmallGraph& small, const Graph& graph, const absl::Status& status, Tally& tally) {
  if (!small.ReadsOldContent() || !absl::IsInvalidArgument(status)) return Fault{status.ToString()};
  FewestCopies found;
  MaybeFault fault = Search(graph, FewestCopiesOptions().below_bytes, tally, found);
  if (!found.bytes.has_value()) {
    ++tally.refused_rightly;
  } else {
    tally.refused.Add({small, ToText(small), status.ToString(), DumpPlan(graph, found.plan)});
  }
  return fault;
}

MaybeFault JudgePlan(const Graph& graph, const Plan& plan, Tally& tally) {
  tally.judging.Start();
  const Verdict verdict = Judge(graph, plan);
  tally.judging.Stop();
  if (verdict.accepted && verdict.runs) return std::nullopt;
  return Fault{verdict.text, DumpPlan(graph, plan)};
}

// Other efforts and the other objective: only whether the plan is valid, and that the least memory is not more than is
// needed when copies come first.
MaybeFault CheckOthers(const SmallGraph& small, const Graph& graph, const Plan& fewest_copies, Tally& tally) {
  const bool fast = tally.graphs % 2 == 0;
  const Objective objective = tally.graphs % 4 == 0 ? Objective::kCopies : Objective::kMemory;
  const absl::StatusOr<Plan> plan = MakePlan(graph, Asked(fast ? Effort::kFast : Effort::kDefault, objective));
  if (!plan.ok()) return Fault{absl::StrCat(fast ? "fast: " : "least memory: ", plan.status().ToString())};
  if (!fast && ArenaBytes(*plan) > ArenaBytes(fewest_copies)) {
    tally.memory.Add({small, ToText(small),
                      absl::StrCat(ArenaBytes(*plan), " bytes of memory instead of ", ArenaBytes(fewest_copies)),
                      DumpPlan(graph, fewest_copies)});
  }
  return JudgePlan(graph, *plan, tally);
}

// What is wrong with the planner's answers.
MaybeFault FaultOf(const SmallGraph& small, const Graph& graph, Tally& tally) {
  tally.planning.Start();
  const absl::StatusOr<Plan> plan = MakePlan(graph, Asked(Effort::kDefault, Objective::kCopies));
  tally.planning.Stop();
  if (!plan.ok()) return CheckRefusal(small, graph, plan.status(), tally);
  if (MaybeFault fault = JudgePlan(graph, *plan, tally); fault.has_value()) return fault;
  if (MaybeFault fault = CheckOthers(small, graph, *plan, tally); fault.has_value()) return fault;
  ++tally.planned;
  tally.planned_bytes += plan->stats.bytes_copied;
  const bool complete = MixBits(static_cast<uint64_t>(tally.graphs)) % kCompareStride == 0;
  if (plan->stats.bytes_copied == 0 && !complete) return std::nullopt;
  return Compare(small, graph, *plan, complete, tally);
}

void Visit(const SmallGraph& small, Tally& tally) {
  tally.building.Start();
  const absl::StatusOr<Graph> graph = Build(small);
  tally.building.Stop();
  ASSERT_TRUE(graph.ok()) << ToText(small) << ": " << graph.status();
  ++tally.graphs;
  MaybeFault fault = FaultOf(small, *graph, tally);
  if (fault.has_value()) tally.faults.Add({small, ToText(small), std::move(fault->what), std::move(fault->plan)});
}

std::string Quoted(const std::string& text) {
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}}), "\"");
}

void Write(const std::vector<Finding>& findings, const std::string& name) {
  const char* folder = std::getenv("BUFPLAN_EXHAUSTIVE_OUT");
  if (folder == nullptr) folder = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR");
  if (folder == nullptr) return;
  const std::string file = absl::StrCat(folder, "/", name);
  std::ofstream out(file);
  out << "[";
  for (size_t i = 0; i < findings.size(); ++i) {
    const Finding& f = findings[i];
    out << (i == 0 ? "" : ",") << "\n{\"text\": " << Quoted(f.text) << ", \"what\": " << Quoted(f.what)
        << ", \"plan\": " << Quoted(f.plan) << ", \"graph\":\n"
        << WriteGraphJson(*Build(f.graph)) << "}";
  }
  out << "\n]\n";
  EXPECT_TRUE(out.good()) << file;
}

void Report(Tally& tally) {
  Write(tally.gaps.Smallest(), "gaps.json");
  Write(tally.faults.Smallest(), "faults.json");
  Write(tally.refused.Smallest(), "refused.json");
  Write(tally.memory.Smallest(), "memory.json");
  std::cout << tally.graphs << " graphs: " << tally.planned << " planned, " << tally.refused_rightly
            << " refused rightly, " << tally.refused.count() << " though there is a plan, " << tally.faults.count()
            << " wrong\n"
            << tally.searched << " held against the search, " << tally.gaps.count()
            << " move too much: " << tally.planned_bytes << " bytes where " << tally.planned_bytes - tally.excess_bytes
            << " are enough; " << tally.memory.count() << " need more memory than with fewest copies\n"
            << "seconds: " << tally.building.seconds() << " building, " << tally.planning.seconds() << " planning, "
            << tally.judging.seconds() << " judging, " << tally.searching.seconds() << " searching (" << tally.steps
            << " steps)\n"
            << tally.gaps.First();
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
  RecordProperty("gaps", static_cast<int>(tally.gaps.count()));
  EXPECT_LE(tally.excess_bytes * 1000, tally.planned_bytes * kMaxExcessPerMille);
  EXPECT_EQ(tally.faults.count(), 0) << tally.faults.count() << " plans are wrong:\n" << tally.faults.First();
  EXPECT_GT(tally.planned, 10000);
  EXPECT_LT((tally.refused_rightly + tally.refused.count()) * 10, tally.planned);
}

}  // namespace
}  // namespace bufplan
