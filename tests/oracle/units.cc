#include "tests/oracle/units.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace bufplan {
namespace {

constexpr int64_t kGapBytes = 1;

class UnitMaker {
 public:
  UnitMaker(const Graph& graph, const Plan& plan, const ConcreteGraph& concrete)
      : graph_(graph), plan_(plan), concrete_(concrete) {}

  ExecutionPlan Run() {
    LayOutMemories();
    for (size_t v = 0; v < plan_.locations.size(); ++v) PlaceValue(ValueId(static_cast<int32_t>(v)));
    MakeUnits();
    for (Unit& unit : out_.units) {
      if (group_of_[unit.ops[0].index()] < 0) {
        FillOp(unit, unit.ops[0]);
      } else {
        FillGroup(unit, graph_.fusions()[static_cast<size_t>(group_of_[unit.ops[0].index()])]);
      }
      AddKeepAlive(unit);
    }
    AddScratch();
    AddOrder();
    return std::move(out_);
  }

 private:
  using MemoryKey = std::tuple<int, int32_t, int32_t>;
  struct Memory {
    int64_t begin = 0, size = 0;
  };

  void Fault(std::string text) {
    if (out_.fault.empty()) out_.fault = std::move(text);
  }
  std::string Quoted(ValueId v) const { return absl::StrCat("value \"", graph_.name(v), "\""); }
  int64_t SizeOf(ValueId v) const { return concrete_.bytes[v.index()]; }
  int64_t AddressOf(ValueId v) const { return out_.address[v.index()]; }
  bool SamePlace(ValueId a, ValueId b) const { return AddressOf(a) != kNoAddress && AddressOf(a) == AddressOf(b); }

  void AddMemory(Location::Kind kind, int32_t memory, int32_t chunk, int64_t size) {
    memories_[{static_cast<int>(kind), memory, chunk}] = {out_.num_bytes, size};
    out_.num_bytes += size + kGapBytes;
  }

  void LayOutMemories() {
    for (const Arena& a : plan_.arenas) {
      for (size_t c = 0; c < a.chunks.size(); ++c) {
        AddMemory(Location::Kind::kArena, a.space.value, static_cast<int32_t>(c), std::max<int64_t>(0, a.chunks[c]));
      }
    }
    out_.caller_begin.assign(graph_.values().size(), kNoAddress);
    for (size_t v = 0; v < graph_.values().size(); ++v) {
      const Role role = graph_.values()[v].role;
      if (role == Role::kTransient || role == Role::kInput) continue;
      out_.caller_begin[v] = out_.num_bytes;
      AddMemory(Location::Kind::kCaller, static_cast<int32_t>(v), 0, concrete_.bytes[v]);
    }
  }

  // The physical address of `size` bytes at a location; kNoAddress with a fault unless they lie inside their memory.
  int64_t Place(const Location& location, int64_t size, const std::string& who) {
    if (size == 0) return kNoAddress;
    const auto memory = memories_.find({static_cast<int>(location.kind), location.memory, location.chunk});
    const std::optional<int64_t> offset = location.offset_bytes.Evaluate(concrete_.symbol_values);
    if (memory == memories_.end() || !offset.has_value()) {
      Fault(absl::StrCat(who, " has no place"));
      return kNoAddress;
    }
    if (*offset < 0 || *offset > memory->second.size - size) {
      Fault(absl::StrCat(who, ": bytes [", *offset, ", ", *offset, " + ", size, ") leave a memory of ",
                         memory->second.size, " bytes"));
      return kNoAddress;
    }
    return memory->second.begin + *offset;
  }

  void PlaceValue(ValueId v) {
    const Location& location = plan_.location(v);
    const bool none = location.kind == Location::Kind::kNone;
    out_.address.push_back(none ? kNoAddress : Place(location, SizeOf(v), Quoted(v)));
  }

