/* Observation changes nothing, and its counts add up (src/observe/, src/tensix/observe.c, src/tile/watch.c,
 * src/chip/observe.c). */
#include <stdlib.h>
#include <string.h>

#include "isa/tensix.h"
#include "support/chip.h"
#include "support/noc_soak.h"
#include "support/rv.h"

#define TT(name, ...) tensix_to_stream(tensix_encode_##name((struct tensix_##name){ __VA_ARGS__ }))

enum { EBREAK = 0x00100073, WATCH_ALL = BH_WATCH_STATS | BH_WATCH_PROFILE | BH_WATCH_EVENTS };

static const struct bh_xy TILE = { 1, 2 };

/* ---- A chip and what was heard of it ------------------------------------------------------------------------ */

struct heard {
    struct bh_event *event;
    size_t count;
};

static void hear(void *user, const struct bh_event *event) {
    struct heard *heard = user;
    if (!(heard->count & (heard->count - 1)))
        heard->event = realloc(heard->event, (heard->count ? 2 * heard->count : 1) * sizeof *event);
    heard->event[heard->count++] = *event;
}

static void place(bh_chip *chip, enum bh_core core, const uint32_t *words, size_t size) {
    assert_int_equal(bh_write(chip, TILE, core_entry[core], words, size), BH_OK);
}
#define PLACE(chip, core, ...) \
    place(chip, core, (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }))

/* T0 waits for a semaphore that T1 posts after a while; T1 uses the Vector Unit, T2 the packer's neighbours; BRISC
 * counts in a loop, then polls what NCRISC writes. */
static void load_scene(bh_chip *chip) {
    PLACE(chip, BH_TRISC0, TT(SEMINIT, 1, 0, 2), TT(SEMWAIT, 0x1FF, 2, 1), TT(SETDMAREG, 0, 5, 0, 20),
          TT(SETDMAREG, 0, 6, 0, 22), TT(SETC16, 10, 3), TT(STALLWAIT, 0x80, 1), TT(WRCFG, 5, 0, 200), EBREAK);
    uint32_t t1[140];
    unsigned n = 0;
    while (n < 100)
        t1[n++] = RV_NOP;
    t1[n++] = TT(SFPLOADI, 0, 0, 0x3F80);
    for (unsigned i = 0; i < 20; i++)
        t1[n++] = TT(SFPMAD, 1, 1, 1, 1, 0);
    t1[n++] = TT(SEMPOST, 2);
    t1[n++] = EBREAK;
    place(chip, BH_TRISC1, t1, n * 4);
    PLACE(chip, BH_TRISC2, TT(SETADCXX, 4, 15, 0), TT(SETC16, 11, 7), TT(ZEROACC, 3, 0, 0, 0, 0), EBREAK);
    PLACE(chip, BH_BRISC, rv_addi(5, 0, 50), rv_addi(5, 5, -1), rv_b(1, 5, 0, -4), RV_L0_OFF, rv_lui(6, 0x20000),
          rv_i(MAJOR_LOAD, 2, 7, 6, 0), rv_b(0, 7, 0, -4), EBREAK);
    uint32_t nc[304];
    for (n = 0; n < 300;)
        nc[n++] = RV_NOP;
    nc[n++] = rv_lui(6, 0x20000);
    nc[n++] = rv_addi(7, 0, 1);
    nc[n++] = rv_s(MAJOR_STORE, 2, 7, 6, 0);
    nc[n++] = EBREAK;
    place(chip, BH_NCRISC, nc, n * 4);
    assert_int_equal(bh_release(chip, TILE, BH_ALL_CORES), BH_OK);
}

static uint64_t run_to_end(bh_chip *chip) {
    struct bh_stop stop;
    assert_int_equal(bh_run(chip, 100000, BH_RUN_STOP_ON_IDLE, &stop), BH_OK);
    if (stop.reason != BH_STOP_IDLE)
        fail_msg("%s", stop.fault.text);
    return stop.cycle;
}

