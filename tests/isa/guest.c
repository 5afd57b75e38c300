/* The guest headers, compiled for the host, and the table against what others recorded: words of tt-llk's encoders
 * and lines of the vendor's objdump. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <cmocka.h>

#include "isa/config.h"
#include "isa/tensix.h"
/* The guest's side of the same tables; by path, since "tensix.h" is ambiguous here. */
#include "../../guest/include/cfg_defines.h"
#include "../../guest/include/tensix.h"

/* A static table: the encoders have to be constant expressions. */
static const struct {
    uint32_t word, encoded;
} constants[] = {
#define LLK_WORD(word, ...)   { word, TT_OP(__VA_ARGS__) },
#define LLK_WORD0(word, name) { word, TT_OP(name) },
#include "llk_words.def"
};

static void test_constant_encoders(void **state) {
    (void)state;
    bool covered[256] = { false };
    unsigned opcodes = 0;
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++) {
        assert_int_equal(constants[i].encoded, constants[i].word);
        opcodes += !covered[constants[i].word >> 24];
        covered[constants[i].word >> 24] = true;
    }
    assert_int_equal(opcodes, TENSIX_ROW_COUNT);
}

static void test_function_encoders(void **state) {
    (void)state;
#define LLK_WORD(word, name, ...) assert_int_equal(TT_OP_##name(__VA_ARGS__), word);
#define LLK_WORD0(word, name)     assert_int_equal(TT_OP_##name(), word);
#include "llk_words.def"
}

/* The table takes the words apart into the same fields, of the same widths. */
static void check_fields(uint32_t word, const char *name, const uint32_t *values, unsigned count) {
    const struct tensix_row *row = tensix_decode(word);
    assert_non_null(row);
    assert_string_equal(row->name, name);
    assert_int_equal(row->field_count, count);
    for (unsigned f = 0; f < count; f++)
        assert_int_equal(bits_get(word, row->fields[f].low, row->fields[f].width), values[f]);
}

static void test_fields(void **state) {
    (void)state;
#define LLK_WORD(word, name, ...) \
    { \
        const uint32_t values[] = { __VA_ARGS__ }; \
        check_fields(word, #name, values, sizeof values / sizeof values[0]); \
    }
#define LLK_WORD0(word, name) check_fields(word, #name, NULL, 0);
#include "llk_words.def"
}

/* tt-llk writes 16-bit values through a 14-bit field. */
static void test_setdmareg_spills(void **state) {
    (void)state;
    assert_int_equal(TT_OP_SETDMAREG(0, 0xFFFF, 0, 5), 0x45FFFF05);
    assert_int_equal(TT_OP(SETDMAREG, 0, 0x8001, 0, 6), 0x45800106);
}

static void test_opcode_is_safe(void **state) {
    (void)state;
    volatile unsigned minus_one = UINT32_MAX;
    assert_int_equal(TT_OP_SETC16(minus_one, 0), 0xB2FF0000);
    assert_int_equal(TT_OP(SETC16, 0x1FF, 0), 0xB2FF0000);
}

static const struct {
    uint32_t word;
    const char *mnemonic, *operands;
} lines[] = {
#define OBJDUMP(word, mnemonic, operands) { word, mnemonic, operands },
#include "objdump.def"
};

static void test_vendor_objdump(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        bool vector = strncmp(lines[i].mnemonic, "sfp", 3) == 0;
        uint32_t word = tensix_from_stream(lines[i].word);
        const struct tensix_row *row = tensix_decode(word);
        assert_true(tensix_in_stream(lines[i].word));
        assert_non_null(row);
        assert_int_equal(strcasecmp(row->name, lines[i].mnemonic + (vector ? 0 : 2)), 0);
        const char *at = lines[i].operands;
        for (unsigned f = 0; f < row->field_count && !vector; f++) {
            char *end;
            unsigned long value = strtoul(at, &end, 10);
            assert_ptr_not_equal(at, end);
            assert_int_equal(bits_get(word, row->fields[f].low, row->fields[f].width), value);
            at = *end == ',' ? end + 1 : end;
        }
        assert_true(vector || *at == '\0');
    }
}

static void test_config_names(void **state) {
    (void)state;
    assert_int_equal(GLOBAL_CFGREG_BASE_ADDR32, 180);
    assert_int_equal(THCON_CFGREG_BASE_ADDR32, 64);
    assert_int_equal(CFG_STATE_ID_StateID_ADDR32, 0);
    assert_int_equal(SFPU_DEST_FMT_Base_SHAMT, 1);
    assert_int_equal(SFPU_DEST_FMT_Base_MASK, 0x1E);
    assert_int_equal(THCON_SEC0_REG0_TileDescriptor_ADDR32, 64);
    assert_int_equal((uint32_t)THCON_SEC0_REG0_TileDescriptor_MASK, UINT32_MAX);
    const unsigned rmw[] = { TT_CFG_RMW(SRCA_SET_SetOvrdWithAddr) };
    assert_int_equal(rmw[0], 5);
    assert_int_equal(rmw[1], 2);
    assert_int_equal(rmw[2], 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant_encoders),
        cmocka_unit_test(test_function_encoders),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_setdmareg_spills),
        cmocka_unit_test(test_opcode_is_safe),
        cmocka_unit_test(test_vendor_objdump),
        cmocka_unit_test(test_config_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
