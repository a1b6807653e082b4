// A parsed JSON text as one flat array of nodes in document order, with all strings in one buffer.
//
//   {"a": [1, 2]}     0 object   next 4
//                     1  "a": array  next 4
//                     2   1          next 3
//                     3   2          next 4
//
// A node's first child is the node behind it, and `next` leads past everything inside of it. Graphs of 100,000 ops have
// millions of nodes; this form costs 24 bytes per node and no allocation of its own for any of them.
//
// Stricter than most readers: a key occurs once per object, nesting is limited, a zero byte is an error, an integer is
// an int64 or no integer at all (then its text is kept). Invalid UTF-8, NaN, comments and trailing text are errors.
//
// ERRORS (Parse): InvalidArgument, "line 3, column 17: ..." (both from 1, columns in bytes) for faulty syntax, and
// "at /ops/3/name: ..." with the JSON pointer for a repeated key; ResourceExhausted if the text exceeds 4 GiB.
// COST: about 5 ns per byte of text. THREADS: a const JsonDocument may be read by any number of threads.
// LIFETIME: a JsonValue, and every string_view from it, lives as long as its document stays where it is.
//
// Example:
//   absl::StatusOr<JsonDocument> doc = JsonDocument::Parse(R"({"a": [1, 2]})");
//   for (JsonValue member : doc->root()) member.key();            // "a"
//   doc->Error(doc->root(), "must be empty");                     // "at top level: must be empty"
#ifndef BUFPLAN_IO_JSON_DOM_H_
#define BUFPLAN_IO_JSON_DOM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace bufplan {

// kNumber is a number that is no int64: a fraction, an exponent, or too large.
enum class JsonKind : uint8_t { kNull, kFalse, kTrue, kInteger, kNumber, kString, kArray, kObject };

class JsonDocument;

// One value of a document; as a range, its elements or members. Cheap to copy.
class JsonValue {
 public:
  JsonValue(const JsonDocument* doc, uint32_t index) : doc_(doc), index_(index) {}

  uint32_t index() const { return index_; }
  JsonKind kind() const;
  // The key under which a member stands in its object; empty for others.
  absl::string_view key() const;
  // Requires kInteger.
  int64_t integer() const;
  // The content of a kString, or the text of a kNumber.
  absl::string_view text() const;
  // Number of elements or members of a kArray or kObject.
  size_t size() const;
  // "a string", "an integer", ... for messages.
  absl::string_view KindName() const;

  class Iterator;
  Iterator begin() const;
  Iterator end() const;

 private:
  const JsonDocument* doc_;
  uint32_t index_;
};

class JsonDocument {
 public:
  static constexpr int kMaxDepth = 64;

  static absl::StatusOr<JsonDocument> Parse(absl::string_view text, int max_depth = kMaxDepth);

  JsonValue root() const { return {this, 0}; }

  // The JSON pointer (RFC 6901) of a value, "" for the root. COST: O(siblings of its ancestors); for messages.
  std::string Pointer(JsonValue value) const;
  // InvalidArgument "at POINTER: MESSAGE".
  absl::Status Error(JsonValue value, absl::string_view message) const;
  // The value as compact JSON, members in the order of the text, strings escaped no more than needed.
  std::string Dump(JsonValue value) const;

 private:
  friend class JsonValue;
  friend class JsonDocumentBuilder;

  struct Node {
    uint32_t kind : 3;
    uint32_t key_size : 29;
    uint32_t key_begin;
    uint32_t next;    // 0 while open
    uint32_t size;    // of text; or number of children
    int64_t payload;  // the integer; or where the text begins
  };

  JsonDocument() = default;
  absl::string_view Chars(uint64_t begin, uint32_t size) const { return {chars_.data() + begin, size}; }
  void DumpTo(JsonValue value, std::string& out) const;

  std::vector<Node> nodes_;
  std::string chars_;
};

class JsonValue::Iterator {
 public:
  Iterator(const JsonDocument* doc, uint32_t index) : doc_(doc), index_(index) {}
  JsonValue operator*() const { return {doc_, index_}; }
  Iterator& operator++() {
    index_ = doc_->nodes_[index_].next;
    return *this;
  }
  friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }

 private:
  const JsonDocument* doc_;
  uint32_t index_;
};

inline JsonKind JsonValue::kind() const { return static_cast<JsonKind>(doc_->nodes_[index_].kind); }
inline absl::string_view JsonValue::key() const {
  return doc_->Chars(doc_->nodes_[index_].key_begin, doc_->nodes_[index_].key_size);
}
inline int64_t JsonValue::integer() const { return doc_->nodes_[index_].payload; }
inline absl::string_view JsonValue::text() const {
  return doc_->Chars(static_cast<uint64_t>(doc_->nodes_[index_].payload), doc_->nodes_[index_].size);
}
inline size_t JsonValue::size() const { return doc_->nodes_[index_].size; }
inline JsonValue::Iterator JsonValue::begin() const {
  return {doc_, kind() >= JsonKind::kArray ? index_ + 1 : doc_->nodes_[index_].next};
}
inline JsonValue::Iterator JsonValue::end() const { return {doc_, doc_->nodes_[index_].next}; }

// The string under `key` in the object that the text is, found without reading what follows it; nullopt if there is
// none. Of several the first counts, and one that is no string is none. ERRORS: InvalidArgument, if the text up to
// there is no JSON object.
absl::StatusOr<std::optional<std::string>> FindTopLevelString(absl::string_view text, absl::string_view key);

}  // namespace bufplan

#endif  // BUFPLAN_IO_JSON_DOM_H_
