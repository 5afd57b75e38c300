/* Buffers of launch files: see session.h. A buffer in DRAM is distributed over the banks page by page, like tt-metal's
 * interleaved buffers: page p is in bank p % banks; in a bank, pages begin at multiples of 64 bytes. */
#include <stdlib.h>
#include <string.h>

#include "machine/addresses.h"
#include "report/landmarks.h"
#include "launch/session.h"

#define DRAM_FIRST 0x10000u
#define DRAM_SIZE  0x100000000u
#define ALIGNMENT  64u

static uint64_t aligned(uint64_t n) {
    return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static const struct launch_buffer *buffer_of(const struct session *s, size_t step) {
    return &s->launch->steps[step].buffer;
}

/* A contiguous part of a buffer. */
struct chunk {
    struct bh_xy tile;
    uint64_t address;
    size_t offset, size;
};

static unsigned banks_of(const struct session *s) {
    return s->firmware.layout.dram_banks;
}

static bool has_bank(const bh_chip *chip, const void *bank) {
    struct bh_xy tile;
    return dram_tile(chip, *(const unsigned *)bank, 0, &tile);
}

static bool missing_bank(struct machine *m, unsigned bank) {
    const char *other = machine_other_board(m, has_bank, &bank);
    unsigned count = 0;
    while (has_bank(m->chip, &count))
        count++;
    return machine_fail(m, "there is no DRAM bank %u: a %s has banks 0 to %u%s%s%s", bank, board_name(m->config.board),
                        count - 1, other ? "; a " : "", other ? other : "", other ? " has it" : "");
}

static bool dram_chunk(struct session *s, size_t step, size_t offset, struct chunk *c) {
    const struct launch_buffer *b = buffer_of(s, step);
    size_t page = b->one_bank ? (size_t)b->size : b->page, number = offset / page, inside = offset % page;
    unsigned bank = b->one_bank ? b->bank : (unsigned)(number % banks_of(s));
    size_t row = b->one_bank ? 0 : number / banks_of(s);
    c->address = s->address[step] + row * aligned(page) + inside;
    c->size = page - inside;
    return dram_tile(s->machine->chip, bank, 0, &c->tile) || missing_bank(s->machine, bank);
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

/* Finds the contiguous part of a buffer that begins at an offset. */
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

/* Returns the number of bytes that a buffer occupies in each bank, or on each tile. */
static uint64_t span_of_buffer(const struct session *s, const struct launch_buffer *b) {
    if (b->in_l1)
        return b->size;
    if (b->one_bank)
        return aligned(b->size);
    uint64_t pages = (b->size + b->page - 1) / b->page;
    return (pages + banks_of(s) - 1) / banks_of(s) * aligned(b->page);
}

static bool choose_address(struct session *s, size_t step) {
    const struct launch_buffer *b = buffer_of(s, step);
    uint64_t span = span_of_buffer(s, b), end = b->in_l1 ? L1_SIZE : DRAM_SIZE;
    if (b->has_address)
        s->address[step] = b->address;
    else if (b->in_l1)
        s->address[step] = s->next_l1 = (uint32_t)aligned(s->next_l1);
    else
        s->address[step] = s->next_dram = aligned(s->next_dram ? s->next_dram : DRAM_FIRST);
    if (s->address[step] > end || span > end - s->address[step])
        return machine_fail(s->machine, "buffer '%.*s' does not fit: 0x%llx bytes at 0x%llx, but %s ends at 0x%llx",
                            SPAN(b->name), (unsigned long long)span, (unsigned long long)s->address[step],
                            b->in_l1 ? "L1" : "a bank of DRAM", (unsigned long long)end);
    if (!b->has_address && b->in_l1)
        s->next_l1 += (uint32_t)aligned(span);
    else if (!b->has_address)
        s->next_dram += span;
    return true;
}

/* ---- Overlaps ------------------------------------------------------------------------------------ */

static bool share_memory(const struct session *s, const struct launch_buffer *a, const struct launch_buffer *b) {
    if (a->in_l1 != b->in_l1)
        return false;
    if (!a->in_l1)
        return !a->one_bank || !b->one_bank || a->bank == b->bank;
    for (unsigned i = 0; i < s->machine->tensix_count; i++)
        if (tile_list_has(&a->tiles, s->machine->tensix[i]) && tile_list_has(&b->tiles, s->machine->tensix[i]))
            return true;
    return false;
}

/* Returns whether two buffers overlap by mistake. A buffer may lie inside another one if both have addresses from the
 * file. */
static bool clash(const struct session *s, size_t one, size_t other) {
    const struct launch_buffer *a = buffer_of(s, one), *b = buffer_of(s, other);
    uint64_t low_a = s->address[one], low_b = s->address[other];
    uint64_t high_a = low_a + span_of_buffer(s, a), high_b = low_b + span_of_buffer(s, b);
    bool inside = (low_a >= low_b && high_a <= high_b) || (low_b >= low_a && high_b <= high_a);
    return low_a < high_b && low_b < high_a && !(inside && a->has_address && b->has_address) && share_memory(s, a, b);
}

static bool check_others(struct session *s, size_t step) {
    const struct launch_buffer *b = buffer_of(s, step);
    for (size_t i = 0; i < step; i++) {
        const struct launch_buffer *other = buffer_of(s, i);
        if (s->launch->steps[i].kind != STEP_BUFFER || s->address[i] == UINT64_MAX || !clash(s, step, i))
            continue;
        return machine_fail(
            s->machine, "%s overlap: buffer '%.*s' (0x%llx to 0x%llx) and buffer '%.*s' (0x%llx to 0x%llx)",
            b->in_l1 ? "L1" : "DRAM", SPAN(b->name), (unsigned long long)s->address[step],
            (unsigned long long)(s->address[step] + span_of_buffer(s, b)), SPAN(other->name),
            (unsigned long long)s->address[i], (unsigned long long)(s->address[i] + span_of_buffer(s, other)));
    }
    return true;
}

/* Checks that the contents of a buffer do not overwrite the firmware. */
static bool check_reserved(struct session *s, size_t step) {
    const struct launch_buffer *b = buffer_of(s, step);
    if (!b->in_l1 || b->fill.kind == FILL_NONE || !s->booted || s->address[step] >= s->firmware.layout.free_l1)
        return true;
    return machine_fail(s->machine,
                        "L1 overlap: buffer '%.*s' (0x%llx to 0x%llx) and what the firmware needs (0x0 to 0x%x)",
                        SPAN(b->name), (unsigned long long)s->address[step],
                        (unsigned long long)(s->address[step] + b->size), s->firmware.layout.free_l1);
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
    if (!choose_address(s, step) || !check_reserved(s, step) || !check_others(s, step) || !total_of(s, step, &total))
        return false;
    if (b->in_l1 && !landmark_add(m, &b->tiles, s->address[step], b->size, "buffer '%.*s'", SPAN(b->name)))
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
