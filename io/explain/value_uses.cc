#include "io/explain/value_uses.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "io/explain/text_table.h"
#include "ir/region.h"

namespace bufplan {

bool IsMovement(OpKind kind) {
  switch (kind) {
    case OpKind::kSlice:
    case OpKind::kClone:
    case OpKind::kUpdate:
    case OpKind::kConcat:
    case OpKind::kCopy:
    case OpKind::kTransfer:
    case OpKind::kCommit: return true;
    case OpKind::kCompute:
    case OpKind::kView:
    case OpKind::kFill:
    case OpKind::kBarrier: return false;
  }
  return false;
}

std::optional<ValueId> ViewSource(const Graph& graph, ValueId value) {
  const std::optional<OpId> producer = graph.producer(value);
  if (!producer.has_value() || graph.op(*producer).kind != OpKind::kView) return std::nullopt;
  return graph.reads(graph.op(*producer))[0].value;
}

std::vector<ValueUse> UsesOf(const Graph& graph, ValueId value) {
  std::vector<char> alias(graph.values().size(), 0);
  alias[value.index()] = 1;
  std::vector<ValueUse> uses;
  for (size_t i = 0; i < graph.ops().size(); ++i) {
    const OpId id(static_cast<int32_t>(i));
    const Op& op = graph.ops()[i];
    for (const Read& r : graph.reads(op)) {
      if (!alias[r.value.index()]) continue;
      if (op.kind == OpKind::kView) alias[graph.writes(op)[0].value.index()] = 1;
      uses.push_back({op.kind == OpKind::kView ? ValueUseKind::kView : ValueUseKind::kRead, id, r.value, r.region});
    }
    for (const Write& w : graph.writes(op)) {
      if (w.base.has_value() && alias[w.base->index()]) uses.push_back({ValueUseKind::kBase, id, *w.base, {}});
    }
  }
  for (const KeepAlive& k : graph.keep_alive()) {
    if (alias[k.value.index()]) uses.push_back({ValueUseKind::kKeepAlive, k.until, k.value, {}});
  }
  std::stable_sort(uses.begin(), uses.end(), [](const ValueUse& a, const ValueUse& b) { return *a.op < *b.op; });
  for (ValueId v : graph.outputs()) {
    if (alias[v.index()]) uses.push_back({ValueUseKind::kOutput, {}, v, {}});
  }
  const Value& v = graph.value(value);
  if (v.preserve) uses.push_back({ValueUseKind::kPreserve, {}, value, {}});
  if (v.role == Role::kConstant || v.role == Role::kExternal || v.role == Role::kVariable) {
    uses.push_back({ValueUseKind::kStorage, {}, value, {}});
  }
  return uses;
}

bool NeededByNobody(const Graph& graph, ValueId value) {
  if (graph.producer(value).has_value()) return false;
  const std::vector<ValueUse> uses = UsesOf(graph, value);
  return std::all_of(uses.begin(), uses.end(), [](const ValueUse& use) { return use.kind == ValueUseKind::kView; });
}

std::string UseText(const Graph& graph, ValueId value, const ValueUse& use) {
  const std::string through =
      use.through == value ? "" : absl::StrCat(" through view ", InQuotes(graph.name(use.through)));
  std::string bytes;
  if (use.region.has_value()) {
    bytes = absl::StrCat(RegionText(graph.region(*use.region), graph.symbols()), " of ");
  }
  switch (use.kind) {
    case ValueUseKind::kRead: return absl::StrCat("reads ", bytes, "it", through);
    case ValueUseKind::kView:
      return absl::StrCat("names ", bytes, "it ", InQuotes(graph.name(graph.writes(graph.op(*use.op))[0].value)),
                          " (a view)", through);
    case ValueUseKind::kBase: return absl::StrCat("updates it", through, ": what is not overwritten lives on");
    case ValueUseKind::kKeepAlive: return absl::StrCat("keep_alive until this op is done", through);
    case ValueUseKind::kOutput:
      return use.through == value ? "it is an output"
                                  : absl::StrCat("an output is a view of it, ", InQuotes(graph.name(use.through)));
    case ValueUseKind::kPreserve: return "it is an input with \"preserve\"";
    case ValueUseKind::kStorage:
      return absl::StrCat("it is ", graph.value(value).role == Role::kExternal ? "an " : "a ",
                          ToString(graph.value(value).role), ": storage of the caller");
  }
  return "";
}

}  // namespace bufplan
