/* docs/noc.md has the figures of noc/timing.h, chip/links.h and chip/channel.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "chip/channel.h"
#include "chip/links.h"
#include "noc/route.h"

static char *page;

static void says(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void says(const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!strstr(page, text))
        fail_msg("the page does not say: %s", text);
}

static void routes(void **state) {
    (void)state;
    assert_int_equal(NOC_INJECT, NOC_EJECT);
    says("| NIU to router, router to NIU | %d each |", NOC_INJECT);
    says("| router to router | %d |", NOC_HOP);
    says("| data flits that a NIU reads from L1 | %d in %d cycles |", NOC_FETCH, NOC_FETCH + 1);
    says("| minimum between two tiles, `NOC_LATENCY_MIN` | %d | %d + %d + %d |", NOC_LATENCY_MIN, NOC_INJECT, NOC_HOP,
         NOC_EJECT);
    says("| to the same tile | %d |", NOC_LATENCY_SELF);
    says("| from a read request in a NIU to its first data flit | %d |", NOC_L1_READ);
    says("| L1 | answers writes at once, reads after %d cycles |", NOC_L1_READ);
    says("| from one read of L1 that a NIU answers to the next | %d at least |", NOC_L1_READ);
    says("| from the last flit of a packet that leaves a NIU to the first of the next | %d |", NOC_NEXT);
    says("| from `CMD_CTRL` until the request has a virtual channel | %d,", NOC_ASSIGN);
    says("| path reservation | %d, and %d for each hop", NOC_RESERVE, NOC_RESERVE_HOP);
    says("reaches its neighbour %d cycles after the store", NOC_ASSIGN + NOC_LATENCY_MIN);
    says("and 16384 bytes need %u more", noc_fetch_cycles(256));
}

static void contention(void **state) {
    (void)state;
    says("a flit a cycle in periods of %d cycles", LINKS_PERIOD);
    says("begin %d cycles after those of the link before it", NOC_HOP);
    says("| a packet that waits on its way for more than %d cycles |", LINKS_SLACK);
    says("| a packet that would wait for more than %d cycles |", LINKS_MOST);
}

static double bytes_a_cycle(const struct channel_times *times) {
    return (double)NOC_FLIT * CHANNEL_FRACTION / times->flit;
}

static void memory(void **state) {
    (void)state;
    says("| channel | %.1f bytes a cycle, reads and writes alike |", bytes_a_cycle(&channel_dram));
    says("| reads | one in %.1f cycles for each NoC |", (double)channel_dram.read_gap.constant / CHANNEL_FRACTION);
    says("| from a read request to its first data | %d |", channel_dram.read);
    says("| from a write to its acknowledgement | %d |", channel_dram.write);
    says("%d KiB wait for the channel", channel_dram.room * NOC_FLIT / 1024);
    says("| channels | %.1f bytes a cycle in each direction |", bytes_a_cycle(&channel_host));
    says("| from a read request to its first data | %d |", channel_host.read);
    assert_int_equal(channel_host.write, channel_dram.write); /* the page says so */
    assert_int_equal(channel_host.room, channel_dram.room);
    says("| reads | one in %.0f cycles for each NoC, %.1f more for each of the first %d flits |",
         (double)channel_host.read_gap.constant / CHANNEL_FRACTION,
         (double)channel_host.read_gap.flit / CHANNEL_FRACTION, channel_host.read_gap.flits);
    says("| writes | one in %.0f cycles, %.1f more for each flit |",
         (double)channel_host.write_gap.constant / CHANNEL_FRACTION,
         (double)channel_host.write_gap.flit / CHANNEL_FRACTION);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(routes), cmocka_unit_test(contention),
                                        cmocka_unit_test(memory) };
    FILE *in = argc > 1 ? fopen(argv[1], "r") : NULL;
    size_t room = 0;
    if (!in || getdelim(&page, &room, 0, in) < 0)
        return 1;
    fclose(in);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(page);
    return failed;
}
