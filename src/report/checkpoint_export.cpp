// A checkpoint's states as NumPy files.
#include <filesystem>

#include "checkpoint_states.hpp"
#include "zerolab/report/summary.hpp"

namespace zerolab {

namespace {

/// The first bytes of a .npy file, format 1.0, of fp32 numbers in row-major order; as long as a
/// multiple of 64.
std::string npy_head(const std::string& shape) {
  constexpr std::size_t before = 10;  // magic, version, length
  std::string text =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}", shape);
  text.append(63 - (before + text.size()) % 64, ' ');
  text += '\n';
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(text.size() & 0xFFU);
  head += static_cast<char>(text.size() >> 8U);
  return head + text;
}

}  // namespace

std::vector<std::string> export_states(const OpenCheckpoint& checkpoint,
                                       const std::string& folder) {
  std::error_code fault;
  std::filesystem::create_directories(folder, fault);
  require(!fault, "{}: {}", folder, fault.message());
  // Nothing of another export shall stand beside this one.
  const bool empty = std::filesystem::is_empty(folder, fault);
  require(!fault, "{}: {}", folder, fault.message());
  require(empty, "{}: is not empty; export into a new folder", folder);
  std::vector<std::string> files;
  const auto write = [&](SavedState state, std::size_t unit, const char* part, std::size_t first,
                         std::size_t count, const std::string& shape) {
    files.push_back(fmt::format("{}.{}.{}.npy", name(state), unit, part));
    std::string text = npy_head(shape);
    checkpoint.file.read(state, first, count, [&](std::span<const float> values, std::size_t) {
      text.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    });
    write_file(std::filesystem::path(folder) / files.back(), text);
  };
  const NetworkShape& shape = checkpoint.shape;
  for (const SavedState state : checkpoint.file.head().states) {
    for (std::size_t l = 0; l < shape.units(); ++l) {
      const std::size_t weights = shape.in(l)*shape.out(l), first = shape.first(l);
      write(state, l, "weights", first, weights, fmt::format("{}, {}", shape.out(l), shape.in(l)));
      write(state, l, "biases", first + weights, shape.out(l), fmt::format("{},", shape.out(l)));
    }
  }
  write_file(std::filesystem::path(folder) / "checkpoint.json",
             checkpoint.file.head().description + "\n");
  return files;
}

}  // namespace zerolab
