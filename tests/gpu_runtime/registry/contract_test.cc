// The in-place rules are true of the code, and planner and checker keep to them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gpu_runtime/registry/bind_kernels.h"
#include "gpu_runtime/registry/find_fused_kernel.h"
#include "gpu_runtime/registry/find_kernel.h"
#include "gtest/gtest.h"
#include "planner/make_plan.h"
#include "tests/gpu_runtime/registry/emulated_device.h"
#include "tests/gpu_runtime/registry/graph_run.h"
#include "tests/gpu_runtime/registry/kernel_cases.h"
#include "tests/ir/hand_plan.h"

namespace bufplan::runtime {
namespace {

constexpr uint64_t kData = 61;

class Contract : public ::testing::TestWithParam<GroupCase> {
 protected:
  Contract() : c_(GraphOf(GetParam())), graph_(c_.graph) {
    absl::StatusOr<KernelTable> table = BindKernels(graph_, c_.specs);
    EXPECT_TRUE(table.ok()) << table.status();
    if (table.ok()) table_ = *std::move(table);
    for (size_t v = 0; v < graph_.values().size(); ++v) {
      const ValueId id(static_cast<int32_t>(v));
      if (graph_.value(id).role == Role::kInput) operands_.push_back(id);
    }
    results_.assign(graph_.outputs().begin(), graph_.outputs().end());
  }

  bool fused() const { return GetParam().members.size() > 1; }
  bool Allowed(ValueId result, ValueId operand) const {
    if (fused()) {
      const auto& rules = graph_.fusions()[0].in_place;
      return std::any_of(rules.begin(), rules.end(),
                         [&](const FusionInPlace& p) { return p.result == result && p.value == operand; });
    }
    for (const Write& w : graph_.writes(graph_.ops()[0])) {
      for (const InPlace& p : graph_.in_place(w)) {
        if (w.value == result && p.value == operand) return true;
      }
    }
    return false;
  }

  // The results, one after the other, with result on operand if both are given.
  std::vector<std::vector<std::byte>> Run(const EmulationOptions& teams, std::vector<std::pair<ValueId, ValueId>> on,
                                          bool as_one = true) {
    const std::unique_ptr<Device> device = MakeEmulatedDevice(teams);
    GraphRun run(graph_);
    for (const auto& [result, operand] : on) run.PutOn(result, operand);
    FillInputs(GetParam(), run, kData);
    if (fused() && as_one) {
      run.RunFusion(*device, table_, FusionId(0));
    } else {
      run.RunAll(*device, table_);
    }
    std::vector<std::vector<std::byte>> all;
    for (ValueId v : results_) all.push_back(run.bytes(v));
    return all;
  }

