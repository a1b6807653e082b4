// All small graphs: up to 4 ops over two values that are there at the start, whole values of 8 bytes and halves of 4.
//
//   values   A: 8 bytes (input, variable or writable external), B: 4 or 8 bytes (constant or input), then one per op
//   ops      clone, slice (either half), update (a whole one, or either half), concat of two halves; compute: in place
//            on a base (either half new, or all of it rewritten), a reading one (all of an operand or a half of it,
//            result a half), a mapping one (result as large as its operand, in its place if it may be)
//   end      what nobody uses is an output, at most one; perhaps one more output; perhaps a commit to A, as early as
//            its source is there or last
//
// Left out: graphs in which a start value that is not used varies, and results of readers as outputs.
//
// Deterministic: the same walk on every machine. THREADS: no shared state.
#ifndef BUFPLAN_TESTS_PLANNER_EXHAUSTIVE_SMALL_GRAPHS_H_
#define BUFPLAN_TESTS_PLANNER_EXHAUSTIVE_SMALL_GRAPHS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"

namespace bufplan {

inline constexpr int64_t kHalfBytes = 4;

enum class SmallKind : uint8_t { kClone, kSlice, kUpdate, kConcat, kBase, kRewrite, kRead, kMap };
enum class Range : uint8_t { kWhole, kFirst, kSecond };

struct SmallOp {
  SmallKind kind = SmallKind::kClone;
  Range range = Range::kWhole;
  int a = 0;   // operand, base or source, as an index of a value
  int b = -1;  // update: what is written; concat: the second half
};

struct SmallGraph {
  Role role_a = Role::kInput;  // external: writable
  Role role_b = Role::kConstant;
  bool whole_b = false;  // B has 8 bytes
  std::vector<SmallOp> ops;
  std::vector<int> outputs;   // values
  std::optional<int> commit;  // the value that is committed to A
  size_t commit_after = 0;    // how many of the ops come before the commit
  // True if an op behind the commit names A itself.
  bool ReadsOldContent() const;
};

struct SmallGraphLimits {
  int ops = 4;  // besides a commit
  int ops_with_commit = 3;
  int ops_with_whole_b = 3;
  int ops_with_second_output = 3;
};

// Calls f(graph) for all; stops early if it returns false.
void ForEachSmallGraph(const SmallGraphLimits& limits, const std::function<bool(const SmallGraph&)>& f);

// With names that tell what is what: A, B, v2 (made by the first op), ...
absl::StatusOr<Graph> Build(const SmallGraph& graph);

// "A=variable B=constant/4; v2 = slice A second; commit v2": one line.
std::string ToText(const SmallGraph& graph);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_PLANNER_EXHAUSTIVE_SMALL_GRAPHS_H_
