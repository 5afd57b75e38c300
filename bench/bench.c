/* Measures a library with the libttsim ABI, and compares it with another one if given: same guest images, same calls.
 *
 *     bench OURS.so [PEER.so [FIGURE [PEER_X2.so [PEER_X4.so]]]]
 *
 * Our library is measured with both of its timings (BHEMU_TIMING): cycles, and loose, which like the peer models values
 * only.
 *
 * Every measurement runs in a process of its own (the ABI is a singleton and may end its process) and counts process
 * CPU time; the best of several runs counts. A clock of one library is not a clock of the other, so programs are
 * measured by the guest instructions that they have executed, never by clocks. MIPS are millions of RISC-V instructions
 * per second, MTIPS those of Tensix instructions.
 *
 * A second table has several chips in one library: ours as a system of P150 in a ring, next to libraries of the peer
 * with as many chips. Each chip runs the same program. A third table compares two host threads with one, by elapsed
 * time, on all tiles of a chip and on four chips. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "paths.h"
#include "programs.h"
#include "support/device.h"

enum { RUNS = 5, TIME_LIMIT = 120 };
static const double LONG_ENOUGH = 0.25; /* seconds of CPU time for one measurement */

/* A task for a child process, and its result. */
struct job {
    const char *library;
    const struct figure *figure;
    clockid_t clock;
    double value;
};

struct figure {
    const char *name, *unit;
    int (*measure)(struct job *job);
    enum program_kind kind;
    unsigned cores, tiles; /* how many of them run the program */
    unsigned first;        /* first of these cores */
    unsigned chips;        /* number of chips that run it; 0: a library with one chip */
    bool blocked;          /* one more core pushes a word at which its thread waits forever */
    uint32_t step;         /* clocks per call, for the idle chip */
    bool more_is_better;
    double ratio; /* target: at least this many times better than the peer; 0: none */
    double limit; /* target: at most this value; 0: none */
};

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double cpu(void) {
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

/* Returns the CPU nanoseconds of one clock, in calls of `step` clocks. */
static double clock_cost(struct device *device, uint32_t step) {
    void (*const clock)(uint32_t) =
        device_clock_function(device); /* called directly: a wrapper would cost as much as the call */
    for (uint64_t calls = 1;; calls *= 2) {
        double start = cpu();
        for (uint64_t i = 0; i < calls; i++)
            clock(step);
        double used = cpu() - start;
        if (used >= LONG_ENOUGH)
            return used * 1e9 / ((double)calls * step);
    }
}

static bool has_chips(struct device *device, const struct figure *figure) {
    bool has = !figure->chips || (device_choose(device, figure->chips - 1) && device_choose(device, 0));
    if (!has)
        printf("the library does not have %u chips\n", figure->chips);
    return has;
}

static int measure_idle(struct job *job) {
    struct device *device = device_open(job->library);
    if (!device || !has_chips(device, job->figure))
        return 1;
    job->value = clock_cost(device, job->figure->step);
    device_close(device);
    return 0;
}

static void start_program(struct device *device, unsigned tile, unsigned core, enum program_kind kind) {
    struct program program = program_make(kind, core);
    device_write(device, device_tile(tile), device_core_start[core], program.word, program.count * 4);
}

static void start_chip(struct device *device, const struct figure *figure) {
    unsigned end = figure->first + figure->cores, mask = ((1u << figure->cores) - 1) << figure->first;
    for (unsigned i = 0; i < figure->tiles; i++) {
        for (unsigned core = figure->first; core < end; core++)
            start_program(device, i, core, figure->kind);
        if (figure->blocked)
            start_program(device, i, end, PROGRAM_BLOCKED);
        device_release(device, device_tile(i), figure->blocked ? mask | 1u << end : mask);
    }
}

static void start_programs(struct device *device, const struct figure *figure) {
    if (!figure->chips)
        start_chip(device, figure);
    for (unsigned chip = 0; chip < figure->chips; chip++)
        if (device_choose(device, chip))
            start_chip(device, figure);
}

static uint64_t rounds_of_chip(struct device *device, const struct figure *figure) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < figure->tiles; i++)
        for (unsigned core = figure->first; core < figure->first + figure->cores; core++)
            sum += device_read32(device, device_tile(i), PROGRAM_DATA(core));
    return sum;
}

