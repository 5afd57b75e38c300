/* bh_save and bh_load: a chip that has loaded a file goes on as the saved chip does, with packets of every kind in
 * flight; damaged and forged files and files of another chip are refused. scenes.c saves random programs of all cores
 * and threads of a tile.
 *
 * save [ROUNDS [SEED]]
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "isa/tensix.h"
#include "support/chip.h"
#include "support/noc_world.h"
#include "support/random.h"
#include "support/rv.h"
#include "support/saved.h"

static unsigned rounds = 1;
static uint64_t seed = 11;
static const struct bh_xy TILE = { 1, 2 };

static char directory[] = "/tmp/bhemu-save-XXXXXX";
static char path[64];

static int make_directory(void **state) {
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    snprintf(path, sizeof path, "%s/chip", directory);
    return 0;
}

static int remove_directory(void **state) {
    (void)state;
    (void)unlink(path);
    return rmdir(directory);
}

/* ---- Packets in flight ------------------------------------------------------------------------------------------- */

enum { PIECES = 24, SOURCES = 40, REQUESTS = 12, PART = 4096, LIMIT = 3000 };

struct journey {
    bh_chip *chip;
    struct world *world;
    struct bh_config config;
};

static void begin(struct journey *j, uint64_t number, enum bh_timing timing, unsigned threads) {
    bh_config_board(&j->config, BH_BOARD_P150);
    j->config.timing = timing;
    j->config.threads = threads;
    j->config.host_read = world_host_read;
    j->config.host_write = world_host_write;
    j->config.user = &j->world;
    j->chip = make_configured(&j->config);
    j->world = world_create(j->chip, number, SOURCES, PART);
    world_load_memory(j->world, j->chip);
    world_draw_all(j->world, REQUESTS, LIMIT);
    world_start(j->world, j->chip, BH_NCRISC);
}

static void end(struct journey *j) {
    struct bh_stop stop;
    assert_int_equal(bh_run(j->chip, 100000000, BH_RUN_STOP_ON_IDLE | BH_RUN_STOP_ON_FAULT, &stop), BH_OK);
    assert_int_equal(stop.reason, BH_STOP_IDLE);
    assert_true(world_check(j->world, j->chip));
    world_destroy(j->world);
    bh_destroy(j->chip);
}

/* What has been on its way when a chip was saved. */
static struct seen {
    unsigned flights[NIU_LEAVES + 1], requests, responses, taken_in, sent, deferred, multicasts;
} seen;

static void note_box(const struct mail *mail, const struct arrival *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const struct transaction *transaction = mail_read(mail, &list[i]);
        seen.requests += transaction->stage == TRANSACTION_REQUEST;
        seen.responses += transaction->stage == TRANSACTION_RESPONSE;
        seen.taken_in += list[i].taken_in;
        seen.multicasts += transaction->request.multicast;
    }
}

static void note_mail(const struct mail *mail) {
    note_box(mail, mail->inbox.heap, mail->inbox.count);
    note_box(mail, mail->outbox.list, mail->outbox.count);
    seen.sent += mail->outbox.count;
    for (uint32_t i = mail->loose.done; i < mail->loose.count; i++) {
        seen.deferred++;
        seen.multicasts += mail->loose.list[i].request.multicast;
    }
}

static void note(const bh_chip *chip) {
    note_mail(&chip->exchange.mail);
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        if (!chip->made[i])
            continue;
        note_mail(&chip->tile[i]->mail);
        for (unsigned noc = 0; noc < 2; noc++)
            for (unsigned k = 0; k < chip->tile[i]->niu[noc].flights; k++)
                seen.flights[chip->tile[i]->niu[noc].flight[k].stage]++;
    }
}

/* Another chip goes on, with another number of host threads. */
static void change_chips(struct journey *j, unsigned threads) {
    note(j->chip);
    assert_int_equal(bh_save(j->chip, path), BH_OK);
    bh_destroy(j->chip);
    j->config.threads = threads;
    j->chip = make_configured(&j->config);
    if (bh_load(j->chip, path) != BH_OK)
        fail_msg("%s", bh_message(j->chip));
}

