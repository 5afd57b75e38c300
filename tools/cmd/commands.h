/* The commands of bhemu. bhemu.c finds the one that the user names. */
#ifndef TOOLS_COMMANDS_H
#define TOOLS_COMMANDS_H

#include "text/options.h"

extern const struct command command_run, command_boot, command_launch, command_check, command_explore, command_diff,
    command_report, command_gdb, command_device, command_disasm, command_isa, command_info, command_completion,
    command_doctor;
/* Returns the gdb that `bhemu gdb` would start, or NULL if there is none. */
const char *command_gdb_program(void);
/* All commands, ends with NULL. */
extern const struct command *const commands[];

#endif
