/* Plays a recorded session (recorder.c) with other words in what its host wrote, and with other delays.
 *
 *     rerun LIBRARY LOG [--seeds FIRST LAST] [--vary DELAYS] [--check FILE] [--clocks MOST] [--ignore RECORD]...
 *           [RECORD:OFFSET=WORD]...
 *
 * A run is the same if the host reads what it read then. Reads of at most 64 bytes are polls: of several ones at a
 * place that the host does not write in between only the last counts, and time passes, MOST clocks altogether (20000),
 * until it gives what it gave then. Larger reads are compared; --ignore leaves out the one that is so many records from
 * the start of the log. OFFSET is the place of a word in the data of the write with that number; both of them are
 * decimal, and WORD is hexadecimal.
 *
 * There is a run for each seed (BHEMU_VARY; 0: no delays), each in a process of its own, until one is not the same, or
 * one run with these DELAYS. The default is one without delays. With --check, reports go to FILE. Prints a line for the
 * last run:
 *
 *     seed SEED same | differs: ... | no end: ... | ended: ...
 *
 * and ends with 0 if all runs were the same, with 1 if not, with 2 for wrong arguments or a bad log.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session_log.h"
#include "support/ttsim.h"

enum { POLL_BYTES = 64, STEP = 64, SAME = 0, DIFFERS = 40, NO_END };

struct step {
    struct session_record record;
    uint64_t number; /* in the log, from 1 */
    enum { PLAY, SKIP, POLL } how;
    uint64_t windows; /* a name for what the host's windows show */
};

static struct rerun {
    struct ttsim ttsim;
    struct step *step;
    size_t count, room;
    uint64_t most, waited;
    const char *check, *delays;
    unsigned first, last;
    int text; /* what a run prints */
    bool running;
} rerun = { .most = 20000 };

__attribute__((noreturn, format(printf, 1, 2))) static void die(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("rerun: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(2);
}

static void *grown(void *old, size_t size) {
    void *at = realloc(old, size ? size : 1);
    if (!at)
        die("out of memory");
    return at;
}

/* ---- The log -------------------------------------------------------------------------------------------------- */

static void read_log(const char *path) {
    struct session_reader reader;
    struct session_record record;
    FILE *file = fopen(path, "rb");
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size <= 0)
        die("%s cannot be read", path);
    rewind(file);
    void *log = grown(NULL, (size_t)size);
    if (fread(log, 1, (size_t)size, file) != (size_t)size)
        die("%s cannot be read", path);
    fclose(file);
    enum session_state state = session_open(&reader, log, (size_t)size, SESSION_LIMIT);
    while (state == SESSION_MORE && (state = session_next(&reader, &record)) == SESSION_MORE) {
        if (rerun.count == rerun.room)
            rerun.step = grown(rerun.step, (rerun.room = 2 * rerun.room + 256) * sizeof *rerun.step);
        if (record.size) {
            void *data = grown(NULL, record.size);
            memcpy(data, record.data, record.size);
            record.data = data;
        }
        rerun.step[rerun.count++] = (struct step){ record, reader.records, PLAY, 0 };
    }
    if (state == SESSION_BAD)
        die("%s: %s", path, reader.error);
    session_close(&reader);
    free(log);
}

/* ---- Polls ---------------------------------------------------------------------------------------------------- */

/* The registers of the host's windows, from BAR 0 on. */
enum { WINDOW_REGISTERS = 0x1FC00000, WINDOW_BYTES = 0x1000 };

static uint64_t bar0(void) {
    uint64_t base = 0;
    for (size_t i = 0; i < rerun.count; i++) {
        const struct session_record *r = &rerun.step[i].record;
        if (r->kind == SESSION_CONFIG_READ && r->number[1] == 0x10)
            base = (base & ~UINT64_C(0xFFFFFFFF)) | (r->number[2] & 0xFFFFFFF0);
        else if (r->kind == SESSION_CONFIG_READ && r->number[1] == 0x14)
            base = (base & 0xFFFFFFFF) | r->number[2] << 32;
    }
    return base;
}

static bool moves_window(const struct session_record *r, uint64_t base) {
    return r->kind == SESSION_WRITE && r->number[0] - base - WINDOW_REGISTERS < WINDOW_BYTES;
}

/* Each step gets a name for what all windows show: reads of one bus address are of the same bytes if they have the
 * same. */
static void name_windows(uint64_t base) {
    static uint64_t word[WINDOW_BYTES / 4];
    uint64_t sum = 0;
    for (size_t i = 0; i < rerun.count; i++) {
        const struct session_record *r = &rerun.step[i].record;
        for (uint32_t at = 0; moves_window(r, base) && at + 4 <= r->size; at += 4) {
            uint64_t index = (r->number[0] - base - WINDOW_REGISTERS + at) / 4 % (WINDOW_BYTES / 4);
            uint32_t value;
            memcpy(&value, r->data + at, sizeof value);
            sum -= word[index];
            word[index] = (value + 1 + (index << 40)) * UINT64_C(0x9E3779B97F4A7C15);
            sum += word[index];
        }
        rerun.step[i].windows = sum;
    }
}

