/* Random programs for the coprocessor. TRISC0 to TRISC2 push to their threads, in about half of the programs BRISC
 * has done so before, and at the end the cores copy GPRs, Config and semaphores to L1.
 *
 * A program has phases with a barrier between them, of semaphores or of flags in L1. In a phase every word of Config
 * (of each bank) belongs to a thread, or can be read by all, or is a sum that all add to under mutex 0. A semaphore
 * between two threads hands words over. So every outcome is determined although the threads run side by side.
 *
 * What the oracle (ttsim 1.10.0) refuses is left out:
 *   Config     words that it has no storage for; it keeps only the bits with a name, so the others stay 0 here: a
 *              word with such bits is written by RMWCIB within them or with a value that fits. Bank 1 has no window,
 *              RDCFG shows it. Overrides of formats, stochastic rounding and its neighbours
 *              in words 0, 1 and 119. Unaligned WRCFG of 128 bits; STATE_RESET_EN; IC_INVALIDATE of 0 or more than 31
 *   ThreadConfig  has no window; registers that it does not have, 6 and 55
 *   SETDMAREG  of signals; ADDDMAREG and MULDMAREG with a constant; STOREREG but to overlay registers
 *   CFGSHIFTMASK  but the addition over the whole word
 *   semaphores more than one at a time, both conditions at once, posts at the maximum, gets at 0; mutexes but 0, taking
 *              one twice and giving back another's
 *   STALLWAIT  without a bit of either mask; C5, C6, C9 and C12; C7 and C8 wait for ever
 *   MOP        loop counts in the instruction, outer counts beyond 32 and inner beyond 64 or 0; REPLAY of 0 words,
 *              with bit 1 but not bit 0, or of what was never recorded
 *   BRISC      all windows of the coprocessor but pushes and Config
 */
#include <stdio.h>
#include <string.h>

#include "bhemu.h"
#include "draw.h"
#include "isa/tensix.h"
#include "support/device.h"
#include "support/rv.h"
#include "tensix_stream.h"

/* The words of Config that can be both written and read, and which of their bits. */
static const struct config_word {
    uint8_t word;
    uint32_t mask;
} words[] = {
    { 0, 0x3DFF },       { 1, 0xFFFF8000 },   { 2, UINT32_MAX },   { 3, 0x1FFFFFFF },   { 12, UINT32_MAX },
    { 13, UINT32_MAX },  { 14, UINT32_MAX },  { 15, UINT32_MAX },  { 17, 0x3FFFF },     { 18, 0xF },
    { 24, 0x1FFFFFF },   { 28, UINT32_MAX },  { 56, UINT32_MAX },  { 57, UINT32_MAX },  { 59, UINT32_MAX },
    { 64, UINT32_MAX },  { 65, UINT32_MAX },  { 68, UINT32_MAX },  { 69, UINT32_MAX },  { 70, UINT32_MAX },
    { 71, 0xFFDFFFFF },  { 72, UINT32_MAX },  { 73, 0xFFFF1FFF },  { 76, UINT32_MAX },  { 77, UINT32_MAX },
    { 84, UINT32_MAX },  { 86, UINT32_MAX },  { 112, UINT32_MAX }, { 113, UINT32_MAX }, { 119, 0x400000 },
    { 120, UINT32_MAX }, { 121, 0xFFFF1FFF }, { 124, UINT32_MAX }, { 125, UINT32_MAX }, { 220, 0xF },
};
enum { WORDS = sizeof words / sizeof *words, SCRATCH = 209, GLOBAL = 180, IC_INVALIDATE = 185 };
/* Words that can only be written, without consequences; and such that are always 0. */
static const uint8_t sinks[] = { 20, 21, 25, 29, 30, 31, 50, 92, 93, 180, 181, 182, 183, 186 };
static const uint8_t zeros[] = { 66, 67, 74, 75, 114, 115, 122, 123 };
/* Registers of ThreadConfig. */
static const uint8_t thread_words[] = { 1,  2,  3,  5,  7,  12, 13, 14, 15, 16, 17, 18, 19, 28, 29, 30, 31,
                                        32, 33, 34, 35, 37, 38, 39, 40, 41, 47, 48, 49, 50, 51, 52, 53, 54 };

/* The area, in words. */
enum {
    START_GPR = 0,
    START_CONFIG = START_GPR + THREADS * GPRS,
    START_CONFIG1 = START_CONFIG + 48, /* with the three scratch words behind */
    END_GPR = START_CONFIG1 + 48,
    END_CONFIG = END_GPR + THREADS * GPRS,
    END_CONFIG1 = END_CONFIG + 48, /* as far as it is read: WORDS, then sizeof zeros */
    END_SEMAPHORES = END_CONFIG1 + 48,
    FLAGS = END_SEMAPHORES + SEMAPHORES, /* the last barrier that each core has reached, 16 bytes apart */
    DONE = FLAGS + 4 * DEVICE_CORES,
    AREA = DONE + 1,
};
_Static_assert(WORDS + sizeof zeros <= 48 && WORDS + 3 <= 48, "the tables fit");
_Static_assert((int)AREA <= (int)GENERATED_AREA, "the area fits");

enum owner { NOBODY = THREADS, EVERYBODY }; /* can be read only; is a sum */
enum { BLOCK_SYNC = 1 << 1, BLOCK_ALL = 0x1FF, WAIT_ZERO = 1, WAIT_MAX = 2, MUTEX = 0 };

