#include "planner/assemble.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/expr_proof.h"
#include "ir/structure.h"
#include "planner/sharing/moved_bytes.h"

namespace bufplan {
namespace {

class Assembler {
 public:
  Assembler(const Graph& graph, const Schedule& schedule, const Uses& uses, Sharing sharing, const LiveRanges& live)
      : g_(graph), schedule_(schedule), uses_(uses), sharing_(std::move(sharing)), live_(live) {}

  absl::StatusOr<Plan> Run(absl::Span<const SpaceProblem> problems, absl::Span<const Placement> placements,
                           absl::Span<const AddedEdge> bought);

 private:
  void PlaceStorages(absl::Span<const SpaceProblem> problems, absl::Span<const Placement> placements);
  void LocateValues();
  absl::Status NoteOps();
  absl::Status NoteMovement(OpId o, Note note);
  void NoteCarriedBases(OpId o);
  absl::Status CheckOperandPlaces() const;
  void NoteEdgesAndFusions();
  void FillStats(absl::Span<const SpaceProblem> problems);

  const Graph& g_;
  const Schedule& schedule_;
  const Uses& uses_;
  Sharing sharing_;
  const LiveRanges& live_;
  std::vector<std::pair<int64_t, int32_t>> place_;  // by storage: offset and chunk
  Plan plan_;
};

void Assembler::PlaceStorages(absl::Span<const SpaceProblem> problems, absl::Span<const Placement> placements) {
  place_.resize(sharing_.storages.size());
  plan_.optimal = true;
  for (size_t p = 0; p < problems.size(); ++p) {
    const SpaceProblem& problem = problems[p];
    const Placement& placement = placements[p];
    Arena& arena = plan_.arenas.emplace_back();
    arena.space = problem.space;
    arena.bytes = placement.total_bytes;
    if (placement.bound == BoundMethod::kAntichain) arena.bound = BoundKind::kAntichain;
    if (placement.bound == BoundMethod::kSearch) arena.bound = BoundKind::kSearch;
    arena.lower_bound = placement.lower_bound_bytes;
    arena.optimal = placement.optimal;
    arena.chunks = placement.chunk_bytes;
    plan_.optimal = plan_.optimal && arena.optimal;
    for (size_t i = 0; i < problem.storage.size(); ++i) {
      const size_t id = static_cast<size_t>(problem.storage[i]);
      const Storage& s = sharing_.storages[id];
      // What has no bytes lies wherever its author wants it, beyond the end of the arena too.
      place_[id] = s.size_bytes == 0 && s.pinned_offset_bytes.has_value()
                       ? std::make_pair(*s.pinned_offset_bytes, 0)
                       : std::make_pair(placement.offset_bytes[i], placement.chunk[i]);
    }
    for (size_t i = 0; i < problem.scratch.size(); ++i) {
      const size_t item = problem.storage.size() + i;
      plan_.scratch.push_back(
          {problem.scratch[i], Location::InArena(problem.space, placement.chunk[item], placement.offset_bytes[item])});
    }
  }
  std::sort(plan_.scratch.begin(), plan_.scratch.end(),
            [](const ScratchPlace& a, const ScratchPlace& b) { return a.op < b.op; });
}

void Assembler::LocateValues() {
  const size_t n = g_.values().size();
  plan_.locations.resize(n);
  plan_.live.resize(n);
  for (size_t i = 0; i < n; ++i) {
    const int32_t id = sharing_.storage_of[i];
    if (id == Sharing::kNoStorage) continue;
    const Storage& s = sharing_.storages[static_cast<size_t>(id)];
    const auto& [base, chunk] = place_[static_cast<size_t>(id)];
    plan_.locations[i] = s.owner.has_value() ? Location::InCaller(*s.owner, sharing_.offset_of[i])
                                             : Location::InArena(s.space, chunk, base + sharing_.offset_of[i]);
    if (!sharing_.strides.empty()) plan_.locations[i].strides = sharing_.strides[i];
    const std::optional<OpId> producer = g_.producer(ValueId(static_cast<int32_t>(i)));
    if (producer.has_value()) plan_.live[i].first = schedule_.ListedAt(schedule_.TimeOf(*producer));
    const int32_t last = live_.last_use[i];
    if (last == Schedule::kStart) {
      plan_.live[i].last = plan_.live[i].first;
    } else if (last != schedule_.End()) {
      plan_.live[i].last = schedule_.ListedAt(last);
    }
  }
}

absl::Status Assembler::NoteMovement(OpId o, Note note) {
  const Op& op = g_.op(o);
  const ValueId result = op.kind == OpKind::kCommit ? *op.commit_target : g_.writes(op)[0].value;
  const MovedBytes bytes = MovedByMovement(g_, sharing_, o);
  plan_.stats.bytes_copied += bytes.moved;
  plan_.stats.bytes_not_copied += bytes.spared;
  if (bytes.moved == 0) note.action = Action::kElided;  // all that is there
  const bool was_elided = note.action == Action::kElided;
  ++(was_elided ? plan_.stats.copies_elided : plan_.stats.copies_kept);
  if (was_elided && op.elide == Elide::kNever && bytes.parts > 0) {
    return absl::InvalidArgumentError(absl::StrCat("op \"", g_.name(o),
                                                   "\": elide is \"never\", but source and result are the "
                                                   "same bytes of \"",
                                                   g_.name(result), "\""));
  }
  const std::string why = !was_elided && op.elide == Elide::kMust ? WhyText(g_, note) : "";
  plan_.notes.push_back(std::move(note));
  if (why.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("op \"", g_.name(o), "\": elide is \"must\", but ", bytes.moved, " bytes are moved; ", why));
}

void Assembler::NoteCarriedBases(OpId o) {
  bool carries = false;
  for (const Write& w : g_.writes(g_.op(o))) {
    const MovedBytes bytes = MovedWithBase(g_, schedule_, sharing_, o, w);
    plan_.stats.bytes_not_copied += bytes.spared;
    plan_.stats.bytes_copied += bytes.moved;
    if (bytes.moved == 0) continue;
    carries = true;
    Note& note = plan_.notes.emplace_back();
    note.op = o;
    note.why = Why::kCarried;
    note.result = w.value;
    note.value = w.base;
  }
  plan_.stats.copies_kept += carries;
}

absl::Status Assembler::NoteOps() {
  auto refusal = sharing_.refusals.begin();
  auto movement = sharing_.movements.begin();
  for (int32_t i = 0; i < static_cast<int32_t>(g_.ops().size()); ++i) {
    const OpId o(i);
    const Op& op = g_.op(o);
    const bool fused = schedule_.FusionAt(schedule_.TimeOf(o)).has_value();
    if (op.kind == OpKind::kCompute || op.kind == OpKind::kFill || fused) {
      NoteCarriedBases(o);
    } else if (op.kind == OpKind::kView) {
      Note& note = plan_.notes.emplace_back();
      note.op = o;
      note.action = Action::kElided;
      note.why = Why::kView;
      note.value = g_.reads(op)[0].value;
    } else if (movement != sharing_.movements.end() && movement->op == o) {
      if (absl::Status s = NoteMovement(o, std::move(*movement++)); !s.ok()) return s;
    }
    for (; refusal != sharing_.refusals.end() && refusal->op == o; ++refusal)
      plan_.notes.push_back(std::move(*refusal));
  }
  return absl::OkStatus();
}

absl::Status Assembler::CheckOperandPlaces() const {
  for (size_t i = 0; i < g_.ops().size(); ++i) {
    const Op& op = g_.ops()[i];
    for (const Read& r : g_.reads(op)) {
      if (r.offset_multiple <= 1 || schedule_.Swallowed(r.value) ||
          sharing_.storage_of[r.value.index()] == Sharing::kNoStorage)
        continue;
      const Expr& offset = plan_.location(r.value).offset_bytes;
      if (ProveMultipleOf(offset, r.offset_multiple, g_.symbols())) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "op \"", g_.name(OpId(static_cast<int32_t>(i))), "\": its operand \"", g_.name(r.value), "\" lies at ",
          offset.ToString(g_.symbols()), ", which is not a multiple of offset_multiple=", r.offset_multiple));
    }
  }
  return absl::OkStatus();
}

