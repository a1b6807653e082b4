// kernels.hip as the driver loads it: machine code for some kinds of devices.
#ifndef BUFPLAN_GPU_RUNTIME_HIP_KERNELS_IMAGE_H_
#define BUFPLAN_GPU_RUNTIME_HIP_KERNELS_IMAGE_H_

extern "C" const unsigned char kHipKernels[];

#endif  // BUFPLAN_GPU_RUNTIME_HIP_KERNELS_IMAGE_H_
