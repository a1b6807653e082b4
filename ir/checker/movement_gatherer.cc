#include <algorithm>
#include <cstddef>

#include "ir/checker/gatherer.h"

namespace bufplan::checker {
namespace {

// More strided runs than this are moved at once.
constexpr int64_t kManyRuns = 32;

// A pattern is made of no more pieces than this, and lies in no more.
constexpr int64_t kManyPieces = 1024;

// Calls f(from, to, bytes) for the pieces of a move from the one sequence of runs to the other, until f returns false.
// Returns whether f never did.
template <typename F>
bool ZipRuns(absl::Span<const ByteRange> from, absl::Span<const ByteRange> to, F&& f) {
  int64_t from_done = 0, to_done = 0;  // of the runs in hand
  for (size_t i = 0, j = 0; i < from.size() && j < to.size();) {
    const int64_t piece = std::min(from[i].size() - from_done, to[j].size() - to_done);
    if (!f(from[i].begin + from_done, to[j].begin + to_done, piece)) return false;
    from_done += piece;
    to_done += piece;
    if (from_done == from[i].size()) {
      from_done = 0;
      ++i;
    }
    if (to_done == to[j].size()) {
      to_done = 0;
      ++j;
    }
  }
  return true;
}

}  // namespace

absl::Status Gatherer::ExpandParts(OpId o) {
  const Op& op = graph_.op(o);
  const ValueId target = Target(op);
  parts_.clear();
  for (const Read& read : graph_.reads(op)) {
    Part part{&read, {}, {}};
    if (absl::Status s = Expand(o, read.region, read.value, part.from); !s.ok()) return s;
    if (part.from.empty()) continue;
    if (absl::Status s = Expand(o, read.to_region, target, part.to); !s.ok()) return s;
    if (!part.to.empty()) parts_.push_back(part);
  }
  return absl::OkStatus();
}

void Gatherer::MovePiecewise(const Part& part, absl::Span<const ByteRange> to_runs, int64_t bytes, Content& result) {
  ZipRuns(runs_.runs(part.from), to_runs, [&](int64_t from, int64_t to, int64_t size) {
    const Content moved =
        pool_.Slice(content(part.read->value), layout_.of(part.read->value).bytes, {from, from + size});
    pool_.Overwrite(result, bytes, to, moved, size);
    pool_.Release(moved);
    return true;
  });
}

void Gatherer::MoveAtOnce(const Part& part, int64_t bytes, Content& result) {
  placed_.clear();
  ZipRuns(runs_.runs(part.from), runs_.runs(part.to), [&](int64_t from, int64_t to, int64_t size) {
    pool_.ForEach(content(part.read->value), {from, from + size},
                  [&](int64_t at, int64_t piece, Origin origin, int64_t offset) {
                    placed_.push_back({to + (at - from), piece, origin, offset});
                    return true;
                  });
    return true;
  });
  const auto by_place = [](const ContentPool::Placed& a, const ContentPool::Placed& b) { return a.at < b.at; };
  if (!std::is_sorted(placed_.begin(), placed_.end(), by_place)) std::sort(placed_.begin(), placed_.end(), by_place);
  pool_.OverwriteAll(result, bytes, placed_);
}

bool Gatherer::HasFewPlainPieces(const Content& content, ByteRange range) const {
  int64_t pieces = 0;
  return pool_.ForEach(content, range, [&](int64_t, int64_t, Origin origin, int64_t) {
    return !IsPattern(origin) && ++pieces <= kManyPieces;
  });
}

// The runs of a list, coarse or not, if they are few.
bool Gatherer::SpellOut(const RunList& list, std::vector<ByteRange>& runs) const {
  runs.clear();
  if (!list.coarse) {
    const absl::Span<const ByteRange> all = runs_.runs(list);
    runs.assign(all.begin(), all.end());
    return true;
  }
  const Nest& nest = runs_.nest(list);
  if (nest.runs() > kManyPieces) return false;
  nest.AppendRuns({0, nest.bytes()}, list.span.begin, runs);
  return true;
}

// A part that is not executed and has a coarse box.
void Gatherer::MovePattern(const Part& part, int64_t bytes, Content& result) {
  const Content& source = content(part.read->value);
  if (!SpellOut(part.to, spelled_out_) || (part.from.coarse && !HasFewPlainPieces(source, part.from.span))) {
    too_coarse_ = true;
    return;
  }
  if (!part.from.coarse) return MovePiecewise(part, spelled_out_, bytes, result);
  const Content span = pool_.Slice(source, layout_.of(part.read->value).bytes, part.from.span);
  const Origin origin = pool_.AddPattern(runs_.nest(part.from), span);
  int64_t done = 0;
  for (const ByteRange& r : spelled_out_) {
    pool_.Overwrite(result, bytes, r.begin, ContentPool::Piece(origin, done), r.size());
    done += r.size();
  }
}

// What the target holds after the move: what its base held, with the parts' bytes in their order.
absl::Status Gatherer::SetMovedContent(OpId o) {
  const Op& op = graph_.op(o);
  const ValueId target = Target(op);
  const int64_t bytes = layout_.of(target).bytes;
  Content result;
  if (op.commit_target.has_value()) {
    result = ContentPool::Piece(target.value, 0);
  } else if (const std::optional<ValueId> base = graph_.writes(op)[0].base; base.has_value()) {
    result = pool_.Share(content(*base));
  }
  for (const Part& part : parts_) {
    const int64_t runs = static_cast<int64_t>(std::max(part.from.count, part.to.count));
    const bool coarse = part.from.coarse || part.to.coarse;
    if (coarse && !part.executes) {
      MovePattern(part, bytes, result);
    } else if (coarse) {
      const ByteRange to = part.to.span;
      pool_.Overwrite(result, bytes, to.begin, ContentPool::Piece(target.value, to.begin), to.size());
    } else if (runs > kManyRuns && runs > pool_.Pieces(result) / 16) {
      MoveAtOnce(part, bytes, result);
    } else {
      MovePiecewise(part, runs_.runs(part.to), bytes, result);
    }
    if (absl::Status s = CheckPieces(o, result); !s.ok()) return s;
  }
  if (op.commit_target.has_value()) {
    final_[target.value] = result;
  } else {
    SetContent(target, result);
  }
  return absl::OkStatus();
}

bool Gatherer::Coincides(const Part& part, const Place& to) {
  const Place& from = layout_.of(part.read->value);
  const int64_t shift = to.offset - from.offset;
  if (!from.placed() || from.memory != to.memory) return false;
  if (part.from.coarse || part.to.coarse) return CoincidesByNests(part, from, to);
  if (from.nest >= 0 || to.nest >= 0) return CoincidesByRuns(part, from, to);
  if (part.from.count != part.to.count) return false;
  if (part.from.count == 0) return part.from.span.begin == part.to.span.begin + shift;
  const absl::Span<const ByteRange> a = runs_.runs(part.from), b = runs_.runs(part.to);
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].begin != b[i].begin + shift || a[i].size() != b[i].size()) return false;
  }
  return true;
}