static struct bh_track_stats stats_of(const bh_chip *chip, unsigned track) {
    struct bh_track_stats stats;
    assert_int_equal(bh_stats_get(chip, TILE, (enum bh_track)track, &stats), BH_OK);
    return stats;
}

/* ---- Nothing changes ------------------------------------------------------------------------------------------ */

static void watching_a_scene_changes_nothing(void **state) {
    uint64_t hash = 0, cycle = 0;
    (void)state;
    for (unsigned what = 0; what <= WATCH_ALL; what++) {
        struct heard heard = { 0 };
        bh_chip *chip = make_chip(1);
        assert_int_equal(bh_observe(chip, what, hear, &heard), BH_OK);
        load_scene(chip);
        uint64_t ended = run_to_end(chip);
        if (!what) {
            hash = bh_state_hash(chip);
            cycle = ended;
        }
        assert_int_equal(ended, cycle);
        assert_int_equal(bh_state_hash(chip), hash);
        assert_int_equal(heard.count > 0, !!(what & BH_WATCH_EVENTS));
        bh_destroy(chip);
        free(heard.event);
    }
}

static uint64_t digest(const struct heard *heard) {
    uint64_t sum = heard->count;
    for (size_t i = 0; i < heard->count; i++) {
        const struct bh_event *e = &heard->event[i];
        uint64_t one = e->start * 3 + e->end * 5 + (uint64_t)e->track * 7 + (uint64_t)e->kind * 11 + e->tile.x * 13u +
                       e->tile.y * 17u + e->at * 19 + e->bytes * 23u + e->peer.x * 29u + e->peer.y * 31u;
        for (const char *c = e->name; *c; c++)
            one = one * 131 + (uint8_t)*c;
        sum = (sum ^ one) * UINT64_C(0x9E3779B97F4A7C15);
    }
    return sum;
}

struct soaked {
    uint64_t hash, events;
};

static struct soaked soak(unsigned what, unsigned threads) {
    struct heard heard = { 0 };
    struct soak soak = { .random = 5, .length = 256 };
    bh_chip *chip = make_chip(threads);
    assert_int_equal(bh_observe(chip, what, hear, &heard), BH_OK);
    soak_start(&soak, chip, SOAK_TILES, BH_ALL_CORES);
    assert_int_equal(bh_run(chip, 3000, 0, NULL), BH_OK);
    struct soaked soaked = { bh_state_hash(chip), digest(&heard) };
    bh_destroy(chip);
    free(heard.event);
    return soaked;
}

static void watching_700_cores_changes_nothing_on_any_number_of_threads(void **state) {
    (void)state;
    struct soaked alone = soak(0, 1), first = soak(WATCH_ALL, 1);
    for (unsigned what = 0; what <= WATCH_ALL; what++)
        for (unsigned threads = 1; threads <= 3; threads += 2) {
            struct soaked watched = soak(what, threads);
            assert_int_equal(watched.hash, alone.hash);
            if (what & BH_WATCH_EVENTS)
                assert_int_equal(watched.events, first.events);
        }
}

/* ---- Sums ------------------------------------------------------------------------------------------------------ */

static uint64_t sum_of_reasons(const bh_chip *chip, unsigned track) {
    struct bh_stall stall;
    uint64_t sum = 0, last = UINT64_MAX;
    for (unsigned i = 0; bh_stall_at(chip, TILE, (enum bh_track)track, i, &stall) == BH_OK; i++) {
        assert_true(stall.cycles <= last);
        last = stall.cycles;
        sum += stall.cycles;
    }
    return sum;
}

static uint64_t sum_of_mix(const bh_chip *chip, unsigned track) {
    struct bh_mix mix;
    uint64_t sum = 0;
    for (unsigned i = 0; bh_mix_at(chip, TILE, (enum bh_track)track, i, &mix) == BH_OK; i++)
        sum += mix.count;
    return sum;
}

static void check_core(const bh_chip *chip, unsigned core) {
    struct bh_track_stats stats = stats_of(chip, core);
    struct bh_core_info info;
    assert_int_equal(bh_core_query(chip, TILE, (enum bh_core)core, &info), BH_OK);
    assert_int_equal(stats.instructions, info.retired);
    assert_int_equal(stats.busy + stats.stalled, info.cycle); /* they were released in cycle 0 */
}

