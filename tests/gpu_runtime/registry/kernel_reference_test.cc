// docs/kernels.md lists every kernel as its definition has it.
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gpu_runtime/registry/find_fused_kernel.h"
#include "gpu_runtime/registry/find_kernel.h"
#include "gtest/gtest.h"
#include "tests/io/test_files.h"

namespace bufplan::runtime {
namespace {

std::string NamesOf(const std::vector<OperandName>& names, size_t optional) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", names[i].name, i + optional >= names.size() ? " (optional)" : "");
  }
  return text;
}

// "| `rms_norm` | x | y | `rows`, `columns`, `epsilon` = 1e-05 |", the meaning behind it left out.
std::string RowOf(const KernelDefinition& d) {
  std::string parameters;
  for (const Parameter& p : d.parameters) {
    absl::StrAppend(&parameters, parameters.empty() ? "" : ", ", "`", p.name, "`");
    if (p.required) continue;
    absl::StrAppend(&parameters, " = ", p.kind == ParameterKind::kType ? "f32" : absl::StrCat(p.value));
  }
  return absl::StrCat("| `", d.name, "` | ", NamesOf(d.reads, d.optional_reads), " | ", NamesOf(d.writes, 0), " | ",
                      parameters, " |");
}

std::string RowOf(const FusedDefinition& d) {
  std::string members;
  for (absl::string_view m : d.members) absl::StrAppend(&members, members.empty() ? "" : ", ", m);
  if (d.max_repeats > 1) absl::StrAppend(&members, ", 2 to ", d.max_repeats, " times");
  return absl::StrCat("| `", d.name, "` | ", members, " | ", d.same_bits ? "yes" : "no", " |");
}

TEST(KernelReference, ListsWhatThereIs) {
  const std::string text = TestFile("docs/kernels.md");
  for (const KernelDefinition& d : AllKernels()) EXPECT_THAT(text, testing::HasSubstr(RowOf(d)));
  for (const FusedDefinition& d : AllFusedKernels()) EXPECT_THAT(text, testing::HasSubstr(RowOf(d)));
}

}  // namespace
}  // namespace bufplan::runtime
