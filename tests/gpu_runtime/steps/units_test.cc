// Who runs and who waits, against the transitive closure of all edges.
#include "gpu_runtime/steps/units.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "tests/ir/hand_plan.h"
#include "tests/oracle/naive_plan.h"
#include "tests/oracle/random.h"
#include "tests/oracle/random_graph.h"

namespace bufplan::runtime {
namespace {

// before[a][b]: unit a is before unit b.
class Relation {
 public:
  explicit Relation(size_t units) : before_(units, std::vector<bool>(units, false)) {}
  void Add(int32_t from, int32_t to) { before_[static_cast<size_t>(from)][static_cast<size_t>(to)] = true; }
  void AddStreams(const Units& units) {
    for (size_t a = 0; a < before_.size(); ++a) {
      for (size_t b = a + 1; b < before_.size(); ++b) {
        if (units.units[a].stream == units.units[b].stream) before_[a][b] = true;
      }
    }
  }
  Relation Closed() const {
    Relation all = *this;
    for (size_t k = 0; k < before_.size(); ++k) {
      for (size_t a = 0; a < before_.size(); ++a) {
        for (size_t b = 0; b < before_.size() && all.before_[a][k]; ++b) {
          if (all.before_[k][b]) all.before_[a][b] = true;
        }
      }
    }
    return all;
  }
  bool Has(size_t a, size_t b) const { return before_[a][b]; }
  friend bool operator==(const Relation&, const Relation&) = default;

