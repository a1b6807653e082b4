// What Build() refuses, each once: the message names culprit, value and bound, the payload the place.

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "ir/where.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;

ValueId Op(GraphBuilder& b, absl::string_view name, std::vector<Operand> reads, Expr bytes = 64) {
  ComputeSpec spec;
  spec.reads = std::move(reads);
  spec.writes.push_back({.bytes = bytes});
  return b.Compute(name, std::move(spec));
}

void ExpectRefused(absl::string_view place, const std::vector<std::string>& texts,
                   absl::FunctionRef<void(GraphBuilder&)> make) {
  GraphBuilder b;
  make(b);
  const absl::Status status = std::move(b).Build().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  for (const std::string& text : texts) EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  EXPECT_EQ(FaultPlace(status), std::string(place)) << status;
}

TEST(GraphValidator, Names) {
  ExpectRefused("/values/1/name", {"value \"x\"", "twice"}, [](GraphBuilder& b) {
    b.Input("x", 1);
    b.Input("x", 1);
  });
  ExpectRefused("/ops/1/name", {"op \"x\"", "twice"}, [](GraphBuilder& b) {
    b.Barrier("x");
    b.Barrier("x");
  });
  ExpectRefused("/spaces/1/name", {"space \"a\"", "twice"}, [](GraphBuilder& b) {
    b.AddSpace("a", {});
    b.AddSpace("a", {});
  });
  ExpectRefused("/streams/1", {"stream \"a\"", "twice"}, [](GraphBuilder& b) {
    b.AddStream("a");
    b.AddStream("a");
  });
  ExpectRefused("/symbols/1/name", {"symbol \"s\"", "twice"}, [](GraphBuilder& b) {
    b.AddSymbol("s", 0, 1);
    b.AddSymbol("s", 0, 1);
  });
  ExpectRefused("/fusions/0/name", {"fusion \"\"", "0 bytes"}, [](GraphBuilder& b) { b.AddFusion({}); });
  ExpectRefused("/values/0/name", {"1025 bytes", "1024"}, [](GraphBuilder& b) { b.Input(std::string(1025, 'a'), 1); });
  for (const char* bad : {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "a\xe2\x82"}) {
    ExpectRefused("/values/0/name", {"UTF-8"}, [&](GraphBuilder& b) { b.Input(bad, 1); });
  }
}

TEST(GraphValidator, AnyUtf8NameIsLegal) {
  GraphBuilder b;
  for (const char* good : {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "a b", "\"", "\\"}) b.Input(good, 1);
  b.Input(std::string(1024, 'a'), 1);
  EXPECT_TRUE(std::move(b).Build().ok());
}

TEST(GraphValidator, Symbols) {
  ExpectRefused("/symbols/0/name", {"symbol \"1s\""}, [](GraphBuilder& b) { b.AddSymbol("1s", 0, 1); });
  ExpectRefused("/symbols/0/multiple_of", {"symbol \"s\"", "multiple_of=0", ">= 1"},
                [](GraphBuilder& b) { b.AddSymbol("s", 0, 1, 0); });
  ExpectRefused("/symbols/0", {"symbol \"s\"", "min=2", "max=1"}, [](GraphBuilder& b) { b.AddSymbol("s", 2, 1); });
  ExpectRefused("/symbols/0", {"symbol \"s\"", "no multiple of 8 lies in [1, 7]"},
                [](GraphBuilder& b) { b.AddSymbol("s", 1, 7, 8); });
}

TEST(GraphValidator, Spaces) {
  for (const int64_t alignment : {0, 3, -4}) {
    ExpectRefused("/spaces/0/alignment", {"space \"d\"", "alignment=", "power of two"},
                  [&](GraphBuilder& b) { b.AddSpace("d", {.alignment_bytes = alignment}); });
  }
  ExpectRefused("/spaces/0/capacity", {"space \"d\"", "capacity=-1", ">= 0"},
                [](GraphBuilder& b) { b.AddSpace("d", {.capacity_bytes = -1}); });
  ExpectRefused("/spaces/0/max_allocation", {"space \"d\"", "max_allocation=0", ">= 1"},
                [](GraphBuilder& b) { b.AddSpace("d", {.max_allocation_bytes = 0}); });
  for (const int32_t other : {0, 1, -1}) {
    ExpectRefused("/spaces/0/unified_with", {"space \"d\"", "unified_with"},
                  [&](GraphBuilder& b) { b.AddSpace("d", {.unified_with = {SpaceId(other)}}); });
  }
}

