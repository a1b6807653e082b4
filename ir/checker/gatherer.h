// What a node reads and writes when it executes, byte range by byte range, and what its results hold.
//
// Nodes are visited so that each comes after those whose results it uses. A lone op is looked at as it is: an elided
// data movement neither reads nor writes, and neither does a part of another one whose source and destination coincide;
// where a result lies apart from its base, the carried bytes are read and written too. A fused group reads what its
// members read from outside and writes the results that are used outside:
//
//   group {K1 = update K, K2 = update K1}, K1 used inside only:  reads of K what neither overwrites, if K2 is not at K;
//                                                               writes K2 where one of them overwrites, else all of it
//
// Strided boxes of many runs need not be spelled out. Coarsely, an op that writes the runs of a box rewrites all bytes
// between its first and last, of which it reads the old ones: all of the span is new. That demands more of a plan than
// its meaning does: whoever finds, in order, what is prescribed coarsely, finds what is prescribed. So a coarse visit
// that meets no fault decides; after any other one the runs must be spelled out. What a coarse box is moved from,
// without a byte moving, becomes a pattern of its content.
//
// COST: O(accesses + runs), O(log pieces) per piece of content made. THREADS: one at a time.
#ifndef BUFPLAN_IR_CHECKER_GATHERER_H_
#define BUFPLAN_IR_CHECKER_GATHERER_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ir/checker/content.h"
#include "ir/checker/layout.h"
#include "ir/checker/nest.h"
#include "ir/checker/runs.h"
#include "ir/checker/schedule.h"
#include "ir/graph.h"
#include "ir/id.h"
#include "ir/plan.h"

namespace bufplan::checker {

enum class Use : uint8_t {
  kOperand,    // read by an opaque op, or by a fused group
  kMoved,      // read: source of an executed part
  kCarried,    // read: bytes of a base that are carried to its result
  kPart,       // read: bytes of a base that a write with cover=part may leave, where they are
  kKeepAlive,  // read: nobody reads, but the bytes must be right
  kResult,     // write
  kCarry,      // write: carried bytes
  kScratch,    // write
};

struct Access {
  ValueId value;  // scratch: means nothing
  OpId op;
  Use use = Use::kOperand;
  int32_t memory = -1;           // -1: the value is nowhere, which is reported already; kNowhere: which is a fault
  int64_t base = 0;              // address of the value's first byte
  const Nest* nest = nullptr;    // of a strided value; absent: byte i of the value is at base + i
  RunList runs;                  // bytes of the value, ascending
  Content content;               // of the value; held by the gatherer, or by nobody if one piece
  ValueId result;                // kCarried: for which result
  const Read* read = nullptr;    // kOperand as it stands in the graph
  const Write* write = nullptr;  // kResult of a lone compute op: what it may meet

  bool in_one_piece() const { return content.node < 0 && runs.count == 0 && nest == nullptr; }
  // Where a byte of the value lies.
  int64_t address(int64_t byte) const {
    if (nest == nullptr) return base + byte;
    Nest::Cursor cursor(nest);
    cursor.Seek(byte);
    return base + cursor.position();
  }
  // From the first address to the last that the access may touch.
  ByteRange addresses() const {
    return nest == nullptr ? ByteRange{base + runs.span.begin, base + runs.span.end}
                           : ByteRange{base, base + (runs.empty() ? 0 : nest->extent())};
  }
};

// What a lone op moves.
struct Activity {
  int32_t parts = 0;  // of a data movement, elided or not; those of no bytes not counted
  int32_t executed_parts = 0;
  int64_t bytes = 0;  // executed parts and carried bytes
  bool carries = false;
  bool executes() const { return executed_parts > 0 || carries; }
};

class Gatherer {
 public:
  struct Limits {
    int64_t max_runs = 0;   // of strided boxes in all; also pieces of content of one value
    int64_t max_exact = 0;  // runs of a strided box that is spelled out; those in fused groups always are
  };
  // Looks at no more runs of strided values than the budget allows, and may then say anything of the node in hand.
  // LIFETIME: the arguments outlive this.
  Gatherer(const Graph& graph, const Plan& plan, const Schedule& schedule, const Layout& layout,
           absl::Span<const int64_t> symbol_values, const Limits& limits, RunBudget* budget);

  // Fills reads(), writes() and activity() for the node; they are valid until the next call.
  // ERRORS: ResourceExhausted naming the op: too many runs. InvalidArgument: a region
  // has no value at these symbol values.
  absl::Status Gather(int32_t node);
  // All of `value`, as a keep-alive until `op` or the end reads it.
  Access WholeValue(ValueId value, OpId op) const;
  // All of a caller-owned value's storage with what it must hold at the end.
  Access FinalStorage(ValueId owner) const;
  // Forgets the contents that no node after this one uses.
  void ReleaseUnused(int32_t node);

  // Adds a read to the node in hand.
  void AddRead(const Access& access) { reads_.push_back(access); }

