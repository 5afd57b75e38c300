/* tools/script/script.c and parse.c: what command files mean, and what is said about wrong ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "script/script.h"

static struct script parsed(const char *text) {
    struct script script;
    struct parse_error error;
    if (!script_parse(text, strlen(text), &script, &error))
        fail_msg("line %u: %s", error.line, error.text);
    return script;
}

static void every_command(void **state) {
    (void)state;
    struct script s = parsed("board p100a   # a comment\n"
                             "timing loose\n"
                             "threads 2\n"
                             "skew 1\n"
                             "\n"
                             "tile 1,2 3,4-5,6\n"
                             "load brisc \"my file.elf\"\n"
                             "load ncrisc code.bin@0x6000\n"
                             "write 0x100 = 1 0x2\n"
                             "write 7,8:buffer+4 in.bin\n"
                             "release brisc,trisc2 ncrisc\n"
                             "run 5k\n"
                             "run\n"
                             "hold all\n"
                             "expect brisc paused\n"
                             "expect trisc1 a0 = 7\n"
                             "expect message \"hi there\"\n"
                             "expect all:0x20 = 3\n"
                             "dump 0x100 16 out.bin\n"
                             "dump buffer\n"
                             "dump T2.replay\n"
                             "dump 3,4:tensix.srcb\n"
                             "print message\n");
    assert_int_equal(s.settings.board, BH_BOARD_P100A);
    assert_true(s.settings.has_board);
    assert_int_equal(s.settings.timing, BH_TIMING_LOOSE);
    assert_true(s.settings.has_timing);
    assert_int_equal(s.settings.threads, 2);
    assert_int_equal(s.settings.skew, 1);
    assert_int_equal(s.count, 17);
    const struct action *a = s.actions;
    assert_int_equal(a[0].kind, ACTION_LOAD);
    assert_int_equal(a[0].line, 7);
    assert_int_equal(a[0].tiles.count, 2);
    assert_int_equal(a[0].tiles.range[1].high.y, 6);
    assert_true(span_is(a[0].file, "my file.elf"));
    assert_int_equal(a[1].cores, 1u << BH_NCRISC);
    assert_int_equal(a[2].word_count, 2);
    assert_int_equal(a[2].words[1], 2);
    assert_int_equal(a[2].address.offset, 0x100);
    assert_int_equal(a[3].tiles.count, 1);
    assert_int_equal(a[3].tiles.range[0].low.x, 7);
    assert_true(span_is(a[3].address.symbol, "buffer"));
    assert_int_equal(a[3].address.offset, 4);
    assert_true(span_is(a[3].file, "in.bin"));
    assert_int_equal(a[4].cores, 1u << BH_BRISC | 1u << BH_TRISC2 | 1u << BH_NCRISC);
    assert_int_equal(a[5].number, 5000);
    assert_int_equal(a[6].number, 0);
    assert_int_equal(a[7].kind, ACTION_HOLD);
    assert_int_equal(a[7].cores, BH_ALL_CORES);
    assert_int_equal(a[8].state, BH_CORE_PAUSED);
    assert_int_equal(a[9].kind, ACTION_EXPECT_REGISTER);
    assert_int_equal(a[9].reg, BH_REG_X0 + 10);
    assert_int_equal(a[9].words[0], 7);
    assert_int_equal(a[10].kind, ACTION_EXPECT_TEXT);
    assert_true(span_is(a[10].file, "hi there"));
    assert_true(a[11].tiles.range[0].all);
    assert_int_equal(a[12].number, 16);
    assert_int_equal(a[13].number, 0);
    assert_int_equal(a[13].inside, INSIDE_NOTHING);
    assert_int_equal(a[14].kind, ACTION_DUMP);
    assert_int_equal(a[14].inside, INSIDE_REPLAY);
    assert_int_equal(a[14].threads, 1u << 2);
    assert_int_equal(a[14].tiles.count, 2);
    assert_int_equal(a[15].inside, INSIDE_SRCB);
    assert_int_equal(a[15].tiles.count, 1);
    assert_int_equal(a[16].kind, ACTION_PRINT);
    script_free(&s);
}

static void mistakes_name_line_and_word(void **state) {
    (void)state;
    static const struct {
        const char *text;
        unsigned line;
        const char *named;
    } cases[] = {
        { "lod brisc x.elf", 1, "did you mean 'load'" },
        { "\n\nfrobnicate", 3, "'frobnicate'" },
        { "load brsic x.elf", 1, "'brsic'" },
        { "load brisc", 1, "the file is missing" },
        { "load brisc a b", 1, "unexpected 'b'" },
        { "board p200", 1, "'p200'" },
        { "run\nboard p150", 2, "'board' must stand before" },
        { "timing", 1, "the timing is missing" },
        { "timing fast", 1, "timing must be cycles or loose, not 'fast'" },
        { "timing loosely", 1, "'loosely'" },
        { "timing loose now", 1, "unexpected 'now'" },
        { "run\ntiming loose", 2, "'timing' must stand before" },
        { "run\nthreads 2", 2, "'threads' must stand before" },
        { "run\nskew 2", 2, "'skew' must stand before" },
        { "threads 0", 1, "'0'" },
        { "skew many", 1, "'many'" },
        { "tile", 1, "missing" },
        { "tile 1;2", 1, "'1;2'" },
        { "tile 300,2", 1, "'300,2'" },
        { "tile 5,5-1,1", 1, "'5,5-1,1'" },
        { "write 0x10 = 1 two", 1, "'two'" },
        { "write 0x10 = 0x100000000", 1, "'0x100000000'" },
        { "write 0x10 =", 1, "after '='" },
        { "write 0x10", 1, "missing" },
        { "write 1x = 1", 1, "'1x'" },
        { "write a+b = 1", 1, "'a+b'" },
        { "write a*b = 1", 1, "'a*b'" },
        { "release", 1, "missing" },
        { "release brisc,tricks", 1, "'tricks'" },
        { "run 0", 1, "'0'" },
        { "run 5x", 1, "'5x'" },
        { "expect brisc sleeping", 1, "'sleeping'" },
        { "expect brisc x32 = 1", 1, "'x32'" },
        { "expect brisc a0 : 1", 1, "':'" },
        { "expect brisc a0 = 1 2", 1, "one word" },
        { "dump 0x10", 1, "number of bytes is missing" },
        { "dump 0x10 0", 1, "'0'" },
        { "dump T1.wiat", 1, "tensix.srca and tensix.srcb, not 'T1.wiat'" },
        { "dump T3.wait", 1, "'T3.wait'" },
        { "dump T0.srca", 1, "'T0.srca'" },
        { "dump tensix.", 1, "'tensix.'" },
        { "dump tensix.wait 4", 1, "unexpected '4'" },
        { "print", 1, "missing" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct script script;
        struct parse_error error;
        if (script_parse(cases[i].text, strlen(cases[i].text), &script, &error))
            fail_msg("accepted: %s", cases[i].text);
        if (error.line != cases[i].line || !strstr(error.text, cases[i].named))
            fail_msg("%s: line %u: %s", cases[i].text, error.line, error.text);
    }
}

/* The last one counts, as for options; without one there is none that could go before that of another place. */
static void timings(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum bh_timing timing;
        bool has;
    } cases[] = {
        { "run", BH_TIMING_CYCLES, false },
        { "timing cycles\nrun", BH_TIMING_CYCLES, true },
        { "timing loose\nrun", BH_TIMING_LOOSE, true },
        { "timing loose\ntiming cycles\nrun", BH_TIMING_CYCLES, true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct script s = parsed(cases[i].text);
        assert_int_equal(s.settings.timing, cases[i].timing);
        assert_int_equal(s.settings.has_timing, cases[i].has);
        script_free(&s);
    }
}

