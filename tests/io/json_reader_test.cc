#include "io/json_reader.h"

#include <string>

#include "gtest/gtest.h"

namespace bufplan {
namespace {

constexpr absl::string_view kKeys[] = {"a", "b", "c"};
constexpr absl::string_view kWords[] = {"yes", "no"};

// What a use of the reader at the root of `text` fails with; empty if it does not.
template <class Use>
std::string Failure(absl::string_view text, Use use) {
  const absl::StatusOr<JsonDocument> doc = JsonDocument::Parse(text);
  EXPECT_TRUE(doc.ok()) << doc.status();
  if (!doc.ok()) return "";
  JsonReader in(*doc);
  use(in, doc->root());
  return std::string(in.status().message());
}

TEST(JsonReader, FindsMembersInAnyOrder) {
  const absl::StatusOr<JsonDocument> doc = JsonDocument::Parse(R"({"c": 3, "a": 1})");
  ASSERT_TRUE(doc.ok());
  JsonReader in(*doc);
  const JsonMembers m = in.Object(doc->root(), kKeys);
  ASSERT_TRUE(in.ok());
  EXPECT_EQ(in.Integer(m[0]), 1);
  EXPECT_FALSE(m.has(1));
  EXPECT_EQ(in.Integer(m[2]), 3);
  EXPECT_EQ(in.OptionalInteger(m, 1), std::nullopt);
  EXPECT_EQ(in.OptionalInteger(m, 2), 3);
}

TEST(JsonReader, NamesUnknownAndMissingKeys) {
  const auto object = [](JsonReader& in, JsonValue root) { in.Object(root, kKeys); };
  EXPECT_EQ(Failure(R"({"a": 1, "d": 2})", object), R"(at /d: unknown key "d"; known are "a", "b", "c")");
  EXPECT_EQ(Failure("[]", object), "at top level: must be an object, is an array");
  EXPECT_EQ(Failure(R"({"a": 1})", [](JsonReader& in, JsonValue root) { in.Required(in.Object(root, kKeys), 1); }),
            R"(at top level: "b" is missing)");
}

TEST(JsonReader, RefusesOtherTypes) {
  const auto integer = [](JsonReader& in, JsonValue root) { in.Integer(*root.begin()); };
  EXPECT_EQ(Failure("[1.5]", integer), "at /0: must be an integer, is a fraction 1.5");
  EXPECT_EQ(Failure("[1e3]", integer), "at /0: must be an integer, is a fraction 1e3");
  EXPECT_EQ(Failure("[99999999999999999999]", integer),
            "at /0: must be an integer, is an integer beyond 64 bits 99999999999999999999");
  EXPECT_EQ(Failure(R"(["7"])", integer), R"(at /0: must be an integer, is a string "7")");
  EXPECT_EQ(Failure("[null]", integer), "at /0: must be an integer, is null");
  const auto text = [](JsonReader& in, JsonValue root) { in.String(*root.begin()); };
  EXPECT_EQ(Failure("[7]", text), "at /0: must be a string, is an integer 7");
  const auto boolean = [](JsonReader& in, JsonValue root) { in.Bool(*root.begin()); };
  EXPECT_EQ(Failure("[0]", boolean), "at /0: must be true or false, is an integer 0");
  const auto name = [](JsonReader& in, JsonValue root) { in.Name(*root.begin()); };
  EXPECT_EQ(Failure(R"([""])", name), "at /0: a name has 0 bytes, must have 1..1024");
  const auto word = [](JsonReader& in, JsonValue root) { in.OneOf(*root.begin(), kWords); };
  EXPECT_EQ(Failure(R"(["maybe"])", word), R"(at /0: "maybe" must be one of "yes", "no")");
  const auto number = [](JsonReader& in, JsonValue root) { in.Number(*root.begin()); };
  EXPECT_EQ(Failure("[2.5]", number), "");
  EXPECT_EQ(Failure("[true]", number), "at /0: must be a number, is a boolean");
}

TEST(JsonReader, KeepsTheFirstFailure) {
  EXPECT_EQ(Failure(R"(["x", null])",
                    [](JsonReader& in, JsonValue root) {
                      for (JsonValue v : root) EXPECT_EQ(in.Integer(v), 0);
                    }),
            R"(at /0: must be an integer, is a string "x")");
}

TEST(JsonReader, NullIsAbsentOnlyWhereAllowed) {
  const absl::StatusOr<JsonDocument> doc = JsonDocument::Parse(R"({"a": null})");
  ASSERT_TRUE(doc.ok());
  JsonReader in(*doc);
  const JsonMembers m = in.Object(doc->root(), kKeys);
  EXPECT_EQ(in.NullableInteger(m, 0), std::nullopt);
  EXPECT_TRUE(in.ok());
  in.OptionalInteger(m, 0);
  EXPECT_EQ(in.status().message(), "at /a: must be an integer, is null");
}

TEST(JsonReader, ChecksFormatAndVersionFirst) {
  const auto check = [](JsonReader& in, JsonValue root) { in.CheckFormat(root, "f"); };
  EXPECT_EQ(Failure(R"({"z": 1, "version": 1, "format": "f"})", check), "");
  EXPECT_EQ(Failure(R"({"version": 1})", check), R"(at top level: "format" is missing, must be "f")");
  EXPECT_EQ(Failure(R"({"format": "g", "version": 1})", check), R"(at /format: format "g", must be "f")");
  EXPECT_EQ(Failure(R"({"format": "f"})", check), R"(at top level: "version" is missing, must be 1)");
  EXPECT_EQ(Failure(R"({"format": "f", "version": 2})", check), "at /version: version 2, must be 1");
  EXPECT_EQ(Failure("7", check), "at top level: must be an object, is an integer 7");
}

}  // namespace
}  // namespace bufplan
