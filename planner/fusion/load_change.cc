#include "planner/fusion/load_change.h"

#include <algorithm>
#include <numeric>

#include "planner/liveness/live_ranges.h"

namespace bufplan {
namespace {

// The bytes of a curve: what begins and ends when, summed up.
RangeMax Curve(const PlacementProblem& problem, int64_t axis_end) {
  std::vector<int64_t> load(static_cast<size_t>(axis_end) + 1, 0);
  for (const Piece& p : problem.pieces) {
    load[static_cast<size_t>(p.begin)] += p.high - p.low;
    load[static_cast<size_t>(std::min(p.end, axis_end))] -= p.high - p.low;
  }
  std::partial_sum(load.begin(), load.end(), load.begin());
  return RangeMax(load);
}

}  // namespace

LoadChange::LoadChange(const Graph& graph, const Schedule& schedule, const Plan& plan,
                       absl::Span<const SpaceProblem> problems)
    : g_(graph), schedule_(schedule), plan_(plan), moved_to_(graph.ops().size(), -1) {
  for (size_t i = 0; i < graph.values().size(); ++i) root_.push_back(ValueId(static_cast<int32_t>(i)));
  for (const Op& op : graph.ops()) {
    if (op.kind == OpKind::kView) root_[graph.writes(op)[0].value.index()] = root_[graph.reads(op)[0].value.index()];
  }
  SortUses();
  for (const SpaceProblem& p : problems) load_.push_back(Curve(p.problem, int64_t{schedule.End()} + 2));
}

void LoadChange::SortUses() {
  std::vector<std::pair<ValueId, int32_t>> uses;
  const auto add = [&](ValueId v, int32_t op) { uses.emplace_back(root_[v.index()], op); };
  for (size_t i = 0; i < g_.ops().size(); ++i) {
    const Op& op = g_.ops()[i];
    const int32_t id = static_cast<int32_t>(i);
    for (const Read& r : g_.reads(op)) add(r.value, id);
    for (const Write& w : g_.writes(op)) {
      if (w.base.has_value()) add(*w.base, id);
    }
  }
  lasting_.assign(g_.values().size(), 0);
  const auto last = [&](ValueId v, int32_t op) {
    add(v, op);
    lasting_[root_[v.index()].index()] = 1;
  };
  for (const KeepAlive& k : g_.keep_alive()) last(k.value, k.until.value);
  for (ValueId v : g_.outputs()) last(v, EndUse());
  for (size_t i = 0; i < g_.values().size(); ++i) {
    if (g_.values()[i].preserve) last(ValueId(static_cast<int32_t>(i)), EndUse());
  }
  std::stable_sort(uses.begin(), uses.end(), [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : TimeOfUse(a.second) > TimeOfUse(b.second);
  });
  first_use_.assign(g_.values().size() + 1, 0);
  for (const auto& [v, op] : uses) {
    ++first_use_[v.index() + 1];
    uses_.push_back(op);
  }
  std::partial_sum(first_use_.begin(), first_use_.end(), first_use_.begin());
}

std::optional<FusionId> LoadChange::GroupOf(OpId op, bool after) const {
  if (!after || !Moves(op.value)) return schedule_.FusionAt(schedule_.TimeOf(op));
  if (!fuse_.has_value()) return std::nullopt;
  const std::vector<OpId>& members = g_.fusions()[fuse_->index()].ops;
  return std::binary_search(members.begin(), members.end(), op) ? fuse_ : std::nullopt;
}

// What a plan keeps in the caller's storage, or nowhere though no group swallows it, is taken to stay there.
bool LoadChange::InArena(ValueId v) const {
  const Role role = g_.value(v).role;
  if (role != Role::kTransient && role != Role::kInput) return false;
  const Location::Kind kind = plan_.location(v).kind;
  return kind == Location::Kind::kArena || (kind == Location::Kind::kNone && Swallowed(v, /*after=*/false));
}

bool LoadChange::Swallowed(ValueId v, bool after) const {
  const std::optional<OpId> producer = g_.producer(v);
  if (!producer.has_value() || lasting_[v.index()] != 0) return false;
  const std::optional<FusionId> group = GroupOf(*producer, after);
  const auto begin = uses_.begin() + first_use_[v.index()], end = uses_.begin() + first_use_[v.index() + 1];
  return group.has_value() && std::all_of(begin, end, [&](int32_t op) { return GroupOf(OpId(op), after) == group; });
}

// The operands in whose place v may lie, as the author says: its base, in-place permissions, those of the group.
std::vector<ValueId> LoadChange::PlacesOf(ValueId v, bool after) const {
  const OpId producer = *g_.producer(v);
  std::vector<ValueId> places;
  if (const std::optional<FusionId> group = GroupOf(producer, after); group.has_value()) {
    for (const FusionInPlace& p : g_.fusions()[group->index()].in_place) {
      if (p.result == v) places.push_back(p.value);
    }
    return places;
  }
  for (const Write& w : g_.writes(g_.op(producer))) {
    if (w.value != v) continue;
    if (w.base.has_value()) places.push_back(*w.base);
    for (const InPlace& p : g_.in_place(w)) places.push_back(p.value);
  }
  return places;
}

// Before the change the plan says which results take over bytes of an operand. After it, results of what did not move
// do as before; others if an operand of that size dies there and no other result took its place.
void LoadChange::FindTakenOver(std::vector<Touched>& touched) const {
  std::vector<ValueId> given;
  for (Touched& t : touched) {
    const std::optional<OpId> producer = g_.producer(t.value);
    if (!producer.has_value()) continue;
    if (t.before.has_value() && plan_.location(t.value).kind == Location::Kind::kArena) {
      const std::vector<ValueId> places = PlacesOf(t.value, /*after=*/false);
      t.before->on_operand = std::any_of(places.begin(), places.end(),
                                         [&](ValueId p) { return plan_.location(p) == plan_.location(t.value); });
    }
    if (!t.after.has_value()) continue;
    if (!Moves(producer->value)) {
      t.after->on_operand = t.before.has_value() && t.before->on_operand;
      continue;
    }
    for (ValueId place : PlacesOf(t.value, /*after=*/true)) {
      const ValueId root = root_[place.index()];
      const auto it =
          std::partition_point(touched.begin(), touched.end(), [&](const Touched& o) { return o.value < root; });
      const bool dies = it != touched.end() && it->value == root && it->after.has_value() &&
                        it->after->death == t.after->birth && lasting_[root.index()] == 0;
      const bool free = std::find(given.begin(), given.end(), root) == given.end();
      if (!dies || !free || g_.value(root).max_bytes < g_.value(t.value).max_bytes) continue;
      given.push_back(root);
      t.after->on_operand = true;
      break;
    }
  }
}

std::optional<LoadChange::Life> LoadChange::LifeOf(ValueId v, bool after,
                                                   absl::Span<const std::pair<ValueId, OpId>> moved_uses) const {
  if (!InArena(v) || Swallowed(v, after)) return std::nullopt;
  const std::optional<OpId> producer = g_.producer(v);
  Life life;
  life.birth = life.death = producer.has_value() ? TimeOf(*producer, after) : Schedule::kStart;
  for (uint32_t i = first_use_[v.index()]; i < first_use_[v.index() + 1]; ++i) {
    if (after && Moves(uses_[i])) continue;
    life.death = std::max(life.death, TimeOfUse(uses_[i]));
    break;
  }
  if (after) {
    for (const auto& [value, op] : moved_uses) life.death = std::max(life.death, TimeOf(op, /*after=*/true));
  }
  return life;
}

// Ascending by value.
std::vector<LoadChange::Touched> LoadChange::FindTouched(absl::Span<const OpId> moved) const {
  std::vector<std::pair<ValueId, OpId>> pairs;
  for (OpId o : moved) {
    const auto add = [&](ValueId v) { pairs.emplace_back(root_[v.index()], o); };
    for (const Read& r : g_.reads(g_.op(o))) add(r.value);
    for (const Write& w : g_.writes(g_.op(o))) {
      add(w.value);
      if (w.base.has_value()) add(*w.base);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  std::vector<Touched> touched;
  for (size_t i = 0, j = 0; i < pairs.size(); i = j) {
    while (j < pairs.size() && pairs[j].first == pairs[i].first) ++j;
    const auto uses = absl::MakeConstSpan(pairs).subspan(i, j - i);
    touched.push_back({pairs[i].first, LifeOf(pairs[i].first, false, uses), LifeOf(pairs[i].first, true, uses)});
  }
  FindTakenOver(touched);
  return touched;
}

void LoadChange::Add(ValueId v, const std::optional<Life>& life, int64_t sign) {
  if (!life.has_value()) return;
  const int64_t begin = AxisBegin(schedule_.PlaceOf(life->birth)) + (life->on_operand ? 1 : 0);
  load_[g_.value(v).space.index()].Add(begin, AxisEnd(schedule_.PlaceOf(life->death)), sign * g_.value(v).max_bytes);
}

void LoadChange::AddScratch(OpId o, int64_t sign) {
  const Op& op = g_.op(o);
  if (op.max_scratch_bytes == 0) return;
  RangeMax& load = load_[op.scratch_space.index()];
  const auto add = [&](int32_t time, int64_t bytes) {
    load.Add(AxisBegin(schedule_.PlaceOf(time)), AxisEnd(schedule_.PlaceOf(time)), bytes);
  };
  add(TimeOf(o, /*after=*/false), -sign * op.max_scratch_bytes);
  add(TimeOf(o, /*after=*/true), sign * op.max_scratch_bytes);
}

// When the op would run outside of its group. Where times are not list positions: with what is listed before it.
int32_t LoadChange::TimeOnItsOwn(OpId op) const {
  if (static_cast<size_t>(schedule_.End()) == g_.ops().size()) return op.value;
  const int32_t group = schedule_.TimeOf(op);
  while (op.value > 0 && schedule_.TimeOf(op) == group) --op.value;
  return schedule_.TimeOf(op);
}

std::vector<int64_t> LoadChange::If(std::optional<FusionId> fuse, absl::Span<const FusionId> separate) {
  std::vector<OpId> moved;
  for (FusionId f : separate) {
    for (OpId o : g_.fusions()[f.index()].ops) {
      moved.push_back(o);
      moved_to_[o.index()] = TimeOnItsOwn(o);
    }
  }
  fuse_ = fuse;
  if (fuse.has_value()) {
    const Fusion& group = g_.fusions()[fuse->index()];
    moved.insert(moved.end(), group.ops.begin(), group.ops.end());
    for (OpId o : group.ops) moved_to_[o.index()] = TimeOnItsOwn(group.at);
  }
  std::sort(moved.begin(), moved.end());
  moved.erase(std::unique(moved.begin(), moved.end()), moved.end());
  const std::vector<Touched> touched = FindTouched(moved);
  std::vector<int64_t> change;
  for (const RangeMax& load : load_) change.push_back(-load.Max());
  for (const int64_t sign : {1, -1}) {
    for (const Touched& t : touched) {
      Add(t.value, t.before, -sign);
      Add(t.value, t.after, sign);
    }
    for (OpId o : moved) AddScratch(o, sign);
    if (sign < 0) break;
    for (size_t i = 0; i < load_.size(); ++i) change[i] += load_[i].Max();
  }
  for (OpId o : moved) moved_to_[o.index()] = -1;
  fuse_.reset();
  return change;
}

}  // namespace bufplan
