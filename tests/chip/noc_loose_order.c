/* A loosely timed NoC: requests that are executed at once keep their order with deferred ones, waiting cores wake, and
 * no fault, warning or request caused by a request is lost. */
#include "support/noc_stage.h"

#include <stdlib.h>
#include <unistd.h>

#include "chip/loose.h"

static bh_chip *make_loose(void) {
    return make_timed(BH_TIMING_LOOSE, 1);
}

/* ---- In order ------------------------------------------------------------------------------------------------------
 */

static const struct bh_xy bank[] = { { 17, 12 }, { 17, 13 } }; /* two ports of one */

/* The instructions with which a core prepares requests, each in a command buffer of its own, and starts one. */
static void prepare(struct script *script, unsigned buffer, struct script_request r) {
    uint32_t word[12];
    memcpy(word, &r, sizeof word);
    for (uint32_t i = 0; i < 12; i++)
        script_put(script, SCRIPT_STORE, script_niu(0, buffer) + 4 * i, word[i]);
}

static void send(struct script *script, unsigned buffer) {
    script_put(script, SCRIPT_STORE, script_niu(0, buffer) + NIU_CMD_CTRL, 1);
}

static void idle(struct script *script, unsigned steps) {
    while (steps--)
        script_put(script, SCRIPT_ADD, DONE + 4, 0);
}

/* The core stops where it finds another value. */
static void expect(struct script *script, uint32_t address, uint32_t value) {
    script_put(script, SCRIPT_ADD, address, 0 - value);
    script_put(script, SCRIPT_STOP_IF, address, 0);
    script_put(script, SCRIPT_STORE, DONE, 1);
}

/* Requests follow each other so closely that an exchange falls between them in few of these cases, but in some. */
enum { CASES = 12 };

/* The effect of an acknowledged write is visible, also by another route. */
static void memory_is_as_it_was_written(void **state) {
    (void)state;
    for (unsigned i = 0; i < CASES; i++) {
        bh_chip *chip = make_loose();
        struct script script = { 0 };
        fill(chip, here, DATA, 16, 500);
        prepare(&script, 0, write_to(here, DATA, bank[0], 0x7FC0, 128));
        prepare(&script, 1, read_from(bank[1], 0x8000, here, DATA + 0x100, 32)); /* the second half of it */
        prepare(&script, 2, read_from(bank[1], 0x8000, there, DATA, 32));
        idle(&script, i);
        send(&script, 0);
        wait_for(&script, 0, NIU_WR_ACK_RECEIVED, 1);
        send(&script, 1);
        send(&script, 2);
        start(chip, here, BH_BRISC, &script);
        fill(chip, here, DATA + 64, 16, 516);
        run(chip);
        assert_filled(chip, here, DATA + 0x100, 8, 516);
        assert_filled(chip, there, DATA, 8, 516);
        assert_true(chip->touched[1]);
        assert_true(chip->idle);
        bh_destroy(chip);
    }
}

/* The copy of a header counts too. */
static void memory_has_headers_as_they_were_written(void **state) {
    enum { HEADER_STORE = 1 << 9 };
    (void)state;
    for (unsigned i = 0; i < CASES; i++) {
        bh_chip *chip = make_loose();
        struct script script = { 0 };
        struct script_request posted = write_to(here, DATA, bank[0], 0x40000, 64);
        posted.ctrl &= ~(uint32_t)SCRIPT_MARKED;
        posted.tag = HEADER_STORE;
        posted.data = 0x9000 >> 4;
        fill(chip, here, DATA, 16, 500);
        prepare(&script, 0, posted);
        prepare(&script, 1, read_from(bank[0], 0x9000, here, DATA + 0x100, 16));
        idle(&script, i);
        send(&script, 0);
        send(&script, 1);
        start(chip, here, BH_BRISC, &script);
        run(chip);
        assert_filled(chip, here, DATA + 0x100, 4, 500);
        bh_destroy(chip);
    }
}

