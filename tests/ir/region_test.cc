#include "ir/region.h"

#include <random>
#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Expr kS = Expr::FromSymbol(SymbolId(0));
const std::vector<Symbol> kSymbols = {{"s", 0, 7, 1}};

Region Bytes(Expr at, Expr bytes) { return Region{std::move(at), std::move(bytes), {}}; }

TEST(Region, BytesEndAndSpan) {
  const Region plain = Bytes(8, 16), boxes{4, 2, {Dim{3, 32}, Dim{4, 8}}};
  EXPECT_EQ(RegionBytes(plain), Expr(16));
  EXPECT_EQ(RegionEnd(plain), Expr(24));
  EXPECT_EQ(RegionBytes(boxes), Expr(24));
  EXPECT_EQ(RegionEnd(boxes), Expr(4 + 64 + 24 + 2));
  EXPECT_EQ(RegionSpan(boxes, {}), (ByteRange{4, 94}));
  const Region symbolic = Bytes(8 * kS, 8);
  EXPECT_EQ(RegionSpan(symbolic, kSymbols), (ByteRange{0, 64}));
  EXPECT_EQ(RegionSpan(Bytes(kS * INT64_MAX, 8), kSymbols), std::nullopt);
}

std::vector<ByteRange> Runs(const Region& region, std::vector<int64_t> symbols = {}) {
  std::vector<ByteRange> runs;
  EXPECT_TRUE(AppendRuns(region, symbols, 1000, runs));
  return runs;
}

TEST(Region, RunsAreInRowMajorOrder) {
  EXPECT_THAT(Runs(Bytes(8, 16)), ElementsAre(ByteRange{8, 24}));
  EXPECT_THAT(Runs(Region{0, 2, {Dim{2, 100}, Dim{3, 10}}}),
              ElementsAre(ByteRange{0, 2}, ByteRange{10, 12}, ByteRange{20, 22}, ByteRange{100, 102},
                          ByteRange{110, 112}, ByteRange{120, 122}));
  EXPECT_THAT(Runs(Region{0, 2, {Dim{3, 10}, Dim{2, 100}}}),
              ElementsAre(ByteRange{0, 2}, ByteRange{100, 102}, ByteRange{10, 12}, ByteRange{110, 112},
                          ByteRange{20, 22}, ByteRange{120, 122}));
}

TEST(Region, AdjacentRunsAreMerged) {
  EXPECT_THAT(Runs(Region{0, 8, {Dim{4, 8}}}), ElementsAre(ByteRange{0, 32}));
  EXPECT_THAT(Runs(Region{0, 8, {Dim{2, 32}, Dim{2, 8}}}), ElementsAre(ByteRange{0, 16}, ByteRange{32, 48}));
}

TEST(Region, EmptyRegionsHaveNoRuns) {
  EXPECT_THAT(Runs(Bytes(8, 0)), IsEmpty());
  EXPECT_THAT(Runs(Region{0, 8, {Dim{0, 32}}}), IsEmpty());
  EXPECT_THAT(Runs(Bytes(0, 8 * kS), {0}), IsEmpty());
}

TEST(Region, RunsHaveALimitAndNeedSymbolValues) {
  std::vector<ByteRange> runs;
  EXPECT_FALSE(AppendRuns(Region{0, 1, {Dim{11, 2}}}, {}, 10, runs));
  runs.clear();
  EXPECT_TRUE(AppendRuns(Region{0, 1, {Dim{10, 2}}}, {}, 10, runs));
  EXPECT_FALSE(AppendRuns(Bytes(0, kS), {}, 10, runs));
}

TEST(Region, NoSelfOverlapByNesting) {
  EXPECT_TRUE(ProveNoSelfOverlap(Bytes(0, 100), {}));
  EXPECT_TRUE(ProveNoSelfOverlap(Region{0, 8, {Dim{4, 8}}}, {}));
  EXPECT_FALSE(ProveNoSelfOverlap(Region{0, 9, {Dim{4, 8}}}, {}));
  EXPECT_TRUE(ProveNoSelfOverlap(Region{0, 9, {Dim{1, 8}}}, {}));              // one run only
  EXPECT_TRUE(ProveNoSelfOverlap(Region{0, 8, {Dim{4, 8}, Dim{2, 32}}}, {}));  // transposed
  EXPECT_FALSE(ProveNoSelfOverlap(Region{0, 8, {Dim{5, 8}, Dim{2, 32}}}, {}));
  EXPECT_TRUE(ProveNoSelfOverlap(Region{0, 8 * kS, {Dim{4, 8 * kS + 8}}}, kSymbols));
  EXPECT_FALSE(ProveNoSelfOverlap(Region{0, 8 * kS + 16, {Dim{4, 8 * kS + 8}}}, kSymbols));
  EXPECT_FALSE(ProveNoSelfOverlap(Region{0, 8, {Dim{2, 0}}}, {}));
}