/* Returns the rounds of all cores together. */
static uint64_t rounds(struct device *device, const struct figure *figure) {
    uint64_t sum = figure->chips ? 0 : rounds_of_chip(device, figure);
    for (unsigned chip = 0; chip < figure->chips; chip++)
        sum += device_choose(device, chip) ? rounds_of_chip(device, figure) : 0;
    return sum;
}

/* Measures millions of guest instructions per second: those of the coprocessor, if the program pushes any. */
static int measure_rate(struct job *job) {
    const struct figure *figure = job->figure;
    struct device *device = device_open(job->library);
    if (!device || !has_chips(device, figure))
        return 1;
    start_programs(device, figure);
    uint32_t step = 1;
    for (double used = 0; used < LONG_ENOUGH / 20; step *= 2) { /* warms up, and finds a step that is long enough */
        double start = cpu();
        device_clock(device, step);
        used = cpu() - start;
    }
    uint64_t before = rounds(device, figure);
    double start = seconds(job->clock), used;
    do {
        device_clock(device, step);
        used = seconds(job->clock) - start;
    } while (used < LONG_ENOUGH);
    uint64_t done = rounds(device, figure) - before;
    if (done == 0) {
        printf("the guest did nothing\n");
        return 1;
    }
    job->value = (double)done * program_make(figure->kind, 0).round / used * 1e-6;
    device_close(device);
    return 0;
}

/* Measures the nanoseconds that waiting cores add to a clock, and checks that the cores wake. */
static int measure_waiting(struct job *job) {
    const struct figure *figure = job->figure;
    struct device *device = device_open(job->library);
    if (!device)
        return 1;
    double idle = clock_cost(device, 1);
    start_programs(device, figure);
    device_clock(device, 10000); /* local memory is cleared by then, and all cores wait */
    double waiting = clock_cost(device, 1);
    job->value = waiting > idle ? waiting - idle : 0;
    if (figure->kind == PROGRAM_POLL) {
        for (unsigned i = 0; i < figure->tiles; i++)
            for (unsigned core = 0; core < figure->cores; core++)
                device_write32(device, device_tile(i), PROGRAM_FLAG(core), 1);
        device_clock(device, 1000);
        if (rounds(device, figure) != figure->tiles * figure->cores) {
            printf("pollers did not wake\n");
            return 1;
        }
    }
    device_close(device);
    return 0;
}

/* Measures thousands of products of 32x32 tiles per second, from L1 to L1. */
static int measure_paths(struct job *job) {
    struct device *device = device_open(job->library);
    if (!device || !paths_load(device) || !paths_round(device))
        return 1;
    double start = cpu(), used;
    uint64_t done = 0;
    do {
        if (!paths_round(device))
            return 1;
        done += PATHS_TILES;
        used = cpu() - start;
    } while (used < LONG_ENOUGH);
    job->value = (double)done / used * 1e-3;
    device_close(device);
    return 0;
}

static int measure_create(struct job *job) {
    double start = seconds(CLOCK_MONOTONIC);
    struct device *device = device_open(job->library);
    if (!device)
        return 1;
    device_close(device);
    job->value = (seconds(CLOCK_MONOTONIC) - start) * 1e3;
    return 0;
}

static int measure_memory(struct job *job) {
    struct device *device = device_open(job->library);
    long total, resident;
    if (!device)
        return 1;
    device_clock(device, 1);
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &total, &resident) != 2)
        return 1;
    fclose(file);
    job->value = (double)resident * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
    device_close(device);
    return 0;
}

