/* Fuzzes loading. The input says which saved chip to take and how to change it; size and checksum are made right
 * again, so that what follows is looked at. Then a chip loads the bytes, runs, saves and loads once more. Whatever the
 * changes: loading refuses the bytes with a reason and leaves the chip as it was, or the chip runs.
 *
 *     the saved chip (1), then changes: offset (3), what (1), value (4)
 *
 * Chips are saved while cores push random words to the coprocessor and send packets of all kinds to other tiles.
 *
 * A chip that was loaded from forged bytes may break rules of the emulator itself. Here failed checks do what they do
 * in a release: BH_CHECK ends the run with an error, BH_ASSERT does nothing. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/check.h"
#include "support/noc_script.h"
#include "support/saved.h"
#include "support/scene.h"

enum { CHIPS = 12, CHANGES = 24, CYCLES = 3000, SECONDS = 10, LIST = 0x20000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good, const char *what) {
    if (good)
        return;
    fprintf(stderr, "fuzz save: %s\n", what);
    abort();
}

bool check_failed(struct internal_error *error, const char *where) {
    if (!error)
        return false;
    atomic_store_explicit(&error->where, where, memory_order_relaxed);
    if (error->pending)
        atomic_store_explicit(error->pending, true, memory_order_relaxed);
    return false;
}

/* ---- Chips that are saved ------------------------------------------------------------------------------------- */

static const struct bh_xy places[] = { { 1, 2 }, { 2, 2 }, { 3, 5 }, { 14, 11 } };
static const uint32_t entry[BH_CORE_COUNT] = { 0, 0x6000, 0xA000, 0xE000, 0x12000 };

static bh_chip *make_chip(enum bh_timing timing) {
    struct bh_config config;
    bh_chip *chip;
    bh_config_init(&config);
    config.threads = 1;
    config.timing = timing;
    check(bh_create(&config, &chip, NULL, 0) == BH_OK, "no chip");
    return chip;
}

/* Requests of every kind, to other tiles, DRAM and many at once. */
static void draw_requests(struct script *script, uint64_t *random) {
    enum { INLINE = 1 << 3, MARKED = 1 << 4, MULTICAST = 1 << 5 };
    for (unsigned i = 0; i < 40; i++) {
        static const uint32_t ctrl[] = { SCRIPT_READ,
                                         SCRIPT_WRITE,
                                         SCRIPT_WRITE | MARKED,
                                         SCRIPT_WRITE | INLINE | MARKED,
                                         SCRIPT_ATOMIC | MARKED,
                                         SCRIPT_WRITE | MULTICAST | MARKED };
        uint32_t kind = random_below(random, 6), noc = random_below(random, 2), buffer = random_below(random, 4);
        uint32_t base = 0xFFB20000 + 0x10000 * noc + 0x800 * buffer, length = 16u << random_below(random, 10);
        uint32_t other = places[random_below(random, 4)].x | (uint32_t)places[random_below(random, 4)].y << 6;
        uint32_t area = (2u | 3u << 6) << 12 | (6u | 9u << 6);
        script_put(script, SCRIPT_STORE, base + 0x00, 0x40000 + 64 * random_below(random, 64));
        script_put(script, SCRIPT_STORE, base + 0x08,
                   kind == 0 || kind >= 3 ? (kind == 5 ? 1u | 2u << 6 : other) : 1u | 2u << 6);
        script_put(script, SCRIPT_STORE, base + 0x0C, 0x60000 + 64 * random_below(random, 64));
        script_put(script, SCRIPT_STORE, base + 0x14, kind == 5 ? area : kind == 0 ? 1u | 2u << 6 : other);
        script_put(script, SCRIPT_STORE, base + 0x18, random_below(random, 16) << 10);
        script_put(script, SCRIPT_STORE, base + 0x1C, ctrl[kind]);
        script_put(script, SCRIPT_STORE, base + 0x20, kind == 4 ? 0x1000 | 31u << 2 : length);
        script_put(script, SCRIPT_STORE, base + 0x28, (uint32_t)random_next(random));
        script_put(script, SCRIPT_STORE, base + 0x40, 1);
    }
}

static void start_sender(bh_chip *chip, struct bh_xy tile, uint64_t *random) {
    uint32_t program[SCRIPT_PROGRAM];
    struct script script = { 0 };
    draw_requests(&script, random);
    script_put(&script, SCRIPT_STOP, 0, 0);
    script_program(program, LIST);
    (void)bh_poke(chip, tile, LIST, script.word, 4 * script.count);
    (void)bh_load_raw(chip, tile, BH_NCRISC, entry[BH_NCRISC], program, sizeof program);
    script_free(&script);
}

static void start_scene(bh_chip *chip, struct bh_xy tile, uint64_t seed) {
    struct scene *scene = malloc(sizeof *scene);
    check(scene != NULL, "no memory");
    make_scene(scene, seed, SOFT_RESETS | RACES | LONG_WAITS | EXPANDERS);
    for (unsigned core = BH_BRISC; core <= BH_TRISC2; core++)
        (void)bh_load_raw(chip, tile, (enum bh_core)core, entry[core], scene->code[core].word,
                          4 * scene->code[core].count);
    free(scene);
}

