/* Pointers that are NULL: where one is needed, the call is refused with a message that names it, and a chip that is
 * NULL is refused everywhere. Nothing is written, and the chip goes on as before. */
#include "support/chip.h"

static const struct bh_xy tile = { 1, 2 };

/* ---- Arguments -------------------------------------------------------------------------------------------------- */

/* Refused, and the message names the pointer. */
#define NEEDS(chip, name, call) assert_refusal(chip, call, BH_ERR_ARGUMENT, name " is NULL")

static void places_for_answers(void **state) {
    bh_chip *chip = *state;
    NEEDS(chip, "info", bh_tile_at(chip, 0, NULL));
    NEEDS(chip, "info", bh_tile_find(chip, tile, NULL));
    NEEDS(chip, "info", bh_core_query(chip, tile, BH_BRISC, NULL));
    NEEDS(chip, "value", bh_core_get(chip, tile, BH_BRISC, BH_REG_PC, NULL));
    NEEDS(chip, "fault", bh_core_fault(chip, tile, BH_BRISC, NULL));
    NEEDS(chip, "row", bh_coverage_at(chip, 0, NULL));
    NEEDS(chip, "info", bh_thread_query(chip, tile, 0, NULL));
    NEEDS(chip, "fault", bh_thread_fault(chip, tile, 0, NULL));
    NEEDS(chip, "value", bh_gpr_get(chip, tile, 0, 0, NULL));
    NEEDS(chip, "value", bh_tensix_config_get(chip, tile, 0, 0, NULL));
    NEEDS(chip, "value", bh_thread_config_get(chip, tile, 0, 0, NULL));
    NEEDS(chip, "value", bh_dst_get(chip, tile, 0, 0, NULL));
    NEEDS(chip, "value", bh_lreg_get(chip, tile, 0, 0, NULL));
    NEEDS(chip, "value", bh_semaphore_get(chip, tile, 0, NULL, NULL));
    NEEDS(chip, "value", bh_pci_config_read(chip, 0, NULL));
    NEEDS(chip, "data", bh_core_peek(chip, tile, BH_BRISC, 0, NULL, 4));
    NEEDS(chip, "data", bh_core_poke(chip, tile, BH_BRISC, 0, NULL, 4));
    NEEDS(chip, "snapshot", bh_snapshot_take(chip, NULL));
    NEEDS(chip, "snapshot", bh_snapshot_restore(chip, NULL));
    NEEDS(chip, "hazard", bh_hazard_at(chip, 0, NULL));
    NEEDS(chip, "delay", bh_delay_at(chip, 0, NULL));
    NEEDS(chip, "firmware", bh_check_firmware(chip, NULL));
    NEEDS(chip, "name", bh_check_buffer(chip, tile, NULL, 0));
}

