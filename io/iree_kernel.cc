#include "io/iree_kernel.h"

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "io/iree_parser.h"
#include "ir/expr_proof.h"
#include "ir/region.h"

namespace bufplan {
namespace {

constexpr size_t kMaxOps = 256;
constexpr size_t kMaxRank = 16;

bool IsLoad(const IreeOp& op) { return absl::EndsWith(op.name, ".dispatch.tensor.load"); }
bool IsStore(const IreeOp& op) { return absl::EndsWith(op.name, ".dispatch.tensor.store"); }

// "!flow.dispatch.tensor<readonly:tensor<4x?xf32>>" taken apart.
struct BindingType {
  IreeAccess access = IreeAccess::kUnknown;
  absl::string_view tensor;                     // "tensor<4x?xf32>"
  std::vector<std::optional<int64_t>> extents;  // absent: given beside the type
  int64_t element_bytes = 0;                    // 0: the layout is not known
};

void ReadShape(absl::string_view shape, BindingType& type) {
  if (absl::ConsumePrefix(&shape, "tensor<")) absl::ConsumeSuffix(&shape, ">");
  while (type.extents.size() < kMaxRank) {
    const size_t x = shape.find('x');
    const absl::string_view extent = shape.substr(0, x);
    int64_t number = 0;
    if (x == absl::string_view::npos || (extent != "?" && (!absl::SimpleAtoi(extent, &number) || number < 0))) break;
    type.extents.push_back(extent == "?" ? std::nullopt : std::optional<int64_t>(number));
    shape.remove_prefix(x + 1);
  }
  type.element_bytes = IreeElementBytes(shape);  // 0 for what has an encoding.
}

BindingType ReadBindingType(absl::string_view text) {
  BindingType type;
  if (!absl::ConsumePrefix(&text, "!flow.dispatch.tensor<") &&
      !absl::ConsumePrefix(&text, "!iree_tensor_ext.dispatch.tensor<")) {
    return type;
  }
  absl::ConsumeSuffix(&text, ">");
  constexpr std::pair<absl::string_view, IreeAccess> kAccesses[] = {{"readonly:", IreeAccess::kReadOnly},
                                                                    {"writeonly:", IreeAccess::kWriteOnly},
                                                                    {"readwrite:", IreeAccess::kReadWrite}};
  for (const auto& [word, access] : kAccesses) {
    if (!absl::ConsumePrefix(&text, word)) continue;
    type.access = access;
    type.tensor = text;
    ReadShape(text, type);
  }
  return type;
}

// A binding as a tensor, at one use of the kernel.
struct Subspan {
  size_t argument = 0;
  Expr at;
  std::vector<Expr> extents;
  int64_t element_bytes = 0;
  absl::string_view type_text;
};

// Boxes of a tensor in row-major order as a region; runs that follow each other are one.
std::optional<Region> RegionOf(const Subspan& tensor, const std::vector<std::vector<Expr>>& lists) {
  const size_t rank = tensor.extents.size();
  Region region{tensor.at, tensor.element_bytes, {}};
  Expr pitch = tensor.element_bytes;
  for (size_t i = rank; i-- > 0;) {
    const Expr &offset = lists[0][i], &size = lists[1][i];
    const Expr stride = lists[2][i] * pitch;
    region.at += offset * pitch;
    if (region.dims.empty() && stride == region.run_bytes) {
      region.run_bytes *= size;
    } else if (!(size == Expr(1))) {
      region.dims.insert(region.dims.begin(), Dim{size, stride});
    }
    pitch *= tensor.extents[i];
  }
  bool valid = region.at.valid() && region.run_bytes.valid();
  for (const Dim& d : region.dims) valid = valid && d.count.valid() && d.stride_bytes.valid();
  if (!valid) return std::nullopt;
  return region;
}

// Goes through a kernel's ops at one use of it.
class KernelRun {
 public:
  KernelRun(const IreeText& text, const IreeModule& module, absl::Span<const Symbol> symbols, IreeKernelUse& use)
      : text_(text), module_(module), symbols_(symbols), use_(use) {}

  void Bind(absl::string_view name, size_t argument, const IreeScalar* scalar) {
    arguments_[name] = argument;
    if (scalar != nullptr) scalars_[name] = *scalar;
  }
  void Run(const IreeOp& op);
  // Whether the one load is what the one store stores.
  bool MovesOnly() const {
    return use_.touches.size() == 2 && loads_ == 1 && stores_ == 1 && !loaded_.empty() && stored_ == loaded_ &&
           load_element_bytes_ == store_element_bytes_;
  }