TEST(GraphValidator, SizesOfValues) {
  ExpectRefused("/values/0/bytes", {"value \"w3\": bytes=-4, must be >= 0"},
                [](GraphBuilder& b) { b.Input("w3", -4); });
  ExpectRefused("/values/0/bytes", {"value \"x\": bytes=s - 4 can be -4, must be >= 0"},
                [](GraphBuilder& b) { b.Input("x", b.AddSymbol("s", 0, 9) - 4); });
  ExpectRefused("/values/0/bytes", {"value \"x\"", "unknown symbol"},
                [](GraphBuilder& b) { b.Input("x", Expr::FromSymbol(SymbolId(5))); });
  ExpectRefused("/values/0/bytes", {"value \"x\"", "bytes: "},
                [](GraphBuilder& b) { b.Input("x", Expr::FromSymbol(SymbolId(-1))); });
  ExpectRefused("/values/0/bytes", {"value \"x\"", "64 bits"}, [](GraphBuilder& b) {
    const Expr s = b.AddSymbol("s", 0, INT64_MAX);
    b.Input("x", s * s);
  });
  ExpectRefused("/values/0/bytes", {"value \"x\"", "divides by zero"},
                [](GraphBuilder& b) { b.Input("x", CeilDiv(8, b.AddSymbol("s", 0, 4))); });
}

TEST(GraphValidator, OptionsOfValues) {
  for (const int32_t space : {1, -1}) {
    ExpectRefused("/values/0/space", {"value \"x\"", "unknown space"},
                  [&](GraphBuilder& b) { b.Input("x", 1, {.space = SpaceId(space)}); });
  }
  ExpectRefused("/values/0/alignment", {"value \"x\"", "alignment=12", "power of two"},
                [](GraphBuilder& b) { b.Input("x", 1, {.alignment_bytes = 12}); });
  ExpectRefused("/values/0/preserve", {"value \"x\"", "preserve", "constant"},
                [](GraphBuilder& b) { b.Constant("x", 1, {.preserve = true}); });
  ExpectRefused("/values/0/writable", {"value \"x\"", "writable", "variable"},
                [](GraphBuilder& b) { b.Variable("x", 1, {.writable = true}); });
}

TEST(GraphValidator, Pins) {
  ExpectRefused("/values/0/offset", {"value \"x\"", "offset=-8", ">= 0"},
                [](GraphBuilder& b) { b.Input("x", 1, {.pinned_offset_bytes = -8}); });
  ExpectRefused("/values/0/offset", {"value \"x\"", "offset=8", "multiple of its alignment 16"},
                [](GraphBuilder& b) { b.Input("x", 1, {.alignment_bytes = 16, .pinned_offset_bytes = 8}); });
  ExpectRefused("/values/0/offset", {"value \"x\"", "offset=0", "constant"},
                [](GraphBuilder& b) { b.Constant("x", 1, {.pinned_offset_bytes = 0}); });
  ExpectRefused("/values/0/offset", {"value \"x\"", "64 bits"},
                [](GraphBuilder& b) { b.Input("x", 8, {.pinned_offset_bytes = INT64_MAX - 4}); });
  ExpectRefused("/values/0/offset", {"value \"x\"", "ends at 108", "above the 100 bytes of space \"d\""},
                [](GraphBuilder& b) {
                  b.AddSpace("d", {.capacity_bytes = 100});
                  b.Input("x", 8, {.pinned_offset_bytes = 100});
                });
  ExpectRefused("/values/1/offset", {"value \"v\"", "a view cannot be pinned"},
                [](GraphBuilder& b) { b.View("", b.Input("x", 8), 0, 4, Target("v", {.pinned_offset_bytes = 0})); });
}

TEST(GraphValidator, SumsOfSizes) {
  ExpectRefused("/values/1/bytes", {"value \"y\"", "add up to more than 2^62"}, [](GraphBuilder& b) {
    b.Input("x", int64_t{1} << 62);
    b.Input("y", int64_t{1} << 62);
  });
  ExpectRefused("/ops/0/scratch", {"op \"o\"", "scratch", "add up to more than 2^62"}, [](GraphBuilder& b) {
    b.Input("x", int64_t{1} << 62);
    b.Barrier("o", {.scratch_bytes = int64_t{1} << 62});
  });
  ExpectRefused("/values/0/bytes", {"value \"x\"", "bytes=1500", "max_allocation=1024", "space \"d\""},
                [](GraphBuilder& b) {
                  b.AddSpace("d", {.max_allocation_bytes = 1024});
                  b.Input("x", 1500);
                });
  ExpectRefused("/ops/0/scratch", {"op \"o\"", "scratch=1500", "max_allocation=1024", "space \"d\""},
                [](GraphBuilder& b) {
                  b.AddSpace("d", {.max_allocation_bytes = 1024});
                  b.Barrier("o", {.scratch_bytes = 1500});
                });
}

