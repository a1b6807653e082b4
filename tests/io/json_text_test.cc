#include "io/json_text.h"

#include <limits>

#include "gtest/gtest.h"

namespace bufplan {
namespace {

TEST(JsonText, EscapesWhatMustBe) {
  EXPECT_EQ(JsonString("plain ~\x7F"), "\"plain ~\x7F\"");
  EXPECT_EQ(JsonString("a\"b\\c\n\t\r\x01\x1F"), R"("a\"b\\c\n\t\r\u0001\u001f")");
  EXPECT_EQ(JsonString(absl::string_view("\0", 1)), R"("\u0000")");
  EXPECT_EQ(JsonString("é 漢 😀"), "\"é 漢 😀\"");
}

TEST(JsonText, ReplacesWhatIsNoUtf8) {
  const absl::string_view kBad[] = {"\x80", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                    "\xF5", "\xC3"};
  for (absl::string_view bad : kBad) {
    EXPECT_LT(ValidUtf8Prefix(bad), bad.size());
    EXPECT_NE(JsonString(bad).find("\xEF\xBF\xBD"), std::string::npos);
    EXPECT_EQ(ValidUtf8Prefix(JsonString(bad)), JsonString(bad).size());
  }
  EXPECT_EQ(JsonString("a\xFFz"), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(ValidUtf8Prefix("ab\xFF"), 2u);
  EXPECT_EQ(ValidUtf8Prefix("\xF0\x9F\x98\x80"), 4u);
}

TEST(JsonText, NumbersReadBack) {
  EXPECT_EQ(JsonNumber(1), "1");
  EXPECT_EQ(JsonNumber(0.1), "0.1");
  EXPECT_EQ(JsonNumber(-2.5e-300), "-2.5e-300");
  EXPECT_EQ(JsonNumber(std::numeric_limits<double>::quiet_NaN()), "0");
  EXPECT_EQ(JsonNumber(std::numeric_limits<double>::infinity()), "0");
}

TEST(JsonText, ExpressionsAreIntegersOrStrings) {
  const Symbol kSymbols[] = {{"s", 0, 10, 1}};
  EXPECT_EQ(JsonExpr(-5, kSymbols), "-5");
  EXPECT_EQ(JsonExpr(8192 * Expr::FromSymbol(SymbolId(0)) + 1, kSymbols), "\"8192*s + 1\"");
}

TEST(JsonText, QuotesForMessagesAreShort) {
  EXPECT_EQ(Quoted("x\n"), "\"x\\n\"");
  EXPECT_EQ(Quoted(std::string(5000, 'a')), "\"" + std::string(100, 'a') + "\"...");
}

TEST(JsonText, FilesHaveOneElementPerLine) {
  JsonObjectText head;
  head.String("format", "f").Integer("version", 1).Bool("ok", true);
  JsonFileText file(head);
  file.BeginList("empty");
  file.EndList();
  file.BeginList("list");
  file.Element("1");
  file.Element("2");
  file.EndList();
  file.Member("last", "[]");
  EXPECT_EQ(file.Finish(),
            "{\"format\": \"f\", \"version\": 1, \"ok\": true,\n \"empty\": [],\n \"list\": [\n  1,\n  2],\n \"last\": "
            "[]}\n");
}

}  // namespace
}  // namespace bufplan
