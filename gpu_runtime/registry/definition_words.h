// Words that definitions are written with.
#ifndef BUFPLAN_GPU_RUNTIME_REGISTRY_DEFINITION_WORDS_H_
#define BUFPLAN_GPU_RUNTIME_REGISTRY_DEFINITION_WORDS_H_

#include <initializer_list>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gpu_runtime/registry/kernel_definition.h"
#include "gpu_runtime/registry/kernel_spec.h"
#include "ir/expr.h"

namespace bufplan::runtime {

inline Parameter Needed(absl::string_view name, int64_t min = 1) { return {.name = name, .min = min}; }
inline Parameter Optional(absl::string_view name, int64_t value, int64_t min = 0) {
  return {.name = name, .required = false, .value = static_cast<double>(value), .min = min};
}
inline Parameter Flag(absl::string_view name, bool value) {
  return {.name = name, .required = false, .value = value ? 1.0 : 0.0, .max = 1};
}
inline Parameter Real(absl::string_view name, double value) {
  return {.name = name, .kind = ParameterKind::kReal, .required = false, .value = value};
}
inline Parameter Type(absl::string_view name) {
  return {.name = name, .kind = ParameterKind::kType, .required = false};
}
inline std::vector<OperandName> Names(std::initializer_list<absl::string_view> names) {
  std::vector<OperandName> all;
  for (absl::string_view n : names) all.push_back({std::string(n), absl::StrCat(n, "_offset")});
  return all;
}

// `name`, or `otherwise` where it is 0.
inline Expr IntegerOr(const KernelSpec& spec, absl::string_view name, const Expr& otherwise) {
  const Expr& e = IntegerOf(spec, name);
  return e == Expr(0) ? otherwise : e;
}
// rows * columns elements of f32 (or i32).
inline Expr FloatRows(const KernelSpec& spec) { return 4 * IntegerOf(spec, "rows") * IntegerOf(spec, "columns"); }

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_REGISTRY_DEFINITION_WORDS_H_
