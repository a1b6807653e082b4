// Tokens of MLIR's text, as far as reading IREE's stream dialect needs them.
//
// Comments and locations (`loc(...)`) are dropped. A file is one or more parts, separated by lines that begin with
// `// -----` (`--split-input-file`, and dumps after each pass); brackets match within a part.
//
// ERRORS: InvalidArgument, "12:5: ..." (line and column, from 1, columns in bytes), with kIreePlacePayload: a string
// without end; text of 4 GiB or more. A part whose brackets do not match says so when it is asked for.
// COST: O(text), 20 bytes per token; depth of nesting is not limited. LIFETIME: the text must outlive the IreeText.
// THREADS: const access from any thread.
//
// Example:
//   absl::StatusOr<IreeText> text = IreeText::Lex("%0 = arith.constant 1 : index");
//   text->Spelling(0);   // "%0"
#ifndef BUFPLAN_IO_IREE_LEXER_H_
#define BUFPLAN_IO_IREE_LEXER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace bufplan {

// Carried by statuses whose message begins with "LINE:COLUMN: ".
inline constexpr absl::string_view kIreePlacePayload = "bufplan/line_column";

enum class IreeTokenKind : uint8_t {
  kValue,   // %x, %0, %0#1
  kSymbol,  // @x, @"x"
  kAttr,    // #x
  kType,    // !x.y
  kBlock,   // ^x
  kWord,    // x, x.y
  kNumber,  // 12, 0xFF, 1.5e3
  kString,  // "x"
  kPunct,   // one character, or one of the codes below
};

// What IreeToken::punct is for more than one character.
inline constexpr char kIreeArrow = 'A';     // ->
inline constexpr char kIreeFatArrow = 'F';  // =>
inline constexpr char kIreeColons = 'C';    // ::
inline constexpr char kIreeCompare = 'Q';   // >= <= ==

struct IreeToken {
  uint32_t begin = 0, size = 0;  // bytes of the text
  uint32_t partner = 0;          // of ( [ { ) ] }: the index of the token it goes with; else its own
  IreeTokenKind kind = IreeTokenKind::kPunct;
  char punct = 0;            // of kPunct
  bool starts_line = false;  // the first token on its line
};

// Tokens [begin, end).
struct IreeTokenRange {
  uint32_t begin = 0, end = 0;
  bool empty() const { return begin >= end; }
};

struct IreePart {
  IreeTokenRange tokens;
  absl::Status status;  // not OK: brackets do not match
};

class IreeText {
 public:
  static absl::StatusOr<IreeText> Lex(absl::string_view text);

  absl::string_view text() const { return text_; }
  const std::vector<IreeToken>& tokens() const { return tokens_; }
  // Those with tokens; never empty but for a text without any.
  const std::vector<IreePart>& parts() const { return parts_; }

  absl::string_view Spelling(uint32_t token) const { return text_.substr(tokens_[token].begin, tokens_[token].size); }
  // The text from the first of the tokens to the end of the last one.
  absl::string_view Spelling(IreeTokenRange tokens) const;

  // From 1, of a byte of the text. COST: O(log lines).
  std::pair<uint32_t, uint32_t> LineColumn(uint32_t offset) const;
  // InvalidArgument "LINE:COLUMN: message".
  absl::Status Fault(uint32_t offset, absl::string_view message) const;

 private:
  friend class IreeLexer;
  explicit IreeText(absl::string_view text) : text_(text) {}

  absl::string_view text_;
  std::vector<IreeToken> tokens_;
  std::vector<IreePart> parts_;
  std::vector<uint32_t> line_begins_ = {0};
};

}  // namespace bufplan

#endif  // BUFPLAN_IO_IREE_LEXER_H_