 private:
  std::vector<std::vector<bool>> before_;
};

Relation AllEdges(const Graph& graph, const Plan* plan, const Units& units) {
  Relation edges(units.units.size());
  const auto add = [&](OpId a, OpId b) {
    if (units.unit_of[a.index()] != units.unit_of[b.index()])
      edges.Add(units.unit_of[a.index()], units.unit_of[b.index()]);
  };
  for (size_t i = 0; i < graph.ops().size(); ++i) {
    const OpId o(static_cast<int32_t>(i));
    const auto uses = [&](ValueId v) {
      if (graph.producer(v).has_value()) add(*graph.producer(v), o);
    };
    for (const Read& r : graph.reads(graph.op(o))) uses(r.value);
    for (const Write& w : graph.writes(graph.op(o))) {
      if (w.base.has_value()) uses(*w.base);
    }
  }
  if (plan != nullptr) {
    for (const OrderEdge& e : graph.order()) add(e.before, e.after);
    for (const AddedEdge& e : plan->added_order) add(e.before, e.after);
  }
  edges.AddStreams(units);
  return edges.Closed();
}

void ExpectWaitsAreRight(const Graph& graph, const Plan* plan, const Units& units) {
  const Relation all = AllEdges(graph, plan, units);
  std::vector<std::pair<int32_t, int32_t>> waits;
  for (size_t u = 0; u < units.units.size(); ++u) {
    for (int32_t before : units.units[u].waits_for) waits.push_back({before, static_cast<int32_t>(u)});
  }
  const auto implied_by = [&](size_t left_out) {
    Relation some(units.units.size());
    some.AddStreams(units);
    for (size_t i = 0; i < waits.size(); ++i) {
      if (i != left_out) some.Add(waits[i].first, waits[i].second);
    }
    return some.Closed();
  };
  ASSERT_EQ(implied_by(waits.size()), all);
  for (size_t i = 0; i < waits.size(); ++i) {
    const auto [from, to] = waits[i];
    ASSERT_NE(units.units[static_cast<size_t>(from)].stream, units.units[static_cast<size_t>(to)].stream);
    ASSERT_FALSE(implied_by(i).Has(static_cast<size_t>(from), static_cast<size_t>(to)))
        << "unit " << to << " need not wait for unit " << from;
  }
  std::vector<size_t> position(units.units.size());
  ASSERT_EQ(units.enqueue_order.size(), position.size());
  for (size_t i = 0; i < position.size(); ++i) position[static_cast<size_t>(units.enqueue_order[i])] = i;
  for (size_t a = 0; a < position.size(); ++a) {
    for (size_t b = 0; b < position.size(); ++b) {
      ASSERT_EQ(units.order.Before(static_cast<int32_t>(a), static_cast<int32_t>(b)), all.Has(a, b));
      if (all.Has(a, b)) {
        ASSERT_LT(position[a], position[b]);
      }
    }
  }
}

void ExpectUnitsAreRight(const Graph& graph, const Plan& plan, const Units& units) {
  std::vector<int> in(graph.ops().size(), 0);
  int32_t last_lone = -1;
  for (size_t u = 0; u < units.units.size(); ++u) {
    const Unit& unit = units.units[u];
    ASSERT_TRUE(std::is_sorted(unit.ops.begin(), unit.ops.end()));
    for (OpId o : unit.ops) {
      ++in[o.index()];
      ASSERT_EQ(units.unit_of[o.index()], static_cast<int32_t>(u));
      ASSERT_EQ(unit.stream, graph.op(o).stream.value);
    }
    if (!unit.fusion.has_value()) {
      ASSERT_EQ(unit.ops.size(), 1u);
      ASSERT_GT(unit.ops[0].value, last_lone) << "in list order";
      last_lone = unit.ops[0].value;
      continue;
    }
    const Fusion& fusion = graph.fusions()[unit.fusion->index()];
    ASSERT_EQ(unit.ops, fusion.ops);
    ASSERT_LE(last_lone, fusion.at.value) << "at its place";
    for (size_t later = u + 1; later < units.units.size(); ++later) {
      if (!units.units[later].fusion.has_value()) {
        ASSERT_GT(units.units[later].ops[0], fusion.at) << "at its place";
      }
    }
  }
  for (int times : in) ASSERT_EQ(times, 1);
  for (size_t o = 0; o < in.size(); ++o) {
    const bool marked = std::any_of(plan.notes.begin(), plan.notes.end(), [&](const Note& n) {
      return n.op.index() == o && n.action == Action::kElided && !n.result.has_value();
    });
    const bool lone = !units.units[static_cast<size_t>(units.unit_of[o])].fusion.has_value();
    const OpKind kind = graph.ops()[o].kind;
    const bool moves = kind != OpKind::kCompute && kind != OpKind::kFill && kind != OpKind::kBarrier;
    ASSERT_EQ(units.elided[o], marked && lone && moves);
  }
}

class UnitsOfRandomGraphs : public testing::TestWithParam<RandomGraphOptions> {};

TEST_P(UnitsOfRandomGraphs, WaitForWhatTheyMustAndNothingElse) {
  int waits = 0, groups = 0;
  RandomGraphOptions options = GetParam();
  options.max_streams = 4;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    const absl::StatusOr<Graph> graph = RandomGraph(options, seed);
    ASSERT_TRUE(graph.ok()) << graph.status();
    SCOPED_TRACE(absl::StrCat(graph->name(), " seed ", seed));
    Rng rng(seed);
    std::vector<FusionId> fuse;
    for (size_t f = 0; f < graph->fusions().size(); ++f) fuse.push_back(FusionId(static_cast<int32_t>(f)));
    Plan plan = NaivePlan(*graph, fuse);
    const int64_t last = static_cast<int64_t>(graph->ops().size()) - 1;
    for (int64_t n = last > 0 ? rng.Between(0, 6) : 0; n > 0; --n) {
      const int64_t before = rng.Between(0, last - 1);
      const OpId from(static_cast<int32_t>(before)), to(static_cast<int32_t>(rng.Between(before + 1, last)));
      plan.added_order.push_back({from, to, "test"});
    }
    const absl::StatusOr<Units> units = PlannedUnits(*graph, plan);
    // Edges into and out of groups may close a circle.
    if (!units.ok()) {
      ASSERT_EQ(units.status().code(), absl::StatusCode::kFailedPrecondition) << units.status();
      continue;
    }
    ExpectWaitsAreRight(*graph, &plan, *units);
    ExpectUnitsAreRight(*graph, plan, *units);
    const absl::StatusOr<Units> reference = ReferenceUnits(*graph);
    ASSERT_TRUE(reference.ok()) << reference.status();
    ASSERT_EQ(reference->units.size(), graph->ops().size());
    ASSERT_EQ(reference->num_streams, 1);
    for (size_t u = 0; u < reference->units.size(); ++u) {
      ASSERT_EQ(reference->enqueue_order[u], static_cast<int32_t>(u));
      ASSERT_TRUE(reference->units[u].waits_for.empty());
      ASSERT_FALSE(reference->elided[u]);
    }
    if (HasFatalFailure()) return;
    for (const Unit& u : units->units) {
      waits += static_cast<int>(u.waits_for.size());
      groups += u.fusion.has_value() ? 1 : 0;
    }
  }
  EXPECT_GT(waits, 100);
  if (options.max_fusions > 0) {
    EXPECT_GT(groups, 50);
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, UnitsOfRandomGraphs, testing::ValuesIn(RandomGraphOptions::Profiles()),
                         [](const auto& info) { return info.param.name; });

// a, b on s0, c on s1, d on s0; c reads what a and b write.
Graph Fork() {
  GraphBuilder b;
  b.AddStream("s0");
  const StreamId s1 = b.AddStream("s1");
  const ValueId x = b.Compute("a", {.writes = {{.name = "x", .bytes = 8}}});
  const ValueId y = b.Compute("b", {.reads = {x}, .writes = {{.name = "y", .bytes = 8}}});
  b.Compute("c", {.reads = {x, y}, .writes = {{.name = "z", .bytes = 8}}, .options = {.stream = s1}});
  b.Compute("d", {.reads = {y}, .writes = {{.name = "w", .bytes = 8}}});
  for (const std::vector<OpId>& ops : {std::vector<OpId>{OpId(0), OpId(1)}, std::vector<OpId>{OpId(1), OpId(3)}}) {
    Fusion fusion;
    fusion.name = absl::StrCat("group", ops[0].value);
    fusion.ops = ops;
    b.AddFusion(fusion);
  }
  absl::StatusOr<Graph> graph = std::move(b).Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *std::move(graph);
}

TEST(UnitsTest, TheExampleOfTheHeader) {
  const Graph graph = Fork();
  const absl::StatusOr<Units> units = PlannedUnits(graph, HandPlan(graph).Done());
  ASSERT_TRUE(units.ok()) << units.status();
  EXPECT_EQ(units->units[2].waits_for, std::vector<int32_t>{1});
  EXPECT_EQ(units->units[2].stream, 1);
  EXPECT_EQ(units->num_streams, 2);
}

TEST(UnitsTest, CirclesNameTheirOps) {
  const Graph graph = Fork();
  absl::Status status = PlannedUnits(graph, HandPlan(graph).Edge(OpId(2), OpId(1)).Done()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "ops wait for each other in a circle: \"b\", \"c\"");
  status = PlannedUnits(graph, HandPlan(graph).Fuse(1).Edge(OpId(2), OpId(3)).Done()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "ops wait for each other in a circle: \"c\", \"b+d\"");
}

TEST(UnitsTest, OneOpInTwoGroups) {
  const Graph graph = Fork();
  const absl::Status status = PlannedUnits(graph, HandPlan(graph).Fuse(0).Fuse(1).Done()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "op \"b\" is in two fused groups");
}

TEST(UnitsTest, PlansOfAnotherShape) {
  const Graph graph = Fork();
  Plan fused = HandPlan(graph).Done(), noted = fused, ordered = fused;
  fused.fused.push_back({FusionId(2), false, 0, ""});
  noted.notes.emplace_back();
  noted.notes.back().op = OpId(4);
  ordered.added_order.push_back({OpId(0), OpId(4), ""});
  for (const Plan& plan : {fused, noted, ordered}) {
    const absl::Status status = PlannedUnits(graph, plan).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), "the plan is not of the graph's shape");
  }
}

}  // namespace
}  // namespace bufplan::runtime
