/* The inside of the coprocessor from outside: latched waits, address counters, Src with its owners, MOP and Replay
 * (src/tensix/peek.c, src/chip/tensix_api.c). Every scene runs with both timings. */
#include "inside.h"
#include "chip/chip.h"
#include "isa/config.h"
#include "tensix/state.h"

static const struct bh_xy OTHER = { 2, 2 };

/* ---- Waits ------------------------------------------------------------------------------------------------ */

static void assert_no_wait(const bh_chip *chip, unsigned thread) {
    const struct bh_wait none = { 0 };
    struct bh_wait wait = wait_of(chip, thread);
    assert_memory_equal(&wait, &none, sizeof none);
}

static void a_wait_for_semaphores(void **state) {
    bh_chip *chip = *state;
    struct code code = { .count = 0 }, other = { .count = 0 };
    assert_no_wait(chip, 1);
    push(&code, TT(SEMINIT, 3, 1, 1u << 4));
    push(&code, TT(SEMWAIT, 0x55, 1u << 4 | 1u << 2, 1));
    push(&code, TT(SEMPOST, 1));
    start(chip, 1, &code);
    run(chip, 200);
    struct bh_wait wait = wait_of(chip, 1);
    assert_int_equal(wait.opcode, TENSIX_SEMWAIT);
    assert_int_equal(wait.semaphores, 1u << 4 | 1u << 2);
    assert_int_equal(wait.block, 0x55);
    assert_int_equal(wait.condition, 1);
    assert_int_equal(wait.unmet, 1u << 2);
    assert_int_equal(wait.stream, 0);
    assert_int_equal(wait.target, 0);
    assert_in_range(wait.since, 1, 20);
    assert_true(wait.until == UINT64_MAX);
    assert_string_equal(wait.text, "semaphore 2 (UNPACK_TO_DEST) is 0; nobody has ever posted it");
    assert_no_wait(chip, 0);
    assert_no_wait(chip, 2);
    run(chip, 100);
    assert_int_equal(wait_of(chip, 1).since, wait.since);
    push(&other, TT(SEMPOST, 1u << 2));
    push(&other, TT(SEMWAIT, 0x1FF, 1u << 5, 2));
    start(chip, 2, &other);
    run(chip, 200);
    assert_no_wait(chip, 1);
    wait = wait_of(chip, 2);
    assert_int_equal(wait.condition, 2);
    assert_int_equal(wait.unmet, 1u << 5);
    assert_in_range(wait.since, 300, 320);
    assert_says(wait.text, "and its maximum 0, as nobody has ever initialised it");
}

/* The cycle of the latch is exact: words pass one a cycle from the third cycle after the first push on. */
static void since_when(void **state) {
    (void)state;
    for (unsigned nops = 0; nops < 30; nops += 7) {
        bh_chip *chip = make_chip(1);
        struct code code = { .count = 0 };
        for (unsigned i = 0; i < nops; i++)
            push(&code, TT(SETDMAREG, 0, 5, 0, 20));
        push(&code, TT(SEMWAIT, 0x1FF, 1, 1));
        start(chip, 0, &code);
        while (!wait_of(chip, 0).opcode)
            run(chip, 1);
        assert_int_equal(bh_cycle(chip), wait_of(chip, 0).since + 1);
        assert_int_equal(wait_of(chip, 0).since, 3 + nops);
        bh_destroy(chip);
    }
}

