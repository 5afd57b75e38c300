/* Tests of src/host/pci.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "host/pci.h"

static void identity(void **state) {
    (void)state;
    struct pci pci;
    pci_init(&pci);
    assert_int_equal(pci_config_read(&pci, 0x00), 0xB1401E52);
    assert_int_equal(pci_config_read(&pci, 0x08), 0x12000000);
    assert_int_equal(pci_config_read(&pci, 0x3C), 0xFF);
    assert_int_equal(pci_config_read(&pci, 0x34), 0); /* no capabilities */
    assert_int_equal(pci_config_read(&pci, 0xFFC), 0);
    pci_config_write(&pci, 0x00, 0);
    assert_int_equal(pci_config_read(&pci, 0x00), 0xB1401E52);
}

static void power_on_bases(void **state) {
    (void)state;
    static const uint32_t word[6] = { 0x00000004, 1, 0x20000004, 1, 0x00000004, 8 };
    struct pci pci;
    pci_init(&pci);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(pci_config_read(&pci, 0x10 + 4 * i), word[i]);
}

static void sizing(void **state) {
    (void)state;
    static const uint32_t word[6] = { 0xE0000004, 0xFFFFFFFF, 0xFFF00004, 0xFFFFFFFF, 0x00000004, 0xFFFFFFF8 };
    struct pci pci;
    pci_init(&pci);
    for (unsigned i = 0; i < 6; i++) {
        pci_config_write(&pci, 0x10 + 4 * i, 0xFFFFFFFF);
        assert_int_equal(pci_config_read(&pci, 0x10 + 4 * i), word[i]);
    }
}

static void decoding_follows_the_bars(void **state) {
    (void)state;
    struct pci pci;
    unsigned bar = 9;
    uint64_t offset = 0;
    pci_init(&pci);
    assert_true(pci_decode(&pci, 0x11FC00000, 4, &bar, &offset));
    assert_int_equal(bar, 0);
    assert_int_equal(offset, 0x1FC00000);
    assert_true(pci_decode(&pci, 0x1200FFFFF, 1, &bar, &offset));
    assert_int_equal(bar, 2);
    assert_false(pci_decode(&pci, 0x1200FFFFF, 2, &bar, &offset));
    assert_true(pci_decode(&pci, 0xFFFFFFFFF, 1, &bar, &offset));
    assert_int_equal(bar, 4);
    assert_false(pci_decode(&pci, 0x1000000000, 1, &bar, &offset));
    assert_false(pci_decode(&pci, 0, 4, &bar, &offset));
    pci_config_write(&pci, 0x10, 0x40000000);
    pci_config_write(&pci, 0x14, 0);
    assert_true(pci_decode(&pci, 0x40001234, 4, &bar, &offset));
    assert_int_equal(offset, 0x1234);
    assert_false(pci_decode(&pci, 0x100000000, 4, &bar, &offset));
}

static void bar_sizes(void **state) {
    (void)state;
    assert_int_equal(pci_bar_size(0), UINT64_C(0x20000000));
    assert_int_equal(pci_bar_size(2), UINT64_C(0x100000));
    assert_int_equal(pci_bar_size(4), UINT64_C(0x800000000));
    assert_int_equal(pci_bar_size(1), 0);
    assert_int_equal(pci_bar_size(6), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identity),  cmocka_unit_test(power_on_bases),
        cmocka_unit_test(sizing),    cmocka_unit_test(decoding_follows_the_bars),
        cmocka_unit_test(bar_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
