/* The libttsim C ABI on top of include/bhemu.h: one chip in a process, or the chips of BHEMU_SYSTEM. Errors end the
 * process. See docs/libttsim.md.
 *
 * This file contains what the library (src/) must not contain: a global, the environment, output and _Exit.
 *     BHEMU_SYSTEM=MACHINE|FILE
 *     BHEMU_BOARD=p150|p100a      BHEMU_THREADS=n|all  BHEMU_TIMING=cycles|loose
 *     BHEMU_ON_FAULT=exit|stop    TTSIM_SEMIHOSTING=1  BHEMU_CHECK=1|FILE
 *     BHEMU_VARY=SEED|DELAYS      BHEMU_GDB=port       BHEMU_LAYOUT=FILE
 *     BHEMU_RISC_DEBUG=right|silicon */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "hazards.h"
#include "semihosting.h"
#include "stuck.h"
#include "text/variables.h"

struct device device;

/* ---- Errors --------------------------------------------------------------------------------------- */

static unsigned long long clocks_now(void) {
    return device.chip ? (unsigned long long)(bh_cycle(device.chip) / device.epoch) : 0;
}

/* Ends the check of a session, if there is one, and reports its hazards, however the session ends. */
static void report_hazards(void) {
    FILE *out = device.hazards;
    device.hazards = NULL;
    bh_chip *const *chip = device.chips ? device.chips->chip : &device.chip;
    if (out && !hazards_close(out, chip, device.chips ? CHIPS_MAX : 1, device.chips, clocks_now()))
        fprintf(stderr, "[%llu] WARNING: BHEMU_CHECK: the report could not be written\n", clocks_now());
}

static void end_debugging(int status) {
    struct gdb *gdb = device.gdb;
    device.gdb = NULL;
    gdb_close(gdb, status);
}

/* Reports hazards, ends the debugger's session, and ends the process. */
__attribute__((noreturn)) static void leave(int status) {
    report_hazards();
    end_debugging(status);
    _Exit(status);
}

void device_die(const char *category, const char *format, ...) {
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

/* The name of a chip in front of a message: "" if there is only one chip. */
struct chip_name {
    char text[16];
};

static struct chip_name name_of(const bh_chip *chip) {
    struct chip_name name = { "" };
    if (device.chips)
        snprintf(name.text, sizeof name.text, "chip %u: ", chips_number(device.chips, chip));
    return name;
}

void device_fail(const bh_chip *chip, bh_status status) {
    device_die(category_of_status(status), "%s%s: %s", name_of(chip).text, bh_status_text(status), bh_message(chip));
}

/* For calls on device.chip. */
static inline void expect_ok(bh_status status) {
    if (__builtin_expect(status != BH_OK, 0))
        device_fail(device.chip, status);
}

void device_expect_system_ok(bh_status status) {
    if (status != BH_OK)
        device_die(category_of_status(status), "%s: %s", bh_status_text(status),
                   bh_system_message(device.chips->system));
}

static inline void expect_running(const char *function) {
    if (__builtin_expect(!device.plain, 0))
        device_expect_chip(function);
}

void device_expect_chip(const char *function) {
    if (!device.users)
        device_die("UndefinedBehavior", "%s: libttsim_init has not been called", function);
    if (!device.chip)
        device_die("UndefinedBehavior", "%s: no chip has been created", function);
}

static const char *category_of_fault(enum bh_fault_kind kind) {
    switch (kind) {
    case BH_FAULT_UNMODELLED: return "UnimplementedFunctionality";
    case BH_FAULT_DEADLOCK: return "Deadlock";
    default: return "UndefinedBehavior";
    }
}

/* Returns whether gdb has gone back in time, so that events repeat earlier ones. */
static bool is_repeated(void) {
    return device.gdb && gdb_replays(device.gdb);
}

static void on_fault(void *user, bh_chip *chip, const struct bh_fault *fault) {
    const char *category = category_of_fault(fault->kind);
    struct chip_name name = name_of(chip);
    (void)user;
    if (is_repeated())
        return;
    if (fault->core >= 0)
        stuck_place(device.stuck, chip, fault->tile, (enum bh_core)fault->core, fault->pc, stderr);
    if (!device.keep_going)
        device_die(category, "%stile (%u,%u): %s", name.text, fault->tile.x, fault->tile.y, fault->text);
    fprintf(stderr, "[%llu] ERROR: %s: %stile (%u,%u): %s\n", clocks_now(), category, name.text, fault->tile.x,
            fault->tile.y, fault->text);
}

static void on_warning(void *user, bh_chip *chip, const struct bh_fault *warning) {
    (void)user;
    if (is_repeated())
        return;
    fprintf(stderr, "[%llu] WARNING: %s: %stile (%u,%u): %s\n", clocks_now(), category_of_fault(warning->kind),
            name_of(chip).text, warning->tile.x, warning->tile.y, warning->text);
}

/* Clocks between two looks, and between two checks for a deadlock, which are about a million cycles apart. */
enum { LOOK_CLOCKS = 256, CHECK_CLOCKS = 4096 };

/* Prints the waits of a chip, each line with the name of the chip. */
static void print_waits(const bh_chip *chip) {
    char report[4096];
    size_t length = bh_report(chip, report, sizeof report);
    for (char *line = report, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        end += *end == '\n';
        fprintf(stderr, "%s%.*s", name_of(chip).text, (int)(end - line), line);
    }
    if (length >= sizeof report)
        fputs(" ...\n", stderr);
}

/* Reports a deadlock once. The chip continues to run: only the client knows whether it will resolve the deadlock. */
static void look_at(const bh_chip *chip, unsigned number) {
    uint32_t bit = UINT32_C(1) << number;
    bool deadlock = bh_deadlocked(chip);
    if (deadlock && !(device.reported & bit)) {
        fprintf(stderr, "[%llu] WARNING: Deadlock: %snobody on the chip is left to do what these wait for\n",
                clocks_now(), name_of(chip).text);
        print_waits(chip);
    }
    device.reported = deadlock ? device.reported | bit : device.reported & ~bit;
}

static double seconds_by(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)(now.tv_sec - device.started.tv_sec) + 1e-9 * (double)(now.tv_nsec - device.started.tv_nsec);
}

