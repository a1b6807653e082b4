#include "benchmarks/cut_rectangle.h"

#include <queue>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"

namespace bufplan {
namespace {

struct Rectangle {
  int64_t begin, end, low, high;
  int64_t number;  // in order of making, for ties
};

struct Smaller {
  static double Area(const Rectangle& r) {
    return static_cast<double>(r.end - r.begin) * static_cast<double>(r.high - r.low);
  }
  bool operator()(const Rectangle& a, const Rectangle& b) const {
    const double area_a = Area(a), area_b = Area(b);
    return area_a != area_b ? area_a < area_b : a.number > b.number;
  }
};

}  // namespace

CutRectangle CutIntoBuffers(int64_t num_buffers, int64_t duration, int64_t height_bytes, uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](int64_t bound) { return static_cast<int64_t>(random() % static_cast<uint64_t>(bound)); };
  // A place to cut [low, high) at, of length 2 or more.
  const auto cut = [&](int64_t low, int64_t high) {
    const int64_t length = high - low, quarter = length / 4;
    return low + quarter + (quarter == 0 ? 1 : 0) + below(length / 2);
  };
  std::priority_queue<Rectangle, std::vector<Rectangle>, Smaller> pieces;
  pieces.push({0, duration, 0, height_bytes, 0});
  for (int64_t number = 1; number < num_buffers; ++number) {
    Rectangle one = pieces.top();
    pieces.pop();
    Rectangle other = one;
    other.number = number;
    const bool wide = one.end - one.begin >= 2, high = one.high - one.low >= 2;
    if (wide && (!high || below(2) == 0)) {
      one.end = other.begin = cut(one.begin, one.end);
    } else {
      one.high = other.low = cut(one.low, one.high);
    }
    pieces.push(one);
    pieces.push(other);
  }
  std::vector<Rectangle> list;
  for (; !pieces.empty(); pieces.pop()) list.push_back(pieces.top());
  for (size_t i = list.size(); i > 1; --i) {
    std::swap(list[i - 1], list[static_cast<size_t>(below(static_cast<int64_t>(i)))]);
  }
  CutRectangle result;
  result.problem.name = absl::StrCat("cut-", num_buffers);
  for (const Rectangle& r : list) {
    Buffer& b = result.problem.buffers.emplace_back();
    b.name = absl::StrCat("b", result.problem.buffers.size() - 1);
    b.begin = r.begin;
    b.end = r.end;
    b.bytes = r.high - r.low;
    result.offsets.push_back(r.low);
  }
  return result;
}

}  // namespace bufplan
