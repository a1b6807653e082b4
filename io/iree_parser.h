// Parses MLIR's text where IREE's stream dialect stands in it.
//
// MLIR's text has no mark between ops, and each op has a syntax of its own. An op ends where, outside of brackets, a
// line begins as ops do: with results and '=', with a name that has a dot, or with a block's label. Ops of the stream
// dialect at the async level, of util and of arith and affine as far as sizes need them are parsed by their syntax
// (`known`); of any other it is noted which values it uses and whether a resource type occurs in it.
//
// ERRORS: InvalidArgument "12:5: stream.async.slice: ...", with kIreePlacePayload: malformed text, or regions or
// modules within each other deeper than 32. COST: O(tokens). THREADS: no shared state.
//
// Example:
//   absl::StatusOr<IreeModule> module = ParseIreeModule(text, text.parts()[0]);
//   absl::StatusOr<std::vector<IreeOp>> ops = ParseIreeBody(text, *module, *module->functions[0].body);
#ifndef BUFPLAN_IO_IREE_PARSER_H_
#define BUFPLAN_IO_IREE_PARSER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "io/iree_ast.h"
#include "io/iree_lexer.h"

namespace bufplan {

inline constexpr int kIreeMaxNesting = 32;

// What the part declares, those of nested modules included; no body is looked into but for its types.
absl::StatusOr<IreeModule> ParseIreeModule(const IreeText& text, const IreePart& part);

// What lies between the braces of an executable or a module.
absl::StatusOr<IreeModule> ParseIreeModule(const IreeText& text, IreeTokenRange range);

absl::StatusOr<IreeSignature> ParseIreeSignature(const IreeText& text, const IreeModule& module,
                                                 const IreeFunction& function);

// The ops of a region, regions of known ops included.
absl::StatusOr<std::vector<IreeOp>> ParseIreeBody(const IreeText& text, const IreeModule& module, IreeTokenRange body);

// The tokens of the op that begins at range.begin.
IreeTokenRange FirstIreeOp(const IreeText& text, IreeTokenRange range);

}  // namespace bufplan

#endif  // BUFPLAN_IO_IREE_PARSER_H_
