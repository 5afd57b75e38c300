/* The state of the search for one chip. Only the files of this folder include this header. */
#ifndef HAZARD_SEARCH_H
#define HAZARD_SEARCH_H

#include "hazard/hazard.h"

#define HAZARD_SHADOW_BYTES (UINT64_C(4) << 30) /* bytes of host memory for all shadows together */

/* A hazard that is kept aside until the end: a read of something that nobody has written, or a count of pages that
 * changed too early. */
struct hazard_aside {
    struct bh_hazard hazard;
    uint16_t tile;
    uint8_t memory;
    uint32_t address;
};

enum { HAZARD_ENDS = 32 };

/* A range of L1: a core that stores `value` to one of its bytes has reached the end of its kernel. */
struct hazard_end {
    uint32_t address, size;
    uint8_t value;
};

struct hazard_search {
    unsigned tiles;
    struct hazard_tile **tile;
    struct bh_hazard *found;
    uint32_t count, room;
    struct hazard_aside *aside;
    uint32_t aside_count, aside_room;
    struct hazard_end end[HAZARD_ENDS];
    unsigned ends;
    struct bh_check_firmware firmware[HAZARD_FIRMWARES];
    unsigned firmwares;
    uint64_t room_left;        /* bytes that the shadows may still take */
    uint64_t ordered_until;    /* accesses before this cycle are ordered before all later ones: the host has waited */
    uint64_t frame_left_until; /* the cycle after the one in which the last frame left for another chip */
    uint64_t passed_on_until;  /* frame_left_until at the arrival of the last frame: other chips may have passed on what
                                  happened before that cycle */
    bool host_reads;           /* the host has read something since its last write */
    bool incomplete;
    struct hazard_clock scratch;
};

/* Return the hazard that two accesses make, with its kind and verdict, and whether two hazards have the same cause
 * (report.c). */
struct bh_hazard hazard_of(const struct hazard_tile *t, enum hazard_memory memory, uint32_t address,
                           const struct hazard_access *first, const struct hazard_access *second);
bool hazard_is_same(const struct bh_hazard *a, const struct bh_hazard *b);
/* Keeps a hazard aside. It is reported at the end unless hazard_forget_aside is called for its address first
 * (written.c). */
void hazard_keep_aside(struct hazard_tile *t, enum hazard_memory memory, uint32_t address,
                       const struct hazard_access *first, const struct hazard_access *second);
void hazard_forget_aside(struct hazard_tile *t, enum hazard_memory memory, uint64_t address, uint64_t size);
/* Record that words are written, or read: a read of an unwritten word is kept aside (written.c). */
void hazard_note_write(struct hazard_tile *t, enum hazard_memory memory, uint32_t address, uint32_t size);
void hazard_note_read(struct hazard_tile *t, enum hazard_memory memory, uint32_t address, uint32_t size,
                      const struct hazard_access *access);

#endif
