// The sentences of a plan's notes.
#include "ir/plan.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"

namespace bufplan {
namespace {

//   past = K [0, 8192*s)   f: past -> row   upd: K1 = K with row at 8192*s   join: both = row, row
//   g: past, row -> y, in place of row   v = view of x, dup = clone of v   st: K1 is committed to K
class WhyTextTest : public testing::Test {
 protected:
  WhyTextTest() : graph_(MakeGraph()) {}

  static Graph MakeGraph() {
    GraphBuilder b;
    const Expr s = b.AddSymbol("s", 0, 4094);
    const ValueId x = b.Input("x", 64);
    const ValueId k = b.Variable("K", 33546240);
    const ValueId past = b.Slice("past", k, 0, 8192 * s, "past");
    const ValueId row = b.Compute("f", {.reads = {past}, .writes = {{.name = "row", .bytes = 8192}}});
    const ValueId k1 = b.Update("upd", k, row, 8192 * s, "K1");
    b.Concat("join", {row, row}, "both");
    b.Compute("g", {.reads = {past, row}, .writes = {{.name = "y", .bytes = 8192, .in_place = {row}}}});
    b.Clone("dup", b.View("v", x, 0, 32, "v"), "d");
    b.Compute("w", {.reads = {}, .writes = {{.name = "x1", .bytes = 64, .base = x, .region = Region{0, 8, {}}}}});
    b.Commit("st", k1, k);
    return std::move(b).Build().value();
  }

  ValueId Value(absl::string_view name) const { return *graph_.FindValue(name); }

  struct Blanks {
    absl::string_view result = "", value = "", other = "", blocker = "", missing = "", part = "", in = "";
    std::optional<Expr> in_offset = std::nullopt;
  };
  std::string Text(absl::string_view op, Action action, Why why, const Blanks& blanks) const {
    Note note;
    note.op = *graph_.FindOp(op);
    note.action = action;
    note.why = why;
    if (!blanks.result.empty()) note.result = Value(blanks.result);
    if (!blanks.value.empty()) note.value = Value(blanks.value);
    if (!blanks.other.empty()) note.other = Value(blanks.other);
    if (!blanks.blocker.empty()) note.blocker = *graph_.FindOp(blanks.blocker);
    if (!blanks.part.empty()) note.part = Value(blanks.part);
    if (!blanks.in.empty()) note.in = Value(blanks.in);
    note.in_offset = blanks.in_offset;
    absl::StrAppend(&note.text, blanks.missing);
    return WhyText(graph_, note);
  }
  std::string Kept(absl::string_view op, Why why, const Blanks& blanks) const {
    return Text(op, Action::kRun, why, blanks);
  }
  std::string Elided(absl::string_view op, Why why, const Blanks& blanks) const {
    return Text(op, Action::kElided, why, blanks);
  }

