// Bounds that every plan must keep, on random graphs of every profile: it moves no more bytes than are left if only
// those copies go of which anybody can see that they are needless, and it needs no more memory than the same groups
// without any sharing.
//
// More graphs: bazel test --test_env=BUFPLAN_RANDOM_GRAPHS=20000 //tests/planner:copies_bound_test
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "ir/expr_proof.h"
#include "ir/region.h"
#include "planner/candidate.h"
#include "planner/make_plan.h"
#include "planner/order/schedule.h"
#include "tests/oracle/dump.h"
#include "tests/oracle/from_environment.h"
#include "tests/oracle/random_graph.h"

namespace bufplan {
namespace {

// Of one profile.
uint64_t NumGraphs() { return FromEnvironment("BUFPLAN_RANDOM_GRAPHS", 600) / RandomGraphOptions::Profiles().size(); }

int64_t Largest(const Graph& graph, const Expr& bytes) {
  const std::optional<Bounds> bounds = BoundsOf(bytes, graph.symbols());
  return bounds.has_value() ? std::max<int64_t>(bounds->max, 0) : 0;
}

// What is left to move if nothing is known but who uses what.
class ObviousCopies {
 public:
  explicit ObviousCopies(const Graph& graph) : g_(graph), uses_(graph.values().size(), 0), bound_(uses_) {
    for (const Op& op : graph.ops()) {
      for (const Read& r : graph.reads(op)) ++uses_[r.value.index()];
      for (const Write& w : graph.writes(op)) {
        if (w.base.has_value()) ++uses_[w.base->index()];
      }
      // A view makes one value of two.
      if (op.kind == OpKind::kView) Bind(graph.reads(op)[0].value), Bind(graph.writes(op)[0].value);
    }
    for (ValueId v : graph.outputs()) Bind(v);
    for (const KeepAlive& k : graph.keep_alive()) Bind(k.value);
    for (const DisjointPair& d : graph.disjoint()) Bind(d.a), Bind(d.b);
    for (const Fusion& f : graph.fusions()) {
      for (OpId o : f.ops) {
        for (const Read& r : graph.reads(graph.op(o))) Bind(r.value);
        for (const Write& w : graph.writes(graph.op(o))) Bind(w.value);
      }
    }
  }

  // Of all ops outside of fused groups.
  int64_t Bytes() const {
    int64_t sum = 0;
    for (size_t i = 0; i < g_.ops().size(); ++i) {
      if (!InGroup(OpId(static_cast<int32_t>(i)))) sum += BytesOf(g_.ops()[i]);
    }
    return sum;
  }

 private:
  void Bind(ValueId v) { bound_[v.index()] = 1; }
  bool InGroup(OpId o) const {
    return std::any_of(g_.fusions().begin(), g_.fusions().end(),
                       [&](const Fusion& f) { return std::find(f.ops.begin(), f.ops.end(), o) != f.ops.end(); });
  }
  // In the arena, used once, and free to go where it likes.
  bool Sole(ValueId v) const {
    const Value& value = g_.value(v);
    const bool arena = value.role == Role::kTransient || (value.role == Role::kInput && !value.preserve);
    return arena && uses_[v.index()] == 1 && bound_[v.index()] == 0 && !value.pinned_offset_bytes.has_value();
  }
  // Both may lie at the start of one storage.
  bool Fit(ValueId v, ValueId result) const {
    const Value &a = g_.value(v), &b = g_.value(result);
    return a.space == b.space && !b.pinned_offset_bytes.has_value() && bound_[result.index()] == 0;
  }
  int64_t BytesOf(const Op& op) const {
    int64_t bytes = 0;
    if (op.kind == OpKind::kView) return 0;
    const bool moves = op.kind != OpKind::kCompute && op.kind != OpKind::kFill;
    if (moves) {
      for (const Read& r : g_.reads(op)) {
        bytes += Largest(g_, r.region.has_value() ? RegionBytes(g_.region(*r.region)) : g_.value(r.value).bytes);
      }
    }
    const bool whole = op.kind == OpKind::kClone || op.kind == OpKind::kTransfer;
    if (whole && op.elide != Elide::kNever) {
      const ValueId from = g_.reads(op)[0].value;
      if (Sole(from) && Fit(from, g_.writes(op)[0].value)) return 0;
    }
    for (const Write& w : g_.writes(op)) {
      if (!w.base.has_value() || (Sole(*w.base) && Fit(*w.base, w.value))) continue;
      Expr carried = g_.value(w.value).bytes;
      if (w.cover == Cover::kAll && !moves) {
        carried -= w.region.has_value() ? RegionBytes(g_.region(*w.region)) : carried;
      } else if (w.cover == Cover::kAll) {
        for (const Read& r : g_.reads(op))
          carried -= r.to_region.has_value() ? RegionBytes(g_.region(*r.to_region)) : carried;
      }
      bytes += Largest(g_, carried);
    }
    return bytes;
  }

