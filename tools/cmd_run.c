/* bhemu run: puts programs on cores, lets time pass, tells how it ended. The options become the same list of
 * actions that a command file has (script.h): load, write, release, run, then dump and print. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "machine.h"
#include "report.h"

#define DEFAULT_MAX_CYCLES 1000000000u

enum option_id {
    OPT_TILE,
    OPT_BRISC,
    OPT_TRISC0,
    OPT_TRISC1,
    OPT_TRISC2,
    OPT_NCRISC,
    OPT_RELEASE,
    OPT_WRITE,
    OPT_DUMP,
    OPT_PRINT,
    OPT_SCRIPT,
    OPT_MAX_CYCLES,
    OPT_KEEP_GOING,
    OPT_COVERAGE,
    OPT_SUMMARY,
    OPT_STATS,
    OPT_TRACE,
    OPT_TRACE_TILES,
    OPT_TRACE_CYCLES,
    OPT_PROFILE,
    OPT_BOARD,
    OPT_THREADS,
    OPT_SKEW,
    OPT_JSON,
    OPT_QUIET,
    OPT_TIME,
};

static const struct option options[] = {
    [OPT_TILE] = { "tile", "TILES",
                   "tiles of the programs that follow: X,Y or X,Y-X,Y (a rectangle)\n"
                   "or all; may be repeated; 1,2 if not given" },
    [OPT_BRISC] = { "brisc", "FILE[@ADDR]", "program of a core: an ELF file, or raw bytes for an L1 address" },
    [OPT_TRISC0] = { "trisc0", "FILE[@ADDR]", "" },
    [OPT_TRISC1] = { "trisc1", "FILE[@ADDR]", "" },
    [OPT_TRISC2] = { "trisc2", "FILE[@ADDR]", "" },
    [OPT_NCRISC] = { "ncrisc", "FILE[@ADDR]", "" },
    [OPT_RELEASE] = { "release", "CORES",
                      "cores to start, as brisc,ncrisc or all or none;\n"
                      "without it, those that have a program" },
    [OPT_WRITE] = { "write", "[TILES:]ADDR=DATA", "write 32-bit words (1,0x2,...) or a file before the start" },
    [OPT_DUMP] = { "dump", "[TILES:]ADDR:LEN[:FILE]", "show LEN bytes after the end, or save them to a file" },
    [OPT_PRINT] = { "print", "[TILES:]ADDR", "show the text at ADDR after the end" },
    [OPT_SCRIPT] = { "script", "FILE", "do what a command file says (see man bhemu); - is stdin" },
    [OPT_MAX_CYCLES] = { "max-cycles", "N", "give up after N cycles (10k, 5M, 1G); default 1G" },
    [OPT_KEEP_GOING] = { "keep-going", NULL, "let the other cores run on after a fault" },
    [OPT_COVERAGE] = { "coverage", NULL, "list the instructions that were run, and how many words of each" },
    [OPT_SUMMARY] = { "summary", NULL, "how busy the chip was, in a short table" },
    [OPT_STATS] = { "stats", NULL, "what each core, thread and unit did and what it waited for" },
    [OPT_TRACE] = { "trace", "FILE", "write what happened when, for Perfetto or chrome://tracing" },
    [OPT_TRACE_TILES] = { "trace-tiles", "TILES", "only of these tiles, as --tile has them; may be repeated" },
    [OPT_TRACE_CYCLES] = { "trace-cycles", "FROM-TO", "only what happens in these cycles" },
    [OPT_PROFILE] = { "profile", NULL, "symbols and source lines that took most of the cores' time" },
    [OPT_BOARD] = { "board", "NAME", "p150 (default) or p100a" },
    [OPT_THREADS] = { "threads", "N", "host threads; the result does not depend on it" },
    [OPT_SKEW] = { "skew", "N", "cycles that a core may run ahead within its tile; 1 is lockstep" },
    [OPT_JSON] = { "json", NULL, "report as one JSON object" },
    [OPT_QUIET] = { "quiet", NULL, "no report: only dumps, texts and errors" },
    [OPT_TIME] = { "time", NULL, "say how long the host took" },
    { NULL, NULL, NULL },
};

static const char notes[] =
    "A run ends when no core can do anything any more: paused by ebreak or ecall, or waiting for\n"
    "something that nobody is left to do. ADDR is a number, or SYMBOL or SYMBOL+NUMBER of a program on\n"
    "that tile.\n"
    "\n"
    "Exit status: 0 done, 1 a guest fault or failed expectation, 2 a wrong argument, 3 the cycle limit,\n"
    "4 a deadlock.\n"
    "\n"
    "Examples:\n"
    "  bhemu run --brisc hello.elf --print message\n"
    "  bhemu run --tile all --brisc a.elf --trisc2 b.elf --release brisc --dump 1,2:0x17000:64\n"
    "  bhemu run --tile 1,2 --brisc a.elf --tile 2,2-7,11 --brisc b.elf --threads 4\n"
    "  bhemu run --brisc code.bin@0x0 --write 1,2:0x20000=input.bin --dump 1,2:0x30000:4096:out.bin\n";

/* Programs that share a list of tiles. */
struct group {
    struct tile_list tiles;
    unsigned loaded, release;
    bool has_release, closed; /* closed: the next --tile opens a new group */
};

