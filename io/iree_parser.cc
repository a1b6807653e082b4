#include "io/iree_parser.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "io/iree_cursor.h"
#include "io/iree_op_syntax.h"
#include "io/json_text.h"

namespace bufplan {
namespace {

using Kind = IreeTokenKind;

bool IsPunct(const IreeToken& token, char punct) { return token.kind == Kind::kPunct && token.punct == punct; }

// Whether an op, a block or an alias begins here.
bool StartsOp(const IreeText& text, uint32_t at, uint32_t end) {
  const std::vector<IreeToken>& tokens = text.tokens();
  const IreeToken& token = tokens[at];
  const auto next_is = [&](char punct) { return at + 1 < end && IsPunct(tokens[at + 1], punct); };
  switch (token.kind) {
    case Kind::kBlock: return true;
    case Kind::kString: return next_is('(');
    case Kind::kAttr:
    case Kind::kType: return next_is('=');
    case Kind::kWord: {
      const absl::string_view word = text.Spelling(at);
      if (absl::StrContains(word, '.')) return true;
      for (absl::string_view old : {"return", "call", "func", "module", "br", "cond_br"}) {
        if (word == old) return true;
      }
      return false;
    }
    case Kind::kValue: break;
    default: return false;
  }
  while (at < end && tokens[at].kind == Kind::kValue) {
    ++at;
    if (at + 1 < end && IsPunct(tokens[at], ':') && tokens[at + 1].kind == Kind::kNumber) at += 2;
    if (at >= end) return false;
    if (IsPunct(tokens[at], '=')) return true;
    if (!IsPunct(tokens[at], ',')) return false;
    ++at;
  }
  return false;
}

bool MayContinue(const IreeToken& token) {
  for (char punct : {',', '=', ':', kIreeArrow, kIreeFatArrow, kIreeColons}) {
    if (IsPunct(token, punct)) return true;
  }
  return false;
}

// Of the last {...} outside of other brackets that is no dictionary of attributes.
std::optional<IreeTokenRange> BodyOf(const IreeText& text, IreeTokenRange tokens) {
  std::optional<IreeTokenRange> body;
  for (uint32_t i = tokens.begin; i < tokens.end; ++i) {
    const IreeToken& token = text.tokens()[i];
    if (token.partner <= i) continue;
    if (token.punct == '{' && i > tokens.begin && text.Spelling(i - 1) != "attributes") body = {i + 1, token.partner};
    i = token.partner;
  }
  return body;
}

bool MentionsResource(const IreeText& text, IreeTokenRange tokens) {
  for (uint32_t i = tokens.begin; i < tokens.end; ++i) {
    if (text.tokens()[i].kind == Kind::kType && text.Spelling(i) == "!stream.resource") return true;
  }
  return false;
}

class ModuleParser {
 public:
  explicit ModuleParser(const IreeText& text) : text_(text) {}
  absl::Status Parse(IreeTokenRange range, int depth);
  IreeModule Take() && { return std::move(module_); }

 private:
  // What is left of `op` behind a global may be another op on the same line.
  absl::Status ParseOp(IreeTokenRange& op, int depth);
  void AddFunction(IreeCursor& in, IreeTokenRange op);
  void AddGlobal(IreeCursor& in);
  void FindAlignment(IreeTokenRange range);

