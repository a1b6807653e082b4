// Data movements that a plan marks as elided, and results of theirs that get no bytes.
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "ir/checker.h"
#include "ir/graph.h"
#include "ir/graph_builder.h"
#include "tests/ir/built.h"
#include "tests/ir/hand_plan.h"

namespace bufplan {
namespace {

// T is copied from u and v, s is a slice of T at u's range; late writes after s's reader did or before.
struct Forwarded {
  explicit Forwarded(bool late_first) {
    GraphBuilder b;
    u = b.Compute("pu", {.writes = {{.name = "u", .bytes = 16}}});
    v = b.Compute("pv", {.writes = {{.name = "v", .bytes = 16}}});
    t = b.Concat("cat", {u, v}, "T");
    s = b.Slice("sl", t, 0, 16, "s");
    if (late_first) l = b.Compute("late", {.writes = {{.name = "l", .bytes = 16}}});
    b.Compute("read", {.reads = {s, t}});
    if (!late_first) l = b.Compute("late", {.writes = {{.name = "l", .bytes = 16}}});
    b.Output(l);
    graph = Built(std::move(b));
  }
  HandPlan Planned() const {
    HandPlan plan(graph);
    plan.At(u, 0).At(v, 16).At(t, 32).At(s, 0).At(l, 64).Copies(1, 1, 32).Noted(OpNamed(graph, "sl"), Action::kElided);
    return plan;
  }
  ValueId u, v, t, s, l;
  Graph graph = *GraphBuilder().Build();
};

TEST(CheckerElisionTest, SliceLiesOnWhatWasCopiedInto) {
  const Forwarded f(true);
  EXPECT_EQ(CheckText(f.graph, f.Planned().Done()), "ok");
  // Without the mark it would run, and what it moved would be right too.
  EXPECT_EQ(
      CheckText(f.graph,
                HandPlan(f.graph).At(f.u, 0).At(f.v, 16).At(f.t, 32).At(f.s, 0).At(f.l, 64).Copies(0, 2, 48).Done()),
      "ok");
  EXPECT_EQ(CheckText(f.graph, f.Planned().Copies(0, 2, 48).Done()),
            "stats: stats: copies_elided=0, but by the locations it is 1\n"
            "stats: stats: copies_kept=2, but by the locations it is 1\n"
            "stats: stats: bytes_copied=48, but by the locations it is 32\n");
}

TEST(CheckerElisionTest, WhatASliceLiesOnMustLast) {
  const Forwarded before(true), after(false);
  EXPECT_EQ(CheckText(after.graph, after.Planned().At(after.l, 0).Done()), "ok");
  EXPECT_EQ(CheckText(before.graph, before.Planned().At(before.l, 0).Done()),
            "wrong-content: op \"read\" reads value \"s\" bytes [0,16) at device+0: wants bytes [0,16) of value \"u\", "
            "finds bytes [0,16) of value \"l\", written by op \"late\"\n");
  // v's bytes are not s's.
  EXPECT_EQ(CheckKinds(before.graph, before.Planned().At(before.s, 16).Done()), "wrong-content");
}

TEST(CheckerElisionTest, StreamsOrderTheLaterWriter) {
  GraphBuilder b;
  b.AddStream("s0");
  const StreamId s1 = b.AddStream("s1");
  const ValueId u = b.Input("u", 8);
  const ValueId t = b.Clone("c1", u, "t");
  const ValueId s = b.Clone("c2", t, "s");
  b.Compute("read", {.reads = {s, t}});
  const ValueId w = b.Compute("w", {.writes = {{.name = "w", .bytes = 8}}, .options = {.stream = s1}});
  b.Output(w);
  const Graph g = Built(std::move(b));
  HandPlan plan(g);
  plan.At(u, 0).At(t, 8).At(s, 0).Copies(1, 1, 8).Noted(OpId(1), Action::kElided);
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(w, 16).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(plan).At(w, 0).Done()), "unordered-overwrite");
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(w, 0).Edge(OpId(2), OpId(3)).Done()), "ok");
}

