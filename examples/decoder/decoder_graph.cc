#include "examples/decoder/decoder_graph.h"

#include <cmath>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "examples/decoder/op_author.h"
#include "gpu_runtime/registry/propose_fusions.h"
#include "ir/graph_builder.h"

namespace bufplan::decoder {
namespace {

using runtime::ElementType;
using runtime::SizeOf;

// The values of a graph; that of the last call counts.
struct Ids {
  ValueId tokens, positions, logits;
  std::vector<Weight> weights = {};
  std::vector<ValueId> key_caches = {}, value_caches = {};
};

class StepAuthor {
 public:
  StepAuthor(const DecoderShape& shape, GraphBuilder& b, std::vector<std::optional<runtime::KernelSpec>>& specs)
      : d_(shape),
        b_(b),
        ops_(b, specs, {{"s", 0, shape.max_positions - shape.rows}}),
        s_(b.AddSymbol("s", 0, shape.max_positions - shape.rows)) {
    b_.AddSpace("device", {.alignment_bytes = 256});
    main_ = b_.AddStream("main");
    keys_ = d_.streams ? b_.AddStream("keys") : main_;
    values_ = d_.streams ? b_.AddStream("values") : main_;
  }

  Ids Author() {
    ids_.tokens = b_.Input("tokens", 4 * d_.rows, Holds("i32", 0, static_cast<double>(d_.vocabulary - 1)));
    ids_.positions = b_.Input("positions", 4 * d_.rows, Holds("i32", 0, static_cast<double>(d_.max_positions - 1)));
    const Weight table = AddWeight("embedding", d_.vocabulary, d_.hidden, d_.weight_type);
    ValueId x = ops_.Add("embed", "get_rows", {table.value, ids_.tokens}, {4 * d_.rows * d_.hidden},
                         {.integers = {{"rows", d_.rows}, {"columns", d_.hidden}, {"table_rows", d_.vocabulary}},
                          .types = {{"type", d_.weight_type}}});
    for (int i = 0; i < d_.layers; ++i) x = Layer(absl::StrCat("l", i, "."), x);
    const ValueId last = Norm("norm", x);
    ids_.logits = Product("head", last, AddWeight("head", d_.vocabulary, d_.hidden, d_.weight_type), main_);
    b_.Output(ids_.logits);
    return std::move(ids_);
  }

 private:
  static absl::string_view TypeName(ElementType type) {
    return type == ElementType::kF32 ? "f32" : type == ElementType::kF16 ? "f16" : "bf16";
  }
  // What `bufplan run --kernels real` puts there.
  static ValueOptions Holds(absl::string_view type, double min, double max) {
    ValueOptions options;
    options.attrs_json = absl::StrFormat(R"({"contents": {"type": "%s", "min": %.17g, "max": %.17g}})", type, min, max);
    return options;
  }
  // Uniform around 0 with the variance 1 / columns that keeps activations at their size; of norms, around 1.
  Weight AddWeight(const std::string& name, int64_t rows, int64_t columns, ElementType type) {
    const double reach = rows == 1 ? 1.1 : std::sqrt(3.0 / static_cast<double>(columns));
    const ValueId value = b_.Constant(absl::StrCat("w.", name), rows * columns * SizeOf(type),
                                      Holds(TypeName(type), rows == 1 ? 0.9 : -reach, reach));
    ids_.weights.push_back({value, name, rows, columns, type});
    return ids_.weights.back();
  }
  static runtime::KernelSpec Rows(int64_t rows, int64_t columns) {
    return {.integers = {{"rows", rows}, {"columns", columns}}};
  }

  ValueId Norm(const std::string& name, ValueId x) {
    const Weight w = AddWeight(name, 1, d_.hidden, ElementType::kF32);
    runtime::KernelSpec norm = Rows(d_.rows, d_.hidden), mul = norm;
    norm.reals["epsilon"] = d_.epsilon;
    mul.integers["b_rows"] = 1;
    const ValueId normed = ops_.Add(name + ".rms", "rms_norm", {x}, {4 * d_.rows * d_.hidden}, norm);
    return ops_.Add(name + ".mul", "mul", {normed, w.value}, {4 * d_.rows * d_.hidden}, mul);
  }

