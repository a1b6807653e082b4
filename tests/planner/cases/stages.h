// Test support: a graph and what the planner's stages make of it, one after the other.
#ifndef BUFPLAN_TESTS_PLANNER_CASES_STAGES_H_
#define BUFPLAN_TESTS_PLANNER_CASES_STAGES_H_

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ir/graph.h"
#include "ir/graph_builder.h"
#include "planner/liveness/live_ranges.h"
#include "planner/liveness/uses.h"
#include "planner/order/schedule.h"
#include "planner/sharing/sharing.h"
#include "planner/sharing/storage.h"

namespace bufplan {

// Whatever is refused is a test failure; then ok() is false and nothing else may be asked.
class Stages {
 public:
  // Required fusions are fused.
  explicit Stages(GraphBuilder builder) {
    absl::StatusOr<Graph> graph = std::move(builder).Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    if (!graph.ok()) return;
    graph_ = std::make_unique<Graph>(*std::move(graph));
    std::vector<FusionId> fused;
    for (size_t i = 0; i < graph_->fusions().size(); ++i) {
      if (graph_->fusions()[i].required) fused.push_back(FusionId(static_cast<int32_t>(i)));
    }
    absl::StatusOr<Schedule> schedule = Schedule::Create(*graph_, fused);
    EXPECT_TRUE(schedule.ok()) << schedule.status();
    if (!schedule.ok()) return;
    schedule_.emplace(*std::move(schedule));
    absl::StatusOr<SharedStorages> shared = ShareStorages(*graph_, *schedule_);
    EXPECT_TRUE(shared.ok()) << shared.status();
    if (!shared.ok()) return;
    uses_.emplace(std::move(shared->uses));
    sharing_.emplace(std::move(shared->sharing));
    live_.emplace(ComputeLiveRanges(*graph_, *schedule_, *uses_, *sharing_));
  }

  bool ok() const { return live_.has_value(); }
  const Graph& graph() const { return *graph_; }
  const Schedule& schedule() const { return *schedule_; }
  const Uses& uses() const { return *uses_; }
  const Sharing& sharing() const { return *sharing_; }
  const LiveRanges& live() const { return *live_; }

  int32_t StorageOf(ValueId v) const { return sharing_->storage_of[v.index()]; }
  bool Together(ValueId a, ValueId b) const { return StorageOf(a) == StorageOf(b); }
  // The storage that v lives in.
  const Storage& StorageWith(ValueId v) const { return sharing_->storages[static_cast<size_t>(StorageOf(v))]; }
  std::vector<Piece> PiecesWith(ValueId v) const {
    const absl::Span<const Piece> pieces = live_->of(static_cast<size_t>(StorageOf(v)));
    return {pieces.begin(), pieces.end()};
  }
  // Why the wish of `result` to lie on `target` was refused.
  std::optional<Why> RefusalOf(ValueId result, ValueId target) const {
    for (const Note& note : sharing_->refusals) {
      if (note.result == result && note.value == target) return note.why;
    }
    return std::nullopt;
  }

 private:
  std::unique_ptr<Graph> graph_;
  std::optional<Schedule> schedule_;
  std::optional<Uses> uses_;
  std::optional<Sharing> sharing_;
  std::optional<LiveRanges> live_;
};

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_PLANNER_CASES_STAGES_H_
