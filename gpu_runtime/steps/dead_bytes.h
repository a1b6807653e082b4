// Which bytes nobody reads any more, and behind which unit: what stress runs poison.
//
// Units are reported in an order in which each comes after all that happen before it. A byte is dead behind the unit
// that is last of those that touch its content, if all others of them happen before that one; if there is no such unit
// (readers on several streams, none after the others), it is dead nowhere in particular and keeps its content until it
// is overwritten.
//
// COST: O((touches + pieces) log pieces). THREADS: one at a time.
#ifndef BUFPLAN_GPU_RUNTIME_STEPS_DEAD_BYTES_H_
#define BUFPLAN_GPU_RUNTIME_STEPS_DEAD_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "gpu_runtime/steps/byte_set.h"
#include "ir/happens_before.h"

namespace bufplan::runtime {

class DeadBytes {
 public:
  // Memory m has bytes[m] bytes, garbage at the start. LIFETIME: `order` outlives this.
  DeadBytes(const HappensBefore& order, std::vector<int64_t> bytes);

  void Initialised(int32_t memory, const ByteSet& bytes);
  void Read(int32_t unit, int32_t memory, const ByteSet& bytes);
  void Overwritten(int32_t unit, int32_t memory, const ByteSet& bytes);
  // Read by whoever looks at the end.
  void ReadAtEnd(int32_t memory, const ByteSet& bytes);
  void Finish();

  struct Dead {
    int32_t unit = 0;
    int32_t memory = 0;
    ByteSet bytes;
  };
  // By unit, then memory. After Finish().
  std::vector<Dead> TakeDead();
  // By memory: bytes that hold garbage at the end, as nobody has touched them since they died. After Finish().
  const std::vector<ByteSet>& garbage_at_end() const { return garbage_; }

 private:
  static constexpr int32_t kGarbage = -2;  // nothing was ever there
  static constexpr int32_t kStart = -1;    // content from before the first unit
  static constexpr int32_t kEnd = INT32_MAX;
  // From the map's key on.
  struct Piece {
    int64_t end = 0;
    int32_t writer = kGarbage;
    std::vector<int32_t> readers;
  };
  using Pieces = std::map<int64_t, Piece>;

  static Pieces::iterator SplitAt(Pieces& pieces, int64_t byte);
  template <class F>
  void ForEach(int32_t memory, const ByteSet& bytes, const F& f);
  // The unit behind which the piece is dead; kGarbage if there is none in particular.
  int32_t LastUser(const Piece& piece) const;
  void Die(int32_t memory, ByteRange range, const Piece& piece, int32_t overwriter);

  const HappensBefore& order_;
  std::vector<Pieces> pieces_;                                          // by memory
  std::map<std::pair<int32_t, int32_t>, std::vector<ByteRange>> dead_;  // by unit and memory
  std::vector<ByteSet> garbage_;
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_STEPS_DEAD_BYTES_H_
