/* The outcome of a register access: done, to be repeated, or refused with a reason. Texts are constants.
 *
 *     ACCESS_WAIT   the core blocks and repeats the access when an event wakes it
 *     ACCESS_LATER  another core has to run first: this core repeats the access at the same time, in its next turn */
#ifndef ISA_ACCESS_H
#define ISA_ACCESS_H

#include <stddef.h>

#include "bhemu.h"
#include "isa/wait.h"

enum access_result { ACCESS_DONE, ACCESS_WAIT, ACCESS_LATER, ACCESS_REFUSED };

struct access {
    enum access_result result;
    union {
        enum bh_fault_kind kind; /* when refused */
        enum wait wait;          /* when the core blocks */
    };
    const char *text; /* reason of the wait or of the refusal */
};

/* Return an access with this outcome. */
static inline struct access access_done(void) {
    return (struct access){ .result = ACCESS_DONE };
}

static inline struct access access_wait(enum wait wait) {
    return (struct access){ .result = ACCESS_WAIT, .wait = wait, .text = wait_text(wait) };
}

static inline struct access access_later(void) {
    return (struct access){ .result = ACCESS_LATER };
}

static inline struct access access_refused(enum bh_fault_kind kind, const char *text) {
    return (struct access){ .result = ACCESS_REFUSED, .kind = kind, .text = text };
}

#endif
