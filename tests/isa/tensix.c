/* tests/isa/tensix.c tests src/isa/tensix.c: the table itself, and encoder, decoder and disassembler of every row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "isa/tensix.h"

/* Every row's generated struct and functions behind one signature: values in the order of the row's fields. */
struct codec {
    uint32_t (*encode)(const uint32_t *values);
    void (*decode)(uint32_t word, uint32_t *values);
};

#define FROM_VALUE(op, i, name, low, width, used) operands.name = values[i];
#define TO_VALUE(op, i, name, low, width, used)   values[i] = operands.name;
#define TENSIX_OP(opcode, name, state, unit, gate, occupancy, latency, page, meaning, ...) \
    static uint32_t encode_##name(const uint32_t *values) { \
        struct tensix_##name operands = { 0 }; \
        (void)values; \
        TENSIX_EACH(FROM_VALUE, name, __VA_ARGS__) \
        return tensix_encode_##name(operands); \
    } \
    static void decode_##name(uint32_t word, uint32_t *values) { \
        struct tensix_##name operands = tensix_decode_##name(word); \
        (void)operands; \
        (void)values; \
        TENSIX_EACH(TO_VALUE, name, __VA_ARGS__) \
    }
#include "isa/tensix.def"

static const struct codec codecs[TENSIX_ROW_COUNT] = {
#define TENSIX_OP(opcode, name, ...) { encode_##name, decode_##name },
#include "isa/tensix.def"
};

static uint32_t ones(unsigned width) {
    return (uint32_t)((UINT64_C(1) << width) - 1);
}

static uint32_t next_random(uint32_t *state) {
    *state = *state * UINT32_C(1664525) + UINT32_C(1013904223);
    return *state >> 4;
}

static void test_table(void **state) {
    (void)state;
    assert_int_equal(TENSIX_ROW_COUNT, 137);
    for (unsigned i = 0; i < TENSIX_ROW_COUNT; i++) {
        const struct tensix_row *row = &tensix_rows[i];
        if (i > 0)
            assert_true(row->opcode > tensix_rows[i - 1].opcode);
        assert_true(strlen(row->meaning) > 5);
        assert_true(strlen(tensix_unit_text((enum tensix_unit)row->unit)) > 0);
        assert_true(strlen(tensix_gate_text((enum tensix_gate)row->gate)) > 0);
        assert_true(row->occupancy >= 1 && row->latency >= row->occupancy);
        assert_true(row->page[0] == '\0' || strncmp(row->page, "BH:", 3) == 0 || strncmp(row->page, "WH:", 3) == 0);
        assert_true(row->field_count <= TENSIX_FIELDS_MAX);
        for (unsigned f = 0; f < row->field_count; f++)
            assert_non_null(row->fields[f].name);
        assert_null(row->fields[row->field_count].name);
    }
}

/* Facts of single rows, as the pages have them. */
static void test_known_rows(void **state) {
    (void)state;
    assert_int_equal(TENSIX_SETC16, 0xB2);
    assert_int_equal(TENSIX_ELWSUB, 0x30);
    assert_int_equal(TENSIX_SFPARECIP, 0x99);
    assert_int_equal(tensix_rows[TENSIX_ROW_XMOV].gate, TENSIX_GATE_B0_B4);
    assert_int_equal(tensix_rows[TENSIX_ROW_MVMUL].unit, TENSIX_UNIT_MATRIX);
    assert_int_equal(tensix_rows[TENSIX_ROW_MVMUL].latency, 6);
    assert_int_equal(tensix_rows[TENSIX_ROW_ATCAS].occupancy, 15);
    assert_string_equal(tensix_rows[TENSIX_ROW_PACR].page, "BH:PACR.md");
    assert_string_equal(tensix_gate_text(TENSIX_GATE_B0_B5), "B0|B5");
    assert_string_equal(tensix_unit_text(TENSIX_UNIT_VECTOR_MAD), "Vector (SFPU), MAD");
}

