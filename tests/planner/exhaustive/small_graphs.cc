#include "tests/planner/exhaustive/small_graphs.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/graph_builder.h"

namespace bufplan {
namespace {

constexpr int kA = 0, kB = 1, kStarts = 2;

class Walk {
 public:
  Walk(const SmallGraphLimits& limits, const std::function<bool(const SmallGraph&)>& f) : limits_(limits), f_(f) {}

  void Run() {
    for (bool whole_b : {false, true}) {
      graph_.whole_b = whole_b;
      values_ = {{2, false, false}, {whole_b ? 2 : 1, false, false}};
      const int max_ops = whole_b ? limits_.ops_with_whole_b : limits_.ops;
      for (int n = 1; n <= max_ops && going_; ++n) Extend(n);
    }
  }

 private:
  struct Made {
    int halves = 0;
    bool used = false;
    bool reader = false;  // made by a reading op
  };

  bool IsWhole(int v) const { return values_[static_cast<size_t>(v)].halves == 2; }

  // Appends each op that is possible, `left` in all.
  void Extend(int left) {
    if (left == 0) return Finish();
    const int n = static_cast<int>(values_.size());
    for (int v = 0; v < n && going_; ++v) {
      const int halves = values_[static_cast<size_t>(v)].halves;
      Try(left, {SmallKind::kClone, Range::kWhole, v}, halves);
      Try(left, {SmallKind::kRewrite, Range::kWhole, v}, halves);
      Try(left, {SmallKind::kRead, Range::kWhole, v}, 1);
      Try(left, {SmallKind::kMap, Range::kWhole, v}, halves);
      for (Range half : {Range::kFirst, Range::kSecond}) {
        if (!IsWhole(v)) break;
        Try(left, {SmallKind::kSlice, half, v}, 1);
        Try(left, {SmallKind::kBase, half, v}, 2);
        Try(left, {SmallKind::kRead, half, v}, 1);
      }
      for (int u = 0; u < n; ++u) {
        if (IsWhole(v) && IsWhole(u) && u != v) Try(left, {SmallKind::kUpdate, Range::kWhole, v, u}, 2);
        for (Range half : {Range::kFirst, Range::kSecond}) {
          if (IsWhole(v) && !IsWhole(u)) Try(left, {SmallKind::kUpdate, half, v, u}, 2);
        }
        if (!IsWhole(v) && !IsWhole(u)) Try(left, {SmallKind::kConcat, Range::kWhole, v, u}, 2);
      }
    }
  }

  void Try(int left, const SmallOp& op, int halves) {
    if (!going_) return;
    const std::vector<Made> before = values_;
    values_[static_cast<size_t>(op.a)].used = true;
    if (op.b >= 0) values_[static_cast<size_t>(op.b)].used = true;
    values_.push_back({halves, false, op.kind == SmallKind::kRead});
    graph_.ops.push_back(op);
    Extend(left - 1);
    graph_.ops.pop_back();
    values_ = before;
  }

  // The ops are complete: chooses outputs, commit and the roles of the values at the start.
  void Finish() {
    const int n = static_cast<int>(values_.size());
    FinishOutputs(std::nullopt);
    if (static_cast<int>(graph_.ops.size()) > limits_.ops_with_commit) return;
    for (int v = kStarts; v < n; ++v) {
      if (IsWhole(v)) FinishOutputs(v);
    }
  }

  void FinishOutputs(std::optional<int> commit) {
    std::vector<int> unused, others;
    for (int v = kStarts; v < static_cast<int>(values_.size()); ++v) {
      const Made& made = values_[static_cast<size_t>(v)];
      if (made.reader) continue;
      (made.used || v == commit ? others : unused).push_back(v);
    }
    if (unused.size() > 1) return;
    graph_.commit = commit;
    graph_.outputs = unused;
    FinishRoles();
    if (static_cast<int>(graph_.ops.size()) > limits_.ops_with_second_output) return;
    for (int v : others) {
      graph_.outputs = unused;
      graph_.outputs.push_back(v);
      FinishRoles();
    }
  }

  void FinishRoles() {
    const std::vector<Role> of_a = graph_.commit.has_value() ? std::vector<Role>{Role::kVariable, Role::kExternal}
                                   : values_[kA].used        ? std::vector<Role>{Role::kInput, Role::kVariable}
                                                             : std::vector<Role>{Role::kInput};
    const std::vector<Role> of_b =
        values_[kB].used ? std::vector<Role>{Role::kConstant, Role::kInput} : std::vector<Role>{Role::kConstant};
    if (!values_[kB].used && graph_.whole_b) return;
    for (Role a : of_a) {
      for (Role b : of_b) {
        graph_.role_a = a;
        graph_.role_b = b;
        graph_.commit_after = graph_.ops.size();
        Emit();
        if (!graph_.commit.has_value()) continue;
        graph_.commit_after = static_cast<size_t>(*graph_.commit - kStarts + 1);
        if (graph_.commit_after < graph_.ops.size()) Emit();
      }
    }
  }

  void Emit() { going_ = going_ && f_(graph_); }

