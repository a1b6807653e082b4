#include "ir/checker/replay.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/strings/str_cat.h"
#include "ir/checker/lineage.h"
#include "ir/checker/memory_map.h"
#include "ir/checker/own_conflicts.h"

namespace bufplan::checker {
namespace {

// Runs of strided values are looked at time and again: so many times the limit of runs that are spelled out.
constexpr int64_t kStridedVisits = 4;

// Contents of more pieces than this are looked at by parts.
constexpr int64_t kManyPieces = 64;

class Replayer {
 public:
  Replayer(const Graph& graph, const Plan& plan, const Schedule& schedule, const Memories& memories,
           const Layout& layout, absl::Span<const int64_t> symbols, const Gatherer::Limits& limits, Reporter& reporter)
      : graph_(graph),
        schedule_(schedule),
        memories_(memories),
        layout_(layout),
        reporter_(reporter),
        budget_(limits.max_runs * kStridedVisits),
        gatherer_(graph, plan, schedule, layout, symbols, limits, &budget_),
        own_conflicts_(graph, layout, memories, &budget_, reporter),
        lineage_(graph),
        map_(memories.size(), graph.values().size(), &schedule.order()) {}

  absl::StatusOr<Movements> Run();
  bool coarse() const { return gatherer_.coarse(); }
  bool too_coarse() const { return gatherer_.too_coarse(); }

 private:
  void Start();
  void SortKeepAlive();
  absl::Status Visit(int32_t node);
  void End();

  void CheckOffset(const Access& a);
  void CheckActivity(OpId o);
  template <typename F>
  bool ForEachPiece(const Access& a, bool resolve, F&& f);
  template <typename F>
  bool ForEachOfPattern(const Access& a, ByteRange bytes, const ContentPool::Pattern& pattern, int64_t offset, F&& f,
                        bool& done);
  std::optional<Finding> Find(const Access& a, const Reader& by);
  ABSL_ATTRIBUTE_NOINLINE std::optional<Finding> FindUnknownPieces(const Access& a, const Reader& by);
  ABSL_ATTRIBUTE_NOINLINE std::optional<Finding> FindPieceByPiece(const Access& a, const Reader& by);
  void ReadPiece(const Access& a, int64_t at, ByteRange bytes, Origin origin, int64_t offset, const Reader& by,
                 std::optional<Finding>& first);
  ABSL_ATTRIBUTE_NOINLINE std::optional<Finding> WritePieceByPiece(const Access& a, int32_t node);
  std::optional<Finding> FindReadOnly(const Access& a);
  bool HasBytes(const Access& a, absl::string_view reader);
  void Read(const Access& a, int32_t node);
  void CheckKeepAlive(const Access& a, int32_t node);
  void EndRead(const Access& a, ViolationKind kind, absl::string_view what);
  void Write(const Access& a, int32_t node);
  bool MayWrite(const Access& a);
  void ReportWrite(const Access& a, const Finding& f);

  std::string PlaceText(const Access& a, ByteRange bytes, int64_t address) const;
  std::string PlaceText(const Access& a, const Finding& f) const { return PlaceText(a, Bytes(a, f), f.range.begin); }
  // Which bytes of the value they are that should be there.
  static ByteRange Bytes(const Access& a, const Finding& f) {
    const int64_t begin = a.nest == nullptr ? f.range.begin - a.base : f.at;
    return {begin, begin + f.range.size()};
  }
  std::string Found(const Access& a, const Finding& f) const;
  std::string Who(const Access& a, int32_t node) const;
  bool OfScratch(const Finding& f) const { return f.origin >= 0 && gatherer_.IsScratch(f.origin); }
  absl::Span<const ValueId> kept_until(int32_t node) const {
    if (keep_alive_.empty()) return {};
    const size_t begin = first_keep_alive_[static_cast<size_t>(node)];
    return absl::MakeConstSpan(keep_alive_).subspan(begin, first_keep_alive_[static_cast<size_t>(node) + 1] - begin);
  }

