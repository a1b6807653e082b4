#include "io/json_dom.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "io/json_text.h"

namespace bufplan {
namespace {

// Where byte `offset` of the text is, for people.
std::string LineAndColumn(absl::string_view text, size_t offset) {
  const absl::string_view before = text.substr(0, offset);
  const size_t line = 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
  const size_t newline = before.rfind('\n');
  const size_t column = newline == absl::string_view::npos ? offset + 1 : offset - newline;
  return absl::StrCat("line ", line, ", column ", column);
}

// The parser library's error, which it met after `position` bytes, without its own prefix and without the text it
// repeats.
absl::Status SyntaxError(absl::string_view text, size_t position, const nlohmann::detail::exception& e) {
  const size_t offset = position == 0 ? 0 : std::min(position - 1, text.size());
  absl::string_view what = e.what();
  if (e.id == 406) {
    what = "a number is out of range";
  } else {
    const size_t column = what.find("column ");
    const size_t colon = column == absl::string_view::npos ? column : what.find(": ", column);
    if (colon != absl::string_view::npos) what.remove_prefix(colon + 2);
    what = what.substr(0, what.find("; last read"));
  }
  return absl::InvalidArgumentError(absl::StrCat(LineAndColumn(text, offset), ": ", what));
}

constexpr size_t kMaxText = std::numeric_limits<uint32_t>::max();
constexpr size_t kMaxKey = (size_t{1} << 29) - 1;

}  // namespace

// Takes the parser's events.
class JsonDocumentBuilder {
 public:
  JsonDocumentBuilder(absl::string_view text, int max_depth) : text_(text), max_depth_(max_depth) {
    doc_.nodes_.reserve(text.size() / 16);
    doc_.chars_.reserve(text.size() / 2);
  }

  bool null() { return Leaf(JsonKind::kNull, 0, 0); }
  bool boolean(bool b) { return Leaf(b ? JsonKind::kTrue : JsonKind::kFalse, 0, 0); }
  bool number_integer(int64_t i) { return Leaf(JsonKind::kInteger, i, 0); }
  bool number_unsigned(uint64_t i) {
    if (i <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return number_integer(static_cast<int64_t>(i));
    return Text(JsonKind::kNumber, absl::StrCat(i));
  }
  bool number_float(double, const std::string& token) { return Text(JsonKind::kNumber, token); }
  bool string(const std::string& s) { return Text(JsonKind::kString, s); }
  bool binary(const std::vector<uint8_t>&) { return false; }
  bool start_object(size_t) { return Open(JsonKind::kObject); }
  bool start_array(size_t) { return Open(JsonKind::kArray); }
  bool end_array() { return Close(); }
  bool end_object() { return KeysAreUnique() && Close(); }
  bool key(const std::string& k) {
    if (k.size() > kMaxKey) return Refuse("a key has over 512 MiB");
    key_begin_ = static_cast<uint32_t>(doc_.chars_.size());
    key_size_ = static_cast<uint32_t>(k.size());
    doc_.chars_ += k;
    return true;
  }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception& e) {
    status_ = SyntaxError(text_, position, e);
    return false;
  }

  absl::StatusOr<JsonDocument> Finish() && {
    if (!status_.ok()) return status_;
    return std::move(doc_);
  }

 private:
  using Node = JsonDocument::Node;

