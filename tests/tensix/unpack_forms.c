/* The forms of UNPACR that move nothing, all of UNPACR_NOP, what is refused and with which words, and what soft resets
 * leave of data. */
#include "support/tensix_scene.h"
#include "tensix/unpack_setup.h"

enum { BF16 = 5, INT8 = 14, BFP8A = 2 };

/* One instruction of thread 1, and everything that follows from it. */
static uint64_t issue(struct tensix_box *tb, tensix_handler *handler, uint32_t word) {
    config_changed(&tb->x->config); /* maybe, by the test's own hand */
    tb->now += 10;
    uint64_t again = handler(tb->x, 1, word, tb->now);
    tensix_run(tb->x, tb->now += 500);
    return again;
}

static void assert_passes(struct tensix_box *tb, tensix_handler *handler, uint32_t word) {
    unsigned faults = tb->box->faults;
    assert_int_equal(issue(tb, handler, word), TENSIX_PASSED);
    if (tb->box->faults != faults)
        fail_msg("%s", tb->box->fault.text);
}

static void assert_refuses(struct tensix_box *tb, tensix_handler *handler, uint32_t word, enum bh_fault_kind kind,
                           const char *text) {
    unsigned faults = tb->box->faults;
    issue(tb, handler, word);
    assert_int_equal(tb->box->faults, faults + 1);
    assert_int_equal(tb->box->fault.kind, kind);
    assert_int_equal(tb->box->fault.insn, word);
    assert_int_equal(tb->box->fault.thread, 1);
    if (!strstr(tb->box->fault.text, text))
        fail_msg("%s", tb->box->fault.text);
    tb->x->thread[1].faulted = false;
}

/* ---- Contexts -------------------------------------------------------------------------------------------------- */

static void count_contexts(void **state) {
    struct tensix_box *tb = *state;
    uint32_t *c = tb->x->config.bank[0];
    const uint32_t word = TT(UNPACR, 0, 0xFF, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0);
    struct adc adc[ADC_COUNT];
    memcpy(adc, tb->x->adc[1], sizeof adc);
    for (unsigned unpacker = 0; unpacker < 2; unpacker++)
        for (unsigned log2 = 0; log2 < 4; log2++)
            for (unsigned from = 0; from < 8; from++) {
                UD_SET(c, unpacker, REG2_Context_count, log2);
                memset(tb->x->config.context_count, 0x55, sizeof tb->x->config.context_count);
                tb->x->config.context_count[1][unpacker] = (uint8_t)from;
                assert_passes(tb, execute_UNPACR, word | unpacker << 23);
                assert_int_equal(tb->x->config.context_count[1][unpacker], from + 1 >= 1u << log2 ? 0 : from + 1);
                assert_int_equal(tb->x->config.context_count[1][!unpacker], 0x55);
                assert_int_equal(tb->x->config.context_count[0][unpacker], 0x55);
            }
    assert_memory_equal(adc, tb->x->adc[1], sizeof adc); /* nothing but the counter */
    assert_int_equal(tb->x->src.allowed[SRC_A][0], SRC_UNPACKERS);
    MR_SET(c, THCON_SEC0_REG2_Context_count_non_log2_en, 1);
    assert_refuses(tb, execute_UNPACR, word, BH_FAULT_UNDEFINED, "Context_count_non_log2_en");
    assert_passes(tb, execute_UNPACR, word | 1u << 23);
    MR_SET(c, THCON_SEC0_REG2_Context_count_non_log2_en, 0);
    assert_refuses(tb, execute_UNPACR, word | 2, BH_FAULT_UNDEFINED, "two forms");
}

static void flush_cache(void **state) {
    struct tensix_box *tb = *state;
    assert_passes(tb, execute_UNPACR, TT(UNPACR, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0));
    assert_passes(tb, execute_UNPACR, TT(UNPACR, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0));
}

/* ---- UNPACR_NOP -------------------------------------------------------------------------------------------------- */

static bool is_filled(const struct src_bank *bank, uint32_t datum) {
    for (unsigned i = 0; i < SRC_ROWS * SRC_COLUMNS; i++)
        if (src_get(bank, i / 16, i % 16) != datum)
            return false;
    return true;
}

