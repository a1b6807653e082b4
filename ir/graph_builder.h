// Makes a Graph: by calls, op by op in program order, as a framework would while it walks its own graph.
//
//   GraphBuilder b;
//   ValueId x = b.Input("x", 4096);
//   ValueId y = b.Compute("relu", {.reads = {x}, .writes = {{.bytes = 4096, .in_place = {x}}}});
//   b.Output(y);
//   absl::StatusOr<Graph> graph = std::move(b).Build();
//
// Names are optional (""): unnamed things are called v0, v1, ... and op0, op1, ... after their index. Calls never fail;
// Build() checks everything and names the first fault. Ids count from 0 in call order, per kind of thing.
//
// ERRORS (Build): InvalidArgument, with object, value, bound and unit; the status carries the payload kWherePayload,
// the place of the fault as a JSON pointer into the graph's JSON form ("/ops/3/reads/1"). COST: O(ops + uses) plus the
// proofs that symbolic sizes need. THREADS: one at a time.
#ifndef BUFPLAN_IR_GRAPH_BUILDER_H_
#define BUFPLAN_IR_GRAPH_BUILDER_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/concurrent_regions.h"
#include "ir/expr.h"
#include "ir/graph.h"
#include "ir/id.h"
#include "ir/where.h"

namespace bufplan {

struct ValueOptions {
  SpaceId space = {};  // the first space
  std::optional<int64_t> alignment_bytes = {};
  std::optional<int64_t> pinned_offset_bytes = {};
  bool preserve = false;  // inputs
  bool writable = false;  // externals
  std::string attrs_json = {};
};

struct OpOptions {
  StreamId stream = {};  // the first stream
  Expr scratch_bytes = 0;
  Elide elide = Elide::kAuto;
  std::string attrs_json = {};
};

// An operand of a compute op; converts from a ValueId (all of the value).
struct Operand {
  Operand(ValueId v) : value(v) {}  // NOLINT: meant to convert
  Operand(ValueId v, Region r, bool strides_ok_in = false, int64_t offset_multiple_in = 1)
      : value(v), region(std::move(r)), strides_ok(strides_ok_in), offset_multiple(offset_multiple_in) {}
  ValueId value;
  std::optional<Region> region = {};
  bool strides_ok = false;
  int64_t offset_multiple = 1;
};

// An in-place permission; converts from a ValueId (same_index).
struct InPlaceOf {
  InPlaceOf(ValueId v, InPlaceMode m = InPlaceMode::kSameIndex) : value(v), mode(m) {}  // NOLINT: meant to convert
  ValueId value;
  InPlaceMode mode;
};

// A result of a compute op: a new value, or one that AddValue() declared (`value`; then name, bytes and options are
// ignored).
struct Result {
  std::string name = {};
  Expr bytes = 0;
  ValueOptions options = {};
  std::optional<ValueId> value = {};
  std::optional<ValueId> base = {};
  std::optional<Region> region = {};
  Cover cover = Cover::kAll;
  std::vector<InPlaceOf> in_place = {};
  bool movable = true;
};

// Where a data movement puts its result: a new value of that name, or a declared one.
struct Target {
  Target() = default;
  Target(absl::string_view n) : name(n) {}  // NOLINT: meant to convert
  Target(const char* n) : name(n) {}        // NOLINT: meant to convert
  Target(std::string n, ValueOptions o) : name(std::move(n)), options(std::move(o)) {}
  Target(ValueId v) : value(v) {}  // NOLINT: meant to convert
  std::string name = {};
  ValueOptions options = {};
  std::optional<ValueId> value = {};
};

struct ComputeSpec {
  std::vector<Operand> reads = {};
  std::vector<Result> writes = {};
  OpOptions options = {};
};

struct CopyPart {
  ValueId from;
  std::optional<Region> from_region = {}, to_region = {};
};

// The values a compute op writes; converts to the first (or only) one.
class Results {
 public:
  explicit Results(std::vector<ValueId> values) : values_(std::move(values)) {}
  operator ValueId() const { return values_.empty() ? ValueId() : values_[0]; }  // NOLINT: meant to convert
  ValueId operator[](size_t i) const { return values_[i]; }
  size_t size() const { return values_.size(); }

 private:
  std::vector<ValueId> values_;
};

class GraphBuilder {
 public:
  explicit GraphBuilder(absl::string_view name = "");

  void SetAttrs(std::string attrs_json);

  // An integer in [min, max] and a multiple of multiple_of; use it in sizes and places: 8192 * s.
  Expr AddSymbol(absl::string_view name, int64_t min, int64_t max, int64_t multiple_of = 1);
  // Without a call: one space "device" with alignment 1 and no limits, one stream "main".
  SpaceId AddSpace(absl::string_view name, Space space);
  StreamId AddStream(absl::string_view name);

