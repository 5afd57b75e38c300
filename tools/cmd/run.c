/* bhemu run: loads programs, runs them and reports how they ended. Without a command file, the options become a list of
 * actions like that of a command file (script.h): load, write, release, run, then dump and print. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/job.h"
#include "machine/ranks.h"
#include "report/hazards.h"
#include "report/report.h"

#define DEFAULT_MAX_CYCLES 1000000000u

enum option_id {
    OPT_SYSTEM = JOB_OPTIONS,
    OPT_CHIP,
    OPT_TILE,
    OPT_BRISC,
    OPT_TRISC0,
    OPT_TRISC1,
    OPT_TRISC2,
    OPT_NCRISC,
    OPT_ERISC0,
    OPT_ERISC1,
    OPT_RELEASE,
    OPT_WRITE,
    OPT_DUMP,
    OPT_PRINT,
    OPT_SCRIPT,
    OPT_COVERAGE,
    OPT_SUMMARY,
    OPT_STATS,
    OPT_PROFILE,
};

static const struct option options[] = {
    { OPT_SYSTEM, "system", "NAME|FILE",
      "several chips with cables: p150, p300, quietbox, quietbox2,\n"
      "galaxy, or a file that describes them (see docs/system.md)" },
    { OPT_CHIP, "chip", "N", "chip of the options that follow, with --system; 0 if not given" },
    { OPT_TILE, "tile", "TILES",
      "tiles of the programs that follow: X,Y or X,Y-X,Y (a rectangle)\n"
      "or all; may be repeated; 1,2 if not given" },
    { OPT_BRISC, "brisc", "FILE[@ADDR]", "program of a core: an ELF file, or raw bytes for an L1 address" },
    { OPT_TRISC0, "trisc0", "FILE[@ADDR]", "" },
    { OPT_TRISC1, "trisc1", "FILE[@ADDR]", "" },
    { OPT_TRISC2, "trisc2", "FILE[@ADDR]", "" },
    { OPT_NCRISC, "ncrisc", "FILE[@ADDR]", "" },
    { OPT_ERISC0, "erisc0", "FILE[@ADDR]", "of a core of an Ethernet tile" },
    { OPT_ERISC1, "erisc1", "FILE[@ADDR]", "" },
    { OPT_RELEASE, "release", "CORES",
      "cores to start, as brisc,ncrisc or all or none;\n"
      "without it, those that have a program" },
    { OPT_WRITE, "write", "[TILES:]ADDR=DATA", "write 32-bit words (1,0x2,...) or a file before the start" },
    { OPT_DUMP, "dump", "[TILES:]ADDR:LEN[:FILE]",
      "show LEN bytes after the end, or save them to a file;\n"
      "[TILES:]T1.wait and the like: what is inside the coprocessor,\n"
      ".wait .adc .rwc .mop .replay of T0, T1, T2 or tensix (all),\n"
      "tensix.srca and tensix.srcb" },
    { OPT_PRINT, "print", "[TILES:]ADDR", "show the text at ADDR after the end" },
    { OPT_SCRIPT, "script", "FILE", "do what a command file says (see man bhemu); - is stdin" },
    { JOB_MAX_CYCLES, "max-cycles", "N", "give up after N cycles (10k, 5M, 1G); default 1G" },
    { JOB_KEEP_GOING, "keep-going", NULL, "let the other cores run on after a fault" },
    { OPT_COVERAGE, "coverage", NULL, "list the instructions that were run, and how many words of each" },
    { OPT_SUMMARY, "summary", NULL, "how busy the chip was, in a short table" },
    { OPT_STATS, "stats", NULL, "what each core, thread and unit did and what it waited for" },
    { OPT_PROFILE, "profile", NULL, "symbols and source lines that took most of the cores' time" },
#include "cmd/job_output.def"
    { JOB_RESTORE, "restore", "FILE", "begin with a chip, or with --system a system, that --save has written" },
    { JOB_BOARD, "board", "p150|p100a", "p150 if not given" },
#include "cmd/job_host.def"
    { JOB_QUIET, "quiet", NULL, "no report: only dumps, texts and errors" },
    { JOB_NO_PROGRESS, "no-progress", NULL, "no line about the progress of a long run on a terminal" },
    { JOB_TIME, "time", NULL, "say how long the host took" },
    { 0, NULL, NULL, NULL },
};

static const char notes[] =
    "A run ends when no core can do anything any more: paused by ebreak or ecall, or waiting for\n"
    "something that nobody is left to do. ADDR is a number, or SYMBOL or SYMBOL+NUMBER of a program on\n"
    "that tile.\n"
    "\n"
    "Exit status: 0 done, 1 a guest fault or failed expectation, 2 a wrong argument, 3 the cycle limit,\n"
    "4 a deadlock, 5 --check has found a RACE.\n"
    "\n"
    "Examples:\n"
    "  bhemu run --brisc hello.elf --print message\n"
    "  bhemu run --tile all --brisc a.elf --trisc2 b.elf --release brisc --dump 1,2:0x17000:64\n"
    "  bhemu run --tile 1,2 --brisc a.elf --tile 2,2-7,11 --brisc b.elf --threads 4\n"
    "  bhemu run --brisc code.bin@0x0 --write 1,2:0x20000=input.bin --dump 1,2:0x30000:4096:out.bin\n";

/* Programs for the same tiles. */
struct group {
    struct tile_list tiles;
    unsigned loaded, release;
    bool has_release, closed; /* closed: the next --tile opens a new group */
};

