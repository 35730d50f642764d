#include "zerolab/nn/blas.hpp"

#include <cblas.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "zerolab/core/random.hpp"
#include "zerolab/core/require.hpp"

namespace zerolab {

std::string blas_version() {
  const std::string config = openblas_get_config();  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …"
  const std::size_t first = config.find(' ') + 1;
  return config.substr(first, config.find(' ', first) - first);
}

std::string blas_kernel() {
  return openblas_get_corename();
}
int blas_threads() {
  return openblas_get_num_threads();
}
void set_blas_threads(int threads) {
  openblas_set_num_threads(threads);
}

void openblas_gemm(const GemmCall& call) {
  cblas_sgemm(CblasRowMajor, call.transpose_a ? CblasTrans : CblasNoTrans,
              call.transpose_b ? CblasTrans : CblasNoTrans, call.m, call.n, call.k, call.alpha,
              call.a, call.lda, call.b, call.ldb, call.beta, call.c, call.ldc);
}

void reserve_blas_memory() {
  constexpr std::size_t buffer = std::size_t{128} << 20, a_little_more = std::size_t{1} << 20;
  void* const addresses = mmap(nullptr, buffer + a_little_more, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(addresses != MAP_FAILED, "out of memory: OpenBLAS does not get its {} MiB", buffer >> 20);
  munmap(addresses, buffer + a_little_more);
  constexpr int n = 128;  // past the limit of the path for small products, which needs none
  const std::vector<float> a(n * n);
  std::vector<float> c(n * n);
  openblas_gemm({false, false, n, n, n, 1, a.data(), n, a.data(), n, 0, c.data(), n});
}

Gemm gemm_of(GemmKind kind) {
  return kind == GemmKind::reference ? reference_gemm : openblas_gemm;
}

namespace {

constexpr float untouched = -77.0F;  // lies in the gap between two rows of C
constexpr int gap = 3;

struct Size {
  int m, n, k;
};
// Zero, one, below and above the widths of registers (4, 8, 16), of tiles (64) and of the blocks
// along k (256 to 384); the last is past the limit of OpenBLAS's own path for small products.
constexpr std::array sizes{Size{0, 3, 2},   Size{3, 0, 2},    Size{2, 3, 0},      Size{1, 1, 1},
                           Size{1, 5, 3},   Size{7, 1, 9},    Size{1, 33, 70},    Size{2, 2, 2},
                           Size{3, 5, 7},   Size{4, 16, 8},   Size{8, 8, 16},     Size{13, 17, 5},
                           Size{16, 24, 1}, Size{31, 10, 64}, Size{33, 65, 17},   Size{64, 64, 32},
                           Size{6, 9, 401}, Size{67, 49, 33}, Size{101, 103, 101}};

struct Scale {
  float alpha, beta;
};
constexpr std::array scales{Scale{1, 0}, Scale{1, 1}, Scale{-0.5F, 2}, Scale{0, 1}};

std::vector<float> numbers(std::size_t count, std::uint64_t key) {
  std::vector<float> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = random_symmetric(key, i);
  return result;
}

/// u·terms / (1 - u·terms) with u = 2^-24: the relative error that `terms` roundings can reach.
double gamma(int terms) {
  const double ut = std::ldexp(terms, -24);
  return ut / (1 - ut);
}

std::size_t at(int row, int column, int ld) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(ld) +
         static_cast<std::size_t>(column);
}

/// op(A)·op(B) in double, and the same of the absolute values, m×n each.
struct Exact {
  std::vector<double> sum, magnitude;
};

Exact exact_product(const GemmCall& call) {
  const std::size_t elements = at(call.m, 0, call.n), n = static_cast<std::size_t>(call.n);
  Exact exact{std::vector<double>(elements), std::vector<double>(elements)};
  for (int i = 0; i < call.m; ++i)
    for (int p = 0; p < call.k; ++p) {
      const double a = call.transpose_a ? call.a[at(p, i, call.lda)] : call.a[at(i, p, call.lda)];
      const float* b = call.b + (call.transpose_b ? at(0, p, call.ldb) : at(p, 0, call.ldb));
      const std::size_t step = call.transpose_b ? static_cast<std::size_t>(call.ldb) : 1;
      double* sum = exact.sum.data() + at(i, 0, call.n);
      double* magnitude = exact.magnitude.data() + at(i, 0, call.n);
      for (std::size_t j = 0; j < n; ++j) {
        const double term = a * double{b[j * step]};
        sum[j] += term;
        magnitude[j] += std::abs(term);
      }
    }
  return exact;
}

/// The first element of `call.c` that is out of bounds, as a sentence.
std::string compare(const GemmCall& call, const Exact& exact, const std::vector<float>& before) {
  for (int i = 0; i < call.m; ++i)
    for (int j = 0; j < call.ldc; ++j) {
      const double got = call.c[at(i, j, call.ldc)];
      double want = double{untouched}, bound = 0;
      if (j < call.n) {  // with beta = 0, C is not read and may hold anything
        const double old = call.beta == 0 ? 0 : double{call.beta} * before[at(i, j, call.ldc)];
        want = double{call.alpha} * exact.sum[at(i, j, call.n)] + old;
        // k products and their sum, alpha, beta, one addition; one more for the double's roundings.
        bound = gamma(call.k + 4) *
                (std::abs(double{call.alpha}) * exact.magnitude[at(i, j, call.n)] + std::abs(old));
      }
      if (std::abs(got - want) <= bound) continue;  // false for NaN as well
      return fmt::format(
          "sgemm {}{} with m={} n={} k={} alpha={} beta={}: element ({},{}) is {}, right is {} "
          "within {:.1e}",
          call.transpose_a ? 'T' : 'N', call.transpose_b ? 'T' : 'N', call.m, call.n, call.k,
          call.alpha, call.beta, i, j, got, want, bound);
    }
  return {};
}

std::string check(Gemm gemm, Size size, bool transpose_a, bool transpose_b) {
  const auto [m, n, k] = size;
  // Rows are longer than needed, so that a kernel which mixes up width and stride is found out.
  const int lda = (transpose_a ? m : k) + 1, ldb = (transpose_b ? k : n) + 2, ldc = n + gap;
  const std::vector<float> a = numbers(at(transpose_a ? k : m, 0, lda), 1);
  const std::vector<float> b = numbers(at(transpose_b ? n : k, 0, ldb), 2);
  GemmCall call{transpose_a, transpose_b, m,   n, k,       1,  a.data(),
                lda,         b.data(),    ldb, 0, nullptr, ldc};
  const Exact exact = exact_product(call);
  for (const Scale scale : scales) {
    std::vector<float> before = numbers(at(m, 0, ldc), 3);
    if (scale.beta == 0)
      std::fill(before.begin(), before.end(), std::numeric_limits<float>::quiet_NaN());
    for (int i = 0; i < m; ++i) std::fill_n(&before[at(i, n, ldc)], gap, untouched);
    std::vector<float> c = before;
    call.alpha = scale.alpha;
    call.beta = scale.beta;
    call.c = c.data();
    gemm(call);
    if (std::string fault = compare(call, exact, before); !fault.empty()) return fault;
  }
  return {};
}

}  // namespace

std::string gemm_fault(Gemm gemm) {
  struct Transposes {
    bool a, b;
  };
  for (const Size size : sizes)
    for (const auto [a, b] : {Transposes{false, false}, {false, true}, {true, false}})
      if (std::string fault = check(gemm, size, a, b); !fault.empty()) return fault;
  return {};
}

}  // namespace zerolab
