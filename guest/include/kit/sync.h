/* Waits: of instructions for units, of threads for threads, of cores for their thread. BH pages STALLWAIT, SEMWAIT,
 * SyncUnit. */
#ifndef KIT_SYNC_H
#define KIT_SYNC_H

#include "bhemu_guest.h"
#include "tensix.h"

/* STALLWAIT and SEMWAIT: the instructions of the thread that are held ... */
enum {
    STALL_TDMA = 1 << 0, /* unpackers, packer, mover, scalar and miscellaneous units */
    STALL_SYNC = 1 << 1,
    STALL_PACK = 1 << 2,
    STALL_UNPACK = 1 << 3,
    STALL_MOVER = 1 << 4,
    STALL_SCALAR = 1 << 5,
    STALL_MATH = 1 << 6,
    STALL_CONFIG = 1 << 7,
    STALL_SFPU = 1 << 8,
    STALL_ALL = 0x1FF,
};
/* ... and what they are held for. STALLWAIT: */
enum {
    UNTIL_SCALAR = 1 << 0,
    UNTIL_UNPACK0 = 1 << 1,
    UNTIL_UNPACK1 = 1 << 2,
    UNTIL_PACK = 1 << 3,
    UNTIL_MATH = 1 << 4,
    UNTIL_SRCA_FREE = 1 << 5, /* the unpacker has its bank of SrcA */
    UNTIL_SRCB_FREE = 1 << 6,
    UNTIL_SRCA_VALID = 1 << 7, /* the Matrix Unit has its bank of SrcA */
    UNTIL_SRCB_VALID = 1 << 8,
    UNTIL_MOVER = 1 << 9,
    UNTIL_CORE = 1 << 10, /* the core's stores to configuration and GPRs are done */
    UNTIL_SFPU = 1 << 11,
    UNTIL_CONFIG = 1 << 12,
};
enum { WHILE_ZERO = 1, WHILE_MAXIMUM = 2 }; /* SEMWAIT */

/* The eight semaphores, with their uses in kit/ (tt-llk's names in brackets). */
enum {
    SEM_DST = 1,        /* halves of Dst that hold results: math posts, pack gets [MATH_PACK] */
    SEM_DST_FILLED = 2, /* unpacker 0 has written to Dst, for math [UNPACK_TO_DEST] */
    SEM_UNPACK = 5,     /* contexts of the unpackers in use [UNPACK_SYNC] */
    SEM_DST_FREE = 7,   /* math offers a half of Dst to unpacker 0 [MATH_DONE] */
};

/* Access semaphores from the core itself. For TRISCs only, like everything below. */
static inline unsigned semaphore_read(unsigned index) {
    return reg_read(MAP_SEMAPHORES + 4 * index);
}

static inline void semaphore_post(unsigned index) {
    reg_write(MAP_SEMAPHORES + 4 * index, 0);
}

static inline void semaphore_get(unsigned index) {
    reg_write(MAP_SEMAPHORES + 4 * index, 1);
}

/* Waits until everything that the core has pushed is done, including writes to L1. */
static inline void tensix_sync(void) {
    reg_write(MAP_TTSYNC, 0);
    (void)reg_read(MAP_TTSYNC);
    fence();
}

/* Waits until the MOP expander is idle, so that its registers may be changed. */
static inline void mop_sync(void) {
    reg_write(MAP_TTSYNC + 4, 0);
    (void)reg_read(MAP_TTSYNC + 4);
}

#endif
