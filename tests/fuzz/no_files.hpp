// The C library's functions that open, make and remove files, in front of its own; one file of a
// target includes this.
#pragma once

#include <dlfcn.h>
#include <sys/stat.h>

#include <cstdarg>

#include "memory_file.hpp"

/// While this is set, a call of a function below is a find.
inline bool parsing = false;

/// The C library's own function, for the fuzzer, which does use files.
template <class Function>
inline Function* next(Function*, const char* name) {
  check(!parsing, std::string(name) + " was called while the command line was parsed");
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

extern "C" {
int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return next(open, "open")(path, flags, mode);
}
FILE* fopen(const char* path, const char* mode) {
  return next(fopen, "fopen")(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  return next(fopen64, "fopen64")(path, mode);
}
int mkdir(const char* path, mode_t mode) {
  return next(mkdir, "mkdir")(path, mode);
}
int unlink(const char* path) noexcept {
  return next(unlink, "unlink")(path);
}
int rename(const char* from, const char* to) noexcept {
  return next(rename, "rename")(from, to);
}
}
