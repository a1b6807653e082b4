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
      case Why::kCoincides: return Coincides();
      case Why::kProducedThere: return ProducedThere();
      case Why::kSameBytes: return absl::StrCat("the same bytes are there already, those of ", Value(note_.value));
      case Why::kUnread: return "nobody reads what it would move";
      default: break;
    }
    if (note_.action == Action::kElided && !note_.result.has_value()) return "there is nothing to move";
    if (note_.why == Why::kCarried) return Carried();
    const bool needs = !note_.text.empty() && note_.why != Why::kSearchLimit;
    return absl::StrCat(Wish(), Reason(), needs ? absl::StrCat("; needs ", note_.text) : "");
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

  std::string Coincides() const {
    if (g_.op(note_.op).commit_target.has_value()) return absl::StrCat(Value(note_.value), " lies there already");
    return absl::StrCat("source and result are the same bytes of ", Value(note_.value));
  }

  std::string ProducedThere() const {
    const size_t parts = g_.reads(g_.op(note_.op)).size();
    if (parts < 2) return absl::StrCat(Value(note_.value), " is written straight to its place");
    return absl::StrCat(Value(note_.value), " and ", parts - 1, parts == 2 ? " other part are" : " other parts are",
                        " written straight to their places");
  }

  // The base and the result that lie apart; a data movement has one of either.
  std::string Carried() const {
    std::optional<ValueId> base = note_.value, result = note_.result;
    if (!result.has_value()) {
      for (const Write& w : g_.writes(g_.op(note_.op))) {
        if (w.base.has_value()) base = w.base, result = w.value;
      }
    }
    return absl::StrCat("kept: bytes of base ", Value(base), " are carried to ", Value(result));
  }

  // What the op makes, if the sentence has not named it yet.
  std::string It() const {
    if (note_.result.has_value()) return "it";
    const bufplan::Op& op = g_.op(note_.op);
    if (op.commit_target.has_value()) return Value(op.commit_target);
    const absl::Span<const Write> writes = g_.writes(op);
    return writes.empty() ? "it" : Value(writes[0].value);
  }

  // There before the first op, or a part of what is.
  bool IsThereAtStart(std::optional<ValueId> v) const {
    while (v.has_value()) {
      const std::optional<OpId> producer = g_.producer(*v);
      if (!producer.has_value()) return true;
      if (g_.op(*producer).kind != OpKind::kView) return false;
      v = g_.reads(g_.op(*producer))[0].value;
    }
    return false;
  }

  // A data movement with a base that needs other bytes than its own: what it would have overwritten there.
  std::string Overwrites() const {
    const bool old_content = note_.why == Why::kOldContentRead || note_.why == Why::kOldContentKept ||
                             note_.why == Why::kUnordered || note_.why == Why::kOwnOperand;
    for (const Write& w : g_.writes(g_.op(note_.op))) {
      if (old_content && w.base.has_value()) {
        return absl::StrCat(Value(w.value), " would overwrite its base ", Value(w.base), ": ");
      }
    }
    return "";
  }

  std::string Wish() const {
    if (!note_.result.has_value()) return absl::StrCat("kept: ", Overwrites());
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
        return absl::StrCat(g_.name(note_.blocker.value_or(note_.op)), " itself uses ", Value(note_.other),
                            " there, not declared in place");
      case Why::kOldContentKept: return absl::StrCat(Value(note_.other), " must be intact at the end");
      case Why::kUnordered:
        return absl::StrCat(Op(note_.blocker), " uses ", Value(note_.other),
                            " there on another stream, in no order with ", g_.name(note_.op));
      case Why::kReadOnly: return absl::StrCat(Value(note_.other), " is read-only");
      case Why::kNotTried:
        if (g_.reads(g_.op(note_.op)).size() > 1) {
          return "not all of its parts could be written straight to their places";
        }
        return absl::StrCat(Value(note_.value), IsThereAtStart(note_.value)
                                                    ? " lies elsewhere"
                                                    : " could not be written straight to its place");
      case Why::kNotLineage: return absl::StrCat("it is not what is committed to ", Value(note_.other));
      case Why::kOutgrows: return absl::StrCat(It(), " is not proven to fit there");
      case Why::kOtherSpace: return absl::StrCat(It(), " belongs to another space");
      case Why::kMisaligned: return absl::StrCat("the alignment of ", It(), " does not hold there");
      case Why::kPinned: return "pinned offsets contradict each other";
      case Why::kDisjoint: return absl::StrCat(It(), " is declared disjoint from ", Value(note_.other));
      case Why::kLessMemory: return "less memory is needed that way";
      case Why::kCostsLess:
        return absl::StrCat("that costs less than what ", Op(note_.blocker), " would have to copy for ",
                            Value(note_.other));
      case Why::kSearchLimit:
        return absl::StrCat("it is not proven within the limit of ", note_.text,
                            " comparisons that nobody needs what lies there");
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