static void places_for_statistics(void **state) {
    bh_chip *chip = *state;
    assert_int_equal(bh_observe(chip, BH_WATCH_STATS | BH_WATCH_PROFILE, NULL, NULL), BH_OK);
    NEEDS(chip, "stats", bh_stats_get(chip, tile, BH_TRACK_BRISC, NULL));
    NEEDS(chip, "stall", bh_stall_at(chip, tile, BH_TRACK_BRISC, 0, NULL));
    NEEDS(chip, "mix", bh_mix_at(chip, tile, BH_TRACK_BRISC, 0, NULL));
    NEEDS(chip, "row", bh_profile_from(chip, tile, BH_BRISC, 0, NULL));
    NEEDS(chip, "stats", bh_endpoint_stats(chip, NULL));
    assert_int_equal(bh_isa_at(0, NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_isa_config_at(0, NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_region_at(0, NULL), BH_ERR_ARGUMENT);
}

static void data(void **state) {
    bh_chip *chip = *state;
    uint64_t before = bh_state_hash(chip);
    NEEDS(chip, "data", bh_read(chip, tile, 0, NULL, 4));
    NEEDS(chip, "data", bh_write(chip, tile, 0, NULL, 4));
    NEEDS(chip, "data", bh_peek(chip, tile, 0, NULL, 4));
    NEEDS(chip, "data", bh_poke(chip, tile, 0, NULL, 4));
    NEEDS(chip, "data", bh_load_raw(chip, tile, BH_BRISC, 0, NULL, 4));
    NEEDS(chip, "image", bh_load_elf(chip, tile, BH_BRISC, NULL, 100, NULL));
    NEEDS(chip, "data", bh_bar_read(chip, 0, 0x1FC00000, NULL, 4));
    NEEDS(chip, "data", bh_bar_write(chip, 0, 0x1FC00000, NULL, 4));
    NEEDS(chip, "data", bh_pci_read(chip, 0x1FC00000, NULL, 4));
    NEEDS(chip, "data", bh_pci_write(chip, 0x1FC00000, NULL, 4));
    assert_true(bh_state_hash(chip) == before);
}

/* Nothing is read or written through a pointer to no bytes. */
static void no_bytes_need_no_place(void **state) {
    bh_chip *chip = *state;
    assert_int_equal(bh_read(chip, tile, 0, NULL, 0), BH_OK);
    assert_int_equal(bh_write(chip, tile, 0, NULL, 0), BH_OK);
    assert_int_equal(bh_peek(chip, tile, 0xFFB12000, NULL, 0), BH_OK);
    assert_int_equal(bh_bar_read(chip, 0, 0x1FC00000, NULL, 0), BH_OK);
    assert_int_equal(bh_bar_write(chip, 0, 0x1FC00000, NULL, 0), BH_OK);
    assert_int_equal(bh_bar_write(chip, 2, 0, NULL, 0), BH_OK);
}

/* ---- Chips ------------------------------------------------------------------------------------------------------- */

static void configurations(void **state) {
    struct bh_config config;
    bh_chip *chip = *state;
    char message[40] = "";
    bh_config_init(&config);
    assert_int_equal(bh_create(NULL, &chip, message, sizeof message), BH_ERR_ARGUMENT);
    assert_string_equal(message, "config is NULL");
    assert_null(chip);
    assert_int_equal(bh_create(&config, NULL, message, sizeof message), BH_ERR_ARGUMENT);
    assert_string_equal(message, "chip is NULL");
    assert_int_equal(bh_create(NULL, NULL, NULL, 0), BH_ERR_ARGUMENT);
    bh_config_init(NULL);
    assert_int_equal(bh_saved_config(NULL, &config, message, sizeof message), BH_ERR_ARGUMENT);
    assert_string_equal(message, "path is NULL");
    assert_int_equal(bh_saved_config("saved.chip", NULL, message, sizeof message), BH_ERR_ARGUMENT);
    assert_string_equal(message, "config is NULL");
}

/* Without a place for a text only its length is told, whatever the size. */
static void texts_without_a_place(void **state) {
    const uint32_t wait[] = { 0xFFEC12B7, 0x0002A303, 0x00100073 }; /* reads a mailbox that no core fills */
    const struct bh_delay delay = { .tile = tile, .number = 5, .cycles = 40 };
    bh_chip *chip = *state;
    assert_int_equal(bh_load_raw(chip, tile, BH_BRISC, 0, wait, sizeof wait), BH_OK);
    assert_int_equal(bh_release(chip, tile, 1u << BH_BRISC), BH_OK);
    assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
    assert_true(bh_report(chip, NULL, 0) > 0);
    assert_int_equal(bh_report(chip, NULL, 10), bh_report(chip, NULL, 0));
    assert_int_equal(bh_disassemble(0, 0, NULL, 10), bh_disassemble(0, 0, NULL, 0));
    assert_int_equal(bh_disassemble(0, 0x13, NULL, 10), bh_disassemble(0, 0x13, NULL, 0));
    assert_int_equal(bh_delay_text(&delay, NULL, 10), bh_delay_text(&delay, NULL, 0));
}

static void no_chip(void **state) {
    uint32_t value = 0;
    struct bh_tile_info info;
    (void)state;
    assert_int_equal(bh_tile_at(NULL, 0, &info), BH_ERR_ARGUMENT);
    assert_int_equal(bh_tile_find(NULL, tile, &info), BH_ERR_ARGUMENT);
    assert_int_equal(bh_read(NULL, tile, 0, &value, sizeof value), BH_ERR_ARGUMENT);
    assert_int_equal(bh_poke(NULL, tile, 0, &value, sizeof value), BH_ERR_ARGUMENT);
    assert_int_equal(bh_load_raw(NULL, tile, BH_BRISC, 0, &value, sizeof value), BH_ERR_ARGUMENT);
    assert_int_equal(bh_release(NULL, tile, 1), BH_ERR_ARGUMENT);
    assert_int_equal(bh_hold(NULL, tile, 1), BH_ERR_ARGUMENT);
    assert_int_equal(bh_run(NULL, 100, 0, NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_core_set(NULL, tile, BH_BRISC, 1, 1), BH_ERR_ARGUMENT);
    assert_int_equal(bh_core_resume(NULL, tile, BH_BRISC), BH_ERR_ARGUMENT);
    assert_int_equal(bh_gpr_set(NULL, tile, 0, 0, 1), BH_ERR_ARGUMENT);
    assert_int_equal(bh_observe(NULL, 0, NULL, NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_debug(NULL, NULL, NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_debug_at(NULL, 0), BH_ERR_ARGUMENT);
    assert_int_equal(bh_step(NULL, tile, 1), BH_ERR_ARGUMENT);
    assert_int_equal(bh_breakpoint(NULL, tile, 1, 0, true), BH_ERR_ARGUMENT);
    assert_int_equal(bh_watchpoint(NULL, tile, BH_BRISC, 0, 4, BH_ACCESS_READ, true), BH_ERR_ARGUMENT);
    assert_int_equal(bh_watchpoint(NULL, tile, BH_CORE_COUNT, 0, 4, BH_ACCESS_READ, true), BH_ERR_ARGUMENT);
    assert_int_equal(bh_core_peek(NULL, tile, BH_BRISC, 0, &value, sizeof value), BH_ERR_ARGUMENT);
    assert_int_equal(bh_core_poke(NULL, tile, BH_BRISC, 0, &value, sizeof value), BH_ERR_ARGUMENT);
    assert_int_equal(bh_snapshot_take(NULL, NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_snapshot_restore(NULL, NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_observe_flush(NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_pci_config_write(NULL, 0, 0), BH_ERR_ARGUMENT);
    assert_int_equal(bh_pci_write(NULL, 0, &value, sizeof value), BH_ERR_ARGUMENT);
}

static void questions_about_no_chip(void **state) {
    char text[8] = "before";
    (void)state;
    assert_string_equal(bh_message(NULL), "");
    assert_int_equal(bh_cycle(NULL), 0);
    assert_int_equal(bh_state_hash(NULL), 0);
    assert_false(bh_unsettled(NULL));
    assert_false(bh_commanded(NULL));
    assert_false(bh_deadlocked(NULL));
    assert_int_equal(bh_asleep(NULL, (struct bh_xy){ 1, 2 }), 0);
    assert_true(bh_epoch(NULL) > 0);
    assert_int_equal(bh_report(NULL, text, sizeof text), 0);
    assert_string_equal(text, "");
    bh_reset(NULL);
    bh_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(places_for_answers, setup_chip, teardown_chip),
        cmocka_unit_test_setup_teardown(places_for_statistics, setup_chip, teardown_chip),
        cmocka_unit_test_setup_teardown(data, setup_chip, teardown_chip),
        cmocka_unit_test_setup_teardown(no_bytes_need_no_place, setup_chip, teardown_chip),
        cmocka_unit_test_setup_teardown(texts_without_a_place, setup_chip, teardown_chip),
        cmocka_unit_test(configurations),
        cmocka_unit_test(no_chip),
        cmocka_unit_test(questions_about_no_chip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
