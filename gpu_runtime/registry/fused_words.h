// Words that definitions of fused kernels are written with.
#ifndef BUFPLAN_GPU_RUNTIME_REGISTRY_FUSED_WORDS_H_
#define BUFPLAN_GPU_RUNTIME_REGISTRY_FUSED_WORDS_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "gpu_runtime/registry/definition_words.h"
#include "gpu_runtime/registry/fused_definition.h"
#include "gpu_runtime/registry/launch.h"
#include "ir/expr.h"

namespace bufplan::runtime {

inline Expr IntegerOf(const ChainMember& m, absl::string_view name) { return IntegerOf(m.op->spec, name); }

// Elements of the operands of an "add" or "mul", and of one of them.
inline Expr CountOf(const ChainMember& m) { return IntegerOf(m, "rows") * IntegerOf(m, "columns"); }
inline Expr BinaryPeriod(const ChainMember& m, size_t slot) {
  return slot == 0 ? CountOf(m) : IntegerOr(m.op->spec, "b_rows", IntegerOf(m, "rows")) * IntegerOf(m, "columns");
}
inline bool IsFull(const ChainMember& m, size_t slot) { return BinaryPeriod(m, slot) == CountOf(m); }
// The same at a call.
inline int64_t BinaryPeriod(const Launch& l, size_t slot) {
  const int64_t b_rows = l.integer("b_rows"), rows = l.integer("rows");
  return (slot == 0 || b_rows == 0 ? rows : b_rows) * l.integer("columns");
}

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_REGISTRY_FUSED_WORDS_H_
