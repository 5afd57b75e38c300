/* Tests of src/chip/arc.c and arc_message.c: what a driver reads and sends, as tt-umd does it. */
#include <string.h>

#include "chip/chip.h"
#include "support/chip.h"

static const struct bh_xy ARC = { 8, 0 };

#define APB         UINT64_C(0x80000000)
#define SCRATCH(i)  (APB + 0x30060 + 4 * (i))
#define REFCLK_LOW  (APB + 0x300E0)
#define REFCLK_HIGH (APB + 0x300E4)
#define DOORBELL    (APB + 0x30100)
#define RAM(i)      (APB + 0x30400 + 4 * (i))
#define MSI_FIFO    (APB + 0xB0000)

static uint32_t get(bh_chip *chip, uint64_t address) {
    return read_word(chip, ARC, address);
}

static void put(bh_chip *chip, uint64_t address, uint32_t value) {
    put_word(chip, ARC, address, value);
}

static void assert_refused(bh_chip *chip, bool write, uint64_t address, uint32_t value, bh_status status,
                           const char *text) {
    bh_status got = write ? bh_write(chip, ARC, address, &value, 4) : bh_read(chip, ARC, address, &value, 4);
    assert_refusal(chip, got, status, text);
}

/* ---- Registers and memory ------------------------------------------------------------------- */

static void firmware_has_started(void **state) {
    bh_chip *chip = *state;
    assert_int_equal(get(chip, RAM(2)) & 7, 5);
    assert_int_equal(get(chip, RAM(4)), 0); /* no error */
    assert_int_equal(get(chip, SCRATCH(0)) >> 16, 0xC0DE);
}

static void registers_keep_values(void **state) {
    bh_chip *chip = *state;
    for (uint32_t i = 1; i < 8; i++)
        put(chip, SCRATCH(i), 0x100 + i);
    for (uint32_t i = 14; i < 64; i++)
        put(chip, RAM(i), 0x200 + i);
    for (uint32_t i = 1; i < 8; i++)
        assert_int_equal(get(chip, SCRATCH(i)), 0x100 + i);
    for (uint32_t i = 14; i < 64; i++)
        assert_int_equal(get(chip, RAM(i)), 0x200 + i);
}

static void csm_is_memory(void **state) {
    bh_chip *chip = *state;
    uint8_t out[33], in[33];
    for (unsigned i = 0; i < sizeof out; i++)
        out[i] = (uint8_t)(i * 7 + 1);
    assert_int_equal(bh_write(chip, ARC, 0x1007FFDF, out, sizeof out), BH_OK); /* up to the last byte */
    assert_int_equal(bh_read(chip, ARC, 0x1007FFDF, in, sizeof in), BH_OK);
    assert_memory_equal(in, out, sizeof out);
    assert_int_equal(bh_write(chip, ARC, 0x1007FFE0, out, sizeof out), BH_ERR_UNMODELLED);
    bh_reset(chip);
    assert_int_equal(get(chip, 0x1007FFE0), 0);
    assert_int_equal(get(chip, RAM(2)) & 7, 5);
}

static void what_is_not_there_says_so(void **state) {
    bh_chip *chip = *state;
    assert_refused(chip, false, APB + 0x30000, 0, BH_ERR_UNMODELLED, "0x80030000 (4 bytes) in ARC tile (8,0)");
    assert_refused(chip, true, APB + 0x30000, 1, BH_ERR_UNMODELLED, "0x80030000");
    assert_refused(chip, false, APB + 0x30080, 0, BH_ERR_UNMODELLED, "0x80030080"); /* behind SCRATCH */
    assert_refused(chip, false, APB + 0x30500, 0, BH_ERR_UNMODELLED, "0x80030500"); /* behind SCRATCH_RAM */
    assert_refused(chip, false, 0x20000000, 0, BH_ERR_UNMODELLED, "0x20000000");
    assert_refused(chip, false, 0x1007FFFE, 0, BH_ERR_UNMODELLED, "0x1007fffe");
    assert_refused(chip, false, RAM(2) + 2, 0, BH_ERR_ALIGNMENT, "aligned 32-bit words");
    assert_refused(chip, true, REFCLK_LOW, 0, BH_ERR_ADDRESS, "read-only");
    assert_refused(chip, true, DOORBELL, 0x10, BH_ERR_UNMODELLED, "halted");
    assert_refused(chip, true, DOORBELL, 0x20000, BH_ERR_UNMODELLED, "bit 16");
    assert_refused(chip, false, MSI_FIFO, 0, BH_ERR_ADDRESS, "empty");
    assert_int_equal(get(chip, MSI_FIFO + 8), 1);
    assert_int_equal(get(chip, MSI_FIFO + 4), 0);
}

