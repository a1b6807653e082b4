#include "io/ggml_regions.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "io/ggml.h"
#include "io/json_graph.h"
#include "tests/io/ggml_dump_maker.h"
#include "tests/io/graph_equal.h"
#include "tests/io/test_files.h"

namespace bufplan {
namespace {

using Lines = std::vector<std::string>;

Graph Import(const GgmlDump& dump, GgmlRegions regions) {
  absl::StatusOr<Graph> graph = GraphOfGgmlDump(dump, {.regions = regions});
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? *std::move(graph) : *GraphOfGgmlDump(DumpMaker().dump);
}

Lines KeepAlives(const Graph& g) {
  Lines lines;
  for (const KeepAlive& k : g.keep_alive()) lines.push_back(absl::StrCat(g.name(k.value), " until ", g.name(k.until)));
  return lines;
}

std::string Names(const Graph& g, absl::Span<const OpId> ops) {
  return absl::StrJoin(ops, ", ", [&](std::string* out, OpId op) { absl::StrAppend(out, g.name(op)); });
}

Lines Fusions(const Graph& g) {
  Lines lines;
  for (const Fusion& f : g.fusions()) lines.push_back(absl::StrCat(f.name, ": ", Names(g, f.ops)));
  return lines;
}

// One line per stream that has ops.
Lines Streams(const Graph& g) {
  Lines lines;
  for (int32_t s = 0; s < g.num_streams(); ++s) {
    std::vector<OpId> ops;
    for (size_t i = 0; i < g.ops().size(); ++i) {
      if (g.ops()[i].stream == StreamId(s)) ops.push_back(OpId(static_cast<int32_t>(i)));
    }
    if (!ops.empty()) lines.push_back(absl::StrCat(g.name(StreamId(s)), ": ", Names(g, ops)));
  }
  return lines;
}

Lines Order(const Graph& g) {
  Lines lines;
  for (const OrderEdge& e : g.order()) lines.push_back(absl::StrCat(g.name(e.before), " < ", g.name(e.after)));
  return lines;
}

TEST(GgmlRegions, KeepHoldsTheContentThatIsThereAtTheEnd) {
  DumpMaker m;
  const int32_t x = m.AddLeaf("x", GgmlBuffer::kCompute, 64);
  const int32_t a = m.AddNode("RELU", "a", 64, {x});
  const int32_t stale = m.AddView("VIEW", "stale", a, 0, 32, {a});
  const int32_t b = m.AddNode("RELU", "b", 32, {stale});
  const int32_t scaled = m.AddView("SCALE", "scaled", a, 0, 64, {a});
  const int32_t half = m.AddView("VIEW", "half", a, 32, 32, {scaled});
  const int32_t y = m.AddNode("ADD", "y", 32, {b, half});
  m.AddView("SCALE", "later", a, 0, 64, {a});
  m.AddRegion(GgmlRegionKind::kTopkMoe, y, {x, b, half}, {b});
  EXPECT_EQ(KeepAlives(Import(m.dump, GgmlRegions::kKeep)), (Lines{"x until y", "b until y", "half until y"}));
  m.dump.regions[0].keep = {a};  // Its newest version then, not the one after.
  EXPECT_EQ(KeepAlives(Import(m.dump, GgmlRegions::kKeep)), (Lines{"scaled until y"}));
  m.dump.regions[0].keep = {stale};  // What lies there by then.
  EXPECT_EQ(KeepAlives(Import(m.dump, GgmlRegions::kKeep)), (Lines{"scaled until y"}));
  m.dump.regions[0].keep = {y, y};
  EXPECT_EQ(KeepAlives(Import(m.dump, GgmlRegions::kKeep)), (Lines{"y until y"}));
  EXPECT_EQ(KeepAlives(Import(m.dump, GgmlRegions::kIgnore)), Lines{});
  EXPECT_EQ(KeepAlives(Import(m.dump, GgmlRegions::kFuse)), Lines{});
}

TEST(GgmlRegions, FuseTakesAllOpsFromTheFirstElidedNode) {
  DumpMaker m;
  const int32_t cache = m.AddLeaf("cache", GgmlBuffer::kKvCache, 64);
  const int32_t x = m.AddLeaf("x", GgmlBuffer::kCompute, 32);
  const int32_t old = m.AddView("VIEW", "old", cache, 0, 32, {cache});
  const int32_t a = m.AddNode("RELU", "a", 32, {x});
  m.AddView("CPY", "cpy", cache, 0, 64, {x});
  const int32_t p = m.AddNode("MUL_MAT", "p", 32, {a});
  const int32_t v = m.AddView("VIEW", "v", p, 0, 16, {p});
  const int32_t q = m.AddNode("MUL_MAT", "q", 32, {a, old});  // The cache's new content: a view is made for it.
  const int32_t y = m.AddNode("SWIGLU", "y", 32, {q, p});
  m.AddNode("ADD", "z", 32, {y, v});
  m.AddRegion(GgmlRegionKind::kGluPair, y, {a}, {q, p});
  m.AddRegion(GgmlRegionKind::kMoeReduce, y, {a}, {});    // Nothing to gain.
  m.AddRegion(GgmlRegionKind::kQkvStreams, y, {a}, {p});  // No kernel.
  m.AddRegion(GgmlRegionKind::kGluPair, y, {a}, {v});
  m.AddRegion(GgmlRegionKind::kTopkMoe, v, {a}, {p});
  const Graph graph = Import(m.dump, GgmlRegions::kFuse);
  EXPECT_EQ(Fusions(graph),
            (Lines{"topk_moe v: p, v", "glu_pair y: p, v, old@5, q, y", "glu_pair y#2: v, old@5, q, y"}));
  for (const Fusion& f : graph.fusions()) {
    EXPECT_FALSE(f.required);
    EXPECT_EQ(f.benefit, 1.0);
    EXPECT_TRUE(f.in_place.empty());
  }
  EXPECT_EQ(graph.num_streams(), 1);
  EXPECT_EQ(Fusions(Import(m.dump, GgmlRegions::kKeep)), Lines{});
}

// A decoder's attention, as far as it takes part: caches of K and V, one row stored, all rows read.
struct Attention {
  int32_t norm, until;
};
Attention AddAttention(DumpMaker& m, int32_t x, int32_t k_cache, int32_t v_cache, const std::string& layer) {
  const int32_t norm = m.AddNode("MUL", "norm" + layer, 64, {x});
  const int32_t q = m.AddNode("MUL_MAT", "q" + layer, 64, {norm});
  const int32_t v = m.AddNode("MUL_MAT", "v" + layer, 64, {norm});
  const int32_t k = m.AddNode("MUL_MAT", "k" + layer, 64, {norm});
  const int32_t q_rope = m.AddNode("ROPE", "q_rope" + layer, 64, {q});
  const int32_t k_slot = m.AddView("VIEW", "k_slot" + layer, k_cache, 64, 64, {k_cache});
  m.AddView("CPY", "k_store" + layer, k_cache, 64, 64, {k, k_slot});
  m.AddView("CPY", "v_store" + layer, v_cache, 64, 64, {v});
  const int32_t k_all = m.AddView("VIEW", "k_all" + layer, k_cache, 0, 256, {k_cache});
  const int32_t v_all = m.AddView("VIEW", "v_all" + layer, v_cache, 0, 256, {v_cache});
  const int32_t mask = m.AddNode("CPY", "mask" + layer, 64, {x});
  const int32_t kq = m.AddNode("MUL_MAT", "kq" + layer, 64, {k_all, q_rope, mask});
  m.AddNode("MUL_MAT", "out" + layer, 64, {v_all, kq});
  m.AddRegion(GgmlRegionKind::kQkvStreams, kq, {x, q, norm, mask}, {});
  return {norm, kq};
}

TEST(GgmlRegions, EachReaderOfTheNormStartsABranch) {
  DumpMaker m;
  const int32_t k_cache = m.AddLeaf("k_cache", GgmlBuffer::kKvCache, 256);
  const int32_t v_cache = m.AddLeaf("v_cache", GgmlBuffer::kKvCache, 256);
  const int32_t x = m.AddLeaf("x", GgmlBuffer::kCompute, 64);
  AddAttention(m, x, k_cache, v_cache, "");
  const Graph graph = Import(m.dump, GgmlRegions::kStreams);
  EXPECT_EQ(Streams(graph), (Lines{"main: norm, k_slot, mask, kq, out, commit k_cache, commit v_cache",
                                   "branch1: q, q_rope", "branch2: v, v_store, v_all", "branch3: k, k_store, k_all"}));
  EXPECT_EQ(Order(graph), (Lines{"k_slot < k_store"}));  // It sees the old content.
  EXPECT_TRUE(graph.keep_alive().empty());
  EXPECT_EQ(Streams(Import(m.dump, GgmlRegions::kKeep)).size(), 1u);
}

TEST(GgmlRegions, RegionsTakeTheSameStreams) {
  DumpMaker m;
  const int32_t k_cache = m.AddLeaf("k_cache", GgmlBuffer::kKvCache, 256);
  const int32_t v_cache = m.AddLeaf("v_cache", GgmlBuffer::kKvCache, 256);
  const int32_t x = m.AddLeaf("x", GgmlBuffer::kCompute, 64);
  AddAttention(m, x, k_cache, v_cache, "-0");
  const int32_t between = static_cast<int32_t>(m.dump.tensors.size()) - 1;
  const Attention second = AddAttention(m, between, k_cache, v_cache, "-1");
  std::swap(m.dump.regions[0], m.dump.regions[1]);
  const Graph graph = Import(m.dump, GgmlRegions::kStreams);
  EXPECT_EQ(graph.num_streams(), 4);
  EXPECT_EQ(Streams(graph)[1], "branch1: q-0, q_rope-0, q-1, q_rope-1");
  // out-0 reads what v_store-1 overwrites: norm-1 waits for it already.
  EXPECT_EQ(Order(graph), (Lines{"k_slot-0 < k_store-0", "k_slot-1 < k_store-1"}));

  m.dump.regions[1].until = second.until;  // The first region's norm, up to the second's end
  m.dump.regions[0].keep = {second.norm};
  const absl::Status status = GraphOfGgmlDump(m.dump, {.regions = GgmlRegions::kStreams}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()),
            "at /keep_regions/1: its branches start at \"norm-0\", inside of another qkv_streams region, which ends at "
            "\"kq-1\"");
}

TEST(GgmlRegions, AStoreWaitsForReadersOnOtherStreams) {
  DumpMaker m;
  const int32_t cache = m.AddLeaf("cache", GgmlBuffer::kKvCache, 256);
  const int32_t x = m.AddLeaf("x", GgmlBuffer::kCompute, 64);
  const int32_t norm = m.AddNode("MUL", "norm", 64, {x});
  const int32_t past = m.AddView("VIEW", "past", cache, 0, 64, {cache});
  const int32_t a = m.AddNode("MUL_MAT", "a", 64, {norm, past});   // through a view
  const int32_t b = m.AddNode("MUL_MAT", "b", 64, {norm, cache});  // by itself
  const int32_t c = m.AddNode("MUL_MAT", "c", 64, {norm});
  m.AddNode("ADD", "d", 64, {c, b});
  m.AddView("CPY", "c_store", cache, 0, 64, {c});
  m.AddNode("ADD", "e", 64, {c});
  const int32_t y = m.AddNode("ADD", "y", 64, {a, cache});  // the new content
  m.AddView("CPY", "y_store", cache, 0, 64, {y});
  m.AddRegion(GgmlRegionKind::kQkvStreams, y, {norm}, {});
  const Graph graph = Import(m.dump, GgmlRegions::kStreams);
  EXPECT_EQ(Streams(graph), (Lines{"main: norm, past, d, y, y_store, commit cache", "branch1: a", "branch2: b",
                                   "branch3: c, c_store, e"}));
  EXPECT_EQ(Order(graph), (Lines{"past < c_store", "a < c_store", "b < c_store"}));
}

TEST(GgmlRegions, AReaderThatNeedsAnotherBranchStaysOnTheMainStream) {
  DumpMaker m;
  const int32_t x = m.AddLeaf("x", GgmlBuffer::kCompute, 64);
  const int32_t norm = m.AddNode("MUL", "norm", 64, {x});
  const int32_t view = m.AddView("RESHAPE", "view", norm, 0, 64, {norm});
  const int32_t a = m.AddNode("MUL_MAT", "a", 64, {view});
  const int32_t b = m.AddNode("MUL_MAT", "b", 64, {norm, a});
  const int32_t c = m.AddNode("MUL_MAT", "c", 64, {norm});
  const int32_t d = m.AddNode("RELU", "d", 64, {b});
  const int32_t y = m.AddNode("RELU", "y", 64, {c});
  m.AddNode("ADD", "after", 64, {y, d});
  m.AddRegion(GgmlRegionKind::kQkvStreams, y, {norm, a}, {});
  const Graph graph = Import(m.dump, GgmlRegions::kStreams);
  EXPECT_EQ(Streams(graph), (Lines{"main: norm, b, d, after", "branch1: view, a", "branch2: c, y"}));
  EXPECT_EQ(graph.num_streams(), 3);
}

TEST(GgmlRegions, WithoutAForkAllStaysOnOneStream) {
  DumpMaker m;
  const int32_t x = m.AddLeaf("x", GgmlBuffer::kCompute, 64);
  const int32_t a = m.AddNode("RELU", "a", 64, {x});
  const int32_t b = m.AddNode("RELU", "b", 64, {a});
  m.AddRegion(GgmlRegionKind::kQkvStreams, b, {x}, {});  // keeps no node
  m.AddRegion(GgmlRegionKind::kGluPair, b, {a}, {a});    // no branches
  const Graph plain = Import(m.dump, GgmlRegions::kIgnore);
  EXPECT_EQ(GraphDifference(Import(m.dump, GgmlRegions::kStreams), plain), "");
  EXPECT_EQ(GraphDifference(Import(DumpMaker().dump, GgmlRegions::kFuse), *GraphOfGgmlDump(DumpMaker().dump)), "");
}

// The real files. What is expected is worked out from the dump alone; ops are found by ggml's ids in their attributes.

class GgmlRegionFiles : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    absl::StatusOr<GgmlDump> dump = ReadGgmlDump(TestFile(absl::StrCat("tests/data/ggml/", GetParam(), ".json")));
    ASSERT_TRUE(dump.ok()) << dump.status();
    dump_ = *std::move(dump);
  }
  const GgmlTensor& Tensor(int32_t i) const { return dump_.tensors[static_cast<size_t>(i)]; }
  int32_t RootOf(int32_t i) const { return Tensor(i).view_src.value_or(i); }
  bool IsNode(int32_t i) const { return static_cast<size_t>(i) >= dump_.num_leafs; }

  // The ops in list order that were made for nodes, with their nodes.
  std::map<int32_t, int32_t> NodeOfOp(const Graph& g) const {
    std::map<int64_t, int32_t> index_of_id;
    for (size_t i = 0; i < dump_.tensors.size(); ++i) index_of_id[dump_.tensors[i].id] = static_cast<int32_t>(i);
    std::map<int32_t, int32_t> nodes;
    for (size_t i = 0; i < g.ops().size(); ++i) {
      const OpId op(static_cast<int32_t>(i));
      const absl::string_view attrs = g.attrs_json(op), prefix = "{\"ggml_id\": ";
      int64_t id = -1;
      if (!absl::StartsWith(attrs, prefix)) continue;
      EXPECT_TRUE(absl::SimpleAtoi(attrs.substr(prefix.size(), attrs.find(',') - prefix.size()), &id)) << attrs;
      nodes[op.value] = index_of_id.at(id);
    }
    return nodes;
  }
  // The nodes that a node needs: operands, and who last wrote into the memory of each.
  std::vector<std::set<int32_t>> Needs() const {
    std::vector<std::set<int32_t>> needs(dump_.tensors.size());
    std::map<int32_t, int32_t> last_writer;
    for (int32_t i = 0; i < static_cast<int32_t>(dump_.tensors.size()); ++i) {
      const GgmlTensor& t = Tensor(i);
      if (!IsNode(i)) continue;
      const bool is_view = t.op == "VIEW" || t.op == "RESHAPE" || t.op == "PERMUTE" || t.op == "TRANSPOSE";
      std::set<int32_t> read(t.src.begin(), t.src.end());
      if (t.view_src.has_value()) read.insert(*t.view_src);
      for (int32_t s : read) {
        // The destination of a copy is no operand.
        const bool destination = t.op == "CPY" && t.view_src == Tensor(s).view_src && s != t.src[0];
        if (s != i && IsNode(s) && !destination) needs[static_cast<size_t>(i)].insert(s);
        if (last_writer.count(RootOf(s)) > 0) needs[static_cast<size_t>(i)].insert(last_writer[RootOf(s)]);
      }
      if (t.view_src.has_value() && !is_view) last_writer[*t.view_src] = i;
    }
    return needs;
  }

  GgmlDump dump_;
};

