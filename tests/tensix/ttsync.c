/* Auto TTSync: classes, defaults, declarations, and the parts of Config that addresses belong to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "isa/tensix.h"
#include "tensix/config/config.h"
#include "tensix/frontend/ttsync.h"

enum { TRACK_CONFIG = 1, SUBDIVIDED = 2, TRACK_GPR = 4, TRACK_TDMA = 8, TRACK = 16 };

static const uint16_t *config_with(unsigned bits) {
    static uint16_t config[CONFIG_THREAD_WORDS];
    config[CONFIG_WORD_TENSIX_TRISC_SYNC_TrackGlobalCfg] = (uint16_t)bits;
    return config;
}

static uint32_t op(unsigned opcode) {
    return (uint32_t)opcode << 24;
}

/* Sixteen bits as in ttsync.h: written, read. Config[0] is 07, Config[1] 38, GPRs 40, TDMA-RISC 80. */
static const struct {
    uint8_t opcode;
    uint16_t bank0, bank1;
} table[] = {
    { TENSIX_NOP, 0, 0 },
    { TENSIX_MOP_CFG, 0, 0 },
    { TENSIX_RESOURCEDECL, 0, 0 },
    { TENSIX_ADDDMAREG, 0x4040, 0x4040 },
    { TENSIX_SUBDMAREG, 0x4040, 0x4040 },
    { TENSIX_MULDMAREG, 0x4040, 0x4040 },
    { TENSIX_BITWOPDMAREG, 0x4040, 0x4040 },
    { TENSIX_SHIFTDMAREG, 0x4040, 0x4040 },
    { TENSIX_CMPDMAREG, 0x4040, 0x4040 },
    { TENSIX_SETDMAREG, 0x4040, 0x4040 },
    { TENSIX_ATINCGET, 0x4040, 0x4040 },
    { TENSIX_ATINCGETPTR, 0x4040, 0x4040 },
    { TENSIX_ATSWAP, 0x4040, 0x4040 },
    { TENSIX_ATCAS, 0x4040, 0x4040 },
    { TENSIX_REG2FLOP, 0xC0C0, 0xC0C0 },
    { TENSIX_LOADIND, 0x4040, 0x4040 },
    { TENSIX_STOREIND, 0x4040, 0x4040 },
    { TENSIX_STREAMWRCFG, 0x0707, 0x3838 },
    { TENSIX_CFGSHIFTMASK, 0x0707, 0x3838 },
    { TENSIX_STOREREG, 0x0040, 0x0040 },
    { TENSIX_LOADREG, 0x4000, 0x4000 },
    { TENSIX_FLUSHDMA, 0x8000, 0x8000 },
    { TENSIX_WRCFG, 0x0740, 0x3840 },
    { TENSIX_RDCFG, 0x4007, 0x4038 },
    { TENSIX_XMOV, 0x4747, 0x7878 },
    { TENSIX_UNPACR, 0x8087, 0x80B8 },
    { TENSIX_UNPACR_NOP, 0x8087, 0x80B8 },
    { TENSIX_PACR, 0x8084, 0x80A0 },
    { TENSIX_MOP, 0xC7C7, 0xF8F8 },
    { TENSIX_REPLAY, 0xC7C7, 0xF8F8 },
    { TENSIX_SETC16, 0x0004, 0x0020 },
    { TENSIX_STALLWAIT, 0x0004, 0x0020 },
    { TENSIX_RMWCIB0, 0x0004, 0x0020 },
    { TENSIX_SFPMAD, 0x0004, 0x0020 },
    { TENSIX_MVMUL, 0x0004, 0x0020 },
    { TENSIX_DMANOP, 0x0004, 0x0020 },
};

static void test_defaults(void **state) {
    (void)state;
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct ttsync s = { 0 };
        ttsync_init(&s);
        assert_int_equal(ttsync_of_word(&s, op(table[i].opcode), config_with(TRACK)), table[i].bank0);
        s.bank = 1;
        assert_int_equal(ttsync_of_word(&s, op(table[i].opcode), config_with(TRACK)), table[i].bank1);
        assert_int_equal(ttsync_of_word(&s, op(table[i].opcode), config_with(0x1F & ~TRACK)), 0);
    }
}

