#include "io/iree_graph.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/json_graph.h"
#include "tests/io/iree_sample.h"
#include "tests/io/test_files.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The line of the op or value `name` in the import of a body.
std::string LineIn(absl::string_view body, absl::string_view name) { return IreeLine(ImportIree(body), name); }

TEST(IreeGraph, Slice) {
  const std::string body =
      "%r = stream.async.slice %x[%s16 to %s16_16] : !stream.resource<external>{%c128} -> !stream.resource<*>{%c16}";
  EXPECT_EQ(LineIn(body, "slice.10"),
            R"({"name": "slice.10", "kind": "slice", "of": "%x", "at": "16*step", "to": "%r"})");
  EXPECT_EQ(LineIn(body, "%x"), R"({"name": "%x", "bytes": 128, "role": "external"})");
  EXPECT_EQ(LineIn(body, "%r"), R"({"name": "%r", "bytes": 16})");
  EXPECT_EQ(LineIn(body, "step"), R"({"name": "step", "min": 0, "max": 7})");
}

TEST(IreeGraph, Update) {
  EXPECT_EQ(LineIn("%r = stream.async.update %y, %x[%s16 to %s16_16] : !stream.resource<external>{%c16} -> %x as "
                   "!stream.resource<external>{%c128}",
                   "update.10"),
            R"({"name": "update.10", "kind": "update", "base": "%x", "from": "%y", "at": "16*step", "to": "%r"})");
}

TEST(IreeGraph, CloneAndTransfer) {
  EXPECT_EQ(LineIn("%r = stream.async.clone on(#d) %x : !stream.resource<external>{%c64} -> !stream.resource<*>{%c64}",
                   "clone.10"),
            R"({"name": "clone.10", "kind": "clone", "of": "%x", "to": "%r"})");
  EXPECT_EQ(LineIn("%r = stream.async.transfer %x : !stream.resource<external>{%c64} -> !stream.resource<*>{%c64}",
                   "transfer.10"),
            R"({"name": "transfer.10", "kind": "clone", "of": "%x", "to": "%r"})");
  const std::string staging =
      "%r = stream.async.transfer %x : !stream.resource<external>{%c64} -> !stream.resource<staging>{%c64}";
  EXPECT_EQ(LineIn(staging, "transfer.10"), R"({"name": "transfer.10", "kind": "transfer", "from": "%x", "to": "%r"})");
  EXPECT_EQ(LineIn(staging, "%r"), R"({"name": "%r", "bytes": 64, "space": "staging"})");
}

TEST(IreeGraph, SplatFillAlloca) {
  EXPECT_EQ(LineIn("%r = stream.async.splat %p : i32 -> !stream.resource<*>{%c64}", "splat.10"),
            R"({"name": "splat.10", "kind": "fill", "to": "%r"})");
  EXPECT_EQ(LineIn("%l = arith.subi %c64, %c16 : index\n"
                   "%r = stream.async.fill %p, %x[%c16 to %c64 for %l] : i32 -> %x as !stream.resource<external>{%c64}",
                   "fill.11"),
            R"({"name": "fill.11", "kind": "fill", "base": "%x", "region": {"at": 16, "bytes": 48}, "to": "%r"})");
  EXPECT_EQ(LineIn("%r = stream.async.alloca : !stream.resource<transient>{%c64}", "alloca.10"),
            R"({"name": "alloca.10", "kind": "fill", "region": {"at": 0, "bytes": 0}, "to": "%r"})");
}

TEST(IreeGraph, Copy) {
  EXPECT_EQ(
      LineIn("%r = stream.async.copy %y[%c0 to %c16], %x[%s16 to %s16_16], %c16 : !stream.resource<external>{%c16} -> "
             "%x as !stream.resource<external>{%c128}",
             "copy.10"),
      R"({"name": "copy.10", "kind": "copy", "base": "%x", "parts": [{"from": "%y", "from_region": {"at": 0, )"
      R"("bytes": 16}, "to_region": {"at": "16*step", "bytes": 16}}], "to": "%r"})");
}

TEST(IreeGraph, Concat) {
  EXPECT_EQ(
      LineIn("%r = stream.async.concat %x, %y : !stream.resource<external>{%c64}, !stream.resource<external>{%c64} -> "
             "!stream.resource<*>{%c128}",
             "concat.10"),
      R"({"name": "concat.10", "kind": "concat", "from": ["%x", "%y"], "to": "%r"})");
}

