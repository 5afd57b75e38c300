/* The texts of waits: see wait.h. */
#include "isa/wait.h"

_Static_assert(WAIT_COUNT <= 256, "a wait fits into a byte");

const char *wait_text(unsigned wait) {
    static const char *const texts[WAIT_COUNT] = {
        [WAIT_NONE] = "",
#define WAIT(name, text) [WAIT_##name] = (text),
#include "isa/wait.def"
#undef WAIT
    };
    return wait < WAIT_COUNT ? texts[wait] : "";
}
