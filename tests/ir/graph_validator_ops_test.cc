// What Build() refuses in an op, each once: the message names culprit, value and bound, the payload the place.
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

Region Bytes(Expr at, Expr bytes) { return Region{std::move(at), std::move(bytes), {}}; }

void ExpectRefused(absl::string_view place, const std::vector<std::string>& texts,
                   absl::FunctionRef<void(GraphBuilder&)> make) {
  GraphBuilder b;
  make(b);
  const absl::Status status = std::move(b).Build().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  for (const std::string& text : texts) EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  EXPECT_EQ(FaultPlace(status), std::string(place)) << status;
}

// One compute op "o" over the input "x" of 64 bytes (value 0).
void ExpectComputeRefused(absl::string_view place, const std::vector<std::string>& texts,
                          absl::FunctionRef<void(GraphBuilder&, ComputeSpec&)> make) {
  ExpectRefused(place, texts, [&](GraphBuilder& b) {
    b.Input("x", 64);
    ComputeSpec spec;
    make(b, spec);
    b.Compute("o", std::move(spec));
  });
}

Result OnBase(ValueId base, Expr bytes) {
  Result result;
  result.name = "y";
  result.base = base;
  result.bytes = std::move(bytes);
  return result;
}

constexpr ValueId kX(0);

TEST(GraphValidatorOps, StreamsAndScratch) {
  for (const int32_t stream : {1, -1}) {
    ExpectRefused("/ops/0/stream", {"op \"o\" (barrier)", "unknown stream"},
                  [&](GraphBuilder& b) { b.Barrier("o", {.stream = StreamId(stream)}); });
  }
  ExpectRefused("/ops/0/scratch", {"op \"o\"", "scratch=-8", ">= 0"},
                [](GraphBuilder& b) { b.Barrier("o", {.scratch_bytes = -8}); });
  ExpectRefused("/ops/0/scratch", {"op \"o\"", "scratch="},
                [](GraphBuilder& b) { b.Barrier("o", {.scratch_bytes = Expr::FromSymbol(SymbolId(4))}); });
  ExpectRefused("/ops/0/scratch", {"op \"o\"", "scratch="},
                [](GraphBuilder& b) { b.Barrier("o", {.scratch_bytes = Expr(INT64_MAX) * 2}); });
}

TEST(GraphValidatorOps, ReadsOfACompute) {
  for (const int32_t unknown : {1, -1}) {
    ExpectComputeRefused("/ops/0/reads/0", {"op \"o\"", "unknown value"},
                         [&](GraphBuilder&, ComputeSpec& spec) { spec.reads.push_back(ValueId(unknown)); });
  }
  ExpectComputeRefused("/ops/0/reads/1", {"op \"o\"", "value \"later\"", "no op before it writes"},
                       [](GraphBuilder& b, ComputeSpec& spec) {
                         spec.reads = {kX, b.AddValue("later", 8, Role::kTransient)};
                       });
  ExpectComputeRefused("/ops/0/reads/0/offset_multiple",
                       {"op \"o\"", "offset_multiple=3", "value \"x\"", "power of two"},
                       [](GraphBuilder&, ComputeSpec& spec) {
                         spec.reads.push_back({kX, Bytes(0, 8), false, 3});
                       });
}

TEST(GraphValidatorOps, RegionsOfReads) {
  const auto refused = [](const std::vector<std::string>& texts, Region region) {
    ExpectComputeRefused("/ops/0/reads/0", texts, [&](GraphBuilder& b, ComputeSpec& spec) {
      b.AddSymbol("s", 0, 8);
      spec.reads.push_back({kX, region});
    });
  };
  const Expr s = Expr::FromSymbol(SymbolId(0));
  refused({"op \"o\"", "region [60, 68) of value \"x\" which has 64 bytes", "68 <= 64 does not hold"}, Bytes(60, 8));
  refused({"op \"o\"", "value \"x\"", "not proven: needs s <= 7"}, Bytes(8 * s, 8));
  refused({"op \"o\"", "at=-1", ">= 0"}, Bytes(-1, 8));
  refused({"op \"o\"", "at=s - 1", ">= 0 for all symbol values"}, Bytes(s - 1, 8));
  refused({"op \"o\"", "bytes=-8", ">= 0"}, Bytes(8, -8));
  refused({"op \"o\"", "count=-1", ">= 0"}, Region{0, 8, {Dim{-1, 8}}});
  refused({"op \"o\"", "stride=-8", ">= 0"}, Region{32, 8, {Dim{2, -8}}});
  refused({"op \"o\"", "[0, 8) x 3 every 32", "72 <= 64"}, Region{0, 8, {Dim{3, 32}}});
  refused({"op \"o\"", "unknown symbol"}, Bytes(Expr::FromSymbol(SymbolId(3)), 8));
  refused({"op \"o\"", "unknown symbol"}, Region{0, 8, {Dim{1, Expr::FromSymbol(SymbolId(3))}}});
  refused({"op \"o\" (compute): the region of value \"x\" which has 64 bytes begins at 9223372036854775807 and ends "
           "beyond 64 bits"},
          Bytes(INT64_MAX, 8));
  refused({"begins at 0 and ends beyond 64 bits"}, Region{0, 4, {Dim{2, INT64_MAX}}});
  refused({"op \"o\"", "64 bits"}, Bytes(Expr(INT64_MAX) + 1, 8));
  refused({"op \"o\"", "64 bits"}, Region{0, 8, {Dim{Expr(INT64_MAX) * 2, 0}}});
  refused({"op \"o\""}, Bytes(INT64_MAX, 8));
  refused({"op \"o\"", "64 bits"}, Region{0, INT64_MAX, {Dim{INT64_MAX, 0}}});
}

