// The kernels of gpu_runtime/registry on every device against the host, whose kernels have tests of their own
// (tests/gpu_runtime/kernels): each lone op and each fused group of tests/gpu_runtime/registry/kernel_cases.h.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gpu_runtime/device/device.h"
#include "gpu_runtime/device/matmul.h"
#include "gpu_runtime/host/host_device.h"
#include "gpu_runtime/registry/bind_kernels.h"
#include "gpu_runtime/registry/kernel_table.h"
#include "tests/gpu_runtime/device/device_under_test.h"
#include "tests/gpu_runtime/registry/graph_run.h"
#include "tests/gpu_runtime/registry/kernel_cases.h"

namespace bufplan::runtime {
namespace {

using Bytes = std::vector<std::byte>;

// Values in the memory of a device. Those between the members of a group have none.
class DeviceSite : public KernelSite {
 public:
  DeviceSite(const Graph& graph, std::vector<std::byte*> data) : graph_(graph), data_(std::move(data)) {}
  Operand read(size_t member, size_t slot) const override {
    return {data_[graph_.reads(graph_.ops()[member])[slot].value.index()], {}, 0};
  }
  Operand write(size_t member, size_t slot) const override {
    return {data_[graph_.writes(graph_.ops()[member])[slot].value.index()], {}, 0};
  }
  std::byte* scratch(size_t) const override { return nullptr; }
  absl::Span<const int64_t> symbol_values() const override { return {}; }

 private:
  const Graph& graph_;
  std::vector<std::byte*> data_;
};

template <class T>
std::vector<T> As(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

// Ids are the same; numbers of 16 bits are at most one step apart, numbers of 32 by what the order of a sum and a
// library's functions change.
void ExpectClose(const Bytes& found, const Bytes& expected, bool narrow) {
  ASSERT_EQ(found.size(), expected.size());
  const std::vector<int32_t> ids = As<int32_t>(expected);
  if (std::all_of(ids.begin(), ids.end(), [](int32_t id) { return id >= 0 && id < 1'000'000; })) {
    EXPECT_EQ(As<int32_t>(found), ids);
  } else if (narrow) {
    const std::vector<int16_t> left = As<int16_t>(found), right = As<int16_t>(expected);
    for (size_t i = 0; i < right.size(); ++i) ASSERT_LE(std::abs(left[i] - right[i]), 1) << i;
  } else {
    const std::vector<float> left = As<float>(found), right = As<float>(expected);
    float largest = 0;
    for (float x : right) largest = std::max(largest, std::abs(x));
    ASSERT_TRUE(std::isfinite(largest));
    for (size_t i = 0; i < right.size(); ++i) ASSERT_NEAR(left[i], right[i], 2e-5f * largest) << i;
  }
}

class RealKernels : public DeviceTest {
 protected:
  void RunCase(const GroupCase& c) {
    const CaseGraph made = GraphOf(c);
    const Graph& graph = made.graph;
    const absl::StatusOr<KernelTable> table = BindKernels(graph, made.specs);
    ASSERT_TRUE(table.ok()) << table.status();
    GraphRun run(graph);
    FillInputs(c, run, 17);
    std::vector<std::byte*> data(graph.values().size(), nullptr);
    const auto place = [&](ValueId v) {
      if (data[v.index()] == nullptr) data[v.index()] = Upload(run.bytes(v));
    };
    for (size_t i = 0; i < data.size(); ++i) {
      const ValueId v(static_cast<int32_t>(i));
      if (graph.value(v).role == Role::kInput) place(v);
    }
    for (ValueId v : graph.outputs()) place(v);
    const bool fused = c.members.size() > 1;
    const std::unique_ptr<Device> host = MakeHostDevice();
    ASSERT_EQ(host->MakeStream().value(), StreamHandle{0});  // That of GraphRun.
    fused ? run.RunFusion(*host, *table, FusionId(0)) : run.RunAll(*host, *table);
    ASSERT_TRUE(host->Synchronize().ok());
    const KernelCall& call = fused ? table->of_fusion[0] : table->of_op[0];
    call(device(), stream_, DeviceSite(graph, data));
    const absl::Status status = device().Synchronize();
    if (status.code() == absl::StatusCode::kUnimplemented) {
      without_matmul_.push_back(c.name);
      return;
    }
    ASSERT_TRUE(status.ok()) << status;
    const auto to = c.members.back().spec.types.find("y_type");
    const bool narrow = to != c.members.back().spec.types.end() && to->second != ElementType::kF32;
    for (ValueId v : graph.outputs()) {
      const Bytes expected = run.bytes(v);
      ExpectClose(Download(data[v.index()], expected.size()), expected, narrow);
    }
  }
  void RunCases(const std::vector<GroupCase>& cases) {
    stream_ = Stream();
    for (const GroupCase& c : cases) {
      SCOPED_TRACE(c.name);
      RunCase(c);
    }
    for (const std::string& name : without_matmul_) EXPECT_EQ(name.rfind("matmul", 0), 0u) << name;
  }

  StreamHandle stream_;
  std::vector<std::string> without_matmul_;  // cases that a device without a library for products leaves out
};

TEST_P(RealKernels, LoneOpsDoWhatTheyDoOnTheHost) { RunCases(LoneCases()); }
TEST_P(RealKernels, FusedGroupsDoWhatTheyDoOnTheHost) { RunCases(FusedCases()); }

INSTANTIATE_TEST_SUITE_P(On, RealKernels, testing::ValuesIn(ConcurrentDevicesUnderTest()), NameOf);

}  // namespace
}  // namespace bufplan::runtime
