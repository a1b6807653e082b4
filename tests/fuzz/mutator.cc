#include "tests/fuzz/mutator.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace bufplan {
namespace {

constexpr absl::string_view kNumbers[] = {"0",
                                          "-1",
                                          "1",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "9223372036854775808",
                                          "1e400",
                                          "1e3",
                                          "0.5",
                                          "-0",
                                          "4611686018427387904",
                                          "18446744073709551616",
                                          "3",
                                          "\"s\"",
                                          "\"8*s-64\"",
                                          "\"ceildiv(s, 0)\"",
                                          "\"s*s*9223372036854775807\"",
                                          "null",
                                          "NaN"};
constexpr absl::string_view kTokens[] = {"{",
                                         "}",
                                         "[",
                                         "]",
                                         ",",
                                         ":",
                                         "\"",
                                         "\\",
                                         "\n",
                                         "\r",
                                         " ",
                                         "\\u0000",
                                         "\\ud800",
                                         "\xFF",
                                         "\xC3",
                                         "true",
                                         "null",
                                         "[]",
                                         "{}",
                                         "\"x\"",
                                         "\"attrs\": {\"a\": [1.5, 1e999]}",
                                         "-",
                                         "\"name\": \"x\", ",
                                         "\xEF\xBB\xBF",
                                         "1-2",
                                         "a,0,1,4\n",
                                         "\"\"",
                                         "..",
                                         "="};

}  // namespace

size_t Mutator::Below(size_t bound) {
  // SplitMix64 (Steele, Lea, Flood 2014).
  state_ += 0x9E3779B97F4A7C15u;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<size_t>((z ^ (z >> 31)) % bound);
}

void Mutator::ReplaceNumber(std::string& text) {
  std::vector<size_t> starts;
  for (size_t i = 0; i < text.size(); ++i) {
    if (absl::ascii_isdigit(text[i]) && (i == 0 || !absl::ascii_isalnum(text[i - 1]))) starts.push_back(i);
  }
  if (starts.empty()) return;
  const size_t begin = starts[Below(starts.size())];
  size_t end = begin;
  while (end < text.size() && absl::ascii_isdigit(text[end])) ++end;
  const absl::string_view number = kNumbers[Below(std::size(kNumbers))];
  text.replace(begin, end - begin, number.data(), number.size());
}

// A line is an element of a list in most of the files.
void Mutator::RepeatOrDropElement(std::string& text) {
  const size_t at = Below(text.size());
  const size_t newline = text.rfind('\n', at);
  const size_t begin = newline == std::string::npos ? 0 : newline + 1;
  const size_t end = std::min(text.find('\n', at), text.size());
  const std::string line = text.substr(begin, end - begin);
  if (Below(2) == 0) {
    text.erase(begin, line.size());
  } else {
    text.insert(begin, line);
  }
}

void Mutator::Change(std::string& text) {
  if (text.empty()) text = AnySeed();
  if (text.empty()) return;
  const size_t at = Below(text.size());
  switch (Below(8)) {
    case 0: text[at] = static_cast<char>(Below(256)); return;
    case 1: text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1u << Below(8))); return;
    case 2: text.erase(at, 1 + Below(12)); return;
    case 3: {
      const absl::string_view token = kTokens[Below(std::size(kTokens))];
      text.insert(at, token.data(), token.size());
      return;
    }
    case 4: {
      const std::string& other = AnySeed();
      if (other.empty()) return;
      text.insert(at, other.substr(Below(other.size()), Below(200)));
      return;
    }
    case 5: RepeatOrDropElement(text); return;
    case 6:
      if (Below(4) == 0) text.resize(at);
      return;
    default: ReplaceNumber(text); return;
  }
}

std::string Mutator::Next() {
  std::string text = AnySeed();
  for (size_t changes = Below(5); changes > 0; --changes) Change(text);
  return text;
}

}  // namespace bufplan
