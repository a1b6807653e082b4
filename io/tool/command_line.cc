#include "io/tool/command_line.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "io/explain/nearest_names.h"
#include "io/explain/text_table.h"

namespace bufplan {
namespace {

const OptionSpec* FindOption(const CommandSpec& spec, absl::string_view name) {
  const auto found = std::find_if(spec.options.begin(), spec.options.end(),
                                  [&](const OptionSpec& option) { return option.name == name; });
  return found == spec.options.end() ? nullptr : &*found;
}

absl::Status UnknownOption(const CommandSpec& spec, absl::string_view name) {
  std::vector<absl::string_view> known = {"--help"};
  for (const OptionSpec& option : spec.options) known.push_back(option.name);
  return UsageError(absl::StrCat(spec.name, " has no option ", InQuotes(name), DidYouMean(name, known, 1)), spec.name);
}

}  // namespace

absl::Status UsageError(absl::string_view message, absl::string_view command) {
  absl::Status status = absl::InvalidArgumentError(
      absl::StrCat(message, "\nsee: bufplan ", command, command.empty() ? "" : " ", "--help"));
  status.SetPayload(kUsagePayload, absl::Cord());
  return status;
}

std::optional<std::string> CommandLine::Value(absl::string_view name) const {
  for (const auto& [given, value] : options_) {
    if (given == name) return value;
  }
  return std::nullopt;
}

bool WantsHelp(absl::Span<const std::string> arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  return std::any_of(arguments.begin(), end, [](const std::string& a) { return a == "--help" || a == "-h"; });
}

absl::StatusOr<CommandLine> ParseCommandLine(const CommandSpec& spec, absl::Span<const std::string> arguments) {
  CommandLine line;
  bool options_over = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (options_over || argument.size() < 2 || argument[0] != '-') {
      line.arguments_.push_back(argument);
      continue;
    }
    if (argument == "--") {
      options_over = true;
      continue;
    }
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const OptionSpec* option = FindOption(spec, name);
    if (option == nullptr) return UnknownOption(spec, name);
    if (line.Has(name)) return UsageError(absl::StrCat("option ", name, " is given twice"), spec.name);
    std::string value;
    if (equals != std::string::npos) {
      if (option->value.empty()) return UsageError(absl::StrCat("option ", name, " takes no value"), spec.name);
      value = argument.substr(equals + 1);
    } else if (!option->value.empty()) {
      if (i + 1 == arguments.size()) {
        return UsageError(absl::StrCat("option ", name, " needs a value: ", name, " ", option->value), spec.name);
      }
      value = arguments[++i];
    }
    line.options_.emplace_back(name, std::move(value));
  }
  const size_t count = line.arguments_.size();
  if (count < spec.min_arguments || count > spec.max_arguments) {
    return UsageError(absl::StrCat(spec.name, " takes ", spec.arguments.empty() ? "no arguments" : spec.arguments,
                                   ", not ", Plural(static_cast<int64_t>(count), "argument", "arguments")),
                      spec.name);
  }
  return line;
}

std::string HelpText(const CommandSpec& spec) {
  std::string text = absl::StrCat("usage: bufplan ", spec.name, " ", spec.arguments);
  for (const OptionSpec& option : spec.options) {
    absl::StrAppend(&text, " [", option.name, option.value.empty() ? "" : " ", option.value, "]");
  }
  absl::StrAppend(&text, "\n\n", spec.details);
  TextTable table({TextAlign::kLeft, TextAlign::kLeft});
  for (const OptionSpec& option : spec.options) {
    table.Row({absl::StrCat(option.name, option.value.empty() ? "" : " ", option.value), std::string(option.help)});
  }
  table.Row({"--help", "show this"});
  return absl::StrCat(text, "\n", table.Text());
}

absl::StatusOr<int64_t> ParseCount(absl::string_view option, absl::string_view text, int64_t min) {
  int64_t number = 0;
  if (absl::SimpleAtoi(text, &number) && number >= min) return number;
  return absl::InvalidArgumentError(
      absl::StrCat("option ", option, ": ", InQuotes(text), " is no whole number in ", min, "..", INT64_MAX));
}

absl::StatusOr<absl::Duration> ParseSeconds(absl::string_view option, absl::string_view text) {
  constexpr double kMost = 1e9;
  double seconds = 0;
  if (absl::SimpleAtod(text, &seconds) && std::isfinite(seconds) && seconds > 0) {
    return std::max(absl::Seconds(std::min(seconds, kMost)), absl::Nanoseconds(1));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("option ", option, ": ", InQuotes(text), " is not a number of seconds above 0"));
}

}  // namespace bufplan
