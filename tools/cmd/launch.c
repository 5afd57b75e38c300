/* bhemu launch: executes a launch file with firmware, data, kernels, runs and expected results. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/job.h"
#include "report/hazards.h"
#include "report/report.h"
#include "launch/session.h"

#define DEFAULT_MAX_CYCLES 1000000000u

enum option_id { OPT_DRY_RUN = JOB_OPTIONS };

static const struct option options[] = {
    { JOB_MAX_CYCLES, "max-cycles", "N", "cycles that a boot or a run may take (10k, 5M, 1G); default 1G" },
    { JOB_KEEP_GOING, "keep-going", NULL, "let the other cores run on after a fault" },
    { OPT_DRY_RUN, "dry-run", NULL, "only look for mistakes in the file" },
#include "cmd/job_output.def"
    { JOB_RESTORE, "restore", "FILE",
      "begin with a chip that --save has written; firmware that is on it\n"
      "is not booted again" },
    { JOB_HOST_LOG, "host-log", "FILE", "write down what the host does to the tiles" },
    { JOB_BOARD, "board", "p150|p100a", "p150 if not given; goes before what the file says" },
#include "cmd/job_host.def"
    { JOB_QUIET, "quiet", NULL, "no report: only dumps and errors" },
    { JOB_NO_PROGRESS, "no-progress", NULL, "no line about the progress of a long run on a terminal" },
    { JOB_TIME, "time", NULL, "say how long the host took" },
    { 0, NULL, NULL, NULL },
};

static const char notes[] =
    "A launch file names firmware, buffers, programs (a kernel for each core, arguments, circular buffers,\n"
    "semaphores), runs, dumps and expectations; see docs/software.md. File names in it are relative to the\n"
    "current directory. - is stdin.\n"
    "\n"
    "Exit status: 0 done, 1 a guest fault or failed expectation, 2 a wrong argument or file, 3 the cycle\n"
    "limit, 4 tiles cannot answer any more, 5 --check has found a RACE.\n"
    "\n"
    "Examples:\n"
    "  bhemu launch add1.launch\n"
    "  bhemu launch add1.launch --restore booted.chip\n"
    "  bhemu launch matmul.launch --threads 4 --time\n";

struct launch_job {
    struct job base;
    const char *path;
    struct launch launch;
    struct session session;
    bool dry_run;
};

static bool apply(struct launch_job *job, int id, const struct arguments *arguments) {
    if (id == OPT_DRY_RUN)
        return job->dry_run = true;
    return job_option(&job->base, id, arguments->value);
}

static int parse(struct launch_job *job, int argc, char **argv) {
    struct arguments arguments = { .command = job->base.command, .argc = argc, .argv = argv };
    for (int id; (id = options_next(&arguments)) != OPTION_END;) {
        if (id == OPTION_BAD)
            return EXIT_USAGE;
        if (id == OPTION_HELP)
            return EXIT_DONE;
        if (id == OPTION_WORD && job->path)
            return usage_error(job->base.command, "unexpected '%s': one file is enough", arguments.value);
        if (id == OPTION_WORD)
            job->path = arguments.value;
        else if (!apply(job, id, &arguments))
            return usage_error(job->base.command, "--%s: %s", arguments.name, job->base.error.text);
    }
    if (job->path)
        return -1;
    usage_error(job->base.command, "which file?");
    return EXIT_USAGE;
}

/* ---- Report ------------------------------------------------------------------------------------- */

static const struct step *step_of(const struct launch_job *job, size_t step) {
    return &job->launch.steps[step];
}

static void print_run(const struct launch_job *job, const struct ran *ran) {
    char cycles[GROUPED_SIZE];
    bool boot = step_of(job, ran->step)->kind == STEP_FIRMWARE;
    printf("%s (line %u): %u of %u tile%s %s, %s %s\n", boot ? "boot" : "run", step_of(job, ran->step)->line,
           ran->answers.done, ran->answers.count, ran->answers.count == 1 ? "" : "s", boot ? "ready" : "done",
           grouped(ran->end - ran->start, cycles), machine_cycles(&job->base.machine));
}

static void print_seen(const struct launch_job *job, const struct seen *seen) {
    const struct step *step = step_of(job, seen->step);
    struct span name = step_of(job, step->look.buffer)->buffer.name;
    if (step->kind == STEP_EXPECT)
        printf("expect %.*s: %zu bytes %s\n", SPAN(name), seen->size, seen->wrong ? "not as expected" : "as expected");
    else if (step->look.file.n)
        printf("dump %.*s: %zu bytes to '%.*s'\n", SPAN(name), seen->size, SPAN(step->look.file));
}

static void explain(const struct launch_job *job) {
    const struct session *s = &job->session;
    const struct ran *last = s->ran_count ? &s->ran[s->ran_count - 1] : NULL;
    report_faults(s->machine);
    if (!last || last->answers.done == last->answers.count)
        return;
    answers_explain(s->machine, &s->firmware, &last->answers,
                    step_of(job, last->step)->kind == STEP_FIRMWARE ? "INIT" : "GO");
    report_waiting(s->machine, false);
}