static void check_thread(const bh_chip *chip, unsigned thread) {
    struct bh_track_stats stats = stats_of(chip, BH_TRACK_T0 + thread);
    struct bh_thread_info info;
    assert_int_equal(bh_thread_query(chip, TILE, thread, &info), BH_OK);
    assert_int_equal(stats.instructions, info.passed);
    assert_int_equal(stats.busy, info.passed);
    assert_int_equal(sum_of_mix(chip, BH_TRACK_T0 + thread), info.passed);
}

static void statistics_add_up(void **state) {
    bh_chip *chip = make_chip(1);
    uint64_t taken = 0;
    (void)state;
    assert_int_equal(bh_observe(chip, BH_WATCH_STATS | BH_WATCH_PROFILE, NULL, NULL), BH_OK);
    load_scene(chip);
    uint64_t cycles = run_to_end(chip);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        check_core(chip, core);
    for (unsigned thread = 0; thread < BH_THREADS; thread++)
        check_thread(chip, thread);
    for (unsigned track = 0; track < BH_TRACK_COUNT; track++) {
        struct bh_track_stats stats = stats_of(chip, track);
        assert_int_equal(sum_of_reasons(chip, track), stats.stalled);
        assert_true(stats.busy <= cycles);
        if (track > BH_TRACK_T2 && track < BH_TRACK_NOC0) {
            assert_int_equal(sum_of_mix(chip, track), stats.instructions);
            taken += stats.instructions;
        }
    }
    /* 7 of T0, 22 of T1, 3 of T2: every one has gone into a unit. */
    assert_int_equal(taken, 7 + 22 + 3);
    assert_int_equal(stats_of(chip, BH_TRACK_VECTOR).instructions, 21);
    assert_int_equal(stats_of(chip, BH_TRACK_VECTOR).busy, 21);
    bh_destroy(chip);
}

/* T1 posts about a hundred cycles after T0 has begun to wait. */
static void a_wait_has_its_name_and_its_length(void **state) {
    struct bh_stall stall;
    struct bh_mix mix;
    bh_chip *chip = make_chip(1);
    (void)state;
    assert_int_equal(bh_observe(chip, BH_WATCH_STATS, NULL, NULL), BH_OK);
    load_scene(chip);
    run_to_end(chip);
    assert_int_equal(bh_stall_at(chip, TILE, BH_TRACK_T0, 0, &stall), BH_OK);
    assert_string_equal(stall.why, "SEMWAIT: semaphore 1 (MATH_PACK) is 0");
    assert_in_range(stall.cycles, 110, 160);
    assert_int_equal(bh_stall_at(chip, TILE, BH_TRACK_SCALAR, 0, &stall), BH_OK);
    assert_string_equal(stall.why, "SEMWAIT: semaphore 1 (MATH_PACK) is 0");
    /* SFPMAD waits for the one before it, a cycle each. */
    assert_int_equal(bh_stall_at(chip, TILE, BH_TRACK_VECTOR, 0, &stall), BH_OK);
    assert_int_equal(stall.cycles, 19);
    assert_int_equal(bh_stall_at(chip, TILE, BH_TRACK_BRISC, 0, &stall), BH_OK);
    assert_int_equal(stall.at, 0x20000);
    assert_int_equal(bh_mix_at(chip, TILE, BH_TRACK_T1, 0, &mix), BH_OK);
    assert_string_equal(mix.name, "SFPMAD");
    assert_int_equal(mix.count, 20);
    bh_destroy(chip);
}

/* Both banks of SrcA have been handed over when the third instruction wants one; T1 hands them back after a while. Then
 * the fourth follows right behind the third. */
