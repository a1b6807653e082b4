#include "planner/fusion/group_search.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "planner/candidate.h"
#include "planner/fusion/group_sets.h"
#include "planner/fusion/load_change.h"
#include "planner/fusion/plan_groups.h"
#include "planner/order/schedule.h"

namespace bufplan {
namespace {

// Ops that may be planned for all plans of a search, and the number of plans that this may be, at effort default.
constexpr int64_t kSearchWork = 100000;
constexpr int64_t kMinPlans = 6;
constexpr int64_t kMaxPlans = 384;
constexpr int64_t kMaxEffort = 10;  // times as many
// Groups with more candidates than this are first tried alone if all together are refused.
constexpr size_t kFewGroups = 8;
// Ops that may be shared and made live for that.
constexpr int64_t kAloneWork = 150000;
// Ops that may be put in order to find groups that cannot be fused, or not both.
constexpr int64_t kOrderWork = 3'000'000;
// With symbols a plan costs about so many times as much.
constexpr int64_t kProofCost = 8;
// Several placements are made of one sharing; wishes to do without are tried in every combination up to a limit.
constexpr int64_t kPlacements = 4;
constexpr int64_t kMaxWishes = 12;
constexpr int64_t kWishWork = 40000;

class Search {
 public:
  Search(const Graph& graph, const PlanOptions& options, GroupTrials& trials)
      : g_(graph), options_(options), trials_(trials), groups_(trials.candidates()) {
    for (const Fusion& f : graph.fusions()) ops_.push_back(f.ops);
  }

  bool Run();

 private:
  using Set = GroupTrials::Set;
  bool OutOfTime() const { return options_.deadline.Passed(); }
  bool PlansLeft() const { return trials_.plans() < limit_ && !OutOfTime(); }
  const Fusion& fusion(FusionId f) const { return g_.fusions()[f.index()]; }
  std::vector<char> OpsOf(const Set& set) const;
  void Mark(FusionId f, std::vector<char>& ops) const;
  bool Meets(FusionId f, const std::vector<char>& ops) const;
  // Those of `list` that overlap neither `set` nor an earlier one of them, and `set`.
  Set Extended(const Set& set, absl::Span<const FusionId> list) const;
  GroupSets MakeSets() const;
  bool CanBeOrdered(const Set& set);
  bool ExcludeOne(const Set& set);
  void FindExclusions();
  bool BestFirst();
  void DropImpossible();
  void Greedy();
  void Fill(absl::Span<const FusionId> list, Set& set);
  void Thin(absl::Span<const FusionId> list, Set& set);
  std::optional<Set> Savers();
  void SortByValue(std::vector<FusionId>& list);
  void TryFree();

