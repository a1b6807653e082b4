// Graphs of which a quadratic checker would make a test that does not end.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/checker.h"
#include "ir/graph.h"
#include "ir/graph_builder.h"
#include "tests/ir/built.h"
#include "tests/ir/hand_plan.h"

namespace bufplan {
namespace {

TEST(CheckerScaleTest, ChainOfPartialUpdatesInPlace) {
  constexpr int64_t kUpdates = 20000;
  GraphBuilder b;
  ValueId k = b.Input("K", 64 * kUpdates);
  std::vector<ValueId> rows, versions = {k};
  for (int64_t i = 0; i < kUpdates; ++i) {
    rows.push_back(b.Compute("", {.writes = {{.bytes = 32}}}));
    versions.push_back(k = b.Update("", k, rows.back(), 64 * ((i * 7919) % kUpdates)));
  }
  b.Output(k);
  const Graph g = Built(std::move(b));
  HandPlan plan(g);
  for (ValueId v : versions) plan.At(v, 0);
  for (ValueId v : rows) plan.At(v, 64 * kUpdates);
  plan.Copies(0, kUpdates, 32 * kUpdates);
  EXPECT_EQ(CheckText(g, plan.Done()), "ok");
  // One row's result is lost: found among 40,000 pieces.
  Plan broken = HandPlan(plan).At(rows[10000], 64 * 7).Done();
  EXPECT_NE(CheckKinds(g, broken), "");
}

Graph Ops(int ops, int streams) {
  GraphBuilder b;
  std::vector<StreamId> s;
  s.reserve(static_cast<size_t>(streams));
  for (int i = 0; i < streams; ++i) s.push_back(b.AddStream(absl::StrCat("s", i)));
  std::vector<ValueId> v = {b.Input("x", 4096), b.Input("y", 4096)};
  const ValueId w = b.Constant("w", 1 << 20);
  for (int i = 0; i < ops; ++i) {
    const StreamId stream = s[static_cast<size_t>(i / 16 % streams)];
    const ValueId a = v[v.size() - 1], c = v[v.size() - 2];
    v.push_back(b.Compute("", {.reads = {a, c, w}, .writes = {{.bytes = 4096}}, .options = {.stream = stream}}));
  }
  b.Output(v.back());
  return Built(std::move(b));
}

TEST(CheckerScaleTest, ManyOps) {
  for (int streams : {1, 8}) {
    const Graph g = Ops(100000, streams);
    HandPlan plan(g);
    int64_t next = 0;
    for (size_t i = 0; i < g.values().size(); ++i) {
      if (g.values()[i].role != Role::kConstant) plan.At(ValueId(static_cast<int32_t>(i)), 4096 * (next++ % 3));
    }
    EXPECT_EQ(CheckText(g, plan.Done()), "ok") << streams;
  }
}

TEST(CheckerScaleTest, ConcatOfManyParts) {
  GraphBuilder b;
  std::vector<ValueId> parts;
  parts.reserve(20000);
  for (int i = 0; i < 20000; ++i) parts.push_back(b.Compute("", {.writes = {{.bytes = 16}}}));
  const ValueId c = b.Concat("cat", parts, "c");
  const ValueId d = b.Clone("clone", c, "d");
  b.Output(d);
  const Graph g = Built(std::move(b));
  HandPlan plan(g);
  for (int64_t i = 0; i < 20000; ++i) plan.At(parts[static_cast<size_t>(i)], 16 * i);
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(c, 0).At(d, 320000).Copies(1, 1, 320000).Done()), "ok");
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(c, 320000).At(d, 0).Copies(0, 2, 640000).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(plan).At(c, 16).At(d, 400000).Copies(0, 2, 640000).Done()), "own-operand");
}

