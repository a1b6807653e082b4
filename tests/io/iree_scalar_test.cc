#include "io/iree_scalar.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "io/iree_parser.h"

namespace bufplan {
namespace {

const std::vector<Symbol>& Symbols() {
  static const auto* const symbols = new std::vector<Symbol>{{"s", 0, 4094, 1}, {"t", 1, 8, 1}, {"z", -5, 5, 1}};
  return *symbols;
}

// The value of an op on %s, %t and %z, or what is said of it. `head` comes before, for aliases.
std::string ValueOf(const std::string& op, const std::string& head = "") {
  const std::string source = head + "\n%r = " + op;
  const absl::StatusOr<IreeText> text = IreeText::Lex(source);
  EXPECT_TRUE(text.ok());
  const absl::StatusOr<IreeModule> module = ParseIreeModule(*text, text->parts()[0]);
  EXPECT_TRUE(module.ok());
  uint32_t begin = 0;
  while (text->Spelling(begin) != "%r") ++begin;
  const absl::StatusOr<std::vector<IreeOp>> ops =
      ParseIreeBody(*text, *module, {begin, static_cast<uint32_t>(text->tokens().size())});
  if (!ops.ok()) return std::string(ops.status().message());
  std::vector<IreeScalar> operands;
  for (const IreeOperand& o : (*ops)[0].operands) {
    IreeScalar& scalar = operands.emplace_back(IreeScalar::Unknown("a guess"));
    if (o.value.name == "%u") scalar = {0, {"u"}, ""};
    if (o.value.name == "%8") scalar = {8, {}, ""};
    for (size_t i = 0; i < Symbols().size(); ++i) {
      if (o.value.name.substr(1) == Symbols()[i].name)
        scalar = {Expr::FromSymbol(SymbolId(static_cast<int32_t>(i))), {}, ""};
    }
  }
  const IreeScalar result = EvaluateIreeOp(*text, *module, (*ops)[0], operands, Symbols());
  if (!result.why.empty()) return "unknown: " + result.why;
  return result.unranged.empty() ? result.value.ToString(Symbols()) : "unranged: " + result.unranged[0];
}

TEST(IreeScalar, Arithmetic) {
  EXPECT_EQ(ValueOf("arith.constant 8192 : index"), "8192");
  EXPECT_EQ(ValueOf("arith.constant -3 : i64"), "-3");
  EXPECT_EQ(ValueOf("arith.addi %s, %8 : index"), "s + 8");
  EXPECT_EQ(ValueOf("arith.subi %s, %8 : i32"), "s - 8");
  EXPECT_EQ(ValueOf("arith.muli %s, %t overflow<nsw> : index"), "s*t");
  EXPECT_EQ(ValueOf("arith.divui %s, %8 : index"), "ceildiv(s + 1, 8) - 1");  // floor(s / 8)
  EXPECT_EQ(ValueOf("arith.ceildivsi %z, %t : index"), "ceildiv(z, t)");
  EXPECT_EQ(ValueOf("arith.floordivsi %z, %8 : index"), "ceildiv(z + 1, 8) - 1");
  EXPECT_EQ(ValueOf("arith.remui %s, %8 : index"), "s - 8*ceildiv(s + 1, 8) + 8");
  EXPECT_EQ(ValueOf("arith.minui %s, %t : index"), "min(s, t)");
  EXPECT_EQ(ValueOf("arith.maxsi %z, %t : index"), "max(t, z)");
  EXPECT_EQ(ValueOf("arith.index_cast %s : i32 to index"), "s");
  EXPECT_EQ(ValueOf("arith.index_castui %s : i32 to index"), "s");
  EXPECT_EQ(ValueOf("util.align %s, %8 : index"), "8*ceildiv(s, 8)");
  EXPECT_EQ(ValueOf("flow.dispatch.workload.ordinal %s, 0 : index"), "s");
}

TEST(IreeScalar, WhatCannotBeFollowed) {
  const std::string division = "unknown: a division whose operands are not proven to be positive";
  EXPECT_EQ(ValueOf("arith.divui %z, %8 : index"), division);
  EXPECT_EQ(ValueOf("arith.divsi %s, %s : index"), division);
  EXPECT_EQ(ValueOf("arith.minui %z, %8 : index"), "unknown: a number that may be negative, taken as unsigned");
  EXPECT_EQ(ValueOf("arith.extui %z : i32 to i64"), "unknown: a number that may be negative, taken as unsigned");
  EXPECT_EQ(ValueOf("arith.constant 1.5 : f32"), "unknown: arith.constant");
  EXPECT_EQ(ValueOf("arith.constant 99999999999999999999 : index"), "unknown: arith.constant");
  EXPECT_EQ(ValueOf("arith.addi %s, %s : vector<4xi32>"), "unknown: arith.addi");
  EXPECT_EQ(ValueOf("arith.select %s, %t, %s : index"), "unknown: arith.select");
  EXPECT_EQ(ValueOf("arith.addi %s, %guess : index"), "unknown: a guess");
  EXPECT_EQ(ValueOf("arith.addi %s, %u : index"), "unranged: u");
}

TEST(IreeScalar, Affine) {
  EXPECT_EQ(ValueOf("affine.apply #map()[%s]", "#map = affine_map<()[s0] -> (s0 + 1)>"), "s + 1");
  EXPECT_EQ(ValueOf("affine.apply #map(%t)[%s]", "#map = affine_map<(d0)[s0] -> (s0 * 8192 - d0 * (2 + -3))>"),
            "8192*s + t");
  EXPECT_EQ(ValueOf("affine.apply affine_map<(d0) -> (d0 ceildiv 16)>(%s)"), "ceildiv(s, 16)");
  EXPECT_EQ(ValueOf("affine.apply affine_map<(d0) -> (d0 floordiv 16)>(%z)"), "ceildiv(z + 1, 16) - 1");
  EXPECT_EQ(ValueOf("affine.apply affine_map<(d0) -> (d0 mod 16)>(%s)"), "s - 16*ceildiv(s + 1, 16) + 16");
  EXPECT_EQ(ValueOf("affine.min affine_map<(d0) -> (d0, 4, 7)>(%s)"), "min(7, min(4, s))");
  EXPECT_EQ(ValueOf("affine.max affine_map<(d0)[s0] -> (d0, s0)>(%s)[%t]"), "max(s, t)");
}

TEST(IreeScalar, AffineFaults) {
  EXPECT_EQ(ValueOf("affine.apply #map(%s)"), "unknown: affine.apply of the map #map, which is not there");
  for (const char* map : {"affine_map<(d0, d1) -> (d0)>", "affine_map<(d0) -> (d0, d0)>", "affine_map<(d0) -> (d7)>",
                          "affine_map<(d0) -> (d0 +)>", "affine_map<(d0) -> ()>", "affine_map<d0>",
                          "affine_map<(d0) -> (99999999999999999999)>"}) {
    EXPECT_EQ(ValueOf(std::string("affine.apply ") + map + "(%s)"),
              "unknown: affine.apply of a map that does not fit it")
        << map;
  }
  std::string deep = "d0";
  for (int i = 0; i < 1000; ++i) deep = "(" + deep + ")";
  EXPECT_EQ(ValueOf("affine.apply affine_map<(d0) -> (" + deep + ")>(%s)"), "unknown: an affine map that is too long");
}

// Expressions that grow without end are given up in time.
TEST(IreeScalar, GrowthIsLimited) {
  std::string product = "d0 + d1 + d2";
  for (int i = 0; i < 20; ++i) product = "(" + product + ") * (d0 + d1 + d2)";
  const std::string value = ValueOf("affine.apply affine_map<(d0, d1, d2) -> (" + product + ")>(%s, %t, %z)");
  EXPECT_EQ(value, "unknown: an expression of too many terms");
  std::string overflow = "9223372036854775807";
  EXPECT_NE(ValueOf("affine.apply affine_map<(d0) -> (d0 * " + overflow + " + d0)>(%s)").find("unknown: "),
            std::string::npos);
}

TEST(IreeScalar, Types) {
  for (const char* type : {"index", "i1", "i32", "i64"}) EXPECT_TRUE(IsIreeInteger(type)) << type;
  for (const char* type : {"f32", "", "i", "ix", "!stream.timepoint", "index2"})
    EXPECT_FALSE(IsIreeInteger(type)) << type;
  const std::pair<const char*, int64_t> kBytes[] = {
      {"i1", 1},       {"i8", 1}, {"si16", 2}, {"ui32", 4}, {"f16", 2},    {"bf16", 2},        {"f64", 8},
      {"f8E4M3FN", 1}, {"i4", 0}, {"f", 0},    {"i7", 0},   {"vector", 0}, {"complex<f32>", 8}};
  for (const auto& [type, bytes] : kBytes) EXPECT_EQ(IreeElementBytes(type), bytes) << type;
}

}  // namespace
}  // namespace bufplan