/* Requests that wait make later requests wait, and then nothing is acknowledged before it is done. */
static void own_memory_is_read_before_it_is_written(void **state) {
    (void)state;
    for (unsigned i = 0; i < CASES; i++) {
        bh_chip *chip = make_loose();
        struct script script = { 0 };
        fill(chip, here, DATA, 8, 100);
        prepare(&script, 0, read_from(here, DATA, there, DATA, 16));
        prepare(&script, 1, write_to(here, DATA + 16, here, DATA, 16));
        prepare(&script, 2, read_from(here, DATA, here, DATA + 0x40, 16));
        idle(&script, i);
        for (unsigned buffer = 0; buffer < 3; buffer++)
            send(&script, buffer);
        wait_for(&script, 0, NIU_WR_ACK_RECEIVED, 1);
        expect(&script, DATA, 104);
        start(chip, here, BH_BRISC, &script);
        run(chip);
        assert_filled(chip, there, DATA, 4, 100);
        assert_int_equal(peek_word(chip, here, DONE), 0);
        assert_filled(chip, here, DATA + 4, 3, 105);
        assert_filled(chip, here, DATA + 0x40, 4, 104);
        bh_destroy(chip);
    }
}

/* A request to the tile itself is visible in the next instruction, and so is a read of DRAM, whatever had to wait
 * before. */
static void what_can_be_done_is_done_at_once(void **state) {
    const struct {
        struct script_request before, request;
        uint32_t address, value;
    } cases[] = {
        { read_from(here, DATA, there, DATA, 16), write_to(here, DATA, here, DATA + 0x20, 16), DATA + 0x20, 7 },
        { read_from(here, DATA, there, DATA, 16), read_from(here, DATA + 4, here, DATA + 0x24, 4), DATA + 0x24, 8 },
        { read_from(here, DATA, there, DATA, 16), increment(here, here, DATA, DATA + 0x10), DATA, 8 },
        { write_to(here, DATA, bank[0], 0x200, 16), read_from(bank[0], 0x100, here, DATA + 0x40, 16), DATA + 0x40, 70 },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        bh_chip *chip = make_loose();
        struct script script = { 0 };
        fill(chip, here, DATA, 4, 7);
        fill(chip, bank[0], 0x100, 4, 70);
        prepare(&script, 0, cases[i].before);
        prepare(&script, 1, cases[i].request);
        send(&script, 0);
        idle(&script, 40); /* until the exchange */
        send(&script, 1);
        expect(&script, cases[i].address, cases[i].value);
        start(chip, here, BH_BRISC, &script);
        run(chip);
        assert_int_equal(peek_word(chip, here, cases[i].address), 0);
        assert_int_equal(peek_word(chip, here, DONE), 0);
        bh_destroy(chip);
    }
}

/* The firmware's heartbeat is counted when it is looked at. */
static void ethernet_tiles_beat(void **state) {
    const struct bh_xy eth = { 20, 25 };
    bh_chip *chip = make_loose();
    struct script script = { 0 };
    (void)state;
    request(&script, 0, read_from(eth, 0x7CC70, here, DATA, 16));
    idle(&script, 100);
    request(&script, 0, read_from(eth, 0x7CC70, here, DATA + 16, 16));
    start(chip, here, BH_BRISC, &script);
    run(chip);
    assert_true(peek_word(chip, here, DATA + 16) > peek_word(chip, here, DATA));
    bh_destroy(chip);
}

static void bytes_that_overlap_move_as_if_they_did_not(void **state) {
    bh_chip *chip = make_loose();
    struct script script = { 0 };
    (void)state;
    fill(chip, here, DATA, 64, 1);
    request(&script, 0, read_from(here, DATA, here, DATA + 32, 128));
    wait_for(&script, 0, NIU_RD_RESP_RECEIVED, 1);
    request(&script, 0, write_to(here, DATA + 32, here, DATA + 16, 128));
    start(chip, here, BH_BRISC, &script);
    run(chip);
    assert_filled(chip, here, DATA + 16, 32, 1);
    bh_destroy(chip);
}