  void MakeUnits() {
    group_of_.assign(graph_.ops().size(), -1);
    for (size_t f = 0; f < plan_.fused.size(); ++f) {
      if (!plan_.fused[f].fused) continue;
      for (OpId o : graph_.fusions()[plan_.fused[f].fusion.index()].ops) {
        if (group_of_[o.index()] >= 0) Fault(absl::StrCat("op \"", graph_.name(o), "\" is in two fused groups"));
        group_of_[o.index()] = plan_.fused[f].fusion.value;
      }
    }
    unit_of_.assign(graph_.ops().size(), 0);
    for (size_t i = 0; i < graph_.ops().size(); ++i) {
      std::vector<OpId> ops = {OpId(static_cast<int32_t>(i))};
      if (group_of_[i] >= 0) {
        ops.clear();
        for (size_t j = 0; j < graph_.ops().size(); ++j) {
          if (group_of_[j] == group_of_[i]) ops.push_back(OpId(static_cast<int32_t>(j)));
        }
        if (ops.back().index() != i) continue;
      }
      for (OpId o : ops) unit_of_[o.index()] = out_.units.size();
      out_.units.push_back({.ops = std::move(ops)});
    }
  }

  void AddSample(Unit& unit, SampleWhy why, ValueId value, int64_t byte, std::optional<ValueId> result = std::nullopt) {
    if (AddressOf(value) == kNoAddress) return Fault(absl::StrCat(Quoted(value), " is used but has no place"));
    unit.samples.push_back({why, AddressOf(value) + byte, value, byte, result});
  }
  void AddSamples(Unit& unit, SampleWhy why, ValueId value, const std::vector<int64_t>& bytes) {
    for (int64_t b : bytes) AddSample(unit, why, value, b);
  }
  void AddStore(Unit& unit, ValueId value, int64_t byte) {
    if (AddressOf(value) == kNoAddress) return Fault(absl::StrCat(Quoted(value), " is written but has no place"));
    unit.stores.push_back({AddressOf(value) + byte, value, byte});
  }

  // The base's part in a write: what is carried to a place of its own, and what is rewritten where it is.
  void FillBase(Unit& unit, const ConcreteWrite& w) {
    if (!w.base.has_value()) return;
    const std::vector<bool> overwritten = Mask(SizeOf(w.value), w.bytes);
    for (int64_t b = 0; b < SizeOf(w.value); ++b) {
      const bool inside = overwritten[static_cast<size_t>(b)];
      if (SamePlace(w.value, *w.base)) {
        if (inside && w.cover == Cover::kPart) AddSample(unit, SampleWhy::kRewritten, *w.base, b);
      } else {
        if (!inside || w.cover == Cover::kPart) AddSample(unit, SampleWhy::kCarried, *w.base, b, w.value);
        if (!inside) AddStore(unit, w.value, b);
      }
    }
  }

  static std::vector<bool> Mask(int64_t size, const std::vector<int64_t>& bytes) {
    std::vector<bool> mask(static_cast<size_t>(size), false);
    for (int64_t b : bytes) mask[static_cast<size_t>(b)] = true;
    return mask;
  }

  bool Coincides(const ConcreteRead& part, int64_t begin) const {
    bool coincides = AddressOf(part.value) != kNoAddress && begin != kNoAddress;
    for (size_t i = 0; i < part.from.size() && coincides; ++i) {
      coincides = AddressOf(part.value) + part.from[i] == begin + part.to[i];
    }
    return coincides;
  }

  // Moves a part unless all its bytes are where they belong. `begin`: where the value it goes to lies.
  void FillPart(Unit& unit, const ConcreteRead& part, ValueId to, int64_t begin) {
    if (Coincides(part, begin)) return;
    AddSamples(unit, SampleWhy::kMoved, part.value, part.from);
    if (begin == kNoAddress && !part.to.empty()) Fault(absl::StrCat(Quoted(to), " is written but has no place"));
    // What a commit leaves in its target's storage are the bytes of its source.
    const bool commit = graph_.op(unit.ops[0]).kind == OpKind::kCommit;
    for (size_t i = 0; i < part.to.size(); ++i) {
      unit.stores.push_back({begin + part.to[i], commit ? part.value : to, commit ? part.from[i] : part.to[i]});
    }
  }

