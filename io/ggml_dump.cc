#include "io/ggml_dump.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "io/json_dom.h"
#include "io/json_reader.h"
#include "io/json_text.h"

namespace bufplan {
namespace {

enum TensorKey : size_t {
  kId,
  kStep,
  kOp,
  kName,
  kDtype,
  kNe,
  kNb,
  kNbytes,
  kSrc,
  kViewSrc,
  kViewOffs,
  kFlags,
  kCanInplace,
  kBuffer,
  kOffset,
  kSize,
  kInplaceOf
};
constexpr absl::string_view kTensorKeys[] = {"id",          "step",   "op",     "name",     "dtype",     "ne",
                                             "nb",          "nbytes", "src",    "view_src", "view_offs", "flags",
                                             "can_inplace", "buffer", "offset", "size",     "inplace_of"};
constexpr absl::string_view kBufferWords[] = {"weight", "kv_cache", "compute"};
constexpr absl::string_view kRegionWords[] = {"qkv_streams", "glu_pair", "topk_moe", "moe_reduce"};
constexpr absl::string_view kFlagWords[] = {"input", "output", "param"};
constexpr size_t kOutputFlag = 1;
enum RegionKey : size_t { kKind, kUntil, kKeep, kElide };

class GgmlDumpReader {
 public:
  explicit GgmlDumpReader(const JsonDocument& doc) : doc_(doc), in_(doc) {}
  absl::StatusOr<GgmlDump> Read();

 private:
  int64_t NotNegative(const JsonMembers& m, size_t key);
  std::vector<int64_t> Numbers(const JsonMembers& m, size_t key);
  // The index of the tensor with that id.
  std::optional<int32_t> Find(JsonValue id);
  void ReadTensors(JsonValue list, bool nodes);
  void ReadTensor(JsonValue json, bool node);
  void ReadViewSource(const JsonMembers& m, GgmlTensor& t);
  void ReadFlags(const JsonMembers& m, GgmlTensor& t);
  void ReadAllocator(const JsonMembers& file, size_t key);
  void ReadStats(const JsonMembers& file, size_t key);
  void ReadKeepRegions(JsonValue list);
  void ReadKeepRegion(JsonValue json);
  std::vector<int32_t> ReadRegionTensors(const JsonMembers& m, size_t key, int32_t first, int32_t end);

