// Lowers one function of IREE's stream dialect into a Graph; io/iree_graph.h is its front.
//
// Ops are collected first and given to a GraphBuilder at the end: the commit of a global stands where its last store
// does, unless the global's old content is used behind that; then it stands at the end. Where a commit or an output
// needs the old content of another committed global, that content is cloned before the commits.
//
// The first error stops everything; functions then return what does no harm.
#ifndef BUFPLAN_IO_IREE_LOWERING_H_
#define BUFPLAN_IO_IREE_LOWERING_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "io/iree_ast.h"
#include "io/iree_graph.h"
#include "io/iree_kernel.h"
#include "io/iree_lexer.h"
#include "io/iree_scalar.h"
#include "io/iree_scope.h"
#include "ir/expr.h"
#include "ir/graph.h"
#include "ir/graph_builder.h"
#include "ir/id.h"

namespace bufplan {

class IreeLowering {
 public:
  // All must outlive it.
  IreeLowering(const IreeText& text, const IreeModule& module, const IreeFunction& function,
               const SymbolOverrides& overrides);

  absl::StatusOr<IreeImport> Run() &&;

 private:
  // A blob that names stand for. What is there at the start becomes a value when its size is known.
  struct Resource {
    std::string name;
    Role role = Role::kTransient;
    ValueOptions options;
    std::optional<ValueId> value;
    Expr bytes;  // once there is a value
    uint32_t offset = 0;
    std::optional<size_t> last_use;  // at the start: position in pending_
  };
  struct Global {
    const IreeGlobal* declaration = nullptr;
    std::optional<size_t> root;    // the resource that is there at the start
    std::optional<size_t> stored;  // what was stored last
    size_t position = 0;           // of the last store, in pending_
    uint32_t offset = 0;           // of the last store
    std::optional<IreeScalar> scalar;
  };
  struct Pending {
    std::function<void(GraphBuilder&)> add;
    uint32_t offset = 0;
  };
  // To be done at the end: `to` holds what `from` is.
  struct FinalMove {
    size_t from = 0, to = 0;
    size_t position = 0;
    std::string name;
    uint32_t offset = 0;
    bool at_end = false;
  };
  struct Span {
    Expr at, bytes;
  };
  // An operand of a dispatch that is a resource.
  struct Binding {
    size_t resource = 0;
    Span span;
  };

  // iree_lowering.cc: the function as a whole.
  absl::Status Prepare();
  void CollectAssumptions(const std::vector<IreeOp>& ops);
  void LowerFunction(const std::vector<IreeOp>& ops);
  void Lower(const std::vector<IreeOp>& ops);
  void LowerOp(const IreeOp& op);
  void LowerUnknown(const IreeOp& op);
  void LowerScalar(const IreeOp& op);
  void LowerAssume(const IreeOp& op);
  void LowerRegion(const IreeOp& op);
  void LowerReturn(const IreeOp& op);
  void LowerGlobalLoad(const IreeOp& op);
  void LowerGlobalStore(const IreeOp& op);
  Global* GlobalOf(const IreeOp& op);
  std::optional<size_t> RootOf(Global& global, absl::string_view type);
  absl::StatusOr<IreeImport> Finish();
  std::vector<FinalMove> FinalMoves();
  void CloneOldContents(std::vector<FinalMove>& moves);
  absl::Status AtItsPlace(const absl::Status& status) const;