  // x in the type of the weights; made once.
  ValueId Narrowed(ValueId x, int64_t columns, ElementType type, StreamId stream) {
    if (type == ElementType::kF32) return x;
    const auto it = narrowed_.find(x);
    if (it != narrowed_.end()) return it->second;
    runtime::KernelSpec convert = Rows(d_.rows, columns);
    convert.types["y_type"] = type;
    const ValueId y = ops_.Add(absl::StrCat("narrow", x.value), "convert", {x}, {d_.rows * columns * SizeOf(type)},
                               convert, {.stream = stream});
    narrowed_[x] = y;
    return y;
  }
  ValueId Product(const std::string& name, ValueId x, const Weight& w, StreamId stream) {
    return ops_.Add(
        name, "matmul", {Narrowed(x, w.columns, w.type, stream), w.value}, {4 * d_.rows * w.rows},
        {.integers = {{"rows", d_.rows}, {"columns", w.rows}, {"inner", w.columns}}, .types = {{"type", w.type}}},
        {.stream = stream});
  }
  ValueId Sum(const std::string& name, ValueId a, ValueId b) {
    return ops_.Add(name, "add", {a, b}, {4 * d_.rows * d_.hidden}, Rows(d_.rows, d_.hidden));
  }
  ValueId Turned(const std::string& name, ValueId x, int64_t heads, StreamId stream) {
    return ops_.Add(name, "rope", {x, ids_.positions}, {4 * d_.rows * heads * d_.head_dim},
                    {.integers = {{"rows", d_.rows}, {"heads", heads}, {"head_dim", d_.head_dim}},
                     .reals = {{"base", d_.rope_base}}},
                    {.stream = stream});
  }

  // Puts the new rows into the cache; what attention reads of it.
  ValueId Stored(const std::string& name, ValueId row, std::vector<ValueId>& caches, StreamId stream) {
    const int64_t head = d_.head_dim * SizeOf(d_.cache_type), pitch = d_.kv_heads * head;
    const ValueId cache = b_.Variable(name + ".cache", d_.max_positions * pitch, Holds(TypeName(d_.cache_type), -1, 1));
    caches.push_back(cache);
    runtime::KernelSpec convert = Rows(d_.rows, d_.kv_heads * d_.head_dim);
    convert.integers["y_offset"] = pitch * s_;
    convert.types["y_type"] = d_.cache_type;
    const ValueId next = ops_.AddInto(name + ".store", "convert", {row}, cache, Region{pitch * s_, d_.rows * pitch, {}},
                                      convert, {.stream = stream});
    const Expr length = s_ + d_.rows;
    ValueId seen =
        ops_.Moved(b_.Slice(name + ".seen", next, 0, pitch * length, Target(name + ".seen.y", {}), {.stream = stream}));
    if (d_.heads_first) {
      const Region by_head{0, head, {Dim{d_.kv_heads, head}, Dim{length, pitch}}};
      seen = ops_.Moved(b_.Copy(name + ".by_head", {{seen, by_head, std::nullopt}}, std::nullopt, pitch * length,
                                Target(name + ".by_head.y", {}), {.stream = stream}));
    }
    b_.Commit(name + ".commit", next, cache, {.stream = stream});
    ops_.Moved(next);
    return seen;
  }

