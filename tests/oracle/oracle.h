// The oracle: executes a graph as planned, byte by byte, in orders that the plan allows, and compares everything
// observable with the reference execution.
//
// It is built to make every hazard visible. All memories start as garbage. An execution is a random sequence of starts
// and ends of units (ops and fused groups), where a unit starts after all that happen before it have ended, so that
// unordered units overlap in time:
//
//   start   every byte the unit reads (operands, moved sources, carried bases, kept-alive values) must hold the
//   reference's word;
//           then every byte it will write becomes garbage, except where it declares to read and write the same place
//   end     the reads must hold their words still and the writes their garbage; then the results appear
//
// A data movement that the plan marks elided is a unit that reads and writes nothing. Words are compared, so that bytes
// count as right wherever they came from, if their origin is the prescribed one.
//
// At the end outputs, variables, committed externals, preserved inputs, constants and borrowed externals are compared.
// A difference is a proof that the plan is wrong. No difference in one execution proves nothing for several streams:
// run more.
//
// Shares the types of ir with planner and checker, and no code.
//
// ERRORS: InvalidArgument: see MakeConcrete and MakeExecutionPlan.
// COST: O(bytes of all regions) per execution; for small graphs. THREADS: no shared state.
//
// Example:
//   absl::StatusOr<std::optional<Difference>> d = RunPlanned(graph, plan, {4094}, /*seed=*/1, /*interleaving_seed=*/7);
//   if (d.ok() && d->has_value()) std::cerr << (*d)->text;
#ifndef BUFPLAN_TESTS_ORACLE_ORACLE_H_
#define BUFPLAN_TESTS_ORACLE_ORACLE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "tests/oracle/interpret.h"

namespace bufplan {

enum class DifferenceKind : uint8_t {
  kUnexecutable,   // a value or scratch outside its memory or without a place, or a cycle
  kRead,           // an op found other bytes than prescribed, at its start
  kReadMeanwhile,  // likewise at its end
  kLostWrite,      // what an op was writing was overwritten before it had ended
  kLostScratch,
  kEnd,  // something that must be intact at the end is not
};

struct Difference {
  DifferenceKind kind = DifferenceKind::kEnd;
  std::optional<OpId> op = std::nullopt;
  std::optional<ValueId> value = std::nullopt;
  int64_t byte = 0;
  Word expected = 0, found = 0;
  std::string text = {};  // all of that, in the author's names
};

absl::StatusOr<std::optional<Difference>> RunPlanned(const Graph& graph, const Plan& plan,
                                                     absl::Span<const int64_t> symbol_values, uint64_t seed,
                                                     uint64_t interleaving_seed);

// The first difference of so many executions.
absl::StatusOr<std::optional<Difference>> RunPlannedOften(const Graph& graph, const Plan& plan,
                                                          absl::Span<const int64_t> symbol_values, uint64_t seed,
                                                          int interleavings);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_ORACLE_ORACLE_H_