static void a_wait_for_conditions(void **state) {
    bh_chip *chip = *state;
    struct code code = { .count = 0 }, other = { .count = 0 };
    push(&code, TT(STALLWAIT, 0, 1u << 4 | 1u << 7 | 1u << 8));
    push(&code, TT(SETRWC, 0, 0, 0, 0, 0, 0));
    start(chip, 0, &code);
    run(chip, 100);
    struct bh_wait wait = wait_of(chip, 0);
    assert_int_equal(wait.opcode, TENSIX_STALLWAIT);
    assert_int_equal(wait.block, 1u << 6); /* what a mask of 0 means */
    assert_int_equal(wait.condition, 1u << 4 | 1u << 7 | 1u << 8);
    assert_int_equal(wait.unmet, 1u << 7 | 1u << 8);
    assert_int_equal(wait.semaphores, 0);
    assert_true(wait.until == UINT64_MAX);
    assert_string_equal(wait.text, "no unpacker has handed SrcA to the Matrix Unit (C7), no unpacker has handed SrcB "
                                   "to the Matrix Unit (C8)");
    push(&other, TT(SETDVALID, 1));
    start(chip, 2, &other);
    run(chip, 100);
    assert_int_equal(wait_of(chip, 0).unmet, 1u << 8);
    assert_string_equal(wait_of(chip, 0).text, "no unpacker has handed SrcB to the Matrix Unit (C8)");
}

/* A wait that ends by itself says when. */
static void a_wait_with_an_end(void **state) {
    bh_chip *chip = make_chip(1);
    struct code code = { .count = 0 };
    struct bh_wait wait;
    uint64_t until = 0, ended = 0;
    unsigned seen = 0;
    (void)state;
    push(&code, TT(ATINCGET, 0, 31, 0, 8, 9));
    push(&code, TT(STALLWAIT, 0x1FF, 1));
    push(&code, TT(SEMPOST, 1));
    start(chip, 1, &code);
    for (unsigned i = 0; i < 60; i++) {
        run(chip, 1);
        wait = wait_of(chip, 1);
        if (!wait.opcode && until && !ended)
            ended = bh_cycle(chip);
        if (!wait.opcode)
            continue;
        seen++;
        assert_true(wait.until > bh_cycle(chip));
        if (until)
            assert_int_equal(wait.until, until);
        until = wait.until != UINT64_MAX ? wait.until : 0;
        if (wait.unmet)
            assert_string_equal(wait.text, "the Scalar Unit has memory requests outstanding (C0)");
        else
            assert_string_equal(wait.text, "");
    }
    assert_true(seen > 2);
    assert_int_equal(ended, until);
    assert_true(until && until < bh_cycle(chip));
    bh_destroy(chip);
}

static void a_wait_for_a_stream(void **state) {
    bh_chip *chip = *state;
    struct code code = { .count = 0 };
    push(&code, TT(SETC16, CONFIG_WORD_STREAM_ID_SYNC_SEC0_BankSel + 2, 5));
    push(&code, tensix_encode_STREAMWAIT((struct tensix_STREAMWAIT){
                    .stall_res = 0x81, .target_value = 9, .target_sel = 1, .wait_stream_sel = 2 }));
    push(&code, TT(SEMPOST, 1));
    start(chip, 2, &code);
    run(chip, 100);
    struct bh_wait wait = wait_of(chip, 2);
    assert_int_equal(wait.opcode, TENSIX_STREAMWAIT);
    assert_int_equal(wait.block, 0x81);
    assert_int_equal(wait.condition, 2);
    assert_int_equal(wait.unmet, 2);
    assert_int_equal(wait.stream, 5);
    assert_int_equal(wait.target, 9);
    assert_string_equal(wait.text, "the message count of stream 5 (register 259) is 0, not yet 9");
}

/* ---- Counters --------------------------------------------------------------------------------------------- */