/* What the program knows about itself. */
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

/* ---- Words -------------------------------------------------------------------------------- */

static uint32_t set_half(unsigned half, uint32_t value) {
    return tensix_encode_SETDMAREG((struct tensix_SETDMAREG){
        .RegIndex16b = half, .Payload_SigSel = value & 0x3FFF, .Payload_SigSelSize = value >> 14 });
}
static uint32_t seminit(unsigned semaphore, unsigned max, unsigned value) {
    return tensix_encode_SEMINIT(
        (struct tensix_SEMINIT){ .sem_sel = 1u << semaphore, .max_value = max, .init_value = value });
}
static uint32_t sempost(unsigned semaphore) {
    return tensix_encode_SEMPOST((struct tensix_SEMPOST){ .sem_sel = 1u << semaphore });
}
static uint32_t semget(unsigned semaphore) {
    return tensix_encode_SEMGET((struct tensix_SEMGET){ .sem_sel = 1u << semaphore });
}
static uint32_t setc16(unsigned reg, uint32_t value) {
    return tensix_encode_SETC16((struct tensix_SETC16){ .setc16_reg = reg, .setc16_value = value });
}
static uint32_t rdcfg(unsigned word, unsigned gpr) {
    return tensix_encode_RDCFG((struct tensix_RDCFG){ .CfgReg = word, .GprAddress = gpr });
}
static uint32_t wrcfg(unsigned word, unsigned gpr, bool wide) {
    return tensix_encode_WRCFG((struct tensix_WRCFG){ .CfgReg = word, .GprAddress = gpr, .wr128b = wide });
}
static uint32_t replay(unsigned start, unsigned count, bool load, bool execute) {
    return tensix_encode_REPLAY((struct tensix_REPLAY){
        .start_idx = start, .len = count, .load_mode = load, .execute_while_loading = execute });
}

/* ---- Who may touch what ------------------------------------------------------------------------ */

static uint8_t *owner_of(struct plan *p, unsigned bank, unsigned word) {
    return &p->owner[word >= GLOBAL ? 0 : bank][word];
}
static uint8_t owner_now(struct plan *p, unsigned thread, unsigned word) {
    return *owner_of(p, p->g.stream[thread].bank, word);
}
static bool can_read(struct plan *p, unsigned thread, unsigned word) {
    unsigned owner = owner_now(p, thread, word);
    return owner == thread || owner == NOBODY;
}

/* An index of a word of this owner in the thread's bank, or -1. */
static int pick(struct plan *p, unsigned thread, unsigned owner, uint32_t mask) {
    unsigned first = draw(&p->g, WORDS);
    for (unsigned i = 0; i < WORDS; i++) {
        unsigned index = (first + i) % WORDS;
        if (owner_now(p, thread, words[index].word) == owner && (words[index].mask & mask) == mask)
            return (int)index;
    }
    return -1;
}

static void deal_words(struct plan *p) {
    static const uint8_t groups[] = { 0, 12, 28, 68 };
    for (unsigned bank = 0; bank < 2; bank++) {
        for (unsigned i = 0; i < WORDS; i++) {
            unsigned owner = draw(&p->g, 9) / 2; /* a sum is half as likely */
            if (owner == EVERYBODY && (words[i].mask != UINT32_MAX || words[i].word >= GLOBAL))
                owner = NOBODY;
            *owner_of(p, bank, words[i].word) = (uint8_t)owner;
        }
        for (unsigned i = 0; i < sizeof groups; i++)
            if (draw(&p->g, 2)) {
                uint8_t owner = (uint8_t)draw(&p->g, THREADS);
                for (unsigned j = 0; j < 4; j++)
                    p->owner[bank][groups[i] + j] = owner;
            }
    }
    for (unsigned i = 0; i < THREADS; i++)
        p->owner[0][SCRATCH + i] = (uint8_t)draw(&p->g, THREADS + 1);
}

/* ---- Single instructions --------------------------------------------------------------------- */

static void set_gpr_half(struct plan *p, unsigned t) {
    unsigned half = draw(&p->g, 2 * GPRS);
    uint32_t value = draw_integer(&p->g.state) & 0xFFFF;
    settle_gpr(&p->g, t, half / 2);
    push(&p->g, t, set_half(half, value));
}

static void arithmetic(struct plan *p, unsigned t) {
    unsigned a = draw(&p->g, GPRS), b = draw(&p->g, GPRS), result = draw(&p->g, GPRS);
    bool add = draw(&p->g, 2);
    settle_gpr(&p->g, t, a);
    settle_gpr(&p->g, t, b);
    settle_gpr(&p->g, t, result);
    push(&p->g, t,
         add ? tensix_encode_ADDDMAREG(
                   (struct tensix_ADDDMAREG){ .OpARegIndex = a, .OpBRegIndex = b, .ResultRegIndex = result })
             : tensix_encode_MULDMAREG(
                   (struct tensix_MULDMAREG){ .OpARegIndex = a, .OpBRegIndex = b, .ResultRegIndex = result }));
}

/* Both halves of a GPR. */
static void set_gpr(struct plan *p, unsigned t, unsigned gpr, uint32_t value) {
    settle_gpr(&p->g, t, gpr);
    push(&p->g, t, set_half(2 * gpr, value & 0xFFFF));
    push(&p->g, t, set_half(2 * gpr + 1, value >> 16));
}

