// What the parser makes of IREE's stream dialect: a module in outline, and ops one by one, each in the one form below
// whatever its own syntax. All names and texts are pieces of the parsed text and live as long as it.
#ifndef BUFPLAN_IO_IREE_AST_H_
#define BUFPLAN_IO_IREE_AST_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "io/iree_lexer.h"

namespace bufplan {

// Use of a value, %name or %name#index.
struct IreeRef {
  absl::string_view name;  // with its '%', without index
  uint32_t index = 0;
  uint32_t offset = 0;  // where it stands, in bytes of the text
};

// [%begin to %end for %length] of an operand.
struct IreeRange {
  IreeRef begin;
  std::optional<IreeRef> end, length;  // absent in [%begin]
};

struct IreeOperand {
  IreeRef value;
  std::optional<IreeRange> range;
};

// A type with its sizes: !stream.resource<variable>{%n}; as a result also the operand whose storage it is, %x or %x as
// a type.
struct IreeType {
  absl::string_view text;  // without sizes; empty for %x{%n}
  std::vector<IreeRef> sizes;
  std::optional<IreeRef> tied;
  uint32_t offset = 0;
};

// Results of an op: %name, or %name:count.
struct IreeResult {
  absl::string_view name;
  uint32_t count = 1;
  uint32_t offset = 0;
};

// An offset, size or stride: a value, or a number.
struct IreeIndex {
  std::optional<IreeRef> value;
  int64_t number = 0;
};

// %value as %name : type, of a region.
struct IreeCapture {
  IreeRef value;
  absl::string_view name;
  IreeType type;
};

// Both ends included.
struct IreeInterval {
  int64_t min = 0, max = 0;
};

struct IreeOp {
  absl::string_view name;  // "stream.async.slice"
  uint32_t offset = 0;     // of the name
  std::vector<IreeResult> results;
  std::vector<IreeOperand> operands;
  std::vector<IreeType> operand_types, result_types;
  std::vector<absl::string_view> symbols;     // @executable, @entry; the global; more than one entry: all of them
  absl::string_view literal;                  // of a constant
  IreeTokenRange map;                         // affine ops: #map or affine_map<...>
  std::vector<std::vector<IreeIndex>> lists;  // tensor loads and stores: offsets, sizes, strides
  std::vector<IreeCapture> captures;
  std::vector<IreeOp> body;
  // util.assume.int, by operand: the range that holds in all cases it names.
  std::vector<std::optional<IreeInterval>> assumed;
  absl::string_view affinity;      // what stands in on(...) or to(...)
  bool known = false;              // parsed by its own syntax; else operands are all values that occur in it
  bool mentions_resource = false;  // unknown ops: a resource type occurs in it
};

struct IreeGlobal {
  absl::string_view name;  // with '@'
  absl::string_view type;
  absl::string_view init;  // the number it starts with; empty: none, or no number
  bool is_mutable = false;
  uint32_t offset = 0;
};

struct IreeFunction {
  absl::string_view name;  // with '@'
  uint32_t offset = 0;
  IreeTokenRange signature;  // from "(" to the body
  std::optional<IreeTokenRange> body;
  bool over_resources = false;  // a resource type occurs in its body or signature
};

struct IreeSignature {
  std::vector<IreeCapture> arguments;  // name and type
  std::vector<IreeType> results;
};

// What a part of the text declares, in the order of the text.
struct IreeModule {
  std::vector<IreeGlobal> globals;
  std::vector<IreeFunction> functions;
  absl::flat_hash_map<absl::string_view, IreeTokenRange> executables;   // by @name: what is between the braces
  absl::flat_hash_map<absl::string_view, IreeTokenRange> attr_aliases;  // by #name
  absl::flat_hash_map<absl::string_view, absl::string_view> type_aliases;
  std::optional<int64_t> offset_alignment_bytes;  // min_buffer_offset_alignment of a resource configuration
};

}  // namespace bufplan

#endif  // BUFPLAN_IO_IREE_AST_H_
