#include "io/json_plan.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "io/fingerprint.h"
#include "io/json_dom.h"
#include "io/json_plan_words.h"
#include "io/json_reader.h"
#include "io/json_text.h"
#include "ir/structure.h"

namespace bufplan {
namespace {

enum FileKey : size_t {
  kFormat,
  kVersion,
  kGraph,
  kFingerprint,
  kOptions,
  kStatus,
  kArenas,
  kValues,
  kOps,
  kFused,
  kOrder,
  kStats
};
constexpr absl::string_view kFileKeys[] = {"format", "version", "graph", "fingerprint", "options", "status",
                                           "arenas", "values",  "ops",   "fused",       "order",   "stats"};

class PlanJsonReader {
 public:
  PlanJsonReader(const JsonDocument& doc, const Graph& graph);
  absl::StatusOr<Plan> Read();

 private:
  using Table = absl::flat_hash_map<absl::string_view, int32_t>;
  // Where the keys of a place stand, from a first one on; the last two are those of values only.
  enum PlaceKey : size_t { kIn, kOwner, kChunk, kOffset, kRun, kDims };

  int32_t Find(const Table& table, JsonValue json, absl::string_view what);
  ValueId Value(JsonValue json) { return ValueId(Find(values_, json, "value")); }
  OpId Op(JsonValue json) { return OpId(Find(ops_, json, "op")); }
  template <class IdType>
  IdType RequiredId(const JsonMembers& m, size_t key, const Table& table, absl::string_view what);
  std::optional<OpId> OpOrNull(const JsonMembers& m, size_t key);
  Location Place(const JsonMembers& m, size_t first_key);
  std::shared_ptr<const Strides> ReadStrides(const JsonMembers& m, size_t first_key);
  Expr ReadExpr(JsonValue json);
  // Refuses the second entry for one thing.
  bool FirstEntry(std::vector<bool>& seen, size_t index, JsonValue json);

  template <class ReadElement>
  void List(const JsonMembers& m, FileKey key, ReadElement read);
  void ReadArena(JsonValue json);
  void ReadValue(JsonValue json);
  void ReadOp(JsonValue json);
  void ReadFused(JsonValue json);
  void ReadEdge(JsonValue json);
  void ReadStats(JsonValue json);

