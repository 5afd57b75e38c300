/* The environment variables of bhemu, its libraries and its scripts. */
#ifndef TOOLS_VARIABLES_H
#define TOOLS_VARIABLES_H

#include "text/text.h"

/* Returns whether an entry of the environment is a variable that begins with BHEMU_, and sets *name to its name. */
bool variable_is_ours(const char *entry, struct span *name);
/* Returns whether something reads the variable with this name. Otherwise sets *near to the name that was probably
 * meant, or to NULL. */
bool variable_is_known(struct span name, const char **near);

#endif
