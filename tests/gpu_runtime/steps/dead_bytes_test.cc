// What dies where, against a model that keeps for each byte who touched its content.
#include "gpu_runtime/steps/dead_bytes.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/oracle/random.h"

namespace bufplan::runtime {
namespace {

constexpr int64_t kBytes = 24;

ByteSet RandomBytes(Rng& rng) {
  std::vector<ByteRange> ranges;
  for (int64_t n = rng.Between(1, 2); n > 0; --n) {
    const int64_t begin = rng.Between(0, kBytes);
    ranges.push_back({begin, std::min(kBytes, begin + rng.Between(0, 12))});
  }
  return ByteSet::OfAll(std::move(ranges));
}

// One byte: since its content was written, by whom it was touched.
class NaiveByte {
 public:
  void Start() { there_ = true; }
  void Read(int unit) { readers_.insert(unit); }
  void ReadAtEnd() { at_end_ = true; }
  // Of those who touch the content, the one that all others happen before. Nobody in particular: -1.
  int Last(const HappensBefore& order) const {
    if (at_end_) return -1;
    if (readers_.empty()) return writer_;
    for (int last : readers_) {
      bool all = true;
      for (int r : readers_) all = all && (r == last || order.Before(r, last));
      if (all) return last;
    }
    return -1;
  }
  void Write(int unit) {
    *this = NaiveByte();
    there_ = true;
    writer_ = unit;
  }
  bool Untouched() const { return !there_ && readers_.empty() && !at_end_; }

 private:
  bool there_ = false;
  int writer_ = -1;
  std::set<int> readers_;
  bool at_end_ = false;
};

struct Order {
  std::vector<int32_t> streams;
  HappensBefore relation;
};

Order RandomOrder(Rng& rng, int units, int streams) {
  Order order;
  std::vector<HappensBefore::Edge> edges;
  for (int u = 0; u < units; ++u) {
    order.streams.push_back(static_cast<int32_t>(rng.Between(0, streams - 1)));
    if (u > 0 && rng.Percent(40)) edges.push_back({static_cast<int32_t>(rng.Between(0, u - 1)), u});
  }
  absl::StatusOr<HappensBefore> relation = HappensBefore::Create(order.streams, streams, edges);
  EXPECT_TRUE(relation.ok()) << relation.status();
  order.relation = *std::move(relation);
  return order;
}

class Model {
 public:
  Model(const HappensBefore& order, int memories) : order_(order), bytes_(static_cast<size_t>(memories)) {
    for (auto& memory : bytes_) memory.resize(kBytes);
  }
  template <class F>
  void ForEach(int32_t memory, const ByteSet& set, const F& f) {
    for (int64_t b = 0; b < kBytes; ++b) {
      if (set.Contains({b, b + 1})) f(bytes_[static_cast<size_t>(memory)][static_cast<size_t>(b)], b);
    }
  }
  void Overwritten(int32_t unit, int32_t memory, const ByteSet& set) {
    ForEach(memory, set, [&](NaiveByte& byte, int64_t b) {
      const int last = byte.Last(order_);
      // Who overwrites what it was the last to touch leaves no time for garbage.
      if (last >= 0 && last != unit) dead_[{last, memory}].insert(b);
      byte.Write(unit);
    });
  }
  void Finish() {
    for (size_t m = 0; m < bytes_.size(); ++m) {
      std::set<int64_t> garbage;
      for (int64_t b = 0; b < kBytes; ++b) {
        const NaiveByte& byte = bytes_[m][static_cast<size_t>(b)];
        const int last = byte.Last(order_);
        if (last >= 0) dead_[{last, static_cast<int32_t>(m)}].insert(b);
        if (last >= 0 || byte.Untouched()) garbage.insert(b);
      }
      garbage_.push_back(garbage);
    }
  }
  const std::map<std::pair<int32_t, int32_t>, std::set<int64_t>>& dead() const { return dead_; }
  const std::vector<std::set<int64_t>>& garbage() const { return garbage_; }

