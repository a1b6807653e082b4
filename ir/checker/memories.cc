#include "ir/checker/memories.h"

#include "absl/strings/str_cat.h"

namespace bufplan::checker {

Memories::Memories(const Graph& graph, const Plan& plan) : graph_(graph) {
  for (size_t s = 0; s < plan.arenas.size(); ++s) {
    first_chunk_.push_back(static_cast<int32_t>(space_.size()));
    space_.resize(space_.size() + plan.arenas[s].chunks.size(), static_cast<int32_t>(s));
  }
  first_chunk_.push_back(static_cast<int32_t>(space_.size()));
  owner_.assign(space_.size(), -1);
  read_only_.assign(space_.size(), false);
  of_owner_.assign(graph.values().size(), -1);
  for (size_t i = 0; i < graph.values().size(); ++i) {
    const Value& v = graph.values()[i];
    if (!CallerOwned(v.role)) continue;
    of_owner_[i] = static_cast<int32_t>(owner_.size());
    owner_.push_back(static_cast<int32_t>(i));
    read_only_.push_back(v.role == Role::kConstant || (v.role == Role::kExternal && !v.writable));
  }
}

int32_t Memories::Of(const Location& location) const {
  switch (location.kind) {
    case Location::Kind::kNone: return -1;
    case Location::Kind::kCaller: return OfOwner(location.owner());
    case Location::Kind::kArena: break;
  }
  const int32_t first = first_chunk_[location.space().index()], end = first_chunk_[location.space().index() + 1];
  return location.chunk >= 0 && location.chunk < end - first ? first + location.chunk : -1;
}

std::string Memories::Text(int32_t memory, int64_t offset) const {
  if (const std::optional<ValueId> v = owner(memory); v.has_value()) {
    return absl::StrCat(graph_.name(*v), "+", offset);
  }
  const int32_t c = chunk(memory);
  return c == 0 ? absl::StrCat(graph_.name(space(memory)), "+", offset)
                : absl::StrCat(graph_.name(space(memory)), "#", c, "+", offset);
}

}  // namespace bufplan::checker
