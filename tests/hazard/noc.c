/* Requests of NIUs: when they are over, for whom, and what their arrival tells. The rules of hazard/hazard.h, one at a
 * time, without a chip. */
#include "stage.h"

static void a_read_is_in_flight_until_it_is_counted(void **state) {
    (void)state;
    for (unsigned counted = 0; counted < 2; counted++) {
        struct stage s = begin();
        uint32_t tick = read_into(&s, BH_NCRISC, 0);
        hazard_request_ends(s.near, 0, HAZARD_READ, tick);
        if (counted)
            hazard_core_counted(s.near, BH_NCRISC, 0, HAZARD_READ);
        store(&s, s.near, BH_NCRISC, FLAG); /* tells T0's core */
        load(&s, s.near, BH_TRISC0, FLAG);
        use(&s, 0, HAZARD_UNPACK0, HAZARD_L1, HAZARD_READS);
        if (counted)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_READ_IN_FLIGHT);
    }
}

static void reads_are_counted_up_to_the_first_that_is_not_over(void **state) {
    (void)state;
    struct stage s = begin();
    request(&s, s.near, BH_NCRISC, HAZARD_READ, 0); /* stays in flight */
    uint32_t tick = read_into(&s, BH_NCRISC, 0);
    hazard_request_ends(s.near, 0, HAZARD_READ, tick);
    hazard_core_counted(s.near, BH_NCRISC, 0, HAZARD_READ);
    load(&s, s.near, BH_NCRISC, 0);
    end_with(&s, BH_HAZARD_READ_IN_FLIGHT);
}

static void a_source_may_change_when_the_write_has_left(void **state) {
    (void)state;
    for (unsigned left = 0; left < 2; left++) {
        struct stage s = begin();
        write_from(&s, BH_BRISC, BUFFER, 0);
        s.now += left ? 100 : 0;
        step(&s, s.near, BH_BRISC);
        hazard_core_counted_left(s.near, BH_BRISC, 0, HAZARD_WRITE_SOURCE);
        store(&s, s.near, BH_BRISC, BUFFER);
        if (left)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_SOURCE_IN_FLIGHT);
    }
}

static void a_flag_on_the_same_channel_announces_data(void **state) {
    (void)state;
    for (unsigned same = 0; same < 2; same++) {
        struct stage s = begin();
        uint32_t data = write_from(&s, BH_BRISC, BUFFER, 7),
                 flag = request(&s, s.near, BH_BRISC, HAZARD_ATOMIC, same ? 7 : 8);
        arrive(&s, HAZARD_WRITE, data, BUFFER, BYTES, HAZARD_WRITES);
        arrive(&s, HAZARD_ATOMIC, flag, FLAG, 4, HAZARD_CHANGES);
        load(&s, s.far, BH_TRISC0, FLAG);
        load(&s, s.far, BH_TRISC0, BUFFER);
        if (same)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_REMOTE_WRITE);
    }
}

/* Two tiles announce data of their own; the word that both count stands for both. */
static void a_counter_announces_all_that_count(void **state) {
    (void)state;
    for (unsigned counted = 0; counted < 2; counted++) {
        struct stage s = begin();
        struct hazard_tile *sender[] = { s.near,
                                         hazard_search_tile(s.search, FAR + 1, (struct bh_xy){ 3, 2 }, L1_SIZE) };
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t data = request(&s, sender[i], BH_BRISC, HAZARD_WRITE, 7);
            uint32_t flag = request(&s, sender[i], BH_BRISC, HAZARD_ATOMIC, 7);
            const struct hazard_epoch step = { sender[i]->number, (uint16_t)hazard_niu_agent(0, HAZARD_ATOMIC), flag };
            hazard_request_access(s.far, sender[i], 0, HAZARD_WRITE, data, BUFFER + BYTES * i, BYTES, HAZARD_WRITES);
            hazard_request_access(s.far, sender[i], 0, HAZARD_ATOMIC, flag, FLAG, 4, HAZARD_CHANGES);
            if (counted)
                hazard_word_counted(s.far, FLAG, step);
        }
        load(&s, s.far, BH_TRISC0, FLAG);
        load(&s, s.far, BH_TRISC0, BUFFER);
        load(&s, s.far, BH_TRISC0, BUFFER + BYTES);
        if (counted)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_REMOTE_WRITE);
    }
}