static void mark(struct tensix_box *tb) {
    memset(tb->x->src.bank, 0x11, sizeof tb->x->src.bank);
    src_changed(&tb->x->src, SRC_A);
    src_changed(&tb->x->src, SRC_B);
    memset(tb->x->src.allowed, SRC_UNPACKERS, sizeof tb->x->src.allowed);
}

static void clears(void **state) {
    static const uint32_t values[4][3] = { { 0, 0, 0 },
                                           { 0x7FFFF, 0x7FFFF, 0x7FFFF },
                                           { 15, 127, 1 << 8 | 16 }, /* 1.0 of FP16 and BF16, 1 of INT8 */
                                           { 0x54321, 0x54321, 0x54321 } };
    struct tensix_box *tb = *state;
    struct src *src = &tb->x->src;
    tb->x->config.bank[0][CONFIG_WORD_UNP0_NOP_REG_CLR_VAL_nop_reg_clr_val] = 0xFFFD4321;
    tb->x->config.bank[0][CONFIG_WORD_UNP1_NOP_REG_CLR_VAL_nop_reg_clr_val] = 0x00054321;
    for (unsigned i = 0; i < 2 * 4 * 3 * 2 * 2; i++) {
        unsigned file = i % 2, value = i / 2 % 4, format = i / 8 % 3, both = i / 24 % 2, dvalid = i / 48;
        unsigned bank = src->unpacker_bank[file];
        mark(tb);
        MR_SET(tb->x->config.thread[1], SRCB_SET_Base, 2);
        UD_SET(tb->x->config.bank[0], file, REG2_Out_data_format, 9 + format);
        memset(src->unpacker_row, 48, sizeof src->unpacker_row);
        assert_passes(tb, execute_UNPACR_NOP, TT(UNPACR_NOP, file, 0, 0, dvalid, format, 1, both, value, 1));
        uint32_t want = value == 3 && !file ? 0x54321 & 0x7FFFF : values[value][format];
        assert_true(is_filled(&src->bank[file][bank], want));
        assert_int_equal(is_filled(&src->bank[file][!bank], want), both);
        assert_false(is_filled(&src->bank[!file][bank], want));
        assert_int_equal(src->allowed[file][bank], dvalid ? SRC_MATRIX : SRC_UNPACKERS);
        assert_int_equal(src->unpacker_bank[file], bank ^ dvalid);
        assert_int_equal(src->unpacker_row[file][1], !dvalid ? 48 : file ? 32 : 0);
        assert_int_equal(src->unpacker_row[file][0], 48);
        if (dvalid)
            assert_int_equal(src->format[file][bank], 9 + format);
    }
}

/* Which bank it waits for. */
static void clears_when(void **state) {
    struct tensix_box *tb = *state;
    struct src *src = &tb->x->src;
    for (unsigned i = 0; i < 32; i++) {
        unsigned file = i % 2, own = i / 2 % 2, allowed = i / 4 % 4, same = i / 16;
        mark(tb);
        src->unpacker_bank[file] = (uint8_t)own;
        src->matrix_bank[file] = (uint8_t)(own ^ !same);
        src->allowed[file][0] = allowed & 1;
        src->allowed[file][1] = (uint8_t)(allowed >> 1);
        for (unsigned like_unpacr = 0; like_unpacr < 2; like_unpacr++) {
            unsigned bank = like_unpacr || same ? own : !own;
            assert_passes(tb, execute_UNPACR_NOP, TT(UNPACR_NOP, file, 0, 0, 0, 0, like_unpacr, 0, 0, 1));
            bool waits = allowed >> bank & 1;
            assert_int_equal(tb->x->unpack.unit[file].count, waits);
            assert_int_equal(unpack_waits_for(&tb->x->unpack, file) != WAIT_NONE, waits);
            assert_int_equal(is_filled(&src->bank[file][own], 0), !waits);
            unpack_abort(tb->x, tb->now);
            mark(tb);
            src->allowed[file][0] = allowed & 1;
            src->allowed[file][1] = (uint8_t)(allowed >> 1);
        }
    }
}

