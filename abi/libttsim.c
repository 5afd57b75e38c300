/* The libttsim C ABI on top of include/bhemu.h: one chip in a process; errors end the process. See docs/libttsim.md.
 *
 * This file contains what the library must not contain: a global, the environment, output and _Exit.
 *     BHEMU_BOARD=p150|p100a      BHEMU_THREADS=n|all  BHEMU_TIMING=cycles|loose
 *     BHEMU_ON_FAULT=exit|stop    TTSIM_SEMIHOSTING=1  BHEMU_CHECK=1|FILE
 *     BHEMU_VARY=SEED|DELAYS    BHEMU_GDB=port        BHEMU_LAYOUT=FILE */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bhemu.h"
#include "gdb/gdb.h"
#include "hazards.h"
#include "libttsim.h"
#include "semihosting.h"

static struct {
    bh_chip *chip;  /* NULL before init and after exit */
    unsigned users; /* calls of libttsim_init without a matching libttsim_exit */
    unsigned epoch;
    bool keep_going; /* faults stop the core, not the process */
    bool semihosting;
    struct gdb *gdb; /* NULL: not debugged */
    FILE *hazards;   /* where the hazards go at the end; NULL: no check */
    bool reported;   /* the present deadlock has been reported */
    uint32_t left;   /* clocks until the next check for a deadlock */
    struct timespec started;
    libttsim_dma_read *read;
    libttsim_dma_write *write;
} device;

/* ---- Errors --------------------------------------------------------------------------------------- */

static unsigned long long clocks_now(void) {
    return device.chip ? (unsigned long long)(bh_cycle(device.chip) / device.epoch) : 0;
}

/* Ends the check of a session, if there is one, however the session ends. */
static void report_hazards(void) {
    FILE *out = device.hazards;
    device.hazards = NULL;
    if (out && !hazards_close(out, device.chip, clocks_now()))
        fprintf(stderr, "[%llu] WARNING: BHEMU_CHECK: the report could not be written\n", clocks_now());
}

static void end_debugging(int status) {
    struct gdb *gdb = device.gdb;
    device.gdb = NULL;
    gdb_close(gdb, status);
}

/* Ends the process. */
__attribute__((noreturn)) static void leave(int status) {
    report_hazards();
    end_debugging(status);
    _Exit(status);
}

__attribute__((noreturn, format(printf, 2, 3))) static void die(const char *category, const char *format, ...) {
    va_list args;
    va_start(args, format);
    printf("[%llu] ERROR: %s: ", clocks_now(), category);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
    fflush(stdout);
    leave(1);
}

static const char *category_of_status(bh_status status) {
    switch (status) {
    case BH_ERR_UNMODELLED: return "UnimplementedFunctionality";
    case BH_ERR_MEMORY: return "OutOfMemory";
    case BH_ERR_INTERNAL: return "InternalError";
    default: return "UndefinedBehavior";
    }
}

static void expect_ok(bh_status status) {
    if (__builtin_expect(status != BH_OK, 0))
        die(category_of_status(status), "%s: %s", bh_status_text(status), bh_message(device.chip));
}

static void expect_running(const char *function) {
    if (__builtin_expect(!device.chip, 0))
        die("UndefinedBehavior", "%s: libttsim_init has not been called", function);
}

static const char *category_of_fault(enum bh_fault_kind kind) {
    switch (kind) {
    case BH_FAULT_UNMODELLED: return "UnimplementedFunctionality";
    case BH_FAULT_DEADLOCK: return "Deadlock";
    default: return "UndefinedBehavior";
    }
}

/* Returns whether gdb has gone back in time: what happens has happened before. */
static bool is_repeated(void) {
    return device.gdb && gdb_replays(device.gdb);
}

static void on_fault(void *user, bh_chip *chip, const struct bh_fault *fault) {
    (void)user, (void)chip;
    if (is_repeated())
        return;
    if (!device.keep_going)
        die(category_of_fault(fault->kind), "tile (%u,%u): %s", fault->tile.x, fault->tile.y, fault->text);
    fprintf(stderr, "[%llu] ERROR: %s: tile (%u,%u): %s\n", clocks_now(), category_of_fault(fault->kind), fault->tile.x,
            fault->tile.y, fault->text);
}