/* T0 hands banks of SrcA over faster than T1 hands them back. */
static void load_banks(bh_chip *chip) {
    uint32_t clear = TT(UNPACR_NOP, .Set_Dvalid = 1, .Stall_Clr_Cntrl = 1, .Unpack_Pop = 1), t1[64];
    unsigned n = 0;
    PLACE(chip, BH_TRISC0, clear, clear, clear, clear, EBREAK);
    while (n < 60)
        t1[n++] = RV_NOP;
    t1[n++] = TT(CLEARDVALID, 1, 0);
    t1[n++] = TT(CLEARDVALID, 1, 0);
    t1[n++] = EBREAK;
    place(chip, BH_TRISC1, t1, n * 4);
    assert_int_equal(bh_release(chip, TILE, 1u << BH_TRISC0 | 1u << BH_TRISC1), BH_OK);
}

static void an_unpacker_waits_for_its_bank(void **state) {
    struct bh_stall stall;
    bh_chip *chip = make_chip(1);
    (void)state;
    assert_int_equal(bh_observe(chip, BH_WATCH_STATS, NULL, NULL), BH_OK);
    load_banks(chip);
    run_to_end(chip);
    struct bh_track_stats unpack = stats_of(chip, BH_TRACK_UNPACK0);
    assert_int_equal(unpack.instructions, 4);
    assert_int_equal(unpack.busy, 4); /* a cycle each */
    assert_in_range(unpack.stalled, 50, 70);
    assert_int_equal(bh_stall_at(chip, TILE, BH_TRACK_UNPACK0, 0, &stall), BH_OK);
    assert_string_equal(stall.why, "SrcA's bank, which the Matrix Unit has not handed back");
    assert_int_equal(sum_of_mix(chip, BH_TRACK_UNPACK0), 4);
    assert_int_equal(stats_of(chip, BH_TRACK_UNPACK1).instructions, 0);
    assert_int_equal(stats_of(chip, BH_TRACK_MATRIX).instructions, 2);
    bh_destroy(chip);
}

/* ---- Profiles --------------------------------------------------------------------------------------------------- */

static void a_profile_counts_every_instruction(void **state) {
    struct bh_profile row;
    struct bh_core_info info;
    bh_chip *chip = make_chip(1);
    uint64_t cycles = 0, waited = 0;
    (void)state;
    assert_int_equal(bh_observe(chip, BH_WATCH_PROFILE, NULL, NULL), BH_OK);
    load_scene(chip);
    run_to_end(chip);
    for (uint32_t pc = 0; bh_profile_from(chip, TILE, BH_BRISC, pc, &row) == BH_OK; pc = row.pc + 4) {
        cycles += row.cycles;
        waited += row.waited;
        if (row.pc == 4 || row.pc == 8)
            assert_int_equal(row.count, 50);
        if (row.pc == 0 || row.pc == 0xC || row.pc == 0x1C)
            assert_int_equal(row.count, 1);
        if (row.pc == 4)
            assert_int_equal(row.word, rv_addi(5, 5, -1));
        assert_int_equal(row.waited > 0, row.pc == 0x14);
    }
    assert_int_equal(bh_core_query(chip, TILE, BH_BRISC, &info), BH_OK);
    assert_int_equal(cycles + waited, info.cycle);
    /* Four words that were pushed at once are four instructions. */
    for (uint32_t pc = core_entry[BH_TRISC0]; pc < core_entry[BH_TRISC0] + 32; pc += 4) {
        assert_int_equal(bh_profile_from(chip, TILE, BH_TRISC0, pc, &row), BH_OK);
        assert_int_equal(row.pc, pc);
        assert_int_equal(row.count, 1);
    }
    assert_int_equal(bh_profile_from(chip, TILE, BH_TRISC0, core_entry[BH_TRISC0] + 32, &row), BH_ERR_ARGUMENT);
    bh_destroy(chip);
}

