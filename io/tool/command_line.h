// Commands, their options and their help, from one table each.
//
// Options may stand before, between and behind arguments; "--" ends them; "-" is an argument. An option with a value
// takes the next argument, or what follows "=". No option may be given twice.
//
// ERRORS: InvalidArgument: what is wrong, with the nearest valid name, and where help is found.
// THREADS: no shared state.
#ifndef BUFPLAN_IO_TOOL_COMMAND_LINE_H_
#define BUFPLAN_IO_TOOL_COMMAND_LINE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace bufplan {

struct OptionSpec {
  absl::string_view name;   // "--capacity" or "-o"
  absl::string_view value;  // what stands for it in help; empty: the option takes none
  absl::string_view help;
};

struct CommandSpec {
  absl::string_view name;
  absl::string_view arguments;  // "GRAPH PLAN [NAME]"
  size_t min_arguments = 0;
  size_t max_arguments = 0;
  absl::string_view summary;  // one line
  absl::string_view details;  // whole lines
  absl::Span<const OptionSpec> options;
};

class CommandLine {
 public:
  const std::vector<std::string>& arguments() const { return arguments_; }
  // `name` as in the spec.
  bool Has(absl::string_view name) const { return Value(name).has_value(); }
  // The option's value, "" for one without; absent if it was not given.
  std::optional<std::string> Value(absl::string_view name) const;

 private:
  friend absl::StatusOr<CommandLine> ParseCommandLine(const CommandSpec& spec, absl::Span<const std::string> arguments);
  std::vector<std::string> arguments_;
  std::vector<std::pair<std::string, std::string>> options_;
};

absl::StatusOr<CommandLine> ParseCommandLine(const CommandSpec& spec, absl::Span<const std::string> arguments);

// Whether "--help" or "-h" is among the options.
bool WantsHelp(absl::Span<const std::string> arguments);

std::string HelpText(const CommandSpec& spec);

// A whole number in [min, 2^63 - 1]; `option` names it in messages.
absl::StatusOr<int64_t> ParseCount(absl::string_view option, absl::string_view text, int64_t min);

// A time above 0, in seconds with decimals; what exceeds a thousand million is that. `option` names it in messages.
absl::StatusOr<absl::Duration> ParseSeconds(absl::string_view option, absl::string_view text);

// What a usage error carries: its text is ours, of two lines, and shown as it is.
inline constexpr absl::string_view kUsagePayload = "bufplan/usage";

// InvalidArgument, with the hint where help is found.
absl::Status UsageError(absl::string_view message, absl::string_view command);

}  // namespace bufplan

#endif  // BUFPLAN_IO_TOOL_COMMAND_LINE_H_
