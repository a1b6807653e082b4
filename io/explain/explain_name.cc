#include "io/explain/explain_name.h"

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "io/explain/explain.h"
#include "io/explain/nearest_names.h"
#include "io/explain/text_table.h"

namespace bufplan {

absl::StatusOr<std::string> ExplainName(const Graph& graph, const Plan& plan, absl::string_view name, size_t width) {
  const std::optional<ValueId> value = graph.FindValue(name);
  const std::optional<OpId> op = graph.FindOp(name);
  if (value.has_value() && op.has_value()) {
    return absl::StrCat(ExplainValue(graph, plan, *value, width), "\n", ExplainOp(graph, plan, *op));
  }
  if (value.has_value()) return ExplainValue(graph, plan, *value, width);
  if (op.has_value()) return ExplainOp(graph, plan, *op);
  std::vector<absl::string_view> known;
  for (size_t i = 0; i < graph.values().size(); ++i) known.push_back(graph.name(ValueId(static_cast<int32_t>(i))));
  for (size_t i = 0; i < graph.ops().size(); ++i) known.push_back(graph.name(OpId(static_cast<int32_t>(i))));
  return absl::NotFoundError(
      absl::StrCat("the graph has no value and no op ", InQuotes(name), DidYouMean(name, known)));
}

}  // namespace bufplan
