/* The frontend: rates, orders, room and losses as documented. See frontend_random.c for all of it together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "tensix/tensix.h"

#include "frontend_words.h"

static const uint16_t untracked[CONFIG_THREAD_WORDS];

static void push1(struct frontend *f, uint32_t word, uint64_t time) {
    frontend_push(f, &word, 1, 0x100, time, untracked);
}

/* The next word has this time, and passes then. */
static void passes_at(struct frontend *f, uint32_t word, uint64_t time) {
    const struct frontend_word *head = frontend_head(f, 1000000);
    assert_non_null(head);
    assert_int_equal(head->word, word);
    assert_int_equal(frontend_ready(f), time);
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
    frontend_configure_mop(f, 3, plain(9));
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
    frontend_configure_mop(f, 3, replay(31, 2, false, false));
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
    push1(f, replay(30, 3, false, true), 11); /* plays in 16, 17, 18; exec without load does nothing */
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
    frontend_configure_mop(f, 3, plain(3));
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
    /* A word that has moved on still counts until it has passed the gate. */
    frontend_advance(f, 1000);
    assert_int_equal(frontend_first_count(f), 22);
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
    frontend_configure_mop(f, 3, plain(1));
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
    assert_true(frontend_push_after_mop(f, plain(99), 0x200, 11));
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
    frontend_configure_mop(f, 3, plain(1));
    push1(f, mop_list(2, 0), 10);
    frontend_advance(f, 11);
    assert_true(frontend_push_after_mop(f, replay(0, 1, true, false), 0x200, 11));
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
        assert_int_equal(frontend_push_after_mop(f, plain(i), 0x200, 100 + i), i < 10);
    }
    assert_true(frontend_middle_full(f));
    assert_int_equal(f->in_flight, 0);
    assert_int_equal(frontend_types(f, UINT64_MAX), 0); /* not the TRISC's */
    assert_false(frontend_empty(f));
    for (unsigned i = 0; i < 10; i++) {
        const struct frontend_word *head = frontend_head(f, 200 + i);
        assert_non_null(head);
        assert_int_equal(head->word, plain(i));
        assert_int_equal(frontend_ready(f), i < 2 ? 102 + i : 200 + i); /* room in the last FIFO comes with each pass */
        frontend_pop(f, 200 + i);
    }
    nothing_left(f);
}

/* ---- Configuration of the MOP expander ----------------------------------------------------------------------- */

static void test_config_changes_under_way(void **state) {
    struct frontend *f = create();
    (void)state;
    frontend_configure_mop(f, 3, plain(1));
    push1(f, mop_list(4, 0), 10);
    frontend_advance(f, 12);
    frontend_configure_mop(f, 3, plain(2)); /* seen by what is emitted in 12 and later */
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
        frontend_configure_mop(f, i, (uint32_t)TENSIX_NOP << 24);
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
        assert_int_equal(frontend_types(f, UINT64_MAX), table[i].types);
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
    frontend_configure_mop(f, 3, replay(0, 3, false, false));
    push1(f, mop_list(2, 0), 10);
    frontend_advance(f, 11);
    assert_int_equal(frontend_types(f, UINT64_MAX), 0x003);
    frontend_advance(f, 12);
    assert_int_equal(frontend_types(f, UINT64_MAX), 0x121);
    frontend_advance(f, 100);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(frontend_types(f, UINT64_MAX), i < 5 ? 0x121 : 0x120);
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
    frontend_configure_mop(f, 3, plain(1));
    f->ttsync.requests = 41;
    push_tracked(f, mop_list(2, 0), 10);
    f->ttsync.requests = 42;
    push_tracked(f, (uint32_t)TENSIX_LOADREG << 24, 10);
    assert_int_equal(frontend_resources(f), 0xC7C7);
    assert_int_equal(frontend_head(f, 100)->resources, 0xC7C7);
    assert_int_equal(frontend_head(f, 100)->request, 1 << TTSYNC_LINGER_SHIFT | 41);
    passes_at(f, plain(1), 12);
    frontend_advance(f, 13);
    assert_int_equal(frontend_resources(f), 0xC7C7); /* until all of it has passed */
    assert_int_equal(frontend_head(f, 100)->resources, 0);
    passes_at(f, plain(1), 13);
    assert_int_equal(frontend_resources(f), 0x4000);
    assert_int_equal(frontend_head(f, 100)->resources, 0x4000);
    assert_int_equal(frontend_head(f, 100)->request, 1 << TTSYNC_LINGER_SHIFT | 42);
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
    frontend_configure_mop(f, 3, (uint32_t)TENSIX_RESOURCEDECL << 24 | 1u << 6 << 4 | 15);
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
    frontend_configure_mop(f, 3, plain(1));
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

/* ---- Faults --------------------------------------------------------------------------------------------------- */

static void on_fault(void *owner, const struct bh_fault *fault) {
    *(struct bh_fault *)owner = *fault;
}

static void test_what_must_not_get_to_the_gate(void **state) {
    static const struct {
        tensix_handler *handler;
        uint32_t word;
        const char *text;
    } table[] = {
        { execute_MOP, 0x01000000, "behind the MOP expander" },
        { execute_MOP_CFG, 0x03000000, "behind the MOP expander" },
        { execute_REPLAY, 0x04000000, "is not expanded" },
        { execute_RESOURCEDECL, 0x05000000, "belongs to the frontend" },
    };
    static const struct tensix_port port = { .fault = on_fault };
    (void)state;
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct tensix *x = calloc(1, sizeof *x);
        struct bh_fault fault = { 0 };
        x->port = &port;
        x->owner = &fault;
        assert_true(table[i].handler(x, 1, table[i].word, 5) == TENSIX_NEVER);
        assert_int_equal(fault.kind, BH_FAULT_UNDEFINED);
        assert_int_equal(fault.thread, 1);
        assert_int_equal(fault.insn, table[i].word);
        assert_non_null(strstr(fault.text, table[i].text));
        assert_true(x->thread[1].faulted);
        free(x);
    }
}

