#include "gpu_runtime/steps/defined.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "tests/ir/built.h"

namespace bufplan::runtime {
namespace {

// By name, without a sample or with one.
class Found {
 public:
  explicit Found(GraphBuilder b, std::optional<int64_t> sample = std::nullopt) : graph_(Built(std::move(b))) {
    const absl::StatusOr<Sizes> sizes = SizesOf(graph_, {});
    EXPECT_TRUE(sizes.ok()) << sizes.status();
    absl::StatusOr<Defined> defined = FindDefined(graph_, *sizes, sample);
    EXPECT_TRUE(defined.ok()) << defined.status();
    defined_ = *std::move(defined);
  }
  std::vector<ByteRange> operator[](const char* name) const {
    const ByteSet& set = defined_.of(*graph_.FindValue(name));
    return {set.ranges().begin(), set.ranges().end()};
  }

 private:
  Graph graph_;
  Defined defined_;
};

using Ranges = std::vector<ByteRange>;

TEST(DefinedTest, HolesOfFillAndCopyMoveAlong) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8);
  const ValueId f = b.Fill("fill", std::nullopt, Region{4, 8, {}}, 16, "f");
  const ValueId c = b.Copy("copy", {{x, Region{0, 4, {}}, Region{12, 4, {}}}, {f, Region{0, 8, {}}, Region{0, 8, {}}}},
                           std::nullopt, 20, "c");
  b.Slice("slice", c, 2, 12, "s");
  b.View("view", f, 10, 6, "v");
  b.Clone("clone", f, "k");
  b.Concat("concat", {f, x}, "cc");
  const Found found(std::move(b));
  EXPECT_EQ(found["x"], (Ranges{{0, 8}}));
  EXPECT_EQ(found["f"], (Ranges{{4, 12}}));
  EXPECT_EQ(found["c"], (Ranges{{4, 8}, {12, 16}}));
  EXPECT_EQ(found["s"], (Ranges{{2, 6}, {10, 12}}));
  EXPECT_EQ(found["v"], (Ranges{{0, 2}}));
  EXPECT_EQ(found["k"], (Ranges{{4, 12}}));
  EXPECT_EQ(found["cc"], (Ranges{{4, 12}, {16, 24}}));
}

TEST(DefinedTest, BasesCarryWhatTheyHave) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8);
  const ValueId f = b.Fill("fill", std::nullopt, Region{0, 4, {}}, 16, "f");
  // Defined bytes take the place of undefined ones.
  const ValueId u = b.Update("upd", f, x, 6, "u");
  // Undefined ones take the place of defined ones.
  const ValueId hole = b.Fill("hole", std::nullopt, Region{0, 0, {}}, 4, "h");
  b.Update("dig", u, hole, 8, "d");
  // A compute op makes all that it covers; of a part it writes at least what was undefined.
  b.Compute("all", {.writes = {{.name = "a", .bytes = 16, .base = f, .region = Region{2, 4, {}}}}});
  b.Compute("part",
            {.writes = {{.name = "p", .bytes = 16, .base = f, .region = Region{2, 4, {}}, .cover = Cover::kPart}}});
  b.Compute("no base", {.writes = {{.name = "n", .bytes = 16}}});
  const Found found(std::move(b));
  EXPECT_EQ(found["u"], (Ranges{{0, 4}, {6, 14}}));
  EXPECT_EQ(found["h"], Ranges{});
  EXPECT_EQ(found["d"], (Ranges{{0, 4}, {6, 8}, {12, 14}}));
  EXPECT_EQ(found["a"], (Ranges{{0, 6}}));
  EXPECT_EQ(found["p"], (Ranges{{0, 6}}));
  EXPECT_EQ(found["n"], (Ranges{{0, 16}}));
}

TEST(DefinedTest, StridedHoles) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 6);
  const Region rows = {1, 2, {{3, 4}}};
  const ValueId c = b.Copy("copy", {{x, std::nullopt, rows}}, std::nullopt, 12, "c");
  b.Copy("back", {{c, Region{0, 3, {{3, 4}}}, std::nullopt}}, std::nullopt, 9, "r");
  const Found found(std::move(b));
  EXPECT_EQ(found["c"], (Ranges{{1, 3}, {5, 7}, {9, 11}}));
  // Of each row of three bytes the first is a hole.
  EXPECT_EQ(found["r"], (Ranges{{1, 3}, {4, 6}, {7, 9}}));
}

TEST(DefinedTest, SamplesHaveBothEnds) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 100);
  b.Constant("w", 6);
  const ValueId y = b.Compute("f", {.reads = {x}, .writes = {{.name = "y", .bytes = 50}}});
  b.Compute("g", {.writes = {{.name = "g", .bytes = 50, .base = y, .region = Region{10, 20, {}}}}});
  b.Compute("p",
            {.writes = {{.name = "p", .bytes = 50, .base = y, .region = Region{10, 20, {}}, .cover = Cover::kPart}}});
  // Ten runs of four bytes: the sample counts in the region's order.
  b.Compute("r", {.writes = {{.name = "r", .bytes = 100, .base = x, .region = Region{0, 4, {{10, 8}}}}}});
  b.Slice("slice", x, 2, 97, "s");
  const Found found(std::move(b), 3);
  EXPECT_EQ(found["x"], (Ranges{{0, 3}, {97, 100}}));
  EXPECT_EQ(found["w"], (Ranges{{0, 6}}));
  EXPECT_EQ(found["y"], (Ranges{{0, 3}, {47, 50}}));
  EXPECT_EQ(found["g"], (Ranges{{0, 3}, {10, 13}, {27, 30}, {47, 50}}));
  EXPECT_EQ(found["p"], (Ranges{{0, 3}, {10, 13}, {27, 30}, {47, 50}}));
  EXPECT_EQ(found["r"], (Ranges{{0, 3}, {73, 76}, {97, 100}}));
  EXPECT_EQ(found["s"], (Ranges{{0, 1}, {95, 97}}));
}

TEST(DefinedTest, WhatIsWrittenOfARegion) {
  Defined defined;
  EXPECT_EQ(defined.Written(0), ByteSet());
  EXPECT_EQ(defined.Written(9), ByteSet::Of({0, 9}));
  defined.sample_bytes = 4;
  EXPECT_EQ(defined.Written(8), ByteSet::Of({0, 8}));
  EXPECT_EQ(defined.Written(9), ByteSet::OfAll({{0, 4}, {5, 9}}));
  for (const int64_t much : {int64_t{1} << 62, INT64_MAX}) {
    defined.sample_bytes = much;
    EXPECT_EQ(defined.Written(9), ByteSet::Of({0, 9}));
  }
}

TEST(DefinedTest, TooManyRunsNameTheOp) {
  GraphBuilder b;
  const int64_t runs = int64_t{1} << 25;
  const ValueId x = b.Input("x", runs);
  b.Copy("spread", {{x, Region{0, runs - 1, {}}, Region{0, 1, {{runs - 1, 2}}}}}, std::nullopt, 2 * runs, "c");
  const Graph graph = Built(std::move(b));
  const absl::StatusOr<Defined> defined = FindDefined(graph, *SizesOf(graph, {}), 5);
  ASSERT_TRUE(defined.ok()) << "a sample needs few: " << defined.status();
  EXPECT_EQ(defined->values[1].size(), 9) << "of the operand's last five bytes four are read";
  const absl::Status status = FindDefined(graph, *SizesOf(graph, {}), runs / 2 - 1).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "op \"spread\": strided bytes fall into more than 2097152 pieces");
}

}  // namespace
}  // namespace bufplan::runtime
