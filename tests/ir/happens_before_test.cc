#include "ir/happens_before.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Edge = HappensBefore::Edge;

struct Input {
  std::vector<int32_t> streams;
  int32_t num_streams = 1;
  std::vector<Edge> edges;

  std::string ToString() const {
    return absl::StrCat("streams: ", absl::StrJoin(streams, " "),
                        " edges: ", absl::StrJoin(edges, " ", [](std::string* out, const Edge& edge) {
                          absl::StrAppend(out, edge.first, ">", edge.second);
                        }));
  }
};

// The transitive closure, by definition.
std::vector<std::vector<bool>> Closure(const Input& input) {
  const size_t n = input.streams.size();
  std::vector<std::vector<bool>> before(n, std::vector<bool>(n, false));
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i + 1; j < n; ++j) before[i][j] = input.streams[i] == input.streams[j];
  }
  for (const auto& [from, to] : input.edges) before[static_cast<size_t>(from)][static_cast<size_t>(to)] = true;
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j) before[i][j] = before[i][j] || (before[i][k] && before[k][j]);
    }
  }
  return before;
}

Input RandomInput(std::mt19937& random, int percent_backward) {
  Input input;
  const auto below = [&](int32_t n) { return static_cast<int32_t>(random() % static_cast<uint32_t>(n)); };
  const int32_t n = 1 + below(14);
  const int32_t used_streams = 1 + below(5);
  input.num_streams = used_streams + below(3);  // Some have no op.
  for (int32_t i = 0; i < n; ++i) input.streams.push_back(below(used_streams) * input.num_streams / used_streams);
  const int32_t num_edges = below(2 * n);
  for (int32_t i = 0; i < num_edges && n > 1; ++i) {
    int32_t from = below(n), to = below(n);
    if (from == to) continue;
    if ((from > to) != (below(100) < percent_backward)) std::swap(from, to);
    input.edges.push_back({from, to});
  }
  return input;
}

void CheckCycle(const Input& input, const std::vector<int32_t>& cycle) {
  ASSERT_FALSE(cycle.empty());
  for (size_t i = 0; i < cycle.size(); ++i) {
    const int32_t from = cycle[i], to = cycle[(i + 1) % cycle.size()];
    const bool by_stream =
        from < to && input.streams[static_cast<size_t>(from)] == input.streams[static_cast<size_t>(to)];
    const bool by_edge = std::count(input.edges.begin(), input.edges.end(), Edge(from, to)) > 0;
    EXPECT_TRUE(by_stream || by_edge) << from << " -> " << to;
  }
}

void CheckTopologicalOrder(const HappensBefore& hb, const std::vector<std::vector<bool>>& before) {
  // By definition: repeatedly the smallest op all of whose predecessors are out.
  const size_t n = before.size();
  std::vector<bool> out(n, false);
  std::vector<int32_t> expected;
  while (expected.size() < n) {
    for (size_t op = 0; op < n; ++op) {
      bool ready = !out[op];
      for (size_t other = 0; other < n; ++other) ready = ready && (out[other] || !before[other][op]);
      if (!ready) continue;
      out[op] = true;
      expected.push_back(static_cast<int32_t>(op));
      break;
    }
  }
  EXPECT_THAT(hb.TopologicalOrder(), ::testing::ElementsAreArray(expected));
}

void CheckAgainstClosure(const HappensBefore& hb, const Input& input, const std::vector<std::vector<bool>>& before) {
  const int32_t n = static_cast<int32_t>(before.size());
  ASSERT_EQ(hb.num_ops(), n);
  CheckTopologicalOrder(hb, before);
  const std::vector<int32_t> latest_of_all = hb.LatestConcurrentOfAll();
  bool is_list_order = true;
  for (int32_t a = 0; a < n; ++a) {
    const std::vector<bool>& after_a = before[static_cast<size_t>(a)];
    int32_t latest = a;
    for (int32_t b = 0; b < n; ++b) {
      const bool expected = after_a[static_cast<size_t>(b)];
      EXPECT_EQ(hb.Before(a, b), expected) << a << " before " << b;
      EXPECT_EQ(hb.Concurrent(a, b), a != b && !expected && !before[static_cast<size_t>(b)][static_cast<size_t>(a)]);
      if (!expected) latest = std::max(latest, b);
      is_list_order = is_list_order && expected == (a < b);
    }
    EXPECT_EQ(hb.LatestConcurrent(a), latest) << a;
    EXPECT_EQ(latest_of_all[static_cast<size_t>(a)], latest) << a;
    for (int32_t stream = 0; stream < input.num_streams; ++stream) {
      std::optional<int32_t> last, first;
      for (int32_t b = 0; b < n; ++b) {
        if (input.streams[static_cast<size_t>(b)] != stream) continue;
        if (before[static_cast<size_t>(b)][static_cast<size_t>(a)]) last = b;
        if (after_a[static_cast<size_t>(b)] && !first) first = b;
      }
      EXPECT_EQ(hb.LastBefore(a, stream), last) << a << " stream " << stream;
      EXPECT_EQ(hb.FirstAfter(a, stream), first) << a << " stream " << stream;
    }
  }
  EXPECT_TRUE(is_list_order || !hb.total_order_by_list());
}