static void on_warning(void *user, bh_chip *chip, const struct bh_fault *warning) {
    (void)user, (void)chip;
    if (is_repeated())
        return;
    fprintf(stderr, "[%llu] WARNING: %s: tile (%u,%u): %s\n", clocks_now(), category_of_fault(warning->kind),
            warning->tile.x, warning->tile.y, warning->text);
}

/* Clocks between two checks for a deadlock: a million cycles. */
enum { LOOK_CLOCKS = 4096 };

/* Reports a deadlock once. Time goes on: only the client knows whether it is going to resolve the deadlock. */
static void look_for_deadlock(void) {
    char report[4096];
    bool deadlock = bh_deadlocked(device.chip);
    device.left = LOOK_CLOCKS;
    if (deadlock && !device.reported) {
        size_t length = bh_report(device.chip, report, sizeof report);
        fprintf(stderr, "[%llu] WARNING: Deadlock: nobody on the chip is left to do what these wait for\n%s%s",
                clocks_now(), report, length < sizeof report ? "" : " ...\n");
    }
    device.reported = deadlock;
}

/* ---- Host memory ------------------------------------------------------------------------------------ */

/* The ABI's callbacks take 32-bit sizes. */
enum { DMA_PIECE = 1 << 30 };

static uint32_t piece_of(size_t left) {
    return left < DMA_PIECE ? (uint32_t)left : DMA_PIECE;
}

static void read_host(uint64_t address, void *data, size_t size) {
    if (!device.read)
        die("UndefinedBehavior", "host memory at 0x%llx is read, but there is no DMA callback",
            (unsigned long long)address);
    for (size_t done = 0; done < size; done += piece_of(size - done))
        device.read(address + done, (uint8_t *)data + done, piece_of(size - done));
}

static void host_read(void *user, uint64_t address, void *data, size_t size) {
    (void)user;
    if (device.gdb)
        gdb_host_read(device.gdb, read_host, address, data, size);
    else
        read_host(address, data, size);
}

static void host_write(void *user, uint64_t address, const void *data, size_t size) {
    (void)user;
    if (is_repeated())
        return;
    if (!device.write)
        die("UndefinedBehavior", "host memory at 0x%llx is written, but there is no DMA callback",
            (unsigned long long)address);
    for (size_t done = 0; done < size; done += piece_of(size - done))
        device.write(address + done, (const uint8_t *)data + done, piece_of(size - done));
}

void libttsim_set_pci_dma_mem_callbacks(libttsim_dma_read *read, libttsim_dma_write *write) {
    if (device.chip && (read != device.read || write != device.write))
        die("UndefinedBehavior", "libttsim_set_pci_dma_mem_callbacks: others than before while the chip runs");
    device.read = read;
    device.write = write;
}

/* ---- Life ------------------------------------------------------------------------------------------- */

/* Returns the value of a variable, or the default if the variable is unset or empty. */
static const char *environment(const char *name, const char *otherwise) {
    const char *text = getenv(name);
    return text && *text ? text : otherwise;
}

/* Returns whether a variable selects the second of two words; the first word is the default. */
static bool second_asked(const char *name, const char *first, const char *second) {
    const char *text = environment(name, first);
    if (strcmp(text, first) != 0 && strcmp(text, second) != 0)
        die("BadEnvironment", "%s=%s: %s or %s", name, text, first, second);
    return strcmp(text, second) == 0;
}

/* Returns the number of host threads: 1, the caller's, by default; 0 stands for one for each processor. Clients of
 * this ABI may fork, or rely on a library that creates no threads, like ttsim's. */
static unsigned threads_asked(void) {
    const char *text = environment("BHEMU_THREADS", "1");
    char *end;
    if (strcmp(text, "all") == 0)
        return 0;
    unsigned long threads = strtoul(text, &end, 10);
    if (*end || *text == '-' || threads == 0 || threads > BH_THREADS_MAX)
        die("BadEnvironment", "BHEMU_THREADS=%s: a number from 1 to %d, or all", text, BH_THREADS_MAX);
    return (unsigned)threads;
}

