// Phrases about things of a graph and a plan that all explanations use, and what the ops of a plan move.
//
// Ids must be of the graph, and the plan of its shape (ReadPlanJson and MakePlan see to that).
// THREADS: no shared state.
#ifndef BUFPLAN_IO_EXPLAIN_DESCRIBE_H_
#define BUFPLAN_IO_EXPLAIN_DESCRIBE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan {

// "upd" (update, op 3 of 4)
std::string OpText(const Graph& graph, OpId op);
// "upd", or "the start" / "the end" when absent.
std::string LiveEndText(const Graph& graph, const std::optional<OpId>& op, bool first);
// "attn .. upd".
std::string LiveText(const Graph& graph, const LiveRange& live);
// in space "device", offset 4,096 / in storage of variable "K", offset 8192*s / nowhere: swallowed by a fused group
std::string PlaceText(const Graph& graph, const Location& location);
// "8192", or "8192*s (33,538,048 at s=4094)".
std::string BytesText(const Graph& graph, const Expr& bytes);
// At the largest symbol values; 0 if it has no value there or is negative.
int64_t LargestBytes(const Graph& graph, const Expr& bytes);

// One part of a data movement, or the bytes that a result takes over from its base.
struct MovedPart {
  ValueId from, to;
  bool carried = false;   // by a base
  bool executed = false;  // by the plan's locations; false: source and destination are the same bytes
  int64_t bytes = 0;      // at the largest symbol values
  std::string from_text;  // which bytes of `from`
  std::string to_text;    // which bytes of `to`
};

// What the op moves or would move. Empty for views and barriers, and for compute and fill without a base.
std::vector<MovedPart> PartsOf(const Graph& graph, const Plan& plan, OpId op);

// The fused group that the plan runs this op in.
std::optional<FusionId> FusedGroupOf(const Graph& graph, const Plan& plan, OpId op);

// Why a value lies where it lies, as the end of "it lies there ...": a view, on its base, in place, ...
std::string WhyThere(const Graph& graph, const Plan& plan, ValueId value);

}  // namespace bufplan

#endif  // BUFPLAN_IO_EXPLAIN_DESCRIBE_H_
