#include "planner/placement/difference_problem.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "planner/placement/conflict_lists.h"
#include "planner/placement/time_order.h"

namespace bufplan {
namespace {

// Bytes.
struct Forbidden {
  int32_t item = 0, other = 0;
  int64_t low = 0, high = 0;
};

// Rounded towards what the alignments of both let be, then disjoint. Sorted by (item, other, low).
std::vector<Forbidden> FindForbidden(const PlacementProblem& problem, const ConflictLists& lists) {
  std::vector<Forbidden> found;
  const auto add = [&](size_t a, size_t b, int64_t low, int64_t high) {
    const int64_t step = std::min(problem.storages[a].alignment_bytes, problem.storages[b].alignment_bytes);
    low &= -step;
    high = (high + step - 1) & -step;
    found.push_back({static_cast<int32_t>(a), static_cast<int32_t>(b), low, high});
    found.push_back({static_cast<int32_t>(b), static_cast<int32_t>(a), -high, -low});
  };
  const std::vector<int32_t> owner = OwnersOfPieces(problem);
  for (size_t p = 0; p < problem.pieces.size(); ++p) {
    const Piece& piece = problem.pieces[p];
    for (int32_t other : lists.Of(p)) {
      const size_t q = static_cast<size_t>(other);
      if (owner[q] < owner[p]) continue;
      add(static_cast<size_t>(owner[p]), static_cast<size_t>(owner[q]), problem.pieces[q].low - piece.high,
          problem.pieces[q].high - piece.low);
    }
  }
  for (const DisjointStorages& pair : problem.disjoint) {
    if (pair.a_low == pair.a_high || pair.b_low == pair.b_high || pair.a == pair.b) continue;
    add(static_cast<size_t>(pair.a), static_cast<size_t>(pair.b), pair.b_low - pair.a_high, pair.b_high - pair.a_low);
  }
  std::sort(found.begin(), found.end(), [](const Forbidden& a, const Forbidden& b) {
    return std::tie(a.item, a.other, a.low, a.high) < std::tie(b.item, b.other, b.low, b.high);
  });
  size_t kept = 0;
  for (const Forbidden& next : found) {
    if (kept > 0) {
      Forbidden& last = found[kept - 1];
      if (last.item == next.item && last.other == next.other && next.low < last.high) {
        last.high = std::max(last.high, next.high);
        continue;
      }
    }
    found[kept++] = next;
  }
  found.resize(kept);
  return found;
}

// The largest number that all offsets worth trying are multiples of.
int64_t FindUnit(const PlacementProblem& problem, const std::vector<Forbidden>& forbidden) {
  int64_t unit = 0;
  for (const Forbidden& f : forbidden) unit = std::gcd(std::gcd(unit, f.low), f.high);
  for (const StorageSpec& storage : problem.storages) unit = std::gcd(unit, storage.pinned_offset_bytes.value_or(0));
  if (unit == 0) return 1;
  // Rounding up to an alignment keeps multiples of the unit if one divides the other.
  for (bool stable = false; !stable;) {
    stable = true;
    for (const StorageSpec& storage : problem.storages) {
      if (unit % storage.alignment_bytes == 0 || storage.alignment_bytes % unit == 0) continue;
      unit = std::gcd(unit, storage.alignment_bytes);
      stable = false;
    }
  }
  return unit;
}

class CliqueFinder {
 public:
  CliqueFinder(const PlacementProblem& problem, const ConflictLists& lists, int64_t unit)
      : problem_(problem), lists_(lists), unit_(unit), owner_(OwnersOfPieces(problem)) {}

  // Those of each time, and those that grow from each piece by taking the largest that meets all; each once.
  std::vector<std::vector<DifferenceProblem::Task>> Run() {
    AddTimes();
    if (problem_.order.has_value() || problem_.pieces.size() > problem_.storages.size()) {
      for (size_t p = 0; p < problem_.pieces.size() && work_ < kMaxWork; ++p) Grow(p);
    }
    std::sort(cliques_.begin(), cliques_.end(), Less);
    cliques_.erase(std::unique(cliques_.begin(), cliques_.end(), Same), cliques_.end());
    return std::move(cliques_);
  }

