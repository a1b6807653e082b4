#include "ir/graph.h"

#include <algorithm>

namespace bufplan {

absl::string_view ToString(Role role) {
  switch (role) {
    case Role::kTransient: return "transient";
    case Role::kInput: return "input";
    case Role::kConstant: return "constant";
    case Role::kExternal: return "external";
    case Role::kVariable: return "variable";
  }
  return "?";
}

absl::string_view ToString(OpKind kind) {
  switch (kind) {
    case OpKind::kCompute: return "compute";
    case OpKind::kView: return "view";
    case OpKind::kSlice: return "slice";
    case OpKind::kClone: return "clone";
    case OpKind::kUpdate: return "update";
    case OpKind::kConcat: return "concat";
    case OpKind::kCopy: return "copy";
    case OpKind::kFill: return "fill";
    case OpKind::kTransfer: return "transfer";
    case OpKind::kCommit: return "commit";
    case OpKind::kBarrier: return "barrier";
  }
  return "?";
}

namespace {

template <class IdType>
std::optional<IdType> Find(const std::vector<std::string>& names, absl::string_view name) {
  auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end()) return std::nullopt;
  return IdType(static_cast<int32_t>(it - names.begin()));
}

}  // namespace

std::optional<ValueId> Graph::FindValue(absl::string_view name) const { return Find<ValueId>(value_names_, name); }
std::optional<OpId> Graph::FindOp(absl::string_view name) const { return Find<OpId>(op_names_, name); }
std::optional<SpaceId> Graph::FindSpace(absl::string_view name) const { return Find<SpaceId>(space_names_, name); }

bool Graph::SameMemory(SpaceId a, SpaceId b) const {
  if (a == b) return true;
  const std::vector<SpaceId>& unified = space(a).unified_with;
  return std::find(unified.begin(), unified.end(), b) != unified.end();
}

}  // namespace bufplan