static void test_decode_finds_rows_only(void **state) {
    (void)state;
    unsigned found = 0;
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        const struct tensix_row *row = tensix_decode(opcode << 24 | 0x00ABCDEF);
        unsigned index = tensix_row_index((uint8_t)opcode);
        assert_int_equal(row != NULL, index < TENSIX_ROW_COUNT);
        if (!row)
            continue;
        found++;
        assert_int_equal(row->opcode, opcode);
        assert_ptr_equal(row, &tensix_rows[index]);
    }
    assert_int_equal(found, TENSIX_ROW_COUNT);
}

static void check_round_trip(unsigned index, const uint32_t *values) {
    const struct tensix_row *row = &tensix_rows[index];
    uint32_t word = codecs[index].encode(values), expected = (uint32_t)row->opcode << 24;
    uint32_t back[TENSIX_FIELDS_MAX];
    for (unsigned f = 0; f < row->field_count; f++)
        expected |= values[f] << row->fields[f].low;
    assert_int_equal(word, expected);
    assert_ptr_equal(tensix_decode(word), row);
    codecs[index].decode(word, back);
    for (unsigned f = 0; f < row->field_count; f++)
        assert_int_equal(back[f], values[f] & ones(row->fields[f].used));
}

static void test_fields_round_trip(void **state) {
    (void)state;
    uint32_t random = 1;
    for (unsigned i = 0; i < TENSIX_ROW_COUNT; i++) {
        const struct tensix_row *row = &tensix_rows[i];
        uint32_t values[TENSIX_FIELDS_MAX] = { 0 };
        check_round_trip(i, values);
        for (unsigned f = 0; f < row->field_count; f++) { /* each field by itself, all ones */
            values[f] = ones(row->fields[f].width);
            check_round_trip(i, values);
            values[f] = 0;
        }
        for (unsigned repeat = 0; repeat < 100; repeat++) {
            for (unsigned f = 0; f < row->field_count; f++)
                values[f] = next_random(&random) & ones(row->fields[f].width);
            check_round_trip(i, values);
        }
    }
}

static void test_encode_cuts_to_width(void **state) {
    (void)state;
    for (unsigned i = 0; i < TENSIX_ROW_COUNT; i++) {
        const struct tensix_row *row = &tensix_rows[i];
        for (unsigned f = 0; f < row->field_count; f++) {
            uint32_t values[TENSIX_FIELDS_MAX] = { 0 };
            values[f] = UINT32_MAX;
            uint32_t mask = ones(row->fields[f].width) << row->fields[f].low;
            assert_int_equal(codecs[i].encode(values), (uint32_t)row->opcode << 24 | mask);
        }
    }
}

/* The value that "name=value" has in a text; fails the test if the name is not there. */
static uint32_t shown(const char *text, const char *name) {
    char pattern[80];
    snprintf(pattern, sizeof pattern, " %s=", name);
    const char *at = strstr(text, pattern);
    if (!at)
        fail_msg("no %s in: %s", name, text);
    return (uint32_t)strtoul(at + strlen(pattern), NULL, 0);
}

static void test_disasm_names_every_field(void **state) {
    (void)state;
    uint32_t random = 2;
    for (unsigned i = 0; i < TENSIX_ROW_COUNT; i++) {
        const struct tensix_row *row = &tensix_rows[i];
        uint32_t word = (uint32_t)row->opcode << 24 | (next_random(&random) & 0xFFFFFF), seen = 0;
        char text[512], name[32];
        size_t length = tensix_disasm(word, text, sizeof text);
        assert_int_equal(length, strlen(text));
        assert_int_equal(sscanf(text, "%31[A-Z0-9_a-z]", name), 1);
        assert_string_equal(name, row->name);
        for (unsigned f = 0; f < row->field_count; f++)
            seen |= shown(text, row->fields[f].name) << row->fields[f].low;
        if (strstr(text, " bits="))
            seen |= shown(text, "bits");
        assert_int_equal(seen | (uint32_t)row->opcode << 24, word); /* nothing is lost */
    }
}