TEST(GraphValidatorOps, EmptyRegionsMayLieAnywhere) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 64);
  b.Compute("o", {.reads = {Operand(x, Bytes(1000, 0)), Operand(x, Region{1000, 8, {Dim{0, 8}}})}, .writes = {}});
  EXPECT_TRUE(std::move(b).Build().ok());
}

TEST(GraphValidatorOps, WritesOfACompute) {
  for (const int32_t unknown : {7, -1}) {
    ExpectComputeRefused("/ops/0/writes/0", {"op \"o\"", "unknown value"}, [&](GraphBuilder&, ComputeSpec& spec) {
      spec.writes.emplace_back().value = ValueId(unknown);
    });
    ExpectComputeRefused("/ops/0/writes/0", {"op \"o\"", "unknown value"}, [&](GraphBuilder&, ComputeSpec& spec) {
      spec.writes.push_back(OnBase(ValueId(unknown), 64));
    });
  }
  ExpectComputeRefused("/ops/0/writes/0", {"op \"o\"", "value \"x\"", "there at the start (input)"},
                       [](GraphBuilder&, ComputeSpec& spec) { spec.writes.emplace_back().value = kX; });
  ExpectComputeRefused("/ops/1/writes/0", {"op \"o\"", "value \"y\"", "op \"first\" (compute) writes already"},
                       [](GraphBuilder& b, ComputeSpec& spec) {
                         spec.writes.emplace_back().value =
                             b.Compute("first", {.reads = {}, .writes = {{.name = "y", .bytes = 8}}});
                       });
  ExpectComputeRefused("/ops/0/writes/1", {"op \"o\"", "value \"y\"", "twice"}, [](GraphBuilder& b, ComputeSpec& spec) {
    const ValueId y = b.AddValue("y", 8, Role::kTransient);
    spec.writes.resize(2);
    spec.writes[0].value = y;
    spec.writes[1].value = y;
  });
  ExpectComputeRefused("/ops/0/reads/0", {"op \"o\"", "value \"y\"", "no op before it writes"},
                       [](GraphBuilder& b, ComputeSpec& spec) {
                         const ValueId y = b.AddValue("y", 8, Role::kTransient);
                         spec.reads.push_back(y);
                         spec.writes.emplace_back().value = y;
                       });
  ExpectRefused("/values/0", {"value \"y\"", "no op writes it"},
                [](GraphBuilder& b) { b.AddValue("y", 8, Role::kTransient); });
}

TEST(GraphValidatorOps, BasesOfAWrite) {
  ExpectComputeRefused("/ops/0/writes/0",
                       {"op \"o\"", "value \"y\" has 32 bytes, its base value \"x\" 64, must be equal"},
                       [](GraphBuilder&, ComputeSpec& spec) { spec.writes.push_back(OnBase(kX, 32)); });
  ExpectRefused("/ops/0/writes/0", {"op \"o\"", "value \"y\"", "value \"x\"", "one space"}, [](GraphBuilder& b) {
    b.AddSpace("device", {});
    b.AddSpace("host", {});
    b.Input("x", 64);
    ComputeSpec spec;
    spec.writes.push_back(OnBase(kX, 64));
    spec.writes[0].options.space = SpaceId(1);
    b.Compute("o", std::move(spec));
  });
  ExpectComputeRefused("/ops/0/writes/0", {"op \"o\"", "\"y\"", "need a base"}, [](GraphBuilder&, ComputeSpec& spec) {
    spec.writes.push_back({.name = "y", .bytes = 8});
    spec.writes[0].region = Bytes(0, 4);
  });
  ExpectComputeRefused("/ops/0/writes/0", {"op \"o\"", "\"y\"", "need a base"}, [](GraphBuilder&, ComputeSpec& spec) {
    spec.writes.push_back({.name = "y", .bytes = 8});
    spec.writes[0].cover = Cover::kPart;
  });
  ExpectComputeRefused("/ops/0/writes/0", {"op \"o\"", "[60, 68) of value \"y\"", "68 <= 64"},
                       [](GraphBuilder&, ComputeSpec& spec) {
                         spec.writes.push_back(OnBase(kX, 64));
                         spec.writes[0].region = Bytes(60, 8);
                       });
  ExpectComputeRefused("/ops/0/writes/0", {"op \"o\"", "runs of region [0, 9) x 4 every 8 of value \"y\"", "apart"},
                       [](GraphBuilder&, ComputeSpec& spec) {
                         spec.writes.push_back(OnBase(kX, 64));
                         spec.writes[0].region = Region{0, 9, {Dim{4, 8}}};
                       });
}

