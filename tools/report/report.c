/* The end of a run: see report.h. A few cores are listed one by one, many are counted by state. */
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/inside.h"
#include "machine/ranks.h"
#include "text/json.h"
#include "report/hazards.h"
#include "report/landmarks.h"
#include "text/options.h"
#include "report/profile.h"
#include "report/stats.h"

#define LIST_MAX 16 /* most cores that are listed one by one */

#define STATE_COUNT 6

/* An iterator over every core that is out of reset, in the order of tiles. Its function returns false past the last. */
struct walk {
    const struct machine *machine;
    unsigned tile, core; /* the core to look at next */
    struct bh_xy xy;
    enum bh_core id;
    struct bh_core_info info;
};

static bool walk_next(struct walk *w) {
    const struct machine *m = w->machine;
    while (w->tile < machine_core_tiles(m)) {
        w->xy = machine_core_tile(m, w->tile);
        w->id = (enum bh_core)w->core;
        if (++w->core == BH_CORE_COUNT) {
            w->core = 0;
            w->tile++;
        }
        if (bh_core_query(m->chip, w->xy, w->id, &w->info) == BH_OK && w->info.state != BH_CORE_IN_RESET)
            return true;
    }
    return false;
}

struct totals {
    uint64_t cores, instructions;
    uint64_t by_state[STATE_COUNT];
    uint64_t by_core[CORE_KINDS][STATE_COUNT];
};

static struct totals count_all(const struct machine *m) {
    struct totals t = { 0 };
    for (struct walk w = { .machine = m }; walk_next(&w);) {
        t.cores++;
        t.instructions += w.info.retired;
        t.by_state[w.info.state]++;
        t.by_core[core_kind(m->chip, w.xy, w.id)][w.info.state]++;
    }
    return t;
}

