// Section G of docs/cases.md: fusion groups.
#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/where.h"
#include "tests/planner/cases/plan_case.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;

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

MatmulAdd MakeMatmulAdd(bool permitted, bool required = true, int64_t size = 64) {
  MatmulAdd m;
  CaseGraph& g = m.graph;
  const ValueId w = g.Constant("W", 4 * size);
  m.activation = g.Op("fa", {}, size);
  m.added = g.Op("fb", {}, size);
  m.product = g.Op("mul_mat", {w, m.activation}, size, {m.activation});
  const OpId first = g.last_op();
  m.sum = g.Op("add", {m.product, m.added}, size, {m.product, m.added});
  Fusion fusion = Group("mm_add", {first, g.last_op()}, required);
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
  MatmulAdd m = MakeMatmulAdd(/*permitted=*/true, /*required=*/false);
  m.graph.Plan([&](const Graph& graph, const Plan& plan) {
    if (plan.fused[0].fused) {
      EXPECT_TRUE(HasNoBytes(plan, m.product));
    } else {
      EXPECT_TRUE(SameBytes(graph, plan, m.product, m.activation));
    }
    EXPECT_EQ(ArenaBytes(plan), 128);
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

TEST(CasesG, G4TwoGroupsThatNeedEachOtherAreRefused) {
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
  const absl::Status refusal = g.BuildRefusal();
  EXPECT_EQ(refusal.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("cycle"));
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

// Fused, x and y live to the group's end and all four are there at once; separately three fit.
TEST(CasesG, G5AnOptionalGroupThatDoesNotFitIsLeftSeparate) {
  CaseGraph g;
  const ValueId x = g.Op("x", {}, 64);
  const ValueId small = g.Op("small", {x}, 8);
  const OpId first = g.last_op();
  const ValueId y = g.Op("y", {}, 64);
  const ValueId z = g.Op("z", {small, y}, 64, {y});
  g.AddFusion(Group("f", {first, g.last_op()}, /*required=*/false));
  g.R("r", {z});
  absl::StatusOr<Graph> graph = std::move(g).Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  PlanAtEveryEffort(*graph, {.capacity_bytes = 72}, [&](const Plan& plan) {
    ASSERT_EQ(plan.fused.size(), 1u);
    EXPECT_FALSE(plan.fused[0].fused);
    EXPECT_FALSE(plan.fused[0].why.empty());
    EXPECT_LE(ArenaBytes(plan), 72);
  });
}

TEST(CasesG, G6OverlappingOptionalGroups) {
  CaseGraph g;
  const ValueId x = g.Op("x", {}, 64);
  std::vector<OpId> ops;
  ValueId v = x;
  for (const char* name : {"a", "b", "c"}) {
    v = g.Op(name, {v}, 64);
    ops.push_back(g.last_op());
  }
  g.AddFusion(Group("abc", ops, /*required=*/false, /*benefit=*/3));
  g.AddFusion(Group("ab", {ops[0], ops[1]}, /*required=*/false, /*benefit=*/2));
  g.Output(v);
  g.Plan([&](const Graph&, const Plan& plan) {
    ASSERT_EQ(plan.fused.size(), 2u);
    EXPECT_FALSE(plan.fused[0].fused && plan.fused[1].fused);
    EXPECT_LE(ArenaBytes(plan), 128);
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
