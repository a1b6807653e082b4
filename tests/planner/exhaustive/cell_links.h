// Which values of a small graph may gain from lying together, and how.
#ifndef BUFPLAN_TESTS_PLANNER_EXHAUSTIVE_CELL_LINKS_H_
#define BUFPLAN_TESTS_PLANNER_EXHAUSTIVE_CELL_LINKS_H_

#include <vector>

#include "tests/planner/exhaustive/cell_graph.h"

namespace bufplan {

class CellLinks {
 public:
  explicit CellLinks(const CellGraph& graph);

  // In how many cells from the beginning of `from` value `to` may begin: over a base, a part of a movement, a commit or
  // equal content, or by a chain of these through values that are made later than both. Ascending.
  const std::vector<int>& Distances(int from, int to) const {
    return distances_[static_cast<size_t>(from)][static_cast<size_t>(to)];
  }
  // Values in the order in which they come to be: those at the start first.
  const std::vector<int>& order() const { return order_; }

 private:
  void Add(int from, int to, int distance);
  void LinkOps(const CellGraph& graph);
  void LinkContent(const CellGraph& graph);
  void Chain();

  std::vector<std::vector<std::vector<int>>> distances_;
  std::vector<int> order_;
};

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_PLANNER_EXHAUSTIVE_CELL_LINKS_H_
