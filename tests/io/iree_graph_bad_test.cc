// What is refused, and where the message says that the fault is.
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "io/iree_graph.h"
#include "tests/io/iree_sample.h"

namespace bufplan {
namespace {

TEST(IreeGraphBad, Messages) {
  const std::pair<const char*, const char*> kCases[] = {
      // Names.
      {"%r = stream.async.clone %z : !stream.resource<*>{%c64} -> !stream.resource<*>{%c64}",
       "10:25: stream.async.clone: %z is not defined here"},
      {"%r = stream.async.clone %s : !stream.resource<*>{%c64} -> !stream.resource<*>{%c64}",
       "10:25: stream.async.clone: %s is no resource"},
      {"%r = stream.async.clone %x : !stream.resource<external>{%y} -> !stream.resource<*>{%c64}",
       "10:57: stream.async.clone: %y is a resource, where a number is needed"},
      {"util.return %z : index", "10:13: util.return: %z is not defined here"},
      {"util.global.store %z, @K : !stream.resource<variable>", "10:19: util.global.store: %z is not defined here"},
      {"%k = util.global.load @none : index", "10:6: util.global.load: @none is not declared"},
      {"util.global.store %x, @W : !stream.resource<constant>", "10:1: util.global.store: @W is not mutable"},
      {"%r:2 = stream.async.clone %x : !stream.resource<external>{%c64} -> !stream.resource<*>{%c64}",
       "10:8: stream.async.clone: has 1 results, but 2 names for them"},
      // Sizes.
      {"util.return %x : !stream.resource<external>",
       "10:13: util.return: the size of %x is said neither here nor before"},
      {"%r = stream.async.clone %x : !stream.resource<external>{%c64} -> !stream.resource<*>",
       "10:66: stream.async.clone: !stream.resource<*> has no size {%n}"},
      {"%r = stream.async.clone %x : !stream.resource<external>{%c64} -> !stream.resource<*>{%c16}",
       "10:6: stream.async.clone: the source has 64 bytes, the result 16"},
      {"%r = stream.async.clone %x : !stream.resource<external>{%c64} -> !stream.resource<*>{%c64}\n"
       "%q = stream.async.clone %x : !stream.resource<external>{%s16} -> !stream.resource<*>{%s16}",
       "11:6: stream.async.clone: value \"%x\" has 16*step bytes here, 64 elsewhere"},
      {"%q = stream.async.splat %p : i32 -> !stream.resource<*>{%t}",
       "10:57: stream.async.splat: %t depends on t, which comes from outside and has no range: give it by --symbols "
       "'t=MIN..MAX'"},
      {"%i = other.op : index\n%j = another.op : index\n%k = arith.addi %i, %j : index\n"
       "%q = stream.async.splat %p : i32 -> !stream.resource<*>{%k}",
       "13:57: stream.async.splat: %k depends on i, j, which come from outside and have no range: give it by --symbols "
       "'i=MIN..MAX,j=MIN..MAX'"},
      {"%i = arith.select %s, %s, %s : index\n%q = stream.async.splat %p : i32 -> !stream.resource<*>{%i}",
       "11:57: stream.async.splat: %i depends on i, which comes from outside and has no range: give it by --symbols "
       "'i=MIN..MAX'"},
      {"%i = arith.divui %c4, %s : index\n%q = stream.async.splat %p : i32 -> !stream.resource<*>{%i}",
       "11:57: stream.async.splat: %i is no expression over symbols: it comes from a division whose operands are not "
       "proven "
       "to be positive; --symbols 'i=MIN..MAX' makes it a symbol"},
      // Ranges.
      {"%r = stream.async.slice %x[%c0 to %c16] : !stream.resource<external>{%c64} -> !stream.resource<*>{%c64}",
       "10:6: stream.async.slice: the range has 16 bytes, the result 64"},
      {"%r = stream.async.slice %x : !stream.resource<external>{%c64} -> !stream.resource<*>{%c64}",
       "10:25: stream.async.slice: %x has no range [%begin to %end]"},
      {"%r = stream.async.slice %x[%c64 to %c128] : !stream.resource<external>{%c64} -> !stream.resource<*>{%c64}",
       "10:6: op \"slice.10\" (slice): region [64, 128) of value \"%x\" which has 64 bytes: 128 <= 64 does not hold"},
      {"%r = stream.async.slice %x[%c0 to %s16] : !stream.resource<external>{%c64} -> !stream.resource<*>{%s16}",
       "10:6: op \"slice.10\" (slice): region [0, 16*step) of value \"%x\" which has 64 bytes: not proven: needs "
       "step <= 4"},
      {"%r = stream.async.fill %p, %x[%c0 to %c16 for %c64] : i32 -> %x as !stream.resource<external>{%c64}",
       "10:28: stream.async.fill: the range of %x begins at 0 and ends 16 later, but is 64 long"},
      {"%r = stream.async.update %y, %x[%c0 to %c16] : !stream.resource<external>{%c4} -> %x as "
       "!stream.resource<external>{%c64}",
       "10:6: stream.async.update: the range has 16 bytes, what is put in 4"},
      {"%r = stream.async.update %y, %x[%c0 to %c16] : !stream.resource<external>{%c16} -> %y as "
       "!stream.resource<external>{%c64}",
       "10:84: stream.async.update: the result is %y, but %x is written into"},
      {"%r = stream.async.copy %y[%c0 to %c16], %x[%c0 to %c16], %c4 : !stream.resource<external>{%c64} -> %x as "
       "!stream.resource<external>{%c64}",
       "10:6: stream.async.copy: a range has 16 bytes, 4 are copied"},
      {"%r = stream.async.concat %x, %y : !stream.resource<external>{%c64}, !stream.resource<external>{%c4} -> "
       "!stream.resource<*>{%c128}",
       "10:6: stream.async.concat: the parts have 68 bytes together, the result 128"},
      {"%r = stream.async.load %x[%c0] : !stream.resource<external>{%c64} -> i4",
       "10:6: stream.async.load: how many bytes i4 has is not known"},
      {"%r = stream.async.slice %x[%c0 to %c16], %y : !stream.resource<external>{%c64} -> !stream.resource<*>{%c16}",
       "10:6: stream.async.slice: has 2 operands, must have 1"},
      // Dispatches.
      {"%r = stream.async.dispatch @e::@f(%x[%c0 to %c64 for %c64]) : () -> ()",
       "10:6: stream.async.dispatch: has 1 operands, but 0 types for them"},
      {"%r = stream.async.dispatch @e::@f(%x[%c0 to %c64 for %c64]) : (!stream.resource<external>{%c64}) -> %y{%c64}",
       "10:101: stream.async.dispatch: a result is %y, which is none of the operands"},
      {"%r = stream.async.dispatch @e::@f(%s) : (index) -> %s{%c64}",
       "10:52: stream.async.dispatch: a result is %s, which is no resource"},
      {"%r = stream.async.dispatch @e::@f(%s) : (index) -> index",
       "10:52: stream.async.dispatch: a result has the type index, which is no resource"},
      // Regions.
      {"%r = stream.async.concurrent with(%x as %a: !stream.resource<external>{%c64}) -> (!stream.resource<*>{%c64}, "
       "!stream.resource<*>{%c64}) {\n stream.yield %a : !stream.resource<external>{%c64}\n}",
       "10:6: stream.async.concurrent: has 2 result types, its region yields 1 values"},
      {"%r = stream.async.concurrent with(%z as %a: !stream.resource<external>{%c64}) {\n stream.yield\n}",
       "10:35: stream.async.concurrent: %z is not defined here"},
      {"%r = stream.async.concurrent with() {\n stream.yield %z : index\n}",
       "11:15: stream.yield: %z is not defined here"},
      // Unknown ops.
      {"%r = other.op %s, %x : index", "10:6: other.op: this op is not known, but uses the resource %x"},
      {"%r = stream.async.parameter.load \"a\"::\"b\"[%c0] : !stream.resource<constant>{%c4}",
       "10:6: stream.async.parameter.load: this op is not known, but has a resource among its types"},
      {"%r = \"stream.async.clone\"(%x) : (index) -> index",
       "10:6: \"stream.async.clone\": this op is not known, but uses the resource %x; MLIR's generic form is not read"},
      {"%r = scf.if %s -> index {\n %q = stream.async.clone %x : !stream.resource<*>{%s} -> !stream.resource<*>{%s}\n}",
       "10:6: scf.if: this op is not known, but uses the resource %x"},
      {"cf.br ^bb1\n^bb1:\nutil.return", "11:1: ^bb1: only functions of one block are read"},
      {"util.call @f(%s) : (index) -> ()", "10:1: util.call: @f works on resources; calls are not followed"},
  };
  for (const auto& [body, message] : kCases) EXPECT_EQ(IreeError(body), message) << body;
}

TEST(IreeGraphBad, WhatStandsBehindTheEnd) {
  EXPECT_EQ(IreeError("util.return\n%r = stream.async.alloca : !stream.resource<*>{%c4}\nutil.return"),
            "11:6: stream.async.alloca: stands behind util.return, which ends the block");
  EXPECT_EQ(
      IreeError("%r = stream.async.concurrent with() -> !stream.resource<*>{%c4} {\n"
                "%a = stream.async.alloca : !stream.resource<*>{%c4}\nstream.yield %a : !stream.resource<*>{%c4}\n"
                "%b = stream.async.alloca : !stream.resource<*>{%c4}\n}"),
      "13:6: stream.async.alloca: stands behind stream.yield, which ends the block");
}

TEST(IreeGraphBad, AFunctionWithoutAnEnd) {
  EXPECT_EQ(
      ReadIreeGraph("util.func @f(%x: !stream.resource<*>) {\n  %c = arith.constant 8 : index\n  }").status().message(),
      "3:3: function @f ends without util.return");
  EXPECT_EQ(ReadIreeGraph("util.func @f(%x: !stream.resource<*>) {}").status().message(),
            "1:40: function @f ends without util.return");
  EXPECT_TRUE(ReadIreeGraph("util.func @f(%x: !stream.resource<*>) {\n  util.unreachable \"no\"\n}").ok());
}

// A name is given once in a region, but an inner region may use it again.
TEST(IreeGraphBad, NamesThatAreGivenTwice) {
  EXPECT_EQ(IreeError("%c0 = arith.constant 8 : index"), "10:1: %c0 is defined already in this region");
  EXPECT_EQ(IreeError("%x = other.op : index"), "10:1: %x is defined already in this region");
  EXPECT_EQ(IreeError("%a, %a = util.assume.int %s<udiv = 2>, %n : index, index"),
            "10:5: %a is defined already in this region");
  EXPECT_EQ(ReadIreeGraph("util.func @f(%x: !stream.resource<*>, %x: index) {\n util.return\n}").status().message(),
            "1:39: %x is defined already in this region");
  EXPECT_TRUE(ImportIree("stream.async.concurrent with() {\n%c0 = arith.constant 8 : index\nstream.yield\n}").ok());
}

TEST(IreeGraphBad, NulBytes) {
  const std::string text = IreeFunctionText(std::string("util.return\n\0", 13));
  EXPECT_EQ(ReadIreeGraph(text).status().message(), "11:1: a NUL byte");
}

TEST(IreeGraphBad, MalformedAssumptions) {
  EXPECT_EQ(IreeError("%a = util.assume.int %s<umin 4> : index"),
            "10:30: util.assume.int: '=' is missing; here is \"4\"");
  EXPECT_EQ(IreeError("%a = util.assume.int %z<umin = 4> : index"), "10:22: util.assume.int: %z is not defined here");
}

TEST(IreeGraphBad, UnknownOpsThatTouchNoResourceAreSkipped) {
  EXPECT_TRUE(
      ImportIree("%a = tensor.empty() : tensor<4xf32>\n%b = linalg.fill ins(%p : i32) outs(%a : tensor<4xf32>) -> "
                 "tensor<4xf32>\nutil.call @elsewhere(%b) : (tensor<4xf32>) -> ()\nutil.return")
          .ok());
}

TEST(IreeGraphBad, SymbolsThatNothingBearsTheNameOf) {
  const std::string text = IreeFunctionText("%r = stream.async.splat %p : i32 -> !stream.resource<*>{%s16}");
  EXPECT_EQ(ReadIreeGraph(text, {.symbols = {{"step", 0, 7}, {"other", 0, 1}}}).status().message(),
            "4:18: symbol \"other\": nothing of that name comes from outside into @f; it has \"step\"");
}

// Numbers that leave 64 bits are refused, wherever they come up.
TEST(IreeGraphBad, HugeNumbers) {
  const std::string huge = "%h = arith.constant 9223372036854775807 : index\n";
  EXPECT_EQ(
      IreeError(huge + "%i = arith.addi %h, %c4 : index\n%r = stream.async.splat %p : i32 -> !stream.resource<*>{%i}"),
      "12:57: stream.async.splat: %i is no expression over symbols: it comes from a coefficient overflows 64 bits; "
      "--symbols "
      "'i=MIN..MAX' makes it a symbol");
  EXPECT_EQ(
      IreeError(huge + "%r = stream.async.slice %x[%h to %h] : !stream.resource<external>{%h} -> "
                       "!stream.resource<*>{%c0}\n%q = stream.async.splat %p : i32 -> !stream.resource<*>{%h}"),
      "4:21: value \"%x\": with its 9223372036854775807 bytes (alignment 64) the sizes in space \"device\" add up to "
      "more than 2^62");
}

// A cut text is refused or read as what is left of it, at every length.
TEST(IreeGraphBad, TruncatedText) {
  const std::string text = IreeFunctionText(
      "%r, %tp = stream.async.execute with(%x as %a: !stream.resource<external>{%c64}) -> !stream.resource<*>{%c64} {\n"
      "%b = stream.async.dispatch @e::@f(%a[%c0 to %c64 for %c64]) : (!stream.resource<external>{%c64}) -> %a{%c64}\n"
      "stream.yield %b : !stream.resource<external>{%c64}\n} => !stream.timepoint");
  for (size_t length = 0; length < text.size(); ++length) {
    const absl::StatusOr<IreeImport> import = ReadIreeGraph(absl::string_view(text).substr(0, length));
    if (import.ok()) continue;
    EXPECT_EQ(import.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_FALSE(import.status().message().empty());
  }
}

// Deep and repetitive texts take no longer than others of their length.
TEST(IreeGraphBad, HostileTextsEndInTime) {
  std::string brackets(200000, '(');
  EXPECT_FALSE(ReadIreeGraph(brackets).ok());
  brackets += std::string(200000, ')');
  EXPECT_FALSE(ReadIreeGraph(absl::StrCat("util.func @f", brackets, " -> !stream.resource<*> {}")).ok());
  std::string list;
  for (int i = 0; i < 100000; ++i) absl::StrAppend(&list, "%v", i, ",\n");
  EXPECT_FALSE(ImportIree("util.return " + list).ok());
  std::string ops;
  for (int i = 0; i < 100000; ++i) absl::StrAppend(&ops, "%v", i + 1, " = other.op %v", i, "\n");
  EXPECT_TRUE(ImportIree(ops).ok());
  std::string sums = "%v0 = arith.addi %s, %s : index\n";
  for (int i = 0; i < 100000; ++i) {
    absl::StrAppend(&sums, "%v", i + 1, " = arith.muli %v", i, ", %v", i, " : index\n");
  }
  EXPECT_TRUE(ImportIree(sums).ok());
  std::string regions;
  for (int i = 0; i < 100000; ++i) regions += "%v = stream.async.concurrent with() {\n";
  EXPECT_FALSE(ImportIree(regions + std::string(100000, '}')).ok());
  std::string globals;
  for (int i = 0; i < 20000; ++i) {
    absl::StrAppend(&globals, "%v", i, " = stream.async.alloca : !stream.resource<*>{%c4} util.global.store %v", i,
                    ", @K : !stream.resource<variable>\n");
  }
  EXPECT_TRUE(ImportIree(globals).ok());
}

}  // namespace
}  // namespace bufplan
