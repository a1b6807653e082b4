// Orders for first fit.
//
// TIES: everywhere the lower storage index first, after the criteria named.
// COST: O(n log n) each. THREADS: no shared state.
#ifndef BUFPLAN_PLANNER_PLACEMENT_ORDERS_H_
#define BUFPLAN_PLANNER_PLACEMENT_ORDERS_H_

#include <cstdint>
#include <vector>

#include "planner/placement/placement.h"

namespace bufplan {

// What orders are made of, by storage.
struct StorageTraits {
  std::vector<int64_t> size_bytes;
  std::vector<int64_t> begin, end;  // of the first and the last piece; 0 without pieces
  std::vector<double> area;         // sum of bytes times time over the pieces
  std::vector<int64_t> busiest;     // the largest load at a time of its life (pieces summed, whatever their bytes)
};

StorageTraits ComputeTraits(const PlacementProblem& problem);

enum class OrderKind : uint8_t {
  kSize,          // largest first
  kArea,          // most bytes times time first
  kDuration,      // longest first
  kStart,         // earliest first
  kSizeDuration,  // largest, then longest first
  kDurationSize,  // longest, then largest first
  kBusiest,       // highest load at some time of its life, then size, then area
  kBusiestArea,   // highest load, then area
  kEnd,           // latest end first
  kReverseStart,  // latest start first
};

inline constexpr OrderKind kNamedOrders[] = {OrderKind::kSize, OrderKind::kArea, OrderKind::kDuration,
                                             OrderKind::kStart};
inline constexpr OrderKind kExtraOrders[] = {OrderKind::kSizeDuration, OrderKind::kBusiest,
                                             OrderKind::kBusiestArea,  OrderKind::kDurationSize,
                                             OrderKind::kReverseStart, OrderKind::kEnd};

std::vector<int32_t> MakeOrder(const StorageTraits& traits, OrderKind kind);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_ORDERS_H_
