#include "planner/sharing/sharing.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/planner/cases/plan_case.h"
#include "tests/planner/cases/stages.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::Status SharingRefusal(GraphBuilder builder) {
  absl::StatusOr<Graph> graph = std::move(builder).Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return graph.status();
  const absl::StatusOr<Schedule> schedule = Schedule::Create(*graph, {});
  return ShareStorages(*graph, *schedule).status();
}

TEST(ShareStorages, StartValuesHaveStoragesOfTheirOwn) {
  CaseGraph g;
  const ValueId constant = g.Constant("c", 10), variable = g.Variable("v", 20), external = g.External("e", 30);
  const ValueId input = g.Input("i", 40, {.alignment_bytes = 8});
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s.sharing().storages.size(), 4u);
  for (ValueId v : {constant, variable, external}) EXPECT_EQ(s.StorageWith(v).owner, v);
  EXPECT_EQ(s.StorageWith(input).owner, std::nullopt);
  EXPECT_EQ(s.StorageWith(input).size_bytes, 40);
  EXPECT_EQ(s.StorageWith(input).alignment_bytes, 8);
}

TEST(ShareStorages, ViewsOfViewsAddTheirOffsets) {
  CaseGraph g;
  const Expr t = g.AddSymbol("t", 0, 4);
  const ValueId x = g.Input("x", 256);
  const ValueId v = g.View("v", x, 64, 128);
  const ValueId w = g.View("w", v, 8 * t, 32);
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_TRUE(s.Together(x, v) && s.Together(x, w));
  EXPECT_EQ(s.sharing().offset_of[v.index()], Expr(64));
  EXPECT_EQ(s.sharing().offset_of[w.index()], 8 * t + 64);
}

TEST(ShareStorages, ABaseIsTakenWhereNobodyNeedsTheOldBytes) {
  CaseGraph g;
  const ValueId x = g.Input("x", 256);
  const ValueId x1 = g.W("w1", x, 0, 64);
  g.R("r", x, 64, 64);                       // not what was overwritten
  const ValueId x2 = g.W("w2", x1, 64, 64);  // what was read before
  const ValueId x3 = g.W("w3", x2, 0, 64);
  g.R("late", x2, 0, 64);
  g.Output(x3);
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_TRUE(s.Together(x, x1) && s.Together(x, x2));
  EXPECT_FALSE(s.Together(x, x3));
  EXPECT_EQ(s.RefusalOf(x3, x2), Why::kOldContentRead);
  EXPECT_THAT(s.sharing().on_base, ElementsAre(0, 1, 1, 0));
}

TEST(ShareStorages, AForkOfABaseKeepsBothVersionsRight) {
  CaseGraph g;
  const ValueId x = g.Input("x", 128);
  const ValueId a = g.W("wa", x, 0, 64);
  const ValueId b = g.W("wb", x, 64, 64);
  g.Output(a);
  g.Output(b);
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_FALSE(s.Together(a, b));
  EXPECT_TRUE(s.Together(x, b));  // the last one may
}

// a has the storage; b would carry bytes of x that a has overwritten.
TEST(ShareStorages, ABaseThatWasOverwrittenMeanwhileIsNotCarriedFromThere) {
  CaseGraph g;
  const ValueId x = g.Op("f", {}, 128);
  const ValueId half = g.View("half", x, 0, 64);
  const ValueId a = g.Op("fa", {half}, 64, {half});
  const ValueId b = g.W("wb", x, 64, 64);
  g.Output(a);
  g.Output(b);
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_FALSE(s.Together(a, b));
}

// The lower half of x is dead and taken by another value; versions of the upper half go on beside it.
TEST(ShareStorages, AnUntouchedPartOfAStorageStaysABase) {
  CaseGraph g;
  const ValueId x = g.Op("f", {}, 128);
  const ValueId lower = g.View("lower", x, 0, 64);
  const ValueId upper = g.View("upper", x, 64, 64);
  const ValueId a = g.Op("fa", {lower}, 64, {lower});
  const ValueId b = g.W("wb", upper, 0, 16);
  const ValueId c = g.W("wc", b, 16, 16);
  g.Output(a);
  g.Output(c);
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_TRUE(s.Together(x, a) && s.Together(x, b) && s.Together(x, c));
  EXPECT_EQ(s.sharing().offset_of[a.index()], Expr(0));
  EXPECT_EQ(s.sharing().offset_of[c.index()], Expr(64));
}

