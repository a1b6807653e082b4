// Checks a graph as GraphBuilder collected it and completes what follows from it (sizes at their largest, producers,
// spans, happens-before). Private to GraphBuilder.
//
// ERRORS, COST: see ir/graph_builder.h.
#ifndef BUFPLAN_IR_GRAPH_VALIDATOR_H_
#define BUFPLAN_IR_GRAPH_VALIDATOR_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/concurrent_regions.h"
#include "ir/graph.h"

namespace bufplan {

class GraphValidator {
 public:
  GraphValidator(Graph& graph, const ConcurrentRegions& regions) : g_(graph), regions_(regions) {}
  absl::Status Finish();

 private:
  // graph_validator.cc: names, symbols, spaces, values, constraints.
  void AddDefaults();
  void DropRepeatedFusions();
  absl::Status CheckNames();
  absl::Status ApplyRegions();
  absl::Status CheckSymbols();
  absl::Status CheckSpaces();
  absl::Status CheckValues();
  absl::Status CheckValue(ValueId v);
  absl::Status CheckPin(ValueId v);
  absl::Status CheckSums();
  absl::Status CheckOrder();
  absl::Status CheckKeepAlive();
  absl::Status CheckDisjoint();
  absl::Status CheckNoCommonBytes(absl::string_view where, ValueId a, ValueId b);
  absl::Status CheckOutputs();

  // graph_validator_ops.cc: ops, their regions, and the roles of the values they touch.
  absl::Status CheckOps();
  absl::Status CheckOp(OpId o);
  absl::Status CheckReads(OpId o);
  absl::Status CheckWrites(OpId o);
  absl::Status CheckInPlace(OpId o, const Write& w);
  absl::Status CheckShape(OpId o);  // per kind
  absl::Status CheckParts(OpId o);
  absl::Status CheckPartsDisjoint(OpId o, ValueId result);
  absl::Status CheckCommit(OpId o);
  absl::Status CheckRegion(absl::string_view where, absl::string_view who, ValueId v, RegionId r, ByteRange& span);
  absl::Status CheckAvailable(absl::string_view where, OpId o, ValueId v);

  // graph_validator_fusions.cc
  absl::Status CheckFusions();
  absl::Status CheckFusion(size_t index, absl::Span<const OrderEdge> edges_by_after, std::vector<int64_t>& mark);
  absl::Status PlaceFusion(Fusion& f, absl::string_view where, absl::Span<const OrderEdge> edges_by_after,
                           int64_t group, std::vector<int64_t>& mark);

  bool Known(ValueId v) const { return v.index() < g_.values_.size(); }
  bool Known(OpId o) const { return o.index() < g_.ops_.size(); }
  // `value "x"`, `op "y" (slice)`.
  std::string Text(ValueId v) const;
  std::string Text(OpId o) const;
  std::string Text(const Expr& e) const { return e.ToString(g_.symbols_); }

  Graph& g_;
  const ConcurrentRegions& regions_;
  std::vector<size_t> fusion_place_;         // by fusion, until they are sorted: which of those given it was
  std::optional<OpId> many_reads_of_;        // the last op with many reads,
  absl::flat_hash_set<int32_t> many_reads_;  // and what it reads
};

}  // namespace bufplan

#endif  // BUFPLAN_IR_GRAPH_VALIDATOR_H_
