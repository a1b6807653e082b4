#include "planner/placement/chain_slots.h"

#include <algorithm>

#include "planner/placement/time_order.h"

namespace bufplan {
namespace {

// By time, the first slot of one chain that begins then or later.
class NextSlot {
 public:
  // `begins`: of the chain's slots, ascending. `use_table`: whether a table over their span is worth its space.
  NextSlot(const std::vector<int64_t>& begins, bool use_table) : begins_(begins) {
    if (!use_table || begins.empty()) return;
    table_.reserve(static_cast<size_t>(begins.back() - begins.front()) + 1);
    for (size_t i = 0; i < begins.size(); ++i) {
      const size_t size = static_cast<size_t>(begins[i] - begins.front()) + 1;
      if (table_.size() < size) table_.resize(size, static_cast<int32_t>(i));
    }
  }

  int32_t At(int64_t time) const {
    if (begins_.empty() || time > begins_.back()) return static_cast<int32_t>(begins_.size());
    if (time <= begins_.front()) return 0;
    if (!table_.empty()) return table_[static_cast<size_t>(time - begins_.front())];
    return static_cast<int32_t>(std::lower_bound(begins_.begin(), begins_.end(), time) - begins_.begin());
  }

 private:
  const std::vector<int64_t>& begins_;
  std::vector<int32_t> table_;
};

}  // namespace

ChainSlots MakeChainSlots(const PlacementProblem& problem) {
  const ChainOrder& order = *problem.order;
  const size_t n = problem.pieces.size(), k = static_cast<size_t>(order.num_chains);
  std::vector<int64_t> begins(n);
  for (size_t p = 0; p < n; ++p) begins[p] = problem.pieces[p].begin;

  ChainSlots slots;
  OrderByTime(begins, slots.births);
  slots.num_chains = order.num_chains;
  slots.first.assign(k + 1, 0);
  for (size_t p = 0; p < n; ++p) ++slots.first[static_cast<size_t>(order.chain[p]) + 1];
  for (size_t c = 0; c < k; ++c) slots.first[c + 1] += slots.first[c];
  slots.piece.resize(n);
  slots.slot.resize(n);
  std::vector<int32_t> next = slots.first;
  for (int32_t p : slots.births) {
    const int32_t slot = next[static_cast<size_t>(order.chain[static_cast<size_t>(p)])]++;
    slots.piece[static_cast<size_t>(slot)] = p;
    slots.slot[static_cast<size_t>(p)] = slot;
  }

  slots.entry.resize(n * k);
  std::vector<int64_t> chain_begins;
  for (size_t c = 0; c < k; ++c) {
    chain_begins.clear();
    for (int32_t slot = slots.first[c]; slot < slots.first[c + 1]; ++slot) {
      chain_begins.push_back(begins[static_cast<size_t>(slots.piece[static_cast<size_t>(slot)])]);
    }
    const int64_t limit = 4 * static_cast<int64_t>(n);
    const NextSlot next_slot(chain_begins, !chain_begins.empty() && chain_begins.back() - chain_begins.front() < limit);
    for (size_t p = 0; p < n; ++p) {
      slots.entry[p * k + c] = slots.first[c] + next_slot.At(order.Over(p, static_cast<int32_t>(c)));
    }
  }
  return slots;
}

}  // namespace bufplan