/* Flag and data are writes on channels to the same tile; the flag says nothing of other channels. */
static void a_written_flag_says_nothing_of_other_channels(void **state) {
    (void)state;
    for (unsigned same = 0; same < 2; same++) {
        struct stage s = begin();
        uint32_t data = write_from(&s, BH_BRISC, BUFFER, 7), flag = write_from(&s, BH_BRISC, FLAG, same ? 7 : 8);
        arrive(&s, HAZARD_WRITE, data, BUFFER, BYTES, HAZARD_WRITES);
        arrive(&s, HAZARD_WRITE, flag, FLAG, 4, HAZARD_WRITES);
        load(&s, s.far, BH_TRISC0, FLAG);
        store(&s, s.far, BH_TRISC0, FLAG + 4); /* tells another core what it knows */
        load(&s, s.far, BH_BRISC, FLAG + 4);
        load(&s, s.far, BH_BRISC, BUFFER);
        if (same)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_REMOTE_WRITE);
    }
}

/* A row has room for a few channels. What is known of the oldest counts for all then: too much rather than too little.
 */
static void many_channels_do_not_forget(void **state) {
    (void)state;
    struct stage s = begin();
    uint32_t flag[HAZARD_ROW_CHANNELS + 2], data = 0;
    for (uint32_t i = 0; i < HAZARD_ROW_CHANNELS + 2; i++) {
        data = i ? data : write_from(&s, BH_BRISC, BUFFER, 7);
        flag[i] = request(&s, s.near, BH_BRISC, HAZARD_ATOMIC, 7 + i);
    }
    arrive(&s, HAZARD_WRITE, data, BUFFER, BYTES, HAZARD_WRITES);
    for (uint32_t i = 0; i < HAZARD_ROW_CHANNELS + 2; i++) {
        arrive(&s, HAZARD_ATOMIC, flag[i], FLAG + 4 * i, 4, HAZARD_CHANGES);
        load(&s, s.far, BH_TRISC0, FLAG + 4 * i);
    }
    load(&s, s.far, BH_TRISC0, BUFFER);
    end_silent(&s);
}

static void a_multicast_is_over_with_its_last_response(void **state) {
    (void)state;
    for (unsigned responses = 1; responses <= 2; responses++) {
        struct stage s = begin();
        uint32_t data = write_from(&s, BH_BRISC, BUFFER, 7);
        hazard_request_leaves(s.near, 0, HAZARD_WRITE, data, 2);
        arrive(&s, HAZARD_WRITE, data, BUFFER, BYTES, HAZARD_WRITES);
        for (unsigned i = 0; i < responses; i++)
            hazard_request_ends(s.near, 0, HAZARD_WRITE, data);
        hazard_core_counted(s.near, BH_BRISC, 0, HAZARD_WRITE);
        uint32_t flag = request(&s, s.near, BH_BRISC, HAZARD_ATOMIC, 8);
        arrive(&s, HAZARD_ATOMIC, flag, FLAG, 4, HAZARD_CHANGES);
        load(&s, s.far, BH_BRISC, FLAG);
        load(&s, s.far, BH_BRISC, BUFFER);
        if (responses == 2)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_REMOTE_WRITE);
    }
}

