// Values whose bytes are strided runs of a storage.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/checker.h"
#include "ir/graph.h"
#include "ir/graph_builder.h"
#include "tests/ir/built.h"
#include "tests/ir/hand_plan.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;

// A decode step: the row is made at its slot of the cache K, which holds `kHeads` heads of `kRun` bytes per row. c is
// the cache with the row in it, head by head, as the attention wants it.
constexpr int64_t kHeads = 3, kRun = 4, kRow = kHeads * kRun, kSlots = 6;

struct Decode {
  explicit Decode(bool strides_ok = true, const std::function<void(GraphBuilder&, ValueId)>& more = nullptr) {
    GraphBuilder b;
    s = b.AddSymbol("s", 0, kSlots - 1);
    k = b.Variable("K", kRow * kSlots);
    row = b.Compute("make", {.writes = {{.name = "row", .bytes = kRow}}});
    const Region past{0, kRun, {{kHeads, kRun}, {s, kRow}}}, past_in_c{0, kRun * s, {{kHeads, kRun * (s + 1)}}},
        row_in_c{kRun * s, kRun, {{kHeads, kRun * (s + 1)}}};
    c = b.Copy("gather", {{k, past, past_in_c}, {row, std::nullopt, row_in_c}}, std::nullopt, kRow * (s + 1), "c");
    if (more != nullptr) more(b, c);
    y = b.Compute("attend", {.reads = {{c, Region{0, kRow * (s + 1), {}}, strides_ok}},
                             .writes = {{.name = "y", .bytes = kRow}}});
    k1 = b.Update("upd", k, row, kRow * s, "K1");
    b.Commit("st", k1, k);
    b.Output(y);
    graph = Built(std::move(b));
  }
  // Nothing is moved at all.
  HandPlan Planned() const {
    HandPlan plan(graph);
    plan.In(row, k, kRow * s).In(c, k, 0).Strided(c, kRun, {{kHeads, kRun}, {s + 1, kRow}}).In(k1, k, 0).At(y, 0);
    return plan;
  }
  Expr s;
  ValueId k, row, c, y, k1;
  Graph graph = *GraphBuilder().Build();
};

TEST(CheckerStridesTest, DecodeStepMovesNothing) {
  const Decode d;
  EXPECT_EQ(CheckText(d.graph, d.Planned().Done()), "ok");
  EXPECT_EQ(CheckText(d.graph, d.Planned().Noted(OpNamed(d.graph, "gather"), Action::kElided).Done()), "ok");
  // Also where the row is moved to its slot before c is read, c is what the row in the cache makes it.
  EXPECT_EQ(CheckKinds(d.graph, d.Planned().At(d.row, 16).Noted(OpNamed(d.graph, "gather"), Action::kElided).Done()),
            "wrong-content");
  // Executed, the copy of the row would write into the cache: that is no lineage of K.
  EXPECT_EQ(CheckKinds(d.graph, d.Planned().At(d.row, 16).Done()), "not-lineage");
}

TEST(CheckerStridesTest, WrongRunsHoldWrongContent) {
  const Decode d;
  // The other way round: rows of heads as they lie in the cache.
  EXPECT_EQ(CheckKinds(d.graph, d.Planned().Strided(d.c, kRun, {{d.s + 1, kRow}, {kHeads, kRun}}).Done()),
            "own-operand variable-lost not-lineage");
  EXPECT_EQ(CheckText(d.graph, d.Planned()
                                   .Strided(d.c, kRun, {{d.s + 1, kRow}, {kHeads, kRun}})
                                   .Noted(OpNamed(d.graph, "gather"), Action::kElided)
                                   .Done()),
            "wrong-content: op \"attend\" reads value \"c\" bytes [4,8) at K+4: wants bytes [0,4) of value \"row\", "
            "finds bytes [4,8) of value \"K\" from the start\n");
}

