#include "planner/fusion/choose_groups.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "planner/candidate.h"
#include "planner/fusion/group_search.h"
#include "planner/fusion/group_trials.h"
#include "planner/fusion/load_change.h"
#include "planner/fusion/plan_groups.h"
#include "planner/order/schedule.h"
#include "planner/placement/shortfall.h"

namespace bufplan {
namespace {

// Ops that may be planned, or shared and made live, to say what groups cost.
constexpr int64_t kPlansWork = 30000;
constexpr int64_t kLoadsWork = 50000;
// Ops that may be put in order to say why groups cannot be fused.
constexpr int64_t kOrderWork = 1'000'000;
// With more groups than this, estimates do not look whether a plan was made that says more.
constexpr size_t kMaxLookedUp = 1000;
// How many of the groups that another one overlaps are named.
constexpr size_t kMaxNamed = 3;

using Set = GroupTrials::Set;
enum class Means : uint8_t { kPlans, kLoads, kEstimates };

// What is known of the plan in which one group is the other way round.
struct Cost {
  absl::Status status;  // of that plan, as far as it is known
  int64_t bytes = 0;
  std::vector<int64_t> load;  // by space, of that plan; empty: not looked at
  Means means = Means::kPlans;
};

class Decider {
 public:
  Decider(const Graph& graph, const PlanOptions& options, GroupTrials& trials)
      : g_(graph), options_(options), trials_(trials), taken_(trials.best_set()) {}

  absl::Status Run(std::vector<FusionDecision>& decisions);

 private:
  const Fusion& fusion(FusionId f) const { return g_.fusions()[f.index()]; }
  absl::Status Prepare();
  absl::Status PrepareEstimates();
  std::vector<FusionId> TakenOver(FusionId f) const;
  bool IsTaken(FusionId f) const { return std::binary_search(taken_.begin(), taken_.end(), f); }
  Set Turned(FusionId f, const std::vector<FusionId>& over) const;
  Cost CostOf(FusionId f, const std::vector<FusionId>& over);
  void Estimate(FusionId f, const std::vector<FusionId>& over, Cost& cost);
  void CompareLoads(const Set& other, Cost& cost) const;
  std::string WhyTaken(FusionId f, const Cost& cost) const;
  std::string WhySeparate(FusionId f, const std::vector<FusionId>& over, const Cost& cost) const;
  std::string Overlaps(FusionId f, const std::vector<FusionId>& over, const Cost& cost) const;
  std::string DoesNotFit(const Cost& cost) const;
  std::optional<int64_t> Capacity(SpaceId s) const;