static struct state_out make_saved(unsigned number) {
    uint64_t random = number + 1;
    struct state_out out = { 0 };
    bh_chip *chip = make_chip(number % 2 ? BH_TIMING_LOOSE : BH_TIMING_CYCLES);
    for (unsigned i = 0; i < 2; i++) {
        start_scene(chip, places[i], 16 * number + i + random_below(&random, 1000));
        start_sender(chip, places[i], &random);
        (void)bh_release(chip, places[i], 0x1F);
    }
    (void)bh_run(chip, 200 + random_below(&random, 3000), 0, NULL);
    check(save_chip(chip, &out) == BH_OK, "a chip is not saved");
    bh_destroy(chip);
    return out;
}

/* ---- The input ------------------------------------------------------------------------------------------------- */

struct change {
    uint32_t offset, value;
    uint8_t what;
};

static bool take_change(const uint8_t **data, size_t *size, struct change *change) {
    if (*size < 8)
        return false;
    const uint8_t *at = *data;
    *change = (struct change){ .offset = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16, .what = at[3] };
    memcpy(&change->value, at + 4, sizeof change->value);
    *data += 8;
    *size -= 8;
    return true;
}

/* Sets or flips one to eight bytes, cuts the end off, or writes what another place has. */
static void apply(uint8_t *bytes, size_t *size, const struct change *change) {
    size_t room = *size - SAVED_STATE_AT, at = SAVED_STATE_AT + change->offset % room, left = *size - at;
    uint8_t value[8] = { 0 };
    memcpy(value, &change->value, sizeof change->value);
    if (change->what % 16 == 9 || change->what % 16 == 10) /* a time that is far away */
        memset(value + 4, change->what % 16 == 9 ? 0xFF : 0x01, 4);
    size_t length = (size_t)1 << change->what / 16 % 4;
    length = length < left ? length : left;
    switch (change->what % 16) {
    case 0: *size = at > SAVED_STATE_AT + 8 ? at : *size; break;
    case 1: memmove(bytes + at, bytes + SAVED_STATE_AT + change->value % (room - length), length); break;
    case 2:
    case 3:
    case 4: bytes[at] ^= (uint8_t)(1u << change->value % 8); break;
    case 5: bytes[at] = (uint8_t)change->value; break;
    case 6: memset(bytes + at, 0xFF, length); break;
    case 7: memset(bytes + at, 0, length); break;
    default: memcpy(bytes + at, value, length); break;
    }
}

/* ---- A load ---------------------------------------------------------------------------------------------------- */

static void too_long(int number) {
    static const char text[] = "fuzz save: a loaded chip does not come to an end\n";
    (void)number;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    abort();
}

/* Allows this much processor time from now on, whatever else the machine does; 0: as much as is needed. */
static void allow(unsigned seconds) {
    const struct itimerval limit = { .it_value = { .tv_sec = seconds } };
    check(setitimer(ITIMER_PROF, &limit, NULL) == 0, "no timer");
}

static void look_at(bh_chip *chip) {
    char text[4096];
    struct bh_thread_info thread;
    (void)bh_report(chip, text, sizeof text);
    for (unsigned i = 0; i < 3; i++)
        (void)bh_thread_query(chip, places[0], i, &thread);
}

static void run_loaded(bh_chip *chip) {
    struct state_out out = { 0 };
    struct bh_stop stop;
    bh_status status = bh_run(chip, CYCLES, 0, &stop);
    check(status == BH_OK || status == BH_ERR_INTERNAL, "a run ends in another way");
    look_at(chip);
    if (status == BH_OK && save_chip(chip, &out) == BH_OK)
        (void)saved_restore(chip, out.bytes, out.count);
    free(out.bytes);
}

static bh_chip *chips[2]; /* that load: with cycles, loose */

/* The lists of a chip are reached only from memory that the leak checker does not search. */
static void end_chips(void) {
    for (unsigned i = 0; i < 2; i++)
        bh_destroy(chips[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct state_out saved[CHIPS];
    struct change change;
    if (!size)
        return 0;
    unsigned number = *data++ % CHIPS;
    size--;
    if (!saved[number].bytes)
        saved[number] = make_saved(number);
    bh_chip **chip = &chips[number % 2];
    if (!chips[0] && !chips[1])
        check(atexit(end_chips) == 0, "no end");
    if (!*chip)
        *chip = make_chip(number % 2 ? BH_TIMING_LOOSE : BH_TIMING_CYCLES);
    size_t count = saved[number].count;
    uint8_t *bytes = malloc(count);
    check(bytes != NULL, "no memory");
    memcpy(bytes, saved[number].bytes, count);
    for (unsigned i = 0; i < CHANGES && take_change(&data, &size, &change); i++)
        apply(bytes, &count, &change);
    saved_seal(bytes, count);
    (void)signal(SIGPROF, too_long);
    allow(SECONDS);
    if (saved_restore(*chip, bytes, count) == BH_OK)
        run_loaded(*chip);
    else
        check(bh_message(*chip)[0] != '\0', "bytes are refused without a reason");
    allow(0);
    free(bytes);
    return 0;
}
