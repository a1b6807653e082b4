// Plans of random graphs whose ops and fused groups have kernels of their own: in the place of mixing ops, kernels that
// compute the same from what a site tells them. They equal the reference.
//
// More graphs: bazel test --test_env=BUFPLAN_RANDOM_GRAPHS=2000 //tests/gpu_runtime/execute:random_kernels_test
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gpu_runtime/execute/compare.h"
#include "gpu_runtime/host/host_device.h"
#include "gpu_runtime/kernels/mix.h"
#include "gpu_runtime/registry/kernel_table.h"
#include "gpu_runtime/steps/defined.h"
#include "gpu_runtime/steps/program.h"
#include "gtest/gtest.h"
#include "planner/make_plan.h"
#include "tests/oracle/concrete.h"
#include "tests/oracle/dump.h"
#include "tests/oracle/from_environment.h"
#include "tests/oracle/naive_plan.h"
#include "tests/oracle/random.h"
#include "tests/oracle/random_graph.h"

namespace bufplan::runtime {
namespace {

uint64_t NumGraphs() { return FromEnvironment("BUFPLAN_RANDOM_GRAPHS", 60); }

// Absent: undefined, or out of the kernel's reach.
using Content = std::vector<std::optional<uint8_t>>;

// Kernels that run on the host when they are enqueued, once all that was enqueued before has run.
class MixKernels {
 public:
  MixKernels(const Graph& graph, const Plan& plan, const ConcreteGraph& concrete, const Sizes& sizes,
             const Defined& defined, uint64_t seed)
      : graph_(graph), plan_(plan), concrete_(concrete), sizes_(sizes), defined_(defined), seed_(seed) {}

  void Run(Device& device, const std::vector<OpId>& ops, const KernelSite& site) {
    ASSERT_TRUE(device.Synchronize().ok());
    contents_.assign(graph_.values().size(), Content());
    made_.assign(graph_.values().size(), false);
    // All that comes from outside is read before anything is written.
    for (size_t m = 0; m < ops.size(); ++m) {
      const Op& op = graph_.op(ops[m]);
      for (const Write& w : graph_.writes(op)) made_[w.value.index()] = true;
      for (size_t r = 0; r < op.num_reads; ++r) {
        const ValueId v = graph_.reads(op)[r].value;
        if (!made_[v.index()]) contents_[v.index()] = Load(v, v, site.read(m, r));
      }
    }
    std::vector<Content> old(graph_.values().size());  // by result: its base, where it lies or was carried to
    for (size_t m = 0; m < ops.size(); ++m) {
      const absl::Span<const Write> writes = graph_.writes(graph_.op(ops[m]));
      for (size_t w = 0; w < writes.size(); ++w) {
        if (!writes[w].base.has_value() || made_[writes[w].base->index()]) continue;
        old[writes[w].value.index()] = Load(writes[w].value, *writes[w].base, site.write(m, w));
      }
    }
    for (OpId o : ops) Visit(o, old);
    for (size_t m = 0; m < ops.size(); ++m) {
      const absl::Span<const Write> writes = graph_.writes(graph_.op(ops[m]));
      for (size_t w = 0; w < writes.size(); ++w) {
        // A lone op leaves alone what its base has outside of the region.
        if (ops.size() == 1) {
          Store(writes[w].value, concrete_.ops[ops[0].index()].writes[w].bytes, site.write(m, w));
        } else {
          std::vector<int64_t> all;
          for (int64_t b = 0; b < sizes_.value_bytes[writes[w].value.index()]; ++b) all.push_back(b);
          Store(writes[w].value, all, site.write(m, w));
        }
      }
    }
    ++calls;
  }

  int64_t calls = 0;

