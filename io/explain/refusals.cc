#include "io/explain/refusals.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace bufplan {
namespace {

// Names of values and ops, to be found in sentences.
class KnownNames {
 public:
  explicit KnownNames(const Graph& graph) {
    for (size_t i = 0; i < graph.values().size(); ++i) Add(graph.name(ValueId(static_cast<int32_t>(i))));
    for (size_t i = 0; i < graph.ops().size(); ++i) Add(graph.name(OpId(static_cast<int32_t>(i))));
  }

  // The text with each name replaced by "_"; names of several words up to kMaxWords.
  std::string Blank(absl::string_view text) const {
    const std::vector<absl::string_view> words = absl::StrSplit(text, ' ');
    std::string out;
    for (size_t i = 0; i < words.size();) {
      size_t length = std::min(max_words_, words.size() - i);
      while (length > 0 && !Contains(words, i, length)) --length;
      absl::StrAppend(&out, i == 0 ? "" : " ", length > 0 ? "_" : words[i]);
      i += std::max<size_t>(length, 1);
    }
    return out;
  }

 private:
  static constexpr size_t kMaxWords = 8;

  void Add(absl::string_view name) {
    const size_t words = 1 + static_cast<size_t>(std::count(name.begin(), name.end(), ' '));
    if (words > kMaxWords) return;
    max_words_ = std::max(max_words_, words);
    names_.insert(name);
  }
  bool Contains(const std::vector<absl::string_view>& words, size_t first, size_t count) const {
    const char* begin = words[first].data();
    const absl::string_view last = words[first + count - 1];
    absl::string_view text(begin, static_cast<size_t>(last.data() + last.size() - begin));
    return names_.contains(text);
  }

  absl::flat_hash_set<absl::string_view> names_;
  size_t max_words_ = 1;
};

// The reason alone: what follows "RESULT is not in place of OPERAND: ".
std::string ReasonOf(const Graph& graph, const Note& note, absl::string_view sentence) {
  for (const Write& w : graph.writes(graph.op(note.op))) {
    if (w.value != note.result) continue;
    for (const InPlace& p : graph.in_place(w)) {
      const std::string wish = absl::StrCat(graph.name(w.value), " is not in place of ", graph.name(p.value), ": ");
      if (absl::StartsWith(sentence, wish)) return std::string(sentence.substr(wish.size()));
    }
  }
  return std::string(sentence);
}

}  // namespace

bool IsInPlaceRefusal(const Graph& graph, const Note& note) {
  if (!note.result.has_value() || note.action != Action::kRun) return false;
  for (const Write& w : graph.writes(graph.op(note.op))) {
    if (w.value != note.result || w.num_in_place == 0) continue;
    if (!w.base.has_value()) return true;
    const std::string sentence = WhyText(graph, note);
    return absl::StartsWith(sentence, absl::StrCat(graph.name(w.value), " is not in place of "));
  }
  return false;
}

RefusalSummary SummariseRefusals(const Graph& graph, const Plan& plan) {
  RefusalSummary summary;
  const KnownNames names(graph);
  absl::flat_hash_map<std::string, size_t> group_of;
  for (const Note& note : plan.notes) {
    if (!IsInPlaceRefusal(graph, note)) continue;
    ++summary.count;
    const std::string sentence = WhyText(graph, note);
    std::string reason = names.Blank(ReasonOf(graph, note, sentence));
    const auto [at, added] = group_of.try_emplace(reason, summary.groups.size());
    if (added) summary.groups.push_back({std::move(reason), 0, sentence});
    ++summary.groups[at->second].count;
  }
  std::stable_sort(summary.groups.begin(), summary.groups.end(),
                   [](const RefusalGroup& a, const RefusalGroup& b) { return a.count > b.count; });
  return summary;
}

}  // namespace bufplan
