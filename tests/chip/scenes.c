/* Random scenes on one tile: five cores push words, access the coprocessor, write its registers and toggle bits of
 * SOFT_RESET_0 at any time. The state afterwards does not depend on the skew, on observation or on the ends of runs,
 * and no scene ends the process. `chip_scenes FIRST COUNT` plays others.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "isa/tensix.h"
#include "support/chip.h"
#include "support/random.h"
#include "support/rv.h"

enum { EBREAK = 0x00100073, CODE_WORDS = 3000, STEPS = 120, CYCLES = 20000 };
#define TT(name, ...) tensix_encode_##name((struct tensix_##name){ __VA_ARGS__ })

static const struct bh_xy TILE = { 1, 2 };

/* ---- Scenes ------------------------------------------------------------------------------------------------------ */

/* Ingredients of a scene. Races: writes of a core to L1, which the coprocessor sees as early as the skew allows, and
 * the reset of a core that may have run ahead by the skew. Expanders: words that are recorded or consumed. */
enum { SOFT_RESETS = 1, RACES = 2, LONG_WAITS = 4, EXPANDERS = 8 };

struct scene {
    uint64_t random;
    unsigned flags;
    struct code {
        uint32_t word[CODE_WORDS];
        unsigned count;
    } code[BH_CORE_COUNT];
};

static uint32_t below(struct scene *s, uint32_t limit) {
    return random_below(&s->random, limit);
}

static void emit(struct code *code, uint32_t word) {
    assert_true(code->count < CODE_WORDS);
    code->word[code->count++] = word;
}

static void set(struct code *code, unsigned rd, uint32_t value) {
    emit(code, rv_lui(rd, rv_high(value)));
    emit(code, rv_addi(rd, rd, rv_low(value)));
}

/* Words of most units; what they do to each other is as random as their order. */
static uint32_t any_word(struct scene *s, unsigned thread) {
    uint32_t a = below(s, 64), b = below(s, 64), half = below(s, 120), semaphores = 1u << below(s, 8);
    switch (below(s, s->flags & LONG_WAITS ? 32 : 24)) {
    case 0: return TT(SETDMAREG, 0, (uint32_t)random_next(&s->random) & 0x3FFF, 0, half);
    case 1: return TT(ADDDMAREG, 1, a, b, a);
    case 2: return TT(MULDMAREG, 0, a, b, a);
    case 3: return TT(WRCFG, a, 0, 120 + below(s, 8));
    case 4: return TT(RDCFG, a, 120 + below(s, 8));
    case 5: return TT(RMWCIB0, 0xFF, below(s, 256), 120 + below(s, 8));
    case 6: return TT(SETC16, 37 + below(s, 8), below(s, 65536));
    case 7: return TT(SEMPOST, semaphores);
    case 8: return TT(SEMGET, semaphores);
    case 9: return TT(SEMINIT, 1 + below(s, 15), below(s, 4), semaphores);
    case 10: return TT(STALLWAIT, below(s, 512), below(s, 16) | below(s, 8) << 10);
    case 11: return TT(STALLWAIT, 0x1FF, 1u << below(s, 5));
    case 12: return TT(MOVA2D, 0, 0, 0, 0, 0);
    case 13: return TENSIX_DMANOP << 24;
    case 14: return TT(ZEROACC, 0, 0, 0, 0, 0);
    case 15: return TT(SETRWC, 0, 0, 0, 0, 0, 0);
    case 16: return TT(UNPACR_NOP, below(s, 2), 0, 0, 0, 0, 0, 0, 0, 1);
    case 17: return TT(SETRWC, 3, 0, 0, 0, 0, 0xF);
    case 18: return TT(SFPLOADI, below(s, 4), 8, below(s, 65536));
    case 19: return TT(SFPMAD, below(s, 4), below(s, 4), below(s, 4), below(s, 4), 0);
    case 20: return TT(STOREIND, 1, 0, 1, 2 * 9, 0, a, 10);
    case 21: return TT(LOADIND, 1, 2 * 9, 0, a, 10);
    case 22:
        if (!(s->flags & EXPANDERS))
            return TENSIX_NOP << 24;
        return below(s, 2) ? TT(REPLAY, 0, 4, 0, 1) : TT(REPLAY, 0, 1 + below(s, 4), 0, 0);
    case 23: return s->flags & EXPANDERS ? TT(MOP, 1, 0, 0) : TENSIX_NOP << 24;
    case 24: return TT(ATCAS, 0, below(s, 16), below(s, 16), 0, a, 11);
    case 25: return TT(FLUSHDMA, below(s, 16));
    case 26: return below(s, 6) ? TENSIX_NOP << 24 : TT(ATGETM, thread);
    case 27: return below(s, 6) ? TENSIX_NOP << 24 : TT(ATRELM, thread);
    case 28: return TT(ELWADD, 0, 0, 0, 0, 0);
    case 29: return TT(MVMUL, 0, 0, 0, 0);
    case 30: return TT(STALLWAIT, below(s, 512), below(s, 0x2000));
    default: return below(s, 8) ? TENSIX_NOP << 24 : TT(SEMWAIT, 0x1FF, semaphores, 1 + below(s, 2));
    }
}

