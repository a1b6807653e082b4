#include "gpu_runtime/steps/box_list.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace bufplan::runtime {
namespace {

// One is left for cutting long runs.
constexpr size_t kMaxDims = kMaxBoxDims - 1;

absl::Status TooManyPieces() {
  return absl::ResourceExhaustedError(absl::StrCat("strided bytes fall into more than ", kMaxPieces, " pieces"));
}

int64_t BytesOf(const Box& box) {
  int64_t bytes = box.run_bytes;
  for (int d = 0; d < box.num_dims; ++d) bytes *= box.count[d];
  return bytes;
}

// From the first byte to the last; there may be gaps between.
ByteRange SpanOf(const Box& box, bool of_b) {
  const int64_t begin = of_b ? box.b : box.a;
  ByteRange span = {begin, begin + box.run_bytes};
  for (int d = 0; d < box.num_dims; ++d) {
    const int64_t reach = (box.count[d] - 1) * (of_b ? box.b_stride[d] : box.a_stride[d]);
    (reach < 0 ? span.begin : span.end) += reach;
  }
  return span;
}

Box RunBox(int64_t a, int64_t b, int64_t bytes) {
  Box box;
  box.a = a;
  box.b = b;
  box.run_bytes = bytes;
  return box;
}

class Clipper {
 public:
  Clipper(const Shape& shape, const ByteSet& set) : shape_(shape), set_(set) {
    const size_t n = shape.dims.size();
    inner_bytes_.assign(n + 1, shape.run_bytes);
    extent_.assign(n + 1, shape.run_bytes);
    for (size_t d = n; d-- > 0;) {
      inner_bytes_[d] = inner_bytes_[d + 1] * shape.dims[d].count;
      extent_[d] = extent_[d + 1] + (shape.dims[d].count - 1) * shape.dims[d].stride;
    }
  }

  absl::StatusOr<Boxes> Run() {
    if (shape_.run_bytes > 0 && !set_.empty()) Visit(0, shape_.at, 0);
    if (out_.size() > kMaxPieces) return TooManyPieces();
    return std::move(out_);
  }

 private:
  // The part of the shape from dim d on that begins at byte `at`, with index `index`.
  void Visit(size_t d, int64_t at, int64_t index) {
    if (out_.size() > kMaxPieces) return;
    const ByteRange span = {at, at + extent_[d]};
    const size_t first = set_.FirstEndingAfter(span.begin);
    if (first == set_.ranges().size() || set_.ranges()[first].begin >= span.end) return;
    if (set_.ranges()[first].Contains(span) && shape_.dims.size() - d <= kMaxDims) return Emit(d, at, index);
    if (d == shape_.dims.size()) {
      for (size_t i = first; i < set_.ranges().size() && set_.ranges()[i].begin < span.end; ++i) {
        const int64_t begin = std::max(span.begin, set_.ranges()[i].begin);
        const int64_t end = std::min(span.end, set_.ranges()[i].end);
        out_.push_back(RunBox(begin, index + begin - at, end - begin));
      }
      return;
    }
    const auto [count, stride] = shape_.dims[d];
    int64_t low = 0, high = count;
    if (stride > 0) {
      const ByteRange whole = set_.span();
      low = std::clamp<int64_t>((whole.begin - extent_[d + 1] - at) / stride, 0, count);
      if (whole.end > at) high = std::clamp<int64_t>((whole.end - at + stride - 1) / stride, 0, count);
    }
    for (int64_t i = low; i < high; ++i) Visit(d + 1, at + i * stride, index + i * inner_bytes_[d + 1]);
  }

  void Emit(size_t d, int64_t at, int64_t index) {
    Box box = RunBox(at, index, shape_.run_bytes);
    for (size_t e = d; e < shape_.dims.size(); ++e) {
      box.count[box.num_dims] = shape_.dims[e].count;
      box.a_stride[box.num_dims] = shape_.dims[e].stride;
      box.b_stride[box.num_dims] = inner_bytes_[e + 1];
      ++box.num_dims;
    }
    out_.push_back(box);
  }