static void test_disasm_text(void **state) {
    (void)state;
    static const struct {
        uint32_t word;
        const char *text;
    } cases[] = {
        { 0xB202001F, "SETC16 setc16_reg=2, setc16_value=0x1f" },
        { 0x02000000, "NOP" },
        { 0x02000003, "NOP bits=3" },
        { 0xA2008002, "STALLWAIT stall_res=1, wait_res=2" },
        { 0x38300000, "INCRWC rwc_cr=0xc, rwc_d=0, rwc_b=0, rwc_a=0" },
        { 0x38000009, "INCRWC rwc_cr=0, rwc_d=0, rwc_b=0, rwc_a=0, bits=9" },
        { 0x00000000, ".word 0x00000000" },
        { 0xFF123456, ".word 0xff123456" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[128];
        tensix_disasm(cases[i].word, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
}

/* Every opcode, known or not, at every size of buffer: cut, terminated, nothing written past the end. */
static void test_disasm_keeps_to_the_buffer(void **state) {
    (void)state;
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        uint32_t word = opcode << 24 | 0xFFFFFF;
        char whole[512], text[512];
        size_t length = tensix_disasm(word, whole, sizeof whole);
        assert_true(length > 0 && length < sizeof whole);
        for (size_t size = 0; size <= length + 2; size++) {
            memset(text, '#', sizeof text);
            assert_int_equal(tensix_disasm(word, text, size), length);
            assert_int_equal(text[size], '#');
            if (size == 0)
                continue;
            size_t kept = size - 1 < length ? size - 1 : length;
            assert_int_equal(strlen(text), kept);
            assert_memory_equal(text, whole, kept);
        }
        assert_int_equal(tensix_disasm(word, NULL, 0), length);
    }
}

static void test_gate(void **state) {
    (void)state;
    assert_false(tensix_gate_holds(TENSIX_GATE_NEVER, 0x1FF));
    assert_true(tensix_gate_holds(TENSIX_GATE_ANY, 0x100));
    assert_false(tensix_gate_holds(TENSIX_GATE_ANY, 0));
    assert_true(tensix_gate_holds(TENSIX_GATE_ALL, 0x1FF));
    assert_false(tensix_gate_holds(TENSIX_GATE_ALL, 0x1FE));
    assert_true(tensix_gate_holds(TENSIX_GATE_B0_B4, 0x10));
    assert_true(tensix_gate_holds(TENSIX_GATE_B0_B4, 0x01));
    assert_false(tensix_gate_holds(TENSIX_GATE_B0_B4, 0x1EE));
}

static void test_stream_rotation(void **state) {
    (void)state;
    assert_int_equal(tensix_to_stream(0xB202001F), 0xC808007E);
    assert_int_equal(tensix_from_stream(0xC808007E), 0xB202001F);
    assert_true(tensix_in_stream(0xC808007E));
    assert_true(tensix_in_stream(0));
    assert_false(tensix_in_stream(0x00000013));
    for (unsigned i = 0; i < TENSIX_ROW_COUNT; i++)
        assert_true(tensix_in_stream(tensix_to_stream((uint32_t)tensix_rows[i].opcode << 24 | 0xFFFFFF)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_known_rows),
        cmocka_unit_test(test_decode_finds_rows_only),
        cmocka_unit_test(test_fields_round_trip),
        cmocka_unit_test(test_encode_cuts_to_width),
        cmocka_unit_test(test_disasm_names_every_field),
        cmocka_unit_test(test_disasm_text),
        cmocka_unit_test(test_disasm_keeps_to_the_buffer),
        cmocka_unit_test(test_gate),
        cmocka_unit_test(test_stream_rotation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
