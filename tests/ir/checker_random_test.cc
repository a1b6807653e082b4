// The checker against the definition, on small random graphs with random plans, most of them wrong in one way or
// another.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/checker.h"
#include "ir/graph.h"
#include "ir/graph_builder.h"
#include "tests/ir/hand_plan.h"
#include "tests/ir/naive_checker.h"

namespace bufplan {
namespace {

class RandomCase {
 public:
  RandomCase(uint32_t seed, bool strided) : random_(seed), strided_(strided), unit_(strided ? 10 : 1) {}

  absl::StatusOr<Graph> MakeGraph() {
    const int streams = Below(3) + 1;
    for (int i = 0; i < streams; ++i) b_.AddStream(absl::StrCat("s", i));
    Start();
    const int ops = 2 + Below(7);
    for (int i = 0; i < ops; ++i) AddOp(StreamId(Below(streams)));
    for (int i = Below(2); i > 0; --i) Commit(StreamId(Below(streams)));
    const int count = static_cast<int>(b_.last_op().value) + 1;
    if (Below(3) == 0 && count > 1) {
      const int before = Below(count - 1);
      b_.Order(OpId(before), OpId(before + 1 + Below(count - before - 1)));
    }
    if (Below(3) == 0) b_.KeepAliveUntil(Any(), OpId(Below(count)));
    if (Below(2) == 0) b_.Output(values_.back());
    return std::move(b_).Build();
  }