static void test_unpacker_parts(void **state) {
    struct ttsync s = { 0 };
    (void)state;
    ttsync_init(&s);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t word = op(i ? TENSIX_UNPACR_NOP : TENSIX_UNPACR);
        assert_int_equal(ttsync_of_word(&s, word, config_with(TRACK | SUBDIVIDED)), 0x8081);
        assert_int_equal(ttsync_of_word(&s, word | 1u << 23, config_with(TRACK | SUBDIVIDED)), 0x8082);
    }
    s.bank = 1;
    assert_int_equal(ttsync_of_word(&s, op(TENSIX_UNPACR) | 1u << 23, config_with(TRACK | SUBDIVIDED)), 0x8090);
    assert_int_equal(ttsync_of_word(&s, op(TENSIX_PACR) | 1u << 23, config_with(TRACK | SUBDIVIDED)), 0x80A0);
    /* A declaration counts for everything but the parts, and for them only without subdivision. */
    ttsync_declare(&s, tensix_encode_RESOURCEDECL((struct tensix_RESOURCEDECL){ .op_class = 11, .resources = 0x013 }));
    assert_int_equal(ttsync_of_word(&s, op(TENSIX_UNPACR), config_with(TRACK | SUBDIVIDED)), 0x0808);
    assert_int_equal(ttsync_of_word(&s, op(TENSIX_UNPACR), config_with(TRACK)), 0x2020);
}

/* One bit of a declaration at a time. */
static void test_declarations(void **state) {
    static const uint16_t single[9] = { 0, 0, 0, 0, 0, 0x0040, 0x4000, 0x0080, 0x8000 };
    struct ttsync s = { 0 };
    (void)state;
    ttsync_init(&s);
    for (unsigned class = 0; class < TTSYNC_CLASSES; class ++)
        for (unsigned bit = 0; bit < 9; bit++) {
            ttsync_declare(&s, op(TENSIX_RESOURCEDECL) | 1u << bit << 4 | class | 0x7FFu << 13);
            assert_int_equal(s.declared[class], 15u << 9 | 1u << bit);
            if (class == 15)
                assert_int_equal(ttsync_of_word(&s, op(TENSIX_SETC16), config_with(TRACK)), single[bit]);
        }
    for (unsigned part = 0; part < 3; part++) {
        ttsync_declare(&s, op(TENSIX_RESOURCEDECL) | (1u | 4u << part) << 4 | 15);
        assert_int_equal(ttsync_of_word(&s, op(TENSIX_SETC16), config_with(TRACK)), 1u << part);
        ttsync_declare(&s, op(TENSIX_RESOURCEDECL) | (2u | 4u << part) << 4 | 15);
        assert_int_equal(ttsync_of_word(&s, op(TENSIX_SETC16), config_with(TRACK)), 0x100u << part);
    }
}

/* A class lingers for a cycle unless declared otherwise; only four bits of the time count. */
static void test_linger_times(void **state) {
    static const uint8_t cycles[16] = { 0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4 };
    struct ttsync s = { 0 };
    (void)state;
    ttsync_init(&s);
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++)
        assert_int_equal(ttsync_linger_of_word(&s, op(table[i].opcode)), table[i].bank0 != 0);
    for (unsigned time = 0; time < 32; time++) {
        ttsync_declare(&s, op(TENSIX_RESOURCEDECL) | time << 13 | 8);
        assert_int_equal(ttsync_linger_of_word(&s, op(TENSIX_WRCFG)), time % 16);
        assert_int_equal(ttsync_linger_of_word(&s, op(TENSIX_RDCFG)), 1);
        assert_int_equal(ttsync_of_word(&s, op(TENSIX_WRCFG), config_with(TRACK)), 0);
        assert_int_equal(ttsync_lingers((uint16_t)(0xABC | time << 12)), cycles[time % 16]);
    }
}