// Many ops read one value in many pieces, while others write beside it, or by mistake into it.
TEST(CheckerScaleTest, ManyReadersOfManyPieces) {
  constexpr int64_t kParts = 20000, kBytes = 16 * kParts;
  GraphBuilder b;
  std::vector<ValueId> parts, versions;
  for (int64_t i = 0; i < kParts; ++i) parts.push_back(b.Compute("", {.writes = {{.bytes = 16}}}));
  versions.push_back(b.Concat("", parts));
  std::vector<ValueId> rows, beside;
  for (int64_t i = 0; i < kParts; ++i) {
    b.Compute("", {.reads = {{versions.back(), Region{i % 5, kBytes - 8, {}}}}});
    beside.push_back(b.Compute("", {.writes = {{.bytes = 8}}}));
    if (i % 7 != 0) continue;
    rows.push_back(b.Compute("", {.writes = {{.bytes = 4}}}));
    versions.push_back(b.Update("", versions.back(), rows.back(), 16 * ((i * 7919) % kParts)));
  }
  b.Output(versions.back());
  const Graph g = Built(std::move(b));
  HandPlan plan(g);
  for (int64_t i = 0; i < kParts; ++i) plan.At(parts[static_cast<size_t>(i)], 16 * i);
  for (ValueId v : versions) plan.At(v, 0);
  for (ValueId v : beside) plan.At(v, kBytes);
  for (size_t i = 0; i < rows.size(); ++i) plan.At(rows[i], kBytes + 8);
  const int64_t updates = static_cast<int64_t>(rows.size());
  plan.Copies(1, updates, 4 * updates);
  EXPECT_EQ(CheckText(g, plan.Done()), "ok");
  for (const int64_t at : {int64_t{100}, 16 * kParts / 2 - 4, kBytes - 32}) {
    EXPECT_NE(CheckKinds(g, HandPlan(plan).At(beside[kParts / 3], at).Done()), "") << at;
  }
}

// Many streams read one value in many pieces; then one op writes each piece.
TEST(CheckerScaleTest, ManyReadersOnManyStreams) {
  constexpr int kStreams = 64, kReaders = 20000, kPieces = 2000;
  GraphBuilder b;
  std::vector<StreamId> s;
  s.reserve(kStreams);
  for (int i = 0; i < kStreams; ++i) s.push_back(b.AddStream(absl::StrCat("s", i)));
  ValueId x = b.Input("x", 8 * kPieces);
  const ValueId first = x;
  for (int i = 0; i < kReaders; ++i) {
    const int64_t at = 8 * ((i * 31) % (kPieces - 8));
    b.Compute("", {.reads = {{x, Region{at, 64, {}}}}, .options = {.stream = s[static_cast<size_t>(i % kStreams)]}});
  }
  b.Barrier("all", {.stream = s[0]});
  const OpId all = b.last_op();
  for (int i = 0; i < kStreams; ++i) b.Order(OpId(kReaders - kStreams + i), all);
  std::vector<ValueId> versions;
  for (int64_t i = 0; i < kPieces; ++i) {
    versions.push_back(
        x = b.Compute("", {.writes = {{.bytes = 8 * kPieces, .base = x, .region = Region{8 * i, 8, {}}}}}));
  }
  b.Output(x);
  const Graph g = Built(std::move(b));
  HandPlan plan(g);
  plan.At(first, 0);
  for (ValueId v : versions) plan.At(v, 0);
  EXPECT_EQ(CheckText(g, plan.Done()), "ok");
}

TEST(CheckerScaleTest, ManyKeepAlives) {
  GraphBuilder b;
  std::vector<ValueId> v;
  v.reserve(20000);
  for (int i = 0; i < 20000; ++i) v.push_back(b.Compute("", {.writes = {{.bytes = 8}}}));
  for (ValueId x : v) b.KeepAliveUntil(x, OpId(19999));
  const Graph g = Built(std::move(b));
  HandPlan plan(g);
  for (int64_t i = 0; i < 20000; ++i) plan.At(v[static_cast<size_t>(i)], 8 * i);
  EXPECT_EQ(CheckText(g, plan.Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(plan).At(v[500], 8).Done()), "keep-alive");
}

// A transpose, its inverse in place, and a reader of the original.
TEST(CheckerScaleTest, Transposes) {
  constexpr int64_t kN = 300;
  GraphBuilder b;
  const ValueId x = b.Input("x", 4 * kN * kN);
  const Region columns{0, 4, {{kN, 4}, {kN, 4 * kN}}};
  const ValueId t = b.Copy("t", {{x, columns, std::nullopt}}, std::nullopt, 4 * kN * kN, "xt");
  const ValueId u = b.Copy("u", {{t, columns, std::nullopt}}, std::nullopt, 4 * kN * kN, "xtt");
  b.Compute("read", {.reads = {x, u}});
  const Graph g = Built(std::move(b));
  const int64_t bytes = 4 * kN * kN;
  // Twice transposed it is x again: it may be written where x is, while x is needed.
  EXPECT_EQ(CheckText(g, HandPlan(g).At(x, 0).At(t, bytes).At(u, 0).Copies(0, 2, 2 * bytes).Done()), "ok");
  EXPECT_EQ(CheckText(g, HandPlan(g).At(x, 0).At(t, bytes).At(u, 2 * bytes).Copies(0, 2, 2 * bytes).Done()), "ok");
  EXPECT_NE(CheckKinds(g, HandPlan(g).At(x, 0).At(t, bytes).At(u, 4).Copies(0, 2, 2 * bytes).Done()), "");
}

