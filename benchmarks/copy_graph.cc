#include "benchmarks/copy_graph.h"

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "ir/graph_builder.h"

namespace bufplan {
namespace {

constexpr int64_t kRow = 1024;

Graph BuildOrDie(GraphBuilder builder) {
  absl::StatusOr<Graph> graph = std::move(builder).Build();
  if (!graph.ok()) {
    std::fprintf(stderr, "%s\n", graph.status().ToString().c_str());
    std::abort();
  }
  return *std::move(graph);
}

ValueId Compute(GraphBuilder& b, std::vector<Operand> reads, int64_t bytes) {
  return b.Compute("", {.reads = std::move(reads), .writes = {{.bytes = bytes}}});
}

ValueId WriteInto(GraphBuilder& b, ValueId base, int64_t at, int64_t bytes) {
  return b.Compute("", {.reads = {}, .writes = {{.bytes = 4 * kRow, .base = base, .region = Region{at, bytes, {}}}}});
}

}  // namespace

Graph CopyGraph(int64_t num_ops) {
  GraphBuilder b("copies");
  ValueId x = b.Input("", 4 * kRow);
  ValueId table = b.Input("", 64 * kRow);
  int64_t row = 0;
  while (static_cast<int64_t>(b.last_op().index()) + 1 < num_ops) {
    const ValueId c = WriteInto(b, b.Clone("", x), 0, kRow);  // x is read below: one side is copied
    const ValueId left = Compute(b, {b.Slice("", c, 0, 2 * kRow)}, 2 * kRow);
    const ValueId right = Compute(b, {b.Slice("", x, 2 * kRow, 2 * kRow)}, 2 * kRow);
    const ValueId y = b.Concat("", {left, right});
    const ValueId entry = Compute(b, {y}, kRow);
    table = b.Update("", table, entry, row * kRow);
    row = (row + 1) % 64;
    const ValueId seen = Compute(b, {b.Slice("", table, 0, kRow), entry}, kRow);
    const ValueId z = Compute(b, {y, seen}, 4 * kRow);
    const ValueId w = Compute(b, {z, left}, 4 * kRow);
    x = Compute(b, {w, z}, 4 * kRow);
  }
  b.Output(x);
  b.Output(table);
  return BuildOrDie(std::move(b));
}

Graph UpdateChain(int64_t num_updates) {
  GraphBuilder b("updates");
  ValueId table = b.Variable("", num_updates * kRow);
  const ValueId variable = table;
  ValueId row = b.Input("", kRow);
  for (int64_t i = 0; i < num_updates; ++i) {
    row = Compute(b, {row}, kRow);
    table = b.Update("", table, row, i * kRow);
  }
  b.Commit("", table, variable);
  return BuildOrDie(std::move(b));
}

Graph ManyReaders(int64_t num_readers) {
  GraphBuilder b("readers");
  ValueId x = b.Input("", 2 * num_readers * kRow);
  std::vector<ValueId> slices;
  for (int64_t i = 0; i < num_readers; ++i) slices.push_back(b.Slice("", x, 2 * i * kRow, kRow));
  for (int64_t i = 0; i < num_readers; ++i) {
    x = b.Update("", x, Compute(b, {}, kRow), (2 * i + 1) * kRow);
  }
  for (ValueId s : slices) Compute(b, {s}, 8);
  b.Output(x);
  return BuildOrDie(std::move(b));
}

Graph WideConcat(int64_t num_parts) {
  GraphBuilder b("concat");
  std::vector<ValueId> parts;
  for (int64_t i = 0; i < num_parts; ++i) parts.push_back(Compute(b, {}, kRow));
  const ValueId all = b.Concat("", parts);
  for (int64_t i = 0; i < num_parts; ++i) Compute(b, {b.Slice("", all, i * kRow, kRow)}, 8);
  return BuildOrDie(std::move(b));
}

}  // namespace bufplan