static const struct figure figures[] = {
    { "idle chip, clock(1)", "ns/clock", measure_idle, .step = 1, .ratio = 50 },
    { "idle chip, clock(1000)", "ns/clock", measure_idle, .step = 1000, .ratio = 50 },
#define RATE(what, c, t, kind_, goal) \
    { what, "MIPS", measure_rate, .kind = kind_, .cores = c, .tiles = t, .more_is_better = true, .ratio = goal }
    RATE("1 core on 1 tile, ALU", 1, 1, PROGRAM_ALU, 50),
    RATE("1 core on 1 tile, mixed", 1, 1, PROGRAM_MIXED, 50),
    RATE("5 cores on 1 tile, ALU", 5, 1, PROGRAM_ALU, 15),
    RATE("5 cores on 1 tile, mixed", 5, 1, PROGRAM_MIXED, 15),
    RATE("5 cores on 140 tiles, ALU", 5, 140, PROGRAM_ALU, 3),
    RATE("5 cores on 140 tiles, mixed", 5, 140, PROGRAM_MIXED, 4),
#undef RATE
#define THREADS(what, threads, t, kind_, blocked_, goal) \
    { \
        what, "MTIPS", measure_rate, .kind = kind_, .cores = threads, .tiles = t, .first = 1, .blocked = blocked_, \
                                     .more_is_better = true, .ratio = goal \
    }
#define TENSIX(what, threads, kind_, blocked_, goal) THREADS(what, threads, 1, kind_, blocked_, goal)
    TENSIX("config words, .ttinsn, 1 thread", 1, PROGRAM_INLINE, false, 3),
    TENSIX("config words, stores, 1 thread", 1, PROGRAM_STORE, false, 3),
    TENSIX("config words, .ttinsn, 3 threads", 3, PROGRAM_INLINE, false, 2),
    TENSIX("1 thread beside one at SEMWAIT", 1, PROGRAM_INLINE, true, 3),
    TENSIX("SFPLOAD, 2 SFPMAD, SFPSTORE", 1, PROGRAM_SFPU, false, 7),
    TENSIX("SFPMAD, ordinary numbers", 1, PROGRAM_MAD, false, 8),
    TENSIX("SFPMAD, random bits", 1, PROGRAM_MAD_ANY, false, 4),
    TENSIX("MVMUL, 16-bit Dst", 1, PROGRAM_MVMUL, false, 10),
    TENSIX("MVMUL, FP32 Dst", 1, PROGRAM_MVMUL_FP32, false, 8),
    TENSIX("ELWADD", 1, PROGRAM_ELWADD, false, 8),
    TENSIX("ELWMUL", 1, PROGRAM_ELWMUL, false, 8),
    TENSIX("MOVA2D, 8 rows", 1, PROGRAM_MOVA2D, false, 5),
    TENSIX("MOVD2A, 4 rows", 1, PROGRAM_MOVD2A, false, 5),
    TENSIX("MOVB2A, 4 rows", 1, PROGRAM_MOVB2A, false, 5),
    TENSIX("ZEROACC, 16 rows", 1, PROGRAM_ZEROACC, false, 5),
    TENSIX("UNPACR, 1024 BF16", 1, PROGRAM_UNPACR, false, 5),
    TENSIX("PACR, 64 BF16, 16 a tile", 1, PROGRAM_PACR, false, 5),
    THREADS("SFPU as above on 140 tiles", 1, 140, PROGRAM_SFPU, false, 7),
    THREADS("MVMUL, 16-bit Dst on 140 tiles", 1, 140, PROGRAM_MVMUL, false, 10),
#undef TENSIX
    { "matmul 32x32x32, unpack to pack", "1000/s", measure_paths, .more_is_better = true, .ratio = 10 },
    { "NoC requests of 1 KiB, 1 tile", "million/s", measure_rate, .kind = PROGRAM_NOC, .cores = 1, .tiles = 1,
      .more_is_better = true, .ratio = 5 },
    { "NoC requests of 1 KiB, 140 tiles", "million/s", measure_rate, .kind = PROGRAM_NOC, .cores = 1, .tiles = 140,
      .more_is_better = true, .ratio = 5 },
    { "700 cores polling, beyond idle", "ns/clock", measure_waiting, PROGRAM_POLL, 5, 140, .limit = 50 },
    { "700 cores in j ., beyond idle", "ns/clock", measure_waiting, PROGRAM_SPIN, 5, 140, .limit = 50 },
    { "load, init and exit", "ms", measure_create, .limit = 2 },
    { "resident memory at rest", "MiB", measure_memory, .limit = 4 },
};

