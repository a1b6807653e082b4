#include "gpu_runtime/registry/fused_norm_definitions.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpu_runtime/kernels/norm.h"
#include "gpu_runtime/registry/fused_words.h"
#include "gpu_runtime/registry/row_definitions.h"

namespace bufplan::runtime {
namespace {

// Which member is what.
struct Parts {
  std::optional<size_t> add, mul, rope;
  size_t norm = 0;
};
Parts PartsOf(Chain chain) {
  Parts parts;
  for (size_t i = 0; i < chain.size(); ++i) {
    const absl::string_view name = chain[i].op->definition->name;
    if (name == "add") parts.add = i;
    if (name == "rms_norm") parts.norm = i;
    if (name == "mul") parts.mul = i;
    if (name == "rope") parts.rope = i;
  }
  return parts;
}

bool NormMatches(Chain chain) {
  const Parts parts = PartsOf(chain);
  const ChainMember& norm = chain[parts.norm];
  if (parts.add.has_value() && CountOf(chain[*parts.add]) != CountOf(norm)) return false;
  if (parts.mul.has_value()) {
    const ChainMember& mul = chain[*parts.mul];
    if (CountOf(mul) != CountOf(norm) || !IsFull(mul, mul.link)) return false;
  }
  if (parts.rope.has_value()) {
    const ChainMember& rope = chain[*parts.rope];
    const Expr &columns = IntegerOf(norm, "columns"), &head_dim = IntegerOf(rope, "head_dim");
    if (rope.link != 0 || !columns.is_constant() || columns.constant() % head_dim.constant() != 0) return false;
    if (IntegerOf(rope, "rows") * IntegerOf(rope, "heads") * head_dim != CountOf(norm)) return false;
  }
  // Of the values between, only the sum can be written.
  for (size_t i = 0; i + 1 < chain.size(); ++i) {
    if (chain[i].kept && parts.add != i) return false;
  }
  return true;
}

std::vector<FusedInPlaceRule> NormInPlace(Chain chain) {
  const Parts parts = PartsOf(chain);
  std::vector<FusedInPlaceRule> rules;
  const auto allow = [&](size_t member, size_t read) {
    rules.push_back({chain.size() - 1, 0, member, read});
    if (parts.add == member && chain[member].kept) rules.push_back({member, 0, member, read});
  };
  if (parts.add.has_value()) {
    allow(*parts.add, 0);
    if (IsFull(chain[*parts.add], 1)) allow(*parts.add, 1);
  } else {
    allow(parts.norm, 0);
  }
  if (parts.mul.has_value()) {
    const size_t weight = 1 - chain[*parts.mul].link;
    if (IsFull(chain[*parts.mul], weight)) allow(*parts.mul, weight);
  }
  return rules;
}

void LaunchNorm(Device& device, StreamHandle stream, Chain chain, absl::Span<const Launch> launches) {
  const Parts parts = PartsOf(chain);
  const Launch& norm = launches[parts.norm];
  FusedRmsNorm::Args args{.x = norm.read<float>(0),
                          .y = launches.back().write<float>(0),
                          .columns = norm.integer("columns"),
                          .addend_period = 1,
                          .weight_period = 1,
                          .epsilon = norm.real("epsilon")};
  if (parts.add.has_value()) {
    const Launch& add = launches[*parts.add];
    args.x = add.read<float>(0);
    args.addend = add.read<float>(1);
    args.addend_period = BinaryPeriod(add, 1);
    args.sum = add.write<float>(0);  // null if nobody else uses it
  }
  if (parts.mul.has_value()) {
    const size_t weight = 1 - chain[*parts.mul].link;
    args.weight = launches[*parts.mul].read<float>(weight);
    args.weight_period = BinaryPeriod(launches[*parts.mul], weight);
  }
  if (parts.rope.has_value()) {
    const Launch& rope = launches[*parts.rope];
    args.positions = rope.read<int32_t>(1);
    args.rope_heads = rope.integer("heads");
    args.rope = RopeShapeOf(rope);
  }
  device.Launch<FusedRmsNorm>(stream, norm.integer("rows"), args);
}

FusedDefinition Norm(absl::string_view name, std::vector<absl::string_view> members) {
  return {.name = name,
          .members = std::move(members),
          .matches = NormMatches,
          .in_place = NormInPlace,
          .launch = LaunchNorm};
}

}  // namespace

std::vector<FusedDefinition> FusedNormKernels() {
  return {Norm("rms_norm_mul", {"rms_norm", "mul"}), Norm("rms_norm_mul_rope", {"rms_norm", "mul", "rope"}),
          Norm("add_rms_norm", {"add", "rms_norm"}), Norm("add_rms_norm_mul", {"add", "rms_norm", "mul"})};
}

}  // namespace bufplan::runtime
