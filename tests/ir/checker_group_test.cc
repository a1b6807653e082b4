// Fused groups: what they read from outside, where they write, which values they swallow.
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/checker.h"
#include "ir/graph.h"
#include "ir/graph_builder.h"
#include "tests/ir/built.h"
#include "tests/ir/hand_plan.h"

namespace bufplan {
namespace {

void Group(GraphBuilder& b, absl::string_view name, const std::vector<int32_t>& ops,
           std::vector<FusionInPlace> in_place = {}) {
  Fusion f;
  f.name = std::string(name);
  for (int32_t o : ops) f.ops.emplace_back(o);
  f.in_place = std::move(in_place);
  b.AddFusion(f);
}

// experts * weights, then two adds of its rows, as one group.
TEST(CheckerGroupTest, G1InputsStayIntactUntilTheGroupIsDone) {
  GraphBuilder b;
  const ValueId experts = b.Compute("pe", {.writes = {{.name = "experts", .bytes = 32}}});
  const ValueId weights = b.Compute("pw", {.writes = {{.name = "weights", .bytes = 8}}});
  const ValueId product = b.Compute("mul", {.reads = {experts, weights}, .writes = {{.name = "product", .bytes = 32}}});
  const ValueId sum = b.Compute("add", {.reads = {product}, .writes = {{.name = "sum", .bytes = 8}}});
  const ValueId other = b.Compute("other", {.writes = {{.name = "other", .bytes = 32}}});
  const ValueId out = b.Compute("add2", {.reads = {sum}, .writes = {{.name = "out", .bytes = 8}}});
  b.Compute("use", {.reads = {out, other}});
  Group(b, "g", {2, 3, 5});
  const Graph g = Built(std::move(b));
  HandPlan fused(g);
  fused.At(experts, 0).At(weights, 32).At(other, 40).At(out, 72).Fuse(0);
  EXPECT_EQ(CheckText(g, fused.Done()), "ok");
  // "other" stands before the group's place, so it may not take the experts' bytes.
  EXPECT_EQ(
      CheckText(g, HandPlan(fused).At(other, 0).At(out, 40).Done()),
      "wrong-content: op \"mul\" of fusion \"g\" reads value \"experts\" bytes [0,32) at device+0: wants bytes [0,32) "
      "of value \"experts\", finds bytes [0,32) of value \"other\", written by op \"other\"\n");
  // Left separate, it may; the product and the sum then need bytes.
  HandPlan separate(g);
  separate.At(experts, 0).At(weights, 32).At(product, 40).At(sum, 72).At(other, 0).At(out, 80);
  EXPECT_EQ(CheckText(g, separate.Done()), "ok");
}

TEST(CheckerGroupTest, G2OnlyTheFusionsOwnPermissionCounts) {
  GraphBuilder b;
  const ValueId activation = b.Input("activation", 8), added = b.Input("added", 8);
  const ValueId product = b.Compute(
      "mul_mat", {.reads = {activation}, .writes = {{.name = "product", .bytes = 8, .in_place = {activation}}}});
  const ValueId result = b.Compute(
      "add", {.reads = {product, added}, .writes = {{.name = "result", .bytes = 8, .in_place = {product, added}}}});
  b.Output(result);
  Group(b, "with", {0, 1}, {{result, added, InPlaceMode::kSameIndex}});
  Group(b, "without", {0, 1});
  const Graph g = Built(std::move(b));
  HandPlan with(g), without(g);
  with.At(activation, 0).At(added, 8).Fuse(0);
  without.At(activation, 0).At(added, 8).Fuse(1);
  EXPECT_EQ(CheckText(g, HandPlan(with).At(result, 8).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(with).At(result, 0).Done()), "own-operand");
  EXPECT_EQ(CheckKinds(g, HandPlan(with).At(result, 12).Done()), "own-operand");
  EXPECT_EQ(CheckText(g, HandPlan(without).At(result, 16).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(without).At(result, 8).Done()), "own-operand");
}

TEST(CheckerGroupTest, G3MemberUsedOutsideExistsFromTheGroupsStart) {
  GraphBuilder b;
  const ValueId x = b.Compute("px", {.writes = {{.name = "x", .bytes = 8}}});
  const ValueId m = b.Compute("m1", {.writes = {{.name = "m", .bytes = 8}}});
  const ValueId r = b.Compute("m2", {.reads = {m, x}, .writes = {{.name = "r", .bytes = 8}}});
  b.Compute("use", {.reads = {m, r}});
  Group(b, "g", {1, 2});
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).At(x, 0).At(m, 8).At(r, 16).Fuse(0).Done()), "ok");
  // Alone, m1 would not mind that m lies on x if m2 did not read x; in the group it meets what the group reads.
  EXPECT_EQ(CheckKinds(g, HandPlan(g).At(x, 0).At(m, 0).At(r, 16).Fuse(0).Done()), "own-operand");
  EXPECT_EQ(CheckKinds(g, HandPlan(g).At(x, 0).At(m, 8).At(r, 12).Fuse(0).Done()), "wrong-content unordered-writes");
}

