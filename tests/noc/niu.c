/* src/noc/niu.c: every register: what it keeps, what it shows, what is refused. */
#include "bench.h"

static void identity_tells_the_raw_place_on_each_noc(void **state) {
    (void)state;
    bench_init(0);
    assert_int_equal(get_at(0x44, 0), 0x10000000 | 12u << 19 | 17u << 12 | 5u << 6 | 2);
    assert_int_equal(get_at(0x48, 0), 0x00010009);
    bench_init(1);
    assert_int_equal(get_at(0x44, 0), 12u << 19 | 17u << 12 | 6u << 6 | 14);
    assert_int_equal(get_at(0x48, 0), 0x01010009);
}

static void identity_is_read_only_but_for_pokes(void **state) {
    (void)state;
    bench_init(0);
    uint32_t node = get_at(0x44, 0), endpoint = get_at(0x48, 0);
    put_at(0x44, 1, 0);
    put_at(0x48, 1, 0);
    assert_int_equal(get_at(0x44, 0), node);
    assert_int_equal(get_at(0x48, 0), endpoint);
    assert_int_equal(niu_poke(&bench.niu, 0x44, 5).result, ACCESS_DONE);
    assert_int_equal(niu_poke(&bench.niu, 0x48, 6).result, ACCESS_DONE);
    assert_int_equal(get_at(0x44, 0), 5);
    assert_int_equal(get_at(0x48, 0), 6);
}

static void before_firmware(void **state) {
    (void)state;
    bench_init(0);
    niu_init(&bench.niu, 1, (struct bh_xy){ 2, 5 }, (struct bh_xy){ 3, 4 }, NIU_CLASS_TENSIX, 139);
    assert_int_equal(get_at(0x100, 0), 0x4000);
    assert_int_equal(get_at(0x148, 0), 3 | 4u << 6);
    for (uint32_t offset = 0x104; offset < 0x148; offset += 4)
        assert_int_equal(get_at(offset, 0), 0);
}

/* Written down by hand for a P150: columns 0, 8 and 9 and rows 0 and 1 opt out, as each NoC counts; tables. */
static void as_firmware_leaves_it(void **state) {
    (void)state;
    bench_init(0);
    assert_int_equal(get_at(0x100, 0), 0x4000);
    assert_int_equal(get_at(0x108, 0), 0x301);
    assert_int_equal(get_at(0x110, 0), 0x003);
    assert_int_equal(get_at(0x148, 0), 2 | 5u << 6);
    assert_int_equal(get_at(0x118, 0), 0 | 1 << 5 | 2 << 10 | 3 << 15 | 4 << 20 | 5 << 25);
    assert_int_equal(get_at(0x120, 0), 12 | 13 << 5 | 14 << 10 | 15 << 15 | 16 << 20 | 0 << 25); /* x 12 .. 17 */
    assert_int_equal(get_at(0x138, 0), 0 | 1 << 5 | 11 << 10 | 2 << 15 | 10 << 20 | 3 << 25);    /* y 12 .. 17 */
    assert_int_equal(get_at(0x144, 0), 2 | 31 << 5);                                             /* y 30, 31 */
    assert_int_equal(get_at(0x150, 0), 0);
    assert_int_equal(get_at(0x154, 0), 3);
    bench_init(1);
    assert_int_equal(get_at(0x108, 0), 1 << 16 | 1 << 8 | 1 << 7);
    assert_int_equal(get_at(0x110, 0), 0xC00);
    assert_int_equal(get_at(0x148, 0), 2 | 5u << 6);
    assert_int_equal(get_at(0x130, 0), 11 | 10 << 5 | 9 << 10 | 8 << 15 | 7 << 20 | 6 << 25);
}

static void who_takes_multicasts(void **state) {
    (void)state;
    for (unsigned noc = 0; noc < 2; noc++) {
        bench_init(noc);
        assert_true(niu_takes_multicast(&bench.niu));
        uint32_t x = noc ? 14 : 2, y = noc ? 6 : 5;
        put_at(0x108, ~(1u << x), 0);
        assert_true(niu_takes_multicast(&bench.niu));
        put_at(0x110, 1u << y, 0);
        assert_false(niu_takes_multicast(&bench.niu));
        put_at(0x110, ~(1u << y), 0);
        put_at(0x108, 1u << x, 0);
        assert_false(niu_takes_multicast(&bench.niu));
    }
}

/* ---- Initiators ----------------------------------------------------------------------------------------- */

static void initiators_keep_what_is_written(void **state) {
    (void)state;
    bench_init(0);
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t offset = 0; offset <= 0x34; offset += 4)
            put_at(i * 0x800 + offset, 0xF0E1D2C3 ^ i << 24 ^ offset, 0);
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t offset = 0; offset <= 0x34; offset += 4) {
            uint32_t written = 0xF0E1D2C3 ^ i << 24 ^ offset;
            assert_int_equal(get_at(i * 0x800 + offset, 0), offset == 0x18 ? written & 0xFFFF : written);
        }
    assert_int_equal(niu_poke(&bench.niu, 0x1008, 7).result, ACCESS_DONE);
    assert_int_equal(get_at(0x1008, 0), 7);
}

