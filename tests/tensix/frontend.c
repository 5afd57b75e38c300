/* The frontend: rates, orders and losses as documented, and random streams against a model that goes cycle by cycle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "isa/config.h"
#include "isa/tensix.h"
#include "tensix/frontend/frontend.h"

#include "frontend_reference.h"

static const uint16_t untracked[CONFIG_THREAD_WORDS];
static const uint16_t tracked[CONFIG_THREAD_WORDS] = { [CONFIG_WORD_TENSIX_TRISC_SYNC_TrackTensixInstructions] = 0x1F };

enum { PLAIN = TENSIX_SFPMAD };

static uint32_t plain(unsigned n) {
    return (uint32_t)PLAIN << 24 | n;
}

static uint32_t replay(unsigned start, unsigned len, bool load, bool exec) {
    return tensix_encode_REPLAY(
        (struct tensix_REPLAY){ .start_idx = start, .len = len, .load_mode = load, .execute_while_loading = exec });
}

static uint32_t mop_list(unsigned count, unsigned mask) {
    return (uint32_t)TENSIX_MOP << 24 | (count - 1) << 16 | mask;
}

static struct frontend *create(void) {
    struct frontend *f = calloc(1, sizeof *f);
    frontend_init(f);
    return f;
}

static void push1(struct frontend *f, uint32_t word, uint64_t time) {
    frontend_push(f, &word, 1, 0x100, time, untracked);
}

/* The next word has this time, and passes then. */
static void passes_at(struct frontend *f, uint32_t word, uint64_t time) {
    const struct frontend_word *head = frontend_head(f, 1000000);
    assert_non_null(head);
    assert_int_equal(head->word, word);
    assert_int_equal(head->time, time);
    frontend_pop(f, time);
}

static void nothing_left(struct frontend *f) {
    assert_null(frontend_head(f, 1000000));
    assert_true(frontend_empty(f));
    assert_int_equal(f->in_flight, 0);
    free(f);
}

/* ---- Times --------------------------------------------------------------------------------------------- */

static void test_three_cycles_to_the_gate(void **state) {
    struct frontend *f = create();
    (void)state;
    push1(f, plain(1), 10);
    assert_null(frontend_head(f, 10)); /* not pushed, not taken, not replayed before these */
    assert_null(frontend_head(f, 11));
    assert_non_null(frontend_head(f, 12));
    passes_at(f, plain(1), 12);
    nothing_left(f);
}

static void test_one_word_a_cycle(void **state) {
    const uint32_t four[] = { plain(0), plain(1), plain(2), plain(3) };
    struct frontend *f = create();
    (void)state;
    frontend_push(f, four, 4, 0, 100, untracked);
    for (unsigned i = 0; i < 4; i++)
        passes_at(f, plain(i), 102 + i);
    nothing_left(f);
}

static void test_rest_after_mop(void **state) {
    struct frontend *f = create();
    (void)state;
    f->mop.config[3] = plain(9);
    push1(f, mop_list(3, 0), 10);                     /* leaves the MOP expander in 10, 11, 12 */
    push1(f, plain(1), 10);                           /* 14 */
    push1(f, mop_list(1, 0), 10);                     /* 15 */
    push1(f, mop_list(2, 0), 10);                     /* 16, 17 */
    push1(f, (uint32_t)TENSIX_MOP_CFG << 24 | 7, 10); /* 19 */
    push1(f, plain(2), 10);                           /* 20 */
    passes_at(f, plain(9), 12);
    passes_at(f, plain(9), 13);
    passes_at(f, plain(9), 14);
    passes_at(f, plain(1), 16);
    passes_at(f, plain(9), 17);
    passes_at(f, plain(9), 18);
    passes_at(f, plain(9), 19);
    passes_at(f, plain(2), 22);
    assert_int_equal(f->mop.mask_high, 7);
    nothing_left(f);
}