// The group's results appear when it is done, at its last member's place.
TEST(CheckerGroupTest, GroupStandsAtItsLastMember) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8);
  const ValueId m = b.Compute("m1", {.reads = {x}, .writes = {{.name = "m", .bytes = 8}}});
  b.Compute("between", {.writes = {{.name = "t", .bytes = 8}}, .options = {.scratch_bytes = 8}});
  const ValueId r =
      b.Compute("m2", {.reads = {m}, .writes = {{.name = "r", .bytes = 8}}, .options = {.scratch_bytes = 4}});
  b.Output(m);
  b.Output(r);
  Group(b, "g", {0, 2});
  const Graph g = Built(std::move(b));
  const ValueId t = ValueNamed(g, "t");
  HandPlan plan(g);
  plan.At(x, 0).At(m, 8).At(r, 16).Scratch(OpId(1), 24).Fuse(0);
  // t and the scratch of "between" are gone before m is written.
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(t, 8).Scratch(OpId(2), 32).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(plan).At(t, 0).Scratch(OpId(2), 32).Done()), "wrong-content");
  EXPECT_EQ(CheckKinds(g, HandPlan(plan).At(t, 8).Scratch(OpId(2), 4).Done()), "scratch");
  EXPECT_EQ(CheckKinds(g, HandPlan(plan).At(t, 8).Scratch(OpId(2), 12).Done()), "scratch output-lost");
}

// K1 = update K, K2 = update K1; K1 is used inside only.
Graph TwoUpdates(bool read_inside) {
  GraphBuilder b;
  const ValueId k = b.Variable("K", 32), p = b.Input("p", 4), q = b.Input("q", 4);
  const ValueId k1 = b.Update("u1", k, p, 0, "K1");
  ComputeSpec attn{.reads = {q}, .writes = {{.name = "row", .bytes = 4}}, .options = {}};
  if (read_inside) attn.reads.emplace_back(k1);
  const ValueId row = b.Compute("attn", attn);
  const ValueId k2 = b.Update("u2", k1, row, 8, "K2");
  b.Commit("st", k2, k);
  Group(b, "g", {0, 1, 2});
  return Built(std::move(b));
}

TEST(CheckerGroupTest, ChainOfUpdatesWritesWhatItMakesNew) {
  const Graph g = TwoUpdates(false);
  const ValueId k = ValueNamed(g, "K"), p = ValueNamed(g, "p"), q = ValueNamed(g, "q"), k2 = ValueNamed(g, "K2");
  HandPlan plan(g);
  plan.At(p, 0).At(q, 4).Fuse(0);
  EXPECT_EQ(CheckText(g, HandPlan(plan).In(k2, k, 0).Done()), "ok");
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(k2, 8).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(plan).At(k2, 4).Done()), "own-operand");
  EXPECT_EQ(CheckKinds(g, HandPlan(plan).In(k2, k, 0).At(q, 2).Done()), "wrong-content unordered-writes");
}

// attn reads K1, so K's bytes that u1 leaves; u2 then overwrites some of them in the same group.
TEST(CheckerGroupTest, WhatMembersReadThroughABaseIsReadFromOutside) {
  const Graph g = TwoUpdates(true);
  const ValueId k = ValueNamed(g, "K"), p = ValueNamed(g, "p"), q = ValueNamed(g, "q"), k2 = ValueNamed(g, "K2");
  HandPlan plan(g);
  plan.At(p, 0).At(q, 4).Fuse(0);
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(k2, 8).Done()), "ok");
  EXPECT_EQ(CheckText(g, HandPlan(plan).In(k2, k, 0).Done()),
            "own-operand: op \"u2\" reads value \"K\" at K+0 and writes value \"K2\" at K+0 in the same bytes [8,12), "
            "undeclared\n");
}

TEST(CheckerGroupTest, PartWritesReadTheBaseWhereItIs) {
  GraphBuilder b;
  const ValueId k = b.Input("K", 16);
  const ValueId k1 = b.Compute(
      "part", {.writes = {{.name = "K1", .bytes = 16, .base = k, .region = Region{0, 8, {}}, .cover = Cover::kPart}}});
  const ValueId k2 =
      b.Compute("all", {.writes = {{.name = "K2", .bytes = 16, .base = k1, .region = Region{4, 8, {}}}}});
  b.Output(k2);
  Group(b, "g", {0, 1});
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).At(k, 0).At(k2, 0).Fuse(0).Done()), "ok");
  EXPECT_EQ(CheckText(g, HandPlan(g).At(k, 0).At(k2, 16).Fuse(0).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(g).At(k, 0).At(k2, 8).Fuse(0).Done()), "own-operand");
}