TEST(ShareStorages, OfEqualOperandsTasteDecides) {
  GraphBuilder b;
  const ValueId old = b.Input("old", 64);
  const ValueId young = b.Compute("f", {.reads = {old}, .writes = {{.bytes = 64}}});
  const ValueId sum = b.Compute("add", {.reads = {young, old}, .writes = {{.bytes = 64, .in_place = {young, old}}}});
  const absl::StatusOr<Graph> graph = std::move(b).Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const Schedule schedule = *Schedule::Create(*graph, {});
  SharingPolicy policy;
  const Sharing first = ShareStorages(*graph, schedule, policy)->sharing;
  policy.taste = InPlaceTaste::kOldestOperand;
  const Sharing oldest = ShareStorages(*graph, schedule, policy)->sharing;
  EXPECT_EQ(first.storage_of[sum.index()], first.storage_of[young.index()]);
  EXPECT_EQ(oldest.storage_of[sum.index()], oldest.storage_of[old.index()]);
}

TEST(ShareStorages, StridedRegionsOfOnePitchMayInterleave) {
  for (const int64_t shift : {32, 24}) {
    SCOPED_TRACE(shift);
    CaseGraph g;
    const ValueId x = g.Input("x", 64 * 8);
    const Region left{0, 32, {Dim{8, 64}}}, right{shift, 32, {Dim{shift == 32 ? 8 : 7, 64}}};
    const ValueId x1 = g.Compute("w", {.reads = {}, .writes = {{.bytes = 64 * 8, .base = x, .region = left}}});
    g.R("r", {Operand(x, right)});
    g.Output(x1);
    const Stages s(std::move(g));
    ASSERT_TRUE(s.ok());
    EXPECT_EQ(s.Together(x, x1), shift == 32);
  }
}

TEST(ShareStorages, SymbolicRegionsAreProvenApartForAllValues) {
  for (const bool apart : {true, false}) {
    CaseGraph g;
    const Expr t = g.AddSymbol("t", 0, 7);
    const ValueId x = g.Input("x", 1024);
    const ValueId x1 = g.W("w", x, 64 * t, 64);
    g.R("r", {Operand(x, Bytes(64 * t + (apart ? 64 : 63), 64))});
    g.Output(x1);
    const Stages s(std::move(g));
    ASSERT_TRUE(s.ok());
    EXPECT_EQ(s.Together(x, x1), apart);
    if (!apart) {
      EXPECT_EQ(s.RefusalOf(x1, x), Why::kOldContentRead);
    }
  }
}

TEST(ShareStorages, AResultOutgrowsItsOperandOnlyWithPermission) {
  for (const InPlaceMode mode : {InPlaceMode::kSameIndex, InPlaceMode::kAny}) {
    CaseGraph g;
    const ValueId x = g.Op("f", {}, 64);
    const ValueId y = g.Op("g", {x}, 100, {InPlaceOf(x, mode)});
    const Stages s(std::move(g));
    ASSERT_TRUE(s.ok());
    EXPECT_EQ(s.Together(x, y), mode == InPlaceMode::kAny);
    EXPECT_EQ(s.StorageWith(y).size_bytes, 100);
  }
}

TEST(ShareStorages, AnOperandInAnotherOneOfTheOpIsNotOverwritten) {
  CaseGraph g;
  const ValueId x = g.Op("f", {}, 64);
  const ValueId upper = g.View("upper", x, 32, 32);
  const ValueId y = g.Op("g", {x, upper}, 64, {x});  // no permission for `upper`
  const ValueId z = g.Op("h", {y}, 64, {y});
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_FALSE(s.Together(x, y));
  EXPECT_EQ(s.RefusalOf(y, x), Why::kOwnOperand);
  EXPECT_TRUE(s.Together(y, z));
}

