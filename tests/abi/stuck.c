/* Kernels that do not end: a client that waits for them is told what they wait for. The tile has what tt-metal's host
 * would have put there, by the layout of e4f9f0b; BRISC runs without the others. */
#include "client.h"

enum { X = 2, Y = 2, FIRMWARE = 0x3AE0, LAUNCH = 0x70, GO = 0x4F0, CONFIG = 0xA000, TEXT = 0x200 };
enum { BY_DISPATCHER, BY_HOST };

static uint32_t jump(uint32_t from, uint32_t to) {
    uint32_t offset = to - from;
    return (offset >> 12 & 0xFF) << 12 | (offset >> 11 & 1) << 20 | (offset >> 1 & 0x3FF) << 21 | 0x6F;
}

/* Starts a kernel of two words. */
static void start(const struct ttsim *abi, unsigned mode, uint32_t first, uint32_t second) {
    write32(abi, X, Y, 0, jump(0, FIRMWARE));
    write32(abi, X, Y, FIRMWARE, 0xFFB40537); /* lui a0, 0xFFB40 */
    write32(abi, X, Y, FIRMWARE + 4, jump(FIRMWARE + 4, CONFIG + TEXT));
    write32(abi, X, Y, CONFIG + TEXT, first);
    write32(abi, X, Y, CONFIG + TEXT + 4, second);
    write32(abi, X, Y, LAUNCH, CONFIG);
    write32(abi, X, Y, LAUNCH + 0x30, mode);
    write32(abi, X, Y, LAUNCH + 0x34, TEXT);
    write32(abi, X, Y, LAUNCH + 0x48, 8);
    write32(abi, X, Y, GO, 0x80000000);
    write32(abi, X, Y, 0xFFB121B0, 0x47000);
}

/* A kernel that waits for a page of circular buffer 0. */
static void wait_for_page(const struct ttsim *abi, unsigned mode) {
    start(abi, mode, 0x02852583, 0xFE058EE3); /* lw a1, 40(a0); beqz a1, .-4 */
}

static void poll_go(const struct ttsim *abi) {
    for (unsigned i = 0; i < 20000; i++) {
        read32(abi, X, Y, GO);
        abi->clock(1);
    }
}

/* Goes on for some seconds with few clocks, as a host that is busy or polls with pauses. Kernels are looked at once a
 * second then, even if the looks so far took more than their share of the processor. */
static void wait_on(const struct ttsim *abi) {
    for (unsigned i = 0; i < 24; i++) {
        for (unsigned clock = 0; clock < 64; clock++) {
            read32(abi, X, Y, GO);
            abi->clock(1);
        }
        usleep(100000);
    }
}

static void host_waits(const struct ttsim *abi) {
    wait_for_page(abi, BY_HOST);
    poll_go(abi);
    wait_on(abi);
}

static void host_does_other_things(const struct ttsim *abi) {
    wait_for_page(abi, BY_HOST);
    for (unsigned i = 0; i < 20000; i++)
        abi->clock(1);
}

static void dispatcher_waits(const struct ttsim *abi) {
    wait_for_page(abi, BY_DISPATCHER);
    for (unsigned i = 0; i < 20000; i++)
        abi->clock(1);
    wait_on(abi);
}

static void has_ended(const struct ttsim *abi) {
    wait_for_page(abi, BY_HOST);
    write32(abi, X, Y, GO, 0);
    poll_go(abi);
}

/* The second wait is another one. */
static void waits_twice(const struct ttsim *abi) {
    host_waits(abi);
    write32(abi, X, Y, CONFIG + TEXT, 0x02052583); /* lw a1, 32(a0) */
    write32(abi, X, Y, 0xFFB121B0, 0x47800);
    write32(abi, X, Y, 0xFFB121B0, 0x47000);
    poll_go(abi);
    wait_on(abi);
}

static void slow_host_waits(const struct ttsim *abi) {
    wait_for_page(abi, BY_DISPATCHER);
    wait_on(abi);
}

static unsigned count(const char *text, const char *what) {
    unsigned found = 0;
    for (const char *at = text; (at = strstr(at, what)); at++)
        found++;
    return found;
}

#define PLACE "tile 2,2: brisc at pc 0xa200, kernel + 0x0, code "

static void told_once(void (*client)(const struct ttsim *), const char *line) {
    char text[2000];
    assert_int_equal(in_child(client, 2, NULL, text, sizeof text), 0);
    assert_int_equal(count(text, "WARNING: Hang: "), 1);
    if (!strstr(text, line))
        fail_msg("%s", text);
}

static void tells_what_a_kernel_waits_for(void **state) {
    (void)state;
    static const char line[] = "\n" PLACE "02852583 fe058ee3 00000000 00000000: waits for pages in circular buffer 0 "
                               "(0xffb40028)\n";
    told_once(host_waits, line);
    told_once(dispatcher_waits, line);
    told_once(slow_host_waits, line);
}

static void is_silent_about_others(void **state) {
    (void)state;
    char text[2000];
    assert_int_equal(in_child(has_ended, 2, NULL, text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(in_child(host_does_other_things, 2, NULL, text, sizeof text), 0);
    assert_string_equal(text, "");
}

static void tells_of_each_wait(void **state) {
    (void)state;
    char text[2000];
    assert_int_equal(in_child(waits_twice, 2, NULL, text, sizeof text), 0);
    assert_int_equal(count(text, "WARNING: Hang: "), 2);
    assert_non_null(strstr(text, "waits for room in circular buffer 0 (0xffb40020)\n"));
}

static void loads_from_nowhere(const struct ttsim *abi) {
    start(abi, BY_HOST, 0x12345537, 0x00052503); /* lui a0, 0x12345; lw a0, 0(a0) */
    abi->clock(10);
}

static void tells_where_a_kernel_faulted(void **state) {
    (void)state;
    char text[2000];
    assert_int_equal(in_child(loads_from_nowhere, 2, NULL, text, sizeof text), 1);
    assert_string_equal(text, "tile 2,2: brisc at pc 0xa204, kernel + 0x4, code 00052503 00000000 00000000 00000000\n");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_what_a_kernel_waits_for),
        cmocka_unit_test(is_silent_about_others),
        cmocka_unit_test(tells_of_each_wait),
        cmocka_unit_test(tells_where_a_kernel_faulted),
    };
    library = argc > 1 ? argv[1] : "";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
