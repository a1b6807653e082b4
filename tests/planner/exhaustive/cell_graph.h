// A small graph cut into cells, the largest pieces that all its sizes and regions are multiples of.
//
// ERRORS: InvalidArgument for what FindFewestCopies() does not know, see fewest_copies.h.
#ifndef BUFPLAN_TESTS_PLANNER_EXHAUSTIVE_CELL_GRAPH_H_
#define BUFPLAN_TESTS_PLANNER_EXHAUSTIVE_CELL_GRAPH_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"

namespace bufplan {

struct CellRead {
  int value = 0;
  std::vector<int> from, to;  // cells of `value`; data movements: of the result or the commit's target, as many
};

struct CellInPlace {
  int value = 0;
  bool any = false;  // else: same_index
};

struct CellWrite {
  int value = 0;
  int base = -1;           // -1: none
  std::vector<int> cells;  // overwritten
  bool part = false;       // old content may survive in them
  std::vector<CellInPlace> in_place = {};
};

struct CellOp {
  bool movement = false;
  std::vector<CellRead> reads;
  std::vector<CellWrite> writes;
  int commit_target = -1;
};

inline constexpr int kAnyContent = -1;  // undefined: nobody depends on it

struct CellValue {
  int cells = 0;
  Role role = Role::kTransient;
  bool read_only = false;    // constant, borrowed external
  bool output = false;       // or a preserved input
  int committed = -1;        // the value that is committed to it
  std::vector<int> content;  // by cell: what the graph prescribes, as numbers of origins
};

struct CellGraph {
  int64_t cell_bytes = 1;
  std::vector<CellValue> values;
  std::vector<CellOp> ops;
  int num_origins = 0;
  // lineage[k][v]: what is committed to variable k comes from v by bases and data movements.
  std::vector<std::vector<bool>> lineage;
};

absl::StatusOr<CellGraph> MakeCellGraph(const Graph& graph);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_PLANNER_EXHAUSTIVE_CELL_GRAPH_H_
