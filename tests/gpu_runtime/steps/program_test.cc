// Which actions come out of a plan, for graphs made by hand.
#include "gpu_runtime/steps/program.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gpu_runtime/steps/box_list.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "tests/ir/built.h"
#include "tests/ir/hand_plan.h"

namespace bufplan::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Made {
 public:
  Made(const Graph& graph, const HandPlan& hand, const ProgramOptions& options) : graph_(graph) {
    const Plan plan = hand.Done();
    const absl::StatusOr<Sizes> sizes = SizesOf(graph, {});
    EXPECT_TRUE(sizes.ok()) << sizes.status();
    const absl::StatusOr<Defined> defined = FindDefined(graph, *sizes, std::nullopt);
    absl::StatusOr<Layout> layout = PlannedLayout(graph, plan, *sizes);
    EXPECT_TRUE(layout.ok()) << layout.status();
    absl::StatusOr<Units> units = PlannedUnits(graph, plan);
    EXPECT_TRUE(units.ok()) << units.status();
    program_ = MakeProgram(graph, *sizes, *defined, *std::move(layout), *std::move(units), options);
  }

  const Program& program() const { return *program_; }
  absl::Status status() const { return program_.status(); }
  // What the op's unit does: "hash device[0,8)", "move K[0,4)->device[8,12)".
  std::vector<std::string> Of(absl::string_view op) const {
    EXPECT_TRUE(program_.ok()) << program_.status();
    const size_t unit = static_cast<size_t>(program_->units.unit_of[OpNamed(graph_, op).index()]);
    std::vector<std::string> texts;
    for (const Action& a : program_->actions_of(unit)) texts.push_back(Text(a));
    return texts;
  }

 private:
  std::string Bytes(int32_t memory, const ByteSet& set) const {
    std::string text = PlaceText(graph_, program_->layout.memories[static_cast<size_t>(memory)], 0);
    text.resize(text.size() - 2);
    for (const ByteRange& r : set.ranges()) absl::StrAppend(&text, "[", r.begin, ",", r.end, ")");
    return text;
  }
  std::string Text(const Action& a) const {
    const char* const kinds[] = {"scribble", "move", "hash", "mix", "kernel", "verify"};
    std::string text = kinds[static_cast<size_t>(a.kind)];
    if (a.keep_some) absl::StrAppend(&text, " some of");
    const absl::Span<const Box> span = program_->boxes_of(a);
    const Boxes boxes(span.begin(), span.end());
    bool exact = true;
    if (a.a >= 0) absl::StrAppend(&text, " ", Bytes(a.a, BytesOfA(boxes, kMaxPieces, &exact)));
    if (a.b >= 0) absl::StrAppend(&text, "->", Bytes(a.b, BytesOfB(boxes, kMaxPieces, &exact)));
    return text;
  }

  const Graph& graph_;
  absl::StatusOr<Program> program_;
};

constexpr ProgramOptions kPlain = {};
const ProgramOptions kStress = {.trace = true, .scribble = true};

// x -> clone c -> f -> y
Graph CloneOfInput() {
  return Built([](GraphBuilder& b) {
    const ValueId x = b.Input("x", 8);
    const ValueId c = b.Clone("clone", x, "c");
    b.Output(b.Compute("f", {.reads = {c}, .writes = {{.name = "y", .bytes = 8, .in_place = {c}}}}));
  });
}

TEST(ProgramTest, WhatLiesThereAlreadyIsNotMoved) {
  const Graph graph = CloneOfInput();
  HandPlan hand(graph);
  hand.At(ValueNamed(graph, "x"), 0).At(ValueNamed(graph, "c"), 0).At(ValueNamed(graph, "y"), 8);
  EXPECT_THAT(Made(graph, hand, kPlain).Of("clone"), IsEmpty());
  hand.At(ValueNamed(graph, "c"), 16);
  EXPECT_THAT(Made(graph, hand, kPlain).Of("clone"), ElementsAre("move device[0,8)->device[16,24)"));
  // Marked as elided it does nothing wherever it lies.
  hand.Noted(OpNamed(graph, "clone"), bufplan::Action::kElided);
  EXPECT_THAT(Made(graph, hand, kPlain).Of("clone"), IsEmpty());
  EXPECT_THAT(Made(graph, hand, kStress).Of("clone"), IsEmpty());
}