 private:
  std::byte* At(ValueId v, int64_t byte, const Operand& operand) const {
    const Location& location = plan_.location(v);
    if (operand.strides.empty()) return operand.data + byte;
    EXPECT_EQ(operand.strides.size(), location.strides->dims.size());
    const std::optional<Shape> shape =
        ShapeAt(0, location.strides->run_bytes, location.strides->dims, sizes_.symbol_values);
    return operand.data + shape->ByteAt(byte);
  }
  // The defined bytes of `content`, which are in the place of `v`.
  Content Load(ValueId v, ValueId content, const Operand& operand) const {
    Content bytes(static_cast<size_t>(sizes_.value_bytes[v.index()]));
    for (size_t b = 0; b < bytes.size() && operand.data != nullptr; ++b) {
      const int64_t byte = static_cast<int64_t>(b);
      if (!defined_.of(content).Contains({byte, byte + 1})) continue;
      bytes[b] = static_cast<uint8_t>(*At(v, byte, operand));
    }
    return bytes;
  }
  void Store(ValueId v, const std::vector<int64_t>& bytes, const Operand& operand) const {
    for (int64_t b : bytes) {
      const std::optional<uint8_t> byte = contents_[v.index()][static_cast<size_t>(b)];
      if (byte.has_value() && operand.data != nullptr) *At(v, b, operand) = static_cast<std::byte>(*byte);
    }
  }

  static uint64_t Hash(const Content& content, const std::vector<int64_t>& bytes) {
    uint64_t sum = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      const std::optional<uint8_t> byte = content[static_cast<size_t>(bytes[i])];
      if (!byte.has_value()) continue;
      sum += HashOfByte(*byte, static_cast<int64_t>(i % 8), HashKey(static_cast<int64_t>(i / 8)));
    }
    return sum;
  }

  void Visit(OpId o, const std::vector<Content>& old) {
    const ConcreteOp& op = concrete_.ops[o.index()];
    std::vector<uint64_t> hashes;
    for (const ConcreteRead& r : op.reads) hashes.push_back(Hash(contents_[r.value.index()], r.from));
    for (const ConcreteWrite& w : op.writes) {
      Content& result = contents_[w.value.index()];
      if (w.base.has_value()) result = made_[w.base->index()] ? contents_[w.base->index()] : old[w.value.index()];
      result.resize(static_cast<size_t>(concrete_.bytes[w.value.index()]));
      hashes.push_back(w.base.has_value() && w.cover == Cover::kPart ? Hash(result, w.bytes) : 0);
    }
    for (size_t i = 0; i < op.writes.size(); ++i) {
      const ConcreteWrite& w = op.writes[i];
      Content& result = contents_[w.value.index()];
      if (op.kind == OpKind::kCompute || op.kind == OpKind::kFill) {
        const uint64_t own = MixTwo(SeedOfOp(graph_, o, seed_), i);
        uint64_t all = own;
        for (uint64_t h : hashes) all = op.kind == OpKind::kFill ? all : MixTwo(all, h);
        for (size_t b = 0; b < w.bytes.size(); ++b) {
          std::optional<uint8_t>& byte = result[static_cast<size_t>(w.bytes[b])];
          const int64_t index = static_cast<int64_t>(b);
          const bool part = w.base.has_value() && w.cover == Cover::kPart;
          if (!part || !byte.has_value() || !KeepsOldByte(own, index)) {
            byte = static_cast<uint8_t>(MixedByte(all, index));
          }
        }
        continue;
      }
      for (const ConcreteRead& r : op.reads) {
        for (size_t b = 0; b < r.from.size(); ++b) {
          result[static_cast<size_t>(r.to[b])] = contents_[r.value.index()][static_cast<size_t>(r.from[b])];
        }
      }
    }
  }

