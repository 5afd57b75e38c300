/* A core that waits for a number of responses sleeps through all but the last: it goes on in the same cycle, with the
 * same registers and counts, as a core that never sleeps, and no other agent sees a difference. */
#include "support/noc_stage.h"
#include "support/random.h"

enum { PIECES = 600, LONGEST = 200, NEAR = 4, FAR = 120 };

/* Rounds of requests without waiting, then for all of them: for a number of answers of each kind, or for none to be
 * left. Short ones: nothing piles up. */
static void load(bh_chip *chip, uint64_t seed, bool sleepless) {
    struct script script = { 0 };
    uint64_t chance = seed;
    uint32_t writes = 0, reads = 0;
    struct tile *tile = chip_made(chip, 0);
    for (unsigned round = 0; round < 12; round++) {
        for (unsigned i = 0, end = 1 + random_below(&chance, 8); i < end; i++) {
            struct bh_xy other = chip_made(chip, 1 + random_below(&chance, random_below(&chance, 2) ? NEAR : FAR))->xy;
            bool reads_it = random_below(&chance, 2);
            request(&script, 0,
                    reads_it ? read_from(other, DATA, tile->xy, DATA + 64, 32)
                             : write_to(tile->xy, DATA, other, DATA + 128, 32));
            reads += reads_it;
            writes += !reads_it;
        }
        wait_for(&script, 0, NIU_WR_ACK_RECEIVED, writes);
        if (random_below(&chance, 2))
            wait_for(&script, 0, NIU_RD_RESP_RECEIVED, reads);
        else
            wait_for(&script, 0, NIU_OUTSTANDING, 0);
        script_put(&script, SCRIPT_ADD, DONE, 1);
    }
    tile->core[BH_BRISC].sleepless = sleepless;
    start(chip, tile->xy, BH_BRISC, &script);
}

/* Of its last request, and of all that it has executed. */
static void assert_alike(bh_chip *sleeps, bh_chip *polls) {
    struct tile *a = chip_made(sleeps, 0), *b = chip_made(polls, 0);
    uint64_t time, retired, other_time, other_retired;
    core_observe(&a->core[BH_BRISC], bh_cycle(sleeps), &time, &retired);
    core_observe(&b->core[BH_BRISC], bh_cycle(polls), &other_time, &other_retired);
    assert_int_equal(peek_word(sleeps, a->xy, DONE), peek_word(polls, b->xy, DONE));
    assert_int_equal(a->niu[0].assigned, b->niu[0].assigned);
    assert_int_equal(a->niu[0].link_free, b->niu[0].link_free);
    assert_int_equal(time - retired, other_time - other_retired);
}

static void it_goes_on_in_time(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        bh_chip *sleeps = make(), *polls = make();
        load(sleeps, seed, false);
        load(polls, seed, true);
        for (unsigned i = 0; i < PIECES; i++) {
            uint32_t piece = 1 + random_below(&(uint64_t){ seed * 100 + i }, LONGEST);
            assert_int_equal(bh_run(sleeps, piece, 0, NULL), BH_OK);
            assert_int_equal(bh_run(polls, piece, 0, NULL), BH_OK);
            assert_memory_equal(chip_made(sleeps, 0)->core[BH_BRISC].x, chip_made(polls, 0)->core[BH_BRISC].x, 32 * 4);
        }
        assert_int_equal(peek_word(sleeps, here, DONE), 12);
        assert_alike(sleeps, polls);
        bh_destroy(sleeps);
        bh_destroy(polls);
    }
}

/* ---- Others ------------------------------------------------------------------------------------------------ */

enum { CROWD = 7, PIECES_OF_CROWD = 40, LONG_PIECE = 1500, BAD_ADDRESS = 0x3000000 };

enum { NIU = 16, BUFFER, FIELD, ONE, SEEN, WRITES, READS }; /* registers */

/* The state at each fault of a request. */
struct seen {
    uint64_t pc[64]; /* a sum of what cores are at and see */
    unsigned count;
};

static void look(void *user, bh_chip *chip, const struct bh_fault *fault) {
    struct seen *seen = user;
    (void)fault;
    for (unsigned i = 0; i < CROWD; i++)
        seen->pc[seen->count % 64] +=
            chip_made(chip, i)->core[BH_BRISC].pc + chip_made(chip, i)->core[BH_BRISC].x[SEEN];
    seen->count++;
}

struct guest {
    uint32_t word[400];
    unsigned count;
};

static void emit(struct guest *guest, uint32_t word) {
    assert_in_range(guest->count, 0, 399);
    guest->word[guest->count++] = word;
}

static void emit_constant(struct guest *guest, unsigned reg, uint32_t value) {
    emit(guest, rv_lui(reg, value + 0x800));
    emit(guest, rv_addi(reg, reg, (int32_t)(value << 20) >> 20));
}

static void emit_request(struct guest *guest, const struct script_request *request) {
    const uint32_t *field = &request->targ_lo;
    for (uint32_t i = 0; i < 9; i++) {
        emit_constant(guest, FIELD, field[i]);
        emit(guest, rv_sw(FIELD, (int32_t)i * 4, BUFFER));
    }
}

/* Waits until a counter has this value, in a loop with a fence, or without. */
static void emit_wait(struct guest *guest, unsigned counter, unsigned value, unsigned fence) {
    enum { FENCE = 0x0FF0000F };
    if (fence == 1)
        emit(guest, FENCE);
    emit(guest, rv_lw(SEEN, 0x200 + 4 * (int32_t)counter, NIU));
    if (fence == 2)
        emit(guest, FENCE);
    emit(guest, rv_bne(SEEN, value, fence ? -8 : -4));
}

