#include "benchmarks/baselines/baselines.h"

#include <array>

namespace bufplan {

absl::Span<const Baseline> Baselines() {
  static constexpr std::array<Baseline, 12> kBaselines = {{{"naive sum", NaiveSum, true},
                                                           {"first fit by start", FirstFitByStart},
                                                           {"ggml", GgmlFreeList, true},
                                                           {"tflite by size", TfliteBySize},
                                                           {"tflite by breadth", TfliteByBreadth},
                                                           {"tflm greedy", TflmGreedy},
                                                           {"usmp by size", UsmpBySize},
                                                           {"usmp by conflicts", UsmpByConflicts},
                                                           {"usmp hill climb", UsmpHillClimb},
                                                           {"xla spatial", XlaSpatial},
                                                           {"xla temporal", XlaTemporal},
                                                           {"executorch", ExecutorchGreedy}}};
  return kBaselines;
}

}  // namespace bufplan
