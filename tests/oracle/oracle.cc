#include "tests/oracle/oracle.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/oracle/random.h"
#include "tests/oracle/units.h"

namespace bufplan {
namespace {

// One execution.
class Execution {
 public:
  Execution(const Graph& graph, const ExecutionPlan& plan, const Reference& reference, uint64_t interleaving_seed)
      : graph_(graph), plan_(plan), reference_(reference), rng_(interleaving_seed), garbage_(~interleaving_seed) {}

  std::optional<Difference> Run() {
    Fill();
    if (!plan_.fault.empty()) return Difference{.kind = DifferenceKind::kUnexecutable, .text = plan_.fault};
    const size_t n = plan_.units.size();
    waiting_.resize(n);
    scribbled_.resize(n);
    for (size_t u = 0; u < n; ++u) {
      waiting_[u] = plan_.units[u].num_predecessors;
      if (waiting_[u] == 0) ready_.push_back(u);
    }
    style_ = rng_.Below(4);
    for (size_t u = 0; u < n; ++u) priority_.push_back(rng_.Next());
    for (size_t ended = 0; ended < n;) {
      if (ready_.empty() && running_.empty()) {
        return Difference{.kind = DifferenceKind::kUnexecutable, .text = "the order has a cycle"};
      }
      if (running_.empty() || (!ready_.empty() && PreferStart())) {
        Start(Take(ready_));
      } else {
        ++ended;
        End(Take(running_));
      }
      if (difference_.has_value()) return difference_;
    }
    CheckEnd();
    return difference_;
  }

 private:
  Word NextGarbage() { return MixBits(++garbage_); }

  void Fill() {
    for (int64_t i = 0; i < plan_.num_bytes; ++i) memory_.push_back(NextGarbage());
    for (size_t v = 0; v < graph_.values().size(); ++v) {
      const Role role = graph_.values()[v].role;
      if (role == Role::kTransient) continue;
      const std::vector<int64_t>& at = role == Role::kInput ? plan_.address[v] : plan_.storage_address[v];
      const std::vector<Word>& words = reference_.contents.words[v];
      for (size_t b = 0; b < at.size(); ++b) Byte(at[b]) = words[b];
    }
    local_.words.resize(graph_.values().size());
    local_.defined = reference_.contents.defined;
  }

  Word& Byte(int64_t at) { return memory_[static_cast<size_t>(at)]; }

  // Styles: one op after the other; as much at once as possible; by chance; by fixed random priorities, which lets
  // some units lag behind by a long way.
  bool PreferStart() {
    switch (style_) {
      case 0: return false;
      case 1: return true;
      case 2: return rng_.Percent(50);
      default: return priority_[*First(ready_)] > priority_[*First(running_)];
    }
  }
  std::vector<size_t>::iterator First(std::vector<size_t>& of) const {
    return std::max_element(of.begin(), of.end(), [this](size_t a, size_t b) {
      return std::pair(priority_[a], a) < std::pair(priority_[b], b);
    });
  }
  size_t Take(std::vector<size_t>& from) {
    const auto it = style_ == 3 ? First(from) : from.begin() + static_cast<std::ptrdiff_t>(rng_.Below(from.size()));
    const size_t unit = *it;
    from.erase(it);
    return unit;
  }

  std::string NameOf(const Unit& unit) const {
    return absl::StrJoin(unit.ops, "+", [&](std::string* out, OpId o) { absl::StrAppend(out, graph_.name(o)); });
  }
  void Differ(DifferenceKind kind, const Unit* unit, ValueId value, int64_t byte, Word expected, Word found,
              absl::string_view what) {
    if (difference_.has_value()) return;
    difference_ = Difference{.kind = kind, .value = value, .byte = byte, .expected = expected, .found = found};
    if (unit != nullptr) difference_->op = unit->ops.back();
    difference_->text = absl::StrCat(unit == nullptr ? "at the end" : absl::StrCat("op \"", NameOf(*unit), "\""), " ",
                                     what, " byte ", byte, " of value \"", graph_.name(value), "\": expected ",
                                     absl::Hex(expected), ", found ", absl::Hex(found));
  }

  // `defined` and word of the reference.
  bool IsRight(ValueId value, int64_t byte, Word found) const {
    const size_t b = static_cast<size_t>(byte);
    return !reference_.contents.defined[value.index()][b] || reference_.contents.words[value.index()][b] == found;
  }
  void CheckSamples(const Unit& unit, DifferenceKind kind, absl::string_view what) {
    for (const Sample& s : unit.samples) {
      if (IsRight(s.value, s.byte, Byte(s.at))) continue;
      return Differ(kind, &unit, s.value, s.byte,
                    reference_.contents.words[s.value.index()][static_cast<size_t>(s.byte)], Byte(s.at), what);
    }
  }

  void Start(size_t u) {
    const Unit& unit = plan_.units[u];
    running_.push_back(u);
    CheckSamples(unit, DifferenceKind::kRead, "reads at its start");
    for (const Store& s : unit.stores) {
      scribbled_[u].push_back(NextGarbage());
      if (!s.late) Byte(s.at) = scribbled_[u].back();
    }
    for (int64_t at : unit.scratch) {
      scribbled_[u].push_back(NextGarbage());
      Byte(at) = scribbled_[u].back();
    }
  }

