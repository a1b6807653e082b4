#include "tests/planner/exhaustive/cell_links.h"

#include <algorithm>
#include <cstddef>

namespace bufplan {

CellLinks::CellLinks(const CellGraph& graph)
    : distances_(graph.values.size(), std::vector<std::vector<int>>(graph.values.size())) {
  for (size_t v = 0; v < graph.values.size(); ++v) {
    if (graph.values[v].role != Role::kTransient) order_.push_back(static_cast<int>(v));
  }
  for (const CellOp& op : graph.ops) {
    for (const CellWrite& w : op.writes) order_.push_back(w.value);
  }
  LinkOps(graph);
  LinkContent(graph);
  Chain();
}

void CellLinks::Add(int from, int to, int distance) {
  const auto insert = [&](int a, int b, int d) {
    std::vector<int>& list = distances_[static_cast<size_t>(a)][static_cast<size_t>(b)];
    const auto it = std::lower_bound(list.begin(), list.end(), d);
    if (it == list.end() || *it != d) list.insert(it, d);
  };
  if (from == to) return;
  insert(from, to, distance);
  insert(to, from, -distance);
}

void CellLinks::LinkOps(const CellGraph& graph) {
  for (const CellOp& op : graph.ops) {
    for (const CellWrite& w : op.writes) {
      if (w.base >= 0) Add(w.base, w.value, 0);
    }
    for (const CellRead& r : op.reads) {
      if (!op.movement) break;
      const int to = op.commit_target >= 0 ? op.commit_target : op.writes[0].value;
      for (size_t i = 0; i < r.from.size(); ++i) Add(r.value, to, r.from[i] - r.to[i]);
    }
  }
}

void CellLinks::LinkContent(const CellGraph& graph) {
  const auto link = [&](int a, const std::vector<int>& of_a, int b, const std::vector<int>& of_b) {
    for (size_t i = 0; i < of_a.size(); ++i) {
      for (size_t j = 0; j < of_b.size(); ++j) {
        if (of_a[i] == of_b[j] && of_a[i] != kAnyContent) Add(a, b, static_cast<int>(i) - static_cast<int>(j));
      }
    }
  };
  for (size_t a = 0; a < graph.values.size(); ++a) {
    const int committed = graph.values[a].committed;
    for (size_t b = 0; b < graph.values.size(); ++b) {
      const std::vector<int>& of_b = graph.values[b].content;
      link(static_cast<int>(a), graph.values[a].content, static_cast<int>(b), of_b);
      // The storage of what is committed holds that in the end.
      if (committed >= 0) {
        link(static_cast<int>(a), graph.values[static_cast<size_t>(committed)].content, static_cast<int>(b), of_b);
      }
    }
  }
}

void CellLinks::Chain() {
  for (size_t k = order_.size(); k-- > 0;) {
    const size_t by = static_cast<size_t>(order_[k]);
    for (size_t i = 0; i < k; ++i) {
      for (size_t j = 0; j < i; ++j) {
        const std::vector<int> first = distances_[static_cast<size_t>(order_[i])][by];
        const std::vector<int> second = distances_[by][static_cast<size_t>(order_[j])];
        for (int a : first) {
          for (int b : second) Add(order_[i], order_[j], a + b);
        }
      }
    }
  }
}

}  // namespace bufplan
