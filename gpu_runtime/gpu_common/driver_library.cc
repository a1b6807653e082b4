#include "gpu_runtime/gpu_common/driver_library.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"

namespace bufplan::runtime {
namespace {

std::string LoaderError() {
  const char* text = dlerror();
  return text != nullptr ? text : "the loader does not say why";
}

}  // namespace

absl::StatusOr<void*> OpenLibrary(absl::Span<const std::string> names) {
  std::string first_error;
  for (const std::string& name : names) {
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL); library != nullptr) return library;
    std::string error = LoaderError();
    if (first_error.empty()) first_error = std::move(error);
  }
  return absl::UnavailableError(first_error);
}

absl::StatusOr<void*> FindSymbol(void* library, const char* symbol) {
  if (void* address = dlsym(library, symbol); address != nullptr) return address;
  return absl::UnavailableError(absl::StrCat("the library is too old: ", LoaderError()));
}

absl::Status DriverError(absl::StatusCode code, absl::string_view function, absl::string_view name,
                         absl::string_view text) {
  return absl::Status(code, absl::StrCat(function, ": ", name, " (", text, ")"));
}

}  // namespace bufplan::runtime
