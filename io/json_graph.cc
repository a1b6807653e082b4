#include "io/json_graph.h"

#include <optional>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "io/json_dom.h"
#include "io/json_graph_ops.h"
#include "io/json_reader.h"
#include "io/json_text.h"
#include "ir/graph_builder.h"
#include "ir/where.h"

namespace bufplan {
namespace {

enum FileKey : size_t {
  kFormat,
  kVersion,
  kName,
  kSymbols,
  kSpaces,
  kStreams,
  kValues,
  kOps,
  kOrder,
  kKeepAlive,
  kDisjoint,
  kFusions,
  kOutputs,
  kAttrs
};
constexpr absl::string_view kFileKeys[] = {"format",   "version", "name",    "symbols", "spaces",
                                           "streams",  "values",  "ops",     "order",   "keep_alive",
                                           "disjoint", "fusions", "outputs", "attrs"};

// Reads all of a file but its ops.
class GraphJsonReader {
 public:
  GraphJsonReader(const JsonDocument& doc, const SymbolOverrides& overrides)
      : doc_(doc), in_(doc), overrides_(overrides), builder_(GraphName(doc)), scope_(in_, builder_) {}

  absl::StatusOr<Graph> Read();

 private:
  static absl::string_view GraphName(const JsonDocument& doc);
  // Calls read(element) for each element of the list `key` until something fails.
  template <class ReadElement>
  void List(const JsonMembers& m, FileKey key, ReadElement read) {
    if (!in_.ok() || !m.has(key) || !in_.Array(m[key])) return;
    for (JsonValue element : m[key]) {
      read(element);
      if (!in_.ok()) return;
    }
  }
  void ReadSymbol(JsonValue json);
  void ReadSpaceNames(JsonValue list);
  void ReadSpace(JsonValue json);
  void ReadValue(JsonValue json);
  void ReadFusion(JsonValue json);
  void ReadKeepAlive(JsonValue json);
  // The two elements of a pair of names.
  std::optional<std::pair<JsonValue, JsonValue>> Pair(JsonValue json);
  absl::Status CheckOverrides(const JsonMembers& m);

