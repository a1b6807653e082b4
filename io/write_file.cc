#include "io/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

namespace bufplan {
namespace {

absl::Status Failed(absl::string_view path, absl::string_view what) {
  return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot ", what));
}

absl::Status WriteAll(int file, absl::string_view path, absl::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) return Failed(path, "write");
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

// Writes into what is there and stays there: a device or a pipe.
absl::Status WriteInto(const std::string& path, absl::string_view text) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return Failed(path, "open");
  absl::Status status = WriteAll(file, path, text);
  if (close(file) != 0 && status.ok()) return Failed(path, "write");
  return status;
}

// The permissions of a new file: what the process's mask leaves.
mode_t NewFileMode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

absl::Status Replace(const std::string& path, mode_t mode, absl::string_view text) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  std::string temporary = absl::StrCat(path, ".XXXXXX");
  const int file = mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0) return Failed(path, "write");
  bool keep = false;
  const absl::Cleanup remover = [&] {
    if (!keep) unlink(temporary.c_str());
  };
  absl::Status status = WriteAll(file, path, text);
  if (status.ok() && fchmod(file, mode) != 0) status = Failed(path, "set the permissions");
  if (status.ok() && fsync(file) != 0) status = Failed(path, "write");
  if (close(file) != 0 && status.ok()) status = Failed(path, "write");
  if (status.ok() && rename(temporary.c_str(), path.c_str()) != 0) status = Failed(path, "write");
  if (!status.ok()) return status;
  keep = true;
  const int directory = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    fsync(directory);  // Not every file system can; the content is safe already.
    close(directory);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteFile(const std::string& path, absl::string_view text) {
  if (path == "-") return WriteAll(STDOUT_FILENO, "standard output", text);
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return Replace(path, NewFileMode(), text);
  if (S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return Failed(path, "write");
  }
  if (!S_ISREG(info.st_mode)) return WriteInto(path, text);
  char* const target = realpath(path.c_str(), nullptr);
  if (target == nullptr) return Failed(path, "resolve");
  const absl::Cleanup freer = [target] { free(target); };
  return Replace(target, info.st_mode & 07777, text);
}

}  // namespace bufplan
