// What a value's bytes hold: a persistent sequence of pieces of origins.
//
// Byte i of a value holds byte `offset + i` of some *origin*, the value that first produced it. Most values are one
// piece. Others are a tree of pieces that shares its parts with the values it was made of, so that a chain of partial
// updates costs O(log) each instead of a copy each:
//
//   K1 = K with [8, 12) from row:   | K 0..8 | row 0..4 | K 12..64 |
//
// Method: randomized binary search trees over positions (Martinez, Roura 1998) with reference counts: a node that
// nobody else holds is changed in place, a shared one is copied first.
//
// COST: O(log pieces) expected per operation. THREADS: one at a time. The coin flips have a fixed seed.
#ifndef BUFPLAN_IR_CHECKER_CONTENT_H_
#define BUFPLAN_IR_CHECKER_CONTENT_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "ir/checker/nest.h"
#include "ir/graph.h"

namespace bufplan::checker {

// The index of a value: of the one that produced a byte. Or kUndefined, and behind the values' indices what no value
// is: the scratch of an op.
using Origin = int32_t;
inline constexpr Origin kUndefined = -1;  // nothing is demanded of these bytes
inline constexpr Origin kNothing = -2;    // no byte was ever written here
// And from here on downwards patterns: bytes that are others' in strided runs, see ContentPool::AddPattern().
inline constexpr Origin kFirstPattern = -3;
inline bool IsPattern(Origin origin) { return origin <= kFirstPattern; }

// One piece, or the root of a tree of them. Plain data: who keeps one beyond the statement holds a reference by
// ContentPool::Share() and gives it back by Release().
struct Content {
  Origin origin = kUndefined;
  int32_t node = -1;  // >= 0: the tree; origin and offset mean nothing then
  int64_t offset = 0;
};

class ContentPool {
 public:
  static Content Piece(Origin origin, int64_t offset) { return {origin, -1, offset}; }

  // Byte i of the result holds what the nest's byte i holds in `source`, which is held by the caller and then by the
  // pattern for ever, and has no pattern in it. In contents, the result is an origin like others: equal bytes of a
  // pattern are equal bytes, though they may also have other names.
  struct Pattern {
    Nest nest;
    Content source;
  };
  Origin AddPattern(Nest nest, const Content& source) {
    patterns_.push_back({std::move(nest), source});
    return kFirstPattern - static_cast<Origin>(patterns_.size() - 1);
  }
  const Pattern& pattern(Origin origin) const { return patterns_[static_cast<size_t>(kFirstPattern - origin)]; }

  Content Share(const Content& c) {
    if (c.node >= 0) ++nodes_[Index(c.node)].references;
    return c;
  }
  void Release(const Content& c) {
    if (c.node >= 0) ReleaseTree(c.node);
  }
  // The bytes `range` of c, which has `bytes` bytes. The result is held by the caller.
  Content Slice(const Content& c, int64_t bytes, ByteRange range);
  // Replaces [at, at + piece_bytes) of c, which has `bytes` bytes and is held by the caller, by `piece`.
  void Overwrite(Content& c, int64_t bytes, int64_t at, const Content& piece, int64_t piece_bytes);
  // Replaces many disjoint ranges at once, each inside of one piece; ascending. COST: O(pieces of c + pieces).
  struct Placed {
    int64_t at = 0, bytes = 0;
    Origin origin = kUndefined;
    int64_t offset = 0;
  };
  void OverwriteAll(Content& c, int64_t bytes, const std::vector<Placed>& pieces);
  // How many pieces c has.
  int64_t Pieces(const Content& c) const { return c.node < 0 ? 1 : nodes_[Index(c.node)].pieces; }

  // Calls f(position, bytes, origin, offset) for every piece of c inside `range`, ascending; stops where f returns
  // false.
  template <typename F>
  bool ForEach(const Content& c, ByteRange range, F&& f) const {
    if (range.empty()) return true;
    if (c.node < 0) return f(range.begin, range.size(), c.origin, c.offset + range.begin);
    return ForEachInTree(c.node, 0, range, f);
  }

