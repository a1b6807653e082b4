#include "io/explain/explain.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "planner/make_plan.h"
#include "tests/io/explain/sample.h"
#include "tests/oracle/random_graph.h"
#include "tests/oracle/random_graph_options.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ExplainPlanTest, SaysWhatMakesThePeak) {
  const Sample s;
  const std::string text = ExplainPlan(s.graph, s.plan);
  EXPECT_THAT(text, StartsWith("plan of graph \"sample\": 6 ops, 7 values, 1 stream; optimal\n"));
  EXPECT_THAT(text, HasSubstr("arena \"device\": 200 bytes, lower bound 200, optimal\n"
                              "  most is in use at op \"h\" (compute, op 3 of 6):\n"
                              "    bytes  value   offset  live    in the same bytes\n"
                              "      100  a            0  f .. g  v\n"
                              "      100  b          100  h .. g\n"
                              "      200  in all\n"));
}

TEST(ExplainPlanTest, SaysWhatIsCopiedAndWhatWasRefused) {
  const Sample s;
  const std::string text = ExplainPlan(s.graph, s.plan);
  EXPECT_THAT(text, HasSubstr("copies: 1 kept (100 of 1,000 bytes), 1 elided (1,000 bytes not moved)\n"
                              "  kept    kind           bytes  why\n"
                              "  upd     update  100 of 1,000  no place was found where c need not be moved\n"
                              "  elided  kind           bytes  why\n"
                              "  st      commit         1,000  K lies there already\n"));
  EXPECT_THAT(text, HasSubstr("in-place wishes refused: 1\n"
                              "  1  b is not in place of a: g still needs a there\n"));
  EXPECT_THAT(text, HasSubstr("values in storage of the caller, views left out:\n  variable  K  1  K1\n"));
  EXPECT_THAT(text, Not(HasSubstr("order edges")));
  EXPECT_THAT(text, Not(HasSubstr("fusion")));
}

// What the planner says of copies that it keeps.
TEST(ExplainPlanTest, WhyBytesThatLieElsewhereAreCopied) {
  GraphBuilder b;
  const ValueId h = b.Input("h", 64), x = b.Input("x", 128);
  const ValueId a = b.Compute("a", {.reads = {h}, .writes = {{.name = "a", .bytes = 4096}}});
  const ValueId twice = b.Concat("twice", {a, a}, "C");
  b.Output(b.Compute("f", {.reads = {twice}, .writes = {{.name = "y", .bytes = 8}}}));
  b.Output(b.Update("upd", x, b.Slice("s", x, 0, 64, "s"), 64, "x1"));
  const Graph graph = std::move(b).Build().value();
  const std::string text = ExplainPlan(graph, MakePlan(graph, {}).value());
  EXPECT_THAT(text, HasSubstr("4,096 of 8,192  a would have to lie at two places\n"));
  EXPECT_THAT(text, HasSubstr("64 of 128  s lies elsewhere already, on bytes of x\n"));
}

// A base that stays in place is no copy, but its bytes are among those that are not moved.
TEST(ExplainPlanTest, BasesOfOtherOps) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 4096);
  b.Compute("w", {.reads = {}, .writes = {{.name = "y", .bytes = 4096, .base = x, .region = Region{0, 96, {}}}}});
  const Graph graph = std::move(b).Build().value();
  Plan plan;
  plan.arenas.push_back({SpaceId(0), 4096, 4096, BoundKind::kLoad, true, {4096}});
  plan.locations = {Location::InArena(SpaceId(0), 0, 0), Location::InArena(SpaceId(0), 0, 0)};
  plan.live.resize(2);
  EXPECT_THAT(ExplainPlan(graph, plan), HasSubstr("copies: 0 kept (0 bytes), 0 elided (0 bytes not moved); 4,000 bytes "
                                                  "of the bases of 1 other op stay in place\n"));
}

// What the lines on copies say in numbers.
struct CopyTable {
  int64_t kept = 0, moved = 0, all_of_kept = 0, elided = 0, not_moved = 0, on_bases = 0;
  friend bool operator==(const CopyTable&, const CopyTable&) = default;
};

int64_t ToNumber(absl::string_view text) {
  int64_t number = -1;
  EXPECT_TRUE(absl::SimpleAtoi(absl::StrReplaceAll(text, {{",", ""}}), &number)) << text;
  return number;
}