static void compare(uint64_t number, enum bh_timing timing) {
    struct journey straight, saved;
    uint64_t random = number;
    begin(&straight, number, timing, 1);
    begin(&saved, number, timing, 1);
    for (unsigned i = 0; i < PIECES; i++) {
        unsigned cycles = 1 + random_below(&random, 400);
        assert_int_equal(bh_run(straight.chip, cycles, 0, NULL), BH_OK);
        assert_int_equal(bh_run(saved.chip, cycles, 0, NULL), BH_OK);
        change_chips(&saved, 1 + i % 3);
        if (i % 2) /* the hash reads all tiles: others stay unread until the chip needs them */
            continue;
        if (bh_state_hash(straight.chip) != bh_state_hash(saved.chip))
            fail_msg("seed %" PRIu64 ": after piece %u, cycle %" PRIu64, number, i, bh_cycle(saved.chip));
    }
    end(&straight);
    end(&saved);
}

static void packets_on_their_way(void **state) {
    (void)state;
    for (unsigned i = 0; i < rounds; i++)
        compare(seed + i, BH_TIMING_CYCLES);
    for (unsigned i = 0; i <= NIU_LEAVES; i++)
        assert_true(seen.flights[i] > 0);
    assert_true(seen.requests && seen.responses && seen.taken_in && seen.sent && seen.multicasts);
}

static void packets_on_their_way_with_loose_timing(void **state) {
    (void)state;
    for (unsigned i = 0; i < rounds; i++)
        compare(seed + i, BH_TIMING_LOOSE);
}

/* ---- Words and tiles that wait ----------------------------------------------------------------------------------- */

/* TRISC0 pushes more words than its FIFO takes, behind a SEMWAIT that a store of TRISC1 ends later. */
static bh_chip *chip_with_row(enum bh_timing timing) {
    enum { WORDS = 60, DELAY = 600 };
    uint32_t pusher[WORDS + 3], poster[8];
    unsigned count = 0;
    pusher[count++] = tensix_to_stream(tensix_encode_SEMINIT((struct tensix_SEMINIT){ 15, 0, 2 }));
    pusher[count++] = tensix_to_stream(tensix_encode_SEMWAIT((struct tensix_SEMWAIT){ 0x1FF, 2, 1 }));
    for (unsigned i = 0; i < WORDS; i++)
        pusher[count++] = tensix_to_stream(tensix_encode_SETDMAREG((struct tensix_SETDMAREG){ 0, i, 0, 2 * (i % 50) }));
    pusher[count++] = 0x00100073;
    count = 0;
    poster[count++] = rv_addi(6, 0, DELAY);
    poster[count++] = rv_addi(6, 6, -1);
    poster[count++] = rv_bne(6, 0, -4);
    poster[count++] = rv_lui(5, rv_high(0xFFE80024)); /* semaphore 1 */
    poster[count++] = rv_addi(5, 5, rv_low(0xFFE80024));
    poster[count++] = rv_sw(0, 0, 5); /* a post */
    poster[count++] = 0x00100073;
    bh_chip *chip = make_timed(timing, 1);
    start_at(chip, TILE, BH_TRISC0, core_entry[BH_TRISC0], pusher, sizeof pusher);
    start_at(chip, TILE, BH_TRISC1, core_entry[BH_TRISC1], poster, 4 * count);
    return chip;
}

/* Saved in this cycle; the same chip and the loaded one go on. Returns whether words were waiting. */
static bool save_row(enum bh_timing timing, unsigned cycle) {
    bh_chip *chip = chip_with_row(timing), *other = make_timed(timing, 1);
    assert_int_equal(bh_run(chip, cycle, 0, NULL), BH_OK);
    const struct tensix_thread *thread = &chip->tile[0]->tensix.thread[0];
    bool waits = timing == BH_TIMING_LOOSE ? thread->frontend.held : tensix_row_attached(&thread->row);
    assert_int_equal(bh_save(chip, path), BH_OK);
    assert_int_equal(bh_load(other, path), BH_OK);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(bh_run(chip, 307, 0, NULL), BH_OK);
        assert_int_equal(bh_run(other, 307, 0, NULL), BH_OK);
        if (bh_state_hash(chip) != bh_state_hash(other))
            fail_msg("saved in cycle %u: another state before cycle %" PRIu64, cycle, bh_cycle(chip));
    }
    bh_destroy(chip);
    bh_destroy(other);
    return waits;
}

