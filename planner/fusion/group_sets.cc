#include "planner/fusion/group_sets.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace bufplan {
namespace {

// Combinations of groups that reach further, in a component that is not listed.
constexpr size_t kMaxStates = 64;
// Choices that are listed, of all components together.
constexpr size_t kMaxListed = size_t{1} << 18;

// By group, those that overlap it directly or by way of others; ascending, components by their first group.
std::vector<std::vector<int32_t>> Components(absl::Span<const WeightedGroup> groups) {
  std::vector<int32_t> leader(groups.size()), of_op;
  std::iota(leader.begin(), leader.end(), 0);
  const auto find = [&](int32_t g) {
    while (leader[static_cast<size_t>(g)] != g) {
      g = leader[static_cast<size_t>(g)] = leader[static_cast<size_t>(leader[static_cast<size_t>(g)])];
    }
    return g;
  };
  for (size_t g = 0; g < groups.size(); ++g) {
    for (OpId o : groups[g].ops) {
      if (o.index() >= of_op.size()) of_op.resize(o.index() + 1, -1);
      int32_t& other = of_op[o.index()];
      const int32_t mine = find(static_cast<int32_t>(g));
      if (other < 0) other = mine;
      const int32_t theirs = find(other);
      leader[static_cast<size_t>(std::max(mine, theirs))] = std::min(mine, theirs);
    }
  }
  std::vector<int32_t> at(groups.size(), -1);
  std::vector<std::vector<int32_t>> components;
  for (size_t g = 0; g < groups.size(); ++g) {
    int32_t& place = at[static_cast<size_t>(find(static_cast<int32_t>(g)))];
    if (place < 0) {
      place = static_cast<int32_t>(components.size());
      components.emplace_back();
    }
    components[static_cast<size_t>(place)].push_back(static_cast<int32_t>(g));
  }
  return components;
}

}  // namespace

bool ShareAnOp(absl::Span<const OpId> a, absl::Span<const OpId> b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) return true;
    ++(a[i] < b[j] ? i : j);
  }
  return false;
}

GroupSets::GroupSets(std::vector<WeightedGroup> groups, size_t max_choices) : groups_(std::move(groups)) {
  size_t left = kMaxListed;
  for (const std::vector<int32_t>& component : Components(groups_)) {
    std::vector<Set> choices;
    if (!ListChoices(component, std::min(max_choices, left), choices)) {
      choices = {BestOf(component)};
      complete_ = false;
    }
    left -= std::min(left, choices.size());
    const auto order = [](const Set& s) { return std::make_tuple(-s.benefit, s.groups.size(), s.groups); };
    std::sort(choices.begin(), choices.end(), [&](const Set& a, const Set& b) { return order(a) < order(b); });
    components_.push_back(std::move(choices));
  }
  // Those that cannot be chosen differently come last, where Next() never goes.
  const auto loss = [](const std::vector<Set>& choices) {
    return choices.size() > 1 ? std::make_pair(0, choices[0].benefit - choices[1].benefit) : std::make_pair(1, 0.0);
  };
  std::stable_sort(components_.begin(), components_.end(),
                   [&](const auto& a, const auto& b) { return loss(a) < loss(b); });
  double best = 0;
  for (const std::vector<Set>& choices : components_) best += choices[0].benefit;
  Push(best, {});
}

bool GroupSets::ListChoices(absl::Span<const int32_t> component, size_t max_choices, std::vector<Set>& choices) {
  choices.emplace_back();
  for (int32_t g : component) {
    const WeightedGroup& group = groups_[static_cast<size_t>(g)];
    for (size_t i = 0, n = choices.size(); i < n; ++i) {
      const auto overlaps = [&](int32_t other) {
        return ShareAnOp(group.ops, groups_[static_cast<size_t>(other)].ops);
      };
      if (std::any_of(choices[i].groups.begin(), choices[i].groups.end(), overlaps)) continue;
      if (choices.size() == max_choices) return false;
      Set with = choices[i];
      with.groups.push_back(g);
      with.benefit += group.benefit;
      choices.push_back(std::move(with));
    }
  }
  return true;
}