static bool semihosting_asked(void) {
    const char *text = environment("TTSIM_SEMIHOSTING", "");
    if (*text && strcmp(text, "1") != 0)
        die("BadEnvironment", "TTSIM_SEMIHOSTING=%s: 1 or nothing", text);
    return *text != '\0';
}

/* Opens the report at the beginning: a path that cannot be written is an error now, not a loss at the end. */
static void start_check(bh_chip *chip) {
    const char *text = environment("BHEMU_CHECK", "0");
    char message[200];
    if (strcmp(text, "0") == 0)
        return;
    if (bh_check(chip, true) != BH_OK)
        die("BadEnvironment", "BHEMU_CHECK=%s: %s", text, bh_message(chip));
    if (!hazards_know_firmware(chip, environment("BHEMU_LAYOUT", ""), message, sizeof message))
        die("BadEnvironment", "BHEMU_LAYOUT=%s: %s", environment("BHEMU_LAYOUT", ""), message);
    if (!(device.hazards = hazards_open(text)))
        die("BadEnvironment", "BHEMU_CHECK=%s: %s", text, strerror(errno));
}

static void start_to_vary(bh_chip *chip) {
    const char *text = environment("BHEMU_VARY", "0");
    if (bh_vary_text(chip, text) != BH_OK)
        die("BadEnvironment", "BHEMU_VARY=%s: %s", text, bh_message(chip));
}

/* Waits for gdb when the chip first runs. */
static void start_debugging(void) {
    const struct gdb_owner owner = { 0 };
    const char *port = environment("BHEMU_GDB", "");
    char message[200];
    if (*port && !(device.gdb = gdb_open(port, &owner, message, sizeof message)))
        die("BadEnvironment", "BHEMU_GDB=%s: %s", port, message);
}

static void start(void) {
    struct bh_config config;
    bh_chip *chip;
    char message[256];
    bh_config_board(&config, second_asked("BHEMU_BOARD", "p150", "p100a") ? BH_BOARD_P100A : BH_BOARD_P150);
    config.threads = threads_asked();
    config.timing = second_asked("BHEMU_TIMING", "cycles", "loose") ? BH_TIMING_LOOSE : BH_TIMING_CYCLES;
    config.debug_flaws = second_asked("BHEMU_RISC_DEBUG", "right", "silicon");
    config.on_fault = on_fault;
    config.on_warning = on_warning;
    config.host_read = host_read;
    config.host_write = host_write;
    device.keep_going = second_asked("BHEMU_ON_FAULT", "exit", "stop");
    device.semihosting = semihosting_asked();
    bh_status status = bh_create(&config, &chip, message, sizeof message);
    if (status != BH_OK)
        die(category_of_status(status), "libttsim_init: %s", message);
    device.reported = false;
    device.left = LOOK_CLOCKS;
    device.epoch = bh_epoch(chip);
    device.chip = chip;
    start_check(chip);
    start_to_vary(chip);
    start_debugging();
    clock_gettime(CLOCK_MONOTONIC, &device.started);
}

/* Two clients in a process, each of which opened the library, share the chip, as two clients of one card do. */
void libttsim_init(void) {
    if (!device.chip)
        start();
    device.users++;
}

static double seconds_since_start(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - device.started.tv_sec) + 1e-9 * (double)(now.tv_nsec - device.started.tv_nsec);
}

void libttsim_exit(void) {
    expect_running("libttsim_exit");
    if (--device.users)
        return;
    double seconds = seconds_since_start();
    printf("[%llu] %.1f seconds (%.1f KHz)\n", clocks_now(), seconds,
           seconds > 0 ? (double)clocks_now() / seconds / 1000 : 0);
    report_hazards();
    end_debugging(0);
    bh_destroy(device.chip);
    device.chip = NULL;
}

/* Some clients close the library without libttsim_exit. Nothing may remain, threads least of all. */
__attribute__((destructor)) static void unload(void) {
    report_hazards();
    end_debugging(0);
    bh_destroy(device.chip);
    device.chip = NULL;
    device.users = 0;
}

