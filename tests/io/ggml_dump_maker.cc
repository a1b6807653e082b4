#include "tests/io/ggml_dump_maker.h"

#include <utility>

namespace bufplan {
namespace {

int32_t Add(GgmlDump& dump, std::string op, std::string name, GgmlBuffer buffer, int64_t nbytes) {
  GgmlTensor t;
  t.id = static_cast<int64_t>(dump.tensors.size());
  t.op = std::move(op);
  t.name = std::move(name);
  t.dtype = "f32";
  t.ne = {nbytes / 4, 1, 1, 1};
  t.nb = {4, nbytes, nbytes, nbytes};
  t.nbytes = nbytes;
  t.buffer = buffer;
  dump.tensors.push_back(std::move(t));
  return static_cast<int32_t>(dump.tensors.size()) - 1;
}

}  // namespace

DumpMaker::DumpMaker() {
  dump.name = "mini";
  dump.alignment_bytes = 128;
}

int32_t DumpMaker::AddLeaf(std::string name, GgmlBuffer buffer, int64_t nbytes) {
  ++dump.num_leafs;
  return Add(dump, "NONE", std::move(name), buffer, nbytes);
}

int32_t DumpMaker::AddNode(std::string op, std::string name, int64_t nbytes, std::vector<int32_t> src) {
  const int32_t i = Add(dump, std::move(op), std::move(name), GgmlBuffer::kCompute, nbytes);
  at(i).src = std::move(src);
  at(i).step = i - static_cast<int64_t>(dump.num_leafs);
  return i;
}

int32_t DumpMaker::AddView(std::string op, std::string name, int32_t root, int64_t offs, int64_t nbytes,
                           std::vector<int32_t> src) {
  const int32_t i = AddNode(std::move(op), std::move(name), nbytes, std::move(src));
  at(i).view_src = root;
  at(i).view_offs = offs;
  at(i).buffer = at(root).buffer;
  return i;
}

void DumpMaker::AddRegion(GgmlRegionKind kind, int32_t until, std::vector<int32_t> keep, std::vector<int32_t> elide) {
  dump.regions.push_back({kind, until, std::move(keep), std::move(elide)});
}

}  // namespace bufplan