static uint32_t window_of(struct scene *s, unsigned core, bool writes) {
    const uint32_t places[] = { 0xFFE00000, 0xFFEF0000 + 4 * 120, 0xFFE80020, writes ? 0xFFB80000 : 0xFFE80000 };
    uint32_t base = places[below(s, core == BH_BRISC ? 2 : 4)];
    return base + (base == 0xFFE80000 ? 4 : 4 * below(s, 8));
}

/* Pauses make cores drift apart. */
static void pause_for(struct scene *s, struct code *code) {
    set(code, 6, 1 + below(s, 100));
    emit(code, rv_addi(6, 6, -1));
    emit(code, rv_bne(6, 0, -4));
}

static void push(struct scene *s, unsigned core, struct code *code) {
    unsigned count = 1 + below(s, below(s, 4) ? 8 : 40), thread = core - BH_TRISC0;
    if (core == BH_BRISC) {
        thread = below(s, 3);
        set(code, 5, 0xFFE40000 + 0x10000 * thread);
        set(code, 6, any_word(s, thread));
        emit(code, rv_sw(6, 0, 5));
        return;
    }
    uint32_t same = any_word(s, thread);
    for (unsigned i = 0; i < count; i++)
        emit(code, tensix_to_stream(count > 8 ? same : any_word(s, thread)));
}

static void look(struct scene *s, unsigned core, struct code *code) {
    set(code, 5, window_of(s, core, false));
    for (unsigned i = below(s, 6) + 1; i-- > 0;) {
        emit(code, rv_lw(7, 0, 5));
        emit(code, rv_add(8, 8, 7));
    }
}

static void write_window(struct scene *s, unsigned core, struct code *code) {
    set(code, 5, window_of(s, core, true));
    set(code, 6, below(s, 4) ? below(s, 16) : (uint32_t)random_next(&s->random));
    emit(code, rv_sw(6, 0, 5));
}

static void read_status(struct scene *s, struct code *code) {
    emit(code, (0xBC0 + below(s, 2)) << 20 | 2u << 12 | 7u << 7 | 0x73); /* csrrs x7, qstatus or bstatus, x0 */
    emit(code, rv_add(8, 8, 7));
}

/* Cores that run stay out of reset, but for TRISC2 at times. */
static void reset(struct scene *s, struct code *code) {
    uint32_t value = 1u << below(s, 24);
    value &= ~(uint32_t)(1u << 11 | 1u << 18 | 1u << 12 | 1u << 13 | (s->flags & RACES && !below(s, 4) ? 0 : 1u << 14));
    set(code, 5, 0xFFB121B0);
    set(code, 6, value);
    emit(code, rv_sw(6, 0, 5));
    for (unsigned i = below(s, 20); i-- > 0;)
        emit(code, RV_NOP);
    emit(code, rv_sw(0, 0, 5));
}

/* The words that ATCAS, LOADIND and STOREIND of all threads access. */
static void write_l1(struct scene *s, struct code *code) {
    set(code, 5, 0x20000 + 4 * below(s, 8));
    emit(code, rv_addi(6, 0, (int32_t)below(s, 16)));
    emit(code, rv_sw(6, 0, 5));
}

