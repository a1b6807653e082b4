// The checker's table of broken plans, executed: what is broken for bytes that somebody reads shows, or does not start.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gpu_runtime/execute/compare.h"
#include "gpu_runtime/host/host_device.h"
#include "gtest/gtest.h"
#include "ir/checker.h"
#include "ir/graph_builder.h"
#include "tests/ir/checker_mutations.h"
#include "tests/ir/hand_plan.h"
#include "tests/oracle/about_read_bytes.h"

namespace bufplan::runtime {
namespace {

using checker_mutations::Mutation;

constexpr int kInterleavings = 16;

absl::StatusOr<Comparison> Execute(const Graph& graph, const Plan& plan) {
  const std::unique_ptr<Device> device = MakeHostDevice({.interleaving_seed = 1});
  return CompareWithReference(*device, graph, plan, {.stress = kInterleavings});
}

TEST(CheckerMutationsRunTest, BrokenPlansDifferOrAreRefused) {
  int about_read = 0, seen = 0;
  std::string missed, others;
  for (const Mutation& m : checker_mutations::All()) {
    SCOPED_TRACE(m.name);
    GraphBuilder b;
    m.build(b);
    const absl::StatusOr<Graph> graph = std::move(b).Build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    HandPlan hand(*graph);
    m.valid(hand, *graph);
    Plan plan = hand.Done();
    const absl::StatusOr<Comparison> valid = Execute(*graph, plan);
    ASSERT_TRUE(valid.ok()) << valid.status();
    EXPECT_FALSE(valid->difference.has_value()) << valid->difference->text;
    m.breaks(plan, *graph);
    // Whatever is wrong with it, it runs to an end or is refused.
    const absl::StatusOr<Comparison> broken = Execute(*graph, plan);
    const bool shows = !broken.ok() || broken->difference.has_value();
    if (IsAboutReadBytes(m.kind)) {
      ++about_read;
      seen += shows ? 1 : 0;
      if (!shows) absl::StrAppend(&missed, "\n  ", ToString(m.kind), ": ", m.name);
    } else {
      absl::StrAppend(&others, "\n  ", shows ? "shows  " : "equal  ", ToString(m.kind), ": ", m.name);
    }
  }
  RecordProperty("about_read_bytes", about_read);
  RecordProperty("seen", seen);
  std::printf("%d of %d seen; missed:%s\nothers:%s\n", seen, about_read, missed.c_str(), others.c_str());
  EXPECT_GE(about_read, 12);
  EXPECT_GE(seen * 100, about_read * 95) << seen << " of " << about_read << ", missed:" << missed;
}

}  // namespace
}  // namespace bufplan::runtime