static void niu_is_among_the_registers(void **state) {
    bh_chip *chip = *state;
    assert_int_equal(get(chip, APB + 0x50044), 0x10611008);
    assert_int_equal(get(chip, APB + 0x50100) >> 14 & 1, 1);
    assert_int_equal(get(chip, APB + 0x58044), 0x006112C8);
}

/* ---- Telemetry --------------------------------------------------------------------------------- */

/* Reads the table as drivers do; false if the tag is not in it. */
static bool find_tag(bh_chip *chip, unsigned tag, uint32_t *value) {
    uint32_t table = get(chip, RAM(13)), values = get(chip, RAM(12));
    uint32_t count = get(chip, table + 4);
    assert_true(count > 0 && count < 64);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t entry = get(chip, table + 8 + 4 * i);
        if ((entry & 0xFFFF) == tag) {
            *value = get(chip, values + 4 * (entry >> 16));
            return true;
        }
    }
    return false;
}

static uint32_t tag_value(bh_chip *chip, unsigned tag) {
    uint32_t value;
    if (!find_tag(chip, tag, &value))
        fail_msg("no tag %u", tag);
    return value;
}

struct expected_tag {
    unsigned tag;
    uint32_t p150, p100a;
};

/* The boards as topology_defaults harvests them. */
static void telemetry_describes_the_board(void **state) {
    static const struct expected_tag expected[] = {
        { 1, 0x400, 0x430 }, /* P150A, P100A */
        { 2, 1, 1 },
        { 3, 1, 1 },
        { 11, 40u << 16, 40u << 16 },
        { 14, 800, 800 },
        { 21, 0xFFF, 0 },
        { 22, 0x5555, 0x5515 },
        { 28, 0x120C0000, 0x120C0000 },
        { 34, 0x3FFF, 0x3F3F },
        { 35, 0xFFF, 0 },
        { 36, 0xFF, 0xF7 },
        { 37, 0xF, 0xF },
        { 38, 1, 4 },
        { 40, 1, 1 },
        { 52, 0, 0 },
        { 61, 0, 0 },
        { 62, 1, 1 },
        { 63, 1350, 1350 },
    };
    bh_chip *p100a = make_board(BH_BOARD_P100A);
    for (unsigned i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(tag_value(*state, expected[i].tag), expected[i].p150);
        assert_int_equal(tag_value(p100a, expected[i].tag), expected[i].p100a);
    }
    uint32_t value;
    assert_false(find_tag(p100a, 6, &value)); /* a voltage that nothing here could know */
    bh_destroy(p100a);
}

/* The masks, as tt-umd reads them, give the chip's own topology. */
static void masks_agree_with_the_topology(void **state) {
    (void)state;
    struct bh_config config;
    bh_config_init(&config);
    config.tensix_harvest = 0x2081;
    config.eth_harvest = 0x3003;
    config.dram_harvest = 0x40;
    bh_chip *chip = make_configured(&config);
    uint32_t eth = tag_value(chip, 35), dram = tag_value(chip, 36);
    unsigned columns = 0;
    for (unsigned i = 0; i < TOPOLOGY_SITES; i++) {
        const struct bh_tile_info *info = &chip->topology.site[i];
        if (info->kind == BH_TILE_ETH)
            assert_int_equal(eth >> info->index & 1, !info->harvested);
        if (info->kind == BH_TILE_DRAM)
            assert_int_equal(dram >> info->index & 1, !info->harvested);
        columns += info->kind == BH_TILE_TENSIX && info->noc0.y == 2 && !info->harvested;
    }
    assert_int_equal(__builtin_popcount(tag_value(chip, 34)), columns);
    assert_int_equal(tag_value(chip, 34), 0x3FFF & ~0x2081);
    bh_destroy(chip);
}

