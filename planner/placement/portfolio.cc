// Place(): several greedy placements, the best of them improved, a search that may be exhaustive, the lower bound as
// the judge.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "planner/placement/antichain.h"
#include "planner/placement/chain_pools.h"
#include "planner/placement/chain_sweep.h"
#include "planner/placement/conflict_search.h"
#include "planner/placement/exact_search.h"
#include "planner/placement/first_fit.h"
#include "planner/placement/interval_order.h"
#include "planner/placement/large_scale.h"
#include "planner/placement/local_search.h"
#include "planner/placement/lower_bound.h"
#include "planner/placement/lowest_first.h"
#include "planner/placement/orders.h"
#include "planner/placement/pieces.h"
#include "planner/placement/placement.h"
#include "planner/placement/problem_check.h"
#include "planner/placement/shortfall.h"
#include "planner/placement/sweep.h"

namespace bufplan {
namespace {

// What nothing reaches.
constexpr int64_t kNoLimit = INT64_MAX / 4;

// More than any shorter search makes.
constexpr int64_t kAttemptsBefore = 6'000'000;

// Elementary steps cost a few nanoseconds each: a thousand storages get some milliseconds, a hundred thousand about a
// second.
int64_t WorkLimit(const PlacementOptions& options, size_t num_storages) {
  if (options.work_limit > 0) return options.work_limit;
  if (options.until_deadline()) return kNoLimit;
  const int64_t n = static_cast<int64_t>(num_storages);
  const int64_t limit = 1'000'000 + 2'000 * std::max<int64_t>(n - 1'000, 0);
  return options.effort == PlacementEffort::kMax ? 200 * limit : limit;
}

// Steps for the exact search, some ten nanoseconds each: some milliseconds for fifty storages, tens of milliseconds for
// hundreds. None where a single run would take most of that, or where it brings next to nothing.
int64_t ExactWorkLimit(const PlacementProblem& problem, const PlacementOptions& options) {
  const bool in_sections = CanSearchExactly(problem);
  if (!in_sections && !CanSearchConflicts(problem)) return 0;
  constexpr int64_t kMaxInConflict = 64;
  const int64_t n = static_cast<int64_t>(problem.storages.size());
  const bool short_run = options.effort != PlacementEffort::kMax && options.exact_work_limit == 0;
  if (!in_sections && n > kMaxInConflict && short_run) return 0;
  if (options.work_limit > 0) {
    // A few steps are not worth a list of all conflicts.
    const int64_t half = options.work_limit / 2;
    return in_sections || half >= n * n ? half : 0;
  }
  // A step among conflicts takes two or three times as long.
  if (options.exact_work_limit > 0) return in_sections ? options.exact_work_limit : options.exact_work_limit / 3;
  if (options.until_deadline()) return kNoLimit;
  const int64_t limit = in_sections ? std::clamp<int64_t>(200 * n * n, 200'000, 6'000'000) : 300'000;
  return options.effort == PlacementEffort::kMax ? 200 * limit : limit;
}

// The named orders are cut off after so many steps (some seconds), which only tens of thousands of storages that all
// live at once in no order at all can reach.
constexpr int64_t kNamedOrdersWorkLimit = 1'000'000'000;

// Steps that they take even where the time is over, of few storages.
constexpr int64_t kTimelessWork = 10'000'000;

// Large-scale placement is worth its time from here on.
constexpr size_t kLeastLargeScale = 512;
// Beyond this it has the word alone, below it leaves only the named orders to be tried from here on.
constexpr size_t kMostForOrders = 100'000;
constexpr size_t kMostForSearch = 10'000;
constexpr int64_t kLittlePart = 200;

// A caller's limit is shared with the search, in halves where one follows. Where only time counts, a search that
// follows can do more with it.
int64_t LargeScaleWorkLimit(PlacementOptions options, size_t num_storages) {
  if (num_storages <= kMostForSearch) options.deadline = {};
  const int64_t limit = WorkLimit(options, num_storages);
  if (options.work_limit > 0) return num_storages <= kMostForSearch ? limit / 2 : limit;
  if (num_storages < kMostForSearch) return limit;
  const int64_t most = 300'000'000 + 100 * static_cast<int64_t>(num_storages);
  return std::min(10 * limit, options.effort == PlacementEffort::kMax ? 20 * most : most);
}

// The portfolio. Keeps the best so far, as offsets on the line of chunks.
class Portfolio {
 public:
  Portfolio(const PlacementProblem& problem, const LowerBound& bound, FirstFit& first_fit,
            const PlacementOptions& options)
      : problem_(problem), bound_bytes_(bound.bytes), first_fit_(first_fit), options_(options) {}

  // A placement made elsewhere, in one chunk.
  void Offer(int64_t bytes, std::vector<int64_t> line_offset) {
    best_.bytes = bytes;
    best_.line_offset = std::move(line_offset);
  }

  // The named orders and, if asked to, others and a search.
  void Run(bool search) {
    if (done()) return;
    traits_ = ComputeTraits(problem_);
    const bool few = problem_.storages.size() <= kMostForSearch;
    const int64_t timeless_end = first_fit_.work() + (few ? kTimelessWork : 0);
    for (OrderKind kind : kNamedOrders) {
      const bool first = best_.bytes == INT64_MAX;
      if (!first) first_fit_.StopAt(options_.deadline, timeless_end);
      if (first_fit_.TooLate()) return;
      TryOrder(MakeOrder(traits_, kind), first ? INT64_MAX : kNamedOrdersWorkLimit);
      if (done()) return;
    }
    first_fit_.StopAt(options_.deadline, /*from_work=*/0);
    if (!search || first_fit_.TooLate()) return;
    // First fit can only lower what is placed from below.
    if (best_.order.empty()) TryOrder(OrderByOffset(), kNamedOrdersWorkLimit);
    int64_t work_limit = WorkLimit(options_, problem_.storages.size());
    const int64_t exact_limit = ExactWorkLimit(problem_, options_);
    const Deadline deadline = options_.deadline;
    const bool until_deadline = options_.until_deadline();
    // Where parts interlock, the climb finds what the search does not, and the other way round: it goes on from there.
    // Where only time counts, the search has the last word.
    int64_t later_limit = exact_limit;
    if (until_deadline) {
      if (exact_limit > 0) options_.deadline = deadline.Part(4);
      first_fit_.StopAt(options_.deadline, /*from_work=*/0);
    } else {
      later_limit = CanSearchExactly(problem_) || options_.work_limit > 0 ? 0 : exact_limit - exact_limit / 4;
    }
    const int64_t exact_work = SearchExactly(exact_limit - later_limit);
    if (done()) return;
    if (options_.work_limit > 0) work_limit = std::max<int64_t>(work_limit - exact_work, 0);
    work_end_ = work_limit > INT64_MAX - first_fit_.work() ? INT64_MAX : first_fit_.work() + work_limit;
    RunExtraOrders();
    if (!done() && !out_of_work() && !best_.order.empty()) {
      ImproveOrder(problem_, traits_, bound_bytes_, work_end_ - other_work_, first_fit_, best_);
    }
    options_.deadline = deadline;
    first_fit_.StopAt(deadline, /*from_work=*/0);
    if (!done()) SearchExactly(later_limit);
  }

  const OrderedPlacement& best() const { return unordered_.bytes < best_.bytes ? unordered_ : best_; }
  // Proven: at least the bound given.
  int64_t bound_bytes() const { return bound_bytes_; }

 private:
  bool done() const { return best().bytes <= bound_bytes_; }
  bool out_of_work() { return first_fit_.work() + other_work_ >= work_end_ || first_fit_.TooLate(); }

  void TryOrder(std::vector<int32_t> order, int64_t work_end) {
    // An order that does as well as what has no order is worth to have.
    const int64_t give_up = best_.order.empty() && best_.bytes < INT64_MAX ? best_.bytes + 1 : best_.bytes;
    const std::optional<int64_t> bytes = first_fit_.Run(order, give_up, work_end, line_offset_);
    if (!bytes.has_value()) return;
    best_.bytes = *bytes;
    best_.order = std::move(order);
    best_.line_offset.swap(line_offset_);
  }

  std::vector<int32_t> OrderByOffset() const {
    std::vector<int32_t> order(problem_.storages.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [this](int32_t a, int32_t b) {
      const int64_t offset_a = best_.line_offset[static_cast<size_t>(a)];
      const int64_t offset_b = best_.line_offset[static_cast<size_t>(b)];
      return offset_a != offset_b ? offset_a < offset_b : a < b;
    });
    return order;
  }

  // Returns the steps taken.
  int64_t SearchExactly(int64_t work_limit) {
    if (work_limit == 0 || options_.deadline.Passed()) return 0;
    SearchLimits limits = {work_limit, options_.threads, options_.deadline};
    // A shorter search came first; this one is not to repeat it.
    if (options_.until_deadline()) limits.first_attempt = kAttemptsBefore;
    ExactPlacement exact = CanSearchExactly(problem_)
                               ? MinimizePlacement(problem_, best().line_offset, limits)
                               : MinimizeAmongConflicts(problem_, best().line_offset, bound_bytes_, limits);
    bound_bytes_ = std::max(bound_bytes_, exact.lower_bound_bytes);
    if (exact.bytes >= best().bytes) return exact.work;
    OrderedPlacement before = std::exchange(best_, {{}, std::move(exact.offset_bytes), exact.bytes});
    // First fit can only lower what is placed from below; but storages that interlock need not lie as it lays them.
    TryOrder(OrderByOffset(), kNamedOrdersWorkLimit);
    if (best_.order.empty()) unordered_ = std::exchange(best_, std::move(before));
    return exact.work;
  }

  void RunExtraOrders() {
    for (OrderKind preference : {OrderKind::kBusiestArea, OrderKind::kDuration, OrderKind::kArea, OrderKind::kSize}) {
      if (done() || out_of_work()) return;
      std::optional<LowestFirst> lowest = OrderLowestFirst(
          problem_, MakeOrder(traits_, preference), work_end_ - first_fit_.work() - other_work_, options_.deadline);
      if (!lowest.has_value()) break;
      other_work_ += lowest->work;
      TryOrder(std::move(lowest->order), work_end_ - other_work_);
    }
    for (OrderKind kind : kExtraOrders) {
      if (done() || out_of_work()) return;
      TryOrder(MakeOrder(traits_, kind), work_end_ - other_work_);
    }
  }

  const PlacementProblem& problem_;
  int64_t bound_bytes_;
  FirstFit& first_fit_;
  PlacementOptions options_;
  int64_t work_end_ = 0;  // in first fit's count
  int64_t other_work_ = 0;
  StorageTraits traits_;
  OrderedPlacement best_{{}, {}, INT64_MAX};
  OrderedPlacement unordered_{{}, {}, INT64_MAX};  // found by search, where no order gives as little
  std::vector<int64_t> line_offset_;
};

Placement InOneChunk(int64_t bytes, std::vector<int64_t> offset_bytes) {
  Placement placement;
  placement.chunk.assign(offset_bytes.size(), 0);
  placement.offset_bytes = std::move(offset_bytes);
  placement.chunk_bytes = {bytes};
  placement.total_bytes = bytes;
  return placement;
}

bool Fits(const PlacementProblem& problem, int64_t bytes) {
  return bytes <= problem.capacity_bytes.value_or(INT64_MAX);
}

// The best of the sweeps that apply.
int64_t SweepAny(const PlacementProblem& problem, Deadline deadline, std::vector<int64_t>& offset_bytes) {
  if (!problem.order.has_value()) return SweepBestFit(problem, offset_bytes);
  const int64_t pooled_bytes = PlaceInChainPools(problem, offset_bytes);
  if (deadline.Passed()) return pooled_bytes;
  std::vector<int64_t> in_line;
  const std::optional<int64_t> line_bytes = ChainSweep(problem, in_line);
  if (!line_bytes.has_value() || *line_bytes > pooled_bytes) return pooled_bytes;
  offset_bytes = std::move(in_line);
  return *line_bytes;
}

// Raises `bound.bytes` if more is proven on the way.
absl::StatusOr<Placement> PlaceMerged(const PlacementProblem& problem, LowerBound& bound,
                                      const PlacementOptions& options) {
  const size_t n = problem.storages.size();
  const bool fast = options.effort == PlacementEffort::kFast;
  const int64_t most_bytes = problem.max_chunk_bytes.value_or(INT64_MAX);
  std::vector<int64_t> placed;  // the best of the sweep and of large-scale placement
  int64_t placed_bytes = INT64_MAX;
  const auto offer = [&](int64_t bytes, std::vector<int64_t> offset_bytes) {
    if (bytes >= placed_bytes || bytes > most_bytes) return;
    placed_bytes = bytes;
    placed = std::move(offset_bytes);
  };
  bool large = !fast && n >= kLeastLargeScale && bound.bytes > 0 && CanPlaceLargeScale(problem);
  int64_t large_work = 0;
  const auto place_large_scale = [&] {
    std::optional<LargeScalePlacement> result =
        PlaceLargeScale(problem, bound.bytes, LargeScaleWorkLimit(options, n),
                        options.until_deadline() && n <= kMostForOrders ? options.deadline.Part(2) : options.deadline,
                        placed_bytes < INT64_MAX ? options.deadline : Deadline());
    large = result.has_value();
    if (large) large_work = result->work;
    if (large) offer(result->bytes, std::move(result->offset_bytes));
  };
  // Where it takes next to no time the sweep goes first; for very many it is left out where it can bring little.
  if (large && n > kMostForOrders) place_large_scale();
  const int64_t enough = large && n > kMostForOrders ? bound.bytes + bound.bytes / kLittlePart : bound.bytes;
  const auto too_late = [&] { return placed_bytes < INT64_MAX && options.deadline.Passed(); };
  if (placed_bytes > enough && CanSweep(problem) && !too_late()) {
    std::vector<int64_t> offset_bytes;
    const int64_t bytes = SweepAny(problem, options.deadline, offset_bytes);
    offer(bytes, std::move(offset_bytes));
  }
  if (large && n <= kMostForOrders && placed_bytes > bound.bytes && !too_late()) place_large_scale();
  const bool good_enough =
      placed_bytes == bound.bytes || fast || (large && n > kMostForOrders) || (n > kMostForSearch && too_late());
  if (placed_bytes < INT64_MAX && good_enough) return InOneChunk(placed_bytes, std::move(placed));

  FirstFit first_fit(problem);
  if (const auto pins = first_fit.PinConflict(); pins.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("storages ", pins->first, " and ", pins->second,
                                                   ": pinned to bytes that both hold at the same time"));
  }
  if (fast) {
    std::vector<int64_t> line_offset;
    first_fit.Run(MakeOrder(ComputeTraits(problem), OrderKind::kStart), INT64_MAX, INT64_MAX, line_offset);
    return first_fit.OnChunks(line_offset);
  }
  PlacementOptions rest = options;
  if (rest.work_limit > 0) rest.work_limit = std::max<int64_t>(rest.work_limit - large_work, 1);
  Portfolio portfolio(problem, bound, first_fit, rest);
  if (placed_bytes < INT64_MAX) portfolio.Offer(placed_bytes, std::move(placed));
  portfolio.Run(/*search=*/!large || n <= kMostForSearch || options.effort == PlacementEffort::kMax);
  bound.bytes = portfolio.bound_bytes();
  return first_fit.OnChunks(portfolio.best().line_offset);
}

// First fit fills the first chunk to its brim, even where two that are lower would do: what lies in the one at one time
// and in the other at another time makes both high. So smaller limits are tried in turn.
void TrySmallerChunks(const PlacementProblem& problem, const LowerBound& bound, const PlacementOptions& options,
                      Placement& best) {
  constexpr int64_t kSizes = 24;
  constexpr size_t kMostStorages = 10'000;
  if (best.chunk_bytes.size() < 2 || problem.storages.size() > kMostStorages) return;
  int64_t least = bound.bytes / static_cast<int64_t>(best.chunk_bytes.size()) + 1;
  for (const StorageSpec& storage : problem.storages) {
    least = std::max(least, storage.pinned_offset_bytes.value_or(0) + storage.size_bytes);
  }
  const int64_t most = *problem.max_chunk_bytes;
  PlacementOptions share = options;
  share.work_limit = std::max<int64_t>(WorkLimit(options, problem.storages.size()) / kSizes, 1);
  PlacementProblem smaller = problem;
  for (int64_t i = 1; i <= kSizes && best.total_bytes > bound.bytes && !options.deadline.Passed(); ++i) {
    smaller.max_chunk_bytes = most - (most - least) / kSizes * i;
    if (*smaller.max_chunk_bytes >= most) return;
    LowerBound of_smaller = bound;  // what is proven there does not hold here
    absl::StatusOr<Placement> other = PlaceMerged(smaller, of_smaller, share);
    if (other.ok() && other->total_bytes < best.total_bytes) best = *std::move(other);
  }
}

// Steps for the heaviest antichain; nearly all orders need far fewer.
int64_t AntichainWorkLimit(const PlacementProblem& problem, const PlacementOptions& options) {
  if (options.effort == PlacementEffort::kFast) return 0;
  if (options.until_deadline()) return kNoLimit;
  const int64_t entries = static_cast<int64_t>(problem.order->over.size());
  return 1'000'000 + (options.effort == PlacementEffort::kMax ? 1'000 : 50) * entries;
}

// Pieces are intervals, or have an order that intervals cannot tell. `times`: those are the caller's.
absl::StatusOr<Placement> PlaceChecked(const PlacementProblem& problem, const PlacementOptions& options, bool times) {
  PlacementProblem merged_pieces;
  if (HasManyPieces(problem) && !problem.order.has_value()) merged_pieces = MergePieces(problem);
  const PlacementProblem& merged = merged_pieces.storages.empty() ? problem : merged_pieces;

  LowerBound bound = ComputeLowerBound(merged);
  BoundMethod method = BoundMethod::kLoad;
  if (problem.order.has_value()) {
    const Antichain heaviest =
        HeaviestAntichain(problem, AntichainWorkLimit(problem, options),
                          options.until_deadline() ? options.deadline.Part(4) : options.deadline);
    if (heaviest.bytes > bound.bytes) {
      bound.bytes = heaviest.bytes;
      method = BoundMethod::kAntichain;
    }
  }
  if (!Fits(problem, bound.bytes)) {
    std::string why;
    if (method == BoundMethod::kAntichain) {
      why = " (they may be live at once)";
    } else if (times) {
      why = absl::StrCat(" (load ", bound.load_bytes, " at time ", bound.peak_time, ")");
    }
    return WithShortfall(
        absl::ResourceExhaustedError(absl::StrCat("no placement fits: at least ", bound.bytes, " bytes are needed", why,
                                                  ", capacity=", *problem.capacity_bytes)),
        {*problem.capacity_bytes, bound.bytes, std::nullopt, ""});
  }
  const int64_t first_bound_bytes = bound.bytes;
  absl::StatusOr<Placement> placement = PlaceMerged(merged, bound, options);
  if (!placement.ok()) return placement;
  if (problem.max_chunk_bytes.has_value() && options.effort != PlacementEffort::kFast) {
    TrySmallerChunks(merged, bound, options, *placement);
  }
  if (bound.bytes > first_bound_bytes) method = BoundMethod::kSearch;
  placement->lower_bound_bytes = bound.bytes;
  placement->bound = method;
  placement->optimal = placement->total_bytes == bound.bytes;
  if (!Fits(problem, placement->total_bytes)) {
    if (options.effort == PlacementEffort::kFast) {
      PlacementOptions harder = options;
      harder.effort = PlacementEffort::kDefault;
      return PlaceChecked(problem, harder, times);  // finds and proves more
    }
    const Shortfall shortfall = {*problem.capacity_bytes, bound.bytes, placement->total_bytes, ""};
    if (!Fits(problem, bound.bytes)) {
      return WithShortfall(absl::ResourceExhaustedError(absl::StrCat(
                               "no placement fits: at least ", bound.bytes,
                               " bytes are needed (by exhaustive search), capacity=", *problem.capacity_bytes)),
                           shortfall);
    }
    return WithShortfall(absl::DeadlineExceededError(absl::StrCat(
                             "no placement found that fits: best ", placement->total_bytes, " bytes, at least ",
                             bound.bytes, " are needed, capacity=", *problem.capacity_bytes)),
                         shortfall);
  }
  return placement;
}

}  // namespace

absl::StatusOr<Placement> Place(const PlacementProblem& problem, const PlacementOptions& options) {
  if (absl::Status status = CheckPlacementProblem(problem); !status.ok()) return status;
  if (problem.storages.empty()) {
    Placement empty = InOneChunk(0, {});
    empty.optimal = true;
    return empty;
  }
  if (!problem.order.has_value()) return PlaceChecked(problem, options, /*times=*/true);
  std::optional<std::vector<Piece>> intervals = AsIntervals(problem);
  if (!intervals.has_value()) return PlaceChecked(problem, options, /*times=*/true);
  PlacementProblem simple = problem;
  simple.pieces = *std::move(intervals);
  simple.order = std::nullopt;
  return PlaceChecked(simple, options, /*times=*/false);
}

}  // namespace bufplan