static void write_word(struct plan *p, unsigned t) {
    int index = pick(p, t, t, 0);
    unsigned gpr = draw(&p->g, GPRS);
    if (index < 0)
        return;
    const struct config_word *w = &words[index];
    uint32_t value = draw_integer(&p->g.state) & w->mask;
    if (w->mask != UINT32_MAX)
        set_gpr(p, t, gpr, value);
    settle_gpr(&p->g, t, gpr);
    settle_word(&p->g, t, w->word);
    push(&p->g, t, wrcfg(w->word, gpr, false));
    lands_in_word(&p->g, t, w->word);
}

static void write_sink(struct plan *p, unsigned t) {
    unsigned word = sinks[draw(&p->g, sizeof sinks)], gpr = draw(&p->g, GPRS), special = draw(&p->g, 8);
    uint32_t cores = 1 + draw(&p->g, 31);
    if (special == 0) {
        set_gpr(p, t, gpr, cores);
        word = IC_INVALIDATE;
    }
    settle_gpr(&p->g, t, gpr);
    push(&p->g, t, wrcfg(word, gpr, false));
    lands_in_word(&p->g, t, word);
}

static void write_scratch(struct plan *p, unsigned t) {
    unsigned word = SCRATCH + draw(&p->g, THREADS), gpr = draw(&p->g, GPRS);
    if (owner_now(p, t, word) != t)
        return;
    settle_gpr(&p->g, t, gpr);
    settle_word(&p->g, t, word);
    push(&p->g, t, wrcfg(word, gpr, false));
    lands_in_word(&p->g, t, word);
}

static uint32_t mask_of(unsigned word) {
    for (unsigned i = 0; i < WORDS; i++)
        if (words[i].word == word)
            return words[i].mask;
    return UINT32_MAX;
}

static void write_four(struct plan *p, unsigned t) {
    static const uint8_t groups[] = { 0, 12, 28, 68, 180 };
    unsigned word = groups[draw(&p->g, sizeof groups)], gpr = 4 * draw(&p->g, GPRS / 4);
    for (unsigned i = 0; i < 4; i++)
        if (word < GLOBAL && (word != 28 || i == 0) && owner_now(p, t, word + i) != t)
            return;
    for (unsigned i = 0; i < 4; i++) {
        uint32_t mask = mask_of(word + i), value = draw_next(&p->g.state) & mask;
        if (mask != UINT32_MAX)
            set_gpr(p, t, gpr + i, value);
        settle_gpr(&p->g, t, gpr + i);
        settle_word(&p->g, t, word + i);
    }
    push(&p->g, t, wrcfg(word, gpr, true));
    for (unsigned i = 0; i < 4; i++)
        lands_in_word(&p->g, t, word + i);
}

static void read_word_to(struct plan *p, unsigned t, unsigned word, unsigned gpr) {
    settle_gpr(&p->g, t, gpr);
    settle_word(&p->g, t, word);
    push(&p->g, t, rdcfg(word, gpr));
    lands_in_gpr(&p->g, t, gpr);
}

static void read_word(struct plan *p, unsigned t) {
    unsigned gpr = draw(&p->g, GPRS);
    int index = pick(p, t, draw(&p->g, 4) ? t : NOBODY, 0);
    if (index >= 0)
        read_word_to(p, t, words[index].word, gpr);
}

static uint32_t rmwcib(unsigned byte, unsigned word, uint32_t mask, uint32_t data) {
    return tensix_encode_RMWCIB0((struct tensix_RMWCIB0){ .CfgRegAddr = word, .Mask = mask, .Data = data }) +
           ((uint32_t)byte << 24); /* the four have consecutive opcodes */
}

static void change_byte(struct plan *p, unsigned t) {
    int index = pick(p, t, t, 0);
    unsigned byte = draw(&p->g, 4), mask = draw(&p->g, 256), data = draw(&p->g, 256);
    if (index < 0)
        return;
    mask &= words[index].mask >> byte * 8;
    settle_word(&p->g, t, words[index].word);
    push(&p->g, t, rmwcib(byte, words[index].word, mask, data));
}

/* Adds a scratch word that nobody changes now. */
static void add_scratch(struct plan *p, unsigned t, unsigned word) {
    unsigned select = draw(&p->g, 4), scratch = SCRATCH + (select == 3 ? t : select);
    if (!can_read(p, t, scratch))
        return;
    settle_word(&p->g, t, scratch);
    settle_word(&p->g, t, word);
    push(&p->g, t,
         tensix_encode_CFGSHIFTMASK((struct tensix_CFGSHIFTMASK){
             .CfgReg = word, .scratch_sel = select, .mask_width = 31, .operation = 3, .disable_mask_on_old_val = 1 }));
    lands_in_word(&p->g, t, word);
}

static void add_to_word(struct plan *p, unsigned t) {
    int index = pick(p, t, t, UINT32_MAX);
    if (index >= 0)
        add_scratch(p, t, words[index].word);
}

static void set_thread_config(struct plan *p, unsigned t) {
    unsigned reg = thread_words[draw(&p->g, sizeof thread_words)];
    uint32_t value = draw_next(&p->g.state) & 0xFFFF;
    push(&p->g, t, setc16(reg, value));
}

