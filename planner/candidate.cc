#include "planner/candidate.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/region.h"
#include "planner/order/reduce_edges.h"
#include "planner/placement/antichain.h"
#include "planner/placement/conflict_lists.h"
#include "planner/placement/infeasible_subset.h"
#include "planner/placement/lower_bound.h"
#include "planner/placement/shortfall.h"

namespace bufplan {
namespace {

// How many of the values that are live at a peak are named.
constexpr size_t kMaxNamed = 10;
// Steps of the search for the heaviest values that may be live at once, for a message.
constexpr int64_t kAntichainWork = 10'000'000;
// Steps to find a few storages that alone do not fit.
constexpr int64_t kSubsetWork = 2'000'000;

// One placement problem per space: its storages and the scratch of the ops that run there.
std::vector<SpaceProblem> SplitBySpace(const Graph& graph, const Schedule& schedule, const Sharing& sharing,
                                       const LiveRanges& live, const PlanOptions& options, Capacities capacities) {
  std::vector<SpaceProblem> problems(graph.spaces().size());
  for (size_t i = 0; i < problems.size(); ++i) {
    problems[i].space = SpaceId(static_cast<int32_t>(i));
    if (capacities == Capacities::kCount) problems[i].problem.capacity_bytes = graph.spaces()[i].capacity_bytes;
    problems[i].problem.max_chunk_bytes = graph.spaces()[i].max_allocation_bytes;
    if (live.order.has_value()) problems[i].problem.order.emplace().num_chains = live.order->num_chains;
  }
  if (options.capacity_bytes.has_value() && capacities == Capacities::kCount) {
    std::optional<int64_t>& capacity = problems[0].problem.capacity_bytes;
    capacity = std::min(capacity.value_or(*options.capacity_bytes), *options.capacity_bytes);
  }
  problems[0].problem.storages.reserve(sharing.storages.size());
  problems[0].problem.pieces.reserve(live.pieces.size());
  std::vector<int32_t> item(sharing.storages.size(), -1);
  for (size_t s = 0; s < sharing.storages.size(); ++s) {
    const Storage& storage = sharing.storages[s];
    if (storage.owner.has_value()) continue;
    SpaceProblem& p = problems[storage.space.index()];
    item[s] = static_cast<int32_t>(p.storage.size());
    p.storage.push_back(static_cast<int32_t>(s));
    const absl::Span<const Piece> pieces = live.of(s);
    StorageSpec& spec = p.problem.storages.emplace_back();
    spec.size_bytes = storage.size_bytes;
    spec.alignment_bytes = storage.alignment_bytes;
    if (storage.size_bytes > 0) spec.pinned_offset_bytes = storage.pinned_offset_bytes;
    spec.first_piece = static_cast<uint32_t>(p.problem.pieces.size());
    spec.num_pieces = static_cast<uint32_t>(pieces.size());
    p.problem.pieces.insert(p.problem.pieces.end(), pieces.begin(), pieces.end());
    if (live.order.has_value()) p.problem.order->AddPiecesOf(*live.order, live.begin[s], live.begin[s + 1]);
  }
  for (size_t i = 0; i < graph.ops().size(); ++i) {
    const Op& op = graph.ops()[i];
    if (op.max_scratch_bytes == 0 && op.scratch_bytes == Expr(0)) continue;
    SpaceProblem& p = problems[op.scratch_space.index()];
    const OpId id(static_cast<int32_t>(i));
    const int32_t time = schedule.TimeOf(id), place = schedule.PlaceOf(time);
    p.scratch.push_back(id);
    StorageSpec& spec = p.problem.storages.emplace_back();
    spec.size_bytes = op.max_scratch_bytes;
    spec.alignment_bytes = graph.space(op.scratch_space).alignment_bytes;
    spec.first_piece = static_cast<uint32_t>(p.problem.pieces.size());
    spec.num_pieces = op.max_scratch_bytes > 0 ? 1 : 0;
    if (spec.num_pieces > 0) {
      p.problem.pieces.push_back({AxisBegin(place), AxisEnd(place), 0, op.max_scratch_bytes});
      if (live.order.has_value()) {
        const size_t piece = p.problem.order->AddPiece(schedule.chain_times().ChainOf(time));
        RaiseOver(schedule, time, piece, *p.problem.order);
      }
    }
  }
  for (const DisjointPair& d : graph.disjoint()) {
    const int32_t a = sharing.storage_of[d.a.index()], b = sharing.storage_of[d.b.index()];
    if (a == Sharing::kNoStorage || b == Sharing::kNoStorage || a == b) continue;
    const size_t sa = static_cast<size_t>(a), sb = static_cast<size_t>(b);
    if (item[sa] < 0 || item[sb] < 0 || sharing.storages[sa].space != sharing.storages[sb].space) continue;
    const auto range = [&](ValueId v, size_t storage) {
      const std::optional<ByteRange> span = RegionSpan(sharing.PlaceOf(graph, v), graph.symbols());
      return span.value_or(ByteRange{0, sharing.storages[storage].size_bytes});
    };
    const ByteRange ra = range(d.a, sa), rb = range(d.b, sb);
    problems[sharing.storages[sa].space.index()].problem.disjoint.push_back(
        {item[sa], item[sb], ra.begin, ra.end, rb.begin, rb.end});
  }
  return problems;
}

// Two pinned storages that hold the same bytes at one time, by the pinned values in them.
absl::Status NamePinConflict(const absl::Status& status, const Graph& graph, const Sharing& sharing,
                             const SpaceProblem& problem) {
  const PlacementProblem& p = problem.problem;
  const auto meet = [&](size_t a, size_t b) {
    const int64_t at_a = *p.storages[a].pinned_offset_bytes, at_b = *p.storages[b].pinned_offset_bytes;
    const StorageSpec& of_a = p.storages[a];
    const StorageSpec& of_b = p.storages[b];
    for (size_t i = of_a.first_piece; i < of_a.first_piece + of_a.num_pieces; ++i) {
      for (size_t j = of_b.first_piece; j < of_b.first_piece + of_b.num_pieces; ++j) {
        const Piece& x = p.pieces[i];
        const Piece& y = p.pieces[j];
        if (p.Meet(i, j) && at_a + x.low < at_b + y.high && at_b + y.low < at_a + x.high) return true;
      }
    }
    return false;
  };
  const auto name = [&](size_t item) {
    for (size_t i = 0; i < graph.values().size(); ++i) {
      const bool inside = sharing.storage_of[i] == problem.storage[item];
      if (inside && graph.values()[i].pinned_offset_bytes.has_value())
        return graph.name(ValueId(static_cast<int32_t>(i)));
    }
    return absl::string_view("?");
  };
  std::vector<size_t> pinned;
  for (size_t i = 0; i < problem.storage.size(); ++i) {
    if (p.storages[i].pinned_offset_bytes.has_value()) pinned.push_back(i);
  }
  for (size_t i = 0; i < pinned.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!meet(pinned[j], pinned[i])) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("values \"", name(pinned[j]), "\" and \"", name(pinned[i]), "\": pinned to offsets ",
                       *p.storages[pinned[j]].pinned_offset_bytes, " and ", *p.storages[pinned[i]].pinned_offset_bytes,
                       " of space \"", graph.name(problem.space), "\", where their bytes overlap while both are live"));
    }
  }
  return absl::Status(status.code(), absl::StrCat("space \"", graph.name(problem.space), "\": ", status.message()));
}