static void cmd_ctrl_wants_its_low_bit(void **state) {
    (void)state;
    bench_init(0);
    put_at(0x1C, 3, 0); /* a request that would be refused */
    put_at(0x40, 0xFFFFFFFE, 0);
    assert_int_equal(get_at(0x40, 0), 0);
    assert_int_equal(try_put(0x40, 0xFFFFFFFF, 0).result, ACCESS_REFUSED);
}

static void a_tile_that_makes_no_requests(void **state) {
    (void)state;
    bench_init(1);
    struct access access = niu_write(&bench.niu, NULL, 0x840, 0, 1);
    assert_int_equal(access.result, ACCESS_REFUSED);
    assert_int_equal(access.kind, BH_FAULT_UNDEFINED);
    assert_string_equal(access.text, "NoC 1 command buffer 1: CMD_CTRL: tiles of this kind make no requests");
    niu_init(&bench.niu, 0, (struct bh_xy){ 0, 0 }, (struct bh_xy){ 17, 12 }, NIU_CLASS_DRAM, 0);
    access = niu_write(&bench.niu, NULL, 0x1840, 0, 1);
    assert_int_equal(access.kind, BH_FAULT_UNMODELLED);
    assert_string_equal(
        access.text, "NoC 0 command buffer 3: CMD_CTRL: a DRAM tile makes requests without bit 15 of NIU_CFG_0 only, "
                     "which is not modelled");
}

/* ---- Configuration -------------------------------------------------------------------------------------- */

/* NIU_CFG_0 bit 13 concerns tiles without L1 only. */
static void who_stores_headers(void **state) {
    static const struct {
        unsigned class;
        bool told_not_to;
    } row[] = {
        { NIU_CLASS_TENSIX, true }, { NIU_CLASS_ETH, true }, { NIU_CLASS_DRAM, false }, { NIU_CLASS_PCIE, false }
    };
    (void)state;
    bench_init(0);
    for (unsigned i = 0; i < 4; i++) {
        niu_init(&bench.niu, 0, (struct bh_xy){ 0, 0 }, (struct bh_xy){ 17, 12 }, row[i].class, 0);
        assert_true(niu_stores_headers(&bench.niu));
        put_at(0x100, 1 << 13 | 1 << 14 | 1 << 15, 0);
        assert_int_equal(niu_stores_headers(&bench.niu), row[i].told_not_to);
    }
}

static void configuration_keeps_what_is_written(void **state) {
    (void)state;
    bench_init(0);
    for (uint32_t offset = 0x100; offset < 0x178; offset += 4)
        if (offset != 0x14C && offset != 0x174)
            put_at(offset, 0xFFFE0FFF ^ offset << 20, 0);
    for (uint32_t offset = 0x100; offset < 0x178; offset += 4)
        if (offset != 0x14C && offset != 0x174)
            for (uint32_t block = 0; block < 0x2000; block += 0x800)
                assert_int_equal(get_at(block + offset, 0), 0xFFFE0FFF ^ offset << 20);
    put_at(0x178, 0xFFFFFFFF, 0); /* 17 bits */
    assert_int_equal(get_at(0x178, 0), 0x1000FFFF);
    assert_int_equal(niu_poke(&bench.niu, 0x10C, 9).result, ACCESS_DONE);
    assert_int_equal(get_at(0x10C, 0), 9);
}

static void those_that_read_as_zero(void **state) {
    (void)state;
    static const uint32_t zero[] = { 0x50, 0x54, 0x58, 0x5C, 0x60, 0x64, 0x68, 0x174, 0x17C, 0x2F8, 0x2FC };
    bench_init(0);
    for (unsigned i = 0; i < sizeof zero / sizeof zero[0]; i++)
        for (uint32_t block = 0; block < 0x2000; block += 0x800) {
            put_at(block + zero[i], 0xFFFFFFC7, 0);
            assert_int_equal(get_at(block + zero[i], 0), 0);
            assert_int_equal(niu_poke(&bench.niu, block + zero[i], 1).kind, BH_FAULT_UNMODELLED);
        }
    put_at(0x14C, 0, 0);
    assert_int_equal(get_at(0x14C, 0), 0);
}

static void refused_value(uint32_t offset, uint32_t value, const char *text) {
    struct access access = try_put(offset, value, 0);
    assert_int_equal(access.result, ACCESS_REFUSED);
    assert_int_equal(access.kind, BH_FAULT_UNMODELLED);
    assert_non_null(strstr(access.text, text));
}

