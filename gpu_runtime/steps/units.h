// What executes, on which stream, and who waits for whom.
//
// A unit is an op, or a group of ops that the plan fuses; it runs on its stream in the order of `enqueue_order`. Across
// streams units wait for each other where the graph's uses and order edges and the plan's added edges say so; a wait
// that others imply is left out:
//
//   stream 0   a ─── b ─── c         uses a -> d, b -> d:   d waits for b alone
//                     ╲
//   stream 1           d
//
// ERRORS: FailedPrecondition: an op in two fused groups, or units that wait for each other in a circle; names them.
// InvalidArgument: a plan of another shape. COST: O(ops + uses) and one happens-before relation.
#ifndef BUFPLAN_GPU_RUNTIME_STEPS_UNITS_H_
#define BUFPLAN_GPU_RUNTIME_STEPS_UNITS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "ir/happens_before.h"
#include "ir/plan.h"

namespace bufplan::runtime {

struct Unit {
  std::vector<OpId> ops;           // ascending
  std::optional<FusionId> fusion;  // absent: a lone op
  int32_t stream = 0;
  std::vector<int32_t> waits_for;  // units of other streams
};

struct Units {
  std::vector<Unit> units;             // in list order, groups at their place
  std::vector<int32_t> unit_of;        // by OpId
  std::vector<bool> elided;            // by OpId: a data movement that the plan marks so; nothing executes
  std::vector<int32_t> enqueue_order;  // each unit after all that it comes after
  HappensBefore order;                 // of units
  int32_t num_streams = 1;

  // Whether an op of the unit writes the value.
  bool Makes(const Graph& graph, int32_t unit, ValueId v) const {
    const std::optional<OpId> producer = graph.producer(v);
    return producer.has_value() && unit_of[producer->index()] == unit;
  }
};

absl::StatusOr<Units> PlannedUnits(const Graph& graph, const Plan& plan);

// Every op by itself, in list order, on one stream.
absl::StatusOr<Units> ReferenceUnits(const Graph& graph);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_STEPS_UNITS_H_
