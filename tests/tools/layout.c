/* tools/firmware/layout.c: descriptions of layouts, those that are built in and wrong ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "firmware/layout.h"

static const struct layout_text *text_of(const char *name) {
    for (const struct layout_text *text = layout_texts; text->name; text++)
        if (strcmp(text->name, name) == 0)
            return text;
    fail_msg("no layout %s", name);
    return NULL;
}

static struct layout read_layout(const char *name) {
    struct layout l;
    struct ini ini;
    const struct layout_text *text = text_of(name);
    if (!layout_parse(&ini, text->text, strlen(text->text), &l))
        fail_msg("%s:%u: %s", name, ini.errors[0].line, ini.errors[0].text);
    return l;
}

static void built_in(void **state) {
    (void)state;
    struct layout l = read_layout("p100a");
    assert_int_equal(l.go, 0x370);
    assert_int_equal(l.launch_size * l.launch_count, l.go - l.launch); /* the ring ends where the go messages begin */
    assert_int_equal(l.firmware[BH_TRISC2], 0x6640);
    assert_int_equal(l.staging[BH_NCRISC], 0xa2b0);
    assert_int_equal(l.config_base + l.config_size, l.free_l1);
    assert_int_equal(l.message[MESSAGE_RTA_OFFSET].stride, 4);
    assert_int_equal(l.message[MESSAGE_CB_MASK].width, 4);
    assert_int_equal(l.message[MESSAGE_TEXT_SIZE].width, 0);
    l = read_layout("p100a-2026");
    assert_int_equal(l.firmware[BH_TRISC2], 0x6a40);
    assert_int_equal(l.bank_table, 0x116b0);
    assert_int_equal(l.config_base + l.config_size, l.free_l1);
    l = read_layout("e4f9f0b");
    assert_int_equal(l.launch_size * l.launch_count, l.go - l.launch);
    assert_int_equal(l.config_base + l.config_size, l.free_l1);
    assert_int_equal(l.message[MESSAGE_CB_MASK].width, 8);
    assert_int_equal(l.message[MESSAGE_TEXT_SIZE].offset, 0x48);
    assert_int_equal(l.constant_count, 1);
    assert_int_equal(l.constants[0].value, 0xff);
}

/* The p100a layout with one line replaced; what is said about it. */
static void with_line(const char *old, const char *new, const char *message) {
    const char *text = text_of("p100a")->text, *at = strstr(text, old);
    char changed[4096];
    struct layout l;
    struct ini ini;
    assert_non_null(at);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    assert_false(layout_parse(&ini, changed, strlen(changed), &l));
    for (unsigned i = 0; i < ini.error_count; i++)
        if (strcmp(ini.errors[i].text, message) == 0)
            return;
    fail_msg("'%s' says '%s'", new, ini.errors[0].text);
}

/* A field may end where the message ends. */
static void to_the_end(void **state) {
    (void)state;
    const char *text = text_of("p100a")->text, *at = strstr(text, "= 44 u32 5");
    char changed[4096];
    struct layout l;
    struct ini ini;
    snprintf(changed, sizeof changed, "%.*s= 76 u32 5%s", (int)(at - text), text, at + strlen("= 44 u32 5"));
    assert_true(layout_parse(&ini, changed, strlen(changed), &l));
    assert_int_equal(l.message[MESSAGE_TEXT_OFFSET].offset, 76);
}

static void mistakes(void **state) {
    (void)state;
    with_line("go = 0x370\n", "", "[mailbox] has no 'go'");
    with_line("go = 0x370\n", "go = 0x370\ngo = 0x370\n", "'go' has been said before");
    with_line("go = 0x370\n", "go = 0x180000\n", "'0x180000' is not a number from 0 to 0x17fffc");
    with_line("go = 0x370\n", "go = 0x370 1\n", "unexpected '1'");
    with_line("go = 0x370\n", "goo = 0x370\n", "unknown key 'goo'; did you mean 'go'?");
    with_line("[tables]", "[table]", "unknown section 'table'; did you mean 'tables'?");
    with_line("[tables]", "[tables all]", "section [tables] takes no name");
    with_line("brisc  = 0x3840 0x82b0", "brisc = 0x3840", "a number is missing at the end of the line");
    with_line("brisc  = 0x3840 0x82b0", "prisc = 0x3840 0",
              "'prisc' is not a core: brisc, ncrisc, trisc0, trisc1 or trisc2");
    with_line("brisc  =", "erisc0 =", "'erisc0' is not a core: brisc, ncrisc, trisc0, trisc1 or trisc2");
    with_line("ncrisc = 0x5440 0xa2b0\n", "", "[firmware] has no 'ncrisc'");
    with_line("= 42 u8", "= 42", "a type is u8, u16, u32 or u64, not ''");
    with_line("= 42 u8", "= 42 u24", "a type is u8, u16, u32 or u64, not 'u24'");
    with_line("= 42 u8", "= 96 u8", "'mode' is outside of the launch message");
    with_line("= 22 u16 5 4", "= 22 u16 6 4", "'6' is not a number from 0 to 0x5");
    with_line("= 22 u16 5 4", "= 22 u16 5 1", "items overlap, or there are none");
    with_line("= 76 u32", "= 93 u32", "'enables' is outside of the launch message");
    with_line("mode               = 42 u8\n", "", "[message] has no 'mode'");
    with_line("base = 0x82b0", "base = 0x82b8", "the kernel configuration is not aligned to 16 bytes");
    with_line("size = 0x11400", "size = 0x180000", "the kernel configuration does not fit into L1");
    with_line("launch_count = 8", "launch_count = 0", "there is no message at all");
    with_line("logical_y = 0x9a1\n", "", "logical_x and logical_y go together");
    with_line("enables            = 76 u32", "enables = 76 u32\n[constants]\nx = 96 u8 1",
              "constant 1 is outside of the launch message");
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(built_in), cmocka_unit_test(to_the_end),
                                        cmocka_unit_test(mistakes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
