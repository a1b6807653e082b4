// Which of a group of wishes to grant if some are in the way of others: a set without contradiction that saves the most
// bytes.
//
// A wish may come with conditions. One is met if any of its alternatives can be had; an alternative can be had if none
// of its obstacles stands; an obstacle stands if all of its wishes are granted. With one alternative and obstacles of
// one wish each that is a weighted independent set:
//
//   A saves 5 ---- B saves 4        B's condition: without A.  C's: without A.
//             \--- C saves 4        {B, C} saves 8
//
// Up to kMaxExact wishes are decided exactly, by branch and bound. Larger groups start with what is held, or with the
// greedy choice by gain if that saves more; then each wish that is not granted is decided anew, exactly, together with
// the kMaxExact - 1 wishes that are nearest to it, while the others stay as they are.
//
// TIES: what is held stays; then by index. COST: 2^kMaxExact steps for a small group, kStepsPerWish per wish of a large
// one; a step visits the obstacles of one wish. THREADS: one at a time.
#ifndef BUFPLAN_PLANNER_SHARING_RIVALS_H_
#define BUFPLAN_PLANNER_SHARING_RIVALS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace bufplan {

class Rivals {
 public:
  static constexpr size_t kMaxExact = 12;
  static constexpr int64_t kStepsPerWish = 256;

  // `gain`: the bytes that it saves, positive. `held`: it is granted as things are. Wishes are counted from 0.
  void AddWish(int64_t gain, bool held);
  // The alternatives that are added from here on are of this condition, and so on.
  void AddCondition(int32_t wish);
  void AddAlternative();
  void AddObstacle(absl::Span<const int32_t> wishes);

  // By wish: whether to grant it.
  std::vector<char> Choose() &&;

 private:
  struct Wish {
    int64_t gain = 0;
    bool held = false;
  };
  // What belongs to a thing begins at `first`, and ends where that of the next thing begins.
  struct Condition {
    int32_t wish = 0;
    int32_t first = 0;
    int32_t open = 0;  // alternatives that can be had
  };
  struct Alternative {
    int32_t condition = 0;
    int32_t first = 0;
    int32_t standing = 0;  // obstacles
  };
  struct Obstacle {
    int32_t alternative = 0;
    int32_t first = 0;
    int32_t missing = 0;  // wishes that are not granted
  };
  // For each wish a list of ids.
  struct Lists {
    std::vector<int32_t> begin, ids;
    absl::Span<const int32_t> of(int32_t wish) const;
  };

  void Index();
  void Grant(int32_t wish);
  void Withdraw(int32_t wish);
  bool TryGrant(int32_t wish);  // false, and nothing has changed: it contradicts what is granted
  void StartGreedily();
  void DecideWindow();
  void CollectAround(int32_t wish);
  void Enter(int32_t wish);
  void EnterObstacle(int32_t obstacle);
  void Search(size_t next, int64_t rest);

  std::vector<Wish> wishes_;
  std::vector<Condition> conditions_;
  std::vector<Alternative> alternatives_;
  std::vector<Obstacle> obstacles_;
  std::vector<int32_t> members_;  // of obstacles
  Lists conditions_of_, obstacles_with_;
  std::vector<int32_t> by_gain_, rank_;
  std::vector<char> granted_;
  int64_t saved_ = 0;
  int32_t violated_ = 0;  // conditions of granted wishes
  int64_t steps_left_ = 0;
  std::vector<int32_t> window_;  // what is decided together
  std::vector<char> entered_;    // by wish: it is in the window
  std::vector<char> best_;       // by position in the window
  int64_t best_saved_ = 0;
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_SHARING_RIVALS_H_
