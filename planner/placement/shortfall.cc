#include "planner/placement/shortfall.h"

#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace bufplan {
namespace {

// Three numbers, "-" for one that is not known, and the name, separated by one blank each.
constexpr absl::string_view kPayload = "bufplan/shortfall";
constexpr absl::string_view kNone = "-";

}  // namespace

absl::Status WithShortfall(absl::Status status, const Shortfall& shortfall) {
  const std::string best = shortfall.best_bytes.has_value() ? absl::StrCat(*shortfall.best_bytes) : std::string(kNone);
  status.SetPayload(kPayload, absl::Cord(absl::StrCat(shortfall.capacity_bytes, " ", shortfall.lower_bound_bytes, " ",
                                                      best, " ", shortfall.space)));
  return status;
}

std::optional<Shortfall> ShortfallOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayload);
  if (!payload.has_value()) return std::nullopt;
  const std::string text(*payload);
  const std::vector<std::string> parts = absl::StrSplit(text, absl::MaxSplits(' ', 3));
  Shortfall shortfall;
  int64_t best = 0;
  if (parts.size() != 4 || !absl::SimpleAtoi(parts[0], &shortfall.capacity_bytes) ||
      !absl::SimpleAtoi(parts[1], &shortfall.lower_bound_bytes)) {
    return std::nullopt;
  }
  if (absl::SimpleAtoi(parts[2], &best)) shortfall.best_bytes = best;
  shortfall.space = parts[3];
  return shortfall;
}

absl::Status Reworded(const absl::Status& status, absl::string_view message) {
  absl::Status reworded(status.code(), message);
  status.ForEachPayload([&](absl::string_view name, const absl::Cord& payload) { reworded.SetPayload(name, payload); });
  return reworded;
}

}  // namespace bufplan