TEST(GraphValidator, StorageOfTheCallerIsNotBoundByTheArena) {
  GraphBuilder b;
  b.AddSpace("d", {.capacity_bytes = 100, .max_allocation_bytes = 100});
  b.Constant("c", 1000);
  EXPECT_TRUE(std::move(b).Build().ok());
}

TEST(GraphValidator, Constraints) {
  const auto two_ops = [](GraphBuilder& b) {
    Op(b, "a", {});
    Op(b, "b", {});
  };
  for (const int32_t unknown : {2, -1}) {
    ExpectRefused("/order/0", {"unknown op"}, [&](GraphBuilder& b) {
      two_ops(b);
      b.Order(OpId(0), OpId(unknown));
    });
    ExpectRefused("/keep_alive/0/value", {"keep_alive", "unknown value"}, [&](GraphBuilder& b) {
      two_ops(b);
      b.KeepAliveUntil(ValueId(unknown), OpId(1));
    });
    ExpectRefused("/keep_alive/0/until", {"keep_alive of value \"v0\"", "unknown op"}, [&](GraphBuilder& b) {
      two_ops(b);
      b.KeepAliveUntil(ValueId(0), OpId(unknown));
    });
    ExpectRefused("/disjoint/0", {"unknown value"}, [&](GraphBuilder& b) {
      two_ops(b);
      b.Disjoint(ValueId(0), ValueId(unknown));
    });
    ExpectRefused("/outputs/0", {"unknown value"}, [&](GraphBuilder& b) {
      two_ops(b);
      b.Output(ValueId(unknown));
    });
  }
  for (const int32_t before : {1, 0}) {
    ExpectRefused("/order/0", {before == 1 ? "op \"b\"" : "op \"a\"", "op \"a\"", "must come before"},
                  [&](GraphBuilder& b) {
                    two_ops(b);
                    b.Order(OpId(before), OpId(0));
                  });
  }
  ExpectRefused("/keep_alive/0/until", {"value \"v1\"", "op \"a\"", "op \"b\"", "not ordered before"},
                [&](GraphBuilder& b) {
                  two_ops(b);
                  b.KeepAliveUntil(ValueId(1), OpId(0));
                });
  ExpectRefused("/disjoint/0", {"value \"v0\"", "itself"}, [&](GraphBuilder& b) {
    two_ops(b);
    b.Disjoint(ValueId(0), ValueId(0));
  });
  ExpectRefused("/disjoint/0", {"value \"x\" and value \"v\"", "view"}, [](GraphBuilder& b) {
    const ValueId x = b.Input("x", 64);
    b.Disjoint(x, b.View("o", x, 8, 8, "v"));
  });
  ExpectRefused("/outputs/1", {"value \"v0\"", "twice"}, [&](GraphBuilder& b) {
    two_ops(b);
    b.Output(ValueId(0));
    b.Output(ValueId(0));
  });
}

TEST(GraphValidator, AKeepAliveUntilAnUnorderedOpIsRefused) {
  ExpectRefused("/keep_alive/0/until", {"value \"v0\"", "op \"b\""}, [](GraphBuilder& b) {
    const StreamId main = b.AddStream("main"), side = b.AddStream("side");
    b.Compute("a", {.reads = {}, .writes = {{.bytes = 8}}, .options = {.stream = main}});
    b.Barrier("b", {.stream = side});
    b.KeepAliveUntil(ValueId(0), b.last_op());
  });
}

Fusion Group(std::vector<OpId> ops, bool required = false) {
  Fusion fusion;
  fusion.name = "f";
  fusion.ops = std::move(ops);
  fusion.required = required;
  return fusion;
}

