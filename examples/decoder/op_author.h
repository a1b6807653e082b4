// Adds ops that run kernels to a graph, each with what its kernel says of places, and with its kernel as an attribute
// (io/tool/kernel_attrs.h).
#ifndef BUFPLAN_EXAMPLES_DECODER_OP_AUTHOR_H_
#define BUFPLAN_EXAMPLES_DECODER_OP_AUTHOR_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu_runtime/registry/kernel_spec.h"
#include "ir/expr.h"
#include "ir/graph.h"
#include "ir/graph_builder.h"
#include "ir/id.h"

namespace bufplan::decoder {

// LIFETIME: refers to both. Specs are appended op by op; ops that are added to the builder directly are told by
// Moved().
class OpAuthor {
 public:
  OpAuthor(GraphBuilder& builder, std::vector<std::optional<runtime::KernelSpec>>& specs, std::vector<Symbol> symbols)
      : b_(builder), specs_(specs), symbols_(std::move(symbols)) {}

  // The spec without its kernel's name. Results are called NAME.y, NAME.y1, ...; each may lie on every operand that the
  // kernel allows and that is read once.
  Results Add(const std::string& name, const std::string& kernel, std::vector<Operand> reads, std::vector<Expr> bytes,
              runtime::KernelSpec spec, OpOptions options = {});
  // One result, NAME.y: `base` with a region overwritten.
  ValueId AddInto(const std::string& name, const std::string& kernel, std::vector<Operand> reads, ValueId base,
                  Region region, runtime::KernelSpec spec, OpOptions options = {});
  // After a data movement, which runs no kernel; `result` given back.
  ValueId Moved(ValueId result);

 private:
  GraphBuilder& b_;
  std::vector<std::optional<runtime::KernelSpec>>& specs_;
  std::vector<Symbol> symbols_;
};

}  // namespace bufplan::decoder

#endif  // BUFPLAN_EXAMPLES_DECODER_OP_AUTHOR_H_