static void a_poll_of_the_data_itself_is_a_flag(void **state) {
    (void)state;
    struct stage s = begin();
    uint32_t data = write_from(&s, BH_BRISC, BUFFER, 7);
    hazard_core_step(s.far, BH_BRISC, 0x500, 0x13, 1);
    hazard_core_loads(s.far, BH_BRISC, BUFFER, 4);
    s.far->now = 2;
    arrive(&s, HAZARD_WRITE, data, BUFFER + 64, BYTES, HAZARD_WRITES);
    hazard_core_step(s.far, BH_BRISC, 0x504, 0x13, 3);
    hazard_core_loads(s.far, BH_BRISC, BUFFER + 64, 4);
    assert_int_equal(hazard_search_count(s.search), 1); /* read once: nothing says that it has waited */
    hazard_core_step(s.far, BH_BRISC, 0x500, 0x13, 4);  /* it goes back */
    hazard_core_step(s.far, BH_BRISC, 0x504, 0x13, 4);
    hazard_core_loads(s.far, BH_BRISC, BUFFER + 64, 4);
    hazard_core_step(s.far, BH_BRISC, 0x508, 0x13, 5);
    hazard_core_loads(s.far, BH_BRISC, BUFFER + 128, 4);
    end_with(&s, BH_HAZARD_REMOTE_WRITE);
}

/* The load is made twice because it was not its core's turn: that is no poll. */
static void a_load_that_is_tried_again_is_no_poll(void **state) {
    (void)state;
    struct stage s = begin();
    uint32_t data = write_from(&s, BH_BRISC, BUFFER, 7);
    arrive(&s, HAZARD_WRITE, data, BUFFER, BYTES, HAZARD_WRITES);
    for (unsigned i = 0; i < 2; i++) {
        hazard_core_step(s.far, BH_BRISC, 0x500, 0x13, s.now);
        hazard_core_loads(s.far, BH_BRISC, BUFFER, 4);
    }
    load(&s, s.far, BH_BRISC, BUFFER + 64);
    assert_int_equal(hazard_search_count(s.search), 2);
    hazard_search_free(s.search);
}

static void a_write_that_has_come_has_read_its_source(void **state) {
    (void)state;
    for (unsigned linked = 0; linked < 2; linked++) {
        struct stage s = begin();
        uint32_t source = request(&s, s.near, BH_BRISC, HAZARD_WRITE_SOURCE, 7);
        hazard_request_access(s.near, s.near, 0, HAZARD_WRITE_SOURCE, source, BUFFER, BYTES, HAZARD_READS);
        uint32_t data = request(&s, s.near, BH_BRISC, HAZARD_WRITE, 7);
        if (linked)
            hazard_request_has_source(s.near, 0, HAZARD_WRITE, data, source);
        arrive(&s, HAZARD_WRITE, data, FLAG, 4, HAZARD_WRITES);
        load(&s, s.far, BH_BRISC, FLAG);
        uint32_t back = request(&s, s.far, BH_BRISC, HAZARD_WRITE, 7); /* into the source */
        hazard_request_access(s.near, s.far, 0, HAZARD_WRITE, back, BUFFER, BYTES, HAZARD_WRITES);
        if (linked)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_SOURCE_IN_FLIGHT);
    }
}

/* So does a flag behind the write, on the same channel. */
static void a_flag_that_has_come_has_the_source_read_before(void **state) {
    (void)state;
    for (unsigned same = 0; same < 2; same++) {
        struct stage s = begin();
        uint32_t source = request(&s, s.near, BH_BRISC, HAZARD_WRITE_SOURCE, 7);
        hazard_request_access(s.near, s.near, 0, HAZARD_WRITE_SOURCE, source, BUFFER, BYTES, HAZARD_READS);
        uint32_t data = request(&s, s.near, BH_BRISC, HAZARD_WRITE, 7);
        hazard_request_has_source(s.near, 0, HAZARD_WRITE, data, source);
        uint32_t flag = request(&s, s.near, BH_BRISC, HAZARD_ATOMIC, same ? 7 : 8);
        arrive(&s, HAZARD_ATOMIC, flag, FLAG, 4, HAZARD_CHANGES);
        load(&s, s.far, BH_BRISC, FLAG);
        uint32_t back = request(&s, s.far, BH_BRISC, HAZARD_WRITE, 7); /* into the source */
        hazard_request_access(s.near, s.far, 0, HAZARD_WRITE, back, BUFFER, BYTES, HAZARD_WRITES);
        if (same)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_SOURCE_IN_FLIGHT);
    }
}

