/* A worker: waits for its go message, runs the kernel that the next launch message names, and reports to the
 * dispatcher's tile by an increment of a stream's register. */
#include "kit/config.h"
#include "kit/noc.h"
#include "queue.h"

enum { STREAM_ADD = MAP_OVERLAY + 4 * 270, INVALIDATE = 185 };

static uint32_t launches;

static volatile struct go *go_message(void) {
    return (volatile struct go *)GO + *(const volatile uint32_t *)GO_INDEX;
}

static void run_kernel(void) {
    const volatile struct launch *launch = (const volatile struct launch *)LAUNCH + launches % LAUNCHES;
    volatile uint32_t *numbers = (volatile uint32_t *)LAUNCH_NUMBERS;
    config_write(INVALIDATE, 0x1F); /* clears the instruction caches of all five cores */
    fence();
    ((void (*)(uint32_t, uint32_t))(uintptr_t)launch->text)(launch->arguments, launch->common);
    launches++;
    numbers[0] = launch->number;
    numbers[1]++;
}

int main(void) {
    noc_init();
    for (;;) {
        volatile struct go *go = go_message();
        while (go->signal == GO_DONE)
            fence();
        if (go->signal == GO_GO)
            run_kernel();
        else
            launches = 0;
        uint32_t master = noc_tile(go->master_x, go->master_y), stream = FIRST_STREAM + go->stream;
        go->signal = GO_DONE;
        noc_stores_done((uint32_t)(uintptr_t)go); /* the next message comes after this store */
        noc_write_register(master, STREAM_ADD + 0x1000 * stream, 1 << 6);
    }
}
