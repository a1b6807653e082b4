// Where everything lies at given symbol values, and the rules that hold of places alone: memories, bounds, alignment,
// pins, views, `disjoint`.
//
// COST: O(values + ops). LIFETIME: graph, plan and schedule outlive these.
#ifndef BUFPLAN_IR_CHECKER_LAYOUT_H_
#define BUFPLAN_IR_CHECKER_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/checker/reporter.h"
#include "ir/checker/schedule.h"
#include "ir/graph.h"
#include "ir/id.h"
#include "ir/plan.h"

namespace bufplan::checker {

// The memories of a plan, numbered: the chunks of its arenas, then the caller-owned values.
class Memories {
 public:
  Memories(const Graph& graph, const Plan& plan);

  size_t size() const { return owner_.size(); }
  // -1: the plan has no such chunk, or the owner is no caller-owned value. Ids are in range.
  int32_t Of(const Location& location) const;
  int32_t OfOwner(ValueId owner) const { return of_owner_[owner.index()]; }
  // The caller-owned value whose storage it is; absent for a chunk.
  std::optional<ValueId> owner(int32_t memory) const {
    const int32_t v = owner_[static_cast<size_t>(memory)];
    return v < 0 ? std::nullopt : std::optional<ValueId>(ValueId(v));
  }
  bool read_only(int32_t memory) const { return read_only_[static_cast<size_t>(memory)]; }
  // The space of a chunk. Requires no owner.
  SpaceId space(int32_t memory) const { return SpaceId(space_[static_cast<size_t>(memory)]); }
  int32_t chunk(int32_t memory) const { return memory - first_chunk_[space(memory).index()]; }
  // "device+4096", "device#1+0", "K+128".
  std::string Text(int32_t memory, int64_t offset) const;

 private:
  const Graph& graph_;
  std::vector<int32_t> first_chunk_;  // by space, and one more
  std::vector<int32_t> space_;        // by memory that is a chunk
  std::vector<int32_t> owner_;        // by memory; -1: a chunk
  std::vector<bool> read_only_;       // by memory
  std::vector<int32_t> of_owner_;     // by value; -1: not caller-owned
};

// A byte range of a memory.
struct Place {
  int64_t offset = 0;
  int64_t bytes = 0;
  int32_t memory = -1;  // -1: none, or none that makes sense (which is reported)
  bool placed() const { return memory >= 0; }
  bool SameStart(const Place& o) const { return memory >= 0 && memory == o.memory && offset == o.offset; }
  bool Meets(const Place& o) const {
    return memory >= 0 && memory == o.memory && bytes > 0 && o.bytes > 0 && offset < o.offset + o.bytes &&
           o.offset < offset + bytes;
  }
};

struct Layout {
  std::vector<Place> values;   // by value
  std::vector<Place> scratch;  // by position in plan.scratch
  const Place& of(ValueId v) const { return values[v.index()]; }
};

// Computes the layout and reports what is wrong with it. What is misplaced beyond doubt (a view, a caller-owned value)
// is put where it must be, so that nothing follows from one fault twice. ERRORS: InvalidArgument if an expression has
// no value at these symbol values.
absl::StatusOr<Layout> MakeLayout(const Graph& graph, const Plan& plan, const Schedule& schedule,
                                  const Memories& memories, absl::Span<const int64_t> symbol_values,
                                  Reporter& reporter);

}  // namespace bufplan::checker

#endif  // BUFPLAN_IR_CHECKER_LAYOUT_H_