  void FillOp(Unit& unit, OpId o) {
    const ConcreteOp& op = concrete_.ops[o.index()];
    for (const ConcreteWrite& w : op.writes) {
      FillBase(unit, w);
      if (op.kind == OpKind::kCompute || op.kind == OpKind::kFill) {
        for (int64_t b : w.bytes) AddStore(unit, w.value, b);
      }
    }
    for (const ConcreteRead& r : op.reads) {
      if (op.kind == OpKind::kCompute) AddSamples(unit, SampleWhy::kOperand, r.value, r.from);
      if (op.kind == OpKind::kCompute || op.kind == OpKind::kView) continue;
      if (op.commit_target.has_value()) {
        FillPart(unit, r, *op.commit_target, out_.caller_begin[op.commit_target->index()]);
      } else {
        FillPart(unit, r, op.writes[0].value, AddressOf(op.writes[0].value));
      }
    }
    const auto late = [&](const Store& store, const Sample& sample) {
      for (size_t w = 0; w < op.writes.size(); ++w) {
        const ConcreteWrite& write = op.writes[w];
        if (write.value != store.value) continue;
        if (sample.why == SampleWhy::kRewritten) return write.base == sample.value && store.byte == sample.byte;
        const std::vector<bool> written = Mask(SizeOf(write.value), write.bytes);
        const bool carried = write.base.has_value() && !SamePlace(*write.base, write.value) &&
                             (write.cover == Cover::kPart || !written[static_cast<size_t>(store.byte)]);
        const bool read =
            sample.why == SampleWhy::kOperand || (sample.why == SampleWhy::kCarried && sample.result != write.value);
        if (!read || carried) return false;
        for (const InPlace& p : graph_.in_place(graph_.writes(graph_.op(o))[w])) {
          if (MayLieOn(write.value, p.value, p.mode) && p.value == sample.value) return true;
        }
      }
      return false;
    };
    MarkLate(unit, late);
  }

  bool MayLieOn(ValueId result, ValueId operand, InPlaceMode mode) const {
    return mode == InPlaceMode::kAny || (SamePlace(result, operand) && SizeOf(result) <= SizeOf(operand));
  }

  // A store is late if the unit reads there, and each of these reads lets it.
  template <class LetsBeLate>
  void MarkLate(Unit& unit, const LetsBeLate& lets_be_late) {
    std::multimap<int64_t, const Sample*> samples;
    for (const Sample& s : unit.samples) samples.emplace(s.at, &s);
    for (Store& store : unit.stores) {
      auto [begin, end] = samples.equal_range(store.at);
      store.late = begin != end;
      for (; begin != end; ++begin) store.late = store.late && lets_be_late(store, *begin->second);
    }
  }

  // A fused group as one op. Bases are followed through the group: `origin_` of a value made inside is the value from
  // outside that its bases lead to.
  void FillGroup(Unit& unit, const Fusion& fusion) {
    inside_.assign(graph_.values().size(), false);
    origin_.assign(graph_.values().size(), std::nullopt);
    needed_.assign(graph_.values().size(), {});
    for (OpId o : unit.ops) {
      for (const ConcreteWrite& w : concrete_.ops[o.index()].writes) {
        inside_[w.value.index()] = true;
        needed_[w.value.index()].assign(static_cast<size_t>(SizeOf(w.value)), false);
        if (w.base.has_value()) origin_[w.value.index()] = inside_[w.base->index()] ? origin_[w.base->index()] : w.base;
      }
    }
    for (OpId o : unit.ops) {
      for (const ConcreteWrite& w : concrete_.ops[o.index()].writes) FillGroupResult(unit, o, w);
    }
    for (size_t i = unit.ops.size(); i-- > 0;) FillGroupReads(unit, concrete_.ops[unit.ops[i].index()]);
    MarkLate(unit, [&](const Store& store, const Sample& sample) {
      if (sample.why == SampleWhy::kRewritten && origin_[store.value.index()] == sample.value &&
          store.byte == sample.byte) {
        return true;
      }
      for (const FusionInPlace& p : fusion.in_place) {
        const bool right = p.result == store.value && p.value == sample.value;
        if (right && MayLieOn(p.result, p.value, p.mode)) return true;
      }
      return false;
    });
  }

