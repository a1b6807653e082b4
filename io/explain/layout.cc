#include "io/explain/layout.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "io/explain/value_uses.h"
#include "ir/region.h"

namespace bufplan {

std::vector<int64_t> LargestSymbolValues(const Graph& graph) {
  std::vector<int64_t> values;
  for (const Symbol& s : graph.symbols()) {
    const int64_t rest = s.max % s.multiple_of;
    values.push_back(s.max - (rest < 0 ? rest + s.multiple_of : rest));
  }
  return values;
}

std::string SymbolValuesText(const Graph& graph, absl::Span<const int64_t> values) {
  std::string text;
  for (size_t i = 0; i < graph.symbols().size() && i < values.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", graph.symbols()[i].name, "=", values[i]);
  }
  return text;
}

Layout::Layout(const Graph& graph, const Plan& plan)
    : graph_(&graph),
      plan_(&plan),
      symbol_values_(LargestSymbolValues(graph)),
      owner_memory_(graph.values().size(), -1),
      entry_of_(graph.values().size(), -1),
      end_(static_cast<int64_t>(graph.ops().size()) + 2) {
  for (size_t i = 0; i < graph.spaces().size(); ++i) {
    LayoutMemory& m = memories_.emplace_back();
    m.id = static_cast<int32_t>(i);
    m.name = std::string(graph.name(SpaceId(m.id)));
    for (const Arena& a : plan.arenas) {
      if (a.space.index() != i) continue;
      for (int64_t bytes : a.chunks) {
        m.chunk_begin.push_back(m.bytes);
        if (bytes < 0 || __builtin_add_overflow(m.bytes, bytes, &m.bytes)) break;
      }
    }
  }
  for (size_t i = 0; i < graph.ops().size(); ++i) place_of_.emplace_back(static_cast<int32_t>(i));
  for (const FusionDecision& d : plan.fused) {
    if (!d.fused || d.fusion.index() >= graph.fusions().size()) continue;
    for (OpId o : graph.fusions()[d.fusion.index()].ops) place_of_[o.index()] = graph.fusions()[d.fusion.index()].at;
  }
  AddValues();
  AddScratch();
}

Layout::Layout(const Problem& problem, const ProblemPlan& plan)
    : problem_(&problem), entry_of_(problem.buffers.size(), -1) {
  LayoutMemory& m = memories_.emplace_back();
  m.name = "device";
  m.bytes = std::max<int64_t>(plan.bytes, 0);
  m.chunk_begin = {0};
  bool first = true;
  for (size_t i = 0; i < problem.buffers.size() && i < plan.offsets.size(); ++i) {
    const Buffer& b = problem.buffers[i];
    if (b.begin >= b.end) continue;
    begin_ = first ? b.begin : std::min(begin_, b.begin);
    end_ = first ? b.end : std::max(end_, b.end);
    first = false;
    PlacedBytes p;
    p.what = PlacedBytes::What::kBuffer;
    p.id = static_cast<int32_t>(i);
    p.bytes.begin = plan.offsets[i];
    if (p.bytes.begin < 0 || __builtin_add_overflow(p.bytes.begin, b.bytes, &p.bytes.end)) continue;
    p.begin = b.begin;
    for (const TimeRange& gap : b.gaps) {
      p.end = gap.begin;
      Add(p);
      p.begin = gap.end;
    }
    p.end = b.end;
    Add(p);
  }
}

void Layout::Add(PlacedBytes entry) {
  if (entry.bytes.empty() || entry.begin >= entry.end) return;
  memories_[static_cast<size_t>(entry.memory)].bytes =
      std::max(memories_[static_cast<size_t>(entry.memory)].bytes, entry.bytes.end);
  if (entry.what != PlacedBytes::What::kScratch) {
    int32_t& entry_of = entry_of_[static_cast<size_t>(entry.id)];
    if (entry_of < 0) entry_of = static_cast<int32_t>(placed_.size());
  }
  placed_.push_back(std::move(entry));
}

int32_t Layout::MemoryOf(const Location& location) {
  if (location.kind == Location::Kind::kArena) return location.memory;
  int32_t& memory = owner_memory_[location.owner().index()];
  if (memory >= 0) return memory;
  memory = static_cast<int32_t>(memories_.size());
  LayoutMemory& m = memories_.emplace_back();
  m.id = location.memory;
  m.arena = false;
  m.name = std::string(graph_->name(location.owner()));
  m.bytes = std::max<int64_t>(0, graph_->value(location.owner()).bytes.Evaluate(symbol_values_).value_or(0));
  return memory;
}

std::optional<int64_t> Layout::Begin(const Location& location) const {
  if (location.kind == Location::Kind::kNone || location.memory < 0) return std::nullopt;
  std::optional<int64_t> begin = location.offset_bytes.Evaluate(symbol_values_);
  if (!begin.has_value() || *begin < 0) return std::nullopt;
  if (location.kind == Location::Kind::kCaller) {
    return location.owner().index() < graph_->values().size() ? begin : std::nullopt;
  }
  if (location.space().index() >= graph_->spaces().size()) return std::nullopt;
  const std::vector<int64_t>& chunks = memories_[location.space().index()].chunk_begin;
  if (location.chunk < 0 || static_cast<size_t>(location.chunk) >= chunks.size()) return std::nullopt;
  if (__builtin_add_overflow(*begin, chunks[static_cast<size_t>(location.chunk)], &*begin)) return std::nullopt;
  return begin;
}

void Layout::AddValues() {
  for (size_t i = 0; i < plan_->locations.size() && i < graph_->values().size(); ++i) {
    const Location& location = plan_->locations[i];
    const Value& value = graph_->values()[i];
    const std::optional<int64_t> begin = Begin(location);
    if (!begin.has_value()) continue;
    const bool planned =
        location.kind == Location::Kind::kArena && location.offset_bytes.is_constant() && location.strides == nullptr;
    const Expr bytes =
        location.strides == nullptr ? value.bytes : RegionEnd({0, location.strides->run_bytes, location.strides->dims});
    const int64_t size = planned ? value.max_bytes : bytes.Evaluate(symbol_values_).value_or(0);
    PlacedBytes p;
    p.id = static_cast<int32_t>(i);
    p.bytes.begin = *begin;
    if (size <= 0 || __builtin_add_overflow(*begin, size, &p.bytes.end)) continue;
    p.memory = MemoryOf(location);
    const LiveRange live = i < plan_->live.size() ? plan_->live[i] : LiveRange();
    p.begin = live.first.has_value() ? TimeOf(*live.first) : 0;
    p.end = live.last.has_value() ? TimeOf(*live.last) + 1 : end_;
    if (!live.last.has_value() && NeededByNobody(*graph_, ValueId(p.id))) p.end = p.begin;
    p.end = std::max(p.end, p.begin + 1);
    Add(std::move(p));
  }
}

void Layout::AddScratch() {
  for (const ScratchPlace& s : plan_->scratch) {
    if (s.op.index() >= graph_->ops().size()) continue;
    const std::optional<int64_t> begin = Begin(s.location);
    const int64_t size = graph_->op(s.op).max_scratch_bytes;
    PlacedBytes p;
    p.what = PlacedBytes::What::kScratch;
    p.id = s.op.value;
    if (!begin.has_value() || __builtin_add_overflow(*begin, size, &p.bytes.end)) continue;
    p.bytes.begin = *begin;
    p.memory = MemoryOf(s.location);
    p.begin = TimeOf(s.op);
    p.end = p.begin + 1;
    Add(std::move(p));
  }
}

std::optional<size_t> Layout::Find(int32_t value) const {
  const size_t i = static_cast<size_t>(value);
  if (i >= entry_of_.size() || entry_of_[i] < 0) return std::nullopt;
  return static_cast<size_t>(entry_of_[i]);
}

std::string Layout::Label(const PlacedBytes& p) const {
  switch (p.what) {
    case PlacedBytes::What::kValue: return std::string(graph_->name(ValueId(p.id)));
    case PlacedBytes::What::kScratch: return absl::StrCat("scratch of ", graph_->name(OpId(p.id)));
    case PlacedBytes::What::kBuffer: return problem_->buffers[static_cast<size_t>(p.id)].name;
  }
  return "";
}

std::string Layout::TimeLabel(int64_t time) const {
  if (problem_ != nullptr) return absl::StrCat(time);
  if (time <= 0) return "start";
  if (time + 1 >= end_) return "end";
  return std::string(graph_->name(OpId(static_cast<int32_t>(time - 1))));
}

}  // namespace bufplan