TEST(IreeGraph, Constant) {
  const std::string body =
      "%c = stream.async.constant : !stream.resource<constant>{%c64} = dense<3> : tensor<16xi32>\n"
      "%r = stream.async.clone %c : !stream.resource<constant>{%c64} -> !stream.resource<*>{%c64}";
  EXPECT_EQ(LineIn(body, "%c"), R"({"name": "%c", "bytes": 64, "role": "constant"})");
  EXPECT_EQ(LineIn(body, "clone.11"), R"({"name": "clone.11", "kind": "clone", "of": "%c", "to": "%r"})");
}

TEST(IreeGraph, LoadAndStore) {
  EXPECT_EQ(
      LineIn("%v = stream.async.load %x[%s16] : !stream.resource<external>{%c128} -> f32", "load.10"),
      R"({"name": "load.10", "reads": [{"value": "%x", "region": {"at": "16*step", "bytes": 4}}], "writes": []})");
  EXPECT_EQ(
      LineIn("%r = stream.async.store %p, %x[%c4] : i32 -> %x as !stream.resource<external>{%c128}", "store.10"),
      R"({"name": "store.10", "reads": [], "writes": [{"value": "%r", "base": "%x", "region": {"at": 4, "bytes": 4}}]})");
}

TEST(IreeGraph, Collective) {
  EXPECT_EQ(
      LineIn("%r = stream.async.collective<all_gather : f32>[%n] channel(%t) %y[%c0 to %c16 for %c16], %x[%c0 to %c64 "
             "for %c64] : !stream.resource<external>{%c16} -> %x as !stream.resource<external>{%c128}",
             "collective.10"),
      R"({"name": "collective.10", "reads": [{"value": "%y", "region": {"at": 0, "bytes": 16}}], "writes": )"
      R"([{"value": "%r", "base": "%x", "region": {"at": 0, "bytes": 64}, "cover": "part"}]})");
}

TEST(IreeGraph, DispatchWithFreshResults) {
  const std::string body =
      "%r:2 = stream.async.dispatch @ex::@e[%n](%p, %x[%c16 to %c64 for %c48], %y[%c0 to %c64 for %c64], %y[%c0 to "
      "%c64 for "
      "%c64]) : (i32, !stream.resource<external>{%c128}, !stream.resource<external>{%c64}, "
      "!stream.resource<external>{%c64}) "
      "-> (!stream.resource<transient>{%s16_16}, !stream.resource<transient>{%c4})";
  const std::string with_48 = "%c48 = arith.constant 48 : index\n" + body;
  EXPECT_EQ(LineIn(with_48, "dispatch@ex::e.11"),
            R"({"name": "dispatch@ex::e.11", "reads": [{"value": "%x", "region": {"at": 16, "bytes": 48}}, "%y"], )"
            R"("writes": ["%r#0", "%r#1"]})");
  EXPECT_EQ(LineIn(with_48, "%r#0"), R"({"name": "%r#0", "bytes": "16*step + 16"})");
}

TEST(IreeGraph, DispatchWithATiedResult) {
  EXPECT_EQ(
      LineIn("%r = stream.async.dispatch @ex::@e(%x[%c0 to %c64 for %c64]) : (!stream.resource<external>{%c128}) -> "
             "%x{%c128}",
             "dispatch@ex::e.10"),
      R"({"name": "dispatch@ex::e.10", "reads": [{"value": "%x", "region": {"at": 0, "bytes": 64}}], "writes": )"
      R"([{"value": "%r", "base": "%x", "region": {"at": 0, "bytes": 64}, "cover": "part", "in_place": )"
      R"([{"value": "%x", "mode": "same_index"}]}]})");
  // Another operand shows the bytes that are overwritten: not in place.
  EXPECT_EQ(
      LineIn("%r = stream.async.dispatch @ex::@e(%x[%c0 to %c64 for %c64], %x[%c0 to %c4 for %c4]) : "
             "(!stream.resource<external>{%c128}, !stream.resource<external>{%c128}) -> %x{%c128}",
             "dispatch@ex::e.10"),
      R"({"name": "dispatch@ex::e.10", "reads": [{"value": "%x", "region": {"at": 0, "bytes": 64}}, {"value": "%x", )"
      R"("region": {"at": 0, "bytes": 4}}], "writes": [{"value": "%r", "base": "%x", "region": {"at": 0, "bytes": 64}, )"
      R"("cover": "part"}]})");
}

constexpr char kKernel[] = R"(stream.executable private @ex { stream.executable.export public @e
builtin.module { func.func @e(%arg0: index, %arg1: !stream.binding, %arg2: !stream.binding) {
  %c0 = arith.constant 0 : index
  %0 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !flow.dispatch.tensor<readonly:tensor<?x4xf32>>{%arg0}
  %1 = stream.binding.subspan %arg2[%c0] : !stream.binding -> !flow.dispatch.tensor<writeonly:tensor<4xf32>>
  %2 = flow.dispatch.tensor.load %0, offsets = [0, 0], sizes = [%arg0, 4], strides = [1, 1] : !flow.dispatch.tensor<readonly:tensor<?x4xf32>>{%arg0} -> tensor<?x4xf32>
  %3 = some.reduction %2 : tensor<?x4xf32> -> tensor<4xf32>
  flow.dispatch.tensor.store %3, %1, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !flow.dispatch.tensor<writeonly:tensor<4xf32>>
  return
}}}
)";