// A decode step over 64 caches of 4,095 rows: each is read head by head with the new row in it, in 131,040 runs of 256
// bytes where there are 32 heads. Nothing is moved. `updated`: what is read is the cache with the row, not the cache
// and the row.
struct Caches {
  Caches(int64_t heads, bool updated) : heads(heads), row_bytes(heads * kRun) {
    GraphBuilder b;
    s = b.AddSymbol("s", 0, kRows - 1);
    for (int i = 0; i < 64; ++i) Add(b, updated);
    graph = Built(std::move(b));
  }
  void Add(GraphBuilder& b, bool updated) {
    Cache n;
    n.k = b.Variable("", row_bytes * kRows);
    n.row = b.Compute("", {.writes = {{.bytes = row_bytes}}});
    if (updated) n.k1 = b.Update("", n.k, n.row, row_bytes * s);
    const Region past{0, kRun, {{heads, kRun}, {s, row_bytes}}}, past_in_c{0, kRun * s, {{heads, kRun * (s + 1)}}},
        row_in_c{kRun * s, kRun, {{heads, kRun * (s + 1)}}}, all{0, kRun, {{heads, kRun}, {s + 1, row_bytes}}};
    std::vector<CopyPart> parts = {{n.k, past, past_in_c}, {n.row, std::nullopt, row_in_c}};
    if (updated) parts = {{n.k1, all, std::nullopt}};
    n.c = b.Copy("", parts, std::nullopt, row_bytes * (s + 1));
    n.y = b.Compute("", {.reads = {{n.c, Region{0, row_bytes * (s + 1), {}}, true}}, .writes = {{.bytes = row_bytes}}});
    if (!updated) n.k1 = b.Update("", n.k, n.row, row_bytes * s);
    b.Commit("", n.k1, n.k);
    b.Output(n.y);
    caches.push_back(n);
  }
  HandPlan Planned() const {
    HandPlan plan(graph);
    for (size_t i = 0; i < caches.size(); ++i) {
      const Cache& n = caches[i];
      plan.In(n.row, n.k, row_bytes * s).In(n.k1, n.k, 0).At(n.y, row_bytes * static_cast<int64_t>(i));
      plan.In(n.c, n.k, 0).Strided(n.c, kRun, {{heads, kRun}, {s + 1, row_bytes}});
    }
    return plan;
  }
  struct Cache {
    ValueId k, row, c, y, k1;
  };
  static constexpr int64_t kRun = 256, kRows = 4095;
  int64_t heads, row_bytes;
  Expr s;
  std::vector<Cache> caches;
  Graph graph = *GraphBuilder().Build();
};

TEST(CheckerScaleTest, StridedCaches) {
  for (const bool updated : {false, true}) {
    for (const int64_t heads : {32, 100}) {
      const Caches c(heads, updated);
      EXPECT_EQ(CheckText(c.graph, c.Planned().Done()), "ok") << heads << " " << updated;
    }
  }
}

// What does not decide at a glance is spelled out.
TEST(CheckerScaleTest, StridedCachesOfWhichOneIsWrong) {
  const Caches c(32, false);
  Plan plan = c.Planned().Done();
  const Strides wrong{Caches::kRun, {{c.heads, Caches::kRun}, {c.s + 1, c.row_bytes + Caches::kRun}}};
  plan.locations[c.caches[40].c.index()].strides = std::make_shared<const Strides>(wrong);
  EXPECT_NE(CheckKinds(c.graph, plan, {.symbol_values = std::vector<int64_t>{Caches::kRows - 2}}), "");
}

TEST(CheckerScaleTest, LongNames) {
  const std::string long_name(1024, 'n');
  GraphBuilder b;
  const ValueId x = b.Input(long_name, 8);
  b.Output(b.Compute(long_name, {.reads = {x}, .writes = {{.name = "y", .bytes = 8}}}));
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).At(x, 0).At(ValueId(1), 4).Done()),
            absl::StrCat("own-operand: op \"", long_name, "\" reads value \"", long_name,
                         "\" at device+0 and writes value \"y\" at device+4 in the same bytes [4,8), undeclared\n"));
}

}  // namespace
}  // namespace bufplan
