/* bhemu check: runs another command with --check. */
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"

static const struct option options[] = { { 0, NULL, NULL, NULL } };

static const char notes[] =
    "The same as the command with --check: looks for accesses of which at least one writes and that nothing\n"
    "orders, whatever their cycles in this run, and lists them at the end. Without a name, the command is run.\n"
    "--suppress FILE leaves out those that a file names.\n"
    "\n"
    "Exit status: that of the command; 5 if everything has gone well except that there is a RACE.\n"
    "\n"
    "Examples:\n"
    "  bhemu check --brisc hello.elf\n"
    "  bhemu check run --tile all --brisc a.elf --suppress known.txt\n"
    "  bhemu check launch add1.launch --json\n";

static const struct command *const inner[] = { &command_run, &command_boot, &command_launch, NULL };

static int run(const struct command *command, int argc, char **argv) {
    static char option[] = "--check";
    if (argc == 0 || strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        options_help(command, argc ? stdout : stderr);
        return argc ? EXIT_DONE : EXIT_USAGE;
    }
    bool named = argv[0][0] != '-';
    const struct command *checked_command = named ? options_inner(command, argv[0]) : &command_run;
    if (!checked_command)
        return usage_error(command, "cannot check '%s': run, boot and launch can be checked", argv[0]);
    char **with_option = malloc(((size_t)argc + 1) * sizeof *with_option);
    if (!with_option)
        return tool_error(command, "out of memory");
    with_option[0] = option;
    int count = 1;
    for (int i = named; i < argc; i++)
        with_option[count++] = argv[i];
    int status = checked_command->run(checked_command, count, with_option);
    free(with_option);
    return status;
}

const struct command command_check = {
    .name = "check",
    .synopsis = "[run|boot|launch] ARGUMENT...",
    .summary = "look for hazards: accesses that nothing orders",
    .options = options,
    .notes = notes,
    .inner = inner,
    .run = run,
};
