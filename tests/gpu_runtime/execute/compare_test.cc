// Plans that are broken by hand, and what is said about them.
#include "gpu_runtime/execute/compare.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gpu_runtime/host/host_device.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "tests/ir/built.h"
#include "tests/ir/hand_plan.h"

namespace bufplan::runtime {
namespace {

using ::testing::MatchesRegex;

absl::StatusOr<Comparison> Compare(const Graph& graph, const HandPlan& hand, const CompareOptions& options = {}) {
  return CompareWithReference(*MakeHostDevice(), graph, hand.Done(), options);
}

Difference Found(const Graph& graph, const HandPlan& hand, const CompareOptions& options = {}) {
  const absl::StatusOr<Comparison> c = Compare(graph, hand, options);
  EXPECT_TRUE(c.ok()) << c.status();
  EXPECT_TRUE(c.ok() && c->difference.has_value()) << "is equal";
  return c.ok() ? c->difference.value_or(Difference()) : Difference();
}

// x, f(x) -> a, g -> t with scratch, h(x, a) -> r, late -> l; r is an output, x is preserved.
Graph Diamond() {
  return Built([](GraphBuilder& b) {
    const ValueId x = b.Input("x", 64, {.preserve = true});
    const ValueId a = b.Compute("f", {.reads = {x}, .writes = {{.name = "a", .bytes = 64}}});
    b.Compute("g", {.writes = {{.name = "t", .bytes = 64}}, .options = {.scratch_bytes = 32}});
    b.Output(b.Compute("h", {.reads = {x, a}, .writes = {{.name = "r", .bytes = 64}}}));
    b.Compute("late", {.writes = {{.name = "l", .bytes = 64}}});
  });
}
HandPlan DiamondPlan(const Graph& g) {
  HandPlan hand(g);
  hand.At(ValueNamed(g, "x"), 0).At(ValueNamed(g, "a"), 64).At(ValueNamed(g, "t"), 128).At(ValueNamed(g, "r"), 192);
  hand.At(ValueNamed(g, "l"), 288).Scratch(OpNamed(g, "g"), 256);
  return hand;
}

// Texts hold two bytes that depend on the seed: "3f" as "..".
void ExpectText(const Difference& d, const std::string& text) {
  std::string pattern;
  for (char c : text) {
    if (absl::StrContains("()+[]", std::string(1, c))) pattern += '\\';
    pattern += c;
  }
  EXPECT_THAT(d.text, MatchesRegex(pattern));
}

TEST(CompareTest, EqualPlans) {
  const Graph graph = Diamond();
  for (const bool capture : {false, true}) {
    const absl::StatusOr<Comparison> c =
        Compare(graph, DiamondPlan(graph), {.stress = 3, .capture = capture, .timed_runs = 2});
    ASSERT_TRUE(c.ok()) << c.status();
    EXPECT_FALSE(c->difference.has_value()) << c->difference->text;
    EXPECT_EQ(c->runs, 4);
    // Three operands in each run.
    EXPECT_EQ(c->reads_compared, 12);
    EXPECT_EQ(c->planned_bytes, 352);
    EXPECT_GE(c->reference_bytes, 5 * 64 + 32);
    EXPECT_GT(c->planned_time, absl::ZeroDuration());
    EXPECT_GT(c->reference_time, absl::ZeroDuration());
  }
}

TEST(CompareTest, AnotherValueIsFound) {
  const Graph graph = Diamond();
  for (const CompareOptions& options : {CompareOptions{}, {.capture = true}, {.stress = 1}, {.stress = 1, .seed = 9}}) {
    const Difference d = Found(graph, DiamondPlan(graph).At(ValueNamed(graph, "t"), 72), options);
    EXPECT_EQ(d.kind, DifferenceKind::kRead);
    EXPECT_EQ(d.op, OpNamed(graph, "h"));
    EXPECT_EQ(d.value, ValueNamed(graph, "a"));
    EXPECT_EQ(d.byte, 8);
    EXPECT_EQ(d.run, 0);
    ExpectText(
        d,
        "op \"h\" reads value \"a\" byte 8 (device+72): expected .., of value \"a\" byte 8, written by op \"f\"; "
        "found .., of value \"t\" byte 0, written by op \"g\"");
  }
}

// Mixing ops read before they write; so only garbage in the place of the result shows that it may not lie there.
TEST(CompareTest, GarbageIsFound) {
  const Graph graph = Diamond();
  const HandPlan hand = DiamondPlan(graph).At(ValueNamed(graph, "r"), 96);
  const absl::StatusOr<Comparison> plain = Compare(graph, hand);
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_FALSE(plain->difference.has_value());
  const Difference d = Found(graph, hand, {.stress = 2});
  EXPECT_EQ(d.kind, DifferenceKind::kRead);
  EXPECT_EQ(d.value, ValueNamed(graph, "a"));
  EXPECT_EQ(d.byte, 32);
  EXPECT_EQ(d.run, 1);
  ExpectText(
      d,
      "op \"h\" reads value \"a\" byte 32 (device+96): expected .., of value \"a\" byte 32, written by op \"f\"; "
      "found .., garbage, as nothing is there yet, or nobody needs it any more");
}

TEST(CompareTest, ScratchIsClobbered) {
  const Graph graph = Diamond();
  HandPlan hand(graph);
  hand.At(ValueNamed(graph, "x"), 0).At(ValueNamed(graph, "a"), 64).At(ValueNamed(graph, "t"), 128);
  hand.At(ValueNamed(graph, "r"), 192).At(ValueNamed(graph, "l"), 288).Scratch(OpNamed(graph, "g"), 176);
  const Difference d = Found(graph, hand, {.stress = 1});
  EXPECT_EQ(d.kind, DifferenceKind::kScratch);
  EXPECT_EQ(d.op, OpNamed(graph, "g"));
  EXPECT_EQ(d.value, std::nullopt);
  EXPECT_EQ(d.text, "scratch of op \"g\" was written to while the op ran, at device+176");
}

TEST(CompareTest, TheEndIsAnother) {
  const Graph graph = Diamond();
  Difference d = Found(graph, DiamondPlan(graph).At(ValueNamed(graph, "l"), 200));
  EXPECT_EQ(d.kind, DifferenceKind::kEnd);
  EXPECT_EQ(d.op, std::nullopt);
  EXPECT_EQ(d.value, ValueNamed(graph, "r"));
  EXPECT_EQ(d.byte, 8);
  ExpectText(
      d,
      "at the end value \"r\" byte 8 (device+200): expected .., of value \"r\" byte 8, written by op \"h\"; found "
      ".., of value \"l\" byte 0, written by op \"late\"");
  d = Found(graph, DiamondPlan(graph).At(ValueNamed(graph, "l"), 0));
  EXPECT_EQ(d.kind, DifferenceKind::kEnd);
  ExpectText(
      d,
      "at the end value \"x\" byte 0 (device+0): expected .., of value \"x\" byte 0, there at the start; found .., "
      "of value \"l\" byte 0, written by op \"late\"");
}

// A cache that is read after it was updated in place.
TEST(CompareTest, OriginsAreThroughMovements) {
  const Graph graph = Built([](GraphBuilder& b) {
    const ValueId k = b.Variable("K", 64);
    const ValueId row = b.Input("row", 16);
    const ValueId past = b.Slice("past", k, 8, 32, "p");
    const ValueId k1 = b.Update("upd", k, row, 16, "K1");
    b.Compute("read", {.reads = {past}, .writes = {{.name = "y", .bytes = 8}}});
    b.Commit("st", k1, k);
  });
  HandPlan hand(graph);
  const ValueId k = ValueNamed(graph, "K");
  hand.At(ValueNamed(graph, "row"), 0).At(ValueNamed(graph, "y"), 16).In(ValueNamed(graph, "K1"), k, 0);
  hand.In(ValueNamed(graph, "p"), k, 8);
  const Difference d = Found(graph, hand);
  EXPECT_EQ(d.op, OpNamed(graph, "read"));
  EXPECT_EQ(d.byte, 8);
  ExpectText(
      d,
      "op \"read\" reads value \"p\" byte 8 (K+16): expected .., of value \"K\" byte 16, there at the start; found "
      ".., of value \"row\" byte 0, there at the start");
}

TEST(CompareTest, StridedPlacesAndRegions) {
  const Graph graph = Built([](GraphBuilder& b) {
    const ValueId x = b.Input("x", 32);
    const ValueId c = b.Clone("clone", x, "c");
    b.Compute("late", {.writes = {{.name = "l", .bytes = 8}}});
    b.Compute("read",
              {.reads = {bufplan::Operand(c, Region{8, 4, {{2, 16}}}, true)}, .writes = {{.name = "y", .bytes = 8}}});
  });
  HandPlan hand(graph);
  hand.At(ValueNamed(graph, "x"), 64).At(ValueNamed(graph, "c"), 0).Strided(ValueNamed(graph, "c"), 8, {{4, 16}});
  hand.At(ValueNamed(graph, "y"), 96).At(ValueNamed(graph, "l"), 8);
  const absl::StatusOr<Comparison> equal = Compare(graph, hand, {.stress = 2});
  ASSERT_TRUE(equal.ok()) << equal.status();
  EXPECT_FALSE(equal->difference.has_value()) << "between the runs: " << equal->difference->text;
  // Row 3 begins at 48; of it the first four bytes are read, as bytes 24 to 28 of the value.
  hand.At(ValueNamed(graph, "l"), 48);
  const Difference d = Found(graph, hand);
  EXPECT_EQ(d.byte, 24);
  ExpectText(
      d,
      "op \"read\" reads value \"c\" byte 24 (device+48): expected .., of value \"x\" byte 24, there at the start; "
      "found .., of value \"l\" byte 0, written by op \"late\"");
}

TEST(CompareTest, KeptValues) {
  const Graph graph = Built([](GraphBuilder& b) {
    const ValueId v = b.Compute("pv", {.writes = {{.name = "v", .bytes = 16}}});
    b.Compute("o", {.reads = {v}, .writes = {{.name = "ov", .bytes = 16, .in_place = {v}}}});
    b.Compute("k", {.writes = {{.name = "kv", .bytes = 16}}});
    b.KeepAliveUntil(v, OpId(2));
  });
  HandPlan hand(graph);
  hand.At(ValueNamed(graph, "v"), 0).At(ValueNamed(graph, "ov"), 16).At(ValueNamed(graph, "kv"), 4);
  const Difference d = Found(graph, hand, {.stress = 1});
  EXPECT_EQ(d.kind, DifferenceKind::kRead);
  EXPECT_EQ(d.op, OpNamed(graph, "k"));
  ExpectText(d,
             "op \"k\" keeps alive value \"v\" byte 4 (device+4): expected .., of value \"v\" byte 4, written by op "
             "\"pv\"; found .., of value \"kv\" byte 0, written by op \"k\"");
}

TEST(CompareTest, ConstantsAreWritten) {
  const Graph graph = Built([](GraphBuilder& b) {
    const ValueId w = b.Constant("W", 64);
    b.Compute("f", {.reads = {w}, .writes = {{.name = "y", .bytes = 8}}});
    b.External("E", 16);
  });
  for (const auto& [owner, at] : {std::pair("W", 56), std::pair("E", 4)}) {
    HandPlan hand(graph);
    hand.In(ValueNamed(graph, "y"), ValueNamed(graph, owner), at);
    const Difference d = Found(graph, hand);
    EXPECT_EQ(d.kind, DifferenceKind::kReadOnly);
    EXPECT_EQ(d.value, ValueNamed(graph, owner));
    EXPECT_EQ(d.byte, at);
    EXPECT_EQ(d.text, absl::StrCat("at the end ", owner, "+", at, " has been written to, which is read-only"));
  }
}

// A kernel of its own may write where it should not.
TEST(CompareTest, StrayWrites) {
  const Graph graph = Diamond();
  int64_t beyond = 0;
  KernelTable kernels;
  kernels.of_op.resize(graph.ops().size());
  kernels.of_op[OpNamed(graph, "late").index()] = [&](Device& device, StreamHandle stream, const KernelSite& site) {
    device.Fill(stream, site.write(0, 0).data, 7, 64);
    device.Fill(stream, site.write(0, 0).data + beyond, 9, 1);
  };
  const HandPlan hand = DiamondPlan(graph);
  const CompareOptions options = {.stress = 1, .kernels = &kernels};
  const absl::StatusOr<Comparison> equal = Compare(graph, hand, options);
  ASSERT_TRUE(equal.ok()) << equal.status();
  EXPECT_FALSE(equal->difference.has_value()) << equal->difference->text;
  beyond = 64;
  Difference d = Found(graph, hand, options);
  EXPECT_EQ(d.kind, DifferenceKind::kStray);
  EXPECT_EQ(d.run, 0);
  EXPECT_EQ(d.text, "at the end device+352 has been written to, which is outside of every storage");
  beyond = -288 - 1;
  EXPECT_EQ(Found(graph, hand, options).text,
            "at the end device+-1 has been written to, which is outside of every storage");
  // Onto a, which is dead by then.
  beyond = 70 - 288;
  d = Found(graph, hand, options);
  EXPECT_EQ(d.kind, DifferenceKind::kStray);
  EXPECT_EQ(d.run, 1);
  EXPECT_EQ(d.text, "at the end device+70 has been written to, which nobody uses any more");
}

TEST(CompareTest, OutputsMustBeSomewhere) {
  const Graph graph = Built([](GraphBuilder& b) {
    b.Output(b.Input("x", 8));
    b.Input("y", 8);
  });
  const absl::Status status = Compare(graph, HandPlan(graph)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "value \"x\" must be there at the end and has no place");
}

// Ops that write these numbers; the plan has `b` on `a`, which is then wrong.
absl::StatusOr<Comparison> CompareNumbers(std::vector<float> a, std::vector<float> b, double tolerance,
                                          std::function<bool(ValueId)> is_f32 = nullptr) {
  GraphBuilder builder;
  const int64_t bytes = static_cast<int64_t>(4 * a.size());
  builder.Output(builder.Compute("a", {.writes = {{.name = "a", .bytes = bytes}}}));
  builder.Output(builder.Compute("b", {.writes = {{.name = "b", .bytes = bytes}}}));
  const Graph graph = *std::move(builder).Build();
  const Plan plan = HandPlan(graph).At(ValueId(0), 0).At(ValueId(1), 0).Done();
  KernelTable kernels;
  for (const std::vector<float>& numbers : {a, b}) {
    kernels.of_op.push_back([numbers](Device& device, StreamHandle stream, const KernelSite& site) {
      std::byte* const to = site.write(0, 0).data;
      device.HostCall(stream, [to, numbers] { std::memcpy(to, numbers.data(), 4 * numbers.size()); });
    });
  }
  const std::unique_ptr<Device> device = MakeHostDevice();
  return CompareWithReference(*device, graph, plan,
                              {.kernels = &kernels, .tolerance = tolerance, .is_f32 = std::move(is_f32)});
}
bool Equal(const absl::StatusOr<Comparison>& c) {
  EXPECT_TRUE(c.ok()) << c.status();
  return c.ok() && !c->difference.has_value();
}

TEST(CompareTest, TolerancesAreForFiniteNumbers) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(Equal(CompareNumbers({1, 100}, {1, 100.5f}, 0)));
  EXPECT_TRUE(Equal(CompareNumbers({1, 100}, {1, 100.5f}, 0.01)));
  EXPECT_FALSE(Equal(CompareNumbers({1, 100}, {1, 102}, 0.01)));
  // What is not finite is equal or not, and gives no room to others.
  EXPECT_FALSE(Equal(CompareNumbers({kInfinity, 1}, {kInfinity, 2}, 0.01)));
  EXPECT_TRUE(Equal(CompareNumbers({kInfinity, 1}, {kInfinity, 1.001f}, 0.01)));
  EXPECT_FALSE(Equal(CompareNumbers({kInfinity, 1}, {1, 1}, 1e30)));
  EXPECT_TRUE(Equal(CompareNumbers({kNan, 1}, {kNan, 1.001f}, 0.01)));
  EXPECT_FALSE(Equal(CompareNumbers({kNan, 1}, {1, 1}, 0.01)));
  // Small integers look like subnormal numbers.
  EXPECT_FALSE(Equal(CompareNumbers({std::bit_cast<float>(3), 1}, {std::bit_cast<float>(4), 1}, 0.01)));
  // Others say what they are.
  EXPECT_FALSE(Equal(CompareNumbers({1, 100}, {1, 100.5f}, 0.01, [](ValueId) { return false; })));
}

// A group of a copy that leaves bytes of its result undefined: a kernel may write anything there, so nobody's bytes may
// lie there.
TEST(CompareTest, UndefinedBytesOfAGroupsResult) {
  GraphBuilder b;
  ValueOptions preserve;
  preserve.preserve = true;
  const ValueId x = b.Input("x", 32, preserve);
  const ValueId t = b.Copy("copy", {{x, std::nullopt, Region{0, 32, {}}}}, std::nullopt, 64, "t");
  b.Output(b.Clone("clone", t, "c"));
  b.Output(t);
  Fusion fusion;
  fusion.name = "both";
  fusion.ops = {OpId(0), OpId(1)};
  fusion.required = true;
  b.AddFusion(fusion);
  const Graph graph = *std::move(b).Build();
  const auto difference = [&](int64_t t_at) {
    const Plan plan = HandPlan(graph)
                          .At(ValueNamed(graph, "x"), 32)
                          .At(ValueNamed(graph, "t"), t_at)
                          .At(ValueNamed(graph, "c"), 128)
                          .Fuse(0)
                          .Done();
    const std::unique_ptr<Device> device = MakeHostDevice();
    const absl::StatusOr<Comparison> c = CompareWithReference(*device, graph, plan, {.stress = 1});
    EXPECT_TRUE(c.ok()) << c.status();
    return c.ok() && c->difference.has_value();
  };
  EXPECT_FALSE(difference(64));
  EXPECT_TRUE(difference(0)) << "x lies on the undefined half of t";
}

TEST(CompareTest, VariablesHoldWhatIsCommitted) {
  const Graph graph = Built([](GraphBuilder& b) {
    const ValueId k = b.Variable("K", 32);
    const ValueId x = b.Compute("f", {.reads = {k}, .writes = {{.name = "x", .bytes = 32}}});
    b.Commit("st", x, k);
    b.Compute("late", {.writes = {{.name = "l", .bytes = 8}}});
  });
  HandPlan hand(graph);
  hand.At(ValueNamed(graph, "x"), 0).At(ValueNamed(graph, "l"), 0);
  const absl::StatusOr<Comparison> equal = Compare(graph, hand, {.stress = 2});
  ASSERT_TRUE(equal.ok()) << equal.status();
  EXPECT_FALSE(equal->difference.has_value()) << equal->difference->text;
  hand.In(ValueNamed(graph, "l"), ValueNamed(graph, "K"), 24);
  Difference d = Found(graph, hand);
  EXPECT_EQ(d.kind, DifferenceKind::kEnd);
  EXPECT_EQ(d.value, ValueNamed(graph, "x"));
  EXPECT_EQ(d.byte, 24);
  ExpectText(
      d,
      "at the end value \"x\" byte 24 (K+24): expected .., of value \"x\" byte 24, written by op \"f\"; found .., "
      "of value \"l\" byte 0, written by op \"late\"");
  // A commit that is marked as elided, but is not in place: the old content is there.
  hand.At(ValueNamed(graph, "l"), 32).Noted(OpNamed(graph, "st"), bufplan::Action::kElided);
  d = Found(graph, hand);
  ExpectText(
      d,
      "at the end value \"x\" byte 0 (K+0): expected .., of value \"x\" byte 0, written by op \"f\"; found .., of "
      "value \"K\" byte 0, there at the start");
}

}  // namespace
}  // namespace bufplan::runtime
