/* `monitor` commands: they show the state of the coprocessor of the current tile, and what agents wait for (see
 * session.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gdb/session.h"
#include "text/text.h"

enum { WORDS_MAX = 5, COLUMNS = 16, LANES = 32, SRC_ROWS = 64, DST_ROWS = 1024 };

/* A command that is being carried out. */
struct monitor {
    struct gdb *gdb;
    bh_chip *chip;
    struct bh_xy tile; /* tile of that chip */
    FILE *out;
    const char *word[WORDS_MAX];
    unsigned count;
};

/* Parses argument `index`, or takes `otherwise` if it is missing. Returns false after printing a message. */
static bool number(struct monitor *m, unsigned index, uint64_t most, uint64_t otherwise, uint64_t *value) {
    *value = otherwise;
    if (index >= m->count || span_number(span_of(m->word[index]), most, value))
        return true;
    fprintf(m->out, "%s: '%s' must be a number up to %llu\n", m->word[0], m->word[index], (unsigned long long)most);
    return false;
}

static void put_instruction(FILE *out, uint32_t word) {
    char text[BH_INSTRUCTION_TEXT];
    if (word >> 30 == 3)
        return;
    bh_disassemble(0, word << 2 | word >> 30, text, sizeof text);
    fprintf(out, "  %s", strncmp(text, ".ttinsn ", 8) == 0 ? text + 8 : text);
}

/* ---- Threads ------------------------------------------------------------------------------------------------ */

static void show_threads(struct monitor *m) {
    static const char *const states[] = { "idle", "running", "waiting", "faulted" };
    for (unsigned i = 0; i < BH_THREADS; i++) {
        struct bh_thread_info info;
        if (bh_thread_query(m->chip, m->tile, i, &info) != BH_OK)
            continue;
        fprintf(m->out, "T%u  %-8s %u queued, %llu passed", i, states[info.state], info.queued,
                (unsigned long long)info.passed);
        if (info.word) {
            fprintf(m->out, "; at the gate");
            put_instruction(m->out, info.word);
            fprintf(m->out, " (pushed at pc 0x%x)", info.pc);
        }
        fprintf(m->out, "%s%s\n", *info.waits_on ? ": " : "", info.waits_on);
    }
}

static void show_gates(struct monitor *m) {
    for (unsigned i = 0; i < BH_THREADS; i++) {
        struct bh_wait wait;
        if (bh_wait_get(m->chip, m->tile, i, &wait) != BH_OK)
            continue;
        if (!wait.opcode)
            fprintf(m->out, "T%u  no wait is latched\n", i);
        else
            fprintf(m->out, "T%u  since cycle %llu, holds 0x%03x, condition 0x%x, unmet 0x%x  %s\n", i,
                    (unsigned long long)wait.since, wait.block, wait.condition, wait.unmet, wait.text);
    }
}

static void show_why(struct monitor *m) {
    bh_system *system = m->gdb->system;
    size_t size = system ? bh_system_report(system, NULL, 0) : bh_report(m->chip, NULL, 0);
    char *text = size ? malloc(size + 1) : NULL;
    if (text && system)
        bh_system_report(system, text, size + 1);
    else if (text)
        bh_report(m->chip, text, size + 1);
    fputs(text ? text : "nothing waits\n", m->out);
    free(text);
}

/* ---- Registers of the coprocessor --------------------------------------------------------------------------- */

static void show_lreg(struct monitor *m) {
    uint64_t index;
    uint32_t value;
    if (!number(m, 1, 16, 0, &index))
        return;
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (lane % 8 == 0)
            fprintf(m->out, "lane %2u ", lane);
        if (bh_lreg_get(m->chip, m->tile, (unsigned)index, lane, &value) == BH_OK)
            fprintf(m->out, " %08x%s", value, lane % 8 == 7 ? "\n" : "");
    }
}

static void show_dst(struct monitor *m) {
    uint64_t first, count;
    uint32_t value;
    if (!number(m, 1, DST_ROWS - 1, 0, &first) || !number(m, 2, DST_ROWS, 16, &count))
        return;
    for (uint64_t row = first; row < first + count && row < DST_ROWS; row++) {
        fprintf(m->out, "%4u ", (unsigned)row);
        for (unsigned column = 0; column < COLUMNS; column++)
            if (bh_dst_get(m->chip, m->tile, (unsigned)row, column, &value) == BH_OK)
                fprintf(m->out, " %04x", value);
        fputc('\n', m->out);
    }
}

