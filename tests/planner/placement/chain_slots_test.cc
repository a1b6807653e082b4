#include "planner/placement/chain_slots.h"

#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/planner/placement/chain_cases.h"

namespace bufplan {
namespace {

void ExpectSlots(const PlacementProblem& problem) {
  const ChainOrder& order = *problem.order;
  const size_t n = problem.pieces.size(), k = static_cast<size_t>(order.num_chains);
  const ChainSlots slots = MakeChainSlots(problem);
  ASSERT_EQ(slots.piece.size(), n);
  ASSERT_EQ(slots.births.size(), n);
  ASSERT_EQ(slots.first.size(), k + 1);
  const auto in_list_order = [&](int32_t a, int32_t b) {
    const int64_t begin_a = problem.pieces[static_cast<size_t>(a)].begin;
    const int64_t begin_b = problem.pieces[static_cast<size_t>(b)].begin;
    return begin_a < begin_b || (begin_a == begin_b && a < b);
  };
  for (size_t i = 1; i < n; ++i) ASSERT_TRUE(in_list_order(slots.births[i - 1], slots.births[i]));
  for (size_t c = 0; c < k; ++c) {
    for (int32_t slot = slots.first[c]; slot < slots.first[c + 1]; ++slot) {
      const int32_t p = slots.piece[static_cast<size_t>(slot)];
      ASSERT_EQ(slots.slot[static_cast<size_t>(p)], slot);
      ASSERT_EQ(order.chain[static_cast<size_t>(p)], static_cast<int32_t>(c));
      ASSERT_TRUE(slot == slots.first[c] || in_list_order(slots.piece[static_cast<size_t>(slot) - 1], p));
    }
  }
  for (size_t a = 0; a < n; ++a) {
    for (size_t b = 0; b < n; ++b) {
      ASSERT_EQ(slots.Entry(a, static_cast<size_t>(order.chain[b])) <= slots.slot[b],
                order.Before(a, b, problem.pieces[b].begin));
    }
  }
}

TEST(ChainSlotsTest, TellTheWholeOrder) {
  std::mt19937_64 random(31);
  for (int round = 0; round < 1000; ++round) {
    SCOPED_TRACE(round);
    PlacementProblem problem = RandomChainProblem(random, {.max_pieces = 20, .max_ops = 12, .pieces = true});
    ExpectSlots(problem);
    // The same with gaps between the times.
    for (Piece& piece : problem.pieces) {
      piece.begin *= 1000;
      piece.end *= 1000;
    }
    for (int32_t& over : problem.order->over) over = over == ChainOrder::kNever ? over : over * 1000 - 500;
    ExpectSlots(problem);
  }
}

}  // namespace
}  // namespace bufplan
