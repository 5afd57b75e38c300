/* bhemu check: runs another command with --check. */
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
    char option[] = "--check", *const front[] = { option };
    int status = options_outer(command, argc, argv);
    if (status >= 0)
        return status;
    bool named = argv[0][0] != '-';
    const struct command *checked = named ? options_inner(command, argv[0]) : &command_run;
    if (!checked)
        return usage_error(command, "cannot check '%s': run, boot and launch can be checked", argv[0]);
    return options_run(command, checked, front, 1, argc - named, argv + named);
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