struct job {
    const struct command *command;
    struct machine machine;
    struct settings settings;
    struct group group;
    struct script loads, writes, releases, looks; /* in this order */
    const char *script_path;
    const char *acting;  /* an option that does not go with --script */
    const char *tracing; /* an option that does not go without --trace */
    bool time;
    struct script_error error;
};

static bool finish_group(struct job *job) {
    struct group *group = &job->group;
    struct action action = {
        .kind = ACTION_RELEASE,
        .tiles = group->tiles,
        .cores = group->has_release ? group->release : group->loaded,
    };
    bool ok = action.cores == 0 || script_add(&job->releases, &action, &job->error);
    *group = (struct group){ 0 };
    return ok;
}

static bool add_tiles(struct job *job, struct span value) {
    if (job->group.closed && !finish_group(job))
        return false;
    return parse_tiles(value, &job->group.tiles, &job->error);
}

static bool add_image(struct job *job, enum bh_core core, struct span value) {
    struct action action = {
        .kind = ACTION_LOAD,
        .tiles = job->group.tiles,
        .cores = 1u << core,
        .file = value,
    };
    job->group.closed = true;
    job->group.loaded |= action.cores;
    return script_add(&job->loads, &action, &job->error);
}

static bool add_release(struct job *job, struct span value) {
    job->group.closed = true;
    job->group.has_release = true;
    return parse_cores(value, &job->group.release, &job->error);
}

static bool add_write(struct job *job, struct span value) {
    struct action action = { .kind = ACTION_WRITE };
    if (!parse_write(value, &action, &job->error))
        return false;
    bool ok = script_add(&job->writes, &action, &job->error);
    if (!ok)
        free(action.words);
    return ok;
}

static bool add_look(struct job *job, enum action_kind kind, struct span value) {
    struct action action = { .kind = kind };
    bool ok = kind == ACTION_DUMP ? parse_dump(value, &action, &job->error)
                                  : parse_place(value, &action.tiles, &action.place, &job->error);
    return ok && script_add(&job->looks, &action, &job->error);
}

static bool set_window(struct job *job, struct span value) {
    struct machine *m = &job->machine;
    struct span from, to = value;
    if (span_cut(&to, '-', &from) && span_count(from, &m->trace_from) && span_count(to, &m->trace_to) &&
        m->trace_from < m->trace_to)
        return true;
    snprintf(job->error.text, sizeof job->error.text, "cycles must be FROM-TO, as 10k-12k, not '%.*s'", SPAN(value));
    return false;
}

static bool apply(struct job *job, enum option_id id, const char *text) {
    struct span value = span_of(text ? text : "");
    if (id <= OPT_PRINT)
        job->acting = options[id].name;
    switch (id) {
    case OPT_TILE: return add_tiles(job, value);
    case OPT_BRISC: return add_image(job, BH_BRISC, value);
    case OPT_TRISC0: return add_image(job, BH_TRISC0, value);
    case OPT_TRISC1: return add_image(job, BH_TRISC1, value);
    case OPT_TRISC2: return add_image(job, BH_TRISC2, value);
    case OPT_NCRISC: return add_image(job, BH_NCRISC, value);
    case OPT_RELEASE: return add_release(job, value);
    case OPT_WRITE: return add_write(job, value);
    case OPT_DUMP: return add_look(job, ACTION_DUMP, value);
    case OPT_PRINT: return add_look(job, ACTION_PRINT, value);
    case OPT_SCRIPT: job->script_path = text; return true;
    case OPT_MAX_CYCLES: return parse_cycles(value, &job->machine.max_cycles, &job->error);
    case OPT_KEEP_GOING: return job->machine.keep_going = true;
    case OPT_COVERAGE: return job->machine.coverage = true;
    case OPT_SUMMARY: return job->machine.summary = true;
    case OPT_STATS: return job->machine.stats = true;
    case OPT_TRACE: job->machine.trace_path = text; return true;
    case OPT_TRACE_TILES:
        job->tracing = options[id].name;
        return parse_tiles(value, &job->machine.trace_tiles, &job->error);
    case OPT_TRACE_CYCLES: job->tracing = options[id].name; return set_window(job, value);
    case OPT_PROFILE: return job->machine.profile = true;
    case OPT_BOARD: job->settings.has_board = true; return parse_board(value, &job->settings.board, &job->error);
    case OPT_THREADS:
        return parse_setting(value, 1024, &job->settings.threads, &job->settings.has_threads, &job->error);
    case OPT_SKEW: return parse_setting(value, 1000000, &job->settings.skew, &job->settings.has_skew, &job->error);
    case OPT_JSON: return job->machine.json = true;
    case OPT_QUIET: return job->machine.quiet = true;
    case OPT_TIME: return job->time = true;
    }
    return false;
}

