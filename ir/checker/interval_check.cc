#include "ir/checker/interval_check.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace bufplan::checker {
namespace {

class IntervalChecker {
 public:
  IntervalChecker(const Problem& problem, const ProblemPlan& plan, int max_violations)
      : problem_(problem), plan_(plan), max_violations_(static_cast<size_t>(std::max(max_violations, 1))) {}

  std::vector<Violation> Check() && {
    int64_t end = 0;
    for (size_t i = 0; i < problem_.buffers.size(); ++i) CheckBuffer(i, end);
    CheckTotals(end);
    Sweep();
    return std::move(violations_);
  }

 private:
  struct Event {
    int64_t time;
    bool begins;  // ends come first
    size_t buffer;
  };

  void Add(ViolationKind kind, std::string message) {
    if (violations_.size() < max_violations_) violations_.push_back({kind, std::move(message), {}});
  }
  std::string Text(size_t i) const { return absl::StrCat("buffer \"", problem_.buffers[i].name, "\""); }
  int64_t Begin(size_t i) const { return plan_.offsets[i]; }
  int64_t End(size_t i) const { return plan_.offsets[i] + problem_.buffers[i].bytes; }

  void CheckBuffer(size_t i, int64_t& end);
  void CheckTotals(int64_t end);
  void AddEvents(size_t i);
  void Sweep();
  void Enter(size_t i, int64_t time);
  void ReportOverlap(size_t a, size_t b, int64_t time);

  const Problem& problem_;
  const ProblemPlan& plan_;
  const size_t max_violations_;
  std::vector<bool> placed_;
  std::vector<Event> events_;
  absl::btree_map<int64_t, size_t> alive_;  // by offset; disjoint
  std::set<std::pair<size_t, size_t>> reported_;
  std::vector<Violation> violations_;
};

void IntervalChecker::CheckBuffer(size_t i, int64_t& end) {
  const Buffer& b = problem_.buffers[i];
  const int64_t offset = plan_.offsets[i];
  int64_t buffer_end = 0;
  const bool placed = offset >= 0 && b.bytes >= 0 && !__builtin_add_overflow(offset, b.bytes, &buffer_end);
  placed_.push_back(placed);
  if (!placed) {
    return Add(ViolationKind::kOutOfBounds, absl::StrCat(Text(i), ": offset=", offset, ", must be >= 0 and, with its ",
                                                         b.bytes, " bytes, below 2^63"));
  }
  end = std::max(end, buffer_end);
  const int64_t alignment = problem_.alignment(b);
  if (alignment > 1 && offset % alignment != 0) {
    Add(ViolationKind::kAlignment,
        absl::StrCat(Text(i), ": offset=", offset, ", must be a multiple of its alignment ", alignment));
  }
  if (b.offset_bytes.has_value() && *b.offset_bytes != offset) {
    Add(ViolationKind::kPin, absl::StrCat(Text(i), ": offset=", offset, ", is pinned to ", *b.offset_bytes));
  }
}

void IntervalChecker::CheckTotals(int64_t end) {
  if (problem_.capacity_bytes.has_value() && end > *problem_.capacity_bytes) {
    Add(ViolationKind::kCapacity,
        absl::StrCat("the last buffer ends at ", end, ", above capacity=", *problem_.capacity_bytes));
  }
  if (plan_.bytes != end) {
    Add(ViolationKind::kStats, absl::StrCat("bytes=", plan_.bytes, ", but the last buffer ends at ", end));
  }
  if (plan_.lower_bound > plan_.bytes || plan_.lower_bound < 0) {
    Add(ViolationKind::kStats, absl::StrCat("lower_bound=", plan_.lower_bound, " must be in 0..bytes=", plan_.bytes));
  }
}

// The lifetime without its gaps.
void IntervalChecker::AddEvents(size_t i) {
  const Buffer& b = problem_.buffers[i];
  if (!placed_[i] || b.bytes == 0) return;
  int64_t from = b.begin;
  const auto alive = [&](int64_t to) {
    if (from >= to) return;
    events_.push_back({from, true, i});
    events_.push_back({to, false, i});
  };
  for (const TimeRange& gap : b.gaps) {
    if (gap.begin >= gap.end) continue;
    alive(gap.begin);
    from = gap.end;
  }
  alive(b.end);
}

void IntervalChecker::Sweep() {
  for (size_t i = 0; i < problem_.buffers.size(); ++i) AddEvents(i);
  std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
    return std::tie(a.time, a.begins, a.buffer) < std::tie(b.time, b.begins, b.buffer);
  });
  for (const Event& e : events_) {
    if (violations_.size() >= max_violations_) return;
    if (e.begins) {
      Enter(e.buffer, e.time);
    } else if (const auto it = alive_.find(Begin(e.buffer)); it != alive_.end() && it->second == e.buffer) {
      alive_.erase(it);
    }
  }
}

// Whom it overlaps it is reported with, and stays out.
void IntervalChecker::Enter(size_t i, int64_t time) {
  const auto after = alive_.lower_bound(Begin(i));
  if (after != alive_.end() && after->first < End(i)) return ReportOverlap(after->second, i, time);
  if (after != alive_.begin()) {
    const size_t before = std::prev(after)->second;
    if (End(before) > Begin(i)) return ReportOverlap(before, i, time);
  }
  alive_.emplace(Begin(i), i);
}

void IntervalChecker::ReportOverlap(size_t a, size_t b, int64_t time) {
  if (!reported_.insert({std::min(a, b), std::max(a, b)}).second) return;
  Add(ViolationKind::kDisjoint, absl::StrCat(Text(a), " at [", Begin(a), ",", End(a), ") and ", Text(b), " at [",
                                             Begin(b), ",", End(b), ") overlap and are both alive at time ", time));
}

}  // namespace

absl::StatusOr<std::vector<Violation>> CheckIntervals(const Problem& problem, const ProblemPlan& plan,
                                                      int max_violations) {
  if (plan.offsets.size() != problem.buffers.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("plan: ", plan.offsets.size(), " offsets, the problem has ", problem.buffers.size(), " buffers"));
  }
  return IntervalChecker(problem, plan, max_violations).Check();
}

}  // namespace bufplan::checker
