#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "io/iree_lowering.h"
#include "io/json_text.h"
#include "ir/expr_proof.h"

namespace bufplan {
namespace {

constexpr size_t kMaxWarnings = 50;
constexpr size_t kMaxNameBytes = 900;

// As Symbol::name may be: sigils go, what no symbol has becomes '_'.
std::string SymbolName(absl::string_view name) {
  std::string result;
  for (char c : name) {
    if (result.empty() && (c == '%' || c == '@' || c == '"')) continue;
    const bool usable = absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '$';
    if (result.empty() && (absl::ascii_isdigit(c) || c == '.')) result += '_';
    result += usable ? c : '_';
  }
  if (absl::EndsWith(name, "\"") && !result.empty()) result.pop_back();
  if (result.empty()) return "_";
  return result.substr(0, kMaxNameBytes);
}

}  // namespace

void IreeLowering::Fail(uint32_t offset, absl::string_view message) {
  if (ok()) status_ = text_.Fault(offset, message);
}
void IreeLowering::Fail(const IreeOp& op, absl::string_view message) {
  Fail(op.offset, absl::StrCat(op.name, ": ", message));
}

void IreeLowering::Warn(uint32_t offset, absl::string_view message) {
  if (warnings_.size() >= kMaxWarnings) {
    ++warnings_left_out_;
    return;
  }
  const auto [line, column] = text_.LineColumn(offset);
  warnings_.push_back(absl::StrCat(line, ":", column, ": ", message));
}

std::string IreeLowering::UniqueName(std::string wish, uint32_t offset) {
  if (wish.size() > kMaxNameBytes) wish.resize(kMaxNameBytes);
  wish.resize(ValidUtf8Prefix(wish));
  if (!wish.empty() && value_names_.TakeExactly(wish)) return wish;
  return value_names_.Take(absl::StrCat(wish, "@", text_.LineColumn(offset).first), ".");
}

std::string IreeLowering::OpName(absl::string_view kind, uint32_t offset) {
  std::string wish(kind.substr(0, kMaxNameBytes));
  wish.resize(ValidUtf8Prefix(wish));
  return op_names_.Take(absl::StrCat(wish, ".", text_.LineColumn(offset).first), ".");
}

IreeScalar IreeLowering::Outside(absl::string_view source, absl::string_view value) {
  const std::string name = outside_names_.Take(SymbolName(source), "_");
  const auto assumed = assumed_.find(value);
  std::optional<IreeInterval> range;
  if (assumed != assumed_.end()) range = assumed->second;
  for (const SymbolOverride& o : overrides_) {
    if (o.name != name) continue;
    const bool meet = range.has_value() && o.min <= range->max && range->min <= o.max;
    range = meet ? IreeInterval{std::max(o.min, range->min), std::min(o.max, range->max)} : IreeInterval{o.min, o.max};
    break;
  }
  if (!range.has_value()) return {0, {name}, ""};
  symbols_.push_back({name, range->min, range->max, 1});
  return {b_.AddSymbol(name, range->min, range->max), {}, ""};
}

void IreeLowering::Define(absl::string_view name, uint32_t offset, std::vector<IreeBinding> bindings) {
  if (!scope_.Define(name, std::move(bindings))) Fail(offset, absl::StrCat(name, " is defined already in this region"));
}

IreeScalar IreeLowering::ScalarOf(const IreeRef& ref) const {
  const IreeBinding* const binding = scope_.Find(ref);
  if (binding == nullptr || binding->resource.has_value()) return IreeScalar::Unknown(ref.name);
  return binding->scalar;
}

Expr IreeLowering::NumberOf(const IreeOp& op, const IreeRef& ref) {
  if (!ok()) return 0;
  const IreeBinding* const binding = scope_.Find(ref);
  if (binding == nullptr) {
    Fail(ref.offset, absl::StrCat(op.name, ": ", ref.name, " is not defined here"));
  } else if (binding->resource.has_value()) {
    Fail(ref.offset, absl::StrCat(op.name, ": ", ref.name, " is a resource, where a number is needed"));
  } else if (!binding->scalar.why.empty()) {
    Fail(ref.offset,
         absl::StrCat(op.name, ": ", ref.name, " is no expression over symbols: it comes from ", binding->scalar.why));
  } else if (!binding->scalar.unranged.empty()) {
    const std::vector<std::string>& names = binding->scalar.unranged;
    Fail(ref.offset, absl::StrCat(op.name, ": ", ref.name, " depends on ", absl::StrJoin(names, ", "),
                                  names.size() == 1 ? ", which comes from outside and has no range"
                                                    : ", which come from outside and have no range",
                                  ": give it by --symbols '", absl::StrJoin(names, "=MIN..MAX,"), "=MIN..MAX'"));
  } else {
    return binding->scalar.value;
  }
  return 0;
}

IreeLowering::Span IreeLowering::SpanOf(const IreeOp& op, const IreeOperand& operand, const Expr& bytes_of_point) {
  if (!operand.range.has_value()) {
    Fail(operand.value.offset, absl::StrCat(op.name, ": ", operand.value.name, " has no range [%begin to %end]"));
    return {};
  }
  const IreeRange& range = *operand.range;
  Span span{NumberOf(op, range.begin), bytes_of_point};
  if (!range.end.has_value()) return span;
  const Expr distance = NumberOf(op, *range.end) - span.at;
  span.bytes = range.length.has_value() ? NumberOf(op, *range.length) : distance;
  if (ok() && !ProveEqual(span.bytes, distance, symbols_)) {
    Fail(operand.value.offset,
         absl::StrCat(op.name, ": the range of ", operand.value.name, " begins at ", Text(span.at), " and ends ",
                      Text(distance), " later, but is ", Text(span.bytes), " long"));
  }
  return span;
}

bool IreeLowering::IsResourceType(const IreeType& type) const {
  return absl::StartsWith(type.text, "!stream.resource<");
}

SpaceId IreeLowering::SpaceOf(const IreeType& type) {
  if (type.text != "!stream.resource<staging>") return SpaceId(0);
  if (!staging_.has_value()) {
    Space space;
    space.alignment_bytes = module_.offset_alignment_bytes.value_or(64);
    staging_ = b_.AddSpace("staging", space);
  }
  return *staging_;
}

Expr IreeLowering::BytesOf(const IreeOp& op, const IreeType& type) {
  if (type.sizes.size() != 1) {
    Fail(type.offset, absl::StrCat(op.name, ": ", type.text, " has no size {%n}"));
    return 0;
  }
  return NumberOf(op, type.sizes[0]);
}

size_t IreeLowering::AddResource(Resource resource) {
  resources_.push_back(std::move(resource));
  return resources_.size() - 1;
}

size_t IreeLowering::ResourceOf(const IreeOp& op, const IreeRef& ref) {
  const IreeBinding* const binding = scope_.Find(ref);
  if (binding != nullptr && binding->resource.has_value()) return *binding->resource;
  Fail(ref.offset,
       absl::StrCat(op.name, ": ", ref.name, binding == nullptr ? " is not defined here" : " is no resource"));
  return 0;
}

void IreeLowering::SetBytes(const IreeOp& op, size_t number, const Expr& bytes) {
  if (!ok()) return;
  Resource& resource = resources_[number];
  if (!resource.value.has_value()) {
    resource.bytes = bytes;
    resource.value = b_.AddValue(resource.name, bytes, resource.role, resource.options);
    value_offsets_.push_back(resource.offset);
  } else if (!ProveEqual(resource.bytes, bytes, symbols_)) {
    Fail(op, absl::StrCat("value \"", resource.name, "\" has ", Text(bytes), " bytes here, ", Text(resource.bytes),
                          " elsewhere"));
  }
}

size_t IreeLowering::Use(const IreeOp& op, const IreeRef& ref, const IreeType* type) {
  const size_t number = ResourceOf(op, ref);
  if (!ok()) return 0;
  Resource& resource = resources_[number];
  if (type != nullptr && type->sizes.size() == 1) {
    SetBytes(op, number, NumberOf(op, type->sizes[0]));
  } else if (!resource.value.has_value()) {
    Fail(ref.offset, absl::StrCat(op.name, ": the size of ", ref.name, " is said neither here nor before"));
  }
  resource.last_use = pending_.size();
  return number;
}

ValueId IreeLowering::NewValue(const IreeOp& op, size_t number, const Expr& bytes, SpaceId space,
                               IreeBinding& binding) {
  if (!ok()) return ValueId();
  std::string wish = absl::StrCat(op.name);
  uint32_t offset = op.offset;
  for (const IreeResult& result : op.results) {
    if (number < result.count) {
      wish = result.count == 1 ? std::string(result.name) : absl::StrCat(result.name, "#", number);
      offset = result.offset;
      break;
    }
    number -= result.count;
  }
  ValueOptions options;
  options.space = space;
  Resource resource;
  resource.name = UniqueName(std::move(wish), offset);
  resource.bytes = bytes;
  resource.offset = op.offset;
  resource.value = b_.AddValue(resource.name, bytes, Role::kTransient, options);
  value_offsets_.push_back(op.offset);
  binding.resource = AddResource(std::move(resource));
  return ValueOf(*binding.resource);
}

ValueId IreeLowering::AddResult(const IreeOp& op, const Expr& bytes, SpaceId space) {
  std::vector<IreeBinding> bindings(1);
  const ValueId value = NewValue(op, 0, bytes, space, bindings[0]);
  DefineResults(op, std::move(bindings));
  return value;
}

void IreeLowering::DefineResults(const IreeOp& op, std::vector<IreeBinding> bindings) {
  if (!ok()) return;
  size_t count = 0;
  for (const IreeResult& result : op.results) count += result.count;
  if (count != bindings.size() && count > 0) {
    Fail(op, absl::StrCat("has ", bindings.size(), " results, but ", count, " names for them"));
    return;
  }
  size_t next = 0;
  for (const IreeResult& result : op.results) {
    std::vector<IreeBinding> own(
        std::make_move_iterator(bindings.begin() + static_cast<ptrdiff_t>(next)),
        std::make_move_iterator(bindings.begin() + static_cast<ptrdiff_t>(next + result.count)));
    next += result.count;
    Define(result.name, result.offset, std::move(own));
  }
}

void IreeLowering::DefineAlias(const IreeOp& op, size_t resource) {
  std::vector<IreeBinding> bindings(1);
  bindings[0].resource = resource;
  DefineResults(op, std::move(bindings));
}

void IreeLowering::Add(const IreeOp& op, std::function<void(GraphBuilder&)> add) {
  if (ok()) pending_.push_back({std::move(add), op.offset});
}

bool IreeLowering::HasOperands(const IreeOp& op, size_t count) {
  if (op.operands.size() == count) return true;
  Fail(op, absl::StrCat("has ", op.operands.size(), op.operands.size() == 1 ? " operand" : " operands", ", must have ",
                        count));
  return false;
}

}  // namespace bufplan