TEST(GraphValidatorOps, InPlacePermissions) {
  ExpectComputeRefused(
      "/ops/0", {"op \"o\"", "in_place of value \"y\" names value \"x\"", "does not read"},
      [](GraphBuilder&, ComputeSpec& spec) { spec.writes.push_back({.name = "y", .bytes = 8, .in_place = {kX}}); });
  ExpectComputeRefused("/ops/0", {"op \"o\"", "in_place", "unknown value"}, [](GraphBuilder&, ComputeSpec& spec) {
    spec.writes.push_back({.name = "y", .bytes = 8, .in_place = {ValueId(-3)}});
  });
}

TEST(GraphValidatorOps, ViewsAndSlices) {
  ExpectRefused("/ops/0", {"op \"o\" (view)", "value \"v\"", "value \"x\"", "one memory"}, [](GraphBuilder& b) {
    b.AddSpace("device", {});
    b.AddSpace("host", {});
    b.View("o", b.Input("x", 64), 0, 8, Target("v", {.space = SpaceId(1)}));
  });
  ExpectRefused("/ops/0", {"op \"o\" (slice)", "[60, 68) of value \"x\""},
                [](GraphBuilder& b) { b.Slice("o", b.Input("x", 64), 60, 8); });
  ExpectRefused("/ops/0", {"op \"o\" (view)", "unknown value"}, [](GraphBuilder& b) { b.View("o", ValueId(9), 0, 8); });
  ExpectRefused("/ops/0", {"op \"o\" (slice)", "unknown value"},
                [](GraphBuilder& b) { b.Slice("o", b.Input("x", 64), 0, 8, Target(ValueId(9))); });
}

TEST(GraphValidatorOps, Movements) {
  ExpectRefused("/ops/0", {"op \"o\" (clone)", "moves 64 bytes of value \"x\" to 8 bytes of value \"y\"", "equal"},
                [](GraphBuilder& b) {
                  const ValueId y = b.AddValue("y", 8, Role::kTransient);
                  b.Clone("o", b.Input("x", 64), y);
                });
  ExpectRefused("/ops/0", {"op \"o\" (transfer)", "64", "8", "equal"}, [](GraphBuilder& b) {
    const ValueId y = b.AddValue("y", 8, Role::kTransient);
    b.Transfer("o", b.Input("x", 64), y);
  });
  ExpectRefused("/ops/0", {"op \"o\" (update)", "[60, 68) of value \"y\" which has 64 bytes"}, [](GraphBuilder& b) {
    const ValueId x = b.Input("x", 64);
    b.Update("o", x, b.Input("row", 8), 60, "y");
  });
  ExpectRefused("/ops/0", {"op \"o\" (update)", "at=-8"}, [](GraphBuilder& b) {
    const ValueId x = b.Input("x", 64);
    b.Update("o", x, b.Input("row", 8), -8);
  });
  ExpectRefused("/ops/0", {"op \"o\" (update)", "unknown value"},
                [](GraphBuilder& b) { b.Update("o", ValueId(9), b.Input("row", 8), 0); });
  ExpectRefused("/ops/0", {"op \"o\" (concat)", "parts have 72 bytes together, value \"y\" has 80"},
                [](GraphBuilder& b) {
                  const ValueId y = b.AddValue("y", 80, Role::kTransient);
                  const ValueId x = b.Input("x", 64);
                  b.Concat("o", {x, b.Input("row", 8)}, y);
                });
  ExpectRefused("/ops/0", {"op \"o\" (concat)", "unknown value"},
                [](GraphBuilder& b) { b.Concat("o", {ValueId(-1)}); });
  ExpectRefused("/ops/0", {"op \"o\" (fill)", "[8, 24) of value \"y\" which has 16 bytes"},
                [](GraphBuilder& b) { b.Fill("o", std::nullopt, Bytes(8, 16), 16, "y"); });
}

