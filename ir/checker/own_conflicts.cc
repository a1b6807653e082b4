#include "ir/checker/own_conflicts.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"

namespace bufplan::checker {
namespace {

// Up to this many pairs are looked at one by one.
constexpr size_t kMaxPairs = 4096;

}  // namespace

void OwnConflicts::Check(const Gatherer& gatherer, std::optional<FusionId> fusion, const std::vector<Access>& reads,
                         const std::vector<Access>& writes) {
  gatherer_ = &gatherer;
  fusion_ = fusion;
  strided_.clear();
  for (const Access& r : reads) {
    if (r.use == Use::kCarried) CheckCarried(r);
  }
  if ((reads.size() + writes.size()) * writes.size() > kMaxPairs) return Sweep(reads, writes);
  for (size_t i = 0; i < writes.size(); ++i) {
    const Access& w = writes[i];
    if (w.memory < 0) continue;
    const ByteRange range = w.addresses();
    for (const Access& r : reads) {
      if (r.memory == w.memory && range.Meets(r.addresses())) CheckReadWrite(r, w);
    }
    for (size_t j = i + 1; j < writes.size(); ++j) {
      if (writes[j].memory == w.memory && range.Meets(writes[j].addresses())) CheckWriteWrite(w, writes[j]);
    }
  }
}

// All runs by address; whoever is still open when another begins shares a byte with it.
void OwnConflicts::Sweep(const std::vector<Access>& reads, const std::vector<Access>& writes) {
  items_.clear();
  const auto add = [&](const std::vector<Access>& accesses, bool write) {
    for (size_t i = 0; i < accesses.size(); ++i) {
      const Access& a = accesses[i];
      if (a.memory < 0) continue;
      int64_t base = 0;
      for (const ByteRange& r : Runs(a, base)) {
        items_.push_back({a.memory, {base + r.begin, base + r.end}, static_cast<uint32_t>(i), write});
      }
    }
  };
  add(reads, false);
  add(writes, true);
  std::sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
    return std::tie(a.memory, a.range.begin, a.write, a.access) < std::tie(b.memory, b.range.begin, b.write, b.access);
  });
  open_reads_.clear();
  open_writes_.clear();
  const auto visit = [&](std::vector<size_t>& open, const Item& now, auto&& meet) {
    size_t kept = 0;
    for (size_t i : open) {
      const Item& other = items_[i];
      if (other.memory != now.memory || other.range.end <= now.range.begin) continue;
      meet(other);
      open[kept++] = i;
    }
    open.resize(kept);
  };
  for (size_t i = 0; i < items_.size() && !reporter_.full(); ++i) {
    const Item& now = items_[i];
    visit(open_writes_, now, [&](const Item& w) {
      if (now.write) {
        CheckWriteWrite(writes[w.access], writes[now.access]);
      } else {
        CheckReadWrite(reads[now.access], writes[w.access]);
      }
    });
    if (!now.write) {
      open_reads_.push_back(i);
      continue;
    }
    visit(open_reads_, now, [&](const Item& r) { CheckReadWrite(reads[r.access], writes[now.access]); });
    open_writes_.push_back(i);
  }
}

absl::Span<const ByteRange> OwnConflicts::Runs(const Access& a, int64_t& base) {
  base = a.nest == nullptr ? a.base : 0;
  if (a.nest == nullptr) return gatherer_->runs(a.runs);
  const auto [it, fresh] = strided_.try_emplace(&a);
  std::vector<ByteRange>& runs = it->second;
  if (!fresh || !budget_->Spend(a.nest->RunsOf(RunPool::Bytes(gatherer_->runs(a.runs))))) return runs;
  for (const ByteRange& r : gatherer_->runs(a.runs)) a.nest->AppendRuns(r, a.base, runs);
  std::sort(runs.begin(), runs.end(), [](const ByteRange& x, const ByteRange& y) { return x.begin < y.begin; });
  return runs;
}

std::optional<ByteRange> OwnConflicts::Meet(const Access& a, const Access& b) {
  int64_t a_base = 0, b_base = 0;
  const absl::Span<const ByteRange> of_a = Runs(a, a_base), of_b = Runs(b, b_base);
  return FirstCommon(of_a, a_base, of_b, b_base);
}

// True if the result is the base with some bytes overwritten: directly, or by way of what the group makes in between.
bool OwnConflicts::Rewrites(ValueId result, ValueId base) const {
  const auto inside = [&](OpId o) {
    if (!fusion_.has_value()) return false;
    const std::vector<OpId>& ops = graph_.fusions()[fusion_->index()].ops;
    return std::binary_search(ops.begin(), ops.end(), o);
  };
  for (bool first = true;; first = false) {
    const std::optional<OpId> producer = graph_.producer(result);
    if (!producer.has_value() || (!first && !inside(*producer))) return false;
    const absl::Span<const Write> writes = graph_.writes(graph_.op(*producer));
    const auto write = std::find_if(writes.begin(), writes.end(), [&](const Write& w) { return w.value == result; });
    if (!write->base.has_value()) return false;
    result = *write->base;
    if (result == base) return true;
  }
}

