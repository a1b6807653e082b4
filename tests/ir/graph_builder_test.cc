#include "ir/graph_builder.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Graph BuildOrDie(GraphBuilder b) {
  absl::StatusOr<Graph> graph = std::move(b).Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *std::move(graph);
}

Region Bytes(Expr at, Expr bytes) { return Region{std::move(at), std::move(bytes), {}}; }

TEST(GraphBuilder, ExampleOfTheHeader) {
  GraphBuilder b("example");
  const ValueId x = b.Input("x", 4096);
  const ValueId y = b.Compute("relu", {.reads = {x}, .writes = {{.bytes = 4096, .in_place = {x}}}});
  b.Output(y);
  const Graph g = BuildOrDie(std::move(b));
  EXPECT_EQ(g.name(), "example");
  ASSERT_EQ(g.ops().size(), 1u);
  const Op& op = g.op(OpId(0));
  EXPECT_EQ(op.kind, OpKind::kCompute);
  ASSERT_EQ(g.reads(op).size(), 1u);
  EXPECT_EQ(g.reads(op)[0].value, x);
  EXPECT_EQ(g.reads(op)[0].span, (ByteRange{0, 4096}));
  ASSERT_EQ(g.writes(op).size(), 1u);
  EXPECT_EQ(g.writes(op)[0].value, y);
  EXPECT_THAT(g.in_place(g.writes(op)[0]), ElementsAre(InPlace{x, InPlaceMode::kSameIndex}));
  EXPECT_EQ(g.producer(y), OpId(0));
  EXPECT_EQ(g.producer(x), std::nullopt);
  EXPECT_THAT(g.outputs(), ElementsAre(y));
}

TEST(GraphBuilder, NothingAtAllIsAGraph) {
  const Graph g = BuildOrDie(GraphBuilder());
  EXPECT_EQ(g.spaces().size(), 1u);
  EXPECT_EQ(g.name(SpaceId(0)), "device");
  EXPECT_EQ(g.space(SpaceId(0)).alignment_bytes, 1);
  EXPECT_EQ(g.num_streams(), 1);
  EXPECT_TRUE(g.values().empty() && g.ops().empty());
}

TEST(GraphBuilder, UnnamedThingsAreCalledAfterTheirIndex) {
  GraphBuilder b;
  const ValueId x = b.Input("", 8), taken = b.Input("v2", 8), y = b.Input("", 8);
  b.Barrier("");
  const Graph g = BuildOrDie(std::move(b));
  EXPECT_EQ(g.name(x), "v0");
  EXPECT_EQ(g.name(taken), "v2");
  EXPECT_EQ(g.name(y), "v2_");
  EXPECT_EQ(g.name(OpId(0)), "op0");
  EXPECT_EQ(g.FindValue("v2_"), y);
  EXPECT_EQ(g.FindValue("nobody"), std::nullopt);
  EXPECT_EQ(g.FindOp("op0"), OpId(0));
  EXPECT_EQ(g.FindSpace("device"), SpaceId(0));
}

TEST(GraphBuilder, RolesAndOptions) {
  GraphBuilder b;
  b.AddSpace("device", {.alignment_bytes = 16});
  const ValueId input = b.Input("i", 8, {.preserve = true}), constant = b.Constant("c", 8, {.alignment_bytes = 64});
  const ValueId external = b.External("e", 8, {.writable = true, .attrs_json = "{\"a\":1}"});
  const ValueId variable = b.Variable("v", 8), pinned = b.Input("p", 8, {.pinned_offset_bytes = 32});
  b.Barrier("b", {.scratch_bytes = 24, .elide = Elide::kNever, .attrs_json = "{\"b\":2}"});
  const Graph g = BuildOrDie(std::move(b));
  EXPECT_EQ(g.value(input).role, Role::kInput);
  EXPECT_TRUE(g.value(input).preserve);
  EXPECT_EQ(g.value(input).alignment_bytes, 16);
  EXPECT_EQ(g.value(constant).role, Role::kConstant);
  EXPECT_EQ(g.value(constant).alignment_bytes, 64);
  EXPECT_EQ(g.value(external).role, Role::kExternal);
  EXPECT_TRUE(g.value(external).writable);
  EXPECT_EQ(g.attrs_json(external), "{\"a\":1}");
  EXPECT_EQ(g.attrs_json(variable), "");
  EXPECT_EQ(g.value(variable).role, Role::kVariable);
  EXPECT_EQ(g.value(pinned).pinned_offset_bytes, 32);
  EXPECT_EQ(g.op(OpId(0)).max_scratch_bytes, 24);
  EXPECT_EQ(g.op(OpId(0)).elide, Elide::kNever);
  EXPECT_EQ(g.attrs_json(OpId(0)), "{\"b\":2}");
}

