/* src/tensix/mover/mover.c: XMOV: the bytes that it copies, the cycle in which they are visible, the waits for it, and
 * its refusals. */
#include "support/tensix_scene.h"

#include "isa/memmap.h"
#include "support/random.h"

enum { L1_SIZE = 1536 * 1024, ROUNDS = 150, FIRST_WORD = CONFIG_WORD_THCON_SEC0_REG6_Source_address };

/* ---- As the pages have it ------------------------------------------------------------------------------------ */

enum { ZERO_TO_L1, L1_TO_OTHER, ZERO_TO_OTHER, L1_TO_L1 };

struct task {
    uint32_t from, to, bytes;
    unsigned direction;
};

static bool copies(const struct task *t) {
    return t->direction == L1_TO_L1 || t->direction == L1_TO_OTHER;
}

static bool to_l1(const struct task *t) {
    return t->direction == L1_TO_L1 || t->direction == ZERO_TO_L1;
}

/* Eight copies in eleven cycles, one zero in one. */
static unsigned cycles(const struct task *t, unsigned units) {
    return copies(t) ? units / 8 * 11 + (units % 8 ? 3 + units % 8 : 0) : units;
}

/* How many cycles after its XMOV others see the unit. In L1 the eight of a group come together. */
static unsigned seen_after(const struct task *t, unsigned unit) {
    unsigned all = t->bytes / 16, upto = unit + 1;
    if (to_l1(t))
        upto = (unit / 8 + 1) * 8 < all ? (unit / 8 + 1) * 8 : all;
    return 1 + cycles(t, upto);
}

static void configure(struct tensix *x, unsigned bank, const struct task *t) {
    uint32_t *words = &x->config.bank[bank][FIRST_WORD];
    words[0] = t->from / 16;
    words[1] = t->to / 16;
    words[2] = t->bytes / 16 | t->direction << 30;
}

/* ---- L1 --------------------------------------------------------------------------------------------------------- */

/* Every cycle of a task, byte by byte. */
static void watch_l1(const struct task *t, uint64_t seed) {
    struct tensix_box *tb = tb_create();
    uint8_t *before = malloc(L1_SIZE), *want = malloc(L1_SIZE);
    fill_l1(tb->x, 0x8000, L1_SIZE - 0x8000, &seed);
    configure(tb->x, 0, t);
    tb_push(tb, 0, TT(XMOV, 0, random_below(&seed, 2)));
    tb_start(tb);
    while (!tb->passes[0])
        tb_step(tb, tb->now + 1);
    memcpy(before, tb->x->l1, L1_SIZE);
    memcpy(want, before, L1_SIZE);
    uint64_t passed = tb->at[0][0], end = passed + 1 + cycles(t, t->bytes / 16);
    for (; tb->now < end + 3; tb_step(tb, tb->now + 1)) {
        for (uint32_t unit = 0; unit < t->bytes / 16; unit++) {
            if (tb->now != passed + seen_after(t, unit))
                continue;
            if (copies(t))
                memcpy(want + t->to + unit * 16, before + t->from + unit * 16, 16);
            else
                memset(want + t->to + unit * 16, 0, 16);
        }
        assert_memory_equal(want, tb->x->l1, L1_SIZE);
        assert_int_equal(tensix_idle(tb->x, 0, tb->now), tb->now >= end);
    }
    free(before);
    free(want);
    tb_destroy(tb);
}

static void copies_in_l1(void **state) {
    static const unsigned sizes[] = { 1, 2, 7, 8, 9, 15, 16, 17, 40 };
    uint64_t seed = 1;
    (void)state;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        watch_l1(&(struct task){ 0x10000, 0x20000, sizes[i] * 16, L1_TO_L1 }, i);
        watch_l1(&(struct task){ 0x12340, 0x20000, sizes[i] * 16, ZERO_TO_L1 }, i);
    }
    for (unsigned i = 0; i < 5; i++) {
        uint32_t bytes = random_below(&seed, 100) * 16, half = L1_SIZE / 2;
        uint32_t from = 0x8000 + random_below(&seed, (half - 0x8000 - bytes) / 16) * 16;
        uint32_t to = half + random_below(&seed, (half - bytes) / 16) * 16;
        watch_l1(&(struct task){ from, to, bytes, random_below(&seed, 2) ? L1_TO_L1 : ZERO_TO_L1 }, i);
        watch_l1(&(struct task){ to, from, bytes, L1_TO_L1 }, i);
    }
    watch_l1(&(struct task){ L1_SIZE - 64, 0x8000, 64, L1_TO_L1 }, 3); /* up to the last byte */
    watch_l1(&(struct task){ 0x8000, L1_SIZE - 64, 64, L1_TO_L1 }, 4);
}

