// Test support: programs of a few ops on a few streams, and what holds for them in every order in which they may run.
//
// Each op writes one value; none is in place, so that each value has bytes of its own. What is asked is answered by
// running through all linear extensions, which takes no idea from the planner.
#ifndef BUFPLAN_TESTS_PLANNER_CASES_SMALL_ORDERS_H_
#define BUFPLAN_TESTS_PLANNER_CASES_SMALL_ORDERS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph_builder.h"

namespace bufplan {

// Values 0, 1, ... are the results of the ops, in list order, then come the inputs.
struct SmallOrder {
  std::vector<int32_t> stream;  // by op
  size_t num_inputs = 0;
  std::vector<std::pair<size_t, size_t>> reads;  // (value, op)
  std::vector<std::pair<size_t, size_t>> edges;  // (op, later op of the list)
  std::vector<std::pair<size_t, size_t>> keep;   // (value, op)
  std::vector<size_t> outputs;
  std::optional<std::pair<size_t, size_t>> group;  // a required fusion of two ops
  std::vector<int64_t> bytes;                      // by value

  size_t num_ops() const { return stream.size(); }
  size_t num_values() const { return num_ops() + num_inputs; }
  int32_t num_streams() const;
  // For failures.
  std::string Text() const;
};

// Its ops, values and streams have the same indices.
GraphBuilder BuilderOf(const SmallOrder& order);

// All assignments of n ops to at most `max_streams` streams, up to the streams' names.
std::vector<std::vector<int32_t>> StreamsOf(size_t num_ops, int32_t max_streams);

// Whether the ops may be one group: nothing listed between them needs the first one.
bool MayFuse(const SmallOrder& order, size_t first, size_t last);

// Bit k of a mask stands for the k-th pair of ops in the order (0, 1), (0, 2), (1, 2), (0, 3), ...: the later one reads
// the earlier one's result, or waits for it. Values of one byte, and nothing more.
SmallOrder FromMasks(std::vector<int32_t> stream, uint32_t reads, uint32_t edges);

// What else a program may have, each with a chance: up to two inputs, outputs, keep-alives and a group; and 1 to 8
// bytes for each value.
void AddExtras(std::mt19937_64& random, SmallOrder& order);

// What a value's bytes are needed by, over all runs.
class AllRuns {
 public:
  explicit AllRuns(const SmallOrder& order);

  size_t count() const { return count_; }
  // In every run all accesses of `a` come before all of `b`.
  bool Before(size_t a, size_t b) const { return before_[a][b] != 0; }
  // Used inside of a group only: no bytes.
  bool Swallowed(size_t value) const { return swallowed_[value] != 0; }
  // The heaviest values of which no two may share bytes.
  int64_t HeaviestAntichain() const;
  // The least, over all runs, of the most bytes that are live at once.
  int64_t LeastPeak() const { return least_peak_; }

 private:
  void Extend(std::vector<size_t>& run);
  void Visit(const std::vector<size_t>& run);

  const SmallOrder& order_;
  size_t count_ = 0;
  std::vector<size_t> unit_of_;                // by op: the op in whose place it runs
  std::vector<std::vector<char>> after_;       // by unit and unit: the first waits for the second
  std::vector<std::vector<size_t>> accesses_;  // by value: units
  std::vector<char> at_start_, at_end_, swallowed_;
  std::vector<std::vector<char>> before_;
  int64_t least_peak_ = INT64_MAX;
};

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_PLANNER_CASES_SMALL_ORDERS_H_