// "64 of 128", or "128" for all of it.
std::pair<int64_t, int64_t> ReadBytes(absl::string_view text) {
  const std::vector<absl::string_view> words = absl::StrSplit(text, " of ");
  return {ToNumber(words.front()), ToNumber(words.back())};
}

// "copies: 1 kept (64 of 128 bytes), 2 elided (96 bytes not moved); 4,000 bytes of ..."
CopyTable ReadHead(absl::string_view line) {
  CopyTable table;
  if (line == "copies: none") return table;
  const auto between = [&](absl::string_view from, absl::string_view to) {
    const size_t begin = line.find(from) + from.size();
    return line.substr(begin, line.find(to, begin) - begin);
  };
  table.kept = ToNumber(between("copies: ", " kept"));
  std::tie(table.moved, table.all_of_kept) = ReadBytes(between("kept (", " bytes"));
  table.elided = ToNumber(between("), ", " elided"));
  table.not_moved = ToNumber(between("elided (", " bytes"));
  if (absl::StrContains(line, "; ")) table.on_bases = ToNumber(between("; ", " bytes"));
  return table;
}

// The same, summed up over the rows below the head.
CopyTable SumRows(absl::Span<const absl::string_view> lines) {
  CopyTable table;
  bool kept = true;
  for (absl::string_view line : lines) {
    const std::vector<std::string> cells = absl::StrSplit(line, "  ", absl::SkipWhitespace());
    if (cells.empty()) break;
    if (cells[1] == "kind") {
      kept = cells[0] == "kept";
      continue;
    }
    const bool more = absl::StartsWith(cells[0], "and ");
    const int64_t count = more ? ToNumber(absl::StripSuffix(absl::StripPrefix(cells[0], "and "), " more")) : 1;
    const auto [some, all] = ReadBytes(absl::StripAsciiWhitespace(cells[more ? 1 : 2]));
    (kept ? table.kept : table.elided) += count;
    (kept ? table.moved : table.not_moved) += some;
    if (kept) table.all_of_kept += all;
  }
  return table;
}

void ExpectSumsAddUp(const RandomGraphOptions& options, uint64_t seed) {
  SCOPED_TRACE(absl::StrCat(options.name, " seed ", seed));
  const Graph graph = RandomGraph(options, seed).value();
  const absl::StatusOr<Plan> plan = MakePlan(graph, {.effort = Effort::kFast});
  if (!plan.ok()) return;
  const std::string text = ExplainPlan(graph, *plan);
  std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  lines.erase(lines.begin(), std::find_if(lines.begin(), lines.end(),
                                          [](absl::string_view line) { return absl::StartsWith(line, "copies: "); }));
  ASSERT_FALSE(lines.empty());
  const CopyTable head = ReadHead(lines[0]);
  CopyTable rows = SumRows(absl::MakeConstSpan(lines).subspan(1));
  rows.on_bases = head.on_bases;
  EXPECT_EQ(head, rows) << text;
  if (!graph.symbols().empty()) return;  // the largest size need not be at the largest symbol values
  EXPECT_EQ(head.moved, plan->stats.bytes_copied);
  EXPECT_EQ(head.all_of_kept - head.moved + head.not_moved + head.on_bases, plan->stats.bytes_not_copied) << text;
}

TEST(ExplainPlanTest, RowsAddUpToTheHead) {
  for (const RandomGraphOptions& options : RandomGraphOptions::Profiles()) {
    for (uint64_t seed = 1; seed <= 60; ++seed) ExpectSumsAddUp(options, seed);
  }
}

