// Generates text with a small decoder three times: without a plan, planned, and planned with fused kernels.
//
// Tokens must be equal, and logits too: to the bit where the same kernels run, within kTolerance of the largest logit
// where fused ones add up in another order. Exit status: 0 equal, 1 not, 2 bad usage, 3 no such device.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "examples/decoder/decoder_graph.h"
#include "examples/decoder/generator.h"
#include "gpu_runtime/device/open_device.h"
#include "io/explain/text_table.h"
#include "io/json_graph.h"
#include "io/tool/command_line.h"
#include "io/tool/tool.h"
#include "io/write_file.h"
#include "planner/make_plan.h"

namespace bufplan::decoder {
namespace {

constexpr double kTolerance = 1e-3;
constexpr int32_t kPrompt[] = {1, 17, 42};
constexpr int64_t kMost = 1'000'000;  // of any option

constexpr OptionSpec kOptions[] = {
    {"--tokens", "N", "to generate; 32 if left out"},
    {"--layers", "N", "4 if left out"},
    {"--hidden", "N", "a multiple of twice the heads; 256 if left out"},
    {"--heads", "N", "of queries, with half as many of keys and values; 8 if left out"},
    {"--experts", "N", "of which two are used by a token; 0, a SwiGLU block, if left out"},
    {"--vocabulary", "N", "1024 if left out"},
    {"--device", "D", "host, cuda or hip; host if left out"},
    {"--repeat", "N", "then repeats the last step N times, captured, for its time"},
    {"--seed", "N", "of the weights; 1 if left out"},
    {"--write-graph", "FILE", "writes the graph of a step as JSON (\"-\": to standard output), and does no more"}};
constexpr CommandSpec kSpec = {"decoder",
                               "",
                               0,
                               0,
                               "generates tokens with a small decoder, planned and not, and compares",
                               "Planned: copies elided, kernels fused, queries, keys and values on three streams.\n",
                               kOptions};

struct Request {
  DecoderShape shape;
  int64_t tokens = 32, repeat = 0;
  uint64_t seed = 1;
  std::string device = "host", graph_file;
};

// The texts of commands are made for the tool.
std::string WithoutTool(absl::string_view text) { return absl::StrReplaceAll(text, {{"bufplan decoder", "decoder"}}); }

absl::StatusOr<Request> ParseRequest(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  const absl::StatusOr<CommandLine> line = ParseCommandLine(kSpec, arguments);
  if (!line.ok()) return absl::InvalidArgumentError(WithoutTool(line.status().message()));
  Request request;
  absl::Status status;
  const auto count = [&](absl::string_view option, int64_t fallback, int64_t min) {
    if (!line->Has(option)) return fallback;
    const absl::StatusOr<int64_t> n = ParseCount(option, *line->Value(option), min);
    status.Update(n.status());
    if (n.ok() && *n > kMost) {
      status.Update(absl::InvalidArgumentError(absl::StrCat("option ", option, ": ", *n, ", at most ", kMost)));
    }
    return n.value_or(fallback);
  };
  DecoderShape& d = request.shape;
  d.layers = static_cast<int>(count("--layers", 4, 1));
  d.hidden = count("--hidden", 256, 2);
  d.heads = count("--heads", 8, 1);
  d.kv_heads = std::max<int64_t>(1, d.heads / 2);
  d.head_dim = d.hidden / d.heads;
  d.inner = 2 * d.hidden;
  d.experts = count("--experts", 0, 0);
  d.vocabulary = count("--vocabulary", 1024, 64);
  request.tokens = count("--tokens", 32, 1);
  request.repeat = count("--repeat", 0, 0);
  request.seed = static_cast<uint64_t>(count("--seed", 1, 0));
  request.device = line->Value("--device").value_or("host");
  request.graph_file = line->Value("--write-graph").value_or("");
  d.max_positions = request.tokens + static_cast<int64_t>(std::size(kPrompt));
  if (!status.ok()) return status;
  if (d.hidden % (2 * d.heads) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("options --hidden, --heads: ", d.hidden, " is no multiple of twice ", d.heads));
  }
  return request;
}

struct Run {
  std::string name;
  const DecoderGraph* graph = nullptr;
  const Plan* plan = nullptr;  // null: the reference
  std::vector<int32_t> tokens = {};
  std::vector<std::vector<float>> logits = {};  // by position
  absl::Duration per_token = {}, prepare = {}, repeated = {};
};

// The prompt, then what the model likes best.
absl::Status Generate(const Request& request, const DeviceWeights& weights, runtime::DevicePool& pool, Run& run) {
  absl::StatusOr<std::unique_ptr<Generator>> g = Generator::Make(*run.graph, run.plan, weights, pool, false);
  if (!g.ok()) return g.status();
  int32_t token = kPrompt[0];
  for (size_t i = 1; static_cast<int64_t>(run.tokens.size()) < request.tokens; ++i) {
    absl::StatusOr<std::vector<float>> logits = (*g)->Step(token);
    if (!logits.ok()) return logits.status();
    token = static_cast<int32_t>(std::max_element(logits->begin(), logits->end()) - logits->begin());
    run.logits.push_back(*std::move(logits));
    if (i < std::size(kPrompt)) {
      token = kPrompt[i];
    } else {
      run.tokens.push_back(token);
    }
  }
  run.per_token = (*g)->time();
  run.prepare = (*g)->prepare_time();
  return absl::OkStatus();
}

// The last step again and again, without what a new position costs.
absl::Status Repeat(const Request& request, const DeviceWeights& weights, runtime::DevicePool& pool, Run& run) {
  absl::StatusOr<std::unique_ptr<Generator>> g = Generator::Make(*run.graph, run.plan, weights, pool, true);
  if (!g.ok()) return g.status();
  if (absl::Status s = (*g)->Step(kPrompt[0]).status(); !s.ok()) return s;
  for (int64_t i = 0; i < request.repeat; ++i) {
    if (absl::Status s = (*g)->Again(); !s.ok()) return s;
  }
  run.repeated = (*g)->again_time();
  return absl::OkStatus();
}

// The largest difference of logits, relative to the largest logit; 0: equal to the bit.
double Difference(const Run& a, const Run& b) {
  double most = 0;
  for (size_t p = 0; p < std::min(a.logits.size(), b.logits.size()); ++p) {
    const std::vector<float>&x = a.logits[p], &y = b.logits[p];
    if (std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0) continue;
    double largest = 0, apart = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      largest = std::max(largest, std::abs(double{y[i]}));
      apart = std::max(apart, std::abs(double{x[i]} - double{y[i]}));
    }
    most = std::max(most, std::isfinite(apart) ? apart / largest : HUGE_VAL);
  }
  return most;
}