static void counters(void **state) {
    bh_chip *chip = *state;
    struct code code = { .count = 0 };
    struct bh_adc adc;
    struct bh_rwc rwc;
    push(&code, TT(SETADC, 1, 0, 0, 0x23456));
    push(&code, TT(SETADC, 1, 1, 3, 0x1234));
    push(&code, TT(SETADC, 2, 0, 1, 7));
    push(&code, TT(SETADC, 4, 1, 2, 9));
    push(&code, TT(INCADCXY, 2, 0, 0, 3, 0));
    push(&code, TT(SETRWC, 0, 0, 5, 3, 2, 15));
    push(&code, TT(INCRWC, 0, 4, 2, 1));
    start(chip, 1, &code);
    run(chip, 200);
    assert_int_equal(bh_adc_get(chip, TILE, 1, BH_ADC_UNPACKER0, &adc), BH_OK);
    assert_int_equal(adc.channel[0].value[0], 0x3456);
    assert_int_equal(adc.channel[0].cr[0], 0x3456);
    assert_int_equal(adc.channel[1].value[3], 0x1234);
    assert_int_equal(adc.channel[1].value[0], 0);
    assert_int_equal(bh_adc_get(chip, TILE, 1, BH_ADC_UNPACKER1, &adc), BH_OK);
    assert_int_equal(adc.channel[0].value[1], 10);
    assert_int_equal(adc.channel[0].cr[1], 7);
    assert_int_equal(bh_adc_get(chip, TILE, 1, BH_ADC_PACKER, &adc), BH_OK);
    assert_int_equal(adc.channel[1].value[2], 9);
    assert_int_equal(adc.channel[0].value[2], 0);
    assert_int_equal(bh_adc_get(chip, TILE, 0, BH_ADC_PACKER, &adc), BH_OK);
    assert_int_equal(adc.channel[1].value[2], 0);
    assert_int_equal(bh_rwc_get(chip, TILE, 1, &rwc), BH_OK);
    assert_int_equal(rwc.dst, 5 + 4);
    assert_int_equal(rwc.dst_cr, 5);
    assert_int_equal(rwc.src_b, 3 + 2);
    assert_int_equal(rwc.src_b_cr, 3);
    assert_int_equal(rwc.src_a, 2 + 1);
    assert_int_equal(rwc.src_a_cr, 2);
    assert_int_equal(rwc.fidelity, 0);
    assert_int_equal(rwc.sp, 0);
    assert_int_equal(bh_rwc_get(chip, TILE, 2, &rwc), BH_OK);
    assert_int_equal(rwc.dst, 0);
}

/* ---- Src -------------------------------------------------------------------------------------------------- */

enum { MINUS_INFINITY = 1, ONE = 2, BF16 = 1 };

static void banks_and_their_owners(void **state) {
    bh_chip *chip = *state;
    struct code code = { .count = 0 }, matrix = { .count = 0 };
    struct bh_src_info info = src_of(chip, BH_SRC_A);
    assert_int_equal(info.owner[0], BH_SRC_UNPACKERS);
    assert_int_equal(info.owner[1], BH_SRC_UNPACKERS);
    assert_false(info.valid);
    assert_true(info.free);
    push(&code, TT(UNPACR_NOP, 0, 0, 0, 1, 0, 1, 0, MINUS_INFINITY, CLEAR));
    push(&code, TT(UNPACR_NOP, 1, 0, 0, 1, BF16, 1, 0, ONE, CLEAR));
    push(&code, TT(UNPACR_NOP, 1, 0, 0, 1, 0, 1, 0, 0, CLEAR));
    start(chip, 0, &code);
    run(chip, 200);
    info = src_of(chip, BH_SRC_A);
    assert_int_equal(info.owner[0], BH_SRC_MATRIX);
    assert_int_equal(info.owner[1], BH_SRC_UNPACKERS);
    assert_int_equal(info.unpacker_bank, 1);
    assert_int_equal(info.matrix_bank, 0);
    assert_true(info.valid);
    assert_true(info.free);
    info = src_of(chip, BH_SRC_B);
    assert_int_equal(info.owner[0], BH_SRC_MATRIX);
    assert_int_equal(info.owner[1], BH_SRC_MATRIX);
    assert_int_equal(info.unpacker_bank, 0);
    assert_true(info.valid);
    assert_false(info.free);
    for (unsigned row = 0; row < 64; row += 21) {
        assert_int_equal(datum(chip, BH_SRC_A, 0, row, row % 16), 0x7FFFF);
        assert_int_equal(datum(chip, BH_SRC_A, 1, row, row % 16), 0);
        assert_int_equal(datum(chip, BH_SRC_B, 0, row, row % 16), 127);
        assert_int_equal(datum(chip, BH_SRC_B, 1, row, row % 16), 0);
    }
    push(&matrix, TT(SETRWC, 2, 0, 0, 0, 0, 0)); /* SrcB, back to the unpackers */
    start(chip, 1, &matrix);
    run(chip, 200);
    info = src_of(chip, BH_SRC_B);
    assert_int_equal(info.owner[0], BH_SRC_UNPACKERS);
    assert_int_equal(info.owner[1], BH_SRC_MATRIX);
    assert_int_equal(info.matrix_bank, 1);
    assert_true(info.valid && info.free);
}