struct run_job {
    struct job base;
    struct group group;
    struct script loads, writes, releases, looks; /* executed in this order */
    unsigned chip;                                /* the chip to which the following options apply */
    const char *script_path;
    const char *acting; /* an option that cannot be combined with --script */
};

static bool finish_group(struct run_job *job) {
    struct group *group = &job->group;
    if (group->tiles.count && !group->closed) {
        snprintf(job->base.error.text, sizeof job->base.error.text,
                 "--tile is for the programs that follow it, and none follows");
        return false;
    }
    struct action action = {
        .kind = ACTION_RELEASE,
        .chip = job->chip,
        .tiles = group->tiles,
        .cores = group->has_release ? group->release : group->loaded,
    };
    bool ok = action.cores == 0 || script_add(&job->releases, &action, &job->base.error);
    *group = (struct group){ 0 };
    return ok;
}

static bool set_chip(struct run_job *job, struct span value) {
    return finish_group(job) && parse_chip(value, &job->chip, &job->base.error);
}

static bool add_tiles(struct run_job *job, struct span value) {
    if (job->group.closed && !finish_group(job))
        return false;
    return parse_tiles(value, &job->group.tiles, &job->base.error);
}

static bool add_image(struct run_job *job, enum bh_core core, const char *name, struct span value) {
    struct action action = {
        .kind = ACTION_LOAD,
        .chip = job->chip,
        .tiles = job->group.tiles,
        .cores = 1u << core,
        .core = span_of(name),
        .file = value,
    };
    job->group.closed = true;
    job->group.loaded |= action.cores;
    return script_add(&job->loads, &action, &job->base.error);
}

static bool add_release(struct run_job *job, struct span value) {
    job->group.closed = true;
    job->group.has_release = true;
    return parse_cores(value, &job->group.release, &job->base.error);
}

static bool add_write(struct run_job *job, struct span value) {
    struct action action = { .kind = ACTION_WRITE, .chip = job->chip };
    if (!parse_write(value, &action, &job->base.error))
        return false;
    bool ok = script_add(&job->writes, &action, &job->base.error);
    if (!ok)
        free(action.words);
    return ok;
}

static bool add_look(struct run_job *job, enum action_kind kind, struct span value) {
    struct action action = { .kind = kind, .chip = job->chip };
    bool ok = kind == ACTION_DUMP ? parse_dump(value, &action, &job->base.error)
                                  : parse_tile_address(value, &action.tiles, &action.address, &job->base.error);
    return ok && script_add(&job->looks, &action, &job->base.error);
}

static bool set_script(struct run_job *job, const char *path) {
    if (job->script_path)
        snprintf(job->base.error.text, sizeof job->base.error.text, "there can be one command file only: '%s' or '%s'",
                 job->script_path, path);
    bool first = !job->script_path;
    job->script_path = path;
    return first;
}

