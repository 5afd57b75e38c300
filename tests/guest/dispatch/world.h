/* Random work for fast dispatch, and a model of what it does: pages in DRAM, a block that workers share, how often each
 * group of workers was launched. Everything that comes back is compared with the model. */
#ifndef DISPATCH_WORLD_H
#define DISPATCH_WORLD_H

#include "queue.h"

enum {
    PAGE_BYTES = 1024,
    PAGE_WORDS = PAGE_BYTES / 4,
    PAGES = 3 * WORKERS,
    BUFFER = 0x100000,
    TRACE_BUFFER = 0x800000
};
enum { KERNELS = 2, KERNEL_MOST = 0x2000 };

struct kernel {
    uint8_t text[KERNEL_MOST];
    uint32_t size;
    uint32_t (*page)(uint32_t *words, const uint32_t *shared, uint32_t salt, uint32_t factor); /* the model */
};

struct world {
    struct queue queue;
    struct kernel kernels[KERNELS];
    uint64_t random;
    bool metal; /* tt-metal's subordinate cannot clear counters when it is on the dispatcher's tile */
    /* The model. */
    uint32_t pages[PAGES][PAGE_WORDS];
    uint32_t shared[SHARED_BYTES / 4];
    uint32_t folded[WORKERS];  /* what the kernel of that name leaves */
    uint32_t counts[GROUPS];   /* of the streams, when all workers have answered */
    uint32_t launches[GROUPS]; /* since the read pointers were reset */
    uint32_t total[GROUPS], last[GROUPS];
    uint32_t events, syncs, clears;
    unsigned steps[16];
};

/* folder: where dispatch_prefetch.elf and the others are; metal: these are tt-metal's. */
void world_start(struct world *world, struct machine *machine, const char *folder, bool metal, uint64_t seed);
/* Draws this many random actions. */
void world_work(struct world *world, unsigned count);
/* Ends the programs, and compares the chip with the model. */
void world_end(struct world *world);

#endif
