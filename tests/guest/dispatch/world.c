#include "world.h"

#include <stdio.h>
#include <string.h>

#include "support/image.h"

struct place {
    unsigned x, y;
};

/* SOFT_RESET_0. */
enum { ALL_BUT_BRISC = 0x47000, ONLY_TRISCS = 0x7000 };

static const struct place lone[LONE_TILES] = { { 1, 8 }, { 3, 9 } };

/* ---- Workers ------------------------------------------------------------------------------------------------- */

static struct place worker_place(unsigned worker) {
    static const unsigned columns[] = { 5, 6, 7, 10, 11 };
    if (worker >= GRID_TILES)
        return lone[worker - GRID_TILES];
    return (struct place){ columns[worker % 5], GRID_Y0 + worker / 5 };
}

/* The upper two rows of the grid, the lower two, the lone ones. */
static unsigned group_first(unsigned group) {
    return group * (GRID_TILES / 2);
}

static unsigned group_size(unsigned group) {
    return group == LONE_GROUP ? LONE_TILES : GRID_TILES / 2;
}

static uint32_t tile_of(struct place place) {
    return place.x | place.y << 6;
}

/* For the dispatcher, whose NoC is 0. */
static uint32_t rectangle(unsigned x0, unsigned y0, unsigned x1, unsigned y1) {
    return x1 | y1 << 6 | x0 << 12 | y0 << 18;
}

static uint32_t group_rectangle(unsigned group) {
    return rectangle(GRID_X0, GRID_Y0 + 2 * group, GRID_X1, GRID_Y0 + 2 * group + 1);
}

/* ---- Chance ---------------------------------------------------------------------------------------------------- */

static uint32_t draw(struct world *world) {
    world->random = world->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(world->random >> 32);
}

static uint32_t below(struct world *world, uint32_t limit) {
    return (uint32_t)((uint64_t)draw(world) * limit >> 32);
}

static void draw_words(struct world *world, uint32_t *words, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        words[i] = draw(world);
}

/* ---- Kernels ----------------------------------------------------------------------------------------------------- */

static uint32_t mix(uint32_t *words, const uint32_t *shared, uint32_t salt, uint32_t factor) {
    (void)shared;
    for (unsigned i = 0; i < PAGE_WORDS; i++) {
        uint32_t word = words[i] * factor + salt;
        words[i] = word << 7 | word >> 25;
    }
    return 0;
}

static uint32_t fold(uint32_t *words, const uint32_t *shared, uint32_t salt, uint32_t factor) {
    (void)factor;
    for (unsigned i = 0; i < PAGE_WORDS; i++)
        words[i] = salt += words[i] + shared[i * 5];
    return salt;
}

/* ---- Commands to the dispatcher ---------------------------------------------------------------------------------- */

static void relay(struct world *world, const struct dispatch_command *command, const void *data, size_t size) {
    queue_relay(&world->queue, TO_DISPATCH, command, COMMAND_BYTES, data, size);
}

static void write_linear(struct world *world, uint32_t tiles, unsigned receivers, uint64_t address, const void *data,
                         uint32_t size) {
    struct dispatch_command command = { .id = DISPATCH_WRITE_LINEAR,
                                        .receivers = (uint8_t)receivers,
                                        .linear = { .tile = tiles,
                                                    .address_low = (uint32_t)address,
                                                    .address_high = (uint32_t)(address >> 32),
                                                    .length_low = size } };
    queue_relay(&world->queue, TO_DISPATCH, &command, LARGE_COMMAND_BYTES, data, size);
}

static void write_paged(struct world *world, uint32_t base, unsigned start, unsigned count, const void *data) {
    relay(world,
          &(struct dispatch_command){ .id = DISPATCH_WRITE_PAGED,
                                      .is_dram = 1,
                                      .start_page = (uint16_t)start,
                                      .paged = { .base = base, .page_bytes = PAGE_BYTES, .pages = count } },
          data, (size_t)count * PAGE_BYTES);
}

static void wait(struct world *world, unsigned flags, unsigned stream, uint32_t address, uint32_t count) {
    relay(world,
          &(struct dispatch_command){ .id = DISPATCH_WAIT,
                                      .flags = (uint8_t)flags,
                                      .stream = (uint16_t)stream,
                                      .wait = { .address = address, .count = count } },
          "", 0);
}

/* No worker is busy and everything is written. */
static void wait_for_all(struct world *world) {
    for (unsigned group = 0; group < GROUPS; group++)
        wait(world, WAIT_STREAM | WAIT_BARRIER, FIRST_STREAM + group, 0, world->counts[group]);
}

