// What plans of graphs and plans of interval problems have in common as JSON. Private to io.
#ifndef BUFPLAN_IO_JSON_PLAN_WORDS_H_
#define BUFPLAN_IO_JSON_PLAN_WORDS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "io/json_reader.h"
#include "io/json_text.h"

namespace bufplan {

using PlanOptionList = std::vector<std::pair<std::string, std::string>>;

// The words of the format, in the order of the enumerations.
absl::Span<const absl::string_view> BoundWords();
absl::Span<const absl::string_view> ActionWords();
absl::Span<const absl::string_view> FusionWords();  // separate, fused
absl::Span<const absl::string_view> StatusWords();  // feasible, optimal

// The members before the lists.
JsonObjectText PlanHead(absl::string_view graph, absl::string_view fingerprint, const PlanOptionList& options,
                        bool optimal);

// {"name": "value", ...}
PlanOptionList ReadPlanOptions(JsonValue json, JsonReader& in);

}  // namespace bufplan

#endif  // BUFPLAN_IO_JSON_PLAN_WORDS_H_
