// Seeded weights of a decoder, the same on every machine.
#ifndef BUFPLAN_EXAMPLES_DECODER_WEIGHTS_H_
#define BUFPLAN_EXAMPLES_DECODER_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "examples/decoder/decoder_graph.h"

namespace bufplan::decoder {

// All bytes of the weight. Uniform around 0 with the variance 1 / columns that keeps activations at their size; of
// norms, around 1. `number`: of the weight in its graph.
std::vector<std::byte> WeightBytes(const Weight& weight, uint64_t seed, size_t number);

}  // namespace bufplan::decoder

#endif  // BUFPLAN_EXAMPLES_DECODER_WEIGHTS_H_