  const Graph graph_;
};

TEST_F(WhyTextTest, Elided) {
  EXPECT_EQ(Elided("past", Why::kView, {.value = "K"}), "view of K [0, 8192*s)");
  EXPECT_EQ(Elided("upd", Why::kProducedThere, {.value = "row"}), "row is written straight to its place");
  EXPECT_EQ(Elided("join", Why::kProducedThere, {.value = "row"}),
            "row and 1 other part are written straight to their places");
  EXPECT_EQ(Elided("dup", Why::kSameBytes, {.value = "x"}), "the same bytes are there already, those of x");
  EXPECT_EQ(Elided("dup", Why::kCoincides, {.value = "v"}), "source and result are the same bytes of v");
  EXPECT_EQ(Elided("st", Why::kCoincides, {.value = "K1"}), "K1 lies there already");
  EXPECT_EQ(Elided("past", Why::kUnread, {.value = "past"}), "nobody reads what it would move");
  EXPECT_EQ(Elided("upd", Why::kNotTried, {.value = "row"}), "there is nothing to move");
}

TEST_F(WhyTextTest, Kept) {
  EXPECT_EQ(Kept("upd", Why::kNotTried, {.value = "row"}), "kept: no place was found where row need not be moved");
  EXPECT_EQ(Kept("upd", Why::kNotTried, {.value = "row", .other = "x"}),
            "kept: row lies elsewhere already, on bytes of x");
  EXPECT_EQ(Kept("join", Why::kTwoPlaces, {.value = "row", .other = "row"}),
            "kept: row would have to lie at two places");
  EXPECT_EQ(Kept("join", Why::kNotTried, {.value = "row"}),
            "kept: not all of its parts could be written straight to their places");
  EXPECT_EQ(Kept("dup", Why::kNotTried, {.value = "v"}), "kept: v lies elsewhere");
  EXPECT_EQ(Kept("dup", Why::kNeverElide, {.value = "v"}), "kept: elide is \"never\"");
  EXPECT_EQ(Kept("past", Why::kLessMemory, {.value = "K"}), "kept: less memory is needed that way");
  EXPECT_EQ(Kept("past", Why::kCostsLess, {.value = "K", .other = "K1", .blocker = "upd", .missing = "s >= 1"}),
            "kept: that costs less than what upd would have to copy for K1; needs s >= 1");
  EXPECT_EQ(Kept("past", Why::kCostsLess, {.value = "K", .other = "y", .blocker = "g"}),
            "kept: that costs less than copying y later, which is written straight to where it goes");
  EXPECT_EQ(Kept("past", Why::kCostsLess, {.value = "K", .other = "x1", .blocker = "w"}),
            "kept: that costs less than what w would have to copy for x1");
  EXPECT_EQ(Kept("upd", Why::kCarried, {.value = "row"}), "kept: bytes of base K are carried to K1");
  EXPECT_EQ(Kept("dup", Why::kOtherSpace, {.value = "v"}), "kept: d belongs to another space");
  EXPECT_EQ(Kept("dup", Why::kOutgrows, {.value = "v", .missing = "8192*s <= 32"}),
            "kept: d is not proven to fit there; needs 8192*s <= 32");
  EXPECT_EQ(Kept("dup", Why::kMisaligned, {.value = "v"}), "kept: the alignment of d does not hold there");
  EXPECT_EQ(Kept("dup", Why::kSearchLimit, {.value = "v", .missing = "1000"}),
            "kept: it is not proven within the limit of 1000 comparisons that nobody needs what lies there");
  EXPECT_EQ(Kept("dup", Why::kPinned, {.value = "v"}), "kept: pinned offsets contradict each other");
  EXPECT_EQ(Kept("dup", Why::kDisjoint, {.value = "v", .other = "x"}), "kept: d is declared disjoint from x");
  EXPECT_EQ(Kept("upd", Why::kNotLineage, {.value = "row", .other = "K"}), "kept: it is not what is committed to K");
}

TEST_F(WhyTextTest, KeptAsOldContentIsNeeded) {
  EXPECT_EQ(
      Kept("upd", Why::kOldContentRead, {.value = "row", .other = "past", .blocker = "g", .missing = "s <= 4094"}),
      "kept: K1 would overwrite its base K: g still needs past there; needs s <= 4094");
  EXPECT_EQ(Kept("upd", Why::kOldContentKept, {.value = "row", .other = "K"}),
            "kept: K1 would overwrite its base K: K must be intact at the end");
  EXPECT_EQ(Kept("st", Why::kOldContentRead, {.value = "K1", .other = "past", .blocker = "g"}),
            "kept: g still needs past there");
}

// The place that was asked for is named, and who would have come to lie there.
TEST_F(WhyTextTest, KeptAsAPlaceWasRefused) {
  const Expr at = 8192 * Expr::FromSymbol(SymbolId(0));
  EXPECT_EQ(Kept("upd", Why::kOldContentRead,
                 {.value = "row", .other = "past", .blocker = "g", .part = "row", .in = "K", .in_offset = at}),
            "kept: row is not written straight to its place at offset 8192*s of K: g still needs past there");
  EXPECT_EQ(Kept("join", Why::kOutgrows, {.value = "row", .part = "row", .in = "K", .in_offset = 64}),
            "kept: row is not written straight to its place at offset 64 of K: it is not proven to fit there");
  EXPECT_EQ(Kept("dup", Why::kMisaligned, {.value = "v", .in = "x", .in_offset = 4}),
            "kept: d is not put at offset 4 of x: the alignment of it does not hold there");
  EXPECT_EQ(Kept("dup", Why::kOldContentKept, {.value = "v", .other = "d", .in = "K"}),
            "kept: d is not put in K: it must be intact at the end, when K has been overwritten");
  EXPECT_EQ(Kept("dup", Why::kChunkLimit, {.value = "v", .in = "x", .in_offset = 0}),
            "kept: d is not put at offset 0 of x: an allocation would be larger than the space allows");
  EXPECT_EQ(Kept("dup", Why::kOtherSpace, {.value = "v", .in = "x", .in_offset = 0}),
            "kept: d belongs to another space");
  EXPECT_EQ(Kept("dup", Why::kNeverElide, {.value = "v", .part = "v", .in = "x"}), "kept: elide is \"never\"");
}

TEST_F(WhyTextTest, WishesRefused) {
  EXPECT_EQ(Kept("g", Why::kOldContentRead, {.result = "y", .value = "row", .other = "row", .blocker = "st"}),
            "y is not in place of row: st still needs row there");
  EXPECT_EQ(Kept("g", Why::kOutgrows, {.result = "y", .value = "row"}),
            "y is not in place of row: it has 8192 bytes, which do not fit into 8192");
  EXPECT_EQ(Kept("g", Why::kOutgrows, {.result = "y", .value = "past", .missing = "s >= 1"}),
            "y is not in place of past: it is not proven to fit there; needs s >= 1");
  EXPECT_EQ(Kept("g", Why::kBetterOperand, {.result = "y", .value = "row"}),
            "y is not in place of row: another operand was taken");
  EXPECT_EQ(Kept("w", Why::kOldContentRead, {.result = "x1", .value = "x", .other = "v", .blocker = "dup"}),
            "x1 is not on its base x: dup still needs v there");
  EXPECT_EQ(Kept("w", Why::kCarried, {.result = "x1", .value = "x"}), "kept: bytes of base x are carried to x1");
  EXPECT_EQ(Kept("w", Why::kReadOnly, {.result = "x1", .value = "x", .other = "x"}),
            "x1 is not on its base x: x is read-only");
}

}  // namespace
}  // namespace bufplan
