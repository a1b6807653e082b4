#include "io/iree_lexer.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace bufplan {
namespace {

std::vector<std::string> Spellings(absl::string_view source) {
  const absl::StatusOr<IreeText> text = IreeText::Lex(source);
  EXPECT_TRUE(text.ok()) << text.status();
  std::vector<std::string> spellings;
  for (uint32_t i = 0; text.ok() && i < text->tokens().size(); ++i) spellings.emplace_back(text->Spelling(i));
  return spellings;
}

using Words = std::vector<std::string>;

TEST(IreeLexer, Tokens) {
  EXPECT_EQ(Spellings("%0:2, %tp_1 = stream.async.slice %a#1[%c0 to %n-x] -> !a.b<*>"),
            (Words{"%0", ":", "2", ",", "%tp_1", "=", "stream.async.slice", "%a#1", "[", "%c0", "to", "%n-x", "]", "->",
                   "!a.b", "<", "*", ">"}));
  EXPECT_EQ(Spellings("@ex::@\"a b\"(%a->%b) => ^bb0 #map1 {-1.5e-3, 0xFFF, 4x?x8} s0 >= 3"),
            (Words{"@ex",    "::", "@\"a b\"", "(", "%a", "->", "%b", ")",  "=>", "^bb0", "#map1", "{", "-",
                   "1.5e-3", ",",  "0xFFF",    ",", "4",  "x",  "?",  "x8", "}",  "s0",   ">=",    "3"}));
  EXPECT_EQ(Spellings("\xEF\xBB\xBF// a comment\n\"a \\\" // string\" x // another"),
            (Words{"\"a \\\" // string\"", "x"}));
}

TEST(IreeLexer, LocationsAndFileResourcesAreDropped) {
  EXPECT_EQ(Spellings("%0 = a.b loc(callsite(\"f\":1:2 at #loc3)) : x\n#loc3 = loc(\")\")\nlocal(y)"),
            (Words{"%0", "=", "a.b", ":", "x", "#loc3", "=", "local", "(", "y", ")"}));
  EXPECT_EQ(Spellings("a\n{-# dialect_resources: { builtin: {\n x: \"0x00\" } }\n#-}\nb"), (Words{"a", "b"}));
}

TEST(IreeLexer, PlacesPartnersAndLines) {
  const absl::StatusOr<IreeText> text = IreeText::Lex("a (b [c]\n  d)\n\n e");
  ASSERT_TRUE(text.ok());
  const std::vector<IreeToken>& t = text->tokens();
  ASSERT_EQ(t.size(), 9u);
  EXPECT_EQ(t[1].partner, 7u);
  EXPECT_EQ(t[7].partner, 1u);
  EXPECT_EQ(t[3].partner, 5u);
  EXPECT_EQ(t[0].partner, 0u);
  EXPECT_TRUE(t[0].starts_line);
  EXPECT_FALSE(t[1].starts_line);
  EXPECT_EQ(text->LineColumn(t[8].begin), (std::pair<uint32_t, uint32_t>(4, 2)));
  EXPECT_EQ(text->Spelling(IreeTokenRange{2, 6}), "b [c]");
  EXPECT_EQ(text->Spelling(IreeTokenRange{2, 2}), "");
}

TEST(IreeLexer, PartsAreSplitAtMarks) {
  const absl::StatusOr<IreeText> text =
      IreeText::Lex("// -----\na {}\n// -----\n// -----// IR Dump After X //----- //\nb {\n  // -----\nc // -----\nd");
  ASSERT_TRUE(text.ok());
  ASSERT_EQ(text->parts().size(), 3u);
  EXPECT_EQ(text->Spelling(text->parts()[0].tokens), "a {}");
  EXPECT_TRUE(text->parts()[0].status.ok());
  EXPECT_EQ(text->Spelling(text->parts()[1].tokens), "b {");
  EXPECT_EQ(text->parts()[1].status.message(), "5:3: '{' is never closed");
  EXPECT_EQ(text->Spelling(text->parts()[2].tokens), "c // -----\nd");
}

TEST(IreeLexer, BracketsThatDoNotMatch) {
  const std::pair<const char*, const char*> kCases[] = {
      {"a )", "1:3: ')' closes nothing"},
      {"(\n ]", "2:2: ']' where ')' would close the bracket that line 1 opens"},
      {"{ ( )", "1:1: '{' is never closed"},
  };
  for (const auto& [source, message] : kCases) {
    const absl::StatusOr<IreeText> text = IreeText::Lex(source);
    ASSERT_TRUE(text.ok()) << source;
    EXPECT_EQ(text->parts()[0].status.message(), message);
    EXPECT_TRUE(text->parts()[0].status.GetPayload(kIreePlacePayload).has_value());
  }
}

TEST(IreeLexer, Errors) {
  EXPECT_EQ(IreeText::Lex("a \"b\nc\"").status().message(), "1:3: a string without an end");
  EXPECT_EQ(IreeText::Lex("a \"b\\").status().message(), "1:3: a string without an end");
  EXPECT_EQ(IreeText::Lex("\n{-# x").status().message(), "2:1: '{-#' is never closed by '#-}'");
  EXPECT_TRUE(IreeText::Lex("")->parts().empty());
  EXPECT_TRUE(IreeText::Lex("loc(")->parts().empty());
}

// Depth costs nothing but memory.
TEST(IreeLexer, DeepNesting) {
  const size_t depth = 200000;
  const std::string source = absl::StrCat(std::string(depth, '('), std::string(depth, ')'));
  const absl::StatusOr<IreeText> text = IreeText::Lex(source);
  ASSERT_TRUE(text.ok());
  EXPECT_TRUE(text->parts()[0].status.ok());
  EXPECT_EQ(text->tokens()[0].partner, 2 * depth - 1);
}

}  // namespace
}  // namespace bufplan
