// Ways in which a valid plan can be broken, and the violation that each must give: that kind and no other, naming both
// parties.
#include <ostream>
#include <set>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/checker.h"
#include "ir/graph.h"
#include "ir/graph_builder.h"
#include "tests/ir/checker_mutations.h"
#include "tests/ir/hand_plan.h"

namespace bufplan::checker_mutations {

void PrintTo(const Mutation& m, std::ostream* out) { *out << m.name; }

namespace {

using K = ViolationKind;

class CheckerMutationTest : public ::testing::TestWithParam<Mutation> {};

TEST_P(CheckerMutationTest, GivesThatViolationAndNoOther) {
  const Mutation& m = GetParam();
  GraphBuilder b;
  m.build(b);
  const absl::StatusOr<Graph> graph = std::move(b).Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  HandPlan hand(*graph);
  m.valid(hand, *graph);
  Plan plan = hand.Done();
  ASSERT_EQ(CheckText(*graph, plan), "ok");
  m.breaks(plan, *graph);
  const std::string text = CheckText(*graph, plan);
  EXPECT_EQ(CheckKinds(*graph, plan), std::string(ToString(m.kind))) << text;
  for (const std::string& party : m.parties) EXPECT_THAT(text, ::testing::HasSubstr(party));
}

INSTANTIATE_TEST_SUITE_P(All, CheckerMutationTest, ::testing::ValuesIn(All()), [](const auto& info) {
  std::string name = info.param.name;
  for (char& c : name) c = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_';
  return name;
});

TEST(CheckerMutationCoverage, EveryKindIsHit) {
  std::set<K> hit;
  for (const Mutation& m : All()) hit.insert(m.kind);
  for (int kind = 0; kind <= static_cast<int>(K::kStats); ++kind) {
    EXPECT_TRUE(hit.contains(static_cast<K>(kind))) << ToString(static_cast<K>(kind));
  }
}

}  // namespace
}  // namespace bufplan::checker_mutations