/* ---- Time ----------------------------------------------------------------------------------------- */

static uint64_t refclk(bh_chip *chip) {
    return get(chip, REFCLK_LOW) | (uint64_t)get(chip, REFCLK_HIGH) << 32;
}

static void clocks_follow_chip_time(void **state) {
    bh_chip *chip = *state;
    assert_true(refclk(chip) == 0);
    bh_run(chip, 800000, 0, NULL); /* a millisecond */
    assert_true(refclk(chip) == 50000);
    assert_int_equal(tag_value(chip, 32), 1);
    bh_run(chip, UINT64_C(80000000), 0, NULL); /* a tenth of a second */
    assert_int_equal(tag_value(chip, 32), 2);
    bh_run(chip, UINT64_C(800000000) * 100, 0, NULL); /* 100 s: past 32 bits */
    assert_true(refclk(chip) == 50000 + 5000000 + UINT64_C(5000000000));
    assert_int_equal(tag_value(chip, 32), 1002);
}

/* ---- Messages -------------------------------------------------------------------------------------- */

static uint32_t queue_base(bh_chip *chip, unsigned queue, uint32_t *entries) {
    uint32_t block = get(chip, RAM(11));
    uint32_t info = get(chip, block + 4);
    *entries = info & 0xFF;
    assert_true(queue < (info >> 8 & 0xFF));
    return get(chip, block) + queue * (32 + 2 * *entries * 32);
}

/* Puts a request into the queue, without ringing. */
static void push(bh_chip *chip, unsigned queue, uint32_t code, uint32_t argument) {
    uint32_t entries, base = queue_base(chip, queue, &entries);
    uint32_t request[8] = { code, argument };
    uint32_t at = get(chip, base);
    assert_int_equal(bh_write(chip, ARC, base + 32 + at % entries * 32, request, sizeof request), BH_OK);
    put(chip, base, (at + 1) % (2 * entries));
}

/* False if there is no response. */
static bool pop(bh_chip *chip, unsigned queue, uint32_t response[8]) {
    uint32_t entries, base = queue_base(chip, queue, &entries);
    uint32_t at = get(chip, base + 4);
    if (at == get(chip, base + 0x14))
        return false;
    assert_int_equal(bh_read(chip, ARC, base + 32 + (entries + at % entries) * 32, response, 32), BH_OK);
    put(chip, base + 4, (at + 1) % (2 * entries));
    return true;
}

static uint32_t send(bh_chip *chip, unsigned queue, uint32_t code, uint32_t argument, uint32_t response[8]) {
    push(chip, queue, code, argument);
    put(chip, DOORBELL, 1 << 16);
    assert_int_equal(get(chip, DOORBELL), 0);
    if (!pop(chip, queue, response))
        fail_msg("no response to 0x%x", code);
    uint32_t more[8];
    assert_false(pop(chip, queue, more));
    return response[0];
}

static void test_message_adds_one(void **state) {
    bh_chip *chip = *state;
    uint32_t response[8];
    for (uint32_t i = 0; i < 40; i++) { /* twice round the pointers, in every queue */
        assert_int_equal(send(chip, i % 4, 0x90, 0xFFFFFFF0 + i, response), 0);
        assert_int_equal(response[1], 0xFFFFFFF1 + i);
        assert_int_equal(response[2], i / 4 + 1); /* how many this queue has served */
    }
    assert_int_equal(send(chip, 3, 0xBE, 100, response), 0);
    send(chip, 3, 0x90, 0, response);
    assert_int_equal(response[2], 101);
}

static void nop_does_nothing(void **state) {
    bh_chip *chip = *state;
    uint32_t response[8];
    uint64_t before = refclk(chip);
    assert_int_equal(send(chip, 3, 0x11, 7, response), 0);
    for (unsigned i = 1; i < 8; i++)
        assert_int_equal(response[i], 0);
    assert_true(refclk(chip) == before);
    assert_int_equal(send(chip, 3, 0xA3, 0, response), 0);
    assert_int_equal(send(chip, 3, 0xA0, 0, response), 0);
    assert_int_equal(send(chip, 3, 0xC1, 5000, response), 0);
}

