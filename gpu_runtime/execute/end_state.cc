#include "gpu_runtime/execute/end_state.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "gpu_runtime/kernels/all_kernels.h"

namespace bufplan::runtime {

absl::Status EndState::Add(const Executor& planned, const Executor& reference, const Item& item) {
  const Shape whole = {0, planned.sizes().value_bytes[item.value.index()], {}};
  const absl::StatusOr<Boxes> bytes = Clip(whole, planned.defined().of(item.value));
  if (!bytes.ok()) return bytes.status();
  const absl::StatusOr<Boxes> here = Through(*bytes, item.planned.shape);
  if (!here.ok()) return here.status();
  const absl::StatusOr<Boxes> there = Through(*bytes, item.reference.shape);
  if (!there.ok()) return there.status();
  const absl::StatusOr<Boxes> pairs = runtime::Pair(*here, *there);
  if (!pairs.ok()) return pairs.status();
  items_.push_back(item);
  pairs_.push_back(
      {uploads_.Add(*pairs), planned.memory(item.planned.memory), reference.memory(item.reference.memory)});
  return absl::OkStatus();
}

absl::StatusOr<EndState> EndState::Make(const Graph& graph, const Executor& planned, const Executor& reference,
                                        Device& device) {
  EndState state;
  const Layout &here = planned.program().layout, &there = reference.program().layout;
  std::vector<bool> output(graph.values().size(), false);
  for (ValueId v : graph.outputs()) output[v.index()] = true;
  for (size_t i = 0; i < graph.values().size(); ++i) {
    const ValueId v(static_cast<int32_t>(i));
    const Value& value = graph.value(v);
    const int64_t bytes = planned.sizes().value_bytes[i];
    if (bytes == 0) continue;
    if (output[i] || value.preserve) {
      if (!here.of(v).exists()) {
        return absl::FailedPreconditionError(
            absl::StrCat("value \"", graph.name(v), "\" must be there at the end and has no place"));
      }
      if (absl::Status s = state.Add(planned, reference, {v, here.of(v), there.of(v)}); !s.ok()) return s;
    }
    const std::optional<OpId> commit = graph.commit_to(v);
    if (value.role != Role::kVariable && !commit.has_value()) continue;
    const ValueId content = commit.has_value() ? graph.reads(graph.op(*commit))[0].value : v;
    const Shape storage = {0, bytes, {}};
    const Item item = {content, {here.of_caller[i], storage}, {there.of_caller[i], storage}};
    if (absl::Status s = state.Add(planned, reference, item); !s.ok()) return s;
  }
  if (absl::Status s = state.uploads_.Upload(device, planned.stream()); !s.ok()) return s;
  return state;
}

void EndState::Compare(Device& device, StreamHandle stream, uint64_t* first) const {
  for (size_t i = 0; i < pairs_.size(); ++i) {
    const Pair& p = pairs_[i];
    device.Launch<CompareBoxes>(stream, uploads_.items(p.list),
                                {uploads_.list(p.list), p.planned, p.reference, first + i});
  }
}

}  // namespace bufplan::runtime
