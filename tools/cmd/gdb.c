/* bhemu gdb: starts gdb, and runs another command under it (docs/debugging.md). */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "gdb/gdb.h"

static const struct option options[] = { { 0, NULL, NULL, NULL } };

static const char notes[] =
    "Starts gdb-multiarch, or another gdb that the variable GDB names, and runs a command under it, which\n"
    "stops before its first cycle. What stands before the command goes to gdb. With gdb of another kind, or on\n"
    "another terminal, use --gdb PORT of run, boot and launch instead, and in gdb\n"
    "'target extended-remote :PORT'.\n"
    "\n"
    "Exit status: that of the command.\n"
    "\n"
    "Examples:\n"
    "  bhemu gdb run --brisc hello.elf\n"
    "  bhemu gdb -q -x commands.gdb launch add1.launch\n";

static const struct command *const inner[] = { &command_run, &command_boot, &command_launch, NULL };

/* Returns whether a program of this name is in PATH, or at this path. */
static bool is_installed(const char *name) {
    char path[1024];
    const char *at = getenv("PATH");
    if (strchr(name, '/'))
        return access(name, X_OK) == 0;
    for (; at && *at; at += strcspn(at, ":"), at += *at == ':') {
        int length = (int)strcspn(at, ":");
        if (snprintf(path, sizeof path, "%.*s/%s", length, at, name) < (int)sizeof path && access(path, X_OK) == 0)
            return true;
    }
    return false;
}

const char *command_gdb_program(void) {
    static const char *const names[] = { "gdb-multiarch", "riscv64-unknown-elf-gdb", "riscv32-unknown-elf-gdb" };
    const char *asked = getenv("GDB");
    if (asked && *asked)
        return is_installed(asked) ? asked : NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_installed(names[i]))
            return names[i];
    return NULL;
}

static volatile sig_atomic_t listening = -1;

/* Called when gdb has exited, perhaps before it connected: ends the wait for its connection. */
static void on_child(int signal) {
    (void)signal;
    (void)shutdown(listening, SHUT_RDWR);
}

/* Runs in the child: becomes gdb. */
__attribute__((noreturn)) static void become_gdb(const char *gdb, unsigned port, int count, char **words) {
    char target[48], option[] = "-ex", name[512], early[] = "-iex", all[] = "set schedule-multiple on";
    char **argv = calloc((size_t)count + 6, sizeof *argv);
    snprintf(target, sizeof target, "target extended-remote :%u", port);
    snprintf(name, sizeof name, "%s", gdb);
    if (!argv)
        _exit(127);
    argv[0] = name;
    argv[1] = early; /* all processes continue together */
    argv[2] = all;
    argv[3] = option;
    argv[4] = target;
    memcpy(argv + 5, words, (size_t)count * sizeof *argv);
    (void)signal(SIGINT, SIG_DFL);
    (void)execvp(gdb, argv);
    fprintf(stderr, "bhemu gdb: cannot start '%s': %s\n", gdb, strerror(errno));
    _exit(127);
}

/* Runs a command under gdb. words: those of the user, first `count` for gdb, then the command and its arguments. */
static int debug(const struct command *command, const char *gdb, int count, int argc, char **words) {
    unsigned port;
    char name[24], option[] = "--gdb", *const front[] = { option, name };
    int listener = gdb_listen(0, &port);
    if (listener < 0)
        return tool_error(command, "cannot listen on a port: %s", strerror(errno));
    fflush(NULL);
    listening = listener;
    (void)signal(SIGINT, SIG_IGN); /* Ctrl-C is for gdb */
    (void)signal(SIGCHLD, on_child);
    pid_t child = fork();
    if (child == 0) {
        (void)close(listener);
        become_gdb(gdb, port, count, words);
    }
    if (child < 0)
        return tool_error(command, "cannot start '%s': %s", gdb, strerror(errno));
    const struct command *debugged = options_inner(command, words[count]);
    snprintf(name, sizeof name, "fd:%d", listener);
    int status = options_run(command, debugged, front, 2, argc - count - 1, words + count + 1);
    listening = -1;
    if (status == EXIT_USAGE) /* nothing will ever connect to gdb */
        (void)kill(child, SIGTERM);
    (void)waitpid(child, NULL, 0);
    return status;
}

static int run(const struct command *command, int argc, char **argv) {
    int count = 0, status = options_outer(command, argc, argv);
    if (status >= 0)
        return status;
    while (count < argc && !options_inner(command, argv[count]))
        count++;
    if (count == argc)
        return usage_error(command, "which command? run, boot and launch can be debugged");
    const char *gdb = command_gdb_program();
    if (!gdb)
        return tool_error(command, "no gdb for RISC-V: install gdb-multiarch, or set GDB");
    return debug(command, gdb, count, argc, argv);
}

const struct command command_gdb = {
    .name = "gdb",
    .synopsis = "[GDB ARGUMENT]... run|boot|launch ARGUMENT...",
    .summary = "debug a command with gdb",
    .options = options,
    .notes = notes,
    .inner = inner,
    .run = run,
};
