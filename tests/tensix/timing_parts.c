/* Parts of times (TENSIX_PART of isa/tensix.def): each in a formula that is compared with an emulated coprocessor. A
 * part without a function here does not compile. */
#include "tensix/timing.h"

enum { INT8 = 14, UNIT = 16 };

static void owns_banks(struct tensix_box *tb) {
    memset(tb->x->src.allowed, SRC_MATRIX, sizeof tb->x->src.allowed);
}

static unsigned between(uint32_t first, uint32_t second) {
    return distance(&(struct timed){ .word = first, .prepare = owns_banks }, second, "instruction");
}

/* Cycles from the pass of an instruction to its end. */
static unsigned lasts(uint32_t word, void (*prepare)(struct tensix_box *tb)) {
    unsigned changed, idle;
    observe(&(struct timed){ .word = word, .prepare = prepare }, "instruction", &changed, &idle);
    return idle;
}

static unsigned rounded_up(unsigned units, unsigned in_a_cycle) {
    return (units + in_a_cycle - 1) / in_a_cycle;
}

/* ---- Scalar Unit ----------------------------------------------------------------------------------------------- */

static void part_SECOND_READ(void) {
    uint32_t apart = TT(ADDDMAREG, .ResultRegIndex = 20, .OpBRegIndex = 21, .OpARegIndex = 25);
    assert_int_equal(between(apart, W(NOP, 0)), TENSIX_OCCUPANCY_ADDDMAREG + TENSIX_PART_SECOND_READ);
}

static void part_ATOMICS(void) {
    struct tensix_box *tb = create(&(struct timed){ .word = 0 });
    for (unsigned i = 0; i <= TENSIX_PART_ATOMICS; i++)
        tb_push(tb, 0, TT(ATINCGET, .WrapVal = 31, .DataRegIndex = DATA_GPR, .AddrRegIndex = ADDRESS));
    tb_start(tb);
    until_pass(tb, TENSIX_PART_ATOMICS + 1, "ATINCGET");
    assert_int_equal(tb->at[0][TENSIX_PART_ATOMICS - 1] - tb->at[0][0],
                     TENSIX_OCCUPANCY_ATINCGET * (TENSIX_PART_ATOMICS - 1));
    assert_int_equal(tb->at[0][TENSIX_PART_ATOMICS] - tb->at[0][0],
                     TENSIX_LATENCY_ATINCGET - TENSIX_OCCUPANCY_ATINCGET);
    tb_destroy(tb);
}

/* ---- Unpackers ------------------------------------------------------------------------------------------------- */

static void compressed(struct tensix_box *tb) {
    us_setup(tb, 0, 5, 5, 16);
    tb->x->config.bank[0][CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor] &= ~UINT32_C(0x10);
}

static void part_UNPACR_COMPRESSED(void) {
    struct timed row = { .word = US_UNPACR(0), .prepare = compressed };
    assert_int_equal(distance(&row, W(NOP, 0), "UNPACR"), TENSIX_OCCUPANCY_UNPACR + TENSIX_PART_UNPACR_COMPRESSED);
}

static unsigned unpacks_for(unsigned mode, unsigned unpackers) {
    struct tensix_box *tb = tb_create();
    for (unsigned i = 0; i < unpackers; i++) {
        us_setup(tb, i, INT8, INT8, US_DATA);
        us_throttle(tb, i, mode);
        tb_push(tb, 0, US_UNPACR(i ? US_B : 0));
    }
    tb_start(tb);
    until_pass(tb, unpackers, "UNPACR");
    while (tb->x->unpack.unit[0].count && tb->now < TB_LIMIT)
        tb_step(tb, tb->now + 1);
    unsigned cycles = (unsigned)(tb->now - 1 - tb->at[0][0]); /* the cycle in which it ended */
    tb_destroy(tb);
    return cycles;
}

/* The other unpacker, which begins while the first one fetches, does not slow it. */
static void assert_speed(unsigned mode, unsigned units) {
    assert_int_equal(unpacks_for(mode, 1), TENSIX_OCCUPANCY_UNPACR + rounded_up(US_DATA / UNIT, units));
    assert_int_equal(unpacks_for(mode, 2), unpacks_for(mode, 1));
}

static void part_UNPACR_X1(void) {
    assert_speed(0, TENSIX_PART_UNPACR_X1);
}

