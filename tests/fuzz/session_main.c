/* Drives fuzz_session without libFuzzer.
 *
 *     fuzz_session LOG...                 plays logs
 *     fuzz_session --seeds FIRST COUNT    plays drawn sessions; the log of one that fails goes to session-SEED.log
 *     fuzz_session --draw SEED            prints the log of a drawn session
 *     fuzz_session --explain LOG          prints a log with its programs disassembled
 *     fuzz_session --shorten LOG          prints the shortest log found that fails in the same way
 *
 * What fails ends its process, so sessions are played in processes of their own: how a process ended and the line that
 * says why, without its numbers, is its failure. One that takes longer than LIMIT seconds has failed too (SESSION_LIMIT
 * in the environment says otherwise). */
#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session.h"

enum { LIMIT = 60, FAILURE = 240, LOG_MAX = 1 << 22 };

static char log_text[LOG_MAX];

static unsigned limit(void) {
    const char *text = getenv("SESSION_LIMIT");
    return text ? (unsigned)strtoul(text, NULL, 10) : LIMIT;
}

/* ---- Processes ------------------------------------------------------------------------------------------------------
 */

/* Without numbers, so that the same failure elsewhere is the same. */
static void keep_reason(char *to, size_t room, const char *line) {
    size_t length = 0;
    for (; *line && *line != '\n' && length + 1 < room; line++) {
        bool number =
            isdigit((unsigned char)*line) || (length && to[length - 1] == '#' && isxdigit((unsigned char)*line));
        if (!number)
            to[length++] = *line;
        else if (!length || to[length - 1] != '#')
            to[length++] = '#';
    }
    to[length] = '\0';
}

/* The line that says why, out of what the process has written to stderr. */
static void find_reason(char *reason, size_t room, char *text) {
    static const char *const signs[] = { "SUMMARY: ",      "runtime error: ", "Assertion ",
                                         "fuzz session: ", "ERROR: ",         "internal error: " };
    reason[0] = '\0';
    for (unsigned i = 0; i < sizeof signs / sizeof signs[0] && !reason[0]; i++) {
        const char *at = strstr(text, signs[i]);
        while (at && at > text && at[-1] != '\n')
            at--;
        if (at)
            keep_reason(reason, room, at);
    }
}

static void name_failure(char failure[FAILURE], int status, char *text) {
    char reason[FAILURE / 2];
    find_reason(reason, sizeof reason, text);
    failure[0] = '\0';
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(failure, FAILURE, "takes longer than the limit");
    else if (WIFSIGNALED(status))
        snprintf(failure, FAILURE, "signal %d: %s", WTERMSIG(status), reason);
    else if (WEXITSTATUS(status))
        snprintf(failure, FAILURE, "status %d: %s", WEXITSTATUS(status), reason);
}

/* Does the work in a child, whose stderr is kept. An empty failure: it went well. */
static void run_apart(void (*work)(void *user), void *user, char failure[FAILURE]) {
    enum { KEPT = 1 << 16 };
    static char text[KEPT];
    FILE *errors = tmpfile();
    int status = 0;
    fflush(NULL);
    pid_t child = errors ? fork() : -1;
    if (child < 0) {
        perror("fuzz_session");
        exit(3);
    }
    if (child == 0) {
        dup2(fileno(errors), STDERR_FILENO);
        signal(SIGALRM, SIG_DFL);
        work(user);
        exit(0); /* with what a sanitizer has to say about leaks */
    }
    waitpid(child, &status, 0);
    rewind(errors);
    text[fread(text, 1, KEPT - 1, errors)] = '\0';
    fclose(errors);
    name_failure(failure, status, text);
}

static void check_in_time(const struct session *session) {
    alarm(limit());
    session_check(session);
    alarm(0);
}

static void work_session(void *user) {
    check_in_time(user);
}

static void try_session(const struct session *session, char failure[FAILURE]) {
    run_apart(work_session, (void *)(uintptr_t)session, failure);
}

/* ---- Logs -----------------------------------------------------------------------------------------------------------
 */

static void print_session(const struct session *session, bool explain, FILE *file) {
    size_t length = session_write(session, explain, log_text, sizeof log_text);
    fwrite(log_text, 1, length < sizeof log_text ? length : sizeof log_text - 1, file);
}

static void read_log(struct session *session, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    size_t size = fread(log_text, 1, sizeof log_text, file);
    fclose(file);
    unsigned bad = session_read(session, log_text, size);
    if (bad) {
        fprintf(stderr, "%s: %u lines are none of a log\n", path, bad);
        exit(2);
    }
}

