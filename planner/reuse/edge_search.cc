#include "planner/reuse/edge_search.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "planner/order/reduce_edges.h"
#include "planner/placement/conflict_lists.h"
#include "planner/reuse/successive.h"

namespace bufplan {
namespace {

// Steps, in ops of the graph: to find the problems, to place them, and for one heaviest antichain, of which the search
// itself is limited too.
constexpr int64_t kFindSteps = 1, kPlaceSteps = 60, kAntichainSteps = 4;
constexpr int64_t kAntichainWork = 500'000;
// Of the heaviest pieces so many may be put in order.
constexpr size_t kMaxMembers = 24;
// The best first edges from which the others are looked for, and steps that may be done before the next one.
constexpr size_t kMaxFirst = 12;
constexpr int64_t kRetryWork = 500'000;
// Steps to look for fewer edges by trying out all; of large graphs that is a small part.
constexpr int64_t kFewerWork = 1'000'000;
constexpr int64_t kMaxFewerOps = 100;
// Edges in a row that lower no peak.
constexpr int kMaxPlateau = 64;

bool IsUnit(int32_t time, const Schedule& schedule) { return time != Schedule::kStart && time != schedule.End(); }

}  // namespace

EdgeSearch::EdgeSearch(const Graph& graph, const Schedule& schedule, const PlanOptions& options, Candidate& candidate,
                       int64_t& work)
    : g_(graph),
      schedule_(schedule),
      options_(options),
      c_(candidate),
      size_(static_cast<int64_t>(graph.ops().size()) + 1),
      work_(work) {
  options_.effort = std::max(options.effort, Effort::kDefault);
}

bool EdgeSearch::Find() {
  work_ -= kFindSteps * size_;
  return FindProblems(g_, schedule_, options_, Capacities::kIgnore, c_).ok();
}

bool EdgeSearch::Place() {
  work_ -= kPlaceSteps * size_;
  return PlaceCandidate(g_, schedule_, options_, Capacities::kIgnore, std::nullopt, c_).ok();
}

Antichain EdgeSearch::Heaviest(const SpaceProblem& space) {
  work_ -= kAntichainSteps * size_;
  return HeaviestAntichain(space.problem, kAntichainWork, options_.deadline);
}

EdgeSearch::Placed EdgeSearch::Save() const {
  return {c_.bought, c_.ordered, c_.live, c_.problems, c_.placements, c_.bytes, c_.optimal};
}

void EdgeSearch::Restore(Placed placed) {
  c_.bought = std::move(placed.bought);
  c_.ordered = std::move(placed.ordered);
  c_.live = std::move(placed.live);
  c_.problems = std::move(placed.problems);
  c_.placements = std::move(placed.placements);
  c_.bytes = placed.bytes;
  c_.optimal = placed.optimal;
}

bool EdgeSearch::Meets(const std::vector<int64_t>& targets) const {
  for (size_t i = 0; i < targets.size(); ++i) {
    if (c_.placements[i].total_bytes > targets[i]) return false;
  }
  return true;
}

EdgeSearch::PieceUnits EdgeSearch::UnitsOf(const SpaceProblem& space) const {
  PieceUnits units;
  for (int32_t s : space.storage) {
    for (uint32_t p = c_.live.begin[static_cast<size_t>(s)]; p < c_.live.begin[static_cast<size_t>(s) + 1]; ++p) {
      units.born.push_back(c_.live.born[p]);
      units.until.push_back(c_.live.until[p]);
    }
  }
  for (size_t i = 0; i < space.scratch.size(); ++i) {
    if (space.problem.storages[space.storage.size() + i].num_pieces == 0) continue;
    units.born.push_back(schedule_.TimeOf(space.scratch[i]));
    units.until.emplace_back(units.born.back());
  }
  return units;
}

std::vector<int64_t> EdgeSearch::BytesInEveryRun() const {
  std::vector<int64_t> bytes;
  for (const SpaceProblem& space : c_.problems) bytes.push_back(BytesInEveryRun(space));
  return bytes;
}

// A piece is live while a unit runs if it begins with that or before, and some use of it comes with that or later: on
// each stream, a run of units.
int64_t EdgeSearch::BytesInEveryRun(const SpaceProblem& space) const {
  const Schedule& order = run();
  const std::vector<Piece>& pieces = space.problem.pieces;
  const PieceUnits units = UnitsOf(space);
  std::vector<std::vector<int32_t>> streams(static_cast<size_t>(g_.num_streams()));
  for (int32_t t = 0; t < order.End(); ++t) {
    if (!order.UnitAt(t).empty()) streams[static_cast<size_t>(order.StreamOf(t))].push_back(t);
  }
  int64_t at_start = 0, at_end = 0, most = 0;
  for (size_t p = 0; p < pieces.size(); ++p) {
    const int64_t bytes = pieces[p].high - pieces[p].low;
    at_start += units.born[p] == Schedule::kStart ? bytes : 0;
    units.until[p].ForEach([&](int32_t t) { at_end += t == order.End() ? bytes : 0; });
  }
  for (const std::vector<int32_t>& stream : streams) {
    std::vector<int64_t> change(stream.size() + 1, 0);
    for (size_t p = 0; p < pieces.size(); ++p) {
      const auto not_born = [&](int32_t t) { return t != units.born[p] && !order.Before(units.born[p], t); };
      const auto needed = [&](int32_t t) {
        bool any = false;
        units.until[p].ForEach([&](int32_t use) { any = any || t == use || order.Before(t, use); });
        return any;
      };
      const auto first = std::partition_point(stream.begin(), stream.end(), not_born);
      const auto end = std::partition_point(first, stream.end(), needed);
      change[static_cast<size_t>(first - stream.begin())] += pieces[p].high - pieces[p].low;
      change[static_cast<size_t>(end - stream.begin())] -= pieces[p].high - pieces[p].low;
    }
    int64_t live = 0;
    for (int64_t c : change) most = std::max(most, live += c);
  }
  return std::max({at_start, at_end, most});
}

std::optional<std::vector<OrderEdge>> EdgeSearch::EdgesBetween(const Frontier& until, int32_t born) const {
  const Schedule& order = run();
  if (born == Schedule::kStart) return std::nullopt;
  bool possible = true;
  std::vector<int32_t> tails;
  until.ForEach([&](int32_t t) {
    if (t == Schedule::kStart || (t != schedule_.End() && order.Before(t, born))) return;
    possible = possible && t != schedule_.End() && t != born && !order.Before(born, t);
    tails.push_back(t);
  });
  if (!possible) return std::nullopt;
  std::vector<OrderEdge> edges;
  for (int32_t t : tails) {
    const bool implied = std::any_of(tails.begin(), tails.end(), [&](int32_t u) { return order.Before(t, u); });
    if (!implied) edges.push_back({order.OpAt(t), order.OpAt(born)});
  }
  return edges;
}

// Orders two of the heaviest pieces, in the best way but `rank`. False if there is none.
bool EdgeSearch::AddBestEdges(size_t space, const Antichain& heaviest, int64_t excess, size_t rank) {
  const PlacementProblem& problem = c_.problems[space].problem;
  const PieceUnits units = UnitsOf(c_.problems[space]);
  const Schedule& order = run();
  const auto bytes = [&](int32_t p) {
    const Piece& piece = problem.pieces[static_cast<size_t>(p)];
    return piece.high - piece.low;
  };
  const auto born = [&](int32_t p) { return units.born[static_cast<size_t>(p)]; };
  std::vector<int32_t> members = heaviest.pieces;
  std::stable_sort(members.begin(), members.end(), [&](int32_t a, int32_t b) { return bytes(a) > bytes(b); });
  const size_t movable = std::min(members.size(), kMaxMembers);
  work_ -= static_cast<int64_t>(movable * movable * members.size()) / 8;

  using Score = std::tuple<int64_t, int64_t, int64_t>;  // bytes taken off, -edges, how long the wait has been over
  std::vector<std::pair<Score, std::vector<OrderEdge>>> ways;
  for (size_t j = 0; j < movable; ++j) {
    const int32_t b = born(members[j]);
    int64_t later = 0;  // bytes that begin after the edge
    for (int32_t q : members)
      later += b == born(q) || (born(q) != Schedule::kStart && order.Before(b, born(q))) ? bytes(q) : 0;
    for (size_t i = 0; i < movable; ++i) {
      if (i == j) continue;
      const std::optional<std::vector<OrderEdge>> edges = EdgesBetween(units.until[static_cast<size_t>(members[i])], b);
      if (!edges.has_value() || edges->empty()) continue;
      const auto over = [&](int32_t t) {
        if (!IsUnit(t, schedule_)) return t == Schedule::kStart;
        return order.Before(t, b) || std::any_of(edges->begin(), edges->end(), [&](const OrderEdge& e) {
                 return order.TimeOf(e.before) == t || order.Before(t, order.TimeOf(e.before));
               });
      };
      int64_t earlier = 0;  // bytes that are over with it
      for (int32_t p : members) {
        bool all = true;
        units.until[static_cast<size_t>(p)].ForEach([&](int32_t t) { all = all && over(t); });
        earlier += all ? bytes(p) : 0;
      }
      int64_t slack = INT64_MAX;
      for (const OrderEdge& e : *edges)
        slack = std::min<int64_t>(slack, order.PlaceOf(b) - order.PlaceOf(order.TimeOf(e.before)));
      const Score score = {std::min({earlier, later, excess}), -static_cast<int64_t>(edges->size()), slack};
      if (std::get<0>(score) > 0) ways.emplace_back(score, *edges);
    }
  }
  std::stable_sort(ways.begin(), ways.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  ways.erase(std::unique(ways.begin(), ways.end(), [](const auto& a, const auto& b) { return a.second == b.second; }),
             ways.end());
  if (rank >= ways.size()) return false;
  for (const OrderEdge& e : ways[rank].second) c_.bought.push_back({e.before, e.after, ""});
  return true;
}

bool EdgeSearch::Climb(const std::vector<int64_t>& targets, size_t first) {
  c_.bought.clear();
  while (WorkLeft() && Find()) {
    size_t worst = 0;
    Antichain heaviest;
    int64_t excess = INT64_MIN;
    for (size_t i = 0; i < targets.size(); ++i) {
      Antichain a = Heaviest(c_.problems[i]);
      if (a.bytes - targets[i] <= excess) continue;
      excess = a.bytes - targets[i];
      worst = i;
      heaviest = std::move(a);
    }
    if (excess <= 0) {
      if (!Place()) break;
      if (Meets(targets)) return true;
      // The heaviest pieces would fit, but not as they can be placed.
      for (size_t i = 0; i < targets.size(); ++i) {
        const int64_t above = c_.placements[i].total_bytes - targets[i];
        if (above > 0) excess = above, worst = i;
      }
      heaviest = Heaviest(c_.problems[worst]);
    }
    if (!AddBestEdges(worst, heaviest, excess, c_.bought.empty() ? first : 0)) break;
  }
  return false;
}

bool EdgeSearch::Reach(const std::vector<int64_t>& targets) {
  std::optional<Placed> fewest;
  const int64_t enough = work_ - kRetryWork;
  const Deadline deadline = options_.deadline;
  options_.deadline = deadline.Part(2);
  for (size_t first = 0; first < kMaxFirst && (first == 0 || work_ > std::max<int64_t>(enough, 0)); ++first) {
    if (!Climb(targets, first)) continue;
    Trim(targets);
    if (!fewest.has_value() || c_.bought.size() < fewest->bought.size()) fewest = Save();
    if (fewest->bought.size() <= 1) break;
  }
  options_.deadline = deadline;
  if (fewest.has_value()) {
    Restore(*std::move(fewest));
    if (!deadline.never()) Trim(targets);  // as far as there was no time before
    ReachWithFewer(targets);
    return true;
  }
  if (!OutOfTime() && PlaceSerially(targets)) {
    Trim(targets);
    return true;
  }
  c_.bought.clear();
  if (!Place() || OutOfTime()) return false;
  Lower();
  Trim();  // which may lower it further
  if (!Meets(targets)) return false;
  Trim(targets);
  return true;
}

void EdgeSearch::ReachWithFewer(const std::vector<int64_t>& targets) {
  if (size_ > kMaxFewerOps || work_ < kFewerWork || OutOfTime()) return;
  Placed placed = Save();
  const int64_t end = work_ - kFewerWork;
  for (size_t most = 1; most < placed.bought.size(); ++most) {
    c_.bought.clear();
    reserve_ = end;
    const bool reached = ReachWithin(targets, most);
    reserve_ = 0;
    if (reached) return Trim(targets);
    if (work_ <= end || OutOfTime()) break;
  }
  Restore(std::move(placed));
}

bool EdgeSearch::ReachWithin(const std::vector<int64_t>& targets, size_t most) {
  if (!WorkLeft() || !Find()) return false;
  for (size_t i = 0; i < targets.size(); ++i) {
    const Antichain heaviest = Heaviest(c_.problems[i]);
    if (heaviest.bytes <= targets[i]) continue;
    if (most == 0) return false;
    for (const OrderEdge& e : EdgesThatThin(i, heaviest)) {
      c_.bought.push_back({e.before, e.after, ""});
      if (ReachWithin(targets, most - 1)) return true;
      c_.bought.pop_back();
      if (!WorkLeft()) return false;
    }
    return false;
  }
  return Place() && Meets(targets);
}

// Every set of edges with which these pieces are not all live at once has one of these: from a unit that ends some
// life, to one that begins some life, so that a use of one of the pieces comes before another one begins.
std::vector<OrderEdge> EdgeSearch::EdgesThatThin(size_t space, const Antichain& heaviest) {
  const Schedule& order = run();
  const PieceUnits units = UnitsOf(c_.problems[space]);
  std::vector<int32_t> ends, begins, own_ends, own_begins;
  const auto add = [&](size_t p, std::vector<int32_t>& last, std::vector<int32_t>& first) {
    units.until[p].ForEach([&](int32_t t) {
      if (IsUnit(t, schedule_)) last.push_back(t);
    });
    if (units.born[p] != Schedule::kStart) first.push_back(units.born[p]);
  };
  for (size_t p = 0; p < units.born.size(); ++p) add(p, ends, begins);
  for (int32_t p : heaviest.pieces) add(static_cast<size_t>(p), own_ends, own_begins);
  for (std::vector<int32_t>* list : {&ends, &begins, &own_ends, &own_begins}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  work_ -= static_cast<int64_t>(ends.size() * begins.size()) / 4;
  std::vector<OrderEdge> edges;
  for (int32_t t : ends) {
    const bool follows =
        std::any_of(own_ends.begin(), own_ends.end(), [&](int32_t u) { return u == t || order.Before(u, t); });
    for (int32_t b : begins) {
      if (!follows || t == b || order.Before(t, b) || order.Before(b, t)) continue;
      const bool leads =
          std::any_of(own_begins.begin(), own_begins.end(), [&](int32_t u) { return u == b || order.Before(b, u); });
      if (leads) edges.push_back({order.OpAt(t), order.OpAt(b)});
    }
  }
  return edges;
}

void EdgeSearch::Lower() {
  Placed best = Save();
  int64_t lowest = INT64_MAX;
  for (int plateau = 0; plateau < kMaxPlateau && WorkLeft() && Find();) {
    int64_t sum = 0;
    size_t worst = 0;
    Antichain heaviest;
    for (size_t i = 0; i < c_.problems.size(); ++i) {
      Antichain a = Heaviest(c_.problems[i]);
      sum += a.bytes;
      if (a.bytes <= heaviest.bytes) continue;
      worst = i;
      heaviest = std::move(a);
    }
    plateau = sum < lowest ? 0 : plateau + 1;
    lowest = std::min(lowest, sum);
    if (sum < best.bytes && plateau == 0 && Place() && c_.bytes < best.bytes) best = Save();
    if (!AddBestEdges(worst, heaviest, INT64_MAX)) break;
  }
  std::vector<int64_t> targets;
  for (const Placement& p : best.placements) targets.push_back(p.total_bytes);
  if (!OutOfTime() && PlaceSerially(targets) && c_.bytes < best.bytes) return;
  Restore(std::move(best));
}

// As if all ran in list order; then edges for what that shares across streams.
bool EdgeSearch::PlaceSerially(const std::vector<int64_t>& targets) {
  c_.bought.clear();
  if (!Find()) return false;
  std::vector<OrderEdge> edges;
  std::vector<Placement> placements;
  for (size_t i = 0; i < c_.problems.size(); ++i) {
    PlacementProblem serial = c_.problems[i].problem;
    serial.order = std::nullopt;
    absl::StatusOr<Placement> placement = bufplan::Place(serial, PlacementOptionsOf(options_));
    if (!placement.ok() || placement->total_bytes > targets[i]) return false;
    const PieceUnits units = UnitsOf(c_.problems[i]);
    for (const auto& [p, q] : FindSuccessive(serial, *placement)) {
      const std::optional<std::vector<OrderEdge>> between =
          EdgesBetween(units.until[static_cast<size_t>(p)], units.born[static_cast<size_t>(q)]);
      if (!between.has_value()) return false;
      edges.insert(edges.end(), between->begin(), between->end());
    }
    placements.push_back(*std::move(placement));
  }
  for (const OrderEdge& e : ReduceEdges(g_, run(), std::move(edges))) c_.bought.push_back({e.before, e.after, ""});
  if (Place() && Meets(targets)) return true;
  // It was placed once; the order only has to say so.
  c_.bytes = 0;
  c_.optimal = true;
  for (size_t i = 0; i < placements.size(); ++i) {
    Placement& placement = placements[i];
    placement.lower_bound_bytes = Heaviest(c_.problems[i]).bytes;
    placement.optimal = placement.total_bytes == placement.lower_bound_bytes;
    c_.bytes += placement.total_bytes;
    c_.optimal = c_.optimal && placement.optimal;
  }
  c_.placements = std::move(placements);
  return true;
}

void EdgeSearch::Trim() {
  std::vector<int64_t> targets;
  for (const Placement& p : c_.placements) targets.push_back(p.total_bytes);
  Trim(targets);
}

void EdgeSearch::Trim(const std::vector<int64_t>& targets) {
  for (size_t i = c_.bought.size(); i-- > 0 && WorkLeft();) {
    Placed with = Save();
    c_.bought.erase(c_.bought.begin() + static_cast<std::ptrdiff_t>(i));
    if (!Place() || !Meets(targets)) Restore(std::move(with));
  }
  // What no placement needs is gone; what this one does not need goes too.
  for (size_t i = c_.bought.size(); i-- > 0;) {
    if (OutOfTime()) {
      c_.bought[i].why = "streams share bytes; the time limit left none to find out whether it is needed";
      continue;
    }
    const std::optional<std::string> why = Need(i);
    if (why.has_value()) {
      c_.bought[i].why = *why;
      continue;
    }
    c_.bought.erase(c_.bought.begin() + static_cast<std::ptrdiff_t>(i));
    const std::vector<Placement> placements = c_.placements;
    if (!Find()) return;
    c_.placements = placements;
  }
}

// Why the placement needs the edge: two storages that share bytes are not ordered without it. Absent: it does not.
std::optional<std::string> EdgeSearch::Need(size_t edge) {
  Placed with = Save();
  const AddedEdge e = c_.bought[edge];
  c_.bought.erase(c_.bought.begin() + static_cast<std::ptrdiff_t>(edge));
  std::optional<std::string> why;
  const bool found = Find();
  for (size_t i = 0; i < with.problems.size() && found && !why.has_value(); ++i) {
    const PlacementProblem& without = c_.problems[i].problem;
    const SpaceProblem& space = with.problems[i];
    for (const auto& [p, q] : FindSuccessive(space.problem, with.placements[i])) {
      const size_t earlier = static_cast<size_t>(p), later = static_cast<size_t>(q);
      if (without.pieces.size() == space.problem.pieces.size() &&
          without.order->Before(earlier, later, without.pieces[later].begin)) {
        continue;
      }
      const PieceUnits units = UnitsOf(c_.problems[i]);
      why = absl::StrCat(NameIn(space, q, units.born[later]), " takes bytes of ", NameIn(space, p, units.born[earlier]),
                         ", which is in use until \"", g_.name(e.before), "\"");
      break;
    }
  }
  Restore(std::move(with));
  return why;
}

// The value, or scratch, that a piece holds first.
std::string EdgeSearch::NameIn(const SpaceProblem& space, int32_t piece, int32_t born) const {
  const size_t item = static_cast<size_t>(OwnersOfPieces(space.problem)[static_cast<size_t>(piece)]);
  if (item >= space.storage.size()) {
    return absl::StrCat("scratch of \"", g_.name(space.scratch[item - space.storage.size()]), "\"");
  }
  std::optional<ValueId> name;
  for (size_t i = 0; i < g_.values().size(); ++i) {
    if (c_.sharing.storage_of[i] != space.storage[item]) continue;
    const ValueId v(static_cast<int32_t>(i));
    const std::optional<OpId> producer = g_.producer(v);
    const int32_t time = producer.has_value() ? schedule_.TimeOf(*producer) : Schedule::kStart;
    if (!name.has_value() || time == born) name = v;
    if (time == born) break;
  }
  return absl::StrCat("\"", g_.name(*name), "\"");
}

}  // namespace bufplan