TEST(Region, DisjointByOrderOrByResidue) {
  EXPECT_TRUE(ProveRegionsDisjoint(Bytes(0, 8), Bytes(8, 8), {}));
  EXPECT_FALSE(ProveRegionsDisjoint(Bytes(0, 9), Bytes(8, 8), {}));
  EXPECT_TRUE(ProveRegionsDisjoint(Bytes(0, 8 * kS), Bytes(8 * kS, 8), kSymbols));
  EXPECT_FALSE(ProveRegionsDisjoint(Bytes(0, 8 * kS + 1), Bytes(8 * kS, 8), kSymbols));
  const Region left{0, 16, {Dim{8, 64}}}, middle{16, 32, {Dim{8, 64}}}, wide{8, 16, {Dim{8, 64}}};
  EXPECT_TRUE(ProveRegionsDisjoint(left, middle, {}));
  EXPECT_TRUE(ProveRegionsDisjoint(middle, left, {}));
  EXPECT_FALSE(ProveRegionsDisjoint(left, wide, {}));
  const Expr pitch = 256 * (kS + 1);
  const Region old_rows{0, 256 * kS, {Dim{32, pitch}}}, new_row{256 * kS, 256, {Dim{32, pitch}}};
  EXPECT_TRUE(ProveRegionsDisjoint(old_rows, new_row, kSymbols));
  EXPECT_FALSE(ProveRegionsDisjoint(old_rows, Region{256 * kS, 256, {Dim{32, 256}}}, kSymbols));
}

// What is claimed holds byte by byte.
TEST(Region, ProofsAgreeWithBytes) {
  int proven = 0, apart = 0;
  std::mt19937 random(1);
  const auto below = [&](int n) { return static_cast<int64_t>(random() % static_cast<uint32_t>(n)); };
  const auto make = [&] {
    Region r{below(40), below(6), {}};
    for (int64_t d = below(3); d > 0; --d) r.dims.push_back(Dim{below(4), 4 * below(5)});
    return r;
  };
  for (int i = 0; i < 20000; ++i) {
    const Region a = make(), b = make();
    std::multiset<int64_t> bytes_a;
    std::set<int64_t> bytes_b;
    for (const ByteRange& r : Runs(a)) {
      for (int64_t k = r.begin; k < r.end; ++k) bytes_a.insert(k);
    }
    for (const ByteRange& r : Runs(b)) {
      for (int64_t k = r.begin; k < r.end; ++k) bytes_b.insert(k);
    }
    EXPECT_EQ(RegionBytes(a), Expr(static_cast<int64_t>(bytes_a.size())));
    bool repeats = false, meet = false;
    for (int64_t k : bytes_a) {
      repeats = repeats || bytes_a.count(k) > 1;
      meet = meet || bytes_b.count(k) > 0;
      EXPECT_TRUE(RegionSpan(a, {})->Contains({k, k + 1}));
    }
    EXPECT_FALSE(repeats && ProveNoSelfOverlap(a, {})) << RegionText(a, {});
    const bool disjoint = ProveRegionsDisjoint(a, b, {});
    EXPECT_FALSE(meet && disjoint) << RegionText(a, {}) << " " << RegionText(b, {});
    proven += disjoint;
    apart += !meet;
  }
  EXPECT_GT(proven, apart / 4);
}

TEST(Region, Text) {
  EXPECT_EQ(RegionText(Bytes(0, 64), {}), "[0, 64)");
  EXPECT_EQ(RegionText(Bytes(8192 * kS, 8192), kSymbols), "[8192*s, 8192*s + 8192)");
  EXPECT_EQ(RegionText(Region{0, 64, {Dim{8, 256}}}, {}), "[0, 64) x 8 every 256");
}

TEST(ByteRange, MeetsAndContains) {
  EXPECT_TRUE((ByteRange{0, 2}).Meets({1, 3}));
  EXPECT_FALSE((ByteRange{0, 2}).Meets({2, 3}));
  EXPECT_FALSE((ByteRange{0, 4}).Meets({2, 2}));
  EXPECT_TRUE((ByteRange{0, 4}).Contains({0, 4}));
  EXPECT_FALSE((ByteRange{0, 4}).Contains({0, 5}));
  EXPECT_EQ((ByteRange{3, 7}).size(), 4);
  EXPECT_TRUE((ByteRange{3, 3}).empty());
}

}  // namespace
}  // namespace bufplan
