/* What orders accesses, and what does not: the rules of hazard/hazard.h, one at a time, without a chip. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hazard/hazard.h"

enum { L1_SIZE = 0x10000, AT = 0, BUFFER = 0x1000, FLAG = 0x2000, BYTES = 256, NEAR = 10, FAR = 11 };

struct stage {
    struct hazards *all;
    struct hazard_tile *near, *far; /* two tiles */
    uint64_t now;
};

static struct stage begin(void) {
    struct stage s = { .all = hazards_make(32) };
    s.near = hazards_tile(s.all, NEAR, (struct bh_xy){ 1, 2 }, L1_SIZE);
    s.far = hazards_tile(s.all, FAR, (struct bh_xy){ 2, 2 }, L1_SIZE);
    assert_non_null(s.near);
    assert_non_null(s.far);
    return s;
}

/* Ends a stage that has found one hazard of this kind, or none. */
static void end_with(struct stage *s, enum bh_hazard_kind kind) {
    assert_int_equal(hazards_count(s->all), 1);
    assert_int_equal(hazards_at(s->all, 0)->kind, kind);
    assert_false(hazards_incomplete(s->all));
    hazards_free(s->all);
}

static void end_silent(struct stage *s) {
    assert_int_equal(hazards_count(s->all), 0);
    assert_false(hazards_incomplete(s->all));
    hazards_free(s->all);
}

/* ---- Actions ----------------------------------------------------------------------------------------------- */

static void step(struct stage *s, struct hazard_tile *t, unsigned core) {
    s->now += 10;
    hazard_core_step(t, core, 0x100 + (uint32_t)s->now, 0x13, s->now);
}

static void load(struct stage *s, struct hazard_tile *t, unsigned core, uint32_t address) {
    step(s, t, core);
    hazard_core_loads(t, core, address, 4);
}

static void store(struct stage *s, struct hazard_tile *t, unsigned core, uint32_t address) {
    step(s, t, core);
    hazard_core_stores(t, core, address, 4, 0);
}

/* A core sends a request. Returns its tick; that of its source is one agent before. */
static uint32_t request(struct stage *s, struct hazard_tile *t, unsigned core, unsigned agent, uint32_t channel) {
    struct hazard_request_made made = {
        .core = (uint8_t)core,
        .agent = (uint8_t)agent,
        .channel = channel,
        .ordered = channel && agent != HAZARD_WRITE_SOURCE,
        .leaves = s->now + 50,
    };
    step(s, t, core);
    return hazard_request_begins(t, &made);
}

static uint32_t write_from(struct stage *s, unsigned core, uint32_t address, uint32_t channel) {
    uint32_t source = request(s, s->near, core, HAZARD_WRITE_SOURCE, 0);
    hazard_request_access(s->near, s->near, 0, HAZARD_WRITE_SOURCE, source, address, BYTES, HAZARD_READS);
    return request(s, s->near, core, HAZARD_WRITE, channel);
}

static void arrive(struct stage *s, unsigned agent, uint32_t tick, uint32_t address, uint32_t size,
                   enum hazard_how how) {
    hazard_request_access(s->far, s->near, 0, agent, tick, address, size, how);
}

static void push(struct stage *s, unsigned thread, uint32_t word, uint32_t pc) {
    const struct hazard_push push = { &word, 1, 1, pc };
    hazard_pushes(s->near, BH_TRISC0 + thread, thread, &push);
    hazard_pushed(s->near, BH_TRISC0 + thread, thread, &push, 1);
}

static void post(struct stage *s, unsigned thread) {
    struct hazard_who who = hazard_thread_as(s->near, thread);
    hazard_semaphore_up(s->near, 0, &who);
}

static void get(struct stage *s, unsigned thread) {
    struct hazard_who who = hazard_thread_as(s->near, thread);
    hazard_semaphore_down(s->near, 0, &who);
}

static void set_to(struct stage *s, unsigned thread, unsigned value) {
    struct hazard_who who = hazard_thread_as(s->near, thread);
    hazard_semaphore_set(s->near, 0, value, &who);
}

static void wait_for_post(struct stage *s, unsigned thread) {
    hazard_semaphore_not_zero(s->near, 0, hazard_thread_clock(s->near, thread));
}

