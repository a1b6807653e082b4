#include "planner/placement/chain_cover.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bufplan {
namespace {

constexpr int32_t kNone = -1;

// Where pieces hand on to more others than this on average, the search is given up. Two are what is seen.
constexpr size_t kHandOversPerPiece = 16;

// Work between looks at the clock.
constexpr int64_t kLookEvery = 100'000;

// By chain, the pieces in order of their entry to it: what a slot of the chain may take from is a prefix of the list.
class Givers {
 public:
  Givers(const ChainSlots& slots, absl::Span<const int64_t> weights) : end_(slots.piece.size() + 1, 0) {
    const size_t n = slots.piece.size(), k = static_cast<size_t>(slots.num_chains);
    const auto for_each = [&](auto&& visit) {
      for (size_t p = 0; p < n; ++p) {
        for (size_t c = 0; c < k && weights[p] > 0; ++c) {
          if (slots.Entry(p, c) < slots.first[c + 1]) visit(p, static_cast<size_t>(slots.Entry(p, c)));
        }
      }
    };
    for_each([&](size_t, size_t entry) { ++end_[entry + 1]; });
    for (size_t slot = 0; slot < n; ++slot) end_[slot + 1] += end_[slot];
    list_.resize(end_[n]);
    // Filling moves the end of each slot's part from its begin to its end.
    for_each([&](size_t p, size_t entry) { list_[end_[entry]++] = static_cast<int32_t>(p); });
    end_.pop_back();
    for (size_t c = 0; c < k; ++c) begin_.push_back(EndBefore(slots.first[c]));
    skip_.resize(list_.size() + 1);
    for (size_t i = 0; i < skip_.size(); ++i) skip_[i] = i;
  }

  int32_t operator[](size_t i) const { return list_[i]; }
  // Those of a slot and of all before it on its chain end here; and those of all before it alone.
  size_t EndOf(int32_t slot) const { return end_[static_cast<size_t>(slot)]; }
  size_t EndBefore(int32_t slot) const { return slot == 0 ? 0 : end_[static_cast<size_t>(slot) - 1]; }

  // The last giver of the slot, which is on that chain, that has bytes free; kNone without one. Free bytes only ever
  // get fewer, so what has been passed over is skipped from then on.
  int32_t LastFree(size_t chain, int32_t slot, const std::vector<int64_t>& free, int64_t& work) {
    for (size_t i = EndOf(slot);; i = skip_[i] = i - 1) {
      for (; skip_[i] != i; i = skip_[i], ++work) skip_[i] = skip_[skip_[i]];
      if (i <= begin_[chain]) return kNone;
      if (free[static_cast<size_t>(list_[i - 1])] > 0) return list_[i - 1];
    }
  }

 private:
  std::vector<size_t> begin_;  // by chain
  std::vector<size_t> end_;    // by slot
  std::vector<int32_t> list_;
  std::vector<size_t> skip_;  // by number of entries: a smaller number behind which none up to here has bytes free
};

class ChainCover {
 public:
  ChainCover(const ChainSlots& slots, absl::Span<const int64_t> weights, int64_t work_limit, Deadline deadline,
             WeighedCut& best, int64_t& work)
      : slots_(slots),
        weights_(weights),
        num_chains_(static_cast<size_t>(slots.num_chains)),
        work_limit_(work_limit),
        deadline_(deadline),
        max_hand_overs_(kHandOversPerPiece * weights.size() + 1024),
        best_(best),
        work_(work),
        givers_(slots, weights),
        chain_(weights.size()),
        free_(weights.begin(), weights.end()),
        fresh_(weights.size(), 0),
        first_(weights.size(), kNone),
        seen_(weights.size(), 0),
        seen_on_(weights.size(), 0),
        closed_(slots.first.begin(), slots.first.end() - 1),
        scanned_(num_chains_),
        takers_(num_chains_),
        raises_(num_chains_) {
    for (size_t c = 0; c < num_chains_; ++c) {
      std::fill(chain_.begin() + slots.first[c], chain_.begin() + slots.first[c + 1], static_cast<int32_t>(c));
    }
    work_ += static_cast<int64_t>(slots.entry.size());
  }