constexpr char kDispatch[] =
    "%r = stream.async.dispatch @ex::@e(%s, %x[%c0 to %s16 for %s16], %y[%c16 to %c32 for %c16]) : (index, "
    "!stream.resource<external>{%c128}, !stream.resource<external>{%c128}) -> %y{%c128}";
const std::string& Dispatch() {
  static const auto* const text = new std::string(absl::StrCat("%c32 = arith.constant 32 : index\n", kDispatch));
  return *text;
}

TEST(IreeGraph, BindingsThatAreOnlyWritten) {
  const absl::StatusOr<IreeImport> import = ImportIree(Dispatch(), kKernel);
  EXPECT_EQ(IreeLine(import, "dispatch@ex::e.21"),
            R"({"name": "dispatch@ex::e.21", "reads": [{"value": "%x", "region": {"at": 0, "bytes": "16*step"}}], )"
            R"("writes": [{"value": "%r", "base": "%y", "region": {"at": 16, "bytes": 16}}]})");
  ASSERT_TRUE(import.ok());
  EXPECT_THAT(import->warnings, IsEmpty());
}

TEST(IreeGraph, KernelsThatTouchMoreThanIsDeclared) {
  std::string kernel = kKernel;
  kernel.replace(kernel.find("offsets = [0, 0]"), 16, "offsets = [9, 0]");
  const absl::StatusOr<IreeImport> import = ImportIree(Dispatch(), kernel);
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_THAT(import->warnings, IsEmpty());  // At step 0 it touches nothing.
  kernel.replace(kernel.find("sizes = [%arg0, 4]"), 18, "sizes = [8, 4]");
  const absl::StatusOr<IreeImport> beyond = ImportIree(Dispatch(), kernel);
  ASSERT_TRUE(beyond.ok()) << beyond.status();
  EXPECT_THAT(beyond->warnings,
              ElementsAre("21:6: stream.async.dispatch @ex::e: the kernel touches [144, 272) of operand %x (as "
                          "tensor<?x4xf32>), beyond the 16*step bytes that are declared; planned as declared"));
  EXPECT_THAT(IreeLine(beyond, "dispatch@ex::e.21"), HasSubstr(R"("region": {"at": 0, "bytes": "16*step"})"));
}