static int play_log(const char *path) {
    static struct session session;
    char failure[FAILURE];
    read_log(&session, path);
    try_session(&session, failure);
    session_free(&session);
    if (*failure)
        printf("%s: %s\n", path, failure);
    return *failure ? 1 : 0;
}

static int is_log(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* A file, or the files of a directory. */
static int play_path(const char *path) {
    struct stat info;
    struct dirent **files = NULL;
    int failed = 0;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return play_log(path);
    int count = scandir(path, &files, is_log, alphasort);
    for (int i = 0; i < count; i++) {
        char name[1024];
        snprintf(name, sizeof name, "%s/%s", path, files[i]->d_name);
        failed |= play_log(name);
        free(files[i]);
    }
    free(files);
    return failed;
}

/* ---- Seeds ----------------------------------------------------------------------------------------------------------
 */

static void draw_seed(struct session *session, uint64_t seed) {
    struct session_dice dice = { .state = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15) };
    session_draw(session, &dice);
}

/* Shared with the child: how far it has come. */
struct seeds {
    uint64_t next, end;
};

static void work_seeds(void *user) {
    static struct session session;
    struct seeds *seeds = user;
    for (; seeds->next < seeds->end; seeds->next++) {
        draw_seed(&session, seeds->next);
        check_in_time(&session);
        session_free(&session);
    }
}

static void keep_log(uint64_t seed) {
    static struct session session;
    char path[60];
    snprintf(path, sizeof path, "session-%llu.log", (unsigned long long)seed);
    FILE *file = fopen(path, "w");
    draw_seed(&session, seed);
    if (file) {
        print_session(&session, false, file);
        fclose(file);
    }
    session_free(&session);
}

