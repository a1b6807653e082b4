// A plan at given symbol values, as what an executor does with it: units of execution, each with the physical bytes it
// reads and writes.
//
// A unit is an op, or a group of ops that the plan fuses. A physical byte is one number (see places.h). A data movement
// that the plan marks elided is a unit that does nothing.
//
// Derived from graph and plan alone; shares no code with the planner or the checker.
#ifndef BUFPLAN_TESTS_ORACLE_UNITS_H_
#define BUFPLAN_TESTS_ORACLE_UNITS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "tests/oracle/concrete.h"

namespace bufplan {

enum class SampleWhy : uint8_t {
  kOperand,    // a declared read of a compute op or of a group
  kMoved,      // the source of a part of a data movement that is executed
  kCarried,    // a byte of a base that goes to its result's own place first
  kRewritten,  // a byte of a base that its result rewrites at the same place (cover "part")
  kKeptAlive,  // read by nobody, but to be intact
};

// Byte `byte` of `value` lies at `at` and is needed from the unit's start to its end.
struct Sample {
  SampleWhy why = SampleWhy::kOperand;
  int64_t at = 0;
  ValueId value;
  int64_t byte = 0;
  std::optional<ValueId> result = std::nullopt;  // kCarried: where it goes, if that matters
};

// The unit writes byte `byte` of `value` at `at`: at any time of its execution, or at its end if `late`, because it
// declares to read there what it overwrites.
struct Store {
  int64_t at = 0;
  ValueId value;
  int64_t byte = 0;
  bool late = false;
};

struct Unit {
  std::vector<OpId> ops;  // ascending
  std::vector<Sample> samples = {};
  std::vector<Store> stores = {};
  std::vector<int64_t> scratch = {};    // physical bytes
  std::vector<size_t> successors = {};  // units that start after this one has completed
  size_t num_predecessors = 0;
};

struct ExecutionPlan {
  std::vector<Unit> units;                            // in list order, groups at their last member's place
  int64_t num_bytes = 0;                              // of all memories and gaps
  std::vector<std::vector<int64_t>> address;          // by ValueId and byte; empty: no bytes, or no place
  std::vector<std::vector<int64_t>> storage_address;  // likewise, of the storage of a constant, external or variable
  // What no executor could do: a place outside its memory, a use of a value that has no place, an op in two fused
  // groups, a strided value where its user knows only one run of bytes.
  std::string fault;
};

// ERRORS: InvalidArgument if the plan is not of the graph's shape (number of locations, fusions, scratch places).
absl::StatusOr<ExecutionPlan> MakeExecutionPlan(const Graph& graph, const Plan& plan, const ConcreteGraph& concrete);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_ORACLE_UNITS_H_
