// A plan as rectangles of bytes x time: what explanations and pictures are made from.
//
//   time 0: before the first op; time t + 1: the op at list position t; the last one: after the last op
//
// Each arena and each storage of the caller is a memory; the chunks of an arena follow one another in it. Symbols have
// their largest values. A value in an arena at a constant offset takes what is planned for it, its largest size; others
// take their size at these symbol values, strided ones all bytes from their first to their last. Values without bytes
// and without a place are left out, and so is what makes no sense (a plan may be wrong): offsets below 0, chunks that
// are not there.
//
// COST: O(values + scratch). THREADS: immutable once made.
#ifndef BUFPLAN_IO_EXPLAIN_LAYOUT_H_
#define BUFPLAN_IO_EXPLAIN_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "ir/problem.h"

namespace bufplan {

struct PlacedBytes {
  enum class What : uint8_t { kValue, kScratch, kBuffer };
  What what = What::kValue;
  int32_t id = 0;  // ValueId, OpId, or index of a buffer
  int32_t memory = 0;
  ByteRange bytes;             // not empty
  int64_t begin = 0, end = 0;  // time, half-open, not empty
};

struct LayoutMemory {
  std::string name;  // of the space or of the value that owns it
  bool arena = true;
  int32_t id = 0;                    // SpaceId or ValueId; 0 for a problem
  int64_t bytes = 0;                 // largest end of what lies there, or the size the plan says if that is more
  std::vector<int64_t> chunk_begin;  // arenas: where each chunk begins
};

class Layout {
 public:
  Layout(const Graph& graph, const Plan& plan);
  Layout(const Problem& problem, const ProblemPlan& plan);

  const std::vector<LayoutMemory>& memories() const { return memories_; }
  const std::vector<PlacedBytes>& placed() const { return placed_; }
  int64_t begin() const { return begin_; }  // all rectangles lie in [begin, end)
  int64_t end() const { return end_; }
  // The value's entry in placed(); absent if it is left out. Problems: the buffer's first one.
  std::optional<size_t> Find(int32_t value) const;
  // Name of a value, an op's scratch, or a buffer; not quoted, not shortened.
  std::string Label(const PlacedBytes& p) const;
  // What is at this time, for an axis of time: the op's name, "start", "end", or a problem's time as a number.
  std::string TimeLabel(int64_t time) const;

 private:
  int32_t MemoryOf(const Location& location);
  void AddValues();
  void AddScratch();
  void Add(PlacedBytes entry);
  // On the axis, where the op runs: fused, where its group does.
  int64_t TimeOf(OpId op) const { return int64_t{place_of_[op.index()].value} + 1; }
  // Where the location begins in its memory at the largest symbol values; absent if that makes no sense.
  std::optional<int64_t> Begin(const Location& location) const;

  const Graph* graph_ = nullptr;
  const Plan* plan_ = nullptr;
  const Problem* problem_ = nullptr;
  std::vector<OpId> place_of_;  // by op
  std::vector<int64_t> symbol_values_;
  std::vector<LayoutMemory> memories_;
  std::vector<int32_t> owner_memory_;  // by value: the memory that is its storage, or -1
  std::vector<PlacedBytes> placed_;
  std::vector<int32_t> entry_of_;  // by value or buffer: index into placed_, or -1
  int64_t begin_ = 0, end_ = 0;
};

// Each symbol's largest value: its max, rounded down to a multiple.
std::vector<int64_t> LargestSymbolValues(const Graph& graph);

// "s=4094, t=16", or "" without symbols.
std::string SymbolValuesText(const Graph& graph, absl::Span<const int64_t> values);

}  // namespace bufplan

#endif  // BUFPLAN_IO_EXPLAIN_LAYOUT_H_
