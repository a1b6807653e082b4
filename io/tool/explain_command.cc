#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "io/explain/explain.h"
#include "io/tool/commands.h"
#include "io/tool/load.h"
#include "io/tool/output.h"

namespace bufplan {
namespace {

constexpr OptionSpec kOptions[] = {
    {"--regions", "MODE", "how a ggml dump was planned: keep, fuse or streams; without, as the plan says"}};

}  // namespace

const CommandSpec kExplainCommand = {
    "explain",
    "GRAPH PLAN [NAME]",
    2,
    3,
    "tell what makes the peak, and why things are where they are",
    "Without NAME: each arena's peak and who is live there, copies kept and elided with their reasons, in-place\n"
    "wishes refused, order edges added, and a picture. With the name of a value: where it lies and why, how long and\n"
    "for whom, what shares its bytes. With the name of an op: what it reads and writes where, what it moves and why.\n"
    "GRAPH may also be an interval problem.\n",
    kOptions};

absl::StatusOr<int> RunExplain(const CommandLine& line, const ToolIo& io) {
  const auto& arguments = line.arguments();
  const absl::StatusOr<std::optional<GgmlRegions>> regions = RegionsOption(line);
  if (!regions.ok()) return regions.status();
  const absl::StatusOr<PlannedInput> planned = LoadPlanned(arguments[0], arguments[1], io, *regions);
  if (!planned.ok()) return planned.status();
  if (!planned->mismatch.ok()) return planned->mismatch;
  const Graph* graph = planned->input.graph();
  const bool named = arguments.size() == 3;
  absl::StatusOr<std::string> text;
  if (graph != nullptr) {
    text = named ? ExplainName(*graph, planned->plan, arguments[2], io.width)
                 : ExplainPlan(*graph, planned->plan, io.width);
  } else {
    const Problem& problem = *planned->input.problem();
    const ProblemPlan& plan = planned->problem_plan.plan;
    text = named ? ExplainBuffer(problem, plan, arguments[2], io.width) : ExplainProblem(problem, plan, io.width);
  }
  if (!text.ok()) return text.status();
  if (absl::Status s = WriteResult(*text, io); !s.ok()) return s;
  return 0;
}

}  // namespace bufplan
