#include "tests/ir/naive_checker.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace bufplan {
namespace {

// A byte of memory: is it caller-owned, whose, which chunk, which address.
using Byte = std::tuple<bool, int, int, int64_t>;
// Which value made it, and which byte of that; {-1, 0}: undefined; {-2 - op, 0}: scratch.
using Origin = std::pair<int, int64_t>;
constexpr Origin kUndefined = {-1, 0};

struct ByteRead {
  Byte at;
  Origin wants;
  ValueId value;
  bool part = false;     // of a base, for cover=part
  bool carried = false;  // of a base, to `result`
  ValueId result = {};
};
struct ByteWrite {
  Byte at;
  Origin origin;
  ValueId value;
  bool carried = false;
  const Write* write = nullptr;  // of a compute op
};
struct OpBytes {
  std::vector<ByteRead> reads;
  std::vector<ByteWrite> writes;
  std::set<Byte> scratch;
};

class Naive {
 public:
  Naive(const Graph& g, Plan& plan) : g_(g), plan_(plan), n_(static_cast<int>(g.ops().size())) {}

  bool Check() {
    for (size_t v = 0; v < g_.values().size(); ++v) {
      std::vector<Origin> all;
      for (int64_t i = 0; i < g_.values()[v].max_bytes; ++i) all.emplace_back(static_cast<int>(v), i);
      content_.push_back(all);
    }
    Close();
    for (int o = 0; o < n_; ++o) Gather(o);
    return HasBytes() && OwnOperands() && Writes() && AllReads() && KeepAlives() && End();
  }

 private:
  bool Nowhere(ValueId v) const { return plan_.location(v).kind == Location::Kind::kNone; }
  bool Strided(ValueId v) const { return plan_.location(v).strides != nullptr; }
  Byte At(ValueId v, int64_t i) const {
    if (Nowhere(v)) return {true, -1, v.value, i};  // a byte that is nobody else's
    const Location& l = plan_.location(v);
    int64_t offset = l.offset_bytes.constant() + i;
    if (Strided(v)) {
      const int64_t run = l.strides->run_bytes.constant();
      offset += i % run - i;
      i /= run;
      for (auto d = l.strides->dims.rbegin(); d != l.strides->dims.rend(); ++d) {
        offset += i % d->count.constant() * d->stride_bytes.constant();
        i /= d->count.constant();
      }
    }
    return {l.kind == Location::Kind::kCaller, l.memory, l.chunk, offset};
  }
  // Both begin at one byte and go on without gaps.
  bool SamePlace(ValueId a, ValueId b) const {
    return !Nowhere(a) && !Nowhere(b) && InOneRun(a) && InOneRun(b) && At(a, 0) == At(b, 0);
  }
  bool InOneRun(ValueId v) const {
    for (int64_t i = 1; i < g_.value(v).max_bytes; ++i) {
      if (std::get<3>(At(v, i)) != std::get<3>(At(v, i - 1)) + 1) return false;
    }
    return true;
  }
  bool Elided(int o) const {
    return std::any_of(plan_.notes.begin(), plan_.notes.end(),
                       [&](const Note& n) { return n.op == OpId(o) && n.action == Action::kElided; });
  }