  bool Run() {
    for (int32_t piece : slots_.births) {
      const int32_t slot = slots_.slot[Index(piece)];
      if (TooLate()) return false;
      Take(slot, weights_[Index(piece)]);
      while (total_ > best_.weight) {
        const Outcome outcome = Reroute(slot);
        if (outcome == Outcome::kLimit) return false;
        if (outcome == Outcome::kNoPath) {
          best_ = {reached_, total_};
          closed_ = reached_;
        }
      }
    }
    return true;
  }

 private:
  enum class Outcome { kRerouted, kNoPath, kLimit };
  struct HandOver {
    int32_t to_slot, next;  // next: of the same giver
    int64_t bytes;
  };
  // The slots of a chain up to `slot` were reached because this one has a use for bytes: fresh bytes to replace, or
  // those that a piece hands to it and could hand on elsewhere.
  struct Raise {
    int32_t slot, giver, hand_over;
  };
  struct Range {  // of a chain's givers
    size_t chain, begin, end;
  };
  struct Step {
    int32_t giver, to_slot, hand_over;  // hand_over: what this step replaces
  };

  bool TooLate() {
    if (work_ < next_look_) return false;
    next_look_ = work_ + kLookEvery;
    return deadline_.Passed();
  }

  static size_t Index(int32_t i) { return static_cast<size_t>(i); }
  size_t ChainOf(int32_t slot) const { return static_cast<size_t>(chain_[Index(slot)]); }

  // Hands `bytes`, the piece's weight, to the slot of a piece that begins.
  void Take(int32_t slot, int64_t bytes) {
    const size_t chain = ChainOf(slot);
    while (bytes > 0) {
      const int32_t giver = givers_.LastFree(chain, slot, free_, work_);
      if (giver == kNone) break;
      const int64_t taken = std::min(bytes, free_[Index(giver)]);
      free_[Index(giver)] -= taken;
      bytes -= taken;
      Hand(giver, slot, taken);
    }
    if (bytes == 0) return;
    fresh_[Index(slot)] = bytes;
    total_ += bytes;
    takers_[chain].push_back(slot);
  }

  void Hand(int32_t giver, int32_t slot, int64_t bytes) {
    const int32_t h = unused_ == kNone ? static_cast<int32_t>(hand_overs_.size()) : unused_;
    if (unused_ == kNone) {
      hand_overs_.emplace_back();
    } else {
      unused_ = hand_overs_[Index(h)].next;
    }
    hand_overs_[Index(h)] = {slot, first_[Index(giver)], bytes};
    first_[Index(giver)] = h;
    ++work_;
  }

  // Looks for a path to fresh bytes of the slot just begun or, failing that, of others.
  Outcome Reroute(int32_t slot) {
    ++search_;
    reached_ = closed_;
    queue_.clear();
    for (size_t c = 0; c < num_chains_; ++c) {
      raises_[c].clear();
      scanned_[c] = givers_.EndBefore(closed_[c]);
    }
    size_t next = 0;
    for (size_t i = 0; i < num_chains_; ++i) {
      const std::vector<int32_t>& takers = takers_[(ChainOf(slot) + i) % num_chains_];
      if (takers.empty() || takers.back() < closed_[ChainOf(takers.back())]) continue;
      if (ReachUpTo(takers.back(), kNone, kNone)) return Outcome::kRerouted;
      for (; next < queue_.size(); ++next) {
        const Range range = queue_[next];
        for (size_t g = range.end; g > range.begin; --g) {
          if (Scan(givers_[g - 1], range.chain)) return Outcome::kRerouted;
        }
        if (work_ > work_limit_ || hand_overs_.size() > max_hand_overs_ || TooLate()) return Outcome::kLimit;
      }
    }
    return Outcome::kNoPath;
  }

  // Reaches the slots that this piece, a giver on chain c, hands bytes to. True if the search is over.
  bool Scan(int32_t piece, size_t c) {
    ++work_;
    if (seen_[Index(piece)] == search_) return false;
    seen_[Index(piece)] = search_;
    seen_on_[Index(piece)] = static_cast<int32_t>(c);
    int32_t last = kNone;
    for (int32_t h = first_[Index(piece)]; h != kNone; ++work_) {
      const int32_t next = hand_overs_[Index(h)].next;
      if (hand_overs_[Index(h)].bytes == 0) {
        (last == kNone ? first_[Index(piece)] : hand_overs_[Index(last)].next) = next;
        hand_overs_[Index(h)].next = unused_;
        unused_ = h;
      } else {
        if (ReachUpTo(hand_overs_[Index(h)].to_slot, piece, h)) return true;
        last = h;
      }
      h = next;
    }
    return false;
  }