/* STOREIND writes a row at the thread's base, four columns at a time. */
static void data_of_a_row(void **state) {
    bh_chip *chip = *state;
    struct code code = { .count = 0 };
    assert_int_equal(bh_gpr_set(chip, TILE, 0, 8, 0x3F803F01), BH_OK);
    assert_int_equal(bh_gpr_set(chip, TILE, 0, 9, 0xC0008102), BH_OK);
    assert_int_equal(bh_gpr_set(chip, TILE, 0, 10, 3 << 2 | 2), BH_OK); /* row 3, columns 8 to 11 */
    push(&code, TT(STOREIND, 0, 0, 1, 0, 0, 8, 10));
    start(chip, 0, &code);
    run(chip, 200);
    assert_int_equal(datum(chip, BH_SRC_B, 0, 3, 8), 0x3F00 << 3 | 0x01);
    assert_int_equal(datum(chip, BH_SRC_B, 0, 3, 9), 0x7F);
    assert_int_equal(datum(chip, BH_SRC_B, 0, 3, 10), 0x8100 << 3 | 0x02);
    assert_int_equal(datum(chip, BH_SRC_B, 0, 3, 11), 1u << 18 | 0x80);
    assert_int_equal(datum(chip, BH_SRC_B, 0, 3, 12), 0);
    assert_int_equal(datum(chip, BH_SRC_B, 0, 2, 8), 0);
    assert_int_equal(datum(chip, BH_SRC_B, 1, 3, 8), 0);
    assert_int_equal(datum(chip, BH_SRC_A, 0, 3, 8), 0);
}

/* ---- Expanders -------------------------------------------------------------------------------------------- */

/* Behind a wait the expander stands ten words ahead of the gate: eight in one FIFO and two in the other. */
static void loops_of_a_mop(void **state) {
    bh_chip *chip = *state;
    struct code code = { .count = 0 }, post = { .count = 0 };
    uint32_t loop = TT(SETDMAREG, 0, 1, 0, 20), last = TT(SETDMAREG, 0, 2, 0, 20), nop = (uint32_t)TENSIX_NOP << 24;
    const uint32_t words[] = { 5, 7, nop, nop, nop, loop, nop, last, last };
    for (unsigned i = 0; i < 9; i++)
        configure(&code, i, words[i]);
    push(&code, TT(MOP_CFG, 0xABCD));
    push(&code, TT(SEMWAIT, 0x1FF, 1, 1));
    push(&code, TT(MOP, 1, 0, 0));
    push(&code, TT(MOP, 1, 0, 0));
    start(chip, 2, &code);
    run(chip, 400);
    struct bh_mop_info mop = mop_of(chip, 2);
    assert_memory_equal(mop.config, words, sizeof words);
    assert_int_equal(mop.zmask_high, 0xABCD);
    assert_true(mop.expanding);
    assert_int_equal(mop.queued, 1);
    assert_int_equal(mop.word, TT(MOP, 1, 0, 0));
    assert_int_equal(mop.pc, core_entry[BH_TRISC2] + 4 * (code.count - 3));
    assert_int_equal(mop.outer_count, 5);
    assert_int_equal(mop.inner_count, 7);
    assert_int_equal(mop.outer, 1);
    assert_int_equal(mop.inner, 3); /* 10 = 7 + 3 */
    assert_int_equal(mop.step, 1);
    assert_int_equal(mop.next, loop);
    assert_int_equal(mop.mask, 0);
    assert_false(mop_of(chip, 0).expanding);
    push(&post, TT(SEMPOST, 1));
    start(chip, 1, &post);
    run(chip, 400);
    mop = mop_of(chip, 2);
    assert_memory_equal(mop.config, words, sizeof words);
    assert_false(mop.expanding);
    assert_int_equal(mop.queued, 0);
    assert_int_equal(mop.word | mop.pc | mop.outer | mop.outer_count | mop.inner | mop.inner_count | mop.next, 0);
}

