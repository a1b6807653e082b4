#include "planner/order/schedule.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace bufplan {

absl::StatusOr<Schedule> Schedule::Create(const Graph& graph, absl::Span<const FusionId> fused,
                                          absl::Span<const OrderEdge> added) {
  Schedule s(graph);
  s.fused_.assign(fused.begin(), fused.end());
  s.end_ = static_cast<int32_t>(graph.ops().size());
  s.ops_.resize(graph.ops().size());
  for (size_t i = 0; i < s.ops_.size(); ++i) s.ops_[i] = OpId(static_cast<int32_t>(i));
  if (!fused.empty()) {
    if (absl::Status status = s.Fuse(); !status.ok()) return status;
  }
  if (!fused.empty() || !added.empty()) {
    if (absl::Status status = s.AddEdges(added); !status.ok()) return status;
    if (absl::Status status = s.CheckKeepAlive(fused); !status.ok()) return status;
  }
  s.OrderStreams();
  return s;
}

absl::Status Schedule::Fuse() {
  time_.resize(ops_.size());
  std::iota(time_.begin(), time_.end(), 0);
  bool at_last_members = true;
  for (FusionId f : fused_) {
    const Fusion& group = graph_->fusions()[f.index()];
    for (OpId o : group.ops) time_[o.index()] = group.at.value;
    at_last_members = at_last_members && group.at == group.ops.back();
  }
  const auto leads_back = [](const HappensBefore::Edge& e) { return e.first > e.second; };
  std::vector<HappensBefore::Edge> edges;
  if (at_last_members) edges = Edges();
  if (!at_last_members || std::any_of(edges.begin(), edges.end(), leads_back)) {
    if (absl::Status status = CountUnits(); !status.ok()) return status;
  } else {
    ListUnits();
  }
  FindSwallowed();
  return absl::OkStatus();
}

// First in the order in which the units follow each other on their streams, then in one in which edges lead forward.
absl::Status Schedule::CountUnits() {
  struct Place {
    OpId at, member;  // groups after one op: in the order of the last members that are listed before it
    FusionId group;
  };
  std::vector<Place> places;
  std::vector<char> fused(ops_.size(), 0);
  for (FusionId f : fused_) {
    const Fusion& group = graph_->fusions()[f.index()];
    for (OpId o : group.ops) fused[o.index()] = 1;
    places.push_back({group.at, *std::prev(std::upper_bound(group.ops.begin(), group.ops.end(), group.at)), f});
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.at != b.at ? a.at < b.at : a.member < b.member; });
  end_ = 0;
  auto next = places.begin();
  for (size_t i = 0; i < ops_.size(); ++i) {
    if (fused[i] == 0) time_[i] = end_++;
    for (; next != places.end() && next->at.index() == i; ++next) {
      for (OpId o : graph_->fusions()[next->group.index()].ops) time_[o.index()] = end_;
      ++end_;
    }
  }
  ListUnits();
  std::vector<int32_t> cycle;
  absl::StatusOr<HappensBefore> hb = HappensBefore::Create(Streams(), graph_->num_streams(), Edges(), &cycle);
  if (!hb.ok()) return cycle.empty() ? hb.status() : Cycle(cycle, /*added=*/false);
  const absl::Span<const int32_t> run = hb->TopologicalOrder();
  std::vector<int32_t> place(run.size());
  for (size_t i = 0; i < run.size(); ++i) place[static_cast<size_t>(run[i])] = static_cast<int32_t>(i);
  for (int32_t& t : time_) t = place[static_cast<size_t>(t)];
  ListUnits();
  return absl::OkStatus();
}

// From the ops' times.
void Schedule::ListUnits() {
  const size_t n = static_cast<size_t>(end_);
  fusion_.assign(n, -1);
  for (FusionId f : fused_) {
    fusion_[static_cast<size_t>(TimeOf(graph_->fusions()[f.index()].ops.back()))] = f.value;
  }
  unit_begin_.assign(n + 1, 0);
  for (int32_t t : time_) ++unit_begin_[static_cast<size_t>(t) + 1];
  std::partial_sum(unit_begin_.begin(), unit_begin_.end(), unit_begin_.begin());
  std::vector<size_t> next(unit_begin_.begin(), unit_begin_.end() - 1);
  for (size_t i = 0; i < time_.size(); ++i) ops_[next[static_cast<size_t>(time_[i])]++] = OpId(static_cast<int32_t>(i));
}

std::vector<int32_t> Schedule::Streams() const {
  std::vector<int32_t> streams;
  streams.reserve(static_cast<size_t>(end_));
  for (int32_t t = 0; t < end_; ++t) streams.push_back(StreamOf(t));
  return streams;
}

// Those of the graph between units of different streams, and those within one that contradict it.
std::vector<HappensBefore::Edge> Schedule::Edges() const {
  std::vector<HappensBefore::Edge> edges;
  for (const auto& [from, to] : graph_->cross_stream_edges()) {
    if (TimeOf(OpId(from)) != TimeOf(OpId(to))) edges.emplace_back(TimeOf(OpId(from)), TimeOf(OpId(to)));
  }
  if (fused_.empty()) return edges;
  const auto add = [&](OpId from, OpId to) {
    if (graph_->op(from).stream != graph_->op(to).stream || TimeOf(from) <= TimeOf(to)) return;
    edges.emplace_back(TimeOf(from), TimeOf(to));
  };
  for (size_t i = 0; i < graph_->ops().size(); ++i) {
    const OpId o(static_cast<int32_t>(i));
    const auto use = [&](ValueId v) {
      if (const std::optional<OpId> producer = graph_->producer(v); producer.has_value()) add(*producer, o);
    };
    for (const Read& r : graph_->reads(graph_->ops()[i])) use(r.value);
    for (const Write& w : graph_->writes(graph_->ops()[i])) {
      if (w.base.has_value()) use(*w.base);
    }
  }
  for (const OrderEdge& e : graph_->order()) add(e.before, e.after);
  return edges;
}