  // Nothing that executes, nor the end, touches a value that has no bytes.
  bool HasBytes() const {
    for (const OpBytes& op : ops_) {
      for (const ByteRead& r : op.reads) {
        if (Nowhere(r.value)) return false;
      }
      for (const ByteWrite& w : op.writes) {
        if (Nowhere(w.value)) return false;
      }
    }
    const auto empty = [&](ValueId v) { return g_.value(v).max_bytes == 0; };
    return std::none_of(g_.outputs().begin(), g_.outputs().end(), [&](ValueId v) { return Nowhere(v) && !empty(v); }) &&
           std::none_of(g_.keep_alive().begin(), g_.keep_alive().end(),
                        [&](const KeepAlive& k) { return Nowhere(k.value) && !empty(k.value); });
  }
  // The bytes of v that the region has, in its order.
  std::vector<int64_t> Indices(const std::optional<RegionId>& r, ValueId v) const {
    std::vector<int64_t> all = {0};
    int64_t run = g_.value(v).max_bytes;
    if (r.has_value()) {
      const Region& region = g_.region(*r);
      all[0] = region.at.constant();
      run = region.run_bytes.constant();
      for (const Dim& d : region.dims) {
        std::vector<int64_t> next;
        for (int64_t at : all) {
          for (int64_t i = 0; i < d.count.constant(); ++i) next.push_back(at + i * d.stride_bytes.constant());
        }
        all = next;
      }
    }
    std::vector<int64_t> indices;
    for (int64_t at : all) {
      for (int64_t i = 0; i < run; ++i) indices.push_back(at + i);
    }
    return indices;
  }

  void Close() {
    before_.assign(static_cast<size_t>(n_), std::vector<bool>(static_cast<size_t>(n_), false));
    const auto edge = [&](OpId a, OpId b) { before_[a.index()][b.index()] = true; };
    for (int i = 0; i < n_; ++i) {
      const Op& op = g_.ops()[static_cast<size_t>(i)];
      for (int j = 0; j < i; ++j) {
        if (g_.ops()[static_cast<size_t>(j)].stream == op.stream) edge(OpId(j), OpId(i));
      }
      for (const Read& r : g_.reads(op)) {
        if (g_.producer(r.value).has_value()) edge(*g_.producer(r.value), OpId(i));
      }
      for (const Write& w : g_.writes(op)) {
        if (w.base.has_value() && g_.producer(*w.base).has_value()) edge(*g_.producer(*w.base), OpId(i));
      }
    }
    for (const OrderEdge& e : g_.order()) edge(e.before, e.after);
    for (const AddedEdge& e : plan_.added_order) edge(e.before, e.after);
    for (int k = 0; k < n_; ++k) {
      for (int i = 0; i < n_; ++i) {
        for (int j = 0; j < n_ && before_[i][k]; ++j) {
          if (before_[k][j]) before_[i][j] = true;
        }
      }
    }
  }
  // -1: the start.
  bool Before(int a, int b) const { return a != b && (a < 0 || (b >= 0 && before_[a][b])); }

  void Gather(int o) {
    const Op& op = g_.ops()[static_cast<size_t>(o)];
    OpBytes& bytes = ops_.emplace_back();
    if (op.kind == OpKind::kView) {
      const Read& r = g_.reads(op)[0];
      std::vector<Origin> viewed;
      for (int64_t i : Indices(r.region, r.value)) viewed.push_back(content_[r.value.index()][static_cast<size_t>(i)]);
      Set(g_.writes(op)[0].value, viewed);
    } else if (op.kind == OpKind::kCompute || op.kind == OpKind::kFill) {
      GatherCompute(op, bytes);
      AddScratch(o, bytes);
    } else {
      GatherMovement(op, Elided(o), bytes);
      if (!bytes.writes.empty()) AddScratch(o, bytes);
    }
  }
  void Set(ValueId v, std::vector<Origin> content) { content_[v.index()] = std::move(content); }

  void AddScratch(int o, OpBytes& bytes) {
    for (const ScratchPlace& p : plan_.scratch) {
      if (p.op != OpId(o)) continue;
      for (int64_t i = 0; i < g_.op(p.op).max_scratch_bytes; ++i) {
        bytes.scratch.insert({false, p.location.memory, p.location.chunk, p.location.offset_bytes.constant() + i});
      }
    }
  }

