/* src/chip/channel.c: the rates of a bank of DRAM and of host memory, the rate of reads, and latencies. */
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
static void move_many(uint32_t flits, double *read, double *write) {
    enum { MANY = 512, START = 1000 };
    struct channel reads = { 0 }, writes = { 0 };
    uint64_t end = 0;
    for (unsigned i = 0; i < MANY; i++) {
        uint64_t accepted = channel_accepts(&writes, &channel_host, flits);
        end = channel_read(&reads, &channel_host, 0, START, flits);
        channel_write(&writes, &channel_host, accepted > START ? accepted : START, flits);
    }
    *read = (double)(end - START - channel_host.read) / MANY;
    *write = ((double)writes.free / CHANNEL_FRACTION - START) / MANY;
}

/* Host memory: 42.9 bytes a cycle, and 66 to 82 cycles for a small request, as measured on cards. */
static void host_memory_has_rates(void **state) {
    static const struct {
        uint32_t flits;
        double read, write;
    } rows[] = { { 1, 65.7, 69.4 },    { 2, 68.9, 69.4 },     { 4, 71.3, 69.8 },
                 { 8, 82.0, 69.8 },    { 16, 82.0, 73.1 },    { 32, 82.0, 80.3 },
                 { 64, 102.9, 104.3 }, { 128, 192.0, 191.5 }, { 256, 383.3, 382.5 } };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        double off = rows[i].flits == 64 ? 0.09 : 0.03, read,
               write; /* cards are slower with 4 KiB than both rules say */
        move_many(rows[i].flits, &read, &write);
        assert_true(fabs(read / rows[i].read - 1) < off);
        assert_true(fabs(write / rows[i].write - 1) < off);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_request_takes_its_time),     cmocka_unit_test(the_rate_is_that_of_the_channel),
        cmocka_unit_test(reads_have_a_rate_of_their_own), cmocka_unit_test(writes_wait_behind_many),
        cmocka_unit_test(reads_may_have_successors),      cmocka_unit_test(host_memory_has_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
