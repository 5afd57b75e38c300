/* tests/isa/config.c tests src/isa/config.c. That fields do not overlap is proven by its compilation (bad_tables.sh).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "isa/config.h"

static void test_count(void **state) {
    (void)state;
    unsigned thread = 0;
    for (unsigned i = 0; i < CONFIG_FIELD_COUNT; i++)
        thread += config_fields[i].thread;
    assert_int_equal(CONFIG_FIELD_COUNT, 820);
    assert_int_equal(thread, 223);
}

static const struct config_field *field_named(const char *name) {
    for (unsigned i = 0; i < CONFIG_FIELD_COUNT; i++)
        if (strcmp(config_fields[i].name, name) == 0)
            return &config_fields[i];
    return NULL;
}

/* Places that the ISA pages and the specification name. */
static void test_known_fields(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool thread;
        unsigned word, shift, width;
    } known[] = {
        { "CFG_STATE_ID_StateID", true, 0, 0, 1 },
        { "DEST_TARGET_REG_CFG_MATH_Offset", true, 1, 0, 12 },
        { "ADDR_MOD_AB_SEC0_SrcAIncr", true, 12, 0, 6 },
        { "ADDR_MOD_DST_SEC0_DestIncr", true, 28, 0, 10 },
        { "ADDR_MOD_PACK_SEC0_YsrcIncr", true, 37, 0, 4 },
        { "ADDR_MOD_BIAS_SEC0_BiasIncr", true, 47, 0, 4 },
        { "THCON_SEC0_REG0_TileDescriptor", false, 64, 0, 128 },
        { "SCRATCH_SEC0_val", false, 209, 0, 32 },
        { "SCRATCH_SEC2_val", false, 211, 0, 32 },
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const struct config_field *field = field_named(known[i].name);
        assert_non_null(field);
        assert_int_equal(field->word, known[i].word);
        assert_int_equal(field->shift, known[i].shift);
        assert_int_equal(field->width, known[i].width);
        assert_int_equal(field->thread, known[i].thread);
    }
}

/* A word has the bits of its fields, or all bits if it has no field. */
static void test_missing_bits(void **state) {
    (void)state;
    uint32_t named[CONFIG_WORDS] = { 0 };
    for (unsigned i = 0; i < CONFIG_FIELD_COUNT; i++) {
        const struct config_field *field = &config_fields[i];
        for (unsigned bit = 0; bit < field->width && !field->thread; bit++)
            named[field->word + (field->shift + bit) / 32] |= UINT32_C(1) << (field->shift + bit) % 32;
    }
    for (unsigned word = 0; word < CONFIG_WORDS; word++)
        assert_int_equal(config_missing[word], named[word] ? ~named[word] : 0);
}

static void test_get(void **state) {
    (void)state;
    uint16_t thread[CONFIG_THREAD_WORDS] = { [4] = 0x001B, [0] = 1 };
    uint32_t bank[CONFIG_WORDS] = { [209] = 0xDEADBEEF };
    assert_int_equal(CONFIG_GET(thread, SFPU_DEST_FMT_Base), 0xD);
    assert_int_equal(CONFIG_GET(thread, SFPU_DEST_FMT_Enable), 1);
    assert_int_equal(CONFIG_GET(thread, CFG_STATE_ID_StateID), 1);
    assert_int_equal(CONFIG_GET(bank, SCRATCH_SEC0_val), 0xDEADBEEF);
}

/* A part begins with a field of ThreadConfig, shares no bit with another part, and is not the only one of its word. */
static void test_parts(void **state) {
    (void)state;
    for (unsigned i = 0; i < CONFIG_PART_COUNT; i++) {
        const struct config_part *part = &config_parts[i];
        const struct config_field *field = field_named(part->name);
        unsigned others = 0;
        assert_non_null(field);
        assert_true(field->thread);
        assert_int_equal(part->word, field->word);
        assert_int_equal(part->shift, field->shift);
        assert_int_equal(part->kept, ((1u << field->width) - 1) << field->shift);
        assert_int_equal(part->kept & ~part->all, 0);
        for (unsigned j = 0; j < CONFIG_PART_COUNT; j++) {
            if (j == i || config_parts[j].word != part->word)
                continue;
            assert_int_equal(part->all & config_parts[j].all, 0);
            others++;
        }
        assert_int_not_equal(others, 0);
    }
    assert_int_equal(config_parts[CONFIG_PART_UNPACK_MISC_CFG_CfgContextOffset_1].all, 0x3F00);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_count),        cmocka_unit_test(test_known_fields), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_missing_bits), cmocka_unit_test(test_get),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