static void set_bank(struct plan *p, unsigned t, unsigned bank) {
    enum { SPACE = 3 };
    struct stream *stream = &p->g.stream[t];
    settle(&p->g, t);
    push(&p->g, t, setc16(CONFIG_WORD_CFG_STATE_ID_StateID, bank));
    stream->bank = bank;
    stream->all_ready = stream->now + SPACE;
    settle(&p->g, t);
}

static void stall(struct plan *p, unsigned t) {
    static const uint16_t conditions[] = { 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 10, 1 << 11 };
    unsigned block = 1 + draw(&p->g, BLOCK_ALL), condition = conditions[draw(&p->g, 7)];
    condition |= conditions[draw(&p->g, 7)];
    push(&p->g, t, tensix_encode_STALLWAIT((struct tensix_STALLWAIT){ .stall_res = block, .wait_res = condition }));
}

static void no_operation(struct plan *p, unsigned t) {
    unsigned scalar = draw(&p->g, 2);
    push(&p->g, t,
         scalar ? tensix_encode_DMANOP((struct tensix_DMANOP){ 0 }) : tensix_encode_NOP((struct tensix_NOP){ 0 }));
}

/* ---- Semaphores and the mutex ------------------------------------------------------------------ */

/* A wait; the instruction after it has to be one that BLOCK_SYNC holds. */
static void semwait(struct plan *p, unsigned t, unsigned semaphore, unsigned condition) {
    unsigned block = draw(&p->g, 2) ? BLOCK_ALL : draw(&p->g, BLOCK_ALL + 1) | BLOCK_SYNC;
    push(&p->g, t,
         tensix_encode_SEMWAIT(
             (struct tensix_SEMWAIT){ .stall_res = block, .sem_sel = 1u << semaphore, .wait_sem_cond = condition }));
}
static void take(struct plan *p, unsigned t, unsigned semaphore) {
    semwait(p, t, semaphore, WAIT_ZERO);
    push(&p->g, t, semget(semaphore));
}
static void give(struct plan *p, unsigned t, unsigned semaphore) {
    semwait(p, t, semaphore, WAIT_MAX);
    push(&p->g, t, sempost(semaphore));
}

/* The semaphore that belongs to this thread alone. */
static void own_semaphore(struct plan *p, unsigned t) {
    if (p->own_thread != t)
        return;
    switch (draw(&p->g, 3)) {
    case 0:
        p->own_max = 1 + draw(&p->g, 15);
        p->own_value = draw(&p->g, p->own_max + 1);
        push(&p->g, t, seminit(p->own, p->own_max, p->own_value));
        break;
    case 1:
        if (p->own_value == p->own_max)
            return;
        p->own_value++;
        give(p, t, p->own);
        break;
    default:
        if (p->own_value == 0)
            return;
        p->own_value--;
        take(p, t, p->own);
        break;
    }
}

/* Hands a few words on to the next thread, which reads them. */
static void hand_over(struct plan *p, unsigned t) {
    unsigned to = (t + 1) % THREADS, count = draw(&p->g, 4), taken = 0;
    uint8_t handed[4];
    for (unsigned i = 0; i < count; i++) {
        int index = pick(p, t, t, 0);
        if (index < 0 || p->g.stream[t].bank != p->g.stream[to].bank)
            break;
        *owner_of(p, p->g.stream[t].bank, words[index].word) = (uint8_t)to;
        handed[taken++] = words[index].word;
    }
    settle(&p->g, t);
    give(p, t, p->channel[t]);
    take(p, to, p->channel[t]);
    for (unsigned i = 0; i < taken; i++) {
        unsigned gpr = draw(&p->g, GPRS);
        read_word_to(p, to, handed[i], gpr);
    }
}

/* GPR <- word; GPR += another; word <- GPR. What the GPR held depends on who came before, so it is set anew. */
static void add_by_hand(struct plan *p, unsigned t, unsigned word) {
    unsigned gpr = draw(&p->g, GPRS), other = (gpr + 1 + draw(&p->g, GPRS - 1)) % GPRS;
    uint32_t value = draw_next(&p->g.state);
    read_word_to(p, t, word, gpr);
    settle_gpr(&p->g, t, other);
    settle_gpr(&p->g, t, gpr);
    push(&p->g, t,
         tensix_encode_ADDDMAREG(
             (struct tensix_ADDDMAREG){ .OpARegIndex = gpr, .OpBRegIndex = other, .ResultRegIndex = gpr }));
    push(&p->g, t, wrcfg(word, gpr, false));
    lands_in_word(&p->g, t, word);
    set_gpr(p, t, gpr, value);
}

static void add_to_sum(struct plan *p, unsigned t) {
    int index = pick(p, t, EVERYBODY, UINT32_MAX);
    bool by_hand = draw(&p->g, 2);
    if (index < 0)
        return;
    settle(&p->g, t);
    push(&p->g, t, tensix_encode_ATGETM((struct tensix_ATGETM){ .mutex_index = MUTEX }));
    if (by_hand)
        add_by_hand(p, t, words[index].word);
    else
        add_scratch(p, t, words[index].word);
    settle(&p->g, t);
    push(&p->g, t, tensix_encode_ATRELM((struct tensix_ATRELM){ .mutex_index = MUTEX }));
}

/* ---- The expanders ----------------------------------------------------------------------------- */

/* An instruction that can stand anywhere and be repeated once everything before it has landed. `lasting`: for ever,
 * so that it may touch only what belongs to the thread. */