static bool is_read(const struct session_record *r) {
    return r->kind == SESSION_READ || r->kind == SESSION_TILE_READ;
}

static bool same_place(const struct step *a, const struct step *b) {
    return a->record.kind == b->record.kind && a->record.size == b->record.size && a->windows == b->windows &&
           memcmp(a->record.number, b->record.number, sizeof a->record.number) == 0;
}

/* Of a row of polls the last one counts; a write, other than one that moves a window, ends the row. */
static void find_polls(uint64_t base) {
    for (size_t i = 0; i < rerun.count; i++) {
        struct step *last = &rerun.step[i];
        if (!is_read(&last->record) || last->record.size > POLL_BYTES || last->how != PLAY)
            continue;
        for (size_t k = i + 1; k < rerun.count; k++) {
            struct step *later = &rerun.step[k];
            enum session_kind kind = later->record.kind;
            if (kind == SESSION_TILE_WRITE || (kind == SESSION_WRITE && !moves_window(&later->record, base)))
                break;
            if (same_place(last, later)) {
                last->how = SKIP;
                last = later;
            }
        }
        last->how = POLL;
    }
}

/* ---- A run ---------------------------------------------------------------------------------------------------- */

/* The process of a run: only its status and what it has printed come back. The library writes its report at exit. */
__attribute__((noreturn, format(printf, 2, 3))) static void end_run(int status, const char *format, ...) {
    va_list args;
    char text[200];
    if (rerun.running)
        rerun.ttsim.exit();
    va_start(args, format);
    int size = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (ftruncate(rerun.text, 0) != 0 || pwrite(rerun.text, text, (size_t)size, 0) < 0)
        status = 2;
    _Exit(status);
}

/* Host memory: what the library reads is what it read in these calls then; what it writes is not looked at. */
static const struct step *playing;

static void host_read(uint64_t address, void *data, uint32_t size) {
    memset(data, 0, size);
    for (const struct step *step = playing;
         step > rerun.step && (step[-1].record.kind == SESSION_HOST_READ || step[-1].record.kind == SESSION_HOST_WRITE);
         step--) {
        const struct session_record *r = &step[-1].record;
        for (uint32_t i = 0; r->kind == SESSION_HOST_READ && i < size; i++)
            if (address + i - r->number[0] < r->size)
                ((uint8_t *)data)[i] = r->data[address + i - r->number[0]];
    }
}

static void host_write(uint64_t address, const void *data, uint32_t size) {
    (void)address, (void)data, (void)size;
}

static void read_back(const struct session_record *r, uint8_t *data) {
    memset(data, 0, r->size);
    if (r->kind == SESSION_READ)
        rerun.ttsim.read(r->number[0], data, r->size);
    else
        rerun.ttsim.tile_read((uint32_t)r->number[0], (uint32_t)r->number[1], r->number[2], data, r->size);
}

static void compare(const struct step *step) {
    const struct session_record *r = &step->record;
    uint8_t *data = grown(NULL, r->size);
    read_back(r, data);
    while (step->how == POLL && memcmp(data, r->data, r->size) != 0 && rerun.waited < rerun.most) {
        rerun.ttsim.clock(STEP);
        rerun.waited += STEP;
        read_back(r, data);
    }
    for (uint32_t i = 0; i < r->size; i++)
        if (data[i] != r->data[i])
            end_run(step->how == POLL ? NO_END : DIFFERS,
                    "%s: byte %" PRIu32 " of %" PRIu32 " of record %" PRIu64 " is 0x%02x, was 0x%02x",
                    step->how == POLL ? "no end" : "differs", i, r->size, step->number, data[i], r->data[i]);
    free(data);
}

static void play(const struct step *step) {
    const struct session_record *r = &step->record;
    playing = step;
    switch (r->kind) {
    case SESSION_INIT:
        rerun.ttsim.init();
        rerun.running = true;
        break;
    case SESSION_EXIT:
        rerun.ttsim.exit();
        rerun.running = false;
        break;
    case SESSION_CLOCK: rerun.ttsim.clock((uint32_t)r->number[0]); break;
    case SESSION_CONFIG_READ: rerun.ttsim.config_read((uint32_t)r->number[0], (uint32_t)r->number[1]); break;
    case SESSION_CONFIG_WRITE:
        rerun.ttsim.config_write((uint32_t)r->number[0], (uint32_t)r->number[1], (uint32_t)r->number[2]);
        break;
    case SESSION_READ:
    case SESSION_TILE_READ: compare(step); break;
    case SESSION_WRITE: rerun.ttsim.write(r->number[0], r->data, r->size); break;
    case SESSION_TILE_WRITE:
        rerun.ttsim.tile_write((uint32_t)r->number[0], (uint32_t)r->number[1], r->number[2], r->data, r->size);
        break;
    case SESSION_CALLBACKS:
        rerun.ttsim.callbacks(r->number[0] & 1 ? host_read : NULL, r->number[0] & 2 ? host_write : NULL);
        break;
    default: break;
    }
}

