// The entry that libFuzzer calls, for the reader BUFPLAN_FUZZ_READER. See tests/fuzz/BUILD.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/fuzz/readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::Status status =
      bufplan::BUFPLAN_FUZZ_READER(absl::string_view(reinterpret_cast<const char*>(data), size));
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::abort();
}
