#include "io/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <limits>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace bufplan {
namespace {

constexpr size_t kMaxBytes = std::numeric_limits<uint32_t>::max();

absl::StatusOr<std::string> ReadAll(int file, const std::string& path) {
  std::string text;
  struct stat info;
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
      static_cast<uint64_t>(info.st_size) <= kMaxBytes) {
    text.reserve(static_cast<size_t>(info.st_size) + 1);
  }
  constexpr size_t kBlock = size_t{1} << 20;
  while (true) {
    const size_t size = text.size();
    if (size > kMaxBytes) return absl::ResourceExhaustedError(absl::StrCat(path, ": has over ", kMaxBytes, " bytes"));
    text.resize(size + kBlock);
    const ssize_t got = read(file, text.data() + size, kBlock);
    text.resize(size + (got > 0 ? static_cast<size_t>(got) : 0));
    if (got == 0) return text;
    if (got < 0 && errno != EINTR) return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot read"));
  }
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  if (path == "-") return ReadAll(STDIN_FILENO, "standard input");
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot open"));
  const absl::Cleanup closer = [file] { close(file); };
  return ReadAll(file, path);
}

}  // namespace bufplan