TEST(ProgramTest, OnlyThePartsThatLieElsewhereMove) {
  const Graph graph = Built([](GraphBuilder& b) {
    const ValueId a = b.Input("a", 8), c = b.Input("c", 4);
    b.Output(b.Concat("cat", {a, c}, "all"));
  });
  HandPlan hand(graph);
  hand.At(ValueNamed(graph, "a"), 0).At(ValueNamed(graph, "c"), 16).At(ValueNamed(graph, "all"), 0);
  EXPECT_THAT(Made(graph, hand, kPlain).Of("cat"), ElementsAre("move device[16,20)->device[8,12)"));
}

// A result in place of its operand is written behind the read; garbage over it would be what the op reads.
TEST(ProgramTest, ResultsAreScribbledOverUnlessInPlace) {
  const Graph graph = CloneOfInput();
  HandPlan hand(graph);
  hand.At(ValueNamed(graph, "x"), 0).At(ValueNamed(graph, "c"), 8).At(ValueNamed(graph, "y"), 8);
  EXPECT_THAT(Made(graph, hand, kPlain).Of("f"), ElementsAre("hash device[8,16)", "mix device[8,16)"));
  EXPECT_THAT(Made(graph, hand, kStress).Of("f"), ElementsAre("hash device[8,16)", "mix device[8,16)"));
  EXPECT_THAT(Made(graph, hand, kStress).Of("clone"),
              ElementsAre("scribble device[8,16)", "hash device[0,8)", "move device[0,8)->device[8,16)",
                          "scribble device[0,8)"))
      << "the input is dead behind it";
  hand.At(ValueNamed(graph, "y"), 16);
  EXPECT_THAT(Made(graph, hand, kStress).Of("f"),
              ElementsAre("scribble device[16,24)", "hash device[8,16)", "mix device[16,24)", "scribble device[8,16)"));
  // Declared for the same place only.
  hand.At(ValueNamed(graph, "y"), 12);
  EXPECT_THAT(Made(graph, hand, kStress).Of("f"),
              ElementsAre("scribble device[12,20)", "hash device[8,16)", "mix device[12,20)", "scribble device[8,12)"));
}

TEST(ProgramTest, ScratchIsGarbageBeforeAndVerifiedAfter) {
  const Graph graph = Built([](GraphBuilder& b) {
    const ValueId x = b.Input("x", 8, {.preserve = true});
    b.Output(b.Compute("f", {.reads = {x}, .writes = {{.name = "y", .bytes = 8}}, .options = {.scratch_bytes = 4}}));
  });
  HandPlan hand(graph);
  hand.At(ValueNamed(graph, "x"), 0).At(ValueNamed(graph, "y"), 8).Scratch(OpNamed(graph, "f"), 16);
  EXPECT_THAT(Made(graph, hand, kPlain).Of("f"), ElementsAre("hash device[0,8)", "mix device[8,16)"));
  const Made made(graph, hand, kStress);
  EXPECT_THAT(made.Of("f"), ElementsAre("scribble device[16,20)", "scribble device[8,16)", "hash device[0,8)",
                                        "mix device[8,16)", "verify device[16,20)", "scribble device[16,20)"));
  EXPECT_EQ(made.program().num_faults, 1);
  EXPECT_EQ(made.program().garbage_at_end[0], ByteSet::Of({16, 20}));
  // A kernel of its own leaves there what it wants.
  EXPECT_THAT(Made(graph, hand, {.trace = true, .scribble = true, .op_has_kernel = {true}}).Of("f"),
              ElementsAre("scribble device[16,20)", "scribble device[8,16)", "kernel", "scribble device[16,20)"));
}

