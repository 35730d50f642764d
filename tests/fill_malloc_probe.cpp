// Prints what new memory holds, one byte for each way to get it; tests/program/malloc_fill.sh looks
// at it.
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t bytes = 1000;

void show(const char* from, const void* memory, std::size_t at = bytes - 1) {
  const void* const volatile somewhere = memory;  // not where the compiler knows of nothing written
  std::printf("%s %02x\n", from, static_cast<const unsigned char*>(somewhere)[at]);
}

}  // namespace

int main() {
  void* placed = nullptr;
  show("malloc", std::malloc(bytes));
  show("calloc", std::calloc(bytes, 1));
  show("aligned_alloc", std::aligned_alloc(64, 1024));
  show("memalign", memalign(64, bytes));
  show("posix_memalign", posix_memalign(&placed, 64, bytes) == 0 ? placed : nullptr);
  show("new", ::operator new(bytes));
  show("aligned_new", ::operator new (bytes, std::align_val_t{64}));
  // What was written stays, what is new is filled; moved and large.
  auto* grown = static_cast<unsigned char*>(std::malloc(bytes));
  for (std::size_t i = 0; i < bytes; ++i) grown[i] = 0x42;
  grown = static_cast<unsigned char*>(std::realloc(grown, 1000 * bytes));
  show("kept", grown);
  show("grown", grown, 1000 * bytes - 1);
}
