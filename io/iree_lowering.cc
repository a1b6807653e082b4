#include "io/iree_lowering.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "io/iree_parser.h"
#include "io/json_text.h"
#include "ir/where.h"

namespace bufplan {
namespace {

std::string NameOf(absl::string_view symbol) {
  absl::ConsumePrefix(&symbol, "@");
  return std::string(symbol.substr(0, ValidUtf8Prefix(symbol)));
}

bool IsReturn(const IreeOp& op) { return op.name == "util.return" || op.name == "func.return" || op.name == "return"; }

}  // namespace

IreeLowering::IreeLowering(const IreeText& text, const IreeModule& module, const IreeFunction& function,
                           const SymbolOverrides& overrides)
    : text_(text),
      module_(module),
      function_(function),
      overrides_(overrides),
      b_(NameOf(function.name)),
      kernels_(text, module) {}

// Arguments, globals, spaces.
absl::Status IreeLowering::Prepare() {
  Space space;
  space.alignment_bytes = module_.offset_alignment_bytes.value_or(64);
  b_.AddSpace("device", space);
  b_.SetAttrs(absl::StrCat("{\"source\": \"iree\", \"function\": ", JsonString(function_.name), "}"));
  for (const IreeGlobal& global : module_.globals) {
    global_numbers_.emplace(global.name, globals_.size());
    globals_.emplace_back().declaration = &global;
  }
  for (const IreeFunction& f : module_.functions) {
    if (f.over_resources) calls_over_resources_.insert(f.name);
  }
  const absl::StatusOr<IreeSignature> signature = ParseIreeSignature(text_, module_, function_);
  if (!signature.ok()) return signature.status();
  absl::flat_hash_map<absl::string_view, size_t> arguments;
  for (const IreeCapture& argument : signature->arguments) {
    IreeBinding binding;
    if (IsResourceType(argument.type)) {
      Resource resource;
      resource.name = UniqueName(std::string(argument.name), argument.value.offset);
      resource.role = argument.type.text == "!stream.resource<constant>" ? Role::kConstant : Role::kExternal;
      resource.options.space = SpaceOf(argument.type);
      resource.offset = argument.value.offset;
      binding.resource = AddResource(std::move(resource));
      arguments[argument.name] = *binding.resource;
    } else {
      binding.scalar = Outside(argument.name, argument.name);
    }
    Define(argument.name, argument.value.offset, {std::move(binding)});
  }
  for (const IreeType& type : signature->results) {
    const auto argument = type.tied.has_value() ? arguments.find(type.tied->name) : arguments.end();
    std::optional<size_t>& tied = result_arguments_.emplace_back();
    if (argument == arguments.end()) continue;
    tied = argument->second;
    resources_[*tied].role = Role::kExternal;
    resources_[*tied].options.writable = true;
  }
  return status_;
}

absl::StatusOr<IreeImport> IreeLowering::Run() && {
  const absl::StatusOr<std::vector<IreeOp>> ops = ParseIreeBody(text_, module_, *function_.body);
  if (!ops.ok()) return ops.status();
  CollectAssumptions(*ops);
  if (absl::Status s = Prepare(); !s.ok()) return s;
  LowerFunction(*ops);
  if (!ok()) return status_;
  return Finish();
}

// An assumption holds wherever the value is used: otherwise the program says nothing.
void IreeLowering::CollectAssumptions(const std::vector<IreeOp>& ops) {
  for (const IreeOp& op : ops) {
    for (size_t i = 0; i < op.assumed.size(); ++i) {
      if (!op.assumed[i].has_value() || op.operands[i].value.index != 0) continue;
      const auto [known, is_new] = assumed_.try_emplace(op.operands[i].value.name, *op.assumed[i]);
      IreeInterval& range = known->second;
      const IreeInterval both{std::max(range.min, op.assumed[i]->min), std::min(range.max, op.assumed[i]->max)};
      if (both.min <= both.max) range = both;
    }
  }
}

void IreeLowering::LowerFunction(const std::vector<IreeOp>& ops) {
  Lower(ops);
  if (!ok() || (!ops.empty() && (IsReturn(ops.back()) || ops.back().name == "util.unreachable"))) return;
  Fail(text_.tokens()[function_.body->end].begin,
       absl::StrCat("function ", function_.name, " ends without util.return"));
}

void IreeLowering::Lower(const std::vector<IreeOp>& ops) {
  for (size_t i = 0; i < ops.size() && ok(); ++i) {
    LowerOp(ops[i]);
    const bool ends = IsReturn(ops[i]) || ops[i].name == "stream.yield";
    if (ends && i + 1 < ops.size())
      Fail(ops[i + 1], absl::StrCat("stands behind ", ops[i].name, ", which ends the block"));
  }
}

void IreeLowering::LowerOp(const IreeOp& op) {
  if (!op.affinity.empty()) affinities_.insert(op.affinity);
  if (!op.known) return LowerUnknown(op);
  const absl::string_view name = op.name;
  if (name == "stream.async.execute" || name == "stream.async.concurrent") return LowerRegion(op);
  if (name == "stream.async.dispatch" || name == "stream.async.call") return LowerDispatch(op);
  if (name == "util.global.load") return LowerGlobalLoad(op);
  if (name == "util.global.store") return LowerGlobalStore(op);
  if (name == "stream.yield") {
    yielded_.clear();
    for (const IreeOperand& o : op.operands) {
      const IreeBinding* const binding = scope_.Find(o.value);
      if (binding == nullptr) {
        return Fail(o.value.offset, absl::StrCat(op.name, ": ", o.value.name, " is not defined here"));
      }
      yielded_.push_back(*binding);
    }
    return;
  }
  if (IsReturn(op)) return LowerReturn(op);
  if (name == "util.assume.int") return LowerAssume(op);
  if (!LowerMovement(op)) LowerScalar(op);
}

void IreeLowering::LowerScalar(const IreeOp& op) {
  std::vector<IreeScalar> operands;
  for (const IreeOperand& o : op.operands) operands.push_back(ScalarOf(o.value));
  std::vector<IreeBinding> bindings(1);
  IreeScalar& result = bindings[0].scalar;
  result = EvaluateIreeOp(text_, module_, op, operands, symbols_);
  const auto is_unknown = [](const IreeScalar& s) { return !s.why.empty(); };
  if (is_unknown(result) && op.results.size() == 1 && std::none_of(operands.begin(), operands.end(), is_unknown)) {
    // It can be given like what comes from outside.
    IreeScalar outside = Outside(op.results[0].name, op.results[0].name);
    if (outside.known()) {
      result = std::move(outside);
    } else {
      absl::StrAppend(&result.why, "; --symbols '", outside.unranged[0], "=MIN..MAX' makes it a symbol");
    }
  }
  DefineResults(op, std::move(bindings));
}

// The results are the operands; what is assumed of them they have been given already.
void IreeLowering::LowerAssume(const IreeOp& op) {
  std::vector<IreeBinding> bindings;
  for (const IreeOperand& o : op.operands) {
    const IreeBinding* const binding = scope_.Find(o.value);
    if (binding == nullptr) {
      return Fail(o.value.offset, absl::StrCat(op.name, ": ", o.value.name, " is not defined here"));
    }
    bindings.push_back(*binding);
  }
  DefineResults(op, std::move(bindings));
}

void IreeLowering::LowerUnknown(const IreeOp& op) {
  if (absl::StartsWith(op.name, "^")) return Fail(op, "only functions of one block are read");
  const auto is_resource = [&](const IreeOperand& o) {
    const IreeBinding* const binding = scope_.Find(o.value);
    return binding != nullptr && binding->resource.has_value();
  };
  const auto used = std::find_if(op.operands.begin(), op.operands.end(), is_resource);
  if (used != op.operands.end() || op.mentions_resource) {
    return Fail(op, absl::StrCat("this op is not known, but ",
                                 used != op.operands.end() ? absl::StrCat("uses the resource ", used->value.name)
                                                           : "has a resource among its types",
                                 absl::StartsWith(op.name, "\"") ? "; MLIR's generic form is not read" : ""));
  }
  const bool call = op.name == "util.call" || op.name == "func.call" || op.name == "call";
  if (call && !op.symbols.empty() && calls_over_resources_.contains(op.symbols[0])) {
    return Fail(op, absl::StrCat(op.symbols[0], " works on resources; calls are not followed"));
  }
  for (const IreeResult& result : op.results) {
    std::vector<IreeBinding> bindings;
    for (uint32_t i = 0; i < result.count; ++i) {
      const std::string name = result.count == 1 ? std::string(result.name) : absl::StrCat(result.name, "#", i);
      bindings.emplace_back().scalar = Outside(name, name);
    }
    Define(result.name, result.offset, std::move(bindings));
  }
}

void IreeLowering::LowerRegion(const IreeOp& op) {
  std::vector<IreeBinding> captured;
  for (const IreeCapture& c : op.captures) {
    const IreeBinding* const binding = scope_.Find(c.value);
    if (binding == nullptr) {
      return Fail(c.value.offset, absl::StrCat(op.name, ": ", c.value.name, " is not defined here"));
    }
    captured.push_back(*binding);
    if (binding->resource.has_value()) Use(op, c.value, &c.type);
  }
  scope_.Open();
  for (size_t i = 0; i < captured.size(); ++i) Define(op.captures[i].name, op.captures[i].value.offset, {captured[i]});
  yielded_.clear();
  Lower(op.body);
  scope_.Close();
  std::vector<IreeBinding> results = std::move(yielded_);
  yielded_.clear();
  if (!ok()) return;
  if (results.size() != op.result_types.size()) {
    return Fail(op, absl::StrCat("has ", op.result_types.size(), " result types, its region yields ", results.size(),
                                 " values"));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].resource.has_value() || op.result_types[i].sizes.size() != 1) continue;
    SetBytes(op, *results[i].resource, NumberOf(op, op.result_types[i].sizes[0]));
  }
  if (op.name == "stream.async.execute") results.emplace_back();  // The timepoint.
  DefineResults(op, std::move(results));
}

