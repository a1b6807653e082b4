#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "io/iree_lowering.h"
#include "ir/expr_proof.h"
#include "ir/region.h"

namespace bufplan {
namespace {

// "@ex::@entry" as "@ex::entry".
std::string CalleeText(const IreeOp& op) {
  std::string text;
  for (absl::string_view symbol : op.symbols) {
    absl::StrAppend(&text, text.empty() ? "" : "::", text.empty() ? symbol : symbol.substr(1));
  }
  return text;
}

bool SameRegion(const std::optional<Region>& a, const std::optional<Region>& b) { return a == b; }

}  // namespace

std::vector<std::optional<IreeLowering::Binding>> IreeLowering::ReadBindings(const IreeOp& op) {
  std::vector<std::optional<Binding>> bindings(op.operands.size());
  if (op.operand_types.size() != op.operands.size()) {
    Fail(op, absl::StrCat("has ", op.operands.size(), " operands, but ", op.operand_types.size(), " types for them"));
    return bindings;
  }
  for (size_t i = 0; i < bindings.size() && ok(); ++i) {
    const IreeOperand& o = op.operands[i];
    const IreeBinding* const bound = scope_.Find(o.value);
    if (bound == nullptr) {
      Fail(o.value.offset, absl::StrCat(op.name, ": ", o.value.name, " is not defined here"));
      break;
    }
    if (!bound->resource.has_value()) continue;
    Binding& binding = bindings[i].emplace();
    binding.resource = Use(op, o.value, &op.operand_types[i]);
    binding.span = o.range.has_value() ? SpanOf(op, o, 0) : Span{0, ok() ? SizeOf(binding.resource) : Expr(0)};
  }
  return bindings;
}

std::optional<size_t> IreeLowering::TiedOperand(const IreeOp& op, const IreeType& type) {
  if (!type.tied.has_value()) return std::nullopt;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const IreeRef& ref = op.operands[i].value;
    if (ref.name == type.tied->name && ref.index == type.tied->index) return i;
  }
  Fail(type.offset, absl::StrCat(op.name, ": a result is ", type.tied->name, ", which is none of the operands"));
  return std::nullopt;
}

Result IreeLowering::ResultOf(const IreeOp& op, size_t number, const std::vector<std::optional<Binding>>& bindings,
                              const std::vector<std::optional<size_t>>& tied, const IreeKernelUse* kernel) {
  Result result;
  const IreeType& type = op.result_types[number];
  const std::optional<size_t> operand = tied[number];
  if (!operand.has_value()) return result;
  const Binding& binding = *bindings[*operand];
  if (type.sizes.size() == 1) SetBytes(op, binding.resource, BytesOf(op, type));
  result.base = ValueOf(binding.resource);
  const Region region{binding.span.at, binding.span.bytes, {}};
  if (!(region == Region{0, SizeOf(binding.resource), {}})) result.region = region;
  const bool writes_only =
      kernel != nullptr && *operand < kernel->access.size() && kernel->access[*operand] == IreeAccess::kWriteOnly;
  if (writes_only) return result;
  result.cover = Cover::kPart;
  // It may stay where it is, unless another operand shows bytes of the same resource that are being overwritten.
  const Expr begin = binding.span.at, end = binding.span.at + binding.span.bytes;
  for (size_t i = 0; i < bindings.size(); ++i) {
    if (i == *operand || !bindings[i].has_value() || bindings[i]->resource != binding.resource) continue;
    const Span& other = bindings[i]->span;
    if (!ProveDisjoint(begin, end, other.at, other.at + other.bytes, symbols_)) return result;
  }
  result.in_place.emplace_back(*result.base);
  return result;
}

void IreeLowering::WarnOfTouches(const IreeOp& op, const std::vector<std::optional<Binding>>& bindings,
                                 const std::vector<std::optional<size_t>>& tied, const IreeKernelUse& kernel) {
  std::vector<std::pair<Expr, std::string>> declared;  // by argument of the kernel: its bytes, and who it is
  for (size_t i = 0; i < bindings.size(); ++i) {
    declared.emplace_back(bindings[i].has_value() ? bindings[i]->span.bytes : Expr(0),
                          bindings[i].has_value() ? absl::StrCat("operand ", op.operands[i].value.name) : "");
  }
  for (size_t i = 0; i < tied.size(); ++i) {
    if (!tied[i].has_value()) {
      declared.emplace_back(NumberOf(op, op.result_types[i].sizes[0]), absl::StrCat("result ", i));
    }
  }
  for (const IreeTouch& touch : kernel.touches) {
    if (touch.argument >= declared.size() || declared[touch.argument].second.empty()) continue;
    const auto& [bytes, who] = declared[touch.argument];
    const Expr end = RegionEnd(touch.region);
    const Expr some = RegionBytes(touch.region) - 1;
    if (!end.valid() || !some.valid() || !ProveNonNegative(some, symbols_)) continue;
    if (!ProveLessEqual(bytes + 1, end, symbols_)) continue;
    Warn(op.offset, absl::StrCat(op.name, " ", CalleeText(op), ": the kernel touches [", Text(touch.region.at), ", ",
                                 Text(end), ") of ", who, " (as ", touch.type_text, "), beyond the ", Text(bytes),
                                 " bytes that are declared; planned as declared"));
  }
}

