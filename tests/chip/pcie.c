/* Tests of src/chip/pcie.c: where local addresses of the PCIe tile lead to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "chip/pcie.h"

#define WINDOW_4 UINT64_C(0x1000000000000000)

static void set_region(struct pcie *pcie, unsigned region, uint64_t base, uint32_t limit, uint64_t target) {
    const uint32_t words[7] = {
        0, 0, (uint32_t)base, (uint32_t)(base >> 32), limit, (uint32_t)target, (uint32_t)(target >> 32)
    };
    for (uint32_t i = 0; i < 7; i++)
        assert_null(pcie_iatu_write(pcie, region * 0x200 + 4 * i, words[i]));
    assert_null(pcie_iatu_write(pcie, region * 0x200 + 4, UINT32_C(1) << 31));
}

static void assert_span(const struct pcie *pcie, uint64_t address, uint64_t size, uint64_t to, uint64_t length) {
    struct pcie_span span;
    assert_true(pcie_outbound(pcie, address, size, &span));
    assert_true(span.address == to);
    assert_true(span.size == length);
}

static void low_windows_are_direct(void **state) {
    (void)state;
    static struct pcie pcie;
    set_region(&pcie, 0, 0, 0xFFFF, 0x500000);
    assert_span(&pcie, 0x1234, 8, 0x1234, 8);
    assert_span(&pcie, (UINT64_C(3) << 58) + 0x40, 8, 0x40, 8);
}

static void regions_translate(void **state) {
    (void)state;
    static struct pcie pcie;
    set_region(&pcie, 0, 0, 0x3FFFFFFF, UINT64_C(0x7700000000));
    set_region(&pcie, 3, 0xC0000000, 0xEFFFFFFF, 0x1000);
    assert_span(&pcie, WINDOW_4 + 0x10, 4, UINT64_C(0x7700000010), 4);
    assert_span(&pcie, WINDOW_4 + 0xC0000004, 4, 0x1004, 4);
    assert_span(&pcie, WINDOW_4 + 0x80000000, 4, 0x80000000, 4); /* none matches */
}

static void spans_end_with_the_region(void **state) {
    (void)state;
    static struct pcie pcie;
    set_region(&pcie, 0, 0x1000, 0x1FFF, 0x900000);
    assert_span(&pcie, WINDOW_4 + 0x1FFC, 16, 0x900FFC, 4);
    assert_span(&pcie, WINDOW_4 + 0x0FF8, 16, 0x0FF8, 8); /* up to where the region begins */
    assert_span(&pcie, WINDOW_4 + 0x2000, 16, 0x2000, 16);
}

static void disabled_regions_do_not_count(void **state) {
    (void)state;
    static struct pcie pcie;
    set_region(&pcie, 0, 0, 0xFFFF, 0x500000);
    assert_null(pcie_iatu_write(&pcie, 4, 0));
    assert_span(&pcie, WINDOW_4 + 0x10, 4, 0x10, 4);
}

static void large_regions_have_a_high_limit(void **state) {
    (void)state;
    static struct pcie pcie;
    set_region(&pcie, 0, 0, 0xFFFFFFFF, UINT64_C(0x4000000000));
    assert_span(&pcie, WINDOW_4 + 0x200000000, 4, 0x200000000, 4);
    pcie.iatu[0] = 1 << 13;
    pcie.iatu[8] = 7;
    assert_span(&pcie, WINDOW_4 + 0x200000000, 4, UINT64_C(0x4200000000), 4);
}

static void other_windows_are_refused(void **state) {
    (void)state;
    static struct pcie pcie;
    struct pcie_span span;
    assert_false(pcie_outbound(&pcie, UINT64_C(8) << 58, 4, &span));
    assert_false(pcie_outbound(&pcie, UINT64_MAX - 3, 4, &span));
}

static void inbound_cannot_be_enabled(void **state) {
    (void)state;
    static struct pcie pcie;
    assert_null(pcie_iatu_write(&pcie, 0x100, 5));
    assert_null(pcie_iatu_write(&pcie, 0x104, 0));
    assert_non_null(pcie_iatu_write(&pcie, 0x104, UINT32_C(1) << 31));
}

/* Types of requests other than memory, inverted matches and the like. */
static void outbound_controls_have_two_bits(void **state) {
    (void)state;
    static struct pcie pcie;
    for (unsigned bit = 0; bit < 32; bit++) {
        uint32_t value = UINT32_C(1) << bit;
        assert_int_equal(pcie_iatu_write(&pcie, 0x600, value) == NULL, bit == 13);
        assert_int_equal(pcie_iatu_write(&pcie, 0x604, value) == NULL, bit == 31);
        assert_non_null(pcie_iatu_write(&pcie, 0x61C, value));
        assert_null(pcie_iatu_write(&pcie, 0x620, value));
    }
    assert_null(pcie_iatu_write(&pcie, 0x61C, 0));
    assert_int_equal(pcie.iatu[0x600 / 4], 1 << 13);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(low_windows_are_direct),          cmocka_unit_test(regions_translate),
        cmocka_unit_test(spans_end_with_the_region),       cmocka_unit_test(disabled_regions_do_not_count),
        cmocka_unit_test(large_regions_have_a_high_limit), cmocka_unit_test(other_windows_are_refused),
        cmocka_unit_test(inbound_cannot_be_enabled),       cmocka_unit_test(outbound_controls_have_two_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