static void an_empty_file_is_fine(void **state) {
    (void)state;
    struct script s = parsed("");
    assert_int_equal(s.count, 0);
    s = parsed("# nothing\r\n   \n\t# at all");
    assert_int_equal(s.count, 0);
}

static void dumps_of_the_coprocessor(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum inside_what inside;
        unsigned threads, tiles;
    } cases[] = {
        { "T0.wait", INSIDE_WAIT, 1, 0 },
        { "1,2:T1.adc", INSIDE_ADC, 2, 1 },
        { "all:T2.rwc", INSIDE_RWC, 4, 1 },
        { "tensix.mop", INSIDE_MOP, 7, 0 },
        { "tensix.replay", INSIDE_REPLAY, 7, 0 },
        { "tensix.srca", INSIDE_SRCA, 1, 0 },
        { "1,2-3,4:tensix.srcb", INSIDE_SRCB, 1, 1 },
        { "T0", INSIDE_NOTHING, 0, 0 }, /* symbols */
        { "tensix", INSIDE_NOTHING, 0, 0 },
        { "srca", INSIDE_NOTHING, 0, 0 },
        { "wait.0", INSIDE_NOTHING, 0, 0 },
        { "t0.wait", INSIDE_NOTHING, 0, 0 },
    };
    static const char *const wrong[] = { "T0.",        "T4.wait",         "T0.srca",    "tensix.dst",  "T1.waits",
                                         "T1.wait:16", "T1.wait:16:file", "1,2:T1.wai", "tensix.srca:" };
    struct parse_error error;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct action dump = { .kind = ACTION_DUMP };
        if (!parse_dump(span_of(cases[i].text), &dump, &error))
            fail_msg("%s: %s", cases[i].text, error.text);
        assert_int_equal(dump.inside, cases[i].inside);
        assert_int_equal(dump.threads, cases[i].threads);
        assert_int_equal(dump.tiles.count, cases[i].tiles);
        assert_int_equal(dump.address.symbol.n != 0, cases[i].inside == INSIDE_NOTHING);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct action dump = { .kind = ACTION_DUMP };
        if (parse_dump(span_of(wrong[i]), &dump, &error))
            fail_msg("accepted: %s", wrong[i]);
    }
}