/* An acknowledgement goes where the request says. */
static void a_third_tile_gets_the_acknowledgement(void **state) {
    const struct bh_xy third = { 3, 2 };
    bh_chip *chip = make_loose();
    struct script script = { 0 };
    struct script_request r = write_to(third, DATA, there, DATA, 16);
    (void)state;
    fill(chip, here, DATA, 4, 9);
    request(&script, 0, r);
    start(chip, here, BH_BRISC, &script);
    run(chip);
    assert_filled(chip, there, DATA, 4, 9);
    assert_int_equal(counter_at(chip, here, 0, NIU_WR_ACK_RECEIVED), 0);
    assert_int_equal(counter_at(chip, third, 0, NIU_WR_ACK_RECEIVED), 1);
    assert_int_equal(counter_at(chip, there, 0, NIU_SLV_WR_ACK_SENT), 1);
    bh_destroy(chip);
}

/* Of two tiles that write the same word in the same epoch, each is the last one at times. */
static void each_of_two_comes_first_at_times(void **state) {
    const struct bh_xy third = { 3, 2 };
    unsigned last[2] = { 0 };
    (void)state;
    for (unsigned i = 0; i < CASES; i++) {
        bh_chip *chip = make_loose();
        for (unsigned sender = 0; sender < 2; sender++) {
            struct bh_xy from = sender ? there : here;
            struct script script = { 0 };
            prepare(&script, 0, write_to(from, DATA, third, DATA, 16));
            idle(&script, 6 * i);
            send(&script, 0);
            put_word(chip, from, DATA, 1 + sender);
            start(chip, from, BH_BRISC, &script);
        }
        run(chip);
        last[peek_word(chip, third, DATA) - 1]++;
        bh_destroy(chip);
    }
    assert_in_range(last[0], 2, CASES - 2);
    assert_int_equal(last[0] + last[1], CASES);
}

/* ---- Those who wait -------------------------------------------------------------------------------------------------
 */

/* Sleeps until DATA is not zero, and writes down when it has woken. */
static void start_sleeper(bh_chip *chip, struct bh_xy tile) {
    enum { BEQ = 0, CSRRS = 2, SYSTEM = 0x73, MCYCLE = 0xB00 };
    const uint32_t program[] = {
        rv_lui(10, DATA),     rv_lw(11, 0, 10),
        rv_b(BEQ, 11, 0, -4), (uint32_t)MCYCLE << 20 | CSRRS << 12 | 12 << 7 | SYSTEM,
        rv_sw(12, 0x10, 10),  rv_jal(0, 0),
    };
    start_at(chip, tile, BH_NCRISC, 0x4000, program, sizeof program);
}

static bh_chip *make_sleeper(struct bh_xy sleeper, unsigned steps) {
    bh_chip *chip = make_loose();
    struct script script = { 0 };
    put_word(chip, here, DATA + 0x20, 1);
    prepare(&script, 0, write_to(here, DATA + 0x20, sleeper, DATA, 16));
    idle(&script, steps);
    send(&script, 0);
    script_put(&script, SCRIPT_STORE, DONE, 1);
    start_sleeper(chip, sleeper);
    start(chip, here, BH_BRISC, &script);
    return chip;
}

/* When it is sent does not depend on how the chip is run. */
static void sleepers_wake_no_sooner_than_what_wakes_them(void **state) {
    (void)state;
    for (unsigned i = 0; i < 2 * CASES; i++) {
        struct bh_xy sleeper = i % 2 ? here : there;
        bh_chip *step = make_sleeper(sleeper, 200 + i), *whole = make_sleeper(sleeper, 200 + i);
        uint64_t sent = changes_at(step, here, DONE);
        run(whole);
        assert_in_range(peek_word(whole, sleeper, DATA + 0x10), sent - 32, sent + BH_EPOCH_MAX + 32);
        bh_destroy(step);
        bh_destroy(whole);
    }
}

/* When all cores wait, the exchange comes soon. */
static void answers_do_not_take_long(void **state) {
    enum { ROUNDS = 50 };
    bh_chip *chip = make_loose();
    struct script script = { 0 };
    (void)state;
    prepare(&script, 0, increment(here, there, DATA, DATA + 0x10));
    script_put(&script, SCRIPT_STORE, DONE, 1);
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        send(&script, 0);
        wait_for(&script, 0, NIU_ATOMIC_RESP_RECEIVED, i);
    }
    start(chip, here, BH_BRISC, &script);
    uint64_t begin = changes_at(chip, here, DONE);
    run(chip);
    assert_int_equal(peek_word(chip, there, DATA), ROUNDS);
    assert_in_range(bh_cycle(chip) - begin, 40 * ROUNDS, 160 * ROUNDS);
    bh_destroy(chip);
}

