// Pieces of JSON text: strings, numbers, and one-line objects.
//
// Output is readable and canonical: ", " and ": " between things, non-ASCII characters as they are, only what must be
// escaped is. THREADS: no shared state.
//
// Example:
//   JsonObjectText object;
//   object.String("name", "x").Integer("bytes", 64);
//   object.Finish();   // {"name": "x", "bytes": 64}
#ifndef BUFPLAN_IO_JSON_TEXT_H_
#define BUFPLAN_IO_JSON_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/expr.h"

namespace bufplan {

// How many bytes at the front of s are valid UTF-8: s.size() if all are.
size_t ValidUtf8Prefix(absl::string_view s);

// Appends the string in quotes. Bytes that are not UTF-8 become U+FFFD, so that any output is valid JSON.
void AppendJsonString(absl::string_view s, std::string& out);
std::string JsonString(absl::string_view s);

// The shortest text that reads back to the same double; 0 for what JSON has no number for.
std::string JsonNumber(double d);

// An integer if constant, else a string in the form that ParseExpr reads.
std::string JsonExpr(const Expr& e, absl::Span<const Symbol> symbols);

// The string in quotes for a message, cut after 100 bytes.
std::string Quoted(absl::string_view s);

// ["a", "b"], each element by `text_of(element)`.
template <class Range, class TextOf>
std::string JsonArray(const Range& range, TextOf text_of) {
  std::string out = "[";
  for (const auto& element : range) {
    if (out.size() > 1) out += ", ";
    out += text_of(element);
  }
  out += ']';
  return out;
}

// One object on one line, member by member.
class JsonObjectText {
 public:
  JsonObjectText& Raw(absl::string_view key, absl::string_view json);
  JsonObjectText& String(absl::string_view key, absl::string_view s);
  JsonObjectText& Integer(absl::string_view key, int64_t i);
  JsonObjectText& Bool(absl::string_view key, bool b) { return Raw(key, b ? "true" : "false"); }
  // To be called once, at the end.
  std::string Finish() { return std::move(text_ += '}'); }

 private:
  void Key(absl::string_view key);
  std::string text_ = "{";
};

// A file of one object: scalar members on the first line, then one member per list with one element per line.
//
//   {"format": "bufplan.graph", "version": 1,
//    "values": [
//     {"name": "x", "bytes": 64},
//     {"name": "y", "bytes": 64}],
//    "outputs": ["y"]}
class JsonFileText {
 public:
  // `head` has the members of the first line.
  explicit JsonFileText(JsonObjectText head);
  // A member on a line of its own.
  void Member(absl::string_view key, absl::string_view json);
  // Opens a list, whose elements follow; ends with EndList().
  void BeginList(absl::string_view key);
  void Element(absl::string_view json);
  void EndList();
  std::string Finish();

 private:
  std::string text_;
  bool first_element_ = true;
};

}  // namespace bufplan

#endif  // BUFPLAN_IO_JSON_TEXT_H_