static void options_of_the_command_line(void **state) {
    (void)state;
    struct parse_error error;
    struct action write = { .kind = ACTION_WRITE }, file = { .kind = ACTION_WRITE }, dump = { .kind = ACTION_DUMP };
    assert_true(parse_write(span_of("1,2:0x1000=1,2,0x3"), &write, &error));
    assert_int_equal(write.word_count, 3);
    assert_int_equal(write.words[2], 3);
    assert_int_equal(write.tiles.count, 1);
    struct script owner = { 0 };
    assert_true(script_add(&owner, &write, &error));
    script_free(&owner);
    assert_true(parse_write(span_of("0x1000=data.bin"), &file, &error));
    assert_int_equal(file.tiles.count, 0);
    assert_true(span_is(file.file, "data.bin"));
    assert_true(parse_dump(span_of("all:table+8:64:out:1.bin"), &dump, &error));
    assert_true(dump.tiles.range[0].all);
    assert_int_equal(dump.address.offset, 8);
    assert_int_equal(dump.number, 64);
    assert_true(span_is(dump.file, "out:1.bin"));
    assert_false(parse_write(span_of("1,2:0x1000"), &file, &error));
    assert_false(parse_write(span_of("1,2:0x1000="), &file, &error));
    assert_false(parse_dump(span_of("1,2:0x1000"), &dump, &error));
    assert_false(parse_dump(span_of("1,2:0x1000:many"), &dump, &error));
    assert_non_null(strstr(error.text, "'many'"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command),
        cmocka_unit_test(mistakes_name_line_and_word),
        cmocka_unit_test(timings),
        cmocka_unit_test(an_empty_file_is_fine),
        cmocka_unit_test(dumps_of_the_coprocessor),
        cmocka_unit_test(options_of_the_command_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