/* The table, then the data of each at a multiple of 16. */
static void write_packed(struct world *world, unsigned flags, uint32_t address, const uint32_t *table, unsigned words,
                         unsigned count, const void *data, unsigned size, unsigned datas) {
    uint8_t bytes[2048] = { 0 };
    uint32_t at = words * 4, stride = (size + 15) & ~15u;
    memcpy(bytes, table, at);
    at = (at + 15) & ~15u;
    for (unsigned i = 0; i < datas; i++, at += stride)
        memcpy(bytes + at, (const uint8_t *)data + i * size, size);
    relay(world,
          &(struct dispatch_command){ .id = DISPATCH_WRITE_PACKED,
                                      .flags = (uint8_t)flags,
                                      .count = (uint16_t)count,
                                      .packed = { .size = (uint16_t)size, .address = address } },
          bytes, at);
}

/* To all of a group the same; to those of the grid by two multicasts. */
static void write_group(struct world *world, unsigned group, uint32_t address, const void *data, unsigned size) {
    if (group == LONE_GROUP) {
        uint32_t tiles[LONE_TILES] = { tile_of(lone[0]), tile_of(lone[1]) };
        write_packed(world, PACKED_ONE_DATA, address, tiles, LONE_TILES, LONE_TILES, data, size, 1);
        return;
    }
    unsigned y = GRID_Y0 + 2 * group;
    struct packed_multicast rows[2] = { { rectangle(GRID_X0, y, GRID_X1, y), 5 },
                                        { rectangle(GRID_X0, y + 1, GRID_X1, y + 1), 5 } };
    uint32_t table[4];
    memcpy(table, rows, sizeof table);
    write_packed(world, PACKED_MULTICAST | PACKED_ONE_DATA, address, table, 4, 2, data, size, 1);
}

/* ---- A launch ---------------------------------------------------------------------------------------------------- */

struct job {
    unsigned group, kernel, pages_from;
    uint32_t salt, factor;
};

static void write_kernel_lone(struct world *world, const struct kernel *kernel, uint32_t slot, const uint32_t *common) {
    for (unsigned i = 0; i < LONE_TILES; i++) {
        write_linear(world, tile_of(lone[i]), 0, slot + SLOT_TEXT, kernel->text, kernel->size);
        write_linear(world, tile_of(lone[i]), 0, slot + SLOT_COMMON, common, 4 * COMMON_COUNT);
    }
}

/* Code and common arguments, linked. */
static void write_kernel(struct world *world, const struct job *job, uint32_t slot) {
    const struct kernel *kernel = &world->kernels[job->kernel];
    const uint32_t common[COMMON_COUNT] = { [COMMON_PAGE_BYTES] = PAGE_BYTES, [COMMON_FACTOR] = job->factor };
    uint8_t data[KERNEL_MOST] = { 0 };
    uint32_t tiles = group_rectangle(job->group);
    if (job->group == LONE_GROUP) {
        write_kernel_lone(world, kernel, slot, common);
        return;
    }
    const struct packed_large table[] = {
        { tiles, slot + SLOT_COMMON, sizeof common - 1, 10, 0 },
        { tiles, slot + SLOT_TEXT, (uint16_t)(kernel->size - 1), 10, LARGE_UNLINK },
    };
    uint32_t at = (sizeof table + 15) & ~15u; /* the command before it has 16 bytes */
    memcpy(data, table, sizeof table);
    memcpy(data + at, common, sizeof common);
    memcpy(data + at + sizeof common, kernel->text, kernel->size);
    relay(world,
          &(struct dispatch_command){ .id = DISPATCH_WRITE_PACKED_LARGE, .count = 2, .large = { .alignment = 16 } },
          data, at + sizeof common + kernel->size);
}

static void write_arguments(struct world *world, const struct job *job, uint32_t slot) {
    uint32_t tiles[WORKERS], arguments[WORKERS][ARG_COUNT];
    unsigned count = group_size(job->group);
    for (unsigned i = 0; i < count; i++) {
        unsigned worker = group_first(job->group) + i;
        tiles[i] = tile_of(worker_place(worker));
        arguments[i][ARG_BUFFER] = BUFFER;
        arguments[i][ARG_PAGE] = job->pages_from + worker;
        arguments[i][ARG_SALT] = job->salt + worker;
        arguments[i][3] = 0;
    }
    write_packed(world, 0, slot + SLOT_ARGUMENTS, tiles, count, count, arguments, sizeof *arguments, count);
}

