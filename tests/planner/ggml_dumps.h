// Test support: the real graphs of tests/data/ggml.
#ifndef BUFPLAN_TESTS_PLANNER_GGML_DUMPS_H_
#define BUFPLAN_TESTS_PLANNER_GGML_DUMPS_H_

#include <string>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "io/ggml_dump.h"
#include "io/read_file.h"

namespace bufplan {

inline constexpr const char* kGgmlDumps[] = {"llama7b_decode",
                                             "llama7b_prefill512",
                                             "llama7b_prefill512_last",
                                             "llama8b_gqa_decode",
                                             "llama8b_gqa_prefill512_fa",
                                             "moe64_decode_fa",
                                             "moe64_prefill512_fa",
                                             "moe64_prefill2048_fa_last",
                                             "moe8x7b_decode",
                                             "resnet50_b1",
                                             "unet_64",
                                             "whisper_small_enc"};

// The file's text, and what is read from it. A test failure, and empty, if that goes wrong.
inline std::string GgmlText(const std::string& name) {
  const absl::StatusOr<std::string> text = ReadFile("tests/data/ggml/" + name + ".json");
  EXPECT_TRUE(text.ok()) << text.status();
  return text.value_or("");
}
inline GgmlDump GgmlDumpOf(const std::string& name) {
  absl::StatusOr<GgmlDump> dump = ReadGgmlDump(GgmlText(name));
  EXPECT_TRUE(dump.ok()) << name << ": " << dump.status();
  return dump.ok() ? *std::move(dump) : GgmlDump();
}

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_PLANNER_GGML_DUMPS_H_
