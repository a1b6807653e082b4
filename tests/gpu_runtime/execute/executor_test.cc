#include "gpu_runtime/execute/executor.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gpu_runtime/execute/contents.h"
#include "gpu_runtime/host/host_device.h"
#include "gpu_runtime/registry/kernel_table.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "tests/ir/built.h"
#include "tests/ir/hand_plan.h"

namespace bufplan::runtime {
namespace {

// K[16*s, 16*s + 16) becomes a function of w and of what lies before it; two streams.
Graph Step() {
  return Built([](GraphBuilder& b) {
    const Expr s = b.AddSymbol("s", 0, 7);
    b.AddStream("s0");
    const StreamId s1 = b.AddStream("s1");
    const ValueId k = b.Variable("K", 128);
    const ValueId w = b.Constant("W", 32);
    const ValueId past = b.Slice("past", k, 0, 16 * s, "past");
    const ValueId h =
        b.Compute("side", {.reads = {w}, .writes = {{.name = "h", .bytes = 8}}, .options = {.stream = s1}});
    const ValueId row = b.Compute("row", {.reads = {past, w, h}, .writes = {{.name = "r", .bytes = 16}}});
    const ValueId k1 = b.Update("upd", k, row, 16 * s, "K1");
    b.Commit("st", k1, k);
  });
}
Plan StepPlan(const Graph& graph) {
  HandPlan hand(graph);
  const ValueId k = ValueNamed(graph, "K");
  hand.In(ValueNamed(graph, "past"), k, 0).In(ValueNamed(graph, "K1"), k, 0);
  return hand.At(ValueNamed(graph, "h"), 0).At(ValueNamed(graph, "r"), 8).Done();
}

class ExecutorTest : public testing::Test {
 protected:
  ExecutorTest() : device_(MakeHostDevice()), pool_(*device_) {}

  std::unique_ptr<Executor> Make(const Graph& graph, const Plan* plan, const ExecutorOptions& options = {}) {
    absl::StatusOr<std::unique_ptr<Executor>> executor = Executor::Create(pool_, graph, plan, options);
    EXPECT_TRUE(executor.ok()) << executor.status();
    return *std::move(executor);
  }
  // With the same contents at the start.
  void Run(const Graph& graph, Executor& executor) {
    const absl::StatusOr<Contents> contents = Contents::Make(graph, executor, *device_, 1, true);
    ASSERT_TRUE(contents.ok()) << contents.status();
    contents->Fill(*device_, executor.stream());
    const absl::Status status = executor.Run();
    ASSERT_TRUE(status.ok()) << status;
  }
  std::string Bytes(const std::byte* from, int64_t bytes) {
    std::string text(static_cast<size_t>(bytes), '\0');
    device_->CopyOut(StreamHandle{0}, text.data(), from, bytes);
    EXPECT_TRUE(device_->Synchronize().ok());
    return text;
  }
  std::string Slots(const Executor& executor) {
    return Bytes(reinterpret_cast<const std::byte*>(executor.slots()),
                 static_cast<int64_t>(executor.program().slots.size()) * 8);
  }

