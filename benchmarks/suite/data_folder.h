// Where the problems of the suites lie: the folder benchmarks/data of the source tree.
//
// THREADS: no shared state.
#ifndef BUFPLAN_BENCHMARKS_SUITE_DATA_FOLDER_H_
#define BUFPLAN_BENCHMARKS_SUITE_DATA_FOLDER_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace bufplan {

struct DataFolder {
  std::string problems;  // minimalloc/, somas/ and iopddl/ are in there
  std::string ggml;      // ggml graphs: ggml/ in there, else tests/data/ggml of the same tree
};

// `given`, or benchmarks/data in the current folder, in that of the program, or in the first one above these that has
// it. ERRORS: NotFound, naming where it was looked for and the option --data.
absl::StatusOr<DataFolder> FindDataFolder(const std::optional<std::string>& given);

}  // namespace bufplan

#endif  // BUFPLAN_BENCHMARKS_SUITE_DATA_FOLDER_H_
