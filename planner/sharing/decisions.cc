#include "planner/sharing/decisions.h"

#include <utility>

namespace bufplan {

Decisions::Decisions(const Graph& graph, const SharingPolicy& policy)
    : num_values_(graph.values().size()),
      unwanted_(policy.unwanted),
      in_full_(graph.ops().size(), 0),
      contest_(policy.contest) {
  for (size_t i = 0; i < in_full_.size(); ++i) in_full_[i] = graph.ops()[i].elide == Elide::kNever;
}

bool Decisions::StrikeOut(ValueId v, WishKind kind, Refusal reason) {
  if (settled_) return false;
  const auto lies_in = lies_in_.find(v.value);
  const bool callers = kind == WishKind::kSource && lies_in != lies_in_.end();
  if (!Wanted(v, kind)) {  // in this round already, or it came to lie in another place that will not do
    const auto barred = barred_.find(v.value);
    if (barred == barred_.end() || (callers && barred->second == lies_in->second)) return true;
    barred_.erase(barred);
    changed_ = true;
    return true;
  }
  if (callers) barred_.insert_or_assign(v.value, lies_in->second);
  unwanted_.resize(num_values_, 0);
  unwanted_[v.index()] |= static_cast<uint8_t>(kind);
  struck_out_.insert_or_assign(v.value, std::move(reason));
  changed_ = true;
  return true;
}

void Decisions::Readmit(ValueId v, WishKind kind) {
  if (settled_ || Wanted(v, kind)) return;
  unwanted_[v.index()] &= static_cast<uint8_t>(~static_cast<uint8_t>(kind));
  if (unwanted_[v.index()] == 0) struck_out_.erase(v.value);
  if (kind == WishKind::kSource) barred_.erase(v.value);
  changed_ = true;
}

void Decisions::UseInFull(OpId op) {
  if (UsesInFull(op)) return;
  in_full_[op.index()] = 1;
  changed_ = true;
}

void Decisions::NeedsNoBytes(ValueId v) {
  if (!MayHaveNoBytes(v) || HasNoBytes(v)) return;
  no_bytes_.resize(num_values_, kUnknown);
  no_bytes_[v.index()] = kNoBytes;
  changed_ = true;
}

void Decisions::NeedsBytes(ValueId v) {
  no_bytes_.resize(num_values_, kUnknown);
  changed_ = changed_ || no_bytes_[v.index()] == kNoBytes;
  no_bytes_[v.index()] = kBytes;
}

void Decisions::DoNotReserve(ValueId v) { changed_ = not_reserved_.insert(v.value).second || changed_; }

void Decisions::LieApart(ValueId v) { changed_ = apart_.insert(v.value).second || changed_; }

void Decisions::Lock(ValueId owner) { changed_ = locked_.insert(owner.value).second || changed_; }

bool Decisions::EndRound(bool hurry) {
  if (!changed_) return true;
  changed_ = false;
  lies_in_.clear();
  if ((++round_ < kMaxRounds && !hurry) || settled_) return false;
  settled_ = true;
  no_bytes_.clear();
  return false;
}

}  // namespace bufplan
