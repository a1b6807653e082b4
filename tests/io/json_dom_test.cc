#include "io/json_dom.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace bufplan {
namespace {

std::string ErrorOf(absl::string_view text, int max_depth = JsonDocument::kMaxDepth) {
  const absl::StatusOr<JsonDocument> doc = JsonDocument::Parse(text, max_depth);
  EXPECT_FALSE(doc.ok()) << text;
  return std::string(doc.status().message());
}

TEST(JsonDom, HoldsEveryKindInOrder) {
  const absl::StatusOr<JsonDocument> doc = JsonDocument::Parse(
      R"( {"n": null, "f": false, "t": true, "i": -9223372036854775808, "d": 2.50, "s": "aé\n\u0041", "a": [], "o": {"x": [1]}} )");
  ASSERT_TRUE(doc.ok()) << doc.status();
  std::string seen;
  for (JsonValue v : doc->root()) absl::StrAppend(&seen, v.key(), "=", v.KindName(), " ");
  EXPECT_EQ(seen, "n=null f=a boolean t=a boolean i=an integer d=a fraction s=a string a=an array o=an object ");
  EXPECT_EQ(doc->root().size(), 8u);
  EXPECT_EQ(
      doc->Dump(doc->root()),
      R"({"n": null, "f": false, "t": true, "i": -9223372036854775808, "d": 2.50, "s": "aé\nA", "a": [], "o": {"x": [1]}})");
}

TEST(JsonDom, IntegersBeyond64BitsKeepTheirText) {
  for (const char* number :
       {"9223372036854775808", "18446744073709551615", "18446744073709551616", "-9223372036854775809"}) {
    const absl::StatusOr<JsonDocument> doc = JsonDocument::Parse(number);
    ASSERT_TRUE(doc.ok()) << doc.status();
    EXPECT_EQ(doc->root().kind(), JsonKind::kNumber);
    EXPECT_EQ(doc->root().KindName(), "an integer beyond 64 bits");
    EXPECT_EQ(doc->root().text(), number);
  }
  const absl::StatusOr<JsonDocument> largest = JsonDocument::Parse("9223372036854775807");
  ASSERT_TRUE(largest.ok());
  EXPECT_EQ(largest->root().kind(), JsonKind::kInteger);
  EXPECT_EQ(largest->root().integer(), INT64_MAX);
}

TEST(JsonDom, PointersAreThoseOfRfc6901) {
  const absl::StatusOr<JsonDocument> doc = JsonDocument::Parse(R"({"a/b": [0, {"m~n": 1}], "": 2})");
  ASSERT_TRUE(doc.ok()) << doc.status();
  EXPECT_EQ(doc->Pointer(doc->root()), "");
  const JsonValue list = *doc->root().begin();
  EXPECT_EQ(doc->Pointer(list), "/a~1b");
  const JsonValue object = *++list.begin();
  EXPECT_EQ(doc->Pointer(object), "/a~1b/1");
  EXPECT_EQ(doc->Pointer(*object.begin()), "/a~1b/1/m~0n");
  EXPECT_EQ(doc->Pointer(*++doc->root().begin()), "/");
  EXPECT_EQ(doc->Error(*object.begin(), "is wrong").message(), "at /a~1b/1/m~0n: is wrong");
  EXPECT_EQ(doc->Error(doc->root(), "is wrong").message(), "at top level: is wrong");
}

TEST(JsonDom, SyntaxErrorsHaveLineAndColumn) {
  const struct {
    std::string text;
    const char* error;
  } kCases[] = {
      {"",
       "line 1, column 1: syntax error while parsing value - unexpected end of input; expected '[', '{', or a literal"},
      {"{\n \"a\": 1,\n \"b\" 2}",
       "line 3, column 6: syntax error while parsing object separator - unexpected number literal; expected ':'"},
      {"[1, 2", "line 1, column 6: syntax error while parsing array - unexpected end of input; expected ']'"},
      {"[1 2]", "line 1, column 4: syntax error while parsing array - unexpected number literal; expected ']'"},
      {"{} x", "line 1, column 4: syntax error while parsing value - invalid literal"},
      {"{} {}", "line 1, column 4: syntax error while parsing value - unexpected '{'; expected end of input"},
      {"[NaN]", "line 1, column 2: syntax error while parsing value - invalid literal"},
      {"[01]", "line 1, column 3: syntax error while parsing array - unexpected number literal; expected ']'"},
      {"[+1]", "line 1, column 2: syntax error while parsing value - invalid literal"},
      {"[1.]", "line 1, column 4: syntax error while parsing value - invalid number; expected digit after '.'"},
      {"[1e999]", "line 1, column 6: a number is out of range"},
      {"[\"abc", "line 1, column 6: syntax error while parsing value - invalid string: missing closing quote"},
      {"[\"\xFF\"]", "line 1, column 3: syntax error while parsing value - invalid string: ill-formed UTF-8 byte"},
      {"[\"\xED\xA0\x80\"]",
       "line 1, column 4: syntax error while parsing value - invalid string: ill-formed UTF-8 byte"},
      {"/* */ 1", "line 1, column 1: syntax error while parsing value - invalid literal"},
      {std::string("{}\n\0", 4), "line 2, column 1: zero byte"},
  };
  for (const auto& c : kCases) EXPECT_EQ(ErrorOf(c.text), c.error) << c.text;
}

TEST(JsonDom, RefusesRepeatedKeysInSmallAndLargeObjects) {
  EXPECT_EQ(ErrorOf(R"({"a": [{"x": 1, "y": 2, "x": 3}]})"), "at /a/0/x: the key occurs twice in its object");
  EXPECT_EQ(ErrorOf(R"({"a": 1, "\u0061": 2})"), "at /a: the key occurs twice in its object");
  std::string large = "{";
  for (int i = 0; i < 100; ++i) absl::StrAppend(&large, "\"k", i, "\": {\"k", i, "\": 0}, ");
  EXPECT_TRUE(JsonDocument::Parse(large + "\"z\": 0}").ok());
  EXPECT_EQ(ErrorOf(large + "\"k42\": 0}"), "at /k42: the key occurs twice in its object");
}

TEST(JsonDom, LimitsNesting) {
  const std::string open(64, '['), close(64, ']');
  EXPECT_TRUE(JsonDocument::Parse(open + close).ok());
  std::string pointer;
  for (int i = 0; i < 63; ++i) pointer += "/0";
  EXPECT_EQ(ErrorOf("[" + open + close + "]"), "at " + pointer + ": nesting exceeds 64 levels");
  EXPECT_EQ(ErrorOf(std::string(10'000'000, '[')), "at " + pointer + ": nesting exceeds 64 levels");
  EXPECT_EQ(ErrorOf("[[[1]]]", 2), "at /0: nesting exceeds 2 levels");
}

TEST(JsonDom, FindsATopLevelStringWithoutReadingOn) {
  const auto find = [](absl::string_view text) { return FindTopLevelString(text, "format"); };
  EXPECT_EQ(find(R"({"x": [{"format": "no"}], "format": "yes", broken)").value(), "yes");
  EXPECT_EQ(find(R"({"x": {"format": "no"}})").value(), std::nullopt);
  EXPECT_EQ(find(R"({"format": ["no"]})").value(), std::nullopt);
  EXPECT_EQ(find(R"({"format": 3})").value(), std::nullopt);
  EXPECT_EQ(find(R"({"x": 1, broken)").status().message(),
            "line 1, column 10: syntax error while parsing object key - invalid literal");
  EXPECT_EQ(find("[1]").status().message(), "at top level: must be an object");
  EXPECT_EQ(find("{\"x\": " + std::string(100, '[')).status().message(), "nesting exceeds 64 levels");
}

}  // namespace
}  // namespace bufplan
