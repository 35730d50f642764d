// Products by plain loops in one fixed order, the same bits on every machine (--gemm reference).
#include <algorithm>
#include <array>

#include "zerolab/core/simd.hpp"
#include "zerolab/nn/blas.hpp"

namespace zerolab {

namespace {

constexpr int columns = 32, depth = 64;  // of the block of op(B) that is copied at a time
using Block = std::array<float, std::size_t{columns} * depth>;

/// sum[j] += a[p] · b[p][j] for p = 0, 1, … in this order; columns do not depend on one another.
ZEROLAB_SIMD void add_products(const float* a, const float* b, int terms, float* sum) {
  for (int p = 0; p < terms; ++p)
    for (int j = 0; j < columns; ++j) sum[j] += a[p] * b[p * columns + j];
}

/// op(A) or op(B) by row and column.
struct Stored {
  const float* data;
  std::ptrdiff_t row, column;  ///< elements from one row or column to the next

  Stored(const float* stored, int ld, bool transposed)
      : data(stored), row(transposed ? 1 : ld), column(transposed ? ld : 1) {}
  float operator()(int i, int j) const { return data[i * row + j * column]; }
};

/// One block of columns of C, all rows: the terms of p0 … p0 + terms - 1.
void add_block(const GemmCall& call, int j0, int width, int p0, int terms) {
  const Stored a(call.a, call.lda, call.transpose_a), b(call.b, call.ldb, call.transpose_b);
  Block block{};
  for (int p = 0; p < terms; ++p)
    for (int j = 0; j < width; ++j)
      block[static_cast<std::size_t>(p * columns + j)] = b(p0 + p, j0 + j);
  std::array<float, depth> factors;
  std::array<float, columns> sum{};
  for (int i = 0; i < call.m; ++i) {
    for (int p = 0; p < terms; ++p)
      factors[static_cast<std::size_t>(p)] = call.alpha * a(i, p0 + p);
    float* const c = call.c + std::ptrdiff_t{i} * call.ldc + j0;
    std::copy_n(c, width, sum.begin());
    add_products(factors.data(), block.data(), terms, sum.data());
    std::copy_n(sum.begin(), width, c);
  }
}

}  // namespace

void reference_gemm(const GemmCall& call) {
  for (int i = 0; i < call.m; ++i) {
    float* const c = call.c + std::ptrdiff_t{i} * call.ldc;
    for (int j = 0; j < call.n; ++j) c[j] = call.beta == 0 ? 0 : call.beta * c[j];
  }
  for (int j = 0; j < call.n; j += columns)
    for (int p = 0; p < call.k; p += depth)
      add_block(call, j, std::min(columns, call.n - j), p, std::min(depth, call.k - p));
}

}  // namespace zerolab
