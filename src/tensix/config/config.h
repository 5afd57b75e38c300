/* Backend configuration, and the Configuration Unit, which reads and writes it.
 *
 * Every instruction but SETC16, and every access of a core, goes through one pipeline with the stages -4 to +1. The
 * contents of a stage in a cycle follow from the cycles of entry, so the state of a stage is one number: the cycle
 * until which it is taken. Stores of cores that cannot enter yet wait in `request`.
 *
 * Sources: ConfigurationUnit.md, BackendConfiguration.md and the pages of the instructions (BH). */
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

enum { CONFIG_BOTH = 2 /* used instead of a bank: both of them */ };

/* The stages of the pipeline. Members are valid for cycles from that of the last entry on. */
struct config_pipe {
    uint64_t write_free;    /* first cycle in which stage -1 can be entered */
    uint64_t zero_free[2];  /* the same for stage 0, not counting STREAMWRCFG; one for even and one for odd cycles: the
                             * stage may be free in this cycle and taken in the next, but never further ahead */
    uint64_t read_free;     /* the same for stage +1 */
    uint64_t stream_gone;   /* first cycle in which the last STREAMWRCFG is not in the pipeline any more */
    uint64_t stream_before; /* the same for the STREAMWRCFGs before it, all of which are beyond stage -4 */
    uint8_t stream_thread;  /* thread of the last STREAMWRCFG */
};

/* A store of a core that has not entered the pipeline yet. */
struct config_request {
    uint64_t time; /* first cycle in which the store can enter */
    uint32_t offset, value;
    uint8_t core;       /* enum bh_core */
    uint16_t number;    /* number among the core's requests, for Auto TTSync */
    uint16_t resources; /* the resources that it touches, for Auto TTSync */
};

/* Rows are padded to powers of two, so that a shift gives the address of one. */
enum { CONFIG_ROW = 256, CONFIG_THREAD_ROW = 128 };

struct config {
    uint64_t version; /* changes with every word; plans refer to it (plan.h) */
    uint32_t bank[2][CONFIG_ROW];
    uint16_t thread[3][CONFIG_THREAD_ROW];
    struct config_pipe pipe;
    uint64_t busy_until;                            /* first cycle in which every stage is empty, for condition C12 */
    struct config_request request[CONFIG_REQUESTS]; /* in the order of arrival */
    unsigned requests;
    struct config_request last[3]; /* the last request of each TRISC that had to wait; time: first cycle in which its
                                    * effect is visible */
    uint64_t request_due;          /* cycle in which the first request tries to enter; TENSIX_NEVER: no request waits */
    uint64_t overlay_busy_until;   /* until then the overlay's read port is taken, and a STREAMWRCFG stays in stage
                                    * -4 */
    uint64_t prng_seeds;           /* how often PRNG_SEED was written, and the last value */
    uint32_t prng_seed;
    uint8_t context_count[3][2]; /* the configuration context of each unpacker, for the instructions of each thread */
};

void config_init(struct config *config);

/* Makes the plans for the old words stale. */
static inline void config_changed(struct config *config) {
    config->version++;
}

/* Returns whether a write of this word only changes the word, in its own bank, and has no other effect. PACK_COUNTERS
 * is not plain, since it restarts the packer's position (config.c). */
static inline bool config_is_plain(unsigned index) {
    return index > CONFIG_WORD_STATE_RESET_EN && index < CONFIG_BASE_GLOBAL &&
           index != CONFIG_WORD_PACK_COUNTERS_SEC0_pack_per_xy_plane;
}

/* Returns whether a write of this word is lost because its flip-flops are in reset. held: SOFT_RESET_0. */
static inline bool config_discards(uint32_t held, unsigned index) {
    return (held & REG_HOLD_SCALAR) && index >= CONFIG_BASE_THCON && index < CONFIG_BASE_GLOBAL;
}

/* Writes a word of Config, with all effects in the coprocessor: global words, STATE_RESET_EN, PRNG_SEED. bank: 0, 1 or
 * CONFIG_BOTH. by_rmw: RMWCIB writes it, which does not reset the bank. */
void config_store(struct tensix *x, unsigned bank, unsigned index, uint32_t value, bool by_rmw);
/* Empties the instruction caches that `value` selects, if the word is RISCV_IC_INVALIDATE. A store of a core calls it
 * at once, because the core continues before the word lands; other writers call it when the word lands. */
void config_invalidate(struct tensix *x, unsigned index, uint32_t value);
/* Executes a landing of TENSIX_LAND_STREAM: reads the register of a STREAMWRCFG that is about to leave stage -4, or
 * keeps the STREAMWRCFG there for longer. */
struct tensix_landing;
void config_read_stream(struct tensix *x, const struct tensix_landing *landing);
/* Lets the first waiting request enter the pipeline if it can in cycle `now`, and updates request_due. */
void config_step(struct tensix *x, uint64_t now);
/* Returns the end of condition C10, as gate_condition does: no request of the thread's core is pending from then on. */
uint64_t config_request_pending(const struct tensix *x, unsigned thread, uint64_t now);
/* Auto TTSync: returns the cycle of the next attempt if a request holds the word with this tag (frontend_word) at the
 * gate, because it precedes the push of the word; else 0. */
uint64_t config_request_holds(const struct tensix *x, unsigned thread, uint64_t tag, uint64_t now);
/* Returns the value that a core's load at this offset would give, without side effects. */
uint32_t config_peek(const struct tensix *x, uint32_t offset);

#endif
