/* Kernel: copies pages from one buffer in DRAM to another, through circular buffer 0, over the NoC that the launch
 * names. args: source, destination, first page, pages. A page is one of the circular buffer's; bank tables are the
 * firmware's. */
#include "kernel.h"

#define BANKS 7

static volatile uint32_t *niu(const struct context *c, uint32_t offset) {
    return (volatile uint32_t *)(0xFFB20000 + 0x10000 * c->noc + offset);
}

enum { TARG = 0x00, RET = 0x0C, CTRL = 0x1C, LENGTH = 0x20, COMMAND = 0x40, ID_LOGICAL = 0x148 };
enum { ACKS = 0x204, RESPONSES = 0x208 };
enum { READ = 0x2090, WRITE = 0x2092 };

static void put_address(const struct context *c, uint32_t at, uint32_t address, uint32_t xy) {
    *niu(c, at) = address;
    *niu(c, at + 4) = 0;
    *niu(c, at + 8) = xy;
}

/* One packet and its answer. */
static void transfer(const struct context *c, uint32_t control, uint32_t counter, uint32_t size) {
    uint32_t before = *niu(c, counter);
    *niu(c, CTRL) = control;
    *niu(c, LENGTH) = size;
    *niu(c, COMMAND) = 1;
    while (*niu(c, counter) == before)
        ;
}

static void kernel_main(const struct context *c) {
    const struct cb *cb = &c->cbs[0];
    uint32_t self = *niu(c, ID_LOGICAL) & 0xFFF;
    for (uint32_t i = 0; i < c->args[3]; i++) {
        uint32_t page = c->args[2] + i, row = page / BANKS * cb->page;
        uint32_t bank = c->dram_xy[BANKS * c->noc + page % BANKS], l1 = cb->address + i % cb->pages * cb->page;
        put_address(c, TARG, c->args[0] + row, bank);
        put_address(c, RET, l1, self);
        transfer(c, READ, RESPONSES, cb->page);
        put_address(c, TARG, l1, self);
        put_address(c, RET, c->args[1] + row, bank);
        transfer(c, WRITE, ACKS, cb->page);
    }
}
