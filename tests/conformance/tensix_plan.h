/* The knowledge that a program for the coprocessor has about itself while it is made: which thread may touch which word
 * of Config, the purpose of each semaphore, and its items (tensix_items.c).
 *
 * In a phase every word of Config (of each bank) belongs to a thread, or can be read by all, or is a sum to which all
 * add under mutex 0. A semaphore between two threads hands words over. */
#ifndef CONFORMANCE_TENSIX_PLAN_H
#define CONFORMANCE_TENSIX_PLAN_H

#include "isa/tensix.h"
#include "tensix_stream.h"

enum { WORDS = 35, ZEROS = 8, ITEMS = 33, ITEMS_BRISC = 21 };
enum { SCRATCH = 209, GLOBAL = 180, IC_INVALIDATE = 185 }; /* words of Config */

/* The words of Config that can be both written and read, with the bits that programs write, some of which belong to no
 * field and stay 0; and words that are always 0. */
extern const struct config_word {
    uint8_t word;
    uint32_t mask;
} words[WORDS];
extern const uint8_t zeros[ZEROS];

enum owner { NOBODY = THREADS, EVERYBODY }; /* can be read only; is a sum */
enum { BLOCK_SYNC = 1 << 1, BLOCK_ALL = 0x1FF, WAIT_ZERO = 1, WAIT_MAX = 2, MUTEX = 0 };

/* The knowledge about a program. */
struct plan {
    struct generator g;
    uint8_t owner[2][CONFIG_WORDS];
    uint8_t arrive[THREADS], go[THREADS]; /* semaphores of the barrier, from and to thread 0 */
    uint8_t channel[THREADS];             /* from a thread to the next */
    uint8_t own;                          /* used by one thread, in this phase by own_thread */
    unsigned own_thread, own_value, own_max;
    unsigned barriers;
    uint32_t recorded[THREADS]; /* entries of the replay buffers that can be played at any time */
};

/* Adds something to the stream of a thread; nothing, if there is no room for it in the plan. The first ITEMS_BRISC
 * need no core but one that pushes. */
typedef void item_function(struct plan *p, unsigned t);
extern item_function *const items[ITEMS];

void deal_words(struct plan *p);
/* Changes the bank of a thread. */
void set_bank(struct plan *p, unsigned t, unsigned bank);
/* Waits until a semaphore allows it, and posts or gets. */
void give(struct plan *p, unsigned t, unsigned semaphore);
void take(struct plan *p, unsigned t, unsigned semaphore);
/* The core waits until a semaphore is not 0 and takes from it. */
void core_takes(struct plan *p, unsigned t, unsigned semaphore);
/* Waits for writes of Config of which there is no account. */
void after_expansion(struct plan *p, unsigned t);

/* Of the cores' window. */
static inline int32_t semaphore_offset(unsigned semaphore) {
    return 0x20 + (int32_t)semaphore * 4;
}

/* ---- Words -------------------------------------------------------------------------------- */

static inline uint32_t set_half(unsigned half, uint32_t value) {
    return tensix_encode_SETDMAREG((struct tensix_SETDMAREG){
        .RegIndex16b = half, .Payload_SigSel = value & 0x3FFF, .Payload_SigSelSize = value >> 14 });
}
static inline uint32_t seminit(unsigned semaphore, unsigned max, unsigned value) {
    return tensix_encode_SEMINIT(
        (struct tensix_SEMINIT){ .sem_sel = 1u << semaphore, .max_value = max, .init_value = value });
}
static inline uint32_t sempost(unsigned semaphore) {
    return tensix_encode_SEMPOST((struct tensix_SEMPOST){ .sem_sel = 1u << semaphore });
}
static inline uint32_t semget(unsigned semaphore) {
    return tensix_encode_SEMGET((struct tensix_SEMGET){ .sem_sel = 1u << semaphore });
}
static inline uint32_t setc16(unsigned reg, uint32_t value) {
    return tensix_encode_SETC16((struct tensix_SETC16){ .setc16_reg = reg, .setc16_value = value });
}
static inline uint32_t rdcfg(unsigned word, unsigned gpr) {
    return tensix_encode_RDCFG((struct tensix_RDCFG){ .CfgReg = word, .GprAddress = gpr });
}
static inline uint32_t wrcfg(unsigned word, unsigned gpr, bool wide) {
    return tensix_encode_WRCFG((struct tensix_WRCFG){ .CfgReg = word, .GprAddress = gpr, .wr128b = wide });
}
static inline uint32_t replay(unsigned start, unsigned count, bool load, bool execute) {
    return tensix_encode_REPLAY((struct tensix_REPLAY){
        .start_idx = start, .len = count, .load_mode = load, .execute_while_loading = execute });
}

#endif
