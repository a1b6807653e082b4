#include "planner/choice.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "planner/placement/lower_bound.h"
#include "planner/sharing/policy.h"
#include "planner/sharing/storage.h"

namespace bufplan {
namespace {

// At the default effort larger graphs are planned in two ways only.
constexpr size_t kMaxOpsForManyWays = 20000;
// Wishes of which every combination is tried, and how many ops may be planned for that and for single steps.
constexpr size_t kMaxExactWishes = 12;
constexpr int64_t kExactWork = 40000;
// With symbols a plan costs about so many times as much.
constexpr int64_t kProofCost = 8;
constexpr int64_t kStepWork = 5000;
// Peaks that are lowered one after the other, and how many ops may be planned for that.
constexpr int64_t kMaxPeaks = 8;
constexpr int64_t kPeakWork = 100000;
// Steps of placement per op while ways are compared.
constexpr int64_t kQuickSteps = 100;

constexpr uint8_t Bits(WishKind kind) { return static_cast<uint8_t>(kind); }
constexpr uint8_t kMoves = Bits(WishKind::kSource) | Bits(WishKind::kForward);
constexpr uint8_t kEverything = kMoves | Bits(WishKind::kBase) | Bits(WishKind::kInPlace);

class Chooser {
 public:
  Chooser(const Graph& graph, const Schedule& schedule, const PlanOptions& options, Capacities capacities)
      : g_(graph), schedule_(schedule), options_(options), capacities_(capacities) {}

  absl::StatusOr<Candidate> Run() &&;

 private:
  struct Way {
    InPlaceTaste taste = InPlaceTaste::kFirstOperand;
    bool contest = true;
    std::vector<uint8_t> unwanted;
  };
  bool Try(Way way, bool thorough = false);
  bool Try(const Way& way, bool thorough, std::optional<Candidate>& candidate);
  void Keep(Way way, bool thorough, Candidate candidate);
  bool Better(int64_t bytes, int64_t moved) const;
  bool OutOfTime() const;
  std::vector<uint8_t> Without(uint8_t kinds) const { return std::vector<uint8_t>(g_.values().size(), kinds); }
  // A value that lies where it does by a wish that saves moving bytes.
  struct Grant {
    ValueId value;
    WishKind kind;
  };
  // Inputs, then results in order of their ops.
  std::vector<Grant> Granted() const;
  bool IsExact(size_t wishes) const;
  void TryCombinations(Way way, const std::vector<Grant>& granted);
  void LowerPeaks(Way way, Candidate all);
  bool StrikeOutAtPeak(const Candidate& c, std::vector<uint8_t>& unwanted) const;
  void TrySteps();

