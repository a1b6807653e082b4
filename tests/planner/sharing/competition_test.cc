// Wishes that compete inside of large graphs, in which not every combination of wishes can be tried: the fewest bytes
// move, at every effort.
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/graph.h"
#include "planner/make_plan.h"
#include "tests/planner/cases/plan_case.h"

namespace bufplan {
namespace {

class Crowd : public CaseGraph {
 public:
  // Versions of values that nobody else uses: each can have its wish.
  void AddOthers(int n) {
    for (int i = 0; i < n; ++i) {
      const ValueId x = Op("", {}, 48);
      R("", {W("", x, 0, 8)});
    }
  }

  // The checker accepts every plan, or there is none.
  void ExpectMoved(int64_t bytes) && {
    const absl::StatusOr<Graph> graph = std::move(*this).Build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    for (const Effort effort : {Effort::kFast, Effort::kDefault}) {
      PlanOptions options;
      options.effort = effort;
      options.objective = Objective::kCopies;
      const absl::StatusOr<bufplan::Plan> plan = MakePlan(*graph, options);
      ASSERT_TRUE(plan.ok()) << plan.status();
      EXPECT_EQ(plan->stats.bytes_copied, bytes) << AllNotes(*graph, *plan);
    }
  }
};

//   x      |................|................|     64 bytes
//   a              |........,........|             a copy of 32 of them
//   b      |............####|                      versions of both halves: 28 old bytes and 4 new ones each
//   c                       |####............|
//
// With a on x, b and c carry 28 bytes each. With both on their halves, only a is copied.
void AddTwoAgainstOne(Crowd& g) {
  const ValueId x = g.Op("", {}, 64);
  const ValueId lower = g.View("", x, 0, 32), upper = g.View("", x, 32, 32);
  const ValueId a = g.Slice("", x, 16, 32);
  const ValueId b = g.W("", lower, 28, 4), c = g.W("", upper, 0, 4);
  g.R("", {a, b, c});
}

TEST(Competition, TwoSmallWishesWinAgainstALargeOne) {
  Crowd g;
  g.AddOthers(200);
  AddTwoAgainstOne(g);
  g.AddOthers(200);
  std::move(g).ExpectMoved(32);
}

TEST(Competition, ManyTimes) {
  Crowd g;
  for (int i = 0; i < 100; ++i) {
    AddTwoAgainstOne(g);
    g.AddOthers(5);
  }
  std::move(g).ExpectMoved(3200);
}

// b and c are both versions of the lower half: only one of them can have it.
TEST(Competition, TwoThatAreInEachOthersWayLose) {
  Crowd g;
  g.AddOthers(200);
  const ValueId x = g.Op("", {}, 64);
  const ValueId lower = g.View("", x, 0, 32);
  const ValueId a = g.Slice("", x, 16, 32);
  const ValueId b = g.W("", lower, 28, 4), c = g.W("", lower, 24, 4);
  g.R("", {a, b, c});
  g.AddOthers(200);
  std::move(g).ExpectMoved(56);
}

// Versions of the parts of x, and between each two of them a copy that lies across their border: versions and copies
// form a chain in which each is in the way of its neighbours. `old`: bytes that a version keeps of its part of 32.
void AddChain(Crowd& g, int parts, int64_t old, int64_t copied) {
  const ValueId x = g.Op("", {}, 32 * parts);
  std::vector<ValueId> views;
  for (int i = 0; i < parts; ++i) views.push_back(g.View("", x, 32 * i, 32));
  std::vector<Operand> read;
  for (int i = 1; i < parts; ++i) read.push_back(g.Slice("", x, 32 * i - copied / 2, copied));
  const int64_t run = (32 - old) / 2;
  const Region both_ends{0, run, {Dim{2, 32 - run}}};
  for (ValueId v : views) {
    const ValueId version = g.Compute("", {.reads = {}, .writes = {{.bytes = 32, .base = v, .region = both_ends}}});
    read.push_back(version);
  }
  g.R("", read);
}

TEST(Competition, ChainsAreDecidedAsAWhole) {
  struct Case {
    int parts;
    int64_t old, copied, moved;
  };
  for (const Case& c : {Case{2, 24, 30, 30}, Case{3, 24, 32, 64}, Case{4, 24, 30, 90}, Case{6, 24, 28, 140},
                        Case{3, 16, 28, 48}, Case{6, 16, 28, 96}}) {
    SCOPED_TRACE(absl::StrCat(c.parts, " ", c.old, " ", c.copied));
    Crowd g;
    g.AddOthers(200);
    AddChain(g, c.parts, c.old, c.copied);
    g.AddOthers(200);
    std::move(g).ExpectMoved(c.moved);
  }
}

}  // namespace
}  // namespace bufplan
