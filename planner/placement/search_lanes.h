// Several searches of one problem side by side, on as many threads as there are, with a result that does not depend on
// how many.
//
//   lane 0  |-- no --|            A round: each lane makes one run of its own, of the same length. The first lane that
//   lane 1  |-- found |           has an answer decides the round; what later lanes did in it is dropped and forgotten,
//   lane 2  |---x                 as if they had run one after the other and had not been reached.
//   lane 3  |--x
//
// On one thread they do run one after the other, so that nothing is done in vain. Each lane keeps what it refuted for
// its own later runs.
#ifndef BUFPLAN_PLANNER_PLACEMENT_SEARCH_LANES_H_
#define BUFPLAN_PLANNER_PLACEMENT_SEARCH_LANES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "planner/placement/deadline.h"
#include "planner/placement/section_problem.h"
#include "planner/placement/skyline_search.h"

namespace bufplan {

// When a search ends without an answer.
struct SearchLimits {
  int64_t work = 0;     // steps, some ten nanoseconds each, of all threads together
  int32_t threads = 1;  // at most; no influence on the result
  Deadline deadline = {};
  int64_t first_attempt = 0;  // another one, by thousands, makes other runs
};

class SearchLanes {
 public:
  static constexpr size_t kLanes = 4;

  struct Run {
    int64_t capacity_bytes = 0;
    std::vector<int32_t> by_rank;  // see SkylineSearch
    bool weighed = false;
  };
  struct Answer {
    SearchEnd end = SearchEnd::kGaveUp;
    size_t lane = 0;  // whose answer it is, unless kGaveUp
  };

  // `problem` must outlive the object. Up to 1 MiB for each lane that is used, beside the problem's own size.
  explicit SearchLanes(const SectionProblem& problem);

  // One round. `run_of(lane)` may be called by several threads at once. Runs are `length` times the shortest that makes
  // sense; limits.work is for this round alone.
  Answer RunRound(absl::FunctionRef<Run(size_t lane)> run_of, int64_t length, const SearchLimits& limits);

  // The length of a run of length 1, in steps.
  int64_t shortest_run() const { return shortest_run_; }
  // After kFound: granules, by bar.
  const std::vector<int64_t>& offset(size_t lane) const { return lanes_[lane]->offset(); }
  // Of all rounds, without what was dropped.
  int64_t work() const { return work_; }

 private:
  const SectionProblem& problem_;
  const int64_t shortest_run_;
  std::vector<std::optional<SkylineSearch>> lanes_;  // made when first used
  int64_t work_ = 0, last_work_ = 0;                 // of all rounds, of the last one
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_SEARCH_LANES_H_