/* The largest size that can be given, and that only 16 bits of it count. */
static void size_has_16_bits(void **state) {
    struct tensix_box *tb = *state;
    struct task t = { 0, 0x10000, 0, ZERO_TO_L1 };
    uint64_t seed = 5;
    configure(tb->x, 0, &t);
    tb->x->config.bank[0][FIRST_WORD + 2] |= 0x10FFFF;
    fill_l1(tb->x, 0xFF00, L1_SIZE - 0xFF00, &seed);
    tb_push(tb, 0, TT(XMOV, 0, 0));
    tb_start(tb);
    tb_step(tb, 70000);
    assert_int_equal(tb->x->mover.busy_until, tb->at[0][0] + 1 + 0xFFFF);
    assert_true(tb->x->l1[0xFFFF] != 0);
    for (uint32_t at = 0x10000; at < 0x10000 + 0xFFFF0; at++)
        assert_int_equal(tb->x->l1[at], 0);
    uint64_t word;
    memcpy(&word, &tb->x->l1[0x10FFF0], sizeof word);
    assert_true(word != 0);
}

static void size_zero_does_nothing(void **state) {
    struct tensix_box *tb = *state;
    configure(tb->x, 0, &(struct task){ 0x10000, 0x20000, 0, L1_TO_L1 });
    TB_PUSH_ALL(tb, 0, TT(XMOV, 0, 0), TT(XMOV, 0, 0), TT(STALLWAIT, 1, GATE_C_MOVER), TT(XMOV, 0, 0));
    assert_true(tb_run(tb));
    assert_int_equal(tb->at[0][1], tb->at[0][0] + 1);
    assert_int_equal(tb->at[0][3], tb->at[0][2] + 2);
}

/* The thread's bank of Config, when it passes. */
static void the_threads_bank_counts(void **state) {
    struct tensix_box *tb = *state;
    tb->x->config.thread[2][CONFIG_WORD_CFG_STATE_ID_StateID] = 1;
    memset(&tb->x->l1[0x9000], 0x11, 32);
    configure(tb->x, 0, &(struct task){ 0x9000, 0x20000, 16, L1_TO_L1 });
    configure(tb->x, 1, &(struct task){ 0x9010, 0x30000, 16, L1_TO_L1 });
    tb_push(tb, 2, TT(XMOV, 0, 0));
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->l1[0x20000], 0);
    assert_int_equal(tb->x->l1[0x30000], 0x11);
}

/* ---- Config ------------------------------------------------------------------------------------------------------ */

/* A word of both banks as the offset names it. */
static void put_word(uint32_t bank[2][CONFIG_ROW], uint32_t offset, uint32_t value) {
    unsigned window = offset / 4 / CONFIG_WORDS, word = offset / 4 % CONFIG_WORDS;
    value &= ~config_missing[word];
    if (window != 1 || word >= CONFIG_BASE_GLOBAL)
        bank[0][word] = value;
    if (window != 0 || word >= CONFIG_BASE_GLOBAL)
        bank[1][word] = value;
}

/* Words from 8 on: one before has an effect. */
static void watch_config(const struct task *t, uint64_t seed) {
    struct tensix_box *tb = tb_create();
    uint32_t want[2][CONFIG_ROW];
    fill_l1(tb->x, 0x10000, 0x2000, &seed);
    for (unsigned i = 8; i < CONFIG_BASE_GLOBAL; i++)
        tb->x->config.bank[0][i] = (uint32_t)random_next(&seed);
    configure(tb->x, 0, t);
    tb_push(tb, 0, TT(XMOV, 0, 0));
    tb_start(tb);
    while (!tb->passes[0])
        tb_step(tb, tb->now + 1);
    memcpy(want, tb->x->config.bank, sizeof want);
    uint64_t passed = tb->at[0][0], end = passed + 1 + cycles(t, t->bytes / 16);
    for (; tb->now < end + 3; tb_step(tb, tb->now + 1)) {
        for (uint32_t at = 0; at < t->bytes; at += 4) {
            uint32_t value = 0;
            if (tb->now != passed + seen_after(t, at / 16))
                continue;
            if (copies(t))
                memcpy(&value, &tb->x->l1[t->from + at], 4);
            put_word(want, t->to + at, value);
        }
        assert_memory_equal(want, tb->x->config.bank, sizeof want);
        assert_int_equal(tb->x->mover.busy_until > tb->now, tb->now < end);
    }
    tb_destroy(tb);
}

