#include "tests/gpu_runtime/execute/plain_mix.h"

#include "gpu_runtime/kernels/mix.h"
#include "gpu_runtime/steps/program.h"

namespace bufplan::runtime {
namespace {

class Mixer {
 public:
  Mixer(const Graph& graph, const ConcreteGraph& concrete, uint64_t seed, std::optional<int64_t> sample_bytes)
      : graph_(graph), concrete_(concrete), seed_(seed), sample_bytes_(sample_bytes), out_(graph.values().size()) {}

  PlainContents Run() {
    for (size_t v = 0; v < out_.size(); ++v) {
      const ValueId id(static_cast<int32_t>(v));
      out_[v].resize(static_cast<size_t>(concrete_.bytes[v]));
      if (graph_.value(id).role == Role::kTransient) continue;
      for (size_t b = 0; b < out_[v].size(); ++b) {
        if (InSample(b, out_[v].size())) out_[v][b] = ByteOf(SeedOfValue(graph_, id, seed_), b);
      }
    }
    for (size_t o = 0; o < graph_.ops().size(); ++o) Visit(OpId(static_cast<int32_t>(o)));
    return std::move(out_);
  }

 private:
  bool InSample(size_t index, size_t count) const {
    if (!sample_bytes_.has_value()) return true;
    const size_t n = static_cast<size_t>(*sample_bytes_);
    return index < n || index + n >= count;
  }
  static uint8_t ByteOf(uint64_t seed, size_t index) {
    return static_cast<uint8_t>(MixedByte(seed, static_cast<int64_t>(index)));
  }

  uint64_t Hash(ValueId v, const std::vector<int64_t>& bytes) const {
    uint64_t sum = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      const std::optional<uint8_t> byte = out_[v.index()][static_cast<size_t>(bytes[i])];
      if (!byte.has_value()) continue;
      const uint64_t key = HashKey(static_cast<int64_t>(i / 8));
      sum += (static_cast<uint64_t>(*byte) << (8 * (i % 8))) * key;
      sum += (static_cast<uint64_t>(*byte) << (8 * (7 - i % 8))) * SecondHashKey(key);
    }
    return sum;
  }

  void Visit(OpId id) {
    const ConcreteOp& op = concrete_.ops[id.index()];
    std::vector<uint64_t> hashes;
    for (const ConcreteRead& r : op.reads) hashes.push_back(Hash(r.value, r.from));
    for (const ConcreteWrite& w : op.writes) {
      const bool part = w.base.has_value() && w.cover == Cover::kPart;
      hashes.push_back(part ? Hash(*w.base, w.bytes) : 0);
    }
    for (size_t w = 0; w < op.writes.size(); ++w) {
      const ConcreteWrite& write = op.writes[w];
      std::vector<std::optional<uint8_t>>& result = out_[write.value.index()];
      if (write.base.has_value()) result = out_[write.base->index()];
      if (op.kind == OpKind::kCompute || op.kind == OpKind::kFill) {
        const uint64_t own = MixTwo(SeedOfOp(graph_, id, seed_), w);
        uint64_t all = own;
        for (uint64_t h : hashes) all = op.kind == OpKind::kFill ? all : MixTwo(all, h);
        Write(write, own, all, result);
        continue;
      }
      for (const ConcreteRead& r : op.reads) {
        const std::vector<std::optional<uint8_t>> from = out_[r.value.index()];
        for (size_t i = 0; i < r.from.size(); ++i) {
          result[static_cast<size_t>(r.to[i])] = from[static_cast<size_t>(r.from[i])];
        }
      }
    }
  }

  void Write(const ConcreteWrite& write, uint64_t own, uint64_t all, std::vector<std::optional<uint8_t>>& result) {
    for (size_t i = 0; i < write.bytes.size(); ++i) {
      std::optional<uint8_t>& byte = result[static_cast<size_t>(write.bytes[i])];
      const bool part = write.base.has_value() && write.cover == Cover::kPart;
      if (!InSample(i, write.bytes.size())) {
        if (!part) byte = std::nullopt;
        continue;
      }
      if (part && byte.has_value() && KeepsOldByte(own, static_cast<int64_t>(i))) continue;
      byte = ByteOf(all, i);
    }
  }

  const Graph& graph_;
  const ConcreteGraph& concrete_;
  uint64_t seed_;
  std::optional<int64_t> sample_bytes_;
  PlainContents out_;
};

}  // namespace

PlainContents MixPlainly(const Graph& graph, const ConcreteGraph& concrete, uint64_t seed,
                         std::optional<int64_t> sample_bytes) {
  return Mixer(graph, concrete, seed, sample_bytes).Run();
}

}  // namespace bufplan::runtime
