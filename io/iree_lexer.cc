#include "io/iree_lexer.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace bufplan {
namespace {

bool IsWordStart(char c) { return absl::ascii_isalpha(c) || c == '_'; }
bool IsWordByte(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '$' || c == '.'; }
bool IsNameByte(char c) { return IsWordByte(c) || c == '-'; }

char Closing(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

}  // namespace

class IreeLexer {
 public:
  explicit IreeLexer(absl::string_view text) : text_(text), out_(text) {}

  absl::StatusOr<IreeText> Lex() &&;

 private:
  char Peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void SkipBlanks();
  void SkipComment();
  void NewLine();
  // The end of what begins at `at_`, which is not blank; sets kind and punct.
  size_t TokenEnd(IreeToken& token);
  size_t NumberEnd() const;
  size_t NameEnd(size_t from, bool (*is_byte)(char)) const;
  size_t StringEnd(size_t from);
  size_t PunctEnd(IreeToken& token) const;
  void Push(IreeToken token);
  void EndPart();

  absl::string_view text_;
  IreeText out_;
  size_t at_ = 0;
  bool starts_line_ = true;
  uint32_t part_begin_ = 0;
  absl::Status part_status_;
  std::vector<uint32_t> open_;  // brackets of this part
  int64_t in_location_ = 0;     // open parentheses of a location
  absl::Status status_;
};

void IreeLexer::NewLine() {
  starts_line_ = true;
  out_.line_begins_.push_back(static_cast<uint32_t>(at_ + 1));
}

void IreeLexer::SkipComment() {
  if (starts_line_ && absl::StartsWith(text_.substr(at_), "// -----")) EndPart();
  at_ = std::min(text_.find('\n', at_), text_.size());
}

void IreeLexer::SkipBlanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') {
      NewLine();
    } else if (c == '/' && Peek(1) == '/') {
      SkipComment();
      continue;
    } else if (!absl::ascii_isspace(c)) {
      return;
    }
    ++at_;
  }
}

size_t IreeLexer::NameEnd(size_t from, bool (*is_byte)(char)) const {
  size_t end = from;
  while (end < text_.size() && is_byte(text_[end])) {
    if (text_[end] == '-' && end + 1 < text_.size() && text_[end + 1] == '>') break;
    ++end;
  }
  return end;
}

size_t IreeLexer::NumberEnd() const {
  size_t end = at_;
  if (Peek() == '0' && Peek(1) == 'x' && absl::ascii_isxdigit(Peek(2))) {
    end += 2;
    while (end < text_.size() && absl::ascii_isxdigit(text_[end])) ++end;
    return end;
  }
  const auto digits = [&] {
    while (end < text_.size() && absl::ascii_isdigit(text_[end])) ++end;
  };
  const auto digit_at = [&](size_t i) { return i < text_.size() && absl::ascii_isdigit(text_[i]); };
  digits();
  if (end < text_.size() && text_[end] == '.' && digit_at(end + 1)) {
    ++end;
    digits();
  }
  if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
    const bool sign = end + 1 < text_.size() && (text_[end + 1] == '+' || text_[end + 1] == '-');
    if (digit_at(end + 1 + (sign ? 1 : 0))) {
      end += sign ? 2 : 1;
      digits();
    }
  }
  return end;
}

// Of a string whose quote is at `from`.
size_t IreeLexer::StringEnd(size_t from) {
  size_t end = from + 1;
  for (; end < text_.size() && text_[end] != '"'; ++end) {
    if (text_[end] == '\n') break;
    if (text_[end] == '\\') ++end;
  }
  if (end < text_.size() && text_[end] == '"') return end + 1;
  status_ = out_.Fault(static_cast<uint32_t>(from), "a string without an end");
  return text_.size();
}

size_t IreeLexer::PunctEnd(IreeToken& token) const {
  const char c = Peek(), next = Peek(1);
  const bool arrow = c == '-' && next == '>', fat = c == '=' && next == '>', colons = c == ':' && next == ':';
  const bool compare = next == '=' && (c == '<' || c == '>' || c == '=');
  token.punct = arrow ? kIreeArrow : fat ? kIreeFatArrow : colons ? kIreeColons : compare ? kIreeCompare : c;
  return at_ + (token.punct == c ? 1 : 2);
}

size_t IreeLexer::TokenEnd(IreeToken& token) {
  const char c = Peek();
  if (c == '\0') {
    status_ = out_.Fault(token.begin, "a NUL byte");
    return text_.size();
  }
  if (IsWordStart(c)) {
    token.kind = IreeTokenKind::kWord;
    return NameEnd(at_, IsWordByte);
  }
  if (absl::ascii_isdigit(c)) {
    token.kind = IreeTokenKind::kNumber;
    return NumberEnd();
  }
  if (c == '"') {
    token.kind = IreeTokenKind::kString;
    return StringEnd(at_);
  }
  constexpr std::pair<char, IreeTokenKind> kSigils[] = {{'%', IreeTokenKind::kValue},
                                                        {'@', IreeTokenKind::kSymbol},
                                                        {'#', IreeTokenKind::kAttr},
                                                        {'!', IreeTokenKind::kType},
                                                        {'^', IreeTokenKind::kBlock}};
  for (const auto& [sigil, kind] : kSigils) {
    if (c != sigil) continue;
    if (c == '@' && Peek(1) == '"') {
      token.kind = kind;
      return StringEnd(at_ + 1);
    }
    if (!IsNameByte(Peek(1)) || (Peek(1) == '-' && c != '@')) break;
    token.kind = kind;
    size_t end = NameEnd(at_ + 1, IsNameByte);
    const auto is_digit = [](char d) { return absl::ascii_isdigit(d); };
    if (c == '%' && end + 1 < text_.size() && text_[end] == '#' && is_digit(text_[end + 1])) {
      end = NameEnd(end + 1, is_digit);
    }
    return end;
  }
  return PunctEnd(token);
}