  const std::vector<Access>& reads() const { return reads_; }
  const std::vector<Access>& writes() const { return writes_; }
  const Activity& activity() const { return activity_; }
  // Something was taken coarsely so far, / or would have had to be although it cannot.
  bool coarse() const { return coarse_; }
  bool too_coarse() const { return too_coarse_; }
  absl::Span<const ByteRange> runs(const RunList& list) const { return runs_.runs(list); }
  const ContentPool& contents() const { return pool_; }
  ContentPool& contents() { return pool_; }
  // The op whose scratch is this origin.
  bool IsScratch(Origin origin) const { return origin >= static_cast<Origin>(graph_.values().size()); }
  OpId ScratchOp(Origin origin) const { return OpId(origin - static_cast<Origin>(graph_.values().size())); }

 private:
  // A part of a data movement at the symbol values, in its own order.
  struct Part {
    const Read* read = nullptr;
    RunList from, to;
    bool executes = true;
  };

  RunList Whole(ValueId v) const { return {{0, layout_.of(v).bytes}, 0, 0}; }
  absl::Status Expand(OpId o, std::optional<RegionId> region, ValueId v, RunList& runs);
  absl::Status CheckPieces(OpId o, const Content& content) const;
  // The value a data movement writes.
  ValueId Target(const Op& op) const {
    return op.commit_target.has_value() ? *op.commit_target : graph_.writes(op)[0].value;
  }

  // Contents of results; they need those of what the op uses. Data movements are in movement_gatherer.cc.
  absl::Status ExpandParts(OpId o);  // fills parts_
  absl::Status SetMovedContent(OpId o);
  void MovePiecewise(const Part& part, absl::Span<const ByteRange> to_runs, int64_t bytes, Content& result);
  void MoveAtOnce(const Part& part, int64_t bytes, Content& result);
  void MovePattern(const Part& part, int64_t bytes, Content& result);
  bool HasFewPlainPieces(const Content& content, ByteRange range) const;
  void FindExecutedParts(OpId o);
  absl::Status SetWrittenContent(OpId o, const Write& w, const RunList& runs);
  void SetContent(ValueId v, Content c) { content_[v.index()] = c; }
  const Content& content(ValueId v) const { return content_[v.index()]; }
  bool Coincides(const Part& part, const Place& to);
  bool CoincidesByNests(const Part& part, const Place& from, const Place& to);
  bool CoincidesByRuns(const Part& part, const Place& from, const Place& to);
  // Consecutive bytes that are [begin, begin + bytes) of a nest, or of one run; counted from address `base`.
  struct Strip {
    const Nest* nest;
    int64_t begin, bytes, base;
  };
  bool AddStrips(const RunList& list, const Place& place, std::vector<Strip>& strips);
  bool SpellOut(const RunList& list, std::vector<ByteRange>& runs) const;

  // Lone ops.
  absl::Status GatherOp(OpId o);
  absl::Status GatherReads(OpId o);
  absl::Status GatherWrites(OpId o);
  absl::Status GatherMovement(OpId o);
  absl::Status GatherView(OpId o);
  // `bytes` of the base in the runs are carried to the result.
  void Carry(OpId o, ValueId result, ValueId base, const RunList& carried, int64_t bytes);
  // What of the base the overwritten runs leave is carried, or, in place, stays.
  void CarryAround(OpId o, ValueId result, ValueId base, absl::Span<const RunList> overwritten);
  void AddScratch(OpId o);
  Access Make(Use use, OpId o, ValueId v, const RunList& sorted_runs) const {
    const Place& place = layout_.of(v);
    Access a;
    a.value = v;
    a.op = o;
    a.use = use;
    a.memory = place.memory;
    a.base = place.offset;
    a.nest = layout_.nest(place);
    a.runs = sorted_runs;
    a.content = content(v);
    return a;
  }

  // Fused groups; in fused_gatherer.cc.
  absl::Status GatherFused(int32_t node);
  absl::Status GatherMember(OpId o);
  absl::Status GatherMemberReads(OpId o);
  absl::Status GatherMemberResult(OpId o, const Write& w);
  absl::Status ReadFromOutside(OpId o, ValueId v, RunList runs, Use use, const Read* read);
  absl::Status NewRuns(ValueId v, std::vector<RunList>& runs);
  bool Inside(ValueId v) const { return schedule_.producer_node(v) == node_; }
  const Write& WriteOf(ValueId v) const;

  void FindLastUses();

  const Graph& graph_;
  const Plan& plan_;
  const Schedule& schedule_;
  const Layout& layout_;
  Limits limits_;
  RunPool runs_;
  ContentPool pool_;
  std::vector<Content> content_;                 // by value
  absl::flat_hash_map<int32_t, Content> final_;  // by commit target
  std::vector<int32_t> scratch_of_op_;           // by op, into layout.scratch; empty: no op has scratch
  std::vector<int32_t> last_use_;                // by value: position in the visit; empty until needed
  std::vector<int32_t> position_;                // by node, as long as last_use_ is needed
  std::vector<Access> reads_, writes_;
  Activity activity_;
  int32_t node_ = 0;
  bool fused_ = false;
  RunBudget* budget_;
  std::vector<Strip> from_strips_, to_strips_;
  std::vector<ByteRange> spelled_out_;
  bool coarse_ = false, too_coarse_ = false;
  std::vector<Part> parts_;
  std::vector<ContentPool::Placed> placed_;
  std::vector<RunList> lists_, written_;
};

}  // namespace bufplan::checker

#endif  // BUFPLAN_IR_CHECKER_GATHERER_H_
