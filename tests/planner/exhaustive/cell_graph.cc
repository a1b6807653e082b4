#include "tests/planner/exhaustive/cell_graph.h"

#include <cstddef>
#include <numeric>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tests/oracle/concrete.h"

namespace bufplan {
namespace {

constexpr size_t kMaxValues = 8;
constexpr int64_t kMaxCells = 64;

bool IsMovement(OpKind kind) {
  return kind != OpKind::kCompute && kind != OpKind::kFill && kind != OpKind::kBarrier && kind != OpKind::kView;
}

absl::Status Supported(const Graph& graph) {
  const bool plain = graph.num_streams() == 1 && graph.symbols().empty() && graph.spaces().size() == 1 &&
                     graph.fusions().empty() && graph.keep_alive().empty() && graph.disjoint().empty();
  if (!plain) return absl::InvalidArgumentError("streams, symbols, spaces, fusions, keep-alives or disjoint pairs");
  if (graph.values().size() > kMaxValues) return absl::InvalidArgumentError("too many values");
  for (const Value& v : graph.values()) {
    if (v.pinned_offset_bytes.has_value() || v.max_bytes == 0) return absl::InvalidArgumentError("pins, or no bytes");
  }
  for (const Op& op : graph.ops()) {
    const bool known = op.kind == OpKind::kCompute || (IsMovement(op.kind) && op.kind != OpKind::kTransfer);
    if (!known || op.elide != Elide::kAuto || op.max_scratch_bytes > 0) {
      return absl::InvalidArgumentError(absl::StrCat("an op of kind ", ToString(op.kind), ", elide, or scratch"));
    }
  }
  return absl::OkStatus();
}

// Makes every run of the bytes a multiple of `cell`; runs end where either list jumps.
void Refine(const std::vector<int64_t>& from, const std::vector<int64_t>& to, int64_t& cell) {
  int64_t begin = 0;
  const auto at = [](const std::vector<int64_t>& list, int64_t i) { return list[static_cast<size_t>(i)]; };
  const int64_t n = static_cast<int64_t>(from.size());
  for (int64_t i = 1; i <= n; ++i) {
    const bool goes_on = i < n && at(from, i) == at(from, i - 1) + 1 && (to.empty() || at(to, i) == at(to, i - 1) + 1);
    if (goes_on) continue;
    cell = std::gcd(std::gcd(cell, i - begin), at(from, begin));
    if (!to.empty()) cell = std::gcd(cell, at(to, begin));
    begin = i;
  }
}

int64_t CellBytes(const ConcreteGraph& graph) {
  int64_t cell = 0;
  for (int64_t bytes : graph.bytes) cell = std::gcd(cell, bytes);
  for (const ConcreteOp& op : graph.ops) {
    for (const ConcreteRead& r : op.reads) Refine(r.from, r.to, cell);
    for (const ConcreteWrite& w : op.writes) Refine(w.bytes, {}, cell);
  }
  return cell;
}

std::vector<int> Cells(const std::vector<int64_t>& bytes, int64_t cell) {
  std::vector<int> cells;
  for (size_t i = 0; i < bytes.size(); i += static_cast<size_t>(cell))
    cells.push_back(static_cast<int>(bytes[i] / cell));
  return cells;
}

CellOp MakeOp(const Graph& graph, OpId id, const ConcreteOp& op, int64_t cell) {
  CellOp out;
  out.movement = IsMovement(op.kind);
  for (const ConcreteRead& r : op.reads) {
    out.reads.push_back({static_cast<int>(r.value.index()), Cells(r.from, cell), Cells(r.to, cell)});
  }
  for (const ConcreteWrite& w : op.writes) {
    const int base = w.base.has_value() ? static_cast<int>(w.base->index()) : -1;
    out.writes.push_back({static_cast<int>(w.value.index()), base, Cells(w.bytes, cell), w.cover == Cover::kPart});
  }
  const absl::Span<const Write> writes = graph.writes(graph.op(id));
  for (size_t w = 0; w < writes.size(); ++w) {
    for (const InPlace& p : graph.in_place(writes[w])) {
      out.writes[w].in_place.push_back({static_cast<int>(p.value.index()), p.mode == InPlaceMode::kAny});
    }
  }
  if (op.commit_target.has_value()) out.commit_target = static_cast<int>(op.commit_target->index());
  return out;
}

CellValue& Of(CellGraph& graph, int value) { return graph.values[static_cast<size_t>(value)]; }

// Numbers the origins: one per cell that is there at the start or that a compute op writes.
void FillContent(CellGraph& graph) {
  for (CellValue& v : graph.values) {
    v.content.assign(static_cast<size_t>(v.cells), kAnyContent);
    for (int& origin : v.content) {
      if (v.role != Role::kTransient) origin = graph.num_origins++;
    }
  }
  for (const CellOp& op : graph.ops) {
    for (const CellWrite& w : op.writes) {
      std::vector<int>& content = Of(graph, w.value).content;
      if (w.base >= 0) content = Of(graph, w.base).content;
      for (int cell : w.cells) {
        if (!op.movement) content[static_cast<size_t>(cell)] = graph.num_origins++;
      }
      for (const CellRead& r : op.reads) {
        for (size_t i = 0; i < r.to.size(); ++i) {
          content[static_cast<size_t>(r.to[i])] = Of(graph, r.value).content[static_cast<size_t>(r.from[i])];
        }
      }
    }
    if (op.commit_target >= 0) Of(graph, op.commit_target).committed = op.reads[0].value;
  }
}

void FillLineage(CellGraph& graph) {
  const size_t n = graph.values.size();
  graph.lineage.assign(n, std::vector<bool>(n, false));
  for (size_t k = 0; k < n; ++k) {
    if (graph.values[k].committed < 0) continue;
    std::vector<bool>& comes = graph.lineage[k];
    comes[static_cast<size_t>(graph.values[k].committed)] = true;
    for (size_t i = graph.ops.size(); i-- > 0;) {
      for (const CellWrite& w : graph.ops[i].writes) {
        if (!comes[static_cast<size_t>(w.value)]) continue;
        if (w.base >= 0) comes[static_cast<size_t>(w.base)] = true;
        for (const CellRead& r : graph.ops[i].reads) {
          if (graph.ops[i].movement) comes[static_cast<size_t>(r.value)] = true;
        }
      }
    }
  }
}

}  // namespace

absl::StatusOr<CellGraph> MakeCellGraph(const Graph& graph) {
  if (absl::Status s = Supported(graph); !s.ok()) return s;
  absl::StatusOr<ConcreteGraph> concrete = MakeConcrete(graph, {});
  if (!concrete.ok()) return concrete.status();
  CellGraph out;
  out.cell_bytes = CellBytes(*concrete);
  int64_t cells = 0;
  for (size_t i = 0; i < graph.values().size(); ++i) {
    const Value& v = graph.values()[i];
    if (out.cell_bytes % v.alignment_bytes != 0) return absl::InvalidArgumentError("alignment above the cells' size");
    CellValue& value = out.values.emplace_back();
    value.cells = static_cast<int>(concrete->bytes[i] / out.cell_bytes);
    value.role = v.role;
    value.read_only = v.role == Role::kConstant || (v.role == Role::kExternal && !v.writable);
    value.output = v.preserve;
    cells += value.cells;
  }
  if (cells > kMaxCells) return absl::InvalidArgumentError("too many cells");
  for (ValueId v : graph.outputs()) out.values[v.index()].output = true;
  for (size_t i = 0; i < concrete->ops.size(); ++i) {
    out.ops.push_back(MakeOp(graph, OpId(static_cast<int32_t>(i)), concrete->ops[i], out.cell_bytes));
  }
  FillContent(out);
  FillLineage(out);
  return out;
}

}  // namespace bufplan
