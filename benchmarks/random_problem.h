// Interval problems of any size, made at random, for questions of scale.
#ifndef BUFPLAN_BENCHMARKS_RANDOM_PROBLEM_H_
#define BUFPLAN_BENCHMARKS_RANDOM_PROBLEM_H_

#include <cstdint>

#include "ir/problem.h"

namespace bufplan {

// Begins are uniform over 16 time steps a buffer; durations have a heavy tail (each doubling is about a third as
// likely, the mean is some 1,600 steps, at most a quarter of all time), sizes are log-uniform from 64 bytes to 4 MiB in
// steps of 64. About 100 pairs a buffer are alive at once: 10^8 for 10^6 buffers. Integers only, so that it is the same
// on every machine. COST: O(n).
Problem RandomProblem(int64_t num_buffers, uint64_t seed);

}  // namespace bufplan

#endif  // BUFPLAN_BENCHMARKS_RANDOM_PROBLEM_H_
