// The memories of a plan: what places are in.
//
// COST: O(chunks + values) to make. LIFETIME: the graph outlives it.
#ifndef BUFPLAN_IR_CHECKER_MEMORIES_H_
#define BUFPLAN_IR_CHECKER_MEMORIES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/id.h"
#include "ir/plan.h"

namespace bufplan::checker {

inline bool CallerOwned(Role role) {
  return role == Role::kConstant || role == Role::kExternal || role == Role::kVariable;
}

// The memories of a plan, numbered: the chunks of its arenas, then the caller-owned values.
class Memories {
 public:
  Memories(const Graph& graph, const Plan& plan);

  size_t size() const { return owner_.size(); }
  // -1: the plan has no such chunk, or the owner is no caller-owned value. Ids are in range.
  int32_t Of(const Location& location) const;
  int32_t OfOwner(ValueId owner) const { return of_owner_[owner.index()]; }
  // The caller-owned value whose storage it is; absent for a chunk.
  std::optional<ValueId> owner(int32_t memory) const {
    const int32_t v = owner_[static_cast<size_t>(memory)];
    return v < 0 ? std::nullopt : std::optional<ValueId>(ValueId(v));
  }
  bool read_only(int32_t memory) const { return read_only_[static_cast<size_t>(memory)]; }
  // The space of a chunk. Requires no owner.
  SpaceId space(int32_t memory) const { return SpaceId(space_[static_cast<size_t>(memory)]); }
  int32_t chunk(int32_t memory) const { return memory - first_chunk_[space(memory).index()]; }
  // "device+4096", "device#1+0", "K+128".
  std::string Text(int32_t memory, int64_t offset) const;

 private:
  const Graph& graph_;
  std::vector<int32_t> first_chunk_;  // by space, and one more
  std::vector<int32_t> space_;        // by memory that is a chunk
  std::vector<int32_t> owner_;        // by memory; -1: a chunk
  std::vector<bool> read_only_;       // by memory
  std::vector<int32_t> of_owner_;     // by value; -1: not caller-owned
};

}  // namespace bufplan::checker

#endif  // BUFPLAN_IR_CHECKER_MEMORIES_H_