  // iree_lowering_values.cc: names, sizes, values.
  bool ok() const { return status_.ok(); }
  void Fail(uint32_t offset, absl::string_view message);
  void Fail(const IreeOp& op, absl::string_view message);
  void Warn(uint32_t offset, absl::string_view message);
  std::string UniqueName(std::string wish, uint32_t offset);
  // An integer that comes from outside, by the name of what brings it; `value` is the name it has in the function.
  IreeScalar Outside(absl::string_view name, absl::string_view value);
  void Define(absl::string_view name, uint32_t offset, std::vector<IreeBinding> bindings);
  IreeScalar ScalarOf(const IreeRef& ref) const;
  Expr NumberOf(const IreeOp& op, const IreeRef& ref);
  std::string Text(const Expr& e) const { return e.ToString(symbols_); }
  // [at, at + bytes) of [%a to %b for %c]; `bytes_of_point` for [%a].
  Span SpanOf(const IreeOp& op, const IreeOperand& operand, const Expr& bytes_of_point);
  bool IsResourceType(const IreeType& type) const;
  SpaceId SpaceOf(const IreeType& type);
  Expr BytesOf(const IreeOp& op, const IreeType& type);
  size_t AddResource(Resource resource);
  // The resource that a name stands for; 0 and an error if it is none.
  size_t ResourceOf(const IreeOp& op, const IreeRef& ref);
  // The same for an op that reads it: it has a value then. `type` may say its size.
  size_t Use(const IreeOp& op, const IreeRef& ref, const IreeType* type);
  void SetBytes(const IreeOp& op, size_t resource, const Expr& bytes);
  ValueId ValueOf(size_t resource) const { return resources_[resource].value.value_or(ValueId()); }
  const Expr& SizeOf(size_t resource) const { return resources_[resource].bytes; }
  // A new value as the op's only result.
  ValueId AddResult(const IreeOp& op, const Expr& bytes, SpaceId space);
  ValueId NewValue(const IreeOp& op, size_t number, const Expr& bytes, SpaceId space, IreeBinding& binding);
  void DefineResults(const IreeOp& op, std::vector<IreeBinding> bindings);
  void DefineAlias(const IreeOp& op, size_t resource);
  std::string OpName(absl::string_view kind, uint32_t offset);
  void Add(const IreeOp& op, std::function<void(GraphBuilder&)> add);
  bool HasOperands(const IreeOp& op, size_t count);

  // iree_lowering_ops.cc: ops that move bytes.
  bool LowerMovement(const IreeOp& op);
  // The resource that the op's only result replaces, the operand `number`.
  size_t TiedTarget(const IreeOp& op, size_t number);
  void LowerSlice(const IreeOp& op);
  void LowerUpdate(const IreeOp& op);
  void LowerClone(const IreeOp& op);
  void LowerSource(const IreeOp& op);
  void LowerFill(const IreeOp& op);
  void LowerCopy(const IreeOp& op);
  void LowerAlias(const IreeOp& op);
  void LowerLoad(const IreeOp& op);
  void LowerStore(const IreeOp& op);
  void LowerConcat(const IreeOp& op);
  void LowerCollective(const IreeOp& op);
  void LowerImport(const IreeOp& op);
  void LowerResourceSize(const IreeOp& op);

  // iree_lowering_dispatch.cc
  void LowerDispatch(const IreeOp& op);
  std::vector<std::optional<Binding>> ReadBindings(const IreeOp& op);
  // The number of the operand that a result is tied to.
  std::optional<size_t> TiedOperand(const IreeOp& op, const IreeType& type);
  Result ResultOf(const IreeOp& op, size_t number, const std::vector<std::optional<Binding>>& bindings,
                  const std::vector<std::optional<size_t>>& tied, const IreeKernelUse* kernel);
  void WarnOfTouches(const IreeOp& op, const std::vector<std::optional<Binding>>& bindings,
                     const std::vector<std::optional<size_t>>& tied, const IreeKernelUse& kernel);
  // True if the dispatch was lowered as a copy.
  bool LowerMoveKernel(const IreeOp& op, const std::vector<std::optional<Binding>>& bindings,
                       const std::vector<std::optional<size_t>>& tied, const IreeKernelUse& kernel,
                       const std::string& name);

  const IreeText& text_;
  const IreeModule& module_;
  const IreeFunction& function_;
  const SymbolOverrides& overrides_;
  GraphBuilder b_;
  absl::Status status_;
  IreeScope scope_;
  IreeKernels kernels_;
  std::vector<Symbol> symbols_;
  IreeNames outside_names_;                                       // of symbols, with and without ranges
  absl::flat_hash_map<absl::string_view, IreeInterval> assumed_;  // of values that the function itself names
  std::vector<Resource> resources_;
  std::vector<std::optional<size_t>> result_arguments_;  // by result: the argument whose storage it is
  absl::flat_hash_map<absl::string_view, size_t> global_numbers_;
  std::vector<Global> globals_;
  absl::flat_hash_set<absl::string_view> calls_over_resources_;
  std::vector<Pending> pending_;
  std::vector<FinalMove> returns_;
  std::vector<size_t> outputs_;
  std::vector<IreeBinding> yielded_;
  std::optional<SpaceId> staging_;
  IreeNames value_names_, op_names_;
  std::vector<uint32_t> value_offsets_, op_offsets_;
  absl::btree_set<absl::string_view> affinities_;
  std::vector<std::string> warnings_;
  size_t warnings_left_out_ = 0;
};

}  // namespace bufplan

#endif  // BUFPLAN_IO_IREE_LOWERING_H_