TEST_P(GgmlRegionFiles, OpsAndValuesAreTheSameInAllModes) {
  const Graph plain = Import(dump_, GgmlRegions::kIgnore);
  for (GgmlRegions mode : {GgmlRegions::kKeep, GgmlRegions::kFuse, GgmlRegions::kStreams}) {
    const Graph graph = Import(dump_, mode);
    ASSERT_EQ(graph.ops().size(), plain.ops().size());
    ASSERT_EQ(graph.values().size(), plain.values().size());
    for (size_t i = 0; i < plain.ops().size(); ++i) {
      const OpId op(static_cast<int32_t>(i));
      EXPECT_EQ(graph.name(op), plain.name(op));
    }
    const absl::StatusOr<Graph> again = ReadGraphJson(WriteGraphJson(graph));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(GraphDifference(graph, *again), "");
  }
}

TEST_P(GgmlRegionFiles, EveryKeptTensorIsKeptAlive) {
  const Graph graph = Import(dump_, GgmlRegions::kKeep);
  std::map<int32_t, OpId> op_of_node;
  for (const auto& [op, node] : NodeOfOp(graph)) op_of_node.emplace(node, OpId(op));
  std::set<std::pair<ValueId, OpId>> expected;
  for (const GgmlRegion& r : dump_.regions) {
    for (int32_t k : r.keep) {
      ASSERT_FALSE(Tensor(k).view_src.has_value());
      const ValueId value = IsNode(k) ? graph.writes(graph.op(op_of_node.at(k)))[0].value
                                      : graph.FindValue(Tensor(k).name).value_or(ValueId(-1));
      expected.insert({value, op_of_node.at(r.until)});
    }
  }
  std::set<std::pair<ValueId, OpId>> kept;
  for (const KeepAlive& k : graph.keep_alive()) kept.insert({k.value, k.until});
  EXPECT_EQ(kept, expected);
}

