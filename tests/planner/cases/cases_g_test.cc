// Section G of docs/cases.md: fusion groups.
#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/where.h"
#include "planner/make_plan.h"
#include "tests/planner/cases/plan_case.h"

namespace bufplan {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Fusion Group(absl::string_view name, std::vector<OpId> ops, bool required = true, double benefit = 1) {
  Fusion fusion;
  fusion.name = std::string(name);
  fusion.ops = std::move(ops);
  fusion.required = required;
  fusion.benefit = benefit;
  return fusion;
}

bool HasNoBytes(const Plan& plan, ValueId v) { return plan.location(v).kind == Location::Kind::kNone; }

TEST(CasesG, G1AWeightedSumOfExperts) {
  CaseGraph g;
  std::vector<ValueId> experts, inside;
  std::vector<OpId> group;
  for (const char* name : {"e0", "e1", "e2"}) experts.push_back(g.Op(name, {}, 64));
  const ValueId weights = g.Op("weights", {}, 64), scale = g.Op("scale", {}, 64);
  const auto add = [&](ValueId v) {
    inside.push_back(v);
    group.push_back(g.last_op());
    return v;
  };
  std::vector<ValueId> products;
  for (ValueId e : experts) products.push_back(add(g.Op("", {e, weights}, 64, {e})));
  const ValueId foreign = g.Op("foreign", {}, 64);
  ValueId sum = products[0];
  for (size_t i = 1; i < products.size(); ++i) sum = add(g.Op("", {sum, products[i]}, 64, {sum, products[i]}));
  const ValueId result = g.Op("scaled", {sum, scale}, 64, {scale});
  group.push_back(g.last_op());
  g.AddFusion(Group("moe", group));
  g.R("r", {foreign, result});
  g.Plan([&](const Graph& graph, const Plan& plan) {
    ASSERT_EQ(plan.fused.size(), 1u);
    EXPECT_TRUE(plan.fused[0].fused);
    for (ValueId v : inside) EXPECT_TRUE(HasNoBytes(plan, v)) << graph.name(v);
    for (ValueId v : experts) {
      EXPECT_FALSE(Overlap(graph, plan, v, foreign)) << graph.name(v);
      EXPECT_FALSE(Overlap(graph, plan, v, result)) << graph.name(v);
    }
    for (ValueId v : {weights, scale}) EXPECT_FALSE(Overlap(graph, plan, v, result)) << graph.name(v);
    EXPECT_EQ(ArenaBytes(plan), 7 * 64);
  });
}

struct MatmulAdd {
  CaseGraph graph;
  ValueId activation, added, product, sum;
};

MatmulAdd MakeMatmulAdd(bool permitted, bool required = true, int64_t size = 64, double benefit = 1) {
  MatmulAdd m;
  CaseGraph& g = m.graph;
  const ValueId w = g.Constant("W", 4 * size);
  m.activation = g.Op("fa", {}, size);
  m.added = g.Op("fb", {}, size);
  m.product = g.Op("mul_mat", {w, m.activation}, size, {m.activation});
  const OpId first = g.last_op();
  m.sum = g.Op("add", {m.product, m.added}, size, {m.product, m.added});
  Fusion fusion = Group("mm_add", {first, g.last_op()}, required, benefit);
  if (permitted) fusion.in_place.push_back({m.sum, m.added, InPlaceMode::kSameIndex});
  g.AddFusion(fusion);
  g.R("r", {m.sum});
  return m;
}

TEST(CasesG, G2InPlaceOnlyAsTheFusionSays) {
  for (const bool permitted : {true, false}) {
    SCOPED_TRACE(permitted ? "permitted" : "not permitted");
    MatmulAdd m = MakeMatmulAdd(permitted);
    m.graph.Plan([&](const Graph& graph, const Plan& plan) {
      EXPECT_TRUE(HasNoBytes(plan, m.product));
      EXPECT_FALSE(Overlap(graph, plan, m.sum, m.activation));
      EXPECT_EQ(SameBytes(graph, plan, m.sum, m.added), permitted);
      EXPECT_EQ(Overlap(graph, plan, m.sum, m.added), permitted);
      EXPECT_EQ(ArenaBytes(plan), permitted ? 128 : 192);
    });
  }
}

TEST(CasesG, G2SeparateOpsAreInPlaceAsTheyThemselvesSay) {
  MatmulAdd m = MakeMatmulAdd(/*permitted=*/true, /*required=*/false, 64, /*benefit=*/-1);
  m.graph.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(plan.fused[0].fused);
    EXPECT_TRUE(SameBytes(graph, plan, m.product, m.activation));
    EXPECT_THAT(plan.fused[0].why, StartsWith("left separate: benefit -1"));
    EXPECT_EQ(ArenaBytes(plan), 128);
  });
}

