// Lives that are ordered in part only, first fit and all of placement: lists, trees and the naive method agree, and no
// two pieces that are alive at once share a byte.
#include "planner/placement/chain_occupancy.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "planner/placement/conflict_lists.h"
#include "planner/placement/first_fit.h"
#include "planner/placement/placement.h"
#include "tests/planner/placement/chain_cases.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

std::vector<int32_t> ShuffledOrder(size_t n, std::mt19937_64& random) {
  std::vector<int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

ChainShape ShapeOf(int kind) {
  return {.max_chains = 2 + kind % 4,
          .max_pieces = 20,
          .max_ops = 24,
          .pieces = (kind & 1) != 0,
          .alignments = (kind & 2) != 0,
          .chunks = (kind & 4) != 0};
}

// Pins a storage here and there, where that meets no other pin.
void AddPins(std::mt19937_64& random, PlacementProblem& problem) {
  const auto meet = [&problem](size_t s, size_t t) {
    const StorageSpec &a = problem.storages[s], &b = problem.storages[t];
    for (size_t p = a.first_piece; p < a.first_piece + a.num_pieces; ++p) {
      for (size_t q = b.first_piece; q < b.first_piece + b.num_pieces; ++q) {
        const int64_t at_p = *a.pinned_offset_bytes, at_q = *b.pinned_offset_bytes;
        const Piece &x = problem.pieces[p], &y = problem.pieces[q];
        if (problem.Meet(p, q) && at_p + x.low < at_q + y.high && at_q + y.low < at_p + x.high) return true;
      }
    }
    return false;
  };
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    StorageSpec& storage = problem.storages[s];
    const int64_t pin = static_cast<int64_t>(random() % 3) * 8;
    if (random() % 5 != 0 || pin + storage.size_bytes > problem.max_chunk_bytes.value_or(INT64_MAX)) continue;
    storage.pinned_offset_bytes = pin;
    for (size_t t = 0; t < s && storage.pinned_offset_bytes.has_value(); ++t) {
      if (problem.storages[t].pinned_offset_bytes.has_value() && meet(s, t)) storage.pinned_offset_bytes.reset();
    }
  }
}

// Also after a pass that gave up: what it had placed is not there any more.
TEST(ChainOccupancy, ListsTreesAndTheNaiveMethodAgree) {
  std::mt19937_64 random(41);
  for (int kind = 0; kind < 32; ++kind) {
    for (int round = 0; round < 150; ++round) {
      PlacementProblem problem = RandomChainProblem(random, ShapeOf(kind));
      if ((kind & 8) != 0) AddPins(random, problem);
      const size_t n = problem.storages.size();
      if ((kind & 16) != 0 && n > 1 && !problem.storages[0].pinned_offset_bytes.has_value()) {
        problem.disjoint.push_back(
            {0, static_cast<int32_t>(n) - 1, 0, problem.storages[0].size_bytes, 0, problem.storages[n - 1].size_bytes});
      }
      const std::vector<int32_t> order = ShuffledOrder(n, random);
      const Placement naive = NaiveFirstFit(problem, order);
      for (ConflictSearch search : {ConflictSearch::kLists, ConflictSearch::kTree}) {
        FirstFit first_fit(problem, search);
        ASSERT_EQ(first_fit.lists() != nullptr, search == ConflictSearch::kLists);
        ASSERT_EQ(first_fit.PinConflict(), std::nullopt);
        std::vector<int64_t> offsets;
        first_fit.Run(ShuffledOrder(n, random), 1 + static_cast<int64_t>(random() % 20), INT64_MAX, offsets);
        ASSERT_EQ(first_fit.Run(order, INT64_MAX, INT64_MAX, offsets), naive.total_bytes)
            << "kind " << kind << ", round " << round;
        const Placement placement = first_fit.OnChunks(offsets);
        ASSERT_EQ(placement.offset_bytes, naive.offset_bytes) << "kind " << kind << ", round " << round;
        ASSERT_EQ(placement.chunk, naive.chunk) << "kind " << kind << ", round " << round;
      }
    }
  }
}

TEST(ChainOccupancy, ListsAndTreesAgreeOnLargeProblems) {
  std::mt19937_64 random(42);
  for (const LargeChains kind : {LargeChains::kForkJoin, LargeChains::kSparse}) {
    for (const int32_t chains : {2, 7}) {
      const PlacementProblem problem = LargeChainProblem(kind, 3000, chains);
      FirstFit lists(problem, ConflictSearch::kLists), tree(problem, ConflictSearch::kTree);
      std::vector<int64_t> offsets_a, offsets_b;
      for (int pass = 0; pass < 2; ++pass) {
        const std::vector<int32_t> order = ShuffledOrder(problem.storages.size(), random);
        ASSERT_EQ(lists.Run(order, INT64_MAX, INT64_MAX, offsets_a), tree.Run(order, INT64_MAX, INT64_MAX, offsets_b));
        ASSERT_EQ(offsets_a, offsets_b);
      }
    }
  }
}