  bool Add(JsonKind kind, int64_t payload, uint32_t size) {
    const uint32_t index = static_cast<uint32_t>(doc_.nodes_.size());
    if (!open_.empty()) ++doc_.nodes_[open_.back()].size;
    doc_.nodes_.push_back({static_cast<uint32_t>(kind), key_size_, key_begin_, index + 1, size, payload});
    key_size_ = 0;
    return true;
  }
  bool Leaf(JsonKind kind, int64_t payload, uint32_t size) { return Add(kind, payload, size); }
  bool Text(JsonKind kind, absl::string_view s) {
    const size_t begin = doc_.chars_.size();
    doc_.chars_.append(s.data(), s.size());
    return Add(kind, static_cast<int64_t>(begin), static_cast<uint32_t>(s.size()));
  }
  bool Open(JsonKind kind) {
    if (open_.size() >= static_cast<size_t>(max_depth_)) {
      return Refuse(absl::StrCat("nesting exceeds ", max_depth_, " levels"));
    }
    Add(kind, 0, 0);
    open_.push_back(static_cast<uint32_t>(doc_.nodes_.size() - 1));
    doc_.nodes_.back().next = 0;
    return true;
  }
  bool Close() {
    doc_.nodes_[open_.back()].next = static_cast<uint32_t>(doc_.nodes_.size());
    open_.pop_back();
    return true;
  }
  // Refuses at the innermost open container.
  bool Refuse(absl::string_view message) {
    status_ = doc_.Error(JsonValue(&doc_, open_.empty() ? 0 : open_.back()), message);
    return false;
  }

  bool KeysAreUnique() {
    const uint32_t object = open_.back();
    const uint32_t end = static_cast<uint32_t>(doc_.nodes_.size());
    if (doc_.nodes_[object].size <= 16) {
      keys_.clear();
      for (uint32_t i = object + 1; i < end; i = doc_.nodes_[i].next) {
        const absl::string_view key = JsonValue(&doc_, i).key();
        if (std::find(keys_.begin(), keys_.end(), key) != keys_.end()) return RefuseKey(i);
        keys_.push_back(key);
      }
      return true;
    }
    absl::flat_hash_set<absl::string_view> seen;
    for (uint32_t i = object + 1; i < end; i = doc_.nodes_[i].next) {
      if (!seen.insert(JsonValue(&doc_, i).key()).second) return RefuseKey(i);
    }
    return true;
  }
  bool RefuseKey(uint32_t i) {
    status_ = doc_.Error(JsonValue(&doc_, i), "the key occurs twice in its object");
    return false;
  }

  absl::string_view text_;
  int max_depth_;
  JsonDocument doc_;
  std::vector<uint32_t> open_;
  std::vector<absl::string_view> keys_;
  uint32_t key_begin_ = 0, key_size_ = 0;
  absl::Status status_;
};

namespace {

// Stops the parser at a string member of the outermost object.
class StringFinder {
 public:
  StringFinder(absl::string_view text, absl::string_view key) : text_(text), wanted_(key) {}

  bool null() { return Value(); }
  bool boolean(bool) { return Value(); }
  bool number_integer(int64_t) { return Value(); }
  bool number_unsigned(uint64_t) { return Value(); }
  bool number_float(double, const std::string&) { return Value(); }
  bool string(const std::string& s) {
    if (!at_wanted_) return Value();
    found_ = s;
    return false;
  }
  bool binary(const std::vector<uint8_t>&) { return false; }
  bool start_object(size_t) { return Open(true); }
  bool start_array(size_t) { return Open(false); }
  bool end_object() { return Close(); }
  bool end_array() { return Close(); }
  bool key(const std::string& k) {
    at_wanted_ = depth_ == 1 && k == wanted_;
    return true;
  }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception& e) {
    status_ = SyntaxError(text_, position, e);
    return false;
  }

  absl::StatusOr<std::optional<std::string>> Result() && {
    if (!status_.ok()) return status_;
    return std::move(found_);
  }

 private:
  bool Value() {
    at_wanted_ = false;
    if (depth_ == 0) status_ = absl::InvalidArgumentError("at top level: must be an object");
    return depth_ > 0;
  }
  bool Open(bool object) {
    if (!object && !Value()) return false;
    at_wanted_ = false;
    ++depth_;
    if (depth_ <= JsonDocument::kMaxDepth) return true;
    status_ = absl::InvalidArgumentError(absl::StrCat("nesting exceeds ", JsonDocument::kMaxDepth, " levels"));
    return false;
  }
  bool Close() {
    --depth_;
    return true;
  }