TEST(CheckerStridesTest, OnlyOpsWithStridesOkMayRead) {
  const Decode d(false);
  EXPECT_EQ(CheckText(d.graph, d.Planned().Done()),
            "strides: value \"c\" lies strided, but op \"attend\" reads it without strides_ok\n");
}

TEST(CheckerStridesTest, OverwritingTheRowsAfterwardsIsFineBeforehandNot) {
  for (const bool before : {false, true}) {
    ValueId z;
    const auto write = [&](GraphBuilder& b, ValueId) {
      z = b.Compute("zero", {.writes = {{.name = "z", .bytes = kRow}}});
    };
    const Decode d(true, before ? write : std::function<void(GraphBuilder&, ValueId)>());
    HandPlan plan = d.Planned();
    if (before) plan.In(z, d.k, 0);
    EXPECT_EQ(CheckKinds(d.graph, plan.Done()), before ? "wrong-content variable-lost not-lineage" : "");
  }
}

// x, of which every other pair of bytes is sliced off into p by a copy; then `use`.
struct Pairs {
  explicit Pairs(const std::function<void(GraphBuilder&, ValueId)>& use = nullptr, const ValueOptions& options = {}) {
    GraphBuilder b;
    x = b.Input("x", 16);
    p = b.Copy("pick", {{x, Region{0, 2, {{4, 4}}}, std::nullopt}}, std::nullopt, 8, Target("p", options));
    if (use != nullptr) use(b, p);
    graph = Built(std::move(b));
  }
  HandPlan Planned() const {
    HandPlan plan(graph);
    plan.At(x, 0).At(p, 0).Strided(p, 2, {{4, 4}}).Copies(1, 0, 0);
    return plan;
  }
  ValueId x, p;
  Graph graph = *GraphBuilder().Build();
};
void Read(GraphBuilder& b, ValueId p) { b.Compute("read", {.reads = {{p, Region{0, 8, {}}, true}}}); }

TEST(CheckerStridesTest, WhoMayNotBeStrided) {
  using Use = std::function<void(GraphBuilder&, ValueId)>;
  const std::vector<std::pair<std::string, Use>> cases = {
      {"it is an output", [](GraphBuilder& b, ValueId p) { b.Output(p); }},
      {"it is kept alive until op \"pick\"", [](GraphBuilder& b, ValueId p) { b.KeepAliveUntil(p, b.last_op()); }},
      {"value \"v\" is a view of it", [](GraphBuilder& b, ValueId p) { b.View("view", p, 0, 2, "v"); }},
      {"it is the base of value \"q\"",
       [](GraphBuilder& b, ValueId p) { b.Compute("f", {.writes = {{.name = "q", .bytes = 8, .base = p}}}); }},
      {"it is the base of value \"q\"",
       [](GraphBuilder& b, ValueId p) { b.Update("f", p, b.Constant("k", 2), 0, "q"); }},
      {"op \"f\" reads it without strides_ok",
       [](GraphBuilder& b, ValueId p) {
         b.Compute("f", {.reads = {{p, Region{0, 8, {}}, true}, p}});
       }},
  };
  for (const auto& [why, use] : cases) {
    const Pairs pairs(use);
    HandPlan plan = pairs.Planned();
    for (size_t i = 2; i < pairs.graph.values().size(); ++i) {
      if (pairs.graph.values()[i].role == Role::kTransient) plan.At(ValueId(static_cast<int32_t>(i)), 16);
    }
    const std::string text = CheckText(pairs.graph, plan.Done());
    EXPECT_THAT(text, HasSubstr(absl::StrCat("strides: value \"p\" lies strided, but ", why, "\n")));
  }
  const Pairs pinned(Read, {.pinned_offset_bytes = 0});
  EXPECT_THAT(CheckText(pinned.graph, pinned.Planned().Done()),
              HasSubstr("strides: value \"p\" lies strided, but it is pinned\n"));
}

