#include "tests/planner/cases/small_orders.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace bufplan {

int32_t SmallOrder::num_streams() const {
  return stream.empty() ? 1 : 1 + *std::max_element(stream.begin(), stream.end());
}

std::string SmallOrder::Text() const {
  std::string text = "streams";
  for (int32_t s : stream) absl::StrAppend(&text, " ", s);
  absl::StrAppend(&text, "; inputs ", num_inputs, "; bytes");
  for (int64_t b : bytes) absl::StrAppend(&text, " ", b);
  const auto pairs = [&](const char* what, const std::vector<std::pair<size_t, size_t>>& list) {
    absl::StrAppend(&text, "; ", what);
    for (const auto& [a, b] : list) absl::StrAppend(&text, " ", a, "-", b);
  };
  pairs("reads", reads);
  pairs("edges", edges);
  pairs("keep", keep);
  absl::StrAppend(&text, "; outputs");
  for (size_t v : outputs) absl::StrAppend(&text, " ", v);
  if (group.has_value()) absl::StrAppend(&text, "; group ", group->first, "+", group->second);
  return text;
}

GraphBuilder BuilderOf(const SmallOrder& order) {
  GraphBuilder b;
  for (int32_t s = 0; s < order.num_streams(); ++s) b.AddStream(absl::StrCat("s", s));
  const size_t n = order.num_ops();
  std::vector<ValueId> values;
  for (size_t v = 0; v < order.num_values(); ++v) {
    values.push_back(b.AddValue("", order.bytes[v], v < n ? Role::kTransient : Role::kInput));
  }
  for (size_t i = 0; i < n; ++i) {
    ComputeSpec spec;
    for (const auto& [value, op] : order.reads) {
      if (op == i) spec.reads.push_back(values[value]);
    }
    spec.writes.push_back({.value = values[i]});
    spec.options.stream = StreamId(order.stream[i]);
    b.Compute("", std::move(spec));
  }
  const auto op = [](size_t i) { return OpId(static_cast<int32_t>(i)); };
  for (const auto& [before, after] : order.edges) b.Order(op(before), op(after));
  for (const auto& [value, until] : order.keep) b.KeepAliveUntil(values[value], op(until));
  for (size_t v : order.outputs) b.Output(values[v]);
  if (order.group.has_value()) {
    b.AddFusion({.name = "group", .ops = {op(order.group->first), op(order.group->second)}, .required = true});
  }
  return b;
}

std::vector<std::vector<int32_t>> StreamsOf(size_t num_ops, int32_t max_streams) {
  std::vector<std::vector<int32_t>> all = {{}};
  for (size_t i = 0; i < num_ops; ++i) {
    std::vector<std::vector<int32_t>> longer;
    for (const std::vector<int32_t>& s : all) {
      const int32_t used = s.empty() ? 0 : 1 + *std::max_element(s.begin(), s.end());
      for (int32_t next = 0; next <= std::min(used, max_streams - 1); ++next) {
        longer.push_back(s);
        longer.back().push_back(next);
      }
    }
    all = std::move(longer);
  }
  return all;
}

bool MayFuse(const SmallOrder& order, size_t first, size_t last) {
  const auto between = [&](const std::pair<size_t, size_t>& p) {
    return p.first == first && first < p.second && p.second < last;
  };
  return order.stream[first] == order.stream[last] && std::none_of(order.reads.begin(), order.reads.end(), between) &&
         std::none_of(order.edges.begin(), order.edges.end(), between);
}

SmallOrder FromMasks(std::vector<int32_t> stream, uint32_t reads, uint32_t edges) {
  SmallOrder order;
  order.stream = std::move(stream);
  order.bytes.assign(order.num_ops(), 1);
  size_t bit = 0;
  for (size_t later = 0; later < order.num_ops(); ++later) {
    for (size_t earlier = 0; earlier < later; ++earlier, ++bit) {
      if ((reads >> bit & 1) != 0) order.reads.emplace_back(earlier, later);
      if ((edges >> bit & 1) != 0) order.edges.emplace_back(earlier, later);
    }
  }
  return order;
}

