/* The Sync Unit: eight semaphores, four mutexes. Sources: SyncUnit.md, ATGETM.md, SEM*.md (BH), ATRELM.md. */
#ifndef TENSIX_SYNC_SYNC_H
#define TENSIX_SYNC_SYNC_H

#include <stdint.h>

struct tensix;

enum { SYNC_SEMAPHORES = 8, SYNC_SEMAPHORE_TOP = 15, SYNC_MUTEXES = 5, SYNC_NOBODY = 3, SYNC_CORE = 4 };

/* What tt-llk calls them: N(number, name). */
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
    uint16_t posted_by, got_by, set_by; /* agents that ever have, for reports: bits 0..2 threads, SYNC_CORE + n cores */
};

struct sync_mutex {
    uint8_t held_by;    /* thread, or SYNC_NOBODY */
    uint8_t promised;   /* next owner, chosen when both other threads waited at the release; or SYNC_NOBODY */
    uint8_t wanted;     /* mask of the threads whose ATGETM waits */
    uint64_t usable_at; /* first cycle in which it takes another operation: one a cycle */
};

struct sync {
    struct sync_semaphore semaphore[SYNC_SEMAPHORES];
    struct sync_mutex mutex[SYNC_MUTEXES]; /* 1 does not exist */
    uint64_t slot_free; /* first cycle for another semaphore operation or wait: one a cycle, of all threads together */
};

void sync_init(struct sync *sync);
/* Takes the slot of this cycle. Returns 0, or as a handler if it is taken. */
uint64_t sync_take_slot(struct tensix *x, unsigned thread, uint64_t now);
void sync_post(struct sync_semaphore *semaphore, unsigned who);
void sync_get(struct sync_semaphore *semaphore, unsigned who);
/* Returns tt-llk's name of a semaphore, such as "MATH_PACK". */
const char *sync_semaphore_name(unsigned i);

#endif
