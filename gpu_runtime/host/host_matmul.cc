#include "gpu_runtime/host/host_matmul.h"

#include <cstdint>

#include "Eigen/Core"

namespace bufplan::runtime {
namespace {

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using ConstView = Eigen::Map<const Rows<T>, 0, Eigen::OuterStride<>>;
using View = Eigen::Map<Rows<float>, 0, Eigen::OuterStride<>>;

template <class T>
void Multiply(const MatmulArgs& m) {
  for (int64_t n = 0; n < m.batches; ++n) {
    const ConstView<T> a(static_cast<const T*>(m.a) + n * m.a_batch_stride, m.rows, m.inner,
                         Eigen::OuterStride<>(m.a_stride));
    const ConstView<T> b(static_cast<const T*>(m.b) + n * m.b_batch_stride, m.columns, m.inner,
                         Eigen::OuterStride<>(m.b_stride));
    View c(m.c + n * m.c_batch_stride, m.rows, m.columns, Eigen::OuterStride<>(m.c_stride));
    if (m.beta == 0.0f) {
      c.setZero();
    } else if (m.beta != 1.0f) {
      c *= m.beta;
    }
    c.noalias() += a.template cast<float>() * b.template cast<float>().transpose();
  }
}

}  // namespace

void HostMatmul(const MatmulArgs& args) {
  switch (args.type) {
    case ElementType::kF32: return Multiply<float>(args);
    case ElementType::kF16: return Multiply<Eigen::half>(args);
    case ElementType::kBF16: return Multiply<Eigen::bfloat16>(args);
  }
}

}  // namespace bufplan::runtime