/* A replayed word hides the rest of the MOP expander. */
static void test_replay_without_bubbles(void **state) {
    struct frontend *f = create();
    (void)state;
    f->replay.word[31] = plain(31);
    f->replay.word[0] = plain(0);
    f->mop.config[3] = replay(31, 2, false, false);
    push1(f, mop_list(2, 0), 10); /* plays 31 and 0, twice */
    push1(f, plain(5), 10);
    for (unsigned i = 0; i < 4; i++)
        passes_at(f, plain(i % 2 ? 0 : 31), 12 + i);
    passes_at(f, plain(5), 16);
    nothing_left(f);
}

static void test_recording(void **state) {
    struct frontend *f = create();
    (void)state;
    push1(f, replay(30, 3, true, false), 10); /* Replay takes it in 11 */
    for (unsigned i = 0; i < 3; i++)
        push1(f, i == 1 ? replay(1, 2, true, true) : plain(i), 11); /* 12, 13, 14: data */
    push1(f, plain(7), 11);                                         /* 15 */
    push1(f, replay(30, 3, false, true), 11);                       /* plays in 16, 17, 18; exec alone does nothing */
    push1(f, plain(8), 11);
    passes_at(f, plain(7), 16);
    assert_int_equal(f->replay.word[30], plain(0));
    assert_int_equal(f->replay.word[31], replay(1, 2, true, true));
    assert_int_equal(f->replay.word[0], plain(2));
    assert_int_equal(f->in_flight, 2);
    passes_at(f, plain(0), 17);
    passes_at(f, replay(1, 2, true, true), 18);
    assert_int_equal(f->in_flight, 2);
    passes_at(f, plain(2), 19);
    assert_int_equal(f->in_flight, 1);
    passes_at(f, plain(8), 20);
    nothing_left(f);
}

static void test_recording_with_execution(void **state) {
    struct frontend *f = create();
    (void)state;
    push1(f, replay(5, 2, true, true), 10);
    push1(f, plain(1), 10);
    push1(f, replay(0, 1, false, false), 10); /* data, and goes to the gate as it is */
    push1(f, replay(5, 2, false, false), 10);
    passes_at(f, plain(1), 13);
    passes_at(f, replay(0, 1, false, false), 14);
    passes_at(f, plain(1), 15);
    passes_at(f, replay(0, 1, false, false), 16);
    nothing_left(f);
}

static void test_length_zero_is_all(void **state) {
    struct frontend *f = create();
    (void)state;
    for (unsigned i = 0; i < REPLAY_WORDS; i++)
        f->replay.word[i] = plain(i);
    push1(f, replay(5, 0, false, false), 10);
    push1(f, replay(9, 33, false, false), 10); /* only five bits of the length count */
    push1(f, replay(0, 32, false, false), 10);
    for (unsigned i = 0; i < 32; i++)
        passes_at(f, plain((5 + i) % 32), 12 + i);
    passes_at(f, plain(9), 44);
    for (unsigned i = 0; i < 32; i++)
        passes_at(f, plain(i), 45 + i);
    nothing_left(f);
}

static void test_recording_from_a_mop(void **state) {
    struct frontend *f = create();
    (void)state;
    f->mop.config[3] = plain(3);
    push1(f, replay(0, 2, true, false), 10);
    push1(f, mop_list(3, 0), 10); /* two of the three words are recorded */
    passes_at(f, plain(3), 15);
    assert_int_equal(f->replay.word[1], plain(3));
    assert_false(f->replay.left);
    nothing_left(f);
}

/* ---- Room -------------------------------------------------------------------------------------------------- */

static void test_twenty_eight(void **state) {
    const uint32_t four[] = { plain(0), plain(1), plain(2), plain(3) };
    struct frontend *f = create();
    (void)state;
    for (unsigned i = 0; i < 7; i++)
        frontend_push(f, four, 4, 0, 10, untracked);
    assert_true(frontend_has_room(f));
    frontend_push(f, four, 4, 0, 10, untracked);
    assert_int_equal(f->in_flight, 32);
    assert_false(frontend_has_room(f));
    /* What has moved on still counts, until it has passed the gate. */
    frontend_advance(f, 1000);
    assert_int_equal(f->first_count, 22);
    assert_true(frontend_middle_full(f));
    assert_int_equal(f->in_flight, 32);
    for (unsigned i = 0; i < 3; i++) {
        assert_non_null(frontend_head(f, 1001 + i));
        frontend_pop(f, 1001 + i);
        assert_false(frontend_has_room(f));
    }
    assert_non_null(frontend_head(f, 1004));
    frontend_pop(f, 1004);
    assert_true(frontend_has_room(f));
    free(f);
}

