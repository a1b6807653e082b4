#include "examples/decoder/op_author.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gpu_runtime/registry/find_kernel.h"
#include "io/tool/kernel_attrs.h"

namespace bufplan::decoder {

Results OpAuthor::Add(const std::string& name, const std::string& kernel, std::vector<Operand> reads,
                      std::vector<Expr> bytes, runtime::KernelSpec spec, OpOptions options) {
  spec.kernel = kernel;
  std::vector<Result> writes;
  for (size_t i = 0; i < bytes.size(); ++i) {
    writes.push_back({.name = i == 0 ? name + ".y" : absl::StrCat(name, ".y", i), .bytes = bytes[i]});
  }
  for (const runtime::InPlaceRule& r : runtime::InPlaceRulesOf(spec)) {
    const ValueId on = reads[r.read].value;
    const auto once = std::count_if(reads.begin(), reads.end(), [&](const Operand& o) { return o.value == on; });
    if (once == 1) writes[r.write].in_place.emplace_back(on, r.mode);
  }
  options.attrs_json = KernelAttrs(spec, symbols_);
  specs_.emplace_back(std::move(spec));
  return b_.Compute(name, {.reads = std::move(reads), .writes = std::move(writes), .options = std::move(options)});
}

ValueId OpAuthor::AddInto(const std::string& name, const std::string& kernel, std::vector<Operand> reads, ValueId base,
                          Region region, runtime::KernelSpec spec, OpOptions options) {
  spec.kernel = kernel;
  options.attrs_json = KernelAttrs(spec, symbols_);
  specs_.emplace_back(std::move(spec));
  Result result{.name = name + ".y", .bytes = b_.bytes(base), .base = base, .region = std::move(region)};
  return b_.Compute(name, {.reads = std::move(reads), .writes = {std::move(result)}, .options = std::move(options)});
}

ValueId OpAuthor::Moved(ValueId result) {
  specs_.emplace_back();
  return result;
}

}  // namespace bufplan::decoder
