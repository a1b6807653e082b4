#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "io/iree_lowering.h"
#include "ir/expr_proof.h"

namespace bufplan {

bool IreeLowering::LowerMovement(const IreeOp& op) {
  using Lowering = void (IreeLowering::*)(const IreeOp&);
  static constexpr std::pair<absl::string_view, Lowering> kLowerings[] = {
      {"stream.async.slice", &IreeLowering::LowerSlice},
      {"stream.async.update", &IreeLowering::LowerUpdate},
      {"stream.async.clone", &IreeLowering::LowerClone},
      {"stream.async.transfer", &IreeLowering::LowerClone},
      {"stream.async.splat", &IreeLowering::LowerSource},
      {"stream.async.alloca", &IreeLowering::LowerSource},
      {"stream.async.constant", &IreeLowering::LowerSource},
      {"stream.async.fill", &IreeLowering::LowerFill},
      {"stream.async.copy", &IreeLowering::LowerCopy},
      {"stream.async.barrier", &IreeLowering::LowerAlias},
      {"stream.async.cast", &IreeLowering::LowerAlias},
      {"stream.timepoint.barrier", &IreeLowering::LowerAlias},
      {"stream.timepoint.await", &IreeLowering::LowerAlias},
      {"stream.async.load", &IreeLowering::LowerLoad},
      {"stream.async.store", &IreeLowering::LowerStore},
      {"stream.async.concat", &IreeLowering::LowerConcat},
      {"stream.async.collective", &IreeLowering::LowerCollective},
      {"stream.tensor.import", &IreeLowering::LowerImport},
      {"stream.tensor.export", &IreeLowering::LowerImport},
      {"stream.resource.size", &IreeLowering::LowerResourceSize},
  };
  for (const auto& [name, lower] : kLowerings) {
    if (op.name != name) continue;
    (this->*lower)(op);
    return true;
  }
  return false;
}

size_t IreeLowering::TiedTarget(const IreeOp& op, size_t number) {
  const IreeRef& operand = op.operands[number].value;
  if (op.result_types.size() != 1) {
    Fail(op, absl::StrCat("has ", op.result_types.size(), " results, must have 1"));
    return 0;
  }
  const IreeType& type = op.result_types[0];
  if (type.tied.has_value() && (type.tied->name != operand.name || type.tied->index != operand.index)) {
    Fail(type.offset,
         absl::StrCat(op.name, ": the result is ", type.tied->name, ", but ", operand.name, " is written into"));
    return 0;
  }
  return Use(op, operand, &type);
}

// %r = stream.async.slice %src[%a to %b] : type{%n} -> type{%m}
void IreeLowering::LowerSlice(const IreeOp& op) {
  if (!HasOperands(op, 1)) return;
  if (op.operand_types.size() != 1 || op.result_types.size() != 1) {
    return Fail(op, "has not one operand and result type");
  }
  const size_t source = Use(op, op.operands[0].value, &op.operand_types[0]);
  const Span span = SpanOf(op, op.operands[0], 0);
  const Expr bytes = BytesOf(op, op.result_types[0]);
  if (ok() && !ProveEqual(span.bytes, bytes, symbols_)) {
    return Fail(op, absl::StrCat("the range has ", Text(span.bytes), " bytes, the result ", Text(bytes)));
  }
  if (!ok()) return;
  const ValueId to = AddResult(op, bytes, SpaceOf(op.result_types[0])), from = ValueOf(source);
  Add(op, [name = OpName("slice", op.offset), from, to, at = span.at, bytes](GraphBuilder& b) {
    b.Slice(name, from, at, bytes, to);
  });
}

// %r = stream.async.update %u, %dst[%a to %b] : type{%m} -> %dst as type{%n}
void IreeLowering::LowerUpdate(const IreeOp& op) {
  if (!HasOperands(op, 2) || op.operand_types.empty()) return Fail(op, "has no type of what is put in");
  const size_t source = Use(op, op.operands[0].value, &op.operand_types[0]);
  const size_t base = TiedTarget(op, 1);
  const Span span = SpanOf(op, op.operands[1], 0);
  if (ok() && !ProveEqual(span.bytes, SizeOf(source), symbols_)) {
    return Fail(op, absl::StrCat("the range has ", Text(span.bytes), " bytes, what is put in ", Text(SizeOf(source))));
  }
  if (!ok()) return;
  const ValueId from = ValueOf(source), into = ValueOf(base);
  const ValueId to = AddResult(op, SizeOf(base), resources_[base].options.space);
  Add(op, [name = OpName("update", op.offset), from, into, to, at = span.at](GraphBuilder& b) {
    b.Update(name, into, from, at, to);
  });
}

// %r = stream.async.clone %src : type{%n} -> type{%n}; stream.async.transfer
void IreeLowering::LowerClone(const IreeOp& op) {
  if (!HasOperands(op, 1)) return;
  if (op.operand_types.size() != 1 || op.result_types.size() != 1) {
    return Fail(op, "has not one operand and result type");
  }
  const size_t source = Use(op, op.operands[0].value, &op.operand_types[0]);
  const Expr bytes = BytesOf(op, op.result_types[0]);
  if (ok() && !ProveEqual(SizeOf(source), bytes, symbols_)) {
    return Fail(op, absl::StrCat("the source has ", Text(SizeOf(source)), " bytes, the result ", Text(bytes)));
  }
  if (!ok()) return;
  const bool is_clone = op.name == "stream.async.clone";
  const SpaceId space = is_clone ? resources_[source].options.space : SpaceOf(op.result_types[0]);
  const bool same_space = space == resources_[source].options.space;
  const ValueId to = AddResult(op, bytes, space), from = ValueOf(source);
  Add(op, [name = OpName(is_clone ? "clone" : "transfer", op.offset), from, to, same_space](GraphBuilder& b) {
    same_space ? b.Clone(name, from, to) : b.Transfer(name, from, to);
  });
}

// %r = stream.async.splat %pattern : i32 -> type{%n}; stream.async.alloca, stream.async.constant : type{%n}
void IreeLowering::LowerSource(const IreeOp& op) {
  if (op.result_types.size() != 1) return Fail(op, "has not one result type");
  const Expr bytes = BytesOf(op, op.result_types[0]);
  const SpaceId space = SpaceOf(op.result_types[0]);
  if (!ok()) return;
  if (op.name == "stream.async.constant") {
    Resource resource;
    resource.name = UniqueName(op.results.empty() ? std::string(op.name) : std::string(op.results[0].name), op.offset);
    resource.role = Role::kConstant;
    resource.options.space = space;
    resource.offset = op.offset;
    const size_t number = AddResource(std::move(resource));
    SetBytes(op, number, bytes);
    return DefineAlias(op, number);
  }
  const ValueId to = AddResult(op, bytes, space);
  if (op.name == "stream.async.alloca") {  // Undefined content: nothing is filled.
    Add(op, [name = OpName("alloca", op.offset), bytes, to](GraphBuilder& b) {
      b.Fill(name, std::nullopt, Region{0, 0, {}}, bytes, to);
    });
  } else {
    Add(op, [name = OpName("splat", op.offset), bytes, to](GraphBuilder& b) {
      b.Fill(name, std::nullopt, std::nullopt, bytes, to);
    });
  }
}

// %r = stream.async.fill %pattern, %dst[%a to %b for %len] : i32 -> %dst as type{%n}
void IreeLowering::LowerFill(const IreeOp& op) {
  if (!HasOperands(op, 2)) return;
  const size_t base = TiedTarget(op, 1);
  const Span span = SpanOf(op, op.operands[1], 0);
  if (!ok()) return;
  const Expr bytes = SizeOf(base);
  const ValueId into = ValueOf(base), to = AddResult(op, bytes, resources_[base].options.space);
  Add(op, [name = OpName("fill", op.offset), into, to, span, bytes](GraphBuilder& b) {
    b.Fill(name, into, Region{span.at, span.bytes, {}}, bytes, to);
  });
}

// %r = stream.async.copy %src[%a to %b], %dst[%c to %d], %len : type{%n} -> %dst as type{%m}
void IreeLowering::LowerCopy(const IreeOp& op) {
  if (!HasOperands(op, 3) || op.operand_types.empty()) return Fail(op, "has no type of its source");
  const size_t source = Use(op, op.operands[0].value, &op.operand_types[0]);
  const size_t base = TiedTarget(op, 1);
  const Span from_span = SpanOf(op, op.operands[0], 0), to_span = SpanOf(op, op.operands[1], 0);
  const Expr length = NumberOf(op, op.operands[2].value);
  for (const Span* span : {&from_span, &to_span}) {
    if (ok() && !ProveEqual(span->bytes, length, symbols_)) {
      return Fail(op, absl::StrCat("a range has ", Text(span->bytes), " bytes, ", Text(length), " are copied"));
    }
  }
  if (!ok()) return;
  const Expr bytes = SizeOf(base);
  const ValueId from = ValueOf(source), into = ValueOf(base);
  const ValueId to = AddResult(op, bytes, resources_[base].options.space);
  Add(op, [name = OpName("copy", op.offset), from, into, to, from_span, to_span, bytes](GraphBuilder& b) {
    b.Copy(name, {{from, Region{from_span.at, from_span.bytes, {}}, Region{to_span.at, to_span.bytes, {}}}}, into,
           bytes, to);
  });
}

// What only orders, or only changes the type: the results are the operands; a timepoint may follow.
void IreeLowering::LowerAlias(const IreeOp& op) {
  std::vector<IreeBinding> bindings;
  for (size_t i = 0; i < op.operands.size() && ok(); ++i) {
    const IreeType* const type = i < op.operand_types.size() ? &op.operand_types[i] : nullptr;
    bindings.emplace_back().resource = ResourceOf(op, op.operands[i].value);
    if (type != nullptr && type->sizes.size() == 1) Use(op, op.operands[i].value, type);
  }
  if (op.name == "stream.timepoint.barrier") bindings.emplace_back();
  DefineResults(op, std::move(bindings));
}

// %x = stream.async.load %src[%off] : type{%n} -> i32
void IreeLowering::LowerLoad(const IreeOp& op) {
  if (!HasOperands(op, 1)) return;
  if (op.operand_types.size() != 1 || op.result_types.size() != 1) {
    return Fail(op, "has not one operand and result type");
  }
  const size_t source = Use(op, op.operands[0].value, &op.operand_types[0]);
  const int64_t bytes = IreeElementBytes(op.result_types[0].text);
  if (bytes == 0) return Fail(op, absl::StrCat("how many bytes ", op.result_types[0].text, " has is not known"));
  const Span span = SpanOf(op, op.operands[0], bytes);
  if (!ok()) return;
  Add(op, [name = OpName("load", op.offset), from = ValueOf(source), span](GraphBuilder& b) {
    b.Compute(name, {.reads = {Operand(from, Region{span.at, span.bytes, {}})}});
  });
  if (op.results.size() != 1) return;
  std::vector<IreeBinding> bindings(1);
  bindings[0].scalar = Outside(op.results[0].name, op.results[0].name);
  DefineResults(op, std::move(bindings));
}

// %r = stream.async.store %x, %dst[%off] : i32 -> %dst as type{%n}
void IreeLowering::LowerStore(const IreeOp& op) {
  if (!HasOperands(op, 2) || op.operand_types.empty()) return Fail(op, "has no type of what is stored");
  const size_t base = TiedTarget(op, 1);
  const int64_t bytes = IreeElementBytes(op.operand_types[0].text);
  if (bytes == 0) return Fail(op, absl::StrCat("how many bytes ", op.operand_types[0].text, " has is not known"));
  const Span span = SpanOf(op, op.operands[1], bytes);
  if (!ok()) return;
  Result result;
  result.value = AddResult(op, SizeOf(base), resources_[base].options.space);
  result.base = ValueOf(base);
  result.region = Region{span.at, span.bytes, {}};
  Add(op, [name = OpName("store", op.offset), result](GraphBuilder& b) { b.Compute(name, {.writes = {result}}); });
}

// %r = stream.async.concat %a, %b : type{%n}, type{%m} -> type{%k}
void IreeLowering::LowerConcat(const IreeOp& op) {
  if (op.operand_types.size() != op.operands.size() || op.result_types.size() != 1) {
    return Fail(op, "must have a type for each operand and one for the result");
  }
  std::vector<ValueId> parts;
  Expr total = 0;
  for (size_t i = 0; i < op.operands.size() && ok(); ++i) {
    const size_t part = Use(op, op.operands[i].value, &op.operand_types[i]);
    if (!ok()) return;
    parts.push_back(ValueOf(part));
    total += SizeOf(part);
  }
  const Expr bytes = BytesOf(op, op.result_types[0]);
  if (ok() && !ProveEqual(total, bytes, symbols_)) {
    return Fail(op, absl::StrCat("the parts have ", Text(total), " bytes together, the result ", Text(bytes)));
  }
  if (!ok()) return;
  const ValueId to = AddResult(op, bytes, SpaceOf(op.result_types[0]));
  Add(op, [name = OpName("concat", op.offset), parts, to](GraphBuilder& b) { b.Concat(name, parts, to); });
}

// %r = stream.async.collective<...>[%n] %send[%a to %b for %c], %dst[...] : type{%n} -> %dst as type{%m}
void IreeLowering::LowerCollective(const IreeOp& op) {
  if (!HasOperands(op, 2) || op.operand_types.empty()) return Fail(op, "has no type of what is sent");
  const size_t source = Use(op, op.operands[0].value, &op.operand_types[0]);
  const size_t base = TiedTarget(op, 1);
  const Span from_span = SpanOf(op, op.operands[0], 0), to_span = SpanOf(op, op.operands[1], 0);
  if (!ok()) return;
  Result result;
  result.value = AddResult(op, SizeOf(base), resources_[base].options.space);
  result.base = ValueOf(base);
  result.region = Region{to_span.at, to_span.bytes, {}};
  result.cover = Cover::kPart;
  Add(op, [name = OpName("collective", op.offset), from = ValueOf(source), from_span, result](GraphBuilder& b) {
    b.Compute(name, {.reads = {Operand(from, Region{from_span.at, from_span.bytes, {}})}, .writes = {result}});
  });
}

// %r = stream.tensor.import [consume] %buffer : ... in type{%n}; stream.tensor.export %r : ... in type{%n} -> ...
void IreeLowering::LowerImport(const IreeOp& op) {
  if (!HasOperands(op, 1)) return;
  if (op.name == "stream.tensor.export") {
    const size_t resource = Use(op, op.operands[0].value, &op.operand_types[0]);
    if (!ok()) return;
    outputs_.push_back(resource);
    std::vector<IreeBinding> bindings(1);
    return DefineResults(op, std::move(bindings));
  }
  Resource resource;
  resource.name = UniqueName(std::string(op.operands[0].value.name), op.offset);
  resource.role = Role::kExternal;
  resource.options.writable = op.literal == "consume";
  resource.options.space = SpaceOf(op.result_types[0]);
  resource.offset = op.offset;
  const Expr bytes = BytesOf(op, op.result_types[0]);
  const size_t number = AddResource(std::move(resource));
  SetBytes(op, number, bytes);
  DefineAlias(op, number);
}

// %n = stream.resource.size %r : type
void IreeLowering::LowerResourceSize(const IreeOp& op) {
  if (!HasOperands(op, 1)) return;
  const size_t number = ResourceOf(op, op.operands[0].value);
  if (!ok()) return;
  std::vector<IreeBinding> bindings(1);
  const absl::string_view name = op.results.empty() ? "" : op.results[0].name;
  bindings[0].scalar = resources_[number].value.has_value()
                           ? IreeScalar{SizeOf(number), {}, ""}
                           : Outside(absl::StrCat(resources_[number].name, ".size"), name);
  DefineResults(op, std::move(bindings));
}

}  // namespace bufplan
