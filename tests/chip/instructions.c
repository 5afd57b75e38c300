/* Records of executed instructions: BH_WATCH_INSTRUCTIONS (src/riscv/note.c, src/chip/observe.c). */
#include <stdlib.h>
#include <string.h>

#include "isa/tensix.h"
#include "support/chip.h"
#include "support/noc_soak.h"
#include "support/rv.h"

#define TT(name, ...) tensix_to_stream(tensix_encode_##name((struct tensix_##name){ __VA_ARGS__ }))

enum { EBREAK = 0x00100073, WATCH = BH_WATCH_EVENTS | BH_WATCH_INSTRUCTIONS, MOST = 4000 };

static const struct bh_xy TILE = { 1, 2 };

/* ---- What was heard ------------------------------------------------------------------------------------------- */

struct heard {
    struct bh_event event[MOST];
    struct bh_instruction instruction[MOST];
    size_t count, instructions;
    uint64_t digest;
    uint8_t vector[16]; /* the last one that has changed */
};

static uint64_t mixed(uint64_t sum, uint64_t value) {
    return (sum ^ value) * UINT64_C(0x9E3779B97F4A7C15) + (sum >> 7);
}

static void hear(void *user, const struct bh_event *e) {
    struct heard *heard = user;
    const struct bh_instruction *i = e->instruction;
    assert_int_equal(e->kind == BH_EVENT_INSTRUCTION, i != NULL);
    heard->digest = mixed(mixed(mixed(heard->digest, e->start), e->end), e->pc + e->tile.x + e->tile.y * 32u);
    if (i) {
        heard->digest = mixed(mixed(heard->digest, i->number + i->issued), i->done + i->waited);
        heard->digest = mixed(mixed(heard->digest, i->address + i->value), i->stored + i->csr_value);
        heard->instructions++;
        if (i->vectors)
            memcpy(heard->vector, i->vector, sizeof heard->vector);
    }
    if (heard->count == MOST)
        return;
    heard->event[heard->count] = *e;
    if (i) {
        heard->instruction[heard->count] = *i;
        heard->event[heard->count].instruction = &heard->instruction[heard->count];
    }
    heard->count++;
}

/* Returns the next record of the core, from *at on. */
static const struct bh_event *next_of(const struct heard *heard, unsigned core, size_t *at) {
    while (*at < heard->count) {
        const struct bh_event *e = &heard->event[(*at)++];
        if (e->instruction && (unsigned)e->track == core)
            return e;
    }
    return NULL;
}

static void place(bh_chip *chip, enum bh_core core, const uint32_t *words, size_t size) {
    assert_int_equal(bh_write(chip, TILE, core_entry[core], words, size), BH_OK);
}
#define PLACE(chip, core, ...) \
    place(chip, core, (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }))

static struct heard *run_watched(bh_chip *chip, unsigned what) {
    struct heard *heard = calloc(1, sizeof *heard);
    struct bh_stop stop;
    assert_non_null(heard);
    assert_int_equal(bh_observe(chip, what, hear, heard), BH_OK);
    assert_int_equal(bh_release(chip, TILE, BH_ALL_CORES), BH_OK);
    assert_int_equal(bh_run(chip, 100000, BH_RUN_STOP_ON_IDLE, &stop), BH_OK);
    if (stop.reason != BH_STOP_IDLE)
        fail_msg("%s", stop.fault.text);
    assert_int_equal(bh_observe_flush(chip), BH_OK);
    return heard;
}

/* BRISC computes, loads, stores, calls; then it polls what NCRISC writes. T0 pushes rows. */
static void load_scene(bh_chip *chip) {
    PLACE(chip, BH_BRISC, RV_L0_OFF, rv_lui(6, 0x20000), rv_addi(5, 0, 7), rv_s(MAJOR_STORE, 1, 5, 6, 8),
          rv_i(MAJOR_LOAD, 4, 7, 6, 8), rv_addi(8, 7, 1), rv_i(MAJOR_LOAD, 2, 9, 6, 0), rv_b(0, 9, 0, -4), EBREAK);
    uint32_t nc[304];
    unsigned n = 0;
    while (n < 300)
        nc[n++] = RV_NOP;
    nc[n++] = rv_lui(6, 0x20000);
    nc[n++] = rv_addi(7, 0, 1);
    nc[n++] = rv_s(MAJOR_STORE, 2, 7, 6, 0);
    nc[n++] = EBREAK;
    place(chip, BH_NCRISC, nc, n * 4);
    PLACE(chip, BH_TRISC0, TT(SETDMAREG, 0, 5, 0, 20), TT(SETDMAREG, 0, 6, 0, 22), TT(SETC16, 10, 3), TT(SETC16, 11, 3),
          TT(SETDMAREG, 0, 7, 0, 24), EBREAK);
    PLACE(chip, BH_TRISC1, EBREAK);
    PLACE(chip, BH_TRISC2, EBREAK);
}

