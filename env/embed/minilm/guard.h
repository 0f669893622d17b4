// Which kernels this compiler can build. What the CPU can run is asked at run time (kernel.c).
#ifndef MINILM_GUARD_H
#define MINILM_GUARD_H

// MINILM_PORTABLE_ONLY leaves the rest out (CGO_CFLAGS=-DMINILM_PORTABLE_ONLY). On Windows GCC does not align the stack
// for wide registers, so the rest is left out there too.
#if defined(_WIN32) && !defined(MINILM_PORTABLE_ONLY)
#define MINILM_PORTABLE_ONLY
#endif

#if defined(__x86_64__) && defined(__clang__) && !defined(MINILM_PORTABLE_ONLY)
#define MINILM_HAS_AVX2 1
#define MINILM_HAS_AVX512 1
#define MINILM_HAS_VNNI (__clang_major__ >= 7)
#elif defined(__x86_64__) && defined(__GNUC__) && !defined(MINILM_PORTABLE_ONLY)
#define MINILM_HAS_AVX2 1
#define MINILM_HAS_AVX512 (__GNUC__ >= 7)
#define MINILM_HAS_VNNI (__GNUC__ >= 8)
#else
#define MINILM_HAS_AVX2 0
#define MINILM_HAS_AVX512 0
#define MINILM_HAS_VNNI 0
#endif

#endif
