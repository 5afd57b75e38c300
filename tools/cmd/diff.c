/* bhemu diff: runs two commands in step, and finds the first state in which they differ (docs/diff.md). */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "diff/diff.h"

enum { EXIT_DIFFERENT = 1, WORDS_MAX = 256, LISTED = 8 };

enum option_id { OPT_VALUES, OPT_MEMORY, OPT_LIST, OPT_JSON, OPT_NO_PROGRESS };

static const struct option options[] = {
    { OPT_VALUES, "values", NULL, "compare values at the ends only, without cycles; so it is if the timings differ" },
    { OPT_MEMORY, "memory", NULL, "of these, only L1 and DRAM: for code that was compiled differently" },
    { OPT_LIST, "list", "N", "list up to N differences; 8 if not given" },
    { OPT_JSON, "json", NULL, "report as one JSON object" },
    { OPT_NO_PROGRESS, "no-progress", NULL, "no line about the progress on a terminal" },
    { 0, NULL, NULL, NULL },
};

static const char notes[] =
    "Runs two commands in step and names the first state that differs: tile, register or word, both values, and the\n"
    "instruction that has written it. A and B are run, boot or launch with their arguments. If B begins with an\n"
    "option, it is A with these options instead of A's. Two files that --save has written are compared as they\n"
    "are. Options of diff come first.\n"
    "\n"
    "Exit status: 0 equal, 1 a difference, 2 a wrong argument, or a run that could not be made.\n"
    "\n"
    "Examples:\n"
    "  bhemu diff run --brisc a.elf --vs --brisc b.elf\n"
    "  bhemu diff run --brisc hello.elf --vs --vary 7\n"
    "  bhemu diff launch a.launch --vs launch b.launch --threads 1\n"
    "  bhemu diff before.chip after.chip\n";

static const struct command *const inner[] = { &command_run, &command_boot, &command_launch, NULL };

/* One of the two commands and its arguments. */
struct job_words {
    const struct command *command;
    int argc;
    char *argv[WORDS_MAX];
    char text[1000];
};

struct difference {
    const struct command *command;
    bool json, values, memory, no_progress;
    size_t listed;
    struct job_words job[SIDES];
    struct meeting meeting;
    struct seeker seeker;
    struct result result;
    int saved_out, saved_err, captured;
    off_t captured_size;
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
    (void)number;
    interrupted = 1;
}

/* ---- Arguments --------------------------------------------------------------------------------------------- */

/* Returns the number of words of an option: itself and its value. */
static int words_of(const struct job_words *job, char *const *word, int left) {
    const char *value;
    const struct option *o = options_named(job->command, *word, &value);
    return o && o->value && !value && left > 1 ? 2 : 1;
}

static void remove_words(struct job_words *job, int at, int count) {
    memmove(&job->argv[at], &job->argv[at + count], (size_t)(job->argc - at - count) * sizeof *job->argv);
    job->argc -= count;
}

/* Returns the index of the same option in the arguments of A, or of A's only word that is no option. -1: A has none;
 * -2: A has several. */
static int place_of(const struct job_words *job, const char *word) {
    const char *unused;
    const struct option *wanted = options_named(job->command, word, &unused);
    int found = -1;
    for (int i = 0; i < job->argc; i += words_of(job, &job->argv[i], job->argc - i)) {
        const struct option *o = options_named(job->command, job->argv[i], &unused);
        if (o == wanted && (o || job->argv[i][0] != '-'))
            found = found == -1 ? i : -2;
    }
    return found;
}

/* Returns whether a word is the option --tile, which is about the programs behind it. */
static bool is_tile(const struct job_words *job, const char *word) {
    const char *unused;
    const struct option *o = options_named(job->command, word, &unused);
    return o && strcmp(o->name, "tile") == 0;
}