static uint32_t free_word(struct plan *p, unsigned t, bool lasting) {
    unsigned a = draw(&p->g, GPRS), b = draw(&p->g, GPRS), c = draw(&p->g, GPRS), dice = draw(&p->g, lasting ? 12 : 16);
    uint32_t value = draw_next(&p->g.state);
    int index = pick(p, t, t, dice == 15 ? UINT32_MAX : 0);
    if (dice < 5)
        return set_half(a * 2 + (value & 1), value >> 16);
    if (dice < 7)
        return tensix_encode_ADDDMAREG(
            (struct tensix_ADDDMAREG){ .OpARegIndex = a, .OpBRegIndex = b, .ResultRegIndex = c });
    if (dice < 9)
        return tensix_encode_MULDMAREG(
            (struct tensix_MULDMAREG){ .OpARegIndex = a, .OpBRegIndex = b, .ResultRegIndex = c });
    if (dice < 11)
        return setc16(thread_words[a % sizeof thread_words], value & 0xFFFF);
    if (dice < 12 || index < 0)
        return value & 1 ? tensix_encode_DMANOP((struct tensix_DMANOP){ 0 })
                         : tensix_encode_NOP((struct tensix_NOP){ 0 });
    if (dice < 15)
        return rmwcib(b % 4, words[index].word, words[index].mask >> b % 4 * 8 & value & 0xFF, value >> 8 & 0xFF);
    return wrcfg(words[index].word, a, false);
}

/* Config may have been written by something that was expanded. */
static void after_expansion(struct plan *p, unsigned t) {
    struct stream *stream = &p->g.stream[t];
    stream->all_ready = stream->now + 4;
    settle(&p->g, t);
}

static void record(struct plan *p, unsigned t) {
    unsigned count = 1 + draw(&p->g, draw(&p->g, 4) ? 8 : 32), start = draw(&p->g, 32), plays = draw(&p->g, 3);
    bool lasting = draw(&p->g, 2), execute = draw(&p->g, 2);
    make_room(&p->g, t, 4 * count + 20);
    settle(&p->g, t);
    push(&p->g, t, replay(start, count, true, execute));
    for (unsigned i = 0; i < count; i++) {
        uint32_t bit = UINT32_C(1) << (start + i) % 32;
        p->recorded[t] = lasting ? p->recorded[t] | bit : p->recorded[t] & ~bit;
        push(&p->g, t, free_word(p, t, lasting));
    }
    for (unsigned i = 0; i < plays; i++) {
        unsigned skip = draw(&p->g, count), length = 1 + draw(&p->g, count - skip);
        push(&p->g, t, replay((start + skip) % 32, length, false, false));
        p->g.stream[t].queued += length;
    }
    after_expansion(p, t);
}

/* The first word and the length, up to a limit, of something recorded; 0 if there is nothing there. */
static unsigned find_recorded(struct plan *p, unsigned t, unsigned *start, unsigned limit) {
    unsigned length = 0, wanted = 1 + draw(&p->g, limit);
    *start = draw(&p->g, 32);
    while (length < wanted && p->recorded[t] >> (*start + length) % 32 & 1)
        length++;
    return length;
}

static void play(struct plan *p, unsigned t) {
    unsigned start, length = find_recorded(p, t, &start, 32);
    if (length == 0)
        return;
    make_room(&p->g, t, length);
    settle(&p->g, t);
    push(&p->g, t, replay(start, length, false, false));
    p->g.stream[t].queued += length;
}

/* Something for a template: sometimes a short replay. */
static uint32_t template_word(struct plan *p, unsigned t) {
    unsigned start, length = find_recorded(p, t, &start, 3);
    if (length && draw(&p->g, 4) == 0)
        return replay(start, length, false, false);
    return free_word(p, t, false);
}

static void set_template(struct plan *p, unsigned t, unsigned index, uint32_t value) {
    struct generated_part *core = p->g.stream[t].core;
    emit_constant(&p->g, core, TEMP, value);
    emit(&p->g, core, rv_sw(TEMP, (int32_t)index * 4, MOP_CONFIG));
}

static void expand(struct plan *p, unsigned t) {
    enum { MOP_DONE_CHECK = 8, MOST = 4 * (2 * 5 + 3) * 3 };
    struct generated_part *core = p->g.stream[t].core;
    unsigned type = draw(&p->g, 2), outer = 1 + draw(&p->g, 4), inner = 1 + draw(&p->g, 5), flags = draw(&p->g, 4);
    unsigned high = draw(&p->g, 65536), low = draw(&p->g, 65536), count = draw(&p->g, 10), again = draw(&p->g, 2);
    make_room(&p->g, t, 2 * MOST + 20);
    settle(&p->g, t);
    emit(&p->g, core, rv_lw(TEMP, MOP_DONE_CHECK, SYNC_BASE));
    consume(&p->g, core, TEMP);
    set_template(p, t, 0, outer);
    set_template(p, t, 1, type ? inner : flags);
    for (unsigned i = 2; i < 9; i++)
        set_template(p, t, i, template_word(p, t));
    if (draw(&p->g, 2))
        push(&p->g, t, tensix_encode_MOP_CFG((struct tensix_MOP_CFG){ .zmask_hi16 = high }));
    for (unsigned i = 0; i <= again; i++)
        push(&p->g, t,
             tensix_encode_MOP((struct tensix_MOP){
                 .mop_type = type, .loop_count = type ? 0 : count, .zmask_lo16_or_loop_count = type ? 0 : low }));
    p->g.stream[t].queued += (1 + again) * MOST;
    after_expansion(p, t);
}

