// Collects violations, up to a limit, and says each thing once.
//
// THREADS: one at a time. LIFETIME: the graph outlives this.
#ifndef BUFPLAN_IR_CHECKER_REPORTER_H_
#define BUFPLAN_IR_CHECKER_REPORTER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "ir/checker/violation.h"
#include "ir/graph.h"
#include "ir/id.h"

namespace bufplan::checker {

class Reporter {
 public:
  Reporter(const Graph& graph, int max_violations) : graph_(&graph), max_violations_(max_violations) {}

  // Violations from now on happen at these symbol values.
  void SetSymbols(absl::Span<const int64_t> values) { symbols_.assign(values.begin(), values.end()); }
  // No more violations are wanted.
  bool full() const { return static_cast<int64_t>(violations_.size()) >= max_violations_; }
  bool empty() const { return violations_.empty(); }
  size_t count() const { return violations_.size(); }

  void Add(ViolationKind kind, std::string message);
  // Whether a violation of this kind between these parties (indices, or -1) is new; then it counts as said.
  bool IsNew(ViolationKind kind, int32_t subject, int32_t other = -1);

  std::vector<Violation> Take() && { return std::move(violations_); }

  std::string Text(ValueId v) const;     // value "K1"
  std::string Text(OpId o) const;        // op "upd"
  static std::string Text(ByteRange r);  // [0,8192)

 private:
  const Graph* graph_;
  int64_t max_violations_;
  std::vector<int64_t> symbols_;
  std::vector<Violation> violations_;
  absl::flat_hash_set<std::tuple<int, int32_t, int32_t>> said_;
};

}  // namespace bufplan::checker

#endif  // BUFPLAN_IR_CHECKER_REPORTER_H_
