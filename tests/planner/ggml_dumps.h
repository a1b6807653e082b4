// Test support: the real graphs of tests/data/ggml.
#ifndef BUFPLAN_TESTS_PLANNER_GGML_DUMPS_H_
#define BUFPLAN_TESTS_PLANNER_GGML_DUMPS_H_

#include <string>

#include "absl/status/statusor.h"
#include "benchmarks/ggml_graphs.h"
#include "gtest/gtest.h"
#include "io/ggml_dump.h"
#include "io/read_file.h"

namespace bufplan {

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
