#include <cstddef>

#include "ir/checker/gatherer.h"

namespace bufplan::checker {

absl::Status Gatherer::GatherFused(int32_t node) {
  for (OpId o : schedule_.members(node)) {
    if (absl::Status s = GatherMember(o); !s.ok()) return s;
    AddScratch(o);
  }
  return absl::OkStatus();
}

absl::Status Gatherer::GatherMember(OpId o) {
  const Op& op = graph_.op(o);
  if (absl::Status s = GatherMemberReads(o); !s.ok()) return s;
  if (op.kind == OpKind::kCompute || op.kind == OpKind::kFill) {
    for (const Write& w : graph_.writes(op)) {
      RunList runs;
      if (absl::Status s = Expand(o, w.region, w.value, runs); !s.ok()) return s;
      runs = runs_.Sorted(runs);
      if (absl::Status s = SetWrittenContent(o, w, runs); !s.ok()) return s;
      if (w.base.has_value() && w.cover == Cover::kPart) {
        if (absl::Status s = ReadFromOutside(o, *w.base, runs, Use::kPart, nullptr); !s.ok()) return s;
      }
    }
  } else if (op.kind == OpKind::kView) {
    if (absl::Status s = GatherView(o); !s.ok()) return s;
  } else {
    if (absl::Status s = ExpandParts(o); !s.ok()) return s;
    if (absl::Status s = SetMovedContent(o); !s.ok()) return s;
  }
  for (const Write& w : graph_.writes(op)) {
    if (!layout_.of(w.value).placed()) continue;
    if (absl::Status s = GatherMemberResult(o, w); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status Gatherer::GatherMemberReads(OpId o) {
  for (const Read& read : graph_.reads(graph_.op(o))) {
    RunList runs;
    if (absl::Status s = Expand(o, read.region, read.value, runs); !s.ok()) return s;
    if (absl::Status s = ReadFromOutside(o, read.value, runs_.Sorted(runs), Use::kOperand, &read); !s.ok()) return s;
  }
  return absl::OkStatus();
}

const Write& Gatherer::WriteOf(ValueId v) const {
  const absl::Span<const Write> writes = graph_.writes(graph_.op(*graph_.producer(v)));
  size_t i = 0;
  while (writes[i].value != v) ++i;
  return writes[i];
}

// The bytes of v that its producer makes new.
absl::Status Gatherer::NewRuns(ValueId v, std::vector<RunList>& runs) {
  const OpId o = *graph_.producer(v);
  const Op& op = graph_.op(o);
  if (op.kind == OpKind::kCompute || op.kind == OpKind::kFill) {
    RunList list;
    if (absl::Status s = Expand(o, WriteOf(v).region, v, list); !s.ok()) return s;
    runs.push_back(list);
    return absl::OkStatus();
  }
  for (const Read& read : graph_.reads(op)) {
    RunList list;
    if (absl::Status s = Expand(o, read.to_region, v, list); !s.ok()) return s;
    runs.push_back(list);
  }
  return absl::OkStatus();
}

// The group needs these bytes of v. What of them a member makes is there; the rest comes from the outermost base.
absl::Status Gatherer::ReadFromOutside(OpId o, ValueId v, RunList runs, Use use, const Read* read) {
  bool whole_path_outside = true;
  while (!runs.empty() && Inside(v)) {
    whole_path_outside = false;
    const Write& w = WriteOf(v);
    if (!w.base.has_value()) return absl::OkStatus();
    lists_.clear();
    if (absl::Status s = NewRuns(v, lists_); !s.ok()) return s;
    // runs without the new ones: the complement of (what is not in runs, and the new ones).
    const int64_t bytes = layout_.of(v).bytes;
    lists_.push_back(runs_.Complement(bytes, absl::MakeConstSpan(&runs, 1)));
    runs = runs_.Complement(bytes, lists_);
    v = *w.base;
  }
  if (runs.empty()) return absl::OkStatus();
  reads_.push_back(Make(use, o, v, runs));
  if (whole_path_outside) reads_.back().read = read;
  return absl::OkStatus();
}

// A result is written where a member makes its bytes new since the nearest base at the same place; where there is none,
// all of it, and what comes from the outermost base is carried.
absl::Status Gatherer::GatherMemberResult(OpId o, const Write& result) {
  const Op& op = graph_.op(o);
  const ValueId v = result.value;
  const Place& place = layout_.of(v);
  std::vector<RunList> covered;  // bytes of which nothing older is left
  written_.clear();
  if (op.kind == OpKind::kView) {
    if (!layout_.of(graph_.reads(op)[0].value).placed()) writes_.push_back(Make(Use::kResult, o, v, Whole(v)));
    return absl::OkStatus();
  }
  if (op.kind == OpKind::kCompute || op.kind == OpKind::kFill) {
    if (absl::Status s = NewRuns(v, written_); !s.ok()) return s;
    if (!result.base.has_value()) written_ = {Whole(v)};  // a fill's holes too
    if (result.cover == Cover::kAll) covered = written_;
  } else {
    std::vector<RunList> coinciding;
    for (const Part& part : parts_) {
      covered.push_back(part.to);
      (Coincides(part, place) ? coinciding : written_).push_back(part.to);
    }
    // Results are written whole, holes too.
    if (!result.base.has_value() && !written_.empty()) written_ = {runs_.Complement(place.bytes, coinciding)};
  }
  std::optional<ValueId> base = result.base;
  while (base.has_value() && !layout_.of(*base).SameStart(place)) {
    if (!Inside(*base)) {
      const RunList carried = runs_.Complement(place.bytes, covered);
      Carry(o, v, *base, carried, runs_.Bytes(carried));
      break;
    }
    const Write& w = WriteOf(*base);
    const ptrdiff_t first = static_cast<ptrdiff_t>(written_.size());
    if (absl::Status s = NewRuns(*base, written_); !s.ok()) return s;
    if (w.cover == Cover::kAll) covered.insert(covered.end(), written_.begin() + first, written_.end());
    base = w.base;
    if (!base.has_value()) written_ = {Whole(v)};
  }
  const RunList runs = runs_.Union(written_);
  if (!runs.empty()) writes_.push_back(Make(Use::kResult, o, v, runs));
  return absl::OkStatus();
}

}  // namespace bufplan::checker
