#include "ir/plan.h"

#include "absl/strings/str_cat.h"
#include "ir/region.h"

namespace bufplan {
namespace {

class Sentence {
 public:
  Sentence(const Graph& graph, const Note& note) : g_(graph), note_(note) {}

  std::string Make() const {
    switch (note_.why) {
      case Why::kText: return note_.text;
      case Why::kView: return absl::StrCat("view of ", Value(note_.value), Bytes());
      case Why::kCoincides: return absl::StrCat("source and result are the same bytes of ", Value(note_.value));
      case Why::kProducedThere: return absl::StrCat(Value(note_.value), " is written straight to its place");
      case Why::kSameBytes: return absl::StrCat("the same bytes are there already, those of ", Value(note_.value));
      case Why::kUnread: return "nobody reads what it would move";
      case Why::kNotTried: return absl::StrCat("kept: ", Value(note_.value), " is moved to a storage of its own");
      case Why::kCarried:
        return absl::StrCat("kept: bytes of base ", Value(note_.value), " are carried to ", Value(note_.result));
      default: return absl::StrCat(Wish(), Reason(), note_.text.empty() ? "" : "; needs ", note_.text);
    }
  }

 private:
  std::string Value(const std::optional<ValueId>& v) const { return v.has_value() ? std::string(g_.name(*v)) : "?"; }
  std::string Op(const std::optional<OpId>& o) const { return o.has_value() ? std::string(g_.name(*o)) : "the end"; }

  // " [0, 8192*s)" of the view's source.
  std::string Bytes() const {
    const absl::Span<const Read> reads = g_.reads(g_.op(note_.op));
    if (reads.empty() || !reads[0].region.has_value()) return "";
    return absl::StrCat(" ", RegionText(g_.region(*reads[0].region), g_.symbols()));
  }

  std::string Wish() const {
    if (!note_.result.has_value()) return "kept: ";
    for (const Write& w : g_.writes(g_.op(note_.op))) {
      if (w.value == note_.result && w.base == note_.value) {
        return absl::StrCat(Value(note_.result), " is not on its base ", Value(note_.value), ": ");
      }
    }
    return absl::StrCat(Value(note_.result), " is not in place of ", Value(note_.value), ": ");
  }

  std::string Reason() const {
    switch (note_.why) {
      case Why::kNeverElide: return "elide is \"never\"";
      case Why::kOldContentRead: return absl::StrCat(Op(note_.blocker), " still needs ", Value(note_.other), " there");
      case Why::kOwnOperand:
        return absl::StrCat(g_.name(note_.op), " itself uses ", Value(note_.other), " there, not declared in place");
      case Why::kOldContentKept: return absl::StrCat(Value(note_.other), " must be intact at the end");
      case Why::kUnordered:
        return absl::StrCat(Op(note_.blocker), " uses ", Value(note_.other),
                            " there on another stream, in no order with ", g_.name(note_.op));
      case Why::kReadOnly: return absl::StrCat(Value(note_.other), " is read-only");
      case Why::kNotLineage: return absl::StrCat("it is not what is committed to ", Value(note_.other));
      case Why::kOutgrows: return "it is not proven to fit there";
      case Why::kOtherSpace: return "it belongs to another space";
      case Why::kMisaligned: return "its alignment does not hold there";
      case Why::kPinned: return "pins contradict";
      case Why::kDisjoint: return absl::StrCat("it is declared disjoint from ", Value(note_.other));
      case Why::kOverwrittenMeanwhile:
        return absl::StrCat(Op(note_.blocker), " has written ", Value(note_.other), " over bytes that it takes over");
      case Why::kLessMemory: return "less memory is needed that way";
      case Why::kCostsLess:
        return absl::StrCat("that costs less than what ", Op(note_.blocker), " would have to copy for ",
                            Value(note_.other));
      case Why::kBetterOperand: return "another operand was taken";
      default: return "";
    }
  }

  const Graph& g_;
  const Note& note_;
};

}  // namespace

std::string WhyText(const Graph& graph, const Note& note) { return Sentence(graph, note).Make(); }

}  // namespace bufplan
