// What the body of a stream.executable tells of the kernel that a dispatch calls.
//
// A binding of a kernel is an argument whose stream.binding.subspan says readonly, writeonly or readwrite. A kernel
// that does nothing but load one tensor and store it, with any offsets, sizes and strides, is a movement of strided
// boxes:
//
//   %0 = stream.binding.subspan %arg0[%c0] : ... -> !flow.dispatch.tensor<readonly:tensor<32x?x128xf16>>{%n}
//   %2 = flow.dispatch.tensor.load %0, offsets = [0, %s, 0], sizes = [32, 1, 128], strides = [1, 1, 1] : ...
//   flow.dispatch.tensor.store %2, %1, offsets = [0, 0], sizes = [32, 128], strides = [1, 1] : ...
//
//   [256*s, 256*s + 256) x 32 every 256*n of argument 0  ->  [0, 8192) of argument 1
//
// Kernels whose text is absent or cannot be followed are opaque: nothing is known of them.
// COST: a body is parsed once, when it is first asked for; a use of it costs what at most 256 of its ops cost.
// THREADS: one at a time. LIFETIME: that of text and module.
#ifndef BUFPLAN_IO_IREE_KERNEL_H_
#define BUFPLAN_IO_IREE_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "io/iree_ast.h"
#include "io/iree_scalar.h"
#include "ir/expr.h"
#include "ir/graph.h"

namespace bufplan {

enum class IreeAccess : uint8_t { kUnknown, kReadOnly, kWriteOnly, kReadWrite };

// Bytes of an argument's binding that the kernel loads or stores.
struct IreeTouch {
  size_t argument = 0;
  Region region;                // from the binding's first byte
  absl::string_view type_text;  // of the tensor: "tensor<32x?x128xf16>"
};

struct IreeKernelUse {
  std::vector<IreeAccess> access;  // by argument
  std::vector<IreeTouch> touches;  // those that can be told, in the order of the text
  // The kernel only moves touches[0] to touches[1], in row-major order of both.
  bool is_move = false;
};

class IreeKernels {
 public:
  IreeKernels(const IreeText& text, const IreeModule& module);
  ~IreeKernels();

  // Of @executable::@entry, called with these arguments (what is no integer: unknown), then bindings of results.
  // nullptr: opaque. The answer lives until the next call.
  const IreeKernelUse* Use(absl::string_view executable, absl::string_view entry,
                           absl::Span<const IreeScalar> arguments, absl::Span<const Symbol> symbols);

 private:
  struct Kernel;
  struct Executable;
  Executable& ExecutableOf(absl::string_view name);
  std::unique_ptr<Kernel> Digest(const IreeFunction& function) const;

  const IreeText& text_;
  const IreeModule& module_;
  absl::flat_hash_map<absl::string_view, std::unique_ptr<Executable>> executables_;
  IreeKernelUse use_;
};

}  // namespace bufplan

#endif  // BUFPLAN_IO_IREE_KERNEL_H_
