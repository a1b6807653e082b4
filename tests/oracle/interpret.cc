#include "tests/oracle/interpret.h"

#include <utility>

#include "tests/oracle/random.h"

namespace bufplan {
namespace {

// Everything a compute op may depend on, as one word.
Word HashOfReads(const ConcreteOp& op, const Contents& contents) {
  Word hash = 0;
  const auto add = [&](size_t slot, ValueId value, const std::vector<int64_t>& bytes) {
    for (size_t i = 0; i < bytes.size(); ++i) {
      const size_t b = static_cast<size_t>(bytes[i]);
      if (contents.defined[value.index()][b]) hash = HashWords(hash, slot, i, contents.words[value.index()][b]);
    }
  };
  for (size_t r = 0; r < op.reads.size(); ++r) add(r, op.reads[r].value, op.reads[r].from);
  for (size_t w = 0; w < op.writes.size(); ++w) {
    const ConcreteWrite& write = op.writes[w];
    if (write.base.has_value() && write.cover == Cover::kPart) add(op.reads.size() + w, *write.base, write.bytes);
  }
  return hash;
}

void Move(const ConcreteRead& read, ValueId to, Contents& contents) {
  for (size_t i = 0; i < read.from.size(); ++i) {
    const size_t from = static_cast<size_t>(read.from[i]), at = static_cast<size_t>(read.to[i]);
    contents.words[to.index()][at] = contents.words[read.value.index()][from];
    contents.defined[to.index()][at] = contents.defined[read.value.index()][from];
  }
}

void Overwrite(const ConcreteOp& op, size_t w, Word hash, Contents& contents) {
  const ConcreteWrite& write = op.writes[w];
  for (size_t i = 0; i < write.bytes.size(); ++i) {
    const size_t b = static_cast<size_t>(write.bytes[i]);
    const Word fresh = HashWords(hash, w, i);
    const bool keep =
        write.cover == Cover::kPart && contents.defined[write.value.index()][b] && MixBits(b + w) % 2 == 0;
    if (!keep) contents.words[write.value.index()][b] = fresh;
    contents.defined[write.value.index()][b] = true;
  }
}

}  // namespace

void InterpretOp(const ConcreteGraph& graph, OpId id, uint64_t seed, Contents& contents) {
  const ConcreteOp& op = graph.ops[id.index()];
  const Word hash = HashWords(seed, id.index(), HashOfReads(op, contents));
  for (size_t w = 0; w < op.writes.size(); ++w) {
    const ConcreteWrite& write = op.writes[w];
    const size_t size = static_cast<size_t>(graph.bytes[write.value.index()]);
    if (write.base.has_value()) {
      contents.words[write.value.index()] = contents.words[write.base->index()];
      contents.defined[write.value.index()] = contents.defined[write.base->index()];
    } else {
      contents.words[write.value.index()].assign(size, 0);
      contents.defined[write.value.index()].assign(size, false);
    }
    if (op.kind == OpKind::kCompute || op.kind == OpKind::kFill) {
      Overwrite(op, w, hash, contents);
    } else {
      for (const ConcreteRead& r : op.reads) Move(r, write.value, contents);
    }
  }
}

absl::StatusOr<Reference> RunReference(const Graph& graph, absl::Span<const int64_t> symbol_values, uint64_t seed) {
  absl::StatusOr<ConcreteGraph> concrete = MakeConcrete(graph, symbol_values);
  if (!concrete.ok()) return concrete.status();
  Reference out{.concrete = *std::move(concrete), .seed = seed};
  const size_t n = graph.values().size();
  out.contents.words.resize(n);
  out.contents.defined.resize(n);
  for (size_t v = 0; v < n; ++v) {
    if (graph.values()[v].role == Role::kTransient) continue;
    for (int64_t b = 0; b < out.concrete.bytes[v]; ++b) {
      out.contents.words[v].push_back(HashWords(seed, 1, v, static_cast<uint64_t>(b)));
    }
    out.contents.defined[v].assign(out.contents.words[v].size(), true);
  }
  for (size_t o = 0; o < graph.ops().size(); ++o) {
    InterpretOp(out.concrete, OpId(static_cast<int32_t>(o)), seed, out.contents);
  }
  return out;
}

}  // namespace bufplan