static void a_list_of_a_mop(void **state) {
    bh_chip *chip = *state;
    struct code code = { .count = 0 };
    enum { HAS_B = 1 };
    uint32_t a = TT(SETDMAREG, 0, 1, 0, 20), b = TT(SETDMAREG, 0, 2, 0, 20), skip = TT(SETDMAREG, 0, 3, 0, 20);
    const uint32_t words[] = { 0, HAS_B, b, a, a, a, a, skip, skip };
    for (unsigned i = 0; i < 9; i++)
        configure(&code, i, words[i]);
    push(&code, TT(MOP_CFG, 0x1234));
    push(&code, TT(SEMWAIT, 0x1FF, 1, 1));
    push(&code, TT(MOP, 0, 11, 0x0020));
    start(chip, 0, &code);
    run(chip, 400);
    struct bh_mop_info mop = mop_of(chip, 0);
    assert_true(mop.expanding);
    assert_int_equal(mop.queued, 0);
    assert_int_equal(mop.mask, 0x12340020);
    assert_int_equal(mop.outer, 5); /* ten words of two each */
    assert_int_equal(mop.outer_count, 12);
    assert_int_equal(mop.inner | mop.inner_count | mop.step, 0);
    assert_int_equal(mop.next, skip);
}

static void a_recording(void **state) {
    bh_chip *chip = *state;
    struct code code = { .count = 0 };
    push(&code, TT(REPLAY, 30, 5, 1, 1));
    for (unsigned i = 0; i < 3; i++)
        push(&code, TT(SETDMAREG, 0, i, 0, 20));
    start(chip, 1, &code);
    run(chip, 200);
    struct bh_replay_info replay = replay_of(chip, 1);
    assert_int_equal(replay.state, BH_REPLAY_RECORDING);
    assert_true(replay.executing);
    assert_int_equal(replay.at, 1); /* 30, 31, 0 */
    assert_int_equal(replay.left, 2);
    assert_int_equal(replay.word[30], TT(SETDMAREG, 0, 0, 0, 20));
    assert_int_equal(replay.word[31], TT(SETDMAREG, 0, 1, 0, 20));
    assert_int_equal(replay.word[0], TT(SETDMAREG, 0, 2, 0, 20));
    assert_int_equal(replay.word[1], 0);
    assert_int_equal(replay_of(chip, 0).state, BH_REPLAY_IDLE);
}

static void a_replay(void **state) {
    bh_chip *chip = *state;
    struct code code = { .count = 0 }, post = { .count = 0 };
    push(&code, TT(REPLAY, 4, 6, 0, 1));
    for (unsigned i = 0; i < 6; i++)
        push(&code, TT(SETDMAREG, 0, i, 0, 20));
    push(&code, TT(SEMWAIT, 0x1FF, 1, 1));
    push(&code, TT(REPLAY, 4, 6, 0, 0));
    start(chip, 0, &code);
    run(chip, 200);
    struct bh_replay_info replay = replay_of(chip, 0);
    assert_int_equal(replay.state, BH_REPLAY_PLAYING);
    assert_false(replay.executing);
    assert_int_equal(replay.at, 6); /* two are in the FIFO before the gate */
    assert_int_equal(replay.left, 4);
    assert_int_equal(replay.pc, core_entry[BH_TRISC0] + 4 * (code.count - 2));
    assert_int_equal(replay.word[9], TT(SETDMAREG, 0, 5, 0, 20));
    push(&post, TT(SEMPOST, 1));
    start(chip, 1, &post);
    run(chip, 200);
    replay = replay_of(chip, 0);
    assert_int_equal(replay.state, BH_REPLAY_IDLE);
    assert_int_equal(replay.left, 0);
    assert_int_equal(replay.pc, 0);
    assert_int_equal(replay.word[9], TT(SETDMAREG, 0, 5, 0, 20));
}

/* ---- Nothing is forgotten --------------------------------------------------------------------------------- */

