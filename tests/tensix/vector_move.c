/* SFPLOAD, SFPSTORE and SFPLOADI in every mode, against their pages lane by lane: all of Dst, the LRegs and the
 * counters after each, under all kinds of predication, configuration and addresses. */
#include "tensix/vector_lanes.h"

#include "tensix/dst_model.h"

enum { ROUNDS = 30000 };

enum {
    SRCB,
    FP16,
    BF16,
    FP32,
    INT32,
    INT8,
    UINT16,
    HI16,
    INT16,
    LO16,
    INT32_ALL,
    ZERO,
    INT32_SM,
    INT8_COMP,
    LO16_ONLY,
    HI16_ONLY
};

/* ---- The pages' model ------------------------------------------------------------------------------------------ */

struct move {
    const struct tensix *x;
    unsigned thread, vd, format, addr_mod, imm10, address;
    uint32_t word;
    struct dst dst;
    struct vector v;
    struct rwc rwc;
};

static const uint32_t *bank_of(const struct move *m) {
    return m->x->config.bank[m->x->config.thread[m->thread][0] & 1];
}

static void resolve(struct move *m) {
    static const bool like_bf16[16] = {
        [0] = true, [4] = true, [5] = true, [6] = true, [7] = true, [8] = true, [9] = true, [15] = true
    };
    const uint32_t *config = bank_of(m);
    const uint16_t *own = m->x->config.thread[m->thread];
    if (m->format != SRCB)
        return;
    unsigned source = config[0] >> 9 & 1 ? config[0] >> 5 & 15 : config[1] >> 21 & 15;
    if (own[4] & 1)
        source = own[4] >> 1 & 15;
    m->format = config[1] >> 30 & 1 ? FP32 : like_bf16[source] ? BF16 : FP16;
}

static void find_address(struct move *m) {
    const uint32_t *config = bank_of(m);
    unsigned dst = (m->rwc.dst + config[6]) % 1024, sp = (m->rwc.sp + config[7]) % 1024;
    m->address = m->imm10 + m->x->config.thread[m->thread][1] % 4096;
    m->address = (m->address + (m->format == INT32_ALL ? sp + dst % 4 : dst + sp % 4)) % 1024;
}

static unsigned column_of(const struct move *m, unsigned lane, unsigned exchange) {
    bool odd = m->address & 2 || (m->v.lane_config[lane % 8] & exchange);
    return lane % 8 * 2 + odd;
}

static bool is_wide(unsigned format) {
    return format == FP32 || format == INT32 || format == INT32_ALL || format == INT32_SM;
}

/* upper: the datum in the upper half of 32 bits. */
static uint32_t decode(const struct move *m, uint32_t upper, const struct lane *l) {
    uint32_t h = upper >> 16, sign = upper & 0x80000000;
    bool infinite = (l->config & LANE_FP16A_INF) && h % 0x8000 == 0x7FFF;
    switch (m->format) {
    case FP16: return sign | (infinite ? 0x7F800000 : (h % 32 ? h % 32 + 112 : 0) << 23 | (h >> 5 & 0x3FF) << 13);
    case BF16: return sign | (h & 0xFF) << 23 | (h >> 8 & 0x7F) << 16;
    case INT8: return sign | (h >> 5 & 0xFF);
    case INT8_COMP: return sign | (h >> 5 & 0x3FF);
    case LO16_ONLY: return (l->r[m->vd] & 0xFFFF0000) | h;
    case HI16_ONLY: return (l->r[m->vd] & 0xFFFF) | h << 16;
    case INT16: return sign | (h & 0x7FFF);
    case UINT16:
    case LO16: return h;
    case HI16: return h << 16;
    case ZERO: return 0;
    default: return sign | (h & 0xFF) << 23 | (h >> 8 & 0x7F) << 16 | (upper & 0xFFFF);
    }
}

static uint32_t shuffle(uint32_t x) {
    return (x & 0x80000000) | (x >> 16 & 0x7F) << 24 | (x >> 23 & 0xFF) << 16 | (x & 0xFFFF);
}

static uint32_t to_fp16(uint32_t x) {
    uint32_t exponent = x >> 23 & 0xFF, mantissa = x >> 13 & 0x3FF;
    if (exponent <= 112)
        return x & 0x80000000;
    if (exponent > 143)
        return (x & 0x80000000) | 0x7FFF0000;
    return (x & 0x80000000) | mantissa << 21 | (exponent - 112) << 16;
}