/* ---- Requests that make requests ------------------------------------------------------------------------------------
 */

static struct script_request start_of(struct bh_xy tile, unsigned buffer) {
    return (struct script_request){ .targ_lo = script_niu(0, buffer) + NIU_CMD_CTRL,
                                    .targ_hi = xy(tile),
                                    .ctrl = SCRIPT_WRITE | SCRIPT_INLINE | in_order,
                                    .len = 0xF,
                                    .data = 1 };
}

/* A core lets another tile send what that tile has prepared. */
static void one_tile_starts_anothers_request(void **state) {
    bh_chip *chip = make_loose();
    struct script prepares = { 0 }, starts = { 0 };
    (void)state;
    fill(chip, there, DATA, 8, 40);
    prepare(&prepares, 2, write_to(there, DATA, here, DATA, 32));
    start(chip, there, BH_BRISC, &prepares);
    run(chip);
    request(&starts, 0, start_of(there, 2));
    script_put(&starts, SCRIPT_WAIT, DATA, 40);
    start(chip, here, BH_BRISC, &starts);
    run(chip);
    assert_filled(chip, here, DATA, 8, 40);
    assert_int_equal(counter_at(chip, there, 0, NIU_WR_ACK_RECEIVED), 1);
    bh_destroy(chip);
}

/* One that starts itself goes on for ever, and yet time passes. */
static void a_request_that_starts_itself(void **state) {
    bh_chip *chip = make_loose();
    struct script script = { 0 };
    (void)state;
    request(&script, 0, start_of(here, 0));
    start(chip, here, BH_BRISC, &script);
    assert_int_equal(bh_run(chip, 100 * BH_EPOCH_MAX, 0, NULL), BH_OK);
    assert_int_equal(bh_cycle(chip), 100 * BH_EPOCH_MAX);
    assert_in_range(counter_at(chip, here, 0, NIU_CMD_ACCEPTED), 50, 500);
    bh_destroy(chip);
}

/* ---- Warnings -------------------------------------------------------------------------------------------------------
 */

static void on_warning(void *user, bh_chip *chip, const struct bh_fault *warning) {
    unsigned *warnings = user;
    assert_says(warning->text, "inline data to L1 is not safe");
    (void)chip, ++*warnings;
}

static void warnings_are_told(void **state) {
    struct script script = { 0 };
    struct bh_config config;
    unsigned warnings = 0;
    (void)state;
    bh_config_init(&config);
    config.timing = BH_TIMING_LOOSE;
    config.on_warning = on_warning;
    config.user = &warnings;
    bh_chip *chip = make_configured(&config);
    struct script_request r = start_of(there, 0);
    r.targ_lo = DATA;
    request(&script, 0, r);
    start(chip, here, BH_BRISC, &script);
    run(chip);
    assert_int_equal(peek_word(chip, there, DATA), 1);
    assert_int_equal(warnings, 1);
    bh_destroy(chip);
}

/* ---- Room -----------------------------------------------------------------------------------------------------------
 */

/* A core that sends and sends is held back before everything waits that it could send. */
static void floods_are_held_back(void **state) {
    enum { REQUESTS = 200 };
    bh_chip *chip = make_loose();
    struct script script = { 0 };
    (void)state;
    request(&script, 0, write_to(here, DATA, there, DATA, NOC_PACKET_MAX));
    for (unsigned i = 0; i < REQUESTS; i++)
        send(&script, 0);
    start(chip, here, BH_BRISC, &script);
    run(chip);
    assert_int_equal(counter_at(chip, there, 0, NIU_SLV_WR_REQ_RECEIVED), REQUESTS + 1);
    const struct loose_mail *loose = &chip_made(chip, 0)->mail.loose;
    assert_in_range(loose->room, 1, 16);
    assert_int_equal(loose->apart_room, 0); /* their bytes stay where they are */
    uint64_t flooded = bh_cycle(chip);
    assert_int_equal(bh_hold(chip, here, 1u << BH_BRISC), BH_OK);
    script_put(&script, SCRIPT_STORE, script_niu(0, 0) + 4 * NIU_AT_LEN_BE, 16);
    for (unsigned i = 0; i < REQUESTS; i++)
        send(&script, 0);
    start(chip, here, BH_BRISC, &script);
    run(chip);
    assert_int_equal(counter_at(chip, there, 0, NIU_SLV_WR_REQ_RECEIVED), 2 * REQUESTS + 1);
    assert_in_range(bh_cycle(chip) - flooded, 1, REQUESTS * BH_EPOCH_MAX / 4);
    bh_destroy(chip);
}

