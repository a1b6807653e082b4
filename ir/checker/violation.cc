#include "ir/checker/violation.h"

namespace bufplan {

absl::string_view ToString(ViolationKind kind) {
  switch (kind) {
    case ViolationKind::kWrongContent: return "wrong-content";
    case ViolationKind::kUnorderedRead: return "unordered-read";
    case ViolationKind::kUnorderedOverwrite: return "unordered-overwrite";
    case ViolationKind::kUnorderedWrites: return "unordered-writes";
    case ViolationKind::kOwnOperand: return "own-operand";
    case ViolationKind::kScratch: return "scratch";
    case ViolationKind::kOutputLost: return "output-lost";
    case ViolationKind::kVariableLost: return "variable-lost";
    case ViolationKind::kReadOnlyWritten: return "read-only-written";
    case ViolationKind::kNotLineage: return "not-lineage";
    case ViolationKind::kKeepAlive: return "keep-alive";
    case ViolationKind::kDisjoint: return "disjoint";
    case ViolationKind::kPin: return "pin";
    case ViolationKind::kAlignment: return "alignment";
    case ViolationKind::kCapacity: return "capacity";
    case ViolationKind::kChunk: return "chunk";
    case ViolationKind::kOutOfBounds: return "out-of-bounds";
    case ViolationKind::kWrongMemory: return "wrong-memory";
    case ViolationKind::kCycle: return "cycle";
    case ViolationKind::kElide: return "elide";
    case ViolationKind::kMissing: return "missing";
    case ViolationKind::kStrides: return "strides";
    case ViolationKind::kFusion: return "fusion";
    case ViolationKind::kStats: return "stats";
  }
  return "unknown";
}

}  // namespace bufplan
