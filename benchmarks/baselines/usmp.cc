#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmarks/baselines/baselines.h"
#include "benchmarks/baselines/gap_fit.h"
#include "benchmarks/baselines/overlaps.h"

namespace bufplan {
namespace {

enum class Key : uint8_t { kSize, kConflicts };

std::vector<int32_t> Order(const Problem& problem, Key key) {
  const std::vector<int64_t> conflicts = OverlapsByBuffer(problem);
  std::vector<int32_t> order = Participants(problem);
  std::sort(order.begin(), order.end(), [&](int32_t i, int32_t k) {
    const Buffer &a = problem.buffers[static_cast<size_t>(i)], &b = problem.buffers[static_cast<size_t>(k)];
    const int64_t conflicts_a = conflicts[static_cast<size_t>(i)], conflicts_b = conflicts[static_cast<size_t>(k)];
    const auto by_size = [&] { return a.bytes > b.bytes; };
    const auto by_conflicts = [&] { return conflicts_a > conflicts_b; };
    if (key == Key::kSize && a.bytes != b.bytes) return by_size();
    if (conflicts_a != conflicts_b) return by_conflicts();
    if (a.bytes != b.bytes) return by_size();
    return a.name != b.name ? a.name > b.name : i < k;
  });
  return order;
}

absl::StatusOr<BaselinePlan> Greedy(const Problem& problem, const BaselineLimits& limits, Key key) {
  if (absl::Status s = CheckKnown(problem, limits, /*knows_chunks=*/false); !s.ok()) return s;
  return FitInOrder(problem, limits, Order(problem, key), GapRule::kOnTop);
}

// The order of the buffers, and how it is changed.
class Climber {
 public:
  Climber(const Problem& problem, const Overlaps& overlaps)
      : problem_(problem),
        overlaps_(overlaps),
        fit_(problem, &overlaps),
        order_(Order(problem, Key::kSize)),
        position_(problem.buffers.size(), 0) {
    for (size_t i = 0; i < order_.size(); ++i) position_[static_cast<size_t>(order_[i])] = i;
  }

  int64_t Place() {
    fit_.Clear();
    for (int32_t b : order_) fit_.Place(b, GapRule::kLowest);
    return fit_.bytes();
  }
  const std::vector<int64_t>& offsets() const { return fit_.offsets(); }

  void Swap(size_t i, size_t k) {
    std::swap(order_[i], order_[k]);
    position_[static_cast<size_t>(order_[i])] = i;
    position_[static_cast<size_t>(order_[k])] = k;
  }

  // Positions to swap: of a neighbour, placed earlier, of a buffer that ends where the memory does, and of another one
  // of its neighbours or one of theirs. Equal positions: there is nothing to swap.
  std::pair<size_t, size_t> Choose(const std::vector<int64_t>& offsets, int64_t bytes) {
    std::vector<int32_t> highest;
    for (int32_t b : order_) {
      if (offsets[Index(b)] + problem_.buffers[Index(b)].bytes == bytes) highest.push_back(b);
    }
    first_.clear();
    second_.clear();
    const int32_t top = highest[Below(highest.size())];
    for (int32_t n : overlaps_.Of(top)) {
      if (position_[Index(n)] < position_[Index(top)]) first_.push_back(position_[Index(n)]);
      for (int32_t m : overlaps_.Of(n)) {
        if (position_[Index(m)] < position_[Index(n)]) second_.push_back(position_[Index(m)]);
      }
    }
    if (first_.empty()) return {0, 0};
    const size_t one = first_[Below(first_.size())];
    size_t other = one;
    for (int attempts = 0; other == one && attempts < 100; ++attempts) {
      const bool far = !second_.empty() && Below(100) > 25;
      other = far ? second_[Below(second_.size())] : first_[Below(first_.size())];
    }
    return {one, other};
  }

  size_t Below(size_t bound) { return static_cast<size_t>(random_() % bound); }

 private:
  static size_t Index(int32_t b) { return static_cast<size_t>(b); }

  const Problem& problem_;
  const Overlaps& overlaps_;
  GapFit fit_;
  std::vector<int32_t> order_;
  std::vector<size_t> position_;  // by buffer
  std::vector<size_t> first_, second_;
  std::mt19937_64 random_{1};
};

}  // namespace

absl::StatusOr<BaselinePlan> UsmpBySize(const Problem& problem, const BaselineLimits& limits) {
  return Greedy(problem, limits, Key::kSize);
}

absl::StatusOr<BaselinePlan> UsmpByConflicts(const Problem& problem, const BaselineLimits& limits) {
  return Greedy(problem, limits, Key::kConflicts);
}

absl::StatusOr<BaselinePlan> UsmpHillClimb(const Problem& problem, const BaselineLimits& limits) {
  constexpr int64_t kRounds = 500;
  if (absl::Status s = CheckKnown(problem, limits, /*knows_chunks=*/false); !s.ok()) return s;
  const OverlapCounts counts = CountOverlaps(problem);
  if (kRounds * StepsByLists(counts.pairs) > limits.max_steps) {
    return absl::ResourceExhaustedError(
        absl::StrCat(counts.pairs, " pairs of buffers alive at once, ", kRounds, " times"));
  }
  const int64_t desired = counts.load;
  const Overlaps overlaps(problem);
  Climber climber(problem, overlaps);
  // `current` is what the next change starts from, `best` what is returned.
  std::vector<int64_t> current, best;
  int64_t current_bytes = 0, best_bytes = INT64_MAX;
  std::pair<size_t, size_t> swapped = {0, 0};
  for (int64_t round = 0; round < kRounds; ++round) {
    const int64_t bytes = climber.Place();
    const auto accept = [&] {
      if (round == 0 || bytes < current_bytes) return true;
      const int64_t chance = 50 * (bytes - current_bytes) / bytes / round;
      return static_cast<int64_t>(climber.Below(100)) < chance;
    };
    if (accept()) {
      current = climber.offsets();
      current_bytes = bytes;
      if (bytes < best_bytes) {
        best = current;
        best_bytes = bytes;
      }
      if (best_bytes <= desired) break;
    } else {
      climber.Swap(swapped.second, swapped.first);
    }
    swapped = climber.Choose(current, current_bytes);
    climber.Swap(swapped.first, swapped.second);
  }
  for (int64_t& offset : best) offset = std::max<int64_t>(offset, 0);
  return InOneChunk(problem, std::move(best));
}

}  // namespace bufplan