static bool apply(struct run_job *job, int id, const struct arguments *arguments) {
    struct span value = span_of(arguments->value ? arguments->value : "");
    if (id >= OPT_CHIP && id <= OPT_PRINT)
        job->acting = arguments->name;
    switch (id) {
    case OPT_SYSTEM: job->base.machine.system_name = arguments->value; return true;
    case OPT_CHIP: return set_chip(job, value);
    case OPT_TILE: return add_tiles(job, value);
    case OPT_BRISC: return add_image(job, BH_BRISC, arguments->name, value);
    case OPT_TRISC0: return add_image(job, BH_TRISC0, arguments->name, value);
    case OPT_TRISC1: return add_image(job, BH_TRISC1, arguments->name, value);
    case OPT_TRISC2: return add_image(job, BH_TRISC2, arguments->name, value);
    case OPT_NCRISC: return add_image(job, BH_NCRISC, arguments->name, value);
    case OPT_ERISC0: return add_image(job, BH_ERISC0, arguments->name, value);
    case OPT_ERISC1: return add_image(job, BH_ERISC1, arguments->name, value);
    case OPT_RELEASE: return add_release(job, value);
    case OPT_WRITE: return add_write(job, value);
    case OPT_DUMP: return add_look(job, ACTION_DUMP, value);
    case OPT_PRINT: return add_look(job, ACTION_PRINT, value);
    case OPT_SCRIPT: return set_script(job, arguments->value);
    case OPT_COVERAGE: return job->base.machine.coverage = true;
    case OPT_SUMMARY: return job->base.machine.summary = true;
    case OPT_STATS: return job->base.machine.stats = true;
    case OPT_PROFILE: return job->base.machine.profile = true;
    default: return job_option(&job->base, id, arguments->value);
    }
}

static int parse(struct run_job *job, int argc, char **argv) {
    struct arguments arguments = { .command = job->base.command, .argc = argc, .argv = argv };
    for (int id; (id = options_next(&arguments)) != OPTION_END;) {
        if (id == OPTION_BAD)
            return EXIT_USAGE;
        if (id == OPTION_HELP)
            return -1;
        if (id == OPTION_WORD)
            return usage_error(job->base.command, "unexpected '%s'; which core is it for? Say --brisc %s",
                               arguments.value, arguments.value);
        if (!apply(job, id, &arguments))
            return usage_error(job->base.command, "--%s: %s", arguments.name, job->base.error.text);
    }
    if (!finish_group(job))
        return usage_error(job->base.command, "%s", job->base.error.text);
    if (job->script_path && job->acting)
        return usage_error(job->base.command, "--script stands alone: what --%s does belongs in the file", job->acting);
    if (job->base.machine.system_name && (job->base.outcome || job->base.delays))
        return usage_error(job->base.command,
                           "--outcome and --delays, which bhemu explore needs, are for a single chip");
    if ((job->base.save || job->base.gdb) && job->base.machine.system_name && ranks_are_several())
        return usage_error(job->base.command, "--%s is for one process, not for several ranks",
                           job->base.gdb ? "gdb" : "save");
    if (!job->script_path && !job->loads.count && !job->releases.count && !job->base.machine.restore)
        return usage_error(job->base.command, "nothing to run: give a program with --brisc FILE or the like");
    return EXIT_DONE;
}

/* Executes the actions of a list. Returns false and sets a message at the first one that fails. */
static bool do_all(struct run_job *job, const struct script *list) {
    static const char *const from[] = {
        [ACTION_WRITE] = "--write: ", [ACTION_DUMP] = "--dump: ", [ACTION_PRINT] = "--print: "
    };
    for (size_t i = 0; i < list->count; i++) {
        const struct action *action = &list->actions[i];
        if (machine_do(&job->base.machine, action))
            continue;
        const char *prefix = (size_t)action->kind < sizeof from / sizeof *from ? from[action->kind] : NULL;
        if (action->line)
            tool_error(job->base.command, "%s:%u: %s", job->script_path, action->line, job->base.machine.message);
        else
            tool_error(job->base.command, "%s%s", prefix ? prefix : "", job->base.machine.message);
        return false;
    }
    return true;
}