static void put_src_row(struct monitor *m, enum bh_src_file file, unsigned bank, unsigned row) {
    uint32_t value;
    fprintf(m->out, "%4u ", row);
    for (unsigned column = 0; column < COLUMNS; column++)
        if (bh_src_get(m->chip, m->tile, file, bank, row, column, &value) == BH_OK)
            fprintf(m->out, " %05x", value);
    fputc('\n', m->out);
}

/* Shows the bank that the argument selects, or the bank of the Matrix Unit. */
static void show_src(struct monitor *m) {
    static const char *const owners[] = { "the unpackers", "the Matrix Unit" };
    struct bh_src_info info;
    uint64_t bank, first, count;
    bool a = m->count > 1 && strcmp(m->word[1], "a") == 0;
    if (!a && (m->count < 2 || strcmp(m->word[1], "b") != 0)) {
        fprintf(m->out, "src: a or b?\n");
        return;
    }
    enum bh_src_file file = a ? BH_SRC_A : BH_SRC_B;
    if (bh_src_query(m->chip, m->tile, file, &info) != BH_OK || !number(m, 2, 1, info.matrix_bank, &bank) ||
        !number(m, 3, SRC_ROWS - 1, 0, &first) || !number(m, 4, SRC_ROWS, 16, &count))
        return;
    fprintf(m->out, "Src%c bank %u belongs to %s, format %u; %s\n", a ? 'A' : 'B', (unsigned)bank,
            owners[info.owner[bank]], info.format[bank], info.valid ? "valid" : "not valid");
    for (uint64_t row = first; row < first + count && row < SRC_ROWS; row++)
        put_src_row(m, file, (unsigned)bank, (unsigned)row);
}

static void show_semaphores(struct monitor *m) {
    uint32_t value, max;
    for (unsigned i = 0; i < 8; i++)
        if (bh_semaphore_get(m->chip, m->tile, i, &value, &max) == BH_OK)
            fprintf(m->out, "semaphore %u is %u of at most %u\n", i, value, max);
}

static void show_gpr(struct monitor *m) {
    uint64_t thread;
    uint32_t value;
    if (!number(m, 1, BH_THREADS - 1, 0, &thread))
        return;
    for (unsigned i = 0; i < 64; i++)
        if (bh_gpr_get(m->chip, m->tile, (unsigned)thread, i, &value) == BH_OK)
            fprintf(m->out, "%s%08x%s", i % 8 ? " " : "", value, i % 8 == 7 ? "\n" : "");
}

static void show_counters(struct monitor *m) {
    for (unsigned i = 0; i < BH_THREADS; i++) {
        struct bh_rwc rwc;
        if (bh_rwc_get(m->chip, m->tile, i, &rwc) == BH_OK)
            fprintf(m->out, "T%u  dst %u (CR %u), srca %u (CR %u), srcb %u (CR %u), fidelity %u\n", i, rwc.dst,
                    rwc.dst_cr, rwc.src_a, rwc.src_a_cr, rwc.src_b, rwc.src_b_cr, rwc.fidelity);
    }
}

/* ---- Configuration ------------------------------------------------------------------------------------------ */

static uint32_t field_of(uint32_t word, const struct bh_isa_config *field) {
    uint32_t mask = field->width >= 32 ? UINT32_MAX : (UINT32_C(1) << field->width) - 1;
    return word >> field->shift & mask;
}

static void put_field(struct monitor *m, const struct bh_isa_config *field) {
    uint32_t word;
    fprintf(m->out, "%-50s", field->name);
    for (unsigned i = 0; i < (field->thread ? (unsigned)BH_THREADS : 2); i++) {
        bh_status status = field->thread ? bh_thread_config_get(m->chip, m->tile, i, field->word, &word)
                                         : bh_tensix_config_get(m->chip, m->tile, i, field->word, &word);
        if (status == BH_OK)
            fprintf(m->out, "  %s%u 0x%x", field->thread ? "T" : "bank ", i, field_of(word, field));
    }
    fputc('\n', m->out);
}