TEST(ConflictListsOfChains, HoldExactlyThePairsThatMeet) {
  std::mt19937_64 random(43);
  for (int round = 0; round < 3000; ++round) {
    const PlacementProblem problem = RandomChainProblem(random, ShapeOf(round % 8));
    const std::vector<int32_t> owner = OwnersOfPieces(problem);
    const size_t n = problem.pieces.size();
    const std::optional<ConflictLists> lists = ConflictLists::Build(problem, static_cast<int64_t>(n * n));
    ASSERT_TRUE(lists.has_value());
    int64_t pairs = 0;
    for (size_t p = 0; p < n; ++p) {
      std::multiset<int32_t> expected;
      for (size_t q = 0; q < n; ++q) {
        if (p < q) pairs += problem.Meet(p, q);
        if (owner[p] != owner[q] && problem.Meet(p, q)) expected.insert(static_cast<int32_t>(q));
      }
      const absl::Span<const int32_t> of = lists->Of(p);
      ASSERT_EQ(std::multiset<int32_t>(of.begin(), of.end()), expected) << "round " << round << ", piece " << p;
    }
    ASSERT_TRUE(ConflictLists::Build(problem, pairs).has_value()) << "round " << round;
    ASSERT_FALSE(pairs > 0 && ConflictLists::Build(problem, pairs - 1).has_value()) << "round " << round;
  }
}

// The heaviest pieces that pairwise meet, by trying all.
int64_t HeaviestByTryingAll(const PlacementProblem& problem, std::vector<size_t>& chosen, size_t next) {
  int64_t most = 0;
  for (size_t p : chosen) most += problem.pieces[p].high - problem.pieces[p].low;
  for (size_t p = next; p < problem.pieces.size(); ++p) {
    if (!std::all_of(chosen.begin(), chosen.end(), [&](size_t q) { return problem.Meet(p, q); })) continue;
    chosen.push_back(p);
    most = std::max(most, HeaviestByTryingAll(problem, chosen, p + 1));
    chosen.pop_back();
  }
  return most;
}

// FindFault looks at all pairs of pieces.
TEST(PlaceChains, IsWithoutFaultAtEveryEffort) {
  std::mt19937_64 random(44);
  for (int kind = 0; kind < 16; ++kind) {
    for (int round = 0; round < 100; ++round) {
      PlacementProblem problem = RandomChainProblem(random, ShapeOf(kind));
      if ((kind & 8) != 0) AddPins(random, problem);
      int64_t fast = 0;
      for (PlacementEffort effort : {PlacementEffort::kFast, PlacementEffort::kDefault, PlacementEffort::kMax}) {
        const auto placement = Place(problem, {effort, effort == PlacementEffort::kMax ? 20'000 : 0});
        ASSERT_TRUE(placement.ok()) << placement.status();
        ASSERT_EQ(FindFault(problem, *placement), "") << "kind " << kind << ", round " << round;
        if (effort == PlacementEffort::kFast) fast = placement->total_bytes;
        ASSERT_LE(placement->total_bytes, fast) << "kind " << kind << ", round " << round;
      }
    }
  }
}

TEST(PlaceChains, IsBoundedByTheHeaviestAntichain) {
  std::mt19937_64 random(45);
  int above = 0, by_antichain = 0;
  constexpr int kRounds = 1500;
  for (int round = 0; round < kRounds; ++round) {
    const PlacementProblem problem = RandomChainProblem(random, {.max_chains = 4, .max_pieces = 12, .max_ops = 14});
    std::vector<size_t> chosen;
    const int64_t heaviest = HeaviestByTryingAll(problem, chosen, 0);
    const auto fast = Place(problem, {PlacementEffort::kFast}), placement = Place(problem, {});
    ASSERT_TRUE(fast.ok() && placement.ok());
    ASSERT_GE(fast->total_bytes, heaviest) << "round " << round;
    ASSERT_LE(fast->lower_bound_bytes, heaviest) << "round " << round;
    ASSERT_EQ(placement->lower_bound_bytes, heaviest) << "round " << round;
    above += placement->total_bytes > heaviest;
    by_antichain += placement->bound == BoundMethod::kAntichain;
  }
  EXPECT_LT(above, kRounds / 20);
  EXPECT_GT(by_antichain, kRounds / 20);
}

// Only a capacity below the heaviest antichain is proven not to be enough.
TEST(PlaceChains, CapacitiesBelowTheHeaviestAntichainAreProvenToBeShort) {
  std::mt19937_64 random(46);
  for (int round = 0; round < 500; ++round) {
    PlacementProblem problem = RandomChainProblem(random, {.max_chains = 3, .max_pieces = 10, .max_ops = 12});
    std::vector<size_t> chosen;
    const int64_t heaviest = HeaviestByTryingAll(problem, chosen, 0);
    for (const int64_t capacity : {heaviest - 1, heaviest}) {
      problem.capacity_bytes = capacity;
      for (PlacementEffort effort : {PlacementEffort::kFast, PlacementEffort::kDefault}) {
        const auto placement = Place(problem, {effort});
        if (capacity < heaviest) {
          ASSERT_TRUE(absl::IsResourceExhausted(placement.status())) << placement.status();
        } else {
          ASSERT_FALSE(absl::IsResourceExhausted(placement.status())) << placement.status();
        }
      }
    }
  }
}

}  // namespace
}  // namespace bufplan
