#include "ir/id.h"

#include <optional>
#include <type_traits>

#include "absl/container/flat_hash_set.h"
#include "gtest/gtest.h"

namespace bufplan {
namespace {

TEST(IdTest, ComparesByIndexAndHashes) {
  EXPECT_EQ(ValueId(3), ValueId(3));
  EXPECT_NE(ValueId(3), ValueId(4));
  EXPECT_LT(ValueId(3), ValueId(4));
  EXPECT_EQ(ValueId(3).index(), 3u);
  EXPECT_EQ(ValueId(), ValueId(0));
  EXPECT_LT(std::optional<ValueId>(), std::optional<ValueId>(ValueId(0)));
  const absl::flat_hash_set<OpId> ops = {OpId(1), OpId(2), OpId(1)};
  EXPECT_EQ(ops.size(), 2u);
  EXPECT_TRUE(ops.contains(OpId(2)));
}

TEST(IdTest, KindsDoNotMix) {
  EXPECT_FALSE((std::is_convertible_v<ValueId, OpId>));
  EXPECT_FALSE((std::is_convertible_v<int32_t, OpId>));
  EXPECT_FALSE((std::is_constructible_v<SpaceId, StreamId>));
  EXPECT_EQ(sizeof(ValueId), sizeof(int32_t));
}

}  // namespace
}  // namespace bufplan
