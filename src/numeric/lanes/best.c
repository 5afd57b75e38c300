/* Finds the levels that this host can run. */
#include <stddef.h>

#include "numeric/lanes/lanes.h"

extern const struct lanes lanes_plain, lanes_v3, lanes_v4;

#if defined(__x86_64__)
const struct lanes *lanes_at(unsigned i) {
    __builtin_cpu_init();
    unsigned runs = 1;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        runs = 2;
    if (runs == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
        runs = 3;
    static const struct lanes *const levels[] = { &lanes_plain, &lanes_v3, &lanes_v4 };
    return i < runs ? levels[i] : NULL;
}
#else
const struct lanes *lanes_at(unsigned i) {
    return i == 0 ? &lanes_plain : NULL;
}
#endif

const struct lanes *lanes_best(void) {
    unsigned i = 0;
    while (lanes_at(i + 1))
        i++;
    return lanes_at(i);
}
