#include "planner/placement/antichain.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "planner/placement/granules.h"
#include "tests/planner/placement/chain_cases.h"

namespace bufplan {
namespace {

bool Before(const PlacementProblem& problem, size_t a, size_t b) {
  return problem.order->Before(a, b, problem.pieces[b].begin);
}

bool Meet(const PlacementProblem& problem, size_t a, size_t b) {
  return !Before(problem, a, b) && !Before(problem, b, a);
}

// The granules that pieces which pairwise meet need, byte by byte, and the bound that follows.
struct Need {
  int64_t granules = 0, bytes = 0;
};

Need NeedOf(const PlacementProblem& problem, const std::vector<int32_t>& pieces, int64_t granule) {
  std::set<std::pair<size_t, int64_t>> occupied;
  int64_t tail = 0;
  for (int32_t p : pieces) {
    const Piece& piece = problem.pieces[static_cast<size_t>(p)];
    size_t storage = 0;
    while (problem.storages[storage].first_piece + problem.storages[storage].num_pieces <= static_cast<uint32_t>(p)) {
      ++storage;
    }
    const int64_t alignment = problem.storages[storage].alignment_bytes;
    if (alignment < granule) {  // where it begins is not known
      if (problem.storages[storage].num_pieces > 1) continue;
      const Granules granules = CountGranules(piece, alignment, granule);
      for (int64_t byte = 0; byte < granules.bytes; byte += granule) occupied.emplace(storage, byte);
      tail = std::max(tail, granules.tail);
      continue;
    }
    bool any = false;
    for (int64_t byte = piece.low; byte < piece.high; ++byte) {
      if (byte % granule != 0) continue;
      any = true;
      occupied.emplace(storage, byte / granule);
    }
    if (any) tail = std::max(tail, (granule - piece.high % granule) % granule);
  }
  const int64_t granules = static_cast<int64_t>(occupied.size());
  return {granules, granules * granule - tail};
}

// The heaviest antichain by trying all.
class AllAntichains {
 public:
  AllAntichains(const PlacementProblem& problem, int64_t granule) : problem_(problem), granule_(granule) { Extend(0); }
  Need best;  // each by itself

 private:
  void Extend(size_t next) {
    const Need need = NeedOf(problem_, chosen_, granule_);
    best.granules = std::max(best.granules, need.granules);
    best.bytes = std::max(best.bytes, need.bytes);
    for (size_t p = next; p < problem_.pieces.size(); ++p) {
      if (!std::all_of(chosen_.begin(), chosen_.end(),
                       [&](int32_t q) { return Meet(problem_, p, static_cast<size_t>(q)); })) {
        continue;
      }
      chosen_.push_back(static_cast<int32_t>(p));
      Extend(p + 1);
      chosen_.pop_back();
    }
  }

