#include "tests/examples/decoder_reference.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/str_cat.h"

namespace bufplan::decoder {
namespace {

class Reference {
 public:
  Reference(const DecoderShape& shape, const std::map<std::string, Matrix>& weights) : d_(shape), weights_(weights) {}

  Matrix Logits(const std::vector<int32_t>& tokens) const {
    Matrix x(tokens.size(), d_.hidden);
    for (size_t t = 0; t < tokens.size(); ++t) x.row(static_cast<Eigen::Index>(t)) = W("embedding").row(tokens[t]);
    for (int i = 0; i < d_.layers; ++i) {
      const std::string name = absl::StrCat("l", i, ".");
      x += Attention(name, Norm(name + "attention.norm", x));
      const Matrix normed = Norm(name + "block.norm", x);
      x += d_.experts == 0 ? Block(normed, W(name + "gate"), W(name + "up"), W(name + "down")) : Experts(name, normed);
    }
    return Norm("norm", x) * W("head").transpose();
  }

 private:
  const Matrix& W(const std::string& name) const { return weights_.at(name); }

  Matrix Norm(const std::string& name, const Matrix& x) const {
    Matrix y = x;
    for (Eigen::Index r = 0; r < x.rows(); ++r) {
      const double mean = x.row(r).squaredNorm() / static_cast<double>(x.cols());
      y.row(r) = (x.row(r) / std::sqrt(mean + d_.epsilon)).cwiseProduct(W(name).row(0));
    }
    return y;
  }

  // Row t turned by position t, head by head.
  void Turn(Matrix& x) const {
    for (Eigen::Index t = 0; t < x.rows(); ++t) {
      for (Eigen::Index head = 0; head < x.cols() / d_.head_dim; ++head) {
        for (Eigen::Index p = 0; p < d_.head_dim / 2; ++p) {
          const double angle =
              static_cast<double>(t) * std::pow(static_cast<double>(d_.rope_base),
                                                -2.0 * static_cast<double>(p) / static_cast<double>(d_.head_dim));
          double& a = x(t, head * d_.head_dim + p);
          double& b = x(t, head * d_.head_dim + p + d_.head_dim / 2);
          const double turned = a * std::cos(angle) - b * std::sin(angle);
          b = a * std::sin(angle) + b * std::cos(angle);
          a = turned;
        }
      }
    }
  }

  Matrix Attention(const std::string& name, const Matrix& x) const {
    Matrix q = x * W(name + "q").transpose(), k = x * W(name + "k").transpose();
    const Matrix v = x * W(name + "v").transpose();
    Turn(q), Turn(k);
    Matrix y(x.rows(), d_.heads * d_.head_dim);
    for (Eigen::Index h = 0; h < d_.heads; ++h) {
      const Eigen::Index group = h * d_.kv_heads / d_.heads, dim = d_.head_dim;
      Matrix scores =
          q.middleCols(h * dim, dim) * k.middleCols(group * dim, dim).transpose() / std::sqrt(static_cast<double>(dim));
      for (Eigen::Index t = 0; t < x.rows(); ++t) {
        scores.row(t).tail(x.rows() - 1 - t).setConstant(-1e300);
        const double max = scores.row(t).maxCoeff();
        scores.row(t) = (scores.row(t).array() - max).exp();
        scores.row(t) /= scores.row(t).sum();
      }
      y.middleCols(h * dim, dim) = scores * v.middleCols(group * dim, dim);
    }
    return y * W(name + "o").transpose();
  }

  static Matrix Block(const Matrix& x, const Matrix& gate, const Matrix& up, const Matrix& down) {
    const Matrix g = x * gate.transpose();
    const Matrix silu = g.array() / (1 + (-g.array()).exp());
    return silu.cwiseProduct(x * up.transpose()) * down.transpose();
  }

  Matrix Experts(const std::string& name, const Matrix& x) const {
    Matrix y = Matrix::Zero(x.rows(), x.cols());
    for (Eigen::Index t = 0; t < x.rows(); ++t) {
      Eigen::VectorXd odds = (W(name + "router") * x.row(t).transpose()).array().exp();
      std::vector<Eigen::Index> order(static_cast<size_t>(d_.experts));
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) { return odds[a] > odds[b]; });
      order.resize(static_cast<size_t>(d_.experts_used));
      double sum = 0;
      for (Eigen::Index e : order) sum += odds[e];
      for (Eigen::Index e : order) {
        const auto part = [&](const char* weight, int64_t rows) -> Matrix {
          return W(name + weight).middleRows(e * rows, rows);
        };
        y.row(t) +=
            odds[e] / sum * Block(x.row(t), part("gate", d_.inner), part("up", d_.inner), part("down", d_.hidden));
      }
    }
    return y;
  }

  const DecoderShape& d_;
  const std::map<std::string, Matrix>& weights_;
};

}  // namespace

Matrix ReferenceLogits(const DecoderShape& shape, const std::map<std::string, Matrix>& weights,
                       const std::vector<int32_t>& tokens) {
  return Reference(shape, weights).Logits(tokens);
}

}  // namespace bufplan::decoder