/* Another program at the same addresses counts from zero; the mix still has what the one before did. */
static void a_profile_is_of_the_last_program(void **state) {
    bh_chip *chip = make_chip(1);
    struct bh_profile row;
    struct bh_mix mix;
    (void)state;
    assert_int_equal(bh_observe(chip, BH_WATCH_PROFILE, NULL, NULL), BH_OK);
    PLACE(chip, BH_TRISC0, rv_addi(5, 0, 3), rv_addi(5, 5, -1), rv_b(1, 5, 0, -4), EBREAK);
    assert_int_equal(bh_release(chip, TILE, 1u << BH_TRISC0), BH_OK);
    run_to_end(chip);
    assert_int_equal(bh_profile_from(chip, TILE, BH_TRISC0, core_entry[BH_TRISC0] + 4, &row), BH_OK);
    assert_int_equal(row.count, 3);
    assert_int_equal(bh_hold(chip, TILE, 1u << BH_TRISC0), BH_OK);
    PLACE(chip, BH_TRISC0, rv_addi(5, 0, 3), rv_addi(6, 6, 1), RV_NOP, EBREAK);
    assert_int_equal(bh_release(chip, TILE, 1u << BH_TRISC0), BH_OK);
    run_to_end(chip);
    assert_int_equal(bh_profile_from(chip, TILE, BH_TRISC0, core_entry[BH_TRISC0], &row), BH_OK);
    assert_int_equal(row.count, 2); /* the same word */
    assert_int_equal(bh_profile_from(chip, TILE, BH_TRISC0, core_entry[BH_TRISC0] + 4, &row), BH_OK);
    assert_int_equal(row.word, rv_addi(6, 6, 1));
    assert_int_equal(row.count, 1);
    assert_int_equal(bh_mix_at(chip, TILE, BH_TRACK_TRISC0, 0, &mix), BH_OK);
    assert_string_equal(mix.name, "addi");
    assert_int_equal(mix.count, 2 + 3 + 1 + 1);
    bh_destroy(chip);
}

static void cores_have_a_mix(void **state) {
    struct bh_mix mix;
    bh_chip *chip = make_chip(1);
    (void)state;
    assert_int_equal(bh_observe(chip, BH_WATCH_PROFILE, NULL, NULL), BH_OK);
    load_scene(chip);
    run_to_end(chip);
    assert_int_equal(bh_mix_at(chip, TILE, BH_TRACK_BRISC, 0, &mix), BH_OK);
    assert_string_equal(mix.name, "addi");
    assert_int_equal(mix.count, 51);
    assert_int_equal(bh_mix_at(chip, TILE, BH_TRACK_TRISC1, 1, &mix), BH_OK);
    assert_string_equal(mix.name, ".ttinsn");
    assert_int_equal(mix.count, 22);
    bh_destroy(chip);
}

/* ---- Events --------------------------------------------------------------------------------------------------- */

static int by_place(const void *left, const void *right) {
    const struct bh_event *a = left, *b = right;
    unsigned x = a->tile.y * 32u + a->tile.x, y = b->tile.y * 32u + b->tile.x;
    if (x != y)
        return x < y ? -1 : 1;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    return a->start < b->start ? -1 : a->start > b->start;
}

/* Work and waits do not overlap and lie in the run; packets have an end. */
static void check_events(struct heard *heard, uint64_t cycle) {
    const struct bh_event *before = NULL;
    qsort(heard->event, heard->count, sizeof *heard->event, by_place);
    for (size_t i = 0; i < heard->count; i++) {
        const struct bh_event *e = &heard->event[i];
        assert_true(e->start < e->end);
        assert_true(e->end <= cycle);
        assert_non_null(e->name);
        if (e->kind == BH_EVENT_PACKET)
            continue;
        if (before && !memcmp(&before->tile, &e->tile, sizeof e->tile) && before->track == e->track)
            assert_true(before->end <= e->start);
        before = e;
    }
}