  // True if a byte of a value made inside is a base's byte that lies where it belongs already.
  bool LiesInBase(ValueId result, int64_t byte) const {
    for (ValueId v = result; inside_[v.index()];) {
      const ConcreteWrite* write = WriteOf(v);
      if (!write->base.has_value()) return false;
      if (std::find(write->bytes.begin(), write->bytes.end(), byte) != write->bytes.end()) return false;
      v = *write->base;
      if (SamePlace(v, result)) return true;
    }
    return false;
  }
  const ConcreteWrite* WriteOf(ValueId v) const {
    for (const ConcreteWrite& w : concrete_.ops[graph_.producer(v)->index()].writes) {
      if (w.value == v) return &w;
    }
    return nullptr;
  }

  void FillGroupResult(Unit& unit, OpId o, const ConcreteWrite& w) {
    if (AddressOf(w.value) == kNoAddress) return;  // swallowed
    const ConcreteOp& op = concrete_.ops[o.index()];
    if (op.kind == OpKind::kView && AddressOf(op.reads[0].value) != kNoAddress) return;
    std::vector<bool> there(static_cast<size_t>(SizeOf(w.value)), false);
    bool moves = op.kind == OpKind::kCompute || op.kind == OpKind::kFill || op.kind == OpKind::kView;
    for (const ConcreteRead& r : op.reads) {
      if (op.kind == OpKind::kCompute) break;
      const bool coincides = Coincides(r, AddressOf(w.value));
      moves = moves || (!coincides && !r.to.empty());
      for (int64_t b : r.to) there[static_cast<size_t>(b)] = coincides;
    }
    if (!moves && !w.base.has_value()) return;
    for (int64_t b = 0; b < SizeOf(w.value); ++b) {
      if (there[static_cast<size_t>(b)] || LiesInBase(w.value, b)) continue;
      needed_[w.value.index()][static_cast<size_t>(b)] = true;
      AddStore(unit, w.value, b);
    }
  }

  // Members are visited last to first: what a later one needs of an earlier one is known by then.
  void FillGroupReads(Unit& unit, const ConcreteOp& op) {
    const auto need = [&](SampleWhy why, ValueId value, int64_t byte) {
      if (!inside_[value.index()]) return AddSample(unit, why, value, byte);
      needed_[value.index()][static_cast<size_t>(byte)] = true;
    };
    for (const ConcreteRead& r : op.reads) {
      for (int64_t b : r.from) need(SampleWhy::kOperand, r.value, b);
    }
    for (const ConcreteWrite& w : op.writes) {
      if (!w.base.has_value()) continue;
      const std::vector<bool> overwritten = Mask(SizeOf(w.value), w.bytes);
      for (int64_t b = 0; b < SizeOf(w.value); ++b) {
        const size_t i = static_cast<size_t>(b);
        const bool rewritten = overwritten[i] && w.cover == Cover::kPart;
        const bool carried = !overwritten[i] && needed_[w.value.index()][i];
        if (rewritten || carried) need(rewritten ? SampleWhy::kRewritten : SampleWhy::kOperand, *w.base, b);
      }
    }
  }