// U = update(T, [0,4) from u), U2 = update(U, [0,4) from w): nobody reads U's [0,4), unless `reader`.
Graph DeadUpdate(bool reader, Elide elide = Elide::kAuto) {
  GraphBuilder b;
  const ValueId t = b.Input("T", 16);
  const ValueId u = b.Compute("pu", {.writes = {{.name = "u", .bytes = 4}}});
  const ValueId w = b.Compute("pw", {.writes = {{.name = "w", .bytes = 4}}});
  const ValueId first = b.Update("first", t, u, 0, "U", {.elide = elide});
  if (reader) b.Compute("read", {.reads = {{first, Region{2, 4, {}}}}});
  b.Output(b.Update("second", first, w, 0, "U2"));
  return Built(std::move(b));
}
HandPlan DeadUpdatePlan(const Graph& g) {
  HandPlan plan(g);
  plan.At(ValueNamed(g, "T"), 0).At(ValueNamed(g, "U"), 0).At(ValueNamed(g, "U2"), 0);
  plan.At(ValueNamed(g, "u"), 16)
      .At(ValueNamed(g, "w"), 20)
      .Copies(1, 1, 4)
      .Noted(OpNamed(g, "first"), Action::kElided);
  return plan;
}

TEST(CheckerElisionTest, DeadUpdateIsNotExecuted) {
  const Graph g = DeadUpdate(false);
  EXPECT_EQ(CheckText(g, DeadUpdatePlan(g).Done()), "ok");
  EXPECT_EQ(CheckText(g, DeadUpdatePlan(g).At(ValueNamed(g, "u"), 20).Done()), "ok");  // u is needed by nobody
  const Graph read = DeadUpdate(true);
  EXPECT_EQ(CheckText(read, DeadUpdatePlan(read).Done()),
            "wrong-content: op \"read\" reads value \"U\" bytes [2,4) at device+2: wants bytes [2,4) of value \"u\", "
            "finds bytes [2,4) of value \"T\" from the start\n");
}

TEST(CheckerElisionTest, ElideNeverIsNoneOfTheMarked) {
  const Graph never = DeadUpdate(false, Elide::kNever), must = DeadUpdate(false, Elide::kMust);
  EXPECT_EQ(CheckText(never, DeadUpdatePlan(never).Done()),
            "elide: op \"first\" has elide=never, but is marked as elided\n");
  EXPECT_EQ(CheckText(must, DeadUpdatePlan(must).Done()), "ok");
}

// An elided update apart from its base carries nothing: its bytes have to be there.
TEST(CheckerElisionTest, ElidedUpdateCarriesNothing) {
  const Graph g = DeadUpdate(false);
  HandPlan plan = DeadUpdatePlan(g);
  plan.At(ValueNamed(g, "U"), 24);
  EXPECT_EQ(CheckText(g, HandPlan(plan).Copies(1, 1, 16).Done()),
            "wrong-content: op \"second\" reads value \"U\" bytes [4,16) at device+28: wants bytes [4,16) of value "
            "\"T\", finds nothing written\n");
  // Where another clone of T lies, they are.
  GraphBuilder b;
  const ValueId t = b.Input("T", 16);
  const ValueId x = b.Clone("clone", t, "X");
  const ValueId u = b.Slice("sl", t, 0, 4, "u");
  const ValueId y = b.Update("upd", t, u, 0, "Y");
  b.Output(x);
  b.Output(y);
  const Graph same = Built(std::move(b));
  HandPlan there(same);
  there.At(t, 0).At(x, 16).At(u, 0).At(y, 16).Copies(2, 1, 16);
  EXPECT_EQ(CheckText(same, there.Noted(OpNamed(same, "upd"), Action::kElided).Done()), "ok");
  EXPECT_EQ(CheckKinds(same, there.At(y, 32).Done()), "output-lost");
}

