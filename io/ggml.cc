#include "io/ggml.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "io/ggml_regions.h"
#include "io/json_text.h"
#include "ir/graph_builder.h"

namespace bufplan {
namespace {

bool IsPureView(const GgmlTensor& t) {
  for (absl::string_view op : {"NONE", "RESHAPE", "VIEW", "PERMUTE", "TRANSPOSE"}) {
    if (t.op == op) return t.view_src.has_value();
  }
  return false;
}

// Bytes of an element; nullopt for the types that are stored in blocks, whose rows always lie together.
std::optional<int64_t> ElementBytes(absl::string_view dtype) {
  constexpr std::pair<absl::string_view, int64_t> kTypes[] = {{"f64", 8}, {"i64", 8},  {"f32", 4}, {"i32", 4},
                                                              {"f16", 2}, {"bf16", 2}, {"i16", 2}, {"i8", 1}};
  for (const auto& [name, bytes] : kTypes) {
    if (name == dtype) return bytes;
  }
  return std::nullopt;
}

// The bytes that a tensor's elements occupy, as a region of its root; nullopt if extents and strides do not say exactly
// (then they are some of [view_offs, view_offs + nbytes)).
std::optional<Region> ElementRegion(const GgmlTensor& t) {
  Region region{t.view_offs, 0, {}};
  if (t.nbytes == 0 || std::find(t.ne.begin(), t.ne.end(), 0) != t.ne.end()) return region;
  std::vector<std::pair<int64_t, int64_t>> dims;  // stride, count
  int64_t outer_span = 0;                         // from the first row to the last
  for (size_t d = 0; d < t.ne.size(); ++d) {
    if (t.ne[d] > 1) dims.push_back({t.nb[d], t.ne[d]});
    int64_t span = 0;
    if (__builtin_mul_overflow(t.ne[d] - 1, t.nb[d], &span)) return std::nullopt;
    if (d > 0 && __builtin_add_overflow(outer_span, span, &outer_span)) return std::nullopt;
  }
  const std::optional<int64_t> element = ElementBytes(t.dtype);
  if (!element.has_value() && t.ne[0] > 1) dims.erase(dims.begin());  // Dimension 0 is within the row.
  int64_t run = element.value_or(t.nbytes - outer_span);
  std::sort(dims.begin(), dims.end());
  size_t d = 0;
  while (d < dims.size() && dims[d].first == run) {
    if (__builtin_mul_overflow(run, dims[d].second, &run)) return std::nullopt;
    ++d;
  }
  region.run_bytes = run;
  int64_t extent = run;
  for (; d < dims.size(); ++d) {
    const auto [stride, count] = dims[d];
    int64_t last = 0;
    if (stride < extent || __builtin_mul_overflow(count - 1, stride, &last) ||
        __builtin_add_overflow(extent, last, &extent)) {
      return std::nullopt;
    }
    region.dims.insert(region.dims.begin(), Dim{count, stride});
  }
  if (run <= 0 || extent != t.nbytes) return std::nullopt;
  return region;
}

class GgmlImporter {
 public:
  GgmlImporter(const GgmlDump& dump, const GgmlRegionFacts& facts)
      : d_(dump), facts_(facts), b_(dump.name), states_(dump.tensors.size()) {}
  // Fills `places`, if not null.
  absl::StatusOr<Graph> Import(GgmlPlaces* places) &&;

 private:
  // What is known of a tensor so far. Of a root: its newest version. Of a view: its value as of one version of its
  // root.
  struct State {
    std::string name;
    ValueId value;
    ValueId first;  // of a leaf: the value that is there at the start
    int32_t version = -1;
    bool read = false;              // by some node, or the root of some view
    bool read_since_write = false;  // of a root: its newest version, itself or through a view
  };

  const GgmlTensor& Tensor(int32_t i) const { return d_.tensors[static_cast<size_t>(i)]; }
  State& StateOf(int32_t i) { return states_[static_cast<size_t>(i)]; }
  int32_t RootOf(int32_t i) const { return Tensor(i).view_src.value_or(i); }
  bool CoversRoot(int32_t i) const { return Tensor(i).view_offs == 0 && Tensor(i).nbytes == Tensor(RootOf(i)).nbytes; }

