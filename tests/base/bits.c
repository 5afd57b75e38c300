/* Bit fields: both ends of every width, and what the naive expression would get wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/bits.h"

static void get_takes_every_width(void **state) {
    (void)state;
    for (unsigned width = 1; width <= 32; width++)
        for (unsigned low = 0; low + width <= 32; low++) {
            uint32_t ones = width == 32 ? UINT32_MAX : (1u << width) - 1;
            assert_int_equal(bits_get(UINT32_MAX, low, width), ones);
            assert_int_equal(bits_get(~(ones << low), low, width), 0);
        }
    assert_int_equal(bits_get(0x12345678, 8, 12), 0x456);
}

static void sign_extend_looks_at_the_top_bit_of_the_field(void **state) {
    (void)state;
    assert_int_equal(bits_sign_extend(0x7FF, 12), 0x7FF);
    assert_int_equal(bits_sign_extend(0x800, 12), -0x800);
    assert_int_equal(bits_sign_extend(0xFFFFF7FF, 12), 0x7FF); /* bits above the field do not count */
    assert_int_equal(bits_sign_extend(1, 1), -1);
    assert_int_equal(bits_sign_extend(0x80000000, 32), INT32_MIN);
}

static void rotations_are_inverse_and_defined_for_any_count(void **state) {
    (void)state;
    for (unsigned count = 0; count <= 64; count++)
        assert_int_equal(bits_rotate_left(bits_rotate_right(0x80000F01, count), count), 0x80000F01);
    assert_int_equal(bits_rotate_right(0x00000001, 1), 0x80000000);
    assert_int_equal(bits_rotate_left(0x80000001, 4), 0x00000018);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(get_takes_every_width),
        cmocka_unit_test(sign_extend_looks_at_the_top_bit_of_the_field),
        cmocka_unit_test(rotations_are_inverse_and_defined_for_any_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
