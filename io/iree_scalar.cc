#include "io/iree_scalar.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "io/iree_cursor.h"
#include "ir/expr_proof.h"

namespace bufplan {
namespace {

constexpr int64_t kMaxExprSize = 256;
constexpr uint32_t kMaxMapTokens = 256;
constexpr size_t kMaxNamed = 4;  // symbols that a message names

using Kind = IreeTokenKind;

// What `compute` makes of both values, if both are known.
template <class Compute>
IreeScalar Combine(const IreeScalar& a, const IreeScalar& b, Compute compute) {
  if (!a.why.empty()) return a;
  if (!b.why.empty()) return b;
  IreeScalar result;
  result.unranged = a.unranged;
  for (const std::string& name : b.unranged) {
    if (result.unranged.size() >= kMaxNamed) break;
    if (std::find(result.unranged.begin(), result.unranged.end(), name) == result.unranged.end()) {
      result.unranged.push_back(name);
    }
  }
  if (!result.known()) return result;
  std::optional<Expr> value = compute(a.value, b.value);
  if (!value.has_value()) return IreeScalar::Unknown("a division whose operands are not proven to be positive");
  if (!value->valid()) return IreeScalar::Unknown(value->error());
  if (value->size() > kMaxExprSize) return IreeScalar::Unknown("an expression of too many terms");
  result.value = *std::move(value);
  return result;
}

class Arithmetic {
 public:
  explicit Arithmetic(absl::Span<const Symbol> symbols) : symbols_(symbols) {}

  IreeScalar Add(const IreeScalar& a, const IreeScalar& b) const {
    return Combine(a, b, [](const Expr& x, const Expr& y) -> std::optional<Expr> { return x + y; });
  }
  IreeScalar Subtract(const IreeScalar& a, const IreeScalar& b) const {
    return Combine(a, b, [](const Expr& x, const Expr& y) -> std::optional<Expr> { return x - y; });
  }
  IreeScalar Multiply(const IreeScalar& a, const IreeScalar& b) const {
    return Combine(a, b, [](const Expr& x, const Expr& y) -> std::optional<Expr> { return x * y; });
  }
  // `natural`: the dividend must not be negative.
  IreeScalar Ceil(const IreeScalar& a, const IreeScalar& b, bool natural) const {
    return Combine(a, b, [&](const Expr& x, const Expr& y) { return Divide(x, y, y - 1, natural); });
  }
  IreeScalar Floor(const IreeScalar& a, const IreeScalar& b, bool natural) const {
    return Combine(a, b, [&](const Expr& x, const Expr& y) { return Divide(x, y, 0, natural); });
  }
  IreeScalar Remainder(const IreeScalar& a, const IreeScalar& b, bool natural) const {
    return Combine(a, b, [&](const Expr& x, const Expr& y) -> std::optional<Expr> {
      const std::optional<Expr> quotient = Divide(x, y, 0, natural);
      if (!quotient.has_value()) return std::nullopt;
      return x - y * *quotient;
    });
  }
  IreeScalar Least(const IreeScalar& a, const IreeScalar& b, bool natural) const { return Extreme(a, b, Min, natural); }
  IreeScalar Most(const IreeScalar& a, const IreeScalar& b, bool natural) const { return Extreme(a, b, Max, natural); }
  // Itself if it is no less than zero.
  IreeScalar Natural(const IreeScalar& a) const {
    if (!a.known() || ProveNonNegative(a.value, symbols_)) return a;
    return IreeScalar::Unknown("a number that may be negative, taken as unsigned");
  }

 private:
  // floor((x + add) / y)
  std::optional<Expr> Divide(const Expr& x, const Expr& y, const Expr& add, bool natural) const {
    if (!ProveNonNegative(y - 1, symbols_) || (natural && !ProveNonNegative(x, symbols_))) return std::nullopt;
    return CeilDiv(x + add - (y - 1), y);
  }
  IreeScalar Extreme(const IreeScalar& a, const IreeScalar& b, Expr (*extreme)(const Expr&, const Expr&),
                     bool natural) const {
    return Combine(natural ? Natural(a) : a, natural ? Natural(b) : b,
                   [&](const Expr& x, const Expr& y) -> std::optional<Expr> { return extreme(x, y); });
  }

