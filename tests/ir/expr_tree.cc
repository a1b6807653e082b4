#include "tests/ir/expr_tree.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace bufplan {
namespace {

int64_t Between(std::mt19937& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}

ExprTreePtr Constant(int64_t value) { return std::make_shared<ExprTree>(ExprTree{'#', value, nullptr, nullptr}); }

ExprTreePtr Divisor(std::mt19937& random, const ExprTreeOptions& options) {
  return options.symbolic_divisors ? RandomExprTree(random, options) : Constant(Between(random, 1, 12));
}

}  // namespace

ExprTreePtr RandomExprTree(std::mt19937& random, const ExprTreeOptions& options) {
  ExprTreeOptions inner = options;
  inner.depth = options.depth - 1;
  ExprTree tree;
  if (options.depth == 0 || random() % 6 == 0) {
    tree.kind = random() % 3 == 0 ? '#' : '$';
    tree.value = tree.kind == '#' ? Between(random, -options.max_constant, options.max_constant)
                                  : Between(random, 0, options.num_symbols - 1);
    return std::make_shared<ExprTree>(tree);
  }
  const std::string kinds = options.atoms ? "+-*~+-*ca<>" : "+-*~";
  tree.kind = kinds[random() % kinds.size()];
  tree.left = RandomExprTree(random, inner);
  const bool divides = tree.kind == 'c' || tree.kind == 'a';
  if (tree.kind != '~') tree.right = divides ? Divisor(random, inner) : RandomExprTree(random, inner);
  return std::make_shared<ExprTree>(tree);
}

std::optional<int64_t> Evaluate(const ExprTree& tree, absl::Span<const int64_t> symbol_values) {
  if (tree.kind == '#') return tree.value;
  if (tree.kind == '$') return symbol_values[static_cast<size_t>(tree.value)];
  const std::optional<int64_t> left = Evaluate(*tree.left, symbol_values);
  if (tree.kind == '~') return left ? std::optional<int64_t>(-*left) : std::nullopt;
  const std::optional<int64_t> right = Evaluate(*tree.right, symbol_values);
  if (!left || !right) return std::nullopt;
  switch (tree.kind) {
    case '+': return *left + *right;
    case '-': return *left - *right;
    case '*': return *left * *right;
    case '<': return std::min(*left, *right);
    case '>': return std::max(*left, *right);
    default: break;
  }
  if (*right <= 0) return std::nullopt;
  const int64_t floor = *left >= 0 ? *left / *right : -((-*left + *right - 1) / *right);
  const int64_t ceiling = floor * *right == *left ? floor : floor + 1;
  return tree.kind == 'c' ? ceiling : ceiling * *right;
}

Expr ToExpr(const ExprTree& tree) {
  if (tree.kind == '#') return tree.value;
  if (tree.kind == '$') return Expr::FromSymbol(SymbolId(static_cast<int32_t>(tree.value)));
  const Expr left = ToExpr(*tree.left);
  if (tree.kind == '~') return -left;
  const Expr right = ToExpr(*tree.right);
  switch (tree.kind) {
    case '+': return left + right;
    case '-': return left - right;
    case '*': return left * right;
    case '<': return Min(left, right);
    case '>': return Max(left, right);
    case 'c': return CeilDiv(left, right);
    default: return Align(left, right);
  }
}

std::string ToText(const ExprTree& tree, absl::Span<const Symbol> symbols) {
  if (tree.kind == '#') return absl::StrCat(tree.value);
  if (tree.kind == '$') return symbols[static_cast<size_t>(tree.value)].name;
  const std::string left = ToText(*tree.left, symbols);
  if (tree.kind == '~') return absl::StrCat("-(", left, ")");
  const std::string right = ToText(*tree.right, symbols);
  switch (tree.kind) {
    case '<': return absl::StrCat("min(", left, ",", right, ")");
    case '>': return absl::StrCat("max( ", left, " , ", right, " )");
    case 'c': return absl::StrCat("ceildiv(", left, ", ", right, ")");
    case 'a': return absl::StrCat("align(", left, ", ", right, ")");
    default: return absl::StrCat("(", left, ")", std::string(1, tree.kind), "(", right, ")");
  }
}

std::vector<Symbol> RandomSymbols(std::mt19937& random, int32_t max_symbols, int64_t max_width) {
  std::vector<Symbol> symbols(static_cast<size_t>(Between(random, 1, max_symbols)));
  for (size_t i = 0; i < symbols.size(); ++i) {
    Symbol& symbol = symbols[i];
    symbol.name = absl::StrCat("v", i);
    symbol.min = random() % 3 == 0 ? Between(random, -4, 4) : Between(random, 0, 2);
    symbol.max = symbol.min + Between(random, 0, max_width);
    if (random() % 4 == 0) symbol.multiple_of = Between(random, 1, 3);
    if (symbol.multiple_of > 1) {
      symbol.min = -3;  // So that 0 is always in.
      symbol.max = std::max<int64_t>(symbol.max, 0);
    }
  }
  return symbols;
}

void ForEachPoint(absl::Span<const Symbol> symbols, absl::FunctionRef<void(absl::Span<const int64_t>)> visit) {
  std::vector<std::vector<int64_t>> values(symbols.size());
  for (size_t i = 0; i < symbols.size(); ++i) {
    for (int64_t v = symbols[i].min; v <= symbols[i].max; ++v) {
      if (v % symbols[i].multiple_of == 0) values[i].push_back(v);
    }
    if (values[i].empty()) return;
  }
  std::vector<size_t> at(symbols.size(), 0);
  std::vector<int64_t> point(symbols.size());
  for (;;) {
    for (size_t i = 0; i < at.size(); ++i) point[i] = values[i][at[i]];
    visit(point);
    size_t i = 0;
    while (i < at.size() && ++at[i] == values[i].size()) at[i++] = 0;
    if (i == at.size()) return;
  }
}

}  // namespace bufplan
