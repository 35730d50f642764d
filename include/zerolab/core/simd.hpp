#pragma once

#include <cstdlib>  // any header of the C library: defines __GLIBC__ where that is glibc

/// ZEROLAB_SIMD before a function definition: on x86-64 Linux the compiler emits it once per vector
/// width and the loader takes the widest that the CPU runs; elsewhere it is empty. For loops whose
/// elements do not depend on one another; with -ffp-contract=off all copies give the same bits.
/// For clang 14: no templates, a name that no other file uses (even in an unnamed namespace, where
/// the link fails otherwise), and callers in the same file only. Sanitizers go without, since the
/// loader chooses before their run time has started.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define ZEROLAB_SIMD
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#undef ZEROLAB_SIMD
#define ZEROLAB_SIMD
#endif

#ifndef ZEROLAB_SIMD
#if defined(__x86_64__) && defined(__ELF__) && defined(__GLIBC__) && __has_attribute(target_clones)
#define ZEROLAB_SIMD __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define ZEROLAB_SIMD
#endif
#endif
