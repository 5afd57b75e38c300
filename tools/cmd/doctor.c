/* bhemu doctor: checks which of the things that bhemu and its users need this machine has, and says what to do about
 * the rest. */
#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bhemu.h"
#include "cmd/commands.h"
#include "text/json.h"
#include "text/text.h"
#include "text/variables.h"

enum option_id { OPT_JSON };

static const struct option options[] = {
    { OPT_JSON, "json", NULL, "report as one JSON object" },
    { 0, NULL, NULL, NULL },
};

static const char notes[] =
    "One line for each thing: ok, missing or wrong, what was found, and what to do. Nothing is changed.\n"
    "\n"
    "Exit status: 0 nothing is missing or wrong, 1 something is, 2 a wrong argument.\n"
    "\n"
    "Example:\n"
    "  bhemu doctor\n";

enum finding_state { FOUND_OK, FOUND_MISSING, FOUND_WRONG };

struct line {
    enum finding_state state;
    const char *name;
    char text[300]; /* what was found */
    char todo[300]; /* what the user can do; "": nothing */
};

enum { LINES_MAX = 40, COMMAND_SECONDS = 10 };

struct doctor {
    struct line line[LINES_MAX];
    unsigned count;
    char library[1000]; /* path of libttsim.so, with a slash; "": not found */
};

/* Adds a line. The format describes what was found. */
__attribute__((format(printf, 5, 6))) static void add(struct doctor *d, enum finding_state state, const char *name,
                                                      const char *todo, const char *format, ...) {
    if (d->count == LINES_MAX)
        return;
    struct line *line = &d->line[d->count++];
    va_list list;
    va_start(list, format);
    vsnprintf(line->text, sizeof line->text, format, list);
    va_end(list);
    line->state = state;
    line->name = name;
    snprintf(line->todo, sizeof line->todo, "%s", state == FOUND_OK ? "" : todo);
}

/* ---- Commands ---------------------------------------------------------------------------------------------- */

/* Runs a function in a child process, without standard input and for a limited time. Returns its exit status and the
 * first line of its output, or -1 if the child did not end by itself. */
static int run_briefly(int (*child)(const void *what), const void *what, char *text, size_t size) {
    int pipes[2], status = -1;
    size_t used = 0;
    *text = '\0';
    fflush(NULL);
    if (pipe(pipes) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(pipes[1], STDOUT_FILENO);
        dup2(pipes[1], STDERR_FILENO);
        close(pipes[0]);
        close(pipes[1]);
        (void)!freopen("/dev/null", "r", stdin);
        alarm(COMMAND_SECONDS);
        _exit(child(what) & 0xFF);
    }
    close(pipes[1]);
    for (ssize_t got; pid > 0 && used < size - 1 && (got = read(pipes[0], text + used, size - 1 - used)) > 0;)
        used += (size_t)got;
    text[used] = '\0';
    text[strcspn(text, "\n")] = '\0';
    for (char rest[512]; pid > 0 && read(pipes[0], rest, sizeof rest) > 0;)
        ; /* a closed pipe would end the child */
    close(pipes[0]);
    if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

static int execute(const void *what) {
    char *const *words = (char *const *)(uintptr_t)what;
    execvp(words[0], words);
    return 127;
}

/* Runs "PROGRAM FIRST SECOND", where the words may be NULL. Returns the same as run_briefly. */
static int ask(const char *program, const char *first, const char *second, char *text, size_t size) {
    const char *const words[] = { program, first, first ? second : NULL, NULL };
    return run_briefly(execute, words, text, size);
}

static void check_program(struct doctor *d, const char *name, const char *program, const char *todo) {
    char text[300];
    if (ask(program, "--version", NULL, text, sizeof text) == 0)
        add(d, FOUND_OK, name, "", "%s", text);
    else
        add(d, FOUND_MISSING, name, todo, "%s cannot be run", program);
}

static void check_guest_compiler(struct doctor *d) {
    const char *asked = getenv("RISCV_CC");
    check_program(d, "guest compiler", asked && *asked ? asked : "riscv64-unknown-elf-gcc",
                  asked && *asked ? "RISCV_CC must name a compiler for RISC-V"
                                  : "apt install gcc-riscv64-unknown-elf, or set RISCV_CC");
}

static void check_gdb(struct doctor *d) {
    const char *gdb = command_gdb_program(), *asked = getenv("GDB");
    if (gdb)
        check_program(d, "gdb", gdb, "apt install gdb-multiarch, or set GDB");
    else if (asked && *asked)
        add(d, FOUND_WRONG, "gdb", "unset GDB, or let it name a gdb for RISC-V", "GDB=%s cannot be run", asked);
    else
        add(d, FOUND_MISSING, "gdb", "apt install gdb-multiarch, or set GDB", "no gdb for RISC-V");
}

static void check_python(struct doctor *d) {
    static const struct {
        const char *name, *code, *todo;
    } modules[] = {
        { "numpy", "import numpy; print(numpy.__version__)", "apt install python3-numpy, or pip install numpy" },
        { "pytest", "import pytest; print(pytest.__version__)", "apt install python3-pytest, or pip install pytest" },
    };
    char text[300];
    if (ask("python3", "--version", NULL, text, sizeof text) != 0) {
        add(d, FOUND_MISSING, "python3", "apt install python3", "python3 cannot be run");
        return;
    }
    add(d, FOUND_OK, "python3", "", "%s", text);
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        if (ask("python3", "-c", modules[i].code, text, sizeof text) == 0)
            add(d, FOUND_OK, modules[i].name, "", "%s", text);
        else
            add(d, FOUND_MISSING, modules[i].name, modules[i].todo, "python3 does not have it");
    }
}