/* Lets the subordinate go on. */
static void notify(struct world *world, unsigned group) {
    relay(world,
          &(struct dispatch_command){
              .id = DISPATCH_NOTIFY_SUBORDINATE, .barrier = 1, .groups = (uint16_t)(1u << group) },
          "", 0);
}

/* By the subordinate, or by the dispatcher itself. */
static void send_go(struct world *world, unsigned group, unsigned signal, bool by_subordinate) {
    struct dispatch_go command = {
        .id = DISPATCH_GO,
        .go = { (uint8_t)group, DISPATCH_X, DISPATCH_Y, (uint8_t)signal },
        .multicast_go = group == LONE_GROUP ? GO_NO_MULTICAST : (uint8_t)group,
        .unicasts = group == LONE_GROUP ? LONE_TILES : 0,
        .wait_count = world->counts[group],
        .wait_stream = FIRST_STREAM + group,
    };
    if (by_subordinate)
        notify(world, group);
    queue_relay(&world->queue, by_subordinate ? TO_SUBORDINATE : TO_DISPATCH, &command, sizeof command, "", 0);
    world->counts[group] = (world->counts[group] + group_size(group)) & 0x1FFFF;
}

static void model_launch(struct world *world, const struct job *job) {
    const struct kernel *kernel = &world->kernels[job->kernel];
    for (unsigned i = 0; i < group_size(job->group); i++) {
        unsigned worker = group_first(job->group) + i;
        uint32_t sum =
            kernel->page(world->pages[job->pages_from + worker], world->shared, job->salt + worker, job->factor);
        if (sum)
            world->folded[worker] = sum;
    }
}

static void launch(struct world *world, bool by_subordinate) {
    unsigned group = below(world, GROUPS);
    const struct job job = { group, below(world, KERNELS), below(world, 3) * WORKERS, draw(world), draw(world) | 1 };
    uint32_t slot = SLOTS + world->launches[group] % 2 * SLOT_BYTES;
    uint32_t message[4] = { slot + SLOT_TEXT, slot + SLOT_ARGUMENTS, slot + SLOT_COMMON, draw(world) };
    /* The previous user of the slot has gone. */
    uint32_t before = (world->counts[group] - (world->launches[group] ? group_size(group) : 0)) & 0x1FFFF;
    wait(world, WAIT_STREAM, FIRST_STREAM + group, 0, before);
    write_kernel(world, &job, slot);
    write_arguments(world, &job, slot);
    write_group(world, group, LAUNCH + world->launches[group] % LAUNCHES * (uint32_t)sizeof message, message,
                sizeof message);
    send_go(world, group, GO_GO, by_subordinate);
    model_launch(world, &job);
    world->launches[group]++;
    world->total[group]++;
    world->last[group] = message[3];
}

/* ---- Other things to do ------------------------------------------------------------------------------------------ */

static void step_launch(struct world *world) {
    launch(world, true);
    queue_submit(&world->queue, false);
}

static void step_launch_directly(struct world *world) {
    launch(world, false);
    queue_submit(&world->queue, false);
}

static void step_write_pages(struct world *world) {
    unsigned start = below(world, PAGES), count = 1 + below(world, 6);
    count = count < PAGES - start ? count : PAGES - start;
    draw_words(world, world->pages[start], count * PAGE_WORDS);
    wait_for_all(world);
    write_paged(world, BUFFER, start, count, world->pages[start]);
    queue_submit(&world->queue, false);
}

/* Part of the shared block, to all tiles. */
static void step_share(struct world *world) {
    unsigned start = below(world, SHARED_BYTES / 4 - 1200) & ~3u, count = 1 + below(world, 1200);
    draw_words(world, &world->shared[start], count);
    wait_for_all(world);
    write_linear(world, rectangle(GRID_X0, GRID_Y0, GRID_X1, GRID_Y1), GRID_TILES, SHARED + 4 * start,
                 &world->shared[start], 4 * count);
    queue_submit(&world->queue, false);
    for (unsigned i = 0; i < LONE_TILES; i++) {
        write_linear(world, tile_of(lone[i]), 0, SHARED + 4 * start, &world->shared[start], 4 * count);
        queue_submit(&world->queue, false);
    }
}