void Assembler::NoteEdgesAndFusions() {
  for (const OrderEdge& e : sharing_.added_order) {
    plan_.added_order.push_back(
        {e.before, e.after, absl::StrCat(g_.name(e.after), " overwrites bytes that ", g_.name(e.before), " uses")});
  }
  for (size_t i = 0; i < g_.fusions().size(); ++i) {
    FusionDecision& d = plan_.fused.emplace_back();
    d.fusion = FusionId(static_cast<int32_t>(i));
    d.fused = schedule_.Fused(d.fusion);
  }
}

void Assembler::FillStats(absl::Span<const SpaceProblem> problems) {
  for (size_t i = 0; i < g_.values().size(); ++i) {
    const ValueId v(static_cast<int32_t>(i));
    if (uses_.is_root(v) && plan_.locations[i].kind == Location::Kind::kArena)
      plan_.stats.sum_bytes += g_.value(v).max_bytes;
  }
  const SpaceProblem* largest = nullptr;
  for (size_t p = 0; p < problems.size(); ++p) {
    if (plan_.arenas[p].bytes > 0 &&
        (largest == nullptr || plan_.arenas[p].bytes > plan_.arenas[largest->space.index()].bytes)) {
      largest = &problems[p];
    }
  }
  if (largest == nullptr) return;
  const Peak peak = FindPeak(largest->problem, int64_t{schedule_.End()} + 2);
  plan_.stats.peak_op = OpAtAxis(schedule_, peak.time);
  plan_.stats.live_at_peak = LiveAt(g_, schedule_, uses_, sharing_, live_, largest->space, peak.time);
}

