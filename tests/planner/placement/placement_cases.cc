#include "tests/planner/placement/placement_cases.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "absl/strings/str_cat.h"

namespace bufplan {
namespace {

int64_t Uniform(std::mt19937_64& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}

// True if the storages, with bases at these offsets of one chunk, have a byte that both need.
bool Meet(const PlacementProblem& problem, size_t a, int64_t offset_a, size_t b, int64_t offset_b) {
  const auto overlap = [](int64_t low_a, int64_t high_a, int64_t low_b, int64_t high_b) {
    return std::max(low_a, low_b) < std::min(high_a, high_b);
  };
  const StorageSpec &of_a = problem.storages[a], &of_b = problem.storages[b];
  for (size_t i = of_a.first_piece; i < of_a.first_piece + of_a.num_pieces; ++i) {
    for (size_t j = of_b.first_piece; j < of_b.first_piece + of_b.num_pieces; ++j) {
      const Piece &p = problem.pieces[i], &q = problem.pieces[j];
      if (problem.Meet(i, j) && overlap(offset_a + p.low, offset_a + p.high, offset_b + q.low, offset_b + q.high)) {
        return true;
      }
    }
  }
  for (const DisjointStorages& pair : problem.disjoint) {
    const size_t first = static_cast<size_t>(pair.a), second = static_cast<size_t>(pair.b);
    if (!(first == a && second == b) && !(first == b && second == a)) continue;
    const int64_t offset_first = first == a ? offset_a : offset_b, offset_second = first == a ? offset_b : offset_a;
    if (overlap(offset_first + pair.a_low, offset_first + pair.a_high, offset_second + pair.b_low,
                offset_second + pair.b_high)) {
      return true;
    }
  }
  return false;
}

void AddPieces(std::mt19937_64& random, const RandomShape& shape, int64_t size, std::vector<Piece>& pieces) {
  const int64_t kind = shape.pieces ? Uniform(random, 0, 3) : 0;
  int64_t begin = Uniform(random, 0, shape.max_time - 1), high = size;
  if (kind == 0) {
    pieces.push_back({begin, Uniform(random, begin + 1, shape.max_time), 0, size});
    return;
  }
  const int64_t count = Uniform(random, 1, 5);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t end = begin + Uniform(random, 1, 4);
    if (kind == 1) {  // a staircase, its steps one after another or overlapping by one
      pieces.push_back({begin, end, 0, high});
      begin = end - Uniform(random, 0, 1);
      high = Uniform(random, 1, high);
    } else if (kind == 2) {  // gaps
      pieces.push_back({begin, end, 0, size});
      begin = end + Uniform(random, 0, 3);
    } else {  // anything
      const int64_t low = Uniform(random, 0, size - 1);
      pieces.push_back({begin, end, low, Uniform(random, low + 1, size)});
      begin = Uniform(random, 0, shape.max_time);
    }
  }
}

bool HasRoomFrom(const PlacementProblem& problem, int64_t bytes, size_t next, std::vector<int64_t>& offset_bytes) {
  if (next == problem.storages.size()) return true;
  const StorageSpec& storage = problem.storages[next];
  for (int64_t offset = 0; offset + storage.size_bytes <= bytes; offset += storage.alignment_bytes) {
    if (storage.pinned_offset_bytes.value_or(offset) != offset) continue;
    bool free = true;
    for (size_t i = 0; i < next && free; ++i) free = !Meet(problem, next, offset, i, offset_bytes[i]);
    offset_bytes[next] = offset;
    if (free && HasRoomFrom(problem, bytes, next + 1, offset_bytes)) return true;
  }
  return false;
}

}  // namespace

bool HasRoom(const PlacementProblem& problem, int64_t bytes) {
  std::vector<int64_t> offset_bytes(problem.storages.size(), 0);
  return HasRoomFrom(problem, bytes, 0, offset_bytes);
}

PlacementProblem FromIntervals(absl::Span<const Interval> intervals, int64_t alignment_bytes) {
  PlacementProblem problem;
  for (const Interval& interval : intervals) {
    StorageSpec& storage = problem.storages.emplace_back();
    storage.size_bytes = interval.size_bytes;
    storage.alignment_bytes = alignment_bytes;
    storage.first_piece = static_cast<uint32_t>(problem.pieces.size());
    if (interval.size_bytes == 0 || interval.begin == interval.end) continue;
    storage.num_pieces = 1;
    problem.pieces.push_back({interval.begin, interval.end, 0, interval.size_bytes});
  }
  return problem;
}

