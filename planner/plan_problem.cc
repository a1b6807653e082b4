#include "planner/plan_problem.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/checker.h"
#include "ir/where.h"
#include "planner/placement/conflict_search.h"
#include "planner/placement/exact_search.h"
#include "planner/placement/first_fit.h"
#include "planner/placement/infeasible_subset.h"
#include "planner/placement/lower_bound.h"
#include "planner/placement/shortfall.h"

namespace bufplan {
namespace {

// Steps of the exact search, some ten nanoseconds each, at effort default: for few bytes, and to meet a capacity.
constexpr int64_t kExactWork = 150'000'000, kCapacityWork = 200'000'000;
// At effort max so many times as many.
constexpr int64_t kTimesAtMax = 10;
constexpr size_t kMaxNamed = 10;
// Steps to find a few buffers that alone do not fit, and how many of them are named.
constexpr int64_t kSubsetWork = 20'000'000;
constexpr size_t kMaxOfSubset = 20;

// Buffer indices in an order that does not depend on the input's.
std::vector<size_t> CanonicalOrder(const Problem& problem) {
  std::vector<size_t> order(problem.buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t i, size_t k) {
    const Buffer &a = problem.buffers[i], &b = problem.buffers[k];
    const int64_t alignment_a = problem.alignment(a), alignment_b = problem.alignment(b);
    return std::tie(a.begin, a.end, a.bytes, alignment_a, a.name) <
           std::tie(b.begin, b.end, b.bytes, alignment_b, b.name);
  });
  return order;
}

// What Place() asks for on top of ValidateProblem(): room for the padding in front of each buffer too.
absl::Status CheckPaddedSum(const Problem& problem) {
  int64_t sum = 0, last_pin_end = 0;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& buffer = problem.buffers[i];
    int64_t padded = 0, pin_end = 0;
    bool overflow = __builtin_add_overflow(buffer.bytes, problem.alignment(buffer) - 1, &padded);
    overflow |= __builtin_add_overflow(sum, padded, &sum);
    if (buffer.offset_bytes.has_value()) overflow |= __builtin_add_overflow(*buffer.offset_bytes, padded, &pin_end);
    last_pin_end = std::max(last_pin_end, pin_end);
    if (overflow || sum > INT64_MAX - 1 - last_pin_end) {
      return FaultAt(
          absl::StrCat("/buffers/", i, "/bytes"),
          absl::StrCat("buffer \"", buffer.name, "\": bytes=", buffer.bytes, " at alignment ",
                       problem.alignment(buffer), ": the sum of padded sizes and the last pin exceeds 64 bits"));
    }
  }
  return absl::OkStatus();
}

void AppendPieces(const Buffer& buffer, std::vector<Piece>& pieces) {
  if (buffer.bytes == 0) return;
  int64_t begin = buffer.begin;
  const auto append = [&](int64_t end) {
    if (begin < end) pieces.push_back({begin, end, 0, buffer.bytes});
  };
  for (const TimeRange& gap : buffer.gaps) {
    append(gap.begin);
    begin = gap.end;
  }
  append(buffer.end);
}

PlacementProblem MakePlacementProblem(const Problem& problem, const std::vector<size_t>& order) {
  PlacementProblem placement;
  placement.storages.reserve(order.size());
  placement.pieces.reserve(order.size());
  for (size_t i : order) {
    const Buffer& buffer = problem.buffers[i];
    StorageSpec& storage = placement.storages.emplace_back();
    storage.size_bytes = buffer.bytes;
    storage.alignment_bytes = problem.alignment(buffer);
    storage.pinned_offset_bytes = buffer.offset_bytes;
    storage.first_piece = static_cast<uint32_t>(placement.pieces.size());
    AppendPieces(buffer, placement.pieces);
    storage.num_pieces = static_cast<uint32_t>(placement.pieces.size()) - storage.first_piece;
  }
  return placement;
}

bool LiveAt(const Buffer& buffer, int64_t time) {
  if (buffer.bytes == 0 || time < buffer.begin || time >= buffer.end) return false;
  return std::none_of(buffer.gaps.begin(), buffer.gaps.end(),
                      [time](const TimeRange& gap) { return gap.begin <= time && time < gap.end; });
}

// "at time 5, where 3 buffers are live: "a" 4096, "b" 512, "c" 8".
std::string DescribePeak(const Problem& problem, const std::vector<size_t>& order, int64_t time) {
  std::vector<size_t> live;
  for (size_t i : order) {
    if (LiveAt(problem.buffers[i], time)) live.push_back(i);
  }
  std::stable_sort(live.begin(), live.end(),
                   [&](size_t a, size_t b) { return problem.buffers[a].bytes > problem.buffers[b].bytes; });
  std::string text = absl::StrCat("at time ", time, ", where ", live.size(),
                                  live.size() == 1 ? " buffer is" : " buffers are", " live: ");
  for (size_t i = 0; i < std::min(live.size(), kMaxNamed); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", "\"", problem.buffers[live[i]].name, "\" ",
                    problem.buffers[live[i]].bytes);
  }
  if (live.size() > kMaxNamed) absl::StrAppend(&text, " and ", live.size() - kMaxNamed, " more");
  return text;
}

