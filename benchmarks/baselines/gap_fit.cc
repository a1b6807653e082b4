#include "benchmarks/baselines/gap_fit.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace bufplan {
namespace {

// Beyond that many the lists take more memory than they are worth.
constexpr int64_t kMaxListedPairs = 20'000'000;

}  // namespace

GapFit::GapFit(const Problem& problem, const Overlaps* overlaps) : problem_(problem), overlaps_(overlaps) { Clear(); }

void GapFit::Clear() {
  offsets_.assign(problem_.buffers.size(), -1);
  placed_.clear();
  bytes_ = 0;
}

int64_t GapFit::Place(int32_t buffer, GapRule rule) {
  const Buffer& b = problem_.buffers[static_cast<size_t>(buffer)];
  const int64_t alignment = problem_.alignment(b);
  if (overlaps_ != nullptr) {
    placed_.clear();
    for (int32_t o : overlaps_->Of(buffer)) {
      const int64_t low = offsets_[static_cast<size_t>(o)];
      if (low >= 0) placed_.push_back({low, low + problem_.buffers[static_cast<size_t>(o)].bytes, b.begin, b.end});
    }
    if (rule != GapRule::kOnTop) {
      std::sort(placed_.begin(), placed_.end(), [](const Placed& x, const Placed& y) { return x.low < y.low; });
    }
  }
  int64_t best = -1, best_room = INT64_MAX;
  const auto offer = [&](int64_t low, int64_t high) {
    const int64_t room = high - low;
    if (room < b.bytes || room >= best_room) return;
    best = low;
    best_room = room;
  };
  int64_t above = 0;  // what is placed so far ends there, aligned
  for (const Placed& p : placed_) {
    if (p.end <= b.begin || b.end <= p.begin) continue;
    if (rule != GapRule::kOnTop && p.low > above) offer(above, p.low);
    if (rule == GapRule::kLowest && best >= 0) break;
    above = std::max(above, AlignUp(p.high, alignment));
  }
  if (rule == GapRule::kSmallestOrAbove) offer(above, bytes_);
  const int64_t offset = best >= 0 ? best : above;
  offsets_[static_cast<size_t>(buffer)] = offset;
  bytes_ = std::max(bytes_, offset + b.bytes);
  if (overlaps_ == nullptr) {
    const Placed placed = {offset, offset + b.bytes, b.begin, b.end};
    placed_.insert(std::upper_bound(placed_.begin(), placed_.end(), placed,
                                    [](const Placed& x, const Placed& y) { return x.low < y.low; }),
                   placed);
  }
  return offset;
}

int64_t StepsByLists(int64_t pairs) { return 16 * pairs; }

absl::StatusOr<BaselinePlan> FitInOrder(const Problem& problem, const BaselineLimits& limits,
                                        absl::Span<const int32_t> order, GapRule rule) {
  const int64_t n = static_cast<int64_t>(order.size());
  const int64_t pairs = CountOverlaps(problem).pairs;
  const int64_t by_lists = pairs <= kMaxListedPairs ? StepsByLists(pairs) : INT64_MAX;
  const int64_t by_scan = n < (int64_t{1} << 31) ? n * n / 2 : INT64_MAX;
  if (std::min(by_lists, by_scan) > limits.max_steps) {
    return absl::ResourceExhaustedError(absl::StrCat(n, " buffers, ", pairs, " pairs of them alive at once"));
  }
  std::optional<Overlaps> overlaps;
  if (by_lists < by_scan) overlaps.emplace(problem);
  GapFit fit(problem, overlaps.has_value() ? &*overlaps : nullptr);
  for (int32_t b : order) fit.Place(b, rule);
  std::vector<int64_t> offsets = fit.offsets();
  for (int64_t& offset : offsets) offset = std::max<int64_t>(offset, 0);
  return InOneChunk(problem, std::move(offsets));
}

}  // namespace bufplan
