/* Starts the three other cores, and reports to the host when they are done. */
#include "kit/start.h"
#include "path.h"

int main(void) {
    const struct path *path = (const struct path *)PATH_AT;
    volatile uint32_t *done = (volatile uint32_t *)GUEST_SHARED;
    if (path->operation == PATH_UNTILIZE)
        tensix_remap_dst();
    run_triscs(done);
    ((struct path *)PATH_AT)->finished = 1;
    for (;;)
        ;
}