int64_t NumFused(const Plan& plan) {
  return std::count_if(plan.fused.begin(), plan.fused.end(), [](const FusionDecision& f) { return f.fused; });
}

std::string TimeText(absl::Duration d) { return absl::StrFormat("%.3f ms", absl::ToDoubleMilliseconds(d)); }

std::string Table(const std::vector<Run>& runs, int64_t reference_bytes, bool repeated) {
  TextTable table({TextAlign::kLeft, TextAlign::kRight, TextAlign::kRight, TextAlign::kRight}, 0);
  const auto row = [&](const std::string& title, const auto& cell) {
    std::vector<std::string> cells = {title};
    for (const Run& r : runs) cells.push_back(cell(r));
    table.Row(std::move(cells));
  };
  const Plan& some = *runs[1].plan;
  row("", [](const Run& r) { return r.name; });
  row("values in memory",
      [&](const Run& r) { return FormatSize(r.plan == nullptr ? reference_bytes : r.plan->arenas[0].bytes); });
  row("copies a step", [&](const Run& r) {
    return FormatCount(r.plan == nullptr ? some.stats.copies_kept + some.stats.copies_elided
                                         : r.plan->stats.copies_kept);
  });
  row("bytes copied, at most", [&](const Run& r) {
    return FormatSize(r.plan == nullptr ? some.stats.bytes_copied + some.stats.bytes_not_copied
                                        : r.plan->stats.bytes_copied);
  });
  row("groups fused", [](const Run& r) { return r.plan == nullptr ? "" : FormatCount(NumFused(*r.plan)); });
  row("time a token", [](const Run& r) { return TimeText(r.per_token); });
  row("of it for a new position", [](const Run& r) { return TimeText(r.prepare); });
  if (repeated) row("a step replayed", [](const Run& r) { return TimeText(r.repeated); });
  row("logits", [&](const Run& r) -> std::string {
    if (r.plan == nullptr) return "";
    const double d = Difference(r, runs[0]);
    return d == 0 ? "equal" : absl::StrFormat("%.1e apart", d);
  });
  return table.Text();
}

