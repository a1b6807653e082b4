// IREE dumps for tests.
#ifndef BUFPLAN_TESTS_IO_IREE_SAMPLE_H_
#define BUFPLAN_TESTS_IO_IREE_SAMPLE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "io/iree_graph.h"

namespace bufplan {

// A module with the mutable resource globals @K and @Q, the immutable one @W and the index globals @step (mutable),
// @five (immutable, 5), and a function @f with resource arguments %x and %y, an index argument %n, constants %c0, %c4,
// %c16, %c64, %c128, the step as %s and 16 times it as %s16, and this body. The body begins on line 10.
std::string IreeFunctionText(absl::string_view body, absl::string_view before = "");

// Imports IreeFunctionText with step in 0..7 and n in 1..8.
absl::StatusOr<IreeImport> ImportIree(absl::string_view body, absl::string_view before = "");

// The line of the graph's JSON that has the op or value `name`, without indentation and comma; what went wrong if the
// import failed.
std::string IreeLine(const absl::StatusOr<IreeImport>& import, absl::string_view name);

// Of an import that fails.
std::string IreeError(absl::string_view body, absl::string_view before = "");

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_IO_IREE_SAMPLE_H_