static void words_that_wait_for_room(void **state) {
    (void)state;
    for (unsigned timing = BH_TIMING_CYCLES; timing <= BH_TIMING_LOOSE; timing++) {
        unsigned waiting = 0;
        for (unsigned cycle = 20; cycle < 1400; cycle += 137)
            waiting += save_row((enum bh_timing)timing, cycle);
        assert_true(waiting > 3);
    }
}

/* A tile that sleeps is not even read before somebody wakes it. */
static void tiles_that_sleep(void **state) {
    (void)state;
    const uint32_t code[] = { rv_lui(5, 0x20000), rv_lw(6, 0, 5), rv_b(0, 6, 0, -4), rv_addi(7, 6, 1), 0x00100073 };
    const struct bh_xy second = { 2, 2 };
    uint32_t value, word = 41;
    struct bh_stop stop;
    bh_chip *chip = make_chip(1);
    start_at(chip, TILE, BH_BRISC, 0, code, sizeof code);
    start_at(chip, second, BH_BRISC, 0, code, sizeof code);
    assert_int_equal(bh_run(chip, 5000, 0, NULL), BH_OK);
    assert_int_equal(bh_save(chip, path), BH_OK);
    uint64_t hash = bh_state_hash(chip);
    assert_int_equal(bh_load(chip, path), BH_OK);
    assert_non_null(chip->unread);
    assert_int_equal(bh_run(chip, 5000, 0, &stop), BH_OK);
    assert_int_equal(stop.waiting, 2);
    assert_int_equal(chip->unread->count, 2);
    assert_int_equal(bh_write(chip, TILE, 0x20000, &word, sizeof word), BH_OK);
    assert_int_equal(chip->unread->count, 1);
    run_until_idle(chip);
    assert_int_equal(bh_core_get(chip, TILE, BH_BRISC, 7, &value), BH_OK);
    assert_int_equal(value, 42);
    assert_int_equal(bh_save(chip, path), BH_OK); /* with all that was not read */
    assert_null(chip->unread);
    assert_int_equal(bh_core_get(chip, second, BH_BRISC, 6, &value), BH_OK);
    assert_int_equal(value, 0);
    assert_int_not_equal(bh_state_hash(chip), hash);
    bh_destroy(chip);
}

/* A tile that has gone to sleep in the middle of an epoch that was its own. */
static void a_tile_that_sleeps_in_its_epoch(void **state) {
    static const uint32_t program[] = { RV_NOP, RV_NOP, RV_EBREAK };
    (void)state;
    for (unsigned cycle = 20; cycle < 300; cycle += 40) {
        bh_chip *chip = make_chip(1), *other = make_chip(1);
        struct bh_stop stop;
        start_at(chip, TILE, BH_BRISC, 0, program, sizeof program);
        assert_int_equal(bh_run(chip, cycle, 0, &stop), BH_OK);
        assert_int_equal(bh_save(chip, path), BH_OK);
        assert_int_equal(bh_load(other, path), BH_OK);
        assert_int_equal(bh_run(chip, 1000, 0, &stop), BH_OK);
        assert_int_equal(bh_run(other, 1000, 0, &stop), BH_OK);
        assert_true(bh_state_hash(other) == bh_state_hash(chip));
        bh_destroy(chip);
        bh_destroy(other);
    }
}

/* ATCAS waits for a word of L1 when the chip is saved: a write to the loaded chip ends the wait. */
static void a_thread_that_watches_l1(void **state) {
    enum { WORD = 0x20000 };
    const uint32_t code[] = {
        tensix_to_stream(tensix_encode_SETDMAREG((struct tensix_SETDMAREG){ 0, WORD / 16, 0, 2 * 11 })),
        tensix_to_stream(tensix_encode_ATCAS((struct tensix_ATCAS){ 0, 7, 3, 0, 0, 11 })),
        0x00100073,
    };
    (void)state;
    for (unsigned timing = BH_TIMING_CYCLES; timing <= BH_TIMING_LOOSE; timing++) {
        uint32_t word = 3;
        bh_chip *chip = make_timed((enum bh_timing)timing, 1);
        start_at(chip, TILE, BH_TRISC0, 0x6000, code, sizeof code);
        assert_int_equal(bh_run(chip, 500, 0, NULL), BH_OK);
        assert_int_equal(bh_save(chip, path), BH_OK);
        bh_destroy(chip);
        chip = make_timed((enum bh_timing)timing, 1);
        assert_int_equal(bh_load(chip, path), BH_OK);
        assert_int_equal(bh_write(chip, TILE, WORD, &word, sizeof word), BH_OK);
        assert_int_equal(bh_run(chip, 500, 0, NULL), BH_OK);
        assert_int_equal(bh_peek(chip, TILE, WORD, &word, sizeof word), BH_OK);
        assert_int_equal(word, 7);
        bh_destroy(chip);
    }
}