static void to_config(void **state) {
    const uint32_t bank1 = CONFIG_WORDS * 4;
    uint64_t seed = 9;
    (void)state;
    watch_config(&(struct task){ 0x10000, 32, bank1 - 32, L1_TO_OTHER }, 1);
    watch_config(&(struct task){ 0x10000, bank1 + 32, bank1 - 32, L1_TO_OTHER }, 2);
    watch_config(&(struct task){ 0x10000, 2 * bank1 + 32, bank1 - 32, L1_TO_OTHER }, 3);
    watch_config(&(struct task){ 0x10000, 32, bank1 - 32, ZERO_TO_OTHER }, 4);
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned unit = 2 + random_below(&seed, 53), units = random_below(&seed, 56 - unit);
        watch_config(&(struct task){ 0x10000 + random_below(&seed, 64) * 16, random_below(&seed, 3) * bank1 + unit * 16,
                                     units * 16, random_below(&seed, 2) ? L1_TO_OTHER : ZERO_TO_OTHER },
                     i);
    }
}

/* Writes have their effects: a seed, and the reset of a bank by its first word. */
static void config_words_with_effects(void **state) {
    struct tensix_box *tb = *state;
    uint32_t seed = 0xABCD;
    memcpy(&tb->x->l1[0x10000 + CONFIG_WORD_PRNG_SEED_Seed_Val % 4 * 4], &seed, 4);
    configure(tb->x, 0, &(struct task){ 0x10000, CONFIG_WORD_PRNG_SEED_Seed_Val / 4 * 16, 16, L1_TO_OTHER });
    tb_push(tb, 0, TT(XMOV, 0, 0));
    tb_start(tb);
    tb_step(tb, 100);
    assert_int_equal(tb->x->config.prng_seeds, 1);
    assert_int_equal(tb->x->config.prng_seed, 0xABCD);
    configure(tb->x, 0, &(struct task){ 0, CONFIG_WORD_STATE_RESET_EN / 4 * 16, 16, ZERO_TO_OTHER });
    tb->x->config.bank[0][100] = 5;
    scene_push(tb, BH_TRISC0, 0, (const uint32_t[]){ TT(XMOV, 0, 0) }, 1, tb->now);
    tb_step(tb, 300);
    assert_int_equal(tb->x->config.bank[0][100], 0);
}

/* Stage 0 is taken: the mover's write waits in its place, and everything after it. */
static void waits_for_stage_zero(void **state) {
    struct tensix_box *tb = *state;
    enum { UNITS = 3, WRITES = 20 };
    const struct task t = { 0x10000, 76 * 4, UNITS * 16, L1_TO_OTHER };
    uint64_t seed = 3;
    fill_l1(tb->x, 0x10000, 0x100, &seed);
    configure(tb->x, 0, &t);
    tb_push(tb, 1, HELD(1));
    for (unsigned i = 0; i < WRITES; i++)
        tb_push(tb, 1, TT(WRCFG, 4, 0, 60));
    tb_push(tb, 0, HELD(1));
    tb_push(tb, 0, TT(XMOV, 0, 0));
    tb_start(tb);
    tb_step(tb, 200);
    tb->x->sync.semaphore[1].value = 1;
    tensix_wake(tb->x, tb->now);
    tb_step(tb, 300);
    uint64_t passed = tb->at[0][1], first = tb->at[1][1], last = tb->at[1][WRITES];
    assert_int_equal(first, passed);
    assert_int_equal(last, first + WRITES - 1);
    /* A WRCFG is in stage 0 in the cycle after it passes, so that the last one leaves it after last + 1. */
    assert_int_equal(tb->x->mover.busy_until, last + 2 + UNITS);
    assert_memory_equal(&tb->x->config.bank[0][76], &tb->x->l1[0x10000], t.bytes);
    assert_int_equal(tb->x->thread[0].idle_at, tb->x->mover.busy_until);
}

/* ---- Nowhere ----------------------------------------------------------------------------------------------------- */