TEST(CasesG, G2AnOptionalGroupIsInPlaceAsItSays) {
  MatmulAdd m = MakeMatmulAdd(/*permitted=*/true, /*required=*/false);
  m.graph.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(plan.fused[0].fused);
    EXPECT_TRUE(HasNoBytes(plan, m.product));
    EXPECT_TRUE(SameBytes(graph, plan, m.sum, m.added));
    EXPECT_EQ(ArenaBytes(plan), 128);
    EXPECT_EQ(plan.fused[0].cost_bytes, 0);
    EXPECT_THAT(plan.fused[0].why, StartsWith("taken: benefit 1"));
  });
}

TEST(CasesG, G3AMemberThatIsUsedOutsideToo) {
  CaseGraph g;
  const ValueId x = g.Op("x", {}, 64), y = g.Op("y", {}, 64);
  const ValueId inner = g.Op("inner", {x}, 64, {x});
  const OpId first = g.last_op();
  const ValueId between = g.Op("between", {}, 64);
  const ValueId outer = g.Op("outer", {inner, y}, 64, {inner, y});
  g.AddFusion(Group("f", {first, g.last_op()}));
  g.R("r", {inner, outer, between});
  g.Plan([&](const Graph& graph, const Plan& plan) {
    const ValueId all[] = {x, y, inner, between, outer};
    EXPECT_FALSE(HasNoBytes(plan, inner));
    for (ValueId a : all) {
      for (ValueId b : all) EXPECT_TRUE(a == b || !Overlap(graph, plan, a, b)) << graph.name(a) << " " << graph.name(b);
    }
    EXPECT_EQ(ArenaBytes(plan), 5 * 64);
  });
}

TEST(CasesG, G3AMemberThatIsAnOutputOrKeptAlive) {
  for (const bool output : {true, false}) {
    CaseGraph g;
    const ValueId x = g.Op("x", {}, 64);
    const ValueId inner = g.Op("inner", {x}, 64);
    const OpId first = g.last_op();
    const ValueId outer = g.Op("outer", {inner}, 64);
    const OpId last = g.last_op();
    g.AddFusion(Group("f", {first, last}));
    g.R("r", {outer});
    if (output) {
      g.Output(inner);
    } else {
      g.KeepAliveUntil(inner, g.last_op());
    }
    g.Plan([&](const Graph& graph, const Plan& plan) {
      EXPECT_FALSE(HasNoBytes(plan, inner));
      EXPECT_FALSE(Overlap(graph, plan, inner, outer));
      EXPECT_EQ(ArenaBytes(plan), 192);
    });
  }
}

TEST(CasesG, G4AGroupWithAForeignOpInItsMiddleIsRefused) {
  CaseGraph g;
  const ValueId a = g.Op("a", {}, 64);
  const OpId first = g.last_op();
  const ValueId foreign = g.Op("foreign", {a}, 64);
  g.Op("c", {a, foreign}, 64);
  g.AddFusion(Group("f", {first, g.last_op()}, /*required=*/false));
  const absl::Status refusal = g.BuildRefusal();
  EXPECT_EQ(refusal.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("fusion \"f\": op \"foreign\" (compute)"));
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("cycle"));
  EXPECT_EQ(FaultPlace(refusal), "/fusions/0");
}