// False if a box of many runs lies in a strided place.
bool Gatherer::AddStrips(const RunList& list, const Place& place, std::vector<Strip>& strips) {
  strips.clear();
  const Nest* nest = layout_.nest(place);
  if (list.coarse && nest == nullptr) {
    strips.push_back({&runs_.nest(list), 0, list.coarse_bytes, place.offset + list.span.begin});
    return true;
  }
  if (!SpellOut(list, spelled_out_)) return false;
  for (const ByteRange& r : spelled_out_) strips.push_back({nest, r.begin, r.size(), place.offset});
  return true;
}

// Strip by strip. Where that does not decide, the boxes have to be spelled out.
bool Gatherer::CoincidesByNests(const Part& part, const Place& from, const Place& to) {
  std::vector<Strip>&a = from_strips_, &b = to_strips_;
  if (!AddStrips(part.from, from, a) || !AddStrips(part.to, to, b)) {
    too_coarse_ = true;
    return false;
  }
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const int64_t bytes = std::min(a[i].bytes, b[j].bytes);
    const std::optional<Nest::Part> x = Nest::PartOf(a[i].nest, {a[i].begin, a[i].begin + bytes}),
                                    y = Nest::PartOf(b[j].nest, {b[j].begin, b[j].begin + bytes});
    if (!x.has_value() || !y.has_value()) {
      too_coarse_ = true;
      return false;
    }
    if (a[i].base + x->position != b[j].base + y->position || !(x->nest == y->nest)) return false;
    a[i].begin += bytes;
    b[j].begin += bytes;
    if ((a[i].bytes -= bytes) == 0) ++i;
    if ((b[j].bytes -= bytes) == 0) ++j;
  }
  return true;
}

