/* tools/launch/launch.c and fill.c, tools/text/ini.c: what launch files mean. What is said about wrong ones is in
 * cases/launch-mistakes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "launch/launch.h"

static const char whole[] = "  # a comment\r\n"
                            "[chip]\n"
                            "board = p100a\n"
                            "threads = 3\n"
                            "timing = loose\n"
                            "[ firmware ]\n"
                            "layout = some.layout\n"
                            "directory = a b\n"
                            "trisc1 = other.elf\n"
                            "tiles = 1,2 3,4-5,6\n"
                            "[buffer src]\n"
                            "in = dram\n"
                            "page = 2048\n"
                            "size = 0x4000\n"
                            "fill = bf16 1.5 -0.25\n"
                            "[buffer word]\n"
                            "in = l1\n"
                            "tiles = all\n"
                            "address = 0x20000\n"
                            "size = 4\n"
                            "[buffer one]\n"
                            "in = dram 3\n"
                            "size = 8\n"
                            "fill = words 1 0x2\n"
                            "[program]\n"
                            "tiles = 1,2\n"
                            "brisc = raw kernel.bin\n"
                            "trisc0 = a.elf\n"
                            "trisc1 = b.elf\n"
                            "trisc2 = c.elf\n"
                            "brisc.args = src, src.pages * 2\n"
                            "trisc.common_args = index + 1\n"
                            "noc = 1\n"
                            "noc_mode = dynamic\n"
                            "cb.0 = 4096, 2048\n"
                            "cb.63 = word, 16, 16\n"
                            "semaphore.15 = -1\n"
                            "[run]\n"
                            "max_cycles = 5M\n"
                            "[dump src]\n"
                            "file = out.bin\n"
                            "[expect one]\n"
                            "is = random u8 9\n"
                            "[run]";

static void every_key(void **state) {
    (void)state;
    struct ini ini;
    struct launch l;
    if (!launch_parse(&ini, whole, strlen(whole), &l))
        fail_msg("line %u: %s", ini.errors[0].line, ini.errors[0].text);
    assert_int_equal(l.settings.board, BH_BOARD_P100A);
    assert_int_equal(l.settings.threads, 3);
    assert_true(l.settings.has_threads);
    assert_int_equal(l.settings.timing, BH_TIMING_LOOSE);
    assert_true(l.settings.has_timing);
    assert_false(l.settings.has_skew);
    assert_int_equal(l.count, 9);

    assert_int_equal(l.steps[0].kind, STEP_FIRMWARE);
    assert_int_equal(l.steps[0].line, 6);
    assert_true(span_is(l.steps[0].firmware.layout, "some.layout"));
    assert_true(span_is(l.steps[0].firmware.directory, "a b"));
    assert_true(span_is(l.steps[0].firmware.file[BH_TRISC1], "other.elf"));
    assert_int_equal(l.steps[0].firmware.file[BH_TRISC0].n, 0);
    assert_int_equal(l.steps[0].firmware.tiles.count, 2);

    const struct launch_buffer *b = &l.steps[1].buffer;
    assert_true(span_is(b->name, "src"));
    assert_false(b->in_l1 || b->one_bank || b->has_address);
    assert_int_equal(b->size, 0x4000);
    assert_int_equal(b->page, 2048);
    assert_int_equal(b->fill.kind, FILL_RAMP);
    assert_int_equal(b->fill.type, FILL_BF16);
    assert_true(b->fill.start == 1.5 && b->fill.step == -0.25);
    b = &l.steps[2].buffer;
    assert_true(b->in_l1 && b->has_address && b->tiles.range[0].all);
    assert_int_equal(b->address, 0x20000);
    assert_int_equal(b->fill.kind, FILL_NONE);
    b = &l.steps[3].buffer;
    assert_true(b->one_bank);
    assert_int_equal(b->bank, 3);
    assert_int_equal(b->fill.word_count, 2);
    assert_int_equal(b->fill.words[1], 2);

    const struct launch_program *p = &l.steps[4].program;
    assert_true(span_is(p->kernel[0].text, "raw kernel.bin"));
    assert_int_equal(p->kernel[0].line, 27);
    assert_int_equal(p->kernel[1].text.n, 0);
    assert_true(span_is(p->kernel[4].text, "c.elf"));
    assert_true(span_is(p->args[0].text, "src, src.pages * 2"));
    assert_int_equal(p->common_args[1].text.n, 0);
    for (unsigned i = 2; i < PROCESSORS; i++)
        assert_true(span_is(p->common_args[i].text, "index + 1"));
    assert_int_equal(p->noc, 1);
    assert_true(p->dynamic_noc);
    assert_true(span_is(p->cb[63].text, "word, 16, 16"));
    assert_true(span_is(p->semaphore[15].text, "-1"));

    assert_int_equal(l.steps[5].kind, STEP_RUN);
    assert_int_equal(l.steps[5].max_cycles, 5000000);
    assert_int_equal(l.steps[6].kind, STEP_DUMP);
    assert_int_equal(l.steps[6].look.buffer, 1);
    assert_true(span_is(l.steps[6].look.file, "out.bin"));
    assert_int_equal(l.steps[7].kind, STEP_EXPECT);
    assert_int_equal(l.steps[7].look.fill.kind, FILL_RANDOM);
    assert_int_equal(l.steps[7].look.fill.seed, 9);
    assert_int_equal(l.steps[8].max_cycles, 0);
    launch_free(&l);
    assert_null(l.steps);
}

/* More mistakes than are kept are still counted, and they come in the order of lines. */
static void many_mistakes(void **state) {
    (void)state;
    char text[4000] = "[buffer a]\n"; /* has no size: found at the end */
    struct ini ini;
    struct launch l;
    for (unsigned i = 0; i < 100; i++)
        strcat(text, "colour = red\n");
    assert_false(launch_parse(&ini, text, strlen(text), &l));
    assert_int_equal(ini.error_count, 100 + 3);
    for (unsigned i = 0; i < INI_ERRORS_MAX; i++)
        assert_int_equal(ini.errors[i].line, i + 2);
    assert_string_equal(ini.errors[0].text, "unknown key 'colour'");
    assert_int_equal(l.count, 0);
    strcpy(text, "[buffer a]\nin = l1\ntiles = all\ncolour = red\n");
    assert_false(launch_parse(&ini, text, strlen(text), &l));
    assert_int_equal(ini.error_count, 2);
    assert_int_equal(ini.errors[0].line, 1);
    assert_int_equal(ini.errors[1].line, 4);
}

