#include <algorithm>
#include <cstdint>
#include <vector>

#include "benchmarks/baselines/baselines.h"

namespace bufplan {
namespace {

constexpr size_t kMaxChunks = 16;

struct Block {
  int64_t offset, size;
};

struct Chunk {
  std::vector<Block> free;  // ascending, no two adjacent
  int64_t used = 0;         // the highest end so far
};

struct Place {
  int32_t chunk;
  int64_t offset;
};

class FreeLists {
 public:
  explicit FreeLists(int64_t max_chunk_bytes) : max_chunk_bytes_(max_chunk_bytes) {}

  Place Take(int64_t size) {
    size_t chunk = 0, block = 0;
    if (!FindHole(size, chunk, block) && !FindEnd(size, chunk, block)) {
      const bool last = chunks_.size() + 1 == kMaxChunks;
      chunks_.emplace_back().free.push_back({0, last ? kEndless : std::max(size, max_chunk_bytes_)});
      chunk = chunks_.size() - 1;
      block = 0;
    }
    Chunk& c = chunks_[chunk];
    Block& b = c.free[block];
    const Place place = {static_cast<int32_t>(chunk), b.offset};
    b.offset += size;
    b.size -= size;
    if (b.size == 0) c.free.erase(c.free.begin() + static_cast<std::ptrdiff_t>(block));
    c.used = std::max(c.used, place.offset + size);
    return place;
  }

  void Give(const Place& place, int64_t size) {
    std::vector<Block>& free = chunks_[static_cast<size_t>(place.chunk)].free;
    const auto next = std::lower_bound(free.begin(), free.end(), place.offset,
                                       [](const Block& b, int64_t offset) { return b.offset < offset; });
    const bool joins_next = next != free.end() && place.offset + size == next->offset;
    if (next != free.begin() && (next - 1)->offset + (next - 1)->size == place.offset) {
      (next - 1)->size += size;
      if (joins_next) {
        (next - 1)->size += next->size;
        free.erase(next);
      }
    } else if (joins_next) {
      next->offset = place.offset;
      next->size += size;
    } else {
      free.insert(next, {place.offset, size});
    }
  }

  const std::vector<Chunk>& chunks() const { return chunks_; }

 private:
  // Enough for all, and no sum overflows.
  static constexpr int64_t kEndless = INT64_MAX / 2;

  // The smallest block that fits, the last block of each chunk left out; of equal ones, and of chunks, the last.
  bool FindHole(int64_t size, size_t& chunk, size_t& block) const {
    bool found = false;
    for (size_t c = 0; c < chunks_.size(); ++c) {
      const std::vector<Block>& free = chunks_[c].free;
      int64_t best = INT64_MAX;
      for (size_t i = 0; i + 1 < free.size(); ++i) {
        if (free[i].size < size || free[i].size > best) continue;
        best = free[i].size;
        chunk = c;
        block = i;
        found = true;
      }
    }
    return found;
  }

  // The last block of a chunk: one whose used bytes hold the new ones with the least to spare, else the one that has to
  // grow the least.
  bool FindEnd(int64_t size, size_t& chunk, size_t& block) const {
    bool found = false;
    int64_t best = 0;
    for (size_t c = 0; c < chunks_.size(); ++c) {
      if (chunks_[c].free.empty()) continue;
      const Block& end = chunks_[c].free.back();
      if (end.size < size) continue;
      const int64_t spare = chunks_[c].used - end.offset - size;
      const bool better = !found || (best < 0 ? spare > best : spare >= 0 && spare < best);
      if (!better) continue;
      best = spare;
      chunk = c;
      block = chunks_[c].free.size() - 1;
      found = true;
    }
    return found;
  }

  const int64_t max_chunk_bytes_;
  std::vector<Chunk> chunks_;
};

}  // namespace

absl::StatusOr<BaselinePlan> GgmlFreeList(const Problem& problem, const BaselineLimits& limits) {
  if (absl::Status s = CheckKnown(problem, limits, /*knows_chunks=*/true); !s.ok()) return s;
  const std::vector<Buffer>& buffers = problem.buffers;
  // One alignment for all, as in ggml.
  int64_t alignment = problem.alignment_bytes;
  for (const Buffer& b : buffers) alignment = std::max(alignment, problem.alignment(b));
  std::vector<int32_t> begins = Participants(problem), ends = begins;
  const auto at = [&](int32_t i) -> const Buffer& { return buffers[static_cast<size_t>(i)]; };
  std::stable_sort(begins.begin(), begins.end(), [&](int32_t a, int32_t b) { return at(a).begin < at(b).begin; });
  std::stable_sort(ends.begin(), ends.end(), [&](int32_t a, int32_t b) { return at(a).end < at(b).end; });

  BaselinePlan plan;
  plan.offset_bytes.assign(buffers.size(), 0);
  plan.chunk.assign(buffers.size(), 0);
  FreeLists lists(limits.max_chunk_bytes.value_or(INT64_MAX / 2));
  size_t next_end = 0;
  for (int32_t b : begins) {
    for (; at(ends[next_end]).end <= at(b).begin; ++next_end) {
      const size_t e = static_cast<size_t>(ends[next_end]);
      lists.Give({plan.chunk[e], plan.offset_bytes[e]}, AlignUp(buffers[e].bytes, alignment));
    }
    const Place place = lists.Take(AlignUp(at(b).bytes, alignment));
    plan.offset_bytes[static_cast<size_t>(b)] = place.offset;
    plan.chunk[static_cast<size_t>(b)] = place.chunk;
  }
  for (const Chunk& c : lists.chunks()) plan.chunk_bytes.push_back(c.used);
  SumChunks(problem, plan);
  return plan;
}

}  // namespace bufplan
