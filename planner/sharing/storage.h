// The result of sharing: storages, and where in them values live.
#ifndef BUFPLAN_PLANNER_SHARING_STORAGE_H_
#define BUFPLAN_PLANNER_SHARING_STORAGE_H_

#include <cstdint>
#include <memory>
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

// How a value came to lie in a storage with others.
enum class WishKind : uint8_t {
  kNone = 0,     // it has the storage to itself, or came first
  kBase = 1,     // a result on its base
  kInPlace = 2,  // a result in place of an operand
  kSource = 4,   // the result of a data movement where its bytes are already
  kForward = 8   // a result where it is going to be copied to
};

struct Sharing {
  static constexpr int32_t kNoStorage = -1;  // swallowed by a fused group, or moved but read by nobody

  std::vector<Storage> storages;
  std::vector<int32_t> storage_of;                      // by value, views included
  std::vector<Expr> offset_of;                          // by value: its first byte within the storage
  std::vector<std::shared_ptr<const Strides>> strides;  // by value; empty: none of them has strides
  std::vector<char> on_base;                            // by value: it lies exactly on its base
  std::vector<char> elided;                             // by op: a data movement that executes nothing
  std::vector<WishKind> joined_by;                      // by value
  std::vector<OrderEdge> added_order;                   // edges that correctness demands, each (before, after)
  std::vector<Note> movements;  // one for each data movement outside of groups; by op, ascending
  std::vector<Note> refusals;   // other wishes that were not granted, and why; by op, ascending

  // Where a value's bytes lie in its storage.
  Region PlaceOf(const Graph& graph, ValueId v) const {
    if (strides.empty() || strides[v.index()] == nullptr) return {offset_of[v.index()], graph.value(v).bytes, {}};
    return {offset_of[v.index()], strides[v.index()]->run_bytes, strides[v.index()]->dims};
  }
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_SHARING_STORAGE_H_
