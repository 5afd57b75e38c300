/* The reasons for which a core or a Tensix thread waits (wait.def). */
#ifndef ISA_WAIT_H
#define ISA_WAIT_H

enum wait {
    WAIT_NONE, /* no reason is known; the text is empty */
#define WAIT(name, text) WAIT_##name,
#include "isa/wait.def"
#undef WAIT
    WAIT_COUNT
};

/* Returns the text of a reason from wait.def, a constant. */
const char *wait_text(unsigned wait);

#endif
