#include "zerolab/core/process.hpp"

#include <sys/resource.h>

#ifdef __linux__
#include <malloc.h>
#endif

#include <cstdio>
#include <fstream>
#include <string>

namespace zerolab {

std::size_t peak_resident_bytes() {
  // Not ru_maxrss where there is a choice: Linux counts in it what the process was before exec, so
  // a large launcher would show up as ours.
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::size_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
  constexpr bool macos = true;
#else
  constexpr bool macos = false;
#endif
  return max_rss_to_bytes(static_cast<std::size_t>(usage.ru_maxrss), macos);
}

bool reset_peak_resident() {
#ifdef __GLIBC__
  malloc_trim(0);  // what was freed is not to count again
#endif
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;  // proc(5): reset the peak resident set size
  return file.good();
}

void complain(std::string_view what) {
  const std::string line = "zerolab: " + std::string(what) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

}  // namespace zerolab
