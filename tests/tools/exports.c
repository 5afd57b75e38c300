/* Sorting with little memory (tools/formats/sorted.c), and the table of formats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/formats.h"
#include "formats/sorted.h"

struct item {
    uint32_t key, number;
};

static int by_key(const void *left, const void *right) {
    const struct item *a = left, *b = right;
    return a->key < b->key ? -1 : a->key > b->key;
}

/* Puts so many items with keys that repeat, and reads them in order; equal ones as they came. */
static void sort_some(uint32_t count, uint32_t keys) {
    struct sorted *s = sorted_new(sizeof(struct item), by_key);
    uint32_t random = 1, read = 0;
    uint64_t sum = 0, read_sum = 0;
    struct item last = { 0, 0 };
    assert_non_null(s);
    for (uint32_t i = 0; i < count; i++) {
        random = random * 1664525 + 1013904223;
        struct item item = { (random >> 8) % keys, i };
        sum += (uint64_t)item.key * 7 + item.number;
        assert_true(sorted_put(s, &item));
    }
    for (const struct item *item; (item = sorted_next(s)); read++) {
        assert_true(!read || item->key > last.key || (item->key == last.key && item->number > last.number));
        last = *item;
        read_sum += (uint64_t)item->key * 7 + item->number;
    }
    assert_false(sorted_failed(s));
    assert_int_equal(read, count);
    assert_int_equal(read_sum, sum);
    assert_null(sorted_next(s));
    assert_false(sorted_put(s, &last));
    sorted_free(s);
}

static void records_are_sorted_and_stable(void **state) {
    static const uint32_t counts[] = { 0, 1, 2, 3, 1000, 32767, 32768, 32769, 65536, 300001 };
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        sort_some(counts[i], 1000);
        sort_some(counts[i], 1);
    }
}

/* The texts of the help name every format, in any order. */
static void the_help_names_every_format(void **state) {
    unsigned names[OUTPUT_KINDS] = { 0 };
    (void)state;
    for (unsigned i = 0; formats_at(i); i++) {
        const struct format *format = formats_at(i);
        names[format->kind]++;
        assert_non_null(strstr(formats_names(format->kind), format->name));
        assert_ptr_equal(formats_find(format->kind, format->name), format);
        assert_null(formats_find((enum output_kind) !format->kind, format->name));
    }
    for (unsigned kind = 0; kind < OUTPUT_KINDS; kind++)
        for (const char *text = formats_names((enum output_kind)kind); text; text = strchr(text + 1, ','))
            names[kind]--;
    assert_int_equal(names[OUTPUT_TRACE], 0);
    assert_int_equal(names[OUTPUT_PROFILE], 0);
}

static void names_of_files_say_the_format(void **state) {
    static const struct {
        enum output_kind kind;
        const char *file, *format;
    } cases[] = {
        { OUTPUT_TRACE, "a.json", "chrome" },
        { OUTPUT_TRACE, "a", "chrome" },
        { OUTPUT_TRACE, "noc_trace.pftrace/a.json", "chrome" },
        { OUTPUT_TRACE, "x/noc_trace_dev0_ID1.json", "noc" },
        { OUTPUT_TRACE, "noc_trace.pftrace", "perfetto" },
        { OUTPUT_TRACE, "./.pftrace", "perfetto" },
        { OUTPUT_TRACE, "a.kanata", "kanata" },
        { OUTPUT_TRACE, "a.commit", "commit" },
        { OUTPUT_PROFILE, "out/callgrind.out.17", "callgrind" },
        { OUTPUT_PROFILE, "a.info", "lcov" },
        { OUTPUT_PROFILE, "profile_log_device.csv", "device" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(formats_of_file(cases[i].kind, cases[i].file)->name, cases[i].format);
    assert_null(formats_of_file(OUTPUT_PROFILE, "a.txt"));
    assert_null(formats_of_file(OUTPUT_PROFILE, "x.callgrind.out"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_sorted_and_stable),
        cmocka_unit_test(the_help_names_every_format),
        cmocka_unit_test(names_of_files_say_the_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
