// The graph: values, the ops that write and read them, and what must hold beside the data flow.
//
// A Graph is immutable and valid: only GraphBuilder::Build() makes one, and it refuses everything that
// docs/design.md forbids. Whoever holds a Graph relies on that and checks nothing again.
//
// Everything lies in flat arrays. Ids are dense indices into them; an op's reads, writes and a write's in-place
// permissions are consecutive runs of one array each, in the order the author gave them.
//
// One form serves all kinds of op. A data movement (view, slice, clone, update, concat, copy, transfer, commit) is a
// list of reads, each of which says which bytes it takes (`region`) and where they go in the op's one result
// (`to_region`):
//
//   update base=K from=row at=8192*s to=K1      reads  [{row, whole -> [8192*s, 8192*s + 8192)}]
//                                               writes [{K1, base K}]
//   concat from=[a, b] to=c                     reads  [{a, whole -> [0, |a|)}, {b, whole -> [|a|, |a|+|b|)}]
//                                               writes [{c}]
//   commit from=K1 to=K                         reads  [{K1, whole -> whole}], writes [], commit_target K
//
// THREADS: a const Graph may be used by any number of threads. LIFETIME: spans and references live as long as the
// Graph.
#ifndef BUFPLAN_IR_GRAPH_H_
#define BUFPLAN_IR_GRAPH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/expr.h"
#include "ir/happens_before.h"
#include "ir/id.h"

namespace bufplan {

enum class Role : uint8_t { kTransient, kInput, kConstant, kExternal, kVariable };
enum class OpKind : uint8_t {
  kCompute,
  kView,
  kSlice,
  kClone,
  kUpdate,
  kConcat,
  kCopy,
  kFill,
  kTransfer,
  kCommit,
  kBarrier
};
enum class Elide : uint8_t { kAuto, kNever, kMust };
// Whether every byte of a compute write's region is new (kAll) or old bytes of the base may survive in it (kPart).
enum class Cover : uint8_t { kAll, kPart };
// kSameIndex: the result may start at the operand's first byte and be no longer than it. kAny: it may overlap the
// operand anyhow.
enum class InPlaceMode : uint8_t { kSameIndex, kAny };

absl::string_view ToString(Role role);
absl::string_view ToString(OpKind kind);

struct Space {
  int64_t alignment_bytes = 1;                       // power of two
  std::optional<int64_t> capacity_bytes = {};        // all chunks together
  std::optional<int64_t> max_allocation_bytes = {};  // one chunk
  std::vector<SpaceId> unified_with = {};            // the same memory; symmetric after Build()
};

struct Value {
  Expr bytes;
  int64_t max_bytes = 0;        // the largest `bytes` over all symbol values: the size that is planned
  int64_t alignment_bytes = 1;  // own_alignment_bytes, else the space's
  std::optional<int64_t> own_alignment_bytes;
  std::optional<int64_t> pinned_offset_bytes;  // byte offset in the arena that the author fixed
  SpaceId space;
  Role role = Role::kTransient;
  bool preserve = false;  // input: intact to the end
  bool writable = false;  // external: donated
};

// dims[0] is the outermost: byte j of run (i0, i1, ...) is at + i0*dims[0].stride + i1*dims[1].stride + ... + j.
struct Dim {
  Expr count;
  Expr stride_bytes;
  friend bool operator==(const Dim& a, const Dim& b) { return a.count == b.count && a.stride_bytes == b.stride_bytes; }
};

// A set of bytes of a value; as part of a data movement also their order, runs in row-major order of dims.
struct Region {
  Expr at;
  Expr run_bytes;
  std::vector<Dim> dims;  // empty: the one run [at, at + run_bytes)
  bool contiguous() const { return dims.empty(); }
  friend bool operator==(const Region& a, const Region& b) {
    return a.at == b.at && a.run_bytes == b.run_bytes && a.dims == b.dims;
  }
};

// Half-open range of bytes.
struct ByteRange {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end - begin; }
  bool empty() const { return begin >= end; }
  bool Meets(const ByteRange& o) const { return begin < o.end && o.begin < end && !empty() && !o.empty(); }
  bool Contains(const ByteRange& o) const { return begin <= o.begin && o.end <= end; }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

struct Read {
  ValueId value;
  std::optional<RegionId> region;     // of `value`; absent: all of it
  std::optional<RegionId> to_region;  // data movements: of the result (or the commit target); absent: all of it
  bool strides_ok = false;            // compute: the op accepts its operand with other strides
  int64_t offset_multiple = 1;        // compute: the operand's first byte must lie at a multiple of this
  ByteRange span;                     // every byte of `value` that is read for some symbol values lies in here
};

struct InPlace {
  ValueId value;
  InPlaceMode mode = InPlaceMode::kSameIndex;
  friend bool operator==(const InPlace&, const InPlace&) = default;
};

struct Write {
  ValueId value;
  std::optional<ValueId> base;     // the result is the base with `region` (movements: all to_regions) overwritten
  std::optional<RegionId> region;  // compute and fill; absent: all of the value
  Cover cover = Cover::kAll;
  bool movable = true;
  uint32_t first_in_place = 0, num_in_place = 0;
  ByteRange span;  // every byte that is overwritten for some symbol values lies in here
};

struct Op {
  OpKind kind = OpKind::kCompute;
  Elide elide = Elide::kAuto;
  StreamId stream;
  uint32_t first_read = 0, num_reads = 0;
  uint32_t first_write = 0, num_writes = 0;
  std::optional<ValueId> commit_target;
  Expr scratch_bytes;
  int64_t max_scratch_bytes = 0;
  SpaceId scratch_space;  // of the first result, else of the first operand, else the default space
};

struct KeepAlive {
  ValueId value;
  OpId until;
  friend auto operator<=>(const KeepAlive&, const KeepAlive&) = default;
};
struct OrderEdge {
  OpId before, after;
  friend auto operator<=>(const OrderEdge&, const OrderEdge&) = default;
};
struct DisjointPair {
  ValueId a, b;
  friend auto operator<=>(const DisjointPair&, const DisjointPair&) = default;
};
struct FusionInPlace {
  ValueId result, value;
  InPlaceMode mode = InPlaceMode::kSameIndex;
  friend bool operator==(const FusionInPlace&, const FusionInPlace&) = default;
};
struct Fusion {
  std::string name = {};
  std::vector<OpId> ops = {};  // ascending after Build()
  double benefit = 1.0;
  bool required = false;
  std::vector<FusionInPlace> in_place = {};
  // Set by Build(): on its stream, the group runs right after what is listed up to this op. See docs/design.md,
  // rule 10.
  OpId at = {};
};

class Graph {
 public:
  Graph(Graph&&) = default;
  Graph& operator=(Graph&&) = default;