// Storages by one value each, largest first; scratch by its op. `items`: -bytes, item.
std::string NamesOf(std::vector<std::pair<int64_t, size_t>> items, const Graph& graph, const Sharing& sharing,
                    const SpaceProblem& problem) {
  std::vector<std::optional<ValueId>> first(sharing.storages.size());
  for (size_t i = graph.values().size(); i-- > 0;) {
    if (sharing.storage_of[i] == Sharing::kNoStorage) continue;
    first[static_cast<size_t>(sharing.storage_of[i])] = ValueId(static_cast<int32_t>(i));
  }
  std::sort(items.begin(), items.end());
  std::string text;
  for (size_t i = 0; i < std::min(items.size(), kMaxNamed); ++i) {
    const size_t item = items[i].second;
    const std::string name =
        item < problem.storage.size()
            ? absl::StrCat("\"", graph.name(*first[static_cast<size_t>(problem.storage[item])]), "\"")
            : absl::StrCat("scratch of \"", graph.name(problem.scratch[item - problem.storage.size()]), "\"");
    absl::StrAppend(&text, i == 0 ? ": " : ", ", name, " ", -items[i].first);
  }
  if (items.size() > kMaxNamed) absl::StrAppend(&text, " and ", items.size() - kMaxNamed, " more");
  return text;
}