static void only_dvalid(void **state) {
    struct tensix_box *tb = *state;
    struct src *src = &tb->x->src;
    for (unsigned pop = 0; pop < 4; pop++) {
        mark(tb);
        unsigned bank = src->unpacker_bank[SRC_B];
        src->allowed[SRC_B][bank] = SRC_MATRIX; /* waits for no other unit */
        UD_SET(tb->x->config.bank[0], 1, REG2_Out_data_format, 3 + pop);
        assert_passes(tb, execute_UNPACR_NOP, TT(UNPACR_NOP, 1, 0, 0, 0, 3, 0, 0, 0, pop));
        assert_int_equal(src->unpacker_bank[SRC_B], !bank);
        assert_int_equal(src->format[SRC_B][bank], 3 + pop);
        assert_false(is_filled(&src->bank[SRC_B][bank], 0));
    }
}

/* Each frees an entry of the stream's L1 read complete FIFO, which is empty here: the overlay says so. */
static void pops(void **state) {
    struct tensix_box *tb = *state;
    mark(tb);
    assert_passes(tb, execute_UNPACR_NOP, TT(UNPACR_NOP, 0, 0, 0, 0, 0, 0, 0, 0, 2));
    MR_SET(tb->x->config.thread[1], NOC_OVERLAY_MSG_CLEAR_StreamId_0, 7);
    MR_SET(tb->x->config.thread[1], NOC_OVERLAY_MSG_CLEAR_StreamId_1, 9);
    assert_refuses(tb, execute_UNPACR_NOP, TT(UNPACR_NOP, 0, 0, 0, 0, 0, 0, 0, 0, 0), BH_FAULT_UNDEFINED,
                   "STREAM_MSG_DATA_CLEAR");
    assert_int_equal(tb->box->fault.address, 0xFFB47000 + 4 * OVERLAY_MSG_DATA_CLEAR);
    assert_refuses(tb, execute_UNPACR_NOP, TT(UNPACR_NOP, 1, 0, 0, 0, 0, 0, 0, 0, 0), BH_FAULT_UNDEFINED,
                   "STREAM_MSG_DATA_CLEAR");
    assert_int_equal(tb->box->fault.address, 0xFFB49000 + 4 * OVERLAY_MSG_DATA_CLEAR);
    assert_refuses(tb, execute_UNPACR_NOP, TT(UNPACR_NOP, 1, 33, 2, 0, 0, 0, 0, 0, 3), BH_FAULT_UNDEFINED,
                   "STREAM_MSG_DATA_CLEAR");
    assert_int_equal(tb->box->fault.address, 0xFFB61000 + 4 * OVERLAY_MSG_DATA_CLEAR);
    assert_refuses(tb, execute_UNPACR_NOP, TT(UNPACR_NOP, 1, 33, 0, 0, 0, 0, 0, 0, 3), BH_FAULT_UNDEFINED,
                   "STREAM_MSG_DATA_CLEAR");
    assert_int_equal(tb->box->fault.address, 0xFFB49000 + 4 * OVERLAY_MSG_DATA_CLEAR);
    assert_refuses(tb, execute_UNPACR_NOP, TT(UNPACR_NOP, 0, 1, 1, 0, 0, 0, 0, 1, 3), BH_FAULT_UNMODELLED,
                   "who sets the bases");
}

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

struct refusal {
    unsigned unpacker, in, out;
    uint32_t bits;    /* of the word */
    uint32_t section; /* of the word of REG2 with Out_data_format */
    const char *text;
};