static void unknown_codes_are_told(void **state) {
    uint32_t response[8];
    static const uint8_t known[] = { 0x11, 0x16, 0x21, 0x33, 0x34, 0x52, 0x54, 0x90, 0xA0, 0xA3, 0xBE, 0xC1 };
    for (uint32_t code = 0; code < 256; code++)
        if (!memchr(known, (int)code, sizeof known))
            assert_int_equal(send(*state, 0, code, 0, response) & 0xFF, 0xFF);
    assert_int_equal(send(*state, 0, 0x16, 0, response), 0xFE);
}

static void the_clock_goes_busy_and_idle(void **state) {
    bh_chip *chip = *state;
    uint32_t response[8];
    assert_int_equal(send(chip, 3, 0x52, 0, response), 0);
    assert_int_equal(tag_value(chip, 14), 1350);
    bh_run(chip, 1350000, 0, NULL);
    assert_true(refclk(chip) == 50000); /* cycles are shorter now */
    send(chip, 3, 0x34, 0, response);
    assert_int_equal(response[1], 1350);
    assert_int_equal(response[2], 3);
    assert_int_equal(send(chip, 3, 0x54, 0, response), 0);
    assert_int_equal(tag_value(chip, 14), 800);
    bh_run(chip, 800000, 0, NULL);
    assert_true(refclk(chip) == 100000);
    assert_int_equal(send(chip, 3, 0x33, 1000, response), 0);
    assert_int_equal(send(chip, 3, 0x33, 1401, response), 1);
    assert_int_equal(tag_value(chip, 14), 1000);
    send(chip, 3, 0x34, 0, response);
    assert_int_equal(response[2], 2);
    assert_int_equal(send(chip, 3, 0x33, 0, response), 0);
    assert_int_equal(tag_value(chip, 14), 800);
}

/* Drivers ask for the highest clock while a program uses the chip. */
static void power_settings_change_the_clock(void **state) {
    enum { SETTING = 0x21, FLAGS = 4 << 8, HIGHEST = 1 << 16, OTHERS = 0xE << 16 };
    bh_chip *chip = *state;
    uint32_t response[8];
    assert_int_equal(send(chip, 3, SETTING | FLAGS | HIGHEST | OTHERS, 0, response), 0);
    assert_int_equal(tag_value(chip, 14), 1350);
    assert_int_equal(send(chip, 3, SETTING, 0, response), 0); /* no flag is valid */
    assert_int_equal(tag_value(chip, 14), 1350);
    assert_int_equal(send(chip, 3, SETTING | FLAGS | OTHERS, 0, response), 0);
    assert_int_equal(tag_value(chip, 14), 800);
}

/* One doorbell serves all queues; a full response queue holds its requests back. */
static void queues_fill_and_drain(void **state) {
    bh_chip *chip = *state;
    uint32_t response[8], entries;
    queue_base(chip, 0, &entries);
    for (uint32_t i = 0; i < entries; i++)
        push(chip, 1, 0x90, i);
    push(chip, 2, 0x90, 77);
    put(chip, MSI_FIFO, 5); /* not the number of the queues */
    assert_false(pop(chip, 2, response));
    put(chip, MSI_FIFO, 0);
    assert_true(pop(chip, 2, response));
    assert_int_equal(response[1], 78);
    push(chip, 1, 0x90, 100); /* requests have room again, responses not */
    put(chip, DOORBELL, 1 << 16);
    for (uint32_t i = 0; i < entries; i++) {
        assert_true(pop(chip, 1, response));
        assert_int_equal(response[1], i + 1);
    }
    assert_false(pop(chip, 1, response));
    put(chip, DOORBELL, 1 << 16);
    assert_true(pop(chip, 1, response));
    assert_int_equal(response[1], 101);
}

