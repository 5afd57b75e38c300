/* Receivers, acknowledgements and times of multicasts, for random rectangles: those that wrap around above all. The
 * rule is stated here once more, in the words of the page (BlackholeA0/NoC/MemoryMap.md, NOC_TARG_ADDR and
 * NOC_RET_ADDR): both corners are translated; a tile takes part if its x and y lie in the spans, a span with start >
 * end being all that is <= end or >= start; NIUs that opt out do not, which leaves live Tensix tiles.
 *
 *     noc_casts [ROUNDS [SEED]]
 */
#include <stdlib.h>

#include "support/noc_stage.h"
#include "support/random.h"

enum { WIDTH = 17, HEIGHT = 12, SITES = WIDTH * HEIGHT };
enum { TO = DATA + 0x1000, CFG_0 = 0x100, TRANSLATE = 1 << 14, BUFFER = 1 };
enum { APPLY = 1 << 22, TOWARDS_LARGER_X = 1 << 20, TOWARDS_LARGER_Y = 1 << 21 };

static unsigned rounds = 400;
static uint64_t seed = 3;

struct stage {
    bh_chip *chip;
    struct bh_tile_info tile[SITES];
    bool translates;
};

struct a_cast {
    unsigned noc;
    const struct bh_tile_info *from, *start, *end;
    bool include, atomic, y_major;
    uint32_t exclude;
};

/* ---- The rule ---------------------------------------------------------------------------------------------------- */

static struct bh_xy place(const struct bh_tile_info *tile, unsigned noc) {
    return noc ? tile->noc1 : tile->noc0;
}

static bool in_span(unsigned start, unsigned end, unsigned at) {
    if (start <= end)
        return start <= at && at <= end;
    return at <= end || start <= at;
}

/* Steps from the start of a span, in the direction of the NoC. */
static unsigned steps(unsigned start, unsigned at, unsigned size) {
    unsigned count = 0;
    for (; start != at; start = (start + 1) % size)
        count++;
    return count;
}

static bool strided_out(uint32_t bits, unsigned step) {
    unsigned keep = bits & 3, skip = bits >> 2 & 3;
    return keep && skip && step % (keep + skip) >= keep;
}

/* Of a span that wraps, both positions count from its start. */
static bool beyond(unsigned start, unsigned end, unsigned size, unsigned corner, unsigned at, bool larger) {
    if (start > end) {
        corner = steps(start, corner, size);
        at = steps(start, at, size);
    }
    return larger ? at >= corner : at <= corner;
}

static bool left_out(const struct a_cast *c, struct bh_xy at) {
    struct bh_xy s = place(c->start, c->noc), e = place(c->end, c->noc);
    uint32_t x = c->exclude;
    return (x & APPLY && beyond(s.x, e.x, WIDTH, x >> 8 & 63, at.x, x & TOWARDS_LARGER_X) &&
            beyond(s.y, e.y, HEIGHT, x >> 14 & 63, at.y, x & TOWARDS_LARGER_Y)) ||
           strided_out(x & 15, steps(s.x, at.x, WIDTH)) || strided_out(x >> 4 & 15, steps(s.y, at.y, HEIGHT));
}

