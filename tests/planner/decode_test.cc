// A whole decode step with 32 layers: its caches are neither copied nor, where attention takes strides, read through a
// copy.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "benchmarks/decode_graph.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/checker.h"
#include "ir/plan.h"
#include "planner/make_plan.h"
#include "tests/oracle/oracle.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kRow = 8192;
constexpr int64_t kRows = 4095;

Plan PlanOf(const Graph& graph, Effort effort, Objective objective) {
  PlanOptions options;
  options.effort = effort;
  options.objective = objective;
  options.check = false;
  absl::StatusOr<Plan> plan = MakePlan(graph, options);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.ok() ? *std::move(plan) : Plan{};
}

std::string WhyOf(const Graph& graph, const Plan& plan, absl::string_view op) {
  std::string text;
  for (const Note& note : plan.notes) {
    if (graph.name(note.op) == op) absl::StrAppend(&text, WhyText(graph, note), "\n");
  }
  return text;
}

void ExpectValidAt(const Graph& graph, const Plan& plan, std::vector<int64_t> steps) {
  for (int64_t s : steps) {
    CheckOptions options;
    options.symbol_values = std::vector<int64_t>{s};
    const absl::StatusOr<CheckReport> report = CheckPlan(graph, plan, options);
    ASSERT_TRUE(report.ok()) << report.status();
    ASSERT_TRUE(report->ok()) << "at s=" << s << ": " << report->violations[0].message;
  }
}

TEST(Decode, AttentionThatTakesStridesNeedsNoCopy) {
  const Graph graph = DecodeGraph({});
  for (Objective objective : {Objective::kMemory, Objective::kCopies}) {
    for (Effort effort : {Effort::kFast, Effort::kDefault}) {
      const Plan plan = PlanOf(graph, effort, objective);
      EXPECT_EQ(plan.stats.bytes_copied, 0);
      EXPECT_EQ(plan.stats.copies_kept, 0);
      EXPECT_LE(plan.arenas[0].bytes, 7 * kRow);  // x, sum and the feed-forward block of 4 rows
      ExpectValidAt(graph, plan, {0, 1, 2, kRows - 1});
    }
  }
  const Plan plan = PlanOf(graph, Effort::kDefault, Objective::kMemory);
  EXPECT_THAT(WhyOf(graph, plan, "l3.k.past"), HasSubstr("view of l3.k.cache [0, 8192*s)"));
  EXPECT_THAT(WhyOf(graph, plan, "l3.k.next"), HasSubstr("written straight to its place"));
}

TEST(Decode, AttentionThatTakesNoStridesNeedsOneCopyPerCache) {
  DecodeShape shape;
  shape.strides_ok = false;
  const Graph graph = DecodeGraph(shape);
  for (Objective objective : {Objective::kMemory, Objective::kCopies}) {
    for (Effort effort : {Effort::kFast, Effort::kDefault}) {
      const Plan plan = PlanOf(graph, effort, objective);
      EXPECT_EQ(plan.stats.copies_kept, 2 * shape.layers);
      EXPECT_EQ(plan.stats.bytes_copied, 2 * shape.layers * kRow * kRows);
      ExpectValidAt(graph, plan, {0, 1, 2, kRows - 1});
    }
  }
}

// Few rows and heads: every byte is executed.
TEST(Decode, ExecutesRight) {
  for (const bool strides_ok : {true, false}) {
    DecodeShape shape;
    shape.layers = 2;
    shape.heads = 2;
    shape.head_bytes = 4;
    shape.rows = 5;
    shape.strides_ok = strides_ok;
    const Graph graph = DecodeGraph(shape);
    for (Effort effort : {Effort::kFast, Effort::kDefault}) {
      const Plan plan = PlanOf(graph, effort, Objective::kMemory);
      for (int64_t s = 0; s < shape.rows; ++s) {
        const absl::StatusOr<std::optional<Difference>> d = RunPlannedOften(graph, plan, {s}, 1, 4);
        ASSERT_TRUE(d.ok()) << d.status();
        EXPECT_FALSE(d->has_value()) << (*d)->text;
      }
    }
  }
}

}  // namespace
}  // namespace bufplan
