/* Loosely timed coprocessors in all tiles: the state is the same on any number of host threads and after a reset, and
 * the values are those of a chip that is exact in time. */
#include "isa/tensix.h"
#include "support/chip.h"
#include "support/noc_script.h"
#include "support/rv.h"

enum { L1 = 0x20000, PIECES = 12, PIECE = 700, WORDS = 64 };
enum { FIELDS = 9 }; /* of a request to a NIU, up to its length */
enum { EBREAK = 0x00100073, COUNTER = 5 };

#define TT(name, ...) tensix_encode_##name((struct tensix_##name){ __VA_ARGS__ })

static const struct bh_xy TILE = { 1, 2 };

struct code {
    uint32_t word[WORDS];
    unsigned count;
};

static void emit(struct code *code, uint32_t word) {
    code->word[code->count++] = word;
}

static void push(struct code *code, uint32_t word) {
    emit(code, tensix_to_stream(word));
}

static void repeat(struct code *code, unsigned top) {
    emit(code, rv_addi(COUNTER, COUNTER, -1));
    emit(code, rv_bne(COUNTER, 0, -4 * (int32_t)(code->count - top)));
    emit(code, EBREAK);
}

static uint32_t wait_for(unsigned semaphore) {
    return TT(SEMWAIT, 0x1FF, 1u << semaphore, 1);
}

static void take(struct code *code, unsigned semaphore) {
    push(code, wait_for(semaphore));
    push(code, TT(SEMGET, 1u << semaphore));
}

/* A number goes around: T0 adds to it and stores it in L1, T1 adds to the word, T2 copies it; then the next one. */
static struct code work(unsigned thread, unsigned rounds) {
    struct code code = { .count = 0 };
    uint32_t wait = TT(STALLWAIT, 0x1FF, 1), store = TT(STOREIND, 1, 0, 1, 2 * 9, 0, 8, 10);
    push(&code, TT(SETDMAREG, 0, L1 / 16, 0, 2 * 10));
    push(&code, TT(REPLAY, 0, 4, 0, 1));
    for (unsigned i = 0; i < 4; i++)
        push(&code, TT(ADDDMAREG, 1, 20 + i, 1 + thread + i, 20 + i));
    emit(&code, rv_addi(COUNTER, 0, (int32_t)rounds));
    unsigned top = code.count;
    if (thread == 0) {
        push(&code, TT(ADDDMAREG, 1, 8, 7, 8));
        push(&code, store);
    } else {
        take(&code, thread - 1);
        push(&code, TT(LOADIND, 1, 2 * 9, 0, 8, 10));
        push(&code, wait);
        push(&code, TT(ADDDMAREG, 1, 8, thread, 8));
        push(&code, TT(ADDDMAREG, 0, 11, 8, 11));
        push(&code, store);
    }
    push(&code, wait);
    push(&code, TT(REPLAY, 0, 4, 0, 0));
    push(&code, TT(SEMPOST, 1u << thread));
    if (thread == 0)
        take(&code, 2);
    repeat(&code, top);
    return code;
}

static void start(bh_chip *chip) {
    struct bh_tile_info info;
    for (unsigned i = 0; bh_tile_at(chip, i, &info) == BH_OK; i++) {
        if (info.kind != BH_TILE_TENSIX || info.harvested)
            continue;
        for (unsigned thread = 0; thread < BH_THREADS; thread++) {
            struct code code = work(thread, 20 + i % 17);
            enum bh_core core = (enum bh_core)(BH_TRISC0 + thread);
            start_at(chip, info.noc0, core, core_entry[core], code.word, code.count * sizeof code.word[0]);
        }
    }
}

static void run_pieces(bh_chip *chip, uint64_t hash[PIECES]) {
    start(chip);
    for (unsigned i = 0; i < PIECES; i++) {
        assert_int_equal(bh_run(chip, PIECE, 0, NULL), BH_OK);
        hash[i] = bh_state_hash(chip);
    }
}

static void any_number_of_threads(void **state) {
    uint64_t hash[4][PIECES], again[PIECES];
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        bh_chip *chip = make_timed(BH_TIMING_LOOSE, threads);
        run_pieces(chip, hash[threads]);
        assert_memory_equal(hash[threads], hash[1], sizeof hash[1]);
        bh_reset(chip);
        run_pieces(chip, again);
        assert_memory_equal(again, hash[1], sizeof again);
        bh_destroy(chip);
    }
    assert_int_not_equal(hash[1][0], hash[1][PIECES - 1]);
}

