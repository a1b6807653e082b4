// All kernels of BUFPLAN_FOR_EACH_KERNEL. Devices instantiate each with their own team.
#ifndef BUFPLAN_GPU_RUNTIME_KERNELS_ALL_KERNELS_H_
#define BUFPLAN_GPU_RUNTIME_KERNELS_ALL_KERNELS_H_

#include "gpu_runtime/kernels/delay.h"
#include "gpu_runtime/kernels/kernel_id.h"
#include "gpu_runtime/kernels/mix.h"
#include "gpu_runtime/kernels/move.h"
#include "gpu_runtime/kernels/scribble.h"

#endif  // BUFPLAN_GPU_RUNTIME_KERNELS_ALL_KERNELS_H_
