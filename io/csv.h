// Interval problems as MiniMalloc's CSV.
//
//   id,lower,upper,size,alignment,gaps,offset
//   a,0,4,100,32,1-2 3-4,0
//
// The header names the columns, in any order: id, lower, upper, size, and as far as given alignment, gaps, hint,
// offset. Lifetimes are half-open [lower, upper). An empty cell of an optional column is as if the column were missing.
// Gaps are "begin-end", separated by blanks; MiniMalloc's windows within gaps ("a-b:c-d") are refused. Ids are any
// text; those with commas, quotes or line ends stand in double quotes, quotes inside doubled (RFC 4180). A byte order
// mark, CR LF and blank lines at the end are fine.
//
// CSV has no name, no capacity, and one alignment per buffer; a problem's own alignment is written into each row. All
// else is read back as it was.
//
// ERRORS (ReadProblemCsv): InvalidArgument, "line 7, column size: ..." (lines from 1).
// COST: O(text), and what ValidateProblem costs. THREADS: no shared state.
// Source of the format: Moffitt, "MiniMalloc: A Lightweight Memory Allocator for Hardware-Accelerated Machine
// Learning", ASPLOS 2023.
#ifndef BUFPLAN_IO_CSV_H_
#define BUFPLAN_IO_CSV_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/problem.h"

namespace bufplan {

absl::StatusOr<Problem> ReadProblemCsv(absl::string_view text);

// Optional columns appear if some buffer has the thing. With `offsets` (one per buffer, as a plan has them) the last
// column has these in place of the pinned ones.
std::string WriteProblemCsv(const Problem& problem, absl::Span<const int64_t> offsets = {});

}  // namespace bufplan

#endif  // BUFPLAN_IO_CSV_H_
