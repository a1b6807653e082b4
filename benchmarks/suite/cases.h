// The suites and their problems.
//
//   hard    benchmarks/data/minimalloc: eleven problems that greedy orders do not solve
//   real    problems of networks: benchmarks/data/somas, benchmarks/data/iopddl, and the ggml graphs, as graphs and as
//           the interval problems that the storages of their plans make (see graph_intervals.h)
//   known   cut from a rectangle, so that the best placement is known (see benchmarks/cut_rectangle.h)
//   chunks  the interval problems of the larger ggml graphs in chunks of at most 64, 256 or 512 MiB, or, where a buffer
//           is larger than 64 MiB, of the next multiple of 8 MiB
//   scale   made at random, 10^3 to 10^6 buffers (see benchmarks/random_problem.h), and 10^7 if asked for
//
// THREADS: no shared state.
#ifndef BUFPLAN_BENCHMARKS_SUITE_CASES_H_
#define BUFPLAN_BENCHMARKS_SUITE_CASES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "benchmarks/suite/data_folder.h"
#include "ir/graph.h"
#include "ir/problem.h"

namespace bufplan {

inline constexpr absl::string_view kSuites[] = {"hard", "real", "known", "chunks", "scale"};

struct BenchCase {
  Problem problem;
  std::shared_ptr<const Graph> graph;  // what the problem is of; null: it is of none
  std::optional<int64_t> max_chunk_bytes;
};

// One problem, which is read or made when it is asked for.
struct CaseSource {
  std::string suite, name;
  std::function<absl::StatusOr<BenchCase>()> load;  // ERRORS: InvalidArgument, with the file
};

using FileReader = std::function<absl::StatusOr<std::string>(const std::string& path)>;

// Whether problems of the suite are read from files.
bool NeedsData(absl::string_view suite);

// The problems of one of kSuites. `data` counts only if the suite needs it. `read` outlives the result.
std::vector<CaseSource> CasesOf(absl::string_view suite, const DataFolder& data, const FileReader& read, bool huge);

}  // namespace bufplan

#endif  // BUFPLAN_BENCHMARKS_SUITE_CASES_H_