static uint32_t encode(unsigned format, uint32_t x) {
    uint32_t flushed = x >> 23 & 0xFF ? x : x & 0x80000000;
    switch (format) {
    case FP16: return to_fp16(x);
    case BF16: return shuffle(flushed);
    case FP32: return shuffle(flushed);
    case INT8:
    case INT8_COMP: return (x & 0x80000000) | (x & 0x3FF) << 21 | 16 << 16;
    case LO16_ONLY:
    case UINT16: return x << 16;
    case HI16_ONLY:
    case HI16: return x;
    case INT16: return (x & 0x80000000) | (x & 0x7FFF) << 16;
    case LO16: return x << 16 | x >> 16;
    case ZERO: return 0;
    default: return shuffle(x);
    }
}

static void load_lane(struct move *m, unsigned lane) {
    struct lane l = vl_get(&m->v, lane);
    if ((l.config & LANE_BLOCK_DEST_READ) || !(l.enabled || m->format == INT32_ALL))
        return;
    unsigned row = (m->address & ~3u) + lane / 8, column = column_of(m, lane, LANE_READ_EXCHANGE);
    uint32_t value = decode(m, dm_get(m->x, &m->dst, row, column, is_wide(m->format)), &l);
    m->v.lreg[m->vd][lane] = value;
    if (m->vd < 4 && (l.config & LANE_DEST_INDEX) && (l.config & LANE_CAPTURE_INDEX))
        m->v.lreg[m->vd + 4][lane] = row << 4 | column;
}

static void model_load(struct move *m) {
    const uint16_t *own = m->x->config.thread[m->thread];
    resolve(m);
    if (m->format == INT32_ALL && m->rwc.sp)
        m->rwc.sp = (m->rwc.sp - own[36] % 1024) & 0x3FF;
    find_address(m);
    for (unsigned lane = 0; m->vd < 8 && lane < LANES; lane++)
        load_lane(m, lane);
    m->rwc = dm_apply(m->rwc, own, m->addr_mod, false);
}

static void store_lane(struct move *m, unsigned lane) {
    struct lane l = vl_get(&m->v, lane);
    if (m->vd >= 12 && !(l.config & LANE_NO_BACKDOOR)) {
        m->v.macro[lane % 8].template[m->vd - 12] = m->word;
        return;
    }
    if ((l.config & LANE_BLOCK_DEST_WRITE) || !(l.enabled || m->format == INT32_ALL))
        return;
    bool wide = is_wide(m->format) || m->format == LO16 || m->format == HI16;
    dm_put(m->x, &m->dst, (m->address & ~3u) + lane / 8, column_of(m, lane, LANE_WRITE_EXCHANGE), wide,
           encode(m->format, l.r[m->vd]));
}

static void model_store(struct move *m) {
    const uint16_t *own = m->x->config.thread[m->thread];
    resolve(m);
    find_address(m);
    if (m->format == INT32_ALL)
        m->rwc.sp = (m->rwc.sp + own[36] % 1024) & 0x3FF;
    for (unsigned lane = 0; lane < LANES; lane++)
        store_lane(m, lane);
    m->rwc = dm_apply(m->rwc, own, m->addr_mod, false);
}

/* ---- Random states ----------------------------------------------------------------------------------------------- */

static void draw_config(struct tensix *x, uint64_t *seed) {
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        uint16_t *own = x->config.thread[thread];
        for (unsigned i = 12; i < 36; i++)
            own[i] = random_below(seed, 3) ? (uint16_t)random_next(seed) : 0;
        own[0] = random_below(seed, 2) & 1; /* the bank */
        own[1] = random_below(seed, 2) ? random_below(seed, 4096) & 0xFFF : 0;
        own[4] = random_below(seed, 32) & 31; /* SFPU_DEST_FMT */
        own[36] = random_below(seed, 1024) & 0x3FF;
        dm_draw_rwc(&x->rwc[thread], seed);
    }
    for (unsigned bank = 0; bank < 2; bank++) {
        uint32_t *config = x->config.bank[bank];
        config[0] = (uint32_t)random_next(seed);
        config[1] = (uint32_t)random_next(seed);
        config[6] = random_below(seed, 2) ? random_below(seed, 0x10000) : 0;
        config[7] = random_below(seed, 2) ? random_below(seed, 0x10000) : 0;
    }
    dm_access(x, random_below(seed, 2), random_below(seed, 2));
    x->dst.halves = !random_below(seed, 4);
    config_changed(&x->config);
}

