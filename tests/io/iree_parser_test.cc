#include "io/iree_parser.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"

namespace bufplan {
namespace {

// A body of ops, with all that it lives of.
struct Parsed {
  explicit Parsed(std::string s) : source(std::move(s)), text(IreeText::Lex(source)) {
    if (!text.ok()) {
      ops = text.status();
      return;
    }
    const IreeTokenRange all{0, static_cast<uint32_t>(text->tokens().size())};
    ops = ParseIreeBody(*text, module, all);
  }
  Parsed(const Parsed&) = delete;

  std::string source;
  absl::StatusOr<IreeText> text;
  IreeModule module;
  absl::StatusOr<std::vector<IreeOp>> ops;
};

std::string RefText(const IreeRef& ref) {
  return ref.index == 0 ? std::string(ref.name) : absl::StrCat(ref.name, "#", ref.index);
}
std::string TypeText(const IreeType& type) {
  std::string text = type.tied.has_value() ? absl::StrCat("tied ", RefText(*type.tied), " ") : "";
  absl::StrAppend(&text, type.text);
  for (const IreeRef& size : type.sizes) absl::StrAppend(&text, "{", RefText(size), "}");
  return text;
}
std::string OperandText(const IreeOperand& o) {
  std::string text = RefText(o.value);
  if (!o.range.has_value()) return text;
  absl::StrAppend(&text, "[", RefText(o.range->begin));
  if (o.range->end.has_value()) absl::StrAppend(&text, "..", RefText(*o.range->end));
  if (o.range->length.has_value()) absl::StrAppend(&text, "/", RefText(*o.range->length));
  return text + "]";
}
template <class T, class F>
std::string Listed(const std::vector<T>& list, F text) {
  return absl::StrJoin(list, " ", [&](std::string* out, const T& e) { absl::StrAppend(out, text(e)); });
}

// "NAME(operands) types -> result types", for comparison.
std::string OpText(const IreeOp& op) {
  std::string text = absl::StrCat(op.name, "(", Listed(op.operands, OperandText), ") ",
                                  Listed(op.operand_types, TypeText), " -> ", Listed(op.result_types, TypeText));
  for (absl::string_view symbol : op.symbols) absl::StrAppend(&text, " ", symbol);
  if (!op.literal.empty()) absl::StrAppend(&text, " = ", op.literal);
  return text;
}

std::string OnlyOp(const std::string& source) {
  const Parsed parsed(source);
  if (!parsed.ops.ok()) return std::string(parsed.ops.status().message());
  EXPECT_EQ(parsed.ops->size(), 1u) << source;
  return OpText((*parsed.ops)[0]);
}

TEST(IreeParser, MovementsInAllTheirForms) {
  const std::pair<const char*, const char*> kCases[] = {
      {"%r = stream.async.slice on(#a<b>) %x#1[%a to %b] : !stream.resource<*>{%n} -> !stream.resource<*>{%m}",
       "stream.async.slice(%x#1[%a..%b]) !stream.resource<*>{%n} -> !stream.resource<*>{%m}"},
      {"%r = stream.async.update await(%t) => %u, %x[%a to %b] : !r<c>{%m} -> %x as !r<c>{%n}",
       "stream.async.update(%u %x[%a..%b]) !r<c>{%m} -> tied %x !r<c>{%n}"},
      {"%r = stream.async.clone %x : !r<c>{%n} -> !r<c>{%n}", "stream.async.clone(%x) !r<c>{%n} -> !r<c>{%n}"},
      {"%r = stream.async.splat %p : i32 -> !r<c>{%n}", "stream.async.splat(%p) i32 -> !r<c>{%n}"},
      {"%r = stream.async.fill %p, %x[%a to %b for %l] : i32 -> %x as !r<c>{%n}",
       "stream.async.fill(%p %x[%a..%b/%l]) i32 -> tied %x !r<c>{%n}"},
      {"%r = stream.async.copy %y[%a to %b], %x[%c to %d], %l : !r<c>{%m} -> %x as !r<c>{%n}",
       "stream.async.copy(%y[%a..%b] %x[%c..%d] %l) !r<c>{%m} -> tied %x !r<c>{%n}"},
      {"%r = stream.async.transfer %x : !r<c>{%n} from(#d<@a>) -> to(#d<@b, [0, 1]>) !r<e>{%n}",
       "stream.async.transfer(%x) !r<c>{%n} -> !r<e>{%n}"},
      {"%r = stream.async.barrier %x : !r<c>{%n}", "stream.async.barrier(%x) !r<c>{%n} -> "},
      {"%r = stream.async.load %x[%o] : !r<c>{%n} -> f32", "stream.async.load(%x[%o]) !r<c>{%n} -> f32"},
      {"%r = stream.async.store %v, %x[%o] : f32 -> %x as !r<c>{%n}",
       "stream.async.store(%v %x[%o]) f32 -> tied %x !r<c>{%n}"},
      {"%r = stream.async.concat %x, %y : !r<c>{%n}, !r<c>{%m} -> !r<c>{%k}",
       "stream.async.concat(%x %y) !r<c>{%n} !r<c>{%m} -> !r<c>{%k}"},
      {"%r = stream.async.concat(%x, %y) : (!r<c>{%n}, !r<c>{%m}) -> !r<c>{%k}",
       "stream.async.concat(%x %y) !r<c>{%n} !r<c>{%m} -> !r<c>{%k}"},
      {"%r = stream.async.alloca : !r<c>{%n}", "stream.async.alloca()  -> !r<c>{%n}"},
      {"%r = stream.async.constant : !r<c>{%n} = dense<[1, 2]> : tensor<2xi32>",
       "stream.async.constant()  -> !r<c>{%n}"},
      {"%r = stream.async.collective<all_gather : f32>[%k] on(#d) channel(%c) %s[%a to %b for %l], %x[%a to %b for %l] "
       ": "
       "!r<c>{%m} -> %x as !r<c>{%n}",
       "stream.async.collective(%s[%a..%b/%l] %x[%a..%b/%l]) !r<c>{%m} -> tied %x !r<c>{%n}"},
  };
  for (const auto& [source, expected] : kCases) EXPECT_EQ(OnlyOp(source), expected) << source;
}

TEST(IreeParser, DispatchesInAllTheirForms) {
  const std::pair<const char*, const char*> kCases[] = {
      {"%r = stream.async.dispatch @ex::@e[%w, %w](%s, %x[%a to %b for %l]) : (i32, !r<c>{%n}) -> !r<c>{%m}",
       "stream.async.dispatch(%s %x[%a..%b/%l]) i32 !r<c>{%n} -> !r<c>{%m} @ex @e"},
      {"%r:2 = stream.async.dispatch on(#d<@a>) @ex::@e(%x#1[%a to %b for %l]) {k = [1]} : (!r<c>{%n}) -> (%x#1{%n}, "
       "!r<c>{%m})",
       "stream.async.dispatch(%x#1[%a..%b/%l]) !r<c>{%n} -> tied %x#1 {%n} !r<c>{%m} @ex @e"},
      {"stream.async.dispatch @ex::@e() : () -> ()", "stream.async.dispatch()  ->  @ex @e"},
      {"%r = stream.async.dispatch {@ex::@e, @ex::@f}[%w](%x[%a to %b for %l]) : (!r<c>{%n}) -> !r<c>{%m}",
       "stream.async.dispatch(%x[%a..%b/%l]) !r<c>{%n} -> !r<c>{%m} @ex @e @ex @f"},
      {"%r = stream.async.call @f(%x[%a to %b for %l], %s) : (!r<c>{%n}, index) -> %x{%n}",
       "stream.async.call(%x[%a..%b/%l] %s) !r<c>{%n} index -> tied %x {%n} @f"},
  };
  for (const auto& [source, expected] : kCases) EXPECT_EQ(OnlyOp(source), expected) << source;
}

TEST(IreeParser, OpsAround) {
  const std::pair<const char*, const char*> kCases[] = {
      {"%v = util.global.load immutable @g : index", "util.global.load()  -> index @g"},
      {"util.global.store %v, @\"g h\" : !r<c>", "util.global.store(%v) !r<c> ->  @\"g h\""},
      {"util.return %a, %b : index, !r<c>", "util.return(%a %b) index !r<c> -> "},
      {"return", "return()  -> "},
      {"%r:2 = stream.timepoint.await sync %t => %a, %b : !r<c>{%n}, !r<c>{%n}",
       "stream.timepoint.await(%a %b) !r<c>{%n} !r<c>{%n} -> !r<c>{%n} !r<c>{%n}"},
      {"%r, %t = stream.timepoint.barrier on(#d) %a : !r<c>{%n} => !stream.timepoint",
       "stream.timepoint.barrier(%a) !r<c>{%n} -> !r<c>{%n}"},
      {"%r = stream.tensor.import on(#d) consume %b : !hal.buffer_view -> tensor<4x?xf32>{%d} in !r<c>{%n}",
       "stream.tensor.import(%b) !hal.buffer_view -> !r<c>{%n} = consume"},
      {"%r = stream.tensor.export %x : tensor<4xf32> in !r<c>{%n} -> !hal.buffer_view",
       "stream.tensor.export(%x) !r<c>{%n} -> !hal.buffer_view"},
      {"%n = stream.resource.size %x : !r<c>", "stream.resource.size(%x) !r<c> -> !r<c>"},
      {"%c = arith.constant -12 : index", "arith.constant()  -> index = -12"},
      {"%c = arith.constant dense<0> : tensor<4xi32>", "arith.constant()  -> "},
      {"%c = arith.addi %a, %b overflow<nsw, nuw> : index", "arith.addi(%a %b) index -> "},
      {"%c = arith.index_cast %a : i32 to index", "arith.index_cast(%a) i32 -> index"},
      {"%c = affine.apply #map(%a)[%b, %c]", "affine.apply(%a %b %c)  -> "},
      {"%c = affine.min affine_map<(d0) -> (d0, 4)>(%a)", "affine.min(%a)  -> "},
  };
  for (const auto& [source, expected] : kCases) EXPECT_EQ(OnlyOp(source), expected) << source;
}

TEST(IreeParser, RegionsNest) {
  const Parsed parsed(R"(%results:2, %tp = stream.async.execute on(#d) await(%t) =>
      with(%x as %y: !r<c>{%n},
           %u#1 as %w: !r<c>{%m})
      -> (!r<c>{%n}, %u#1{%m}) {
    %0 = stream.async.concurrent with(%y as %z: !r<c>{%n}) -> %y as !r<c>{%n} {
      stream.yield %z : !r<c>{%n}
    }
    %1 = stream.async.execute with() -> !r<c>{%n} { stream.yield %0 : !r<c>{%n} } => !stream.timepoint
    stream.yield %0, %w : !r<c>{%n}, !r<c>{%m}
  } => !stream.timepoint
  %2 = arith.constant 1 : index)");
  ASSERT_TRUE(parsed.ops.ok()) << parsed.ops.status();
  ASSERT_EQ(parsed.ops->size(), 2u);
  const IreeOp& execute = (*parsed.ops)[0];
  ASSERT_EQ(execute.results.size(), 2u);
  EXPECT_EQ(execute.results[0].name, "%results");
  EXPECT_EQ(execute.results[0].count, 2u);
  EXPECT_EQ(execute.affinity, "#d");
  ASSERT_EQ(execute.captures.size(), 2u);
  EXPECT_EQ(RefText(execute.captures[1].value), "%u#1");
  EXPECT_EQ(execute.captures[1].name, "%w");
  EXPECT_EQ(TypeText(execute.captures[1].type), "!r<c>{%m}");
  EXPECT_EQ(Listed(execute.result_types, TypeText), "!r<c>{%n} tied %u#1 {%m}");
  ASSERT_EQ(execute.body.size(), 3u);
  ASSERT_EQ(execute.body[0].body.size(), 1u);
  EXPECT_EQ(OpText(execute.body[0].body[0]), "stream.yield(%z) !r<c>{%n} -> ");
  EXPECT_EQ(OpText(execute.body[2]), "stream.yield(%0 %w) !r<c>{%n} !r<c>{%m} -> ");
}

TEST(IreeParser, UnknownOpsEndWhereOthersBegin) {
  const Parsed parsed(R"(
  %0 = some.op %a, %b {x = 1} : index,
    index
  other.op(%c : i32) -> !stream.resource<*> {
    ^bb0(%d: index):
      inner.op %e
  } else {
    inner.op %f
  } {attr}
  hal.check<%g : !hal.buffer_view> message("x") shape([%h])
    type(%i)
  %1:2, %2 = "generic.op"(%0) ({
    "x.y"() : () -> ()
  }) : (index) -> (index, index, index)
  "generic.two"() : () -> ()
  third.op
  return)");
  ASSERT_TRUE(parsed.ops.ok()) << parsed.ops.status();
  std::vector<std::string> names;
  for (const IreeOp& op : *parsed.ops) names.push_back(absl::StrCat(op.name, " ", Listed(op.operands, OperandText)));
  EXPECT_EQ(names, (std::vector<std::string>{"some.op %a %b", "other.op %c %d %e %f", "hal.check %g %h %i",
                                             "\"generic.op\" %0", "\"generic.two\" ", "third.op ", "return "}));
  EXPECT_FALSE((*parsed.ops)[0].mentions_resource);
  EXPECT_TRUE((*parsed.ops)[1].mentions_resource);
}

TEST(IreeParser, SeveralOpsOnALine) {
  const Parsed parsed("%a = arith.constant 1 : index %b = arith.addi %a, %a : index util.return %b : index");
  ASSERT_TRUE(parsed.ops.ok()) << parsed.ops.status();
  EXPECT_EQ(parsed.ops->size(), 3u);
}

TEST(IreeParser, Modules) {
  const std::string source = R"(#map = affine_map<()[s0] -> (s0)>
!alias = !stream.resource<variable>
module @m attributes {x = #stream.resource_config<{min_buffer_offset_alignment = 32}>} {
  util.global private mutable @a {noinline} = #util.uninitialized : !alias
  util.global private @b = 7 : index
  util.global public mutable @c : i32
  stream.executable private @ex { builtin.module { func.func @e() { return } } }
  util.func private @declared(%x: index) -> index
  builtin.module {
    func.func public @f(%x: !alias {a.b = "c"}, %y: tensor<4xf32, #e<x>>) -> (%x as !alias {d}, index) attributes {z = {}} {
      util.return
    }
  }
  util.initializer { util.return }
})";
  const absl::StatusOr<IreeText> text = IreeText::Lex(source);
  ASSERT_TRUE(text.ok());
  const absl::StatusOr<IreeModule> module = ParseIreeModule(*text, text->parts()[0]);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->offset_alignment_bytes, 32);
  ASSERT_EQ(module->globals.size(), 3u);
  EXPECT_EQ(module->globals[0].type, "!stream.resource<variable>");
  EXPECT_TRUE(module->globals[0].is_mutable);
  EXPECT_EQ(module->globals[0].init, "");
  EXPECT_EQ(module->globals[1].init, "7");
  EXPECT_FALSE(module->globals[1].is_mutable);
  EXPECT_EQ(module->globals[2].name, "@c");
  EXPECT_TRUE(module->executables.contains("@ex"));
  EXPECT_TRUE(module->attr_aliases.contains("#map"));
  ASSERT_EQ(module->functions.size(), 2u);
  EXPECT_FALSE(module->functions[0].body.has_value());
  const IreeFunction& f = module->functions[1];
  EXPECT_EQ(f.name, "@f");
  const absl::StatusOr<IreeSignature> signature = ParseIreeSignature(*text, *module, f);
  ASSERT_TRUE(signature.ok()) << signature.status();
  ASSERT_EQ(signature->arguments.size(), 2u);
  EXPECT_EQ(TypeText(signature->arguments[0].type), "!stream.resource<variable>");
  EXPECT_EQ(signature->arguments[1].type.text, "tensor<4xf32, #e<x>>");
  EXPECT_EQ(Listed(signature->results, TypeText), "tied %x !stream.resource<variable> index");
}

TEST(IreeParser, SyntaxErrors) {
  const std::pair<const char*, const char*> kCases[] = {
      {"%r = stream.async.slice %x[%a to] : t -> t", "1:33: stream.async.slice: a value is missing; here is \"]\""},
      {"%r = stream.async.slice %x[%a to %b] t", "1:38: stream.async.slice: ':' is missing; here is \"t\""},
      {"%r = stream.async.slice %x[%a to %b] :",
       "1:39: stream.async.slice: a type is missing; here is the end of the op"},
      {"%r = stream.async.slice %x[%a to %b] : !r<c{%n} -> !r<c>",
       "1:57: stream.async.slice: '>' is missing; here is the end of the op"},
      {"%r = stream.async.dispatch(%x) : () -> ()",
       "1:27: stream.async.dispatch: @executable::@entry is missing; here is \"(\""},
      {"%r = stream.async.execute {}", "1:27: stream.async.execute: with(...) is missing; here is \"{\""},
      {"%r = stream.async.execute with(%x as %y: t)",
       "1:44: stream.async.execute: '{' of the region is missing; here is the end of the op"},
      {"%r:99999999 = a.b", "1:4: \"99999999\" results, must be 1..1000000"},
      {"%r:0 = a.b", "1:4: \"0\" results, must be 1..1000000"},
      {"%r#99999999999 = a.b", "1:1: \"%r#99999999999\" has no such number of results"},
      {"%r = 5", "1:6: an op's name is missing; here is \"5\""},
      {"%r %x", "1:4: '=' is missing; here is \"%x\""},
      {"util.return %a : index extra", "1:24: util.return: unexpected \"extra\""},
  };
  for (const auto& [source, message] : kCases) EXPECT_EQ(OnlyOp(source), message) << source;
}

TEST(IreeParser, NestingIsLimited) {
  std::string regions, modules;
  for (int i = 0; i < 40; ++i) {
    absl::StrAppend(&regions, "%r = stream.async.concurrent with() {\n");
    absl::StrAppend(&modules, "module {\n");
  }
  regions += std::string(40, '}');
  modules += std::string(40, '}');
  EXPECT_EQ(OnlyOp(regions), "33:37: regions nest deeper than 32");
  const absl::StatusOr<IreeText> text = IreeText::Lex(modules);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(ParseIreeModule(*text, text->parts()[0]).status().message(), "33:8: modules nest deeper than 32");
}

}  // namespace
}  // namespace bufplan