/* ---- What else belongs to a chip --------------------------------------------------------------------------------- */

/* A program with data in local memory, which waits for its release. */
static void programs_that_have_not_started(void **state) {
    (void)state;
    const uint32_t code[] = { rv_lui(5, rv_high(0xFFB00000)), rv_lw(6, 0, 5), 0x00100073 };
    uint32_t value = 0, word = 0xCAFEF00D;
    bh_chip *chip = make_chip(1);
    assert_int_equal(bh_load_raw(chip, TILE, BH_BRISC, 0, code, sizeof code), BH_OK);
    assert_int_equal(bh_poke(chip, TILE, 0x20000, &word, sizeof word), BH_OK);
    memcpy(chip->stage[chip_made(chip, 0)->index], &word, sizeof word);
    chip->staged[0] |= 1;
    uint64_t hash = bh_state_hash(chip);
    assert_int_equal(bh_save(chip, path), BH_OK);
    bh_destroy(chip);
    chip = make_chip(1);
    assert_int_equal(bh_load(chip, path), BH_OK);
    assert_int_equal(bh_state_hash(chip), hash);
    assert_int_equal(bh_release(chip, TILE, 1u << BH_BRISC), BH_OK);
    run_until_idle(chip);
    assert_int_equal(bh_core_get(chip, TILE, BH_BRISC, 6, &value), BH_OK);
    assert_int_equal(value, word);
    bh_destroy(chip);
}

/* A core that waits says for what, as before. */
static void reasons_to_wait(void **state) {
    (void)state;
    const uint32_t code[] = { rv_lui(5, rv_high(0xFFEC1000)), rv_lw(6, 0, 5), 0x00100073 }; /* an empty mailbox */
    struct bh_core_info before, after;
    char text[128];
    bh_chip *chip = make_chip(1);
    start_at(chip, TILE, BH_BRISC, 0, code, sizeof code);
    assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
    assert_int_equal(bh_core_query(chip, TILE, BH_BRISC, &before), BH_OK);
    assert_true(before.waits_on && before.waits_on[0]);
    snprintf(text, sizeof text, "%s", before.waits_on);
    assert_int_equal(bh_save(chip, path), BH_OK);
    assert_int_equal(bh_load(chip, path), BH_OK);
    assert_int_equal(bh_load(chip, path), BH_OK); /* and again, over itself */
    assert_int_equal(bh_core_query(chip, TILE, BH_BRISC, &after), BH_OK);
    assert_string_equal(after.waits_on, text);
    bh_destroy(chip);
}

/* ---- Files that are refused -------------------------------------------------------------------------------------- */

struct file {
    uint8_t *bytes;
    size_t size;
};

static struct file saved_file(bh_chip *chip) {
    struct state_out out = { 0 };
    assert_int_equal(save_chip(chip, &out), BH_OK);
    return (struct file){ out.bytes, out.count };
}

static bh_chip *small_chip(void) {
    const uint32_t code[] = { rv_addi(5, 5, 1), rv_jal(0, -4) };
    bh_chip *chip = make_chip(1);
    start_at(chip, TILE, BH_BRISC, 0, code, sizeof code);
    assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
    return chip;
}

static void assert_refused(bh_chip *chip, const struct file *file, size_t size, const char *why) {
    uint64_t hash = bh_state_hash(chip);
    assert_int_equal(saved_restore(chip, file->bytes, size), BH_ERR_ARGUMENT);
    if (!strstr(bh_message(chip), why))
        fail_msg("'%s' does not say '%s'", bh_message(chip), why);
    assert_int_equal(bh_state_hash(chip), hash);
}