// Why the lower bound is what it is.
std::string DescribeBound(const Problem& problem, const std::vector<size_t>& order, const LowerBound& bound) {
  if (bound.bytes > bound.load_bytes) {
    for (size_t i : order) {
      const Buffer& buffer = problem.buffers[i];
      if (buffer.offset_bytes.value_or(0) + buffer.bytes != bound.bytes) continue;
      return absl::StrCat("buffer \"", buffer.name, "\" of ", buffer.bytes, " bytes ends there at offset ",
                          buffer.offset_bytes.value_or(0));
    }
  }
  std::string text = absl::StrCat("most is live ", DescribePeak(problem, order, bound.peak_time));
  int64_t live_bytes = 0;
  for (const Buffer& buffer : problem.buffers) live_bytes += LiveAt(buffer, bound.peak_time) ? buffer.bytes : 0;
  if (live_bytes < bound.load_bytes) {
    absl::StrAppend(&text, "; that is ", live_bytes, " bytes, ", bound.load_bytes, " with their alignment");
  }
  return text;
}

// A failure of Place() in names.
absl::Status NamePinConflict(const Problem& problem, const std::vector<size_t>& order,
                             const PlacementProblem& placement, const absl::Status& status) {
  if (status.code() != absl::StatusCode::kInvalidArgument) return status;
  const auto pins = FirstFit(placement).PinConflict();
  if (!pins.has_value()) return status;
  const size_t first = order[pins->first], second = order[pins->second];
  const Buffer &a = problem.buffers[first], &b = problem.buffers[second];
  return FaultAt(absl::StrCat("/buffers/", second, "/offset"),
                 absl::StrCat("buffer \"", b.name, "\": pinned to [", *b.offset_bytes, ", ", *b.offset_bytes + b.bytes,
                              "), which meets \"", a.name, "\", pinned to [", *a.offset_bytes, ", ",
                              *a.offset_bytes + a.bytes, ") and live at the same time"));
}

// `proven_bytes`: what is needed at least, by the bound or by search.
absl::Status CapacityError(const Problem& problem, const std::vector<size_t>& order, const LowerBound& bound,
                           int64_t proven_bytes, int64_t known_bytes) {
  const int64_t capacity = *problem.capacity_bytes;
  const Shortfall shortfall = {capacity, proven_bytes, known_bytes, ""};
  const std::string known = absl::StrCat("; the least capacity known to work is ", known_bytes);
  if (bound.bytes <= capacity && proven_bytes > capacity) {
    return WithShortfall(absl::ResourceExhaustedError(absl::StrCat(
                             "capacity=", capacity, " bytes, at least ", proven_bytes,
                             " are needed: an exhaustive search found no placement, although no more than ",
                             bound.bytes, " bytes are live at once; ", DescribeBound(problem, order, bound), known)),
                         shortfall);
  }
  if (bound.bytes > capacity) {
    return WithShortfall(
        absl::ResourceExhaustedError(absl::StrCat("capacity=", capacity, " bytes, at least ", bound.bytes,
                                                  " are needed: ", DescribeBound(problem, order, bound), known)),
        shortfall);
  }
  return WithShortfall(absl::DeadlineExceededError(
                           absl::StrCat("capacity=", capacity, " bytes: no plan found that fits, best ", known_bytes,
                                        ", lower bound ", proven_bytes, "; ", DescribeBound(problem, order, bound))),
                       shortfall);
}

// "[0, 5)", or "[0, 2) and [4, 5)".
std::string DescribeLife(const Buffer& buffer) {
  std::vector<std::string> parts;
  int64_t begin = buffer.begin;
  const auto append = [&](int64_t end) {
    if (begin < end) parts.push_back(absl::StrCat("[", begin, ", ", end, ")"));
  };
  for (const TimeRange& gap : buffer.gaps) {
    append(gap.begin);
    begin = gap.end;
  }
  append(buffer.end);
  return absl::StrJoin(parts, " and ");
}