  const JsonDocument& doc_;
  JsonReader in_;
  const SymbolOverrides& overrides_;
  GraphBuilder builder_;
  JsonGraphScope scope_;
};

absl::string_view GraphJsonReader::GraphName(const JsonDocument& doc) {
  if (doc.root().kind() != JsonKind::kObject) return "";
  for (JsonValue member : doc.root()) {
    if (member.key() == "name" && member.kind() == JsonKind::kString) return member.text();
  }
  return "";
}

void GraphJsonReader::ReadSymbol(JsonValue json) {
  enum : size_t { kSymbolName, kMin, kMax, kMultipleOf };
  static constexpr absl::string_view kKeys[] = {"name", "min", "max", "multiple_of"};
  const JsonMembers m = in_.Object(json, kKeys);
  const absl::string_view name = in_.Name(m, kSymbolName);
  int64_t min = in_.Integer(m, kMin);
  int64_t max = in_.Integer(m, kMax);
  const int64_t multiple_of = in_.OptionalInteger(m, kMultipleOf).value_or(1);
  for (const SymbolOverride& o : overrides_) {
    if (o.name == name) {
      min = o.min;
      max = o.max;
    }
  }
  if (!in_.ok()) return;
  builder_.AddSymbol(name, min, max, multiple_of);
  scope_.AddSymbol(name, m[kSymbolName]);
}

// Spaces refer to each other, so all names come first.
void GraphJsonReader::ReadSpaceNames(JsonValue list) {
  if (!in_.Array(list)) return;
  for (JsonValue space : list) {
    if (space.kind() != JsonKind::kObject) return;  // ReadSpace refuses it.
    for (JsonValue member : space) {
      if (member.key() == "name" && member.kind() == JsonKind::kString) scope_.AddSpace(member.text(), member);
    }
  }
}

void GraphJsonReader::ReadSpace(JsonValue json) {
  enum : size_t { kSpaceName, kAlignment, kCapacity, kMaxAllocation, kUnifiedWith };
  static constexpr absl::string_view kKeys[] = {"name", "alignment", "capacity", "max_allocation", "unified_with"};
  const JsonMembers m = in_.Object(json, kKeys);
  const absl::string_view name = in_.Name(m, kSpaceName);
  Space space;
  space.alignment_bytes = in_.OptionalInteger(m, kAlignment).value_or(1);
  space.capacity_bytes = in_.NullableInteger(m, kCapacity);
  space.max_allocation_bytes = in_.NullableInteger(m, kMaxAllocation);
  if (m.has(kUnifiedWith) && in_.Array(m[kUnifiedWith])) {
    for (JsonValue other : m[kUnifiedWith]) space.unified_with.push_back(scope_.Space(other));
  }
  builder_.AddSpace(name, std::move(space));
}

void GraphJsonReader::ReadValue(JsonValue json) {
  enum : size_t { kValueName, kBytes, kRole, kSpace, kAlignment, kOffset, kPreserve, kWritable, kValueAttrs };
  static constexpr absl::string_view kKeys[] = {"name",   "bytes",    "role",     "space", "alignment",
                                                "offset", "preserve", "writable", "attrs"};
  const JsonMembers m = in_.Object(json, kKeys);
  const absl::string_view name = in_.Name(m, kValueName);
  Expr bytes = scope_.Bytes(m, kBytes);
  const Role role = m.has(kRole) ? static_cast<Role>(in_.OneOf(m[kRole], RoleWords())) : Role::kTransient;
  ValueOptions options;
  if (m.has(kSpace)) options.space = scope_.Space(m[kSpace]);
  options.alignment_bytes = in_.OptionalInteger(m, kAlignment);
  options.pinned_offset_bytes = in_.OptionalInteger(m, kOffset);
  if (m.has(kPreserve)) options.preserve = in_.Bool(m[kPreserve]);
  if (m.has(kWritable)) options.writable = in_.Bool(m[kWritable]);
  options.attrs_json = scope_.Attrs(m, kValueAttrs);
  if (!in_.ok()) return;
  builder_.AddValue(name, std::move(bytes), role, std::move(options));
  scope_.AddValue(name, m[kValueName]);
}

void GraphJsonReader::ReadFusion(JsonValue json) {
  enum : size_t { kFusionName, kFusionOps, kBenefit, kRequired, kInPlace };
  static constexpr absl::string_view kKeys[] = {"name", "ops", "benefit", "required", "in_place"};
  static constexpr absl::string_view kInPlaceKeys[] = {"result", "value", "mode"};
  const JsonMembers m = in_.Object(json, kKeys);
  Fusion fusion;
  fusion.name = std::string(in_.Name(m, kFusionName));
  const std::optional<JsonValue> ops = in_.Required(m, kFusionOps);
  if (ops.has_value() && in_.Array(*ops)) {
    for (JsonValue op : *ops) fusion.ops.push_back(scope_.Op(op));
  }
  if (m.has(kBenefit)) fusion.benefit = in_.Number(m[kBenefit]);
  if (m.has(kRequired)) fusion.required = in_.Bool(m[kRequired]);
  if (m.has(kInPlace) && in_.Array(m[kInPlace])) {
    for (JsonValue permission : m[kInPlace]) {
      const JsonMembers p = in_.Object(permission, kInPlaceKeys);
      FusionInPlace& in_place = fusion.in_place.emplace_back();
      in_place.result = scope_.Value(p, 0);
      in_place.value = scope_.Value(p, 1);
      in_place.mode = ReadInPlaceMode(p, 2, in_);
    }
  }
  builder_.AddFusion(std::move(fusion));
}

void GraphJsonReader::ReadKeepAlive(JsonValue json) {
  static constexpr absl::string_view kKeys[] = {"value", "until"};
  const JsonMembers m = in_.Object(json, kKeys);
  const ValueId value = scope_.Value(m, 0);
  const std::optional<JsonValue> until = in_.Required(m, 1);
  if (until.has_value()) builder_.KeepAliveUntil(value, scope_.Op(*until));
}

std::optional<std::pair<JsonValue, JsonValue>> GraphJsonReader::Pair(JsonValue json) {
  if (!in_.Array(json)) return std::nullopt;
  if (json.size() != 2) {
    in_.Fail(json, absl::StrCat("must have 2 elements, has ", json.size()));
    return std::nullopt;
  }
  return std::make_pair(*json.begin(), *++json.begin());
}

absl::Status GraphJsonReader::CheckOverrides(const JsonMembers& m) {
  for (const SymbolOverride& o : overrides_) {
    std::vector<absl::string_view> names;
    bool found = false;
    if (m.has(kSymbols)) {
      for (JsonValue symbol : m[kSymbols]) {
        for (JsonValue member : symbol) {
          if (member.key() == "name") names.push_back(member.text());
        }
        found = found || names.back() == o.name;
      }
    }
    if (found) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("symbol ", Quoted(o.name), ": the graph has no such symbol; it has ",
                     names.empty() ? "none" : absl::StrJoin(names, ", ", [](std::string* out, absl::string_view n) {
                       absl::StrAppend(out, Quoted(n));
                     })));
  }
  return absl::OkStatus();
}

absl::StatusOr<Graph> GraphJsonReader::Read() {
  in_.CheckFormat(doc_.root(), "bufplan.graph");
  if (!in_.ok()) return in_.status();
  const JsonMembers m = in_.Object(doc_.root(), kFileKeys);
  if (m.has(kName)) in_.String(m[kName]);
  if (m.has(kAttrs)) builder_.SetAttrs(scope_.Attrs(m, kAttrs));
  List(m, kSymbols, [&](JsonValue json) { ReadSymbol(json); });
  if (in_.ok()) in_.Fail(CheckOverrides(m));
  if (m.has(kSpaces)) ReadSpaceNames(m[kSpaces]);
  if (!m.has(kSpaces) || m[kSpaces].size() == 0) scope_.AddSpace("device", doc_.root());
  List(m, kSpaces, [&](JsonValue json) { ReadSpace(json); });
  List(m, kStreams, [&](JsonValue json) {
    const absl::string_view name = in_.Name(json);
    builder_.AddStream(name);
    scope_.AddStream(name, json);
  });
  if (!m.has(kStreams) || m[kStreams].size() == 0) scope_.AddStream("main", doc_.root());
  List(m, kValues, [&](JsonValue json) { ReadValue(json); });
  if (in_.ok() && m.has(kOps)) ReadOps(m[kOps], scope_);
  List(m, kOrder, [&](JsonValue json) {
    const auto pair = Pair(json);
    if (!pair.has_value()) return;
    const OpId before = scope_.Op(pair->first);
    builder_.Order(before, scope_.Op(pair->second));
  });
  List(m, kKeepAlive, [&](JsonValue json) { ReadKeepAlive(json); });
  List(m, kDisjoint, [&](JsonValue json) {
    const auto pair = Pair(json);
    if (!pair.has_value()) return;
    const ValueId a = scope_.Value(pair->first);
    builder_.Disjoint(a, scope_.Value(pair->second));
  });
  List(m, kFusions, [&](JsonValue json) { ReadFusion(json); });
  List(m, kOutputs, [&](JsonValue json) { builder_.Output(scope_.Value(json)); });
  if (!in_.ok()) return in_.status();
  absl::StatusOr<Graph> graph = std::move(builder_).Build();
  if (graph.ok()) return graph;
  const std::string where = FaultPlace(graph.status());
  if (where.empty()) return graph;
  absl::Status status(graph.status().code(), absl::StrCat("at ", where, ": ", graph.status().message()));
  status.SetPayload(kWherePayload, absl::Cord(where));
  return status;
}

}  // namespace

