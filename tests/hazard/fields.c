/* Fields of ThreadConfig that a SETC16 clears by mistake: the rules of hazard/fields.c. */
#include "stage.h"

enum {
    CONTEXTS = CONFIG_WORD_UNPACK_MISC_CFG_CfgContextOffset_0,
    A = 1 << CONFIG_SHIFT_UNPACK_MISC_CFG_CfgContextOffset_0,
    B = 1 << CONFIG_SHIFT_UNPACK_MISC_CFG_CfgContextOffset_1,
    RESET_A = 1 << CONFIG_SHIFT_UNPACK_MISC_CFG_CfgContextCntReset_0,
    RESET_B = 1 << CONFIG_SHIFT_UNPACK_MISC_CFG_CfgContextCntReset_1,
    MOST_WORDS = 4
};

/* A stage with the ThreadConfig of its near tile. */
struct scene {
    struct stage s;
    uint16_t config[BH_THREADS][CONFIG_THREAD_WORDS];
};

/* A SETC16 at this pc passes the gate of a thread. */
static void set_at(struct scene *scene, unsigned thread, uint32_t pc, unsigned word, unsigned value) {
    struct stage *s = &scene->s;
    step(s, s->near, BH_TRISC0 + thread);
    push(s, thread, 0xB2000000, pc);
    hazard_thread_step(s->near, thread, pc, 0xB2000000 | word << 16 | value, s->now, true);
    hazard_thread_config(s->near, thread, word, scene->config[thread][word], value);
    scene->config[thread][word] = (uint16_t)value;
}

/* SETC16s of thread 0 at different sites give a word these values. */
static struct scene after(unsigned word, const uint16_t value[], unsigned count) {
    struct scene scene = { .s = begin() };
    for (unsigned i = 0; i < count; i++)
        set_at(&scene, 0, 0x900 + 4 * i, word, value[i]);
    return scene;
}

static void a_field_is_lost(void **state) {
    (void)state;
    struct scene scene = after(CONTEXTS, (uint16_t[]){ B, A }, 2);
    const struct bh_hazard *hazard = hazard_search_at(scene.s.search, 0);
    assert_non_null(hazard);
    assert_string_equal(hazard->place, "ThreadConfig[41] UNPACK_MISC_CFG_CfgContextOffset_1 of T0");
    assert_int_equal(hazard->verdict, BH_VERDICT_SUSPECT);
    assert_int_equal(hazard->memory, BH_HAZARD_IN_THREAD_CONFIG);
    assert_int_equal(hazard->address, 16 * 41 + 8);
    assert_int_equal(hazard->first.pc, 0x900);
    assert_int_equal(hazard->second.pc, 0x904);
    end_with(&scene.s, BH_HAZARD_LOST_FIELD);
}

/* A word has these values one after the other, and the last SETC16 loses a field or does not. */
static void values_tell_what_was_meant(void **state) {
    enum { SRCA_SET = CONFIG_WORD_SRCA_SET_Base, CLR_DVALID = CONFIG_WORD_CLR_DVALID_SrcA_Disable };
    static const struct {
        uint8_t word, count;
        uint16_t value[MOST_WORDS];
        bool lost;
    } cases[] = {
        { CONTEXTS, 2, { A, B }, true },
        { CONTEXTS, 2, { B, 2 * A }, true },
        { CONTEXTS, 3, { A, A | B, 2 * A }, true }, /* the second kept what the first had set */
        { CONTEXTS, 2, { B, RESET_A }, true },      /* a command concerns its part */
        { SRCA_SET, 2, { 1, 4 }, true },
        { CLR_DVALID, 2, { 1, 2 }, true },
        { CONTEXTS, 2, { B, A | B }, false },     /* mended */
        { CONTEXTS, 2, { B, A | 2 * B }, false }, /* has another value, which was meant */
        { CONTEXTS, 2, { B, 0 }, false },         /* only clears */
        { CONTEXTS, 3, { B, 0, A }, false },
        { CONTEXTS, 3, { A, A | B, A }, false },  /* takes back what the second had added */
        { CONTEXTS, 2, { A | B, 2 * A }, false }, /* set as one value */
        { CONTEXTS, 3, { B, 2 * A | 2 * B, A }, false },
        { CONTEXTS, 3, { A | B, 0, A | B }, false },          /* switch_config_context of tt-llk */
        { CONTEXTS, 2, { A | B, RESET_A | RESET_B }, false }, /* unpacker_wrapup of tt-llk */
        { CONTEXTS, 2, { B, RESET_A | RESET_B }, false },
        { CONTEXTS, 2, { RESET_B, A }, false }, /* a command keeps nothing */
        { CONTEXTS, 2, { B, RESET_B | A }, false },
        { SRCA_SET, 3, { 4, 0, 4 }, false },
        { CONFIG_WORD_ADDR_MOD_AB_SEC0_SrcAIncr, 2, { 0x0008, 0x0800 }, false }, /* one value */
        { CONFIG_WORD_ADDR_MOD_PACK_SEC0_YsrcIncr, 2, { 0x0004, 0x0020 }, false },
        { CONFIG_WORD_SFPU_DEST_FMT_Enable, 2, { 1, 2 }, false },
        { CONFIG_WORD_TENSIX_TRISC_SYNC_TrackGlobalCfg, 2, { 1, 4 }, false },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene = after(cases[i].word, cases[i].value, cases[i].count);
        if (hazard_search_count(scene.s.search) != cases[i].lost)
            fail_msg("case %u: %zu hazards", i, hazard_search_count(scene.s.search));
        if (cases[i].lost)
            end_with(&scene.s, BH_HAZARD_LOST_FIELD);
        else
            end_silent(&scene.s);
    }
}

