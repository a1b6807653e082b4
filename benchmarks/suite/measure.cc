#include "benchmarks/suite/measure.h"

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace bufplan {
namespace {

constexpr size_t kMaxRuns = 9;
constexpr int64_t kEnoughNs = 500'000'000;

// What the process sends: this, and `message_bytes` of text.
struct Header {
  absl::StatusCode code = absl::StatusCode::kOk;
  int64_t bytes = 0, lower_bound = 0, chunks = 0, time_ns = 0, runs = 0, memory_bytes = -1;
  bool optimal = false;
  int64_t message_bytes = 0;
};

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// -1: the system does not say.
int64_t ResidentBytes() {
  int64_t size = 0, resident = -1;
  FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return -1;
  if (std::fscanf(file, "%ld %ld", &size, &resident) != 2) resident = -1;
  std::fclose(file);
  return resident < 0 ? -1 : resident * sysconf(_SC_PAGESIZE);
}

int64_t PeakResidentBytes() {
  rusage usage = {};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? int64_t{usage.ru_maxrss} * 1024 : -1;
}

// A new process has none of the program's pages mapped, and each that the method steps on would count as its memory.
void MapProgram() {
#ifdef MADV_POPULATE_READ
  dl_iterate_phdr(
      [](dl_phdr_info* object, size_t, void*) {
        const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
        for (size_t i = 0; i < object->dlpi_phnum; ++i) {
          const auto& segment = object->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
          const uintptr_t begin = (object->dlpi_addr + segment.p_vaddr) / page * page;
          const uintptr_t end = object->dlpi_addr + segment.p_vaddr + segment.p_memsz;
          // Older kernels refuse; then small figures are too high.
          madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_READ);
        }
        return 0;
      },
      nullptr);
#endif
}

Header RunAll(const BenchCase& bench_case, const Method& method, std::string& message) {
  Header header;
  const auto fail = [&](const absl::Status& status) {
    header.code = status.code();
    message = std::string(status.message());
    return header;
  };
  MapProgram();
  const int64_t before = ResidentBytes();
  std::vector<int64_t> times;
  int64_t start = NowNs();
  const absl::StatusOr<MethodResult> result = method.run(bench_case);
  times.push_back(NowNs() - start);
  const int64_t peak = PeakResidentBytes();
  if (!result.ok()) return fail(result.status());
  if (before >= 0 && peak >= 0) header.memory_bytes = std::max<int64_t>(peak - before, 0);
  if (absl::Status s = CheckResult(bench_case, *result); !s.ok()) return fail(s);
  for (int64_t sum = times[0]; times.size() < kMaxRuns && sum + times[0] < kEnoughNs; sum += times.back()) {
    start = NowNs();
    const absl::StatusOr<MethodResult> again = method.run(bench_case);
    times.push_back(NowNs() - start);
    if (!again.ok() || again->offset_bytes != result->offset_bytes || again->total_bytes != result->total_bytes) {
      return fail(absl::InternalError("another result when run again"));
    }
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  header.time_ns = times[times.size() / 2];
  header.runs = static_cast<int64_t>(times.size());
  header.bytes = result->total_bytes;
  header.lower_bound = result->lower_bound;
  header.optimal = result->optimal;
  header.chunks = static_cast<int64_t>(result->chunk_bytes.size());
  return header;
}

bool WriteAll(int fd, const void* data, size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = write(fd, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

bool ReadAll(int fd, void* data, size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = read(fd, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

absl::Status DeathOf(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return absl::InternalError(absl::StrCat("lost its process: ", strerror(errno)));
  }
  if (WIFSIGNALED(status)) return absl::InternalError(absl::StrCat("its process died by signal ", WTERMSIG(status)));
  if (WEXITSTATUS(status) == 0) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("its process ended with status ", WEXITSTATUS(status)));
}

}  // namespace

absl::StatusOr<Measurement> Measure(const BenchCase& bench_case, const Method& method) {
  malloc_trim(0);  // Memory that is held but free would hide what is allocated in it.
  int ends[2];
  if (pipe(ends) != 0) return absl::UnavailableError(absl::StrCat("no pipe: ", strerror(errno)));
  const pid_t child = fork();
  if (child < 0) {
    const int error = errno;
    close(ends[0]);
    close(ends[1]);
    return absl::UnavailableError(absl::StrCat("no process to measure in: ", strerror(error)));
  }
  if (child == 0) {
    close(ends[0]);
    std::string message;
    Header header = RunAll(bench_case, method, message);
    header.message_bytes = static_cast<int64_t>(message.size());
    const bool sent = WriteAll(ends[1], &header, sizeof(header)) && WriteAll(ends[1], message.data(), message.size());
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  Header header;
  std::string message;
  bool received = ReadAll(ends[0], &header, sizeof(header));
  if (received) {
    message.resize(static_cast<size_t>(header.message_bytes));
    received = ReadAll(ends[0], message.data(), message.size());
  }
  close(ends[0]);
  if (absl::Status s = DeathOf(child); !s.ok()) return s;
  if (!received) return absl::InternalError("its process said nothing");

  Measurement m;
  switch (header.code) {
    case absl::StatusCode::kOk: break;
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kResourceExhausted: m.skipped = message; return m;
    default: return absl::InternalError(message);
  }
  m.bytes = header.bytes;
  m.lower_bound = header.lower_bound;
  m.optimal = header.optimal;
  m.chunks = header.chunks;
  m.time_ns = header.time_ns;
  m.runs = header.runs;
  if (header.memory_bytes >= 0) m.memory_bytes = header.memory_bytes;
  return m;
}

}  // namespace bufplan
