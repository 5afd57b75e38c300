/* bhemu report: runs another command, and writes a page for the browser. */
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
    char option[] = "--report";
    int status = options_outer(command, argc, argv);
    if (status >= 0)
        return status;
    if (argv[0][0] == '-')
        return usage_error(command, "the file to write comes first, not '%s'", argv[0]);
    if (options_inner(command, argv[0]))
        return usage_error(command, "the file to write comes first, then '%s'; for a file of that name say ./%s",
                           argv[0], argv[0]);
    bool named = argc > 1 && argv[1][0] != '-';
    const struct command *reported = named ? options_inner(command, argv[1]) : &command_run;
    if (!reported)
        return usage_error(command, "no pages about '%s': run, boot and launch have them", argv[1]);
    char *const front[] = { option, argv[0] };
    return options_run(command, reported, front, 2, argc - 1 - named, argv + 1 + named);
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
