#include "tests/gpu_runtime/registry/graph_run.h"

#include <cstring>
#include <utility>

#include "gpu_runtime/registry/value_uses.h"
#include "gtest/gtest.h"

namespace bufplan::runtime {
namespace {

class Site : public KernelSite {
 public:
  Site(GraphRun& run, absl::Span<const OpId> ops) : run_(run), ops_(ops) {
    if (ops.size() == 1) return;
    const ValueUses uses(run.graph());
    for (OpId o : ops) {
      for (const Write& w : run.graph().writes(run.graph().op(o))) {
        if (!uses.OutsideOf(ops, w.value)) swallowed_.push_back(w.value);
      }
    }
  }

  Operand read(size_t member, size_t slot) const override {
    return At(run_.graph().reads(run_.graph().op(ops_[member]))[slot].value);
  }
  Operand write(size_t member, size_t slot) const override {
    return At(run_.graph().writes(run_.graph().op(ops_[member]))[slot].value);
  }
  std::byte* scratch(size_t) const override { return nullptr; }
  absl::Span<const int64_t> symbol_values() const override { return run_.symbol_values(); }

 private:
  Operand At(ValueId v) const {
    for (ValueId s : swallowed_) {
      if (s == v) return {};
    }
    return {run_.data(v), run_.strides(v), run_.run_bytes(v)};
  }

  GraphRun& run_;
  absl::Span<const OpId> ops_;
  std::vector<ValueId> swallowed_;
};

}  // namespace

GraphRun::GraphRun(const Graph& graph, std::vector<int64_t> symbol_values)
    : graph_(graph), symbol_values_(std::move(symbol_values)) {
  for (size_t i = 0; i < graph.values().size(); ++i) {
    const size_t words = static_cast<size_t>(graph.values()[i].max_bytes) / 8 + 1;
    memory_.emplace_back(words, 0xa5a5a5a5a5a5a5a5u);
    place_.push_back(ValueId(static_cast<int32_t>(i)));
  }
  for (const Op& op : graph.ops()) {
    for (const Write& w : graph.writes(op)) {
      if (w.base.has_value()) PutOn(w.value, *w.base);
    }
  }
}

void GraphRun::PutOn(ValueId v, ValueId on) { place_[v.index()] = place_[on.index()]; }
std::byte* GraphRun::data(ValueId v) { return reinterpret_cast<std::byte*>(memory_[place_[v.index()].index()].data()); }

std::vector<std::byte> GraphRun::bytes(ValueId v) {
  const std::byte* first = data(v);
  return {first, first + *graph_.value(v).bytes.Evaluate(symbol_values_)};
}
std::vector<float> GraphRun::floats(ValueId v) {
  const std::vector<std::byte> from = bytes(v);
  std::vector<float> to(from.size() / 4);
  std::memcpy(to.data(), from.data(), 4 * to.size());
  return to;
}

void GraphRun::SetStrides(ValueId v, std::vector<int64_t> strides, int64_t run_bytes) {
  strides_[v] = {std::move(strides), run_bytes};
}
absl::Span<const int64_t> GraphRun::strides(ValueId v) const {
  const auto it = strides_.find(v);
  return it == strides_.end() ? absl::Span<const int64_t>() : absl::MakeConstSpan(it->second.first);
}
int64_t GraphRun::run_bytes(ValueId v) const {
  const auto it = strides_.find(v);
  return it == strides_.end() ? 0 : it->second.second;
}

std::vector<size_t> GraphRun::PlacesOf(ValueId v, const std::optional<RegionId>& region) const {
  const auto number = [&](const Expr& e) { return static_cast<size_t>(*e.Evaluate(symbol_values_)); };
  std::vector<size_t> runs = {0};
  size_t run_bytes = number(graph_.value(v).bytes);
  if (region.has_value()) {
    const Region& r = graph_.region(*region);
    runs = {number(r.at)};
    run_bytes = number(r.run_bytes);
    for (const Dim& d : r.dims) {
      std::vector<size_t> more;
      for (size_t run : runs) {
        for (size_t i = 0; i < number(d.count); ++i) more.push_back(run + i * number(d.stride_bytes));
      }
      runs = std::move(more);
    }
  }
  std::vector<size_t> places;
  for (size_t run : runs) {
    for (size_t i = 0; i < run_bytes; ++i) places.push_back(run + i);
  }
  return places;
}

void GraphRun::Move(OpId o) {
  const Op& op = graph_.op(o);
  const ValueId to = op.commit_target.has_value() ? *op.commit_target : graph_.writes(op)[0].value;
  for (const Read& r : graph_.reads(op)) {
    const std::vector<size_t> from_places = PlacesOf(r.value, r.region), to_places = PlacesOf(to, r.to_region);
    ASSERT_EQ(from_places.size(), to_places.size());
    const std::vector<std::byte> from = bytes(r.value);
    for (size_t i = 0; i < from_places.size(); ++i) data(to)[to_places[i]] = from[from_places[i]];
  }
}

void GraphRun::RunOp(Device& device, const KernelTable& table, OpId o) {
  if (graph_.op(o).kind != OpKind::kCompute) return Move(o);
  ASSERT_TRUE(table.of_op[o.index()]) << "op " << graph_.name(o) << " has no kernel";
  table.of_op[o.index()](device, StreamHandle{0}, Site(*this, {&o, 1}));
}

void GraphRun::RunAll(Device& device, const KernelTable& table, const std::vector<bool>& fused) {
  std::vector<bool> in_group(graph_.ops().size(), false);
  for (size_t f = 0; f < fused.size(); ++f) {
    for (OpId o : graph_.fusions()[f].ops) in_group[o.index()] = in_group[o.index()] || fused[f];
  }
  for (size_t i = 0; i < graph_.ops().size(); ++i) {
    const OpId o(static_cast<int32_t>(i));
    if (!in_group[i]) RunOp(device, table, o);
    for (size_t f = 0; f < fused.size(); ++f) {
      if (fused[f] && graph_.fusions()[f].at == o) RunFusion(device, table, FusionId(static_cast<int32_t>(f)));
    }
  }
}
void GraphRun::RunFusion(Device& device, const KernelTable& table, FusionId f) {
  ASSERT_TRUE(table.of_fusion[f.index()]) << "fusion " << graph_.fusions()[f.index()].name << " has no kernel";
  table.of_fusion[f.index()](device, StreamHandle{0}, Site(*this, graph_.fusions()[f.index()].ops));
}

}  // namespace bufplan::runtime