TEST(IreeGraph, KernelsThatOnlyMove) {
  std::string kernel = kKernel;
  kernel.replace(kernel.find("  %3 = some.reduction %2 : tensor<?x4xf32> -> tensor<4xf32>\n"), 59, "");
  kernel.replace(kernel.find("store %3"), 8, "store %2");
  kernel.replace(kernel.find("sizes = [%arg0, 4]"), 18, "sizes = [4, 1]");
  // Into a range of an operand; not proven to be inside of [0, 16*step): opaque.
  const absl::StatusOr<IreeImport> unproven = ImportIree(Dispatch(), kernel);
  EXPECT_THAT(IreeLine(unproven, "dispatch@ex::e.21"), HasSubstr(R"("reads")"));
  std::string whole = Dispatch();
  whole.replace(whole.find("%x[%c0 to %s16 for %s16]"), 24, "%x[%c4 to %c68 for %c64]");
  const absl::StatusOr<IreeImport> import = ImportIree("%c68 = arith.constant 68 : index " + whole, kernel);
  EXPECT_EQ(IreeLine(import, "dispatch@ex::e.21"),
            R"({"name": "dispatch@ex::e.21", "kind": "copy", "base": "%y", "parts": [{"from": "%x", "from_region": )"
            R"({"at": 4, "run": 4, "dims": [[4, 16]]}, "to_region": {"at": 16, "bytes": 16}}], "to": "%r"})");
  // Into a fresh result.
  const absl::StatusOr<IreeImport> fresh = ImportIree(
      "%r = stream.async.dispatch @ex::@e(%s, %x[%c0 to %c64 for %c64]) : (index, "
      "!stream.resource<external>{%c128}) -> !stream.resource<*>{%c16}",
      kernel);
  EXPECT_EQ(IreeLine(fresh, "dispatch@ex::e.20"),
            R"({"name": "dispatch@ex::e.20", "kind": "copy", "parts": [{"from": "%x", "from_region": )"
            R"({"at": 0, "run": 4, "dims": [[4, 16]]}, "to_region": {"at": 0, "bytes": 16}}], "to": "%r"})");
}

TEST(IreeGraph, RegionsAreFlattened) {
  const absl::StatusOr<IreeImport> import = ImportIree(R"(
  %results:2, %tp = stream.async.execute on(#d) await(%t) => with(%x as %arg: !stream.resource<external>{%c64}) -> (!stream.resource<transient>{%c64}, %x{%c64}) {
    %3 = stream.async.concurrent with(%arg as %arg0: !stream.resource<external>{%c64}) -> !stream.resource<transient>{%c64} {
      %3 = stream.async.clone %arg0 : !stream.resource<external>{%c64} -> !stream.resource<transient>{%c64}
      stream.yield %3 : !stream.resource<transient>{%c64}
    }
    %4 = stream.async.fill %p, %arg[%c0 to %c4 for %c4] : i32 -> %arg as !stream.resource<external>{%c64}
    stream.yield %3, %4 : !stream.resource<transient>{%c64}, !stream.resource<external>{%c64}
  } => !stream.timepoint
  %5:2 = stream.timepoint.await %tp => %results#0, %results#1 : !stream.resource<transient>{%c64}, !stream.resource<external>{%c64}
  %3 = stream.async.clone %5#1 : !stream.resource<external>{%c64} -> !stream.resource<*>{%c64}
  %6, %tp2 = stream.timepoint.barrier %3 : !stream.resource<*>{%c64} => !stream.timepoint
  %7 = stream.async.barrier %6 : !stream.resource<*>{%c64}
  %8 = stream.async.cast %7 : !stream.resource<*>{%c64} -> !stream.resource<external>{%c64}
  util.return %8, %5#0, %8, %n : !stream.resource<external>, !stream.resource<transient>, !stream.resource<external>, index)");
  EXPECT_EQ(IreeLine(import, "clone.13"), R"({"name": "clone.13", "kind": "clone", "of": "%x", "to": "%3"})");
  EXPECT_EQ(IreeLine(import, "clone.20"), R"({"name": "clone.20", "kind": "clone", "of": "%4", "to": "%3@20"})");
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_THAT(WriteGraphJson(import->graph), HasSubstr(R"("outputs": ["%3@20", "%3"])"));
}

TEST(IreeGraph, GlobalsAreVariablesAndConstants) {
  const absl::StatusOr<IreeImport> import = ImportIree(R"(
  %k = util.global.load @K : !stream.resource<variable>
  %w = util.global.load immutable @W : !stream.resource<constant>
  %five = util.global.load @five : index
  %k1 = stream.async.update %w, %k[%c0 to %five] : !stream.resource<constant>{%five} -> %k as !stream.resource<variable>{%c64}
  util.global.store %k1, @K : !stream.resource<variable>)");
  EXPECT_EQ(IreeLine(import, "@K"), R"({"name": "@K", "bytes": 64, "role": "variable"})");
  EXPECT_EQ(IreeLine(import, "@W"), R"({"name": "@W", "bytes": 5, "role": "constant"})");
  EXPECT_EQ(IreeLine(import, "commit@K.15"), R"({"name": "commit@K.15", "kind": "commit", "from": "%k1", "to": "@K"})");
}

constexpr char kTwice[] = R"(
  %k = util.global.load @K : !stream.resource<variable>
  %a = stream.async.fill %p, %k[%c0 to %c4 for %c4] : i32 -> %k as !stream.resource<variable>{%c64}
  util.global.store %a, @K : !stream.resource<variable>
  %again = util.global.load @K : !stream.resource<variable>
  %b = stream.async.fill %p, %again[%c4 to %c16 for %c12] : i32 -> %again as !stream.resource<variable>{%c64}
  util.global.store %b, @K : !stream.resource<variable>)";

