// Sharing: which values live in which storage, at which of its bytes. It knows no offsets of storages.
//
// Every way to share is a wish "value v at this place of storage S": a view (granted always: it is an alias), a result
// on its base, a result in place of an operand, the result of a data movement where its bytes are already, a value
// where it is going to be copied to. A wish is granted iff on every byte that v's op would write there, whatever S
// holds is needed by nobody any more: all its uses happen before the op, or are the op's own and declared. Ownership,
// alignment, pins and disjointness can refuse as well. A value without a granted wish gets a storage of its own; a
// result that lies apart from its base has the carried bytes copied.
//
// Ops are visited in list order, so a granted wish may be in the way of later ones that would save more bytes. Wishes
// that are in each other's way are decided together (see contest.h): the losers are struck out and the whole is done
// again. So is it when an op that was taken to need only part of its operands (see planner/liveness/uses.h) turns out
// to execute after all; that comes first. The number of such rounds is limited, and of the sharings that they arrive at
// the one that moves the fewest bytes is taken, of equals the first.
//
// In-place wishes of one op compete: the one that saves most is granted first, of equals the one on the smaller
// operand. What is left is a matter of taste that changes what placement can do with the storages: see InPlaceTaste.
// TIES: the op's order of results and permissions.
//
// COST: near linear in ops + uses per round; one round if nothing is copied. THREADS: no shared state.
#ifndef BUFPLAN_PLANNER_SHARING_SHARING_H_
#define BUFPLAN_PLANNER_SHARING_SHARING_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "planner/liveness/uses.h"
#include "planner/order/schedule.h"
#include "planner/sharing/policy.h"
#include "planner/sharing/storage.h"

namespace bufplan {

struct SharedStorages {
  Uses uses;  // as far as bytes are needed under this sharing
  Sharing sharing;
  int64_t moved_bytes = 0;  // by copies and carried bases
};

// ERRORS: InvalidArgument if old content of a variable or a writable external is read after its commit; names reader
// and writer.
absl::StatusOr<SharedStorages> ShareStorages(const Graph& graph, const Schedule& schedule,
                                             const SharingPolicy& policy = {});

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_SHARING_SHARING_H_
