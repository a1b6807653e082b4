#include "ir/checker/nest.h"

namespace bufplan::checker {

std::optional<Nest> Nest::Create(int64_t run_bytes, const Loops& loops) {
  Nest nest;
  nest.run_ = nest.bytes_ = nest.extent_ = run_bytes;
  nest.runs_ = 1;
  Loops inner_first;
  for (size_t l = loops.size(); l-- > 0;) {
    const Loop& loop = loops[l];
    int64_t reach = 0, next = 0;
    if (__builtin_mul_overflow(nest.bytes_, loop.count, &nest.bytes_) ||
        __builtin_mul_overflow(loop.count - 1, loop.stride, &reach) ||
        __builtin_add_overflow(nest.extent_, reach, &nest.extent_)) {
      return std::nullopt;
    }
    if (loop.count == 1) continue;
    if (inner_first.empty() && loop.stride == nest.run_) {
      nest.run_ *= loop.count;  // no more than bytes_
    } else if (!inner_first.empty() &&
               !__builtin_mul_overflow(inner_first.back().stride, inner_first.back().count, &next) &&
               loop.stride == next) {
      inner_first.back().count *= loop.count;
      nest.runs_ *= loop.count;
    } else {
      inner_first.push_back(loop);
      nest.runs_ *= loop.count;
    }
  }
  nest.loops_.assign(inner_first.rbegin(), inner_first.rend());
  return nest;
}

std::optional<bool> Nest::RunsAreDisjoint(int64_t max_runs) const {
  Loops by_stride = loops_;
  std::sort(by_stride.begin(), by_stride.end(), [](const Loop& a, const Loop& b) { return a.stride < b.stride; });
  int64_t extent = run_;
  bool nested = true;
  for (const Loop& loop : by_stride) {
    nested = nested && loop.stride >= extent;
    extent += (loop.count - 1) * loop.stride;  // no more than extent_
  }
  if (nested) return true;
  if (runs_ > max_runs) return std::nullopt;
  std::vector<int64_t> begins;
  begins.reserve(static_cast<size_t>(runs_));
  ForEach({0, bytes_}, [&](int64_t, int64_t position, int64_t) {
    begins.push_back(position);
    return true;
  });
  std::sort(begins.begin(), begins.end());
  for (size_t i = 1; i < begins.size(); ++i) {
    if (begins[i] - begins[i - 1] < run_) return false;
  }
  return true;
}

std::optional<Nest::Part> Nest::PartOf(ByteRange range) const {
  Part part;
  int64_t block = bytes_;  // of what the loop in hand repeats
  for (size_t l = 0; l < loops_.size(); ++l) {
    block /= loops_[l].count;
    const int64_t first = range.begin / block;
    part.position += first * loops_[l].stride;
    range = {range.begin - first * block, range.end - first * block};
    if (range.end <= block) continue;
    if (range.begin != 0 || range.end % block != 0) return std::nullopt;
    Loops loops(loops_.begin() + static_cast<std::ptrdiff_t>(l), loops_.end());
    loops[0].count = range.end / block;
    part.nest = *Create(run_, loops);  // smaller than this one
    return part;
  }
  part.position += range.begin;
  part.nest = *Create(range.size(), {});
  return part;
}

std::optional<Nest::Part> Nest::PartOf(const Nest* nest, ByteRange range) {
  if (nest != nullptr) return nest->PartOf(range);
  return Part{range.begin, *Create(range.size(), {})};
}

void Nest::AppendRuns(ByteRange range, int64_t offset, std::vector<ByteRange>& out) const {
  const size_t first = out.size();
  ForEach(range, [&](int64_t, int64_t position, int64_t bytes) {
    if (out.size() > first && out.back().end == position + offset) {
      out.back().end += bytes;
    } else {
      out.push_back({position + offset, position + offset + bytes});
    }
    return true;
  });
}

void Nest::Cursor::Seek(int64_t byte) {
  if (byte == byte_) return;
  byte_ = byte;
  if (nest_ == nullptr) {
    done_ = byte;
    return;
  }
  position_ = 0;
  done_ = byte % nest_->run_;
  int64_t run = byte / nest_->run_;
  for (size_t l = index_.size(); l-- > 0;) {
    const Loop& loop = nest_->loops_[l];
    index_[l] = run % loop.count;
    position_ += index_[l] * loop.stride;
    run /= loop.count;
  }
}

}  // namespace bufplan::checker
