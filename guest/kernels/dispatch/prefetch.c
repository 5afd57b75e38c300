/* The prefetcher: fetches commands from host memory ahead of time, four reads at once, and sends their contents to the
 * dispatcher and its subordinate, page by page. */
#include "kit/noc.h"
#include "queue.h"
#include "stay.h"

enum { FETCHES = 4, FIRST_ID = 2, SCRATCH_ID = 8 };

/* ---- The receivers' pages ------------------------------------------------------------------------------- */

struct ring {
    uint32_t base, page_bytes, count, came;
    const volatile uint32_t *freed;
    uint32_t at, room; /* where to write, and number of bytes left in that page */
    uint32_t taken;
};

static struct ring rings[2] = {
    [TO_DISPATCH] = { .base = DISPATCH_PAGES,
                      .page_bytes = DISPATCH_PAGE_BYTES,
                      .count = DISPATCH_PAGE_COUNT,
                      .came = DISPATCH_CAME,
                      .freed = (const volatile uint32_t *)DISPATCH_FREED },
    [TO_SUBORDINATE] = { .base = SUBORDINATE_PAGES,
                         .page_bytes = SUBORDINATE_PAGE_BYTES,
                         .count = SUBORDINATE_PAGE_COUNT,
                         .came = SUBORDINATE_CAME,
                         .freed = (const volatile uint32_t *)SUBORDINATE_FREED },
};

static uint32_t dispatch_tile(void) {
    return noc_tile(DISPATCH_X, DISPATCH_Y);
}

static void take_page(struct ring *ring) {
    while (ring->taken == *ring->freed)
        fence();
    ring->at = ring->base + ring->taken % ring->count * ring->page_bytes;
    ring->room = ring->page_bytes;
    ring->taken++;
}

/* Tells the receiver. The increment uses the channel of the data, and cannot overtake them. */
static void page_is_full(struct ring *ring) {
    ring->room = 0;
    noc_increment(dispatch_tile(), ring->came, 1);
}

static void push(struct ring *ring, uint32_t from, uint32_t bytes) {
    while (bytes) {
        if (!ring->room)
            take_page(ring);
        uint32_t part = bytes < ring->room ? bytes : ring->room;
        noc_write(dispatch_tile(), ring->at, from, part);
        ring->at += part;
        ring->room -= part;
        from += part;
        bytes -= part;
        if (!ring->room)
            page_is_full(ring);
    }
}

static void flush(struct ring *ring) {
    if (ring->room)
        page_is_full(ring);
}

/* ---- Data from other tiles ----------------------------------------------------------------------------------- */

static uint32_t bank_tile(uint32_t bank) {
    return noc_tile(bank < 4 ? 17 : 18, 12 + 3 * (bank % 4));
}

struct source {
    uint32_t tile; /* of linear data */
    uint64_t address;
    uint32_t page, base, page_bytes; /* of paged data, if page_bytes is not 0 */
    uint32_t offset, left;
};

/* Begins to read as much as fits, and returns the number of bytes. */
static uint32_t begin(struct source *source, uint32_t to, uint32_t room, uint32_t id) {
    uint32_t done = 0;
    noc_id = id;
    while (done < room && source->left) {
        uint32_t part = room - done < source->left ? room - done : source->left;
        if (source->page_bytes) {
            uint32_t of_page = source->page_bytes - source->offset;
            part = part < of_page ? part : of_page;
            noc_read(bank_tile(source->page % DRAM_BANKS),
                     source->base + source->page / DRAM_BANKS * source->page_bytes + source->offset, to + done, part);
            source->offset += part;
            if (source->offset == source->page_bytes) {
                source->offset = 0;
                source->page++;
            }
        } else {
            noc_read(source->tile, source->address, to + done, part);
            source->address += part;
        }
        source->left -= part;
        done += part;
    }
    return done;
}

/* Relays data: while one half of the scratch memory is sent, the other half is filled. */
static void relay(struct source source) {
    uint32_t half = 0, bytes = begin(&source, SCRATCH, SCRATCH_HALF, SCRATCH_ID);
    while (bytes) {
        noc_id_done(SCRATCH_ID + half);
        noc_writes_sent();
        uint32_t next = begin(&source, SCRATCH + (half ^ 1) * SCRATCH_HALF, SCRATCH_HALF, SCRATCH_ID + (half ^ 1));
        push(&rings[TO_DISPATCH], SCRATCH + half * SCRATCH_HALF, bytes);
        half ^= 1;
        bytes = next;
    }
    flush(&rings[TO_DISPATCH]);
    noc_writes_sent();
}

/* ---- Commands ------------------------------------------------------------------------------------------------ */

static uint32_t syncs;
static int ended;

static void wait_for_dispatcher(void) {
    syncs++;
    while (*(const volatile uint32_t *)SYNC != syncs)
        fence();
}

static void run_commands(uint32_t at, uint32_t end);

