#include "ir/checker/content.h"

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ir/checker/nest.h"

namespace bufplan::checker {
namespace {

using Bytes = std::vector<std::pair<Origin, int64_t>>;

Bytes Spell(const ContentPool& pool, const Content& c, int64_t bytes) {
  Bytes result;
  pool.ForEach(c, {0, bytes}, [&](int64_t at, int64_t size, Origin origin, int64_t offset) {
    EXPECT_EQ(at, static_cast<int64_t>(result.size()));
    for (int64_t i = 0; i < size; ++i) result.emplace_back(origin, origin == kUndefined ? 0 : offset + i);
    return true;
  });
  return result;
}

TEST(ContentTest, UpdateOfAPart) {
  ContentPool pool;
  Content c = ContentPool::Piece(7, 0);
  pool.Overwrite(c, 10, 4, ContentPool::Piece(8, 0), 2);
  EXPECT_EQ(Spell(pool, c, 10),
            (Bytes{{7, 0}, {7, 1}, {7, 2}, {7, 3}, {8, 0}, {8, 1}, {7, 6}, {7, 7}, {7, 8}, {7, 9}}));
  EXPECT_EQ(pool.Pieces(c), 3);
  EXPECT_EQ(Spell(pool, pool.Slice(c, 10, {5, 7}), 2), (Bytes{{8, 1}, {7, 6}}));
}

TEST(ContentTest, PatternsAreOriginsLikeOthers) {
  ContentPool pool;
  const Origin p = pool.AddPattern(*Nest::Create(2, {{3, 4}}), ContentPool::Piece(7, 100));
  const Origin q = pool.AddPattern(*Nest::Create(1, {{4, 2}}), ContentPool::Piece(8, 0));
  EXPECT_TRUE(IsPattern(p) && IsPattern(q));
  EXPECT_FALSE(IsPattern(7) || IsPattern(kUndefined) || IsPattern(kNothing));
  Content c = ContentPool::Piece(1, 0);
  pool.Overwrite(c, 10, 2, ContentPool::Piece(p, 0), 6);
  pool.Overwrite(c, 10, 4, ContentPool::Piece(q, 1), 2);
  EXPECT_EQ(Spell(pool, c, 10),
            (Bytes{{1, 0}, {1, 1}, {p, 0}, {p, 1}, {q, 1}, {q, 2}, {p, 4}, {p, 5}, {1, 8}, {1, 9}}));
  EXPECT_EQ(pool.pattern(p).nest.runs(), 3);
  EXPECT_EQ(pool.pattern(q).source.origin, 8);
}

TEST(ContentTest, ForEachStopsWhereToldAndSeesOnlyTheRange) {
  ContentPool pool;
  Content c = ContentPool::Piece(1, 0);
  for (int64_t at : {2, 4, 6}) pool.Overwrite(c, 8, at, ContentPool::Piece(2, at), 1);
  int calls = 0;
  pool.ForEach(c, {3, 7}, [&](int64_t at, int64_t, Origin, int64_t) {
    EXPECT_TRUE(at >= 3 && at < 7);
    return ++calls < 2;
  });
  EXPECT_EQ(calls, 2);
}

// Against plain arrays; versions stay what they were, and nothing leaks.
TEST(ContentTest, AgreesWithArrays) {
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
    ContentPool pool;
    std::vector<std::pair<Content, Bytes>> values;
    constexpr int64_t kBytes = 24;
    values.emplace_back(ContentPool::Piece(0, 0), Bytes());
    for (int64_t i = 0; i < kBytes; ++i) values[0].second.emplace_back(0, i);
    for (int step = 1; step < 40; ++step) {
      const auto& [base, base_bytes] = values[static_cast<size_t>(below(static_cast<int64_t>(values.size())))];
      const auto& [source, source_bytes] = values[static_cast<size_t>(below(static_cast<int64_t>(values.size())))];
      const int64_t size = below(kBytes + 1), from = below(kBytes - size + 1), to = below(kBytes - size + 1);
      Content c = pool.Share(base);
      Bytes bytes = base_bytes;
      if (below(2) == 0) {
        const Content piece = pool.Slice(source, kBytes, {from, from + size});
        pool.Overwrite(c, kBytes, to, piece, size);
        pool.Release(piece);
        for (int64_t i = 0; i < size; ++i) {
          bytes[static_cast<size_t>(to + i)] = source_bytes[static_cast<size_t>(from + i)];
        }
      } else {
        std::vector<ContentPool::Placed> placed;
        for (int64_t at = below(4); at < kBytes; at += 2 + below(6)) placed.push_back({at, 1, step, at});
        pool.OverwriteAll(c, kBytes, placed);
        for (const ContentPool::Placed& p : placed) bytes[static_cast<size_t>(p.at)] = {step, p.at};
      }
      values.emplace_back(c, bytes);
    }
    for (const auto& [c, bytes] : values) ASSERT_EQ(Spell(pool, c, kBytes), bytes) << "seed " << seed;
    for (const auto& [c, bytes] : values) pool.Release(c);
    ASSERT_EQ(pool.nodes_in_use(), 0) << "seed " << seed;
  }
}

TEST(ContentTest, DoublingSharesAndCountsPieces) {
  ContentPool pool;
  Content c = ContentPool::Piece(1, 0);
  pool.Overwrite(c, 2, 0, ContentPool::Piece(2, 0), 1);
  int64_t bytes = 2;
  for (int i = 0; i < 60; ++i) {
    Content twice;
    pool.Overwrite(twice, 2 * bytes, 0, c, bytes);
    pool.Overwrite(twice, 2 * bytes, bytes, c, bytes);
    pool.Release(c);
    c = twice;
    bytes *= 2;
  }
  EXPECT_EQ(pool.Pieces(c), int64_t{1} << 61);
  Bytes last;
  pool.ForEach(c, {bytes - 3, bytes}, [&](int64_t, int64_t, Origin origin, int64_t offset) {
    last.emplace_back(origin, offset);
    return true;
  });
  EXPECT_EQ(last, (Bytes{{1, 1}, {2, 0}, {1, 1}}));
}

}  // namespace
}  // namespace bufplan::checker
