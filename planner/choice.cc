#include "planner/choice.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "planner/sharing/policy.h"
#include "planner/sharing/storage.h"

namespace bufplan {
namespace {

// At the default effort larger graphs are planned in two ways only.
constexpr size_t kMaxOpsForManyWays = 20000;
// Wishes of which every combination is tried, and how many ops may be planned for that and for single steps.
constexpr size_t kMaxExactWishes = 12;
constexpr int64_t kExactWork = 40000;
constexpr int64_t kStepWork = 5000;
// Steps of placement per op while ways are compared.
constexpr int64_t kQuickSteps = 100;

constexpr uint8_t Bits(WishKind kind) { return static_cast<uint8_t>(kind); }
constexpr uint8_t kMoves = Bits(WishKind::kSource) | Bits(WishKind::kForward);
constexpr uint8_t kEverything = kMoves | Bits(WishKind::kBase) | Bits(WishKind::kInPlace);

class Chooser {
 public:
  Chooser(const Graph& graph, const Schedule& schedule, const PlanOptions& options)
      : g_(graph), schedule_(schedule), options_(options) {}

  absl::StatusOr<Candidate> Run() &&;

 private:
  struct Way {
    InPlaceTaste taste = InPlaceTaste::kFirstOperand;
    bool contest = true;
    std::vector<uint8_t> unwanted;
  };
  bool Try(Way way, bool thorough = false);
  bool Better(int64_t bytes, int64_t moved) const;
  std::vector<uint8_t> Without(uint8_t kinds) const { return std::vector<uint8_t>(g_.values().size(), kinds); }
  // Values that lie somewhere because of a wish that moves no bytes: inputs, then results in order of their ops.
  std::vector<ValueId> Granted() const;
  void TryCombinations(const std::vector<ValueId>& granted);
  void TrySteps(const std::vector<ValueId>& granted);

  const Graph& g_;
  const Schedule& schedule_;
  const PlanOptions& options_;
  std::optional<Candidate> best_;
  Way best_way_;
  bool thorough_ = true;  // how the best was placed
  absl::Status error_;
};

bool Chooser::Better(int64_t bytes, int64_t moved) const {
  if (!best_.has_value()) return true;
  if (options_.objective == Objective::kCopies) {
    return std::make_pair(moved, bytes) < std::make_pair(best_->moved_bytes, best_->bytes);
  }
  return std::make_pair(bytes, moved) < std::make_pair(best_->bytes, best_->moved_bytes);
}

// True if it is the best so far.
bool Chooser::Try(Way way, bool thorough) {
  SharingPolicy policy;
  policy.taste = way.taste;
  policy.contest = way.contest;
  policy.unwanted = way.unwanted;
  absl::StatusOr<Candidate> c = ShareCandidate(g_, schedule_, policy);
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
    status = PlaceCandidate(g_, schedule_, options, limit, *c);
  }
  if (!status.ok()) {
    if (error_.ok() && !absl::IsCancelled(status)) error_ = status;
    return false;
  }
  if (!Better(c->bytes, c->moved_bytes)) return false;
  best_ = *std::move(c);
  thorough_ = thorough;
  best_way_ = std::move(way);
  return true;
}

std::vector<ValueId> Chooser::Granted() const {
  std::vector<ValueId> granted;
  const auto add = [&](ValueId v) {
    const uint8_t kind = Bits(best_->sharing.joined_by[v.index()]);
    if ((kind & ~Bits(WishKind::kInPlace)) != 0) granted.push_back(v);
  };
  for (size_t i = 0; i < g_.values().size(); ++i) {
    if (g_.values()[i].role == Role::kInput) add(ValueId(static_cast<int32_t>(i)));
  }
  for (const Op& op : g_.ops()) {
    for (const Write& w : g_.writes(op)) add(w.value);
  }
  return granted;
}

void Chooser::TryCombinations(const std::vector<ValueId>& granted) {
  std::vector<uint8_t> kinds;
  for (ValueId v : granted) kinds.push_back(Bits(best_->sharing.joined_by[v.index()]));
  Way way = best_way_;
  way.contest = false;
  const std::vector<uint8_t> unwanted = way.unwanted.empty() ? Without(0) : way.unwanted;
  for (uint32_t mask = 0; mask < uint32_t{1} << granted.size(); ++mask) {
    way.unwanted = unwanted;
    for (size_t i = 0; i < granted.size(); ++i) {
      if ((mask >> i & 1) != 0) way.unwanted[granted[i].index()] |= kinds[i];
    }
    Try(way);
  }
}

void Chooser::TrySteps(const std::vector<ValueId>& granted) {
  int64_t work = kStepWork;
  const int64_t cost = static_cast<int64_t>(g_.ops().size()) + 1;
  for (ValueId v : granted) {
    if ((work -= cost) < 0) return;
    const uint8_t kind = Bits(best_->sharing.joined_by[v.index()]);
    if (kind == 0) continue;
    Way way = best_way_;
    if (way.unwanted.empty()) way.unwanted = Without(0);
    way.unwanted[v.index()] |= kind;
    Try(std::move(way));
  }
}

absl::StatusOr<Candidate> Chooser::Run() && {
  Try({}, true);
  const size_t ops = g_.ops().size();
  const bool fast = options_.effort == Effort::kFast;
  const bool many = options_.effort == Effort::kMax || (!fast && ops <= kMaxOpsForManyWays);
  const auto joined = [](WishKind kind) { return (Bits(kind) & kMoves) != 0; };
  const bool moves =
      best_.has_value() && std::any_of(best_->sharing.joined_by.begin(), best_->sharing.joined_by.end(), joined);
  const auto done = [&] { return best_.has_value() && best_->optimal && (best_->bytes == 0 || !moves); };
  if (many && !done()) Try({InPlaceTaste::kOldestOperand, true, {}}, true);
  const bool memory = options_.objective == Objective::kMemory;
  if ((moves && memory && best_->bytes > 0) || !best_.has_value()) Try({best_way_.taste, true, Without(kMoves)});
  if (many && (moves || !best_.has_value()) && !done()) {
    Try({best_way_.taste, true, Without(Bits(WishKind::kForward))});
  }
  if (many && (!best_.has_value() || best_->bytes > 0)) {
    Try({InPlaceTaste::kFirstOperand, true, Without(kEverything)}, true);
  }
  if (many && best_.has_value() && (moves || best_->moved_bytes > 0)) {
    const std::vector<ValueId> granted = Granted();
    const bool exact =
        granted.size() <= kMaxExactWishes && (int64_t{1} << granted.size()) * static_cast<int64_t>(ops) <= kExactWork;
    const bool nothing_to_gain = best_->moved_bytes == 0 && (best_->bytes == 0 || !memory);
    if (!nothing_to_gain) exact ? TryCombinations(granted) : TrySteps(granted);
  }
  if (!best_.has_value()) return error_;
  if (!thorough_ && !best_->optimal && !fast) {
    Candidate again = *best_;
    if (PlaceCandidate(g_, schedule_, options_, std::nullopt, again).ok() && again.bytes < best_->bytes) return again;
  }
  return *std::move(best_);
}

}  // namespace

absl::StatusOr<Candidate> ChooseCandidate(const Graph& graph, const Schedule& schedule, const PlanOptions& options) {
  return Chooser(graph, schedule, options).Run();
}

}  // namespace bufplan