TEST(GraphValidatorOps, PartsOfACopy) {
  const auto refused = [](const std::vector<std::string>& texts, std::vector<CopyPart> parts) {
    ExpectRefused("/ops/0", texts, [&](GraphBuilder& b) {
      b.Input("x", 64);
      b.AddSymbol("s", 0, 8);
      b.Copy("o", parts, std::nullopt, 64, "y");
    });
  };
  const Expr s = Expr::FromSymbol(SymbolId(0));
  refused({"op \"o\" (copy)", "moves 8 bytes of value \"x\" to 16 bytes of value \"y\""},
          {{kX, Bytes(0, 8), Bytes(0, 16)}});
  refused({"op \"o\" (copy)", "moves 8 bytes of value \"x\" to 64 bytes"}, {{kX, Bytes(0, 8), std::nullopt}});
  refused({"op \"o\" (copy)", "of value \"y\"", "68 <= 64"}, {{kX, Bytes(0, 8), Bytes(60, 8)}});
  refused({"op \"o\" (copy)", "runs of to_region", "apart"},
          {{kX, Region{0, 8, {Dim{2, 8}}}, Region{0, 8, {Dim{2, 4}}}}});
  refused({"op \"o\" (copy)", "two parts are not proven to write different bytes ([s, s + 8) and [s + 4, s + 12))",
           "value \"y\""},
          {{kX, Bytes(0, 8), Bytes(s, 8)}, {kX, Bytes(0, 8), Bytes(s + 4, 8)}});
  refused({"op \"o\" (copy)", "unknown value"}, {{ValueId(44), std::nullopt, std::nullopt}});
  refused({"op \"o\" (copy)", "64 bits"}, {{kX, Bytes(0, 8), Bytes(Expr(INT64_MAX) * 3, 8)}});
}

TEST(GraphValidatorOps, PartsOfACopyWithoutSymbolsAreComparedByteByByte) {
  const auto copy = [](GraphBuilder& b, Region first, Region second) {
    const ValueId x = b.Input("x", 64);
    b.Copy("o", {{x, Bytes(0, 16), first}, {x, Bytes(16, 16), second}}, std::nullopt, 64, "y");
  };
  ExpectRefused("/ops/0", {"op \"o\" (copy)", "two parts write byte 12 of value \"y\""}, [&](GraphBuilder& b) {
    copy(b, Region{0, 4, {Dim{4, 12}}}, Bytes(8, 16));
  });
  GraphBuilder b;
  copy(b, Region{0, 4, {Dim{4, 8}}}, Region{4, 4, {Dim{4, 8}}});  // they interleave
  EXPECT_TRUE(std::move(b).Build().ok());
}

TEST(GraphValidatorOps, Commits) {
  ExpectRefused("/ops/0/to", {"op \"o\" (commit)", "value \"c\"", "neither a variable nor a writable external"},
                [](GraphBuilder& b) {
                  const ValueId x = b.Input("x", 8), c = b.Constant("c", 8);
                  b.Commit("o", x, c);
                });
  ExpectRefused("/ops/0/to", {"op \"o\" (commit)", "value \"e\""}, [](GraphBuilder& b) {
    const ValueId x = b.Input("x", 8), e = b.External("e", 8);
    b.Commit("o", x, e);
  });
  ExpectRefused("/ops/1/to", {"op \"o2\" (commit)", "value \"v\"", "op \"o\" (commit) commits already"},
                [](GraphBuilder& b) {
                  const ValueId x = b.Input("x", 8), v = b.Variable("v", 8);
                  b.Commit("o", x, v);
                  b.Commit("o2", x, v);
                });
  ExpectRefused("/ops/0", {"op \"o\" (commit)", "moves 8 bytes of value \"x\" to 16 bytes of value \"v\""},
                [](GraphBuilder& b) {
                  const ValueId x = b.Input("x", 8), v = b.Variable("v", 16);
                  b.Commit("o", x, v);
                });
  for (const int32_t unknown : {9, -1}) {
    ExpectRefused("/ops/0/to", {"op \"o\" (commit)", "unknown value"},
                  [&](GraphBuilder& b) { b.Commit("o", b.Input("x", 8), ValueId(unknown)); });
    ExpectRefused("/ops/0", {"op \"o\" (commit)", "unknown value"},
                  [&](GraphBuilder& b) { b.Commit("o", ValueId(unknown), b.Variable("v", 8)); });
  }
}

}  // namespace
}  // namespace bufplan
