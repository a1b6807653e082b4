#include "planner/sharing/strided.h"

#include <vector>

#include "gtest/gtest.h"
#include "ir/region.h"
#include "tests/oracle/random.h"

namespace bufplan {
namespace {

const std::vector<Symbol> kSymbols = {{"s", 0, 7, 1}, {"t", 1, 9, 1}};
const Expr kS = Expr::FromSymbol(SymbolId(0)), kT = Expr::FromSymbol(SymbolId(1));

std::vector<ByteRange> RunsOf(const Region& region, int64_t s, int64_t t) {
  std::vector<ByteRange> runs;
  EXPECT_TRUE(AppendRuns(region, {s, t}, 1 << 20, runs));
  return runs;
}

// The bytes of `part` of a value that lies at `place`, one by one.
std::vector<int64_t> BytesOf(const Region& place, const Region& part, int64_t s, int64_t t) {
  std::vector<int64_t> address, bytes;
  for (const ByteRange& r : RunsOf(place, s, t)) {
    for (int64_t b = r.begin; b < r.end; ++b) address.push_back(b);
  }
  for (const ByteRange& r : RunsOf(part, s, t)) {
    for (int64_t b = r.begin; b < r.end; ++b) bytes.push_back(address[static_cast<size_t>(b)]);
  }
  return bytes;
}

TEST(DivideExact, Polynomials) {
  EXPECT_EQ(DivideExact(8192 * (kS + 1), 256 * (kS + 1)), Expr(32));
  EXPECT_EQ(DivideExact(256 * (kS + 1), 256), kS + 1);
  EXPECT_EQ(DivideExact(6 * kS * kT + 4 * kT, 2 * kT), 3 * kS + 2);
  EXPECT_EQ(DivideExact(0, kS), Expr(0));
  EXPECT_EQ(DivideExact(CeilDiv(kS, 4) * 12, CeilDiv(kS, 4)), Expr(12));
  EXPECT_EQ(DivideExact(256 * kS, 256 * (kS + 1)), std::nullopt);
  EXPECT_EQ(DivideExact(7, 2), std::nullopt);
  EXPECT_EQ(DivideExact(kS, 0), std::nullopt);
  EXPECT_EQ(DivideExact(kT, kS), std::nullopt);
}

TEST(Normalized, JoinsWhatFollowsEachOther) {
  EXPECT_EQ(Normalized({8, 4, {Dim{3, 4}}}, kSymbols), (Region{8, 12, {}}));
  EXPECT_EQ(Normalized({8, 4, {Dim{1, 100}, Dim{3, 8}}}, kSymbols), (Region{8, 4, {Dim{3, 8}}}));
  EXPECT_EQ(Normalized({0, 4, {Dim{5, 24}, Dim{3, 8}}}, kSymbols), (Region{0, 4, {Dim{15, 8}}}));
  EXPECT_EQ(Normalized({0, 256, {Dim{32, 256}}}, kSymbols), (Region{0, 8192, {}}));
  EXPECT_EQ(Normalized({0, 4, {Dim{3, 5}}}, kSymbols), (Region{0, 4, {Dim{3, 5}}}));
}

// The rows of a cache, seen head by head: docs/design.md and benchmarks/decode_graph.h.
TEST(Compose, PartsOfHeadsInACache) {
  const Region all{0, 4, {Dim{2, 4}, Dim{kS + 1, 8}}};  // [2][s + 1][4] in rows of 2 * 4 bytes
  const Region new_row{4 * kS, 4, {Dim{2, 4 * (kS + 1)}}};
  EXPECT_EQ(Compose(all, new_row, kSymbols), (Region{8 * kS, 8, {}}));
  const Region old_rows{0, 4 * kS, {Dim{2, 4 * (kS + 1)}}};
  EXPECT_EQ(Compose(all, old_rows, kSymbols), (Region{0, 4, {Dim{2, 4}, Dim{kS, 8}}}));
  for (int64_t s = 0; s <= 7; ++s) {
    EXPECT_EQ(BytesOf(all, new_row, s, 1), BytesOf({8 * kS, 8, {}}, {0, 8, {}}, s, 1));
  }
}

TEST(PlaceFromPart, FindsTheCacheLayout) {
  const Region old_rows{0, 4 * kS, {Dim{2, 4 * (kS + 1)}}};
  const Region target{0, 4, {Dim{2, 4}, Dim{kS, 8}}};
  EXPECT_EQ(PlaceFromPart(target, old_rows, 8 * (kS + 1), kSymbols), (Region{0, 4, {Dim{2, 4}, Dim{kS + 1, 8}}}));
  // One run in one run: the value begins before it.
  EXPECT_EQ(PlaceFromPart({100, 8, {}}, {24, 8, {}}, 64, kSymbols), (Region{76, 64, {}}));
  EXPECT_EQ(PlaceFromPart({100, 8, {}}, {24, 4, {}}, 64, kSymbols), std::nullopt);
}

// Whatever is found holds byte by byte.
TEST(Compose, AgreesWithBytesOneByOne) {
  int found = 0;
  for (uint64_t seed = 1; seed <= 4000; ++seed) {
    Rng random(seed);
    const auto pick = [&](int64_t n) { return random.Between(0, n - 1); };
    Region place{pick(20), 1 + pick(4), {}};
    Expr stride = place.run_bytes + pick(3);
    int64_t bytes = place.run_bytes.constant();
    for (int64_t i = pick(3); i > 0; --i) {
      const int64_t count = 1 + pick(3);
      place.dims.insert(place.dims.begin(), Dim{count, stride});
      stride = stride * count + pick(2);
      bytes *= count;
    }
    Region part{pick(bytes), 1 + pick(3), {}};
    if (pick(2) == 0) part.dims.push_back({1 + pick(3), 1 + pick(6)});
    const std::optional<ByteRange> span = RegionSpan(part, kSymbols);
    if (!span.has_value() || span->end > bytes) continue;
    const std::optional<Region> composed = Compose(place, part, kSymbols);
    if (!composed.has_value()) continue;
    ++found;
    const std::vector<int64_t> want = BytesOf(place, part, 0, 1);
    std::vector<int64_t> have;
    for (const ByteRange& r : RunsOf(*composed, 0, 1)) {
      for (int64_t b = r.begin; b < r.end; ++b) have.push_back(b);
    }
    ASSERT_EQ(have, want) << "seed " << seed << " place " << RegionText(place, kSymbols) << " part "
                          << RegionText(part, kSymbols);
    const std::optional<Region> back = PlaceFromPart(*composed, part, bytes, kSymbols);
    if (back.has_value()) {
      ASSERT_EQ(BytesOf(*back, part, 0, 1), want) << "seed " << seed;
    }
  }
  EXPECT_GT(found, 500);
}

}  // namespace
}  // namespace bufplan
