#include "gpu_runtime/steps/layout.h"

#include <algorithm>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gpu_runtime/steps/plan_shape.h"

namespace bufplan::runtime {
namespace {

// Of values in the reference's memory, so that none ends where another begins.
constexpr int64_t kOwnAlignment = 256;
constexpr int64_t kMaxOwnBytes = int64_t{1} << 60;

void AddCallers(const Graph& graph, const Sizes& sizes, Layout& layout) {
  layout.of_caller.assign(graph.values().size(), -1);
  for (size_t i = 0; i < graph.values().size(); ++i) {
    if (!IsCallerOwned(graph.values()[i].role)) continue;
    layout.of_caller[i] = static_cast<int32_t>(layout.memories.size());
    layout.memories.push_back(
        {.kind = MemoryKind::kCaller, .bytes = sizes.value_bytes[i], .owner = ValueId(static_cast<int32_t>(i))});
  }
}

class PlanPlacer {
 public:
  PlanPlacer(const Graph& graph, const Plan& plan, const Sizes& sizes) : graph_(graph), plan_(plan), sizes_(sizes) {}

  absl::StatusOr<Layout> Run() {
    if (absl::Status s = CheckPlanShape(graph_, plan_); !s.ok()) return s;
    first_chunk_.assign(graph_.spaces().size(), -1);
    num_chunks_.assign(graph_.spaces().size(), 0);
    for (const Arena& a : plan_.arenas) {
      first_chunk_[a.space.index()] = static_cast<int32_t>(out_.memories.size());
      num_chunks_[a.space.index()] = static_cast<int32_t>(a.chunks.size());
      for (size_t c = 0; c < a.chunks.size(); ++c) {
        out_.memories.push_back({.kind = MemoryKind::kChunk,
                                 .bytes = std::max<int64_t>(0, a.chunks[c]),
                                 .space = a.space,
                                 .chunk = static_cast<int32_t>(c)});
      }
    }
    AddCallers(graph_, sizes_, out_);
    for (size_t v = 0; v < graph_.values().size(); ++v) {
      const ValueId id(static_cast<int32_t>(v));
      const Location& location = plan_.location(id);
      Place place;
      if (location.kind != Location::Kind::kNone && sizes_.value_bytes[v] > 0) {
        const std::string who = absl::StrCat("value \"", graph_.name(id), "\"");
        const absl::StatusOr<Place> found = Find(location, sizes_.value_bytes[v], who);
        if (!found.ok()) return found.status();
        place = *found;
        const std::string misuse = place.strided() ? MisuseOfStrided(id) : "";
        if (!misuse.empty()) return absl::FailedPreconditionError(absl::StrCat(who, " lies strided, but ", misuse));
      }
      out_.values.push_back(place);
    }
    out_.scratch.resize(graph_.ops().size());
    for (const ScratchPlace& s : plan_.scratch) {
      const int64_t bytes = sizes_.scratch_bytes[s.op.index()];
      if (bytes == 0) continue;
      const std::string who = absl::StrCat("scratch of op \"", graph_.name(s.op), "\"");
      const absl::StatusOr<Place> found = Find(s.location, bytes, who);
      if (!found.ok()) return found.status();
      out_.scratch[s.op.index()] = *found;
    }
    for (size_t o = 0; o < graph_.ops().size(); ++o) {
      if (sizes_.scratch_bytes[o] == 0 || out_.scratch[o].exists()) continue;
      return absl::FailedPreconditionError(
          absl::StrCat("scratch of op \"", graph_.name(OpId(static_cast<int32_t>(o))), "\" has no place"));
    }
    return std::move(out_);
  }

 private:
  static bool Moves(OpKind kind) {
    return kind == OpKind::kSlice || kind == OpKind::kClone || kind == OpKind::kConcat || kind == OpKind::kTransfer ||
           kind == OpKind::kCopy || kind == OpKind::kUpdate || kind == OpKind::kCommit;
  }
  // Who takes the value for one run of bytes (docs/design.md, rule 17); "" if nobody does.
  std::string MisuseOfStrided(ValueId v) const {
    const std::optional<OpId> producer = graph_.producer(v);
    if (graph_.value(v).role != Role::kTransient || !producer.has_value()) return "is not made by the graph";
    if (!Moves(graph_.op(*producer).kind) || graph_.writes(graph_.op(*producer))[0].base.has_value()) {
      return absl::StrCat("op \"", graph_.name(*producer), "\" makes it in one run");
    }
    if (std::find(graph_.outputs().begin(), graph_.outputs().end(), v) != graph_.outputs().end()) return "is an output";
    for (size_t o = 0; o < graph_.ops().size(); ++o) {
      const Op& op = graph_.ops()[o];
      const std::string who = absl::StrCat("op \"", graph_.name(OpId(static_cast<int32_t>(o))), "\" ");
      for (const Read& r : graph_.reads(op)) {
        if (r.value == v && !Moves(op.kind) && !r.strides_ok) return absl::StrCat(who, "reads it in one run");
      }
      for (const Write& w : graph_.writes(op)) {
        if (w.base == v) return absl::StrCat(who, "overwrites it as its base");
      }
    }
    return "";
  }

