#include "io/json_problem.h"

#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "io/fingerprint.h"
#include "io/json_dom.h"
#include "io/json_plan_words.h"
#include "io/json_reader.h"
#include "io/json_text.h"
#include "ir/where.h"

namespace bufplan {
namespace {

constexpr absl::string_view kSpaceName = "device";

Buffer ReadBuffer(JsonValue json, JsonReader& in) {
  enum : size_t { kName, kBytes, kBegin, kEnd, kAlignment, kOffset, kGaps, kHint };
  static constexpr absl::string_view kKeys[] = {"name", "bytes", "begin", "end", "alignment", "offset", "gaps", "hint"};
  const JsonMembers m = in.Object(json, kKeys);
  Buffer b;
  b.name = std::string(in.Name(m, kName));
  b.bytes = in.Integer(m, kBytes);
  b.begin = in.Integer(m, kBegin);
  b.end = in.Integer(m, kEnd);
  b.alignment_bytes = in.OptionalInteger(m, kAlignment);
  b.offset_bytes = in.OptionalInteger(m, kOffset);
  b.hint_bytes = in.OptionalInteger(m, kHint);
  if (!m.has(kGaps) || !in.Array(m[kGaps])) return b;
  for (JsonValue gap : m[kGaps]) {
    if (in.Array(gap) && gap.size() != 2) {
      in.Fail(gap, absl::StrCat("must be [begin, end], has ", gap.size(), " elements"));
    }
    if (!in.ok()) return b;
    const int64_t begin = in.Integer(*gap.begin());
    b.gaps.push_back({begin, in.Integer(*++gap.begin())});
  }
  return b;
}

std::string BufferText(const Buffer& b) {
  JsonObjectText object;
  object.String("name", b.name).Integer("bytes", b.bytes).Integer("begin", b.begin).Integer("end", b.end);
  if (b.alignment_bytes.has_value()) object.Integer("alignment", *b.alignment_bytes);
  if (b.offset_bytes.has_value()) object.Integer("offset", *b.offset_bytes);
  if (!b.gaps.empty()) {
    object.Raw("gaps",
               JsonArray(b.gaps, [](const TimeRange& g) { return absl::StrCat("[", g.begin, ", ", g.end, "]"); }));
  }
  if (b.hint_bytes.has_value()) object.Integer("hint", *b.hint_bytes);
  return object.Finish();
}

// The one arena of a problem's plan.
void ReadArena(JsonValue list, JsonReader& in, ProblemPlanFile& file) {
  enum : size_t { kSpace, kBytes, kLowerBound, kBound, kOptimal, kChunks };
  static constexpr absl::string_view kKeys[] = {"space", "bytes", "lower_bound", "bound", "optimal", "chunks"};
  if (!in.Array(list)) return;
  if (list.size() != 1) return in.Fail(list, absl::StrCat("must have one arena, has ", list.size()));
  const JsonMembers m = in.Object(*list.begin(), kKeys);
  if (in.String(m, kSpace) != kSpaceName && in.ok()) in.Fail(m[kSpace], "must be \"device\"");
  file.plan.bytes = in.Integer(m, kBytes);
  file.plan.lower_bound = in.Integer(m, kLowerBound);
  if (m.has(kBound)) file.bound = static_cast<BoundKind>(in.OneOf(m[kBound], BoundWords()));
  if (m.has(kOptimal)) in.Bool(m[kOptimal]);
  if (m.has(kChunks) && in.Array(m[kChunks])) {
    for (JsonValue bytes : m[kChunks]) in.Integer(bytes);
  }
}

void ReadOffsets(JsonValue list, const Problem& problem, JsonReader& in, ProblemPlanFile& file) {
  enum : size_t { kName, kIn, kChunk, kOffset, kFirst, kLast };
  static constexpr absl::string_view kKeys[] = {"name", "in", "chunk", "offset", "first", "last"};
  absl::flat_hash_map<absl::string_view, size_t> buffers;
  for (size_t i = 0; i < problem.buffers.size(); ++i) buffers.try_emplace(problem.buffers[i].name, i);
  std::vector<bool> seen(problem.buffers.size());
  file.plan.offsets.resize(problem.buffers.size());
  if (!in.Array(list)) return;
  for (JsonValue json : list) {
    const JsonMembers m = in.Object(json, kKeys);
    const absl::string_view name = in.String(m, kName);
    if (!in.ok()) return;
    const auto found = buffers.find(name);
    if (found == buffers.end()) return in.Fail(m[kName], absl::StrCat("the problem has no buffer ", Quoted(name)));
    if (seen[found->second]) return in.Fail(json, "the name is listed twice");
    seen[found->second] = true;
    if (in.String(m, kIn) != kSpaceName && in.ok()) in.Fail(m[kIn], "must be \"device\"");
    if (in.OptionalInteger(m, kChunk).value_or(0) != 0) in.Fail(m[kChunk], "must be 0");
    for (size_t key : {kFirst, kLast}) {
      if (m.has(key) && m[key].kind() != JsonKind::kNull) in.Fail(m[key], "must be null: a problem has no ops");
    }
    file.plan.offsets[found->second] = in.Integer(m, kOffset);
    if (!in.ok()) return;
  }
  for (size_t i = 0; i < seen.size(); ++i) {
    if (!seen[i]) in.Fail(list, absl::StrCat("no entry for buffer ", Quoted(problem.buffers[i].name)));
  }
}

}  // namespace

absl::StatusOr<Problem> ReadProblemJson(absl::string_view text) {
  enum : size_t { kFormat, kVersion, kName, kAlignment, kCapacity, kBuffers };
  static constexpr absl::string_view kKeys[] = {"format", "version", "name", "alignment", "capacity", "buffers"};
  absl::StatusOr<JsonDocument> doc = JsonDocument::Parse(text);
  if (!doc.ok()) return doc.status();
  JsonReader in(*doc);
  in.CheckFormat(doc->root(), "bufplan.problem");
  if (!in.ok()) return in.status();
  const JsonMembers m = in.Object(doc->root(), kKeys);
  Problem problem;
  if (m.has(kName)) problem.name = std::string(in.String(m[kName]));
  problem.alignment_bytes = in.OptionalInteger(m, kAlignment).value_or(1);
  problem.capacity_bytes = in.NullableInteger(m, kCapacity);
  if (in.ok() && m.has(kBuffers) && in.Array(m[kBuffers])) {
    for (JsonValue json : m[kBuffers]) {
      problem.buffers.push_back(ReadBuffer(json, in));
      if (!in.ok()) break;
    }
  }
  if (!in.ok()) return in.status();
  const absl::Status valid = ValidateProblem(problem);
  if (valid.ok()) return problem;
  const std::string where = FaultPlace(valid);
  return where.empty() ? valid : absl::Status(valid.code(), absl::StrCat("at ", where, ": ", valid.message()));
}

std::string WriteProblemJson(const Problem& problem) {
  JsonObjectText head;
  head.String("format", "bufplan.problem").Integer("version", 1);
  if (!problem.name.empty()) head.String("name", problem.name);
  if (problem.alignment_bytes != 1) head.Integer("alignment", problem.alignment_bytes);
  if (problem.capacity_bytes.has_value()) head.Integer("capacity", *problem.capacity_bytes);
  JsonFileText file(std::move(head));
  file.BeginList("buffers");
  for (const Buffer& b : problem.buffers) file.Element(BufferText(b));
  file.EndList();
  return file.Finish();
}

std::string ProblemFingerprint(const Problem& problem) { return Sha256Hex(WriteProblemJson(problem)); }

absl::Status CheckProblemFingerprint(const Problem& problem, const ProblemPlanFile& file) {
  const std::string expected = ProblemFingerprint(problem);
  if (file.fingerprint == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the plan was made for another problem: it has fingerprint ",
                                                 Quoted(file.fingerprint), ", this problem \"", expected, "\""));
}

