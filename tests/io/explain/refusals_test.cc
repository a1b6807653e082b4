#include "io/explain/refusals.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "tests/io/explain/sample.h"

namespace bufplan {
namespace {

TEST(RefusalsTest, OneOfTheSample) {
  const Sample s;
  const RefusalSummary summary = SummariseRefusals(s.graph, s.plan);
  EXPECT_EQ(summary.count, 1);
  ASSERT_EQ(summary.groups.size(), 1u);
  EXPECT_EQ(summary.groups[0].reason, "_ still needs _ there");
  EXPECT_EQ(summary.groups[0].example, "b is not in place of a: g still needs a there");
}

// A chain in which each op could work in place; names with blanks and colons.
Graph Chain(int length) {
  GraphBuilder b;
  ValueId x = b.Input("in: put", 64);
  for (int i = 0; i < length; ++i) {
    const std::string name = absl::StrCat("layer ", i, " (view)");
    x = b.Compute(name,
                  {.reads = {x}, .writes = {{.name = absl::StrCat(name, ": out"), .bytes = 64, .in_place = {x}}}});
  }
  b.Output(x);
  return std::move(b).Build().value();
}

TEST(RefusalsTest, EqualReasonsAreCountedWhateverTheNames) {
  const Graph graph = Chain(5);
  Plan plan;
  for (int i = 0; i < 5; ++i) {
    Note& n = plan.notes.emplace_back();
    n.op = OpId(i);
    n.result = ValueId(i + 1);
    n.value = ValueId(i);
    n.why = i == 3 ? Why::kMisaligned : Why::kOldContentRead;
    n.other = ValueId(i);
    n.blocker = OpId(4);
  }
  // As from a file: sentences only.
  for (Note& n : plan.notes) {
    n.text = WhyText(graph, n);
    n.why = Why::kText;
    n.value = n.other = std::nullopt;
    n.blocker = std::nullopt;
  }
  const RefusalSummary summary = SummariseRefusals(graph, plan);
  EXPECT_EQ(summary.count, 5);
  ASSERT_EQ(summary.groups.size(), 2u);
  EXPECT_EQ(summary.groups[0].count, 4);
  EXPECT_EQ(summary.groups[0].reason, "_ still needs _ there");
  EXPECT_EQ(summary.groups[1].count, 1);
}

TEST(RefusalsTest, MovementsAndBasesAreNoInPlaceWishes) {
  const Sample s;
  for (const Note& n : s.plan.notes) {
    EXPECT_EQ(IsInPlaceRefusal(s.graph, n), n.op == s.Op("h")) << WhyText(s.graph, n);
  }
}

}  // namespace
}  // namespace bufplan