static bool takes_part(const struct a_cast *c, const struct bh_tile_info *tile) {
    struct bh_xy s = place(c->start, c->noc), e = place(c->end, c->noc), at = place(tile, c->noc);
    return tile->kind == BH_TILE_TENSIX && !tile->harvested && in_span(s.x, e.x, at.x) && in_span(s.y, e.y, at.y) &&
           !left_out(c, at) && (tile != c->from || c->include);
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

/* The coordinates that a request has for a tile. */
static uint32_t named(const struct stage *s, unsigned noc, const struct bh_tile_info *tile) {
    return s->translates ? xy(tile->translated) : xy(place(tile, noc));
}

/* Of translated coordinates, those of live tiles below the first two rows are sure to be in the tables. */
static const struct bh_tile_info *any_tile(const struct stage *s, uint64_t *random, bool tensix) {
    for (;;) {
        const struct bh_tile_info *tile = &s->tile[random_below(random, SITES)];
        if (tensix || s->translates ? tile->kind == BH_TILE_TENSIX && !tile->harvested : true)
            return tile;
    }
}

/* Strides that a span that wraps can have: their period is a power of two. */
static uint32_t any_stride(uint64_t *random, bool wraps) {
    static const uint32_t powers[] = { 0, 1 | 1 << 2, 1 | 3 << 2, 2 | 2 << 2, 3 | 1 << 2, 3, 3 << 2 };
    return wraps ? powers[random_below(random, 7)] : random_below(random, 16);
}

static uint32_t any_exclusion(const struct stage *s, uint64_t *random, const struct a_cast *c) {
    struct bh_xy from = place(c->start, c->noc), to = place(c->end, c->noc);
    struct bh_xy corner = place(any_tile(s, random, true), c->noc);
    switch (random_below(random, 4)) {
    case 0: return APPLY | random_below(random, 4) << 20 | (uint32_t)corner.y << 14 | (uint32_t)corner.x << 8;
    case 1: return any_stride(random, from.x > to.x) | any_stride(random, from.y > to.y) << 4;
    default: return 0;
    }
}

static struct a_cast any_cast(const struct stage *s, uint64_t *random) {
    struct a_cast c = {
        .noc = random_below(random, 2),
        .from = any_tile(s, random, true),
        .start = any_tile(s, random, false),
        .end = any_tile(s, random, false),
        .include = random_below(random, 2),
        .atomic = random_below(random, 4) == 0,
        .y_major = random_below(random, 2),
    };
    c.exclude = any_exclusion(s, random, &c);
    return c;
}

/* ---- On the chip ------------------------------------------------------------------------------------------------- */

static struct stage make_stage(enum bh_board board, enum bh_timing timing, unsigned epoch, bool translates) {
    struct stage s = { .translates = translates };
    struct bh_config config;
    bh_config_board(&config, board);
    config.timing = timing;
    config.epoch = epoch;
    s.chip = make_configured(&config);
    for (unsigned i = 0; i < SITES; i++)
        assert_int_equal(bh_tile_at(s.chip, i, &s.tile[i]), BH_OK);
    for (unsigned i = 0; i < SITES && !translates; i++)
        for (unsigned noc = 0; noc < 2 && s.tile[i].kind == BH_TILE_TENSIX && !s.tile[i].harvested; noc++) {
            uint32_t at = script_niu(noc, 0) + CFG_0;
            put_word(s.chip, s.tile[i].translated, at,
                     read_word(s.chip, s.tile[i].translated, at) & ~(uint32_t)TRANSLATE);
        }
    return s;
}

/* The word at DATA becomes that at TO, or TO counts one more. */
static void send(const struct stage *s, const struct a_cast *c, bool marked, bool linked) {
    uint32_t area = named(s, c->noc, c->end) | named(s, c->noc, c->start) << 12, self = named(s, c->noc, c->from);
    struct script_request r = {
        .targ_lo = c->atomic ? TO : DATA,
        .targ_hi = c->atomic ? area : self,
        .ret_lo = c->atomic ? DATA + 0x100 : TO,
        .ret_hi = c->atomic ? self : area,
        .ctrl = (c->atomic ? SCRIPT_ATOMIC : SCRIPT_WRITE) | SCRIPT_MULTICAST | SCRIPT_RESERVE,
        .len = c->atomic ? 0x1000 | 31 << 2 : 4,
        .data = 1,
        .exclude = c->exclude,
    };
    r.ctrl |= (marked ? SCRIPT_MARKED : 0u) | (linked ? SCRIPT_LINKED : 0u) | (uint32_t)c->y_major << 16 |
              (c->include ? SCRIPT_INCLUDE_SELF : 0u);
    for (unsigned i = 0; i < sizeof r / 4; i++)
        put_word(s->chip, c->from->translated, script_niu(c->noc, BUFFER) + 4 * i, (&r.targ_lo)[i]);
    put_word(s->chip, c->from->translated, script_niu(c->noc, BUFFER) + 0x40, 1);
}

static uint32_t responses(const struct stage *s, const struct a_cast *c) {
    return counter_at(s->chip, c->from->translated, c->noc, c->atomic ? NIU_ATOMIC_RESP_RECEIVED : NIU_WR_ACK_RECEIVED);
}

static void describe(const struct a_cast *c, unsigned round) {
    struct bh_xy f = place(c->from, c->noc), s = place(c->start, c->noc), e = place(c->end, c->noc);
    print_message("round %u: NoC %u, from (%u,%u), rectangle (%u,%u)-(%u,%u), exclude 0x%x, include %d\n", round,
                  c->noc, f.x, f.y, s.x, s.y, e.x, e.y, c->exclude, c->include);
}

/* Every tile that takes part has the word, no other has, and each has answered once if that was asked for. Sometimes
 * the same again, as one transaction. */
static void check_cast(const struct stage *s, const struct a_cast *c, uint64_t *random, unsigned round) {
    bool marked = random_below(random, 4) != 0, linked = random_below(random, 4) == 0;
    uint32_t before = responses(s, c), value = 0x1000 + round, receivers = 0;
    for (unsigned i = 0; i < SITES; i++)
        if (s->tile[i].kind == BH_TILE_TENSIX && !s->tile[i].harvested)
            put_word(s->chip, s->tile[i].translated, TO, 7);
    put_word(s->chip, c->from->translated, DATA, value);
    if (linked) {
        send(s, c, marked, true);
        while (read_word(s->chip, c->from->translated, script_niu(c->noc, BUFFER) + 0x40))
            assert_int_equal(bh_run(s->chip, 1, 0, NULL), BH_OK);
    }
    send(s, c, marked, false);
    run(s->chip);
    for (unsigned i = 0; i < SITES; i++) {
        if (s->tile[i].kind != BH_TILE_TENSIX || s->tile[i].harvested)
            continue;
        bool in = takes_part(c, &s->tile[i]);
        uint32_t expected = !in ? 7 : c->atomic ? 8u + linked : value;
        uint32_t is = peek_word(s->chip, s->tile[i].translated, TO);
        receivers += in;
        if (is != expected) {
            describe(c, round);
            fail_msg("tile (%u,%u) of NoC 0 has 0x%x, not 0x%x", s->tile[i].noc0.x, s->tile[i].noc0.y, is, expected);
        }
    }
    if (responses(s, c) - before != (marked ? receivers << linked : 0)) {
        describe(c, round);
        fail_msg("%u responses of %u receivers", responses(s, c) - before, receivers);
    }
}

static void many(enum bh_board board, enum bh_timing timing, bool translates) {
    struct stage s = make_stage(board, timing, 0, translates);
    uint64_t random = seed;
    unsigned wraps[4] = { 0 };
    for (unsigned round = 0; round < rounds; round++) {
        struct a_cast c = any_cast(&s, &random);
        struct bh_xy from = place(c.start, c.noc), to = place(c.end, c.noc);
        check_cast(&s, &c, &random, round);
        wraps[(from.x > to.x) + 2 * (from.y > to.y)]++;
    }
    for (unsigned i = 0; i < 4; i++)
        assert_true(wraps[i] > rounds / 10); /* neither, x, y, both */
    bh_destroy(s.chip);
}

static void translated(void **state) {
    (void)state;
    many(BH_BOARD_P150, BH_TIMING_CYCLES, true);
    many(BH_BOARD_P100A, BH_TIMING_CYCLES, true);
}

static void as_the_noc_counts(void **state) {
    (void)state;
    many(BH_BOARD_P150, BH_TIMING_CYCLES, false);
    many(BH_BOARD_P100A, BH_TIMING_CYCLES, false);
}

static void loosely_timed(void **state) {
    (void)state;
    many(BH_BOARD_P150, BH_TIMING_LOOSE, true);
    many(BH_BOARD_P100A, BH_TIMING_LOOSE, false);
}

/* ---- One rectangle of tt-metal's tests --------------------------------------------------------------------------- */

/* From column 15 to column 1 there are three columns with Tensix tiles, not the two at the corners: 15, 16 and 1. A
 * sender that expects two acknowledgements, and waits until there are exactly two, may wait for ever. */
static void the_columns_between_the_corners_count(void **state) {
    (void)state;
    for (unsigned timing = 0; timing < 2; timing++)
        for (unsigned noc = 0; noc < 2; noc++) {
            struct stage s = make_stage(BH_BOARD_P150, timing ? BH_TIMING_LOOSE : BH_TIMING_CYCLES, 0, true);
            struct bh_tile_info from, left, right;
            bh_tile_find(s.chip, (struct bh_xy){ 1, 3 }, &from);
            bh_tile_find(s.chip, (struct bh_xy){ 15, 2 }, &left);
            bh_tile_find(s.chip, (struct bh_xy){ 1, 2 }, &right);
            struct a_cast c = { .noc = noc, .from = &from, .start = noc ? &right : &left, .end = noc ? &left : &right };
            put_word(s.chip, from.translated, DATA, 77);
            send(&s, &c, true, false);
            run(s.chip);
            assert_int_equal(responses(&s, &c), 3);
            assert_int_equal(count_with(s.chip, TO, 77), 3);
            for (unsigned i = 0; i < 3; i++)
                assert_int_equal(peek_word(s.chip, (struct bh_xy){ (uint8_t[]){ 15, 16, 1 }[i], 2 }, TO), 77);
            bh_destroy(s.chip);
        }
}

/* ---- Times ------------------------------------------------------------------------------------------------------- */

/* Hops to a receiver through the tree of the page: along the major axis to the rectangle, along the minor axis, along
 * the major axis again. Each NoC moves towards its larger coordinates. */
static unsigned hops(struct bh_xy from, struct bh_xy to) {
    return steps(from.x, to.x, WIDTH) + steps(from.y, to.y, HEIGHT);
}

/* Cycles from the request to the word in each receiver, and to the last acknowledgement. Reserving the path comes
 * first, and is the same for all: the first receiver tells. */
static void check_times(const struct stage *s, const struct a_cast *c) {
    uint64_t arrived[SITES] = { 0 }, answered = 0, last = 0;
    uint32_t before = responses(s, c);
    unsigned receivers = 0, left;
    struct bh_xy from = place(c->from, c->noc);
    for (unsigned i = 0; i < SITES; i++)
        receivers += takes_part(c, &s->tile[i]);
    for (unsigned i = 0; i < SITES; i++)
        if (s->tile[i].kind == BH_TILE_TENSIX)
            put_word(s->chip, s->tile[i].translated, TO, 7);
    put_word(s->chip, c->from->translated, DATA, 77);
    send(s, c, true, false);
    uint64_t sent = bh_cycle(s->chip);
    for (left = receivers; left || !answered;) {
        assert_int_equal(bh_run(s->chip, 1, 0, NULL), BH_OK);
        assert_true(bh_cycle(s->chip) - sent < 2000);
        for (unsigned i = 0; i < SITES && left; i++)
            if (takes_part(c, &s->tile[i]) && !arrived[i] && peek_word(s->chip, s->tile[i].translated, TO) == 77) {
                arrived[i] = bh_cycle(s->chip) - sent;
                left--;
            }
        if (responses(s, c) - before == receivers)
            answered = bh_cycle(s->chip) - sent;
    }
    uint64_t reserved = 0;
    for (unsigned i = 0; i < SITES; i++) {
        struct bh_xy at = place(&s->tile[i], c->noc);
        if (!arrived[i] || &s->tile[i] == c->from)
            continue;
        uint64_t way = 14 + 9 * hops(from, at) + 1, back = 14 + 9 * hops(at, from);
        if (!reserved)
            reserved = arrived[i] - way;
        assert_int_equal(arrived[i], reserved + way);
        last = arrived[i] + back > last ? arrived[i] + back : last;
    }
    assert_in_range(answered, last, last + receivers); /* acknowledgements that meet on a link follow each other */
}

/* The rectangle above: the receiver in the sender's column answers first, and the other two, a time around the x axis
 * later, one after the other. */
static void acknowledgements_meet(void **state) {
    struct stage s = make_stage(BH_BOARD_P150, BH_TIMING_CYCLES, EXACT, true);
    struct bh_tile_info from, start, end;
    uint64_t came[4] = { 0 };
    (void)state;
    bh_tile_find(s.chip, (struct bh_xy){ 1, 3 }, &from);
    bh_tile_find(s.chip, (struct bh_xy){ 15, 2 }, &start);
    bh_tile_find(s.chip, (struct bh_xy){ 1, 2 }, &end);
    struct a_cast c = { .noc = 0, .from = &from, .start = &start, .end = &end };
    send(&s, &c, true, false);
    for (unsigned count = 0; count < 3 && bh_cycle(s.chip) < 2000;) {
        assert_int_equal(bh_run(s.chip, 1, 0, NULL), BH_OK);
        for (; count < responses(&s, &c); count++)
            came[count] = bh_cycle(s.chip);
    }
    assert_int_equal(came[1] - came[0], WIDTH * 9);
    assert_int_equal(came[2] - came[1], 1);
    bh_destroy(s.chip);
}

/* A way there and back goes once around the torus, on each axis on which the two tiles differ, so that acknowledgements
 * often meet. */
static void receivers_are_as_far_as_by_unicast(void **state) {
    uint64_t random = seed;
    (void)state;
    for (unsigned round = 0; round < 24; round++) {
        struct stage s = make_stage(BH_BOARD_P150, BH_TIMING_CYCLES, EXACT, round & 1);
        struct a_cast c = any_cast(&s, &random);
        unsigned receivers = 0;
        c.atomic = false;
        c.include = false;
        c.exclude = 0;
        for (unsigned i = 0; i < SITES; i++)
            receivers += takes_part(&c, &s.tile[i]);
        if (receivers)
            check_times(&s, &c);
        bh_destroy(s.chip);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(translated),
        cmocka_unit_test(as_the_noc_counts),
        cmocka_unit_test(loosely_timed),
        cmocka_unit_test(the_columns_between_the_corners_count),
        cmocka_unit_test(acknowledgements_meet),
        cmocka_unit_test(receivers_are_as_far_as_by_unicast),
    };
    if (argc > 1)
        rounds = (unsigned)strtoul(argv[1], NULL, 0);
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