  void GatherCompute(const Op& op, OpBytes& bytes) {
    for (const Read& r : g_.reads(op)) {
      for (int64_t i : Indices(r.region, r.value)) {
        bytes.reads.push_back({At(r.value, i), content_[r.value.index()][static_cast<size_t>(i)], r.value});
      }
    }
    bool carries = false;
    for (const Write& w : g_.writes(op)) {
      const std::vector<int64_t> list = Indices(w.region, w.value);
      const std::set<int64_t> region(list.begin(), list.end());
      for (int64_t i = 0; i < g_.value(w.value).max_bytes; ++i) {
        const bool overwritten = region.contains(i);
        const Origin own = {w.value.value, i};
        const Origin old = w.base.has_value() ? content_[w.base->index()][static_cast<size_t>(i)] : kUndefined;
        if (w.base.has_value()) {
          const bool part = w.cover == Cover::kPart;
          if (!SamePlace(w.value, *w.base) && (part || !overwritten)) {
            carries = true;
            ++plan_.stats.bytes_copied;
            bytes.reads.push_back({At(*w.base, i), old, *w.base, false, true, w.value});
            bytes.writes.push_back({At(w.value, i), old, w.value, true});
          } else if (part && overwritten) {
            bytes.reads.push_back({At(*w.base, i), old, *w.base, true});
          }
        }
        if (overwritten) bytes.writes.push_back({At(w.value, i), own, w.value, false, &w});
        content_[w.value.index()][static_cast<size_t>(i)] = overwritten ? own : old;
      }
      partly_on_base_ = partly_on_base_ || PartlyOnBase(w);
    }
    if (carries) ++plan_.stats.copies_kept;
  }

  // A base and its result that overlap without being at one place, where bytes are carried.
  bool PartlyOnBase(const Write& w) const {
    if (!w.base.has_value() || SamePlace(w.value, *w.base)) return false;
    const bool all = static_cast<int64_t>(Indices(w.region, w.value).size()) == g_.value(w.value).max_bytes;
    return (w.cover == Cover::kPart || !all) && Overlap(w.value, *w.base);
  }
  bool Overlap(ValueId a, ValueId b) const {
    std::set<Byte> bytes;
    for (int64_t i = 0; i < g_.value(a).max_bytes; ++i) bytes.insert(At(a, i));
    for (int64_t i = 0; i < g_.value(b).max_bytes; ++i) {
      if (bytes.contains(At(b, i))) return true;
    }
    return false;
  }

  void GatherMovement(const Op& op, bool elided, OpBytes& bytes) {
    const ValueId to = op.commit_target.has_value() ? *op.commit_target : g_.writes(op)[0].value;
    std::optional<ValueId> base;
    if (!op.commit_target.has_value()) base = g_.writes(op)[0].base;
    const size_t size = static_cast<size_t>(g_.value(to).max_bytes);
    std::vector<Origin> result(size, kUndefined);
    if (base.has_value()) result = content_[base->index()];
    std::vector<bool> covered(size, false);
    for (const Read& r : g_.reads(op)) {
      const std::vector<int64_t> from = Indices(r.region, r.value), into = Indices(r.to_region, to);
      bool executes = false;
      for (size_t i = 0; i < from.size() && !elided; ++i) {
        executes = executes || At(r.value, from[i]) != At(to, into[i]);
      }
      for (size_t i = 0; i < from.size(); ++i) {
        const Origin origin = content_[r.value.index()][static_cast<size_t>(from[i])];
        result[static_cast<size_t>(into[i])] = origin;
        covered[static_cast<size_t>(into[i])] = true;
        if (!executes) continue;
        ++plan_.stats.bytes_copied;
        bytes.reads.push_back({At(r.value, from[i]), origin, r.value});
        bytes.writes.push_back({At(to, into[i]), origin, to});
      }
    }
    if (base.has_value() && !SamePlace(to, *base) && !elided) {
      bool carries = false;
      for (size_t i = 0; i < size; ++i) {
        if (covered[i]) continue;
        carries = true;
        ++plan_.stats.bytes_copied;
        const int64_t at = static_cast<int64_t>(i);
        bytes.reads.push_back({At(*base, at), result[i], *base, false, true, to});
        bytes.writes.push_back({At(to, at), result[i], to, true});
      }
      partly_on_base_ = partly_on_base_ || (carries && Overlap(to, *base));
    }
    ++(bytes.writes.empty() ? plan_.stats.copies_elided : plan_.stats.copies_kept);
    if (op.commit_target.has_value()) {
      final_[to.value] = result;
    } else {
      Set(to, result);
    }
  }

