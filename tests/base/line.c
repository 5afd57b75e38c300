/* Lines that are too long for their buffers: whole words and a mark. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/line.h"
#include "isa/tensix.h"

static const char whole[] = "load from 0x10000000 (Tensix GPRs), which is not mapped";

/* In a buffer of the size, with a sentinel behind it. */
static char *print(size_t size) {
    static char line[128];
    memset(line, '#', sizeof line);
    line_put(line, size, "load from 0x%x (%s), which is not mapped", 0x10000000u, "Tensix GPRs");
    assert_int_equal(line[size], '#');
    return line;
}

static void a_line_that_fits_is_whole(void **state) {
    (void)state;
    assert_string_equal(print(sizeof whole), whole);
    assert_string_equal(print(sizeof whole + 1), whole);
}

static void a_line_that_does_not_fit_ends_behind_a_word(void **state) {
    (void)state;
    assert_string_equal(print(sizeof whole - 1), "load from 0x10000000 (Tensix GPRs), which is not ...");
    assert_string_equal(print(25), "load from 0x10000000 ...");
    assert_string_equal(print(24), "load from ...");
    for (size_t size = sizeof "load ..."; size < sizeof whole; size++) {
        char *line = print(size);
        size_t length = strlen(line);
        assert_true(length < size);
        assert_string_equal(line + length - 4, " ...");
        assert_memory_equal(line, whole, length - 4);
        assert_int_equal(whole[length - 4], ' ');
    }
}

static void without_a_word_that_fits_it_is_cut_anywhere(void **state) {
    (void)state;
    assert_string_equal(print(8), "loa ...");
    assert_string_equal(print(4), "loa");
    assert_string_equal(print(1), "");
    assert_int_equal(print(0)[0], '#');
}

static void what_is_added_is_cut_likewise(void **state) {
    (void)state;
    char line[24] = "";
    line_put(line, sizeof line, "%s at pc 0x%x:", "trisc0", 0x1234u);
    assert_string_equal(line, "trisc0 at pc 0x1234:");
    line_add(line, sizeof line, " %s", "no");
    assert_string_equal(line, "trisc0 at pc 0x1234: no");
    line_add(line, sizeof line, "%s", "thing");
    assert_string_equal(line, "trisc0 at pc ...");
}

/* Fields of an instruction stay whole. */
static void a_text_of_another_printer(void **state) {
    (void)state;
    char line[64];
    uint32_t word = tensix_encode_SEMWAIT((struct tensix_SEMWAIT){ 2, 1, 0 });
    line_fit(line, 64, tensix_disasm(word, line, 64));
    assert_string_equal(line, "SEMWAIT stall_res=2, sem_sel=1, wait_sem_cond=0");
    line_fit(line, 40, tensix_disasm(word, line, 40));
    assert_string_equal(line, "SEMWAIT stall_res=2, sem_sel=1, ...");
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_that_fits_is_whole),
        cmocka_unit_test(a_line_that_does_not_fit_ends_behind_a_word),
        cmocka_unit_test(without_a_word_that_fits_it_is_cut_anywhere),
        cmocka_unit_test(what_is_added_is_cut_likewise),
        cmocka_unit_test(a_text_of_another_printer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