TEST(ProgramTest, KeptValuesAreHashedWhenTheirKeeperHasRun) {
  const Graph graph = Built([](GraphBuilder& b) {
    const ValueId x = b.Input("x", 8);
    const ValueId v = b.Compute("make", {.reads = {x}, .writes = {{.name = "v", .bytes = 8}}});
    const ValueId w = b.Compute("keep", {.reads = {x}, .writes = {{.name = "w", .bytes = 8}}});
    b.Output(w);
    b.KeepAliveUntil(v, OpId(1));
  });
  HandPlan hand(graph);
  hand.At(ValueNamed(graph, "x"), 0).At(ValueNamed(graph, "v"), 8).At(ValueNamed(graph, "w"), 16);
  EXPECT_THAT(Made(graph, hand, kPlain).Of("keep"), ElementsAre("hash device[0,8)", "mix device[16,24)"));
  const Made made(graph, hand, kStress);
  EXPECT_THAT(made.Of("keep"), ElementsAre("scribble device[16,24)", "hash device[0,8)", "mix device[16,24)",
                                           "hash device[8,16)", "scribble device[0,16)"));
  const SlotUse& last = made.program().slots.back();
  EXPECT_EQ(last.kind, SlotUse::Kind::kKeptAlive);
  EXPECT_EQ(last.op, OpNamed(graph, "keep"));
  EXPECT_EQ(last.value, ValueNamed(graph, "v"));
}

// b2 is b1 with bytes [4,8) overwritten.
Graph Rewriter(OpKind kind, Cover cover) {
  return Built([&](GraphBuilder& b) {
    const ValueId b1 = b.Input("b1", 12);
    const ValueId row = b.Input("row", 4);
    if (kind == OpKind::kUpdate) {
      b.Output(b.Update("op", b1, row, 4, "b2"));
    } else {
      b.Output(b.Compute(
          "op", {.reads = {row},
                 .writes = {{.name = "b2", .bytes = 12, .base = b1, .region = Region{4, 4, {}}, .cover = cover}}}));
    }
  });
}
HandPlan RewriterPlan(const Graph& graph, int64_t b2) {
  HandPlan hand(graph);
  hand.At(ValueNamed(graph, "b1"), 0).At(ValueNamed(graph, "row"), 12).At(ValueNamed(graph, "b2"), b2);
  return hand;
}

TEST(ProgramTest, BasesCarryWhatIsNotOverwritten) {
  const Graph update = Rewriter(OpKind::kUpdate, Cover::kAll);
  EXPECT_THAT(Made(update, RewriterPlan(update, 16), kPlain).Of("op"),
              ElementsAre("move device[0,4)[8,12)->device[16,20)[24,28)", "move device[12,16)->device[20,24)"));
  EXPECT_THAT(Made(update, RewriterPlan(update, 0), kPlain).Of("op"), ElementsAre("move device[12,16)->device[4,8)"));
  const Graph compute = Rewriter(OpKind::kCompute, Cover::kAll);
  EXPECT_THAT(Made(compute, RewriterPlan(compute, 16), kPlain).Of("op"),
              ElementsAre("move device[0,4)[8,12)->device[16,20)[24,28)", "hash device[12,16)", "mix device[20,24)"));
  EXPECT_THAT(Made(compute, RewriterPlan(compute, 0), kStress).Of("op"),
              ElementsAre("scribble device[4,8)", "hash device[12,16)", "mix device[4,8)", "scribble device[12,16)"));
}

// Of a part old bytes may stay: they are carried too, and read.
TEST(ProgramTest, CoverPartReadsWhatMayStay) {
  const Graph graph = Rewriter(OpKind::kCompute, Cover::kPart);
  const Made apart(graph, RewriterPlan(graph, 16), kPlain);
  EXPECT_THAT(apart.Of("op"), ElementsAre("move device[0,12)->device[16,28)", "hash device[12,16)", "hash device[4,8)",
                                          "mix some of device[20,24)"));
  EXPECT_EQ(apart.program().slots[1].kind, SlotUse::Kind::kRewritten);
  EXPECT_THAT(
      Made(graph, RewriterPlan(graph, 0), kStress).Of("op"),
      ElementsAre("hash device[12,16)", "hash device[4,8)", "mix some of device[4,8)", "scribble device[12,16)"));
}