static void fills(const char *text, const void *expected, size_t size) {
    struct ini ini;
    struct fill fill;
    char message[200];
    ini_init(&ini, "", 0);
    if (!parse_fill(&ini, span_of(text), &fill))
        fail_msg("%s: %s", text, ini.errors[0].text);
    uint8_t *bytes = fill_bytes(&fill, size, size, message, sizeof message);
    assert_non_null(bytes);
    assert_memory_equal(bytes, expected, size);
    free(bytes);
}

static void contents(void **state) {
    (void)state;
    fills("zero", "\0\0\0", 3);
    fills("words 0x04030201 0xffffffff", "\1\2\3\4\377\377\377\377\1\2", 10);
    fills("u8 254 1", "\376\377\0\1", 4);
    fills("u16 0x1234 -1", "\x34\x12\x33\x12", 4);
    fills("u32 -1 2", "\377\377\377\377\1\0\0\0", 8);
    fills("f32 1 0.5", "\0\0\x80\x3f\0\0\xc0\x3f", 8);
    fills("bf16 1 0.5", "\x80\x3f\xc0\x3f", 4);
    fills("bf16 1.00390625 0", "\x80\x3f", 2); /* half way: to even */
    fills("bf16 1.01171875 0", "\x82\x3f", 2);
    fills("bf16 3e38 1e38", "\x62\x7f\x80\x7f", 4); /* beyond the largest: infinity */
}

static void random_contents(void **state) {
    (void)state;
    struct fill a = { .kind = FILL_RANDOM, .type = FILL_F32, .seed = 1 }, b = a;
    char message[200];
    b.seed = 2;
    uint8_t *x = fill_bytes(&a, 400, 400, message, sizeof message),
            *y = fill_bytes(&b, 400, 400, message, sizeof message);
    float least = 2, most = -1;
    for (unsigned i = 0; i < 400; i += 4) {
        float f;
        memcpy(&f, x + i, 4);
        least = f < least ? f : least;
        most = f > most ? f : most;
    }
    assert_true(least >= 0 && least < 0.1f && most <= 1 && most > 0.9f);
    assert_memory_not_equal(x, y, 400);
    free(x);
    free(y);
}

static void contents_of_a_file(void **state) {
    (void)state;
    char name[] = "/tmp/bhemu-launch-XXXXXX", message[200];
    int fd = mkstemp(name);
    FILE *file = fdopen(fd, "w");
    fputs("abc", file);
    fclose(file);
    struct fill fill = { .kind = FILL_FILE, .file = span_of(name) };
    uint8_t *bytes = fill_bytes(&fill, 3, 9, message, sizeof message);
    assert_memory_equal(bytes, "abcabcabc", 9);
    free(bytes);
    bytes = fill_bytes(&fill, 1, 3, message, sizeof message);
    assert_memory_equal(bytes, "abc", 3);
    free(bytes);
    assert_null(fill_bytes(&fill, 2, 4, message, sizeof message));
    assert_non_null(strstr(message, "has 3 bytes, the buffer 4"));
    remove(name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key),       cmocka_unit_test(many_mistakes),      cmocka_unit_test(contents),
        cmocka_unit_test(random_contents), cmocka_unit_test(contents_of_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
