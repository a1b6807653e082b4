#include "ir/checker/runs.h"

#include <algorithm>
#include <utility>

namespace bufplan::checker {
RunList RunPool::Close(size_t first) {
  if (runs_.size() == first) return {};
  if (runs_.size() == first + 1) {
    const RunList one{runs_.back()};
    runs_.pop_back();
    return one;
  }
  RunList list{runs_[first], first, runs_.size() - first, false, 0};
  for (size_t i = first; i < runs_.size(); ++i) {
    list.span.begin = std::min(list.span.begin, runs_[i].begin);
    list.span.end = std::max(list.span.end, runs_[i].end);
  }
  return list;
}

std::optional<RunList> RunPool::Expand(const Region& region, int64_t max_exact) {
  const std::optional<int64_t> at = Evaluate(region.at), run = Evaluate(region.run_bytes);
  if (!at.has_value() || !run.has_value()) return std::nullopt;
  int64_t end = 0;
  bool empty = *run <= 0;
  Nest::Loops loops;
  for (const Dim& d : region.dims) {
    const std::optional<int64_t> count = Evaluate(d.count), stride = Evaluate(d.stride_bytes);
    if (!count.has_value() || !stride.has_value()) return std::nullopt;
    empty = empty || *count <= 0;
    loops.push_back({*count, *stride});
  }
  if (empty) return RunList{};
  if (loops.empty()) {
    if (__builtin_add_overflow(*at, *run, &end)) return std::nullopt;
    return RunList{{*at, end}};
  }
  std::optional<Nest> nest = Nest::Create(*run, loops);
  if (!nest.has_value() || __builtin_add_overflow(*at, nest->extent(), &end)) return std::nullopt;
  if (nest->contiguous()) return RunList{{*at, end}};
  if (nest->runs() > max_exact) {
    nests_.push_back(*std::move(nest));
    return RunList{{*at, end}, nests_.size() - 1, 0, true, nests_.back().bytes()};
  }
  if (nest->runs() > left_) return std::nullopt;
  left_ -= nest->runs();
  const size_t first = runs_.size();
  nest->AppendRuns({0, nest->bytes()}, *at, runs_);
  return Close(first);
}

void RunPool::Collect(absl::Span<const RunList> lists) {
  sorted_.clear();
  for (const RunList& list : lists) {
    const absl::Span<const ByteRange> r = runs(list);
    sorted_.insert(sorted_.end(), r.begin(), r.end());
  }
  const auto by_begin = [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; };
  if (!std::is_sorted(sorted_.begin(), sorted_.end(), by_begin)) std::sort(sorted_.begin(), sorted_.end(), by_begin);
}

RunList RunPool::Union(absl::Span<const RunList> lists) {
  Collect(lists);
  const size_t first = runs_.size();
  for (const ByteRange& r : sorted_) {
    if (runs_.size() > first && r.begin <= runs_.back().end) {
      runs_.back().end = std::max(runs_.back().end, r.end);
    } else {
      runs_.push_back(r);
    }
  }
  return Close(first);
}

RunList RunPool::Sorted(const RunList& list) {
  const absl::Span<const ByteRange> r = runs(list);
  for (size_t i = 1; i < r.size(); ++i) {
    if (r[i].begin < r[i - 1].end) return Union(absl::MakeConstSpan(&list, 1));
  }
  return list;
}

RunList RunPool::Complement(int64_t bytes, absl::Span<const RunList> lists) {
  Collect(lists);
  const size_t first = runs_.size();
  int64_t at = 0;
  for (const ByteRange& r : sorted_) {
    if (at < r.begin) runs_.push_back({at, r.begin});
    at = std::max(at, r.end);
  }
  if (at < bytes) runs_.push_back({at, bytes});
  return Close(first);
}

int64_t RunPool::Bytes(absl::Span<const ByteRange> runs) {
  int64_t bytes = 0;
  for (const ByteRange& r : runs) bytes += r.size();
  return bytes;
}

std::optional<ByteRange> FirstCommon(absl::Span<const ByteRange> a, int64_t a_base, absl::Span<const ByteRange> b,
                                     int64_t b_base) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const ByteRange x{a[i].begin + a_base, a[i].end + a_base}, y{b[j].begin + b_base, b[j].end + b_base};
    const ByteRange common{std::max(x.begin, y.begin), std::min(x.end, y.end)};
    if (!common.empty()) return common;
    if (x.end <= y.end) {
      ++i;
    } else {
      ++j;
    }
  }
  return std::nullopt;
}

}  // namespace bufplan::checker