bool OwnConflicts::Permitted(const Access& read, const Access& write) const {
  if (write.use != Use::kResult || read.use == Use::kKeepAlive) return false;
  const Place &from = layout_.of(read.value), &to = layout_.of(write.value);
  // Old bytes of the base that the op itself rewrites where they are.
  if (read.use == Use::kPart && to.SameStart(from) && Rewrites(write.value, read.value)) return true;
  if (read.use == Use::kCarried && read.result == write.value) return false;
  const auto allows = [&](ValueId value, InPlaceMode mode) {
    if (value != read.value) return false;
    return mode == InPlaceMode::kAny || (to.SameStart(from) && to.bytes <= from.bytes);
  };
  if (fusion_.has_value()) {
    const std::vector<FusionInPlace>& in_place = graph_.fusions()[fusion_->index()].in_place;
    return std::any_of(in_place.begin(), in_place.end(),
                       [&](const FusionInPlace& p) { return p.result == write.value && allows(p.value, p.mode); });
  }
  if (write.write == nullptr) return false;
  const absl::Span<const InPlace> in_place = graph_.in_place(*write.write);
  return std::any_of(in_place.begin(), in_place.end(), [&](const InPlace& p) { return allows(p.value, p.mode); });
}

std::string OwnConflicts::Text(const Access& a) const {
  if (a.use == Use::kScratch) return absl::StrCat("scratch of ", reporter_.Text(a.op));
  const absl::string_view what = a.use == Use::kCarried || a.use == Use::kCarry ? "carried bytes of "
                                 : a.use == Use::kPart                          ? "old bytes of base "
                                                                                : "";
  return absl::StrCat(what, reporter_.Text(a.value), " at ", memories_.Text(a.memory, a.base));
}

// A base and a result that lie partly on one another cannot be carried, whichever bytes it is.
void OwnConflicts::CheckCarried(const Access& read) {
  const Place &from = layout_.of(read.value), &to = layout_.of(read.result);
  if (!from.Meets(to) || !reporter_.IsNew(ViolationKind::kOwnOperand, read.value.value, read.result.value)) return;
  reporter_.Add(
      ViolationKind::kOwnOperand,
      absl::StrCat(reporter_.Text(read.op), " carries ", reporter_.Text(read.value), " at ",
                   memories_.Text(from.memory, from.offset), " over to ", reporter_.Text(read.result), " at ",
                   memories_.Text(to.memory, to.offset), ", which lies partly on it (", from.bytes, " bytes)"));
}

void OwnConflicts::CheckReadWrite(const Access& read, const Access& write) {
  if (Permitted(read, write)) return;
  const std::optional<ByteRange> common = Meet(read, write);
  if (!common.has_value()) return;
  const ViolationKind kind = write.use == Use::kScratch    ? ViolationKind::kScratch
                             : read.use == Use::kKeepAlive ? ViolationKind::kKeepAlive
                                                           : ViolationKind::kOwnOperand;
  const int32_t other = write.use == Use::kScratch ? -1 - write.op.value : write.value.value;
  if (!reporter_.IsNew(kind, read.value.value, other)) return;
  const absl::string_view reads = read.use == Use::kKeepAlive ? " must keep " : " reads ";
  const absl::string_view why = write.use == Use::kScratch ? "" : ", undeclared";
  reporter_.Add(kind,
                absl::StrCat(reporter_.Text(write.op), reads, Text(read), " and writes ", Text(write),
                             " in the same bytes ", Reporter::Text(*common), read.use == Use::kKeepAlive ? "" : why));
}

void OwnConflicts::CheckWriteWrite(const Access& a, const Access& b) {
  const bool scratch = a.use == Use::kScratch || b.use == Use::kScratch;
  if (!scratch && a.value == b.value) return;
  const std::optional<ByteRange> common = Meet(a, b);
  if (!common.has_value()) return;
  const ViolationKind kind = scratch ? ViolationKind::kScratch : ViolationKind::kUnorderedWrites;
  const auto party = [](const Access& x) { return x.use == Use::kScratch ? -1 - x.op.value : x.value.value; };
  if (!reporter_.IsNew(kind, party(a), party(b))) return;
  reporter_.Add(kind, absl::StrCat(reporter_.Text(b.op), " writes ", Text(a), " and ", Text(b), " in the same bytes ",
                                   Reporter::Text(*common)));
}

}  // namespace bufplan::checker
