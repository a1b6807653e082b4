#include "tests/oracle/mutate.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/oracle/naive_plan.h"

namespace bufplan {
namespace {

class Mutator {
 public:
  Mutator(const Graph& graph, const Plan& plan, Rng& rng) : graph_(graph), rng_(rng), plan_(plan) {}

  std::optional<Mutant> Run() {
    elided_ = ElidedApart(graph_, plan_);
    const std::string what = Change();
    if (what.empty()) return std::nullopt;
    if (rng_.Percent(97)) FollowViews();
    CompletePlan(graph_, plan_, elided_);
    return Mutant{std::move(plan_), what};
  }

 private:
  std::string Change() {
    switch (rng_.Below(22)) {
      case 0:
      case 1:
      case 2: return MoveOnto();
      case 3: return Shift();
      case 4: return Swap();
      case 5: return DropEdge();
      case 6: return AddEdge();
      case 7: return ScratchOnto();
      case 8: return IntoCaller();
      case 9:
      case 10: return OntoBase();
      case 11:
      case 12: return OntoSource();
      case 13: return IntoResult();
      case 14: return ToTarget();
      case 15: return InPlace();
      case 16:
      case 17: return FlipMark();
      case 18: return DropBytes();
      case 19: return ChangeStrides();
      default: return IntoStrides();
    }
  }

  std::string Name(ValueId v) const { return std::string(graph_.name(v)); }
  bool HasPlace(ValueId v) const { return plan_.location(v).kind != Location::Kind::kNone; }
  bool IsView(ValueId v) const {
    return graph_.producer(v).has_value() && graph_.op(*graph_.producer(v)).kind == OpKind::kView;
  }

  // A value that the plan may place: not a caller's own, and not a view.
  std::optional<ValueId> PickPlaced() {
    return PickValue([&](ValueId v) {
      const Role role = graph_.value(v).role;
      return HasPlace(v) && !IsView(v) && (role == Role::kTransient || role == Role::kInput);
    });
  }
  template <class Accepts>
  std::optional<ValueId> PickValue(const Accepts& accepts) {
    std::vector<ValueId> candidates;
    for (size_t i = 0; i < graph_.values().size(); ++i) {
      if (accepts(ValueId(static_cast<int32_t>(i)))) candidates.push_back(ValueId(static_cast<int32_t>(i)));
    }
    if (candidates.empty()) return std::nullopt;
    return rng_.Pick(candidates);
  }
  OpId PickOp() { return OpId(static_cast<int32_t>(rng_.Below(graph_.ops().size()))); }

  Location& At(ValueId v) { return plan_.locations[v.index()]; }

  // A step that mostly keeps alignments.
  int64_t Step(ValueId v) {
    const int64_t unit = rng_.Percent(90) ? graph_.value(v).alignment_bytes : 1;
    return unit * rng_.Between(-3, 3);
  }

  std::string MoveOnto() {
    const std::optional<ValueId> v = PickPlaced();
    if (!v.has_value()) return "";
    const auto near = [&](ValueId u) {
      return u != *v && HasPlace(u) && graph_.value(u).space == graph_.value(*v).space;
    };
    const std::optional<ValueId> onto = PickValue(near);
    if (!onto.has_value()) return "";
    At(*v) = At(*onto);
    if (rng_.Percent(30)) At(*v).offset_bytes += Step(*v);
    return absl::StrCat(Name(*v), " onto ", Name(*onto));
  }

  std::string Shift() {
    const std::optional<ValueId> v = PickPlaced();
    if (!v.has_value()) return "";
    At(*v).offset_bytes += Step(*v);
    return absl::StrCat("shifted ", Name(*v));
  }

  std::string Swap() {
    const std::optional<ValueId> a = PickPlaced(), b = PickPlaced();
    if (!a.has_value() || *a == *b) return "";
    std::swap(At(*a), At(*b));
    return absl::StrCat("swapped ", Name(*a), " and ", Name(*b));
  }

  std::string DropEdge() {
    if (plan_.added_order.empty()) return "";
    const size_t i = rng_.Below(plan_.added_order.size());
    plan_.added_order.erase(plan_.added_order.begin() + static_cast<std::ptrdiff_t>(i));
    return absl::StrCat("dropped added edge ", i);
  }

  std::string AddEdge() {
    if (graph_.num_streams() < 2 || graph_.ops().size() < 2) return "";
    OpId a = PickOp(), b = PickOp();
    if (a == b) return "";
    if (b < a && rng_.Percent(80)) std::swap(a, b);
    if (SlowHappensBefore(graph_, plan_)[a.index()][b.index()]) return "";
    plan_.added_order.push_back({a, b, ""});
    return absl::StrCat("added edge ", graph_.name(a), " before ", graph_.name(b));
  }

