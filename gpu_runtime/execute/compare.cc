#include "gpu_runtime/execute/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "gpu_runtime/execute/contents.h"
#include "gpu_runtime/execute/end_state.h"
#include "gpu_runtime/execute/executor.h"
#include "gpu_runtime/execute/found_bytes.h"
#include "gpu_runtime/kernels/mix.h"

namespace bufplan::runtime {
namespace {

constexpr uint64_t kNothing = ~uint64_t{0};
// How often a run is repeated to see a difference again.
constexpr int kRetries = 5;
// Is not repeated for its time.
constexpr absl::Duration kLongRun = absl::Seconds(2);
constexpr int64_t kMaxSnapshotBytes = int64_t{1} << 30;

absl::Duration Median(std::vector<absl::Duration> times) {
  std::sort(times.begin(), times.end());
  return times.empty() ? absl::ZeroDuration() : times[times.size() / 2];
}

class Comparer {
 public:
  Comparer(DevicePool& pool, const Graph& graph, const Plan& plan, const CompareOptions& options)
      : device_(pool.device()), pool_(pool), graph_(graph), plan_(plan), options_(options) {}

  absl::StatusOr<Comparison> Run() {
    if (absl::Status s = RunReference(); !s.ok()) return s;
    for (const bool stress : {false, true}) {
      if (stress && options_.stress == 0) break;
      if (absl::Status s = MakePlanned(stress); !s.ok()) return s;
      for (int i = 0; i < (stress ? options_.stress : 1); ++i) {
        if (absl::Status s = RunPlanned(stress); !s.ok()) return s;
        const int run = out_.runs++;
        if (!out_.difference.has_value()) continue;
        out_.difference->run = run;
        return std::move(out_);
      }
      if (!stress) {
        if (absl::Status s = TakeTimes(*planned_, planned_times_); !s.ok()) return s;
      }
    }
    out_.planned_time = Median(planned_times_);
    out_.reference_time = Median(reference_times_);
    return std::move(out_);
  }

 private:
  absl::StatusOr<std::unique_ptr<Executor>> MakeExecutor(const Plan* plan, bool stress) {
    const ExecutorOptions options = {.kernels = options_.kernels,
                                     .seed = options_.seed,
                                     .stress = stress,
                                     .sample_bytes = options_.sample_bytes,
                                     .capture = options_.capture && plan != nullptr};
    return Executor::Create(pool_, graph_, plan, options);
  }

  absl::Status RunReference() {
    absl::StatusOr<std::unique_ptr<Executor>> reference = MakeExecutor(nullptr, false);
    if (!reference.ok()) return reference.status();
    reference_ = *std::move(reference);
    if (options_.timed_runs > 0) {
      // By itself: below it may do more, and starts anew.
      if (absl::Status s = StartReference(); !s.ok()) return s;
      if (absl::Status s = TimedRun(*reference_, {}, &reference_times_); !s.ok()) return s;
      if (absl::Status s = TakeTimes(*reference_, reference_times_); !s.ok()) return s;
    }
    // Under stress data movements and keep-alives are compared too, so they are looked at here.
    reference_->SetStress(options_.stress > 0);
    if (absl::Status s = StartReference(); !s.ok()) return s;
    if (absl::Status s = TimedRun(*reference_, {}, options_.timed_runs > 0 ? nullptr : &reference_times_); !s.ok()) {
      return s;
    }
    const size_t num_slots = reference_->program().slots.size();
    if (absl::Status s = Download(reference_->slots(), num_slots, expected_); !s.ok()) return s;
    for (const Memory& m : reference_->program().layout.memories) {
      if (m.kind == MemoryKind::kOwn) out_.reference_bytes += m.bytes;
    }
    for (const Arena& a : plan_.arenas) out_.planned_bytes += a.bytes;
    return absl::OkStatus();
  }

