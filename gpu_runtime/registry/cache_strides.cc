#include "gpu_runtime/registry/cache_strides.h"

#include <cstdint>

#include "gpu_runtime/registry/definition_words.h"

namespace bufplan::runtime {

Extent CacheExtent(const KernelSpec& s) {
  const int64_t size = SizeOf(TypeOf(s, "type"));
  const Expr head = IntegerOf(s, "head_dim") * size;
  const bool heads_first = IntegerOf(s, "heads_first") != Expr(0);
  const Expr &heads = IntegerOf(s, "kv_heads"), &length = IntegerOf(s, "length");
  const Expr head_stride = IntegerOr(s, "head_stride", heads_first ? length * head : head);
  const Expr position_stride = IntegerOr(s, "position_stride", heads_first ? head : heads * head);
  return {(heads - 1) * head_stride + (length - 1) * position_stride + head, size};
}

Cache CacheOf(const Launch& l, size_t slot) {
  const bool heads_first = l.integer("heads_first") != 0;
  const int64_t heads = l.integer("kv_heads"), length = l.integer("length");
  const int64_t head = l.integer("head_dim") * SizeOf(l.type("type"));
  Cache cache{l.read<std::byte>(slot), l.integer("head_stride"), l.integer("position_stride")};
  if (cache.head_stride_bytes == 0) cache.head_stride_bytes = heads_first ? length * head : head;
  if (cache.position_stride_bytes == 0) cache.position_stride_bytes = heads_first ? head : heads * head;

  const Operand operand = l.operand(slot);
  int64_t& outer = heads_first ? cache.head_stride_bytes : cache.position_stride_bytes;
  int64_t& inner = heads_first ? cache.position_stride_bytes : cache.head_stride_bytes;
  const int64_t inner_count = heads_first ? length : heads, outer_count = heads_first ? heads : length;
  if (operand.strides.size() >= 2) {
    outer = operand.strides[0];
    inner = operand.strides[1];
  } else if (operand.strides.size() == 1 && (operand.run_bytes == head || inner_count == 1 || outer_count == 1)) {
    // One run for each head of each position, all equally far apart.
    inner = operand.strides[0];
    outer = inner_count * inner;
  } else if (operand.strides.size() == 1) {
    outer = operand.strides[0];  // runs that hold all of what comes second
  }
  return cache;
}

}  // namespace bufplan::runtime
