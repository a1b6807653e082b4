#include "gpu_runtime/registry/row_definitions.h"

#include <cstdint>

#include "gpu_runtime/kernels/norm.h"
#include "gpu_runtime/kernels/rope.h"
#include "gpu_runtime/kernels/softmax.h"
#include "gpu_runtime/kernels/sort.h"
#include "gpu_runtime/registry/definition_words.h"
#include "gpu_runtime/registry/launch.h"

namespace bufplan::runtime {
namespace {

std::vector<Extent> SameSize(const KernelSpec& s) { return {{FloatRows(s)}, {FloatRows(s)}}; }
std::vector<InPlaceRule> FirstOnFirst(const KernelSpec&) { return {{0, 0}}; }

KernelDefinition RmsNormDefinition() {
  return {.name = "rms_norm",
          .parameters = {Needed("rows"), Needed("columns"), Real("epsilon", 1e-5)},
          .reads = Names({"x"}),
          .writes = Names({"y"}),
          .extents = SameSize,
          .in_place = FirstOnFirst,
          .launch = [](Device& device, StreamHandle stream, const Launch& l) {
            device.Launch<RmsNorm>(stream, l.integer("rows"),
                                   {l.read<float>(0), l.write<float>(0), l.integer("columns"), l.real("epsilon")});
          }};
}

// positions: i32, one for each row. `dims` elements of each head are turned; 0: all.
KernelDefinition RopeDefinition() {
  return {.name = "rope",
          .parameters = {Needed("rows"), Needed("heads"), Needed("head_dim"), Optional("dims", 0), Flag("neox", true),
                         Real("base", 10000.0)},
          .reads = Names({"x", "positions"}),
          .writes = Names({"y"}),
          .extents = [](const KernelSpec& s) -> std::vector<Extent> {
            const Expr bytes = 4 * IntegerOf(s, "rows") * IntegerOf(s, "heads") * IntegerOf(s, "head_dim");
            return {{bytes}, {4 * IntegerOf(s, "rows")}, {bytes}};
          },
          .fault = [](const KernelSpec& s) -> std::string {
            const Expr dims = IntegerOr(s, "dims", IntegerOf(s, "head_dim")), &head = IntegerOf(s, "head_dim");
            if (!dims.is_constant() || !head.is_constant()) return "\"head_dim\" and \"dims\" must be constants";
            if (dims.constant() % 2 != 0) return absl::StrCat("\"dims\" is odd: ", dims.constant());
            if (dims.constant() <= head.constant()) return "";
            return absl::StrCat("\"dims\" is ", dims.constant(), ", \"head_dim\" only ", head.constant());
          },
          .in_place = FirstOnFirst,
          .launch =
              [](Device& device, StreamHandle stream, const Launch& l) {
                device.Launch<Rope>(
                    stream, l.integer("rows"),
                    {l.read<float>(0), l.read<int32_t>(1), l.write<float>(0), l.integer("heads"), RopeShapeOf(l)});
              }};
}

// An optional mask of mask_rows rows is added, repeated; 0: as many as x has. Causal: every query_rows rows are one
// head's queries, the last positions of the columns; 0: all rows are.
KernelDefinition SoftmaxDefinition() {
  return {.name = "softmax",
          .parameters = {Needed("rows"), Needed("columns"), Real("scale", 1.0), Flag("causal", false),
                         Optional("query_rows", 0), Optional("mask_rows", 0)},
          .reads = Names({"x", "mask"}),
          .writes = Names({"y"}),
          .optional_reads = 1,
          .extents = [](const KernelSpec& s) -> std::vector<Extent> {
            const Expr mask = 4 * IntegerOr(s, "mask_rows", IntegerOf(s, "rows")) * IntegerOf(s, "columns");
            return {{FloatRows(s)}, {mask}, {FloatRows(s)}};
          },
          .in_place = FirstOnFirst,
          .launch =
              [](Device& device, StreamHandle stream, const Launch& l) {
                const int64_t rows = l.integer("rows"), mask_rows = l.integer("mask_rows");
                const int64_t query_rows = l.integer("query_rows") == 0 ? rows : l.integer("query_rows");
                device.Launch<SoftmaxRows>(
                    stream, rows,
                    {l.read<float>(0), l.read<float>(1), l.write<float>(0), l.integer("columns"),
                     mask_rows == 0 ? rows : mask_rows, l.real("scale"), l.integer("causal") != 0 ? query_rows : 0});
              }};
}

KernelDefinition NormalizeDefinition() {
  return {.name = "normalize",
          .parameters = {Needed("rows"), Needed("columns")},
          .reads = Names({"x"}),
          .writes = Names({"y"}),
          .extents = SameSize,
          .in_place = FirstOnFirst,
          .launch = [](Device& device, StreamHandle stream, const Launch& l) {
            device.Launch<NormalizeRows>(stream, l.integer("rows"),
                                         {l.read<float>(0), l.write<float>(0), l.integer("columns")});
          }};
}

// ids: i32, as many as x has elements.
KernelDefinition ArgsortDefinition() {
  return {.name = "argsort",
          .parameters = {Needed("rows"), Needed("columns"), Flag("descending", true)},
          .reads = Names({"x"}),
          .writes = Names({"ids"}),
          .extents = SameSize,
          .launch = [](Device& device, StreamHandle stream, const Launch& l) {
            device.Launch<ArgsortRows>(
                stream, l.integer("rows"),
                {l.read<float>(0), l.write<int32_t>(0), l.integer("columns"), l.integer("descending") != 0});
          }};
}

// values and ids (i32): k in each row.
KernelDefinition TopKDefinition() {
  return {.name = "top_k",
          .parameters = {Needed("rows"), Needed("columns"), Needed("k")},
          .reads = Names({"x"}),
          .writes = Names({"values", "ids"}),
          .extents = [](const KernelSpec& s) -> std::vector<Extent> {
            const Expr chosen = 4 * IntegerOf(s, "rows") * IntegerOf(s, "k");
            return {{FloatRows(s)}, {chosen}, {chosen}};
          },
          .fault = [](const KernelSpec& s) -> std::string {
            const Expr &k = IntegerOf(s, "k"), &columns = IntegerOf(s, "columns");
            if (!k.is_constant() || !columns.is_constant()) return "\"k\" and \"columns\" must be constants";
            if (k.constant() <= columns.constant()) return "";
            return absl::StrCat("\"k\" is ", k.constant(), ", \"columns\" only ", columns.constant());
          },
          .launch =
              [](Device& device, StreamHandle stream, const Launch& l) {
                device.Launch<TopKRows>(
                    stream, l.integer("rows"),
                    {l.read<float>(0), l.write<float>(0), l.write<int32_t>(1), l.integer("columns"), l.integer("k")});
              }};
}

}  // namespace

RopeShape RopeShapeOf(const Launch& l) {
  const int64_t head_dim = l.integer("head_dim"), dims = l.integer("dims");
  return {head_dim, dims == 0 ? head_dim : dims, l.real("base"), l.integer("neox") != 0};
}

std::vector<KernelDefinition> RowKernels() {
  return {RmsNormDefinition(),   RopeDefinition(),    SoftmaxDefinition(),
          NormalizeDefinition(), ArgsortDefinition(), TopKDefinition()};
}

}  // namespace bufplan::runtime
