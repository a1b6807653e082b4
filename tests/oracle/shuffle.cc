#include "tests/oracle/shuffle.h"

#include <utility>
#include <vector>

#include "tests/oracle/random.h"
#include "tests/oracle/rebuild.h"

namespace bufplan {
namespace {

// The list's items in another order, some of them twice if `repeat`.
template <class T>
void ShuffleList(bool repeat, Rng& rng, std::vector<T>& list) {
  const size_t n = list.size();
  for (size_t i = 0; i < n && repeat; ++i) {
    if (rng.Percent(30)) list.push_back(list[i]);
  }
  rng.Shuffle(list);
}

}  // namespace

absl::StatusOr<Graph> Shuffle(const Graph& graph, const ShuffleOptions& options, uint64_t seed) {
  Rng rng(seed);
  Recipe recipe = WholeRecipe(graph);
  if (options.values) rng.Shuffle(recipe.values);
  if (options.constraints) {
    ShuffleList(true, rng, recipe.order);
    ShuffleList(true, rng, recipe.keep_alive);
    ShuffleList(true, rng, recipe.disjoint);
    ShuffleList(false, rng, recipe.outputs);
    for (DisjointPair& d : recipe.disjoint) {
      if (rng.Percent(50)) std::swap(d.a, d.b);
    }
    for (Fusion& f : recipe.fusions) rng.Shuffle(f.ops);
  }
  return Rebuild(graph, recipe);
}

}  // namespace bufplan