/* ---- Room ---------------------------------------------------------------------------------------------- */

static uint32_t mop_loops(void) {
    return (uint32_t)TENSIX_MOP << 24 | 1u << 23;
}

/* The loop of a MOP, how often it is done, and whether something but a pass can make room behind it. */
static void test_what_makes_room_without_a_pass(void **state) {
    const struct {
        uint32_t word, loop, outer;
        bool expected;
    } table[] = {
        { plain(1), 0, 0, false },
        { replay(0, 4, false, false), 0, 0, false },
        { replay(0, 4, true, false), 0, 0, true },
        { replay(0, 4, true, true), 0, 0, true },
        { (uint32_t)TENSIX_MOP_CFG << 24, 0, 0, true },
        { (uint32_t)TENSIX_RESOURCEDECL << 24, 0, 0, true },
        { mop_list(3, 0), plain(1), 0, false },
        { mop_list(3, 0), replay(0, 4, true, false), 0, true },
        { mop_loops(), plain(1), 2, false },
        { mop_loops(), plain(1), 0, true },
        { mop_loops(), replay(0, 4, false, false), 2, false },
        { mop_loops(), replay(0, 4, true, false), 2, true },
        { mop_loops(), (uint32_t)TENSIX_RESOURCEDECL << 24, 2, true },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        struct frontend *f = create();
        for (unsigned k = 2; k < MOP_WORDS; k++)
            frontend_configure_mop(f, k, table[i].loop);
        frontend_configure_mop(f, 0, table[i].outer);
        frontend_configure_mop(f, 1, 1);
        push1(f, plain(0), 10);
        push1(f, table[i].word, 10);
        if (frontend_may_consume(f) != table[i].expected)
            fail_msg("case %u", i);
        free(f);
    }
}

/* Each word of the MOP expander's configuration counts but the two that say how often. */
static void test_any_silent_word_of_a_mop_makes_room(void **state) {
    (void)state;
    for (unsigned silent = 0; silent < MOP_WORDS; silent++) {
        struct frontend *f = create();
        for (unsigned k = 0; k < MOP_WORDS; k++)
            frontend_configure_mop(f, k, (uint32_t)(k == silent ? TENSIX_RESOURCEDECL : 0) << 24 | 1);
        push1(f, plain(0), 10);
        push1(f, mop_list(3, 0), 10);
        assert_int_equal(frontend_may_consume(f), silent >= 2);
        frontend_configure_mop(f, silent, 1);
        assert_false(frontend_may_consume(f));
        free(f);
    }
}

static void test_recorded_words_make_room(void **state) {
    struct frontend *f = create();
    (void)state;
    push1(f, replay(0, 2, true, false), 10);
    push1(f, plain(1), 10);
    frontend_advance(f, 12);
    assert_int_equal(f->in_flight, 1);
    assert_true(frontend_may_consume(f));
    frontend_advance(f, 13);
    assert_int_equal(f->in_flight, 0);
    free(f);
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
        cmocka_unit_test(test_what_must_not_get_to_the_gate),
        cmocka_unit_test(test_what_makes_room_without_a_pass),
        cmocka_unit_test(test_any_silent_word_of_a_mop_makes_room),
        cmocka_unit_test(test_recorded_words_make_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