static void show_config(struct monitor *m) {
    enum { MOST = 200 };
    struct bh_isa_config field;
    unsigned found = 0;
    struct span pattern = span_of(m->count > 1 ? m->word[1] : "*");
    for (unsigned i = 0; bh_isa_config_at(i, &field) == BH_OK; i++)
        if (span_matches(span_of(field.name), pattern) && ++found <= MOST)
            put_field(m, &field);
    if (!found)
        fprintf(m->out, "no field is called '%.*s'; * stands for any text\n", SPAN(pattern));
    else if (found > MOST)
        fprintf(m->out, "... and %u more: give a name, in which * stands for any text\n", found - MOST);
}

/* ---- Time, code --------------------------------------------------------------------------------------------- */

static void show_time(struct monitor *m) {
    struct bh_core_info info;
    fprintf(m->out, "chip   cycle %llu\n", (unsigned long long)bh_cycle(m->chip));
    for (int core = 0; core < BH_CORE_COUNT; core++) {
        if (!session_core_exists(m->gdb, session_tile(m->gdb, m->gdb->general.tile), core) ||
            bh_core_query(m->chip, m->tile, (enum bh_core)core, &info) != BH_OK)
            continue;
        fprintf(m->out, "%-6s cycle %llu, %llu instructions\n", bh_core_name_at(m->chip, m->tile, (enum bh_core)core),
                (unsigned long long)info.cycle, (unsigned long long)info.retired);
    }
}

static void show_history(struct monitor *m) {
    const struct history *h = &m->gdb->history;
    if (h->count)
        fprintf(m->out, "%u snapshots from cycle %llu on, %zu KiB\n", h->count, (unsigned long long)h->at[0].cycle,
                h->bytes / 1024);
    else
        fprintf(m->out, "no history\n");
}

static void show_code(struct monitor *m) {
    uint64_t pc, count;
    uint32_t word, now = 0;
    char text[BH_INSTRUCTION_TEXT];
    const struct thread t = m->gdb->general;
    (void)bh_core_get(m->chip, t.tile.xy, (enum bh_core)t.core, BH_REG_PC, &now);
    if (!number(m, 1, UINT32_MAX, now, &pc) || !number(m, 2, 1000, 8, &count))
        return;
    for (pc &= ~UINT64_C(3); count && pc <= UINT32_MAX; count--, pc += 4) {
        if (bh_core_peek(m->chip, t.tile.xy, (enum bh_core)t.core, (uint32_t)pc, &word, 4) != BH_OK) {
            fprintf(m->out, "0x%x cannot be read\n", (uint32_t)pc);
            return;
        }
        bh_disassemble((uint32_t)pc, word, text, sizeof text);
        fprintf(m->out, "%s%08x  %08x  %s\n", pc == now ? "=> " : "   ", (uint32_t)pc, word, text);
    }
}

/* ---- The trace ---------------------------------------------------------------------------------------------- */

static void on_traced(void *user, const struct bh_event *event) {
    struct gdb *gdb = user;
    unsigned tile = session_tile(gdb, (struct tile_id){ event->tile, 0 });
    char text[BH_INSTRUCTION_TEXT];
    if (gdb->mode != MODE_LIVE || (gdb_replays(gdb) && !gdb->ending) || tile == gdb->tile_count || !gdb->attached[tile])
        return;
    snprintf(text, sizeof text, "%llu-%llu %u,%u %-8s %s%s x%u pc 0x%x", (unsigned long long)event->start,
             (unsigned long long)event->end, event->tile.x, event->tile.y, bh_track_name(event->track),
             event->kind == BH_EVENT_WAIT ? "waits: " : "", event->name, event->count, event->pc);
    if (gdb->trace)
        fprintf(gdb->trace, "%s\n", text);
    else
        link_print(gdb, "%s\n", text);
}

static void end_trace(struct gdb *gdb) {
    if (gdb->tracing)
        (void)bh_observe(gdb->chip, 0, NULL, NULL);
    if (gdb->trace)
        (void)fclose(gdb->trace);
    gdb->trace = NULL;
    gdb->tracing = false;
}

