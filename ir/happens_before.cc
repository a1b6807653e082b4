#include "ir/happens_before.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace bufplan {

// Builds one relation, step by step. Ops are indexed by size_t inside, by int32_t in what is stored.
class HappensBefore::Builder {
 public:
  Builder(absl::Span<const int32_t> stream_of_op, int32_t num_streams, absl::Span<const Edge> edges)
      : streams_(stream_of_op), num_streams_(num_streams), edges_(edges) {}

  absl::Status Build(HappensBefore& result) {
    absl::Status valid = Validate();
    if (!valid.ok()) return valid;
    result.total_order_by_list_ =
        std::all_of(streams_.begin(), streams_.end(), [this](int32_t s) { return s == streams_.front(); });
    result.only_stream_ = streams_.empty() ? 0 : streams_.front();
    absl::Status agree = CheckStreamOrder();
    if (!agree.ok()) return agree;
    if (result.total_order_by_list_) {
      ListOrder(result.order_);
      return absl::OkStatus();
    }
    AssignPlaces(result);
    CollectPredecessors();
    absl::Status ordered = backward_ ? SortTopologically(result) : absl::OkStatus();
    if (!ordered.ok()) return ordered;
    if (!backward_) ListOrder(result.order_);
    return ComputeClocks(result);
  }

  const std::vector<int32_t>& cycle() const { return cycle_; }

 private:
  static size_t Index(int32_t i) { return static_cast<size_t>(i); }

  void ListOrder(std::vector<int32_t>& order) const {
    order.resize(streams_.size());
    std::iota(order.begin(), order.end(), 0);
  }

  absl::Status Validate() const {
    constexpr size_t kMaxOps = std::numeric_limits<int32_t>::max();
    if (streams_.size() > kMaxOps) {
      return absl::InvalidArgumentError(absl::StrCat(streams_.size(), " ops, must be <= ", kMaxOps));
    }
    for (size_t op = 0; op < streams_.size(); ++op) {
      if (streams_[op] < 0 || streams_[op] >= num_streams_) {
        return absl::InvalidArgumentError(
            absl::StrCat("op ", op, ": stream=", streams_[op], ", must be in [0, ", num_streams_, ")"));
      }
    }
    const int32_t num_ops = static_cast<int32_t>(streams_.size());
    for (const auto& [from, to] : edges_) {
      if (from < 0 || from >= num_ops || to < 0 || to >= num_ops) {
        return absl::InvalidArgumentError(
            absl::StrCat("edge (", from, ", ", to, "): ops must be in [0, ", num_ops, ")"));
      }
    }
    return absl::OkStatus();
  }

  absl::Status Cycle(std::vector<int32_t> ops) {
    cycle_ = std::move(ops);
    constexpr size_t kShown = 20;
    const std::string shown = absl::StrJoin(absl::MakeConstSpan(cycle_).subspan(0, kShown), " -> ");
    return absl::InvalidArgumentError(absl::StrCat("happens-before has a cycle of ", cycle_.size(), " ops: ", shown,
                                                   cycle_.size() > kShown ? " -> ..." : "", " -> ", cycle_.front()));
  }

  // An edge within a stream says what the stream says, or contradicts it.
  absl::Status CheckStreamOrder() {
    for (const auto& [from, to] : edges_) {
      if (from == to) return Cycle({from});
      if (from > to && streams_[Index(from)] == streams_[Index(to)]) return Cycle({to, from});
    }
    return absl::OkStatus();
  }

  void AssignPlaces(HappensBefore& result) {
    std::vector<size_t> ops_of_stream(Index(num_streams_), 0);
    for (const int32_t stream : streams_) ++ops_of_stream[Index(stream)];
    result.column_.resize(ops_of_stream.size());
    result.column_begin_ = {0};
    for (size_t stream = 0; stream < ops_of_stream.size(); ++stream) {
      if (ops_of_stream[stream] == 0) continue;
      result.column_[stream] = static_cast<int32_t>(num_columns_++);
      result.column_begin_.push_back(result.column_begin_.back() + ops_of_stream[stream]);
    }
    for (size_t stream = 0; stream < ops_of_stream.size(); ++stream) {
      if (ops_of_stream[stream] == 0) result.column_[stream] = static_cast<int32_t>(num_columns_);
    }
    result.column_begin_.push_back(result.column_begin_.back());

    std::vector<size_t> next(result.column_begin_.begin(), result.column_begin_.end());
    result.place_.resize(streams_.size());
    result.column_ops_.resize(streams_.size());
    for (size_t op = 0; op < streams_.size(); ++op) {
      const int32_t column = result.column_[Index(streams_[op])];
      size_t& slot = next[Index(column)];
      result.place_[op].column = column;
      result.place_[op].position = static_cast<int32_t>(slot - result.column_begin_[Index(column)]);
      result.column_ops_[slot++] = static_cast<int32_t>(op);
    }
  }