/* Of all lengths to a few neighbours, whose NIUs are busy with them for a while. Some cannot be done. */
static struct script_request draw_request(bh_chip *chip, unsigned index, bool reads, uint64_t *chance) {
    static const uint32_t length[] = { 4, 32, 256, 1024, 4096 };
    struct bh_xy own = chip_made(chip, index)->xy;
    struct bh_xy other = chip_made(chip, (index + 1 + random_below(chance, CROWD - 1)) % CROWD)->xy;
    uint32_t bytes = length[random_below(chance, 5)], bad = random_below(chance, 40) ? 0 : BAD_ADDRESS;
    return reads ? read_from(other, DATA, own, DATA + 0x2000, bytes)
                 : write_to(own, DATA, other, DATA + 0x4000 + bad, bytes);
}

/* Four requests that are set up once, then rounds of some of them and of waiting for all. */
static void load_core(bh_chip *chip, unsigned index, enum bh_core core, uint64_t *chance) {
    struct guest guest = { .count = 0 };
    uint32_t niu = script_niu(core == BH_NCRISC, 0);
    bool reads[4];
    emit_constant(&guest, NIU, niu);
    emit_constant(&guest, ONE, 1);
    for (uint32_t i = 0; i < 4; i++) {
        reads[i] = random_below(chance, 2);
        struct script_request request = draw_request(chip, index, reads[i], chance);
        emit_constant(&guest, BUFFER, niu + i * 0x800);
        emit_request(&guest, &request);
    }
    unsigned top = guest.count;
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0, end = 1 + random_below(chance, 7); i < end; i++) {
            uint32_t buffer = random_below(chance, 4);
            emit_constant(&guest, BUFFER, niu + buffer * 0x800);
            emit(&guest, rv_sw(ONE, 0x40, BUFFER));
            emit(&guest, rv_lw(SEEN, 0x40, BUFFER));
            emit(&guest, rv_bne(SEEN, 0, -4));
            emit(&guest, rv_addi(reads[buffer] ? READS : WRITES, reads[buffer] ? READS : WRITES, 1));
        }
        emit_wait(&guest, NIU_WR_ACK_RECEIVED, WRITES, random_below(chance, 3));
        emit_wait(&guest, NIU_RD_RESP_RECEIVED, READS, random_below(chance, 3));
    }
    emit(&guest, rv_jal(0, -4 * (int32_t)(guest.count - top)));
    start_at(chip, chip_made(chip, index)->xy, core, 0x1000 + (uint32_t)core * 0x1000, guest.word, guest.count * 4);
}

static bh_chip *make_crowd(uint64_t seed, struct seen *seen, bool sleeps) {
    struct bh_config config;
    uint64_t chance = seed;
    bh_config_init(&config);
    config.threads = 1;
    config.skew = seed % 3 ? 128 : 1;
    config.epoch = seed % 4 ? 0 : 1 + (unsigned)seed % 7;
    config.on_fault = look;
    config.user = seen;
    bh_chip *chip = make_configured(&config);
    for (unsigned tile = 0, end = 2 + random_below(&chance, CROWD - 1); tile < end; tile++) {
        load_core(chip, tile, BH_BRISC, &chance);
        if (random_below(&chance, 3) == 0)
            load_core(chip, tile, BH_NCRISC, &chance);
    }
    if (!sleeps) /* whose wait is to be shown wakes up for every answer */
        assert_int_equal(bh_observe(chip, BH_WATCH_STATS, NULL, NULL), BH_OK);
    return chip;
}

static void assert_same_cores(const struct tile *a, const struct tile *b) {
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        const struct core *one = &a->core[core], *other = &b->core[core];
        assert_int_equal(one->state, other->state);
        assert_int_equal(one->pc, other->pc);
        assert_memory_equal(one->x, other->x, 32 * sizeof one->x[0]);
    }
}

/* Tiles know the same of each other as if every response woke the core. */
static void nobody_can_tell(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct seen seen[2] = { 0 };
        bh_chip *sleeps = make_crowd(seed, &seen[0], true), *wakes = make_crowd(seed, &seen[1], false);
        for (unsigned i = 0; i < PIECES_OF_CROWD; i++) {
            uint64_t piece = 1 + random_below(&(uint64_t){ seed * 100 + i }, LONG_PIECE);
            unsigned flags = i % 2 ? BH_RUN_STOP_ON_FAULT : 0;
            assert_int_equal(bh_run(sleeps, piece, flags, NULL), BH_OK);
            assert_int_equal(bh_run(wakes, piece, flags, NULL), BH_OK);
            assert_int_equal(bh_cycle(sleeps), bh_cycle(wakes));
            assert_memory_equal(&sleeps->exchange.links, &wakes->exchange.links, sizeof sleeps->exchange.links);
            for (unsigned tile = 0; tile < CROWD; tile++)
                assert_same_cores(chip_made(sleeps, tile), chip_made(wakes, tile));
            if (i % 30 == 0) /* all of the chip: slow */
                assert_true(bh_state_hash(sleeps) == bh_state_hash(wakes));
        }
        assert_int_equal(seen[0].count, seen[1].count);
        assert_memory_equal(seen[0].pc, seen[1].pc, sizeof seen[0].pc);
        bh_destroy(sleeps);
        bh_destroy(wakes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_goes_on_in_time),
        cmocka_unit_test(nobody_can_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
