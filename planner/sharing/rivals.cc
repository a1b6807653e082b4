#include "planner/sharing/rivals.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace bufplan {
namespace {

int32_t Size(const auto& things) { return static_cast<int32_t>(things.size()); }
size_t At(int32_t i) { return static_cast<size_t>(i); }

// Turns pairs (wish, id) into lists.
template <class L>
L ListsOf(size_t wishes, const std::vector<std::pair<int32_t, int32_t>>& pairs) {
  L lists;
  lists.begin.assign(wishes + 1, 0);
  for (const auto& [wish, id] : pairs) ++lists.begin[At(wish) + 1];
  std::partial_sum(lists.begin.begin(), lists.begin.end(), lists.begin.begin());
  lists.ids.resize(pairs.size());
  std::vector<int32_t> next(lists.begin.begin(), lists.begin.end() - 1);
  for (const auto& [wish, id] : pairs) lists.ids[At(next[At(wish)]++)] = id;
  return lists;
}

}  // namespace

void Rivals::AddWish(int64_t gain, bool held) { wishes_.push_back({gain, held}); }

void Rivals::AddCondition(int32_t wish) { conditions_.push_back({wish, Size(alternatives_), 0}); }

void Rivals::AddAlternative() {
  ++conditions_.back().open;
  alternatives_.push_back({Size(conditions_) - 1, Size(obstacles_), 0});
}

void Rivals::AddObstacle(absl::Span<const int32_t> wishes) {
  obstacles_.push_back({Size(alternatives_) - 1, Size(members_), Size(wishes)});
  members_.insert(members_.end(), wishes.begin(), wishes.end());
}

absl::Span<const int32_t> Rivals::Lists::of(int32_t wish) const {
  return absl::MakeConstSpan(ids).subspan(At(begin[At(wish)]), At(begin[At(wish) + 1] - begin[At(wish)]));
}

void Rivals::Index() {
  std::vector<std::pair<int32_t, int32_t>> pairs;
  for (int32_t c = 0; c < Size(conditions_); ++c) pairs.emplace_back(conditions_[At(c)].wish, c);
  conditions_of_ = ListsOf<Lists>(wishes_.size(), pairs);
  pairs.clear();
  for (int32_t o = 0; o < Size(obstacles_); ++o) {
    const int32_t first = obstacles_[At(o)].first, end = first + obstacles_[At(o)].missing;
    for (int32_t m = first; m < end; ++m) pairs.emplace_back(members_[At(m)], o);
  }
  obstacles_with_ = ListsOf<Lists>(wishes_.size(), pairs);
  by_gain_.resize(wishes_.size());
  std::iota(by_gain_.begin(), by_gain_.end(), 0);
  const auto key = [&](int32_t w) { return std::make_tuple(-wishes_[At(w)].gain, !wishes_[At(w)].held, w); };
  std::sort(by_gain_.begin(), by_gain_.end(), [&](int32_t a, int32_t b) { return key(a) < key(b); });
  rank_.resize(wishes_.size());
  for (int32_t i = 0; i < Size(by_gain_); ++i) rank_[At(by_gain_[At(i)])] = i;
  // What is first beyond the last one.
  conditions_.push_back({0, Size(alternatives_), 0});
  alternatives_.push_back({0, Size(obstacles_), 0});
  obstacles_.push_back({0, Size(members_), 0});
}

void Rivals::Grant(int32_t wish) {
  granted_[At(wish)] = 1;
  saved_ += wishes_[At(wish)].gain;
  for (int32_t c : conditions_of_.of(wish)) violated_ += conditions_[At(c)].open == 0;
  for (int32_t o : obstacles_with_.of(wish)) {
    Obstacle& obstacle = obstacles_[At(o)];
    if (--obstacle.missing > 0) continue;
    Alternative& alternative = alternatives_[At(obstacle.alternative)];
    if (++alternative.standing > 1) continue;
    Condition& condition = conditions_[At(alternative.condition)];
    if (--condition.open == 0 && granted_[At(condition.wish)] != 0) ++violated_;
  }
}

// Undoes Grant().
void Rivals::Withdraw(int32_t wish) {
  for (int32_t o : obstacles_with_.of(wish)) {
    Obstacle& obstacle = obstacles_[At(o)];
    if (++obstacle.missing > 1) continue;
    Alternative& alternative = alternatives_[At(obstacle.alternative)];
    if (--alternative.standing > 0) continue;
    Condition& condition = conditions_[At(alternative.condition)];
    if (++condition.open == 1 && granted_[At(condition.wish)] != 0) --violated_;
  }
  for (int32_t c : conditions_of_.of(wish)) violated_ -= conditions_[At(c)].open == 0;
  saved_ -= wishes_[At(wish)].gain;
  granted_[At(wish)] = 0;
}

