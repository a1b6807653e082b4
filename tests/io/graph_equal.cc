#include "tests/io/graph_equal.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

namespace bufplan {
namespace {

// Remembers the first thing that differs.
class Differ {
 public:
  template <class T>
  bool Same(absl::string_view what, const T& a, const T& b) {
    if (difference_.empty() && !(a == b)) difference_ = std::string(what);
    return difference_.empty();
  }
  // Compares element by element; `same(i, a[i], b[i])` compares two.
  template <class T, class SameElement>
  void List(absl::string_view what, absl::Span<const T> a, absl::Span<const T> b, SameElement same) {
    if (!Same(absl::StrCat(what, ": number"), a.size(), b.size())) return;
    for (size_t i = 0; i < a.size() && difference_.empty(); ++i) same(absl::StrCat(what, "[", i, "]"), a[i], b[i]);
  }
  const std::string& difference() const { return difference_; }

 private:
  std::string difference_;
};

class GraphDiffer {
 public:
  GraphDiffer(const Graph& a, const Graph& b) : a_(a), b_(b) {}
  std::string Difference();

 private:
  template <class IdType>
  void Names(absl::string_view what, size_t count) {
    for (size_t i = 0; i < count && d_.difference().empty(); ++i) {
      const IdType id(static_cast<int32_t>(i));
      d_.Same(absl::StrCat(what, "[", i, "]: name"), a_.name(id), b_.name(id));
    }
  }
  void SameRegion(const std::string& what, const std::optional<RegionId>& a, const std::optional<RegionId>& b) {
    if (d_.Same(what + ": presence", a.has_value(), b.has_value()) && a.has_value()) {
      d_.Same(what, a_.region(*a), b_.region(*b));
    }
  }
  void Spaces();
  void Values();
  void Ops();
  void OneOp(const std::string& what, const Op& a, const Op& b);
  void Constraints();