/* What a reader of the library shows of T1, or of SrcA. */
union shown {
    struct bh_adc adc;
    struct bh_rwc rwc;
    struct bh_src_info src;
};
typedef bh_status reader(const bh_chip *chip, union shown *shown);

static bh_status show_adc(const bh_chip *chip, union shown *shown) {
    return bh_adc_get(chip, TILE, 1, BH_ADC_UNPACKER1, &shown->adc);
}

static bh_status show_rwc(const bh_chip *chip, union shown *shown) {
    return bh_rwc_get(chip, TILE, 1, &shown->rwc);
}

static bh_status show_src(const bh_chip *chip, union shown *shown) {
    return bh_src_query(chip, TILE, BH_SRC_A, &shown->src);
}

static union shown shown_by(const bh_chip *chip, reader *read) {
    union shown shown;
    memset(&shown, 0, sizeof shown);
    assert_int_equal(read(chip, &shown), BH_OK);
    return shown;
}

static bool is_in(const char *const *names, const char *name) {
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names;
}

/* The first byte of every member of the table that can have another value: with it, what the reader shows changes.
 * Members of `hidden`, which ends with NULL, are not for this reader. */
static void assert_shows(bh_chip *chip, reader *read, const struct state_table *table, void *block,
                         const char *const *hidden) {
    union shown before = shown_by(chip, read);
    for (uint32_t i = 0; i < table->count; i++) {
        const struct state_member *m = &table->member[i];
        uint8_t *byte = (uint8_t *)block + m->offset;
        if (is_in(hidden, m->name))
            continue;
        for (unsigned k = 0; m->inner && k < m->size / m->inner->size; k++)
            assert_shows(chip, read, m->inner, byte + k * m->inner->size, hidden);
        if (m->inner || m->kind == STATE_DERIVED || (m->width && !m->most))
            continue;
        *byte ^= 1;
        union shown after = shown_by(chip, read);
        *byte ^= 1;
        // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): shown_by clears all of it first
        if (memcmp(&before, &after, sizeof before) == 0)
            fail_msg("struct %s: the reader does not show %s", table->name, m->name);
    }
}

static void readers_show_every_member_of_the_tables(void **state) {
    static const char *const none[] = { NULL };
    static const char *const hidden[] = { "last_format", "free_from", "touched", "filled", "bank", NULL };
    bh_chip *chip = *state;
    struct tile *tile;
    assert_int_equal(chip_tensix(chip, TILE, &tile), BH_OK);
    struct tensix *x = &tile->tensix;
    assert_shows(chip, show_adc, &adc_state, &x->adc[1][ADC_UNPACKER1], none);
    assert_shows(chip, show_rwc, &rwc_state, &x->rwc[1], none);
    assert_shows(chip, show_src, &src_state, &x->src, hidden);
}

/* ---- Arguments -------------------------------------------------------------------------------------------- */

