// Dense integer ids, one type per kind of thing.
//
// An id is the index of a thing in the list of its kind (value 3 is `values[3]`). Ids of different kinds do not mix: a
// `ValueId` cannot be passed where an `OpId` is wanted. Absence is `std::optional<ValueId>`, never a negative id.
//
// COST: a plain `int32_t`. THREADS: value type.
//
// Example:
//   OpId op(7);
//   ops[op.index()];
#ifndef BUFPLAN_IR_ID_H_
#define BUFPLAN_IR_ID_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace bufplan {

template <class Tag>
struct Id {
  int32_t value = 0;

  constexpr Id() = default;
  constexpr explicit Id(int32_t v) : value(v) {}

  constexpr size_t index() const { return static_cast<size_t>(value); }

  friend constexpr auto operator<=>(Id, Id) = default;

  template <class H>
  friend H AbslHashValue(H h, Id id) {
    return H::combine(std::move(h), id.value);
  }
};

using ValueId = Id<struct ValueTag>;
using OpId = Id<struct OpTag>;
using StreamId = Id<struct StreamTag>;
using SpaceId = Id<struct SpaceTag>;
using SymbolId = Id<struct SymbolTag>;
using FusionId = Id<struct FusionTag>;
using RegionId = Id<struct RegionTag>;
using ConcurrentId = Id<struct ConcurrentTag>;  // a concurrent region, see GraphBuilder

}  // namespace bufplan

#endif  // BUFPLAN_IR_ID_H_
