#include "benchmarks/suite/measure.h"

#include <csignal>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;

// Two buffers of 64 bytes, alive together.
BenchCase TwoBuffers() {
  BenchCase c;
  for (const char* name : {"a", "b"}) {
    Buffer& b = c.problem.buffers.emplace_back();
    b.name = name;
    b.bytes = 64;
    b.end = 2;
  }
  return c;
}

Method Gives(MethodResult result) {
  return {"method", [result](const BenchCase&) -> absl::StatusOr<MethodResult> { return result; }};
}

TEST(MeasureTest, WhatAMethodGives) {
  const absl::StatusOr<Measurement> m = Measure(TwoBuffers(), Gives({{0, 64}, {}, {128}, 128, 100, /*optimal=*/false}));
  ASSERT_TRUE(m.ok()) << m.status();
  EXPECT_EQ(m->skipped, "");
  EXPECT_EQ(m->bytes, 128);
  EXPECT_EQ(m->lower_bound, 100);
  EXPECT_EQ(m->chunks, 1);
  EXPECT_GE(m->runs, 1);
  EXPECT_LE(m->runs, 9);
}

TEST(MeasureTest, WrongResultsAreFound) {
  const auto error = [](const BenchCase& c, MethodResult result) {
    const absl::Status status = Measure(c, Gives(std::move(result))).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
    return std::string(status.message());
  };
  BenchCase c = TwoBuffers();
  EXPECT_THAT(error(c, {{0, 63}, {}, {127}, 127}), HasSubstr("invalid placement: "));
  EXPECT_THAT(error(c, {{0}, {}, {64}, 64}), HasSubstr("not one offset a buffer"));
  EXPECT_THAT(error(c, {{0, 64}, {}, {127}, 127}), HasSubstr("outside of its chunk"));
  EXPECT_THAT(error(c, {{0, 64}, {}, {128}, 127}), HasSubstr("add up"));
  EXPECT_THAT(error(c, {{0, 0}, {0, 2}, {64, 64}, 128}), HasSubstr("no such chunk"));
  c.max_chunk_bytes = 100;
  EXPECT_THAT(error(c, {{0, 64}, {0, 0}, {128}, 128}), HasSubstr("larger than the limit"));
  EXPECT_TRUE(Measure(c, Gives({{0, 0}, {0, 1}, {64, 64}, 128})).ok());
}

TEST(MeasureTest, WhatAMethodDoesNotDoIsSkipped) {
  const Method method = {"method", [](const BenchCase&) -> absl::StatusOr<MethodResult> {
                           return absl::ResourceExhaustedError("too many pairs");
                         }};
  const absl::StatusOr<Measurement> m = Measure(TwoBuffers(), method);
  ASSERT_TRUE(m.ok()) << m.status();
  EXPECT_EQ(m->skipped, "too many pairs");
}

TEST(MeasureTest, OtherFailuresAndDeathsAreErrors) {
  const Method fails = {"method", [](const BenchCase&) -> absl::StatusOr<MethodResult> {
                          return absl::InvalidArgumentError("nonsense");
                        }};
  EXPECT_EQ(Measure(TwoBuffers(), fails).status().message(), "nonsense");
  const Method dies = {"method", [](const BenchCase&) -> absl::StatusOr<MethodResult> {
                         std::raise(SIGKILL);
                         return MethodResult{};
                       }};
  EXPECT_EQ(Measure(TwoBuffers(), dies).status().message(), "its process died by signal 9");
}

TEST(MethodsTest, OursAndTheBaselines) {
  const std::vector<Method> methods = MethodsFor(TwoBuffers(), /*with_max=*/true);
  ASSERT_GT(methods.size(), 3u);
  EXPECT_EQ(methods[0].name, "fast");
  EXPECT_EQ(methods[2].name, "max");
  for (const Method& method : methods) {
    const absl::StatusOr<MethodResult> result = method.run(TwoBuffers());
    ASSERT_TRUE(result.ok()) << method.name;
    EXPECT_EQ(result->total_bytes, 128) << method.name;
  }
  EXPECT_TRUE(IsOurs("fast"));
  EXPECT_TRUE(IsOurs("graph max"));
  EXPECT_FALSE(IsOurs("ggml"));
  EXPECT_EQ(LowerBoundOf(TwoBuffers()), 128);
}

}  // namespace
}  // namespace bufplan
