#include "gpu_runtime/steps/dead_bytes.h"

#include <algorithm>
#include <utility>

namespace bufplan::runtime {

DeadBytes::DeadBytes(const HappensBefore& order, std::vector<int64_t> bytes) : order_(order), pieces_(bytes.size()) {
  for (size_t m = 0; m < bytes.size(); ++m) {
    if (bytes[m] > 0) pieces_[m].emplace(0, Piece{bytes[m], kGarbage, {}});
  }
}

// The piece that begins at `byte`, made so if need be; end() behind the last byte.
DeadBytes::Pieces::iterator DeadBytes::SplitAt(Pieces& pieces, int64_t byte) {
  auto it = pieces.upper_bound(byte);
  if (it == pieces.begin()) return it;
  --it;
  if (it->first == byte) return it;
  if (it->second.end <= byte) return std::next(it);
  Piece behind = it->second;
  it->second.end = byte;
  return pieces.emplace_hint(std::next(it), byte, std::move(behind));
}

template <class F>
void DeadBytes::ForEach(int32_t memory, const ByteSet& bytes, const F& f) {
  Pieces& pieces = pieces_[static_cast<size_t>(memory)];
  for (const ByteRange& r : bytes.ranges()) {
    SplitAt(pieces, r.end);
    for (auto it = SplitAt(pieces, r.begin); it != pieces.end() && it->first < r.end; ++it) f(it);
  }
}

void DeadBytes::Initialised(int32_t memory, const ByteSet& bytes) {
  ForEach(memory, bytes, [](Pieces::iterator it) { it->second.writer = kStart; });
}

void DeadBytes::Read(int32_t unit, int32_t memory, const ByteSet& bytes) {
  ForEach(memory, bytes, [&](Pieces::iterator it) {
    std::vector<int32_t>& readers = it->second.readers;
    // Who is before the new reader has no say any more.
    std::erase_if(readers,
                  [&](int32_t r) { return r == unit || (r != kEnd && unit != kEnd && order_.Before(r, unit)); });
    readers.push_back(unit);
  });
}

void DeadBytes::ReadAtEnd(int32_t memory, const ByteSet& bytes) { Read(kEnd, memory, bytes); }

int32_t DeadBytes::LastUser(const Piece& piece) const {
  if (piece.readers.size() == 1) return piece.readers[0];
  return piece.readers.empty() ? piece.writer : kGarbage;
}

void DeadBytes::Die(int32_t memory, ByteRange range, const Piece& piece, int32_t overwriter) {
  const int32_t last = LastUser(piece);
  if (last >= 0 && last != kEnd && last != overwriter) dead_[{last, memory}].push_back(range);
}

void DeadBytes::Overwritten(int32_t unit, int32_t memory, const ByteSet& bytes) {
  ForEach(memory, bytes, [&](Pieces::iterator it) { Die(memory, {it->first, it->second.end}, it->second, unit); });
  // What is written at once is one piece again.
  Pieces& pieces = pieces_[static_cast<size_t>(memory)];
  for (const ByteRange& r : bytes.ranges()) {
    const auto first = pieces.lower_bound(r.begin);
    if (first == pieces.end()) continue;
    const auto behind = pieces.erase(first, pieces.lower_bound(r.end));
    pieces.emplace_hint(behind, r.begin, Piece{r.end, unit, {}});
  }
}

void DeadBytes::Finish() {
  for (size_t m = 0; m < pieces_.size(); ++m) {
    std::vector<ByteRange> garbage;
    for (const auto& [begin, piece] : pieces_[m]) {
      Die(static_cast<int32_t>(m), {begin, piece.end}, piece, kEnd);
      const int32_t last = LastUser(piece);
      const bool untouched = piece.writer == kGarbage && piece.readers.empty();
      if (untouched || (last >= 0 && last != kEnd)) garbage.push_back({begin, piece.end});
    }
    garbage_.push_back(ByteSet::OfAll(std::move(garbage)));
  }
}

std::vector<DeadBytes::Dead> DeadBytes::TakeDead() {
  std::vector<Dead> all;
  for (auto& [key, ranges] : dead_) all.push_back({key.first, key.second, ByteSet::OfAll(std::move(ranges))});
  dead_.clear();
  return all;
}

}  // namespace bufplan::runtime
