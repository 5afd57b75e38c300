/* bhemu boot: loads tt-metal firmware on tiles, releases BRISC and waits until every tile is ready. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "firmware/firmware.h"
#include "cmd/job.h"
#include "report/hazards.h"
#include "report/report.h"

#define DEFAULT_MAX_CYCLES 10000000u
#define LIST_MAX           16

enum option_id {
    OPT_TILE = JOB_OPTIONS,
    OPT_LAYOUT,
    OPT_BRISC,
    OPT_TRISC0,
    OPT_TRISC1,
    OPT_TRISC2,
    OPT_NCRISC,
    OPT_LAYOUTS,
    OPT_SHOW,
};

static const struct option options[] = {
    { OPT_TILE, "tile", "TILES", "X,Y or X,Y-X,Y (a rectangle) or all; may be repeated; 1,2 if not given" },
    { OPT_LAYOUT, "layout", "NAME|FILE",
      "where the firmware has its mailboxes: a name of --layouts or a file;\n"
      "without it, the one whose addresses fit" },
    { OPT_BRISC, "brisc", "FILE", "firmware of a core, instead of DIRECTORY/CORE.elf" },
    { OPT_TRISC0, "trisc0", "FILE", "" },
    { OPT_TRISC1, "trisc1", "FILE", "" },
    { OPT_TRISC2, "trisc2", "FILE", "" },
    { OPT_NCRISC, "ncrisc", "FILE", "" },
    { JOB_MAX_CYCLES, "max-cycles", "N", "give up after N cycles (10k, 5M, 1G); default 10M" },
    { JOB_KEEP_GOING, "keep-going", NULL, "let the other tiles boot on after a fault" },
#include "cmd/job_output.def"
    { JOB_HOST_LOG, "host-log", "FILE", "write down what the host does to the tiles" },
    { JOB_BOARD, "board", "p150|p100a", "p150 if not given" },
#include "cmd/job_host.def"
    { JOB_NO_PROGRESS, "no-progress", NULL, "no line about the progress of a long run on a terminal" },
    { JOB_TIME, "time", NULL, "say how long the host took" },
    { OPT_LAYOUTS, "layouts", NULL, "name the layouts that are built in" },
    { OPT_SHOW, "show-layout", "NAME", "print a layout that is built in, to begin an own one with" },
    { 0, NULL, NULL, NULL },
};

static const char notes[] =
    "DIRECTORY has brisc.elf, ncrisc.elf, trisc0.elf, trisc1.elf and trisc2.elf of one build of tt-metal.\n"
    "A tile is ready when BRISC has started the other cores and taken back the INIT signal of the host.\n"
    "\n"
    "Exit status: 0 every tile is ready, 1 a guest fault, 2 a wrong argument, 3 the cycle limit,\n"
    "4 a tile cannot become ready any more, 5 --check has found a RACE.\n"
    "\n"
    "Examples:\n"
    "  bhemu boot firmware/ --board p100a --tile all\n"
    "  bhemu boot firmware/ --tile all --save booted.chip\n"
    "  bhemu boot firmware/ --layout my.layout --tile 1,2 --tile 4,4-7,7 --threads 4\n";

struct boot_job {
    struct job base;
    struct firmware_files what;
    struct firmware firmware;
    struct answers answers;
    int status; /* exit status, if an option has done the whole job; -1: continue */
};

static bool fail(struct boot_job *job, struct span value, const char *what) {
    snprintf(job->base.error.text, sizeof job->base.error.text, "'%.*s' is not %s", SPAN(value), what);
    return false;
}

static bool set_file(struct boot_job *job, enum bh_core core, struct span value) {
    job->what.file[core] = value;
    return true;
}

static bool list_layouts(struct boot_job *job) {
    for (const struct layout_text *text = layout_texts; text->name; text++)
        printf("%-12s %.*s\n", text->name, (int)strcspn(text->text + 2, "\n"), text->text + 2);
    job->status = EXIT_DONE;
    return true;
}

static bool show_layout(struct boot_job *job, struct span name) {
    for (const struct layout_text *text = layout_texts; text->name; text++) {
        if (!span_is(name, text->name))
            continue;
        fputs(text->text, stdout);
        job->status = EXIT_DONE;
        return true;
    }
    return fail(job, name, "a layout that is built in; --layouts names them");
}

