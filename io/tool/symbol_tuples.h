// Symbol values to check a plan at, when the caller has narrowed them.
//
// ERRORS: InvalidArgument: an override that names no symbol, leaves its declared range, or leaves no multiple in it.
// THREADS: no shared state.
#ifndef BUFPLAN_IO_TOOL_SYMBOL_TUPLES_H_
#define BUFPLAN_IO_TOOL_SYMBOL_TUPLES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "io/json_graph.h"
#include "ir/graph.h"

namespace bufplan {

struct SymbolTuples {
  std::vector<std::vector<int64_t>> tuples;  // by symbol; never empty
  bool exact = false;                        // these are all there are
};

// All tuples if there are at most kMaxSymbolTuples; else up to 64 corners of the box, its middle, and fixed samples
// inside.
inline constexpr int64_t kMaxSymbolTuples = 128;

absl::StatusOr<SymbolTuples> SymbolTuplesOf(const Graph& graph, const SymbolOverrides& overrides);
// The same of an option's text; errors name the option.
absl::StatusOr<SymbolTuples> ParseSymbolTuples(const Graph& graph, absl::string_view text);

}  // namespace bufplan

#endif  // BUFPLAN_IO_TOOL_SYMBOL_TUPLES_H_
