// What an op does to the contents of values, and the reference execution made of it.
//
// A byte holds a 64-bit word here instead of eight bits: opaque ops write hashes, so that two bytes hold equal words
// only if they have the same origin, and nothing wrong passes by chance. A byte may be undefined (of a copy or fill
// that covers it not, without a base): nobody depends on its word.
#ifndef BUFPLAN_TESTS_ORACLE_INTERPRET_H_
#define BUFPLAN_TESTS_ORACLE_INTERPRET_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "tests/oracle/concrete.h"

namespace bufplan {

using Word = uint64_t;

struct Contents {
  std::vector<std::vector<Word>> words;    // by ValueId and byte
  std::vector<std::vector<bool>> defined;  // likewise
};

// Executes one op from the contents of what it uses to the contents of what it writes.
//
// A compute op writes, per byte, a hash of the seed, itself, the byte's place and all defined bytes it declares to
// read; with cover "part" half of the region's bytes keep the base's word. Data movements move, `fill` writes a pattern
// of its own.
void InterpretOp(const ConcreteGraph& graph, OpId op, uint64_t seed, Contents& contents);

// Every value in memory of its own, ops in list order.
struct Reference {
  ConcreteGraph concrete;
  uint64_t seed = 0;
  Contents contents = {};
};

// ERRORS: see MakeConcrete. COST: O(bytes of all regions).
absl::StatusOr<Reference> RunReference(const Graph& graph, absl::Span<const int64_t> symbol_values, uint64_t seed);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_ORACLE_INTERPRET_H_
