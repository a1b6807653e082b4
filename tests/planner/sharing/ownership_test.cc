#include "planner/sharing/ownership.h"

#include <memory>
#include <utility>

#include "gtest/gtest.h"
#include "ir/graph_builder.h"

namespace bufplan {
namespace {

Graph BuildOrDie(GraphBuilder b) {
  absl::StatusOr<Graph> graph = std::move(b).Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *std::move(graph);
}

ValueId Op(GraphBuilder& b, std::vector<Operand> reads) {
  ComputeSpec spec;
  spec.reads = std::move(reads);
  spec.writes.push_back({.bytes = 64});
  return b.Compute("", std::move(spec));
}

TEST(Ownership, ConstantsAndBorrowedExternalsAreReadOnly) {
  GraphBuilder b;
  const ValueId c = b.Constant("c", 64), e = b.External("e", 64), d = b.External("d", 64, {.writable = true});
  const ValueId v = Op(b, {c, e, d});
  const Graph graph = BuildOrDie(std::move(b));
  Ownership ownership(graph);
  EXPECT_EQ(ownership.Refuses(c, v), Why::kReadOnly);
  EXPECT_EQ(ownership.Refuses(e, v), Why::kReadOnly);
  EXPECT_EQ(ownership.Refuses(d, v), std::nullopt);
}

TEST(Ownership, AVariableIsWrittenByItsLineageOnly) {
  GraphBuilder b;
  const ValueId x = b.Variable("x", 64), other = b.Variable("other", 64);
  const ValueId row = Op(b, {x});
  const ValueId half = b.View("", row, 0, 32);
  const ValueId clone = b.Clone("", x);
  const ValueId updated = b.Update("", clone, half, 0);
  const ValueId beside = Op(b, {updated});
  const ValueId whole = b.Slice("", updated, 0, 64);
  b.Commit("", whole, x);
  const Graph graph = BuildOrDie(std::move(b));
  Ownership ownership(graph);
  for (ValueId v : {whole, updated, clone, half, row}) EXPECT_EQ(ownership.Refuses(x, v), std::nullopt) << v.value;
  EXPECT_EQ(ownership.Refuses(x, beside), Why::kNotLineage);
  for (ValueId v : {whole, updated, row}) EXPECT_EQ(ownership.Refuses(other, v), Why::kNotLineage);
}

TEST(Ownership, TheLineageEndsAtComputeAndInPlace) {
  GraphBuilder b;
  const ValueId x = b.Variable("x", 64);
  const ValueId operand = Op(b, {});
  const ValueId result = b.Compute("", {.reads = {operand}, .writes = {{.bytes = 64, .in_place = {operand}}}});
  const ValueId on_base = b.Compute("", {.reads = {}, .writes = {{.bytes = 64, .base = result}}});
  b.Commit("", on_base, x);
  const Graph graph = BuildOrDie(std::move(b));
  Ownership ownership(graph);
  EXPECT_EQ(ownership.Refuses(x, on_base), std::nullopt);
  EXPECT_EQ(ownership.Refuses(x, result), std::nullopt);
  EXPECT_EQ(ownership.Refuses(x, operand), Why::kNotLineage);
}

TEST(Ownership, ACommitThatIsNeverElidedKeepsItsSourceApart) {
  GraphBuilder b;
  const ValueId x = b.Variable("x", 64);
  const ValueId v = b.Clone("", x);
  b.Commit("", v, x, {.elide = Elide::kNever});
  const Graph graph = BuildOrDie(std::move(b));
  Ownership ownership(graph);
  EXPECT_EQ(ownership.Refuses(x, v), Why::kNeverElide);
}

TEST(Ownership, ALongLineageIsWalkedOnce) {
  GraphBuilder b;
  const ValueId x = b.Variable("x", 64);
  std::vector<ValueId> versions = {x};
  for (int i = 0; i < 20000; ++i) {
    versions.push_back(b.Compute("", {.reads = {}, .writes = {{.bytes = 64, .base = versions.back()}}}));
  }
  b.Commit("", versions.back(), x);
  const Graph graph = BuildOrDie(std::move(b));
  Ownership ownership(graph);
  for (ValueId v : versions) ASSERT_EQ(ownership.Refuses(x, v), std::nullopt);
}

}  // namespace
}  // namespace bufplan
