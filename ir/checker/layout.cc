#include "ir/checker/layout.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/checker/runs.h"
#include "ir/checker/stride_rules.h"

namespace bufplan::checker {
namespace {

class LayoutMaker {
 public:
  LayoutMaker(const Graph& graph, const Plan& plan, const Schedule& schedule, const Memories& memories,
              absl::Span<const int64_t> symbols, int64_t max_runs, Reporter& reporter)
      : graph_(graph),
        plan_(plan),
        schedule_(schedule),
        memories_(memories),
        symbols_(symbols),
        runs_left_(max_runs),
        reporter_(reporter) {}

  absl::StatusOr<Layout> Make();

 private:
  absl::Status Evaluate(const Expr& e, absl::string_view what, const std::string& who, int64_t& result) const;
  bool PlacePlainly(const Location& location, SpaceId space, int64_t alignment_bytes, Place& place) const;
  absl::Status PlaceValue(ValueId v);
  void PlaceNowhere(ValueId v);
  absl::Status PlaceStrides(ValueId v);
  absl::StatusOr<int64_t> EvaluateStrides(ValueId v, int64_t& run_bytes, Nest::Loops& loops) const;
  absl::Status SpendRuns(int64_t runs, const std::string& who);
  absl::Status PlaceScratch(size_t i, OpId o);
  absl::Status PlaceAllScratch();
  // Sets memory and offset; reports where that is no place of `bytes` bytes.
  absl::Status Resolve(const Location& location, const std::string& who, Place& place);
  void CheckStartValue(ValueId v, Place& place);
  void CheckMemory(ValueId v, const Place& place);
  void ReportAlignment(const std::string& who, const Place& place, int64_t alignment_bytes);
  void CheckPin(ValueId v);
  void CheckView(OpId o);
  bool CheckViewOfNowhere(ValueId v, ValueId source);
  absl::Status CheckDisjoint();
  absl::StatusOr<bool> Meet(ValueId a, ValueId b);
  bool IsView(ValueId v) const {
    const std::optional<OpId> p = graph_.producer(v);
    return p.has_value() && graph_.op(*p).kind == OpKind::kView;
  }
  // A view lies on its source, if that has a place.
  bool BoundView(ValueId v) const {
    return IsView(v) && !schedule_.swallowed(graph_.reads(graph_.op(*graph_.producer(v)))[0].value);
  }
  int64_t Capacity(int32_t memory) const;
  void Report(ViolationKind kind, std::string message) { reporter_.Add(kind, std::move(message)); }