  const Graph& a_;
  const Graph& b_;
  Differ d_;
};

void GraphDiffer::Spaces() {
  d_.List("spaces", a_.spaces(), b_.spaces(), [&](const std::string& what, const Space& a, const Space& b) {
    d_.Same(what + ": alignment", a.alignment_bytes, b.alignment_bytes);
    d_.Same(what + ": capacity", a.capacity_bytes, b.capacity_bytes);
    d_.Same(what + ": max_allocation", a.max_allocation_bytes, b.max_allocation_bytes);
    d_.Same(what + ": unified_with", a.unified_with, b.unified_with);
  });
  Names<SpaceId>("spaces", a_.spaces().size());
}

void GraphDiffer::Values() {
  d_.List("values", a_.values(), b_.values(), [&](const std::string& what, const Value& a, const Value& b) {
    d_.Same(what + ": bytes", a.bytes, b.bytes);
    d_.Same(what + ": max_bytes", a.max_bytes, b.max_bytes);
    d_.Same(what + ": alignment", a.alignment_bytes, b.alignment_bytes);
    d_.Same(what + ": own alignment", a.own_alignment_bytes, b.own_alignment_bytes);
    d_.Same(what + ": pin", a.pinned_offset_bytes, b.pinned_offset_bytes);
    d_.Same(what + ": space", a.space, b.space);
    d_.Same(what + ": role", a.role, b.role);
    d_.Same(what + ": preserve", a.preserve, b.preserve);
    d_.Same(what + ": writable", a.writable, b.writable);
  });
  Names<ValueId>("values", a_.values().size());
  for (size_t i = 0; i < a_.values().size() && d_.difference().empty(); ++i) {
    const ValueId v(static_cast<int32_t>(i));
    d_.Same(absl::StrCat("values[", i, "]: attrs"), a_.attrs_json(v), b_.attrs_json(v));
    d_.Same(absl::StrCat("values[", i, "]: producer"), a_.producer(v), b_.producer(v));
    d_.Same(absl::StrCat("values[", i, "]: commit"), a_.commit_to(v), b_.commit_to(v));
  }
}

void GraphDiffer::OneOp(const std::string& what, const Op& a, const Op& b) {
  d_.Same(what + ": kind", a.kind, b.kind);
  d_.Same(what + ": elide", a.elide, b.elide);
  d_.Same(what + ": stream", a.stream, b.stream);
  d_.Same(what + ": commit target", a.commit_target, b.commit_target);
  d_.Same(what + ": scratch", a.scratch_bytes, b.scratch_bytes);
  d_.Same(what + ": max scratch", a.max_scratch_bytes, b.max_scratch_bytes);
  d_.Same(what + ": scratch space", a.scratch_space, b.scratch_space);
  d_.List(what + " reads", a_.reads(a), b_.reads(b), [&](const std::string& at, const Read& x, const Read& y) {
    d_.Same(at + ": value", x.value, y.value);
    SameRegion(at + ": region", x.region, y.region);
    SameRegion(at + ": to_region", x.to_region, y.to_region);
    d_.Same(at + ": strides_ok", x.strides_ok, y.strides_ok);
    d_.Same(at + ": offset_multiple", x.offset_multiple, y.offset_multiple);
    d_.Same(at + ": span", x.span, y.span);
  });
  d_.List(what + " writes", a_.writes(a), b_.writes(b), [&](const std::string& at, const Write& x, const Write& y) {
    d_.Same(at + ": value", x.value, y.value);
    d_.Same(at + ": base", x.base, y.base);
    SameRegion(at + ": region", x.region, y.region);
    d_.Same(at + ": cover", x.cover, y.cover);
    d_.Same(at + ": movable", x.movable, y.movable);
    d_.Same(at + ": in_place", a_.in_place(x), b_.in_place(y));
    d_.Same(at + ": span", x.span, y.span);
  });
}

void GraphDiffer::Ops() {
  d_.List("ops", a_.ops(), b_.ops(), [&](const std::string& what, const Op& a, const Op& b) { OneOp(what, a, b); });
  Names<OpId>("ops", a_.ops().size());
  for (size_t i = 0; i < a_.ops().size() && d_.difference().empty(); ++i) {
    const OpId o(static_cast<int32_t>(i));
    d_.Same(absl::StrCat("ops[", i, "]: attrs"), a_.attrs_json(o), b_.attrs_json(o));
  }
}

void GraphDiffer::Constraints() {
  d_.Same("order", a_.order(), b_.order());
  d_.Same("keep_alive", a_.keep_alive(), b_.keep_alive());
  d_.Same("disjoint", a_.disjoint(), b_.disjoint());
  d_.Same("outputs", a_.outputs(), b_.outputs());
  d_.Same("cross-stream edges", a_.cross_stream_edges(), b_.cross_stream_edges());
  d_.List("fusions", a_.fusions(), b_.fusions(), [&](const std::string& what, const Fusion& a, const Fusion& b) {
    d_.Same(what + ": name", a.name, b.name);
    d_.Same(what + ": ops", a.ops, b.ops);
    d_.Same(what + ": benefit", a.benefit, b.benefit);
    d_.Same(what + ": required", a.required, b.required);
    d_.List(what + " in_place", absl::MakeConstSpan(a.in_place), absl::MakeConstSpan(b.in_place),
            [&](const std::string& at, const FusionInPlace& x, const FusionInPlace& y) {
              d_.Same(at + ": result", x.result, y.result);
              d_.Same(at + ": value", x.value, y.value);
              d_.Same(at + ": mode", x.mode, y.mode);
            });
  });
}

std::string GraphDiffer::Difference() {
  d_.Same("name", a_.name(), b_.name());
  d_.Same("attrs", a_.attrs_json(), b_.attrs_json());
  d_.Same("symbols", a_.symbols(), b_.symbols());
  d_.Same("streams", a_.num_streams(), b_.num_streams());
  Spaces();
  if (d_.difference().empty()) Names<StreamId>("streams", static_cast<size_t>(a_.num_streams()));
  Values();
  Ops();
  Constraints();
  return d_.difference();
}

}  // namespace

std::string GraphDifference(const Graph& a, const Graph& b) { return GraphDiffer(a, b).Difference(); }

std::string PlanDifference(const Graph& graph, const Plan& a, const Plan& b) {
  Differ d;
  d.Same("graph name", a.graph_name, b.graph_name);
  if (!a.fingerprint.empty() && !b.fingerprint.empty()) d.Same("fingerprint", a.fingerprint, b.fingerprint);
  d.Same("options", a.options, b.options);
  d.Same("status", a.optimal, b.optimal);
  d.Same("locations", a.locations, b.locations);
  d.Same("live", a.live, b.live);
  d.List("arenas", absl::MakeConstSpan(a.arenas), absl::MakeConstSpan(b.arenas),
         [&](const std::string& what, const Arena& x, const Arena& y) {
           d.Same(what + ": space", x.space, y.space);
           d.Same(what + ": bytes", x.bytes, y.bytes);
           d.Same(what + ": lower bound", x.lower_bound, y.lower_bound);
           d.Same(what + ": bound", x.bound, y.bound);
           d.Same(what + ": optimal", x.optimal, y.optimal);
           d.Same(what + ": chunks", x.chunks, y.chunks);
         });
  d.List("scratch", absl::MakeConstSpan(a.scratch), absl::MakeConstSpan(b.scratch),
         [&](const std::string& what, const ScratchPlace& x, const ScratchPlace& y) {
           d.Same(what + ": op", x.op, y.op);
           d.Same(what + ": location", x.location, y.location);
         });
  d.List("notes", absl::MakeConstSpan(a.notes), absl::MakeConstSpan(b.notes),
         [&](const std::string& what, const Note& x, const Note& y) {
           d.Same(what + ": op", x.op, y.op);
           d.Same(what + ": action", x.action, y.action);
           d.Same(what + ": result", x.result, y.result);
           d.Same(what + ": why", WhyText(graph, x), WhyText(graph, y));
         });
  d.List("fused", absl::MakeConstSpan(a.fused), absl::MakeConstSpan(b.fused),
         [&](const std::string& what, const FusionDecision& x, const FusionDecision& y) {
           d.Same(what + ": fusion", x.fusion, y.fusion);
           d.Same(what + ": fused", x.fused, y.fused);
           d.Same(what + ": cost", x.cost_bytes, y.cost_bytes);
           d.Same(what + ": why", x.why, y.why);
         });
  d.List("order", absl::MakeConstSpan(a.added_order), absl::MakeConstSpan(b.added_order),
         [&](const std::string& what, const AddedEdge& x, const AddedEdge& y) {
           d.Same(what + ": before", x.before, y.before);
           d.Same(what + ": after", x.after, y.after);
           d.Same(what + ": why", x.why, y.why);
         });
  d.Same("copies_elided", a.stats.copies_elided, b.stats.copies_elided);
  d.Same("copies_kept", a.stats.copies_kept, b.stats.copies_kept);
  d.Same("bytes_copied", a.stats.bytes_copied, b.stats.bytes_copied);
  d.Same("bytes_not_copied", a.stats.bytes_not_copied, b.stats.bytes_not_copied);
  d.Same("sum_bytes", a.stats.sum_bytes, b.stats.sum_bytes);
  d.Same("peak_op", a.stats.peak_op, b.stats.peak_op);
  d.Same("live_at_peak", a.stats.live_at_peak, b.stats.live_at_peak);
  return d.difference();
}

}  // namespace bufplan
