/* Backend configuration and the Configuration Unit that reads and writes it.
 *
 * Every instruction but SETC16, and every access of a core, goes through one pipeline with the stages -4 to +1. What
 * is where in cycle c follows from when it entered, so that only until when each stage is taken is kept. Accesses of
 * cores that cannot enter wait in `request`.
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

/* Who is where in the pipeline, for the cycles from the last in which something entered on: nobody asks about earlier
 * ones. */
struct config_pipe {
    uint64_t write_free;    /* from this cycle on nothing that entered in stage -1, or keeps it empty, is there */
    uint64_t zero_free[2];  /* stage 0 but for STREAMWRCFG, likewise; even and odd cycles apart, as it may be free in
                             * this cycle and taken in the next, but is never taken for a later one */
    uint64_t read_free;     /* stage +1, likewise */
    uint64_t stream_gone;   /* the last STREAMWRCFG is in no stage from this cycle on */
    uint64_t stream_before; /* those before it: they are all beyond stage -4 */
    uint8_t stream_thread;  /* whose the last STREAMWRCFG is */
};

/* A store of a core that has not entered yet. */
struct config_request {
    uint64_t time; /* from this cycle on it can */
    uint32_t offset, value;
    uint8_t core;       /* enum bh_core */
    uint16_t number;    /* of the core's requests, for Auto TTSync */
    uint16_t resources; /* likewise */
};

/* Rows are longer than they have words, so that one is found by a shift. */
enum { CONFIG_ROW = 256, CONFIG_THREAD_ROW = 128 };

struct config {
    uint64_t version; /* another one whenever words change, for those who keep what follows from them */
    uint32_t bank[2][CONFIG_ROW];
    uint16_t thread[3][CONFIG_THREAD_ROW];
    struct config_pipe pipe;
    uint64_t busy_until;                            /* from this cycle on nothing is in any stage: C12 */
    struct config_request request[CONFIG_REQUESTS]; /* in order */
    unsigned requests;
    struct config_request last[3]; /* of each TRISC, the last one that has waited; time: it is seen from then on */
    uint64_t request_due;          /* when the first of them tries to enter; TENSIX_NEVER: there is none */
    uint64_t overlay_busy_until;   /* the overlay's read port is taken: STREAMWRCFG stays in stage -4 */
    uint64_t prng_seeds;           /* how often PRNG_SEED was written, and the last value */
    uint32_t prng_seed;
    uint8_t context_count[3][2]; /* of each thread's instructions: the configuration context of each unpacker */
};

void config_init(struct config *config);

/* Words have changed. */
static inline void config_changed(struct config *config) {
    config->version++;
}

/* Does a write of this word do nothing but change it, in its own bank? */
static inline bool config_is_plain(unsigned index) {
    return index > CONFIG_WORD_STATE_RESET_EN && index < CONFIG_BASE_GLOBAL;
}

/* Is a write of this word without effect because its flops are in reset? held: SOFT_RESET_0. */
static inline bool config_discards(uint32_t held, unsigned index) {
    return (held & REG_HOLD_SCALAR) && index >= CONFIG_BASE_THCON && index < CONFIG_BASE_GLOBAL;
}

/* Writes a word of Config with all that follows from it: global words, STATE_RESET_EN, PRNG_SEED. (Decoded code is
 * always coherent: RISCV_IC_INVALIDATE has nothing to do.) bank: or CONFIG_BOTH. by_rmw: RMWCIB does not reset the
 * bank. */
void config_store(struct tensix *x, unsigned bank, unsigned index, uint32_t value, bool by_rmw);
/* A STREAMWRCFG is about to leave stage -4: reads its register, or stays for longer. A landing of TENSIX_LAND_STREAM.
 */
struct tensix_landing;
void config_read_stream(struct tensix *x, const struct tensix_landing *landing);
/* The waiting requests that can enter in cycle `now` do; request_due is set anew. */
void config_step(struct tensix *x, uint64_t now);
/* Does the core of this thread have a request that has not been processed? C10. Until when (as gate_condition)? */
uint64_t config_request_pending(const struct tensix *x, unsigned thread, uint64_t now);
/* Auto TTSync: does a request from before its push hold a word with this tag (frontend_word) at the gate? 0,
 * or when to look again. */
uint64_t config_request_holds(const struct tensix *x, unsigned thread, uint64_t tag, uint64_t now);
/* A core's load of a word at an offset, without effects. */
uint32_t config_peek(const struct tensix *x, uint32_t offset);

#endif