static void a_store_and_an_atomic_lose_one_of_both(void **state) {
    (void)state;
    struct stage s = begin();
    uint32_t tick = request(&s, s.near, BH_BRISC, HAZARD_ATOMIC, 7);
    arrive(&s, HAZARD_ATOMIC, tick, FLAG, 4, HAZARD_CHANGES);
    store(&s, s.far, BH_BRISC, FLAG);
    assert_int_equal(hazard_search_at(s.search, 0)->verdict, BH_VERDICT_RACE);
    end_with(&s, BH_HAZARD_LOST_COUNT);
}

static void requests_are_over_at_the_end(void **state) {
    (void)state;
    for (unsigned counted = 0; counted < 2; counted++) {
        struct stage s = begin();
        struct hazard_request_made made = { .core = BH_NCRISC, .agent = HAZARD_READ, .answered = true };
        step(&s, s.near, BH_NCRISC);
        hazard_request_ends(s.near, 0, HAZARD_READ, hazard_request_begins(s.near, &made));
        step(&s, s.near, BH_NCRISC);
        if (counted)
            hazard_core_counted(s.near, BH_NCRISC, 0, HAZARD_READ);
        hazard_core_ends(s.near, BH_NCRISC);
        if (counted) {
            end_silent(&s);
            continue;
        }
        assert_int_equal(hazard_search_at(s.search, 0)->verdict, BH_VERDICT_RACE);
        end_with(&s, BH_HAZARD_AT_END);
    }
}

/* Firmware notes the end of a kernel in L1. */
static void a_store_may_be_an_end(void **state) {
    (void)state;
    for (uint32_t value = 0; value < 2; value++) {
        struct stage s = begin();
        struct hazard_request_made made = { .core = BH_NCRISC, .agent = HAZARD_ATOMIC, .answered = true };
        assert_true(hazard_search_end_at(s.search, FLAG + 2, 1, 1));
        step(&s, s.near, BH_NCRISC);
        hazard_request_begins(s.near, &made);
        step(&s, s.near, BH_NCRISC);
        hazard_core_stores(s.near, BH_NCRISC, FLAG, 4, value << 16);
        if (!value) {
            end_silent(&s);
            continue;
        }
        assert_int_equal(hazard_search_at(s.search, 0)->verdict, BH_VERDICT_LATENT);
        end_with(&s, BH_HAZARD_AT_END);
    }
}

/* A core that polls a word waits for a write of it, however large that is. */
static void a_polled_word_may_be_overwritten(void **state) {
    (void)state;
    for (unsigned polls = 0; polls < 2; polls++) {
        struct stage s = begin();
        for (unsigned i = 0; i <= polls; i++) {
            s.now += 10;
            hazard_core_step(s.far, BH_NCRISC, 0x104, 0x13, s.now);
            hazard_core_step(s.far, BH_NCRISC, 0x100, 0x13, s.now);
            hazard_core_loads(s.far, BH_NCRISC, BUFFER, 4);
        }
        uint32_t tick = request(&s, s.near, BH_BRISC, HAZARD_WRITE, 0);
        arrive(&s, HAZARD_WRITE, tick, BUFFER, BYTES, HAZARD_WRITES);
        if (polls)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_REMOTE_OVERWRITES);
    }
}

/* Two writes of a core to the same bytes: on one channel they stay in order, else only behind an acknowledgement. */
static void writes_on_two_channels_overtake_each_other(void **state) {
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct stage s = begin();
        uint32_t first = request(&s, s.near, BH_BRISC, HAZARD_WRITE, 5);
        arrive(&s, HAZARD_WRITE, first, BUFFER, BYTES, HAZARD_WRITES);
        if (i == 2) {
            hazard_request_ends(s.near, 0, HAZARD_WRITE, first);
            step(&s, s.near, BH_BRISC);
            hazard_core_counted(s.near, BH_BRISC, 0, HAZARD_WRITE);
        }
        uint32_t second = request(&s, s.near, BH_BRISC, HAZARD_WRITE, i == 0 ? 5 : 6);
        arrive(&s, HAZARD_WRITE, second, BUFFER, BYTES, HAZARD_WRITES);
        if (i == 1)
            end_with(&s, BH_HAZARD_REMOTE_WRITE);
        else
            end_silent(&s);
    }
}

