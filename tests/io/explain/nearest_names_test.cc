#include "io/explain/nearest_names.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const absl::string_view kNames[] = {"--capacity", "--effort", "--json", "--symbols", "--work-limit"};

TEST(NearestNamesTest, FewEdits) {
  EXPECT_THAT(NearestNames("--capcity", kNames), ElementsAre("--capacity"));
  EXPECT_THAT(NearestNames("--sybmols", kNames), ElementsAre("--symbols"));
  EXPECT_THAT(NearestNames("--objective", kNames), IsEmpty());
}

TEST(NearestNamesTest, NearestFirstThenInOrder) {
  const absl::string_view names[] = {"conv2", "conv1", "Conv", "conv"};
  EXPECT_THAT(NearestNames("conv", names), ElementsAre("conv", "Conv", "conv2"));
  EXPECT_THAT(NearestNames("conv", names, 1), ElementsAre("conv"));
}

TEST(NearestNamesTest, APartOfANameIsClose) {
  const absl::string_view names[] = {"blk.0.attn_norm.weight", "x"};
  EXPECT_THAT(NearestNames("attn_norm", names), ElementsAre("blk.0.attn_norm.weight"));
}

TEST(NearestNamesTest, ASwapIsOneEdit) {
  const absl::string_view names[] = {"plan", "lane"};
  EXPECT_THAT(NearestNames("paln", names, 1), ElementsAre("plan"));
}

TEST(NearestNamesTest, OddNames) {
  const absl::string_view names[] = {"", "a", "a"};
  EXPECT_THAT(NearestNames("", {}), IsEmpty());
  EXPECT_THAT(NearestNames("a", names), ElementsAre("a", ""));
  const std::string longer(5000, 'x');
  EXPECT_THAT(NearestNames(longer + "y", {absl::string_view(longer)}), ElementsAre(longer));
}

TEST(DidYouMeanTest, Sentence) {
  EXPECT_EQ(DidYouMean("--jsn", kNames), "; did you mean \"--json\"?");
  EXPECT_EQ(DidYouMean("K2", {"K1", "K3", "K4"}), "; did you mean \"K1\", \"K3\" or \"K4\"?");
  EXPECT_EQ(DidYouMean("zzzzzz", kNames), "");
}

}  // namespace
}  // namespace bufplan
