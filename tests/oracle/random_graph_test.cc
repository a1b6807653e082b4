// The generator: every graph is accepted by Build(), the same seed gives the same graph, and everything occurs.
#include "tests/oracle/random_graph.h"

#include <map>
#include <string>

#include "gtest/gtest.h"
#include "tests/oracle/dump.h"
#include "tests/oracle/reduce.h"
#include "tests/oracle/shuffle.h"

namespace bufplan {
namespace {

constexpr uint64_t kSeeds = 500;

TEST(RandomGraph, BuildAcceptsAll) {
  for (const RandomGraphOptions& options : RandomGraphOptions::Profiles()) {
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const absl::StatusOr<Graph> graph = RandomGraph(options, seed);
      ASSERT_TRUE(graph.ok()) << options.name << " seed " << seed << ": " << graph.status();
    }
  }
}

TEST(RandomGraph, SameSeedSameGraph) {
  for (const RandomGraphOptions& options : RandomGraphOptions::Profiles()) {
    for (uint64_t seed = 1; seed <= 50; ++seed) {
      const absl::StatusOr<Graph> a = RandomGraph(options, seed), b = RandomGraph(options, seed);
      ASSERT_TRUE(a.ok() && b.ok());
      EXPECT_EQ(DumpGraph(*a), DumpGraph(*b)) << options.name << " seed " << seed;
      EXPECT_NE(DumpGraph(*a), DumpGraph(*RandomGraph(options, seed + 1)));
    }
  }
}

// How often each thing occurs in the graphs of the profile "everything".
std::map<std::string, int> CountThings() {
  std::map<std::string, int> n;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Graph g = *RandomGraph(RandomGraphOptions::Everything(), seed);
    for (const Value& v : g.values()) {
      ++n[std::string(ToString(v.role))];
      n["preserve"] += v.preserve;
      n["writable"] += v.writable;
      n["zero bytes"] += v.max_bytes == 0;
      n["symbolic"] += !v.bytes.is_constant();
      n["pinned"] += v.pinned_offset_bytes.has_value();
    }
    for (const Op& op : g.ops()) {
      ++n[std::string(ToString(op.kind))];
      n["several results"] += op.num_writes > 1;
      n["scratch"] += op.max_scratch_bytes > 0;
      n["never"] += op.elide == Elide::kNever;
      for (const Read& r : g.reads(op)) n["strided read"] += r.region.has_value() && !g.region(*r.region).contiguous();
      for (const Write& w : g.writes(op)) {
        n["base"] += w.base.has_value();
        n["strided write"] += w.region.has_value() && !g.region(*w.region).contiguous();
        n["part"] += w.cover == Cover::kPart;
        for (const InPlace& p : g.in_place(w)) ++n[p.mode == InPlaceMode::kAny ? "any" : "same_index"];
      }
    }
    n["order"] += static_cast<int>(g.order().size());
    n["keep_alive"] += static_cast<int>(g.keep_alive().size());
    n["disjoint"] += static_cast<int>(g.disjoint().size());
    n["output"] += static_cast<int>(g.outputs().size());
    n["unified"] += !g.spaces().back().unified_with.empty();
    n["4 streams"] += g.num_streams() == 4;
    for (const Fusion& f : g.fusions()) ++n[f.required ? "required" : "optional"];
  }
  return n;
}

TEST(RandomGraph, EverythingOccurs) {
  std::map<std::string, int> n = CountThings();
  for (const char* thing :
       {"transient",    "input",  "constant",      "external",  "variable", "preserve",        "writable", "zero bytes",
        "symbolic",     "pinned", "compute",       "view",      "slice",    "clone",           "update",   "concat",
        "copy",         "fill",   "transfer",      "commit",    "barrier",  "several results", "scratch",  "never",
        "strided read", "base",   "strided write", "part",      "any",      "same_index",      "order",    "keep_alive",
        "disjoint",     "output", "unified",       "4 streams", "required", "optional"}) {
    EXPECT_GE(n[thing], 20) << thing;
  }
}

TEST(Shuffle, KeepsWhatTheGraphSays) {
  for (const RandomGraphOptions& options : RandomGraphOptions::Profiles()) {
    for (uint64_t seed = 1; seed <= 100; ++seed) {
      const Graph g = *RandomGraph(options, seed);
      const absl::StatusOr<Graph> same = Shuffle(g, {.constraints = false}, seed);
      ASSERT_TRUE(same.ok()) << options.name << " seed " << seed << ": " << same.status();
      EXPECT_EQ(DumpGraph(g), DumpGraph(*same));
      const absl::StatusOr<Graph> other = Shuffle(g, {.constraints = true, .values = true}, seed);
      ASSERT_TRUE(other.ok()) << options.name << " seed " << seed << ": " << other.status();
      EXPECT_EQ(g.values().size(), other->values().size());
      EXPECT_EQ(g.keep_alive().size(), other->keep_alive().size());
      EXPECT_EQ(g.disjoint().size(), other->disjoint().size());
    }
  }
}

TEST(Reduce, LeavesWhatTheFailureNeeds) {
  // "Fails" with a commit whose source an op on another stream made.
  const auto fails = [](const Graph& g) {
    for (const Op& op : g.ops()) {
      if (op.kind != OpKind::kCommit) continue;
      const std::optional<OpId> producer = g.producer(g.reads(op)[0].value);
      if (producer.has_value() && g.op(*producer).stream != op.stream) return true;
    }
    return false;
  };
  int found = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Graph g = *RandomGraph(RandomGraphOptions::Streams(), seed);
    if (!fails(g)) continue;
    const Graph reduced = Reduce(std::move(g), fails);
    EXPECT_TRUE(fails(reduced));
    EXPECT_LE(reduced.ops().size(), 8u);
    EXPECT_TRUE(reduced.keep_alive().empty() && reduced.outputs().empty() && reduced.order().empty());
    ++found;
  }
  EXPECT_GT(found, 5);
}

}  // namespace
}  // namespace bufplan
