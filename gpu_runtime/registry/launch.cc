#include "gpu_runtime/registry/launch.h"

namespace bufplan::runtime {

// Binding has shown that every integer has a value for all symbol values.
int64_t Launch::integer(absl::string_view name) const {
  const Expr& e = op_.spec.integers.find(name)->second;
  return e.is_constant() ? e.constant() : e.Evaluate(site_.symbol_values()).value_or(0);
}

std::byte* Launch::ReadBytes(size_t slot) const {
  if (slot >= op_.num_reads) return nullptr;
  std::byte* data = site_.read(member_, slot).data;
  return data == nullptr ? nullptr : data + integer(op_.definition->reads[slot].offset);
}

std::byte* Launch::WriteBytes(size_t slot) const {
  std::byte* data = site_.write(member_, slot).data;
  return data == nullptr ? nullptr : data + integer(op_.definition->writes[slot].offset);
}

}  // namespace bufplan::runtime
