#include "io/explain/peak.h"

#include <optional>

#include "gtest/gtest.h"
#include "tests/io/explain/sample.h"

namespace bufplan {
namespace {

TEST(PeakTest, EachByteCountsForOneEntry) {
  const Sample s;
  const Layout layout(s.graph, s.plan);
  const std::optional<PeakTable> peak = PeakTableOf(layout, 0, 4);  // at g
  ASSERT_TRUE(peak.has_value());
  EXPECT_EQ(peak->time, 4);
  EXPECT_EQ(peak->bytes, 200);
  ASSERT_EQ(peak->entries.size(), 2u);
  EXPECT_EQ(layout.Label(layout.placed()[peak->entries[0].entry]), "a");
  EXPECT_EQ(peak->entries[0].added_bytes, 100);
  ASSERT_EQ(peak->entries[0].same_bytes.size(), 1u);
  EXPECT_EQ(layout.Label(layout.placed()[peak->entries[0].same_bytes[0]]), "v");
  EXPECT_EQ(layout.Label(layout.placed()[peak->entries[1].entry]), "b");
  ASSERT_EQ(peak->entries[1].same_bytes.size(), 1u);
  EXPECT_EQ(layout.Label(layout.placed()[peak->entries[1].same_bytes[0]]), "c");
}

TEST(PeakTest, Text) {
  const Sample s;
  const Layout layout(s.graph, s.plan);
  EXPECT_EQ(PeakText(layout, *PeakTableOf(layout, 0, 4), 10),
            "    bytes  value   offset  live    in the same bytes\n"
            "      100  a            0  f .. g  v\n"
            "      100  b          100  h .. g  c\n"
            "      200  in all\n");
}

TEST(PeakTest, LongTablesAreCutAndStillAddUp) {
  Problem problem;
  ProblemPlan plan;
  for (int i = 0; i < 10; ++i) {
    Buffer b;
    b.name = std::string(1, static_cast<char>('a' + i));
    b.bytes = 10 - i;
    b.end = 1;
    problem.buffers.push_back(b);
    plan.offsets.push_back(100 * i);
  }
  const Layout layout(problem, plan);
  EXPECT_EQ(PeakText(layout, *PeakTableOf(layout, 0), 3),
            "    bytes  value     offset  live    in the same bytes\n"
            "       10  a              0  0 .. 0\n"
            "        9  b            100  0 .. 0\n"
            "        8  c            200  0 .. 0\n"
            "       28  (7 more)\n"
            "       55  in all\n");
}

TEST(PeakTest, PartlySharedBytes) {
  Problem problem;
  problem.buffers.resize(2);
  problem.buffers[0].name = "big";
  problem.buffers[0].bytes = 100;
  problem.buffers[0].end = 1;
  problem.buffers[1].name = "half";
  problem.buffers[1].bytes = 60;
  problem.buffers[1].end = 1;
  const Layout layout(problem, {{0, 80}, 140, 100, false});
  const std::optional<PeakTable> peak = PeakTableOf(layout, 0);
  EXPECT_EQ(peak->bytes, 140);
  EXPECT_EQ(peak->entries[1].added_bytes, 40);
}

TEST(PeakTest, NothingThere) { EXPECT_FALSE(PeakTableOf(Layout(Problem(), ProblemPlan()), 0).has_value()); }

}  // namespace
}  // namespace bufplan
