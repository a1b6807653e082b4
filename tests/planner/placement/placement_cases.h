// What the tests of placement share: problems, made at random or read from CSV, and slow methods to hold the fast ones
// against.
#ifndef BUFPLAN_TESTS_PLANNER_PLACEMENT_PLACEMENT_CASES_H_
#define BUFPLAN_TESTS_PLANNER_PLACEMENT_PLACEMENT_CASES_H_

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "planner/placement/exact_search.h"
#include "planner/placement/placement.h"

namespace bufplan {

// A buffer of one piece.
struct Interval {
  int64_t begin, end, size_bytes;
};

PlacementProblem FromIntervals(absl::Span<const Interval> intervals, int64_t alignment_bytes = 1);

struct RandomShape {
  size_t max_storages = 20;
  int64_t max_time = 20, max_size = 40;
  bool pieces = false, alignments = false, pins = false, disjoint = false, chunks = false;
};

// The shape with its five flags as the bits of `kind`, from 0 to 31.
RandomShape OfKind(RandomShape shape, int kind);

PlacementProblem RandomProblem(std::mt19937_64& random, const RandomShape& shape);

// What is wrong with a placement, by comparing all pairs; empty if nothing.
std::string FindFault(const PlacementProblem& problem, const Placement& placement);
std::string FindFault(const PlacementProblem& problem, const ExactPlacement& exact);

// Whether the storages fit into so many bytes, by trying all offsets of all of them. For a few small ones, no chunks.
bool HasRoom(const PlacementProblem& problem, int64_t bytes);

// First fit by trying places one after another: slow and plain. Pinned storages come first.
Placement NaiveFirstFit(const PlacementProblem& problem, absl::Span<const int32_t> order);

// Names of the problems under benchmarks/data, with their loads.
struct DataFile {
  const char* path;
  int64_t load_bytes;
};
absl::Span<const DataFile> DataFiles();

std::vector<Interval> ReadCsv(const std::string& path);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_PLANNER_PLACEMENT_PLACEMENT_CASES_H_