  // Places at which things often coincide, sometimes rightly.
  Plan MakePlan(const Graph& g) {
    HandPlan plan(g);
    std::vector<Location> at;
    const Plan start = plan.Done();
    const bool careful = Below(4) != 0;
    int64_t fresh = 0;
    const std::vector<bool> elided = Elided(g);
    for (size_t o = 0; o < elided.size(); ++o) {
      if (elided[o]) plan.Noted(OpId(static_cast<int32_t>(o)), Action::kElided);
    }
    for (size_t i = 0; i < g.values().size(); ++i) {
      const ValueId v(static_cast<int32_t>(i));
      Location l = start.location(v);
      if (l.kind == Location::Kind::kNone && !GoesWithout(g, v, at, elided)) {
        l = Place(g, v, at, careful, fresh);
        l.kind == Location::Kind::kArena ? plan.At(v, l.offset_bytes) : plan.In(v, l.owner(), l.offset_bytes);
        if (l.strides != nullptr) plan.Strided(v, l.strides->run_bytes, l.strides->dims);
      }
      at.push_back(l);
    }
    for (size_t o = 0; o < g.ops().size(); ++o) {
      if (g.ops()[o].max_scratch_bytes == 0) continue;
      plan.Scratch(OpId(static_cast<int32_t>(o)), careful ? fresh + 16 : unit_ * Below(24));
    }
    const int ops = static_cast<int>(g.ops().size());
    for (int i = Below(3); i > 0 && ops > 1; --i) {
      const int before = Below(ops - 1);
      plan.Edge(OpId(before), OpId(before + 1 + Below(ops - before - 1)));
    }
    return plan.Done();
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  ValueId Any() { return values_[static_cast<size_t>(Below(static_cast<int>(values_.size())))]; }
  int64_t Bytes(ValueId v) { return b_.bytes(v).constant(); }
  // Some value of the larger size, if there is one.
  ValueId Wide() {
    for (int i = 0; i < 20; ++i) {
      const ValueId v = Any();
      if (Bytes(v) == 8 * unit_) return v;
    }
    return values_[0];
  }

  void Start() {
    values_.push_back(b_.Input("", 8 * unit_, {.preserve = Below(4) == 0}));
    if (Below(2) == 0) values_.push_back(b_.Input("", 4 * unit_));
    if (Below(3) == 0) values_.push_back(b_.Constant("", 8 * unit_));
    if (Below(2) == 0) values_.push_back(b_.Variable("", 8 * unit_));
    if (Below(3) == 0) values_.push_back(b_.External("", 8 * unit_, {.writable = Below(2) == 0}));
    if (Below(4) == 0) values_.push_back(b_.Variable("", 8 * unit_));
    targets_ = values_;
  }

  // Every other byte of a large value, which is more runs than the checker spells out at once.
  Region EveryOther(int64_t bytes) { return {Below(2), 1, {{bytes / 2, 2}}}; }

  Region Box(int64_t bytes) {
    return strided_ && bytes == 8 * unit_ && Below(3) != 0 ? EveryOther(bytes) : Part(bytes);
  }

  Region Part(int64_t bytes) {
    const int64_t at = Below(static_cast<int>(bytes));
    return {at, 1 + Below(static_cast<int>(bytes - at)), {}};
  }

  void AddCompute(const OpOptions& options) {
    ComputeSpec spec;
    spec.options = options;
    if (Below(4) == 0) spec.options.scratch_bytes = 2;
    for (int i = Below(3); i > 0; --i) {
      const ValueId v = Any();
      if (Below(2) == 0 && Bytes(v) > 0) {
        spec.reads.emplace_back(v, Box(Bytes(v)), Below(2) == 0);
      } else {
        spec.reads.emplace_back(v);
        spec.reads.back().strides_ok = Below(2) == 0;
      }
    }
    for (int i = Below(4) == 0 ? 2 : 1; i > 0; --i) {
      Result r;
      r.bytes = unit_ * (Below(2) == 0 ? 8 : 4);
      if (Below(3) == 0) {
        r.base = Any();
        r.bytes = Bytes(*r.base);
        if (Bytes(*r.base) > 0) r.region = Box(Bytes(*r.base));
        if (Below(3) == 0) r.cover = Cover::kPart;
      }
      for (const Operand& o : spec.reads) {
        if (Below(2) != 0) continue;
        r.in_place.emplace_back(o.value, Below(3) == 0 ? InPlaceMode::kAny : InPlaceMode::kSameIndex);
      }
      spec.writes.push_back(std::move(r));
    }
    const Results results = b_.Compute("", std::move(spec));
    for (size_t i = 0; i < results.size(); ++i) values_.push_back(results[i]);
  }

  // Packs every other byte, or spreads a small value over every other byte of a large one.
  bool AddStridedCopy(ValueId v, const OpOptions& options) {
    if (Bytes(v) == 8 * unit_) {
      values_.push_back(
          b_.Copy("", {{v, EveryOther(Bytes(v)), std::nullopt}}, std::nullopt, Bytes(v) / 2, {}, options));
      return true;
    }
    const ValueId base = Wide();
    if (Bytes(v) != 4 * unit_ || Bytes(base) != 2 * Bytes(v)) return false;
    std::optional<ValueId> maybe_base;
    if (Below(3) != 0) maybe_base = base;
    std::vector<CopyPart> parts = {{v, std::nullopt, Region{0, 1, {{Bytes(v), 2}}}}};
    if (Below(3) == 0) parts.push_back({v, std::nullopt, Region{1, 1, {{Bytes(v), 2}}}});
    values_.push_back(b_.Copy("", parts, maybe_base, Bytes(base), {}, options));
    return true;
  }

  void AddOp(StreamId stream) {
    const OpOptions options{.stream = stream, .scratch_bytes = 0, .elide = Elide::kAuto, .attrs_json = ""};
    const ValueId v = Any();
    const int kind = Below(9);
    if (Bytes(v) == 0 || kind < 3) return AddCompute(options);
    const Region part = Part(Bytes(v));
    if (strided_ && kind > 5 && AddStridedCopy(v, options)) return;
    switch (kind) {
      case 3: values_.push_back(b_.Slice("", v, part.at, part.run_bytes, {}, options)); break;
      case 4: values_.push_back(b_.Clone("", v, {}, options)); break;
      case 5: values_.push_back(b_.View("", v, part.at, part.run_bytes, {}, options)); break;
      case 6: {
        const ValueId base = Wide();
        const int64_t room = Bytes(base) - Bytes(v);
        if (room < 0) return AddCompute(options);
        values_.push_back(b_.Update("", base, v, Below(static_cast<int>(room) + 1), {}, options));
        break;
      }
      case 7: values_.push_back(b_.Concat("", {v, Any()}, {}, options)); break;
      default:
        values_.push_back(b_.Copy("", {{v, part, Region{Below(3), part.run_bytes, {}}}}, std::nullopt,
                                  part.run_bytes.constant() + 3, {}, options));
        break;
    }
  }

  void Commit(StreamId stream) {
    const ValueId to = targets_[static_cast<size_t>(Below(static_cast<int>(targets_.size())))];
    const ValueId from = Wide();
    if (Bytes(to) == Bytes(from)) b_.Commit("", from, to, {.stream = stream});
  }

  // Which data movements are marked.
  std::vector<bool> Elided(const Graph& g) {
    std::vector<bool> elided;
    const int often = 2 + Below(3);
    for (const Op& op : g.ops()) elided.push_back(IsMovement(op) && Below(often) == 0);
    return elided;
  }
  static bool IsMovement(const Op& op) {
    return op.kind != OpKind::kCompute && op.kind != OpKind::kFill && op.kind != OpKind::kView;
  }

  bool GoesWithout(const Graph& g, ValueId v, const std::vector<Location>& at, const std::vector<bool>& elided) {
    const std::optional<OpId> producer = g.producer(v);
    if (!producer.has_value()) return false;
    const Op& op = g.op(*producer);
    if (op.kind == OpKind::kView) return at[g.reads(op)[0].value.index()].kind == Location::Kind::kNone;
    return elided[producer->index()] && g.value(v).max_bytes > 0 && Below(4) == 0;
  }

  static bool MayBeStrided(const Graph& g, ValueId v) {
    const std::optional<OpId> producer = g.producer(v);
    if (!producer.has_value() || !IsMovement(g.op(*producer)) || g.writes(g.op(*producer))[0].base.has_value()) {
      return false;
    }
    bool may = true;
    for (const Op& op : g.ops()) {
      for (const Read& r : g.reads(op)) may = may && (r.value != v || IsMovement(op) || r.strides_ok);
      for (const Write& w : g.writes(op)) may = may && w.base != v;
    }
    for (ValueId o : g.outputs()) may = may && o != v;
    for (const KeepAlive& k : g.keep_alive()) may = may && k.value != v;
    return may;
  }

  // Where a box of the source lies, or at `l` in runs of any kind.
  Location Spread(const Graph& g, ValueId v, const std::vector<Location>& at, Location l) {
    const Read& read = g.reads(g.op(*g.producer(v)))[0];
    const Location& source = at[read.value.index()];
    const int64_t bytes = g.value(v).max_bytes;
    Strides strides;
    if (Below(4) != 0 && read.region.has_value() && !g.region(*read.region).contiguous() &&
        source.kind != Location::Kind::kNone && source.strides == nullptr) {
      const Region& box = g.region(*read.region);
      l = Shifted(source, box.at.constant());
      strides = {box.run_bytes, box.dims};
    } else if (Below(2) == 0 && source.strides != nullptr && g.value(read.value).max_bytes == bytes) {
      return source;
    } else {
      const int64_t run = bytes % 2 == 0 ? 1 + Below(2) : 1;
      strides = {run, {{bytes / run, run + Below(3)}}};
    }
    int64_t total = strides.run_bytes.constant(), end = l.offset_bytes.constant() + total;
    for (const Dim& d : strides.dims) {
      total *= d.count.constant();
      end += (d.count.constant() - 1) * d.stride_bytes.constant();
    }
    const bool fits = l.kind == Location::Kind::kArena || end <= g.value(l.owner()).max_bytes;
    if (total == bytes && fits) l.strides = std::make_shared<const Strides>(strides);
    return l;
  }

  Location Shifted(const Location& l, int64_t by) {
    Location result = l;
    result.offset_bytes = l.offset_bytes + by;
    return result;
  }

  Location Place(const Graph& g, ValueId v, const std::vector<Location>& at, bool careful, int64_t& fresh) {
    const Location l = PlaceInOneRun(g, v, at, careful, fresh);
    return g.value(v).max_bytes > 0 && Below(2) == 0 && MayBeStrided(g, v) ? Spread(g, v, at, l) : l;
  }

  Location PlaceInOneRun(const Graph& g, ValueId v, const std::vector<Location>& at, bool careful, int64_t& fresh) {
    const std::optional<OpId> producer = g.producer(v);
    if (producer.has_value()) {
      const Op& op = g.op(*producer);
      const Write* write = nullptr;
      for (const Write& w : g.writes(op)) {
        if (w.value == v) write = &w;
      }
      std::vector<Location> wishes;
      if (write->base.has_value()) wishes.push_back(at[write->base->index()]);
      for (const InPlace& p : g.in_place(*write)) wishes.push_back(at[p.value.index()]);
      if (op.kind != OpKind::kCompute) {
        for (const Read& r : g.reads(op)) {
          const int64_t from = r.region.has_value() ? g.region(*r.region).at.constant() : 0;
          const int64_t to = r.to_region.has_value() ? g.region(*r.to_region).at.constant() : 0;
          wishes.push_back(Shifted(at[r.value.index()], from - to));
        }
      }
      if (op.kind == OpKind::kView) return wishes.back();
      if (!wishes.empty() && Below(careful ? 3 : 2) == 0) {
        Location l = wishes[static_cast<size_t>(Below(static_cast<int>(wishes.size())))];
        l.strides = nullptr;
        const int64_t offset = l.offset_bytes.constant();
        const bool fits =
            l.kind == Location::Kind::kArena || offset + g.value(v).max_bytes <= g.value(l.owner()).max_bytes;
        if (l.kind != Location::Kind::kNone && offset >= 0 && fits) return l;
      }
    }
    if (careful && Below(12) != 0) {
      const int64_t offset = fresh;
      fresh += g.value(v).max_bytes;
      return Location::InArena(SpaceId(0), 0, offset);
    }
    return Location::InArena(SpaceId(0), 0, unit_ * Below(24) + (strided_ ? Below(2) : 0));
  }

  std::mt19937 random_;
  const bool strided_;
  const int64_t unit_;
  GraphBuilder b_;
  std::vector<ValueId> values_, targets_;
};

void Compare(bool strided, uint32_t cases) {
  int valid = 0, invalid = 0, refused = 0, spread = 0, nowhere = 0, marked = 0;  // the last three of the valid ones
  for (uint32_t seed = 1; seed <= cases; ++seed) {
    RandomCase random(seed, strided);
    const absl::StatusOr<Graph> graph = random.MakeGraph();
    if (!graph.ok()) {
      ++refused;
      continue;
    }
    Plan plan = random.MakePlan(*graph);
    const bool naive = NaivelyValid(*graph, plan);
    const std::string text = CheckText(*graph, plan);
    ASSERT_EQ(text == "ok", naive) << "seed " << seed << "\n" << text;
    ++(naive ? valid : invalid);
    if (!naive) continue;
    const auto any = [&](auto&& holds) { return std::any_of(plan.locations.begin(), plan.locations.end(), holds); };
    spread += any([](const Location& l) { return l.strides != nullptr; }) ? 1 : 0;
    nowhere += any([](const Location& l) { return l.kind == Location::Kind::kNone; }) ? 1 : 0;
    marked += plan.notes.empty() ? 0 : 1;
  }
  std::cout << valid << " valid (strided values in " << spread << ", values without bytes in " << nowhere
            << ", marks in " << marked << "), " << invalid << " invalid, " << refused << " graphs refused\n";
  for (int kind : {spread, nowhere, marked}) EXPECT_GT(kind, static_cast<int>(cases / 200));
  EXPECT_GT(valid, static_cast<int>(cases / 20));
  EXPECT_GT(invalid, static_cast<int>(cases / 20));
}

// More with BUFPLAN_RANDOM_CASES=n in the environment.
uint32_t Cases(uint32_t usual) {
  const char* flag = std::getenv("BUFPLAN_RANDOM_CASES");
  return flag != nullptr ? static_cast<uint32_t>(std::strtoul(flag, nullptr, 10)) : usual;
}

TEST(CheckerRandomTest, AgreesWithTheDefinition) { Compare(false, Cases(10000)); }
TEST(CheckerRandomTest, AgreesWithTheDefinitionOnStridedBoxes) { Compare(true, Cases(2000)); }

}  // namespace
}  // namespace bufplan