 private:
  using Task = DifferenceProblem::Task;
  using Clique = std::vector<Task>;
  static constexpr int64_t kMaxWork = 200'000;
  static constexpr size_t kLeastTasks = 3;  // two are a pair

  static auto Tied(const Task& t) { return std::tie(t.item, t.low, t.high); }
  static bool Less(const Clique& a, const Clique& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                        [](const Task& x, const Task& y) { return Tied(x) < Tied(y); });
  }
  static bool Same(const Clique& a, const Clique& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Task& x, const Task& y) { return Tied(x) == Tied(y); });
  }

  int64_t Units(int64_t bytes) const { return (bytes + unit_ - 1) / unit_; }

  // Bytes that two pieces of one storage have in common count once.
  void Add(const std::vector<int32_t>& pieces) {
    Clique clique;
    for (int32_t p : pieces) {
      const Piece& piece = problem_.pieces[static_cast<size_t>(p)];
      clique.push_back({owner_[static_cast<size_t>(p)], Units(piece.low), Units(piece.high)});
    }
    std::sort(clique.begin(), clique.end(), [](const Task& x, const Task& y) { return Tied(x) < Tied(y); });
    size_t kept = 0;
    for (const Task& next : clique) {
      if (kept > 0 && clique[kept - 1].item == next.item && next.low <= clique[kept - 1].high) {
        clique[kept - 1].high = std::max(clique[kept - 1].high, next.high);
      } else if (next.low < next.high) {
        clique[kept++] = next;
      }
    }
    clique.resize(kept);
    work_ += static_cast<int64_t>(pieces.size());
    if (kept >= kLeastTasks) cliques_.push_back(std::move(clique));
  }

  void AddTimes() {
    std::vector<int64_t> begins;
    for (const Piece& piece : problem_.pieces) begins.push_back(piece.begin);
    std::vector<int32_t> by_begin, live;
    OrderByTime(begins, by_begin);
    for (size_t i = 0; i < by_begin.size(); ++i) {
      const int64_t now = begins[static_cast<size_t>(by_begin[i])];
      const auto is_over = [&](int32_t p) { return problem_.pieces[static_cast<size_t>(p)].end <= now; };
      // Only the largest sets count: those at which something ends before anything else begins.
      if (std::any_of(live.begin(), live.end(), is_over)) {
        Add(live);
        std::erase_if(live, is_over);
      }
      live.push_back(by_begin[i]);
    }
    Add(live);
  }

  void Grow(size_t from) {
    candidates_.assign(lists_.Of(from).begin(), lists_.Of(from).end());
    const StorageSpec& storage = problem_.storages[static_cast<size_t>(owner_[from])];
    for (uint32_t k = 0; k < storage.num_pieces; ++k) {
      if (storage.first_piece + k != from) candidates_.push_back(static_cast<int32_t>(storage.first_piece + k));
    }
    const auto bytes = [this](int32_t p) {
      return problem_.pieces[static_cast<size_t>(p)].high - problem_.pieces[static_cast<size_t>(p)].low;
    };
    std::sort(candidates_.begin(), candidates_.end(),
              [&](int32_t a, int32_t b) { return bytes(a) != bytes(b) ? bytes(a) > bytes(b) : a < b; });
    grown_.assign(1, static_cast<int32_t>(from));
    for (int32_t candidate : candidates_) {
      // Pieces of one storage need not meet.
      const bool meets = std::all_of(grown_.begin(), grown_.end(), [&](int32_t p) {
        ++work_;
        return owner_[static_cast<size_t>(p)] == owner_[static_cast<size_t>(candidate)] ||
               problem_.Meet(static_cast<size_t>(p), static_cast<size_t>(candidate));
      });
      if (meets) grown_.push_back(candidate);
    }
    Add(grown_);
  }

  const PlacementProblem& problem_;
  const ConflictLists& lists_;
  const int64_t unit_;
  const std::vector<int32_t> owner_;
  std::vector<Clique> cliques_;
  std::vector<int32_t> candidates_, grown_;
  int64_t work_ = 0;
};

