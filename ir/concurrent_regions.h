// Concurrent regions as a GraphBuilder collects them, and what they add to its graph. Private to GraphBuilder, whose
// header says what a region means.
//
//   main      norm ─────────────────────── attn        fork norm, join attn
//              ├──▶ main.1: mm_q, rope_q ──▲           branches {mm_q, rope_q}, {mm_k}
//              └──▶ main.2: mm_k ──────────┘
//
// Method: regions are visited by their forks. A branch takes a stream that branches of the same parent stream used up
// to a join that is not listed after this fork, the smallest such; else a new one. So regions that follow each other
// take turns on the same streams, and sharing a stream orders nothing that the join and the fork do not order anyway.
// A region inside of a branch has the branch's stream for its parent.
//
// COST: calls O(1) amortised, Apply O(n log n) in what was said. THREADS: one at a time.
#ifndef BUFPLAN_IR_CONCURRENT_REGIONS_H_
#define BUFPLAN_IR_CONCURRENT_REGIONS_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/id.h"

namespace bufplan {

class ConcurrentRegions {
 public:
  // The same region for the same fork.
  ConcurrentId Open(OpId fork);
  void AddToBranch(ConcurrentId region, int32_t branch, OpId op) { members_.push_back({region, branch, op}); }
  void Close(ConcurrentId region, OpId join) { joins_.push_back({region, join}); }

  // Puts the branches' ops on their streams, new ones among them, and appends the order edges. Names are complete.
  // ERRORS: InvalidArgument with a place (ir/where.h), naming the ops: see GraphBuilder.
  absl::Status Apply(absl::Span<const std::string> op_names, std::vector<Op>& ops,
                     std::vector<std::string>& stream_names, std::vector<OrderEdge>& order) const;

 private:
  class Applier;
  struct Member {
    ConcurrentId region;
    int32_t branch = 0;
    OpId op;
    friend auto operator<=>(const Member&, const Member&) = default;
  };
  struct Join {
    ConcurrentId region;
    OpId op;
  };

  std::vector<OpId> forks_;  // by region
  absl::flat_hash_map<int32_t, ConcurrentId> by_fork_;
  std::vector<Member> members_;
  std::vector<Join> joins_;
};

}  // namespace bufplan

#endif  // BUFPLAN_IR_CONCURRENT_REGIONS_H_