/* Numbers of requests wrap around after 4096. */
static void test_numbers_wrap_around(void **state) {
    (void)state;
    for (unsigned number = 0; number < 0x10000; number += 61)
        for (unsigned linger = 0; linger < 16; linger += 5)
            for (int ahead = -40; ahead <= 40; ahead++) {
                uint16_t mark = (uint16_t)(((number + (unsigned)ahead) & 0xFFF) | linger << 12);
                assert_int_equal(ttsync_precedes((uint16_t)number, mark), ahead >= 0);
            }
}

static void test_needs_both_switches(void **state) {
    (void)state;
    for (unsigned bits = 0; bits < 32; bits++) {
        const uint16_t *config = config_with(bits);
        bool on = bits & TRACK;
        assert_int_equal(ttsync_of_gpr(config), on && (bits & TRACK_GPR) ? 0x40 : 0);
        assert_int_equal(ttsync_of_tdma(config), on && (bits & TRACK_TDMA) ? 0x80 : 0);
        assert_int_equal(ttsync_of_config(config, 0) != 0, on && (bits & TRACK_CONFIG));
    }
}

/* ---- Addresses ------------------------------------------------------------------------------------ */

static void test_whole_banks(void **state) {
    const uint16_t *config = config_with(TRACK | TRACK_CONFIG);
    (void)state;
    for (uint32_t i = 0; i < CONFIG_WORDS; i++) {
        assert_int_equal(ttsync_of_config(config, i * 4), i < 180 ? 0x07 : 0x3F);
        assert_int_equal(ttsync_of_config(config, CONFIG_AT_BANK1 + i * 4), i < 180 ? 0x38 : 0x3F);
        assert_int_equal(ttsync_of_config(config, CONFIG_AT_DUAL + i * 4), 0x3F);
    }
    for (uint32_t offset = CONFIG_AT_THREAD; offset < CONFIG_AT_END; offset += 4)
        assert_int_equal(ttsync_of_config(config, offset), 0x3F);
}

/* Every word of a bank that is not all of the rest, by number: 0 and 1 the unpackers. */
static const struct {
    uint8_t from, to, parts;
} parts[] = {
    { 44, 44, 1 }, { 45, 45, 3 }, { 46, 47, 2 },   { 48, 50, 7 },   { 51, 53, 1 },   { 58, 63, 2 },   { 64, 64, 1 },
    { 72, 87, 1 }, { 92, 95, 1 }, { 104, 105, 1 }, { 112, 112, 2 }, { 120, 121, 2 }, { 124, 125, 2 }, { 140, 141, 2 },
};

static unsigned expected_parts(unsigned word) {
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (word >= parts[i].from && word <= parts[i].to)
            return parts[i].parts;
    return 4;
}

static void test_parts(void **state) {
    const uint16_t *config = config_with(TRACK | TRACK_CONFIG | SUBDIVIDED);
    (void)state;
    for (uint32_t i = 0; i < CONFIG_WORDS; i++) {
        assert_int_equal(ttsync_of_config(config, i * 4), i < 180 ? expected_parts(i) : 0x24);
        assert_int_equal(ttsync_of_config(config, CONFIG_AT_BANK1 + i * 4), i < 180 ? expected_parts(i) << 3 : 0x24);
        assert_int_equal(ttsync_of_config(config, CONFIG_AT_DUAL + i * 4), 0x24);
    }
    for (uint32_t offset = CONFIG_AT_THREAD; offset < CONFIG_AT_END; offset += 4)
        assert_int_equal(ttsync_of_config(config, offset), offset == CONFIG_AT_THREAD + 4 ? 0x1B : 0x24);
}

