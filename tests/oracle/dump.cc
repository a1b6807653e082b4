#include "tests/oracle/dump.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"

namespace bufplan {
namespace {

class Dumper {
 public:
  explicit Dumper(const Graph& graph) : graph_(graph) {}

  std::string Values() {
    for (const Symbol& s : graph_.symbols()) {
      absl::StrAppend(&out_, "symbol ", s.name, " in [", s.min, ", ", s.max, "] step ", s.multiple_of, "\n");
    }
    for (size_t i = 0; i < graph_.spaces().size(); ++i) {
      const Space& s = graph_.spaces()[i];
      absl::StrAppend(&out_, "space ", i, " alignment ", s.alignment_bytes, " max_allocation ",
                      s.max_allocation_bytes.value_or(-1), " unified with ", s.unified_with.size(), "\n");
    }
    for (size_t i = 0; i < graph_.values().size(); ++i) {
      const Value& v = graph_.values()[i];
      absl::StrAppend(&out_, graph_.name(ValueId(static_cast<int32_t>(i))), ": ", Text(v.bytes), " B (max ",
                      v.max_bytes, ") ", ToString(v.role), " space ", v.space.value, " align ", v.alignment_bytes);
      if (v.preserve) absl::StrAppend(&out_, " preserve");
      if (v.writable) absl::StrAppend(&out_, " writable");
      if (v.pinned_offset_bytes.has_value()) absl::StrAppend(&out_, " pinned at ", *v.pinned_offset_bytes);
      absl::StrAppend(&out_, "\n");
    }
    return std::move(out_);
  }

  std::string Ops() {
    for (size_t i = 0; i < graph_.ops().size(); ++i) {
      const Op& op = graph_.ops()[i];
      absl::StrAppend(&out_, graph_.name(OpId(static_cast<int32_t>(i))), " @", op.stream.value, ": ",
                      ToString(op.kind));
      if (op.elide == Elide::kNever) absl::StrAppend(&out_, " never");
      if (!(op.scratch_bytes == Expr(0))) absl::StrAppend(&out_, " scratch ", Text(op.scratch_bytes));
      for (const Read& r : graph_.reads(op)) {
        absl::StrAppend(&out_, " read ", graph_.name(r.value), Text(r.region));
        if (r.to_region.has_value()) absl::StrAppend(&out_, " to ", Text(r.to_region));
      }
      for (const Write& w : graph_.writes(op)) AddWrite(w);
      if (op.commit_target.has_value()) absl::StrAppend(&out_, " commit to ", graph_.name(*op.commit_target));
      absl::StrAppend(&out_, "\n");
    }
    return std::move(out_);
  }

  std::string Constraints() {
    for (const OrderEdge& e : graph_.order()) {
      absl::StrAppend(&out_, "order ", graph_.name(e.before), " before ", graph_.name(e.after), "\n");
    }
    for (const KeepAlive& k : graph_.keep_alive()) {
      absl::StrAppend(&out_, "keep ", graph_.name(k.value), " until ", graph_.name(k.until), "\n");
    }
    for (const DisjointPair& d : graph_.disjoint()) {
      absl::StrAppend(&out_, "disjoint ", graph_.name(d.a), " ", graph_.name(d.b), "\n");
    }
    for (const Fusion& f : graph_.fusions()) {
      absl::StrAppend(&out_, f.required ? "required " : "optional ", f.name);
      for (OpId o : f.ops) absl::StrAppend(&out_, " ", graph_.name(o));
      for (const FusionInPlace& p : f.in_place) {
        absl::StrAppend(&out_, " in_place ", graph_.name(p.result), " on ", graph_.name(p.value), Mode(p.mode));
      }
      absl::StrAppend(&out_, "\n");
    }
    for (ValueId v : graph_.outputs()) absl::StrAppend(&out_, "output ", graph_.name(v), "\n");
    return std::move(out_);
  }

  std::string Place(const Location& location) const {
    std::string text = "nowhere";
    if (location.kind == Location::Kind::kArena) {
      text = absl::StrCat("space ", location.memory, " chunk ", location.chunk, " + ", Text(location.offset_bytes));
    } else if (location.kind == Location::Kind::kCaller) {
      text = absl::StrCat("in ", graph_.name(location.owner()), " + ", Text(location.offset_bytes));
    }
    if (location.strides == nullptr) return text;
    absl::StrAppend(&text, " in runs of ", Text(location.strides->run_bytes));
    AddDims(location.strides->dims, text);
    return text;
  }

 private:
  static absl::string_view Mode(InPlaceMode mode) { return mode == InPlaceMode::kAny ? " any" : " same_index"; }
  std::string Text(const Expr& e) const { return e.ToString(graph_.symbols()); }
  std::string Text(const std::optional<RegionId>& region) const {
    if (!region.has_value()) return "";
    const Region& r = graph_.region(*region);
    std::string text = absl::StrCat("[", Text(r.at), ", +", Text(r.run_bytes));
    AddDims(r.dims, text);
    return text + "]";
  }
  void AddDims(const std::vector<Dim>& dims, std::string& text) const {
    for (const Dim& d : dims) absl::StrAppend(&text, " x ", Text(d.count), " every ", Text(d.stride_bytes));
  }
  void AddWrite(const Write& w) {
    absl::StrAppend(&out_, " -> ", graph_.name(w.value));
    if (w.base.has_value()) absl::StrAppend(&out_, " base ", graph_.name(*w.base));
    absl::StrAppend(&out_, Text(w.region), w.cover == Cover::kPart ? " part" : "");
    for (const InPlace& p : graph_.in_place(w)) {
      absl::StrAppend(&out_, " in_place ", graph_.name(p.value), Mode(p.mode));
    }
  }

  const Graph& graph_;
  std::string out_;
};

}  // namespace

std::string DumpGraph(const Graph& graph) {
  std::string text = absl::StrCat("graph ", graph.name(), "\n", Dumper(graph).Values());
  absl::StrAppend(&text, Dumper(graph).Ops(), Dumper(graph).Constraints());
  return text;
}

std::string DumpPlan(const Graph& graph, const Plan& plan) {
  std::string text;
  const Dumper dumper(graph);
  for (size_t i = 0; i < plan.locations.size(); ++i) {
    absl::StrAppend(&text, graph.name(ValueId(static_cast<int32_t>(i))), ": ", dumper.Place(plan.locations[i]), "\n");
  }
  for (const ScratchPlace& s : plan.scratch) {
    absl::StrAppend(&text, "scratch of ", graph.name(s.op), ": ", dumper.Place(s.location), "\n");
  }
  for (const Note& n : plan.notes) {
    if (n.action == Action::kElided) absl::StrAppend(&text, graph.name(n.op), " elided\n");
  }
  for (const FusionDecision& d : plan.fused) {
    absl::StrAppend(&text, graph.fusions()[d.fusion.index()].name, d.fused ? " fused\n" : " separate\n");
  }
  for (const AddedEdge& e : plan.added_order) {
    absl::StrAppend(&text, "added ", graph.name(e.before), " before ", graph.name(e.after), "\n");
  }
  for (const Arena& a : plan.arenas) absl::StrAppend(&text, "arena ", a.space.value, ": ", a.bytes, " B\n");
  return text;
}

}  // namespace bufplan