  void End(size_t u) {
    const Unit& unit = plan_.units[u];
    CheckSamples(unit, DifferenceKind::kReadMeanwhile, "reads at its end");
    CheckScribbled(u);
    Evaluate(unit);
    for (const Store& s : unit.stores) Byte(s.at) = local_.words[s.value.index()][static_cast<size_t>(s.byte)];
    for (int64_t at : unit.scratch) Byte(at) = NextGarbage();
    for (const Store& s : unit.stores) {
      if (IsRight(s.value, s.byte, Byte(s.at))) continue;
      return Differ(DifferenceKind::kLostWrite, &unit, s.value, s.byte,
                    reference_.contents.words[s.value.index()][static_cast<size_t>(s.byte)], Byte(s.at),
                    "has written wrongly");
    }
    for (size_t next : unit.successors) {
      if (--waiting_[next] == 0) ready_.push_back(next);
    }
  }

  void CheckScribbled(size_t u) {
    const Unit& unit = plan_.units[u];
    for (size_t i = 0; i < unit.stores.size(); ++i) {
      const Store& s = unit.stores[i];
      if (s.late || Byte(s.at) == scribbled_[u][i]) continue;
      return Differ(DifferenceKind::kLostWrite, &unit, s.value, s.byte, scribbled_[u][i], Byte(s.at), "is writing");
    }
    for (size_t i = 0; i < unit.scratch.size(); ++i) {
      const Word expected = scribbled_[u][unit.stores.size() + i];
      if (Byte(unit.scratch[i]) == expected) continue;
      return Differ(DifferenceKind::kLostScratch, &unit, ValueId(0), static_cast<int64_t>(i), expected,
                    Byte(unit.scratch[i]), "lost its scratch; not");
    }
  }

  // Computes from the sampled bytes alone; everything else is garbage.
  void Evaluate(const Unit& unit) {
    const auto reset = [&](ValueId v) {
      local_.words[v.index()].assign(reference_.contents.words[v.index()].size(), NextGarbage());
    };
    for (OpId o : unit.ops) {
      const ConcreteOp& op = reference_.concrete.ops[o.index()];
      for (const ConcreteRead& r : op.reads) reset(r.value);
      for (const ConcreteWrite& w : op.writes) {
        if (w.base.has_value()) reset(*w.base);
      }
    }
    for (const Sample& s : unit.samples) {
      if (s.why == SampleWhy::kKeptAlive) continue;
      local_.words[s.value.index()][static_cast<size_t>(s.byte)] = Byte(s.at);
    }
    for (OpId o : unit.ops) InterpretOp(reference_.concrete, o, reference_.seed, local_);
  }

  void CheckEnd() {
    std::vector<bool> output(graph_.values().size(), false);
    for (ValueId v : graph_.outputs()) output[v.index()] = true;
    for (size_t i = 0; i < graph_.values().size(); ++i) {
      const ValueId v(static_cast<int32_t>(i));
      const Value& value = graph_.value(v);
      const std::optional<OpId> commit = graph_.commit_to(v);
      const ValueId final = commit.has_value() ? graph_.reads(graph_.op(*commit))[0].value : v;
      const bool owned = value.role == Role::kConstant || value.role == Role::kVariable ||
                         (value.role == Role::kExternal && (!value.writable || commit.has_value()));
      if (owned) CheckIntact(final, plan_.storage_address[i]);
      if (output[i] || value.preserve) CheckIntact(v, plan_.address[i]);
    }
  }
  // At the end these bytes hold what `v` is.
  void CheckIntact(ValueId v, const std::vector<int64_t>& at) {
    const std::vector<Word>& words = reference_.contents.words[v.index()];
    for (size_t b = 0; b < words.size(); ++b) {
      const int64_t byte = static_cast<int64_t>(b);
      if (at.empty()) {
        return Differ(DifferenceKind::kUnexecutable, nullptr, v, byte, words[b], 0, "there is no place for");
      }
      if (!IsRight(v, byte, Byte(at[b]))) {
        return Differ(DifferenceKind::kEnd, nullptr, v, byte, words[b], Byte(at[b]), "there must be");
      }
    }
  }

  const Graph& graph_;
  const ExecutionPlan& plan_;
  const Reference& reference_;
  Rng rng_;
  Word garbage_;
  std::vector<Word> memory_;
  Contents local_;
  std::vector<size_t> waiting_, ready_, running_;
  std::vector<std::vector<Word>> scribbled_;  // by unit: the garbage it wrote at its start
  size_t style_ = 0;
  std::vector<uint64_t> priority_;
  std::optional<Difference> difference_;
};

}  // namespace

absl::StatusOr<std::optional<Difference>> RunPlanned(const Graph& graph, const Plan& plan,
                                                     absl::Span<const int64_t> symbol_values, uint64_t seed,
                                                     uint64_t interleaving_seed) {
  absl::StatusOr<Reference> reference = RunReference(graph, symbol_values, seed);
  if (!reference.ok()) return reference.status();
  absl::StatusOr<ExecutionPlan> units = MakeExecutionPlan(graph, plan, reference->concrete);
  if (!units.ok()) return units.status();
  return Execution(graph, *units, *reference, interleaving_seed).Run();
}

absl::StatusOr<std::optional<Difference>> RunPlannedOften(const Graph& graph, const Plan& plan,
                                                          absl::Span<const int64_t> symbol_values, uint64_t seed,
                                                          int interleavings) {
  absl::StatusOr<Reference> reference = RunReference(graph, symbol_values, seed);
  if (!reference.ok()) return reference.status();
  absl::StatusOr<ExecutionPlan> units = MakeExecutionPlan(graph, plan, reference->concrete);
  if (!units.ok()) return units.status();
  if (graph.num_streams() == 1) interleavings = 1;  // There is only one order.
  for (int i = 0; i < interleavings; ++i) {
    std::optional<Difference> difference =
        Execution(graph, *units, *reference, HashWords(seed, static_cast<uint64_t>(i))).Run();
    if (difference.has_value()) return difference;
  }
  return std::optional<Difference>();
}

}  // namespace bufplan