TEST(IreeGraph, TheLastStoreIsTheCommitAndLoadsSeeStores) {
  const absl::StatusOr<IreeImport> import = ImportIree(absl::StrCat("%c12 = arith.constant 12 : index", kTwice));
  EXPECT_EQ(IreeLine(import, "fill.15"),
            R"({"name": "fill.15", "kind": "fill", "base": "%a", "region": {"at": 4, "bytes": 12}, "to": "%b"})");
  EXPECT_EQ(IreeLine(import, "commit@K.16"), R"({"name": "commit@K.16", "kind": "commit", "from": "%b", "to": "@K"})");
  ASSERT_TRUE(import.ok());
  EXPECT_EQ(import->graph.ops().size(), 3u);
}

std::string OpNames(const absl::StatusOr<IreeImport>& import) {
  if (!import.ok()) return std::string(import.status().message());
  std::string names;
  for (size_t i = 0; i < import->graph.ops().size(); ++i) {
    absl::StrAppend(&names, i == 0 ? "" : " ", import->graph.name(OpId(static_cast<int32_t>(i))));
  }
  return names;
}

TEST(IreeGraph, ACommitWaitsForReadersOfTheOldContent) {
  const std::string body = R"(
  %k = util.global.load @K : !stream.resource<variable>
  %a = stream.async.splat %p : i32 -> !stream.resource<*>{%c64}
  util.global.store %a, @K : !stream.resource<variable>
  %b = stream.async.clone %x : !stream.resource<external>{%c64} -> !stream.resource<*>{%c64})";
  EXPECT_EQ(OpNames(ImportIree(body)), "splat.12 commit@K.13 clone.14");
  EXPECT_EQ(OpNames(ImportIree(body + R"(
  %c = stream.async.clone %k : !stream.resource<variable>{%c64} -> !stream.resource<*>{%c64})")),
            "splat.12 clone.14 clone.15 commit@K.13");
}

TEST(IreeGraph, OldContentThatIsNeededAtTheEndIsCloned) {
  // The globals exchange their contents.
  const absl::StatusOr<IreeImport> exchange = ImportIree(R"(
  %k0 = util.global.load @K : !stream.resource<variable>
  %q0 = util.global.load @Q : !stream.resource<variable>
  %k, %tk = stream.timepoint.barrier %k0 : !stream.resource<variable>{%c64} => !stream.timepoint
  %q, %tq = stream.timepoint.barrier %q0 : !stream.resource<variable>{%c64} => !stream.timepoint
  util.global.store %k, @Q : !stream.resource<variable>
  util.global.store %q, @K : !stream.resource<variable>)");
  EXPECT_EQ(OpNames(exchange), "clone@K.15 clone@Q.16 commit@Q.15 commit@K.16");
  EXPECT_EQ(IreeLine(exchange, "commit@K.16"),
            R"({"name": "commit@K.16", "kind": "commit", "from": "old @Q", "to": "@K"})");
  // The old content is returned.
  const absl::StatusOr<IreeImport> returned = ImportIree(R"(
  %k = util.global.load @K : !stream.resource<variable>
  %a = stream.async.fill %p, %k[%c0 to %c4 for %c4] : i32 -> %k as !stream.resource<variable>{%c64}
  util.global.store %a, @K : !stream.resource<variable>
  util.return %k : !stream.resource<variable>)");
  EXPECT_THAT(OpNames(returned), testing::MatchesRegex("fill.12 clone@K.* commit@K.13"));
  ASSERT_TRUE(returned.ok());
  EXPECT_EQ(returned->graph.name(returned->graph.outputs()[0]), "old @K");
}

