/* Delays as text: what is written can be read, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bhemu.h"

static void every_kind_goes_both_ways(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < BH_DELAY_KIND_COUNT; kind++) {
        char text[80], again[80];
        struct bh_delay read;
        bool packet = kind >= BH_DELAY_REQUEST;
        struct bh_delay delay = {
            .kind = (enum bh_delay_kind)kind, .tile = { 16, 11 }, .number = 123456789012, .cycles = 1
        };
        if (packet)
            delay.to = (struct bh_xy){ 3, 4 };
        else if (kind != BH_DELAY_PACK && kind != BH_DELAY_MOVE)
            delay.agent = 1;
        size_t length = bh_delay_text(&delay, text, sizeof text);
        assert_int_equal(length, strlen(text));
        const char *rest = bh_delay_parse(text, &read);
        assert_non_null(rest);
        assert_string_equal(rest, "");
        assert_int_equal(read.kind, delay.kind);
        assert_memory_equal(&read.tile, &delay.tile, sizeof read.tile);
        assert_memory_equal(&read.to, &delay.to, sizeof read.to);
        assert_int_equal(read.agent, delay.agent);
        assert_int_equal(read.number, delay.number);
        assert_int_equal(read.cycles, delay.cycles);
        assert_int_equal(read.core, -1);
        bh_delay_text(&read, again, sizeof again);
        assert_string_equal(again, text);
    }
}

static void texts_are_as_documented(void **state) {
    (void)state;
    static const char *const texts[] = {
        "store@1,2.brisc#5=40",  "gap@1,2.ncrisc#0=1000", "config@1,2.trisc1#1=64",  "gate@1,2.T2#7=9",
        "unpack@1,2.1#3=256",    "pack@1,2#3=256",        "move@1,2#0=512",          "load@1,2.T0#2=40",
        "send@1,2.noc1#2=300",   "evict@1,2.trisc2#88=1", "request@1,2-2,2#17=1500", "response@2,2-1,2#17=1",
        "dram@17,12-1,2#3=2000",
    };
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct bh_delay delay;
        char text[80];
        assert_non_null(bh_delay_parse(texts[i], &delay));
        bh_delay_text(&delay, text, sizeof text);
        assert_string_equal(text, texts[i]);
    }
}

static void a_plus_ends_a_delay(void **state) {
    (void)state;
    struct bh_delay delay;
    const char *rest = bh_delay_parse("pack@1,2#3=6+move@1,2#0=5", &delay);
    assert_string_equal(rest, "+move@1,2#0=5");
    assert_int_equal(delay.cycles, 6);
}

static void nothing_else_is_a_delay(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "12",
        "store",
        "store@1,2.brisc#5",
        "store@1,2#5=40",
        "store@1.brisc#5=40",
        "store@1,2.brisk#5=40",
        "store@1,2.brisc#5=49",
        "store@1,2.brisc#-5=40",
        "store@1,2.brisc#5=40 ",
        "store@256,2.brisc#5=40",
        "gate@1,2.T3#5=40",
        "unpack@1,2.2#5=40",
        "unpack@1,2.5#5=40",
        "send@1,2.noc2#5=40",
        "request@1,2#5=40",
        "Store@1,2.brisc#5=40",
        "store@1,2.brisc#99999999999999999999999=40",
    };
    struct bh_delay delay;
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        if (bh_delay_parse(texts[i], &delay))
            fail_msg("'%s' is read", texts[i]);
    assert_null(bh_delay_parse(NULL, &delay));
    assert_null(bh_delay_parse("pack@1,2#3=6", NULL));
    assert_int_equal(bh_delay_text(NULL, NULL, 0), 0);
}

static void kinds_have_texts_and_bounds(void **state) {
    (void)state;
    for (unsigned kind = 0; kind <= BH_DELAY_KIND_COUNT; kind++) {
        bool there = kind < BH_DELAY_KIND_COUNT;
        assert_true((*bh_delay_kind_name((enum bh_delay_kind)kind) != '\0') == there);
        assert_true((*bh_delay_kind_text((enum bh_delay_kind)kind) != '\0') == there);
        assert_true((*bh_delay_kind_source((enum bh_delay_kind)kind) != '\0') == there);
        assert_true((bh_delay_kind_most((enum bh_delay_kind)kind) != 0) == there);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_goes_both_ways),   cmocka_unit_test(texts_are_as_documented),
        cmocka_unit_test(a_plus_ends_a_delay),         cmocka_unit_test(nothing_else_is_a_delay),
        cmocka_unit_test(kinds_have_texts_and_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