/* Multicasts of many bytes take several meetings, in turn, and what their senders do after them comes after them: what
 * has been acknowledged is there. Small ones, at both ends of the order, have to wait too. */
enum {
    CASTS = 3,
    FIRST_CAST = 10,
    SMALL = 2,
    LONG = 0x40000,
    SOURCE = 0x60000,
    TO = 0xB0000,
    CATCHER = 100,
    PIECE = 128
};
enum { MARKED_BYTES = CASTS * (LONG * 139 + 0x1000) + SMALL * 0x1000 };

static uint64_t arrived(bh_chip *chip) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < TOPOLOGY_TENSIX; i++)
        sum += chip_made(chip, i)->niu[0].count[NIU_SLV_WR_DATA_WORD_RECEIVED];
    return sum * NOC_FLIT;
}

static unsigned caster(unsigned i) {
    return i < CASTS ? FIRST_CAST + i : i == CASTS ? 2 : 30;
}

static bh_chip *flood_all(void) {
    bh_chip *chip = make_loose();
    for (unsigned i = 0; i < CASTS + SMALL; i++) {
        struct script script = { 0 };
        struct bh_xy from = chip_made(chip, caster(i))->xy;
        uint32_t marked = i < CASTS ? SCRIPT_MARKED : 0, length = i < CASTS ? LONG : 1024;
        struct script_request r = write_to(from, SOURCE, from, TO, length);
        r.ret_hi = script_xy(16, 11) | script_xy(1, 2) << 12;
        r.ctrl = SCRIPT_WRITE | SCRIPT_MULTICAST | SCRIPT_RESERVE | marked;
        prepare(&script, 0, r);
        prepare(&script, 1, write_to(from, SOURCE, chip_made(chip, CATCHER)->xy, DATA + 0x1000 * i, 0x1000));
        idle(&script, i < CASTS ? 0 : 5 * (i - CASTS));
        send(&script, 0);
        send(&script, 1);
        wait_for(&script, 0, NIU_WR_ACK_RECEIVED, marked ? length / NOC_PACKET_MAX * 139 + 1 : 1);
        script_put(&script, SCRIPT_STORE, DONE, 1);
        fill(chip, from, SOURCE, 1, 900 + i);
        start(chip, from, BH_BRISC, &script);
    }
    return chip;
}

/* A core that is done has done its work. Returns the number of such cores. */
static unsigned check_done(bh_chip *chip) {
    unsigned done = 0;
    for (unsigned i = 0; i < CASTS + SMALL; i++)
        if (peek_word(chip, chip_made(chip, caster(i))->xy, DONE)) {
            assert_int_equal(peek_word(chip, chip_made(chip, CATCHER)->xy, DATA + 0x1000 * i), 900 + i);
            done++;
        }
    return done;
}

