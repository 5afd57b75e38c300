/* bhemu explore: runs another command again and again, each time with different delays, and finds the smallest set of
 * delays that changes its outcome.
 *
 * Each run is a child process that executes the command with --vary and writes its outcome to a file; outcomes are
 * compared as text. When a run has a different outcome, delta debugging reduces its delays: first whole kinds, then
 * parts of the list of delays, which is in the order of kinds, tiles and agents, then the cycles of each remaining
 * delay. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bhemu.h"
#include "cmd/commands.h"
#include "text/file.h"
#include "text/json.h"
#include "text/progress.h"
#include "text/text.h"

enum { DEFAULT_COUNT = 100, COUNT_MAX = 1000000, JOBS_MAX = 64, SHRINK_RUNS = 1000, SEEDS_SHOWN = 10 };

enum option_id { OPT_COUNT, OPT_FROM, OPT_JOBS, OPT_JSON, OPT_NO_PROGRESS };

static const struct option options[] = {
    { OPT_COUNT, "count", "N", "number of seeds; 100 if not given. -n N is the same" },
    { OPT_FROM, "from", "SEED", "the first seed; 1 if not given" },
    { OPT_JOBS, "jobs", "N", "runs at a time; as many as the host has processors if not given" },
    { OPT_JSON, "json", NULL, "report as one JSON object" },
    { OPT_NO_PROGRESS, "no-progress", NULL, "no line about the progress on a terminal" },
    { 0, NULL, NULL, NULL },
};

static const char notes[] =
    "Runs the command without delays, then with N seeds (--vary), and compares the outcomes: exit status, faults,\n"
    "states of cores and what they return, the memory that --dump and --print name, expectations, and with\n"
    "--check the causes of races. For the first seed that differs it looks for the smallest set of delays that\n"
    "changes the outcome. Without a name, the command is run. Options of explore come first.\n"
    "\n"
    "Exit status: 0 every outcome is the same, 2 a wrong argument, 6 an outcome differs.\n"
    "\n"
    "Examples:\n"
    "  bhemu explore --brisc hello.elf --print message\n"
    "  bhemu explore -n 20 run --tile 1,2-3,3 --brisc a.elf --dump 1,2:0x17000:64\n"
    "  bhemu explore -n 20 --from 101 launch add1.launch\n";

static const struct command *const inner[] = { &command_run, &command_boot, &command_launch, NULL };

/* Set by Ctrl-C, which also ends the runs in progress. The temporary files are removed then. */
static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
    (void)number;
    interrupted = 1;
}

struct explorer {
    const struct command *command, *explored;
    uint64_t count, from, jobs;
    uint64_t tried; /* number of seeds that have been run */
    bool json;
    int argc; /* number of arguments of the explored command */
    char **argv;
    char folder[64]; /* temporary folder for outcomes and delays */
    char *base;      /* outcome without delays */
    unsigned runs;   /* number of runs made to reduce the delays */
    bool loud;       /* runs may print errors */
    struct progress progress;
};

/* ---- Arguments --------------------------------------------------------------------------------------------- */

static int take_number(const struct explorer *e, const char *name, const char *text, uint64_t most, uint64_t *value) {
    if (text && span_number(span_of(text), most, value) && *value)
        return EXIT_DONE;
    return usage_error(e->command, "%s: a number from 1 to %llu, not '%s'", name, (unsigned long long)most,
                       text ? text : "");
}

/* Reads the options of explore, up to the first word that is no option. */
static int take_options(struct explorer *e, int argc, char **argv, int *at) {
    int status = EXIT_DONE;
    for (; *at < argc && status == EXIT_DONE; ++*at) {
        const char *name = argv[*at], *value;
        const struct option *option = options_named(e->command, strcmp(name, "-n") == 0 ? "--count" : name, &value);
        if (!option)
            break;
        if (!option->value && value)
            return usage_error(e->command, "option '--%s' takes no value", option->name);
        if (option->value && !value && ++*at < argc)
            value = argv[*at];
        switch (option->id) {
        case OPT_JSON: e->json = true; break;
        case OPT_NO_PROGRESS: e->progress.on = false; break;
        case OPT_COUNT: status = take_number(e, name, value, COUNT_MAX, &e->count); break;
        case OPT_FROM: status = take_number(e, name, value, UINT64_MAX - COUNT_MAX, &e->from); break;
        default: status = take_number(e, name, value, JOBS_MAX, &e->jobs);
        }
    }
    return status;
}

