/* Random routes of overlay streams: every message arrives as it was sent, in order, whatever the sizes, the buffers and
 * the pace of both ends; with one and two host threads in the same cycles; with loose timing with the same bytes; and
 * in a chip that is saved and restored meanwhile.
 *
 * streams_random [ROUNDS [SEED]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "streams.h"
#include "support/random.h"

static unsigned rounds = 6;
static uint64_t seed = 3;

/* ---- Random routes ----------------------------------------------------------------------------------------------- */

enum { PHASES = 3, MESSAGES = 9, STAGES = 3 };

/* A route of two or three tiles. */
struct route {
    unsigned stages;
    struct end end[STAGES];
    uint32_t length[PHASES * MESSAGES];
    uint32_t first; /* number of the first message */
    uint32_t mode;  /* of all stages */
    unsigned pushed, popped, phase[STAGES];
};

static void draw(struct route *r, uint64_t *state, unsigned number) {
    static const struct bh_xy tile[] = { { 1, 2 }, { 2, 2 }, { 7, 5 }, { 12, 9 }, { 14, 3 }, { 6, 11 } };
    *r = (struct route){ .stages = 2 + (unsigned)(random_next(state) % 2), .first = number * 1000 };
    r->mode = CHANGE | (random_next(state) & 1 ? DATA_NOC : 0) | (random_next(state) & 1 ? UPDATE_NOC : 0);
    unsigned place = (unsigned)(random_next(state) % 6);
    uint32_t longest = 1 + (uint32_t)(random_next(state) % 40);
    for (unsigned i = 0; i < r->stages; i++) {
        bool ends = i == 0 || i + 1 == r->stages;
        uint32_t size = (ends ? longest : 1) + (uint32_t)(random_next(state) % 60);
        unsigned stream = 6 + number * STAGES + i; /* no two routes share a stream */
        r->end[i] = end_at(tile[(place + i * (1 + number % 4)) % 6], stream, size);
    }
    for (unsigned i = 0; i < PHASES * MESSAGES; i++)
        r->length[i] = 1 + (uint32_t)(random_next(state) % longest);
}

static void begin_phase(bh_chip *chip, struct route *r, unsigned stage) {
    const struct end *end = &r->end[stage];
    bool first = stage == 0, last = stage + 1 == r->stages;
    unsigned phase = ++r->phase[stage];
    configure(chip, end);
    if (!first)
        configure_source(chip, end, end - 1, phase);
    if (!last)
        configure_destination(chip, end, end + 1);
    else
        put(chip, end->tile, end->stream, OVERLAY_REMOTE_DEST_MSG_INFO_WR_PTR, 0);
    put(chip, end->tile, end->stream, OVERLAY_MEM_BUF_SPACE_AVAILABLE_ACK_THRESHOLD,
        (phase + r->first / 1000) % 3 ? 0 : 2);
    start(chip, end, r->mode | (first ? SOFTWARE_IN : NOC_IN) | (last ? SOFTWARE_OUT : NOC_OUT), MESSAGES);
}

/* Does something for a route, or nothing. */
static void play(bh_chip *chip, struct route *r, uint64_t *state) {
    for (unsigned stage = 0; stage < r->stages; stage++)
        if (status(chip, &r->end[stage]) == IDLE && r->phase[stage] < PHASES && random_next(state) % 3)
            begin_phase(chip, r, stage);
    bool pushes = r->pushed < r->phase[0] * MESSAGES && random_next(state) & 1;
    if (pushes && push(chip, &r->end[0], r->first + r->pushed, r->length[r->pushed]))
        r->pushed++;
    const struct end *last = &r->end[r->stages - 1];
    if (r->popped < PHASES * MESSAGES && random_next(state) & 1 &&
        pop(chip, last, last, r->first + r->popped, r->length[r->popped]))
        r->popped++;
}

static bool is_done(const bh_chip *chip, const struct route *r) {
    bool idle = true;
    for (unsigned stage = 0; stage < r->stages; stage++)
        idle &= status(chip, &r->end[stage]) == IDLE && r->phase[stage] == PHASES;
    return idle && r->popped == PHASES * MESSAGES;
}