static void test_an_expansion_counts_once(void **state) {
    struct frontend *f = create();
    (void)state;
    f->mop.config[3] = plain(1);
    push1(f, mop_list(100, 0), 10);
    frontend_advance(f, 500);
    assert_int_equal(f->in_flight, 1);
    assert_true(frontend_mop_busy(f));
    assert_true(frontend_middle_full(f));
    for (unsigned i = 0; i < 100; i++) {
        assert_non_null(frontend_head(f, 500 + i));
        assert_int_equal(f->in_flight, 1);
        frontend_pop(f, 500 + i);
        frontend_advance(f, 501 + i);
        /* Ten words behind the expander: it is done when the last one finds room. */
        assert_int_equal(frontend_mop_busy(f), i < 91);
    }
    nothing_left(f);
}

/* A full way out costs time only if the expanders lose cycles behind it: here recording waits behind three words. */
static void test_back_pressure_delays(void **state) {
    struct frontend *f = create();
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        push1(f, plain(i), 10);
    push1(f, replay(0, 4, true, false), 10);
    for (unsigned i = 0; i < 4; i++)
        push1(f, plain(10 + i), 10);
    push1(f, plain(20), 10);
    for (unsigned i = 0; i < 3; i++) {
        assert_non_null(frontend_head(f, 1000));
        frontend_pop(f, 100 + i);
    }
    /* The third word left the Replay expander in 101, the load in 102, four words in 103 to 106. */
    passes_at(f, plain(20), 108);
    nothing_left(f);
}

/* ---- BRISC ---------------------------------------------------------------------------------------------------- */

static void test_collision(void **state) {
    struct frontend *f = create();
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        push1(f, plain(i), 10); /* leave the MOP expander in 10, 11, 12 */
    frontend_advance(f, 11);
    assert_true(frontend_push_behind_mop(f, plain(99), 0x200, 11));
    assert_int_equal(f->in_flight, 3);
    passes_at(f, plain(0), 12);
    passes_at(f, plain(99), 13);
    passes_at(f, plain(2), 14);
    assert_int_equal(f->lost, 1);
    nothing_left(f);
}

static void test_collision_with_the_end_of_an_expansion(void **state) {
    struct frontend *f = create();
    (void)state;
    f->mop.config[3] = plain(1);
    push1(f, mop_list(2, 0), 10);
    frontend_advance(f, 11);
    assert_true(frontend_push_behind_mop(f, replay(0, 1, true, false), 0x200, 11));
    passes_at(f, plain(1), 12);
    assert_null(frontend_head(f, 100));
    assert_int_equal(f->lost, 1);
    assert_true(f->replay.recording);
    nothing_left(f);
}

static void test_room_behind_mop(void **state) {
    struct frontend *f = create();
    (void)state;
    for (unsigned i = 0; i < 12; i++) {
        frontend_advance(f, 100 + i);
        assert_int_equal(frontend_push_behind_mop(f, plain(i), 0x200, 100 + i), i < 10);
    }
    assert_true(frontend_middle_full(f));
    assert_int_equal(f->in_flight, 0);
    assert_int_equal(frontend_types(f), 0); /* not the TRISC's */
    assert_false(frontend_empty(f));
    for (unsigned i = 0; i < 10; i++) {
        const struct frontend_word *head = frontend_head(f, 200 + i);
        assert_non_null(head);
        assert_int_equal(head->word, plain(i));
        assert_int_equal(head->time, i < 2 ? 102 + i : 200 + i); /* room in the last FIFO comes with each pass */
        frontend_pop(f, 200 + i);
    }
    nothing_left(f);
}

