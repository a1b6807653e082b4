// What must hold of each reader for any bytes whatever: no crash; a refusal is InvalidArgument or ResourceExhausted
// with a message; and what is accepted survives writing and reading unchanged. For libFuzzer and for readers_test.
//
// Each function returns OK if that holds for `data`, else what does not.
#ifndef BUFPLAN_TESTS_FUZZ_READERS_H_
#define BUFPLAN_TESTS_FUZZ_READERS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace bufplan {

absl::Status FuzzGraphJson(absl::string_view data);
// Read as plans of the graph kPlannedGraph.
absl::Status FuzzPlanJson(absl::string_view data);
absl::Status FuzzProblemJson(absl::string_view data);
// Read as plans of the problem kPlannedProblem.
absl::Status FuzzProblemPlanJson(absl::string_view data);
absl::Status FuzzCsv(absl::string_view data);
absl::Status FuzzGgml(absl::string_view data);
// With ranges for the symbols that the seeds of readers_test have.
absl::Status FuzzIree(absl::string_view data);
absl::Status FuzzDetect(absl::string_view data);
absl::Status FuzzSymbolOverrides(absl::string_view data);

extern const absl::string_view kPlannedGraph;
extern const absl::string_view kPlannedProblem;

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_FUZZ_READERS_H_
