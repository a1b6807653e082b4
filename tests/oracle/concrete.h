// A graph at given symbol values: every region as a list of bytes.
//
// Made for small graphs: it spends eight bytes per byte of every region.
//
// ERRORS: InvalidArgument if a size or a place has no value there, or a region leaves its value (a graph that Build()
// accepted never does).
#ifndef BUFPLAN_TESTS_ORACLE_CONCRETE_H_
#define BUFPLAN_TESTS_ORACLE_CONCRETE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"

namespace bufplan {

struct ConcreteRead {
  ValueId value;
  std::vector<int64_t> from;  // bytes of `value`, in the region's order
  std::vector<int64_t> to;    // data movements: bytes of the result, as many; else empty
};

struct ConcreteWrite {
  ValueId value;
  std::optional<ValueId> base;
  std::vector<int64_t> bytes;  // what the op overwrites, in the region's order
  Cover cover = Cover::kAll;
};

struct ConcreteOp {
  OpKind kind = OpKind::kCompute;
  std::vector<ConcreteRead> reads = {};
  std::vector<ConcreteWrite> writes = {};  // a commit has none: it writes its target's storage
  std::optional<ValueId> commit_target = std::nullopt;
  int64_t scratch_bytes = 0;
};

struct ConcreteGraph {
  std::vector<int64_t> symbol_values;
  std::vector<int64_t> bytes;  // by ValueId
  std::vector<ConcreteOp> ops;
};

absl::StatusOr<ConcreteGraph> MakeConcrete(const Graph& graph, absl::Span<const int64_t> symbol_values);

// Some tuples of symbol values, without duplicates: the corners of the box first (up to `count`), then random ones. One
// empty tuple without symbols.
std::vector<std::vector<int64_t>> SymbolTuples(const Graph& graph, int count, uint64_t seed);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_ORACLE_CONCRETE_H_