// "; these 2 buffers alone do not fit: "y" 156000 [3, 9), "x" 100000 [0, 5)". Nothing if the error has said as much:
// if they are all that is live at the peak, or the one that ends above the capacity.
std::string DescribeSubset(const Problem& problem, const LowerBound& bound, const InfeasibleBuffers& subset) {
  if (subset.buffers.empty()) return "";
  std::vector<size_t> named = subset.buffers;
  std::stable_sort(named.begin(), named.end(),
                   [&](size_t a, size_t b) { return problem.buffers[a].bytes > problem.buffers[b].bytes; });
  if (subset.proof == InfeasibilityProof::kEnd && bound.bytes > bound.load_bytes) return "";
  if (subset.proof == InfeasibilityProof::kLoad) {
    const auto live = std::count_if(problem.buffers.begin(), problem.buffers.end(),
                                    [&](const Buffer& b) { return LiveAt(b, bound.peak_time); });
    if (named.size() == static_cast<size_t>(live)) return "";
    if (named.size() > kMaxOfSubset) return absl::StrCat("; the largest ", named.size(), " of them alone do not fit");
  }
  std::string text = named.size() == 1 ? "; this buffer alone does not fit: "
                                       : absl::StrCat("; these ", named.size(), " buffers alone do not fit: ");
  const size_t shown = named.size() <= kMaxOfSubset ? named.size() : kMaxNamed;
  for (size_t i = 0; i < shown; ++i) {
    const Buffer& buffer = problem.buffers[named[i]];
    absl::StrAppend(&text, i == 0 ? "" : ", ", "\"", buffer.name, "\" ", buffer.bytes, " ", DescribeLife(buffer));
  }
  if (named.size() > shown) absl::StrAppend(&text, " and ", named.size() - shown, " more");
  return text;
}

// `storages` of the placement problem, in the order of the list of buffers.
InfeasibleBuffers BuffersOf(const InfeasibleSubset& subset, const std::vector<size_t>& order) {
  InfeasibleBuffers buffers;
  buffers.minimal = subset.minimal;
  buffers.proof = subset.proof;
  for (int32_t s : subset.storages) buffers.buffers.push_back(order[static_cast<size_t>(s)]);
  std::sort(buffers.buffers.begin(), buffers.buffers.end());
  return buffers;
}

// For a placement that misses the capacity: one within it, or a bound above it, if either is found.
void SearchWithinCapacity(const PlacementProblem& problem, int64_t capacity, const PlacementOptions& options,
                          Placement& placement) {
  const bool in_sections = CanSearchExactly(problem);
  if (!in_sections && !CanSearchConflicts(problem)) return;
  const int64_t work = options.until_deadline()                  ? INT64_MAX
                       : options.work_limit > 0                  ? options.work_limit
                       : options.exact_work_limit > 0            ? options.exact_work_limit
                       : options.effort == PlacementEffort::kMax ? kTimesAtMax * kCapacityWork
                                                                 : kCapacityWork;
  const SearchLimits limits = {work, options.threads, options.deadline};
  ExactPlacement found = in_sections ? FindPlacement(problem, capacity, limits)
                                     : FindAmongConflicts(problem, capacity, placement.lower_bound_bytes, limits);
  if (found.lower_bound_bytes > placement.lower_bound_bytes) {
    placement.lower_bound_bytes = found.lower_bound_bytes;
    placement.bound = BoundMethod::kSearch;
  }
  if (found.offset_bytes.empty()) return;
  placement.offset_bytes = std::move(found.offset_bytes);
  placement.total_bytes = found.bytes;
  placement.optimal = placement.total_bytes == placement.lower_bound_bytes;
}

// The better one, with the higher bound.
void Join(Placement other, Placement& placement) {
  if (other.total_bytes > placement.total_bytes) std::swap(other, placement);
  if (placement.lower_bound_bytes > other.lower_bound_bytes) {
    other.lower_bound_bytes = placement.lower_bound_bytes;
    other.bound = placement.bound;
  }
  other.optimal = other.total_bytes == other.lower_bound_bytes;
  placement = std::move(other);
}