  const JsonDocument& doc_;
  JsonReader in_;
  GgmlDump dump_;
  absl::flat_hash_map<int64_t, int32_t> index_of_id_;
};

int64_t GgmlDumpReader::NotNegative(const JsonMembers& m, size_t key) {
  const int64_t i = in_.Integer(m, key);
  if (in_.ok() && i < 0) in_.Fail(m[key], absl::StrCat(i, ", must be >= 0"));
  return i;
}

std::vector<int64_t> GgmlDumpReader::Numbers(const JsonMembers& m, size_t key) {
  std::vector<int64_t> numbers;
  const std::optional<JsonValue> list = in_.Required(m, key);
  if (!list.has_value() || !in_.Array(*list)) return numbers;
  if (list->size() < 1 || list->size() > 16) {
    in_.Fail(*list, absl::StrCat("has ", list->size(), " dimensions, must have 1..16"));
  }
  for (JsonValue json : *list) {
    numbers.push_back(in_.Integer(json));
    if (in_.ok() && numbers.back() < 0) in_.Fail(json, absl::StrCat(numbers.back(), ", must be >= 0"));
  }
  return numbers;
}

std::optional<int32_t> GgmlDumpReader::Find(JsonValue id) {
  const int64_t number = in_.Integer(id);
  if (!in_.ok()) return std::nullopt;
  const auto found = index_of_id_.find(number);
  if (found != index_of_id_.end()) return found->second;
  in_.Fail(id, absl::StrCat("no tensor up to here has id ", number));
  return std::nullopt;
}

void GgmlDumpReader::ReadViewSource(const JsonMembers& m, GgmlTensor& t) {
  if (m.has(kViewOffs)) t.view_offs = NotNegative(m, kViewOffs);
  if (!m.has(kViewSrc)) return;
  t.view_src = Find(m[kViewSrc]);
  if (!t.view_src.has_value()) return;
  const GgmlTensor& root = dump_.tensors[static_cast<size_t>(*t.view_src)];
  int64_t end = 0;
  if (root.id == t.id || root.view_src.has_value()) {
    in_.Fail(m[kViewSrc], absl::StrCat("tensor ", root.id, " is itself a view, must be a root"));
  } else if (__builtin_add_overflow(t.view_offs, t.nbytes, &end) || end > root.nbytes) {
    in_.Fail(m.object(), absl::StrCat("tensor ", t.id, ": view_offs=", t.view_offs, " and nbytes=", t.nbytes,
                                      " exceed the ", root.nbytes, " bytes of tensor ", root.id));
  }
}

void GgmlDumpReader::ReadFlags(const JsonMembers& m, GgmlTensor& t) {
  if (!m.has(kFlags) || !in_.Array(m[kFlags])) return;
  for (JsonValue flag : m[kFlags]) t.output = in_.OneOf(flag, kFlagWords) == kOutputFlag || t.output;
}

void GgmlDumpReader::ReadTensor(JsonValue json, bool node) {
  const JsonMembers m = in_.Object(json, kTensorKeys);
  const int32_t index = static_cast<int32_t>(dump_.tensors.size());
  GgmlTensor t;
  t.id = NotNegative(m, kId);
  if (!in_.ok()) return;
  if (!index_of_id_.try_emplace(t.id, index).second) in_.Fail(m[kId], absl::StrCat("another tensor has id ", t.id));
  if (node) t.step = NotNegative(m, kStep);
  t.op = std::string(in_.String(m, kOp));
  t.name = std::string(in_.String(m, kName));
  t.dtype = std::string(in_.String(m, kDtype));
  t.ne = Numbers(m, kNe);
  t.nb = Numbers(m, kNb);
  if (in_.ok() && t.ne.size() != t.nb.size()) {
    in_.Fail(m[kNb], absl::StrCat("has ", t.nb.size(), " dimensions, ne has ", t.ne.size()));
  }
  t.nbytes = NotNegative(m, kNbytes);
  const std::optional<JsonValue> buffer = in_.Required(m, kBuffer);
  if (buffer.has_value()) t.buffer = static_cast<GgmlBuffer>(in_.OneOf(*buffer, kBufferWords));
  if (m.has(kCanInplace)) t.can_inplace = in_.Bool(m[kCanInplace]);
  if (m.has(kOffset)) NotNegative(m, kOffset);
  if (m.has(kSize)) NotNegative(m, kSize);
  if (m.has(kInplaceOf)) Find(m[kInplaceOf]);
  ReadFlags(m, t);
  dump_.tensors.push_back(std::move(t));  // A node may name itself as an operand.
  const std::optional<JsonValue> src = in_.Required(m, kSrc);
  if (!src.has_value() || !in_.Array(*src)) return;
  for (JsonValue id : *src) {
    const std::optional<int32_t> s = Find(id);
    if (s.has_value()) dump_.tensors.back().src.push_back(*s);
  }
  if (in_.ok()) ReadViewSource(m, dump_.tensors.back());
}

void GgmlDumpReader::ReadTensors(JsonValue list, bool nodes) {
  if (!in_.Array(list)) return;
  for (JsonValue json : list) {
    ReadTensor(json, nodes);
    if (!in_.ok()) return;
  }
}

void GgmlDumpReader::ReadAllocator(const JsonMembers& file, size_t key) {
  static constexpr absl::string_view kKeys[] = {"buffer_size", "buffer_size_align32", "reserve_us_median",
                                                "reserve_us_first", "alloc_us"};
  if (!file.has(key)) return;
  const JsonMembers m = in_.Object(file[key], kKeys);
  dump_.buffer_size_bytes = NotNegative(m, 0);
}

void GgmlDumpReader::ReadStats(const JsonMembers& file, size_t key) {
  static constexpr absl::string_view kKeys[] = {"n_nodes",
                                                "n_leafs",
                                                "n_compute",
                                                "sum_size",
                                                "sum_nbytes",
                                                "n_inplace",
                                                "peak_live",
                                                "peak_live_no_inplace",
                                                "peak_live_inplace_through_views"};
  if (!file.has(key)) return;
  const JsonMembers m = in_.Object(file[key], kKeys);
  dump_.peak_live_bytes = NotNegative(m, 6);
}

// Compute tensors of indices in [first, end).
std::vector<int32_t> GgmlDumpReader::ReadRegionTensors(const JsonMembers& m, size_t key, int32_t first, int32_t end) {
  std::vector<int32_t> tensors;
  const std::optional<JsonValue> ids = in_.Required(m, key);
  if (!ids.has_value() || !in_.Array(*ids)) return tensors;
  for (JsonValue id : *ids) {
    const std::optional<int32_t> i = Find(id);
    if (!i.has_value()) return tensors;
    const GgmlTensor& t = dump_.tensors[static_cast<size_t>(*i)];
    if (t.buffer != GgmlBuffer::kCompute) {
      in_.Fail(id, absl::StrCat("tensor ", t.id, " is in buffer ",
                                JsonString(kBufferWords[static_cast<size_t>(t.buffer)]), ", must be in \"compute\""));
    } else if (*i < first) {
      in_.Fail(id, absl::StrCat("tensor ", t.id, " is a leaf, must be a node"));
    } else if (*i >= end) {
      in_.Fail(id,
               absl::StrCat("tensor ", t.id, " comes too late: the region ends at tensor ", in_.Integer(m, kUntil)));
    }
    tensors.push_back(*i);
  }
  return tensors;
}

void GgmlDumpReader::ReadKeepRegion(JsonValue json) {
  static constexpr absl::string_view kKeys[] = {"kind", "until", "keep", "elide"};
  const JsonMembers m = in_.Object(json, kKeys);
  GgmlRegion region;
  const std::optional<JsonValue> kind = in_.Required(m, kKind);
  if (kind.has_value()) region.kind = static_cast<GgmlRegionKind>(in_.OneOf(*kind, kRegionWords));
  const std::optional<JsonValue> until = in_.Required(m, kUntil);
  const std::optional<int32_t> last = until.has_value() ? Find(*until) : std::nullopt;
  if (!last.has_value()) return;
  const int32_t num_leafs = static_cast<int32_t>(dump_.num_leafs);
  if (*last < num_leafs) in_.Fail(*until, absl::StrCat("tensor ", in_.Integer(*until), " is a leaf, must be a node"));
  region.until = *last;
  region.keep = ReadRegionTensors(m, kKeep, 0, *last + 1);
  region.elide = ReadRegionTensors(m, kElide, num_leafs, *last);
  dump_.regions.push_back(std::move(region));
}

void GgmlDumpReader::ReadKeepRegions(JsonValue list) {
  if (!in_.Array(list)) return;
  for (JsonValue json : list) {
    ReadKeepRegion(json);
    if (!in_.ok()) return;
  }
}

absl::StatusOr<GgmlDump> GgmlDumpReader::Read() {
  enum : size_t {
    kFormat,
    kVersion,
    kCommit,
    kFileName,
    kDescription,
    kParams,
    kAlignment,
    kAllocator,
    kStats,
    kLeafs,
    kNodes,
    kKeepRegions
  };
  static constexpr absl::string_view kKeys[] = {"format",      "version", "ggml_commit", "name",
                                                "description", "params",  "alignment",   "allocator",
                                                "stats",       "leafs",   "nodes",       "keep_regions"};
  in_.CheckFormat(doc_.root(), "ggml-graph");
  if (!in_.ok()) return in_.status();
  const JsonMembers m = in_.Object(doc_.root(), kKeys);
  if (m.has(kCommit)) dump_.commit = std::string(in_.String(m[kCommit]));
  if (m.has(kFileName)) dump_.name = std::string(in_.String(m[kFileName]));
  if (m.has(kDescription)) dump_.description = std::string(in_.String(m[kDescription]));
  dump_.alignment_bytes = in_.Integer(m, kAlignment);
  ReadAllocator(m, kAllocator);
  ReadStats(m, kStats);
  const std::optional<JsonValue> leafs = in_.Required(m, kLeafs);
  if (in_.ok() && leafs.has_value()) ReadTensors(*leafs, false);
  dump_.num_leafs = dump_.tensors.size();
  const std::optional<JsonValue> nodes = in_.Required(m, kNodes);
  if (in_.ok() && nodes.has_value()) ReadTensors(*nodes, true);
  if (in_.ok() && m.has(kKeepRegions)) ReadKeepRegions(m[kKeepRegions]);
  if (!in_.ok()) return in_.status();
  return std::move(dump_);
}

}  // namespace

absl::string_view ToString(GgmlRegionKind kind) { return kRegionWords[static_cast<size_t>(kind)]; }

absl::StatusOr<GgmlDump> ReadGgmlDump(absl::string_view text) {
  absl::StatusOr<JsonDocument> doc = JsonDocument::Parse(text);
  if (!doc.ok()) return doc.status();
  return GgmlDumpReader(*doc).Read();
}

}  // namespace bufplan
