// The reference product: right, and each element the sum in one order whatever the blocks, the
// transposes and the cuts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "zerolab/core/random.hpp"
#include "zerolab/nn/blas.hpp"

namespace zerolab {
namespace {

using Floats = std::vector<float>;

/// Of very different sizes, so that another order of addition shows.
Floats numbers(int count, std::uint64_t key) {
  Floats values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = random_symmetric(key, i) * (i % 3 == 0 ? 0x1p9F : 1.0F);
  }
  return values;
}

bool same_bits(const Floats& a, const Floats& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

struct Product {
  int m, n, k;
  Floats a = numbers(m * k, 1), b = numbers(k * n, 2), c = numbers(m * n, 3);

  GemmCall call(float beta) {
    return {false, false, m, n, k, 1, a.data(), k, b.data(), n, beta, c.data(), n};
  }
  /// c + the terms with k = 0, 1, … in this order.
  Floats in_order(float beta) const {
    Floats result = c;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        float& sum = result[static_cast<std::size_t>(i * n + j)];
        sum = beta == 0 ? 0 : beta * sum;
        for (int p = 0; p < k; ++p) {
          const float term =
              a[static_cast<std::size_t>(i * k + p)] * b[static_cast<std::size_t>(p * n + j)];
          sum += term;
        }
      }
    return result;
  }
};

std::vector<Product> products() {
  return {{1, 1, 1}, {2, 3, 0}, {3, 31, 63}, {5, 32, 64}, {4, 33, 65}, {7, 100, 200}, {1, 10, 300}};
}

TEST(ReferenceGemm, IsRight) {
  EXPECT_EQ(gemm_fault(reference_gemm), "");
}

TEST(ReferenceGemm, AddsInAscendingOrder) {
  for (Product& product : products()) {
    for (const float beta : {0.0F, 1.0F, -0.5F}) {
      Product mine = product;
      const Floats wanted = mine.in_order(beta);
      reference_gemm(mine.call(beta));
      EXPECT_TRUE(same_bits(mine.c, wanted)) << mine.m << ' ' << mine.n << ' ' << mine.k;
    }
  }
}

TEST(ReferenceGemm, TransposedHasTheSameBits) {
  for (Product& product : products()) {
    const Floats wanted = product.in_order(0);
    Floats a_columns(product.a.size()), b_columns(product.b.size());
    for (std::size_t i = 0; i < product.a.size(); ++i) {
      const auto k = static_cast<std::size_t>(product.k), m = static_cast<std::size_t>(product.m);
      a_columns[i % k * m + i / k] = product.a[i];
    }
    for (std::size_t i = 0; i < product.b.size(); ++i) {
      const auto k = static_cast<std::size_t>(product.k), n = static_cast<std::size_t>(product.n);
      b_columns[i % n * k + i / n] = product.b[i];
    }
    for (const bool first : {true, false}) {
      GemmCall call = product.call(0);
      if (first) {
        call.transpose_a = true;
        call.a = a_columns.data();
        call.lda = product.m;
      } else {
        call.transpose_b = true;
        call.b = b_columns.data();
        call.ldb = std::max(product.k, 1);
      }
      reference_gemm(call);
      EXPECT_TRUE(same_bits(product.c, wanted)) << product.m << ' ' << product.n << ' ' << first;
    }
  }
}

// Two calls, the second with beta = 1, are one, wherever k is cut.
TEST(ReferenceGemm, CutsDoNotShow) {
  for (int cut = 0; cut <= 130; cut += 13) {
    Product product{3, 40, 130};
    const Floats wanted = product.in_order(0);
    GemmCall first = product.call(0), second = product.call(1);
    first.k = cut;
    second.k -= cut;
    second.a += cut;
    second.b += static_cast<std::ptrdiff_t>(cut) * product.n;
    reference_gemm(first);
    reference_gemm(second);
    EXPECT_TRUE(same_bits(product.c, wanted)) << cut;
  }
}

// With beta = 0 what was in C does not count, NaN included.
TEST(ReferenceGemm, OldContentsDoNotCount) {
  Product product{2, 3, 4};
  const Floats wanted = product.in_order(0);
  std::fill(product.c.begin(), product.c.end(), std::numeric_limits<float>::quiet_NaN());
  reference_gemm(product.call(0));
  EXPECT_TRUE(same_bits(product.c, wanted));
}

}  // namespace
}  // namespace zerolab
