#include "tests/planner/placement/chain_cases.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace bufplan {
namespace {

int64_t Uniform(std::mt19937_64& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}

// By op and chain, the number of that chain's ops that have completed when the op starts; and the ops of each chain.
struct Clocks {
  explicit Clocks(const ChainProgram& program)
      : num_chains(static_cast<size_t>(program.num_chains)),
        ops_of(num_chains),
        position(program.ops.size()),
        completed(program.ops.size() * num_chains, 0) {
    for (size_t i = 0; i < program.ops.size(); ++i) {
      std::vector<int32_t>& chain = ops_of[static_cast<size_t>(program.ops[i].chain)];
      if (!chain.empty()) Wait(program, i, static_cast<size_t>(chain.back()));
      for (int32_t earlier : program.ops[i].after) Wait(program, i, static_cast<size_t>(earlier));
      position[i] = static_cast<int32_t>(chain.size());
      chain.push_back(static_cast<int32_t>(i));
    }
  }

  bool Precedes(size_t a, size_t b, size_t chain_of_a) const {
    return completed[b * num_chains + chain_of_a] > position[a];
  }

  size_t num_chains;
  std::vector<std::vector<int32_t>> ops_of;
  std::vector<int32_t> position;  // by op, on its chain
  std::vector<int32_t> completed;

 private:
  void Wait(const ChainProgram& program, size_t op, size_t earlier) {
    for (size_t c = 0; c < num_chains; ++c) {
      int32_t& count = completed[op * num_chains + c];
      count = std::max(count, completed[earlier * num_chains + c]);
    }
    int32_t& count = completed[op * num_chains + static_cast<size_t>(program.ops[earlier].chain)];
    count = std::max(count, position[earlier] + 1);
  }
};

// The first op of the chain that starts after all users are done. Along a chain ever more has completed.
int32_t FirstAfter(const ChainProgram& program, const Clocks& clocks, const ChainLife& life, size_t chain) {
  const std::vector<int32_t>& ops = clocks.ops_of[chain];
  const auto is_after_all = [&](int32_t op) {
    const auto precedes = [&](int32_t user) {
      return clocks.Precedes(static_cast<size_t>(user), static_cast<size_t>(op),
                             static_cast<size_t>(program.ops[static_cast<size_t>(user)].chain));
    };
    return precedes(life.birth) && std::all_of(life.users.begin(), life.users.end(), precedes);
  };
  const auto first = std::partition_point(ops.begin(), ops.end(), [&](int32_t op) { return !is_after_all(op); });
  return first == ops.end() ? ChainOrder::kNever : *first;
}

}  // namespace

PlacementProblem FromProgram(ChainProgram program, int64_t alignment_bytes) {
  for (const ChainLife& life : program.lives) {
    for (int32_t user : life.users) program.ops[static_cast<size_t>(user)].after.push_back(life.birth);
  }
  const Clocks clocks(program);
  PlacementProblem problem;
  problem.order.emplace().num_chains = program.num_chains;
  for (const ChainLife& life : program.lives) {
    if (life.storage == problem.storages.size()) {
      StorageSpec& storage = problem.storages.emplace_back();
      storage.alignment_bytes = alignment_bytes;
      storage.first_piece = static_cast<uint32_t>(problem.pieces.size());
    }
    StorageSpec& storage = problem.storages.back();
    storage.size_bytes = std::max(storage.size_bytes, life.high);
    ++storage.num_pieces;
    int32_t last = life.birth;
    for (int32_t user : life.users) last = std::max(last, user);
    problem.pieces.push_back({life.birth, last + 1, life.low, life.high});
    problem.order->chain.push_back(program.ops[static_cast<size_t>(life.birth)].chain);
    for (size_t c = 0; c < clocks.num_chains; ++c) {
      problem.order->over.push_back(FirstAfter(program, clocks, life, c));
    }
  }
  return problem;
}