  bool Permits(const ByteRead& r, const ByteWrite& w) const {
    if (w.carried) return false;
    if (r.part) return SamePlace(r.value, w.value);
    if (w.write == nullptr) return false;
    if (r.carried && r.result == w.value) return false;
    for (const InPlace& p : g_.in_place(*w.write)) {
      if (p.value != r.value) continue;
      const bool same = SamePlace(r.value, w.value) && g_.value(w.value).max_bytes <= g_.value(r.value).max_bytes;
      if (p.mode == InPlaceMode::kAny || same) return true;
    }
    return false;
  }

  bool OwnOperands() const {
    if (partly_on_base_) return false;
    for (const OpBytes& op : ops_) {
      std::multimap<Byte, const ByteWrite*> writes;
      for (const ByteWrite& w : op.writes) {
        if (op.scratch.contains(w.at)) return false;
        for (auto [x, end] = writes.equal_range(w.at); x != end; ++x) {
          if (x->second->value != w.value) return false;
        }
        writes.emplace(w.at, &w);
      }
      for (const ByteRead& r : op.reads) {
        for (auto [w, end] = writes.equal_range(r.at); w != end; ++w) {
          if (!Permits(r, *w->second)) return false;
        }
      }
      for (const ByteRead& r : op.reads) {
        if (op.scratch.contains(r.at)) return false;
      }
    }
    return true;
  }

  // Collects who writes what, with the start; checks rule 5, read-only storage and lineage.
  bool Writes() {
    for (size_t i = 0; i < g_.values().size(); ++i) {
      if (g_.values()[i].role == Role::kTransient) continue;
      const ValueId v(static_cast<int32_t>(i));
      for (int64_t k = 0; k < g_.value(v).max_bytes; ++k) {
        if (writes_.contains(At(v, k))) return false;  // two inputs
        writes_[At(v, k)].push_back({-1, {v.value, k}});
      }
    }
    for (int o = 0; o < n_; ++o) {
      std::map<Byte, Origin> last;  // carried bytes first, then the op's own
      for (const ByteWrite& w : ops_[static_cast<size_t>(o)].writes) {
        if (!Allowed(w, g_.ops()[static_cast<size_t>(o)].kind)) return false;
        const auto [it, fresh] = last.emplace(w.at, w.origin);
        if (!fresh && !w.carried) it->second = w.origin;
      }
      for (const Byte& b : ops_[static_cast<size_t>(o)].scratch) last[b] = {-2 - o, 0};
      for (const auto& [byte, origin] : last) writes_[byte].push_back({o, origin});
    }
    for (const auto& [byte, writes] : writes_) {
      for (const auto& [a, x] : writes) {
        for (const auto& [b, y] : writes) {
          if (a != b && !Before(a, b) && !Before(b, a)) return false;
        }
      }
    }
    return true;
  }

  bool Allowed(const ByteWrite& w, OpKind kind) const {
    const auto& [owned, memory, chunk, address] = w.at;
    if (!owned) return true;
    const Value& owner = g_.value(ValueId(memory));
    if (owner.role == Role::kExternal && owner.writable) return true;
    if (owner.role != Role::kVariable) return false;
    if (kind == OpKind::kCommit && w.value == ValueId(memory)) return true;
    const std::optional<OpId> commit = g_.commit_to(ValueId(memory));
    if (!commit.has_value()) return false;
    std::set<ValueId> lineage = {g_.reads(g_.op(*commit))[0].value};
    for (int o = commit->value; o >= 0; --o) {
      const Op& op = g_.ops()[static_cast<size_t>(o)];
      for (const Write& x : g_.writes(op)) {
        if (!lineage.contains(x.value)) continue;
        if (x.base.has_value()) lineage.insert(*x.base);
        if (op.kind == OpKind::kCompute) continue;
        for (const Read& r : g_.reads(op)) lineage.insert(r.value);
      }
    }
    return lineage.contains(w.value);
  }