static void events_nest_and_say_what_statistics_say(void **state) {
    struct heard heard = { 0 };
    bh_chip *chip = make_chip(1);
    uint64_t busy[BH_TRACK_COUNT] = { 0 }, waits[BH_TRACK_COUNT] = { 0 };
    (void)state;
    assert_int_equal(bh_observe(chip, WATCH_ALL, hear, &heard), BH_OK);
    load_scene(chip);
    uint64_t cycle = run_to_end(chip);
    assert_int_equal(bh_observe_flush(chip), BH_OK);
    size_t count = heard.count;
    assert_int_equal(bh_observe_flush(chip), BH_OK); /* there is no more */
    assert_int_equal(heard.count, count);
    check_events(&heard, cycle);
    for (size_t i = 0; i < heard.count; i++) {
        const struct bh_event *e = &heard.event[i];
        *(e->kind == BH_EVENT_WAIT ? &waits[e->track] : &busy[e->track]) += e->end - e->start;
    }
    for (unsigned track = 0; track < BH_TRACK_NOC0; track++) {
        struct bh_track_stats stats = stats_of(chip, track);
        assert_int_equal(busy[track], stats.busy);
        if (track <= BH_TRACK_T2)
            assert_int_equal(waits[track], stats.stalled);
    }
    bh_destroy(chip);
    free(heard.event);
}

/* An unpacker's wait for a bank begins where its work before ended. */
static void events_of_an_unpacker_do_not_overlap(void **state) {
    struct heard heard = { 0 };
    bh_chip *chip = make_chip(1);
    uint64_t waits = 0;
    (void)state;
    assert_int_equal(bh_observe(chip, WATCH_ALL, hear, &heard), BH_OK);
    load_banks(chip);
    uint64_t cycle = run_to_end(chip);
    assert_int_equal(bh_observe_flush(chip), BH_OK);
    check_events(&heard, cycle);
    for (size_t i = 0; i < heard.count; i++)
        if (heard.event[i].track == BH_TRACK_UNPACK0 && heard.event[i].kind == BH_EVENT_WAIT)
            waits += heard.event[i].end - heard.event[i].start;
    assert_int_equal(waits, stats_of(chip, BH_TRACK_UNPACK0).stalled);
    assert_true(waits > 0);
    bh_destroy(chip);
    free(heard.event);
}

static void a_watch_in_the_middle_of_waits_counts_from_there(void **state) {
    struct heard heard = { 0 };
    bh_chip *chip = make_chip(1);
    struct bh_track_stats before, after;
    (void)state;
    load_scene(chip);
    assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
    PLACE(chip, BH_BRISC, RV_L0_OFF, rv_lui(6, 0x30000), rv_i(MAJOR_LOAD, 2, 7, 6, 0), rv_b(0, 7, 0, -4), EBREAK);
    assert_int_equal(bh_hold(chip, TILE, 1), BH_OK);
    assert_int_equal(bh_release(chip, TILE, 1), BH_OK);
    assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
    assert_int_equal(bh_observe(chip, WATCH_ALL, hear, &heard), BH_OK);
    assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
    before = stats_of(chip, BH_TRACK_BRISC);
    assert_in_range(before.busy + before.stalled, 980, 1020); /* in the middle of a round */
    assert_true(before.stalled > 900);
    assert_int_equal(bh_write(chip, TILE, 0x30000, &(uint32_t){ 1 }, 4), BH_OK); /* asked in between, and goes on */
    run_to_end(chip);
    after = stats_of(chip, BH_TRACK_BRISC);
    assert_in_range(after.busy + after.stalled, 1000, 1060);
    bh_destroy(chip);
    free(heard.event);
}

/* ---- The NoC ---------------------------------------------------------------------------------------------------- */

