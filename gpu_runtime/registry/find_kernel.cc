#include "gpu_runtime/registry/find_kernel.h"

#include <algorithm>
#include <string>
#include <utility>

#include "gpu_runtime/registry/elementwise_definitions.h"
#include "gpu_runtime/registry/product_definitions.h"
#include "gpu_runtime/registry/row_definitions.h"

namespace bufplan::runtime {
namespace {

bool ByName(const KernelDefinition& a, const KernelDefinition& b) { return a.name < b.name; }

}  // namespace

absl::Span<const KernelDefinition> AllKernels() {
  static const std::vector<KernelDefinition>& all = *[] {
    auto* kernels = new std::vector<KernelDefinition>;
    for (auto* theme : {&ElementwiseKernels, &RowKernels, &ProductKernels}) {
      for (KernelDefinition& d : theme()) kernels->push_back(std::move(d));
    }
    std::sort(kernels->begin(), kernels->end(), ByName);
    return kernels;
  }();
  return all;
}

const KernelDefinition* FindKernel(absl::string_view name) {
  for (const KernelDefinition& d : AllKernels()) {
    if (d.name == name) return &d;
  }
  return nullptr;
}

KernelSpec Completed(const KernelDefinition& definition, KernelSpec spec) {
  for (const Parameter& p : definition.parameters) {
    if (p.required) continue;
    switch (p.kind) {
      case ParameterKind::kInteger:
        spec.integers.try_emplace(std::string(p.name), static_cast<int64_t>(p.value));
        break;
      case ParameterKind::kReal: spec.reals.try_emplace(std::string(p.name), p.value); break;
      case ParameterKind::kType: spec.types.try_emplace(std::string(p.name), ElementType::kF32); break;
    }
  }
  for (const auto* side : {&definition.reads, &definition.writes}) {
    for (const OperandName& o : *side) spec.integers.try_emplace(o.offset, 0);
  }
  return spec;
}

std::vector<InPlaceRule> InPlaceRulesOf(const KernelDefinition& definition, const KernelSpec& spec) {
  if (definition.in_place == nullptr) return {};
  std::vector<InPlaceRule> rules = definition.in_place(spec);
  std::erase_if(rules, [&](const InPlaceRule& r) {
    return r.mode == InPlaceMode::kSameIndex &&
           IntegerOf(spec, definition.reads[r.read].offset) != IntegerOf(spec, definition.writes[r.write].offset);
  });
  return rules;
}

std::vector<InPlaceRule> InPlaceRulesOf(const KernelSpec& spec) {
  const KernelDefinition* definition = FindKernel(spec.kernel);
  if (definition == nullptr) return {};
  const KernelSpec completed = Completed(*definition, spec);
  for (const Parameter& p : definition->parameters) {
    if (p.required && !completed.integers.contains(p.name)) return {};
  }
  return InPlaceRulesOf(*definition, completed);
}

}  // namespace bufplan::runtime
