#include "io/json_graph_ops.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "io/json_text.h"

namespace bufplan {
namespace {

constexpr absl::string_view kRoleWords[] = {"transient", "input", "constant", "external", "variable"};
constexpr absl::string_view kOpKindWords[] = {"compute", "view", "slice",    "clone",  "update", "concat",
                                              "copy",    "fill", "transfer", "commit", "barrier"};
constexpr absl::string_view kElideWords[] = {"auto", "never", "must"};
constexpr absl::string_view kCoverWords[] = {"all", "part"};
constexpr absl::string_view kInPlaceModeWords[] = {"same_index", "any"};

enum OpKey : size_t {
  kName,
  kKind,
  kStream,
  kReads,
  kOf,
  kParts,
  kBase,
  kFrom,
  kAt,
  kRegion,
  kWrites,
  kTo,
  kScratch,
  kElide,
  kAttrs
};
constexpr absl::string_view kOpKeys[] = {"name", "kind",   "stream", "reads", "of",      "parts", "base", "from",
                                         "at",   "region", "writes", "to",    "scratch", "elide", "attrs"};

constexpr uint32_t Bits(std::initializer_list<OpKey> keys) {
  uint32_t bits = 0;
  for (OpKey k : keys) bits |= uint32_t{1} << k;
  return bits;
}

constexpr uint32_t kCommonKeys = Bits({kName, kKind, kStream, kScratch, kElide, kAttrs});

// The keys of each kind beside the common ones, and which of them may be absent.
struct KindKeys {
  uint32_t required = 0;
  uint32_t optional = 0;
};
constexpr KindKeys kKindKeys[] = {
    {0, Bits({kReads, kWrites})},           // compute
    {Bits({kOf, kAt, kTo}), 0},             // view
    {Bits({kOf, kAt, kTo}), 0},             // slice
    {Bits({kOf, kTo}), 0},                  // clone
    {Bits({kBase, kFrom, kAt, kTo}), 0},    // update
    {Bits({kFrom, kTo}), 0},                // concat
    {Bits({kTo}), Bits({kParts, kBase})},   // copy
    {Bits({kTo}), Bits({kBase, kRegion})},  // fill
    {Bits({kFrom, kTo}), 0},                // transfer
    {Bits({kFrom, kTo}), 0},                // commit
    {0, 0},                                 // barrier
};

Region ReadRegion(JsonValue json, JsonGraphScope& scope) {
  enum : size_t { kRegionAt, kBytes, kRun, kDims };
  static constexpr absl::string_view kKeys[] = {"at", "bytes", "run", "dims"};
  JsonReader& in = scope.in();
  const JsonMembers m = in.Object(json, kKeys);
  Region region;
  region.at = scope.Bytes(m, kRegionAt);
  if (m.has(kBytes)) {
    if (m.has(kRun)) in.Fail(m[kRun], "\"run\" and \"bytes\" exclude each other");
    if (m.has(kDims)) in.Fail(m[kDims], "\"dims\" needs \"run\" in place of \"bytes\"");
    region.run_bytes = scope.Bytes(m[kBytes]);
    return region;
  }
  if (!m.has(kRun)) in.Fail(json, "\"bytes\" or \"run\" is missing");
  if (!in.ok()) return region;
  region.run_bytes = scope.Bytes(m[kRun]);
  if (!m.has(kDims) || !in.Array(m[kDims])) return region;
  for (JsonValue dim : m[kDims]) {
    if (in.Array(dim) && dim.size() != 2) {
      in.Fail(dim, absl::StrCat("must be [count, stride], has ", dim.size(), " elements"));
    }
    if (!in.ok()) return region;
    const JsonValue count = *dim.begin(), stride = *++dim.begin();
    Dim& d = region.dims.emplace_back();
    d.count = scope.Bytes(count);
    d.stride_bytes = scope.Bytes(stride);
  }
  return region;
}

Operand ReadOperand(JsonValue json, JsonGraphScope& scope) {
  enum : size_t { kValue, kOperandRegion, kStridesOk, kOffsetMultiple };
  static constexpr absl::string_view kKeys[] = {"value", "region", "strides_ok", "offset_multiple"};
  if (json.kind() == JsonKind::kString) return scope.Value(json);
  JsonReader& in = scope.in();
  const JsonMembers m = in.Object(json, kKeys);
  Operand operand(scope.Value(m, kValue));
  if (m.has(kOperandRegion)) operand.region = ReadRegion(m[kOperandRegion], scope);
  if (m.has(kStridesOk)) operand.strides_ok = in.Bool(m[kStridesOk]);
  if (m.has(kOffsetMultiple)) operand.offset_multiple = in.Integer(m[kOffsetMultiple]);
  return operand;
}

Result ReadResult(JsonValue json, JsonGraphScope& scope) {
  enum : size_t { kValue, kResultBase, kResultRegion, kCover, kInPlace, kMovable };
  static constexpr absl::string_view kKeys[] = {"value", "base", "region", "cover", "in_place", "movable"};
  static constexpr absl::string_view kInPlaceKeys[] = {"value", "mode"};
  Result result;
  if (json.kind() == JsonKind::kString) {
    result.value = scope.Value(json);
    return result;
  }
  JsonReader& in = scope.in();
  const JsonMembers m = in.Object(json, kKeys);
  result.value = scope.Value(m, kValue);
  if (m.has(kResultBase)) result.base = scope.Value(m[kResultBase]);
  if (m.has(kResultRegion)) result.region = ReadRegion(m[kResultRegion], scope);
  if (m.has(kCover)) result.cover = static_cast<Cover>(in.OneOf(m[kCover], kCoverWords));
  if (m.has(kMovable)) result.movable = in.Bool(m[kMovable]);
  if (m.has(kInPlace) && in.Array(m[kInPlace])) {
    for (JsonValue permission : m[kInPlace]) {
      const JsonMembers p = in.Object(permission, kInPlaceKeys);
      const ValueId value = scope.Value(p, 0);
      result.in_place.emplace_back(value, ReadInPlaceMode(p, 1, in));
      if (!in.ok()) break;
    }
  }
  return result;
}

// The optional value `key`, e.g. a base.
std::optional<ValueId> OptionalValue(const JsonMembers& m, size_t key, JsonGraphScope& scope) {
  if (!m.has(key)) return std::nullopt;
  return scope.Value(m[key]);
}

void ReadCompute(absl::string_view name, const JsonMembers& m, OpOptions options, JsonGraphScope& scope) {
  JsonReader& in = scope.in();
  ComputeSpec spec;
  spec.options = std::move(options);
  if (m.has(kReads) && in.Array(m[kReads])) {
    spec.reads.reserve(m[kReads].size());
    for (JsonValue read : m[kReads]) {
      spec.reads.push_back(ReadOperand(read, scope));
      if (!in.ok()) return;
    }
  }
  if (m.has(kWrites) && in.Array(m[kWrites])) {
    spec.writes.reserve(m[kWrites].size());
    for (JsonValue write : m[kWrites]) {
      spec.writes.push_back(ReadResult(write, scope));
      if (!in.ok()) return;
    }
  }
  if (in.ok()) scope.builder().Compute(name, std::move(spec));
}

void ReadConcat(absl::string_view name, const JsonMembers& m, OpOptions options, JsonGraphScope& scope) {
  JsonReader& in = scope.in();
  std::vector<ValueId> from;
  if (in.Array(m[kFrom])) {
    for (JsonValue part : m[kFrom]) from.push_back(scope.Value(part));
  }
  const ValueId to = scope.Value(m[kTo]);
  if (in.ok()) scope.builder().Concat(name, from, to, std::move(options));
}

void ReadCopy(absl::string_view name, const JsonMembers& m, OpOptions options, JsonGraphScope& scope) {
  enum : size_t { kPartFrom, kFromRegion, kToRegion };
  static constexpr absl::string_view kKeys[] = {"from", "from_region", "to_region"};
  JsonReader& in = scope.in();
  std::vector<CopyPart> parts;
  if (m.has(kParts) && in.Array(m[kParts])) {
    for (JsonValue json : m[kParts]) {
      const JsonMembers p = in.Object(json, kKeys);
      CopyPart& part = parts.emplace_back();
      part.from = scope.Value(p, kPartFrom);
      if (p.has(kFromRegion)) part.from_region = ReadRegion(p[kFromRegion], scope);
      if (p.has(kToRegion)) part.to_region = ReadRegion(p[kToRegion], scope);
      if (!in.ok()) return;
    }
  }
  const std::optional<ValueId> base = OptionalValue(m, kBase, scope);
  const ValueId to = scope.Value(m[kTo]);
  if (!in.ok()) return;
  GraphBuilder& b = scope.builder();
  b.Copy(name, std::move(parts), base, b.bytes(to), to, std::move(options));
}

void ReadFill(absl::string_view name, const JsonMembers& m, OpOptions options, JsonGraphScope& scope) {
  const std::optional<ValueId> base = OptionalValue(m, kBase, scope);
  std::optional<Region> region;
  if (m.has(kRegion)) region = ReadRegion(m[kRegion], scope);
  const ValueId to = scope.Value(m[kTo]);
  if (!scope.in().ok()) return;
  GraphBuilder& b = scope.builder();
  b.Fill(name, base, std::move(region), b.bytes(to), to, std::move(options));
}

// view, slice, clone, update, transfer, commit: one source, which is `of` or `from`.
void ReadMovement(OpKind kind, absl::string_view name, const JsonMembers& m, OpOptions options, JsonGraphScope& scope) {
  const std::optional<ValueId> base = OptionalValue(m, kBase, scope);
  const ValueId source = scope.Value(m[m.has(kOf) ? kOf : kFrom]);
  Expr at = m.has(kAt) ? scope.Bytes(m[kAt]) : Expr(0);
  const ValueId to = scope.Value(m[kTo]);
  if (!scope.in().ok()) return;
  GraphBuilder& b = scope.builder();
  switch (kind) {
    case OpKind::kView: b.View(name, source, std::move(at), b.bytes(to), to, std::move(options)); return;
    case OpKind::kSlice: b.Slice(name, source, std::move(at), b.bytes(to), to, std::move(options)); return;
    case OpKind::kClone: b.Clone(name, source, to, std::move(options)); return;
    case OpKind::kUpdate: b.Update(name, *base, source, std::move(at), to, std::move(options)); return;
    case OpKind::kTransfer: b.Transfer(name, source, to, std::move(options)); return;
    default: b.Commit(name, source, to, std::move(options)); return;
  }
}

// Refuses keys that other kinds of op have, and names missing ones.
void CheckKeys(OpKind kind, const JsonMembers& m, JsonReader& in) {
  const KindKeys& keys = kKindKeys[static_cast<size_t>(kind)];
  for (size_t k = 0; k < std::size(kOpKeys); ++k) {
    const uint32_t bit = uint32_t{1} << k;
    if ((keys.required & bit) != 0 && !m.has(k)) {
      in.Fail(m.object(), absl::StrCat("\"", kOpKeys[k], "\" is missing; a ", kOpKindWords[static_cast<size_t>(kind)],
                                       " needs it"));
    }
    if (m.has(k) && ((kCommonKeys | keys.required | keys.optional) & bit) == 0) {
      in.Fail(m[k], absl::StrCat("a ", kOpKindWords[static_cast<size_t>(kind)], " has no \"", kOpKeys[k], "\""));
    }
  }
}

void ReadOp(JsonValue json, JsonGraphScope& scope) {
  JsonReader& in = scope.in();
  const JsonMembers m = in.Object(json, kOpKeys);
  const absl::string_view name = in.Name(m, kName);
  const OpKind kind = m.has(kKind) ? static_cast<OpKind>(in.OneOf(m[kKind], kOpKindWords)) : OpKind::kCompute;
  if (in.ok()) CheckKeys(kind, m, in);
  OpOptions options;
  if (m.has(kStream)) options.stream = scope.Stream(m[kStream]);
  if (m.has(kScratch)) options.scratch_bytes = scope.Bytes(m[kScratch]);
  if (m.has(kElide)) options.elide = static_cast<Elide>(in.OneOf(m[kElide], kElideWords));
  options.attrs_json = scope.Attrs(m, kAttrs);
  if (!in.ok()) return;
  scope.AddOp(name, m[kName]);
  switch (kind) {
    case OpKind::kCompute: return ReadCompute(name, m, std::move(options), scope);
    case OpKind::kConcat: return ReadConcat(name, m, std::move(options), scope);
    case OpKind::kCopy: return ReadCopy(name, m, std::move(options), scope);
    case OpKind::kFill: return ReadFill(name, m, std::move(options), scope);
    case OpKind::kBarrier: scope.builder().Barrier(name, std::move(options)); return;
    default: return ReadMovement(kind, name, m, std::move(options), scope);
  }
}

}  // namespace

absl::Span<const absl::string_view> RoleWords() { return kRoleWords; }
absl::Span<const absl::string_view> OpKindWords() { return kOpKindWords; }
absl::Span<const absl::string_view> ElideWords() { return kElideWords; }
absl::Span<const absl::string_view> CoverWords() { return kCoverWords; }
absl::Span<const absl::string_view> InPlaceModeWords() { return kInPlaceModeWords; }

void JsonGraphScope::Add(Names& names, absl::string_view name, JsonValue json, absl::string_view what) {
  if (!names.ids.try_emplace(name, names.count++).second) {
    in_.Fail(json, absl::StrCat(what, " ", Quoted(name), ": name is used twice, must be unique"));
  }
}

int32_t JsonGraphScope::Find(const Names& names, JsonValue json, absl::string_view what) {
  const absl::string_view name = in_.String(json);
  const auto found = names.ids.find(name);
  if (found != names.ids.end()) return found->second;
  if (in_.ok()) in_.Fail(json, absl::StrCat("unknown ", what, " ", Quoted(name)));
  return 0;
}

Expr JsonGraphScope::Bytes(JsonValue json) {
  if (json.kind() == JsonKind::kInteger) return json.integer();
  if (json.kind() != JsonKind::kString) {
    in_.Fail(json, absl::StrCat("must be an integer or an expression, is ", json.KindName()));
    return 0;
  }
  absl::StatusOr<Expr> e = ParseExpr(json.text(), [this](absl::string_view name) -> std::optional<SymbolId> {
    const auto found = symbols_.ids.find(name);
    if (found == symbols_.ids.end()) return std::nullopt;
    return SymbolId(found->second);
  });
  if (e.ok()) return *std::move(e);
  in_.Fail(json, absl::StrCat("expression ", Quoted(json.text()), ": ", e.status().message()));
  return 0;
}

Expr JsonGraphScope::Bytes(const JsonMembers& m, size_t key) {
  const std::optional<JsonValue> json = in_.Required(m, key);
  return json.has_value() ? Bytes(*json) : Expr(0);
}

ValueId JsonGraphScope::Value(const JsonMembers& m, size_t key) {
  const std::optional<JsonValue> json = in_.Required(m, key);
  return json.has_value() ? Value(*json) : ValueId();
}

std::string JsonGraphScope::Attrs(const JsonMembers& m, size_t key) {
  if (!m.has(key)) return "";
  if (m[key].kind() != JsonKind::kObject) {
    in_.Fail(m[key], absl::StrCat("must be an object, is ", m[key].KindName()));
    return "";
  }
  return in_.doc().Dump(m[key]);
}

InPlaceMode ReadInPlaceMode(const JsonMembers& m, size_t key, JsonReader& in) {
  return m.has(key) ? static_cast<InPlaceMode>(in.OneOf(m[key], kInPlaceModeWords)) : InPlaceMode::kSameIndex;
}

void ReadOps(JsonValue list, JsonGraphScope& scope) {
  if (!scope.in().Array(list)) return;
  for (JsonValue op : list) {
    ReadOp(op, scope);
    if (!scope.in().ok()) return;
  }
}

}  // namespace bufplan