  ValueId Attention(const std::string& name, ValueId x) {
    const ValueId norm = Norm(name + "attention.norm", x);
    // Before the streams part.
    Narrowed(norm, d_.hidden, d_.weight_type, main_);
    const int64_t q_columns = d_.heads * d_.head_dim, kv_columns = d_.kv_heads * d_.head_dim;
    const ValueId k = Product(name + "k", norm, AddWeight(name + "k", kv_columns, d_.hidden, d_.weight_type), keys_);
    const ValueId v = Product(name + "v", norm, AddWeight(name + "v", kv_columns, d_.hidden, d_.weight_type), values_);
    const ValueId q = Product(name + "q", norm, AddWeight(name + "q", q_columns, d_.hidden, d_.weight_type), main_);
    const ValueId keys = Stored(name + "k", Turned(name + "k.rope", k, d_.kv_heads, keys_), ids_.key_caches, keys_);
    const ValueId values = Stored(name + "v", v, ids_.value_caches, values_);
    Operand key_operand(keys), value_operand(values);
    key_operand.strides_ok = value_operand.strides_ok = true;
    runtime::KernelSpec attention{.integers = {{"rows", d_.rows},
                                               {"heads", d_.heads},
                                               {"kv_heads", d_.kv_heads},
                                               {"head_dim", d_.head_dim},
                                               {"length", s_ + d_.rows},
                                               {"heads_first", d_.heads_first ? 1 : 0}},
                                  .reals = {{"scale", 1.0 / std::sqrt(static_cast<double>(d_.head_dim))}},
                                  .types = {{"type", d_.cache_type}}};
    const ValueId turned = Turned(name + "q.rope", q, d_.heads, main_);
    const ValueId mixed = ops_.Add(name + "attention", "attention", {turned, key_operand, value_operand},
                                   {4 * d_.rows * q_columns}, attention);
    return Product(name + "o", mixed, AddWeight(name + "o", d_.hidden, q_columns, d_.weight_type), main_);
  }

  ValueId SwiGlu(const std::string& name, ValueId x) {
    const ValueId gate =
        Product(name + "gate", x, AddWeight(name + "gate", d_.inner, d_.hidden, d_.weight_type), main_);
    const ValueId up = Product(name + "up", x, AddWeight(name + "up", d_.inner, d_.hidden, d_.weight_type), main_);
    const Expr bytes = 4 * d_.rows * d_.inner;
    const ValueId silu = ops_.Add(name + "silu", "silu", {gate}, {bytes}, Rows(d_.rows, d_.inner));
    const ValueId glu = ops_.Add(name + "glu", "mul", {silu, up}, {bytes}, Rows(d_.rows, d_.inner));
    return Product(name + "down", glu, AddWeight(name + "down", d_.hidden, d_.inner, d_.weight_type), main_);
  }

  ValueId ExpertProduct(const std::string& name, ValueId x, ValueId ids, int64_t columns, int64_t inner, bool shared) {
    const Weight w = AddWeight(name, d_.experts * columns, inner, d_.weight_type);
    return ops_.Add(name, "expert_matmul", {x, w.value, ids}, {4 * d_.rows * d_.experts_used * columns},
                    {.integers = {{"rows", d_.rows},
                                  {"used", d_.experts_used},
                                  {"experts", d_.experts},
                                  {"columns", columns},
                                  {"inner", inner},
                                  {"shared_row", shared ? 1 : 0}},
                     .types = {{"type", d_.weight_type}}});
  }
  ValueId Experts(const std::string& name, ValueId x) {
    const int64_t pairs = d_.rows * d_.experts_used;
    const ValueId logits =
        Product(name + "router", x, AddWeight(name + "router", d_.experts, d_.hidden, d_.weight_type), main_);
    const ValueId odds =
        ops_.Add(name + "odds", "softmax", {logits}, {4 * d_.rows * d_.experts}, Rows(d_.rows, d_.experts));
    runtime::KernelSpec top = Rows(d_.rows, d_.experts);
    top.integers["k"] = d_.experts_used;
    const Results chosen = ops_.Add(name + "choice", "top_k", {odds}, {4 * pairs, 4 * pairs}, top);
    const ValueId shares =
        ops_.Add(name + "shares", "normalize", {chosen[0]}, {4 * pairs}, Rows(d_.rows, d_.experts_used));
    const ValueId gate = ExpertProduct(name + "gate", x, chosen[1], d_.inner, d_.hidden, true);
    const ValueId up = ExpertProduct(name + "up", x, chosen[1], d_.inner, d_.hidden, true);
    const Expr bytes = 4 * pairs * d_.inner;
    const ValueId silu = ops_.Add(name + "silu", "silu", {gate}, {bytes}, Rows(pairs, d_.inner));
    const ValueId glu = ops_.Add(name + "glu", "mul", {silu, up}, {bytes}, Rows(pairs, d_.inner));
    const ValueId down = ExpertProduct(name + "down", glu, chosen[1], d_.hidden, d_.inner, false);
    const ValueId weighted =
        ops_.Add(name + "weighted", "scale_rows", {down, shares}, {4 * pairs * d_.hidden}, Rows(pairs, d_.hidden));
    return ops_.Add(name + "mixture", "sum_groups", {weighted}, {4 * d_.rows * d_.hidden},
                    {.integers = {{"groups", d_.rows}, {"members", d_.experts_used}, {"columns", d_.hidden}}});
  }

