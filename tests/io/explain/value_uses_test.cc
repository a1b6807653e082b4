#include "io/explain/value_uses.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "tests/io/explain/sample.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Texts(const Graph& graph, ValueId value) {
  std::vector<std::string> texts;
  for (const ValueUse& use : UsesOf(graph, value)) {
    texts.push_back(absl::StrCat(use.op.has_value() ? graph.name(*use.op) : "end", ": ", UseText(graph, value, use)));
  }
  return texts;
}

TEST(ValueUsesTest, ViewsAreFollowed) {
  const Sample s;
  EXPECT_THAT(Texts(s.graph, s.Value("a")),
              ElementsAre("v: names [20, 60) of it \"v\" (a view)", "h: reads it", "g: reads it through view \"v\""));
  EXPECT_THAT(Texts(s.graph, s.Value("v")), ElementsAre("g: reads it"));
}

TEST(ValueUsesTest, BasesCommitsAndOutputs) {
  const Sample s;
  EXPECT_THAT(Texts(s.graph, s.Value("K")), ElementsAre("upd: updates it: what is not overwritten lives on",
                                                        "end: it is a variable: storage of the caller"));
  EXPECT_THAT(Texts(s.graph, s.Value("c")), ElementsAre("upd: reads it", "end: it is an output"));
}

TEST(ValueUsesTest, KeepAliveAndPreserve) {
  GraphBuilder b;
  ValueOptions options;
  options.preserve = true;
  const ValueId x = b.Input("x", 8, options);
  const ValueId v = b.View("v", x, 0, 8, "v");
  const ValueId w = b.View("w", v, 4, 4, "w");
  b.Compute("f", {.reads = {x}, .writes = {}});
  b.KeepAliveUntil(v, b.last_op());
  b.Output(w);
  const Graph graph = std::move(b).Build().value();
  EXPECT_THAT(
      Texts(graph, x),
      ElementsAre("v: names [0, 8) of it \"v\" (a view)", "w: names [4, 8) of it \"w\" (a view) through view \"v\"",
                  "f: reads it", "f: keep_alive until this op is done through view \"v\"",
                  "end: an output is a view of it, \"w\"", "end: it is an input with \"preserve\""));
}

TEST(ValueUsesTest, ViewSources) {
  const Sample s;
  EXPECT_EQ(ViewSource(s.graph, s.Value("v")), s.Value("a"));
  EXPECT_EQ(ViewSource(s.graph, s.Value("a")), std::nullopt);
  EXPECT_EQ(ViewSource(s.graph, s.Value("x")), std::nullopt);
  EXPECT_TRUE(IsMovement(OpKind::kUpdate));
  EXPECT_FALSE(IsMovement(OpKind::kView));
  EXPECT_FALSE(IsMovement(OpKind::kFill));
}

}  // namespace
}  // namespace bufplan
