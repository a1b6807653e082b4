#include "ir/checker/stride_rules.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace bufplan::checker {
namespace {

class StrideRules {
 public:
  StrideRules(const Graph& graph, const Plan& plan, const Schedule& schedule, Reporter& reporter)
      : graph_(graph), plan_(plan), schedule_(schedule), reporter_(reporter), forbidden_(graph.values().size()) {}

  std::vector<bool> Find() {
    for (size_t i = 0; i < forbidden_.size(); ++i) {
      const ValueId v(static_cast<int32_t>(i));
      if (Strided(v)) CheckValue(v);
    }
    for (size_t i = 0; i < graph_.ops().size(); ++i) CheckUses(OpId(static_cast<int32_t>(i)));
    for (ValueId v : graph_.outputs()) {
      if (Strided(v)) Forbid(v, "it is an output");
    }
    for (const KeepAlive& k : graph_.keep_alive()) {
      if (Strided(k.value)) Forbid(k.value, absl::StrCat("it is kept alive until ", reporter_.Text(k.until)));
    }
    return std::move(forbidden_);
  }

 private:
  bool Strided(ValueId v) const { return plan_.location(v).strides != nullptr; }
  bool Fused(OpId o) const { return schedule_.fusion(schedule_.node_of(o)).has_value(); }

  void Forbid(ValueId v, absl::string_view why) {
    if (forbidden_[v.index()]) return;
    forbidden_[v.index()] = true;
    reporter_.Add(ViolationKind::kStrides, absl::StrCat(reporter_.Text(v), " lies strided, but ", why));
  }

  void CheckValue(ValueId v) {
    const Value& value = graph_.value(v);
    const std::optional<OpId> producer = graph_.producer(v);
    if (!producer.has_value()) return Forbid(v, absl::StrCat("is of role ", ToString(value.role)));
    const Op& op = graph_.op(*producer);
    if (!IsMovement(op.kind)) {
      return Forbid(v, absl::StrCat("is the result of ", ToString(op.kind), " ", reporter_.Text(*producer)));
    }
    if (graph_.writes(op)[0].base.has_value()) {
      return Forbid(v, absl::StrCat(reporter_.Text(*producer), " makes it of a base"));
    }
    if (Fused(*producer))
      return Forbid(v, absl::StrCat(reporter_.Text(*producer), " makes it inside of a fused group"));
    if (value.pinned_offset_bytes.has_value()) Forbid(v, "it is pinned");
  }

  void CheckUses(OpId o) {
    const Op& op = graph_.op(o);
    for (const Read& r : graph_.reads(op)) {
      if (!Strided(r.value)) continue;
      if (op.kind == OpKind::kView) {
        Forbid(r.value, absl::StrCat(reporter_.Text(graph_.writes(op)[0].value), " is a view of it"));
      } else if (Fused(o)) {
        Forbid(r.value, absl::StrCat(reporter_.Text(o), " reads it inside of a fused group"));
      } else if (op.kind == OpKind::kCompute && !r.strides_ok) {
        Forbid(r.value, absl::StrCat(reporter_.Text(o), " reads it without strides_ok"));
      }
    }
    for (const Write& w : graph_.writes(op)) {
      if (w.base.has_value() && Strided(*w.base)) {
        Forbid(*w.base, absl::StrCat("it is the base of ", reporter_.Text(w.value)));
      }
    }
  }

  const Graph& graph_;
  const Plan& plan_;
  const Schedule& schedule_;
  Reporter& reporter_;
  std::vector<bool> forbidden_;
};

}  // namespace

std::vector<bool> FindForbiddenStrides(const Graph& graph, const Plan& plan, const Schedule& schedule,
                                       Reporter& reporter) {
  return StrideRules(graph, plan, schedule, reporter).Find();
}

}  // namespace bufplan::checker
