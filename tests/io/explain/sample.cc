#include "tests/io/explain/sample.h"

#include <utility>

#include "ir/graph_builder.h"

namespace bufplan {
namespace {

Graph MakeGraph() {
  GraphBuilder b("sample");
  const ValueId x = b.Input("x", 100);
  const ValueId k = b.Variable("K", 1000);
  const ValueId a = b.Compute("f", {.reads = {x}, .writes = {{.name = "a", .bytes = 100}}});
  const ValueId v = b.View("v", a, 20, 40, "v");
  const ValueId y = b.Compute("h", {.reads = {a}, .writes = {{.name = "b", .bytes = 100, .in_place = {a}}}});
  const ValueId c = b.Compute("g", {.reads = {v, y}, .writes = {{.name = "c", .bytes = 100, .in_place = {y}}}});
  const ValueId k1 = b.Update("upd", k, c, 300, "K1");
  b.Commit("st", k1, k);
  b.Output(c);
  return std::move(b).Build().value();
}

}  // namespace

Sample::Sample() : graph(MakeGraph()) {
  plan.graph_name = "sample";
  plan.optimal = true;
  plan.arenas.push_back({SpaceId(0), 200, 200, BoundKind::kLoad, true, {200}});
  plan.locations.resize(graph.values().size());
  plan.live.resize(graph.values().size());
  const auto place = [&](absl::string_view name, Location location, std::optional<OpId> first,
                         std::optional<OpId> last) {
    plan.locations[Value(name).index()] = std::move(location);
    plan.live[Value(name).index()] = {first, last};
  };
  const SpaceId device(0);
  place("x", Location::InArena(device, 0, 100), std::nullopt, Op("f"));
  place("a", Location::InArena(device, 0, 0), Op("f"), Op("g"));
  place("v", Location::InArena(device, 0, 20), Op("v"), Op("g"));
  place("b", Location::InArena(device, 0, 100), Op("h"), Op("g"));
  place("c", Location::InArena(device, 0, 100), Op("g"), std::nullopt);
  place("K", Location::InCaller(Value("K"), 0), std::nullopt, Op("upd"));
  place("K1", Location::InCaller(Value("K"), 0), Op("upd"), std::nullopt);
  const auto note = [&](absl::string_view op, Action action, Why why, absl::string_view value) -> Note& {
    Note& n = plan.notes.emplace_back();
    n.op = Op(op);
    n.action = action;
    n.why = why;
    n.value = Value(value);
    return n;
  };
  note("v", Action::kElided, Why::kView, "a");
  Note& refused = note("h", Action::kRun, Why::kOldContentRead, "a");
  refused.result = Value("b");
  refused.other = Value("a");
  refused.blocker = Op("g");
  note("upd", Action::kRun, Why::kNotTried, "c");
  note("st", Action::kElided, Why::kCoincides, "K");
  plan.stats.copies_elided = 1;
  plan.stats.copies_kept = 1;
  plan.stats.bytes_copied = 100;
  plan.stats.bytes_not_copied = 1900;
  plan.stats.sum_bytes = 400;
  plan.stats.peak_op = Op("h");
  plan.stats.live_at_peak = {Value("a"), Value("b")};
}

SampleProblem::SampleProblem() {
  Buffer a, b, c;
  a.name = "a";
  a.bytes = 10;
  a.end = 5;
  b.name = "b";
  b.bytes = 10;
  b.end = 5;
  b.gaps = {{2, 3}};
  c.name = "c";
  c.bytes = 10;
  c.begin = 2;
  c.end = 3;
  problem.name = "toy";
  problem.buffers = {a, b, c};
  plan = {{0, 10, 10}, 20, 20, true};
}

}  // namespace bufplan
