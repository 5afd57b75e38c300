/* Semaphores and mailboxes. The rules of hazard/hazard.h, one at a time, without a chip. */
#include "stage.h"

static void a_get_comes_after_its_post(void **state) {
    (void)state;
    for (unsigned waits = 0; waits < 2; waits++) {
        struct stage s = begin();
        pass(&s, 1);
        post(&s, 1);
        pass(&s, 2);
        if (waits)
            wait_for_post(&s, 2);
        get(&s, 2);
        if (waits)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_SEMAPHORE);
    }
}

/* Which the core that posts has told by another way: the message may overtake the store. */
static void a_post_of_a_core_is_on_its_way(void **state) {
    (void)state;
    for (unsigned reads = 0; reads < 2; reads++) {
        struct stage s = begin();
        step(&s, s.near, BH_TRISC0);
        hazard_core_posts(s.near, BH_TRISC0, 0, true);
        step(&s, s.near, BH_TRISC0);
        if (reads)
            hazard_core_saw_semaphore(s.near, BH_TRISC0, 0, 0, 15);
        hazard_message_sent(s.near, BH_TRISC0, BH_TRISC1);
        step(&s, s.near, BH_TRISC1);
        hazard_message_read(s.near, BH_TRISC0, BH_TRISC1);
        hazard_core_posts(s.near, BH_TRISC1, 0, false);
        if (reads) {
            end_silent(&s);
            continue;
        }
        assert_int_equal(hazard_search_at(s.search, 0)->verdict, BH_VERDICT_LATENT);
        end_with(&s, BH_HAZARD_SEMAPHORE);
    }
}

static void a_core_posts_before_it_pushes(void **state) {
    (void)state;
    struct stage s = begin();
    step(&s, s.near, BH_TRISC0);
    hazard_core_posts(s.near, BH_TRISC0, 0, true);
    pass(&s, 0);
    get(&s, 0);
    end_silent(&s);
}

static void a_set_wipes_a_post_that_nothing_orders(void **state) {
    (void)state;
    for (unsigned first = 0; first < 2; first++) {
        struct stage s = begin();
        pass(&s, 1);
        pass(&s, 2);
        if (first)
            post(&s, 1);
        set_to(&s, 2, 0);
        if (!first)
            post(&s, 1);
        end_with(&s, BH_HAZARD_SEMAPHORE);
    }
}

static void changes_beyond_the_ends_are_lost(void **state) {
    (void)state;
    struct stage s = begin();
    pass(&s, 1);
    set_to(&s, 1, 15);
    post(&s, 1);
    assert_int_equal(hazard_search_at(s.search, 0)->verdict, BH_VERDICT_SUSPECT);
    pass(&s, 1);
    set_to(&s, 1, 0);
    get(&s, 1);
    assert_int_equal(hazard_search_count(s.search), 2);
    assert_int_equal(hazard_search_at(s.search, 1)->verdict, BH_VERDICT_SUSPECT);
    hazard_search_free(s.search);
}

/* The second post does not stand for the first: one get has been made, so the waiter has seen the second. */
static void semaphores_count(void **state) {
    (void)state;
    for (unsigned gets = 0; gets < 2; gets++) {
        struct stage s = begin();
        pass(&s, 1);
        post(&s, 1);
        use(&s, 1, HAZARD_MATRIX, HAZARD_DST, HAZARD_WRITES);
        wait_for(&s, 1, HAZARD_MATRIX);
        post(&s, 1);
        pass(&s, 2);
        wait_for_post(&s, 2);
        if (gets)
            get(&s, 2);
        wait_for_post(&s, 2);
        use(&s, 2, HAZARD_PACK, HAZARD_DST, HAZARD_READS);
        if (gets)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_DST);
    }
}

/* A core that polls until a semaphore is at most `most` knows of as many gets as that takes, whatever it has read. */
static void a_poll_of_a_semaphore_says_what_it_must(void **state) {
    (void)state;
    for (unsigned most = 0; most < 2; most++) {
        struct stage s = begin();
        pass(&s, 0);
        post(&s, 0);
        post(&s, 0);
        get(&s, 0);
        pass(&s, 0);
        hazard_thread_access(s.near, 0, HAZARD_CONFIG_BANKS, 0, 4, HAZARD_READS);
        get(&s, 0);
        step(&s, s.near, BH_TRISC0);
        hazard_core_saw_semaphore(s.near, BH_TRISC0, 0, 0, most);
        hazard_core_register(s.near, BH_TRISC0, HAZARD_CONFIG_BANKS, 0, 4, true, 1);
        if (most == 0) /* both gets */
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_CONFIG_IN_USE);
    }
}

