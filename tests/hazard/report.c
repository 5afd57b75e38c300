/* How causes are counted and judged, and what the host does. The rules of hazard/hazard.h, one at a time, without a
 * chip. */
#include "stage.h"

static void a_cause_counts_once(void **state) {
    (void)state;
    struct stage s = begin();
    for (unsigned i = 0; i < 10; i++) {
        hazard_core_step(s.near, BH_BRISC, 0x100, 0x23, i);
        hazard_core_stores(s.near, BH_BRISC, BUFFER + 4 * i, 4, 0);
    }
    write_from(&s, BH_BRISC, BUFFER, 0);
    assert_int_equal(hazard_search_at(s.search, 0)->count, 10);
    assert_int_equal(hazard_search_at(s.search, 0)->first.pc, 0x100);
    assert_string_equal(hazard_search_at(s.search, 0)->first.agent, "brisc, store");
    assert_string_equal(hazard_search_at(s.search, 0)->second.agent, "NoC 0 write");
    assert_string_equal(hazard_search_at(s.search, 0)->place, "L1 0x00001000");
    assert_int_equal(hazard_search_at(s.search, 0)->verdict, BH_VERDICT_LATENT);
    end_with(&s, BH_HAZARD_STORE_ON_ITS_WAY);
}

static void a_time_that_nobody_knows_is_uncertain(void **state) {
    (void)state;
    struct stage s = begin();
    pass(&s, 0);
    hazard_unit_step(s.near, 0, HAZARD_UNPACK0);
    hazard_unit_access_sometime(s.near, 0, HAZARD_UNPACK0, HAZARD_CONFIG_BANKS, 0, 4, HAZARD_READS);
    pass(&s, 0);
    hazard_unit_step(s.near, 0, HAZARD_CONFIG);
    hazard_unit_access(s.near, 0, HAZARD_CONFIG, HAZARD_CONFIG_BANKS, 0, 4, HAZARD_WRITES);
    assert_int_equal(hazard_search_at(s.search, 0)->verdict, BH_VERDICT_UNCERTAIN);
    end_with(&s, BH_HAZARD_CONFIG_IN_USE);
}

static void equal_values_are_benign(void **state) {
    (void)state;
    for (unsigned value = 0; value < 2; value++) {
        struct stage s = begin();
        step(&s, s.near, BH_TRISC0);
        hazard_core_register(s.near, BH_TRISC0, HAZARD_CONFIG_BANKS, 0, 128, true, 0);
        step(&s, s.near, BH_TRISC1);
        hazard_core_register(s.near, BH_TRISC1, HAZARD_CONFIG_BANKS, 0, 128, true, value);
        assert_int_equal(hazard_search_at(s.search, 0)->verdict, value ? BH_VERDICT_RACE : BH_VERDICT_BENIGN);
        end_with(&s, BH_HAZARD_CONFIG_ON_ITS_WAY);
    }
}

/* A store of what is there cannot hurt a write that still reads it. */
static void a_store_of_the_same_is_benign(void **state) {
    (void)state;
    static uint8_t l1[L1_SIZE];
    for (unsigned same = 0; same < 2; same++) {
        struct stage s = begin();
        s.near->l1 = l1;
        l1[BUFFER] = same ? 7 : 6;
        write_from(&s, BH_BRISC, BUFFER, 0);
        step(&s, s.near, BH_BRISC);
        hazard_core_stores(s.near, BH_BRISC, BUFFER, 4, 7);
        assert_int_equal(hazard_search_at(s.search, 0)->verdict, same ? BH_VERDICT_BENIGN : BH_VERDICT_RACE);
        end_with(&s, BH_HAZARD_SOURCE_IN_FLIGHT);
    }
}

static void what_the_host_writes_is_new(void **state) {
    (void)state;
    struct stage s = begin();
    read_into(&s, BH_NCRISC, BUFFER);
    hazard_forget(s.near, BUFFER, BYTES);
    load(&s, s.near, BH_BRISC, BUFFER);
    end_silent(&s);
}

/* The host has read an answer before it starts the next kernel, or has not. */
static void a_host_that_has_read_orders_what_follows(void **state) {
    (void)state;
    for (unsigned reads = 0; reads < 2; reads++) {
        struct stage s = begin();
        read_into(&s, BH_NCRISC, BUFFER);
        if (reads)
            hazard_host_reads(s.far);
        hazard_host_writes(s.far, FLAG, 4, s.now + 1);
        load(&s, s.near, BH_BRISC, BUFFER);
        if (reads)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_READ_IN_FLIGHT);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cause_counts_once),         cmocka_unit_test(a_time_that_nobody_knows_is_uncertain),
        cmocka_unit_test(equal_values_are_benign),     cmocka_unit_test(a_store_of_the_same_is_benign),
        cmocka_unit_test(what_the_host_writes_is_new), cmocka_unit_test(a_host_that_has_read_orders_what_follows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