static void to_nowhere(void **state) {
    static const uint32_t targets[] = { 0x10000, 0x3FFF0, 0x50000, 0x20000000 };
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct tensix_box *tb = tb_create();
        uint8_t *before = malloc(L1_SIZE);
        uint64_t seed = i;
        uint32_t config[2][CONFIG_ROW];
        fill_l1(tb->x, 0x8000, L1_SIZE - 0x8000, &seed);
        memcpy(before, tb->x->l1, L1_SIZE);
        configure(tb->x, 0, &(struct task){ 0x10000, targets[i], i == 1 ? 16 : 320, L1_TO_OTHER });
        memcpy(config, tb->x->config.bank, sizeof config);
        tb_push(tb, 0, TT(XMOV, 0, 0));
        assert_true(tb_run(tb));
        assert_int_equal(tb->x->mover.busy_until, tb->at[0][0] + 1 + (i == 1 ? 4 : 22 + 7));
        assert_memory_equal(before + 0x8000, tb->x->l1 + 0x8000, L1_SIZE - 0x8000);
        assert_memory_equal(config, tb->x->config.bank, sizeof config);
        free(before);
        tb_destroy(tb);
    }
}

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

static void refused(const struct task *t, unsigned block, const char *text) {
    struct tensix_box *tb = tb_create();
    configure(tb->x, 0, t);
    tb_push(tb, 0, TT(XMOV, block, 0));
    assert_false(tb_run(tb));
    assert_int_equal(tb->box->fault.kind, BH_FAULT_UNDEFINED);
    if (!strstr(tb->box->fault.text, text))
        fail_msg("%s", tb->box->fault.text);
    assert_int_equal(tb->x->mover.busy_until, 0);
    tb_destroy(tb);
}

static void what_is_refused(void **state) {
    (void)state;
    refused(&(struct task){ L1_SIZE, 0, 0, L1_TO_L1 }, 0, "source lies outside L1");
    refused(&(struct task){ L1_SIZE - 16, 0x20000, 32, L1_TO_L1 }, 0, "source lies outside L1");
    refused(&(struct task){ L1_SIZE - 16, 0x10, 32, L1_TO_OTHER }, 0, "source lies outside L1");
    refused(&(struct task){ 0xFFFFFFF0, 0x10, 32, L1_TO_OTHER }, 0, "source lies outside L1");
    refused(&(struct task){ 0, L1_SIZE, 16, ZERO_TO_L1 }, 0, "target lies outside L1");
    refused(&(struct task){ 0, L1_SIZE - 16, 32, L1_TO_L1 }, 0, "target lies outside L1");
    refused(&(struct task){ 0, 0x40000, 16, L1_TO_OTHER }, 0, "instruction RAM");
    refused(&(struct task){ 0, 0x4FFF0, 16, ZERO_TO_OTHER }, 0, "instruction RAM");
    refused(&(struct task){ 0, 0x3FFF0, 32, ZERO_TO_OTHER }, 0, "64 KiB");
    refused(&(struct task){ 0, CONFIG_AT_THREAD - 16, 32, ZERO_TO_OTHER }, 0, "ThreadConfig");
    refused(&(struct task){ 0, 0xFFF0, 16, ZERO_TO_OTHER }, 0, "ThreadConfig");
    refused(&(struct task){ 0, 0x20000, 16, L1_TO_L1 }, 1, "Mov_block_selection");
    refused(&(struct task){ 0x10, L1_SIZE, 16, L1_TO_L1 }, 0, "direction 3, from 0x00000010 to 0x00180000, 16 bytes");
}

/* ---- Waits ------------------------------------------------------------------------------------------------------- */

/* One task at a time, whichever threads they are of; the second starts in the cycle in which the first is done. */
static void one_at_a_time(void **state) {
    struct tensix_box *tb = *state;
    configure(tb->x, 0, &(struct task){ 0x10000, 0x20000, 160, L1_TO_L1 });
    for (unsigned thread = 0; thread < 3; thread++)
        tb_push(tb, thread, TT(XMOV, 0, 0));
    tb_start(tb);
    tb_step(tb, 300);
    uint64_t at[3] = { tb->at[0][0], tb->at[1][0], tb->at[2][0] };
    for (unsigned i = 0; i < 3; i++)
        for (unsigned j = 0; j < 2; j++)
            if (at[j] > at[j + 1]) {
                uint64_t other = at[j];
                at[j] = at[j + 1];
                at[j + 1] = other;
            }
    assert_int_equal(at[1], at[0] + 1 + 16);
    assert_int_equal(at[2], at[1] + 1 + 16);
}

/* C9 holds any thread until no task is in progress, and is met in the first cycle without one; the thread that moves
 * nothing is idle all the while. */
