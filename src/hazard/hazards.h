/* The hazards of a chip, for the files of this folder. */
#ifndef HAZARD_HAZARDS_H
#define HAZARD_HAZARDS_H

#include "hazard/hazard.h"

#define HAZARD_MEMORY (UINT64_C(4) << 30) /* bytes of host memory for all shadows together */

/* A read of something that nobody has written so far. */
struct hazard_unwritten {
    struct bh_hazard hazard;
    uint16_t tile;
    uint8_t place;
    uint32_t address;
};

enum { HAZARD_ENDS = 32 };

/* Bytes of L1 to which a core stores a value at the end of its kernel. */
struct hazard_end {
    uint32_t address, size;
    uint8_t value;
};

struct hazards {
    unsigned tiles;
    struct hazard_tile **tile;
    struct bh_hazard *found;
    uint32_t count, room;
    struct hazard_unwritten *unwritten;
    uint32_t unwritten_count, unwritten_room;
    struct hazard_end end[HAZARD_ENDS];
    unsigned ends;
    struct bh_check_firmware firmware[HAZARD_FIRMWARES];
    unsigned firmwares;
    uint64_t room_left; /* bytes that shadows may still take */
    uint64_t told;      /* everything before this cycle comes before what follows: the host has waited for it */
    uint64_t sent;      /* behind the cycle in which a frame was last sent to another chip */
    uint64_t returned;  /* the same when a frame last came: what was before may be known here over other chips */
    bool host_reads;    /* the host has read something since it last wrote */
    bool incomplete;
    struct hazard_clock scratch;
};

/* Returns a hazard of these accesses, with its kind and verdict; and whether two have the same cause (report.c). */
struct bh_hazard hazard_of(const struct hazard_tile *t, enum hazard_place place, uint32_t address,
                           const struct hazard_access *first, const struct hazard_access *second);
bool hazard_is_same(const struct bh_hazard *a, const struct bh_hazard *b);
/* Keeps a hazard aside, which is none if hazard_forget_aside is called for the place before the end (written.c). */
void hazard_keep_aside(struct hazard_tile *t, enum hazard_place place, uint32_t address,
                       const struct hazard_access *first, const struct hazard_access *second);
void hazard_forget_aside(struct hazard_tile *t, enum hazard_place place, uint64_t address, uint64_t size);
/* Notes that words are written, or read (written.c). */
void hazard_is_written(struct hazard_tile *t, enum hazard_place place, uint32_t address, uint32_t size);
void hazard_needs_written(struct hazard_tile *t, enum hazard_place place, uint32_t address, uint32_t size,
                          const struct hazard_access *access);

#endif
