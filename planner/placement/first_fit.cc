#include "planner/placement/first_fit.h"

#include <algorithm>

#include "planner/placement/pieces.h"

namespace bufplan {
namespace {

constexpr int64_t kNowhere = INT64_MAX;

// Up to so many pairs per piece, and in any case this many, lists are faster than the tree.
constexpr int64_t kPairsPerPiece = 64;
constexpr int64_t kFewPairs = int64_t{1} << 17;

// The cost of one list of the tree, in the steps that lists of pieces take.
constexpr int64_t kCursorWork = 4;

constexpr size_t kFewToSort = 40;

// Steps between looks at the clock.
constexpr int64_t kLookSteps = 30'000;

// Less than this part of the storages is taken away one by one, more at once.
constexpr size_t kFewPlaced = 16;

// Insertion sort for the usual handful, by low.
void SortByLow(std::vector<OccupiedRange>& ranges) {
  const auto lower = [](const OccupiedRange& a, const OccupiedRange& b) { return a.low < b.low; };
  if (ranges.size() > kFewToSort) {
    std::sort(ranges.begin(), ranges.end(), lower);
    return;
  }
  for (size_t i = 1; i < ranges.size(); ++i) {
    const OccupiedRange range = ranges[i];
    size_t k = i;
    for (; k > 0 && range.low < ranges[k - 1].low; --k) ranges[k] = ranges[k - 1];
    ranges[k] = range;
  }
}

}  // namespace

FirstFit::FirstFit(const PlacementProblem& problem, ConflictSearch search) : problem_(problem) {
  int64_t alignment = 1;
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    alignment = std::max(alignment, problem.storages[s].alignment_bytes);
    if (problem.storages[s].pinned_offset_bytes.has_value()) pinned_.push_back(static_cast<int32_t>(s));
  }
  if (problem.max_chunk_bytes.has_value()) {
    chunk_bytes_ = *problem.max_chunk_bytes;
    pitch_ = AlignUp(chunk_bytes_, alignment);
  }
  if (search != ConflictSearch::kTree) {
    const int64_t few = std::max(kFewPairs, kPairsPerPiece * static_cast<int64_t>(problem.pieces.size()));
    lists_ = ConflictLists::Build(problem, search == ConflictSearch::kLists ? INT64_MAX : few);
  }
  line_offset_.assign(problem.storages.size(), kNowhere);
  placed_order_.reserve(problem.storages.size());
  if (lists_.has_value()) {
    placed_.assign(problem.pieces.size(), {kNowhere, kNowhere});
  } else if (problem.order.has_value()) {
    chains_.emplace(problem);
  } else {
    tree_.emplace(problem);
  }
  if (!problem.disjoint.empty()) IndexDisjoint();
}

void FirstFit::IndexDisjoint() {
  first_edge_.assign(problem_.storages.size() + 1, 0);
  for (const DisjointStorages& pair : problem_.disjoint) {
    ++first_edge_[static_cast<size_t>(pair.a) + 1];
    ++first_edge_[static_cast<size_t>(pair.b) + 1];
  }
  for (size_t s = 1; s < first_edge_.size(); ++s) first_edge_[s] += first_edge_[s - 1];
  edges_.resize(first_edge_.back());
  std::vector<uint32_t> next(first_edge_.begin(), first_edge_.end() - 1);
  for (const DisjointStorages& pair : problem_.disjoint) {
    // An empty range meets nothing.
    if (pair.a_low >= pair.a_high || pair.b_low >= pair.b_high) {
      edges_[next[static_cast<size_t>(pair.a)]++] = {pair.b, 0, 0};
      edges_[next[static_cast<size_t>(pair.b)]++] = {pair.a, 0, 0};
      continue;
    }
    edges_[next[static_cast<size_t>(pair.a)]++] = {pair.b, pair.b_low - pair.a_high, pair.b_high - pair.a_low};
    edges_[next[static_cast<size_t>(pair.b)]++] = {pair.a, pair.a_low - pair.b_high, pair.a_high - pair.b_low};
  }
}

// Takes away what the last pass placed: one that gave up soon costs as little as it did.
void FirstFit::Start() {
  const bool all = placed_order_.size() > problem_.storages.size() / kFewPlaced;
  if (all && !lists_.has_value()) WithTree([](auto& tree) { tree.Clear(); });
  if (all) {
    std::fill(line_offset_.begin(), line_offset_.end(), kNowhere);
    std::fill(placed_.begin(), placed_.end(), OccupiedRange{kNowhere, kNowhere});
    placed_order_.clear();
  }
  for (int32_t s : placed_order_) {
    const StorageSpec& spec = problem_.storages[static_cast<size_t>(s)];
    line_offset_[static_cast<size_t>(s)] = kNowhere;
    for (size_t p = spec.first_piece; p < spec.first_piece + spec.num_pieces; ++p) {
      if (lists_.has_value()) {
        placed_[p] = {kNowhere, kNowhere};
      } else {
        WithTree([p](auto& tree) { tree.Remove(p); });
      }
    }
  }
  placed_order_.clear();
  chunk_top_.clear();
  total_ = 0;
}