TEST(CheckerStridesTest, WhoseResultsMayNotBeStrided) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8), k = b.Constant("k", 8);
  const ValueId f = b.Compute("f", {.writes = {{.name = "f", .bytes = 8}}});
  const ValueId h = b.Fill("h", std::nullopt, std::nullopt, 8, "h");
  const ValueId u = b.Update("u", x, b.Slice("sl", k, 0, 2, "sl"), 2, "u");
  const ValueId c = b.Copy("c", {{k, Region{0, 2, {}}, Region{0, 2, {}}}}, x, 8, "c");
  const Graph g = Built(std::move(b));
  const auto text = [&](ValueId v) {
    HandPlan plan(g);
    for (ValueId w : {x, f, h, u, c, ValueNamed(g, "sl")}) plan.At(w, 32 * w.value);
    return CheckText(g, plan.Strided(v, 2, {{4, 4}}).Done());
  };
  EXPECT_THAT(text(x), HasSubstr("strides: value \"x\" lies strided, but is of role input\n"));
  EXPECT_THAT(text(k), HasSubstr("strides: value \"k\" lies strided, but is of role constant\n"));
  EXPECT_THAT(text(f), HasSubstr("strides: value \"f\" lies strided, but is the result of compute op \"f\"\n"));
  EXPECT_THAT(text(h), HasSubstr("strides: value \"h\" lies strided, but is the result of fill op \"h\"\n"));
  EXPECT_THAT(text(u), HasSubstr("strides: value \"u\" lies strided, but op \"u\" makes it of a base\n"));
  EXPECT_THAT(text(c), HasSubstr("strides: value \"c\" lies strided, but op \"c\" makes it of a base\n"));
}

TEST(CheckerStridesTest, GroupsKnowNoStrides) {
  const auto fuse = [](GraphBuilder& b, int32_t first, int32_t second) {
    Fusion f;
    f.name = "g";
    f.ops = {OpId(first), OpId(second)};
    b.AddFusion(f);
  };
  const Pairs used([&](GraphBuilder& b, ValueId p) {
    Read(b, p);
    b.Output(b.Compute("more", {.writes = {{.name = "m", .bytes = 8}}}));
    fuse(b, 1, 2);
  });
  EXPECT_EQ(CheckText(used.graph, used.Planned().At(ValueId(2), 16).Done()), "ok");
  EXPECT_EQ(CheckText(used.graph, used.Planned().At(ValueId(2), 16).Fuse(0).Done()),
            "strides: value \"p\" lies strided, but op \"read\" reads it inside of a fused group\n");
  const Pairs made([&](GraphBuilder& b, ValueId p) {
    b.Output(b.Compute("more", {.writes = {{.name = "m", .bytes = 8}}}));
    Read(b, p);
    fuse(b, 0, 1);
  });
  EXPECT_EQ(CheckText(made.graph, made.Planned().At(ValueId(2), 16).Done()), "ok");
  EXPECT_EQ(CheckText(made.graph, made.Planned().At(ValueId(2), 16).Fuse(0).Done()),
            "strides: value \"p\" lies strided, but op \"pick\" makes it inside of a fused group\n");
}

