// Reads a whole file, or standard input for the path "-".
//
// ERRORS: NotFound, PermissionDenied or Unavailable with the path and what the system says; ResourceExhausted above 4
// GiB.
#ifndef BUFPLAN_IO_READ_FILE_H_
#define BUFPLAN_IO_READ_FILE_H_

#include <string>

#include "absl/status/statusor.h"

namespace bufplan {

absl::StatusOr<std::string> ReadFile(const std::string& path);

}  // namespace bufplan

#endif  // BUFPLAN_IO_READ_FILE_H_
