#include "ir/checker/shape.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"

namespace bufplan::checker {
namespace {

class Shape {
 public:
  Shape(const Graph& graph, const Plan& plan) : graph_(graph), plan_(plan) {}
  absl::Status Check();

 private:
  template <typename... Parts>
  static absl::Status Fault(const Parts&... parts) {
    return absl::InvalidArgumentError(absl::StrCat("plan: ", parts...));
  }
  bool Known(OpId o) const { return o.value >= 0 && o.index() < graph_.ops().size(); }
  bool Known(ValueId v) const { return v.value >= 0 && v.index() < graph_.values().size(); }
  template <typename IdType>
  bool Known(const std::optional<IdType>& id) const {
    return !id.has_value() || Known(*id);
  }
  absl::Status CheckCounts();
  absl::Status CheckLocation(const Location& location, const std::string& who);
  absl::Status CheckExpr(const Expr& e, absl::string_view what, const std::string& who);
  absl::Status CheckStrides(const Strides& strides, const std::string& who);
  bool IsPlain(const Location& location) const;
  absl::Status CheckPlaces();
  absl::Status CheckDecisions();

  const Graph& graph_;
  const Plan& plan_;
};

absl::Status Shape::CheckCounts() {
  if (plan_.locations.size() != graph_.values().size()) {
    return Fault(plan_.locations.size(), " locations, the graph has ", graph_.values().size(), " values");
  }
  if (!plan_.live.empty() && plan_.live.size() != graph_.values().size()) {
    return Fault(plan_.live.size(), " live ranges, the graph has ", graph_.values().size(), " values");
  }
  if (plan_.arenas.size() != graph_.spaces().size()) {
    return Fault(plan_.arenas.size(), " arenas, the graph has ", graph_.spaces().size(), " spaces");
  }
  for (size_t i = 0; i < plan_.arenas.size(); ++i) {
    if (plan_.arenas[i].space != SpaceId(static_cast<int32_t>(i))) {
      return Fault("arena ", i, " is of space ", plan_.arenas[i].space.value, ", must be of space ", i);
    }
  }
  if (plan_.fused.size() != graph_.fusions().size()) {
    return Fault(plan_.fused.size(), " fusion decisions, the graph has ", graph_.fusions().size(), " fusions");
  }
  for (size_t i = 0; i < plan_.fused.size(); ++i) {
    if (plan_.fused[i].fusion != FusionId(static_cast<int32_t>(i))) {
      return Fault("fusion decision ", i, " is about fusion ", plan_.fused[i].fusion.value, ", must be about ", i);
    }
  }
  return absl::OkStatus();
}

// Nothing to say about it, without a text.
bool Shape::IsPlain(const Location& location) const {
  if (location.memory < 0 || !location.offset_bytes.is_constant() || location.strides != nullptr) return false;
  const size_t memory = static_cast<size_t>(location.memory);
  return (location.kind == Location::Kind::kArena && memory < graph_.spaces().size()) ||
         (location.kind == Location::Kind::kCaller && memory < graph_.values().size());
}

absl::Status Shape::CheckExpr(const Expr& e, absl::string_view what, const std::string& who) {
  if (!e.valid()) return Fault("location of ", who, ": ", what, " is no expression: ", e.error());
  const std::optional<SymbolId> symbol = e.MaxSymbol();
  if (symbol.has_value() && symbol->index() >= graph_.symbols().size()) {
    return Fault("location of ", who, ": ", what, " uses symbol ", symbol->value, ", the graph has ",
                 graph_.symbols().size());
  }
  return absl::OkStatus();
}

absl::Status Shape::CheckStrides(const Strides& strides, const std::string& who) {
  if (strides.dims.empty()) return Fault("location of ", who, ": strides without dims");
  if (absl::Status s = CheckExpr(strides.run_bytes, "run", who); !s.ok()) return s;
  for (const Dim& d : strides.dims) {
    if (absl::Status s = CheckExpr(d.count, "count", who); !s.ok()) return s;
    if (absl::Status s = CheckExpr(d.stride_bytes, "stride", who); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status Shape::CheckLocation(const Location& location, const std::string& who) {
  if (location.kind == Location::Kind::kNone) {
    if (location.strides != nullptr) return Fault("location of ", who, ": strides, but no place");
    return absl::OkStatus();
  }
  if (location.kind != Location::Kind::kArena && location.kind != Location::Kind::kCaller) {
    return Fault("location of ", who, ": unknown kind ", static_cast<int>(location.kind));
  }
  const bool arena = location.kind == Location::Kind::kArena;
  const size_t bound = arena ? graph_.spaces().size() : graph_.values().size();
  if (location.memory < 0 || static_cast<size_t>(location.memory) >= bound) {
    return Fault("location of ", who, ": ", arena ? "space " : "value ", location.memory, ", must be in 0..",
                 static_cast<int64_t>(bound) - 1);
  }
  if (absl::Status s = CheckExpr(location.offset_bytes, "offset", who); !s.ok()) return s;
  return location.strides == nullptr ? absl::OkStatus() : CheckStrides(*location.strides, who);
}

absl::Status Shape::CheckPlaces() {
  for (size_t i = 0; i < plan_.locations.size(); ++i) {
    if (IsPlain(plan_.locations[i])) continue;
    const std::string who = absl::StrCat("value \"", graph_.name(ValueId(static_cast<int32_t>(i))), "\"");
    if (absl::Status s = CheckLocation(plan_.locations[i], who); !s.ok()) return s;
  }
  for (size_t i = 0; i < plan_.scratch.size(); ++i) {
    const ScratchPlace& p = plan_.scratch[i];
    if (!Known(p.op)) return Fault("scratch ", i, " is of unknown op ", p.op.value);
    if (i > 0 && plan_.scratch[i - 1].op >= p.op) return Fault("scratch ", i, " is not behind that of earlier ops");
    if (IsPlain(p.location)) continue;
    const std::string who = absl::StrCat("scratch of op \"", graph_.name(p.op), "\"");
    if (absl::Status s = CheckLocation(p.location, who); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status Shape::CheckDecisions() {
  for (size_t i = 0; i < plan_.live.size(); ++i) {
    if (!Known(plan_.live[i].first) || !Known(plan_.live[i].last)) {
      return Fault("live range of value \"", graph_.name(ValueId(static_cast<int32_t>(i))), "\" names an unknown op");
    }
  }
  for (size_t i = 0; i < plan_.notes.size(); ++i) {
    const Note& n = plan_.notes[i];
    if (!Known(n.op) || !Known(n.blocker) || !Known(n.result) || !Known(n.value) || !Known(n.other)) {
      return Fault("note ", i, " names an unknown op or value");
    }
  }
  for (size_t i = 0; i < plan_.added_order.size(); ++i) {
    if (!Known(plan_.added_order[i].before) || !Known(plan_.added_order[i].after)) {
      return Fault("order edge ", i, " names an unknown op");
    }
  }
  if (!Known(plan_.stats.peak_op)) return Fault("peak_op ", plan_.stats.peak_op->value, " is unknown");
  for (ValueId v : plan_.stats.live_at_peak) {
    if (!Known(v)) return Fault("live_at_peak names unknown value ", v.value);
  }
  return absl::OkStatus();
}

absl::Status Shape::Check() {
  if (absl::Status s = CheckCounts(); !s.ok()) return s;
  if (absl::Status s = CheckPlaces(); !s.ok()) return s;
  return CheckDecisions();
}

}  // namespace

absl::Status CheckShape(const Graph& graph, const Plan& plan) { return Shape(graph, plan).Check(); }

}  // namespace bufplan::checker
