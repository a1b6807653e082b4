#include "tests/ir/hand_plan.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace bufplan {

HandPlan::HandPlan(const Graph& graph) : graph_(graph) {
  for (size_t i = 0; i < graph.values().size(); ++i) {
    const Role role = graph.values()[i].role;
    const bool owned = role == Role::kConstant || role == Role::kExternal || role == Role::kVariable;
    plan_.locations.push_back(owned ? Location::InCaller(ValueId(static_cast<int32_t>(i)), 0) : Location());
  }
  for (size_t i = 0; i < graph.fusions().size(); ++i) {
    plan_.fused.push_back({FusionId(static_cast<int32_t>(i)), false, 0, ""});
  }
}

HandPlan& HandPlan::At(ValueId v, Expr offset, int32_t chunk) {
  plan_.locations[v.index()] = Location::InArena(graph_.value(v).space, chunk, std::move(offset));
  return *this;
}

HandPlan& HandPlan::AtSpace(ValueId v, SpaceId space, Expr offset) {
  plan_.locations[v.index()] = Location::InArena(space, 0, std::move(offset));
  return *this;
}

HandPlan& HandPlan::In(ValueId v, ValueId owner, Expr offset) {
  plan_.locations[v.index()] = Location::InCaller(owner, std::move(offset));
  return *this;
}

HandPlan& HandPlan::Strided(ValueId v, Expr run_bytes, std::vector<Dim> dims) {
  plan_.locations[v.index()].strides = std::make_shared<const Strides>(Strides{std::move(run_bytes), std::move(dims)});
  return *this;
}

HandPlan& HandPlan::Scratch(OpId o, int64_t offset) {
  plan_.scratch.push_back({o, Location::InArena(graph_.op(o).scratch_space, 0, offset)});
  return *this;
}

HandPlan& HandPlan::Fuse(int32_t fusion) {
  plan_.fused[static_cast<size_t>(fusion)].fused = true;
  return *this;
}

HandPlan& HandPlan::Edge(OpId before, OpId after) {
  plan_.added_order.push_back({before, after, "test"});
  return *this;
}

HandPlan& HandPlan::Copies(int64_t elided, int64_t kept, int64_t bytes) {
  plan_.stats.copies_elided = elided;
  plan_.stats.copies_kept = kept;
  plan_.stats.bytes_copied = bytes;
  return *this;
}

HandPlan& HandPlan::Noted(OpId o, Action action) {
  Note note;
  note.op = o;
  note.action = action;
  plan_.notes.push_back(note);
  return *this;
}

Plan HandPlan::Done() const {
  Plan plan = plan_;
  std::vector<int64_t> largest;
  for (const Symbol& s : graph_.symbols()) largest.push_back(s.max);
  for (size_t s = 0; s < graph_.spaces().size(); ++s) {
    Arena arena;
    arena.space = SpaceId(static_cast<int32_t>(s));
    arena.chunks = {0};
    plan.arenas.push_back(arena);
  }
  const auto extend = [&](const Location& l, int64_t bytes) {
    if (l.kind != Location::Kind::kArena) return;
    std::vector<int64_t>& chunks = plan.arenas[l.space().index()].chunks;
    const size_t chunk = static_cast<size_t>(l.chunk);
    if (chunks.size() <= chunk) chunks.resize(chunk + 1, 0);
    Expr end = l.offset_bytes + bytes;
    if (l.strides != nullptr) {
      end = l.offset_bytes + l.strides->run_bytes;
      for (const Dim& d : l.strides->dims) end += (d.count - 1) * d.stride_bytes;
    }
    chunks[chunk] = std::max(chunks[chunk], end.Evaluate(largest).value_or(0));
  };
  for (size_t i = 0; i < plan.locations.size(); ++i) extend(plan.locations[i], graph_.values()[i].max_bytes);
  for (const ScratchPlace& p : plan.scratch) extend(p.location, graph_.op(p.op).max_scratch_bytes);
  for (Arena& arena : plan.arenas) {
    for (int64_t bytes : arena.chunks) arena.bytes += bytes;
  }
  return plan;
}

namespace {

template <typename T>
T OrDie(const std::optional<T>& found, absl::string_view name) {
  if (found.has_value()) return *found;
  std::cerr << "the test's graph has no \"" << name << "\"\n";
  std::abort();
}

}  // namespace

ValueId ValueNamed(const Graph& graph, absl::string_view name) { return OrDie(graph.FindValue(name), name); }
OpId OpNamed(const Graph& graph, absl::string_view name) { return OrDie(graph.FindOp(name), name); }

std::string CheckText(const Graph& graph, const Plan& plan, const CheckOptions& options) {
  const absl::StatusOr<CheckReport> report = CheckPlan(graph, plan, options);
  if (!report.ok()) return report.status().ToString();
  if (report->ok()) return "ok";
  std::string text;
  for (const Violation& v : report->violations) absl::StrAppend(&text, ToString(v.kind), ": ", v.message, "\n");
  return text;
}

std::string CheckKinds(const Graph& graph, const Plan& plan, const CheckOptions& options) {
  const absl::StatusOr<CheckReport> report = CheckPlan(graph, plan, options);
  if (!report.ok()) return report.status().ToString();
  std::set<ViolationKind> kinds;
  for (const Violation& v : report->violations) kinds.insert(v.kind);
  std::string text;
  for (ViolationKind kind : kinds) absl::StrAppend(&text, text.empty() ? "" : " ", ToString(kind));
  return text;
}

}  // namespace bufplan