static void senseless_queues_are_refused(void **state) {
    bh_chip *chip = *state;
    uint32_t entries, base = queue_base(chip, 1, &entries);
    put(chip, base, 2 * entries);
    assert_refused(chip, true, DOORBELL, 1 << 16, BH_ERR_ADDRESS, "pointer");
    put(chip, base, entries + 1);
    assert_refused(chip, true, DOORBELL, 1 << 16, BH_ERR_ADDRESS, "more requests");
    put(chip, base, 0);
    put(chip, DOORBELL, 1 << 16);
}

/* ---- The host's direct way ---------------------------------------------------------------------------- */

static void p100a_has_a_direct_way(void **state) {
    (void)state;
    bh_chip *chip = make_board(BH_BOARD_P100A);
    uint32_t value = 0;
    assert_int_equal(bh_bar_read(chip, 0, 0x1FF30408, &value, 4), BH_OK);
    assert_int_equal(value & 7, 5);
    value = 0x1234;
    assert_int_equal(bh_bar_write(chip, 0, 0x1FEFFFFC, &value, 4), BH_OK);
    assert_int_equal(get(chip, 0x1007FFFC), 0x1234);
    assert_int_equal(bh_bar_read(chip, 0, 0x1FF50044, &value, 4), BH_OK); /* NIU 0 */
    assert_int_equal(value, 0x10611008);
    assert_int_equal(bh_bar_read(chip, 0, 0x1FE7FFFC, &value, 4), BH_ERR_ADDRESS);
    assert_int_equal(bh_bar_read(chip, 0, 0x1FF00000, &value, 4), BH_ERR_UNMODELLED);
    bh_destroy(chip);
}

static void p150_has_none(void **state) {
    uint32_t value;
    assert_int_equal(bh_bar_read(*state, 0, 0x1FF30408, &value, 4), BH_ERR_ADDRESS);
    assert_non_null(strstr(bh_message(*state), "no wires to ARC"));
    assert_int_equal(bh_bar_read(*state, 0, 0x1FE80000, &value, 4), BH_ERR_ADDRESS);
}

/* ---- State ---------------------------------------------------------------------------------------------- */

static void the_hash_sees_arc(void **state) {
    bh_chip *chip = *state;
    uint64_t fresh = bh_state_hash(chip);
    uint32_t response[8];
    get(chip, RAM(12));
    tag_value(chip, 32);
    assert_true(bh_state_hash(chip) == fresh); /* reading changes nothing */
    put(chip, 0x10012340, 1);
    uint64_t csm = bh_state_hash(chip);
    assert_true(csm != fresh);
    put(chip, RAM(20), 1);
    assert_true(bh_state_hash(chip) != csm);
    send(chip, 3, 0x52, 0, response);
    bh_reset(chip);
    assert_true(bh_state_hash(chip) == fresh);
}

static void poke_sets_scratch(void **state) {
    bh_chip *chip = *state;
    uint32_t value = 99;
    assert_int_equal(bh_poke(chip, ARC, RAM(5), &value, 4), BH_OK);
    assert_int_equal(get(chip, RAM(5)), 99);
    assert_int_equal(bh_poke(chip, ARC, DOORBELL, &value, 4), BH_ERR_UNMODELLED);
    assert_int_equal(bh_peek(chip, ARC, RAM(2), &value, 4), BH_OK);
    assert_int_equal(value, 5);
}

int main(void) {
#define EACH(name) cmocka_unit_test_setup_teardown(name, setup_chip, teardown_chip)
    const struct CMUnitTest tests[] = {
        EACH(firmware_has_started),
        EACH(registers_keep_values),
        EACH(csm_is_memory),
        EACH(what_is_not_there_says_so),
        EACH(niu_is_among_the_registers),
        EACH(telemetry_describes_the_board),
        cmocka_unit_test(masks_agree_with_the_topology),
        EACH(clocks_follow_chip_time),
        EACH(test_message_adds_one),
        EACH(nop_does_nothing),
        EACH(unknown_codes_are_told),
        EACH(the_clock_goes_busy_and_idle),
        EACH(power_settings_change_the_clock),
        EACH(queues_fill_and_drain),
        EACH(senseless_queues_are_refused),
        cmocka_unit_test(p100a_has_a_direct_way),
        EACH(p150_has_none),
        EACH(the_hash_sees_arc),
        EACH(poke_sets_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
