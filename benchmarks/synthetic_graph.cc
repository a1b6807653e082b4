#include "benchmarks/synthetic_graph.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph_builder.h"

namespace bufplan {
namespace {

constexpr int64_t kRow = 4096 * 4;
constexpr int64_t kHidden = 11008 * 4;
constexpr int64_t kCache = int64_t{4096} * 8192;

Graph BuildOrDie(GraphBuilder b) {
  absl::StatusOr<Graph> graph = std::move(b).Build();
  if (!graph.ok()) {
    std::fprintf(stderr, "%s\n", graph.status().ToString().c_str());
    std::abort();
  }
  return *std::move(graph);
}

class Decoder {
 public:
  explicit Decoder(int num_streams) : b_("decoder") {
    b_.AddSpace("device", Space{.alignment_bytes = 128});
    for (int i = 0; i < num_streams; ++i)
      streams_.push_back(b_.AddStream(i == 0 ? "main" : "side" + std::to_string(i)));
  }

  Graph Build(int64_t num_ops) {
    ValueId x = b_.Input("", kRow);
    while (static_cast<int64_t>(b_.last_op().index()) + 1 < num_ops) x = Layer(x);
    b_.Output(x);
    return BuildOrDie(std::move(b_));
  }

 private:
  ValueId Op(std::vector<Operand> reads, int64_t bytes, std::vector<InPlaceOf> in_place = {}, size_t stream = 0) {
    return b_.Compute("", {.reads = std::move(reads),
                           .writes = {{.bytes = bytes, .in_place = std::move(in_place)}},
                           .options = {.stream = streams_[stream % streams_.size()]}});
  }
  ValueId Weight(int64_t bytes) { return b_.Constant("", bytes); }

  ValueId Layer(ValueId x) {
    const ValueId norm = Op({x, Weight(kRow)}, kRow);
    const ValueId q = Op({norm, Weight(kRow * 4096)}, kRow, {}, 0);
    const ValueId k = Op({norm, Weight(kRow * 4096)}, kRow, {}, 1);
    const ValueId v = Op({norm, Weight(kRow * 4096)}, kRow, {}, 2);
    const ValueId q_rope = Op({q}, kRow, {q}, 0);
    const ValueId k_rope = Op({k}, kRow, {k}, 1);
    const ValueId cache = b_.Variable("", kCache);
    const Results written =
        b_.Compute("", {.reads = {k_rope, v},
                        .writes = {{.bytes = kCache, .base = cache, .region = Region{kRow * 17, kRow, {}}}},
                        .options = {.stream = streams_[0]}});
    const ValueId seen = b_.View("", written, 0, kRow * 18);
    const ValueId scores = Op({q_rope, seen}, 32 * 1024 * 4);
    const ValueId soft = Op({scores}, 32 * 1024 * 4, {scores});
    const ValueId attended = Op({soft, seen}, kRow);
    const ValueId projected = Op({attended, Weight(kRow * 4096)}, kRow);
    const ValueId residual = Op({projected, x}, kRow, {projected, x});
    b_.Commit("", written, cache);
    const ValueId up = Op({residual, Weight(kRow * 11008)}, kHidden);
    const ValueId gate = Op({up, residual}, kHidden, {up});
    return Op({gate, residual}, kRow, {residual});
  }

  GraphBuilder b_;
  std::vector<StreamId> streams_;
};

}  // namespace

Graph DecoderGraph(int64_t num_ops, int num_streams) { return Decoder(num_streams).Build(num_ops); }

Graph StreamsGraph(int64_t num_ops, int num_streams, int sync_every) {
  GraphBuilder b("streams");
  b.AddSpace("device", Space{.alignment_bytes = 128});
  std::mt19937 random(7);  // its sequence is the same everywhere
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<uint32_t>(n)); };
  std::vector<StreamId> streams;
  std::vector<std::vector<ValueId>> made(static_cast<size_t>(num_streams));
  for (int s = 0; s < num_streams; ++s) streams.push_back(b.AddStream("s" + std::to_string(s)));
  for (int64_t i = 0; i < num_ops; ++i) {
    const size_t s = static_cast<size_t>(below(num_streams));
    std::vector<ValueId>& own = made[s];
    std::vector<Operand> reads;
    if (!own.empty()) reads.push_back(own.back());
    if (own.size() > 8 && below(4) == 0) reads.push_back(own[own.size() - 2 - static_cast<size_t>(below(6))]);
    const std::vector<ValueId>& other = made[static_cast<size_t>(below(num_streams))];
    if (!other.empty() && below(sync_every) == 0) reads.push_back(other.back());
    std::sort(reads.begin(), reads.end(), [](const Operand& x, const Operand& y) { return x.value < y.value; });
    reads.erase(
        std::unique(reads.begin(), reads.end(), [](const Operand& x, const Operand& y) { return x.value == y.value; }),
        reads.end());
    const int64_t bytes = int64_t{128} * (1 + below(1 << below(12)));
    own.push_back(
        b.Compute("", {.reads = std::move(reads), .writes = {{.bytes = bytes}}, .options = {.stream = streams[s]}}));
  }
  return BuildOrDie(std::move(b));
}

Graph ConcatReadersGraph(int64_t num_parts) {
  constexpr int64_t kPart = 64;
  GraphBuilder b("concat_readers");
  std::vector<ValueId> parts;
  for (int64_t i = 0; i < num_parts; ++i) parts.push_back(b.Compute("", {.writes = {{.bytes = kPart}}}));
  const ValueId all = b.Concat("", parts);
  const Region most{0, kPart * num_parts - 8, {}};
  for (int64_t i = 0; i < num_parts; ++i) {
    b.Compute("", {.reads = {Operand(all, most)}, .writes = {{.bytes = 8}}});
  }
  for (ValueId part : parts) b.Compute("", {.reads = {part}, .writes = {{.bytes = 8}}});
  return BuildOrDie(std::move(b));
}

}  // namespace bufplan