  std::unique_ptr<Device> device_;
  DevicePool pool_;
};

TEST_F(ExecutorTest, AddressesStay) {
  const Graph graph = Step();
  const Plan plan = StepPlan(graph);
  for (const bool capture : {false, true}) {
    const std::unique_ptr<Executor> executor = Make(graph, &plan, {.capture = capture});
    std::vector<std::byte*> addresses;
    for (const int64_t s : {7, 3, 7, 0, 5}) {
      ASSERT_TRUE(executor->Prepare({s}).ok());
      std::vector<std::byte*> now;
      for (const char* name : {"K", "W", "h", "r", "K1"}) now.push_back(executor->address(ValueNamed(graph, name)));
      if (addresses.empty()) addresses = now;
      EXPECT_EQ(now, addresses);
      EXPECT_EQ(now[4], now[0]) << "K1 lies in K";
      EXPECT_EQ(executor->address(ValueNamed(graph, "past")), s == 0 ? nullptr : now[0]);
      for (int run = 0; run < 3; ++run) ASSERT_TRUE(executor->Run().ok());
    }
  }
}

TEST_F(ExecutorTest, PlannedAndCapturedRunsAreTheReference) {
  const Graph graph = Step();
  const Plan plan = StepPlan(graph);
  const std::unique_ptr<Executor> reference = Make(graph, nullptr), planned = Make(graph, &plan),
                                  captured = Make(graph, &plan, {.capture = true});
  std::string previous;
  for (const int64_t s : {2, 6, 2}) {
    for (Executor* executor : {reference.get(), planned.get(), captured.get()}) {
      ASSERT_TRUE(executor->Prepare({s}).ok());
    }
    for (int step = 0; step < 3; ++step) {
      for (Executor* executor : {reference.get(), planned.get(), captured.get()}) Run(graph, *executor);
      EXPECT_EQ(Slots(*planned), Slots(*reference));
      EXPECT_EQ(Slots(*captured), Slots(*reference));
      const ValueId k = ValueNamed(graph, "K");
      const std::string expected = Bytes(reference->address(k), 128);
      EXPECT_EQ(Bytes(planned->address(k), 128), expected);
      EXPECT_EQ(Bytes(captured->address(k), 128), expected);
      EXPECT_TRUE(step > 0 || expected != previous);
      previous = expected;
    }
  }
}

// As a decoder does: each step goes on from the storage that the last one left.
TEST_F(ExecutorTest, BoundStorageIsUsed) {
  const Graph graph = Step();
  const Plan plan = StepPlan(graph);
  const ValueId k = ValueNamed(graph, "K"), w = ValueNamed(graph, "W");
  // They outlive the executors.
  std::vector<DeviceBuffer> buffers;
  const std::unique_ptr<Executor> reference = Make(graph, nullptr), planned = Make(graph, &plan, {.capture = true});
  for (const int64_t bytes : {128, 128, 32}) {
    absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::Allocate(*device_, bytes);
    ASSERT_TRUE(buffer.ok());
    device_->Fill(pool_.Stream(0), buffer->data(), 3, bytes);
    buffers.push_back(*std::move(buffer));
  }
  reference->Bind(k, buffers[0].data());
  planned->Bind(k, buffers[1].data());
  for (Executor* executor : {reference.get(), planned.get()}) executor->Bind(w, buffers[2].data());
  std::string last = Bytes(buffers[0].data(), 128);
  for (int64_t s = 0; s < 8; ++s) {
    for (Executor* executor : {reference.get(), planned.get()}) {
      ASSERT_TRUE(executor->Prepare({s}).ok());
      ASSERT_TRUE(executor->Run().ok());
    }
    EXPECT_EQ(planned->address(k), buffers[1].data());
    EXPECT_EQ(planned->address(w), buffers[2].data());
    const std::string now = Bytes(buffers[0].data(), 128);
    EXPECT_EQ(Bytes(buffers[1].data(), 128), now);
    EXPECT_EQ(now.substr(0, static_cast<size_t>(16 * s)), last.substr(0, static_cast<size_t>(16 * s)));
    EXPECT_NE(now.substr(static_cast<size_t>(16 * s), 16), last.substr(static_cast<size_t>(16 * s), 16));
    last = now;
  }
}

TEST_F(ExecutorTest, ManyShareAPool) {
  const Graph step = Step();
  const Graph chain = Built([](GraphBuilder& b) {
    const ValueId x = b.Input("x", 64);
    b.Output(b.Compute("f", {.reads = {x}, .writes = {{.name = "y", .bytes = 64}}}));
  });
  const Plan step_plan = StepPlan(step);
  const Plan chain_plan = HandPlan(chain).At(ValueNamed(chain, "x"), 0).At(ValueNamed(chain, "y"), 64).Done();
  const std::unique_ptr<Executor> a = Make(step, &step_plan), b = Make(chain, &chain_plan), c = Make(step, &step_plan);
  ASSERT_TRUE(a->Prepare({1}).ok());
  ASSERT_TRUE(b->Prepare({}).ok());
  ASSERT_TRUE(c->Prepare({4}).ok());
  EXPECT_NE(a->address(ValueNamed(step, "K")), c->address(ValueNamed(step, "K")));
  Run(step, *a);
  Run(chain, *b);
  Run(step, *c);
  const std::string alone[] = {Slots(*a), Slots(*b), Slots(*c)};
  EXPECT_NE(alone[0], alone[2]);
  // One behind the other on the same streams, without a pause. a and c go on from what they left.
  for (int i = 0; i < 3; ++i) {
    for (Executor* executor : {a.get(), b.get(), c.get()}) ASSERT_TRUE(executor->Enqueue().ok());
  }
  ASSERT_TRUE(device_->Synchronize().ok());
  EXPECT_EQ(Slots(*b), alone[1]);
  Run(step, *a);
  Run(step, *c);
  EXPECT_EQ(Slots(*a), alone[0]);
  EXPECT_EQ(Slots(*c), alone[2]);
}

TEST_F(ExecutorTest, SnapshotsAreWhatWasRead) {
  const Graph graph = Built([](GraphBuilder& b) {
    const ValueId x = b.Input("x", 32);
    b.Compute("f", {.reads = {bufplan::Operand(x, Region{2, 4, {{3, 10}}})}, .writes = {{.name = "y", .bytes = 4}}});
  });
  const Plan plan = HandPlan(graph).At(ValueNamed(graph, "x"), 0).At(ValueNamed(graph, "y"), 32).Done();
  for (const bool capture : {false, true}) {
    const std::unique_ptr<Executor> executor = Make(graph, &plan, {.capture = capture});
    ASSERT_TRUE(executor->Prepare({}).ok());
    Run(graph, *executor);
    const std::string x = Bytes(executor->address(ValueNamed(graph, "x")), 32);
    absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::Allocate(*device_, 12);
    ASSERT_TRUE(buffer.ok());
    device_->Fill(executor->stream(), buffer->data(), 0, 12);
    ASSERT_TRUE(executor->Run({.snapshot_slot = 0, .snapshot = buffer->data()}).ok());
    EXPECT_EQ(Bytes(buffer->data(), 12), x.substr(2, 4) + x.substr(12, 4) + x.substr(22, 4)) << "capture " << capture;
    // The next run has nothing of it.
    device_->Fill(executor->stream(), buffer->data(), 0, 12);
    ASSERT_TRUE(executor->Run().ok());
    EXPECT_EQ(Bytes(buffer->data(), 12), std::string(12, '\0'));
  }
}

// What a site says about an op's operands.
struct SeenSite {
  std::vector<std::byte*> reads, writes;
  std::vector<int64_t> strides;  // of the first operand
  std::byte* scratch = nullptr;
  std::vector<int64_t> symbols;
};

SeenSite See(const KernelSite& site, size_t member, size_t reads, size_t writes) {
  SeenSite seen;
  for (size_t r = 0; r < reads; ++r) seen.reads.push_back(site.read(member, r).data);
  for (size_t w = 0; w < writes; ++w) seen.writes.push_back(site.write(member, w).data);
  if (reads > 0) {
    const absl::Span<const int64_t> strides = site.read(member, 0).strides;
    seen.strides.assign(strides.begin(), strides.end());
  }
  seen.scratch = site.scratch(member);
  seen.symbols.assign(site.symbol_values().begin(), site.symbol_values().end());
  return seen;
}

TEST_F(ExecutorTest, KernelsFindTheirOperands) {
  const Graph graph = Built([](GraphBuilder& b) {
    const Expr s = b.AddSymbol("s", 1, 4);
    const ValueId x = b.Input("x", 8 * s);
    const ValueId c = b.Clone("clone", x, "c");
    const ValueId empty = b.Slice("none", x, 0, 0, "e");
    b.Output(b.Compute("add", {.reads = {bufplan::Operand(c, Region{0, 8 * s, {}}, true), x, empty},
                               .writes = {{.name = "y", .bytes = 8}, {.name = "z", .bytes = 4}},
                               .options = {.scratch_bytes = 16}}));
  });
  HandPlan hand(graph);
  const Expr s = Expr::FromSymbol(SymbolId(0));
  hand.At(ValueNamed(graph, "x"), 0).At(ValueNamed(graph, "c"), 32).Strided(ValueNamed(graph, "c"), 8, {{s, 8 * s}});
  hand.At(ValueNamed(graph, "y"), 160).At(ValueNamed(graph, "z"), 168).Scratch(OpNamed(graph, "add"), 176);
  const Plan plan = hand.Done();
  SeenSite seen;
  KernelTable kernels;
  kernels.of_op.resize(graph.ops().size());
  // y = the first 8 bytes of row 2 of the strided operand.
  kernels.of_op[OpNamed(graph, "add").index()] = [&](Device& device, StreamHandle stream, const KernelSite& site) {
    seen = See(site, 0, 3, 2);
    const Operand c = site.read(0, 0);
    device.Copy(stream, site.write(0, 0).data, c.data + 2 * c.strides[0], 8);
    device.Fill(stream, site.write(0, 1).data, 5, 4);
  };
  const std::unique_ptr<Executor> executor = Make(graph, &plan, {.kernels = &kernels});
  for (const int64_t symbol : {3, 4}) {
    ASSERT_TRUE(executor->Prepare({symbol}).ok());
    Run(graph, *executor);
    std::byte* const arena = executor->memory(0);
    EXPECT_EQ(seen.reads, (std::vector<std::byte*>{arena + 32, arena, nullptr}));
    EXPECT_EQ(seen.writes, (std::vector<std::byte*>{arena + 160, arena + 168}));
    EXPECT_EQ(seen.strides, std::vector<int64_t>{8 * symbol});
    EXPECT_EQ(seen.scratch, arena + 176);
    EXPECT_EQ(seen.symbols, std::vector<int64_t>{symbol});
    EXPECT_EQ(Bytes(executor->address(ValueNamed(graph, "y")), 8), Bytes(arena + 16, 8)) << "x's third eight bytes";
    EXPECT_EQ(Bytes(executor->address(ValueNamed(graph, "z")), 4), std::string(4, 5));
  }
}

// A dim of one run counts as a dim of the operand, though nothing lies strided there.
TEST_F(ExecutorTest, StridesOfOneRunAreStrides) {
  const Graph graph = Built([](GraphBuilder& b) {
    const Expr s = b.AddSymbol("s", 1, 4);
    b.Clone("clone", b.Input("x", 8 * s), "c");
  });
  HandPlan hand(graph);
  hand.At(ValueNamed(graph, "x"), 0).At(ValueNamed(graph, "c"), 32);
  hand.Strided(ValueNamed(graph, "c"), 8, {{Expr::FromSymbol(SymbolId(0)), 24}});
  const Plan plan = hand.Done();
  const std::unique_ptr<Executor> executor = Make(graph, &plan);
  ASSERT_TRUE(executor->Prepare({1}).ok());
  const Operand c = executor->operand(ValueNamed(graph, "c"));
  ASSERT_EQ(c.strides.size(), 1u);
  EXPECT_EQ(c.strides[0], 24);
  EXPECT_EQ(c.run_bytes, 8);
  EXPECT_TRUE(executor->operand(ValueNamed(graph, "x")).strides.empty());
}

// x, m1 -> m with scratch, m2(m, x) -> r, an output; a group of both.
Graph Pair(int64_t bytes) {
  return Built([&](GraphBuilder& b) {
    const ValueId x = b.Input("x", bytes);
    const ValueId m =
        b.Compute("m1", {.reads = {x}, .writes = {{.name = "m", .bytes = bytes}}, .options = {.scratch_bytes = 8}});
    b.Output(b.Compute("m2", {.reads = {m, x}, .writes = {{.name = "r", .bytes = bytes}}}));
    Fusion fusion;
    fusion.name = "pair";
    fusion.ops = {OpId(0), OpId(1)};
    b.AddFusion(fusion);
  });
}

// A group without a kernel, members with kernels of their own: m = 2x in the workspace, r = m + x in its place.
TEST_F(ExecutorTest, MembersKernelsRunInTheWorkspaceOfAGroupWithoutAKernel) {
  const Graph graph = Pair(4);
  const Plan plan = HandPlan(graph)
                        .At(ValueNamed(graph, "x"), 0)
                        .At(ValueNamed(graph, "r"), 4)
                        .Scratch(OpNamed(graph, "m1"), 8)
                        .Fuse(0)
                        .Done();
  const auto number = [](const Operand& o) { return reinterpret_cast<int32_t*>(o.data); };
  KernelTable kernels;
  kernels.of_op.push_back([&](Device& device, StreamHandle stream, const KernelSite& site) {
    const int32_t* const x = number(site.read(0, 0));
    int32_t* const m = number(site.write(0, 0));
    std::byte* const scratch = site.scratch(0);
    device.HostCall(stream, [x, m, scratch] {
      *scratch = std::byte{1};  // its own affair
      *m = 2 * *x;
    });
  });
  kernels.of_op.push_back([&](Device& device, StreamHandle stream, const KernelSite& site) {
    const int32_t *const m = number(site.read(0, 0)), *const x = number(site.read(0, 1));
    int32_t* const r = number(site.write(0, 0));
    device.HostCall(stream, [m, x, r] { *r = *m + *x; });
  });
  for (const bool stress : {false, true}) {
    for (const bool capture : {false, true}) {
      const std::unique_ptr<Executor> executor =
          Make(graph, &plan, {.kernels = &kernels, .stress = stress, .capture = capture});
      ASSERT_TRUE(executor->Prepare({}).ok());
      const int32_t x = 7;
      int32_t r = 0;
      device_->CopyIn(executor->stream(), executor->address(ValueNamed(graph, "x")), &x, 4);
      ASSERT_TRUE(executor->Run().ok());
      device_->CopyOut(executor->stream(), &r, executor->address(ValueNamed(graph, "r")), 4);
      ASSERT_TRUE(device_->Synchronize().ok());
      EXPECT_EQ(r, 21) << stress << capture;
    }
  }
}

TEST_F(ExecutorTest, AGroupsKernelRunsForAllMembers) {
  const Graph graph = Pair(8);
  const Plan plan = HandPlan(graph)
                        .At(ValueNamed(graph, "x"), 0)
                        .At(ValueNamed(graph, "r"), 8)
                        .Scratch(OpNamed(graph, "m1"), 16)
                        .Fuse(0)
                        .Done();
  SeenSite first, second;
  int calls = 0;
  KernelTable kernels;
  kernels.of_fusion.push_back([&](Device& device, StreamHandle stream, const KernelSite& site) {
    first = See(site, 0, 1, 1);
    second = See(site, 1, 2, 1);
    ++calls;
    device.Copy(stream, site.write(1, 0).data, site.read(0, 0).data, 8);
  });
  // A member's own kernel has no say in the group.
  kernels.of_op.resize(2);
  kernels.of_op[0] = [&](Device&, StreamHandle, const KernelSite&) { FAIL(); };
  for (const bool stress : {false, true}) {
    const std::unique_ptr<Executor> executor = Make(graph, &plan, {.kernels = &kernels, .stress = stress});
    ASSERT_TRUE(executor->Prepare({}).ok());
    calls = 0;
    const absl::StatusOr<Contents> contents = Contents::Make(graph, *executor, *device_, 1, true);
    ASSERT_TRUE(contents.ok());
    contents->Fill(*device_, executor->stream());
    const std::string x = Bytes(executor->address(ValueNamed(graph, "x")), 8);
    ASSERT_TRUE(executor->Run().ok());
    EXPECT_EQ(calls, 1);
    std::byte* const arena = executor->memory(0);
    EXPECT_EQ(first.reads[0], arena);
    EXPECT_EQ(first.writes[0], nullptr) << "swallowed";
    EXPECT_EQ(first.scratch, arena + 16);
    EXPECT_EQ(second.reads, (std::vector<std::byte*>{nullptr, arena}));
    EXPECT_EQ(second.writes[0], arena + 8);
    EXPECT_EQ(second.scratch, nullptr);
    EXPECT_EQ(Bytes(executor->address(ValueNamed(graph, "r")), 8), x);
  }
}

TEST_F(ExecutorTest, RefusesWhatItCannotRun) {
  const Graph graph = Step();
  Plan plan = StepPlan(graph);
  EXPECT_EQ(Make(graph, &plan)->Prepare({}).message(), "the graph has 1 symbols, values are given for 0");
  EXPECT_EQ(Make(graph, &plan)->Prepare({8}).message(), "symbol \"s\"=8, must be in [0, 7] and a multiple of 1");
  plan.locations[ValueNamed(graph, "r").index()].offset_bytes = 9;
  absl::Status status = Make(graph, &plan)->Prepare({1});
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "value \"r\" lies at device+9 up to byte 25 of a memory of 24 bytes");
  plan.locations.pop_back();
  status = Make(graph, &plan)->Prepare({1});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "the plan is not of the graph's shape");
  plan = StepPlan(graph);
  plan.added_order.push_back({OpNamed(graph, "upd"), OpNamed(graph, "row"), ""});
  EXPECT_EQ(Make(graph, &plan)->Prepare({1}).message(), "ops wait for each other in a circle: \"row\", \"upd\"");
}

// An executor that was refused something can be prepared for something else.
TEST_F(ExecutorTest, GoesOnAfterAnError) {
  const Graph graph = Step();
  const Plan plan = StepPlan(graph);
  const std::unique_ptr<Executor> executor = Make(graph, &plan, {.capture = true});
  ASSERT_TRUE(executor->Prepare({2}).ok());
  Run(graph, *executor);
  const std::string slots = Slots(*executor);
  EXPECT_FALSE(executor->Prepare({9}).ok());
  ASSERT_TRUE(executor->Prepare({2}).ok());
  Run(graph, *executor);
  EXPECT_EQ(Slots(*executor), slots);
}

}  // namespace
}  // namespace bufplan::runtime