// Whether each value is written before its keep-alive ends if the two ops run as one, at the place of the later one.
bool KeepsHold(const SmallOrder& order, size_t first, size_t last) {
  const size_t n = order.num_ops();
  const auto unit = [&](size_t op) { return op == first ? last : op; };
  std::vector<std::vector<char>> before(n, std::vector<char>(n, 0));
  for (size_t later = 0; later < n; ++later) {
    for (size_t earlier = 0; earlier < later; ++earlier) {
      if (order.stream[earlier] == order.stream[later] && earlier != first && later != first)
        before[earlier][later] = 1;
    }
  }
  for (const auto* links : {&order.reads, &order.edges}) {
    for (const auto& [earlier, later] : *links) {
      if (earlier < n && unit(earlier) != unit(later)) before[unit(earlier)][unit(later)] = 1;
    }
  }
  for (size_t middle = 0; middle < n; ++middle) {
    for (size_t a = 0; a < n; ++a) {
      for (size_t b = 0; b < n; ++b) before[a][b] |= before[a][middle] & before[middle][b];
    }
  }
  return std::all_of(order.keep.begin(), order.keep.end(), [&](const auto& k) {
    return k.first >= n || unit(k.first) == unit(k.second) || before[unit(k.first)][unit(k.second)] != 0;
  });
}

void AddExtras(std::mt19937_64& random, SmallOrder& order) {
  const auto one_in = [&random](uint64_t k) { return random() % k == 0; };
  const size_t n = order.num_ops();
  order.num_inputs = random() % 3;
  for (size_t v = n; v < order.num_values(); ++v) {
    for (size_t op = 0; op < n; ++op) {
      if (one_in(3)) order.reads.emplace_back(v, op);
    }
  }
  order.bytes.clear();
  for (size_t v = 0; v < order.num_values(); ++v) {
    order.bytes.push_back(1 + static_cast<int64_t>(random() % 8));
    if (one_in(6)) order.outputs.push_back(v);
  }
  std::vector<std::vector<char>> reaches(n, std::vector<char>(n, 0));
  for (size_t later = 0; later < n; ++later) {
    const auto add = [&](size_t earlier) {
      reaches[earlier][later] = 1;
      for (size_t e = 0; e < earlier; ++e) reaches[e][later] |= reaches[e][earlier];
    };
    for (size_t earlier = 0; earlier < later; ++earlier) {
      const auto link = std::make_pair(earlier, later);
      const auto has = [&link](const std::vector<std::pair<size_t, size_t>>& l) {
        return std::find(l.begin(), l.end(), link) != l.end();
      };
      if (order.stream[earlier] == order.stream[later] || has(order.reads) || has(order.edges)) add(earlier);
    }
  }
  for (size_t v = 0; v < order.num_values() && n > 0; ++v) {
    const size_t until = random() % n;
    const bool there = v >= n || v == until || reaches[v][until] != 0;
    if (there && one_in(4)) order.keep.emplace_back(v, until);
  }
  if (n < 2 || !one_in(4)) return;
  const size_t last = 1 + random() % (n - 1), first = random() % last;
  if (MayFuse(order, first, last) && KeepsHold(order, first, last)) order.group.emplace(first, last);
}

