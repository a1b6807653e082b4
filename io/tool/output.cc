#include "io/tool/output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "io/tool/load.h"
#include "io/write_file.h"

namespace bufplan {

bool IsCsvPath(const std::string& path) { return absl::EndsWith(absl::AsciiStrToLower(path), ".csv"); }

bool SameFile(const std::string& a, const std::string& b) {
  struct stat x, y;
  return a != "-" && b != "-" && stat(a.c_str(), &x) == 0 && stat(b.c_str(), &y) == 0 && S_ISREG(x.st_mode) &&
         x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

absl::Status CheckOutputPath(const std::string& path) {
  if (path == "-") return absl::OkStatus();
  const auto refuse = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(PathText(path), ": cannot write: ", what));
  };
  if (path.empty()) return absl::InvalidArgumentError("the name of the output file is empty");
  struct stat info;
  if (stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) return refuse(strerror(EISDIR));
    if (!S_ISREG(info.st_mode)) return access(path.c_str(), W_OK) == 0 ? absl::OkStatus() : refuse(strerror(errno));
  } else if (errno != ENOENT) {
    return refuse(strerror(errno));
  }
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  if (stat(folder.c_str(), &info) == 0 && !S_ISDIR(info.st_mode)) return refuse(strerror(ENOTDIR));
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    return refuse(absl::StrCat("folder ", PathText(folder), ": ", strerror(errno)));
  return absl::OkStatus();
}

absl::Status WriteOutput(const std::string& path, absl::string_view text, const ToolIo& io) {
  if (path == "-") return WriteResult(text, io);
  const absl::Status status = WriteFile(path, text);
  return status.ok() ? status : InFile(path, status);
}

absl::Status WriteResult(absl::string_view text, const ToolIo& io) {
  const absl::Status status = io.write_out(text);
  return status.ok() ? status : absl::InvalidArgumentError(status.message());
}

}  // namespace bufplan
