// What a graph-optimising backend says to a GraphBuilder: keep-alives, concurrent regions and fusion groups, in any
// order, before or after the ops, and more than once.
#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "ir/where.h"
#include "tests/io/graph_equal.h"
#include "tests/oracle/random.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Graph BuildOrDie(GraphBuilder b) {
  absl::StatusOr<Graph> graph = std::move(b).Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *std::move(graph);
}

OpId Named(const Graph& g, absl::string_view name) { return g.FindOp(name).value_or(OpId(-1)); }
std::string StreamOf(const Graph& g, absl::string_view op) { return std::string(g.name(g.op(Named(g, op)).stream)); }
bool Before(const Graph& g, absl::string_view a, absl::string_view b) {
  return g.happens_before().Before(Named(g, a).value, Named(g, b).value);
}

// Adds barriers of these names, in this order.
void AddOps(GraphBuilder& b, const std::vector<std::string>& names) {
  for (const std::string& name : names) b.Barrier(name);
}

TEST(ConcurrentRegion, BranchesRunAtOnceBetweenForkAndJoin) {
  GraphBuilder b;
  AddOps(b, {"before", "fork", "q0", "k0", "q1", "beside", "v0", "join", "after"});
  const ConcurrentId region = b.OpenConcurrent(OpId(1));
  b.AddToBranch(region, 7, OpId(2));
  b.AddToBranch(region, 7, OpId(4));
  b.AddToBranch(region, 8, OpId(3));
  b.AddToBranch(region, -3, OpId(6));
  b.CloseConcurrent(region, OpId(7));
  const Graph g = BuildOrDie(std::move(b));
  EXPECT_EQ(g.num_streams(), 4);
  EXPECT_EQ(StreamOf(g, "v0"), "main.1");
  EXPECT_EQ(StreamOf(g, "q0"), "main.2");
  EXPECT_EQ(StreamOf(g, "q1"), "main.2");
  EXPECT_EQ(StreamOf(g, "k0"), "main.3");
  for (const char* op : {"before", "fork", "beside", "join", "after"}) EXPECT_EQ(StreamOf(g, op), "main");
  EXPECT_THAT(g.order(),
              ElementsAre(OrderEdge{OpId(1), OpId(2)}, OrderEdge{OpId(1), OpId(3)}, OrderEdge{OpId(1), OpId(6)},
                          OrderEdge{OpId(3), OpId(7)}, OrderEdge{OpId(4), OpId(7)}, OrderEdge{OpId(6), OpId(7)}));
  for (const char* op : {"q0", "q1", "k0", "v0"}) {
    EXPECT_TRUE(Before(g, "fork", op) && Before(g, op, "join")) << op;
    for (const char* other : {"q0", "k0", "v0", "beside"}) {
      const bool same = op[0] == other[0];
      EXPECT_EQ(Before(g, op, other) || Before(g, other, op), same && std::string(op) != other) << op << other;
    }
  }
}

TEST(ConcurrentRegion, RegionsThatFollowEachOtherShareTheirStreams) {
  constexpr int32_t kLayers = 50;
  GraphBuilder b;
  for (int32_t i = 0; i < kLayers; ++i) {
    AddOps(b, {"", "", "", ""});
    const ConcurrentId region = b.OpenConcurrent(OpId(4 * i));
    for (int32_t branch = 0; branch < 2 + i % 2; ++branch) b.AddToBranch(region, branch, OpId(4 * i + 1 + branch));
    b.CloseConcurrent(region, OpId(4 * i + 4));  // the next one's fork
  }
  b.Barrier("end");
  const Graph g = BuildOrDie(std::move(b));
  EXPECT_EQ(g.num_streams(), 4);
  EXPECT_EQ(StreamOf(g, "op193"), "main.1");
  EXPECT_EQ(StreamOf(g, "op198"), "main.2");
  EXPECT_EQ(StreamOf(g, "op199"), "main.3");
}

TEST(ConcurrentRegion, RegionsThatOverlapDoNot) {
  GraphBuilder b;
  AddOps(b, {"f1", "a", "f2", "b", "j1", "c", "j2"});
  const ConcurrentId first = b.OpenConcurrent(OpId(0)), second = b.OpenConcurrent(OpId(2));
  b.AddToBranch(first, 0, OpId(1));
  b.AddToBranch(second, 0, OpId(3));
  b.AddToBranch(second, 0, OpId(5));
  b.CloseConcurrent(second, OpId(6));
  b.CloseConcurrent(first, OpId(4));
  const Graph g = BuildOrDie(std::move(b));
  EXPECT_EQ(StreamOf(g, "a"), "main.1");
  EXPECT_EQ(StreamOf(g, "b"), "main.2");
  EXPECT_FALSE(Before(g, "a", "b"));
}

