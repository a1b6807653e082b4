// The decoder of examples/decoder in double precision, written down once more: all positions at once, no caches.
#ifndef BUFPLAN_TESTS_EXAMPLES_DECODER_REFERENCE_H_
#define BUFPLAN_TESTS_EXAMPLES_DECODER_REFERENCE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "Eigen/Core"
#include "examples/decoder/decoder_graph.h"

namespace bufplan::decoder {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Logits of each position. `weights`: by name, as in DecoderGraph.
Matrix ReferenceLogits(const DecoderShape& shape, const std::map<std::string, Matrix>& weights,
                       const std::vector<int32_t>& tokens);

}  // namespace bufplan::decoder

#endif  // BUFPLAN_TESTS_EXAMPLES_DECODER_REFERENCE_H_
