#include "tests/planner/reuse/fewest_edges.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace bufplan {
namespace {

class Search {
 public:
  Search(const SmallOrder& order, int max_edges)
      : order_(order), least_(static_cast<size_t>(max_edges) + 1, INT64_MAX) {
    const size_t n = order.num_ops();
    Relation relation(n, 0);
    for (size_t b = 0; b < n; ++b) {
      for (size_t a = 0; a < b; ++a) {
        if (order.stream[a] == order.stream[b]) Add(relation, a, b);
      }
      for (const auto& [a, later] : order.edges) {
        if (later == b) Add(relation, a, b);
      }
      for (const auto& [value, reader] : order.reads) {
        if (reader == b && value < n) Add(relation, value, b);
      }
    }
    accesses_.assign(order.num_values(), 0);
    for (size_t v = 0; v < n; ++v) accesses_[v] = Bit(v);
    for (const auto* uses : {&order.reads, &order.keep}) {
      for (const auto& [value, op] : *uses) accesses_[value] |= Bit(op);
    }
    for (size_t a = 0; a < n; ++a) {
      for (size_t b = 0; b < n; ++b) {
        if (order.stream[a] != order.stream[b] && !Reaches(relation, a, b) && !Reaches(relation, b, a)) {
          candidates_.emplace_back(a, b);
        }
      }
    }
    Try(relation, 0, 0);
    for (size_t k = 1; k < least_.size(); ++k) least_[k] = std::min(least_[k], least_[k - 1]);
  }
  std::vector<int64_t> least() const { return least_; }

 private:
  using Relation = std::vector<uint32_t>;  // by op: those after it

  static uint32_t Bit(size_t op) { return uint32_t{1} << op; }
  static bool Reaches(const Relation& r, size_t a, size_t b) { return (r[a] & Bit(b)) != 0; }
  static void Add(Relation& r, size_t a, size_t b) {
    const uint32_t after = r[b] | Bit(b);
    for (size_t x = 0; x < r.size(); ++x) {
      if (x == a || Reaches(r, x, a)) r[x] |= after;
    }
  }

  void Try(const Relation& relation, size_t edges, size_t next) {
    least_[edges] = std::min(least_[edges], Heaviest(relation));
    if (edges + 1 == least_.size()) return;
    for (size_t i = next; i < candidates_.size(); ++i) {
      const auto [a, b] = candidates_[i];
      if (Reaches(relation, a, b) || Reaches(relation, b, a)) continue;
      Relation more = relation;
      Add(more, a, b);
      Try(more, edges + 1, i + 1);
    }
  }

  bool Before(const Relation& relation, size_t p, size_t q) const {
    const bool p_ends = std::find(order_.outputs.begin(), order_.outputs.end(), p) == order_.outputs.end();
    if (q >= order_.num_ops() || !p_ends) return false;
    for (size_t op = 0; op < order_.num_ops(); ++op) {
      if ((accesses_[p] & Bit(op)) != 0 && !Reaches(relation, op, q)) return false;
    }
    return true;
  }

  int64_t Heaviest(const Relation& relation) const {
    const size_t n = order_.num_values();
    std::vector<uint32_t> meets(n, 0);
    for (size_t p = 0; p < n; ++p) {
      for (size_t q = 0; q < p; ++q) {
        if (!Before(relation, p, q) && !Before(relation, q, p)) meets[p] |= Bit(q);
      }
    }
    std::vector<int64_t> weight(size_t{1} << n, -1);  // by set; -1: two of it may share bytes
    weight[0] = 0;
    int64_t most = 0;
    for (size_t v = 0; v < n; ++v) {
      for (uint32_t rest = 0; rest < Bit(v); ++rest) {
        if (weight[rest] < 0 || (rest & ~meets[v]) != 0) continue;
        weight[rest | Bit(v)] = weight[rest] + order_.bytes[v];
        most = std::max(most, weight[rest | Bit(v)]);
      }
    }
    return most;
  }

  const SmallOrder& order_;
  std::vector<int64_t> least_;
  std::vector<uint32_t> accesses_;  // by value
  std::vector<std::pair<size_t, size_t>> candidates_;
};

}  // namespace

std::vector<int64_t> LeastBytesByEdges(const SmallOrder& order, int max_edges) {
  return Search(order, max_edges).least();
}

}  // namespace bufplan
