#include "planner/plan_problem.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/checker.h"
#include "ir/where.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Buffer MakeBuffer(std::string name, int64_t bytes, int64_t begin, int64_t end) {
  Buffer buffer;
  buffer.name = std::move(name);
  buffer.bytes = bytes;
  buffer.begin = begin;
  buffer.end = end;
  return buffer;
}

std::string Message(const absl::StatusOr<ProblemPlan>& plan) { return std::string(plan.status().message()); }

Problem FromCsv(const char* path) {
  Problem problem;
  for (const Interval& i : ReadCsv(path)) {
    problem.buffers.push_back(MakeBuffer(absl::StrCat("b", problem.buffers.size()), i.size_bytes, i.begin, i.end));
  }
  return problem;
}

TEST(PlanProblemTest, FiveBuffersIn12Bytes) {
  Problem problem;
  problem.buffers = {MakeBuffer("a", 4, 0, 3), MakeBuffer("b", 4, 3, 9), MakeBuffer("c", 4, 0, 9),
                     MakeBuffer("d", 4, 9, 21), MakeBuffer("e", 4, 0, 21)};
  const auto plan = PlanProblem(problem);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->bytes, 12);
  EXPECT_EQ(plan->lower_bound, 12);
  EXPECT_TRUE(plan->optimal);
}

TEST(PlanProblemTest, AlignmentPinsAndGaps) {
  Problem problem;
  problem.alignment_bytes = 64;
  problem.buffers = {MakeBuffer("p", 512, 0, 10), MakeBuffer("q", 100, 0, 2), MakeBuffer("r", 512, 4, 6)};
  problem.buffers[0].offset_bytes = 0;
  problem.buffers[0].gaps = {{3, 8}};
  problem.buffers[1].alignment_bytes = 1024;
  const auto plan = PlanProblem(problem);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->offsets, ElementsAre(0, 1024, 0));
  EXPECT_EQ(plan->bytes, 1124);
}

TEST(PlanProblemTest, ZeroBytesAndNeverLive) {
  Problem problem;
  problem.alignment_bytes = 64;
  problem.buffers = {MakeBuffer("zero", 0, 0, 9), MakeBuffer("never", 40, 5, 5), MakeBuffer("a", 50, 0, 9)};
  const auto plan = PlanProblem(problem);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->bytes, 50);
  problem.buffers.resize(1);
  EXPECT_EQ(PlanProblem(problem)->bytes, 0);
  EXPECT_EQ(PlanProblem(Problem())->bytes, 0);
}

TEST(PlanProblemTest, BadProblemsAreRefusedByName) {
  Problem problem;
  problem.buffers = {MakeBuffer("a", -1, 0, 1)};
  EXPECT_THAT(Message(PlanProblem(problem)), HasSubstr("buffer \"a\": bytes=-1"));
  problem.buffers = {MakeBuffer("a", int64_t{1} << 62, 0, 1), MakeBuffer("b", int64_t{1} << 62, 0, 1)};
  EXPECT_THAT(Message(PlanProblem(problem)), HasSubstr("buffer \"b\""));
  problem.buffers = {MakeBuffer("a", int64_t{1} << 62, 0, 1), MakeBuffer("b", int64_t{1} << 61, 0, 1)};
  problem.buffers[0].alignment_bytes = int64_t{1} << 62;
  EXPECT_THAT(Message(PlanProblem(problem)), HasSubstr("\"a\": bytes=4611686018427387904"));
  problem.buffers = {MakeBuffer("a", 64, 0, 9), MakeBuffer("b", 64, 3, 4), MakeBuffer("c", 64, 2, 5)};
  problem.buffers[0].offset_bytes = 64;
  problem.buffers[1].offset_bytes = 127;
  const auto pins = PlanProblem(problem);
  EXPECT_EQ(pins.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(pins), HasSubstr("buffer \"b\": pinned to [127, 191), which meets \"a\", pinned to [64, 128)"));
  EXPECT_EQ(FaultPlace(pins.status()), "/buffers/1/offset");
}