static double seconds_since_start(void) {
    return seconds_by(CLOCK_MONOTONIC);
}

/* Processor time: on a busy host, a look takes longer than it costs. */
static double seconds_of_thread(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void look_at_kernels_of(const bh_chip *chip, unsigned number, double seconds, bool polls) {
    const struct chip_name name = name_of(chip);
    stuck_look(device.stuck, chip, &(struct stuck_watch){ number, name.text, clocks_now(), seconds, polls }, stderr);
}

/* Reports kernels that do not end. A client that waits for a kernel reads from its tile in each clock; one that waits
 * for a word of host memory only lets the chip run. */
static void look_at_kernels(void) {
    struct stuck_pace *last = stuck_pace(device.stuck);
    double seconds = seconds_since_start(), begun = seconds_of_thread();
    bool polls = UINT64_C(2) * device.reads >= clocks_now() - last->clocks;
    if (!device.chips)
        look_at_kernels_of(device.chip, 0, seconds, polls);
    for (unsigned i = 0; i < CHIPS_MAX && device.chips; i++)
        if (device.chips->chip[i])
            look_at_kernels_of(device.chips->chip[i], i, seconds, polls);
    device.reads = 0;
    *last = (struct stuck_pace){ clocks_now(), seconds, last->spent + seconds_of_thread() - begun };
}

/* Returns whether there is time for a look at all kernels. In the long run such looks take a hundredth of the time. */
static bool may_look_at_kernels(double seconds) {
    return stuck_pace(device.stuck)->spent < 0.01 + 0.01 * seconds;
}

/* Looks for deadlocks and kernels that do not end: every LOOK_CLOCKS clocks, and at least once a second if the client
 * is slow, because clients time out after seconds. clocks: those of the current call. */
static void look(uint32_t clocks) {
    double seconds = seconds_by(CLOCK_MONOTONIC_COARSE);
    uint64_t passed = (uint64_t)LOOK_CLOCKS - device.left + clocks; /* clocks since the last look */
    bool check = device.unchecked + passed >= CHECK_CLOCKS;
    device.unchecked = check ? 0 : (uint32_t)(device.unchecked + passed);
    device.left = LOOK_CLOCKS;
    if ((check && may_look_at_kernels(seconds)) || seconds - stuck_pace(device.stuck)->seconds >= 1)
        look_at_kernels();
    if (!check)
        return;
    if (!device.chips)
        look_at(device.chip, 0);
    for (unsigned i = 0; i < CHIPS_MAX && device.chips; i++)
        if (device.chips->chip[i])
            look_at(device.chips->chip[i], i);
}

/* ---- Host memory ------------------------------------------------------------------------------------ */

/* Callbacks of the ABI take sizes of 32 bits, so that larger transfers are divided. */
enum { DMA_PIECE = 1 << 30 };

static uint32_t piece_of(size_t left) {
    return left < DMA_PIECE ? (uint32_t)left : DMA_PIECE;
}

static void read_host(uint64_t address, void *data, size_t size) {
    if (!device.read)
        device_die("UndefinedBehavior", "host memory at 0x%llx is read, but there is no DMA callback",
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
        device_die("UndefinedBehavior", "host memory at 0x%llx is written, but there is no DMA callback",
                   (unsigned long long)address);
    for (size_t done = 0; done < size; done += piece_of(size - done))
        device.write(address + done, (const uint8_t *)data + done, piece_of(size - done));
}

void libttsim_set_pci_dma_mem_callbacks(libttsim_dma_read *read, libttsim_dma_write *write) {
    if (device.users && (read != device.read || write != device.write))
        device_die("UndefinedBehavior", "libttsim_set_pci_dma_mem_callbacks: others than before while the chip runs");
    device.read = read;
    device.write = write;
}

/* ---- Initialisation and exit -------------------------------------------------------------------------- */

/* Returns the value of a variable, or the default if the variable is unset or empty. */
static const char *environment(const char *name, const char *otherwise) {
    const char *text = getenv(name);
    return text && *text ? text : otherwise;
}

/* Warns of variables that nothing reads and that are probably misspelt. */
static void warn_of_misspelt(void) {
    struct span name;
    const char *near;
    for (char **at = environ; at && *at; at++)
        if (variable_is_ours(*at, &name) && !variable_is_known(name, &near) && near)
            fprintf(stderr, "[0] WARNING: %.*s: no such variable; did you mean %s?\n", SPAN(name), near);
}

/* Returns whether a variable selects the second of two words; the first word is the default. */
static bool second_asked(const char *name, const char *first, const char *second) {
    const char *text = environment(name, first);
    if (strcmp(text, first) != 0 && strcmp(text, second) != 0)
        device_die("BadEnvironment", "%s=%s: %s or %s", name, text, first, second);
    return strcmp(text, second) == 0;
}

/* Returns the number of host threads. The default is 1, the caller's; 0 stands for one for each processor. Clients of
 * this ABI may fork, or rely on a library that creates no threads, like ttsim's. */
static unsigned threads_asked(void) {
    const char *text = environment("BHEMU_THREADS", "1");
    char *end;
    if (strcmp(text, "all") == 0)
        return 0;
    unsigned long threads = strtoul(text, &end, 10);
    if (*end || *text == '-' || threads == 0 || threads > BH_THREADS_MAX)
        device_die("BadEnvironment", "BHEMU_THREADS=%s: a number from 1 to %d, or all", text, BH_THREADS_MAX);
    return (unsigned)threads;
}

static bool semihosting_asked(void) {
    const char *text = environment("TTSIM_SEMIHOSTING", "");
    if (*text && strcmp(text, "1") != 0)
        device_die("BadEnvironment", "TTSIM_SEMIHOSTING=%s: 1 or nothing", text);
    return *text != '\0';
}

/* Starts the check, and opens its report now: a path that cannot be written is an error at the beginning, not a loss at
 * the end. */
static void start_check(bh_chip *chip) {
    const char *text = environment("BHEMU_CHECK", "0");
    char message[200];
    if (strcmp(text, "0") == 0)
        return;
    if (bh_check(chip, true) != BH_OK)
        device_die("BadEnvironment", "BHEMU_CHECK=%s: %s", text, bh_message(chip));
    if (!hazards_know_firmware(chip, environment("BHEMU_LAYOUT", ""), message, sizeof message))
        device_die("BadEnvironment", "BHEMU_LAYOUT=%s: %s", environment("BHEMU_LAYOUT", ""), message);
    if (!device.hazards && !(device.hazards = hazards_open(text)))
        device_die("BadEnvironment", "BHEMU_CHECK=%s: %s", text, strerror(errno));
}

static void start_to_vary(bh_chip *chip) {
    const char *text = environment("BHEMU_VARY", "0");
    if (bh_vary_text(chip, text) != BH_OK)
        device_die("BadEnvironment", "BHEMU_VARY=%s: %s", text, bh_message(chip));
}

/* Waits for gdb when the chip, or the chips, first run. */
static void start_debugging(void) {
    const struct gdb_owner owner = { 0 };
    const char *port = environment("BHEMU_GDB", "");
    char message[200];
    if (*port && !(device.gdb = gdb_open(port, &owner, message, sizeof message)))
        device_die("BadEnvironment", "BHEMU_GDB=%s: %s", port, message);
}

static void configure(struct bh_config *config) {
    bh_config_board(config, second_asked("BHEMU_BOARD", "p150", "p100a") ? BH_BOARD_P100A : BH_BOARD_P150);
    config->threads = threads_asked();
    config->timing = second_asked("BHEMU_TIMING", "cycles", "loose") ? BH_TIMING_LOOSE : BH_TIMING_CYCLES;
    config->debug_flaws = second_asked("BHEMU_RISC_DEBUG", "right", "silicon");
    config->on_fault = on_fault;
    config->on_warning = on_warning;
    config->host_read = host_read;
    config->host_write = host_write;
}

static void start_chip(const struct bh_config *config) {
    char message[256];
    bh_chip *chip;
    bh_status status = bh_create(config, &chip, message, sizeof message);
    if (status != BH_OK)
        device_die(category_of_status(status), "libttsim_init: %s", message);
    device.epoch = bh_epoch(chip);
    device.chip = chip;
    start_check(chip);
    start_to_vary(chip);
    start_debugging();
    device.plain = device.gdb ? NULL : chip;
}

/* ---- Several chips */

/* Settings of a chip among several. Host threads run chips as long as no chip calls the client for host memory; else
 * they run the tiles of one chip after the other. */
static void configure_member(struct bh_config *config) {
    configure(config);
    if (device.read || device.write)
        return;
    config->threads = 1;
    config->host_read = NULL;
    config->host_write = NULL;
}

static void take_in(bh_chip *chip) {
    device.epoch = bh_epoch(chip);
    if (!device.chip)
        device.chip = chip;
    start_check(chip);
    start_to_vary(chip);
}

/* A chip has the same number everywhere: in the system, for gdb and for the client, who may create chips in any order.
 * Those before it that the client has not created yet are there, and do nothing. */
bh_chip *device_add_chip(uint32_t id) {
    struct bh_config config;
    bh_system *system = device.chips->system;
    configure_member(&config);
    for (unsigned i = bh_system_chip_count(system); i <= id; i++) {
        config.number = config.serial = i;
        if (bh_system_add_chip(system, &config, NULL) != BH_OK)
            device_die("OutOfMemory", "chip %u cannot be created: %s", i, bh_system_message(system));
    }
    bh_chip *chip = chips_show(device.chips, id);
    take_in(chip);
    return chip;
}

static void start_chips(const char *name) {
    struct bh_config config;
    char message[400];
    if (*name && *environment("BHEMU_BOARD", ""))
        device_die("BadEnvironment", "BHEMU_BOARD=%s: the chips of BHEMU_SYSTEM have boards of their own",
                   environment("BHEMU_BOARD", ""));
    configure_member(&config);
    device.chips = chips_open(name, &config, threads_asked(), message, sizeof message);
    if (!device.chips)
        device_die("BadEnvironment", "BHEMU_SYSTEM=%s: %s", name, message);
    for (unsigned i = 0; i < CHIPS_MAX; i++)
        if (device.chips->chip[i])
            take_in(device.chips->chip[i]);
    if (!device_by_id)
        chips_place(device.chips);
    start_debugging();
}

/* ---- Both */

static void know_firmware(void) {
    const char *path = environment("BHEMU_LAYOUT", "");
    char message[200];
    if (!(device.stuck = stuck_open(path, message, sizeof message)))
        device_die("BadEnvironment", "BHEMU_LAYOUT=%s: %s", path, message);
}

static void start(void) {
    struct bh_config config;
    const char *system = environment("BHEMU_SYSTEM", "");
    warn_of_misspelt();
    device.keep_going = second_asked("BHEMU_ON_FAULT", "exit", "stop");
    device.semihosting = semihosting_asked();
    device.reported = 0;
    device.left = LOOK_CLOCKS;
    device.unchecked = 0;
    device.reads = 0;
    know_firmware();
    configure(&config);
    if (device_by_id || *system)
        start_chips(system);
    else
        start_chip(&config);
    clock_gettime(CLOCK_MONOTONIC, &device.started);
}

/* Two clients in one process that have both opened the library share the chip, like two clients of one card. */
void libttsim_init(void) {
    if (!device.users)
        start();
    device.users++;
}

static void destroy(void) {
    report_hazards();
    end_debugging(0);
    if (device.chips)
        chips_close(device.chips);
    else
        bh_destroy(device.chip);
    stuck_close(device.stuck);
    device.stuck = NULL;
    device.chips = NULL;
    device.chip = NULL;
    device.plain = NULL;
    device.users = 0;
}

void libttsim_exit(void) {
    if (!device.users)
        device_expect_chip("libttsim_exit");
    if (--device.users)
        return;
    double seconds = seconds_since_start();
    printf("[%llu] %.1f seconds (%.1f KHz)\n", clocks_now(), seconds,
           seconds > 0 ? (double)clocks_now() / seconds / 1000 : 0);
    destroy();
}

/* Some clients unload the library without libttsim_exit. Nothing may remain then, least of all host threads. */
__attribute__((destructor)) static void unload(void) {
    destroy();
}

/* ---- Time and access ----------------------------------------------------------------------------------- */

static void run_under_gdb(uint64_t cycles) {
    if (device.chips)
        device_expect_system_ok(gdb_run_system(device.gdb, device.chips->system, cycles, 0, NULL));
    else
        expect_ok(gdb_run(device.gdb, device.chip, cycles, 0, NULL));
    if (gdb_killed(device.gdb))
        leave(1);
}

/* Runs under gdb, or several chips. */
static void run_otherwise(uint64_t cycles) {
    if (device.gdb)
        run_under_gdb(cycles);
    else
        device_expect_system_ok(bh_system_run(device.chips->system, cycles, 0, NULL));
}

/* A run fails only because of a bug in bhemu. */
static inline void run(uint64_t cycles) {
    if (__builtin_expect(device.plain != NULL, 1))
        expect_ok(bh_run(device.plain, cycles, 0, NULL));
    else
        run_otherwise(cycles);
}

void device_run(uint64_t cycles) {
    run(cycles);
}

static void serve(bh_chip *chip) {
    struct semihosting_error error;
    if (semihosting_serve(chip, &error))
        return;
    if (error.status >= 0) {
        fflush(NULL);
        leave(error.status);
    }
    device_die(error.category, "%stile (%u,%u): ecall %u: %s", name_of(chip).text, error.tile.x, error.tile.y,
               error.number, error.why);
}

/* Runs clock by clock, because programs wait for the answers to their calls. */
static void run_with_semihosting(uint32_t clocks) {
    for (uint32_t i = 0; i < clocks; i++) {
        run(device.epoch);
        if (!device.chips)
            serve(device.chip);
        for (unsigned k = 0; k < CHIPS_MAX && device.chips; k++)
            if (device.chips->chip[k])
                serve(device.chips->chip[k]);
    }
}

void libttsim_clock(uint32_t clocks) {
    expect_running("libttsim_clock");
    if (__builtin_expect(device.left <= clocks, 0))
        look(clocks);
    else
        device.left -= clocks;
    if (__builtin_expect(device.semihosting, 0)) {
        run_with_semihosting(clocks);
        return;
    }
    run((uint64_t)clocks * device.epoch);
}

/* Returns the chip at a position of the bus, whose bits are bus[15:8] device[7:3] function[2:0], or NULL if there is
 * none. Chip n is 00:n.0. A client that selects chips finds the selected chip at 00:00.0. */
static bh_chip *chip_on_bus(uint32_t bus_device_function) {
    if (bus_device_function == 0)
        return device_by_id || !device.chips ? device.chip : device.chips->chip[0];
    if (!device.chips || device_by_id || bus_device_function & 7 || bus_device_function >> 3 >= CHIPS_MAX)
        return NULL;
    return device.chips->chip[bus_device_function >> 3];
}

uint32_t libttsim_pci_config_rd32(uint32_t bus_device_function, uint32_t offset) {
    uint32_t value;
    expect_running("libttsim_pci_config_rd32");
    bh_chip *chip = chip_on_bus(bus_device_function);
    if (!chip)
        return UINT32_MAX;
    device.chip = chip;
    expect_ok(bh_pci_config_read(chip, offset, &value));
    return value;
}

void libttsim_pci_config_wr32(uint32_t bus_device_function, uint32_t offset, uint32_t value) {
    expect_running("libttsim_pci_config_wr32");
    bh_chip *chip = chip_on_bus(bus_device_function);
    if (!chip)
        return;
    device.chip = chip;
    expect_ok(bh_pci_config_write(chip, offset, value));
    if (device.chips)
        chips_note_bars(device.chips, chips_number(device.chips, chip));
}

/* Finds the chip that a bus address belongs to, if there are several on the bus. */
static void find_chip(const char *function, uint64_t address, uint32_t size) {
    device_expect_chip(function);
    if (!device.chips || device_by_id)
        return;
    bh_chip *chip = chips_at(device.chips, address);
    if (!chip)
        device_die("UndefinedBehavior", "%s: bus address 0x%" PRIx64 " (%u bytes) is in no BAR of the %u devices",
                   bh_status_text(BH_ERR_ADDRESS), address, size, bh_system_chip_count(device.chips->system));
    device.chip = chip;
}

/* Makes device.chip the chip that a bus address belongs to. */
static inline void turn_to(const char *function, uint64_t address, uint32_t size) {
    if (__builtin_expect(!device.plain, 0))
        find_chip(function, address, size);
}

/* Runs one epoch if a register was written. On a card a read over the bus takes longer than the effects of earlier
 * writes: a client that releases a core, and reads its results without a clock in between, finds them. */
static void run_if_unsettled(void) {
    if (__builtin_expect(bh_unsettled(device.chip), 0))
        run(device.epoch);
}

void libttsim_pci_mem_rd_bytes(uint64_t address, void *data, uint32_t size) {
    turn_to("libttsim_pci_mem_rd_bytes", address, size);
    run_if_unsettled();
    device.reads++;
    expect_ok(bh_pci_read(device.chip, address, data, size));
}

/* Runs one epoch if a core's debug interface has received a command: its effects precede the next write over the bus,
 * too. Tools for cards step twice, or request a register and then its value, without anything in between. */
static void run_if_commanded(void) {
    if (__builtin_expect(bh_commanded(device.chip), 0))
        run(device.epoch);
}

void libttsim_pci_mem_wr_bytes(uint64_t address, const void *data, uint32_t size) {
    turn_to("libttsim_pci_mem_wr_bytes", address, size);
    run_if_commanded();
    expect_ok(bh_pci_write(device.chip, address, data, size));
}

static struct bh_xy tile_at(uint32_t x, uint32_t y) {
    if (__builtin_expect((x | y) > UINT8_MAX, 0))
        device_die("UndefinedBehavior", "%s: no tile answers at (%u,%u)", bh_status_text(BH_ERR_COORDINATE), x, y);
    return (struct bh_xy){ (uint8_t)x, (uint8_t)y };
}

/* Ends the process if there are several chips on the bus: the coordinates of a tile do not say which chip is meant. */
static void expect_one_chip(const char *function) {
    expect_running(function);
    if (__builtin_expect(device.chips && !device_by_id, 0) && bh_system_chip_count(device.chips->system) > 1)
        device_die("UndefinedBehavior", "%s: of the %u chips, the call names none; each has BARs of its own", function,
                   bh_system_chip_count(device.chips->system));
}

void libttsim_tile_rd_bytes(uint32_t x, uint32_t y, uint64_t address, void *data, uint32_t size) {
    expect_one_chip("libttsim_tile_rd_bytes");
    device.reads++;
    expect_ok(bh_read(device.chip, tile_at(x, y), address, data, size));
}

void libttsim_tile_wr_bytes(uint32_t x, uint32_t y, uint64_t address, const void *data, uint32_t size) {
    expect_one_chip("libttsim_tile_wr_bytes");
    expect_ok(bh_write(device.chip, tile_at(x, y), address, data, size));
}
