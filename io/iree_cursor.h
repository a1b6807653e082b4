// Walks over the tokens of a range; what cannot be read as asked for becomes an error, after which nothing more is
// read.
#ifndef BUFPLAN_IO_IREE_CURSOR_H_
#define BUFPLAN_IO_IREE_CURSOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "io/iree_ast.h"
#include "io/iree_lexer.h"

namespace bufplan {

class IreeCursor {
 public:
  // `who` begins messages, `aliases` are types by their !name.
  IreeCursor(const IreeText& text, IreeTokenRange range, absl::string_view who, const IreeModule& module)
      : text_(text), at_(range.begin), end_(range.end), who_(who), module_(module) {}

  bool ok() const { return status_.ok(); }
  const absl::Status& status() const { return status_; }
  uint32_t at() const { return at_; }
  void Seek(uint32_t token) { at_ = token; }
  // True behind the last token, and after an error.
  bool done() const { return at_ >= end_ || !status_.ok(); }

  // What is next; false if it is something else.
  bool NextIs(IreeTokenKind kind) const { return !done() && Token().kind == kind; }
  bool NextIs(char punct) const { return NextIs(IreeTokenKind::kPunct) && Token().punct == punct; }
  bool NextIsWord(absl::string_view word) const { return NextIs(IreeTokenKind::kWord) && Spelling() == word; }
  // The next token: where it stands, or where the range ends.
  uint32_t Offset() const;
  absl::string_view Spelling() const { return done() ? "" : text_.Spelling(at_); }

  absl::string_view TextOf(IreeTokenRange range) const { return text_.Spelling(range); }

  bool Accept(char punct);
  bool AcceptWord(absl::string_view word);
  void Expect(char punct, absl::string_view what);
  // Takes a token of this kind, "" and an error if there is none.
  absl::string_view Take(IreeTokenKind kind, absl::string_view what);
  // Skips a bracket and what is in it; the range of what is in it.
  IreeTokenRange TakeGroup();
  // Skips one token, or a bracket and what is in it.
  void SkipOne();
  // Skips <...>; angle brackets may nest.
  void SkipAngles();
  // Skips {...} and attributes {...}.
  void SkipAttributes();

  IreeRef Ref();
  IreeOperand Operand();  // %x, %x[%a to %b for %c]
  IreeType Type();        // with sizes
  IreeType ResultType();  // also %x{%n}, %x as type
  // Calls read() for each element of a list with commas, up to `close`, which is taken. Without `close` (0), the list
  // ends where no comma follows.
  void List(char close, absl::FunctionRef<void()> read);
  std::vector<IreeType> TypeList(bool results);

  void Fail(absl::string_view message) { FailAt(Offset(), message); }
  void FailAt(uint32_t offset, absl::string_view message);
  // Fails with "must be WHAT, not FOUND".
  void FailNext(absl::string_view what);

 private:
  const IreeToken& Token() const { return text_.tokens()[at_]; }

  const IreeText& text_;
  uint32_t at_, end_;
  absl::string_view who_;
  const IreeModule& module_;
  absl::Status status_;
};

}  // namespace bufplan

#endif  // BUFPLAN_IO_IREE_CURSOR_H_
