// Typed access to a JsonDocument with one clear error.
//
// Errors are sticky: the first one stays, later calls return harmless values (0, "", an empty list), and whoever reads
// asks status() once per thing. Every message begins with the JSON pointer of the culprit.
//
//   JsonReader in(doc);
//   JsonMembers m = in.Object(value, kKeys);            // refuses unknown keys
//   int64_t begin = in.Integer(in.Required(m, kBegin));
//   int64_t align = m.has(kAlign) ? in.Integer(m[kAlign]) : 1;
//   if (!in.ok()) return in.status();
//
// ERRORS: InvalidArgument. THREADS: one reader per thread. LIFETIME: the document outlives the reader.
#ifndef BUFPLAN_IO_JSON_READER_H_
#define BUFPLAN_IO_JSON_READER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "io/json_dom.h"

namespace bufplan {

// The members of one object by their place in a list of keys.
class JsonMembers {
 public:
  static constexpr size_t kMaxKeys = 20;

  JsonValue object() const { return object_; }
  bool has(size_t key) const { return at_[key] != 0; }
  // Requires has(key).
  JsonValue operator[](size_t key) const { return {doc_, at_[key]}; }

 private:
  friend class JsonReader;
  JsonMembers(const JsonDocument* doc, JsonValue object, absl::Span<const absl::string_view> keys)
      : doc_(doc), object_(object), keys_(keys) {}

  const JsonDocument* doc_;
  JsonValue object_;
  absl::Span<const absl::string_view> keys_;
  std::array<uint32_t, kMaxKeys> at_{};  // Node index; 0 is the root, hence no member.
};

class JsonReader {
 public:
  explicit JsonReader(const JsonDocument& doc) : doc_(doc) {}

  const JsonDocument& doc() const { return doc_; }
  bool ok() const { return status_.ok(); }
  const absl::Status& status() const { return status_; }
  // Refuses `value` with that message, unless something was refused before.
  void Fail(JsonValue value, absl::string_view message);
  void Fail(const absl::Status& status) { status_.Update(status); }

  // `keys` are all keys that the object may have, at most kMaxKeys; they outlive the result.
  JsonMembers Object(JsonValue value, absl::Span<const absl::string_view> keys);
  // The member, or a failure that names the missing key.
  std::optional<JsonValue> Required(const JsonMembers& members, size_t key);

  int64_t Integer(JsonValue value);
  double Number(JsonValue value);
  bool Bool(JsonValue value);
  absl::string_view String(JsonValue value);
  // A string of 1..1024 bytes.
  absl::string_view Name(JsonValue value);
  // Whether the value is an array; a failure if not.
  bool Array(JsonValue value);
  // The position of the string in `words`; 0 after a failure.
  size_t OneOf(JsonValue value, absl::Span<const absl::string_view> words);

  // The same for a required member.
  int64_t Integer(const JsonMembers& m, size_t key);
  absl::string_view String(const JsonMembers& m, size_t key);
  absl::string_view Name(const JsonMembers& m, size_t key);

  // Optional members: absent and, where the format shows null, null.
  std::optional<int64_t> OptionalInteger(const JsonMembers& m, size_t key);
  std::optional<int64_t> NullableInteger(const JsonMembers& m, size_t key);

  // Refuses a file whose "format" is another or whose "version" is not 1. To be asked before its keys are looked at.
  void CheckFormat(JsonValue root, absl::string_view format);

 private:
  // "must be WHAT, is a string \"x\"".
  void WrongType(JsonValue value, absl::string_view what);

  const JsonDocument& doc_;
  absl::Status status_;
};

}  // namespace bufplan

#endif  // BUFPLAN_IO_JSON_READER_H_