static void write_host(struct world *world, bool is_event, const void *data, uint32_t size, uint32_t inlined) {
    uint8_t bytes[COMMAND_BYTES + PAGES * PAGE_BYTES];
    const struct dispatch_command command = { .id = DISPATCH_WRITE_HOST,
                                              .is_event = is_event,
                                              .host = { .length_low = COMMAND_BYTES + size } };
    memcpy(bytes, &command, COMMAND_BYTES);
    memcpy(bytes + COMMAND_BYTES, data, size);
    queue_expect(&world->queue, bytes, COMMAND_BYTES + size);
    if (inlined)
        relay(world, &command, data, size);
    else
        queue_relay_part(&world->queue, &command, COMMAND_BYTES);
}

static void event(struct world *world) {
    uint32_t words[5] = { world->events++, draw(world), draw(world), draw(world), draw(world) };
    write_host(world, true, words, 4 + 4 * below(world, 5), 1);
}

static void step_event(struct world *world) {
    event(world);
    queue_submit(&world->queue, false);
}

/* From data elsewhere in the host's memory. */
static void step_share_from_host(struct world *world) {
    queue_finish(&world->queue); /* the last such data have been used */
    uint32_t bytes = 64 * (1 + below(world, SHARED_BYTES / 64));
    draw_words(world, world->shared, bytes / 4);
    memcpy(world->queue.machine->host + HOST_EXTRA, world->shared, bytes);
    wait_for_all(world);
    for (unsigned i = 0; i <= LONE_TILES; i++) {
        const struct dispatch_command command = {
            .id = DISPATCH_WRITE_LINEAR,
            .receivers = i == LONE_TILES ? GRID_TILES : 0,
            .linear = { .tile = i == LONE_TILES ? rectangle(GRID_X0, GRID_Y0, GRID_X1, GRID_Y1) : tile_of(lone[i]),
                        .address_low = SHARED,
                        .length_low = bytes },
        };
        queue_relay_part(&world->queue, &command, LARGE_COMMAND_BYTES);
        queue_prefetch(&world->queue,
                       &(struct prefetch_command){ .id = PREFETCH_RELAY_LINEAR,
                                                   .large = { .tile = PCIE_X | PCIE_Y << 6,
                                                              .address_low = HOST_EXTRA,
                                                              .address_high = (uint32_t)(HOST_WINDOW >> 32),
                                                              .length_low = bytes } },
                       LARGE_COMMAND_BYTES);
    }
    event(world);
    queue_submit(&world->queue, false);
}

static void read_pages(struct world *world, unsigned start, unsigned count, unsigned less) {
    wait_for_all(world);
    write_host(world, false, world->pages[start], count * PAGE_BYTES - less, 0);
    queue_prefetch(&world->queue,
                   &(struct prefetch_command){ .id = PREFETCH_RELAY_PAGED,
                                               .start_page = (uint8_t)start,
                                               .dram_and_less = (uint16_t)(0x8000 | less),
                                               .paged = { .base = BUFFER, .page_bytes = PAGE_BYTES, .pages = count } },
                   COMMAND_BYTES);
}

/* Stalls: the prefetcher must not read what the workers have not written. */
static void stall(struct world *world) {
    wait(world, WAIT_BARRIER | WAIT_NOTIFY_PREFETCH, 0, 0, 0);
    queue_prefetch(&world->queue, &(struct prefetch_command){ .id = PREFETCH_STALL }, COMMAND_BYTES);
    world->syncs++;
}

static void step_read_pages(struct world *world) {
    unsigned start = below(world, PAGES), count = 1 + below(world, 12);
    count = count < PAGES - start ? count : PAGES - start;
    wait_for_all(world);
    stall(world);
    read_pages(world, start, count, 32 * below(world, 8));
    queue_submit(&world->queue, false);
}

/* The counter of a group starts from 0 again. */
static void step_clear(struct world *world) {
    unsigned group = below(world, GROUPS);
    const struct dispatch_command clear = { .id = DISPATCH_WAIT,
                                            .flags = WAIT_STREAM | WAIT_CLEAR_STREAM,
                                            .stream = (uint16_t)(FIRST_STREAM + group),
                                            .wait = { .count = world->counts[group] } };
    if (below(world, 2) || world->metal) {
        relay(world, &clear, "", 0);
    } else {
        notify(world, group);
        queue_relay(&world->queue, TO_SUBORDINATE, &clear, COMMAND_BYTES, "", 0);
        wait(world, WAIT_MEMORY, 0, CLEARS, ++world->clears);
    }
    world->counts[group] = 0;
    queue_submit(&world->queue, false);
}