TEST_P(GgmlRegionFiles, GroupsAreTheNodesFromTheFirstElidedOneToTheLast) {
  const Graph graph = Import(dump_, GgmlRegions::kFuse);
  const std::map<int32_t, int32_t> node_of_op = NodeOfOp(graph);
  std::vector<std::vector<int32_t>> expected, groups;
  for (const GgmlRegion& r : dump_.regions) {
    if (r.kind == GgmlRegionKind::kQkvStreams) continue;
    std::vector<int32_t> group;
    for (int32_t i = *std::min_element(r.elide.begin(), r.elide.end()); i <= r.until; ++i) group.push_back(i);
    expected.push_back(std::move(group));
  }
  for (const Fusion& f : graph.fusions()) {
    std::vector<int32_t> group;
    for (OpId op : f.ops) group.push_back(node_of_op.at(op.value));
    groups.push_back(std::move(group));
  }
  EXPECT_EQ(groups, expected);
}

TEST_P(GgmlRegionFiles, StreamsFollowTheBranches) {
  const Graph graph = Import(dump_, GgmlRegions::kStreams);
  const std::vector<std::set<int32_t>> needs = Needs();
  std::vector<std::string> expected(dump_.tensors.size(), "main");
  size_t regions = 0;
  for (const GgmlRegion& r : dump_.regions) {
    if (r.kind != GgmlRegionKind::kQkvStreams) continue;
    ++regions;
    const int32_t norm = *std::find_if(r.keep.begin(), r.keep.end(), [&](int32_t k) {
      return IsNode(k) && absl::StartsWith(Tensor(k).name, "attn_norm-");
    });
    std::vector<std::set<int32_t>> branches_of(dump_.tensors.size());
    int branches = 0;
    for (int32_t i = norm + 1; i <= r.until; ++i) {
      std::set<int32_t>& mine = branches_of[static_cast<size_t>(i)];
      for (int32_t n : needs[static_cast<size_t>(i)]) {
        mine.insert(branches_of[static_cast<size_t>(n)].begin(), branches_of[static_cast<size_t>(n)].end());
      }
      if (std::count(Tensor(i).src.begin(), Tensor(i).src.end(), norm) > 0) mine.insert(++branches);
      if (mine.size() == 1) expected[static_cast<size_t>(i)] = absl::StrCat("branch", *mine.begin());
    }
    EXPECT_EQ(branches, 3);  // Q, K and V
  }
  EXPECT_EQ(graph.num_streams(), regions > 0 ? 4 : 1);
  const std::map<int32_t, int32_t> node_of_op = NodeOfOp(graph);
  for (size_t i = 0; i < graph.ops().size(); ++i) {
    const auto node = node_of_op.find(static_cast<int32_t>(i));
    EXPECT_EQ(graph.name(graph.ops()[i].stream),
              node == node_of_op.end() ? "main" : expected[static_cast<size_t>(node->second)])
        << graph.name(OpId(static_cast<int32_t>(i)));
  }
}

