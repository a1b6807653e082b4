#include "tests/ir/checker_mutations.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/strings/string_view.h"

namespace bufplan::checker_mutations {
namespace {

using K = ViolationKind;

ValueId V(const Graph& g, absl::string_view name) { return ValueNamed(g, name); }
OpId O(const Graph& g, absl::string_view name) { return OpNamed(g, name); }

// Lets each chunk end where the last thing in it does.
void Fit(Plan& plan, const Graph& g) {
  for (Arena& arena : plan.arenas) {
    std::fill(arena.chunks.begin(), arena.chunks.end(), 0);
    const auto extend = [&](const Location& l, int64_t bytes) {
      if (l.kind != Location::Kind::kArena || l.space() != arena.space) return;
      int64_t& chunk = arena.chunks[static_cast<size_t>(l.chunk)];
      chunk = std::max(chunk, l.offset_bytes.constant() + bytes);
    };
    for (size_t i = 0; i < plan.locations.size(); ++i) extend(plan.locations[i], g.values()[i].max_bytes);
    for (const ScratchPlace& p : plan.scratch) extend(p.location, g.op(p.op).max_scratch_bytes);
    arena.bytes = 0;
    for (int64_t bytes : arena.chunks) arena.bytes += bytes;
  }
}

std::function<void(Plan&, const Graph&)> Move(const std::string& value, int64_t offset) {
  return [=](Plan& p, const Graph& g) {
    p.locations[V(g, value).index()].offset_bytes = offset;
    Fit(p, g);
  };
}

std::function<void(Plan&, const Graph&)> MoveScratch(int64_t offset) {
  return [=](Plan& p, const Graph& g) {
    p.scratch[0].location.offset_bytes = offset;
    Fit(p, g);
  };
}

std::function<void(Plan&, const Graph&)> MoveInto(const std::string& value, const std::string& owner, int64_t offset) {
  return [=](Plan& p, const Graph& g) {
    p.locations[V(g, value).index()] = Location::InCaller(V(g, owner), offset);
    Fit(p, g);
  };
}

void Copies(Plan& p, int64_t elided, int64_t kept, int64_t bytes) {
  p.stats.copies_elided = elided;
  p.stats.copies_kept = kept;
  p.stats.bytes_copied = bytes;
}

// x, f(x) -> a, g -> t with scratch, h(x, a) -> r, late -> l; r is an output, x is preserved.
void Diamond(GraphBuilder& b) {
  b.AddSpace("device", {.alignment_bytes = 8, .capacity_bytes = 1000, .max_allocation_bytes = 500, .unified_with = {}});
  const ValueId x = b.Input("x", 64, {.preserve = true});
  const ValueId a = b.Compute("f", {.reads = {x}, .writes = {{.name = "a", .bytes = 64}}});
  b.Compute("g", {.writes = {{.name = "t", .bytes = 64}}, .options = {.scratch_bytes = 32}});
  b.Output(b.Compute("h", {.reads = {x, a}, .writes = {{.name = "r", .bytes = 64}}}));
  b.Compute("late", {.writes = {{.name = "l", .bytes = 64}}});
}
void DiamondPlan(HandPlan& p, const Graph& g) {
  p.At(V(g, "x"), 0).At(V(g, "a"), 64).At(V(g, "t"), 128).At(V(g, "r"), 192).At(V(g, "l"), 288);
  p.Scratch(O(g, "g"), 256);
}

std::vector<Mutation> OfOneStream() {
  return {
      {"value onto a live one",
       K::kWrongContent,
       {"op \"h\" reads value \"a\" bytes [8,64) at device+72",
        "wants bytes [8,64) of value \"a\", finds bytes [0,56) of value \"t\", written by op \"g\""},
       Diamond,
       DiamondPlan,
       Move("t", 72)},
      {"slice left where it is too long",
       K::kWrongContent,
       {"op \"d\" reads value \"s\" bytes [0,4) at x+0",
        "wants bytes [0,4) of value \"x\", finds bytes [0,4) of value \"x1\", written by op \"w\""},
       [](GraphBuilder& b) {
         const ValueId x = b.External("x", 8, {.writable = true});
         const ValueId sl = b.Slice("sl", x, 0, 6, "s");
         b.Compute("w", {.writes = {{.name = "x1", .bytes = 8, .base = x, .region = Region{0, 4, {}}}}});
         b.Compute("d", {.reads = {sl}});
       },
       [](HandPlan& p, const Graph& g) { p.At(V(g, "s"), 0).In(V(g, "x1"), V(g, "x"), 0).Copies(0, 1, 6); },
       [](Plan& p, const Graph& g) {
         MoveInto("s", "x", 0)(p, g);
         Copies(p, 1, 0, 0);
       }},
      {"result onto an operand",
       K::kOwnOperand,
       {"\"h\" reads value \"a\"", "writes value \"r\"", "[64,128)"},
       Diamond,
       DiamondPlan,
       Move("r", 64)},
      {"result partly onto an operand",
       K::kOwnOperand,
       {"\"h\" reads value \"a\"", "writes value \"r\"", "[96,128)"},
       Diamond,
       DiamondPlan,
       Move("r", 96)},
      {"scratch onto a result of its op",
       K::kScratch,
       {"\"g\" writes value \"t\"", "scratch of op \"g\"", "[160,192)"},
       Diamond,
       DiamondPlan,
       MoveScratch(160)},
      {"scratch onto a live value",
       K::kScratch,
       {"\"h\" reads value \"a\"", "scratch of op \"g\""},
       Diamond,
       DiamondPlan,
       MoveScratch(64)},
      {"output overwritten",
       K::kOutputLost,
       {"output value \"r\" bytes [0,64)", "value \"l\", written by op \"late\""},
       Diamond,
       DiamondPlan,
       Move("l", 192)},
      {"preserved input overwritten",
       K::kOutputLost,
       {"preserved input value \"x\"", "written by op \"late\""},
       Diamond,
       DiamondPlan,
       Move("l", 0)},
      {"misaligned value", K::kAlignment, {"\"t\"", "device+132", "8 bytes"}, Diamond, DiamondPlan, Move("t", 132)},
      {"misaligned scratch",
       K::kAlignment,
       {"scratch of op \"g\"", "device+260", "8 bytes"},
       Diamond,
       [](HandPlan& p, const Graph& g) {
         DiamondPlan(p, g);
         p.At(V(g, "l"), 296);
       },
       MoveScratch(260)},
      {"arena too short",
       K::kOutOfBounds,
       {"\"l\" at offset 288 with 64 bytes", "340"},
       Diamond,
       DiamondPlan,
       [](Plan& p, const Graph&) { p.arenas[0].bytes = p.arenas[0].chunks[0] = 340; }},
      {"negative offset", K::kOutOfBounds, {"\"t\"", "-8"}, Diamond, DiamondPlan, Move("t", -8)},
      {"offset near 2^63",
       K::kOutOfBounds,
       {"\"t\"", "9223372036854775800"},
       Diamond,
       DiamondPlan,
       [](Plan& p, const Graph& g) { p.locations[V(g, "t").index()].offset_bytes = INT64_MAX - 7; }},
      {"no such chunk",
       K::kOutOfBounds,
       {"\"t\"", "chunk 1 of space \"device\""},
       Diamond,
       DiamondPlan,
       [](Plan& p, const Graph& g) { p.locations[V(g, "t").index()].chunk = 1; }},
      {"chunk above max_allocation",
       K::kChunk,
       {"device", "504 bytes", "max_allocation=500"},
       Diamond,
       DiamondPlan,
       Move("t", 440)},
      {"chunks above the capacity",
       K::kCapacity,
       {"device", "1080 bytes", "capacity=1000"},
       Diamond,
       DiamondPlan,
       [](Plan& p, const Graph& g) {
         p.arenas[0].chunks = {0, 0, 0};
         p.locations[V(g, "l").index()].chunk = 1;
         p.locations[V(g, "t").index()].chunk = 2;
         Move("l", 432)(p, g);
         Move("t", 232)(p, g);
       }},
      {"no location",
       K::kMissing,
       {"\"t\""},
       Diamond,
       DiamondPlan,
       [](Plan& p, const Graph& g) { p.locations[V(g, "t").index()] = Location(); }},
      {"no scratch",
       K::kMissing,
       {"scratch of op \"g\""},
       Diamond,
       DiamondPlan,
       [](Plan& p, const Graph&) { p.scratch.clear(); }},
      {"scratch without location",
       K::kMissing,
       {"scratch of op \"g\""},
       Diamond,
       DiamondPlan,
       [](Plan& p, const Graph&) { p.scratch[0].location = Location(); }},
      {"order against the list",
       K::kCycle,
       {"op \"h\" before op \"f\""},
       Diamond,
       DiamondPlan,
       [](Plan& p, const Graph& g) {
         p.added_order.push_back({O(g, "h"), O(g, "f"), ""});
       }},
      {"arena longer than its values",
       K::kStats,
       {"device", "360", "352"},
       Diamond,
       DiamondPlan,
       [](Plan& p, const Graph&) { p.arenas[0].bytes = p.arenas[0].chunks[0] = 360; }},
      {"bytes not the sum of the chunks",
       K::kStats,
       {"bytes=353", "352"},
       Diamond,
       DiamondPlan,
       [](Plan& p, const Graph&) { p.arenas[0].bytes = 353; }},
      {"lower bound above the bytes",
       K::kStats,
       {"lower_bound=353", "352"},
       Diamond,
       DiamondPlan,
       [](Plan& p, const Graph&) { p.arenas[0].lower_bound = 353; }},
      {"optimal above the bound",
       K::kStats,
       {"optimal", "352", "lower_bound=300"},
       Diamond,
       DiamondPlan,
       [](Plan& p, const Graph&) {
         p.arenas[0].lower_bound = 300;
         p.arenas[0].optimal = true;
       }},
      {"optimal plan of an arena that is not",
       K::kStats,
       {"optimal", "device"},
       Diamond,
       DiamondPlan,
       [](Plan& p, const Graph&) { p.optimal = true; }},
  };
}

// Variable K with an elided slice and an update, constant W, borrowed external E, donated external D.
void Cache(GraphBuilder& b) {
  const ValueId k = b.Variable("K", 64), w = b.Constant("W", 64), e = b.External("E", 64);
  const ValueId d = b.External("D", 64, {.writable = true});
  const ValueId pre = b.Compute("pre", {.writes = {{.name = "q", .bytes = 16}}});
  const ValueId past = b.Slice("past", k, 0, 32, "past", {.elide = Elide::kMust});
  const ValueId row = b.Compute("attn", {.reads = {past, w, e, pre}, .writes = {{.name = "row", .bytes = 16}}});
  const ValueId k1 = b.Update("upd", k, row, 32, "K1", {.elide = Elide::kNever});
  const ValueId y = b.Compute("head", {.reads = {k1}, .writes = {{.name = "y", .bytes = 64}}});
  b.Commit("st", k1, k);
  b.Commit("out", y, d);
  b.Compute("tail", {.writes = {{.name = "z", .bytes = 64}}});
}
void CachePlan(HandPlan& p, const Graph& g) {
  p.In(V(g, "past"), V(g, "K"), 0).At(V(g, "row"), 0).In(V(g, "K1"), V(g, "K"), 0).At(V(g, "q"), 16);
  p.In(V(g, "y"), V(g, "D"), 0).At(V(g, "z"), 16).Copies(3, 1, 16);
  p.Noted(O(g, "past"), Action::kElided).Noted(O(g, "upd"), Action::kRun).Noted(O(g, "st"), Action::kElided);
}

std::vector<Mutation> OfCallerOwned() {
  return {
      {"constant written",
       K::kReadOnlyWritten,
       {"\"tail\" writes value \"z\"", "W+0", "constant value \"W\""},
       Cache,
       CachePlan,
       MoveInto("z", "W", 0)},
      {"borrowed external written",
       K::kReadOnlyWritten,
       {"\"tail\"", "\"z\"", "external value \"E\""},
       Cache,
       CachePlan,
       MoveInto("z", "E", 0)},
      {"variable written by what is not committed to it",
       K::kNotLineage,
       {"\"pre\" writes value \"q\"", "K+32"},
       Cache,
       CachePlan,
       MoveInto("q", "K", 32)},
      {"committed content overwritten",
       K::kVariableLost,
       {"committed value \"D\"", "value \"z\", written by op \"tail\""},
       Cache,
       CachePlan,
       MoveInto("z", "D", 0)},
      {"value leaves its owner's storage",
       K::kOutOfBounds,
       {"\"q\" at offset 56 with 16", "D+0, which has 64"},
       Cache,
       [](HandPlan& p, const Graph& g) {
         CachePlan(p, g);
         p.At(V(g, "y"), 128).Copies(2, 2, 80);
       },
       MoveInto("q", "D", 56)},
      {"elide=must moved",
       K::kElide,
       {"\"past\"", "must", "32 bytes"},
       Cache,
       CachePlan,
       [](Plan& p, const Graph& g) {
         p.locations[V(g, "past").index()] = Location::InArena(SpaceId(0), 0, 80);
         Copies(p, 2, 2, 48);
         p.notes[0].action = Action::kRun;
         Fit(p, g);
       }},
      {"elide=never elided",
       K::kElide,
       {"\"upd\"", "never", "1 of its 1 parts"},
       Cache,
       CachePlan,
       [](Plan& p, const Graph& g) {
         MoveInto("row", "K", 32)(p, g);
         Copies(p, 4, 0, 0);
         p.notes.erase(p.notes.begin() + 1);
       }},
      {"variable elsewhere",
       K::kWrongMemory,
       {"\"K\"", "variable", "own storage"},
       Cache,
       CachePlan,
       MoveInto("K", "K", 8)},
      {"constant in an arena",
       K::kWrongMemory,
       {"\"W\"", "constant", "own storage"},
       Cache,
       CachePlan,
       [](Plan& p, const Graph& g) { p.locations[V(g, "W").index()] = Location::InArena(SpaceId(0), 0, 0); }},
      {"value inside of one without storage",
       K::kWrongMemory,
       {"\"z\" lies in value \"row\""},
       Cache,
       CachePlan,
       MoveInto("z", "row", 0)},
      {"copies_elided",
       K::kStats,
       {"copies_elided=4", "is 3"},
       Cache,
       CachePlan,
       [](Plan& p, const Graph&) { Copies(p, 4, 1, 16); }},
      {"copies_kept",
       K::kStats,
       {"copies_kept=0", "is 1"},
       Cache,
       CachePlan,
       [](Plan& p, const Graph&) { Copies(p, 3, 0, 16); }},
      {"bytes_copied",
       K::kStats,
       {"bytes_copied=17", "is 16"},
       Cache,
       CachePlan,
       [](Plan& p, const Graph&) { Copies(p, 3, 1, 17); }},
      {"elide=never marked as elided",
       K::kElide,
       {"\"upd\" has elide=never, but is marked as elided"},
       Cache,
       CachePlan,
       [](Plan& p, const Graph& g) {
         MoveInto("row", "K", 32)(p, g);
         Copies(p, 4, 0, 0);
         p.notes[1].action = Action::kElided;
       }},
      {"said to be elided, but always runs",
       K::kStats,
       {"\"head\"", "elided", "compute"},
       Cache,
       CachePlan,
       [](Plan& p, const Graph& g) {
         Note note;
         note.op = O(g, "head");
         note.action = Action::kElided;
         p.notes.push_back(note);
       }},
      {"said to run",
       K::kStats,
       {"\"st\"", "run"},
       Cache,
       CachePlan,
       [](Plan& p, const Graph&) { p.notes[2].action = Action::kRun; }},
  };
}

// On s0: p -> a, r0 reads a. On s1: q -> b with scratch, w1 reads a and writes d in place of it.
void Streams(GraphBuilder& b) {
  b.AddStream("s0");
  const StreamId s1 = b.AddStream("s1");
  const ValueId a = b.Compute("p", {.writes = {{.name = "a", .bytes = 8}}});
  b.Compute("q", {.writes = {{.name = "b", .bytes = 8}}, .options = {.stream = s1, .scratch_bytes = 8}});
  b.Compute("r0", {.reads = {a}, .writes = {{.name = "c", .bytes = 8}}});
  b.Compute("w1", {.reads = {a}, .writes = {{.name = "d", .bytes = 8, .in_place = {a}}}, .options = {.stream = s1}});
}
void StreamsPlan(HandPlan& p, const Graph& g) {
  p.At(V(g, "a"), 0).At(V(g, "b"), 8).At(V(g, "c"), 16).At(V(g, "d"), 0).Scratch(O(g, "q"), 24);
  p.Edge(O(g, "r0"), O(g, "w1"));
}

// v is kept alive until k, beyond the last op that reads it.
void Kept(GraphBuilder& b) {
  const ValueId v = b.Compute("pv", {.writes = {{.name = "v", .bytes = 8}}});
  b.Compute("o", {.reads = {v}, .writes = {{.name = "ov", .bytes = 8, .in_place = {v}}}});
  b.Compute("k", {.writes = {{.name = "kv", .bytes = 8}}});
  b.KeepAliveUntil(v, OpId(2));
}
void KeptPlan(HandPlan& p, const Graph& g) { p.At(V(g, "v"), 0).At(V(g, "ov"), 8).At(V(g, "kv"), 16); }

// v is made on s0, kept alive until k there; w1 runs on s1.
void KeptAlive(GraphBuilder& b) {
  b.AddStream("s0");
  const StreamId s1 = b.AddStream("s1");
  const ValueId v = b.Compute("pv", {.writes = {{.name = "v", .bytes = 8}}});
  b.Compute("o", {.writes = {{.name = "ov", .bytes = 8}}});
  b.Compute("k", {.writes = {{.name = "kv", .bytes = 8}}});
  b.Compute("w1", {.reads = {v}, .writes = {{.name = "d", .bytes = 8, .in_place = {v}}}, .options = {.stream = s1}});
  b.KeepAliveUntil(v, OpId(2));
}
void KeptAlivePlan(HandPlan& p, const Graph& g) {
  p.At(V(g, "v"), 0).At(V(g, "ov"), 8).At(V(g, "kv"), 16).At(V(g, "d"), 24);
}

// Two clones of x on two streams, one after the other, and a reader of the first beside the second.
void Clones(GraphBuilder& b) {
  b.AddStream("s0");
  const StreamId s1 = b.AddStream("s1");
  const ValueId x = b.Input("x", 8);
  const ValueId c1 = b.Clone("c1", x, "one");
  b.Clone("c2", x, "two", {.stream = s1});
  b.Compute("r", {.reads = {c1}, .writes = {{.name = "o", .bytes = 8}}});
  b.Order(OpId(0), OpId(1));
}
void ClonesPlan(HandPlan& p, const Graph& g) {
  p.At(V(g, "x"), 0).At(V(g, "one"), 8).At(V(g, "two"), 16).At(V(g, "o"), 24).Copies(0, 2, 16);
}

std::vector<Mutation> OfSeveralStreams() {
  return {
      {"edge dropped",
       K::kUnorderedOverwrite,
       {"\"w1\" writes value \"d\"", "value \"a\", which op \"r0\" reads"},
       Streams,
       StreamsPlan,
       [](Plan& p, const Graph&) { p.added_order.clear(); }},
      {"edge turned round",
       K::kWrongContent,
       {"\"r0\" reads value \"a\"", "value \"d\", written by op \"w1\""},
       Streams,
       StreamsPlan,
       [](Plan& p, const Graph&) { std::swap(p.added_order[0].before, p.added_order[0].after); }},
      {"results of unordered ops on one another",
       K::kUnorderedWrites,
       {"\"r0\" writes value \"c\"", "op \"q\" writes"},
       Streams,
       StreamsPlan,
       Move("c", 8)},
      {"scratch onto what a concurrent op writes",
       K::kScratch,
       {"\"r0\"", "scratch of op \"q\""},
       Streams,
       StreamsPlan,
       MoveScratch(16)},
      {"scratch onto what a concurrent op reads",
       K::kScratch,
       {"\"r0\" reads value \"a\"", "scratch of op \"q\""},
       Streams,
       StreamsPlan,
       MoveScratch(0)},
      {"edge that closes a cycle",
       K::kCycle,
       {"op \"w1\"", "op \"p\""},
       Streams,
       StreamsPlan,
       [](Plan& p, const Graph& g) {
         p.added_order.push_back({O(g, "w1"), O(g, "p"), ""});
       }},
      {"overwritten with the same beside a reader",
       K::kUnorderedRead,
       {"op \"r\" reads value \"one\"", "op \"c2\" writes it in no order"},
       Clones,
       ClonesPlan,
       Move("two", 8)},
      {"kept bytes overwritten on the way",
       K::kKeepAlive,
       {"until op \"k\" of value \"v\"", "written by op \"o\""},
       Kept,
       KeptPlan,
       Move("ov", 0)},
      {"kept bytes overwritten by the op that keeps them",
       K::kKeepAlive,
       {"op \"k\" must keep value \"v\"", "\"kv\""},
       Kept,
       KeptPlan,
       Move("kv", 4)},
      {"kept bytes overwritten on another stream",
       K::kKeepAlive,
       {"\"w1\" writes value \"d\"", "op \"k\" keeps alive"},
       KeptAlive,
       KeptAlivePlan,
       Move("d", 0)},
  };
}

// m1 and m2 must be fused, m2 and m3 may; m is used inside of the first group only.
void Groups(GraphBuilder& b) {
  const ValueId x = b.Input("x", 8);
  const ValueId m = b.Compute("m1", {.reads = {x}, .writes = {{.name = "m", .bytes = 8}}});
  const ValueId r = b.Compute("m2", {.reads = {m}, .writes = {{.name = "r", .bytes = 8}}});
  b.Output(b.Compute("m3", {.reads = {r}, .writes = {{.name = "o", .bytes = 8}}}));
  Fusion first, second;
  first.name = "first";
  first.ops = {OpId(0), OpId(1)};
  first.required = true;
  second.name = "second";
  second.ops = {OpId(1), OpId(2)};
  b.AddFusion(first);
  b.AddFusion(second);
}
void GroupsPlan(HandPlan& p, const Graph& g) { p.At(V(g, "x"), 0).At(V(g, "r"), 8).At(V(g, "o"), 16).Fuse(0); }

// A pinned value, a disjoint pair, a view, two spaces.
void Places(GraphBuilder& b) {
  b.AddSpace("device", {});
  const SpaceId host = b.AddSpace("host", {});
  const ValueId x = b.Compute("f", {.writes = {{.name = "x", .bytes = 8, .options = {.pinned_offset_bytes = 16}}}});
  b.View("view", x, 4, 4, "v");
  const ValueId y = b.Compute("g", {.writes = {{.name = "y", .bytes = 8}}});
  const ValueId z = b.Compute("h", {.writes = {{.name = "z", .bytes = 8}}});
  b.Compute("i", {.writes = {{.name = "far", .bytes = 8, .options = {.space = host}}}});
  b.Disjoint(z, y);
  b.Compute("k", {.reads = {Operand(y, Region{4, 4, {}}, false, 4)}});
  const ValueId e = b.External("E", 8, {.writable = true});
  b.Input("in", 8);
  b.Input("in2", 8);
  b.Compute("use", {.reads = {e}});
}
void PlacesPlan(HandPlan& p, const Graph& g) {
  p.At(V(g, "x"), 16).At(V(g, "v"), 20).At(V(g, "y"), 0).At(V(g, "z"), 8).At(V(g, "far"), 0);
  p.At(V(g, "in"), 32).At(V(g, "in2"), 40);
}

std::vector<Mutation> OfGroupsAndPlaces() {
  return {
      {"required group left separate",
       K::kFusion,
       {"\"first\"", "required"},
       Groups,
       GroupsPlan,
       [](Plan& p, const Graph& g) {
         p.fused[0].fused = false;
         p.locations[V(g, "m").index()] = Location::InArena(SpaceId(0), 0, 16);
       }},
      {"groups that share an op",
       K::kFusion,
       {"\"first\"", "\"second\"", "\"m2\""},
       Groups,
       GroupsPlan,
       [](Plan& p, const Graph&) { p.fused[1].fused = true; }},
      {"location of a swallowed value",
       K::kFusion,
       {"\"m\""},
       Groups,
       GroupsPlan,
       [](Plan& p, const Graph& g) { p.locations[V(g, "m").index()] = Location::InArena(SpaceId(0), 0, 16); }},
      {"result of a group onto what it reads", K::kOwnOperand, {"\"x\"", "\"r\""}, Groups, GroupsPlan, Move("r", 0)},
      {"result of a group without location",
       K::kMissing,
       {"\"r\""},
       Groups,
       GroupsPlan,
       [](Plan& p, const Graph& g) { p.locations[V(g, "r").index()] = Location(); }},
      {"pinned value elsewhere",
       K::kPin,
       {"\"x\"", "offset 16", "device+48"},
       Places,
       PlacesPlan,
       [](Plan& p, const Graph& g) {
         Move("v", 52)(p, g);
         Move("x", 48)(p, g);
       }},
      {"disjoint values in bytes that nobody reads",
       K::kDisjoint,
       {"\"y\" at device+4", "\"z\" at device+0"},
       Places,
       [](HandPlan& p, const Graph& g) {
         PlacesPlan(p, g);
         p.At(V(g, "y"), 4).At(V(g, "z"), 24);
       },
       Move("z", 0)},
      {"view off its source",
       K::kWrongMemory,
       {"\"v\" is a view of value \"x\" at 4", "device+20", "device+24"},
       Places,
       PlacesPlan,
       Move("v", 24)},
      {"value in another space",
       K::kWrongMemory,
       {"\"z\" of space \"device\"", "host+8"},
       Places,
       PlacesPlan,
       [](Plan& p, const Graph& g) {
         p.locations[V(g, "z").index()] = Location::InArena(SpaceId(1), 0, 8);
         Fit(p, g);
       }},
      {"input in caller-owned storage",
       K::kWrongMemory,
       {"\"in\"", "input", "E+0"},
       Places,
       PlacesPlan,
       MoveInto("in", "E", 0)},
      {"strided result of a compute op",
       K::kStrides,
       {"\"z\" lies strided", "compute op \"h\""},
       Places,
       PlacesPlan,
       [](Plan& p, const Graph& g) {
         p.locations[V(g, "z").index()].strides = std::make_shared<const Strides>(Strides{4, {{2, 4}}});
       }},
      {"inputs on one another",
       K::kUnorderedWrites,
       {"\"in2\"", "\"in\"", "[36,40)"},
       Places,
       PlacesPlan,
       Move("in2", 36)},
      {"operand at the wrong multiple",
       K::kAlignment,
       {"\"k\" reads value \"y\"", "device+2", "offset_multiple=4"},
       Places,
       PlacesPlan,
       [](Plan& p, const Graph& g) {
         Move("y", 2)(p, g);
         Move("z", 48)(p, g);
       }},
  };
}

}  // namespace

std::vector<Mutation> All() {
  std::vector<Mutation> all;
  for (std::vector<Mutation> some : {OfOneStream(), OfCallerOwned(), OfSeveralStreams(), OfGroupsAndPlaces()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace bufplan::checker_mutations