__attribute__((noreturn)) static void run(unsigned seed) {
    char number[16];
    snprintf(number, sizeof number, "%u", seed);
    setenv("BHEMU_VARY", rerun.delays ? rerun.delays : number, 1);
    if (rerun.check)
        setenv("BHEMU_CHECK", rerun.check, 1);
    else
        unsetenv("BHEMU_CHECK");
    dup2(rerun.text, STDOUT_FILENO);
    dup2(rerun.text, STDERR_FILENO);
    for (size_t i = 0; i < rerun.count; i++)
        if (rerun.step[i].how != SKIP)
            play(&rerun.step[i]);
    end_run(SAME, "same");
}

/* Returns whether the run was the same; prints its line if it was not, or if it is the last. */
static bool one_run(unsigned seed, bool last) {
    char text[400] = "";
    int status;
    if (ftruncate(rerun.text, 0) != 0 || lseek(rerun.text, 0, SEEK_SET) != 0)
        die("a run's text cannot be kept");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        run(seed);
    if (child < 0 || waitpid(child, &status, 0) != child)
        die("no process for a run");
    ssize_t got = pread(rerun.text, text, sizeof text - 1, 0);
    text[got > 0 ? got : 0] = 0;
    bool same = WIFEXITED(status) && WEXITSTATUS(status) == SAME && strcmp(text, "same") == 0;
    if (same && !last)
        return true;
    const char *line = strstr(text, "ERROR: "); /* the library's own words, if it has ended the process */
    line = line ? line : text;
    text[(size_t)(line - text) + strcspn(line, "\n")] = 0;
    bool told = same || (WIFEXITED(status) && (WEXITSTATUS(status) == DIFFERS || WEXITSTATUS(status) == NO_END));
    printf("seed %u %s%s\n", seed, told ? "" : "ended: ", line);
    return same;
}

/* ---- Arguments ------------------------------------------------------------------------------------------------ */

static struct step *step_of(uint64_t number) {
    if (number == 0 || number > rerun.count)
        die("there is no record %" PRIu64, number);
    return &rerun.step[number - 1];
}

static void change(const char *text) {
    uint64_t number;
    uint32_t offset, word;
    int end = 0;
    if (sscanf(text, "%" SCNu64 ":%" SCNu32 "=%" SCNx32 "%n", &number, &offset, &word, &end) != 3 || text[end])
        die("%s is not RECORD:OFFSET=WORD", text);
    const struct session_record *r = &step_of(number)->record;
    if ((r->kind != SESSION_WRITE && r->kind != SESSION_TILE_WRITE) || r->size < 4 || offset > r->size - 4)
        die("%s: record %" PRIu64 " is a %s of %" PRIu32 " bytes", text, number, session_kind_name(r->kind), r->size);
    memcpy((uint8_t *)(uintptr_t)r->data + offset, &word, sizeof word);
}

static unsigned number_of(const char *text) {
    char *end;
    unsigned long number = text ? strtoul(text, &end, 10) : 0;
    if (!text || !*text || *end || number > UINT32_MAX)
        die("%s is not a number", text ? text : "nothing");
    return (unsigned)number;
}

int main(int argc, char **argv) {
    if (argc < 3)
        die("usage: rerun LIBRARY LOG [--seeds FIRST LAST] [--vary DELAYS] [--check FILE] [--clocks MOST] "
            "[--ignore RECORD]... [RECORD:OFFSET=WORD]...");
    read_log(argv[2]);
    uint64_t base = bar0();
    name_windows(base);
    find_polls(base);
    for (char **at = argv + 3; *at; at++) {
        if (strcmp(*at, "--seeds") == 0 && at[1]) {
            rerun.first = number_of(*++at);
            rerun.last = at[1] ? number_of(*++at) : rerun.first;
        } else if (strcmp(*at, "--vary") == 0 && at[1]) {
            rerun.delays = *++at;
        } else if (strcmp(*at, "--check") == 0 && at[1]) {
            rerun.check = *++at;
        } else if (strcmp(*at, "--clocks") == 0 && at[1]) {
            rerun.most = number_of(*++at);
        } else if (strcmp(*at, "--ignore") == 0 && at[1]) {
            step_of(number_of(*++at))->how = SKIP;
        } else {
            change(*at);
        }
    }
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library)
        die("%s", dlerror());
    const char *missing = ttsim_find(library, &rerun.ttsim);
    if (missing)
        die("%s has no %s", argv[1], missing);
    FILE *text = tmpfile();
    if (!text)
        die("no temporary file");
    rerun.text = fileno(text);
    bool same = true;
    for (unsigned seed = rerun.first; same && seed <= rerun.last; seed++)
        same = one_run(seed, seed == rerun.last);
    return same ? 0 : 1;
}
