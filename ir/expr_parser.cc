// ParseExpr: recursive descent over the grammar in ir/expr.h.

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/expr.h"

namespace bufplan {
namespace {

using FindSymbol = absl::FunctionRef<std::optional<SymbolId>(absl::string_view)>;

constexpr size_t kMaxTextBytes = 65536;
constexpr int kMaxDepth = 200;
// What all operations together may cost, in terms and factors touched.
constexpr int64_t kMaxWork = int64_t{1} << 22;

bool IsNameStart(char c) { return absl::ascii_isalpha(c) || c == '_' || c == '$' || static_cast<signed char>(c) < 0; }

bool IsNamePart(char c) { return IsNameStart(c) || absl::ascii_isdigit(c) || c == '.'; }

class Parser {
 public:
  Parser(absl::string_view text, FindSymbol find_symbol) : text_(text), find_symbol_(find_symbol) { Advance(); }

  absl::StatusOr<Expr> Parse() {
    absl::StatusOr<Expr> sum = ParseSum();
    if (sum.ok() && !token_.empty()) return Error(begin_, token_, "expected an operator or the end");
    return sum;
  }

 private:
  // Moves to the next token: a name, an integer, or one byte; empty at the end.
  void Advance() {
    size_t begin = begin_ + token_.size();
    while (begin < text_.size() && absl::ascii_isspace(text_[begin])) ++begin;
    size_t end = begin;
    if (begin < text_.size() && IsNameStart(text_[begin])) {
      while (end < text_.size() && IsNamePart(text_[end])) ++end;
    } else if (begin < text_.size() && absl::ascii_isdigit(text_[begin])) {
      // Letters and dots are taken along, so that "12ab" and "1.5" are reported whole.
      while (end < text_.size() && IsNamePart(text_[end])) ++end;
    } else if (begin < text_.size()) {
      ++end;
    }
    begin_ = begin;
    token_ = text_.substr(begin, end - begin);
  }

  static absl::Status Error(size_t at, absl::string_view token, absl::string_view problem) {
    std::string shown = token.empty() ? "the end" : absl::StrCat("\"", absl::CHexEscape(token.substr(0, 40)), "\"");
    if (token.size() > 40) absl::StrAppend(&shown, "...");
    return absl::InvalidArgumentError(absl::StrCat("column ", at + 1, ", at ", shown, ": ", problem));
  }

  // The result of the operator or function `token` at `at`.
  absl::StatusOr<Expr> Checked(Expr result, size_t at, absl::string_view token) {
    if (!result.valid()) return Error(at, token, result.error());
    return result;
  }

  absl::Status Spend(int64_t work, size_t at, absl::string_view token) {
    work_ += work;
    if (work_ <= kMaxWork) return absl::OkStatus();
    return Error(at, token, "the expression takes too much work to multiply out");
  }

  absl::StatusOr<Expr> ParseSum() {
    absl::StatusOr<Expr> sum = ParseProduct();
    while (sum.ok() && (token_ == "+" || token_ == "-")) {
      const size_t at = begin_;
      const absl::string_view op = token_;
      Advance();
      absl::StatusOr<Expr> next = ParseProduct();
      if (!next.ok()) return next;
      absl::Status spent = Spend(sum->size() + next->size(), at, op);
      if (!spent.ok()) return spent;
      sum = Checked(op == "+" ? *sum + *next : *sum - *next, at, op);
    }
    return sum;
  }

  absl::StatusOr<Expr> ParseProduct() {
    absl::StatusOr<Expr> product = ParseUnary();
    while (product.ok() && token_ == "*") {
      const size_t at = begin_;
      const absl::string_view op = token_;
      Advance();
      absl::StatusOr<Expr> next = ParseUnary();
      if (!next.ok()) return next;
      absl::Status spent = Spend(product->size() * next->size(), at, op);
      if (!spent.ok()) return spent;
      product = Checked(*product * *next, at, op);
    }
    return product;
  }

  absl::StatusOr<Expr> ParseUnary() {
    const size_t at = begin_;
    bool negative = false;
    for (; token_ == "-"; Advance()) negative = !negative;
    // The sign belongs to an integer, so that the smallest one can be written.
    if (!token_.empty() && absl::ascii_isdigit(token_[0])) return ParseInteger(negative);
    absl::StatusOr<Expr> operand = ParsePrimary();
    if (!operand.ok() || !negative) return operand;
    return Checked(-*operand, at, "-");
  }

