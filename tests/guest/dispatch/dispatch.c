/* Fast dispatch by our own programs (guest/kernels/dispatch): a host that keeps the rings full, and everything that
 * comes back compared with a model. On one, two and three threads, and behind the libttsim ABI.
 *     dispatch KERNELS LIBRARY [--oracle LIBRARY] [--steps N] [--seed N] [--only TEST] [--metal 1]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "bhemu.h"
#include "support/device.h"
#include "world.h"

enum { CYCLES = 4096, CLOCKS = 16, ORACLE_CLOCKS = 2000 };

#define HOST_BASE UINT64_C(0x740000000) /* where the iATU leads */

static const char *folder, *library, *oracle;
static unsigned step_count = 800;
static uint64_t seed = 2026;
static bool metal;
static uint8_t host_memory[HOST_SIZE];

/* ---- By the C interface ------------------------------------------------------------------------------------------ */

static void host_read(void *user, uint64_t address, void *data, size_t size) {
    (void)user;
    assert_true(address >= HOST_BASE && address - HOST_BASE <= HOST_SIZE - size);
    memcpy(data, host_memory + (address - HOST_BASE), size);
}

static void host_write(void *user, uint64_t address, const void *data, size_t size) {
    (void)user;
    assert_true(address >= HOST_BASE && address - HOST_BASE <= HOST_SIZE - size);
    memcpy(host_memory + (address - HOST_BASE), data, size);
}

static struct bh_xy xy(unsigned x, unsigned y) {
    return (struct bh_xy){ (uint8_t)x, (uint8_t)y };
}

static void need(struct machine *machine, bh_status status) {
    if (status != BH_OK)
        machine_fail(machine, bh_message(machine->inside));
}

static void chip_write(struct machine *machine, unsigned x, unsigned y, uint64_t address, const void *data,
                       size_t size) {
    need(machine, bh_write(machine->inside, xy(x, y), address, data, size));
}

static void chip_read(struct machine *machine, unsigned x, unsigned y, uint64_t address, void *data, size_t size) {
    need(machine, bh_read(machine->inside, xy(x, y), address, data, size));
}

static void chip_bar2_write(struct machine *machine, uint32_t offset, uint32_t value) {
    need(machine, bh_bar_write(machine->inside, 2, offset, &value, sizeof value));
}

static void chip_run(struct machine *machine) {
    struct bh_stop stop;
    need(machine, bh_run(machine->inside, CYCLES, BH_RUN_STOP_ON_FAULT, &stop));
    if (stop.reason == BH_STOP_FAULT)
        machine_fail(machine, stop.fault.text);
}

static const char *chip_report(struct machine *machine) {
    static char text[20000];
    size_t used = bh_report(machine->inside, text, sizeof text);
    struct bh_core_info core;
    for (unsigned y = 2; y < 12; y++)
        for (unsigned x = 1; x < 17; x++)
            if (used + 100 < sizeof text && bh_core_query(machine->inside, xy(x, y), BH_BRISC, &core) == BH_OK &&
                core.state != BH_CORE_IN_RESET && core.state != BH_CORE_POLLING)
                used +=
                    (size_t)snprintf(text + used, sizeof text - used, "tile %u,%u: brisc is at 0x%x\n", x, y, core.pc);
    return text;
}

static bh_chip *make_chip(unsigned threads, unsigned epoch) {
    struct bh_config config;
    bh_chip *chip;
    bh_config_init(&config);
    config.threads = threads;
    config.epoch = epoch;
    config.host_read = host_read;
    config.host_write = host_write;
    assert_int_equal(bh_create(&config, &chip, NULL, 0), BH_OK);
    memset(host_memory, 0, sizeof host_memory);
    return chip;
}

struct result {
    uint64_t hash, cycle;
};

static struct result run(unsigned threads, unsigned epoch, struct world *world) {
    bh_chip *chip = make_chip(threads, epoch);
    struct machine machine = { chip_write, chip_read, chip_bar2_write, chip_run, chip_report, chip, host_memory };
    world_start(world, &machine, folder, metal, seed);
    world_work(world, step_count);
    world_end(world);
    struct result result = { bh_state_hash(chip), bh_cycle(chip) };
    bh_destroy(chip);
    return result;
}