/* ---- Configuration of the MOP expander ----------------------------------------------------------------------- */

static void test_config_changes_under_way(void **state) {
    struct frontend *f = create();
    (void)state;
    f->mop.config[3] = plain(1);
    push1(f, mop_list(4, 0), 10);
    frontend_advance(f, 12);
    f->mop.config[3] = plain(2); /* seen by what is emitted in 12 and later */
    passes_at(f, plain(1), 12);
    passes_at(f, plain(1), 13);
    passes_at(f, plain(2), 14);
    passes_at(f, plain(2), 15);
    nothing_left(f);
}

static void test_an_empty_expansion(void **state) {
    struct frontend *f = create();
    (void)state;
    for (unsigned i = 2; i < MOP_WORDS; i++)
        f->mop.config[i] = (uint32_t)TENSIX_NOP << 24;
    push1(f, 0x01800000, 10);
    push1(f, plain(1), 10);
    frontend_advance(f, 10);
    assert_true(frontend_mop_busy(f));
    frontend_advance(f, 11);
    assert_false(frontend_mop_busy(f));
    assert_int_equal(f->in_flight, 1);
    passes_at(f, plain(1), 14); /* taken in 12 */
    nothing_left(f);
}

/* ---- Types and resources ------------------------------------------------------------------------------------- */

static void test_types(void **state) {
    static const struct {
        uint32_t word;
        unsigned types;
    } table[] = {
        { (uint32_t)TENSIX_NOP << 24, 0 },
        { (uint32_t)TENSIX_MOP_CFG << 24, 0 },
        { (uint32_t)TENSIX_RESOURCEDECL << 24, 0 },
        { (uint32_t)TENSIX_MOP << 24, 0x002 },
        { (uint32_t)TENSIX_REPLAY << 24, 0x001 },
        { (uint32_t)TENSIX_REPLAY << 24 | 1, 0 },
        { (uint32_t)TENSIX_REPLAY << 24 | 3, 0x001 },
        { (uint32_t)TENSIX_REPLAY << 24 | 2, 0x001 },
        { (uint32_t)TENSIX_ADDDMAREG << 24, 0x104 },
        { (uint32_t)TENSIX_XMOV << 24, 0x108 },
        { (uint32_t)TENSIX_UNPACR << 24, 0x110 },
        { (uint32_t)TENSIX_PACR << 24, 0x120 },
        { (uint32_t)TENSIX_WRCFG << 24, 0x040 },
        { (uint32_t)TENSIX_SETC16 << 24, 0x040 },
        { (uint32_t)TENSIX_SEMPOST << 24, 0x080 },
        { (uint32_t)TENSIX_STALLWAIT << 24, 0x080 },
        { (uint32_t)TENSIX_SETADCXY << 24, 0x100 },
        { (uint32_t)TENSIX_SFPLOAD << 24, 0x200 },
        { (uint32_t)TENSIX_SFPMAD << 24, 0x200 },
        { (uint32_t)TENSIX_MVMUL << 24, 0x400 },
        { 0xFF000000, 0 },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct frontend *f = create();
        push1(f, table[i].word, 10);
        assert_int_equal(frontend_types(f), table[i].types);
        free(f);
    }
}

/* An expansion counts by its own name while it is under way, and its words by theirs. */
static void test_types_of_expansions(void **state) {
    struct frontend *f = create();
    (void)state;
    f->replay.word[0] = (uint32_t)TENSIX_PACR << 24;
    f->replay.word[1] = (uint32_t)TENSIX_PACR << 24;
    f->replay.word[2] = (uint32_t)TENSIX_PACR << 24;
    f->mop.config[3] = replay(0, 3, false, false);
    push1(f, mop_list(2, 0), 10);
    frontend_advance(f, 11);
    assert_int_equal(frontend_types(f), 0x003);
    frontend_advance(f, 12);
    assert_int_equal(frontend_types(f), 0x121);
    frontend_advance(f, 100);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(frontend_types(f), i < 5 ? 0x121 : 0x120);
        frontend_pop(f, 100 + i);
        frontend_advance(f, 101 + i);
    }
    nothing_left(f);
}

