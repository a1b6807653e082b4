// Who needs a value, and how: everything in a graph that keeps its bytes from being given away.
//
// A view is another name for bytes of its source, so uses of a view (and of its views) are uses of the source.
//
// COST: one pass over the graph. THREADS: no shared state.
#ifndef BUFPLAN_IO_EXPLAIN_VALUE_USES_H_
#define BUFPLAN_IO_EXPLAIN_VALUE_USES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace bufplan {

enum class ValueUseKind : uint8_t {
  kRead,       // by `op`
  kView,       // `op` makes a view of it: no use by itself
  kBase,       // `op` overwrites a part of it and hands the rest on
  kKeepAlive,  // untouched until `op` is done
  kOutput,     // intact at the end
  kPreserve,   // an input that is intact at the end
  kStorage     // its own storage: a constant, external or variable
};

struct ValueUse {
  ValueUseKind kind = ValueUseKind::kRead;
  std::optional<OpId> op;          // absent: at the end
  ValueId through;                 // the value itself, or the view of it that is named
  std::optional<RegionId> region;  // of `through`; absent: all of it
};

// In list order, those at the end last.
std::vector<ValueUse> UsesOf(const Graph& graph, ValueId value);

// There at the start, and needed by nobody: the first op may have its bytes. COST: that of UsesOf(), but for few
// values.
bool NeededByNobody(const Graph& graph, ValueId value);

// "reads [0, 64) of it", "reads it through view \"v\"", "is its end: it is an output".
std::string UseText(const Graph& graph, ValueId value, const ValueUse& use);

// Whether the op by its kind only moves data: slice, clone, update, concat, copy, transfer, commit.
bool IsMovement(OpKind kind);

// The source of a view, else absent.
std::optional<ValueId> ViewSource(const Graph& graph, ValueId value);

}  // namespace bufplan

#endif  // BUFPLAN_IO_EXPLAIN_VALUE_USES_H_
