// Arithmetic of places: a value's bytes lie in its storage as a region (one run, or strided runs), and parts of a value
// are regions of it. Composing the two says where a part lies; the inverse says where a value must lie for a part of it
// to be at a given place. Symbolic counts and strides are divided as polynomials.
//
//   c: 8192*(s + 1) bytes, lying in K at [0, 256) x 32 every 256 x s + 1 every 8192
//   part [256*s, 256*s + 256) x 32 every 256*(s + 1) of c        lies at [8192*s, 8192*s + 8192) of K
//
// The idea of layouts as lists of (count, stride) that are composed and divided is that of CuTe (NVIDIA CUTLASS).
// COST: O(dims^2) proofs per call. THREADS: pure functions.
#ifndef BUFPLAN_PLANNER_SHARING_STRIDED_H_
#define BUFPLAN_PLANNER_SHARING_STRIDED_H_

#include <optional>

#include "absl/types/span.h"
#include "ir/expr.h"
#include "ir/graph.h"

namespace bufplan {

// a / b if b divides a for all symbol values by polynomial division; nullopt if it does not, or b is 0.
std::optional<Expr> DivideExact(const Expr& a, const Expr& b);

// The same bytes in the same order with as few dims as possible: equal regions become equal by ==.
Region Normalized(Region region, absl::Span<const Symbol> symbols);

// Where the bytes of `part`, a region of a value, lie if the value lies at `place`; normalized. nullopt: no region, or
// none that could be found.
std::optional<Region> Compose(const Region& place, const Region& part, absl::Span<const Symbol> symbols);

// The place of a value of `bytes` bytes of which `part` lies at `target`; its runs do not overlap. nullopt: there is
// none, or `part` says too little of it.
std::optional<Region> PlaceFromPart(const Region& target, const Region& part, const Expr& bytes,
                                    absl::Span<const Symbol> symbols);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_SHARING_STRIDED_H_
