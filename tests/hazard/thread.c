/* Threads, their units, waits and expanders. The rules of hazard/hazard.h, one at a time, without a chip. */
#include "stage.h"

/* ---- Threads --------------------------------------------------------------------------------------------------- */

static void a_wait_orders_units(void **state) {
    (void)state;
    for (unsigned waits = 0; waits < 2; waits++) {
        struct stage s = begin();
        use(&s, 1, HAZARD_MATRIX, HAZARD_DST, HAZARD_WRITES);
        pass(&s, 1);
        if (waits)
            wait_for(&s, 1, HAZARD_MATRIX);
        post(&s, 1);
        pass(&s, 2);
        wait_for_post(&s, 2);
        use(&s, 2, HAZARD_PACK, HAZARD_DST, HAZARD_READS);
        if (waits)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_DST);
    }
}

/* What the thread does between a wait and the instruction that it holds is not waited for. */
static void a_wait_covers_what_came_before_it(void **state) {
    (void)state;
    struct stage s = begin();
    pass(&s, 1);
    hazard_thread_latches(s.near, 1);
    use(&s, 1, HAZARD_MATRIX, HAZARD_DST, HAZARD_WRITES);
    hazard_thread_waited(s.near, 1, HAZARD_MATRIX);
    use(&s, 1, HAZARD_VECTOR, HAZARD_DST, HAZARD_READS);
    end_with(&s, BH_HAZARD_DST);
}

/* A store that the core makes behind the push of the wait may come too late for it. */
static void a_wait_for_stores_covers_those_before_its_push(void **state) {
    (void)state;
    for (unsigned late = 0; late < 2; late++) {
        struct stage s = begin();
        for (unsigned i = 0; i < 2; i++) {
            if (i == late) {
                step(&s, s.near, BH_TRISC0);
                hazard_core_register(s.near, BH_TRISC0, HAZARD_CONFIG_BANKS, 0, 4, true, 1);
            } else {
                step(&s, s.near, BH_TRISC0);
                push(&s, 0, 0x42, 0x900);
            }
        }
        hazard_thread_step(s.near, 0, 0x900, 0xA2, s.now, true);
        hazard_thread_latches(s.near, 0);
        hazard_thread_waited_for_stores(s.near, 0);
        hazard_thread_access(s.near, 0, HAZARD_CONFIG_BANKS, 0, 4, HAZARD_READS);
        if (late)
            end_with(&s, BH_HAZARD_CONFIG_ON_ITS_WAY);
        else
            end_silent(&s);
    }
}

/* What the Matrix Unit has used, the unpacker has fetched: whoever waits for the one knows the other. */
static void banks_bring_what_the_unpacker_did(void **state) {
    (void)state;
    for (unsigned uses = 0; uses < 2; uses++) {
        struct stage s = begin();
        use(&s, 0, HAZARD_UNPACK0, HAZARD_L1, HAZARD_READS);
        hazard_unpack_queued(s.near, 0, 0, 2);
        hazard_bank_handed(s.near, 0, 2, 1);
        pass(&s, 1);
        hazard_unit_step(s.near, 1, HAZARD_MATRIX);
        hazard_matrix_uses(s.near, 1, 0, uses ? 1 : 0, HAZARD_READS, true);
        wait_for(&s, 1, HAZARD_MATRIX);
        use(&s, 1, HAZARD_PACK, HAZARD_L1, HAZARD_WRITES);
        if (uses)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_L1_BY_UNITS);
    }
}

static void a_sync_tells_the_core_only(void **state) {
    (void)state;
    struct stage s = begin();
    use(&s, 1, HAZARD_MATRIX, HAZARD_DST, HAZARD_WRITES);
    step(&s, s.near, BH_TRISC1);
    push(&s, 1, 0x42, 0x900); /* before the sync, and passes behind it */
    step(&s, s.near, BH_TRISC1);
    hazard_core_synced(s.near, BH_TRISC1, 1);
    hazard_thread_step(s.near, 1, 0x900, 0x70, s.now, true);
    hazard_unit_step(s.near, 1, HAZARD_VECTOR);
    hazard_unit_access(s.near, 1, HAZARD_VECTOR, HAZARD_DST, 0, 64, HAZARD_READS);
    assert_int_equal(hazard_search_count(s.search), 1);
    use(&s, 1, HAZARD_PACK, HAZARD_DST, HAZARD_READS); /* pushed behind it */
    end_with(&s, BH_HAZARD_DST);
}

