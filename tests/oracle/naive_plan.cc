#include "tests/oracle/naive_plan.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "ir/expr_proof.h"
#include "tests/oracle/concrete.h"
#include "tests/oracle/places.h"

namespace bufplan {
namespace {

OpId OpAt(size_t i) { return OpId(static_cast<int32_t>(i)); }
ValueId ValueAt(size_t i) { return ValueId(static_cast<int32_t>(i)); }

int64_t RoundUp(int64_t x, int64_t multiple) { return (x + multiple - 1) / multiple * multiple; }

// By op: the last op of its fused group, or itself. If asked for, also the key by which the ops of a stream follow each
// other: of a group, the op behind which it runs, and its last member up to that.
std::vector<size_t> UnitOfOps(const Graph& graph, const Plan& plan, std::vector<std::array<size_t, 3>>* key = nullptr) {
  std::vector<size_t> place(graph.ops().size());
  for (size_t i = 0; i < place.size(); ++i) place[i] = i;
  if (key != nullptr) {
    for (size_t i = 0; i < place.size(); ++i) key->push_back({i, 0, i});
  }
  for (const FusionDecision& d : plan.fused) {
    if (!d.fused) continue;
    const Fusion& f = graph.fusions()[d.fusion.index()];
    size_t until = 0;
    for (OpId o : f.ops) until = o <= f.at ? o.index() : until;
    for (OpId o : f.ops) {
      place[o.index()] = f.ops.back().index();
      if (key != nullptr) (*key)[o.index()] = {f.at.index(), 1, until};
    }
  }
  return place;
}

// Calls f(v) for everything an op uses.
void ForEachUse(const Graph& graph, size_t op, const std::function<void(ValueId)>& f) {
  for (const Read& r : graph.reads(graph.ops()[op])) f(r.value);
  for (const Write& w : graph.writes(graph.ops()[op])) {
    if (w.base.has_value()) f(*w.base);
  }
}

const Op* ViewOf(const Graph& graph, ValueId v) {
  const std::optional<OpId> producer = graph.producer(v);
  return producer.has_value() && graph.op(*producer).kind == OpKind::kView ? &graph.op(*producer) : nullptr;
}

ValueId RootOf(const Graph& graph, ValueId v) {
  while (const Op* view = ViewOf(graph, v)) v = graph.reads(*view)[0].value;
  return v;
}

class NaivePlanner {
 public:
  explicit NaivePlanner(const Graph& graph) : graph_(graph), next_(graph.spaces().size()) {}

  Plan Run(const std::vector<FusionId>& fuse) {
    plan_.graph_name = std::string(graph_.name());
    DecideFusions(fuse);
    plan_.locations.resize(graph_.values().size());
    for (const Value& v : graph_.values()) {
      int64_t& offset = next_[v.space.index()].offset;
      if (v.pinned_offset_bytes.has_value()) offset = std::max(offset, *v.pinned_offset_bytes + v.max_bytes);
    }
    // Sources before their views.
    for (size_t i = 0; i < graph_.values().size(); ++i) {
      if (!graph_.producer(ValueAt(i)).has_value()) PlaceValue(ValueAt(i));
    }
    for (size_t i = 0; i < graph_.ops().size(); ++i) {
      for (const Write& w : graph_.writes(graph_.ops()[i])) PlaceValue(w.value);
      const Op& op = graph_.ops()[i];
      if (op.max_scratch_bytes == 0) continue;
      const int64_t alignment = graph_.space(op.scratch_space).alignment_bytes;
      plan_.scratch.push_back({OpAt(i), Allocate(op.scratch_space, op.max_scratch_bytes, alignment)});
    }
    AddEdges();
    CompletePlan(graph_, plan_);
    return std::move(plan_);
  }

 private:
  struct Next {
    int32_t chunk = 0;
    int64_t offset = 0;
  };

  void DecideFusions(const std::vector<FusionId>& fuse) {
    std::vector<FusionId> wanted;
    for (size_t f = 0; f < graph_.fusions().size(); ++f) {
      plan_.fused.push_back({FusionId(static_cast<int32_t>(f)), false, 0, ""});
      if (graph_.fusions()[f].required) wanted.push_back(plan_.fused.back().fusion);
    }
    wanted.insert(wanted.end(), fuse.begin(), fuse.end());
    std::vector<bool> taken(graph_.ops().size(), false);
    for (FusionId f : wanted) {
      const std::vector<OpId>& ops = graph_.fusions()[f.index()].ops;
      if (std::any_of(ops.begin(), ops.end(), [&](OpId o) { return taken[o.index()]; })) continue;
      plan_.fused[f.index()].fused = true;
      if (!graph_.fusions()[f.index()].required && IsCyclic()) {
        plan_.fused[f.index()].fused = false;
        continue;
      }
      for (OpId o : ops) taken[o.index()] = true;
    }
  }

