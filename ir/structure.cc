#include "ir/structure.h"

#include <bit>

#include "ir/expr.h"

namespace bufplan {
namespace {

// Digits of pi.
constexpr uint64_t kSecret[2] = {0x243f6a8885a308d3u, 0x13198a2e03707344u};

uint64_t FoldedMultiply(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Whether a compute result has at most as many bytes as the operand, where both numbers are known.
bool IsNoLonger(const Value& result, const Value& operand) {
  return result.bytes.is_constant() && operand.bytes.is_constant() && result.max_bytes <= operand.max_bytes;
}

// Handed on by value, so that it stays in registers.
struct Digest {
  uint64_t a = 0, b = 0;
};

Digest Mix(Digest d, uint64_t x, uint64_t y) {
  return {FoldedMultiply(d.a ^ x, kSecret[0] ^ y), FoldedMultiply(d.b ^ y, kSecret[1] ^ x)};
}

uint64_t Word(int64_t x) { return static_cast<uint64_t>(x); }
uint64_t Word(bool x) { return x ? 1 : 0; }
template <class Tag>
uint64_t Word(Id<Tag> id) {
  return static_cast<uint32_t>(id.value);
}

Digest Mix(Digest d, const Expr& e) {
  if (e.is_constant()) return Mix(d, Word(e.constant()), 0);
  d = Mix(d, e.terms().size(), 1);
  for (const ExprTerm& term : e.terms()) {
    d = Mix(d, Word(term.coefficient), term.factors.size());
    for (const ExprFactor& f : term.factors) {
      d = Mix(d, Word(f.symbol) << 32 | static_cast<uint32_t>(f.exponent), Word(f.atom != nullptr));
      if (f.atom != nullptr) d = Mix(Mix(Mix(d, static_cast<uint64_t>(f.atom->kind), 2), f.atom->left), f.atom->right);
    }
  }
  return d;
}

Digest Mix(Digest d, const Region& r) {
  d = Mix(Mix(Mix(d, r.dims.size(), 3), r.at), r.run_bytes);
  for (const Dim& dim : r.dims) d = Mix(Mix(d, dim.count), dim.stride_bytes);
  return d;
}

// The graph word by word, but for sizes of values and scratch that are constant. Every value and op has a digest of its
// own that begins with its index, and they are added up: a processor computes several at once. Lists inside come with
// their length and what is optional with a flag, so that no two graphs give the same words.
class Fingerprinter {
 public:
  explicit Fingerprinter(const Graph& graph) : g_(graph) {}

  void Add(Digest d) {
    sum_[0] += d.a;
    sum_[1] += d.b;
  }
  std::array<uint64_t, 2> sum() const { return sum_; }

  void AddRest() {
    Digest d = MixSpaces(MixCounts(Begin(kRest, 0)));
    for (const OrderEdge& e : g_.order()) d = Mix(d, Word(e.before), Word(e.after));
    for (const KeepAlive& k : g_.keep_alive()) d = Mix(d, Word(k.value), Word(k.until));
    for (const DisjointPair& p : g_.disjoint()) d = Mix(d, Word(p.a), Word(p.b));
    for (const Fusion& f : g_.fusions()) d = MixFusion(d, f);
    Add(d);
    for (ValueId v : g_.outputs()) Add(Mix(Begin(kOutput, v.index()), 0, 0));  // a set, listed as the author likes
  }

  Digest Of(size_t i, const Value& v) const {
    const bool constant = v.bytes.is_constant(), pinned = v.pinned_offset_bytes.has_value();
    Digest d = Begin(kValue, i);
    d = Mix(d,
            Word(v.space) << 32 | static_cast<uint64_t>(v.role) << 8 | Word(v.preserve) << 3 | Word(v.writable) << 2 |
                Word(pinned) << 1 | Word(constant),
            Word(v.alignment_bytes));
    if (pinned) d = Mix(d, Word(*v.pinned_offset_bytes), 0);
    return constant ? d : Mix(d, v.bytes);
  }

  Digest Of(size_t i, const Op& op) const {
    const bool constant = op.scratch_bytes.is_constant(), commit = op.commit_target.has_value();
    Digest d = Begin(kOp, i);
    d = Mix(d,
            Word(op.stream) << 32 | static_cast<uint64_t>(op.kind) << 16 | static_cast<uint64_t>(op.elide) << 8 |
                Word(commit) << 1 | Word(constant),
            static_cast<uint64_t>(op.num_reads) << 32 | op.num_writes);
    if (commit) d = Mix(d, Word(*op.commit_target), 0);
    if (!constant) d = Mix(d, op.scratch_bytes);
    for (const Read& r : g_.reads(op)) {
      const bool region = r.region.has_value(), to_region = r.to_region.has_value();
      d = Mix(d, Word(r.value) << 32 | Word(r.strides_ok) << 2 | Word(region) << 1 | Word(to_region),
              Word(r.offset_multiple));
      if (region) d = Mix(d, g_.region(*r.region));
      if (to_region) d = Mix(d, g_.region(*r.to_region));
    }
    for (const Write& w : g_.writes(op)) {
      const bool region = w.region.has_value(), base = w.base.has_value();
      d = Mix(d, Word(w.value) << 32 | (base ? Word(*w.base) : 0),
              static_cast<uint64_t>(w.num_in_place) << 32 | static_cast<uint64_t>(w.cover) << 3 | Word(w.movable) << 2 |
                  Word(base) << 1 | Word(region));
      if (region) d = Mix(d, g_.region(*w.region));
      for (const InPlace& p : g_.in_place(w)) d = MixInPlace(d, w.value, p.value, p.mode);
    }
    return d;
  }

 private:
  // What a digest is of.
  enum Kind : uint64_t { kValue, kOp, kOutput, kRest };

  // Spread over all bits, so that an index does not cancel a word that differs in a few.
  static Digest Begin(Kind kind, size_t i) {
    const uint64_t key = (i << 2 | kind) * 0x9e3779b97f4a7c15u;
    return {kSecret[1] ^ key, kSecret[0] + key};
  }

  Digest MixCounts(Digest d) const {
    d = Mix(d, g_.symbols().size(), g_.spaces().size());
    d = Mix(d, g_.values().size(), g_.ops().size());
    d = Mix(d, g_.order().size(), g_.keep_alive().size());
    d = Mix(d, g_.disjoint().size(), g_.fusions().size());
    return Mix(d, g_.outputs().size(), Word(int64_t{g_.num_streams()}));
  }

  Digest MixSpaces(Digest d) const {
    for (const Symbol& s : g_.symbols()) d = Mix(Mix(d, Word(s.min), Word(s.max)), Word(s.multiple_of), 0);
    for (const Space& s : g_.spaces()) {
      d = Mix(d, Word(s.alignment_bytes), s.unified_with.size());
      d = Mix(d, Word(s.capacity_bytes.value_or(0)), Word(s.capacity_bytes.has_value()));
      d = Mix(d, Word(s.max_allocation_bytes.value_or(0)), Word(s.max_allocation_bytes.has_value()));
      for (SpaceId other : s.unified_with) d = Mix(d, Word(other), 0);
    }
    return d;
  }

  Digest MixFusion(Digest d, const Fusion& f) const {
    d = Mix(d, static_cast<uint64_t>(f.ops.size()) << 32 | f.in_place.size(), Word(f.required));
    d = Mix(d, std::bit_cast<uint64_t>(f.benefit), 0);
    for (OpId o : f.ops) d = Mix(d, Word(o), 0);
    for (const FusionInPlace& p : f.in_place) d = MixInPlace(d, p.result, p.value, p.mode);
    return d;
  }

  Digest MixInPlace(Digest d, ValueId result, ValueId operand, InPlaceMode mode) const {
    return Mix(d, Word(result) << 32 | Word(operand),
               mode == InPlaceMode::kAny ? 2 : Word(IsNoLonger(g_.value(result), g_.value(operand))));
  }

  const Graph& g_;
  std::array<uint64_t, 2> sum_ = {};
};

// Values whose bytes are tied to other bytes, or to their place inside of others.
std::vector<bool> ExactSizes(const Graph& g) {
  std::vector<bool> exact(g.values().size());
  for (size_t i = 0; i < exact.size(); ++i) {
    const Value& v = g.values()[i];
    exact[i] = !v.bytes.is_constant() || v.role == Role::kVariable || v.writable;
  }
  const auto tie = [&](ValueId v) { exact[v.index()] = true; };
  // Which of two is longer is only known of constants.
  const auto tie_in_place = [&](ValueId result, ValueId operand) {
    if (g.value(result).bytes.is_constant() && g.value(operand).bytes.is_constant()) return;
    tie(result);
    tie(operand);
  };
  for (const Op& op : g.ops()) {
    const bool compute = op.kind == OpKind::kCompute;
    for (const Read& r : g.reads(op)) {
      if (!compute) tie(r.value);
    }
    for (const Write& w : g.writes(op)) {
      if (!compute || w.base.has_value()) tie(w.value);
      if (w.base.has_value()) tie(*w.base);
      for (const InPlace& p : g.in_place(w)) tie_in_place(w.value, p.value);
    }
    if (op.commit_target.has_value()) tie(*op.commit_target);
  }
  for (const Fusion& f : g.fusions()) {
    for (const FusionInPlace& p : f.in_place) tie_in_place(p.result, p.value);
  }
  return exact;
}

}  // namespace

Structure Structure::Of(const Graph& graph) {
  Structure s;
  s.known_ = true;
  s.exact_ = ExactSizes(graph);
  s.value_bytes_.reserve(graph.values().size());
  s.scratch_bytes_.reserve(graph.ops().size());
  Fingerprinter fingerprint(graph);
  for (size_t i = 0; i < graph.values().size(); ++i) {
    s.value_bytes_.push_back(graph.values()[i].max_bytes);
    fingerprint.Add(fingerprint.Of(i, graph.values()[i]));
  }
  for (size_t i = 0; i < graph.ops().size(); ++i) {
    s.scratch_bytes_.push_back(graph.ops()[i].max_scratch_bytes);
    fingerprint.Add(fingerprint.Of(i, graph.ops()[i]));
  }
  fingerprint.AddRest();
  s.fingerprint_ = fingerprint.sum();
  return s;
}

bool Structure::Admits(const Graph& graph) const {
  if (!known_ || graph.values().size() != value_bytes_.size() || graph.ops().size() != scratch_bytes_.size()) {
    return false;
  }
  Fingerprinter fingerprint(graph);
  for (size_t i = 0; i < value_bytes_.size(); ++i) {
    const Value& v = graph.values()[i];
    if (v.max_bytes > value_bytes_[i] || (v.max_bytes < value_bytes_[i] && exact_[i])) return false;
    fingerprint.Add(fingerprint.Of(i, v));
  }
  for (size_t i = 0; i < scratch_bytes_.size(); ++i) {
    const Op& op = graph.ops()[i];
    if (op.max_scratch_bytes > scratch_bytes_[i]) return false;
    fingerprint.Add(fingerprint.Of(i, op));
  }
  fingerprint.AddRest();
  return fingerprint.sum() == fingerprint_;
}

}  // namespace bufplan
