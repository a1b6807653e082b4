#include "io/tool/symbol_tuples.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "io/explain/nearest_names.h"
#include "io/explain/text_table.h"

namespace bufplan {
namespace {

// min, min + step, ..., count of them.
struct Choices {
  int64_t min = 0, step = 1;
  uint64_t count = 1;
  int64_t At(uint64_t i) const {
    return static_cast<int64_t>(static_cast<uint64_t>(min) + static_cast<uint64_t>(step) * i);
  }
};

absl::StatusOr<Choices> ChoicesIn(const Symbol& symbol, int64_t min, int64_t max) {
  const auto floor_multiple = [&](int64_t v) {
    const int64_t rest = v % symbol.multiple_of;
    return v - rest - (rest < 0 ? symbol.multiple_of : 0);
  };
  const int64_t last = floor_multiple(max);
  const int64_t below = floor_multiple(min);
  if (last < min) {
    return absl::InvalidArgumentError(absl::StrCat("symbol ", InQuotes(symbol.name), ": no multiple of ",
                                                   symbol.multiple_of, " in ", min, "..", max));
  }
  Choices choices;
  choices.step = symbol.multiple_of;
  choices.min = below == min ? min : below + symbol.multiple_of;
  choices.count =
      1 + (static_cast<uint64_t>(last) - static_cast<uint64_t>(choices.min)) / static_cast<uint64_t>(choices.step);
  return choices;
}

absl::StatusOr<std::vector<Choices>> AllChoices(const Graph& graph, const SymbolOverrides& overrides) {
  std::vector<absl::string_view> names;
  for (const Symbol& s : graph.symbols()) names.push_back(s.name);
  for (const SymbolOverride& o : overrides) {
    if (std::find(names.begin(), names.end(), o.name) != names.end()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the graph has no symbol ", InQuotes(o.name), DidYouMean(o.name, names)));
  }
  std::vector<Choices> all;
  for (const Symbol& s : graph.symbols()) {
    int64_t min = s.min, max = s.max;
    for (const SymbolOverride& o : overrides) {
      if (o.name != s.name) continue;
      if (o.min < s.min || o.max > s.max) {
        return absl::InvalidArgumentError(absl::StrCat("symbol ", InQuotes(s.name), ": ", o.min, "..", o.max,
                                                       " is not inside of ", s.min, "..", s.max,
                                                       ", for which the plan was made"));
      }
      min = o.min;
      max = o.max;
    }
    const absl::StatusOr<Choices> choices = ChoicesIn(s, min, max);
    if (!choices.ok()) return choices.status();
    all.push_back(*choices);
  }
  return all;
}

// The number of tuples, or more than kMaxSymbolTuples.
uint64_t CountOf(const std::vector<Choices>& all) {
  uint64_t total = 1;
  for (const Choices& c : all) {
    if (c.count > kMaxSymbolTuples) return kMaxSymbolTuples + 1;
    total *= c.count;
    if (total > kMaxSymbolTuples) return total;
  }
  return total;
}

}  // namespace

absl::StatusOr<SymbolTuples> SymbolTuplesOf(const Graph& graph, const SymbolOverrides& overrides) {
  constexpr size_t kMaxCornerSymbols = 6;
  constexpr int kSamples = 16;
  const absl::StatusOr<std::vector<Choices>> all = AllChoices(graph, overrides);
  if (!all.ok()) return all.status();
  SymbolTuples result;
  const uint64_t total = CountOf(*all);
  result.exact = total <= kMaxSymbolTuples;
  if (result.exact) {
    for (uint64_t i = 0; i < total; ++i) {
      uint64_t rest = i;
      std::vector<int64_t>& tuple = result.tuples.emplace_back();
      for (const Choices& c : *all) {
        tuple.push_back(c.At(rest % c.count));
        rest /= c.count;
      }
    }
    return result;
  }
  // Beyond the first symbols that have a choice, corners have all the rest low or all high.
  std::vector<size_t> free;
  for (size_t i = 0; i < all->size(); ++i) {
    if ((*all)[i].count > 1) free.push_back(i);
  }
  const size_t bits = std::min(free.size(), kMaxCornerSymbols);
  for (uint64_t corner = 0; corner < (uint64_t{1} << bits); ++corner) {
    std::vector<int64_t>& tuple = result.tuples.emplace_back();
    for (const Choices& c : *all) tuple.push_back(c.min);
    for (size_t i = 0; i < free.size(); ++i) {
      const Choices& c = (*all)[free[i]];
      if ((corner >> std::min(i, bits - 1)) & 1) tuple[free[i]] = c.At(c.count - 1);
    }
  }
  std::vector<int64_t>& middle = result.tuples.emplace_back();
  for (const Choices& c : *all) middle.push_back(c.At((c.count - 1) / 2));
  uint64_t random = 0x9E3779B97F4A7C15;
  for (int s = 0; s < kSamples; ++s) {
    std::vector<int64_t>& tuple = result.tuples.emplace_back();
    for (const Choices& c : *all) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      tuple.push_back(c.At((random >> 20) % c.count));
    }
  }
  return result;
}

absl::StatusOr<SymbolTuples> ParseSymbolTuples(const Graph& graph, absl::string_view text) {
  const absl::StatusOr<SymbolOverrides> overrides = ParseSymbolOverrides(text);
  absl::StatusOr<SymbolTuples> tuples =
      overrides.ok() ? SymbolTuplesOf(graph, *overrides) : absl::StatusOr<SymbolTuples>(overrides.status());
  if (tuples.ok()) return tuples;
  return absl::InvalidArgumentError(absl::StrCat("option --symbols: ", tuples.status().message()));
}

}  // namespace bufplan