// Foreign ops that come after a member run after the group, those that come before one before it.
TEST(CasesG, G4AGroupRunsBeforeTheForeignOpThatNeedsIt) {
  for (const bool required : {false, true}) {
    CaseGraph g;
    const ValueId x = g.Op("x", {}, 64);
    const ValueId a = g.Op("a", {x}, 64);
    const OpId first = g.last_op();
    const ValueId foreign = g.Op("foreign", {a}, 64);
    const ValueId inner = g.Op("inner", {x}, 64);
    const OpId second = g.last_op();
    const ValueId c = g.Op("c", {a, inner}, 64);
    g.AddFusion(Group("f", {first, second, g.last_op()}, required));
    g.R("r", {foreign, c});
    g.Plan([&](const Graph& graph, const Plan& plan) {
      EXPECT_TRUE(plan.fused[0].fused);
      EXPECT_TRUE(HasNoBytes(plan, inner));
      // a and c are there from the group's start, foreign beside them; x is over then.
      EXPECT_FALSE(Overlap(graph, plan, a, c) || Overlap(graph, plan, c, foreign) || Overlap(graph, plan, a, foreign));
      EXPECT_EQ(ArenaBytes(plan), 192);
    });
  }
}

TEST(CasesG, G4AGroupRunsBetweenForeignOps) {
  CaseGraph g;
  const ValueId a = g.Op("a", {}, 64);
  const OpId first = g.last_op();
  const ValueId before = g.Op("before", {}, 64);
  const ValueId after = g.Op("after", {a}, 64);
  const ValueId c = g.Op("c", {a, before}, 64);
  g.AddFusion(Group("f", {first, g.last_op()}, /*required=*/false));
  g.R("r", {c, after});
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(plan.fused[0].fused);
    EXPECT_FALSE(Overlap(graph, plan, a, before));  // as the group reads one and writes the other
    EXPECT_EQ(ArenaBytes(plan), 192);
  });
}

TEST(CasesG, G4AForeignOpOfAnotherStreamWaitsForTheGroup) {
  CaseGraph g;
  const StreamId s0 = g.AddStream("s0"), s1 = g.AddStream("s1");
  const ValueId a = g.Op("a", {}, 64, {}, {.stream = s0});
  const OpId first = g.last_op();
  const ValueId after = g.Op("after", {a}, 64, {}, {.stream = s1});
  const ValueId before = g.Op("before", {}, 64, {}, {.stream = s0});
  const ValueId c = g.Op("c", {a, before}, 64, {}, {.stream = s0});
  g.AddFusion(Group("f", {first, g.last_op()}, /*required=*/false));
  g.R("r", {c, after}, {.stream = s0});
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(plan.fused[0].fused);
    EXPECT_FALSE(Overlap(graph, plan, a, before));
    EXPECT_EQ(ArenaBytes(plan), 192);  // after takes the place of before
    EXPECT_TRUE(plan.added_order.empty());
  });
}

// Data movements then run in another order than they are listed in.
TEST(CasesG, G4AnUpdateOnAnotherStreamWaitsForTheGroup) {
  CaseGraph g;
  const StreamId s0 = g.AddStream("s0"), s1 = g.AddStream("s1");
  const ValueId k = g.Variable("K", 24), l = g.Variable("L", 32), x = g.Input("x", 24);
  const ValueId row = g.Op("row", {}, 32, {}, {.stream = s0});
  const OpId first = g.last_op();
  g.Update("update", l, row, 0, {}, {.stream = s1});
  g.Commit("commit", x, k, {.stream = s0});
  g.Op("last", {}, 28, {}, {.stream = s0});
  g.AddFusion(Group("f", {first, g.last_op()}));
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(plan.fused[0].fused);
    EXPECT_THAT(Elided(graph, plan), ElementsAre("update"));
  });
}

TEST(CasesG, G4RequiredGroupsThatNeedEachOtherAreRefused) {
  CaseGraph g;
  const StreamId s0 = g.AddStream("s0"), s1 = g.AddStream("s1");
  const ValueId a = g.Op("a", {}, 64, {}, {.stream = s0});
  const OpId a_op = g.last_op();
  const ValueId b = g.Op("b", {}, 64, {}, {.stream = s1});
  const OpId b_op = g.last_op();
  g.Op("c", {b}, 64, {}, {.stream = s0});
  const OpId c_op = g.last_op();
  g.Op("d", {a}, 64, {}, {.stream = s1});
  g.AddFusion(Group("f", {a_op, c_op}));
  g.AddFusion(Group("h", {b_op, g.last_op()}));
  const absl::Status refusal = g.PlanRefusal();
  EXPECT_EQ(refusal.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(refusal.message()), "the fused groups make a cycle: fusion \"f\" before fusion \"h\"");
}