static struct move draw_move(struct tensix *x, unsigned opcode, uint64_t *seed) {
    struct move m = {
        .x = x,
        .thread = random_below(seed, 3),
        .vd = random_below(seed, 16),
        .format = random_below(seed, 16),
        .addr_mod = random_below(seed, 8),
        .imm10 = random_below(seed, 1024),
    };
    m.word = opcode << 24 | m.vd << 20 | m.format << 16 | m.addr_mod << 13 | random_below(seed, 8) << 10 | m.imm10;
    m.dst = x->dst;
    m.v = x->vector;
    m.rwc = x->rwc[m.thread];
    return m;
}

static void check(struct tensix_box *tb, const struct move *want, const struct rwc *before) {
    vl_assert_same(&tb->x->vector, &want->v, want->word);
    dm_assert_same(&tb->x->dst, &want->dst, want->word);
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++)
        assert_memory_equal(&tb->x->rwc[thread], thread == want->thread ? &want->rwc : &before[thread],
                            sizeof want->rwc);
}

static void one(struct tensix_box *tb, bool store, uint64_t *seed) {
    struct rwc before[TENSIX_THREADS];
    struct move m = draw_move(tb->x, store ? TENSIX_SFPSTORE : TENSIX_SFPLOAD, seed);
    tensix_handler *handler = store ? execute_SFPSTORE : execute_SFPLOAD;
    memcpy(before, tb->x->rwc, sizeof before);
    store ? model_store(&m) : model_load(&m);
    for (unsigned i = 0; store && m.vd >= 12 && i < VECTOR_COLUMNS; i++)
        if (!(m.v.lane_config[i] & LANE_NO_BACKDOOR)) /* it becomes a template */
            m.v.macro[i].template[m.vd - 12] = m.word;
    assert_int_equal(handler(tb->x, m.thread, m.word, tb->now++), TENSIX_PASSED);
    check(tb, &m, before);
}

static void loads_and_stores(void **state) {
    struct tensix_box *tb = *state;
    uint64_t seed = 1;
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (round % 64 == 0)
            dm_draw_dst(&tb->x->dst, &seed);
        vl_draw_state(&tb->x->vector, &seed);
        draw_config(tb->x, &seed);
        one(tb, round & 1, &seed);
    }
}

/* The configuration of most programs, with one change in some rounds. */
static void make_usual(struct tensix *x, unsigned but) {
    for (unsigned i = 0; but != 0 && i < VECTOR_COLUMNS; i++)
        x->vector.lane_config[i] &= LANE_NO_BACKDOOR | LANE_FP16A_INF;
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        for (unsigned mod = 0; but != 1 && mod < 8; mod++) {
            x->config.thread[i][12 + mod] = 0;
            x->config.thread[i][28 + mod] &= 0xE3FF;
        }
        x->rwc[i].sp = but == 2 ? x->rwc[i].sp : 0;
    }
    if (but != 3)
        dm_access(x, false, false);
    if (but != 4)
        x->dst.halves = false;
    if (but != 5)
        memset(x->dst.invalid, 0, sizeof x->dst.invalid);
    config_changed(&x->config);
    vector_derive(&x->vector);
}

/* Several under the same configuration, of which the first has looked at it for the others of its thread. */
static void usual_loads_and_stores(void **state) {
    struct tensix_box *tb = *state;
    uint64_t seed = 2;
    for (unsigned round = 0; round < ROUNDS / 4; round++) {
        if (round % 64 == 0)
            dm_draw_dst(&tb->x->dst, &seed);
        vl_draw_state(&tb->x->vector, &seed);
        draw_config(tb->x, &seed);
        make_usual(tb->x, random_below(&seed, 12));
        for (unsigned i = 0; i < 12; i++) {
            if (i == 6) {
                tb->x->vector.flags = (uint32_t)random_next(&seed);
                tb->x->vector.use_flags = random_below(&seed, 2) ? (uint32_t)random_next(&seed) : 0;
                vector_derive(&tb->x->vector);
            }
            one(tb, random_below(&seed, 2), &seed);
        }
    }
}

/* ---- Cases by name ----------------------------------------------------------------------------------------------- */

static uint32_t load(unsigned vd, unsigned format, unsigned addr_mod, unsigned address) {
    return TT(SFPLOAD, vd, format, addr_mod, address);
}

static uint32_t store(unsigned vd, unsigned format, unsigned addr_mod, unsigned address) {
    return TT(SFPSTORE, vd, format, addr_mod, address);
}