// f ─┬─ f1 ─┬─ a ─┬─ j1 ─┬─ j      and a second such region in the other branch, which may run beside it
//    │      └─ b ─┘      │
//    └─ f2 ─┬─ c ─┬─ j2 ─┘
//           └─ d ─┘
TEST(ConcurrentRegion, MayLieInABranch) {
  GraphBuilder b;
  AddOps(b, {"f", "f1", "a", "b", "j1", "f2", "c", "d", "j2", "j"});
  const ConcurrentId inner1 = b.OpenConcurrent(OpId(1)), inner2 = b.OpenConcurrent(OpId(5));
  for (int32_t i : {0, 1}) {
    b.AddToBranch(inner1, i, OpId(2 + i));
    b.AddToBranch(inner2, i, OpId(6 + i));
  }
  b.CloseConcurrent(inner1, OpId(4));
  b.CloseConcurrent(inner2, OpId(8));
  const ConcurrentId outer = b.OpenConcurrent(OpId(0));
  for (int32_t op : {1, 4}) b.AddToBranch(outer, 0, OpId(op));
  for (int32_t op : {5, 8}) b.AddToBranch(outer, 1, OpId(op));
  b.CloseConcurrent(outer, OpId(9));
  const Graph g = BuildOrDie(std::move(b));
  EXPECT_EQ(StreamOf(g, "j1"), "main.1");
  EXPECT_EQ(StreamOf(g, "f2"), "main.2");
  EXPECT_EQ(StreamOf(g, "a"), "main.1.1");
  EXPECT_EQ(StreamOf(g, "d"), "main.2.2");
  for (const char* op : {"a", "b", "c", "d"}) EXPECT_TRUE(Before(g, "f", op) && Before(g, op, "j")) << op;
  for (const char* other : {"f2", "c", "d", "j2"}) EXPECT_FALSE(Before(g, "a", other)) << other;
}

TEST(ConcurrentRegion, StreamNamesAreNew) {
  GraphBuilder b;
  b.AddStream("x");
  b.AddStream("x.1");
  AddOps(b, {"f", "a", "j"});
  const ConcurrentId region = b.OpenConcurrent(OpId(0));
  b.AddToBranch(region, 0, OpId(1));
  b.CloseConcurrent(region, OpId(2));
  EXPECT_EQ(StreamOf(BuildOrDie(std::move(b)), "a"), "x.1_");
}

TEST(ConcurrentRegion, WithoutBranchesAddsNothing) {
  GraphBuilder b;
  AddOps(b, {"f", "j"});
  b.CloseConcurrent(b.OpenConcurrent(OpId(0)), OpId(1));
  const Graph g = BuildOrDie(std::move(b));
  EXPECT_EQ(g.num_streams(), 1);
  EXPECT_THAT(g.order(), IsEmpty());
}

