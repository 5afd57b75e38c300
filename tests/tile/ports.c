/* Cores that compete for ports and banks of L1 (tile/ports.h): cycles of loops of loads or stores, by the cores that
 * run them. Times do not depend on the skew. */
#include "tile/ports.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "isa/riscv.h"
#include "support/box.h"

enum { A = 10, B = 11, C = 12, UNROLLED = 64, ROUNDS = 128, DATA = 0x20000 };

/* What a core does: accesses of one kind, `step` bytes apart, four addresses in turn. */
struct loop {
    enum burst_kind kind;
    uint32_t offset; /* of the core's data */
    uint32_t step;
};

static void load_loop(struct box *box, unsigned core, const struct loop *loop) {
    uint32_t code[UNROLLED + 3];
    for (unsigned i = 0; i < UNROLLED; i++) {
        int32_t offset = (int32_t)(i % 4 * loop->step);
        code[i] = loop->kind == BURST_STORE ? asm_s(RV_SW, B, offset, A) : asm_i(RV_LW, 16 + i % 4, A, offset);
    }
    code[UNROLLED] = asm_i(RV_ADDI, C, C, -1);
    code[UNROLLED + 1] = asm_b(RV_BNE, C, 0, -4 * (UNROLLED + 1));
    code[UNROLLED + 2] = EBREAK;
    box_code(box, core, code, UNROLLED + 3);
}

/* Runs the loop of each core in the mask and writes the time that it takes. */
static void run(unsigned cores, const struct loop *loops, unsigned skew, bool loose, uint64_t *cycles) {
    struct box *box = box_create_timed(skew, loose);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (cores >> i & 1)
            load_loop(box, i, &loops[i]);
    box_release(box, cores);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        box->tile.core[i].x[A] = DATA + 0x1000 * i + loops[i].offset;
        box->tile.core[i].x[C] = ROUNDS;
    }
    tile_run(&box->tile, 200000);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (cores >> i & 1) {
            assert_int_equal(box->tile.core[i].state, BH_CORE_PAUSED);
            cycles[i] = core_time(&box->tile.core[i]);
        }
    box_destroy(box);
}

static void run_all(unsigned cores, enum burst_kind kind, uint64_t *cycles) {
    static const unsigned skews[] = { 32, 1, 7, 128 };
    struct loop loops[BH_CORE_COUNT];
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        loops[i] = (struct loop){ kind, 0, 16 };
    run(cores, loops, skews[0], false, cycles);
    for (unsigned i = 1; i < 4; i++) {
        uint64_t other[BH_CORE_COUNT] = { 0 };
        run(cores, loops, skews[i], false, other);
        for (unsigned core = 0; core < BH_CORE_COUNT; core++)
            if (cores >> core & 1)
                assert_int_equal(other[core], cycles[core]);
    }
}

#define T(n) (1u << (BH_TRISC0 + (n)))

/* In hundredths of a cycle an access. */
static uint64_t each(uint64_t cycles) {
    return 100 * cycles / (UNROLLED * ROUNDS);
}

static void assert_about(uint64_t cycles, unsigned expected) {
    assert_in_range(each(cycles), expected - expected / 25, expected + expected / 25);
}

/* The rows of the measurements: bench/silicon has them from cards. */
static void test_stores(void **state) {
    uint64_t t[BH_CORE_COUNT];
    (void)state;
    run_all(T(1), BURST_STORE, t);
    assert_about(t[BH_TRISC1], 550);
    run_all(T(0) | T(1), BURST_STORE, t); /* different ports, the same banks */
    assert_about(t[BH_TRISC0], 600);
    assert_about(t[BH_TRISC1], 600);
    run_all(T(0) | T(1) | T(2), BURST_STORE, t);
    assert_about(t[BH_TRISC0], 607);
    assert_about(t[BH_TRISC1], 1000);
    assert_about(t[BH_TRISC2], 1000);
}

static void test_loads(void **state) {
    uint64_t t[BH_CORE_COUNT];
    (void)state;
    run_all(T(1), BURST_LOAD, t);
    assert_about(t[BH_TRISC1], 174);
    run_all(T(0) | T(1), BURST_LOAD, t);
    assert_about(t[BH_TRISC0], 180);
    run_all(T(0) | T(1) | T(2), BURST_LOAD, t);
    assert_about(t[BH_TRISC0], 183);
    assert_about(t[BH_TRISC1], 242);
    assert_about(t[BH_TRISC2], 242);
}