TEST(HappensBeforeTest, ExampleOfTheHeader) {
  const auto hb = HappensBefore::Create({0, 0, 1, 0, 0}, 2, {{1, 2}, {2, 4}});
  ASSERT_TRUE(hb.ok()) << hb.status();
  EXPECT_TRUE(hb->Before(0, 2));
  EXPECT_TRUE(hb->Before(2, 4));
  EXPECT_TRUE(hb->Concurrent(2, 3));
  EXPECT_EQ(hb->LastBefore(4, 1), 2);
  EXPECT_EQ(hb->LatestConcurrent(2), 3);
  EXPECT_FALSE(hb->total_order_by_list());
}

TEST(HappensBeforeTest, NoOps) {
  EXPECT_EQ(HappensBefore().num_ops(), 0);
  const auto hb = HappensBefore::Create({}, 0, {});
  ASSERT_TRUE(hb.ok());
  EXPECT_TRUE(hb->TopologicalOrder().empty());
  EXPECT_TRUE(hb->total_order_by_list());
}

TEST(HappensBeforeTest, OneStreamIsTheListWhateverItsIndex) {
  const auto hb = HappensBefore::Create({2, 2, 2}, 4, {{0, 2}, {0, 2}});
  ASSERT_TRUE(hb.ok());
  EXPECT_TRUE(hb->total_order_by_list());
  EXPECT_THAT(hb->TopologicalOrder(), ElementsAre(0, 1, 2));
  EXPECT_EQ(hb->LastBefore(2, 2), 1);
  EXPECT_EQ(hb->LastBefore(2, 1), std::nullopt);
  EXPECT_EQ(hb->LastBefore(0, 2), std::nullopt);
  EXPECT_EQ(hb->FirstAfter(1, 2), 2);
  EXPECT_EQ(hb->FirstAfter(2, 2), std::nullopt);
  EXPECT_EQ(hb->FirstAfter(0, 3), std::nullopt);
  EXPECT_EQ(hb->LatestConcurrent(1), 1);
}

TEST(HappensBeforeTest, EqualsClosureOnForwardEdges) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const Input input = RandomInput(random, 0);
    SCOPED_TRACE(input.ToString());
    std::vector<int32_t> cycle = {7};
    const auto hb = HappensBefore::Create(input.streams, input.num_streams, input.edges, &cycle);
    ASSERT_TRUE(hb.ok()) << hb.status();
    EXPECT_TRUE(cycle.empty());
    CheckAgainstClosure(*hb, input, Closure(input));
    if (HasFailure()) return;
  }
}