// m is used inside of the group only.
Graph Group(bool in_place) {
  return Built([&](GraphBuilder& b) {
    const ValueId x = b.Input("x", 8);
    const ValueId m = b.Compute("m1", {.reads = {x}, .writes = {{.name = "m", .bytes = 8}}});
    const ValueId r = b.Compute("m2", {.reads = {m}, .writes = {{.name = "r", .bytes = 8}}});
    b.Output(r);
    Fusion fusion;
    fusion.name = "pair";
    fusion.ops = {OpId(0), OpId(1)};
    if (in_place) fusion.in_place = {{r, x}};
    b.AddFusion(fusion);
  });
}

TEST(ProgramTest, SwallowedValuesLieInAWorkspace) {
  const Graph graph = Group(false);
  HandPlan hand(graph);
  hand.At(ValueNamed(graph, "x"), 0).At(ValueNamed(graph, "r"), 8).Fuse(0);
  const Made made(graph, hand, kPlain);
  EXPECT_THAT(made.Of("m1"), ElementsAre("hash device[0,8)", "mix workspace[0,8)", "hash workspace[0,8)",
                                         "mix workspace[256,264)", "move workspace[256,264)->device[8,16)"));
  EXPECT_EQ(made.program().layout.memories.back().kind, MemoryKind::kWorkspace);
  EXPECT_GE(made.program().layout.memories.back().bytes, 264);
  EXPECT_THAT(Made(graph, hand, {.fusion_has_kernel = {true}}).Of("m1"), ElementsAre("kernel"));
  EXPECT_THAT(Made(graph, hand, {.trace = true, .scribble = true, .fusion_has_kernel = {true}}).Of("m1"),
              ElementsAre("scribble device[8,16)", "kernel", "scribble device[0,8)"));
}

TEST(ProgramTest, GroupsWriteInPlaceAsTheyDeclare) {
  for (const bool in_place : {false, true}) {
    const Graph graph = Group(in_place);
    HandPlan hand(graph);
    hand.At(ValueNamed(graph, "x"), 0).At(ValueNamed(graph, "r"), 0).Fuse(0);
    const std::vector<std::string> actions = Made(graph, hand, kStress).Of("m1");
    EXPECT_EQ(actions[0], in_place ? "hash device[0,8)" : "scribble device[0,8)");
  }
}

// m is used inside of the group only; r is b1 with bytes [4,8) overwritten.
Graph RewritingGroup(Cover cover) {
  return Built([&](GraphBuilder& b) {
    const ValueId b1 = b.Input("b1", 12);
    const ValueId row = b.Input("row", 4);
    const ValueId m = b.Compute("m1", {.reads = {row}, .writes = {{.name = "m", .bytes = 4}}});
    b.Output(b.Compute(
        "m2", {.reads = {m},
               .writes = {{.name = "r", .bytes = 12, .base = b1, .region = Region{4, 4, {}}, .cover = cover}}}));
    Fusion fusion;
    fusion.name = "pair";
    fusion.ops = {OpId(0), OpId(1)};
    b.AddFusion(fusion);
  });
}
HandPlan RewritingGroupPlan(const Graph& graph, int64_t r) {
  HandPlan hand(graph);
  hand.At(ValueNamed(graph, "b1"), 0).At(ValueNamed(graph, "row"), 12).At(ValueNamed(graph, "r"), r).Fuse(0);
  return hand;
}

TEST(ProgramTest, GroupsCarryBasesFromOutside) {
  const Graph graph = RewritingGroup(Cover::kAll);
  EXPECT_THAT(
      Made(graph, RewritingGroupPlan(graph, 16), kPlain).Of("m1"),
      ElementsAre("hash device[12,16)", "mix workspace[0,4)", "move device[0,4)[8,12)->workspace[256,260)[264,268)",
                  "hash workspace[0,4)", "mix workspace[260,264)", "move workspace[256,268)->device[16,28)"));
  const ProgramOptions kernel = {.trace = true, .scribble = true, .fusion_has_kernel = {true}};
  EXPECT_THAT(Made(graph, RewritingGroupPlan(graph, 16), kernel).Of("m1"),
              ElementsAre("scribble device[16,28)", "move device[0,4)[8,12)->device[16,20)[24,28)", "kernel",
                          "scribble device[0,4)[8,16)"));
  EXPECT_THAT(Made(graph, RewritingGroupPlan(graph, 0), kernel).Of("m1"),
              ElementsAre("scribble device[4,8)", "kernel", "scribble device[12,16)"));
}