// Sets the arcs' ways back; arcs are sorted by (item, other).
void LinkArcs(DifferenceProblem& problem) {
  // Arcs to an item come from ascending items, as its own arcs lead to ascending others.
  std::vector<int32_t> next(problem.first_arc.begin(), problem.first_arc.end() - 1);
  for (size_t i = 0; i < problem.num_items(); ++i) {
    for (int32_t a = problem.first_arc[i]; a < problem.first_arc[i + 1]; ++a) {
      problem.arcs[static_cast<size_t>(a)].reverse =
          next[static_cast<size_t>(problem.arcs[static_cast<size_t>(a)].other)]++;
    }
  }
}

// Items that are alike: the same pieces, free of pins and disjoint pairs.
void FindTwins(const PlacementProblem& placement, DifferenceProblem& problem) {
  std::vector<char> is_own(problem.num_items(), 0);
  for (const DisjointStorages& pair : placement.disjoint) {
    is_own[static_cast<size_t>(pair.a)] = is_own[static_cast<size_t>(pair.b)] = 1;
  }
  const auto over_alike = [&](size_t p, size_t q) {
    if (!placement.order.has_value()) return true;
    const ChainOrder& order = *placement.order;
    if (order.chain[p] != order.chain[q]) return false;
    for (int32_t c = 0; c < order.num_chains; ++c) {
      if (order.Over(p, c) != order.Over(q, c)) return false;
    }
    return true;
  };
  const auto alike = [&](size_t a, size_t b) {
    const StorageSpec &x = placement.storages[a], &y = placement.storages[b];
    if (x.size_bytes != y.size_bytes || x.alignment_bytes != y.alignment_bytes || x.num_pieces != y.num_pieces ||
        y.pinned_offset_bytes.has_value() || is_own[b] != 0) {
      return false;
    }
    for (uint32_t k = 0; k < x.num_pieces; ++k) {
      const Piece &p = placement.pieces[x.first_piece + k], &q = placement.pieces[y.first_piece + k];
      if (p.begin != q.begin || p.end != q.end || p.low != q.low || p.high != q.high ||
          !over_alike(x.first_piece + k, y.first_piece + k)) {
        return false;
      }
    }
    return true;
  };
  for (size_t i = 0; i < problem.num_items(); ++i) {
    if (placement.storages[i].pinned_offset_bytes.has_value() || is_own[i] != 0) continue;
    for (const DifferenceProblem::Arc& arc : problem.ArcsOf(i)) {
      if (static_cast<size_t>(arc.other) >= i) break;
      if (alike(i, static_cast<size_t>(arc.other))) problem.twin[i] = arc.other;
    }
  }
}

DifferenceProblem SubProblem(const DifferenceProblem& problem, const std::vector<int32_t>& items,
                             std::vector<int32_t>& place) {
  DifferenceProblem part;
  part.unit_bytes = problem.unit_bytes;
  part.first_arc.push_back(0);
  for (size_t k = 0; k < items.size(); ++k) place[static_cast<size_t>(items[k])] = static_cast<int32_t>(k);
  for (int32_t item : items) {
    const size_t i = static_cast<size_t>(item);
    part.storage.push_back(problem.storage[i]);
    part.size_bytes.push_back(problem.size_bytes[i]);
    part.multiple.push_back(problem.multiple[i]);
    part.pin.push_back(problem.pin[i]);
    part.twin.push_back(problem.twin[i] < 0 ? -1 : place[static_cast<size_t>(problem.twin[i])]);
    for (DifferenceProblem::Arc arc : problem.ArcsOf(i)) {
      const absl::Span<const DifferenceProblem::Range> ranges = problem.RangesOf(arc);
      arc.other = place[static_cast<size_t>(arc.other)];
      if (arc.other < 0) continue;
      arc.first_range = static_cast<int32_t>(part.ranges.size());
      part.ranges.insert(part.ranges.end(), ranges.begin(), ranges.end());
      part.arcs.push_back(arc);
    }
    part.first_arc.push_back(static_cast<int32_t>(part.arcs.size()));
  }
  LinkArcs(part);
  return part;
}

}  // namespace