static const char *where(const struct machine *m, struct bh_xy tile, enum bh_core core, uint32_t pc, char *text,
                         size_t size) {
    const struct program *program = machine_program(m, tile, core, &pc);
    return program_where(program, pc, text, size);
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* Prints where the word that made a Tensix thread fault comes from: normally from the program of the thread's TRISC. */
static void pushed_by(const struct machine *m, const struct bh_fault *fault) {
    char position[200] = "";
    if (fault->thread < 0)
        return;
    where(m, fault->tile, (enum bh_core)(BH_TRISC0 + fault->thread), fault->pc, position, sizeof position);
    if (*position)
        fprintf(stderr, "    pushed at %08x  #%s\n", fault->pc, position);
}

/* Prints a hint if a request went to a tile that is harvested on this board but live on another: the program may be for
 * that board. */
static void other_board(const struct machine *m, const struct bh_fault *fault) {
    const char *names = strstr(fault->text, " names (");
    unsigned x, y;
    if (!names || !strstr(fault->text, "harvested") || sscanf(names, " names (%u,%u)", &x, &y) != 2)
        return;
    const struct bh_xy tile = { (uint8_t)x, (uint8_t)y };
    const char *other = machine_other_board(m, board_has_tile, &tile);
    if (other)
        fprintf(stderr, "    wrong board? This is a %s; a %s has (%u,%u)\n", board_name(m->config.board), other, x, y);
}

static void fault_text(const struct machine *m, const struct bh_fault *fault) {
    char disassembly[BH_INSTRUCTION_TEXT], position[200] = "";
    fputs("fault on ", stderr);
    if (m->system_name)
        fprintf(stderr, "chip %u, ", m->number);
    fprintf(stderr, "tile %u,%u: %s\n", fault->tile.x, fault->tile.y, fault->text);
    other_board(m, fault);
    if (fault->core < 0) {
        pushed_by(m, fault);
        return;
    }
    bh_disassemble(fault->pc, fault->insn, disassembly, sizeof disassembly);
    where(m, fault->tile, (enum bh_core)fault->core, fault->pc, position, sizeof position);
    fprintf(stderr, "    %08x  %08x  %s%s%s\n", fault->pc, fault->insn, disassembly, *position ? "  #" : "", position);
}

static bool same_fault(const struct seen_fault *a, const struct seen_fault *b) {
    return a->expected == b->expected && a->fault.kind == b->fault.kind && a->fault.core == b->fault.core &&
           a->fault.thread == b->fault.thread && a->fault.pc == b->fault.pc &&
           strcmp(a->fault.text, b->fault.text) == 0;
}

static size_t first_like(const struct machine *m, size_t index) {
    size_t first = 0;
    while (!same_fault(&m->faults[first], &m->faults[index]))
        first++;
    return first;
}

/* Prints a fault once if it has occurred on many tiles. */
void report_faults(const struct machine *m) {
    size_t shown = 0, left = machine_unexpected(m);
    for (size_t i = 0; i < m->fault_count && shown < LIST_MAX; i++) {
        size_t alike = 0;
        if (m->faults[i].expected || first_like(m, i) != i)
            continue;
        for (size_t j = i + 1; j < m->fault_count; j++)
            alike += same_fault(&m->faults[i], &m->faults[j]);
        fault_text(m, &m->faults[i].fault);
        if (alike)
            fprintf(stderr, "    and the same on %zu more tile%s\n", alike, alike == 1 ? "" : "s");
        shown++;
        left -= alike + 1;
    }
    if (left)
        fprintf(stderr, "... and %zu more faults\n", left);
}

/* Returns the library's report about waiting agents, or NULL if nothing waits. The caller frees it. */
static char *who_waits(const struct machine *m) {
    size_t size = bh_report(m->chip, NULL, 0);
    char *text = size ? malloc(size + 1) : NULL;
    if (text)
        bh_report(m->chip, text, size + 1);
    return text;
}

/* Puts what the library's report says of the cable of a core's tile. */
static void put_cable(const struct walk *w, FILE *out) {
    char start[40];
    char *text = w->machine->system_name ? who_waits(w->machine) : NULL;
    snprintf(start, sizeof start, "tile %u,%u: %s at ", w->xy.x, w->xy.y,
             bh_core_name_at(w->machine->chip, w->xy, w->id));
    char *line = text ? strstr(text, start) : NULL;
    if (line)
        line[strcspn(line, "\n")] = '\0';
    const char *cable = line ? strstr(line, "; its cable ") : NULL;
    if (cable)
        fprintf(out, "%s", cable);
    free(text);
}

static void core_line(const struct walk *w, FILE *out) {
    char position[200], cycle[GROUPED_SIZE], count[GROUPED_SIZE], name[12];
    uint32_t a0 = 0;
    snprintf(name, sizeof name, "%u,%u", w->xy.x, w->xy.y);
    bh_core_get(w->machine->chip, w->xy, w->id, BH_REG_X0 + 10, &a0);
    fprintf(out, "  %-6s %-7s %-8s %14s  %14s  0x%08x  0x%08x%s\n", name,
            bh_core_name_at(w->machine->chip, w->xy, w->id), state_name(w->info.state), grouped(w->info.cycle, cycle),
            grouped(w->info.retired, count), a0, w->info.pc,
            where(w->machine, w->xy, w->id, w->info.pc, position, sizeof position));
    bool waits = w->info.state == BH_CORE_BLOCKED || w->info.state == BH_CORE_POLLING;
    if (!waits || !w->info.waits_on || !*w->info.waits_on)
        return;
    fprintf(out, "         waiting: %s", w->info.waits_on);
    if (w->info.waits_at) {
        landmark_of(w->machine, w->xy, w->info.waits_at, position, sizeof position);
        fprintf(out, " (0x%08x%s%s)", w->info.waits_at, *position ? ": " : "", position);
    }
    put_cable(w, out);
    fprintf(out, "\n");
}

static void list_cores(const struct machine *m, FILE *out, unsigned states) {
    unsigned shown = 0, left = 0;
    for (struct walk w = { .machine = m }; walk_next(&w);) {
        if (!(states >> w.info.state & 1))
            continue;
        if (shown == 0)
            fprintf(out, "  %-6s %-7s %-8s %14s  %14s  %-10s  %s\n", "tile", "core", "state", "cycle", "instructions",
                    "a0", "pc");
        if (shown++ < LIST_MAX)
            core_line(&w, out);
        else
            left++;
    }
    if (left)
        fprintf(out, "  ... and %u more\n", left);
}

void report_tile(const struct machine *m, struct bh_xy tile, FILE *out) {
    for (struct walk w = { .machine = m }; walk_next(&w);)
        if (w.xy.x == tile.x && w.xy.y == tile.y)
            core_line(&w, out);
}

static void count_cores(const struct totals *t) {
    for (unsigned kind = 0; kind < CORE_KINDS; kind++)
        for (unsigned state = 0; state < STATE_COUNT; state++)
            if (t->by_core[kind][state])
                printf("  %llu x %s %s\n", (unsigned long long)t->by_core[kind][state], core_kind_name(kind),
                       state_name(state));
}

enum outcome { FAULTED, INTERRUPTED, ASTRAY, DEADLOCK, LIMIT, UNEXPECTED, DONE };

static enum outcome outcome_of(const struct machine *m) {
    if (machine_unexpected(m))
        return FAULTED;
    if (m->interrupted)
        return INTERRUPTED;
    if (m->astray)
        return ASTRAY;
    if (m->deadlock && !m->expectation_failed)
        return DEADLOCK;
    if (m->limit_reached)
        return LIMIT;
    return m->expectation_failed ? UNEXPECTED : DONE;
}

const char *report_outcome(const struct machine *m) {
    static const char *const words[] = { "fault", "interrupted",        "unknown state", "deadlock",
                                         "limit", "expectation failed", "done" };
    return words[outcome_of(m)];
}

static void time_line(const struct machine *m, const struct totals *t) {
    double seconds = m->seconds > 1e-9 ? m->seconds : 1e-9;
    printf("host: %.3f s, %.1f million instructions a second, ", m->seconds, (double)t->instructions / seconds * 1e-6);
    if (m->config.threads)
        printf("%u thread%s\n", m->config.threads, m->config.threads > 1 ? "s" : "");
    else
        printf("threads as the host has processors\n");
}

static const char *headline(const struct machine *m) {
    static const char *const words[] = { "stopped by a fault", "interrupted", "unknown state", "deadlock", "cut off",
                                         "not as expected",    "done" };
    return words[outcome_of(m)];
}

static void text_body(const struct machine *m, const struct totals *t) {
    char cycles[GROUPED_SIZE], instructions[GROUPED_SIZE];
    unsigned unfinished = 1u << BH_CORE_POLLING | 1u << BH_CORE_BLOCKED;
    printf("%s after %s %s: %llu core%s, %s instruction%s\n", headline(m), grouped(bh_cycle(m->chip), cycles),
           machine_cycles(m), (unsigned long long)t->cores, t->cores == 1 ? "" : "s",
           grouped(t->instructions, instructions), t->instructions == 1 ? "" : "s");
    if (t->cores <= LIST_MAX) {
        list_cores(m, stdout, ~0u);
    } else {
        if (m->limit_reached || m->interrupted)
            unfinished |= 1u << BH_CORE_RUNNING;
        count_cores(t);
        list_cores(m, stdout, unfinished);
    }
    bool ended = !m->limit_reached && !m->interrupted; /* otherwise a unit or an expander may still be at work */
    if (t->by_state[BH_CORE_BLOCKED] && !t->by_state[BH_CORE_RUNNING] && !m->deadlock && ended)
        printf("blocked cores wait for what nobody is left to do\n");
}

/* Returns whether a line of the library's report, "tile X,Y: ...", is about a thread (T0, T1, T2) rather than a
 * core. */
static bool is_about_thread(const char *line) {
    const char *who = strstr(line, ": ");
    return who && who[2] == 'T' && who[3] >= '0' && who[3] <= '2';
}

void report_waiting(const struct machine *m, bool cores) {
    char *text = who_waits(m), *rest = NULL;
    unsigned shown = 0, left = 0;
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
        if (!cores && !is_about_thread(line))
            continue;
        if (shown++ >= LIST_MAX) {
            left++;
            continue;
        }
        if (m->system_name)
            fprintf(stderr, "  chip %u, %s\n", m->number, line);
        else
            fprintf(stderr, "  %s\n", line);
    }
    if (left)
        fprintf(stderr, "  ... and %u more lines\n", left);
    free(text);
}

