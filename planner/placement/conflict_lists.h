// Which pieces are live at the same time, as one list per piece, where that is affordable.
//
// Built once, the lists serve every first-fit pass: with few neighbours per piece a pass over lists beats any search
// structure. COST: Build: time and space O(n log n + pairs), O(n * chains) more with an order. THREADS: const calls may
// be concurrent.
#ifndef BUFPLAN_PLANNER_PLACEMENT_CONFLICT_LISTS_H_
#define BUFPLAN_PLANNER_PLACEMENT_CONFLICT_LISTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "planner/placement/placement.h"

namespace bufplan {

class ConflictLists {
 public:
  // Absent if more than `max_pairs` pairs of pieces meet in time (those of one storage may be among the counted).
  static std::optional<ConflictLists> Build(const PlacementProblem& problem, int64_t max_pairs);

  // The pieces of other storages that meet the given one in time.
  absl::Span<const int32_t> Of(size_t piece) const {
    return {neighbours_.data() + first_[piece], static_cast<size_t>(first_[piece + 1] - first_[piece])};
  }

 private:
  ConflictLists(size_t num_pieces, absl::Span<const std::pair<int32_t, int32_t>> pairs);

  std::vector<int64_t> first_;
  std::vector<int32_t> neighbours_;
};

// The storage of each piece.
std::vector<int32_t> OwnersOfPieces(const PlacementProblem& problem);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_CONFLICT_LISTS_H_
