#include "io/iree_kernel.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "io/iree_parser.h"
#include "ir/region.h"

namespace bufplan {
namespace {

// An executable @ex of one function @e with this text.
class Kernel {
 public:
  explicit Kernel(absl::string_view function)
      : source_(absl::StrCat("stream.executable private @ex {\nstream.executable.export public @e\nbuiltin.module {\n",
                             function, "\n}\n}\n")),
        text_(IreeText::Lex(source_).value()),
        module_(ParseIreeModule(text_, text_.parts()[0]).value()),
        kernels_(text_, module_) {}
  Kernel(const Kernel&) = delete;

  const IreeKernelUse* Use(const std::vector<IreeScalar>& arguments) {
    return kernels_.Use("@ex", "@e", arguments, symbols_);
  }
  IreeKernels& kernels() { return kernels_; }
  std::string TouchText(const IreeTouch& touch) const {
    return absl::StrCat(touch.argument, ": ", RegionText(touch.region, symbols_), " as ", touch.type_text);
  }
  // Its first argument is the symbol s, the others are bindings.
  static std::vector<IreeScalar> Arguments(size_t bindings) {
    std::vector<IreeScalar> arguments(1 + bindings, IreeScalar::Unknown("a binding"));
    arguments[0] = {Expr::FromSymbol(SymbolId(0)), {}, ""};
    return arguments;
  }

 private:
  std::string source_;
  IreeText text_;
  IreeModule module_;
  std::vector<Symbol> symbols_ = {{"s", 0, 4094, 1}};
  IreeKernels kernels_;
};

// Takes row s of each of 32 heads of s + 1 rows.
constexpr char kTake[] = R"(
func.func @e(%arg0: index, %arg1: !stream.binding, %arg2: !stream.binding) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %0 = flow.dispatch.workload.ordinal %arg0, 0 : index
  %1 = arith.addi %0, %c1 : index
  %2 = stream.binding.subspan %arg1[%c64] : !stream.binding -> !flow.dispatch.tensor<readonly:tensor<32x?x128xf16>>{%1}
  %3 = stream.binding.subspan %arg2[%c0] : !stream.binding -> !flow.dispatch.tensor<writeonly:tensor<32x128xf16>>
  %4 = flow.dispatch.tensor.load %2, offsets = [0, %0, 0], sizes = [32, 1, 128], strides = [1, 1, 1] : !flow.dispatch.tensor<readonly:tensor<32x?x128xf16>>{%1} -> tensor<32x128xf16>
  flow.dispatch.tensor.store %4, %3, offsets = [0, 0], sizes = [32, 128], strides = [1, 1] : tensor<32x128xf16> -> !flow.dispatch.tensor<writeonly:tensor<32x128xf16>>
  return
})";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(IreeKernel, AMoveOfStridedBoxes) {
  Kernel kernel(kTake);
  const IreeKernelUse* const use = kernel.Use(Kernel::Arguments(1));
  ASSERT_NE(use, nullptr);
  EXPECT_TRUE(use->is_move);
  EXPECT_EQ(use->access,
            (std::vector<IreeAccess>{IreeAccess::kUnknown, IreeAccess::kReadOnly, IreeAccess::kWriteOnly}));
  ASSERT_EQ(use->touches.size(), 2u);
  EXPECT_EQ(kernel.TouchText(use->touches[0]),
            "1: [256*s + 64, 256*s + 320) x 32 every 256*s + 256 as tensor<32x?x128xf16>");
  EXPECT_EQ(kernel.TouchText(use->touches[1]), "2: [0, 8192) as tensor<32x128xf16>");
}

TEST(IreeKernel, StridesAndTheNewerDialect) {
  Kernel kernel(R"(func.func @e(%arg0: index, %arg1: !stream.binding, %arg2: !stream.binding) {
  %c0 = arith.constant 0 : index
  %0 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x10xi32>>
  %1 = stream.binding.subspan %arg2[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x5xi32>>
  %2 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [1, 0], sizes = [4, 5], strides = [2, 2] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x10xi32>> -> tensor<4x5xi32>
  iree_tensor_ext.dispatch.tensor.store %2, %1, offsets = [0, 0], sizes = [4, 5], strides = [1, 1] : tensor<4x5xi32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x5xi32>>
  return
})");
  const IreeKernelUse* const use = kernel.Use(Kernel::Arguments(1));
  ASSERT_NE(use, nullptr);
  EXPECT_TRUE(use->is_move);
  EXPECT_EQ(use->access[2], IreeAccess::kReadWrite);
  const Region& from = use->touches[0].region;
  EXPECT_EQ(from, (Region{40, 4, {{4, 80}, {5, 8}}}));
  EXPECT_EQ(use->touches[1].region, (Region{0, 80, {}}));
}

