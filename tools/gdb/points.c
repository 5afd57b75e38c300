/* Breakpoints and watchpoints of gdb (see session.h). The emulator implements both without writing to the guest's
 * memory, so that software and hardware breakpoints are the same. */
#include <stdlib.h>
#include <string.h>

#include "gdb/session.h"

static bool is_watch(enum point_kind kind) {
    return kind >= POINT_WRITE;
}

static unsigned access_of(enum point_kind kind) {
    static const unsigned access[] = {
        [POINT_WRITE] = BH_ACCESS_WRITE,
        [POINT_READ] = BH_ACCESS_READ,
        [POINT_ACCESS] = BH_ACCESS_READ | BH_ACCESS_WRITE,
    };
    return access[kind];
}

static unsigned cores_of(const struct gdb *gdb, struct tile_id tile) {
    unsigned index = session_tile(gdb, tile);
    return index < gdb->tile_count && gdb->eth[index] ? 1u << BH_ERISC0 | 1u << BH_ERISC1 : BH_ALL_CORES;
}

/* ---- Points of the chip ----------------------------------------------------------------------------------- */

/* Returns whether another point needs the same breakpoint of the chip. */
static bool is_shared(const struct gdb *gdb, const struct point *p) {
    for (unsigned i = 0; i < gdb->point_count; i++) {
        const struct point *other = &gdb->point[i];
        if (other != p && !is_watch(other->kind) && other->address == p->address &&
            session_is_same(other->thread.tile, p->thread.tile))
            return true;
    }
    return false;
}

static bh_status set(struct gdb *gdb, const struct point *p, bool on) {
    if (is_watch(p->kind))
        return bh_watchpoint(session_chip(gdb, p->thread.tile), p->thread.tile.xy, (enum bh_core)p->thread.core,
                             p->address, p->size, access_of(p->kind), on);
    if (!on && is_shared(gdb, p))
        return BH_OK;
    return bh_breakpoint(session_chip(gdb, p->thread.tile), p->thread.tile.xy, cores_of(gdb, p->thread.tile),
                         p->address, on);
}

static void drop(struct gdb *gdb, struct point *p) {
    (void)set(gdb, p, false);
    free(p->old);
    *p = gdb->point[--gdb->point_count];
}

/* ---- Packets ---------------------------------------------------------------------------------------------- */

static void note(struct gdb *gdb, struct point *p) {
    if (p->old)
        (void)session_read(gdb, p->thread, p->address, p->old, p->size);
}

void points_note(struct gdb *gdb) {
    for (unsigned i = 0; i < gdb->point_count; i++)
        note(gdb, &gdb->point[i]);
}

static struct point *find(struct gdb *gdb, const struct point *like) {
    for (unsigned i = 0; i < gdb->point_count; i++) {
        struct point *p = &gdb->point[i];
        if (p->kind == like->kind && p->address == like->address &&
            session_is_same(p->thread.tile, like->thread.tile) && (!is_watch(p->kind) || p->size == like->size))
            return p;
    }
    return NULL;
}

static const char *insert(struct gdb *gdb, const struct point *new) {
    struct point *p = find(gdb, new);
    if (p) {
        p->leaving = false;
        return "OK";
    }
    if (gdb->point_count == POINTS_MAX)
        return "E.too many breakpoints and watchpoints";
    if (is_watch(new->kind) && new->size > WATCH_MAX)
        return "E.a watchpoint cannot be larger than L1";
    if (set(gdb, new, true) != BH_OK)
        return "E.the address is not one of L1, or the size is zero";
    p = &gdb->point[gdb->point_count++];
    *p = *new;
    p->old = is_watch(p->kind) ? calloc(1, p->size) : NULL;
    note(gdb, p);
    return "OK";
}

static const char *take_out(struct gdb *gdb, const struct point *like) {
    struct point *p = find(gdb, like);
    if (p && is_watch(p->kind))
        drop(gdb, p);
    else if (p)
        p->leaving = true;
    return "OK";
}

/* Parses Z or z, kind, address and size. There are no conditions, because the server does not offer to evaluate
 * them. */
const char *points_command(struct gdb *gdb, const char *packet) {
    uint64_t kind, address, size;
    const char *at = packet + 1;
    if (!packet_number(&at, &kind) || !packet_skip(&at, ',') || !packet_number(&at, &address) ||
        !packet_skip(&at, ',') || !packet_number(&at, &size) || address > UINT32_MAX || size > UINT32_MAX)
        return "E.not ZKIND,ADDRESS,SIZE";
    if (kind > POINT_ACCESS)
        return "";
    const struct point point = {
        .kind = (enum point_kind)kind, .thread = gdb->general, .address = (uint32_t)address, .size = (uint32_t)size
    };
    return *packet == 'Z' ? insert(gdb, &point) : take_out(gdb, &point);
}

void points_resume(struct gdb *gdb, bool step) {
    for (unsigned i = gdb->point_count; i-- > 0;)
        if (gdb->point[i].leaving && !step)
            drop(gdb, &gdb->point[i]);
    points_note(gdb);
}

void points_clear(struct gdb *gdb) {
    while (gdb->point_count)
        drop(gdb, &gdb->point[gdb->point_count - 1]);
}

/* ---- Events ----------------------------------------------------------------------------------------------- */

const struct point *points_at(const struct gdb *gdb, const struct bh_debug_event *event) {
    for (unsigned i = 0; i < gdb->point_count; i++) {
        const struct point *p = &gdb->point[i];
        bool own = gdb->stepping && gdb->stepper.core == event->core &&
                   session_is_same(gdb->stepper.tile, run_tile_id(gdb, event));
        if (!is_watch(p->kind) && p->address == event->pc && session_is_same(p->thread.tile, run_tile_id(gdb, event)) &&
            !(p->leaving && own))
            return p;
    }
    return NULL;
}

static bool has_changed(struct gdb *gdb, struct point *p) {
    uint8_t *bytes = p->old ? malloc(p->size) : NULL;
    bool changed = !bytes;
    if (bytes && session_read(gdb, p->thread, p->address, bytes, p->size) == p->size)
        changed = memcmp(bytes, p->old, p->size) != 0;
    if (bytes && changed)
        memcpy(p->old, bytes, p->size);
    free(bytes);
    return changed;
}

/* A write that changes no byte does not stop: gdb would ignore it, except for a watchpoint on reads and writes. */
const struct point *points_watch(struct gdb *gdb, const struct bh_debug_event *event) {
    for (unsigned i = 0; i < gdb->point_count; i++) {
        struct point *p = &gdb->point[i];
        if (!is_watch(p->kind) || !session_is_same(p->thread.tile, run_tile_id(gdb, event)) ||
            event->address >= (uint64_t)p->address + p->size || p->address >= (uint64_t)event->address + event->size)
            continue;
        if (event->kind == BH_DEBUG_READ ? p->kind != POINT_WRITE
                                         : p->kind == POINT_ACCESS || (p->kind == POINT_WRITE && has_changed(gdb, p)))
            return p;
    }
    return NULL;
}
