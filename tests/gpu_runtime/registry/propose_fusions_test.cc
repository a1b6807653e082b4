#include "gpu_runtime/registry/propose_fusions.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/checker.h"
#include "planner/make_plan.h"

namespace bufplan::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr int64_t kRows = 3, kColumns = 8, kBytes = 4 * kRows * kColumns;

// Ops on rows, one after the other.
class Author {
 public:
  explicit Author(GraphBuilder& b, std::vector<std::optional<KernelSpec>>& specs) : b_(b), specs_(specs) {
    b_.AddSpace("device", {.alignment_bytes = 4});
  }
  ValueId Input(const std::string& name, int64_t bytes = kBytes) { return b_.Input(name, bytes); }
  ValueId Op(const std::string& kernel, const std::string& name, std::vector<bufplan::Operand> reads,
             StreamId stream = {}) {
    KernelSpec spec{.kernel = kernel, .integers = {{"rows", kRows}, {"columns", kColumns}}};
    specs_.emplace_back(spec);
    return b_.Compute(name, {.reads = std::move(reads),
                             .writes = {{.name = absl::StrCat(name, ".y"), .bytes = kBytes}},
                             .options = {.stream = stream}});
  }
  // No kernel.
  ValueId Foreign(const std::string& name, std::vector<bufplan::Operand> reads, StreamId stream = {}) {
    specs_.emplace_back();
    return b_.Compute(name, {.reads = std::move(reads), .writes = {{.bytes = kBytes}}, .options = {.stream = stream}});
  }
  GraphBuilder& b() { return b_; }

 private:
  GraphBuilder& b_;
  std::vector<std::optional<KernelSpec>>& specs_;
};

Graph Fused(absl::FunctionRef<void(Author&)> author) {
  absl::StatusOr<Graph> graph =
      BuildWithFusions("g", [&](GraphBuilder& b, std::vector<std::optional<KernelSpec>>& specs) {
        Author a(b, specs);
        author(a);
      });
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (graph.ok()) return *std::move(graph);
  GraphBuilder empty;
  return *std::move(empty).Build();
}

std::vector<std::string> NamesOf(const Graph& graph) {
  std::vector<std::string> names;
  for (const Fusion& f : graph.fusions()) names.push_back(f.name);
  return names;
}
std::vector<std::string> InPlaceOf(const Graph& graph, const std::string& fusion) {
  std::vector<std::string> all;
  for (const Fusion& f : graph.fusions()) {
    for (const FusionInPlace& p : f.in_place) {
      if (f.name == fusion) all.push_back(absl::StrCat(graph.name(p.result), " on ", graph.name(p.value)));
    }
  }
  return all;
}
double BenefitOf(const Graph& graph, const std::string& fusion) {
  for (const Fusion& f : graph.fusions()) {
    if (f.name == fusion) return f.benefit;
  }
  return -1;
}

TEST(ProposeFusions, AllThatOverlap) {
  const Graph graph = Fused([](Author& a) {
    const ValueId sum = a.Op("add", "add", {a.Input("a"), a.Input("b")});
    const ValueId norm = a.Op("rms_norm", "norm", {sum});
    a.b().Output(a.Op("mul", "mul", {norm, a.Input("w")}));
  });
  EXPECT_THAT(NamesOf(graph),
              UnorderedElementsAre("add_rms_norm:add+norm", "add_rms_norm_mul:add+norm+mul", "rms_norm_mul:norm+mul"));
  EXPECT_EQ(BenefitOf(graph, "add_rms_norm_mul:add+norm+mul"), 4 * kBytes);
  EXPECT_EQ(BenefitOf(graph, "rms_norm_mul:norm+mul"), 2 * kBytes);
  EXPECT_THAT(InPlaceOf(graph, "add_rms_norm_mul:add+norm+mul"),
              UnorderedElementsAre("mul.y on a", "mul.y on b", "mul.y on w"));
  const absl::StatusOr<Plan> plan = MakePlan(graph);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(std::count_if(plan->fused.begin(), plan->fused.end(), [](const FusionDecision& d) { return d.fused; }), 1);
}

// The residual is read again later: the sum becomes a result of the group.
TEST(ProposeFusions, AValueBetweenThatTheKernelCanWrite) {
  const Graph graph = Fused([](Author& a) {
    const ValueId sum = a.Op("add", "add", {a.Input("a"), a.Input("b")});
    a.b().Output(a.Op("rms_norm", "norm", {sum}));
    a.b().Output(sum);
  });
  EXPECT_THAT(NamesOf(graph), ElementsAre("add_rms_norm:add+norm"));
  EXPECT_EQ(BenefitOf(graph, "add_rms_norm:add+norm"), kBytes);
  EXPECT_THAT(InPlaceOf(graph, "add_rms_norm:add+norm"),
              UnorderedElementsAre("norm.y on a", "norm.y on b", "add.y on a", "add.y on b"));
}

TEST(ProposeFusions, AValueBetweenThatTheKernelCannotWrite) {
  const auto names = [](int how) {
    return NamesOf(Fused([&](Author& a) {
      const ValueId silu = a.Op("silu", "silu", {a.Input("gate")});
      const ValueId y = a.Op("mul", "mul", {silu, a.Input("up")});
      a.b().Output(y);
      if (how == 1) a.b().Output(silu);
      if (how == 2) a.b().Output(a.Foreign("other", {silu}));
      if (how == 3) a.b().KeepAliveUntil(silu, a.b().last_op());
    }));
  };
  EXPECT_THAT(names(0), ElementsAre("silu_mul:silu+mul"));
  for (int how : {1, 2, 3}) EXPECT_THAT(names(how), IsEmpty()) << how;
}

