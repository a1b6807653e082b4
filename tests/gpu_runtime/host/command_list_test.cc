#include "gpu_runtime/host/command_list.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "gpu_runtime/device/matmul.h"
#include "gtest/gtest.h"
#include "tests/gpu_runtime/host/logging_kernel.h"

namespace bufplan::runtime {
namespace {

TEST(CommandListTest, KeepsCommandsInOrder) {
  CommandList list;
  EXPECT_TRUE(list.empty());
  for (int64_t i = 0; i < 100; ++i) list.Push({.kind = CommandKind::kFill, .amount = i});
  ASSERT_EQ(list.size(), 100u);
  for (size_t i = 0; i < 100; ++i) EXPECT_EQ(list[i].amount, static_cast<int64_t>(i));
  list.clear();
  EXPECT_TRUE(list.empty());
}

// Blocks of all sizes, while the list grows and after it was cleared.
TEST(CommandListTest, KeepsArgumentsAligned) {
  CommandList list;
  for (int round = 0; round < 2; ++round) {
    for (size_t bytes = 0; bytes < 300; ++bytes) {
      std::vector<uint8_t> block(bytes, static_cast<uint8_t>(bytes * 3));
      list.Push({.kind = CommandKind::kKernel}, block.data(), bytes);
      block.assign(bytes, 0);  // It was copied.
    }
    for (size_t bytes = 0; bytes < 300; ++bytes) {
      const uint8_t* block = static_cast<const uint8_t*>(list.arguments(list[bytes]));
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % alignof(std::max_align_t), 0u);
      for (size_t i = 0; i < bytes; ++i) ASSERT_EQ(block[i], static_cast<uint8_t>(bytes * 3));
    }
    list.clear();
  }
}

TEST(CommandListTest, RunsEachKind) {
  CommandList list;
  Log log;
  const LogArguments arguments = {&log, 5};
  list.Push({.kind = CommandKind::kKernel, .amount = 3, .kernel = LogKernel}, &arguments, sizeof(arguments));
  std::array<uint8_t, 6> from = {1, 2, 3, 4, 5, 6}, to = {};
  list.Push({.kind = CommandKind::kCopy, .amount = 3, .to = &to[1], .from = &from[2]});
  list.Push({.kind = CommandKind::kFill, .byte = 9, .amount = 2, .to = &from[0]});
  const float a[] = {1, 2}, b[] = {3, 4};
  float c = 100;
  const MatmulArgs m = {.a = a,
                        .b = b,
                        .c = &c,
                        .rows = 1,
                        .columns = 1,
                        .inner = 2,
                        .a_stride = 2,
                        .b_stride = 2,
                        .c_stride = 1,
                        .beta = 1.0f};
  list.Push({.kind = CommandKind::kMatmul}, &m, sizeof(m));
  for (size_t i = 0; i < list.size(); ++i) RunCommand(list[i], list);
  EXPECT_EQ(log.entries, (std::vector<int>{5, 6, 7}));
  EXPECT_EQ(to, (std::array<uint8_t, 6>{0, 3, 4, 5, 0, 0}));
  EXPECT_EQ(from, (std::array<uint8_t, 6>{9, 9, 3, 4, 5, 6}));
  EXPECT_EQ(c, 111.0f);
}

TEST(HostEventTest, MomentsAreReachedInOrder) {
  HostEvent event;
  EXPECT_TRUE(event.Done(0));
  EXPECT_FALSE(event.Done(1));
  event.Complete(1);
  EXPECT_TRUE(event.Done(1));
  EXPECT_FALSE(event.Done(2));
  event.WaitFor(1);  // Returns at once.
  std::thread later([&] {
    event.Complete(2);
    event.Complete(3);
  });
  event.WaitFor(3);
  EXPECT_TRUE(event.Done(3));
  later.join();
}

TEST(HostGraphTest, ReplaysCountOn) {
  HostEvent event;
  event.issued = 4;  // Records of the event in the graph.
  const Command third = {.kind = CommandKind::kWait, .amount = 3, .event = &event};
  EXPECT_EQ(TicketOf(third, 0), 3);
  EXPECT_EQ(TicketOf(third, 1), 7);
  EXPECT_EQ(TicketOf(third, 10), 43);
}

}  // namespace
}  // namespace bufplan::runtime
