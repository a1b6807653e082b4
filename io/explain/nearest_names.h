// "Did you mean": which known names are close to one that is not known.
//
// Close means few edits (insert, delete, replace or swap of neighbouring bytes; at most a third of the length, and at
// least one is allowed), or that one name contains the other. Case counts half an edit.
//
// TIES: fewer edits first, then the order of `known`. COST: O(names x length); lengths beyond 64 bytes are cut.
// THREADS: no shared state.
#ifndef BUFPLAN_IO_EXPLAIN_NEAREST_NAMES_H_
#define BUFPLAN_IO_EXPLAIN_NEAREST_NAMES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace bufplan {

// At most `limit` names out of `known`, nearest first; empty if none is close.
std::vector<absl::string_view> NearestNames(absl::string_view name, absl::Span<const absl::string_view> known,
                                            size_t limit = 3);

// "; did you mean \"x\" or \"y\"?", or "" if nothing is close.
std::string DidYouMean(absl::string_view name, absl::Span<const absl::string_view> known, size_t limit = 3);

}  // namespace bufplan

#endif  // BUFPLAN_IO_EXPLAIN_NEAREST_NAMES_H_