/* A word of a thread that the thread's TRISC has just pushed passes. */
static void pass(struct stage *s, unsigned thread) {
    step(s, s->near, BH_TRISC0 + thread);
    push(s, thread, 0x1234, s->near->pc);
    hazard_thread_step(s->near, thread, s->near->pc, 0x1234, s->now, true);
}

static void use(struct stage *s, unsigned thread, unsigned unit, enum hazard_place place, enum hazard_how how) {
    pass(s, thread);
    hazard_unit_step(s->near, thread, unit);
    hazard_unit_access(s->near, thread, unit, place, AT, 64, how);
}

static void wait_for(struct stage *s, unsigned thread, unsigned unit) {
    hazard_thread_latches(s->near, thread);
    hazard_thread_waited(s->near, thread, unit);
}

/* ---- Cores -------------------------------------------------------------------------------------------------- */

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

/* ---- Requests ------------------------------------------------------------------------------------------------ */

static uint32_t read_into(struct stage *s, unsigned core, uint32_t address) {
    uint32_t tick = request(s, s->near, core, HAZARD_READ, 0);
    hazard_request_access(s->near, s->near, 0, HAZARD_READ, tick, address, BYTES, HAZARD_WRITES);
    return tick;
}

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
        struct hazard_tile *sender[] = { s.near, hazards_tile(s.all, FAR + 1, (struct bh_xy){ 3, 2 }, L1_SIZE) };
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
    assert_int_equal(hazards_count(s.all), 1);         /* read once: nothing says that it has waited */
    hazard_core_step(s.far, BH_BRISC, 0x500, 0x13, 4); /* it goes back */
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
    assert_int_equal(hazards_count(s.all), 2);
    hazards_free(s.all);
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
    assert_int_equal(hazards_at(s.all, 0)->verdict, BH_VERDICT_RACE);
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
        assert_int_equal(hazards_at(s.all, 0)->verdict, BH_VERDICT_RACE);
        end_with(&s, BH_HAZARD_AT_END);
    }
}

/* Firmware notes the end of a kernel in L1. */
static void a_store_may_be_an_end(void **state) {
    (void)state;
    for (uint32_t value = 0; value < 2; value++) {
        struct stage s = begin();
        struct hazard_request_made made = { .core = BH_NCRISC, .agent = HAZARD_ATOMIC, .answered = true };
        assert_true(hazards_end_at(s.all, FLAG + 2, 1, 1));
        step(&s, s.near, BH_NCRISC);
        hazard_request_begins(s.near, &made);
        step(&s, s.near, BH_NCRISC);
        hazard_core_stores(s.near, BH_NCRISC, FLAG, 4, value << 16);
        if (!value) {
            end_silent(&s);
            continue;
        }
        assert_int_equal(hazards_at(s.all, 0)->verdict, BH_VERDICT_LATENT);
        end_with(&s, BH_HAZARD_AT_END);
    }
}

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
    assert_int_equal(hazards_count(s.all), 1);
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

/* ---- Banks of Src ----------------------------------------------------------------------------------------------- */

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
            assert_int_equal(hazards_count(s.all), 2);
        else
            assert_int_equal(hazards_count(s.all), 0);
        hazards_free(s.all);
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
        assert_int_equal(hazards_count(s.all), 0); /* T0 may still be at work */
        step(&s, s.near, BH_TRISC0);
        hazard_core_ends(s.near, BH_TRISC0);
        if (gives) {
            end_silent(&s);
            continue;
        }
        assert_int_equal(hazards_at(s.all, 0)->verdict, BH_VERDICT_SUSPECT);
        end_with(&s, BH_HAZARD_SRC);
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
        assert_int_equal(hazards_at(s.all, 0)->verdict, BH_VERDICT_SUSPECT);
        end_with(&s, BH_HAZARD_REPLAY);
    }
}

/* ---- Semaphores -------------------------------------------------------------------------------------------------- */

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
        assert_int_equal(hazards_at(s.all, 0)->verdict, BH_VERDICT_LATENT);
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
    assert_int_equal(hazards_at(s.all, 0)->verdict, BH_VERDICT_SUSPECT);
    pass(&s, 1);
    set_to(&s, 1, 0);
    get(&s, 1);
    assert_int_equal(hazards_count(s.all), 2);
    assert_int_equal(hazards_at(s.all, 1)->verdict, BH_VERDICT_SUSPECT);
    hazards_free(s.all);
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
    wait_for_post(&s, 2);                      /* the first post */
    assert_int_equal(hazards_count(s.all), 1); /* the get */
    use(&s, 2, HAZARD_PACK, HAZARD_DST, HAZARD_READS);
    assert_int_equal(hazards_count(s.all), 2);
    assert_int_equal(hazards_at(s.all, 1)->kind, BH_HAZARD_DST);
    hazards_free(s.all);
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
    assert_int_equal(hazards_count(s.all), 1);
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

