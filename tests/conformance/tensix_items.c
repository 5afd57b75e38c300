/* The items of programs for the coprocessor. Every draw stands in a statement of its own: the order in which a compiler
 * evaluates arguments must not matter. */
#include "draw.h"
#include "support/rv.h"
#include "tensix_plan.h"

const struct config_word words[WORDS] = {
    { 0, 0xFFFFBDFF },   { 1, 0xFFFF8000 },   { 2, UINT32_MAX },   { 3, UINT32_MAX },   { 12, UINT32_MAX },
    { 13, UINT32_MAX },  { 14, UINT32_MAX },  { 15, UINT32_MAX },  { 17, UINT32_MAX },  { 18, UINT32_MAX },
    { 24, UINT32_MAX },  { 28, UINT32_MAX },  { 56, UINT32_MAX },  { 57, UINT32_MAX },  { 59, UINT32_MAX },
    { 64, UINT32_MAX },  { 65, UINT32_MAX },  { 68, UINT32_MAX },  { 69, UINT32_MAX },  { 70, UINT32_MAX },
    { 71, 0xFFDFFFFF },  { 72, UINT32_MAX },  { 73, 0xFFFFBFFF },  { 76, UINT32_MAX },  { 77, UINT32_MAX },
    { 84, UINT32_MAX },  { 86, UINT32_MAX },  { 112, UINT32_MAX }, { 113, UINT32_MAX }, { 119, 0x600000 },
    { 120, UINT32_MAX }, { 121, 0xFFFFBFFF }, { 124, UINT32_MAX }, { 125, UINT32_MAX }, { 220, UINT32_MAX },
};
const uint8_t zeros[ZEROS] = { 66, 67, 74, 75, 114, 115, 122, 123 };
/* Words that can only be written, without consequences. */
static const uint8_t sinks[] = { 20, 21, 25, 29, 30, 31, 50, 92, 93, 180, 181, 182, 183, 186 };
/* Registers of ThreadConfig. */
static const uint8_t thread_words[] = { 1,  2,  3,  5,  7,  12, 13, 14, 15, 16, 17, 18, 19, 28, 29, 30, 31,
                                        32, 33, 34, 35, 37, 38, 39, 40, 41, 47, 48, 49, 50, 51, 52, 53, 54 };

/* ---- Ownership --------------------------------------------------------------------------------- */

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

void deal_words(struct plan *p) {
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

/* Adds a scratch word that is constant in this phase. */
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

void set_bank(struct plan *p, unsigned t, unsigned bank) {
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
void take(struct plan *p, unsigned t, unsigned semaphore) {
    semwait(p, t, semaphore, WAIT_ZERO);
    push(&p->g, t, semget(semaphore));
}
void give(struct plan *p, unsigned t, unsigned semaphore) {
    semwait(p, t, semaphore, WAIT_MAX);
    push(&p->g, t, sempost(semaphore));
}

/* The semaphore that only this thread uses. */
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

/* GPR <- word; GPR += another; word <- GPR. The old value of the GPR depends on the order of threads, so it is set
 * anew. */
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
void after_expansion(struct plan *p, unsigned t) {
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

/* ---- Actions of cores ------------------------------------------------------------------------- */

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
void core_takes(struct plan *p, unsigned t, unsigned semaphore) {
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

/* Items that BRISC can push come first. */
item_function *const items[ITEMS] = {
    set_gpr_half,    set_gpr_half,       set_gpr_half,       arithmetic,    arithmetic,  write_word,  write_word,
    write_word,      write_four,         read_word,          read_word,     change_byte, change_byte, set_thread_config,
    stall,           no_operation,       add_to_word,        write_scratch, write_sink,  record,      play,
    expand,          own_semaphore,      own_semaphore,      hand_over,     hand_over,   add_to_sum,  add_to_sum,
    core_writes_gpr, core_copies_to_gpr, core_writes_config, core_posts,    core_waits,
};