TEST(CheckerStridesTest, RunsAreTheBytesOfTheValue) {
  const Pairs pairs(Read);
  const auto text = [&](Expr run, std::vector<Dim> dims) {
    HandPlan plan = pairs.Planned();
    plan.Strided(pairs.p, std::move(run), std::move(dims)).Noted(OpId(0), Action::kElided);
    Plan made = plan.Done();
    made.arenas[0].bytes = made.arenas[0].chunks[0] = 16;
    return CheckText(pairs.graph, made);
  };
  EXPECT_EQ(text(2, {{2, 8}, {2, 4}}), "ok");
  EXPECT_EQ(text(1, {{2, 8}, {2, 4}, {2, 1}}), "ok");
  EXPECT_EQ(text(2, {{3, 4}}), "strides: value \"p\" lies strided, but its runs are 6 bytes, the value has 8\n");
  EXPECT_EQ(text(2, {{5, 4}}), "strides: value \"p\" lies strided, but its runs are 10 bytes, the value has 8\n");
  EXPECT_EQ(text(2, {{0, 4}}), "strides: value \"p\" lies strided, but its runs are 0 bytes, the value has 8\n");
  EXPECT_EQ(text(2, {{INT64_MAX, 4}}),
            "strides: value \"p\" lies strided, but its runs are more bytes than 64 bits count\n");
  EXPECT_EQ(text(2, {{4, INT64_MAX}}), "strides: value \"p\" lies strided, but its runs reach beyond 64 bits\n");
  EXPECT_EQ(text(2, {{4, 1}}), "strides: value \"p\" lies strided, but its runs share bytes\n");
  EXPECT_EQ(text(2, {{4, 0}}), "strides: value \"p\" lies strided, but its runs share bytes\n");
  EXPECT_EQ(text(2, {{2, 6}, {2, 5}}), "strides: value \"p\" lies strided, but its runs share bytes\n");
  const std::string negative = "strides: value \"p\" lies strided, but a run, a count or a stride of it is negative\n";
  EXPECT_EQ(text(2, {{4, -4}}), negative);
  EXPECT_EQ(text(-2, {{-4, 4}}), negative);
}

// Runs that interleave without sharing a byte.
TEST(CheckerStridesTest, RunsMayInterleave) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8);
  const Region box{0, 1, {{3, 2}, {2, 3}}};  // 0 3 2 5 4 7
  const ValueId p = b.Copy("pick", {{x, box, std::nullopt}}, std::nullopt, 6, "p");
  b.Compute("read", {.reads = {{p, Region{0, 6, {}}, true}}});
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).At(x, 0).At(p, 0).Strided(p, 1, box.dims).Copies(1, 0, 0).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(g)
                              .At(x, 0)
                              .At(p, 0)
                              .Strided(p, 1, {{2, 3}, {3, 2}})
                              .Noted(OpId(0), Action::kElided)
                              .Copies(1, 0, 0)
                              .Done()),
            "wrong-content");
}

TEST(CheckerStridesTest, AllOfItLiesInTheMemory) {
  const Pairs pairs(Read);
  Plan plan = pairs.Planned().Done();
  EXPECT_EQ(plan.arenas[0].bytes, 16);
  HandPlan further = pairs.Planned();
  further.At(pairs.p, 16).Strided(pairs.p, 2, {{4, 4}}).Copies(0, 1, 8);
  plan = further.Done();
  EXPECT_EQ(CheckText(pairs.graph, plan), "ok");
  EXPECT_EQ(plan.arenas[0].bytes, 30);
  plan.arenas[0].bytes = plan.arenas[0].chunks[0] = 29;
  EXPECT_EQ(CheckText(pairs.graph, plan),
            "out-of-bounds: value \"p\" at offset 16 with 8 bytes in strided runs over 14 leaves device+0, which has "
            "29 bytes\n");
  plan.arenas[0].bytes = plan.arenas[0].chunks[0] = 31;
  EXPECT_EQ(CheckKinds(pairs.graph, plan), "stats");
}