// Storages of an antichain, as NamesOf() takes them.
std::vector<std::pair<int64_t, size_t>> ItemsOf(const Antichain& antichain, const PlacementProblem& problem) {
  const std::vector<int32_t> owner = OwnersOfPieces(problem);
  std::vector<std::pair<int64_t, size_t>> items;
  for (int32_t p : antichain.pieces) {
    const Piece& piece = problem.pieces[static_cast<size_t>(p)];
    items.emplace_back(piece.low - piece.high, static_cast<size_t>(owner[static_cast<size_t>(p)]));
  }
  return items;
}

// "; these 2 storages alone do not fit: "y" 200, "x" 100". Nothing if they are not known or named before: all that is
// live at the peak, or as many as in the antichain.
std::string DescribeSubset(const Graph& graph, const Sharing& sharing, const SpaceProblem& problem, int64_t peak_time,
                           size_t antichain_size) {
  const PlacementProblem& p = problem.problem;
  const InfeasibleSubset subset = FindInfeasibleSubset(p, *p.capacity_bytes, {.work = kSubsetWork});
  std::vector<std::pair<int64_t, size_t>> items;
  for (int32_t s : subset.storages) {
    const size_t item = static_cast<size_t>(s);
    items.emplace_back(-p.storages[item].size_bytes, item);
  }
  const auto is_live = [&](int32_t s) {
    const absl::Span<const Piece> pieces = p.PiecesOf(static_cast<size_t>(s));
    return std::any_of(pieces.begin(), pieces.end(),
                       [peak_time](const Piece& piece) { return piece.begin <= peak_time && peak_time < piece.end; });
  };
  int32_t live = 0;
  for (int32_t s = 0; s < static_cast<int32_t>(p.storages.size()); ++s) live += is_live(s) ? 1 : 0;
  const auto live_items = std::count_if(subset.storages.begin(), subset.storages.end(), is_live);
  if (items.empty() || (subset.proof == InfeasibilityProof::kLoad && live_items == live)) return "";
  if (subset.proof == InfeasibilityProof::kAntichain && items.size() == antichain_size) return "";
  const std::string count =
      items.size() == 1 ? "this storage alone does" : absl::StrCat("these ", items.size(), " storages alone do");
  return absl::StrCat("; ", count, " not fit", NamesOf(std::move(items), graph, sharing, problem));
}

// The same failure in the author's names: the peak op, who is live there, and a capacity that works.
absl::Status NameFailure(const absl::Status& status, const Graph& graph, const Schedule& schedule, const Uses& uses,
                         const Sharing& sharing, const LiveRanges& live, const SpaceProblem& problem,
                         const PlacementOptions& options) {
  if (absl::IsInvalidArgument(status)) return NamePinConflict(status, graph, sharing, problem);
  const Peak peak = FindPeak(problem.problem, int64_t{schedule.End()} + 2);
  std::string text = absl::StrCat("space \"", graph.name(problem.space), "\": ", status.message());
  const std::optional<OpId> op = OpAtAxis(schedule, peak.time);
  if (op.has_value()) absl::StrAppend(&text, "; most is live at op \"", graph.name(*op), "\": ", peak.bytes, " bytes");
  const std::vector<ValueId> values = LiveAt(graph, schedule, uses, sharing, live, problem.space, peak.time);
  for (size_t i = 0; i < std::min(values.size(), kMaxNamed); ++i) {
    absl::StrAppend(&text, i == 0 ? ": " : ", ", "\"", graph.name(values[i]), "\" ", graph.value(values[i]).max_bytes);
  }
  if (values.size() > kMaxNamed) absl::StrAppend(&text, " and ", values.size() - kMaxNamed, " more");
  if (op.has_value() && graph.op(*op).max_scratch_bytes > 0 && graph.op(*op).scratch_space == problem.space) {
    absl::StrAppend(&text, ", scratch of \"", graph.name(*op), "\" ", graph.op(*op).max_scratch_bytes);
  }
  size_t antichain_size = 0;
  if (problem.problem.order.has_value()) {
    const Antichain heaviest = HeaviestAntichain(problem.problem, kAntichainWork, options.deadline);
    if (heaviest.bytes > peak.bytes) {
      antichain_size = heaviest.pieces.size();
      absl::StrAppend(&text, "; where streams run ahead of each other ", heaviest.bytes, " bytes may be live at once",
                      NamesOf(ItemsOf(heaviest, problem.problem), graph, sharing, problem));
    }
  }
  if (problem.problem.capacity_bytes.has_value() && absl::IsResourceExhausted(status)) {
    absl::StrAppend(&text, DescribeSubset(graph, sharing, problem, peak.time, antichain_size));
  }
  std::optional<Shortfall> shortfall = ShortfallOf(status);
  if (problem.problem.capacity_bytes.has_value()) {
    PlacementProblem unlimited = problem.problem;
    unlimited.capacity_bytes = std::nullopt;
    const absl::StatusOr<Placement> placement = Place(unlimited, options);
    std::optional<int64_t> best = shortfall.has_value() ? shortfall->best_bytes : std::nullopt;
    if (placement.ok()) best = std::min(best.value_or(INT64_MAX), placement->total_bytes);
    if (best.has_value()) absl::StrAppend(&text, "; the least capacity known to work is ", *best);
    if (shortfall.has_value()) shortfall->best_bytes = best;
  }
  absl::Status named(status.code(), text);
  if (!shortfall.has_value()) return named;
  shortfall->space = std::string(graph.name(problem.space));
  return WithShortfall(std::move(named), *shortfall);
}

}  // namespace