  const Shape& shape_;
  const ByteSet& set_;
  std::vector<int64_t> inner_bytes_, extent_;  // by dim: of what is inside of it, itself included
  Boxes out_;
};

// Calls f(a, b, bytes) for each run.
template <class F>
void ForEachRunOf(const Box& box, const F& f) {
  int64_t digit[kMaxBoxDims] = {}, a = box.a, b = box.b;
  for (;;) {
    f(a, b, box.run_bytes);
    int d = box.num_dims - 1;
    for (; d >= 0; --d) {
      a += box.a_stride[d];
      b += box.b_stride[d];
      if (++digit[d] < box.count[d]) break;
      a -= box.count[d] * box.a_stride[d];
      b -= box.count[d] * box.b_stride[d];
      digit[d] = 0;
    }
    if (d < 0) return;
  }
}

struct Run {
  int64_t a = 0, b = 0, bytes = 0;
};

// False: too many.
bool AppendRuns(const Boxes& boxes, std::vector<Run>& runs) {
  for (const Box& box : boxes) {
    if (static_cast<size_t>(BytesOf(box) / box.run_bytes) + runs.size() > kMaxPieces) return false;
    ForEachRunOf(box, [&](int64_t a, int64_t b, int64_t bytes) { runs.push_back({a, b, bytes}); });
  }
  return true;
}

bool SameForm(const Box& x, const Box& y) {
  if (x.run_bytes != y.run_bytes || x.num_dims != y.num_dims) return false;
  for (int d = 0; d < x.num_dims; ++d) {
    if (x.count[d] != y.count[d] || x.a_stride[d] != y.a_stride[d] || x.b_stride[d] != y.b_stride[d]) return false;
  }
  return true;
}

// The box `count` times, at these distances.
Box Repeated(const Box& box, int64_t count, int64_t a_stride, int64_t b_stride) {
  Box out = box;
  out.num_dims = box.num_dims + 1;
  for (int d = box.num_dims; d > 0; --d) {
    out.count[d] = box.count[d - 1];
    out.a_stride[d] = box.a_stride[d - 1];
    out.b_stride[d] = box.b_stride[d - 1];
  }
  out.count[0] = count;
  out.a_stride[0] = a_stride;
  out.b_stride[0] = b_stride;
  return out;
}

// Runs as few boxes: equal ones at equal distances become one, again and again.
Boxes Compress(const std::vector<Run>& runs) {
  Boxes boxes;
  for (const Run& r : runs) {
    if (!boxes.empty()) {
      Box& last = boxes.back();
      if (last.a + last.run_bytes == r.a && last.b + last.run_bytes == r.b) {
        last.run_bytes += r.bytes;
        continue;
      }
    }
    boxes.push_back(RunBox(r.a, r.b, r.bytes));
  }
  for (size_t level = 0; level < kMaxDims; ++level) {
    Boxes merged;
    for (size_t i = 0; i < boxes.size();) {
      size_t end = i + 1;
      int64_t a_stride = 0, b_stride = 0;
      if (end < boxes.size() && SameForm(boxes[i], boxes[end])) {
        a_stride = boxes[end].a - boxes[i].a;
        b_stride = boxes[end].b - boxes[i].b;
        while (end < boxes.size() && SameForm(boxes[i], boxes[end]) && boxes[end].a - boxes[end - 1].a == a_stride &&
               boxes[end].b - boxes[end - 1].b == b_stride) {
          ++end;
        }
      }
      const int64_t count = static_cast<int64_t>(end - i);
      merged.push_back(count > 1 ? Repeated(boxes[i], count, a_stride, b_stride) : boxes[i]);
      i = end;
    }
    if (merged.size() == boxes.size()) break;
    boxes = std::move(merged);
  }
  return boxes;
}

ByteSet BytesOf(const Boxes& boxes, bool of_b, size_t max_runs, bool* is_exact) {
  size_t runs = 0;
  for (const Box& box : boxes) runs += static_cast<size_t>(BytesOf(box) / box.run_bytes);
  const bool exact = runs <= max_runs;
  if (is_exact != nullptr) *is_exact = exact;
  std::vector<ByteRange> ranges;
  for (const Box& box : boxes) {
    if (exact) {
      ForEachRunOf(box, [&](int64_t a, int64_t b, int64_t bytes) {
        const int64_t at = of_b ? b : a;
        ranges.push_back({at, at + bytes});
      });
      continue;
    }
    ranges.push_back(SpanOf(box, of_b));
  }
  ByteSet set = ByteSet::OfAll(std::move(ranges));
  return exact ? set : ByteSet::Of(set.span());
}

}  // namespace

absl::StatusOr<Boxes> Clip(const Shape& shape, const ByteSet& set) { return Clipper(shape, set).Run(); }

absl::StatusOr<Boxes> AllOf(const Shape& shape) { return Clip(shape, ByteSet::Of({shape.at, shape.end()})); }

absl::StatusOr<Boxes> Pick(const Shape& shape, const ByteSet& indices) {
  if (indices.Contains({0, shape.bytes()})) return AllOf(shape);
  return Through(LinesOf(indices), shape);
}

void MoveIndices(Boxes& boxes, int64_t distance) {
  for (Box& box : boxes) box.b += distance;
}

