#include "tests/examples/decoder_model.h"

#include <cmath>
#include <utility>

#include "gpu_runtime/kernels/half.h"
#include "tests/oracle/random.h"

namespace bufplan::decoder {

Model RandomModel(const DecoderGraph& decoder, uint64_t seed) {
  Model model;
  Rng rng(seed);
  for (const Weight& w : decoder.weights) {
    std::vector<std::byte> bytes(static_cast<size_t>(w.rows * w.columns * runtime::SizeOf(w.type)));
    Matrix m(w.rows, w.columns);
    const double scale = 1.5 / std::sqrt(static_cast<double>(w.columns));
    for (int64_t i = 0; i < w.rows * w.columns; ++i) {
      const double unit = static_cast<double>(rng.Between(-1000, 1000)) / 1000;
      StoreElement(w.type, bytes.data(), i, static_cast<float>(w.rows == 1 ? 1 + unit / 4 : unit * scale));
      m(i / w.columns, i % w.columns) = LoadElement(w.type, bytes.data(), i);
    }
    model.bytes[w.name] = std::move(bytes);
    model.matrices[w.name] = std::move(m);
  }
  return model;
}

}  // namespace bufplan::decoder