static bool apply(struct boot_job *job, int id, const struct arguments *arguments) {
    struct span value = span_of(arguments->value ? arguments->value : "");
    switch (id) {
    case OPT_TILE: return parse_tiles(value, &job->what.tiles, &job->base.error);
    case OPT_LAYOUT: job->what.layout = value; return true;
    case OPT_BRISC: return set_file(job, BH_BRISC, value);
    case OPT_TRISC0: return set_file(job, BH_TRISC0, value);
    case OPT_TRISC1: return set_file(job, BH_TRISC1, value);
    case OPT_TRISC2: return set_file(job, BH_TRISC2, value);
    case OPT_NCRISC: return set_file(job, BH_NCRISC, value);
    case OPT_LAYOUTS: return list_layouts(job);
    case OPT_SHOW: return show_layout(job, value);
    default: return job_option(&job->base, id, arguments->value);
    }
}

static void parse(struct boot_job *job, int argc, char **argv) {
    struct arguments arguments = { .command = job->base.command, .argc = argc, .argv = argv };
    for (int id; job->status < 0 && (id = options_next(&arguments)) != OPTION_END;) {
        if (id == OPTION_BAD)
            job->status = EXIT_USAGE;
        else if (id == OPTION_HELP)
            job->status = EXIT_DONE;
        else if (id == OPTION_WORD && job->what.directory.n)
            job->status = usage_error(job->base.command, "unexpected '%s': one directory is enough", arguments.value);
        else if (id == OPTION_WORD)
            job->what.directory = span_of(arguments.value);
        else if (!apply(job, id, &arguments))
            job->status = usage_error(job->base.command, "--%s: %s", arguments.name, job->base.error.text);
    }
    bool named = job->what.directory.n;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        named |= job->what.file[core].n != 0;
    if (job->status < 0 && !named)
        job->status = usage_error(job->base.command, "which directory?");
}

/* ---- Report -------------------------------------------------------------------------------------- */

static void print_tiles(const struct boot_job *job) {
    const struct answers *answers = &job->answers;
    char cycle[GROUPED_SIZE];
    for (unsigned i = 0; i < answers->count && answers->count <= LIST_MAX; i++) {
        const struct answer *a = &answers->tile[i];
        if (a->done)
            printf("  %u,%u ready by cycle %s\n", a->tile.x, a->tile.y, grouped(a->cycle, cycle));
        else
            printf("  %u,%u not ready\n", a->tile.x, a->tile.y);
    }
}

static void print_result(struct boot_job *job) {
    const struct machine *m = &job->base.machine;
    const struct layout *l = &job->firmware.layout;
    char cycles[GROUPED_SIZE];
    fflush(stdout);
    report_faults(m);
    if (job->answers.done < job->answers.count) {
        answers_explain(m, &job->firmware, &job->answers, "INIT");
        report_waiting(m, false);
    }
    printf("layout %s: %u DRAM banks, %u L1 banks, %u circular buffers\n", job->firmware.layout_name, l->dram_banks,
           l->l1_banks, l->cb_count);
    printf("%u of %u tile%s ready after %s %s\n", job->answers.done, job->answers.count,
           job->answers.count == 1 ? "" : "s", grouped(bh_cycle(m->chip), cycles), machine_cycles(m));
    print_tiles(job);
    if (job->base.time)
        printf("host: %.3f s\n", m->seconds);
    hazards_print(m);
}

static void print_json(struct boot_job *job) {
    const struct machine *m = &job->base.machine;
    struct json j;
    report_json_begin(&j, m, job->firmware.layout_name);
    answers_json(&j, &job->answers);
    answers_json_stuck(&j, m, &job->answers);
    report_json_faults(&j, m);
    hazards_json(&j, m);
    json_close(&j, '}');
    json_end(&j);
}

static int boot(struct boot_job *job) {
    struct machine *m = &job->base.machine;
    job->what.tiles = *tile_list_or_first(&job->what.tiles);
    if (job_open(&job->base, NULL) != EXIT_DONE)
        return EXIT_USAGE;
    if (!firmware_open(m, &job->what, &job->firmware) ||
        !firmware_boot(m, &job->firmware, &job->what.tiles, m->max_cycles, &job->answers))
        return tool_error(job->base.command, "%s", m->message);
    if (job_page(&job->base) != EXIT_DONE)
        return EXIT_USAGE;
    m->json ? print_json(job) : print_result(job);
    return report_status(m);
}

static int run(const struct command *command, int argc, char **argv) {
    struct boot_job job = { .base = job_init(command, DEFAULT_MAX_CYCLES), .status = -1 };
    parse(&job, argc, argv);
    if (job.status >= 0)
        return job.status;
    int status = job_close(&job.base, boot(&job));
    firmware_close(&job.firmware);
    return status;
}

const struct command command_boot = {
    .name = "boot",
    .synopsis = "DIRECTORY [--tile TILES]... [OPTION]...",
    .summary = "boot tt-metal firmware on an emulated chip",
    .options = options,
    .notes = notes,
    .run = run,
};