AllRuns::AllRuns(const SmallOrder& order) : order_(order) {
  const size_t n = order.num_ops(), values = order.num_values();
  for (size_t i = 0; i < n; ++i) unit_of_.push_back(i);
  if (order.group.has_value()) unit_of_[order.group->first] = order.group->second;
  after_.assign(n, std::vector<char>(n, 0));
  const auto wait = [&](size_t later, size_t earlier) {
    if (unit_of_[later] != unit_of_[earlier]) after_[unit_of_[later]][unit_of_[earlier]] = 1;
  };
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (order.stream[i] == order.stream[k] && unit_of_[i] == i && unit_of_[k] == k) wait(i, k);
    }
  }
  for (const auto& [before, after] : order.edges) wait(after, before);

  accesses_.resize(values);
  at_start_.assign(values, 0);
  at_end_.assign(values, 0);
  swallowed_.assign(values, 0);
  for (size_t v = 0; v < values; ++v) {
    if (v < n) accesses_[v].push_back(unit_of_[v]);
    at_start_[v] = v >= n;
  }
  for (const auto& [value, op] : order.reads) {
    if (value < n) wait(op, value);
    accesses_[value].push_back(unit_of_[op]);
  }
  for (size_t v = 0; v < n; ++v) {
    const bool member = order.group.has_value() && unit_of_[v] == order.group->second;
    swallowed_[v] = member && std::all_of(accesses_[v].begin(), accesses_[v].end(),
                                          [&](size_t unit) { return unit == order.group->second; });
  }
  for (const auto& [value, op] : order.keep) {
    accesses_[value].push_back(unit_of_[op]);
    swallowed_[value] = 0;
  }
  for (size_t v : order.outputs) {
    at_end_[v] = 1;
    swallowed_[v] = 0;
  }
  before_.assign(values, std::vector<char>(values, 1));
  std::vector<size_t> run;
  Extend(run);
}

void AllRuns::Extend(std::vector<size_t>& run) {
  bool complete = true;
  for (size_t u = 0; u < unit_of_.size(); ++u) {
    if (unit_of_[u] != u || std::find(run.begin(), run.end(), u) != run.end()) continue;
    complete = false;
    bool ready = true;
    for (size_t e = 0; e < unit_of_.size(); ++e) {
      ready = ready && (after_[u][e] == 0 || std::find(run.begin(), run.end(), e) != run.end());
    }
    if (!ready) continue;
    run.push_back(u);
    Extend(run);
    run.pop_back();
  }
  if (complete) Visit(run);
}

void AllRuns::Visit(const std::vector<size_t>& run) {
  ++count_;
  const size_t n = run.size(), values = order_.num_values();
  std::vector<size_t> place(unit_of_.size(), 0), first(values), last(values);
  for (size_t i = 0; i < n; ++i) place[run[i]] = i + 1;  // 0: the start
  std::vector<int64_t> live(n + 2, 0);
  for (size_t v = 0; v < values; ++v) {
    first[v] = at_start_[v] != 0 ? 0 : n + 1;
    last[v] = at_end_[v] != 0 ? n + 1 : 0;
    for (size_t unit : accesses_[v]) {
      first[v] = std::min(first[v], place[unit]);
      last[v] = std::max(last[v], place[unit]);
    }
    for (size_t t = first[v]; t <= last[v] && swallowed_[v] == 0; ++t) live[t] += order_.bytes[v];
  }
  for (size_t a = 0; a < values; ++a) {
    for (size_t b = 0; b < values; ++b) before_[a][b] = before_[a][b] != 0 && last[a] < first[b];
  }
  least_peak_ = std::min(least_peak_, *std::max_element(live.begin(), live.end()));
}

int64_t AllRuns::HeaviestAntichain() const {
  const size_t values = order_.num_values();
  int64_t most = 0;
  for (size_t set = 0; set < (size_t{1} << values); ++set) {
    int64_t bytes = 0;
    bool apart = true;
    for (size_t a = 0; a < values && apart; ++a) {
      if ((set >> a & 1) == 0) continue;
      bytes += order_.bytes[a];
      apart = swallowed_[a] == 0;
      for (size_t b = 0; b < a; ++b) apart = apart && ((set >> b & 1) == 0 || (!Before(a, b) && !Before(b, a)));
    }
    if (apart) most = std::max(most, bytes);
  }
  return most;
}

}  // namespace bufplan
