/* bhemu: the command line of the emulator. This file finds the command and runs it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bhemu.h"
#include "cmd/commands.h"
#include "text/text.h"

const struct command *const commands[] = {
    &command_run,  &command_boot,   &command_launch, &command_check,      &command_explore,
    &command_diff, &command_report, &command_gdb,    &command_device,     &command_disasm,
    &command_isa,  &command_info,   &command_doctor, &command_completion, NULL,
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands - 1 };

static void print_help(FILE *out) {
    fprintf(out, "bhemu %s: an emulator of the Tenstorrent Blackhole chip\n\nUsage: bhemu COMMAND ...\n\n",
            bh_version());
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-12s%s\n", commands[i]->name, commands[i]->summary);
    fputs("  help        help on a command: bhemu help run\n"
          "  version     the version\n"
          "\n"
          "Examples:\n"
          "  bhemu run --brisc hello.elf --print 1,2:message\n"
          "  bhemu boot firmware/ --board p100a --tile all\n"
          "  bhemu launch add1.launch\n"
          "  bhemu check launch add1.launch\n"
          "  bhemu explore --brisc hello.elf\n"
          "  bhemu diff run --brisc a.elf --vs --brisc b.elf\n"
          "  bhemu report run.html --brisc hello.elf\n"
          "  bhemu gdb run --brisc hello.elf\n"
          "  bhemu disasm hello.elf\n"
          "  bhemu isa SFPMAD\n"
          "  bhemu info --board p100a\n"
          "  bhemu doctor\n",
          out);
}

static const struct command *find(const char *name) {
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(name, commands[i]->name) == 0)
            return commands[i];
    return NULL;
}

static int unknown(const char *name) {
    const char *names[COMMAND_COUNT + 3] = { "help", "version" };
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i + 2] = commands[i]->name;
    const char *near = closest(span_of(name), names);
    if (near)
        fprintf(stderr, "bhemu: unknown command '%s'; did you mean '%s'?\nTry 'bhemu help'.\n", name, near);
    else
        fprintf(stderr, "bhemu: unknown command '%s'\nTry 'bhemu help'.\n", name);
    return EXIT_USAGE;
}

static int unexpected(const char *word) {
    fprintf(stderr, "bhemu: unexpected '%s'\nTry 'bhemu help'.\n", word);
    return EXIT_USAGE;
}

static int help(int argc, char **argv) {
    if (argc > 1)
        return unexpected(argv[1]);
    if (argc < 1 || strcmp(argv[0], "help") == 0 || strcmp(argv[0], "version") == 0) {
        print_help(stdout);
        return EXIT_DONE;
    }
    const struct command *command = find(argv[0]);
    if (!command)
        return unknown(argv[0]);
    options_help(command, stdout);
    return EXIT_DONE;
}

static int version(int argc, char **argv) {
    if (argc > 0)
        return unexpected(argv[0]);
    printf("bhemu %s\n", bh_version());
    return EXIT_DONE;
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return help(argc - 2, argv + 2);
    if (strcmp(argv[1], "version") == 0 || strcmp(argv[1], "--version") == 0)
        return version(argc - 2, argv + 2);
    const struct command *command = find(argv[1]);
    return command ? command->run(command, argc - 2, argv + 2) : unknown(argv[1]);
}

/* A successful command fails here if its output could not be written, for example to a full disk. */
int main(int argc, char **argv) {
    int status = dispatch(argc, argv);
    if (!fflush(stdout) && !ferror(stdout))
        return status;
    fprintf(stderr, "bhemu: cannot write the output: %s\n", strerror(errno));
    return status ? status : EXIT_USAGE;
}
