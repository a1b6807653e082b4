#include "benchmarks/suite/data_folder.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "io/explain/text_table.h"

namespace bufplan {
namespace {

namespace fs = std::filesystem;

bool IsFolder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool HasProblems(const fs::path& folder) {
  return IsFolder(folder / "minimalloc") && IsFolder(folder / "somas") && IsFolder(folder / "iopddl");
}

DataFolder FolderAt(const fs::path& folder) {
  fs::path ggml = folder / "ggml";
  const fs::path of_tests = folder / ".." / ".." / "tests" / "data" / "ggml";
  if (!IsFolder(ggml) && IsFolder(of_tests)) ggml = of_tests;
  return {folder.string(), ggml.string()};
}

}  // namespace

absl::StatusOr<DataFolder> FindDataFolder(const std::optional<std::string>& given) {
  if (given.has_value()) {
    if (HasProblems(*given)) return FolderAt(*given);
    return absl::NotFoundError(absl::StrCat("option --data: ", InQuotes(*given),
                                            " is no folder that has minimalloc, somas and iopddl, as benchmarks/data "
                                            "of the source tree has"));
  }
  std::error_code error;
  const fs::path current = fs::current_path(error), program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& start : {current, program}) {
    for (fs::path folder = start; !folder.empty(); folder = folder.parent_path()) {
      if (HasProblems(folder / "benchmarks" / "data")) return FolderAt(folder / "benchmarks" / "data");
      if (folder == folder.root_path()) break;
    }
  }
  return absl::NotFoundError(absl::StrCat("there is no benchmarks/data in ", InQuotes(current.string()), ", ",
                                          InQuotes(program.string()),
                                          " or above them; name the one of the source tree with --data"));
}

}  // namespace bufplan
