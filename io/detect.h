// Which of bufplan's formats a text is in, by its content.
//
// JSON begins with '{' and is told by its member "format"; what does not is CSV if its first line names the columns of
// MiniMalloc's format, and MLIR's text if what stands first, behind comments, is an op with a dot in its name, a module
// or an alias. The text is looked at no further than needed, so that a faulty file may be recognised; its reader says
// what is wrong.
//
// ERRORS: InvalidArgument: none of these; JSON that is faulty before "format" is found ("line 3, column 17: ..."), has
// none, or has an unknown one. COST: O(bytes before "format", or of leading comments). THREADS: no shared state.
#ifndef BUFPLAN_IO_DETECT_H_
#define BUFPLAN_IO_DETECT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace bufplan {

enum class FileFormat : uint8_t { kGraphJson, kPlanJson, kProblemJson, kGgmlDump, kProblemCsv, kIreeText };

absl::StatusOr<FileFormat> DetectFormat(absl::string_view text);

// "bufplan.graph", "bufplan.plan", "bufplan.problem", "ggml-graph", "CSV", "IREE stream text".
absl::string_view ToString(FileFormat format);

}  // namespace bufplan

#endif  // BUFPLAN_IO_DETECT_H_
