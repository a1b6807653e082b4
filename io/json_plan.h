// Plans as JSON ("bufplan.plan", version 1), see docs/design.md, section 4.
//
// A place is `"in"`, `"chunk"` (left out when 0) and `"offset"`: "in" names a space, or a constant, external or
// variable of the graph. If a space and such a value bear one name, the name means the space, and a place in the value
// says `"owner": true` besides. A value whose bytes are strided runs also has "run" and "dims", as a region does:
//
//   {"name": "c", "in": "K", "offset": 0, "run": 256, "dims": [[32, 256], ["s + 1", 8192]], ...}
//
// A value without bytes has `"in": null`: a fused group swallows it, or the data movement that makes it is elided and
// nobody reads it. "first" and "last" of a value are names of ops, or null: it is there before the first op, or after
// the last.
//
// "ops" lists what there is to say: an entry per note (several for an op with several results, each then with
// "result"), and "scratch" in the op's first entry. Ops without a note and without scratch are not listed. The action
// "elided" of an entry without "result" is the op's mark; it needs no "why".
//
// Writing is canonical. Reading gives notes as texts (Why::kText); writing the plan that was read gives the same bytes.
//
// ERRORS (ReadPlanJson): InvalidArgument, "line 3, column 17: ..." or "at /values/3/in: ...": faulty JSON, unknown
// keys, or names that the graph does not have, or names listed twice. Whether the plan is right is not asked here: a
// value without an entry gets Location::kNone, a fusion without one is separate, and the checker says what that means.
// A fingerprint that is not the graph's is no error here (CheckFingerprint() in io/fingerprint.h says so), but such a
// plan fits no graph; one of this graph Fits() what it did when it was made. COST: O(text), and Fingerprint(). THREADS:
// no shared state.
#ifndef BUFPLAN_IO_JSON_PLAN_H_
#define BUFPLAN_IO_JSON_PLAN_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan {

// A plan without a fingerprint gets that of the graph.
std::string WritePlanJson(const Graph& graph, const Plan& plan);

absl::StatusOr<Plan> ReadPlanJson(absl::string_view text, const Graph& graph);

}  // namespace bufplan

#endif  // BUFPLAN_IO_JSON_PLAN_H_