/* ---- Host -------------------------------------------------------------------------------------------------- */

static uint64_t available_memory(void) {
    char line[200];
    unsigned long long kilobytes = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "MemAvailable: %llu", &kilobytes) != 1)
        ;
    if (file)
        fclose(file);
    return kilobytes << 10;
}

static void check_host(struct doctor *d) {
    const uint64_t gib = UINT64_C(1) << 30;
    cpu_set_t set;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    int usable = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)online;
    uint64_t memory = available_memory();
    add(d, FOUND_OK, "processors", "", "%ld, of which this process may use %d", online, usable);
    add(d, memory && memory < gib ? FOUND_WRONG : FOUND_OK, "memory",
        "a chip with programs on all tiles takes up to about half a GiB", "%.1f GiB available",
        (double)memory / (double)gib);
    add(d, FOUND_OK, "vector instructions", "", "%s", bh_host_level());
}

static void check_chip(struct doctor *d) {
    struct bh_config config;
    bh_chip *chip;
    char message[200];
    bh_config_init(&config);
    config.threads = 1;
    if (bh_create(&config, &chip, message, sizeof message) != BH_OK) {
        add(d, FOUND_WRONG, "a chip", "a limit of the address space (ulimit -v) is too low, or memory is short", "%s",
            message);
        return;
    }
    bh_destroy(chip);
    add(d, FOUND_OK, "a chip", "", "can be made");
}

/* ---- libttsim.so ------------------------------------------------------------------------------------------- */

static bool try_library(struct doctor *d, const char *folder, const char *below) {
    snprintf(d->library, sizeof d->library, "%s/%slibttsim.so", folder, below);
    return access(d->library, R_OK) == 0;
}

/* Looks for the library next to this program, where the build and the installation put it. */
static bool find_library(struct doctor *d) {
    static const char *const below[] = { "", "../lib/bhemu/", "../lib64/bhemu/", "../lib/x86_64-linux-gnu/bhemu/",
                                         "../lib/aarch64-linux-gnu/bhemu/" };
    static const char *const asking[] = { "TT_UMD_SIMULATOR", "TT_METAL_SIMULATOR" };
    char self[800];
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++) {
        const char *path = getenv(asking[i]);
        if (!path || !*path)
            continue;
        snprintf(d->library, sizeof d->library, "%s%s", strchr(path, '/') ? "" : "./", path);
        return access(d->library, R_OK) == 0;
    }
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return false;
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < sizeof below / sizeof *below; i++)
        if (try_library(d, self, below[i]))
            return true;
    return false;
}

/* Runs in a child: asks the library for the vendor and the device. Removes variables that make the library open ports
 * or files. */
static int ask_library(const void *what) {
    const char *path = what;
    unsetenv("BHEMU_GDB");
    unsetenv("BHEMU_CHECK");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        printf("%s\n", dlerror());
        fflush(stdout);
        return 3;
    }
    void (*init)(void), (*end)(void);
    uint32_t (*read)(uint32_t, uint32_t);
    *(void **)&init = dlsym(library, "libttsim_init");
    *(void **)&end = dlsym(library, "libttsim_exit");
    *(void **)&read = dlsym(library, "libttsim_pci_config_rd32");
    if (!init || !end || !read) {
        printf("it has no functions of libttsim\n");
        fflush(stdout);
        return 3;
    }
    init();
    uint32_t id = read(0, 0);
    printf("device %04x:%04x\n", id & 0xFFFF, id >> 16);
    fflush(stdout);
    end();
    return id == 0xB1401E52 ? 0 : 4;
}