static void print_result(const struct launch_job *job) {
    const struct session *s = &job->session;
    char cycles[GROUPED_SIZE];
    fflush(stdout);
    explain(job);
    for (size_t i = 0; i < s->ran_count && !s->machine->quiet; i++)
        print_run(job, &s->ran[i]);
    for (size_t i = 0; i < s->seen_count && !s->machine->quiet; i++)
        print_seen(job, &s->seen[i]);
    if (!s->machine->quiet)
        printf("%s after %s %s\n", report_outcome(s->machine), grouped(bh_cycle(s->machine->chip), cycles),
               machine_cycles(s->machine));
    if (job->base.time)
        printf("host: %.3f s\n", s->machine->seconds);
    hazards_print(s->machine);
}

static void json_runs(struct json *j, const struct launch_job *job) {
    json_open(j, "runs", '[');
    for (size_t i = 0; i < job->session.ran_count; i++) {
        const struct ran *ran = &job->session.ran[i];
        json_open(j, NULL, '{');
        json_string(j, "kind", step_of(job, ran->step)->kind == STEP_FIRMWARE ? "boot" : "run");
        json_number(j, "line", step_of(job, ran->step)->line);
        json_number(j, "cycles", ran->end - ran->start);
        answers_json(j, &ran->answers);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_seen(struct json *j, const struct launch_job *job) {
    json_open(j, "looks", '[');
    for (size_t i = 0; i < job->session.seen_count; i++) {
        const struct seen *seen = &job->session.seen[i];
        const struct step *step = step_of(job, seen->step);
        struct span name = step_of(job, step->look.buffer)->buffer.name;
        json_open_line(j, NULL, '{');
        json_string(j, "kind", step->kind == STEP_EXPECT ? "expect" : "dump");
        json_string_n(j, "buffer", name.p, name.n);
        json_number(j, "bytes", seen->size);
        if (step->kind == STEP_EXPECT)
            json_number(j, "wrong_words", seen->wrong);
        if (step->look.file.n)
            json_string_n(j, "file", step->look.file.p, step->look.file.n);
        json_close_line(j, '}');
    }
    json_close(j, ']');
}

static void print_json(const struct launch_job *job) {
    const struct machine *m = &job->base.machine;
    struct json j;
    report_json_begin(&j, m, job->session.firmware.layout_name);
    json_runs(&j, job);
    json_seen(&j, job);
    if (job->session.ran_count)
        answers_json_stuck(&j, m, &job->session.ran[job->session.ran_count - 1].answers);
    report_json_faults(&j, m);
    hazards_json(&j, m);
    json_close(&j, '}');
    json_end(&j);
}

/* ---- The command -------------------------------------------------------------------------------- */

static int complain(const struct launch_job *job, const struct ini *ini) {
    for (unsigned i = 0; i < ini->error_count && i < INI_ERRORS_MAX; i++)
        tool_error(job->base.command, "%s:%u: %s", job->path, ini->errors[i].line, ini->errors[i].text);
    if (ini->error_count > INI_ERRORS_MAX)
        tool_error(job->base.command, "... and %u more mistakes", ini->error_count - INI_ERRORS_MAX);
    return EXIT_USAGE;
}

static int perform(struct launch_job *job) {
    struct machine *m = &job->base.machine;
    if (job_open(&job->base, &job->launch.settings) != EXIT_DONE)
        return EXIT_USAGE;
    if (!session_open(&job->session, m, &job->launch))
        return tool_error(job->base.command, "%s", m->message);
    if (!session_run(&job->session))
        return tool_error(job->base.command, "%s:%u: %s", job->path, job->session.line, m->message);
    if (job_page(&job->base) != EXIT_DONE)
        return EXIT_USAGE;
    m->json ? print_json(job) : print_result(job);
    return report_status(m);
}

static int launch_file(struct launch_job *job) {
    struct ini ini;
    size_t size;
    char *text = job_text(&job->base, job->path, &size);
    int status;
    if (!text)
        status = tool_error(job->base.command, "%s", job->base.machine.message);
    else if (!launch_parse(&ini, text, size, &job->launch))
        status = complain(job, &ini);
    else if (job->launch.count == 0)
        status = tool_error(job->base.command, "there is nothing to do in '%s'", job->path);
    else
        status = job->dry_run ? EXIT_DONE : perform(job);
    status = job_close(&job->base, status);
    session_close(&job->session);
    launch_free(&job->launch);
    free(text);
    return status;
}

static int run(const struct command *command, int argc, char **argv) {
    struct launch_job *job = calloc(1, sizeof *job);
    if (!job)
        return tool_error(command, "out of memory");
    job->base = job_init(command, DEFAULT_MAX_CYCLES);
    int status = parse(job, argc, argv);
    if (status < 0)
        status = launch_file(job);
    free(job);
    return status;
}

const struct command command_launch = {
    .name = "launch",
    .synopsis = "FILE [OPTION]...",
    .summary = "run kernels under tt-metal firmware as a launch file says",
    .options = options,
    .notes = notes,
    .run = run,
};