static void push_tracked(struct frontend *f, uint32_t word, uint64_t time) {
    frontend_push(f, &word, 1, 0, time, tracked);
}

static void test_resources(void **state) {
    struct frontend *f = create();
    (void)state;
    f->mop.config[3] = plain(1);
    f->ttsync.requests = 41;
    push_tracked(f, mop_list(2, 0), 10);
    f->ttsync.requests = 42;
    push_tracked(f, (uint32_t)TENSIX_LOADREG << 24, 10);
    assert_int_equal(frontend_resources(f), 0xC7C7);
    assert_int_equal(frontend_head(f, 100)->resources, 0xC7C7);
    assert_int_equal(frontend_head(f, 100)->request, 41);
    passes_at(f, plain(1), 12);
    frontend_advance(f, 13);
    assert_int_equal(frontend_resources(f), 0xC7C7); /* until all of it has passed */
    assert_int_equal(frontend_head(f, 100)->resources, 0);
    passes_at(f, plain(1), 13);
    assert_int_equal(frontend_resources(f), 0x4000);
    assert_int_equal(frontend_head(f, 100)->resources, 0x4000);
    assert_int_equal(frontend_head(f, 100)->request, 42);
    passes_at(f, (uint32_t)TENSIX_LOADREG << 24, 15);
    assert_int_equal(frontend_resources(f), 0);
    nothing_left(f);
}

static void test_declaration_in_push_order(void **state) {
    const uint32_t words[] = { plain(1), (uint32_t)TENSIX_RESOURCEDECL << 24 | 1u << 6 << 4 | 15, plain(2) };
    struct frontend *f = create();
    (void)state;
    frontend_push(f, words, 3, 0, 10, tracked);
    assert_int_equal(f->in_flight, 3);
    assert_int_equal(frontend_head(f, 100)->resources, 0x0004);
    passes_at(f, plain(1), 12);
    assert_int_equal(frontend_head(f, 100)->resources, 0x4000);
    passes_at(f, plain(2), 14);
    nothing_left(f);
}

/* Out of an expansion a declaration counts for what is pushed after the cycle in which it gets to the Replay expander.
 */
static void test_declaration_in_an_expansion(void **state) {
    struct frontend *f = create();
    (void)state;
    f->mop.config[3] = (uint32_t)TENSIX_RESOURCEDECL << 24 | 1u << 6 << 4 | 15;
    push_tracked(f, mop_list(1, 0), 10); /* declares in 11 */
    push_tracked(f, plain(1), 11);
    push_tracked(f, plain(2), 12);
    assert_int_equal(frontend_head(f, 100)->resources, 0x0004);
    frontend_pop(f, 50);
    assert_int_equal(frontend_head(f, 100)->resources, 0x4000);
    frontend_pop(f, 51);
    nothing_left(f);
}

static void test_bank(void **state) {
    const uint32_t set = (uint32_t)TENSIX_SETC16 << 24 | CONFIG_WORD_CFG_STATE_ID_StateID << 16 | 1;
    const uint32_t fused[] = { plain(1), set, plain(2) };
    struct frontend *f = create();
    (void)state;
    frontend_push(f, fused, 3, 0, 10, tracked);
    push_tracked(f, plain(3), 11);
    push_tracked(f, (uint32_t)TENSIX_SETC16 << 24 | 1u << 16, 11); /* another register */
    push_tracked(f, plain(4), 11);
    push_tracked(f, set & ~1u, 11);
    push_tracked(f, plain(5), 11);
    static const uint16_t expected[] = { 4, 4, 4, 0x20, 0x20, 0x20, 0x20, 4 };
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(frontend_head(f, 100)->resources, expected[i]);
        frontend_pop(f, 50 + i);
    }
    nothing_left(f);
}

