#include "planner/sharing/ownership.h"

namespace bufplan {

std::optional<Why> Ownership::Refuses(ValueId owner, ValueId value) {
  const Value& v = graph_->value(owner);
  if (v.role == Role::kConstant || (v.role == Role::kExternal && !v.writable)) return Why::kReadOnly;
  const std::optional<OpId> commit = graph_->commit_to(owner);
  // A commit that must be executed has its source apart: nothing may build the new content in place.
  if (commit.has_value() && graph_->op(*commit).elide == Elide::kNever) return Why::kNeverElide;
  if (v.role == Role::kExternal) return std::nullopt;
  return LineageOf(owner).contains(value.value) ? std::nullopt : std::optional<Why>(Why::kNotLineage);
}

const absl::flat_hash_set<int32_t>& Ownership::LineageOf(ValueId variable) {
  auto [it, is_new] = lineage_.try_emplace(variable.value);
  absl::flat_hash_set<int32_t>& lineage = it->second;
  const std::optional<OpId> commit = graph_->commit_to(variable);
  if (!is_new || !commit.has_value()) return lineage;
  std::vector<ValueId> open = {graph_->reads(graph_->op(*commit))[0].value};
  while (!open.empty()) {
    const ValueId v = open.back();
    open.pop_back();
    if (!lineage.insert(v.value).second) continue;
    const std::optional<OpId> producer = graph_->producer(v);
    if (!producer.has_value()) continue;
    const Op& op = graph_->op(*producer);
    for (const Write& w : graph_->writes(op)) {
      if (w.value == v && w.base.has_value()) open.push_back(*w.base);
    }
    if (op.kind == OpKind::kCompute) continue;
    for (const Read& r : graph_->reads(op)) open.push_back(r.value);
  }
  return lineage;
}

}  // namespace bufplan
