#include "benchmarks/decode_graph.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/graph_builder.h"

namespace bufplan {
namespace {

class Step {
 public:
  explicit Step(const DecodeShape& shape) : shape_(shape), b_("decode"), s_(b_.AddSymbol("s", 0, shape.rows - 1)) {}

  Graph Build() {
    ValueId x = b_.Input("x", Row());
    for (int i = 0; i < shape_.layers; ++i) x = Layer(absl::StrCat("l", i, "."), x);
    b_.Output(x);
    absl::StatusOr<Graph> graph = std::move(b_).Build();
    if (!graph.ok()) {
      std::fprintf(stderr, "%s\n", graph.status().ToString().c_str());
      std::abort();
    }
    return *std::move(graph);
  }

 private:
  int64_t Row() const { return shape_.heads * shape_.head_bytes; }
  ValueId Op(const std::string& name, std::vector<Operand> reads, int64_t bytes, std::vector<InPlaceOf> in_place = {}) {
    return b_.Compute(name, {.reads = std::move(reads), .writes = {{.bytes = bytes, .in_place = std::move(in_place)}}});
  }

  struct Cached {
    ValueId all;  // what attention reads
    ValueId variable;
  };
  Cached Cache(const std::string& name, ValueId row) {
    const int64_t head = shape_.head_bytes;
    const Expr pitch = head * (s_ + 1);
    const ValueId cache = b_.Variable(name + "cache", Row() * shape_.rows);
    const ValueId past = b_.Slice(name + "past", cache, 0, Row() * s_);
    const Region by_head{0, head, {Dim{shape_.heads, head}, Dim{s_, Row()}}};
    const ValueId t = b_.Copy(name + "t", {{past, by_head, std::nullopt}}, std::nullopt, Row() * s_);
    const Region old_rows{0, head * s_, {Dim{shape_.heads, pitch}}};
    const Region new_row{head * s_, head, {Dim{shape_.heads, pitch}}};
    const ValueId all = b_.Copy(name + "c", {{t, std::nullopt, old_rows}, {row, std::nullopt, new_row}}, std::nullopt,
                                Row() * (s_ + 1));
    return {all, cache};
  }
  void Store(const std::string& name, const Cached& c) {
    const int64_t head = shape_.head_bytes;
    const Region new_row{head * s_, head, {Dim{shape_.heads, head * (s_ + 1)}}};
    const ValueId u = b_.Copy(name + "u", {{c.all, new_row, std::nullopt}}, std::nullopt, Row());
    b_.Commit(name + "store", b_.Update(name + "next", c.variable, u, Row() * s_), c.variable);
  }

  ValueId Layer(const std::string& name, ValueId x) {
    const ValueId norm = Op(name + "norm", {x}, Row());
    const ValueId q = Op(name + "q", {norm}, Row());
    const ValueId k = Op(name + "k", {norm}, Row()), v = Op(name + "v", {norm}, Row());
    const Cached keys = Cache(name + "k.", k), values = Cache(name + "v.", v);
    const auto operand = [&](ValueId all) {
      Operand o(all);
      o.strides_ok = shape_.strides_ok;
      return o;
    };
    const ValueId attended = Op(name + "attention", {q, operand(keys.all), operand(values.all)}, Row());
    Store(name + "k.", keys);
    Store(name + "v.", values);
    const ValueId sum = Op(name + "add", {attended, x}, Row(), {x});
    const ValueId up = Op(name + "up", {sum}, 4 * Row());
    const ValueId down = Op(name + "down", {up}, Row());
    return Op(name + "add2", {down, sum}, Row(), {sum});
  }

  const DecodeShape shape_;
  GraphBuilder b_;
  const Expr s_;
};

}  // namespace

Graph DecodeGraph(const DecodeShape& shape) { return Step(shape).Build(); }

}  // namespace bufplan