TEST(PlanProblemTest, InfeasibleSaysWhoIsLiveAtThePeakAndWhatWorks) {
  Problem problem;
  problem.capacity_bytes = 196608;
  problem.buffers = {MakeBuffer("x", 100000, 0, 5), MakeBuffer("y", 156000, 3, 9), MakeBuffer("z", 1000, 7, 9)};
  const auto plan = PlanProblem(problem);
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(Message(plan), HasSubstr("capacity=196608"));
  EXPECT_THAT(Message(plan), HasSubstr("at least 256000"));
  EXPECT_THAT(Message(plan), HasSubstr("at time 3, where 2 buffers are live: \"y\" 156000, \"x\" 100000"));
  EXPECT_THAT(Message(plan), HasSubstr("known to work is 256000"));
  EXPECT_THAT(Message(plan), Not(HasSubstr("\"z\"")));
  problem.buffers[0].bytes = 7840;
  EXPECT_TRUE(PlanProblem(problem).ok());
}

TEST(PlanProblemTest, AtMostTenAreNamed) {
  Problem problem;
  problem.capacity_bytes = 1;
  for (int i = 0; i < 25; ++i) problem.buffers.push_back(MakeBuffer(absl::StrCat("b", i), 100 + i, 0, 1));
  EXPECT_THAT(Message(PlanProblem(problem)), HasSubstr("\"b15\" 115 and 15 more"));
}

TEST(PlanProblemTest, NamesAFewThatAloneDoNotFit) {
  Problem problem;
  problem.capacity_bytes = 250;
  problem.buffers = {MakeBuffer("small", 10, 0, 5), MakeBuffer("x", 100, 0, 5), MakeBuffer("y", 160, 3, 9),
                     MakeBuffer("tiny", 1, 4, 5), MakeBuffer("later", 200, 5, 6)};
  problem.buffers[2].gaps = {{5, 7}};
  const auto plan = PlanProblem(problem);
  EXPECT_THAT(Message(plan), HasSubstr("where 4 buffers are live: \"y\" 160, \"x\" 100, \"small\" 10, \"tiny\" 1;"));
  EXPECT_THAT(Message(plan),
              EndsWith("known to work is 271; these 2 buffers alone do not fit: \"y\" 160 [3, 5) and [7, 9), "
                       "\"x\" 100 [0, 5)"));
  const auto subset = FindInfeasibleBuffers(problem);
  ASSERT_TRUE(subset.ok()) << subset.status();
  EXPECT_THAT(subset->buffers, ElementsAre(1, 2));
  EXPECT_TRUE(subset->minimal);
  EXPECT_EQ(subset->proof, InfeasibilityProof::kLoad);
  // What has been said is not said again.
  problem.capacity_bytes = 270;
  EXPECT_THAT(Message(PlanProblem(problem)), EndsWith("known to work is 271"));
  problem.capacity_bytes = 150;
  EXPECT_THAT(Message(PlanProblem(problem)), EndsWith("; this buffer alone does not fit: \"later\" 200 [5, 6)"));
  problem.capacity_bytes = 271;
  EXPECT_THAT(FindInfeasibleBuffers(problem)->buffers, IsEmpty());
  problem.capacity_bytes.reset();
  EXPECT_THAT(FindInfeasibleBuffers(problem)->buffers, IsEmpty());
}

TEST(PlanProblemTest, ManyThatAloneDoNotFitAreCounted) {
  Problem problem;
  for (int i = 0; i < 100; ++i) problem.buffers.push_back(MakeBuffer(absl::StrCat("b", i), 100 + i, 0, 1 + i % 3));
  problem.capacity_bytes = 7000;
  // 199 + ... + 161 = 7020.
  EXPECT_THAT(Message(PlanProblem(problem)), EndsWith("; the largest 39 of them alone do not fit"));
}

TEST(PlanProblemTest, BadProblemsHaveNoSubset) {
  Problem problem;
  problem.capacity_bytes = 100;
  problem.buffers = {MakeBuffer("a", -1, 0, 1)};
  EXPECT_THAT(std::string(FindInfeasibleBuffers(problem).status().message()), HasSubstr("buffer \"a\": bytes=-1"));
  problem.buffers = {MakeBuffer("a", 64, 0, 9), MakeBuffer("b", 64, 3, 4)};
  problem.buffers[0].offset_bytes = 0;
  problem.buffers[1].offset_bytes = 32;
  EXPECT_THAT(std::string(FindInfeasibleBuffers(problem).status().message()), HasSubstr("which meets \"a\""));
}