// The form of each movement: which bytes are read, and where they go.
TEST(GraphBuilder, DataMovementsAreReadsWithPlaces) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 64), row = b.Input("row", 16), variable = b.Variable("v", 64);
  const ValueId view = b.View("view", x, 8, 32), slice = b.Slice("slice", x, 8, 32), clone = b.Clone("clone", x);
  const ValueId update = b.Update("update", x, row, 24), concat = b.Concat("concat", {row, x, row});
  const ValueId copy = b.Copy("copy", {{x, Bytes(0, 16), Bytes(48, 16)}, {row, std::nullopt, Bytes(0, 16)}}, x, 64);
  const ValueId fill = b.Fill("fill", x, Bytes(4, 8), 64), transfer = b.Transfer("transfer", x, "t");
  const OpId commit = b.Commit("commit", x, variable);
  const Graph g = BuildOrDie(std::move(b));
  const auto reads = [&](ValueId v) { return g.reads(g.op(*g.producer(v))); };
  const auto write = [&](ValueId v) { return g.writes(g.op(*g.producer(v)))[0]; };
  const OpKind kinds[] = {OpKind::kView, OpKind::kSlice, OpKind::kClone,    OpKind::kUpdate, OpKind::kConcat,
                          OpKind::kCopy, OpKind::kFill,  OpKind::kTransfer, OpKind::kCommit};
  for (size_t i = 0; i < g.ops().size(); ++i) EXPECT_EQ(g.ops()[i].kind, kinds[i]) << i;
  for (ValueId v : {view, slice}) {
    EXPECT_EQ(g.region(*reads(v)[0].region), Bytes(8, 32));
    EXPECT_EQ(reads(v)[0].span, (ByteRange{8, 40}));
    EXPECT_EQ(reads(v)[0].to_region, std::nullopt);
    EXPECT_EQ(g.value(v).max_bytes, 32);
  }
  EXPECT_EQ(reads(clone)[0].region, std::nullopt);
  EXPECT_EQ(g.value(clone).max_bytes, 64);
  EXPECT_EQ(g.region(*reads(update)[0].to_region), Bytes(24, 16));
  EXPECT_EQ(write(update).base, x);
  EXPECT_EQ(g.value(update).max_bytes, 64);
  ASSERT_EQ(reads(concat).size(), 3u);
  EXPECT_EQ(g.region(*reads(concat)[1].to_region), Bytes(16, 64));
  EXPECT_EQ(g.region(*reads(concat)[2].to_region), Bytes(80, 16));
  EXPECT_EQ(g.value(concat).max_bytes, 96);
  EXPECT_EQ(reads(copy)[0].span, (ByteRange{0, 16}));
  EXPECT_EQ(write(copy).base, x);
  EXPECT_TRUE(reads(fill).empty());
  EXPECT_EQ(write(fill).span, (ByteRange{4, 12}));
  EXPECT_EQ(reads(transfer)[0].value, x);
  EXPECT_EQ(g.op(commit).commit_target, variable);
  EXPECT_EQ(g.commit_to(variable), commit);
  EXPECT_EQ(g.commit_to(x), std::nullopt);
}

TEST(GraphBuilder, DeclaredValuesMayBeWrittenByAnyOp) {
  GraphBuilder b;
  const ValueId y = b.AddValue("y", 64, Role::kTransient), z = b.AddValue("z", 16, Role::kTransient);
  const ValueId x = b.Input("x", 64);
  EXPECT_EQ(b.Clone("c", x, y), y);
  EXPECT_EQ(b.Slice("s", y, 16, 16, z), z);
  const Graph g = BuildOrDie(std::move(b));
  EXPECT_EQ(g.producer(y), OpId(0));
  EXPECT_EQ(g.producer(z), OpId(1));
}

TEST(GraphBuilder, SymbolsSizeValuesAtTheirLargest) {
  GraphBuilder b;
  const Expr s = b.AddSymbol("s", 1, 100, 8);
  const ValueId x = b.Input("x", 16 * s + 4);
  const ValueId half = b.Slice("h", x, 8 * s, 8 * s);
  const Graph g = BuildOrDie(std::move(b));
  EXPECT_EQ(g.value(x).max_bytes, 16 * 96 + 4);
  EXPECT_EQ(g.value(half).max_bytes, 8 * 96);
  EXPECT_EQ(g.reads(g.op(OpId(0)))[0].span, (ByteRange{64, 1536}));
}

