// The plan: where every value of a graph lives, which ops move bytes, and why.
//
// A plan says everything an executor needs. A data movement whose note says `elided` is not executed: what its result
// must hold is there already, or nobody reads it. For the others locations decide: a part whose source and destination
// bytes coincide is not executed; where a result and its base lie apart, the carried bytes are moved first.
// Texts are made when somebody reads them: a Note holds ids, WhyText() words.
//
// A framework that builds nearly the same graph at each step keeps its plan as long as it fits:
//
//   if (!plan.Fits(graph)) plan = *MakePlan(graph, options);
//   uint8_t* first_byte = arena + plan.location(v).offset_bytes.constant();
//
// THREADS: a const Plan may be used by any number of threads.
#ifndef BUFPLAN_IR_PLAN_H_
#define BUFPLAN_IR_PLAN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/expr.h"
#include "ir/graph.h"
#include "ir/id.h"
#include "ir/structure.h"

namespace bufplan {

// How the bytes of a value lie that is a strided part of a storage: runs of `run_bytes` bytes, in row-major order of
// dims, as in a Region. The runs add up to the value and do not overlap.
//
//   run 256, dims [[32, 256], [s + 1, 8192]] at 0:  byte ((h * (s + 1) + t) * 256 + b) lies at 8192*t + 256*h + b
struct Strides {
  Expr run_bytes;
  std::vector<Dim> dims;  // never empty
  friend bool operator==(const Strides& a, const Strides& b) { return a.run_bytes == b.run_bytes && a.dims == b.dims; }
};

// The first byte of a value, or of an op's scratch.
//
//   kArena:  chunk `chunk` of space `memory`, at offset_bytes
//   kCaller: the storage of the constant, external or variable `memory` (a ValueId's index), at offset_bytes
//   kNone:   no bytes: swallowed by a fused group, or the result of an elided data movement that nobody reads
struct Location {
  enum class Kind : uint8_t { kNone, kArena, kCaller };
  Kind kind = Kind::kNone;
  int32_t memory = 0;
  int32_t chunk = 0;
  Expr offset_bytes;
  std::shared_ptr<const Strides> strides = nullptr;  // null: the bytes lie one after another

