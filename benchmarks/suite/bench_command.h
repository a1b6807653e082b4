// `bufplan bench`: runs the suites and prints what comes of it.
#ifndef BUFPLAN_BENCHMARKS_SUITE_BENCH_COMMAND_H_
#define BUFPLAN_BENCHMARKS_SUITE_BENCH_COMMAND_H_

#include "absl/status/statusor.h"
#include "io/tool/command_line.h"
#include "io/tool/commands.h"
#include "io/tool/tool_io.h"

namespace bufplan {

extern const CommandSpec kBenchCommand;

// Exit status 1: a regression, or a method that gives an invalid placement.
absl::StatusOr<int> RunBench(const CommandLine& line, const ToolIo& io);

}  // namespace bufplan

#endif  // BUFPLAN_BENCHMARKS_SUITE_BENCH_COMMAND_H_
