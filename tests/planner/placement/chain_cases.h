// Placement problems with a partial order of lives, made from programs that run on several chains.
#ifndef BUFPLAN_TESTS_PLANNER_PLACEMENT_CHAIN_CASES_H_
#define BUFPLAN_TESTS_PLANNER_PLACEMENT_CHAIN_CASES_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "planner/placement/placement.h"

namespace bufplan {

// Ops in list order, times 0, 1, 2, ... Those of one chain run one after another.
struct ChainOp {
  int32_t chain = 0;
  std::vector<int32_t> after;  // other ops, listed earlier, that complete before it starts
};

// Bytes [low, high) of a storage, written by op `birth` and needed until all users are done. A user starts after the
// birth, without being told so in `after`.
struct ChainLife {
  size_t storage = 0;
  int32_t birth = 0;
  std::vector<int32_t> users;  // listed after the birth
  int64_t low = 0, high = 0;
};

struct ChainProgram {
  int32_t num_chains = 1;
  std::vector<ChainOp> ops;
  std::vector<ChainLife> lives;  // by storage, without gaps
};

// The pieces in order of the lives, and the order that the program gives them. COST: O(ops * chains + uses + lives *
// chains * log(ops)).
PlacementProblem FromProgram(ChainProgram program, int64_t alignment_bytes = 1);

struct ChainShape {
  int32_t max_chains = 4;
  size_t max_pieces = 12, max_ops = 14;
  int64_t max_size = 10;
  bool pieces = false;      // storages of several pieces, on any bytes at any times
  bool alignments = false;  // powers of two up to 8
  bool chunks = false;
};

PlacementProblem RandomChainProblem(std::mt19937_64& random, const ChainShape& shape);

// A program of `num_pieces` ops, each with a result that ops of the next few steps of its chain read, some much later
// ones, and that now and then another chain reads. kForkJoin: every 20 steps of each chain or so all chains wait for
// each other.
enum class LargeChains { kForkJoin, kSparse };
PlacementProblem LargeChainProblem(LargeChains kind, size_t num_pieces, int32_t num_chains);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_PLANNER_PLACEMENT_CHAIN_CASES_H_
