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
#include "ir/checker.h"
#include "ir/where.h"
#include "planner/placement/exact_search.h"
#include "planner/placement/first_fit.h"
#include "planner/placement/lower_bound.h"
#include "planner/placement/shortfall.h"

namespace bufplan {
namespace {

// Steps of the exact search, some ten nanoseconds each, at effort default: for few bytes, and to meet a capacity.
constexpr int64_t kExactWork = 30'000'000, kCapacityWork = 100'000'000;
// To come closer to the bound from a placement: steps in all, tries, and the smallest gain that is tried for, as a
// part.
constexpr int64_t kBelowWork = 60'000'000, kBelowTries = 6, kSmallestStep = 500;
constexpr size_t kMostSearched = 2'000;
constexpr size_t kMaxNamed = 10;

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
  return absl::StrCat("most is live ", DescribePeak(problem, order, bound.peak_time));
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

// Steps of the exact search until the deadline, roughly.
int64_t ExactStepsLeft(Deadline deadline) {
  constexpr int64_t kStepNanoseconds = 12;
  if (deadline.never()) return INT64_MAX;
  const std::chrono::nanoseconds left = deadline.at() - std::chrono::steady_clock::now();
  return std::max<int64_t>(left.count() / kStepNanoseconds, 0);
}

bool IsSearched(const PlacementProblem& problem) {
  return problem.storages.size() <= kMostSearched && CanSearchExactly(problem);
}

// What was found for a capacity: a placement, a higher bound, or neither. True if it is a placement.
bool Take(ExactPlacement found, Placement& placement) {
  placement.lower_bound_bytes = std::max(placement.lower_bound_bytes, found.lower_bound_bytes);
  const bool is_placed = !found.offset_bytes.empty();
  if (is_placed) {
    placement.offset_bytes = std::move(found.offset_bytes);
    placement.total_bytes = found.bytes;
  }
  placement.optimal = placement.total_bytes == placement.lower_bound_bytes;
  return is_placed;
}

// For a placement that misses the capacity: one within it, or a bound above it, if either is found.
void SearchWithinCapacity(const PlacementProblem& problem, int64_t capacity, const PlacementOptions& options,
                          Placement& placement) {
  if (!IsSearched(problem)) return;
  const int64_t work = options.work_limit > 0                    ? options.work_limit
                       : options.exact_work_limit > 0            ? options.exact_work_limit
                       : options.effort == PlacementEffort::kMax ? 10 * kCapacityWork
                                                                 : kCapacityWork;
  Take(FindPlacement(problem, capacity, std::min(work, ExactStepsLeft(options.deadline))), placement);
}

// For a placement that is not known to be the best: asks for capacities between it and the bound, halving the gap.
void SearchBelow(const PlacementProblem& problem, int64_t work, Deadline deadline, Placement& placement) {
  if (!IsSearched(problem)) return;
  int64_t failed = placement.lower_bound_bytes;
  const int64_t per_try = work / kBelowTries;
  while (work > 0 && placement.total_bytes > placement.lower_bound_bytes && !deadline.Passed()) {
    const int64_t capacity = failed + (placement.total_bytes - failed) / 2;
    if (placement.total_bytes - capacity < placement.total_bytes / kSmallestStep) break;
    ExactPlacement found = FindPlacement(problem, capacity, std::min({work, per_try, ExactStepsLeft(deadline)}));
    work -= found.work;
    if (!Take(std::move(found), placement)) failed = capacity;
  }
}

// The same where time is the only limit: first the capacity, if that is missed, then all parts of the gap down to the
// byte, each for an eighth of the time that is left, then for a quarter, and so on.
void SearchBelowUntil(const PlacementProblem& problem, int64_t capacity, Deadline deadline, Placement& placement) {
  const auto is_over = [&] { return placement.optimal || placement.lower_bound_bytes > capacity || deadline.Passed(); };
  for (int part = 8; !is_over(); part = std::max(part / 2, 1)) {
    int64_t failed = placement.lower_bound_bytes - 1;
    while (failed < placement.total_bytes - 1 && !is_over()) {
      const bool missed = placement.total_bytes > capacity;
      const int64_t asked = missed ? capacity : failed + (placement.total_bytes - failed) / 2;
      const Deadline end = deadline.Part(part);
      if (!Take(FindPlacement(problem, asked, ExactStepsLeft(end)), placement)) failed = asked;
      failed = std::max(failed, placement.lower_bound_bytes - 1);
      if (missed && placement.total_bytes > capacity) break;
    }
  }
}

// The placement that is found without the capacity, so that a failure can say what would work, and below that.
absl::StatusOr<Placement> Search(const PlacementProblem& problem, std::optional<int64_t> capacity_bytes,
                                 const PlacementOptions& options) {
  const int64_t capacity = capacity_bytes.value_or(INT64_MAX);
  PlacementOptions effort = options;
  const bool unset = effort.work_limit == 0 && effort.exact_work_limit == 0;
  if (unset && effort.effort == PlacementEffort::kDefault && !capacity_bytes.has_value()) {
    effort.exact_work_limit = kExactWork;
  }
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
  if (placement->total_bytes > capacity && unset && effort.effort == PlacementEffort::kDefault &&
      !options.deadline.Passed()) {
    effort.exact_work_limit = kExactWork;  // to name the least that is known to work
    absl::StatusOr<Placement> longer = Place(problem, effort);
    if (longer.ok() && longer->total_bytes < placement->total_bytes) {
      longer->lower_bound_bytes = std::max(longer->lower_bound_bytes, placement->lower_bound_bytes);
      longer->optimal = longer->total_bytes == longer->lower_bound_bytes;
      placement = std::move(longer);
    }
  }
  if (unset && effort.effort != PlacementEffort::kFast && !capacity_bytes.has_value()) {
    SearchBelow(problem, effort.effort == PlacementEffort::kMax ? 20 * kBelowWork : kBelowWork, options.deadline,
                *placement);
  }
  return placement;
}

// As Search() at kDefault, then all that is left of the time: a third for the methods of Place(), the rest for the
// exact search.
absl::StatusOr<Placement> SearchUntilDeadline(const PlacementProblem& problem, std::optional<int64_t> capacity_bytes,
                                              const PlacementOptions& options) {
  if (!IsSearched(problem)) return Search(problem, capacity_bytes, options);
  const int64_t capacity = capacity_bytes.value_or(INT64_MAX);
  PlacementOptions step = options;
  step.effort = PlacementEffort::kDefault;
  absl::StatusOr<Placement> placement = Search(problem, capacity_bytes, step);
  if (!placement.ok() || placement->optimal || placement->lower_bound_bytes > capacity) return placement;
  step = options;
  step.deadline = options.deadline.Part(3);
  if (step.deadline.Passed()) return placement;
  absl::StatusOr<Placement> longer = Place(problem, step);
  if (longer.ok()) {
    if (longer->total_bytes > placement->total_bytes) std::swap(*longer, *placement);
    longer->lower_bound_bytes = std::max(longer->lower_bound_bytes, placement->lower_bound_bytes);
    longer->optimal = longer->total_bytes == longer->lower_bound_bytes;
    placement = std::move(longer);
  }
  SearchBelowUntil(problem, capacity, options.deadline, *placement);
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
  const bool only_time = search.effort == PlacementEffort::kMax && search.work_limit == 0 &&
                         search.exact_work_limit == 0 && !search.deadline.never();
  const absl::StatusOr<Placement> placement = only_time ? SearchUntilDeadline(unlimited, problem.capacity_bytes, search)
                                                        : Search(unlimited, problem.capacity_bytes, search);
  if (!placement.ok()) return NamePinConflict(problem, order, unlimited, placement.status());
  if (placement->total_bytes > capacity) {
    return CapacityError(problem, order, ComputeLowerBound(unlimited), placement->lower_bound_bytes,
                         placement->total_bytes);
  }

  ProblemPlan plan;
  plan.offsets.resize(problem.buffers.size());
  for (size_t i = 0; i < order.size(); ++i) plan.offsets[order[i]] = placement->offset_bytes[i];
  plan.bytes = placement->total_bytes;
  plan.lower_bound = placement->lower_bound_bytes;
  plan.optimal = placement->optimal;
  if (options.check) {
    if (absl::Status status = CheckOwnPlan(problem, plan); !status.ok()) return status;
  }
  return plan;
}

}  // namespace bufplan