  const Graph& g_;
  const Schedule& schedule_;
  const PlanOptions& options_;
  const Capacities capacities_;
  std::optional<Candidate> best_;
  Way best_way_;
  bool thorough_ = true;  // how the best was placed
  absl::Status error_;
  std::chrono::steady_clock::duration storages_time_{0};  // what it took last to make storages, if there is a deadline
};

bool Chooser::Better(int64_t bytes, int64_t moved) const {
  if (!best_.has_value()) return true;
  if (options_.objective == Objective::kCopies) {
    return std::make_pair(moved, bytes) < std::make_pair(best_->moved_bytes, best_->bytes);
  }
  return std::make_pair(bytes, moved) < std::make_pair(best_->bytes, best_->moved_bytes);
}

// For another way, once there is a plan, or there was no room.
bool Chooser::OutOfTime() const {
  if (options_.deadline.never() || (!best_.has_value() && !IsOutOfMemory(error_))) return false;
  return std::chrono::steady_clock::now() + storages_time_ >= options_.deadline.at();
}

bool Chooser::Try(Way way, bool thorough) {
  std::optional<Candidate> candidate;
  if (!Try(way, thorough, candidate)) return false;
  Keep(std::move(way), thorough, *std::move(candidate));
  return true;
}

void Chooser::Keep(Way way, bool thorough, Candidate candidate) {
  best_ = std::move(candidate);
  thorough_ = thorough;
  best_way_ = std::move(way);
}

// True if it is better than the best so far. Another one may be there without being placed, or absent.
bool Chooser::Try(const Way& way, bool thorough, std::optional<Candidate>& candidate) {
  candidate.reset();
  if (OutOfTime()) return false;
  SharingPolicy policy;
  policy.taste = way.taste;
  policy.contest = way.contest;
  policy.unwanted = way.unwanted;
  policy.deadline = options_.deadline;
  const auto start = std::chrono::steady_clock::now();
  absl::StatusOr<Candidate> c = ShareCandidate(g_, schedule_, policy);
  if (!options_.deadline.never()) storages_time_ = std::chrono::steady_clock::now() - start;
  absl::Status status = c.status();
  if (c.ok() && options_.objective == Objective::kCopies && !Better(0, c->moved_bytes)) return false;
  if (c.ok()) {
    std::optional<int64_t> limit;
    if (best_.has_value() && options_.objective == Objective::kMemory) {
      limit = best_->bytes - (c->moved_bytes >= best_->moved_bytes ? 1 : 0);
    }
    PlanOptions options = options_;
    const int64_t quick = kQuickSteps * (static_cast<int64_t>(g_.ops().size()) + 1);
    if (!thorough) options.work_limit = options.work_limit > 0 ? std::min(options.work_limit, quick) : quick;
    status = PlaceCandidate(g_, schedule_, options, capacities_, limit, *c);
  }
  if (!status.ok()) {
    if (error_.ok() && !absl::IsCancelled(status)) error_ = status;
    if (absl::IsCancelled(status)) candidate = *std::move(c);
    return false;
  }
  const bool better = Better(c->bytes, c->moved_bytes);
  candidate = *std::move(c);
  return better;
}

std::vector<Chooser::Grant> Chooser::Granted() const {
  std::vector<Grant> granted;
  const auto add = [&](ValueId v) {
    const WishKind kind = best_->sharing.joined_by[v.index()];
    if ((Bits(kind) & ~Bits(WishKind::kInPlace)) != 0) granted.push_back({v, kind});
  };
  for (size_t i = 0; i < g_.values().size(); ++i) {
    if (g_.values()[i].role == Role::kInput) add(ValueId(static_cast<int32_t>(i)));
  }
  for (const Op& op : g_.ops()) {
    for (const Write& w : g_.writes(op)) add(w.value);
  }
  return granted;
}

bool Chooser::IsExact(size_t wishes) const {
  const int64_t work = g_.symbols().empty() ? kExactWork : kExactWork / kProofCost;
  return wishes <= kMaxExactWishes && (int64_t{1} << wishes) * static_cast<int64_t>(g_.ops().size()) <= work;
}

void Chooser::TryCombinations(Way way, const std::vector<Grant>& granted) {
  way.contest = false;
  const std::vector<uint8_t> unwanted = way.unwanted.empty() ? Without(0) : way.unwanted;
  for (uint32_t mask = 0; mask < uint32_t{1} << granted.size() && !OutOfTime(); ++mask) {
    way.unwanted = unwanted;
    for (size_t i = 0; i < granted.size(); ++i) {
      if ((mask >> i & 1) != 0) way.unwanted[granted[i].value.index()] |= Bits(granted[i].kind);
    }
    Try(way);
  }
}

// False: nothing that is live at the peak of the largest arena lies there by such a wish.
bool Chooser::StrikeOutAtPeak(const Candidate& c, std::vector<uint8_t>& unwanted) const {
  size_t largest = 0;
  LowerBound peak;
  for (size_t i = 0; i < c.problems.size(); ++i) {
    const LowerBound bound = ComputeLowerBound(c.problems[i].problem);
    if (bound.load_bytes > peak.load_bytes) largest = i, peak = bound;
  }
  const SpaceProblem& space = c.problems[largest];
  std::vector<char> live(c.sharing.storages.size(), 0);
  for (size_t item = 0; item < space.storage.size(); ++item) {
    for (const Piece& p : space.problem.PiecesOf(item)) {
      if (p.begin <= peak.peak_time && peak.peak_time < p.end) live[static_cast<size_t>(space.storage[item])] = 1;
    }
  }
  bool any = false;
  for (size_t i = 0; i < g_.values().size(); ++i) {
    const uint8_t kind = Bits(c.sharing.joined_by[i]) & kMoves;
    if (kind == 0 || live[static_cast<size_t>(c.sharing.storage_of[i])] == 0) continue;
    unwanted[i] |= kind;
    any = true;
  }
  return any;
}

// Where some wishes cost memory, the others need not be given up: of `all`, wishes go that take part in the peak, again
// and again.
void Chooser::LowerPeaks(Way way, Candidate all) {
  if (way.unwanted.empty()) way.unwanted = Without(0);
  const int64_t cost = static_cast<int64_t>(g_.ops().size()) + 1;
  const int64_t steps = options_.effort == Effort::kFast ? 1 : std::clamp(kPeakWork / cost, int64_t{2}, kMaxPeaks);
  std::optional<Candidate> c = std::move(all);
  for (int64_t i = 0; i < steps && c.has_value() && StrikeOutAtPeak(*c, way.unwanted); ++i) {
    if (Try(way, false, c)) Keep(way, false, *c);
  }
}

// One wish of the best way after the other is taken back.
void Chooser::TrySteps() {
  int64_t work = kStepWork;
  const int64_t cost = static_cast<int64_t>(g_.ops().size()) + 1;
  for (bool improved = true; improved;) {
    improved = false;
    for (const Grant& grant : Granted()) {
      const WishKind kind = best_->sharing.joined_by[grant.value.index()];
      if (kind == WishKind::kNone) continue;
      if ((work -= cost) < 0 || OutOfTime()) return;
      Way way = best_way_;
      if (way.unwanted.empty()) way.unwanted = Without(0);
      way.unwanted[grant.value.index()] |= Bits(kind);
      improved = Try(std::move(way)) || improved;
    }
  }
}

absl::StatusOr<Candidate> Chooser::Run() && {
  Try({}, true);
  const size_t ops = g_.ops().size();
  const bool fast = options_.effort == Effort::kFast;
  const bool many = options_.effort == Effort::kMax || (!fast && ops <= kMaxOpsForManyWays);
  const bool memory = options_.objective == Objective::kMemory;
  const auto joined = [](WishKind kind) { return (Bits(kind) & kMoves) != 0; };
  const bool moves =
      best_.has_value() && std::any_of(best_->sharing.joined_by.begin(), best_->sharing.joined_by.end(), joined);
  const std::vector<Grant> granted = many && moves ? Granted() : std::vector<Grant>();
  const auto done = [&] { return best_.has_value() && best_->optimal && (best_->bytes == 0 || !moves); };
  if (many && !done()) Try({InPlaceTaste::kOldestOperand, true, {}}, true);
  const Way with_all = best_way_;
  if ((moves && memory && best_->bytes > 0) || !best_.has_value()) {
    const Way without{best_way_.taste, true, Without(kMoves)};
    std::optional<Candidate> c;
    if (Try(without, false, c)) {
      std::optional<Candidate> all = std::move(best_);
      Keep(without, false, *std::move(c));
      if (all.has_value()) LowerPeaks(with_all, *std::move(all));
    }
  }
  if (many && (moves || !best_.has_value()) && !done()) {
    Try({best_way_.taste, true, Without(Bits(WishKind::kForward))});
  }
  if (many && (!best_.has_value() || best_->bytes > 0)) {
    Try({InPlaceTaste::kFirstOperand, true, Without(kEverything)}, true);
  }
  const bool nothing_to_gain = best_.has_value() && best_->moved_bytes == 0 && (best_->bytes == 0 || !memory || !moves);
  if (many && best_.has_value() && !nothing_to_gain) {
    const Way first;
    const bool exact = IsExact(granted.size());
    if (exact) TryCombinations(first, granted);
    const bool same = moves && best_way_.taste == first.taste && best_way_.unwanted.empty();
    const std::vector<Grant> others = Granted();
    if (!IsExact(others.size())) {
      TrySteps();
    } else if (!exact || !same) {
      TryCombinations(best_way_, others);
    }
  }
  if (!best_.has_value()) return error_;
  if (!thorough_ && !best_->optimal && !fast && !options_.deadline.Passed()) {
    Candidate again = *best_;
    if (PlaceCandidate(g_, schedule_, options_, capacities_, std::nullopt, again).ok() && again.bytes < best_->bytes)
      return again;
  }
  return *std::move(best_);
}

bool MeetsCapacities(const Graph& graph, const PlanOptions& options, const Candidate& c) {
  const std::vector<int64_t> capacities = CapacitiesOf(graph, options);
  for (size_t i = 0; i < c.placements.size(); ++i) {
    if (c.placements[i].total_bytes > capacities[i]) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<Candidate> ChooseCandidate(const Graph& graph, const Schedule& schedule, const PlanOptions& options,
                                          Capacities capacities) {
  absl::StatusOr<Candidate> best = Chooser(graph, schedule, options, capacities).Run();
  if (!IsOutOfMemory(best.status()) || capacities == Capacities::kIgnore || options.effort == Effort::kFast ||
      options.deadline.Passed()) {
    return best;
  }
  // From a way that does not fit others are reached that do.
  absl::StatusOr<Candidate> wide = Chooser(graph, schedule, options, Capacities::kIgnore).Run();
  return wide.ok() && MeetsCapacities(graph, options, *wide) ? std::move(wide) : std::move(best);
}

}  // namespace bufplan
