// Where a fused group runs, and whether it can: Build() against trying every place on the group's stream.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "tests/oracle/random.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;

struct Program {
  std::vector<int32_t> stream;                   // by op
  std::vector<std::pair<size_t, size_t>> reads;  // the result of the first by the second
  std::vector<std::pair<size_t, size_t>> order;
  std::vector<size_t> group;

  bool Member(size_t o) const { return std::find(group.begin(), group.end(), o) != group.end(); }

  std::string Text() const {
    std::string text = "streams";
    for (int32_t s : stream) absl::StrAppend(&text, " ", s);
    for (const auto& [a, b] : reads) absl::StrAppend(&text, ", ", b, " reads ", a);
    for (const auto& [a, b] : order) absl::StrAppend(&text, ", ", a, " before ", b);
    absl::StrAppend(&text, ", group");
    for (size_t m : group) absl::StrAppend(&text, " ", m);
    return text;
  }

  absl::StatusOr<Graph> Build() const {
    GraphBuilder b;
    for (int s = 0; s < 3; ++s) b.AddStream(absl::StrCat("s", s));
    std::vector<ValueId> results;
    for (size_t i = 0; i < stream.size(); ++i) {
      ComputeSpec spec;
      for (const auto& [from, to] : reads) {
        if (to == i) spec.reads.push_back(results[from]);
      }
      results.push_back(b.AddValue("", 8, Role::kTransient));
      spec.writes.push_back({.value = results[i]});
      spec.options.stream = StreamId(stream[i]);
      b.Compute("", std::move(spec));
    }
    for (const auto& [from, to] : order) {
      b.Order(OpId(static_cast<int32_t>(from)), OpId(static_cast<int32_t>(to)));
    }
    Fusion fusion{.name = "f"};
    for (size_t m : group) fusion.ops.push_back(OpId(static_cast<int32_t>(m)));
    b.AddFusion(std::move(fusion));
    return std::move(b).Build();
  }

  // The program has no cycle if the group runs with this many foreign ops of its stream before it.
  bool Works(size_t before) const {
    const size_t n = stream.size();
    const auto node = [&](size_t o) { return Member(o) ? n : o; };
    std::vector<std::vector<bool>> reach(n + 1, std::vector<bool>(n + 1, false));
    for (const auto& edges : {reads, order}) {
      for (const auto& [a, b] : edges) {
        if (node(a) != node(b)) reach[node(a)][node(b)] = true;
      }
    }
    size_t foreign = 0;
    for (size_t b = 0; b < n; ++b) {
      if (Member(b)) continue;
      for (size_t a = 0; a < b; ++a) {
        if (!Member(a) && stream[a] == stream[b]) reach[a][b] = true;
      }
      if (stream[b] != stream[group[0]]) continue;
      (foreign < before ? reach[b][n] : reach[n][b]) = true;
      ++foreign;
    }
    for (size_t k = 0; k <= n; ++k) {
      for (size_t a = 0; a <= n; ++a) {
        for (size_t b = 0; b <= n; ++b) reach[a][b] = reach[a][b] || (reach[a][k] && reach[k][b]);
      }
    }
    for (size_t a = 0; a <= n; ++a) {
      if (reach[a][a]) return false;
    }
    return true;
  }

  size_t ForeignUpTo(size_t op) const {
    size_t count = 0;
    for (size_t o = 0; o <= op; ++o) count += !Member(o) && stream[o] == stream[group[0]] ? 1 : 0;
    return count;
  }
};

Program RandomProgram(Rng& rng) {
  Program p;
  const size_t n = static_cast<size_t>(rng.Between(2, 8));
  const int64_t streams = rng.Between(1, 3);
  for (size_t i = 0; i < n; ++i) p.stream.push_back(static_cast<int32_t>(rng.Between(0, streams - 1)));
  const int64_t density = rng.Between(5, 40);
  for (size_t b = 0; b < n; ++b) {
    for (size_t a = 0; a < b; ++a) {
      if (rng.Percent(density)) (rng.Percent(80) ? p.reads : p.order).emplace_back(a, b);
    }
  }
  const size_t first = rng.Below(n);
  for (size_t o = first; o < n; ++o) {
    if (p.stream[o] == p.stream[first] && (o == first || rng.Percent(50))) p.group.push_back(o);
  }
  return p;
}

TEST(FusionPlace, IsOneOfThoseThatWorkAndIsFoundIfThereIsOne) {
  Rng rng(7);
  int refused = 0, moved_up = 0, behind_foreign = 0;
  for (int i = 0; i < 30000; ++i) {
    const Program p = RandomProgram(rng);
    const absl::StatusOr<Graph> graph = p.Build();
    bool possible = false;
    for (size_t before = 0; before <= p.ForeignUpTo(p.stream.size() - 1); ++before) {
      possible = possible || p.Works(before);
    }
    ASSERT_EQ(graph.ok(), possible) << p.Text() << ": " << graph.status();
    if (!graph.ok()) {
      EXPECT_THAT(std::string(graph.status().message()), HasSubstr("cycle"));
      ++refused;
      continue;
    }
    const size_t at = graph->fusions()[0].at.index();
    ASSERT_TRUE(p.Works(p.ForeignUpTo(at))) << p.Text() << ": at " << at;
    // Without need no group leaves its last member's place.
    EXPECT_EQ(at == p.group.back(), p.Works(p.ForeignUpTo(p.group.back()))) << p.Text() << ": at " << at;
    moved_up += at != p.group.back() ? 1 : 0;
    behind_foreign += p.Member(at) ? 0 : 1;
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(moved_up, 500);
  EXPECT_GT(behind_foreign, 20);
}

}  // namespace
}  // namespace bufplan
