// Interval problems as JSON ("bufplan.problem", version 1), see docs/design.md, section 3, and their plans.
//
//   {"format": "bufplan.problem", "version": 1, "name": "toy", "alignment": 64, "capacity": 4096,
//    "buffers": [
//     {"name": "a", "bytes": 100, "begin": 0, "end": 4, "alignment": 32, "offset": 0, "gaps": [[1, 2]], "hint": 7}]}
//
// "name", "alignment" (1), "capacity" (none; null is allowed) and, of a buffer, all after "end" may be absent. Writing
// is canonical, and reading what was written gives an equal Problem.
//
// A problem's plan is a "bufplan.plan" whose values are the buffers, all in the space "device", and which has no ops.
// Its fingerprint is that of the problem's canonical JSON.
//
// ERRORS (reading): InvalidArgument, "line 3, column 17: ..." or "at /buffers/3/bytes: ...".
// COST: O(text), and what ValidateProblem costs. THREADS: no shared state.
#ifndef BUFPLAN_IO_JSON_PROBLEM_H_
#define BUFPLAN_IO_JSON_PROBLEM_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/plan.h"
#include "ir/problem.h"

namespace bufplan {

absl::StatusOr<Problem> ReadProblemJson(absl::string_view text);

std::string WriteProblemJson(const Problem& problem);

// What a problem's plan file says beside offsets.
struct ProblemPlanFile {
  ProblemPlan plan;
  std::string fingerprint;                                   // of the problem, see ProblemFingerprint()
  std::vector<std::pair<std::string, std::string>> options;  // as given by the caller, name and value
  BoundKind bound = BoundKind::kLoad;
};

// A plan without a fingerprint gets that of the problem. Requires one offset per buffer.
std::string WriteProblemPlanJson(const Problem& problem, const ProblemPlanFile& file);

// ERRORS: InvalidArgument also for names that the problem does not have, has not in the plan, or that are listed twice.
// Whether the offsets are right is for the checker to say.
absl::StatusOr<ProblemPlanFile> ReadProblemPlanJson(absl::string_view text, const Problem& problem);

std::string ProblemFingerprint(const Problem& problem);

// ERRORS: InvalidArgument with both fingerprints.
absl::Status CheckProblemFingerprint(const Problem& problem, const ProblemPlanFile& file);

}  // namespace bufplan

#endif  // BUFPLAN_IO_JSON_PROBLEM_H_
