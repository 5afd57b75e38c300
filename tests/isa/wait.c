/* wait.def: every wait has a text of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "isa/access.h"

static void texts_differ(void **state) {
    (void)state;
    assert_string_equal(wait_text(WAIT_NONE), "");
    assert_string_equal(wait_text(WAIT_COUNT), "");
    for (unsigned i = 1; i < WAIT_COUNT; i++)
        for (unsigned k = 0; k < i; k++)
            if (strcmp(wait_text(i), wait_text(k)) == 0)
                fail_msg("two waits have the text '%s'", wait_text(i));
}

static void access_that_waits_has_the_text(void **state) {
    (void)state;
    struct access access = access_wait(WAIT_LATCHED);
    assert_int_equal(access.result, ACCESS_WAIT);
    assert_int_equal(access.wait, WAIT_LATCHED);
    assert_string_equal(access.text, "the latched wait");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_differ),
        cmocka_unit_test(access_that_waits_has_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