static void packets_are_counted_where_they_leave_and_where_they_come(void **state) {
    struct heard heard = { 0 };
    struct soak soak = { .random = 5, .length = 256 };
    bh_chip *chip = make_chip(1);
    struct bh_track_stats out = { 0 }, stats;
    (void)state;
    assert_int_equal(bh_observe(chip, WATCH_ALL, hear, &heard), BH_OK);
    soak_start(&soak, chip, SOAK_TILES, BH_ALL_CORES);
    assert_int_equal(bh_run(chip, 3000, 0, NULL), BH_OK);
    soak_end(chip, SOAK_TILES);
    uint64_t cycle = run_to_end(chip);
    assert_int_equal(bh_observe_flush(chip), BH_OK);
    assert_int_equal(bh_endpoint_stats(chip, &out), BH_OK);
    assert_true(out.bytes_in > 0);
    for (unsigned tile = 0; tile < SOAK_TILES; tile++)
        for (unsigned noc = BH_TRACK_NOC0; noc <= BH_TRACK_NOC1; noc++) {
            assert_int_equal(bh_stats_get(chip, soak_tile(tile), (enum bh_track)noc, &stats), BH_OK);
            out.instructions += stats.instructions;
            out.packets_in += stats.packets_in;
            out.bytes_out += stats.bytes_out;
            out.bytes_in += stats.bytes_in;
        }
    uint64_t packets = 0, bytes = 0, casts = 0;
    for (size_t i = 0; i < heard.count; i++) {
        if (heard.event[i].kind == BH_EVENT_WORK && heard.event[i].track >= BH_TRACK_NOC0 &&
            heard.event[i].peer.x == 255)
            casts += heard.event[i].count;
        packets += heard.event[i].kind == BH_EVENT_PACKET;
        bytes += heard.event[i].kind == BH_EVENT_PACKET ? heard.event[i].bytes : 0;
    }
    assert_int_equal(packets, out.packets_in);
    assert_int_equal(bytes, out.bytes_in);
    /* A multicast leaves once and comes to all other tiles. */
    assert_true(casts > 0);
    assert_int_equal(out.bytes_in, out.bytes_out + casts * 64 * (SOAK_TILES - 2));
    assert_int_equal(out.packets_in, out.instructions + casts * (SOAK_TILES - 2));
    check_events(&heard, cycle);
    bh_destroy(chip);
    free(heard.event);
}

/* Read data counts at the tile that sends it. */
static void a_read_brings_bytes(void **state) {
    enum { LIST = 0x20000, DATA = 0x40000 };
    const struct bh_xy there = { 2, 2 };
    struct script script = { 0 };
    struct script_request request = {
        .targ_lo = DATA,
        .targ_hi = script_xy(there.x, there.y),
        .ret_lo = DATA,
        .ret_hi = script_xy(TILE.x, TILE.y),
        .ctrl = SCRIPT_READ | SCRIPT_STATIC_VC | 1 << 13,
        .len = 192,
    };
    uint32_t program[SCRIPT_PROGRAM];
    struct bh_track_stats reader, other;
    bh_chip *chip = make_chip(1);
    (void)state;
    assert_int_equal(bh_observe(chip, BH_WATCH_STATS, NULL, NULL), BH_OK);
    script_request(&script, 0, 0, &request);
    script_put(&script, SCRIPT_STOP, 0, 0);
    script_program(program, LIST);
    place(chip, BH_BRISC, program, sizeof program);
    assert_int_equal(bh_write(chip, TILE, LIST, script.word, script.count * 4), BH_OK);
    assert_int_equal(bh_release(chip, TILE, 1), BH_OK);
    run_to_end(chip);
    reader = stats_of(chip, BH_TRACK_NOC0);
    assert_int_equal(bh_stats_get(chip, there, BH_TRACK_NOC0, &other), BH_OK);
    assert_int_equal(reader.bytes_out, 0);
    assert_int_equal(reader.bytes_in, 192);
    assert_int_equal(reader.busy, 1); /* a header */
    assert_int_equal(other.bytes_out, 192);
    assert_int_equal(other.bytes_in, 0);
    assert_int_equal(other.packets_in, 1);
    assert_int_equal(other.busy, 1 + 3); /* and its flits */
    assert_int_equal(stats_of(chip, BH_TRACK_NOC1).instructions, 0);
    script_free(&script);
    bh_destroy(chip);
}

/* ---- The API ---------------------------------------------------------------------------------------------------- */

static void a_profile_has_no_row_after_the_last_address(void **state) {
    struct bh_profile row;
    (void)state;
    bh_chip *chip = make_chip(1);
    load_scene(chip);
    assert_int_equal(bh_observe(chip, BH_WATCH_PROFILE, NULL, NULL), BH_OK);
    assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
    assert_int_equal(bh_profile_from(chip, TILE, BH_BRISC, 0, &row), BH_OK);
    assert_int_equal(row.pc, 0);
    for (uint32_t pc = UINT32_MAX; pc > UINT32_MAX - 8; pc--)
        assert_int_equal(bh_profile_from(chip, TILE, BH_BRISC, pc, &row), BH_ERR_ARGUMENT);
    bh_destroy(chip);
}