static int parse(struct job *job, int argc, char **argv) {
    struct arguments arguments = { .command = job->command, .argc = argc, .argv = argv };
    for (int id; (id = options_next(&arguments)) != OPTION_END;) {
        if (id == OPTION_BAD)
            return EXIT_USAGE;
        if (id == OPTION_HELP)
            return -1;
        if (id == OPTION_WORD)
            return usage_error(job->command, "unexpected '%s'; which core is it for? Say --brisc %s", arguments.value,
                               arguments.value);
        if (!apply(job, (enum option_id)id, arguments.value))
            return usage_error(job->command, "--%s: %s", options[id].name, job->error.text);
    }
    if (!finish_group(job))
        return usage_error(job->command, "%s", job->error.text);
    if (job->script_path && job->acting)
        return usage_error(job->command, "--script stands alone: what --%s does belongs in the file", job->acting);
    if (job->tracing && !job->machine.trace_path)
        return usage_error(job->command, "--%s says what is in a trace, but there is no --trace FILE", job->tracing);
    if (!job->script_path && !job->loads.count && !job->releases.count)
        return usage_error(job->command, "nothing to run: give a program with --brisc FILE or the like");
    return EXIT_DONE;
}

/* Does all the actions of a list; false and a message on the first that cannot be done. */
static bool do_all(struct job *job, const struct script *list) {
    static const char *const from[] = {
        [ACTION_WRITE] = "--write: ", [ACTION_DUMP] = "--dump: ", [ACTION_PRINT] = "--print: "
    };
    for (size_t i = 0; i < list->count; i++) {
        const struct action *action = &list->actions[i];
        if (machine_do(&job->machine, action))
            continue;
        const char *prefix = (size_t)action->kind < sizeof from / sizeof *from ? from[action->kind] : NULL;
        if (action->line)
            tool_error(job->command, "%s:%u: %s", job->script_path, action->line, job->machine.message);
        else
            tool_error(job->command, "%s%s", prefix ? prefix : "", job->machine.message);
        return false;
    }
    return true;
}

static int report(struct job *job) {
    if (!machine_end_trace(&job->machine))
        return tool_error(job->command, "--trace: %s", job->machine.message);
    if (job->machine.json)
        report_json(&job->machine);
    else
        report_text(&job->machine, job->time);
    return report_status(&job->machine);
}

static int run_options(struct job *job) {
    const struct script run = { .actions = &(struct action){ .kind = ACTION_RUN }, .count = 1 };
    struct machine *m = &job->machine;
    if (!machine_open(m, &job->settings))
        return tool_error(job->command, "%s", m->message);
    if (!do_all(job, &job->loads) || !do_all(job, &job->writes) || !do_all(job, &job->releases) || !do_all(job, &run))
        return EXIT_USAGE;
    int status = m->json ? EXIT_DONE : report(job);
    if (status == EXIT_USAGE || !do_all(job, &job->looks))
        return EXIT_USAGE;
    return m->json ? report(job) : status;
}

/* What the command line says goes before what the file says. */
static void merge_settings(struct settings *command_line, const struct settings *file) {
    if (!command_line->has_board)
        command_line->board = file->board;
    if (!command_line->has_threads) {
        command_line->threads = file->threads;
        command_line->has_threads = file->has_threads;
    }
    if (!command_line->has_skew) {
        command_line->skew = file->skew;
        command_line->has_skew = file->has_skew;
    }
}

static int run_script(struct job *job) {
    struct machine *m = &job->machine;
    struct script script = { 0 };
    size_t size;
    int status = EXIT_USAGE;
    const char *path = strcmp(job->script_path, "-") == 0 ? "/dev/stdin" : job->script_path;
    uint8_t *text = file_read(span_of(path), &size, m->message, sizeof m->message);
    m->script_name = job->script_path;
    if (!text) {
        tool_error(job->command, "--script: %s", m->message);
    } else if (!script_parse((const char *)text, size, &script, &job->error)) {
        tool_error(job->command, "%s:%u: %s", job->script_path, job->error.line, job->error.text);
    } else {
        merge_settings(&job->settings, &script.settings);
        if (!machine_open(m, &job->settings))
            tool_error(job->command, "%s", m->message);
        else if (do_all(job, &script))
            status = report(job);
    }
    machine_close(m);
    script_free(&script);
    free(text);
    return status;
}

static int run(const struct command *command, int argc, char **argv) {
    struct job job = { .command = command, .machine = { .max_cycles = DEFAULT_MAX_CYCLES, .trace_to = UINT64_MAX } };
    job.machine.progress = isatty(STDERR_FILENO);
    int status = parse(&job, argc, argv);
    if (status == EXIT_DONE) {
        if (job.script_path) {
            status = run_script(&job);
        } else {
            status = run_options(&job);
            machine_close(&job.machine);
        }
    }
    script_free(&job.loads);
    script_free(&job.writes);
    script_free(&job.releases);
    script_free(&job.looks);
    return status < 0 ? EXIT_DONE : status;
}

const struct command command_run = {
    .name = "run",
    .synopsis = "[--tile TILES]... --brisc FILE ... [OPTION]...",
    .summary = "run programs on an emulated chip",
    .options = options,
    .notes = notes,
    .run = run,
};
