#include "gpu_runtime/registry/bind_ops.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gpu_runtime/registry/find_kernel.h"
#include "ir/expr_proof.h"

namespace bufplan::runtime {
namespace {

// Of a region, or of all of a value.
struct Hull {
  Expr begin, end;
};

Hull HullOf(const Graph& graph, ValueId value, const std::optional<RegionId>& id) {
  if (!id.has_value()) return {0, graph.value(value).bytes};
  const Region& region = graph.region(*id);
  Expr end = region.at + region.run_bytes;
  for (const Dim& d : region.dims) end += (d.count - 1) * d.stride_bytes;
  return {region.at, end};
}

class Binder {
 public:
  Binder(const Graph& graph, OpId op, const KernelSpec& spec)
      : graph_(graph), op_(graph.op(op)), symbols_(graph.symbols()) {
    who_ = absl::StrCat("op \"", graph.name(op), "\", kernel \"", spec.kernel, "\": ");
  }

  absl::StatusOr<BoundOp> Bind(const KernelSpec& spec) {
    const KernelDefinition* d = FindKernel(spec.kernel);
    if (op_.kind != OpKind::kCompute) return Fault("only compute ops run kernels, this one is a ", ToString(op_.kind));
    if (d == nullptr) return Fault("there is no such kernel");
    BoundOp bound{d, Completed(*d, spec), op_.num_reads};
    for (const auto& check : {&Binder::CheckParameters, &Binder::CheckCounts, &Binder::CheckOperands,
                              &Binder::CheckResults, &Binder::CheckInPlace}) {
      if (absl::Status s = (this->*check)(bound); !s.ok()) return s;
    }
    return bound;
  }

 private:
  template <class... Parts>
  absl::Status Fault(const Parts&... parts) const {
    return absl::InvalidArgumentError(absl::StrCat(who_, parts...));
  }
  std::string Text(const Expr& e) const { return e.ToString(symbols_); }

  absl::Status CheckParameters(const BoundOp& bound) const {
    const KernelDefinition& d = *bound.definition;
    size_t integers = d.reads.size() + d.writes.size(), reals = 0, types = 0;
    for (const Parameter& p : d.parameters) {
      ++(p.kind == ParameterKind::kInteger ? integers : p.kind == ParameterKind::kReal ? reals : types);
      if (p.kind != ParameterKind::kInteger) continue;
      if (!bound.spec.integers.contains(p.name)) return Fault("parameter \"", p.name, "\" is missing");
      if (absl::Status s = CheckInteger(p.name, IntegerOf(bound.spec, p.name), p.min, p.max); !s.ok()) return s;
    }
    for (const auto* side : {&d.reads, &d.writes}) {
      for (const OperandName& o : *side) {
        const absl::Status s = CheckInteger(o.offset, IntegerOf(bound.spec, o.offset), 0, int64_t{1} << 50);
        if (!s.ok()) return s;
      }
    }
    if (bound.spec.integers.size() != integers) return Unknown(d, bound.spec.integers, ParameterKind::kInteger);
    if (bound.spec.reals.size() != reals) return Unknown(d, bound.spec.reals, ParameterKind::kReal);
    if (bound.spec.types.size() != types) return Unknown(d, bound.spec.types, ParameterKind::kType);
    const std::string fault = d.fault == nullptr ? "" : d.fault(bound.spec);
    return fault.empty() ? absl::OkStatus() : Fault(fault);
  }

  absl::Status CheckInteger(absl::string_view name, const Expr& e, int64_t min, int64_t max) const {
    const std::optional<Bounds> bounds = BoundsOf(e, symbols_);
    if (!bounds.has_value()) return Fault("parameter \"", name, "\" has no value at some symbol values: ", Text(e));
    if (bounds->min >= min && bounds->max <= max) return absl::OkStatus();
    const int64_t found = bounds->min < min ? bounds->min : bounds->max;
    return Fault("parameter \"", name, "\" must be in [", min, ", ", max, "], can be ", found);
  }

  template <class Map>
  absl::Status Unknown(const KernelDefinition& d, const Map& given, ParameterKind kind) const {
    for (const auto& [name, value] : given) {
      bool known = false;
      for (const Parameter& p : d.parameters) known = known || (p.kind == kind && p.name == name);
      for (const auto* side : {&d.reads, &d.writes}) {
        for (const OperandName& o : *side) known = known || (kind == ParameterKind::kInteger && o.offset == name);
      }
      if (!known) return Fault("has no parameter \"", name, "\" of this kind");
    }
    return Fault("parameters are missing");
  }

  absl::Status CheckCounts(const BoundOp& bound) const {
    const KernelDefinition& d = *bound.definition;
    if (op_.num_reads > d.reads.size() || op_.num_reads + d.optional_reads < d.reads.size()) {
      return Fault("reads ", d.reads.size(), " operands, the op has ", op_.num_reads);
    }
    if (op_.num_writes == d.writes.size()) return absl::OkStatus();
    return Fault("writes ", d.writes.size(), " results, the op has ", op_.num_writes);
  }

  absl::Status CheckAligned(const BoundOp& bound, const std::string& what, ValueId v, int64_t multiple,
                            const OperandName& operand, int64_t element_bytes) const {
    if (std::max(multiple, graph_.value(v).alignment_bytes) % element_bytes != 0) {
      return Fault(what, " must be aligned to ", element_bytes, " bytes, its alignment is ",
                   graph_.value(v).alignment_bytes);
    }
    const Expr& offset = IntegerOf(bound.spec, operand.offset);
    if (ProveMultipleOf(offset, element_bytes, symbols_)) return absl::OkStatus();
    return Fault("parameter \"", operand.offset, "\" must be a multiple of ", element_bytes, ", is ", Text(offset));
  }

