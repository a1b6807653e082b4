#include "ir/checker/lineage.h"

#include <optional>

namespace bufplan::checker {

bool Lineage::Contains(ValueId variable, ValueId value) {
  const std::optional<OpId> commit = graph_.commit_to(variable);
  if (!commit.has_value()) return false;
  const auto [it, fresh] = walks_.try_emplace(variable.value);
  Walk& walk = it->second;
  const auto reach = [&](ValueId v) {
    if (walk.seen.insert(v.value).second) walk.open.push_back(v);
  };
  if (fresh) reach(graph_.reads(graph_.op(*commit))[0].value);
  while (!walk.seen.contains(value.value) && !walk.open.empty()) {
    const ValueId v = walk.open.back();
    walk.open.pop_back();
    const std::optional<OpId> producer = graph_.producer(v);
    if (!producer.has_value()) continue;
    const Op& op = graph_.op(*producer);
    for (const Write& w : graph_.writes(op)) {
      if (w.value == v && w.base.has_value()) reach(*w.base);
    }
    if (op.kind == OpKind::kCompute) continue;
    for (const Read& r : graph_.reads(op)) reach(r.value);
  }
  return walk.seen.contains(value.value);
}

}  // namespace bufplan::checker