static void same_on_any_number_of_threads(void **state) {
    (void)state;
    static struct world world;
    struct result first = run(1, 0, &world);
    print_message("%u commands in %u chunks, %llu cycles; rounds of the issue queue %u, of the completion queue %u\n",
                  world.queue.commands, world.queue.chunks, (unsigned long long)first.cycle, world.queue.issue_rounds,
                  world.queue.completion_rounds);
    assert_true(world.queue.commands > 5 * step_count);
    assert_true(world.queue.issue_rounds > step_count / 40 && world.queue.completion_rounds > step_count / 40);
    for (unsigned threads = 2; threads <= 3; threads++) {
        struct result result = run(threads, 0, &world);
        assert_true(result.hash == first.hash);
        assert_true(result.cycle == first.cycle);
    }
}

static void with_exact_cycles(void **state) {
    (void)state;
    static struct world world;
    unsigned all = step_count;
    step_count /= 4;
    run(2, 16, &world);
    step_count = all;
}

/* ---- Behind the ABI ---------------------------------------------------------------------------------------------- */

static void dma_read(uint64_t address, void *data, uint32_t size) {
    host_read(NULL, address, data, size);
}

static void dma_write(uint64_t address, const void *data, uint32_t size) {
    host_write(NULL, address, data, size);
}

static void device_machine_write(struct machine *machine, unsigned x, unsigned y, uint64_t address, const void *data,
                                 size_t size) {
    device_write(machine->inside, (struct device_tile){ x, y }, address, data, size);
}

static void device_machine_read(struct machine *machine, unsigned x, unsigned y, uint64_t address, void *data,
                                size_t size) {
    device_read(machine->inside, (struct device_tile){ x, y }, address, data, size);
}

static void device_machine_bar2(struct machine *machine, uint32_t offset, uint32_t value) {
    device_bar2_write32(machine->inside, offset, value);
}

static void device_machine_run(struct machine *machine) {
    device_clock(machine->inside, CLOCKS);
}

static void oracle_run(struct machine *machine) {
    device_clock(machine->inside, ORACLE_CLOCKS);
}

static const char *device_report(struct machine *machine) {
    (void)machine;
    return "";
}

static int work_behind_abi(void *name) {
    static struct world world;
    struct device *device = device_open_with(name, dma_read, dma_write);
    struct machine machine = { device_machine_write, device_machine_read, device_machine_bar2,
                               device_machine_run,   device_report,       device,
                               host_memory };
    if (!device)
        return 1;
    if (name != library)
        machine.run = oracle_run;
    world_start(&world, &machine, folder, metal, seed);
    world_work(&world, step_count);
    world_end(&world);
    device_close(device);
    return 0;
}

static void behind_the_abi(void **state) {
    (void)state;
    struct device_outcome outcome = device_spawn(work_behind_abi, (void *)(uintptr_t)library, 300);
    if (!outcome.ok)
        fail_msg("%s", outcome.text);
}

static void on_the_oracle(void **state) {
    (void)state;
    if (!oracle)
        skip();
    struct device_outcome outcome = device_spawn(work_behind_abi, (void *)(uintptr_t)oracle, 300);
    if (!outcome.ok)
        fail_msg("%s", outcome.text);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_on_any_number_of_threads),
        cmocka_unit_test(with_exact_cycles),
        cmocka_unit_test(behind_the_abi),
        cmocka_unit_test(on_the_oracle),
    };
    if (argc < 3) {
        fprintf(stderr,
                "dispatch KERNELS LIBRARY [--oracle LIBRARY] [--steps N] [--seed N] [--only TEST] [--metal 1]\n");
        return 2;
    }
    folder = argv[1];
    library = argv[2];
    for (int i = 3; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--oracle") == 0)
            oracle = argv[i + 1];
        else if (strcmp(argv[i], "--steps") == 0)
            step_count = (unsigned)strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--metal") == 0)
            metal = strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--only") == 0)
            cmocka_set_test_filter(argv[i + 1]);
        else if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 10);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
