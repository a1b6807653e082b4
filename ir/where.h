// Where a fault lies: a JSON pointer ("/ops/3/reads/1") into the JSON form of a graph or problem, carried by a status.
#ifndef BUFPLAN_IR_WHERE_H_
#define BUFPLAN_IR_WHERE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"

namespace bufplan {

inline constexpr absl::string_view kWherePayload = "bufplan/where";

// InvalidArgument with this message and place.
inline absl::Status FaultAt(absl::string_view where, absl::string_view message) {
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kWherePayload, absl::Cord(where));
  return status;
}

// The place that a status carries; empty if none.
inline std::string FaultPlace(const absl::Status& status) {
  const auto payload = status.GetPayload(kWherePayload);
  return payload.has_value() ? std::string(*payload) : std::string();
}

}  // namespace bufplan

#endif  // BUFPLAN_IR_WHERE_H_
