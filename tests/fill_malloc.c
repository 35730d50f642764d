// Loaded before a program (LD_PRELOAD): memory that is handed out holds the byte that
// ZEROLAB_FILL_MALLOC names (0xFF) instead of what was there before, so that whoever reads it first
// gets another number each time. calloc gives zeros as ever. glibc only.
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

void* __libc_malloc(size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void* __libc_realloc(void* old, size_t bytes);

static int byte = -1;

/// Once, before main: setenv itself calls realloc, at a time when the environment cannot be read.
__attribute__((constructor)) static void read_wish(void) {
  const char* wish = getenv("ZEROLAB_FILL_MALLOC");
  if (wish != NULL) byte = (int)strtol(wish, NULL, 16);
}

/// From `first` to the end of what can be used, so that nothing is left for a realloc that stays.
static void* filled(void* memory, size_t first) {
  if (memory == NULL || byte < 0) return memory;
  const size_t end = malloc_usable_size(memory);
  if (first < end) memset((char*)memory + first, byte, end - first);
  return memory;
}

void* malloc(size_t bytes) {
  return filled(__libc_malloc(bytes), 0);
}

void* memalign(size_t alignment, size_t bytes) {
  return filled(__libc_memalign(alignment, bytes), 0);
}

void* aligned_alloc(size_t alignment, size_t bytes) {
  return memalign(alignment, bytes);
}

int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
    return EINVAL;
  void* found = memalign(alignment, bytes);
  if (found == NULL) return ENOMEM;
  *memory = found;
  return 0;
}

void* realloc(void* old, size_t bytes) {
  const size_t before = malloc_usable_size(old);
  return filled(__libc_realloc(old, bytes), before);
}
