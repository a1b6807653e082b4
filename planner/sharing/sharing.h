// Sharing: which values live in which storage, at which of its bytes. It knows no offsets of storages.
//
// Every way to share is a wish "value v at offset k of storage S": a view (granted always: it is an alias), a result on
// its base, a result in place of an operand. A wish is granted iff on every byte that v's op would write there,
// whatever S holds is needed by nobody any more: all its uses happen before the op, or are the op's own and declared.
// Ownership, alignment, pins and disjointness can refuse as well. A value without a granted wish gets a storage of its
// own; a result that lies apart from its base has the carried bytes copied.
//
// In-place wishes of one op compete: the one that saves most is granted first, of equals the one on the smaller
// operand. What is left is a matter of taste that changes what placement can do with the storages: see InPlaceTaste.
// TIES: the op's order of results and permissions.
//
// COST: near linear in ops + uses. THREADS: no shared state.
#ifndef BUFPLAN_PLANNER_SHARING_SHARING_H_
#define BUFPLAN_PLANNER_SHARING_SHARING_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "planner/liveness/uses.h"
#include "planner/order/schedule.h"
#include "planner/sharing/storage.h"

namespace bufplan {

// kFirstOperand: the operand that the op names first. kOldestOperand: the one that was written first, so that a value
// which lives long, such as the residual of a network, keeps its place and short-lived ones move.
enum class InPlaceTaste : uint8_t { kFirstOperand, kOldestOperand };

// ERRORS: InvalidArgument if old content of a variable or a writable external is read after its commit; names reader
// and writer.
absl::StatusOr<Sharing> ShareStorages(const Graph& graph, const Schedule& schedule, const Uses& uses,
                                      InPlaceTaste taste = InPlaceTaste::kFirstOperand);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_SHARING_SHARING_H_