/* Several chips. With the peer, like with us, a clock is one clock for each of the chips. */
static const struct figure on_chips[] = {
    { "2 chips, idle, clock(1)", "ns/clock", measure_idle, .chips = 2, .step = 1, .ratio = 20 },
    { "2 chips, idle, clock(1000)", "ns/clock", measure_idle, .chips = 2, .step = 1000, .ratio = 50 },
    { "4 chips, idle, clock(1)", "ns/clock", measure_idle, .chips = 4, .step = 1, .ratio = 20 },
    { "4 chips, idle, clock(1000)", "ns/clock", measure_idle, .chips = 4, .step = 1000, .ratio = 50 },
#define CHIPS(what, n, unit_, kind_, c, t, first_, goal) \
    { \
        what, unit_, measure_rate, .kind = kind_, .cores = c, .tiles = t, .first = first_, .chips = n, \
                                   .more_is_better = true, .ratio = goal \
    }
    CHIPS("2 chips, 140 tiles, ALU", 2, "MIPS", PROGRAM_ALU, 5, 140, 0, 3),
    CHIPS("4 chips, 1 tile, ALU", 4, "MIPS", PROGRAM_ALU, 5, 1, 0, 3),
    CHIPS("4 chips, 140 tiles, ALU", 4, "MIPS", PROGRAM_ALU, 5, 140, 0, 3),
    CHIPS("4 chips, 140 tiles, mixed", 4, "MIPS", PROGRAM_MIXED, 5, 140, 0, 3),
    CHIPS("4 chips, 10 tiles, MVMUL", 4, "MTIPS", PROGRAM_MVMUL, 1, 10, 1, 10),
};

static const double TWICE = 1.8; /* target: how many times faster two host threads are than one */
static const struct figure on_threads[] = {
    { "RISC-V, ALU", "MIPS", measure_rate, .kind = PROGRAM_ALU, .cores = 5, .tiles = 140, .more_is_better = true },
    { "RISC-V, mixed", "MIPS", measure_rate, .kind = PROGRAM_MIXED, .cores = 5, .tiles = 140, .more_is_better = true },
    THREADS("SFPLOAD, 2 SFPMAD, SFPSTORE", 1, 140, PROGRAM_SFPU, false, 0),
    THREADS("MVMUL, 16-bit Dst", 1, 140, PROGRAM_MVMUL, false, 0),
    { "NoC requests of 1 KiB", "million/s", measure_rate, .kind = PROGRAM_NOC, .cores = 1, .tiles = 140,
      .more_is_better = true },
    CHIPS("4 chips, 140 tiles, RISC-V", 4, "MIPS", PROGRAM_ALU, 5, 140, 0, 0),
    CHIPS("4 chips, 1 tile, RISC-V", 4, "MIPS", PROGRAM_ALU, 5, 1, 0, 0),
    CHIPS("4 chips, 10 tiles, MVMUL, 16-bit", 4, "MTIPS", PROGRAM_MVMUL, 1, 10, 1, 0),
};

static int run_job(void *argument) {
    struct job *job = argument;
    return job->figure->measure(job);
}

/* The libraries that are measured, in the order of the columns. */
enum contestant { CYCLES, LOOSE, PEER, CONTESTANTS };

static const char *const timing[CONTESTANTS] = { "cycles", "loose", "" };

