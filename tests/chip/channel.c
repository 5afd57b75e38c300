/* src/chip/channel.c: the rate of a memory, gaps between requests, and latencies. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "chip/channel.h"

/* One request of 4 KiB: 64 flits of 1.36 cycles. */
static void one_request_takes_its_time(void **state) {
    struct channel channel = { 0 };
    (void)state;
    assert_int_equal(channel_read(&channel, &channel_dram, 0, 1000, 64), 1000 + 87 + channel_dram.read);
    channel = (struct channel){ 0 };
    assert_true(channel_accepts(&channel, &channel_dram, 64) <= 1000);
    channel_write(&channel, &channel_dram, 1000, 64); /* as it arrives */
    assert_in_range(channel.free, (1000 - 64 + 87) * CHANNEL_FRACTION, (1000 - 64 + 88) * CHANNEL_FRACTION);
}

/* 1 MiB in pieces of 4 KiB from any number of tiles: 47.1 bytes a cycle. */
static void the_rate_is_that_of_the_channel(void **state) {
    (void)state;
    for (unsigned reads = 0; reads < 2; reads++) {
        struct channel channel = { 0 };
        uint64_t end = 0;
        for (unsigned i = 0; i < 256; i++) {
            end = reads ? channel_read(&channel, &channel_dram, i % 2, 1000, 64)
                        : channel_accepts(&channel, &channel_dram, 64);
            end = end > 1000 ? end : 1000;
            if (!reads)
                channel_write(&channel, &channel_dram, end, 64);
        }
        assert_in_range(end - 1000, (255 * 4096 - 12288) / 47.2, 256 * 4096 / 47.0 + channel_dram.read);
    }
}

/* Small reads: one in 16.4 cycles on a NoC; two NoCs have twice that. */
static void reads_have_a_rate_of_their_own(void **state) {
    struct channel channel = { 0 };
    uint64_t end[2] = { 0 };
    (void)state;
    for (unsigned i = 0; i < 1000; i++)
        for (unsigned noc = 0; noc < 2; noc++)
            end[noc] = channel_read(&channel, &channel_dram, noc, 1000, 1);
    for (unsigned noc = 0; noc < 2; noc++)
        assert_in_range(end[noc] - 1000, 16350, 16400 + channel_dram.read);
}

/* Writes are accepted at once until 12 KiB wait. */
static void writes_wait_behind_many(void **state) {
    struct channel channel = { 0 };
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        assert_true(channel_accepts(&channel, &channel_dram, 64) <= 1000);
        channel_write(&channel, &channel_dram, 1000, 64);
    }
    assert_in_range(channel_accepts(&channel, &channel_dram, 64), 1000 + 20, 1000 + 30);
}

/* A read is followed by others if the channel has more to do when its data is through. */
static void reads_may_have_successors(void **state) {
    struct channel channel = { 0 };
    (void)state;
    uint64_t first = channel_read(&channel, &channel_dram, 0, 1000, 64);
    assert_false(channel_reads_on(&channel, &channel_dram, first));
    uint64_t second = channel_read(&channel, &channel_dram, 0, 1050, 64);
    assert_true(channel_reads_on(&channel, &channel_dram, first));
    assert_false(channel_reads_on(&channel, &channel_dram, second));
    assert_int_equal(second - first, channel_cycles(&channel_dram, 64));
}

/* Lets many reads and as many writes of this size come at once. Sets the mean cycles of each. */
static void move_many(const struct channel_times *times, uint32_t flits, double *read, double *write) {
    enum { MANY = 512, START = 1000 };
    struct channel reads = { 0 }, writes = { 0 };
    uint64_t end = 0;
    for (unsigned i = 0; i < MANY; i++) {
        uint64_t accepted = channel_accepts(&writes, times, flits);
        end = channel_read(&reads, times, 0, START, flits);
        channel_write(&writes, times, accepted > START ? accepted : START, flits);
    }
    *read = (double)(end - START - times->read) / MANY;
    *write = ((double)writes.free / CHANNEL_FRACTION - START) / MANY;
}

/* Requests take as long as their data, but at least as long as the gap, which may depend on the first flits. */
static void small_requests_have_gaps(void **state) {
    static const struct channel_times times = {
        .flit = 2 * CHANNEL_FRACTION,
        .read_gap = { .constant = 10 * CHANNEL_FRACTION, .flit = CHANNEL_FRACTION, .flits = 4 },
        .write_gap = { .constant = 20 * CHANNEL_FRACTION, .flit = CHANNEL_FRACTION / 2, .flits = 256 },
        .read = 100,
        .room = 64,
    };
    static const struct {
        uint32_t flits;
        double read, write;
    } rows[] = { { 1, 11, 20.5 }, { 4, 14, 22 }, { 6, 14, 23 }, { 8, 16, 24 }, { 16, 32, 32 }, { 64, 128, 128 } };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        double read, write;
        move_many(&times, rows[i].flits, &read, &write);
        assert_true(fabs(read - rows[i].read) < 0.1); /* the first and the last count less */
        assert_true(fabs(write - rows[i].write) < 0.2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_request_takes_its_time),     cmocka_unit_test(the_rate_is_that_of_the_channel),
        cmocka_unit_test(reads_have_a_rate_of_their_own), cmocka_unit_test(writes_wait_behind_many),
        cmocka_unit_test(reads_may_have_successors),      cmocka_unit_test(small_requests_have_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
