// What lies in memory while ops are visited in an order that agrees with happens-before.
//
// Every memory is an ordered map of disjoint segments. A segment remembers which bytes of which origin it holds, who
// wrote it, and, where ops are only partially ordered, who has read it since:
//
//   0          4096             12288
//   | K 0..4096 | row 0..8192   |            written by   start      upd
//   |  r1       |               |            read by      r1         -
//
// A read demands its content and that the write happens before it; a write demands that the last write and all reads
// since happen before it. Then the writes of a byte form a chain and each read lies between two links of it, which is
// all that rules 1 and 5 of docs/design.md ask. In a total order the visit is the execution and only content is in
// question.
//
// COST: O(log segments) per segment touched; O(1) for a read of bytes that lie in one segment, usually. Readers: one
// entry per read and list of readers, compacted to at most one per stream. THREADS: one at a time.
#ifndef BUFPLAN_IR_CHECKER_MEMORY_MAP_H_
#define BUFPLAN_IR_CHECKER_MEMORY_MAP_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/types/span.h"
#include "ir/checker/content.h"
#include "ir/checker/write_times.h"
#include "ir/graph.h"
#include "ir/happens_before.h"

namespace bufplan::checker {

// Nodes are what executes: ops, or fused groups. kStart is whoever filled the memory before the first of them, kEnd
// whoever looks at it after the last.
inline constexpr int32_t kStart = -1;
inline constexpr int32_t kEnd = INT32_MAX;

// Happens-before of nodes.
struct Order {
  // Absent: total, by index.
  std::optional<HappensBefore> partial;
  std::vector<int32_t> stream;  // by node, if partial
  int32_t num_streams = 1;

  bool Before(int32_t a, int32_t b) const {
    return a == kStart || b == kEnd || (partial.has_value() ? partial->Before(a, b) : a < b);
  }
};

// Why a read or a write is wrong, at the first byte where it is.
struct Finding {
  enum class What : uint8_t {
    kContent,          // read: other bytes lie here than demanded
    kUnorderedWriter,  // the last write here is not ordered before
    kUnorderedReader,  // write: a read of what lies here is not ordered before
    kTouched,          // keep-alive: the bytes were rewritten since their value was made
  };
  What what = What::kContent;
  ByteRange range;           // addresses
  Origin origin = kNothing;  // what lies there
  int64_t offset = 0;        // from which byte of the origin on
  int32_t node = kStart;     // the other party: who wrote it, or (kUnorderedReader) reads it
  bool keep_alive = false;   // kUnorderedReader: it is a keep-alive
  int64_t at = 0;            // which byte of a strided value the first byte should be; filled in by who asked
};

// Who reads. A keep-alive also demands that nobody rewrote the bytes after the node that made the value (kStart: it was
// there at the start).
struct Reader {
  int32_t node = kStart;
  bool keep_alive = false;
  int32_t producer = kStart;
};

class MemoryMap {
 public:
  // LIFETIME: `order` outlives this.
  MemoryMap(size_t num_memories, size_t num_values, const Order* order);

  // At the start: these bytes hold `origin` from byte `offset` on. A finding if others were put there.
  std::optional<Finding> Put(int32_t memory, ByteRange range, Origin origin, int64_t offset);
  // The first fault, or nullopt. The read counts as done either way.
  std::optional<Finding> Read(int32_t memory, ByteRange range, Origin origin, int64_t offset, const Reader& by) {
    if (total_ && !by.keep_alive) {
      const int32_t hint = origin >= 0 ? hint_[static_cast<size_t>(origin)] : -1;
      if (hint >= 0 && Holds(segments_[static_cast<size_t>(hint)], memory, range, origin, offset)) return std::nullopt;
    }
    return ReadSlow(memory, range, origin, offset, by);
  }
  // Where the order is total: the number of writes so far, and the last one of any of these bytes, 0 for none. Writes
  // of a memory count from the first question about it on.
  int64_t writes() const { return writes_; }
  int64_t LastWrite(int32_t memory, ByteRange range);
  bool total() const { return total_; }
  // The first fault, or nullopt. The write counts as done either way.
  std::optional<Finding> Write(int32_t memory, ByteRange range, Origin origin, int64_t offset, int32_t node);

 private:
  struct Segment {
    int64_t begin = 0, end = 0;
    int64_t offset = 0;
    Origin origin = kNothing;
    int32_t memory = -1;  // -1: free
    int32_t writer = kStart;
    int32_t readers = -1;  // the newest, in reads_
  };
  // A list of readers, newest first; lists share their ends.
  struct ReadEntry {
    int32_t node = kStart;
    bool keep_alive = false;
    int32_t next = -1;
    int32_t length = 1;
    int32_t checked = kStart;  // everybody in this list is ordered before this node
  };
  using Map = absl::btree_map<int64_t, int32_t>;

  static bool Holds(const Segment& s, int32_t memory, const ByteRange& r, Origin origin, int64_t offset) {
    return s.memory == memory && s.begin <= r.begin && r.end <= s.end && s.origin == origin &&
           s.offset + (r.begin - s.begin) == offset;
  }
  Segment& At(int32_t slot) { return segments_[static_cast<size_t>(slot)]; }
  bool OrderedBefore(int32_t a, int32_t b) const { return a == b || order_->Before(a, b); }

  std::optional<Finding> ReadSlow(int32_t memory, ByteRange range, Origin origin, int64_t offset, const Reader& by);
  std::optional<Finding> CheckRead(const Segment& s, ByteRange part, Origin origin, int64_t offset,
                                   const Reader& by) const;
  std::optional<Finding> CheckOverwrite(const Segment& s, ByteRange part, int32_t node);
  // Makes `address` a border between segments, if one lies across it.
  void SplitAt(Map& map, int64_t address);
  // The segment that holds `address`, else the first one behind it.
  Map::iterator Find(Map& map, int64_t address);
  int32_t NewSegment(int32_t memory, ByteRange range, Origin origin, int64_t offset, int32_t writer, int32_t readers);
  int32_t AddReader(int32_t list, const Reader& by);
  int32_t Compact(int32_t list);

  const Order* order_;
  bool total_;
  std::vector<Map> maps_;                                 // by memory: begin -> slot
  std::vector<std::unique_ptr<WriteTimes>> write_times_;  // by memory; null: nobody asked
  int64_t writes_ = 0;
  std::vector<Segment> segments_;
  std::vector<int32_t> free_;
  std::vector<int32_t> hint_;  // by value: a slot that once held it
  std::vector<ReadEntry> reads_;
  // The last call of AddReader, as a read often meets many segments that have the same readers.
  int32_t last_list_ = -2, last_result_ = -1;
  Reader last_reader_;
  std::vector<int32_t> seen_stream_;  // by stream: the compaction that saw it last
  int32_t compactions_ = 0;
};

}  // namespace bufplan::checker

#endif  // BUFPLAN_IR_CHECKER_MEMORY_MAP_H_