static void refused(void **state) {
    static const struct refusal refusals[] = {
        { 1, BF16, BF16, US_MULTI | 2 << 10, 0, "contexts 0 and 1 only" },
        { 0, BF16, BF16, US_MULTI | 3 << 8, 0, "no address counters of a thread 3" },
        { 0, BF16, 1, 0, 0, "no conversion from this format" },
        { 0, 12, 12, 0, 0, "no conversion from this format" },
        { 1, 0, 0, 0, 0, "no conversion from this format" },
        { 1, 8, 8, 0, 0, "no conversion from this format" },
        { 0, 6, 2, 0, 0, "no conversion from this format" },
        { 1, 11, 15, 0, 0, "no conversion from this format" },
        { 0, 7, BF16, 0, 0, "no conversion from this format" },
        { 0, 7, 7, 0, 1 << 9, "less than a byte" },
        { 0, BF16, BF16, 0, 1 << 9 | 1 << 12, "neither with upsampling nor with compressed" },
        { 0, BF16, BF16, 0, 1 << 11 | 1 << 16, "neither with Shift_amount nor with haloize" },
        { 0, BF16, BF16, 0, 1 << 11 | 1 << 8, "neither with Shift_amount nor with haloize" },
        { 0, BF16, BF16, 0, 1 << 11, "SRCA_SET_SetOvrdWithAddr" },
        { 0, BF16, BF16, 1 << 5, 0, "srcb_bcast is for unpacker 1" },
        { 1, BF16, BF16, 1 << 5, 0, "srcb_bcast does with more than one row" },
        { 1, BF16, BF16, 0, 1 << 12, "beyond the last row of Src" },
        { 0, BFP8A, BFP8A, 0, 0, "not one of FP16" },
    };
    struct tensix_box *tb = *state;
    for (unsigned i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const struct refusal *r = &refusals[i];
        uint32_t *c = tb->x->config.bank[0];
        memset(c, 0, sizeof tb->x->config.bank[0]);
        us_setup(tb, r->unpacker, r->in, r->out, 1024);
        c[CONFIG_WORD_THCON_SEC0_REG2_Out_data_format + 48 * r->unpacker] |= r->section;
        tb->x->l1[US_TILE] = 0x20;
        tb->x->l1[US_TILE + 64] = 0x40;
        assert_refuses(tb, execute_UNPACR, US_UNPACR(r->bits | r->unpacker << 23), BH_FAULT_UNDEFINED, r->text);
    }
}

/* Kernels that read BFP8, BFP4 and BFP2 in turn change only the format in L1. */
static void other_bfp_outputs(void **state) {
    static const uint8_t family[2][3] = { { 6, 7, 15 }, { 2, 3, 11 } };
    struct tensix_box *tb = *state;
    struct src *src = &tb->x->src;
    for (unsigned i = 0; i < 2 * 2 * 3 * 3; i++) {
        unsigned file = i & 1, in = family[i / 2 & 1][i / 4 % 3], out = family[i / 2 & 1][i / 12];
        struct src_bank got[2];
        for (unsigned turn = 0; turn < 2; turn++) {
            mark(tb);
            us_setup(tb, file, in, turn ? out : in, 256);
            for (unsigned at = 0; at < 1024; at++)
                tb->x->l1[US_TILE + at] = (uint8_t)(at < 64 ? 15 + at % 8 : at * 37);
            unsigned bank = src->unpacker_bank[file];
            assert_passes(tb, execute_UNPACR, US_UNPACR(file << 23 | US_FLIP));
            us_handed(tb, file, bank);
            got[turn] = src->bank[file][bank];
            assert_int_equal(src->format[file][bank], turn ? out : in);
        }
        assert_memory_equal(&got[0], &got[1], sizeof got[0]);
    }
}

static void refused_addresses(void **state) {
    struct tensix_box *tb = *state;
    uint32_t *c = tb->x->config.bank[0];
    us_setup(tb, 0, BF16, BF16, 1024);
    c[CONFIG_WORD_THCON_SEC0_REG3_Base_address] = CORE_L1_SIZE / 16 - 128;
    assert_refuses(tb, execute_UNPACR, US_UNPACR(0), BH_FAULT_UNDEFINED, "beyond the end of L1");
    c[CONFIG_WORD_THCON_SEC0_REG3_Base_address]--;
    assert_passes(tb, execute_UNPACR, US_UNPACR(0));
    MR_SET(c, UNP0_ADDR_BASE_REG_1_Base, 129);
    assert_refuses(tb, execute_UNPACR, US_UNPACR(0), BH_FAULT_UNDEFINED, "not a multiple of the size of a datum");
    MR_SET(c, UNP0_ADDR_BASE_REG_1_Base, 128 + 32);
    assert_refuses(tb, execute_UNPACR, US_UNPACR(0), BH_FAULT_UNDEFINED, "a burst of rows");
    MR_SET(c, UNP0_ADDR_BASE_REG_1_Base, 128);
    MR_SET(c, THCON_SEC0_REG2_Haloize_mode, 1);
    tb->x->adc[1][0].channel[0].value[ADC_X] = 1;
    assert_refuses(tb, execute_UNPACR, US_UNPACR(0), BH_FAULT_UNDEFINED, "not aligned to 16 bytes");
    tb->x->adc[1][0].channel[0].value[ADC_X] = 1026;
    assert_refuses(tb, execute_UNPACR, US_UNPACR(0), BH_FAULT_UNDEFINED, "last datum lies before the first");
    c[CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor] &= ~0x10u;
    c[CONFIG_WORD_THCON_SEC0_REG3_Base_address] = CORE_L1_SIZE / 16 - 1;
    assert_refuses(tb, execute_UNPACR, US_UNPACR(0), BH_FAULT_UNDEFINED, "row starts");
}