TEST(ShareStorages, TwoResultsNeverTakeTheSameOperand) {
  CaseGraph g;
  const ValueId x = g.Op("f", {}, 64);
  const Results r = g.Compute(
      "g", {.reads = {x},
            .writes = {{.name = "a", .bytes = 64, .in_place = {x}}, {.name = "b", .bytes = 64, .in_place = {x}}}});
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_FALSE(s.Together(r[0], r[1]));
  EXPECT_TRUE(s.Together(x, r[0]));
  EXPECT_EQ(s.RefusalOf(r[1], x), Why::kOwnOperand);
}

TEST(ShareStorages, KeepAlivesOutputsAndPreserveForbidOverwriting) {
  CaseGraph g;
  const ValueId kept = g.Op("f", {}, 64), output = g.Op("h", {}, 64), input = g.Input("i", 64, {.preserve = true});
  const ValueId a = g.Op("a", {kept}, 64, {kept}), b = g.Op("b", {output}, 64, {output});
  const ValueId c = g.Op("c", {input}, 64, {input});
  const OpId barrier = g.Barrier("barrier");
  g.KeepAliveUntil(kept, barrier);
  g.Output(output);
  const ValueId d = g.Op("d", {a}, 64, {a});
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s.RefusalOf(a, kept), Why::kOldContentRead);
  EXPECT_EQ(s.RefusalOf(b, output), Why::kOldContentKept);
  EXPECT_EQ(s.RefusalOf(c, input), Why::kOldContentKept);
  EXPECT_TRUE(s.Together(a, d));
}

TEST(ShareStorages, DisjointValuesNeverShare) {
  CaseGraph g;
  const ValueId x = g.Op("f", {}, 64);
  const ValueId y = g.Op("g", {x}, 64, {x});
  const ValueId z = g.Op("h", {y}, 64, {y});
  g.Disjoint(z, x);
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_TRUE(s.Together(x, y));
  EXPECT_FALSE(s.Together(x, z));
  EXPECT_EQ(s.RefusalOf(z, y), Why::kDisjoint);
}

TEST(ShareStorages, DisjointViewsOfOneStorageMayLieApartInIt) {
  for (const int64_t at : {0, 32}) {
    CaseGraph g;
    const ValueId x = g.Op("f", {}, 64);
    const ValueId low = g.View("low", x, 0, 32), taken = g.View("taken", x, at, 32);
    const ValueId y = g.Op("g", {taken}, 32, {taken});
    g.Disjoint(low, y);
    const Stages s(std::move(g));
    ASSERT_TRUE(s.ok());
    EXPECT_EQ(s.Together(x, y), at == 32);
  }
}

TEST(ShareStorages, PinsMustAgree) {
  for (const int64_t pin : {0, 128}) {
    CaseGraph g;
    const ValueId x = g.Input("x", 64, {.pinned_offset_bytes = 128});
    const ValueId y = g.Compute(
        "g", {.reads = {x},
              .writes = {{.name = "y", .bytes = 64, .options = {.pinned_offset_bytes = pin}, .in_place = {x}}}});
    const Stages s(std::move(g));
    ASSERT_TRUE(s.ok());
    EXPECT_EQ(s.Together(x, y), pin == 128);
    EXPECT_EQ(s.StorageWith(y).pinned_offset_bytes, pin);
    if (pin == 0) {
      EXPECT_EQ(s.RefusalOf(y, x), Why::kPinned);
    }
  }
}

TEST(ShareStorages, APinnedResultPinsTheStorageItJoins) {
  CaseGraph g;
  const ValueId x = g.Op("f", {}, 128);
  const ValueId upper = g.View("upper", x, 64, 64);
  const ValueId y = g.Compute(
      "g", {.reads = {upper},
            .writes = {{.name = "y", .bytes = 64, .options = {.pinned_offset_bytes = 256}, .in_place = {upper}}}});
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_TRUE(s.Together(x, y));
  EXPECT_EQ(s.StorageWith(x).pinned_offset_bytes, 192);
}