/* ---- Reports ---------------------------------------------------------------------------------------------------- */

static void a_cause_counts_once(void **state) {
    (void)state;
    struct stage s = begin();
    for (unsigned i = 0; i < 10; i++) {
        hazard_core_step(s.near, BH_BRISC, 0x100, 0x23, i);
        hazard_core_stores(s.near, BH_BRISC, BUFFER + 4 * i, 4, 0);
    }
    write_from(&s, BH_BRISC, BUFFER, 0);
    assert_int_equal(hazards_at(s.all, 0)->count, 10);
    assert_int_equal(hazards_at(s.all, 0)->first.pc, 0x100);
    assert_string_equal(hazards_at(s.all, 0)->first.agent, "brisc, store");
    assert_string_equal(hazards_at(s.all, 0)->second.agent, "NoC 0 write");
    assert_string_equal(hazards_at(s.all, 0)->place, "L1 0x00001000");
    assert_int_equal(hazards_at(s.all, 0)->verdict, BH_VERDICT_LATENT);
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
    assert_int_equal(hazards_at(s.all, 0)->verdict, BH_VERDICT_UNCERTAIN);
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
        assert_int_equal(hazards_at(s.all, 0)->verdict, value ? BH_VERDICT_RACE : BH_VERDICT_BENIGN);
        end_with(&s, BH_HAZARD_CONFIG_ON_ITS_WAY);
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

/* ---- What nobody has written ------------------------------------------------------------------------------------- */

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
        assert_int_equal(hazards_at(s.all, 0)->verdict, BH_VERDICT_SUSPECT);
        assert_string_equal(hazards_at(s.all, 0)->first.agent, "nobody");
        assert_int_equal(hazards_at(s.all, 0)->address, FLAG);
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
    assert_int_equal(hazards_count(s.all), 1);
    store(&s, s.near, BH_NCRISC, FLAG + 4);
    assert_int_equal(hazards_count(s.all), 1);
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
        assert_int_equal(hazards_count(s.all), 1);
        assert_int_equal(hazards_at(s.all, 0)->address, BUFFER + 4 * 40 * missing);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_cores_are_flags),
        cmocka_unit_test(stores_are_on_their_way),
        cmocka_unit_test(a_load_back_orders_stores),
        cmocka_unit_test(a_load_of_another_word_does_not),
        cmocka_unit_test(it_does_behind_a_fence),
        cmocka_unit_test(stores_land_in_time),
        cmocka_unit_test(an_atomic_orders_stores),
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
        cmocka_unit_test(instructions_that_wait_for_their_bank_have_it),
        cmocka_unit_test(a_bank_stays_until_it_is_given_back),
        cmocka_unit_test(a_wait_for_a_bank_orders_moves),
        cmocka_unit_test(a_wait_for_a_bank_needs_the_switch_before_it),
        cmocka_unit_test(an_unpacker_comes_after_what_gave_the_bank_back),
        cmocka_unit_test(a_bank_is_set_valid_behind_a_wait),
        cmocka_unit_test(banks_are_given_back_at_the_end),
        cmocka_unit_test(mop_registers_change_behind_a_wait),
        cmocka_unit_test(a_replay_is_of_one_recording),
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
        cmocka_unit_test(a_cause_counts_once),
        cmocka_unit_test(a_time_that_nobody_knows_is_uncertain),
        cmocka_unit_test(equal_values_are_benign),
        cmocka_unit_test(what_the_host_writes_is_new),
        cmocka_unit_test(a_host_that_has_read_orders_what_follows),
        cmocka_unit_test(reads_of_what_nobody_writes_are_suspect),
        cmocka_unit_test(packets_only_copy),
        cmocka_unit_test(what_is_written_later_is_a_flag),
        cmocka_unit_test(what_is_polled_is_a_flag),
        cmocka_unit_test(a_tile_that_was_used_before_counts_as_written),
        cmocka_unit_test(every_word_of_a_range_counts),
        cmocka_unit_test(dst_is_written_by_a_clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