void IreeLowering::LowerReturn(const IreeOp& op) {
  for (size_t i = 0; i < op.operands.size() && ok(); ++i) {
    const IreeOperand& o = op.operands[i];
    const IreeBinding* const binding = scope_.Find(o.value);
    if (binding == nullptr) {
      return Fail(o.value.offset, absl::StrCat(op.name, ": ", o.value.name, " is not defined here"));
    }
    if (!binding->resource.has_value()) continue;
    const size_t resource = *binding->resource;
    const std::optional<size_t> argument = i < result_arguments_.size() ? result_arguments_[i] : std::nullopt;
    if (argument == std::optional(resource)) continue;
    Use(op, o.value, nullptr);
    if (!argument.has_value()) {
      outputs_.push_back(resource);
      continue;
    }
    SetBytes(op, *argument, SizeOf(resource));
    returns_.push_back({resource, *argument, pending_.size(),
                        OpName(absl::StrCat("commit", resources_[*argument].name), op.offset), op.offset});
  }
}

IreeLowering::Global* IreeLowering::GlobalOf(const IreeOp& op) {
  const auto found = global_numbers_.find(op.symbols[0]);
  if (found != global_numbers_.end()) return &globals_[found->second];
  Fail(op, absl::StrCat(op.symbols[0], " is not declared"));
  return nullptr;
}

