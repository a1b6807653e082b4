#include "gpu_runtime/registry/product_definitions.h"

#include <cstdint>

#include "gpu_runtime/kernels/attention.h"
#include "gpu_runtime/kernels/experts.h"
#include "gpu_runtime/kernels/gather.h"
#include "gpu_runtime/registry/cache_strides.h"
#include "gpu_runtime/registry/definition_words.h"
#include "gpu_runtime/registry/launch.h"

namespace bufplan::runtime {
namespace {

// c[n] = a[n] times b[n] transposed (see device/matmul.h), for `batches` n; dense.
KernelDefinition MatmulDefinition() {
  return {.name = "matmul",
          .parameters = {Needed("rows"), Needed("columns"), Needed("inner"), Optional("batches", 1, 1), Type("type")},
          .reads = Names({"a", "b"}),
          .writes = Names({"c"}),
          .extents = [](const KernelSpec& s) -> std::vector<Extent> {
            const int64_t size = SizeOf(TypeOf(s, "type"));
            const Expr &batches = IntegerOf(s, "batches"), &inner = IntegerOf(s, "inner");
            return {{batches * IntegerOf(s, "rows") * inner * size, size},
                    {batches * IntegerOf(s, "columns") * inner * size, size},
                    {4 * batches * IntegerOf(s, "rows") * IntegerOf(s, "columns")}};
          },
          .launch = [](Device& device, StreamHandle stream,
                       const Launch& l) { device.Matmul(stream, MatmulArgsOf(l, l.write<float>(0))); }};
}

// q, y: rows x heads x head_dim. k, v: positions x kv_heads x head_dim, or with heads_first kv_heads x positions x
// head_dim; other strides in bytes by head_stride and position_stride, or by where the plan puts the values.
KernelDefinition AttentionDefinition() {
  return {.name = "attention",
          .parameters = {Needed("rows"), Needed("heads"), Needed("kv_heads"), Needed("head_dim"), Needed("length"),
                         Real("scale", 1.0), Flag("causal", true), Flag("heads_first", false),
                         Optional("head_stride", 0), Optional("position_stride", 0), Type("type")},
          .reads = Names({"q", "k", "v"}),
          .writes = Names({"y"}),
          .strided_reads = 0b110,
          .extents = [](const KernelSpec& s) -> std::vector<Extent> {
            const Expr queries = 4 * IntegerOf(s, "rows") * IntegerOf(s, "heads") * IntegerOf(s, "head_dim");
            const Extent cache = CacheExtent(s);
            return {{queries}, cache, cache, {queries}};
          },
          .fault = [](const KernelSpec& s) -> std::string {
            for (absl::string_view name : {"rows", "heads", "kv_heads", "head_dim"}) {
              if (!IntegerOf(s, name).is_constant()) return absl::StrCat("\"", name, "\" must be a constant");
            }
            const int64_t heads = IntegerOf(s, "heads").constant(), kv_heads = IntegerOf(s, "kv_heads").constant();
            if (heads % kv_heads != 0) {
              return absl::StrCat("\"heads\" is ", heads, ", no multiple of \"kv_heads\" ", kv_heads);
            }
            const int64_t head_dim = IntegerOf(s, "head_dim").constant();
            if (head_dim <= Attention::kMaxHeadDim) return "";
            return absl::StrCat("\"head_dim\" is ", head_dim, ", the kernel takes ", Attention::kMaxHeadDim);
          },
          .in_place = [](const KernelSpec&) -> std::vector<InPlaceRule> {
            return {{0, 0}};
          },
          .launch =
              [](Device& device, StreamHandle stream, const Launch& l) {
                const int64_t rows = l.integer("rows"), heads = l.integer("heads");
                device.Launch<Attention>(stream, rows * heads,
                                         {l.read<float>(0), CacheOf(l, 1), CacheOf(l, 2), l.write<float>(0), rows,
                                          heads, l.integer("kv_heads"), l.integer("head_dim"), l.integer("length"),
                                          l.real("scale"), l.integer("causal") != 0, l.type("type")});
              }};
}

// y: rows x used x columns; weights: experts x columns x inner; ids: i32, rows x used; x: rows x used x inner, or with
// shared_row rows x inner.
KernelDefinition ExpertMatmulDefinition() {
  return {.name = "expert_matmul",
          .parameters = {Needed("rows"), Needed("used"), Needed("experts"), Needed("columns"), Needed("inner"),
                         Flag("shared_row", false), Type("type")},
          .reads = Names({"x", "weights", "ids"}),
          .writes = Names({"y"}),
          .extents = [](const KernelSpec& s) -> std::vector<Extent> {
            const int64_t size = SizeOf(TypeOf(s, "type"));
            const Expr pairs = IntegerOf(s, "rows") * IntegerOf(s, "used");
            const Expr rows = IntegerOf(s, "shared_row") == Expr(0) ? pairs : IntegerOf(s, "rows");
            return {{4 * rows * IntegerOf(s, "inner")},
                    {IntegerOf(s, "experts") * IntegerOf(s, "columns") * IntegerOf(s, "inner") * size, size},
                    {4 * pairs},
                    {4 * pairs * IntegerOf(s, "columns")}};
          },
          .launch =
              [](Device& device, StreamHandle stream, const Launch& l) {
                const int64_t used = l.integer("used"), columns = l.integer("columns");
                device.Launch<ExpertMatmul>(
                    stream, ExpertMatmul::Items(l.integer("rows"), used, columns),
                    {l.read<float>(0), l.read<std::byte>(1), l.read<int32_t>(2), l.write<float>(0), used,
                     l.integer("experts"), columns, l.integer("inner"), l.integer("shared_row") != 0, l.type("type")});
              }};
}

// Groups of `members` rows are added up.
KernelDefinition SumGroupsDefinition() {
  return {.name = "sum_groups",
          .parameters = {Needed("groups"), Needed("members"), Needed("columns")},
          .reads = Names({"x"}),
          .writes = Names({"y"}),
          .extents = [](const KernelSpec& s) -> std::vector<Extent> {
            const Expr result = 4 * IntegerOf(s, "groups") * IntegerOf(s, "columns");
            return {{result * IntegerOf(s, "members")}, {result}};
          },
          .in_place = [](const KernelSpec& s) -> std::vector<InPlaceRule> {
            const bool in_order = IntegerOf(s, "groups") == Expr(1) || IntegerOf(s, "members") == Expr(1);
            return in_order ? std::vector<InPlaceRule>{{0, 0}} : std::vector<InPlaceRule>{};
          },
          .launch =
              [](Device& device, StreamHandle stream, const Launch& l) {
                const int64_t groups = l.integer("groups"), columns = l.integer("columns");
                device.Launch<SumGroups>(
                    stream, ItemsOf(groups * columns),
                    {l.read<float>(0), nullptr, l.write<float>(0), groups, l.integer("members"), columns});
              }};
}

// ids: i32.
KernelDefinition GetRowsDefinition() {
  return {.name = "get_rows",
          .parameters = {Needed("rows"), Needed("columns"), Needed("table_rows"), Type("type")},
          .reads = Names({"table", "ids"}),
          .writes = Names({"y"}),
          .extents = [](const KernelSpec& s) -> std::vector<Extent> {
            const int64_t size = SizeOf(TypeOf(s, "type"));
            return {{IntegerOf(s, "table_rows") * IntegerOf(s, "columns") * size, size},
                    {4 * IntegerOf(s, "rows")},
                    {FloatRows(s)}};
          },
          .launch =
              [](Device& device, StreamHandle stream, const Launch& l) {
                const int64_t rows = l.integer("rows"), columns = l.integer("columns");
                device.Launch<GetRows>(stream, ItemsOf(rows * columns),
                                       {l.read<std::byte>(0), l.read<int32_t>(1), l.write<float>(0), rows, columns,
                                        l.integer("table_rows"), l.type("type")});
              }};
}

// (size + 2 padding - (dilation (kernel - 1) + 1)) / stride + 1, of constants; 0 if the kernel is larger.
int64_t OutputPixels(const KernelSpec& s, absl::string_view size, absl::string_view kernel) {
  const int64_t span = IntegerOf(s, "dilation").constant() * (IntegerOf(s, kernel).constant() - 1) + 1;
  const int64_t room = IntegerOf(s, size).constant() + 2 * IntegerOf(s, "padding").constant() - span;
  return room < 0 ? 0 : room / IntegerOf(s, "stride").constant() + 1;
}

constexpr absl::string_view kImageParameters[] = {"images",       "channels", "height",  "width",   "kernel_height",
                                                  "kernel_width", "stride",   "padding", "dilation"};

// y: images x output height x output width x channels x kernel_height x kernel_width.
KernelDefinition Im2ColDefinition() {
  return {.name = "im2col",
          .parameters = {Needed("images"), Needed("channels"), Needed("height"), Needed("width"),
                         Needed("kernel_height"), Needed("kernel_width"), Optional("stride", 1, 1),
                         Optional("padding", 0), Optional("dilation", 1, 1)},
          .reads = Names({"x"}),
          .writes = Names({"y"}),
          .extents = [](const KernelSpec& s) -> std::vector<Extent> {
            const Expr planes = 4 * IntegerOf(s, "images") * IntegerOf(s, "channels");
            return {{planes * IntegerOf(s, "height") * IntegerOf(s, "width")},
                    {planes * OutputPixels(s, "height", "kernel_height") * OutputPixels(s, "width", "kernel_width") *
                     IntegerOf(s, "kernel_height") * IntegerOf(s, "kernel_width")}};
          },
          .fault = [](const KernelSpec& s) -> std::string {
            for (absl::string_view name : kImageParameters) {
              if (!IntegerOf(s, name).is_constant()) return absl::StrCat("\"", name, "\" must be a constant");
            }
            const bool any = OutputPixels(s, "height", "kernel_height") * OutputPixels(s, "width", "kernel_width") > 0;
            return any ? "" : "the kernel is larger than the padded image";
          },
          .launch =
              [](Device& device, StreamHandle stream, const Launch& l) {
                Im2Col::Args a{.x = l.read<float>(0), .y = l.write<float>(0)};
                int64_t* fields[] = {&a.images,       &a.channels, &a.height,  &a.width,   &a.kernel_height,
                                     &a.kernel_width, &a.stride,   &a.padding, &a.dilation};
                for (size_t i = 0; i < std::size(kImageParameters); ++i) *fields[i] = l.integer(kImageParameters[i]);
                const auto pixels = [&a](int64_t size, int64_t kernel) {
                  return (size + 2 * a.padding - (a.dilation * (kernel - 1) + 1)) / a.stride + 1;
                };
                a.out_height = pixels(a.height, a.kernel_height), a.out_width = pixels(a.width, a.kernel_width);
                device.Launch<Im2Col>(stream, ItemsOf(Im2Col::Count(a)), a);
              }};
}

}  // namespace

MatmulArgs MatmulArgsOf(const Launch& l, float* c) {
  const int64_t rows = l.integer("rows"), columns = l.integer("columns"), inner = l.integer("inner");
  return {.a = l.read<std::byte>(0),
          .b = l.read<std::byte>(1),
          .c = c,
          .rows = rows,
          .columns = columns,
          .inner = inner,
          .a_stride = inner,
          .b_stride = inner,
          .c_stride = columns,
          .batches = l.integer("batches"),
          .a_batch_stride = rows * inner,
          .b_batch_stride = columns * inner,
          .c_batch_stride = rows * columns,
          .type = l.type("type")};
}

std::vector<KernelDefinition> ProductKernels() {
  return {MatmulDefinition(),    AttentionDefinition(), ExpertMatmulDefinition(),
          SumGroupsDefinition(), GetRowsDefinition(),   Im2ColDefinition()};
}

}  // namespace bufplan::runtime
