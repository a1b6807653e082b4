// Where everything lies at given symbol values, and the rules that hold of places alone: memories, bounds, alignment,
// pins, views, strides, `disjoint`.
//
// COST: O(values + ops), O(runs log) for strided values whose runs interleave or that are declared disjoint. LIFETIME:
// graph, plan and schedule outlive these.
#ifndef BUFPLAN_IR_CHECKER_LAYOUT_H_
#define BUFPLAN_IR_CHECKER_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/checker/memories.h"
#include "ir/checker/nest.h"
#include "ir/checker/reporter.h"
#include "ir/checker/schedule.h"
#include "ir/graph.h"
#include "ir/id.h"
#include "ir/plan.h"

namespace bufplan::checker {

// The memory of a value that has no bytes by the plan's will.
inline constexpr int32_t kNowhere = -2;

// A byte range of a memory, or a strided part of one.
struct Place {
  int64_t offset = 0;   // of the first byte
  int64_t bytes = 0;    // of the value
  int32_t memory = -1;  // -1: swallowed, or none that makes sense (which is reported); kNowhere
  int32_t nest = -1;    // >= 0: strided, as layout.nests has it
  bool placed() const { return memory >= 0; }
  // What begins at one byte and goes on alike.
  bool SameStart(const Place& o) const {
    return memory >= 0 && memory == o.memory && offset == o.offset && nest < 0 && o.nest < 0;
  }
  // Requires that neither is strided.
  bool Meets(const Place& o) const {
    return memory >= 0 && memory == o.memory && bytes > 0 && o.bytes > 0 && offset < o.offset + o.bytes &&
           o.offset < offset + bytes;
  }
};

struct Layout {
  std::vector<Place> values;   // by value
  std::vector<Place> scratch;  // by position in plan.scratch
  std::vector<Nest> nests;     // of the strided values, but for those that lie in one run at these symbol values
  const Place& of(ValueId v) const { return values[v.index()]; }
  const Nest* nest(const Place& p) const { return p.nest < 0 ? nullptr : &nests[static_cast<size_t>(p.nest)]; }
  // From the first byte of a place to its last.
  int64_t extent(const Place& p) const { return p.nest < 0 ? p.bytes : nest(p)->extent(); }
};

// Computes the layout and reports what is wrong with it. What is misplaced beyond doubt (a view, a caller-owned value)
// is put where it must be, so that nothing follows from one fault twice. ERRORS: InvalidArgument if an expression has
// no value at these symbol values; ResourceExhausted if more than max_runs runs would have to be looked at.
absl::StatusOr<Layout> MakeLayout(const Graph& graph, const Plan& plan, const Schedule& schedule,
                                  const Memories& memories, absl::Span<const int64_t> symbol_values, int64_t max_runs,
                                  Reporter& reporter);

}  // namespace bufplan::checker

#endif  // BUFPLAN_IR_CHECKER_LAYOUT_H_
