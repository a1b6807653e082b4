// A dump of a ggml graph in the making: leafs first, then nodes. Tensors are f32 in one row.
#ifndef BUFPLAN_TESTS_IO_GGML_DUMP_MAKER_H_
#define BUFPLAN_TESTS_IO_GGML_DUMP_MAKER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/ggml_dump.h"

namespace bufplan {

struct DumpMaker {
  GgmlDump dump;

  DumpMaker();
  // Each gives the index of the new tensor.
  int32_t AddLeaf(std::string name, GgmlBuffer buffer, int64_t nbytes);
  int32_t AddNode(std::string op, std::string name, int64_t nbytes, std::vector<int32_t> src);
  int32_t AddView(std::string op, std::string name, int32_t root, int64_t offs, int64_t nbytes,
                  std::vector<int32_t> src);
  void AddRegion(GgmlRegionKind kind, int32_t until, std::vector<int32_t> keep, std::vector<int32_t> elide);
  GgmlTensor& at(int32_t i) { return dump.tensors[static_cast<size_t>(i)]; }
};

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_IO_GGML_DUMP_MAKER_H_