  // The host hands out more memory than it has.
  absl::Status CheckMemory() const {
    double bytes = 0;  // sizes of plans that are wrong add up to anything
    for (const Memory& m : reference_->program().layout.memories) bytes += static_cast<double>(m.bytes);
    // Of the plan's run, what both do not have together.
    for (const Arena& a : plan_.arenas) bytes += static_cast<double>(a.bytes);
    for (const Value& v : graph_.values()) {
      if (IsCallerOwned(v.role) && !IsReadOnly(v)) bytes += static_cast<double>(v.max_bytes);
    }
    const int64_t there = device_.properties().memory_bytes;
    if (options_.sample_bytes.has_value() || bytes <= static_cast<double>(there)) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrFormat(
        "plan and reference need %.0f bytes of memory together, the device has %d; a sample of the bytes "
        "of each value needs less",
        bytes, there));
  }

  absl::Status StartReference() {
    if (absl::Status s = reference_->Prepare(options_.symbol_values); !s.ok()) return s;
    if (absl::Status s = CheckMemory(); !s.ok()) return s;
    absl::StatusOr<Contents> contents =
        Contents::Make(graph_, *reference_, device_, options_.seed, true, options_.initial);
    if (!contents.ok()) return contents.status();
    reference_contents_ = *std::move(contents);
    reference_contents_.Fill(device_, reference_->stream());
    return device_.Synchronize();
  }

