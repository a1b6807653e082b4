// Names of a function, and what they stand for: integers, resources, or what is of no interest. Names of a region are
// gone behind it, and may hide outer ones; within a region each is given once.
#ifndef BUFPLAN_IO_IREE_SCOPE_H_
#define BUFPLAN_IO_IREE_SCOPE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "io/iree_ast.h"
#include "io/iree_scalar.h"

namespace bufplan {

struct IreeBinding {
  std::optional<size_t> resource;  // its number
  IreeScalar scalar;               // of what is no resource
};

// Names of which each is given once.
class IreeNames {
 public:
  // `wish`, or with `separator` and a number from 2 behind it. COST: amortised O(1).
  std::string Take(const std::string& wish, absl::string_view separator);
  bool TakeExactly(const std::string& wish) { return taken_.insert(wish).second; }
  bool Has(absl::string_view name) const { return taken_.contains(name); }

 private:
  absl::flat_hash_set<std::string> taken_;
  absl::flat_hash_map<std::string, size_t> next_;
};

class IreeScope {
 public:
  void Open() { levels_.push_back(undo_.size()); }
  void Close();
  // `bindings` are the results %name#0, %name#1, ... False, and nothing has changed: the region has that name already.
  bool Define(absl::string_view name, std::vector<IreeBinding> bindings);
  // nullptr: there is no such name or result.
  const IreeBinding* Find(const IreeRef& ref) const;

 private:
  struct Entry {
    std::vector<IreeBinding> bindings;
    size_t level = 0;  // of regions
  };
  absl::flat_hash_map<absl::string_view, Entry> entries_;
  std::vector<std::pair<absl::string_view, std::optional<Entry>>> undo_;
  std::vector<size_t> levels_;
};

}  // namespace bufplan

#endif  // BUFPLAN_IO_IREE_SCOPE_H_