/* Eight rows at most are one burst, however fast. */
static void longest_burst(void **state) {
    struct tensix_box *tb = *state;
    us_setup(tb, 0, 7, 7, 256);
    us_throttle(tb, 0, 3);
    MR_SET(tb->x->config.bank[0], UNP0_ADDR_BASE_REG_1_Base, 64 + 8 * 16);
    assert_passes(tb, execute_UNPACR, US_UNPACR(0));
    MR_SET(tb->x->config.bank[0], UNP0_ADDR_BASE_REG_1_Base, 64 + 7 * 16);
    assert_refuses(tb, execute_UNPACR, US_UNPACR(0), BH_FAULT_UNDEFINED, "a burst of rows");
}

/* ---- Modes with known outcomes ----------------------------------------------------------------------------------- */

/* A row of SrcB goes to eight rows. */
static void broadcast(void **state) {
    struct tensix_box *tb = *state;
    mark(tb);
    for (unsigned i = 0; i < 16; i++)
        memcpy(tb->x->l1 + US_TILE + 2 * i, &(uint16_t){ (uint16_t)(0x3F80 + i) }, 2);
    us_setup(tb, 1, BF16, BF16, 16);
    tb->x->src.unpacker_bank[SRC_B] = 1;
    tb->x->src.unpacker_row[SRC_B][1] = 16;
    assert_passes(tb, execute_UNPACR, US_UNPACR(US_B | 1 << 5));
    for (unsigned row = 0; row < SRC_ROWS; row++)
        for (unsigned i = 0; i < 16; i++)
            assert_int_equal(src_get(&tb->x->src.bank[SRC_B][1], row, i) == (i << 11 | 0x7F), row >= 16 && row < 24);
    tb->x->src.unpacker_row[SRC_B][1] = 0;
}

/* At the limit addresses stay, behind it they get less by the size of the FIFO: exponents and data alike. */
static void limit(void **state) {
    struct tensix_box *tb = *state;
    uint8_t *l1 = tb->x->l1;
    mark(tb);
    us_setup(tb, 1, 6, 6, 32); /* one exponent each for 16 data; both from US_TILE on */
    MR_SET(tb->x->config.bank[0], THCON_SEC1_REG2_Unpack_fifo_size, 16);
    memset(l1 + US_TILE - 256, 0x40, 512);
    for (unsigned behind = 0; behind < 3; behind++) {
        l1[US_TILE] = 100; /* the exponent, or the one 256 bytes before */
        l1[US_TILE - 256] = 50;
        l1[US_TILE + 64] = 0x60;
        l1[US_TILE + 64 - 256] = 0x50;
        tb->x->src.unpacker_bank[SRC_B] = 0;
        MR_SET(tb->x->config.bank[0], THCON_SEC1_REG2_Unpack_limit_address,
               US_TILE / 16 + 4 - 4 * (behind == 1) - 5 * (behind == 2));
        assert_passes(tb, execute_UNPACR, US_UNPACR(US_B));
        uint32_t mantissa = behind == 0 ? 0x200 : 0x100, exponent = behind == 2 ? 50 : 100;
        assert_int_equal(src_get(&tb->x->src.bank[SRC_B][0], 0, 0), mantissa << 8 | exponent);
    }
}

