/* The Sync Unit: eight semaphores and four mutexes. Sources: SyncUnit.md, ATGETM.md, SEM*.md (BH), ATRELM.md. */
#ifndef TENSIX_SYNC_SYNC_H
#define TENSIX_SYNC_SYNC_H

#include <stdint.h>

struct tensix;

enum { SYNC_SEMAPHORES = 8, SYNC_SEMAPHORE_TOP = 15, SYNC_MUTEXES = 5, SYNC_NOBODY = 3, SYNC_CORE = 4 };

/* The names of semaphores in tt-llk: N(number, name). */
#define SYNC_SEMAPHORE_NAMES(N) \
    N(0, "FPU_SFPU") \
    N(1, "MATH_PACK") \
    N(2, "UNPACK_TO_DEST") \
    N(3, "UNPACK_OPERAND_SYNC") \
    N(4, "PACK_DONE") \
    N(5, "UNPACK_SYNC") \
    N(6, "UNPACK_MATH_DONE") \
    N(7, "MATH_DONE")

struct sync_semaphore {
    uint8_t value, max;
    uint16_t posted_by, got_by, set_by; /* agents that have ever done so, for reports: bits 0..2 are threads, SYNC_CORE
                                         * + n cores */
};

struct sync_mutex {
    uint8_t held_by;    /* a thread, or SYNC_NOBODY */
    uint8_t promised;   /* the next owner, chosen at the release if both other threads waited; or SYNC_NOBODY */
    uint8_t wanted;     /* mask of the threads whose ATGETM waits */
    uint64_t usable_at; /* first cycle in which the mutex accepts another operation: one a cycle */
};

struct sync {
    struct sync_semaphore semaphore[SYNC_SEMAPHORES];
    struct sync_mutex mutex[SYNC_MUTEXES]; /* mutex 1 does not exist */
    uint64_t slot_free; /* first cycle for another semaphore operation or wait: one a cycle for all threads together */
};

void sync_init(struct sync *sync);
/* Takes the slot of this cycle for a semaphore operation. Returns 0; or, if the slot is taken, holds the word and
 * returns as a handler does. */
uint64_t sync_take_slot(struct tensix *x, unsigned thread, uint64_t now);
void sync_post(struct sync_semaphore *semaphore, unsigned who);
void sync_get(struct sync_semaphore *semaphore, unsigned who);
/* Returns the name of a semaphore in tt-llk, such as "MATH_PACK". */
const char *sync_semaphore_name(unsigned i);

#endif
