// The suite of problems with a largest allocation: what `default` needs there.
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "benchmarks/suite/cases.h"
#include "benchmarks/suite/data_folder.h"
#include "benchmarks/suite/methods.h"
#include "gtest/gtest.h"
#include "io/read_file.h"

namespace bufplan {
namespace {

TEST(ChunksTest, LittleMoreThanInOnePiece) {
  const absl::StatusOr<DataFolder> data = FindDataFolder(std::nullopt);
  ASSERT_TRUE(data.ok()) << data.status();
  const FileReader read = [](const std::string& path) { return ReadFile(path); };
  int cases = 0;
  for (const CaseSource& source : CasesOf("chunks", *data, read, /*huge=*/false)) {
    const absl::StatusOr<BenchCase> bench_case = source.load();
    ASSERT_TRUE(bench_case.ok()) << bench_case.status();
    for (const Method& method : MethodsFor(*bench_case, /*with_max=*/false)) {
      if (method.name != "default") continue;
      const absl::StatusOr<MethodResult> result = method.run(*bench_case);
      ASSERT_TRUE(result.ok()) << source.name << ": " << result.status();
      EXPECT_TRUE(CheckResult(*bench_case, *result).ok()) << source.name;
      // One value of 62.5 MiB, and at another time three of 21.5 MiB, of which a chunk of 64 MiB holds two.
      const double most = source.name == "llama7b_prefill512@64" ? 1.143 : 1.0;
      EXPECT_LE(static_cast<double>(result->total_bytes), most * static_cast<double>(LowerBoundOf(*bench_case)))
          << source.name;
      ++cases;
    }
  }
  EXPECT_EQ(cases, 9);
}

}  // namespace
}  // namespace bufplan