  const IreeText& text_;
  IreeModule module_;
};

absl::Status ModuleParser::Parse(IreeTokenRange range, int depth) {
  if (depth > kIreeMaxNesting) {
    return text_.Fault(text_.tokens()[range.begin - 1].begin,
                       absl::StrCat("modules nest deeper than ", kIreeMaxNesting));
  }
  if (depth == 0) FindAlignment(range);
  while (!range.empty()) {
    IreeTokenRange op = FirstIreeOp(text_, range);
    if (absl::Status s = ParseOp(op, depth); !s.ok()) return s;
    range.begin = op.end;
  }
  return absl::OkStatus();
}

absl::Status ModuleParser::ParseOp(IreeTokenRange& op, int depth) {
  const IreeToken& first = text_.tokens()[op.begin];
  const absl::string_view word = text_.Spelling(op.begin);
  if (first.kind == Kind::kAttr) {
    module_.attr_aliases[word] = {op.begin + 2, op.end};
  } else if (first.kind == Kind::kType) {
    module_.type_aliases[word] = text_.Spelling(IreeTokenRange{op.begin + 2, op.end});
  }
  if (first.kind != Kind::kWord) return absl::OkStatus();
  IreeCursor in(text_, {op.begin + 1, op.end}, word, module_);
  if (word == "module" || word == "builtin.module") {
    const std::optional<IreeTokenRange> body = BodyOf(text_, op);
    return body.has_value() && !body->empty() ? Parse(*body, depth + 1) : absl::OkStatus();
  }
  if (word == "util.func" || word == "func.func" || word == "func") AddFunction(in, op);
  if (word == "util.global") {
    AddGlobal(in);
    if (!in.done() && StartsOp(text_, in.at(), op.end)) op.end = in.at();
  }
  if (word == "stream.executable") {
    for (absl::string_view visibility : {"private", "public", "nested"}) in.AcceptWord(visibility);
    const absl::string_view name = in.Take(Kind::kSymbol, "@name");
    const std::optional<IreeTokenRange> body = BodyOf(text_, op);
    if (in.ok() && body.has_value()) module_.executables.emplace(name, *body);
  }
  return in.status();
}

// PUBLIC @name(%x: TYPE {...}, ...) -> (TYPE {...}, ...) attributes {...} { ... }
void ModuleParser::AddFunction(IreeCursor& in, IreeTokenRange op) {
  IreeFunction function;
  while (in.NextIs(Kind::kWord)) in.Seek(in.at() + 1);
  function.offset = in.Offset();
  function.name = in.Take(Kind::kSymbol, "@name");
  function.body = BodyOf(text_, {in.at(), op.end});
  function.signature = {in.at(), function.body.has_value() ? function.body->begin - 1 : op.end};
  function.over_resources = MentionsResource(text_, {in.at(), op.end});
  if (in.ok()) module_.functions.push_back(function);
}

// PUBLIC mutable @name {...} = INIT : TYPE
void ModuleParser::AddGlobal(IreeCursor& in) {
  IreeGlobal global;
  while (in.NextIs(Kind::kWord)) {
    global.is_mutable = global.is_mutable || in.NextIsWord("mutable");
    in.Seek(in.at() + 1);
  }
  global.offset = in.Offset();
  global.name = in.Take(Kind::kSymbol, "@name");
  in.SkipAttributes();
  if (in.Accept('=')) {
    if (in.NextIs(Kind::kNumber)) global.init = in.Spelling();
    while (!in.done() && !in.NextIs(':')) in.NextIs('<') ? in.SkipAngles() : in.SkipOne();
  }
  if (in.Accept(':')) global.type = in.Type().text;
  if (in.ok()) module_.globals.push_back(global);
}

void ModuleParser::FindAlignment(IreeTokenRange range) {
  for (uint32_t i = range.begin; i + 2 < range.end; ++i) {
    if (text_.tokens()[i].kind != Kind::kWord || text_.Spelling(i) != "min_buffer_offset_alignment") continue;
    int64_t bytes = 0;
    if (!IsPunct(text_.tokens()[i + 1], '=') || !absl::SimpleAtoi(text_.Spelling(i + 2), &bytes)) continue;
    if (bytes > 0 && (bytes & (bytes - 1)) == 0) module_.offset_alignment_bytes = bytes;
    return;
  }
}

class BodyParser {
 public:
  BodyParser(const IreeText& text, const IreeModule& module) : text_(text), module_(module) {}
  absl::StatusOr<std::vector<IreeOp>> Parse(IreeTokenRange range, int depth) const;

 private:
  // An op and the range of its region; what is left of `op` behind a known op may be another one on the same line.
  absl::Status ParseOp(IreeTokenRange& op, IreeOp& result, std::optional<IreeTokenRange>& body) const;
  void NoteValues(IreeTokenRange tokens, IreeOp& op) const;

