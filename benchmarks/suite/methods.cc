#include "benchmarks/suite/methods.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "benchmarks/baselines/baselines.h"
#include "ir/checker.h"
#include "planner/make_plan.h"
#include "planner/options.h"
#include "planner/placement/lower_bound.h"
#include "planner/placement/placement.h"
#include "planner/plan_problem.h"

namespace bufplan {
namespace {

struct EffortName {
  absl::string_view name;
  Effort effort;
  PlacementEffort placement;
};
constexpr EffortName kEfforts[] = {{"fast", Effort::kFast, PlacementEffort::kFast},
                                   {"default", Effort::kDefault, PlacementEffort::kDefault},
                                   {"max", Effort::kMax, PlacementEffort::kMax}};

PlacementProblem ToPlacement(const BenchCase& c) {
  PlacementProblem placement;
  placement.max_chunk_bytes = c.max_chunk_bytes;
  for (const Buffer& b : c.problem.buffers) {
    StorageSpec& storage = placement.storages.emplace_back();
    storage.size_bytes = b.bytes;
    storage.alignment_bytes = c.problem.alignment(b);
    storage.first_piece = static_cast<uint32_t>(placement.pieces.size());
    if (!TakesPart(b)) continue;
    storage.num_pieces = 1;
    placement.pieces.push_back({b.begin, b.end, 0, b.bytes});
  }
  return placement;
}

absl::StatusOr<MethodResult> PlaceInChunks(const BenchCase& c, PlacementEffort effort) {
  for (const Buffer& b : c.problem.buffers) {
    if (b.bytes > *c.max_chunk_bytes) return absl::UnimplementedError("a buffer is larger than a chunk");
  }
  absl::StatusOr<Placement> placement = Place(ToPlacement(c), {.effort = effort});
  if (!placement.ok()) return placement.status();
  return MethodResult{std::move(placement->offset_bytes), std::move(placement->chunk),
                      std::move(placement->chunk_bytes),  placement->total_bytes,
                      placement->lower_bound_bytes,       placement->optimal};
}

absl::StatusOr<MethodResult> PlaceBuffers(const BenchCase& c, PlacementEffort effort) {
  if (c.max_chunk_bytes.has_value()) return PlaceInChunks(c, effort);
  absl::StatusOr<ProblemPlan> plan = PlanProblem(c.problem, {.placement = {.effort = effort}, .check = false});
  if (!plan.ok()) return plan.status();
  return MethodResult{std::move(plan->offsets), {}, {plan->bytes}, plan->bytes, plan->lower_bound, plan->optimal};
}

absl::StatusOr<MethodResult> PlanGraph(const BenchCase& c, Effort effort) {
  const absl::StatusOr<Plan> plan = MakePlan(*c.graph, {.effort = effort, .check = false});
  if (!plan.ok()) return plan.status();
  const Arena& arena = plan->arenas[0];
  return MethodResult{{}, {}, arena.chunks, arena.bytes, arena.lower_bound, arena.optimal};
}

}  // namespace

std::vector<Method> MethodsFor(const BenchCase& bench_case, bool with_max) {
  std::vector<Method> methods;
  const absl::Span<const EffortName> efforts(kEfforts, with_max ? 3 : 2);
  for (const EffortName& e : efforts) {
    methods.push_back({std::string(e.name), [e](const BenchCase& c) { return PlaceBuffers(c, e.placement); }});
  }
  if (bench_case.graph != nullptr) {
    for (const EffortName& e : efforts) {
      methods.push_back({absl::StrCat("graph ", e.name), [e](const BenchCase& c) { return PlanGraph(c, e.effort); }});
    }
  }
  for (const Baseline& b : Baselines()) {
    if (bench_case.max_chunk_bytes.has_value() && !b.knows_chunks) continue;
    methods.push_back({std::string(b.name), [b](const BenchCase& c) -> absl::StatusOr<MethodResult> {
                         absl::StatusOr<BaselinePlan> plan = b.place(c.problem, {.max_chunk_bytes = c.max_chunk_bytes});
                         if (!plan.ok()) return plan.status();
                         return MethodResult{std::move(plan->offset_bytes), std::move(plan->chunk),
                                             std::move(plan->chunk_bytes), plan->total_bytes};
                       }});
  }
  return methods;
}

bool IsOurs(absl::string_view method) {
  absl::ConsumePrefix(&method, "graph ");
  return std::any_of(std::begin(kEfforts), std::end(kEfforts), [&](const EffortName& e) { return e.name == method; });
}

absl::Status CheckResult(const BenchCase& bench_case, const MethodResult& result) {
  const auto fail = [](absl::string_view what) {
    return absl::InternalError(absl::StrCat("invalid placement: ", what));
  };
  const std::vector<Buffer>& buffers = bench_case.problem.buffers;
  if (result.offset_bytes.empty() && !buffers.empty()) return absl::OkStatus();  // a graph's
  if (result.offset_bytes.size() != buffers.size()) return fail("not one offset a buffer");
  if (!result.chunk.empty() && result.chunk.size() != buffers.size()) return fail("not one chunk a buffer");
  int64_t alignment = bench_case.problem.alignment_bytes;
  for (const Buffer& b : buffers) alignment = std::max(alignment, bench_case.problem.alignment(b));
  const int64_t limit = bench_case.max_chunk_bytes.value_or(INT64_MAX);
  int64_t total = 0;
  for (size_t chunk = 0; chunk < result.chunk_bytes.size(); ++chunk) {
    Problem inside;
    inside.alignment_bytes = bench_case.problem.alignment_bytes;
    ProblemPlan plan;
    int64_t largest = 0;
    for (size_t i = 0; i < buffers.size(); ++i) {
      const size_t of = result.chunk.empty() ? 0 : static_cast<size_t>(result.chunk[i]);
      if (of >= result.chunk_bytes.size()) return fail("there is no such chunk");
      if (of != chunk) continue;
      inside.buffers.push_back(buffers[i]);
      plan.offsets.push_back(result.offset_bytes[i]);
      plan.bytes = std::max(plan.bytes, result.offset_bytes[i] + buffers[i].bytes);
      largest = std::max(largest, buffers[i].bytes);
    }
    // A method may count what it pads.
    largest = AlignUp(largest, alignment);
    if (result.chunk_bytes[chunk] < plan.bytes) return fail("a buffer lies outside of its chunk");
    if (plan.bytes > std::max(limit, largest)) return fail("a chunk is larger than the limit");
    const absl::StatusOr<CheckReport> report = CheckProblemPlan(inside, plan);
    if (!report.ok()) return fail(report.status().message());
    if (!report->ok()) return fail(report->violations[0].message);
    total += result.chunk_bytes[chunk];
  }
  if (total != result.total_bytes) return fail("the chunks do not add up");
  return absl::OkStatus();
}

int64_t LowerBoundOf(const BenchCase& bench_case) { return ComputeLowerBound(ToPlacement(bench_case)).bytes; }

}  // namespace bufplan