// Every write into a tensor comes after every op that reads the version before, and no edge is there without need.
TEST_P(GgmlRegionFiles, WritesAreOrderedBehindTheReadersOfTheOldContent) {
  const Graph graph = Import(dump_, GgmlRegions::kStreams);
  std::vector<std::pair<int32_t, int32_t>> data;
  std::vector<int32_t> streams;
  std::map<ValueId, std::vector<OpId>> readers;
  std::set<std::pair<int32_t, int32_t>> wanted;
  for (size_t i = 0; i < graph.ops().size(); ++i) {
    const OpId op(static_cast<int32_t>(i));
    streams.push_back(graph.op(op).stream.value);
    std::vector<ValueId> uses;
    for (const Read& r : graph.reads(graph.op(op))) uses.push_back(r.value);
    for (const Write& w : graph.writes(graph.op(op))) {
      if (w.base.has_value()) uses.push_back(*w.base);
    }
    for (ValueId v : uses) {
      readers[v].push_back(op);
      if (graph.producer(v).has_value()) data.push_back({graph.producer(v)->value, op.value});
    }
    for (const Write& w : graph.writes(graph.op(op))) {
      if (!w.base.has_value()) continue;
      for (OpId reader : readers[*w.base]) {
        if (reader != op) wanted.insert({reader.value, op.value});
        if (graph.op(reader).kind != OpKind::kView) continue;
        for (OpId through : readers[graph.writes(graph.op(reader))[0].value]) {
          if (through != op) wanted.insert({through.value, op.value});
        }
      }
    }
  }
  const absl::StatusOr<HappensBefore> by_data = HappensBefore::Create(streams, graph.num_streams(), data);
  ASSERT_TRUE(by_data.ok()) << by_data.status();
  std::set<std::pair<int32_t, int32_t>> added;
  for (const OrderEdge& e : graph.order()) added.insert({e.before.value, e.after.value});
  for (const auto& [reader, write] : wanted) {
    EXPECT_TRUE(graph.happens_before().Before(reader, write)) << graph.name(OpId(write));
    EXPECT_EQ(added.count({reader, write}) > 0, !by_data->Before(reader, write)) << graph.name(OpId(write));
  }
  for (const auto& edge : added) EXPECT_TRUE(wanted.count(edge) > 0) << graph.name(OpId(edge.second));
}

INSTANTIATE_TEST_SUITE_P(All, GgmlRegionFiles,
                         testing::Values("llama7b_decode", "llama7b_prefill512", "llama7b_prefill512_last",
                                         "llama8b_gqa_decode", "llama8b_gqa_prefill512_fa", "moe64_decode_fa",
                                         "moe64_prefill512_fa", "moe64_prefill2048_fa_last", "moe8x7b_decode",
                                         "resnet50_b1", "unet_64", "whisper_small_enc"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace bufplan
