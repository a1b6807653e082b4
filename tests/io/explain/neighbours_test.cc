#include "io/explain/neighbours.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/io/explain/sample.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Labels(const Layout& layout, const std::vector<size_t>& entries) {
  std::vector<std::string> labels;
  for (size_t e : entries) labels.push_back(layout.Label(layout.placed()[e]));
  return labels;
}

TEST(NeighboursTest, BeforeTogetherAfter) {
  const Sample s;
  const Layout layout(s.graph, s.plan);
  Neighbours n = NeighboursOf(layout, *layout.Find(s.Value("b").value));
  EXPECT_THAT(Labels(layout, n.before), ElementsAre("x"));
  EXPECT_THAT(Labels(layout, n.together), ElementsAre("c"));
  EXPECT_THAT(n.after, IsEmpty());
  n = NeighboursOf(layout, *layout.Find(s.Value("x").value));
  EXPECT_THAT(n.before, IsEmpty());
  EXPECT_THAT(n.together, IsEmpty());
  EXPECT_THAT(Labels(layout, n.after), ElementsAre("b", "c"));
}

TEST(NeighboursTest, OneBufferIsOneThing) {
  const SampleProblem s;
  const Layout layout(s.problem, s.plan);
  // b has two rectangles; c lies in the gap between them.
  const Neighbours n = NeighboursOf(layout, *layout.Find(1));
  EXPECT_THAT(n.before, IsEmpty());
  EXPECT_THAT(Labels(layout, n.together), ElementsAre("c"));
  EXPECT_THAT(n.after, IsEmpty());
}

TEST(NeighboursTest, Picture) {
  const Sample s;
  const Layout layout(s.graph, s.plan);
  const std::string picture = DrawNeighbourhood(layout, *layout.Find(s.Value("v").value), 60);
  EXPECT_TRUE(absl::StrContains(picture, "# v (40)")) << picture;
  EXPECT_TRUE(absl::StrContains(picture, "a (100)")) << picture;
  EXPECT_FALSE(absl::StrContains(picture, "x (100)")) << picture;  // too far away
}

}  // namespace
}  // namespace bufplan
