#include "io/iree_scope.h"

#include "absl/strings/str_cat.h"

namespace bufplan {

std::string IreeNames::Take(const std::string& wish, absl::string_view separator) {
  if (TakeExactly(wish)) return wish;
  size_t& next = next_.try_emplace(wish, 2).first->second;
  while (true) {
    std::string name = absl::StrCat(wish, separator, next++);
    if (TakeExactly(name)) return name;
  }
}

void IreeScope::Close() {
  const size_t keep = levels_.back();
  levels_.pop_back();
  while (undo_.size() > keep) {
    auto& [name, before] = undo_.back();
    if (before.has_value()) {
      entries_[name] = *std::move(before);
    } else {
      entries_.erase(name);
    }
    undo_.pop_back();
  }
}

bool IreeScope::Define(absl::string_view name, std::vector<IreeBinding> bindings) {
  const auto [place, is_new] = entries_.try_emplace(name);
  if (!is_new && place->second.level == levels_.size()) return false;
  if (!levels_.empty()) undo_.emplace_back(name, is_new ? std::nullopt : std::optional(std::move(place->second)));
  place->second = {std::move(bindings), levels_.size()};
  return true;
}

const IreeBinding* IreeScope::Find(const IreeRef& ref) const {
  const auto found = entries_.find(ref.name);
  if (found == entries_.end() || ref.index >= found->second.bindings.size()) return nullptr;
  return &found->second.bindings[ref.index];
}

}  // namespace bufplan
