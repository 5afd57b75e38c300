/* A program of this folder returns 0, or the line of the first check that does not hold. */
#ifndef CHECK_H
#define CHECK_H

#include "llk.h"

#define CHECK(what) \
    do { \
        if (!(what)) \
            return __LINE__; \
    } while (0)

/* ThreadConfig of a thread in the window of the configuration (BH page BackendConfiguration). */
static inline uint32_t thread_config(unsigned thread, unsigned index) {
    return reg_read(TENSIX_CFG_BASE + 0xA80 + 4 * (thread * THD_STATE_SIZE + index));
}

#endif