/* A core writes bytes of its tile to the other one, with command buffer 1. */
static uint32_t command(struct stage *s, uint32_t *source) {
    *source = request(s, s->near, BH_BRISC, HAZARD_WRITE_SOURCE, 0);
    uint32_t tick = request(s, s->near, BH_BRISC, HAZARD_WRITE, 7);
    hazard_request_has_source(s->near, 0, HAZARD_WRITE, tick, *source);
    hazard_command_given(s->near, 0, 1, HAZARD_WRITE, tick, *source);
    return tick;
}

static void a_command_buffer_may_change_when_its_request_is_known_to_be_taken(void **state) {
    (void)state;
    enum { UNKNOWN, ANOTHER_IS_FREE, ON_THE_OTHER_NOC, SEEN, HAS_LEFT, ACKNOWLEDGED, ANSWERED, OF_ANOTHER, WAYS };
    for (unsigned way = 0; way < WAYS; way++) {
        struct stage s = begin();
        uint32_t source, tick = command(&s, &source);
        s.now += 100;
        step(&s, s.near, BH_BRISC);
        switch (way) {
        case ANOTHER_IS_FREE: hazard_core_saw_command_taken(s.near, BH_BRISC, 0, 2); break;
        case ON_THE_OTHER_NOC: hazard_core_saw_command_taken(s.near, BH_BRISC, 1, 1); break;
        case SEEN: hazard_core_saw_command_taken(s.near, BH_BRISC, 0, 1); break;
        case HAS_LEFT: hazard_core_counted_left(s.near, BH_BRISC, 0, HAZARD_WRITE_SOURCE); break;
        case ACKNOWLEDGED:
            hazard_request_ends(s.near, 0, HAZARD_WRITE, tick);
            hazard_core_counted(s.near, BH_BRISC, 0, HAZARD_WRITE);
            break;
        case ANSWERED: { /* by a flag of the tile that has got the bytes */
            arrive(&s, HAZARD_WRITE, tick, FLAG, 4, HAZARD_WRITES);
            load(&s, s.far, BH_NCRISC, FLAG);
            uint32_t flag = request(&s, s.far, BH_NCRISC, HAZARD_WRITE, 9);
            hazard_request_access(s.near, s.far, 0, HAZARD_WRITE, flag, FLAG, 4, HAZARD_WRITES);
            load(&s, s.near, BH_BRISC, FLAG);
            break;
        }
        case OF_ANOTHER: /* another core has seen it, and tells this one */
            hazard_core_saw_command_taken(s.near, BH_NCRISC, 0, 1);
            store(&s, s.near, BH_NCRISC, FLAG);
            load(&s, s.near, BH_BRISC, FLAG);
            break;
        default: break;
        }
        hazard_core_sets_command(s.near, BH_BRISC, 0, 1);
        if (way >= SEEN)
            end_silent(&s);
        else
            end_with(&s, BH_HAZARD_COMMAND);
    }
}

static void a_command_buffer_without_requests_may_change(void **state) {
    (void)state;
    struct stage s = begin();
    uint32_t source;
    step(&s, s.near, BH_BRISC);
    hazard_core_sets_command(s.near, BH_BRISC, 0, 1);
    command(&s, &source);
    hazard_core_sets_command(s.near, BH_BRISC, 0, 0);
    hazard_core_sets_command(s.near, BH_BRISC, 1, 1);
    end_silent(&s);
}

/* A message from the near tile to a word of the far one. */
static void message(struct stage *s) {
    arrive(s, HAZARD_WRITE, request(s, s->near, BH_BRISC, HAZARD_WRITE, 7), FLAG, 4, HAZARD_WRITES);
}