TEST(ShareStorages, AlignmentOfResultsAndReadersHolds) {
  CaseGraph g;
  const ValueId x = g.Op("f", {}, 128);
  const ValueId at8 = g.View("at8", x, 8, 64);
  const ValueId y = g.Compute(
      "g",
      {.reads = {at8}, .writes = {{.name = "y", .bytes = 64, .options = {.alignment_bytes = 16}, .in_place = {at8}}}});
  const ValueId z = g.Op("h", {x}, 128, {x});
  g.R("r", {Operand(z, Bytes(0, 128), false, 32)});
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s.RefusalOf(y, at8), Why::kMisaligned);
  EXPECT_TRUE(s.Together(x, z));
  EXPECT_EQ(s.StorageWith(x).alignment_bytes, 32);
}

TEST(ShareStorages, OtherSpacesAreNotShared) {
  CaseGraph g;
  const SpaceId device = g.AddSpace("device", {}), host = g.AddSpace("host", {});
  const ValueId x = g.Input("x", 64, {.space = device});
  const ValueId y = g.Compute(
      "g", {.reads = {x}, .writes = {{.name = "y", .bytes = 64, .options = {.space = host}, .in_place = {x}}}});
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s.StorageWith(y).space, host);
  EXPECT_EQ(s.RefusalOf(y, x), Why::kOtherSpace);
}

TEST(ShareStorages, StreamsAreOrderedByEdgesOnly) {
  for (const bool ordered : {true, false}) {
    CaseGraph g;
    const StreamId main = g.AddStream("main"), side = g.AddStream("side");
    const ValueId x = g.Op("f", {}, 64, {}, {.stream = main});
    g.R("r", {x}, {.stream = side});
    const OpId reader = g.last_op();
    const ValueId y = g.Op("g", {x}, 64, {x}, {.stream = main});
    if (ordered) g.Order(reader, g.last_op());
    const Stages s(std::move(g));
    ASSERT_TRUE(s.ok());
    EXPECT_EQ(s.Together(x, y), ordered);
    if (!ordered) {
      EXPECT_EQ(s.RefusalOf(y, x), Why::kUnordered);
    }
  }
}

TEST(ShareStorages, ACommitWaitsForReadersOnOtherStreams) {
  CaseGraph g;
  const StreamId main = g.AddStream("main"), side = g.AddStream("side");
  const ValueId x = g.Variable("x", 64), y = g.Op("f", {}, 64, {}, {.stream = main});
  const OpId reader = g.R("r", {x}, {.stream = side});
  const OpId commit = g.Commit("c", y, x, {.stream = main});
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_THAT(s.sharing().added_order, ElementsAre(OrderEdge{reader, commit}));
}

TEST(ShareStorages, OldContentIsNotReadAfterACommit) {
  CaseGraph g;
  const ValueId x = g.Variable("x", 64), y = g.Op("f", {}, 64);
  g.Commit("c", y, x);
  g.R("late", {x});
  const absl::Status refusal = SharingRefusal(std::move(g));
  EXPECT_EQ(refusal.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("variable \"x\": op \"late\" needs its old content"));
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("op \"c\" has committed \"f.out\""));
}

TEST(ShareStorages, OldContentIsNoOutputAfterACommit) {
  CaseGraph g;
  const ValueId x = g.Variable("x", 64), y = g.Op("f", {}, 64);
  g.Commit("c", y, x);
  g.Output(x);
  EXPECT_THAT(std::string(SharingRefusal(std::move(g)).message()),
              HasSubstr("the end of the graph, where it is an output"));
}

// v is in the variable's storage at first, but lives on after the commit of another value: it must move away.
TEST(ShareStorages, AVersionThatOutlivesAnotherCommitMovesAway) {
  CaseGraph g;
  const ValueId x = g.External("x", 64, {.writable = true}), y = g.Op("f", {}, 64);
  const ValueId v = g.W("w", x, 0, 32);
  g.Commit("c", y, x);
  g.R("late", {v});
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_FALSE(s.Together(x, v));
  EXPECT_EQ(s.RefusalOf(v, x), Why::kOldContentRead);
}