static int report(struct run_job *job) {
    if (!machine_flush(&job->base.machine))
        return tool_error(job->base.command, "%s", job->base.machine.message);
    if (job_page(&job->base) != EXIT_DONE)
        return EXIT_USAGE;
    if (job->base.machine.system) {
        int status = job->base.machine.json ? report_system_json(&job->base.machine)
                                            : report_system(&job->base.machine, job->base.time);
        return status == EXIT_USAGE ? tool_error(job->base.command, "%s", job->base.machine.message) : status;
    }
    if (job->base.machine.json)
        report_json(&job->base.machine);
    else
        report_text(&job->base.machine, job->base.time);
    return report_status(&job->base.machine);
}

static int print_hazards(struct run_job *job, int status) {
    struct machine *m = &job->base.machine;
    if (!m->system) {
        hazards_print(m);
        return status;
    }
    if (m->ranks)
        ranks_keep(m);
    hazards_print_system(m);
    if (m->ranks && !ranks_show(m, &status))
        return tool_error(job->base.command, "%s", m->message);
    return status;
}

/* Returns whether the symbols of dumps and texts exist. A long run should not end with a misspelt name. */
static bool can_look(struct run_job *job) {
    for (size_t i = 0; i < job->looks.count; i++) {
        const struct action *action = &job->looks.actions[i];
        if (!job->base.machine.ranks && !machine_can_look(&job->base.machine, action)) {
            tool_error(job->base.command, "--%s: %s", action->kind == ACTION_DUMP ? "dump" : "print",
                       job->base.machine.message);
            return false;
        }
    }
    return true;
}

static int run_options(struct run_job *job) {
    const struct script run = { .actions = &(struct action){ .kind = ACTION_RUN }, .count = 1 };
    struct machine *m = &job->base.machine;
    if (job_open(&job->base, NULL) != EXIT_DONE)
        return EXIT_USAGE;
    if (!do_all(job, &job->loads) || !can_look(job) || !do_all(job, &job->writes) || !do_all(job, &job->releases) ||
        !do_all(job, &run))
        return EXIT_USAGE;
    int status = m->json ? EXIT_DONE : report(job);
    if (status == EXIT_USAGE || !do_all(job, &job->looks))
        return EXIT_USAGE;
    if (m->json)
        return report(job);
    return print_hazards(job, status);
}

static int open_script(struct run_job *job, const struct script *script, const char *text, size_t size) {
    job->base.machine.digest = ranks_digest(job->base.machine.digest, text, size);
    return job_open(&job->base, &script->settings);
}

static int run_script(struct run_job *job) {
    struct script script = { 0 };
    size_t size;
    int status = EXIT_USAGE;
    char *text = job_text(&job->base, job->script_path, &size);
    if (!text)
        tool_error(job->base.command, "--script: %s", job->base.machine.message);
    else if (!script_parse(text, size, &script, &job->base.error))
        tool_error(job->base.command, "%s:%u: %s", job->script_path, job->base.error.line, job->base.error.text);
    else if (script.count == 0)
        tool_error(job->base.command, "there is nothing to do in '%s'", job->script_path);
    else if (open_script(job, &script, text, size) == EXIT_DONE && do_all(job, &script)) {
        status = report(job);
        if (!job->base.machine.json && status != EXIT_USAGE)
            status = print_hazards(job, status);
    }
    status = job_close(&job->base, status);
    script_free(&script);
    free(text);
    return status;
}

static int run(const struct command *command, int argc, char **argv) {
    struct run_job job = { .base = job_init(command, DEFAULT_MAX_CYCLES) };
    for (int i = 1; i < argc; i++)
        job.base.machine.digest = ranks_digest(job.base.machine.digest, argv[i], strlen(argv[i]) + 1);
    int status = parse(&job, argc, argv);
    if (status == EXIT_DONE)
        status = job.script_path ? run_script(&job) : job_close(&job.base, run_options(&job));
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