  std::string UniqueName(const std::string& wish) { return UniqueName(wish, names_); }
  static std::string UniqueName(const std::string& wish, absl::flat_hash_set<std::string>& names);
  void NameTensors();
  void MarkReadAndWritten();
  void AddLeaf(int32_t i);
  void AddView(int32_t i, const std::string& name);
  // The value that holds the tensor's content now.
  ValueId Current(int32_t i, int64_t step);
  bool IsDestination(const GgmlTensor& t, size_t operand) const;
  void AddCompute(int32_t i);
  void AddWriteIntoRoot(int32_t i);
  void AddOutput(ValueId v);
  void AddOutputsAndCommits();
  void AddTensors();
  void AddRegionFacts();
  // Of the next op.
  OpOptions Options(int32_t i);

  const GgmlDump& d_;
  const GgmlRegionFacts& facts_;
  GraphBuilder b_;
  GgmlPlaces places_;
  std::vector<State> states_;
  std::vector<bool> written_;
  absl::flat_hash_set<std::string> names_;
  absl::flat_hash_set<ValueId> is_output_;
};

std::string GgmlImporter::UniqueName(const std::string& wish, absl::flat_hash_set<std::string>& names) {
  std::string name = wish;
  for (int n = 2; name.empty() || name.size() > 1024 || !names.insert(name).second; ++n) {
    name = absl::StrCat(wish.substr(0, 1000), "#", n);
  }
  return name;
}

void GgmlImporter::NameTensors() {
  for (size_t i = 0; i < d_.tensors.size(); ++i) {
    const GgmlTensor& t = d_.tensors[i];
    const bool usable = !t.name.empty() && t.name.size() <= 1024 && !names_.contains(t.name);
    states_[i].name = UniqueName(usable ? t.name : absl::StrCat(t.op, "_", t.id));
  }
}

void GgmlImporter::MarkReadAndWritten() {
  written_.resize(d_.tensors.size());
  for (size_t i = 0; i < d_.tensors.size(); ++i) {
    const GgmlTensor& t = d_.tensors[i];
    for (int32_t s : t.src) {
      if (s != static_cast<int32_t>(i)) StateOf(s).read = true;
    }
    if (!t.view_src.has_value()) continue;
    StateOf(*t.view_src).read = true;
    if (i >= d_.num_leafs && !IsPureView(t)) written_[static_cast<size_t>(*t.view_src)] = true;
  }
}

OpOptions GgmlImporter::Options(int32_t i) {
  const GgmlTensor& t = Tensor(i);
  OpOptions options;
  const size_t next = static_cast<size_t>(b_.last_op().value + 1);
  if (next < facts_.stream_of_op.size()) options.stream = facts_.stream_of_op[next];
  options.attrs_json =
      absl::StrCat("{\"ggml_id\": ", t.id, ", \"ggml_op\": ", JsonString(t.op),
                   t.name == StateOf(i).name ? "" : absl::StrCat(", \"ggml_name\": ", JsonString(t.name)), "}");
  return options;
}

void GgmlImporter::AddLeaf(int32_t i) {
  const GgmlTensor& t = Tensor(i);
  if (t.view_src.has_value()) return;  // Made when it is read.
  Role role = Role::kInput;
  if (t.buffer == GgmlBuffer::kKvCache) role = Role::kVariable;
  if (t.buffer == GgmlBuffer::kWeight) role = written_[static_cast<size_t>(i)] ? Role::kVariable : Role::kConstant;
  State& state = StateOf(i);
  state.first = state.value = b_.AddValue(state.name, t.nbytes, role);
  state.version = 0;
  places_.versions[static_cast<size_t>(i)] = {state.value};
}

void GgmlImporter::AddView(int32_t i, const std::string& name) {
  const GgmlTensor& t = Tensor(i);
  State& state = StateOf(i);
  const State& root = StateOf(*t.view_src);
  state.value = b_.View(name, root.value, t.view_offs, t.nbytes, absl::string_view(name), Options(i));
  state.version = root.version;
}

ValueId GgmlImporter::Current(int32_t i, int64_t step) {
  const GgmlTensor& t = Tensor(i);
  State& state = StateOf(i);
  State& root = StateOf(RootOf(i));
  root.read_since_write = true;
  if (!t.view_src.has_value()) return state.value;
  if (state.version == root.version) return state.value;
  if (!CoversRoot(i)) {
    AddView(i, UniqueName(absl::StrCat(state.name, "@", step)));
  } else {
    state.value = root.value;
    state.version = root.version;
  }
  return state.value;
}

// ggml lists what CPY and SET_ROWS write into among their operands.
bool GgmlImporter::IsDestination(const GgmlTensor& t, size_t operand) const {
  if (operand == 0 || (t.op != "CPY" && t.op != "SET_ROWS")) return false;
  const GgmlTensor& s = Tensor(t.src[operand]);
  return RootOf(t.src[operand]) == *t.view_src && s.view_offs == t.view_offs && s.nbytes == t.nbytes;
}

void GgmlImporter::AddCompute(int32_t i) {
  const GgmlTensor& t = Tensor(i);
  ComputeSpec spec;
  Result result;
  for (int32_t s : t.src) {
    if (s == i) continue;
    const ValueId v = Current(s, t.step);
    const auto is_v = [v](const auto& use) { return use.value == v; };
    if (std::none_of(spec.reads.begin(), spec.reads.end(), is_v)) spec.reads.emplace_back(v);
    const GgmlTensor& from = Tensor(s);
    const bool same_layout = from.dtype == t.dtype && from.ne == t.ne && from.nb == t.nb && from.nbytes == t.nbytes;
    if (t.can_inplace && same_layout && from.buffer == GgmlBuffer::kCompute &&
        std::none_of(result.in_place.begin(), result.in_place.end(), is_v)) {
      result.in_place.emplace_back(v);
    }
  }
  State& state = StateOf(i);
  result.name = state.name;
  result.bytes = t.nbytes;
  spec.writes.push_back(std::move(result));
  spec.options = Options(i);
  state.value = b_.Compute(state.name, std::move(spec));
  state.version = 0;
  places_.versions[static_cast<size_t>(i)] = {state.value};
}

void GgmlImporter::AddWriteIntoRoot(int32_t i) {
  const GgmlTensor& t = Tensor(i);
  State& root = StateOf(*t.view_src);
  ComputeSpec spec;
  Result result;
  result.name = StateOf(i).name;
  result.bytes = Tensor(*t.view_src).nbytes;
  result.base = root.value;
  const ByteRange written{t.view_offs, t.view_offs + t.nbytes};
  for (size_t k = 0; k < t.src.size(); ++k) {
    const int32_t s = t.src[k];
    if (s == i || IsDestination(t, k)) continue;
    if (RootOf(s) != *t.view_src) {
      spec.reads.emplace_back(Current(s, t.step));
      continue;
    }
    // It reads the memory that it writes: as bytes of the root, so that operand and result can lie at the same place.
    const ByteRange read{Tensor(s).view_offs, Tensor(s).view_offs + Tensor(s).nbytes};
    Operand operand(root.value);
    if (!CoversRoot(s)) operand.region = Region{read.begin, read.size(), {}};
    spec.reads.push_back(std::move(operand));
    const auto is_root = [&](const InPlaceOf& p) { return p.value == root.value; };
    if (read.Meets(written) && std::none_of(result.in_place.begin(), result.in_place.end(), is_root)) {
      result.in_place.emplace_back(root.value, read == written ? InPlaceMode::kSameIndex : InPlaceMode::kAny);
    }
  }
  const bool writes_all = t.can_inplace || t.op == "CPY" || t.op == "CLAMP";
  std::optional<Region> region = writes_all ? ElementRegion(t) : std::nullopt;
  if (!region.has_value()) {
    result.cover = Cover::kPart;
    region = Region{t.view_offs, t.nbytes, {}};
  }
  if (!region->contiguous() || !CoversRoot(i)) result.region = std::move(region);
  spec.writes.push_back(std::move(result));
  spec.options = Options(i);
  root.value = b_.Compute(StateOf(i).name, std::move(spec));
  ++root.version;
  root.read_since_write = false;
  places_.versions[static_cast<size_t>(*t.view_src)].push_back(root.value);
}

void GgmlImporter::AddOutput(ValueId v) {
  if (is_output_.insert(v).second) b_.Output(v);
}

void GgmlImporter::AddOutputsAndCommits() {
  const int64_t end = static_cast<int64_t>(d_.tensors.size() - d_.num_leafs);
  std::vector<bool> unread_write(states_.size());  // Before the outputs' own reads.
  for (size_t k = 0; k < states_.size(); ++k) {
    const GgmlTensor& t = d_.tensors[k];
    unread_write[k] = !t.view_src.has_value() && t.buffer == GgmlBuffer::kCompute && states_[k].version > 0 &&
                      !states_[k].read_since_write;
  }
  for (size_t k = 0; k < d_.tensors.size(); ++k) {
    const int32_t i = static_cast<int32_t>(k);
    const GgmlTensor& t = d_.tensors[k];
    const bool writes = t.view_src.has_value() && !IsPureView(t);
    const bool unread_result = k >= d_.num_leafs && !StateOf(i).read && !writes && t.buffer == GgmlBuffer::kCompute;
    if (t.output || unread_result || unread_write[k]) AddOutput(Current(i, end));
  }
  // All views before the first commit: afterwards the old content of a variable is gone.
  for (size_t k = 0; k < d_.num_leafs; ++k) {
    const State& state = states_[k];
    const GgmlTensor& t = d_.tensors[k];
    if (t.view_src.has_value() || t.buffer == GgmlBuffer::kCompute || state.version == 0) continue;
    b_.Commit(UniqueName(absl::StrCat("commit ", state.name)), state.value, state.first);
  }
}

void GgmlImporter::AddTensors() {
  places_.op.resize(d_.tensors.size());
  places_.versions.resize(d_.tensors.size());
  for (size_t k = 0; k < d_.tensors.size(); ++k) {
    const int32_t i = static_cast<int32_t>(k);
    if (k < d_.num_leafs) {
      AddLeaf(i);
      continue;
    }
    if (IsPureView(d_.tensors[k])) {
      AddView(i, states_[k].name);
    } else if (d_.tensors[k].view_src.has_value()) {
      AddWriteIntoRoot(i);
    } else {
      AddCompute(i);
    }
    places_.op[k] = b_.last_op();
  }
}

void GgmlImporter::AddRegionFacts() {
  for (const OrderEdge& edge : facts_.order) b_.Order(edge.before, edge.after);
  for (const KeepAlive& keep : facts_.keep_alive) b_.KeepAliveUntil(keep.value, keep.until);
  absl::flat_hash_set<std::string> names;
  for (Fusion fusion : facts_.fusions) {
    fusion.name = UniqueName(fusion.name, names);
    b_.AddFusion(std::move(fusion));
  }
}

absl::StatusOr<Graph> GgmlImporter::Import(GgmlPlaces* places) && {
  Space space;
  space.alignment_bytes = d_.alignment_bytes;
  b_.AddSpace("device", std::move(space));
  if (facts_.num_branches > 0) b_.AddStream("main");
  for (int32_t n = 1; n <= facts_.num_branches; ++n) b_.AddStream(absl::StrCat("branch", n));
  b_.SetAttrs(absl::StrCat("{\"source\": \"ggml\", \"ggml_commit\": ", JsonString(d_.commit),
                           ", \"description\": ", JsonString(d_.description), "}"));
  NameTensors();
  MarkReadAndWritten();
  AddTensors();
  AddOutputsAndCommits();
  AddRegionFacts();
  if (places != nullptr) *places = std::move(places_);
  return std::move(b_).Build();
}

}  // namespace

absl::StatusOr<Graph> GraphOfGgmlDump(const GgmlDump& dump, const GgmlImportOptions& options) {
  const GgmlRegionFacts none;
  GgmlPlaces places;
  absl::StatusOr<Graph> graph = GgmlImporter(dump, none).Import(&places);
  if (!graph.ok() || options.regions == GgmlRegions::kIgnore) return graph;
  const absl::StatusOr<GgmlRegionFacts> facts = FactsOfRegions(options.regions, dump, *graph, places);
  if (!facts.ok()) return facts.status();
  return GgmlImporter(dump, *facts).Import(nullptr);
}

absl::StatusOr<Graph> ReadGgmlGraph(absl::string_view text, const GgmlImportOptions& options) {
  absl::StatusOr<GgmlDump> dump = ReadGgmlDump(text);
  if (!dump.ok()) return dump.status();
  return GraphOfGgmlDump(*dump, options);
}

}  // namespace bufplan