int64_t DifferenceProblem::NextTotal(int64_t bytes) const {
  int64_t next = INT64_MAX;
  for (size_t i = 0; i < num_items(); ++i) {
    const int64_t step = unit_bytes * multiple[i];
    const int64_t over = std::max<int64_t>(bytes + 1 - size_bytes[i], 0);
    next = std::min(next, size_bytes[i] + (over + step - 1) / step * step);
  }
  return next;
}

int64_t DifferenceProblem::LowestFree(size_t item, absl::Span<const int64_t> offset) const {
  int64_t lowest = 0;
  for (bool stable = false; !stable;) {
    stable = true;
    for (const Arc& arc : ArcsOf(item)) {
      const int64_t base = offset[static_cast<size_t>(arc.other)];
      if (base < 0) continue;
      for (const Range& range : RangesOf(arc)) {
        if (lowest <= base + range.low || lowest >= base + range.high) continue;
        lowest = (base + range.high + multiple[item] - 1) & -multiple[item];
        stable = false;
      }
    }
  }
  return lowest;
}

std::optional<DifferenceProblem> MakeDifferenceProblem(const PlacementProblem& placement, int64_t max_pairs) {
  if (placement.max_chunk_bytes.has_value()) return std::nullopt;
  const std::optional<ConflictLists> lists = ConflictLists::Build(placement, max_pairs);
  if (!lists.has_value()) return std::nullopt;
  const std::vector<Forbidden> forbidden = FindForbidden(placement, *lists);
  DifferenceProblem problem;
  problem.unit_bytes = FindUnit(placement, forbidden);
  const size_t n = placement.storages.size();
  problem.twin.assign(n, -1);
  problem.first_arc.assign(n + 1, 0);
  for (size_t i = 0; i < n; ++i) {
    const StorageSpec& storage = placement.storages[i];
    problem.storage.push_back(static_cast<int32_t>(i));
    problem.size_bytes.push_back(storage.size_bytes);
    problem.multiple.push_back(std::max<int64_t>(storage.alignment_bytes / problem.unit_bytes, 1));
    const std::optional<int64_t>& pin = storage.pinned_offset_bytes;
    problem.pin.push_back(pin.has_value() ? *pin / problem.unit_bytes : DifferenceProblem::kNoPin);
  }
  for (size_t k = 0; k < forbidden.size(); ++k) {
    const Forbidden& f = forbidden[k];
    if (k == 0 || forbidden[k - 1].item != f.item || forbidden[k - 1].other != f.other) {
      problem.arcs.push_back({f.other, 0, static_cast<int32_t>(problem.ranges.size()), 0});
      ++problem.first_arc[static_cast<size_t>(f.item) + 1];
    }
    problem.ranges.push_back({f.low / problem.unit_bytes, f.high / problem.unit_bytes});
    ++problem.arcs.back().num_ranges;
  }
  std::partial_sum(problem.first_arc.begin(), problem.first_arc.end(), problem.first_arc.begin());
  LinkArcs(problem);
  FindTwins(placement, problem);
  problem.first_task.push_back(0);
  for (const auto& clique : CliqueFinder(placement, *lists, problem.unit_bytes).Run()) {
    problem.tasks.insert(problem.tasks.end(), clique.begin(), clique.end());
    problem.first_task.push_back(static_cast<int32_t>(problem.tasks.size()));
  }
  return problem;
}

