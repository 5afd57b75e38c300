/* Finds kernels in events: see zones.h. */
#include "formats/zones.h"

#include <stdlib.h>

#include "formats/costs.h"

/* The zones that a core is in. */
struct zone_core {
    struct image_cache image;
    struct zone kernel, firmware;
    bool in_kernel, in_firmware; /* the zones have begun */
    uint64_t last;               /* end of the last instruction */
};

const char *zone_risc(unsigned core) {
    static const char *const names[] = { "BRISC", "TRISC_0", "TRISC_1", "TRISC_2", "NCRISC" };
    return names[core];
}

unsigned zone_rank(unsigned core) {
    return core == BH_BRISC ? 0 : core == BH_NCRISC ? 1 : core + 1;
}

const char *zone_name(unsigned core, bool kernel) {
    static const char *const kernels[] = { "BRISC-KERNEL", "TRISC-KERNEL", "NCRISC-KERNEL" };
    static const char *const firmware[] = { "BRISC-FW", "TRISC-FW", "NCRISC-FW" };
    unsigned kind = core == BH_BRISC ? 0 : core == BH_NCRISC ? 2 : 1;
    return kernel ? kernels[kind] : firmware[kind];
}

bool zones_init(struct zones *z, const struct machine *m, zone_found *found, void *user) {
    *z = (struct zones){ .machine = m, .found = found, .user = user };
    z->core = calloc(COSTS_CORES, sizeof *z->core);
    return z->core;
}

static void begin(const struct zones *z, struct zone *zone, const struct bh_event *e, const struct image *image) {
    *zone = (struct zone){ .tile = e->tile,
                           .core = (uint8_t)e->track,
                           .op = z->machine->op,
                           .start = e->start + e->instruction->waited,
                           .program = image ? image->program : NULL,
                           .pc = image ? e->pc - image->shift : e->pc };
}

/* Ends the zones of a core: the firmware has gone back to sleep after a kernel, or the run has ended. */
static void finish(struct zones *z, struct zone_core *c, uint64_t time) {
    if (c->in_kernel) {
        c->firmware.op = c->kernel.op;
        c->firmware.end = time > c->kernel.end ? time : c->kernel.end;
        z->found(z->user, &c->firmware);
        z->found(z->user, &c->kernel);
    }
    c->in_kernel = c->in_firmware = false;
}

void zones_event(struct zones *z, const struct bh_event *e) {
    if (!e->instruction)
        return;
    const struct machine *m = z->machine;
    struct zone_core *c = &z->core[costs_core_number(e)];
    const struct image *image = machine_image_again(m, &c->image, e->tile, (enum bh_core)e->track, e->pc);
    bool kernel = image ? !image->firmware : m->image_count == 0;
    if (!kernel && e->instruction->waited)
        finish(z, c, e->start);
    if (!c->in_firmware)
        begin(z, &c->firmware, e, image);
    c->in_firmware = true;
    c->last = e->end;
    if (!kernel)
        return;
    if (!c->in_kernel)
        begin(z, &c->kernel, e, image);
    c->in_kernel = c->kernel.kernel = true;
    c->kernel.end = e->end;
}

void zones_end(struct zones *z) {
    for (size_t i = 0; z->core && i < COSTS_CORES; i++)
        finish(z, &z->core[i], z->core[i].last);
    free(z->core);
    z->core = NULL;
}
