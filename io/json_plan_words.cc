#include "io/json_plan_words.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

namespace bufplan {
namespace {

constexpr absl::string_view kBoundWords[] = {"load", "antichain", "search"};
constexpr absl::string_view kActionWords[] = {"run", "elided"};
constexpr absl::string_view kFusionWords[] = {"separate", "fused"};
constexpr absl::string_view kStatusWords[] = {"feasible", "optimal"};

}  // namespace

absl::Span<const absl::string_view> BoundWords() { return kBoundWords; }
absl::Span<const absl::string_view> ActionWords() { return kActionWords; }
absl::Span<const absl::string_view> FusionWords() { return kFusionWords; }
absl::Span<const absl::string_view> StatusWords() { return kStatusWords; }

JsonObjectText PlanHead(absl::string_view graph, absl::string_view fingerprint, const PlanOptionList& options,
                        bool optimal) {
  JsonObjectText given;
  absl::flat_hash_set<absl::string_view> names;  // A key occurs once; the first counts.
  for (const auto& [name, value] : options) {
    if (names.insert(name).second) given.String(name, value);
  }
  JsonObjectText head;
  head.String("format", "bufplan.plan").Integer("version", 1).String("graph", graph).String("fingerprint", fingerprint);
  head.Raw("options", given.Finish()).String("status", kStatusWords[optimal ? 1 : 0]);
  return head;
}

PlanOptionList ReadPlanOptions(JsonValue json, JsonReader& in) {
  PlanOptionList options;
  if (json.kind() != JsonKind::kObject) {
    in.Fail(json, absl::StrCat("must be an object of strings, is ", json.KindName()));
    return options;
  }
  for (JsonValue member : json) options.emplace_back(member.key(), in.String(member));
  return options;
}

}  // namespace bufplan