  // The same, but leaves out parts of a tree of which known(part, begin, bytes) says so, where `begin` is the position
  // of the part in c; calls learn(part, begin) for parts that f has seen to their end. Parts are trees of some size
  // within `range`, whole ones; whoever knows something about one keeps it in note(part), which is lost with the part.
  struct Note {
    int64_t address = 0, time = -1;
    int32_t memory = -1;
  };
  Note& note(int32_t part) {
    if (notes_.size() < nodes_.size()) notes_.resize(nodes_.size());
    return notes_[Index(part)];
  }
  template <typename Known, typename Learn, typename F>
  bool ForEachUnknown(const Content& c, ByteRange range, Known&& known, Learn&& learn, F&& f) const {
    if (range.empty()) return true;
    if (c.node < 0) return f(range.begin, range.size(), c.origin, c.offset + range.begin);
    return ForEachUnknownInTree(c.node, 0, range, known, learn, f);
  }

  // Nodes in use, for tests of who releases what.
  int64_t nodes_in_use() const { return static_cast<int64_t>(nodes_.size() - free_.size()); }

 private:
  struct Node {
    int64_t offset = 0;
    int64_t bytes = 0;   // of this piece
    int64_t total = 0;   // of the subtree
    int64_t pieces = 1;  // in the subtree
    Origin origin = kUndefined;
    int32_t left = -1, right = -1;
    int32_t references = 1;
  };
  static constexpr int64_t kFewPieces = 16;

  static size_t Index(int32_t node) { return static_cast<size_t>(node); }
  int64_t Total(int32_t n) const { return n < 0 ? 0 : nodes_[Index(n)].total; }
  int64_t PiecesOf(int32_t n) const { return n < 0 ? 0 : nodes_[Index(n)].pieces; }

  int32_t NewNode(Origin origin, int64_t offset, int64_t bytes);
  // The tree of c, held by the caller.
  int32_t Tree(const Content& c, int64_t bytes);
  // n itself if the caller is its only holder, else a copy; takes the caller's reference to n.
  int32_t Own(int32_t n);
  void Update(int32_t n);
  // Both take the caller's references.
  std::pair<int32_t, int32_t> Split(int32_t n, int64_t at);
  int32_t Merge(int32_t a, int32_t b);
  void ReleaseTree(int32_t n);
  // A balanced tree of all_[begin, end).
  int32_t Balanced(size_t begin, size_t end);
  uint64_t Random();

  template <typename F>
  bool ForEachInTree(int32_t n, int64_t begin, const ByteRange& range, F&& f) const {
    while (n >= 0) {
      const Node& node = nodes_[Index(n)];
      const int64_t at = begin + Total(node.left);
      if (range.begin < at && node.left >= 0 && !ForEachInTree(node.left, begin, range, f)) return false;
      const int64_t from = std::max(at, range.begin), to = std::min(at + node.bytes, range.end);
      if (from < to && !f(from, to - from, node.origin, node.offset + (from - at))) return false;
      if (range.end <= at + node.bytes) return true;
      begin = at + node.bytes;
      n = node.right;
    }
    return true;
  }

  template <typename Known, typename Learn, typename F>
  bool ForEachUnknownInTree(int32_t n, int64_t begin, const ByteRange& range, Known&& known, Learn&& learn,
                            F&& f) const {
    const Node& node = nodes_[Index(n)];
    if (node.pieces <= kFewPieces) return ForEachInTree(n, begin, range, f);
    const bool inside = range.begin <= begin && begin + node.total <= range.end;
    if (inside && known(n, begin, node.total)) return true;
    const int64_t at = begin + Total(node.left), end = at + node.bytes;
    if (range.begin < at && node.left >= 0 && !ForEachUnknownInTree(node.left, begin, range, known, learn, f)) {
      return false;
    }
    const int64_t from = std::max(at, range.begin), to = std::min(end, range.end);
    if (from < to && !f(from, to - from, node.origin, node.offset + (from - at))) return false;
    if (range.end > end && node.right >= 0 && !ForEachUnknownInTree(node.right, end, range, known, learn, f)) {
      return false;
    }
    if (inside) learn(n, begin);
    return true;
  }

  std::vector<Node> nodes_;
  std::vector<Note> notes_;  // by node, those that anybody asked for
  std::vector<int32_t> free_;
  std::vector<int32_t> stack_;
  std::vector<Placed> all_;
  std::vector<Pattern> patterns_;
  uint64_t random_ = 0x9E3779B97F4A7C15;
};

}  // namespace bufplan::checker

#endif  // BUFPLAN_IR_CHECKER_CONTENT_H_
