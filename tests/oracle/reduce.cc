#include "tests/oracle/reduce.h"

#include <cstddef>
#include <utility>

#include "absl/status/statusor.h"
#include "tests/oracle/rebuild.h"

namespace bufplan {
namespace {

class Reducer {
 public:
  Reducer(Graph graph, const std::function<bool(const Graph&)>& fails) : graph_(std::move(graph)), fails_(fails) {}

  Graph Run() {
    for (bool progress = true; progress;) {
      progress = DropOps();
      progress = Drop(&Recipe::fusions) || progress;
      progress = Drop(&Recipe::keep_alive) || progress;
      progress = Drop(&Recipe::disjoint) || progress;
      progress = Drop(&Recipe::order) || progress;
      progress = Drop(&Recipe::outputs) || progress;
      progress = Drop(&Recipe::values) || progress;
    }
    return std::move(graph_);
  }

 private:
  bool Try(const Recipe& recipe) {
    absl::StatusOr<Graph> smaller = Rebuild(graph_, recipe);
    if (!smaller.ok() || !fails_(*smaller)) return false;
    graph_ = *std::move(smaller);
    return true;
  }

  // An op goes with its results.
  bool DropOps() {
    bool progress = false;
    for (size_t i = graph_.ops().size(); i-- > 0;) {
      Recipe recipe = WholeRecipe(graph_);
      recipe.keeps_op[i] = false;
      for (const Write& w : graph_.writes(graph_.ops()[i])) std::erase(recipe.values, w.value.index());
      progress = Try(recipe) || progress;
    }
    return progress;
  }

  template <class T>
  bool Drop(std::vector<T> Recipe::*list) {
    bool progress = false;
    for (size_t i = (WholeRecipe(graph_).*list).size(); i-- > 0;) {
      Recipe recipe = WholeRecipe(graph_);
      std::vector<T>& items = recipe.*list;
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
      progress = Try(recipe) || progress;
    }
    return progress;
  }

  Graph graph_;
  const std::function<bool(const Graph&)>& fails_;
};

}  // namespace

Graph Reduce(Graph graph, const std::function<bool(const Graph&)>& fails) {
  return Reducer(std::move(graph), fails).Run();
}

}  // namespace bufplan
