// Shows that each wrapped library compiles, links and runs, and that the
// compiler is in the mode the project relies on.

#include <benchmark/benchmark.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <Eigen/Dense>
#include <array>
#include <cstdint>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/hash/hash.h"
#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace bufplan {
namespace {

static_assert(__cplusplus >= 202002L, "the project is C++20");

absl::StatusOr<int> Half(int value) {
  if (value % 2 != 0) {
    return absl::InvalidArgumentError(absl::StrCat("odd: ", value));
  }
  return value / 2;
}

TEST(SmokeTest, AbseilStatus) {
  EXPECT_EQ(Half(6).value(), 3);
  EXPECT_EQ(Half(7).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Half(7).status().message(), "odd: 7");
}

TEST(SmokeTest, AbseilContainers) {
  absl::flat_hash_map<std::string, int> map;
  absl::flat_hash_set<int64_t> set;
  absl::InlinedVector<int, 2> inlined;
  absl::btree_map<int, int> tree;
  for (int i = 0; i < 1000; ++i) {
    map[absl::StrCat("v", i)] = i;
    set.insert(i % 10);
    inlined.push_back(i);
    tree[-i] = i;
  }
  EXPECT_EQ(map.at("v321"), 321);
  EXPECT_EQ(set.size(), 10);
  EXPECT_EQ(absl::c_count(inlined, 7), 1);
  EXPECT_EQ(tree.begin()->second, 999);
  EXPECT_EQ(absl::MakeConstSpan(inlined).subspan(998).front(), 998);
  using Pair = std::pair<int, int>;
  EXPECT_EQ(absl::Hash<Pair>()(Pair(1, 2)), absl::Hash<Pair>()(Pair(1, 2)));
}

TEST(SmokeTest, AbseilText) {
  EXPECT_EQ(absl::StrFormat("%08.3f|%d", 3.14159, 42), "0003.142|42");
  EXPECT_EQ(absl::StrJoin(std::vector<int>{1, 2, 3}, "+"), "1+2+3");
  EXPECT_EQ(absl::FormatDuration(absl::Milliseconds(1500)), "1.5s");
  EXPECT_EQ(absl::StrCat(absl::Int128High64(absl::int128(-1))), "-1");
}

TEST(SmokeTest, StandardThreads) {
  std::mutex mutex;
  int count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 100; ++k) {
        const std::lock_guard lock(mutex);
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 400);
}

TEST(SmokeTest, JsonWithoutExceptions) {
  const nlohmann::json parsed = nlohmann::json::parse("{\"a\": [1, 2]}", nullptr, false);
  EXPECT_EQ(parsed.at("a").at(1), 2);
  EXPECT_TRUE(nlohmann::json::parse("{\"a\":", nullptr, false).is_discarded());
}

TEST(SmokeTest, EigenSolves) {
  const Eigen::Matrix2d matrix{{4, 0}, {0, 16}};
  const Eigen::Vector2d solution = matrix.llt().solve(Eigen::Vector2d(4, 32));
  EXPECT_THAT(std::vector<double>(solution.begin(), solution.end()), testing::ElementsAre(1, 2));
}

TEST(SmokeTest, LibcryptoDigest) {
  const std::string text = "abc";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  ASSERT_EQ(EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr), 1);
  ASSERT_EQ(size, 32);
  const std::string hex =
      absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
  EXPECT_EQ(hex.substr(0, 16), "ba7816bf8f01cfea");
}

TEST(SmokeTest, BenchmarkRegisters) {
  EXPECT_NE(benchmark::RegisterBenchmark("Nothing",
                                         [](benchmark::State& state) {
                                           for (auto _ : state) {
                                           }
                                         }),
            nullptr);
}

}  // namespace
}  // namespace bufplan
