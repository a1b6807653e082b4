#include "planner/placement/search_lanes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

namespace bufplan {
namespace {

// Entries of the table of refuted states, for each bar in each section, and in all.
constexpr int64_t kEntriesPerCell = 64;
constexpr int64_t kMinEntries = int64_t{1} << 12, kMaxEntries = int64_t{1} << 17;
// The shortest run, in steps: so many times what it takes to place everything without a wrong turn, but not less than
// small problems need to be searched through; fewer times where that is long.
constexpr int64_t kStraightRuns = 10, kFewStraightRuns = 2;
constexpr int64_t kShortestRun = 120'000, kLongRun = 20'000'000;

// A round worth threads, in steps.
constexpr int64_t kWorthThreads = 200'000;
// To begin a run, in steps: orders and lists of the bars.
constexpr int64_t kWorkPerBar = 20;

int64_t Cells(const SectionProblem& problem) { return static_cast<int64_t>(problem.num_bars()) * problem.num_sections; }

int64_t ShortestRun(const SectionProblem& problem) {
  const int64_t cells = Cells(problem);
  return std::max({kShortestRun, std::min(kStraightRuns * cells, kLongRun), kFewStraightRuns * cells});
}

}  // namespace

SearchLanes::SearchLanes(const SectionProblem& problem)
    : problem_(problem), shortest_run_(ShortestRun(problem)), lanes_(kLanes) {}

SearchLanes::Answer SearchLanes::RunRound(absl::FunctionRef<Run(size_t lane)> run_of, int64_t length,
                                          const SearchLimits& limits) {
  const int64_t steps = shortest_run_ * length;
  std::array<SearchEnd, kLanes> ends;
  ends.fill(SearchEnd::kGaveUp);
  std::array<int64_t, kLanes> work = {};
  std::array<bool, kLanes> ran = {};
  std::atomic<size_t> decided{kLanes}, next{0};
  const auto work_through = [&] {
    for (size_t lane = next++; lane < kLanes; lane = next++) {
      // As if the lanes before had taken all of theirs.
      const int64_t left = std::min(steps, limits.work - static_cast<int64_t>(lane) * steps);
      if (left <= 0 || decided.load() < lane || limits.deadline.Passed()) return;
      if (!lanes_[lane].has_value()) {
        lanes_[lane].emplace(
            problem_, static_cast<size_t>(std::clamp(kEntriesPerCell * Cells(problem_), kMinEntries, kMaxEntries)));
      }
      ran[lane] = true;
      const Run run = run_of(lane);
      ends[lane] = lanes_[lane]->Run(run.capacity_bytes, run.by_rank, run.weighed, left,
                                     [&] { return decided.load() < lane || limits.deadline.Passed(); });
      work[lane] = lanes_[lane]->work() + kWorkPerBar * static_cast<int64_t>(problem_.num_bars());
      if (ends[lane] == SearchEnd::kGaveUp) continue;
      size_t first = decided.load();
      while (lane < first && !decided.compare_exchange_weak(first, lane)) {
      }
    }
  };
  std::vector<std::thread> others;
  // Most problems are answered sooner than a thread starts.
  const int32_t threads = last_work_ < kWorthThreads ? 1 : std::min<int32_t>(limits.threads, kLanes);
  for (int32_t i = 1; i < threads; ++i) others.emplace_back(work_through);
  work_through();
  for (std::thread& thread : others) thread.join();

  const size_t first = decided.load();
  last_work_ = 0;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    if (lane <= first) {
      last_work_ += work[lane];
    } else if (lanes_[lane].has_value()) {
      if (ran[lane]) lanes_[lane]->TakeBackRun();
      lanes_[lane]->ForgetRefuted();
    }
  }
  work_ += last_work_;
  if (first == kLanes) return {};
  return {ends[first], first};
}

}  // namespace bufplan
