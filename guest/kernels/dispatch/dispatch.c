/* The dispatcher: executes the commands that the prefetcher has put into its pages. */
#include "go.h"
#include "pages.h"
#include "stay.h"

static struct pages in = {
    .base = DISPATCH_PAGES,
    .page_bytes = DISPATCH_PAGE_BYTES,
    .count = DISPATCH_PAGE_COUNT,
    .came = (const volatile uint32_t *)DISPATCH_CAME,
    .freed = DISPATCH_FREED,
};

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* ---- Writes ------------------------------------------------------------------------------------------------ */

/* Writes data to a tile or to the tiles of a rectangle. link: the next data go to the same tiles. */
static void write_out(uint32_t tiles, uint64_t to, uint32_t bytes, uint32_t receivers, int link) {
    while (bytes) {
        uint32_t part = smaller(smaller(bytes, pages_bytes(&in)), NOC_LARGEST);
        uint32_t control = NOC_MULTICAST | NOC_RESERVE_PATH | NOC_STATIC_CHANNEL | 5 * NOC_CHANNEL;
        if (!receivers)
            noc_write(tiles, to, in.at, part);
        else
            noc_write_to(tiles, to, in.at, part, control | (link || part < bytes ? NOC_LINKED : 0), receivers);
        pages_pass(&in, part);
        to += part;
        bytes -= part;
    }
}

static uint64_t both(uint32_t low, uint32_t high) {
    return low | (uint64_t)high << 32;
}

static void write_linear(struct dispatch_command command) {
    pages_pass(&in, LARGE_COMMAND_BYTES);
    if (command.receivers)
        noc_writes_done();
    write_out(command.linear.tile, both(command.linear.address_low, command.linear.address_high),
              command.linear.length_low, command.receivers, 0);
}

static void write_paged(struct dispatch_command command) {
    pages_pass(&in, COMMAND_BYTES);
    for (uint32_t i = 0; i < command.paged.pages; i++) {
        uint32_t page = command.start_page + i, bank = page % DRAM_BANKS;
        write_out(noc_tile(bank < 4 ? 17 : 18, 13 + 3 * (bank % 4)),
                  command.paged.base + page / DRAM_BANKS * command.paged.page_bytes, command.paged.page_bytes, 0, 0);
    }
}

/* Writes each receiver's own data, or the same data for all, with a command that is not longer than a page. */
static void write_packed(struct dispatch_command command) {
    static uint32_t table[2 * PACKED_MOST];
    uint32_t words = command.flags & PACKED_MULTICAST ? 2 : 1;
    pages_pass(&in, COMMAND_BYTES);
    pages_take(&in, table, words * command.count);
    pages_align(&in, 16);
    if (words == 2)
        noc_writes_done();
    for (uint32_t i = 0; i < command.count; i++) {
        uint32_t at = in.at, left = in.left;
        write_out(table[words * i], command.packed.address, command.packed.size, words == 2 ? table[2 * i + 1] : 0, 0);
        pages_align(&in, 16);
        if (command.flags & PACKED_ONE_DATA) {
            in.at = at;
            in.left = left;
        }
    }
    if (command.flags & PACKED_ONE_DATA)
        pages_pass(&in, command.packed.size);
}

/* Writes multicasts of any size. Those to the same tiles are linked, up to the one with LARGE_UNLINK. */
static void write_packed_large(struct dispatch_command command) {
    static struct packed_large table[LARGE_MOST];
    int first = 1;
    pages_pass(&in, COMMAND_BYTES);
    pages_take(&in, (uint32_t *)table, command.count * (uint32_t)(sizeof *table / 4));
    pages_align(&in, 16);
    for (uint32_t i = 0; i < command.count; i++) {
        if (first)
            noc_writes_done();
        first = table[i].flags & LARGE_UNLINK;
        write_out(table[i].tiles, table[i].address, table[i].length_less_1 + 1u, table[i].receivers, !first);
        pages_align(&in, command.large.alignment);
    }
}

/* ---- The host's completion queue ----------------------------------------------------------------------------- */

static uint32_t completion = HOST_COMPLETION, completion_round;