  // Rule 1 for a byte read by op r (n_: the end). `since`: nobody may have written it after that op, but it itself (-1:
  // the start; absent: whoever).
  bool Finds(int r, const Byte& at, const Origin& wants, std::optional<int> since = std::nullopt) const {
    if (wants == kUndefined) return true;
    const auto it = writes_.find(at);
    if (it == writes_.end()) return false;
    const auto before_read = [&](int w) {
      return r == n_ || Before(w, r) || (since.has_value() && w == r && w == *since);
    };
    const auto after_read = [&](int w) {
      return r != n_ && (w == r || Before(r, w)) && !(since.has_value() && w == r);
    };
    for (const auto& [w, origin] : it->second) {
      if (origin != wants || !before_read(w)) continue;
      if (since.has_value() && w != *since && !Before(w, *since)) continue;
      bool alone = true;
      for (const auto& [x, other] : it->second) alone = alone && (x == w || Before(x, w) || after_read(x));
      if (alone) return true;
    }
    return false;
  }

  bool AllReads() const {
    for (int o = 0; o < n_; ++o) {
      for (const ByteRead& r : ops_[static_cast<size_t>(o)].reads) {
        if (!Finds(o, r.at, r.wants)) return false;
      }
    }
    return true;
  }

  bool KeepAlives() const {
    for (const KeepAlive& k : g_.keep_alive()) {
      if (g_.value(k.value).role == Role::kConstant) continue;
      const int until = k.until.value;
      const int producer = g_.producer(k.value).has_value() ? g_.producer(k.value)->value : -1;
      const OpBytes& op = ops_[static_cast<size_t>(until)];
      for (int64_t i = 0; i < g_.value(k.value).max_bytes; ++i) {
        const Byte at = At(k.value, i);
        if (!Finds(until, at, content_[k.value.index()][static_cast<size_t>(i)], producer)) return false;
        if (producer == until) continue;
        if (op.scratch.contains(at)) return false;
        for (const ByteWrite& w : op.writes) {
          if (w.at == at) return false;
        }
      }
    }
    return true;
  }

  bool End() const {
    const auto all = [&](ValueId v, const std::vector<Origin>& content) {
      for (int64_t i = 0; i < g_.value(v).max_bytes; ++i) {
        if (!Finds(n_, At(v, i), content[static_cast<size_t>(i)])) return false;
      }
      return true;
    };
    for (ValueId v : g_.outputs()) {
      if (!all(v, content_[v.index()])) return false;
    }
    for (size_t i = 0; i < g_.values().size(); ++i) {
      const ValueId v(static_cast<int32_t>(i));
      const auto committed = final_.find(v.value);
      const bool demanded = g_.value(v).preserve || g_.value(v).role == Role::kVariable || committed != final_.end();
      if (demanded && !all(v, committed != final_.end() ? committed->second : content_[i])) return false;
    }
    return true;
  }

  const Graph& g_;
  Plan& plan_;
  int n_;
  std::vector<std::vector<Origin>> content_;
  std::map<int32_t, std::vector<Origin>> final_;
  std::vector<std::vector<bool>> before_;
  std::vector<OpBytes> ops_;
  std::map<Byte, std::vector<std::pair<int, Origin>>> writes_;
  bool partly_on_base_ = false;
};

}  // namespace

bool NaivelyValid(const Graph& graph, Plan& plan) {
  plan.stats = PlanStats();
  return Naive(graph, plan).Check();
}

}  // namespace bufplan
