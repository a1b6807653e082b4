#include "planner/reuse/reuse_edges.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "planner/choice.h"
#include "planner/placement/shortfall.h"
#include "planner/reuse/edge_search.h"

namespace bufplan {
namespace {

// What is too large without edges, and with those that were found. It is proven to be if every run needs more.
absl::Status StillShort(const absl::Status& without, const Graph& graph, const Candidate& least,
                        const std::vector<int64_t>& targets, const std::vector<int64_t>& in_every_run) {
  bool proven = false;
  std::optional<Shortfall> shortfall;  // the one that is proven to be
  std::string text = absl::StrCat("without order edges between streams: ", without.message());
  for (size_t i = 0; i < targets.size() && least.placements.size() == targets.size(); ++i) {
    if (least.placements[i].total_bytes <= targets[i]) continue;
    if (!shortfall.has_value() || (!proven && in_every_run[i] > targets[i])) {
      shortfall = {targets[i], in_every_run[i], least.placements[i].total_bytes,
                   std::string(graph.name(least.problems[i].space))};
    }
    proven = proven || in_every_run[i] > targets[i];
    absl::StrAppend(&text, "; with such edges space \"", graph.name(least.problems[i].space), "\" needs at least ",
                    in_every_run[i], " bytes, and ", least.placements[i].total_bytes, " are known to work");
  }
  absl::Status status = proven ? absl::ResourceExhaustedError(text) : absl::DeadlineExceededError(text);
  return shortfall.has_value() ? WithShortfall(std::move(status), *shortfall) : status;
}

}  // namespace

absl::Status WithoutTrying(const absl::Status& status) {
  absl::Status tried_nothing = absl::DeadlineExceededError(absl::StrCat(
      "without order edges between streams, which the time limit left no time to try: ", status.message()));
  std::optional<Shortfall> shortfall = ShortfallOf(status);
  if (!shortfall.has_value()) return tried_nothing;
  shortfall->lower_bound_bytes = 0;  // it holds without edges only
  return WithShortfall(std::move(tried_nothing), *shortfall);
}

int64_t ReuseEdgesWork(const Graph& graph, const PlanOptions& options) {
  const int64_t work = 6'000'000 + 200 * static_cast<int64_t>(graph.ops().size());
  return options.effort == Effort::kMax ? 10 * work : work;
}

absl::StatusOr<Candidate> ChooseWithReuseEdges(const Graph& graph, const Schedule& schedule, const PlanOptions& options,
                                               int64_t& work) {
  const bool edges = !schedule.one_stream() && options.reuse_edges != ReuseEdges::kNever && work > 0;
  const std::vector<int64_t> targets = CapacitiesOf(graph, options);
  // Where it may not fit, parts of the time only, so that at least half of it is left to search for edges.
  const bool limited = std::any_of(targets.begin(), targets.end(), [](int64_t bytes) { return bytes < INT64_MAX; });
  PlanOptions part = options;
  if (edges && limited) part.deadline = options.deadline.Part(4);
  absl::StatusOr<Candidate> best = ChooseCandidate(graph, schedule, part);
  if (!edges) return best;
  if (!best.ok()) {
    if (!IsOutOfMemory(best.status())) return best;
    if (options.deadline.Passed()) return WithoutTrying(best.status());
    part.deadline = options.deadline.Part(3);
    absl::StatusOr<Candidate> wide = ChooseCandidate(graph, schedule, part, Capacities::kIgnore);
    if (!wide.ok()) return options.deadline.Passed() ? WithoutTrying(best.status()) : best.status();
    EdgeSearch search(graph, schedule, options, *wide, work);
    const std::vector<int64_t> in_every_run = search.BytesInEveryRun();
    if (!search.Reach(targets)) return StillShort(best.status(), graph, *wide, targets, in_every_run);
    best = std::move(wide);
  }
  if (options.reuse_edges == ReuseEdges::kAllow && best->bytes > 0 && !options.deadline.Passed()) {
    EdgeSearch search(graph, schedule, options, *best, work);
    search.Lower();
    search.Trim();
  }
  return best;
}

}  // namespace bufplan
