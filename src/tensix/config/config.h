/* Backend configuration and the Configuration Unit that reads and writes it.
 *
 * Every instruction but SETC16, and every access of a core, goes through one pipeline with the stages -4 to +1. The
 * contents of a stage in a cycle follow from the cycles of entry, so the state is one number for each stage: until when
 * it is taken. Accesses of cores that cannot enter wait in `request`.
 *
 * Sources: ConfigurationUnit.md, BackendConfiguration.md and the pages of the instructions (BH).
 */
#ifndef TENSIX_CONFIG_CONFIG_H
#define TENSIX_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"
#include "isa/config.h"
#include "isa/regs.h"

struct tensix;

enum { CONFIG_REQUESTS = 8 };

/* Byte offsets from 0xFFEF0000. */
enum {
    CONFIG_AT_BANK1 = CONFIG_WORDS * 4,
    CONFIG_AT_DUAL = CONFIG_WORDS * 8,
    CONFIG_AT_THREAD = CONFIG_WORDS * 12,
    CONFIG_AT_END = CONFIG_AT_THREAD + 3 * CONFIG_THREAD_WORDS * 4,
};

enum { CONFIG_BOTH = 2 /* instead of a bank */ };

/* Occupied stages, valid from the cycle of the last entry on. */
struct config_pipe {
    uint64_t write_free;    /* stage -1 can be entered from this cycle on */
    uint64_t zero_free[2];  /* stage 0, likewise, not counting STREAMWRCFG. One for even and one for odd cycles: it
                             * may be free in this cycle and taken in the next, but is never taken further ahead */
    uint64_t read_free;     /* stage +1, likewise */
    uint64_t stream_gone;   /* the last STREAMWRCFG has left the pipeline from this cycle on */
    uint64_t stream_before; /* likewise for those before it, all of which are beyond stage -4 */
    uint8_t stream_thread;  /* thread of the last STREAMWRCFG */
};

/* A store of a core that has not entered yet. */
struct config_request {
    uint64_t time; /* first cycle in which it can enter */
    uint32_t offset, value;
    uint8_t core;       /* enum bh_core */
    uint16_t number;    /* of the core's requests, for Auto TTSync */
    uint16_t resources; /* likewise */
};

/* Rows are padded to powers of two, so that a shift finds one. */
enum { CONFIG_ROW = 256, CONFIG_THREAD_ROW = 128 };

struct config {
    uint64_t version; /* changes with the words; plans refer to it (plan.h) */
    uint32_t bank[2][CONFIG_ROW];
    uint16_t thread[3][CONFIG_THREAD_ROW];
    struct config_pipe pipe;
    uint64_t busy_until;                            /* every stage is empty from this cycle on: condition C12 */
    struct config_request request[CONFIG_REQUESTS]; /* in order */
    unsigned requests;
    struct config_request last[3]; /* last request of each TRISC that had to wait; time: first cycle that sees it */
    uint64_t request_due;          /* cycle in which the first request tries to enter; TENSIX_NEVER: there is none */
    uint64_t overlay_busy_until;   /* the overlay's read port is taken: a STREAMWRCFG stays in stage -4 */
    uint64_t prng_seeds;           /* how often PRNG_SEED was written, and the last value */
    uint32_t prng_seed;
    uint8_t context_count[3][2]; /* of each thread's instructions: the configuration context of each unpacker */
};

void config_init(struct config *config);

/* Makes plans of the old words stale. */
static inline void config_changed(struct config *config) {
    config->version++;
}

/* Returns whether a write of this word has no effect besides changing it, in its own bank. PACK_COUNTERS restarts the
 * packer's position (config.c). */
static inline bool config_is_plain(unsigned index) {
    return index > CONFIG_WORD_STATE_RESET_EN && index < CONFIG_BASE_GLOBAL &&
           index != CONFIG_WORD_PACK_COUNTERS_SEC0_pack_per_xy_plane;
}

/* Returns whether a write of this word is lost because its flops are in reset. held: SOFT_RESET_0. */
static inline bool config_discards(uint32_t held, unsigned index) {
    return (held & REG_HOLD_SCALAR) && index >= CONFIG_BASE_THCON && index < CONFIG_BASE_GLOBAL;
}

/* Writes a word of Config with all its effects in the coprocessor: global words, STATE_RESET_EN, PRNG_SEED. bank: or
 * CONFIG_BOTH. by_rmw: RMWCIB does not reset the bank. */
void config_store(struct tensix *x, unsigned bank, unsigned index, uint32_t value, bool by_rmw);
/* Empties instruction caches if this is the word RISCV_IC_INVALIDATE: when a core stores it, for the core goes on
 * before the word lands, and else when it lands. */
void config_invalidate(struct tensix *x, unsigned index, uint32_t value);
/* Reads the register of a STREAMWRCFG that is about to leave stage -4, or keeps it there for longer. A landing of
 * TENSIX_LAND_STREAM. */
struct tensix_landing;
void config_read_stream(struct tensix *x, const struct tensix_landing *landing);
/* Lets the first waiting request enter if it can in cycle `now`, and updates request_due. */
void config_step(struct tensix *x, uint64_t now);
/* Returns, as gate_condition, until when a request of the thread's core is pending: condition C10. */
uint64_t config_request_pending(const struct tensix *x, unsigned thread, uint64_t now);
/* Auto TTSync: returns 0 unless a request that precedes the push of the word with this tag (frontend_word) holds it at
 * the gate; then the cycle in which to look again. */
uint64_t config_request_holds(const struct tensix *x, unsigned thread, uint64_t tag, uint64_t now);
/* Returns what a core's load at this offset gives, without effects. */
uint32_t config_peek(const struct tensix *x, uint32_t offset);

#endif
