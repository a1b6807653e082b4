#include "gpu_runtime/registry/value_uses.h"

#include <algorithm>
#include <cstddef>

namespace bufplan::runtime {

ValueUses::ValueUses(const Graph& graph) : users_(graph.values().size()), kept_(graph.values().size(), false) {
  for (size_t i = 0; i < graph.ops().size(); ++i) {
    const OpId o(static_cast<int32_t>(i));
    const auto use = [&](ValueId v) {
      std::vector<OpId>& users = users_[v.index()];
      if (users.empty() || users.back() != o) users.push_back(o);
    };
    for (const Read& r : graph.reads(graph.op(o))) use(r.value);
    for (const Write& w : graph.writes(graph.op(o))) {
      if (w.base.has_value()) use(*w.base);
    }
  }
  for (ValueId v : graph.outputs()) kept_[v.index()] = true;
  for (const KeepAlive& k : graph.keep_alive()) kept_[k.value.index()] = true;
}

bool ValueUses::OutsideOf(absl::Span<const OpId> ops, ValueId v) const {
  return kept_[v.index()] || std::any_of(users_[v.index()].begin(), users_[v.index()].end(),
                                         [&](OpId o) { return !std::binary_search(ops.begin(), ops.end(), o); });
}

}  // namespace bufplan::runtime