/* Members that have a few possible values only, which no limit describes. */
static void values_of_a_set(void **state) {
    static const uint8_t pieces[] = { 0, 15, 16, 17, 31, 32, 33 };
    (void)state;
    for (unsigned i = 0; i < sizeof pieces; i++) {
        bh_chip *chip = make_chip(1);
        chip_made(chip, 0)->tensix.unpack.unit[0].job[1].in.piece = pieces[i];
        assert_int_equal(bh_save(chip, path), BH_OK);
        assert_int_equal(bh_load(chip, path), pieces[i] % 16 ? BH_ERR_ARGUMENT : BH_OK);
        bh_destroy(chip);
    }
}

static void damaged_files(void **state) {
    (void)state;
    uint64_t random = seed;
    bh_chip *chip = small_chip();
    struct file file = saved_file(chip);
    assert_refused(chip, &file, 0, "no saved state");
    assert_refused(chip, &file, 31, "no saved state");
    assert_refused(chip, &file, 32, "cut off");
    assert_refused(chip, &file, file.size - 1, "cut off");
    for (unsigned i = 0; i < 40; i++) {
        size_t at = 32 + random_below(&random, (uint32_t)file.size - 32);
        file.bytes[at] ^= (uint8_t)(1u << random_below(&random, 8));
        assert_refused(chip, &file, file.size, "checksum");
        free(file.bytes);
        file = saved_file(chip);
    }
    file.bytes[0] ^= 1;
    assert_refused(chip, &file, file.size, "no saved state");
    file.bytes[0] ^= 1;
    file.bytes[8] ^= 2;
    assert_refused(chip, &file, file.size, "another version");
    free(file.bytes);
    bh_destroy(chip);
}

/* Bytes that are wrong although the checksum is right end in an error or not, but in nothing worse. */
static void forged_files(void **state) {
    (void)state;
    enum { TRIES = 60 };
    uint64_t random = seed;
    struct journey j;
    begin(&j, seed, BH_TIMING_CYCLES, 1);
    assert_int_equal(bh_run(j.chip, 700, 0, NULL), BH_OK);
    struct file file = saved_file(j.chip);
    uint8_t *copy = malloc(file.size);
    assert_non_null(copy);
    for (unsigned i = 0; i < TRIES; i++) {
        size_t size =
            i % 4 ? file.size : SAVED_STATE_AT + random_below(&random, (uint32_t)(file.size - SAVED_STATE_AT));
        memcpy(copy, file.bytes, size);
        for (unsigned k = 0; k < 4; k++)
            copy[SAVED_STATE_AT + random_below(&random, (uint32_t)(size - SAVED_STATE_AT))] ^=
                (uint8_t)random_below(&random, 256);
        saved_seal(copy, size);
        (void)saved_restore(j.chip, copy, size);
    }
    if (saved_restore(j.chip, file.bytes, file.size) != BH_OK)
        fail_msg("%s", bh_message(j.chip));
    free(copy);
    free(file.bytes);
    end(&j);
}

static void other_layouts(void **state) {
    (void)state;
    bh_chip *chip = small_chip();
    struct file file = saved_file(chip);
    file.bytes[SAVED_LAYOUT_AT] ^= 1;
    saved_seal(file.bytes, file.size);
    assert_refused(chip, &file, file.size, "another layout");
    free(file.bytes);
    bh_destroy(chip);
}

static void other_configurations(void **state) {
    (void)state;
    struct bh_config config, found;
    char message[128];
    bh_chip *chip = small_chip();
    assert_int_equal(bh_save(chip, path), BH_OK);
    bh_config_board(&config, BH_BOARD_P100A);
    bh_chip *other = make_configured(&config);
    assert_int_equal(bh_load(other, path), BH_ERR_STATE);
    assert_non_null(strstr(bh_message(other), "board differs"));
    bh_destroy(other);
    bh_config_init(&found);
    assert_int_equal(bh_saved_config(path, &found, message, sizeof message), BH_OK);
    assert_int_equal(found.skew, 128);
    other = make_configured(&found);
    assert_int_equal(bh_load(other, path), BH_OK);
    assert_int_equal(bh_state_hash(other), bh_state_hash(chip));
    bh_destroy(other);
    bh_destroy(chip);
}

