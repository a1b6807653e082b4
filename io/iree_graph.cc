#include "io/iree_graph.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "io/iree_ast.h"
#include "io/iree_lowering.h"
#include "io/iree_parser.h"
#include "io/json_text.h"

namespace bufplan {
namespace {

constexpr size_t kMaxNamed = 10;  // functions in a message

// "NAME", "PART:NAME", "PART:".
struct Choice {
  std::optional<size_t> part;  // from 0
  absl::string_view name;      // empty: the first over resources
};

absl::StatusOr<Choice> ReadChoice(absl::string_view text, size_t num_parts) {
  Choice choice;
  choice.name = text;
  const size_t colon = text.find(':');
  if (colon != absl::string_view::npos) {
    size_t number = 0;
    if (!absl::SimpleAtoi(text.substr(0, colon), &number) || number < 1 || number > num_parts) {
      return absl::InvalidArgumentError(
          absl::StrCat("function ", Quoted(text), ": part ", Quoted(text.substr(0, colon)), " must be 1..", num_parts));
    }
    choice.part = number - 1;
    choice.name = text.substr(colon + 1);
  }
  absl::ConsumePrefix(&choice.name, "@");
  return choice;
}

std::string Names(const std::vector<absl::string_view>& names) {
  const absl::Span<const absl::string_view> some = absl::MakeConstSpan(names).first(std::min(names.size(), kMaxNamed));
  return absl::StrCat(absl::StrJoin(some, ", "), names.size() > kMaxNamed ? ", ..." : "");
}

struct Chosen {
  size_t part = 0;
  IreeModule module;
  size_t function = 0;
  std::vector<absl::string_view> others;  // over resources, in the same part
};

absl::StatusOr<Chosen> Choose(const IreeText& text, const Choice& choice) {
  std::vector<absl::string_view> seen;
  for (size_t p = 0; p < text.parts().size(); ++p) {
    if (choice.part.has_value() && *choice.part != p) continue;
    absl::StatusOr<IreeModule> module = ParseIreeModule(text, text.parts()[p]);
    if (!module.ok()) return module.status();
    std::optional<size_t> found;
    std::vector<absl::string_view> others;
    for (size_t f = 0; f < module->functions.size(); ++f) {
      const IreeFunction& function = module->functions[f];
      if (!function.body.has_value()) continue;
      const bool fits = choice.name.empty() ? function.over_resources : function.name.substr(1) == choice.name;
      if (fits && !found.has_value()) {
        found = f;
      } else if (function.over_resources) {
        others.push_back(function.name);
      }
      if (function.over_resources && seen.size() <= kMaxNamed) seen.push_back(function.name);
    }
    if (found.has_value()) return Chosen{p, *std::move(module), *found, std::move(others)};
  }
  const std::string where = choice.part.has_value() ? absl::StrCat("part ", *choice.part + 1)
                            : text.parts().size() == 1
                                ? "the file"
                                : absl::StrCat("the ", text.parts().size(), " parts of the file");
  const std::string message =
      choice.name.empty() || seen.empty()
          ? absl::StrCat(where, " has no function over !stream.resource; is it the stream dialect at the async level?")
          : absl::StrCat(where, " has no function ", Quoted(choice.name), "; over resources are ", Names(seen));
  if (text.parts().empty()) return absl::InvalidArgumentError(message);
  return text.Fault(text.tokens()[text.parts()[choice.part.value_or(0)].tokens.begin].begin, message);
}

}  // namespace

absl::StatusOr<IreeImport> ReadIreeGraph(absl::string_view text, const IreeOptions& options) {
  const absl::StatusOr<IreeText> lexed = IreeText::Lex(text);
  if (!lexed.ok()) return lexed.status();
  const absl::StatusOr<Choice> choice = ReadChoice(options.function, lexed->parts().size());
  if (!choice.ok()) return choice.status();
  const absl::StatusOr<Chosen> chosen = Choose(*lexed, *choice);
  if (!chosen.ok()) return chosen.status();
  const IreeFunction& function = chosen->module.functions[chosen->function];
  absl::StatusOr<IreeImport> import = IreeLowering(*lexed, chosen->module, function, options.symbols).Run();
  if (!import.ok()) return import.status();
  const size_t parts = lexed->parts().size();
  if (choice->name.empty() && (!chosen->others.empty() || (parts > 1 && !choice->part.has_value()))) {
    const auto [line, column] = lexed->LineColumn(function.offset);
    const std::string number = parts > 1 ? absl::StrCat(chosen->part + 1, ":") : "";
    std::string warning = absl::StrCat(line, ":", column, ": read ", function.name);
    if (parts > 1) absl::StrAppend(&warning, " of part ", chosen->part + 1, " of ", parts);
    if (!chosen->others.empty()) absl::StrAppend(&warning, ", not ", Names(chosen->others));
    import->warnings.insert(import->warnings.begin(),
                            absl::StrCat(warning, "; --function ", number, "NAME reads another one"));
  }
  return import;
}

}  // namespace bufplan
