#include "planner/placement/skyline_search.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "planner/placement/pieces.h"

namespace bufplan {
namespace {

uint64_t Mix(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

constexpr uint64_t kOddNumber = 0x9e3779b97f4a7c15ULL;

// What it costs to waste bytes at an edge.
constexpr int64_t kRaiseWork = 4;
// Steps between two looks at whether to stop.
constexpr int64_t kLookEvery = int64_t{1} << 16;

// A power of two.
size_t TableSize(size_t max_entries) {
  size_t size = 1;
  while (size <= max_entries / 2) size *= 2;
  return size;
}

}  // namespace

SkylineSearch::SkylineSearch(const SectionProblem& problem, size_t max_refuted) : problem_(problem) {
  const size_t n = problem.num_bars(), m = static_cast<size_t>(problem.num_sections);
  bar_key_.resize(n);
  for (size_t i = 0; i < n; ++i) {
    bar_key_[i] = Mix((i + 1) * kOddNumber);
    if (problem.pin[i] != SectionProblem::kNoPin) pinned_.push_back(static_cast<int32_t>(i));
    any_multiple_ |= problem.multiple[i] > 1;
  }
  std::vector<int32_t> alike(n);
  std::iota(alike.begin(), alike.end(), 0);
  const auto traits = [&problem](int32_t bar) {
    const size_t i = static_cast<size_t>(bar);
    return std::make_tuple(problem.begin[i], problem.end[i], problem.size[i], problem.multiple[i], problem.pin[i],
                           problem.unused_bytes[i]);
  };
  std::sort(alike.begin(), alike.end(), [&traits](int32_t a, int32_t b) {
    const auto of_a = traits(a), of_b = traits(b);
    return of_a != of_b ? of_a < of_b : a < b;
  });
  twin_.assign(n, -1);
  for (size_t i = 1; i < n; ++i) {
    if (traits(alike[i - 1]) == traits(alike[i])) twin_[static_cast<size_t>(alike[i])] = alike[i - 1];
  }
  refuted_.assign(TableSize(max_refuted), 0);
  size_t num_under = 0;
  for (size_t i = 0; i < n; ++i) {
    first_under_.push_back(num_under);
    num_under += static_cast<size_t>(problem.end[i] - problem.begin[i]);
  }
  under_.resize(num_under);
  support_.resize(m);
  highest_end_.resize(n);
  placed_.resize(n);
  offset_.resize(n);
  floor_.resize(m);
  to_come_.resize(m);
  crossing_.resize(m);
  fill_.resize(m + 1);
  failures_.assign(m, 1);
  failures_before_ = failures_;
  state_key_.resize(m);
  section_key_.resize(m);
  support_key_.resize(m);
  for (size_t k = 0; k < m; ++k) {
    section_key_[k] = Mix((n + k + 1) * kOddNumber) | 1;
    support_key_[k] = Mix((n + m + k + 1) * kOddNumber) | 1;
  }
  if (!pinned_.empty()) ceiling_.resize(m);
  MakeUnits();
}

void SkylineSearch::MakeUnits() {
  std::vector<int64_t> multiples(problem_.multiple.begin(), problem_.multiple.end());
  std::sort(multiples.begin(), multiples.end());
  multiples.erase(std::unique(multiples.begin(), multiples.end()), multiples.end());
  for (int64_t unit : multiples) {
    if (unit == 1) continue;
    Units& units = units_.emplace_back();
    units.unit = unit;
    units.to_come.resize(floor_.size());
    units.largest_rest.resize(floor_.size());
    for (size_t i = 0; i < problem_.num_bars(); ++i) {
      if (problem_.multiple[i] < unit) continue;
      const int64_t rest = AlignUp(problem_.size[i], unit) - problem_.size[i];
      for (int32_t k = problem_.begin[i]; k < problem_.end[i]; ++k) {
        int64_t& largest = units.largest_rest[static_cast<size_t>(k)];
        largest = std::max(largest, rest);
      }
    }
  }
}

void SkylineSearch::BuildEdgeLists(absl::Span<const int32_t> by_rank) {
  const auto build = [&](EdgeLists& lists, auto section_of) {
    lists.first.assign(static_cast<size_t>(problem_.num_sections) + 1, 0);
    for (size_t i = 0; i < by_rank.size(); ++i) ++lists.first[section_of(i) + 1];
    for (size_t k = 1; k < lists.first.size(); ++k) lists.first[k] += lists.first[k - 1];
    std::vector<int32_t> next(lists.first.begin(), lists.first.end() - 1);
    lists.bar.resize(by_rank.size());
    for (int32_t bar : by_rank) {
      lists.bar[static_cast<size_t>(next[section_of(static_cast<size_t>(bar))]++)] = bar;
    }
  };
  build(starts_, [this](size_t i) { return static_cast<size_t>(problem_.begin[i]); });
  build(ends_, [this](size_t i) { return static_cast<size_t>(problem_.end[i]) - 1; });
}

void SkylineSearch::StartRun(int64_t capacity_bytes) {
  work_ = problem_.num_sections + static_cast<int64_t>(problem_.num_bars());
  capacity_bytes_ = capacity_bytes;
  capacity_ = 0;
  for (size_t i = 0; i < problem_.num_bars(); ++i) {
    highest_end_[i] = (capacity_bytes + problem_.unused_bytes[i]) / problem_.granule_bytes;
    capacity_ = std::max(capacity_, highest_end_[i]);
  }
  std::fill(placed_.begin(), placed_.end(), char{0});
  std::fill(floor_.begin(), floor_.end(), int64_t{0});
  std::fill(support_.begin(), support_.end(), int64_t{0});
  std::fill(to_come_.begin(), to_come_.end(), int64_t{0});
  std::fill(crossing_.begin(), crossing_.end(), 0);
  std::fill(ceiling_.begin(), ceiling_.end(), kNoWall);
  for (size_t i = 0; i < problem_.num_bars(); ++i) {
    for (int32_t k = problem_.begin[i]; k < problem_.end[i]; ++k) {
      to_come_[static_cast<size_t>(k)] += problem_.size[i];
      if (k > problem_.begin[i]) ++crossing_[static_cast<size_t>(k)];
    }
  }
  for (Units& units : units_) std::fill(units.to_come.begin(), units.to_come.end(), int64_t{0});
  for (size_t i = 0; i < problem_.num_bars(); ++i) AddUnits(i, 1);
  std::fill(state_key_.begin(), state_key_.end(), uint64_t{0});
  for (size_t i = 0; i < problem_.num_bars(); ++i) state_key_[static_cast<size_t>(problem_.begin[i])] += bar_key_[i];
  for (int32_t bar : pinned_) UpdateCeiling(static_cast<size_t>(bar));
  nodes_.clear();
  parts_.clear();
  trail_.clear();
}

SearchEnd SkylineSearch::Run(int64_t capacity_bytes, absl::Span<const int32_t> by_rank, bool weighed,
                             int64_t work_limit, absl::FunctionRef<bool()> stop) {
  weighed_ = weighed;
  failures_before_ = failures_;
  BuildEdgeLists(by_rank);
  StartRun(capacity_bytes);
  for (int32_t k = 0; k < problem_.num_sections; ++k) {
    if (Slack(k) < 0 || !UnitsFit(k, 0)) return SearchEnd::kNone;
  }
  return Search(work_limit, stop);
}

SearchEnd SkylineSearch::Search(int64_t work_limit, absl::FunctionRef<bool()> stop) {
  SearchEnd end = Open(0, problem_.num_sections);
  int64_t look_at = std::min(work_limit, kLookEvery);
  while (!nodes_.empty()) {
    if (work_ >= look_at) {
      if (work_ >= work_limit || stop()) return SearchEnd::kGaveUp;
      look_at = std::min(work_limit, work_ + kLookEvery);
    }
    Node& node = nodes_.back();
    // `end` is what came of the node's last child; kGaveUp if it has had none yet.
    if (node.splits) {
      if (end != SearchEnd::kNone && node.next_part < node.num_parts) {
        const auto [from, to] = parts_[node.first_part + node.next_part++];
        end = Open(from, to);
        continue;
      }
      // All parts are found, or one cannot be.
      if (end == SearchEnd::kNone) Undo(node.undo_to);
      parts_.resize(node.first_part);
      nodes_.pop_back();
      continue;
    }
    if (end == SearchEnd::kFound) {
      nodes_.pop_back();
      continue;
    }
    Undo(node.undo_to);
    const int32_t from = node.begin, to = node.end;
    if (Advance(node)) {
      end = Open(from, to);
      continue;
    }
    refuted_[node.key & (refuted_.size() - 1)] = node.key;
    nodes_.pop_back();
    end = SearchEnd::kNone;
  }
  return end;
}

SearchEnd SkylineSearch::Open(int32_t begin, int32_t end) {
  Node node;
  node.undo_to = trail_.size();
  node.first_part = parts_.size();
  for (int32_t k = begin; k < end;) {
    if (to_come_[static_cast<size_t>(k)] == 0) {
      ++k;
      continue;
    }
    const int32_t from = k++;
    while (k < end && crossing_[static_cast<size_t>(k)] > 0) ++k;
    parts_.emplace_back(from, k);
  }
  node.num_parts = parts_.size() - node.first_part;
  work_ += end - begin;
  if (node.num_parts == 0) return SearchEnd::kFound;
  if (node.num_parts > 1) {
    // The narrow ones first: they are soon refuted, if at all.
    std::sort(parts_.begin() + static_cast<std::ptrdiff_t>(node.first_part), parts_.end(),
              [](const auto& a, const auto& b) {
                const int32_t width_a = a.second - a.first, width_b = b.second - b.first;
                return width_a != width_b ? width_a < width_b : a.first < b.first;
              });
    node.splits = true;
    nodes_.push_back(node);
    return SearchEnd::kGaveUp;
  }
  std::tie(node.begin, node.end) = parts_.back();
  parts_.pop_back();
  work_ += node.end - node.begin;
  if (!Settle(node.begin, node.end, node.branch)) return SearchEnd::kNone;
  node.undo_to = trail_.size();
  node.key = Key(node.begin, node.end);
  if (refuted_[node.key & (refuted_.size() - 1)] == node.key) return SearchEnd::kNone;
  nodes_.push_back(node);
  return SearchEnd::kGaveUp;
}

bool SkylineSearch::Advance(Node& node) {
  const Valley& valley = node.branch.valley;
  const int32_t section = SectionOf(node.branch);
  const absl::Span<const int32_t> bars = (node.branch.left ? starts_ : ends_).At(section);
  while (node.next_choice < bars.size()) {
    const size_t bar = static_cast<size_t>(bars[node.next_choice++]);
    if (!IsNext(bar) || !MayLie(bar, valley)) continue;
    Place(bar);
    trail_.emplace_back(static_cast<int32_t>(bar), 0);
    if (UnitsFitAbove(bar) && CanFillAround(bar, node.begin, node.end)) return true;
    Undo(node.undo_to);
  }
  if (node.raised || node.branch.raise == kNoWall) return false;
  node.raised = true;
  Raise(section, node.branch.raise);
  return true;
}

void SkylineSearch::Raise(int32_t section, int64_t floor) {
  trail_.emplace_back(-1 - section, floor_[static_cast<size_t>(section)]);
  SetFloor(static_cast<size_t>(section), floor);
}

SkylineSearch::Valley SkylineSearch::ValleyFrom(int32_t section, int32_t begin, int32_t end) const {
  Valley valley;
  valley.begin = section;
  valley.end = section + 1;
  valley.floor = floor_[static_cast<size_t>(section)];
  while (valley.end < end && floor_[static_cast<size_t>(valley.end)] == valley.floor) ++valley.end;
  if (valley.begin > begin) valley.left_wall = floor_[static_cast<size_t>(valley.begin) - 1];
  if (valley.end < end) valley.right_wall = floor_[static_cast<size_t>(valley.end)];
  return valley;
}

bool SkylineSearch::Settle(int32_t begin, int32_t end, Branch& best) {
  for (int32_t k = begin; k < end;) {
    const Valley valley = ValleyFrom(k, begin, end);
    if (valley.left_wall < valley.floor || valley.right_wall < valley.floor) {
      k = valley.end;
      continue;
    }
    const int32_t count[2] = {CountBars(valley, true), CountBars(valley, false)};
    work_ += static_cast<int64_t>(starts_.At(valley.begin).size() + ends_.At(valley.end - 1).size());
    if (count[0] == 0 || count[1] == 0) {
      const bool left = count[0] == 0;
      const int32_t section = left ? valley.begin : valley.end - 1;
      const int64_t raised = RaisedFloor(valley, left);
      if (raised == kNoWall) {
        ++failures_[static_cast<size_t>(section)];
        return false;
      }
      Raise(section, raised);
      work_ += kRaiseWork;
      // What remains of the valley, with what it may be level with now. Neither is in `best`.
      while (k > begin && floor_[static_cast<size_t>(k) - 1] == floor_[static_cast<size_t>(k)]) --k;
      continue;
    }
    k = valley.end;
    for (const bool left : {true, false}) {
      Branch branch{valley, left, count[left ? 0 : 1]};
      if (IsBetter(best, branch)) continue;
      branch.raise = RaisedFloor(valley, left);
      work_ += kRaiseWork;
      if (branch.raise != kNoWall) ++branch.count;
      if (!IsBetter(best, branch)) best = branch;
    }
  }
  return true;
}

bool SkylineSearch::IsBetter(const Branch& best, const Branch& branch) const {
  if (best.count == INT32_MAX) return false;
  if (weighed_ && best.count > 1 && branch.count > 1) {
    const int64_t choices = branch.count * failures_[static_cast<size_t>(SectionOf(best))];
    const int64_t least = best.count * failures_[static_cast<size_t>(SectionOf(branch))];
    if (choices != least) return choices > least;
  } else if (branch.count != best.count) {
    return branch.count > best.count;
  }
  return branch.valley.floor >= best.valley.floor;
}

int32_t SkylineSearch::CountBars(const Valley& valley, bool left) const {
  int32_t count = 0;
  for (int32_t bar : left ? starts_.At(valley.begin) : ends_.At(valley.end - 1)) {
    const size_t i = static_cast<size_t>(bar);
    count += IsNext(i) && MayLie(i, valley) ? 1 : 0;
  }
  return count;
}

// Where the floor of an edge goes if nothing lies at it: what comes next there crosses a wall and so lies above it, or
// is inside of the valley and lies on another bar there that leaves the edge out, or off the floor by its alignment.
// kNoWall if the section cannot waste so much.
int64_t SkylineSearch::RaisedFloor(const Valley& valley, bool left) const {
  const int32_t section = left ? valley.begin : valley.end - 1;
  const int64_t slack = Slack(section);
  if (slack <= 0) return kNoWall;
  int64_t raised = kNoWall;
  if (to_come_[static_cast<size_t>(section)] == 0) {
    raised = std::min(valley.left_wall, valley.right_wall);
  } else if (left) {
    if (crossing_[static_cast<size_t>(section)] > 0) raised = valley.left_wall;
  } else if (valley.right_wall < kNoWall && crossing_[static_cast<size_t>(section) + 1] > 0) {
    raised = valley.right_wall;
  }
  // The inside bars of the edge reach this far.
  int32_t reach = left ? valley.begin : valley.end;
  for (int32_t bar : (left ? starts_ : ends_).At(section)) {
    const size_t i = static_cast<size_t>(bar);
    if (placed_[i]) continue;
    const int32_t far = left ? problem_.end[i] : problem_.begin[i];
    if (left ? far > valley.end : far < valley.begin) {
      raised = std::min(raised, left ? valley.right_wall : valley.left_wall);
      continue;
    }
    reach = left ? std::max(reach, far) : std::min(reach, far);
    if (any_multiple_ && valley.floor % problem_.multiple[i] != 0) {
      raised = std::min(raised, (valley.floor / problem_.multiple[i] + 1) * problem_.multiple[i]);
    }
  }
  for (int32_t k = left ? section + 1 : reach; k < (left ? reach : section); ++k) {
    for (int32_t bar : (left ? starts_ : ends_).At(k)) {
      const size_t i = static_cast<size_t>(bar);
      if (placed_[i]) continue;
      const bool crosses = left ? problem_.end[i] > valley.end : problem_.begin[i] < valley.begin;
      const int64_t lowest = !crosses ? valley.floor : left ? valley.right_wall : valley.left_wall;
      raised = std::min(raised, lowest + problem_.size[i]);
    }
  }
  if (!pinned_.empty()) {
    const int64_t ceiling = ceiling_[static_cast<size_t>(section)];
    if (ceiling == valley.floor) return kNoWall;
    raised = std::min(raised, ceiling);
  }
  if (raised - valley.floor > slack || !UnitsFit(section, raised) || LeavesRoom(section, left, raised)) return kNoWall;
  return raised;
}

// Whether an edge of an emptied stretch has slack, or a bar besides `without` to lie there.
bool SkylineSearch::EdgesMayFill(int32_t begin, int32_t end, size_t without) const {
  bool left = Slack(begin) > 0, right = Slack(end - 1) > 0;
  for (int32_t bar : starts_.At(begin)) {
    if (left) break;
    const size_t i = static_cast<size_t>(bar);
    left = !placed_[i] && i != without && problem_.end[i] <= end;
  }
  if (!left) return false;
  for (int32_t bar : ends_.At(end - 1)) {
    if (right) break;
    const size_t i = static_cast<size_t>(bar);
    right = !placed_[i] && i != without && problem_.begin[i] >= begin;
  }
  return right;
}

bool SkylineSearch::AnyBesides(absl::Span<const int32_t> bars, size_t without) const {
  for (int32_t bar : bars) {
    if (static_cast<size_t>(bar) != without && !placed_[static_cast<size_t>(bar)]) return true;
  }
  return false;
}

bool SkylineSearch::IsSupported(size_t bar, int64_t floor) const {
  if (floor == 0 || problem_.pin[bar] != SectionProblem::kNoPin) return true;
  for (int32_t k = problem_.begin[bar]; k < problem_.end[bar]; ++k) {
    if (support_[static_cast<size_t>(k)] > floor - problem_.multiple[bar]) return true;
  }
  return false;
}

bool SkylineSearch::LeavesRoom(int32_t section, bool left, int64_t raised) const {
  for (int32_t bar : (left ? starts_ : ends_).At(section)) {
    const size_t i = static_cast<size_t>(bar);
    if (placed_[i] || problem_.pin[i] != SectionProblem::kNoPin) continue;
    const int64_t size = problem_.size[i];
    int64_t low = 0, high = raised;
    const int32_t length = problem_.end[i] - problem_.begin[i];
    for (int32_t j = 0; j < length && high - low >= size; ++j) {
      const size_t k = static_cast<size_t>(left ? section + j : section - j);
      low = std::max(low, support_[k]);
      if (j > 0) high = std::min(high, floor_[k]);
    }
    if (high - AlignUp(low, problem_.multiple[i]) >= size) return true;
  }
  return false;
}

bool SkylineSearch::UnitsFit(int32_t section, int64_t floor) const {
  const size_t k = static_cast<size_t>(section);
  for (const Units& units : units_) {
    const int64_t to_come = units.to_come[k];
    if (to_come == 0) return true;
    if (AlignUp(floor, units.unit) + to_come * units.unit - units.largest_rest[k] > capacity_) return false;
  }
  return true;
}

bool SkylineSearch::UnitsFitAbove(size_t bar) {
  if (units_.empty()) return true;
  for (int32_t k = problem_.begin[bar]; k < problem_.end[bar]; ++k) {
    if (UnitsFit(k, floor_[static_cast<size_t>(k)])) continue;
    ++failures_[static_cast<size_t>(k)];
    return false;
  }
  return true;
}

void SkylineSearch::AddUnits(size_t bar, int64_t sign) {
  for (Units& units : units_) {
    if (units.unit > problem_.multiple[bar]) return;
    const int64_t more = sign * ((problem_.size[bar] + units.unit - 1) / units.unit);
    for (int32_t k = problem_.begin[bar]; k < problem_.end[bar]; ++k) units.to_come[static_cast<size_t>(k)] += more;
  }
}

bool SkylineSearch::MayLie(size_t bar, const Valley& valley) const {
  const int32_t begin = problem_.begin[bar], end = problem_.end[bar];
  if (begin < valley.begin || end > valley.end) return false;
  const int64_t top = valley.floor + problem_.size[bar];
  if (top > highest_end_[bar]) return false;
  if (any_multiple_ && valley.floor % problem_.multiple[bar] != 0) return false;
  if (!pinned_.empty()) {
    const int64_t pin = problem_.pin[bar];
    if (pin != SectionProblem::kNoPin && pin != valley.floor) return false;
    for (int32_t k = begin; pin == SectionProblem::kNoPin && k < end; ++k) {
      if (ceiling_[static_cast<size_t>(k)] < top) return false;
    }
  }
  if (!IsSupported(bar, valley.floor)) return false;
  // An edge that stays below its wall is for bars that start (end) there as well.
  if (begin == valley.begin && top < valley.left_wall && valley.left_wall < kNoWall && Slack(begin) <= 0 &&
      !AnyBesides(starts_.At(begin), bar)) {
    return false;
  }
  if (end == valley.end && top < valley.right_wall && valley.right_wall < kNoWall && Slack(end - 1) <= 0 &&
      !AnyBesides(ends_.At(end - 1), bar)) {
    return false;
  }
  if (begin > valley.begin && !EdgesMayFill(valley.begin, begin, bar)) return false;
  return end == valley.end || EdgesMayFill(end, valley.end, bar);
}

uint64_t SkylineSearch::Key(int32_t begin, int32_t end) const {
  uint64_t key = Mix(static_cast<uint64_t>(capacity_bytes_) + generation_ * kOddNumber) +
                 static_cast<uint64_t>(begin) * kOddNumber;
  for (size_t k = static_cast<size_t>(begin); k < static_cast<size_t>(end); ++k) key += state_key_[k];
  return Mix(key) | 1;  // never that of an empty entry
}

void SkylineSearch::Place(size_t bar) {
  const size_t begin = static_cast<size_t>(problem_.begin[bar]), end = static_cast<size_t>(problem_.end[bar]);
  const int64_t size = problem_.size[bar];
  int64_t* under = &under_[first_under_[bar]];
  offset_[bar] = floor_[begin];
  placed_[bar] = 1;
  for (size_t k = begin; k < end; ++k) {
    *under++ = support_[k];
    SetFloor(k, floor_[k] + size);
    SetSupport(k, floor_[k]);
    to_come_[k] -= size;
    --crossing_[k];
  }
  ++crossing_[begin];
  state_key_[begin] -= bar_key_[bar];
  work_ += static_cast<int64_t>(end - begin);
  AddUnits(bar, -1);
  if (problem_.pin[bar] != SectionProblem::kNoPin) UpdateCeiling(bar);
}

void SkylineSearch::Unplace(size_t bar) {
  const size_t begin = static_cast<size_t>(problem_.begin[bar]), end = static_cast<size_t>(problem_.end[bar]);
  const int64_t size = problem_.size[bar];
  const int64_t* under = &under_[first_under_[bar]];
  placed_[bar] = 0;
  for (size_t k = begin; k < end; ++k) {
    SetFloor(k, floor_[k] - size);
    SetSupport(k, *under++);
    to_come_[k] += size;
    ++crossing_[k];
  }
  --crossing_[begin];
  state_key_[begin] += bar_key_[bar];
  AddUnits(bar, 1);
  if (problem_.pin[bar] != SectionProblem::kNoPin) UpdateCeiling(bar);
}

void SkylineSearch::Undo(size_t to) {
  while (trail_.size() > to) {
    const auto [bar, floor] = trail_.back();
    trail_.pop_back();
    if (bar >= 0) {
      Unplace(static_cast<size_t>(bar));
    } else {
      SetFloor(static_cast<size_t>(-1 - bar), floor);
    }
  }
}

void SkylineSearch::UpdateCeiling(size_t pinned_bar) {
  for (int32_t k = problem_.begin[pinned_bar]; k < problem_.end[pinned_bar]; ++k) {
    int64_t ceiling = kNoWall;
    for (int32_t bar : pinned_) {
      const size_t i = static_cast<size_t>(bar);
      if (placed_[i] || k < problem_.begin[i] || k >= problem_.end[i]) continue;
      ceiling = std::min(ceiling, problem_.pin[i]);
    }
    ceiling_[static_cast<size_t>(k)] = ceiling;
    work_ += static_cast<int64_t>(pinned_.size());
  }
}

// The bar's top is a wall for what lies left and right of it; so each stretch up to it, from a lower wall to a higher
// one, is looked at.
bool SkylineSearch::CanFillAround(size_t bar, int32_t begin, int32_t end) {
  const int64_t top = offset_[bar] + problem_.size[bar];
  const auto floor = [this](int32_t section) { return floor_[static_cast<size_t>(section)]; };
  const int32_t right = problem_.begin[bar];
  for (int32_t left = right; left > begin && floor(left - 1) < top;) {
    const int64_t inside = floor(left - 1);
    while (left > begin && floor(left - 1) <= inside) --left;
    const int64_t level = left > begin ? std::min(top, floor(left - 1)) : top;
    if (!CanFill(left, right, level)) return false;
  }
  const int32_t left = problem_.end[bar];
  for (int32_t to = left; to < end && floor(to) < top;) {
    const int64_t inside = floor(to);
    while (to < end && floor(to) <= inside) ++to;
    const int64_t level = to < end ? std::min(top, floor(to)) : top;
    if (!CanFill(left, to, level)) return false;
  }
  return true;
}

// Whether the bars that live inside of [begin, end) fill each of its sections up to the level, but for its slack.
bool SkylineSearch::CanFill(int32_t begin, int32_t end, int64_t level) {
  std::fill(fill_.begin() + begin, fill_.begin() + end + 1, int64_t{0});
  work_ += end - begin;
  int64_t filled = 0;
  for (int32_t k = begin; k < end; ++k) {
    for (int32_t bar : starts_.At(k)) {
      const size_t i = static_cast<size_t>(bar);
      if (placed_[i] || problem_.end[i] > end) continue;
      filled += problem_.size[i];
      fill_[static_cast<size_t>(problem_.end[i])] -= problem_.size[i];
    }
    filled += fill_[static_cast<size_t>(k)];
    if (filled < level - floor_[static_cast<size_t>(k)] - Slack(k)) {
      ++failures_[static_cast<size_t>(k)];
      return false;
    }
  }
  return true;
}

}  // namespace bufplan