  // Groups may each have to run before the other.
  bool IsCyclic() const {
    const std::vector<std::vector<bool>> before = SlowHappensBefore(graph_, plan_);
    for (size_t o = 0; o < before.size(); ++o) {
      if (before[o][o]) return true;
    }
    return false;
  }

  Location Allocate(SpaceId space, int64_t bytes, int64_t alignment) {
    Next& next = next_[space.index()];
    next.offset = RoundUp(next.offset, alignment);
    const std::optional<int64_t> limit = graph_.space(space).max_allocation_bytes;
    if (limit.has_value() && next.offset + bytes > *limit) next = {next.chunk + 1, 0};
    const Location location = Location::InArena(space, next.chunk, next.offset);
    next.offset += bytes;
    return location;
  }

  void PlaceValue(ValueId v) {
    const Value& value = graph_.value(v);
    Location& location = plan_.locations[v.index()];
    if (value.role != Role::kTransient && value.role != Role::kInput) {
      location = Location::InCaller(v, 0);
    } else if (IsSwallowed(graph_, plan_, v)) {
      location = {};
    } else if (const Location on_source = OnSource(v); on_source.kind != Location::Kind::kNone) {
      location = on_source;
    } else if (value.pinned_offset_bytes.has_value()) {
      location = Location::InArena(value.space, 0, *value.pinned_offset_bytes);
    } else {
      location = Allocate(value.space, value.max_bytes, value.alignment_bytes);
    }
  }

  // Where a view lies.
  Location OnSource(ValueId v) const {
    const Op* view = ViewOf(graph_, v);
    if (view == nullptr) return {};
    const Read& of = graph_.reads(*view)[0];
    Location location = plan_.location(of.value);
    if (location.kind != Location::Kind::kNone) location.offset_bytes += graph_.region(*of.region).at;
    return location;
  }

  // From everybody who reads a committed value's old content to the commit.
  void AddEdges() {
    for (size_t c = 0; c < graph_.ops().size(); ++c) {
      const std::optional<ValueId> target = graph_.ops()[c].commit_target;
      if (!target.has_value()) continue;
      std::vector<size_t> readers;
      for (size_t r = 0; r < graph_.ops().size(); ++r) {
        bool reads = false;
        ForEachUse(graph_, r, [&](ValueId v) { reads = reads || RootOf(graph_, v) == *target; });
        for (const KeepAlive& k : graph_.keep_alive()) {
          reads = reads || (k.until == OpAt(r) && RootOf(graph_, k.value) == *target);
        }
        if (reads && r != c) readers.push_back(r);
      }
      const std::vector<std::vector<bool>> before = SlowHappensBefore(graph_, plan_);
      for (size_t r : readers) {
        if (!before[r][c]) plan_.added_order.push_back({OpAt(r), OpAt(c), "the old content is read"});
      }
    }
  }

  const Graph& graph_;
  Plan plan_;
  std::vector<Next> next_;
};

// What moves at the largest symbol values, and what is said of it.
class StatsMaker {
 public:
  StatsMaker(const Graph& graph, Plan& plan) : graph_(graph), plan_(plan) {
    std::vector<int64_t> largest;
    for (const Symbol& s : graph.symbols()) largest.push_back(RangeOf(s)->max);
    absl::StatusOr<ConcreteGraph> concrete = MakeConcrete(graph, largest);
    if (concrete.ok()) concrete_ = *std::move(concrete);
  }

  std::vector<OpId> Apart() const {
    std::vector<OpId> apart;
    for (const Note& note : plan_.notes) {
      if (note.action != Action::kElided || note.result.has_value() || note.op.index() >= concrete_.ops.size())
        continue;
      if (IsSeparate(note.op) && MovedBytes(concrete_.ops[note.op.index()]) > 0) apart.push_back(note.op);
    }
    return apart;
  }