TEST(CheckerStridesTest, ScratchAndNoPlaceHaveNoStrides) {
  GraphBuilder b;
  b.Compute("f", {.writes = {{.name = "y", .bytes = 8}}, .options = {.scratch_bytes = 8}});
  const Graph g = Built(std::move(b));
  const Plan good = HandPlan(g).At(ValueId(0), 0).Scratch(OpId(0), 8).Done();
  EXPECT_EQ(CheckText(g, good), "ok");
  Plan plan = good;
  plan.scratch[0].location.strides = std::make_shared<const Strides>(Strides{2, {{4, 2}}});
  EXPECT_THAT(CheckText(g, plan), HasSubstr("strides: scratch of op \"f\" lies strided\n"));
  const std::vector<Strides> shapes = {{2, {}},
                                       {Expr::FromSymbol(SymbolId(0)), {{4, 4}}},
                                       {2, {{Expr::FromSymbol(SymbolId(0)), 4}}},
                                       {2, {{4, Expr(INT64_MAX) + 1}}}};
  for (const Strides& s : shapes) {
    plan = good;
    plan.locations[0].strides = std::make_shared<const Strides>(s);
    EXPECT_EQ(CheckPlan(g, plan).status().code(), absl::StatusCode::kInvalidArgument);
  }
  plan = good;
  plan.locations[0] = Location();
  plan.locations[0].strides = std::make_shared<const Strides>(Strides{2, {{4, 4}}});
  EXPECT_EQ(CheckPlan(g, plan).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(CheckerStridesTest, TheFirstByteIsAligned) {
  const Pairs pairs(
      [](GraphBuilder& b, ValueId p) {
        b.Compute("read", {.reads = {{p, Region{0, 8, {}}, true, 4}}});
      },
      {.alignment_bytes = 2});
  HandPlan plan = pairs.Planned();
  plan.Noted(OpId(0), Action::kElided);
  EXPECT_EQ(CheckText(pairs.graph, plan.Done()), "ok");
  EXPECT_EQ(CheckKinds(pairs.graph, HandPlan(plan).At(pairs.p, 2).Strided(pairs.p, 2, {{4, 4}}).Done()),
            "wrong-content alignment");
  EXPECT_THAT(CheckText(pairs.graph, HandPlan(plan).At(pairs.p, 1).Strided(pairs.p, 2, {{4, 4}}).Done()),
              HasSubstr("alignment: value \"p\" at device+1, must be at a multiple of 2 bytes\n"));
}

// Gaps belong to others: what is written there meets nothing.
TEST(CheckerStridesTest, OthersLieInTheGaps) {
  const Pairs pairs([](GraphBuilder& b, ValueId p) {
    const ValueId y =
        b.Compute("read", {.reads = {{p, Region{0, 8, {}}, true}}, .writes = {{.name = "y", .bytes = 2}}});
    const ValueId z = b.Compute("z", {.writes = {{.name = "z", .bytes = 2}}});
    b.Compute("use", {.reads = {{p, Region{4, 4, {}}, true}, y, z}});
  });
  const ValueId y(2), z(3);
  EXPECT_EQ(CheckText(pairs.graph, pairs.Planned().At(y, 2).At(z, 6).Done()), "ok");
  EXPECT_EQ(CheckText(pairs.graph, pairs.Planned().At(y, 3).At(z, 6).Done()),
            "own-operand: op \"read\" reads value \"p\" at device+0 and writes value \"y\" at device+3 in the same "
            "bytes [4,5), undeclared\n");
}

TEST(CheckerStridesTest, PartsReadAfterwardsOnly) {
  const Pairs pairs([](GraphBuilder& b, ValueId p) {
    const ValueId z = b.Compute("z", {.writes = {{.name = "z", .bytes = 2}}});
    b.Compute("use", {.reads = {{p, Region{4, 4, {}}, true}, z}});
  });
  const ValueId z(2);
  EXPECT_EQ(CheckText(pairs.graph, pairs.Planned().At(z, 4).Done()), "ok");  // p's bytes [2,4): not read
  EXPECT_EQ(CheckText(pairs.graph, pairs.Planned().At(z, 7).Done()),
            "wrong-content: op \"use\" reads value \"p\" bytes [4,5) at device+8: wants bytes [8,9) of value \"x\", "
            "finds bytes [1,2) of value \"z\", written by op \"z\"\n");
}

TEST(CheckerStridesTest, ExecutedMovementsWriteAndReadStrided) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8), w = b.Input("w", 8);
  const ValueId p = b.Clone("p", x, "p");
  const ValueId q = b.Concat("q", {w, p}, "q");
  const ValueId r = b.Slice("r", q, 6, 6, "r");
  b.Compute("read", {.reads = {{q, Region{0, 16, {}}, true}}});
  b.Output(r);
  const Graph g = Built(std::move(b));
  HandPlan plan(g);
  plan.At(x, 0).At(w, 8).At(p, 16).Strided(p, 2, {{4, 4}});
  // q's runs lie in p's gaps and behind; r is moved out of q.
  plan.At(q, 18).Strided(q, 2, {{8, 4}}).At(r, 48).Copies(0, 3, 8 + 16 + 6);
  EXPECT_EQ(CheckText(g, plan.Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(plan).At(q, 16).Strided(q, 2, {{8, 4}}).Done()), "own-operand");
  EXPECT_EQ(CheckKinds(g, HandPlan(plan).At(r, 34).Done()), "wrong-content own-operand");
  // The second half of q is p where it is.
  EXPECT_EQ(CheckText(g, HandPlan(plan)
                             .At(w, 48)
                             .At(p, 16)
                             .Strided(p, 2, {{4, 4}})
                             .At(q, 0)
                             .Strided(q, 2, {{8, 4}})
                             .At(x, 34)
                             .Copies(0, 3, 8 + 8 + 6)
                             .At(r, 56)
                             .Done()),
            "ok");
}

