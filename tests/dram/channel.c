/* src/dram/channel.c: the rate of a bank, the rate of its reads, and latencies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "dram/channel.h"

/* One request of 4 KiB: 64 flits of 1.36 cycles. */
static void one_request_takes_its_time(void **state) {
    struct dram_channel channel = { 0 };
    (void)state;
    assert_int_equal(dram_channel_read(&channel, 0, 1000, 64), 1000 + 87 + DRAM_READ_CYCLES);
    channel = (struct dram_channel){ 0 };
    assert_true(dram_channel_accepts(&channel, 64) <= 1000);
    dram_channel_write(&channel, 1000, 64); /* as it arrives */
    assert_in_range(channel.free, (1000 - 64 + 87) * DRAM_FRACTION, (1000 - 64 + 88) * DRAM_FRACTION);
}

/* 1 MiB in pieces of 4 KiB from any number of tiles: 47.1 bytes a cycle. */
static void the_rate_is_that_of_the_channel(void **state) {
    (void)state;
    for (unsigned reads = 0; reads < 2; reads++) {
        struct dram_channel channel = { 0 };
        uint64_t end = 0;
        for (unsigned i = 0; i < 256; i++) {
            end = reads ? dram_channel_read(&channel, i % 2, 1000, 64) : dram_channel_accepts(&channel, 64);
            end = end > 1000 ? end : 1000;
            if (!reads)
                dram_channel_write(&channel, end, 64);
        }
        assert_in_range(end - 1000, (255 * 4096 - 12288) / 47.2, 256 * 4096 / 47.0 + DRAM_READ_CYCLES);
    }
}

/* Small reads: one in 16.4 cycles on a NoC; two NoCs have twice that. */
static void reads_have_a_rate_of_their_own(void **state) {
    struct dram_channel channel = { 0 };
    uint64_t end[2] = { 0 };
    (void)state;
    for (unsigned i = 0; i < 1000; i++)
        for (unsigned noc = 0; noc < 2; noc++)
            end[noc] = dram_channel_read(&channel, noc, 1000, 1);
    for (unsigned noc = 0; noc < 2; noc++)
        assert_in_range(end[noc] - 1000, 16350, 16400 + DRAM_READ_CYCLES);
}

/* Writes are accepted at once until 12 KiB wait. */
static void writes_wait_behind_many(void **state) {
    struct dram_channel channel = { 0 };
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        assert_true(dram_channel_accepts(&channel, 64) <= 1000);
        dram_channel_write(&channel, 1000, 64);
    }
    assert_in_range(dram_channel_accepts(&channel, 64), 1000 + 20, 1000 + 30);
}

/* A read is followed by others if the channel has more to do when its data is through. */
static void reads_may_have_successors(void **state) {
    struct dram_channel channel = { 0 };
    (void)state;
    uint64_t first = dram_channel_read(&channel, 0, 1000, 64);
    assert_false(dram_channel_reads_on(&channel, first));
    uint64_t second = dram_channel_read(&channel, 0, 1050, 64);
    assert_true(dram_channel_reads_on(&channel, first));
    assert_false(dram_channel_reads_on(&channel, second));
    assert_int_equal(second - first, dram_channel_cycles(64));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_request_takes_its_time),     cmocka_unit_test(the_rate_is_that_of_the_channel),
        cmocka_unit_test(reads_have_a_rate_of_their_own), cmocka_unit_test(writes_wait_behind_many),
        cmocka_unit_test(reads_may_have_successors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
