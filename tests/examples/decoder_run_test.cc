// Decoder steps by planned memory: the caches stay where they are from step to step, and the logits are the model's.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "examples/decoder/decoder_graph.h"
#include "gpu_runtime/execute/device_pool.h"
#include "gpu_runtime/execute/executor.h"
#include "gpu_runtime/host/host_device.h"
#include "gpu_runtime/registry/bind_kernels.h"
#include "gtest/gtest.h"
#include "planner/make_plan.h"
#include "tests/examples/decoder_model.h"
#include "tests/examples/decoder_reference.h"

namespace bufplan::decoder {
namespace {

using runtime::ElementType;

struct Case {
  std::string name;
  DecoderShape shape;
  bool fusions = false, capture = false;
  bool stress = false;  // garbage where nothing lies, and random delays
};

std::vector<Case> Cases() {
  DecoderShape dense{.layers = 2,
                     .max_positions = 12,
                     .vocabulary = 37,
                     .hidden = 24,
                     .heads = 6,
                     .kv_heads = 2,
                     .head_dim = 8,
                     .inner = 33,
                     .weight_type = ElementType::kF32,
                     .cache_type = ElementType::kF32};
  DecoderShape experts = dense, rows = dense, positions_first = dense, one_head = dense;
  experts.experts = 5;
  rows.rows = 3;
  positions_first.heads_first = false;
  one_head.kv_heads = 1;
  return {{"dense", dense},
          {"dense_fused", dense, true},
          {"dense_captured", dense, true, true},
          {"experts", experts},
          {"experts_fused", experts, true},
          {"rows", rows},
          {"rows_fused", rows, true},
          {"positions_first", positions_first, true},
          {"one_head", one_head, true},
          {"dense_stress", dense, false, false, true},
          {"experts_stress", experts, true, false, true},
          {"rows_stress", rows, true, false, true}};
}

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class DecoderRun : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    absl::StatusOr<DecoderGraph> made = MakeDecoderGraph(GetParam().shape, GetParam().fusions);
    ASSERT_TRUE(made.ok()) << made.status();
    d_ = std::make_unique<DecoderGraph>(*std::move(made));
    absl::StatusOr<runtime::KernelTable> table = runtime::BindKernels(d_->graph, d_->specs);
    ASSERT_TRUE(table.ok()) << table.status();
    table_ = *std::move(table);
    absl::StatusOr<Plan> plan = MakePlan(d_->graph);
    ASSERT_TRUE(plan.ok()) << plan.status();
    plan_ = *std::move(plan);
    device_ = runtime::MakeHostDevice();
  }
  std::unique_ptr<DecoderGraph> d_;
  runtime::KernelTable table_;
  Plan plan_;
  std::unique_ptr<runtime::Device> device_;
};

TEST_P(DecoderRun, StepsByOnePlanAreTheModel) {
  const DecoderShape& shape = GetParam().shape;
  const Model model = RandomModel(*d_, 71);
  runtime::DevicePool pool(*device_);
  auto executor = runtime::Executor::Create(
      pool, d_->graph, &plan_, {.kernels = &table_, .stress = GetParam().stress, .capture = GetParam().capture});
  ASSERT_TRUE(executor.ok()) << executor.status();
  std::map<ValueId, std::vector<std::byte>> owned;
  for (const Weight& w : d_->weights) owned[w.value] = model.bytes.at(w.name);
  for (size_t v = 0; v < d_->graph.values().size(); ++v) {
    const ValueId id(static_cast<int32_t>(v));
    if (d_->graph.value(id).role == Role::kVariable)
      owned[id].resize(static_cast<size_t>(d_->graph.value(id).max_bytes));
  }
  for (auto& [v, bytes] : owned) (*executor)->Bind(v, bytes.data());
  std::vector<int32_t> tokens;
  for (int32_t i = 0; i < 9; ++i) tokens.push_back(i * 7 % 37);
  const Matrix expected = ReferenceLogits(shape, model.matrices, tokens);
  for (int64_t s = 0; s < 9; s += shape.rows) {
    ASSERT_TRUE((*executor)->Prepare({s}).ok());
    std::vector<int32_t> positions;
    for (int64_t r = 0; r < shape.rows; ++r) positions.push_back(static_cast<int32_t>(s + r));
    std::memcpy((*executor)->address(d_->tokens), &tokens[static_cast<size_t>(s)], positions.size() * 4);
    std::memcpy((*executor)->address(d_->positions), positions.data(), positions.size() * 4);
    runtime::RunOptions options;
    if (GetParam().stress) options.delay_seed = static_cast<uint64_t>(s) + 1;
    const absl::Status ran = (*executor)->Run(options);
    ASSERT_TRUE(ran.ok()) << ran;
    const float* logits = reinterpret_cast<const float*>((*executor)->address(d_->logits));
    for (int64_t i = 0; i < shape.rows * shape.vocabulary; ++i) {
      ASSERT_NEAR(logits[i], expected(s + i / shape.vocabulary, i % shape.vocabulary), 1e-4) << "step " << s;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, DecoderRun, ::testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bufplan::decoder
