#include "planner/sharing/carried_bytes.h"

#include <cstdint>
#include <utility>

#include "gtest/gtest.h"
#include "ir/graph_builder.h"

namespace bufplan {
namespace {

// What the result of the graph's one op carries.
int64_t Carried(GraphBuilder b) {
  const absl::StatusOr<Graph> graph = std::move(b).Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? CarriedBytes(*graph, OpId(0), graph->writes(graph->op(OpId(0)))[0]) : -1;
}

TEST(LargestBytesTest, IsTheMostForAnySymbolValues) {
  GraphBuilder b;
  const Expr s = b.AddSymbol("s", 0, 4094);
  b.Output(b.Input("x", 8));
  const Graph graph = std::move(b).Build().value();
  EXPECT_EQ(LargestBytes(graph, 12), 12);
  EXPECT_EQ(LargestBytes(graph, 8192 * s), 33538048);
  EXPECT_EQ(LargestBytes(graph, 4094 - s), 4094);
  EXPECT_EQ(LargestBytes(graph, 0 - s), 0);
}

TEST(CarriedBytesTest, AnUpdateCarriesWhatItsPartsLeave) {
  GraphBuilder b;
  const ValueId k = b.Variable("K", 64), row = b.Input("row", 8);
  b.Output(b.Update("update", k, row, 8, "K1"));
  EXPECT_EQ(Carried(std::move(b)), 56);
}

TEST(CarriedBytesTest, AComputeOpCarriesWhatItsRegionLeaves) {
  for (const bool part : {false, true}) {
    GraphBuilder b;
    const ValueId k = b.Variable("K", 64);
    Result store = {.name = "K1", .bytes = 64, .base = k, .region = Region{0, 16, {}}};
    if (part) store.cover = Cover::kPart;  // old bytes may survive anywhere
    b.Output(b.Compute("store", {.writes = {store}}));
    EXPECT_EQ(Carried(std::move(b)), part ? 64 : 48);
  }
}

TEST(CarriedBytesTest, WholeResultsCarryNothing) {
  GraphBuilder b;
  const ValueId k = b.Variable("K", 64);
  b.Output(b.Compute("store", {.writes = {{.name = "K1", .bytes = 64, .base = k}}}));
  EXPECT_EQ(Carried(std::move(b)), 0);
}

}  // namespace
}  // namespace bufplan
