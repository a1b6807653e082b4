#include "planner/order/reduce_edges.h"

#include <random>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/planner/cases/plan_case.h"
#include "tests/planner/order/random_relation.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

OrderEdge Edge(int32_t before, int32_t after) { return {OpId(before), OpId(after)}; }

Graph BuildOrDie(GraphBuilder b) {
  absl::StatusOr<Graph> graph = std::move(b).Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *std::move(graph);
}

Graph Barriers(const std::vector<int32_t>& stream, int32_t num_streams,
               const std::vector<std::pair<int32_t, int32_t>>& edges) {
  GraphBuilder b;
  for (int32_t s = 0; s < num_streams; ++s) b.AddStream(absl::StrCat("s", s));
  for (int32_t s : stream) b.Barrier("", {.stream = StreamId(s)});
  for (const auto& [before, after] : edges) b.Order(OpId(before), OpId(after));
  return BuildOrDie(std::move(b));
}

std::vector<OrderEdge> Reduced(const Graph& graph, std::vector<OrderEdge> edges) {
  const absl::StatusOr<Schedule> schedule = Schedule::Create(graph, {});
  EXPECT_TRUE(schedule.ok()) << schedule.status();
  return ReduceEdges(graph, *schedule, std::move(edges));
}

TEST(ReduceEdges, TheDrawnExample) {
  const Graph graph = Barriers({0, 1, 2}, 3, {});
  EXPECT_THAT(Reduced(graph, {Edge(0, 2), Edge(0, 1), Edge(1, 2)}), ElementsAre(Edge(0, 1), Edge(1, 2)));
  EXPECT_THAT(Reduced(graph, {}), IsEmpty());
}

TEST(ReduceEdges, OfEqualEdgesTheFirstStays) {
  const Graph graph = Barriers({0, 1, 2}, 3, {});
  EXPECT_THAT(Reduced(graph, {Edge(0, 1), Edge(1, 2), Edge(0, 1)}), ElementsAre(Edge(0, 1), Edge(1, 2)));
}

TEST(ReduceEdges, WhatTheGraphSaysNeedsNoEdge) {
  const Graph graph = Barriers({0, 1, 0}, 2, {{0, 1}});
  EXPECT_THAT(Reduced(graph, {Edge(0, 1)}), IsEmpty());
  EXPECT_THAT(Reduced(graph, {Edge(0, 2)}), IsEmpty());
  EXPECT_THAT(Reduced(graph, {Edge(1, 2)}), ElementsAre(Edge(1, 2)));
}

// A group has one place: an edge from or to a member is one of the group, and one within it none.
TEST(ReduceEdges, EdgesOfMembersAreThoseOfTheGroup) {
  CaseGraph g;
  const StreamId s0 = g.AddStream("s0"), s1 = g.AddStream("s1");
  const ValueId a = g.Op("a", {}, 8, {}, {.stream = s0});
  g.Op("b", {a}, 8, {}, {.stream = s0});
  g.Op("c", {}, 8, {}, {.stream = s1});
  g.AddFusion({.name = "f", .ops = {OpId(0), OpId(1)}, .required = true});
  const Graph graph = BuildOrDie(std::move(g));
  const absl::StatusOr<Schedule> schedule = Schedule::Create(graph, {FusionId(0)});
  ASSERT_TRUE(schedule.ok()) << schedule.status();
  EXPECT_THAT(ReduceEdges(graph, *schedule, {Edge(0, 1), Edge(0, 2), Edge(1, 2)}), ElementsAre(Edge(0, 2)));
}

// The order stays what it is, and no edge that stays is implied by the rest.
TEST(ReduceEdges, KeepsTheOrderAndNothingElse) {
  std::mt19937_64 random(31);
  int64_t given = 0, stayed = 0;
  for (int round = 0; round < 4000; ++round) {
    RandomRelation r = MakeRandomRelation(random, 10, 4, round % 2 == 0);
    // The graph's own edges are those that follow the list.
    std::vector<OrderEdge> added;
    std::erase_if(r.edges, [&](const std::pair<int32_t, int32_t>& e) {
      if (e.first < e.second) return false;
      added.push_back(Edge(e.first, e.second));
      return true;
    });
    for (const auto& [a, b] : r.more) added.push_back(Edge(a, b));
    if (!added.empty() && random() % 2 == 0) added.push_back(added[0]);
    const Graph graph = Barriers(r.stream, r.num_streams, r.edges);
    const std::vector<OrderEdge> reduced = Reduced(graph, added);
    const auto closure = [&](const std::vector<OrderEdge>& edges, size_t without) {
      std::vector<std::pair<int32_t, int32_t>> all = r.edges;
      for (size_t i = 0; i < edges.size(); ++i) {
        if (i != without) all.emplace_back(edges[i].before.value, edges[i].after.value);
      }
      return Closure(r.stream, all);
    };
    ASSERT_EQ(closure(reduced, SIZE_MAX), closure(added, SIZE_MAX)) << "round " << round;
    for (size_t i = 0; i < reduced.size(); ++i) {
      ASSERT_NE(closure(reduced, i), closure(reduced, SIZE_MAX)) << "round " << round << ": edge " << i;
    }
    given += static_cast<int64_t>(added.size());
    stayed += static_cast<int64_t>(reduced.size());
  }
  EXPECT_GT(stayed, given / 4);
  EXPECT_LT(stayed, given);
}

}  // namespace
}  // namespace bufplan