 private:
  const HappensBefore& order_;
  std::vector<std::vector<NaiveByte>> bytes_;  // by memory
  std::map<std::pair<int32_t, int32_t>, std::set<int64_t>> dead_;
  std::vector<std::set<int64_t>> garbage_;
};

std::set<int64_t> BytesIn(const ByteSet& set) {
  std::set<int64_t> bytes;
  for (const ByteRange& r : set.ranges()) {
    for (int64_t b = r.begin; b < r.end; ++b) bytes.insert(b);
  }
  return bytes;
}

void CompareOnce(uint64_t seed, int streams, int* in_particular) {
  Rng rng(seed);
  constexpr int kMemories = 2;
  const int units = static_cast<int>(rng.Between(1, 12));
  const Order order = RandomOrder(rng, units, streams);
  DeadBytes dead(order.relation, {kBytes, kBytes});
  Model model(order.relation, kMemories);
  const ByteSet start = RandomBytes(rng);
  dead.Initialised(0, start);
  model.ForEach(0, start, [](NaiveByte& byte, int64_t) { byte.Start(); });
  for (int32_t u = 0; u < units; ++u) {
    for (int64_t touch = rng.Between(0, 4); touch > 0; --touch) {
      const int32_t memory = static_cast<int32_t>(rng.Between(0, kMemories - 1));
      const ByteSet bytes = RandomBytes(rng);
      if (rng.Percent(60)) {
        dead.Read(u, memory, bytes);
        model.ForEach(memory, bytes, [&](NaiveByte& byte, int64_t) { byte.Read(u); });
      } else {
        dead.Overwritten(u, memory, bytes);
        model.Overwritten(u, memory, bytes);
      }
    }
  }
  const ByteSet end = RandomBytes(rng);
  dead.ReadAtEnd(1, end);
  model.ForEach(1, end, [](NaiveByte& byte, int64_t) { byte.ReadAtEnd(); });
  dead.Finish();
  model.Finish();
  std::map<std::pair<int32_t, int32_t>, std::set<int64_t>> found;
  std::pair<int32_t, int32_t> previous = {-1, -1};
  for (const DeadBytes::Dead& d : dead.TakeDead()) {
    const std::pair<int32_t, int32_t> key = {d.unit, d.memory};
    ASSERT_LT(previous, key) << "by unit, then memory";
    previous = key;
    found[key] = BytesIn(d.bytes);
  }
  ASSERT_EQ(found, model.dead()) << "seed " << seed;
  ASSERT_EQ(dead.garbage_at_end().size(), static_cast<size_t>(kMemories));
  for (size_t m = 0; m < kMemories; ++m) {
    ASSERT_EQ(BytesIn(dead.garbage_at_end()[m]), model.garbage()[m]) << "seed " << seed;
  }
  *in_particular += static_cast<int>(found.size());
}

TEST(DeadBytesTest, OneStream) {
  int found = 0;
  for (uint64_t seed = 1; seed <= 2000 && !HasFatalFailure(); ++seed) CompareOnce(seed, 1, &found);
  EXPECT_GT(found, 2000);
}

TEST(DeadBytesTest, SeveralStreams) {
  int found = 0;
  for (uint64_t seed = 1; seed <= 4000 && !HasFatalFailure(); ++seed) CompareOnce(seed, 3, &found);
  EXPECT_GT(found, 4000);
}

// Two readers in no order: whichever is last must still find it.
TEST(DeadBytesTest, NobodyIsLast) {
  const absl::StatusOr<HappensBefore> order = HappensBefore::Create({0, 0, 1, 0}, 2, {{0, 2}});
  ASSERT_TRUE(order.ok());
  DeadBytes dead(*order, {8});
  dead.Overwritten(0, 0, ByteSet::Of({0, 8}));
  dead.Read(1, 0, ByteSet::Of({0, 4}));
  dead.Read(2, 0, ByteSet::Of({2, 8}));
  dead.Finish();
  const std::vector<DeadBytes::Dead> all = dead.TakeDead();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].unit, 1);
  EXPECT_EQ(all[0].bytes, ByteSet::Of({0, 2}));
  EXPECT_EQ(all[1].unit, 2);
  EXPECT_EQ(all[1].bytes, ByteSet::Of({4, 8}));
  EXPECT_EQ(dead.garbage_at_end()[0], ByteSet::OfAll({{0, 2}, {4, 8}}));
}

TEST(DeadBytesTest, NoBytes) {
  const HappensBefore order;
  DeadBytes dead(order, {0, 4});
  dead.Initialised(0, ByteSet());
  dead.Finish();
  EXPECT_TRUE(dead.TakeDead().empty());
  EXPECT_TRUE(dead.garbage_at_end()[0].empty());
  EXPECT_EQ(dead.garbage_at_end()[1], ByteSet::Of({0, 4}));
}

}  // namespace
}  // namespace bufplan::runtime