void IreeLexer::Push(IreeToken token) {
  const char c = token.kind == IreeTokenKind::kPunct ? token.punct : '\0';
  const uint32_t index = static_cast<uint32_t>(out_.tokens_.size());
  token.partner = index;
  if (c == '(' || c == '[' || c == '{') {
    open_.push_back(index);
  } else if ((c == ')' || c == ']' || c == '}') && part_status_.ok()) {
    if (open_.empty() || Closing(out_.tokens_[open_.back()].punct) != c) {
      part_status_ = out_.Fault(
          token.begin, open_.empty() ? absl::StrCat("'", std::string(1, c), "' closes nothing")
                                     : absl::StrCat("'", std::string(1, c), "' where '",
                                                    std::string(1, Closing(out_.tokens_[open_.back()].punct)),
                                                    "' would close the bracket that line ",
                                                    out_.LineColumn(out_.tokens_[open_.back()].begin).first, " opens"));
    } else {
      token.partner = open_.back();
      out_.tokens_[open_.back()].partner = index;
      open_.pop_back();
    }
  }
  out_.tokens_.push_back(token);
}

void IreeLexer::EndPart() {
  if (!open_.empty() && part_status_.ok()) {
    const IreeToken& token = out_.tokens_[open_.back()];
    part_status_ = out_.Fault(token.begin, absl::StrCat("'", std::string(1, token.punct), "' is never closed"));
  }
  const uint32_t end = static_cast<uint32_t>(out_.tokens_.size());
  if (end > part_begin_) out_.parts_.push_back({{part_begin_, end}, part_status_});
  part_begin_ = end;
  part_status_ = absl::OkStatus();
  open_.clear();
  in_location_ = 0;
}

absl::StatusOr<IreeText> IreeLexer::Lex() && {
  if (text_.size() >= UINT32_MAX) return out_.Fault(0, "a text of 4 GiB or more");
  if (absl::StartsWith(text_, "\xEF\xBB\xBF")) at_ = 3;
  for (SkipBlanks(); at_ < text_.size(); SkipBlanks()) {
    if (absl::StartsWith(text_.substr(at_), "{-#")) {  // Resources of the whole file, at its end.
      const size_t end = text_.find("#-}", at_);
      if (end == absl::string_view::npos) {
        return out_.Fault(static_cast<uint32_t>(at_), "'{-#' is never closed by '#-}'");
      }
      for (; at_ < end; ++at_) {
        if (text_[at_] == '\n') NewLine();
      }
      at_ = end + 3;
      continue;
    }
    IreeToken token;
    token.begin = static_cast<uint32_t>(at_);
    token.starts_line = starts_line_;
    const size_t end = TokenEnd(token);
    if (!status_.ok()) return status_;
    token.size = static_cast<uint32_t>(end - at_);
    at_ = end;
    if (in_location_ > 0) {
      if (token.kind == IreeTokenKind::kPunct) in_location_ += token.punct == '(' ? 1 : token.punct == ')' ? -1 : 0;
      continue;
    }
    if (token.kind == IreeTokenKind::kWord && token.size == 3 && absl::StartsWith(text_.substr(token.begin), "loc(")) {
      in_location_ = 1;
      ++at_;
      continue;
    }
    starts_line_ = false;
    Push(token);
  }
  EndPart();
  return std::move(out_);
}

absl::StatusOr<IreeText> IreeText::Lex(absl::string_view text) { return IreeLexer(text).Lex(); }

absl::string_view IreeText::Spelling(IreeTokenRange tokens) const {
  if (tokens.empty()) return "";
  const IreeToken& last = tokens_[tokens.end - 1];
  return text_.substr(tokens_[tokens.begin].begin, last.begin + last.size - tokens_[tokens.begin].begin);
}

std::pair<uint32_t, uint32_t> IreeText::LineColumn(uint32_t offset) const {
  const auto after = std::upper_bound(line_begins_.begin(), line_begins_.end(), offset);
  const uint32_t line = static_cast<uint32_t>(after - line_begins_.begin());
  return {line, offset - *(after - 1) + 1};
}

absl::Status IreeText::Fault(uint32_t offset, absl::string_view message) const {
  const auto [line, column] = LineColumn(offset);
  const std::string place = absl::StrCat(line, ":", column);
  absl::Status status = absl::InvalidArgumentError(absl::StrCat(place, ": ", message));
  status.SetPayload(kIreePlacePayload, absl::Cord(place));
  return status;
}

}  // namespace bufplan