  absl::Status CheckOperands(const BoundOp& bound) const {
    const std::vector<Extent> extents = bound.definition->extents(bound.spec);
    for (size_t i = 0; i < op_.num_reads; ++i) {
      const Read& read = graph_.reads(op_)[i];
      const OperandName& operand = bound.definition->reads[i];
      const std::string what =
          absl::StrCat("operand ", i, " (\"", operand.name, "\", value \"", graph_.name(read.value), "\")");
      const Expr &begin = IntegerOf(bound.spec, operand.offset), end = begin + extents[i].bytes;
      const Hull hull = HullOf(graph_, read.value, read.region);
      if (!ProveLessEqual(hull.begin, begin, symbols_) || !ProveLessEqual(end, hull.end, symbols_)) {
        return Fault(what, ": expected ", Text(extents[i].bytes), " bytes from ", Text(begin), ", the op reads bytes [",
                     Text(hull.begin), ", ", Text(hull.end), ")");
      }
      const absl::Status s =
          CheckAligned(bound, what, read.value, read.offset_multiple, operand, extents[i].element_bytes);
      if (!s.ok()) return s;
      if (!read.strides_ok) continue;
      if ((bound.definition->strided_reads >> i & 1) == 0) return Fault(what, " has strides_ok, the kernel takes none");
      if (begin != Expr(0)) return Fault(what, " has strides_ok, so \"", operand.offset, "\" must be 0");
    }
    return absl::OkStatus();
  }

  absl::Status CheckResults(const BoundOp& bound) const {
    const std::vector<Extent> extents = bound.definition->extents(bound.spec);
    for (size_t i = 0; i < op_.num_writes; ++i) {
      const Write& write = graph_.writes(op_)[i];
      const OperandName& result = bound.definition->writes[i];
      const Extent& extent = extents[bound.definition->reads.size() + i];
      const std::string what =
          absl::StrCat("result ", i, " (\"", result.name, "\", value \"", graph_.name(write.value), "\")");
      const Expr &begin = IntegerOf(bound.spec, result.offset), end = begin + extent.bytes;
      const Hull hull = HullOf(graph_, write.value, write.region);
      const bool part = write.cover == Cover::kPart;
      const bool first = part ? ProveLessEqual(hull.begin, begin, symbols_) : ProveEqual(hull.begin, begin, symbols_);
      const bool last = part ? ProveLessEqual(end, hull.end, symbols_) : ProveEqual(end, hull.end, symbols_);
      if (!first || !last) {
        return Fault(what, ": expected ", Text(extent.bytes), " bytes from ", Text(begin), ", the op writes bytes [",
                     Text(hull.begin), ", ", Text(hull.end), ")");
      }
      const absl::Status s = CheckAligned(bound, what, write.value, 1, result, extent.element_bytes);
      if (!s.ok()) return s;
    }
    return absl::OkStatus();
  }

  absl::Status CheckInPlace(const BoundOp& bound) const {
    for (size_t i = 0; i < op_.num_writes; ++i) {
      for (const InPlace& p : graph_.in_place(graph_.writes(op_)[i])) {
        if (MayLieOn(graph_, op_, bound, i, p.value, p.mode)) continue;
        return Fault("result ", i, " (\"", bound.definition->writes[i].name, "\") may not lie on value \"",
                     graph_.name(p.value), "\"", p.mode == InPlaceMode::kAny ? " anyhow" : "", ", the op says so");
      }
    }
    return absl::OkStatus();
  }

  const Graph& graph_;
  const Op& op_;
  absl::Span<const Symbol> symbols_;
  std::string who_;
};

}  // namespace

bool MayLieOn(const Graph& graph, const Op& op, const BoundOp& bound, size_t write, ValueId value, InPlaceMode mode) {
  const std::vector<InPlaceRule> rules = InPlaceRulesOf(*bound.definition, bound.spec);
  bool read = false;
  for (size_t slot = 0; slot < op.num_reads; ++slot) {
    if (graph.reads(op)[slot].value != value) continue;
    read = true;
    const bool allowed = std::any_of(rules.begin(), rules.end(), [&](const InPlaceRule& r) {
      return r.write == write && r.read == slot && (r.mode == mode || r.mode == InPlaceMode::kAny);
    });
    if (!allowed) return false;
  }
  return read;
}

absl::StatusOr<std::vector<std::optional<BoundOp>>> BindOps(const Graph& graph,
                                                            absl::Span<const std::optional<KernelSpec>> specs) {
  if (specs.size() != graph.ops().size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("kernels for ", specs.size(), " ops, the graph has ", graph.ops().size()));
  }
  std::vector<std::optional<BoundOp>> all(specs.size());
  for (size_t i = 0; i < specs.size(); ++i) {
    if (!specs[i].has_value()) continue;
    absl::StatusOr<BoundOp> bound = Binder(graph, OpId(static_cast<int32_t>(i)), *specs[i]).Bind(*specs[i]);
    if (!bound.ok()) return bound.status();
    all[i] = *std::move(bound);
  }
  return all;
}

}  // namespace bufplan::runtime
