// Real graphs planned with their regions: kept alive, fused, on streams.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "io/ggml.h"
#include "io/json_dom.h"
#include "ir/checker.h"
#include "planner/make_plan.h"
#include "tests/planner/ggml_dumps.h"

namespace bufplan {
namespace {

// The bytes of a checked plan; -1 on failure.
int64_t PlannedBytes(const Graph& graph, Effort effort) {
  const absl::StatusOr<Plan> plan = MakePlan(graph, {.effort = effort, .check = false});
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (!plan.ok()) return -1;
  const absl::StatusOr<CheckReport> report = CheckPlan(graph, *plan);
  EXPECT_TRUE(report.ok()) << report.status();
  if (!report.ok()) return -1;
  EXPECT_TRUE(report->ok()) << report->violations[0].message;
  EXPECT_TRUE(report->exact);
  EXPECT_EQ(plan->stats.copies_kept, 0) << "ggml's writes into views are in place";
  EXPECT_GE(plan->arenas[0].bytes, plan->arenas[0].lower_bound);
  return plan->arenas[0].bytes;
}

// The lifetimes of tests/data/ggml/README.md, lengthened by what the regions keep: the largest sum of padded sizes of
// compute tensors at one step. A tensor shares the place of the one that it was put in place of, unless that is kept.
int64_t PeakOfLifetimes(const std::string& name, bool with_keep) {
  const GgmlDump dump = GgmlDumpOf(name);
  const size_t n = dump.tensors.size(), num_leafs = dump.num_leafs;
  const auto root_of = [&](size_t i) {
    return static_cast<size_t>(dump.tensors[i].view_src.value_or(static_cast<int32_t>(i)));
  };
  const auto step_of = [&](size_t i) { return i < num_leafs ? int64_t{0} : dump.tensors[i].step; };
  const int64_t end = static_cast<int64_t>(n - num_leafs);
  std::vector<int64_t> last(n, -1), kept_to(n, -1);
  std::vector<bool> read(n, false);
  for (size_t i = 0; i < n; ++i) {
    for (int32_t s : dump.tensors[i].src) {
      const size_t operand = static_cast<size_t>(s);
      if (operand == i) continue;
      read[operand] = true;
      last[root_of(operand)] = step_of(i);
    }
  }
  for (size_t i = 0; i < n; ++i) {
    if (dump.tensors[i].output || !read[i]) last[root_of(i)] = end;
  }
  for (const GgmlRegion& r : dump.regions) {
    for (int32_t k : r.keep) {
      int64_t& kept = kept_to[root_of(static_cast<size_t>(k))];
      if (with_keep) kept = std::max(kept, step_of(static_cast<size_t>(r.until)));
    }
  }
  // Who takes over whose place is in the file and not in a GgmlDump.
  std::map<int64_t, size_t> index_of_id;
  for (size_t i = 0; i < n; ++i) index_of_id[dump.tensors[i].id] = i;
  const std::string text = GgmlText(name);
  const absl::StatusOr<JsonDocument> doc = JsonDocument::Parse(text);
  EXPECT_TRUE(doc.ok());
  for (JsonValue member : doc->root()) {
    if (member.key() != "nodes") continue;
    size_t i = num_leafs;
    for (JsonValue node : member) {
      for (JsonValue field : node) {
        if (field.key() != "inplace_of") continue;
        const size_t source = root_of(index_of_id.at(field.integer()));
        if (kept_to[source] < step_of(i)) last[source] = step_of(i) - 1;
      }
      ++i;
    }
  }
  std::vector<int64_t> change(static_cast<size_t>(end) + 2);
  for (size_t i = 0; i < n; ++i) {
    const GgmlTensor& t = dump.tensors[i];
    if (t.buffer != GgmlBuffer::kCompute || t.view_src.has_value()) continue;
    const int64_t padded = (t.nbytes + dump.alignment_bytes - 1) / dump.alignment_bytes * dump.alignment_bytes;
    change[static_cast<size_t>(step_of(i))] += padded;
    change[static_cast<size_t>(std::max(last[i], kept_to[i])) + 1] -= padded;
  }
  int64_t live = 0, peak = 0;
  for (int64_t c : change) peak = std::max(peak, live += c);
  return peak;
}

class GgmlRegionPlans : public testing::TestWithParam<const char*> {};

TEST_P(GgmlRegionPlans, KeepingTakesNoMoreThanTheLifetimesSoExtended) {
  const std::string text = GgmlText(GetParam());
  ASSERT_EQ(PeakOfLifetimes(GetParam(), false), GgmlDumpOf(GetParam()).peak_live_bytes)
      << "the lifetimes are not those of the file";
  const int64_t peak = PeakOfLifetimes(GetParam(), true);
  const absl::StatusOr<Graph> graph = ReadGgmlGraph(text, {.regions = GgmlRegions::kKeep});
  ASSERT_TRUE(graph.ok()) << graph.status();
  const int64_t bytes = PlannedBytes(*graph, Effort::kDefault);
  EXPECT_GT(bytes, 0);
  EXPECT_LE(static_cast<double>(bytes), 1.02 * static_cast<double>(peak));
  EXPECT_GE(PlannedBytes(*graph, Effort::kFast), bytes);
}

TEST_P(GgmlRegionPlans, GroupsHaveValidPlans) {
  const std::string text = GgmlText(GetParam());
  const absl::StatusOr<Graph> fused = ReadGgmlGraph(text, {.regions = GgmlRegions::kFuse});
  ASSERT_TRUE(fused.ok()) << fused.status();
  EXPECT_GT(PlannedBytes(*fused, Effort::kFast), 0);
  EXPECT_GT(PlannedBytes(*fused, Effort::kDefault), 0);
}

// At most 5 % above the heaviest values that may be live at once, without a wait that the streams do not have.
TEST_P(GgmlRegionPlans, StreamsNeedWhatMayBeLiveAtOnce) {
  const absl::StatusOr<Graph> graph = ReadGgmlGraph(GgmlText(GetParam()), {.regions = GgmlRegions::kStreams});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_GT(PlannedBytes(*graph, Effort::kFast), 0);
  const absl::StatusOr<Plan> plan = MakePlan(*graph);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_LE(plan->arenas[0].bytes * 100, plan->arenas[0].lower_bound * 105);
  EXPECT_TRUE(plan->added_order.empty());
}

INSTANTIATE_TEST_SUITE_P(All, GgmlRegionPlans,
                         testing::Values("llama7b_decode", "llama7b_prefill512", "llama7b_prefill512_last",
                                         "llama8b_gqa_decode", "llama8b_gqa_prefill512_fa", "moe64_decode_fa",
                                         "moe64_prefill512_fa", "moe64_prefill2048_fa_last", "moe8x7b_decode",
                                         "resnet50_b1", "unet_64", "whisper_small_enc"),
                         [](const auto& info) { return std::string(info.param); });

// In mebibytes, as printed with that many digits; all groups are worth it.
TEST(GgmlFusedTest, GroupsSaveWhatTheirKernelsNeedNot) {
  const struct {
    const char* name;
    double mebibytes;
    int digits;
  } kFigures[] = {{"llama7b_prefill512", 70.50, 2},
                  {"llama7b_prefill512_last", 49.00, 2},
                  {"moe64_prefill2048_fa_last", 216.57, 2},
                  {"moe64_prefill512_fa", 102.25, 2},
                  {"moe8x7b_decode", 0.192, 3},
                  {"moe64_decode_fa", 0.200, 3},
                  {"llama8b_gqa_prefill512_fa", 258.50, 2}};
  for (const auto& f : kFigures) {
    const absl::StatusOr<Graph> graph = ReadGgmlGraph(GgmlText(f.name), {.regions = GgmlRegions::kFuse});
    ASSERT_TRUE(graph.ok()) << graph.status();
    ASSERT_FALSE(graph->fusions().empty());
    const absl::StatusOr<Plan> plan = MakePlan(*graph);
    ASSERT_TRUE(plan.ok()) << plan.status();
    for (const FusionDecision& d : plan->fused) EXPECT_TRUE(d.fused) << d.why;
    const double mebibytes = static_cast<double>(plan->arenas[0].bytes) / (1 << 20);
    const double scale = std::pow(10, f.digits);
    EXPECT_LE(std::round(mebibytes * scale), std::round(f.mebibytes * scale)) << f.name << ": " << mebibytes;
    RecordProperty(f.name, std::to_string(mebibytes));
  }
}

}  // namespace
}  // namespace bufplan
