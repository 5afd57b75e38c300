/* src/noc/niu.c: identity, configuration, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "noc/niu.h"

static struct niu niu;

static void init(unsigned noc) {
    niu_init(&niu, noc, (struct bh_xy){ 2, 5 }, (struct bh_xy){ 3, 4 }, NIU_CLASS_TENSIX, 139);
}

static uint32_t get(uint32_t offset) {
    uint32_t value = 0xDEAD;
    assert_int_equal(niu_read(&niu, NULL, offset, 0, &value).result, ACCESS_DONE);
    return value;
}

static void identity_tells_the_raw_place_on_each_noc(void **state) {
    (void)state;
    init(0);
    assert_int_equal(get(0x44), 0x10000000 | 12u << 19 | 17u << 12 | 5u << 6 | 2);
    assert_int_equal(get(0x48), 0x0001008B);
    init(1);
    assert_int_equal(get(0x44), 12u << 19 | 17u << 12 | 6u << 6 | 14);
    assert_int_equal(get(0x48), 0x0101008B);
}

static void identity_is_read_only_but_for_pokes(void **state) {
    (void)state;
    init(0);
    uint32_t node = get(0x44), endpoint = get(0x48);
    assert_int_equal(niu_write(&niu, NULL, 0x44, 0, 1).result, ACCESS_DONE);
    assert_int_equal(niu_write(&niu, NULL, 0x48, 0, 1).result, ACCESS_DONE);
    assert_int_equal(get(0x44), node);
    assert_int_equal(get(0x48), endpoint);
    assert_int_equal(niu_poke(&niu, 0x44, 5).result, ACCESS_DONE);
    assert_int_equal(niu_poke(&niu, 0x48, 6).result, ACCESS_DONE);
    assert_int_equal(get(0x44), 5);
    assert_int_equal(get(0x48), 6);
}

static void configuration_starts_as_firmware_leaves_it(void **state) {
    (void)state;
    init(1);
    assert_int_equal(get(0x100), 0x4000);
    assert_int_equal(get(0x148), 3 | 4u << 6);
    for (uint32_t offset = 0x104; offset < 0x148; offset += 4)
        assert_int_equal(get(offset), 0);
}

static void configuration_keeps_what_is_written(void **state) {
    (void)state;
    init(0);
    for (uint32_t offset = 0x100; offset < 0x17C; offset += 4)
        if (offset != 0x14C && offset != 0x174)
            assert_int_equal(niu_write(&niu, NULL, offset, 0, offset * 3).result, ACCESS_DONE);
    for (uint32_t offset = 0x100; offset < 0x17C; offset += 4)
        if (offset != 0x14C && offset != 0x174)
            for (uint32_t block = 0; block < 0x2000; block += 0x800)
                assert_int_equal(get(block + offset), offset * 3);
    /* Those that clear something, and give zero. */
    assert_int_equal(niu_write(&niu, NULL, 0x174, 0, 1).result, ACCESS_DONE);
    assert_int_equal(niu_write(&niu, NULL, 0x17C, 0, 1).result, ACCESS_DONE);
    assert_int_equal(niu_write(&niu, NULL, 0x60, 0, 1).result, ACCESS_DONE);
    assert_int_equal(get(0x174) | get(0x17C) | get(0x60), 0);
}

static void counters_are_zero(void **state) {
    (void)state;
    init(0);
    for (uint32_t offset = 0x200; offset < 0x300; offset += 4) {
        assert_int_equal(niu_write(&niu, NULL, offset, 0, 7).result, ACCESS_DONE);
        assert_int_equal(get(offset), 0);
    }
    assert_int_equal(niu_poke(&niu, 0x200, 1).kind, BH_FAULT_UNMODELLED);
}

static void refused(uint32_t offset, enum bh_fault_kind kind) {
    uint32_t value;
    assert_int_equal(niu_read(&niu, NULL, offset, 0, &value).result, ACCESS_REFUSED);
    assert_int_equal(niu_read(&niu, NULL, offset, 0, &value).kind, kind);
    assert_int_equal(niu_write(&niu, NULL, offset, 0, 0).kind, kind);
    assert_int_equal(niu_write(&niu, NULL, offset, 0, 0).result, ACCESS_REFUSED);
    assert_int_equal(niu_poke(&niu, offset, 0).result, ACCESS_REFUSED);
}

static void initiators_and_debug_registers_are_refused(void **state) {
    (void)state;
    init(0);
    for (uint32_t block = 0; block < 0x2000; block += 0x800) {
        for (uint32_t offset = 0; offset <= 0x34; offset += 4)
            refused(block + offset, BH_FAULT_UNMODELLED);
        refused(block + 0x40, BH_FAULT_UNMODELLED);
        refused(block + 0x64, BH_FAULT_UNMODELLED);
        refused(block + 0x300, BH_FAULT_UNMODELLED);
        refused(block + 0x400, BH_FAULT_UNMODELLED);
        refused(block + 0x38, BH_FAULT_UNMAPPED);
        refused(block + 0x4C, BH_FAULT_UNMAPPED);
        refused(block + 0x14C, BH_FAULT_UNMAPPED);
        refused(block + 0x180, BH_FAULT_UNMAPPED);
        refused(block + 0x600, BH_FAULT_UNMAPPED);
    }
    refused(0x2044, BH_FAULT_UNMAPPED);
    refused(0xFFFC, BH_FAULT_UNMAPPED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identity_tells_the_raw_place_on_each_noc),
        cmocka_unit_test(identity_is_read_only_but_for_pokes),
        cmocka_unit_test(configuration_starts_as_firmware_leaves_it),
        cmocka_unit_test(configuration_keeps_what_is_written),
        cmocka_unit_test(counters_are_zero),
        cmocka_unit_test(initiators_and_debug_registers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
