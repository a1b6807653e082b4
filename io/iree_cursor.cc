#include "io/iree_cursor.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "io/json_text.h"

namespace bufplan {

uint32_t IreeCursor::Offset() const {
  const std::vector<IreeToken>& tokens = text_.tokens();
  if (at_ < end_) return tokens[at_].begin;
  return end_ == 0 ? 0 : tokens[end_ - 1].begin + tokens[end_ - 1].size;
}

void IreeCursor::FailAt(uint32_t offset, absl::string_view message) {
  if (!status_.ok()) return;
  status_ = text_.Fault(offset, absl::StrCat(who_, who_.empty() ? "" : ": ", message));
}

void IreeCursor::FailNext(absl::string_view what) {
  Fail(absl::StrCat(what, " is missing; here is ", at_ < end_ ? Quoted(text_.Spelling(at_)) : "the end of the op"));
}

bool IreeCursor::Accept(char punct) {
  if (!NextIs(punct)) return false;
  ++at_;
  return true;
}

bool IreeCursor::AcceptWord(absl::string_view word) {
  if (!NextIsWord(word)) return false;
  ++at_;
  return true;
}

void IreeCursor::Expect(char punct, absl::string_view what) {
  if (!Accept(punct)) FailNext(what);
}

absl::string_view IreeCursor::Take(IreeTokenKind kind, absl::string_view what) {
  if (!NextIs(kind)) {
    FailNext(what);
    return "";
  }
  return text_.Spelling(at_++);
}

IreeTokenRange IreeCursor::TakeGroup() {
  if (done()) return {};
  const IreeTokenRange inside{at_ + 1, Token().partner};
  at_ = Token().partner + 1;
  return inside;
}

void IreeCursor::SkipOne() {
  if (!done()) at_ = Token().partner > at_ ? Token().partner + 1 : at_ + 1;
}

void IreeCursor::SkipAngles() {
  int64_t depth = 0;
  do {
    if (done()) {
      FailNext("'>'");
      return;
    }
    const char c = Token().kind == IreeTokenKind::kPunct ? Token().punct : '\0';
    if (c == '<') ++depth;
    if (c == '>') --depth;
    SkipOne();
  } while (depth > 0);
}

void IreeCursor::SkipAttributes() {
  if (!NextIs('{') && !NextIsWord("attributes")) return;
  AcceptWord("attributes");
  if (NextIs('{')) TakeGroup();
}

IreeRef IreeCursor::Ref() {
  IreeRef ref;
  ref.offset = Offset();
  ref.name = Take(IreeTokenKind::kValue, "a value");
  const size_t hash = ref.name.find('#');
  if (hash == absl::string_view::npos) return ref;
  if (!absl::SimpleAtoi(ref.name.substr(hash + 1), &ref.index)) {
    FailAt(ref.offset, absl::StrCat(Quoted(ref.name), " has no such number of results"));
  }
  ref.name = ref.name.substr(0, hash);
  return ref;
}

IreeOperand IreeCursor::Operand() {
  IreeOperand operand;
  operand.value = Ref();
  if (!Accept('[')) return operand;
  IreeRange& range = operand.range.emplace();
  range.begin = Ref();
  if (AcceptWord("to")) range.end = Ref();
  if (AcceptWord("for")) range.length = Ref();
  Expect(']', "']'");
  return operand;
}

IreeType IreeCursor::Type() {
  IreeType type;
  type.offset = Offset();
  const uint32_t begin = at_;
  if (NextIs('(')) {  // Of a function.
    TakeGroup();
    if (Accept(kIreeArrow)) NextIs('(') ? static_cast<void>(TakeGroup()) : static_cast<void>(Type());
  } else if (NextIs(IreeTokenKind::kType) || NextIs(IreeTokenKind::kWord)) {
    ++at_;
    if (NextIs('<')) SkipAngles();
  } else {
    FailNext("a type");
    return type;
  }
  if (!ok()) return type;
  type.text = text_.Spelling({begin, at_});
  const auto alias = module_.type_aliases.find(type.text);
  if (alias != module_.type_aliases.end()) type.text = alias->second;
  // A body may follow a type; it does not begin with a value and a comma or '}'.
  if (NextIs('{') && at_ + 2 < end_ && text_.tokens()[at_ + 1].kind == IreeTokenKind::kValue &&
      (text_.Spelling(at_ + 2) == "}" || text_.Spelling(at_ + 2) == ",")) {
    ++at_;
    List('}', [&] { type.sizes.push_back(Ref()); });
  }
  return type;
}

IreeType IreeCursor::ResultType() {
  if (!NextIs(IreeTokenKind::kValue)) return Type();
  IreeType type;
  const IreeRef tied = Ref();
  if (AcceptWord("as")) {
    type = Type();
  } else if (Accept('{')) {
    List('}', [&] { type.sizes.push_back(Ref()); });
  }
  type.offset = tied.offset;
  type.tied = tied;
  return type;
}

void IreeCursor::List(char close, absl::FunctionRef<void()> read) {
  if (close != '\0' && Accept(close)) return;
  do {
    read();
  } while (ok() && Accept(','));
  if (close != '\0') Expect(close, absl::StrCat("',' or '", std::string(1, close), "'"));
}

std::vector<IreeType> IreeCursor::TypeList(bool results) {
  std::vector<IreeType> types;
  const char close = Accept('(') ? ')' : '\0';
  List(close, [&] { types.push_back(results ? ResultType() : Type()); });
  return types;
}

}  // namespace bufplan