  absl::string_view name() const { return name_; }
  absl::Span<const Symbol> symbols() const { return symbols_; }
  absl::Span<const Space> spaces() const { return spaces_; }  // never empty
  absl::Span<const Value> values() const { return values_; }
  absl::Span<const Op> ops() const { return ops_; }
  absl::Span<const OrderEdge> order() const { return order_; }            // sorted, without duplicates
  absl::Span<const KeepAlive> keep_alive() const { return keep_alive_; }  // sorted, without duplicates
  absl::Span<const DisjointPair> disjoint() const { return disjoint_; }   // sorted, without duplicates
  absl::Span<const Fusion> fusions() const { return fusions_; }           // sorted by ops, without duplicates
  absl::Span<const ValueId> outputs() const { return outputs_; }
  int32_t num_streams() const { return static_cast<int32_t>(stream_names_.size()); }  // at least 1

  const Space& space(SpaceId s) const { return spaces_[s.index()]; }
  const Value& value(ValueId v) const { return values_[v.index()]; }
  const Op& op(OpId o) const { return ops_[o.index()]; }
  const Region& region(RegionId r) const { return regions_[r.index()]; }

  absl::Span<const Read> reads(const Op& op) const { return {reads_.data() + op.first_read, op.num_reads}; }
  absl::Span<const Write> writes(const Op& op) const { return {writes_.data() + op.first_write, op.num_writes}; }
  absl::Span<const InPlace> in_place(const Write& w) const {
    return {in_place_.data() + w.first_in_place, w.num_in_place};
  }

  // The op that writes v; absent for values that are there at the start.
  std::optional<OpId> producer(ValueId v) const {
    return producer_[v.index()] < 0 ? std::nullopt : std::optional<OpId>(OpId(producer_[v.index()]));
  }
  // The commit whose target is v.
  std::optional<OpId> commit_to(ValueId v) const {
    return commit_to_[v.index()] < 0 ? std::nullopt : std::optional<OpId>(OpId(commit_to_[v.index()]));
  }

  // Stream order, data and order edges of the graph; fused groups and a plan's edges come on top elsewhere.
  const HappensBefore& happens_before() const { return happens_before_; }
  // The edges between ops of different streams that happens_before() was made from: data and order.
  absl::Span<const std::pair<int32_t, int32_t>> cross_stream_edges() const { return cross_stream_edges_; }

  absl::string_view name(SpaceId s) const { return space_names_[s.index()]; }
  absl::string_view name(StreamId s) const { return stream_names_[s.index()]; }
  absl::string_view name(ValueId v) const { return value_names_[v.index()]; }
  absl::string_view name(OpId o) const { return op_names_[o.index()]; }
  // Free attributes as a JSON object's text, carried along; empty: none.
  absl::string_view attrs_json() const { return attrs_json_; }
  absl::string_view attrs_json(ValueId v) const { return Sparse(value_attrs_, v.index()); }
  absl::string_view attrs_json(OpId o) const { return Sparse(op_attrs_, o.index()); }

  // COST: O(number of names); for people and readers of files, not for inner loops.
  std::optional<ValueId> FindValue(absl::string_view name) const;
  std::optional<OpId> FindOp(absl::string_view name) const;
  std::optional<SpaceId> FindSpace(absl::string_view name) const;

  // True if both are one space or the same memory by unified_with.
  bool SameMemory(SpaceId a, SpaceId b) const;

 private:
  friend class GraphBuilder;
  friend class GraphValidator;
  Graph() = default;
  static absl::string_view Sparse(const std::vector<std::string>& v, size_t i) {
    return i < v.size() ? absl::string_view(v[i]) : absl::string_view();
  }

  std::string name_, attrs_json_;
  std::vector<Symbol> symbols_;
  std::vector<Space> spaces_;
  std::vector<Value> values_;
  std::vector<Op> ops_;
  std::vector<Region> regions_;
  std::vector<Read> reads_;
  std::vector<Write> writes_;
  std::vector<InPlace> in_place_;
  std::vector<OrderEdge> order_;
  std::vector<KeepAlive> keep_alive_;
  std::vector<DisjointPair> disjoint_;
  std::vector<Fusion> fusions_;
  std::vector<ValueId> outputs_;
  std::vector<int32_t> producer_, commit_to_;  // -1: none
  std::vector<std::pair<int32_t, int32_t>> cross_stream_edges_;
  HappensBefore happens_before_;
  std::vector<std::string> space_names_, stream_names_, value_names_, op_names_;
  std::vector<std::string> value_attrs_, op_attrs_;  // empty, or as long as the values / ops
};

}  // namespace bufplan

#endif  // BUFPLAN_IR_GRAPH_H_
