// What every device does: memory, streams, events, errors. Captures are in capture_test.cc.
#include "gpu_runtime/device/device.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gpu_runtime/kernels/delay.h"
#include "tests/gpu_runtime/device/device_under_test.h"

namespace bufplan::runtime {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

using Bytes = std::vector<uint8_t>;

Bytes RandomBytes(std::mt19937_64& random, size_t count) {
  Bytes bytes(count);
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(random());
  return bytes;
}
std::byte* ToBytes(uint8_t* p) { return reinterpret_cast<std::byte*>(p); }

class AnyDevice : public DeviceTest {
 protected:
  Bytes Read(const std::byte* from, size_t count) { return Download(reinterpret_cast<const uint8_t*>(from), count); }
  // Takes long enough for other streams to overtake, where they may.
  void Pause(StreamHandle stream, int64_t microseconds = 300) {
    device().Launch<Delay>(stream, 1, {.nanoseconds = microseconds * 1000});
  }
};

TEST_P(AnyDevice, DescribesItself) {
  const DeviceProperties& p = device().properties();
  EXPECT_FALSE(p.name.empty());
  EXPECT_GT(p.memory_bytes, 1 << 20);
  EXPECT_GT(p.compute_units, 0);
  EXPECT_EQ(p.backend, GetParam().name == "cuda"  ? Backend::kCuda
                       : GetParam().name == "hip" ? Backend::kHip
                                                  : Backend::kHost);
}

TEST_P(AnyDevice, AllocationsAreAlignedAndApart) {
  std::mt19937_64 random(1);
  std::vector<std::pair<std::byte*, Bytes>> blocks;
  for (const size_t bytes : {0, 1, 2, 255, 256, 257, 4095, 4096, 70'001, 1'000'003}) {
    std::byte* memory = Memory(bytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % kAllocationAlignment, 0u);
    blocks.push_back({memory, RandomBytes(random, bytes)});
  }
  for (const auto& [memory, bytes] : blocks) Write(memory, bytes);
  for (const auto& [memory, bytes] : blocks) EXPECT_EQ(Read(memory, bytes.size()), bytes);
}

TEST_P(AnyDevice, SaysWhatItCannotAllocate) {
  constexpr int64_t kTooMuch = int64_t{1} << 60;
  const absl::StatusOr<std::byte*> memory = device().Allocate(kTooMuch);
  ASSERT_EQ(memory.status().code(), absl::StatusCode::kResourceExhausted) << memory.status();
  EXPECT_THAT(std::string(memory.status().message()), HasSubstr(absl::StrCat(kTooMuch)));
  // It is the caller's to handle, and does not stick.
  Synchronize();
  EXPECT_TRUE(device().Allocate(1000).ok());
}

TEST_P(AnyDevice, FreedMemoryIsUsedAgain) {
  // In all more than the device has.
  const int64_t bytes = std::min<int64_t>(device().properties().memory_bytes / 4, int64_t{16} << 30);
  for (int64_t done = 0; done <= device().properties().memory_bytes; done += bytes) {
    const absl::StatusOr<std::byte*> memory = device().Allocate(bytes);
    ASSERT_TRUE(memory.ok()) << memory.status();
    device().Free(*memory);
  }
  Synchronize();
}

TEST_P(AnyDevice, FreeWaitsForWhatUsesTheMemory) {
  const StreamHandle stream = Stream();
  std::byte *from = Memory(5000), *to = Memory(5000);
  device().Fill(stream, from, 7, 5000);
  Pause(stream, 3000);
  device().Copy(stream, to, from, 5000);
  device().Free(from);
  EXPECT_THAT(Read(to, 5000), Each(7));
}

TEST_P(AnyDevice, CopiesAtAnyAddressAndSize) {
  std::mt19937_64 random(2);
  const StreamHandle stream = Stream();
  constexpr size_t kBytes = 9000;
  std::byte *a = Memory(kBytes), *b = Memory(kBytes);
  Bytes in_a = RandomBytes(random, kBytes), in_b = RandomBytes(random, kBytes);
  Write(a, in_a);
  Write(b, in_b);
  for (int i = 0; i < 60; ++i) {
    const size_t bytes = i < 20 ? static_cast<size_t>(i) : random() % 4000;
    const size_t from = random() % (kBytes - bytes), to = random() % (kBytes - bytes);
    const Bytes news = RandomBytes(random, bytes);
    Bytes out(bytes + 2, 99);
    device().CopyIn(stream, a + from, news.data(), static_cast<int64_t>(bytes));
    device().Copy(stream, b + to, a + from, static_cast<int64_t>(bytes));
    device().CopyOut(stream, out.data() + 1, b + to, static_cast<int64_t>(bytes));
    Synchronize();
    std::copy(news.begin(), news.end(), in_a.begin() + static_cast<ptrdiff_t>(from));
    std::copy(news.begin(), news.end(), in_b.begin() + static_cast<ptrdiff_t>(to));
    ASSERT_EQ(Bytes(out.begin() + 1, out.end() - 1), news);
    ASSERT_EQ(out.front(), 99);
    ASSERT_EQ(out.back(), 99);
  }
  EXPECT_EQ(Read(a, kBytes), in_a);
  EXPECT_EQ(Read(b, kBytes), in_b);
}

TEST_P(AnyDevice, CopiesWithinAnAllocation) {
  const StreamHandle stream = Stream();
  std::byte* memory = Memory(300);
  device().Fill(stream, memory, 1, 100);
  device().Fill(stream, memory + 100, 2, 200);
  device().Copy(stream, memory + 173, memory + 3, 97);
  Bytes expected(300, 2);
  std::fill_n(expected.begin(), 100, uint8_t{1});
  std::fill_n(expected.begin() + 173, 97, uint8_t{1});
  Synchronize();
  EXPECT_EQ(Read(memory, 300), expected);
}

TEST_P(AnyDevice, FillsAtAnyAddressAndSize) {
  std::mt19937_64 random(3);
  const StreamHandle stream = Stream();
  constexpr size_t kBytes = 7000;
  Bytes expected = RandomBytes(random, kBytes);
  std::byte* memory = ToBytes(Upload(expected));
  for (int i = 0; i < 80; ++i) {
    const size_t bytes = i < 20 ? static_cast<size_t>(i) : random() % 3000;
    const size_t at = random() % (kBytes - bytes);
    const uint8_t byte = i == 30 ? 255 : static_cast<uint8_t>(random());
    device().Fill(stream, memory + at, byte, static_cast<int64_t>(bytes));
    std::fill_n(expected.begin() + static_cast<ptrdiff_t>(at), bytes, byte);
  }
  Synchronize();
  EXPECT_EQ(Read(memory, kBytes), expected);
}

TEST_P(AnyDevice, NothingOfNoItemsAndNoBytes) {
  const StreamHandle stream = Stream();
  device().Launch<Delay>(stream, 0, {.nanoseconds = std::numeric_limits<int64_t>::max() / 4});
  device().Copy(stream, nullptr, nullptr, 0);
  device().CopyIn(stream, nullptr, nullptr, 0);
  device().CopyOut(stream, nullptr, nullptr, 0);
  device().Fill(stream, nullptr, 1, 0);
  Synchronize();
}

TEST_P(AnyDevice, AStreamKeepsItsOrder) {
  const StreamHandle stream = Stream();
  constexpr size_t kSteps = 500;
  std::byte *x = Memory(64), *log = Memory(kSteps * 64);
  for (size_t i = 0; i < kSteps; ++i) {
    device().Fill(stream, x, static_cast<uint8_t>(i * 7), 64);
    if (i % 50 == 0) Pause(stream, 100);
    device().Copy(stream, log + 64 * i, x, 64);
  }
  Synchronize();
  const Bytes logged = Read(log, kSteps * 64);
  for (size_t i = 0; i < logged.size(); ++i) ASSERT_EQ(logged[i], static_cast<uint8_t>(i / 64 * 7)) << i;
}

TEST_P(AnyDevice, ArgumentsAreCopied) {
  const StreamHandle stream = Stream();
  std::byte* x = Memory(8);
  Delay::Args arguments = {.nanoseconds = 1000};
  Pause(stream, 2000);
  device().Launch<Delay>(stream, 1, arguments);
  device().Fill(stream, x, 5, 8);
  arguments.nanoseconds = std::numeric_limits<int64_t>::max() / 4;  // Would never end.
  Synchronize();
  EXPECT_THAT(Read(x, 8), Each(5));
}

// A value goes round several streams, each handing it on by an event.
TEST_P(AnyDevice, EventsOrderStreams) {
  constexpr size_t kStreams = 4, kRounds = 40;
  std::vector<StreamHandle> streams;
  std::vector<EventHandle> events;
  for (size_t i = 0; i < kStreams; ++i) {
    streams.push_back(Stream());
    events.push_back(Event());
  }
  std::byte* cells = Memory((kStreams * kRounds + 1) * 128);
  device().Fill(streams[0], cells, 42, 128);
  device().Record(events[kStreams - 1], streams[0]);
  for (size_t i = 0; i < kStreams * kRounds; ++i) {
    const StreamHandle stream = streams[i % kStreams];
    device().Wait(stream, events[(i + kStreams - 1) % kStreams]);
    if (i % 7 == 0) Pause(stream);
    device().Copy(stream, cells + 128 * (i + 1), cells + 128 * i, 128);
    device().Record(events[i % kStreams], stream);
  }
  Synchronize();
  EXPECT_THAT(Read(cells, (kStreams * kRounds + 1) * 128), Each(42));
}

TEST_P(AnyDevice, OneEventFreesManyStreams) {
  const StreamHandle first = Stream();
  const EventHandle ready = Event(), other = Event();
  std::byte* x = Memory(1024);
  std::byte* copies = Memory(8 * 1024);
  device().Fill(first, x, 1, 1024);
  Pause(first, 1000);
  device().Fill(first, x, 2, 1024);
  device().Record(ready, first);
  for (size_t i = 0; i < 8; ++i) {
    const StreamHandle stream = Stream();
    device().Wait(stream, ready);
    device().Copy(stream, copies + 1024 * i, x, 1024);
    device().Record(other, stream);  // Changes nothing for `ready`.
  }
  Synchronize();
  EXPECT_THAT(Read(copies, 8 * 1024), Each(2));
}

TEST_P(AnyDevice, WaitIsForTheLatestRecordSoFar) {
  const StreamHandle s = Stream(), t = Stream();
  const EventHandle e = Event(), back = Event();
  std::byte *x = Memory(512), *y = Memory(512), *z = Memory(512);
  device().Fill(s, x, 1, 512);
  device().Record(e, s);
  Pause(s, 1000);
  device().Fill(s, x, 2, 512);
  device().Record(e, s);
  device().Wait(t, e);
  device().Copy(t, y, x, 512);
  device().Record(back, t);
  device().Wait(s, back);
  // A later Record changes nothing for t: else neither would ever go on.
  device().Fill(s, x, 3, 512);
  device().Record(e, s);
  device().Wait(t, e);
  device().Copy(t, z, x, 512);
  Synchronize();
  EXPECT_THAT(Read(y, 512), Each(2));
  EXPECT_THAT(Read(z, 512), Each(3));
}

// An event that is recorded on another stream stands for that one, whichever of both is reached first.
TEST_P(AnyDevice, AnEventMovesToAFasterStream) {
  const StreamHandle slow = Stream(), fast = Stream(), reader = Stream();
  const EventHandle e = Event();
  std::byte *x = Memory(256), *y = Memory(256);
  device().Fill(reader, x, 0, 256);
  Synchronize();
  Pause(slow, 20'000);
  device().Record(e, slow);
  device().Fill(fast, x, 9, 256);
  device().Record(e, fast);
  Pause(reader, 40'000);  // By now `slow` has reached the older one.
  device().Wait(reader, e);
  device().Copy(reader, y, x, 256);
  Synchronize();
  EXPECT_THAT(Read(y, 256), Each(9));
}

TEST_P(AnyDevice, AWaitStaysWithTheStreamThatItWasFor) {
  const StreamHandle slow = Stream(), fast = Stream(), reader = Stream();
  const EventHandle e = Event();
  std::byte *x = Memory(256), *y = Memory(256);
  device().Fill(reader, x, 0, 256);
  Synchronize();
  Pause(slow, 20'000);
  device().Fill(slow, x, 10, 256);
  device().Record(e, slow);
  device().Wait(reader, e);
  device().Record(e, fast);  // Reached at once.
  device().Copy(reader, y, x, 256);
  Synchronize();
  EXPECT_THAT(Read(y, 256), Each(10));
}

TEST_P(AnyDevice, WaitWithoutRecordIsForNothing) {
  const StreamHandle s = Stream();
  const EventHandle e = Event();
  std::byte* x = Memory(16);
  device().Wait(s, e);
  device().Fill(s, x, 4, 16);
  device().Record(e, s);
  device().Wait(s, e);  // Of its own past.
  Synchronize();
  EXPECT_THAT(Read(x, 16), Each(4));
}

// Kernels of several streams, and what waits for them, take the time of one.
TEST_P(AnyDevice, StreamsRunAtOnce) {
  constexpr size_t kStreams = 4;
  constexpr std::chrono::nanoseconds kHold = std::chrono::milliseconds(150);
  std::byte* cells = Memory(kStreams * 64);
  std::vector<StreamHandle> streams;
  for (size_t i = 0; i < kStreams; ++i) {
    streams.push_back(Stream());
    device().Launch<Delay>(streams[i], 1, {.nanoseconds = 1000});  // What the first launch has to load, it loads now.
  }
  Synchronize();
  const auto begin = std::chrono::steady_clock::now();
  for (size_t i = 0; i < kStreams; ++i) {
    const EventHandle e = Event();
    const StreamHandle behind = Stream();
    device().Launch<Delay>(streams[i], 1, {.nanoseconds = kHold.count()});
    device().Record(e, streams[i]);
    device().Wait(behind, e);
    device().Fill(behind, cells + 64 * i, 1, 64);
  }
  Synchronize();
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(took, kHold);
  if (GetParam().is_concurrent) {
    EXPECT_LT(took, (kStreams - 1) * kHold);
  }
  EXPECT_THAT(Read(cells, kStreams * 64), Each(1));
}

TEST_P(AnyDevice, AFailureSticksUntilSynchronize) {
  const StreamHandle s = Stream(), t = Stream();
  std::byte* x = Memory(16);
  ASSERT_TRUE(device().BeginCapture(s).ok());
  device().CopyIn(s, x, "0123456789abcdef", 16);
  const absl::StatusOr<GraphHandle> graph = device().EndCapture();
  ASSERT_TRUE(graph.ok()) << graph.status();
  device().Replay(t, *graph);
  const absl::Status first = device().Synchronize();
  EXPECT_EQ(first.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(first.message()), HasSubstr("CopyIn"));  // The first of two.
  device().Fill(s, x, 6, 16);
  Synchronize();
  EXPECT_THAT(Read(x, 16), Each(6));
}

TEST_P(AnyDevice, CallsHostFunctionsInStreamOrderOnTheHostAlone) {
  const StreamHandle stream = Stream();
  std::byte* const memory = Memory(4);
  std::byte seen{0};
  device().Fill(stream, memory, 7, 4);
  device().HostCall(stream, [&] { seen = memory[0]; });
  device().Fill(stream, memory, 9, 4);
  const absl::Status status = device().Synchronize();
  // Who has streams of an API leaves calls to it.
  if (device().NativeStream(stream) == nullptr) {
    EXPECT_EQ(device().properties().backend, Backend::kHost);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(seen, std::byte{7});
  } else {
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  }
}

TEST_P(AnyDevice, RefusesAKernelThatIsNotInTheList) {
  const int argument = 0;
  device().LaunchBytes(Stream(), static_cast<KernelId>(kNumKernels), 1, &argument, sizeof(argument));
  EXPECT_EQ(device().Synchronize().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(device().Synchronize().ok());
}

INSTANTIATE_TEST_SUITE_P(On, AnyDevice, testing::ValuesIn(DevicesUnderTest()), NameOf);

}  // namespace
}  // namespace bufplan::runtime