RandomShape OfKind(RandomShape shape, int kind) {
  shape.pieces = (kind & 1) != 0;
  shape.alignments = (kind & 2) != 0;
  shape.pins = (kind & 4) != 0;
  shape.disjoint = (kind & 8) != 0;
  shape.chunks = (kind & 16) != 0;
  return shape;
}

PlacementProblem RandomProblem(std::mt19937_64& random, const RandomShape& shape) {
  PlacementProblem problem;
  const size_t n = static_cast<size_t>(Uniform(random, 1, static_cast<int64_t>(shape.max_storages)));
  if (shape.chunks) problem.max_chunk_bytes = shape.max_size + Uniform(random, 0, 2 * shape.max_size);
  for (size_t s = 0; s < n; ++s) {
    StorageSpec& storage = problem.storages.emplace_back();
    storage.first_piece = static_cast<uint32_t>(problem.pieces.size());
    storage.size_bytes = Uniform(random, 0, 9) == 0 ? 0 : Uniform(random, 1, shape.max_size);
    if (shape.alignments) storage.alignment_bytes = int64_t{1} << Uniform(random, 0, 4);
    if (storage.size_bytes > 0) AddPieces(random, shape, storage.size_bytes, problem.pieces);
    storage.num_pieces = static_cast<uint32_t>(problem.pieces.size()) - storage.first_piece;
    if (!shape.pins || Uniform(random, 0, 4) != 0) continue;
    // A pin, if it meets no other.
    const int64_t pin = Uniform(random, 0, 3) * 16;
    if (problem.max_chunk_bytes.has_value() && pin + storage.size_bytes > *problem.max_chunk_bytes) continue;
    bool free = true;
    for (size_t t = 0; t < s; ++t) {
      const auto other = problem.storages[t].pinned_offset_bytes;
      free &= !other.has_value() || !Meet(problem, s, pin, t, *other);
    }
    if (free) storage.pinned_offset_bytes = pin;
  }
  for (int64_t i = shape.disjoint && n > 1 ? Uniform(random, 0, 5) : 0; i > 0; --i) {
    const int64_t a = Uniform(random, 0, static_cast<int64_t>(n) - 2),
                  b = Uniform(random, a + 1, static_cast<int64_t>(n) - 1);
    const StorageSpec &first = problem.storages[static_cast<size_t>(a)],
                      &second = problem.storages[static_cast<size_t>(b)];
    if (first.pinned_offset_bytes.has_value() && second.pinned_offset_bytes.has_value()) continue;
    const int64_t low_a = Uniform(random, 0, first.size_bytes), low_b = Uniform(random, 0, second.size_bytes);
    problem.disjoint.push_back({static_cast<int32_t>(a), static_cast<int32_t>(b), low_a,
                                Uniform(random, low_a, first.size_bytes), low_b,
                                Uniform(random, low_b, second.size_bytes)});
  }
  return problem;
}

std::string FindFault(const PlacementProblem& problem, const Placement& placement) {
  const size_t n = problem.storages.size();
  if (placement.offset_bytes.size() != n || placement.chunk.size() != n) return "wrong number of storages";
  int64_t total = 0;
  for (int64_t bytes : placement.chunk_bytes) {
    total += bytes;
    if (problem.max_chunk_bytes.has_value() && bytes > *problem.max_chunk_bytes)
      return absl::StrCat("chunk of ", bytes);
  }
  if (placement.chunk_bytes.empty()) return "no chunk";
  if (total != placement.total_bytes)
    return absl::StrCat("total ", placement.total_bytes, ", chunks add up to ", total);
  if (total < placement.lower_bound_bytes)
    return absl::StrCat("lower bound ", placement.lower_bound_bytes, " above ", total);
  if (placement.optimal != (total == placement.lower_bound_bytes)) return "optimal is wrong";
  if (total > problem.capacity_bytes.value_or(INT64_MAX)) return "above the capacity";
  for (size_t s = 0; s < n; ++s) {
    const StorageSpec& storage = problem.storages[s];
    const int64_t offset = placement.offset_bytes[s];
    const int32_t chunk = placement.chunk[s];
    if (chunk < 0 || static_cast<size_t>(chunk) >= placement.chunk_bytes.size())
      return absl::StrCat(s, " in chunk ", chunk);
    if (offset < 0 || offset % storage.alignment_bytes != 0) return absl::StrCat(s, " at ", offset);
    if (offset + storage.size_bytes > placement.chunk_bytes[static_cast<size_t>(chunk)])
      return absl::StrCat(s, " sticks out");
    if (storage.pinned_offset_bytes.has_value() && (chunk != 0 || offset != *storage.pinned_offset_bytes)) {
      return absl::StrCat(s, " is off its pin");
    }
    for (size_t t = 0; t < s; ++t) {
      if (placement.chunk[t] == chunk && Meet(problem, s, offset, t, placement.offset_bytes[t])) {
        return absl::StrCat(t, " at ", placement.offset_bytes[t], " and ", s, " at ", offset, " meet");
      }
    }
  }
  return "";
}

