#include "ir/checker/content.h"

namespace bufplan::checker {
namespace {

// Sums that only bound work; what is larger is as good as infinite.
int64_t AddPieces(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

}  // namespace

uint64_t ContentPool::Random() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return random_;
}

int32_t ContentPool::NewNode(Origin origin, int64_t offset, int64_t bytes) {
  Node node;
  node.origin = origin;
  node.offset = offset;
  node.bytes = node.total = bytes;
  if (free_.empty()) {
    nodes_.push_back(node);
    return static_cast<int32_t>(nodes_.size()) - 1;
  }
  const int32_t n = free_.back();
  free_.pop_back();
  nodes_[Index(n)] = node;
  if (Index(n) < notes_.size()) notes_[Index(n)] = {};
  return n;
}

int32_t ContentPool::Tree(const Content& c, int64_t bytes) {
  if (c.node < 0) return NewNode(c.origin, c.offset, bytes);
  return Share(c).node;
}

int32_t ContentPool::Own(int32_t n) {
  if (nodes_[Index(n)].references == 1) return n;
  const Node old = nodes_[Index(n)];
  --nodes_[Index(n)].references;
  if (old.left >= 0) ++nodes_[Index(old.left)].references;
  if (old.right >= 0) ++nodes_[Index(old.right)].references;
  const int32_t copy = NewNode(old.origin, old.offset, old.bytes);
  Node& node = nodes_[Index(copy)];
  node.left = old.left;
  node.right = old.right;
  node.total = old.total;
  node.pieces = old.pieces;
  return copy;
}

void ContentPool::Update(int32_t n) {
  if (Index(n) < notes_.size()) notes_[Index(n)] = {};
  Node& node = nodes_[Index(n)];
  node.total = node.bytes + Total(node.left) + Total(node.right);
  node.pieces = AddPieces(AddPieces(PiecesOf(node.left), PiecesOf(node.right)), 1);
}

std::pair<int32_t, int32_t> ContentPool::Split(int32_t n, int64_t at) {
  if (n < 0) return {-1, -1};
  if (at <= 0) return {-1, n};
  if (at >= Total(n)) return {n, -1};
  n = Own(n);
  const int32_t left = nodes_[Index(n)].left, right = nodes_[Index(n)].right;
  const int64_t begin = Total(left), end = begin + nodes_[Index(n)].bytes;
  if (at <= begin) {
    const auto [a, b] = Split(left, at);
    nodes_[Index(n)].left = b;
    Update(n);
    return {a, n};
  }
  if (at >= end) {
    const auto [a, b] = Split(right, at - end);
    nodes_[Index(n)].right = a;
    Update(n);
    return {n, b};
  }
  const int64_t head = at - begin;
  const int32_t tail = NewNode(nodes_[Index(n)].origin, nodes_[Index(n)].offset + head, nodes_[Index(n)].bytes - head);
  nodes_[Index(n)].bytes = head;
  nodes_[Index(n)].right = -1;
  Update(n);
  return {n, Merge(tail, right)};
}

int32_t ContentPool::Merge(int32_t a, int32_t b) {
  if (a < 0) return b;
  if (b < 0) return a;
  const uint64_t weight_a = static_cast<uint64_t>(PiecesOf(a)), weight_b = static_cast<uint64_t>(PiecesOf(b));
  if (Random() % (weight_a + weight_b) < weight_a) {
    a = Own(a);
    const int32_t merged = Merge(nodes_[Index(a)].right, b);
    nodes_[Index(a)].right = merged;
    Update(a);
    return a;
  }
  b = Own(b);
  const int32_t merged = Merge(a, nodes_[Index(b)].left);
  nodes_[Index(b)].left = merged;
  Update(b);
  return b;
}

void ContentPool::ReleaseTree(int32_t n) {
  stack_.push_back(n);
  while (!stack_.empty()) {
    const int32_t top = stack_.back();
    stack_.pop_back();
    Node& node = nodes_[Index(top)];
    if (--node.references > 0) continue;
    if (node.left >= 0) stack_.push_back(node.left);
    if (node.right >= 0) stack_.push_back(node.right);
    free_.push_back(top);
  }
}

Content ContentPool::Slice(const Content& c, int64_t bytes, ByteRange range) {
  if (range.empty()) return {};
  if (c.node < 0) return Piece(c.origin, c.origin == kUndefined ? 0 : c.offset + range.begin);
  if (range.begin == 0 && range.end == bytes) return Share(c);
  const auto [head, rest] = Split(Share(c).node, range.begin);
  const auto [middle, tail] = Split(rest, range.size());
  if (head >= 0) ReleaseTree(head);
  if (tail >= 0) ReleaseTree(tail);
  const Node& node = nodes_[Index(middle)];
  if (node.pieces > 1) return {kUndefined, middle, 0};
  const Content piece = Piece(node.origin, node.offset);
  ReleaseTree(middle);
  return piece;
}

void ContentPool::Overwrite(Content& c, int64_t bytes, int64_t at, const Content& piece, int64_t piece_bytes) {
  if (piece_bytes <= 0) return;
  if (at == 0 && piece_bytes == bytes) {
    const Content whole = Share(piece);
    Release(c);
    c = whole;
    return;
  }
  const int32_t tree = c.node < 0 ? Tree(c, bytes) : c.node;  // takes the caller's reference
  const auto [head, rest] = Split(tree, at);
  const auto [old, tail] = Split(rest, piece_bytes);
  if (old >= 0) ReleaseTree(old);
  c = {kUndefined, Merge(Merge(head, Tree(piece, piece_bytes)), tail), 0};
}

int32_t ContentPool::Balanced(size_t begin, size_t end) {
  if (begin >= end) return -1;
  const size_t middle = begin + (end - begin) / 2;
  const Placed piece = all_[middle];
  const int32_t left = Balanced(begin, middle);
  const int32_t right = Balanced(middle + 1, end);
  const int32_t n = NewNode(piece.origin, piece.offset, piece.bytes);
  nodes_[Index(n)].left = left;
  nodes_[Index(n)].right = right;
  Update(n);
  return n;
}

void ContentPool::OverwriteAll(Content& c, int64_t bytes, const std::vector<Placed>& pieces) {
  all_.clear();
  const auto add = [&](int64_t at, int64_t size, Origin origin, int64_t offset) {
    if (!all_.empty()) {
      Placed& last = all_.back();
      if (last.origin == origin && (origin == kUndefined || last.offset + last.bytes == offset)) {
        last.bytes += size;
        return true;
      }
    }
    all_.push_back({at, size, origin, offset});
    return true;
  };
  int64_t at = 0;
  for (const Placed& p : pieces) {
    ForEach(c, {at, p.at}, add);
    add(p.at, p.bytes, p.origin, p.offset);
    at = p.at + p.bytes;
  }
  ForEach(c, {at, bytes}, add);
  Release(c);
  c = all_.size() == 1 ? Piece(all_[0].origin, all_[0].offset) : Content{kUndefined, Balanced(0, all_.size()), 0};
}

}  // namespace bufplan::checker