GroupSets::Set GroupSets::BestOf(std::vector<int32_t> component) {
  struct State {
    double benefit = 0;
    std::vector<int32_t> open;  // chosen groups that may still overlap others
    int32_t chosen = -1;        // the last one, in `log`
  };
  struct Step {
    int32_t group, before;
  };
  const auto ops = [&](int32_t g) -> const std::vector<OpId>& { return groups_[static_cast<size_t>(g)].ops; };
  std::stable_sort(component.begin(), component.end(),
                   [&](int32_t a, int32_t b) { return ops(a).front() < ops(b).front(); });
  std::vector<Step> log;
  std::vector<State> states(1);
  for (int32_t g : component) {
    const double benefit = groups_[static_cast<size_t>(g)].benefit;
    if (benefit <= 0) continue;
    for (State& s : states) std::erase_if(s.open, [&](int32_t o) { return ops(o).back() < ops(g).front(); });
    std::stable_sort(states.begin(), states.end(), [](const State& a, const State& b) {
      return std::tie(a.open, b.benefit) < std::tie(b.open, a.benefit);
    });
    states.erase(
        std::unique(states.begin(), states.end(), [](const State& a, const State& b) { return a.open == b.open; }),
        states.end());
    for (size_t i = 0, n = states.size(); i < n; ++i) {
      const auto overlaps = [&](int32_t o) { return ShareAnOp(ops(o), ops(g)); };
      if (std::any_of(states[i].open.begin(), states[i].open.end(), overlaps)) continue;
      State with = states[i];
      with.benefit += benefit;
      with.open.push_back(g);
      log.push_back({g, with.chosen});
      with.chosen = static_cast<int32_t>(log.size()) - 1;
      states.push_back(std::move(with));
    }
    std::stable_sort(states.begin(), states.end(),
                     [](const State& a, const State& b) { return a.benefit > b.benefit; });
    if (states.size() > kMaxStates) {
      states.resize(kMaxStates);
      best_is_exact_ = false;
    }
  }
  Set best;
  for (int32_t at = states[0].chosen; at >= 0; at = log[static_cast<size_t>(at)].before) {
    best.groups.push_back(log[static_cast<size_t>(at)].group);
  }
  std::sort(best.groups.begin(), best.groups.end());
  for (int32_t g : best.groups) best.benefit += groups_[static_cast<size_t>(g)].benefit;
  return best;
}

void GroupSets::Push(double sum, Node node) {
  const size_t choice = static_cast<size_t>(node.choice);
  if (node.component >= 0 && components_[static_cast<size_t>(node.component)].size() <= choice) return;
  nodes_.push_back(node);
  heap_.emplace(sum, 1 - static_cast<int32_t>(nodes_.size()));
}

// A node has its component at a choice other than the first, those behind at the first, those before as its parent
// says. Three steps from there reach every combination once, none of them to a larger sum, as components are sorted by
// what their second choice loses.
std::optional<GroupSets::Set> GroupSets::Next() {
  if (heap_.empty()) return std::nullopt;
  const double sum = heap_.top().first;
  const int32_t id = -heap_.top().second;
  heap_.pop();
  const Node node = nodes_[static_cast<size_t>(id)];
  const int32_t next = node.component + 1;
  const bool more = static_cast<size_t>(next) < components_.size() && components_[static_cast<size_t>(next)].size() > 1;
  const double loss = more ? Benefit(next, 0) - Benefit(next, 1) : 0;
  if (node.component >= 0) {
    const size_t choices = components_[static_cast<size_t>(node.component)].size();
    const double here = Benefit(node.component, node.choice);
    if (static_cast<size_t>(node.choice) + 1 < choices) {
      Push(sum - (here - Benefit(node.component, node.choice + 1)), {node.parent, node.component, node.choice + 1});
    }
    if (more && node.choice == 1) {
      Push(sum + (Benefit(node.component, 0) - here) - loss, {node.parent, next, 1});
    }
  }
  if (more) Push(sum - loss, {id, next, 1});

  std::vector<int32_t> choice(components_.size(), 0);
  for (int32_t at = id; at >= 0; at = nodes_[static_cast<size_t>(at)].parent) {
    const Node& n = nodes_[static_cast<size_t>(at)];
    if (n.component >= 0) choice[static_cast<size_t>(n.component)] = n.choice;
  }
  Set set;
  for (size_t c = 0; c < components_.size(); ++c) {
    const Set& part = components_[c][static_cast<size_t>(choice[c])];
    set.groups.insert(set.groups.end(), part.groups.begin(), part.groups.end());
  }
  std::sort(set.groups.begin(), set.groups.end());
  for (int32_t g : set.groups) set.benefit += groups_[static_cast<size_t>(g)].benefit;
  return set;
}

}  // namespace bufplan