// That the bytes are read where they are excuses the result that rewrites them, no other at the same place.
TEST(CheckerGroupTest, PartReadsExcuseTheirOwnResultOnly) {
  GraphBuilder b;
  const ValueId k = b.Input("K", 16);
  const ValueId k1 = b.Compute(
      "part", {.writes = {{.name = "K1", .bytes = 16, .base = k, .region = Region{0, 8, {}}, .cover = Cover::kPart}}});
  const Results all =
      b.Compute("all", {.writes = {{.name = "K2", .bytes = 16, .base = k1}, {.name = "r", .bytes = 8}}});
  b.Output(all[0]);
  b.Output(all[1]);
  Group(b, "g", {0, 1});
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).At(k, 0).At(all[0], 0).At(all[1], 16).Fuse(0).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(g).At(k, 0).At(all[0], 16).At(all[1], 0).Fuse(0).Done()), "own-operand");
}

TEST(CheckerGroupTest, ElidedMovementsAndViewsInside) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 16, {.preserve = true});
  const ValueId s = b.Slice("slice", x, 0, 8, "s");
  const ValueId v = b.View("view", x, 8, 8, "v");
  const ValueId r = b.Compute("f", {.reads = {s, v}, .writes = {{.name = "r", .bytes = 8}}});
  b.Output(r);
  b.Output(s);
  b.Output(v);
  Group(b, "g", {0, 1, 2});
  const Graph g = Built(std::move(b));
  HandPlan plan(g);
  plan.At(x, 0).At(v, 8).Fuse(0);
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(s, 0).At(r, 16).Done()), "ok");
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(s, 16).At(r, 24).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(plan).At(s, 0).At(v, 4).At(r, 16).Done()), "wrong-memory");
  EXPECT_EQ(CheckKinds(g, HandPlan(plan).At(s, 0).At(r, 4).Done()), "own-operand output-lost");
}

// A view of a swallowed value is a result like any other.
TEST(CheckerGroupTest, ViewOfASwallowedValueIsWritten) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8);
  const ValueId m = b.Compute("f", {.reads = {x}, .writes = {{.name = "m", .bytes = 16}}});
  const ValueId v = b.View("view", m, 4, 8, "v");
  const ValueId o = b.Compute("use", {.reads = {v, x}, .writes = {{.name = "o", .bytes = 8}}});
  b.Output(o);
  Group(b, "g", {0, 1});
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).At(x, 0).At(v, 8).At(o, 16).Fuse(0).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(g).At(x, 0).At(v, 0).At(o, 16).Fuse(0).Done()), "wrong-content own-operand");
}

TEST(CheckerGroupTest, KeepAliveUntilAMemberMeansUntilTheGroup) {
  GraphBuilder b;
  const ValueId v = b.Compute("pv", {.writes = {{.name = "v", .bytes = 8}}});
  const ValueId m = b.Compute("m1", {.reads = {v}, .writes = {{.name = "m", .bytes = 8}}});
  const ValueId t = b.Compute("between", {.writes = {{.name = "t", .bytes = 8}}});
  const ValueId r = b.Compute("m2", {.reads = {m}, .writes = {{.name = "r", .bytes = 8}}});
  b.KeepAliveUntil(m, OpId(3));
  b.KeepAliveUntil(t, OpId(3));
  b.Output(r);
  Group(b, "g", {1, 3});
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).At(v, 0).At(m, 8).At(t, 16).At(r, 24).Fuse(0).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(g).At(v, 0).At(m, 8).At(t, 16).At(r, 16).Fuse(0).Done()), "keep-alive");
  EXPECT_EQ(CheckKinds(g, HandPlan(g).At(v, 0).At(t, 16).At(r, 24).Fuse(0).Done()), "missing");
}

TEST(CheckerGroupTest, GroupsOnStreamsAreOneNode) {
  GraphBuilder b;
  b.AddStream("s0");
  const StreamId s1 = b.AddStream("s1");
  const ValueId x = b.Compute("px", {.writes = {{.name = "x", .bytes = 8}}});
  const ValueId m = b.Compute("m1", {.reads = {x}, .writes = {{.name = "m", .bytes = 8}}, .options = {.stream = s1}});
  const ValueId y = b.Compute("w", {.writes = {{.name = "y", .bytes = 8}}});
  const ValueId r = b.Compute("m2", {.reads = {m}, .writes = {{.name = "r", .bytes = 8}}, .options = {.stream = s1}});
  b.Output(y);
  b.Output(r);
  Group(b, "g", {1, 3});
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).At(x, 0).At(y, 8).At(r, 16).Fuse(0).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(g).At(x, 0).At(y, 0).At(r, 16).Fuse(0).Done()), "unordered-overwrite");
  // An edge from m1 is one from the group.
  const Plan edge = HandPlan(g).At(x, 0).At(y, 0).At(r, 16).Fuse(0).Edge(OpId(1), OpId(2)).Done();
  EXPECT_EQ(CheckText(g, edge), "ok");
  // Then w cannot also come before m2.
  Plan cycle = edge;
  cycle.added_order.push_back({OpId(2), OpId(3), ""});
  EXPECT_EQ(CheckText(g, cycle),
            "cycle: the plan's order edges make a cycle: op \"w\" before fusion \"g\" before op \"w\"\n");
}

}  // namespace
}  // namespace bufplan