static void mistakes_are_told(void **state) {
    struct bh_track_stats stats;
    struct bh_stall stall;
    struct bh_mix mix;
    struct bh_profile row;
    bh_chip *chip = make_chip(1);
    (void)state;
    assert_int_equal(bh_stats_get(chip, TILE, BH_TRACK_T0, &stats), BH_ERR_STATE);
    assert_int_equal(bh_endpoint_stats(chip, &stats), BH_ERR_STATE);
    assert_int_equal(bh_observe_flush(chip), BH_ERR_STATE);
    assert_int_equal(bh_observe(chip, 8, NULL, NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_observe(chip, BH_WATCH_EVENTS, NULL, NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_observe(chip, BH_WATCH_STATS, NULL, NULL), BH_OK);
    assert_int_equal(bh_stats_get(chip, TILE, BH_TRACK_COUNT, &stats), BH_ERR_ARGUMENT);
    assert_int_equal(bh_stats_get(chip, (struct bh_xy){ 0, 0 }, BH_TRACK_T0, &stats), BH_ERR_COORDINATE);
    assert_int_equal(bh_stall_at(chip, TILE, BH_TRACK_T0, 0, &stall), BH_ERR_ARGUMENT);
    assert_int_equal(bh_mix_at(chip, TILE, BH_TRACK_BRISC, 0, &mix), BH_ERR_ARGUMENT);
    assert_int_equal(bh_profile_from(chip, TILE, BH_BRISC, 0, &row), BH_ERR_STATE);
    assert_int_equal(bh_profile_from(chip, TILE, BH_CORE_COUNT, 0, &row), BH_ERR_ARGUMENT);
    assert_int_equal(bh_observe(chip, 0, NULL, NULL), BH_OK);
    assert_int_equal(bh_stats_get(chip, TILE, BH_TRACK_T0, &stats), BH_ERR_STATE);
    for (unsigned track = 0; track < BH_TRACK_COUNT; track++)
        assert_true(strlen(bh_track_name((enum bh_track)track)) > 1);
    assert_string_equal(bh_track_name(BH_TRACK_COUNT), "no track");
    bh_destroy(chip);
}

static void a_reset_chip_is_watched_from_zero(void **state) {
    struct bh_track_stats first, second;
    bh_chip *chip = make_chip(1);
    (void)state;
    assert_int_equal(bh_observe(chip, BH_WATCH_STATS | BH_WATCH_PROFILE, NULL, NULL), BH_OK);
    load_scene(chip);
    run_to_end(chip);
    first = stats_of(chip, BH_TRACK_T0);
    bh_reset(chip);
    second = stats_of(chip, BH_TRACK_T0);
    assert_int_equal(second.instructions, 0);
    load_scene(chip);
    run_to_end(chip);
    second = stats_of(chip, BH_TRACK_T0);
    assert_memory_equal(&first, &second, sizeof first);
    bh_destroy(chip);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watching_a_scene_changes_nothing),
        cmocka_unit_test(watching_700_cores_changes_nothing_on_any_number_of_threads),
        cmocka_unit_test(statistics_add_up),
        cmocka_unit_test(a_wait_has_its_name_and_its_length),
        cmocka_unit_test(an_unpacker_waits_for_its_bank),
        cmocka_unit_test(a_profile_counts_every_instruction),
        cmocka_unit_test(a_profile_is_of_the_last_program),
        cmocka_unit_test(cores_have_a_mix),
        cmocka_unit_test(events_nest_and_say_what_statistics_say),
        cmocka_unit_test(events_of_an_unpacker_do_not_overlap),
        cmocka_unit_test(a_watch_in_the_middle_of_waits_counts_from_there),
        cmocka_unit_test(packets_are_counted_where_they_leave_and_where_they_come),
        cmocka_unit_test(a_read_brings_bytes),
        cmocka_unit_test(a_profile_has_no_row_after_the_last_address),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(a_reset_chip_is_watched_from_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