static void condition_c9(void **state) {
    struct tensix_box *tb = *state;
    configure(tb->x, 0, &(struct task){ 0x10000, 0x20000, 16 * 40, L1_TO_L1 });
    tb_push(tb, 0, TT(XMOV, 0, 0));
    TB_PUSH_ALL(tb, 0, TT(STALLWAIT, 1 << 7, GATE_C_MOVER), TT(SETC16, 1, 5));
    tb_nops(tb, BH_TRISC1, 4);
    TB_PUSH_ALL(tb, 1, TT(STALLWAIT, 1 << 7, GATE_C_MOVER), TT(SETC16, 1, 5));
    tb_start(tb);
    tb_step(tb, 200);
    uint64_t done = tb->at[0][0] + 1 + 55;
    assert_true(tb->at[1][0] < done && tb->at[1][0] > tb->at[0][0]);
    assert_int_equal(tb->at[0][2], done + 1);
    assert_int_equal(tb->at[1][1], done + 1);
    assert_int_equal(tb->x->thread[1].busy[TENSIX_BUSY_MOVER], 0);
}

/* bstatus of the core whose thread it is: bit 3 and 8 of the types. */
static void status_of_the_thread(void **state) {
    struct tensix_box *tb = *state;
    configure(tb->x, 0, &(struct task){ 0x10000, 0x20000, 160, L1_TO_L1 });
    tb_push(tb, 1, TT(XMOV, 0, 0));
    tb_start(tb);
    while (!tb->passes[1])
        tb_step(tb, tb->now + 1);
    assert_int_equal(tensix_bstatus(tb->x, BH_TRISC1, tb->now) & 0x7FF, 1 << 3 | 1 << 8);
    assert_int_equal(tensix_bstatus(tb->x, BH_TRISC0, tb->now) & 0x7FF, 0);
    tb_step(tb, tb->at[1][0] + 17);
    assert_int_equal(tensix_bstatus(tb->x, BH_TRISC1, tb->now), 0);
}

/* ---- Others see it ----------------------------------------------------------------------------------------------- */

/* A core polls the last word, another one runs code that has been moved under it. */
static void polled(struct tensix_box *tb) {
    const struct task t = { 0x30000, 0x38000, 16 * 20, L1_TO_L1 };
    configure(tb->x, 0, &t);
    tb->x->l1[t.from + t.bytes - 4] = 7;
    tb_push(tb, 0, TT(XMOV, 0, 0));
    tb_li(tb, BH_TRISC1, 10, t.to + t.bytes - 4);
    tb_rv(tb, BH_TRISC1, asm_i(RV_LW, 11, 10, 0));
    tb_rv(tb, BH_TRISC1, asm_b(RV_BEQ, 11, 0, -4));
    tb_cycle(tb, BH_TRISC1, 12);
}

static void a_core_that_polls_l1_wakes(void **state) {
    struct tensix_box *tb = scene_play(polled);
    (void)state;
    assert_ended(tb);
    uint64_t seen = tb->at[0][0] + 1 + 29;
    assert_int_equal(core_of(tb, BH_TRISC1)->x[11], 7);
    assert_in_range(core_of(tb, BH_TRISC1)->x[12], seen, seen + 30);
    tb_destroy(tb);
}

static void l1_is_told(void *owner, enum bh_track unit, uint32_t address, uint32_t size, uint64_t time);
static struct {
    const struct tensix_port *port;
    uint32_t address[4], size[4];
    uint64_t time[4];
    unsigned count;
} told;

static void l1_is_told(void *owner, enum bh_track unit, uint32_t address, uint32_t size, uint64_t time) {
    if (told.count < 4) {
        told.address[told.count] = address;
        told.size[told.count] = size;
        told.time[told.count] = time;
    }
    told.count++;
    told.port->l1_written(owner, unit, address, size, time);
}

static void the_tile_is_told(void **state) {
    struct tensix_box *tb = *state;
    struct tensix_port port = *tb->x->port;
    memset(&told, 0, sizeof told);
    told.port = tb->x->port;
    port.l1_written = l1_is_told;
    tb->x->port = &port;
    configure(tb->x, 0, &(struct task){ 0x10000, 0x20000, 16 * 11, L1_TO_L1 });
    tb_push(tb, 0, TT(XMOV, 0, 0));
    assert_true(tb_run(tb));
    assert_int_equal(told.count, 2);
    assert_int_equal(told.address[0], 0x20000);
    assert_int_equal(told.size[0], 128);
    assert_int_equal(told.time[0], tb->at[0][0] + 1 + 11);
    assert_int_equal(told.address[1], 0x20080);
    assert_int_equal(told.size[1], 48);
    assert_int_equal(told.time[1], tb->at[0][0] + 1 + 11 + 6);
}