TEST(ConcurrentRegion, FaultsAreNamed) {
  const auto refused = [](absl::string_view place, const std::vector<std::string>& texts,
                          const std::function<void(GraphBuilder&)>& say) {
    GraphBuilder b;
    b.AddStream("main");
    b.AddStream("other");
    AddOps(b, {"f", "a", "b", "j", "late"});
    b.Barrier("elsewhere", {.stream = StreamId(1)});
    say(b);
    const absl::Status status = std::move(b).Build().status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_EQ(FaultPlace(status), place) << status;
    for (const std::string& text : texts) EXPECT_THAT(status.message(), HasSubstr(text));
  };
  const OpId f(0), a(1), j(3), late(4), elsewhere(5), unknown(77);
  refused("/ops/0", {"op \"f\"", "never closed"}, [&](GraphBuilder& b) { b.OpenConcurrent(f); });
  refused("/ops/0", {"op \"f\"", "closed twice", "\"j\"", "\"late\""}, [&](GraphBuilder& b) {
    b.CloseConcurrent(b.OpenConcurrent(f), late);
    b.CloseConcurrent(b.OpenConcurrent(f), j);
  });
  refused("/ops/0", {"op \"f\"", "unknown op"},
          [&](GraphBuilder& b) { b.CloseConcurrent(b.OpenConcurrent(f), unknown); });
  refused("/ops", {"opened by an unknown op"}, [&](GraphBuilder& b) { b.OpenConcurrent(unknown); });
  refused("/ops", {"opened by an unknown op"}, [&](GraphBuilder& b) { b.OpenConcurrent(OpId(-1)); });
  refused("/ops", {"unknown concurrent region"}, [&](GraphBuilder& b) { b.CloseConcurrent(ConcurrentId(3), j); });
  refused("/ops", {"unknown concurrent region"}, [&](GraphBuilder& b) { b.AddToBranch(ConcurrentId(-1), 0, j); });
  refused("/ops/0", {"op \"f\"", "op \"j\"", "not listed after"},
          [&](GraphBuilder& b) { b.CloseConcurrent(b.OpenConcurrent(j), f); });
  refused("/ops/5", {"op \"elsewhere\"", "\"other\"", "\"main\""},
          [&](GraphBuilder& b) { b.CloseConcurrent(b.OpenConcurrent(f), elsewhere); });
  const auto branch = [&](std::vector<std::pair<int32_t, OpId>> ops) {
    return [=](GraphBuilder& b) {
      const ConcurrentId region = b.OpenConcurrent(f);
      for (const auto& [number, op] : ops) b.AddToBranch(region, number, op);
      b.CloseConcurrent(region, j);
    };
  };
  refused("/ops/0", {"branch", "op \"f\"", "unknown op"}, branch({{0, a}, {0, unknown}}));
  refused("/ops/1", {"op \"a\"", "two branches"}, branch({{0, a}, {1, a}}));
  refused("/ops/4", {"op \"late\"", "op \"f\"", "op \"j\"", "between"}, branch({{0, a}, {0, late}}));
  refused("/ops/0", {"op \"f\"", "between"}, branch({{0, f}}));
  refused("/ops/3", {"op \"j\"", "between"}, branch({{0, j}}));
  refused("/ops/0/stream", {"op \"op0\"", "unknown stream"}, [&](GraphBuilder& b) {
    b = GraphBuilder();
    b.Barrier("", {.stream = StreamId(9)});
    b.Barrier("");
    b.CloseConcurrent(b.OpenConcurrent(OpId(0)), OpId(1));
  });
}

Fusion Group(absl::string_view name, std::vector<OpId> ops, double benefit = 1.0) {
  return Fusion{.name = std::string(name), .ops = std::move(ops), .benefit = benefit};
}

TEST(FusionProposals, TheSameOneCountsOnceAndTheyAreSorted) {
  GraphBuilder b;
  for (int i = 0; i < 3; ++i) b.Compute("", {.writes = {{.bytes = 8}}});
  b.AddFusion(Group("late", {OpId(2), OpId(1)}));
  b.AddFusion(Group("long", {OpId(0), OpId(1), OpId(2)}));
  b.AddFusion(Group("b", {OpId(1), OpId(0)}));
  b.AddFusion(Group("late", {OpId(1), OpId(2)}));
  b.AddFusion(Group("a", {OpId(0), OpId(1)}));
  const Graph g = BuildOrDie(std::move(b));
  std::vector<std::string> names;
  for (const Fusion& f : g.fusions()) names.push_back(f.name);
  EXPECT_THAT(names, ElementsAre("a", "b", "long", "late"));
}

TEST(FusionProposals, AnotherOneOfThatNameIsRefused) {
  const auto second = [](const Fusion& fusion) {
    GraphBuilder b;
    for (int i = 0; i < 3; ++i) b.Compute("", {.writes = {{.bytes = 8}}});
    b.AddFusion(Group("f", {OpId(0), OpId(1)}));
    b.AddFusion(Group("f", {OpId(1), OpId(0)}));
    b.AddFusion(fusion);
    return std::move(b).Build().status();
  };
  EXPECT_TRUE(second(Group("f", {OpId(0), OpId(1)})).ok());
  Fusion required = Group("f", {OpId(0), OpId(1)});
  required.required = true;
  for (const Fusion& other : {Group("f", {OpId(0), OpId(2)}), Group("f", {OpId(0), OpId(1)}, 2), required}) {
    const absl::Status status = second(other);
    EXPECT_THAT(status.message(), HasSubstr("fusion \"f\": name is used twice"));
    EXPECT_EQ(FaultPlace(status), "/fusions/2/name");
  }
}

