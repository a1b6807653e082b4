#include "gpu_runtime/host/command_list.h"

#include "gpu_runtime/host/host_matmul.h"

namespace bufplan::runtime {

void RunCommand(const Command& c, const CommandList& list) {
  switch (c.kind) {
    case CommandKind::kKernel: c.kernel(list.arguments(c), c.amount); break;
    // Broken plans may copy bytes onto themselves: any content is right then, but not any behaviour.
    case CommandKind::kCopy: std::memmove(c.to, c.from, static_cast<size_t>(c.amount)); break;
    case CommandKind::kFill: std::memset(c.to, c.byte, static_cast<size_t>(c.amount)); break;
    case CommandKind::kMatmul: HostMatmul(*static_cast<const MatmulArgs*>(list.arguments(c))); break;
    case CommandKind::kFunction: list.function(c)(); break;
    case CommandKind::kRecord:
    case CommandKind::kWait:
    case CommandKind::kReplay: break;
  }
}

}  // namespace bufplan::runtime