/* ---- What a core does beside ------------------------------------------------------------------ */

static void core_writes_gpr(struct plan *p, unsigned t) {
    struct generated_part *core = p->g.stream[t].core;
    unsigned gpr = draw(&p->g, GPRS);
    uint32_t value = draw_integer(&p->g.state);
    sync(&p->g, t);
    emit_constant(&p->g, core, TEMP + 1, value);
    store_and_read_back(&p->g, core, TEMP + 1, (int32_t)gpr * 4, GPR_BASE);
}

static void core_copies_to_gpr(struct plan *p, unsigned t) {
    struct generated_part *core = p->g.stream[t].core;
    unsigned from = draw(&p->g, GPRS), to = draw(&p->g, GPRS), word = words[draw(&p->g, WORDS)].word;
    bool config = draw(&p->g, 2) && (p->owner[0][word] == t || p->owner[0][word] == NOBODY);
    sync(&p->g, t);
    emit(&p->g, core, rv_lw(TEMP + 1, (int32_t)(config ? word : from) * 4, config ? CONFIG_BASE : GPR_BASE));
    store_and_read_back(&p->g, core, TEMP + 1, (int32_t)to * 4, GPR_BASE);
}

static void core_writes_config(struct plan *p, unsigned t) {
    struct generated_part *core = p->g.stream[t].core;
    const struct config_word *w = &words[draw(&p->g, WORDS)];
    uint32_t value = draw_integer(&p->g.state) & w->mask;
    if (p->owner[0][w->word] != t)
        return;
    sync(&p->g, t);
    emit_constant(&p->g, core, TEMP + 1, value);
    store_and_read_back(&p->g, core, TEMP + 1, w->word * 4, CONFIG_BASE);
}

static int32_t semaphore_offset(unsigned semaphore) {
    return 0x20 + (int32_t)semaphore * 4;
}

/* The thread waits for its core. */
static void core_posts(struct plan *p, unsigned t) {
    unsigned more = draw(&p->g, 4);
    if (p->own_thread != t || p->own_value)
        return;
    sync(&p->g, t); /* the semaphore has its value now */
    take(p, t, p->own);
    for (unsigned i = 0; i < more; i++)
        set_gpr_half(p, t);
    emit(&p->g, p->g.stream[t].core, rv_sw(0, semaphore_offset(p->own), SYNC_BASE));
}

/* The core waits until a semaphore is not 0 and takes from it. */
static void core_takes(struct plan *p, unsigned t, unsigned semaphore) {
    struct generated_part *core = p->g.stream[t].core;
    emit(&p->g, core, rv_lw(TEMP, semaphore_offset(semaphore), SYNC_BASE));
    emit(&p->g, core, rv_b(0, TEMP, 0, -4));
    emit(&p->g, core, rv_addi(TEMP + 1, 0, 1));
    store_and_read_back(&p->g, core, TEMP + 1, semaphore_offset(semaphore), SYNC_BASE);
}

static void core_waits(struct plan *p, unsigned t) {
    if (p->own_thread != t || p->own_value || p->own_max == 0)
        return;
    sync(&p->g, t);
    push(&p->g, t, sempost(p->own));
    core_takes(p, t, p->own);
}

/* ---- The whole --------------------------------------------------------------------------------- */

typedef void item_function(struct plan *p, unsigned t);

/* What BRISC can push comes first. */
static item_function *const items[] = {
    set_gpr_half,    set_gpr_half,       set_gpr_half,       arithmetic,    arithmetic,  write_word,  write_word,
    write_word,      write_four,         read_word,          read_word,     change_byte, change_byte, set_thread_config,
    stall,           no_operation,       add_to_word,        write_scratch, write_sink,  record,      play,
    expand,          own_semaphore,      own_semaphore,      hand_over,     hand_over,   add_to_sum,  add_to_sum,
    core_writes_gpr, core_copies_to_gpr, core_writes_config, core_posts,    core_waits,
};
enum { ITEMS = sizeof items / sizeof *items, ITEMS_BRISC = 21 };

static void add_item(struct plan *p, unsigned t, unsigned limit) {
    unsigned chosen = draw(&p->g, limit + 1);
    p->g.item = ++p->g.program->items;
    if (chosen < limit)
        items[chosen](p, t);
    p->g.item = 0;
    if (chosen == limit) /* frame: what follows reads and writes other words without it */
        set_bank(p, t, draw(&p->g, 2));
    make_room(&p->g, t, 30);
}

/* Says which barrier the core has reached, and waits until the others of a mask have. */
static void flag(struct plan *p, struct generated_part *part, unsigned number) {
    emit(&p->g, part, rv_addi(TEMP, 0, (int32_t)number));
    emit(&p->g, part, rv_sw(TEMP, area_offset(FLAGS + 4 * part->core), AREA_BASE));
}
static void await_flags(struct plan *p, struct generated_part *part, unsigned number) {
    emit(&p->g, part, rv_addi(TEMP, 0, (int32_t)number));
    for (unsigned t = 0; t < THREADS; t++) {
        emit(&p->g, part, rv_lw(TEMP + 1, area_offset(FLAGS + 4 * p->g.stream[t].core->core), AREA_BASE));
        emit(&p->g, part, rv_b(4, TEMP + 1, TEMP, -4)); /* blt */
    }
}

