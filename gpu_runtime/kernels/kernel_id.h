// The kernels that every device has, by number.
#ifndef BUFPLAN_GPU_RUNTIME_KERNELS_KERNEL_ID_H_
#define BUFPLAN_GPU_RUNTIME_KERNELS_KERNEL_ID_H_

#include <cstddef>
#include <cstdint>

namespace bufplan::runtime {

// The list itself; kernels/all_kernels.h includes the headers that define a type of each name.
#define BUFPLAN_FOR_EACH_KERNEL(DO) \
  DO(Delay)                         \
  DO(HashBoxes)                     \
  DO(MixBoxes)                      \
  DO(MoveBoxes)                     \
  DO(ScribbleBoxes)                 \
  DO(VerifyBoxes)                   \
  DO(CompareBoxes)                  \
  DO(AddRows)                       \
  DO(MulRows)                       \
  DO(Silu)                          \
  DO(SiluMul)                       \
  DO(AddChain)                      \
  DO(ScaleRows)                     \
  DO(ConvertRows)                   \
  DO(Rope)                          \
  DO(RopeConvert)                   \
  DO(RmsNorm)                       \
  DO(FusedRmsNorm)                  \
  DO(SoftmaxRows)                   \
  DO(NormalizeRows)                 \
  DO(ArgsortRows)                   \
  DO(TopKRows)                      \
  DO(TopKMoe)                       \
  DO(Attention)                     \
  DO(ExpertMatmul)                  \
  DO(SumGroups)                     \
  DO(GetRows)                       \
  DO(Im2Col)

enum class KernelId : uint16_t {
#define BUFPLAN_KERNEL_ID(name) k##name,
  BUFPLAN_FOR_EACH_KERNEL(BUFPLAN_KERNEL_ID)
#undef BUFPLAN_KERNEL_ID
};

inline constexpr size_t kNumKernels = 0
#define BUFPLAN_COUNT_KERNEL(name) +1
    BUFPLAN_FOR_EACH_KERNEL(BUFPLAN_COUNT_KERNEL)
#undef BUFPLAN_COUNT_KERNEL
    ;

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_KERNELS_KERNEL_ID_H_
