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
    if (note_.result.has_value() || !Refused().empty()) return "it";
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

  // " at offset 8192*s of K", as far as it is known.
  std::string Place() const {
    if (!note_.in.has_value()) return "";
    if (!note_.in_offset.has_value()) return absl::StrCat(" in ", Value(note_.in));
    return absl::StrCat(" at offset ", note_.in_offset->ToString(g_.symbols()), " of ", Value(note_.in));
  }

  // What about this place says nothing: all that counts is who has the bytes instead.
  bool TellsNoPlace() const {
    return note_.why == Why::kTwoPlaces || note_.why == Why::kNotTried || note_.why == Why::kLessMemory ||
           note_.why == Why::kCostsLess || note_.why == Why::kOtherSpace;
  }

  // Of a data movement: what could not lie where.
  std::string Refused() const {
    if (note_.result.has_value() || note_.why == Why::kTwoPlaces || note_.why == Why::kNeverElide) return "";
    if (note_.part.has_value())
      return absl::StrCat(Value(note_.part), " is not written straight to its place", Place(), ": ");
    const absl::Span<const Write> writes = g_.writes(g_.op(note_.op));
    if (TellsNoPlace() || !note_.in.has_value() || writes.empty()) return "";
    return absl::StrCat(Value(writes[0].value), " is not put", Place(), ": ");
  }

  std::string Wish() const {
    if (!note_.result.has_value()) {
      const std::string refused = Refused();
      return absl::StrCat("kept: ", refused.empty() ? Overwrites() : refused);
    }
    for (const Write& w : g_.writes(g_.op(note_.op))) {
      if (w.value == note_.result && w.base == note_.value) {
        return absl::StrCat(Value(note_.result), " is not on its base ", Value(note_.value), ": ");
      }
    }
    return absl::StrCat(Value(note_.result), " is not in place of ", Value(note_.value), ": ");
  }

  std::string OldContentKept() const {
    const absl::Span<const Write> writes = g_.writes(g_.op(note_.op));
    const bool itself = !writes.empty() && note_.other == writes[0].value && note_.in.has_value();
    if (!itself) return absl::StrCat(Value(note_.other), " must be intact at the end");
    return absl::StrCat(It(), " must be intact at the end, when ", Value(note_.in), " has been overwritten");
  }

  std::string NotTried() const {
    if (g_.reads(g_.op(note_.op)).size() > 1) return "not all of its parts could be written straight to their places";
    const std::string source = Value(note_.value);
    if (note_.other.has_value())
      return absl::StrCat(source, " lies elsewhere already, on bytes of ", Value(note_.other));
    if (IsThereAtStart(note_.value)) return absl::StrCat(source, " lies elsewhere");
    return absl::StrCat("no place was found where ", source, " need not be moved");
  }

  std::string Outgrows() const {
    const bool on_operand = note_.result.has_value() && note_.value.has_value();
    if (!on_operand) return absl::StrCat(It(), " is not proven to fit there");
    const Expr &bytes = g_.value(*note_.result).bytes, &room = g_.value(*note_.value).bytes;
    if (!bytes.is_constant() || !room.is_constant()) return "it is not proven to fit there";
    return absl::StrCat("it has ", bytes.constant(), " bytes, which do not fit into ", room.constant());
  }

  // The op in question copies for its result, or others do later if the result is not where it is going to be copied.
  std::string CostsLess() const {
    bool copies = false;
    if (note_.blocker.has_value()) {
      const bufplan::Op& op = g_.op(*note_.blocker);
      copies = op.kind != OpKind::kCompute && op.kind != OpKind::kFill;
      for (const Write& w : g_.writes(op)) copies = copies || (w.value == note_.other && w.base.has_value());
    }
    if (!copies) {
      return absl::StrCat("that costs less than copying ", Value(note_.other),
                          " later, which is written straight to where it goes");
    }
    return absl::StrCat("that costs less than what ", Op(note_.blocker), " would have to copy for ",
                        Value(note_.other));
  }

  std::string Reason() const {
    switch (note_.why) {
      case Why::kNeverElide: return "elide is \"never\"";
      case Why::kOldContentRead: return absl::StrCat(Op(note_.blocker), " still needs ", Value(note_.other), " there");
      case Why::kOwnOperand:
        return absl::StrCat(g_.name(note_.blocker.value_or(note_.op)), " itself uses ", Value(note_.other),
                            " there, not declared in place");
      case Why::kOldContentKept: return OldContentKept();
      case Why::kUnordered:
        return absl::StrCat(Op(note_.blocker), " uses ", Value(note_.other),
                            " there on another stream, in no order with ", g_.name(note_.op));
      case Why::kReadOnly: return absl::StrCat(Value(note_.other), " is read-only");
      case Why::kNotTried: return NotTried();
      case Why::kTwoPlaces: return absl::StrCat(Value(note_.other), " would have to lie at two places");
      case Why::kNotLineage: return absl::StrCat("it is not what is committed to ", Value(note_.other));
      case Why::kOutgrows: return Outgrows();
      case Why::kChunkLimit: return "an allocation would be larger than the space allows";
      case Why::kOtherSpace: return absl::StrCat(It(), " belongs to another space");
      case Why::kMisaligned: return absl::StrCat("the alignment of ", It(), " does not hold there");
      case Why::kPinned: return "pinned offsets contradict each other";
      case Why::kDisjoint: return absl::StrCat(It(), " is declared disjoint from ", Value(note_.other));
      case Why::kLessMemory: return "less memory is needed that way";
      case Why::kCostsLess: return CostsLess();
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