  void AddKeepAlive(Unit& unit) {
    for (const KeepAlive& k : graph_.keep_alive()) {
      if (std::find(unit.ops.begin(), unit.ops.end(), k.until) == unit.ops.end()) continue;
      const std::optional<OpId> producer = graph_.producer(k.value);
      const bool own = producer.has_value() && unit_of_[producer->index()] == unit_of_[k.until.index()];
      for (int64_t b = 0; b < SizeOf(k.value) && !own; ++b) AddSample(unit, SampleWhy::kKeptAlive, k.value, b);
      for (Store& store : unit.stores) {
        const int64_t begin = AddressOf(k.value);
        if (!own && begin <= store.at && store.at < begin + SizeOf(k.value)) store.late = false;
      }
    }
  }

  void AddScratch() {
    for (const ScratchPlace& s : plan_.scratch) {
      const int64_t size = concrete_.ops[s.op.index()].scratch_bytes;
      const int64_t begin = Place(s.location, size, absl::StrCat("scratch of op \"", graph_.name(s.op), "\""));
      for (int64_t b = 0; b < size && begin != kNoAddress; ++b) {
        out_.units[unit_of_[s.op.index()]].scratch.push_back(begin + b);
      }
    }
  }

  void Edge(OpId before, OpId after) {
    const size_t from = unit_of_[before.index()], to = unit_of_[after.index()];
    if (from == to) return;
    out_.units[from].successors.push_back(to);
    ++out_.units[to].num_predecessors;
  }

  void AddOrder() {
    std::vector<std::optional<OpId>> last(static_cast<size_t>(graph_.num_streams()));
    for (const Unit& unit : out_.units) {
      std::optional<OpId>& previous = last[graph_.op(unit.ops.back()).stream.index()];
      if (previous.has_value()) Edge(*previous, unit.ops.back());
      previous = unit.ops.back();
    }
    for (size_t i = 0; i < graph_.ops().size(); ++i) {
      const OpId o(static_cast<int32_t>(i));
      const auto uses = [&](ValueId v) {
        if (graph_.producer(v).has_value()) Edge(*graph_.producer(v), o);
      };
      for (const ConcreteRead& r : concrete_.ops[i].reads) uses(r.value);
      for (const ConcreteWrite& w : concrete_.ops[i].writes) {
        if (w.base.has_value()) uses(*w.base);
      }
    }
    for (const OrderEdge& e : graph_.order()) Edge(e.before, e.after);
    for (const AddedEdge& e : plan_.added_order) Edge(e.before, e.after);
  }

  const Graph& graph_;
  const Plan& plan_;
  const ConcreteGraph& concrete_;
  ExecutionPlan out_;
  std::map<MemoryKey, Memory> memories_;
  std::vector<int32_t> group_of_;  // by OpId; -1: none
  std::vector<size_t> unit_of_;    // by OpId
  // Of the group at hand, by ValueId.
  std::vector<bool> inside_;
  std::vector<std::optional<ValueId>> origin_;
  std::vector<std::vector<bool>> needed_;
};

bool KnownOp(const Graph& graph, OpId o) { return o.index() < graph.ops().size(); }

}  // namespace

absl::StatusOr<ExecutionPlan> MakeExecutionPlan(const Graph& graph, const Plan& plan, const ConcreteGraph& concrete) {
  bool fits = plan.locations.size() == graph.values().size();
  for (const ScratchPlace& s : plan.scratch) fits = fits && KnownOp(graph, s.op);
  for (const AddedEdge& e : plan.added_order) fits = fits && KnownOp(graph, e.before) && KnownOp(graph, e.after);
  for (const FusionDecision& f : plan.fused) fits = fits && f.fusion.index() < graph.fusions().size();
  if (!fits) return absl::InvalidArgumentError("the plan is not of this graph's shape");
  return UnitMaker(graph, plan, concrete).Run();
}

}  // namespace bufplan