  static Location InArena(SpaceId space, int32_t chunk, Expr offset_bytes) {
    return {Kind::kArena, static_cast<int32_t>(space.index()), chunk, std::move(offset_bytes), nullptr};
  }
  static Location InCaller(ValueId owner, Expr offset_bytes) {
    return {Kind::kCaller, static_cast<int32_t>(owner.index()), 0, std::move(offset_bytes), nullptr};
  }
  SpaceId space() const { return SpaceId(memory); }
  ValueId owner() const { return ValueId(memory); }
  bool SameMemoryAs(const Location& o) const { return kind == o.kind && memory == o.memory && chunk == o.chunk; }
  friend bool operator==(const Location& a, const Location& b) {
    const bool same_strides =
        a.strides == b.strides || (a.strides != nullptr && b.strides != nullptr && *a.strides == *b.strides);
    return a.kind == b.kind && a.memory == b.memory && a.chunk == b.chunk && a.offset_bytes == b.offset_bytes &&
           same_strides;
  }
};

enum class BoundKind : uint8_t { kLoad, kAntichain, kSearch };

struct Arena {
  SpaceId space;
  int64_t bytes = 0;        // all chunks together
  int64_t lower_bound = 0;  // no placement of these storages needs less
  BoundKind bound = BoundKind::kLoad;
  bool optimal = false;         // bytes == lower_bound, or proven otherwise
  std::vector<int64_t> chunks;  // bytes of each chunk; never empty
};

// The first and the last op that touch a value's bytes on its behalf. Absent: before the first op / after the last op.
struct LiveRange {
  std::optional<OpId> first, last;
  friend bool operator==(const LiveRange&, const LiveRange&) = default;
};

enum class Action : uint8_t { kRun, kElided };

// Why an op is as it is. The values and the op of a note fill the blanks of the sentence.
enum class Why : uint8_t {
  kText,            // `text` is the sentence (plans that were read from a file)
  kView,            // result is bytes `text` of `value`
  kCoincides,       // result and source are the same bytes of `value`
  kSameBytes,       // the result lies on a copy of the same bytes, which `value` holds
  kProducedThere,   // what `value` is made of has been written to its place in the result
  kUnread,          // nobody reads what the op would move
  kLessMemory,      // the copy is kept as less memory is needed that way
  kCostsLess,       // the copy is kept as it costs less than what it would be in the way of: `other`
  kNotTried,        // no place was found where it need not move; `other`: its source lies on bytes of that one already
  kTwoPlaces,       // `other` would have to lie at two places
  kNeverElide,      // the author asked for the copy
  kOldContentRead,  // `op` reads `other` (on the bytes of `value`) after this op would have overwritten it
  kOwnOperand,      // the op itself reads `other` there without declaring it in place
  kOldContentKept,  // `other` must be intact at the end
  kUnordered,       // `op` touches `other` there on another stream, in no order with this op
  kReadOnly,        // `value` is a constant or a borrowed external
  kNotLineage,      // variable `value` is written only by what is committed to it
  kOutgrows,        // the result is not proven to fit: `text`
  kChunkLimit,      // a chunk would be larger than the space's limit of an allocation
  kOtherSpace,      // `value` lies in another space
  kMisaligned,      // the place is not a multiple of the result's alignment: `text`
  kPinned,          // pins contradict
  kDisjoint,        // `value` and `other` are declared disjoint
  kBetterOperand,   // `other` was taken instead
  kSearchLimit,     // the proof that nobody needs what lies there was given up after `text` comparisons
  kCarried,         // bytes of base `value` are carried to the result's own storage
};

struct Note {
  OpId op;
  Action action = Action::kRun;
  Why why = Why::kText;
  std::optional<ValueId> result;  // which result of the op; data movements: absent
  std::optional<ValueId> value, other;
  std::optional<OpId> blocker;
  std::string text;
  // Data movements: what was refused. `part` could not be written straight to its place in the result; absent: the
  // result itself could not lie where its source is. That place is `in_offset` bytes after the first one of `in`.
  std::optional<ValueId> part = {}, in = {};
  std::optional<Expr> in_offset = {};
};

struct AddedEdge {
  OpId before, after;
  std::string why;
};

struct FusionDecision {
  FusionId fusion;
  bool fused = false;
  int64_t cost_bytes = 0;
  std::string why;
};

struct ScratchPlace {
  OpId op;
  Location location;
};

struct PlanStats {
  int64_t copies_elided = 0;     // data movements of which no byte moves
  int64_t copies_kept = 0;       // data movements and carried bases that move bytes
  int64_t bytes_copied = 0;      // by the plan, at the largest symbol values
  int64_t bytes_not_copied = 0;  // what the same ops would have moved besides
  int64_t sum_bytes = 0;         // sizes of all values in arenas, views not counted
  std::optional<OpId> peak_op;   // absent: nothing is in an arena
  std::vector<ValueId> live_at_peak;
};

struct Plan {
  std::string graph_name;
  std::string fingerprint;  // of the graph, see io/fingerprint.h; empty until the plan is written to a file
  std::vector<std::pair<std::string, std::string>> options;  // as given by the caller, name and value
  bool optimal = false;
  std::vector<Arena> arenas;          // one per space, in the graph's order
  std::vector<Location> locations;    // by ValueId
  std::vector<LiveRange> live;        // by ValueId
  std::vector<ScratchPlace> scratch;  // ascending by op, ops with scratch only
  std::vector<Note> notes;            // ascending by op; every data movement has one
  std::vector<FusionDecision> fused;  // one per fusion of the graph, in its order
  std::vector<AddedEdge> added_order;
  PlanStats stats;
  Structure structure;  // of the graph that it was made for

  const Location& location(ValueId v) const { return locations[v.index()]; }

  // True only if the plan is valid for `graph` too: the structure is that of the graph it was made for, and no size is
  // larger (see ir/structure.h). That is all there is to binding a plan to a graph anew: ids are dense and the same in
  // both, so location(v) serves as it is. COST: 25 to 45 ns an op, no memory.
  bool Fits(const Graph& graph) const { return structure.Admits(graph); }
};

// The sentence of a note in the author's names, e.g. "kept: r7 reads K after upd would have overwritten it".
std::string WhyText(const Graph& graph, const Note& note);

}  // namespace bufplan

#endif  // BUFPLAN_IR_PLAN_H_