static void a_get_at_zero_is_none(void **state) {
    (void)state;
    struct stage s = begin();
    pass(&s, 2);
    pass(&s, 1);
    set_to(&s, 1, 0);
    get(&s, 1);
    pass(&s, 1);
    post(&s, 1);
    use(&s, 1, HAZARD_MATRIX, HAZARD_DST, HAZARD_WRITES);
    wait_for(&s, 1, HAZARD_MATRIX);
    post(&s, 1);
    wait_for_post(&s, 2);                               /* the first post */
    assert_int_equal(hazard_search_count(s.search), 1); /* the get */
    use(&s, 2, HAZARD_PACK, HAZARD_DST, HAZARD_READS);
    assert_int_equal(hazard_search_count(s.search), 2);
    assert_int_equal(hazard_search_at(s.search, 1)->kind, BH_HAZARD_DST);
    hazard_search_free(s.search);
}

static void a_full_semaphore_gives_room_back(void **state) {
    (void)state;
    for (unsigned waits = 0; waits < 2; waits++) {
        struct stage s = begin();
        use(&s, 2, HAZARD_PACK, HAZARD_DST, HAZARD_READS);
        if (waits)
            wait_for(&s, 2, HAZARD_PACK);
        pass(&s, 1);
        post(&s, 1);
        wait_for_post(&s, 2);
        get(&s, 2);
        hazard_semaphore_not_full(s.near, 0, 1, hazard_thread_clock(s.near, 1));
        use(&s, 1, HAZARD_MATRIX, HAZARD_DST, HAZARD_WRITES);
        if (waits)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_DST);
    }
}

/* A core stores to Config between two pushes: the first word, which passes later, does not come after the store. */
static void a_word_knows_what_its_core_knew(void **state) {
    (void)state;
    struct stage s = begin();
    step(&s, s.near, BH_TRISC0);
    uint32_t first = s.near->pc;
    push(&s, 0, 0x42, first);
    step(&s, s.near, BH_TRISC0);
    hazard_core_register(s.near, BH_TRISC0, HAZARD_CONFIG_BANKS, 0, 4, true, 1);
    step(&s, s.near, BH_TRISC0);
    hazard_core_register(s.near, BH_TRISC0, HAZARD_CONFIG_BANKS, 64, 4, false, 0); /* it has landed */
    step(&s, s.near, BH_TRISC0);
    uint32_t second = s.near->pc;
    push(&s, 0, 0x42, second);
    hazard_thread_step(s.near, 0, first, 0x42, s.now, true);
    hazard_thread_access(s.near, 0, HAZARD_CONFIG_BANKS, 0, 4, HAZARD_READS);
    assert_int_equal(hazard_search_count(s.search), 1);
    hazard_thread_step(s.near, 0, second, 0x42, s.now, true);
    hazard_thread_access(s.near, 0, HAZARD_CONFIG_BANKS, 0, 4, HAZARD_READS);
    end_with(&s, BH_HAZARD_CONFIG_ON_ITS_WAY);
}

static void words_that_vanish_are_passed_over(void **state) {
    (void)state;
    struct stage s = begin();
    step(&s, s.near, BH_TRISC0);
    const uint32_t words[] = { 0x42, 0x42, 0x42 };
    const struct hazard_push push = { words, 3, 1, 0x700 }; /* at 0x700, 0x704 and 0x708 */
    hazard_pushes(s.near, BH_TRISC0, 0, &push);
    hazard_pushed(s.near, BH_TRISC0, 0, &push, 2); /* the last did not fit */
    hazard_thread_step(s.near, 0, 0x704, 0x42, 1, false);
    assert_int_equal(s.near->thread[0].passed, 1);
    hazard_thread_step(s.near, 0, 0x704, 0x42, 2, true);
    assert_int_equal(s.near->thread[0].passed, 2);
    assert_int_equal(s.near->thread[0].pushed, 2);
    end_silent(&s);
}

static void mailboxes_bring_what_the_sender_knew(void **state) {
    (void)state;
    for (unsigned reads = 0; reads < 2; reads++) {
        struct stage s = begin();
        uint32_t tick = read_into(&s, BH_BRISC, 0);
        hazard_request_ends(s.near, 0, HAZARD_READ, tick);
        hazard_core_counted(s.near, BH_BRISC, 0, HAZARD_READ);
        step(&s, s.near, BH_BRISC);
        hazard_message_sent(s.near, BH_BRISC, BH_TRISC1);
        step(&s, s.near, BH_TRISC1);
        if (reads)
            hazard_message_read(s.near, BH_BRISC, BH_TRISC1);
        load(&s, s.near, BH_TRISC1, 16);
        if (reads)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_READ_IN_FLIGHT);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_get_comes_after_its_post),
        cmocka_unit_test(a_post_of_a_core_is_on_its_way),
        cmocka_unit_test(a_core_posts_before_it_pushes),
        cmocka_unit_test(a_set_wipes_a_post_that_nothing_orders),
        cmocka_unit_test(changes_beyond_the_ends_are_lost),
        cmocka_unit_test(semaphores_count),
        cmocka_unit_test(a_poll_of_a_semaphore_says_what_it_must),
        cmocka_unit_test(a_get_at_zero_is_none),
        cmocka_unit_test(a_full_semaphore_gives_room_back),
        cmocka_unit_test(a_word_knows_what_its_core_knew),
        cmocka_unit_test(words_that_vanish_are_passed_over),
        cmocka_unit_test(mailboxes_bring_what_the_sender_knew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