  CaseGraph c_;
  const Graph& graph_;
  KernelTable table_;
  std::vector<ValueId> operands_, results_;
};

std::vector<EmulationOptions> Teams() {
  std::vector<EmulationOptions> all = {{.team_size = 1, .teams = 1}};
  for (uint64_t seed = 1; seed <= 6; ++seed) all.push_back({.team_size = 7, .teams = 3, .seed = seed});
  return all;
}

TEST_P(Contract, WhatIsAllowedGivesTheSameBits) {
  for (const EmulationOptions& teams : Teams()) {
    const auto apart = Run(teams, {});
    for (ValueId result : results_) {
      for (ValueId operand : operands_) {
        if (!Allowed(result, operand)) continue;
        EXPECT_EQ(Run(teams, {{result, operand}}), apart)
            << graph_.name(result) << " on " << graph_.name(operand) << ", team of " << teams.team_size;
        // All results at once, each on another operand.
        for (ValueId second : results_) {
          for (ValueId other : operands_) {
            if (second == result || other == operand || !Allowed(second, other)) continue;
            EXPECT_EQ(Run(teams, {{result, operand}, {second, other}}), apart);
          }
        }
      }
    }
  }
}

bool Overlap(const Graph& graph, const Plan& plan, ValueId a, ValueId b) {
  const Location &x = plan.locations[a.index()], &y = plan.locations[b.index()];
  if (!x.SameMemoryAs(y)) return false;
  const int64_t x_begin = x.offset_bytes.constant(), y_begin = y.offset_bytes.constant();
  return x_begin < y_begin + graph.value(b).max_bytes && y_begin < x_begin + graph.value(a).max_bytes;
}

// Everything apart, but `result` at the place of `operand`.
Plan AliasPlan(const Graph& graph, bool fuse, ValueId result, ValueId operand) {
  HandPlan plan(graph);
  std::vector<int64_t> offsets;
  int64_t end = 0;
  for (const Value& v : graph.values()) {
    offsets.push_back(end);
    end += (v.max_bytes + 3) / 4 * 4 + 4096;
  }
  for (size_t i = 0; i < offsets.size(); ++i) {
    const ValueId v(static_cast<int32_t>(i));
    const bool there = graph.value(v).role == Role::kInput ||
                       std::find(graph.outputs().begin(), graph.outputs().end(), v) != graph.outputs().end() || !fuse;
    if (there) plan.At(v, v == result ? offsets[operand.index()] : offsets[i]);
  }
  if (fuse) plan.Fuse(0);
  return plan.Done();
}

TEST_P(Contract, PlannerAndCheckerKeepToIt) {
  for (Effort effort : {Effort::kFast, Effort::kDefault}) {
    const absl::StatusOr<Plan> plan = MakePlan(graph_, {.effort = effort});
    ASSERT_TRUE(plan.ok()) << plan.status();
    if (fused()) {
      ASSERT_TRUE(plan->fused[0].fused);
    }
    for (ValueId result : results_) {
      for (ValueId operand : operands_) {
        EXPECT_TRUE(Allowed(result, operand) || !Overlap(graph_, *plan, result, operand));
      }
    }
  }
  for (ValueId result : results_) {
    for (ValueId operand : operands_) {
      // One that is longer reaches past the operand, which is not allowed either.
      const bool fits = graph_.value(result).max_bytes <= graph_.value(operand).max_bytes;
      const std::string found = CheckText(graph_, AliasPlan(graph_, fused(), result, operand));
      if (Allowed(result, operand) && fits) {
        EXPECT_EQ(found, "ok") << graph_.name(result) << " on " << graph_.name(operand);
      } else {
        EXPECT_NE(found, "ok") << graph_.name(result) << " on " << graph_.name(operand);
      }
    }
  }
}

// In one way or another, the planner uses what it is allowed: no kernel's permission is without effect.
TEST_P(Contract, PlannerUsesIt) {
  const absl::StatusOr<Plan> plan = MakePlan(graph_);
  ASSERT_TRUE(plan.ok()) << plan.status();
  bool usable = false, used = false;
  for (ValueId result : results_) {
    for (ValueId operand : operands_) {
      if (!Allowed(result, operand) || graph_.value(result).max_bytes > graph_.value(operand).max_bytes) continue;
      usable = true;
      used = used || Overlap(graph_, *plan, result, operand);
    }
  }
  EXPECT_EQ(used, usable);
}

TEST_P(Contract, FusedIsTheSequence) {
  if (!fused()) return;
  const FusedDefinition* d = FindFusedKernel(GetParam().name);
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(graph_.fusions()[0].name.substr(0, d->name.size() + 1), absl::StrCat(d->name, ":"));
  for (const EmulationOptions& teams : Teams()) {
    const auto one = Run(teams, {}, true), sequence = Run(teams, {}, false);
    if (d->same_bits) {
      EXPECT_EQ(one, sequence) << "team of " << teams.team_size;
      continue;
    }
    for (size_t r = 0; r < one.size(); ++r) {
      // All terms are below 1 in magnitude: 2^-23 * inner * (1 + inner).
      const double inner = static_cast<double>(GetParam().members[0].spec.integers.at("inner").constant());
      const float* found = reinterpret_cast<const float*>(one[r].data());
      const float* expected = reinterpret_cast<const float*>(sequence[r].data());
      for (size_t i = 0; i < one[r].size() / 4; ++i) {
        EXPECT_NEAR(found[i], expected[i], std::ldexp(inner * (1 + inner), -23));
      }
    }
  }
}

// That wrong rules would show: what these kernels do not allow goes wrong if it is done.
class BrokenContract : public ::testing::TestWithParam<GroupCase> {};

TEST_P(BrokenContract, ShowsWithTeamsOfManyThreads) {
  const CaseGraph c = GraphOf(GetParam());
  const absl::StatusOr<KernelTable> table = BindKernels(c.graph, c.specs);
  ASSERT_TRUE(table.ok()) << table.status();
  bool differs = false;
  for (const EmulationOptions& teams : Teams()) {
    const std::unique_ptr<Device> device = MakeEmulatedDevice(teams);
    std::vector<std::vector<std::byte>> found;
    for (bool aliased : {false, true}) {
      GraphRun run(c.graph);
      if (aliased) run.PutOn(c.graph.outputs()[0], c.graph.reads(c.graph.ops()[0])[0].value);
      FillInputs(GetParam(), run, kData);
      if (c.graph.fusions().empty()) {
        run.RunAll(*device, *table);
      } else {
        run.RunFusion(*device, *table, FusionId(0));
      }
      found.push_back(run.bytes(c.graph.outputs()[0]));
    }
    differs = differs || found[0] != found[1];
  }
  EXPECT_TRUE(differs);
}

std::vector<GroupCase> CasesNamed(std::vector<GroupCase> all, const std::vector<std::string>& names) {
  std::erase_if(all, [&](const GroupCase& c) { return std::find(names.begin(), names.end(), c.name) == names.end(); });
  return all;
}

std::string NameOf(const ::testing::TestParamInfo<GroupCase>& info) {
  return absl::StrCat(info.param.name, "_", info.index);
}

INSTANTIATE_TEST_SUITE_P(Lone, Contract, ::testing::ValuesIn(LoneCases()), NameOf);
INSTANTIATE_TEST_SUITE_P(Fused, Contract, ::testing::ValuesIn(FusedCases()), NameOf);
INSTANTIATE_TEST_SUITE_P(Lone, BrokenContract,
                         ::testing::ValuesIn(CasesNamed(LoneCases(),
                                                        {"narrow", "argsort", "top_k", "matmul", "sum_groups"})),
                         NameOf);

// Every kernel has a case.
TEST(Cases, AreOfAllKernels) {
  for (const KernelDefinition& d : AllKernels()) {
    const std::vector<GroupCase> all = LoneCases();
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const GroupCase& c) {
      return c.members[0].spec.kernel == d.name;
    })) << d.name;
  }
  for (const FusedDefinition& d : AllFusedKernels()) {
    EXPECT_FALSE(CasesNamed(FusedCases(), {std::string(d.name)}).empty()) << d.name;
  }
}

}  // namespace
}  // namespace bufplan::runtime
