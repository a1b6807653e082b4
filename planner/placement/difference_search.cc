#include "planner/placement/difference_search.h"

#include <algorithm>
#include <limits>

namespace bufplan {
namespace {

constexpr int64_t kFar = INT64_MAX / 4;
// Steps between looks at the clock.
constexpr int64_t kDeadlineStride = 50'000;
// What a clique without room adds to the weight of each of its items; an arc that cannot be met adds 1.
constexpr double kCliqueWeight = 0.1;
// How much the wider one of two gaps counts, against the narrower one.
constexpr double kGreaterPart = 0.3;

// Splitmix64.
uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

DifferenceSearch::DifferenceSearch(const DifferenceProblem& problem, size_t max_refuted)
    : problem_(problem), num_items_(problem.num_items()), refuted_(max_refuted, 0) {
  const size_t n = problem.num_items();
  first_clique_.assign(n + 1, 0);
  const auto each = [&](auto f) {
    for (size_t c = 0; c < problem.num_cliques(); ++c) {
      int32_t last = -1;  // tasks of an item lie together
      for (const DifferenceProblem::Task& task : problem.TasksOf(c)) {
        if (task.item != last) f(static_cast<size_t>(task.item), static_cast<int32_t>(c));
        last = task.item;
      }
    }
  };
  each([&](size_t item, int32_t) { ++first_clique_[item + 1]; });
  for (size_t i = 0; i < n; ++i) first_clique_[i + 1] += first_clique_[i];
  cliques_.resize(static_cast<size_t>(first_clique_[n]));
  std::vector<int32_t> next(first_clique_.begin(), first_clique_.end() - 1);
  each([&](size_t item, int32_t clique) { cliques_[static_cast<size_t>(next[item]++)] = clique; });
  for (size_t i = 0; i < n; ++i) item_key_.push_back(Mix(i + 1) | 1);
  rank_.assign(n, 0);
  weight_.assign(n, 1);
  is_dirty_.assign(n, 0);
  is_touched_.assign(n, 0);
  clique_seen_.assign(problem.num_cliques(), 0);
}

void DifferenceSearch::Undo(size_t to) {
  while (trail_.size() > to) {
    state_[trail_.back().first] = trail_.back().second;
    trail_.pop_back();
  }
}

void DifferenceSearch::MarkDirty(int32_t item) {
  const size_t i = static_cast<size_t>(item);
  if (is_dirty_[i] == 0) {
    is_dirty_[i] = 1;
    dirty_.push_back(item);
  }
  if (is_touched_[i] == 0) {
    is_touched_[i] = 1;
    touched_.push_back(item);
  }
}

bool DifferenceSearch::Raise(size_t item, int64_t to) {
  if (to <= lowest(item)) return true;
  to = (to + problem_.multiple[item] - 1) & -problem_.multiple[item];
  if (to > highest(item)) return false;
  Set(Lowest(item), to);
  MarkDirty(static_cast<int32_t>(item));
  return true;
}

bool DifferenceSearch::Lower(size_t item, int64_t to) {
  if (to >= highest(item)) return true;
  if (to < lowest(item)) return false;
  to &= -problem_.multiple[item];
  if (to < lowest(item)) return false;
  Set(Highest(item), to);
  MarkDirty(static_cast<int32_t>(item));
  return true;
}

// The arc leads from the item.
bool DifferenceSearch::Tighten(size_t item, int32_t index) {
  const DifferenceProblem::Arc& arc = problem_.arcs[static_cast<size_t>(index)];
  const size_t other = static_cast<size_t>(arc.other);
  const int64_t by_domains = lowest(item) - highest(other);
  int64_t difference = std::max(least(static_cast<size_t>(index)), by_domains);
  for (const DifferenceProblem::Range& range : problem_.RangesOf(arc)) {
    if (difference <= range.low) break;
    if (difference < range.high) {
      difference = range.high;
      break;
    }
  }
  if (difference <= by_domains) return true;
  if (difference > least(static_cast<size_t>(index))) Set(Least(static_cast<size_t>(index)), difference);
  return Raise(item, lowest(other) + difference) && Lower(other, highest(item) - difference);
}

bool DifferenceSearch::PropagateArcs() {
  while (!dirty_.empty()) {
    const int32_t item = dirty_.back();
    dirty_.pop_back();
    const size_t i = static_cast<size_t>(item);
    is_dirty_[i] = 0;
    const int32_t end = problem_.first_arc[i + 1];
    work_ += end - problem_.first_arc[i];
    for (int32_t a = problem_.first_arc[i]; a < end; ++a) {
      const DifferenceProblem::Arc& arc = problem_.arcs[static_cast<size_t>(a)];
      const size_t other = static_cast<size_t>(arc.other);
      if (!Tighten(i, a) || !Tighten(other, arc.reverse)) {
        weight_[i] += 1;
        weight_[other] += 1;
        return false;
      }
      if (waits(other) == kNowhere || !IsPlaced(i)) continue;
      const DifferenceProblem::Arc& back = problem_.arcs[static_cast<size_t>(arc.reverse)];
      for (const DifferenceProblem::Range& range : problem_.RangesOf(back)) {
        const int64_t difference = waits(other) - lowest(i);
        if (range.low < difference && difference < range.high) {
          Set(Waits(other), kNowhere);
          break;
        }
      }
    }
  }
  return true;
}

bool DifferenceSearch::CliqueHasRoom(size_t clique) {
  const absl::Span<const DifferenceProblem::Task> tasks = problem_.TasksOf(clique);
  work_ += 2 * static_cast<int64_t>(tasks.size());
  const auto has_room = [this] {
    std::sort(extents_.begin(), extents_.end(), [](const Extent& a, const Extent& b) { return a.at > b.at; });
    int64_t sum = 0;
    for (const Extent& extent : extents_) {
      sum += extent.size;
      if (extent.at + sum > capacity_) return false;
    }
    return true;
  };
  extents_.clear();
  for (const DifferenceProblem::Task& task : tasks) {
    extents_.push_back({lowest(static_cast<size_t>(task.item)) + task.low, task.high - task.low});
  }
  if (!has_room()) return false;
  extents_.clear();
  for (const DifferenceProblem::Task& task : tasks) {
    extents_.push_back({capacity_ - highest(static_cast<size_t>(task.item)) - task.high, task.high - task.low});
  }
  return has_room();
}

bool DifferenceSearch::Propagate(bool ok) {
  ok = ok && PropagateArcs();
  for (int32_t item : dirty_) is_dirty_[static_cast<size_t>(item)] = 0;
  dirty_.clear();
  seen_cliques_.clear();
  for (int32_t item : touched_) {
    const size_t i = static_cast<size_t>(item);
    is_touched_[i] = 0;
    if (!ok) continue;
    for (int32_t k = first_clique_[i]; k < first_clique_[i + 1]; ++k) {
      const size_t clique = static_cast<size_t>(cliques_[static_cast<size_t>(k)]);
      if (clique_seen_[clique] != 0) continue;
      clique_seen_[clique] = 1;
      seen_cliques_.push_back(static_cast<int32_t>(clique));
    }
  }
  touched_.clear();
  for (int32_t clique : seen_cliques_) {
    clique_seen_[static_cast<size_t>(clique)] = 0;
    if (!ok) continue;
    ok = CliqueHasRoom(static_cast<size_t>(clique));
    if (!ok) {
      for (const DifferenceProblem::Task& task : problem_.TasksOf(static_cast<size_t>(clique))) {
        weight_[static_cast<size_t>(task.item)] += kCliqueWeight;
      }
    }
  }
  return ok;
}

bool DifferenceSearch::Wait(size_t item) {
  const int64_t at = lowest(item);
  int64_t beyond = kFar;
  const int32_t end = problem_.first_arc[item + 1];
  work_ += end - problem_.first_arc[item];
  for (int32_t a = problem_.first_arc[item]; a < end; ++a) {
    const DifferenceProblem::Arc& arc = problem_.arcs[static_cast<size_t>(a)];
    const size_t other = static_cast<size_t>(arc.other);
    if (IsPlaced(other)) continue;
    const int64_t most = -least(static_cast<size_t>(arc.reverse));
    for (const DifferenceProblem::Range& range : problem_.RangesOf(arc)) {
      if (range.high > most) break;
      const int64_t first = std::max(lowest(other), at - range.high + 1);
      const int64_t aligned = (first + problem_.multiple[other] - 1) & -problem_.multiple[other];
      if (aligned > highest(other) || aligned >= at - range.low || aligned + range.high > highest(item)) continue;
      beyond = std::min(beyond, aligned + range.high);
    }
  }
  if (beyond == kFar) return false;
  Set(Waits(item), at);
  return Raise(item, std::max(beyond, at + 1));
}

bool DifferenceSearch::Choose(const Node& node) {
  const size_t index = static_cast<size_t>(node.item);
  if (node.places) {
    return Propagate(node.last ? Wait(index) : Lower(index, node.at));
  }
  Set(GapsChosen(), state_[GapsChosen()] + 1);
  const DifferenceProblem::Arc& arc = problem_.arcs[index];
  const size_t reverse = static_cast<size_t>(arc.reverse);
  const int32_t item = problem_.arcs[reverse].other;
  // First the gap to which the lower one of the two is nearer.
  const bool above = node.last != node.above_first;
  if (above) {
    Set(Least(index), std::max(least(index), node.at));
  } else {
    Set(Least(reverse), std::max(least(reverse), -node.below));
  }
  MarkDirty(item);
  return Propagate(true);
}

bool DifferenceSearch::PickItem(Node& node) const {
  int32_t best = -1;
  for (size_t i = 0; i < num_items_; ++i) {
    if (IsPlaced(i) || waits(i) != kNowhere) continue;
    const size_t b = static_cast<size_t>(best);
    if (best >= 0 && (lowest(i) != lowest(b) ? lowest(i) > lowest(b) : rank_[i] > rank_[b])) continue;
    best = static_cast<int32_t>(i);
  }
  if (best < 0) return false;
  node.item = best;
  node.at = lowest(static_cast<size_t>(best));
  return true;
}

bool DifferenceSearch::AnyInterlock() const {
  for (size_t i = 0; i < num_items_; ++i) {
    if (IsPlaced(i)) continue;
    for (const DifferenceProblem::Arc& arc : problem_.ArcsOf(i)) {
      if (!IsPlaced(static_cast<size_t>(arc.other)) && problem_.RangesOf(arc).front().high <= 0) return true;
    }
  }
  return false;
}

bool DifferenceSearch::PickTightPair(Node& node) {
  double best = std::numeric_limits<double>::infinity();
  bool overlaps = false;
  node.places = false;
  for (size_t i = 0; i < num_items_; ++i) {
    const int32_t end = problem_.first_arc[i + 1];
    for (int32_t a = problem_.first_arc[i]; a < end; ++a) {
      const DifferenceProblem::Arc& arc = problem_.arcs[static_cast<size_t>(a)];
      const size_t j = static_cast<size_t>(arc.other);
      if (j > i) break;
      ++work_;
      if (IsPlaced(i) && IsPlaced(j)) continue;
      const int64_t low = std::max(least(static_cast<size_t>(a)), lowest(i) - highest(j));
      const int64_t high = std::min(-least(static_cast<size_t>(arc.reverse)), highest(i) - lowest(j));
      const int64_t difference = lowest(i) - lowest(j);
      for (const DifferenceProblem::Range& range : problem_.RangesOf(arc)) {
        if (range.high <= low) continue;
        if (range.low >= high) break;
        overlaps |= range.low < difference && difference < range.high;
        const double below = static_cast<double>(range.low - low), above = static_cast<double>(high - range.high);
        const double lesser = std::min(below, above) + 1, greater = std::max(below, above) + 1;
        const double score = (lesser + kGreaterPart * greater) / (weight_[i] + weight_[j]);
        if (score >= best) continue;
        best = score;
        node.item = a;
        node.at = range.high;
        node.below = range.low;
        node.above_first = above > below;
      }
    }
  }
  return overlaps;
}

bool DifferenceSearch::PickOverlap(Node& node) {
  int64_t most = -1;
  node.places = false;
  for (size_t i = 0; i < num_items_; ++i) {
    if (IsPlaced(i)) continue;
    const int32_t end = problem_.first_arc[i + 1];
    work_ += end - problem_.first_arc[i];
    for (int32_t a = problem_.first_arc[i]; a < end; ++a) {
      const DifferenceProblem::Arc& arc = problem_.arcs[static_cast<size_t>(a)];
      const int64_t difference = lowest(i) - lowest(static_cast<size_t>(arc.other));
      for (const DifferenceProblem::Range& range : problem_.RangesOf(arc)) {
        if (difference <= range.low || difference >= range.high) continue;
        const int64_t raise = std::min(range.high - difference, difference - range.low);
        if (raise <= most) continue;
        most = raise;
        node.item = a;
        node.at = range.high;
        node.below = range.low;
        node.above_first = range.high - difference <= difference - range.low;
      }
    }
  }
  return most >= 0;
}

uint64_t DifferenceSearch::Key() {
  uint64_t key = run_key_;
  const auto add = [&key](uint64_t item_key, int64_t a, int64_t b, int64_t c) {
    key += Mix(Mix(Mix(static_cast<uint64_t>(a) ^ item_key) + static_cast<uint64_t>(b)) + static_cast<uint64_t>(c));
  };
  for (size_t i = 0; i < num_items_; ++i) {
    if (!IsPlaced(i)) {
      add(item_key_[i], lowest(i), highest(i), waits(i));
      continue;
    }
    work_ += problem_.first_arc[i + 1] - problem_.first_arc[i];
    for (const DifferenceProblem::Arc& arc : problem_.ArcsOf(i)) {
      const size_t other = static_cast<size_t>(arc.other);
      if (IsPlaced(other)) continue;
      const absl::Span<const DifferenceProblem::Range> ranges =
          problem_.RangesOf(problem_.arcs[static_cast<size_t>(arc.reverse)]);
      const bool cuts = std::any_of(ranges.begin(), ranges.end(), [&](const DifferenceProblem::Range& range) {
        return lowest(i) + range.high > lowest(other) && lowest(i) + range.low < highest(other);
      });
      if (!cuts) continue;
      add(item_key_[i], lowest(i), -2, -2);
      break;
    }
  }
  return key;
}

SearchEnd DifferenceSearch::Branch(Node& node) {
  node = {};
  node.undo_to = trail_.size();
  work_ += static_cast<int64_t>(num_items_) / 4 + 1;
  bool placed = true;
  for (size_t i = 0; i < num_items_ && placed; ++i) placed = IsPlaced(i);
  if (placed) return SearchEnd::kFound;
  if (branching_ == Branching::kTightestPair) return PickTightPair(node) ? SearchEnd::kGaveUp : SearchEnd::kFound;
  if (state_[GapsChosen()] == 0) {
    node.key = Key() | 1;
    if (refuted_[node.key % refuted_.size()] == node.key) return SearchEnd::kNone;
  }
  if (PickItem(node)) return SearchEnd::kGaveUp;
  if (!AnyInterlock()) return SearchEnd::kNone;
  return PickOverlap(node) ? SearchEnd::kGaveUp : SearchEnd::kFound;
}

void DifferenceSearch::Start(int64_t capacity_bytes) {
  const size_t n = problem_.num_items();
  capacity_ = (capacity_bytes + problem_.unit_bytes - 1) / problem_.unit_bytes;
  run_key_ = Mix(static_cast<uint64_t>(capacity_bytes));  // what is refuted is so within a capacity
  state_.assign(3 * n + problem_.arcs.size() + 1, 0);
  std::fill_n(state_.begin() + static_cast<std::ptrdiff_t>(Waits(0)), n, kNowhere);
  std::fill_n(state_.begin() + static_cast<std::ptrdiff_t>(Least(0)), problem_.arcs.size(), -kFar);
  nodes_.clear();
  trail_.clear();
  for (size_t i = 0; i < n; ++i) {
    state_[Highest(i)] = problem_.HighestOffset(i, capacity_bytes);
    const int64_t pin = problem_.pin[i];
    if (pin == DifferenceProblem::kNoPin) continue;
    state_[Lowest(i)] = pin;
    state_[Highest(i)] = std::min(highest(i), pin);
  }
  for (size_t i = 0; i < n; ++i) {
    for (int32_t a = problem_.first_arc[i]; a < problem_.first_arc[i + 1]; ++a) {
      if (problem_.arcs[static_cast<size_t>(a)].other == problem_.twin[i]) state_[Least(static_cast<size_t>(a))] = 0;
    }
    MarkDirty(static_cast<int32_t>(i));
  }
}

SearchEnd DifferenceSearch::Run(int64_t capacity_bytes, Branching branching, absl::Span<const int32_t> by_rank,
                                int64_t work_end, Deadline deadline) {
  branching_ = branching;
  for (size_t k = 0; k < by_rank.size(); ++k) rank_[static_cast<size_t>(by_rank[k])] = static_cast<int32_t>(k);
  Start(capacity_bytes);
  bool ok = true;
  for (size_t i = 0; i < num_items_; ++i) ok = ok && lowest(i) <= highest(i);
  ok = Propagate(ok);
  int64_t next_look = work_ + kDeadlineStride;
  while (true) {
    if (ok) {
      Node node;
      const SearchEnd end = Branch(node);
      if (end == SearchEnd::kFound) {
        offset_.assign(state_.begin(), state_.begin() + static_cast<std::ptrdiff_t>(num_items_));
        return end;
      }
      ok = end != SearchEnd::kNone;
      if (ok) {
        nodes_.push_back(node);
        ok = Choose(node);
      }
    }
    if (work_ >= work_end) return SearchEnd::kGaveUp;
    if (work_ >= next_look) {
      if (deadline.Passed()) return SearchEnd::kGaveUp;
      next_look = work_ + kDeadlineStride;
    }
    while (!ok) {
      while (!nodes_.empty() && nodes_.back().last) {
        const uint64_t key = nodes_.back().key;
        if (key != 0) refuted_[key % refuted_.size()] = key;
        nodes_.pop_back();
      }
      if (nodes_.empty()) return SearchEnd::kNone;
      Undo(nodes_.back().undo_to);
      nodes_.back().last = true;
      ok = Choose(nodes_.back());
      if (work_ >= work_end) return SearchEnd::kGaveUp;
    }
  }
}

}  // namespace bufplan