// A kernel may leave the old bytes of a part: they are there when it runs.
TEST(ProgramTest, AGroupsKernelFindsWhatMayStay) {
  const Graph graph = RewritingGroup(Cover::kPart);
  const ProgramOptions kernel = {.trace = true, .scribble = true, .fusion_has_kernel = {true}};
  EXPECT_THAT(
      Made(graph, RewritingGroupPlan(graph, 16), kernel).Of("m1"),
      ElementsAre("scribble device[16,28)", "move device[0,12)->device[16,28)", "kernel", "scribble device[0,16)"));
  EXPECT_THAT(Made(graph, RewritingGroupPlan(graph, 0), kernel).Of("m1"),
              ElementsAre("kernel", "scribble device[12,16)"));
}

TEST(ProgramTest, CommitsWriteTheStorage) {
  const Graph graph = Built([](GraphBuilder& b) {
    const ValueId k = b.Variable("K", 8);
    const ValueId k1 = b.Compute("f", {.reads = {k}, .writes = {{.name = "K1", .bytes = 8}}});
    b.Commit("st", k1, k);
  });
  HandPlan hand(graph);
  hand.At(ValueNamed(graph, "K1"), 0);
  EXPECT_THAT(Made(graph, hand, kPlain).Of("st"), ElementsAre("move device[0,8)->K[0,8)"));
  hand.In(ValueNamed(graph, "K1"), ValueNamed(graph, "K"), 0);
  EXPECT_THAT(Made(graph, hand, kPlain).Of("st"), IsEmpty());
  // f reads K and writes on it without permission.
  EXPECT_THAT(Made(graph, hand, kStress).Of("f"), ElementsAre("scribble K[0,8)", "hash K[0,8)", "mix K[0,8)"));
}

TEST(ProgramTest, FillsReadNothing) {
  const Graph graph = Built([](GraphBuilder& b) {
    b.Output(b.Fill("fill", std::nullopt, Region{2, 4, {}}, 8, "f"));
    b.Barrier("barrier");
  });
  HandPlan hand(graph);
  hand.At(ValueNamed(graph, "f"), 0);
  const Made made(graph, hand, kPlain);
  EXPECT_THAT(made.Of("fill"), ElementsAre("mix device[2,6)"));
  EXPECT_EQ(made.program().actions[0].num_slots, 0);
  EXPECT_THAT(made.Of("barrier"), IsEmpty());
}

TEST(ProgramTest, UsesOfValuesWithoutPlaceAreRefused) {
  const Graph graph = CloneOfInput();
  HandPlan hand(graph);
  hand.At(ValueNamed(graph, "x"), 0).At(ValueNamed(graph, "y"), 8);
  const absl::Status status = Made(graph, hand, kPlain).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "op \"clone\": uses value \"c\", which has no place");
}

TEST(ProgramTest, SeedsTellNamesAndPlacesApart) {
  const Graph graph = CloneOfInput();
  const ValueId x = ValueNamed(graph, "x"), y = ValueNamed(graph, "y");
  EXPECT_NE(SeedOfValue(graph, x, 1), SeedOfValue(graph, y, 1));
  EXPECT_NE(SeedOfValue(graph, x, 1), SeedOfValue(graph, x, 2));
  EXPECT_NE(SeedOfOp(graph, OpId(0), 1), SeedOfOp(graph, OpId(1), 1));
  EXPECT_NE(SeedOfOp(graph, OpId(0), 1), SeedOfValue(graph, x, 1));
  EXPECT_EQ(SeedOfOp(graph, OpId(1), 7), SeedOfOp(graph, OpId(1), 7));
}

}  // namespace
}  // namespace bufplan::runtime