// The largest of many, in list order.
TEST(ExplainPlanTest, ManyCopiesAreCut) {
  GraphBuilder b;
  Plan plan;
  const ValueId x = b.Input("x", 1000);
  plan.locations = {Location::InArena(SpaceId(0), 0, 0)};
  int64_t offset = 1000;
  for (int i = 0; i < 60; ++i) {
    b.Slice(absl::StrCat("c", i), x, 0, i + 1, Target(absl::StrCat("v", i)));
    Note& note = plan.notes.emplace_back();
    note.op = OpId(i);
    note.text = i % 2 == 0 ? "kept: because" : "not needed";
    if (i % 2 == 1) note.action = Action::kElided;
    plan.locations.push_back(i % 2 == 0 ? Location::InArena(SpaceId(0), 0, offset) : Location());
    offset += i + 1;
  }
  const Graph graph = std::move(b).Build().value();
  plan.arenas.push_back({SpaceId(0), offset, offset, BoundKind::kLoad, true, {offset}});
  plan.live.resize(61);
  const std::string text = ExplainPlan(graph, plan);
  EXPECT_THAT(text, HasSubstr("copies: 30 kept (900 bytes), 30 elided (930 bytes not moved)\n"
                              "  kept         kind   bytes  why\n"
                              "  c20          slice     21  because\n"));
  EXPECT_THAT(text, HasSubstr("  c58          slice     59  because\n"
                              "  and 10 more           100\n"
                              "  elided       kind   bytes  why\n"
                              "  c37          slice     38  not needed\n"));
  EXPECT_THAT(text, HasSubstr("  c59          slice     60  not needed\n"
                              "  and 18 more           342\n"));
}

TEST(ExplainPlanTest, EdgesAndFusions) {
  GraphBuilder b;
  const StreamId main = b.AddStream("main"), side = b.AddStream("side");
  OpOptions on_side;
  on_side.stream = side;
  const ValueId x = b.Input("x", 8);
  const ValueId y = b.Compute("f", {.reads = {x}, .writes = {{.name = "y", .bytes = 8}}});
  const ValueId z = b.Compute("g", {.reads = {y}, .writes = {{.name = "z", .bytes = 8}}});
  const ValueId w = b.Compute("k", {.reads = {x}, .writes = {{.name = "w", .bytes = 8}}, .options = on_side});
  b.AddFusion({"pair", {OpId(0), OpId(1)}, 1.0, true, {}});
  b.Output(z);
  b.Output(w);
  const Graph graph = std::move(b).Build().value();
  static_cast<void>(main);
  Plan plan;
  plan.arenas.push_back({SpaceId(0), 24, 24, BoundKind::kLoad, true, {24}});
  const SpaceId device(0);
  plan.locations = {Location::InArena(device, 0, 0), Location(), Location::InArena(device, 0, 8),
                    Location::InArena(device, 0, 16)};
  plan.live.resize(4);
  plan.live[y.index()] = {OpId(1), OpId(1)};
  plan.added_order.push_back({OpId(1), OpId(2), "k overwrites bytes that g reads"});
  plan.fused.push_back({FusionId(0), true, 0, "required"});
  const std::string text = ExplainPlan(graph, plan);
  EXPECT_THAT(text, HasSubstr("several streams"));
  EXPECT_THAT(text, HasSubstr("order edges added: 1\n  g before k  k overwrites bytes that g reads\n"));
  EXPECT_THAT(text, HasSubstr("pair   fused    2  0 bytes  required\n"));
  const std::string op = *ExplainName(graph, plan, "f");
  EXPECT_THAT(op, HasSubstr("executed as part of fused group \"pair\", at the place of \"g\""));
  EXPECT_THAT(*ExplainName(graph, plan, "k"), HasSubstr("added order: after \"g\": k overwrites bytes that g reads"));
  EXPECT_THAT(*ExplainName(graph, plan, "y"),
              HasSubstr("lies nowhere\n  why: used only inside of fused group \"pair\"\n"));
}

TEST(ExplainPlanTest, OptionalGroupsWithCostAndReason) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 64);
  const ValueId a = b.Compute("a", {.reads = {x}, .writes = {{.bytes = 256}}});
  const ValueId c = b.Compute("b", {.reads = {a}, .writes = {{.bytes = 64}}});
  b.Output(b.Compute("c", {.reads = {c}, .writes = {{.bytes = 64}}}));
  b.AddFusion({"abc", {OpId(0), OpId(1), OpId(2)}, 3.0, false, {}});
  b.AddFusion({"ab", {OpId(0), OpId(1)}, 2.0, false, {}});
  const Graph graph = std::move(b).Build().value();
  EXPECT_THAT(ExplainPlan(graph, MakePlan(graph).value()),
              HasSubstr("fusion groups:\n"
                        "  group            ops  cost        why\n"
                        "  ab     separate    2  0 bytes     overlaps \"abc\", which is worth more\n"
                        "  abc    fused       3  -192 bytes  benefit 3\n"));
}