TEST(PlanProblemTest, APinAboveTheCapacityIsTheReason) {
  Problem problem;
  problem.capacity_bytes = 100;
  problem.buffers = {MakeBuffer("a", 64, 0, 9), MakeBuffer("b", 64, 9, 12)};
  problem.buffers[1].offset_bytes = 64;
  const auto plan = PlanProblem(problem);
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(Message(plan), HasSubstr("buffer \"b\" of 64 bytes ends there at offset 64"));
}

TEST(PlanProblemTest, NotFoundIsNotInfeasible) {
  Problem problem = FromCsv("benchmarks/data/minimalloc/K.1048576.csv");
  problem.capacity_bytes = 1048576;
  const auto plan = PlanProblem(problem, {.placement = {PlacementEffort::kDefault, 100000}});
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(Message(plan), HasSubstr("lower bound 1048576"));
}

// One success brings J from above 5 % over the bound to above 4.5 %, the next ones further down.
TEST(PlanProblemTest, TheGapIsHalvedAgainAfterASuccess) {
  const auto plan = PlanProblem(FromCsv("benchmarks/data/minimalloc/J.1048576.csv"));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_LE(static_cast<double>(plan->bytes), 1.045 * static_cast<double>(plan->lower_bound));
}

TEST(PlanProblemTest, ABoundFarTooLowIsSoonLeftBehind) {
  // The load is half of what is needed: b has to lie below a, or above.
  for (const int64_t bytes : {int64_t{100}, int64_t{100'000'000}, int64_t{1} << 40}) {
    Problem problem;
    problem.buffers = {MakeBuffer("a", bytes, 0, 1), MakeBuffer("b", bytes, 0, 1)};
    problem.buffers[0].offset_bytes = bytes - 2;
    const auto plan = PlanProblem(problem);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->bytes, 3 * bytes - 2);
    EXPECT_TRUE(plan->optimal);
    EXPECT_TRUE(plan->by_search);
  }
}

TEST(PlanProblemTest, AlignmentIsNamedAsAReason) {
  Problem problem;
  problem.buffers = {MakeBuffer("a", 100, 0, 2), MakeBuffer("b", 100, 1, 3)};
  problem.buffers[0].alignment_bytes = problem.buffers[1].alignment_bytes = 256;
  problem.capacity_bytes = 300;
  const auto plan = PlanProblem(problem);
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(plan.status().message(), HasSubstr("that is 200 bytes, 356 with their alignment"));
}

TEST(PlanProblemTest, FastTriesHarderBeforeItGivesUp) {
  Problem problem;
  problem.buffers = {MakeBuffer("a", 10, 0, 2), MakeBuffer("b", 4, 1, 5), MakeBuffer("c", 14, 2, 4)};
  problem.capacity_bytes = 18;
  EXPECT_TRUE(PlanProblem(problem, {.placement = {PlacementEffort::kFast}}).ok());
}

TEST(PlanProblemTest, TheOrderOfTheListHasNoInfluence) {
  std::mt19937_64 random(15);
  for (const char* path : {"equal", "benchmarks/data/minimalloc/A.1048576.csv", "benchmarks/data/iopddl/G_1.csv"}) {
    Problem problem;
    if (std::string(path) == "equal") {
      for (int i = 0; i < 200; ++i) problem.buffers.push_back(MakeBuffer(absl::StrCat("b", i), 64, i / 10, i / 10 + 3));
    } else {
      problem = FromCsv(path);
    }
    for (PlacementEffort effort : {PlacementEffort::kFast, PlacementEffort::kDefault}) {
      std::map<std::string, int64_t> expected;
      for (int round = 0; round < 20; ++round) {
        const auto plan = PlanProblem(problem, {.placement = {effort, 100000}});
        ASSERT_TRUE(plan.ok()) << plan.status();
        std::map<std::string, int64_t> offsets;
        for (size_t i = 0; i < problem.buffers.size(); ++i) offsets[problem.buffers[i].name] = plan->offsets[i];
        if (round == 0) expected = offsets;
        ASSERT_EQ(offsets, expected) << path << ", round " << round;
        std::shuffle(problem.buffers.begin(), problem.buffers.end(), random);
      }
    }
  }
}

