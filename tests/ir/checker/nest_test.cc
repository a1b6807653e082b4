#include "ir/checker/nest.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ir/graph.h"

namespace bufplan::checker {
namespace {

using Runs = std::vector<ByteRange>;

Runs Positions(const Nest& nest, ByteRange range, int64_t offset = 0) {
  Runs runs;
  nest.AppendRuns(range, offset, runs);
  return runs;
}

TEST(NestTest, LoopsAreInTheValuesOrder) {
  const Nest nest = *Nest::Create(2, {{3, 16}, {2, 4}});
  EXPECT_EQ(nest.bytes(), 12);
  EXPECT_EQ(nest.runs(), 6);
  EXPECT_EQ(nest.extent(), 38);
  EXPECT_EQ(Positions(nest, {0, 12}), (Runs{{0, 2}, {4, 6}, {16, 18}, {20, 22}, {32, 34}, {36, 38}}));
  EXPECT_EQ(Positions(nest, {3, 9}, 100), (Runs{{105, 106}, {116, 118}, {120, 122}, {132, 133}}));
  EXPECT_EQ(Positions(nest, {5, 5}), Runs());
}

TEST(NestTest, LoopsThatGoOnAreMerged) {
  EXPECT_TRUE(Nest::Create(2, {{4, 2}})->contiguous());
  EXPECT_TRUE(Nest::Create(2, {{3, 8}, {4, 2}})->contiguous());
  EXPECT_TRUE(Nest::Create(2, {{1, 99}})->contiguous());
  EXPECT_EQ(Nest::Create(2, {{3, 100}, {4, 2}})->runs(), 3);
  const Nest nest = *Nest::Create(2, {{3, 16}, {4, 4}});
  EXPECT_EQ(nest.runs(), 12);
  EXPECT_EQ(Positions(nest, {14, 18}), (Runs{{28, 30}, {32, 34}}));
}

TEST(NestTest, WhatExceeds64BitsIsNone) {
  EXPECT_FALSE(Nest::Create(2, {{INT64_MAX, 1}}).has_value());
  EXPECT_FALSE(Nest::Create(2, {{3, INT64_MAX / 2}}).has_value());
  EXPECT_TRUE(Nest::Create(2, {{2, INT64_MAX - 2}, {2, INT64_MAX / 2}}) == std::nullopt);
  EXPECT_EQ(Nest::Create(2, {{2, INT64_MAX - 2}})->extent(), INT64_MAX);
}

TEST(NestTest, DisjointRuns) {
  const auto disjoint = [](int64_t run, const Nest::Loops& loops, int64_t max_runs = 100) {
    return Nest::Create(run, loops)->RunsAreDisjoint(max_runs);
  };
  EXPECT_EQ(disjoint(2, {{3, 16}, {2, 4}}), true);
  EXPECT_EQ(disjoint(2, {{2, 4}, {3, 16}}, 0), true);  // nested, in another order
  EXPECT_EQ(disjoint(2, {{3, 1}}), false);
  EXPECT_EQ(disjoint(2, {{3, 0}}), false);
  EXPECT_EQ(disjoint(1, {{3, 2}, {2, 3}}), true);   // 0 3 2 5 4 7
  EXPECT_EQ(disjoint(1, {{4, 2}, {2, 6}}), false);  // 0 6 2 8 4 10 6
  EXPECT_EQ(disjoint(1, {{3, 2}, {2, 3}}, 5), std::nullopt);
}

// Every range either is a nest, and then of the same positions, or breaks a loop.
TEST(NestTest, PartsAreNests) {
  int nests = 0;
  for (const Nest::Loops& loops :
       std::vector<Nest::Loops>{{{3, 16}, {2, 4}}, {{2, 3}, {3, 2}}, {{4, 2}}, {{3, 9}, {3, 3}}}) {
    const Nest nest = *Nest::Create(2, loops);
    for (int64_t begin = 0; begin < nest.bytes(); ++begin) {
      for (int64_t end = begin + 1; end <= nest.bytes(); ++end) {
        const std::optional<Nest::Part> part = nest.PartOf({begin, end});
        if (!part.has_value()) continue;
        ++nests;
        EXPECT_EQ(part->nest.bytes(), end - begin);
        EXPECT_EQ(Positions(part->nest, {0, end - begin}, part->position), Positions(nest, {begin, end}));
      }
    }
    EXPECT_EQ(nest.PartOf({0, nest.bytes()})->nest, nest);
  }
  EXPECT_GT(nests, 100);
  const Nest nest = *Nest::Create(2, {{3, 16}, {2, 4}});
  EXPECT_EQ(nest.PartOf({4, 8})->nest, *Nest::Create(2, {{2, 4}}));
  EXPECT_EQ(nest.PartOf({4, 8})->position, 16);
  EXPECT_FALSE(nest.PartOf({2, 6}).has_value());
  EXPECT_EQ(Nest::PartOf(nullptr, {5, 9})->position, 5);
  EXPECT_EQ(Nest::PartOf(nullptr, {5, 9})->nest, *Nest::Create(4, {}));
}

TEST(NestTest, BudgetsEnd) {
  RunBudget budget(10);
  EXPECT_TRUE(budget.Spend(4) && budget.Spend(6));
  EXPECT_FALSE(budget.exhausted());
  EXPECT_FALSE(budget.Spend(1));
  EXPECT_FALSE(budget.Spend(0));
  EXPECT_TRUE(budget.exhausted());
}

TEST(NestTest, CursorsSeek) {
  const Nest nest = *Nest::Create(2, {{3, 16}, {2, 4}});
  Nest::Cursor cursor(&nest);
  for (const auto& [byte, position] : std::vector<std::pair<int64_t, int64_t>>{{5, 17}, {0, 0}, {11, 37}, {4, 16}}) {
    cursor.Seek(byte);
    EXPECT_EQ(cursor.position(), position);
    EXPECT_EQ(cursor.left_in_run(), 2 - byte % 2);
  }
  cursor.Advance(2);
  EXPECT_EQ(cursor.position(), 20);
  cursor.Advance(1);
  EXPECT_EQ(cursor.position(), 21);
  cursor.Advance(1);
  EXPECT_EQ(cursor.position(), 32);
  Nest::Cursor flat(nullptr);
  flat.Seek(7);
  flat.Advance(3);
  EXPECT_EQ(flat.position(), 10);
}

}  // namespace
}  // namespace bufplan::checker