/* Gives our library as many chips as the figure wants, in a ring. The descriptor is a file in memory. */
static void set_system(unsigned chips) {
    static int file = -1;
    char path[64];
    unsetenv("BHEMU_SYSTEM");
    if (!chips)
        return;
    if (file >= 0)
        close(file);
    file = memfd_create("system.yaml", 0);
    dprintf(file, "chips: %u\nlinks:\n", chips);
    for (unsigned i = 0; i < chips; i++)
        dprintf(file, "  - %u.4 %u.5\n", i, (i + 1) % chips);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    setenv("BHEMU_SYSTEM", path, 1);
}

/* Runs one measurement, and keeps the best value. Returns false, after printing the reason, if it fails. */
static bool measure(enum contestant who, const char *library, const struct figure *figure, clockid_t clock, bool first,
                    double *best) {
    struct job *job = device_shared(sizeof *job);
    *job = (struct job){ .library = library, .figure = figure, .clock = clock };
    setenv("BHEMU_TIMING", timing[who], 1);
    set_system(figure->chips);
    struct device_outcome outcome = device_spawn(run_job, job, TIME_LIMIT);
    if (!outcome.ok)
        printf("%s: %s: %s\n", library, figure->name, outcome.text);
    else if (first || (figure->more_is_better ? job->value > *best : job->value < *best))
        *best = job->value;
    device_unshare(job, sizeof *job);
    return outcome.ok;
}

/* Measures all libraries in turn, so that a busy phase of the machine affects all of them. */
static bool measure_all(const struct figure *figure, const char *const library[CONTESTANTS], double best[CONTESTANTS]) {
    for (int run = 0; run < RUNS; run++)
        for (enum contestant who = 0; who < CONTESTANTS; who++)
            if (library[who] && !measure(who, library[who], figure, CLOCK_PROCESS_CPUTIME_ID, run == 0, &best[who]))
                return false;
    return true;
}

static void print_ratio(double ratio) { /* the ratio may be infinite */
    printf(ratio < 1e5 ? " %8.1fx" : "   >99999x", ratio);
}

/* Measures and prints one row of the table. Returns false if it could not be measured. */
static bool report(const struct figure *figure, const char *const library[CONTESTANTS]) {
    double best[CONTESTANTS] = { 0 }, ratio[CONTESTANTS] = { 0 };
    bool met[CONTESTANTS];
    if (!measure_all(figure, library, best)) {
        printf("%-32s %-9s failed\n", figure->name, figure->unit);
        return false;
    }
    for (enum contestant who = CYCLES; who <= LOOSE; who++) {
        ratio[who] = figure->more_is_better ? best[who] / best[PEER] : best[PEER] / best[who];
        met[who] = figure->limit > 0 ? best[who] <= figure->limit : ratio[who] >= figure->ratio;
    }
    printf("%-32s %-9s %9.2f %9.2f", figure->name, figure->unit, best[CYCLES], best[LOOSE]);
    if (library[PEER]) {
        printf(" %9.2f", best[PEER]);
        print_ratio(ratio[CYCLES]);
        print_ratio(ratio[LOOSE]);
    }
    if (figure->limit > 0)
        printf("   <= %-5g", figure->limit);
    else if (library[PEER])
        printf("   >= %gx%-*s", figure->ratio, figure->ratio < 10 ? 3 : 2, "");
    if (library[PEER] || figure->limit > 0)
        printf(" %s", met[CYCLES] ? "ok" : met[LOOSE] ? "loose" : "MISSED");
    printf("\n");
    fflush(stdout);
    return true;
}

