// One round of sharing: which wishes are tried, and in which order.
//
// Per unit: results with a base on their bases; results of data movements where their bytes are already, else where
// they are going to be copied to; results of other ops where they are going to be copied to, else in place of an
// operand; what is left gets storages of its own.
//
// COST: near linear in ops + uses. THREADS: one at a time. LIFETIME: refers to all arguments.
#ifndef BUFPLAN_PLANNER_SHARING_SHARER_H_
#define BUFPLAN_PLANNER_SHARING_SHARER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "planner/liveness/uses.h"
#include "planner/order/schedule.h"
#include "planner/sharing/contest.h"
#include "planner/sharing/decisions.h"
#include "planner/sharing/destination_spots.h"
#include "planner/sharing/destinations.h"
#include "planner/sharing/effect.h"
#include "planner/sharing/grant_chains.h"
#include "planner/sharing/granter.h"
#include "planner/sharing/ownership.h"
#include "planner/sharing/policy.h"
#include "planner/sharing/storage_table.h"

namespace bufplan {

class Sharer {
 public:
  Sharer(const Graph& graph, const Schedule& schedule, const Uses& uses, const Destinations& destinations,
         InPlaceTaste taste, Decisions& decisions, Contest& contest);

  // ERRORS: see ShareStorages().
  absl::Status Run();
  // The wish by which v lies where it does.
  Contest::Rival GrantedTo(ValueId v) const { return grants_.GrantedTo(v); }
  Sharing Take() { return std::move(s_).Finish(); }

 private:
  void PlaceInputs();
  bool PlaceInput(ValueId v);
  Spot Reserved(ValueId v, const FutureSpot& at);
  void ShareUnit(int32_t time);
  bool ShareOnBase(int32_t time, OpId op, const Write& w, std::optional<Refusal>& refusal);
  void ShareMovement(int32_t time, OpId op);
  bool IsCallers(OpId op) const;
  bool ShareAtSource(int32_t time, OpId op, const Write& w, const Spots& destinations, std::optional<Refusal>& refusal);
  bool ShareAtDestination(int32_t time, OpId op, const Write& w, const DestinationSpots& found);
  bool ShareWithAPart(int32_t time, OpId op, const Write& w);
  void ShareInPlace(int32_t time);
  std::optional<ValueId> BuiltOnInGroup(int32_t time, ValueId v) const;

  bool MayHaveStrides(ValueId v);
  bool IsBase(ValueId v);

  std::optional<Refusal> Try(int32_t time, const Wish& wish, int64_t gain);
  void Executes(OpId op);
  void ContestRefusal(int32_t time, const Wish& wish, int64_t gain);
  int64_t CommittedBytes(const Wish& wish) const;

  absl::Status Commit(int32_t time, OpId op);
  absl::Status CommitByCopy(int32_t time, OpId op);
  absl::Status OldContentIsRead(int32_t time, OpId op, int32_t late) const;
  void FindUnreadResults();
  void FindVainReservations();
  bool IsReadElsewhere(ValueId v) const;

  Note NoteOf(OpId op, const Refusal& refusal) const;
  void NoteRefusal(const Wish& wish, const Refusal& refusal);
  void NoteElided(OpId op, Why why, std::optional<ValueId> value);
  std::optional<ValueId> TakenTwice(OpId op) const;
  std::optional<ValueId> LiesOn(ValueId v) const;
  void NoteKept(OpId op, std::optional<Refusal> refusal);

  const Graph& g_;
  const Schedule& schedule_;
  const Uses& uses_;
  const Destinations& destinations_;
  const InPlaceTaste taste_;
  Decisions& decisions_;
  Contest& contest_;
  Ownership ownership_;
  StorageTable s_;
  EffectFinder effects_;
  DestinationFinder finder_;
  Granter granter_;
  GrantChains grants_;
  absl::flat_hash_map<int32_t, Refusal> not_forwarded_;  // by value: why it is not where it is going to be copied to
  std::vector<char> is_base_;                            // by root; empty until somebody asks
  std::vector<char> contiguous_;                         // by root; likewise
  std::vector<ValueId> not_reserved_;                    // expected to lie in storage of the caller
  std::vector<Contest::Obstacle> obstacles_;             // of the wish that was refused last
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_SHARING_SHARER_H_
