#include "gpu_runtime/execute/compare.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gpu_runtime/execute/box_uploads.h"
#include "gpu_runtime/execute/contents.h"
#include "gpu_runtime/execute/executor.h"
#include "gpu_runtime/execute/origin.h"
#include "gpu_runtime/kernels/all_kernels.h"

namespace bufplan::runtime {
namespace {

constexpr uint64_t kNothing = ~uint64_t{0};
// How often a run is repeated to see a difference again.
constexpr int kRetries = 5;
constexpr int64_t kMaxSnapshotBytes = int64_t{1} << 30;

std::string Hex(std::byte b) { return absl::StrCat(absl::Hex(static_cast<unsigned>(b), absl::kZeroPad2)); }

absl::Duration Median(std::vector<absl::Duration> times) {
  std::sort(times.begin(), times.end());
  return times.empty() ? absl::ZeroDuration() : times[times.size() / 2];
}

class Comparer {
 public:
  Comparer(Device& device, const Graph& graph, const Plan& plan, const CompareOptions& options)
      : device_(device), pool_(device), graph_(graph), plan_(plan), options_(options) {}

  absl::StatusOr<Comparison> Run() {
    if (absl::Status s = RunReference(); !s.ok()) return s;
    for (const bool stress : {false, true}) {
      if (stress && options_.stress == 0) break;
      if (absl::Status s = MakePlanned(stress); !s.ok()) return s;
      for (int i = 0; i < (stress ? options_.stress : 1); ++i) {
        if (absl::Status s = RunPlanned(stress, out_.runs); !s.ok()) return s;
        ++out_.runs;
        if (out_.difference.has_value()) return std::move(out_);
      }
      if (!stress) {
        if (absl::Status s = TakeTimes(*planned_, options_.timed_runs, planned_times_); !s.ok()) return s;
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
    // Under stress data movements and keep-alives are compared too, so they are looked at here.
    absl::StatusOr<std::unique_ptr<Executor>> reference = MakeExecutor(nullptr, options_.stress > 0);
    if (!reference.ok()) return reference.status();
    reference_ = *std::move(reference);
    if (absl::Status s = reference_->Prepare(options_.symbol_values); !s.ok()) return s;
    absl::StatusOr<Contents> contents = Contents::Make(graph_, *reference_, device_, options_.seed, true);
    if (!contents.ok()) return contents.status();
    contents->Fill(device_, reference_->stream());
    if (absl::Status s = device_.Synchronize(); !s.ok()) return s;
    reference_contents_ = *std::move(contents);
    if (absl::Status s = TimedRun(*reference_, {}, reference_times_); !s.ok()) return s;
    if (absl::Status s = Download(reference_->slots(), reference_->program().slots.size(), expected_); !s.ok())
      return s;
    for (const Memory& m : reference_->program().layout.memories) {
      if (m.kind == MemoryKind::kOwn) out_.reference_bytes += m.bytes;
    }
    for (const Arena& a : plan_.arenas) out_.planned_bytes += a.bytes;
    return absl::OkStatus();
  }

  absl::Status TimedRun(Executor& executor, const RunOptions& run, std::vector<absl::Duration>& times) {
    const absl::Time begin = absl::Now();
    const absl::Status status = executor.Run(run);
    times.push_back(absl::Now() - begin);
    return status;
  }
  absl::Status TakeTimes(Executor& executor, int runs, std::vector<absl::Duration>& times) {
    if (runs > 0) times.clear();
    for (int i = 0; i < runs; ++i) {
      if (absl::Status s = TimedRun(executor, {}, times); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  absl::Status Download(const uint64_t* words, size_t count, std::vector<uint64_t>& to) {
    to.resize(count);
    device_.CopyOut(pool_.Stream(0), to.data(), reinterpret_cast<const std::byte*>(words),
                    static_cast<int64_t>(count * 8));
    return device_.Synchronize();
  }

  absl::Status MakePlanned(bool stress) {
    planned_.reset();
    absl::StatusOr<std::unique_ptr<Executor>> planned = MakeExecutor(&plan_, stress);
    if (!planned.ok()) return planned.status();
    planned_ = *std::move(planned);
    // What nobody may write is there once.
    for (size_t i = 0; i < graph_.values().size(); ++i) {
      const Value& v = graph_.values()[i];
      const int32_t memory = reference_->program().layout.of_caller[i];
      if (v.role == Role::kConstant || (v.role == Role::kExternal && !v.writable)) {
        planned_->Bind(ValueId(static_cast<int32_t>(i)), reference_->memory(memory));
      }
    }
    if (absl::Status s = planned_->Prepare(options_.symbol_values); !s.ok()) return s;
    absl::StatusOr<Contents> contents = Contents::Make(graph_, *planned_, device_, options_.seed, false);
    if (!contents.ok()) return contents.status();
    contents_ = *std::move(contents);
    return FindObservables();
  }

  // Bytes that must be as in the reference at the end, value by value.
  struct Observable {
    ValueId value;
    size_t list = 0;
    const std::byte *left = nullptr, *right = nullptr;
    int32_t memory = 0;  // where the planned one lies
  };

  absl::Status Observe(ValueId v, const Place& planned, const Place& reference) {
    if (!planned.exists()) {
      return absl::FailedPreconditionError(
          absl::StrCat("value \"", graph_.name(v), "\" must be there at the end and has no place"));
    }
    const Shape whole = {0, planned_->sizes().value_bytes[v.index()], {}};
    const absl::StatusOr<Boxes> bytes = Clip(whole, planned_->defined().of(v));
    if (!bytes.ok()) return bytes.status();
    const absl::StatusOr<Boxes> here = Through(*bytes, planned.shape), there = Through(*bytes, reference.shape);
    if (!here.ok()) return here.status();
    if (!there.ok()) return there.status();
    const absl::StatusOr<Boxes> pairs = Pair(*here, *there);
    if (!pairs.ok()) return pairs.status();
    observables_.push_back({v, observed_.Add(*pairs), planned_->memory(planned.memory),
                            reference_->memory(reference.memory), planned.memory});
    return absl::OkStatus();
  }

  absl::Status FindObservables() {
    observables_.clear();
    observed_ = BoxUploads();
    const Layout &planned = planned_->program().layout, &reference = reference_->program().layout;
    std::vector<bool> output(graph_.values().size(), false);
    for (ValueId v : graph_.outputs()) output[v.index()] = true;
    for (size_t i = 0; i < graph_.values().size(); ++i) {
      const ValueId v(static_cast<int32_t>(i));
      const Value& value = graph_.value(v);
      const int64_t bytes = planned_->sizes().value_bytes[i];
      if (bytes == 0) continue;
      if (output[i] || value.preserve) {
        if (absl::Status s = Observe(v, planned.of(v), reference.of(v)); !s.ok()) return s;
      }
      const std::optional<OpId> commit = graph_.commit_to(v);
      if (value.role != Role::kVariable && !commit.has_value()) continue;
      const ValueId content = commit.has_value() ? graph_.reads(graph_.op(*commit))[0].value : v;
      const Place storage = {planned.of_caller[i], {0, bytes, {}}};
      if (absl::Status s = Observe(content, storage, {reference.of_caller[i], {0, bytes, {}}}); !s.ok()) return s;
    }
    return observed_.Upload(device_, pool_.Stream(0));
  }

  absl::Status RunPlanned(bool stress, int run) {
    RunOptions run_options;
    if (stress) run_options.delay_seed = MixTwo(options_.seed, static_cast<uint64_t>(run));
    contents_.Fill(device_, planned_->stream());
    if (absl::Status s = device_.Synchronize(); !s.ok()) return s;
    if (absl::Status s = TimedRun(*planned_, run_options, stress ? stress_times_ : planned_times_); !s.ok()) return s;
    std::vector<uint64_t> found;
    if (absl::Status s = Download(planned_->slots(), planned_->program().slots.size(), found); !s.ok()) return s;
    if (const std::optional<size_t> slot = FirstWrongSlot(found)) return ReportRead(*slot, run_options, run);
    return CheckTheRest(run);
  }

  static bool Hashed(const SlotUse& use) { return use.kind != SlotUse::Kind::kNone; }

  // The first in the order of execution; so what it read was written by ops that read what they should.
  std::optional<size_t> FirstWrongSlot(const std::vector<uint64_t>& found) {
    const Program &planned = planned_->program(), &reference = reference_->program();
    std::vector<int32_t> position(planned.units.units.size());
    for (size_t i = 0; i < position.size(); ++i) {
      position[static_cast<size_t>(planned.units.enqueue_order[i])] = static_cast<int32_t>(i);
    }
    std::optional<size_t> first;
    const auto when = [&](size_t slot) {
      const OpId op = planned.slots[slot].op;
      return std::pair(position[static_cast<size_t>(planned.units.unit_of[op.index()])], op.value);
    };
    for (size_t s = 0; s < found.size(); ++s) {
      if (!Hashed(planned.slots[s]) || !Hashed(reference.slots[s])) continue;
      ++out_.reads_compared;
      if (found[s] != expected_[s] && (!first.has_value() || when(s) < when(*first))) first = s;
    }
    return first;
  }

  absl::Status CheckTheRest(int run) {
    const size_t num_checks = contents_.checks().size(), num_observables = observables_.size();
    const size_t num_constants = reference_contents_.checks().size();
    absl::StatusOr<DeviceBuffer> buffer =
        DeviceBuffer::Allocate(device_, static_cast<int64_t>(8 * (num_checks + num_observables + num_constants)));
    if (!buffer.ok()) return buffer.status();
    uint64_t* const words = reinterpret_cast<uint64_t*>(buffer->data());
    const StreamHandle stream = pool_.Stream(0);
    device_.Fill(stream, buffer->data(), 0xff, buffer->bytes());
    for (size_t i = 0; i < num_observables; ++i) {
      const Observable& o = observables_[i];
      device_.Launch<CompareBoxes>(stream, observed_.items(o.list),
                                   {observed_.list(o.list), o.left, o.right, words + i});
    }
    contents_.Verify(device_, stream, words + num_observables);
    reference_contents_.Verify(device_, stream, words + num_observables + num_checks);
    std::vector<uint64_t> first, faults;
    if (absl::Status s = Download(words, num_observables + num_checks + num_constants, first); !s.ok()) return s;
    const size_t num_faults = static_cast<size_t>(planned_->program().num_faults);
    if (absl::Status s = Download(planned_->faults(), num_faults, faults); !s.ok()) return s;
    for (const Action& a : planned_->program().actions) {
      if (a.kind == ActionKind::kVerify && faults[static_cast<size_t>(a.slot)] != kNothing) {
        ReportScratch(a, faults[static_cast<size_t>(a.slot)], run);
        return absl::OkStatus();
      }
    }
    for (size_t i = 0; i < num_observables; ++i) {
      if (first[i] != kNothing) return ReportEnd(observables_[i], static_cast<int64_t>(first[i]), run);
    }
    for (size_t i = 0; i < num_checks; ++i) {
      if (first[num_observables + i] == kNothing) continue;
      ReportStray(contents_.checks()[i], *planned_, first[num_observables + i], run);
      return absl::OkStatus();
    }
    for (size_t i = 0; i < num_constants; ++i) {
      const Contents::Check& check = reference_contents_.checks()[i];
      if (check.kind != Contents::Check::Kind::kReadOnly || first[num_observables + num_checks + i] == kNothing)
        continue;
      ReportStray(check, *reference_, first[num_observables + num_checks + i], run);
      return absl::OkStatus();
    }
    return absl::OkStatus();
  }

  std::string PlannedPlace(int32_t memory, int64_t offset) const {
    return PlaceText(graph_, planned_->program().layout.memories[static_cast<size_t>(memory)], offset);
  }

  void ReportScratch(const Action& action, uint64_t offset, int run) {
    out_.difference = Difference{.kind = DifferenceKind::kScratch, .op = action.op, .run = run};
    out_.difference->text =
        absl::StrCat("scratch of op \"", graph_.name(action.op), "\" was written to while the op ran, at ",
                     PlannedPlace(action.a, static_cast<int64_t>(offset)));
  }

  void ReportStray(const Contents::Check& check, const Executor& executor, uint64_t index, int run) {
    const Memory& memory = executor.program().layout.memories[static_cast<size_t>(check.memory)];
    const int64_t offset = check.offset + static_cast<int64_t>(index);
    const bool read_only = check.kind == Contents::Check::Kind::kReadOnly;
    out_.difference = Difference{.kind = read_only ? DifferenceKind::kReadOnly : DifferenceKind::kStray, .run = run};
    if (read_only) {
      out_.difference->value = memory.owner;
      out_.difference->byte = offset;
    }
    out_.difference->text =
        absl::StrCat("at the end ", PlaceText(graph_, memory, offset), " has been written to, which ",
                     read_only                                     ? "is read-only"
                     : check.kind == Contents::Check::Kind::kGuard ? "is outside of every storage"
                                                                   : "nobody uses any more");
  }

  absl::Status ReportEnd(const Observable& o, int64_t byte_there, int run) {
    // CompareBoxes counts in the reference's memory, where the value lies in one run.
    const Place& reference = reference_->program().layout.of(o.value);
    const bool own = reference.exists() && reference_->memory(reference.memory) == o.right;
    const int64_t byte = byte_there - (own ? reference.shape.at : 0);
    out_.difference = Difference{.kind = DifferenceKind::kEnd, .value = o.value, .byte = byte, .run = run};
    const Place& planned = planned_->program().layout.of(o.value);
    const int64_t at = planned.memory == o.memory && planned.exists() ? ByteAt(planned.shape, byte) : byte;
    std::byte found[8] = {};
    const int64_t bytes = std::min<int64_t>(8, planned_->sizes().value_bytes[o.value.index()] - byte);
    if (absl::Status s = Peek(o.left + at, found, bytes); !s.ok()) return s;
    std::byte expected[8] = {};
    if (absl::Status s = Peek(o.right + byte_there, expected, bytes); !s.ok()) return s;
    absl::StatusOr<std::string> what = Tell(o.value, byte, o.memory, at, expected, found, bytes);
    if (!what.ok()) return what.status();
    out_.difference->text = absl::StrCat("at the end value \"", graph_.name(o.value), "\" byte ", byte, " (",
                                         PlannedPlace(o.memory, at), "): ", *what);
    return absl::OkStatus();
  }

  absl::Status Peek(const std::byte* from, std::byte* to, int64_t bytes) {
    device_.CopyOut(pool_.Stream(0), to, from, bytes);
    return device_.Synchronize();
  }

  static std::string Verb(const SlotUse& use) {
    return use.kind == SlotUse::Kind::kKeptAlive ? "keeps alive" : "reads";
  }

  absl::Status ReportRead(size_t slot, const RunOptions& run_options, int run) {
    const SlotUse& use = planned_->program().slots[slot];
    out_.difference = Difference{.kind = DifferenceKind::kRead, .op = use.op, .value = use.value, .run = run};
    const std::string who =
        absl::StrCat("op \"", graph_.name(use.op), "\" ", Verb(use), " value \"", graph_.name(use.value), "\"");
    out_.difference->text = absl::StrCat(who, ", and found other bytes than in the reference");
    Shape region = {0, planned_->sizes().value_bytes[use.value.index()], {}};
    const Op& op = graph_.op(use.op);
    if (use.kind == SlotUse::Kind::kRead) {
      region = planned_->sizes().ShapeOf(use.value, graph_.reads(op)[use.index].region);
    } else if (use.kind == SlotUse::Kind::kRewritten) {
      region = planned_->sizes().ShapeOf(use.value, graph_.writes(op)[use.index].region);
    }
    const int64_t bytes = region.bytes();
    if (bytes > kMaxSnapshotBytes) return absl::OkStatus();
    std::vector<std::byte> expected, found;
    if (absl::Status s = Snapshot(*reference_, {}, slot, bytes, expected); !s.ok()) return s;
    for (int i = 0; i < kRetries; ++i) {
      contents_.Fill(device_, planned_->stream());
      if (absl::Status s = Snapshot(*planned_, run_options, slot, bytes, found); !s.ok()) return s;
      const auto at = std::mismatch(expected.begin(), expected.end(), found.begin());
      if (at.first == expected.end()) continue;
      const int64_t index = at.first - expected.begin();
      const int64_t byte = ByteAt(region, index);
      out_.difference->byte = byte;
      const Place& place = planned_->program().layout.of(use.value);
      const int64_t offset = place.exists() ? ByteAt(place.shape, byte) : 0;
      const int64_t same_run = std::min({int64_t{8}, bytes - index, region.run_bytes - index % region.run_bytes});
      absl::StatusOr<std::string> what = Tell(use.value, byte, place.memory, offset, &*at.first, &*at.second, same_run);
      if (!what.ok()) return what.status();
      const std::string where = place.exists() ? absl::StrCat(" (", PlannedPlace(place.memory, offset), ")") : "";
      out_.difference->text = absl::StrCat(who, " byte ", byte, where, ": ", *what);
      break;
    }
    return absl::OkStatus();
  }

  // Runs again and keeps what is read under the slot.
  absl::Status Snapshot(Executor& executor, RunOptions run, size_t slot, int64_t bytes, std::vector<std::byte>& to) {
    absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::Allocate(device_, bytes);
    if (!buffer.ok()) return buffer.status();
    device_.Fill(executor.stream(), buffer->data(), 0, bytes);
    if (&executor == reference_.get()) reference_contents_.Fill(device_, executor.stream());
    run.snapshot_slot = static_cast<int32_t>(slot);
    run.snapshot = buffer->data();
    if (absl::Status s = executor.Run(run); !s.ok()) return s;
    to.assign(static_cast<size_t>(bytes), std::byte{0});
    return Peek(buffer->data(), to.data(), bytes);
  }

  std::string OriginText(ValueId value, int64_t byte) const {
    const Origin origin = OriginOf(graph_, reference_->sizes(), value, byte);
    const std::optional<OpId> producer = graph_.producer(origin.value);
    return absl::StrCat("of value \"", graph_.name(origin.value), "\" byte ", origin.byte,
                        producer.has_value() ? absl::StrCat(", written by op \"", graph_.name(*producer), "\"")
                                             : std::string(", there at the start"));
  }

  // Whose bytes those are that were found at a place: garbage, or what some value that the plan has there holds.
  absl::StatusOr<std::string> FoundText(int32_t memory, int64_t offset, const std::byte* found, int64_t bytes) {
    bool garbage = true;
    for (int64_t i = 0; i < bytes; ++i) garbage = garbage && found[i] == MixedByte(kGarbageSeed, offset + i);
    if (garbage) return std::string("garbage, as nothing is there yet, or nobody needs it any more");
    int64_t longest = 0;
    std::string text = "of unknown origin";
    const Layout& planned = planned_->program().layout;
    for (size_t i = 0; i < graph_.values().size() && memory >= 0; ++i) {
      const ValueId v(static_cast<int32_t>(i));
      const int64_t size = reference_->sizes().value_bytes[i];
      const bool owner = planned.of_caller[i] == memory;
      const Place& place = planned.of(v);
      if (!owner && (place.memory != memory || place.strided())) continue;
      const int64_t byte = owner ? offset : offset - place.shape.at;
      if (byte < 0 || byte >= size) continue;
      std::byte there[8] = {};
      const int64_t most = std::min(bytes, size - byte);
      if (owner) {
        const uint64_t seed = SeedOfValue(graph_, v, options_.seed);
        for (int64_t b = 0; b < most; ++b) there[b] = MixedByte(seed, byte + b);
      } else {
        const Place& own = reference_->program().layout.of(v);
        if (!own.exists()) continue;
        if (absl::Status s = Peek(reference_->memory(own.memory) + own.shape.at + byte, there, most); !s.ok()) return s;
      }
      const int64_t same = std::mismatch(there, there + most, found).first - there;
      if (same <= longest) continue;
      longest = same;
      text = OriginText(v, byte);
    }
    return text;
  }

  absl::StatusOr<std::string> Tell(ValueId value, int64_t byte, int32_t memory, int64_t offset,
                                   const std::byte* expected, const std::byte* found, int64_t bytes) {
    absl::StatusOr<std::string> whose = FoundText(memory, offset, found, bytes);
    if (!whose.ok()) return whose.status();
    return absl::StrCat("expected ", Hex(expected[0]), ", ", OriginText(value, byte), "; found ", Hex(found[0]), ", ",
                        *whose);
  }

  Device& device_;
  DevicePool pool_;
  const Graph& graph_;
  const Plan& plan_;
  const CompareOptions& options_;
  Comparison out_;
  std::unique_ptr<Executor> reference_, planned_;
  Contents reference_contents_, contents_;
  std::vector<uint64_t> expected_;  // by slot
  BoxUploads observed_;
  std::vector<Observable> observables_;
  std::vector<absl::Duration> planned_times_, reference_times_, stress_times_;
};

}  // namespace

absl::StatusOr<Comparison> CompareWithReference(Device& device, const Graph& graph, const Plan& plan,
                                                const CompareOptions& options) {
  return Comparer(device, graph, plan, options).Run();
}

}  // namespace bufplan::runtime