// Byte by byte, as the runs of the part and those of the places need not end together.
bool Gatherer::CoincidesByRuns(const Part& part, const Place& from, const Place& to) {
  const Nest *from_nest = layout_.nest(from), *to_nest = layout_.nest(to);
  for (const Nest* nest : {from_nest, to_nest}) {
    if (nest != nullptr && !budget_->Spend(nest->RunsOf(runs_.Bytes(part.from)))) return false;
  }
  Nest::Cursor source(from_nest), destination(to_nest);
  const int64_t shift = to.offset - from.offset;
  return ZipRuns(runs_.runs(part.from), runs_.runs(part.to), [&](int64_t from_at, int64_t to_at, int64_t bytes) {
    source.Seek(from_at);
    destination.Seek(to_at);
    while (bytes > 0) {
      if (source.position() != destination.position() + shift) return false;
      const int64_t piece = std::min({bytes, source.left_in_run(), destination.left_in_run()});
      source.Advance(piece);
      destination.Advance(piece);
      bytes -= piece;
    }
    return true;
  });
}

void Gatherer::FindExecutedParts(OpId o) {
  const Place& to = layout_.of(Target(graph_.op(o)));
  const bool elided = schedule_.elided(o);
  ByteRange coarse;  // around what is written coarsely
  for (Part& part : parts_) {
    part.executes = !elided && !Coincides(part, to);
    if (!part.executes || !(part.from.coarse || part.to.coarse)) continue;
    const ByteRange& span = part.to.span;
    coarse = coarse.empty() ? span : ByteRange{std::min(coarse.begin, span.begin), std::max(coarse.end, span.end)};
  }
  // A box that is written with all that lies between its runs must not take what is said to be there already for new.
  if (coarse.empty()) return;
  for (const Part& part : parts_) too_coarse_ = too_coarse_ || (!part.executes && part.to.span.Meets(coarse));
}

absl::Status Gatherer::GatherMovement(OpId o) {
  const Op& op = graph_.op(o);
  const ValueId target = Target(op);
  if (absl::Status s = ExpandParts(o); !s.ok()) return s;
  FindExecutedParts(o);
  if (absl::Status s = SetMovedContent(o); !s.ok()) return s;
  const bool commit = op.commit_target.has_value();
  const Content result = commit ? final_[target.value] : content(target);
  activity_.parts = static_cast<int32_t>(parts_.size());
  if (schedule_.elided(o)) return absl::OkStatus();
  lists_.clear();
  for (const Part& part : parts_) {
    lists_.push_back(part.to);
    if (!part.executes) continue;
    ++activity_.executed_parts;
    activity_.bytes += runs_.Bytes(part.from);
    reads_.push_back(Make(Use::kMoved, o, part.read->value, runs_.Sorted(part.from)));
    writes_.push_back(Make(Use::kResult, o, target, runs_.Sorted(part.to)));
    writes_.back().content = result;
  }
  if (commit) return absl::OkStatus();
  const std::optional<ValueId> base = graph_.writes(op)[0].base;
  if (base.has_value()) CarryAround(o, target, *base, lists_);
  return absl::OkStatus();
}

}  // namespace bufplan::checker