/* Refuses an argument of the explored command with which runs would disturb each other, or wait. */
static int refuse(const struct explorer *e, const char *word) {
    static const char *const bad[] = { "vary", "save", "gdb" };
    const char *value;
    const struct option *option = options_named(e->explored, word, &value);
    for (size_t i = 0; option && i < sizeof bad / sizeof *bad; i++)
        if (strcmp(option->name, bad[i]) == 0)
            return usage_error(e->command, "--%s: explore chooses the delays, saves nothing, and starts no gdb",
                               bad[i]);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return usage_error(e->command, "%s: there is nothing to explore; see 'bhemu help %s'", word, e->explored->name);
    if (strcmp(value ? value : word, "-") == 0)
        return usage_error(e->command, "stdin can be read once only: name a file instead of -");
    return EXIT_DONE;
}

static int take_command(struct explorer *e, int argc, char **argv) {
    bool named = argc && argv[0][0] != '-';
    e->explored = named ? options_inner(e->command, argv[0]) : &command_run;
    e->argc = argc - named;
    e->argv = argv + named;
    if (!e->explored)
        return usage_error(e->command, "cannot explore '%s': run, boot and launch can be explored", argv[0]);
    int status = EXIT_DONE;
    for (int i = 0; i < e->argc && status == EXIT_DONE; i++)
        status = refuse(e, e->argv[i]);
    return status;
}

/* ---- Runs -------------------------------------------------------------------------------------------------- */

/* A run that is in progress or has ended: a child process and its files. */
struct try {
    pid_t child;
    char outcome[100], delays[100];
};

static struct try new_try(const struct explorer *e, unsigned slot) {
    struct try try = { 0 };
    snprintf(try.outcome, sizeof try.outcome, "%s/outcome%u", e->folder, slot);
    snprintf(try.delays, sizeof try.delays, "%s/delays%u", e->folder, slot);
    return try;
}

/* Runs in the child: executes the command without its output. Errors are printed if e->loud is set. */
static int run_child(const struct explorer *e, const struct try *try, const char *vary) {
    char name_outcome[] = "--outcome", name_delays[] = "--delays", name_vary[] = "--vary", threads[] = "--threads",
         one[] = "1", no_progress[] = "--no-progress";
    char **argv = malloc(((size_t)e->argc + 9) * sizeof *argv);
    int count = 0;
    if (!argv || !freopen("/dev/null", "w", stdout) || (!e->loud && !freopen("/dev/null", "w", stderr)))
        return EXIT_USAGE;
    argv[count++] = threads;
    argv[count++] = one;
    if (!e->progress.on)
        argv[count++] = no_progress;
    for (int i = 0; i < e->argc; i++)
        argv[count++] = e->argv[i];
    argv[count++] = name_outcome;
    argv[count++] = (char *)(uintptr_t)try->outcome;
    if (vary) {
        argv[count++] = name_vary;
        argv[count++] = (char *)(uintptr_t)vary;
        argv[count++] = name_delays;
        argv[count++] = (char *)(uintptr_t)try->delays;
    }
    return e->explored->run(e->explored, count, argv);
}

/* Starts a run. vary: seed or delays; NULL: none. Returns false, after a message, if the child cannot be created. */
static bool start(const struct explorer *e, struct try *try, const char *vary) {
    unlink(try->outcome);
    fflush(NULL);
    try->child = fork();
    if (try->child == 0)
        signal(SIGINT, SIG_DFL);
    if (try->child == 0)
        _exit(run_child(e, try, vary) & 0xFF);
    if (try->child > 0)
        return true;
    tool_error(e->command, "cannot start a process: %s", strerror(errno));
    return false;
}

/* Returns the text of a file, or NULL if there is none. file_read leaves room for the terminating zero. */
static char *read_text(const char *path) {
    char message[200];
    size_t size;
    char *text = (char *)file_read(span_of(path), &size, message, sizeof message);
    if (text)
        text[size] = '\0';
    return text;
}

/* Waits for the end of a run. Returns its outcome, which the caller frees, or NULL if the run has none. */
static char *finish(const struct try *try) {
    int status;
    while (waitpid(try->child, &status, 0) < 0 && errno == EINTR)
        ;
    char *text = read_text(try->outcome);
    if (text || !WIFSIGNALED(status))
        return text;
    text = malloc(40);
    if (text)
        snprintf(text, 40, "bhemu ended by signal %d\n", WTERMSIG(status));
    return text;
}