  ValueId Layer(const std::string& name, ValueId x) {
    const ValueId middle = Sum(name + "attention.sum", Attention(name, x), x);
    const ValueId norm = Norm(name + "block.norm", middle);
    return Sum(name + "block.sum", d_.experts == 0 ? SwiGlu(name, norm) : Experts(name, norm), middle);
  }

  const DecoderShape& d_;
  GraphBuilder& b_;
  OpAuthor ops_;
  const Expr s_;
  StreamId main_, keys_, values_;
  std::map<ValueId, ValueId> narrowed_;
  Ids ids_;
};

absl::Status CheckShape(const DecoderShape& d) {
  const std::pair<const char*, int64_t> sizes[] = {
      {"layers", d.layers}, {"rows", d.rows},         {"vocabulary", d.vocabulary}, {"hidden", d.hidden},
      {"heads", d.heads},   {"kv_heads", d.kv_heads}, {"head_dim", d.head_dim},     {"inner", d.inner}};
  for (const auto& [name, size] : sizes) {
    if (size < 1) return absl::InvalidArgumentError(absl::StrCat("decoder: ", name, " is ", size));
  }
  if (d.heads % d.kv_heads != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("decoder: ", d.heads, " heads, no multiple of ", d.kv_heads, " kv_heads"));
  }
  if (d.head_dim % 2 != 0) return absl::InvalidArgumentError(absl::StrCat("decoder: head_dim is odd: ", d.head_dim));
  if (d.rows > d.max_positions) {
    return absl::InvalidArgumentError(absl::StrCat("decoder: ", d.rows, " rows, only ", d.max_positions, " positions"));
  }
  if (d.experts < 0 || (d.experts > 0 && (d.experts_used < 1 || d.experts_used > d.experts))) {
    return absl::InvalidArgumentError(absl::StrCat("decoder: ", d.experts_used, " of ", d.experts, " experts used"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DecoderGraph> MakeDecoderGraph(const DecoderShape& shape, bool fusions) {
  if (absl::Status s = CheckShape(shape); !s.ok()) return s;
  Ids ids;
  std::vector<std::optional<runtime::KernelSpec>> all_specs;
  const auto author = [&](GraphBuilder& b, std::vector<std::optional<runtime::KernelSpec>>& specs) {
    ids = StepAuthor(shape, b, specs).Author();
    all_specs = specs;
  };
  absl::StatusOr<Graph> graph = [&] {
    if (fusions) return runtime::BuildWithFusions("decoder", author);
    GraphBuilder b("decoder");
    std::vector<std::optional<runtime::KernelSpec>> specs;
    author(b, specs);
    return std::move(b).Build();
  }();
  if (!graph.ok()) return graph.status();
  return DecoderGraph{*std::move(graph),
                      std::move(all_specs),
                      ids.tokens,
                      ids.positions,
                      ids.logits,
                      std::move(ids.weights),
                      std::move(ids.key_caches),
                      std::move(ids.value_caches)};
}

}  // namespace bufplan::decoder
