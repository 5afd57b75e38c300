/* The dispatcher's subordinate: sends go signals on the other NoC while the dispatcher continues with its commands. */
#include "go.h"
#include "pages.h"
#include "stay.h"

static struct pages in = {
    .base = SUBORDINATE_PAGES,
    .page_bytes = SUBORDINATE_PAGE_BYTES,
    .count = SUBORDINATE_PAGE_COUNT,
    .came = (const volatile uint32_t *)SUBORDINATE_CAME,
    .freed = SUBORDINATE_FREED,
};

static uint32_t sent[GROUPS]; /* number of signals sent, and of counters cleared */

/* Waits until the dispatcher has reached the same point. */
static void wait_until_safe(uint32_t group) {
    const volatile uint32_t *safe = (const volatile uint32_t *)(GO_SAFE + 16 * group);
    sent[group]++;
    while ((int32_t)(*safe - sent[group]) < 0)
        fence();
}

static void go(const struct dispatch_go *command) {
    wait_until_safe(command->wait_stream - FIRST_STREAM);
    send_go(command);
}

/* Clears a counter: writes a value instead of an increment. */
static void clear(const struct dispatch_command *command) {
    wait_until_safe(command->stream - FIRST_STREAM);
    wait_for_workers(command->stream, command->wait.count);
    reg_write(stream_register(command->stream, STREAM_SET), 0);
    fence();
    ++*(volatile uint32_t *)CLEARS;
}

static int run_command(const struct dispatch_command *command) {
    switch (command->id) {
    case DISPATCH_GO: go((const void *)command); break;
    case DISPATCH_WAIT: clear(command); break;
    case DISPATCH_SET_GO_TILES:
        pages_pass(&in, COMMAND_BYTES);
        pages_take(&in, go_tiles, command->tiles.count);
        return 1;
    case DISPATCH_TERMINATE: return 0;
    default: __asm__ volatile("ebreak"); return 0;
    }
    pages_pass(&in, COMMAND_BYTES);
    return 1;
}

int main(void) {
    noc_init();
    while (run_command(pages_command(&in)))
        ;
    noc_writes_done();
    stay(3);
}