static void part_UNPACR_X2(void) {
    assert_speed(1, TENSIX_PART_UNPACR_X2);
}

static void part_UNPACR_X4(void) {
    assert_speed(2, TENSIX_PART_UNPACR_X4);
}

static void part_UNPACR_X8(void) {
    assert_speed(3, TENSIX_PART_UNPACR_X8);
}

/* ---- Packer ------------------------------------------------------------------------------------------------------ */

enum { FOUR_ROWS = 4 * 16 * 2 / UNIT };

static void adds(struct tensix_box *tb) {
    pt_setup(tb);
    MR_SET(pt_config(tb), THCON_SEC0_REG1_Pack_L1_Acc, 1);
}

static void packs_l1(struct tensix_box *tb) {
    pt_setup(tb);
    MR_SET(pt_config(tb), THCON_SEC0_REG1_Source_interface_selection, 1);
    MR_SET(pt_config(tb), THCON_SEC0_REG1_L1_source_addr, 2);
    tb->x->l1[2 << 18] = 1;
    tb->x->adc[0][ADC_PACKERS].channel[1].value[ADC_X] = 127;
}

static void part_PACR_UNITS(void) {
    assert_int_equal(lasts(PT_PACR(PT_LAST), pt_setup),
                     TENSIX_OCCUPANCY_PACR + rounded_up(FOUR_ROWS, TENSIX_PART_PACR_UNITS));
}

static void part_PACR_ADD(void) {
    assert_int_equal(lasts(PT_PACR(PT_LAST), adds),
                     TENSIX_OCCUPANCY_PACR + rounded_up(FOUR_ROWS, TENSIX_PART_PACR_UNITS) * TENSIX_PART_PACR_ADD);
}

static void part_PACR_READ(void) {
    assert_int_equal(lasts(PT_PACR(PT_LAST), packs_l1),
                     TENSIX_OCCUPANCY_PACR + rounded_up(128 * 2 / UNIT, TENSIX_PART_PACR_READ));
}

/* ---- Mover ------------------------------------------------------------------------------------------------------- */

enum { MOVED = 20 /* units */ };

static void moves(struct tensix_box *tb, unsigned direction) {
    uint32_t *words = &tb->x->config.bank[0][CONFIG_WORD_THCON_SEC0_REG6_Source_address];
    words[0] = L1_AT / UNIT;
    words[1] = L1_AT / UNIT + 64;
    words[2] = MOVED | direction << 30;
}

static void zeroes(struct tensix_box *tb) {
    moves(tb, MOVER_ZERO_L1);
}

static void copies(struct tensix_box *tb) {
    moves(tb, MOVER_L1_L1);
}

static void part_XMOV_GROUP(void) {
    assert_int_equal(lasts(W(XMOV, 0), zeroes), TENSIX_LATENCY_XMOV + MOVED);
    assert_int_equal(lasts(W(XMOV, 0), copies),
                     TENSIX_LATENCY_XMOV + MOVED + rounded_up(MOVED, TENSIX_PART_XMOV_GROUP) * TENSIX_PART_XMOV_PAUSE);
}

static void part_XMOV_PAUSE(void) {
    part_XMOV_GROUP();
}

/* ---- Matrix Unit ------------------------------------------------------------------------------------------------- */

/* Cycles from CLEARDVALID until a wait for the unpackers' bank of SrcA is over. */
static unsigned waits_for_bank(void) {
    struct tensix_box *tb = create(&(struct timed){ .prepare = owns_banks });
    TB_PUSH_ALL(tb, 0, TT(CLEARDVALID, .cleardvalid = 1), TT(STALLWAIT, .stall_res = B_SYNC, .wait_res = 1 << 5),
                W(SEMINIT, 0));
    tb_start(tb);
    until_pass(tb, 3, "SEMINIT");
    unsigned cycles = (unsigned)(tb->at[0][2] - tb->at[0][0]);
    tb_destroy(tb);
    return cycles;
}