  absl::string_view text_, wanted_;
  int depth_ = 0;
  bool at_wanted_ = false;
  std::optional<std::string> found_;
  absl::Status status_;
};

// What any reader refuses, wherever it stands.
absl::Status CheckText(absl::string_view text) {
  if (text.size() >= kMaxText) {
    return absl::ResourceExhaustedError(absl::StrCat("the text has ", text.size(), " bytes, must be under ", kMaxText));
  }
  const size_t zero = text.find('\0');
  if (zero == absl::string_view::npos) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(LineAndColumn(text, zero), ": zero byte"));
}

}  // namespace

absl::StatusOr<std::optional<std::string>> FindTopLevelString(absl::string_view text, absl::string_view key) {
  absl::Status status = CheckText(text);
  if (!status.ok()) return status;
  StringFinder finder(text, key);
  nlohmann::json::sax_parse(text.data(), text.data() + text.size(), &finder);
  return std::move(finder).Result();
}

absl::StatusOr<JsonDocument> JsonDocument::Parse(absl::string_view text, int max_depth) {
  absl::Status status = CheckText(text);
  if (!status.ok()) return status;
  JsonDocumentBuilder builder(text, max_depth);
  nlohmann::json::sax_parse(text.data(), text.data() + text.size(), &builder);
  return std::move(builder).Finish();
}

std::string JsonDocument::Pointer(JsonValue value) const {
  std::string pointer;
  uint32_t i = 0;
  while (i != value.index()) {
    const bool object = static_cast<JsonKind>(nodes_[i].kind) == JsonKind::kObject;
    uint32_t child = i + 1;
    size_t number = 0;
    while (nodes_[child].next != 0 && nodes_[child].next <= value.index()) {
      child = nodes_[child].next;
      ++number;
    }
    if (object) {
      pointer += '/';
      for (char c : JsonValue(this, child).key()) {
        if (c == '~') {
          pointer += "~0";
        } else if (c == '/') {
          pointer += "~1";
        } else {
          pointer += c;
        }
      }
    } else {
      absl::StrAppend(&pointer, "/", number);
    }
    i = child;
  }
  return pointer;
}

absl::Status JsonDocument::Error(JsonValue value, absl::string_view message) const {
  const std::string pointer = Pointer(value);
  return absl::InvalidArgumentError(absl::StrCat("at ", pointer.empty() ? "top level" : pointer, ": ", message));
}

std::string JsonDocument::Dump(JsonValue value) const {
  std::string out;
  DumpTo(value, out);
  return out;
}

void JsonDocument::DumpTo(JsonValue value, std::string& out) const {  // No deeper than max_depth.
  switch (value.kind()) {
    case JsonKind::kNull: out += "null"; return;
    case JsonKind::kFalse: out += "false"; return;
    case JsonKind::kTrue: out += "true"; return;
    case JsonKind::kInteger: absl::StrAppend(&out, value.integer()); return;
    case JsonKind::kNumber: absl::StrAppend(&out, value.text()); return;
    case JsonKind::kString: AppendJsonString(value.text(), out); return;
    case JsonKind::kArray:
    case JsonKind::kObject: break;
  }
  const bool object = value.kind() == JsonKind::kObject;
  out += object ? '{' : '[';
  bool first = true;
  for (JsonValue child : value) {
    if (!first) out += ", ";
    first = false;
    if (object) {
      AppendJsonString(child.key(), out);
      out += ": ";
    }
    DumpTo(child, out);
  }
  out += object ? '}' : ']';
}

absl::string_view JsonValue::KindName() const {
  switch (kind()) {
    case JsonKind::kNull: return "null";
    case JsonKind::kFalse:
    case JsonKind::kTrue: return "a boolean";
    case JsonKind::kInteger: return "an integer";
    case JsonKind::kNumber:
      return text().find_first_of(".eE") == absl::string_view::npos ? "an integer beyond 64 bits" : "a fraction";
    case JsonKind::kString: return "a string";
    case JsonKind::kArray: return "an array";
    case JsonKind::kObject: return "an object";
  }
  return "unknown";
}

}  // namespace bufplan