static void test_reset_of_the_core(void **state) {
    struct frontend *f = create();
    (void)state;
    f->mop.config[3] = plain(1);
    push1(f, plain(0), 10);
    push1(f, mop_list(20, 0), 10);
    push1(f, plain(2), 10);
    push1(f, mop_list(1, 0), 10);
    frontend_advance(f, 14);
    frontend_reset_core(f);
    assert_int_equal(f->in_flight, 1);
    assert_false(frontend_mop_busy(f));
    passes_at(f, plain(0), 12);
    for (unsigned i = 0; i < 3; i++)
        passes_at(f, plain(1), 13 + i);
    nothing_left(f);
}

/* ---- Random streams ------------------------------------------------------------------------------------------ */

enum { CYCLES = 3000, RUNS = 400 };

static uint64_t mix(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static unsigned below(uint64_t *state, unsigned n) {
    return (unsigned)(mix(state) % n);
}

/* What happens in a cycle, and what is seen when it begins. */
struct moment {
    uint32_t word[4], brisc, config;
    uint8_t count, config_at;
    bool gate_open, brisc_pushes, brisc_fits, config_written;
    bool mop_busy, full, blank, idle;
    uint16_t resources;
    unsigned in_flight, lost;
};

struct pass {
    struct ref_word word;
    uint64_t time;
};

struct trace {
    struct moment at[CYCLES];
    struct pass pass[CYCLES];
    unsigned passes;
};

static uint32_t random_replay(uint64_t *r) {
    return replay(below(r, 32), below(r, 8) ? below(r, 6) + 1 : below(r, 64), below(r, 3) == 0, below(r, 2));
}

static uint32_t random_declaration(uint64_t *r) {
    return (uint32_t)TENSIX_RESOURCEDECL << 24 | below(r, 512) << 4 | below(r, 16);
}

static uint32_t random_word(uint64_t *r) {
    static const uint8_t some[] = { TENSIX_NOP, TENSIX_ADDDMAREG, TENSIX_UNPACR, TENSIX_WRCFG, TENSIX_LOADREG };
    switch (below(r, 16)) {
    case 0: return random_replay(r);
    case 1: return (uint32_t)TENSIX_MOP_CFG << 24 | below(r, 65536);
    case 2: return mop_list(below(r, 4) ? below(r, 6) + 1 : 40, below(r, 65536));
    case 3: return 0x01800000u | (below(r, 4) ? 0 : below(r, 4) << 10 | below(r, 4));
    case 4: return below(r, 3) ? plain(0) : random_declaration(r);
    case 5: return (uint32_t)TENSIX_SETC16 << 24 | below(r, 2);
    case 6:
    case 7: return (uint32_t)some[below(r, sizeof some)] << 24 | below(r, 65536);
    default: return plain(below(r, 65536));
    }
}

static uint32_t random_config(uint64_t *r, unsigned index) {
    if (index < 2)
        return below(r, 4);
    switch (below(r, 8)) {
    case 0:
    case 1: return (uint32_t)TENSIX_NOP << 24;
    case 2: return random_replay(r);
    case 3: return below(r, 4) ? plain(index) : random_declaration(r);
    default: return plain(index);
    }
}

/* How a stream is: rates in per mille of cycles. */
struct manner {
    unsigned pushes, gate_opens, gate_stays, brisc, writes;
};

static void decide(struct ref *r, struct moment *m, const struct manner *how, bool was_open, uint64_t *random) {
    unsigned rate = was_open ? 1000 - how->gate_stays : how->gate_opens;
    m->gate_open = was_open ^ (below(random, 1000) < rate);
    if (r->in_flight <= FRONTEND_ACCEPTS && below(random, 1000) < how->pushes) {
        m->count = (uint8_t)(1 + below(random, 4));
        for (unsigned i = 0; i < m->count; i++)
            m->word[i] = random_word(random);
    }
    if (below(random, 1000) < how->brisc) {
        m->brisc_pushes = true;
        m->brisc_fits = r->middle.count < FRONTEND_MIDDLE;
        m->brisc = random_word(random);
    }
    if (below(random, 1000) < how->writes) {
        m->config_written = true;
        m->config_at = (uint8_t)below(random, MOP_WORDS);
        m->config = random_config(random, m->config_at);
    }
}

static void observe(const struct ref *r, struct moment *m) {
    m->mop_busy = ref_mop_busy(r);
    m->full = r->middle.count == FRONTEND_MIDDLE;
    m->blank = r->middle.count == 0;
    m->idle = ref_empty(r);
    m->in_flight = r->in_flight;
    m->lost = r->lost;
    m->resources = ref_resources(r);
}

static void record(struct trace *t, const uint32_t *config, const struct manner *how, uint64_t *random) {
    struct ref *r = calloc(1, sizeof *r);
    bool open = true;
    ttsync_init(&r->ttsync);
    memcpy(r->mop.config, config, sizeof r->mop.config);
    for (uint64_t now = 1; now < CYCLES; now++) {
        struct moment *m = &t->at[now];
        observe(r, m);
        decide(r, m, how, open, random);
        open = m->gate_open;
        if (m->config_written)
            r->mop.config[m->config_at] = m->config;
        r->ttsync.requests = (uint16_t)now;
        ref_push(r, m->word, m->count, tracked, now);
        if (m->brisc_pushes && m->brisc_fits) {
            r->brisc = true;
            r->brisc_word = (struct ref_word){ .word = m->brisc };
        }
        struct pass *pass = &t->pass[t->passes];
        pass->time = now;
        if (ref_cycle(r, open, now, &pass->word))
            t->passes++;
    }
    free(r);
}

static void check(struct frontend *f, const struct moment *m, uint64_t now) {
    frontend_advance(f, now);
    if (f->in_flight != m->in_flight || f->lost != m->lost || frontend_mop_busy(f) != m->mop_busy ||
        frontend_middle_full(f) != m->full || frontend_middle_empty(f) != m->blank || frontend_empty(f) != m->idle ||
        frontend_resources(f) != m->resources)
        fail_msg("cycle %lu: in flight %u (%u), lost %u (%u), MOP busy %d (%d), full %d (%d), empty %d (%d), idle %d "
                 "(%d), resources 0x%04x (0x%04x)",
                 (unsigned long)now, f->in_flight, m->in_flight, f->lost, m->lost, frontend_mop_busy(f), m->mop_busy,
                 frontend_middle_full(f), m->full, frontend_middle_empty(f), m->blank, frontend_empty(f), m->idle,
                 frontend_resources(f), m->resources);
}

/* Everything that passes before `until`. */
static unsigned pass_until(struct frontend *f, const struct trace *t, unsigned done, uint64_t from, uint64_t until) {
    for (uint64_t now = from; now < until; now++) {
        const struct frontend_word *head = frontend_head(f, until);
        const struct pass *pass = &t->pass[done];
        if (!head)
            return done;
        if (head->time > now || !t->at[now].gate_open)
            continue;
        if (done >= t->passes || head->word != pass->word.word || head->time != pass->word.arrived ||
            now != pass->time || head->resources != pass->word.resources || head->request != pass->word.request ||
            head->tracked != (pass->word.parent != REF_NO_PARENT))
            fail_msg("word %u: 0x%08x (0x%08x) at the gate in %lu (%lu), passes in %lu (%lu)", done, head->word,
                     pass->word.word, (unsigned long)head->time, (unsigned long)pass->word.arrived, (unsigned long)now,
                     (unsigned long)pass->time);
        frontend_pop(f, now);
        done++;
    }
    return done;
}

/* What cores do in a cycle. Of several the order does not matter. */
static void act(struct frontend *f, const struct moment *m, uint64_t now, bool swapped) {
    f->ttsync.requests = (uint16_t)now;
    if (m->count && !swapped)
        frontend_push(f, m->word, m->count, 0, now, tracked);
    if (m->config_written || m->brisc_pushes)
        frontend_advance(f, now);
    if (m->config_written)
        f->mop.config[m->config_at] = m->config;
    if (m->brisc_pushes)
        assert_int_equal(frontend_push_behind_mop(f, m->brisc, 0, now), m->brisc_fits);
    if (m->count && swapped)
        frontend_push(f, m->word, m->count, 0, now, tracked);
}

/* Plays the trace; looks one cycle in `every`, and brings nothing forward in between unless something happens. */
static void compare(const struct trace *t, const uint32_t *config, unsigned every, uint64_t *random) {
    struct frontend *f = create();
    unsigned done = 0;
    uint64_t from = 1;
    memcpy(f->mop.config, config, sizeof f->mop.config);
    for (uint64_t now = 1; now < CYCLES; now++) {
        const struct moment *m = &t->at[now];
        bool looks = below(random, every) == 0;
        if (!m->count && !m->config_written && !m->brisc_pushes && !looks)
            continue;
        done = pass_until(f, t, done, from, now);
        from = now;
        if (looks)
            check(f, m, now);
        act(f, m, now, below(random, 2));
    }
    done = pass_until(f, t, done, from, CYCLES);
    assert_int_equal(done, t->passes);
    free(f);
}

static const struct manner manners[] = {
    { .pushes = 1000, .gate_opens = 1000, .gate_stays = 1000 },
    { .pushes = 300, .gate_opens = 1000, .gate_stays = 1000 },
    { .pushes = 1000, .gate_opens = 50, .gate_stays = 950 },
    { .pushes = 200, .gate_opens = 20, .gate_stays = 990 },
    { .pushes = 1000, .gate_opens = 300, .gate_stays = 300, .writes = 30 },
    { .pushes = 500, .gate_opens = 100, .gate_stays = 950, .brisc = 50, .writes = 10 },
    { .pushes = 50, .gate_opens = 200, .gate_stays = 900, .brisc = 200 },
    { .pushes = 1000, .gate_opens = 20, .gate_stays = 980, .brisc = 500, .writes = 100 },
};

static void test_random_streams(void **state) {
    struct trace *t = malloc(sizeof *t);
    unsigned passes = 0, lost = 0;
    (void)state;
    for (uint64_t run = 0; run < RUNS; run++) {
        uint64_t random = run * 0x1234567;
        uint32_t config[MOP_WORDS];
        memset(t, 0, sizeof *t);
        for (unsigned i = 0; i < MOP_WORDS; i++)
            config[i] = random_config(&random, i);
        record(t, config, &manners[run % (sizeof manners / sizeof manners[0])], &random);
        compare(t, config, 1, &random);
        compare(t, config, 10, &random);
        compare(t, config, 1000, &random);
        passes += t->passes;
        lost += t->at[CYCLES - 1].lost;
    }
    assert_true(passes > 100000 && lost > 1000); /* or it has looked at nothing */
    free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_cycles_to_the_gate),
        cmocka_unit_test(test_one_word_a_cycle),
        cmocka_unit_test(test_rest_after_mop),
        cmocka_unit_test(test_replay_without_bubbles),
        cmocka_unit_test(test_recording),
        cmocka_unit_test(test_recording_with_execution),
        cmocka_unit_test(test_length_zero_is_all),
        cmocka_unit_test(test_recording_from_a_mop),
        cmocka_unit_test(test_twenty_eight),
        cmocka_unit_test(test_an_expansion_counts_once),
        cmocka_unit_test(test_back_pressure_delays),
        cmocka_unit_test(test_collision),
        cmocka_unit_test(test_collision_with_the_end_of_an_expansion),
        cmocka_unit_test(test_room_behind_mop),
        cmocka_unit_test(test_config_changes_under_way),
        cmocka_unit_test(test_an_empty_expansion),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_types_of_expansions),
        cmocka_unit_test(test_resources),
        cmocka_unit_test(test_declaration_in_push_order),
        cmocka_unit_test(test_declaration_in_an_expansion),
        cmocka_unit_test(test_bank),
        cmocka_unit_test(test_reset_of_the_core),
        cmocka_unit_test(test_random_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