static void core_barrier(struct plan *p) {
    p->barriers++;
    for (unsigned t = 0; t < THREADS; t++) {
        sync(&p->g, t);
        flag(p, p->g.stream[t].core, p->barriers);
        await_flags(p, p->g.stream[t].core, p->barriers);
    }
}

static void tensix_barrier(struct plan *p) {
    for (unsigned t = 0; t < THREADS; t++)
        settle(&p->g, t);
    for (unsigned t = 1; t < THREADS; t++) {
        give(p, t, p->arrive[t]);
        take(p, 0, p->arrive[t]);
    }
    for (unsigned t = 1; t < THREADS; t++) {
        give(p, 0, p->go[t]);
        take(p, t, p->go[t]);
    }
}

static void brisc_pushes(struct plan *p) {
    unsigned count = 20 + draw(&p->g, 50);
    await_flags(p, p->g.brisc, p->barriers);
    p->g.by_brisc = true;
    while (count--) {
        unsigned t = draw(&p->g, THREADS);
        if (p->g.stream[t].queued < 150)
            add_item(p, t, ITEMS_BRISC);
    }
    for (unsigned t = 0; t < THREADS; t++)
        push(&p->g, t, sempost(p->channel[t]));
    p->g.by_brisc = false;
    for (unsigned t = 0; t < THREADS; t++)
        core_takes(p, t, p->channel[t]);
    core_barrier(p);
}

static void phase(struct plan *p) {
    unsigned count = 30 + draw(&p->g, 50);
    p->own_thread = draw(&p->g, THREADS);
    while (count--)
        add_item(p, draw(&p->g, THREADS), ITEMS);
}

/* Deals the eight semaphores to their duties. */
static void deal_semaphores(struct plan *p) {
    uint8_t *const duty[SEMAPHORES] = { &p->arrive[1],  &p->arrive[2],  &p->go[1],      &p->go[2],
                                        &p->channel[0], &p->channel[1], &p->channel[2], &p->own };
    uint8_t number[SEMAPHORES];
    for (unsigned i = 0; i < SEMAPHORES; i++)
        number[i] = (uint8_t)i;
    for (unsigned i = SEMAPHORES; i-- > 0;) {
        unsigned j = draw(&p->g, i + 1);
        *duty[i] = number[j];
        number[j] = number[i];
    }
    for (unsigned i = 0; i < SEMAPHORES; i++) {
        unsigned max = 1 + draw(&p->g, 15);
        push(&p->g, 0, seminit(*duty[i], max, 0));
        if (duty[i] == &p->own)
            p->own_max = max;
    }
}

static void start_core(struct plan *p, struct generated_part *part) {
    bool brisc = part == p->g.brisc;
    emit_constant(&p->g, part, AREA_BASE, p->g.program->address + AREA_MIDDLE);
    emit_constant(&p->g, part, PUSH_BASE, 0xFFE40000);
    emit_constant(&p->g, part, CONFIG_BASE, 0xFFEF0000);
    emit_constant(&p->g, part, MOP_CONFIG, 0xFFB80000);
    emit_constant(&p->g, part, brisc ? PUSH1_BASE : GPR_BASE, brisc ? 0xFFE50000 : 0xFFE00000);
    emit_constant(&p->g, part, brisc ? PUSH2_BASE : SYNC_BASE, brisc ? 0xFFE60000 : 0xFFE80000);
}

/* TRISC0 sets both banks; bank 1 by way of its GPRs. */
static void start_config(struct plan *p) {
    struct generated_part *core = p->g.stream[0].core;
    for (unsigned i = 0; i < WORDS; i++) {
        emit(&p->g, core, rv_lw(TEMP, area_offset(START_CONFIG + i), AREA_BASE));
        emit(&p->g, core, rv_sw(TEMP, words[i].word * 4, CONFIG_BASE));
    }
    emit(&p->g, core, rv_lw(TEMP, words[WORDS - 1].word * 4, CONFIG_BASE));
    consume(&p->g, core, TEMP);
    emit_copy(&p->g, core, GPR_BASE, 0, AREA_BASE, area_offset(START_CONFIG1), WORDS + THREADS);
    emit(&p->g, core, rv_lw(TEMP, (WORDS + THREADS - 1) * 4, GPR_BASE));
    consume(&p->g, core, TEMP);
    set_bank(p, 0, 1);
    for (unsigned i = 0; i < WORDS + THREADS; i++)
        push(&p->g, 0, wrcfg(i < WORDS ? words[i].word : SCRATCH + i - WORDS, i, false));
    after_expansion(p, 0);
    set_bank(p, 0, 0);
    sync(&p->g, 0);
}

static void start_gprs(struct plan *p, unsigned t) {
    struct generated_part *core = p->g.stream[t].core;
    emit_copy(&p->g, core, GPR_BASE, 0, AREA_BASE, area_offset(START_GPR + t * GPRS), GPRS);
    emit(&p->g, core, rv_lw(TEMP, (GPRS - 1) * 4, GPR_BASE));
    consume(&p->g, core, TEMP);
}

