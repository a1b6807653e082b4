#include "planner/sharing/contest.h"

#include <initializer_list>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "planner/sharing/decisions.h"

namespace bufplan {
namespace {

using Rival = Contest::Rival;

// Rounds by hand: what is granted and what is refused is said here.
class ContestTest : public testing::Test {
 protected:
  static Graph SomeGraph() {
    GraphBuilder b;
    for (int i = 0; i < 8; ++i) b.Input("", 64);
    return *std::move(b).Build();
  }

  static Rival Wish(int32_t value, int64_t gain, WishKind kind = WishKind::kBase) {
    return {ValueId(value), kind, false, gain};
  }
  void Refuse(const Rival& wish, std::initializer_list<std::vector<Rival>> obstacles) {
    std::vector<Contest::Obstacle> list;
    for (const std::vector<Rival>& any_of : obstacles) list.push_back({{any_of.begin(), any_of.end()}, "s >= 1"});
    contest_.Refuse(wish, 7, list);
  }
  void Decide(const std::vector<Rival>& granted) {
    contest_.Decide(
        [&](ValueId v) {
          for (const Rival& g : granted) {
            if (g.value == v) return g;
          }
          return Rival{v};
        },
        decisions_);
  }
  bool Wanted(const Rival& wish) const { return decisions_.Wanted(wish.value, wish.kind); }

  const Graph graph_ = SomeGraph();
  Decisions decisions_{graph_, SharingPolicy{}};
  Contest contest_{graph_.values().size()};
  const Rival a_ = Wish(0, 5), b_ = Wish(1, 4), c_ = Wish(2, 4);
};

TEST_F(ContestTest, TwoSmallOnesWinTogether) {
  Refuse(b_, {{a_}});
  Refuse(c_, {{a_}});
  Decide({a_});
  EXPECT_FALSE(Wanted(a_));
  ASSERT_NE(decisions_.StruckOut(a_.value), nullptr);
  EXPECT_EQ(decisions_.StruckOut(a_.value)->why, Why::kCostsLess);
  EXPECT_EQ(decisions_.StruckOut(a_.value)->other, b_.value);
  EXPECT_EQ(decisions_.StruckOut(a_.value)->blocker, 7);
  EXPECT_EQ(decisions_.StruckOut(a_.value)->missing, "s >= 1");
}

TEST_F(ContestTest, ASmallOneLosesAlone) {
  Refuse(b_, {{a_}});
  Decide({a_});
  EXPECT_TRUE(Wanted(a_));
  EXPECT_FALSE(decisions_.changed());
}

TEST_F(ContestTest, WhatWasStruckOutInVainComesBack) {
  Refuse(b_, {{a_}});
  Refuse(c_, {{a_}});
  Decide({a_});
  ASSERT_FALSE(decisions_.EndRound());
  Refuse(c_, {{b_}});
  Decide({b_});
  EXPECT_TRUE(Wanted(a_));
  EXPECT_TRUE(Wanted(b_));  // a comes first and is in its way
  EXPECT_EQ(decisions_.StruckOut(a_.value), nullptr);
  ASSERT_FALSE(decisions_.EndRound());
  Refuse(b_, {{a_}});
  Refuse(c_, {{a_}});
  Decide({a_});
  EXPECT_TRUE(decisions_.EndRound());
}

TEST_F(ContestTest, AHopeThatFailsForGoodFreesTheLosers) {
  const Rival d = Wish(3, 6);
  Refuse(d, {{a_}});
  Decide({a_});
  ASSERT_FALSE(Wanted(a_));
  ASSERT_FALSE(decisions_.EndRound());
  Refuse(d, {});
  Decide({});
  EXPECT_TRUE(Wanted(a_));
}

TEST_F(ContestTest, AWishThatIsGrantedElsewhereContestsNothing) {
  const Rival d = Wish(3, 6);
  Refuse(d, {{a_}});
  Decide({a_, d});
  EXPECT_TRUE(Wanted(a_));
}

TEST_F(ContestTest, TheCheaperPlaceIsCleared) {
  const Rival d = Wish(3, 6);
  Refuse(d, {{a_}});
  Refuse(d, {{b_}});
  Refuse(d, {});
  Decide({a_, b_});
  EXPECT_TRUE(Wanted(a_));
  EXPECT_FALSE(Wanted(b_));
}

TEST_F(ContestTest, OfWhatAValueDependsOnTheCheapestGoes) {
  const Rival d = Wish(3, 9), in_place = Wish(4, 0, WishKind::kInPlace);
  Refuse(d, {{a_, b_}, {c_, in_place}});
  Decide({a_, b_, c_, in_place});
  EXPECT_TRUE(Wanted(a_) && Wanted(c_));
  EXPECT_FALSE(Wanted(b_) || Wanted(in_place));
}

TEST_F(ContestTest, AllOfAMovementTakesTheRoomOfItsParts) {
  const Rival whole = Wish(3, 6, WishKind::kSource), part{ValueId(3), WishKind::kSource, true, 3};
  Refuse(whole, {{b_}});
  Decide({b_, part});
  EXPECT_TRUE(Wanted(b_) && Wanted(part));
}

TEST_F(ContestTest, RoundsThatDoNotCountTeachNothing) {
  Refuse(b_, {{a_}});
  contest_.Forget();
  Refuse(c_, {{a_}});
  Decide({a_});
  EXPECT_TRUE(Wanted(a_));
}

TEST_F(ContestTest, NothingIsDecidedWhereContestsAreNotWanted) {
  SharingPolicy policy;
  policy.contest = false;
  Decisions none(graph_, policy);
  Refuse(Wish(3, 6), {{a_}});
  contest_.Decide([&](ValueId v) { return v == a_.value ? a_ : Rival{v}; }, none);
  EXPECT_FALSE(none.changed());
}

}  // namespace
}  // namespace bufplan