std::string FindFault(const PlacementProblem& problem, const ExactPlacement& exact) {
  Placement placement;
  placement.offset_bytes = exact.offset_bytes;
  placement.chunk.assign(exact.offset_bytes.size(), 0);
  placement.chunk_bytes = {exact.bytes};
  placement.total_bytes = exact.bytes;
  placement.lower_bound_bytes = exact.lower_bound_bytes;
  placement.optimal = exact.bytes == exact.lower_bound_bytes;
  return FindFault(problem, placement);
}

Placement NaiveFirstFit(const PlacementProblem& problem, absl::Span<const int32_t> order) {
  const size_t n = problem.storages.size();
  Placement placement;
  placement.offset_bytes.assign(n, 0);
  placement.chunk.assign(n, 0);
  placement.chunk_bytes.assign(1, 0);
  std::vector<size_t> placed;
  const auto place = [&](size_t s, int32_t chunk, int64_t offset) {
    placement.offset_bytes[s] = offset;
    placement.chunk[s] = chunk;
    const size_t c = static_cast<size_t>(chunk);
    if (c >= placement.chunk_bytes.size()) placement.chunk_bytes.resize(c + 1, 0);
    placement.chunk_bytes[c] = std::max(placement.chunk_bytes[c], offset + problem.storages[s].size_bytes);
    placed.push_back(s);
  };
  const auto find = [&](size_t s) {
    const StorageSpec& storage = problem.storages[s];
    const int64_t limit = problem.max_chunk_bytes.value_or(INT64_MAX);
    for (int32_t chunk = 0;; ++chunk) {
      for (int64_t offset = 0; offset + storage.size_bytes <= limit; offset += storage.alignment_bytes) {
        const bool free = std::none_of(placed.begin(), placed.end(), [&](size_t t) {
          return placement.chunk[t] == chunk && Meet(problem, s, offset, t, placement.offset_bytes[t]);
        });
        if (free) return place(s, chunk, offset);
      }
    }
  };
  for (size_t s = 0; s < n; ++s) {
    if (problem.storages[s].pinned_offset_bytes.has_value()) place(s, 0, *problem.storages[s].pinned_offset_bytes);
  }
  for (int32_t s : order) {
    if (!problem.storages[static_cast<size_t>(s)].pinned_offset_bytes.has_value()) find(static_cast<size_t>(s));
  }
  for (int64_t bytes : placement.chunk_bytes) placement.total_bytes += bytes;
  return placement;
}

absl::Span<const DataFile> DataFiles() {
  static constexpr DataFile kFiles[] = {
      {"benchmarks/data/minimalloc/A.1048576.csv", 1048576}, {"benchmarks/data/minimalloc/B.1048576.csv", 1048576},
      {"benchmarks/data/minimalloc/C.1048576.csv", 1039360}, {"benchmarks/data/minimalloc/D.1048576.csv", 986112},
      {"benchmarks/data/minimalloc/E.1048576.csv", 1048576}, {"benchmarks/data/minimalloc/F.1048576.csv", 1048576},
      {"benchmarks/data/minimalloc/G.1048576.csv", 1048576}, {"benchmarks/data/minimalloc/H.1048576.csv", 1048576},
      {"benchmarks/data/minimalloc/I.1048576.csv", 1048576}, {"benchmarks/data/minimalloc/J.1048576.csv", 989184},
      {"benchmarks/data/minimalloc/K.1048576.csv", 1048576}, {"benchmarks/data/somas/resnet50.csv", 1515472556},
      {"benchmarks/data/somas/pangu_2.6B.csv", 5530099775},  {"benchmarks/data/iopddl/G_1.csv", 3030937746},
      {"benchmarks/data/iopddl/S_1.csv", 1498635932},
  };
  return kFiles;
}

std::vector<Interval> ReadCsv(const std::string& path) {
  std::vector<Interval> intervals;
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    long long id = 0, begin = 0, end = 0, size = 0;
    if (std::sscanf(line.c_str(), "%lld,%lld,%lld,%lld", &id, &begin, &end, &size) == 4) {
      intervals.push_back({begin, end, size});
    }
  }
  return intervals;
}

}  // namespace bufplan