TEST(CheckerElisionTest, CommitNeedsTheContentAtTheEnd) {
  GraphBuilder b;
  const ValueId k = b.Variable("K", 16);
  const ValueId row = b.Compute("f", {.writes = {{.name = "row", .bytes = 4}}});
  const ValueId k1 = b.Update("upd", k, row, 8, "K1");
  b.Commit("st", k1, k);
  const Graph g = Built(std::move(b));
  const OpId st = OpNamed(g, "st"), upd = OpNamed(g, "upd");
  EXPECT_EQ(CheckText(g, HandPlan(g).At(row, 0).In(k1, k, 0).Copies(1, 1, 4).Noted(st, Action::kElided).Done()), "ok");
  EXPECT_EQ(CheckText(g, HandPlan(g).At(row, 0).At(k1, 16).Copies(1, 1, 16).Noted(st, Action::kElided).Done()),
            "variable-lost: at the end committed value \"K\" bytes [8,12) at K+8: wants bytes [0,4) of value \"row\", "
            "finds bytes [8,12) of value \"K\" from the start\n");
  // The row is made where it goes: both are elided, and K1 itself needs no place.
  HandPlan plan(g);
  plan.In(row, k, 8).Copies(2, 0, 0).Noted(upd, Action::kElided).Noted(st, Action::kElided);
  EXPECT_EQ(CheckText(g, HandPlan(plan).In(k1, k, 0).Done()), "ok");
  EXPECT_EQ(CheckText(g, plan.Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(plan).In(row, k, 4).Done()), "variable-lost");
}

// Inside of a fused group the mark says nothing.
TEST(CheckerElisionTest, MarksInsideOfGroupsDoNotCount) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8);
  const ValueId c = b.Clone("clone", x, "c");
  const ValueId y = b.Compute("f", {.reads = {x}, .writes = {{.name = "y", .bytes = 8}}});
  b.Output(c);
  b.Output(y);
  Fusion f;
  f.name = "g";
  f.ops = {OpId(0), OpId(1)};
  b.AddFusion(f);
  const Graph g = Built(std::move(b));
  const Plan plan = HandPlan(g).At(x, 0).At(c, 8).At(y, 16).Noted(OpId(0), Action::kElided).Copies(1, 0, 0).Done();
  EXPECT_EQ(CheckKinds(g, plan), "output-lost");
  Plan fused = plan;
  fused.fused[0].fused = true;
  EXPECT_EQ(CheckText(g, fused), "ok");
}

TEST(CheckerElisionTest, ElidedOpsNeedNoScratchBytes) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8);
  const ValueId t = b.Clone("c1", x, "t");
  const ValueId s = b.Clone("c2", t, "s", {.scratch_bytes = 8});
  b.Compute("read", {.reads = {s, t}});
  const Graph g = Built(std::move(b));
  HandPlan plan(g);
  plan.At(x, 0).At(t, 8).At(s, 0).Scratch(OpId(1), 8);  // on t
  EXPECT_EQ(CheckText(g, HandPlan(plan).Copies(1, 1, 8).Noted(OpId(1), Action::kElided).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(plan).Copies(0, 2, 16).Done()), "scratch");
}

// A note about one result is no mark.
TEST(CheckerElisionTest, TheMarkIsTheOpsOwnNote) {
  const Forwarded f(true);
  HandPlan plan(f.graph);
  plan.At(f.u, 0).At(f.v, 16).At(f.t, 32).At(f.s, 0).At(f.l, 64).Copies(0, 2, 48);
  Plan noted = plan.Noted(OpNamed(f.graph, "sl"), Action::kElided).Done();
  noted.notes[0].result = f.s;
  EXPECT_EQ(CheckText(f.graph, noted), "stats: op \"sl\" is said to be elided, but by the locations it moves bytes\n");
}

TEST(CheckerElisionTest, MarksDoNotContradict) {
  const Forwarded f(true);
  EXPECT_EQ(CheckText(f.graph, f.Planned().Noted(OpNamed(f.graph, "sl"), Action::kRun).Done()),
            "stats: op \"sl\" is said to be both elided and run\n"
            "stats: op \"sl\" is said to be run, but by the locations none of its bytes moves\n");
}

// x cloned into c, nobody reads c but who is asked for.
struct Unread {
  template <typename F>
  explicit Unread(F&& use, ValueOptions options = {}) {
    GraphBuilder b;
    x = b.Input("x", 8);
    Target target("c");
    target.options = options;
    c = b.Clone("clone", x, target);
    use(b, c);
    graph = Built(std::move(b));
  }
  HandPlan Planned() const {
    HandPlan plan(graph);
    plan.At(x, 0).Copies(1, 0, 0).Noted(OpNamed(graph, "clone"), Action::kElided);
    return plan;
  }
  ValueId x, c;
  Graph graph = *GraphBuilder().Build();
};