  const Graph& graph_;
  const Schedule& schedule_;
  const Memories& memories_;
  const Layout& layout_;
  Reporter& reporter_;
  RunBudget budget_;
  Gatherer gatherer_;
  OwnConflicts own_conflicts_;
  Lineage lineage_;
  MemoryMap map_;
  std::vector<ValueId> keep_alive_;       // by the node until which
  std::vector<size_t> first_keep_alive_;  // by node, and one more; empty without keep-alives
  Movements movements_;
};

absl::StatusOr<Movements> Replayer::Run() {
  movements_.executes.assign(graph_.ops().size(), false);
  Start();
  SortKeepAlive();
  for (int32_t node : schedule_.visit_order()) {
    if (absl::Status s = Visit(node); !s.ok()) return s;
    if (reporter_.full()) return std::move(movements_);
  }
  End();
  return std::move(movements_);
}

// Inputs, variables and writable externals. What is read-only needs no map.
void Replayer::Start() {
  for (size_t i = 0; i < graph_.values().size(); ++i) {
    const Value& value = graph_.values()[i];
    if (value.role == Role::kTransient || value.role == Role::kConstant) continue;
    const ValueId v(static_cast<int32_t>(i));
    const Place& place = layout_.of(v);
    if (!place.placed() || memories_.read_only(place.memory)) continue;
    const std::optional<Finding> f = map_.Put(place.memory, {place.offset, place.offset + place.bytes}, v.value, 0);
    if (!f.has_value() || !reporter_.IsNew(ViolationKind::kUnorderedWrites, v.value)) continue;
    reporter_.Add(ViolationKind::kUnorderedWrites,
                  absl::StrCat("inputs ", reporter_.Text(v), " and ", reporter_.Text(ValueId(f->origin)),
                               " are both there at the start in bytes ", Reporter::Text(f->range), " of ",
                               memories_.Text(place.memory, 0)));
  }
}

void Replayer::SortKeepAlive() {
  if (graph_.keep_alive().empty()) return;
  std::vector<size_t>& first = first_keep_alive_;
  first.assign(static_cast<size_t>(schedule_.num_nodes()) + 1, 0);
  const auto node = [&](const KeepAlive& k) { return static_cast<size_t>(schedule_.node_of(k.until)); };
  for (const KeepAlive& k : graph_.keep_alive()) ++first[node(k) + 1];
  for (size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  std::vector<size_t> next(first.begin(), first.end() - 1);
  keep_alive_.resize(graph_.keep_alive().size());
  for (const KeepAlive& k : graph_.keep_alive()) keep_alive_[next[node(k)]++] = k.value;
}

absl::Status Replayer::Visit(int32_t node) {
  if (absl::Status s = gatherer_.Gather(node); !s.ok()) return s;
  const std::optional<FusionId> fusion = schedule_.fusion(node);
  const OpId op = schedule_.members(node).back();
  if (!fusion.has_value()) CheckActivity(op);
  for (ValueId v : kept_until(node)) {
    const Access a = gatherer_.WholeValue(v, op);
    if (!a.runs.empty() && schedule_.producer_node(v) != node) gatherer_.AddRead(a);
  }
  if (!gatherer_.writes().empty()) {
    own_conflicts_.Check(gatherer_, fusion, gatherer_.reads(), gatherer_.writes());
  }
  for (const Access& a : gatherer_.reads()) {
    if (a.use == Use::kKeepAlive) {
      CheckKeepAlive(a, node);
    } else {
      Read(a, node);
    }
  }
  for (const Access& a : gatherer_.writes()) Write(a, node);
  // What the node itself makes must be there when it completes.
  for (ValueId v : kept_until(node)) {
    if (schedule_.producer_node(v) == node) CheckKeepAlive(gatherer_.WholeValue(v, op), node);
  }
  gatherer_.ReleaseUnused(node);
  if (!budget_.exhausted()) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat(reporter_.Text(op), ": the runs of strided values up to it are too many to look at"));
}

void Replayer::CheckActivity(OpId o) {
  const Op& op = graph_.op(o);
  const Activity& activity = gatherer_.activity();
  movements_.bytes += activity.bytes;
  movements_.executes[o.index()] = activity.executes();
  const bool movement = IsMovement(op.kind);
  if (activity.executes()) {
    ++movements_.kept;
  } else if (movement) {
    ++movements_.elided;
  }
  if (!movement) return;
  if (op.elide == Elide::kNever && schedule_.elided(o) && activity.parts > 0) {
    reporter_.Add(ViolationKind::kElide, absl::StrCat(reporter_.Text(o), " has elide=never, but is marked as elided"));
  } else if (op.elide == Elide::kNever && activity.executed_parts < activity.parts) {
    reporter_.Add(ViolationKind::kElide,
                  absl::StrCat(reporter_.Text(o), " has elide=never, but ", activity.parts - activity.executed_parts,
                               " of its ", activity.parts, " parts coincide with their sources"));
  }
  if (op.elide == Elide::kMust && activity.executes()) {
    reporter_.Add(ViolationKind::kElide,
                  absl::StrCat(reporter_.Text(o), " has elide=must, but moves ", activity.bytes, " bytes"));
  }
}

void Replayer::End() {
  for (ValueId v : graph_.outputs()) EndRead(gatherer_.WholeValue(v, OpId()), ViolationKind::kOutputLost, " output");
  for (size_t i = 0; i < graph_.values().size(); ++i) {
    const Value& value = graph_.values()[i];
    if (value.role == Role::kTransient || value.role == Role::kConstant) continue;
    const ValueId v(static_cast<int32_t>(i));
    if (value.preserve) EndRead(gatherer_.WholeValue(v, OpId()), ViolationKind::kOutputLost, " preserved input");
    const bool committed = graph_.commit_to(v).has_value();
    if (value.role == Role::kVariable || committed) {
      EndRead(gatherer_.FinalStorage(v), ViolationKind::kVariableLost, committed ? " committed" : " unchanged");
    }
  }
}

// Bytes of a value that hold a pattern's from `offset` on, and lie where it would put them: the pattern's source has to
// be there, with all that lies between the runs. `done`: they do lie so.
template <typename F>
bool Replayer::ForEachOfPattern(const Access& a, ByteRange bytes, const ContentPool::Pattern& pattern, int64_t offset,
                                F&& f, bool& done) {
  const std::optional<Nest::Part> place = Nest::PartOf(a.nest, bytes),
                                  source = pattern.nest.PartOf({offset, offset + bytes.size()});
  done = place.has_value() && source.has_value() && place->nest == source->nest;
  if (!done) return true;
  const int64_t shift = a.base + place->position - source->position;
  return gatherer_.contents().ForEach(pattern.source, {source->position, source->position + source->nest.extent()},
                                      [&](int64_t at, int64_t size, Origin origin, int64_t origin_offset) {
                                        return f(bytes.begin, at + shift, size, origin, origin_offset);
                                      });
}

// Calls f(byte of the value, address, bytes, origin, offset) for all that the access touches, piece by piece of its
// content and run by run of its place, until f returns false. Returns whether f never did. `resolve`: where patterns
// are met by what they are of, this is what f gets.
template <typename F>
bool Replayer::ForEachPiece(const Access& a, bool resolve, F&& f) {
  const auto piece = [&](int64_t at, int64_t bytes, Origin origin, int64_t offset) {
    if (IsPattern(origin) && resolve) {
      bool done = false;
      const bool goes_on = ForEachOfPattern(a, {at, at + bytes}, gatherer_.contents().pattern(origin), offset, f, done);
      if (done) return goes_on;
    }
    if (a.nest == nullptr) return f(at, a.base + at, bytes, origin, offset);
    if (!budget_.Spend(a.nest->RunsOf(bytes))) return false;
    return a.nest->ForEach({at, at + bytes}, [&](int64_t part, int64_t position, int64_t part_bytes) {
      return f(part, a.base + position, part_bytes, origin, offset + (part - at));
    });
  };
  for (const ByteRange& run : gatherer_.runs(a.runs)) {
    if (!gatherer_.contents().ForEach(a.content, run, piece)) return false;
  }
  return true;
}

std::optional<Finding> Replayer::FindReadOnly(const Access& a) {
  const Origin owner = memories_.owner(a.memory)->value;
  std::optional<Finding> first;
  ForEachPiece(a, true, [&](int64_t at, int64_t address, int64_t bytes, Origin origin, int64_t offset) {
    if (origin == kUndefined || (origin == owner && offset == address)) return true;
    first = Finding{Finding::What::kContent, {address, address + bytes}, owner, address, kStart, false, at};
    return false;
  });
  return first;
}

// Reports a read of a value that the plan gives no bytes.
bool Replayer::HasBytes(const Access& a, absl::string_view reader) {
  if (a.memory != kNowhere) return true;
  if (!reporter_.IsNew(ViolationKind::kMissing, a.value.value)) return false;
  reporter_.Add(ViolationKind::kMissing,
                absl::StrCat(reader, " ", reporter_.Text(a.value), " bytes ", Reporter::Text(a.runs.span),
                             ", which has no location: the data movement that makes it is elided"));
  return false;
}

std::optional<Finding> Replayer::Find(const Access& a, const Reader& by) {
  if (a.memory < 0) return std::nullopt;
  if (memories_.read_only(a.memory)) return FindReadOnly(a);
  if (map_.total() && !by.keep_alive && a.nest == nullptr && gatherer_.contents().Pieces(a.content) > kManyPieces) {
    return FindUnknownPieces(a, by);
  }
  if (!a.in_one_piece() || IsPattern(a.content.origin)) return FindPieceByPiece(a, by);
  if (a.content.origin == kUndefined || a.runs.empty()) return std::nullopt;
  return map_.Read(a.memory, {a.base + a.runs.span.begin, a.base + a.runs.span.end}, a.content.origin,
                   a.content.offset + a.runs.span.begin, by);
}

// One piece of a content, `at` bytes after the first byte of what is read; only the first fault is kept.
void Replayer::ReadPiece(const Access& a, int64_t at, ByteRange bytes, Origin origin, int64_t offset, const Reader& by,
                         std::optional<Finding>& first) {
  if (origin == kUndefined) return;
  std::optional<Finding> f = map_.Read(a.memory, bytes, origin, offset, by);
  if (!f.has_value() || first.has_value()) return;
  f->at = at + (f->range.begin - bytes.begin);
  first = f;
}

// In a total order, parts of a content that were found there are there still unless somebody wrote to them; what values
// share of their contents is looked at once.
std::optional<Finding> Replayer::FindUnknownPieces(const Access& a, const Reader& by) {
  ContentPool& contents = gatherer_.contents();
  std::optional<Finding> first;
  bool patterns = false;  // they say something about bytes elsewhere
  const auto known = [&](int32_t part, int64_t begin, int64_t bytes) {
    const ContentPool::Note note = contents.note(part);
    const int64_t address = a.base + begin;
    if (note.memory != a.memory || note.address != address || note.time < 0) return false;
    return note.time == map_.writes() || map_.LastWrite(a.memory, {address, address + bytes}) <= note.time;
  };
  const auto learn = [&](int32_t part, int64_t begin) {
    if (!first.has_value() && !patterns) contents.note(part) = {a.base + begin, map_.writes(), a.memory};
  };
  const auto read = [&](int64_t at, int64_t address, int64_t bytes, Origin origin, int64_t offset) {
    ReadPiece(a, at, {address, address + bytes}, origin, offset, by, first);
    return true;
  };
  map_.LastWrite(a.memory, {0, 1});  // writes are remembered from the first question on
  for (const ByteRange& run : gatherer_.runs(a.runs)) {
    contents.ForEachUnknown(a.content, run, known, learn,
                            [&](int64_t at, int64_t bytes, Origin origin, int64_t offset) {
                              bool done = false;
                              if (IsPattern(origin)) {
                                patterns = true;
                                const ContentPool::Pattern& pattern = contents.pattern(origin);
                                ForEachOfPattern(a, {at, at + bytes}, pattern, offset, read, done);
                              }
                              return done || read(at, a.base + at, bytes, origin, offset);
                            });
  }
  return first;
}

std::optional<Finding> Replayer::FindPieceByPiece(const Access& a, const Reader& by) {
  std::optional<Finding> first;
  ForEachPiece(a, true, [&](int64_t at, int64_t address, int64_t bytes, Origin origin, int64_t offset) {
    ReadPiece(a, at, {address, address + bytes}, origin, offset, by, first);
    return true;
  });
  return first;
}

std::string Replayer::Who(const Access& a, int32_t node) const {
  std::string text = reporter_.Text(a.op);
  if (schedule_.fusion(node).has_value()) absl::StrAppend(&text, " of ", schedule_.NodeText(node));
  return text;
}

// `value "past" bytes [0,8192) at device+4096`
std::string Replayer::PlaceText(const Access& a, ByteRange bytes, int64_t address) const {
  const std::string what =
      a.use == Use::kScratch ? absl::StrCat("scratch of ", reporter_.Text(a.op)) : reporter_.Text(a.value);
  return absl::StrCat(what, " bytes ", Reporter::Text(bytes), " at ", memories_.Text(a.memory, address));
}

// What the access wants there and what it finds.
std::string Replayer::Found(const Access& a, const Finding& f) const {
  std::string wants, finds;
  const auto bytes_of = [&](Origin origin, int64_t from) {
    return absl::StrCat("bytes ", Reporter::Text({from, from + f.range.size()}), " of ",
                        IsPattern(origin) ? std::string("strided runs") : reporter_.Text(ValueId(origin)));
  };
  gatherer_.contents().ForEach(a.content, Bytes(a, f), [&](int64_t, int64_t, Origin origin, int64_t offset) {
    wants = origin == kUndefined ? std::string("anything") : bytes_of(origin, offset);
    return false;
  });
  if (f.origin == kNothing) return absl::StrCat("wants ", wants, ", finds nothing written");
  if (f.origin == kUndefined) {
    finds = "undefined bytes";
  } else if (gatherer_.IsScratch(f.origin)) {
    finds = absl::StrCat("scratch of ", reporter_.Text(gatherer_.ScratchOp(f.origin)));
  } else {
    finds = bytes_of(f.origin, f.offset);
  }
  return absl::StrCat("wants ", wants, ", finds ", finds,
                      f.node == kStart ? " from the start" : absl::StrCat(", written by ", schedule_.NodeText(f.node)));
}

void Replayer::CheckOffset(const Access& a) {
  const int64_t first = a.base;
  if (a.memory < 0 || first % a.read->offset_multiple == 0) return;
  if (!reporter_.IsNew(ViolationKind::kAlignment, a.value.value, a.op.value)) return;
  reporter_.Add(
      ViolationKind::kAlignment,
      absl::StrCat(reporter_.Text(a.op), " reads ", reporter_.Text(a.value), " at ", memories_.Text(a.memory, first),
                   ", must be at a multiple of offset_multiple=", a.read->offset_multiple));
}

void Replayer::Read(const Access& a, int32_t node) {
  if (a.memory == kNowhere && !HasBytes(a, absl::StrCat(Who(a, node), " reads"))) return;
  if (a.read != nullptr && a.read->offset_multiple > 1) CheckOffset(a);
  const std::optional<Finding> f = Find(a, {node, false, kStart});
  if (!f.has_value()) return;
  const bool concurrent = f->node != kStart && f->node != node && !schedule_.order().Before(f->node, node);
  ViolationKind kind = ViolationKind::kWrongContent;
  std::string text;
  if (f->what == Finding::What::kUnorderedWriter) {
    kind = ViolationKind::kUnorderedRead;
    text = absl::StrCat(schedule_.NodeText(f->node), " writes it in no order with this read");
  } else {
    text = Found(a, *f);
    if (OfScratch(*f)) {
      kind = ViolationKind::kScratch;
    } else if (concurrent) {
      kind = ViolationKind::kUnorderedOverwrite;
      absl::StrAppend(&text, " in no order with this read");
    }
  }
  if (!reporter_.IsNew(kind, a.value.value)) return;
  reporter_.Add(kind, absl::StrCat(Who(a, node), " reads ", PlaceText(a, *f), ": ", text));
}

void Replayer::CheckKeepAlive(const Access& a, int32_t node) {
  if (a.runs.empty()) return;
  if (a.memory == kNowhere && !HasBytes(a, absl::StrCat("keep_alive until ", Who(a, node), " of"))) return;
  const int32_t producer = schedule_.producer_node(a.value);
  const std::optional<Finding> f = Find(a, {node, true, producer});
  if (!f.has_value() || !reporter_.IsNew(ViolationKind::kKeepAlive, a.value.value)) return;
  std::string text;
  switch (f->what) {
    case Finding::What::kContent: text = Found(a, *f); break;
    case Finding::What::kTouched:
      text = absl::StrCat("rewritten by ", schedule_.NodeText(f->node), " since ", schedule_.NodeText(producer));
      break;
    default: text = absl::StrCat(schedule_.NodeText(f->node), " writes it in no order with that"); break;
  }
  reporter_.Add(ViolationKind::kKeepAlive,
                absl::StrCat("keep_alive until ", Who(a, node), " of ", PlaceText(a, *f), ": ", text));
}

void Replayer::EndRead(const Access& a, ViolationKind kind, absl::string_view what) {
  if (a.memory == kNowhere && !a.runs.empty() && !HasBytes(a, absl::StrCat("at the end", what))) return;
  const std::optional<Finding> f = Find(a, {kEnd, false, kStart});
  if (!f.has_value() || !reporter_.IsNew(kind, a.value.value)) return;
  reporter_.Add(kind, absl::StrCat("at the end", what, " ", PlaceText(a, *f), ": ", Found(a, *f)));
}

// Whether the storage may be written for this at all. A commit's own target may.
bool Replayer::MayWrite(const Access& a) {
  const std::optional<ValueId> owner = memories_.owner(a.memory);
  if (!owner.has_value() || a.value == *owner) return true;
  const bool read_only = memories_.read_only(a.memory);
  if (!read_only && graph_.value(*owner).role != Role::kVariable) return true;
  if (!read_only && lineage_.Contains(*owner, a.value)) return true;
  const ViolationKind kind = read_only ? ViolationKind::kReadOnlyWritten : ViolationKind::kNotLineage;
  if (reporter_.IsNew(kind, a.value.value, owner->value)) {
    reporter_.Add(
        kind, absl::StrCat(reporter_.Text(a.op), " writes ", PlaceText(a, a.runs.span, a.address(a.runs.span.begin)),
                           ", the storage of ", ToString(graph_.value(*owner).role), " ", reporter_.Text(*owner),
                           read_only ? ", which is read-only" : ", to which it is not committed"));
  }
  return !read_only;
}

void Replayer::Write(const Access& a, int32_t node) {
  if (a.memory < 0 || !MayWrite(a)) return;
  std::optional<Finding> first;
  if (!a.in_one_piece()) {
    first = WritePieceByPiece(a, node);
  } else if (!a.runs.empty()) {
    const ByteRange addresses{a.base + a.runs.span.begin, a.base + a.runs.span.end};
    first = map_.Write(a.memory, addresses, a.content.origin, a.content.offset + a.runs.span.begin, node);
  }
  if (first.has_value()) ReportWrite(a, *first);
}

std::optional<Finding> Replayer::WritePieceByPiece(const Access& a, int32_t node) {
  std::optional<Finding> first;
  ForEachPiece(a, false, [&](int64_t at, int64_t address, int64_t bytes, Origin origin, int64_t offset) {
    std::optional<Finding> f = map_.Write(a.memory, {address, address + bytes}, origin, offset, node);
    if (!f.has_value() || first.has_value()) return true;
    f->at = at + (f->range.begin - address);
    first = f;
    return true;
  });
  return first;
}

void Replayer::ReportWrite(const Access& a, const Finding& f) {
  const bool by_reader = f.what == Finding::What::kUnorderedReader;
  ViolationKind kind = by_reader ? ViolationKind::kUnorderedOverwrite : ViolationKind::kUnorderedWrites;
  if (by_reader && f.keep_alive) kind = ViolationKind::kKeepAlive;
  if (a.use == Use::kScratch || (!by_reader && OfScratch(f))) kind = ViolationKind::kScratch;
  const int32_t subject = a.use == Use::kScratch ? -1 - a.op.value : a.value.value;
  if (!reporter_.IsNew(kind, subject, f.node)) return;
  const std::string there = f.origin < 0 ? std::string("bytes")
                            : gatherer_.IsScratch(f.origin)
                                ? absl::StrCat("scratch of ", reporter_.Text(gatherer_.ScratchOp(f.origin)))
                                : absl::StrCat("bytes ", Reporter::Text({f.offset, f.offset + f.range.size()}), " of ",
                                               reporter_.Text(ValueId(f.origin)));
  reporter_.Add(
      kind, absl::StrCat(reporter_.Text(a.op), " writes ", PlaceText(a, f), " over ", there, ", which ",
                         schedule_.NodeText(f.node), by_reader ? (f.keep_alive ? " keeps alive" : " reads") : " writes",
                         " in no order with it"));
}

}  // namespace

absl::StatusOr<Movements> Replay(const Graph& graph, const Plan& plan, const Schedule& schedule,
                                 const Memories& memories, const Layout& layout,
                                 absl::Span<const int64_t> symbol_values, const Gatherer::Limits& limits,
                                 Reporter& reporter) {
  Reporter attempt = reporter;
  Replayer first(graph, plan, schedule, memories, layout, symbol_values, limits, attempt);
  absl::StatusOr<Movements> movements = first.Run();
  if (!first.coarse() || (movements.ok() && !first.too_coarse() && attempt.count() == reporter.count())) {
    reporter = std::move(attempt);
    return movements;
  }
  return Replayer(graph, plan, schedule, memories, layout, symbol_values, {limits.max_runs, INT64_MAX}, reporter).Run();
}

}  // namespace bufplan::checker
