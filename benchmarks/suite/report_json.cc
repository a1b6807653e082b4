#include <array>
#include <utility>

#include "benchmarks/suite/report.h"
#include "io/json_dom.h"
#include "io/json_reader.h"
#include "io/json_text.h"
#include "io/tool/version.h"

namespace bufplan {
namespace {

constexpr absl::string_view kFormat = "bufplan.bench";
enum TopKey : size_t { kFormatKey, kVersionKey, kBufplan, kResults };
constexpr absl::string_view kTopKeys[] = {"format", "version", "bufplan", "results"};
enum Key : size_t {
  kSuite,
  kProblem,
  kMethod,
  kBuffers,
  kSkipped,
  kBytes,
  kLowerBound,
  kOptimal,
  kChunks,
  kTime,
  kRuns,
  kMemory
};
constexpr absl::string_view kKeys[] = {"suite",       "problem", "method", "buffers", "skipped", "bytes",
                                       "lower_bound", "optimal", "chunks", "time_ns", "runs",    "memory_bytes"};

std::string ResultJson(const BenchResult& r) {
  JsonObjectText object;
  object.String("suite", r.suite).String("problem", r.problem).String("method", r.method);
  object.Integer("buffers", r.buffers);
  if (!r.measured.skipped.empty()) {
    object.String("skipped", r.measured.skipped);
    return object.Finish();
  }
  object.Integer("bytes", r.measured.bytes).Integer("lower_bound", r.lower_bound).Bool("optimal", r.optimal);
  object.Integer("chunks", r.measured.chunks).Integer("time_ns", r.measured.time_ns).Integer("runs", r.measured.runs);
  if (r.measured.memory_bytes.has_value()) object.Integer("memory_bytes", *r.measured.memory_bytes);
  return object.Finish();
}

BenchResult ReadResult(JsonReader& in, JsonValue value) {
  const JsonMembers m = in.Object(value, kKeys);
  BenchResult r;
  r.suite = std::string(in.Name(m, kSuite));
  r.problem = std::string(in.Name(m, kProblem));
  r.method = std::string(in.Name(m, kMethod));
  r.buffers = in.Integer(m, kBuffers);
  if (!in.ok()) return r;
  if (m.has(kSkipped)) {
    r.measured.skipped = std::string(in.Name(m, kSkipped));
    return r;
  }
  r.measured.bytes = in.Integer(m, kBytes);
  r.lower_bound = in.Integer(m, kLowerBound);
  if (const std::optional<JsonValue> optimal = in.Required(m, kOptimal)) r.optimal = in.Bool(*optimal);
  r.measured.chunks = in.Integer(m, kChunks);
  r.measured.time_ns = in.Integer(m, kTime);
  r.measured.runs = in.Integer(m, kRuns);
  r.measured.memory_bytes = in.OptionalInteger(m, kMemory);
  for (const Key key : {kBytes, kLowerBound, kTime}) {
    if (in.ok() && m[key].integer() < 0) in.Fail(m[key], "must be >= 0");
  }
  return r;
}

}  // namespace

std::string WriteReportJson(absl::Span<const BenchResult> results) {
  JsonObjectText head;
  head.String("format", kFormat).Integer("version", 1).String("bufplan", kVersion);
  JsonFileText file(std::move(head));
  file.BeginList("results");
  for (const BenchResult& r : results) file.Element(ResultJson(r));
  file.EndList();
  return file.Finish();
}

absl::StatusOr<std::vector<BenchResult>> ReadReportJson(absl::string_view text) {
  const absl::StatusOr<JsonDocument> doc = JsonDocument::Parse(text);
  if (!doc.ok()) return doc.status();
  JsonReader in(*doc);
  in.CheckFormat(doc->root(), kFormat);
  if (!in.ok()) return in.status();
  const JsonMembers top = in.Object(doc->root(), kTopKeys);
  std::vector<BenchResult> results;
  const std::optional<JsonValue> list = in.Required(top, kResults);
  if (!list.has_value() || !in.Array(*list)) return in.status();
  for (JsonValue element : *list) {
    results.push_back(ReadResult(in, element));
    if (!in.ok()) return in.status();
  }
  if (!in.ok()) return in.status();
  return results;
}

}  // namespace bufplan