enum { ROUTES = 3 };

static void restore(bh_chip **chip, const struct bh_config *config) {
    char path[] = "/tmp/bhemu-streams-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    uint64_t hash = bh_state_hash(*chip);
    assert_int_equal(bh_save(*chip, path), BH_OK);
    bh_destroy(*chip);
    *chip = make_configured(config);
    if (bh_load(*chip, path) != BH_OK)
        fail_msg("%s", bh_message(*chip));
    assert_int_equal(bh_state_hash(*chip), hash);
    (void)unlink(path);
}

static void hear(void *user, const struct bh_event *event) {
    unsigned *heard = user;
    *heard += event->kind == BH_EVENT_PACKET;
}

enum look { ALONE, RESTORED, WATCHED, CHECKED, VARIED };

/* Plays a round, and returns a hash of the chip at its end. RESTORED: the chip is saved and restored now and then. */
static uint64_t play_round(uint64_t number, enum bh_timing timing, unsigned threads, enum look look) {
    struct route route[ROUTES];
    uint64_t state = number, saver = 1;
    struct bh_config config;
    bh_config_board(&config, BH_BOARD_P150);
    config.timing = timing;
    config.threads = threads;
    bh_chip *chip = make_configured(&config);
    unsigned heard = 0;
    if (look == WATCHED)
        assert_int_equal(bh_observe(chip, BH_WATCH_STATS | BH_WATCH_EVENTS | BH_WATCH_INSTRUCTIONS, hear, &heard),
                         BH_OK);
    if (look == CHECKED)
        assert_int_equal(bh_check(chip, true), BH_OK);
    if (look == VARIED)
        assert_int_equal(bh_vary(chip, number), BH_OK);
    for (unsigned i = 0; i < ROUTES; i++)
        draw(&route[i], &state, i);
    bool done = false;
    for (unsigned turn = 0; !done; turn++) {
        assert_true(turn < 20000);
        done = true;
        for (unsigned i = 0; i < ROUTES; i++) {
            play(chip, &route[i], &state);
            done &= is_done(chip, &route[i]);
        }
        run(chip, 1 + random_next(&state) % 90);
        if (look == RESTORED && random_next(&saver) % 40 == 0)
            restore(&chip, &config);
    }
    assert_true(look != WATCHED || heard);
    uint64_t hash = bh_state_hash(chip);
    bh_destroy(chip);
    return hash;
}

static void random_routes(void **state) {
    (void)state;
    for (unsigned i = 0; i < rounds; i++) {
        uint64_t hash = play_round(seed + i, BH_TIMING_CYCLES, 1, ALONE);
        assert_int_equal(play_round(seed + i, BH_TIMING_CYCLES, 2, ALONE), hash);
        assert_int_equal(play_round(seed + i, BH_TIMING_CYCLES, 1, RESTORED), hash);
        assert_int_equal(play_round(seed + i, BH_TIMING_CYCLES, 1, WATCHED), hash);
        assert_int_equal(play_round(seed + i, BH_TIMING_CYCLES, 1, CHECKED), hash);
        (void)play_round(seed + i, BH_TIMING_CYCLES, 1, VARIED);
    }
}

static void random_routes_loosely(void **state) {
    (void)state;
    for (unsigned i = 0; i < rounds; i++) {
        uint64_t hash = play_round(seed + i, BH_TIMING_LOOSE, 1, ALONE);
        assert_int_equal(play_round(seed + i, BH_TIMING_LOOSE, 2, ALONE), hash);
        assert_int_equal(play_round(seed + i, BH_TIMING_LOOSE, 1, RESTORED), hash);
        assert_int_equal(play_round(seed + i, BH_TIMING_LOOSE, 1, WATCHED), hash);
    }
}

