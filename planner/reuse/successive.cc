#include "planner/reuse/successive.h"

#include <algorithm>
#include <numeric>

#include "planner/liveness/byte_steps.h"
#include "planner/placement/conflict_lists.h"

namespace bufplan {

std::vector<std::pair<int32_t, int32_t>> FindSuccessive(const PlacementProblem& problem, const Placement& placement) {
  const std::vector<int32_t> storage_of = OwnersOfPieces(problem);
  std::vector<int32_t> by_begin(problem.pieces.size());
  std::iota(by_begin.begin(), by_begin.end(), 0);
  std::stable_sort(by_begin.begin(), by_begin.end(), [&](int32_t a, int32_t b) {
    return problem.pieces[static_cast<size_t>(a)].begin < problem.pieces[static_cast<size_t>(b)].begin;
  });

  constexpr int32_t kNobody = -1;
  std::vector<ByteSteps<int32_t>> owner;  // by chunk: the piece that came last
  for (int64_t bytes : placement.chunk_bytes) owner.emplace_back(ByteRange{0, std::max<int64_t>(bytes, 1)}, kNobody);
  std::vector<std::pair<int32_t, int32_t>> pairs;
  std::vector<int32_t> before;
  for (int32_t p : by_begin) {
    const size_t s = static_cast<size_t>(storage_of[static_cast<size_t>(p)]);
    const int64_t offset = placement.offset_bytes[s];
    const Piece& piece = problem.pieces[static_cast<size_t>(p)];
    before.clear();
    owner[static_cast<size_t>(placement.chunk[s])].Change(
        {offset + piece.low, offset + piece.high}, [&](int32_t& last) {
          if (last != kNobody && storage_of[static_cast<size_t>(last)] != static_cast<int32_t>(s))
            before.push_back(last);
          last = p;
        });
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    for (int32_t earlier : before) pairs.emplace_back(earlier, p);
  }
  return pairs;
}

}  // namespace bufplan
