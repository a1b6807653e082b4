#include "ir/structure.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"

namespace bufplan {
namespace {

// A graph that says something of every kind, with one thing changed.
Graph Make(absl::string_view change = "") {
  const auto is = [&](absl::string_view other) { return change == other; };
  const auto named = [&](absl::string_view name) { return is("no names") ? absl::string_view() : name; };
  const auto less = [&](absl::string_view what, int64_t n, int64_t smaller) { return is(what) ? smaller : n; };
  GraphBuilder b(named("graph"));
  if (is("attributes")) b.SetAttrs(R"({"k": 1})");
  const Expr s = b.AddSymbol(is("symbol name") ? "other" : "s", is("symbol min") ? 1 : 0, is("symbol max") ? 6 : 8,
                             is("symbol multiple") ? 2 : 1);
  if (is("symbol more")) b.AddSymbol("more", 0, 1);
  Space device;
  device.alignment_bytes = is("space alignment") ? 32 : 64;
  device.capacity_bytes = is("capacity") ? 1 << 21 : 1 << 20;
  if (!is("max_allocation")) device.max_allocation_bytes = 1 << 18;
  const SpaceId memory = b.AddSpace(named("device"), device);
  Space host;
  if (!is("unified")) host.unified_with = {memory};
  const SpaceId other_memory = b.AddSpace(named("host"), host);
  const StreamId main = b.AddStream(named("main")), side = b.AddStream(named("side"));
  if (is("streams")) b.AddStream("more");

  const ValueId x = b.Input(named("x"), less("input smaller", 256, 255) + (is("input larger") ? 1 : 0),
                            {.space = is("value space") ? other_memory : memory,
                             .alignment_bytes = is("alignment") ? 128 : 64,
                             .pinned_offset_bytes = is("pin") ? std::nullopt : std::optional<int64_t>(0),
                             .preserve = is("preserve")});
  const ValueId c =
      is("role") ? b.External(named("c"), 256) : b.Constant(named("c"), less("constant smaller", 256, 200));
  const ValueId e = b.External(named("e"), less("writable smaller", 64, 32), {.writable = !is("writable")});
  const ValueId k = b.Variable(named("K"), is("symbolic size") ? 64 * s + 576 : 64 * s + 512);
  const ValueId n = b.Variable(named("N"), less("variable smaller", 64, 32));

  Operand weight(c, Region{0, is("read region") ? 32 : 64, {}}, !is("strides_ok"), is("offset_multiple") ? 32 : 16);
  if (is("no region")) weight.region.reset();
  if (is("strided region")) weight.region = Region{0, 32, {{2, 32}}};
  std::vector<InPlaceOf> in_place = {{x, is("in_place mode") ? InPlaceMode::kAny : InPlaceMode::kSameIndex}};
  if (is("in_place none")) in_place.clear();
  std::vector<Operand> reads = {x, weight};
  if (is("operand")) reads = {x, weight, e};
  if (is("operand order")) std::swap(reads[0], reads[1]);
  const ValueId a = b.Compute(
      named("f"), {.reads = reads,
                   .writes = {{.name = std::string(named("a")),
                               .bytes = less("result smaller", is("input smaller") ? 255 : 256, 100),
                               .in_place = in_place,
                               .movable = !is("movable")}},
                   .options = {.scratch_bytes = is("scratch symbolic") ? 8 * s
                                                                       : Expr(less("scratch smaller", 128, 0) +
                                                                              (is("scratch larger") ? 1 : 0))}});
  const OpId f = b.last_op();
  const ValueId p = b.Compute(named("g"), {.reads = {is("reads other") ? x : a}, .writes = {{.bytes = 192}}});
  const OpId g = b.last_op();
  const ValueId q = b.Compute(
      named("based"),
      {.reads = {a},
       .writes = {{.bytes = 192,
                   .base = is("base none") ? std::nullopt : std::optional<ValueId>(p),
                   .region = is("base none") ? std::nullopt
                                             : std::optional<Region>(Region{is("write region") ? 64 : 0, 64, {}}),
                   .cover = is("cover") ? Cover::kPart : Cover::kAll}}});
  b.View(named("view"), q, is("view at") ? 64 : 0, 64);
  const ValueId sl = is("kind") ? b.View(named("slice"), q, 64, less("slice smaller", 64, 32))
                                : b.Slice(named("slice"), q, 64, less("slice smaller", 64, 32), {},
                                          {.elide = is("elide") ? Elide::kNever : Elide::kAuto});
  const ValueId k1 = b.Update(named("update"), k, sl, is("update at") ? 64 * s : 32 * s);
  b.Commit(named("commit"), k1, k);
  const ValueId small = b.Compute(named("small"), {.writes = {{.bytes = less("variable smaller", 64, 32)}}});
  b.Commit(named("commit2"), small, is("commit") ? e : n);
  const ValueId d = b.Compute(named("d"), {.reads = {a},
                                           .writes = {{.bytes = less("two smaller", 128, 0)}, {.bytes = 32}},
                                           .options = {.stream = is("stream") ? main : side}});
  b.Barrier(named("barrier"));
  const OpId barrier = b.last_op();
  if (is("op more")) b.Barrier("more");
  if (is("value more")) b.Input("more", 8);

  if (!is("order none")) b.Order(f, is("order other") ? g : barrier);
  if (!is("keep_alive none")) b.KeepAliveUntil(is("keep_alive other") ? x : a, is("keep_alive until") ? g : barrier);
  if (!is("disjoint none")) b.Disjoint(is("disjoint other") ? p : x, d);
  Fusion fusion{.name = is("no names") ? "fusion" : "fg",
                .ops = {f, g},
                .benefit = is("benefit") ? 2.0 : 1.0,
                .required = is("required"),
                .in_place = {{p, x, is("fusion mode") ? InPlaceMode::kAny : InPlaceMode::kSameIndex}}};
  if (is("fusion ops")) fusion.ops = {g};
  if (is("fusion ops")) fusion.in_place[0].value = a;
  if (is("fusion in_place")) fusion.in_place.clear();
  if (!is("fusion none")) b.AddFusion(fusion);
  if (!is("outputs none")) b.Output(is("outputs order") ? a : d);
  if (!is("outputs fewer")) b.Output(is("outputs order") ? d : a);
  if (is("outputs more")) b.Output(q);
  absl::StatusOr<Graph> graph = std::move(b).Build();
  EXPECT_TRUE(graph.ok()) << change << ": " << graph.status();
  return *std::move(graph);
}

TEST(Structure, EachChangeOfTheStructureIsRefused) {
  const Structure structure = Structure::Of(Make());
  for (const char* change : {"symbol min",
                             "symbol max",
                             "symbol multiple",
                             "symbol more",
                             "space alignment",
                             "capacity",
                             "max_allocation",
                             "unified",
                             "streams",
                             "value space",
                             "alignment",
                             "pin",
                             "preserve",
                             "role",
                             "writable",
                             "symbolic size",
                             "read region",
                             "strides_ok",
                             "offset_multiple",
                             "no region",
                             "strided region",
                             "in_place mode",
                             "in_place none",
                             "operand",
                             "operand order",
                             "movable",
                             "scratch symbolic",
                             "reads other",
                             "base none",
                             "write region",
                             "cover",
                             "view at",
                             "kind",
                             "elide",
                             "update at",
                             "commit",
                             "stream",
                             "op more",
                             "value more",
                             "order none",
                             "order other",
                             "keep_alive none",
                             "keep_alive other",
                             "keep_alive until",
                             "disjoint none",
                             "disjoint other",
                             "benefit",
                             "required",
                             "fusion ops",
                             "fusion mode",
                             "fusion in_place",
                             "fusion none",
                             "outputs none",
                             "outputs fewer",
                             "outputs more"}) {
    const Graph other = Make(change);
    EXPECT_FALSE(structure.Admits(other)) << change;
    EXPECT_TRUE(Structure::Of(other).Admits(other)) << change;
    EXPECT_FALSE(Structure::Of(other).Admits(Make())) << change;
  }
}

TEST(Structure, NamesAttributesAndTheOrderOfOutputsDoNotCount) {
  const Structure structure = Structure::Of(Make());
  for (const char* change : {"", "no names", "attributes", "symbol name", "outputs order"}) {
    EXPECT_TRUE(structure.Admits(Make(change))) << change;
    EXPECT_TRUE(Structure::Of(Make(change)).Admits(Make())) << change;
  }
}

TEST(Structure, WhatOnlyComputeOpsTouchMayBeSmaller) {
  const Structure structure = Structure::Of(Make());
  for (const char* change : {"input smaller", "constant smaller", "result smaller", "scratch smaller", "two smaller"}) {
    const Graph other = Make(change);
    EXPECT_TRUE(structure.Admits(other)) << change;
    EXPECT_FALSE(Structure::Of(other).Admits(Make())) << change << " the other way round";
  }
  for (const char* change : {"input larger", "scratch larger"}) EXPECT_FALSE(structure.Admits(Make(change))) << change;
}

TEST(Structure, SizesThatSayWhereBytesLieMayNot) {
  const Structure structure = Structure::Of(Make());
  for (const char* change : {"writable smaller", "variable smaller", "slice smaller"}) {
    EXPECT_FALSE(structure.Admits(Make(change))) << change;
  }
}

// x of `x_bytes` becomes y of `y_bytes` in place.
Graph InPlacePair(Expr x_bytes, Expr y_bytes, InPlaceMode mode) {
  GraphBuilder b;
  b.AddSymbol("s", 0, 8);
  const ValueId x = b.Input("x", std::move(x_bytes));
  b.Output(b.Compute("f", {.reads = {x}, .writes = {{.bytes = std::move(y_bytes), .in_place = {{x, mode}}}}}));
  return *std::move(b).Build();
}

TEST(Structure, AResultMustNotBecomeLongerThanItsOperand) {
  const auto admits = [](Expr x, Expr y, InPlaceMode mode) {
    return Structure::Of(InPlacePair(64, 48, mode)).Admits(InPlacePair(std::move(x), std::move(y), mode));
  };
  EXPECT_TRUE(admits(60, 40, InPlaceMode::kSameIndex));
  EXPECT_TRUE(admits(48, 48, InPlaceMode::kSameIndex));
  EXPECT_FALSE(admits(47, 48, InPlaceMode::kSameIndex));
  EXPECT_TRUE(admits(47, 48, InPlaceMode::kAny));
  const Expr s = Expr::FromSymbol(SymbolId(0));
  const Structure structure = Structure::Of(InPlacePair(64, 8 * s, InPlaceMode::kSameIndex));
  EXPECT_TRUE(structure.Admits(InPlacePair(64, 8 * s, InPlaceMode::kSameIndex)));
  EXPECT_FALSE(structure.Admits(InPlacePair(56, 8 * s, InPlaceMode::kSameIndex)));
}

TEST(Structure, SymbolicSizesAreComparedByForm) {
  const auto of = [](Expr bytes) {
    GraphBuilder b;
    b.AddSymbol("s", 0, 8);
    b.AddSymbol("t", 0, 8);
    b.Input("x", std::move(bytes));
    return *std::move(b).Build();
  };
  const Expr s = Expr::FromSymbol(SymbolId(0)), t = Expr::FromSymbol(SymbolId(1));
  const std::vector<Expr> forms = {
      8 * s,         8 * t,         8 * s + 8, 8 * s * t,     8 * s * s, CeilDiv(s, 3), CeilDiv(s, 4), CeilDiv(t, 3),
      Min(s, 4 * t), Max(s, 4 * t), 64,        Max(t, 4 * s), 72};
  for (size_t i = 0; i < forms.size(); ++i) {
    const Structure structure = Structure::Of(of(forms[i]));
    for (size_t j = 0; j < forms.size(); ++j) {
      const bool smaller = forms[i] == 72 && forms[j] == 64;
      EXPECT_EQ(structure.Admits(of(forms[j])), i == j || smaller) << i << " " << j;
    }
  }
  EXPECT_TRUE(Structure::Of(of(8 * (s + 1))).Admits(of(8 * s + 8)));
}

TEST(Structure, OfNoGraphAdmitsNone) {
  EXPECT_FALSE(Structure().Admits(Make()));
  EXPECT_FALSE(Structure().Admits(*GraphBuilder().Build()));
  EXPECT_TRUE(Structure::Of(*GraphBuilder().Build()).Admits(*GraphBuilder().Build()));
}

TEST(Structure, KnowsTheSizesItIsOf) {
  const Structure structure = Structure::Of(Make());
  EXPECT_EQ(structure.max_bytes(ValueId(0)), 256);
  EXPECT_EQ(structure.max_bytes(ValueId(3)), 64 * 8 + 512);
  EXPECT_EQ(structure.max_scratch_bytes(OpId(0)), 128);
}

}  // namespace
}  // namespace bufplan
