#include "tests/oracle/random_graph.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/graph_builder.h"
#include "tests/oracle/random.h"
#include "tests/oracle/random_ops.h"

namespace bufplan {
namespace {

// The second half: order edges, groups, keep-alives, disjoint pairs and outputs on top of the ops.
class Constraints {
 public:
  Constraints(const RandomGraphOptions& options, Rng& rng, const RandomOps& ops, GraphBuilder& builder)
      : options_(options), rng_(rng), values_(ops.values()), ops_(ops.ops()), all_(ops), builder_(builder) {}

  void Run() {
    AddOrder();
    AddFusions();
    MakeReach();
    for (int64_t n = options_.keep_alive ? rng_.Between(0, 3) : 0; n > 0; --n) AddKeepAlive();
    for (int64_t n = options_.disjoint ? rng_.Between(0, 2) : 0; n > 0; --n) AddDisjoint();
    AddOutputs();
  }

 private:
  OpId Id(size_t op) const { return OpId(static_cast<int32_t>(op)); }

  void AddOrder() {
    const int64_t n = ops_.size() < 2 ? 0 : rng_.Between(0, rng_.Between(0, 5));
    for (int64_t i = 0; i < n; ++i) {
      const size_t a = rng_.Below(ops_.size() - 1), b = a + 1 + rng_.Below(ops_.size() - a - 1);
      order_.push_back({Id(a), Id(b)});
      builder_.Order(Id(a), Id(b));
    }
  }

  // True if `later` uses what `earlier` writes or an order edge says so.
  bool DependsDirectly(size_t later, size_t earlier) const {
    for (ValueId v : ops_[later].uses) {
      if (values_[v.index()].producer == static_cast<int32_t>(earlier)) return true;
    }
    return std::find(order_.begin(), order_.end(), OrderEdge{Id(earlier), Id(later)}) != order_.end();
  }

  void AddFusions() {
    for (int i = 0; i < options_.max_fusions; ++i) {
      if (ops_.empty() || rng_.Percent(30)) continue;
      std::vector<size_t> members = RandomGroup();
      if (members.size() < 2) continue;
      Fusion f;
      f.name = absl::StrCat("fusion", i);
      f.benefit = static_cast<double>(rng_.Between(-1, 4));
      const auto is_free = [&](size_t m) {
        return std::find(required_.begin(), required_.end(), m) == required_.end();
      };
      f.required =
          options_.required_fusions && rng_.Percent(50) && std::all_of(members.begin(), members.end(), is_free);
      // Of two groups with foreign ops between that must come after them, each may have to run before the other.
      const bool alone = AfterGroup(members).empty() && !required_around_;
      f.required = f.required && (alone || required_.empty());
      required_around_ = required_around_ || (f.required && !alone);
      if (f.required) required_.insert(required_.end(), members.begin(), members.end());
      for (size_t m : members) f.ops.push_back(Id(m));
      AddInPlace(members, f);
      groups_.push_back(std::move(members));
      builder_.AddFusion(std::move(f));
    }
  }

  // Ops of one stream that follow each other there, often without some in between.
  std::vector<size_t> RandomGroup() {
    const size_t first = rng_.Below(ops_.size());
    const size_t wanted = 2 + rng_.Below(3);
    std::vector<size_t> members;
    for (size_t o = first; o < ops_.size() && members.size() < wanted; ++o) {
      if (ops_[o].kind == OpKind::kCommit) break;
      if (ops_[o].stream != ops_[first].stream || (o != first && rng_.Percent(15))) continue;
      const bool fits = ops_[o].kind != OpKind::kBarrier && !ops_[o].elide_never;
      if (!fits || !IsLegalWith(members, o)) {
        if (members.empty()) break;
        continue;
      }
      members.push_back(o);
    }
    return members;
  }

  // No foreign op comes after a member and before `last`.
  bool IsLegalWith(const std::vector<size_t>& members, size_t last) const {
    std::vector<size_t> all = members;
    all.push_back(last);
    for (size_t a : AfterGroup(all)) {
      if (DependsDirectly(last, a)) return false;
    }
    return true;
  }

  // The foreign ops up to the last member that come after the group, by what they use and what they follow.
  std::vector<size_t> AfterGroup(const std::vector<size_t>& members) const {
    std::vector<size_t> after;
    for (size_t o = members.front(); o < members.back(); ++o) {
      if (std::find(members.begin(), members.end(), o) != members.end()) continue;
      const auto follows_member = [&](size_t m) { return m < o && DependsDirectly(o, m); };
      const auto follows = [&](size_t a) { return DependsDirectly(o, a) || ops_[a].stream == ops_[o].stream; };
      const bool comes_after = std::any_of(members.begin(), members.end(), follows_member) ||
                               std::any_of(after.begin(), after.end(), follows);
      if (comes_after) after.push_back(o);
    }
    return after;
  }

