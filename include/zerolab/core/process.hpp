#pragma once

#include <cstddef>
#include <string_view>

namespace zerolab {

/// Largest resident size this process has had, in bytes, as the system reports it.
std::size_t peak_resident_bytes();

/// getrusage's ru_maxrss in bytes: kilobytes on Linux and the BSDs, bytes on macOS.
constexpr std::size_t max_rss_to_bytes(std::size_t ru_maxrss, bool macos) {
  return macos ? ru_maxrss : ru_maxrss * 1024;
}

/// Starts the peak anew at the present size; false where the system cannot (all but Linux).
bool reset_peak_resident();

/// "zerolab: WHAT" as a line of standard error. Where nobody can read that, nothing happens: what
/// is wrong, or only odd, is no other for it.
void complain(std::string_view what);

}  // namespace zerolab