/* ---- Soft reset -------------------------------------------------------------------------------------------------- */

/* Bit 6 ends a task where it is; while the bit is set, tasks are discarded and the mover does not appear busy. */
static void aborted(void **state) {
    struct tensix_box *tb = *state;
    memset(&tb->x->l1[0x10000], 0x5A, 0x400);
    configure(tb->x, 0, &(struct task){ 0x10000, 0x20000, 16 * 40, L1_TO_L1 });
    TB_PUSH_ALL(tb, 0, TT(XMOV, 0, 0), TT(XMOV, 0, 0));
    tb_start(tb);
    while (!tb->passes[0])
        tb_step(tb, tb->now + 1);
    uint64_t passed = tb->at[0][0];
    tb_step(tb, passed + 1 + 11 + 5);
    tensix_soft_reset(tb->x, 1 << 6, tb->now - 1);
    assert_true(tb->x->mover.busy_until <= tb->now);
    assert_true(tb->x->thread[0].idle_at <= tb->now);
    tb_step(tb, passed + 100);
    assert_int_equal(tb->at[0][1], passed + 1 + 11 + 5);
    assert_int_equal(tb->x->l1[0x2007F], 0x5A);
    assert_int_equal(tb->x->l1[0x20080], 0);
    assert_true(tensix_idle(tb->x, 0, tb->now));
    tensix_soft_reset(tb->x, 0, tb->now);
    scene_push(tb, BH_TRISC0, 0, (const uint32_t[]){ TT(XMOV, 0, 0) }, 1, tb->now);
    tb_step(tb, tb->now + 100);
    assert_int_equal(tb->x->l1[0x20000 + 16 * 40 - 1], 0x5A);
}

/* A thread that knows the end of the task does not wait for it. */
static void aborted_for_who_waits(void **state) {
    struct tensix_box *tb = *state;
    configure(tb->x, 0, &(struct task){ 0x10000, 0x20000, 16 * 400, L1_TO_L1 });
    TB_PUSH_ALL(tb, 0, TT(XMOV, 0, 0), TT(STALLWAIT, 0x80, GATE_C_MOVER), TT(SETC16, 1, 1));
    tb_start(tb);
    while (tb->passes[0] < 2)
        tb_step(tb, tb->now + 1);
    tb_step(tb, tb->now + 20);
    tensix_soft_reset(tb->x, 1 << 6, tb->now - 1);
    uint64_t reset = tb->now;
    tb_step(tb, reset + 10);
    assert_int_equal(tb->passes[0], 3);
    assert_int_equal(tb->at[0][2], reset + 1);
}

/* Bit 8 holds an XMOV at its gate. */
static void glue_held(void **state) {
    struct tensix_box *tb = *state;
    configure(tb->x, 0, &(struct task){ 0x10000, 0x20000, 16, ZERO_TO_L1 });
    memset(&tb->x->l1[0x20000], 0x5A, 16);
    tb_push(tb, 0, TT(XMOV, 0, 0));
    tb_start(tb);
    tensix_soft_reset(tb->x, 1 << 8, 0);
    tb_step(tb, 100);
    assert_int_equal(tb->passes[0], 0);
    assert_non_null(strstr(wait_text(tb->x->thread[0].waits_on), "soft reset"));
    tensix_soft_reset(tb->x, 0, tb->now);
    tb_step(tb, 110);
    assert_int_equal(tb->at[0][0], 101);
    assert_int_equal(tb->x->l1[0x20000], 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_in_l1),
        BOXED(size_has_16_bits),
        BOXED(size_zero_does_nothing),
        BOXED(the_threads_bank_counts),
        cmocka_unit_test(to_config),
        BOXED(config_words_with_effects),
        BOXED(waits_for_stage_zero),
        cmocka_unit_test(to_nowhere),
        cmocka_unit_test(what_is_refused),
        BOXED(one_at_a_time),
        BOXED(condition_c9),
        BOXED(status_of_the_thread),
        cmocka_unit_test(a_core_that_polls_l1_wakes),
        BOXED(the_tile_is_told),
        BOXED(aborted),
        BOXED(aborted_for_who_waits),
        BOXED(glue_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
