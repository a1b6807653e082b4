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

void GraphRun::RunOp(Device& device, const KernelTable& table, OpId o) {
  ASSERT_TRUE(table.of_op[o.index()]) << "op " << graph_.name(o) << " has no kernel";
  table.of_op[o.index()](device, StreamHandle{0}, Site(*this, {&o, 1}));
}
void GraphRun::RunAll(Device& device, const KernelTable& table) {
  for (size_t i = 0; i < graph_.ops().size(); ++i) RunOp(device, table, OpId(static_cast<int32_t>(i)));
}
void GraphRun::RunFusion(Device& device, const KernelTable& table, FusionId f) {
  ASSERT_TRUE(table.of_fusion[f.index()]) << "fusion " << graph_.fusions()[f.index()].name << " has no kernel";
  table.of_fusion[f.index()](device, StreamHandle{0}, Site(*this, graph_.fusions()[f.index()].ops));
}

}  // namespace bufplan::runtime
