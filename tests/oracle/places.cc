#include "tests/oracle/places.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace bufplan {
namespace {

constexpr int64_t kGapBytes = 1;

// Where the strided runs begin, relative to the first; absent unless they are `size` bytes together.
std::optional<std::vector<int64_t>> RunBegins(const Strides& strides, int64_t run, int64_t size,
                                              absl::Span<const int64_t> symbol_values) {
  int64_t total = run;
  std::vector<int64_t> begins = {0};
  for (const Dim& d : strides.dims) {
    const std::optional<int64_t> count = d.count.Evaluate(symbol_values),
                                 stride = d.stride_bytes.Evaluate(symbol_values);
    if (!count.has_value() || !stride.has_value() || *count <= 0 || total <= 0 || *count > size / total) {
      return std::nullopt;
    }
    total *= *count;
    std::vector<int64_t> next;
    for (int64_t begin : begins) {
      for (int64_t i = 0; i < *count; ++i) next.push_back(begin + i * *stride);
    }
    begins = std::move(next);
  }
  if (total != size) return std::nullopt;
  return begins;
}

}  // namespace

std::optional<std::vector<int64_t>> ByteOffsets(const Location& location, int64_t size,
                                                absl::Span<const int64_t> symbol_values) {
  if (size == 0) return std::vector<int64_t>();
  const std::optional<int64_t> first = location.offset_bytes.Evaluate(symbol_values);
  if (!first.has_value()) return std::nullopt;
  std::vector<int64_t> offsets;
  if (location.strides == nullptr) {
    for (int64_t b = 0; b < size; ++b) offsets.push_back(*first + b);
    return offsets;
  }
  const std::optional<int64_t> run = location.strides->run_bytes.Evaluate(symbol_values);
  if (!run.has_value()) return std::nullopt;
  const std::optional<std::vector<int64_t>> begins = RunBegins(*location.strides, *run, size, symbol_values);
  if (!begins.has_value()) return std::nullopt;
  for (int64_t begin : *begins) {
    for (int64_t b = 0; b < *run; ++b) offsets.push_back(*first + begin + b);
  }
  return offsets;
}

Places::Places(const Graph& graph, const Plan& plan, const ConcreteGraph& concrete)
    : symbol_values_(concrete.symbol_values) {
  for (const Arena& a : plan.arenas) {
    for (size_t c = 0; c < a.chunks.size(); ++c) {
      Add(Location::Kind::kArena, a.space.value, static_cast<int32_t>(c), std::max<int64_t>(0, a.chunks[c]));
    }
  }
  for (size_t v = 0; v < graph.values().size(); ++v) {
    const Role role = graph.values()[v].role;
    if (role == Role::kTransient || role == Role::kInput) continue;
    Add(Location::Kind::kCaller, static_cast<int32_t>(v), 0, concrete.bytes[v]);
  }
}

void Places::Add(Location::Kind kind, int32_t memory, int32_t chunk, int64_t size) {
  memories_[{static_cast<int>(kind), memory, chunk}] = {num_bytes_, size};
  num_bytes_ += size + kGapBytes;
}

absl::StatusOr<std::vector<int64_t>> Places::Find(const Location& location, int64_t size) const {
  if (size == 0) return std::vector<int64_t>();
  const auto memory = memories_.find({static_cast<int>(location.kind), location.memory, location.chunk});
  if (memory == memories_.end()) return absl::FailedPreconditionError("has no place");
  std::optional<std::vector<int64_t>> bytes = ByteOffsets(location, size, symbol_values_);
  if (!bytes.has_value()) return absl::FailedPreconditionError("has no place: no offset, or strides of another size");
  const auto [first, last] = std::minmax_element(bytes->begin(), bytes->end());
  if (*first < 0 || *last >= memory->second.size) {
    return absl::FailedPreconditionError(absl::StrCat("lies from byte ", *first, " to ", *last, " of a memory of ",
                                                      memory->second.size, " bytes, and leaves it"));
  }
  for (int64_t& b : *bytes) b += memory->second.begin;
  std::vector<int64_t> sorted = *bytes;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    return absl::FailedPreconditionError("has two bytes in one place");
  }
  return *std::move(bytes);
}

std::vector<int64_t> Places::OfCaller(ValueId owner) const {
  const auto memory = memories_.find({static_cast<int>(Location::Kind::kCaller), owner.value, 0});
  if (memory == memories_.end()) return {};
  std::vector<int64_t> bytes(static_cast<size_t>(memory->second.size));
  std::iota(bytes.begin(), bytes.end(), memory->second.begin);
  return bytes;
}

}  // namespace bufplan