absl::StatusOr<Graph> ReadGraphJson(absl::string_view text, const SymbolOverrides& overrides) {
  absl::StatusOr<JsonDocument> doc = JsonDocument::Parse(text);
  if (!doc.ok()) return doc.status();
  return GraphJsonReader(*doc, overrides).Read();
}

absl::StatusOr<SymbolOverrides> ParseSymbolOverrides(absl::string_view text) {
  SymbolOverrides overrides;
  if (text.empty()) return overrides;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    const std::pair<absl::string_view, absl::string_view> halves = absl::StrSplit(part, absl::MaxSplits('=', 1));
    const std::vector<absl::string_view> range = absl::StrSplit(halves.second, "..");
    SymbolOverride o;
    o.name = std::string(halves.first);
    if (halves.first.empty() || range.empty() || range.size() > 2 || !absl::SimpleAtoi(range.front(), &o.min) ||
        !absl::SimpleAtoi(range.back(), &o.max)) {
      return absl::InvalidArgumentError(
          absl::StrCat("symbols: ", Quoted(part), " must be NAME=INTEGER or NAME=MIN..MAX, integers of 64 bits"));
    }
    if (o.min > o.max) {
      return absl::InvalidArgumentError(
          absl::StrCat("symbols: ", Quoted(part), ": min=", o.min, ", must be <= max=", o.max));
    }
    for (const SymbolOverride& other : overrides) {
      if (other.name == o.name) {
        return absl::InvalidArgumentError(absl::StrCat("symbols: ", Quoted(o.name), " is given twice"));
      }
    }
    overrides.push_back(std::move(o));
  }
  return overrides;
}

}  // namespace bufplan
