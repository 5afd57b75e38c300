/* Buffers of launch files: see session.h. A buffer in DRAM is dealt out over the banks page by page, as tt-metal's
 * interleaved buffers are: page p is in bank p % banks; pages are 64 bytes apart or a multiple of that. */
#include <stdlib.h>
#include <string.h>

#include "session.h"

#define DRAM_FIRST 0x10000u
#define DRAM_SIZE  0x100000000u
#define L1_SIZE    0x180000u
#define ALIGNMENT  64u

static uint64_t aligned(uint64_t n) {
    return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static const struct launch_buffer *buffer_of(const struct session *s, size_t step) {
    return &s->launch->steps[step].buffer;
}

/* A stretch of a buffer that lies in one piece. */
struct chunk {
    struct bh_xy tile;
    uint64_t address;
    size_t offset, size;
};

static unsigned banks_of(const struct session *s) {
    return s->firmware.layout.dram_banks;
}

static bool dram_chunk(struct session *s, size_t step, size_t offset, struct chunk *c) {
    const struct launch_buffer *b = buffer_of(s, step);
    size_t page = b->one_bank ? (size_t)b->size : b->page, number = offset / page, inside = offset % page;
    unsigned bank = b->one_bank ? b->bank : (unsigned)(number % banks_of(s));
    size_t row = b->one_bank ? 0 : number / banks_of(s);
    c->address = s->address[step] + row * aligned(page) + inside;
    c->size = page - inside;
    if (!dram_tile(s->machine, bank, 0, &c->tile))
        return machine_fail(s->machine, "there is no DRAM bank %u on this board", bank);
    return true;
}

static bool l1_chunk(struct session *s, size_t step, size_t offset, struct chunk *c) {
    const struct launch_buffer *b = buffer_of(s, step);
    struct answers tiles;
    if (!answers_expect(s->machine, &b->tiles, &tiles))
        return false;
    size_t number = offset / (size_t)b->size, inside = offset % (size_t)b->size;
    c->tile = tiles.tile[number].tile;
    c->address = s->address[step] + inside;
    c->size = (size_t)b->size - inside;
    return true;
}

static bool total_of(struct session *s, size_t step, size_t *total) {
    const struct launch_buffer *b = buffer_of(s, step);
    struct answers tiles = { .count = 1 };
    if (b->in_l1 && !answers_expect(s->machine, &b->tiles, &tiles))
        return false;
    *total = (size_t)b->size * tiles.count;
    return true;
}

/* The stretch that begins at an offset. */
static bool chunk_at(struct session *s, size_t step, size_t offset, size_t total, struct chunk *c) {
    *c = (struct chunk){ .offset = offset };
    if (!(buffer_of(s, step)->in_l1 ? l1_chunk(s, step, offset, c) : dram_chunk(s, step, offset, c)))
        return false;
    if (c->size > total - offset)
        c->size = total - offset;
    return true;
}

bool data_where(struct session *s, size_t step, size_t offset, struct bh_xy *tile, uint64_t *address) {
    struct chunk c;
    if (!chunk_at(s, step, offset, SIZE_MAX, &c))
        return false;
    *tile = c.tile;
    *address = c.address;
    return true;
}

bool data_touches(const struct session *s, size_t step, struct bh_xy tile, uint64_t low, uint64_t high) {
    const struct launch_buffer *b = buffer_of(s, step);
    return b->in_l1 && tile_list_has(&b->tiles, tile) && s->address[step] < high && low < s->address[step] + b->size;
}

/* ---- Placing ----------------------------------------------------------------------------------- */

static bool choose_address(struct session *s, size_t step) {
    const struct launch_buffer *b = buffer_of(s, step);
    uint64_t rows = b->one_bank || b->in_l1 ? 1 : (b->size + b->page - 1) / b->page;
    if (!b->one_bank && !b->in_l1)
        rows = (rows + banks_of(s) - 1) / banks_of(s);
    uint64_t span = rows * aligned(b->in_l1 || b->one_bank ? b->size : b->page), end = b->in_l1 ? L1_SIZE : DRAM_SIZE;
    if (b->has_address)
        s->address[step] = b->address;
    else if (b->in_l1)
        s->address[step] = s->next_l1 = (uint32_t)aligned(s->next_l1);
    else
        s->address[step] = s->next_dram = aligned(s->next_dram ? s->next_dram : DRAM_FIRST);
    if (s->address[step] > end || (b->in_l1 ? b->size : span) > end - s->address[step])
        return machine_fail(s->machine, "buffer '%.*s' does not fit: 0x%llx bytes at 0x%llx", SPAN(b->name),
                            (unsigned long long)span, (unsigned long long)s->address[step]);
    if (!b->has_address && b->in_l1)
        s->next_l1 += (uint32_t)span;
    else if (!b->has_address)
        s->next_dram += span;
    return true;
}

/* Contents must not go where the firmware lives. */
static bool check_reserved(struct session *s, size_t step) {
    const struct launch_buffer *b = buffer_of(s, step);
    if (!b->in_l1 || b->fill.kind == FILL_NONE || !s->booted || s->address[step] >= s->firmware.layout.free_l1)
        return true;
    return machine_fail(s->machine, "L1 overlap: buffer '%.*s' at 0x%llx is in what the firmware needs, up to 0x%x",
                        SPAN(b->name), (unsigned long long)s->address[step], s->firmware.layout.free_l1);
}

static bool write_all(struct session *s, size_t step, const uint8_t *bytes, size_t total) {
    struct chunk c;
    for (size_t offset = 0; offset < total; offset += c.size)
        if (!chunk_at(s, step, offset, total, &c) ||
            !machine_write(s->machine, c.tile, c.address, bytes + offset, c.size))
            return false;
    return true;
}

bool data_place(struct session *s, size_t step) {
    const struct launch_buffer *b = buffer_of(s, step);
    struct machine *m = s->machine;
    size_t total;
    if (!choose_address(s, step) || !check_reserved(s, step) || !total_of(s, step, &total))
        return false;
    if (b->fill.kind == FILL_NONE)
        return true;
    s->line = b->fill.line;
    uint8_t *bytes = fill_bytes(&b->fill, (size_t)b->size, total, m->message, sizeof m->message);
    bool ok = bytes && write_all(s, step, bytes, total);
    free(bytes);
    return ok;
}

uint8_t *data_read(struct session *s, size_t step, size_t *size) {
    struct chunk c;
    if (!total_of(s, step, size))
        return NULL;
    uint8_t *bytes = malloc(*size ? *size : 1);
    if (!bytes)
        machine_fail(s->machine, "out of memory");
    for (size_t offset = 0; bytes && offset < *size; offset += c.size) {
        if (chunk_at(s, step, offset, *size, &c) &&
            machine_peek(s->machine, c.tile, c.address, bytes + offset, c.size)) {
            machine_log(s->machine, "read", c.tile, c.address, bytes + offset, c.size);
            continue;
        }
        free(bytes);
        return NULL;
    }
    return bytes;
}