  const SmallGraphLimits& limits_;
  const std::function<bool(const SmallGraph&)>& f_;
  SmallGraph graph_;
  std::vector<Made> values_;
  bool going_ = true;
};

int64_t Begin(Range range) { return range == Range::kSecond ? kHalfBytes : 0; }
Region RegionOf(Range range, const Expr& bytes) {
  return range == Range::kWhole ? Region{0, bytes, {}} : Region{Begin(range), kHalfBytes, {}};
}

Result ResultOf(std::string name, Expr bytes) {
  Result r;
  r.name = std::move(name);
  r.bytes = std::move(bytes);
  return r;
}

ValueId AddOp(GraphBuilder& b, const SmallOp& op, const std::vector<ValueId>& values) {
  const std::string name = absl::StrCat("v", values.size()), op_name = absl::StrCat("make_", name);
  const ValueId a = values[static_cast<size_t>(op.a)];
  const auto second = [&] { return values[static_cast<size_t>(op.b)]; };
  ComputeSpec spec;
  switch (op.kind) {
    case SmallKind::kClone: return b.Clone(op_name, a, Target(name, {}));
    case SmallKind::kSlice: return b.Slice(op_name, a, Begin(op.range), kHalfBytes, Target(name, {}));
    case SmallKind::kUpdate: return b.Update(op_name, a, second(), Begin(op.range), Target(name, {}));
    case SmallKind::kConcat: return b.Concat(op_name, {a, second()}, Target(name, {}));
    case SmallKind::kBase:
    case SmallKind::kRewrite:
      spec.writes.push_back(ResultOf(name, b.bytes(a)));
      spec.writes[0].base = a;
      spec.writes[0].region = RegionOf(op.range, b.bytes(a));
      spec.writes[0].cover = op.kind == SmallKind::kRewrite ? Cover::kPart : Cover::kAll;
      break;
    case SmallKind::kRead:
      spec.reads.push_back(Operand(a, RegionOf(op.range, b.bytes(a))));
      spec.writes.push_back(ResultOf(name, kHalfBytes));
      break;
    case SmallKind::kMap:
      spec.reads.push_back(a);
      spec.writes.push_back(ResultOf(name, b.bytes(a)));
      spec.writes[0].in_place = {a};
      break;
  }
  return b.Compute(op_name, std::move(spec));
}

std::string NameOf(int v) { return v == kA ? "A" : v == kB ? "B" : absl::StrCat("v", v); }

std::string TextOf(const SmallOp& op) {
  static constexpr const char* kKinds[] = {"clone", "slice", "update", "concat", "base", "rewrite", "read", "map"};
  std::string text = absl::StrCat(kKinds[static_cast<size_t>(op.kind)], " ", NameOf(op.a));
  if (op.b >= 0) absl::StrAppend(&text, " ", NameOf(op.b));
  if (op.range != Range::kWhole) absl::StrAppend(&text, op.range == Range::kFirst ? " first" : " second");
  return text;
}

}  // namespace

bool SmallGraph::ReadsOldContent() const {
  return commit.has_value() && std::any_of(ops.begin() + static_cast<std::ptrdiff_t>(commit_after), ops.end(),
                                           [](const SmallOp& op) { return op.a == kA || op.b == kA; });
}

void ForEachSmallGraph(const SmallGraphLimits& limits, const std::function<bool(const SmallGraph&)>& f) {
  Walk(limits, f).Run();
}

absl::StatusOr<Graph> Build(const SmallGraph& graph) {
  GraphBuilder b("small");
  ValueOptions writable;
  writable.writable = graph.role_a == Role::kExternal;
  std::vector<ValueId> values = {b.AddValue("A", 2 * kHalfBytes, graph.role_a, writable),
                                 b.AddValue("B", (graph.whole_b ? 2 : 1) * kHalfBytes, graph.role_b)};
  for (size_t i = 0; i <= graph.ops.size(); ++i) {
    if (graph.commit.has_value() && graph.commit_after == i) {
      b.Commit("commit", values[static_cast<size_t>(*graph.commit)], values[kA]);
    }
    if (i < graph.ops.size()) values.push_back(AddOp(b, graph.ops[i], values));
  }
  for (int v : graph.outputs) b.Output(values[static_cast<size_t>(v)]);
  return std::move(b).Build();
}

std::string ToText(const SmallGraph& graph) {
  std::string text = absl::StrCat("A=", ToString(graph.role_a), " B=", ToString(graph.role_b), "/",
                                  (graph.whole_b ? 2 : 1) * kHalfBytes);
  for (size_t i = 0; i <= graph.ops.size(); ++i) {
    if (graph.commit.has_value() && graph.commit_after == i) absl::StrAppend(&text, "; commit ", NameOf(*graph.commit));
    if (i < graph.ops.size()) {
      absl::StrAppend(&text, "; ", NameOf(static_cast<int>(i) + kStarts), " = ", TextOf(graph.ops[i]));
    }
  }
  for (int v : graph.outputs) absl::StrAppend(&text, "; output ", NameOf(v));
  return text;
}

}  // namespace bufplan