static void multicasts_take_several_meetings(void **state) {
    bh_chip *chip = flood_all(), *twin = flood_all();
    uint64_t before = 0, most = 0, meetings = 0;
    (void)state;
    for (unsigned i = 0; i < 1000 && arrived(chip) < MARKED_BYTES; i++) {
        assert_int_equal(bh_run(chip, PIECE, 0, NULL), BH_OK);
        uint64_t now = arrived(chip);
        most = now - before > most ? now - before : most;
        meetings += now > before;
        before = now;
        (void)check_done(chip);
    }
    assert_in_range(most, 1, 3 * (LOOSE_MULTICAST_BYTES + NOC_PACKET_MAX * 139) + (CASTS + SMALL) * 0x1000);
    assert_in_range(meetings, CASTS * LONG * 139 / 3 / (LOOSE_MULTICAST_BYTES + NOC_PACKET_MAX * 139), 50);
    run(chip);
    assert_int_equal(check_done(chip), CASTS + SMALL);
    assert_int_equal(arrived(chip), MARKED_BYTES);
    run(twin); /* unread so far, and no other agent is awake */
    assert_int_equal(check_done(twin), CASTS + SMALL);
    assert_int_equal(arrived(twin), MARKED_BYTES);
    bh_destroy(chip);
    bh_destroy(twin);
}

/* A chip that is saved while multicasts wait goes on with them in another one. */
static void multicasts_that_wait_are_saved(void **state) {
    bh_chip *chip = flood_all(), *other = make_loose();
    char path[] = "/tmp/bhemu-multicasts-XXXXXX";
    int file = mkstemp(path);
    (void)state;
    assert_true(file >= 0);
    for (unsigned i = 0; i < 100 && !chip_holds_any(chip); i++)
        assert_int_equal(bh_run(chip, PIECE, 0, NULL), BH_OK);
    assert_true(chip_holds_any(chip));
    assert_int_equal(bh_save(chip, path), BH_OK);
    assert_int_equal(bh_load(other, path), BH_OK);
    assert_true(bh_state_hash(chip) == bh_state_hash(other));
    run(chip);
    run(other);
    assert_int_equal(check_done(other), CASTS + SMALL);
    assert_int_equal(arrived(other), MARKED_BYTES);
    assert_true(bh_state_hash(chip) == bh_state_hash(other));
    (void)unlink(path);
    (void)close(file);
    bh_destroy(chip);
    bh_destroy(other);
}

/* Observation changes nothing, and the observer gets every packet. */
static void hear(void *user, const struct bh_event *event) {
    uint64_t *packets = user;
    *packets += event->kind == BH_EVENT_PACKET;
}

static void watching_changes_nothing(void **state) {
    uint64_t hash[2], packets = 0;
    (void)state;
    for (unsigned watched = 0; watched < 2; watched++) {
        struct script script = { 0 };
        bh_chip *chip = make_loose();
        if (watched)
            assert_int_equal(bh_observe(chip, BH_WATCH_EVENTS, hear, &packets), BH_OK);
        request(&script, 0, write_to(here, DATA, here, DATA + 0x20, 16));
        request(&script, 0, write_to(here, DATA, there, DATA + 0x20, 16));
        request(&script, 1, read_from(bank[0], 0x100, here, DATA + 0x40, 16));
        request(&script, 1, increment(here, there, DATA, DATA + 0x10));
        start(chip, here, BH_BRISC, &script);
        run(chip);
        hash[watched] = bh_state_hash(chip);
        bh_destroy(chip);
    }
    assert_int_equal(hash[0], hash[1]);
    assert_int_equal(packets, 8); /* there and back */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_as_it_was_written),
        cmocka_unit_test(memory_has_headers_as_they_were_written),
        cmocka_unit_test(own_memory_is_read_before_it_is_written),
        cmocka_unit_test(what_can_be_done_is_done_at_once),
        cmocka_unit_test(ethernet_tiles_beat),
        cmocka_unit_test(bytes_that_overlap_move_as_if_they_did_not),
        cmocka_unit_test(a_third_tile_gets_the_acknowledgement),
        cmocka_unit_test(each_of_two_comes_first_at_times),
        cmocka_unit_test(sleepers_wake_no_sooner_than_what_wakes_them),
        cmocka_unit_test(answers_do_not_take_long),
        cmocka_unit_test(one_tile_starts_anothers_request),
        cmocka_unit_test(a_request_that_starts_itself),
        cmocka_unit_test(warnings_are_told),
        cmocka_unit_test(floods_are_held_back),
        cmocka_unit_test(multicasts_take_several_meetings),
        cmocka_unit_test(multicasts_that_wait_are_saved),
        cmocka_unit_test(watching_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