// The placement that is found without the capacity, so that a failure can say what would work, and below that.
absl::StatusOr<Placement> Search(const PlacementProblem& problem, std::optional<int64_t> capacity_bytes,
                                 const PlacementOptions& options) {
  const int64_t capacity = capacity_bytes.value_or(INT64_MAX);
  const bool unset = options.work_limit == 0 && options.exact_work_limit == 0;
  PlacementOptions effort = options;
  // What is soon closed is closed before the time is divided among methods.
  if (options.until_deadline()) effort.effort = PlacementEffort::kDefault;
  const int64_t exact_work = effort.effort == PlacementEffort::kMax ? kTimesAtMax * kExactWork : kExactWork;
  if (unset && !capacity_bytes.has_value()) effort.exact_work_limit = exact_work;
  absl::StatusOr<Placement> placement = Place(problem, effort);
  if (!placement.ok()) return placement;
  const auto misses = [&] { return placement->total_bytes > capacity && placement->lower_bound_bytes <= capacity; };
  if (misses() && options.effort == PlacementEffort::kFast) {
    PlacementOptions harder = options;
    harder.effort = PlacementEffort::kDefault;
    placement = Place(problem, harder);
    if (!placement.ok()) return placement;
  }
  if (misses()) SearchWithinCapacity(problem, capacity, options, *placement);
  const auto place_longer = [&](const PlacementOptions& longer) {
    absl::StatusOr<Placement> other = Place(problem, longer);
    if (other.ok()) Join(*std::move(other), *placement);
  };
  if (placement->total_bytes > capacity && unset && effort.effort == PlacementEffort::kDefault &&
      !options.deadline.Passed()) {
    effort.exact_work_limit = exact_work;  // to name the least that is known to work
    place_longer(effort);
  }
  // What fits in a capacity is enough, unless there is time to do better.
  const auto may_improve = [&] {
    return placement->total_bytes <= capacity && !placement->optimal && !options.deadline.Passed();
  };
  if (options.until_deadline() && capacity_bytes.has_value() && may_improve()) {
    effort.exact_work_limit = exact_work;
    place_longer(effort);
  }
  if (options.until_deadline() && may_improve()) place_longer(options);
  return placement;
}

absl::Status CheckOwnPlan(const Problem& problem, const ProblemPlan& plan) {
  const absl::StatusOr<CheckReport> report = CheckProblemPlan(problem, plan);
  if (!report.ok()) return absl::InternalError(absl::StrCat("checker: ", report.status().message()));
  if (report->ok()) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the plan failed the checker (", ToString(report->violations[0].kind),
                                          "): ", report->violations[0].message));
}

}  // namespace

absl::StatusOr<ProblemPlan> PlanProblem(const Problem& problem, const PlanProblemOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  if (absl::Status status = ValidateProblem(problem); !status.ok()) return status;
  if (absl::Status status = CheckPaddedSum(problem); !status.ok()) return status;
  const std::vector<size_t> order = CanonicalOrder(problem);
  const PlacementProblem unlimited = MakePlacementProblem(problem, order);
  const int64_t capacity = problem.capacity_bytes.value_or(INT64_MAX);

  PlacementOptions search = options.placement;
  // To check a plan takes about as long as to check the problem and to put it in order.
  if (options.check) search.deadline = search.deadline.LessTime(std::chrono::steady_clock::now() - start);
  const absl::StatusOr<Placement> placement = Search(unlimited, problem.capacity_bytes, search);
  if (!placement.ok()) return NamePinConflict(problem, order, unlimited, placement.status());
  if (placement->total_bytes > capacity) {
    const LowerBound bound = ComputeLowerBound(unlimited);
    const absl::Status status =
        CapacityError(problem, order, bound, placement->lower_bound_bytes, placement->total_bytes);
    if (!absl::IsResourceExhausted(status)) return status;
    const InfeasibleSubset subset =
        FindInfeasibleSubset(unlimited, capacity, {kSubsetWork, search.threads, search.deadline});
    return Reworded(status, absl::StrCat(status.message(), DescribeSubset(problem, bound, BuffersOf(subset, order))));
  }

  ProblemPlan plan;
  plan.offsets.resize(problem.buffers.size());
  for (size_t i = 0; i < order.size(); ++i) plan.offsets[order[i]] = placement->offset_bytes[i];
  plan.bytes = placement->total_bytes;
  plan.lower_bound = placement->lower_bound_bytes;
  plan.by_search = placement->bound == BoundMethod::kSearch;
  plan.optimal = placement->optimal;
  if (options.check) {
    if (absl::Status status = CheckOwnPlan(problem, plan); !status.ok()) return status;
  }
  return plan;
}

absl::StatusOr<InfeasibleBuffers> FindInfeasibleBuffers(const Problem& problem, int64_t work_limit) {
  if (absl::Status status = ValidateProblem(problem); !status.ok()) return status;
  if (absl::Status status = CheckPaddedSum(problem); !status.ok()) return status;
  if (!problem.capacity_bytes.has_value()) return InfeasibleBuffers();
  const std::vector<size_t> order = CanonicalOrder(problem);
  const PlacementProblem placement = MakePlacementProblem(problem, order);
  const bool pinned = std::any_of(problem.buffers.begin(), problem.buffers.end(),
                                  [](const Buffer& buffer) { return buffer.offset_bytes.has_value(); });
  if (pinned && FirstFit(placement).PinConflict().has_value()) {
    return NamePinConflict(problem, order, placement, absl::InvalidArgumentError("pins meet"));
  }
  const int64_t limit = work_limit > 0 ? work_limit : kSubsetWork;
  return BuffersOf(FindInfeasibleSubset(placement, *problem.capacity_bytes, {.work = limit}), order);
}

}  // namespace bufplan