  const PlacementProblem& problem_;
  const int64_t granule_;
  std::vector<int32_t> chosen_;
};

void ExpectAntichain(const PlacementProblem& problem, const std::vector<int32_t>& pieces) {
  EXPECT_TRUE(std::is_sorted(pieces.begin(), pieces.end()));
  for (size_t i = 0; i < pieces.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      ASSERT_TRUE(Meet(problem, static_cast<size_t>(pieces[i]), static_cast<size_t>(pieces[j])))
          << pieces[j] << " and " << pieces[i];
    }
  }
}

int64_t PeakOfList(const PlacementProblem& problem) {
  int64_t peak = 0;
  for (const Piece& now : problem.pieces) {
    int64_t live = 0;
    for (const Piece& piece : problem.pieces) {
      if (piece.begin <= now.begin && now.begin < piece.end) live += piece.high - piece.low;
    }
    peak = std::max(peak, live);
  }
  return peak;
}

// Chain 0: a born at 0, c at 3; chain 1: b at 1, d at 4. Only b is before d, so a and d meet, although not in the list.
TEST(AntichainTest, CountsWhatSomeRunNeeds) {
  ChainProgram program;
  program.num_chains = 2;
  program.ops = {{0, {}}, {1, {}}, {0, {}}, {0, {}}, {1, {}}};
  program.lives = {{0, 0, {2}, 0, 6}, {1, 1, {}, 0, 3}, {2, 3, {}, 0, 4}, {3, 4, {}, 0, 5}};
  PlacementProblem problem = FromProgram(program);
  EXPECT_EQ(PeakOfList(problem), 9);
  Antichain antichain = HeaviestAntichain(problem, INT64_MAX);
  EXPECT_EQ(antichain.bytes, 11);
  EXPECT_EQ(antichain.pieces, std::vector<int32_t>({0, 3}));
  EXPECT_TRUE(antichain.exact);
  // Once op 4 waits for a's user, all are live as the list has it.
  program.ops[4].after = {2};
  EXPECT_EQ(HeaviestAntichain(FromProgram(program), INT64_MAX).bytes, 9);
}

TEST(AntichainTest, NothingIsLive) {
  PlacementProblem problem;
  problem.order.emplace().num_chains = 2;
  const Antichain antichain = HeaviestAntichain(problem, INT64_MAX);
  EXPECT_EQ(antichain.bytes, 0);
  EXPECT_TRUE(antichain.exact);
  EXPECT_TRUE(antichain.pieces.empty());
}

TEST(AntichainTest, BytesThatPiecesOfAStorageShareCountOnce) {
  ChainProgram program;
  program.ops = {{0, {}}, {0, {}}, {0, {}}};
  program.lives = {{0, 0, {1}, 0, 8}, {0, 1, {2}, 4, 10}};
  const Antichain antichain = HeaviestAntichain(FromProgram(program), INT64_MAX);
  EXPECT_EQ(antichain.bytes, 10);
  EXPECT_FALSE(antichain.exact);
}

TEST(AntichainTest, SumsOfPiecesThatDoNotFitAreNoBound) {
  ChainProgram program;
  program.ops = {{0, {}}, {0, {}}, {0, {}}, {0, {}}, {0, {}}};
  for (int32_t birth : {0, 1, 2, 3}) program.lives.push_back({0, birth, {birth + 1}, 0, int64_t{1} << 61});
  const Antichain antichain = HeaviestAntichain(FromProgram(program), INT64_MAX);
  EXPECT_GE(antichain.bytes, 0);
  EXPECT_LE(antichain.bytes, int64_t{1} << 61);
  EXPECT_FALSE(antichain.exact);
}

TEST(AntichainTest, IsTheHeaviestOfAll) {
  std::mt19937_64 random(11);
  int inexact = 0, above_list = 0, rounds = 0;
  for (int kind = 0; kind < 8; ++kind) {
    const ChainShape shape = {.pieces = (kind & 1) != 0, .alignments = (kind & 2) != 0, .chunks = (kind & 4) != 0};
    for (int round = 0; round < 500; ++round, ++rounds) {
      SCOPED_TRACE(testing::Message() << "kind " << kind << ", round " << round);
      const PlacementProblem problem = RandomChainProblem(random, shape);
      const Antichain antichain = HeaviestAntichain(problem, INT64_MAX);
      ExpectAntichain(problem, antichain.pieces);
      int64_t need = 0, least = 0, most = 0;  // of its pieces, of the heaviest in each granule at worst, and of any
      for (int64_t granule : GranulesWorthCounting(problem)) {
        const AllAntichains all(problem, granule);
        need = std::max(need, NeedOf(problem, antichain.pieces, granule).bytes);
        least = std::max(least, all.best.bytes - granule + 1);
        most = std::max(most, all.best.bytes);
      }
      ASSERT_EQ(antichain.bytes, need);
      ASSERT_LE(antichain.bytes, most);
      ASSERT_TRUE(shape.pieces || antichain.exact);
      ASSERT_TRUE(!antichain.exact || antichain.bytes >= least);
      inexact += !antichain.exact;
      above_list += antichain.bytes > PeakOfList(problem);
    }
  }
  EXPECT_GT(inexact, 0);
  EXPECT_LT(inexact, rounds / 3);
  EXPECT_GT(above_list, rounds / 5);
}

TEST(AntichainTest, AnyLimitGivesABound) {
  std::mt19937_64 random(12);
  int inexact = 0;
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(round);
    const PlacementProblem problem = RandomChainProblem(random, {.max_pieces = 40, .max_ops = 40});
    const Antichain best = HeaviestAntichain(problem, INT64_MAX);
    for (const int64_t limit : {int64_t{0}, int64_t{1}, best.work / 2, best.work - 1}) {
      const Antichain limited = HeaviestAntichain(problem, limit);
      ExpectAntichain(problem, limited.pieces);
      ASSERT_EQ(limited.bytes, NeedOf(problem, limited.pieces, 1).bytes);
      ASSERT_LE(limited.bytes, best.bytes);
      ASSERT_GE(limited.bytes, PeakOfList(problem));
      ASSERT_TRUE(!limited.exact || limited.bytes == best.bytes);
      inexact += !limited.exact;
    }
    ASSERT_EQ(HeaviestAntichain(problem, 8 * best.work).pieces, best.pieces);
  }
  EXPECT_GT(inexact, 0);
}

TEST(AntichainTest, ATimeThatIsOverGivesABound) {
  const Deadline past(std::chrono::steady_clock::time_point::min());
  std::mt19937_64 random(13);
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE(round);
    const PlacementProblem problem = RandomChainProblem(random, {.max_pieces = 40, .max_ops = 40});
    const Antichain cut = HeaviestAntichain(problem, INT64_MAX, past);
    ExpectAntichain(problem, cut.pieces);
    ASSERT_EQ(cut.bytes, NeedOf(problem, cut.pieces, 1).bytes);
    ASSERT_GE(cut.bytes, PeakOfList(problem));
    ASSERT_LE(cut.bytes, HeaviestAntichain(problem, INT64_MAX).bytes);
    ASSERT_FALSE(cut.exact);
  }
}

TEST(AntichainTest, LargeProblems) {
  for (const LargeChains kind : {LargeChains::kForkJoin, LargeChains::kSparse}) {
    const PlacementProblem problem = LargeChainProblem(kind, 2000, 8);
    const Antichain best = HeaviestAntichain(problem, INT64_MAX), limited = HeaviestAntichain(problem, 40'000);
    EXPECT_TRUE(best.exact);
    ExpectAntichain(problem, best.pieces);
    ExpectAntichain(problem, limited.pieces);
    EXPECT_EQ(best.bytes, NeedOf(problem, best.pieces, 256).bytes);
    EXPECT_GT(best.bytes, PeakOfList(problem));
    EXPECT_LE(limited.bytes, best.bytes);
    EXPECT_GE(limited.bytes, PeakOfList(problem));
    EXPECT_LT(limited.work, 80'000);
  }
}

}  // namespace
}  // namespace bufplan