bool IsOutOfMemory(const absl::Status& status) {
  return absl::IsResourceExhausted(status) || absl::IsDeadlineExceeded(status);
}

std::vector<int64_t> CapacitiesOf(const Graph& graph, const PlanOptions& options) {
  std::vector<int64_t> capacities;
  for (const Space& s : graph.spaces()) capacities.push_back(s.capacity_bytes.value_or(INT64_MAX));
  if (options.capacity_bytes.has_value()) capacities[0] = std::min(capacities[0], *options.capacity_bytes);
  return capacities;
}

PlacementOptions PlacementOptionsOf(const PlanOptions& options) {
  PlacementOptions placement;
  placement.effort = options.effort == Effort::kFast      ? PlacementEffort::kFast
                     : options.effort == Effort::kDefault ? PlacementEffort::kDefault
                                                          : PlacementEffort::kMax;
  placement.work_limit = options.work_limit;
  placement.deadline = options.deadline;
  placement.threads = options.threads;
  return placement;
}

absl::StatusOr<Candidate> ShareCandidate(const Graph& graph, const Schedule& schedule, const SharingPolicy& policy) {
  absl::StatusOr<SharedStorages> shared = ShareStorages(graph, schedule, policy);
  if (!shared.ok()) return shared.status();
  Candidate c(*std::move(shared));
  c.sharing.added_order = ReduceEdges(graph, schedule, std::move(c.sharing.added_order));
  return c;
}

absl::Status FindProblems(const Graph& graph, const Schedule& schedule, const PlanOptions& options,
                          Capacities capacities, Candidate& c) {
  c.ordered = nullptr;
  if (!schedule.one_stream() && (!c.bought.empty() || !c.sharing.added_order.empty())) {
    std::vector<OrderEdge> edges = c.sharing.added_order;
    for (const AddedEdge& e : c.bought) edges.push_back({e.before, e.after});
    absl::StatusOr<Schedule> ordered = schedule.WithEdges(edges);
    if (!ordered.ok()) return ordered.status();
    c.ordered = std::make_shared<const Schedule>(*std::move(ordered));
  }
  const Schedule& run = c.OrderedBy(schedule);
  c.live = ComputeLiveRanges(graph, run, c.uses, c.sharing);
  c.problems = SplitBySpace(graph, run, c.sharing, c.live, options, capacities);
  return absl::OkStatus();
}

absl::Status PlaceCandidate(const Graph& graph, const Schedule& schedule, const PlanOptions& options,
                            Capacities capacities, std::optional<int64_t> hopeless_above, Candidate& c) {
  c.placements.clear();
  c.bytes = 0;
  c.optimal = true;
  if (absl::Status status = FindProblems(graph, schedule, options, capacities, c); !status.ok()) return status;
  if (hopeless_above.has_value()) {
    int64_t bound = 0;
    for (const SpaceProblem& p : c.problems) bound += ComputeLowerBound(p.problem).bytes;
    if (bound > *hopeless_above) return absl::CancelledError("no placement would do");
  }
  const PlacementOptions placement_options = PlacementOptionsOf(options);
  for (size_t i = 0; i < c.problems.size(); ++i) {
    absl::StatusOr<Placement> placement = Place(c.problems[i].problem, placement_options);
    if (!placement.ok()) {
      return NameFailure(placement.status(), graph, c.OrderedBy(schedule), c.uses, c.sharing, c.live, c.problems[i],
                         placement_options);
    }
    c.bytes += placement->total_bytes;
    c.optimal = c.optimal && placement->optimal;
    c.placements.push_back(*std::move(placement));
  }
  return absl::OkStatus();
}

}  // namespace bufplan