absl::StatusOr<Boxes> Through(const Boxes& boxes, const Shape& place) {
  if (place.dims.empty()) {
    Boxes moved = boxes;
    for (Box& box : moved) box.a += place.at;
    return moved;
  }
  std::vector<Run> runs, pieces;
  if (!AppendRuns(boxes, runs)) return TooManyPieces();
  for (const Run& r : runs) {
    for (int64_t done = 0; done < r.bytes;) {
      const int64_t byte = r.a + done;
      const int64_t bytes = std::min(place.run_bytes - byte % place.run_bytes, r.bytes - done);
      pieces.push_back({place.ByteAt(byte), r.b + done, bytes});
      done += bytes;
    }
    if (pieces.size() > kMaxPieces) return TooManyPieces();
  }
  return Compress(pieces);
}

absl::StatusOr<Boxes> Pair(const Boxes& from, const Boxes& to) {
  // One run on the one side: the other side's boxes, wherever they have its indices, tell the whole.
  const auto covers = [](const Box& run, const Boxes& boxes) {
    const ByteRange indices = {run.b, run.b + run.run_bytes};
    return run.num_dims == 0 &&
           std::all_of(boxes.begin(), boxes.end(), [&](const Box& box) { return indices.Contains(SpanOf(box, true)); });
  };
  if (to.size() == 1 && covers(to[0], from)) {
    Boxes paired = from;
    MoveIndices(paired, to[0].a - to[0].b);
    return paired;
  }
  if (from.size() == 1 && covers(from[0], to)) {
    Boxes paired = to;
    for (Box& box : paired) {
      std::swap(box.a, box.b);
      std::swap(box.a_stride, box.b_stride);
      box.a += from[0].a - from[0].b;
    }
    return paired;
  }
  std::vector<Run> f, t, pieces;
  if (!AppendRuns(from, f) || !AppendRuns(to, t)) return TooManyPieces();
  const auto by_index = [](const Run& x, const Run& y) { return x.b < y.b; };
  std::sort(f.begin(), f.end(), by_index);
  std::sort(t.begin(), t.end(), by_index);
  for (size_t i = 0, j = 0; i < f.size() && j < t.size();) {
    const int64_t begin = std::max(f[i].b, t[j].b);
    const int64_t f_end = f[i].b + f[i].bytes, t_end = t[j].b + t[j].bytes;
    const int64_t end = std::min(f_end, t_end);
    if (begin < end) pieces.push_back({f[i].a + begin - f[i].b, t[j].a + begin - t[j].b, end - begin});
    ++(f_end < t_end ? i : j);
    if (pieces.size() > kMaxPieces) return TooManyPieces();
  }
  return Compress(pieces);
}

ByteSet BytesOfA(const Boxes& boxes, size_t max_runs, bool* exact) { return BytesOf(boxes, false, max_runs, exact); }
ByteSet BytesOfB(const Boxes& boxes, size_t max_runs, bool* exact) { return BytesOf(boxes, true, max_runs, exact); }

Boxes LinesOf(const ByteSet& bytes) {
  Boxes lines;
  for (const ByteRange& r : bytes.ranges()) lines.push_back(RunBox(r.begin, r.begin, r.size()));
  return lines;
}

bool AllInPlace(const Boxes& boxes) {
  for (const Box& box : boxes) {
    if (box.a != box.b) return false;
    for (int d = 0; d < box.num_dims; ++d) {
      if (box.a_stride[d] != box.b_stride[d]) return false;
    }
  }
  return true;
}

int64_t CutIntoItems(Boxes& boxes) {
  Boxes cut;
  for (const Box& box : boxes) {
    if (box.run_bytes <= kItemBytes) {
      cut.push_back(box);
      continue;
    }
    Box whole = box, rest = box;
    const int64_t count = box.run_bytes / kItemBytes;
    whole.run_bytes = kItemBytes;
    whole.count[whole.num_dims] = count;
    whole.a_stride[whole.num_dims] = whole.b_stride[whole.num_dims] = kItemBytes;
    ++whole.num_dims;
    cut.push_back(whole);
    rest.run_bytes -= count * kItemBytes;
    rest.a += count * kItemBytes;
    rest.b += count * kItemBytes;
    if (rest.run_bytes > 0) cut.push_back(rest);
  }
  int64_t items = 0;
  for (Box& box : cut) {
    box.num_runs = BytesOf(box) / box.run_bytes;
    box.first_item = items;
    box.runs_per_item = std::max<int64_t>(1, kItemBytes / box.run_bytes);
    items += (box.num_runs + box.runs_per_item - 1) / box.runs_per_item;
  }
  boxes = std::move(cut);
  return items;
}

}  // namespace bufplan::runtime