TEST(ExplainNameTest, AValue) {
  const Sample s;
  const std::string text = *ExplainName(s.graph, s.plan, "a");
  EXPECT_THAT(text, StartsWith("value \"a\": 100 bytes, transient\n"
                               "  lies in space \"device\", offset 0: bytes [0, 100)\n"
                               "  why there: bytes of its own\n"
                               "  live from f to g, both included\n"
                               "    f  writes it\n"
                               "    v  names [20, 60) of it \"v\" (a view)\n"
                               "    h  reads it\n"
                               "    g  reads it through view \"v\"          <- the last\n"
                               "  in the same bytes:\n"
                               "    when      shared bytes  value  live    how\n"
                               "    together            40  v      v .. g  is a view of this\n"));
}

TEST(ExplainNameTest, WhyNotInPlace) {
  const Sample s;
  const std::string text = *ExplainName(s.graph, s.plan, "b");
  EXPECT_THAT(text, HasSubstr("  note: b is not in place of a: g still needs a there\n"));
  EXPECT_THAT(text, HasSubstr("    before             100  x      start .. f\n"
                              "    together           100  c      g .. end    is in place of this in g\n"));
}

TEST(ExplainNameTest, WhyToTheEnd) {
  const Sample s;
  EXPECT_THAT(*ExplainName(s.graph, s.plan, "c"), HasSubstr("    end  it is an output  <- the last\n"));
  EXPECT_THAT(*ExplainName(s.graph, s.plan, "K1"),
              HasSubstr("is committed to \"K\", whose bytes it has: to stay at the end"));
}

TEST(ExplainNameTest, ANameThatIsAValueAndAnOp) {
  const Sample s;
  const std::string text = *ExplainName(s.graph, s.plan, "v");
  EXPECT_THAT(text, StartsWith("value \"v\": 40 bytes"));
  EXPECT_THAT(text, HasSubstr("\nop \"v\" (view, op 2 of 6)\n"
                              "  never executed: a view is another name for bytes of its source\n"));
}

TEST(ExplainNameTest, AnOp) {
  const Sample s;
  EXPECT_EQ(*ExplainName(s.graph, s.plan, "upd"),
            "op \"upd\" (update, op 5 of 6)\n"
            "  executed: moves 100 bytes, 900 are there already\n"
            "  reads   c   all  in space \"device\", offset 100\n"
            "  base    K        in storage of variable \"K\", offset 0\n"
            "  writes  K1       in storage of variable \"K\", offset 0: on its base \"K\", which is updated in place\n"
            "  bytes:\n"
            "  moves     100  c all -> K1 [300, 400)\n"
            "  in place  900  carried over from base K (what is not overwritten)\n"
            "  note: kept: no place was found where c need not be moved\n");
  EXPECT_THAT(*ExplainName(s.graph, s.plan, "st"), HasSubstr("elided: no byte moves, 1,000 bytes are there already"));
}

// Elided although source and result lie apart.
TEST(ExplainNameTest, AnElidedOp) {
  Sample s;
  s.plan.locations[s.Value("K1").index()] = Location::InArena(SpaceId(0), 0, 0);
  for (Note& note : s.plan.notes) {
    if (note.op != s.Op("upd")) continue;
    note.action = Action::kElided;
    note.why = Why::kUnread;
  }
  EXPECT_THAT(*ExplainName(s.graph, s.plan, "upd"),
              HasSubstr("  elided: nothing is executed, 1,000 bytes need not be moved\n"));
  EXPECT_THAT(*ExplainName(s.graph, s.plan, "upd"), HasSubstr("  elided  100  c all -> K1 [300, 400)\n"
                                                              "  elided  900  carried over from base K"));
  EXPECT_THAT(*ExplainName(s.graph, s.plan, "K1"), HasSubstr("    upd  makes it: elided\n"));
  EXPECT_THAT(*ExplainName(s.graph, s.plan, "c"), HasSubstr("    upd  reads it (elided)\n"));
  EXPECT_THAT(ExplainPlan(s.graph, s.plan), HasSubstr("copies: 0 kept (0 bytes), 2 elided (2,000 bytes not moved)\n"));
}

