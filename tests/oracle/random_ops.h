// The first half of RandomGraph: values and ops, into a GraphBuilder, and a record of them for the second half.
#ifndef BUFPLAN_TESTS_ORACLE_RANDOM_OPS_H_
#define BUFPLAN_TESTS_ORACLE_RANDOM_OPS_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "ir/graph.h"
#include "ir/graph_builder.h"
#include "tests/oracle/random.h"
#include "tests/oracle/random_graph_options.h"
#include "tests/oracle/random_shapes.h"

namespace bufplan {

// ValueIds and OpIds index these records.
struct ValueRecord {
  Expr bytes;
  SpaceId space;
  Role role = Role::kTransient;
  int64_t alignment_bytes = 1;
  bool committable = false;   // variables and writable externals
  ValueId root;               // whose bytes a view shows; itself for others
  ValueId lineage;            // where its bases lead to; itself without
  int32_t producer = -1;      // op, or -1
  int32_t committed_by = -1;  // op, or -1
};

struct OpRecord {
  OpKind kind = OpKind::kCompute;
  StreamId stream;
  bool elide_never = false;
  std::vector<ValueId> uses, writes;
};

class RandomOps {
 public:
  RandomOps(const RandomGraphOptions& options, Rng& rng, GraphBuilder& builder);

  // Everything up to the last op.
  void Run();

  const std::deque<ValueRecord>& values() const { return values_; }
  const std::vector<OpRecord>& ops() const { return ops_; }
  // The commit after which the bytes of v are no longer there; -1 if none.
  int32_t GoneAfter(ValueId v) const { return values_[values_[v.index()].root.index()].committed_by; }

 private:
  using Accepts = std::function<bool(ValueId)>;

  void AddSpaces();
  void AddStartValues();
  void AddStartValue(Role role);
  ValueOptions NewOptions(SpaceId space, const Expr& bytes, bool in_arena);
  OpOptions NewOp(OpKind kind);
  // Records a value / the op that was just built.
  void Record(ValueId v, const Expr& bytes, const ValueOptions& options, Role role);
  void RecordOp(OpKind kind, const OpOptions& options, std::vector<ValueId> uses, std::vector<ValueId> writes);

  // A value that is there and accepted, recent ones more often.
  std::optional<ValueId> Pick(const Accepts& accepts);
  std::optional<ValueId> PickAny() {
    return Pick([](ValueId) { return true; });
  }
  // For what will be updated: variables and what became of them more often.
  std::optional<ValueId> PickBase();
  Target NewTarget(SpaceId space, const Expr& bytes);

  void MakeOp();
  void MakeCompute();
  Result MakeResult(const std::vector<Operand>& reads, std::vector<ValueId>& uses);
  void MakeView();
  void MakeSlice();
  void MakeClone();
  void MakeUpdate();
  void MakeConcat();
  void MakeCopy();
  std::vector<CopyPart> MakeParts(SpaceId space, Expr& end, std::vector<ValueId>& uses);
  void MakeInterleave();
  void MakeFill();
  void MakeTransfer();
  void MakeCommit();
  void MakeBarrier();

  const ValueRecord& Of(ValueId v) const { return values_[v.index()]; }
  bool Small(const Expr& bytes) const { return shapes_.MaxOf(bytes) <= RandomShapes::kMaxBytes; }

  const RandomGraphOptions& options_;
  Rng& rng_;
  GraphBuilder& builder_;
  RandomShapes shapes_;
  std::vector<Space> spaces_;
  std::vector<int64_t> next_pin_;
  int num_streams_ = 1;
  StreamId stream_;
  std::deque<ValueRecord> values_;  // references last
  std::vector<OpRecord> ops_;
};

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_ORACLE_RANDOM_OPS_H_
