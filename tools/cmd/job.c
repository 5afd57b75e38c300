/* Code that the commands with a chip share: see job.h. */
#include "cmd/job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/outcome.h"
#include "report/page.h"
#include "text/file.h"

struct job job_init(const struct command *command, uint64_t max_cycles) {
    return (struct job){
        .command = command,
        .machine = { .max_cycles = max_cycles,
                     .progress = progress_begin(STDERR_FILENO, true),
                     .trace_to = UINT64_MAX,
                     .op = 1 },
    };
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

static bool set_format(struct job *job, enum output_kind kind, const char *name) {
    job->format[kind] = formats_find(kind, name);
    if (!job->format[kind])
        snprintf(job->error.text, sizeof job->error.text, "there is no format '%s'; there are %s", name,
                 formats_names(kind));
    job->unused_format[kind] = true;
    return job->format[kind];
}

static bool add_output(struct job *job, enum output_kind kind, const char *path) {
    struct machine *m = &job->machine;
    const struct format *format = job->format[kind] ? job->format[kind] : formats_of_file(kind, path);
    job->unused_format[kind] = false;
    if (!format)
        snprintf(job->error.text, sizeof job->error.text,
                 "the name '%s' does not say in which format to write; say so with --profile-format, before it: %s",
                 path, formats_names(kind));
    else if (m->output_count == OUTPUTS_MAX)
        snprintf(job->error.text, sizeof job->error.text, "more than %u files", OUTPUTS_MAX);
    else
        m->output[m->output_count++] = (struct output){ .format = format, .path = path };
    return !*job->error.text;
}

static bool set_page(struct job *job, const char *path) {
    struct machine *m = &job->machine;
    if (m->page_path)
        snprintf(job->error.text, sizeof job->error.text, "there can be one page only: '%s' or '%s'", m->page_path,
                 path);
    bool first = !m->page_path;
    m->page_path = path;
    return first;
}

bool job_option(struct job *job, int id, const char *text) {
    struct span value = span_of(text ? text : "");
    switch (id) {
    case JOB_MAX_CYCLES: return parse_cycles(value, &job->machine.max_cycles, &job->error);
    case JOB_KEEP_GOING: return job->machine.keep_going = true;
    case JOB_HOST_LOG: job->host_log = text; return true;
    case JOB_BOARD: return parse_board(value, &job->settings, &job->error);
    case JOB_THREADS: return parse_threads(value, &job->settings, &job->error);
    case JOB_TIMING: return parse_timing(value, &job->settings, &job->error);
    case JOB_SKEW: return parse_skew(value, &job->settings, &job->error);
    case JOB_JSON: return job->machine.json = true;
    case JOB_QUIET: return job->machine.quiet = true;
    case JOB_NO_PROGRESS: job->machine.progress.on = false; return true;
    case JOB_TIME: return job->time = true;
    case JOB_SAVE: job->save = text; return true;
    case JOB_RESTORE: job->machine.restore = text; return true;
    case JOB_CHECK: return job->machine.check = true;
    case JOB_REPORT: return set_page(job, text);
    case JOB_GDB: job->gdb = text; return true;
    case JOB_SUPPRESS: job->machine.suppress_path = text; return true;
    case JOB_VARY: job->machine.vary = text; return true;
    case JOB_OUTCOME: job->outcome = text; return true;
    case JOB_DELAYS: job->delays = text; return true;
    case JOB_TRACE: return add_output(job, OUTPUT_TRACE, text);
    case JOB_TRACE_FORMAT: return set_format(job, OUTPUT_TRACE, text);
    case JOB_PROFILE_FILE: return add_output(job, OUTPUT_PROFILE, text);
    case JOB_PROFILE_FORMAT: return set_format(job, OUTPUT_PROFILE, text);
    case JOB_TRACE_TILES:
        job->tracing = "trace-tiles";
        return parse_tiles(value, &job->machine.trace_tiles, &job->error);
    case JOB_TRACE_CYCLES: job->tracing = "trace-cycles"; return set_window(job, value);
    }
    return false;
}

char *job_text(struct job *job, const char *path, size_t *size) {
    struct machine *m = &job->machine;
    m->script_name = path;
    return (char *)file_read(span_of(strcmp(path, "-") == 0 ? "/dev/stdin" : path), size, m->message,
                             sizeof m->message);
}

static struct settings merged(const struct settings *line, const struct settings *file) {
    struct settings s = *file;
    if (line->has_board)
        s.board = line->board;
    if (line->has_threads)
        s.threads = line->threads;
    if (line->has_timing)
        s.timing = line->timing;
    if (line->has_skew)
        s.skew = line->skew;
    s.has_board |= line->has_board;
    s.has_timing |= line->has_timing;
    s.has_threads |= line->has_threads;
    s.has_skew |= line->has_skew;
    return s;
}

static int bad_log(const struct job *job) {
    return tool_error(job->command, "--host-log: cannot write '%s': %s", job->host_log, strerror(errno));
}

static int open_suppressions(struct job *job) {
    struct machine *m = &job->machine;
    size_t size;
    if (!m->suppress_path)
        return EXIT_DONE;
    if (!m->check)
        return usage_error(job->command, "--suppress says which hazards to leave out, but there is no --check");
    job->suppress_text = (char *)file_read(span_of(m->suppress_path), &size, m->message, sizeof m->message);
    if (!job->suppress_text)
        return tool_error(job->command, "--suppress: %s", m->message);
    if (!suppress_parse(job->suppress_text, size, &job->suppress, &job->error))
        return tool_error(job->command, "%s:%u: %s", m->suppress_path, job->error.line, job->error.text);
    m->suppress = &job->suppress;
    return EXIT_DONE;
}

static bool has_trace(const struct machine *m) {
    for (unsigned i = 0; i < m->output_count; i++)
        if (m->output[i].format->kind == OUTPUT_TRACE)
            return true;
    return false;
}

/* Refuses one file for two outputs, of which one would overwrite the other. Devices can take several. */
static int check_names(const struct job *job) {
    const struct machine *m = &job->machine;
    const char *name[OUTPUTS_MAX + 5] = { m->page_path, job->save, job->outcome, job->delays, job->host_log };
    for (unsigned i = 0; i < m->output_count; i++)
        name[5 + i] = m->output[i].path;
    for (unsigned i = 1; i < 5 + m->output_count; i++)
        for (unsigned k = 0; k < i && name[i]; k++)
            if (name[k] && file_same(name[k], name[i]))
                return usage_error(job->command, "two outputs are one file, '%s' and '%s'", name[k], name[i]);
    return EXIT_DONE;
}

int job_open(struct job *job, const struct settings *file) {
    struct machine *m = &job->machine;
    if (job->tracing && !has_trace(m))
        return usage_error(job->command, "--%s says what is in a trace, but there is no --trace FILE", job->tracing);
    for (unsigned kind = 0; kind < OUTPUT_KINDS; kind++)
        if (job->unused_format[kind])
            return usage_error(job->command, "--%s is for the files that follow it, and none follows",
                               kind == OUTPUT_TRACE ? "trace-format" : "profile-format");
    if (check_names(job) != EXIT_DONE)
        return EXIT_USAGE;
    struct settings settings = file ? merged(&job->settings, file) : job->settings;
    if (job->host_log && !(m->host_log = fopen(job->host_log, "w")))
        return bad_log(job);
    if (open_suppressions(job) != EXIT_DONE)
        return EXIT_USAGE;
    if (!machine_open(m, &settings))
        return tool_error(job->command, "%s", m->message);
    if (job->gdb && !machine_debug(m, job->gdb))
        return tool_error(job->command, "--gdb: %s", m->message);
    return EXIT_DONE;
}

int job_page(struct job *job) {
    struct machine *m = &job->machine;
    if (!m->page_path || (machine_flush(m) && page_write(m)))
        return EXIT_DONE;
    return tool_error(job->command, "%s", m->message);
}

static int write_file(struct job *job, const char *name, const char *path, int status,
                      void (*write)(FILE *out, const struct machine *m, int status)) {
    FILE *out = path ? fopen(path, "w") : NULL;
    if (!path)
        return status;
    if (out)
        write(out, &job->machine, status);
    bool written = out && !ferror(out);
    if (out && !fclose(out) && written)
        return status;
    return tool_error(job->command, "--%s: cannot write '%s': %s", name, path, strerror(errno));
}

static void write_delays(FILE *out, const struct machine *m, int status) {
    (void)status;
    outcome_write_delays(out, m);
}

/* Completes the outputs. Returns the status of the run, or EXIT_USAGE if the run succeeded but an output failed. */
static int end_outputs(struct job *job, int status) {
    if (machine_end_outputs(&job->machine) || status == EXIT_USAGE)
        return status;
    tool_error(job->command, "%s", job->machine.message);
    return status == EXIT_DONE ? EXIT_USAGE : status;
}

static int save(const struct job *job) {
    bh_system *system = job->machine.system;
    if ((system ? bh_system_save(system, job->save) : bh_save(job->machine.chip, job->save)) == BH_OK)
        return EXIT_DONE;
    return tool_error(job->command, "--save: %s", system ? bh_system_message(system) : bh_message(job->machine.chip));
}

static bool happened(const bh_chip *chip, const struct bh_delay *named) {
    struct bh_delay delay;
    for (size_t i = 0; bh_delay_at(chip, i, &delay) == BH_OK; i++)
        if (delay.kind == named->kind && delay.tile.x == named->tile.x && delay.tile.y == named->tile.y &&
            delay.to.x == named->to.x && delay.to.y == named->to.y && delay.agent == named->agent &&
            delay.number == named->number)
            return true;
    return false;
}

/* Says which of the delays that --vary names had no event, as when the program is no longer the one that had them. */
static void note_missing_events(const struct job *job) {
    const struct machine *m = &job->machine;
    struct bh_delay delay;
    const char *end;
    for (const char *at = m->system ? NULL : m->vary; at && (end = bh_delay_parse(at, &delay));
         at = *end ? end + 1 : NULL)
        if (!happened(m->chip, &delay))
            fprintf(stderr, "bhemu %s: --vary: no event for '%.*s' has come\n", job->command->name, (int)(end - at),
                    at);
}

int job_close(struct job *job, int status) {
    status = end_outputs(job, status);
    if (status != EXIT_USAGE && job->machine.chip) {
        note_missing_events(job);
        status = write_file(job, "outcome", job->outcome, status, outcome_write);
        status = write_file(job, "delays", job->delays, status, write_delays);
    }
    FILE *log = job->machine.host_log;
    bool written = !log || !ferror(log);
    if ((log && fclose(log)) || !written)
        status = bad_log(job);
    if (job->save && status == EXIT_DONE)
        status = save(job);
    fflush(stdout);
    gdb_close(job->machine.gdb, status);
    job->machine.gdb = NULL;
    machine_close(&job->machine);
    suppress_free(&job->suppress);
    free(job->suppress_text);
    return status;
}