static void step(struct scene *s, unsigned core, struct code *code) {
    bool trisc = core >= BH_TRISC0 && core <= BH_TRISC2;
    switch (below(s, 8)) {
    case 0: pause_for(s, code); break;
    case 1:
    case 2: push(s, core, code); break;
    case 3: look(s, core, code); break;
    case 4: write_window(s, core, code); break;
    case 5:
        if (trisc)
            read_status(s, code);
        break;
    case 6:
        if (core == BH_BRISC && (s->flags & SOFT_RESETS))
            reset(s, code);
        break;
    default:
        if (core == BH_BRISC && (s->flags & RACES))
            write_l1(s, code);
        break;
    }
}

static void make_scene(struct scene *s, uint64_t seed, unsigned allowed) {
    memset(s, 0, sizeof *s);
    s->random = seed;
    s->flags = (unsigned)seed & allowed;
    for (unsigned core = BH_BRISC; core <= BH_TRISC2; core++) {
        struct code *code = &s->code[core];
        if (core >= BH_TRISC0) {
            emit(code, tensix_to_stream(TT(SETDMAREG, 0, 0x2000, 0, 2 * 10)));
            emit(code, tensix_to_stream(TT(SETDMAREG, 0, 0x2000, 0, 2 * 11)));
        }
        for (unsigned i = 0; i < STEPS && code->count < CODE_WORDS - 60; i++)
            step(s, core, code);
        emit(code, EBREAK);
    }
}

/* ---- Ways to play one -------------------------------------------------------------------------------------------- */

struct way {
    const char *name;
    enum bh_timing timing;
    unsigned skew;
    unsigned watch; /* enum bh_watch */
    unsigned piece; /* cycles of a run; 0: all of them */
    bool saves;     /* after every piece another chip goes on, from a file */
};

static void ignore_event(void *user, const struct bh_event *event) {
    (void)user, (void)event;
}

/* A chip that goes on where this one is, which is gone. */
static bh_chip *save_and_load(bh_chip *chip, const struct bh_config *config) {
    char path[] = "/tmp/bhemu-scene-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    (void)close(file);
    uint64_t hash = bh_state_hash(chip);
    assert_int_equal(bh_save(chip, path), BH_OK);
    bh_destroy(chip);
    chip = make_configured(config);
    assert_int_equal(bh_load(chip, path), BH_OK);
    assert_int_equal(bh_state_hash(chip), hash);
    (void)unlink(path);
    return chip;
}

static uint64_t play(const struct scene *s, const struct way *way) {
    struct bh_config config;
    struct bh_stop stop;
    bh_config_init(&config);
    config.threads = 1;
    config.skew = way->skew;
    config.timing = way->timing;
    bh_chip *chip = make_configured(&config);
    if (way->watch)
        assert_int_equal(bh_observe(chip, way->watch, ignore_event, NULL), BH_OK);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        if (s->code[core].count)
            assert_int_equal(
                bh_load_raw(chip, TILE, core, core_entry[core], s->code[core].word, 4 * s->code[core].count), BH_OK);
    assert_int_equal(bh_release(chip, TILE, 0xF), BH_OK);
    for (unsigned done = 0; done < CYCLES;) {
        unsigned piece = way->piece && way->piece < CYCLES - done ? way->piece : CYCLES - done;
        assert_int_equal(bh_run(chip, piece, 0, &stop), BH_OK);
        done += piece;
        if (way->saves)
            chip = save_and_load(chip, &config);
    }
    uint64_t hash = bh_state_hash(chip);
    bh_destroy(chip);
    return hash;
}

static uint64_t first_seed = 1, seeds = 24;

static void compare_one(uint64_t seed, const struct way *ways, unsigned count, unsigned allowed) {
    struct scene *s = malloc(sizeof *s);
    assert_non_null(s);
    make_scene(s, seed, allowed);
    uint64_t expected = play(s, &ways[0]);
    for (unsigned i = 1; i < count; i++)
        if (play(s, &ways[i]) != expected)
            fail_msg("seed %" PRIu64 ": '%s' and '%s' end in different states", seed, ways[0].name, ways[i].name);
    free(s);
}

