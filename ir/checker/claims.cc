#include "ir/checker/claims.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/structure.h"

namespace bufplan::checker {
namespace {

void CheckArena(const Graph& graph, const Arena& arena, Reporter& reporter) {
  const Space& space = graph.space(arena.space);
  const std::string who = absl::StrCat("arena of space \"", graph.name(arena.space), "\"");
  int64_t sum = 0;
  bool sums = !arena.chunks.empty();
  for (size_t c = 0; c < arena.chunks.size(); ++c) {
    const int64_t bytes = arena.chunks[c];
    sums = sums && bytes >= 0 && !__builtin_add_overflow(sum, bytes, &sum);
    if (space.max_allocation_bytes.has_value() && bytes > *space.max_allocation_bytes) {
      reporter.Add(ViolationKind::kChunk, absl::StrCat(who, ": chunk ", c, " has ", bytes,
                                                       " bytes, above max_allocation=", *space.max_allocation_bytes));
    }
  }
  if (!sums || sum != arena.bytes) {
    reporter.Add(ViolationKind::kStats,
                 absl::StrCat(who, ": bytes=", arena.bytes, ", must be the sum of its ", arena.chunks.size(),
                              " chunks (at least one, none negative)", sums ? absl::StrCat(", ", sum) : ""));
  }
  if (space.capacity_bytes.has_value() && std::max(arena.bytes, sum) > *space.capacity_bytes) {
    reporter.Add(ViolationKind::kCapacity,
                 absl::StrCat(who, ": ", std::max(arena.bytes, sum), " bytes, above capacity=", *space.capacity_bytes));
  }
  if (arena.lower_bound > arena.bytes || arena.lower_bound < 0) {
    reporter.Add(ViolationKind::kStats,
                 absl::StrCat(who, ": lower_bound=", arena.lower_bound, " must be in 0..bytes=", arena.bytes));
  } else if (arena.optimal && arena.lower_bound != arena.bytes && arena.bound != BoundKind::kSearch) {
    reporter.Add(ViolationKind::kStats, absl::StrCat(who, ": said to be optimal, but bytes=", arena.bytes,
                                                     " are above lower_bound=", arena.lower_bound));
  }
}

void CheckCount(absl::string_view name, int64_t said, int64_t is, Reporter& reporter) {
  if (said == is) return;
  reporter.Add(ViolationKind::kStats, absl::StrCat("stats: ", name, "=", said, ", but by the locations it is ", is));
}

// By memory: where the last thing in it ends; if `made_for` is not null, at the sizes that the plan was made for.
std::vector<int64_t> Ends(const Plan& plan, const Memories& memories, const Layout& layout, const Structure* made_for) {
  std::vector<int64_t> end(memories.size(), 0);
  const auto add = [&](const Place& p, int64_t planned_bytes) {
    if (!p.placed()) return;
    int64_t& last = end[static_cast<size_t>(p.memory)];
    int64_t sum = 0;
    const bool wraps = __builtin_add_overflow(p.offset, std::max(layout.extent(p), planned_bytes), &sum);
    last = std::max(last, wraps ? INT64_MAX : sum);
  };
  for (size_t i = 0; i < layout.values.size(); ++i) {
    add(layout.values[i], made_for == nullptr ? 0 : made_for->max_bytes(ValueId(static_cast<int32_t>(i))));
  }
  for (size_t i = 0; i < layout.scratch.size(); ++i) {
    add(layout.scratch[i], made_for == nullptr ? 0 : made_for->max_scratch_bytes(plan.scratch[i].op));
  }
  return end;
}

}  // namespace

void CheckArenas(const Graph& graph, const Plan& plan, Reporter& reporter) {
  for (const Arena& arena : plan.arenas) {
    CheckArena(graph, arena, reporter);
    if (plan.optimal && !arena.optimal) {
      reporter.Add(ViolationKind::kStats, absl::StrCat("plan is said to be optimal, but its arena of space \"",
                                                       graph.name(arena.space), "\" is not"));
    }
  }
}

void CheckChunkSizes(const Graph& graph, const Plan& plan, const Memories& memories, const Layout& layout,
                     Reporter& reporter) {
  if (!graph.symbols().empty()) return;
  std::vector<int64_t> end = Ends(plan, memories, layout, nullptr);
  bool asked = false;
  for (size_t m = 0; m < memories.size(); ++m) {
    const int32_t memory = static_cast<int32_t>(m);
    if (memories.owner(memory).has_value()) break;  // the chunks come first
    const Arena& arena = plan.arenas[memories.space(memory).index()];
    const int64_t bytes = arena.chunks[static_cast<size_t>(memories.chunk(memory))];
    if (bytes <= end[m]) continue;  // less is reported by whom it is too small for
    if (!std::exchange(asked, true) && plan.Fits(graph)) {
      end = Ends(plan, memories, layout, &plan.structure);
      if (bytes <= end[m]) continue;
    }
    reporter.Add(ViolationKind::kStats,
                 absl::StrCat("arena of space \"", graph.name(arena.space), "\": chunk ", memories.chunk(memory),
                              " has ", bytes, " bytes, but the last value in it ends at ", end[m]));
  }
}

void CheckMovements(const Graph& graph, const Plan& plan, const Schedule& schedule, const Movements& movements,
                    Reporter& reporter) {
  const bool exact = graph.symbols().empty();
  for (const Note& note : plan.notes) {
    const OpKind kind = graph.op(note.op).kind;
    const bool elided = note.action == Action::kElided;
    if (!IsMovement(kind)) {
      if (elided && kind != OpKind::kView && reporter.IsNew(ViolationKind::kStats, note.op.value)) {
        reporter.Add(ViolationKind::kStats, absl::StrCat(reporter.Text(note.op), " is said to be elided, but is a ",
                                                         ToString(kind), ", which always runs"));
      }
      continue;
    }
    if (schedule.fusion(schedule.node_of(note.op)).has_value()) continue;
    const bool executes = movements.executes[note.op.index()];
    if (elided != executes || (!exact && !executes)) continue;
    if (!reporter.IsNew(ViolationKind::kStats, note.op.value)) continue;
    reporter.Add(ViolationKind::kStats,
                 absl::StrCat(reporter.Text(note.op), " is said to be ", elided ? "elided" : "run", ", but by the ",
                              "locations ", executes ? "it moves bytes" : "none of its bytes moves"));
  }
  if (!exact || schedule.any_fused()) return;
  CheckCount("copies_elided", plan.stats.copies_elided, movements.elided, reporter);
  CheckCount("copies_kept", plan.stats.copies_kept, movements.kept, reporter);
  CheckCount("bytes_copied", plan.stats.bytes_copied, movements.bytes, reporter);
}

}  // namespace bufplan::checker
