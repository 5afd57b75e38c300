/* Reads of what nobody has written. The rules of hazard/hazard.h, one at a time, without a chip. */
#include "stage.h"

static void reads_of_what_nobody_writes_are_suspect(void **state) {
    (void)state;
    for (unsigned writes = 0; writes < 2; writes++) {
        struct stage s = begin();
        assert_true(hazard_watch_unwritten(s.near));
        if (writes)
            store(&s, s.near, BH_NCRISC, FLAG);
        load(&s, s.near, BH_BRISC, FLAG);
        if (writes) {
            end_silent(&s);
            continue;
        }
        assert_int_equal(hazard_search_at(s.search, 0)->verdict, BH_VERDICT_SUSPECT);
        assert_string_equal(hazard_search_at(s.search, 0)->first.agent, "nobody");
        assert_int_equal(hazard_search_at(s.search, 0)->address, FLAG);
        end_with(&s, BH_HAZARD_UNWRITTEN);
    }
}

static void packets_only_copy(void **state) {
    (void)state;
    struct stage s = begin();
    assert_true(hazard_watch_unwritten(s.near));
    assert_true(hazard_watch_unwritten(s.far));
    uint32_t data = write_from(&s, BH_BRISC, BUFFER, 7), flag = request(&s, s.near, BH_BRISC, HAZARD_ATOMIC, 7);
    arrive(&s, HAZARD_WRITE, data, BUFFER, BYTES, HAZARD_WRITES);
    arrive(&s, HAZARD_ATOMIC, flag, FLAG, 4, HAZARD_CHANGES);
    load(&s, s.far, BH_BRISC, FLAG);
    load(&s, s.far, BH_BRISC, BUFFER);
    end_silent(&s);
}

/* A flag begins as zero; so does a counter, which an atomic writes. */
static void what_is_written_later_is_a_flag(void **state) {
    (void)state;
    struct stage s = begin();
    assert_true(hazard_watch_unwritten(s.near));
    load(&s, s.near, BH_BRISC, FLAG);
    assert_int_equal(hazard_search_count(s.search), 1);
    store(&s, s.near, BH_NCRISC, FLAG + 4);
    assert_int_equal(hazard_search_count(s.search), 1);
    store(&s, s.near, BH_NCRISC, FLAG);
    end_silent(&s);
}

static void what_is_polled_is_a_flag(void **state) {
    (void)state;
    for (unsigned loads = 1; loads <= 2; loads++) {
        struct stage s = begin();
        assert_true(hazard_watch_unwritten(s.near));
        for (unsigned i = 0; i < loads; i++) {
            hazard_core_step(s.near, BH_BRISC, 0x500, 0x13, i);
            hazard_core_loads(s.near, BH_BRISC, FLAG, 4);
            hazard_core_step(s.near, BH_BRISC, 0x504, 0x13, i); /* goes back */
        }
        if (loads == 2)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_UNWRITTEN);
    }
}

static void a_tile_that_was_used_before_counts_as_written(void **state) {
    (void)state;
    struct stage s = begin();
    load(&s, s.near, BH_BRISC, FLAG);
    end_silent(&s);
}

static void every_word_of_a_range_counts(void **state) {
    (void)state;
    for (unsigned missing = 0; missing < 3; missing++) {
        struct stage s = begin();
        assert_true(hazard_watch_unwritten(s.near));
        for (uint32_t i = 0; i < 128; i++)
            if (i != 40 * missing)
                store(&s, s.near, BH_BRISC, BUFFER + 4 * i);
        load(&s, s.near, BH_BRISC, BUFFER + 4 * 127); /* all have come */
        hazard_core_loads(s.near, BH_BRISC, BUFFER, 512);
        assert_int_equal(hazard_search_count(s.search), 1);
        assert_int_equal(hazard_search_at(s.search, 0)->address, BUFFER + 4 * 40 * missing);
        end_with(&s, BH_HAZARD_UNWRITTEN);
    }
}

static void dst_is_written_by_a_clear(void **state) {
    (void)state;
    for (unsigned clears = 0; clears < 2; clears++) {
        struct stage s = begin();
        assert_true(hazard_watch_unwritten(s.near));
        if (clears)
            use(&s, 1, HAZARD_MATRIX, HAZARD_DST, HAZARD_WRITES);
        pass(&s, 1);
        wait_for(&s, 1, HAZARD_MATRIX);
        use(&s, 1, HAZARD_PACK, HAZARD_DST, HAZARD_READS);
        if (clears)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_UNWRITTEN);
    }
}

/* At the end of a kernel of firmware nobody should rely on what it leaves in Dst and LRegs; constants stay. */
static void a_kernel_leaves_nothing(void **state) {
    (void)state;
    for (unsigned ends = 0; ends < 4; ends++) {
        struct stage s = begin();
        assert_true(hazard_watch_unwritten(s.near));
        assert_true(hazard_search_end_at(s.search, FLAG, 4, 0));
        pass(&s, 1);
        hazard_unit_access(s.near, 1, HAZARD_VECTOR, HAZARD_LREG, 0, 4, HAZARD_WRITES);
        for (unsigned i = 0; i < ends; i++)
            store(&s, s.near, BH_TRISC0 + i, FLAG);
        pass(&s, 1);
        hazard_unit_access(s.near, 1, HAZARD_VECTOR, HAZARD_LREG, 0, 4, HAZARD_READS);
        hazard_unit_access(s.near, 1, HAZARD_VECTOR, HAZARD_LREG, SHADOW_WORD * 11, 4, HAZARD_READS);
        if (ends == BH_THREADS)
            end_with(&s, BH_HAZARD_UNWRITTEN);
        else
            end_silent(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_of_what_nobody_writes_are_suspect),
        cmocka_unit_test(packets_only_copy),
        cmocka_unit_test(what_is_written_later_is_a_flag),
        cmocka_unit_test(what_is_polled_is_a_flag),
        cmocka_unit_test(a_tile_that_was_used_before_counts_as_written),
        cmocka_unit_test(every_word_of_a_range_counts),
        cmocka_unit_test(dst_is_written_by_a_clear),
        cmocka_unit_test(a_kernel_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