TEST(CheckerNoBytesTest, WhatNobodyReadsNeedsNoPlace) {
  const Unread dead([](GraphBuilder& b, ValueId c) { b.View("view", c, 4, 4, "v"); });
  EXPECT_EQ(CheckText(dead.graph, dead.Planned().Done()), "ok");
  const Unread elided([](GraphBuilder& b, ValueId c) { b.Slice("slice", c, 4, 4, "s"); });
  EXPECT_EQ(CheckText(elided.graph, elided.Planned().Noted(OpId(1), Action::kElided).Copies(2, 0, 0).Done()), "ok");
  // What passes its content on may have no place, and what is made of it one.
  const Unread passed([](GraphBuilder& b, ValueId c) { b.Output(b.Slice("slice", c, 4, 4, "s")); });
  HandPlan plan = passed.Planned();
  plan.Noted(OpId(1), Action::kElided).Copies(2, 0, 0);
  EXPECT_EQ(CheckText(passed.graph, HandPlan(plan).At(ValueNamed(passed.graph, "s"), 4).Done()), "ok");
  EXPECT_EQ(CheckKinds(passed.graph, HandPlan(plan).At(ValueNamed(passed.graph, "s"), 0).Done()), "output-lost");
}

TEST(CheckerNoBytesTest, OnlyResultsOfMarkedMovementsGoWithout) {
  const Unread dead([](GraphBuilder&, ValueId) {});
  EXPECT_EQ(CheckText(dead.graph, HandPlan(dead.graph).At(dead.x, 0).Copies(0, 1, 8).Done()),
            "missing: value \"c\" has no location, and neither does a fused group swallow it nor an elided data "
            "movement make it\n");
  const Unread computed([](GraphBuilder& b, ValueId) { b.Compute("f", {.writes = {{.name = "y", .bytes = 8}}}); });
  EXPECT_EQ(CheckKinds(computed.graph, computed.Planned().Done()), "missing");
}

TEST(CheckerNoBytesTest, EveryReaderIsNamed) {
  const Unread computed([](GraphBuilder& b, ValueId c) {
    b.Compute("f", {.reads = {{c, Region{2, 4, {}}}}, .writes = {{.name = "y", .bytes = 8}}});
  });
  EXPECT_EQ(CheckText(computed.graph, computed.Planned().At(ValueId(2), 8).Done()),
            "missing: op \"f\" reads value \"c\" bytes [2,6), which has no location: the data movement that makes it "
            "is elided\n");
  const Unread moved([](GraphBuilder& b, ValueId c) { b.Clone("again", c, "d"); });
  EXPECT_EQ(CheckText(moved.graph, moved.Planned().At(ValueId(2), 8).Copies(1, 1, 8).Done()),
            "missing: op \"again\" reads value \"c\" bytes [0,8), which has no location: the data movement that makes "
            "it is elided\n");
  const Unread output([](GraphBuilder& b, ValueId c) { b.Output(c); });
  EXPECT_EQ(CheckText(output.graph, output.Planned().Done()),
            "missing: at the end output value \"c\" bytes [0,8), which has no location: the data movement that makes "
            "it is elided\n");
  const Unread kept([](GraphBuilder& b, ValueId c) {
    b.Compute("k", {.writes = {{.name = "y", .bytes = 8}}});
    b.KeepAliveUntil(c, b.last_op());
  });
  EXPECT_EQ(CheckText(kept.graph, kept.Planned().At(ValueId(2), 8).Done()),
            "missing: keep_alive until op \"k\" of value \"c\" bytes [0,8), which has no location: the data movement "
            "that makes it is elided\n");
  const Unread own([](GraphBuilder& b, ValueId c) { b.KeepAliveUntil(c, b.last_op()); });
  EXPECT_EQ(CheckKinds(own.graph, own.Planned().Done()), "missing");
  const Unread viewed([](GraphBuilder& b, ValueId c) { b.Compute("f", {.reads = {b.View("view", c, 4, 4, "v")}}); });
  EXPECT_EQ(CheckText(viewed.graph, viewed.Planned().Done()),
            "missing: op \"f\" reads value \"v\" bytes [0,4), which has no location: the data movement that makes it "
            "is elided\n");
}

