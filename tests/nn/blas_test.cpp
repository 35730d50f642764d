#include "zerolab/nn/blas.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zerolab {
namespace {

float& c_at(const GemmCall& call, int i, int j) {
  return call.c[i * call.ldc + j];
}

/// A product by plain loops in fp32, the sum over k backwards: another order, within the bound.
void plain_gemm(const GemmCall& call) {
  for (int i = 0; i < call.m; ++i)
    for (int j = 0; j < call.n; ++j) {
      float sum = 0;
      for (int p = call.k - 1; p >= 0; --p)
        sum += (call.transpose_a ? call.a[p * call.lda + i] : call.a[i * call.lda + p]) *
               (call.transpose_b ? call.b[j * call.ldb + p] : call.b[p * call.ldb + j]);
      const float before = call.beta == 0 ? 0 : call.beta * c_at(call, i, j);
      c_at(call, i, j) = call.alpha * sum + before;
    }
}

TEST(Blas, NamesItself) {
  EXPECT_FALSE(blas_kernel().empty());
  EXPECT_NE(blas_version().find('.'), std::string::npos) << blas_version();
}

TEST(Blas, ThreadsAreSet) {
  const int before = blas_threads();
  set_blas_threads(1);
  EXPECT_EQ(blas_threads(), 1);
  set_blas_threads(before);
}

TEST(GemmFault, OpenBlasIsRight) {
  EXPECT_EQ(gemm_fault(), "");
}

TEST(GemmFault, AnyOrderOfAdditionIsRight) {
  EXPECT_EQ(gemm_fault(plain_gemm), "");
}

// From here on the product is wrong, each time in the way of one fault that kernels have had.

TEST(GemmFault, FindsOneWrongElement) {
  const std::string fault = gemm_fault([](const GemmCall& call) {
    plain_gemm(call);
    if (call.m == 33) c_at(call, 32, 64) += 1e-3F;
  });
  EXPECT_NE(fault.find("m=33"), std::string::npos) << fault;
  EXPECT_NE(fault.find("(32,64)"), std::string::npos) << fault;
}

TEST(GemmFault, FindsADroppedTail) {
  EXPECT_NE(gemm_fault([](const GemmCall& call) {
              GemmCall shorter = call;
              if (call.k > 384) shorter.k = 384;
              plain_gemm(shorter);
            }),
            "");
}

TEST(GemmFault, FindsATranspositionThatIsIgnored) {
  EXPECT_NE(gemm_fault([](const GemmCall& call) {
              GemmCall other = call;
              if (call.m == call.k) other.transpose_a = false;
              plain_gemm(other);
            }),
            "");
}

TEST(GemmFault, FindsBetaZeroThatReadsC) {
  const std::string fault = gemm_fault([](const GemmCall& call) {
    for (int i = 0; i < call.m; ++i)
      for (int j = 0; j < call.n; ++j) c_at(call, i, j) *= call.beta;  // NaN · 0 is NaN
    GemmCall added = call;
    added.beta = 1;
    plain_gemm(added);
  });
  EXPECT_NE(fault.find("nan"), std::string::npos) << fault;
}

TEST(GemmFault, FindsEmptySumsThatLeaveC) {
  const std::string fault = gemm_fault([](const GemmCall& call) {
    if (call.k > 0) plain_gemm(call);  // k = 0 still means C := beta·C
  });
  EXPECT_NE(fault.find("k=0"), std::string::npos) << fault;
}

TEST(GemmFault, FindsAWriteBesideTheRow) {
  EXPECT_NE(gemm_fault([](const GemmCall& call) {
              plain_gemm(call);
              if (call.m == 13) c_at(call, 12, call.n) = 0;
            }),
            "");
}

TEST(GemmFault, FindsProductsRoundedToHalfTheBits) {
  const std::string fault = gemm_fault([](const GemmCall& call) {
    plain_gemm(call);
    for (int i = 0; i < call.m; ++i)
      for (int j = 0; j < call.n; ++j) c_at(call, i, j) *= 1 + 0x1p-12F;
  });
  EXPECT_NE(fault, "");
}

}  // namespace
}  // namespace zerolab