  const Graph& graph_;
  const Plan& plan_;
  const ConcreteGraph& concrete_;
  const Sizes& sizes_;
  const Defined& defined_;
  uint64_t seed_;
  std::vector<Content> contents_;  // by ValueId
  std::vector<bool> made_;         // by ValueId: by one of the members
};

// What a swallowed value takes of a base outside has no place that a site could tell.
bool ReachesAll(const Graph& graph, const Plan& plan, const std::vector<OpId>& ops) {
  std::vector<bool> made(graph.values().size(), false);
  for (OpId o : ops) {
    for (const Write& w : graph.writes(graph.op(o))) made[w.value.index()] = true;
  }
  for (OpId o : ops) {
    for (const Write& w : graph.writes(graph.op(o))) {
      const bool outside = w.base.has_value() && !made[w.base->index()];
      if (outside && plan.location(w.value).kind == Location::Kind::kNone) return false;
    }
  }
  return true;
}

class RandomKernels : public testing::TestWithParam<RandomGraphOptions> {
 protected:
  void ExpectEqual(const Graph& graph, const Plan& plan, const std::vector<int64_t>& symbols, uint64_t seed) {
    const absl::StatusOr<ConcreteGraph> concrete = MakeConcrete(graph, symbols);
    ASSERT_TRUE(concrete.ok()) << concrete.status();
    const absl::StatusOr<Sizes> sizes = SizesOf(graph, symbols);
    ASSERT_TRUE(sizes.ok()) << sizes.status();
    const absl::StatusOr<Defined> defined = FindDefined(graph, *sizes, std::nullopt);
    ASSERT_TRUE(defined.ok()) << defined.status();
    MixKernels kernels(graph, plan, *concrete, *sizes, *defined, seed);
    Rng rng(seed);
    KernelTable table;
    for (size_t o = 0; o < graph.ops().size(); ++o) {
      const std::vector<OpId> ops = {OpId(static_cast<int32_t>(o))};
      table.of_op.emplace_back();
      if (graph.ops()[o].kind != OpKind::kCompute || !rng.Percent(60)) continue;
      table.of_op.back() = [&kernels, ops](Device& d, StreamHandle, const KernelSite& s) { kernels.Run(d, ops, s); };
    }
    for (const Fusion& f : graph.fusions()) {
      table.of_fusion.emplace_back();
      if (!ReachesAll(graph, plan, f.ops) || !rng.Percent(80)) continue;
      groups_ += 1;
      table.of_fusion.back() = [&](Device& d, StreamHandle, const KernelSite& s) { kernels.Run(d, f.ops, s); };
    }
    const CompareOptions options = {.symbol_values = symbols, .stress = 1, .seed = seed, .kernels = &table};
    const absl::StatusOr<Comparison> c = CompareWithReference(*MakeHostDevice(), graph, plan, options);
    ASSERT_TRUE(c.ok()) << c.status();
    ASSERT_FALSE(c->difference.has_value()) << c->difference->text << ", run " << c->difference->run << "\n"
                                            << DumpGraph(graph) << DumpPlan(graph, plan);
    calls_ += kernels.calls;
  }

  int64_t calls_ = 0, groups_ = 0;
};

TEST_P(RandomKernels, EqualTheirReference) {
  const uint64_t count = NumGraphs();
  for (uint64_t seed = 1; seed <= count; ++seed) {
    const absl::StatusOr<Graph> graph = RandomGraph(GetParam(), seed);
    ASSERT_TRUE(graph.ok()) << graph.status();
    SCOPED_TRACE(absl::StrCat(graph->name(), " seed ", seed));
    const absl::StatusOr<Plan> plan = MakePlan(*graph, {});
    ASSERT_TRUE(plan.ok()) << plan.status();
    std::vector<FusionId> fuse;
    for (size_t f = 0; f < graph->fusions().size(); ++f) fuse.push_back(FusionId(static_cast<int32_t>(f)));
    for (const std::vector<int64_t>& symbols : SymbolTuples(*graph, 2, seed)) {
      ExpectEqual(*graph, *plan, symbols, seed);
      ExpectEqual(*graph, NaivePlan(*graph, fuse), symbols, seed);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(calls_, static_cast<int64_t>(8 * count));
  if (GetParam().max_fusions > 0) {
    EXPECT_GT(groups_, static_cast<int64_t>(count / 2));
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, RandomKernels, testing::ValuesIn(RandomGraphOptions::Profiles()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bufplan::runtime