/* One instruction that writes a variable is in charge of the word. */
static void a_site_does_not_lose_its_own_field(void **state) {
    (void)state;
    struct scene scene = { .s = begin() };
    set_at(&scene, 0, 0x900, CONTEXTS, A);
    set_at(&scene, 0, 0x900, CONTEXTS, B);
    end_silent(&scene.s);
}

static void each_thread_has_its_own_words(void **state) {
    (void)state;
    struct scene scene = { .s = begin() };
    set_at(&scene, 0, 0x900, CONTEXTS, A);
    set_at(&scene, 1, 0x904, CONTEXTS, B);
    assert_int_equal(hazard_search_count(scene.s.search), 0);
    set_at(&scene, 1, 0x908, CONTEXTS, A);
    assert_int_equal(hazard_search_at(scene.s.search, 0)->address, 16 * (CONFIG_THREAD_WORDS + CONTEXTS) + 8);
    end_with(&scene.s, BH_HAZARD_LOST_FIELD);
}

static void a_cause_counts_each_time(void **state) {
    (void)state;
    struct scene scene = { .s = begin() };
    for (unsigned i = 0; i < 3; i++) {
        set_at(&scene, 0, 0x900, CONTEXTS, B);
        set_at(&scene, 0, 0x904, CONTEXTS, A);
        set_at(&scene, 0, 0x908, CONTEXTS, 0);
    }
    assert_int_equal(hazard_search_at(scene.s.search, 0)->count, 3);
    end_with(&scene.s, BH_HAZARD_LOST_FIELD);
}

/* What an earlier program has set does not matter to the next. */
static void a_program_begins_anew(void **state) {
    enum { GOES_ON, ENDS, OTHER_ENDS, STARTS, BRISC_STARTS, HOST_WAITS, COUNT };
    (void)state;
    for (unsigned what = 0; what < COUNT; what++) {
        struct scene scene = { .s = begin() };
        struct stage *s = &scene.s;
        set_at(&scene, 0, 0x900, CONTEXTS, B);
        switch (what) {
        case ENDS: hazard_core_ends(s->near, BH_TRISC0); break;
        case OTHER_ENDS: hazard_core_ends(s->near, BH_TRISC1); break;
        case STARTS: hazard_core_starts(s->near, BH_TRISC0, 0x6000); break;
        case BRISC_STARTS: hazard_core_starts(s->near, BH_BRISC, 0); break;
        case HOST_WAITS:
            hazard_host_reads(s->near);
            hazard_host_writes(s->near, FLAG, 4, s->now + 1);
            break;
        default: break;
        }
        set_at(&scene, 0, 0x904, CONTEXTS, A);
        if (what == GOES_ON || what == OTHER_ENDS)
            end_with(s, BH_HAZARD_LOST_FIELD);
        else
            end_silent(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_is_lost),
        cmocka_unit_test(values_tell_what_was_meant),
        cmocka_unit_test(a_site_does_not_lose_its_own_field),
        cmocka_unit_test(each_thread_has_its_own_words),
        cmocka_unit_test(a_cause_counts_each_time),
        cmocka_unit_test(a_program_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
