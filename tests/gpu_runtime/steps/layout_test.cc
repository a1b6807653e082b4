#include "gpu_runtime/steps/layout.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "tests/ir/hand_plan.h"

namespace bufplan::runtime {
namespace {

// Inputs, caller-owned values, a view of each kind, scratch, nothing and two spaces.
Graph Sample() {
  GraphBuilder b("sample");
  b.AddSpace("device", {});
  b.AddSpace("host", {});
  const Expr s = b.AddSymbol("s", 0, 8);
  const ValueId x = b.Input("x", 64);
  const ValueId k = b.Variable("K", 8 * s);
  b.Constant("W", 32);
  const ValueId y =
      b.Compute("f", {.reads = {x, k}, .writes = {{.name = "y", .bytes = 32}}, .options = {.scratch_bytes = 4 * s}});
  const ValueId v = b.View("view", x, 16, 32, "v");
  b.View("view2", v, 8, 16, "v2");
  b.View("viewK", k, s, s, "vK");
  b.Slice("slice", y, 0, 0, "nothing");
  absl::StatusOr<Graph> graph = std::move(b).Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *std::move(graph);
}

class LayoutTest : public testing::Test {
 protected:
  ValueId V(const char* name) const { return ValueNamed(graph_, name); }
  HandPlan Hand() const {
    HandPlan hand(graph_);
    hand.At(V("x"), 0).At(V("v"), 16).At(V("v2"), 24).In(V("vK"), V("K"), Expr::FromSymbol(SymbolId(0)));
    hand.At(V("y"), 64).Scratch(OpNamed(graph_, "f"), 96);
    return hand;
  }
  static Sizes At(const Graph& graph, int64_t s) {
    const absl::StatusOr<Sizes> sizes = SizesOf(graph, {s});
    EXPECT_TRUE(sizes.ok()) << sizes.status();
    return *sizes;
  }
  // The error after a change of the plan.
  std::string Refused(absl::StatusCode code, const std::function<void(Plan&)>& change) const {
    Plan plan = Hand().Done();
    change(plan);
    const absl::Status status = PlannedLayout(graph_, plan, At(graph_, 8)).status();
    EXPECT_EQ(status.code(), code) << status;
    return std::string(status.message());
  }
  std::string Misplaced(const std::function<void(Plan&)>& change) const {
    return Refused(absl::StatusCode::kFailedPrecondition, change);
  }

