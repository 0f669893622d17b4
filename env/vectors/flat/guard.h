// Which kernels this compiler can build. What the CPU can run is asked at run time (kernel.c).
#ifndef FLAT_GUARD_H
#define FLAT_GUARD_H

#if defined(__x86_64__) && defined(__clang__)
#define FLAT_HAS_AVX2 1
#define FLAT_HAS_VNNI (__clang_major__ >= 7)
#elif defined(__x86_64__) && defined(__GNUC__)
#define FLAT_HAS_AVX2 1
#define FLAT_HAS_VNNI (__GNUC__ >= 8)
#else
#define FLAT_HAS_AVX2 0
#define FLAT_HAS_VNNI 0
#endif

#endif
