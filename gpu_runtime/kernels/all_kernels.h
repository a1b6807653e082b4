// All kernels of BUFPLAN_FOR_EACH_KERNEL. Devices instantiate each with their own team.
#ifndef BUFPLAN_GPU_RUNTIME_KERNELS_ALL_KERNELS_H_
#define BUFPLAN_GPU_RUNTIME_KERNELS_ALL_KERNELS_H_

#include "gpu_runtime/kernels/attention.h"
#include "gpu_runtime/kernels/delay.h"
#include "gpu_runtime/kernels/elementwise.h"
#include "gpu_runtime/kernels/experts.h"
#include "gpu_runtime/kernels/gather.h"
#include "gpu_runtime/kernels/kernel_id.h"
#include "gpu_runtime/kernels/mix.h"
#include "gpu_runtime/kernels/move.h"
#include "gpu_runtime/kernels/norm.h"
#include "gpu_runtime/kernels/rope.h"
#include "gpu_runtime/kernels/scribble.h"
#include "gpu_runtime/kernels/softmax.h"
#include "gpu_runtime/kernels/sort.h"

#endif  // BUFPLAN_GPU_RUNTIME_KERNELS_ALL_KERNELS_H_