std::string WriteProblemPlanJson(const Problem& problem, const ProblemPlanFile& file) {
  const ProblemPlan& plan = file.plan;
  JsonFileText text(PlanHead(problem.name, file.fingerprint.empty() ? ProblemFingerprint(problem) : file.fingerprint,
                             file.options, plan.optimal));
  JsonObjectText arena;
  arena.String("space", kSpaceName).Integer("bytes", plan.bytes).Integer("lower_bound", plan.lower_bound);
  arena.String("bound", BoundWords()[static_cast<size_t>(file.bound)]).Bool("optimal", plan.optimal);
  arena.Raw("chunks", absl::StrCat("[", plan.bytes, "]"));
  text.BeginList("arenas");
  text.Element(arena.Finish());
  text.EndList();
  text.BeginList("values");
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    JsonObjectText value;
    value.String("name", problem.buffers[i].name).String("in", kSpaceName).Integer("offset", plan.offsets[i]);
    text.Element(value.Finish());
  }
  text.EndList();
  for (absl::string_view list : {"ops", "fused", "order"}) text.Member(list, "[]");
  // The sum may exceed 64 bits when lifetimes do not meet; it is a statistic and stops there.
  int64_t sum_bytes = 0;
  for (const Buffer& b : problem.buffers) {
    if (__builtin_add_overflow(sum_bytes, b.bytes, &sum_bytes)) sum_bytes = INT64_MAX;
  }
  JsonObjectText stats;
  for (absl::string_view key : {"copies_elided", "copies_kept", "bytes_copied", "bytes_not_copied"})
    stats.Integer(key, 0);
  stats.Integer("sum_bytes", sum_bytes).Raw("peak_op", "null").Raw("live_at_peak", "[]");
  text.Member("stats", stats.Finish());
  return text.Finish();
}

absl::StatusOr<ProblemPlanFile> ReadProblemPlanJson(absl::string_view text, const Problem& problem) {
  enum : size_t {
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
  static constexpr absl::string_view kKeys[] = {"format", "version", "graph", "fingerprint", "options", "status",
                                                "arenas", "values",  "ops",   "fused",       "order",   "stats"};
  absl::StatusOr<JsonDocument> doc = JsonDocument::Parse(text);
  if (!doc.ok()) return doc.status();
  JsonReader in(*doc);
  in.CheckFormat(doc->root(), "bufplan.plan");
  if (!in.ok()) return in.status();
  const JsonMembers m = in.Object(doc->root(), kKeys);
  ProblemPlanFile file;
  in.String(m, kGraph);
  file.fingerprint = std::string(in.String(m, kFingerprint));
  if (m.has(kOptions)) file.options = ReadPlanOptions(m[kOptions], in);
  const std::optional<JsonValue> status = in.Required(m, kStatus);
  file.plan.optimal = status.has_value() && in.OneOf(*status, StatusWords()) == 1;
  for (size_t key : {kOps, kFused, kOrder}) {
    if (m.has(key) && in.Array(m[key]) && m[key].size() != 0) in.Fail(m[key], "must be empty: a problem has no ops");
  }
  const std::optional<JsonValue> arenas = in.Required(m, kArenas);
  if (arenas.has_value()) ReadArena(*arenas, in, file);
  const std::optional<JsonValue> values = in.Required(m, kValues);
  if (in.ok() && values.has_value()) ReadOffsets(*values, problem, in, file);
  if (!in.ok()) return in.status();
  return file;
}

}  // namespace bufplan
