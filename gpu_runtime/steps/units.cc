#include "gpu_runtime/steps/units.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gpu_runtime/steps/plan_shape.h"

namespace bufplan::runtime {
namespace {

class UnitMaker {
 public:
  UnitMaker(const Graph& graph, const Plan* plan) : graph_(graph), plan_(plan) {}

  absl::StatusOr<Units> Run() {
    out_.num_streams = plan_ == nullptr ? 1 : graph_.num_streams();
    if (plan_ != nullptr) {
      if (absl::Status s = CheckPlanShape(graph_, *plan_); !s.ok()) return s;
    }
    if (absl::Status s = FindGroups(); !s.ok()) return s;
    MakeUnits();
    MarkElided();
    FindEdges();
    if (absl::Status s = Relate(); !s.ok()) return s;
    return std::move(out_);
  }

 private:
  absl::Status FindGroups() {
    group_of_.assign(graph_.ops().size(), -1);
    if (plan_ == nullptr) return absl::OkStatus();
    for (const FusionDecision& decision : plan_->fused) {
      if (!decision.fused) continue;
      for (OpId o : graph_.fusions()[decision.fusion.index()].ops) {
        if (group_of_[o.index()] >= 0) {
          return absl::FailedPreconditionError(absl::StrCat("op \"", graph_.name(o), "\" is in two fused groups"));
        }
        group_of_[o.index()] = decision.fusion.value;
      }
    }
    return absl::OkStatus();
  }

  void MakeUnits() {
    // Groups by the op behind which they run; of those of one op, first whose last member comes first.
    std::vector<std::pair<int32_t, int32_t>> groups;  // op, fusion
    std::vector<bool> seen(graph_.fusions().size(), false);
    for (int32_t f : group_of_) {
      if (f < 0 || seen[static_cast<size_t>(f)]) continue;
      seen[static_cast<size_t>(f)] = true;
      groups.push_back({FusionAt(f).at.value, f});
    }
    const auto last_until = [&](int32_t f, int32_t op) {
      int32_t last = -1;
      for (OpId o : FusionAt(f).ops) {
        if (o.value <= op) last = o.value;
      }
      return last;
    };
    std::sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) {
      return std::pair(a.first, last_until(a.second, a.first)) < std::pair(b.first, last_until(b.second, b.first));
    });
    out_.unit_of.assign(graph_.ops().size(), -1);
    size_t next = 0;
    for (int32_t i = 0; i < static_cast<int32_t>(graph_.ops().size()); ++i) {
      if (group_of_[static_cast<size_t>(i)] < 0) AddUnit({OpId(i)}, std::nullopt);
      for (; next < groups.size() && groups[next].first == i; ++next) {
        AddUnit(FusionAt(groups[next].second).ops, FusionId(groups[next].second));
      }
    }
  }
  const Fusion& FusionAt(int32_t f) const { return graph_.fusions()[static_cast<size_t>(f)]; }
  void AddUnit(std::vector<OpId> ops, std::optional<FusionId> fusion) {
    for (OpId o : ops) out_.unit_of[o.index()] = static_cast<int32_t>(out_.units.size());
    const int32_t stream = plan_ == nullptr ? 0 : graph_.op(ops.back()).stream.value;
    out_.units.push_back({std::move(ops), fusion, stream, {}});
  }

  void MarkElided() {
    out_.elided.assign(graph_.ops().size(), false);
    if (plan_ == nullptr) return;
    for (const Note& note : plan_->notes) {
      const OpKind kind = graph_.op(note.op).kind;
      const bool moves = kind != OpKind::kCompute && kind != OpKind::kFill && kind != OpKind::kBarrier;
      if (moves && group_of_[note.op.index()] < 0 && note.action == Action::kElided && !note.result.has_value()) {
        out_.elided[note.op.index()] = true;
      }
    }
  }