/* BRISC, NCRISC and TRISC0 share the other port: each gets a third. */
static void test_three_clients(void **state) {
    uint64_t t[BH_CORE_COUNT];
    (void)state;
    run_all(1u << BH_BRISC | 1u << BH_NCRISC | T(0), BURST_STORE, t);
    assert_about(t[BH_BRISC], 1500);
    assert_about(t[BH_TRISC0], 1500);
    assert_about(t[BH_NCRISC], 1500);
}

/* Ports that differ meet in banks only: not if one core uses banks that the other does not. */
static void test_other_banks(void **state) {
    struct loop loops[BH_CORE_COUNT] = { [BH_TRISC0] = { BURST_STORE, 0, 16 }, [BH_TRISC1] = { BURST_STORE, 64, 16 } };
    uint64_t t[BH_CORE_COUNT];
    (void)state;
    run(T(0) | T(1), loops, 32, false, t);
    assert_about(t[BH_TRISC0], 550);
    assert_about(t[BH_TRISC1], 550);
    loops[BH_TRISC1].offset = 256; /* a whole round of banks further: the same ones */
    run(T(0) | T(1), loops, 32, false, t);
    assert_about(t[BH_TRISC0], 600);
}

/* A core that leaves most of the port takes little from the other one: what is left is more than a half. */
static void test_light_client(void **state) {
    struct loop loops[BH_CORE_COUNT] = { [BH_TRISC1] = { BURST_STORE, 0, 16 }, [BH_TRISC2] = { BURST_LOAD, 64, 16 } };
    uint64_t t[BH_CORE_COUNT];
    (void)state;
    run(T(1) | T(2), loops, 32, false, t);
    assert_in_range(each(t[BH_TRISC1]), 570, 1000);
    loops[BH_TRISC2] = (struct loop){ BURST_STORE, 64, 0 }; /* merges with itself: never a burst */
    run(T(1) | T(2), loops, 32, false, t);
    assert_about(t[BH_TRISC1], 550);
    assert_about(t[BH_TRISC2], 103);
}

/* With loose timing cores do not compete. */
static void test_loose(void **state) {
    struct loop loops[BH_CORE_COUNT] = { [BH_TRISC1] = { BURST_STORE, 0, 16 }, [BH_TRISC2] = { BURST_STORE, 0, 16 } };
    uint64_t t[BH_CORE_COUNT];
    (void)state;
    run(T(1) | T(2), loops, 128, true, t);
    assert_about(t[BH_TRISC1], 550);
    assert_about(t[BH_TRISC2], 550);
}

/* A core gives way while another agent may still add to the window that counts. */
static void test_gives_way(void **state) {
    struct box *box = box_create(32);
    struct tile *tile = &box->tile;
    struct core *core = &tile->core[BH_TRISC1];
    (void)state;
    core->stalled = 3 * BURST_WINDOW; /* the window that counts ends at twice its length */
    tile->running = BH_TRISC1;
    for (unsigned agent = 0; agent < TILE_AGENTS; agent++) {
        for (unsigned i = 0; i < TILE_AGENTS; i++)
            tile->due[i] = UINT64_MAX;
        tile->due[agent] = (uint64_t)(2 * BURST_WINDOW - 1) << TILE_DUE_SHIFT;
        assert_int_equal(ports_share(tile, core), agent == BH_TRISC1);
        tile->due[agent] = (uint64_t)(2 * BURST_WINDOW) << TILE_DUE_SHIFT;
        assert_true(ports_share(tile, core));
    }
    tile->running = TILE_AGENTS;
    box_destroy(box);
}

/* A burst ends: its delays do, two windows later. */
static void test_end(void **state) {
    struct core_burst burst;
    (void)state;
    burst_reset(&burst);
    burst_count(&burst, BURST_STORE, 0x30, 5 * BURST_WINDOW + 7);
    assert_null(burst_of(&burst, 4));
    assert_int_equal(burst_of(&burst, 5)->count[BURST_STORE][3], 1);
    burst_count(&burst, BURST_LOAD, 0x100, (5 + BURST_KEPT) * BURST_WINDOW);
    assert_null(burst_of(&burst, 5));
    assert_int_equal(burst_of(&burst, 5 + BURST_KEPT)->count[BURST_LOAD][0], 1);
    assert_int_equal(burst_of(&burst, 5 + BURST_KEPT)->count[BURST_STORE][3], 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stores),      cmocka_unit_test(test_loads),        cmocka_unit_test(test_three_clients),
        cmocka_unit_test(test_other_banks), cmocka_unit_test(test_light_client), cmocka_unit_test(test_loose),
        cmocka_unit_test(test_gives_way),   cmocka_unit_test(test_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