// The same bytes in runs of another length.
TEST(CheckerStridesTest, PartsCoincideByteByByte) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 24);
  const ValueId p = b.Copy("pick", {{x, Region{0, 4, {{3, 8}}}, std::nullopt}}, std::nullopt, 12, "p");
  const ValueId q = b.Slice("some", p, 2, 8, "q");
  b.Compute("read", {.reads = {{p, Region{0, 12, {}}, true}, {q, Region{0, 8, {}}, true}}});
  const Graph g = Built(std::move(b));
  // Bytes 2..9 of p are 2 3 | 8 9 10 11 | 16 17 of x: no strided place is that, but one for bytes 2, 3, 8, 9.
  HandPlan plan(g);
  plan.At(x, 0).At(p, 0).Strided(p, 2, {{3, 8}, {2, 2}});
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(q, 24).Copies(1, 1, 8).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(plan)
                              .At(q, 2)
                              .Strided(q, 2, {{2, 6}, {2, 8}})
                              .Copies(2, 0, 0)
                              .Noted(OpId(1), Action::kElided)
                              .Done()),
            "wrong-content");
  GraphBuilder b2;
  const ValueId y = b2.Input("y", 16);
  const ValueId whole = b2.Copy("pick", {{y, Region{0, 4, {{2, 8}}}, std::nullopt}}, std::nullopt, 8, "whole");
  const ValueId half = b2.Copy("half", {{whole, Region{0, 2, {{2, 4}}}, std::nullopt}}, std::nullopt, 4, "half");
  b2.Compute("read", {.reads = {{half, Region{0, 4, {}}, true}}});
  const Graph h = Built(std::move(b2));
  EXPECT_EQ(CheckText(h, HandPlan(h)
                             .At(y, 0)
                             .At(whole, 0)
                             .Strided(whole, 4, {{2, 8}})
                             .At(half, 0)
                             .Strided(half, 1, {{2, 8}, {2, 1}})
                             .Copies(2, 0, 0)
                             .Done()),
            "ok");
}

TEST(CheckerStridesTest, DisjointMeansNoCommonByte) {
  const Pairs pairs([](GraphBuilder& b, ValueId p) {
    b.Compute("z", {.writes = {{.name = "z", .bytes = 2}}});
    b.Disjoint(p, ValueId(2));
  });
  const ValueId z(2);
  EXPECT_EQ(CheckText(pairs.graph, pairs.Planned().At(z, 6).Done()), "ok");
  EXPECT_EQ(CheckText(pairs.graph, pairs.Planned().At(z, 14).Done()), "ok");
  EXPECT_EQ(CheckKinds(pairs.graph, pairs.Planned().At(z, 7).Done()), "disjoint");
}