absl::StatusOr<int> Main(const Request& request) {
  absl::StatusOr<DecoderGraph> plain = MakeDecoderGraph(request.shape, false);
  if (!plain.ok()) return plain.status();
  absl::StatusOr<DecoderGraph> fusable = MakeDecoderGraph(request.shape, true);
  if (!fusable.ok()) return fusable.status();
  if (!request.graph_file.empty()) {
    if (absl::Status s = WriteFile(request.graph_file, WriteGraphJson(fusable->graph)); !s.ok()) return s;
    return 0;
  }
  absl::StatusOr<std::unique_ptr<runtime::Device>> device = runtime::OpenDevice(request.device);
  if (!device.ok()) return device.status();
  runtime::DevicePool pool(**device);
  const absl::StatusOr<DeviceWeights> weights = DeviceWeights::Make(*plain, request.seed, pool);
  if (!weights.ok()) return weights.status();
  const absl::StatusOr<Plan> plan = MakePlan(plain->graph), fused = MakePlan(fusable->graph);
  if (!plan.ok()) return plan.status();
  if (!fused.ok()) return fused.status();
  std::vector<Run> runs = {{.name = "reference", .graph = &*plain},
                           {.name = "planned", .graph = &*plain, .plan = &*plan},
                           {.name = "planned, fused", .graph = &*fusable, .plan = &*fused}};
  for (Run& run : runs) {
    if (absl::Status s = Generate(request, *weights, pool, run); !s.ok()) return s;
    if (request.repeat == 0) continue;
    if (absl::Status s = Repeat(request, *weights, pool, run); !s.ok()) return s;
  }
  const DecoderShape& d = request.shape;
  std::printf("%d layers, hidden %d, %d heads (%d of keys and values), %s; %d ops on %d streams of %s\n\n", d.layers,
              static_cast<int>(d.hidden), static_cast<int>(d.heads), static_cast<int>(d.kv_heads),
              d.experts == 0 ? "SwiGLU" : absl::StrCat(d.experts, " experts").c_str(),
              static_cast<int>(plain->graph.ops().size()), plain->graph.num_streams(),
              (*device)->properties().name.c_str());
  std::printf("%s\n", Table(runs, plan->stats.sum_bytes, request.repeat > 0).c_str());
  std::printf("tokens: %s\n", absl::StrJoin(runs[0].tokens, " ").c_str());
  const bool tokens_equal = runs[1].tokens == runs[0].tokens && runs[2].tokens == runs[0].tokens;
  const bool logits_equal = Difference(runs[1], runs[0]) == 0 && Difference(runs[2], runs[0]) <= kTolerance;
  const bool no_copies = plan->stats.copies_kept == 0 && fused->stats.copies_kept == 0;
  std::printf("%s\n", tokens_equal ? "all three generate the same tokens" : "the tokens differ");
  if (!logits_equal) std::printf("the logits differ by more than they may\n");
  if (!no_copies) std::printf("a plan keeps copies\n");
  return tokens_equal && logits_equal && no_copies ? 0 : 1;
}

}  // namespace
}  // namespace bufplan::decoder

int main(int argc, char** argv) {
  using bufplan::decoder::kSpec;
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (bufplan::WantsHelp(arguments)) {
    std::printf("%s", bufplan::decoder::WithoutTool(bufplan::HelpText(kSpec)).c_str());
    return 0;
  }
  const absl::StatusOr<bufplan::decoder::Request> request = bufplan::decoder::ParseRequest(argc, argv);
  const absl::StatusOr<int> result =
      request.ok() ? bufplan::decoder::Main(*request) : absl::StatusOr<int>(request.status());
  if (result.ok()) return *result;
  std::fprintf(stderr, "decoder: %s\n", std::string(result.status().message()).c_str());
  return bufplan::ExitStatus(result.status());
}