  void Run(const std::vector<OpId>& elided) {
    plan_.stats = {};
    plan_.notes.clear();
    for (size_t i = 0; i < graph_.values().size(); ++i) {
      const bool counts = plan_.locations[i].kind == Location::Kind::kArena && ViewOf(graph_, ValueAt(i)) == nullptr;
      if (counts) plan_.stats.sum_bytes += graph_.values()[i].max_bytes;
    }
    for (size_t i = 0; i < concrete_.ops.size(); ++i) {
      const bool marked = std::find(elided.begin(), elided.end(), OpAt(i)) != elided.end();
      if (IsSeparate(OpAt(i))) CountOp(OpAt(i), marked);
    }
  }

 private:
  static bool IsMovement(OpKind kind) {
    return kind != OpKind::kCompute && kind != OpKind::kFill && kind != OpKind::kBarrier && kind != OpKind::kView;
  }
  // Not in a fused group.
  bool IsSeparate(OpId o) const {
    return std::none_of(plan_.fused.begin(), plan_.fused.end(), [&](const FusionDecision& d) {
      const std::vector<OpId>& ops = graph_.fusions()[d.fusion.index()].ops;
      return d.fused && std::find(ops.begin(), ops.end(), o) != ops.end();
    });
  }

  // What moves by locations, and what would if nothing coincided.
  int64_t MovedBytes(const ConcreteOp& op, int64_t* all = nullptr) const {
    int64_t moved = 0, sum = 0;
    for (const ConcreteRead& r : op.reads) {
      if (!IsMovement(op.kind)) break;
      const int64_t bytes = static_cast<int64_t>(r.from.size());
      sum += bytes;
      if (!Coincides(r, op.commit_target.has_value() ? *op.commit_target : op.writes[0].value)) moved += bytes;
    }
    for (const ConcreteWrite& w : op.writes) {
      if (!w.base.has_value()) continue;
      const int64_t size = concrete_.bytes[w.value.index()];
      const int64_t carried = w.cover == Cover::kPart ? size : size - static_cast<int64_t>(w.bytes.size());
      sum += carried;
      if (!(plan_.location(w.value) == plan_.location(*w.base))) moved += carried;
    }
    if (all != nullptr) *all = sum;
    return moved;
  }

  void CountOp(OpId o, bool marked) {
    const ConcreteOp& op = concrete_.ops[o.index()];
    const bool moves = IsMovement(op.kind);
    int64_t all = 0, moved = MovedBytes(op, &all);
    if (moves && marked) moved = 0;
    plan_.stats.copies_kept += moved > 0 ? 1 : 0;
    plan_.stats.copies_elided += moves && moved == 0 ? 1 : 0;
    plan_.stats.bytes_copied += moved;
    plan_.stats.bytes_not_copied += all - moved;
    // With symbols it may move something at other values.
    const bool elided = marked || (moved == 0 && graph_.symbols().empty());
    if (moves) plan_.notes.push_back(NoteOf(o, elided ? Action::kElided : Action::kRun));
  }

  static Note NoteOf(OpId o, Action action) {
    Note note;
    note.op = o;
    note.action = action;
    note.text = action == Action::kRun ? "executed" : "nothing to move";
    return note;
  }

  bool Coincides(const ConcreteRead& part, ValueId to) const {
    const Location &a = plan_.location(part.value), &b = plan_.location(to);
    const auto offsets = [&](ValueId v) {
      return ByteOffsets(plan_.location(v), concrete_.bytes[v.index()], concrete_.symbol_values);
    };
    const std::optional<std::vector<int64_t>> from = offsets(part.value), at = offsets(to);
    const bool none = a.kind == Location::Kind::kNone || b.kind == Location::Kind::kNone;
    if (none || !a.SameMemoryAs(b) || !from.has_value() || !at.has_value()) return part.from.empty();
    for (size_t i = 0; i < part.from.size(); ++i) {
      if ((*from)[static_cast<size_t>(part.from[i])] != (*at)[static_cast<size_t>(part.to[i])]) return false;
    }
    return true;
  }

