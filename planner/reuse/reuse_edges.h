// Room that is bought with order edges: two streams share bytes if one waits for the other.
//
//   stream 0   k0 ── m0               all of k0, k1 are there at once; with the edge m0 -> k1, which makes stream 1
//   stream 1              k1 ── m1    wait, k1 may lie on k0
//
// Where the storages of the best sharing do not fit side by side, edges are added one by one. Each orders two of the
// heaviest pieces that are there at once (see planner/placement/antichain.h): the edge that takes most weight off them,
// of equals the one that needs fewer edges, then the one whose wait is longest over when all runs in list order. In
// small graphs that is done again from each of a few best first edges, the fewest edges are taken, and then all sets of
// fewer edges are tried that could do, one edge, two, and so on, within the steps there are. If none leads
// there, everything is placed as if it ran in list order, and the edges are added that this placement takes; then edges
// are added as long as that lowers the peak. At last edges are taken away again as long as it still fits, and each that
// stays is one without which two storages that share bytes would not be ordered. (Bytes that a `fill` or `copy` leaves
// undefined count as written.)
//
// Once options.deadline has passed it ends with what it has; edges may then be there that are not needed.
//
// COST: a limited number of steps, about a second of them for one plan (ten at kMax), shared by all sets of fusion
// groups that are tried. Deterministic. THREADS: no shared state.
#ifndef BUFPLAN_PLANNER_REUSE_REUSE_EDGES_H_
#define BUFPLAN_PLANNER_REUSE_REUSE_EDGES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "planner/candidate.h"
#include "planner/options.h"
#include "planner/order/schedule.h"

namespace bufplan {

// The best candidate (see choice.h), with edges as options.reuse_edges says. ERRORS: those of ChooseCandidate(), but
// where edges may be added ResourceExhausted only if every run of the streams needs more than there is; else
// DeadlineExceeded. Both say what is needed and what is known to work.
// The search for edges takes its steps from `work`; without any left there are no edges.
absl::StatusOr<Candidate> ChooseWithReuseEdges(const Graph& graph, const Schedule& schedule, const PlanOptions& options,
                                               int64_t& work);

// The failure of a plan without edges where the time is over before any were tried: nothing is proven.
absl::Status WithoutTrying(const absl::Status& status);

// Steps for one plan: about a second of them.
int64_t ReuseEdgesWork(const Graph& graph, const PlanOptions& options);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_REUSE_REUSE_EDGES_H_