  void AddInPlace(const std::vector<size_t>& members, Fusion& f) {
    std::vector<ValueId> reads, results;
    for (size_t m : members) {
      for (ValueId v : ops_[m].uses) {
        const int32_t producer = values_[v.index()].producer;
        const bool inside = producer >= 0 && std::find(members.begin(), members.end(), producer) != members.end();
        if (!inside) reads.push_back(v);
      }
      results.insert(results.end(), ops_[m].writes.begin(), ops_[m].writes.end());
    }
    for (int64_t n = options_.in_place && !reads.empty() && !results.empty() ? rng_.Between(0, 2) : 0; n > 0; --n) {
      const ValueId r = rng_.Pick(results), v = rng_.Pick(reads);
      if (values_[r.index()].space != values_[v.index()].space) continue;
      f.in_place.push_back({r, v, rng_.Percent(25) ? InPlaceMode::kAny : InPlaceMode::kSameIndex});
    }
  }

  // reach_[a][b]: a happens before b, whichever groups are fused: a group moves its members to one place, and then what
  // lay in between no longer follows them on their stream, or leads up to them.
  void MakeReach() {
    const size_t n = ops_.size();
    std::vector<std::pair<size_t, size_t>> places;
    for (size_t o = 0; o < n; ++o) places.push_back(PlacesOf(o));
    reach_.assign(n, std::vector<bool>(n, false));
    for (size_t b = 0; b < n; ++b) {
      for (size_t a = 0; a < b; ++a) {
        const bool by_stream = ops_[a].stream == ops_[b].stream && places[a].second < places[b].first;
        if (!by_stream && !DependsDirectly(b, a)) continue;
        reach_[a][b] = true;
        for (size_t c = 0; c < a; ++c) reach_[c][b] = reach_[c][b] || reach_[c][a];
      }
    }
  }

  // Between which places an op runs, whichever groups of it are fused.
  std::pair<size_t, size_t> PlacesOf(size_t op) const {
    std::pair<size_t, size_t> places = {op, op};
    for (const std::vector<size_t>& g : groups_) {
      if (std::find(g.begin(), g.end(), op) == g.end()) continue;
      places.second = std::max(places.second, g.back());
      if (!AfterGroup(g).empty()) places.first = std::min(places.first, g.front());
    }
    return places;
  }

  void AddKeepAlive() {
    if (ops_.empty()) return;
    const size_t v = rng_.Below(values_.size()), k = rng_.Below(ops_.size());
    const ValueId id(static_cast<int32_t>(v));
    const int32_t after = values_[v].producer, gone = all_.GoneAfter(id);
    const bool there = after < 0 || after == static_cast<int32_t>(k) || reach_[static_cast<size_t>(after)][k];
    if (there && (gone < 0 || static_cast<int32_t>(k) < gone)) builder_.KeepAliveUntil(id, Id(k));
  }

  void AddDisjoint() {
    const size_t a = rng_.Below(values_.size()), b = rng_.Below(values_.size());
    if (values_[a].root == values_[b].root) return;
    builder_.Disjoint(ValueId(static_cast<int32_t>(a)), ValueId(static_cast<int32_t>(b)));
  }

  void AddOutputs() {
    std::vector<ValueId> candidates;
    for (size_t i = 0; i < values_.size(); ++i) {
      const ValueId v(static_cast<int32_t>(i));
      const bool likely = values_[i].producer >= 0 || rng_.Percent(10);
      if (likely && all_.GoneAfter(v) < 0) candidates.push_back(v);
    }
    rng_.Shuffle(candidates);
    candidates.resize(std::min(candidates.size(), static_cast<size_t>(rng_.Between(0, 4))));
    for (ValueId v : candidates) builder_.Output(v);
  }

  const RandomGraphOptions& options_;
  Rng& rng_;
  const std::deque<ValueRecord>& values_;
  const std::vector<OpRecord>& ops_;
  const RandomOps& all_;
  GraphBuilder& builder_;
  std::vector<OrderEdge> order_;
  std::vector<std::vector<size_t>> groups_;
  std::vector<size_t> required_;
  bool required_around_ = false;  // a required group has such ops between its members
  std::vector<std::vector<bool>> reach_;
};

}  // namespace

absl::StatusOr<Graph> RandomGraph(const RandomGraphOptions& options, uint64_t seed) {
  Rng rng(HashWords(seed, options.name.size()));
  GraphBuilder builder(absl::StrCat(options.name, "-", seed));
  RandomOps ops(options, rng, builder);
  ops.Run();
  Constraints(options, rng, ops, builder).Run();
  return std::move(builder).Build();
}

}  // namespace bufplan