TEST(GraphBuilder, ConstraintsAreSortedAndCountedOnce) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8), y = b.Input("y", 8);
  const OpId first = b.Barrier("a"), second = b.Barrier("b");
  b.KeepAliveUntil(y, second);
  b.KeepAliveUntil(x, first);
  b.KeepAliveUntil(y, second);
  b.Disjoint(y, x);
  b.Disjoint(x, y);
  b.Order(first, second);
  const Graph g = BuildOrDie(std::move(b));
  EXPECT_THAT(g.keep_alive(), ElementsAre(KeepAlive{x, first}, KeepAlive{y, second}));
  EXPECT_THAT(g.disjoint(), ElementsAre(DisjointPair{x, y}));
  EXPECT_THAT(g.order(), ElementsAre(OrderEdge{first, second}));
}

TEST(GraphBuilder, HappensBeforeComesFromStreamsUsesAndEdges) {
  GraphBuilder b;
  const StreamId main = b.AddStream("main"), side = b.AddStream("side");
  const ValueId x = b.Compute("w", {.reads = {}, .writes = {{.bytes = 8}}, .options = {.stream = main}});
  b.Barrier("before", {.stream = side});
  b.Compute("r", {.reads = {x}, .writes = {}, .options = {.stream = side}});
  b.Barrier("m", {.stream = main});
  const OpId m = b.last_op();
  b.Barrier("after", {.stream = side});
  b.Order(m, b.last_op());
  const Graph g = BuildOrDie(std::move(b));
  EXPECT_EQ(g.num_streams(), 2);
  EXPECT_TRUE(g.happens_before().Before(0, 2));
  EXPECT_FALSE(g.happens_before().Before(0, 1));
  EXPECT_TRUE(g.happens_before().Concurrent(2, 3));
  EXPECT_TRUE(g.happens_before().Before(3, 4));
}

TEST(GraphBuilder, UnifiedSpacesAreAnEquivalence) {
  GraphBuilder b;
  const SpaceId a = b.AddSpace("a", {}), c = b.AddSpace("c", {.unified_with = {a}}),
                d = b.AddSpace("d", {.unified_with = {c}});
  const SpaceId alone = b.AddSpace("alone", {});
  const Graph g = BuildOrDie(std::move(b));
  EXPECT_TRUE(g.SameMemory(a, d) && g.SameMemory(d, a) && g.SameMemory(a, a));
  EXPECT_FALSE(g.SameMemory(a, alone));
  EXPECT_THAT(g.space(a).unified_with, ElementsAre(c, d));
  EXPECT_THAT(g.space(alone).unified_with, IsEmpty());
}

TEST(GraphBuilder, ScratchLiesWithTheFirstResultElseTheFirstOperand) {
  GraphBuilder b;
  const SpaceId device = b.AddSpace("device", {}), host = b.AddSpace("host", {});
  const ValueId x = b.Input("x", 8, {.space = host});
  b.Compute("both", {.reads = {x}, .writes = {{.bytes = 8}}, .options = {.scratch_bytes = 8}});
  b.Compute("reader", {.reads = {x}, .writes = {}, .options = {.scratch_bytes = 8}});
  b.Barrier("none", {.scratch_bytes = 8});
  const Graph g = BuildOrDie(std::move(b));
  EXPECT_EQ(g.op(OpId(0)).scratch_space, device);
  EXPECT_EQ(g.op(OpId(1)).scratch_space, host);
  EXPECT_EQ(g.op(OpId(2)).scratch_space, device);
}

TEST(GraphBuilder, FusionsKeepWhatTheAuthorSaid) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8);
  const ValueId y = b.Compute("a", {.reads = {x}, .writes = {{.bytes = 8}}});
  const ValueId z = b.Compute("b", {.reads = {y}, .writes = {{.bytes = 8}}});
  Fusion fusion;
  fusion.name = "f";
  fusion.ops = {OpId(1), OpId(0)};
  fusion.benefit = 2.5;
  fusion.in_place.push_back({z, x, InPlaceMode::kAny});
  b.AddFusion(fusion);
  const Graph g = BuildOrDie(std::move(b));
  ASSERT_EQ(g.fusions().size(), 1u);
  EXPECT_THAT(g.fusions()[0].ops, ElementsAre(OpId(0), OpId(1)));
  EXPECT_EQ(g.fusions()[0].benefit, 2.5);
  EXPECT_FALSE(g.fusions()[0].required);
}

TEST(GraphBuilder, ResultsConvertToTheFirst) {
  GraphBuilder b;
  const Results r = b.Compute("f", {.reads = {}, .writes = {{.name = "a", .bytes = 8}, {.name = "b", .bytes = 16}}});
  EXPECT_EQ(r.size(), 2u);
  const ValueId first = r;
  EXPECT_EQ(first, r[0]);
  EXPECT_EQ(b.bytes(r[1]), Expr(16));
  EXPECT_EQ(b.bytes(ValueId(99)), Expr(0));
  EXPECT_EQ(b.bytes(ValueId(-1)), Expr(0));
}

}  // namespace
}  // namespace bufplan