  const Graph& g_;
  std::vector<int> uses_, bound_;
};

class CopiesBound : public testing::TestWithParam<RandomGraphOptions> {};

TEST_P(CopiesBound, NoMoreBytesMoveThanWithoutObviousCopies) {
  int64_t moved = 0, obvious = 0;
  for (uint64_t seed = 1; seed <= NumGraphs(); ++seed) {
    const absl::StatusOr<Graph> graph = RandomGraph(GetParam(), seed);
    ASSERT_TRUE(graph.ok());
    if (!graph->fusions().empty()) continue;  // groups move as they like
    PlanOptions options;
    options.objective = Objective::kCopies;
    const absl::StatusOr<Plan> plan = MakePlan(*graph, options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    const int64_t bound = ObviousCopies(*graph).Bytes();
    EXPECT_LE(plan->stats.bytes_copied, bound) << GetParam().name << " seed " << seed << "\n"
                                               << DumpGraph(*graph) << DumpPlan(*graph, *plan);
    moved += plan->stats.bytes_copied;
    obvious += bound;
  }
  EXPECT_LE(moved * 10, obvious * 9) << moved << " of " << obvious;
}

TEST_P(CopiesBound, NoMoreMemoryThanWithoutSharing) {
  int64_t needed = 0, unshared = 0;
  for (uint64_t seed = 1; seed <= NumGraphs(); ++seed) {
    const absl::StatusOr<Graph> graph = RandomGraph(GetParam(), seed);
    ASSERT_TRUE(graph.ok());
    const absl::StatusOr<Plan> plan = MakePlan(*graph);
    ASSERT_TRUE(plan.ok()) << plan.status();
    std::vector<FusionId> fused;
    for (const FusionDecision& d : plan->fused) {
      if (d.fused) fused.push_back(d.fusion);
    }
    const absl::StatusOr<Schedule> schedule = Schedule::Create(*graph, fused);
    ASSERT_TRUE(schedule.ok());
    SharingPolicy nothing;
    nothing.unwanted.assign(graph->values().size(), 0xff);
    absl::StatusOr<Candidate> without = ShareCandidate(*graph, *schedule, nothing);
    if (!without.ok()) continue;  // a commit has to be built in place
    if (!PlaceCandidate(*graph, *schedule, {}, Capacities::kCount, std::nullopt, *without).ok()) continue;
    int64_t bytes = 0;
    for (const Arena& a : plan->arenas) bytes += a.bytes;
    EXPECT_LE(bytes, without->bytes) << GetParam().name << " seed " << seed;
    needed += bytes;
    unshared += without->bytes;
  }
  EXPECT_LT(needed, unshared);
}

INSTANTIATE_TEST_SUITE_P(Profiles, CopiesBound, testing::ValuesIn(RandomGraphOptions::Profiles()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bufplan