 private:
  IreeScalar ScalarOf(const IreeRef& ref) const {
    const auto found = scalars_.find(ref.name);
    return found == scalars_.end() || ref.index != 0 ? IreeScalar::Unknown(ref.name) : found->second;
  }
  void RunSubspan(const IreeOp& op);
  void RunAccess(const IreeOp& op);

  const IreeText& text_;
  const IreeModule& module_;
  absl::Span<const Symbol> symbols_;
  IreeKernelUse& use_;
  absl::flat_hash_map<absl::string_view, size_t> arguments_;
  absl::flat_hash_map<absl::string_view, IreeScalar> scalars_;
  absl::flat_hash_map<absl::string_view, Subspan> subspans_;
  absl::string_view loaded_, stored_;
  int loads_ = 0, stores_ = 0;
  int64_t load_element_bytes_ = 0, store_element_bytes_ = 0;
};

void KernelRun::Run(const IreeOp& op) {
  if (op.name == "stream.binding.subspan") return RunSubspan(op);
  if (IsLoad(op) || IsStore(op)) return RunAccess(op);
  if (op.results.size() != 1 || op.results[0].count != 1) return;
  std::vector<IreeScalar> operands;
  for (const IreeOperand& o : op.operands) operands.push_back(ScalarOf(o.value));
  scalars_[op.results[0].name] = EvaluateIreeOp(text_, module_, op, operands, symbols_);
}

void KernelRun::RunSubspan(const IreeOp& op) {
  if (op.operands.size() != 1 || !op.operands[0].range.has_value() || op.result_types.size() != 1) return;
  const auto argument = arguments_.find(op.operands[0].value.name);
  const IreeScalar at = ScalarOf(op.operands[0].range->begin);
  const BindingType type = ReadBindingType(op.result_types[0].text);
  if (argument == arguments_.end() || op.results.size() != 1 || !at.known() || type.element_bytes == 0) return;
  Subspan subspan{argument->second, at.value, {}, type.element_bytes, type.tensor};
  size_t next = 0;
  for (const std::optional<int64_t>& extent : type.extents) {
    if (extent.has_value()) {
      subspan.extents.push_back(*extent);
      continue;
    }
    if (next >= op.result_types[0].sizes.size()) return;
    const IreeScalar size = ScalarOf(op.result_types[0].sizes[next++]);
    if (!size.known()) return;
    subspan.extents.push_back(size.value);
  }
  subspans_[op.results[0].name] = std::move(subspan);
}

void KernelRun::RunAccess(const IreeOp& op) {
  (IsLoad(op) ? loads_ : stores_) += 1;
  if (op.operands.size() != (IsLoad(op) ? 1u : 2u)) return;
  const auto found = subspans_.find(op.operands.back().value.name);
  if (found == subspans_.end()) return;
  const Subspan& tensor = found->second;
  std::vector<std::vector<Expr>> lists;
  for (const std::vector<IreeIndex>& list : op.lists) {
    if (list.size() != tensor.extents.size()) return;
    std::vector<Expr>& values = lists.emplace_back();
    for (const IreeIndex& index : list) {
      const IreeScalar scalar = index.value.has_value() ? ScalarOf(*index.value) : IreeScalar{index.number, {}, ""};
      if (!scalar.known() || !ProveNonNegative(scalar.value, symbols_)) return;
      values.push_back(scalar.value);
    }
  }
  std::optional<Region> region = RegionOf(tensor, lists);
  if (!region.has_value()) return;
  if (IsLoad(op) && op.results.size() == 1) {
    loaded_ = op.results[0].name;
    load_element_bytes_ = tensor.element_bytes;
  } else if (IsStore(op)) {
    stored_ = op.operands[0].value.name;
    store_element_bytes_ = tensor.element_bytes;
  }
  use_.touches.push_back({tensor.argument, *std::move(region), tensor.type_text});
}

}  // namespace

struct IreeKernels::Kernel {
  std::vector<absl::string_view> arguments;
  std::vector<IreeAccess> access;
  std::vector<IreeOp> ops;  // what KernelRun knows
  bool only_known = true;   // these are all
};

struct IreeKernels::Executable {
  IreeModule module;
  absl::flat_hash_map<absl::string_view, size_t> functions;
  absl::flat_hash_map<absl::string_view, std::unique_ptr<Kernel>> kernels;  // null: opaque
};

IreeKernels::IreeKernels(const IreeText& text, const IreeModule& module) : text_(text), module_(module) {}
IreeKernels::~IreeKernels() = default;

IreeKernels::Executable& IreeKernels::ExecutableOf(absl::string_view name) {
  std::unique_ptr<Executable>& executable = executables_[name];
  if (executable != nullptr) return *executable;
  executable = std::make_unique<Executable>();
  const auto found = module_.executables.find(name);
  if (found == module_.executables.end() || found->second.empty()) return *executable;
  absl::StatusOr<IreeModule> module = ParseIreeModule(text_, found->second);
  if (!module.ok()) return *executable;
  executable->module = *std::move(module);
  for (size_t i = 0; i < executable->module.functions.size(); ++i) {
    executable->functions.emplace(executable->module.functions[i].name, i);
  }
  return *executable;
}

std::unique_ptr<IreeKernels::Kernel> IreeKernels::Digest(const IreeFunction& function) const {
  if (!function.body.has_value() || function.body->empty()) return nullptr;
  const absl::StatusOr<IreeSignature> signature = ParseIreeSignature(text_, module_, function);
  if (!signature.ok()) return nullptr;
  absl::StatusOr<std::vector<IreeOp>> ops = ParseIreeBody(text_, module_, *function.body);
  if (!ops.ok()) return nullptr;
  auto kernel = std::make_unique<Kernel>();
  absl::flat_hash_map<absl::string_view, size_t> by_name;
  for (const IreeCapture& argument : signature->arguments) {
    by_name[argument.name] = kernel->arguments.size();
    kernel->arguments.push_back(argument.name);
  }
  kernel->access.resize(kernel->arguments.size());
  // Twice differently, or in a way that is not understood: anything.
  const auto note_access = [&](const IreeRef& ref, IreeAccess access) {
    const auto argument = by_name.find(ref.name);
    if (argument == by_name.end()) return;
    IreeAccess& known = kernel->access[argument->second];
    if (access == IreeAccess::kUnknown) access = IreeAccess::kReadWrite;
    known = known == IreeAccess::kUnknown || known == access ? access : IreeAccess::kReadWrite;
  };
  for (IreeOp& op : *ops) {
    if (op.name == "return" || op.name == "func.return" || op.name == "util.return") continue;
    const bool pure = absl::StartsWith(op.name, "arith.") || absl::StartsWith(op.name, "affine.") ||
                      absl::EndsWith(op.name, ".dispatch.workload.ordinal");
    const bool subspan = op.name == "stream.binding.subspan";
    if (!op.known || !(pure || subspan || IsLoad(op) || IsStore(op))) {
      kernel->only_known = false;
      for (const IreeOperand& o : op.operands) note_access(o.value, IreeAccess::kUnknown);
      continue;
    }
    if (subspan && op.operands.size() == 1 && !op.result_types.empty()) {
      note_access(op.operands[0].value, ReadBindingType(op.result_types[0].text).access);
    }
    kernel->ops.push_back(std::move(op));
  }
  if (kernel->ops.size() > kMaxOps) {
    kernel->ops.clear();
    kernel->only_known = false;
  }
  return kernel;
}

const IreeKernelUse* IreeKernels::Use(absl::string_view executable, absl::string_view entry,
                                      absl::Span<const IreeScalar> arguments, absl::Span<const Symbol> symbols) {
  Executable& in = ExecutableOf(executable);
  const auto function = in.functions.find(entry);
  if (function == in.functions.end()) return nullptr;
  const auto [place, is_new] = in.kernels.try_emplace(entry, nullptr);
  if (is_new) place->second = Digest(in.module.functions[function->second]);
  const Kernel* const kernel = place->second.get();
  if (kernel == nullptr || kernel->arguments.size() < arguments.size()) return nullptr;
  use_ = IreeKernelUse();
  use_.access = kernel->access;
  KernelRun run(text_, module_, symbols, use_);
  for (size_t i = 0; i < kernel->arguments.size(); ++i) {
    run.Bind(kernel->arguments[i], i, i < arguments.size() ? &arguments[i] : nullptr);
  }
  for (const IreeOp& op : kernel->ops) run.Run(op);
  use_.is_move = kernel->only_known && run.MovesOnly();
  return &use_;
}

}  // namespace bufplan