/* Makes the arguments of B: those of A, with the changes for B. What A does not have comes last, but tiles first. */
static int merge(struct difference *d, int argc, char **argv) {
    struct job_words *b = &d->job[1];
    *b = d->job[0];
    for (int i = 0, count; i < argc; i += count) {
        count = words_of(b, &argv[i], argc - i);
        int at = place_of(b, argv[i]);
        if (at == -2)
            return usage_error(d->command, "A has '%s' more than once: write the whole of B behind --vs", argv[i]);
        if (at >= 0)
            remove_words(b, at, words_of(b, &b->argv[at], b->argc - at));
        else
            at = is_tile(b, argv[i]) ? 0 : b->argc;
        if (b->argc + count > WORDS_MAX)
            return usage_error(d->command, "too many words");
        memmove(&b->argv[at + count], &b->argv[at], (size_t)(b->argc - at) * sizeof *b->argv);
        memcpy(&b->argv[at], &argv[i], (size_t)count * sizeof *argv);
        b->argc += count;
    }
    return EXIT_DONE;
}

static int take_job(const struct difference *d, struct job_words *job, int argc, char **argv) {
    job->command = argc ? options_inner(&command_diff, argv[0]) : NULL;
    if (!job->command)
        return usage_error(d->command,
                           argc ? "cannot compare '%s': run, boot and launch can be compared"
                                : "there is nothing on one side of --vs",
                           argc ? argv[0] : "");
    if (argc - 1 > WORDS_MAX)
        return usage_error(d->command, "too many words");
    job->argc = argc - 1;
    memcpy(job->argv, argv + 1, (size_t)job->argc * sizeof *argv);
    return EXIT_DONE;
}

static int refuse_some(const struct difference *d, const struct job_words *job) {
    static const char *const bad[] = { "gdb", "check", "trace", "report", "save", "system" };
    for (int i = 0, count; i < job->argc; i += count) {
        const char *value;
        const struct option *o = options_named(job->command, job->argv[i], &value);
        count = words_of(job, &job->argv[i], job->argc - i);
        for (size_t k = 0; o && k < sizeof bad / sizeof *bad; k++)
            if (strcmp(o->name, bad[k]) == 0)
                return usage_error(d->command, "--%s is not possible in a comparison", o->name);
        if (strcmp(job->argv[i], "--help") == 0 || strcmp(job->argv[i], "-h") == 0)
            return usage_error(d->command, "%s is not possible in a comparison", job->argv[i]);
        if (strcmp(value ? value : job->argv[i + count - 1], "-") == 0)
            return usage_error(d->command, "stdin can be read once only: name a file instead of -");
    }
    return EXIT_DONE;
}

static void write_name(struct job_words *job) {
    size_t used = (size_t)snprintf(job->text, sizeof job->text, "%s", job->command->name);
    for (int i = 0; i < job->argc && used < sizeof job->text; i++)
        used += (size_t)snprintf(job->text + used, sizeof job->text - used, " %s", job->argv[i]);
}

static const char *value_of(const struct job_words *job, const char *name) {
    const char *value = "";
    for (int i = 0; i < job->argc; i += words_of(job, &job->argv[i], job->argc - i)) {
        const char *own;
        const struct option *o = options_named(job->command, job->argv[i], &own);
        if (o && strcmp(o->name, name) == 0 && o->value)
            value = own ? own : i + 1 < job->argc ? job->argv[i + 1] : "";
    }
    return value;
}

/* Returns whether the times of the runs cannot agree. Such runs are compared at their ends only. */
static bool times_differ(const struct difference *d) {
    static const char *const names[] = { "timing", "skew" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(value_of(&d->job[0], names[i]), value_of(&d->job[1], names[i])) != 0)
            return true;
    return strcmp(value_of(&d->job[0], "timing"), "loose") == 0;
}

static int take_jobs(struct difference *d, int argc, char **argv) {
    int vs = 0;
    while (vs < argc && strcmp(argv[vs], "--vs") != 0)
        vs++;
    if (vs == argc)
        return usage_error(d->command, "what is compared with it? Say --vs, or give two files that --save has written");
    int status = take_job(d, &d->job[0], vs, argv), left = argc - vs - 1;
    if (status != EXIT_DONE)
        return status;
    bool whole = left && options_inner(&command_diff, argv[vs + 1]);
    status = whole ? take_job(d, &d->job[1], left, argv + vs + 1) : merge(d, left, argv + vs + 1);
    for (unsigned i = 0; i < SIDES && status == EXIT_DONE; i++) {
        status = refuse_some(d, &d->job[i]);
        write_name(&d->job[i]);
    }
    d->values = d->values || times_differ(d);
    return status;
}

