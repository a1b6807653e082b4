#include "planner/placement/chain_cut.h"

#include <algorithm>
#include <cstddef>

#include "planner/placement/time_order.h"

namespace bufplan {
namespace {

class CutSearch {
 public:
  CutSearch(const ChainSlots& slots, absl::Span<const int64_t> weights, ChainCut& cut)
      : slots_(slots), weights_(weights), cut_(cut), chain_(weights.size()), barred_(weights.size(), 0) {
    for (size_t c = 0; c < cut.size(); ++c) {
      for (int32_t slot = slots.first[c]; slot < slots.first[c + 1]; ++slot) {
        chain_[static_cast<size_t>(slots.piece[static_cast<size_t>(slot)])] = static_cast<int32_t>(c);
      }
    }
    for (size_t c = 0; c < cut.size(); ++c) Count(c, 1);
  }

  int64_t Weight() const {
    int64_t weight = 0;
    for (size_t p = 0; p < barred_.size(); ++p) weight += barred_[p] == 0 ? weights_[p] : 0;
    return weight;
  }

  // Moves the cut on chain c to the best place. False if it is there.
  bool Move(size_t c) {
    Count(c, -1);
    const int32_t first = slots_.first[c], size = slots_.first[c + 1] - first;
    change_.assign(static_cast<size_t>(size) + 2, 0);  // of what is live, by place
    for (size_t p = 0; p < barred_.size(); ++p) {
      if (barred_[p] != 0) continue;
      // Live at the places from behind its slot, if it is on this chain, up to its entry.
      const int32_t begin = chain_[p] == static_cast<int32_t>(c) ? slots_.slot[p] + 1 - first : 0;
      change_[static_cast<size_t>(begin)] += weights_[p];
      change_[static_cast<size_t>(slots_.Entry(p, c) + 1 - first)] -= weights_[p];
    }
    const int32_t old_place = cut_[c] - first;
    int32_t best_place = 0;
    int64_t weight = 0, best = -1, old = 0;
    for (int32_t place = 0; place <= size; ++place) {
      weight += change_[static_cast<size_t>(place)];
      if (place == old_place) old = weight;
      if (weight <= best) continue;
      best = weight;
      best_place = place;
    }
    if (best > old) cut_[c] = first + best_place;
    Count(c, 1);
    return best > old;
  }

 private:
  bool BarredBy(size_t p, size_t c) const {
    return slots_.Entry(p, c) < cut_[c] || (chain_[p] == static_cast<int32_t>(c) && slots_.slot[p] >= cut_[c]);
  }
  void Count(size_t c, int32_t sign) {
    for (size_t p = 0; p < barred_.size(); ++p) barred_[p] += BarredBy(p, c) ? sign : 0;
  }

  const ChainSlots& slots_;
  absl::Span<const int64_t> weights_;
  ChainCut& cut_;
  std::vector<int32_t> chain_;   // by piece
  std::vector<int32_t> barred_;  // by piece, the number of chains on which the cut keeps it from being live
  std::vector<int64_t> change_;
};

}  // namespace

std::vector<int32_t> LiveAt(const ChainSlots& slots, const ChainCut& cut) {
  std::vector<int32_t> live;
  for (size_t c = 0; c < cut.size(); ++c) {
    for (int32_t slot = slots.first[c]; slot < cut[c]; ++slot) {
      const int32_t p = slots.piece[static_cast<size_t>(slot)];
      bool over = false;
      for (size_t d = 0; d < cut.size() && !over; ++d) over = slots.Entry(static_cast<size_t>(p), d) < cut[d];
      if (!over) live.push_back(p);
    }
  }
  std::sort(live.begin(), live.end());
  return live;
}

ChainCut ListPeak(const PlacementProblem& problem, const ChainSlots& slots, absl::Span<const int64_t> weights) {
  const size_t n = problem.pieces.size();
  std::vector<int64_t> begins(n), ends(n);
  for (size_t p = 0; p < n; ++p) {
    begins[p] = problem.pieces[p].begin;
    ends[p] = problem.pieces[p].end;
  }
  const std::vector<int32_t>& births = slots.births;
  std::vector<int32_t> deaths;
  OrderByTime(ends, deaths);
  int64_t live = 0, highest = -1, peak_time = 0;
  size_t died = 0;
  for (size_t i = 0; i < n;) {
    const int64_t now = begins[static_cast<size_t>(births[i])];
    for (; died < n && ends[static_cast<size_t>(deaths[died])] <= now; ++died) {
      live -= weights[static_cast<size_t>(deaths[died])];
    }
    for (; i < n && begins[static_cast<size_t>(births[i])] == now; ++i) live += weights[static_cast<size_t>(births[i])];
    if (live <= highest) continue;
    highest = live;
    peak_time = now;
  }
  ChainCut cut(slots.first.begin(), slots.first.end() - 1);
  for (size_t c = 0; c < cut.size(); ++c) {
    while (cut[c] < slots.first[c + 1] &&
           begins[static_cast<size_t>(slots.piece[static_cast<size_t>(cut[c])])] <= peak_time) {
      ++cut[c];
    }
  }
  return cut;
}

int64_t ImproveCut(const ChainSlots& slots, absl::Span<const int64_t> weights, int64_t work_limit, ChainCut& cut,
                   int64_t& work, Deadline deadline) {
  CutSearch search(slots, weights, cut);
  size_t unmoved = 0;  // chains tried since the last move
  for (size_t c = 0; unmoved < cut.size() && work < work_limit && !deadline.Passed();
       c = c + 1 < cut.size() ? c + 1 : 0) {
    work += static_cast<int64_t>(weights.size());
    unmoved = search.Move(c) ? 1 : unmoved + 1;
  }
  return search.Weight();
}

}  // namespace bufplan
