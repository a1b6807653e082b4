// Functions of a library that is loaded while the program runs. So a program with GPU backends starts where there is
// neither driver nor toolkit, and says what is missing only when somebody asks for a GPU.
//
// LIFETIME: libraries stay loaded; drivers do not survive an unload.
#ifndef BUFPLAN_GPU_RUNTIME_GPU_COMMON_DRIVER_LIBRARY_H_
#define BUFPLAN_GPU_RUNTIME_GPU_COMMON_DRIVER_LIBRARY_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace bufplan::runtime {

// F: the function's type, as the library's header declares it.
template <class F>
struct DriverFunction {
  const char* name = nullptr;    // as people know it, "cuMemAlloc"
  const char* symbol = nullptr;  // as the library exports it, "cuMemAlloc_v2"
  F* call = nullptr;
};

// The first of the names or paths that the loader can load. ERRORS: Unavailable: what the loader says of the first.
absl::StatusOr<void*> OpenLibrary(absl::Span<const std::string> names);

// ERRORS: Unavailable: the library has no such symbol.
absl::StatusOr<void*> FindSymbol(void* library, const char* symbol);

template <class F>
absl::Status BindFunction(void* library, DriverFunction<F>& function) {
  const absl::StatusOr<void*> address = FindSymbol(library, function.symbol);
  if (address.ok()) function.call = reinterpret_cast<F*>(*address);
  return address.status();
}

// "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
absl::Status DriverError(absl::StatusCode code, absl::string_view function, absl::string_view name,
                         absl::string_view text);

}  // namespace bufplan::runtime

// For lists DO(member, function) of what an API uses: BUFPLAN_DECLARE_FUNCTION makes a list the members of a class. A
// header may define a function's name as a macro for the symbol ("cuMemAlloc" for "cuMemAlloc_v2"); both are kept.
#define BUFPLAN_SYMBOL_TEXT(symbol) #symbol
#define BUFPLAN_SYMBOL(function) BUFPLAN_SYMBOL_TEXT(function)
#define BUFPLAN_DECLARE_FUNCTION(member, function) \
  ::bufplan::runtime::DriverFunction<decltype(function)> member{#function, BUFPLAN_SYMBOL(function)};

#endif  // BUFPLAN_GPU_RUNTIME_GPU_COMMON_DRIVER_LIBRARY_H_