static bool take_number(struct difference *d, const char *text) {
    uint64_t number;
    if (!span_count(span_of(text), &number) || number == 0 || number > UINT32_MAX) {
        usage_error(d->command, "--list: '%s' is no number of differences", text);
        return false;
    }
    d->listed = (size_t)number;
    return true;
}

/* Reads the options of diff, up to the first word that is no option. Returns -1 to continue, or the exit status. */
static int take_options(struct difference *d, int argc, char **argv, int *at) {
    struct arguments arguments = { .command = d->command, .argc = argc, .argv = argv };
    for (; *at < argc && argv[*at][0] == '-' && strcmp(argv[*at], "--vs") != 0; *at = arguments.next) {
        switch (options_next(&arguments)) {
        case OPT_VALUES: d->values = true; break;
        case OPT_MEMORY: d->values = d->memory = true; break;
        case OPT_LIST:
            if (!take_number(d, arguments.value))
                return EXIT_USAGE;
            break;
        case OPT_JSON: d->json = true; break;
        case OPT_NO_PROGRESS: d->no_progress = true; break;
        case OPTION_HELP: return EXIT_DONE;
        case OPTION_BAD: return EXIT_USAGE;
        default: return usage_error(d->command, "unexpected '%s'", argv[*at]);
        }
    }
    return -1;
}

/* ---- Saved chips ------------------------------------------------------------------------------------------- */

static bh_chip *load(const struct difference *d, const char *path) {
    struct bh_config config;
    char message[400];
    bh_chip *chip = NULL;
    bh_config_init(&config);
    if (bh_saved_config(path, &config, message, sizeof message) != BH_OK ||
        bh_create(&config, &chip, message, sizeof message) != BH_OK) {
        tool_error(d->command, "%s", message);
        return NULL;
    }
    if (bh_load(chip, path) == BH_OK)
        return chip;
    tool_error(d->command, "%s", bh_message(chip));
    bh_destroy(chip);
    return NULL;
}

static void print_report(const struct difference *d, const struct diff_report *t) {
    d->json ? diff_report_json(t) : diff_report_print(t);
}

static int status_of(const struct result *r) {
    return r->interrupted ? EXIT_INTERRUPTED : r->differs || r->inputs_differ ? EXIT_DIFFERENT : EXIT_DONE;
}

static int compare_saved(struct difference *d, char **path) {
    bh_chip *chip[SIDES] = { load(d, path[0]) };
    int status = EXIT_USAGE;
    struct seeker what = { .values = d->values, .memory = d->memory, .listed = d->listed };
    chip[1] = chip[0] ? load(d, path[1]) : NULL;
    if (chip[0] && chip[1]) {
        struct diff_report t = {
            .result = &d->result, .chip = { chip[0], chip[1] }, .name = { path[0], path[1] }, .values = d->values
        };
        if (seek_saved(chip[0], chip[1], &what, &d->result)) {
            print_report(d, &t);
            status = status_of(&d->result);
        } else {
            tool_error(d->command, "%s", bh_message(chip[0]));
        }
    }
    bh_destroy(chip[0]);
    bh_destroy(chip[1]);
    result_free(&d->result);
    return status;
}

/* ---- Runs -------------------------------------------------------------------------------------------------- */

/* Captures what the two commands print on stderr, which is shown only if they cannot run at all; discards their
 * stdout. */
static bool capture(struct difference *d) {
    char name[] = "/tmp/bhemu-diff-XXXXXX";
    int nowhere = open("/dev/null", O_WRONLY);
    d->captured = mkstemp(name);
    d->saved_out = dup(STDOUT_FILENO);
    d->saved_err = dup(STDERR_FILENO);
    if (d->captured >= 0)
        unlink(name);
    if (nowhere < 0 || d->captured < 0 || d->saved_out < 0 || d->saved_err < 0)
        return false;
    fflush(NULL);
    dup2(nowhere, STDOUT_FILENO);
    dup2(d->captured, STDERR_FILENO);
    close(nowhere);
    return true;
}