  const Graph& graph_;
  const Plan& plan_;
  const Schedule& schedule_;
  const Memories& memories_;
  absl::Span<const int64_t> symbols_;
  int64_t runs_left_;
  Reporter& reporter_;
  Layout layout_;
  std::vector<OpId> views_;
  std::vector<bool> forbidden_strides_;  // by value; empty: no strided one was met so far
};

absl::Status LayoutMaker::Evaluate(const Expr& e, absl::string_view what, const std::string& who,
                                   int64_t& result) const {
  if (e.is_constant()) {
    result = e.constant();
    return absl::OkStatus();
  }
  const std::optional<int64_t> value = e.Evaluate(symbols_);
  if (!value.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(who, ": ", what, "=", e.ToString(graph_.symbols()),
                                                   " has no 64-bit value at the symbol values checked"));
  }
  result = *value;
  return absl::OkStatus();
}

// The bytes of a memory.
int64_t LayoutMaker::Capacity(int32_t memory) const {
  if (const std::optional<ValueId> owner = memories_.owner(memory); owner.has_value()) {
    return layout_.of(*owner).bytes;
  }
  return plan_.arenas[memories_.space(memory).index()].chunks[static_cast<size_t>(memories_.chunk(memory))];
}

absl::Status LayoutMaker::Resolve(const Location& location, const std::string& who, Place& place) {
  place.memory = -1;
  if (absl::Status s = Evaluate(location.offset_bytes, "offset", who, place.offset); !s.ok()) return s;
  const int32_t memory = memories_.Of(location);
  if (memory < 0) {
    if (location.kind == Location::Kind::kArena) {
      Report(ViolationKind::kOutOfBounds,
             absl::StrCat(who, " lies in chunk ", location.chunk, " of space \"", graph_.name(location.space()),
                          "\", which has ", plan_.arenas[location.space().index()].chunks.size()));
    } else {
      Report(ViolationKind::kWrongMemory,
             absl::StrCat(who, " lies in ", reporter_.Text(location.owner()), ", which has no storage of its own (",
                          ToString(graph_.value(location.owner()).role), ")"));
    }
    return absl::OkStatus();
  }
  int64_t end = 0;
  const int64_t limit = Capacity(memory), extent = layout_.extent(place);
  const bool wraps = __builtin_add_overflow(place.offset, extent, &end);
  // What has no bytes may lie beyond the end: a pin may ask for it.
  if (wraps || place.offset < 0 || (end > limit && place.bytes > 0)) {
    Report(ViolationKind::kOutOfBounds,
           absl::StrCat(who, " at offset ", place.offset, " with ", place.bytes, " bytes",
                        place.nest < 0 ? "" : absl::StrCat(" in strided runs over ", extent), " leaves ",
                        memories_.Text(memory, 0), ", which has ", limit, " bytes"));
  }
  if (!wraps && place.offset >= 0) place.memory = memory;
  return absl::OkStatus();
}

void LayoutMaker::ReportAlignment(const std::string& who, const Place& place, int64_t alignment_bytes) {
  Report(ViolationKind::kAlignment, absl::StrCat(who, " at ", memories_.Text(place.memory, place.offset),
                                                 ", must be at a multiple of ", alignment_bytes, " bytes"));
}

// The case that nearly always holds: at a constant offset in the arena of the value's space, where it fits. Returns
// whether it does.
bool LayoutMaker::PlacePlainly(const Location& location, SpaceId space, int64_t alignment_bytes, Place& place) const {
  if (location.kind != Location::Kind::kArena || location.space() != space || location.strides != nullptr ||
      !location.offset_bytes.is_constant()) {
    return false;
  }
  const int32_t memory = memories_.Of(location);
  const int64_t offset = location.offset_bytes.constant();
  int64_t end = 0;
  if (memory < 0 || offset < 0 || (offset & (alignment_bytes - 1)) != 0 ||
      __builtin_add_overflow(offset, place.bytes, &end) ||
      end > plan_.arenas[space.index()].chunks[static_cast<size_t>(location.chunk)]) {
    return false;
  }
  place.offset = offset;
  place.memory = memory;
  return true;
}

absl::Status LayoutMaker::PlaceValue(ValueId v) {
  const Value& value = graph_.value(v);
  const Location& location = plan_.location(v);
  Place& place = layout_.values[v.index()];
  if (location.strides != nullptr && forbidden_strides_.empty()) {
    forbidden_strides_ = FindForbiddenStrides(graph_, plan_, schedule_, reporter_);
  }
  if (CallerOwned(value.role)) return CheckStartValue(v, place), absl::OkStatus();
  if (location.kind == Location::Kind::kNone) return PlaceNowhere(v), absl::OkStatus();
  if (location.strides != nullptr) {
    if (forbidden_strides_[v.index()]) return absl::OkStatus();
    if (absl::Status s = PlaceStrides(v); !s.ok() || !place.placed()) return s;
  } else if (absl::Status s = Resolve(location, reporter_.Text(v), place); !s.ok()) {
    return s;
  }
  if (schedule_.swallowed(v)) {
    Report(ViolationKind::kFusion, absl::StrCat(reporter_.Text(v),
                                                " is used inside of a fused group only and gets no "
                                                "bytes, but has a location"));
    place.memory = -1;
  }
  if (!place.placed()) return absl::OkStatus();
  if (IsView(v)) {
    views_.push_back(*graph_.producer(v));
    if (BoundView(v)) return absl::OkStatus();
  } else if ((place.offset & (value.alignment_bytes - 1)) != 0) {
    ReportAlignment(reporter_.Text(v), place, value.alignment_bytes);
  }
  if (location.kind != Location::Kind::kArena || location.space() != value.space) CheckMemory(v, place);
  if (value.pinned_offset_bytes.has_value()) CheckPin(v);
  return absl::OkStatus();
}

// What a fused group swallows, and what an elided data movement need not make.
void LayoutMaker::PlaceNowhere(ValueId v) {
  if (schedule_.swallowed(v)) return;
  const std::optional<OpId> producer = graph_.producer(v);
  if (BoundView(v)) return views_.push_back(*producer);  // as its source
  if (!producer.has_value() || !schedule_.elided(*producer) || graph_.value(v).max_bytes == 0) {
    Report(ViolationKind::kMissing, absl::StrCat(reporter_.Text(v),
                                                 " has no location, and neither does a fused group swallow it nor an "
                                                 "elided data movement make it"));
    return;
  }
  layout_.values[v.index()].memory = kNowhere;
  if (graph_.value(v).pinned_offset_bytes.has_value()) {
    Report(ViolationKind::kPin, absl::StrCat(reporter_.Text(v), " is pinned to offset ",
                                             *graph_.value(v).pinned_offset_bytes, ", but has no location"));
  }
}

// The bytes of the strided runs; all of run_bytes and the loops is at least 1 where that is positive. An error has
// nothing but a text for a violation if it is OutOfRange.
absl::StatusOr<int64_t> LayoutMaker::EvaluateStrides(ValueId v, int64_t& run_bytes, Nest::Loops& loops) const {
  const Strides& strides = *plan_.location(v).strides;
  const std::string who = reporter_.Text(v);
  if (absl::Status s = Evaluate(strides.run_bytes, "run", who, run_bytes); !s.ok()) return s;
  int64_t total = run_bytes;
  bool negative = run_bytes < 0, overflows = false;
  for (const Dim& d : strides.dims) {
    Nest::Loop& loop = loops.emplace_back();
    if (absl::Status s = Evaluate(d.count, "count", who, loop.count); !s.ok()) return s;
    if (absl::Status s = Evaluate(d.stride_bytes, "stride", who, loop.stride); !s.ok()) return s;
    negative = negative || loop.count < 0 || loop.stride < 0;
    overflows = __builtin_mul_overflow(total, loop.count, &total) || overflows;
  }
  if (negative) return absl::OutOfRangeError("a run, a count or a stride of it is negative");
  if (overflows) return absl::OutOfRangeError("its runs are more bytes than 64 bits count");
  return total;
}

absl::Status LayoutMaker::SpendRuns(int64_t runs, const std::string& who) {
  if (runs > runs_left_) {
    return absl::ResourceExhaustedError(absl::StrCat(who, ": too many strided runs to look at one by one"));
  }
  runs_left_ -= runs;
  return absl::OkStatus();
}

// Places a value whose bytes are strided runs.
absl::Status LayoutMaker::PlaceStrides(ValueId v) {
  Place& place = layout_.values[v.index()];
  const std::string who = reporter_.Text(v);
  const auto fault = [&](absl::string_view text) {
    Report(ViolationKind::kStrides, absl::StrCat(who, " lies strided, but ", text));
    place.memory = -1;
    return absl::OkStatus();
  };
  int64_t run_bytes = 0;
  Nest::Loops loops;
  const absl::StatusOr<int64_t> total = EvaluateStrides(v, run_bytes, loops);
  if (absl::IsOutOfRange(total.status())) return fault(total.status().message());
  if (!total.ok()) return total.status();
  if (*total != place.bytes) {
    return fault(absl::StrCat("its runs are ", *total, " bytes, the value has ", place.bytes));
  }
  if (place.bytes == 0) return Resolve(plan_.location(v), who, place);
  std::optional<Nest> nest = Nest::Create(run_bytes, loops);
  if (!nest.has_value()) return fault("its runs reach beyond 64 bits");
  if (!nest->contiguous()) {
    std::optional<bool> disjoint = nest->RunsAreDisjoint(0);
    if (!disjoint.has_value()) {
      if (absl::Status s = SpendRuns(nest->runs(), who); !s.ok()) return s;
      disjoint = nest->RunsAreDisjoint(nest->runs());
    }
    if (!*disjoint) return fault("its runs share bytes");
    place.nest = static_cast<int32_t>(layout_.nests.size());
    layout_.nests.push_back(*std::move(nest));
  }
  return Resolve(plan_.location(v), who, place);
}

// Constants, externals and variables are where the caller has them.
void LayoutMaker::CheckStartValue(ValueId v, Place& place) {
  const Location& location = plan_.location(v);
  if (location.kind != Location::Kind::kCaller || location.owner() != v ||
      !(location.offset_bytes.is_constant() && location.offset_bytes.constant() == 0)) {
    const std::optional<int64_t> offset = location.offset_bytes.Evaluate(symbols_);
    if (location.kind != Location::Kind::kCaller || location.owner() != v || offset != 0) {
      Report(ViolationKind::kWrongMemory, absl::StrCat(reporter_.Text(v), " (", ToString(graph_.value(v).role),
                                                       ") must be at the start of its own storage"));
    }
  }
  place.memory = memories_.OfOwner(v);
  place.offset = 0;
}

// Inputs: the arena of their space. Others also caller-owned storage there; who writes what is seen when it happens.
void LayoutMaker::CheckMemory(ValueId v, const Place& place) {
  const Value& value = graph_.value(v);
  const std::optional<ValueId> owner = memories_.owner(place.memory);
  if (owner.has_value() && value.role == Role::kInput) {
    Report(ViolationKind::kWrongMemory,
           absl::StrCat(reporter_.Text(v), " is an input and must be in an arena, but is at ",
                        memories_.Text(place.memory, place.offset)));
    layout_.values[v.index()].memory = -1;
    return;
  }
  const SpaceId space = owner.has_value() ? graph_.value(*owner).space : memories_.space(place.memory);
  if (space == value.space || graph_.SameMemory(space, value.space)) return;
  Report(ViolationKind::kWrongMemory,
         absl::StrCat(reporter_.Text(v), " of space \"", graph_.name(value.space), "\" is at ",
                      memories_.Text(place.memory, place.offset), " in space \"", graph_.name(space), "\""));
}

void LayoutMaker::CheckPin(ValueId v) {
  const Value& value = graph_.value(v);
  const Place& place = layout_.of(v);
  if (!place.placed()) return;
  const bool in_space = !memories_.owner(place.memory).has_value() && memories_.space(place.memory) == value.space &&
                        memories_.chunk(place.memory) == 0;
  if (in_space && place.offset == *value.pinned_offset_bytes) return;
  Report(ViolationKind::kPin,
         absl::StrCat(reporter_.Text(v), " is pinned to offset ", *value.pinned_offset_bytes, " of space \"",
                      graph_.name(value.space), "\", but is at ", memories_.Text(place.memory, place.offset)));
}

// A view of what has no bytes has none. Returns whether that settles it.
bool LayoutMaker::CheckViewOfNowhere(ValueId v, ValueId source) {
  Place& place = layout_.values[v.index()];
  const bool none = plan_.location(v).kind == Location::Kind::kNone;
  if (layout_.of(source).memory != kNowhere) {
    if (none)
      Report(ViolationKind::kMissing, absl::StrCat(reporter_.Text(v), " has no location, but is a view of ",
                                                   reporter_.Text(source), ", which has one"));
    return none;
  }
  if (place.placed() && place.bytes > 0) {
    Report(ViolationKind::kWrongMemory,
           absl::StrCat(reporter_.Text(v), " is a view of ", reporter_.Text(source),
                        ", which has no location, but is at ", memories_.Text(place.memory, place.offset)));
  }
  if (none && graph_.value(v).pinned_offset_bytes.has_value()) {
    Report(ViolationKind::kPin, absl::StrCat(reporter_.Text(v), " is pinned, but has no location"));
  }
  place.memory = none ? kNowhere : -1;
  return true;
}

void LayoutMaker::CheckView(OpId o) {
  const Read& read = graph_.reads(graph_.op(o))[0];
  const ValueId v = graph_.writes(graph_.op(o))[0].value;
  if (CheckViewOfNowhere(v, read.value)) return;
  const Place& source = layout_.of(read.value);
  Place& place = layout_.values[v.index()];
  if (!source.placed() || !place.placed()) return;
  int64_t at = 0;
  if (read.region.has_value()) at = graph_.region(*read.region).at.Evaluate(symbols_).value_or(0);
  if (place.memory == source.memory && place.offset == source.offset + at) return;
  Report(ViolationKind::kWrongMemory,
         absl::StrCat(reporter_.Text(v), " is a view of ", reporter_.Text(read.value), " at ", at, " and must be at ",
                      memories_.Text(source.memory, source.offset + at), ", but is at ",
                      memories_.Text(place.memory, place.offset)));
  place.memory = source.memory;
  place.offset = source.offset + at;
}

absl::Status LayoutMaker::PlaceScratch(size_t i, OpId o) {
  const Op& op = graph_.op(o);
  Place& place = layout_.scratch[i];
  const int64_t alignment = graph_.space(op.scratch_space).alignment_bytes;
  if (op.scratch_bytes.is_constant()) {
    place.bytes = op.scratch_bytes.constant();
    if (PlacePlainly(plan_.scratch[i].location, op.scratch_space, alignment, place)) return absl::OkStatus();
  }
  const std::string who = absl::StrCat("scratch of ", reporter_.Text(o));
  if (absl::Status s = Evaluate(op.scratch_bytes, "bytes", who, place.bytes); !s.ok()) return s;
  if (plan_.scratch[i].location.strides != nullptr) {
    Report(ViolationKind::kStrides, who + " lies strided");
    return absl::OkStatus();
  }
  if (plan_.scratch[i].location.kind == Location::Kind::kNone) {
    Report(ViolationKind::kMissing, who + " has no location");
    return absl::OkStatus();
  }
  if (absl::Status s = Resolve(plan_.scratch[i].location, who, place); !s.ok()) return s;
  if (!place.placed()) return absl::OkStatus();
  if ((place.offset & (alignment - 1)) != 0) ReportAlignment(who, place, alignment);
  const bool owned = memories_.owner(place.memory).has_value();
  if (owned || !graph_.SameMemory(memories_.space(place.memory), op.scratch_space)) {
    Report(ViolationKind::kWrongMemory,
           absl::StrCat(who, " must be in an arena of space \"", graph_.name(op.scratch_space), "\", but is at ",
                        memories_.Text(place.memory, place.offset)));
    if (owned) place.memory = -1;
  }
  return absl::OkStatus();
}

absl::Status LayoutMaker::PlaceAllScratch() {
  layout_.scratch.resize(plan_.scratch.size());
  size_t next = 0;
  for (size_t i = 0; i < graph_.ops().size(); ++i) {
    const OpId o(static_cast<int32_t>(i));
    if (next < plan_.scratch.size() && plan_.scratch[next].op == o) {
      if (absl::Status s = PlaceScratch(next++, o); !s.ok()) return s;
    } else if (graph_.ops()[i].max_scratch_bytes > 0) {
      Report(ViolationKind::kMissing, absl::StrCat("scratch of ", reporter_.Text(o), " has no location"));
    }
  }
  return absl::OkStatus();
}

// Whether they share a byte of memory.
absl::StatusOr<bool> LayoutMaker::Meet(ValueId a, ValueId b) {
  const Place &x = layout_.of(a), &y = layout_.of(b);
  if (x.nest < 0 && y.nest < 0) return x.Meets(y);
  if (!x.placed() || x.memory != y.memory || x.bytes == 0 || y.bytes == 0) return false;
  if (x.offset >= y.offset + layout_.extent(y) || y.offset >= x.offset + layout_.extent(x)) return false;
  const auto runs = [&](ValueId v, const Place& p, std::vector<ByteRange>& list) {
    const Nest* nest = layout_.nest(p);
    if (nest == nullptr) {
      list.push_back({p.offset, p.offset + p.bytes});
      return absl::OkStatus();
    }
    if (absl::Status s = SpendRuns(nest->runs(), reporter_.Text(v)); !s.ok()) return s;
    nest->AppendRuns({0, p.bytes}, p.offset, list);
    std::sort(list.begin(), list.end(), [](const ByteRange& q, const ByteRange& r) { return q.begin < r.begin; });
    return absl::OkStatus();
  };
  std::vector<ByteRange> of_a, of_b;
  if (absl::Status s = runs(a, x, of_a); !s.ok()) return s;
  if (absl::Status s = runs(b, y, of_b); !s.ok()) return s;
  return FirstCommon(of_a, 0, of_b, 0).has_value();
}

absl::Status LayoutMaker::CheckDisjoint() {
  for (const DisjointPair& d : graph_.disjoint()) {
    const Place &a = layout_.of(d.a), &b = layout_.of(d.b);
    const absl::StatusOr<bool> meet = Meet(d.a, d.b);
    if (!meet.ok()) return meet.status();
    if (!*meet) continue;
    Report(ViolationKind::kDisjoint,
           absl::StrCat(reporter_.Text(d.a), " at ", memories_.Text(a.memory, a.offset), " with ", a.bytes,
                        " bytes and ", reporter_.Text(d.b), " at ", memories_.Text(b.memory, b.offset), " with ",
                        b.bytes, " bytes are declared disjoint and overlap"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Layout> LayoutMaker::Make() {
  const size_t n = graph_.values().size();
  layout_.values.resize(n);
  for (size_t i = 0; i < n; ++i) {
    const Expr& bytes = graph_.values()[i].bytes;
    if (bytes.is_constant()) {
      layout_.values[i].bytes = bytes.constant();
    } else if (absl::Status s =
                   Evaluate(bytes, "bytes", reporter_.Text(ValueId(static_cast<int32_t>(i))), layout_.values[i].bytes);
               !s.ok()) {
      return s;
    }
  }
  for (size_t i = 0; i < n; ++i) {
    const ValueId v(static_cast<int32_t>(i));
    const Value& value = graph_.values()[i];
    if (!CallerOwned(value.role) && !value.pinned_offset_bytes.has_value() && !schedule_.any_fused()) {
      const bool view = IsView(v);
      if (PlacePlainly(plan_.locations[i], value.space, view ? 1 : value.alignment_bytes, layout_.values[i])) {
        if (view) views_.push_back(*graph_.producer(v));
        continue;
      }
    }
    if (absl::Status s = PlaceValue(v); !s.ok()) return s;
  }
  if (absl::Status s = PlaceAllScratch(); !s.ok()) return s;
  // In list order, so that the source of a view of a view is right already.
  std::sort(views_.begin(), views_.end());
  for (OpId o : views_) CheckView(o);
  if (absl::Status s = CheckDisjoint(); !s.ok()) return s;
  return std::move(layout_);
}

}  // namespace

absl::StatusOr<Layout> MakeLayout(const Graph& graph, const Plan& plan, const Schedule& schedule,
                                  const Memories& memories, absl::Span<const int64_t> symbol_values, int64_t max_runs,
                                  Reporter& reporter) {
  return LayoutMaker(graph, plan, schedule, memories, symbol_values, max_runs, reporter).Make();
}

}  // namespace bufplan::checker