static void a_unit_is_in_order_for_a_thread(void **state) {
    (void)state;
    struct stage s = begin();
    use(&s, 1, HAZARD_MATRIX, HAZARD_DST, HAZARD_WRITES);
    use(&s, 1, HAZARD_MATRIX, HAZARD_DST, HAZARD_CHANGES);
    end_silent(&s);
}

/* Between threads somebody has to say which word is issued first; that is enough, without a wait for the unit. */
static void a_unit_is_in_the_order_of_issue_for_threads(void **state) {
    (void)state;
    for (unsigned posts = 0; posts < 2; posts++) {
        struct stage s = begin();
        use(&s, 0, HAZARD_MATRIX, HAZARD_DST, HAZARD_WRITES);
        pass(&s, 0);
        post(&s, 0);
        pass(&s, 1);
        if (posts)
            wait_for_post(&s, 1);
        use(&s, 1, HAZARD_MATRIX, HAZARD_DST, HAZARD_CHANGES);
        if (posts)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_DST);
    }
}

/* A wait for the unit covers words of other threads that are known to have been issued before. */
static void a_wait_covers_other_threads_that_came_before(void **state) {
    (void)state;
    for (unsigned posts = 0; posts < 2; posts++) {
        struct stage s = begin();
        use(&s, 0, HAZARD_MATRIX, HAZARD_DST, HAZARD_WRITES);
        pass(&s, 0);
        post(&s, 0);
        pass(&s, 1);
        if (posts)
            wait_for_post(&s, 1);
        hazard_unit_step(s.near, 1, HAZARD_MATRIX);
        pass(&s, 1);
        wait_for(&s, 1, HAZARD_MATRIX);
        use(&s, 1, HAZARD_PACK, HAZARD_DST, HAZARD_READS);
        if (posts)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_DST);
    }
}

static void a_wait_for_all_threads_covers_what_is_known(void **state) {
    (void)state;
    for (unsigned posts = 0; posts < 2; posts++) {
        struct stage s = begin();
        use(&s, 0, HAZARD_CONFIG, HAZARD_CONFIG_BANKS, HAZARD_WRITES);
        pass(&s, 0);
        post(&s, 0);
        pass(&s, 1);
        if (posts)
            wait_for_post(&s, 1);
        hazard_thread_latches(s.near, 1);
        hazard_thread_waited_for_all(s.near, 1, HAZARD_CONFIG);
        use(&s, 1, HAZARD_PACK, HAZARD_CONFIG_BANKS, HAZARD_READS);
        if (posts)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_CONFIG_ON_ITS_WAY);
    }
}

static void a_mutex_orders_its_holders(void **state) {
    (void)state;
    for (unsigned takes = 0; takes < 2; takes++) {
        struct stage s = begin();
        use(&s, 0, HAZARD_CONFIG, HAZARD_CONFIG_BANKS, HAZARD_CHANGES);
        pass(&s, 0);
        hazard_mutex_released(s.near, 0, 2);
        pass(&s, 1);
        hazard_mutex_taken(s.near, 1, takes ? 2 : 3);
        use(&s, 1, HAZARD_CONFIG, HAZARD_CONFIG_BANKS, HAZARD_CHANGES);
        if (takes)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_CONFIG_ON_ITS_WAY);
    }
}

/* A word that an instruction of the Scalar Unit changes at once tells a core what the thread knew. */
static void an_atomic_of_a_thread_is_a_flag(void **state) {
    (void)state;
    for (unsigned waits = 0; waits < 2; waits++) {
        struct stage s = begin();
        use(&s, 2, HAZARD_PACK, HAZARD_L1, HAZARD_WRITES);
        pass(&s, 2);
        if (waits)
            wait_for(&s, 2, HAZARD_PACK);
        hazard_unit_counts(s.near, 2, HAZARD_SCALAR, FLAG, 4, HAZARD_CHANGES);
        load(&s, s.near, BH_BRISC, FLAG);
        step(&s, s.near, BH_BRISC);
        hazard_core_loads(s.near, BH_BRISC, AT, 4);
        if (waits)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_L1_BY_UNITS);
    }
}

