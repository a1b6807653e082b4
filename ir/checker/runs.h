// Regions at given symbol values, as runs of bytes.
#ifndef BUFPLAN_IR_CHECKER_RUNS_H_
#define BUFPLAN_IR_CHECKER_RUNS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "ir/checker/nest.h"
#include "ir/graph.h"

namespace bufplan::checker {

// Runs of a value, in some array. One run lies in `span` itself and nowhere else; several are [first, first + count) of
// the array and lie inside `span`. No byte: an empty span. A coarse list is a span in which runs lie that nobody
// spelled out: those of a nest, which is number `first`.
struct RunList {
  ByteRange span;
  size_t first = 0;
  size_t count = 0;  // 0: the span is the only run
  bool coarse = false;
  int64_t coarse_bytes = 0;  // coarse: of the runs
  bool empty() const { return span.empty(); }
  bool has_gaps() const { return coarse && coarse_bytes < span.size(); }
};

class RunPool {
 public:
  // At most `max_runs` runs of strided boxes are made in the pool's life; symbol i is symbol_values[i].
  RunPool(absl::Span<const int64_t> symbol_values, int64_t max_runs) : symbols_(symbol_values), left_(max_runs) {}

  // Of a coarse list.
  const Nest& nest(const RunList& list) const { return nests_[list.first]; }

  absl::Span<const ByteRange> runs(const RunList& list) const {
    if (list.count == 0) return absl::MakeConstSpan(&list.span, list.empty() ? 0 : 1);
    return absl::MakeConstSpan(runs_).subspan(list.first, list.count);
  }
  // Forgets all runs.
  void Clear() {
    runs_.clear();
    if (!nests_.empty()) nests_.clear();
  }

  std::optional<int64_t> Evaluate(const Expr& e) const {
    return e.is_constant() ? std::optional<int64_t>(e.constant()) : e.Evaluate(symbols_);
  }
  // The region's runs in its own order, those that follow one another without a gap merged. nullopt: an expression has
  // no value, or there are too many runs. A region of more than max_exact runs gives a coarse list.
  std::optional<RunList> Expand(const Region& region, int64_t max_exact = INT64_MAX);
  // The same bytes ascending and disjoint.
  RunList Sorted(const RunList& list);
  // The bytes of [0, bytes) that are in none of the lists, each of which is sorted.
  RunList Complement(int64_t bytes, absl::Span<const RunList> lists);
  // The bytes that are in one of the lists.
  RunList Union(absl::Span<const RunList> lists);
  static int64_t Bytes(absl::Span<const ByteRange> runs);
  int64_t Bytes(const RunList& list) const {
    if (list.coarse) return list.coarse_bytes;
    return list.count == 0 ? list.span.size() : Bytes(runs(list));
  }

 private:
  // Makes a list of the runs from `first` on.
  RunList Close(size_t first);
  // All runs of the lists, ascending and disjoint, in sorted_.
  void Collect(absl::Span<const RunList> lists);

  absl::Span<const int64_t> symbols_;
  int64_t left_;
  std::vector<ByteRange> runs_;
  std::vector<Nest> nests_;
  std::vector<ByteRange> sorted_;
};

// Whether a shifted by `a_base` and b shifted by `b_base` share a byte; both ascending and disjoint. The first common
// range, as addresses.
std::optional<ByteRange> FirstCommon(absl::Span<const ByteRange> a, int64_t a_base, absl::Span<const ByteRange> b,
                                     int64_t b_base);

}  // namespace bufplan::checker

#endif  // BUFPLAN_IR_CHECKER_RUNS_H_