/* Executes commands in DRAM. They fit into the room for the host's commands, which contains nothing else now. */
static void run_trace(const struct prefetch_command *command) {
    uint32_t page_bytes = 1u << command->trace.log_page_bytes, bytes = command->trace.pages * page_bytes;
    struct source source = { .base = command->trace.base, .page_bytes = page_bytes, .left = bytes };
    noc_writes_sent();
    begin(&source, COMMANDS, COMMANDS_END - COMMANDS, SCRATCH_ID);
    noc_id_done(SCRATCH_ID);
    run_commands(COMMANDS, COMMANDS + bytes);
    noc_writes_sent();
}

static struct source paged_source(const struct prefetch_command *command) {
    return (struct source){ .page = command->start_page,
                            .base = command->paged.base,
                            .page_bytes = command->paged.page_bytes,
                            .left =
                                command->paged.pages * command->paged.page_bytes - (command->dram_and_less & 0x7FFFu) };
}

static struct source linear_source(const struct prefetch_command *command) {
    return (struct source){ .tile = command->large.tile,
                            .address = command->large.address_low | (uint64_t)command->large.address_high << 32,
                            .left = command->large.length_low };
}

static uint32_t relay_inline(uint32_t at, const struct prefetch_command *command, int is_whole) {
    struct ring *ring = &rings[command->to == TO_SUBORDINATE];
    push(ring, at + COMMAND_BYTES, command->relay.length);
    if (is_whole)
        flush(ring);
    return at + command->relay.stride;
}

/* Executes a command. Returns the address of the next one, or 0 if there is none. */
static uint32_t run_command(uint32_t at) {
    const struct prefetch_command *command = (const struct prefetch_command *)at;
    switch (command->id) {
    case PREFETCH_RELAY_LINEAR: relay(linear_source(command)); break;
    case PREFETCH_RELAY_PAGED: relay(paged_source(command)); break;
    case PREFETCH_RELAY_INLINE: return relay_inline(at, command, 1);
    case PREFETCH_RELAY_INLINE_NOFLUSH: return relay_inline(at, command, 0);
    case PREFETCH_EXEC_BUF: run_trace(command); return 0;
    case PREFETCH_EXEC_BUF_END: relay_inline(at, command, 1); return 0;
    case PREFETCH_STALL: wait_for_dispatcher(); break;
    case PREFETCH_TERMINATE: ended = 1; return 0;
    default: __asm__ volatile("ebreak"); return 0;
    }
    return at + PREFETCH_STRIDE;
}

static void run_commands(uint32_t at, uint32_t end) {
    while (at && at < end)
        at = run_command(at);
}

/* ---- Fetching -------------------------------------------------------------------------------------------------- */

static struct fetch { uint32_t at, bytes; } fetches[FETCHES];
static uint32_t fetched, carried_out; /* numbers of entries so far */
static uint32_t next_at = COMMANDS, next_host = HOST_ISSUE, alone;

static volatile uint16_t *queue_entry(void) {
    return (volatile uint16_t *)FETCH_QUEUE + fetched % FETCH_ENTRIES;
}

/* Returns an address with room for this many bytes in one piece, or 0 if there is none. */
static uint32_t find_room(uint32_t bytes) {
    if (fetched == carried_out)
        return COMMANDS;
    uint32_t oldest = fetches[carried_out % FETCHES].at;
    if (next_at < oldest)
        return bytes < oldest - next_at ? next_at : 0;
    if (next_at + bytes <= COMMANDS_END)
        return next_at;
    return bytes < oldest - COMMANDS ? COMMANDS : 0;
}

/* Begins to fetch the next entry of the queue, if there is one and it fits. */
static int fetch_ahead(void) {
    uint32_t entry = *queue_entry(), bytes = (entry & ~(uint32_t)FETCH_ALONE) * 16, at;
    if (!entry || alone || fetched - carried_out == FETCHES || !(at = find_room(bytes)))
        return 0;
    if (next_host + bytes > HOST_ISSUE_END)
        next_host = HOST_ISSUE;
    noc_id = FIRST_ID + fetched % FETCHES;
    noc_read(noc_tile(PCIE_X, PCIE_Y), HOST_WINDOW + next_host, at, bytes);
    next_host += bytes;
    next_at = at + bytes;
    alone = entry & FETCH_ALONE;
    *queue_entry() = 0;
    *(volatile uint32_t *)FETCH_READ = (uint32_t)(uintptr_t)queue_entry();
    *(volatile uint32_t *)ISSUE_READ = next_host;
    fetches[fetched++ % FETCHES] = (struct fetch){ at, bytes };
    return 1;
}

static void carry_out(void) {
    const struct fetch *fetch = &fetches[carried_out % FETCHES];
    noc_id_done(FIRST_ID + carried_out % FETCHES);
    run_commands(fetch->at, fetch->at + fetch->bytes);
    noc_writes_sent();
    carried_out++;
    if (fetched == carried_out)
        alone = 0;
}

int main(void) {
    noc_init();
    while (!ended) {
        while (fetch_ahead())
            ;
        if (fetched != carried_out)
            carry_out();
        else
            while (!*queue_entry())
                fence();
    }
    noc_writes_done();
    noc_atomics_done();
    stay(1);
}