TEST(CheckerStridesTest, SameIndexIsNotForStridedOperands) {
  const auto make = [](InPlaceMode mode) {
    return Pairs([=](GraphBuilder& b, ValueId p) {
      b.Output(b.Compute("f", {.reads = {{p, Region{0, 8, {}}, true}},
                               .writes = {{.name = "y", .bytes = 8, .in_place = {{p, mode}}}}}));
    });
  };
  const Pairs same = make(InPlaceMode::kSameIndex), any = make(InPlaceMode::kAny);
  EXPECT_EQ(CheckKinds(same.graph, same.Planned().At(ValueId(2), 0).Done()), "own-operand");
  EXPECT_EQ(CheckText(any.graph, any.Planned().At(ValueId(2), 0).Done()), "ok");
}

TEST(CheckerStridesTest, StridedPartsOfConstantsAreRead) {
  GraphBuilder b;
  const ValueId w = b.Constant("w", 16);
  const ValueId p = b.Copy("pick", {{w, Region{0, 2, {{4, 4}}}, std::nullopt}}, std::nullopt, 8, "p");
  b.Compute("read", {.reads = {{p, Region{0, 8, {}}, true}}});
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).In(p, w, 0).Strided(p, 2, {{4, 4}}).Copies(1, 0, 0).Done()), "ok");
  EXPECT_EQ(
      CheckText(g,
                HandPlan(g).In(p, w, 2).Strided(p, 2, {{4, 4}}).Copies(1, 0, 0).Noted(OpId(0), Action::kElided).Done()),
      "wrong-content: op \"read\" reads value \"p\" bytes [0,2) at w+2: wants bytes [0,2) of value \"w\", finds "
      "bytes [2,4) of value \"w\" from the start\n");
  EXPECT_EQ(CheckKinds(g, HandPlan(g).In(p, w, 2).Strided(p, 2, {{4, 4}}).Copies(0, 1, 8).Done()),
            "wrong-content read-only-written");
}

TEST(CheckerStridesTest, CommitsFromStrided) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 16), d = b.External("D", 8, {.writable = true});
  const ValueId p = b.Copy("pick", {{x, Region{0, 2, {{4, 4}}}, std::nullopt}}, std::nullopt, 8, "p");
  b.Commit("st", p, d);
  const Graph g = Built(std::move(b));
  HandPlan plan(g);
  plan.At(x, 0).At(p, 0).Strided(p, 2, {{4, 4}});
  EXPECT_EQ(CheckText(g, HandPlan(plan).Copies(1, 1, 8).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(plan).Copies(2, 0, 0).Noted(OpId(1), Action::kElided).Done()), "variable-lost");
}

TEST(CheckerStridesTest, StreamsSeeTheRunsOnly) {
  GraphBuilder b;
  b.AddStream("s0");
  const StreamId s1 = b.AddStream("s1");
  const ValueId x = b.Input("x", 16);
  const ValueId p = b.Copy("pick", {{x, Region{0, 2, {{4, 4}}}, std::nullopt}}, std::nullopt, 8, "p");
  b.Compute("read", {.reads = {{p, Region{0, 8, {}}, true}}});
  const ValueId y = b.Compute("w", {.writes = {{.name = "y", .bytes = 2}}, .options = {.stream = s1}});
  b.Output(y);
  const Graph g = Built(std::move(b));
  HandPlan plan(g);
  plan.At(x, 0).At(p, 0).Strided(p, 2, {{4, 4}}).Copies(1, 0, 0);
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(y, 2).Done()), "ok");
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(y, 5).Done()),
            "unordered-overwrite: op \"w\" writes value \"y\" bytes [0,1) at device+5 over bytes [5,6) of value \"x\", "
            "which op \"read\" reads in no order with it\n");
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(y, 5).Edge(OpId(1), OpId(2)).Done()), "ok");
}

}  // namespace
}  // namespace bufplan