DifferenceParts SplitDifferenceProblem(const DifferenceProblem& problem, int64_t capacity_bytes) {
  const size_t n = problem.num_items();
  DifferenceParts parts;
  // Offsets of an item that one neighbour may take from it.
  const auto taken = [&](size_t item, const DifferenceProblem::Arc& arc) {
    int64_t sum = 0;
    for (const DifferenceProblem::Range& range : problem.RangesOf(arc)) {
      sum += (range.high - range.low - 1 + problem.multiple[item] - 1) / problem.multiple[item];
    }
    return sum;
  };
  std::vector<int64_t> spare(n);  // offsets that are left at least
  std::vector<char> is_easy(n, 0);
  const auto note = [&](size_t i) {
    if (is_easy[i] != 0 || spare[i] <= 0 || problem.pin[i] != DifferenceProblem::kNoPin) return;
    is_easy[i] = 1;
    parts.easy.push_back(static_cast<int32_t>(i));
  };
  for (size_t i = 0; i < n; ++i) {
    const int64_t highest = problem.HighestOffset(i, capacity_bytes);
    spare[i] = highest < 0 ? 0 : highest / problem.multiple[i] + 1;
    for (const DifferenceProblem::Arc& arc : problem.ArcsOf(i)) spare[i] -= taken(i, arc);
    note(i);
  }
  for (size_t k = 0; k < parts.easy.size(); ++k) {
    for (const DifferenceProblem::Arc& arc : problem.ArcsOf(static_cast<size_t>(parts.easy[k]))) {
      const size_t other = static_cast<size_t>(arc.other);
      spare[other] += taken(other, problem.arcs[static_cast<size_t>(arc.reverse)]);
      note(other);
    }
  }

  std::vector<int32_t> group_of(n, -1);
  std::vector<std::vector<int32_t>> members;
  std::vector<int32_t> stack;
  for (size_t i = 0; i < n; ++i) {
    if (is_easy[i] != 0 || group_of[i] >= 0) continue;
    const int32_t group = static_cast<int32_t>(members.size());
    members.emplace_back();
    group_of[i] = group;
    stack.assign(1, static_cast<int32_t>(i));
    while (!stack.empty()) {
      const int32_t item = stack.back();
      stack.pop_back();
      members.back().push_back(item);
      for (const DifferenceProblem::Arc& arc : problem.ArcsOf(static_cast<size_t>(item))) {
        const size_t other = static_cast<size_t>(arc.other);
        if (is_easy[other] != 0 || group_of[other] >= 0) continue;
        group_of[other] = group;
        stack.push_back(arc.other);
      }
    }
    std::sort(members.back().begin(), members.back().end());
  }
  std::vector<int32_t> place(n, -1);
  for (const std::vector<int32_t>& items : members) {
    parts.groups.push_back(SubProblem(problem, items, place));
    parts.groups.back().first_task.push_back(0);
    for (int32_t item : items) place[static_cast<size_t>(item)] = -1;
  }
  for (size_t g = 0; g < members.size(); ++g) {
    for (size_t k = 0; k < members[g].size(); ++k) {
      place[static_cast<size_t>(members[g][k])] = static_cast<int32_t>(k);
    }
  }
  for (size_t c = 0; c < problem.num_cliques(); ++c) {
    DifferenceProblem* group = nullptr;
    for (DifferenceProblem::Task task : problem.TasksOf(c)) {
      if (is_easy[static_cast<size_t>(task.item)] != 0) continue;
      group = &parts.groups[static_cast<size_t>(group_of[static_cast<size_t>(task.item)])];
      task.item = place[static_cast<size_t>(task.item)];
      group->tasks.push_back(task);
    }
    if (group != nullptr) group->first_task.push_back(static_cast<int32_t>(group->tasks.size()));
  }
  return parts;
}

}  // namespace bufplan