static void finish_config(struct plan *p) {
    struct generated_part *core = p->g.stream[0].core;
    for (unsigned i = 0; i < WORDS + sizeof zeros; i++) {
        unsigned word = i < WORDS ? words[i].word : zeros[i - WORDS];
        emit(&p->g, core, rv_lw(TEMP, (int32_t)word * 4, CONFIG_BASE));
        emit(&p->g, core, rv_sw(TEMP, area_offset(END_CONFIG + i), AREA_BASE));
    }
    for (unsigned i = 0; i < SEMAPHORES; i++) {
        emit(&p->g, core, rv_lw(TEMP, semaphore_offset(i), SYNC_BASE));
        emit(&p->g, core, rv_sw(TEMP, area_offset(END_SEMAPHORES + i), AREA_BASE));
    }
    set_bank(p, 0, 1);
    for (unsigned i = 0; i < WORDS + sizeof zeros; i++)
        push(&p->g, 0, rdcfg(i < WORDS ? words[i].word : zeros[i - WORDS], i));
    sync(&p->g, 0);
    emit_copy(&p->g, core, AREA_BASE, area_offset(END_CONFIG1), GPR_BASE, 0, WORDS + sizeof zeros);
}

static void finish(struct plan *p) {
    core_barrier(p);
    for (unsigned t = 0; t < THREADS; t++)
        emit_copy(&p->g, p->g.stream[t].core, AREA_BASE, area_offset(END_GPR + t * GPRS), GPR_BASE, 0, GPRS);
    core_barrier(p);
    finish_config(p);
    emit_constant(&p->g, p->g.stream[0].core, TEMP, GENERATED_DONE);
    emit(&p->g, p->g.stream[0].core, rv_sw(TEMP, area_offset(DONE), AREA_BASE));
    for (unsigned part = 0; part < p->g.program->parts; part++)
        emit(&p->g, &p->g.program->part[part], rv_jal(0, 0));
}

static void draw_start(struct plan *p) {
    uint32_t *data = p->g.program->data;
    for (unsigned i = 0; i < THREADS * GPRS; i++)
        data[START_GPR + i] = draw_integer(&p->g.state);
    for (unsigned i = 0; i < WORDS; i++) {
        data[START_CONFIG + i] = draw_next(&p->g.state) & words[i].mask;
        data[START_CONFIG1 + i] = draw_next(&p->g.state) & words[i].mask;
    }
    for (unsigned i = 0; i < THREADS; i++)
        data[START_CONFIG1 + WORDS + i] = draw_integer(&p->g.state);
}

static void generate(struct generated *program, uint64_t seed) {
    struct plan p = { .g = { .program = program, .state = seed * UINT64_C(0xD1342543DE82EF95) + 7 } };
    memset(program, 0, sizeof *program);
    program->seed = seed;
    program->address = 0x20000;
    program->data_words = AREA;
    program->parts = THREADS + (unsigned)(seed % 2);
    for (unsigned i = 0; i < program->parts; i++)
        program->part[i].core = i < THREADS ? BH_TRISC0 + i : BH_BRISC;
    for (unsigned t = 0; t < THREADS; t++)
        p.g.stream[t].core = &program->part[t];
    p.g.brisc = program->parts > THREADS ? &program->part[THREADS] : NULL;
    draw_start(&p);
    for (unsigned i = 0; i < program->parts; i++)
        start_core(&p, &program->part[i]);
    start_config(&p);
    deal_semaphores(&p);
    for (unsigned t = 0; t < THREADS; t++) {
        start_gprs(&p, t);
        set_bank(&p, t, draw(&p.g, 2));
    }
    core_barrier(&p);
    deal_words(&p);
    if (p.g.brisc)
        brisc_pushes(&p);
    for (unsigned phases = 1 + draw(&p.g, 4); phases; phases--) {
        phase(&p);
        if (draw(&p.g, 2))
            core_barrier(&p);
        else
            tensix_barrier(&p);
        deal_words(&p);
    }
    finish(&p);
}

static bool is_compared(unsigned index) {
    return index >= END_GPR && index < FLAGS;
}

static void name(const struct generated *program, unsigned index, char *text, unsigned size) {
    (void)program;
    if (index >= END_SEMAPHORES)
        snprintf(text, size, "semaphore %u", index - END_SEMAPHORES);
    else if (index >= END_CONFIG) {
        unsigned bank = index >= END_CONFIG1, i = index - (bank ? END_CONFIG1 : END_CONFIG);
        snprintf(text, size, "word %u of bank %u", i < WORDS ? words[i].word : zeros[i - WORDS], bank);
    } else
        snprintf(text, size, "GPR %u of thread %u", (index - END_GPR) % GPRS, (index - END_GPR) / GPRS);
}

static void print_start(const struct generated *program) {
    for (unsigned i = 0; i < THREADS * GPRS; i++)
        printf("%sT%u GPR %2u %08x", i % 6 ? "  " : "\n    ", i / GPRS, i % GPRS, program->data[START_GPR + i]);
    for (unsigned i = 0; i < WORDS; i++)
        printf("%sword %3u %08x, %08x", i % 4 ? "  " : "\n    ", words[i].word, program->data[START_CONFIG + i],
               program->data[START_CONFIG1 + i]);
    printf("\n");
}

const struct generated_kind generated_tensix = {
    .generate = generate,
    .per_tile = 1,
    .area_words = AREA,
    .done_word = DONE,
    .is_compared = is_compared,
    .is_clue = is_compared,
    .name = name,
    .print_start = print_start,
};