static void compare(const struct way *ways, unsigned count, unsigned allowed) {
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++)
        compare_one(seed, ways, count, allowed);
}

static const struct way skews[] = {
    { .name = "lockstep", .skew = 1 },
    { .name = "skew of 7", .skew = 7 },
    { .name = "default skew" },
    { .name = "skew of 128", .skew = 128 },
};
enum { SKEWS = sizeof skews / sizeof *skews, ANY_SKEW = SOFT_RESETS | LONG_WAITS | EXPANDERS };

static void skew_makes_no_difference(void **state) {
    (void)state;
    compare(skews, SKEWS, ANY_SKEW);
}

/* BRISC waits for room behind the MOP expander and tries again in cycles in which a TRISC, with a higher number, pushes
 * or looks at a status: how often it tries must not show. */
static void tries_of_brisc_make_no_difference(void **state) {
    static const uint64_t seed[] = { 283, 706, 825, 827, 891, 1040, 1090 };
    (void)state;
    for (unsigned i = 0; i < sizeof seed / sizeof *seed; i++)
        compare_one(seed[i], skews, SKEWS, ANY_SKEW);
}

static void watching_makes_no_difference(void **state) {
    static const struct way ways[] = {
        { .name = "unwatched" },
        { .name = "statistics", .watch = BH_WATCH_STATS },
        { .name = "profile", .watch = BH_WATCH_PROFILE },
        { .name = "everything", .watch = BH_WATCH_STATS | BH_WATCH_PROFILE | BH_WATCH_EVENTS },
    };
    (void)state;
    compare(ways, sizeof ways / sizeof *ways, SOFT_RESETS | RACES | LONG_WAITS | EXPANDERS);
}

static void watching_makes_no_difference_to_loose_timing(void **state) {
    static const struct way ways[] = {
        { .name = "unwatched", .timing = BH_TIMING_LOOSE },
        { .name = "everything",
          .timing = BH_TIMING_LOOSE,
          .watch = BH_WATCH_STATS | BH_WATCH_PROFILE | BH_WATCH_EVENTS },
    };
    (void)state;
    compare(ways, sizeof ways / sizeof *ways, SOFT_RESETS | RACES | LONG_WAITS | EXPANDERS);
}

static void cutting_makes_no_difference(void **state) {
    static const struct way ways[] = {
        { .name = "one run" },
        { .name = "pieces of 97 cycles", .piece = 97 },
        { .name = "pieces of 1000 cycles", .piece = 1000 },
    };
    (void)state;
    compare(ways, sizeof ways / sizeof *ways, SOFT_RESETS | RACES | LONG_WAITS | EXPANDERS);
}

static void saving_makes_no_difference(void **state) {
    static const struct way ways[] = {
        { .name = "one run" },
        { .name = "saved every 997 cycles", .piece = 997, .saves = true },
        { .name = "saved every 4001 cycles", .piece = 4001, .saves = true },
    };
    (void)state;
    compare(ways, sizeof ways / sizeof *ways, SOFT_RESETS | RACES | LONG_WAITS | EXPANDERS);
}

static void saving_makes_no_difference_to_loose_timing(void **state) {
    static const struct way ways[] = {
        { .name = "pieces of 997 cycles", .timing = BH_TIMING_LOOSE, .piece = 997 },
        { .name = "saved every 997 cycles", .timing = BH_TIMING_LOOSE, .piece = 997, .saves = true },
    };
    (void)state;
    compare(ways, sizeof ways / sizeof *ways, SOFT_RESETS | RACES | LONG_WAITS | EXPANDERS);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skew_makes_no_difference),
        cmocka_unit_test(tries_of_brisc_make_no_difference),
        cmocka_unit_test(watching_makes_no_difference),
        cmocka_unit_test(watching_makes_no_difference_to_loose_timing),
        cmocka_unit_test(cutting_makes_no_difference),
        cmocka_unit_test(saving_makes_no_difference),
        cmocka_unit_test(saving_makes_no_difference_to_loose_timing),
    };
    if (count > 2) {
        first_seed = strtoull(arguments[1], NULL, 0);
        seeds = strtoull(arguments[2], NULL, 0);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