static void assert_same_gprs(const bh_chip *a, const bh_chip *b, struct bh_xy tile) {
    for (unsigned thread = 0; thread < BH_THREADS; thread++) {
        for (unsigned i = 0; i < 64; i++) {
            uint32_t x, y;
            assert_int_equal(bh_gpr_get(a, tile, thread, i, &x), BH_OK);
            assert_int_equal(bh_gpr_get(b, tile, thread, i, &y), BH_OK);
            assert_int_equal(x, y);
        }
    }
}

static void values_are_those_of_cycles(void **state) {
    bh_chip *chip[2];
    struct bh_tile_info info;
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        chip[i] = make_timed(i ? BH_TIMING_LOOSE : BH_TIMING_CYCLES, 2);
        start(chip[i]);
        run_until_idle(chip[i]);
    }
    for (unsigned i = 0; bh_tile_at(chip[0], i, &info) == BH_OK; i++) {
        if (info.kind != BH_TILE_TENSIX || info.harvested)
            continue;
        assert_same_gprs(chip[0], chip[1], info.noc0);
        assert_int_equal(peek_word(chip[0], info.noc0, L1), peek_word(chip[1], info.noc0, L1));
    }
    assert_int_not_equal(peek_word(chip[1], TILE, L1), 0);
    bh_destroy(chip[0]);
    bh_destroy(chip[1]);
}

/* A result that is a cycle late is there when the chip stands still, however far ahead of its time the coprocessor
 * is. */
static void late_results_have_come(void **state) {
    bh_chip *chip = make_timed(BH_TIMING_LOOSE, 1);
    struct code code = { .count = 0 };
    struct bh_thread_info info;
    uint32_t value;
    (void)state;
    for (unsigned i = 0; i < WORDS / 2 - 8; i++) {
        push(&code, TT(ATINCGET, 0, 31, 0, 8, 9));
        push(&code, TT(STALLWAIT, 0x1FF, 1));
    }
    push(&code, TT(SFPLOADI, 0, 0, 0x4040)); /* 3.0 */
    push(&code, TT(SFPMAD, 0, 0, 0, 1, 0));
    emit(&code, EBREAK);
    start_at(chip, TILE, BH_TRISC1, core_entry[BH_TRISC1], code.word, code.count * sizeof code.word[0]);
    run_until_idle(chip);
    assert_int_equal(bh_lreg_get(chip, TILE, 1, 5, &value), BH_OK);
    assert_int_equal(value, 0x41400000); /* 12.0 */
    assert_int_equal(bh_thread_query(chip, TILE, 1, &info), BH_OK);
    assert_int_equal(info.state, BH_THREAD_IDLE);
    assert_int_equal(info.passed, WORDS - 14);
    bh_destroy(chip);
}

/* Threads send by STOREREG, far ahead of their cores: to another tile, from one to the next, and all at once. */
static struct code sender(unsigned work) {
    struct code code = { .count = 0 };
    for (unsigned i = 0; i < work; i++) {
        push(&code, TT(ATINCGET, 0, 31, 0, 8, 9));
        push(&code, TT(STALLWAIT, 0x1FF, 1));
    }
    for (unsigned i = 0; i <= FIELDS; i++)
        push(&code, TT(STOREREG, 20 + i, 0x20000 / 4 + (i < FIELDS ? i : 0x40 / 4)));
    emit(&code, EBREAK);
    return code;
}

static void set_request(bh_chip *chip, struct bh_xy from, struct bh_xy to) {
    struct script_request request = {
        .targ_lo = L1,
        .targ_hi = script_xy(from.x, from.y),
        .ret_lo = L1 + 0x1000,
        .ret_hi = script_xy(to.x, to.y),
        .ctrl = SCRIPT_WRITE | SCRIPT_MARKED,
        .len = 64,
    };
    const uint32_t *field = &request.targ_lo;
    for (unsigned i = 0; i <= FIELDS; i++)
        assert_int_equal(bh_gpr_set(chip, from, 2, 20 + i, i < FIELDS ? field[i] : 1), BH_OK);
    assert_int_equal(bh_gpr_set(chip, from, 2, 9, 0x30000 / 16), BH_OK);
}

static bh_chip *send_around(enum bh_timing timing, unsigned threads) {
    bh_chip *chip = make_timed(timing, threads);
    for (uint8_t x = 1; x <= 7; x++) {
        struct bh_xy from = { x, 2 }, to = { x == 7 ? 1 : x + 1, 2 };
        struct code code = sender(x);
        for (unsigned i = 0; i < 16; i++)
            put_word(chip, from, L1 + 4 * i, 100u * x + i);
        set_request(chip, from, to);
        start_at(chip, from, BH_TRISC2, core_entry[BH_TRISC2], code.word, code.count * sizeof code.word[0]);
    }
    run_until_idle(chip);
    return chip;
}