  const Graph& g_;
  const PlanOptions& options_;
  GroupTrials& trials_;
  const Set taken_;
  std::vector<int32_t> taken_by_;  // by op: the group of taken_ that it is in; -1: none
  Means means_ = Means::kPlans;
  int64_t orders_ = 0;         // that may still be made to say why a group is separate
  std::vector<int64_t> load_;  // of the chosen plan, by space
  std::optional<Schedule> schedule_;
  std::optional<LoadChange> change_;
};

absl::Status Decider::Prepare() {
  taken_by_.assign(g_.ops().size(), -1);
  for (FusionId f : taken_) {
    for (OpId o : fusion(f).ops) taken_by_[o.index()] = f.value;
  }
  const int64_t n = static_cast<int64_t>(trials_.candidates().size());
  orders_ = kOrderWork / (static_cast<int64_t>(g_.ops().size()) + 1);
  const int64_t factor = options_.effort == Effort::kMax ? 10 : 1;
  const bool fast = options_.effort == Effort::kFast || options_.deadline.Passed();
  means_ = fast                                                ? Means::kEstimates
           : n * PlanWork(g_, options_) <= factor * kPlansWork ? Means::kPlans
           : n * LoadWork(g_) <= factor * kLoadsWork           ? Means::kLoads
                                                               : Means::kEstimates;
  if (means_ != Means::kEstimates) {
    absl::StatusOr<std::vector<int64_t>> load = LoadOfGroups(g_, trials_.WithRequired(taken_), options_);
    if (load.ok()) {
      load_ = *std::move(load);
      return absl::OkStatus();
    }
  }
  return PrepareEstimates();
}

absl::Status Decider::PrepareEstimates() {
  means_ = Means::kEstimates;
  load_.clear();
  absl::StatusOr<Schedule> schedule = Schedule::Create(g_, trials_.WithRequired(taken_));
  if (!schedule.ok()) return schedule.status();
  schedule_ = *std::move(schedule);
  change_.emplace(g_, *schedule_, trials_.best().plan, trials_.best().problems);
  for (const Arena& arena : trials_.best().plan.arenas) load_.push_back(arena.bytes);
  return absl::OkStatus();
}

std::vector<FusionId> Decider::TakenOver(FusionId f) const {
  std::vector<FusionId> over;
  for (OpId o : fusion(f).ops) {
    if (taken_by_[o.index()] >= 0) over.push_back(FusionId(taken_by_[o.index()]));
  }
  std::sort(over.begin(), over.end());
  over.erase(std::unique(over.begin(), over.end()), over.end());
  return over;
}

// The chosen set with f the other way round. `over` are the taken groups that this displaces; of a taken one, itself.
Set Decider::Turned(FusionId f, const std::vector<FusionId>& over) const {
  Set other;
  std::set_difference(taken_.begin(), taken_.end(), over.begin(), over.end(), std::back_inserter(other));
  if (!IsTaken(f)) other.insert(std::upper_bound(other.begin(), other.end(), f), f);
  return other;
}

void Decider::Estimate(FusionId f, const std::vector<FusionId>& over, Cost& cost) {
  cost.means = Means::kEstimates;
  const std::vector<int64_t> change = change_->If(IsTaken(f) ? std::nullopt : std::optional<FusionId>(f), over);
  for (size_t i = 0; i < change.size(); ++i) {
    cost.bytes += change[i];
    cost.load.push_back(load_[i] + change[i]);
  }
}

// The loads of the plan with the other set and of the chosen one.
void Decider::CompareLoads(const Set& other, Cost& cost) const {
  const absl::StatusOr<std::vector<int64_t>> load = LoadOfGroups(g_, trials_.WithRequired(other), options_);
  if (!load.ok()) {
    if (cost.status.ok()) cost.status = load.status();
    return;
  }
  cost.means = Means::kLoads;
  cost.load = *load;
  for (size_t i = 0; i < load_.size(); ++i) cost.bytes += cost.load[i] - load_[i];
}

Cost Decider::CostOf(FusionId f, const std::vector<FusionId>& over) {
  Cost cost;
  Set other;
  const GroupTrials::Trial* trial = nullptr;
  if (means_ != Means::kEstimates || trials_.candidates().size() <= kMaxLookedUp) {
    other = Turned(f, over);
    trial = means_ == Means::kPlans ? &trials_.Try(other) : trials_.Find(other);
  }
  if (trial != nullptr) cost.status = trial->status;
  const bool known = trial != nullptr || other.empty() || means_ != Means::kEstimates;
  if (!known && orders_-- > 0 && !options_.deadline.Passed())
    cost.status = Schedule::Create(g_, trials_.WithRequired(other)).status();
  if (trial != nullptr && trial->status.ok()) {
    cost.bytes = trial->bytes - trials_.best().bytes;
  } else if (cost.status.ok() || IsOutOfMemory(cost.status)) {
    means_ == Means::kEstimates ? Estimate(f, over, cost) : CompareLoads(other, cost);
  }
  if (IsTaken(f)) cost.bytes = -cost.bytes;
  return cost;
}

std::optional<int64_t> Decider::Capacity(SpaceId s) const {
  std::optional<int64_t> capacity = g_.space(s).capacity_bytes;
  if (s.index() == 0 && options_.capacity_bytes.has_value()) {
    capacity = std::min(capacity.value_or(*options_.capacity_bytes), *options_.capacity_bytes);
  }
  return capacity;
}

// Empty if nothing speaks for that.
std::string Decider::DoesNotFit(const Cost& cost) const {
  for (size_t i = 0; i < cost.load.size(); ++i) {
    const SpaceId s(static_cast<int32_t>(i));
    const std::optional<int64_t> capacity = Capacity(s);
    if (!capacity.has_value() || cost.load[i] <= *capacity) continue;
    return absl::StrCat("needs ", cost.load[i] - *capacity, " bytes more than the capacity of ", *capacity,
                        g_.spaces().size() > 1 ? absl::StrCat(" of space \"", g_.name(s), "\"") : "", " leaves");
  }
  return IsOutOfMemory(cost.status) ? "no plan within the capacity was found with it" : "";
}

std::string Decider::Overlaps(FusionId f, const std::vector<FusionId>& over, const Cost& cost) const {
  std::string text = "overlaps ";
  for (size_t i = 0; i < std::min(over.size(), kMaxNamed); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", "\"", fusion(over[i]).name, "\"");
  }
  if (over.size() > kMaxNamed) absl::StrAppend(&text, " and ", over.size() - kMaxNamed, " more");
  const double worth = trials_.Benefit(over);
  const char* who = over.size() > 1 ? ", which together are" : ", which is";
  if (ClearlyLess(BenefitOf(fusion(f)), worth)) return absl::StrCat(text, who, " worth more");
  const bool fewer = cost.status.ok() && cost.bytes > 0;
  return absl::StrCat(text, who, " worth as much", fewer ? " for fewer bytes" : "");
}

std::string Decider::WhyTaken(FusionId f, const Cost& cost) const {
  const double benefit = fusion(f).benefit;
  if (benefit > 0) return absl::StrCat("taken: benefit ", benefit);
  if (benefit < 0) return absl::StrCat("taken: benefit ", benefit, ", but no plan was found without it");
  return cost.bytes < 0 ? absl::StrCat("taken: benefit 0, saves ", -cost.bytes, " bytes")
                        : std::string("taken: benefit 0, and the plan is better with it");
}

std::string Decider::WhySeparate(FusionId f, const std::vector<FusionId>& over, const Cost& cost) const {
  const double benefit = BenefitOf(fusion(f));
  if (!over.empty() && !ClearlyLess(trials_.Benefit(over), benefit)) return Overlaps(f, over, cost);
  if (!cost.status.ok() && !IsOutOfMemory(cost.status)) return std::string(cost.status.message());
  if (over.empty() && benefit < 0) return absl::StrCat("benefit ", benefit);
  if (const std::string text = DoesNotFit(cost); !text.empty()) return text;
  if (over.empty() && benefit == 0) return "benefit 0, and the plan is no better with it";
  return options_.deadline.Passed() ? "not tried within the time limit" : "not tried within the work limit";
}

absl::Status Decider::Run(std::vector<FusionDecision>& decisions) {
  if (trials_.candidates().empty()) return absl::OkStatus();
  if (absl::Status status = Prepare(); !status.ok()) return status;
  constexpr const char* kMeans[] = {"", "; cost by bytes live at once", "; cost estimated"};
  for (FusionId f : trials_.candidates()) {
    FusionDecision& d = decisions[f.index()];
    const std::vector<FusionId> over = TakenOver(f);
    if (means_ != Means::kEstimates && options_.deadline.Passed()) {
      if (absl::Status status = PrepareEstimates(); !status.ok()) return status;
    }
    const Cost cost = CostOf(f, over);
    d.cost_bytes = cost.bytes;
    d.why = d.fused ? WhyTaken(f, cost) : absl::StrCat("left separate: ", WhySeparate(f, over, cost));
    if (cost.status.ok() || IsOutOfMemory(cost.status)) d.why += kMeans[static_cast<size_t>(cost.means)];
  }
  return absl::OkStatus();
}

// No plan was found. What is said of the graph without its optional groups need not hold with them.
absl::Status NoPlan(const Graph& graph, const PlanOptions& options, GroupTrials& trials) {
  const absl::Status alone = trials.Try({}).status;
  if (trials.candidates().empty() || !IsOutOfMemory(alone)) return alone;
  std::string text = absl::StrCat("without optional fusion groups: ", alone.message());
  const bool limited = std::any_of(graph.spaces().begin(), graph.spaces().end(),
                                   [](const Space& s) { return s.capacity_bytes.has_value(); });
  if (limited || !options.capacity_bytes.has_value() || options.deadline.Passed()) {
    return Reworded(alone, text);
  }
  PlanOptions wide = options;
  wide.capacity_bytes.reset();
  GroupTrials others(graph, wide);
  SearchGroups(graph, wide, others);
  if (!others.found()) return Reworded(alone, text);
  const int64_t bytes = others.best().bytes;
  const GroupTrials::Trial& without = others.Try({});
  if (without.status.ok() && bytes >= without.bytes) return Reworded(alone, text);
  const std::string& first = graph.fusions()[others.best_set()[0].index()].name;
  absl::StrAppend(&text, "; with ",
                  others.best_set().size() == 1 ? absl::StrCat("group \"", first, "\"")
                                                : absl::StrCat(others.best_set().size(), " groups"),
                  " fused, ", bytes, " bytes are known to work");
  const absl::Status status = absl::DeadlineExceededError(text);
  std::optional<Shortfall> shortfall = ShortfallOf(alone);
  if (!shortfall.has_value()) return status;
  // What is proven without groups is not proven with them.
  shortfall->lower_bound_bytes = 0;
  shortfall->best_bytes = std::min(shortfall->best_bytes.value_or(bytes), bytes);
  return WithShortfall(status, *shortfall);
}

}  // namespace

absl::StatusOr<GroupChoice> ChooseGroups(const Graph& graph, const PlanOptions& options) {
  GroupTrials trials(graph, options);
  GroupChoice choice;
  choice.exact = SearchGroups(graph, options, trials);
  if (!trials.found()) return NoPlan(graph, options, trials);
  trials.Freeze();
  std::vector<FusionDecision>& decisions = trials.best().plan.fused;
  for (FusionDecision& d : decisions) {
    if (graph.fusions()[d.fusion.index()].required) {
      d.why = "required";
    } else if (const std::optional<FusionId> required = trials.RequiredOver(d.fusion); required.has_value()) {
      d.why =
          absl::StrCat("left separate: overlaps \"", graph.fusions()[required->index()].name, "\", which is required");
    }
  }
  if (absl::Status status = Decider(graph, options, trials).Run(decisions); !status.ok()) return status;
  choice.plans = trials.plans();
  choice.plan = std::move(trials.best().plan);
  choice.placed = std::move(trials.best().placed);
  return choice;
}

}  // namespace bufplan