// The better one is taken.
TEST(CasesG, G4OfOptionalGroupsThatNeedEachOtherOneIsLeftSeparate) {
  for (const double benefit : {1.0, 3.0}) {
    CaseGraph g;
    const ValueId a = g.Op("a", {}, 64);
    const OpId a_op = g.last_op();
    const ValueId b = g.Op("b", {}, 64);
    const OpId b_op = g.last_op();
    const ValueId c = g.Op("c", {b}, 64);
    const OpId c_op = g.last_op();
    const ValueId d = g.Op("d", {a}, 64);
    g.AddFusion(Group("f", {a_op, c_op}, /*required=*/false, benefit));
    g.AddFusion(Group("h", {b_op, g.last_op()}, /*required=*/false, 2.0));
    g.R("r", {c, d});
    g.Plan([&](const Graph&, const Plan& plan) {
      EXPECT_EQ(plan.fused[0].fused, benefit == 3.0);
      EXPECT_EQ(plan.fused[1].fused, benefit == 1.0);
      EXPECT_THAT(plan.fused[benefit == 3.0 ? 1 : 0].why, HasSubstr("make a cycle"));
    });
  }
}

// What cannot be fused, or not together, costs no plans: the others are fused at every effort.
TEST(CasesG, G4GroupsThatExcludeEachOtherLeaveTheOthersAlone) {
  CaseGraph g;
  std::vector<ValueId> results;
  for (int i = 0; i < 5; ++i) {
    const std::string n = std::to_string(i);
    const ValueId x = g.Op("x" + n, {}, 64);
    const OpId first = g.last_op();
    results.push_back(g.Op("y" + n, {x}, 64));
    g.AddFusion(Group("plain" + n, {first, g.last_op()}, /*required=*/false));
  }
  const ValueId a = g.Op("a", {}, 64);
  const OpId a_op = g.last_op();
  const ValueId b = g.Op("b", {}, 64);
  const OpId b_op = g.last_op();
  results.push_back(g.Op("c", {a, b}, 64));
  const OpId c_op = g.last_op();
  results.push_back(g.Op("d", {a, b}, 64));
  g.AddFusion(Group("ac", {a_op, c_op}, /*required=*/false, 1));
  g.AddFusion(Group("bd", {b_op, g.last_op()}, /*required=*/false, 2));
  const ValueId kept = g.Op("kept", {}, 64);
  const OpId kept_op = g.last_op();
  const OpId until = g.R("until", {});
  results.push_back(g.Op("late", {kept}, 64));
  g.AddFusion(Group("breaks", {kept_op, g.last_op()}, /*required=*/false, 5));
  g.KeepAliveUntil(kept, until);
  for (const ValueId v : results) g.Output(v);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    for (const FusionDecision& d : plan.fused) {
      const std::string& name = graph.fusions()[d.fusion.index()].name;
      EXPECT_EQ(d.fused, name != "ac" && name != "breaks") << name << ": " << d.why;
      const char* why = name == "ac" ? "make a cycle" : name == "breaks" ? "keep_alive of value" : "taken";
      EXPECT_THAT(d.why, HasSubstr(why)) << name;
    }
  });
}

// The group moves a to the place of c: behind `until` on its own stream, and on another stream whatever follows b.
TEST(CasesG, G4ARequiredGroupMayNotBreakAKeepAlive) {
  CaseGraph g;
  const ValueId a = g.Op("a", {}, 64);
  const OpId first = g.last_op();
  const OpId until = g.R("until", {});
  g.Op("c", {a}, 64);
  g.AddFusion(Group("f", {first, g.last_op()}));
  g.KeepAliveUntil(a, until);
  const absl::Status refusal = g.PlanRefusal();
  EXPECT_EQ(refusal.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(refusal.message()),
            "keep_alive of value \"a.out\" until op \"until\": its producer \"a\" is not ordered before that any more, "
            "as fusion \"f\" runs \"a\" at the place of \"c\"");
}

