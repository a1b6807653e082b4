#include "io/json_text.h"

#include <charconv>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace bufplan {
namespace {

// The length of the UTF-8 character at the front of s, 0 if there is none.
size_t Utf8Length(absl::string_view s) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                        : (lead & 0xF0) == 0xE0        ? 3
                        : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                       : 0;
  if (length == 0 || s.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // No overlong forms, no surrogates, nothing above U+10FFFF.
  if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F)) return 0;
  if ((lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F)) return 0;
  return length;
}

bool IsPlain(char c) {
  const unsigned char u = static_cast<unsigned char>(c);
  return u >= 0x20 && u < 0x80 && c != '"' && c != '\\';
}

void AppendEscaped(char c, std::string& out) {
  constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '"':
    case '\\':
      out += '\\';
      out += c;
      return;
    case '\n': out += "\\n"; return;
    case '\t': out += "\\t"; return;
    case '\r': out += "\\r"; return;
    default: break;
  }
  out += "\\u00";
  out += kHex[static_cast<unsigned char>(c) >> 4];
  out += kHex[static_cast<unsigned char>(c) & 15];
}

}  // namespace

size_t ValidUtf8Prefix(absl::string_view s) {
  size_t valid = 0;
  while (valid < s.size()) {
    const size_t length = Utf8Length(s.substr(valid));
    if (length == 0) break;
    valid += length;
  }
  return valid;
}

void AppendJsonString(absl::string_view s, std::string& out) {
  out += '"';
  while (!s.empty()) {
    size_t plain = 0;
    while (plain < s.size() && IsPlain(s[plain])) ++plain;
    out.append(s.data(), plain);
    s.remove_prefix(plain);
    if (s.empty()) break;
    const size_t length = Utf8Length(s);
    if (length > 1) {
      out.append(s.data(), length);
    } else if (length == 1) {
      AppendEscaped(s[0], out);
    } else {
      out += "\xEF\xBF\xBD";
    }
    s.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

std::string JsonString(absl::string_view s) {
  std::string out;
  AppendJsonString(s, out);
  return out;
}

std::string JsonNumber(double d) {
  if (!std::isfinite(d)) return "0";
  char buffer[32];
  const std::to_chars_result end = std::to_chars(buffer, buffer + sizeof(buffer), d);
  return std::string(buffer, end.ptr);
}

std::string JsonExpr(const Expr& e, absl::Span<const Symbol> symbols) {
  return e.is_constant() ? absl::StrCat(e.constant()) : JsonString(e.ToString(symbols));
}

std::string Quoted(absl::string_view s) {
  constexpr size_t kLongest = 100;
  return s.size() <= kLongest ? JsonString(s) : absl::StrCat(JsonString(s.substr(0, kLongest)), "...");
}

void JsonObjectText::Key(absl::string_view key) {
  if (text_.size() > 1) text_ += ", ";
  AppendJsonString(key, text_);
  text_ += ": ";
}

JsonObjectText& JsonObjectText::Raw(absl::string_view key, absl::string_view json) {
  Key(key);
  text_.append(json.data(), json.size());
  return *this;
}

JsonObjectText& JsonObjectText::String(absl::string_view key, absl::string_view s) {
  Key(key);
  AppendJsonString(s, text_);
  return *this;
}

JsonObjectText& JsonObjectText::Integer(absl::string_view key, int64_t i) {
  Key(key);
  absl::StrAppend(&text_, i);
  return *this;
}

JsonFileText::JsonFileText(JsonObjectText head) : text_(head.Finish()) { text_.pop_back(); }

void JsonFileText::Member(absl::string_view key, absl::string_view json) {
  absl::StrAppend(&text_, ",\n ", JsonString(key), ": ", json);
}

void JsonFileText::BeginList(absl::string_view key) {
  absl::StrAppend(&text_, ",\n ", JsonString(key), ": [");
  first_element_ = true;
}

void JsonFileText::Element(absl::string_view json) {
  absl::StrAppend(&text_, first_element_ ? "\n  " : ",\n  ", json);
  first_element_ = false;
}

void JsonFileText::EndList() { text_ += ']'; }

std::string JsonFileText::Finish() { return std::move(text_ += "}\n"); }

}  // namespace bufplan