TEST(CheckerNoBytesTest, BasesAreReadWhereTheyAreCarried) {
  const auto based = [](Region region, Cover cover) {
    return Unread([=](GraphBuilder& b, ValueId c) {
      b.Compute("f", {.writes = {{.name = "y", .bytes = 8, .base = c, .region = region, .cover = cover}}});
    });
  };
  const Unread some = based(Region{0, 4, {}}, Cover::kAll), all = based(Region{0, 8, {}}, Cover::kAll),
               part = based(Region{0, 8, {}}, Cover::kPart);
  EXPECT_EQ(CheckText(some.graph, some.Planned().At(ValueId(2), 8).Copies(1, 1, 4).Done()),
            "missing: op \"f\" reads value \"c\" bytes [4,8), which has no location: the data movement that makes it "
            "is elided\n");
  EXPECT_EQ(CheckText(all.graph, all.Planned().At(ValueId(2), 8).Done()), "ok");
  EXPECT_EQ(CheckKinds(part.graph, part.Planned().At(ValueId(2), 8).Copies(1, 1, 8).Done()), "missing");
}

TEST(CheckerNoBytesTest, GroupsReadFromOutside) {
  const Unread grouped([](GraphBuilder& b, ValueId c) {
    b.Compute("m1", {.reads = {c}, .writes = {{.name = "m", .bytes = 8}}});
    const OpId first = b.last_op();
    b.Output(b.Compute("m2", {.reads = {ValueId(2)}, .writes = {{.name = "r", .bytes = 8}}}));
    Fusion f;
    f.name = "g";
    f.ops = {first, b.last_op()};
    b.AddFusion(f);
  });
  EXPECT_EQ(CheckText(grouped.graph, grouped.Planned().At(ValueId(3), 8).Fuse(0).Done()),
            "missing: op \"m1\" of fusion \"g\" reads value \"c\" bytes [0,8), which has no location: the data "
            "movement that makes it is elided\n");
}

TEST(CheckerNoBytesTest, ViewsFollowTheirSource) {
  const Unread viewed([](GraphBuilder& b, ValueId c) { b.View("view", b.View("first", c, 4, 4, "v"), 0, 2, "w"); });
  EXPECT_EQ(CheckText(viewed.graph, viewed.Planned().Done()), "ok");
  EXPECT_EQ(CheckText(viewed.graph, viewed.Planned().At(ValueId(3), 0).Done()),
            "wrong-memory: value \"w\" is a view of value \"v\", which has no location, but is at device+0\n");
  EXPECT_EQ(CheckText(viewed.graph, viewed.Planned().At(viewed.c, 0).At(ValueId(2), 4).Done()),
            "missing: value \"w\" has no location, but is a view of value \"v\", which has one\n");
}

TEST(CheckerNoBytesTest, PinsAreKept) {
  const Unread pinned([](GraphBuilder&, ValueId) {}, {.pinned_offset_bytes = 8});
  EXPECT_EQ(CheckText(pinned.graph, pinned.Planned().Done()),
            "pin: value \"c\" is pinned to offset 8, but has no location\n");
}

TEST(CheckerNoBytesTest, ZeroByteValuesHaveAPlace) {
  GraphBuilder b;
  const Expr s = b.AddSymbol("s", 0, 1);
  const ValueId x = b.Input("x", 8);
  const ValueId none = b.Slice("none", x, 0, 0, "n");
  const ValueId some = b.Slice("some", x, 0, s, "m");
  b.Output(b.Compute("f", {.reads = {none}, .writes = {{.name = "y", .bytes = 1}}}));
  const Graph g = Built(std::move(b));
  HandPlan plan(g);
  plan.At(x, 0).At(ValueNamed(g, "y"), 8).Noted(OpId(0), Action::kElided).Noted(OpId(1), Action::kElided);
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(none, 0).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(plan).At(some, 0).Done()), "missing");
}

}  // namespace
}  // namespace bufplan
