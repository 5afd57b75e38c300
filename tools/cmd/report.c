/* bhemu report: bhemu run, with a page for the browser. */
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"

static const struct command *const inner[] = { &command_run, NULL };
static const struct option options[] = { { 0, NULL, NULL, NULL } };

static const char notes[] =
    "The same as bhemu run --report FILE: one HTML file with the chip as a grid, the timeline of each tile, units and\n"
    "what they waited for, NoC links, source lines, faults, who waits for what and, with --check, hazards. The file\n"
    "needs nothing else and no network.\n"
    "\n"
    "Examples:\n"
    "  bhemu report run.html --brisc hello.elf\n"
    "  bhemu report run.html --check --tile all --brisc a.elf\n";

static int run(const struct command *command, int argc, char **argv) {
    static char option[] = "--report";
    if (argc == 0 || strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        options_help(command, argc ? stdout : stderr);
        return argc ? EXIT_DONE : EXIT_USAGE;
    }
    if (argv[0][0] == '-')
        return usage_error(command, "the file to write comes first, not '%s'", argv[0]);
    char **with_option = malloc(((size_t)argc + 1) * sizeof *with_option);
    if (!with_option)
        return tool_error(command, "out of memory");
    with_option[0] = option;
    memcpy(with_option + 1, argv, (size_t)argc * sizeof *with_option);
    int status = command_run.run(&command_run, argc + 1, with_option);
    free(with_option);
    return status;
}

const struct command command_report = {
    .name = "report",
    .synopsis = "FILE ARGUMENT...",
    .summary = "run programs and write a page about it for the browser",
    .options = options,
    .notes = notes,
    .inner = inner,
    .run = run,
};
