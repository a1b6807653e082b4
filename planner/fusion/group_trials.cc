#include "planner/fusion/group_trials.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "planner/reuse/reuse_edges.h"

namespace bufplan {

namespace {

// All plans together may search so long for edges between streams as this many plans alone.
constexpr int64_t kEdgeSearches = 2;

}  // namespace

double BenefitOf(const Fusion& fusion) { return std::clamp(fusion.benefit, -1e290, 1e290); }

bool ClearlyLess(double a, double b) { return b - a > 1e-12 * std::max(std::abs(a), std::abs(b)); }

GroupTrials::GroupTrials(const Graph& graph, const PlanOptions& options)
    : g_(graph), options_(options), edges_work_(kEdgeSearches * ReuseEdgesWork(graph, options)) {
  const auto id = [](size_t i) { return FusionId(static_cast<int32_t>(i)); };
  for (size_t i = 0; i < graph.fusions().size(); ++i) {
    const Fusion& f = graph.fusions()[i];
    if (!f.required) continue;
    required_.push_back(id(i));
    required_of_op_.resize(graph.ops().size(), -1);
    for (OpId o : f.ops) required_of_op_[o.index()] = static_cast<int32_t>(i);
  }
  for (size_t i = 0; i < graph.fusions().size(); ++i) {
    if (!graph.fusions()[i].required && !RequiredOver(id(i)).has_value()) candidates_.push_back(id(i));
  }
}

std::optional<FusionId> GroupTrials::RequiredOver(FusionId f) const {
  if (required_of_op_.empty()) return std::nullopt;
  for (OpId o : g_.fusions()[f.index()].ops) {
    const int32_t required = required_of_op_[o.index()];
    if (required >= 0 && required != f.value) return FusionId(required);
  }
  return std::nullopt;
}

double GroupTrials::Benefit(const Set& set) const {
  double sum = 0;
  for (FusionId f : set) sum += BenefitOf(g_.fusions()[f.index()]);
  return sum;
}

GroupTrials::Set GroupTrials::WithRequired(const Set& set) const {
  Set all(required_.size() + set.size());
  std::merge(required_.begin(), required_.end(), set.begin(), set.end(), all.begin());
  return all;
}

bool GroupTrials::Better(const Set& set, const GroupPlan& plan) const {
  if (!best_.has_value()) return true;
  const double benefit = Benefit(set), other = Benefit(best_set_);
  if (ClearlyLess(other, benefit)) return true;
  if (ClearlyLess(benefit, other)) return false;
  const auto key = [&](const Set& s, const GroupPlan& p) {
    const bool copies = options_.objective == Objective::kCopies;
    const auto worthless =
        std::count_if(s.begin(), s.end(), [&](FusionId f) { return g_.fusions()[f.index()].benefit <= 0; });
    return std::make_tuple(copies ? p.moved_bytes : p.bytes, copies ? p.bytes : p.moved_bytes, worthless);
  };
  const auto a = key(set, plan), b = key(best_set_, *best_);
  return a != b ? a < b : set < best_set_;
}

const GroupTrials::Trial& GroupTrials::Try(const Set& set) {
  const auto [it, inserted] = trials_.try_emplace(set);
  Trial& trial = it->second;
  if (!inserted) return trial;
  // Without any group it has to be known whether there is a plan.
  const int64_t alone = ReuseEdgesWork(g_, options_);
  const int64_t edges_work = set.empty() ? alone : std::min(edges_work_, alone);
  int64_t left = edges_work;
  absl::StatusOr<GroupPlan> plan = PlanGroups(g_, WithRequired(set), options_, left);
  if (!set.empty()) edges_work_ -= edges_work - left;
  trial.status = plan.status();
  if (!plan.ok()) return trial;
  trial.bytes = plan->bytes;
  trial.moved_bytes = plan->moved_bytes;
  if (!frozen_ && Better(set, *plan)) {
    best_ = *std::move(plan);
    best_set_ = set;
  }
  return trial;
}

const GroupTrials::Trial* GroupTrials::Find(const Set& set) const {
  const auto it = trials_.find(set);
  return it == trials_.end() ? nullptr : &it->second;
}

}  // namespace bufplan