static void run(struct tensix_box *tb, uint32_t word) {
    tensix_handler *handler = word >> 24 == TENSIX_SFPLOAD    ? execute_SFPLOAD
                              : word >> 24 == TENSIX_SFPSTORE ? execute_SFPSTORE
                                                              : execute_SFPLOADI;
    assert_int_equal(handler(tb->x, 1, word, tb->now++), TENSIX_PASSED);
}

/* An address of four rows: bit 1 is odd columns, bit 0 nothing. */
static void an_address_names_rows_and_columns(void **state) {
    struct tensix_box *tb = *state;
    for (unsigned row = 0; row < DST_ROWS; row++)
        for (unsigned column = 0; column < DST_COLUMNS; column++)
            tb->x->dst.bits[row][column] = (uint16_t)(row << 4 | column);
    for (unsigned address = 0; address < 1024; address += 7) {
        run(tb, load(2, UINT16, 0, address));
        for (unsigned lane = 0; lane < LANES; lane++)
            assert_int_equal(tb->x->vector.lreg[2][lane],
                             ((address & ~3u) + lane / 8) << 4 | lane % 8 * 2 | (address >> 1 & 1));
    }
}

/* All eight address modes are an instruction's own: ADDR_MOD_SET and the bias have nothing to say. */
static void eight_address_modes(void **state) {
    struct tensix_box *tb = *state;
    struct rwc *rwc = &tb->x->rwc[1];
    uint16_t *own = tb->x->config.thread[1];
    for (unsigned i = 0; i < 8; i++) {
        own[28 + i] = (uint16_t)(4 << i);
        own[47 + i] = 0x1F; /* ADDR_MOD_BIAS */
    }
    unsigned sum = 0;
    for (unsigned i = 0; i < 8; i++) {
        run(tb, (i & 1 ? load : store)(0, UINT16, i, 0));
        sum += 4u << i;
        assert_int_equal(rwc->dst, sum % 1024);
        assert_int_equal(rwc->dst_cr, 0);
    }
}

/* ---- Changes of the configuration between two loads ------------------------------------------------------------- */

enum { REGW_BASE = CONFIG_WORD_DEST_REGW_BASE_Base };

/* A load of raw 16 bits from address 0, which shows where they come from. */
static void assert_loads_from(struct tensix_box *tb, unsigned row) {
    for (unsigned i = 0; i < 2; i++) {
        run(tb, load(2, UINT16, 0, 0));
        assert_int_equal(tb->x->vector.lreg[2][9], (row + 1) << 4 | 2);
    }
}

static void land(struct tensix_box *tb) {
    tensix_run(tb->x, tb->now += 8);
    assert_int_equal(tb->x->landings, 0);
}

static void a_load_sees_each_change_of_the_configuration(void **state) {
    struct tensix_box *tb = *state;
    struct tensix *x = tb->x;
    for (unsigned row = 0; row < DST_ROWS; row++)
        for (unsigned column = 0; column < DST_COLUMNS; column++)
            x->dst.bits[row][column] = (uint16_t)(row << 4 | column);
    assert_loads_from(tb, 0);
    execute_SETC16(x, 1, TT(SETC16, CONFIG_WORD_DEST_TARGET_REG_CFG_MATH_Offset, 8), tb->now++);
    assert_loads_from(tb, 8);
    x->gpr[1][5] = 16;
    execute_WRCFG(x, 1, TT(WRCFG, 5, 0, REGW_BASE), tb->now++);
    land(tb);
    assert_loads_from(tb, 24);
    execute_WRCFG(x, 1, TT(WRCFG, 4, 1, REGW_BASE), tb->now++); /* with STATE_RESET_EN, so that all are zero */
    land(tb);
    assert_loads_from(tb, 8);
    execute_RMWCIB0(x, 1, TT(RMWCIB0, 0xFF, 48, REGW_BASE), tb->now++);
    land(tb);
    assert_loads_from(tb, 56);
    x->next_other_event = UINT64_MAX; /* which writes at once */
    execute_RMWCIB0(x, 1, TT(RMWCIB0, 0xFF, 64, REGW_BASE), tb->now++);
    assert_int_equal(x->landings, 0);
    assert_loads_from(tb, 72);
    tensix_config_write(x, BH_BRISC, 4 * REGW_BASE, tb->now, 80);
    land(tb);
    assert_loads_from(tb, 88);
    tensix_feature_disable(x, 1 << 11, tb->now);
    assert_loads_from(tb, dst_row32(x->config.bank[0], 88));
    tensix_feature_disable(x, 0, tb->now);
    execute_SETC16(x, 1, TT(SETC16, CONFIG_WORD_ADDR_MOD_DST_SEC0_DestIncr, 4), tb->now++);
    run(tb, load(2, UINT16, 0, 0));
    run(tb, load(2, UINT16, 0, 0));
    assert_int_equal(x->rwc[1].dst, 8);
}