/* Measures and prints one row of the table of two host threads. Returns false if it could not be measured. */
static bool report_threads(const struct figure *figure, const char *library) {
    static const char *const threads[] = { "1", "2" };
    double best[2][2], ratio[2]; /* by timing, then by threads */
    for (int run = 0; run < RUNS; run++)
        for (enum contestant who = CYCLES; who <= LOOSE; who++)
            for (int two = 0; two < 2; two++) {
                setenv("BHEMU_THREADS", threads[two], 1);
                if (!measure(who, library, figure, CLOCK_MONOTONIC, run == 0, &best[who][two])) {
                    printf("%-32s %-9s failed\n", figure->name, figure->unit);
                    return false;
                }
            }
    printf("%-32s %-9s", figure->name, figure->unit);
    for (enum contestant who = CYCLES; who <= LOOSE; who++) {
        ratio[who] = best[who][1] / best[who][0];
        printf(" %9.2f %9.2f %7.2fx", best[who][0], best[who][1], ratio[who]);
    }
    printf("   >= %gx %s\n", TWICE, ratio[CYCLES] >= TWICE ? "ok" : ratio[LOOSE] >= TWICE ? "loose" : "MISSED");
    fflush(stdout);
    return true;
}

/* Prints the processor: those of x86-64 have a name, those of ARM two numbers. */
static void print_machine(void) {
    char line[256] = "", model[200] = "unknown processor";
    unsigned implementer = 0, part;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "model name%*[ \t:]%199[^\n]", model) == 1)
            break;
        sscanf(line, "CPU implementer%*[ \t:]%x", &implementer);
        if (sscanf(line, "CPU part%*[ \t:]%x", &part) == 1) {
            snprintf(model, sizeof model, "ARM processor, implementer 0x%02X, part 0x%03X", implementer, part);
            break;
        }
    }
    if (file)
        fclose(file);
    printf("%s, %ld processors; compiler " __VERSION__ "\n", model, sysconf(_SC_NPROCESSORS_ONLN));
    printf("best of %d runs, CPU time, %s host thread(s)\n\n", RUNS, getenv("BHEMU_THREADS"));
}

int main(int argc, char **argv) {
    if (argc < 2 || argc > 6) {
        fprintf(stderr, "usage: bench OURS.so [PEER.so [FIGURE [PEER_X2.so [PEER_X4.so]]]]\n");
        return 2;
    }
    const char *library[CONTESTANTS] = { argv[1], argv[1], argc > 2 && *argv[2] ? argv[2] : NULL };
    const char *const peer_of[] = {
        [2] = argc > 4 && *argv[4] ? argv[4] : NULL, [4] = argc > 5 && *argv[5] ? argv[5] : NULL
    };
    const char *only = argc > 3 ? argv[3] : "";
    bool measured = true;
    for (int i = 1; i < argc; i++)
        if (i != 3 && *argv[i] && access(argv[i], R_OK)) {
            fprintf(stderr, "bench: %s: %s\n", argv[i], strerror(errno));
            return 2;
        }
    setenv("BHEMU_THREADS", "1", 0);
    print_machine();
    printf("%-32s %-9s %9s %9s", "figure", "unit", "cycles", "loose");
    printf(library[PEER] ? " %9s %9s %9s   %s\n" : "\n", "peer", "cycles", "loose", "target, met by");
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (strstr(figures[i].name, only))
            measured &= report(&figures[i], library);
    for (size_t i = 0, rows = 0; i < sizeof on_chips / sizeof *on_chips; i++) {
        if (!strstr(on_chips[i].name, only))
            continue;
        library[PEER] = peer_of[on_chips[i].chips];
        if (rows++ == 0)
            printf("\n");
        measured &= report(&on_chips[i], library);
    }
    for (size_t i = 0, rows = 0; i < sizeof on_threads / sizeof *on_threads; i++) {
        if (sysconf(_SC_NPROCESSORS_ONLN) < 2 || !strstr(on_threads[i].name, only))
            continue;
        if (rows++ == 0)
            printf("\n%-42s %9s %9s %8s %9s %9s %8s   %s\n", "all tiles, elapsed time; host threads:", "cycles, 1", "2",
                   "", "loose, 1", "2", "", "target, met by");
        measured &= report_threads(&on_threads[i], library[CYCLES]);
    }
    return measured ? 0 : 1; /* missed targets are left to human judgement: machines are noisy */
}
