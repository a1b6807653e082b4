#include "gpu_runtime/cuda/cublas.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "gpu_runtime/gpu_common/driver_library.h"

#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace bufplan::runtime {

#define BUFPLAN_CUBLAS_FUNCTIONS(DO)     \
  DO(create, cublasCreate)               \
  DO(destroy, cublasDestroy)             \
  DO(status_name, cublasGetStatusName)   \
  DO(status_text, cublasGetStatusString) \
  DO(set_math_mode, cublasSetMathMode)   \
  DO(set_stream, cublasSetStream)        \
  DO(set_workspace, cublasSetWorkspace)  \
  DO(multiply, cublasGemmStridedBatchedEx_64)

class CuBlas::Library {
 public:
  ~Library() {
    if (handle_ != nullptr) (void)destroy.call(handle_);
  }
  absl::Status Open() {
    std::vector<std::string> names = {absl::StrCat("libcublas.so.", CUBLAS_VER_MAJOR)};
    const std::string name = names[0];
    if (const char* home = std::getenv("CUDA_HOME"); home != nullptr) {
      names.push_back(absl::StrCat(home, "/lib64/", name));
    }
    names.push_back(absl::StrCat("/usr/local/cuda/lib64/", name));
    const absl::StatusOr<void*> library = OpenLibrary(names);
    if (!library.ok()) {
      return absl::UnimplementedError(absl::StrCat("Matmul needs cuBLAS: ", library.status().message()));
    }
    absl::Status status;
#define BUFPLAN_BIND(member, function) status.Update(BindFunction(*library, member));
    BUFPLAN_CUBLAS_FUNCTIONS(BUFPLAN_BIND)
#undef BUFPLAN_BIND
    if (status.ok()) status = Call(create, &handle_);
    if (status.ok()) {
      status = Call(set_math_mode, handle_,
                    static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION));
    }
    return status;
  }
  // cuBLAS takes matrices column-major, so what it sees is each of them transposed: c' = b * a', where the rows of b
  // lie as it takes the columns of b'.
  absl::Status Multiply(CUstream stream, std::byte* workspace, const MatmulArgs& m) {
    if (m.rows == 0 || m.columns == 0 || m.batches == 0) return absl::OkStatus();
    const float alpha = 1.0f;
    const bool f32 = m.type == ElementType::kF32;
    const cudaDataType_t type = f32 ? CUDA_R_32F : m.type == ElementType::kF16 ? CUDA_R_16F : CUDA_R_16BF;
    absl::Status status = Call(set_stream, handle_, stream);
    // Setting a stream takes the workspace away.
    status.Update(Call(set_workspace, handle_, static_cast<void*>(workspace), static_cast<size_t>(kWorkspaceBytes)));
    if (!status.ok()) return status;
    return Call(multiply, handle_, CUBLAS_OP_T, CUBLAS_OP_N, m.columns, m.rows, m.inner, &alpha, m.b, type,
                Leading(m.columns, m.inner, m.b_stride), m.b_batch_stride, m.a, type,
                Leading(m.rows, m.inner, m.a_stride), m.a_batch_stride, &m.beta, m.c, CUDA_R_32F,
                Leading(m.rows, m.columns, m.c_stride), m.c_batch_stride, m.batches,
                // Pedantic: f32 is not rounded to TF32, whatever the environment says.
                f32 ? CUBLAS_COMPUTE_32F_PEDANTIC : CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  }

 private:
  // A stride that cuBLAS accepts; that of a single row, or of rows without elements, means nothing.
  static int64_t Leading(int64_t rows, int64_t row_elements, int64_t stride) {
    const int64_t least = std::max<int64_t>(1, row_elements);
    return rows <= 1 || row_elements == 0 ? std::max(least, stride) : stride;
  }
  template <class F, class... Arguments>
  absl::Status Call(const DriverFunction<F>& function, Arguments... arguments) const {
    const cublasStatus_t result = function.call(arguments...);
    if (result == CUBLAS_STATUS_SUCCESS) return absl::OkStatus();
    const absl::StatusCode code =
        result == CUBLAS_STATUS_ALLOC_FAILED ? absl::StatusCode::kResourceExhausted : absl::StatusCode::kInternal;
    return DriverError(code, function.name, status_name.call(result), status_text.call(result));
  }

  BUFPLAN_CUBLAS_FUNCTIONS(BUFPLAN_DECLARE_FUNCTION)
  cublasHandle_t handle_ = nullptr;
};

}  // namespace bufplan::runtime

#else  // The toolkit came without cuBLAS.

namespace bufplan::runtime {

class CuBlas::Library {
 public:
  absl::Status Open() {
    return absl::UnimplementedError("Matmul needs cuBLAS, whose headers were not found when this was built");
  }
  absl::Status Multiply(CUstream, std::byte*, const MatmulArgs&) { return Open(); }
};

}  // namespace bufplan::runtime

#endif

namespace bufplan::runtime {

CuBlas::CuBlas() = default;
CuBlas::~CuBlas() = default;

absl::Status CuBlas::Prepare() {
  if (library_ == nullptr) {
    library_ = std::make_unique<Library>();
    status_ = library_->Open();
  }
  return status_;
}

absl::Status CuBlas::Multiply(CUstream stream, std::byte* workspace, const MatmulArgs& args) {
  return library_->Multiply(stream, workspace, args);
}

}  // namespace bufplan::runtime
