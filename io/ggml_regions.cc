#include "io/ggml_regions.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/happens_before.h"

namespace bufplan {
namespace {

class RegionReader {
 public:
  RegionReader(const GgmlDump& dump, const Graph& graph, const GgmlPlaces& places)
      : d_(dump), g_(graph), places_(places) {}
  std::vector<KeepAlive> KeepAlives() const;
  std::vector<Fusion> Fusions() const;
  absl::StatusOr<GgmlRegionFacts> Streams();

 private:
  // What an op depends on: a branch, counted from 1 as the streams beside the main one, or ...
  static constexpr int32_t kNone = 0, kSeveral = -1;
  static int32_t Join(int32_t a, int32_t b) { return a == b || b == kNone ? a : a == kNone ? b : kSeveral; }

  OpId OpOf(int32_t node) const { return places_.op[static_cast<size_t>(node)]; }
  ValueId ResultOf(OpId op) const { return g_.writes(g_.op(op))[0].value; }
  template <typename F>
  void ForEachUse(OpId op, F f) const;
  ValueId ContentAt(int32_t tensor, OpId until) const;

  void FindUsers();
  std::optional<OpId> ForkOf(const GgmlRegion& region) const;
  int32_t AssignBranches(OpId fork, OpId until);
  absl::Status AssignAllBranches();
  std::vector<OrderEdge> OrderOfWrites(const HappensBefore& happens_before) const;