  // Uses the paths that begin with bytes free for the slots of the chain up to this one. True if the search is over:
  // the cover is light enough, or something the search went by is used up.
  bool ReachUpTo(int32_t slot, int32_t giver, int32_t hand_over) {
    const size_t chain = ChainOf(slot);
    if (slot < reached_[chain]) return false;
    reached_[chain] = slot + 1;
    raises_[chain].push_back({slot, giver, hand_over});
    queue_.push_back({chain, scanned_[chain], givers_.EndOf(slot)});
    scanned_[chain] = queue_.back().end;
    for (;;) {
      const int32_t free_giver = givers_.LastFree(chain, slot, free_, work_);
      if (free_giver == kNone) return false;
      if (!Use(free_giver, chain) || total_ <= best_.weight) return true;
    }
  }

  // Hands on bytes from a piece that has them free and may give on the chain, along the path back to a piece with fresh
  // bytes. A piece was seen after the raise that its entry needs, and that raise after the next piece: the path ends.
  // True if the other paths of the search are still there.
  bool Use(int32_t piece, size_t chain) {
    path_.clear();
    int64_t bytes = free_[Index(piece)];
    for (int32_t giver = piece; giver != kNone;) {
      const int32_t entry = slots_.Entry(Index(giver), chain);
      const auto raise = std::lower_bound(raises_[chain].begin(), raises_[chain].end(), entry,
                                          [](const Raise& r, int32_t slot) { return r.slot < slot; });
      path_.push_back({giver, raise->slot, raise->hand_over});
      bytes = std::min(bytes,
                       raise->giver == kNone ? fresh_[Index(raise->slot)] : hand_overs_[Index(raise->hand_over)].bytes);
      giver = raise->giver;
      if (giver != kNone) chain = Index(seen_on_[Index(giver)]);
    }
    work_ += static_cast<int64_t>(path_.size());
    free_[Index(piece)] -= bytes;
    for (const Step& step : path_) {
      if (step.hand_over != kNone) hand_overs_[Index(step.hand_over)].bytes -= bytes;
      Hand(step.giver, step.to_slot, bytes);
    }
    const int32_t taker = path_.back().to_slot;
    total_ -= bytes;
    fresh_[Index(taker)] -= bytes;
    if (fresh_[Index(taker)] == 0) takers_[chain].pop_back();
    return free_[Index(piece)] == 0 && fresh_[Index(taker)] > 0 &&
           std::all_of(path_.begin(), path_.end(), [this](const Step& step) {
             return step.hand_over == kNone || hand_overs_[Index(step.hand_over)].bytes > 0;
           });
  }

  const ChainSlots& slots_;
  const absl::Span<const int64_t> weights_;
  const size_t num_chains_;
  const int64_t work_limit_;
  const Deadline deadline_;
  int64_t next_look_ = 0;
  const size_t max_hand_overs_;
  WeighedCut& best_;
  int64_t& work_;
  Givers givers_;
  std::vector<int32_t> chain_;  // by slot
  std::vector<int64_t> free_;   // by piece, the bytes it has not handed on
  std::vector<int64_t> fresh_;  // by slot
  int64_t total_ = 0;           // of the fresh bytes
  std::vector<HandOver> hand_overs_;
  std::vector<int32_t> first_;  // by piece, into hand_overs_; kNone ends a list
  int32_t unused_ = kNone;

  // A search.
  int32_t search_ = 0;
  std::vector<int32_t> seen_;     // by piece, the last search
  std::vector<int32_t> seen_on_;  // by piece, the chain on which that saw it as a giver
  ChainCut closed_;               // what no path can come from any more
  ChainCut reached_;
  std::vector<size_t> scanned_;               // by chain: the end of the givers seen there
  std::vector<std::vector<int32_t>> takers_;  // by chain, the slots with fresh bytes
  std::vector<std::vector<Raise>> raises_;    // by chain, slots ascending
  std::vector<Range> queue_;
  std::vector<Step> path_;
};

}  // namespace

bool ProveHeaviest(const ChainSlots& slots, absl::Span<const int64_t> weights, int64_t work_limit, WeighedCut& best,
                   int64_t& work, Deadline deadline) {
  return ChainCover(slots, weights, work_limit, deadline, best, work).Run();
}

}  // namespace bufplan