/* ---- Time and access ----------------------------------------------------------------------------------- */

/* A run fails only because of a bug in bhemu. */
static inline void run(uint64_t cycles) {
    if (__builtin_expect(!device.gdb, 1)) {
        expect_ok(bh_run(device.chip, cycles, 0, NULL));
        return;
    }
    expect_ok(gdb_run(device.gdb, device.chip, cycles, 0, NULL));
    if (gdb_killed(device.gdb))
        leave(1);
}

/* Runs clock by clock, because programs wait for the answers. */
static void run_with_semihosting(uint32_t clocks) {
    struct semihosting_error error;
    for (uint32_t i = 0; i < clocks; i++) {
        run(device.epoch);
        if (semihosting_serve(device.chip, &error))
            continue;
        if (error.status >= 0) {
            fflush(NULL);
            leave(error.status);
        }
        die(error.category, "tile (%u,%u): ecall %u: %s", error.tile.x, error.tile.y, error.number, error.why);
    }
}

void libttsim_clock(uint32_t clocks) {
    expect_running("libttsim_clock");
    if (__builtin_expect(device.left <= clocks, 0))
        look_for_deadlock();
    else
        device.left -= clocks;
    if (__builtin_expect(device.semihosting, 0)) {
        run_with_semihosting(clocks);
        return;
    }
    run((uint64_t)clocks * device.epoch);
}

/* Bits: bus[15:8] device[7:3] function[2:0]. The chip is 00:00.0; there are no other devices. */
static bool is_ours(uint32_t bus_device_function) {
    return bus_device_function == 0;
}

uint32_t libttsim_pci_config_rd32(uint32_t bus_device_function, uint32_t offset) {
    uint32_t value;
    expect_running("libttsim_pci_config_rd32");
    if (!is_ours(bus_device_function))
        return UINT32_MAX;
    expect_ok(bh_pci_config_read(device.chip, offset, &value));
    return value;
}

void libttsim_pci_config_wr32(uint32_t bus_device_function, uint32_t offset, uint32_t value) {
    expect_running("libttsim_pci_config_wr32");
    if (is_ours(bus_device_function))
        expect_ok(bh_pci_config_write(device.chip, offset, value));
}

/* Runs one epoch if a register was written. A read over the bus takes longer than the effects of earlier writes: a
 * client that releases a core and reads its results without a clock in between finds them. */
static void settle(void) {
    if (__builtin_expect(bh_unsettled(device.chip), 0))
        run(device.epoch);
}

void libttsim_pci_mem_rd_bytes(uint64_t address, void *data, uint32_t size) {
    expect_running("libttsim_pci_mem_rd_bytes");
    settle();
    expect_ok(bh_pci_read(device.chip, address, data, size));
}

/* Runs one epoch if a core's debug interface got a command: the next write over the bus comes after its effects, too.
 * Tools for silicon step twice, or ask for a register and then for the answer, with nothing in between. */
static void settle_command(void) {
    if (__builtin_expect(bh_commanded(device.chip), 0))
        run(device.epoch);
}

void libttsim_pci_mem_wr_bytes(uint64_t address, const void *data, uint32_t size) {
    expect_running("libttsim_pci_mem_wr_bytes");
    settle_command();
    expect_ok(bh_pci_write(device.chip, address, data, size));
}

static struct bh_xy tile_at(uint32_t x, uint32_t y) {
    return (struct bh_xy){ x < 64 ? (uint8_t)x : 255, y < 64 ? (uint8_t)y : 255 };
}

void libttsim_tile_rd_bytes(uint32_t x, uint32_t y, uint64_t address, void *data, uint32_t size) {
    expect_running("libttsim_tile_rd_bytes");
    expect_ok(bh_read(device.chip, tile_at(x, y), address, data, size));
}

void libttsim_tile_wr_bytes(uint32_t x, uint32_t y, uint64_t address, const void *data, uint32_t size) {
    expect_running("libttsim_tile_wr_bytes");
    expect_ok(bh_write(device.chip, tile_at(x, y), address, data, size));
}