  // Groups the edges between streams by the op they lead to.
  void CollectPredecessors() {
    pred_begin_.assign(streams_.size() + 1, 0);
    for (const auto& [from, to] : edges_) {
      if (!Crosses({from, to})) continue;
      ++pred_begin_[Index(to) + 1];
      backward_ = backward_ || from > to;
    }
    std::partial_sum(pred_begin_.begin(), pred_begin_.end(), pred_begin_.begin());
    preds_.resize(pred_begin_.back());
    std::vector<size_t> next = pred_begin_;
    for (const auto& [from, to] : edges_) {
      if (Crosses({from, to})) preds_[next[Index(to)]++] = from;
    }
  }

  bool Crosses(const Edge& edge) const { return streams_[Index(edge.first)] != streams_[Index(edge.second)]; }

  absl::Span<const int32_t> PredsOf(int32_t op) const {
    const size_t begin = pred_begin_[Index(op)];
    return absl::MakeConstSpan(preds_).subspan(begin, pred_begin_[Index(op) + 1] - begin);
  }

  // The op before `op` in its stream.
  static std::optional<int32_t> Previous(const HappensBefore& result, int32_t op) {
    const Place& place = result.place_[Index(op)];
    if (place.position == 0) return std::nullopt;
    return result.OpsOfColumn(place.column)[Index(place.position - 1)];
  }

  // Kahn's algorithm, smallest ready op first.
  absl::Status SortTopologically(HappensBefore& result) {
    std::vector<size_t> succ_begin(streams_.size() + 1, 0);
    for (const int32_t pred : preds_) ++succ_begin[Index(pred) + 1];
    std::partial_sum(succ_begin.begin(), succ_begin.end(), succ_begin.begin());
    std::vector<int32_t> succs(preds_.size());
    std::vector<size_t> missing(streams_.size());  // Predecessors that are not in the order yet.
    std::vector<size_t> next = succ_begin;
    std::priority_queue<int32_t, std::vector<int32_t>, std::greater<>> ready;
    for (size_t i = 0; i < streams_.size(); ++i) {
      const int32_t op = static_cast<int32_t>(i);
      for (const int32_t pred : PredsOf(op)) succs[next[Index(pred)]++] = op;
      missing[i] = PredsOf(op).size() + (result.place_[i].position > 0 ? 1 : 0);
      if (missing[i] == 0) ready.push(op);
    }
    result.order_.reserve(streams_.size());
    const auto complete = [&](int32_t op) {
      if (--missing[Index(op)] == 0) ready.push(op);
    };
    while (!ready.empty()) {
      const int32_t op = ready.top();
      ready.pop();
      result.order_.push_back(op);
      const Place& place = result.place_[Index(op)];
      const absl::Span<const int32_t> stream = result.OpsOfColumn(place.column);
      if (Index(place.position) + 1 < stream.size()) complete(stream[Index(place.position) + 1]);
      for (size_t i = succ_begin[Index(op)]; i < succ_begin[Index(op) + 1]; ++i) complete(succs[i]);
    }
    return result.order_.size() == streams_.size() ? absl::OkStatus() : FindCycle(result, missing);
  }

  // Every op with a missing predecessor has one that has a missing predecessor itself: walking back ends in a cycle.
  absl::Status FindCycle(const HappensBefore& result, const std::vector<size_t>& missing) {
    const auto is_stuck = [&](int32_t op) { return missing[Index(op)] > 0; };
    std::vector<int32_t> path;
    std::vector<bool> seen(streams_.size(), false);
    int32_t op = 0;
    while (!is_stuck(op)) ++op;
    while (!seen[Index(op)]) {
      seen[Index(op)] = true;
      path.push_back(op);
      const std::optional<int32_t> previous = Previous(result, op);
      const absl::Span<const int32_t> preds = PredsOf(op);
      const auto pred = std::find_if(preds.begin(), preds.end(), is_stuck);
      op = pred != preds.end() ? *pred : *previous;
    }
    path.erase(path.begin(), std::find(path.begin(), path.end(), op));
    std::reverse(path.begin(), path.end());
    std::rotate(path.begin(), std::min_element(path.begin(), path.end()), path.end());
    return Cycle(std::move(path));
  }

  absl::Status ComputeClocks(HappensBefore& result) {
    std::vector<int32_t>& clocks = result.clocks_;
    clocks.assign(num_columns_, 0);
    for (const int32_t op : result.order_) {
      const std::optional<int32_t> previous = Previous(result, op);
      const size_t shared = previous ? result.place_[Index(*previous)].clock : 0;
      size_t own = shared;
      for (const int32_t pred : PredsOf(op)) {
        const Place& from = result.place_[Index(pred)];
        if (clocks[own + Index(from.column)] > from.position) continue;  // Known already.
        if (own == shared) {
          own = clocks.size();
          if (own + num_columns_ > kMaxClockEntries) return TooMany();
          clocks.resize(own + num_columns_);
          std::copy_n(clocks.begin() + static_cast<ptrdiff_t>(shared), num_columns_,
                      clocks.begin() + static_cast<ptrdiff_t>(own));
        }
        for (size_t c = 0; c < num_columns_; ++c) clocks[own + c] = std::max(clocks[own + c], clocks[from.clock + c]);
        clocks[own + Index(from.column)] = from.position + 1;
      }
      result.place_[Index(op)].clock = own;
    }
    return absl::OkStatus();
  }

