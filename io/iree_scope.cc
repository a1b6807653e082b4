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
      bindings_[name] = *std::move(before);
    } else {
      bindings_.erase(name);
    }
    undo_.pop_back();
  }
}

void IreeScope::Define(absl::string_view name, std::vector<IreeBinding> bindings) {
  const auto [place, is_new] = bindings_.try_emplace(name);
  if (!levels_.empty()) {
    undo_.emplace_back(name, is_new ? std::nullopt : std::optional(std::move(place->second)));
  }
  place->second = std::move(bindings);
}

const IreeBinding* IreeScope::Find(const IreeRef& ref) const {
  const auto found = bindings_.find(ref.name);
  return found == bindings_.end() || ref.index >= found->second.size() ? nullptr : &found->second[ref.index];
}

}  // namespace bufplan