static void show_captured(const struct difference *d) {
    char text[4096];
    off_t left = d->captured_size;
    lseek(d->captured, 0, SEEK_SET);
    while (left > 0) {
        ssize_t size = read(d->captured, text, left < (off_t)sizeof text ? (size_t)left : sizeof text);
        if (size <= 0 || write(STDERR_FILENO, text, (size_t)size) < 0)
            return;
        left -= size;
    }
}

static void restore_output(const struct difference *d, bool out, bool err) {
    fflush(NULL);
    if (out)
        dup2(d->saved_out, STDOUT_FILENO);
    if (err)
        dup2(d->saved_err, STDERR_FILENO);
}

static void hide_output(void) {
    int nowhere = open("/dev/null", O_WRONLY);
    fflush(NULL);
    if (nowhere < 0)
        return;
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
}

static int run_command(void *what) {
    struct job_words *job = what;
    return job->command->run(job->command, job->argc, job->argv);
}

static int search(struct difference *d) {
    struct seeker *s = &d->seeker;
    struct meeting *m = &d->meeting;
    static const volatile int *const stop = &interrupted;
    *s = (struct seeker){ .meeting = m,
                          .result = &d->result,
                          .values = d->values,
                          .memory = d->memory,
                          .listed = d->listed,
                          .interrupted = stop,
                          .progress = progress_begin(d->saved_err, !d->no_progress) };
    for (unsigned i = 0; i < SIDES; i++) {
        m->side[i].command = run_command;
        m->side[i].what = &d->job[i];
    }
    bool ok = meeting_begin(m) && seek(s);
    if (ok) {
        struct diff_report t = { .result = &d->result, .values = d->values };
        for (unsigned i = 0; i < SIDES; i++) {
            t.machine[i] = m->side[i].machine;
            t.chip[i] = m->side[i].machine->chip;
            t.name[i] = d->job[i].text;
        }
        restore_output(d, true, false);
        print_report(d, &t);
        hide_output();
    }
    d->captured_size = lseek(d->captured, 0, SEEK_END); /* messages after this are not the reason for the failure */
    meeting_end(m);
    return ok ? status_of(&d->result) : EXIT_USAGE;
}

static int compare_runs(struct difference *d) {
    struct sigaction old, new = { .sa_handler = on_interrupt };
    if (!capture(d))
        return tool_error(d->command, "cannot keep the output apart: %s", strerror(errno));
    sigaction(SIGINT, &new, &old);
    int status = search(d);
    sigaction(SIGINT, &old, NULL);
    restore_output(d, true, true);
    if (status == EXIT_USAGE) {
        show_captured(d);
        if (*d->seeker.message)
            tool_error(d->command, "%s", d->seeker.message);
    }
    seek_free(&d->seeker);
    result_free(&d->result);
    close(d->captured);
    close(d->saved_out);
    close(d->saved_err);
    return status;
}

static int run(const struct command *command, int argc, char **argv) {
    int at = 0;
    if (argc == 0) {
        options_help(command, stderr);
        return EXIT_USAGE;
    }
    struct difference *d = calloc(1, sizeof *d);
    if (!d)
        return tool_error(command, "out of memory");
    d->command = command;
    d->listed = LISTED;
    int status = take_options(d, argc, argv, &at);
    if (status < 0 && argc - at == 2 && argv[at][0] != '-' && argv[at + 1][0] != '-' &&
        !options_inner(&command_diff, argv[at])) {
        status = compare_saved(d, argv + at);
    } else if (status < 0) {
        status = take_jobs(d, argc - at, argv + at);
        status = status == EXIT_DONE ? compare_runs(d) : status;
    }
    free(d);
    return status;
}

const struct command command_diff = {
    .name = "diff",
    .synopsis = "[OPTION]... A... --vs B... | FILE FILE",
    .summary = "compare two runs, and name the first state that differs",
    .options = options,
    .notes = notes,
    .inner = inner,
    .run = run,
};