TEST(IreeGraph, StoringBackWhatIsThereDoesNothing) {
  EXPECT_EQ(OpNames(ImportIree("%k = util.global.load @K : !stream.resource<variable>\n"
                               "util.global.store %k, @K : !stream.resource<variable>")),
            "");
}

TEST(IreeGraph, ScalarGlobalsKeepWhatIsStored) {
  EXPECT_EQ(LineIn("%1 = arith.addi %s, %n : index\nutil.global.store %1, @step : index\n"
                   "%2 = util.global.load @step : index\n%r = stream.async.splat %p : i32 -> !stream.resource<*>{%2}",
                   "%r"),
            R"({"name": "%r", "bytes": "n + step"})");
}

TEST(IreeGraph, ArgumentsThatTheFunctionGivesBack) {
  const absl::StatusOr<IreeImport> import = ReadIreeGraph(R"(
util.func public @f(%x: !stream.resource<external>, %w: !stream.resource<constant>, %z: !stream.resource<external>) -> (%x as !stream.resource<external>, %z as !stream.resource<external>) {
  %c64 = arith.constant 64 : index
  %p = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %r = stream.async.update %w, %x[%c0 to %c64] : !stream.resource<constant>{%c64} -> %x as !stream.resource<external>{%c64}
  util.return %r, %z : !stream.resource<external>, !stream.resource<external>
})");
  EXPECT_EQ(IreeLine(import, "%x"), R"({"name": "%x", "bytes": 64, "role": "external", "writable": true})");
  EXPECT_EQ(IreeLine(import, "%w"), R"({"name": "%w", "bytes": 64, "role": "constant"})");
  EXPECT_EQ(IreeLine(import, "commit%x.7"), R"({"name": "commit%x.7", "kind": "commit", "from": "%r", "to": "%x"})");
  ASSERT_TRUE(import.ok());
  EXPECT_TRUE(import->graph.outputs().empty());
}

TEST(IreeGraph, TensorsAreImportedAndExported) {
  const absl::StatusOr<IreeImport> import = ReadIreeGraph(R"(
func.func @main(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view) -> !hal.buffer_view {
  %c16 = arith.constant 16 : index
  %0 = stream.tensor.import %arg0 : !hal.buffer_view -> tensor<4xf32> in !stream.resource<external>{%c16}
  %1 = stream.tensor.import consume %arg1 : !hal.buffer_view -> tensor<4xf32> in !stream.resource<external>{%c16}
  %2 = stream.async.dispatch @ex::@e(%0, %1) : (!stream.resource<external>{%c16}, !stream.resource<external>{%c16}) -> !stream.resource<external>{%c16}
  %3 = stream.tensor.export %2 : tensor<4xf32> in !stream.resource<external>{%c16} -> !hal.buffer_view
  return %3 : !hal.buffer_view
})");
  EXPECT_EQ(IreeLine(import, "%arg0"), R"({"name": "%arg0", "bytes": 16, "role": "external"})");
  EXPECT_EQ(IreeLine(import, "%arg1"), R"({"name": "%arg1", "bytes": 16, "role": "external", "writable": true})");
  EXPECT_EQ(IreeLine(import, "dispatch@ex::e.6"),
            R"({"name": "dispatch@ex::e.6", "reads": ["%arg0", "%arg1"], "writes": ["%2"]})");
  ASSERT_TRUE(import.ok());
  EXPECT_EQ(import->graph.outputs().size(), 1u);
}

TEST(IreeGraph, SizesFromOutside) {
  const std::string text = R"(
util.func @f(%arg: !stream.resource<external>) {
  %size = stream.resource.size %arg : !stream.resource<external>
  %0 = some.query %size : index
  %1:2 = other.query : index, index
  %2 = arith.addi %0, %1#1 : index
  %3 = arith.select %0, %0, %2 : index
  %r = stream.async.clone %arg : !stream.resource<external>{%size} -> !stream.resource<*>{%size}
  %q = stream.async.splat %0 : i32 -> !stream.resource<*>{%2}
  %v = stream.async.splat %0 : i32 -> !stream.resource<*>{%3}
  util.return
})";
  const absl::StatusOr<IreeImport> import =
      ReadIreeGraph(text, {.symbols = {{"arg.size", 4, 64}, {"_0", 1, 2}, {"_1_1", 3, 4}, {"_3", 0, 1}}});
  EXPECT_EQ(IreeLine(import, "%arg"), R"({"name": "%arg", "bytes": "arg.size", "role": "external"})");
  EXPECT_EQ(IreeLine(import, "%q"), R"({"name": "%q", "bytes": "_0 + _1_1"})");
  EXPECT_EQ(IreeLine(import, "%v"), R"({"name": "%v", "bytes": "_3"})");
}