std::optional<std::pair<size_t, size_t>> FirstFit::PinConflict() {
  Start();
  for (size_t i = 0; i < pinned_.size(); ++i) {
    const size_t s = static_cast<size_t>(pinned_[i]);
    const int64_t pin = *problem_.storages[s].pinned_offset_bytes;
    if (LowestFrom(s, pin) == pin) {
      PlaceAt(s, pin, INT64_MAX);
      continue;
    }
    // One of the storages before is in the way: the first from which on there is no room.
    Start();
    for (size_t k = 0; k < i; ++k) {
      const size_t other = static_cast<size_t>(pinned_[k]);
      PlaceAt(other, *problem_.storages[other].pinned_offset_bytes, INT64_MAX);
      if (LowestFrom(s, pin) != pin) return std::make_pair(other, s);
    }
  }
  return std::nullopt;
}

void FirstFit::StopAt(Deadline deadline, int64_t from_work) {
  deadline_ = deadline;
  first_look_ = next_look_ = deadline.never() ? INT64_MAX : from_work;
}

bool FirstFit::LooksTooLate() {
  if (work_ < next_look_) return false;
  next_look_ = work_ + kLookSteps;
  return TooLate();
}

std::optional<int64_t> FirstFit::Run(absl::Span<const int32_t> order, int64_t give_up_bytes, int64_t work_end,
                                     std::vector<int64_t>& line_offset) {
  if (TooLate()) return std::nullopt;
  Start();
  for (int32_t s : pinned_) {
    const int64_t pin = *problem_.storages[static_cast<size_t>(s)].pinned_offset_bytes;
    if (!PlaceAt(static_cast<size_t>(s), pin, give_up_bytes)) return std::nullopt;
  }
  for (int32_t s : order) {
    const size_t storage = static_cast<size_t>(s);
    if (problem_.storages[storage].pinned_offset_bytes.has_value()) continue;
    const int64_t offset = LowestFrom(storage, 0);
    if (!PlaceAt(storage, offset, give_up_bytes) || work_ >= work_end || LooksTooLate()) return std::nullopt;
  }
  line_offset = line_offset_;
  return total_;
}

int64_t FirstFit::WithinChunk(size_t storage, int64_t offset) const {
  if (pitch_ == INT64_MAX) return offset;
  const int64_t chunk_start = offset / pitch_ * pitch_;
  const bool straddles = problem_.storages[storage].size_bytes > chunk_bytes_ - (offset - chunk_start);
  return straddles ? chunk_start + pitch_ : offset;
}

int64_t FirstFit::LowestFrom(size_t storage, int64_t from) {
  const int64_t alignment = problem_.storages[storage].alignment_bytes;
  const bool has_edges = !first_edge_.empty() && first_edge_[storage] < first_edge_[storage + 1];
  if (lists_.has_value()) CollectFromLists(storage, from);
  for (;;) {
    int64_t lowest = lists_.has_value() ? LowestFromLists(storage, from) : LowestFromTree(storage, from);
    if (!has_edges) return lowest;
    bool moved = false;
    for (uint32_t e = first_edge_[storage]; e < first_edge_[storage + 1]; ++e) {
      const int64_t other = line_offset_[static_cast<size_t>(edges_[e].other)];
      ++work_;
      if (other == kNowhere || lowest - other <= edges_[e].low || lowest - other >= edges_[e].high) continue;
      lowest = AlignUp(other + edges_[e].high, alignment);
      moved = true;
    }
    if (!moved) return lowest;
    from = WithinChunk(storage, lowest);
  }
}

void FirstFit::CollectFromLists(size_t storage, int64_t from) {
  forbidden_.clear();
  const uint32_t first = problem_.storages[storage].first_piece, count = problem_.storages[storage].num_pieces;
  for (size_t p = first; p < first + count; ++p) {
    const Piece& piece = problem_.pieces[p];
    const absl::Span<const int32_t> neighbours = lists_->Of(p);
    work_ += static_cast<int64_t>(neighbours.size());
    for (int32_t q : neighbours) {
      const OccupiedRange& range = placed_[static_cast<size_t>(q)];
      if (range.low == kNowhere || range.high - piece.low <= from) continue;
      forbidden_.push_back({range.low - piece.high, range.high - piece.low});
    }
  }
  SortByLow(forbidden_);
  work_ += static_cast<int64_t>(forbidden_.size() * (forbidden_.size() > kFewToSort ? 3 : 1)) + 2;
}

