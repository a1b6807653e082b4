#include "io/json_reader.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "io/json_text.h"

namespace bufplan {
namespace {

std::string Words(absl::Span<const absl::string_view> words) {
  return absl::StrJoin(words, ", ", [](std::string* out, absl::string_view w) { absl::StrAppend(out, "\"", w, "\""); });
}

}  // namespace

void JsonReader::Fail(JsonValue value, absl::string_view message) {
  if (status_.ok()) status_ = doc_.Error(value, message);
}

void JsonReader::WrongType(JsonValue value, absl::string_view what) {
  if (!status_.ok()) return;
  std::string is(value.KindName());
  if (value.kind() == JsonKind::kString) {
    absl::StrAppend(&is, " ", Quoted(value.text()));
  } else if (value.kind() == JsonKind::kNumber) {
    absl::StrAppend(&is, " ", value.text().substr(0, 100));
  } else if (value.kind() == JsonKind::kInteger) {
    absl::StrAppend(&is, " ", value.integer());
  }
  Fail(value, absl::StrCat("must be ", what, ", is ", is));
}

JsonMembers JsonReader::Object(JsonValue value, absl::Span<const absl::string_view> keys) {
  JsonMembers members(&doc_, value, keys);
  if (value.kind() != JsonKind::kObject) {
    WrongType(value, "an object");
    return members;
  }
  size_t likely = 0;  // Writers list members in the order of `keys`.
  for (JsonValue member : value) {
    const absl::string_view key = member.key();
    size_t tried = 0;
    while (tried < keys.size() && keys[likely] != key) {
      likely = likely + 1 == keys.size() ? 0 : likely + 1;
      ++tried;
    }
    if (tried == keys.size()) {
      Fail(member, absl::StrCat("unknown key ", Quoted(key), "; known are ", Words(keys)));
      return members;
    }
    members.at_[likely] = member.index();
  }
  return members;
}

std::optional<JsonValue> JsonReader::Required(const JsonMembers& members, size_t key) {
  if (members.has(key)) return members[key];
  Fail(members.object(), absl::StrCat("\"", members.keys_[key], "\" is missing"));
  return std::nullopt;
}

int64_t JsonReader::Integer(JsonValue value) {
  if (value.kind() == JsonKind::kInteger) return value.integer();
  WrongType(value, "an integer");
  return 0;
}

double JsonReader::Number(JsonValue value) {
  double d = 0;
  if (value.kind() == JsonKind::kInteger) return static_cast<double>(value.integer());
  if (value.kind() == JsonKind::kNumber && absl::SimpleAtod(value.text(), &d) && std::isfinite(d)) return d;
  WrongType(value, "a number");
  return 0;
}

bool JsonReader::Bool(JsonValue value) {
  if (value.kind() == JsonKind::kTrue || value.kind() == JsonKind::kFalse) return value.kind() == JsonKind::kTrue;
  WrongType(value, "true or false");
  return false;
}

absl::string_view JsonReader::String(JsonValue value) {
  if (value.kind() == JsonKind::kString) return value.text();
  WrongType(value, "a string");
  return "";
}

absl::string_view JsonReader::Name(JsonValue value) {
  const absl::string_view name = String(value);
  if (ok() && (name.empty() || name.size() > 1024)) {
    Fail(value, absl::StrCat("a name has ", name.size(), " bytes, must have 1..1024"));
  }
  return name;
}

bool JsonReader::Array(JsonValue value) {
  if (value.kind() == JsonKind::kArray) return true;
  WrongType(value, "an array");
  return false;
}

size_t JsonReader::OneOf(JsonValue value, absl::Span<const absl::string_view> words) {
  const absl::string_view word = String(value);
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == word) return i;
  }
  if (ok()) Fail(value, absl::StrCat(Quoted(word), " must be one of ", Words(words)));
  return 0;
}

int64_t JsonReader::Integer(const JsonMembers& m, size_t key) {
  const std::optional<JsonValue> v = Required(m, key);
  return v.has_value() ? Integer(*v) : 0;
}

absl::string_view JsonReader::String(const JsonMembers& m, size_t key) {
  const std::optional<JsonValue> v = Required(m, key);
  return v.has_value() ? String(*v) : "";
}

absl::string_view JsonReader::Name(const JsonMembers& m, size_t key) {
  const std::optional<JsonValue> v = Required(m, key);
  return v.has_value() ? Name(*v) : "";
}

std::optional<int64_t> JsonReader::OptionalInteger(const JsonMembers& m, size_t key) {
  if (!m.has(key)) return std::nullopt;
  return Integer(m[key]);
}

std::optional<int64_t> JsonReader::NullableInteger(const JsonMembers& m, size_t key) {
  if (!m.has(key) || m[key].kind() == JsonKind::kNull) return std::nullopt;
  return Integer(m[key]);
}

void JsonReader::CheckFormat(JsonValue root, absl::string_view format) {
  if (root.kind() != JsonKind::kObject) return WrongType(root, "an object");
  std::optional<JsonValue> given, version;
  for (JsonValue member : root) {
    if (member.key() == "format") given = member;
    if (member.key() == "version") version = member;
  }
  if (!given.has_value()) return Fail(root, absl::StrCat("\"format\" is missing, must be ", Quoted(format)));
  if (String(*given) != format) {
    Fail(*given, absl::StrCat("format ", Quoted(given->text()), ", must be ", Quoted(format)));
  }
  if (!version.has_value()) return Fail(root, "\"version\" is missing, must be 1");
  const int64_t number = Integer(*version);
  if (number != 1) Fail(*version, absl::StrCat("version ", number, ", must be 1"));
}

}  // namespace bufplan
