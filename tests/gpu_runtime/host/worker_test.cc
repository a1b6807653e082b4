#include "gpu_runtime/host/worker.h"

#include <chrono>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "tests/gpu_runtime/host/logging_kernel.h"

namespace bufplan::runtime {
namespace {

void EnqueueLog(Worker& worker, Log& log, int entry) {
  worker.Enqueue([&](CommandList& list) { PushLog(list, log, entry); });
}

TEST(WorkerTest, RunsInOrder) {
  Log log;
  Worker worker;
  worker.Synchronize();  // There is nothing to wait for.
  int entry = 0;
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < round % 7; ++i) EnqueueLog(worker, log, entry++);
    worker.Synchronize();
    ASSERT_EQ(log.entries.size(), static_cast<size_t>(entry));
  }
  for (size_t i = 0; i < log.entries.size(); ++i) ASSERT_EQ(log.entries[i], static_cast<int>(i));
}

TEST(WorkerTest, TakesMoreWhileItRuns) {
  Log log;
  Worker worker;
  for (int i = 0; i < 20'000; ++i) EnqueueLog(worker, log, i);
  worker.Synchronize();
  ASSERT_EQ(log.entries.size(), 20'000u);
  for (size_t i = 0; i < log.entries.size(); ++i) ASSERT_EQ(log.entries[i], static_cast<int>(i));
}

TEST(WorkerTest, EndsWhenAllIsDone) {
  Log log;
  {
    Worker worker;
    for (int i = 0; i < 1000; ++i) EnqueueLog(worker, log, i);
  }
  EXPECT_EQ(log.entries.size(), 1000u);
}

TEST(WorkerTest, WaitsForOtherWorkers) {
  Log log;
  HostEvent ready;
  ready.issued = 1;
  Worker waits;
  waits.Enqueue([&](CommandList& list) { PushWait(list, ready); });
  EnqueueLog(waits, log, 2);
  waits.Flush();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ready.issued = 0;
  Worker records;
  EnqueueLog(records, log, 1);
  records.Enqueue([&](CommandList& list) { PushRecord(list, ready); });
  records.Flush();
  waits.Synchronize();
  EXPECT_EQ(log.entries, (std::vector<int>{1, 2}));
}

// Two workers replay lists that wait for each other, many times: 0 on one, 1 on the other, 2 on the first.
TEST(WorkerTest, ReplaysWithMomentsOfTheirOwn) {
  Log log;
  HostEvent there, back;
  CommandList s, t;
  PushLog(s, log, 0);
  PushRecord(s, there);
  PushWait(t, there);
  PushLog(t, log, 1);
  PushRecord(t, back);
  PushWait(s, back);
  PushLog(s, log, 2);
  Worker on_s, on_t;
  constexpr int64_t kReplays = 300;
  for (int64_t replay = 0; replay < kReplays; ++replay) {
    on_t.Enqueue([&](CommandList& list) { PushReplay(list, t, replay); });
    on_s.Enqueue([&](CommandList& list) { PushReplay(list, s, replay); });
  }
  on_s.Flush();
  on_t.Flush();
  on_s.Synchronize();
  on_t.Synchronize();
  ASSERT_EQ(log.entries.size(), static_cast<size_t>(3 * kReplays));
  for (size_t i = 0; i < log.entries.size(); ++i) ASSERT_EQ(log.entries[i], static_cast<int>(i % 3));
}

}  // namespace
}  // namespace bufplan::runtime
