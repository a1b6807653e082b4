// Graphs as JSON ("bufplan.graph", version 1), see docs/design.md, section 3.
//
// Reading is strict: unknown and repeated keys, wrong types, fractions where integers belong, integers beyond 64 bits,
// invalid UTF-8 and text behind the end are errors. Writing is canonical: the same graph gives the same bytes on every
// machine, one value and one op per line, defaults left out, a number of bytes as an integer if it is constant and else
// as Expr::ToString gives it. ReadGraphJson(WriteGraphJson(g)) equals g in everything that Graph's accessors tell.
//
// ERRORS (ReadGraphJson): InvalidArgument:
//   "line 3, column 17: ..."          the text is no JSON (both from 1, columns in bytes)
//   "at /ops/3/reads/1: ..."          JSON pointer (RFC 6901) of what is wrong, whether the form or the graph
//   "symbol \"t\": ..."               an override that names no symbol of the graph
// COST: O(text), about 12 ns per byte; ops and values cost what GraphBuilder costs. THREADS: no shared state.
//
// Example:
//   absl::StatusOr<Graph> graph = ReadGraphJson(text, {{"s", 17, 17}});
//   std::string same = WriteGraphJson(*graph);
#ifndef BUFPLAN_IO_JSON_GRAPH_H_
#define BUFPLAN_IO_JSON_GRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/graph.h"

namespace bufplan {

// Replaces a symbol's declared range before the graph is validated; its multiple_of stays.
struct SymbolOverride {
  std::string name;
  int64_t min = 0;
  int64_t max = 0;
  friend bool operator==(const SymbolOverride&, const SymbolOverride&) = default;
};
using SymbolOverrides = std::vector<SymbolOverride>;

absl::StatusOr<Graph> ReadGraphJson(absl::string_view text, const SymbolOverrides& overrides = {});

struct GraphJsonOptions {
  bool attrs = true;  // free attributes of the graph, its values and ops
};

// Attributes that are no JSON object (a GraphBuilder takes any text) are written as {"text": "..."}.
std::string WriteGraphJson(const Graph& graph, const GraphJsonOptions& options = {});

// "s=17,t=0..4094" (a symbol fixed, or given its range); "" is no override.
// ERRORS: InvalidArgument quoting the part that is malformed, names a symbol twice, or has min > max.
absl::StatusOr<SymbolOverrides> ParseSymbolOverrides(absl::string_view text);

}  // namespace bufplan

#endif  // BUFPLAN_IO_JSON_GRAPH_H_