static void what_is_not_modelled_is_named(void **state) {
    (void)state;
    bench_init(0);
    refused_value(0x100, 1 << 12, "NIU_CFG_0: turning the tile's clock off or on (bit 12)");
    refused_value(0x14C, 2, "MEMORY_SHUTDOWN_CONTROL");
    refused_value(0x5C, 0x20, "ECC_CTRL");
    put_at(0x100, 1 << 15 | 1 << 14, 0); /* no effect in a Tensix tile */
    niu_init(&bench.niu, 0, (struct bh_xy){ 0, 0 }, (struct bh_xy){ 17, 12 }, NIU_CLASS_DRAM, 0);
    refused_value(0x100, 1 << 14, "NIU_CFG_0: a DRAM tile without bit 15");
    assert_int_equal(get_at(0x100, 0), 0xC000);
    put_at(0x100, 0x8100C000, 0);
    assert_int_equal(get_at(0x100, 0), 0x8100C000);
}

/* ---- Counters ------------------------------------------------------------------------------------------- */

static void counters_are_read_only_but_for_pokes(void **state) {
    (void)state;
    bench_init(0);
    for (uint32_t i = 0; i < 62; i++) {
        put_at(0x200 + 4 * i, 7, 0);
        assert_int_equal(get_at(0x200 + 4 * i, 0), 0);
        assert_int_equal(niu_poke(&bench.niu, 0x200 + 4 * i, 0x1230 + i).result, ACCESS_DONE);
    }
    for (uint32_t i = 0; i < 62; i++)
        for (uint32_t block = 0; block < 0x2000; block += 0x800)
            assert_int_equal(get_at(block + 0x200 + 4 * i, 0), i >= 16 && i < 48 ? 0x30 + i : 0x1230 + i);
}

/* ---- Nothing there -------------------------------------------------------------------------------------- */

static void refused_access(uint32_t offset, enum bh_fault_kind kind, const char *text) {
    uint32_t value;
    struct access access[] = {
        niu_read(&bench.niu, &bench.wire, offset, 0, &value),
        niu_write(&bench.niu, &bench.wire, offset, 0, 0),
        niu_peek(&bench.niu, offset, &value),
        niu_poke(&bench.niu, offset, 0),
    };
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(access[i].result, ACCESS_REFUSED);
        assert_int_equal(access[i].kind, kind);
        assert_non_null(strstr(access[i].text, text));
    }
}

static void debug_registers_are_refused(void **state) {
    (void)state;
    bench_init(0);
    for (uint32_t block = 0; block < 0x2000; block += 0x800) {
        for (uint32_t offset = 0x300; offset < 0x378; offset += 4)
            refused_access(block + offset, BH_FAULT_UNMODELLED, "debug information of the NoC router");
        for (uint32_t offset = 0x380; offset < 0x400; offset += 4)
            refused_access(block + offset, BH_FAULT_UNMODELLED, "debug information of the NIU");
        for (uint32_t offset = 0x400; offset < 0x500; offset += 4)
            refused_access(block + offset, BH_FAULT_UNMODELLED, "security fence");
        for (uint32_t offset = 0x500; offset < 0x600; offset += 4)
            refused_access(block + offset, BH_FAULT_UNMODELLED, "flit counters");
    }
}

static void there_is_nothing_else(void **state) {
    (void)state;
    static const uint32_t hole[] = { 0x38, 0x3C, 0x4C, 0x6C, 0x70, 0xFC, 0x180, 0x1FC, 0x600, 0x7FC, 0x41, 0x202 };
    bench_init(0);
    for (uint32_t block = 0; block < 0x2000; block += 0x800)
        for (unsigned i = 0; i < sizeof hole / sizeof hole[0]; i++)
            refused_access(block + hole[i], BH_FAULT_UNMAPPED, "no register");
    refused_access(0x2044, BH_FAULT_UNMAPPED, "no register");
    refused_access(0xFFFC, BH_FAULT_UNMAPPED, "no register");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identity_tells_the_raw_place_on_each_noc),
        cmocka_unit_test(identity_is_read_only_but_for_pokes),
        cmocka_unit_test(before_firmware),
        cmocka_unit_test(as_firmware_leaves_it),
        cmocka_unit_test(who_takes_multicasts),
        cmocka_unit_test(initiators_keep_what_is_written),
        cmocka_unit_test(cmd_ctrl_wants_its_low_bit),
        cmocka_unit_test(a_tile_that_makes_no_requests),
        cmocka_unit_test(who_stores_headers),
        cmocka_unit_test(configuration_keeps_what_is_written),
        cmocka_unit_test(those_that_read_as_zero),
        cmocka_unit_test(what_is_not_modelled_is_named),
        cmocka_unit_test(counters_are_read_only_but_for_pokes),
        cmocka_unit_test(debug_registers_are_refused),
        cmocka_unit_test(there_is_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
