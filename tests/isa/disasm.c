/* tests/isa/disasm.c tests src/isa/disasm.c: which of the two languages a word of the stream is read as. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "bhemu.h"

static void test_texts(void **state) {
    (void)state;
    static const struct {
        uint32_t word;
        const char *text;
    } cases[] = {
        { 0xC808007E, ".ttinsn SETC16 setc16_reg=2, setc16_value=0x1f" },
        { 0x08000000, ".ttinsn NOP" },
        { 0x89000006, ".ttinsn STALLWAIT stall_res=0x80, wait_res=1" },
        { 0x00000000, ".ttinsn 0x00000000" }, /* memory that was never written */
        { 0xFFFFFFFC, ".ttinsn 0x3fffffff" },
        { 0x00000013, "addi zero,zero,0" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[128];
        size_t length = bh_disassemble(0x1000, cases[i].word, text, sizeof text);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(length, strlen(text));
    }
}

/* Random words at every small size of buffer: cut and terminated, the length as with room enough. */
static void test_keeps_to_the_buffer(void **state) {
    (void)state;
    uint32_t word = 12345;
    for (unsigned i = 0; i < 20000; i++) {
        word = word * UINT32_C(1664525) + UINT32_C(1013904223);
        uint32_t mixed = word ^ word >> 15;
        char whole[512], text[512];
        size_t length = bh_disassemble(0, mixed, whole, sizeof whole), size = i % 64;
        assert_true(length > 0 && length < sizeof whole);
        memset(text, '#', sizeof text);
        assert_int_equal(bh_disassemble(0, mixed, text, size), length);
        assert_int_equal(text[size], '#');
        if (size == 0)
            continue;
        size_t kept = size - 1 < length ? size - 1 : length;
        assert_int_equal(strlen(text), kept);
        assert_memory_equal(text, whole, kept);
    }
}

/* Every Tensix instruction with all fields at their greatest, and random words. */
static void test_room_for_every_text(void **state) {
    uint64_t random = 1;
    size_t longest = 0;
    (void)state;
    for (uint32_t i = 0; i < 1000000; i++) {
        uint32_t word = i < 192 ? ((i << 24 | 0xFFFFFF) << 2 | i >> 6)
                                : (uint32_t)((random = random * 6364136223846793005u + 1442695040888963407u) >> 32);
        size_t length = bh_disassemble(0xFFFFFFFC, word, NULL, 0);
        longest = length > longest ? length : longest;
    }
    assert_in_range(longest, BH_INSTRUCTION_TEXT / 2, BH_INSTRUCTION_TEXT - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_keeps_to_the_buffer),
        cmocka_unit_test(test_room_for_every_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
