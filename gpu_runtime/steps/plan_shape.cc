#include "gpu_runtime/steps/plan_shape.h"

namespace bufplan::runtime {

absl::Status CheckPlanShape(const Graph& graph, const Plan& plan) {
  const auto known = [&](OpId o) { return o.index() < graph.ops().size(); };
  bool fits = plan.locations.size() == graph.values().size();
  for (const Arena& a : plan.arenas) fits = fits && a.space.index() < graph.spaces().size();
  for (const ScratchPlace& s : plan.scratch) fits = fits && known(s.op);
  for (const AddedEdge& e : plan.added_order) fits = fits && known(e.before) && known(e.after);
  for (const Note& n : plan.notes) fits = fits && known(n.op);
  for (const FusionDecision& f : plan.fused) fits = fits && f.fusion.index() < graph.fusions().size();
  return fits ? absl::OkStatus() : absl::InvalidArgumentError("the plan is not of the graph's shape");
}

}  // namespace bufplan::runtime