CaseGraph KeptAcrossStreams(bool required) {
  CaseGraph g;
  const StreamId s0 = g.AddStream("s0"), s1 = g.AddStream("s1"), s2 = g.AddStream("s2");
  const ValueId v = g.Op("v", {}, 64, {}, {.stream = s1});
  const ValueId a = g.Op("a", {v}, 64, {}, {.stream = s0});
  const OpId first = g.last_op();
  const ValueId b = g.Op("b", {}, 64, {}, {.stream = s0});
  const OpId until = g.R("until", {b}, {.stream = s2});
  g.Output(g.Op("c", {a}, 64, {}, {.stream = s0}));
  g.AddFusion(Group("f", {first, g.last_op()}, required));
  g.KeepAliveUntil(v, until);
  return g;
}

TEST(CasesG, G4ARequiredGroupMayNotBreakAKeepAliveOfOtherStreams) {
  const absl::Status refusal = KeptAcrossStreams(/*required=*/true).PlanRefusal();
  EXPECT_EQ(std::string(refusal.message()),
            "keep_alive of value \"v.out\" until op \"until\": its producer \"v\" is not ordered before that any more, "
            "as fusion \"f\" runs \"a\" at the place of \"c\"");
}

TEST(CasesG, G4AnOptionalGroupThatBreaksAKeepAliveIsLeftSeparate) {
  KeptAcrossStreams(/*required=*/false).Plan([&](const Graph&, const Plan& plan) {
    EXPECT_FALSE(plan.fused[0].fused);
    EXPECT_EQ(plan.fused[0].cost_bytes, 0);
    EXPECT_EQ(plan.fused[0].why,
              "left separate: keep_alive of value \"v.out\" until op \"until\": its producer \"v\" is not ordered "
              "before that any more, as fusion \"f\" runs \"a\" at the place of \"c\"");
  });
}

// The group reads the variable's old content, which the commit in its middle overwrites.
TEST(CasesG, G4AnOptionalGroupThatReadsTooLateIsLeftSeparate) {
  CaseGraph g;
  const ValueId k = g.Variable("K", 64), x = g.Op("x", {}, 64);
  const ValueId old = g.Op("old", {k}, 64);
  const OpId first = g.last_op();
  g.Commit("st", x, k);
  g.Output(g.Op("c", {old}, 64));
  g.AddFusion(Group("f", {first, g.last_op()}, /*required=*/false));
  g.Plan([&](const Graph&, const Plan& plan) {
    EXPECT_FALSE(plan.fused[0].fused);
    EXPECT_THAT(plan.fused[0].why, AllOf(StartsWith("left separate: "), HasSubstr("\"K\"")));
  });
}

// Fused, x and y live to the group's end and three are there at once; separately z lies on y: 72 bytes.
Graph FusedNeedsMore(double benefit) {
  CaseGraph g;
  const ValueId x = g.Op("x", {}, 64);
  const ValueId small = g.Op("small", {x}, 8);
  const OpId first = g.last_op();
  const ValueId y = g.Op("y", {}, 64);
  const ValueId z = g.Op("z", {small, y}, 64, {y});
  g.AddFusion(Group("f", {first, g.last_op()}, /*required=*/false, benefit));
  g.R("r", {z});
  absl::StatusOr<Graph> graph = std::move(g).Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *std::move(graph);
}

TEST(CasesG, G5AnOptionalGroupIsTakenIffItFits) {
  const Graph graph = FusedNeedsMore(/*benefit=*/2.5);
  for (const int64_t capacity : {72, 73, 191, 192, 193, 1000}) {
    SCOPED_TRACE(capacity);
    PlanAtEveryEffort(graph, {.capacity_bytes = capacity}, [&](const Plan& plan) {
      ASSERT_EQ(plan.fused.size(), 1u);
      const FusionDecision& f = plan.fused[0];
      EXPECT_EQ(f.fused, capacity >= 192);
      EXPECT_EQ(f.cost_bytes, 120);
      EXPECT_EQ(ArenaBytes(plan), capacity >= 192 ? 192 : 72);
      EXPECT_THAT(f.why, StartsWith(f.fused ? std::string("taken: benefit 2.5")
                                            : absl::StrCat("left separate: needs ", 192 - capacity,
                                                           " bytes more than the capacity of ", capacity, " leaves")));
    });
  }
  EXPECT_EQ(MakePlan(graph, {.capacity_bytes = 71}).status().code(), absl::StatusCode::kResourceExhausted);
}