static int play_seeds(uint64_t first, uint64_t count) {
    struct seeds *seeds = mmap(NULL, sizeof *seeds, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char failure[FAILURE];
    unsigned failed = 0;
    if (seeds == MAP_FAILED)
        return 3;
    *seeds = (struct seeds){ first, first + count };
    while (seeds->next < seeds->end) {
        run_apart(work_seeds, seeds, failure);
        if (!*failure)
            continue;
        uint64_t seed = seeds->next < seeds->end ? seeds->next : seeds->end - 1; /* leaks are found at the end */
        printf("seed %llu: %s\n", (unsigned long long)seed, failure);
        keep_log(seed);
        failed++;
        seeds->next = seed + 1;
    }
    printf("%llu sessions, %u failed\n", (unsigned long long)count, failed);
    (void)munmap(seeds, sizeof *seeds);
    return failed ? 1 : 0;
}

/* ---- Shortening
 * ------------------------------------------------------------------------------------------------------- */

struct shorten {
    struct session *best;
    char failure[FAILURE]; /* that is to stay */
    unsigned tries;
};

/* Keeps the candidate if it fails in the same way. Its data are those of the best. */
static bool keep_if_same(struct shorten *s, const struct session *candidate) {
    char failure[FAILURE];
    s->tries++;
    try_session(candidate, failure);
    if (strcmp(failure, s->failure) != 0)
        return false;
    *s->best = *candidate;
    return true;
}

static bool drop_calls(struct shorten *s, unsigned from, unsigned count) {
    static struct session candidate;
    candidate = *s->best;
    memmove(&candidate.call[from], &candidate.call[from + count],
            (candidate.count - from - count) * sizeof candidate.call[0]);
    candidate.count -= count;
    return keep_if_same(s, &candidate);
}

/* Calls in runs of half of them, a quarter ... one. */
static bool shorten_calls(struct shorten *s) {
    bool any = false;
    for (unsigned run = s->best->count / 2; run; run /= 2)
        for (unsigned from = s->best->count; from;) {
            unsigned count = from < run ? from : run;
            from -= count;
            any |= drop_calls(s, from, count);
        }
    return any;
}

static bool shorten_checks(struct shorten *s) {
    static struct session candidate;
    bool any = false;
    for (unsigned check = 1; check & CHECK_ALL; check <<= 1) {
        candidate = *s->best;
        candidate.checks &= ~check;
        any |= s->best->checks & check && keep_if_same(s, &candidate);
    }
    return any;
}

/* Words of a program become NOPs (which keeps its branches), those at its end go. Other data becomes zeros. */
static bool calm_words(struct shorten *s, unsigned call, unsigned from, unsigned count) {
    enum { NOP = 0x13 };
    static uint32_t before[SESSION_WORDS];
    struct session_call *c = &s->best->call[call];
    uint32_t calm = c->verb == VERB_load || c->verb == VERB_elf ? NOP : 0;
    bool changes = false;
    memcpy(before, c->data, c->words * sizeof *before);
    for (unsigned i = from; i < from + count; i++) {
        changes |= c->data[i] != calm;
        c->data[i] = calm;
    }
    if (changes && keep_if_same(s, s->best))
        return true;
    memcpy(c->data, before, c->words * sizeof *before);
    return false;
}

static bool cut_words(struct shorten *s, unsigned call) {
    static struct session candidate;
    bool any = false;
    for (unsigned cut = s->best->call[call].words / 2; cut; cut /= 2) {
        candidate = *s->best;
        candidate.call[call].words -= cut < candidate.call[call].words ? cut : 0;
        any |= candidate.call[call].words < s->best->call[call].words && keep_if_same(s, &candidate);
    }
    return any;
}

static bool shorten_data(struct shorten *s) {
    bool any = false;
    for (unsigned call = 0; call < s->best->count; call++) {
        any |= s->best->call[call].words > 1 && cut_words(s, call);
        unsigned words = s->best->call[call].words;
        for (unsigned run = words; run; run /= 2)
            for (unsigned from = 0; from < words; from += run)
                any |= calm_words(s, call, from, words - from < run ? words - from : run);
    }
    return any;
}

/* Arguments become 0, else half of what they are. */
static bool lower(struct shorten *s, unsigned call, unsigned argument) {
    static struct session candidate;
    uint64_t value = s->best->call[call].argument[argument];
    for (unsigned way = 0; value && way < 3; way++) {
        const uint64_t values[3] = { 0, value / 2, value - 1 };
        if (values[way] >= value || (way == 2 && value > 100))
            continue;
        candidate = *s->best;
        candidate.call[call].argument[argument] = values[way];
        if (keep_if_same(s, &candidate))
            return true;
    }
    return false;
}

static bool shorten_arguments(struct shorten *s) {
    bool any = false;
    for (unsigned call = 0; call < s->best->count; call++)
        for (unsigned i = 0; i < SESSION_ARGUMENTS; i++)
            any |= lower(s, call, i);
    return any;
}

static int shorten(const char *path) {
    static struct session whole, session; /* the whole one keeps the data of calls that are dropped, to free them */
    struct shorten s = { .best = &session };
    read_log(&whole, path);
    session = whole;
    try_session(&session, s.failure);
    if (!*s.failure) {
        fprintf(stderr, "%s does not fail\n", path);
        session_free(&whole);
        return 1;
    }
    unsigned calls = session.count;
    for (bool again = true; again && s.tries < 20000;) {
        again = shorten_calls(&s);
        again |= shorten_checks(&s);
        again |= shorten_data(&s);
        again |= shorten_arguments(&s);
    }
    printf("# a log that was %u calls long, shortened to %u\n# %s\n", calls, session.count, s.failure);
    print_session(&session, false, stdout);
    session_free(&whole);
    return 0;
}

/* ---- Commands
 * --------------------------------------------------------------------------------------------------------- */

static int print_seed(uint64_t seed) {
    static struct session session;
    draw_seed(&session, seed);
    print_session(&session, false, stdout);
    session_free(&session);
    return 0;
}

static int explain(const char *path) {
    static struct session session;
    read_log(&session, path);
    print_session(&session, true, stdout);
    session_free(&session);
    return 0;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int failed = 0;
    if (strcmp(what, "--seeds") == 0 && argc == 4)
        return play_seeds(strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0));
    if (strcmp(what, "--draw") == 0 && argc == 3)
        return print_seed(strtoull(argv[2], NULL, 0));
    if (strcmp(what, "--explain") == 0 && argc == 3)
        return explain(argv[2]);
    if (strcmp(what, "--shorten") == 0 && argc == 3)
        return shorten(argv[2]);
    if (argc < 2 || what[0] == '-') {
        fprintf(stderr,
                "usage: fuzz_session LOG... | --seeds FIRST COUNT | --draw SEED | --explain LOG | --shorten LOG\n");
        return 2;
    }
    for (int i = 1; i < argc; i++)
        failed |= play_path(argv[i]);
    return failed;
}
