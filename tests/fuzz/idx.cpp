// IDX files as they are. The first two bytes of the input say where it is cut in two.
#include "idx_pair.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Pair pair(std::string_view(reinterpret_cast<const char*>(bytes), size));
  for (const std::string_view file : {pair.images, pair.labels}) {
    if (file.starts_with("\x1F\x8B")) return 0;  // belongs to gz
  }
  const MemoryFile images(pair.images), labels(pair.labels);
  check_pair(images, labels, pair.images, pair.labels, true);
  return 0;
}