  // Values that are there at the start.
  ValueId Input(absl::string_view name, Expr bytes, ValueOptions options = {});
  ValueId Constant(absl::string_view name, Expr bytes, ValueOptions options = {});
  ValueId External(absl::string_view name, Expr bytes, ValueOptions options = {});
  ValueId Variable(absl::string_view name, Expr bytes, ValueOptions options = {});
  // Any value, ahead of the op that writes it.
  ValueId AddValue(absl::string_view name, Expr bytes, Role role, ValueOptions options = {});

  Results Compute(absl::string_view name, ComputeSpec spec);
  ValueId View(absl::string_view name, ValueId of, Expr at, Expr bytes, Target to = {}, OpOptions options = {});
  ValueId Slice(absl::string_view name, ValueId of, Expr at, Expr bytes, Target to = {}, OpOptions options = {});
  ValueId Clone(absl::string_view name, ValueId of, Target to = {}, OpOptions options = {});
  ValueId Update(absl::string_view name, ValueId base, ValueId from, Expr at, Target to = {}, OpOptions options = {});
  ValueId Concat(absl::string_view name, absl::Span<const ValueId> from, Target to = {}, OpOptions options = {});
  ValueId Copy(absl::string_view name, std::vector<CopyPart> parts, std::optional<ValueId> base, Expr bytes,
               Target to = {}, OpOptions options = {});
  ValueId Fill(absl::string_view name, std::optional<ValueId> base, std::optional<Region> region, Expr bytes,
               Target to = {}, OpOptions options = {});
  ValueId Transfer(absl::string_view name, ValueId from, Target to, OpOptions options = {});
  OpId Commit(absl::string_view name, ValueId from, ValueId to, OpOptions options = {});
  OpId Barrier(absl::string_view name, OpOptions options = {});
  OpId last_op() const { return OpId(static_cast<int32_t>(graph_.ops_.size()) - 1); }

  // What a graph-optimising backend says while it walks a graph. Each call takes O(1) amortised, may be repeated, and
  // may come before or after the ops that it speaks of, in any order among the others: the graph is the same. An op
  // that is yet to come is known by the id that it will get; Build() checks.
  void Order(OpId before, OpId after);
  // The bytes of `value` stay untouched until `until` has completed.
  void KeepAliveUntil(ValueId value, OpId until);
  void Disjoint(ValueId a, ValueId b);
  // Ops that may be executed as one; `ops` in any order. A proposal is known by its name: the same again counts once,
  // another one of that name is refused. FusionIds count the graph's fusions sorted by ops, then by name.
  void AddFusion(Fusion fusion);

  // A concurrent region: the branches that begin after `fork` may run at once, and `join` waits for all of them.
  //
  //   const ConcurrentId qkv = b.OpenConcurrent(norm);         // the same region for the same fork
  //   b.AddToBranch(qkv, 0, mm_q), b.AddToBranch(qkv, 1, mm_k), b.AddToBranch(qkv, 1, rope_k);
  //   b.CloseConcurrent(qkv, attention);
  //
  // The ops of a branch, all those between fork and join that say so, get a stream of their own, whatever their
  // OpOptions said, and two order edges: from the fork to its first op, from its last op to the join. Fork and join are
  // on one stream; data does the rest. Streams are named after the fork's ("main.1", "main.2", ...); regions that
  // follow each other on one stream use the same ones, so that they do not grow with the number of layers. A region may
  // lie in a branch of another one. Branches have any numbers; the lower takes the first stream.
  //
  // Build() refuses, by name: a region that is never closed, or closed at two ops; a branch's op that is unknown, in
  // two branches, or not listed between fork and join; fork and join on different streams.
  ConcurrentId OpenConcurrent(OpId fork);
  void AddToBranch(ConcurrentId region, int32_t branch, OpId op);
  void CloseConcurrent(ConcurrentId region, OpId join);

  void Output(ValueId value);

  // The size of v; 0 for an id that this builder did not give out (which Build() refuses where it is used).
  Expr bytes(ValueId v) const { return v.index() < graph_.values_.size() ? graph_.values_[v.index()].bytes : Expr(0); }

  absl::StatusOr<Graph> Build() &&;

 private:
  RegionId AddRegion(Region region);
  // The id of the value that an op writes: the target's own, or a new one.
  ValueId ResultValue(const Target& to, const Expr& bytes);
  // Opens an op; reads and writes added until the next StartOp() are its own.
  OpId StartOp(absl::string_view name, OpKind kind, OpOptions options);
  void AddRead(ValueId value, std::optional<Region> region, std::optional<Region> to_region, bool strides_ok = false,
               int64_t offset_multiple = 1);
  void AddWrite(ValueId value, std::optional<ValueId> base = std::nullopt, std::optional<Region> region = std::nullopt);

  Graph graph_;
  ConcurrentRegions regions_;
};

}  // namespace bufplan

#endif  // BUFPLAN_IR_GRAPH_BUILDER_H_