  int32_t MemoryOf(const Location& location) const {
    const size_t m = static_cast<size_t>(location.memory);
    if (location.memory < 0 || location.kind == Location::Kind::kNone) return -1;
    if (location.kind == Location::Kind::kCaller) return m < out_.of_caller.size() ? out_.of_caller[m] : -1;
    if (m >= first_chunk_.size() || first_chunk_[m] < 0 || location.chunk < 0 || location.chunk >= num_chunks_[m]) {
      return -1;
    }
    return first_chunk_[m] + location.chunk;
  }

  absl::StatusOr<Place> Find(const Location& location, int64_t bytes, const std::string& who) const {
    Place place;
    place.memory = MemoryOf(location);
    if (place.memory < 0) return absl::FailedPreconditionError(absl::StrCat(who, " lies in no memory of the plan"));
    std::optional<Shape> shape;
    if (location.strides == nullptr) {
      shape = ShapeAt(location.offset_bytes, bytes, {}, sizes_.symbol_values);
    } else {
      shape = ShapeAt(location.offset_bytes, location.strides->run_bytes, location.strides->dims, sizes_.symbol_values);
    }
    if (!shape.has_value()) return absl::FailedPreconditionError(absl::StrCat(who, " has no offset"));
    if (shape->bytes() != bytes) {
      return absl::FailedPreconditionError(
          absl::StrCat(who, " has ", bytes, " bytes, its strided runs ", shape->bytes()));
    }
    place.shape = *shape;
    const Memory& memory = out_.memories[static_cast<size_t>(place.memory)];
    if (place.shape.at < 0 || place.shape.end() > memory.bytes) {
      return absl::FailedPreconditionError(absl::StrCat(who, " lies at ", PlaceText(graph_, memory, place.shape.at),
                                                        " up to byte ", place.shape.end(), " of a memory of ",
                                                        memory.bytes, " bytes"));
    }
    return place;
  }

  const Graph& graph_;
  const Plan& plan_;
  const Sizes& sizes_;
  Layout out_;
  std::vector<int32_t> first_chunk_, num_chunks_;  // by SpaceId
};

}  // namespace

std::string PlaceText(const Graph& graph, const Memory& memory, int64_t offset) {
  switch (memory.kind) {
    case MemoryKind::kChunk:
      if (memory.chunk == 0) return absl::StrCat(graph.name(memory.space), "+", offset);
      return absl::StrCat(graph.name(memory.space), "#", memory.chunk, "+", offset);
    case MemoryKind::kCaller: return absl::StrCat(graph.name(memory.owner), "+", offset);
    case MemoryKind::kOwn: return absl::StrCat("reference+", offset);
    case MemoryKind::kWorkspace: return absl::StrCat("workspace+", offset);
  }
  return "";
}

absl::StatusOr<Layout> PlannedLayout(const Graph& graph, const Plan& plan, const Sizes& sizes) {
  return PlanPlacer(graph, plan, sizes).Run();
}

absl::StatusOr<Layout> ReferenceLayout(const Graph& graph, const Sizes& sizes) {
  Layout layout;
  AddCallers(graph, sizes, layout);
  const int32_t own = static_cast<int32_t>(layout.memories.size());
  layout.memories.push_back({.kind = MemoryKind::kOwn});
  int64_t& end = layout.memories.back().bytes;
  bool fits = true;
  const auto apart = [&](int64_t bytes) {
    fits = fits && bytes <= kMaxOwnBytes && end <= kMaxOwnBytes - bytes;
    if (bytes == 0 || !fits) return Place();
    const Place place = {own, {end, bytes, {}}};
    end += (bytes + 2 * kOwnAlignment - 1) / kOwnAlignment * kOwnAlignment;
    return place;
  };
  layout.values.resize(graph.values().size());
  layout.scratch.resize(graph.ops().size());
  for (size_t v = 0; v < graph.values().size(); ++v) {
    const int64_t bytes = sizes.value_bytes[v];
    const std::optional<OpId> producer = graph.producer(ValueId(static_cast<int32_t>(v)));
    const bool view = producer.has_value() && graph.op(*producer).kind == OpKind::kView;
    if (layout.of_caller[v] >= 0) {
      layout.values[v] = {layout.of_caller[v], {0, bytes, {}}};
    } else if (!view) {
      layout.values[v] = apart(bytes);
    }
    if (bytes == 0) layout.values[v] = {};
  }
  for (size_t o = 0; o < graph.ops().size(); ++o) {
    const Op& op = graph.ops()[o];
    layout.scratch[o] = apart(sizes.scratch_bytes[o]);
    if (op.kind != OpKind::kView) continue;
    const Read& of = graph.reads(op)[0];
    const ValueId view = graph.writes(op)[0].value;
    const int64_t bytes = sizes.value_bytes[view.index()];
    if (bytes == 0) continue;
    layout.values[view.index()] = layout.of(of.value);
    layout.values[view.index()].shape.at += sizes.ShapeOf(of.value, of.region).at;
    layout.values[view.index()].shape.run_bytes = bytes;
  }
  if (!fits) return absl::ResourceExhaustedError("the values of the graph need more than 2^60 bytes together");
  return layout;
}

}  // namespace bufplan::runtime
