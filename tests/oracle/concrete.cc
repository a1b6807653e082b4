#include "tests/oracle/concrete.h"

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tests/oracle/random.h"

namespace bufplan {
namespace {

class Concretizer {
 public:
  Concretizer(const Graph& graph, absl::Span<const int64_t> symbol_values) : graph_(graph) {
    out_.symbol_values.assign(symbol_values.begin(), symbol_values.end());
  }

  absl::StatusOr<ConcreteGraph> Run() {
    for (const Value& v : graph_.values()) out_.bytes.push_back(Number(v.bytes));
    for (const Op& op : graph_.ops()) out_.ops.push_back(MakeOp(op));
    if (!fault_.empty()) return absl::InvalidArgumentError(fault_);
    return std::move(out_);
  }

 private:
  int64_t Number(const Expr& e) {
    const std::optional<int64_t> n = e.Evaluate(out_.symbol_values);
    if (!n.has_value() || *n < 0) fault_ = absl::StrCat(e.ToString(graph_.symbols()), " has no value >= 0");
    return std::max<int64_t>(0, n.value_or(0));
  }

  std::vector<int64_t> Bytes(ValueId value, const std::optional<RegionId>& region) {
    std::vector<int64_t> bytes;
    const int64_t size = out_.bytes[value.index()];
    if (!region.has_value()) {
      for (int64_t b = 0; b < size; ++b) bytes.push_back(b);
      return bytes;
    }
    const Region& r = graph_.region(*region);
    std::vector<int64_t> begins = {Number(r.at)};
    for (const Dim& d : r.dims) {
      const int64_t count = Number(d.count), stride = Number(d.stride_bytes);
      std::vector<int64_t> next;
      for (int64_t begin : begins) {
        for (int64_t i = 0; i < count; ++i) next.push_back(begin + i * stride);
      }
      begins = std::move(next);
    }
    const int64_t run = Number(r.run_bytes);
    for (int64_t begin : begins) {
      for (int64_t j = 0; j < run; ++j) bytes.push_back(begin + j);
    }
    if (std::any_of(bytes.begin(), bytes.end(), [&](int64_t b) { return b >= size; })) {
      fault_ = absl::StrCat("a region leaves value \"", graph_.name(value), "\" of ", size, " bytes");
      bytes.clear();
    }
    return bytes;
  }

  ConcreteOp MakeOp(const Op& op) {
    ConcreteOp out{.kind = op.kind, .commit_target = op.commit_target, .scratch_bytes = Number(op.scratch_bytes)};
    const bool moves = op.kind != OpKind::kCompute && op.kind != OpKind::kBarrier && op.kind != OpKind::kFill;
    std::vector<int64_t> covered;
    for (const Read& r : graph_.reads(op)) {
      ConcreteRead& read = out.reads.emplace_back();
      read.value = r.value;
      read.from = Bytes(r.value, r.region);
      if (!moves) continue;
      read.to = Bytes(op.commit_target.has_value() ? *op.commit_target : graph_.writes(op)[0].value, r.to_region);
      if (read.to.size() != read.from.size()) {
        fault_ = absl::StrCat("a part moves ", read.from.size(), " bytes to ", read.to.size());
        read.from.clear();
        read.to.clear();
      }
      covered.insert(covered.end(), read.to.begin(), read.to.end());
    }
    for (const Write& w : graph_.writes(op)) {
      out.writes.push_back({w.value, w.base, moves ? covered : Bytes(w.value, w.region), w.cover});
    }
    return out;
  }

  const Graph& graph_;
  ConcreteGraph out_;
  std::string fault_;
};

}  // namespace

absl::StatusOr<ConcreteGraph> MakeConcrete(const Graph& graph, absl::Span<const int64_t> symbol_values) {
  if (symbol_values.size() != graph.symbols().size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(symbol_values.size(), " symbol values, the graph has ", graph.symbols().size(), " symbols"));
  }
  return Concretizer(graph, symbol_values).Run();
}

std::vector<std::vector<int64_t>> SymbolTuples(const Graph& graph, int count, uint64_t seed) {
  const absl::Span<const Symbol> symbols = graph.symbols();
  std::vector<int64_t> first, last;
  for (const Symbol& s : symbols) {
    int64_t min = s.min, max = s.max;
    while (min % s.multiple_of != 0) ++min;
    while (max % s.multiple_of != 0) --max;
    first.push_back(min);
    last.push_back(max);
  }
  Rng rng(seed);
  std::vector<std::vector<int64_t>> tuples;
  const size_t corners = size_t{1} << std::min<size_t>(symbols.size(), 6);
  for (size_t i = 0; i < corners + 4 * static_cast<size_t>(count); ++i) {
    if (static_cast<int>(tuples.size()) >= count) break;
    std::vector<int64_t> tuple;
    for (size_t s = 0; s < symbols.size(); ++s) {
      const int64_t steps = (last[s] - first[s]) / symbols[s].multiple_of;
      const int64_t step = i >= corners ? rng.Between(0, steps) : (i >> std::min<size_t>(s, 6)) % 2 == 0 ? steps : 0;
      tuple.push_back(first[s] + step * symbols[s].multiple_of);
    }
    if (std::find(tuples.begin(), tuples.end(), tuple) == tuples.end()) tuples.push_back(std::move(tuple));
  }
  return tuples;
}

}  // namespace bufplan