  absl::Span<const Symbol> symbols_;
};

// Reads affine_map<(d0)[s0] -> (d0 + s0, ...)> and evaluates its results.
class AffineMap {
 public:
  AffineMap(const IreeText& text, const IreeModule& module, IreeTokenRange tokens,
            absl::Span<const IreeScalar> operands, const Arithmetic& arithmetic)
      : in_(text, tokens, "affine_map", module), operands_(operands), arithmetic_(arithmetic) {}

  std::optional<std::vector<IreeScalar>> Results() {
    if (!in_.AcceptWord("affine_map") || !in_.Accept('<')) return std::nullopt;
    size_t count = 0;
    const auto declare = [&] { places_.emplace(in_.Take(Kind::kWord, "a name"), count++); };
    in_.Expect('(', "'('");
    in_.List(')', declare);
    if (in_.Accept('[')) in_.List(']', declare);
    if (count != operands_.size()) return std::nullopt;
    in_.Expect(kIreeArrow, "'->'");
    in_.Expect('(', "'('");
    std::vector<IreeScalar> results;
    in_.List(')', [&] { results.push_back(Sum()); });
    if (!in_.ok() || results.empty()) return std::nullopt;
    return results;
  }

 private:
  IreeScalar Sum() {
    IreeScalar sum = Product();
    while (true) {
      if (in_.Accept('+')) {
        sum = arithmetic_.Add(sum, Product());
      } else if (in_.Accept('-')) {
        sum = arithmetic_.Subtract(sum, Product());
      } else {
        return sum;
      }
    }
  }
  IreeScalar Product() {
    IreeScalar product = Factor();
    while (true) {
      if (in_.Accept('*')) {
        product = arithmetic_.Multiply(product, Factor());
      } else if (in_.AcceptWord("ceildiv")) {
        product = arithmetic_.Ceil(product, Factor(), /*natural=*/false);
      } else if (in_.AcceptWord("floordiv")) {
        product = arithmetic_.Floor(product, Factor(), /*natural=*/false);
      } else if (in_.AcceptWord("mod")) {
        product = arithmetic_.Remainder(product, Factor(), /*natural=*/false);
      } else {
        return product;
      }
    }
  }
  IreeScalar Factor() {
    if (in_.Accept('-')) return arithmetic_.Subtract(IreeScalar{}, Factor());
    if (in_.Accept('(')) {
      IreeScalar inner = Sum();
      in_.Expect(')', "')'");
      return inner;
    }
    if (in_.NextIs(Kind::kNumber)) {
      int64_t number = 0;
      if (!absl::SimpleAtoi(in_.Take(Kind::kNumber, "a number"), &number)) in_.Fail("a number beyond 64 bits");
      return {number, {}, ""};
    }
    const auto found = places_.find(in_.Take(Kind::kWord, "a dimension or symbol"));
    if (found == places_.end()) {
      in_.Fail("an unknown dimension or symbol");
      return {};
    }
    return operands_[found->second];
  }

