#include "ir/checker/memory_map.h"

#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "ir/happens_before.h"

namespace bufplan::checker {
namespace {

using What = Finding::What;

std::optional<What> WhatOf(const std::optional<Finding>& f) {
  return f.has_value() ? std::optional<What>(f->what) : std::nullopt;
}

TEST(MemoryMapTest, TotalOrderRemembersWhatLiesWhere) {
  const Order order;
  MemoryMap map(2, 10, &order);
  EXPECT_FALSE(map.Put(0, {0, 16}, 1, 0).has_value());
  EXPECT_FALSE(map.Put(1, {8, 16}, 2, 0).has_value());
  EXPECT_EQ(map.Put(0, {12, 20}, 3, 0)->range, (ByteRange{12, 16}));
  EXPECT_FALSE(map.Read(0, {4, 8}, 1, 4, {0}).has_value());
  EXPECT_FALSE(map.Write(0, {4, 8}, 4, 0, 1).has_value());
  const Finding f = *map.Read(0, {0, 12}, 1, 0, {2});
  EXPECT_EQ(f.range, (ByteRange{4, 8}));
  EXPECT_EQ(f.origin, 4);
  EXPECT_EQ(f.node, 1);
  EXPECT_FALSE(map.Read(0, {8, 12}, 1, 8, {2}).has_value());
  EXPECT_TRUE(map.Read(0, {8, 12}, 1, 7, {2}).has_value());
  EXPECT_EQ(map.Read(1, {0, 16}, 2, 0, {2})->origin, kNothing);
}

TEST(MemoryMapTest, KeepAliveSeesThatBytesWereTouched) {
  const Order order;
  MemoryMap map(1, 10, &order);
  map.Write(0, {0, 8}, 1, 0, 3);
  EXPECT_FALSE(map.Read(0, {0, 8}, 1, 0, {5, true, 3}).has_value());
  map.Write(0, {2, 4}, 1, 2, 4);
  EXPECT_FALSE(map.Read(0, {0, 8}, 1, 0, {5}).has_value());
  EXPECT_EQ(WhatOf(map.Read(0, {0, 8}, 1, 0, {5, true, 3})), What::kTouched);
}

Order TwoStreams(int n, const std::vector<HappensBefore::Edge>& edges) {
  Order order;
  order.num_streams = 2;
  for (int i = 0; i < n; ++i) order.stream.push_back(i % 2);
  order.partial = *HappensBefore::Create(order.stream, 2, edges);
  return order;
}

TEST(MemoryMapTest, PartialOrderWantsWritersAndReadersBefore) {
  const Order order = TwoStreams(6, {{0, 1}, {2, 5}});
  MemoryMap map(1, 10, &order);
  map.Write(0, {0, 8}, 1, 0, 0);
  EXPECT_FALSE(map.Read(0, {0, 4}, 1, 0, {1}).has_value());  // 0 before 1
  EXPECT_FALSE(map.Read(0, {4, 8}, 1, 4, {2}).has_value());
  EXPECT_EQ(WhatOf(map.Write(0, {0, 4}, 2, 0, 4)), What::kUnorderedReader);  // 1 is on the other stream
  EXPECT_FALSE(map.Write(0, {4, 8}, 3, 0, 5).has_value());                   // 2 before 5
  EXPECT_EQ(WhatOf(map.Read(0, {0, 4}, 2, 0, {5})), What::kUnorderedWriter);
  EXPECT_EQ(WhatOf(map.Write(0, {0, 8}, 3, 0, 5)), What::kUnorderedWriter);
}

// Against a plain array of bytes, each with its writer and all its readers.
TEST(MemoryMapTest, AgreesWithArrays) {
  constexpr int64_t kBytes = 20;
  struct Byte {
    Origin origin = kNothing;
    int64_t offset = 0;
    int32_t writer = kStart;
    std::set<int32_t> readers;
  };
  for (uint32_t seed = 1; seed <= 2000; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
    constexpr int kNodes = 60, kStreams = 3;
    Order order;
    order.num_streams = kStreams;
    std::vector<HappensBefore::Edge> edges;
    for (int32_t i = 0; i < kNodes; ++i) {
      order.stream.push_back(static_cast<int32_t>(below(kStreams)));
      if (i > 0 && below(3) == 0) edges.emplace_back(static_cast<int32_t>(below(i)), i);
    }
    order.partial = *HappensBefore::Create(order.stream, kStreams, edges);
    MemoryMap map(1, kNodes, &order);
    std::vector<Byte> bytes(kBytes);
    const auto before = [&](int32_t a, int32_t b) { return a == b || order.Before(a, b); };
    for (int32_t node = 0; node < kNodes; ++node) {
      const int64_t begin = below(kBytes), end = begin + 1 + below(kBytes - begin);
      std::optional<What> expected;
      if (below(2) == 0) {
        for (int64_t i = begin; i < end; ++i) {
          Byte& b = bytes[static_cast<size_t>(i)];
          const bool known = b.origin != kNothing;
          if (!expected.has_value() && known && !before(b.writer, node)) expected = What::kUnorderedWriter;
          for (int32_t r : b.readers) {
            if (!expected.has_value() && !before(r, node)) expected = What::kUnorderedReader;
          }
          b = {node, i - begin, node, {}};
        }
        ASSERT_EQ(WhatOf(map.Write(0, {begin, end}, node, 0, node)), expected) << "seed " << seed << " node " << node;
        continue;
      }
      const Byte wanted = bytes[static_cast<size_t>(begin)];
      const Origin origin = wanted.origin == kNothing ? 0 : wanted.origin;
      for (int64_t i = begin; i < end; ++i) {
        Byte& b = bytes[static_cast<size_t>(i)];
        if (!expected.has_value() && (b.origin != origin || b.offset != wanted.offset + (i - begin))) {
          expected = What::kContent;
        } else if (!expected.has_value() && !before(b.writer, node)) {
          expected = What::kUnorderedWriter;
        }
        if (b.origin != kNothing) b.readers.insert(node);
      }
      ASSERT_EQ(WhatOf(map.Read(0, {begin, end}, origin, wanted.offset, {node})), expected)
          << "seed " << seed << " node " << node;
    }
  }
}

}  // namespace
}  // namespace bufplan::checker
