/* What cores do to L1: stores on their way, loads back, flags, atomics. The rules of hazard/hazard.h, one at a time,
 * without a chip. */
#include "stage.h"

static void words_of_cores_are_flags(void **state) {
    (void)state;
    struct stage s = begin();
    store(&s, s.near, BH_BRISC, FLAG);
    load(&s, s.near, BH_NCRISC, FLAG);
    store(&s, s.near, BH_NCRISC, FLAG);
    end_silent(&s);
}

static void stores_are_on_their_way(void **state) {
    (void)state;
    struct stage s = begin();
    store(&s, s.near, BH_BRISC, BUFFER);
    write_from(&s, BH_BRISC, BUFFER, 0);
    end_with(&s, BH_HAZARD_STORE_ON_ITS_WAY);
}

static void a_load_back_orders_stores(void **state) {
    (void)state;
    struct stage s = begin();
    store(&s, s.near, BH_BRISC, BUFFER);
    store(&s, s.near, BH_BRISC, BUFFER + 4);
    load(&s, s.near, BH_BRISC, BUFFER + 4); /* the first one came before */
    write_from(&s, BH_BRISC, BUFFER, 0);
    end_silent(&s);
}

static void a_load_of_another_word_does_not(void **state) {
    (void)state;
    struct stage s = begin();
    store(&s, s.near, BH_BRISC, BUFFER);
    load(&s, s.near, BH_BRISC, FLAG);
    write_from(&s, BH_BRISC, BUFFER, 0);
    end_with(&s, BH_HAZARD_STORE_ON_ITS_WAY);
}

static void it_does_behind_a_fence(void **state) {
    (void)state;
    struct stage s = begin();
    store(&s, s.near, BH_BRISC, BUFFER);
    hazard_core_fences(s.near, BH_BRISC);
    load(&s, s.near, BH_BRISC, FLAG);
    write_from(&s, BH_BRISC, BUFFER, 0);
    end_silent(&s);
}

static void stores_land_in_time(void **state) {
    (void)state;
    struct stage s = begin();
    store(&s, s.near, BH_BRISC, BUFFER);
    for (unsigned i = 0; i < HAZARD_LANDED; i++)
        step(&s, s.near, BH_BRISC);
    write_from(&s, BH_BRISC, BUFFER, 0);
    end_silent(&s);
}

static void an_atomic_orders_stores(void **state) {
    (void)state;
    struct stage s = begin();
    store(&s, s.near, BH_BRISC, BUFFER);
    step(&s, s.near, BH_BRISC);
    hazard_core_changes(s.near, BH_BRISC, FLAG);
    write_from(&s, BH_BRISC, BUFFER, 0);
    end_silent(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_cores_are_flags),  cmocka_unit_test(stores_are_on_their_way),
        cmocka_unit_test(a_load_back_orders_stores), cmocka_unit_test(a_load_of_another_word_does_not),
        cmocka_unit_test(it_does_behind_a_fence),    cmocka_unit_test(stores_land_in_time),
        cmocka_unit_test(an_atomic_orders_stores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