static void check_library(struct doctor *d) {
    char text[300], beside[1100];
    if (!find_library(d)) {
        add(d, FOUND_MISSING, "libttsim.so", "build it with make, or let TT_UMD_SIMULATOR name it",
            "not beside this program");
        return;
    }
    int status = run_briefly(ask_library, d->library, text, sizeof text);
    bool variable = strstr(text, "BadEnvironment") != NULL;
    if (status == 0)
        add(d, FOUND_OK, "libttsim.so", "", "%s answers: %s", d->library, text);
    else
        add(d, FOUND_WRONG, "libttsim.so",
            variable ? "correct or unset that variable" : "build it again with make, for this machine", "%s: %s",
            d->library, *text ? text : "it ended without an answer");
    snprintf(beside, sizeof beside, "%.*s/soc_descriptor.yaml", (int)(strrchr(d->library, '/') - d->library),
             d->library);
    if (access(beside, R_OK) == 0)
        add(d, FOUND_OK, "soc_descriptor", "", "%s", beside);
    else
        add(d, FOUND_MISSING, "soc_descriptor",
            "copy it from the build folder to libttsim.so: tt-umd looks for it there", "%s is not there", beside);
}

/* ---- Variables --------------------------------------------------------------------------------------------- */

static void check_one(struct doctor *d, const char *name, bool good, const char *what) {
    const char *value = getenv(name);
    if (value && *value && !good)
        add(d, FOUND_WRONG, "variable", what, "%s=%s", name, value);
}

/* Checks variables. The library checks the values of those that it reads (see check_library), except for two that open
 * something. */
static void check_variables(struct doctor *d) {
    unsigned before = d->count, set = 0;
    uint64_t port;
    for (char **at = environ; *at; at++) {
        struct span name;
        const char *near;
        if (!variable_is_ours(*at, &name))
            continue;
        set++;
        if (variable_is_known(name, &near))
            continue;
        char todo[100];
        snprintf(todo, sizeof todo, near ? "did you mean %s?" : "no such variable is known", near ? near : "");
        add(d, FOUND_WRONG, "variable", todo, "%.*s", SPAN(name));
    }
    const char *gdb = getenv("BHEMU_GDB"), *library = getenv("BHEMU_LIBRARY");
    check_one(d, "BHEMU_GDB", gdb && span_number(span_of(gdb), 65535, &port), "it must be a port, 0 to 65535");
    check_one(d, "BHEMU_LIBRARY", library && access(library, R_OK) == 0, "it must be the path of libbhemu.so");
    if (d->count == before)
        add(d, FOUND_OK, "variables", "", "%u with BHEMU_ are set", set);
}

/* ---- The command ------------------------------------------------------------------------------------------- */

static const char *const states[] = { "ok", "missing", "wrong" };

static void show(const struct doctor *d) {
    for (unsigned i = 0; i < d->count; i++) {
        const struct line *l = &d->line[i];
        printf("%-8s %-20s %s%s%s\n", states[l->state], l->name, l->text, *l->todo ? ": " : "", l->todo);
    }
}

static void show_json(const struct doctor *d, bool good) {
    struct json j;
    json_init(&j, stdout);
    json_open(&j, NULL, '{');
    json_string(&j, "version", bh_version());
    json_bool(&j, "ok", good);
    json_open(&j, "things", '[');
    for (unsigned i = 0; i < d->count; i++) {
        const struct line *l = &d->line[i];
        json_open_line(&j, NULL, '{');
        json_string(&j, "name", l->name);
        json_string(&j, "state", states[l->state]);
        json_string(&j, "found", l->text);
        if (*l->todo)
            json_string(&j, "todo", l->todo);
        json_close_line(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
    json_end(&j);
}

static int run(const struct command *command, int argc, char **argv) {
    struct arguments arguments = { .command = command, .argc = argc, .argv = argv };
    struct doctor *d = NULL;
    bool json = false, good = true;
    for (int id; (id = options_next(&arguments)) != OPTION_END;) {
        if (id == OPTION_HELP)
            return EXIT_DONE;
        if (id == OPTION_WORD)
            return usage_error(command, "unexpected '%s'", arguments.value);
        if (id != OPT_JSON)
            return EXIT_USAGE;
        json = true;
    }
    if (!(d = calloc(1, sizeof *d)))
        return tool_error(command, "out of memory");
    add(d, FOUND_OK, "bhemu", "", "%s", bh_version());
    check_host(d);
    check_chip(d);
    add(d, FOUND_OK, "elfutils", "", "%s", dwfl_version(NULL));
    check_guest_compiler(d);
    check_gdb(d);
    check_python(d);
    check_library(d);
    check_variables(d);
    for (unsigned i = 0; i < d->count; i++)
        good = good && d->line[i].state == FOUND_OK;
    json ? show_json(d, good) : show(d);
    free(d);
    return good ? EXIT_DONE : EXIT_FAULT;
}

const struct command command_doctor = {
    .name = "doctor",
    .synopsis = "[--json]",
    .summary = "say what is missing on this machine, and what to do about it",
    .options = options,
    .notes = notes,
    .run = run,
};