PlacementProblem RandomChainProblem(std::mt19937_64& random, const ChainShape& shape) {
  ChainProgram program;
  program.num_chains = static_cast<int32_t>(Uniform(random, 1, shape.max_chains));
  const int64_t num_ops = Uniform(random, 1, static_cast<int64_t>(shape.max_ops));
  const int64_t waits = Uniform(random, 0, 3), crosses = Uniform(random, 0, 6);  // of 10
  for (int64_t i = 0; i < num_ops; ++i) {
    ChainOp& op = program.ops.emplace_back();
    op.chain = static_cast<int32_t>(Uniform(random, 0, program.num_chains - 1));
    if (i > 0 && Uniform(random, 0, 9) < waits) op.after.push_back(static_cast<int32_t>(Uniform(random, 0, i - 1)));
  }
  const auto chain_of = [&program](int64_t op) { return program.ops[static_cast<size_t>(op)].chain; };
  const int64_t num_pieces = Uniform(random, 1, static_cast<int64_t>(shape.max_pieces));
  const int64_t reach = Uniform(random, 1, num_ops / 2 + 1);
  for (int64_t i = 0; i < num_pieces; ++i) {
    const bool same = shape.pieces && i > 0 && Uniform(random, 0, 1) == 0;
    const size_t storage = i == 0 ? 0 : program.lives.back().storage + (same ? 0 : 1);
    ChainLife& life = program.lives.emplace_back();
    life.storage = storage;
    life.birth = static_cast<int32_t>(Uniform(random, 0, num_ops - 1));
    for (int64_t uses = Uniform(random, 0, 3); uses > 0 && life.birth + 1 < num_ops; --uses) {
      const int64_t last = std::min<int64_t>(num_ops - 1, life.birth + reach);
      const int64_t user = Uniform(random, life.birth + 1, last);
      const bool stays = chain_of(user) == chain_of(life.birth);
      if (stays || Uniform(random, 0, 9) < crosses) life.users.push_back(static_cast<int32_t>(user));
    }
    life.low = shape.pieces ? Uniform(random, 0, shape.max_size - 1) : 0;
    life.high = Uniform(random, life.low + 1, shape.max_size);
  }
  PlacementProblem problem = FromProgram(std::move(program));
  for (StorageSpec& storage : problem.storages) {
    if (shape.alignments) storage.alignment_bytes = int64_t{1} << Uniform(random, 0, 3);
  }
  if (shape.chunks) problem.max_chunk_bytes = shape.max_size + Uniform(random, 0, shape.max_size);
  return problem;
}

PlacementProblem LargeChainProblem(LargeChains kind, size_t num_pieces, int32_t num_chains) {
  std::mt19937_64 random(1);
  ChainProgram program;
  program.num_chains = num_chains;
  const bool joins = kind == LargeChains::kForkJoin;
  const int64_t k = num_chains, n = static_cast<int64_t>(num_pieces), section = 20 * k;
  std::vector<int32_t> last_of(static_cast<size_t>(k), -1);  // by chain, its last op
  for (int64_t i = 0; i < n; ++i) {
    ChainOp& op = program.ops.emplace_back();
    op.chain = static_cast<int32_t>(Uniform(random, 0, k - 1));
    if (joins && i % section == 0) {  // waits for all, and all others of its section for it
      std::copy_if(last_of.begin(), last_of.end(), std::back_inserter(op.after),
                   [](int32_t last) { return last >= 0; });
    } else if (joins) {
      op.after.push_back(static_cast<int32_t>(i - i % section));
    }
    last_of[static_cast<size_t>(op.chain)] = static_cast<int32_t>(i);
  }
  const auto chain_of = [&program](int64_t op) { return program.ops[static_cast<size_t>(op)].chain; };
  for (int64_t i = 0; i < n; ++i) {
    ChainLife& life = program.lives.emplace_back();
    life.storage = static_cast<size_t>(i);
    life.birth = static_cast<int32_t>(i);
    life.high = 256 * Uniform(random, 1, 64);
    const int64_t horizon = Uniform(random, 0, 9) == 0 ? 60 * k : 5 * k;
    const bool crosses = Uniform(random, 0, joins ? 39 : 9) == 0;
    for (int64_t uses = Uniform(random, 1, 3); uses > 0; --uses) {
      int64_t user = i + Uniform(random, 1, horizon);
      while (!crosses && user < n && chain_of(user) != chain_of(i)) ++user;
      if (user < n) life.users.push_back(static_cast<int32_t>(user));
    }
  }
  return FromProgram(std::move(program), 256);
}

}  // namespace bufplan
