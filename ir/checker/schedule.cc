#include "ir/checker/schedule.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace bufplan::checker {

absl::StatusOr<Schedule> Schedule::Create(const Graph& graph, const Plan& plan, Reporter& reporter) {
  Schedule s;
  s.graph_ = &graph;
  s.Contract(plan, reporter);
  if (s.any_fused_) s.FindSwallowed();
  s.FindElided(plan, reporter);
  const absl::Span<const Op> ops = graph.ops();
  const bool one_stream =
      std::all_of(ops.begin(), ops.end(), [&](const Op& op) { return op.stream == ops.front().stream; });
  if (one_stream) {
    s.RelateTotal(plan, reporter);
  } else if (absl::Status status = s.Relate(plan, reporter); !status.ok()) {
    return status;
  }
  return s;
}

// A group stands behind the op after which it runs.
void Schedule::Contract(const Plan& plan, Reporter& reporter) {
  const size_t num_ops = graph_->ops().size();
  std::vector<int32_t> group;  // by op: its fusion, or -1
  // Behind which op a group runs; the last member up to there, for those that run behind the same op.
  std::vector<std::tuple<OpId, OpId, FusionId>> groups;
  for (const FusionDecision& d : plan.fused) {
    const Fusion& f = graph_->fusions()[d.fusion.index()];
    if (!d.fused) {
      if (f.required) {
        reporter.Add(ViolationKind::kFusion, absl::StrCat("fusion \"", f.name, "\" is required, but left separate"));
      }
      continue;
    }
    group.resize(num_ops, -1);
    const auto taken = std::find_if(f.ops.begin(), f.ops.end(), [&](OpId o) { return group[o.index()] >= 0; });
    if (taken != f.ops.end()) {
      const Fusion& other = graph_->fusions()[static_cast<size_t>(group[taken->index()])];
      reporter.Add(ViolationKind::kFusion, absl::StrCat("fusions \"", other.name, "\" and \"", f.name,
                                                        "\" are both fused and share ", reporter.Text(*taken)));
      continue;
    }
    any_fused_ = true;
    for (OpId o : f.ops) group[o.index()] = d.fusion.value;
    groups.emplace_back(f.at, *std::prev(std::upper_bound(f.ops.begin(), f.ops.end(), f.at)), d.fusion);
  }

  node_of_.resize(num_ops);
  if (!any_fused_) {
    std::iota(node_of_.begin(), node_of_.end(), 0);
    first_member_.resize(num_ops + 1);
    std::iota(first_member_.begin(), first_member_.end(), 0);
    members_.reserve(num_ops);
    for (size_t i = 0; i < num_ops; ++i) members_.emplace_back(static_cast<int32_t>(i));
    return;
  }
  const auto add = [&](absl::Span<const OpId> ops, int32_t f) {
    for (OpId member : ops) node_of_[member.index()] = static_cast<int32_t>(first_member_.size());
    first_member_.push_back(static_cast<int32_t>(members_.size()));
    members_.insert(members_.end(), ops.begin(), ops.end());
    fusion_.push_back(f);
  };
  std::sort(groups.begin(), groups.end());
  auto next = groups.begin();
  for (size_t i = 0; i < num_ops; ++i) {
    const OpId o(static_cast<int32_t>(i));
    if (group[i] < 0) add(absl::MakeConstSpan(&o, 1), -1);
    for (; next != groups.end() && std::get<0>(*next) == o; ++next) {
      const FusionId f = std::get<2>(*next);
      add(graph_->fusions()[f.index()].ops, f.value);
    }
  }
  first_member_.push_back(static_cast<int32_t>(members_.size()));
}

void Schedule::FindSwallowed() {
  swallowed_.assign(graph_->values().size(), false);
  for (int32_t n = 0; n < num_nodes(); ++n) {
    if (!fusion(n).has_value()) continue;
    for (OpId o : members(n)) {
      for (const Write& w : graph_->writes(graph_->op(o))) swallowed_[w.value.index()] = true;
    }
  }
  for (size_t i = 0; i < graph_->ops().size(); ++i) {
    const Op& op = graph_->ops()[i];
    const auto use = [&](ValueId v) {
      if (producer_node(v) != node_of_[i]) swallowed_[v.index()] = false;
    };
    for (const Read& r : graph_->reads(op)) use(r.value);
    for (const Write& w : graph_->writes(op)) {
      if (w.base.has_value()) use(*w.base);
    }
  }
  for (ValueId v : graph_->outputs()) swallowed_[v.index()] = false;
  for (const KeepAlive& k : graph_->keep_alive()) swallowed_[k.value.index()] = false;
}