TEST(BackendCalls, ExampleOfTheReadme) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8192), w = b.Constant("w", 1 << 20), w_o = b.Constant("w_o", 1 << 20);

  const ValueId n = b.Compute("norm", {.reads = {x}, .writes = {{.bytes = 8192}}});
  const OpId norm = b.last_op();
  const ValueId q = b.Compute("mm_q", {.reads = {n, w}, .writes = {{.bytes = 8192}}});
  const OpId mm_q = b.last_op();
  const ValueId k = b.Compute("mm_k", {.reads = {n, w}, .writes = {{.bytes = 2048}}});
  const OpId mm_k = b.last_op();
  const ValueId a = b.Compute("attn", {.reads = {q, k}, .writes = {{.bytes = 8192}}});
  const OpId attn = b.last_op();
  const ValueId o = b.Compute("proj", {.reads = {a, w_o}, .writes = {{.bytes = 8192}}});
  const OpId proj = b.last_op();
  b.Output(b.Compute("add", {.reads = {o, x}, .writes = {{.bytes = 8192, .in_place = {o, x}}}}));
  const OpId add = b.last_op();

  const ConcurrentId qk = b.OpenConcurrent(norm);
  b.AddToBranch(qk, 0, mm_q);
  b.AddToBranch(qk, 1, mm_k);
  b.CloseConcurrent(qk, attn);
  b.KeepAliveUntil(n, attn);
  b.AddFusion({.name = "proj_add", .ops = {proj, add}});

  const Graph g = BuildOrDie(std::move(b));
  EXPECT_TRUE(g.happens_before().Concurrent(mm_q.value, mm_k.value));
  EXPECT_THAT(g.keep_alive(), ElementsAre(KeepAlive{n, attn}));
  ASSERT_EQ(g.fusions().size(), 1u);
  EXPECT_THAT(g.fusions()[0].ops, ElementsAre(proj, add));
}

// Calls in any order, some more than once, give one graph. The ops of random layers, each a fork, branches of one or
// two ops and a join, are calls among the others; only their own order is kept.
class Shuffled {
 public:
  explicit Shuffled(uint64_t seed) : rng_(seed) {
    const int64_t layers = rng_.Between(1, 3);
    for (int64_t i = 0; i < layers; ++i) AddLayer(absl::StrCat("l", i, "."));
  }

  Graph Build(bool shuffle) {
    std::vector<Call> calls = said_;
    for (size_t i = 0; shuffle && i < said_.size(); ++i) {
      if (rng_.Percent(30)) calls.push_back(said_[i]);
    }
    if (shuffle) rng_.Shuffle(calls);
    GraphBuilder b;
    size_t next_op = 0;
    for (const Call& call : calls) {
      while (next_op < ops_.size() && (!shuffle || rng_.Percent(40))) ops_[next_op++](b);
      call(b);
    }
    while (next_op < ops_.size()) ops_[next_op++](b);
    return BuildOrDie(std::move(b));
  }

 private:
  using Call = std::function<void(GraphBuilder&)>;

  // An op that reads the value `from` and writes the next one; returns its id, which is also its result's.
  int32_t AddOp(const std::string& name, int32_t from) {
    ops_.push_back([name, from](GraphBuilder& b) {
      std::vector<Operand> reads;
      if (from >= 0) reads.push_back(ValueId(from));
      b.Compute(name, {.reads = std::move(reads), .writes = {{.name = name, .bytes = 8}}});
    });
    return static_cast<int32_t>(ops_.size()) - 1;
  }

  void AddLayer(const std::string& prefix) {
    const OpId fork(AddOp(prefix + "fork", static_cast<int32_t>(ops_.size()) - 1));
    const int64_t branches = rng_.Between(1, 3);
    std::vector<std::pair<int32_t, OpId>> members;
    for (int32_t i = 0; i < branches; ++i) {
      const int32_t first = AddOp(absl::StrCat(prefix, "a", i), fork.value);
      members.push_back({i, OpId(first)});
      if (rng_.Percent(50)) continue;
      const OpId second(AddOp(absl::StrCat(prefix, "b", i), first));
      members.push_back({i, second});
      said_.push_back([=](GraphBuilder& b) {
        b.AddFusion(Group(absl::StrCat(prefix, "f", i), {second, OpId(first)}));
      });
    }
    const OpId join(AddOp(prefix + "join", members.back().second.value));
    for (const auto& [branch, op] : members) {
      said_.push_back([=, number = branch, member = op](GraphBuilder& b) {
        b.AddToBranch(b.OpenConcurrent(fork), number, member);
      });
      said_.push_back([=, member = op](GraphBuilder& b) { b.KeepAliveUntil(ValueId(member.value), join); });
    }
    said_.push_back([=](GraphBuilder& b) { b.CloseConcurrent(b.OpenConcurrent(fork), join); });
    said_.push_back([=](GraphBuilder& b) { b.Order(fork, join); });
    said_.push_back([=](GraphBuilder& b) { b.Disjoint(ValueId(join.value), ValueId(fork.value)); });
  }

  Rng rng_;
  std::vector<Call> ops_, said_;
};

TEST(BackendCalls, OrderAndRepetitionDoNotMatter) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Shuffled calls(seed);
    const Graph expected = calls.Build(false);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(GraphDifference(expected, calls.Build(true)), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace bufplan
