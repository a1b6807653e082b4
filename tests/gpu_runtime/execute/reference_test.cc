// The reference execution against an interpreter of the same meaning that shares nothing with it but the formula.
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gpu_runtime/execute/contents.h"
#include "gpu_runtime/execute/executor.h"
#include "gpu_runtime/host/host_device.h"
#include "gtest/gtest.h"
#include "tests/gpu_runtime/execute/plain_mix.h"
#include "tests/oracle/concrete.h"
#include "tests/oracle/dump.h"
#include "tests/oracle/from_environment.h"
#include "tests/oracle/random_graph.h"

namespace bufplan::runtime {
namespace {

uint64_t NumGraphs() { return FromEnvironment("BUFPLAN_RANDOM_GRAPHS", 200); }

class ReferenceTest : public testing::TestWithParam<RandomGraphOptions> {
 protected:
  void Compare(const Graph& graph, const std::vector<int64_t>& symbols, uint64_t seed, std::optional<int64_t> sample) {
    const std::unique_ptr<Device> device = MakeHostDevice();
    DevicePool pool(*device);
    const auto executor = Executor::Create(pool, graph, nullptr, {.seed = seed, .sample_bytes = sample});
    ASSERT_TRUE(executor.ok()) << executor.status();
    Executor& reference = **executor;
    ASSERT_TRUE(reference.Prepare(symbols).ok());
    const absl::StatusOr<Contents> contents = Contents::Make(graph, reference, *device, seed, true);
    ASSERT_TRUE(contents.ok()) << contents.status();
    contents->Fill(*device, reference.stream());
    ASSERT_TRUE(reference.Run().ok());
    const absl::StatusOr<ConcreteGraph> concrete = MakeConcrete(graph, symbols);
    ASSERT_TRUE(concrete.ok()) << concrete.status();
    const PlainContents expected = MixPlainly(graph, *concrete, seed, sample);
    for (size_t v = 0; v < expected.size(); ++v) {
      const ValueId id(static_cast<int32_t>(v));
      // The storage of what is committed to holds the new content.
      const std::optional<OpId> commit = graph.commit_to(id);
      const ValueId content = commit.has_value() ? graph.reads(graph.op(*commit))[0].value : id;
      const std::byte* const found = reference.address(id);
      // A view of it was right for those who read it before; now it shows the new content as well.
      const int32_t memory = reference.program().layout.of(id).memory;
      if (memory >= 0) {
        const Memory& where = reference.program().layout.memories[static_cast<size_t>(memory)];
        if (where.kind == MemoryKind::kCaller && where.owner != id && graph.commit_to(where.owner).has_value())
          continue;
      }
      for (size_t b = 0; b < expected[content.index()].size(); ++b) {
        const std::optional<uint8_t> byte = expected[content.index()][b];
        ASSERT_EQ(byte.has_value(),
                  reference.defined().of(content).Contains({static_cast<int64_t>(b), static_cast<int64_t>(b) + 1}))
            << graph.name(content) << " byte " << b << "\n"
            << DumpGraph(graph);
        if (!byte.has_value()) continue;
        ASSERT_EQ(static_cast<uint8_t>(found[b]), *byte)
            << graph.name() << " " << graph.name(id) << " byte " << b << "\n"
            << DumpGraph(graph);
        ++bytes_;
      }
    }
  }

  int64_t bytes_ = 0;
};

TEST_P(ReferenceTest, EqualsThePlainInterpreter) {
  for (uint64_t seed = 1; seed <= NumGraphs(); ++seed) {
    const absl::StatusOr<Graph> graph = RandomGraph(GetParam(), seed);
    ASSERT_TRUE(graph.ok()) << graph.status();
    for (const std::vector<int64_t>& symbols : SymbolTuples(*graph, 3, seed)) {
      for (const std::optional<int64_t> sample : {std::optional<int64_t>(), std::optional<int64_t>(3)}) {
        Compare(*graph, symbols, seed, sample);
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(bytes_, static_cast<int64_t>(NumGraphs()) * 20);
}

INSTANTIATE_TEST_SUITE_P(Profiles, ReferenceTest, testing::ValuesIn(RandomGraphOptions::Profiles()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bufplan::runtime
