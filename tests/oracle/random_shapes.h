// Random sizes and regions, small enough for the oracle, and provably inside their value for all symbol values.
//
// THREADS: one at a time. Deterministic for a given Rng.
#ifndef BUFPLAN_TESTS_ORACLE_RANDOM_SHAPES_H_
#define BUFPLAN_TESTS_ORACLE_RANDOM_SHAPES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/expr.h"
#include "ir/graph.h"
#include "tests/oracle/random.h"

namespace bufplan {

class RandomShapes {
 public:
  // The largest size that Size() gives.
  static constexpr int64_t kMaxBytes = 96;

  // LIFETIME: rng must outlive this.
  RandomShapes(Rng& rng, std::vector<Symbol> symbols, bool zero_bytes);

  const std::vector<Symbol>& symbols() const { return symbols_; }

  // Mostly one of a few sizes, so that values fit each other.
  Expr Size();
  // The greatest value of a size; kMaxBytes + 1 or more if it is too large or unknown.
  int64_t MaxOf(const Expr& size) const;

  // [at, at + bytes) inside a value of `size` bytes.
  struct Range {
    Expr at, bytes;
  };
  Range RangeIn(const Expr& size);
  // One run or boxes inside a value of `size` bytes; `apart`: no byte twice, and no box is ever without runs.
  Region RegionIn(const Expr& size, bool strided, bool apart);
  // Boxes or one run of `bytes` bytes, from `at` on, no byte twice; one run unless `bytes` is a constant.
  Region Spread(const Expr& at, const Expr& bytes, bool strided);

  bool ProvenInside(const Region& region, const Expr& size) const;

 private:
  Expr FreshSize();
  Expr SymbolicSize();
  Expr SmallMultiple();  // of a symbol

  Rng& rng_;
  std::vector<Symbol> symbols_;
  std::vector<Expr> common_;
  bool zero_bytes_;
};

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_ORACLE_RANDOM_SHAPES_H_