/* A thread that has waited for a flag in L1 comes after what its writer knew: a core, or another thread. */
static void a_thread_waits_for_a_flag(void **state) {
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct stage s = begin();
        bool by_core = i & 1, sees = i & 2;
        if (by_core) {
            step(&s, s.near, BH_BRISC);
            hazard_core_stores(s.near, BH_BRISC, AT, 4, 0);
            load(&s, s.near, BH_BRISC, AT);
            store(&s, s.near, BH_BRISC, FLAG);
        } else {
            use(&s, 2, HAZARD_PACK, HAZARD_L1, HAZARD_WRITES);
            pass(&s, 2);
            wait_for(&s, 2, HAZARD_PACK);
            hazard_unit_counts(s.near, 2, HAZARD_SCALAR, FLAG, 2, HAZARD_WRITES);
        }
        pass(&s, 0);
        hazard_thread_saw_word(s.near, 0, sees ? FLAG : FLAG + 4);
        use(&s, 0, HAZARD_UNPACK0, HAZARD_L1, HAZARD_READS);
        if (sees)
            end_silent(&s);
        else
            end_with(&s, by_core ? BH_HAZARD_STORE_ON_ITS_WAY : BH_HAZARD_L1_BY_UNITS);
    }
}

/* ---- Expanders --------------------------------------------------------------------------------------------------- */

static void mop_registers_change_behind_a_wait(void **state) {
    enum { MOP = 0x01 << 24 };
    (void)state;
    for (unsigned waits = 0; waits < 2; waits++) {
        struct stage s = begin();
        step(&s, s.near, BH_TRISC2);
        hazard_core_sets_mop(s.near, BH_TRISC2, 2);
        push(&s, 2, MOP, 0x900);
        hazard_thread_step(s.near, 2, 0x900, 0x42, s.now, true);
        step(&s, s.near, BH_TRISC2);
        if (waits)
            hazard_core_awaited_mop(s.near, BH_TRISC2, 2);
        hazard_core_sets_mop(s.near, BH_TRISC2, 2);
        if (waits)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_MOP);
    }
}

static void replay(struct stage *s, unsigned first, unsigned count, bool records) {
    enum { REPLAY = 0x04 << 24 };
    step(s, s->near, BH_TRISC1);
    push(s, 1, REPLAY | first << 14 | count << 4 | records, s->near->pc);
    for (unsigned i = 0; records && i < count; i++)
        push(s, 1, 0x42, s->near->pc + 4);
}

static void a_replay_is_of_one_recording(void **state) {
    (void)state;
    for (unsigned overwrites = 0; overwrites < 2; overwrites++) {
        struct stage s = begin();
        replay(&s, 0, 4, true);
        replay(&s, overwrites ? 2 : 4, 4, true);
        replay(&s, 0, 4, false);
        if (!overwrites) {
            replay(&s, 0, 8, false); /* two recordings one after the other */
            end_silent(&s);
            continue;
        }
        assert_int_equal(hazard_search_at(s.search, 0)->verdict, BH_VERDICT_SUSPECT);
        end_with(&s, BH_HAZARD_REPLAY);
    }
}

/* The Matrix Unit takes a few cycles for an instruction: when its thread has issued many more it is over by time alone.
 */
static void an_instruction_of_fixed_latency_is_in_time(void **state) {
    (void)state;
    for (unsigned words = 1; words <= 64; words *= 64) {
        struct stage s = begin();
        use(&s, 1, HAZARD_MATRIX, HAZARD_DST, HAZARD_WRITES);
        for (unsigned i = 1; i < words; i++)
            pass(&s, 1);
        use(&s, 1, HAZARD_PACK, HAZARD_DST, HAZARD_READS);
        assert_int_equal(hazard_search_at(s.search, 0)->verdict, words == 1 ? BH_VERDICT_RACE : BH_VERDICT_LATENT);
        end_with(&s, BH_HAZARD_DST);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instruction_of_fixed_latency_is_in_time),
        cmocka_unit_test(a_wait_orders_units),
        cmocka_unit_test(a_wait_covers_what_came_before_it),
        cmocka_unit_test(a_wait_for_stores_covers_those_before_its_push),
        cmocka_unit_test(banks_bring_what_the_unpacker_did),
        cmocka_unit_test(a_sync_tells_the_core_only),
        cmocka_unit_test(a_unit_is_in_order_for_a_thread),
        cmocka_unit_test(a_unit_is_in_the_order_of_issue_for_threads),
        cmocka_unit_test(a_wait_covers_other_threads_that_came_before),
        cmocka_unit_test(a_wait_for_all_threads_covers_what_is_known),
        cmocka_unit_test(a_mutex_orders_its_holders),
        cmocka_unit_test(an_atomic_of_a_thread_is_a_flag),
        cmocka_unit_test(a_thread_waits_for_a_flag),
        cmocka_unit_test(mop_registers_change_behind_a_wait),
        cmocka_unit_test(a_replay_is_of_one_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
