#include "planner/placement/shortfall.h"

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "gtest/gtest.h"

namespace bufplan {
namespace {

TEST(ShortfallTest, GoesWithTheStatus) {
  const absl::Status bare = absl::DeadlineExceededError("none");
  EXPECT_FALSE(ShortfallOf(bare).has_value());
  for (const std::optional<int64_t> best : {std::optional<int64_t>(), std::optional<int64_t>(INT64_MAX)}) {
    for (const char* space : {"", "device", "a b - 7", " "}) {
      const absl::Status status = WithShortfall(bare, {12, 9, best, space});
      EXPECT_EQ(status.message(), "none");
      const std::optional<Shortfall> read = ShortfallOf(Reworded(status, "other words"));
      ASSERT_TRUE(read.has_value()) << space;
      EXPECT_EQ(read->capacity_bytes, 12);
      EXPECT_EQ(read->lower_bound_bytes, 9);
      EXPECT_EQ(read->best_bytes, best);
      EXPECT_EQ(read->space, space);
    }
  }
}

TEST(ShortfallTest, RewordingKeepsTheCodeAndAllPayloads) {
  absl::Status status = absl::ResourceExhaustedError("a");
  status.SetPayload("other", absl::Cord("x"));
  const absl::Status reworded = Reworded(status, "b");
  EXPECT_EQ(reworded.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(reworded.message(), "b");
  EXPECT_EQ(reworded.GetPayload("other"), absl::Cord("x"));
  EXPECT_FALSE(ShortfallOf(reworded).has_value());
}

}  // namespace
}  // namespace bufplan
