// kernels.cu as the driver loads it: machine code for some kinds of devices, and text that it compiles for newer ones.
#ifndef BUFPLAN_GPU_RUNTIME_CUDA_KERNELS_IMAGE_H_
#define BUFPLAN_GPU_RUNTIME_CUDA_KERNELS_IMAGE_H_

extern "C" const unsigned char kCudaKernels[];

#endif  // BUFPLAN_GPU_RUNTIME_CUDA_KERNELS_IMAGE_H_
