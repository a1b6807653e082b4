#include "ir/concurrent_regions.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "ir/where.h"

namespace bufplan {
namespace {

std::string At(OpId o) { return absl::StrCat("/ops/", o.index()); }

}  // namespace

class ConcurrentRegions::Applier {
 public:
  Applier(absl::Span<const std::string> op_names, std::vector<Op>& ops, std::vector<std::string>& stream_names,
          std::vector<OrderEdge>& order)
      : op_names_(op_names), ops_(ops), stream_names_(stream_names), order_(order) {
    taken_.insert(stream_names.begin(), stream_names.end());
  }

  absl::Status Run(const ConcurrentRegions& said) {
    for (OpId fork : said.forks_) {
      if (!Known(fork)) return FaultAt("/ops", "a concurrent region is opened by an unknown op");
      regions_.push_back({fork, std::nullopt, {}});
    }
    if (absl::Status s = TakeJoins(said.joins_); !s.ok()) return s;
    if (absl::Status s = TakeMembers(said.members_); !s.ok()) return s;
    std::sort(regions_.begin(), regions_.end(), [](const Forked& a, const Forked& b) { return a.fork < b.fork; });
    for (const Forked& r : regions_) {
      if (absl::Status s = CheckPlaces(r); !s.ok()) return s;
      Place(r);
    }
    for (const Forked& r : regions_) {
      if (absl::Status s = CheckJoinStream(r); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

 private:
  using Branch = std::vector<OpId>;  // ascending, never empty
  struct Forked {
    OpId fork;
    std::optional<OpId> join;
    std::vector<Branch> branches;
  };
  // The streams that the branches of regions on one stream take.
  struct Pool {
    std::set<StreamId> free;
    std::multimap<OpId, StreamId> busy;  // until this join
  };

  bool Known(OpId o) const { return o.index() < ops_.size(); }
  bool Known(ConcurrentId r) const { return r.index() < regions_.size(); }
  bool Known(StreamId s) const { return s.index() < stream_names_.size(); }
  StreamId StreamOf(OpId o) const { return ops_[o.index()].stream; }
  std::string Text(OpId o) const { return absl::StrCat("op \"", op_names_[o.index()], "\""); }
  std::string Text(const Forked& r) const {
    return absl::StrCat("the concurrent region that ", Text(r.fork), " opens");
  }

  absl::Status TakeJoins(absl::Span<const Join> joins) {
    for (const Join& j : joins) {
      if (!Known(j.region)) return FaultAt("/ops", "an unknown concurrent region is closed");
      Forked& r = regions_[j.region.index()];
      if (!Known(j.op)) return FaultAt(At(r.fork), absl::StrCat(Text(r), " is closed by an unknown op"));
      if (r.join.value_or(j.op) != j.op) {
        return FaultAt(At(r.fork), absl::StrCat(Text(r), " is closed twice, by ", Text(std::min(*r.join, j.op)),
                                                " and by ", Text(std::max(*r.join, j.op))));
      }
      r.join = j.op;
    }
    return absl::OkStatus();
  }

  absl::Status TakeMembers(std::vector<Member> members) {
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    std::vector<bool> taken(ops_.size());
    for (size_t i = 0; i < members.size(); ++i) {
      const Member& m = members[i];
      if (!Known(m.region)) return FaultAt("/ops", "a branch belongs to an unknown concurrent region");
      Forked& r = regions_[m.region.index()];
      if (!Known(m.op)) return FaultAt(At(r.fork), absl::StrCat("a branch of ", Text(r), " has an unknown op"));
      if (taken[m.op.index()]) return FaultAt(At(m.op), absl::StrCat(Text(m.op), ": is in two branches"));
      taken[m.op.index()] = true;
      const bool goes_on = i > 0 && members[i - 1].region == m.region && members[i - 1].branch == m.branch;
      if (!goes_on) r.branches.emplace_back();
      r.branches.back().push_back(m.op);
    }
    return absl::OkStatus();
  }

  absl::Status CheckPlaces(const Forked& r) const {
    if (!r.join.has_value()) return FaultAt(At(r.fork), absl::StrCat(Text(r), " is never closed"));
    if (*r.join <= r.fork) {
      return FaultAt(At(*r.join),
                     absl::StrCat(Text(r), " is closed by ", Text(*r.join), ", which is not listed after that"));
    }
    if (!Known(StreamOf(r.fork)))
      return FaultAt(At(r.fork) + "/stream", absl::StrCat(Text(r.fork), ": unknown stream"));
    for (const Branch& b : r.branches) {
      if (b.front() > r.fork && b.back() < *r.join) continue;
      const OpId outside = b.front() > r.fork ? b.back() : b.front();
      return FaultAt(At(outside),
                     absl::StrCat(Text(outside), ": is in a branch of ", Text(r), ", but not listed between that and ",
                                  Text(*r.join), ", which closes it"));
    }
    return absl::OkStatus();
  }

  void Place(const Forked& r) {
    const StreamId parent = StreamOf(r.fork);
    Pool& pool = pools_[parent];
    const auto still_busy = pool.busy.upper_bound(r.fork);
    for (auto it = pool.busy.begin(); it != still_busy; ++it) pool.free.insert(it->second);
    pool.busy.erase(pool.busy.begin(), still_busy);
    for (const Branch& b : r.branches) {
      const StreamId stream =
          pool.free.empty() ? NewStream(parent, pool.busy.size() + 1) : pool.free.extract(pool.free.begin()).value();
      pool.busy.emplace(*r.join, stream);
      for (OpId o : b) ops_[o.index()].stream = stream;
      order_.push_back({r.fork, b.front()});
      order_.push_back({b.back(), *r.join});
    }
  }

  // "main.1", "main.2", ...
  StreamId NewStream(StreamId parent, size_t number) {
    std::string name = absl::StrCat(stream_names_[parent.index()], ".", number);
    while (!taken_.insert(name).second) name += '_';
    stream_names_.push_back(std::move(name));
    return StreamId(static_cast<int32_t>(stream_names_.size()) - 1);
  }

  // Once all ops are on their streams.
  absl::Status CheckJoinStream(const Forked& r) const {
    const StreamId fork = StreamOf(r.fork), join = StreamOf(*r.join);
    if (fork == join) return absl::OkStatus();
    if (!Known(join)) return FaultAt(At(*r.join) + "/stream", absl::StrCat(Text(*r.join), ": unknown stream"));
    return FaultAt(At(*r.join), absl::StrCat(Text(r), " on stream \"", stream_names_[fork.index()], "\" is closed by ",
                                             Text(*r.join), " on stream \"", stream_names_[join.index()],
                                             "\", must be on the same"));
  }

  absl::Span<const std::string> op_names_;
  std::vector<Op>& ops_;
  std::vector<std::string>& stream_names_;
  std::vector<OrderEdge>& order_;
  absl::flat_hash_set<std::string> taken_;  // names of streams
  std::vector<Forked> regions_;             // by ConcurrentId, then by fork
  std::map<StreamId, Pool> pools_;          // by the stream of fork and join
};

ConcurrentId ConcurrentRegions::Open(OpId fork) {
  const auto [it, fresh] = by_fork_.try_emplace(fork.value, ConcurrentId(static_cast<int32_t>(forks_.size())));
  if (fresh) forks_.push_back(fork);
  return it->second;
}

absl::Status ConcurrentRegions::Apply(absl::Span<const std::string> op_names, std::vector<Op>& ops,
                                      std::vector<std::string>& stream_names, std::vector<OrderEdge>& order) const {
  if (forks_.empty() && members_.empty() && joins_.empty()) return absl::OkStatus();
  return Applier(op_names, ops, stream_names, order).Run(*this);
}

}  // namespace bufplan