static void files_that_are_not_there(void **state) {
    (void)state;
    struct bh_config config;
    char none[96], message[128];
    bh_chip *chip = small_chip();
    snprintf(none, sizeof none, "%s/none/chip", directory);
    assert_int_equal(bh_load(chip, none), BH_ERR_FILE);
    assert_non_null(strstr(bh_message(chip), none));
    assert_int_equal(bh_save(chip, none), BH_ERR_FILE);
    assert_non_null(strstr(bh_message(chip), none));
    bh_config_init(&config);
    assert_int_equal(bh_saved_config(none, &config, message, sizeof message), BH_ERR_FILE);
    assert_non_null(strstr(message, none));
    assert_int_equal(bh_load(chip, NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_save(NULL, path), BH_ERR_ARGUMENT);
    bh_destroy(chip);
}

/* A file that cannot be replaced stays as it was. */
static void disks_that_are_full(void **state) {
    (void)state;
    bh_chip *chip = small_chip();
    if (access("/dev/full", W_OK) == 0) {
        char part[80];
        snprintf(part, sizeof part, "%s.part", path);
        assert_int_equal(bh_save(chip, path), BH_OK);
        assert_int_equal(symlink("/dev/full", part), 0);
        assert_int_equal(bh_save(chip, path), BH_ERR_FILE);
        assert_int_equal(bh_load(chip, path), BH_OK);
    }
    bh_destroy(chip);
}

/* A link goes on naming its file. The command line's case save-elsewhere has a pipe. */
static void links_to_files(void **state) {
    (void)state;
    char link[96];
    struct stat info;
    bh_chip *chip = small_chip();
    snprintf(link, sizeof link, "%s/link", directory);
    assert_int_equal(bh_save(chip, path), BH_OK);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(bh_save(chip, link), BH_OK);
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(bh_load(chip, path), BH_OK);
    assert_int_equal(bh_load(chip, directory), BH_ERR_FILE);
    unlink(link);
    bh_destroy(chip);
}

/* A chip that is observed or checked has all its tiles before a load, also those that the file does not have: they are
 * as at power-on, Ethernet tiles with their firmware, and a copy of the chip has it too. */
static void watched_chips_have_all_tiles(void **state) {
    static const struct bh_xy eth = { 20, 25 };
    enum { MAGIC_AT = 0x7CC00 };
    (void)state;
    bh_chip *fresh = make_chip(1), *watched[] = { make_chip(1), make_chip(1) }, *copy = make_chip(1);
    bh_snapshot *first, *second;
    assert_int_equal(bh_snapshot_take(fresh, &first), BH_OK);
    uint32_t magic = peek_word(fresh, eth, MAGIC_AT);
    assert_true(magic != 0);
    assert_int_equal(bh_observe(watched[0], BH_WATCH_STATS, NULL, NULL), BH_OK);
    assert_int_equal(bh_check(watched[1], true), BH_OK);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(bh_snapshot_restore(watched[i], first), BH_OK);
        assert_true(bh_state_hash(watched[i]) == bh_state_hash(fresh));
        assert_int_equal(bh_snapshot_take(watched[i], &second), BH_OK);
        assert_int_equal(bh_snapshot_restore(copy, second), BH_OK);
        assert_int_equal(peek_word(copy, eth, MAGIC_AT), magic);
        assert_true(bh_state_hash(copy) == bh_state_hash(fresh));
        bh_snapshot_free(second);
        bh_destroy(watched[i]);
    }
    bh_snapshot_free(first);
    bh_destroy(fresh);
    bh_destroy(copy);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_on_their_way),
        cmocka_unit_test(packets_on_their_way_with_loose_timing),
        cmocka_unit_test(words_that_wait_for_room),
        cmocka_unit_test(tiles_that_sleep),
        cmocka_unit_test(a_tile_that_sleeps_in_its_epoch),
        cmocka_unit_test(a_thread_that_watches_l1),
        cmocka_unit_test(programs_that_have_not_started),
        cmocka_unit_test(reasons_to_wait),
        cmocka_unit_test(values_of_a_set),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(forged_files),
        cmocka_unit_test(other_layouts),
        cmocka_unit_test(other_configurations),
        cmocka_unit_test(files_that_are_not_there),
        cmocka_unit_test(disks_that_are_full),
        cmocka_unit_test(links_to_files),
        cmocka_unit_test(watched_chips_have_all_tiles),
    };
    if (argc > 1)
        rounds = (unsigned)strtoul(argv[1], NULL, 0);
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 0);
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
