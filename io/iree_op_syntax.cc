#include "io/iree_op_syntax.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "io/json_text.h"

namespace bufplan {
namespace {

using Kind = IreeTokenKind;

// on(...) await(...) => channel(...) from(...), in any order. Where the result is, by on(...) or to(...), is kept.
void SkipClauses(IreeCursor& in, IreeOp& op) {
  while (in.NextIs(Kind::kWord) && (in.NextIsWord("on") || in.NextIsWord("await") || in.NextIsWord("from") ||
                                    in.NextIsWord("to") || in.NextIsWord("channel") || in.NextIsWord("source") ||
                                    in.NextIsWord("target") || in.NextIsWord("affinity"))) {
    const uint32_t word = in.at();
    in.Seek(word + 1);
    if (!in.NextIs('(')) {
      in.Seek(word);
      return;
    }
    const bool place = in.TextOf({word, word + 1}) == "on" || in.TextOf({word, word + 1}) == "to";
    const IreeTokenRange inside = in.TakeGroup();
    if (place) op.affinity = in.TextOf(inside);
    in.Accept(kIreeFatArrow);
  }
}

void ReadOperands(IreeCursor& in, IreeOp& op) {
  if (in.NextIs(Kind::kValue)) in.List('\0', [&] { op.operands.push_back(in.Operand()); });
}

// CLAUSES %a[...], %b : TYPE, TYPE -> TYPE, %b as TYPE
void ReadMovement(IreeCursor& in, IreeOp& op, std::optional<IreeTokenRange>&) {
  SkipClauses(in, op);
  ReadOperands(in, op);
  in.SkipAttributes();
  in.Expect(':', "':'");
  op.operand_types = in.TypeList(/*results=*/false);
  SkipClauses(in, op);
  if (!in.Accept(kIreeArrow)) return;
  SkipClauses(in, op);
  op.result_types = in.TypeList(/*results=*/true);
}

// CLAUSES : TYPE [= VALUE]
void ReadSource(IreeCursor& in, IreeOp& op, std::optional<IreeTokenRange>&) {
  SkipClauses(in, op);
  in.SkipAttributes();
  in.Expect(':', "':'");
  op.result_types = in.TypeList(/*results=*/false);
  if (op.name != "stream.async.constant" || !in.Accept('=')) return;
  // The value is an attribute, perhaps with its type.
  while (!in.done()) in.SkipOne();
}

// CLAUSES %a, %b : (TYPE, TYPE) -> TYPE
void ReadConcat(IreeCursor& in, IreeOp& op, std::optional<IreeTokenRange>& body) {
  SkipClauses(in, op);
  if (in.Accept('(')) {
    in.List(')', [&] { op.operands.push_back(in.Operand()); });
  }
  ReadMovement(in, op, body);
}

// CLAUSES @ex::@entry[%w](%x, %r[%a to %b for %c]) : (TYPE, TYPE) -> (TYPE, %r{%n}); or {@ex::@a, @ex::@b}
void ReadDispatch(IreeCursor& in, IreeOp& op, std::optional<IreeTokenRange>&) {
  SkipClauses(in, op);
  const auto callee = [&] {
    do {
      op.symbols.push_back(in.Take(Kind::kSymbol, "@executable::@entry"));
    } while (in.Accept(kIreeColons));
  };
  in.Accept('{') ? in.List('}', callee) : callee();
  SkipClauses(in, op);
  if (in.NextIs('[')) in.TakeGroup();
  in.Expect('(', "'(' of the operands");
  in.List(')', [&] { op.operands.push_back(in.Operand()); });
  in.SkipAttributes();
  in.Expect(':', "':'");
  in.Expect('(', "'(' of the types");
  in.List(')', [&] { op.operand_types.push_back(in.Type()); });
  in.Expect(kIreeArrow, "'->'");
  op.result_types = in.TypeList(/*results=*/true);
}

// <...>[%count] CLAUSES %send[...], %target[...] : TYPE -> %target as TYPE
void ReadCollective(IreeCursor& in, IreeOp& op, std::optional<IreeTokenRange>& body) {
  if (in.NextIs('<')) in.SkipAngles();
  if (in.NextIs('[')) in.TakeGroup();
  ReadMovement(in, op, body);
}

// CLAUSES with(%v as %x : TYPE, ...) -> (TYPE, %v{%n}) { ... } => !stream.timepoint
void ReadRegion(IreeCursor& in, IreeOp& op, std::optional<IreeTokenRange>& body) {
  SkipClauses(in, op);
  if (!in.AcceptWord("with")) in.FailNext("with(...)");
  in.Expect('(', "'('");
  in.List(')', [&] {
    IreeCapture& capture = op.captures.emplace_back();
    capture.value = in.Ref();
    if (!in.AcceptWord("as")) in.FailNext("'as'");
    capture.name = in.Ref().name;
    in.Expect(':', "':'");
    capture.type = in.Type();
  });
  if (in.Accept(kIreeArrow)) op.result_types = in.TypeList(/*results=*/true);
  if (in.NextIsWord("attributes")) in.SkipAttributes();
  if (!in.NextIs('{')) {
    in.FailNext("'{' of the region");
    return;
  }
  body = in.TakeGroup();
  if (in.Accept(kIreeFatArrow)) in.Type();
}

// %a, %b : TYPE, TYPE
void ReadTerminator(IreeCursor& in, IreeOp& op, std::optional<IreeTokenRange>&) {
  in.SkipAttributes();
  ReadOperands(in, op);
  in.SkipAttributes();
  if (in.Accept(':')) op.operand_types = in.TypeList(/*results=*/false);
}

// CLAUSES [sync] %t => %a, %b : TYPE, TYPE; without %a if only time passes.
void ReadAwait(IreeCursor& in, IreeOp& op, std::optional<IreeTokenRange>&) {
  SkipClauses(in, op);
  in.AcceptWord("sync");
  in.Ref();
  if (!in.Accept(kIreeFatArrow)) return;
  ReadOperands(in, op);
  in.SkipAttributes();
  in.Expect(':', "':'");
  op.result_types = op.operand_types = in.TypeList(/*results=*/false);
}

// CLAUSES %r : TYPE => !stream.timepoint
void ReadBarrier(IreeCursor& in, IreeOp& op, std::optional<IreeTokenRange>&) {
  SkipClauses(in, op);
  op.operands.push_back(in.Operand());
  in.Expect(':', "':'");
  op.operand_types.push_back(in.Type());
  op.result_types = op.operand_types;
  if (in.Accept(kIreeFatArrow)) in.Type();
}

// [immutable] @name : TYPE; %v, @name : TYPE
void ReadGlobal(IreeCursor& in, IreeOp& op, std::optional<IreeTokenRange>&) {
  in.AcceptWord("immutable");
  if (op.name == "util.global.store") {
    op.operands.push_back(in.Operand());
    in.Expect(',', "','");
  }
  op.symbols.push_back(in.Take(Kind::kSymbol, "@global"));
  in.SkipAttributes();
  in.Expect(':', "':'");
  (op.name == "util.global.store" ? op.operand_types : op.result_types).push_back(in.Type());
}

// CLAUSES [consume] %buffer ["name"] : TYPE -> tensor<...>{...} in TYPE
void ReadImport(IreeCursor& in, IreeOp& op, std::optional<IreeTokenRange>&) {
  SkipClauses(in, op);
  if (in.AcceptWord("consume")) op.literal = "consume";
  op.operands.push_back(in.Operand());
  if (in.NextIs(Kind::kString)) in.Seek(in.at() + 1);
  in.Expect(':', "':'");
  op.operand_types.push_back(in.Type());
  in.Expect(kIreeArrow, "'->'");
  in.Type();
  if (!in.AcceptWord("in")) in.FailNext("'in'");
  op.result_types.push_back(in.Type());
}

// CLAUSES %r ["name"] : tensor<...>{...} in TYPE -> TYPE
void ReadExport(IreeCursor& in, IreeOp& op, std::optional<IreeTokenRange>&) {
  SkipClauses(in, op);
  op.operands.push_back(in.Operand());
  if (in.NextIs(Kind::kString)) in.Seek(in.at() + 1);
  in.Expect(':', "':'");
  in.Type();
  if (!in.AcceptWord("in")) in.FailNext("'in'");
  op.operand_types.push_back(in.Type());
  in.Expect(kIreeArrow, "'->'");
  op.result_types.push_back(in.Type());
}

// NUMBER : TYPE, or any other attribute
void ReadConstant(IreeCursor& in, IreeOp& op, std::optional<IreeTokenRange>&) {
  in.SkipAttributes();
  const bool negative = in.Accept('-');
  if (in.NextIs(Kind::kNumber)) {
    op.literal = in.Take(Kind::kNumber, "a number");
    if (negative) op.literal = in.TextOf({in.at() - 2, in.at()});
    if (in.Accept(':')) op.result_types.push_back(in.Type());
    return;
  }
  while (!in.done()) in.SkipOne();
}

// %a, %b [overflow<...>] : TYPE; %a : TYPE to TYPE
void ReadArithmetic(IreeCursor& in, IreeOp& op, std::optional<IreeTokenRange>&) {
  ReadOperands(in, op);
  if (in.NextIs(',')) in.Fail("an operand is missing");
  if (in.AcceptWord("overflow") && in.NextIs('<')) in.SkipAngles();
  in.SkipAttributes();
  in.Expect(':', "':'");
  op.operand_types.push_back(in.Type());
  if (in.AcceptWord("to")) op.result_types.push_back(in.Type());
}

// #map(%d)[%s]; affine_map<...>(%d)[%s]
void ReadAffine(IreeCursor& in, IreeOp& op, std::optional<IreeTokenRange>&) {
  op.map.begin = in.at();
  if (in.NextIs(Kind::kAttr)) {
    in.Seek(in.at() + 1);
  } else if (in.AcceptWord("affine_map")) {
    in.SkipAngles();
  } else {
    in.FailNext("a map");
  }
  op.map.end = in.at();
  in.Expect('(', "'(' of the dimensions");
  in.List(')', [&] { op.operands.push_back(in.Operand()); });
  if (in.Accept('[')) in.List(']', [&] { op.operands.push_back(in.Operand()); });
  in.SkipAttributes();
}

// %x, NUMBER : TYPE
void ReadOrdinal(IreeCursor& in, IreeOp& op, std::optional<IreeTokenRange>&) {
  op.operands.push_back(in.Operand());
  in.Expect(',', "','");
  in.Take(Kind::kNumber, "a number");
  in.Expect(':', "':'");
  op.operand_types.push_back(in.Type());
}

IreeIndex ReadIndex(IreeCursor& in) {
  IreeIndex index;
  if (in.NextIs(Kind::kValue)) {
    index.value = in.Ref();
    return index;
  }
  const bool negative = in.Accept('-');
  const absl::string_view number = in.Take(Kind::kNumber, "a value or a number");
  if (in.ok() && !absl::SimpleAtoi(absl::StrCat(negative ? "-" : "", number), &index.number)) {
    in.Fail(absl::StrCat(Quoted(number), " exceeds 64 bits"));
  }
  return index;
}

// %binding, offsets = [...], sizes = [...], strides = [...] : TYPE -> TYPE; a store has %tensor first.
void ReadTensorAccess(IreeCursor& in, IreeOp& op, std::optional<IreeTokenRange>&) {
  op.operands.push_back(in.Operand());
  in.Expect(',', "','");
  if (in.NextIs(Kind::kValue)) {
    op.operands.push_back(in.Operand());
    in.Expect(',', "','");
  }
  for (absl::string_view word : {"offsets", "sizes", "strides"}) {
    if (!in.AcceptWord(word)) in.FailNext(word);
    in.Expect('=', "'='");
    in.Expect('[', "'['");
    std::vector<IreeIndex>& list = op.lists.emplace_back();
    in.List(']', [&] { list.push_back(ReadIndex(in)); });
    if (word != "strides") in.Expect(',', "','");
  }
  in.SkipAttributes();
  in.Expect(':', "':'");
  op.operand_types.push_back(in.Type());
  in.Expect(kIreeArrow, "'->'");
  op.result_types.push_back(in.Type());
}

// <umin = 0, umax = 100, udiv = 16>
std::optional<IreeInterval> ReadAssumption(IreeCursor& in) {
  std::optional<int64_t> min, max;
  in.Expect('<', "'<'");
  while (in.ok() && !in.done() && !in.NextIs('>')) {
    const absl::string_view key = in.Take(Kind::kWord, "umin, umax or udiv");
    in.Expect('=', "'='");
    int64_t number = 0;
    const bool fits = absl::SimpleAtoi(in.Take(Kind::kNumber, "a number"), &number);
    if (fits && key == "umin") min = number;
    if (fits && key == "umax") max = number;
    if (!in.Accept(',')) break;
  }
  in.Expect('>', "'>'");
  if (!min.has_value() || !max.has_value() || *min > *max) return std::nullopt;
  return IreeInterval{*min, *max};
}

// %a<umin = 0, umax = 8>, %b[<umin = 0, umax = 8>, <udiv = 4>] : index, index
void ReadAssume(IreeCursor& in, IreeOp& op, std::optional<IreeTokenRange>&) {
  in.List('\0', [&] {
    op.operands.push_back({in.Ref(), std::nullopt});
    std::optional<IreeInterval>& range = op.assumed.emplace_back();
    if (in.NextIs('<')) range = ReadAssumption(in);
    if (!in.Accept('[')) return;
    bool first = true;
    in.List(']', [&] {
      const std::optional<IreeInterval> next = ReadAssumption(in);
      const bool both = range.has_value() && next.has_value();
      if (first) {
        range = next;
      } else {
        range = both ? std::optional(IreeInterval{std::min(range->min, next->min), std::max(range->max, next->max)})
                     : std::nullopt;
      }
      first = false;
    });
  });
  in.SkipAttributes();
  if (in.Accept(':')) op.operand_types = in.TypeList(/*results=*/false);
}

using Read = void (*)(IreeCursor&, IreeOp&, std::optional<IreeTokenRange>&);

constexpr std::pair<absl::string_view, Read> kSyntaxes[] = {
    {"stream.async.slice", ReadMovement},
    {"stream.async.update", ReadMovement},
    {"stream.async.clone", ReadMovement},
    {"stream.async.splat", ReadMovement},
    {"stream.async.fill", ReadMovement},
    {"stream.async.copy", ReadMovement},
    {"stream.async.transfer", ReadMovement},
    {"stream.async.cast", ReadMovement},
    {"stream.async.barrier", ReadMovement},
    {"stream.async.load", ReadMovement},
    {"stream.async.store", ReadMovement},
    {"stream.async.alloca", ReadSource},
    {"stream.async.constant", ReadSource},
    {"stream.async.concat", ReadConcat},
    {"stream.async.dispatch", ReadDispatch},
    {"stream.async.call", ReadDispatch},
    {"stream.async.collective", ReadCollective},
    {"stream.async.execute", ReadRegion},
    {"stream.async.concurrent", ReadRegion},
    {"stream.yield", ReadTerminator},
    {"stream.return", ReadTerminator},
    {"util.return", ReadTerminator},
    {"func.return", ReadTerminator},
    {"return", ReadTerminator},
    {"stream.timepoint.await", ReadAwait},
    {"stream.timepoint.barrier", ReadBarrier},
    {"stream.resource.size", ReadBarrier},
    {"stream.tensor.import", ReadImport},
    {"stream.tensor.export", ReadExport},
    {"util.global.load", ReadGlobal},
    {"util.global.store", ReadGlobal},
    {"arith.constant", ReadConstant},
    {"arith.addi", ReadArithmetic},
    {"arith.subi", ReadArithmetic},
    {"arith.muli", ReadArithmetic},
    {"arith.divui", ReadArithmetic},
    {"arith.divsi", ReadArithmetic},
    {"arith.ceildivui", ReadArithmetic},
    {"arith.ceildivsi", ReadArithmetic},
    {"arith.floordivsi", ReadArithmetic},
    {"arith.remui", ReadArithmetic},
    {"arith.remsi", ReadArithmetic},
    {"arith.minui", ReadArithmetic},
    {"arith.minsi", ReadArithmetic},
    {"arith.maxui", ReadArithmetic},
    {"arith.maxsi", ReadArithmetic},
    {"arith.index_cast", ReadArithmetic},
    {"arith.index_castui", ReadArithmetic},
    {"arith.extsi", ReadArithmetic},
    {"arith.extui", ReadArithmetic},
    {"util.align", ReadArithmetic},
    {"util.assume.int", ReadAssume},
    {"affine.apply", ReadAffine},
    {"affine.min", ReadAffine},
    {"affine.max", ReadAffine},
    {"stream.binding.subspan", ReadMovement},
    {"flow.dispatch.tensor.load", ReadTensorAccess},
    {"flow.dispatch.tensor.store", ReadTensorAccess},
    {"iree_tensor_ext.dispatch.tensor.load", ReadTensorAccess},
    {"iree_tensor_ext.dispatch.tensor.store", ReadTensorAccess},
    {"flow.dispatch.workload.ordinal", ReadOrdinal},
    {"iree_tensor_ext.dispatch.workload.ordinal", ReadOrdinal},
};

}  // namespace

bool ReadIreeOpSyntax(IreeCursor& in, IreeOp& op, std::optional<IreeTokenRange>& body) {
  static const auto* const kTable =
      new absl::flat_hash_map<absl::string_view, Read>(std::begin(kSyntaxes), std::end(kSyntaxes));
  const auto found = kTable->find(op.name);
  if (found == kTable->end()) return false;
  found->second(in, op, body);
  in.SkipAttributes();
  return true;
}

}  // namespace bufplan
