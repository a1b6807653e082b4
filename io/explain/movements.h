// What the ops of a plan move, by its marks and locations.
//
//   concat(u, v) -> T      u lies at T's first bytes: that part coincides    v is copied: that part executes
//   slice of T, marked     nothing executes, wherever its result lies
//
// A data movement that the plan marks `elided` executes nothing. Of the others a part executes unless its source and
// its destination are the same bytes in the same order, and a base is carried unless its result lies on it. Views are
// never executed; of a fused group only the bases that it takes over from outside are.
//
// Symbols have their largest values in numbers of bytes. Whether places are equal is decided for all symbol values.
// COST: O(ops) to make; a question costs the op's parts. THREADS: immutable. LIFETIME: refers to graph and plan.
#ifndef BUFPLAN_IO_EXPLAIN_MOVEMENTS_H_
#define BUFPLAN_IO_EXPLAIN_MOVEMENTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan {

// One part of a data movement, or the bytes that a result takes over from its base.
struct MovedPart {
  ValueId from, to;
  bool carried = false;    // by a base
  bool executed = false;   // by the plan's mark and locations
  bool coincides = false;  // source and destination are the same bytes
  int64_t bytes = 0;       // at the largest symbol values
  std::string from_text;   // which bytes of `from`
  std::string to_text;     // which bytes of `to`
  Region to_region;
};

class Movements {
 public:
  Movements(const Graph& graph, const Plan& plan);

  // What the op moves or would move. Empty for views and barriers, for compute and fill without a base, and for data
  // movements in fused groups.
  std::vector<MovedPart> PartsOf(OpId op) const;
  // By the plan's mark: a data movement outside of fused groups that executes nothing.
  bool Marked(OpId op) const { return marked_[op.index()] != 0; }
  // Counts as a copy: a data movement outside of fused groups.
  bool IsCopy(OpId op) const;
  // The fused group that the plan runs this op in.
  std::optional<FusionId> GroupOf(OpId op) const;

 private:
  void AddParts(OpId op, std::vector<MovedPart>& parts) const;
  bool Coincide(ValueId a, const Region& a_region, ValueId b, const Region& b_region) const;
  bool TakesOver(OpId op, const Write& write) const;

  const Graph& g_;
  const Plan& p_;
  std::vector<char> marked_;    // by op
  std::vector<int32_t> group_;  // by op; -1: none. Empty: no op is in a group
};

// Both lie at one place, one byte after another.
bool SamePlace(const Location& a, const Location& b);

// The bytes of a value of `bytes` bytes in its memory.
Region RegionOfPlace(const Location& location, const Expr& bytes);

}  // namespace bufplan

#endif  // BUFPLAN_IO_EXPLAIN_MOVEMENTS_H_