/* Workers look at the first launch message again. */
static void step_reset_launches(struct world *world) {
    unsigned group = below(world, GROUPS);
    send_go(world, group, GO_RESET_READ_POINTER, below(world, 2));
    world->launches[group] = 0;
    wait_for_all(world);
    queue_submit(&world->queue, false);
}

/* Launches that are recorded in DRAM and carried out from there. */
static void step_trace(struct world *world) {
    struct queue *queue = &world->queue;
    uint8_t trace[CHUNK_MOST] = { 0 };
    launch(world, draw(world) & 1);
    queue_end_trace(queue);
    memcpy(trace, queue->chunk, queue->used);
    unsigned pages = (queue->used + PAGE_BYTES - 1) / PAGE_BYTES;
    queue->used = 0;
    write_paged(world, TRACE_BUFFER, 0, pages, trace);
    stall(world);
    queue_submit(queue, false);
    queue_prefetch(
        queue,
        &(struct prefetch_command){ .id = PREFETCH_EXEC_BUF,
                                    .trace = { .base = TRACE_BUFFER, .log_page_bytes = 10, .pages = pages } },
        COMMAND_BYTES);
    queue_submit(queue, true);
}

static void (*const steps[])(struct world *) = {
    step_launch, step_launch,          step_launch, step_launch_directly, step_write_pages,
    step_share,  step_share_from_host, step_event,  step_event,           step_read_pages,
    step_clear,  step_reset_launches,  step_trace,
};

void world_work(struct world *world, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        unsigned step = below(world, sizeof steps / sizeof *steps);
        steps[step](world);
        world->steps[step]++;
    }
    queue_finish(&world->queue);
}

/* ---- Beginning and end ------------------------------------------------------------------------------------------- */

static void take_text(void *user, uint32_t address, const void *data, size_t size) {
    struct kernel *kernel = user;
    (void)address;
    if (size > KERNEL_MOST / 2)
        return;
    memcpy(kernel->text, data, size);
    kernel->size = (uint32_t)size;
}

static void load_kernel(struct world *world, unsigned index, const char *folder, const char *name) {
    struct kernel *kernel = &world->kernels[index];
    struct image image;
    char file[400];
    snprintf(file, sizeof file, "%s/dispatch_%s.elf", folder, name);
    if (!image_read(file, &image) || !image_each(&image, take_text, kernel) || kernel->size == 0)
        machine_fail(world->queue.machine, file);
    image_free(&image);
}

static void load(struct machine *machine, struct place place, const char *folder, const char *name) {
    char file[400];
    snprintf(file, sizeof file, "%s/dispatch_%s.elf", folder, name);
    if (!machine_load(machine, place.x, place.y, file))
        machine_fail(machine, file);
}

/* Host memory of the first channel at an address that needs both halves of the registers. */
static void set_up_iatu(struct machine *machine) {
    static const uint32_t words[7] = { 0, 0, 0, 0, HOST_SIZE - 1, 0x40000000, 7 };
    for (uint32_t i = 0; i < 7; i++)
        machine->bar2_write(machine, 0x1000 + 4 * (i == 0 ? 1 : i == 1 ? 0 : i), words[i]);
    machine->bar2_write(machine, 0x1004, UINT32_C(1) << 31);
}

static void release(struct machine *machine, struct place place, uint32_t held) {
    machine_write32(machine, place.x, place.y, 0xFFB121B0, held);
}

/* The counters begin close to where they wrap. */
static void start_streams(struct world *world) {
    for (unsigned group = 0; group < GROUPS; group++) {
        world->counts[group] = 0x1FF00 + 16 * group;
        machine_write32(world->queue.machine, DISPATCH_X, DISPATCH_Y,
                        0xFFB40000 + 0x1000 * (FIRST_STREAM + group) + 4 * 270, world->counts[group] << 6);
    }
}

static void start_workers(struct machine *machine, const char *folder) {
    for (unsigned i = 0; i < WORKERS; i++) {
        struct place place = worker_place(i);
        load(machine, place, folder, "worker");
        machine_write32(machine, place.x, place.y, GO_INDEX, i < GRID_TILES ? i / (GRID_TILES / 2) : 0);
        release(machine, place, ALL_BUT_BRISC);
    }
}

static void set_go_tiles(struct world *world) {
    const struct dispatch_command command = { .id = DISPATCH_SET_GO_TILES, .tiles = { .count = LONE_TILES } };
    uint32_t tiles[LONE_TILES] = { tile_of(lone[0]), tile_of(lone[1]) };
    queue_relay(&world->queue, TO_DISPATCH, &command, COMMAND_BYTES, tiles, sizeof tiles);
    queue_relay(&world->queue, TO_SUBORDINATE, &command, COMMAND_BYTES, tiles, sizeof tiles);
    queue_submit(&world->queue, false);
}