TEST(IreeKernel, WhatIsNoMove) {
  const std::pair<const char*, const char*> kChanges[] = {
      {"  return\n", "  %9 = linalg.thing %4 : x\n  return\n"},  // does something
      {"tensor.store %4", "tensor.store %5"},                    // stores something else
      {"32x128xf16>>\n  %4", "32x128xi8>>\n  %4"},               // another element
      {"sizes = [32, 1, 128]", "sizes = [32, 128]"},             // another rank
      {"offsets = [0, %0, 0]", "offsets = [0, -1, 0]"},
      {"offsets = [0, %0, 0]", "offsets = [0, %unknown, 0]"},
      {"tensor<32x?x128xf16>>{%1}\n", "tensor<32x?x128xf16, #encoding>>{%1}\n"},
      {"tensor<32x?x128xf16>>{%1}\n", "tensor<32x?x128xf16>>\n"},
  };
  for (const auto& [from, to] : kChanges) {
    Kernel kernel(Replaced(kTake, from, to));
    const IreeKernelUse* const use = kernel.Use(Kernel::Arguments(1));
    ASSERT_NE(use, nullptr) << to;
    EXPECT_FALSE(use->is_move) << to;
  }
}

TEST(IreeKernel, OpaqueKernels) {
  Kernel kernel(kTake);
  EXPECT_EQ(kernel.kernels().Use("@other", "@e", {}, {}), nullptr);
  EXPECT_EQ(kernel.kernels().Use("@ex", "@f", {}, {}), nullptr);
  EXPECT_EQ(kernel.Use(Kernel::Arguments(9)), nullptr);  // more operands than arguments
  Kernel malformed(Replaced(kTake, "offsets = [0, %0, 0]", "offsets = 0"));
  EXPECT_EQ(malformed.Use(Kernel::Arguments(1)), nullptr);
  EXPECT_EQ(malformed.Use(Kernel::Arguments(1)), nullptr);  // from the cache
  Kernel declared("func.func @e(%arg0: index)");
  EXPECT_EQ(declared.Use({}), nullptr);
}

TEST(IreeKernel, AccessOfABindingThatIsUsedTwice) {
  const std::string again = "  %5 = stream.binding.subspan %arg2[%c64] : !stream.binding -> ";
  Kernel both(Replaced(kTake, "  return\n", again + "!flow.dispatch.tensor<readonly:tensor<4xf16>>\n  return\n"));
  EXPECT_EQ(both.Use(Kernel::Arguments(1))->access[2], IreeAccess::kReadWrite);
  Kernel same(Replaced(kTake, "  return\n", again + "!flow.dispatch.tensor<writeonly:tensor<4xf16>>\n  return\n"));
  EXPECT_EQ(same.Use(Kernel::Arguments(1))->access[2], IreeAccess::kWriteOnly);
  Kernel memref(Replaced(kTake, "  return\n", again + "memref<4xf16>\n  return\n"));
  EXPECT_EQ(memref.Use(Kernel::Arguments(1))->access[2], IreeAccess::kReadWrite);
  Kernel elsewhere(Replaced(kTake, "  return\n", "  scf.if %0 { x.y %arg2 }\n  return\n"));
  EXPECT_EQ(elsewhere.Use(Kernel::Arguments(1))->access[2], IreeAccess::kReadWrite);
}

TEST(IreeKernel, LongKernelsAreNotFollowed) {
  std::string ops;
  for (int i = 0; i < 300; ++i) absl::StrAppend(&ops, "  %x", i, " = arith.constant 0 : index\n");
  Kernel kernel(Replaced(kTake, "  return\n", ops + "  return\n"));
  const IreeKernelUse* const use = kernel.Use(Kernel::Arguments(1));
  ASSERT_NE(use, nullptr);
  EXPECT_FALSE(use->is_move);
  EXPECT_EQ(use->access[2], IreeAccess::kWriteOnly);
}

}  // namespace
}  // namespace bufplan