/* By name: a field for each line of the table of AutoTTSync.md. Names end like the field's name. */
static void test_fields(void **state) {
    static const struct {
        const char *prefix;
        unsigned parts;
    } lines[] = {
        { "THCON_SEC0_REG0_TileDescriptor", 1 },
        { "THCON_SEC0_REG2_", 1 },
        { "THCON_SEC0_REG3_Base_", 1 },
        { "THCON_SEC0_REG4_Base_", 1 },
        { "THCON_SEC0_REG5_Dest_", 1 },
        { "THCON_SEC0_REG5_Tile_x_dim_", 1 },
        { "THCON_SEC0_REG7_Offset_", 1 },
        { "THCON_SEC0_REG7_Unpack_", 1 },
        { "THCON_SEC0_REG10_Unpack_", 1 },
        { "THCON_SEC1_REG0_TileDescriptor", 2 },
        { "THCON_SEC1_REG2_Unpack_fifo_size", 4 },
        { "THCON_SEC1_REG2_Unpack_limit_address", 4 },
        { "THCON_SEC1_REG2_", 2 },
        { "THCON_SEC1_REG3_Base_address", 2 },
        { "THCON_SEC1_REG3_Base_cntx1_", 2 },
        { "THCON_SEC1_REG3_Base_cntx", 4 },
        { "THCON_SEC1_REG4_", 4 },
        { "THCON_SEC1_REG5_", 4 },
        { "THCON_SEC1_REG7_Offset_address", 2 },
        { "THCON_SEC1_REG7_Offset_cntx1_", 2 },
        { "THCON_SEC1_REG7_Offset_cntx", 4 },
        { "THCON_SEC1_REG7_Unpack_data_format_cntx0", 2 },
        { "THCON_SEC1_REG7_Unpack_data_format_cntx1", 2 },
        { "THCON_SEC1_REG7_Unpack_data_format_cntx4", 2 },
        { "THCON_SEC1_REG7_Unpack_data_format_cntx5", 2 },
        { "THCON_SEC1_REG7_Unpack_data_format_cntx", 4 },
        { "THCON_SEC1_REG7_Unpack_out_data_format_cntx0", 2 },
        { "THCON_SEC1_REG7_Unpack_out_data_format_cntx1", 2 },
        { "THCON_SEC1_REG7_Unpack_out_data_format_cntx4", 2 },
        { "THCON_SEC1_REG7_Unpack_out_data_format_cntx5", 2 },
        { "THCON_SEC1_REG7_Unpack_out_data_format_cntx", 4 },
        { "UNP0_ADDR_BASE_REG_", 7 },
        { "UNP0_ADDR_CTRL_XY_REG_0_", 1 },
        { "UNP0_ADDR_CTRL_ZW_REG_0_", 3 },
        { "UNP0_ADDR_CTRL_XY_REG_1_", 4 },
        { "UNP0_ADDR_CTRL_ZW_REG_1_", 4 },
        { "UNP0_ADD_DEST_ADDR_CNTR_", 7 },
        { "UNP0_BLOBS_Y_START_", 1 },
        { "UNP0_FORCED_SHARED_EXP_", 7 },
        { "UNP0_NOP_REG_CLR_VAL_", 1 },
        { "UNP1_", 2 },
        { "", 4 },
    };
    const uint16_t *config = config_with(TRACK | TRACK_CONFIG | SUBDIVIDED);
    (void)state;
    for (unsigned i = 0; i < CONFIG_FIELD_COUNT; i++) {
        const struct config_field *field = &config_fields[i];
        unsigned line = 0;
        if (field->thread || field->word >= 180)
            continue;
        while (strncmp(field->name, lines[line].prefix, strlen(lines[line].prefix)) != 0)
            line++;
        if (ttsync_of_config(config, field->word * 4u) != lines[line].parts)
            fail_msg("%s: parts 0x%x instead of 0x%x", field->name, ttsync_of_config(config, field->word * 4u),
                     lines[line].parts);
    }
}

static void test_meets(void **state) {
    (void)state;
    assert_true(ttsync_meets(0x40, false, 0x4000));
    assert_false(ttsync_meets(0x40, false, 0x0040)); /* a load does not mind readers */
    assert_true(ttsync_meets(0x40, true, 0x0040));
    assert_true(ttsync_meets(0x40, true, 0x4000));
    assert_false(ttsync_meets(0x40, true, 0x8080));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),     cmocka_unit_test(test_unpacker_parts),
        cmocka_unit_test(test_declarations), cmocka_unit_test(test_needs_both_switches),
        cmocka_unit_test(test_linger_times), cmocka_unit_test(test_numbers_wrap_around),
        cmocka_unit_test(test_whole_banks),  cmocka_unit_test(test_parts),
        cmocka_unit_test(test_fields),       cmocka_unit_test(test_meets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