/* ---- Tests ---------------------------------------------------------------------------------------------------- */

static void records_change_nothing(void **state) {
    uint64_t hash = 0, cycle = 0;
    (void)state;
    for (unsigned what = 0; what <= WATCH; what += WATCH) {
        bh_chip *chip = make_chip(1);
        load_scene(chip);
        struct heard *heard = what ? run_watched(chip, what) : NULL;
        if (!what) {
            assert_int_equal(bh_release(chip, TILE, BH_ALL_CORES), BH_OK);
            assert_int_equal(bh_run(chip, 100000, BH_RUN_STOP_ON_IDLE, NULL), BH_OK);
            hash = bh_state_hash(chip);
            cycle = bh_cycle(chip);
        }
        assert_int_equal(bh_state_hash(chip), hash);
        assert_int_equal(bh_cycle(chip), cycle);
        bh_destroy(chip);
        free(heard);
    }
}

static uint64_t soak(unsigned what, unsigned threads, struct heard *heard) {
    struct soak soak = { .random = 5, .length = 256 };
    bh_chip *chip = make_chip(threads);
    assert_int_equal(bh_observe(chip, what, hear, heard), BH_OK);
    soak_start(&soak, chip, SOAK_TILES, BH_ALL_CORES);
    assert_int_equal(bh_run(chip, 1500, 0, NULL), BH_OK);
    uint64_t hash = bh_state_hash(chip);
    bh_destroy(chip);
    return hash;
}

static void records_of_700_cores_do_not_depend_on_host_threads(void **state) {
    struct heard *heard = calloc(3, sizeof *heard);
    (void)state;
    assert_non_null(heard);
    uint64_t hash = soak(0, 1, &heard[0]);
    assert_int_equal(soak(WATCH, 1, &heard[1]), hash);
    assert_int_equal(soak(WATCH, 3, &heard[2]), hash);
    assert_true(heard[1].instructions > 10000);
    assert_int_equal(heard[1].instructions, heard[2].instructions);
    assert_int_equal(heard[1].digest, heard[2].digest);
    free(heard);
}

static void each_record_says_what_the_instruction_has_done(void **state) {
    bh_chip *chip = make_chip(1);
    size_t at = 0;
    (void)state;
    load_scene(chip);
    struct heard *heard = run_watched(chip, WATCH);
    const struct bh_event *e = next_of(heard, BH_BRISC, &at);
    assert_int_equal(e->pc, 0);
    assert_int_equal(e->instruction->csr, 0x7C0);
    e = next_of(heard, BH_BRISC, &at);
    assert_string_equal(e->name, "lui");
    assert_int_equal(e->instruction->reg, 6);
    assert_int_equal(e->instruction->value, 0x20000);
    e = next_of(heard, BH_BRISC, &at);
    assert_int_equal(e->instruction->value, 7);
    e = next_of(heard, BH_BRISC, &at); /* sh */
    assert_int_equal(e->instruction->reg, -1);
    assert_int_equal(e->instruction->access, BH_ACCESS_WRITE);
    assert_int_equal(e->instruction->address, 0x20008);
    assert_int_equal(e->instruction->size, 2);
    assert_int_equal(e->instruction->stored, 7);
    e = next_of(heard, BH_BRISC, &at); /* lbu */
    assert_int_equal(e->instruction->access, BH_ACCESS_READ);
    assert_int_equal(e->instruction->size, 1);
    assert_int_equal(e->instruction->value, 7);
    assert_true(e->instruction->done >= e->start + 8);
    uint64_t loaded = e->instruction->done;
    e = next_of(heard, BH_BRISC, &at); /* addi waits for it */
    assert_int_equal(e->instruction->value, 8);
    assert_int_equal(e->instruction->issued, loaded);
    assert_int_equal(e->end, loaded + 1);
    bh_destroy(chip);
    free(heard);
}

/* A row of five words is five instructions, with the words that the core has read. */
static void words_of_a_row_are_reported_one_by_one(void **state) {
    bh_chip *chip = make_chip(1);
    size_t at = 0;
    (void)state;
    load_scene(chip);
    struct heard *heard = run_watched(chip, WATCH);
    for (unsigned i = 0; i < 6; i++) {
        const struct bh_event *e = next_of(heard, BH_TRISC0, &at);
        assert_non_null(e);
        assert_int_equal(e->pc, core_entry[BH_TRISC0] + 4 * i);
        assert_int_equal(e->instruction->number, i);
        assert_string_equal(e->name, i == 5 ? "ebreak" : i == 2 || i == 3 ? "SETC16" : "SETDMAREG");
    }
    assert_null(next_of(heard, BH_TRISC0, &at));
    unsigned passed = 0;
    for (size_t i = 0; i < heard->count; i++) {
        const struct bh_event *e = &heard->event[i];
        if (e->track != BH_TRACK_T0 || e->kind != BH_EVENT_WORK)
            continue;
        passed++;
        assert_int_equal(e->count, 1);
        assert_int_equal(heard->event[i + 1].word, e->word); /* its unit */
        assert_true(heard->event[i + 1].track > BH_TRACK_T2);
    }
    assert_int_equal(passed, 5);
    bh_destroy(chip);
    free(heard);
}