TEST(GraphValidator, Fusions) {
  const auto refused = [](absl::string_view place, const std::vector<std::string>& texts, Fusion fusion) {
    ExpectRefused(place, texts, [&](GraphBuilder& b) {
      const StreamId main = b.AddStream("main"), side = b.AddStream("side");
      const ValueId x = b.Input("x", 8), variable = b.Variable("v", 8);
      const ValueId a = Op(b, "a", {x}, 8);
      const ValueId foreign = Op(b, "foreign", {a}, 8);
      const ValueId c = Op(b, "c", {a, foreign}, 8);
      b.Commit("commit", c, variable, {.stream = main});
      b.Barrier("barrier");
      b.Compute("side", {.reads = {}, .writes = {}, .options = {.stream = side}});
      b.AddFusion(fusion);
    });
  };
  refused("/fusions/0/ops", {"fusion \"f\"", "no ops"}, Group({}));
  refused("/fusions/0/ops", {"fusion \"f\"", "unknown op"}, Group({OpId(0), OpId(99)}));
  refused("/fusions/0/ops", {"fusion \"f\"", "unknown op"}, Group({OpId(-1)}));
  refused("/fusions/0/ops", {"fusion \"f\"", "op \"commit\" (commit) cannot be fused"}, Group({OpId(0), OpId(3)}));
  refused("/fusions/0/ops", {"fusion \"f\"", "op \"barrier\" (barrier) cannot be fused"}, Group({OpId(0), OpId(4)}));
  refused("/fusions/0/ops", {"fusion \"f\"", "op \"a\" (compute) is listed twice"}, Group({OpId(0), OpId(0)}));
  refused("/fusions/0/ops", {"fusion \"f\"", "op \"a\"", "op \"side\"", "different streams"},
          Group({OpId(0), OpId(5)}));
  refused("/fusions/0", {"fusion \"f\"", "op \"foreign\"", "op \"c\"", "cycle"}, Group({OpId(0), OpId(2)}));
  Fusion fusion = Group({OpId(0), OpId(1)});
  fusion.benefit = std::numeric_limits<double>::quiet_NaN();
  refused("/fusions/0/benefit", {"fusion \"f\"", "benefit"}, fusion);
  fusion.benefit = 1;
  fusion.in_place.push_back({ValueId(99), ValueId(0), InPlaceMode::kAny});
  refused("/fusions/0/in_place/0/result", {"fusion \"f\"", "result"}, fusion);
  fusion.in_place[0] = {ValueId(0), ValueId(0), InPlaceMode::kAny};
  refused("/fusions/0/in_place/0/result", {"fusion \"f\"", "not written by one of its ops"}, fusion);
  fusion.in_place[0] = {ValueId(3), ValueId(1), InPlaceMode::kAny};
  refused("/fusions/0/in_place/0/value", {"fusion \"f\"", "not read by one of its ops"}, fusion);
  fusion.in_place[0] = {ValueId(3), ValueId(-7), InPlaceMode::kAny};
  refused("/fusions/0/in_place/0/value", {"fusion \"f\"", "not read by one of its ops"}, fusion);
}

TEST(GraphValidator, RequiredFusionsDoNotOverlap) {
  ExpectRefused("/fusions/1", {"fusion \"g\"", "op \"b\"", "required fusion \"f\""}, [](GraphBuilder& b) {
    for (const char* name : {"a", "b", "c"}) Op(b, name, {});
    b.AddFusion(Group({OpId(0), OpId(1)}, /*required=*/true));
    Fusion second = Group({OpId(1), OpId(2)}, /*required=*/true);
    second.name = "g";
    b.AddFusion(second);
  });
}

// Order edges count as data does, for ops that are not in the group too, and so does the order of streams.
TEST(GraphValidator, FusionsAreHeldAgainstOrderEdgesAndChains) {
  ExpectRefused("/fusions/0", {"op \"foreign\""}, [](GraphBuilder& b) {
    for (const char* name : {"a", "foreign", "c"}) b.Compute(name, {.reads = {}, .writes = {}});
    b.Order(OpId(0), OpId(1));
    b.Order(OpId(1), OpId(2));
    b.AddFusion(Group({OpId(0), OpId(2)}));
  });
  // By way of the order of another stream.
  ExpectRefused("/fusions/0", {"op \"last\"", "op \"c\""}, [](GraphBuilder& b) {
    const StreamId main = b.AddStream("main"), side = b.AddStream("side");
    b.Compute("a", {.reads = {}, .writes = {}, .options = {.stream = main}});
    for (const char* name : {"first", "last"}) {
      b.Compute(name, {.reads = {}, .writes = {}, .options = {.stream = side}});
    }
    b.Compute("c", {.reads = {}, .writes = {}, .options = {.stream = main}});
    b.Order(OpId(0), OpId(1));
    b.Order(OpId(2), OpId(3));
    b.AddFusion(Group({OpId(0), OpId(3)}));
  });
  GraphBuilder b;
  const ValueId x = Op(b, "x", {});
  Op(b, "a", {x});
  Op(b, "foreign", {x});  // neither before nor after
  Op(b, "c", {x});
  b.AddFusion(Group({OpId(1), OpId(3)}));
  EXPECT_TRUE(std::move(b).Build().ok());
}

}  // namespace
}  // namespace bufplan
