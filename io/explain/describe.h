// Phrases about things of a graph and a plan that all explanations use.
//
// Ids must be of the graph, and the plan of its shape (ReadPlanJson and MakePlan see to that).
// THREADS: no shared state.
#ifndef BUFPLAN_IO_EXPLAIN_DESCRIBE_H_
#define BUFPLAN_IO_EXPLAIN_DESCRIBE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "io/explain/movements.h"
#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan {

// "upd" (update, op 3 of 4)
std::string OpText(const Graph& graph, OpId op);
// "upd", or "the start" / "the end" when absent.
std::string LiveEndText(const Graph& graph, const std::optional<OpId>& op, bool first);
// "attn .. upd".
std::string LiveText(const Graph& graph, const LiveRange& live);
// in space "device", offset 4,096 / in storage of variable "K", offset 8192*s / nowhere. With strides:
// in storage of variable "K", offset 0, strided: [0, 256) x 32 every 256 x s + 1 every 8192
std::string PlaceText(const Graph& graph, const Location& location);
// "8192", or "8192*s (33,538,048 at s=4094)".
std::string BytesText(const Graph& graph, const Expr& bytes);

// Why a value lies where it lies, or has no bytes: a view of "x": where that lies / on its base "K", which is updated
// in place / where its source "x" lies / written straight to where upd copies it: into "K1" at 8192*s / nobody reads it
// ...
std::string WhyThere(const Graph& graph, const Plan& plan, const Movements& movements, ValueId value);

}  // namespace bufplan

#endif  // BUFPLAN_IO_EXPLAIN_DESCRIBE_H_
