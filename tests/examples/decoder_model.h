// Weights at random.
#ifndef BUFPLAN_TESTS_EXAMPLES_DECODER_MODEL_H_
#define BUFPLAN_TESTS_EXAMPLES_DECODER_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "examples/decoder/decoder_graph.h"
#include "tests/examples/decoder_reference.h"

namespace bufplan::decoder {

// By name: as the kernels read them, and as numbers.
struct Model {
  std::map<std::string, std::vector<std::byte>> bytes;
  std::map<std::string, Matrix> matrices;
};

// The same for the same seed.
Model RandomModel(const DecoderGraph& decoder, uint64_t seed);

}  // namespace bufplan::decoder

#endif  // BUFPLAN_TESTS_EXAMPLES_DECODER_MODEL_H_