  const IreeText& text_;
  const IreeModule& module_;
};

absl::StatusOr<std::vector<IreeOp>> BodyParser::Parse(IreeTokenRange range, int depth) const {
  if (depth > kIreeMaxNesting) {
    return text_.Fault(text_.tokens()[range.begin - 1].begin,
                       absl::StrCat("regions nest deeper than ", kIreeMaxNesting));
  }
  std::vector<IreeOp> ops;
  while (!range.empty()) {
    IreeTokenRange tokens = FirstIreeOp(text_, range);
    IreeOp& op = ops.emplace_back();
    std::optional<IreeTokenRange> body;
    if (absl::Status s = ParseOp(tokens, op, body); !s.ok()) return s;
    if (body.has_value()) {
      absl::StatusOr<std::vector<IreeOp>> inner = Parse(*body, depth + 1);
      if (!inner.ok()) return inner.status();
      op.body = *std::move(inner);
    }
    range.begin = tokens.end;
  }
  return ops;
}

absl::Status BodyParser::ParseOp(IreeTokenRange& tokens, IreeOp& op, std::optional<IreeTokenRange>& body) const {
  const auto new_cursor = [&](uint32_t at) { return IreeCursor(text_, {at, tokens.end}, op.name, module_); };
  IreeCursor head = new_cursor(tokens.begin);
  if (head.NextIs(Kind::kValue)) {
    head.List('\0', [&] {
      IreeResult& result = op.results.emplace_back();
      const IreeRef ref = head.Ref();
      result.name = ref.name;
      result.offset = ref.offset;
      if (!head.Accept(':')) return;
      const uint32_t at = head.Offset();
      const absl::string_view count = head.Take(Kind::kNumber, "the number of results");
      if (head.ok() && (!absl::SimpleAtoi(count, &result.count) || result.count < 1 || result.count > 1000000)) {
        head.FailAt(at, absl::StrCat(Quoted(count), " results, must be 1..1000000"));
      }
    });
    head.Expect('=', "'='");
  }
  op.offset = head.Offset();
  if (head.NextIs(Kind::kString) || head.NextIs(Kind::kBlock)) {  // The generic form; a block's label.
    op.name = head.Spelling();
  } else {
    op.name = head.Take(Kind::kWord, "an op's name");
  }
  if (!head.ok()) return head.status();
  IreeCursor in = new_cursor(head.NextIs(Kind::kString) || head.NextIs(Kind::kBlock) ? head.at() + 1 : head.at());
  op.known = ReadIreeOpSyntax(in, op, body);
  if (!op.known) {
    NoteValues({in.at(), tokens.end}, op);
    return absl::OkStatus();
  }
  if (in.ok() && !in.done()) {
    if (StartsOp(text_, in.at(), tokens.end)) {
      tokens.end = in.at();
    } else {
      in.Fail(absl::StrCat("unexpected ", Quoted(in.Spelling())));
    }
  }
  return in.status();
}

void BodyParser::NoteValues(IreeTokenRange tokens, IreeOp& op) const {
  op.mentions_resource = MentionsResource(text_, tokens);
  for (uint32_t i = tokens.begin; i < tokens.end; ++i) {
    const IreeToken& token = text_.tokens()[i];
    if (token.kind == Kind::kSymbol && op.symbols.empty()) op.symbols.push_back(text_.Spelling(i));
    if (token.kind != Kind::kValue) continue;
    IreeCursor in(text_, {i, i + 1}, "", module_);
    op.operands.push_back({in.Ref(), std::nullopt});
  }
}

}  // namespace

IreeTokenRange FirstIreeOp(const IreeText& text, IreeTokenRange range) {
  const std::vector<IreeToken>& tokens = text.tokens();
  uint32_t at = range.begin;
  if (tokens[at].kind == Kind::kValue) {  // To the op's name, behind '='.
    while (at + 1 < range.end && !IsPunct(tokens[at], '=')) ++at;
    if (at + 1 < range.end) ++at;
  }
  bool may_end = false;
  do {
    may_end = IsPunct(tokens[at], '{');
    at = tokens[at].partner > at ? tokens[at].partner + 1 : at + 1;
    if (at >= range.end) return range;
  } while (!((may_end || tokens[at].starts_line) && !MayContinue(tokens[at - 1]) && StartsOp(text, at, range.end)));
  return {range.begin, at};
}

absl::StatusOr<IreeModule> ParseIreeModule(const IreeText& text, const IreePart& part) {
  if (!part.status.ok()) return part.status;
  return ParseIreeModule(text, part.tokens);
}

absl::StatusOr<IreeModule> ParseIreeModule(const IreeText& text, IreeTokenRange range) {
  ModuleParser parser(text);
  if (absl::Status s = parser.Parse(range, 0); !s.ok()) return s;
  return std::move(parser).Take();
}

absl::StatusOr<IreeSignature> ParseIreeSignature(const IreeText& text, const IreeModule& module,
                                                 const IreeFunction& function) {
  IreeSignature signature;
  IreeCursor in(text, function.signature, function.name, module);
  in.Expect('(', "'('");
  in.List(')', [&] {
    IreeCapture& argument = signature.arguments.emplace_back();
    argument.value = in.Ref();
    argument.name = argument.value.name;
    in.Expect(':', "':'");
    argument.type = in.Type();
    in.SkipAttributes();
  });
  if (in.Accept(kIreeArrow)) {
    const char close = in.Accept('(') ? ')' : '\0';
    in.List(close, [&] {
      signature.results.push_back(in.ResultType());
      in.SkipAttributes();
    });
  }
  if (!in.ok()) return in.status();
  return signature;
}

absl::StatusOr<std::vector<IreeOp>> ParseIreeBody(const IreeText& text, const IreeModule& module, IreeTokenRange body) {
  return BodyParser(text, module).Parse(body, 0);
}

}  // namespace bufplan