TEST(ShareStorages, FusedGroupsAreOneOpWithTheirOwnPermissions) {
  CaseGraph g;
  const ValueId x = g.Op("f", {}, 64), y = g.Op("h", {}, 64);
  const ValueId inner = g.Op("a", {x}, 64, {x});
  Fusion fusion;
  fusion.name = "group";
  fusion.required = true;
  fusion.ops.push_back(g.last_op());
  const ValueId outer = g.Op("b", {inner, y}, 64, {inner});
  fusion.ops.push_back(g.last_op());
  fusion.in_place.push_back({outer, y, InPlaceMode::kSameIndex});
  g.AddFusion(fusion);
  g.Output(outer);
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s.StorageOf(inner), Sharing::kNoStorage);
  EXPECT_TRUE(s.Together(y, outer));
  EXPECT_FALSE(s.Together(x, outer));
}

TEST(ShareStorages, LongChainsOfUpdatesAreOneStorage) {
  constexpr int kUpdates = 20000;
  CaseGraph g;
  const ValueId x = g.Input("x", 64 * kUpdates);
  ValueId v = x;
  for (int i = 0; i < kUpdates; ++i) {
    v = g.W("", v, 64 * i, 64);
    g.R("", v, 0, 64 * (i + 1));  // all rows so far
  }
  g.Output(v);
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s.sharing().storages.size(), 1u);
  EXPECT_TRUE(s.sharing().refusals.empty());
}

TEST(ShareStorages, LongChainsOfSymbolicUpdatesAreOneStorage) {
  CaseGraph g;
  const Expr t = g.AddSymbol("t", 0, 99);
  const ValueId x = g.Input("x", 6400);
  ValueId v = x;
  for (int i = 0; i < 20000; ++i) v = g.W("", v, 64 * t, 64);
  g.Output(v);
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s.sharing().storages.size(), 1u);
}

TEST(ShareStorages, ManyForksOfOneBase) {
  CaseGraph g;
  const ValueId x = g.Input("x", 64);
  for (int i = 0; i < 20000; ++i) g.Output(g.W("", x, 0, 32));
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s.sharing().storages.size(), 20000u);  // the last one is on x
  EXPECT_EQ(s.sharing().refusals.size(), 19999u);
}

// Rows that are written one after the other at places that depend on a symbol, while some reads wait until the end.
Stages SymbolicUpdates(int updates, int waiting) {
  constexpr int64_t kRow = 64;
  CaseGraph g;
  const Expr t = g.AddSymbol("t", 0, 100);
  const int64_t bytes = kRow * (updates + waiting + 100);
  const ValueId k = g.Variable("k", bytes);
  std::vector<ValueId> slices;
  for (int i = 0; i < waiting; ++i) slices.push_back(g.Slice("", k, kRow * i, kRow));
  ValueId v = k;
  for (int i = 0; i < updates; ++i) v = g.Update("", v, g.Op("", {}, kRow), kRow * t + kRow * (waiting + i));
  for (ValueId slice : slices) g.R("", {slice});
  g.Commit("", v, k);
  return Stages(std::move(g));
}

TEST(ShareStorages, LongChainsOfSymbolicUpdatesAreProvenDisjoint) {
  const Stages s = SymbolicUpdates(3000, 2);
  ASSERT_TRUE(s.ok());
  for (const Note& note : s.sharing().movements) ASSERT_EQ(note.action, Action::kElided) << WhyText(s.graph(), note);
}

TEST(ShareStorages, AProofThatIsGivenUpIsNoConflict) {
  const Stages s = SymbolicUpdates(1400, 1400);
  ASSERT_TRUE(s.ok());
  int kept = 0;
  for (const Note& note : s.sharing().movements) {
    if (note.action == Action::kElided) continue;
    ++kept;
    EXPECT_EQ(note.why, Why::kSearchLimit) << WhyText(s.graph(), note);
  }
  EXPECT_GT(kept, 0);
}

}  // namespace
}  // namespace bufplan