  std::string ScratchOnto() {
    if (plan_.scratch.empty()) return "";
    ScratchPlace& scratch = plan_.scratch[rng_.Below(plan_.scratch.size())];
    const std::optional<ValueId> onto = PickValue([&](ValueId u) {
      return At(u).kind == Location::Kind::kArena && At(u).space() == graph_.op(scratch.op).scratch_space;
    });
    if (!onto.has_value()) return "";
    scratch.location = At(*onto);
    return absl::StrCat("scratch of ", graph_.name(scratch.op), " onto ", Name(*onto));
  }

  std::string IntoCaller() {
    const std::optional<ValueId> v = PickPlaced();
    const std::optional<ValueId> owner = PickValue([&](ValueId u) {
      const Role role = graph_.value(u).role;
      return role == Role::kVariable || role == Role::kExternal || (role == Role::kConstant && rng_.Percent(20));
    });
    if (!v.has_value() || !owner.has_value()) return "";
    At(*v) = Location::InCaller(*owner, graph_.value(*v).alignment_bytes * rng_.Between(0, 1));
    return absl::StrCat(Name(*v), " into ", Name(*owner));
  }

  // The result of a base onto it.
  std::string OntoBase() {
    std::vector<const Write*> writes;
    for (const Op& op : graph_.ops()) {
      for (const Write& w : graph_.writes(op)) {
        if (w.base.has_value() && HasPlace(w.value) && HasPlace(*w.base)) writes.push_back(&w);
      }
    }
    if (writes.empty()) return "";
    const Write& w = *rng_.Pick(writes);
    if (At(w.value) == At(*w.base)) return "";
    At(w.value) = At(*w.base);
    return absl::StrCat(Name(w.value), " onto its base ", Name(*w.base));
  }

  // A part of a data movement whose ends are single runs.
  struct Part {
    ValueId from, to;
    Expr distance;  // from where `from` lies to where `to` must lie, for the part not to move
  };
  std::optional<Part> PickPart() {
    std::vector<Part> parts;
    for (const Op& op : graph_.ops()) {
      const bool moves = IsMovement(op) && op.kind != OpKind::kCommit;
      for (const Read& r : graph_.reads(op)) {
        if (!moves || !HasPlace(r.value) || !HasPlace(graph_.writes(op)[0].value)) continue;
        const Expr from = r.region.has_value() ? graph_.region(*r.region).at : 0;
        const Expr to = r.to_region.has_value() ? graph_.region(*r.to_region).at : 0;
        parts.push_back({r.value, graph_.writes(op)[0].value, from - to});
      }
    }
    if (parts.empty()) return std::nullopt;
    return rng_.Pick(parts);
  }

  std::string OntoSource() {
    const std::optional<Part> part = PickPart();
    if (!part.has_value()) return "";
    At(part->to) = At(part->from);
    At(part->to).offset_bytes += part->distance;
    return absl::StrCat(Name(part->to), " onto its source ", Name(part->from));
  }

  std::string IntoResult() {
    const std::optional<Part> part = PickPart();
    if (!part.has_value() || IsView(part->from)) return "";
    At(part->from) = At(part->to);
    At(part->from).offset_bytes -= part->distance;
    return absl::StrCat(Name(part->from), " into ", Name(part->to), ", which it is copied to");
  }

  static bool IsMovement(const Op& op) {
    return op.kind != OpKind::kCompute && op.kind != OpKind::kFill && op.kind != OpKind::kBarrier &&
           op.kind != OpKind::kView;
  }
  // A data movement that a plan may mark.
  template <class Accepts>
  std::optional<OpId> PickMovement(const Accepts& accepts) {
    std::vector<OpId> candidates;
    for (size_t i = 0; i < graph_.ops().size(); ++i) {
      const OpId o(static_cast<int32_t>(i));
      if (IsMovement(graph_.op(o)) && accepts(o)) candidates.push_back(o);
    }
    if (candidates.empty()) return std::nullopt;
    return rng_.Pick(candidates);
  }

  // Stops a movement from being executed, or lets it be; its result gets bytes again if it has none.
  std::string FlipMark() {
    const std::optional<OpId> o = PickMovement([](OpId) { return true; });
    if (!o.has_value()) return "";
    const std::string name(graph_.name(*o));
    const auto mark = std::find(elided_.begin(), elided_.end(), *o);
    if (mark == elided_.end()) {
      elided_.push_back(*o);
      return absl::StrCat(name, " elided");
    }
    elided_.erase(mark);
    for (const Write& w : graph_.writes(graph_.op(*o))) {
      const Value& value = graph_.value(w.value);
      if (HasPlace(w.value)) continue;
      const int64_t end = plan_.arenas[value.space.index()].chunks[0], step = value.alignment_bytes;
      At(w.value) = Location::InArena(value.space, 0, (end + step - 1) / step * step);
    }
    return absl::StrCat(name, " run");
  }

  // Takes the bytes of a movement's result, and does not execute it.
  std::string DropBytes() {
    const std::optional<OpId> o = PickMovement([&](OpId id) {
      const absl::Span<const Write> writes = graph_.writes(graph_.op(id));
      return !writes.empty() && HasPlace(writes[0].value) && graph_.value(writes[0].value).max_bytes > 0;
    });
    if (!o.has_value()) return "";
    const ValueId v = graph_.writes(graph_.op(*o))[0].value;
    At(v) = {};
    if (rng_.Percent(95) && std::find(elided_.begin(), elided_.end(), *o) == elided_.end()) elided_.push_back(*o);
    return absl::StrCat(Name(v), " without bytes");
  }