  const Graph& g_;
  const PlanOptions& options_;
  GroupTrials& trials_;
  Set groups_;  // that are still considered
  Set first_;   // of most benefit
  int64_t limit_ = 0;
  // By fusion: its ops, and for each group that it cannot be fused together with one that stands for the two, beyond
  // those of the graph.
  std::vector<std::vector<OpId>> ops_;
  int32_t exclusions_ = 0;
  int64_t orders_ = 0;  // that may still be made
};

std::vector<char> Search::OpsOf(const Set& set) const {
  std::vector<char> ops(g_.ops().size() + static_cast<size_t>(exclusions_), 0);
  for (FusionId f : set) Mark(f, ops);
  return ops;
}

void Search::Mark(FusionId f, std::vector<char>& ops) const {
  for (OpId o : ops_[f.index()]) ops[o.index()] = 1;
}

bool Search::Meets(FusionId f, const std::vector<char>& ops) const {
  return std::any_of(ops_[f.index()].begin(), ops_[f.index()].end(), [&](OpId o) { return ops[o.index()] != 0; });
}

Search::Set Search::Extended(const Set& set, absl::Span<const FusionId> list) const {
  std::vector<char> taken = OpsOf(set);
  Set all = set;
  for (FusionId f : list) {
    if (Meets(f, taken)) continue;
    Mark(f, taken);
    all.push_back(f);
  }
  std::sort(all.begin(), all.end());
  return all;
}

GroupSets Search::MakeSets() const {
  std::vector<WeightedGroup> groups;
  for (FusionId f : groups_) groups.push_back({ops_[f.index()], BenefitOf(fusion(f))});
  return GroupSets(std::move(groups));
}

bool Search::CanBeOrdered(const Set& set) {
  --orders_;
  return Schedule::Create(g_, trials_.WithRequired(set)).ok();
}

// Of a set that cannot be ordered: drops a group that cannot be fused even alone, or excludes one of two from sets with
// the other. False if it is neither.
bool Search::ExcludeOne(const Set& set) {
  // The fewest first groups that, after those of `before`, cannot be ordered.
  const auto shortest = [&](const Set& before) {
    size_t good = 0, bad = set.size();
    while (bad - good > 1) {
      const size_t middle = (good + bad) / 2;
      Set some = before;
      some.insert(some.end(), set.begin(), set.begin() + static_cast<std::ptrdiff_t>(middle));
      std::sort(some.begin(), some.end());
      some.erase(std::unique(some.begin(), some.end()), some.end());
      (CanBeOrdered(some) ? good : bad) = middle;
    }
    return set[bad - 1];
  };
  const FusionId b = shortest({});
  if (!CanBeOrdered({b})) {
    std::erase(groups_, b);
    return true;
  }
  const FusionId a = shortest({b});
  if (a == b || CanBeOrdered({std::min(a, b), std::max(a, b)})) return false;
  const OpId both(static_cast<int32_t>(g_.ops().size()) + exclusions_++);
  ops_[a.index()].push_back(both);
  ops_[b.index()].push_back(both);
  return true;
}

// What makes a cycle, or breaks a keep-alive, costs no plans.
void Search::FindExclusions() {
  orders_ = kOrderWork / (static_cast<int64_t>(g_.ops().size()) + 1);
  if (!CanBeOrdered({})) return;
  while (orders_ > 0 && !OutOfTime()) {
    const std::optional<GroupSets::Set> best = MakeSets().Next();
    if (!best.has_value() || best->groups.empty()) return;
    Set set;
    for (int32_t i : best->groups) set.push_back(groups_[static_cast<size_t>(i)]);
    if (CanBeOrdered(set) || !ExcludeOne(set)) return;
  }
}

// True if it came to its end.
bool Search::BestFirst() {
  GroupSets sets = MakeSets();
  const int64_t limit = trials_.plans() + std::max<int64_t>(1, (limit_ - trials_.plans()) * 2 / 3);
  std::optional<double> level;
  for (bool first = true; trials_.plans() < limit && (first || !OutOfTime()); first = false) {
    const std::optional<GroupSets::Set> next = sets.Next();
    if (!next.has_value()) return sets.complete();
    if (level.has_value() && ClearlyLess(next->benefit, *level)) return sets.complete();
    Set set;
    for (int32_t i : next->groups) set.push_back(groups_[static_cast<size_t>(i)]);
    const absl::Status& status = trials_.Try(set).status;
    if (first) first_ = set;
    if (first && !status.ok() && !IsOutOfMemory(status) && groups_.size() > kFewGroups && !OutOfTime()) {
      DropImpossible();
      sets = MakeSets();
    }
    if (status.ok() && !level.has_value()) level = next->benefit;
  }
  return false;
}

// Groups that cannot be fused even alone.
void Search::DropImpossible() {
  if (static_cast<int64_t>(groups_.size()) * LoadWork(g_) > kAloneWork) return;
  std::erase_if(groups_, [&](FusionId f) { return !LoadOfGroups(g_, trials_.WithRequired({f}), options_).ok(); });
}

// Adds what fits of the list.
void Search::Fill(absl::Span<const FusionId> list, Set& set) {
  if (!PlansLeft()) return;
  const Set with = Extended(set, list);
  if (with.size() == set.size()) return;
  if (trials_.Try(with).status.ok()) {
    set = with;
    return;
  }
  if (list.size() == 1) return;
  Fill(list.subspan(0, list.size() / 2), set);
  Fill(list.subspan(list.size() / 2), set);
}

// Groups that need no more memory, for a graph that does not fit without any.
std::optional<Search::Set> Search::Savers() {
  if (options_.effort == Effort::kFast || OutOfTime() ||
      static_cast<int64_t>(groups_.size()) * LoadWork(g_) > kAloneWork) {
    return std::nullopt;
  }
  const auto load = [&](const Set& set) -> std::optional<int64_t> {
    const absl::StatusOr<std::vector<int64_t>> spaces = LoadOfGroups(g_, trials_.WithRequired(set), options_);
    if (!spaces.ok()) return std::nullopt;
    int64_t sum = 0;
    for (int64_t bytes : *spaces) sum += bytes;
    return sum;
  };
  const std::optional<int64_t> none = load({});
  if (!none.has_value()) return std::nullopt;
  std::vector<std::pair<int64_t, FusionId>> savers;
  for (FusionId f : groups_) {
    const std::optional<int64_t> with = load({f});
    if (with.has_value() && *with <= *none) savers.emplace_back(*with, f);
  }
  std::sort(savers.begin(), savers.end());
  std::vector<FusionId> list;
  for (const auto& [bytes, f] : savers) list.push_back(f);
  return Extended({}, list);
}

// By benefit per byte, those that cost nothing first; the best plan says what they cost.
void Search::SortByValue(std::vector<FusionId>& list) {
  const absl::StatusOr<Schedule> schedule = Schedule::Create(g_, trials_.WithRequired(trials_.best_set()));
  if (!schedule.ok()) return;
  LoadChange load(g_, *schedule, trials_.best().plan, trials_.best().problems);
  const Set& fused = trials_.best_set();
  std::vector<std::tuple<int, double, FusionId>> order;
  for (FusionId f : list) {
    if (std::binary_search(fused.begin(), fused.end(), f)) continue;
    int64_t bytes = 0;
    for (int64_t change : load.If(f, {})) bytes += change;
    const double benefit = BenefitOf(fusion(f));
    order.emplace_back(bytes <= 0 ? 0 : 1, bytes <= 0 ? -benefit : -benefit / static_cast<double>(bytes), f);
  }
  std::sort(order.begin(), order.end());
  list.clear();
  for (const auto& [free, value, f] : order) list.push_back(f);
}

// Takes groups out as long as it still fits.
void Search::Thin(absl::Span<const FusionId> list, Set& set) {
  if (list.empty() || !PlansLeft()) return;
  Set without = set;
  std::erase_if(without, [&](FusionId f) { return std::find(list.begin(), list.end(), f) != list.end(); });
  if (trials_.Try(without).status.ok()) {
    set = without;
  } else if (list.size() > 1) {
    Thin(list.subspan(0, list.size() / 2), set);
    Thin(list.subspan(list.size() / 2), set);
  }
}

void Search::Greedy() {
  Set set;
  if (!trials_.Try(set).status.ok()) {
    const std::optional<Set> savers = Savers();
    if (!savers.has_value() || savers->empty() || !trials_.Try(*savers).status.ok()) return;
    set = *savers;
    Set losses = set;
    std::erase_if(losses, [&](FusionId f) { return fusion(f).benefit >= 0; });
    Thin(losses, set);
  }
  if (!PlansLeft()) return;
  // The groups of the first set before the others, which overlap them.
  std::vector<FusionId> first = first_, others;
  std::set_difference(groups_.begin(), groups_.end(), first_.begin(), first_.end(), std::back_inserter(others));
  std::erase_if(first, [&](FusionId f) { return !std::binary_search(groups_.begin(), groups_.end(), f); });
  const auto worthless = [&](FusionId f) { return fusion(f).benefit <= 0; };
  std::erase_if(others, worthless);
  std::erase_if(first, worthless);
  SortByValue(first);
  SortByValue(others);
  first.insert(first.end(), others.begin(), others.end());
  Fill(first, set);
}

// Groups that are worth nothing, for the bytes that they save.
void Search::TryFree() {
  std::vector<FusionId> list;
  const Set before = trials_.best_set();
  const std::vector<char> taken = OpsOf(before);
  for (FusionId f : groups_) {
    if (BenefitOf(fusion(f)) == 0 && !Meets(f, taken)) list.push_back(f);
  }
  if (list.empty()) return;
  SortByValue(list);
  for (size_t n = list.size(); n > 0 && PlansLeft(); n /= 2) {
    trials_.Try(Extended(before, absl::MakeConstSpan(list).subspan(0, n)));
  }
  for (size_t i = 0; i < list.size() && PlansLeft(); ++i) trials_.Try(Extended(trials_.best_set(), {list[i]}));
}

bool Search::Run() {
  limit_ = MaxPlans(g_, options_);
  FindExclusions();
  if (BestFirst()) return groups_.size() == trials_.candidates().size();
  if (!trials_.found()) Greedy();
  if (trials_.found() && PlansLeft()) TryFree();
  return false;
}

}  // namespace

int64_t LoadWork(const Graph& graph) {
  return (static_cast<int64_t>(graph.ops().size()) + 1) * (graph.symbols().empty() ? 1 : kProofCost);
}

int64_t PlanWork(const Graph& graph, const PlanOptions& options) {
  int64_t work = LoadWork(graph);
  if (options.effort == Effort::kFast) return work;
  const int64_t moves = std::count_if(graph.ops().begin(), graph.ops().end(), [](const Op& op) {
    return op.kind != OpKind::kCompute && op.kind != OpKind::kView && op.kind != OpKind::kBarrier;
  });
  const int64_t ways = moves == 0 ? 0 : int64_t{1} << std::min(moves, kMaxWishes);
  return kPlacements * work + std::min(ways * work, kWishWork);
}

int64_t MaxPlans(const Graph& graph, const PlanOptions& options) {
  if (options.effort == Effort::kFast) return kMinPlans;
  const int64_t factor = options.effort == Effort::kMax ? kMaxEffort : 1;
  return std::clamp(factor * kSearchWork / PlanWork(graph, options), kMinPlans, factor * kMaxPlans);
}

bool SearchGroups(const Graph& graph, const PlanOptions& options, GroupTrials& trials) {
  return Search(graph, options, trials).Run();
}

}  // namespace bufplan
