/* The three PCBufs: each is a FIFO of words from B to T0, T1 or T2, through which B can also wait for the reader
 * (PCBufs.md).
 *
 * Inexact: hardware accepts a few more writes into buffers in front of a full FIFO before B stalls. */
#ifndef TILE_PCBUF_H
#define TILE_PCBUF_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/access.h"

enum { PCBUF_COUNT = 3, PCBUF_DEPTH = 16 };

struct pcbuf {
    uint32_t word[PCBUF_DEPTH]; /* the oldest first */
    uint32_t count;
    bool reader_waits; /* Ti is blocked in a read of the empty FIFO */
};

struct pcbufs {
    struct pcbuf buf[PCBUF_COUNT];
};

/* In the functions below, override is the value of TRISC_PC_BUF_OVERRIDE, and idle says that the coprocessor has
 * nothing of thread i in flight. pcbuf_push adds a word of B. */
struct access pcbuf_push(struct pcbufs *pcbufs, unsigned i, uint32_t value);
/* Returns whether the override bits declare Ti done. */
bool pcbuf_override_busy(uint32_t override, unsigned i);
struct access pcbuf_wait(const struct pcbufs *pcbufs, unsigned i, uint32_t override,
                         bool idle); /* a read by B; its value is 0 */
struct access pcbuf_pop(struct pcbufs *pcbufs, unsigned i, uint32_t override, uint32_t *value); /* a read by Ti */
/* Ends the wait of Ti, when Ti enters reset. */
void pcbuf_reader_gone(struct pcbufs *pcbufs, unsigned i);
/* Discards all words, when Ti leaves reset. */
void pcbuf_clear(struct pcbufs *pcbufs, unsigned i);

#endif
