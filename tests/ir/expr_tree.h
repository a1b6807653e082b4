// Test support: random expressions as plain syntax trees, evaluated node by node, to hold Expr and the proofs against.
#ifndef BUFPLAN_TESTS_IR_EXPR_TREE_H_
#define BUFPLAN_TESTS_IR_EXPR_TREE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "ir/expr.h"

namespace bufplan {

struct ExprTree {
  // '#' constant, '$' symbol, '+', '-', '*', '~' (negation), 'c' ceildiv, 'a' align, '<' min, '>' max
  char kind = '#';
  int64_t value = 0;  // The constant, or the index of the symbol.
  std::shared_ptr<const ExprTree> left, right;
};
using ExprTreePtr = std::shared_ptr<const ExprTree>;

struct ExprTreeOptions {
  int32_t num_symbols = 2;
  int depth = 3;
  int64_t max_constant = 9;
  bool atoms = true;               // ceildiv, align, min, max
  bool symbolic_divisors = false;  // else divisors are constants >= 1
};

ExprTreePtr RandomExprTree(std::mt19937& random, const ExprTreeOptions& options);

// By the meaning of each node; nullopt if a divisor is <= 0. Small numbers only.
std::optional<int64_t> Evaluate(const ExprTree& tree, absl::Span<const int64_t> symbol_values);

Expr ToExpr(const ExprTree& tree);
std::string ToText(const ExprTree& tree, absl::Span<const Symbol> symbols);

// One to `max_symbols` symbols with small ranges and now and then a `multiple_of`.
std::vector<Symbol> RandomSymbols(std::mt19937& random, int32_t max_symbols, int64_t max_width);

// Calls `visit` with every point of the box.
void ForEachPoint(absl::Span<const Symbol> symbols, absl::FunctionRef<void(absl::Span<const int64_t>)> visit);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_IR_EXPR_TREE_H_
