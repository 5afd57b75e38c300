/* Packets between tiles: what arrives, when, and what becomes of what cannot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "chip/chip.h"
#include "support/noc_script.h"

enum { LIST = 0x20000, DATA = 0x40000 };

static const struct bh_xy here = { 1, 2 }, there = { 2, 2 };

static bh_chip *make(unsigned skew, unsigned epoch) {
    struct bh_config config;
    bh_chip *chip;
    bh_config_init(&config);
    config.threads = 1;
    config.skew = skew;
    config.epoch = epoch;
    assert_int_equal(bh_create(&config, &chip, NULL, 0), BH_OK);
    return chip;
}

static void put(bh_chip *chip, struct bh_xy tile, uint64_t address, const void *data, size_t size) {
    assert_int_equal(bh_write(chip, tile, address, data, size), BH_OK);
}

static uint32_t word_at(const bh_chip *chip, struct bh_xy tile, uint64_t address) {
    uint32_t value;
    assert_int_equal(bh_peek(chip, tile, address, &value, sizeof value), BH_OK);
    return value;
}

/* Lets BRISC of a tile do what a script says. */
static void start(bh_chip *chip, struct bh_xy tile, struct script *script) {
    uint32_t program[SCRIPT_PROGRAM];
    script_put(script, SCRIPT_STOP, 0, 0);
    script_program(program, LIST);
    put(chip, tile, 0, program, sizeof program);
    put(chip, tile, LIST, script->word, script->count * 4);
    assert_int_equal(bh_release(chip, tile, 1u << BH_BRISC), BH_OK);
    script_free(script);
}

static void run(bh_chip *chip) {
    struct bh_stop stop;
    assert_int_equal(bh_run(chip, 1000000, BH_RUN_STOP_ON_IDLE | BH_RUN_STOP_ON_FAULT, &stop), BH_OK);
    if (stop.reason == BH_STOP_FAULT)
        fail_msg("%s", stop.fault.text);
    assert_int_equal(stop.reason, BH_STOP_IDLE);
}

static uint32_t xy(struct bh_xy at) {
    return script_xy(at.x, at.y);
}

static struct script_request write_to(struct bh_xy from, uint32_t source, struct bh_xy to, uint32_t address,
                                      uint32_t length) {
    return (struct script_request){
        .targ_lo = source,
        .targ_hi = xy(from),
        .ret_lo = address,
        .ret_hi = xy(to),
        .ctrl = SCRIPT_WRITE | SCRIPT_MARKED | SCRIPT_STATIC_VC | 1 << 13,
        .len = length,
    };
}

static void a_write_arrives_and_is_acknowledged(void **state) {
    (void)state;
    bh_chip *chip = make(128, 0);
    struct script script = { 0 };
    uint32_t data[64];
    for (unsigned i = 0; i < 64; i++)
        data[i] = 0x1000 + i;
    put(chip, here, DATA, data, sizeof data);
    struct script_request request = write_to(here, DATA, there, DATA + 0x1000, sizeof data);
    script_request(&script, 0, 0, &request);
    script_put(&script, SCRIPT_WAIT, script_counter(0, NIU_WR_ACK_RECEIVED), 1);
    script_put(&script, SCRIPT_STORE, 0x100, 77);
    start(chip, here, &script);
    run(chip);
    assert_int_equal(word_at(chip, here, 0x100), 77);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(word_at(chip, there, DATA + 0x1000 + 4 * i), 0x1000 + i);
    assert_int_equal(word_at(chip, there, script_counter(0, NIU_SLV_WR_ACK_SENT)), 1);
    bh_destroy(chip);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_arrives_and_is_acknowledged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
