// Arithmetic of regions: sizes, ends, bounds, and what can be proven of them for all symbol values.
#ifndef BUFPLAN_IR_REGION_H_
#define BUFPLAN_IR_REGION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "ir/expr.h"
#include "ir/graph.h"

namespace bufplan {

// How many bytes the region's runs have together (a byte in two runs counts twice).
Expr RegionBytes(const Region& region);

// One past the last byte: at + sum of (count - 1) * stride + run. Meaningless for an empty region.
Expr RegionEnd(const Region& region);

// Bytes outside [begin, end) are in the region for no symbol values. nullopt: bounds overflow 64 bits.
std::optional<ByteRange> RegionSpan(const Region& region, absl::Span<const Symbol> symbols);

// True if no two runs of the region share a byte, by nesting: each stride is at least the extent of what it repeats.
bool ProveNoSelfOverlap(const Region& region, absl::Span<const Symbol> symbols);

// True if a and b share no byte: one ends before the other begins, or both repeat with one common pitch (symbolic or
// not) and their runs lie at different residues inside of it.
bool ProveRegionsDisjoint(const Region& a, const Region& b, absl::Span<const Symbol> symbols);

// Appends the runs of the region at these symbol values, adjacent ones merged, in the region's order. False if an
// expression has no value there or there would be more than max_runs runs in `runs`.
bool AppendRuns(const Region& region, absl::Span<const int64_t> symbol_values, int64_t max_runs,
                std::vector<ByteRange>& runs);

// "[8192*s, 8192*s + 8192)", or "[0, 64) x 8 every 256" for one of strided runs.
std::string RegionText(const Region& region, absl::Span<const Symbol> symbols);

}  // namespace bufplan

#endif  // BUFPLAN_IR_REGION_H_
