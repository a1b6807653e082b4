// What a caller may say about how to share.
#ifndef BUFPLAN_PLANNER_SHARING_POLICY_H_
#define BUFPLAN_PLANNER_SHARING_POLICY_H_

#include <cstdint>
#include <vector>

#include "planner/placement/deadline.h"

namespace bufplan {

// kFirstOperand: the operand that the op names first. kOldestOperand: the one that was written first, so that a value
// which lives long, such as the residual of a network, keeps its place and short-lived ones move.
enum class InPlaceTaste : uint8_t { kFirstOperand, kOldestOperand };

struct SharingPolicy {
  InPlaceTaste taste = InPlaceTaste::kFirstOperand;
  // Wishes that are in the way of ones that save more bytes are struck out.
  bool contest = true;
  // By value: the kinds of wishes (bits of WishKind) that are not to be granted. Empty: all may.
  std::vector<uint8_t> unwanted;
  // After that no more rounds than one sound sharing takes.
  Deadline deadline = {};
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_SHARING_POLICY_H_