TEST(PlanProblemTest, AllDataPassesTheChecker) {
  for (const DataFile& file : DataFiles()) {
    const Problem problem = FromCsv(file.path);
    ASSERT_FALSE(problem.buffers.empty()) << file.path;
    const auto plan = PlanProblem(problem, {.placement = {PlacementEffort::kFast}, .check = false});
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->lower_bound, file.load_bytes) << file.path;
    const auto report = CheckProblemPlan(problem, *plan);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_TRUE(report->ok()) << file.path << ": " << report->violations[0].message;
  }
}

// MiniMalloc's problems, in the capacity that each is made for, and the nine that reach the bytes live at once.
TEST(PlanProblemTest, TheHardProblemsFit) {
  for (const char name : std::string("ABCDEFGHIJK")) {
    Problem problem =
        FromCsv(absl::StrCat("benchmarks/data/minimalloc/", std::string(1, name), ".1048576.csv").c_str());
    problem.capacity_bytes = 1048576;
    const auto plan = PlanProblem(problem);
    ASSERT_TRUE(plan.ok()) << name << ": " << plan.status();
    EXPECT_LE(plan->bytes, 1048576) << name;
    problem.capacity_bytes.reset();
    const auto least = PlanProblem(problem);
    ASSERT_TRUE(least.ok()) << name << ": " << least.status();
    EXPECT_EQ(least->optimal, name != 'J') << name << ": " << least->bytes;
  }
}

// Around a pin, problems may need more than is live at once. That is found out, and less is refused as proven.
TEST(PlanProblemTest, ACapacityAboveTheLoadThatNoPlacementMeetsIsRefused) {
  std::mt19937_64 random(5);
  int found = 0;
  for (int round = 0; round < 300; ++round) {
    Problem problem;
    problem.buffers = {MakeBuffer("pinned", 2, 2, 7)};
    problem.buffers[0].offset_bytes = 1 + static_cast<int64_t>(random() % 4);
    for (int i = 0; i < 8; ++i) {
      const int64_t begin = static_cast<int64_t>(random() % 8);
      problem.buffers.push_back(MakeBuffer(absl::StrCat("b", i), 1 + static_cast<int64_t>(random() % 3), begin,
                                           begin + 1 + static_cast<int64_t>(random() % 4)));
    }
    int64_t load = *problem.buffers[0].offset_bytes + 2;
    for (int64_t t = 0; t < 14; ++t) {
      int64_t live = 0;
      for (const Buffer& b : problem.buffers) live += b.begin <= t && t < b.end ? b.bytes : 0;
      load = std::max(load, live);
    }
    const auto plan = PlanProblem(problem);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_TRUE(plan->optimal);
    EXPECT_GE(plan->lower_bound, load);
    if (plan->bytes == load) continue;
    ++found;
    EXPECT_EQ(plan->lower_bound, plan->bytes);
    problem.capacity_bytes = load;
    const auto refused = PlanProblem(problem);
    EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(Message(refused), HasSubstr("an exhaustive search found no placement"));
    EXPECT_THAT(Message(refused), HasSubstr("alone do not fit: \""));
    const auto subset = FindInfeasibleBuffers(problem);
    ASSERT_TRUE(subset.ok()) << subset.status();
    ASSERT_THAT(subset->buffers, Not(IsEmpty()));
    EXPECT_EQ(subset->proof, InfeasibilityProof::kSearch);
    EXPECT_TRUE(subset->minimal);
    Problem part = problem;
    part.buffers.clear();
    for (size_t i : subset->buffers) part.buffers.push_back(problem.buffers[i]);
    EXPECT_EQ(PlanProblem(part).status().code(), absl::StatusCode::kResourceExhausted);
    for (size_t i = 0; i < part.buffers.size(); ++i) {
      Problem rest = part;
      rest.buffers.erase(rest.buffers.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_TRUE(PlanProblem(rest).ok()) << part.buffers[i].name;
    }
    problem.capacity_bytes = plan->bytes;
    EXPECT_TRUE(PlanProblem(problem).ok());
  }
  EXPECT_GT(found, 5);
}

}  // namespace
}  // namespace bufplan