static void set_trace(struct monitor *m) {
    struct gdb *gdb = m->gdb;
    const char *word = m->count > 1 ? m->word[1] : "";
    if (gdb->system) {
        fprintf(m->out, "trace: not of several chips; start bhemu with --trace FILE\n");
    } else if (gdb->owner.no_reverse) {
        fprintf(m->out, "trace: the run is observed already\n");
    } else if (strcmp(word, "off") == 0) {
        end_trace(gdb);
    } else if (strcmp(word, "on") == 0) {
        FILE *file = m->count > 2 ? fopen(m->word[2], "w") : NULL;
        if (m->count > 2 && !file) {
            fprintf(m->out, "trace: cannot write '%s': %s\n", m->word[2], strerror(errno));
            return;
        }
        end_trace(gdb);
        gdb->trace = file;
        gdb->tracing = bh_observe(gdb->chip, BH_WATCH_EVENTS, on_traced, gdb) == BH_OK;
        fprintf(m->out, gdb->tracing ? "events of attached tiles are %s from now on\n" : "trace: no memory%.0s\n",
                file ? "written" : "shown");
    } else {
        fprintf(m->out, "trace: on, on FILE or off?\n");
    }
}

/* ---- The table ---------------------------------------------------------------------------------------------- */

static void show_help(struct monitor *m);

static const struct command {
    const char *name, *arguments, *help;
    void (*run)(struct monitor *m);
} commands[] = {
    { "threads", "", "the three threads of the coprocessor, and what is at their gates", show_threads },
    { "gates", "", "the waits that STALLWAIT, SEMWAIT and STREAMWAIT have latched", show_gates },
    { "why", "", "why cores and threads of the chip wait", show_why },
    { "lreg", "[N]", "the lanes of a register of the Vector Unit", show_lreg },
    { "dst", "[ROW [COUNT]]", "rows of Dst", show_dst },
    { "src", "a|b [BANK [ROW [COUNT]]]", "rows of SrcA or SrcB", show_src },
    { "semaphores", "", "the eight semaphores", show_semaphores },
    { "gpr", "[THREAD]", "the general purpose registers of a thread", show_gpr },
    { "counters", "", "the row counters of the threads", show_counters },
    { "config", "[NAME]", "fields of the configuration; * in NAME stands for any text", show_config },
    { "code", "[ADDRESS [COUNT]]", "instructions, those of the coprocessor too", show_code },
    { "time", "", "cycles and instructions", show_time },
    { "history", "", "how far reverse-step and reverse-continue can go", show_history },
    { "trace", "on [FILE] | off", "show or write events of the attached tiles as they happen", set_trace },
    { "help", "", "this list", show_help },
};

static void show_help(struct monitor *m) {
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(m->out, "%-10s %-26s %s\n", commands[i].name, commands[i].arguments, commands[i].help);
}

static void run_command(struct monitor *m) {
    const char *names[sizeof commands / sizeof *commands + 1] = { NULL };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        names[i] = commands[i].name;
        if (m->count && strcmp(m->word[0], commands[i].name) == 0) {
            commands[i].run(m);
            return;
        }
    }
    if (!m->count) {
        show_help(m);
        return;
    }
    const char *meant = closest(span_of(m->word[0]), names);
    fprintf(m->out, "there is no command '%.40s'%s%s%s; see monitor help\n", m->word[0],
            meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'" : "");
}

static void split(struct monitor *m, char *text) {
    char *rest = NULL;
    for (char *word = strtok_r(text, " \t\n", &rest); word && m->count < WORDS_MAX;
         word = strtok_r(NULL, " \t\n", &rest))
        m->word[m->count++] = word;
}

/* Sends a text to gdb's console, in packets of limited length. */
static void print_all(struct gdb *gdb, const char *text, size_t size) {
    enum { PART = 1500 };
    for (size_t at = 0; at < size; at += PART)
        link_print(gdb, "%.*s", size - at < PART ? (int)(size - at) : PART, text + at);
}

void monitor_command(struct gdb *gdb, const char *command) {
    char *text = NULL, *line = strdup(command);
    size_t size = 0;
    struct monitor m = { .gdb = gdb,
                         .chip = session_chip(gdb, gdb->general.tile),
                         .tile = gdb->general.tile.xy,
                         .out = open_memstream(&text, &size) };
    if (line && m.out) {
        split(&m, line);
        run_command(&m);
    }
    if (m.out)
        (void)fclose(m.out);
    if (text)
        print_all(gdb, text, size);
    link_say(gdb, line && text ? "OK" : "E.out of memory");
    free(text);
    free(line);
}
