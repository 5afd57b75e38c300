/* bhemu report: runs another command, and writes a page for the browser. */
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"

static const struct command *const inner[] = { &command_run, &command_boot, &command_launch, NULL };
static const struct option options[] = { { 0, NULL, NULL, NULL } };

static const char notes[] =
    "The same as the command with --report FILE; without a name, the command is run. The page is one HTML file with\n"
    "the chip as a grid, the timeline of each tile, units and what they waited for, NoC links, source lines, faults,\n"
    "who waits for what and, with --check, hazards. It needs nothing else and no network.\n"
    "\n"
    "Examples:\n"
    "  bhemu report run.html --brisc hello.elf\n"
    "  bhemu report run.html --check --tile all --brisc a.elf\n"
    "  bhemu report launch.html launch add1.launch\n";

static int run(const struct command *command, int argc, char **argv) {
    static char option[] = "--report";
    if (argc == 0 || strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        options_help(command, argc ? stdout : stderr);
        return argc ? EXIT_DONE : EXIT_USAGE;
    }
    if (argv[0][0] == '-')
        return usage_error(command, "the file to write comes first, not '%s'", argv[0]);
    if (options_inner(command, argv[0]))
        return usage_error(command, "the file to write comes first, then '%s'; for a file of that name say ./%s",
                           argv[0], argv[0]);
    bool named = argc > 1 && argv[1][0] != '-';
    const struct command *reported = named ? options_inner(command, argv[1]) : &command_run;
    if (!reported)
        return usage_error(command, "no pages about '%s': run, boot and launch have them", argv[1]);
    char **with_option = malloc(((size_t)argc + 1) * sizeof *with_option);
    if (!with_option)
        return tool_error(command, "out of memory");
    with_option[0] = option;
    with_option[1] = argv[0];
    int count = 2;
    for (int i = 1 + named; i < argc; i++)
        with_option[count++] = argv[i];
    int status = reported->run(reported, count, with_option);
    free(with_option);
    return status;
}

const struct command command_report = {
    .name = "report",
    .synopsis = "FILE [run|boot|launch] ARGUMENT...",
    .summary = "run programs and write a page about it for the browser",
    .options = options,
    .notes = notes,
    .inner = inner,
    .run = run,
};