/* Returns whether a run with these delays has a different outcome than one without. */
static bool differs(struct explorer *e, const char *vary, char **outcome) {
    struct try try = new_try(e, 0);
    char *text = start(e, &try, vary) ? finish(&try) : NULL;
    bool other = text && strcmp(text, e->base) != 0;
    e->runs++;
    if (progress_is_due(&e->progress))
        progress_draw(&e->progress, "looks for fewer and shorter delays: %u runs, %.0f s", e->runs,
                      progress_seconds(&e->progress));
    if (outcome)
        *outcome = text;
    else
        free(text);
    return other;
}

/* ---- Seeds ------------------------------------------------------------------------------------------------- */

struct seeds {
    uint64_t *list;
    size_t count;
};

/* Repeats a run that had no outcome, so that it prints the reason. */
static void explain(struct explorer *e, uint64_t seed) {
    struct try try = new_try(e, 0);
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    progress_erase(&e->progress);
    e->loud = true;
    if (start(e, &try, text))
        free(finish(&try));
}

static void draw(struct explorer *e, uint64_t done, size_t found) {
    if (!progress_is_due(&e->progress) || !done)
        return;
    double seconds = progress_seconds(&e->progress);
    progress_draw(&e->progress, "%llu of %llu seeds, %zu with another outcome, %.0f s, about %.0f s left",
                  (unsigned long long)done, (unsigned long long)e->count, found, seconds,
                  seconds / (double)done * (double)(e->count - done));
}

/* Runs all seeds, e->jobs at a time, and records those with a different outcome. Returns false, after a message, if a
 * run has failed. */
static bool try_seeds(struct explorer *e, struct seeds *found) {
    bool ok = true;
    for (uint64_t done = 0; done < e->count && ok && !interrupted; done += e->jobs) {
        struct try try[JOBS_MAX];
        uint64_t now = e->count - done < e->jobs ? e->count - done : e->jobs, started = 0;
        size_t known = found->count;
        for (; started < now && ok; started += ok) {
            char seed[24];
            snprintf(seed, sizeof seed, "%llu", (unsigned long long)(e->from + done + started));
            try[started] = new_try(e, (unsigned)started);
            ok = start(e, &try[started], seed);
        }
        for (uint64_t i = 0; i < started; i++) {
            char *text = finish(&try[i]);
            if (text && strcmp(text, e->base) != 0)
                found->list[found->count++] = e->from + done + i;
            else if (!text && ok && !interrupted)
                explain(e, e->from + done + i);
            ok &= text != NULL;
            free(text);
        }
        if (interrupted) { /* and so were these runs, whose outcomes say nothing */
            found->count = known;
            return true;
        }
        e->tried = done + started;
        draw(e, done + started, found->count);
    }
    return ok;
}

/* ---- Reduction --------------------------------------------------------------------------------------------- */

/* A set of delays. As text, a delay is like "store@1,2.brisc#5=40". */
struct delays {
    struct bh_delay *item;
    size_t count;
};

/* Reads the first word of each line of a file of delays. */
static bool read_delays(const char *path, struct delays *delays) {
    size_t room = 0;
    char *text = read_text(path), *rest = NULL;
    *delays = (struct delays){ 0 };
    bool ok = text != NULL;
    for (char *line = ok ? strtok_r(text, "\n", &rest) : NULL; line && ok; line = strtok_r(NULL, "\n", &rest)) {
        line[strcspn(line, "\t")] = '\0';
        if (delays->count == room) {
            struct bh_delay *more = realloc(delays->item, (room = room ? 2 * room : 64) * sizeof *more);
            ok = more != NULL;
            delays->item = ok ? more : delays->item;
        }
        ok = ok && bh_delay_parse(line, &delays->item[delays->count++]);
    }
    free(text);
    return ok;
}

