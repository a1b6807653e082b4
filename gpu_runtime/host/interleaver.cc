#include "gpu_runtime/host/interleaver.h"

#include <algorithm>

#include "gpu_runtime/kernels/mix.h"

namespace bufplan::runtime {

uint64_t Interleaver::Chance() { return MixWord(state_ += 0x9e3779b97f4a7c15u); }

bool Interleaver::CanStep(const Stream& s) const {
  if (Done(s)) return false;
  const Command& c = s.list[s.next];
  if (c.kind == CommandKind::kWait) return c.event->Done(c.amount);
  if (c.kind != CommandKind::kReplay || s.next_replay == c.replay->size()) return true;
  const Command& inner = (*c.replay)[s.next_replay];
  return inner.kind != CommandKind::kWait || inner.event->Done(TicketOf(inner, c.amount));
}

void Interleaver::Step(Stream& s) {
  const Command& c = s.list[s.next];
  if (c.kind == CommandKind::kReplay) {
    if (s.next_replay < c.replay->size()) {
      const Command& inner = (*c.replay)[s.next_replay++];
      if (inner.kind == CommandKind::kRecord) inner.event->Complete(TicketOf(inner, c.amount));
      RunCommand(inner, *c.replay);
      return;
    }
    s.next_replay = 0;
  } else if (c.kind == CommandKind::kRecord) {
    c.event->Complete(c.amount);
  } else {
    RunCommand(c, s.list);
  }
  ++s.next;
}

void Interleaver::Run() {
  const Style style = static_cast<Style>(Chance() % 3);
  for (Stream& s : streams_) s.priority = Chance();
  size_t last = streams_.empty() ? 0 : Chance() % streams_.size();
  for (;;) {
    ready_.clear();
    for (size_t i = 0; i < streams_.size(); ++i) {
      if (CanStep(streams_[i])) ready_.push_back(i);
    }
    if (ready_.empty()) break;
    size_t at = ready_[Chance() % ready_.size()];
    if (style == Style::kOneAsLongAsItCan && std::find(ready_.begin(), ready_.end(), last) != ready_.end()) at = last;
    if (style == Style::kPriorities) {
      at = *std::max_element(ready_.begin(), ready_.end(),
                             [&](size_t a, size_t b) { return streams_[a].priority < streams_[b].priority; });
      // Now and then somebody who lagged behind comes to the fore.
      if (Chance() % 16 == 0) streams_[at].priority = Chance();
    }
    Step(streams_[at]);
    last = at;
  }
  for (Stream& s : streams_) {
    s.list.clear();
    s.next = 0;
  }
}

}  // namespace bufplan::runtime
