#include "tests/oracle/units.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tests/oracle/places.h"

namespace bufplan {
namespace {

class UnitMaker {
 public:
  UnitMaker(const Graph& graph, const Plan& plan, const ConcreteGraph& concrete)
      : graph_(graph), plan_(plan), concrete_(concrete), places_(graph, plan, concrete) {}

  ExecutionPlan Run() {
    out_.num_bytes = places_.num_bytes();
    for (size_t v = 0; v < plan_.locations.size(); ++v) PlaceValue(ValueId(static_cast<int32_t>(v)));
    MakeUnits();
    MarkElided();
    CheckStrided();
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
  void Fault(std::string text) {
    if (out_.fault.empty()) out_.fault = std::move(text);
  }
  std::string Quoted(ValueId v) const { return absl::StrCat("value \"", graph_.name(v), "\""); }
  int64_t SizeOf(ValueId v) const { return concrete_.bytes[v.index()]; }
  // Empty: the value has no place, or no bytes.
  const std::vector<int64_t>& AddressesOf(ValueId v) const { return out_.address[v.index()]; }
  int64_t AddressOf(ValueId v, int64_t byte) const { return AddressesOf(v)[static_cast<size_t>(byte)]; }
  bool HasPlace(ValueId v) const { return !AddressesOf(v).empty(); }
  // Not one run of bytes.
  bool IsStrided(ValueId v) const { return HasPlace(v) && strided_[v.index()]; }
  // Both begin at one byte, and each byte of the shorter one lies where the same byte of the other does.
  bool SamePlace(ValueId a, ValueId b) const {
    return HasPlace(a) && HasPlace(b) && AddressOf(a, 0) == AddressOf(b, 0) && !IsStrided(a) && !IsStrided(b);
  }

  std::vector<int64_t> Find(const Location& location, int64_t size, const std::string& who) {
    absl::StatusOr<std::vector<int64_t>> bytes = places_.Find(location, size);
    if (bytes.ok()) return *std::move(bytes);
    Fault(absl::StrCat(who, " ", bytes.status().message()));
    return {};
  }

  void PlaceValue(ValueId v) {
    const bool none = plan_.location(v).kind == Location::Kind::kNone;
    std::vector<int64_t> at;
    if (!none) at = Find(plan_.location(v), SizeOf(v), Quoted(v));
    bool strided = false;
    for (size_t b = 1; b < at.size(); ++b) strided = strided || at[b] != at[b - 1] + 1;
    strided_.push_back(strided);
    out_.address.push_back(std::move(at));
    out_.storage_address.push_back(places_.OfCaller(v));
  }

  static bool IsMovement(OpKind kind) {
    return kind != OpKind::kCompute && kind != OpKind::kFill && kind != OpKind::kBarrier && kind != OpKind::kView;
  }

  // What the plan's marks stop from being executed.
  void MarkElided() {
    elided_.assign(graph_.ops().size(), false);
    for (const Note& note : plan_.notes) {
      const bool counts = IsMovement(graph_.op(note.op).kind) && group_of_[note.op.index()] < 0;
      if (counts && note.action == Action::kElided && !note.result.has_value()) elided_[note.op.index()] = true;
    }
  }

  void CheckStrided() {
    for (size_t i = 0; i < graph_.values().size(); ++i) {
      const ValueId v(static_cast<int32_t>(i));
      if (!IsStrided(v)) continue;
      const std::string fault = MisuseOfStrided(v);
      if (!fault.empty()) Fault(absl::StrCat(Quoted(v), " is strided, but ", fault));
    }
  }

  // Who knows only one run of bytes as the place of v.
  std::string MisuseOfStrided(ValueId v) const {
    const std::optional<OpId> producer = graph_.producer(v);
    if (!producer.has_value() || !IsMovement(graph_.op(*producer).kind) || group_of_[producer->index()] >= 0 ||
        WriteOf(v)->base.has_value()) {
      return "no data movement writes it whole";
    }
    for (ValueId output : graph_.outputs()) {
      if (output == v) return "an output";
    }
    for (const KeepAlive& k : graph_.keep_alive()) {
      if (k.value == v) return "kept alive";
    }
    for (size_t i = 0; i < graph_.ops().size(); ++i) {
      const Op& op = graph_.ops()[i];
      for (const Write& w : graph_.writes(op)) {
        if (w.base == v) return absl::StrCat("the base of op \"", graph_.name(OpId(static_cast<int32_t>(i))), "\"");
      }
      for (const Read& r : graph_.reads(op)) {
        const bool knows = group_of_[i] < 0 && (IsMovement(op.kind) || (op.kind == OpKind::kCompute && r.strides_ok));
        if (r.value != v || knows) continue;
        return absl::StrCat("read by op \"", graph_.name(OpId(static_cast<int32_t>(i))), "\"");
      }
    }
    return "";
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
      if (group_of_[i] < 0) AddUnit({OpId(static_cast<int32_t>(i))});
      // Groups that run here, in the order of their last members that are listed up to here.
      for (size_t j = 0; j <= i; ++j) {
        if (group_of_[j] < 0) continue;
        const Fusion& f = graph_.fusions()[static_cast<size_t>(group_of_[j])];
        const auto later = [&](OpId o) { return o.index() > j && o.index() <= i; };
        if (f.at.index() != i || std::any_of(f.ops.begin(), f.ops.end(), later)) continue;
        AddUnit(f.ops);
      }
    }
  }
  void AddUnit(std::vector<OpId> ops) {
    for (OpId o : ops) unit_of_[o.index()] = out_.units.size();
    out_.units.push_back({.ops = std::move(ops)});
  }