  const JsonDocument& doc_;
  const Graph& g_;
  JsonReader in_;
  Table symbols_, spaces_, values_, ops_, fusions_;
  std::vector<bool> arena_seen_, value_seen_, fusion_seen_;
  Plan plan_;
};

PlanJsonReader::PlanJsonReader(const JsonDocument& doc, const Graph& graph) : doc_(doc), g_(graph), in_(doc) {
  const auto fill = [](Table& table, size_t count, auto name_of) {
    table.reserve(count);
    for (size_t i = 0; i < count; ++i) table.try_emplace(name_of(i), static_cast<int32_t>(i));
  };
  const auto id = [](size_t i) { return static_cast<int32_t>(i); };
  fill(symbols_, g_.symbols().size(), [&](size_t i) -> absl::string_view { return g_.symbols()[i].name; });
  fill(spaces_, g_.spaces().size(), [&](size_t i) { return g_.name(SpaceId(id(i))); });
  fill(values_, g_.values().size(), [&](size_t i) { return g_.name(ValueId(id(i))); });
  fill(ops_, g_.ops().size(), [&](size_t i) { return g_.name(OpId(id(i))); });
  fill(fusions_, g_.fusions().size(), [&](size_t i) -> absl::string_view { return g_.fusions()[i].name; });
  arena_seen_.resize(g_.spaces().size());
  value_seen_.resize(g_.values().size());
  fusion_seen_.resize(g_.fusions().size());
  plan_.arenas.resize(g_.spaces().size());
  plan_.locations.resize(g_.values().size());
  plan_.live.resize(g_.values().size());
  for (size_t i = 0; i < g_.fusions().size(); ++i) plan_.fused.push_back({.fusion = FusionId(id(i)), .why = {}});
}

int32_t PlanJsonReader::Find(const Table& table, JsonValue json, absl::string_view what) {
  const absl::string_view name = in_.String(json);
  const auto found = table.find(name);
  if (found != table.end()) return found->second;
  if (in_.ok()) in_.Fail(json, absl::StrCat("the graph has no ", what, " ", Quoted(name)));
  return 0;
}

template <class IdType>
IdType PlanJsonReader::RequiredId(const JsonMembers& m, size_t key, const Table& table, absl::string_view what) {
  const std::optional<JsonValue> json = in_.Required(m, key);
  return IdType(json.has_value() ? Find(table, *json, what) : 0);
}

std::optional<OpId> PlanJsonReader::OpOrNull(const JsonMembers& m, size_t key) {
  if (!m.has(key) || m[key].kind() == JsonKind::kNull) return std::nullopt;
  return Op(m[key]);
}

Expr PlanJsonReader::ReadExpr(JsonValue json) {
  if (json.kind() == JsonKind::kInteger) return json.integer();
  const absl::string_view text = in_.String(json);
  if (!in_.ok()) return 0;
  absl::StatusOr<Expr> e = ParseExpr(text, [this](absl::string_view name) -> std::optional<SymbolId> {
    const auto found = symbols_.find(name);
    if (found == symbols_.end()) return std::nullopt;
    return SymbolId(found->second);
  });
  if (e.ok()) return *std::move(e);
  in_.Fail(json, absl::StrCat("expression ", Quoted(text), ": ", e.status().message()));
  return 0;
}

Location PlanJsonReader::Place(const JsonMembers& m, size_t first_key) {
  const std::optional<JsonValue> where = in_.Required(m, first_key + kIn);
  if (!where.has_value()) return {};
  if (where->kind() == JsonKind::kNull) {
    for (size_t k : {kOwner, kChunk, kOffset}) {
      if (m.has(first_key + k)) in_.Fail(m[first_key + k], "a value without bytes (\"in\": null) has no place");
    }
    return {};
  }
  const absl::string_view name = in_.String(*where);
  const bool owner = m.has(first_key + kOwner) && in_.Bool(m[first_key + kOwner]);
  const int64_t chunk = in_.OptionalInteger(m, first_key + kChunk).value_or(0);
  if (chunk < 0 || chunk > (int64_t{1} << 30)) {
    in_.Fail(m[first_key + kChunk], absl::StrCat("chunk=", chunk, ", must be in [0, 2^30]"));
  }
  const std::optional<JsonValue> offset_json = in_.Required(m, first_key + kOffset);
  Expr offset = offset_json.has_value() ? ReadExpr(*offset_json) : Expr(0);
  const auto space = spaces_.find(name);
  if (space != spaces_.end() && !owner) {
    return Location::InArena(SpaceId(space->second), static_cast<int32_t>(chunk), std::move(offset));
  }
  const auto value = values_.find(name);
  if (value == values_.end()) {
    in_.Fail(*where, absl::StrCat("the graph has no space and no value ", Quoted(name)));
    return {};
  }
  const ValueId id(value->second);
  if (g_.value(id).role == Role::kTransient || g_.value(id).role == Role::kInput) {
    in_.Fail(*where, absl::StrCat("value ", Quoted(name),
                                  " has no storage of its own; a place is in a space, a constant, an "
                                  "external or a variable"));
  }
  if (chunk != 0) in_.Fail(m[first_key + kChunk], "storage of a value has no chunks");
  return Location::InCaller(id, std::move(offset));
}

// Null where the value's bytes lie one after another.
std::shared_ptr<const Strides> PlanJsonReader::ReadStrides(const JsonMembers& m, size_t first_key) {
  const size_t run = first_key + kRun, dims = first_key + kDims;
  if (!m.has(run) && !m.has(dims)) return nullptr;
  if (m[first_key + kIn].kind() == JsonKind::kNull) {
    in_.Fail(m[m.has(run) ? run : dims], "a value without bytes (\"in\": null) has no place");
  } else if (!m.has(run)) {
    in_.Fail(m[dims], "needs \"run\"");
  } else if (!m.has(dims)) {
    in_.Fail(m[run], "needs \"dims\"");
  } else if (in_.Array(m[dims]) && m[dims].size() == 0) {
    in_.Fail(m[dims], "must not be empty");
  }
  if (!in_.ok()) return nullptr;
  Strides strides;
  strides.run_bytes = ReadExpr(m[run]);
  for (JsonValue dim : m[dims]) {
    if (in_.Array(dim) && dim.size() != 2) {
      in_.Fail(dim, absl::StrCat("must be [count, stride], has ", dim.size(), " elements"));
    }
    if (!in_.ok()) return nullptr;
    Dim& d = strides.dims.emplace_back();
    d.count = ReadExpr(*dim.begin());
    d.stride_bytes = ReadExpr(*++dim.begin());
  }
  return std::make_shared<const Strides>(std::move(strides));
}

bool PlanJsonReader::FirstEntry(std::vector<bool>& seen, size_t index, JsonValue json) {
  if (!in_.ok()) return false;
  if (seen[index]) in_.Fail(json, "the name is listed twice");
  seen[index] = true;
  return in_.ok();
}

template <class ReadElement>
void PlanJsonReader::List(const JsonMembers& m, FileKey key, ReadElement read) {
  if (!in_.ok() || !m.has(key) || !in_.Array(m[key])) return;
  for (JsonValue element : m[key]) {
    read(element);
    if (!in_.ok()) return;
  }
}

void PlanJsonReader::ReadArena(JsonValue json) {
  enum : size_t { kSpace, kBytes, kLowerBound, kBound, kOptimal, kChunks };
  static constexpr absl::string_view kKeys[] = {"space", "bytes", "lower_bound", "bound", "optimal", "chunks"};
  const JsonMembers m = in_.Object(json, kKeys);
  Arena arena;
  arena.space = RequiredId<SpaceId>(m, kSpace, spaces_, "space");
  if (!FirstEntry(arena_seen_, arena.space.index(), json)) return;
  arena.bytes = in_.Integer(m, kBytes);
  arena.lower_bound = in_.Integer(m, kLowerBound);
  if (m.has(kBound)) arena.bound = static_cast<BoundKind>(in_.OneOf(m[kBound], BoundWords()));
  if (m.has(kOptimal)) arena.optimal = in_.Bool(m[kOptimal]);
  const std::optional<JsonValue> chunks = in_.Required(m, kChunks);
  if (chunks.has_value() && in_.Array(*chunks)) {
    for (JsonValue bytes : *chunks) arena.chunks.push_back(in_.Integer(bytes));
  }
  plan_.arenas[arena.space.index()] = std::move(arena);
}

void PlanJsonReader::ReadValue(JsonValue json) {
  enum : size_t { kName, kPlace, kFirst = kPlace + 6, kLast };
  static constexpr absl::string_view kKeys[] = {"name", "in",   "owner", "chunk", "offset",
                                                "run",  "dims", "first", "last"};
  const JsonMembers m = in_.Object(json, kKeys);
  const ValueId id = RequiredId<ValueId>(m, kName, values_, "value");
  if (!FirstEntry(value_seen_, id.index(), json)) return;
  Location& location = plan_.locations[id.index()] = Place(m, kPlace);
  if (in_.ok()) location.strides = ReadStrides(m, kPlace);
  LiveRange& live = plan_.live[id.index()];
  live.first = OpOrNull(m, kFirst);
  live.last = OpOrNull(m, kLast);
}

void PlanJsonReader::ReadOp(JsonValue json) {
  enum : size_t { kName, kAction, kResult, kWhy, kScratch };
  static constexpr absl::string_view kKeys[] = {"name", "action", "result", "why", "scratch"};
  static constexpr absl::string_view kPlaceKeys[] = {"in", "owner", "chunk", "offset"};
  const JsonMembers m = in_.Object(json, kKeys);
  const OpId op = RequiredId<OpId>(m, kName, ops_, "op");
  if (!in_.ok()) return;
  if (!plan_.notes.empty() && op < plan_.notes.back().op) in_.Fail(json, "ops must be in the graph's order");
  const Action action = m.has(kAction) ? static_cast<Action>(in_.OneOf(m[kAction], ActionWords())) : Action::kRun;
  if (m.has(kWhy) || (action == Action::kElided && !m.has(kResult))) {
    Note& note = plan_.notes.emplace_back();
    note.op = op;
    note.action = action;
    if (m.has(kResult)) note.result = Value(m[kResult]);
    if (m.has(kWhy)) note.text = std::string(in_.String(m[kWhy]));
  } else if (m.has(kResult)) {
    in_.Fail(m[kResult], "needs \"why\"");
  }
  if (!m.has(kScratch)) return;
  if (!plan_.scratch.empty() && op <= plan_.scratch.back().op) {
    in_.Fail(m[kScratch], "ops must be in the graph's order");
  }
  const JsonMembers place = in_.Object(m[kScratch], kPlaceKeys);
  if (in_.ok()) plan_.scratch.push_back({op, Place(place, 0)});
}

void PlanJsonReader::ReadFused(JsonValue json) {
  enum : size_t { kName, kMembers, kAction, kAt, kCost, kWhy };
  static constexpr absl::string_view kKeys[] = {"name", "ops", "action", "at", "cost_bytes", "why"};
  const JsonMembers m = in_.Object(json, kKeys);
  const FusionId id = RequiredId<FusionId>(m, kName, fusions_, "fusion");
  if (!FirstEntry(fusion_seen_, id.index(), json)) return;
  if (m.has(kMembers) && in_.Array(m[kMembers])) {
    std::vector<OpId> ops;
    for (JsonValue op : m[kMembers]) ops.push_back(Op(op));
    if (ops != g_.fusions()[id.index()].ops) in_.Fail(m[kMembers], "these are not the ops of the graph's fusion");
  }
  if (m.has(kAt) && Op(m[kAt]) != g_.fusions()[id.index()].at) in_.Fail(m[kAt], "the group does not run there");
  FusionDecision& d = plan_.fused[id.index()];
  const std::optional<JsonValue> action = in_.Required(m, kAction);
  d.fused = action.has_value() && in_.OneOf(*action, FusionWords()) == 1;
  d.cost_bytes = in_.OptionalInteger(m, kCost).value_or(0);
  if (m.has(kWhy)) d.why = std::string(in_.String(m[kWhy]));
}

void PlanJsonReader::ReadEdge(JsonValue json) {
  enum : size_t { kBefore, kAfter, kWhy };
  static constexpr absl::string_view kKeys[] = {"before", "after", "why"};
  const JsonMembers m = in_.Object(json, kKeys);
  AddedEdge edge;
  edge.before = RequiredId<OpId>(m, kBefore, ops_, "op");
  edge.after = RequiredId<OpId>(m, kAfter, ops_, "op");
  if (m.has(kWhy)) edge.why = std::string(in_.String(m[kWhy]));
  plan_.added_order.push_back(std::move(edge));
}

void PlanJsonReader::ReadStats(JsonValue json) {
  enum : size_t { kElided, kKept, kCopied, kNotCopied, kSum, kPeakOp, kLiveAtPeak };
  static constexpr absl::string_view kKeys[] = {"copies_elided", "copies_kept", "bytes_copied", "bytes_not_copied",
                                                "sum_bytes",     "peak_op",     "live_at_peak"};
  const JsonMembers m = in_.Object(json, kKeys);
  PlanStats& s = plan_.stats;
  s.copies_elided = in_.OptionalInteger(m, kElided).value_or(0);
  s.copies_kept = in_.OptionalInteger(m, kKept).value_or(0);
  s.bytes_copied = in_.OptionalInteger(m, kCopied).value_or(0);
  s.bytes_not_copied = in_.OptionalInteger(m, kNotCopied).value_or(0);
  s.sum_bytes = in_.OptionalInteger(m, kSum).value_or(0);
  s.peak_op = OpOrNull(m, kPeakOp);
  if (!m.has(kLiveAtPeak) || !in_.Array(m[kLiveAtPeak])) return;
  for (JsonValue v : m[kLiveAtPeak]) s.live_at_peak.push_back(Value(v));
}

absl::StatusOr<Plan> PlanJsonReader::Read() {
  in_.CheckFormat(doc_.root(), "bufplan.plan");
  if (!in_.ok()) return in_.status();
  const JsonMembers m = in_.Object(doc_.root(), kFileKeys);
  plan_.graph_name = std::string(in_.String(m, kGraph));
  plan_.fingerprint = std::string(in_.String(m, kFingerprint));
  if (m.has(kOptions)) plan_.options = ReadPlanOptions(m[kOptions], in_);
  const std::optional<JsonValue> status = in_.Required(m, kStatus);
  plan_.optimal = status.has_value() && in_.OneOf(*status, StatusWords()) == 1;
  List(m, kArenas, [&](JsonValue json) { ReadArena(json); });
  for (size_t i = 0; i < arena_seen_.size() && in_.ok(); ++i) {
    if (arena_seen_[i]) continue;
    in_.Fail(m.has(kArenas) ? m[kArenas] : doc_.root(),
             absl::StrCat("no arena of space ", Quoted(g_.name(SpaceId(static_cast<int32_t>(i))))));
  }
  List(m, kValues, [&](JsonValue json) { ReadValue(json); });
  List(m, kOps, [&](JsonValue json) { ReadOp(json); });
  List(m, kFused, [&](JsonValue json) { ReadFused(json); });
  List(m, kOrder, [&](JsonValue json) { ReadEdge(json); });
  if (in_.ok() && m.has(kStats)) ReadStats(m[kStats]);
  if (!in_.ok()) return in_.status();
  if (plan_.fingerprint == Fingerprint(g_)) plan_.structure = Structure::Of(g_);
  return std::move(plan_);
}

}  // namespace

absl::StatusOr<Plan> ReadPlanJson(absl::string_view text, const Graph& graph) {
  absl::StatusOr<JsonDocument> doc = JsonDocument::Parse(text);
  if (!doc.ok()) return doc.status();
  return PlanJsonReader(*doc, graph).Read();
}

}  // namespace bufplan
