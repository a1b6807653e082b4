// Test support: random acyclic relations of ops on streams, and their closure by brute force.
#ifndef BUFPLAN_TESTS_PLANNER_ORDER_RANDOM_RELATION_H_
#define BUFPLAN_TESTS_PLANNER_ORDER_RANDOM_RELATION_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace bufplan {

struct RandomRelation {
  std::vector<int32_t> stream;                     // by op
  int32_t num_streams = 1;                         // some may have no ops
  std::vector<std::pair<int32_t, int32_t>> edges;  // across streams; some lead backward in the list
  std::vector<std::pair<int32_t, int32_t>> more;   // likewise, and no cycle with the others
};

// The closure of stream order and edges: reaches[a][b].
inline std::vector<std::vector<char>> Closure(const std::vector<int32_t>& stream,
                                              const std::vector<std::pair<int32_t, int32_t>>& edges) {
  const size_t n = stream.size();
  std::vector<std::vector<char>> reaches(n, std::vector<char>(n, 0));
  for (size_t a = 0; a < n; ++a) {
    for (size_t b = a + 1; b < n; ++b) reaches[a][b] = stream[a] == stream[b];
  }
  for (const auto& [a, b] : edges) reaches[static_cast<size_t>(a)][static_cast<size_t>(b)] = 1;
  for (size_t k = 0; k < n; ++k) {
    for (size_t a = 0; a < n; ++a) {
      for (size_t b = 0; b < n; ++b) reaches[a][b] = reaches[a][b] != 0 || (reaches[a][k] != 0 && reaches[k][b] != 0);
    }
  }
  return reaches;
}

// The streams run in a random interleaving, which all edges follow; `edges` those of the list too, with few exceptions
// if `backward`.
inline RandomRelation MakeRandomRelation(std::mt19937_64& random, size_t max_ops, int32_t max_streams, bool backward) {
  RandomRelation r;
  const size_t n = 1 + random() % max_ops;
  r.num_streams = 1 + static_cast<int32_t>(random() % static_cast<uint64_t>(max_streams));
  for (size_t i = 0; i < n; ++i) {
    r.stream.push_back(static_cast<int32_t>(random() % static_cast<uint64_t>(r.num_streams)));
  }
  // By op, its place in the run: shuffled, then sorted within each stream.
  std::vector<int32_t> place(n);
  std::iota(place.begin(), place.end(), 0);
  if (backward) std::shuffle(place.begin(), place.end(), random);
  for (int32_t s = 0; s < r.num_streams; ++s) {
    std::vector<int32_t> places;
    for (size_t i = 0; i < n; ++i) {
      if (r.stream[i] == s) places.push_back(place[i]);
    }
    std::sort(places.begin(), places.end());
    size_t next = 0;
    for (size_t i = 0; i < n; ++i) {
      if (r.stream[i] == s) place[i] = places[next++];
    }
  }
  for (auto* list : {&r.edges, &r.more}) {
    const size_t tries = random() % (n + 2);
    for (size_t i = 0; i < tries; ++i) {
      size_t a = random() % n, b = random() % n;
      if (r.stream[a] == r.stream[b]) continue;
      if (place[a] > place[b]) std::swap(a, b);
      list->emplace_back(static_cast<int32_t>(a), static_cast<int32_t>(b));
    }
  }
  return r;
}

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_PLANNER_ORDER_RANDOM_RELATION_H_