bool Rivals::TryGrant(int32_t wish) {
  --steps_left_;
  Grant(wish);
  if (violated_ == 0) return true;
  Withdraw(wish);
  return false;
}

void Rivals::StartGreedily() {
  const std::vector<char> held = granted_;
  const int64_t held_saves = saved_;
  const auto restart = [&] {
    for (int32_t w = 0; w < Size(wishes_); ++w) {
      if (granted_[At(w)] != 0) Withdraw(w);
    }
  };
  restart();
  for (int32_t w : by_gain_) TryGrant(w);
  if (saved_ > held_saves) return;
  restart();
  for (int32_t w = 0; w < Size(wishes_); ++w) {
    if (held[At(w)] != 0) Grant(w);
  }
}

void Rivals::Enter(int32_t wish) {
  if (entered_[At(wish)] != 0 || window_.size() >= kMaxExact) return;
  entered_[At(wish)] = 1;
  window_.push_back(wish);
}

void Rivals::EnterObstacle(int32_t obstacle) {
  const int32_t end = obstacles_[At(obstacle) + 1].first;
  for (int32_t m = obstacles_[At(obstacle)].first; m < end; ++m) Enter(members_[At(m)]);
}

// The wish and those that are nearest to it: what is in its way, whose way it is in, and so on.
void Rivals::CollectAround(int32_t wish) {
  for (int32_t w : window_) entered_[At(w)] = 0;
  window_.clear();
  Enter(wish);
  for (size_t i = 0; i < window_.size() && window_.size() < kMaxExact; ++i) {
    const int32_t w = window_[i];
    for (int32_t c : conditions_of_.of(w)) {
      const int32_t from = alternatives_[At(conditions_[At(c)].first)].first;
      const int32_t to = alternatives_[At(conditions_[At(c) + 1].first)].first;
      for (int32_t o = from; o < to && window_.size() < kMaxExact; ++o) EnterObstacle(o);
    }
    for (int32_t o : obstacles_with_.of(w)) {
      if (window_.size() >= kMaxExact) break;
      Enter(conditions_[At(alternatives_[At(obstacles_[At(o)].alternative)].condition)].wish);
      EnterObstacle(o);
    }
  }
}

// `rest`: what the wishes from `next` on would save.
void Rivals::Search(size_t next, int64_t rest) {
  if (saved_ > best_saved_) {
    best_saved_ = saved_;
    for (size_t i = 0; i < window_.size(); ++i) best_[i] = granted_[At(window_[i])];
  }
  if (next == window_.size() || saved_ + rest <= best_saved_ || steps_left_ <= 0) return;
  const int32_t w = window_[next];
  rest -= wishes_[At(w)].gain;
  if (TryGrant(w)) {
    Search(next + 1, rest);
    Withdraw(w);
  }
  Search(next + 1, rest);
}

// Decides what is in the window exactly, given all others.
void Rivals::DecideWindow() {
  std::sort(window_.begin(), window_.end(), [&](int32_t a, int32_t b) { return rank_[At(a)] < rank_[At(b)]; });
  best_.assign(window_.size(), 0);
  best_saved_ = saved_;
  int64_t rest = 0;
  for (size_t i = 0; i < window_.size(); ++i) {
    rest += wishes_[At(window_[i])].gain;
    best_[i] = granted_[At(window_[i])];
    if (best_[i] != 0) Withdraw(window_[i]);
  }
  Search(0, rest);
  for (size_t i = 0; i < window_.size(); ++i) {
    if (best_[i] != 0) Grant(window_[i]);
  }
}

std::vector<char> Rivals::Choose() && {
  Index();
  granted_.assign(wishes_.size(), 0);
  entered_.assign(wishes_.size(), 0);
  for (int32_t w = 0; w < Size(wishes_); ++w) {
    if (wishes_[At(w)].held) TryGrant(w);
  }
  if (wishes_.size() <= kMaxExact) {
    steps_left_ = std::numeric_limits<int64_t>::max();
    window_ = by_gain_;
    DecideWindow();
    return std::move(granted_);
  }
  steps_left_ = kStepsPerWish * static_cast<int64_t>(wishes_.size());
  StartGreedily();
  for (int32_t w : by_gain_) {
    if (granted_[At(w)] != 0) continue;
    CollectAround(w);
    DecideWindow();
  }
  return std::move(granted_);
}

}  // namespace bufplan
