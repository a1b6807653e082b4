// Where values are going to be copied to, and what the parts of data movements are copies of.
//
//   row --copy--> c --copy--> u --update at 8192*s--> K1        a copy of a copy has the content of the first: u is
//   row,
//                                                              so row could be written where u goes: into K1
//
// COST: O(parts) to set up; a question follows a limited number of steps. THREADS: immutable. LIFETIME: refers to the
// graph, the schedule and the uses.
#ifndef BUFPLAN_PLANNER_SHARING_DESTINATIONS_H_
#define BUFPLAN_PLANNER_SHARING_DESTINATIONS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "ir/expr.h"
#include "ir/graph.h"
#include "planner/liveness/uses.h"
#include "planner/order/schedule.h"

namespace bufplan {

// Bytes of a root, as they were at `time`.
struct Source {
  ValueId value;
  Region region;
  int32_t time = 0;
};

// How the bytes of a value come to be where its destination has them.
enum class ArrivesBy : uint8_t {
  kCopy,     // a data movement takes all of it along
  kPart,     // a data movement takes a part of it along
  kBase,     // the destination has it as its base
  kInPlace,  // the destination may be made in its place
};

// A root would lie `offset` bytes after the first byte of `to`, which `op` makes.
struct Destination {
  ValueId to;  // the result of `op`, or the target of a commit
  Expr offset;
  OpId op;
  ArrivesBy by = ArrivesBy::kCopy;
  int64_t part_bytes = 0;  // kPart: how many are moved
};

class Destinations {
 public:
  Destinations(const Graph& graph, const Schedule& schedule, const Uses& uses);

  // What the op puts together its result from: the source of part `read`.
  Source SourceOf(OpId op, uint32_t read) const;
  // One step further back: what these bytes are a copy of, if one part or base holds them all.
  std::optional<Source> Before(const Source& source) const;

  // In the order of their ops. Empty if none of them leads to a data movement in the end.
  absl::Span<const Destination> of(ValueId root) const {
    if (begin_.empty() || leads_[root.index()] == 0) return {};
    return absl::MakeConstSpan(edges_).subspan(begin_[root.index()], begin_[root.index() + 1] - begin_[root.index()]);
  }
  // Whether a copy of a part is among them, or is led to.
  bool LeadToParts(ValueId root) const { return !leads_.empty() && (leads_[root.index()] & kToParts) != 0; }
  // A data movement that is not part of a fused group, and no view.
  bool Moves(OpId op) const;

 private:
  enum : char { kToAll = 1, kToParts = 2 };

  uint32_t FirstPartAt(const Op& op, const Expr& at) const;
  template <class F>
  void ForEachEdge(OpId op, F f) const;

  const Graph& g_;
  const Schedule& schedule_;
  const Uses& uses_;
  std::vector<uint32_t> begin_;  // by value, into edges_; empty: there are none
  std::vector<Destination> edges_;
  std::vector<char> leads_;  // by value: bits; some destination is that of a data movement, or leads to one
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_SHARING_DESTINATIONS_H_