/* The value at the arrival of the data counts. */
static void is_unsigned_when_it_moves(void **state) {
    struct tensix_box *tb = *state;
    mark(tb);
    tb->x->l1[US_TILE] = 0x85;
    us_setup(tb, 0, INT8, INT8, 16);
    tb->x->src.unpacker_bank[SRC_A] = 0;
    tb->now += 10;
    assert_int_equal(execute_UNPACR(tb->x, 1, US_UNPACR(0), tb->now), TENSIX_PASSED);
    MR_SET(tb->x->config.bank[0], ALU_FORMAT_SPEC_REG0_SrcAUnsigned, 1);
    tensix_run(tb->x, tb->now + 100);
    assert_int_equal(src_get(&tb->x->src.bank[SRC_A][0], 0, 0), 0x85 << 8 | 16);
}

/* ---- Soft resets ------------------------------------------------------------------------------------------------- */

static void held_data(void **state) {
    struct tensix_box *tb = *state;
    mark(tb);
    memset(tb->x->l1 + US_TILE, 0x3F, 2048);
    us_setup(tb, 0, BF16, BF16, 256);
    tb->x->src.unpacker_bank[SRC_A] = 0;
    tensix_soft_reset(tb->x, REG_HOLD_SRCA_COLUMNS << 1 | REG_HOLD_SRCA_CLIENT, tb->now);
    for (unsigned again = 0; again < 2; again++) {
        assert_passes(tb, execute_UNPACR, US_UNPACR(US_FLIP));
        for (unsigned i = 0; i < 256; i++)
            assert_int_equal(src_get(&tb->x->src.bank[SRC_A][0], i / 16, i % 16) == 0, i % 16 / 4 == 1);
    }
    assert_int_equal(tb->x->src.allowed[SRC_A][0], SRC_UNPACKERS); /* no unit can hand it over */
    tensix_soft_reset(tb->x, 0, tb->now);
}

/* Nothing is written to Dst while the FPU is held. */
static void held_dst(void **state) {
    struct tensix_box *tb = *state;
    mark(tb);
    memset(tb->x->l1 + US_TILE, 0x3F, 4096);
    us_setup(tb, 0, 0, 0, 1024);
    MR_SET(tb->x->config.thread[1], SRCA_SET_SetOvrdWithAddr, 0);
    MR_SET(tb->x->config.bank[0], THCON_SEC0_REG2_Unpack_If_Sel, 1);
    memset(tb->x->dst.bits, 0x22, sizeof tb->x->dst.bits);
    memset(tb->x->dst.invalid, 0xFF, sizeof tb->x->dst.invalid);
    for (unsigned held = 0; held < 2; held++) {
        tensix_soft_reset(tb->x, held ? 0 : REG_HOLD_FPU, tb->now);
        assert_passes(tb, execute_UNPACR, US_UNPACR(0));
        assert_int_equal(tb->x->dst.bits[0][0], held ? 0x3F7E : 0x2222);
        assert_int_equal(tb->x->dst.bits[8][0], held ? 0x3F3F : 0x2222);
        assert_int_equal(tb->x->dst.invalid[0], held ? 0xFF00FF00 : 0xFFFFFFFF);
    }
}

/* Nothing starts while they are held. */
static void held(void **state) {
    static const uint32_t holds[] = { REG_HOLD_UNPACKERS, REG_HOLD_GLUE };
    struct tensix_box *tb = *state;
    us_setup(tb, 0, BF16, BF16, 256);
    for (unsigned i = 0; i < 2; i++) {
        tensix_soft_reset(tb->x, holds[i], tb->now);
        assert_int_equal(issue(tb, execute_UNPACR, US_UNPACR(0)), TENSIX_NEVER);
        assert_int_equal(issue(tb, execute_UNPACR_NOP, TT(UNPACR_NOP, 0, 0, 0, 0, 0, 0, 0, 0, 1)), TENSIX_NEVER);
        assert_int_equal(tb->box->faults, 0);
        tensix_soft_reset(tb->x, 0, tb->now);
        assert_passes(tb, execute_UNPACR, US_UNPACR(0));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOXED(count_contexts),
        BOXED(flush_cache),
        BOXED(clears),
        BOXED(clears_when),
        BOXED(only_dvalid),
        BOXED(pops),
        BOXED(refused),
        BOXED(refused_addresses),
        BOXED(other_bfp_outputs),
        BOXED(broadcast),
        BOXED(limit),
        BOXED(longest_burst),
        BOXED(held),
        BOXED(is_unsigned_when_it_moves),
        BOXED(held_data),
        BOXED(held_dst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