absl::Status Schedule::Cycle(absl::Span<const int32_t> times, bool added) const {
  const auto name = [&](std::string* out, int32_t t) {
    const std::optional<FusionId> f = FusionAt(t);
    absl::StrAppend(out, f.has_value() ? absl::StrCat("fusion \"", graph_->fusions()[f->index()].name, "\"")
                                       : absl::StrCat("op \"", graph_->name(OpAt(t)), "\""));
  };
  return absl::InvalidArgumentError(absl::StrCat(!added           ? "the fused groups"
                                                 : fused_.empty() ? "the added order edges"
                                                                  : "the fused groups and added order edges",
                                                 " make a cycle: ", absl::StrJoin(times, " before ", name)));
}

// A relation of its own: of units, with more edges.
absl::Status Schedule::AddEdges(absl::Span<const OrderEdge> added) {
  std::vector<HappensBefore::Edge> edges = Edges();
  for (const OrderEdge& e : added) {
    if (TimeOf(e.before) != TimeOf(e.after)) edges.emplace_back(TimeOf(e.before), TimeOf(e.after));
  }
  std::vector<int32_t> cycle;
  absl::StatusOr<HappensBefore> hb = HappensBefore::Create(Streams(), graph_->num_streams(), edges, &cycle);
  if (!hb.ok()) return cycle.empty() ? hb.status() : Cycle(cycle, !added.empty());
  own_hb_ = std::make_unique<HappensBefore>(*std::move(hb));
  hb_ = own_hb_.get();
  const absl::Span<const int32_t> run = hb_->TopologicalOrder();
  if (std::is_sorted(run.begin(), run.end())) return absl::OkStatus();
  place_.resize(run.size());
  for (size_t i = 0; i < run.size(); ++i) place_[static_cast<size_t>(run[i])] = static_cast<int32_t>(i);
  return absl::OkStatus();
}

int32_t Schedule::LastBeforeBoth(int32_t a, int32_t b) const {
  int32_t last = kStart;
  if (a == kStart || b == kStart) return last;
  for (int32_t stream = 0; stream < graph_->num_streams(); ++stream) {
    const std::optional<int32_t> before_a = hb_->LastBefore(a, stream), before_b = hb_->LastBefore(b, stream);
    if (!before_a.has_value() || !before_b.has_value()) continue;
    const int32_t both = std::min(*before_a, *before_b);
    if (last == kStart || PlaceOf(both) > PlaceOf(last)) last = both;
  }
  return last;
}

void Schedule::OrderStreams() {
  if (one_stream()) return;
  latest_concurrent_ = hb_->LatestConcurrentOfAll();
  chain_times_ = std::make_unique<ChainTimes>(*hb_, Streams(), graph_->num_streams(), place_);
}

// What may be gone is what a place on a stream said: a member now runs later, or earlier.
absl::Status Schedule::CheckKeepAlive(absl::Span<const FusionId> fused) const {
  const HappensBefore& hb = graph_->happens_before();
  for (const KeepAlive& k : graph_->keep_alive()) {
    const std::optional<OpId> producer = graph_->producer(k.value);
    if (!producer.has_value()) continue;
    const int32_t until = TimeOf(k.until);
    if (TimeOf(*producer) == until || Before(TimeOf(*producer), until)) continue;
    const std::string what =
        absl::StrCat("keep_alive of value \"", graph_->name(k.value), "\" until op \"", graph_->name(k.until),
                     "\": its producer \"", graph_->name(*producer), "\" is not ordered before that any more");
    for (FusionId f : fused) {
      const Fusion& group = graph_->fusions()[f.index()];
      for (OpId o : group.ops) {
        const bool from = o == *producer || hb.Before(producer->value, o.value);
        const bool to = o == k.until || hb.Before(o.value, k.until.value);
        if (!from || !to || group.at == o) continue;
        const bool member = std::binary_search(group.ops.begin(), group.ops.end(), group.at);
        if (o != k.until && (TimeOf(o) == until || Before(TimeOf(o), until))) continue;
        return absl::InvalidArgumentError(absl::StrCat(what, ", as fusion \"", group.name, "\" runs \"",
                                                       graph_->name(o), "\" ", member ? "at the place of" : "after",
                                                       " \"", graph_->name(group.at), "\""));
      }
    }
    return absl::InvalidArgumentError(what);
  }
  return absl::OkStatus();
}

void Schedule::FindSwallowed() {
  swallowed_.assign(graph_->values().size(), 0);
  const auto inside = [&](ValueId v, int32_t time) {
    const std::optional<OpId> producer = graph_->producer(v);
    return producer.has_value() && time_[producer->index()] == time;
  };
  for (size_t i = 0; i < time_.size(); ++i) {
    if (fusion_[static_cast<size_t>(time_[i])] < 0) continue;
    for (const Write& w : graph_->writes(graph_->ops()[i])) swallowed_[w.value.index()] = 1;
  }
  for (size_t i = 0; i < time_.size(); ++i) {
    const Op& op = graph_->ops()[i];
    for (const Read& r : graph_->reads(op)) {
      if (!inside(r.value, time_[i])) swallowed_[r.value.index()] = 0;
    }
    for (const Write& w : graph_->writes(op)) {
      if (w.base.has_value() && !inside(*w.base, time_[i])) swallowed_[w.base->index()] = 0;
    }
  }
  for (ValueId v : graph_->outputs()) swallowed_[v.index()] = 0;
  for (const KeepAlive& k : graph_->keep_alive()) swallowed_[k.value.index()] = 0;
}

}  // namespace bufplan