bool IreeLowering::LowerMoveKernel(const IreeOp& op, const std::vector<std::optional<Binding>>& bindings,
                                   const std::vector<std::optional<size_t>>& tied, const IreeKernelUse& kernel,
                                   const std::string& name) {
  if (!kernel.is_move || op.result_types.size() != 1) return false;
  const IreeTouch &load = kernel.touches[0], &store = kernel.touches[1];
  const size_t target = tied[0].value_or(bindings.size());  // Bindings of fresh results follow the operands.
  if (load.argument >= bindings.size() || !bindings[load.argument].has_value() || store.argument != target) {
    return false;
  }
  const Binding& source = *bindings[load.argument];
  const Expr bytes = tied[0].has_value() ? SizeOf(bindings[target]->resource) : BytesOf(op, op.result_types[0]);
  const Span to_span = tied[0].has_value() ? bindings[target]->span : Span{0, bytes};
  if (!ok() || !ProveEqual(RegionBytes(load.region), RegionBytes(store.region), symbols_)) return false;
  for (const auto& [region, span] : {std::pair{&load.region, &source.span}, std::pair{&store.region, &to_span}}) {
    const Expr end = RegionEnd(*region);
    if (!end.valid() || !ProveLessEqual(end, span->bytes, symbols_)) return false;
    if (!ProveNoSelfOverlap(*region, symbols_)) return false;
  }
  // A movement between bytes of one resource is the kernel's own affair.
  if (tied[0].has_value() && bindings[target]->resource == source.resource) return false;
  Region from_region = load.region, to_region = store.region;
  from_region.at += source.span.at;
  to_region.at += to_span.at;
  std::optional<ValueId> base;
  SpaceId space = SpaceOf(op.result_types[0]);
  if (tied[0].has_value()) {
    base = ValueOf(bindings[target]->resource);
    space = resources_[bindings[target]->resource].options.space;
  }
  const ValueId from = ValueOf(source.resource), to = AddResult(op, bytes, space);
  Add(op, [name, from, from_region, to_region, base, bytes, to](GraphBuilder& b) {
    b.Copy(name, {{from, from_region, to_region}}, base, bytes, to);
  });
  return true;
}

// %r:2 = stream.async.dispatch @ex::@entry[%w](%x, %a[%b to %e for %n], ...) : (i32, type{%m}, ...) -> (type{%k},
// %a{%m})
void IreeLowering::LowerDispatch(const IreeOp& op) {
  const std::vector<std::optional<Binding>> bindings = ReadBindings(op);
  std::vector<std::optional<size_t>> tied;
  for (const IreeType& type : op.result_types) {
    tied.push_back(TiedOperand(op, type));
    if (ok() && tied.back().has_value() && !bindings[*tied.back()].has_value()) {
      Fail(type.offset, absl::StrCat(op.name, ": a result is ", type.tied->name, ", which is no resource"));
    }
    if (ok() && !tied.back().has_value() && !IsResourceType(type)) {
      Fail(type.offset, absl::StrCat(op.name, ": a result has the type ", type.text, ", which is no resource"));
    }
    if (!tied.back().has_value()) BytesOf(op, type);
  }
  if (!ok()) return;
  const IreeKernelUse* kernel = nullptr;
  if (op.name == "stream.async.dispatch" && op.symbols.size() == 2) {
    std::vector<IreeScalar> arguments;
    for (size_t i = 0; i < bindings.size(); ++i) {
      arguments.push_back(bindings[i].has_value() ? IreeScalar::Unknown("a binding") : ScalarOf(op.operands[i].value));
    }
    kernel = kernels_.Use(op.symbols[0], op.symbols[1], arguments, symbols_);
  }
  if (kernel != nullptr) WarnOfTouches(op, bindings, tied, *kernel);
  const bool call = op.name == "stream.async.call";
  const std::string name = OpName(absl::StrCat(call ? "call" : "dispatch", CalleeText(op)), op.offset);
  if (!ok() || (kernel != nullptr && LowerMoveKernel(op, bindings, tied, *kernel, name))) return;

  ComputeSpec spec;
  std::vector<IreeBinding> results(op.result_types.size());
  for (size_t i = 0; i < results.size() && ok(); ++i) {
    bufplan::Result result = ResultOf(op, i, bindings, tied, kernel);
    const bool is_tied = tied[i].has_value();
    const size_t base = is_tied ? bindings[*tied[i]]->resource : 0;
    const Expr bytes = is_tied ? SizeOf(base) : BytesOf(op, op.result_types[i]);
    const SpaceId space = is_tied ? resources_[base].options.space : SpaceOf(op.result_types[i]);
    result.value = NewValue(op, i, bytes, space, results[i]);
    spec.writes.push_back(std::move(result));
  }
  for (size_t i = 0; i < bindings.size() && ok(); ++i) {
    if (!bindings[i].has_value()) continue;
    const auto writes_it = [&](size_t r) { return tied[r] == std::optional(i) && spec.writes[r].cover == Cover::kAll; };
    bool only_written = false;
    for (size_t r = 0; r < tied.size(); ++r) only_written = only_written || writes_it(r);
    if (only_written) continue;
    const Region region{bindings[i]->span.at, bindings[i]->span.bytes, {}};
    const bool whole = region == Region{0, SizeOf(bindings[i]->resource), {}};
    bufplan::Operand operand(ValueOf(bindings[i]->resource));
    if (!whole) operand.region = region;
    const auto same = [&](const bufplan::Operand& o) {
      return o.value == operand.value && SameRegion(o.region, operand.region);
    };
    if (spec.reads.size() < 64 && std::any_of(spec.reads.begin(), spec.reads.end(), same)) continue;
    spec.reads.push_back(std::move(operand));
  }
  DefineResults(op, std::move(results));
  Add(op, [name, spec](GraphBuilder& b) { b.Compute(name, spec); });
}

}  // namespace bufplan