// A symbol has the range that is assumed of it, or the part of the given one that is.
TEST(IreeGraph, AssumptionsAreRangesOfSymbols) {
  const std::string text = R"(
util.func @f(%x: !stream.resource<*>, %n: index, %m: index) {
  %c1 = arith.constant 1 : index
  %a, %b = util.assume.int %n<umin = 2, umax = 100>, %m[<umin = 4, umax = 8>, <umin = 6, umax = 20, udiv = 2>] : index, index
  %sum = arith.addi %n, %c1 : index
  %c = util.assume.int %sum<umin = 0, umax = 5> : index
  %d = util.assume.int %m<udiv = 2> : index
  %u = other.op : index
  %e = util.assume.int %u<umin = 1, umax = 3> : index
  %r = stream.async.splat %c1 : index -> !stream.resource<*>{%a}
  %s = stream.async.splat %c1 : index -> !stream.resource<*>{%d}
  %t = stream.async.splat %c1 : index -> !stream.resource<*>{%c}
  %v = stream.async.splat %c1 : index -> !stream.resource<*>{%e}
  util.return
})";
  const auto ranges = [&](const SymbolOverrides& given) {
    const absl::StatusOr<IreeImport> import = ReadIreeGraph(text, {.symbols = given});
    if (!import.ok()) return std::string(import.status().message());
    std::string all = IreeLine(import, "%t");
    for (const Symbol& s : import->graph.symbols()) absl::StrAppend(&all, " ", s.name, "=", s.min, "..", s.max);
    return all;
  };
  EXPECT_EQ(ranges({}), R"({"name": "%t", "bytes": "n + 1"} n=2..100 m=4..20 u=1..3)");
  EXPECT_EQ(ranges({{"n", 50, 200}, {"u", 0, 2}}), R"({"name": "%t", "bytes": "n + 1"} n=50..100 m=4..20 u=1..2)");
  EXPECT_EQ(ranges({{"n", 200, 300}}), R"({"name": "%t", "bytes": "n + 1"} n=200..300 m=4..20 u=1..3)");
}

TEST(IreeGraph, AlignmentOfAResourceConfiguration) {
  const std::string function =
      "util.func @f(%x: !stream.resource<*>) { %c = arith.constant 8 : index\n"
      "%r = stream.async.clone %x : !stream.resource<*>{%c} -> !stream.resource<*>{%c}\nutil.return\n}";
  EXPECT_THAT(WriteGraphJson(ReadIreeGraph(function)->graph), HasSubstr(R"("alignment": 64)"));
  const std::string configured = absl::StrCat(
      "module attributes {r = #stream.resource_config<{min_buffer_offset_alignment = 16, index_bits = 64}>} {\n",
      function, "}");
  EXPECT_THAT(WriteGraphJson(ReadIreeGraph(configured)->graph), HasSubstr(R"("alignment": 16)"));
}

std::string Named(absl::string_view name) {
  return absl::StrCat(
      "util.func @", name, "(%x: !stream.resource<*>) { %c = arith.constant 8 : index\n",
      "%r = stream.async.clone %x : !stream.resource<*>{%c} -> !stream.resource<*>{%c} util.return }\n");
}