TEST(HappensBeforeTest, EqualsClosureOnBackwardEdgesOrNamesACycle) {
  std::mt19937 random(2);
  int num_cycles = 0, num_backward = 0;
  for (int round = 0; round < 6000; ++round) {
    const Input input = RandomInput(random, round % 40);
    SCOPED_TRACE(input.ToString());
    const std::vector<std::vector<bool>> before = Closure(input);
    bool cyclic = false;
    for (size_t i = 0; i < before.size(); ++i) cyclic = cyclic || before[i][i];
    std::vector<int32_t> cycle;
    const auto hb = HappensBefore::Create(input.streams, input.num_streams, input.edges, &cycle);
    ASSERT_EQ(hb.ok(), !cyclic);
    if (cyclic) {
      ++num_cycles;
      EXPECT_EQ(hb.status().code(), absl::StatusCode::kInvalidArgument);
      EXPECT_THAT(std::string(hb.status().message()), HasSubstr(absl::StrCat(": ", cycle.front(), " -> ")));
      CheckCycle(input, cycle);
    } else {
      for (const Edge& edge : input.edges) num_backward += edge.first > edge.second ? 1 : 0;
      CheckAgainstClosure(*hb, input, before);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(num_cycles, 500);
  EXPECT_GT(num_backward, 500);
}

TEST(HappensBeforeTest, CycleNamesItsOps) {
  std::vector<int32_t> cycle;
  // 1 -> 2 by edge, 2 -> 3 by stream, 3 -> 1 by edge; 0 and 4 are outside of it.
  const auto hb = HappensBefore::Create({0, 1, 2, 2, 1}, 3, {{1, 2}, {3, 1}}, &cycle);
  EXPECT_EQ(hb.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(hb.status().message(), "happens-before has a cycle of 3 ops: 1 -> 2 -> 3 -> 1");
  EXPECT_THAT(cycle, ElementsAre(1, 2, 3));
}

TEST(HappensBeforeTest, CycleOfOneStreamAndOfOneOp) {
  std::vector<int32_t> cycle;
  EXPECT_FALSE(HappensBefore::Create({0, 0, 0}, 1, {{2, 0}}, &cycle).ok());
  EXPECT_THAT(cycle, ElementsAre(0, 2));
  EXPECT_FALSE(HappensBefore::Create({0, 1, 0}, 2, {{2, 0}}, &cycle).ok());
  EXPECT_THAT(cycle, ElementsAre(0, 2));
  EXPECT_FALSE(HappensBefore::Create({0, 1}, 2, {{1, 1}}, &cycle).ok());
  EXPECT_THAT(cycle, ElementsAre(1));
  EXPECT_FALSE(HappensBefore::Create({0}, 1, {{0, 0}}).ok());
}

TEST(HappensBeforeTest, LongCycleHasAShortMessage) {
  const int32_t n = 1000;
  std::vector<int32_t> streams, cycle;
  std::vector<Edge> edges;
  for (int32_t i = 0; i < n; ++i) {
    streams.push_back(i);
    edges.push_back({i, (i + 1) % n});
  }
  const auto hb = HappensBefore::Create(streams, n, edges, &cycle);
  EXPECT_EQ(cycle.size(), 1000u);
  EXPECT_THAT(std::string(hb.status().message()), HasSubstr("cycle of 1000 ops"));
  EXPECT_LT(hb.status().message().size(), 300u);
}

TEST(HappensBeforeTest, RefusesWhatIsOutOfRange) {
  const auto message = [](absl::Span<const int32_t> streams, int32_t num_streams, absl::Span<const Edge> edges) {
    const auto hb = HappensBefore::Create(streams, num_streams, edges);
    EXPECT_EQ(hb.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(hb.status().message());
  };
  EXPECT_EQ(message({0, 2}, 2, {}), "op 1: stream=2, must be in [0, 2)");
  EXPECT_EQ(message({-1}, 2, {}), "op 0: stream=-1, must be in [0, 2)");
  EXPECT_EQ(message({0, 0}, 1, {{0, 2}}), "edge (0, 2): ops must be in [0, 2)");
  EXPECT_EQ(message({0, 0}, 1, {{-1, 1}}), "edge (-1, 1): ops must be in [0, 2)");
}

TEST(HappensBeforeTest, TooManyStreamsAreRefused) {
  // A chain over as many streams as ops: each op learns something new.
  const int32_t width = 9000;
  std::vector<int32_t> streams;
  std::vector<Edge> edges;
  for (int32_t i = 0; i < width; ++i) {
    streams.push_back(i);
    if (i > 0) edges.push_back({i - 1, i});
  }
  const auto hb = HappensBefore::Create(streams, width, edges);
  EXPECT_EQ(hb.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(hb.status().message()), HasSubstr("9000 ops on 9000 streams"));
}

TEST(HappensBeforeTest, HundredThousandOpsOnEightStreams) {
  std::mt19937 random(3);
  const int32_t n = 100000;
  std::vector<int32_t> streams;
  std::vector<Edge> edges;
  for (int32_t i = 0; i < n; ++i) {
    streams.push_back(static_cast<int32_t>(random() % 8));
    for (int k = 0; k < 2 && i > 0; ++k) {
      edges.push_back({i - 1 - static_cast<int32_t>(random() % static_cast<uint32_t>(std::min(i, 50))), i});
    }
  }
  const auto hb = HappensBefore::Create(streams, 8, edges);
  ASSERT_TRUE(hb.ok());
  for (const auto& [from, to] : edges) ASSERT_TRUE(hb->Before(from, to) && !hb->Before(to, from));
  for (int32_t a = 0; a < n; a += 997) {
    const int32_t latest = hb->LatestConcurrent(a);
    EXPECT_TRUE(latest == a || !hb->Before(a, latest));
    for (int32_t b = latest + 1; b < std::min(n, latest + 200); ++b) ASSERT_TRUE(hb->Before(a, b));
  }
}

}  // namespace
}  // namespace bufplan
