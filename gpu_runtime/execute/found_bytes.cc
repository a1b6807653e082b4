#include "gpu_runtime/execute/found_bytes.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "gpu_runtime/execute/origin.h"
#include "gpu_runtime/kernels/mix.h"

namespace bufplan::runtime {
namespace {

constexpr size_t kLeastAlike = 4;

std::string Hex(std::byte b) { return absl::StrCat(absl::Hex(static_cast<unsigned>(b), absl::kZeroPad2)); }

}  // namespace

std::string FoundBytes::OriginText(ValueId value, int64_t byte) const {
  const Origin origin = OriginOf(graph_, reference_.sizes(), value, byte);
  const std::optional<OpId> producer = graph_.producer(origin.value);
  return absl::StrCat("of value \"", graph_.name(origin.value), "\" byte ", origin.byte,
                      producer.has_value() ? absl::StrCat(", written by op \"", graph_.name(*producer), "\"")
                                           : std::string(", there at the start"));
}

absl::Status FoundBytes::Content(ValueId v, bool owner, int64_t byte, absl::Span<std::byte> to) const {
  if (owner) {
    // What lies there at the start; a commit may have changed it since.
    const uint64_t seed = SeedOfValue(graph_, v, seed_);
    for (size_t b = 0; b < to.size(); ++b) to[b] = MixedByte(seed, byte + static_cast<int64_t>(b));
    return absl::OkStatus();
  }
  device_.CopyOut(reference_.stream(), to.data(), reference_.address(v) + byte, static_cast<int64_t>(to.size()));
  return device_.Synchronize();
}

absl::StatusOr<std::string> FoundBytes::FoundText(int32_t memory, int64_t offset,
                                                  absl::Span<const std::byte> found) const {
  bool garbage = memory >= 0;
  for (size_t i = 0; i < found.size(); ++i) {
    garbage = garbage && found[i] == MixedByte(kGarbageSeed, offset + static_cast<int64_t>(i));
  }
  if (garbage) return std::string("garbage, as nothing is there yet, or nobody needs it any more");
  size_t longest = 0;
  std::string text = "of unknown origin";
  const Layout& planned = planned_.program().layout;
  for (size_t i = 0; i < graph_.values().size() && memory >= 0; ++i) {
    const ValueId v(static_cast<int32_t>(i));
    const bool owner = planned.of_caller[i] == memory;
    const Place& place = planned.of(v);
    if (!owner && (place.memory != memory || place.strided() || reference_.address(v) == nullptr)) continue;
    const int64_t byte = owner ? offset : offset - place.shape.at, size = reference_.sizes().value_bytes[i];
    if (byte < 0 || byte >= size) continue;
    std::byte there[8] = {};
    const size_t most = std::min({sizeof(there), found.size(), static_cast<size_t>(size - byte)});
    if (absl::Status s = Content(v, owner, byte, absl::MakeSpan(there, most)); !s.ok()) return s;
    const size_t same = static_cast<size_t>(std::mismatch(there, there + most, found.begin()).first - there);
    // A byte or two may be equal by chance.
    if (same <= longest || same < std::min(kLeastAlike, found.size())) continue;
    longest = same;
    text = OriginText(v, byte);
  }
  return text;
}

absl::StatusOr<std::string> FoundBytes::Describe(ValueId value, int64_t byte, int32_t memory, int64_t offset,
                                                 absl::Span<const std::byte> expected,
                                                 absl::Span<const std::byte> found) const {
  absl::StatusOr<std::string> whose = FoundText(memory, offset, found);
  if (!whose.ok()) return whose.status();
  return absl::StrCat("expected ", Hex(expected[0]), ", ", OriginText(value, byte), "; found ", Hex(found[0]), ", ",
                      *whose);
}

}  // namespace bufplan::runtime
