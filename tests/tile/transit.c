/* Tests of src/tile/transit.c: blocks that are shared and used again, boxes in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tile/transit.h"

static uint64_t random_state = 1;

static uint32_t next(void) {
    uint64_t z = random_state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)((z ^ z >> 27) >> 32);
}

static void a_block_comes_back_when_all_have_read_it(void **state) {
    struct packet_pool *pool = calloc(1, sizeof *pool);
    uint32_t first = 0, second = 0;
    (void)state;
    struct transaction *transaction = packet_pool_take(pool, 100, &first);
    assert_non_null(transaction);
    assert_ptr_equal(packet_pool_at(pool, first), transaction);
    assert_int_equal((uintptr_t)transaction_own(transaction) % 16, 0);
    packet_pool_share(pool, first);
    packet_pool_release(pool, first);
    assert_int_equal(pool->used, 1);
    assert_ptr_not_equal(packet_pool_take(pool, 100, &second), transaction);
    packet_pool_release(pool, first);
    assert_int_equal(pool->used, 1);
    assert_ptr_equal(packet_pool_take(pool, 65, &first), transaction); /* the same class */
    packet_pool_free(pool);
    assert_int_equal(pool->used, 0);
    free(pool);
}

/* Blocks of all sizes, none of which overlaps another. */
static void blocks_do_not_overlap(void **state) {
    enum { COUNT = 2000 };
    static uint32_t block[COUNT], size[COUNT];
    struct packet_pool *pool = calloc(1, sizeof *pool);
    (void)state;
    for (unsigned round = 0; round < 4; round++) {
        for (unsigned i = 0; i < COUNT; i++) {
            size[i] = next() % (i % 16 ? 300 : NOC_PACKET_MAX + 1);
            struct transaction *transaction = packet_pool_take(pool, size[i], &block[i]);
            assert_non_null(transaction);
            transaction->order = i;
            memset(transaction_own(transaction), (int)(i & 0xFF), size[i]);
        }
        assert_int_equal(pool->used, COUNT);
        for (unsigned i = 0; i < COUNT; i++) {
            const struct transaction *transaction = packet_pool_at(pool, block[i]);
            assert_int_equal(transaction->order, i);
            for (uint32_t k = 0; k < size[i]; k++)
                assert_int_equal(transaction_own(transaction)[k], i & 0xFF);
            packet_pool_release(pool, block[i]);
        }
        assert_int_equal(pool->used, 0);
    }
    packet_pool_free(pool);
    free(pool);
}

static void an_inbox_gives_the_first_first(void **state) {
    enum { COUNT = 3000 };
    struct inbox box = { 0 };
    uint64_t last_time = 0, last_order = 0;
    unsigned inside = 0, taken = 0;
    (void)state;
    assert_true(inbox_due(&box) == UINT64_MAX);
    for (unsigned i = 0; i < COUNT; i++, inside++) {
        /* few times, so that many are equal; nothing comes before what has been taken out */
        struct arrival arrival = { .time = last_time + next() % 8, .order = next(), .block = i };
        if (arrival.time == last_time && arrival.order <= last_order)
            arrival.time++;
        assert_true(inbox_put(&box, &arrival));
        while (inside && next() % 3 == 0) {
            assert_true(inbox_due(&box) == box.heap[0].time);
            struct arrival first = box.heap[0];
            inbox_drop(&box);
            assert_true(first.time > last_time || (first.time == last_time && first.order > last_order));
            last_time = first.time;
            last_order = first.order;
            inside--;
            taken++;
        }
    }
    for (; inside; inside--, taken++) {
        struct arrival first = box.heap[0];
        inbox_drop(&box);
        assert_true(first.time > last_time || (first.time == last_time && first.order > last_order));
        last_time = first.time;
        last_order = first.order;
    }
    assert_int_equal(taken, COUNT);
    inbox_free(&box);
}

/* The first one may turn out to be complete later, and is where it belongs then. */
static void an_inbox_puts_the_first_elsewhere(void **state) {
    enum { COUNT = 200 };
    struct inbox box = { 0 };
    bool taken[COUNT] = { 0 };
    uint64_t last = 0;
    (void)state;
    for (unsigned i = 0; i < COUNT; i++)
        assert_true(inbox_put(&box, &(struct arrival){ .time = next() % 1000, .order = i, .block = 3 * i }));
    for (unsigned i = 0; i < 10 * COUNT; i++) {
        assert_true(box.heap[0].time >= last);
        last = box.heap[0].time;
        taken[box.heap[0].order] = true;
        box.heap[0].taken_in = false; /* the same one may come again */
        inbox_take_in(&box, last + 1 + next() % 100);
    }
    for (; box.count; inbox_drop(&box)) {
        assert_true(box.heap[0].time >= last);
        assert_int_equal(box.heap[0].taken_in, taken[box.heap[0].order]);
        assert_int_equal(box.heap[0].block, 3 * box.heap[0].order);
        last = box.heap[0].time;
    }
    inbox_free(&box);
}

static void an_outbox_keeps_the_order(void **state) {
    struct outbox box = { 0 };
    (void)state;
    for (uint32_t i = 0; i < 100; i++)
        assert_true(outbox_put(&box, (struct arrival){ .block = i * 7 }));
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(box.list[i].block, i * 7);
    outbox_free(&box);
    assert_int_equal(box.room, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_comes_back_when_all_have_read_it),
        cmocka_unit_test(blocks_do_not_overlap),
        cmocka_unit_test(an_inbox_gives_the_first_first),
        cmocka_unit_test(an_inbox_puts_the_first_elsewhere),
        cmocka_unit_test(an_outbox_keeps_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
