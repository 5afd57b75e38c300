/* Banks of SrcA and SrcB, which the unpackers and the Matrix Unit hand to each other. The rules of hazard/hazard.h, one
 * at a time, without a chip. */
#include "stage.h"

enum { JOB = 2, BANK = 1 };

/* T0 unpacks to a bank of SrcA and hands it over. */
static void unpack(struct stage *s, unsigned bank) {
    pass(s, 0);
    hazard_unit_step(s->near, 0, HAZARD_UNPACK0);
    hazard_unpack_queued(s->near, 0, 0, JOB);
    hazard_unpack_writes(s->near, 0, JOB, bank, s->now);
    hazard_bank_handed(s->near, 0, JOB, bank);
}

/* T1 writes to the bank by an instruction that waits for the bank, or does not. */
static void move(struct stage *s, unsigned bank, bool waits) {
    pass(s, 1);
    hazard_unit_step(s->near, 1, HAZARD_MATRIX);
    hazard_matrix_uses(s->near, 1, 0, bank, HAZARD_WRITES, waits);
}

static void give_back(struct stage *s, unsigned bank) {
    pass(s, 1);
    hazard_unit_step(s->near, 1, HAZARD_MATRIX);
    hazard_bank_given(s->near, 1, 0, bank);
}

static void wait_for_bank(struct stage *s, unsigned bank, bool and_matrix) {
    pass(s, 1);
    hazard_thread_latches(s->near, 1);
    if (and_matrix)
        hazard_thread_waited(s->near, 1, HAZARD_MATRIX);
    hazard_thread_saw_valid(s->near, 1, 0, bank);
}

static void instructions_that_wait_for_their_bank_have_it(void **state) {
    (void)state;
    for (unsigned waits = 0; waits < 2; waits++) {
        struct stage s = begin();
        unpack(&s, BANK);
        move(&s, BANK, waits);
        if (waits)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_SRC);
    }
}

/* The first instruction has waited; nothing has given the bank back. */
static void a_bank_stays_until_it_is_given_back(void **state) {
    (void)state;
    for (unsigned gives = 0; gives < 2; gives++) {
        struct stage s = begin();
        unpack(&s, BANK);
        move(&s, BANK, true);
        if (gives)
            give_back(&s, !BANK);
        unpack(&s, gives ? BANK : !BANK);
        move(&s, BANK, false);
        if (gives) /* also the unpacker has not waited for the bank */
            assert_int_equal(hazard_search_count(s.search), 2);
        else
            assert_int_equal(hazard_search_count(s.search), 0);
        hazard_search_free(s.search);
    }
}

/* An instruction waits for its bank at the gate. What its thread issues then comes after what the unpacking thread
 * knew: here, that a write of the configuration has landed. */
static void a_bank_brings_what_the_other_thread_knew(void **state) {
    (void)state;
    for (unsigned waits = 0; waits < 2; waits++) {
        struct stage s = begin();
        use(&s, 0, HAZARD_CONFIG, HAZARD_CONFIG_BANKS, HAZARD_WRITES);
        wait_for(&s, 0, HAZARD_CONFIG);
        unpack(&s, BANK);
        pass(&s, 1);
        hazard_unit_step(s.near, 1, HAZARD_MATRIX);
        if (waits)
            hazard_matrix_uses(s.near, 1, 0, BANK, HAZARD_READS, true);
        use(&s, 1, HAZARD_VECTOR, HAZARD_CONFIG_BANKS, HAZARD_READS);
        if (waits)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_CONFIG_ON_ITS_WAY);
    }
}

static void a_wait_for_a_bank_orders_moves(void **state) {
    (void)state;
    struct stage s = begin();
    unpack(&s, BANK);
    wait_for_bank(&s, BANK, false);
    move(&s, BANK, false);
    end_silent(&s);
}

/* The wait may have been met by the bank before. */
static void a_wait_for_a_bank_needs_the_switch_before_it(void **state) {
    (void)state;
    for (unsigned both = 0; both < 2; both++) {
        struct stage s = begin();
        unpack(&s, !BANK);
        unpack(&s, BANK);
        give_back(&s, !BANK);
        wait_for_bank(&s, BANK, both);
        move(&s, BANK, false);
        if (both)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_SRC);
    }
}

static void an_unpacker_comes_after_what_gave_the_bank_back(void **state) {
    (void)state;
    for (unsigned gives = 0; gives < 2; gives++) {
        struct stage s = begin();
        move(&s, BANK, false);
        if (gives)
            give_back(&s, BANK);
        unpack(&s, BANK);
        if (gives)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_SRC);
    }
}

/* SETDVALID hands over what its thread knows to be in the bank. */
static void a_bank_is_set_valid_behind_a_wait(void **state) {
    (void)state;
    for (unsigned waits = 0; waits < 2; waits++) {
        struct stage s = begin();
        pass(&s, 0);
        hazard_unit_step(s.near, 0, HAZARD_UNPACK0);
        hazard_unpack_queued(s.near, 0, 0, JOB);
        hazard_unpack_writes(s.near, 0, JOB, BANK, s.now);
        pass(&s, 0);
        if (waits)
            wait_for(&s, 0, HAZARD_UNPACK0);
        hazard_bank_set_valid(s.near, 0, 0, BANK);
        move(&s, BANK, true);
        if (waits)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_SRC);
    }
}

static void banks_are_given_back_at_the_end(void **state) {
    (void)state;
    for (unsigned gives = 0; gives < 2; gives++) {
        struct stage s = begin();
        unpack(&s, BANK);
        move(&s, BANK, true);
        if (gives)
            give_back(&s, BANK);
        step(&s, s.near, BH_TRISC1);
        hazard_core_ends(s.near, BH_TRISC1);
        assert_int_equal(hazard_search_count(s.search), 0); /* T0 may still be at work */
        step(&s, s.near, BH_TRISC0);
        hazard_core_ends(s.near, BH_TRISC0);
        if (gives) {
            end_silent(&s);
            continue;
        }
        assert_int_equal(hazard_search_at(s.search, 0)->verdict, BH_VERDICT_SUSPECT);
        end_with(&s, BH_HAZARD_SRC);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_that_wait_for_their_bank_have_it),
        cmocka_unit_test(a_bank_stays_until_it_is_given_back),
        cmocka_unit_test(a_bank_brings_what_the_other_thread_knew),
        cmocka_unit_test(a_wait_for_a_bank_orders_moves),
        cmocka_unit_test(a_wait_for_a_bank_needs_the_switch_before_it),
        cmocka_unit_test(an_unpacker_comes_after_what_gave_the_bank_back),
        cmocka_unit_test(a_bank_is_set_valid_behind_a_wait),
        cmocka_unit_test(banks_are_given_back_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