/* A core of the far tile sees it, answers in the same word, and the near tile knows: at all, and that it has landed. */
static void answer(struct stage *s, bool told, bool landed) {
    load(s, s->far, BH_NCRISC, FLAG);
    store(s, s->far, BH_NCRISC, FLAG);
    if (landed) {
        step(s, s->far, BH_NCRISC);
        hazard_core_fences(s->far, BH_NCRISC);
        load(s, s->far, BH_NCRISC, FLAG);
    }
    uint32_t flag = request(s, s->far, BH_NCRISC, HAZARD_WRITE, 9);
    hazard_request_access(s->near, s->far, 0, HAZARD_WRITE, flag, FLAG, 4, HAZARD_WRITES);
    if (told)
        load(s, s->near, BH_BRISC, FLAG);
}

static void an_answer_that_is_not_awaited_wipes_the_next_message(void **state) {
    (void)state;
    for (unsigned way = 0; way < 3; way++) {
        struct stage s = begin();
        message(&s);
        answer(&s, way > 0, way > 1);
        message(&s);
        if (way == 2) {
            end_silent(&s);
            continue;
        }
        assert_int_equal(hazard_search_at(s.search, 0)->verdict, way == 0 ? BH_VERDICT_RACE : BH_VERDICT_LATENT);
        end_with(&s, BH_HAZARD_LOST_MESSAGE);
    }
}

/* Words that are never answered in place hold something of which the newest value counts. What the host has waited for
 * is another program's. */
static void a_message_over_a_message_is_lost_where_messages_are_answered(void **state) {
    (void)state;
    enum { ANSWERED, NEVER_ANSWERED, BEFORE_THE_HOST, WAYS };
    for (unsigned way = 0; way < WAYS; way++) {
        struct stage s = begin();
        message(&s);
        if (way != NEVER_ANSWERED)
            answer(&s, true, true);
        if (way == BEFORE_THE_HOST) {
            s.now += 1000;
            hazard_host_reads(s.near);
            hazard_host_writes(s.near, AT, 4, s.now);
        }
        message(&s);
        message(&s);
        if (way != ANSWERED) {
            end_silent(&s);
            continue;
        }
        assert_int_equal(hazard_search_at(s.search, 0)->verdict, BH_VERDICT_SUSPECT);
        end_with(&s, BH_HAZARD_LOST_MESSAGE);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_buffer_may_change_when_its_request_is_known_to_be_taken),
        cmocka_unit_test(a_command_buffer_without_requests_may_change),
        cmocka_unit_test(an_answer_that_is_not_awaited_wipes_the_next_message),
        cmocka_unit_test(a_message_over_a_message_is_lost_where_messages_are_answered),
        cmocka_unit_test(a_polled_word_may_be_overwritten),
        cmocka_unit_test(writes_on_two_channels_overtake_each_other),
        cmocka_unit_test(a_read_is_in_flight_until_it_is_counted),
        cmocka_unit_test(reads_are_counted_up_to_the_first_that_is_not_over),
        cmocka_unit_test(a_source_may_change_when_the_write_has_left),
        cmocka_unit_test(a_flag_on_the_same_channel_announces_data),
        cmocka_unit_test(a_counter_announces_all_that_count),
        cmocka_unit_test(a_written_flag_says_nothing_of_other_channels),
        cmocka_unit_test(many_channels_do_not_forget),
        cmocka_unit_test(a_multicast_is_over_with_its_last_response),
        cmocka_unit_test(a_poll_of_the_data_itself_is_a_flag),
        cmocka_unit_test(a_load_that_is_tried_again_is_no_poll),
        cmocka_unit_test(a_write_that_has_come_has_read_its_source),
        cmocka_unit_test(a_flag_that_has_come_has_the_source_read_before),
        cmocka_unit_test(a_store_and_an_atomic_lose_one_of_both),
        cmocka_unit_test(requests_are_over_at_the_end),
        cmocka_unit_test(a_store_may_be_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