static void bad_arguments(void **state) {
    bh_chip *chip = *state;
    const struct bh_xy dram = { 17, 12 };
    const enum bh_src_file no_file = (enum bh_src_file)2;
    struct bh_wait wait;
    struct bh_adc adc;
    struct bh_rwc rwc;
    struct bh_src_info src;
    struct bh_mop_info mop;
    struct bh_replay_info replay;
    uint32_t value;
    assert_int_equal(bh_wait_get(chip, TILE, 3, &wait), BH_ERR_ARGUMENT);
    assert_says(bh_message(chip), "Tensix thread 3: there are 3");
    assert_int_equal(bh_adc_get(chip, TILE, 3, BH_ADC_PACKER, &adc), BH_ERR_ARGUMENT);
    assert_int_equal(bh_adc_get(chip, TILE, 2, BH_ADC_USERS, &adc), BH_ERR_ARGUMENT);
    assert_says(bh_message(chip), "user of address counters 3: there are 3");
    assert_int_equal(bh_rwc_get(chip, TILE, 3, &rwc), BH_ERR_ARGUMENT);
    assert_int_equal(bh_mop_get(chip, TILE, 3, &mop), BH_ERR_ARGUMENT);
    assert_int_equal(bh_replay_get(chip, TILE, 3, &replay), BH_ERR_ARGUMENT);
    assert_int_equal(bh_src_query(chip, TILE, no_file, &src), BH_ERR_ARGUMENT);
    assert_says(bh_message(chip), "file of Src 2: there are 2");
    assert_int_equal(bh_src_get(chip, TILE, no_file, 0, 0, 0, &value), BH_ERR_ARGUMENT);
    assert_int_equal(bh_src_get(chip, TILE, BH_SRC_B, 2, 0, 0, &value), BH_ERR_ARGUMENT);
    assert_says(bh_message(chip), "bank of Src 2: there are 2");
    assert_int_equal(bh_src_get(chip, TILE, BH_SRC_B, 1, 64, 0, &value), BH_ERR_ARGUMENT);
    assert_int_equal(bh_src_get(chip, TILE, BH_SRC_B, 1, 63, 16, &value), BH_ERR_ARGUMENT);
    assert_int_equal(bh_src_get(chip, OTHER, BH_SRC_B, 1, 63, 15, &value), BH_OK);
    assert_int_equal(bh_wait_get(chip, dram, 0, &wait), BH_ERR_COORDINATE);
    assert_int_equal(bh_adc_get(chip, dram, 0, BH_ADC_PACKER, &adc), BH_ERR_COORDINATE);
    assert_int_equal(bh_rwc_get(chip, dram, 0, &rwc), BH_ERR_COORDINATE);
    assert_int_equal(bh_mop_get(chip, dram, 0, &mop), BH_ERR_COORDINATE);
    assert_int_equal(bh_replay_get(chip, dram, 0, &replay), BH_ERR_COORDINATE);
    assert_int_equal(bh_src_query(chip, dram, BH_SRC_A, &src), BH_ERR_COORDINATE);
    assert_int_equal(bh_src_get(chip, dram, BH_SRC_A, 0, 0, 0, &value), BH_ERR_COORDINATE);
}

static void nothing_given(void **state) {
    bh_chip *chip = *state;
    struct bh_wait wait;
    uint32_t value;
    for (unsigned i = 0; i < 2; i++) {
        bh_chip *one = i ? chip : NULL;
        assert_int_equal(bh_wait_get(one, TILE, 0, NULL), BH_ERR_ARGUMENT);
        assert_int_equal(bh_adc_get(one, TILE, 0, BH_ADC_PACKER, NULL), BH_ERR_ARGUMENT);
        assert_int_equal(bh_rwc_get(one, TILE, 0, NULL), BH_ERR_ARGUMENT);
        assert_int_equal(bh_mop_get(one, TILE, 0, NULL), BH_ERR_ARGUMENT);
        assert_int_equal(bh_replay_get(one, TILE, 0, NULL), BH_ERR_ARGUMENT);
        assert_int_equal(bh_src_query(one, TILE, BH_SRC_A, NULL), BH_ERR_ARGUMENT);
        assert_int_equal(bh_src_get(one, TILE, BH_SRC_A, 0, 0, 0, NULL), BH_ERR_ARGUMENT);
    }
    assert_says(bh_message(chip), "no room for the result (NULL)");
    assert_int_equal(bh_wait_get(NULL, TILE, 0, &wait), BH_ERR_ARGUMENT);
    assert_int_equal(bh_src_get(NULL, TILE, BH_SRC_A, 0, 0, 0, &value), BH_ERR_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(a_wait_for_semaphores),
        BOTH(a_wait_for_conditions),
        BOTH(a_wait_for_a_stream),
        cmocka_unit_test(since_when),
        cmocka_unit_test(a_wait_with_an_end),
        BOTH(counters),
        BOTH(banks_and_their_owners),
        BOTH(data_of_a_row),
        BOTH(loops_of_a_mop),
        BOTH(a_list_of_a_mop),
        BOTH(a_recording),
        BOTH(a_replay),
        BOTH(readers_show_every_member_of_the_tables),
        BOTH(bad_arguments),
        BOTH(nothing_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
