#include "ir/problem.h"

#include <cstddef>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/where.h"

namespace bufplan {
namespace {

bool IsPowerOfTwo(int64_t i) { return i >= 1 && (i & (i - 1)) == 0; }

std::string Text(const Buffer& b) { return absl::StrCat("buffer \"", absl::string_view(b.name).substr(0, 100), "\""); }

absl::Status CheckGaps(const Buffer& b, absl::string_view where) {
  int64_t from = b.begin;
  for (size_t i = 0; i < b.gaps.size(); ++i) {
    const TimeRange& gap = b.gaps[i];
    if (gap.begin < from || gap.end < gap.begin || gap.end > b.end) {
      return FaultAt(absl::StrCat(where, "/gaps/", i),
                     absl::StrCat(Text(b), ": gap [", gap.begin, ", ", gap.end, ") must be ascending and within [",
                                  from, ", ", b.end, "): the lifetime behind the gap before"));
    }
    from = gap.end;
  }
  return absl::OkStatus();
}

absl::Status CheckBuffer(const Problem& problem, const Buffer& b, absl::string_view where) {
  if (b.name.empty() || b.name.size() > 1024) {
    return FaultAt(absl::StrCat(where, "/name"),
                   absl::StrCat(Text(b), ": the name has ", b.name.size(), " bytes, must have 1..1024"));
  }
  if (b.bytes < 0) {
    return FaultAt(absl::StrCat(where, "/bytes"), absl::StrCat(Text(b), ": bytes=", b.bytes, ", must be >= 0"));
  }
  if (b.end < b.begin) {
    return FaultAt(absl::StrCat(where, "/end"), absl::StrCat(Text(b), ": end=", b.end, ", must be >= begin=", b.begin));
  }
  if (b.alignment_bytes.has_value() && !IsPowerOfTwo(*b.alignment_bytes)) {
    return FaultAt(absl::StrCat(where, "/alignment"),
                   absl::StrCat(Text(b), ": alignment=", *b.alignment_bytes, " bytes, must be a power of two"));
  }
  if (b.offset_bytes.has_value() && (*b.offset_bytes < 0 || *b.offset_bytes % problem.alignment(b) != 0)) {
    return FaultAt(absl::StrCat(where, "/offset"),
                   absl::StrCat(Text(b), ": offset=", *b.offset_bytes,
                                " bytes, must be a multiple >= 0 of its alignment ", problem.alignment(b)));
  }
  return CheckGaps(b, where);
}

}  // namespace

absl::Status ValidateProblem(const Problem& problem) {
  if (!IsPowerOfTwo(problem.alignment_bytes)) {
    return FaultAt("/alignment", absl::StrCat("alignment=", problem.alignment_bytes, " bytes, must be a power of two"));
  }
  if (problem.capacity_bytes.has_value() && *problem.capacity_bytes < 0) {
    return FaultAt("/capacity", absl::StrCat("capacity=", *problem.capacity_bytes, " bytes, must be >= 0"));
  }
  absl::flat_hash_map<absl::string_view, size_t> first_of_name;
  first_of_name.reserve(problem.buffers.size());
  int64_t sum_bytes = 0;  // Of aligned sizes and of what lies below pins: no offset + size exceeds it.
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& b = problem.buffers[i];
    const std::string where = absl::StrCat("/buffers/", i);
    absl::Status status = CheckBuffer(problem, b, where);
    if (!status.ok()) return status;
    const auto [first, is_new] = first_of_name.try_emplace(b.name, i);
    if (!is_new) {
      return FaultAt(absl::StrCat(where, "/name"), absl::StrCat(Text(b), ": buffers ", first->second, " and ", i,
                                                                " (from 0) have this name, must be unique"));
    }
    const int64_t slack = problem.alignment(b) - 1;
    int64_t aligned = 0;
    if (__builtin_add_overflow(b.bytes, slack, &aligned) ||
        __builtin_add_overflow(sum_bytes, aligned / (slack + 1) * (slack + 1), &sum_bytes) ||
        __builtin_add_overflow(sum_bytes, b.offset_bytes.value_or(0), &sum_bytes)) {
      return FaultAt(absl::StrCat(where, "/bytes"),
                     absl::StrCat(Text(b), ": the sum of sizes, aligned, and pinned offsets exceeds 64 bits"));
    }
  }
  return absl::OkStatus();
}

}  // namespace bufplan
