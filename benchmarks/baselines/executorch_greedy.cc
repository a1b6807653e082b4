#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmarks/baselines/baselines.h"
#include "benchmarks/baselines/overlaps.h"

namespace bufplan {

absl::StatusOr<BaselinePlan> ExecutorchGreedy(const Problem& problem, const BaselineLimits& limits) {
  if (absl::Status s = CheckKnown(problem, limits, /*knows_chunks=*/false); !s.ok()) return s;
  std::vector<int32_t> order = Participants(problem);
  const int64_t most_objects = CountOverlaps(problem).max_live;
  if (most_objects > 0 && static_cast<int64_t>(order.size()) > limits.max_steps / most_objects) {
    return absl::ResourceExhaustedError(absl::StrCat(order.size(), " buffers and up to ", most_objects, " objects"));
  }
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return problem.buffers[static_cast<size_t>(a)].begin < problem.buffers[static_cast<size_t>(b)].begin;
  });

  struct Object {
    int64_t size, alignment, free_from;
  };
  std::vector<Object> objects;
  std::vector<size_t> object_of(problem.buffers.size(), 0);
  for (int32_t i : order) {
    const Buffer& b = problem.buffers[static_cast<size_t>(i)];
    size_t picked = objects.size();
    int64_t least = INT64_MAX;
    for (size_t o = 0; o < objects.size(); ++o) {
      const int64_t difference = std::abs(objects[o].size - b.bytes);
      if (objects[o].free_from > b.begin || difference >= least) continue;
      least = difference;
      picked = o;
    }
    if (picked == objects.size()) objects.push_back({0, 1, 0});
    Object& object = objects[picked];
    object = {std::max(object.size, b.bytes), std::max(object.alignment, problem.alignment(b)), b.end};
    object_of[static_cast<size_t>(i)] = picked;
  }
  std::vector<int64_t> offset_of_object;
  int64_t end = 0;
  for (const Object& o : objects) {
    offset_of_object.push_back(AlignUp(end, o.alignment));
    end = offset_of_object.back() + o.size;
  }
  std::vector<int64_t> offsets(problem.buffers.size(), 0);
  for (int32_t i : order) offsets[static_cast<size_t>(i)] = offset_of_object[object_of[static_cast<size_t>(i)]];
  return InOneChunk(problem, std::move(offsets));
}

}  // namespace bufplan