  const GgmlDump& d_;
  const Graph& g_;
  const GgmlPlaces& places_;
  std::vector<std::vector<OpId>> users_;  // by value, in list order
  std::vector<int32_t> branch_;           // by op
  int32_t num_branches_ = 0;
};

template <typename F>
void RegionReader::ForEachUse(OpId op, F f) const {
  for (const Read& r : g_.reads(g_.op(op))) f(r.value);
  for (const Write& w : g_.writes(g_.op(op))) {
    if (w.base.has_value()) f(*w.base);
  }
}

// The value that holds the tensor's content when `until` is done. A view is itself, unless its root is written later.
ValueId RegionReader::ContentAt(int32_t tensor, OpId until) const {
  const GgmlTensor& t = d_.tensors[static_cast<size_t>(tensor)];
  const std::vector<ValueId>& versions = places_.versions[static_cast<size_t>(t.view_src.value_or(tensor))];
  const auto later =
      std::partition_point(versions.begin() + 1, versions.end(), [&](ValueId v) { return *g_.producer(v) <= until; });
  const ValueId newest = *(later - 1);
  if (static_cast<size_t>(tensor) < d_.num_leafs) return newest;
  const Op& op = g_.op(OpOf(tensor));
  return op.kind == OpKind::kView && g_.reads(op)[0].value == newest ? ResultOf(OpOf(tensor)) : newest;
}

std::vector<KeepAlive> RegionReader::KeepAlives() const {
  std::vector<KeepAlive> keep_alive;
  for (const GgmlRegion& region : d_.regions) {
    const OpId until = OpOf(region.until);
    for (int32_t tensor : region.keep) keep_alive.push_back({ContentAt(tensor, until), until});
  }
  return keep_alive;
}

std::vector<Fusion> RegionReader::Fusions() const {
  std::vector<Fusion> fusions;
  for (const GgmlRegion& region : d_.regions) {
    if (region.kind == GgmlRegionKind::kQkvStreams || region.elide.empty()) continue;
    const OpId until = OpOf(region.until);
    Fusion fusion;
    fusion.name = absl::StrCat(ToString(region.kind), " ", g_.name(until));
    fusion.required = false;
    const OpId first = OpOf(*std::min_element(region.elide.begin(), region.elide.end()));
    for (OpId op = first; op <= until; op = OpId(op.value + 1)) fusion.ops.push_back(op);
    fusions.push_back(std::move(fusion));
  }
  return fusions;
}

void RegionReader::FindUsers() {
  users_.resize(g_.values().size());
  for (size_t i = 0; i < g_.ops().size(); ++i) {
    const OpId op(static_cast<int32_t>(i));
    ForEachUse(op, [&](ValueId v) {
      std::vector<OpId>& users = users_[v.index()];
      if (users.empty() || users.back() != op) users.push_back(op);
    });
  }
}

// Absent: the region keeps no node.
std::optional<OpId> RegionReader::ForkOf(const GgmlRegion& region) const {
  std::optional<OpId> fork;
  int64_t most_users = 0;
  for (int32_t tensor : region.keep) {
    if (static_cast<size_t>(tensor) < d_.num_leafs) continue;
    const OpId op = OpOf(tensor);
    const std::vector<OpId>& users = users_[ResultOf(op).index()];
    const int64_t count = std::upper_bound(users.begin(), users.end(), OpOf(region.until)) - users.begin();
    if (fork.has_value() && (count < most_users || (count == most_users && *fork < op))) continue;
    fork = op;
    most_users = count;
  }
  return fork;
}

// The number of branches with ops of their own.
int32_t RegionReader::AssignBranches(OpId fork, OpId until) {
  int32_t branches = 0;
  for (OpId op = OpId(fork.value + 1); op <= until; op = OpId(op.value + 1)) {
    int32_t branch = kNone;
    bool starts_branch = false;
    ForEachUse(op, [&](ValueId v) {
      starts_branch = starts_branch || v == ResultOf(fork);
      const std::optional<OpId> producer = g_.producer(v);
      if (producer.has_value() && fork < *producer) branch = Join(branch, branch_[producer->index()]);
    });
    if (starts_branch) branch = branch == kNone ? ++branches : kSeveral;
    branch_[op.index()] = branch;
  }
  return branches;
}

absl::Status RegionReader::AssignAllBranches() {
  branch_.resize(g_.ops().size(), kNone);
  std::vector<size_t> order;
  for (size_t i = 0; i < d_.regions.size(); ++i) {
    if (d_.regions[i].kind == GgmlRegionKind::kQkvStreams) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return d_.regions[a].until < d_.regions[b].until; });
  std::optional<int32_t> last;  // of the region before
  for (size_t i : order) {
    const GgmlRegion& region = d_.regions[i];
    const std::optional<OpId> fork = ForkOf(region);
    if (!fork.has_value()) continue;
    if (last.has_value() && *fork < OpOf(*last)) {
      return absl::InvalidArgumentError(
          absl::StrCat("at /keep_regions/", i, ": its branches start at \"", g_.name(*fork),
                       "\", inside of another qkv_streams region, which ends at \"", g_.name(OpOf(*last)), "\""));
    }
    num_branches_ = std::max(num_branches_, AssignBranches(*fork, OpOf(region.until)));
    last = region.until;
  }
  return absl::OkStatus();
}

std::vector<OrderEdge> RegionReader::OrderOfWrites(const HappensBefore& happens_before) const {
  std::vector<OrderEdge> order;
  for (size_t i = 0; i < g_.ops().size(); ++i) {
    const OpId op(static_cast<int32_t>(i));
    const auto behind_users_of = [&](ValueId v) {
      for (OpId user : users_[v.index()]) {
        if (user != op && !happens_before.Before(user.value, op.value)) order.push_back({user, op});
      }
    };
    for (const Write& w : g_.writes(g_.op(op))) {
      if (!w.base.has_value()) continue;
      behind_users_of(*w.base);
      for (OpId user : users_[w.base->index()]) {
        if (g_.op(user).kind == OpKind::kView) behind_users_of(ResultOf(user));
      }
    }
  }
  std::sort(order.begin(), order.end());
  order.erase(std::unique(order.begin(), order.end()), order.end());
  return order;
}

absl::StatusOr<GgmlRegionFacts> RegionReader::Streams() {
  FindUsers();
  if (absl::Status s = AssignAllBranches(); !s.ok()) return s;
  GgmlRegionFacts facts;
  facts.num_branches = num_branches_;
  if (num_branches_ == 0) return facts;
  std::vector<int32_t> streams;
  for (int32_t branch : branch_) streams.push_back(std::max(branch, 0));
  std::vector<HappensBefore::Edge> data;
  for (size_t i = 0; i < g_.ops().size(); ++i) {
    const OpId op(static_cast<int32_t>(i));
    ForEachUse(op, [&](ValueId v) {
      const std::optional<OpId> producer = g_.producer(v);
      if (producer.has_value()) data.push_back({producer->value, op.value});
    });
  }
  const absl::StatusOr<HappensBefore> happens_before = HappensBefore::Create(streams, num_branches_ + 1, data);
  if (!happens_before.ok()) return happens_before.status();
  facts.order = OrderOfWrites(*happens_before);
  for (int32_t stream : streams) facts.stream_of_op.push_back(StreamId(stream));
  return facts;
}

}  // namespace

absl::string_view ToString(GgmlRegions mode) {
  constexpr absl::string_view kWords[] = {"ignore", "keep", "fuse", "streams"};
  return kWords[static_cast<size_t>(mode)];
}

absl::StatusOr<GgmlRegionFacts> FactsOfRegions(GgmlRegions mode, const GgmlDump& dump, const Graph& graph,
                                               const GgmlPlaces& places) {
  RegionReader reader(dump, graph, places);
  if (mode == GgmlRegions::kStreams) return reader.Streams();
  GgmlRegionFacts facts;
  if (mode == GgmlRegions::kKeep) facts.keep_alive = reader.KeepAlives();
  if (mode == GgmlRegions::kFuse) facts.fusions = reader.Fusions();
  return facts;
}

}  // namespace bufplan
