// Makes a Graph of the text of IREE's stream dialect at the async level; docs/iree.md says what is read and how it
// maps.
//
//   util.global mutable @K : !stream.resource<variable>     variable "@K"
//   %past = stream.async.slice %K[%c0 to %n] ...            slice "slice.12", value "%past"
//   %row = stream.async.dispatch @ex::@f(%past[...]) ...    compute "dispatch@ex::f.13", value "%row"
//   %K1 = stream.async.update %row, %K[%n to %n1] ...       update "update.14", value "%K1"
//   util.global.store %K1, @K : ...                         commit "commit@K.15"
//
// One function is read: the first one over resources of the first part of the file that has one, or the one that is
// asked for. Names are those of the text, made unique by the number of the line.
//
// ERRORS: InvalidArgument, "12:5: stream.async.slice: ..." (line and column, from 1, columns in bytes) with
// kIreePlacePayload; without a place, if the text is empty, or a part is asked for that it does not have.
// COST: O(text), about 50,000 ops in a quarter of a second. THREADS: no shared state.
//
// Example:
//   absl::StatusOr<IreeImport> import = ReadIreeGraph(text, {.symbols = {{"step", 0, 4094}}});
#ifndef BUFPLAN_IO_IREE_GRAPH_H_
#define BUFPLAN_IO_IREE_GRAPH_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "io/iree_lexer.h"
#include "io/json_graph.h"
#include "ir/graph.h"

namespace bufplan {

struct IreeOptions {
  // Ranges of what comes from outside: "step" for a global @step or an argument %step.
  SymbolOverrides symbols = {};
  // "NAME", "PART:NAME" or "PART:" (parts of a split file count from 1); empty: the first.
  std::string function = {};
};

struct IreeImport {
  Graph graph;
  std::vector<std::string> warnings;  // "12:5: ..."
};

absl::StatusOr<IreeImport> ReadIreeGraph(absl::string_view text, const IreeOptions& options = {});

}  // namespace bufplan

#endif  // BUFPLAN_IO_IREE_GRAPH_H_