  void AddSample(Unit& unit, SampleWhy why, ValueId value, int64_t byte, std::optional<ValueId> result = std::nullopt) {
    if (!HasPlace(value)) return Fault(absl::StrCat(Quoted(value), " is used but has no place"));
    unit.samples.push_back({why, AddressOf(value, byte), value, byte, result});
  }
  void AddSamples(Unit& unit, SampleWhy why, ValueId value, const std::vector<int64_t>& bytes) {
    for (int64_t b : bytes) AddSample(unit, why, value, b);
  }
  void AddStore(Unit& unit, ValueId value, int64_t byte) {
    if (!HasPlace(value)) return Fault(absl::StrCat(Quoted(value), " is written but has no place"));
    unit.stores.push_back({AddressOf(value, byte), value, byte});
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

  bool Coincides(const ConcreteRead& part, const std::vector<int64_t>& to) const {
    bool coincides = HasPlace(part.value) && !to.empty();
    for (size_t i = 0; i < part.from.size() && coincides; ++i) {
      coincides = AddressOf(part.value, part.from[i]) == to[static_cast<size_t>(part.to[i])];
    }
    return coincides;
  }

  // Moves a part unless all its bytes are where they belong. `at`: where the bytes of the value it goes to lie.
  void FillPart(Unit& unit, const ConcreteRead& part, ValueId to, const std::vector<int64_t>& at) {
    if (part.to.empty() || Coincides(part, at)) return;
    AddSamples(unit, SampleWhy::kMoved, part.value, part.from);
    if (at.empty()) return Fault(absl::StrCat(Quoted(to), " is written but has no place"));
    // What a commit leaves in its target's storage are the bytes of its source.
    const bool commit = graph_.op(unit.ops[0]).kind == OpKind::kCommit;
    for (size_t i = 0; i < part.to.size(); ++i) {
      unit.stores.push_back(
          {at[static_cast<size_t>(part.to[i])], commit ? part.value : to, commit ? part.from[i] : part.to[i]});
    }
  }

  void FillOp(Unit& unit, OpId o) {
    if (elided_[o.index()]) return;
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
        FillPart(unit, r, *op.commit_target, out_.storage_address[op.commit_target->index()]);
      } else {
        FillPart(unit, r, op.writes[0].value, AddressesOf(op.writes[0].value));
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
    if (!HasPlace(w.value)) return;  // swallowed
    const ConcreteOp& op = concrete_.ops[o.index()];
    if (op.kind == OpKind::kView && HasPlace(op.reads[0].value)) return;
    std::vector<bool> there(static_cast<size_t>(SizeOf(w.value)), false);
    bool moves = op.kind == OpKind::kCompute || op.kind == OpKind::kFill || op.kind == OpKind::kView;
    for (const ConcreteRead& r : op.reads) {
      if (op.kind == OpKind::kCompute) break;
      const bool coincides = Coincides(r, AddressesOf(w.value));
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
        const std::vector<int64_t>& kept = AddressesOf(k.value);
        if (!own && std::find(kept.begin(), kept.end(), store.at) != kept.end()) store.late = false;
      }
    }
  }

  void AddScratch() {
    for (const ScratchPlace& s : plan_.scratch) {
      const int64_t size = concrete_.ops[s.op.index()].scratch_bytes;
      const std::string who = absl::StrCat("scratch of op \"", graph_.name(s.op), "\"");
      if (s.location.strides != nullptr) Fault(absl::StrCat(who, " is strided"));
      std::vector<int64_t>& scratch = out_.units[unit_of_[s.op.index()]].scratch;
      for (int64_t at : Find(s.location, size, who)) scratch.push_back(at);
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
  Places places_;
  std::vector<bool> strided_;      // by ValueId: its bytes do not lie one after another
  std::vector<bool> elided_;       // by OpId: marked so in the plan
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
  for (const Note& n : plan.notes) fits = fits && KnownOp(graph, n.op);
  for (const FusionDecision& f : plan.fused) fits = fits && f.fusion.index() < graph.fusions().size();
  if (!fits) return absl::InvalidArgumentError("the plan is not of this graph's shape");
  return UnitMaker(graph, plan, concrete).Run();
}

}  // namespace bufplan
