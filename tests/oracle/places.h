// Where the bytes of a plan's values lie, at given symbol values.
//
// All memories lie in one flat array of bytes, with a gap between each two, so that a physical byte is one number:
//
//   | arena device chunk 0 |gap| arena device chunk 1 |gap| storage of variable K |gap| ...
//
// Derived from graph and plan alone; shares no code with the planner or the checker. For small graphs: eight bytes per
// byte of a value. THREADS: no shared state.
#ifndef BUFPLAN_TESTS_ORACLE_PLACES_H_
#define BUFPLAN_TESTS_ORACLE_PLACES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "tests/oracle/concrete.h"

namespace bufplan {

// The offset in its memory of each of the `size` bytes at a location, first to last. Absent: an expression has no value
// there, or strided runs are not `size` bytes together.
std::optional<std::vector<int64_t>> ByteOffsets(const Location& location, int64_t size,
                                                absl::Span<const int64_t> symbol_values);

class Places {
 public:
  Places(const Graph& graph, const Plan& plan, const ConcreteGraph& concrete);

  // The physical bytes of `size` bytes at a location.
  // ERRORS: FailedPrecondition if it names no memory, has no offsets, leaves its memory, or two of the bytes are one.
  absl::StatusOr<std::vector<int64_t>> Find(const Location& location, int64_t size) const;
  // The storage of a constant, external or variable.
  std::vector<int64_t> OfCaller(ValueId owner) const;

  int64_t num_bytes() const { return num_bytes_; }  // of all memories and gaps

 private:
  using Key = std::tuple<int, int32_t, int32_t>;  // kind, memory, chunk
  struct Memory {
    int64_t begin = 0, size = 0;
  };
  void Add(Location::Kind kind, int32_t memory, int32_t chunk, int64_t size);

  std::vector<int64_t> symbol_values_;
  std::map<Key, Memory> memories_;
  int64_t num_bytes_ = 0;
};

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_ORACLE_PLACES_H_