/* Lists the executed instructions in the order of the tables. */
static void list_coverage(const struct machine *m) {
    struct bh_coverage row;
    printf("instructions that were run, and how many words of each:\n");
    for (unsigned i = 0; bh_coverage_at(m->chip, i, &row) == BH_OK; i++)
        if (row.words)
            printf("  %-16s %8llu\n", row.name, (unsigned long long)row.words);
}

static void json_coverage(struct json *j, const struct machine *m) {
    struct bh_coverage row;
    json_open(j, "coverage", '{');
    for (unsigned i = 0; bh_coverage_at(m->chip, i, &row) == BH_OK; i++)
        if (row.words)
            json_number(j, row.name, row.words);
    json_close(j, '}');
}

void report_text(const struct machine *m, bool time) {
    struct totals t = count_all(m);
    char cycles[GROUPED_SIZE];
    fflush(stdout);
    report_faults(m);
    if (m->limit_reached) {
        unsigned long long running = t.by_state[BH_CORE_RUNNING];
        fprintf(stderr, "bhemu run: the limit of %s %s is reached with %llu core%s still running\n",
                grouped(m->max_cycles, cycles), machine_cycles(m), running, running == 1 ? "" : "s");
        if (m->quiet)
            list_cores(m, stderr, 1u << BH_CORE_RUNNING);
        report_waiting(m, true);
    }
    if (m->deadlock && (!m->system_name || bh_report(m->chip, NULL, 0))) {
        fprintf(stderr, "bhemu run: deadlock: nobody is left to do what these wait for\n");
        report_waiting(m, true);
    }
    if (!m->quiet)
        text_body(m, &t);
    if (m->coverage)
        list_coverage(m);
    if (m->summary)
        stats_summary(m, true);
    if (m->stats)
        stats_text(m);
    if (m->profile)
        profile_text(m);
    if (time)
        time_line(m, &t);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

void report_json_xy(struct json *j, struct bh_xy tile) {
    char text[12];
    snprintf(text, sizeof text, "%u,%u", tile.x, tile.y);
    json_string(j, "tile", text);
}

static void json_where(struct json *j, const struct machine *m, struct bh_xy tile, enum bh_core core, uint32_t pc) {
    uint32_t at = pc;
    const struct program *program = machine_program(m, tile, core, &at);
    json_number(j, "pc", pc);
    program_json(j, program, at, true);
}

static void json_core(struct json *j, const struct walk *w) {
    char name[200];
    uint32_t a0 = 0;
    json_open_line(j, NULL, '{');
    report_json_xy(j, w->xy);
    json_string(j, "core", bh_core_name_at(w->machine->chip, w->xy, w->id));
    json_string(j, "state", state_name(w->info.state));
    json_number(j, "cycle", w->info.cycle);
    json_number(j, "instructions", w->info.retired);
    if (bh_core_get(w->machine->chip, w->xy, w->id, BH_REG_X0 + 10, &a0) == BH_OK)
        json_number(j, "a0", a0);
    if (w->info.waits_on && *w->info.waits_on)
        json_string(j, "waits_on", w->info.waits_on);
    if (w->info.waits_at)
        json_number(j, "waits_at", w->info.waits_at);
    if (w->info.waits_at && *landmark_of(w->machine, w->xy, w->info.waits_at, name, sizeof name))
        json_string(j, "waits_at_name", name);
    json_where(j, w->machine, w->xy, w->id, w->info.pc);
    json_close_line(j, '}');
}

static void json_cores(struct json *j, const struct machine *m) {
    json_open(j, "cores", '[');
    for (struct walk w = { .machine = m }; walk_next(&w);)
        json_core(j, &w);
    json_close(j, ']');
}

void report_json_tile(struct json *j, const struct machine *m, struct bh_xy tile) {
    for (struct walk w = { .machine = m }; walk_next(&w);)
        if (w.xy.x == tile.x && w.xy.y == tile.y)
            json_core(j, &w);
}

/* Writes a pushed word as the .ttinsn instruction that may have pushed it. Words from 0xC0000000 on have no such
 * instruction. */
static void pushed_text(uint32_t word, char *text, size_t size) {
    if (word >> 30 == 3)
        snprintf(text, size, ".word 0x%08x", word);
    else
        bh_disassemble(0, word << 2 | word >> 30, text, size);
}

static void json_fault(struct json *j, const struct machine *m, const struct seen_fault *seen) {
    const struct bh_fault *fault = &seen->fault;
    char disassembly[BH_INSTRUCTION_TEXT];
    json_open_line(j, NULL, '{');
    report_json_xy(j, fault->tile);
    json_string(j, "kind", bh_fault_kind_text(fault->kind));
    json_string(j, "text", fault->text);
    json_number(j, "cycle", fault->cycle);
    json_number(j, "address", fault->address);
    json_bool(j, "expected", seen->expected);
    if (fault->thread >= 0) {
        pushed_text(fault->insn, disassembly, sizeof disassembly);
        json_number(j, "thread", (uint64_t)fault->thread);
        json_number(j, "word", fault->insn);
        json_string(j, "instruction", disassembly);
        json_where(j, m, fault->tile, (enum bh_core)(BH_TRISC0 + fault->thread), fault->pc);
    }
    if (fault->core >= 0) {
        bh_disassemble(fault->pc, fault->insn, disassembly, sizeof disassembly);
        json_string(j, "core", bh_core_name_at(m->chip, fault->tile, (enum bh_core)fault->core));
        json_number(j, "word", fault->insn);
        json_string(j, "instruction", disassembly);
        json_where(j, m, fault->tile, (enum bh_core)fault->core, fault->pc);
    }
    json_close_line(j, '}');
}

void report_json_faults(struct json *j, const struct machine *m) {
    json_open(j, "faults", '[');
    for (size_t i = 0; i < m->fault_count; i++)
        json_fault(j, m, &m->faults[i]);
    json_close(j, ']');
}

static void json_waiting(struct json *j, const struct machine *m) {
    char *text = who_waits(m), *rest = NULL;
    if (!text)
        return;
    json_open(j, "waiting", '[');
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        json_string(j, NULL, line);
    json_close(j, ']');
    free(text);
}

static void json_bytes(struct json *j, const struct finding *f) {
    json_number(j, "address", f->address);
    json_number(j, "size", f->size);
    if (f->action->kind == ACTION_PRINT)
        json_string_n(j, "text", (const char *)f->data, f->size);
    else if (f->action->file.n)
        json_string_n(j, "file", f->action->file.p, f->action->file.n);
    else
        json_hex(j, "data", f->data, f->size);
}

static void json_findings(struct json *j, const struct machine *m) {
    json_open(j, "dumps", '[');
    for (size_t i = 0; i < m->finding_count; i++) {
        const struct finding *f = &m->findings[i];
        if (f->action->kind != ACTION_DUMP && f->action->kind != ACTION_PRINT)
            continue;
        json_open_line(j, NULL, '{');
        report_json_xy(j, f->tile);
        if (f->inside)
            inside_json(j, f->inside);
        else
            json_bytes(j, f);
        json_close_line(j, '}');
    }
    json_close(j, ']');
}

static void json_expectations(struct json *j, const struct machine *m) {
    json_open(j, "expectations", '[');
    for (size_t i = 0; i < m->finding_count; i++) {
        const struct finding *f = &m->findings[i];
        if (f->action->kind == ACTION_DUMP || f->action->kind == ACTION_PRINT)
            continue;
        json_open_line(j, NULL, '{');
        json_number(j, "line", f->action->line);
        report_json_xy(j, f->tile);
        json_bool(j, "met", !f->failed);
        json_close_line(j, '}');
    }
    json_close(j, ']');
}

/* Writes the members that every report has. */
static void json_head(struct json *j, const struct machine *m, const char *layout) {
    json_string(j, "version", bh_version());
    if (!m->system_name) /* the boards of a system are in its description */
        json_string(j, "board", board_name(m->config.board));
    if (layout)
        json_string(j, "layout", layout);
    json_string(j, "outcome", report_outcome(m));
    json_number(j, "status", (uint64_t)report_status(m));
    json_string(j, "timing", timing_name(m->config.timing));
    json_number(j, "cycles", bh_cycle(m->chip));
}

void report_json_begin(struct json *j, const struct machine *m, const char *layout) {
    json_init(j, stdout);
    json_open(j, NULL, '{');
    json_head(j, m, layout);
}

/* Writes how the run ended. */
static void json_end_of_run(struct json *j, const struct machine *m) {
    struct totals t = count_all(m);
    json_number(j, "instructions", t.instructions);
    json_cores(j, m);
    report_json_faults(j, m);
    json_waiting(j, m);
    inside_json_threads(j, m);
}

void report_json_page(struct json *j, const struct machine *m) {
    json_head(j, m, NULL);
    json_end_of_run(j, m);
    stats_json(j, m);
    profile_json(j, m);
    hazards_json(j, m);
}

/* Writes everything about a chip except the head. */
static void json_rest(struct json *j, const struct machine *m) {
    json_end_of_run(j, m);
    json_findings(j, m);
    json_expectations(j, m);
    if (m->coverage)
        json_coverage(j, m);
    if (m->stats || m->summary)
        stats_json(j, m);
    if (m->profile)
        profile_json(j, m);
    hazards_json(j, m);
}

void report_json(const struct machine *m) {
    struct json j;
    report_json_begin(&j, m, NULL);
    json_rest(&j, m);
    json_close(&j, '}');
    json_end(&j);
}

int report_status(const struct machine *m) {
    if (machine_unexpected(m) || m->expectation_failed)
        return EXIT_FAULT;
    if (m->interrupted)
        return EXIT_INTERRUPTED;
    if (m->deadlock || m->astray)
        return EXIT_DEADLOCK;
    if (m->limit_reached)
        return EXIT_LIMIT;
    return hazards_have_race(m) ? EXIT_RACE : EXIT_DONE;
}

/* ---- Systems ---------------------------------------------------------------------------------- */

/* A query for the cores of a chip that was never used would initialise all of its tiles: such chips are left out. */
bool report_has_something(const struct machine *m) {
    return m->image_count || m->fault_count || m->finding_count || m->restore;
}

static void list_links(const struct machine *m) {
    struct bh_link link;
    struct bh_link_stats stats;
    for (unsigned i = 0; bh_system_link_at(m->system, i, &link) == BH_OK; i++) {
        char frames[2][GROUPED_SIZE], bytes[2][GROUPED_SIZE];
        if (bh_system_link_stats(m->system, i, &stats) != BH_OK || !(stats.frames[0] + stats.frames[1]))
            continue;
        printf("link %u.%u - %u.%u %s: %s frames (%s bytes) there, %s frames (%s bytes) back\n", link.chip[0],
               link.port[0], link.chip[1], link.port[1], stats.up ? "up" : "down", grouped(stats.frames[0], frames[0]),
               grouped(stats.bytes[0], bytes[0]), grouped(stats.frames[1], frames[1]),
               grouped(stats.bytes[1], bytes[1]));
    }
}

int report_system(struct machine *m, bool time) {
    int status = report_status(m);
    if (m->ranks)
        ranks_keep(m);
    for (unsigned i = 0; i <= m->other_count; i++) {
        const struct machine *chip = i ? &m->others[i - 1] : m;
        if (!chip->chip || !report_has_something(chip))
            continue;
        if (!m->quiet)
            printf("chip %u: ", i);
        else if (m->coverage || m->summary || m->profile)
            printf("chip %u\n", i);
        report_text(chip, time && i == 0);
        status = status ? status : report_status(chip);
    }
    if (m->ranks && !ranks_show(m, &status))
        return EXIT_USAGE;
    if (!m->quiet && bh_system_chip(m->system, 0))
        list_links(m);
    return status;
}

/* Writes the report of a chip; only its number if the chip was not used. */
static void json_chip(struct json *j, const struct machine *m) {
    if (!report_has_something(m)) {
        json_open_line(j, NULL, '{');
        json_number(j, "chip", m->number);
        json_close_line(j, '}');
        return;
    }
    json_open(j, NULL, '{');
    json_number(j, "chip", m->number);
    json_string(j, "outcome", report_outcome(m));
    json_number(j, "status", (uint64_t)report_status(m));
    json_rest(j, m);
    json_close(j, '}');
}

static void json_end_of_link(struct json *j, const char *key, unsigned chip, unsigned port) {
    char text[24];
    snprintf(text, sizeof text, "%u.%u", chip, port);
    json_string(j, key, text);
}

void report_json_links(struct json *j, const struct machine *m) {
    struct bh_link link;
    struct bh_link_stats stats;
    json_open(j, "links", '[');
    for (unsigned i = 0; bh_system_link_at(m->system, i, &link) == BH_OK; i++) {
        if (bh_system_link_stats(m->system, i, &stats) != BH_OK)
            continue;
        json_open_line(j, NULL, '{');
        json_end_of_link(j, "from", link.chip[0], link.port[0]);
        json_end_of_link(j, "to", link.chip[1], link.port[1]);
        json_bool(j, "up", stats.up);
        json_integers(j, "frames", stats.frames, 2);
        json_integers(j, "bytes", stats.bytes, 2);
        json_integers(j, "received", stats.received, 2);
        json_integers(j, "dropped", stats.dropped, 2);
        json_integers(j, "lost", stats.lost, 2);
        json_integers(j, "in_flight", stats.in_flight, 2);
        json_close_line(j, '}');
    }
    json_close(j, ']');
}

static void json_system_head(struct json *j, const struct machine *m, uint64_t hash) {
    char text[20];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    json_open(j, NULL, '{');
    json_string(j, "version", bh_version());
    json_string(j, "system", m->system_name);
    json_string(j, "timing", timing_name(m->config.timing));
    json_number(j, "cycles", bh_system_cycle(m->system));
    json_string(j, "state_hash", text);
    json_open(j, "chips", '[');
}

/* Writes the report of a system. Of several ranks, the first writes everything around the chips, and each writes its
 * own chips. */
int report_system_json(struct machine *m) {
    struct json j = { .out = stdout, .depth = 2, .more = true };
    bool first = bh_system_chip(m->system, 0);
    int status = report_status(m);
    uint64_t hash = bh_system_hash(m->system);
    if (m->ranks)
        ranks_keep(m);
    if (first) {
        json_init(&j, stdout);
        json_system_head(&j, m, hash);
    }
    for (unsigned i = 0; i <= m->other_count; i++) {
        const struct machine *chip = i ? &m->others[i - 1] : m;
        if (!chip->chip)
            continue;
        json_chip(&j, chip);
        status = status ? status : report_status(chip);
    }
    if (m->ranks && !ranks_show(m, &status))
        return EXIT_USAGE;
    if (!first)
        return status;
    json_close(&j, ']');
    report_json_links(&j, m);
    json_number(&j, "status", (uint64_t)status);
    json_close(&j, '}');
    json_end(&j);
    return status;
}