std::optional<size_t> IreeLowering::RootOf(Global& global, absl::string_view type) {
  if (global.root.has_value()) return global.root;
  Resource resource;
  resource.name = UniqueName(std::string(global.declaration->name), global.declaration->offset);
  resource.role = global.declaration->is_mutable ? Role::kVariable : Role::kConstant;
  IreeType as_type;
  as_type.text = type;
  resource.options.space = SpaceOf(as_type);
  resource.offset = global.declaration->offset;
  global.root = AddResource(std::move(resource));
  return global.root;
}

void IreeLowering::LowerGlobalLoad(const IreeOp& op) {
  Global* const global = GlobalOf(op);
  if (global == nullptr) return;
  std::vector<IreeBinding> bindings(1);
  const IreeGlobal& declaration = *global->declaration;
  int64_t number = 0;
  if (IsResourceType(op.result_types[0])) {
    bindings[0].resource = global->stored.has_value() ? global->stored : RootOf(*global, op.result_types[0].text);
  } else if (global->scalar.has_value()) {
    bindings[0].scalar = *global->scalar;
  } else if (!declaration.is_mutable && IsIreeInteger(declaration.type) &&
             absl::SimpleAtoi(declaration.init, &number)) {
    bindings[0].scalar = {number, {}, ""};
  } else {
    global->scalar = bindings[0].scalar = Outside(declaration.name, op.results.empty() ? "" : op.results[0].name);
  }
  DefineResults(op, std::move(bindings));
}

void IreeLowering::LowerGlobalStore(const IreeOp& op) {
  Global* const global = GlobalOf(op);
  if (global == nullptr) return;
  const IreeBinding* const binding = scope_.Find(op.operands[0].value);
  if (binding == nullptr) {
    return Fail(op.operands[0].value.offset,
                absl::StrCat(op.name, ": ", op.operands[0].value.name, " is not defined here"));
  }
  if (!binding->resource.has_value()) {
    global->scalar = binding->scalar;
    return;
  }
  if (!global->declaration->is_mutable) return Fail(op, absl::StrCat(op.symbols[0], " is not mutable"));
  // To put back what is there needs no size.
  const std::optional<size_t> root = RootOf(*global, op.operand_types[0].text);
  const size_t resource = *binding->resource;
  if (root != std::optional(resource)) {
    Use(op, op.operands[0].value, nullptr);
    SetBytes(op, *root, SizeOf(resource));
  }
  global->stored = resource;
  global->position = pending_.size();
  global->offset = op.offset;
}