TEST(IreeGraph, WhichFunctionIsRead) {
  const std::string text =
      absl::StrCat("util.func @none() { util.return\n}\n", "// -----\n", "util.func @host() { return\n}\n", Named("a"),
                   Named("b"), "// -----\n", Named("a"), "{\n");
  const absl::StatusOr<IreeImport> first = ReadIreeGraph(text);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->graph.name(), "a");
  EXPECT_THAT(first->warnings,
              ElementsAre("6:11: read @a of part 2 of 3, not @b; --function 2:NAME reads another one"));
  const absl::StatusOr<IreeImport> b = ReadIreeGraph(text, {.function = "b"});
  ASSERT_TRUE(b.ok()) << b.status();
  EXPECT_EQ(b->graph.name(), "b");
  EXPECT_THAT(b->warnings, IsEmpty());
  EXPECT_EQ(ReadIreeGraph(text, {.function = "2:@b"})->graph.name(), "b");
  EXPECT_EQ(ReadIreeGraph(text, {.function = "2:"})->graph.name(), "a");
  EXPECT_EQ(ReadIreeGraph(text, {.function = "none"})->graph.ops().size(), 0u);
  const std::pair<const char*, const char*> kErrors[] = {
      {"3:a", "13:1: '{' is never closed"},
      {"1:", "1:1: part 1 has no function over !stream.resource; is it the stream dialect at the async level?"},
      {"2:c", "4:1: part 2 has no function \"c\"; over resources are @a, @b"},
      {"4:c", "function \"4:c\": part \"4\" must be 1..3"},
      {"x:c", "function \"x:c\": part \"x\" must be 1..3"},
  };
  for (const auto& [function, message] : kErrors) {
    EXPECT_EQ(ReadIreeGraph(text, {.function = function}).status().message(), message) << function;
  }
  EXPECT_EQ(ReadIreeGraph("util.func @x() {\n}").status().message(),
            "1:1: the file has no function over !stream.resource; is it the stream dialect at the async level?");
}

TEST(IreeGraph, SeveralAffinitiesAreSaid) {
  const std::string clone = " %x : !stream.resource<external>{%c64} -> !stream.resource<*>{%c64}\n";
  const absl::StatusOr<IreeImport> import =
      ImportIree(absl::StrCat("%a = stream.async.clone on(#hal.device.affinity<@a>)", clone,
                              "%b = stream.async.clone on(#hal.device.affinity<@b>)", clone));
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_THAT(import->warnings,
              ElementsAre("4:18: @f runs on 2 affinities; all are planned as one stream and one memory"));
}

// 50,000 ops in less than a second; here with room for slow machines.
TEST(IreeGraph, LargeDumpsAreReadInTime) {
  std::string body = "%v0 = stream.async.splat %p : i32 -> !stream.resource<transient>{%c64}\n";
  for (int i = 0; i < 50000; ++i) {
    absl::StrAppend(
        &body, "%v", i + 1, " = stream.async.dispatch @ex::@e[%n](%s, %v", i,
        "[%c0 to %c64 for %c64]) : (index, !stream.resource<transient>{%c64}) -> !stream.resource<transient>{%c64}\n");
  }
  const std::string text = IreeFunctionText(body, kKernel);
  const absl::Time start = absl::Now();
  const absl::StatusOr<IreeImport> import = ReadIreeGraph(text, {.symbols = {{"step", 0, 7}}});
  const absl::Duration time = absl::Now() - start;
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->graph.ops().size(), 50001u);
  RecordProperty("milliseconds", static_cast<int>(absl::ToInt64Milliseconds(time)));
  EXPECT_LT(time, absl::Seconds(10));
}

TEST(IreeGraph, TheExamples) {
  const absl::StatusOr<IreeImport> kv =
      ReadIreeGraph(TestFile("examples/iree/kv_decode_step.mlir"), {.symbols = {{"_global_seq_step.global", 0, 4094}}});
  ASSERT_TRUE(kv.ok()) << kv.status();
  EXPECT_THAT(kv->warnings, IsEmpty());
  EXPECT_EQ(kv->graph.ops().size(), 12u);
  EXPECT_EQ(IreeLine(kv, "@_global_key.global"),
            R"({"name": "@_global_key.global", "bytes": 33546240, "role": "variable"})");
  const absl::StatusOr<IreeImport> memcpy =
      ReadIreeGraph(TestFile("examples/iree/slow_memcpy.mlir"), {.symbols = {{"_global_seq_step.global", 0, 4094}}});
  ASSERT_TRUE(memcpy.ok()) << memcpy.status();
  EXPECT_THAT(memcpy->warnings, IsEmpty());
  EXPECT_THAT(IreeLine(memcpy, "dispatch@take_slow_memcpy::take_slow_memcpy.84"),
              HasSubstr(R"("from_region": {"at": "256*_global_seq_step.global", "run": 256, "dims": [[32, )"
                        R"("256*_global_seq_step.global + 256"]]}, "to_region": {"at": 0, "bytes": 8192})"));
}

}  // namespace
}  // namespace bufplan