TEST(ProposeFusions, OnOneStreamOnly) {
  EXPECT_THAT(NamesOf(Fused([](Author& a) {
                a.b().AddStream("main");
                const StreamId side = a.b().AddStream("side");
                const ValueId silu = a.Op("silu", "silu", {a.Input("gate")}, side);
                a.b().Output(a.Op("mul", "mul", {silu, a.Input("up")}));
              })),
              IsEmpty());
}

// The foreign op needs the sum and the product needs the foreign op.
TEST(ProposeFusions, NotWhereItWouldBeACycle) {
  const auto names = [](bool cycle) {
    return NamesOf(Fused([&](Author& a) {
      const ValueId sum = a.Op("add", "add", {a.Input("a"), a.Input("b")});
      const ValueId norm = a.Op("rms_norm", "norm", {sum});
      const ValueId foreign = a.Foreign("foreign", {cycle ? sum : a.Input("c")});
      a.b().Output(a.Op("mul", "mul", {norm, foreign}));
      a.b().Output(sum);
    }));
  };
  EXPECT_THAT(names(true), UnorderedElementsAre("add_rms_norm:add+norm", "rms_norm_mul:norm+mul"));
  EXPECT_THAT(names(false),
              UnorderedElementsAre("add_rms_norm:add+norm", "add_rms_norm_mul:add+norm+mul", "rms_norm_mul:norm+mul"));
}

TEST(ProposeFusions, NotWhereAnOrderEdgeMakesACycle) {
  EXPECT_THAT(NamesOf(Fused([](Author& a) {
                a.b().AddStream("main");
                const StreamId side = a.b().AddStream("side");
                const ValueId silu = a.Op("silu", "silu", {a.Input("gate")});
                const OpId first = a.b().last_op();
                a.b().Output(a.Foreign("foreign", {a.Input("c")}, side));
                const OpId foreign = a.b().last_op();
                a.b().Output(a.Op("mul", "mul", {silu, a.Input("up")}));
                a.b().Order(first, foreign), a.b().Order(foreign, a.b().last_op());
              })),
              IsEmpty());
}

TEST(ProposeFusions, TheLongestChainOfAdds) {
  const auto names = [](int adds) {
    return NamesOf(Fused([&](Author& a) {
      ValueId sum = a.Input("x");
      for (int i = 0; i < adds; ++i) {
        const ValueId term = a.Input(absl::StrCat("x", i));
        sum = a.Op("add", absl::StrCat("a", i),
                   i % 2 == 0 ? std::vector<bufplan::Operand>{sum, term} : std::vector<bufplan::Operand>{term, sum});
      }
      a.b().Output(sum);
    }));
  };
  EXPECT_THAT(names(1), IsEmpty());
  EXPECT_THAT(names(3), ElementsAre("add_chain:a0+a1+a2"));
  EXPECT_THAT(names(9), UnorderedElementsAre("add_chain:a0+a1+a2+a3+a4+a5+a6", "add_chain:a7+a8"));
}

// x + x reads the value between twice.
TEST(ProposeFusions, ALinkIsReadOnce) {
  EXPECT_THAT(NamesOf(Fused([](Author& a) {
                const ValueId sum = a.Op("add", "a0", {a.Input("a"), a.Input("b")});
                a.b().Output(a.Op("add", "a1", {sum, sum}));
              })),
              IsEmpty());
}

// x * silu(x): element i is read by one thread in either slot.
TEST(ProposeFusions, InPlaceOfAValueThatTwoMembersRead) {
  const Graph graph = Fused([](Author& a) {
    const ValueId x = a.Input("x");
    const ValueId silu = a.Op("silu", "silu", {x});
    a.b().Output(a.Op("mul", "mul", {silu, x}));
  });
  EXPECT_THAT(InPlaceOf(graph, "silu_mul:silu+mul"), ElementsAre("mul.y on x"));
}

// The residual is also a factor of the product: it is still read when the first sums are written.
TEST(ProposeFusions, NotInPlaceOfAValueThatAnotherMemberReads) {
  for (bool same : {false, true}) {
    const absl::StatusOr<Graph> graph =
        BuildWithFusions("g", [&](GraphBuilder& b, std::vector<std::optional<KernelSpec>>& specs) {
          b.AddSpace("device", {.alignment_bytes = 4});
          const ValueId x = b.Input("x", 4 * 3 * 8), w = b.Input("w", 4 * 8 * 8);
          const ValueId residual = same ? x : b.Input("r", 4 * 3 * 8);
          const ValueId product = b.Compute("product", {.reads = {x, w}, .writes = {{.bytes = 4 * 3 * 8}}});
          b.Output(b.Compute("sum", {.reads = {product, residual}, .writes = {{.name = "y", .bytes = 4 * 3 * 8}}}));
          specs.emplace_back(KernelSpec{.kernel = "matmul", .integers = {{"rows", 3}, {"columns", 8}, {"inner", 8}}});
          specs.emplace_back(KernelSpec{.kernel = "add", .integers = {{"rows", 3}, {"columns", 8}}});
        });
    ASSERT_TRUE(graph.ok()) << graph.status();
    ASSERT_THAT(NamesOf(*graph), ElementsAre("matmul_add:product+sum"));
    EXPECT_EQ(InPlaceOf(*graph, "matmul_add:product+sum").size(), same ? 0u : 1u);
  }
}

TEST(ProposeFusions, ErrorsOfSpecs) {
  const absl::StatusOr<Graph> graph =
      BuildWithFusions("g", [](GraphBuilder& b, std::vector<std::optional<KernelSpec>>& specs) {
        b.Compute("op", {.reads = {b.Input("x", 4)}, .writes = {{.bytes = 4}}});
        specs.emplace_back(KernelSpec{.kernel = "none"});
      });
  EXPECT_EQ(graph.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace bufplan::runtime