int64_t FirstFit::LowestFromLists(size_t storage, int64_t from) {
  const int64_t alignment = problem_.storages[storage].alignment_bytes;
  int64_t lowest = WithinChunk(storage, from);
  for (size_t i = 0;;) {
    for (; i < forbidden_.size() && forbidden_[i].low < lowest; ++i) {
      if (forbidden_[i].high > lowest) lowest = AlignUp(forbidden_[i].high, alignment);
    }
    const int64_t within = WithinChunk(storage, lowest);
    if (within == lowest) return lowest;
    lowest = within;
  }
}

int64_t FirstFit::LowestFromTree(size_t storage, int64_t from) {
  const int64_t alignment = problem_.storages[storage].alignment_bytes;
  const uint32_t first = problem_.storages[storage].first_piece, count = problem_.storages[storage].num_pieces;
  cursors_.clear();
  for (size_t p = first; p < first + count; ++p) {
    const Piece& piece = problem_.pieces[p];
    range_lists_.clear();
    WithTree([&](auto& tree) { tree.Collect(p, range_lists_); });
    for (const RangeList* ranges : range_lists_) cursors_.push_back({ranges, piece.low, piece.high - piece.low, {}});
  }
  int64_t lowest = WithinChunk(storage, from);
  // Until no list objects. One that did is asked first from then on, as it will likely object again.
  for (size_t c = 0; c < cursors_.size();) {
    Cursor& cursor = cursors_[c];
    work_ += kCursorWork;
    const int64_t free =
        cursor.ranges->NextFree(lowest + cursor.low, cursor.bytes, cursor.position, work_) - cursor.low;
    if (free <= lowest) {
      ++c;
      continue;
    }
    lowest = WithinChunk(storage, AlignUp(free, alignment));
    if (c > 0) {
      const Cursor objecting = cursor;
      for (; c > 0; --c) cursors_[c] = cursors_[c - 1];
      cursors_[0] = objecting;
    }
  }
  return lowest;
}

bool FirstFit::PlaceAt(size_t storage, int64_t offset, int64_t give_up_bytes) {
  const StorageSpec& spec = problem_.storages[storage];
  const size_t chunk = pitch_ == INT64_MAX ? 0 : static_cast<size_t>(offset / pitch_);
  const int64_t top = offset - (chunk == 0 ? 0 : static_cast<int64_t>(chunk) * pitch_) + spec.size_bytes;
  if (chunk >= chunk_top_.size()) chunk_top_.resize(chunk + 1, 0);
  if (top > chunk_top_[chunk]) {
    total_ += top - chunk_top_[chunk];
    chunk_top_[chunk] = top;
    if (total_ >= give_up_bytes) return false;
  }
  line_offset_[storage] = offset;
  placed_order_.push_back(static_cast<int32_t>(storage));
  for (size_t p = spec.first_piece; p < spec.first_piece + spec.num_pieces; ++p) {
    if (lists_.has_value()) {
      placed_[p] = {offset + problem_.pieces[p].low, offset + problem_.pieces[p].high};
    } else {
      WithTree([&](auto& tree) { tree.Insert(p, offset); });
    }
  }
  return true;
}

Placement FirstFit::OnChunks(absl::Span<const int64_t> line_offset) const {
  Placement placement;
  const size_t n = line_offset.size();
  placement.offset_bytes.resize(n);
  placement.chunk.resize(n, 0);
  placement.chunk_bytes.assign(1, 0);
  for (size_t s = 0; s < n; ++s) {
    const size_t chunk = pitch_ == INT64_MAX ? 0 : static_cast<size_t>(line_offset[s] / pitch_);
    placement.chunk[s] = static_cast<int32_t>(chunk);
    placement.offset_bytes[s] = line_offset[s] - (chunk == 0 ? 0 : static_cast<int64_t>(chunk) * pitch_);
    if (chunk >= placement.chunk_bytes.size()) placement.chunk_bytes.resize(chunk + 1, 0);
    placement.chunk_bytes[chunk] =
        std::max(placement.chunk_bytes[chunk], placement.offset_bytes[s] + problem_.storages[s].size_bytes);
  }
  for (int64_t bytes : placement.chunk_bytes) placement.total_bytes += bytes;
  return placement;
}

}  // namespace bufplan