static void threads_send(void **state) {
    uint64_t hash = 0;
    (void)state;
    for (unsigned way = 0; way < 4; way++) {
        bh_chip *chip = send_around(way ? BH_TIMING_LOOSE : BH_TIMING_CYCLES, way ? way : 1);
        for (uint8_t x = 1; x <= 7; x++)
            for (unsigned i = 0; i < 16; i++)
                assert_int_equal(peek_word(chip, (struct bh_xy){ x == 7 ? 1 : x + 1, 2 }, L1 + 0x1000 + 4 * i),
                                 100u * x + i);
        if (way > 1)
            assert_int_equal(bh_state_hash(chip), hash);
        hash = bh_state_hash(chip);
        bh_destroy(chip);
    }
}

/* ---- A MOP of a million REPLAYs --------------------------------------------------------------------- */

enum { PLAYED = 8, COUNTED = 9, ADDRESS = 6, VALUE = 7 };
#define MOP_CONFIG 0xFFB80000u

static void store_mop(struct code *code, unsigned index, uint32_t value) {
    emit(code, rv_lui(VALUE, value + 0x800));
    emit(code, rv_addi(VALUE, VALUE, (int32_t)((value & 0xFFF) ^ 0x800) - 0x800));
    emit(code, rv_sw(VALUE, (int32_t)(4 * index), ADDRESS));
}

static struct code count_in_mop(unsigned outer, unsigned inner) {
    uint32_t nop = TT(NOP, 0), play = TT(REPLAY, 0, PLAYED, 0, 0);
    const uint32_t config[] = { outer, inner, nop, nop, nop, play, nop, play, play };
    struct code code = { .count = 0 };
    emit(&code, rv_lui(ADDRESS, MOP_CONFIG));
    for (unsigned i = 0; i < sizeof config / sizeof config[0]; i++)
        store_mop(&code, i, config[i]);
    push(&code, TT(REPLAY, 0, PLAYED, 0, 1));
    for (unsigned i = 0; i < PLAYED; i++)
        push(&code, TT(ADDDMAREG, 1, COUNTED, 1, COUNTED));
    push(&code, TT(MOP, 1, 0, 0));
    emit(&code, EBREAK);
    return code;
}

static bh_chip *start_mop(enum bh_timing timing, unsigned outer, unsigned inner) {
    bh_chip *chip = make_timed(timing, 1);
    struct code code = count_in_mop(outer, inner);
    start_at(chip, TILE, BH_TRISC0, core_entry[BH_TRISC0], code.word, code.count * sizeof code.word[0]);
    return chip;
}

static uint64_t passed(const bh_chip *chip) {
    struct bh_thread_info info;
    assert_int_equal(bh_thread_query(chip, TILE, 0, &info), BH_OK);
    return info.passed;
}

/* A run comes back when its cycles are over, with about as many words done as it has cycles. */
static void runs_come_back(void **state) {
    enum { CYCLES = 2000, AHEAD = 10000, RUNS = 10 };
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        bh_chip *chip = start_mop(i ? BH_TIMING_LOOSE : BH_TIMING_CYCLES, 1023, 1023);
        for (unsigned run = 1; run <= RUNS; run++) {
            assert_int_equal(bh_run(chip, CYCLES, 0, NULL), BH_OK);
            assert_true(passed(chip) > 0 && passed(chip) <= run * CYCLES + AHEAD);
        }
        bh_destroy(chip);
    }
}

/* In pieces or not, all words are done, and the state is the same. */
static void pieces_of_a_mop(void **state) {
    enum { OUTER = 50, INNER = 60 };
    uint64_t hash[2];
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        bh_chip *chip = start_mop(BH_TIMING_LOOSE, OUTER, INNER);
        uint32_t value;
        for (unsigned run = 0; i && run < 20; run++)
            assert_int_equal(bh_run(chip, 4 * bh_epoch(chip), 0, NULL), BH_OK);
        run_until_idle(chip);
        assert_int_equal(bh_gpr_get(chip, TILE, 0, COUNTED, &value), BH_OK);
        assert_int_equal(value, OUTER * INNER * PLAYED);
        hash[i] = bh_state_hash(chip);
        bh_destroy(chip);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads),  cmocka_unit_test(values_are_those_of_cycles),
        cmocka_unit_test(late_results_have_come), cmocka_unit_test(threads_send),
        cmocka_unit_test(runs_come_back),         cmocka_unit_test(pieces_of_a_mop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