absl::StatusOr<Plan> Assembler::Run(absl::Span<const SpaceProblem> problems, absl::Span<const Placement> placements,
                                    absl::Span<const AddedEdge> bought) {
  plan_.graph_name = std::string(g_.name());
  PlaceStorages(problems, placements);
  LocateValues();
  if (absl::Status s = CheckOperandPlaces(); !s.ok()) return s;
  if (absl::Status s = NoteOps(); !s.ok()) return s;
  NoteEdgesAndFusions();
  plan_.added_order.insert(plan_.added_order.end(), bought.begin(), bought.end());
  FillStats(problems);
  plan_.structure = Structure::Of(g_);
  return std::move(plan_);
}

}  // namespace

Peak FindPeak(const PlacementProblem& problem, int64_t axis_end) {
  std::vector<int64_t> change(static_cast<size_t>(axis_end) + 1, 0);
  for (const Piece& p : problem.pieces) {
    change[static_cast<size_t>(p.begin)] += p.high - p.low;
    change[static_cast<size_t>(std::min(p.end, axis_end))] -= p.high - p.low;
  }
  Peak peak;
  int64_t live = 0;
  for (size_t t = 0; t < change.size(); ++t) {
    live += change[t];
    if (live > peak.bytes) peak = {static_cast<int64_t>(t), live};
  }
  return peak;
}

std::optional<OpId> OpAtAxis(const Schedule& schedule, int64_t time) {
  if (schedule.End() == 0) return std::nullopt;
  const int64_t place = std::clamp<int64_t>(time - 1, 0, schedule.End() - 1);
  return schedule.ListedAt(schedule.TimeAtPlace(static_cast<int32_t>(place)));
}

std::vector<ValueId> LiveAt(const Graph& graph, const Schedule& schedule, const Uses& uses, const Sharing& sharing,
                            const LiveRanges& live, SpaceId space, int64_t time) {
  std::vector<ValueId> values;
  for (size_t i = 0; i < graph.values().size(); ++i) {
    const ValueId v(static_cast<int32_t>(i));
    const int32_t storage = sharing.storage_of[i];
    if (!uses.is_root(v) || storage == Sharing::kNoStorage || graph.value(v).max_bytes == 0) continue;
    const Storage& s = sharing.storages[static_cast<size_t>(storage)];
    if (s.owner.has_value() || s.space != space) continue;
    const std::optional<OpId> producer = graph.producer(v);
    const int32_t born = schedule.PlaceOf(producer.has_value() ? schedule.TimeOf(*producer) : Schedule::kStart);
    const int32_t last = std::max(born, schedule.PlaceOf(live.last_use[i]));
    if (AxisBegin(born) <= time && time < AxisEnd(last)) values.push_back(v);
  }
  std::stable_sort(values.begin(), values.end(),
                   [&](ValueId a, ValueId b) { return graph.value(a).max_bytes > graph.value(b).max_bytes; });
  return values;
}

absl::StatusOr<Plan> AssemblePlan(const Graph& graph, const Schedule& schedule, const Uses& uses, Sharing sharing,
                                  const LiveRanges& live, absl::Span<const SpaceProblem> problems,
                                  absl::Span<const Placement> placements, absl::Span<const AddedEdge> bought) {
  return Assembler(graph, schedule, uses, std::move(sharing), live).Run(problems, placements, bought);
}

}  // namespace bufplan
