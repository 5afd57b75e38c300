/* The table of measurements and the statistics behind `make silicon`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "silicon.h"

#define HEADER "class,name,parameters,value,unit,source\n"

static void test_read(void **state) {
    struct silicon_table table = { 0 };
    struct silicon_error error = { "" };
    (void)state;
    assert_true(silicon_read(&table, "t.csv",
                             HEADER "riscv,addi,threads=1 thread=2,1.029,cycles,here\n\nnoc,hop,,9,cycles,there\n",
                             &error));
    assert_int_equal(table.count, 2);
    assert_string_equal(table.points[0].class, "riscv");
    assert_string_equal(table.points[0].name, "addi");
    assert_string_equal(table.points[0].unit, "cycles");
    assert_string_equal(table.points[0].source, "here");
    assert_true(table.points[0].measured == 1.029);
    assert_int_equal(table.points[0].line, 2);
    assert_int_equal(table.points[1].line, 4);
    assert_string_equal(table.points[1].parameters, "");
    silicon_free(&table);
}

/* Points and mistakes name their own file, in whichever order files are read. */
static void test_several_files(void **state) {
    struct silicon_table table = { 0 };
    struct silicon_error error = { "" };
    long value;
    (void)state;
    assert_true(silicon_read(&table, "a.csv", HEADER "riscv,addi,,1,cycles,here\n", &error));
    assert_true(silicon_read(&table, "b.csv", HEADER "\nnoc,hop,,9,cycles,there\n", &error));
    assert_int_equal(table.count, 2);
    assert_string_equal(table.points[0].name, "addi");
    assert_false(silicon_number(&table.points[1], "x", &value, &error));
    assert_string_equal(error.text, "b.csv:3: hop: there is no parameter x");
    assert_false(silicon_read(&table, "c.csv", "class\n", &error));
    assert_string_equal(error.text, "c.csv:1: the first line must be class,name,parameters,value,unit,source");
    silicon_free(&table);
}

/* Each mistake gives file, line and name. */
static void test_mistakes(void **state) {
    static const struct {
        const char *bytes, *text;
    } cases[] = {
        { "class,name\n", "t.csv:1: the first line must be class,name,parameters,value,unit,source" },
        { HEADER "riscv,addi,,1,cycles\n", "t.csv:2: addi: 5 fields, 6 are needed" },
        { HEADER "riscv,addi,,1,cycles,here,there\n", "t.csv:2: addi: 7 fields, 6 are needed" },
        { HEADER "riscv\n", "t.csv:2: riscv: 1 fields, 6 are needed" },
        { HEADER "riscv,a,,1,cycles,here\nriscv,addi,,1x,cycles,here\n",
          "t.csv:3: addi: the value '1x' is not a number above 0" },
        { HEADER "riscv,addi,,0,cycles,here\n", "t.csv:2: addi: the value '0' is not a number above 0" },
        { HEADER "riscv,addi,,inf,cycles,here\n", "t.csv:2: addi: the value 'inf' is not a number above 0" },
        { HEADER "riscv,addi,,1,,here\n", "t.csv:2: addi: no unit" },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct silicon_table table = { 0 };
        struct silicon_error error = { "" };
        assert_false(silicon_read(&table, "t.csv", cases[i].bytes, &error));
        assert_string_equal(error.text, cases[i].text);
        silicon_free(&table);
    }
}

static void test_parameters(void **state) {
    struct silicon_point point = {
        .name = (char[]){ "addi" }, .parameters = (char[]){ "threads=3 kind=read x=1y" }, .file = "t.csv", .line = 7
    };
    struct silicon_error error;
    long value;
    (void)state;
    assert_true(silicon_number(&point, "threads", &value, &error));
    assert_int_equal(value, 3);
    assert_true(silicon_has(&point, "kind"));
    assert_false(silicon_has(&point, "thread"));
    assert_true(silicon_is(&point, "kind", "read"));
    assert_false(silicon_is(&point, "kind", "rea"));
    assert_false(silicon_is(&point, "kind", "reader"));
    assert_false(silicon_number(&point, "thread", &value, &error));
    assert_string_equal(error.text, "t.csv:7: addi: there is no parameter thread");
    assert_false(silicon_number(&point, "x", &value, &error));
    assert_string_equal(error.text, "t.csv:7: addi: the parameter x is not a whole number");
}

static void test_statistics(void **state) {
    const double ten[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, y[] = { 12, 22, 32, 42 }, bent[] = { 1, 3, 2 };
    struct silicon_point points[] = {
        { .class = (char[]){ "a" }, .measured = 10, .predicted = 11 },
        { .class = (char[]){ "b" }, .measured = 1, .predicted = 9 },
        { .class = (char[]){ "a" }, .measured = 4, .predicted = 3 },
        { .class = (char[]){ "a" }, .measured = 8, .predicted = 8 },
    };
    struct silicon_table table = { .points = points, .count = 4 };
    (void)state;
    assert_true(silicon_rank(ten, 10, 0.5) == 5);
    assert_true(silicon_rank(ten, 10, 0.9) == 9);
    assert_true(silicon_rank(ten, 9, 0.9) == 9);
    assert_true(silicon_rank(ten, 1, 0.9) == 1);
    assert_true(silicon_rank(ten, 0, 0.9) == 0);
    assert_true(silicon_slope(ten, y, 4) > 9.999 && silicon_slope(ten, y, 4) < 10.001);
    assert_true(silicon_slope(ten, bent, 3) > 0.499 && silicon_slope(ten, bent, 3) < 0.501);
    struct silicon_summary summary = silicon_summarize(&table, "a");
    assert_int_equal(summary.points, 3);
    assert_true(summary.median > 0.0999 && summary.median < 0.1001);
    assert_true(summary.worst == 0.25 && summary.p90 == 0.25);
    assert_ptr_equal(summary.worst_point, &points[2]);
}

static void test_file_name(void **state) {
    char name[8];
    (void)state;
    silicon_file_name("NoC a", name, sizeof name);
    assert_string_equal(name, "noc-a");
    silicon_file_name("instruction", name, sizeof name);
    assert_string_equal(name, "instruc");
}

/* The drawing holds the points of its class only. */
static void test_drawing(void **state) {
    struct silicon_point points[] = {
        { .class = (char[]){ "a" },
          .name = (char[]){ "mine" },
          .parameters = (char[]){ "" },
          .measured = 10,
          .predicted = 11 },
        { .class = (char[]){ "b" },
          .name = (char[]){ "other" },
          .parameters = (char[]){ "" },
          .measured = 1,
          .predicted = 9 },
    };
    struct silicon_table table = { .points = points, .count = 2 };
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    (void)state;
    assert_non_null(out);
    silicon_draw(out, &table, "a");
    fclose(out);
    assert_non_null(strstr(text, "<title>mine : 11, measured 10</title>"));
    assert_null(strstr(text, "other"));
    assert_null(strstr(text, "nan"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),       cmocka_unit_test(test_several_files), cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_parameters), cmocka_unit_test(test_statistics),    cmocka_unit_test(test_file_name),
        cmocka_unit_test(test_drawing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