// Groups may be what makes a graph fit. What is refused says so.
TEST(CasesG, G5ACapacityThatIsMissedWithAndWithoutAGroup) {
  MatmulAdd m = MakeMatmulAdd(/*permitted=*/true, /*required=*/false);
  int64_t fused = 0;
  absl::StatusOr<Graph> graph = std::move(m.graph).Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  PlanAtEveryEffort(*graph, {}, [&](const Plan& plan) { fused = ArenaBytes(plan); });
  const absl::Status refused = MakePlan(*graph, {.capacity_bytes = fused - 1}).status();
  EXPECT_THAT(std::string(refused.message()), HasSubstr("without optional fusion groups: "));
}

TEST(CasesG, G5AGroupWithoutBenefitIsNotTakenForBytesThatItCosts) {
  for (const double benefit : {0.0, -1.0}) {
    const Graph graph = FusedNeedsMore(benefit);
    PlanAtEveryEffort(graph, {}, [&](const Plan& plan) {
      EXPECT_FALSE(plan.fused[0].fused);
      EXPECT_EQ(plan.fused[0].cost_bytes, 120);
      EXPECT_EQ(ArenaBytes(plan), 72);
      EXPECT_THAT(plan.fused[0].why, StartsWith(benefit == 0 ? "left separate: benefit 0, and the plan is no better"
                                                             : "left separate: benefit -1"));
    });
  }
}

// a's result is the larger one and used inside only: fused it needs no bytes.
Graph FusedNeedsLess(double benefit) {
  CaseGraph g;
  const ValueId x = g.Input("x", 64);
  const ValueId a = g.Op("a", {x}, 256);
  g.Output(g.Op("b", {a}, 64));
  g.AddFusion(Group("f", {OpId(0), OpId(1)}, /*required=*/false, benefit));
  absl::StatusOr<Graph> graph = std::move(g).Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *std::move(graph);
}

TEST(CasesG, G5AGroupThatSavesBytes) {
  for (const double benefit : {1.0, 0.0, -1.0}) {
    SCOPED_TRACE(benefit);
    const Graph graph = FusedNeedsLess(benefit);
    PlanAtEveryEffort(graph, {}, [&](const Plan& plan) {
      EXPECT_EQ(plan.fused[0].fused, benefit >= 0);
      EXPECT_EQ(plan.fused[0].cost_bytes, -192);
      EXPECT_EQ(ArenaBytes(plan), benefit >= 0 ? 128 : 320);
      const bool says = absl::StartsWith(plan.fused[0].why, "taken: benefit 0, saves 192 bytes");
      EXPECT_EQ(says, benefit == 0) << plan.fused[0].why;
    });
    // Where it does not fit otherwise, a benefit below zero is taken, too.
    PlanAtEveryEffort(graph, {.capacity_bytes = 319}, [&](const Plan& plan) {
      EXPECT_TRUE(plan.fused[0].fused);
      EXPECT_EQ(plan.fused[0].cost_bytes, -192);
      EXPECT_EQ(absl::StrContains(plan.fused[0].why, "but no plan was found without it"), benefit < 0);
    });
    EXPECT_FALSE(MakePlan(graph, {.capacity_bytes = 127}).ok());
  }
}

// What was decided on the group of that name.
const FusionDecision& DecisionOn(const Graph& graph, const Plan& plan, absl::string_view name) {
  const auto found = std::find_if(plan.fused.begin(), plan.fused.end(), [&](const FusionDecision& d) {
    return graph.fusions()[d.fusion.index()].name == name;
  });
  EXPECT_NE(found, plan.fused.end()) << name;
  return *found;
}

// x -> a -> b -> c, of which `middle` is the size of b's result.
Graph Chain(double abc, double ab, bool ab_first, int64_t middle = 64) {
  CaseGraph g;
  const ValueId x = g.Op("x", {}, 64);
  std::vector<OpId> ops;
  ValueId v = x;
  for (const char* name : {"a", "b", "c"}) {
    v = g.Op(name, {v}, *name == 'b' ? middle : 64);
    ops.push_back(g.last_op());
  }
  const Fusion longer = Group("abc", ops, /*required=*/false, abc);
  const Fusion prefix = Group("ab", {ops[0], ops[1]}, /*required=*/false, ab);
  g.AddFusion(ab_first ? prefix : longer);
  g.AddFusion(ab_first ? longer : prefix);
  g.Output(v);
  absl::StatusOr<Graph> graph = std::move(g).Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *std::move(graph);
}

