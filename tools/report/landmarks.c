/* Names for addresses: see landmarks.h. */
#include "report/landmarks.h"

#include <stdarg.h>
#include <stdio.h>

#include "machine/addresses.h"

#define NIU_0        0xFFB20000u
#define NIU_SIZE     0x10000u
#define NIU_COUNTERS 0x200u

static bool add(struct machine *m, const struct tile_range *tiles, uint64_t low, uint64_t size, const char *format,
                va_list list) {
    if (!machine_reserve(m, &m->landmarks, m->landmark_count, sizeof *m->landmarks))
        return false;
    struct landmark *l = &m->landmarks[m->landmark_count++];
    *l = (struct landmark){ .tiles = *tiles, .low = low, .high = low + size };
    vsnprintf(l->name, sizeof l->name, format, list);
    return true;
}

bool landmark_add(struct machine *m, const struct tile_list *tiles, uint64_t low, uint64_t size, const char *format,
                  ...) {
    bool ok = true;
    for (unsigned i = 0; ok && i < tiles->count; i++) {
        va_list list;
        va_start(list, format);
        ok = add(m, &tiles->range[i], low, size, format, list);
        va_end(list);
    }
    return ok;
}

bool landmark_add_tile(struct machine *m, struct bh_xy tile, uint64_t low, uint64_t size, const char *format, ...) {
    const struct tile_range one = { .low = tile, .high = tile };
    va_list list;
    va_start(list, format);
    bool ok = add(m, &one, low, size, format, list);
    va_end(list);
    return ok;
}

static const char *stream_register(uint32_t address, char *text, size_t size) {
    unsigned stream = (address - STREAMS) / STREAM_SIZE, index = (address & 0xFFF) / 4;
    if (index == 297)
        snprintf(text, size, "stream %u: space at its destination, or what is counted there", stream);
    else
        snprintf(text, size, "stream %u, register %u", stream, index);
    return text;
}

static const char *niu_counter(uint32_t address, char *text, size_t size) {
    static const char *const names[] = {
        [0] = "atomics answered",     [1] = "writes acknowledged", [2] = "reads answered",
        [5] = "reads sent",           [6] = "marked atomics sent", [7] = "posted atomics sent",
        [10] = "marked writes sent",  [11] = "posted writes sent", [12] = "marked writes begun",
        [13] = "posted writes begun", [14] = "reads begun",        [15] = "marked atomics begun",
    };
    unsigned noc = (address - NIU_0) / NIU_SIZE, index = (address % NIU_SIZE - NIU_COUNTERS) / 4;
    if (index >= 16 && index < 48)
        snprintf(text, size, "NoC %u: requests of id %u that are %s", noc, index % 16,
                 index < 32 ? "not answered" : "not sent");
    else if (index < 16 && names[index])
        snprintf(text, size, "NoC %u: %s", noc, names[index]);
    return text;
}

static bool in_range(const struct tile_range *range, struct bh_xy tile) {
    const struct tile_list one = { 1, { *range } };
    return tile_list_has(&one, tile);
}

const char *landmark_of(const struct machine *m, struct bh_xy tile, uint64_t address, char *text, size_t size) {
    text[0] = 0;
    for (size_t i = m->landmark_count; i-- > 0;) {
        const struct landmark *l = &m->landmarks[i];
        if (address < l->low || address >= l->high || !in_range(&l->tiles, tile))
            continue;
        snprintf(text, size, "%s", l->name);
        return text;
    }
    if (address - STREAMS < STREAM_COUNT * STREAM_SIZE)
        return stream_register((uint32_t)address, text, size);
    if (address >= NIU_0 && address < NIU_0 + 2 * NIU_SIZE && address % 0x800 >= NIU_COUNTERS &&
        address % 0x800 < 0x2C0)
        return niu_counter((uint32_t)(address & ~0x1800ull), text, size);
    return text;
}
