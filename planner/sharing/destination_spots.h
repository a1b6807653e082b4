// Where a value could be written so that it need not be copied later.
//
//   q --slice--> part --concat--> c          q in the place of c, so that the part lies where the concat wants it; the
//                                            rest of q hangs over
//
// Places in storage of the caller come first: what ends up there need not be committed to it. Values of which only a
// part is copied are placed by that part if nobody copies all of them.
//
// Likewise values that are not copied themselves, if what is made on them or in their place is.
//
// COST: a limited number of steps along destinations per question. THREADS: reads only. LIFETIME: refers to all
// arguments.
#ifndef BUFPLAN_PLANNER_SHARING_DESTINATION_SPOTS_H_
#define BUFPLAN_PLANNER_SHARING_DESTINATION_SPOTS_H_

#include <cstdint>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "ir/expr.h"
#include "ir/graph.h"
#include "planner/liveness/uses.h"
#include "planner/order/schedule.h"
#include "planner/sharing/decisions.h"
#include "planner/sharing/destinations.h"
#include "planner/sharing/effect.h"
#include "planner/sharing/storage_table.h"

namespace bufplan {

using Spots = absl::InlinedVector<Spot, 4>;

// A storage does not exist yet: where the value lies in `to` once that has one.
struct FutureSpot {
  ValueId to;
  Expr offset;
};

struct DestinationSpots {
  Spots spots;
  std::optional<FutureSpot> to_reserve;  // if none of these will do
  int64_t gain = 0;                      // the bytes that need not be copied then
};

class DestinationFinder {
 public:
  DestinationFinder(const Graph& graph, const Schedule& schedule, const Uses& uses, const Destinations& destinations,
                    const Decisions& decisions, const StorageTable& storages)
      : g_(graph), schedule_(schedule), uses_(uses), destinations_(destinations), decisions_(decisions), s_(storages) {}

  // Of the root v, which is written at `time`.
  DestinationSpots Find(ValueId v, int32_t time) const;

 private:
  // Which destinations are followed: each has those before it as well.
  enum class Reach : uint8_t {
    kCopies,
    kMaking,  // and what is made on or in place of a value, for that may be copied in turn
    kParts    // and copies of parts: some of the value may lie outside of its destination
  };
  struct Search {
    ValueId value;  // that is to be placed
    int32_t time = 0;
    DestinationSpots found;
    Reach reach = Reach::kCopies;
    bool hangs_over = false;                     // only a part of it gets to where the search is
    std::optional<FutureSpot> last_resort = {};  // in a result that can lie around the value, wherever that is
    int steps = 0;
  };

  static Reach PassOf(ArrivesBy by);
  void Follow(ValueId at, const Expr& offset, int depth, Search& search) const;
  void Visit(const Destination& d, const Expr& there, int depth, Search& search) const;
  void AddPlacesOnBase(ValueId base, const Expr& there, Search& search) const;
  bool AddPlaceBesideOthers(const Op& op, const Destination& d, const Expr& there, Search& search) const;
  bool MayReserve(ValueId to) const;
  bool Lies(const Search& search, const Expr& offset, ValueId to) const;

  const Graph& g_;
  const Schedule& schedule_;
  const Uses& uses_;
  const Destinations& destinations_;
  const Decisions& decisions_;
  const StorageTable& s_;
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_SHARING_DESTINATION_SPOTS_H_
