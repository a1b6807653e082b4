// The walk over small graphs: all of them build, none comes twice, everything occurs.
#include "tests/planner/exhaustive/small_graphs.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "gtest/gtest.h"

namespace bufplan {
namespace {

TEST(SmallGraphs, AllBuildAndNoneComesTwice) {
  SmallGraphLimits limits;
  limits.ops = 2;
  limits.ops_with_commit = 2;
  limits.ops_with_whole_b = 2;
  limits.ops_with_second_output = 2;
  std::set<std::string> seen;
  std::set<std::pair<SmallKind, Range>> kinds;
  std::map<std::string, int> n;
  ForEachSmallGraph(limits, [&](const SmallGraph& g) {
    const absl::StatusOr<Graph> graph = Build(g);
    EXPECT_TRUE(graph.ok()) << ToText(g) << ": " << graph.status();
    EXPECT_TRUE(seen.insert(ToText(g)).second) << ToText(g);
    for (const SmallOp& op : g.ops) kinds.insert({op.kind, op.range});
    n["commit"] += g.commit.has_value();
    n["early"] += g.commit.has_value() && g.commit_after < g.ops.size();
    n["old"] += g.ReadsOldContent();
    n["two outputs"] += g.outputs.size() == 2;
    return graph.ok();
  });
  EXPECT_GT(seen.size(), 5000u);
  for (const char* what : {"commit", "early", "old", "two outputs"}) EXPECT_GT(n[what], 50) << what;
  EXPECT_EQ(kinds.size(), 14u);
}

TEST(SmallGraphs, StopsWhenAsked) {
  int n = 0;
  ForEachSmallGraph({}, [&](const SmallGraph&) { return ++n < 10; });
  EXPECT_EQ(n, 10);
}

TEST(SmallGraphs, SaysAndBuildsWhatItIs) {
  SmallGraph g;
  g.role_a = Role::kVariable;
  g.ops = {{SmallKind::kSlice, Range::kSecond, 0}, {SmallKind::kUpdate, Range::kFirst, 0, 2}};
  g.outputs = {2};
  g.commit = 3;
  g.commit_after = 2;
  EXPECT_EQ(ToText(g), "A=variable B=constant/4; v2 = slice A second; v3 = update A v2 first; commit v3; output v2");
  EXPECT_FALSE(g.ReadsOldContent());
  const Graph graph = *Build(g);
  ASSERT_EQ(graph.ops().size(), 3u);
  EXPECT_EQ(graph.region(*graph.reads(graph.ops()[0])[0].region).at, Expr(4));
  EXPECT_EQ(graph.commit_to(ValueId(0)), OpId(2));
  EXPECT_EQ(graph.outputs()[0], ValueId(2));
}

}  // namespace
}  // namespace bufplan