  const Graph graph_ = Sample();
};

TEST_F(LayoutTest, IsAsThePlanSays) {
  const absl::StatusOr<Layout> layout = PlannedLayout(graph_, Hand().Done(), At(graph_, 5));
  ASSERT_TRUE(layout.ok()) << layout.status();
  // Chunks, then callers.
  ASSERT_EQ(layout->memories.size(), 4u);
  EXPECT_EQ(layout->memories[0].kind, MemoryKind::kChunk);
  EXPECT_EQ(layout->memories[0].bytes, 128);
  EXPECT_EQ(layout->memories[1].bytes, 0);
  EXPECT_EQ(layout->memories[1].space, SpaceId(1));
  EXPECT_EQ(layout->memories[2].kind, MemoryKind::kCaller);
  EXPECT_EQ(layout->memories[2].owner, V("K"));
  EXPECT_EQ(layout->memories[2].bytes, 40);
  EXPECT_EQ(layout->of_caller[V("K").index()], 2);
  EXPECT_EQ(layout->of_caller[V("W").index()], 3);
  EXPECT_EQ(layout->of_caller[V("x").index()], -1);
  EXPECT_EQ(layout->of(V("v2")).memory, 0);
  EXPECT_EQ(layout->of(V("v2")).shape.at, 24);
  EXPECT_EQ(layout->of(V("v2")).shape.bytes(), 16);
  EXPECT_EQ(layout->of(V("vK")).memory, 2);
  EXPECT_EQ(layout->of(V("vK")).shape.at, 5);
  EXPECT_EQ(layout->of(V("vK")).shape.bytes(), 5);
  EXPECT_FALSE(layout->of(V("nothing")).exists());
  const Place& scratch = layout->scratch[OpNamed(graph_, "f").index()];
  EXPECT_EQ(scratch.shape.at, 96);
  EXPECT_EQ(scratch.shape.bytes(), 20);
  EXPECT_FALSE(layout->scratch[OpNamed(graph_, "view").index()].exists());
}

TEST_F(LayoutTest, EmptyValuesAreNowhere) {
  const absl::StatusOr<Layout> layout = PlannedLayout(graph_, Hand().Done(), At(graph_, 0));
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_FALSE(layout->of(V("K")).exists());
  EXPECT_GE(layout->of_caller[V("K").index()], 0);
  EXPECT_FALSE(layout->of(V("vK")).exists());
  EXPECT_FALSE(layout->scratch[OpNamed(graph_, "f").index()].exists());
}

// x, its clone c, and what op "f" makes of c; `c` may lie strided as far as f says so.
Graph WithClone(bool strides_ok) {
  GraphBuilder b("clone");
  b.AddSymbol("s", 0, 8);
  const ValueId c = b.Clone("clone", b.Input("x", 32), "c");
  bufplan::Operand operand(c);
  operand.strides_ok = strides_ok;
  b.Output(b.Compute("f", {.reads = {operand}, .writes = {{.name = "y", .bytes = 32}}}));
  return *std::move(b).Build();
}
absl::StatusOr<Layout> WithStrides(const Graph& graph, const char* value, int64_t stride) {
  HandPlan hand(graph);
  hand.At(ValueNamed(graph, "x"), 0).At(ValueNamed(graph, "c"), 128).At(ValueNamed(graph, "y"), 256);
  hand.Strided(ValueNamed(graph, value), 8, {{4, stride}});
  return PlannedLayout(graph, hand.Done(), SizesOf(graph, {5}).value());
}

TEST_F(LayoutTest, StridedPlaces) {
  const Graph graph = WithClone(true);
  const ValueId c = ValueNamed(graph, "c");
  absl::StatusOr<Layout> layout = WithStrides(graph, "c", 16);
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_TRUE(layout->of(c).strided());
  EXPECT_EQ(layout->of(c).shape.end(), 128 + 3 * 16 + 8);
  // Runs that touch are no strides.
  layout = WithStrides(graph, "c", 8);
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_FALSE(layout->of(c).strided());
}

TEST_F(LayoutTest, StridesThatSomebodyDoesNotKnow) {
  EXPECT_EQ(WithStrides(WithClone(false), "c", 16).status().message(),
            "value \"c\" lies strided, but op \"f\" reads it in one run");
  EXPECT_EQ(WithStrides(WithClone(true), "y", 16).status().message(),
            "value \"y\" lies strided, but op \"f\" makes it in one run");
  EXPECT_EQ(WithStrides(WithClone(true), "x", 16).status().message(),
            "value \"x\" lies strided, but is not made by the graph");
}

TEST_F(LayoutTest, SamePlaces) {
  const Place a = {0, {16, 8, {}}}, longer = {0, {16, 80, {}}}, strided = {0, {16, 8, {{2, 16}}}};
  EXPECT_TRUE(SameStart(a, longer));
  EXPECT_FALSE(SameStart(a, strided));
  EXPECT_FALSE(SameStart(strided, strided)) << "they may go on in other ways";
  EXPECT_FALSE(SameStart(a, {1, {16, 8, {}}}));
  EXPECT_FALSE(SameStart(a, {0, {17, 8, {}}}));
  EXPECT_FALSE(SameStart(Place(), Place()));
}

TEST_F(LayoutTest, PlansOfAnotherShape) {
  const auto refused = [&](const std::function<void(Plan&)>& change) {
    return Refused(absl::StatusCode::kInvalidArgument, change);
  };
  const std::string text = "the plan is not of the graph's shape";
  EXPECT_EQ(refused([](Plan& p) { p.locations.pop_back(); }), text);
  EXPECT_EQ(refused([](Plan& p) { p.locations.emplace_back(); }), text);
  EXPECT_EQ(refused([](Plan& p) { p.arenas[1].space = SpaceId(2); }), text);
  EXPECT_EQ(refused([](Plan& p) { p.scratch[0].op = OpId(5); }), text);
  EXPECT_EQ(refused([](Plan& p) { p.added_order.push_back({OpId(0), OpId(5), ""}); }), text);
  EXPECT_EQ(refused([](Plan& p) { p.added_order.push_back({OpId(7), OpId(0), ""}); }), text);
  EXPECT_EQ(refused([](Plan& p) { p.fused.push_back({FusionId(0), true, 0, ""}); }), text);
  EXPECT_EQ(refused([](Plan& p) {
              Note note;
              note.op = OpId(5);
              p.notes.push_back(note);
            }),
            text);
}

TEST_F(LayoutTest, PlacesThatMakeNoSense) {
  const auto at = [&](const char* value, Location location) {
    return [=, this](Plan& p) { p.locations[V(value).index()] = location; };
  };
  EXPECT_EQ(Misplaced(at("y", Location::InArena(SpaceId(0), 1, 0))), "value \"y\" lies in no memory of the plan");
  EXPECT_EQ(Misplaced(at("y", Location::InArena(SpaceId(0), -1, 0))), "value \"y\" lies in no memory of the plan");
  EXPECT_EQ(Misplaced(at("y", Location::InArena(SpaceId(9), 0, 0))), "value \"y\" lies in no memory of the plan");
  EXPECT_EQ(Misplaced(at("y", Location::InCaller(V("x"), 0))), "value \"y\" lies in no memory of the plan");
  EXPECT_EQ(Misplaced(at("y", Location::InCaller(ValueId(99), 0))), "value \"y\" lies in no memory of the plan");
  EXPECT_EQ(Misplaced([](Plan& p) { p.arenas.pop_back(), p.locations[0].memory = 1; }),
            "value \"x\" lies in no memory of the plan");
  EXPECT_EQ(Misplaced(at("y", Location::InArena(SpaceId(0), 0, -4))),
            "value \"y\" lies at device+-4 up to byte 28 of a memory of 128 bytes");
  EXPECT_EQ(Misplaced(at("y", Location::InArena(SpaceId(0), 0, 100))),
            "value \"y\" lies at device+100 up to byte 132 of a memory of 128 bytes");
  EXPECT_EQ(Misplaced(at("y", Location::InCaller(V("K"), 40))),
            "value \"y\" lies at K+40 up to byte 72 of a memory of 64 bytes");
  EXPECT_EQ(Misplaced([](Plan& p) {
              p.arenas[0].chunks = {64, 20}, p.locations[3].chunk = 1;
            }),
            "value \"y\" lies at device#1+64 up to byte 96 of a memory of 20 bytes");
  EXPECT_EQ(Misplaced([](Plan& p) { p.arenas[0].chunks = {-5}; }),
            "value \"x\" lies at device+0 up to byte 64 of a memory of 0 bytes");
  EXPECT_EQ(Misplaced([](Plan& p) { p.scratch[0].location.offset_bytes = 112; }),
            "scratch of op \"f\" lies at device+112 up to byte 144 of a memory of 128 bytes");
  EXPECT_EQ(Misplaced([](Plan& p) { p.scratch[0].location = Location(); }),
            "scratch of op \"f\" lies in no memory of the plan");
  EXPECT_EQ(Misplaced([](Plan& p) { p.scratch.clear(); }), "scratch of op \"f\" has no place");
  EXPECT_EQ(Misplaced(at("y", Location::InArena(SpaceId(0), 0, Expr::FromSymbol(SymbolId(1))))),
            "value \"y\" has no offset");
  EXPECT_EQ(Misplaced([&](Plan& p) {
              p.locations[V("y").index()].strides = std::make_shared<const Strides>(Strides{8, {{3, 16}}});
            }),
            "value \"y\" has 32 bytes, its strided runs 24");
  EXPECT_EQ(Misplaced([&](Plan& p) {
              p.locations[V("y").index()].strides = std::make_shared<const Strides>(Strides{8, {{-4, 16}}});
            }),
            "value \"y\" has no offset");
}

// Ends that are beyond all numbers do not come round to small ones.
TEST_F(LayoutTest, PlacesThatEndBeyondAllNumbers) {
  const auto strided = [&](int64_t run, int64_t count, int64_t stride) {
    return [=, this](Plan& p) {
      p.locations[V("y").index()].strides = std::make_shared<const Strides>(Strides{run, {{count, stride}}});
    };
  };
  EXPECT_EQ(Misplaced([&](Plan& p) { p.locations[V("y").index()].offset_bytes = INT64_MAX - 7; }),
            "value \"y\" has no offset");
  EXPECT_EQ(Misplaced(strided(8, 4, INT64_MAX / 2)), "value \"y\" has no offset");
  EXPECT_EQ(Misplaced(strided(8, (int64_t{1} << 61) + 4, 0)), "value \"y\" has no offset");
}

TEST_F(LayoutTest, TheReferenceHasEveryValueApart) {
  const Sizes sizes = At(graph_, 5);
  const Layout layout = ReferenceLayout(graph_, sizes).value();
  ASSERT_EQ(layout.memories.size(), 3u);
  EXPECT_EQ(layout.memories[2].kind, MemoryKind::kOwn);
  std::vector<std::pair<int64_t, int64_t>> ranges;
  const auto own = [&](const Place& place, int64_t bytes) {
    ASSERT_EQ(place.memory, 2);
    ASSERT_EQ(place.shape.bytes(), bytes);
    ASSERT_LE(place.shape.end(), layout.memories[2].bytes);
    ranges.push_back({place.shape.at, place.shape.end()});
  };
  own(layout.of(V("x")), 64);
  own(layout.of(V("y")), 32);
  own(layout.scratch[OpNamed(graph_, "f").index()], 20);
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i) EXPECT_LT(ranges[i - 1].second, ranges[i].first);
  EXPECT_EQ(layout.of(V("K")).memory, layout.of_caller[V("K").index()]);
  EXPECT_EQ(layout.of(V("v")).shape.at, layout.of(V("x")).shape.at + 16);
  EXPECT_EQ(layout.of(V("v")).shape.bytes(), 32);
  EXPECT_EQ(layout.of(V("v2")).shape.at, layout.of(V("x")).shape.at + 24);
  EXPECT_EQ(layout.of(V("v2")).shape.bytes(), 16);
  EXPECT_EQ(layout.of(V("vK")).memory, layout.of_caller[V("K").index()]);
  EXPECT_EQ(layout.of(V("vK")).shape.at, 5);
  EXPECT_FALSE(layout.of(V("nothing")).exists());
}

TEST_F(LayoutTest, PlacesInWords) {
  EXPECT_EQ(PlaceText(graph_, {.kind = MemoryKind::kChunk, .space = SpaceId(1)}, 8), "host+8");
  EXPECT_EQ(PlaceText(graph_, {.kind = MemoryKind::kChunk, .space = SpaceId(0), .chunk = 2}, 0), "device#2+0");
  EXPECT_EQ(PlaceText(graph_, {.kind = MemoryKind::kCaller, .owner = V("K")}, 128), "K+128");
  EXPECT_EQ(PlaceText(graph_, {.kind = MemoryKind::kOwn}, 1), "reference+1");
  EXPECT_EQ(PlaceText(graph_, {.kind = MemoryKind::kWorkspace}, 1), "workspace+1");
}

}  // namespace
}  // namespace bufplan::runtime