/* Whatever is written to registers of streams, the chip goes on or says what is wrong. */
static uint32_t plausible(uint64_t *state, struct bh_xy other, unsigned index) {
    static const uint32_t mode[] = { SOFTWARE_IN, NOC_IN, STREAMS_IN };
    static const uint32_t to[] = { 0, SOFTWARE_OUT, STREAM_OUT, NOC_OUT };
    uint32_t any = (uint32_t)random_next(state), kind = (uint32_t)random_next(state) % 8;
    if (kind == 0 && index != OVERLAY_REMOTE_SRC && index != OVERLAY_REMOTE_DEST)
        return any;
    switch (index) {
    case OVERLAY_MISC_CFG: return mode[any % 3] | to[any / 3 % 4] | (any >> 8 & (3 << 11 | 7 | NO_FLUSH));
    case OVERLAY_REMOTE_SRC:
    case OVERLAY_REMOTE_DEST: return any % 8 ? name(other, any >> 3 & 15) : 63;
    case OVERLAY_PHASE_AUTO_CFG_HEADER: return (any & 3) | (any >> 2 & 3) << 12 | (any >> 4 & 3) << 24;
    case OVERLAY_GATHER: return (1 + (any & 1)) | (1u << (any >> 1 & 1)) << 13 | (any >> 2 & 1) << 16;
    case OVERLAY_LOCAL_SRC_MASK_0: return any & 0xFFFF;
    case OVERLAY_MSG_HEADER_FORMAT: return 3 << 7 | 32;
    case OVERLAY_NUM_MSGS_RECEIVED_INC: return (any & 3) | (any >> 2 & 7) << 12;
    case OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO: return (any >> 4 & 7) << 17 | (0x2000 + (any & 15));
    case OVERLAY_DEST_PHASE_READY_UPDATE: return (any & 3) << 6;
    case OVERLAY_ONETIME_MISC_CFG: return any % 16 ? 0 : any & 3;
    case OVERLAY_MCAST_DEST: return any % 4 ? 0 : name(C, 0) | 1 << 12;
    default: return any % (kind < 4 ? 4 : 32);
    }
}

static void random_registers(void **state) {
    static const uint8_t often[] = { OVERLAY_MISC_CFG,
                                     OVERLAY_REMOTE_SRC,
                                     OVERLAY_REMOTE_DEST,
                                     OVERLAY_BUF_SIZE,
                                     OVERLAY_REMOTE_DEST_BUF_SIZE,
                                     OVERLAY_PHASE_AUTO_CFG_HEADER,
                                     OVERLAY_GATHER,
                                     OVERLAY_LOCAL_SRC_MASK_0,
                                     OVERLAY_NUM_MSGS_RECEIVED_INC,
                                     OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO };
    (void)state;
    for (unsigned timing = 0; timing < 2; timing++) {
        uint64_t random = seed + timing;
        bh_chip *chip = make_timed(timing ? BH_TIMING_LOOSE : BH_TIMING_CYCLES, 1);
        for (unsigned i = 0; i < 0x400; i++)
            put_word(chip, i & 1 ? A : B, 4 * (i / 2) % 0x200 + 0x20000, i % 7);
        for (unsigned i = 0; i < rounds * 1000; i++) {
            unsigned stream = (unsigned)random_next(&random) % 16, index = (unsigned)random_next(&random) % 16;
            index = index < 10   ? often[index]
                    : index < 13 ? 264 + (unsigned)random_next(&random) % 8
                                 : (unsigned)random_next(&random) % 300;
            uint32_t value = plausible(&random, i & 1 ? B : A, index);
            (void)bh_write(chip, i & 1 ? A : B, at(stream, index), &value, sizeof value);
            struct bh_stop stop;
            if (i % 4 == 0)
                assert_int_equal(bh_run(chip, 1 + random_next(&random) % 40, 0, &stop), BH_OK);
        }
        bh_destroy(chip);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_routes),
        cmocka_unit_test(random_routes_loosely),
        cmocka_unit_test(random_registers),
    };
    rounds = argc > 1 ? (unsigned)atoi(argv[1]) : rounds;
    seed = argc > 2 ? strtoull(argv[2], NULL, 0) : seed;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