TEST(ExplainNameTest, AValueThatNobodyNeeds) {
  GraphBuilder b;
  b.Compute("f", {.reads = {}, .writes = {{.name = "dead", .bytes = 8}}});
  const Graph graph = std::move(b).Build().value();
  Plan plan;
  plan.arenas.push_back({SpaceId(0), 8, 8, BoundKind::kLoad, true, {8}});
  plan.locations = {Location::InArena(SpaceId(0), 0, 0)};
  plan.live = {{OpId(0), OpId(0)}};
  const std::string text = *ExplainName(graph, plan, "dead");
  EXPECT_THAT(text, HasSubstr("nobody needs it: its bytes are free again after its op\n"));
  EXPECT_THAT(text, HasSubstr("nothing else ever lies in its bytes\n"));
}

TEST(ExplainNameTest, UnknownNamesGetTheNearest) {
  const Sample s;
  const absl::Status status = ExplainName(s.graph, s.plan, "K2").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("no value and no op \"K2\"; did you mean \"K\" or \"K1\"?"));
}

// A plan that is wrong in every way is explained without an accident.
TEST(ExplainNameTest, WrongPlans) {
  Sample s;
  s.plan.locations[s.Value("a").index()] = Location();
  s.plan.locations[s.Value("b").index()].offset_bytes = -1;
  s.plan.locations[s.Value("c").index()].chunk = 9;
  s.plan.locations[s.Value("K1").index()].offset_bytes = INT64_MAX;
  s.plan.live.clear();
  s.plan.arenas[0].chunks = {-5, INT64_MAX, INT64_MAX};
  s.plan.notes.clear();
  EXPECT_THAT(ExplainPlan(s.graph, s.plan), HasSubstr("sample"));
  for (absl::string_view name : {"x", "a", "v", "b", "c", "K", "K1", "f", "h", "g", "upd", "st"}) {
    EXPECT_TRUE(ExplainName(s.graph, s.plan, name).ok()) << name;
  }
}

TEST(ExplainNameTest, ManyUsesAreCut) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8);
  for (int i = 0; i < 100; ++i) b.Compute(absl::StrCat("f", i), {.reads = {x}, .writes = {}});
  const Graph graph = std::move(b).Build().value();
  Plan plan;
  plan.arenas.push_back({SpaceId(0), 8, 8, BoundKind::kLoad, true, {8}});
  plan.locations = {Location::InArena(SpaceId(0), 0, 0)};
  plan.live = {{std::nullopt, OpId(99)}};
  const std::string text = *ExplainName(graph, plan, "x");
  EXPECT_THAT(text, HasSubstr("(80 more)"));
  EXPECT_THAT(text, HasSubstr("f9 "));
  EXPECT_THAT(text, Not(HasSubstr("f50")));
  EXPECT_THAT(text, HasSubstr("f99    reads it     <- the last\n"));
}

TEST(ExplainProblemTest, PeakAndPicture) {
  const SampleProblem s;
  const std::string text = ExplainProblem(s.problem, s.plan);
  EXPECT_THAT(text, StartsWith("plan of problem \"toy\": 3 buffers, 20 bytes, lower bound 20, optimal\n"
                               "  most is in use at time 0:\n"));
  EXPECT_THAT(text, HasSubstr("       20  in all\n"));
}

TEST(ExplainProblemTest, ABuffer) {
  const SampleProblem s;
  EXPECT_THAT(*ExplainBuffer(s.problem, s.plan, "b"),
              StartsWith("buffer \"b\": 10 bytes, live in [0, 5) without [2, 3)\n"
                         "  lies at offset 10\n"
                         "  in the same bytes:\n"
                         "    when      shared bytes  buffer  live\n"
                         "    in a gap            10  c       [2, 3)\n"));
  EXPECT_THAT(*ExplainBuffer(s.problem, s.plan, "a"), HasSubstr("nothing else ever lies in its bytes"));
  EXPECT_EQ(ExplainBuffer(s.problem, s.plan, "d").status().code(), absl::StatusCode::kNotFound);
}

TEST(DrawTest, OnlyWhatIsNotEmpty) {
  const Sample s;
  EXPECT_THAT(DrawPlan(s.graph, s.plan), HasSubstr("arena \"device\":\n"));
  EXPECT_THAT(DrawPlan(s.graph, s.plan), HasSubstr("^ peak"));
  EXPECT_EQ(DrawProblem(Problem(), ProblemPlan()), "");
}

}  // namespace
}  // namespace bufplan
