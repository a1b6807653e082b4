// What the host has beyond what every device has: orders by seed, which find what GPUs may do.
#include "gpu_runtime/host/host_device.h"

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "gpu_runtime/device/device.h"
#include "gtest/gtest.h"

namespace bufplan::runtime {
namespace {

// Two streams append to the same cells without any event: a race.
std::vector<uint8_t> Race(uint64_t seed) {
  constexpr int64_t kCells = 30;
  const std::unique_ptr<Device> device = MakeHostDevice({.interleaving_seed = seed});
  std::byte* cells = device->Allocate(kCells).value();
  const StreamHandle s = device->MakeStream().value(), t = device->MakeStream().value();
  for (int64_t i = 0; i < kCells; ++i) {
    device->Fill(s, cells + i, 1, 1);
    device->Fill(t, cells + i, 2, 1);
  }
  std::vector<uint8_t> seen(kCells);
  EXPECT_TRUE(device->Synchronize().ok());
  device->CopyOut(s, seen.data(), cells, kCells);
  EXPECT_TRUE(device->Synchronize().ok());
  return seen;
}

TEST(HostDeviceTest, ASeedRepeatsARace) {
  std::set<std::vector<uint8_t>> different;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const std::vector<uint8_t> seen = Race(seed);
    EXPECT_EQ(Race(seed), seen);
    different.insert(seen);
  }
  EXPECT_GT(different.size(), 10u);
}

// A replay is ordered with its origin alone, although it was captured on another stream too: what that one runs before
// and after the Replay may come on either side of it, as on GPUs.
TEST(HostDeviceTest, AReplayIsUnorderedWithTheOtherStreamsOfItsCapture) {
  std::set<uint8_t> seen;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const std::unique_ptr<Device> device = MakeHostDevice({.interleaving_seed = seed});
    const StreamHandle s = device->MakeStream().value(), t = device->MakeStream().value();
    const EventHandle fork = device->MakeEvent().value(), join = device->MakeEvent().value();
    std::byte* x = device->Allocate(1).value();
    std::byte* y = device->Allocate(1).value();
    ASSERT_TRUE(device->BeginCapture(s).ok());
    device->Record(fork, s);
    device->Wait(t, fork);
    device->Copy(t, y, x, 1);
    device->Record(join, t);
    device->Wait(s, join);
    const GraphHandle graph = device->EndCapture().value();
    device->Fill(s, x, 0, 1);
    ASSERT_TRUE(device->Synchronize().ok());
    device->Fill(t, x, 1, 1);
    device->Replay(s, graph);
    device->Fill(t, x, 2, 1);
    uint8_t value = 9;
    device->CopyOut(s, &value, y, 1);  // After the replay, all of it.
    ASSERT_TRUE(device->Synchronize().ok());
    seen.insert(value);
  }
  EXPECT_EQ(seen, (std::set<uint8_t>{0, 1, 2}));
}

TEST(HostDeviceTest, NothingRunsBeforeSynchronizeWithASeed) {
  const std::unique_ptr<Device> device = MakeHostDevice({.interleaving_seed = 1});
  const StreamHandle s = device->MakeStream().value();
  std::byte* x = device->Allocate(1).value();
  uint8_t value = 9;
  device->Fill(s, x, 3, 1);
  device->CopyOut(s, &value, x, 1);
  EXPECT_EQ(value, 9);
  ASSERT_TRUE(device->Synchronize().ok());
  EXPECT_EQ(value, 3);
}

}  // namespace
}  // namespace bufplan::runtime