static int no_page_is_free(void) {
    uint32_t host = *(const volatile uint32_t *)COMPLETION_READ;
    return (host & 0x7FFFFFFF) == completion / 16 && host >> 31 != completion_round;
}

static void completion_page_done(void) {
    completion += HOST_COMPLETION_PAGE;
    if (completion == HOST_COMPLETION_END) {
        completion = HOST_COMPLETION;
        completion_round ^= 1;
    }
    noc_writes_sent(); /* the previous pointer has left */
    *(volatile uint32_t *)COMPLETION_WRITE = completion / 16 | completion_round << 31;
    noc_stores_done(COMPLETION_WRITE);
    noc_write(noc_tile(PCIE_X, PCIE_Y), HOST_WINDOW + HOST_COMPLETION_WRITE, COMPLETION_WRITE, 4);
}

/* Writes page after page, the last one perhaps in part. The pointer follows on the channel of the data. */
static void write_host(struct dispatch_command command) {
    uint32_t bytes = command.host.length_low;
    while (bytes) {
        uint32_t part = smaller(bytes, HOST_COMPLETION_PAGE);
        while (no_page_is_free())
            fence();
        write_out(noc_tile(PCIE_X, PCIE_Y), HOST_WINDOW + completion, part, 0, 0);
        completion_page_done();
        bytes -= part;
    }
}

/* ---- Waiting ---------------------------------------------------------------------------------------------------- */

static void wait_on(struct dispatch_command command) {
    pages_pass(&in, COMMAND_BYTES);
    if (command.flags & WAIT_BARRIER)
        noc_writes_done();
    if (command.flags & WAIT_MEMORY)
        while ((int32_t)(*(const volatile uint32_t *)command.wait.address - command.wait.count) < 0)
            fence();
    if (command.flags & WAIT_STREAM)
        wait_for_workers(command.stream, command.wait.count);
    if (command.flags & WAIT_CLEAR_STREAM)
        reg_write(stream_register(command.stream, STREAM_ADD), -reg_read(stream_register(command.stream, STREAM_COUNT))
                                                                   << STREAM_ADD_SHIFT);
    if (command.flags & WAIT_NOTIFY_PREFETCH)
        noc_increment(noc_tile(PREFETCH_X, PREFETCH_Y), SYNC, 1);
}

static void notify_subordinate(struct dispatch_command command) {
    pages_pass(&in, COMMAND_BYTES);
    if (command.barrier)
        noc_writes_done();
    for (uint32_t group = 0; group < GROUPS; group++)
        if (command.groups >> group & 1)
            ++*(volatile uint32_t *)(GO_SAFE + 16 * group);
}

static void set_go_tiles(struct dispatch_command command) {
    pages_pass(&in, COMMAND_BYTES);
    pages_take(&in, go_tiles, command.tiles.count);
}

static int run_command(const void *at) {
    struct dispatch_command command;
    memcpy(&command, at, sizeof command);
    switch (command.id) {
    case DISPATCH_WRITE_LINEAR: write_linear(command); return 1;
    case DISPATCH_WRITE_HOST: write_host(command); return 1;
    case DISPATCH_WRITE_PAGED: write_paged(command); return 1;
    case DISPATCH_WRITE_PACKED: write_packed(command); return 1;
    case DISPATCH_WRITE_PACKED_LARGE: write_packed_large(command); return 1;
    case DISPATCH_WAIT: wait_on(command); return 1;
    case DISPATCH_NOTIFY_SUBORDINATE: notify_subordinate(command); return 1;
    case DISPATCH_SET_GO_TILES: set_go_tiles(command); return 1;
    case DISPATCH_GO:
        noc_writes_done();
        send_go(at);
        pages_pass(&in, COMMAND_BYTES);
        return 1;
    case DISPATCH_EXEC_BUF_END: pages_pass(&in, COMMAND_BYTES); return 1;
    case DISPATCH_TERMINATE: return 0;
    default: __asm__ volatile("ebreak"); return 0;
    }
}

int main(void) {
    noc_init();
    while (run_command(pages_command(&in)))
        ;
    noc_writes_done();
    noc_atomics_done();
    stay(2);
}
