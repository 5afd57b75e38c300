/* Loops over arrays of a fixed size that the compiler makes vector instructions of. gcc does that only to a loop that
 * it has not unrolled before, clang only to a loop that it is free to unroll. */
#ifndef BASE_LOOP_H
#define BASE_LOOP_H

#ifdef __clang__
#define BH_VECTOR_LOOP
#else
#define BH_VECTOR_LOOP _Pragma("GCC unroll 1")
#endif

#endif