  // `times`: null if nobody asks for its time.
  static absl::Status TimedRun(Executor& executor, const RunOptions& run, std::vector<absl::Duration>* times) {
    const absl::Time begin = absl::Now();
    const absl::Status status = executor.Run(run);
    if (times != nullptr) times->push_back(absl::Now() - begin);
    return status;
  }
  // Of later runs, if they do not take long: the first one touches memory for the first time.
  absl::Status TakeTimes(Executor& executor, std::vector<absl::Duration>& times) {
    if (options_.timed_runs == 0 || times.back() > kLongRun) return absl::OkStatus();
    times.clear();
    for (int i = 0; i < options_.timed_runs; ++i) {
      if (absl::Status s = TimedRun(executor, {}, &times); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  absl::Status Download(const uint64_t* words, size_t count, std::vector<uint64_t>& to) {
    to.resize(count);
    return Peek(reinterpret_cast<const std::byte*>(words), to.data(), static_cast<int64_t>(count * 8));
  }
  absl::Status Peek(const std::byte* from, void* to, int64_t bytes) {
    device_.CopyOut(pool_.Stream(0), to, from, bytes);
    return device_.Synchronize();
  }

  absl::Status MakePlanned(bool stress) {
    planned_.reset();
    absl::StatusOr<std::unique_ptr<Executor>> planned = MakeExecutor(&plan_, stress);
    if (!planned.ok()) return planned.status();
    planned_ = *std::move(planned);
    // What nobody may write is there once.
    for (size_t i = 0; i < graph_.values().size(); ++i) {
      const ValueId v(static_cast<int32_t>(i));
      if (IsReadOnly(graph_.value(v))) planned_->Bind(v, reference_->memory(reference_->program().layout.of_caller[i]));
    }
    if (absl::Status s = planned_->Prepare(options_.symbol_values); !s.ok()) return s;
    absl::StatusOr<Contents> contents =
        Contents::Make(graph_, *planned_, device_, options_.seed, false, options_.initial);
    if (!contents.ok()) return contents.status();
    contents_ = *std::move(contents);
    absl::StatusOr<EndState> end = EndState::Make(graph_, *planned_, *reference_, device_);
    if (!end.ok()) return end.status();
    end_ = *std::move(end);
    return absl::OkStatus();
  }

  absl::Status RunPlanned(bool stress) {
    RunOptions run_options;
    if (stress) run_options.delay_seed = MixTwo(options_.seed, static_cast<uint64_t>(out_.runs));
    contents_.Fill(device_, planned_->stream());
    if (absl::Status s = device_.Synchronize(); !s.ok()) return s;
    if (absl::Status s = TimedRun(*planned_, run_options, stress ? nullptr : &planned_times_); !s.ok()) return s;
    std::vector<uint64_t> found;
    if (absl::Status s = Download(planned_->slots(), planned_->program().slots.size(), found); !s.ok()) return s;
    if (const std::optional<size_t> slot = FirstWrongSlot(found)) return ReportRead(*slot, run_options);
    return CheckTheEnd();
  }

  // The first in the order of execution; so what it read was written by ops that read what they should.
  std::optional<size_t> FirstWrongSlot(const std::vector<uint64_t>& found) {
    const Program &planned = planned_->program(), &reference = reference_->program();
    std::vector<int32_t> position(planned.units.units.size());
    for (size_t i = 0; i < position.size(); ++i) {
      position[static_cast<size_t>(planned.units.enqueue_order[i])] = static_cast<int32_t>(i);
    }
    const auto when = [&](size_t slot) {
      const OpId op = planned.slots[slot].op;
      return std::pair(position[static_cast<size_t>(planned.units.unit_of[op.index()])], op.value);
    };
    const auto hashed = [](const SlotUse& use) { return use.kind != SlotUse::Kind::kNone; };
    std::optional<size_t> first;
    for (size_t s = 0; s < found.size() && options_.tolerance == 0; ++s) {
      if (!hashed(planned.slots[s]) || !hashed(reference.slots[s])) continue;
      ++out_.reads_compared;
      if (found[s] != expected_[s] && (!first.has_value() || when(s) < when(*first))) first = s;
    }
    return first;
  }

  // Scratch, what must be there, what nobody may have touched.
  absl::Status CheckTheEnd() {
    const size_t num_items = end_.items().size(), num_checks = contents_.checks().size();
    const size_t num_constants = reference_contents_.checks().size();
    const size_t num_words = num_items + num_checks + num_constants;
    absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::Allocate(device_, static_cast<int64_t>(8 * num_words));
    if (!buffer.ok()) return buffer.status();
    uint64_t* const words = reinterpret_cast<uint64_t*>(buffer->data());
    const StreamHandle stream = pool_.Stream(0);
    device_.Fill(stream, buffer->data(), 0xff, buffer->bytes());
    end_.Compare(device_, stream, words);
    contents_.Verify(device_, stream, words + num_items);
    reference_contents_.Verify(device_, stream, words + num_items + num_checks);
    std::vector<uint64_t> first, faults;
    if (absl::Status s = Download(words, num_words, first); !s.ok()) return s;
    const size_t num_faults = static_cast<size_t>(planned_->program().num_faults);
    if (absl::Status s = Download(planned_->faults(), num_faults, faults); !s.ok()) return s;
    for (const Action& a : planned_->program().actions) {
      if (a.kind != ActionKind::kVerify || faults[static_cast<size_t>(a.slot)] == kNothing) continue;
      ReportScratch(a, faults[static_cast<size_t>(a.slot)]);
      return absl::OkStatus();
    }
    out_.values_compared += static_cast<int64_t>(num_items);
    for (size_t i = 0; i < num_items; ++i) {
      if (first[i] == kNothing) continue;
      const EndState::Item& item = end_.items()[i];
      const absl::StatusOr<int64_t> offset = FirstBeyondTolerance(item, static_cast<int64_t>(first[i]));
      if (!offset.ok()) return offset.status();
      if (*offset >= 0) return ReportEnd(item, *offset);
    }
    for (size_t i = 0; i < num_checks + num_constants; ++i) {
      const bool own = i < num_checks;
      const Contents::Check& check = own ? contents_.checks()[i] : reference_contents_.checks()[i - num_checks];
      if (first[num_items + i] == kNothing) continue;
      ReportStray(check, own ? *planned_ : *reference_, first[num_items + i]);
      return absl::OkStatus();
    }
    return absl::OkStatus();
  }

  // `offset`, or with a tolerance that of the first element beyond it; -1: there is none.
  absl::StatusOr<int64_t> FirstBeyondTolerance(const EndState::Item& item, int64_t offset) {
    const int64_t count = item.reference.shape.bytes() / 4;
    if (options_.tolerance == 0 || item.planned.strided() || 4 * count != item.reference.shape.bytes() ||
        (options_.is_f32 != nullptr && !options_.is_f32(item.value))) {
      return offset;
    }
    std::vector<float> found(static_cast<size_t>(count)), expected(static_cast<size_t>(count));
    const std::byte* const planned = planned_->memory(item.planned.memory) + item.planned.shape.at;
    const std::byte* const reference = reference_->memory(item.reference.memory) + item.reference.shape.at;
    if (absl::Status s = Peek(planned, found.data(), 4 * count); !s.ok()) return s;
    if (absl::Status s = Peek(reference, expected.data(), 4 * count); !s.ok()) return s;
    double largest = 0;
    for (float x : expected) largest = std::isfinite(x) ? std::max(largest, std::abs(double{x})) : largest;
    const auto is_plain = [](float x) { return x == 0 || std::isnormal(x); };
    for (size_t i = 0; i < expected.size(); ++i) {
      if (std::memcmp(&found[i], &expected[i], sizeof(float)) == 0) continue;
      const double apart = std::abs(double{found[i]} - double{expected[i]});
      if (is_plain(found[i]) && is_plain(expected[i]) && apart <= options_.tolerance * (1 + largest)) continue;
      return item.reference.shape.at + 4 * static_cast<int64_t>(i);
    }
    return -1;
  }

  std::string PlannedPlace(int32_t memory, int64_t offset) const {
    return PlaceText(graph_, planned_->program().layout.memories[static_cast<size_t>(memory)], offset);
  }
  FoundBytes found_bytes() const { return FoundBytes(device_, graph_, *planned_, *reference_, options_.seed); }

  void ReportScratch(const Action& action, uint64_t offset) {
    out_.difference = Difference{.kind = DifferenceKind::kScratch, .op = action.op};
    out_.difference->text =
        absl::StrCat("scratch of op \"", graph_.name(action.op), "\" was written to while the op ran, at ",
                     PlannedPlace(action.a, static_cast<int64_t>(offset)));
  }

  void ReportStray(const Contents::Check& check, const Executor& executor, uint64_t index) {
    const Memory& memory = executor.program().layout.memories[static_cast<size_t>(check.memory)];
    const int64_t offset = check.offset + static_cast<int64_t>(index);
    const std::string what = absl::StrCat("at the end ", PlaceText(graph_, memory, offset), " has been written to, ");
    out_.difference = Difference{.kind = DifferenceKind::kStray};
    switch (check.kind) {
      case Contents::Check::Kind::kGuard:
        out_.difference->text = absl::StrCat(what, "which is outside of every storage");
        return;
      case Contents::Check::Kind::kGarbage:
        out_.difference->text = absl::StrCat(what, "which nobody uses any more");
        return;
      case Contents::Check::Kind::kReadOnly:
        out_.difference->kind = DifferenceKind::kReadOnly;
        out_.difference->value = memory.owner;
        out_.difference->byte = offset;
        out_.difference->text = absl::StrCat(what, "which is read-only");
        return;
    }
  }

  absl::Status ReportEnd(const EndState::Item& item, int64_t offset_there) {
    // In the reference a value lies in one run.
    const int64_t byte = offset_there - item.reference.shape.at;
    const int64_t at = item.planned.shape.ByteAt(byte);
    const size_t bytes = static_cast<size_t>(std::min<int64_t>(8, item.planned.shape.bytes() - byte));
    std::byte found[8] = {}, expected[8] = {};
    const int64_t count = item.planned.strided() ? 1 : static_cast<int64_t>(bytes);
    if (absl::Status s = Peek(planned_->memory(item.planned.memory) + at, found, count); !s.ok()) return s;
    if (absl::Status s = Peek(reference_->memory(item.reference.memory) + offset_there, expected, count); !s.ok()) {
      return s;
    }
    const absl::StatusOr<std::string> what =
        found_bytes().Describe(item.value, byte, item.planned.memory, at, absl::MakeSpan(expected).first(count),
                               absl::MakeSpan(found).first(count));
    if (!what.ok()) return what.status();
    out_.difference = Difference{.kind = DifferenceKind::kEnd, .value = item.value, .byte = byte};
    out_.difference->text = absl::StrCat("at the end value \"", graph_.name(item.value), "\" byte ", byte, " (",
                                         PlannedPlace(item.planned.memory, at), "): ", *what);
    return absl::OkStatus();
  }

  // The bytes that the slot is the hash of.
  Shape RegionOf(const SlotUse& use) const {
    const Sizes& sizes = planned_->sizes();
    const Op& op = graph_.op(use.op);
    if (use.kind == SlotUse::Kind::kRead) return sizes.ShapeOf(use.value, graph_.reads(op)[use.index].region);
    if (use.kind == SlotUse::Kind::kRewritten) return sizes.ShapeOf(use.value, graph_.writes(op)[use.index].region);
    return {0, sizes.value_bytes[use.value.index()], {}};
  }

  absl::Status ReportRead(size_t slot, const RunOptions& run_options) {
    const SlotUse& use = planned_->program().slots[slot];
    const std::string who = absl::StrCat("op \"", graph_.name(use.op), "\" ",
                                         use.kind == SlotUse::Kind::kKeptAlive ? "keeps alive" : "reads", " value \"",
                                         graph_.name(use.value), "\"");
    out_.difference = Difference{.kind = DifferenceKind::kRead, .op = use.op, .value = use.value};
    out_.difference->text = absl::StrCat(who, ", and found other bytes than in the reference");
    const Shape region = RegionOf(use);
    if (region.bytes() > kMaxSnapshotBytes) return absl::OkStatus();
    std::vector<std::byte> expected, found;
    if (absl::Status s = Snapshot(*reference_, {}, slot, region.bytes(), expected); !s.ok()) return s;
    for (int i = 0; i < kRetries; ++i) {
      if (absl::Status s = Snapshot(*planned_, run_options, slot, region.bytes(), found); !s.ok()) return s;
      const int64_t index = std::mismatch(expected.begin(), expected.end(), found.begin()).first - expected.begin();
      if (index == region.bytes()) continue;
      return ReportByte(use, who, region.ByteAt(index), absl::MakeConstSpan(expected).subspan(index),
                        absl::MakeConstSpan(found).subspan(index), region.run_bytes - index % region.run_bytes);
    }
    return absl::OkStatus();
  }

  absl::Status ReportByte(const SlotUse& use, const std::string& who, int64_t byte,
                          absl::Span<const std::byte> expected, absl::Span<const std::byte> found, int64_t together) {
    out_.difference->byte = byte;
    // A member of a group reads what the group makes in the workspace.
    const Units& units = planned_->program().units;
    const bool inside = units.Makes(graph_, units.unit_of[use.op.index()], use.value);
    const Place place = inside ? Place() : planned_->program().layout.of(use.value);
    const int64_t offset = place.exists() ? place.shape.ByteAt(byte) : 0;
    const size_t bytes = static_cast<size_t>(std::min<int64_t>(place.strided() ? 1 : 8, together));
    const absl::StatusOr<std::string> what =
        found_bytes().Describe(use.value, byte, place.memory, offset, expected.first(bytes), found.first(bytes));
    if (!what.ok()) return what.status();
    const std::string where = place.exists() ? absl::StrCat(" (", PlannedPlace(place.memory, offset), ")") : "";
    out_.difference->text = absl::StrCat(who, " byte ", byte, where, ": ", *what);
    return absl::OkStatus();
  }

  // Runs again and keeps what is read under the slot.
  absl::Status Snapshot(Executor& executor, RunOptions run, size_t slot, int64_t bytes, std::vector<std::byte>& to) {
    absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::Allocate(device_, bytes);
    if (!buffer.ok()) return buffer.status();
    device_.Fill(executor.stream(), buffer->data(), 0, bytes);
    (&executor == reference_.get() ? reference_contents_ : contents_).Fill(device_, executor.stream());
    run.snapshot_slot = static_cast<int32_t>(slot);
    run.snapshot = buffer->data();
    if (absl::Status s = executor.Run(run); !s.ok()) return s;
    to.resize(static_cast<size_t>(bytes));
    return Peek(buffer->data(), to.data(), bytes);
  }

  Device& device_;
  DevicePool& pool_;
  const Graph& graph_;
  const Plan& plan_;
  const CompareOptions& options_;
  Comparison out_;
  std::unique_ptr<Executor> reference_, planned_;
  Contents reference_contents_, contents_;
  EndState end_;
  std::vector<uint64_t> expected_;  // by slot
  std::vector<absl::Duration> planned_times_, reference_times_;
};

}  // namespace

absl::StatusOr<Comparison> CompareWithReference(Device& device, const Graph& graph, const Plan& plan,
                                                const CompareOptions& options) {
  DevicePool pool(device);
  return Comparer(pool, graph, plan, options).Run();
}

absl::StatusOr<Comparison> CompareWithReference(DevicePool& pool, const Graph& graph, const Plan& plan,
                                                const CompareOptions& options) {
  return Comparer(pool, graph, plan, options).Run();
}

}  // namespace bufplan::runtime