  absl::StatusOr<Expr> ParseInteger(bool negative) {
    int64_t value = 0;
    for (const char c : token_) {
      if (!absl::ascii_isdigit(c)) return Error(begin_, token_, "malformed integer");
      const int64_t digit = negative ? '0' - c : c - '0';
      if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, digit, &value)) {
        return Error(begin_, token_, "the integer does not fit 64 bits");
      }
    }
    Advance();
    return Expr(value);
  }

  absl::StatusOr<Expr> ParsePrimary() {
    const size_t at = begin_;
    const absl::string_view token = token_;
    if (token == "(") {
      absl::StatusOr<Expr> sum = ParseNested();
      if (!sum.ok()) return sum;
      absl::Status closed = Expect(")");
      if (!closed.ok()) return closed;
      return sum;
    }
    if (token.empty() || !IsNameStart(token[0])) {
      return Error(at, token, "expected an integer, a symbol, a function or \"(\"");
    }
    Advance();
    if (token_ == "(") return ParseCall(at, token);
    const std::optional<SymbolId> symbol = find_symbol_(token);
    if (!symbol) return Error(at, token, "unknown symbol");
    return Checked(Expr::FromSymbol(*symbol), at, token);
  }

  // "(" or "," and the sum after it.
  absl::StatusOr<Expr> ParseNested() {
    if (depth_ == kMaxDepth) {
      return Error(begin_, token_, absl::StrCat("nested more than ", kMaxDepth, " levels deep"));
    }
    Advance();
    ++depth_;
    absl::StatusOr<Expr> sum = ParseSum();
    --depth_;
    return sum;
  }

  absl::Status Expect(absl::string_view token) {
    if (token_ != token) return Error(begin_, token_, absl::StrCat("expected \"", token, "\""));
    if (token != ",") Advance();  // ParseNested takes the comma.
    return absl::OkStatus();
  }

  absl::StatusOr<Expr> ParseCall(size_t at, absl::string_view name) {
    if (name != "ceildiv" && name != "align" && name != "min" && name != "max") {
      return Error(at, name, "unknown function; there are ceildiv, align, min and max");
    }
    absl::StatusOr<Expr> a = ParseNested();
    if (!a.ok()) return a;
    absl::Status comma = Expect(",");
    if (!comma.ok()) return comma;
    absl::StatusOr<Expr> b = ParseNested();
    if (!b.ok()) return b;
    absl::Status closed = Expect(")");
    if (!closed.ok()) return closed;
    const int64_t work = name == "align" ? a->size() * b->size() : a->size() + b->size();
    absl::Status spent = Spend(work, at, name);
    if (!spent.ok()) return spent;
    if (name == "ceildiv") return Checked(CeilDiv(*a, *b), at, name);
    if (name == "align") return Checked(Align(*a, *b), at, name);
    return Checked(name == "min" ? Min(*a, *b) : Max(*a, *b), at, name);
  }

  const absl::string_view text_;
  const FindSymbol find_symbol_;
  size_t begin_ = 0;         // Of token_ in text_.
  absl::string_view token_;  // The token not yet consumed.
  int depth_ = 0;
  int64_t work_ = 0;
};

}  // namespace

bool IsSymbolName(absl::string_view name) {
  if (name.empty() || name.size() > 1024 || !IsNameStart(name[0])) return false;
  for (const char c : name) {
    if (!IsNamePart(c)) return false;
  }
  return true;
}

absl::StatusOr<Expr> ParseExpr(absl::string_view text, FindSymbol find_symbol) {
  if (text.size() > kMaxTextBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("expression of ", text.size(), " bytes, must be <= ", kMaxTextBytes));
  }
  return Parser(text, find_symbol).Parse();
}

absl::StatusOr<Expr> ParseExpr(absl::string_view text, absl::Span<const Symbol> symbols) {
  return ParseExpr(text, [&](absl::string_view name) -> std::optional<SymbolId> {
    for (size_t i = 0; i < symbols.size(); ++i) {
      if (symbols[i].name == name) return SymbolId(static_cast<int32_t>(i));
    }
    return std::nullopt;
  });
}

}  // namespace bufplan