  IreeCursor in_;
  absl::Span<const IreeScalar> operands_;
  const Arithmetic& arithmetic_;
  absl::flat_hash_map<absl::string_view, size_t> places_;
};

IreeScalar Constant(const IreeOp& op) {
  int64_t number = 0;
  if (op.result_types.empty() || !IsIreeInteger(op.result_types[0].text) || op.literal.empty() ||
      !absl::SimpleAtoi(op.literal, &number)) {
    return IreeScalar::Unknown(op.name);
  }
  return {number, {}, ""};
}

IreeScalar Affine(const IreeText& text, const IreeModule& module, const IreeOp& op,
                  absl::Span<const IreeScalar> operands, const Arithmetic& arithmetic) {
  IreeTokenRange map = op.map;
  if (!map.empty() && text.tokens()[map.begin].kind == Kind::kAttr) {
    const auto alias = module.attr_aliases.find(text.Spelling(map.begin));
    if (alias == module.attr_aliases.end()) {
      return IreeScalar::Unknown(
          absl::StrCat(op.name, " of the map ", text.Spelling(map.begin), ", which is not there"));
    }
    map = alias->second;
  }
  if (map.end - map.begin > kMaxMapTokens) return IreeScalar::Unknown("an affine map that is too long");
  std::optional<std::vector<IreeScalar>> results = AffineMap(text, module, map, operands, arithmetic).Results();
  if (!results.has_value() || (op.name == "affine.apply" && results->size() != 1)) {
    return IreeScalar::Unknown(absl::StrCat(op.name, " of a map that does not fit it"));
  }
  IreeScalar result = (*results)[0];
  for (size_t i = 1; i < results->size(); ++i) {
    result = op.name == "affine.min" ? arithmetic.Least(result, (*results)[i], false)
                                     : arithmetic.Most(result, (*results)[i], false);
  }
  return result;
}

}  // namespace

bool IsIreeInteger(absl::string_view type) {
  if (type == "index") return true;
  int64_t bits = 0;
  return absl::ConsumePrefix(&type, "i") && !type.empty() && absl::ascii_isdigit(type[0]) &&
         absl::SimpleAtoi(type, &bits);
}

int64_t IreeElementBytes(absl::string_view type) {
  if (type == "bf16") return 2;
  if (type == "index") return 8;
  if (absl::ConsumePrefix(&type, "complex<") && absl::ConsumeSuffix(&type, ">")) {
    return type.substr(0, 7) == "complex" ? 0 : 2 * IreeElementBytes(type);
  }
  for (absl::string_view prefix : {"si", "ui", "i", "f"}) {
    absl::string_view digits = type;
    if (!absl::ConsumePrefix(&digits, prefix)) continue;
    if (prefix == "f" && absl::StartsWith(digits, "8E")) return 1;
    int64_t bits = 0;
    if (digits.empty() || !absl::ascii_isdigit(digits[0]) || !absl::SimpleAtoi(digits, &bits)) return 0;
    if (bits == 1) return 1;
    return bits % 8 == 0 && bits <= 1024 ? bits / 8 : 0;
  }
  return 0;
}

IreeScalar EvaluateIreeOp(const IreeText& text, const IreeModule& module, const IreeOp& op,
                          absl::Span<const IreeScalar> operands, absl::Span<const Symbol> symbols) {
  const Arithmetic arithmetic(symbols);
  absl::string_view name = op.name;
  if (name == "arith.constant") return Constant(op);
  if (absl::StartsWith(name, "affine.") && op.known) return Affine(text, module, op, operands, arithmetic);
  if (absl::EndsWith(name, ".dispatch.workload.ordinal") && operands.size() == 1) return operands[0];
  if (name == "util.assume.int" && operands.size() == 1) return operands[0];
  if (name == "util.align" && operands.size() == 2) {
    return arithmetic.Multiply(arithmetic.Ceil(operands[0], operands[1], false), operands[1]);
  }
  const bool integers = !op.operand_types.empty() && IsIreeInteger(op.operand_types[0].text);
  if (!absl::ConsumePrefix(&name, "arith.") || !integers) return IreeScalar::Unknown(op.name);
  if (operands.size() == 1) {
    if (name == "index_cast" || name == "extsi") return operands[0];
    if (name == "index_castui" || name == "extui") return arithmetic.Natural(operands[0]);
  }
  if (operands.size() != 2) return IreeScalar::Unknown(op.name);
  const IreeScalar &a = operands[0], &b = operands[1];
  if (name == "addi") return arithmetic.Add(a, b);
  if (name == "subi") return arithmetic.Subtract(a, b);
  if (name == "muli") return arithmetic.Multiply(a, b);
  if (name == "divui" || name == "divsi") return arithmetic.Floor(a, b, /*natural=*/true);
  if (name == "ceildivui" || name == "ceildivsi") return arithmetic.Ceil(a, b, name == "ceildivui");
  if (name == "floordivsi") return arithmetic.Floor(a, b, /*natural=*/false);
  if (name == "remui" || name == "remsi") return arithmetic.Remainder(a, b, /*natural=*/true);
  if (name == "minui" || name == "minsi") return arithmetic.Least(a, b, name == "minui");
  if (name == "maxui" || name == "maxsi") return arithmetic.Most(a, b, name == "maxui");
  return IreeScalar::Unknown(op.name);
}

}  // namespace bufplan