void ExpectOneIsTaken(const Graph& graph, absl::string_view taken, int64_t bytes, absl::string_view why) {
  PlanAtEveryEffort(graph, {}, [&](const Plan& plan) {
    ASSERT_EQ(plan.fused.size(), 2u);
    for (const FusionDecision& d : plan.fused) {
      EXPECT_EQ(d.fused, graph.fusions()[d.fusion.index()].name == taken);
      EXPECT_THAT(d.why, StartsWith(d.fused ? "taken: benefit " : why));
    }
    EXPECT_EQ(ArenaBytes(plan), bytes);
  });
}

TEST(CasesG, G6OfOverlappingOptionalGroupsTheBetterIsTaken) {
  for (const bool ab_first : {false, true}) {
    ExpectOneIsTaken(Chain(3, 2, ab_first), "abc", 128, "left separate: overlaps \"abc\", which is worth more");
    ExpectOneIsTaken(Chain(2, 3, ab_first), "ab", 128, "left separate: overlaps \"ab\", which is worth more");
  }
}

TEST(CasesG, G6OfEqualBenefitTheOneOfFewerBytesIsTakenThenTheEarlier) {
  // The earlier one in the graph's own order, which is not that of the calls.
  for (const bool ab_first : {false, true}) {
    ExpectOneIsTaken(Chain(2, 2, ab_first), "ab", 128, "left separate: overlaps \"ab\", which is worth as much");
    ExpectOneIsTaken(Chain(2, 2, ab_first, /*middle=*/100), "abc", 128,
                     "left separate: overlaps \"abc\", which is worth as much for fewer bytes");
  }
}

TEST(CasesG, G6TwoGroupsMayBeWorthMoreThanOne) {
  CaseGraph g;
  ValueId v = g.Input("x", 64);
  for (const char* name : {"a", "b", "c", "d"}) v = g.Op(name, {v}, 64);
  g.Output(v);
  g.AddFusion(Group("bc", {OpId(1), OpId(2)}, /*required=*/false, 3));
  g.AddFusion(Group("ab", {OpId(0), OpId(1)}, /*required=*/false, 2));
  g.AddFusion(Group("cd", {OpId(2), OpId(3)}, /*required=*/false, 2));
  g.Plan([&](const Graph& graph, const Plan& plan) {
    const FusionDecision& bc = DecisionOn(graph, plan, "bc");
    EXPECT_FALSE(bc.fused);
    EXPECT_TRUE(DecisionOn(graph, plan, "ab").fused && DecisionOn(graph, plan, "cd").fused);
    EXPECT_THAT(bc.why, StartsWith("left separate: overlaps \"ab\", \"cd\", which together are worth more"));
  });
}

TEST(CasesG, G6ARequiredGroupBeatsEveryOther) {
  CaseGraph g;
  ValueId v = g.Input("x", 64);
  for (const char* name : {"a", "b", "c"}) v = g.Op(name, {v}, 64);
  g.Output(v);
  g.AddFusion(Group("abc", {OpId(0), OpId(1), OpId(2)}, /*required=*/false, 100));
  g.AddFusion(Group("ab", {OpId(0), OpId(1)}));
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_EQ(DecisionOn(graph, plan, "abc").why, "left separate: overlaps \"ab\", which is required");
    EXPECT_FALSE(DecisionOn(graph, plan, "abc").fused);
    EXPECT_TRUE(DecisionOn(graph, plan, "ab").fused);
    EXPECT_EQ(DecisionOn(graph, plan, "ab").why, "required");
  });
}

TEST(CasesG, G6OverlappingRequiredGroupsAreRefused) {
  CaseGraph g;
  ValueId v = g.Op("x", {}, 64);
  std::vector<OpId> ops;
  for (const char* name : {"a", "b", "c"}) {
    v = g.Op(name, {v}, 64);
    ops.push_back(g.last_op());
  }
  g.AddFusion(Group("abc", ops));
  g.AddFusion(Group("ab", {ops[0], ops[1]}));
  EXPECT_THAT(std::string(g.BuildRefusal().message()),
              HasSubstr("fusion \"ab\": op \"a\" (compute) is also in required fusion \"abc\""));
}

}  // namespace
}  // namespace bufplan
