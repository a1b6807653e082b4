// Strided bytes at given symbol values, those of a region or of a value's place: a nest of loops over runs of equal
// length.
//
//   run 2, loops {3, 16} {2, 4}:   byte       0 1   2 3   4 5   6 7   8 9   10 11
//                                  position   0 1   4 5  16 17 20 21 32 33  36 37
//
// Positions count from the first byte.
#ifndef BUFPLAN_IR_CHECKER_NEST_H_
#define BUFPLAN_IR_CHECKER_NEST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "ir/graph.h"

namespace bufplan::checker {

class Nest {
 public:
  struct Loop {
    int64_t count = 0, stride = 0;
    friend bool operator==(const Loop&, const Loop&) = default;
  };
  using Loops = absl::InlinedVector<Loop, 4>;

  // `loops` outermost first; run and counts are at least 1, strides not negative. nullopt: bytes or positions exceed 64
  // bits. Loops that go on where the ones inside of them end are merged, so that nests are equal if and only if their
  // bytes are at the same positions in the same order.
  static std::optional<Nest> Create(int64_t run_bytes, const Loops& loops);

  friend bool operator==(const Nest& a, const Nest& b) { return a.run_ == b.run_ && a.loops_ == b.loops_; }

  int64_t bytes() const { return bytes_; }                          // of all runs
  int64_t runs() const { return runs_; }                            // at least 1
  int64_t RunsOf(int64_t bytes) const { return bytes / run_ + 2; }  // no more are in so many consecutive bytes
  int64_t extent() const { return extent_; }                        // one past the last position
  bool contiguous() const { return loops_.empty(); }

  // Whether no two runs share a byte: by nesting, else by looking at all of them. nullopt: those would be more than
  // max_runs.
  std::optional<bool> RunsAreDisjoint(int64_t max_runs) const;

  // The bytes `range`, which is not empty, as a nest of their own that begins at `position`. nullopt if they are none:
  // a part of a loop and something of the next, for example. COST: O(loops). Without a nest: the bytes are one run.
  struct Part;
  std::optional<Part> PartOf(ByteRange range) const;
  static std::optional<Part> PartOf(const Nest* nest, ByteRange range);

  // Appends the positions of the bytes `range`, in their order, each shifted by `offset`; what follows on one another
  // is one range.
  void AppendRuns(ByteRange range, int64_t offset, std::vector<ByteRange>& out) const;

  // Calls f(byte, position, bytes) for each run of the bytes `range`, in their order, until f returns false. Returns
  // whether f never did. COST: O(runs + loops).
  template <typename F>
  bool ForEach(ByteRange range, F&& f) const;

  // Walks over the bytes in their order.
  class Cursor {
   public:
    // Without a nest: all bytes are one run, however many.
    explicit Cursor(const Nest* nest) : nest_(nest) {
      if (nest_ != nullptr) index_.resize(nest_->loops_.size(), 0);
    }
    // O(1) if the cursor is there.
    void Seek(int64_t byte);
    int64_t position() const { return position_ + done_; }
    int64_t left_in_run() const { return nest_ == nullptr ? INT64_MAX : nest_->run_ - done_; }
    // At most left_in_run().
    void Advance(int64_t bytes);

   private:
    const Nest* nest_;
    int64_t byte_ = 0;
    int64_t position_ = 0;  // of the run
    int64_t done_ = 0;      // of the run
    absl::InlinedVector<int64_t, 4> index_;
  };

 private:
  int64_t run_ = 0;
  int64_t bytes_ = 0, runs_ = 0, extent_ = 0;
  Loops loops_;
};

struct Nest::Part {
  int64_t position = 0;
  Nest nest;
};

inline void Nest::Cursor::Advance(int64_t bytes) {
  byte_ += bytes;
  done_ += bytes;
  if (nest_ == nullptr || done_ < nest_->run_) return;
  done_ = 0;
  for (size_t l = index_.size(); l-- > 0;) {
    const Loop& loop = nest_->loops_[l];
    if (++index_[l] < loop.count) {
      position_ += loop.stride;
      return;
    }
    position_ -= loop.stride * (loop.count - 1);
    index_[l] = 0;
  }
}

template <typename F>
bool Nest::ForEach(ByteRange range, F&& f) const {
  Cursor cursor(this);
  cursor.Seek(range.begin);
  for (int64_t at = range.begin; at < range.end;) {
    const int64_t bytes = std::min(range.end - at, cursor.left_in_run());
    if (!f(at, cursor.position(), bytes)) return false;
    cursor.Advance(bytes);
    at += bytes;
  }
  return true;
}

// How many runs of strided values may still be looked at, one by one.
class RunBudget {
 public:
  explicit RunBudget(int64_t runs) : left_(runs) {}
  // False, and exhausted from now on, if there are not so many left.
  bool Spend(int64_t runs) {
    exhausted_ = exhausted_ || runs > left_;
    left_ -= exhausted_ ? 0 : runs;
    return !exhausted_;
  }
  bool exhausted() const { return exhausted_; }

 private:
  int64_t left_;
  bool exhausted_ = false;
};

}  // namespace bufplan::checker

#endif  // BUFPLAN_IR_CHECKER_NEST_H_