  // A movement's result onto the strided bytes of its source that it takes, or a source onto those of the result.
  std::string IntoStrides() {
    struct Ride {
      ValueId rider, on;
      RegionId region;
    };
    std::vector<Ride> rides;
    for (const Op& op : graph_.ops()) {
      if (!IsMovement(op) || graph_.writes(op).empty()) continue;
      const ValueId to = graph_.writes(op)[0].value;
      for (const Read& r : graph_.reads(op)) {
        if (!HasPlace(r.value) || !HasPlace(to)) continue;
        const auto strided = [&](const std::optional<RegionId>& id) {
          return id.has_value() && !graph_.region(*id).contiguous();
        };
        if (strided(r.region)) rides.push_back({to, r.value, *r.region});
        if (strided(r.to_region)) rides.push_back({r.value, to, *r.to_region});
      }
    }
    if (rides.empty()) return "";
    const Ride& ride = rng_.Pick(rides);
    const Region& region = graph_.region(ride.region);
    At(ride.rider) = At(ride.on);
    At(ride.rider).offset_bytes += region.at;
    At(ride.rider).strides = std::make_shared<const Strides>(Strides{region.run_bytes, region.dims});
    return absl::StrCat(Name(ride.rider), " onto strided bytes of ", Name(ride.on));
  }

  // Another pitch or other runs for a strided value, or strides for one that has none, or none any more.
  std::string ChangeStrides() {
    const std::optional<ValueId> strided = PickValue([&](ValueId v) { return At(v).strides != nullptr; });
    if (!strided.has_value() || rng_.Percent(20)) {
      const std::optional<ValueId> v = PickPlaced();
      if (!v.has_value() || graph_.value(*v).max_bytes % 2 != 0) return "";
      const int64_t half = graph_.value(*v).max_bytes / 2;
      At(*v).strides = std::make_shared<const Strides>(Strides{half, {{2, half + rng_.Pick<int64_t>({4, 8})}}});
      return absl::StrCat(Name(*v), " in two parts");
    }
    Strides strides = *At(*strided).strides;
    Dim& dim = strides.dims[rng_.Below(strides.dims.size())];
    const int64_t step = rng_.Pick<int64_t>({-4, 4, 8});
    switch (rng_.Below(4)) {
      case 0: strides.run_bytes += step; break;
      case 1: dim.count += 1; break;
      default: dim.stride_bytes += step; break;
    }
    At(*strided).strides = rng_.Percent(20) ? nullptr : std::make_shared<const Strides>(std::move(strides));
    return absl::StrCat("other strides for ", Name(*strided));
  }

  // What is committed into the storage that it is committed to.
  std::string ToTarget() {
    std::vector<const Op*> commits;
    for (const Op& op : graph_.ops()) {
      if (op.commit_target.has_value()) commits.push_back(&op);
    }
    if (commits.empty()) return "";
    const Op& commit = *rng_.Pick(commits);
    const ValueId v = graph_.reads(commit)[0].value;
    At(v) = Location::InCaller(*commit.commit_target, 0);
    return absl::StrCat(Name(v), " into ", Name(*commit.commit_target));
  }

  std::string InPlace() {
    std::vector<std::pair<ValueId, ValueId>> wishes;
    for (const Op& op : graph_.ops()) {
      for (const Write& w : graph_.writes(op)) {
        for (const bufplan::InPlace& p : graph_.in_place(w)) wishes.push_back({w.value, p.value});
      }
    }
    for (const Fusion& f : graph_.fusions()) {
      for (const FusionInPlace& p : f.in_place) wishes.push_back({p.result, p.value});
    }
    if (wishes.empty()) return "";
    const auto [result, operand] = rng_.Pick(wishes);
    if (!HasPlace(result) || !HasPlace(operand)) return "";
    At(result) = At(operand);
    return absl::StrCat(Name(result), " in place of ", Name(operand));
  }

  void FollowViews() {
    for (const Op& op : graph_.ops()) {
      if (op.kind != OpKind::kView) continue;
      const Read& of = graph_.reads(op)[0];
      const ValueId view = graph_.writes(op)[0].value;
      if (IsSwallowed(graph_, plan_, view) || IsSwallowed(graph_, plan_, of.value)) continue;
      At(view) = At(of.value);
      if (!HasPlace(view)) continue;
      At(view).offset_bytes += graph_.region(*of.region).at;
    }
  }

  const Graph& graph_;
  Rng& rng_;
  Plan plan_;
  std::vector<OpId> elided_;  // marked so wherever their ends lie
};

}  // namespace

std::optional<Mutant> Mutate(const Graph& graph, const Plan& plan, Rng& rng) { return Mutator(graph, plan, rng).Run(); }

}  // namespace bufplan
