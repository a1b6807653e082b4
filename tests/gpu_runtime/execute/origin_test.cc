// Origins of every byte against an execution that carries them along.
#include "gpu_runtime/execute/origin.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gpu_runtime/steps/sizes.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "tests/oracle/concrete.h"
#include "tests/oracle/random_graph.h"

namespace bufplan::runtime {
namespace {

// By ValueId and byte.
std::vector<std::vector<Origin>> AllOrigins(const Graph& graph, const ConcreteGraph& concrete) {
  std::vector<std::vector<Origin>> origins(graph.values().size());
  for (size_t v = 0; v < origins.size(); ++v) {
    for (int64_t b = 0; b < concrete.bytes[v]; ++b) origins[v].push_back({ValueId(static_cast<int32_t>(v)), b});
  }
  for (const ConcreteOp& op : concrete.ops) {
    for (const ConcreteWrite& w : op.writes) {
      std::vector<Origin>& result = origins[w.value.index()];
      if (w.base.has_value()) result = origins[w.base->index()];
      if (op.kind == OpKind::kCompute || op.kind == OpKind::kFill) {
        for (int64_t b : w.bytes) result[static_cast<size_t>(b)] = {w.value, b};
        continue;
      }
      for (const ConcreteRead& r : op.reads) {
        for (size_t i = 0; i < r.from.size(); ++i) {
          result[static_cast<size_t>(r.to[i])] = origins[r.value.index()][static_cast<size_t>(r.from[i])];
        }
      }
    }
  }
  return origins;
}

class OriginTest : public testing::TestWithParam<RandomGraphOptions> {};

TEST_P(OriginTest, IsWhereTheByteComesFrom) {
  int64_t elsewhere = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const absl::StatusOr<Graph> graph = RandomGraph(GetParam(), seed);
    ASSERT_TRUE(graph.ok()) << graph.status();
    for (const std::vector<int64_t>& symbols : SymbolTuples(*graph, 2, seed)) {
      const absl::StatusOr<ConcreteGraph> concrete = MakeConcrete(*graph, symbols);
      ASSERT_TRUE(concrete.ok()) << concrete.status();
      const absl::StatusOr<Sizes> sizes = SizesOf(*graph, symbols);
      ASSERT_TRUE(sizes.ok()) << sizes.status();
      const std::vector<std::vector<Origin>> expected = AllOrigins(*graph, *concrete);
      for (size_t v = 0; v < expected.size(); ++v) {
        const ValueId value(static_cast<int32_t>(v));
        for (size_t b = 0; b < expected[v].size(); ++b) {
          const Origin found = OriginOf(*graph, *sizes, value, static_cast<int64_t>(b));
          ASSERT_EQ(found, expected[v][b]) << graph->name() << " seed " << seed << " " << graph->name(value) << " byte "
                                           << b << ": " << graph->name(found.value) << " " << found.byte << ", not "
                                           << graph->name(expected[v][b].value) << " " << expected[v][b].byte;
          elsewhere += found.value != value ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(elsewhere, 1000);
}

INSTANTIATE_TEST_SUITE_P(Profiles, OriginTest, testing::ValuesIn(RandomGraphOptions::Profiles()),
                         [](const auto& info) { return info.param.name; });

TEST(ByteAtTest, CountsInRunOrder) {
  const Shape shape = {3, 2, {{2, 100}, {3, 10}}};
  const std::vector<int64_t> bytes = {3, 4, 13, 14, 23, 24, 103, 104, 113, 114, 123, 124};
  for (size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(shape.ByteAt(static_cast<int64_t>(i)), bytes[i]);
  EXPECT_EQ((Shape{7, 5, {}}).ByteAt(4), 11);
}

}  // namespace
}  // namespace bufplan::runtime
