// Which violations are about bytes that somebody reads: those that an execution can show.
#ifndef BUFPLAN_TESTS_ORACLE_ABOUT_READ_BYTES_H_
#define BUFPLAN_TESTS_ORACLE_ABOUT_READ_BYTES_H_

#include "ir/checker.h"

namespace bufplan {

inline bool IsAboutReadBytes(ViolationKind kind) {
  switch (kind) {
    case ViolationKind::kWrongContent:
    case ViolationKind::kUnorderedRead:
    case ViolationKind::kUnorderedOverwrite:
    case ViolationKind::kOwnOperand:
    case ViolationKind::kOutputLost:
    case ViolationKind::kVariableLost:
    case ViolationKind::kKeepAlive: return true;
    default: return false;
  }
}

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_ORACLE_ABOUT_READ_BYTES_H_
