#include "gpu_runtime/registry/elementwise_definitions.h"

#include <cstdint>

#include "gpu_runtime/kernels/elementwise.h"
#include "gpu_runtime/registry/definition_words.h"
#include "gpu_runtime/registry/launch.h"

namespace bufplan::runtime {
namespace {

std::vector<Extent> BinaryExtents(const KernelSpec& s) {
  const Expr repeated = 4 * IntegerOr(s, "b_rows", IntegerOf(s, "rows")) * IntegerOf(s, "columns");
  return {{FloatRows(s)}, {repeated}, {FloatRows(s)}};
}
std::vector<InPlaceRule> BinaryInPlace(const KernelSpec& s) {
  if (IntegerOr(s, "b_rows", IntegerOf(s, "rows")) == IntegerOf(s, "rows")) return {{0, 0}, {0, 1}};
  return {{0, 0}};
}

template <class Kernel>
void LaunchBinary(Device& device, StreamHandle stream, const Launch& l) {
  const int64_t columns = l.integer("columns"), count = l.integer("rows") * columns, b_rows = l.integer("b_rows");
  device.Launch<Kernel>(
      stream, ItemsOf(count),
      {l.read<float>(0), l.read<float>(1), l.write<float>(0), count, b_rows == 0 ? count : b_rows * columns});
}

// y = a op b; b has b_rows rows (0: as many as a), which are repeated.
template <class Kernel>
KernelDefinition Binary(absl::string_view name) {
  return {.name = name,
          .parameters = {Needed("rows"), Needed("columns"), Optional("b_rows", 0)},
          .reads = Names({"a", "b"}),
          .writes = Names({"y"}),
          .extents = BinaryExtents,
          .in_place = BinaryInPlace,
          .launch = LaunchBinary<Kernel>};
}

KernelDefinition SiluDefinition() {
  return {.name = "silu",
          .parameters = {Needed("rows"), Needed("columns")},
          .reads = Names({"x"}),
          .writes = Names({"y"}),
          .extents = [](const KernelSpec& s) -> std::vector<Extent> {
            return {{FloatRows(s)}, {FloatRows(s)}};
          },
          .in_place = [](const KernelSpec&) -> std::vector<InPlaceRule> {
            return {{0, 0}};
          },
          .launch =
              [](Device& device, StreamHandle stream, const Launch& l) {
                const int64_t count = l.integer("rows") * l.integer("columns");
                device.Launch<Silu>(stream, ItemsOf(count), {l.read<float>(0), l.write<float>(0), count});
              }};
}

KernelDefinition ScaleRowsDefinition() {
  return {.name = "scale_rows",
          .parameters = {Needed("rows"), Needed("columns")},
          .reads = Names({"x", "factors"}),
          .writes = Names({"y"}),
          .extents = [](const KernelSpec& s) -> std::vector<Extent> {
            return {{FloatRows(s)}, {4 * IntegerOf(s, "rows")}, {FloatRows(s)}};
          },
          .in_place = [](const KernelSpec&) -> std::vector<InPlaceRule> {
            return {{0, 0}};
          },
          .launch =
              [](Device& device, StreamHandle stream, const Launch& l) {
                const int64_t rows = l.integer("rows"), columns = l.integer("columns");
                device.Launch<ScaleRows>(stream, ItemsOf(rows * columns),
                                         {l.read<float>(0), l.read<float>(1), l.write<float>(0), rows, columns});
              }};
}

Expr ConvertStride(const KernelSpec& s, absl::string_view stride, absl::string_view type) {
  return IntegerOr(s, stride, IntegerOf(s, "columns") * SizeOf(TypeOf(s, type)));
}
Extent ConvertExtent(const KernelSpec& s, absl::string_view stride, absl::string_view type) {
  const int64_t size = SizeOf(TypeOf(s, type));
  return {(IntegerOf(s, "rows") - 1) * ConvertStride(s, stride, type) + IntegerOf(s, "columns") * size, size};
}

// Rows begin every x_stride and y_stride bytes; 0: one after the other.
KernelDefinition ConvertDefinition() {
  return {.name = "convert",
          .parameters = {Needed("rows"), Needed("columns"), Optional("x_stride", 0), Optional("y_stride", 0),
                         Type("x_type"), Type("y_type")},
          .reads = Names({"x"}),
          .writes = Names({"y"}),
          .extents = [](const KernelSpec& s) -> std::vector<Extent> {
            return {ConvertExtent(s, "x_stride", "x_type"), ConvertExtent(s, "y_stride", "y_type")};
          },
          .fault = [](const KernelSpec& s) -> std::string {
            for (absl::string_view side : {"x", "y"}) {
              const std::string stride = absl::StrCat(side, "_stride"), type = absl::StrCat(side, "_type");
              const Expr& e = IntegerOf(s, stride);
              const int64_t size = SizeOf(TypeOf(s, type));
              if (!e.is_constant() || e.constant() % size != 0) {
                return absl::StrCat("\"", stride, "\" is no constant multiple of ", size);
              }
              const Expr& columns = IntegerOf(s, "columns");
              if (e.constant() != 0 && columns.is_constant() && e.constant() < columns.constant() * size) {
                return absl::StrCat("\"", stride, "\" is ", e.constant(), " bytes, a row has ",
                                    columns.constant() * size);
              }
            }
            return "";
          },
          .in_place = [](const KernelSpec& s) -> std::vector<InPlaceRule> {
            const bool same_places = SizeOf(TypeOf(s, "x_type")) == SizeOf(TypeOf(s, "y_type")) &&
                                     ConvertStride(s, "x_stride", "x_type") == ConvertStride(s, "y_stride", "y_type");
            return same_places ? std::vector<InPlaceRule>{{0, 0}} : std::vector<InPlaceRule>{};
          },
          .launch =
              [](Device& device, StreamHandle stream, const Launch& l) {
                const int64_t rows = l.integer("rows"), columns = l.integer("columns");
                const int64_t x_stride = l.integer("x_stride"), y_stride = l.integer("y_stride");
                const ElementType x_type = l.type("x_type"), y_type = l.type("y_type");
                device.Launch<ConvertRows>(stream, ItemsOf(rows * columns),
                                           {l.read<std::byte>(0), l.write<std::byte>(0), rows, columns,
                                            x_stride != 0 ? x_stride : columns * SizeOf(x_type),
                                            y_stride != 0 ? y_stride : columns * SizeOf(y_type), x_type, y_type});
              }};
}

}  // namespace

std::vector<KernelDefinition> ElementwiseKernels() {
  return {Binary<AddRows>("add"), Binary<MulRows>("mul"), SiluDefinition(), ScaleRowsDefinition(), ConvertDefinition()};
}

}  // namespace bufplan::runtime
