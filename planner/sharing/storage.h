// The result of sharing: storages, and where in them values live.
#ifndef BUFPLAN_PLANNER_SHARING_STORAGE_H_
#define BUFPLAN_PLANNER_SHARING_STORAGE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/expr.h"
#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan {

struct Storage {
  std::optional<ValueId> owner;  // a constant, external or variable: the caller's; absent: in the arena of `space`
  SpaceId space;
  int64_t size_bytes = 0;
  int64_t alignment_bytes = 1;
  std::optional<int64_t> pinned_offset_bytes;
};

struct Sharing {
  static constexpr int32_t kNoStorage = -1;  // swallowed by a fused group

  std::vector<Storage> storages;
  std::vector<int32_t> storage_of;     // by value, views included
  std::vector<Expr> offset_of;         // by value: its first byte within the storage
  std::vector<char> on_base;           // by value: it lies exactly on its base
  std::vector<OrderEdge> added_order;  // edges that correctness demands, each (before, after)
  std::vector<Note> refusals;          // wishes that were not granted, and why; by op, ascending
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_SHARING_STORAGE_H_