/* A vector register is in the record of the instruction that changes it. */
static void a_record_has_vector_registers(void **state) {
    const uint32_t vsetivli = 0xC1027057, vmv_v8_5 = 0x5E02B457; /* zero,4,e32,m1; v8,5 */
    static const uint8_t fives[16] = { 5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 5 };
    bh_chip *chip = make_chip(1);
    size_t at = 0;
    (void)state;
    load_scene(chip);
    PLACE(chip, BH_TRISC2, vsetivli, vmv_v8_5, vmv_v8_5, EBREAK);
    struct heard *heard = run_watched(chip, WATCH);
    assert_int_equal(next_of(heard, BH_TRISC2, &at)->instruction->vectors, 0);
    const struct bh_instruction *i = next_of(heard, BH_TRISC2, &at)->instruction;
    assert_int_equal(i->vectors, 1 << 8);
    assert_int_equal(i->vl, 4);
    assert_int_equal(i->vtype, 0x10);
    assert_memory_equal(heard->vector, fives, sizeof fives);
    assert_int_equal(next_of(heard, BH_TRISC2, &at)->instruction->vectors, 0); /* the same again */
    bh_destroy(chip);
    free(heard);
}

/* Counts, cycles and waits are those of the profile. */
static void records_add_up_to_the_profile(void **state) {
    bh_chip *chip = make_chip(1);
    (void)state;
    load_scene(chip);
    struct heard *heard = run_watched(chip, WATCH | BH_WATCH_PROFILE);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        struct bh_profile row;
        for (uint32_t pc = 0; bh_profile_from(chip, TILE, (enum bh_core)core, pc, &row) == BH_OK; pc = row.pc + 4) {
            uint64_t count = 0, cycles = 0, waited = 0;
            for (size_t i = 0; i < heard->count; i++) {
                const struct bh_event *e = &heard->event[i];
                if ((unsigned)e->track != core || e->pc != row.pc)
                    continue;
                count += e->instruction != NULL;
                cycles += e->instruction ? e->end - e->start - e->instruction->waited : 0;
                waited += e->instruction ? e->instruction->waited : 0;
            }
            assert_int_equal(count, row.count);
            assert_int_equal(waited, row.waited);
            assert_int_equal(cycles, row.cycles);
        }
    }
    bh_destroy(chip);
    free(heard);
}

/* A core that is put into reset, and one that is interrupted by the end of the observation, lose nothing. */
static void a_reset_ends_the_last_instruction(void **state) {
    struct heard *heard = calloc(1, sizeof *heard);
    bh_chip *chip = make_chip(1);
    (void)state;
    PLACE(chip, BH_TRISC0, rv_addi(5, 0, 1), EBREAK);
    assert_int_equal(bh_observe(chip, WATCH, hear, heard), BH_OK);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(bh_release(chip, TILE, 1u << BH_TRISC0), BH_OK);
        assert_int_equal(bh_run(chip, 1000, BH_RUN_STOP_ON_IDLE, NULL), BH_OK);
        assert_int_equal(bh_hold(chip, TILE, 1u << BH_TRISC0), BH_OK);
    }
    assert_int_equal(bh_observe_flush(chip), BH_OK);
    assert_int_equal(heard->instructions, 4);
    bh_destroy(chip);
    free(heard);
}

static void mistakes_are_named(void **state) {
    bh_chip *chip = make_chip(1);
    (void)state;
    assert_int_equal(bh_observe(chip, BH_WATCH_INSTRUCTIONS, hear, NULL), BH_ERR_ARGUMENT);
    assert_string_equal(bh_message(chip), "bh_observe: instructions are events: BH_WATCH_EVENTS is missing");
    assert_int_equal(bh_observe(chip, 16, hear, NULL), BH_ERR_ARGUMENT);
    bh_destroy(chip);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_change_nothing),
        cmocka_unit_test(records_of_700_cores_do_not_depend_on_host_threads),
        cmocka_unit_test(each_record_says_what_the_instruction_has_done),
        cmocka_unit_test(words_of_a_row_are_reported_one_by_one),
        cmocka_unit_test(a_record_has_vector_registers),
        cmocka_unit_test(records_add_up_to_the_profile),
        cmocka_unit_test(a_reset_ends_the_last_instruction),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
