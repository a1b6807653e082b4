// Writes a file whole or not at all, or writes to standard output for the path "-".
//
// The text goes into a temporary file in the same folder, which then takes the place of `path` in one step: a reader
// sees the old content or the new, and after an error or a crash the old is still there. A symbolic link stays one and
// its target is replaced; what is no regular file (/dev/null, a pipe) is written to directly. An existing file keeps
// its permissions.
//
// ERRORS: NotFound, PermissionDenied, ResourceExhausted, ... with the path and what the system says.
#ifndef BUFPLAN_IO_WRITE_FILE_H_
#define BUFPLAN_IO_WRITE_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace bufplan {

absl::Status WriteFile(const std::string& path, absl::string_view text);

}  // namespace bufplan

#endif  // BUFPLAN_IO_WRITE_FILE_H_