static int by_agent(const void *left, const void *right) {
    const struct bh_delay *a = left, *b = right;
    unsigned names[2][6] = {
        { a->kind, a->tile.x, a->tile.y, a->agent, a->to.x, a->to.y },
        { b->kind, b->tile.x, b->tile.y, b->agent, b->to.x, b->to.y },
    };
    for (unsigned i = 0; i < 6; i++)
        if (names[0][i] != names[1][i])
            return names[0][i] < names[1][i] ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Returns the set in the form that --vary accepts, without the delays [from, to). Returns NULL without memory. The
 * caller frees it. */
static char *joined(const struct delays *delays, size_t from, size_t to) {
    enum { LONGEST = 80 };
    char *text = malloc(delays->count * LONGEST + 8);
    size_t used = 0;
    for (size_t i = 0; text && i < delays->count; i++) {
        if (i >= from && i < to)
            continue;
        if (used)
            text[used++] = '+';
        used += bh_delay_text(&delays->item[i], text + used, LONGEST);
    }
    if (text && !used)
        strcpy(text, "none");
    return text;
}

static bool differs_without(struct explorer *e, const struct delays *delays, size_t from, size_t to) {
    char *vary = e->runs < SHRINK_RUNS && !interrupted ? joined(delays, from, to) : NULL;
    bool other = vary && differs(e, vary, NULL);
    free(vary);
    return other;
}

static void drop(struct delays *delays, size_t from, size_t to) {
    memmove(&delays->item[from], &delays->item[to], (delays->count - to) * sizeof *delays->item);
    delays->count -= to - from;
}

/* Drops whole kinds of delays that are not needed. */
static void drop_kinds(struct explorer *e, struct delays *delays) {
    for (size_t from = 0, to; from < delays->count; from = to) {
        for (to = from; to < delays->count && delays->item[to].kind == delays->item[from].kind; to++)
            ;
        if (!differs_without(e, delays, from, to))
            continue;
        drop(delays, from, to);
        to = from;
    }
}

/* Drops parts of the list that are not needed: large ones first, then smaller ones, then single delays. */
static void drop_parts(struct explorer *e, struct delays *delays) {
    size_t length = delays->count / 2;
    while (length) {
        bool dropped = false;
        for (size_t from = 0; from < delays->count;) {
            size_t to = from + length < delays->count ? from + length : delays->count;
            if (delays->count > 1 && differs_without(e, delays, from, to)) {
                drop(delays, from, to);
                dropped = true;
            } else {
                from = to;
            }
        }
        length = length > 1 ? length / 2 : dropped ? 1 : 0;
    }
}

/* Makes each delay as short as possible. */
static void shorten(struct explorer *e, struct delays *delays) {
    for (size_t i = 0; i < delays->count; i++) {
        uint32_t too_few = 0, enough = delays->item[i].cycles;
        while (too_few + 1 < enough) {
            delays->item[i].cycles = too_few + (enough - too_few) / 2;
            if (differs_without(e, delays, 0, 0))
                enough = delays->item[i].cycles;
            else
                too_few = delays->item[i].cycles;
        }
        delays->item[i].cycles = enough;
    }
}

/* ---- Report ------------------------------------------------------------------------------------------------ */

struct result {
    struct seeds seeds;
    struct delays delays; /* the smallest set for the first seed; empty: no run has a different outcome */
    size_t drawn;         /* number of delays before the reduction */
    char *outcome;        /* the outcome with the smallest set */
    char *vary;           /* the smallest set in the form that --vary accepts */
    char *lines;          /* descriptions of its delays, one in each line */
};

/* Calls a function for each line of a text that the other text does not have. */
static void each_new_line(const char *text, const char *other, void (*call)(void *user, const char *line, size_t size),
                          void *user) {
    for (size_t size; *text; text += size + (text[size] == '\n')) {
        bool has = false;
        size = strcspn(text, "\n");
        for (const char *at = other; *at && !has; at += strcspn(at, "\n"), at += *at == '\n')
            has = strcspn(at, "\n") == size && strncmp(at, text, size) == 0;
        if (!has)
            call(user, text, size);
    }
}

struct shown {
    const char *mark;
    unsigned count;
};

static void show_line(void *user, const char *line, size_t size) {
    enum { MOST = 8 };
    struct shown *shown = user;
    if (shown->count++ < MOST)
        printf("  %s%.*s\n", shown->mark, (int)size, line);
}

static void show_difference(const char *title, const char *text, const char *other) {
    struct shown shown = { "  ", 0 };
    printf("%s:\n", title);
    each_new_line(text, other, show_line, &shown);
    if (shown.count > 8)
        printf("    and %u more lines\n", shown.count - 8);
    if (!shown.count)
        printf("    nothing that is not there in the other case\n");
}

/* Splits a line of the file of delays at its tabs: the delay, what it is and, if known, its cause. Returns the cause,
 * or NULL. */
static const char *split_delay(char *line, const char **what) {
    *what = strsep(&line, "\t") && line ? strsep(&line, "\t") : "";
    return line;
}

static void show_delay(char *line) {
    const char *what, *cause = split_delay(line, &what);
    printf("  %s\n      %s\n", line, what);
    if (cause)
        printf("      %s\n", cause);
}

static void show_arguments(const struct explorer *e) {
    for (int i = 0; i < e->argc; i++) {
        const char *word = e->argv[i];
        if (*word && !word[strcspn(word, " \t\n'\"$&|;<>*?()[]{}#~!\\`")]) {
            printf(" %s", word);
            continue;
        }
        fputs(" '", stdout);
        for (; *word; word++)
            *word == '\'' ? fputs("'\\''", stdout) : putchar(*word);
        putchar('\'');
    }
    putchar('\n');
}

static void show_totals(const struct explorer *e, const struct result *r) {
    char count[GROUPED_SIZE], same[GROUPED_SIZE];
    printf("%s timing%s: %s as without delays", grouped(e->tried, count), e->tried == 1 ? "" : "s",
           grouped(e->tried - r->seeds.count, same));
    if (r->seeds.count)
        printf(", %zu differ%s (seed%s", r->seeds.count, r->seeds.count == 1 ? "s" : "",
               r->seeds.count == 1 ? "" : "s");
    for (size_t i = 0; i < r->seeds.count && i < SEEDS_SHOWN; i++)
        printf("%s %llu", i ? "," : "", (unsigned long long)r->seeds.list[i]);
    puts(!r->seeds.count ? "" : r->seeds.count > SEEDS_SHOWN ? ", ...)" : ")");
}

static void show(const struct explorer *e, struct result *r) {
    char drawn[GROUPED_SIZE], *rest = NULL;
    show_totals(e, r);
    if (!r->seeds.count)
        return;
    show_difference("without delays", e->base, r->outcome);
    show_difference("with delays", r->outcome, e->base);
    printf("%zu of the %s delays of seed %llu make%s the difference:\n", r->delays.count, grouped(r->drawn, drawn),
           (unsigned long long)r->seeds.list[0], r->delays.count == 1 ? "s" : "");
    for (char *line = strtok_r(r->lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        show_delay(line);
    printf("to repeat it:\n  bhemu %s --vary %s", e->explored->name, r->vary);
    show_arguments(e);
}

static void json_line(void *user, const char *line, size_t size) {
    json_string_n(user, NULL, line, size);
}

static void json_delay(struct json *j, char *line) {
    const char *what, *cause = split_delay(line, &what);
    json_open_line(j, NULL, '{');
    json_string(j, "delay", line);
    json_string(j, "text", what);
    if (cause)
        json_string(j, "cause", cause);
    json_close_line(j, '}');
}

static void show_json(const struct explorer *e, struct result *r, int status) {
    struct json j;
    char *rest = NULL;
    json_init(&j, stdout);
    json_open(&j, NULL, '{');
    json_string(&j, "version", bh_version());
    json_string(&j, "command", e->explored->name);
    json_number(&j, "status", (unsigned)status);
    json_number(&j, "timings", e->tried);
    json_number(&j, "first_seed", e->from);
    json_open_line(&j, "differing_seeds", '[');
    for (size_t i = 0; i < r->seeds.count; i++)
        json_number(&j, NULL, r->seeds.list[i]);
    json_close_line(&j, ']');
    if (r->seeds.count && r->outcome) {
        json_open(&j, "without_delays", '[');
        each_new_line(e->base, r->outcome, json_line, &j);
        json_close(&j, ']');
        json_open(&j, "with_delays", '[');
        each_new_line(r->outcome, e->base, json_line, &j);
        json_close(&j, ']');
        json_number(&j, "delays_of_seed", r->drawn);
        json_open(&j, "delays", '[');
        for (char *line = strtok_r(r->lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
            json_delay(&j, line);
        json_close(&j, ']');
        json_string(&j, "vary", r->vary);
    }
    json_close(&j, '}');
    json_end(&j);
}

/* ---- The command ------------------------------------------------------------------------------------------- */

/* Finds the smallest set of delays for the first seed with a different outcome. Returns false, after a message, on
 * failure. */
static bool shrink(struct explorer *e, struct result *r) {
    struct try try = new_try(e, 0);
    char seed[24];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)r->seeds.list[0]);
    if (!differs(e, seed, NULL) || !read_delays(try.delays, &r->delays))
        return false;
    r->drawn = r->delays.count;
    if (r->delays.count)
        qsort(r->delays.item, r->delays.count, sizeof *r->delays.item, by_agent);
    e->runs = 0;
    drop_kinds(e, &r->delays);
    drop_parts(e, &r->delays);
    shorten(e, &r->delays);
    r->vary = joined(&r->delays, 0, 0);
    if (!r->vary || !differs(e, r->vary, &r->outcome) || !r->outcome)
        return false;
    r->lines = read_text(try.delays);
    return r->lines != NULL;
}

/* Shows what is known after an interrupt. */
static int give_up(const struct explorer *e, struct result *r) {
    char count[GROUPED_SIZE];
    free(r->outcome);
    r->outcome = NULL;
    if (e->json) {
        show_json(e, r, EXIT_INTERRUPTED);
    } else {
        printf("interrupted, with %s timing%s to go; ", grouped(e->count - e->tried, count),
               e->count - e->tried == 1 ? "" : "s");
        show_totals(e, r);
    }
    return EXIT_INTERRUPTED;
}

static int explore(struct explorer *e, struct result *r) {
    struct try try = new_try(e, 0);
    r->seeds.list = malloc(e->count * sizeof *r->seeds.list);
    if (!r->seeds.list || !start(e, &try, NULL))
        return EXIT_USAGE;
    e->base = finish(&try);
    if (!e->base) /* the child has printed the reason */
        return EXIT_USAGE;
    e->loud = false;
    if (!try_seeds(e, &r->seeds))
        return EXIT_USAGE;
    if (interrupted) {
        progress_erase(&e->progress);
        return give_up(e, r);
    }
    bool shrunk = !r->seeds.count || shrink(e, r);
    progress_erase(&e->progress);
    if (!shrunk)
        return interrupted ? give_up(e, r)
                           : tool_error(e->command, "seed %llu differs, but its delays do not",
                                        (unsigned long long)r->seeds.list[0]);
    int status = r->seeds.count ? EXIT_DIFFERS : EXIT_DONE;
    if (e->json)
        show_json(e, r, status);
    else
        show(e, r);
    return status;
}

static void remove_files(const struct explorer *e) {
    for (unsigned i = 0; i < e->jobs; i++) {
        struct try try = new_try(e, i);
        unlink(try.outcome);
        unlink(try.delays);
    }
    rmdir(e->folder);
}

static uint64_t processors(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > JOBS_MAX ? JOBS_MAX : (uint64_t)count;
}

static int run(const struct command *command, int argc, char **argv) {
    struct explorer e = { .command = command,
                          .count = DEFAULT_COUNT,
                          .from = 1,
                          .jobs = processors(),
                          .loud = true,
                          .progress = progress_begin(STDERR_FILENO, true) };
    struct result r = { 0 };
    int at = 0, status = options_outer(command, argc, argv);
    if (status >= 0)
        return status;
    status = take_options(&e, argc, argv, &at);
    if (status == EXIT_DONE)
        status = take_command(&e, argc - at, argv + at);
    if (status != EXIT_DONE)
        return status;
    const char *temporary = getenv("TMPDIR");
    snprintf(e.folder, sizeof e.folder, "%s/bhemu-XXXXXX", temporary && strlen(temporary) < 40 ? temporary : "/tmp");
    if (!mkdtemp(e.folder))
        return tool_error(command, "cannot make a folder '%s': %s", e.folder, strerror(errno));
    signal(SIGINT, on_interrupt);
    status = explore(&e, &r);
    signal(SIGINT, SIG_DFL);
    remove_files(&e);
    free(e.base);
    free(r.seeds.list);
    free(r.delays.item);
    free(r.outcome);
    free(r.vary);
    free(r.lines);
    return status;
}

const struct command command_explore = {
    .name = "explore",
    .synopsis = "[-n N] [--from SEED] [--jobs N] [--json] [run|boot|launch] ARGUMENT...",
    .summary = "look for delays that change the outcome",
    .options = options,
    .notes = notes,
    .inner = inner,
    .run = run,
};
