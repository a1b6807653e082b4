// What every device does when work is captured and replayed.
#include <algorithm>

#include "gmock/gmock.h"
#include "gpu_runtime/device/device.h"
#include "gpu_runtime/kernels/delay.h"
#include "gpu_runtime/kernels/mix.h"
#include "tests/gpu_runtime/device/device_under_test.h"

namespace bufplan::runtime {
namespace {

using ::testing::Each;

using Bytes = std::vector<uint8_t>;

class Capture : public DeviceTest {
 protected:
  Bytes Read(const std::byte* from, size_t count) { return Download(reinterpret_cast<const uint8_t*>(from), count); }
  GraphHandle End() {
    absl::StatusOr<GraphHandle> graph = device().EndCapture();
    EXPECT_TRUE(graph.ok()) << graph.status();
    return graph.ok() ? *graph : GraphHandle{-1};
  }
  void Begin(StreamHandle origin) {
    const absl::Status status = device().BeginCapture(origin);
    ASSERT_TRUE(status.ok()) << status;
  }
  void Pause(StreamHandle stream, int64_t microseconds = 300) {
    device().Launch<Delay>(stream, 1, {.nanoseconds = microseconds * 1000});
  }
  void ExpectMisuse() { EXPECT_EQ(device().Synchronize().code(), absl::StatusCode::kFailedPrecondition); }
  // The device is as good as before.
  void ExpectWorks() {
    const StreamHandle s = Stream();
    std::byte* x = Memory(100);
    Begin(s);
    device().Fill(s, x, 77, 100);
    const GraphHandle graph = End();
    device().Replay(s, graph);
    Synchronize();
    EXPECT_THAT(Read(x, 100), Each(77));
  }
};

TEST_P(Capture, NothingRunsBeforeReplay) {
  const StreamHandle s = Stream();
  std::byte* x = Memory(1000);
  device().Fill(s, x, 1, 1000);
  Begin(s);
  device().Fill(s, x, 2, 1000);
  const GraphHandle graph = End();
  Synchronize();
  EXPECT_THAT(Read(x, 1000), Each(1));
  device().Replay(s, graph);
  Synchronize();
  EXPECT_THAT(Read(x, 1000), Each(2));
}

// The slot of HashBoxes grows by the same sum each time.
TEST_P(Capture, RunsAsOftenAsReplayed) {
  const StreamHandle s = Stream();
  const std::vector<uint64_t> words = {3, 5};
  const std::vector<Box> boxes = {{.a = 0, .b = 0, .run_bytes = 16}};
  uint64_t* slot = Upload(std::vector<uint64_t>{0});
  HashBoxes::Args arguments = {{Upload(boxes), 1}, reinterpret_cast<const std::byte*>(Upload(words)), slot};
  Begin(s);
  device().Launch<HashBoxes>(s, 1, arguments);
  const GraphHandle graph = End();
  arguments.slot = nullptr;  // It was copied.
  for (const uint64_t replays : {1, 2, 500}) {
    Write(reinterpret_cast<std::byte*>(slot), std::vector<uint64_t>{1});
    for (uint64_t i = 0; i < replays; ++i) device().Replay(s, graph);
    Synchronize();
    EXPECT_EQ(Download(slot), 1 + replays * (HashOfByte(3, 0, HashKey(0)) + HashOfByte(5, 0, HashKey(1))));
  }
}

// a -> (b on t, c on u) -> d, with the same addresses and other contents each time.
TEST_P(Capture, KeepsTheOrderOfSeveralStreams) {
  const StreamHandle s = Stream(), t = Stream(), u = Stream();
  const EventHandle fork = Event(), t_done = Event(), u_done = Event();
  constexpr int64_t kBytes = 3001;
  std::byte *a = Memory(kBytes), *b = Memory(kBytes), *c = Memory(kBytes), *d = Memory(2 * kBytes);
  Begin(s);
  Pause(s, 100);
  device().Copy(s, b, a, kBytes);
  device().Record(fork, s);
  device().Wait(t, fork);
  device().Wait(u, fork);
  Pause(t, 200);
  device().Copy(t, c, b, kBytes);
  device().Record(t_done, t);
  device().Wait(u, t_done);
  device().Copy(u, d, c, kBytes);
  device().Record(u_done, u);
  Pause(s, 50);
  device().Wait(s, t_done);
  device().Wait(s, u_done);
  device().Copy(s, d + kBytes, c, kBytes);
  const GraphHandle graph = End();
  // Replays of several rounds are under way together: each comes after the one before.
  constexpr size_t kRounds = 20;
  std::vector<Bytes> ins, outs(kRounds, Bytes(2 * kBytes));
  for (size_t i = 0; i < kRounds; ++i) ins.push_back(Bytes(kBytes, static_cast<uint8_t>(i + 1)));
  for (size_t i = 0; i < kRounds; ++i) {
    device().CopyIn(s, a, ins[i].data(), kBytes);
    device().Replay(s, graph);
    device().CopyOut(s, outs[i].data(), d, 2 * kBytes);
  }
  Synchronize();
  for (size_t i = 0; i < kRounds; ++i) EXPECT_THAT(outs[i], Each(i + 1));
}

TEST_P(Capture, RecordsAnEventOftenInOneCapture) {
  const StreamHandle s = Stream(), t = Stream();
  const EventHandle there = Event(), back = Event();
  constexpr size_t kSteps = 30;
  std::byte* cells = Memory((kSteps + 1) * 64);
  Begin(s);
  device().Record(there, s);
  for (size_t i = 0; i < kSteps; ++i) {
    const bool on_s = i % 2 == 1;
    device().Wait(on_s ? s : t, on_s ? back : there);
    if (i % 5 == 0) Pause(on_s ? s : t, 50);
    device().Copy(on_s ? s : t, cells + 64 * (i + 1), cells + 64 * i, 64);
    device().Record(on_s ? there : back, on_s ? s : t);
  }
  const GraphHandle graph = End();
  for (const uint8_t byte : {3, 200, 0}) {
    device().Fill(s, cells, byte, 64);
    device().Replay(s, graph);
    Synchronize();
    EXPECT_THAT(Read(cells, (kSteps + 1) * 64), Each(byte));
  }
}

TEST_P(Capture, GraphsOfSeveralOriginsInterleave) {
  const StreamHandle s = Stream(), t = Stream();
  const EventHandle e = Event(), f = Event(), g = Event();
  std::byte *x = Memory(64), *y = Memory(64), *z = Memory(64);
  Begin(s);  // y = x, by way of t
  device().Record(e, s);
  device().Wait(t, e);
  device().Copy(t, y, x, 64);
  device().Record(f, t);
  device().Wait(s, f);
  const GraphHandle first = End();
  Begin(t);  // z = y, by way of s
  device().Record(e, t);
  device().Wait(s, e);
  device().Copy(s, z, y, 64);
  device().Record(f, s);
  device().Wait(t, f);
  const GraphHandle second = End();
  for (uint8_t i = 1; i < 20; ++i) {
    device().Fill(s, x, i, 64);
    device().Replay(s, first);
    device().Record(g, s);
    device().Wait(t, g);
    device().Replay(t, second);
    device().Record(g, t);
    device().Wait(s, g);
  }
  Synchronize();
  EXPECT_THAT(Read(z, 64), Each(19));
}

TEST_P(Capture, LeavesEventsOutsideAlone) {
  const StreamHandle s = Stream(), t = Stream();
  const EventHandle e = Event();
  std::byte *x = Memory(64), *y = Memory(64);
  Pause(s, 2000);
  device().Fill(s, x, 1, 64);
  device().Record(e, s);
  Begin(t);
  device().Fill(t, y, 5, 64);
  device().Record(e, t);
  device().Wait(t, e);
  const GraphHandle graph = End();
  device().Wait(t, e);  // Still for the Record on s.
  device().Copy(t, y, x, 64);
  Synchronize();
  EXPECT_THAT(Read(y, 64), Each(1));
  device().Replay(t, graph);
  Synchronize();
  EXPECT_THAT(Read(y, 64), Each(5));
}

TEST_P(Capture, OtherStreamsRunMeanwhile) {
  const StreamHandle s = Stream(), t = Stream();
  std::byte *x = Memory(64), *y = Memory(64);
  device().Fill(s, x, 1, 64);
  Synchronize();
  Begin(s);
  device().Fill(s, x, 2, 64);
  device().Fill(t, y, 3, 64);
  const GraphHandle graph = End();
  Synchronize();
  EXPECT_THAT(Read(x, 64), Each(1));
  EXPECT_THAT(Read(y, 64), Each(3));
  device().Fill(t, y, 4, 64);
  Synchronize();
  device().Replay(s, graph);
  Synchronize();
  EXPECT_THAT(Read(x, 64), Each(2));
  EXPECT_THAT(Read(y, 64), Each(4));
}

TEST_P(Capture, MemoryAndStreamsOutsideAreAsUsual) {
  const StreamHandle s = Stream(), t = Stream();
  std::byte *x = Memory(64), *y = Memory(64);
  Begin(s);
  device().Fill(s, x, 2, 64);
  device().Fill(t, y, 3, 64);
  Synchronize();  // Waits for t.
  std::byte* z = Memory(64);
  device().Copy(s, z, x, 64);
  device().Free(y);
  const GraphHandle graph = End();
  device().Replay(s, graph);
  Synchronize();
  EXPECT_THAT(Read(z, 64), Each(2));
}

TEST_P(Capture, AnEmptyOneRuns) {
  const StreamHandle s = Stream();
  std::byte* x = Memory(64);
  Begin(s);
  const GraphHandle graph = End();
  device().Fill(s, x, 1, 64);
  device().Replay(s, graph);
  device().Replay(s, graph);
  Synchronize();
  EXPECT_THAT(Read(x, 64), Each(1));
}

TEST_P(Capture, BeginsAndEndsInTurn) {
  const StreamHandle s = Stream(), t = Stream();
  EXPECT_EQ(device().EndCapture().status().code(), absl::StatusCode::kFailedPrecondition);
  Begin(s);
  EXPECT_EQ(device().BeginCapture(t).code(), absl::StatusCode::kFailedPrecondition);
  End();
  EXPECT_EQ(device().EndCapture().status().code(), absl::StatusCode::kFailedPrecondition);
  Synchronize();
  ExpectWorks();
}

TEST_P(Capture, RefusesAStreamThatTheOriginDoesNotWaitFor) {
  const StreamHandle s = Stream(), t = Stream();
  const EventHandle fork = Event(), join = Event();
  std::byte* x = Memory(64);
  Begin(s);
  device().Record(fork, s);
  device().Wait(t, fork);
  device().Fill(t, x, 1, 64);
  device().Record(join, t);
  device().Wait(s, join);
  device().Fill(t, x, 2, 64);  // After what the origin waits for.
  EXPECT_EQ(device().EndCapture().status().code(), absl::StatusCode::kFailedPrecondition);
  Synchronize();
  device().Fill(t, x, 3, 64);  // The stream is free again.
  Synchronize();
  EXPECT_THAT(Read(x, 64), Each(3));
  ExpectWorks();
}

TEST_P(Capture, TheOriginMayWaitByWayOfOthers) {
  const StreamHandle s = Stream(), t = Stream(), u = Stream();
  const EventHandle e = Event(), f = Event(), g = Event(), unused = Event();
  std::byte *x = Memory(64), *y = Memory(64);
  Begin(s);
  device().Record(e, s);
  device().Wait(t, e);
  device().Fill(t, x, 1, 64);
  device().Record(f, t);
  device().Record(unused, t);
  device().Wait(u, f);
  device().Copy(u, y, x, 64);
  device().Record(g, u);
  device().Wait(s, g);
  const GraphHandle graph = End();
  device().Fill(s, y, 0, 64);
  device().Replay(s, graph);
  Synchronize();
  EXPECT_THAT(Read(y, 64), Each(1));
}

TEST_P(Capture, RefusesCopiesToAndFromTheHost) {
  const StreamHandle s = Stream();
  std::byte* x = Memory(4);
  char text[] = "abc";
  for (const bool in : {true, false}) {
    Begin(s);
    in ? device().CopyIn(s, x, text, 4) : device().CopyOut(s, text, x, 4);
    (void)device().EndCapture();
    ExpectMisuse();
  }
  ExpectWorks();
}

TEST_P(Capture, RefusesEventsFromOutside) {
  const StreamHandle s = Stream(), t = Stream();
  const EventHandle e = Event();
  device().Record(e, s);
  Begin(s);
  device().Wait(s, e);
  (void)device().EndCapture();
  ExpectMisuse();
  Begin(s);
  device().Record(e, t);  // t takes no part.
  (void)device().EndCapture();
  ExpectMisuse();
  // Recorded in an earlier capture is not recorded in this one.
  Begin(s);
  device().Record(e, s);
  End();
  Begin(s);
  device().Wait(s, e);
  (void)device().EndCapture();
  ExpectMisuse();
  ExpectWorks();
}

TEST_P(Capture, ReplaysOnItsOriginAndOutsideOfCaptures) {
  const StreamHandle s = Stream(), t = Stream();
  std::byte* x = Memory(64);
  device().Fill(s, x, 0, 64);
  Begin(s);
  device().Fill(s, x, 1, 64);
  const GraphHandle graph = End();
  device().Replay(t, graph);
  ExpectMisuse();
  Begin(s);
  device().Replay(s, graph);
  (void)device().EndCapture();
  ExpectMisuse();
  EXPECT_THAT(Read(x, 64), Each(0));
  device().Replay(s, graph);
  Synchronize();
  EXPECT_THAT(Read(x, 64), Each(1));
}

INSTANTIATE_TEST_SUITE_P(On, Capture, testing::ValuesIn(DevicesUnderTest()), NameOf);

}  // namespace
}  // namespace bufplan::runtime