/* Cycles from CLEARDVALID until the end of an unpack that waits for the bank. */
static unsigned unpacks_behind(void) {
    struct tensix_box *tb = tb_create();
    us_setup(tb, 0, INT8, INT8, US_DATA);
    us_throttle(tb, 0, 0);
    owns_banks(tb);
    tb_push(tb, 0, US_UNPACR(0));
    for (unsigned i = 0; i < 20; i++)
        tb_push(tb, 1, W(NOP, 0));
    tb_push(tb, 1, TT(CLEARDVALID, .cleardvalid = 1));
    tb_start(tb);
    do
        tb_step(tb, tb->now + 1);
    while ((!tb->passes[0] || tb->x->unpack.unit[0].count) && tb->now < TB_LIMIT);
    unsigned cycles = (unsigned)(tb->now - 1 - tb->at[1][20]);
    tb_destroy(tb);
    return cycles;
}

static void part_HAND_BACK(void) {
    assert_int_equal(waits_for_bank(), TENSIX_PART_HAND_BACK + 1); /* a wait that is met holds nothing a cycle later */
    assert_int_equal(unpacks_behind() - rounded_up(US_DATA / UNIT, TENSIX_PART_UNPACR_X1), TENSIX_PART_HAND_BACK);
}

static void part_TO_A(void) {
    assert_int_equal(between(W(MOVD2A, 0), W(INCRWC, 0)), TENSIX_PART_TO_A);
    assert_int_equal(between(W(MOVB2A, 0), W(INCRWC, 0)), TENSIX_PART_TO_A);
    assert_int_equal(between(W(MOVB2A, 0), W(MOVD2A, 0)), TENSIX_OCCUPANCY_MOVB2A);
}

static void part_TO_B(void) {
    assert_int_equal(between(W(MOVD2B, 0), W(INCRWC, 0)), TENSIX_PART_TO_B);
    assert_int_equal(between(W(MOVD2B, 0), W(MOVD2B, 0)), TENSIX_OCCUPANCY_MOVD2B);
}

static void part_TO_D(void) {
    assert_int_equal(between(W(MOVA2D, 0), W(MVMUL, 64)), TENSIX_PART_TO_D);
    assert_int_equal(between(W(MOVB2D, 0), W(MOVD2A, 64)), TENSIX_PART_TO_D);
    assert_int_equal(between(W(MOVA2D, 0), W(INCRWC, 0)), TENSIX_OCCUPANCY_MOVA2D);
}

/* Returns whether the second word faults if it passes this many cycles after the first. */
static bool faults_after(uint32_t first, uint32_t second, unsigned cycles) {
    struct tensix_box *tb = create(&(struct timed){ .prepare = owns_banks });
    tb_push(tb, 0, first);
    for (unsigned i = 1; i < cycles; i++)
        tb_push(tb, 0, W(NOP, 0));
    tb_push(tb, 0, second);
    tb_start(tb);
    tb_step(tb, tb->now + 100);
    bool faulted = tb->box->faults != 0;
    assert_true(faulted || tb->at[0][cycles] - tb->at[0][0] == cycles);
    tb_destroy(tb);
    return faulted;
}

static void part_TO_SFPLOAD(void) {
    for (unsigned i = 1; i <= TENSIX_PART_TO_SFPLOAD; i++)
        assert_int_equal(faults_after(W(ELWADD, 0), W(SFPLOAD, 0), i), i < TENSIX_PART_TO_SFPLOAD);
}

/* ---- Vector Unit ------------------------------------------------------------------------------------------------- */

static void part_SFPSHFT2_ACROSS(void) {
    for (unsigned mode = 2; mode <= 4; mode++) {
        uint32_t across = W(SFPSHFT2, 2 << 8 | 1 << 4 | mode);
        assert_int_equal(between(across, W(SFPMOV, 3 << 8 | 4 << 4)), TENSIX_PART_SFPSHFT2_ACROSS);
        assert_int_equal(lasts(across, NULL), TENSIX_PART_SFPSHFT2_ACROSS);
    }
}

static void part_SFPCONFIG_BACKDOOR(void) {
    uint32_t set = W(SFPCONFIG, 2 << 8 | 15 << 4 | 1), template = W(SFPMOV, 2 << 8 | 12 << 4);
    for (unsigned i = 1; i <= TENSIX_PART_SFPCONFIG_BACKDOOR; i++)
        assert_int_equal(faults_after(set, template, i), i < TENSIX_PART_SFPCONFIG_BACKDOOR);
}

static void every_part(void **state) {
    (void)state;
#define TENSIX_PART(name, value, text) part_##name();
#include "isa/tensix.def"
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