std::vector<IreeLowering::FinalMove> IreeLowering::FinalMoves() {
  std::vector<FinalMove> moves = returns_;
  for (const Global& global : globals_) {
    if (!global.stored.has_value() || global.stored == global.root) continue;
    moves.push_back({*global.stored, *global.root, global.position,
                     OpName(absl::StrCat("commit", global.declaration->name), global.offset), global.offset});
  }
  std::stable_sort(moves.begin(), moves.end(),
                   [](const FinalMove& a, const FinalMove& b) { return a.offset < b.offset; });
  return moves;
}

// What is overwritten by one of the moves, but needed by another one or as an output.
void IreeLowering::CloneOldContents(std::vector<FinalMove>& moves) {
  absl::flat_hash_map<size_t, size_t> clones;  // by target: its clone, or itself
  for (const FinalMove& move : moves) clones[move.to] = move.to;
  const auto preserved = [&](size_t from, uint32_t offset) {
    const auto target = clones.find(from);
    if (target == clones.end()) return from;
    if (target->second != from) return target->second;
    Resource clone;
    clone.name = UniqueName(absl::StrCat("old ", resources_[from].name), offset);
    clone.bytes = SizeOf(from);
    ValueOptions options;
    options.space = resources_[from].options.space;
    clone.value = b_.AddValue(clone.name, clone.bytes, Role::kTransient, options);
    value_offsets_.push_back(offset);
    const ValueId of = ValueOf(from), to = *clone.value;
    pending_.push_back({[name = OpName(absl::StrCat("clone", resources_[from].name), offset), of, to](GraphBuilder& b) {
                          b.Clone(name, of, to);
                        },
                        offset});
    resources_[from].last_use = pending_.size();
    return target->second = AddResource(std::move(clone));
  };
  for (FinalMove& move : moves) {
    const size_t from = std::exchange(move.from, preserved(move.from, move.offset));
    move.at_end = move.from != from;
  }
  for (size_t& output : outputs_) output = preserved(output, resources_[output].offset);
  for (FinalMove& move : moves) {
    const std::optional<size_t> last_use = resources_[move.to].last_use;
    if (move.at_end || (last_use.has_value() && *last_use >= move.position)) move.position = pending_.size();
  }
}

absl::StatusOr<IreeImport> IreeLowering::Finish() {
  for (const SymbolOverride& o : overrides_) {
    if (!outside_names_.Has(o.name)) {
      const auto name = [](std::string* out, const Symbol& s) { absl::StrAppend(out, Quoted(s.name)); };
      return text_.Fault(
          function_.offset,
          absl::StrCat("symbol ", Quoted(o.name), ": nothing of that name comes from outside into ", function_.name,
                       symbols_.empty() ? "" : "; it has ", absl::StrJoin(symbols_, ", ", name)));
    }
  }
  std::vector<FinalMove> moves = FinalMoves();
  CloneOldContents(moves);
  std::stable_sort(moves.begin(), moves.end(),
                   [](const FinalMove& a, const FinalMove& b) { return a.position < b.position; });
  size_t next = 0;
  for (size_t i = 0; i <= pending_.size(); ++i) {
    for (; next < moves.size() && moves[next].position == i; ++next) {
      b_.Commit(moves[next].name, ValueOf(moves[next].from), ValueOf(moves[next].to));
      op_offsets_.push_back(moves[next].offset);
    }
    if (i == pending_.size()) break;
    pending_[i].add(b_);
    op_offsets_.push_back(pending_[i].offset);
  }
  absl::flat_hash_set<size_t> seen;
  for (size_t output : outputs_) {
    if (seen.insert(output).second) b_.Output(ValueOf(output));
  }
  if (affinities_.size() > 1) {
    Warn(function_.offset, absl::StrCat(function_.name, " runs on ", affinities_.size(),
                                        " affinities; all are planned as one stream and one memory"));
  }
  absl::StatusOr<Graph> graph = std::move(b_).Build();
  if (!graph.ok()) return AtItsPlace(graph.status());
  if (warnings_left_out_ > 0) warnings_.push_back(absl::StrCat("and ", warnings_left_out_, " warnings more"));
  return IreeImport{*std::move(graph), std::move(warnings_)};
}

// A fault of the graph, at the op or value of the text.
absl::Status IreeLowering::AtItsPlace(const absl::Status& status) const {
  const std::string where = FaultPlace(status);
  for (const auto& [prefix, offsets] : {std::pair{"/ops/", &op_offsets_}, std::pair{"/values/", &value_offsets_}}) {
    absl::string_view rest = where;
    if (!absl::ConsumePrefix(&rest, prefix)) continue;
    size_t number = 0;
    if (absl::SimpleAtoi(rest.substr(0, rest.find('/')), &number) && number < offsets->size()) {
      return text_.Fault((*offsets)[number], status.message());
    }
  }
  return absl::InvalidArgumentError(status.message());
}

}  // namespace bufplan
