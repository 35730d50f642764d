#pragma once

#include <string>

// Products, by OpenBLAS or by plain loops; what the linked OpenBLAS is and whether its products are
// right. It picks a kernel, the machine code of its inner loops, when the library loads;
// OPENBLAS_CORETYPE overrides its choice.

namespace zerolab {

std::string blas_version();  ///< such as "0.3.21"
std::string
blas_kernel();  ///< such as "SkylakeX"; "Prescott" is the 2004 one it takes when in doubt

/// Threads a product may use. Equal bits need the same number everywhere; zerolab's default is 1.
int blas_threads();
void set_blas_threads(int threads);

/// A product: C (m×n) := alpha·op(A)·op(B) + beta·C, row-major, op(A) m×k, op(B) k×n, with
/// ld… the elements from one stored row to the next, as cblas_sgemm has them.
struct GemmCall {
  bool transpose_a, transpose_b;
  int m, n, k;
  float alpha;
  const float* a;
  int lda;
  const float* b;
  int ldb;
  float beta;
  float* c;
  int ldc;
};
using Gemm = void (*)(const GemmCall& call);

void openblas_gemm(const GemmCall& call);  ///< cblas_sgemm
/// Each element is beta·C, then + (alpha·a)·b for k = 0, 1, … in this order, each operation rounded
/// to fp32: the same bits on every machine, and wherever k is cut in calls with beta = 1.
void reference_gemm(const GemmCall& call);

/// Has OpenBLAS take its work memory, 128 MiB of addresses, which it keeps. Throws Error where
/// there is none: OpenBLAS itself would ask for it again and again, for ever.
void reserve_blas_memory();

/// Who makes the products of a job.
enum class GemmKind { openblas, reference };
Gemm gemm_of(GemmKind kind);

/// Compares products with plain loops in double: sizes from 0 and 1 over odd ones to beyond a
/// kernel's blocks, plain and transposed, several alpha and beta. The bound holds for any order of
/// the additions (Higham, Accuracy and Stability, 3.1). Empty when all is right, else the first
/// fault in one sentence. About 20 ms.
std::string gemm_fault(Gemm gemm = openblas_gemm);

}  // namespace zerolab