// The mark of an op is its own note; notes about one result of it say nothing of the whole.
void Schedule::FindElided(const Plan& plan, Reporter& reporter) {
  for (const Note& note : plan.notes) {
    if (note.action != Action::kElided || note.result.has_value()) continue;
    if (!IsMovement(graph_->op(note.op).kind) || fusion(node_of(note.op)).has_value()) continue;
    if (elided_.empty()) elided_.resize(graph_->ops().size(), false);
    elided_[note.op.index()] = true;
  }
  if (elided_.empty()) return;
  for (const Note& note : plan.notes) {
    if (note.action != Action::kRun || note.result.has_value() || !elided_[note.op.index()]) continue;
    reporter.Add(ViolationKind::kStats, absl::StrCat(reporter.Text(note.op), " is said to be both elided and run"));
  }
}

// Every use and order edge between nodes that the streams do not imply.
std::vector<HappensBefore::Edge> Schedule::DataEdges() const {
  std::vector<HappensBefore::Edge> edges;
  const auto add = [&](int32_t from, int32_t to) {
    if (from == kStart || from == to) return;
    const bool same_stream =
        order_.stream.empty() || order_.stream[static_cast<size_t>(from)] == order_.stream[static_cast<size_t>(to)];
    if (!same_stream || from > to) edges.emplace_back(from, to);
  };
  for (size_t i = 0; i < graph_->ops().size(); ++i) {
    const Op& op = graph_->ops()[i];
    for (const Read& r : graph_->reads(op)) add(producer_node(r.value), node_of_[i]);
    for (const Write& w : graph_->writes(op)) {
      if (w.base.has_value()) add(producer_node(*w.base), node_of_[i]);
    }
  }
  for (const OrderEdge& e : graph_->order()) add(node_of(e.before), node_of(e.after));
  return edges;
}

absl::Status Schedule::Relate(const Plan& plan, Reporter& reporter) {
  order_.num_streams = graph_->num_streams();
  order_.stream.reserve(static_cast<size_t>(num_nodes()));
  for (int32_t n = 0; n < num_nodes(); ++n) {
    order_.stream.push_back(graph_->op(members(n).front()).stream.value);
  }
  std::vector<HappensBefore::Edge> edges = DataEdges();
  for (const AddedEdge& e : plan.added_order) {
    const int32_t from = node_of(e.before), to = node_of(e.after);
    if (from != to || e.before >= e.after) edges.emplace_back(from, to);
  }
  std::vector<int32_t> cycle;
  absl::StatusOr<HappensBefore> relation = HappensBefore::Create(order_.stream, order_.num_streams, edges, &cycle);
  if (relation.ok()) {
    order_.partial = *std::move(relation);
    const absl::Span<const int32_t> visit = order_.partial->TopologicalOrder();
    visit_order_.assign(visit.begin(), visit.end());
    return absl::OkStatus();
  }
  if (cycle.empty()) return relation.status();
  cyclic_ = true;
  constexpr size_t kMaxNamed = 12;
  const size_t named = std::min(cycle.size(), kMaxNamed);
  reporter.Add(ViolationKind::kCycle,
               absl::StrCat(plan.added_order.empty() ? "the plan's fused groups make a cycle: "
                                                     : "the plan's order edges make a cycle: ",
                            absl::StrJoin(cycle.begin(), cycle.begin() + static_cast<ptrdiff_t>(named), " before ",
                                          [&](std::string* out, int32_t n) { absl::StrAppend(out, NodeText(n)); }),
                            cycle.size() > named ? absl::StrCat(" before ", cycle.size() - named, " more") : "",
                            " before ", NodeText(cycle.front())));
  return absl::OkStatus();
}

void Schedule::RelateTotal(const Plan& plan, Reporter& reporter) {
  visit_order_.resize(static_cast<size_t>(num_nodes()));
  std::iota(visit_order_.begin(), visit_order_.end(), 0);
  if (any_fused_) {
    for (const auto& [from, to] : DataEdges()) {
      cyclic_ = true;
      reporter.Add(ViolationKind::kCycle,
                   absl::StrCat(NodeText(from), " comes before ", NodeText(to), ", which comes first on their stream"));
    }
  }
  for (const AddedEdge& e : plan.added_order) {
    const int32_t from = node_of(e.before), to = node_of(e.after);
    if (from < to || (from == to && e.before < e.after)) continue;
    cyclic_ = true;
    reporter.Add(ViolationKind::kCycle,
                 absl::StrCat("the plan's order edges make a cycle: it orders ", reporter.Text(e.before), " before ",
                              reporter.Text(e.after), ", which comes first on their stream"));
  }
}

std::string Schedule::NodeText(int32_t node) const {
  if (node == kStart) return "the start";
  if (node == kEnd) return "the end";
  if (const std::optional<FusionId> f = fusion(node); f.has_value()) {
    return absl::StrCat("fusion \"", graph_->fusions()[f->index()].name, "\"");
  }
  return absl::StrCat("op \"", graph_->name(members(node).front()), "\"");
}

}  // namespace bufplan::checker