/* Nor does a view hide that the Matrix Unit has just written there. */
static void a_load_of_rows_just_written(void **state) {
    struct tensix_box *tb = *state;
    struct matrix *m = &tb->x->matrix;
    run(tb, load(2, UINT16, 0, 0));
    m->block[0] = 0;
    m->latency[0] = 1;
    m->written[0] = tb->now;
    m->vector_from = tb->now + TENSIX_PART_TO_SFPLOAD;
    assert_int_equal(execute_SFPLOAD(tb->x, 1, load(2, UINT16, 0, 0), ++tb->now), TENSIX_NEVER);
    assert_int_equal(tb->box->faults, 1);
    tb->x->thread[1].faulted = false;
    tb->now += TENSIX_PART_TO_SFPLOAD;
    run(tb, load(2, UINT16, 0, 0));
}

/* A push and a pop through the stack pointer, of lanes that are off as well. */
static void a_stack_in_dst(void **state) {
    struct tensix_box *tb = *state;
    struct rwc *rwc = &tb->x->rwc[1];
    tb->x->config.thread[1][36] = 4;
    tb->x->config.bank[0][7] = 256;
    tb->x->vector.use_flags = UINT32_MAX; /* and no flag is set */
    vector_derive(&tb->x->vector);
    for (unsigned i = 0; i < LANES; i++) {
        tb->x->vector.lreg[0][i] = 0x11110000 + i;
        tb->x->vector.lreg[1][i] = 0x22220000 + i;
    }
    run(tb, store(0, INT32_ALL, 0, 0));
    run(tb, store(1, INT32_ALL, 0, 0));
    assert_int_equal(rwc->sp, 8);
    run(tb, load(2, INT32_ALL, 0, 0));
    run(tb, load(3, INT32_ALL, 0, 0));
    assert_int_equal(rwc->sp, 0);
    for (unsigned i = 0; i < LANES; i++) {
        assert_int_equal(tb->x->vector.lreg[2][i], 0x22220000 + i);
        assert_int_equal(tb->x->vector.lreg[3][i], 0x11110000 + i);
    }
    run(tb, load(4, INT32_ALL, 0, 0)); /* of an empty stack: the pointer stays */
    assert_int_equal(rwc->sp, 0);
    assert_int_equal(tb->x->vector.lreg[4][9], 0x11110009);
}

/* Rows that ZEROACC has marked: they read as zero, and a store to any column shows what the others held. */
static void invalid_rows(void **state) {
    struct tensix_box *tb = *state;
    struct dst *dst = &tb->x->dst;
    for (unsigned row = 8; row < 12; row++)
        for (unsigned column = 0; column < DST_COLUMNS; column++)
            dst->bits[row][column] = 0x4321;
    dst->invalid[0] = 0x600; /* rows 9 and 10 */
    run(tb, load(0, UINT16, 0, 8));
    for (unsigned lane = 0; lane < LANES; lane++)
        assert_int_equal(tb->x->vector.lreg[0][lane], lane / 8 == 1 || lane / 8 == 2 ? 0 : 0x4321);
    tb->x->vector.flags = 0x00001000; /* one lane, of row 9 */
    tb->x->vector.use_flags = UINT32_MAX;
    vector_derive(&tb->x->vector);
    run(tb, store(9, UINT16, 0, 8));
    assert_int_equal(dst->invalid[0], 0x400);
    assert_int_equal(dst->bits[9][8], 0);
    assert_int_equal(dst->bits[9][9], 0x4321);
}

/* ---- Immediates -------------------------------------------------------------------------------------------------- */

static uint32_t immediate_of(unsigned mode, uint32_t old, uint32_t imm) {
    switch (mode) {
    case 0: return imm << 16;
    case 1: return (imm >> 15) << 31 | ((imm >> 10 & 31) + 112) << 23 | (imm & 0x3FF) << 13;
    case 2: return imm;
    case 4: return imm < 0x8000 ? imm : imm | 0xFFFF0000;
    case 8: return imm << 16 | (old & 0xFFFF);
    default: return (old & 0xFFFF0000) | imm;
    }
}

