/* The clock of the host. It serves decisions about speed only; no result depends on it. */
#ifndef BASE_HOST_CLOCK_H
#define BASE_HOST_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t host_nanoseconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#endif