void world_start(struct world *world, struct machine *machine, const char *folder, bool metal, uint64_t seed) {
    const struct place prefetch = { PREFETCH_X, PREFETCH_Y }, dispatch = { DISPATCH_X, DISPATCH_Y };
    *world = (struct world){ .random = seed, .metal = metal, .kernels = { { .page = mix }, { .page = fold } } };
    set_up_iatu(machine);
    load(machine, prefetch, folder, "prefetch");
    load(machine, dispatch, folder, "dispatch");
    load(machine, dispatch, folder, "subordinate");
    queue_init(&world->queue, machine);
    load_kernel(world, 0, folder, "mix");
    load_kernel(world, 1, folder, "fold");
    start_workers(machine, folder);
    release(machine, dispatch, ONLY_TRISCS);
    release(machine, prefetch, ALL_BUT_BRISC);
    machine->run(machine); /* dispatchers clear the counters */
    start_streams(world);
    set_go_tiles(world);
}

static void check(struct world *world, uint32_t got, uint32_t expected, const char *what, unsigned index) {
    char text[160];
    if (got == expected)
        return;
    snprintf(text, sizeof text, "%s %u: 0x%x, not 0x%x", what, index, got, expected);
    machine_fail(world->queue.machine, text);
}

static void check_workers(struct world *world) {
    struct machine *machine = world->queue.machine;
    uint32_t shared[SHARED_BYTES / 4];
    for (unsigned i = 0; i < WORKERS; i++) {
        struct place place = worker_place(i);
        unsigned group = i / (GRID_TILES / 2);
        check(world, machine_read32(machine, place.x, place.y, WORKED), world->folded[i], "sum of worker", i);
        check(world, machine_read32(machine, place.x, place.y, LAUNCH_NUMBERS), world->last[group], "last launch of",
              i);
        check(world, machine_read32(machine, place.x, place.y, LAUNCH_NUMBERS + 4), world->total[group], "launches of",
              i);
        machine->read(machine, place.x, place.y, SHARED, shared, sizeof shared);
        check(world, (uint32_t)memcmp(shared, world->shared, sizeof shared), 0, "shared block of", i);
    }
}

static void check_pages(struct world *world) {
    struct machine *machine = world->queue.machine;
    uint32_t words[PAGE_WORDS];
    for (unsigned i = 0; i < PAGES; i++) {
        unsigned bank = i % DRAM_BANKS;
        machine->read(machine, bank < 4 ? 17 : 18, 12 + 3 * (bank % 4), BUFFER + i / DRAM_BANKS * PAGE_BYTES, words,
                      sizeof words);
        check(world, (uint32_t)memcmp(words, world->pages[i], sizeof words), 0, "page", i);
    }
}

static void terminate(struct world *world) {
    const struct dispatch_command command = { .id = DISPATCH_TERMINATE };
    wait_for_all(world);
    queue_relay(&world->queue, TO_SUBORDINATE, &command, COMMAND_BYTES, "", 0);
    relay(world, &command, "", 0);
    queue_prefetch(&world->queue, &(struct prefetch_command){ .id = PREFETCH_TERMINATE }, COMMAND_BYTES);
    queue_submit(&world->queue, false);
}

/* The return value of main: start.S stores it at 0x16000, a word a core. */
static bool ended(struct machine *machine) {
    return machine_read32(machine, PREFETCH_X, PREFETCH_Y, 0x16000) == 1 &&
           machine_read32(machine, DISPATCH_X, DISPATCH_Y, 0x16000) == 2 &&
           machine_read32(machine, DISPATCH_X, DISPATCH_Y, 0x16010) == 3;
}

void world_end(struct world *world) {
    struct machine *machine = world->queue.machine;
    terminate(world);
    for (unsigned i = 0; !ended(machine); i++) {
        if (i == 20000)
            machine_fail(machine, "the programs do not end");
        machine->run(machine);
    }
    check_workers(world);
    check_pages(world);
    for (unsigned group = 0; group < GROUPS; group++)
        check(world,
              machine_read32(machine, DISPATCH_X, DISPATCH_Y, 0xFFB40000 + 0x1000 * (FIRST_STREAM + group) + 4 * 297),
              world->counts[group], "counter of group", group);
}