  absl::Status TooMany() const {
    return absl::ResourceExhaustedError(absl::StrCat("happens-before of ", streams_.size(), " ops on ", num_columns_,
                                                     " streams: needs more than ", kMaxClockEntries,
                                                     " clock entries; use fewer streams"));
  }

  const absl::Span<const int32_t> streams_;
  const int32_t num_streams_;
  const absl::Span<const Edge> edges_;
  size_t num_columns_ = 0;
  bool backward_ = false;           // An edge leads backward in the list.
  std::vector<size_t> pred_begin_;  // Per op, into preds_; one more at the end.
  std::vector<int32_t> preds_;
  std::vector<int32_t> cycle_;
};

absl::StatusOr<HappensBefore> HappensBefore::Create(absl::Span<const int32_t> stream_of_op, int32_t num_streams,
                                                    absl::Span<const Edge> edges, std::vector<int32_t>* cycle) {
  HappensBefore result;
  Builder builder(stream_of_op, num_streams, edges);
  absl::Status status = builder.Build(result);
  if (cycle != nullptr) *cycle = builder.cycle();
  if (!status.ok()) return status;
  return result;
}

std::optional<int32_t> HappensBefore::LastBefore(int32_t b, int32_t stream) const {
  if (total_order_by_list_) return stream == only_stream_ && b > 0 ? std::optional<int32_t>(b - 1) : std::nullopt;
  const int32_t column = column_[static_cast<size_t>(stream)];
  const absl::Span<const int32_t> ops = OpsOfColumn(column);
  if (ops.empty()) return std::nullopt;
  const Place& to = place_[static_cast<size_t>(b)];
  const int32_t count = to.column == column ? to.position : clocks_[to.clock + static_cast<size_t>(column)];
  if (count == 0) return std::nullopt;
  return ops[static_cast<size_t>(count - 1)];
}

size_t HappensBefore::CountNotAfter(int32_t a, int32_t column) const {
  const Place& from = place_[static_cast<size_t>(a)];
  if (from.column == column) return static_cast<size_t>(from.position) + 1;
  const absl::Span<const int32_t> ops = OpsOfColumn(column);
  const auto after = std::partition_point(ops.begin(), ops.end(), [&](int32_t op) { return !Before(a, op); });
  return static_cast<size_t>(after - ops.begin());
}

std::optional<int32_t> HappensBefore::FirstAfter(int32_t a, int32_t stream) const {
  if (total_order_by_list_) {
    return stream == only_stream_ && a + 1 < num_ops() ? std::optional<int32_t>(a + 1) : std::nullopt;
  }
  const int32_t column = column_[static_cast<size_t>(stream)];
  const absl::Span<const int32_t> ops = OpsOfColumn(column);
  const size_t count = CountNotAfter(a, column);
  if (count == ops.size()) return std::nullopt;
  return ops[count];
}

int32_t HappensBefore::LatestConcurrent(int32_t a) const {
  if (total_order_by_list_) return a;
  int32_t latest = a;
  for (int32_t column = 0; static_cast<size_t>(column) + 2 < column_begin_.size(); ++column) {
    const size_t count = CountNotAfter(a, column);
    if (count > 0) latest = std::max(latest, OpsOfColumn(column)[count - 1]);
  }
  return latest;
}

// From the last op to the first: `common` counts, per column, the ops that happen before everything that was visited.
// Whoever drops out of it is not before the op that is visited, and that is the last such op.
std::vector<int32_t> HappensBefore::LatestConcurrentOfAll() const {
  std::vector<int32_t> latest(order_.size());
  if (total_order_by_list_) {
    std::iota(latest.begin(), latest.end(), 0);
    return latest;
  }
  const size_t columns = column_begin_.size() - 2;
  std::vector<int32_t> common(columns);
  for (size_t c = 0; c < columns; ++c) common[c] = static_cast<int32_t>(OpsOfColumn(static_cast<int32_t>(c)).size());
  std::vector<char> visited_clock(clocks_.size() / columns, 0);
  int32_t first_column = -1;
  for (size_t i = latest.size(); i-- > 0;) {
    const Place& place = place_[i];
    const auto lower = [&](size_t column, int32_t count) {
      for (int32_t& n = common[column]; n > count;) {
        latest[static_cast<size_t>(OpsOfColumn(static_cast<int32_t>(column))[static_cast<size_t>(--n)])] =
            static_cast<int32_t>(i);
      }
    };
    lower(static_cast<size_t>(place.column), place.position);
    char& visited = visited_clock[place.clock / columns];
    if (place.clock == 0) {  // the one clock that columns share: after two of them it says nothing new
      if (visited == 2 || first_column == place.column) continue;
      ++visited;
      first_column = place.column;
    } else if (visited != 0) {
      continue;
    } else {
      visited = 1;
    }
    for (size_t c = 0; c < columns; ++c) {
      if (c != static_cast<size_t>(place.column)) lower(c, clocks_[place.clock + c]);
    }
  }
  return latest;
}

}  // namespace bufplan
