// src/startup.cpp with a pretended BLAS, which takes an old kernel unless OPENBLAS_CORETYPE is set
// and is wrong in any other when PRETEND_FAULT is set. tests/startup_test.sh looks at what becomes
// of it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "startup.hpp"
#include "zerolab/nn/blas.hpp"

namespace zerolab {

static int threads = 8;

std::string blas_version() {
  return "0.0";
}
std::string blas_kernel() {
  const char* chosen = std::getenv("OPENBLAS_CORETYPE");
  return chosen ? chosen : "Prescott";
}
int blas_threads() {
  const char* asked = std::getenv("OPENBLAS_NUM_THREADS");
  return asked ? std::min(threads, std::atoi(asked)) : threads;
}
void set_blas_threads(int wanted) {
  threads = wanted;
}
void openblas_gemm(const GemmCall&) {}
std::string gemm_fault(Gemm) {
  return std::getenv("PRETEND_FAULT") && blas_kernel() != "Prescott" ? "wrong on purpose" : "";
}

}  // namespace zerolab

int main(int argc, char** argv) {
  zerolab::prepare_process(argc, argv);
  std::printf("%s; threads %d", zerolab::blas_kernel_note().c_str(), zerolab::blas_threads());
  for (int i = 1; i < argc; ++i) std::printf(" [%s]", argv[i]);
  std::printf("\n%s\n", zerolab::blas_thread_warning().c_str());
}
