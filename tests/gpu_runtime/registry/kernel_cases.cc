#include "tests/gpu_runtime/registry/kernel_cases.h"

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gpu_runtime/kernels/half.h"
#include "gpu_runtime/registry/find_kernel.h"
#include "gpu_runtime/registry/propose_fusions.h"
#include "ir/graph_builder.h"
#include "tests/ir/hand_plan.h"
#include "tests/oracle/random.h"

namespace bufplan::runtime {
namespace {

constexpr ElementType kF16 = ElementType::kF16, kBF16 = ElementType::kBF16;

using Integers = std::map<std::string, Expr, std::less<>>;

KernelSpec Spec(std::string kernel, Integers integers, std::map<std::string, ElementType, std::less<>> types = {}) {
  return {.kernel = std::move(kernel), .integers = std::move(integers), .types = std::move(types)};
}
MemberCase Binary(const char* kernel, int64_t rows, int64_t columns, int64_t b_rows, size_t link = 0) {
  return {Spec(kernel, {{"rows", rows}, {"columns", columns}, {"b_rows", b_rows}}), {{}, {}}, link};
}
MemberCase Rows(const char* kernel, int64_t rows, int64_t columns) {
  return {Spec(kernel, {{"rows", rows}, {"columns", columns}}), {{}}};
}
MemberCase ScaleRows(int64_t rows, int64_t columns) {
  return {Spec("scale_rows", {{"rows", rows}, {"columns", columns}}), {{}, {}}};
}
MemberCase RopeCase(int64_t rows, int64_t heads, int64_t head_dim, int64_t dims, int64_t neox) {
  return {Spec("rope", {{"rows", rows}, {"heads", heads}, {"head_dim", head_dim}, {"dims", dims}, {"neox", neox}}),
          {{}, {.ids = 1000}}};
}
MemberCase Convert(int64_t rows, int64_t columns, ElementType from, ElementType to, int64_t x_stride,
                   int64_t y_stride) {
  return {Spec("convert", {{"rows", rows}, {"columns", columns}, {"x_stride", x_stride}, {"y_stride", y_stride}},
               {{"x_type", from}, {"y_type", to}}),
          {{from}}};
}
MemberCase TopK(int64_t rows, int64_t columns, int64_t k) {
  return {Spec("top_k", {{"rows", rows}, {"columns", columns}, {"k", k}}), {{}}};
}
MemberCase SumGroups(int64_t groups, int64_t members, int64_t columns) {
  return {Spec("sum_groups", {{"groups", groups}, {"members", members}, {"columns", columns}}), {{}}};
}
MemberCase MatmulCase(int64_t rows, int64_t columns, int64_t inner, int64_t batches, ElementType type) {
  return {
      Spec("matmul", {{"rows", rows}, {"columns", columns}, {"inner", inner}, {"batches", batches}}, {{"type", type}}),
      {{type}, {type}}};
}
MemberCase Attention(int64_t rows, int64_t heads, int64_t kv_heads, int64_t head_dim, int64_t length,
                     ElementType type) {
  return {Spec("attention",
               {{"rows", rows}, {"heads", heads}, {"kv_heads", kv_heads}, {"head_dim", head_dim}, {"length", length}},
               {{"type", type}}),
          {{}, {type}, {type}}};
}

void Fill(Rng& rng, const Content& content, std::byte* data, int64_t bytes) {
  const int64_t size = content.ids > 0 ? 4 : SizeOf(content.type);
  for (int64_t i = 0; i < bytes / size; ++i) {
    if (content.ids > 0) {
      const int32_t id = static_cast<int32_t>(rng.Between(0, content.ids - 1));
      std::memcpy(data + 4 * i, &id, 4);
    } else {
      StoreElement(content.type, data, i, static_cast<float>(rng.Between(-(1 << 23), 1 << 23)) / (1 << 23));
    }
  }
}

void Author(const GroupCase& c, GraphBuilder& b, std::vector<std::optional<KernelSpec>>& specs) {
  b.AddSpace("device", {.alignment_bytes = 4});
  std::vector<ValueId> outputs;
  std::optional<ValueId> previous;
  for (size_t m = 0; m < c.members.size(); ++m) {
    const MemberCase& member = c.members[m];
    const KernelDefinition& d = *FindKernel(member.spec.kernel);
    const KernelSpec spec = Completed(d, member.spec);
    const std::vector<Extent> extents = d.extents(spec);
    ComputeSpec compute;
    for (size_t i = 0; i < member.reads.size(); ++i) {
      const bool linked = m > 0 && i == member.link;
      compute.reads.push_back(linked ? *previous
                                     : b.Input(absl::StrCat("m", m, ".", d.reads[i].name), extents[i].bytes));
    }
    for (size_t i = 0; i < d.writes.size(); ++i) {
      compute.writes.push_back(
          {.name = absl::StrCat("m", m, ".", d.writes[i].name), .bytes = extents[d.reads.size() + i].bytes});
    }
    if (c.members.size() == 1) {
      for (const InPlaceRule& r : InPlaceRulesOf(d, spec)) {
        compute.writes[r.write].in_place.emplace_back(compute.reads[r.read].value, r.mode);
      }
    }
    const Results results = b.Compute(absl::StrCat("m", m), std::move(compute));
    const bool last = m + 1 == c.members.size();
    for (size_t i = 0; i < results.size(); ++i) {
      if (last || i > 0 || (m == 0 && c.keep_first)) outputs.push_back(results[i]);
    }
    previous = results[0];
    specs.push_back(member.spec);
  }
  for (ValueId v : outputs) b.Output(v);
}

template <class T>
T OrAbort(absl::StatusOr<T> t) {
  if (t.ok()) return *std::move(t);
  std::cerr << t.status() << "\n";
  std::abort();
}

}  // namespace

std::vector<GroupCase> LoneCases() {
  const Integers image = {{"images", 2},        {"channels", 3},     {"height", 5}, {"width", 7},
                          {"kernel_height", 3}, {"kernel_width", 2}, {"stride", 2}, {"padding", 1}};
  MemberCase masked = Rows("softmax", 6, 33);
  masked.reads.push_back({});
  masked.spec.integers["mask_rows"] = 3;
  MemberCase causal = Rows("softmax", 3, 7);
  causal.spec.integers["causal"] = 1;
  return {
      {"add", {Binary("add", 33, 129, 33)}},
      {"add_row", {Binary("add", 3, 7, 1)}},
      {"mul", {Binary("mul", 3, 7, 0)}},
      {"mul_row", {Binary("mul", 33, 33, 3)}},
      {"silu", {Rows("silu", 3, 1030)}},
      {"scale_rows", {ScaleRows(7, 33)}},
      {"scale_single", {ScaleRows(33, 1)}},
      {"narrow", {Convert(3, 700, ElementType::kF32, kF16, 0, 0)}},
      {"widen", {Convert(3, 33, kBF16, ElementType::kF32, 0, 0)}},
      {"recode", {Convert(3, 34, kBF16, kF16, 0, 0)}},
      {"spread", {Convert(3, 34, kF16, kF16, 0, 72)}},
      {"rms_norm", {Rows("rms_norm", 7, 33)}},
      {"rope", {RopeCase(3, 3, 10, 6, 1)}},
      {"rope_pairs", {RopeCase(2, 5, 8, 0, 0)}},
      {"softmax", {Rows("softmax", 7, 129)}},
      {"softmax_mask", {masked}},
      {"softmax_causal", {causal}},
      {"normalize", {Rows("normalize", 3, 7)}},
      {"argsort", {Rows("argsort", 3, 33)}},
      {"top_k", {TopK(3, 7, 7)}},
      {"matmul", {MatmulCase(7, 33, 33, 1, ElementType::kF32)}},
      {"matmul_f16", {MatmulCase(3, 34, 7, 2, kF16)}},
      {"attention", {Attention(3, 6, 2, 8, 7, kF16)}},
      {"attention_one", {Attention(1, 4, 4, 16, 33, ElementType::kF32)}},
      {"expert_matmul",
       {{Spec("expert_matmul", {{"rows", 2}, {"used", 2}, {"experts", 3}, {"columns", 33}, {"inner", 34}},
              {{"type", kBF16}}),
         {{}, {kBF16}, {.ids = 3}}}}},
      {"sum_groups", {SumGroups(3, 2, 33)}},
      {"sum_one_group", {SumGroups(1, 4, 1030)}},
      {"sum_single_members", {SumGroups(7, 1, 33)}},
      {"get_rows",
       {{Spec("get_rows", {{"rows", 3}, {"columns", 34}, {"table_rows", 7}}, {{"type", kF16}}), {{kF16}, {.ids = 7}}}}},
      {"im2col", {{Spec("im2col", image), {{}}}}}};
}

std::vector<GroupCase> FusedCases() {
  return {{"rms_norm_mul", {Rows("rms_norm", 7, 33), Binary("mul", 7, 33, 1)}},
          {"rms_norm_mul", {Rows("rms_norm", 3, 7), Binary("mul", 3, 7, 3, 1)}},
          {"rms_norm_mul_rope", {Rows("rms_norm", 6, 10), Binary("mul", 6, 10, 1), RopeCase(3, 2, 10, 6, 1)}},
          {"rms_norm_mul_rope", {Rows("rms_norm", 3, 24), Binary("mul", 3, 24, 3), RopeCase(3, 3, 8, 8, 0)}},
          {"add_rms_norm", {Binary("add", 7, 33, 7), Rows("rms_norm", 7, 33)}, true},
          {"add_rms_norm", {Binary("add", 3, 129, 1), Rows("rms_norm", 3, 129)}},
          {"add_rms_norm_mul", {Binary("add", 3, 33, 0), Rows("rms_norm", 3, 33), Binary("mul", 3, 33, 1)}, true},
          {"add_rms_norm_mul", {Binary("add", 1, 7, 1), Rows("rms_norm", 1, 7), Binary("mul", 1, 7, 1, 1)}},
          {"silu_mul", {Rows("silu", 3, 1030), Binary("mul", 3, 1030, 0)}},
          {"silu_mul", {Rows("silu", 2, 33), Binary("mul", 6, 33, 2, 1)}},
          {"matmul_add", {MatmulCase(7, 33, 129, 1, ElementType::kF32), Binary("add", 7, 33, 0)}},
          {"matmul_add", {MatmulCase(3, 8, 34, 1, kF16), Binary("add", 3, 8, 3, 1)}},
          {"matmul_add", {MatmulCase(3, 7, 33, 2, ElementType::kF32), Binary("add", 6, 7, 1)}},
          {"add_chain", {Binary("add", 3, 700, 0), Binary("add", 3, 700, 1)}},
          {"add_chain",
           {Binary("add", 3, 7, 1), Binary("add", 3, 7, 3, 1), Binary("add", 3, 7, 1), Binary("add", 3, 7, 0)}},
          {"top_k_moe", {Rows("softmax", 7, 33), TopK(7, 33, 4), Rows("normalize", 7, 4)}},
          {"scale_sum", {ScaleRows(6, 33), SumGroups(3, 2, 33)}},
          {"scale_sum", {ScaleRows(4, 1030), SumGroups(1, 4, 1030)}},
          {"rope_convert", {RopeCase(3, 2, 10, 6, 1), Convert(3, 20, ElementType::kF32, kF16, 0, 48)}},
          {"rope_convert", {RopeCase(1, 4, 8, 8, 0), Convert(4, 8, ElementType::kF32, ElementType::kF32, 32, 0)}}};
}

CaseGraph GraphOf(const GroupCase& c) {
  std::vector<std::optional<KernelSpec>> specs;
  GraphBuilder plain(c.name);
  Author(c, plain, specs);
  Graph graph = OrAbort(std::move(plain).Build());
  if (c.members.size() == 1) return {std::move(graph), std::move(specs)};
  GraphBuilder fused(c.name);
  std::vector<std::optional<KernelSpec>> again;
  Author(c, fused, again);
  for (Fusion& f : OrAbort(ProposeFusions(graph, specs))) {
    if (f.ops.size() != c.members.size()) continue;
    f.required = true;
    fused.AddFusion(std::move(f));
  }
  return {OrAbort(std::move(fused).Build()), std::move(specs)};
}

void FillInputs(const GroupCase& c, GraphRun& run, uint64_t seed) {
  Rng rng(seed);
  for (size_t m = 0; m < c.members.size(); ++m) {
    const KernelDefinition& d = *FindKernel(c.members[m].spec.kernel);
    for (size_t i = 0; i < c.members[m].reads.size(); ++i) {
      if (m > 0 && i == c.members[m].link) continue;
      const ValueId v = ValueNamed(run.graph(), absl::StrCat("m", m, ".", d.reads[i].name));
      Fill(rng, c.members[m].reads[i], run.data(v), run.graph().value(v).max_bytes);
    }
  }
}

}  // namespace bufplan::runtime