  const Graph& graph_;
  Plan& plan_;
  ConcreteGraph concrete_;
};

}  // namespace

Plan NaivePlan(const Graph& graph, const std::vector<FusionId>& fuse) { return NaivePlanner(graph).Run(fuse); }

bool IsSwallowed(const Graph& graph, const Plan& plan, ValueId v) {
  const std::optional<OpId> producer = graph.producer(v);
  if (!producer.has_value()) return false;
  const std::vector<size_t> place = UnitOfOps(graph, plan);
  const bool fused = std::any_of(plan.fused.begin(), plan.fused.end(), [&](const FusionDecision& d) {
    const std::vector<OpId>& ops = graph.fusions()[d.fusion.index()].ops;
    return d.fused && std::find(ops.begin(), ops.end(), *producer) != ops.end();
  });
  bool used = false;
  for (size_t i = 0; i < graph.ops().size(); ++i) {
    if (place[i] == place[producer->index()]) continue;
    ForEachUse(graph, i, [&](ValueId u) { used = used || u == v; });
  }
  for (ValueId u : graph.outputs()) used = used || u == v;
  for (const KeepAlive& k : graph.keep_alive()) used = used || k.value == v;
  return fused && !used;
}

std::vector<OpId> ElidedApart(const Graph& graph, const Plan& plan) {
  Plan copy = plan;
  return StatsMaker(graph, copy).Apart();
}

void CompletePlan(const Graph& graph, Plan& plan, const std::vector<OpId>& elided) {
  plan.arenas.clear();
  for (size_t s = 0; s < graph.spaces().size(); ++s) {
    plan.arenas.push_back({});
    plan.arenas.back().space = SpaceId(static_cast<int32_t>(s));
    plan.arenas.back().chunks = {0};
  }
  const auto reach = [&](const Location& location, const Expr& bytes) {
    if (location.kind != Location::Kind::kArena) return;
    std::vector<int64_t>& chunks = plan.arenas[location.space().index()].chunks;
    chunks.resize(std::max(chunks.size(), static_cast<size_t>(location.chunk) + 1), 0);
    Expr length = bytes;
    if (location.strides != nullptr) {
      length = location.strides->run_bytes;
      for (const Dim& d : location.strides->dims) length += (d.count - 1) * d.stride_bytes;
    }
    const std::optional<Bounds> end = BoundsOf(location.offset_bytes + length, graph.symbols());
    int64_t& chunk = chunks[static_cast<size_t>(location.chunk)];
    if (end.has_value()) chunk = std::max(chunk, end->max);
  };
  for (size_t i = 0; i < graph.values().size(); ++i) {
    const Value& v = graph.values()[i];
    reach(plan.locations[i], v.bytes);
    // Sizes in the arena are planned at their largest.
    if (plan.locations[i].offset_bytes.is_constant() && plan.locations[i].strides == nullptr)
      reach(plan.locations[i], v.max_bytes);
  }
  for (const ScratchPlace& s : plan.scratch) reach(s.location, graph.op(s.op).max_scratch_bytes);
  for (Arena& a : plan.arenas) {
    for (int64_t chunk : a.chunks) a.bytes += chunk;
    a.optimal = a.bytes == 0;
  }
  plan.optimal = std::all_of(plan.arenas.begin(), plan.arenas.end(), [](const Arena& a) { return a.optimal; });
  plan.live.assign(graph.values().size(), {});
  StatsMaker(graph, plan).Run(elided);
}

std::vector<std::vector<bool>> SlowHappensBefore(const Graph& graph, const Plan& plan) {
  const size_t n = graph.ops().size();
  std::vector<std::array<size_t, 3>> key;
  const std::vector<size_t> place = UnitOfOps(graph, plan, &key);
  std::vector<std::vector<bool>> before(n, std::vector<bool>(n, false));
  const auto edge = [&](size_t a, size_t b) {
    if (place[a] != place[b]) before[place[a]][place[b]] = true;
  };
  for (size_t b = 0; b < n; ++b) {
    for (size_t a = 0; a < n; ++a) {
      if (graph.ops()[a].stream == graph.ops()[b].stream && key[a] < key[b]) edge(a, b);
    }
    ForEachUse(graph, b, [&](ValueId v) {
      if (graph.producer(v).has_value()) edge(graph.producer(v)->index(), b);
    });
  }
  for (const OrderEdge& e : graph.order()) edge(e.before.index(), e.after.index());
  for (const AddedEdge& e : plan.added_order) edge(e.before.index(), e.after.index());
  for (size_t k = 0; k < n; ++k) {
    for (size_t a = 0; a < n; ++a) {
      for (size_t b = 0; before[a][k] && b < n; ++b) before[a][b] = before[a][b] || before[k][b];
    }
  }
  for (size_t a = 0; a < n; ++a) {
    if (place[a] != a) before[a] = before[place[a]];
  }
  for (std::vector<bool>& row : before) {
    for (size_t b = 0; b < n; ++b) row[b] = row[place[b]];
  }
  return before;
}

}  // namespace bufplan