static void immediates(void **state) {
    static const uint8_t modes[] = { 0, 1, 2, 4, 8, 10 };
    struct tensix_box *tb = *state;
    uint64_t seed = 5;
    for (uint32_t imm = 0; imm < 0x10000; imm += 5)
        for (unsigned i = 0; i < sizeof modes; i++) {
            unsigned vd = random_below(&seed, 16);
            uint32_t word = TT(SFPLOADI, vd, modes[i], imm);
            if (imm % 97 == 0)
                vl_draw_state(&tb->x->vector, &seed);
            struct vector want = tb->x->vector;
            for (unsigned lane = 0; vd < 8 && lane < LANES; lane++)
                if (vl_get(&want, lane).enabled)
                    want.lreg[vd][lane] = immediate_of(modes[i], want.lreg[vd][lane], imm);
            run(tb, word);
            vl_assert_same(&tb->x->vector, &want, word);
        }
}

static void undefined_immediates_fault(void **state) {
    static const uint8_t modes[] = { 3, 5, 6, 7, 9, 11, 12, 13, 14, 15 };
    (void)state;
    for (unsigned i = 0; i < sizeof modes; i++) {
        struct tensix_box *tb = tb_create();
        tb_push(tb, 1, TT(SFPLOADI, 0, modes[i], 0x1234));
        assert_false(tb_run(tb));
        assert_int_equal(tb->box->faults, 1);
        assert_int_equal(tb->box->fault.kind, BH_FAULT_UNDEFINED);
        assert_non_null(strstr(tb->box->fault.text, "SFPLOADI has no mode"));
        assert_int_equal(tb->x->vector.lreg[0][0], 0);
        tb_destroy(tb);
        tb = tb_create();
        tb_push(tb, 1, TT(SFPLOADI, 8, modes[i], 0x1234)); /* nothing is written: no mode is looked at */
        assert_true(tb_run(tb));
        tb_destroy(tb);
    }
}

/* ---- Scheduled stores -------------------------------------------------------------------------------------------- */

/* SFPLOADMACRO gives the address; nothing moves, and the backdoor does not matter. */
static void a_scheduled_store(void **state) {
    struct tensix_box *tb = *state;
    struct rwc before;
    uint16_t *own = tb->x->config.thread[1];
    own[28] = 4, own[36] = 4;
    dm_draw_rwc(&tb->x->rwc[1], &(uint64_t){ 9 });
    before = tb->x->rwc[1];
    for (unsigned lane = 0; lane < LANES; lane++)
        tb->x->vector.lreg[16][lane] = 0xABCD0000 + lane;
    struct vector_turn turn = { .x = tb->x,
                                .v = &tb->x->vector,
                                .in = tb->x->vector.lreg,
                                .lanes = LANES_ALL,
                                .word = store(0, 0, 0, 0x3FF),
                                .thread = 1,
                                .vd = 16,
                                .mod = INT32_ALL,
                                .scheduled = true,
                                .address = 38 };
    vector_SFPSTORE(&turn);
    assert_memory_equal(&tb->x->rwc[1], &before, sizeof before);
    for (unsigned lane = 0; lane < LANES; lane++)
        assert_int_equal(tb->x->dst.bits[76 + lane / 8][lane % 8 * 2 + 1], lane);
}

/* A load leaves its address behind, as it was before the counters moved. */
static void a_load_tells_its_address(void **state) {
    struct tensix_box *tb = *state;
    tb->x->rwc[1].dst = 100;
    tb->x->config.thread[1][28] = 4;
    struct vector_turn turn = { .x = tb->x,
                                .v = &tb->x->vector,
                                .in = tb->x->vector.lreg,
                                .lanes = LANES_ALL,
                                .word = load(0, 0, 0, 33),
                                .thread = 1,
                                .mod = UINT16 };
    vector_SFPLOAD(&turn);
    assert_int_equal(turn.address, 133);
    assert_int_equal(tb->x->rwc[1].dst, 104);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOXED(loads_and_stores),
        BOXED(usual_loads_and_stores),
        BOXED(a_load_sees_each_change_of_the_configuration),
        BOXED(a_load_of_rows_just_written),
        BOXED(an_address_names_rows_and_columns),
        BOXED(eight_address_modes),
        BOXED(a_stack_in_dst),
        BOXED(invalid_rows),
        BOXED(immediates),
        cmocka_unit_test(undefined_immediates_fault),
        BOXED(a_scheduled_store),
        BOXED(a_load_tells_its_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