  void Edge(OpId before, OpId after) {
    const int32_t from = out_.unit_of[before.index()], to = out_.unit_of[after.index()];
    if (from != to) edges_.push_back({from, to});
  }
  void FindEdges() {
    for (size_t i = 0; i < graph_.ops().size(); ++i) {
      const OpId o(static_cast<int32_t>(i));
      const auto uses = [&](ValueId v) {
        if (graph_.producer(v).has_value()) Edge(*graph_.producer(v), o);
      };
      for (const Read& r : graph_.reads(graph_.ops()[i])) uses(r.value);
      for (const Write& w : graph_.writes(graph_.ops()[i])) {
        if (w.base.has_value()) uses(*w.base);
      }
    }
    if (plan_ == nullptr) return;
    for (const OrderEdge& e : graph_.order()) Edge(e.before, e.after);
    for (const AddedEdge& e : plan_->added_order) Edge(e.before, e.after);
  }

  std::string NameOf(int32_t unit) const {
    return absl::StrJoin(out_.units[static_cast<size_t>(unit)].ops, "+",
                         [&](std::string* out, OpId o) { absl::StrAppend(out, graph_.name(o)); });
  }

  absl::Status Relate() {
    std::vector<int32_t> stream_of;
    for (const Unit& u : out_.units) stream_of.push_back(u.stream);
    std::vector<int32_t> cycle;
    absl::StatusOr<HappensBefore> order = HappensBefore::Create(stream_of, out_.num_streams, edges_, &cycle);
    if (!order.ok()) {
      if (cycle.empty()) return order.status();
      return absl::FailedPreconditionError(absl::StrCat("ops wait for each other in a circle: ",
                                                        absl::StrJoin(cycle, ", ", [&](std::string* out, int32_t u) {
                                                          absl::StrAppend(out, "\"", NameOf(u), "\"");
                                                        })));
    }
    out_.order = *std::move(order);
    out_.enqueue_order.assign(out_.order.TopologicalOrder().begin(), out_.order.TopologicalOrder().end());
    FindWaits();
    return absl::OkStatus();
  }

  // Of the predecessors on other streams those that no other predecessor, the one on the same stream among them, comes
  // after.
  void FindWaits() {
    std::sort(edges_.begin(), edges_.end(),
              [](const auto& a, const auto& b) { return std::pair(a.second, a.first) < std::pair(b.second, b.first); });
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    std::vector<int32_t> previous_on(static_cast<size_t>(out_.num_streams), -1), previous(out_.units.size(), -1);
    for (size_t u = 0; u < out_.units.size(); ++u) {
      int32_t& last = previous_on[static_cast<size_t>(out_.units[u].stream)];
      previous[u] = last;
      last = static_cast<int32_t>(u);
    }
    std::vector<int32_t> latest;  // of the predecessors of one unit, by stream
    for (size_t begin = 0; begin < edges_.size();) {
      const int32_t to = edges_[begin].second;
      Unit& unit = out_.units[static_cast<size_t>(to)];
      latest.clear();
      if (previous[static_cast<size_t>(to)] >= 0) latest.push_back(previous[static_cast<size_t>(to)]);
      size_t end = begin;
      for (; end < edges_.size() && edges_[end].second == to; ++end) {
        const int32_t from = edges_[end].first;
        if (StreamOf(from) == unit.stream) continue;
        const auto same = [&](int32_t other) { return StreamOf(other) == StreamOf(from); };
        const auto it = std::find_if(latest.begin(), latest.end(), same);
        // On one stream units come in order of their numbers, as these edges do.
        (it == latest.end() ? latest.emplace_back() : *it) = from;
      }
      for (int32_t from : latest) {
        const auto implies = [&](int32_t other) { return out_.order.Before(from, other); };
        if (StreamOf(from) != unit.stream && std::none_of(latest.begin(), latest.end(), implies)) {
          unit.waits_for.push_back(from);
        }
      }
      begin = end;
    }
  }
  int32_t StreamOf(int32_t unit) const { return out_.units[static_cast<size_t>(unit)].stream; }

  const Graph& graph_;
  const Plan* plan_;  // null: the reference
  Units out_;
  std::vector<int32_t> group_of_;  // by OpId; -1: none
  std::vector<HappensBefore::Edge> edges_;
};

}  // namespace

absl::StatusOr<Units> PlannedUnits(const Graph& graph, const Plan& plan) { return UnitMaker(graph, &plan).Run(); }

absl::StatusOr<Units> ReferenceUnits(const Graph& graph) { return UnitMaker(graph, nullptr).Run(); }

}  // namespace bufplan::runtime
